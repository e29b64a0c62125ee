//! Acceptance cycles by nested depth-first search (Courcoubetis, Vardi, Wolper, Yannakakis 1990), with the early detection of
//! Schwoon and Esparza (2005).
//!
//! The outer search is an ordinary depth-first search. When it leaves an accepting state, an inner search from there looks
//! for a state on the outer stack: from such a state the accepting state can be reached again, so there is a cycle. A state
//! that one inner search has seen need not be seen by another one, because the outer search leaves its states in post-order.
//! An outer step back onto the stack closes a cycle at once if the step starts or ends in an accepting state.
//!
//! A state accepts if the claim or a process stands at a label that starts with `accept`. The labels of processes count
//! without a claim and beside a claim that was written by hand, as in SPIN, and not beside a formula. A non-progress cycle is
//! an acceptance cycle of the claim "from some point on no process is at a progress label" (see
//! [`crate::model::Claim::non_progress`]). Where nothing can move, the state repeats for ever (stutter extension): with a
//! claim the claim goes on alone; without a claim an accepting state in which nothing can move is a cycle of its own.
//!
//! [`crate::search::cycles::components`] is faster and knows one cycle of each component. This search meets a cycle for each accepting state, and is
//! used where another cycle than a known one is wanted (`--another`) or every error is counted (`--all-errors`), and nothing is left
//! out.
//!
//! Sound with an exact store and the full set of transitions. Costs at most twice the plain search.

use crate::exec::Machine;
use crate::model::TransitionType;
use crate::search::cycles::{CycleBook, CycleKind, Lasso, accepting};
use crate::search::driver::{StoreFigures, Tally, Task};
use crate::search::monitor::Monitor;
use crate::search::outcome::{Limit, Outcome, Step};
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Ended, Event, Rules, Visitor, Walk};
use crate::store::{FindStore, Handle, Visit};
use rapidhash::RapidHashSet;

struct Outer<'s, 'm, 'n, 'i, S: FindStore> {
    book: CycleBook<'m>,
    store: &'s mut S,
    tally: Tally<'m, 'n, 'i>,
    /// For each entered state of the path: does it accept.
    accepts: Vec<bool>,
    inner: Walk,
    seen: RapidHashSet<u64>,
}

impl<S: FindStore> Outer<'_, '_, '_, '_, S> {
    fn tables(&self) -> usize {
        // A hash set of words keeps at most 16 bytes a slot at half load.
        self.store.memory() + self.inner.memory() + self.seen.capacity() * 18
    }

    /// A cycle: the outer path, then `more`, back to the state with this handle on the outer path.
    fn found(&mut self, machine: &Machine<'_>, walk: &Walk, more: Vec<Step>, closes_at: Handle) -> Control {
        let lasso = |_: &Tally<'_, '_, '_>| {
            let mut path = walk.path(machine);
            let depth = walk.depth() + more.len() as u64;
            path.extend(more);
            let start = walk.entered().find(|&(_, handle)| handle == closes_at).map_or(0, |(depth, _)| depth);
            Some(Lasso { path, start, depth })
        };
        self.book.found(&mut self.tally, machine, lasso).unwrap_or(Control::Continue)
    }

    fn inner_search(&mut self, machine: &mut Machine<'_>, walk: &Walk) -> Control {
        let mark = machine.mark();
        let mut inner = std::mem::replace(&mut self.inner, Walk::new(0, unbounded(walk.rules())));
        inner.base_depth = walk.depth();
        let shows = !self.book.is_known(&self.tally);
        let mut visitor = Inner {
            store: &*self.store,
            seen: &mut self.seen,
            monitor: self.tally.monitor,
            limit: None,
            shows,
            closed: None,
        };
        let ended = inner.expand(machine, &mut visitor, &mut Full);
        let Inner { limit, closed, .. } = visitor;
        machine.undo(mark);
        self.inner = inner;
        if let Some((steps, handle)) = closed {
            return self.found(machine, walk, steps, handle);
        }
        if ended == Ended::Stopped {
            self.tally.limit = limit;
            return Control::Stop;
        }
        Control::Continue
    }
}

impl<S: FindStore> Visitor for Outer<'_, '_, '_, '_, S> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision {
        match self.store.visit(machine.state(), how) {
            Visit::New(handle) => {
                self.tally.store(machine);
                self.accepts.push(accepting(machine));
                Decision::Enter(handle)
            }
            Visit::Seen { on_stack } => {
                self.tally.matched += 1;
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
                self.tally.limit = Some(self.store.limit(self.accepts.len() as u64));
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
            return self.book.halted(&mut self.tally, machine, walk);
        }
        self.tally.event(machine, walk, (event, step), || walk.path(machine))
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.tally.look(machine, walk, self.tables(), None)
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
    limit: Option<Limit>,
    /// The steps of a cycle are wanted: it is the first.
    shows: bool,
    /// The steps of the inner path and the state on the outer stack where it closes.
    closed: Option<(Vec<Step>, Handle)>,
}

impl<S: FindStore> Visitor for Inner<'_, '_, S> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        match self.store.find(machine.state()) {
            Some((handle, true)) => {
                let steps = if self.shows { walk.path(machine) } else { Vec::new() };
                self.closed = Some((steps, handle));
                Decision::Stop
            }
            Some((handle, false)) if self.seen.insert(handle.0) => Decision::Enter(handle),
            // Only a path that the depth bound cut off leads to a state that the outer search has not seen.
            _ => Decision::Back,
        }
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        let tables = self.store.memory() + walk.memory() + machine.memory() + self.seen.capacity() * 18;
        self.limit = self.monitor.must_end().or(self.monitor.exceeded(tables as u64));
        if self.limit.is_some() { Control::Stop } else { Control::Continue }
    }
}

/// Searches for acceptance cycles, and for all that a depth-first search finds.
pub fn search<S: FindStore>(task: Task<'_, '_, '_>, store: &mut S, kind: CycleKind) -> Outcome {
    let book = CycleBook { model: task.model, kind };
    let (mut machine, mut walk, tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let inner = Walk::new(machine.program().transitions.len(), unbounded(walk.rules()));
    let mut visitor = Outer { book, store, tally, accepts: Vec::new(), inner, seen: RapidHashSet::default() };
    let ended = walk.run(&mut machine, &mut visitor, &mut Full);
    let tables = visitor.tables();
    let Outer { store, tally, .. } = visitor;
    let figures = StoreFigures { exact: S::EXACT, peak: store.statistics().peak, evicted: 0 };
    tally.close((&machine, &walk), ended, tables, None, figures)
}
