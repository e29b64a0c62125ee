//! Acceptance cycles by nested depth-first search (Courcoubetis, Vardi, Wolper, Yannakakis 1990), with the early
//! detection of Schwoon and Esparza (2005).
//!
//! The outer search is an ordinary depth-first search. When it leaves an accepting state, an inner search from there
//! looks for a state on the outer stack: from it the accepting state can be reached again, so there is a cycle. A
//! state that one inner search has seen need not be seen by another, because outer states are left in post-order.
//! An outer step back onto the stack closes a cycle at once if it starts or ends in an accepting state.
//!
//! A state accepts if the claim or a process stands at a label that starts with `accept`; the labels of processes count
//! without a claim and beside one that was written by hand, as in SPIN, not beside a formula. A non-progress cycle is an
//! acceptance cycle of the claim "from some point on no process is at a progress label" (see `sema`). Where nothing
//! can move the state repeats for ever (stutter extension): with a claim the claim goes on alone, without one an
//! accepting state in which nothing moves is a cycle of its own.
//!
//! Sound with an exact store and the full set of transitions. Costs at most twice the plain search.

use crate::exec::{Machine, Program};
use crate::model::{Model, TransitionType};
use crate::search::explore::dfs::Settings;
use crate::search::ledger::Ledger;
use crate::search::monitor::{INTERVAL, Monitor, Snapshot};
use crate::search::outcome::{About, Counts, Limit, Outcome, Step, Violation, ViolationKind};
use crate::search::walk::{Control, Decision, Ended, Event, Rules, Visitor, Walk};
use crate::store::{FindStore, Handle, Visit};
use rapidhash::RapidHashSet;
use std::time::Instant;

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

/// Builds the violation for a lasso that was found in this program of the model.
pub fn lasso(
    model: &Model,
    program: &Program,
    kind: CycleKind,
    path: Vec<Step>,
    cycle_start: usize,
    depth: u64,
) -> Violation {
    let (kind, message) = kind.violation();
    let claim = program.claim_number.and_then(|number| model.claims.get(number));
    let span = claim.map(|claim| claim.body.span).unwrap_or_default();
    let (message, cycle_start) = (message.to_string(), Some(cycle_start));
    Violation { kind, message, span, depth, path, cycle_start, about: About::Property }
}

struct Outer<'s, 'm, 'i, S: FindStore> {
    model: &'m Model,
    store: &'s mut S,
    ledger: Ledger<'m>,
    monitor: &'s mut Monitor<'i>,
    kind: CycleKind,
    all_errors: bool,
    /// For each entered state of the path: does it accept.
    accepts: Vec<bool>,
    inner: Walk,
    seen: RapidHashSet<u64>,
    matched: u64,
    stored: u64,
    vector: usize,
    limit: Option<Limit>,
    cut: bool,
}

impl<S: FindStore> Outer<'_, '_, '_, S> {
    #[cold]
    fn look(&mut self, machine: &Machine<'_>, walk: &Walk) -> bool {
        let tables = self.store.memory() + walk.memory() + self.inner.memory() + machine.memory();
        // A hash set of words keeps at most 16 bytes a slot at half load.
        let memory = (tables + self.seen.capacity() * 18) as u64;
        let snapshot =
            Snapshot { stored: self.stored, matched: self.matched, depth: walk.depth(), memory, ..Snapshot::default() };
        self.limit = self.monitor.look(&snapshot);
        self.limit.is_some()
    }

    /// A cycle: the outer path, then `more`, back to the state with this handle on the outer path.
    fn found(&mut self, machine: &Machine<'_>, walk: &Walk, more: Vec<Step>, closes_at: Handle) -> Control {
        let mut path = walk.path(machine);
        let depth = walk.depth() + more.len() as u64;
        path.extend(more);
        let start = walk.entered().find(|&(_, handle)| handle == closes_at).map_or(0, |(depth, _)| depth);
        self.ledger.cycle(lasso(self.model, machine.program(), self.kind, path, start, depth));
        if self.all_errors { Control::Continue } else { Control::Stop }
    }

    fn inner_search(&mut self, machine: &mut Machine<'_>, walk: &Walk) -> Control {
        let mark = machine.mark();
        let mut inner = std::mem::replace(&mut self.inner, Walk::new(0, unbounded(walk.rules())));
        inner.base_depth = walk.depth();
        let mut visitor = Inner {
            store: &*self.store,
            seen: &mut self.seen,
            monitor: self.monitor,
            arrivals: 0,
            limit: None,
            closed: None,
        };
        let ended = inner.run(machine, &mut visitor, false);
        let Inner { limit, closed, .. } = visitor;
        machine.undo(mark);
        self.inner = inner;
        if let Some((steps, handle)) = closed {
            return self.found(machine, walk, steps, handle);
        }
        if ended == Ended::Stopped {
            self.limit = limit;
            return Control::Stop;
        }
        Control::Continue
    }
}

