//! Searches for cycles: runs that go on for ever and break a property.
//!
//! `components` looks for acceptance cycles, `nested` for every one of them or for others than are known, `fair` for acceptance cycles of weakly fair runs. [`lasso`] executes every cycle
//! again and checks it by the definition before the user is told of it. [`shorten`] makes a cycle and the way to it shorter. `claim_run` finds the steps of a claim beside a run of the system.
//!
//! A state accepts if the claim or a process stands at a label that starts with `accept`. The labels of processes count
//! without a claim and beside a claim that was written by hand, as in SPIN, and not beside a formula. A non-progress cycle is
//! an acceptance cycle of the claim "from some point on no process is at a progress label" (see
//! [`crate::model::Claim::non_progress`]). Where nothing can move, the state repeats for ever (stutter extension): with a
//! claim the claim goes on alone; without a claim an accepting state in which nothing can move is a cycle of its own.

pub mod claim_run;
pub mod components;
pub mod fair;
pub mod lasso;
pub mod nested;
pub mod shorten;

use crate::exec::Machine;
use crate::model::Model;
use crate::search::driver::Tally;
use crate::search::outcome::{About, Step, Violation, ViolationKind};
use crate::search::walk::{Control, Walk};

/// What kind of cycle it is, for the report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CycleKind {
    /// Through an accepting state.
    Acceptance,
    /// Without progress.
    NonProgress,
}

impl CycleKind {
    fn violation(self) -> (ViolationKind, &'static str) {
        match self {
            CycleKind::Acceptance => (ViolationKind::AcceptanceCycle, "acceptance cycle"),
            CycleKind::NonProgress => (ViolationKind::NonProgressCycle, "non-progress cycle"),
        }
    }
}

/// The claim or a process stands at an accepting label that counts: see [`crate::model::Claim::counts_labels`].
pub fn accepting(machine: &Machine<'_>) -> bool {
    machine.claim_place().is_some_and(|place| place.accept)
        || (0..machine.process_count()).any(|pid| machine.place(pid).accept)
}

/// A cycle and the way to it.
struct Lasso {
    path: Vec<Step>,
    /// Where in the path the cycle starts.
    start: usize,
    depth: u64,
}

/// What a search does with the cycles that it finds.
#[derive(Clone, Copy)]
struct CycleBook<'m> {
    model: &'m Model,
    kind: CycleKind,
}

impl CycleBook<'_> {
    /// Is a cycle kept already?
    fn is_known(&self, tally: &Tally<'_, '_, '_>) -> bool {
        tally.ledger.has(self.kind.violation().0)
    }

    /// A cycle was found. The first one is kept: `lasso` is asked for it, and gives nothing if it cannot be shown. The others
    /// are only counted, for a path may be long and cycles many.
    fn found(
        &self,
        tally: &mut Tally<'_, '_, '_>,
        machine: &Machine<'_>,
        lasso: impl FnOnce(&Tally<'_, '_, '_>) -> Option<Lasso>,
    ) -> Option<Control> {
        let (kind, message) = self.kind.violation();
        if self.is_known(tally) {
            tally.ledger.count_cycle();
            return Some(tally.after_error());
        }
        let Lasso { path, start, depth } = lasso(tally)?;
        let claim = machine.program().claim_number.and_then(|number| self.model.claims.get(number));
        let span = claim.map(|claim| claim.body.span).unwrap_or_default();
        let (message, cycle_start) = (message.to_string(), Some(start));
        let violation = Violation { kind, message, span, depth, path, cycle_start, about: About::Property };
        if tally.ledger.knows_cycle(&violation) {
            tally.ledger.count_cycle();
            return Some(Control::Continue);
        }
        tally.ledger.cycle(violation);
        Some(tally.after_error())
    }

    /// Without a claim: nothing can move, so the run stays here for ever, and is fair. It counts if the state accepts.
    fn halted(&self, tally: &mut Tally<'_, '_, '_>, machine: &Machine<'_>, walk: &Walk) -> Control {
        if !accepting(machine) {
            return Control::Continue;
        }
        let stays = |_: &Tally<'_, '_, '_>| {
            let path = walk.path(machine);
            Some(Lasso { start: path.len(), depth: walk.depth(), path })
        };
        self.found(tally, machine, stays).unwrap_or(Control::Continue)
    }
}
