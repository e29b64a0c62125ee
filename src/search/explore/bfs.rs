//! Breadth-first search with an exact store, which is also the queue: the states are expanded in the order of their
//! insertion.
//!
//! Every state is expanded once, level by level, so the path to an error is a shortest one, counted in stored states. The
//! store keeps for each state a link to the state from which it was reached first; the steps between two states of a path are
//! found again by execution. Sound and complete, and with persistent sets sound as told in
//! [`crate::search::reduce::persistent`].
//!
//! Costs the exact store, and five bytes a state for the link.

use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::driver::{Settings, StoreFigures, Tally, Task};
use crate::search::outcome::{Outcome, Step};
use crate::search::reduce::Reduction;
use crate::search::walk::replay::steps_between;
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::depth::exact::ExactStore;
use crate::store::{Handle, Store, Visit};
use std::collections::VecDeque;

struct BreadthVisitor<'s, 'm, 'n, 'i> {
    program: &'m Program,
    store: &'s mut ExactStore,
    settings: Settings,
    tally: Tally<'m, 'n, 'i>,
    /// Hidden variables and depth of the states that wait, in the order of the store.
    hidden: VecDeque<u8>,
    depths: VecDeque<u32>,
    /// The state that is being expanded.
    current: Option<Handle>,
}

impl BreadthVisitor<'_, '_, '_, '_> {
    fn tables(&self, reduction: usize) -> usize {
        self.store.memory() + self.hidden.capacity() + self.depths.capacity() * 4 + reduction
    }

    /// Offers the machine's state to the store, and to the queue if it is new.
    #[inline]
    fn offer(&mut self, machine: &Machine<'_>, depth: u64) -> Decision {
        match self.store.insert(machine.state(), self.current) {
            Visit::New(_) => {
                self.tally.store(machine);
                self.hidden.extend(&machine.saved()[..self.program.hidden as usize]);
                self.depths.push_back(depth as u32);
                Decision::Queued
            }
            Visit::Seen { on_stack: waits } => {
                self.tally.matched += 1;
                Decision::Seen { on_stack: Some(!waits), at: None }
            }
            Visit::Full => {
                self.tally.limit = Some(self.store.limit(0));
                Decision::Stop
            }
        }
    }

    /// Takes the next state out of the queue: `saved` becomes the whole of it. Gives its depth.
    fn take(&mut self, handle: Handle, saved: &mut Vec<u8>) -> u64 {
        saved.clear();
        saved.extend(self.hidden.drain(..self.program.hidden as usize));
        saved.extend_from_slice(self.store.get(handle));
        self.current = Some(handle);
        // It no longer waits; to a reduction it then counts as on the stack.
        self.store.leave(handle);
        u64::from(self.depths.pop_front().unwrap_or(0))
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

impl Visitor for BreadthVisitor<'_, '_, '_, '_> {
    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        self.offer(machine, walk.depth())
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        let (program, store, settings, current) = (self.program, &*self.store, self.settings, self.current);
        self.tally.event(machine, walk, (event, step), || {
            let mut path = current.map(|handle| path_to(program, store, settings, handle)).unwrap_or_default();
            path.extend(walk.path(machine));
            path
        })
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, reduction: usize) -> Control {
        self.tally.look(machine, walk, self.tables(reduction), Some(self.depths.len() as u64))
    }
}

/// Searches what a reduction leaves of the state space, breadth first; with [`Full`](crate::search::reduce::Full) the whole
/// of it.
pub fn search<R: Reduction>(task: Task<'_, '_, '_>, store: &mut ExactStore, reduction: &mut R) -> Outcome {
    let (program, settings) = (task.program, task.settings);
    let (mut machine, mut walk, tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let (hidden, depths) = (VecDeque::new(), VecDeque::new());
    let mut visitor = BreadthVisitor { program, store, settings, tally, hidden, depths, current: None };
    let mut ended = match visitor.offer(&machine, 0) {
        Decision::Stop => Ended::Stopped,
        _ => Ended::Complete,
    };
    let mut saved = Vec::new();
    let mut next = visitor.store.first();
    while let (Some(handle), Ended::Complete) = (next, ended) {
        walk.base_depth = visitor.take(handle, &mut saved);
        machine.load(&saved);
        ended = match visitor.tally.audit(&mut machine) {
            Control::Continue => walk.expand(&mut machine, &mut visitor, reduction),
            Control::Stop => Ended::Stopped,
        };
        next = visitor.store.next(handle);
    }
    let tables = visitor.tables(reduction.memory());
    let BreadthVisitor { store, tally, .. } = visitor;
    let figures = StoreFigures { exact: ExactStore::EXACT, peak: store.len() as u64, evicted: 0 };
    tally.close((&machine, &walk), ended, tables, reduction.fault(), figures)
}
