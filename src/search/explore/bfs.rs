//! Breadth-first search with an exact store: the store, read in the order of insertion, is the queue.
//!
//! Every state is expanded once, level by level, so the path to an error is a shortest one in stored states. Each
//! state keeps a link to the one it was reached from; the steps between are found again by execution. Costs the
//! exact store and five bytes a state for the link.

use crate::exec::{Machine, Program};
use crate::model::{Model, TransitionType};
use crate::search::explore::dfs::Settings;
use crate::search::ledger::Ledger;
use crate::search::monitor::{Monitor, Snapshot, interval};
use crate::search::outcome::{Counts, Limit, Outcome, Step};
use crate::search::reduce::{Full, Reduction};
use crate::search::walk::replay::steps_between;
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::depth::exact::ExactStore;
use crate::store::{Handle, Store, Visit};
use std::collections::VecDeque;
use std::time::Instant;

struct BreadthFirst<'s, 'm, 'i, R: Reduction> {
    reduction: &'s mut R,
    program: &'s Program,
    store: &'s mut ExactStore,
    settings: Settings,
    ledger: Ledger<'m>,
    monitor: &'s mut Monitor<'i>,
    /// Hidden variables and depth of the states that wait, in the order of the store.
    hidden: VecDeque<u8>,
    depths: VecDeque<u32>,
    /// The state that is being expanded.
    current: Option<Handle>,
    matched: u64,
    vector: usize,
    limit: Option<Limit>,
    cut: bool,
}

impl<R: Reduction> BreadthFirst<'_, '_, '_, R> {
    fn memory(&self, machine: &Machine<'_>, walk: &Walk) -> u64 {
        let queue = self.hidden.capacity() + self.depths.capacity() * 4;
        (self.store.memory() + queue + self.reduction.memory() + walk.memory() + machine.memory()) as u64
    }

    fn look(&mut self, machine: &Machine<'_>, walk: &Walk, depth: u64) -> bool {
        let snapshot = Snapshot {
            stored: self.store.len() as u64,
            matched: self.matched,
            depth,
            memory: self.memory(machine, walk),
            queued: Some(self.depths.len() as u64),
            collision_rate: None,
            distinct: None,
        };
        self.limit = self.monitor.look(&snapshot);
        self.limit.is_some()
    }

    /// Puts the initial state into the store.
    fn seed(&mut self, machine: &Machine<'_>) -> bool {
        if matches!(self.store.insert(machine.state(), None), Visit::Full) {
            self.limit = Some(self.store.limit(0));
            return false;
        }
        self.vector = machine.state().len();
        self.hidden.extend(&machine.saved()[..self.program.hidden as usize]);
        self.depths.push_back(0);
        true
    }
}

/// The steps from the initial state to the state of this handle.
fn path_to(program: &Program, store: &ExactStore, settings: Settings, handle: Handle) -> Vec<Step> {
    let mut chain = Vec::new();
    let mut at = handle;
    while let Some(before) = store.link(at) {
        chain.push(at);
        at = before;
    }
    let Ok(mut machine) = Machine::new(program) else { return Vec::new() };
    let states = chain.iter().rev().map(|&handle| store.get(handle));
    steps_between(&mut machine, settings.rules, states).unwrap_or_default()
}

