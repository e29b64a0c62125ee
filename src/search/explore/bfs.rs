//! Breadth-first search with a store of whole states, which is also the queue: the states are expanded in the order of their
//! insertion. When memory comes near its budget the store may go over to a compressed one ([`BreadthStates`]).
//!
//! Every state is expanded once, level by level, so the path to an error is a shortest one, counted in stored states. States have numbers, in
//! the order in which they are expanded. For each state the search writes down the number of the state from which it was reached first, and
//! the state's mark, some bits of its hash; the path to a state is found again by execution, which follows the marks. Sound and complete, and
//! with persistent sets sound as told in [`crate::search::reduce::persistent`].
//!
//! Costs the store, and about three bytes a state for the way to it.

use crate::exec::seam::Reached;
use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::driver::{Settings, StoreFigures, Tally, Task};
use crate::search::outcome::{Outcome, Step};
use crate::search::reduce::Reduction;
use crate::search::walk::replay::{MarkedPath, steps_by_marks};
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::parts::foresight::Foresight;
use crate::store::{BreadthStates, Glance, Link, Links, Visit};
use std::collections::VecDeque;

/// So many states are gathered before they are inserted: enough for their waits for memory to overlap.
const BATCH: usize = 64;
/// Or states of so many bytes together: with states as long as this the waits are not what takes the time.
const BATCH_BYTES: usize = 1 << 18;

struct BreadthVisitor<'s, 'm, 'n, 'i> {
    program: &'m Program,
    store: &'s mut BreadthStates,
    settings: Settings,
    tally: Tally<'m, 'n, 'i>,
    /// Hidden variables and depth of the states that wait, in the order of the store.
    hidden: VecDeque<u8>,
    depths: VecDeque<u32>,
    /// For each state the number of the one from which it was reached, and its mark.
    links: Links,
    /// The state that is being expanded, with its hidden variables in front, and its number.
    current: Vec<u8>,
    number: u64,
    /// How many states were taken out of the queue.
    expanded: u64,
    /// Successors that are not in the store yet, with their hidden variables in front; and the number of the state from which each comes, and its depth.
    gathered: Foresight,
    origins: Vec<(u64, u64)>,
    /// What a first look into the store has shown of each.
    glances: Vec<Glance>,
}

impl BreadthVisitor<'_, '_, '_, '_> {
    fn tables(&self, reduction: usize) -> usize {
        let queue = self.hidden.capacity() + self.depths.capacity() * 4;
        self.store.memory() + self.links.memory() + queue + self.gathered.memory() + reduction
    }

    /// Offers the machine's state to the store, and to the queue if it is new.
    #[inline]
    fn offer(&mut self, machine: &Machine<'_>, depth: u64) -> Decision {
        if self.insert_gathered() == Control::Stop {
            return Decision::Stop;
        }
        let foreseen = self.store.foresee(machine.state());
        let decision = self.insert(machine.saved(), (foreseen, Glance::default()), self.number, depth);
        if decision == Decision::Queued {
            self.tally.witness(machine);
        }
        decision
    }

    /// Offers a state, with its hidden variables in front, to the store, and to the queue if it is new.
    #[inline]
    fn insert(&mut self, saved: &[u8], (foreseen, glance): (u64, Glance), parent: u64, depth: u64) -> Decision {
        let (hidden, state) = saved.split_at(self.program.hidden as usize);
        match self.store.insert_glanced(state, foreseen, glance) {
            Visit::New(_) => {
                let link = Link { parent, ordinal: self.store.mark_of_new(state, foreseen) };
                if let Err(limit) = self.links.push(link) {
                    self.tally.limit = Some(limit);
                    return Decision::Stop;
                }
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
                self.tally.limit = Some(self.store.limit());
                Decision::Stop
            }
        }
    }

    /// Inserts what was gathered, in order, after the memory for all of it was asked for.
    fn insert_gathered(&mut self) -> Control {
        let gathered = std::mem::take(&mut self.gathered);
        let origins = std::mem::take(&mut self.origins);
        let mut glances = std::mem::take(&mut self.glances);
        glances.extend(gathered.iter().map(|(_, foreseen)| self.store.glance(foreseen)));
        let moved_at = self.store.moved_at();
        let mut control = Control::Continue;
        for (((saved, mut foreseen), &glance), &(parent, depth)) in gathered.iter().zip(&glances).zip(&origins) {
            if self.store.moved_at() != moved_at {
                // What was foreseen was foreseen for another store.
                foreseen = self.store.foresee(&saved[self.program.hidden as usize..]);
            }
            if self.insert(saved, (foreseen, glance), parent, depth) == Decision::Stop {
                control = Control::Stop;
                break;
            }
        }
        (self.gathered, self.origins, self.glances) = (gathered, origins, glances);
        self.gathered.clear();
        self.glances.clear();
        self.origins.clear();
        control
    }

