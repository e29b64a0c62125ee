//! Breadth-first search with an exact store, which is also the queue: the states are expanded in the order of their
//! insertion.
//!
//! Every state is expanded once, level by level, so the path to an error is a shortest one, counted in stored states. The
//! store keeps for each state a link to the state from which it was reached first; the steps between two states of a path are
//! found again by execution. Sound and complete, and with persistent sets sound as told in
//! [`crate::search::reduce::persistent`].
//!
//! Costs the exact store, and five bytes a state for the link.

use crate::exec::seam::Reached;
use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::driver::{Settings, StoreFigures, Tally, Task};
use crate::search::outcome::{Outcome, Step};
use crate::search::reduce::Reduction;
use crate::search::walk::replay::steps_between;
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::depth::exact::ExactStore;
use crate::store::parts::foresight::Foresight;
use crate::store::{Handle, Store, Visit};
use std::collections::VecDeque;

/// So many states are gathered before they are inserted: enough for their waits for memory to overlap.
const BATCH: usize = 64;
/// Or states of so many bytes together: with states as long as this the waits are not what takes the time.
const BATCH_BYTES: usize = 1 << 18;

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
    /// Successors that are not in the store yet, with their hidden variables in front; and where each comes from, and its depth.
    gathered: Foresight,
    origins: Vec<(Option<Handle>, u64)>,
}

impl BreadthVisitor<'_, '_, '_, '_> {
    fn tables(&self, reduction: usize) -> usize {
        let queue = self.hidden.capacity() + self.depths.capacity() * 4;
        self.store.memory() + queue + self.gathered.memory() + reduction
    }

    /// Offers the machine's state to the store, and to the queue if it is new.
    #[inline]
    fn offer(&mut self, machine: &Machine<'_>, depth: u64) -> Decision {
        if self.insert_gathered() == Control::Stop {
            return Decision::Stop;
        }
        let hash = self.store.hash(machine.state());
        let decision = self.insert(machine.saved(), hash, self.current, depth);
        if decision == Decision::Queued {
            self.tally.witness(machine);
        }
        decision
    }

    /// Offers a state, with its hidden variables in front, to the store, and to the queue if it is new.
    #[inline]
    fn insert(&mut self, saved: &[u8], hash: u64, from: Option<Handle>, depth: u64) -> Decision {
        let (hidden, state) = saved.split_at(self.program.hidden as usize);
        match self.store.insert_hashed(state, hash, from) {
            Visit::New(_) => {
                self.tally.count(state);
                self.hidden.extend(hidden);
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

    /// Inserts what was gathered, in order, after the memory for all of it was asked for.
    fn insert_gathered(&mut self) -> Control {
        let gathered = std::mem::take(&mut self.gathered);
        let origins = std::mem::take(&mut self.origins);
        gathered.iter().for_each(|(_, hash)| {
            self.store.glance(hash);
        });
        let mut control = Control::Continue;
        for ((saved, hash), &(from, depth)) in gathered.iter().zip(&origins) {
            if self.insert(saved, hash, from, depth) == Decision::Stop {
                control = Control::Stop;
                break;
            }
        }
        (self.gathered, self.origins) = (gathered, origins);
        self.gathered.clear();
        self.origins.clear();
        control
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
    const GATHERS: bool = true;

    #[inline]
    fn gathers(&self) -> bool {
        // What is gathered is no longer the machine's state when it is inserted.
        !self.tally.is_witnessed()
    }

    #[inline]
    fn gather(&mut self, reached: Reached<'_>, depth: u64) -> Control {
        let hash = self.store.hash(reached.state());
        self.store.prefetch(hash);
        self.gathered.push(reached.saved, hash);
        self.origins.push((self.current, depth));
        if self.gathered.len() < BATCH && self.gathered.bytes() < BATCH_BYTES {
            return Control::Continue;
        }
        self.insert_gathered()
    }

    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        self.offer(machine, walk.depth())
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        // What came before the error counts before it.
        if self.insert_gathered() == Control::Stop {
            return Control::Stop;
        }
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
    let (gathered, origins) = (Foresight::default(), Vec::new());
    let mut visitor =
        BreadthVisitor { program, store, settings, tally, hidden, depths, current: None, gathered, origins };
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
        if next.is_none() && ended == Ended::Complete {
            // Only what was gathered can be left.
            if visitor.insert_gathered() == Control::Stop {
                ended = Ended::Stopped;
            }
            next = visitor.store.next(handle);
        }
    }
    let tables = visitor.tables(reduction.memory());
    let BreadthVisitor { store, tally, .. } = visitor;
    let figures = StoreFigures { exact: ExactStore::EXACT, peak: store.len() as u64, evicted: 0 };
    tally.close((&machine, &walk), ended, tables, reduction.fault(), figures)
}