impl<R: Reduction> Visitor for BreadthFirst<'_, '_, '_, R> {
    const REDUCES: bool = R::ACTIVE;

    #[inline]
    fn admits(&mut self, machine: &Machine<'_>, pid: usize) -> bool {
        self.reduction.admits(machine, pid)
    }

    #[inline]
    fn again(&mut self, machine: &mut Machine<'_>) -> bool {
        self.reduction.again(machine)
    }

    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let arrivals = self.store.len() as u64 + self.matched;
        if arrivals.is_multiple_of(interval(R::ACTIVE)) && self.look(machine, walk, walk.depth()) {
            return Decision::Stop;
        }
        let state = machine.state();
        match self.store.insert(state, self.current) {
            Visit::New(_) => {
                self.vector = self.vector.max(state.len());
                let hidden = self.program.hidden as usize;
                self.hidden.extend(&machine.saved()[..hidden]);
                self.depths.push_back(walk.depth() as u32);
                self.reduction.queued(machine);
                Decision::Back
            }
            Visit::Seen { on_stack: waits } => {
                self.matched += 1;
                self.reduction.seen(machine, Some(!waits));
                Decision::Back
            }
            Visit::Full => {
                self.limit = Some(self.store.limit(0));
                Decision::Stop
            }
        }
    }

    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, _: Handle) -> Control {
        Control::Continue
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        let (program, store, settings, current) = (self.program, &*self.store, self.settings, self.current);
        self.ledger.note(machine, walk, event, step, || {
            let mut path = current.map(|handle| path_to(program, store, settings, handle)).unwrap_or_default();
            path.extend(walk.path(machine));
            path
        })
    }

    fn cut(&mut self) {
        self.cut = true;
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk) -> Control {
        if self.look(machine, walk, walk.depth()) { Control::Stop } else { Control::Continue }
    }
}

/// Searches the whole state space of a program, breadth first.
pub fn search(
    model: &Model,
    program: &Program,
    store: &mut ExactStore,
    settings: Settings,
    monitor: &mut Monitor<'_>,
) -> Outcome {
    search_reduced(model, program, store, &mut Full, settings, monitor)
}

/// Searches what a reduction leaves of the state space of a program, breadth first.
pub fn search_reduced<R: Reduction>(
    model: &Model,
    program: &Program,
    store: &mut ExactStore,
    reduction: &mut R,
    settings: Settings,
    monitor: &mut Monitor<'_>,
) -> Outcome {
    let start = Instant::now();
    let mut machine = match Machine::new(program) {
        Ok(machine) => machine,
        Err(trap) => return Outcome::failed_at_start(program, trap),
    };
    let mut walk = Walk::new(program.transitions.len(), settings.rules);
    let mut visitor = BreadthFirst {
        reduction,
        program,
        store,
        settings,
        ledger: Ledger::new(model, settings.all_errors),
        monitor,
        hidden: VecDeque::new(),
        depths: VecDeque::new(),
        current: None,
        matched: 0,
        vector: 0,
        limit: None,
        cut: false,
    };
    let mut complete = visitor.seed(&machine);
    let mut saved = Vec::new();
    let mut next = visitor.store.first();
    while let Some(handle) = next {
        saved.clear();
        saved.extend(visitor.hidden.drain(..program.hidden as usize));
        saved.extend_from_slice(visitor.store.get(handle));
        walk.base_depth = u64::from(visitor.depths.pop_front().unwrap_or(0));
        machine.load(&saved);
        visitor.current = Some(handle);
        if R::ACTIVE {
            visitor.store.leave(handle);
        }
        visitor.reduction.enter(&mut machine, &walk);
        if R::ACTIVE
            && let Some(fault) = visitor.reduction.fault()
        {
            visitor.limit = Some(fault.limit());
            complete = false;
            break;
        }
        if walk.run(&mut machine, &mut visitor, false) == Ended::Stopped {
            complete = false;
            break;
        }
        visitor.reduction.leave(&machine);
        next = visitor.store.next(handle);
    }
    let deepest = walk.deepest;
    let limit_found = visitor.limit.take();
    visitor.look(&machine, &walk, deepest);
    visitor.limit = limit_found;
    let BreadthFirst { ledger, matched, vector, mut limit, cut, reduction, .. } = visitor;
    if complete {
        limit = cut.then_some(Limit::Depth(settings.rules.max_depth));
    }
    if let Some(fault) = reduction.fault() {
        limit = Some(fault.limit());
    }
    let stored = store.len() as u64;
    let counts = Counts { stored, matched, peak_stored: stored, vector_bytes: vector as u64, ..Counts::default() };
    Outcome {
        memory: monitor.peak.max(store.memory() as u64),
        seconds: start.elapsed().as_secs_f64(),
        ..ledger.close(program, &walk, limit, ExactStore::EXACT, counts)
    }
}