    /// Takes the next state out of the queue, with its depth. What was gathered comes behind all that waits.
    fn take(&mut self) -> Option<u64> {
        self.current.clear();
        self.current.extend(self.hidden.iter().take(self.program.hidden as usize));
        // It no longer waits; to a reduction it then counts as on the stack.
        if !self.store.take(&mut self.current) {
            return None;
        }
        self.hidden.drain(..self.program.hidden as usize);
        self.number = self.expanded;
        self.expanded += 1;
        Some(u64::from(self.depths.pop_front().unwrap_or(0)))
    }
}

/// The steps from the initial state to the state of this number, which is `state`.
fn path_to(
    program: &Program,
    (store, links): (&BreadthStates, &mut Links),
    settings: Settings,
    (number, state): (u64, &[u8]),
) -> Option<Vec<Step>> {
    let marks = links.path_to(number).ok()?;
    let mut machine = Machine::new(program).ok()?;
    let path = MarkedPath { marks: &marks, mark: &|state| store.mark(state) };
    steps_by_marks(&mut machine, settings.rules, path, state)
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
        let foreseen = self.store.foresee(reached.state());
        self.gathered.push(reached.saved, foreseen);
        self.origins.push((self.number, depth));
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
        let (program, store, settings) = (self.program, &*self.store, self.settings);
        let (links, number, state) = (&mut self.links, self.number, &self.current[program.hidden as usize..]);
        self.tally.event(machine, walk, (event, step), || {
            // A path that is not found is replayed before it is shown, and found out then.
            let mut path = path_to(program, (store, links), settings, (number, state)).unwrap_or_default();
            path.extend(walk.path(machine));
            path
        })
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, reduction: usize) -> Control {
        if self.tally.is_short(machine, walk, self.tables(reduction)) {
            // What was foreseen was foreseen for the store that is left.
            if self.insert_gathered() == Control::Stop {
                return Control::Stop;
            }
            self.store.relieve();
        }
        let beside = self.tables(reduction) - self.store.memory() + walk.memory() + machine.memory();
        self.store.leave_room(beside);
        self.tally.look(machine, walk, self.tables(reduction), Some(self.depths.len() as u64))
    }
}

/// Searches what a reduction leaves of the state space, breadth first; with [`Full`](crate::search::reduce::Full) the whole
/// of it.
pub fn search<R: Reduction>(task: Task<'_, '_, '_>, store: &mut BreadthStates, reduction: &mut R) -> Outcome {
    let (program, settings) = (task.program, task.settings);
    let (mut machine, mut walk, tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let mut visitor = BreadthVisitor {
        program,
        store,
        settings,
        tally,
        hidden: VecDeque::new(),
        depths: VecDeque::new(),
        links: Links::in_memory(),
        current: Vec::new(),
        number: 0,
        expanded: 0,
        gathered: Foresight::default(),
        origins: Vec::new(),
        glances: Vec::new(),
    };
    let mut ended = match visitor.offer(&machine, 0) {
        Decision::Stop => Ended::Stopped,
        _ => Ended::Complete,
    };
    while ended == Ended::Complete {
        let mut next = visitor.take();
        if next.is_none() {
            // Only what was gathered can be left.
            if visitor.insert_gathered() == Control::Stop {
                ended = Ended::Stopped;
                break;
            }
            next = visitor.take();
        }
        let Some(depth) = next else { break };
        walk.base_depth = depth;
        machine.load(&visitor.current);
        ended = match visitor.tally.audit(&mut machine) {
            Control::Continue => walk.expand(&mut machine, &mut visitor, reduction),
            Control::Stop => Ended::Stopped,
        };
    }
    let tables = visitor.tables(reduction.memory());
    let BreadthVisitor { store, tally, .. } = visitor;
    let figures = StoreFigures { exact: true, peak: store.len(), evicted: 0 };
    tally.close((&machine, &walk), ended, tables, reduction.fault(), figures)
}
