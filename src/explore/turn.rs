//! Whose turn it is: what a user can choose from, with the claim of a property in it.
//!
//! The rules are those of the searches ([`crate::search::walk`]): claim and system alternate, the claim moves first; inside an
//! atomic block and between the halves of a rendezvous it does not move; where no process can move it goes on alone. A claim
//! that has no step where it is its turn will never accept on this way: a search turns back there. A user may go on; the claim is then
//! out of the run, since it has missed a state.

use crate::exec::{Cursor, Fired, Machine};
use crate::search::outcome::{Actor, Step};
use crate::search::walk::possible::{Choice, atomic_after, choices};
use smallvec::smallvec;

/// In a [`Choice`] of the claim there is no process.
const NOBODY: usize = usize::MAX;

/// What the past of a run says about the next step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Course {
    /// The process that is inside an atomic block.
    pub atomic: Option<usize>,
    /// The claim made the last step.
    claim_moved: bool,
    /// The claim has missed a state.
    out: bool,
}

/// How it stands with the claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// There is none, or processes move next.
    Waits,
    /// It moves next.
    Moves,
    /// It has no step where it is its turn, or it had none earlier: this way does not break the property.
    Out,
    /// It has reached its end: the property is broken.
    Ended,
}

/// What is possible now.
pub(crate) struct Possible {
    /// What can be taken.
    pub list: Vec<Choice>,
    /// What processes could do; the same list unless the claim moves next.
    pub system: Vec<Choice>,
    /// How it stands with the claim.
    pub claim: Standing,
}

impl Possible {
    /// The step of the claim, if it moves next and has no choice.
    pub(crate) fn forced(&self) -> Option<&Choice> {
        match (self.claim, &self.list[..]) {
            (Standing::Moves, [only]) => Some(only),
            _ => None,
        }
    }
}

impl Course {
    /// What is possible in the state of the machine, which is left as it is.
    pub(crate) fn possible(&self, machine: &mut Machine<'_>) -> Possible {
        let system = choices(machine, self.atomic);
        let claim = self.standing(machine, &system);
        let list = match claim {
            Standing::Moves => {
                let by_timeout = |choice: &Choice| choice.steps.iter().any(|step| step.timeout);
                let timeout = machine.program().claim_asks && system.iter().all(by_timeout);
                of_claim(machine, timeout)
            }
            _ => Vec::new(),
        };
        // To see what is possible, steps were tried; what they printed did not happen.
        machine.take_printed();
        match claim {
            Standing::Moves if list.is_empty() => Possible { list: system.clone(), system, claim: Standing::Out },
            Standing::Moves => Possible { list, system, claim },
            _ => Possible { list: system.clone(), system, claim },
        }
    }

    fn standing(&self, machine: &Machine<'_>, system: &[Choice]) -> Standing {
        let Some(place) = machine.claim_place() else { return Standing::Waits };
        let inside =
            |pid| !system.is_empty() && system.iter().all(|choice| choice.pid == pid && !choice.steps[0].timeout);
        if place.valid_end {
            Standing::Ended
        } else if self.out {
            Standing::Out
        } else if self.atomic.is_some_and(inside) || self.claim_moved && !system.is_empty() {
            Standing::Waits
        } else {
            Standing::Moves
        }
    }

    /// A step is about to be taken.
    pub(crate) fn before(&mut self, machine: &Machine<'_>, step: Step) {
        let Actor::Process(pid) = step.actor else { return };
        let between = self.claim_moved || machine.in_handshake() || self.atomic == Some(usize::from(pid));
        self.out |= machine.claim_place().is_some() && !between;
    }

    /// The step was taken, by a process of this type.
    pub(crate) fn after(&mut self, machine: &Machine<'_>, proctype: u32, step: Step) {
        self.claim_moved = step.actor == Actor::Claim;
        match step.actor {
            Actor::Process(_) => self.atomic = atomic_after(machine, proctype, step),
            Actor::Claim => self.out = false,
        }
    }
}

/// The steps of the claim, in the order in which a search tries them.
fn of_claim(machine: &mut Machine<'_>, timeout: bool) -> Vec<Choice> {
    let program = machine.program();
    let (Some(place), Some((_, number))) = (machine.claim_place(), program.claim) else { return Vec::new() };
    let first = program.proctypes[number as usize].first_transition;
    let (mut cursor, mut found) = (Cursor::at(0, place), Vec::new());
    machine.set_timeout(timeout);
    while let Some(number) = cursor.next(program) {
        let mark = machine.mark();
        match machine.fire_claim(number, cursor.moved()) {
            Fired::Blocked => continue,
            Fired::BlockedWith(_) => {}
            Fired::Failed(_) => cursor.failed(),
            Fired::Done | Fired::DoneWith(_) => {
                machine.undo(mark);
                cursor.took(&program.transitions[number as usize]);
            }
        }
        let step = Step { actor: Actor::Claim, transition: number - first, timeout };
        found.push(Choice { pid: NOBODY, steps: smallvec![step] });
    }
    machine.set_timeout(false);
    found
}