impl<S: FindStore> Visitor for Outer<'_, '_, '_, S> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision {
        if (self.stored + self.matched).is_multiple_of(INTERVAL) && self.look(machine, walk) {
            return Decision::Stop;
        }
        match self.store.visit(machine.state(), how) {
            Visit::New(handle) => {
                self.stored += 1;
                self.vector = self.vector.max(machine.state().len());
                self.accepts.push(accepting(machine));
                Decision::Enter(handle)
            }
            Visit::Seen { on_stack } => {
                self.matched += 1;
                if on_stack
                    && (self.accepts.last() == Some(&true) || accepting(machine))
                    && let Some((handle, _)) = self.store.find(machine.state())
                    && self.found(machine, walk, Vec::new(), handle) == Control::Stop
                {
                    return Decision::Stop;
                }
                Decision::Back
            }
            Visit::Full => {
                self.limit = Some(self.store.limit(self.accepts.len() as u64));
                Decision::Stop
            }
        }
    }

    fn leave(&mut self, machine: &mut Machine<'_>, walk: &Walk, handle: Handle) -> Control {
        let control = match self.accepts.pop() {
            Some(true) => self.inner_search(machine, walk),
            _ => Control::Continue,
        };
        self.store.leave(handle);
        control
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        if event == Event::Halt {
            // Without a claim: nothing moves, so an accepting state repeats for ever.
            if !accepting(machine) {
                return Control::Continue;
            }
            let (path, depth) = (walk.path(machine), walk.depth());
            let start = path.len();
            self.ledger.cycle(lasso(self.model, machine.program(), self.kind, path, start, depth));
            return if self.all_errors { Control::Continue } else { Control::Stop };
        }
        self.ledger.note(machine, walk, event, step, || walk.path(machine))
    }

    fn cut(&mut self) {
        self.cut = true;
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk) -> Control {
        if self.look(machine, walk) { Control::Stop } else { Control::Continue }
    }
}

/// The inner search knows its states already, so it ends without a bound on its depth; with one it would be cut off below
/// the stack of the outer search, and nobody would hear of it.
fn unbounded(rules: Rules) -> Rules {
    Rules { max_depth: u64::MAX, ..rules }
}

struct Inner<'s, 'i, S: FindStore> {
    store: &'s S,
    seen: &'s mut RapidHashSet<u64>,
    monitor: &'s Monitor<'i>,
    arrivals: u64,
    limit: Option<Limit>,
    /// The steps of the inner path and the state on the outer stack where it closes.
    closed: Option<(Vec<Step>, Handle)>,
}

impl<S: FindStore> Visitor for Inner<'_, '_, S> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        self.arrivals += 1;
        if self.arrivals.is_multiple_of(INTERVAL) {
            self.limit = self.monitor.must_end();
            if self.limit.is_some() {
                return Decision::Stop;
            }
        }
        match self.store.find(machine.state()) {
            Some((handle, true)) => {
                self.closed = Some((walk.path(machine), handle));
                Decision::Stop
            }
            Some((handle, false)) if self.seen.insert(handle.0) => Decision::Enter(handle),
            // Only a path that the depth bound cut off leads to a state that the outer search has not seen.
            _ => Decision::Back,
        }
    }

    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, _: Handle) -> Control {
        Control::Continue
    }

    fn event(&mut self, _: &mut Machine<'_>, _: &Walk, _: Event, _: Option<Step>) -> Control {
        Control::Continue
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk) -> Control {
        let tables = self.store.memory() + walk.memory() + machine.memory() + self.seen.capacity() * 18;
        self.limit = self.monitor.must_end().or(self.monitor.exceeded(tables as u64));
        if self.limit.is_some() { Control::Stop } else { Control::Continue }
    }
}

/// Searches for acceptance cycles, and for all that a depth-first search finds.
pub fn search<S: FindStore>(
    model: &Model,
    program: &Program,
    store: &mut S,
    settings: Settings,
    kind: CycleKind,
    monitor: &mut Monitor<'_>,
) -> Outcome {
    let start = Instant::now();
    let mut machine = match Machine::new(program) {
        Ok(machine) => machine,
        Err(trap) => return Outcome::failed_at_start(program, trap),
    };
    let rules = settings.rules;
    let mut walk = Walk::new(program.transitions.len(), rules);
    let mut visitor = Outer {
        model,
        store,
        ledger: Ledger::new(model, settings.all_errors),
        monitor,
        kind,
        all_errors: settings.all_errors,
        accepts: Vec::new(),
        inner: Walk::new(program.transitions.len(), unbounded(rules)),
        seen: RapidHashSet::default(),
        matched: 0,
        stored: 0,
        vector: 0,
        limit: None,
        cut: false,
    };
    let ended = walk.run(&mut machine, &mut visitor, true);
    let found = visitor.limit.take();
    visitor.look(&machine, &walk);
    let Outer { ledger, matched, stored, vector, cut, .. } = visitor;
    let limit = match ended {
        Ended::Complete => cut.then_some(Limit::Depth(rules.max_depth)),
        Ended::Stopped => found,
    };
    let peak_stored = store.statistics().peak;
    let counts = Counts { stored, matched, peak_stored, vector_bytes: vector as u64, ..Counts::default() };
    Outcome {
        memory: monitor.peak,
        seconds: start.elapsed().as_secs_f64(),
        ..ledger.close(program, &walk, limit, S::EXACT, counts)
    }
}
