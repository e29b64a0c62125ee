//! One of the threads that search: it takes blocks of the level, expands their states, and inserts the successors in batches.

use super::common::{Common, Counted, Gauge};
use super::found::{Found, Place};
use super::lock;
use super::saved::Counts;
use super::team::Next;
use crate::exec::Machine;
use crate::exec::seam::Reached;
use crate::model::TransitionType;
use crate::search::outcome::{Limit, Step};
use crate::search::reduce::Reduction;
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::parts::foresight::Foresight;
use crate::store::shared::states::{Block, Insertion, Origin, Session};
use crate::store::shared::table::Glance;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// So many states are gathered before they are inserted: enough for their waits for memory to overlap.
const BATCH: usize = 64;
/// Or states of so many bytes together.
const BATCH_BYTES: usize = 1 << 18;
/// So many errors are counted into the memory at a time; an error in a state of so many bytes counts twice, and so on.
const ERRORS_PER_LOOK: usize = 1_000;
const LONG_STATE: usize = 256;

/// See the head of this file.
pub(super) struct Worker<'w, 'c> {
    common: &'w Common<'c>,
    number: usize,
    gauge: &'w Gauge,
    session: Session<'w>,
    stored: u64,
    matched: u64,
    vector: usize,
    cut: bool,
    found: Found,
    /// Bytes of what was found, as they were counted last; and errors that have come since.
    found_bytes: usize,
    uncounted: usize,
    /// Bytes of the reduction.
    reduction_bytes: usize,
    /// The state that is being expanded, with its hidden variables in front, where it is, and the upper half of its hash.
    saved: Vec<u8>,
    position: u64,
    link: u32,
    /// Successors that are not in the store yet, with their hidden variables in front; and where each comes from.
    gathered: Foresight,
    origins: Vec<Origin>,
    /// What was seen of each.
    glances: Vec<Glance>,
}

impl<'w, 'c> Worker<'w, 'c> {
    pub(super) fn new(common: &'w Common<'c>, number: usize) -> Worker<'w, 'c> {
        Worker {
            common,
            number,
            gauge: &common.gauges[number],
            session: common.states.session(),
            stored: 0,
            matched: 0,
            vector: 0,
            cut: false,
            found: Found::default(),
            found_bytes: 0,
            uncounted: 0,
            reduction_bytes: 0,
            saved: Vec::new(),
            position: 0,
            link: 0,
            gathered: Foresight::default(),
            origins: Vec::new(),
            glances: Vec::new(),
        }
    }

    /// Works until the search is over.
    pub(super) fn run(mut self, reduction: &mut impl Reduction) -> Option<Counted> {
        let (program, rules) = (self.common.program, self.common.settings.rules);
        // The overseer has made a machine of this program already.
        let mut machine = Machine::new(program).ok()?;
        let mut walk = Walk::new(program.transitions.len(), rules);
        self.reduction_bytes = reduction.memory();
        // A worker that never gets a block has a machine all the same.
        self.show(&machine, &walk);
        while self.begin_level() == Control::Continue
            && self.expand_level(&mut machine, &mut walk, reduction) == Control::Continue
            && self.end_level(&walk) == Control::Continue
        {}
        self.session.let_go();
        lock(&self.common.desk).found.join(std::mem::take(&mut self.found));
        self.show(&machine, &walk);
        let Worker { stored, matched, vector, cut, .. } = self;
        Some(Counted { walk, stored, matched, vector, cut })
    }

    /// Expands blocks of the level until there are no more.
    fn expand_level(&mut self, machine: &mut Machine<'_>, walk: &mut Walk, reduction: &mut impl Reduction) -> Control {
        while let Some(block) = self.take_block(&self.common.next) {
            if self.common.stops.load(Ordering::Relaxed)
                || self.expand(block, machine, walk, reduction) == Control::Stop
            {
                return Control::Stop;
            }
            self.show(machine, walk);
        }
        self.insert_gathered()
    }

    /// Enters states of the level among those that were visited, with the others, if the store asks for that.
    fn begin_level(&mut self) -> Control {
        let common = self.common;
        if !common.states.forgets() {
            return Control::Continue;
        }
        let mut saved = std::mem::take(&mut self.saved);
        let mut entered = Ok(());
        while entered.is_ok() && !common.stops.load(Ordering::Relaxed) {
            let Some(block) = self.take_block(&common.unremembered) else { break };
            entered = self.session.remember(block, &mut saved);
        }
        self.saved = saved;
        if let Err(limit) = entered.and_then(|()| self.session.remembered()) {
            common.stop(Some(limit));
            return Control::Stop;
        }
        let stops = || if common.stops.load(Ordering::Relaxed) { Next::End } else { Next::GoOn };
        match common.team.meet(true, |_| stops()) {
            Next::End => Control::Stop,
            Next::GoOn | Next::Grow | Next::Level => Control::Continue,
        }
    }

    fn take_block(&self, next: &AtomicUsize) -> Option<Block> {
        let number = next.fetch_add(1, Ordering::Relaxed);
        self.common.level.read().unwrap_or_else(PoisonError::into_inner).get(number).copied()
    }

    fn expand(
        &mut self,
        block: Block,
        machine: &mut Machine<'_>,
        walk: &mut Walk,
        reduction: &mut impl Reduction,
    ) -> Control {
        let states = self.common.states;
        self.position = block.position;
        for _ in 0..block.count {
            let (origin, link) = self.session.read(self.position, &mut self.saved);
            self.link = link;
            machine.load(&self.saved);
            walk.base_depth = u64::from(origin.depth);
            if walk.expand(machine, self, reduction) == Ended::Stopped {
                if let Some(fault) = reduction.fault() {
                    self.common.stop(Some(fault.limit()));
                }
                return Control::Stop;
            }
            self.position = states.after(self.position);
        }
        Control::Continue
    }

    /// The level is over for this worker: waits for the others.
    fn end_level(&mut self, walk: &Walk) -> Control {
        {
            let mut desk = self.common.desk();
            if desk.saving.is_some() {
                let counts = Counts::of(walk, (self.stored, self.matched), self.vector, self.cut);
                desk.counted[self.number] = Some(counts);
            }
            desk.shares.push(self.session.share());
            desk.found.join(std::mem::take(&mut self.found));
            self.found_bytes = 0;
        }
        loop {
            match self.meet(true) {
                Next::GoOn | Next::Grow => {}
                Next::Level => return Control::Continue,
                Next::End => return Control::Stop,
            }
        }
    }

    /// Meets the others, and helps where help is needed.
    fn meet(&mut self, done: bool) -> Next {
        self.session.let_go();
        let common = self.common;
        let next = common.team.meet(done, |all_done| common.decide(all_done));
        if next != Next::Grow {
            return next;
        }
        common.states.help_doubling();
        let ended = common.team.meet(done, |_| {
            common.states.end_doubling();
            Next::GoOn
        });
        if ended == Next::End { ended } else { next }
    }

    /// The table has no room for more: asks for it, and waits until there is. Inside a level.
    #[cold]
    fn ask_for_room(&mut self) -> Control {
        self.common.wants_room.store(true, Ordering::Relaxed);
        self.attend()
    }

    /// Comes to a meeting that somebody wants inside a level.
    #[cold]
    fn attend(&mut self) -> Control {
        match self.meet(false) {
            Next::End => Control::Stop,
            Next::GoOn | Next::Grow | Next::Level => Control::Continue,
        }
    }

    /// Offers a state, with its hidden variables in front, to the store.
    #[inline]
    fn insert(&mut self, saved: &[u8], hash: u64, origin: Origin, glance: Glance) -> Decision {
        loop {
            match self.session.insert(saved, hash, origin, glance) {
                Insertion::New => {
                    self.stored += 1;
                    self.vector = self.vector.max(saved.len() - self.common.program.hidden as usize);
                    return Decision::Queued;
                }
                Insertion::Seen { is_next } => {
                    self.matched += 1;
                    // A state of the next level waits, whoever has put it there; all others have their turn now or have had it.
                    return Decision::Seen { on_stack: Some(!is_next), at: None };
                }
                Insertion::Crowded => {
                    if self.ask_for_room() == Control::Stop {
                        return Decision::Stop;
                    }
                }
                Insertion::Full => {
                    self.common.stop(Some(self.common.states.limit()));
                    return Decision::Stop;
                }
            }
        }
    }

    /// After some insertions: is it time to meet?
    #[inline]
    fn after_insertions(&mut self) -> Control {
        if self.session.is_crowded() {
            return self.ask_for_room();
        }
        if self.common.wants_room.load(Ordering::Relaxed) {
            return self.attend();
        }
        Control::Continue
    }

    /// Inserts what was gathered, after the memory for all of it was asked for.
    fn insert_gathered(&mut self) -> Control {
        let gathered = std::mem::take(&mut self.gathered);
        let origins = std::mem::take(&mut self.origins);
        let mut glances = std::mem::take(&mut self.glances);
        glances.extend(gathered.iter().map(|(_, hash)| self.session.glance(hash)));
        let mut control = Control::Continue;
        for ((saved, hash), (&origin, &glance)) in gathered.iter().zip(origins.iter().zip(&glances)) {
            if self.insert(saved, hash, origin, glance) == Decision::Stop {
                control = Control::Stop;
                break;
            }
        }
        (self.gathered, self.origins, self.glances) = (gathered, origins, glances);
        self.gathered.clear();
        self.origins.clear();
        self.glances.clear();
        if control == Control::Continue { self.after_insertions() } else { control }
    }

    fn origin(&self, depth: u64) -> Origin {
        Origin { depth: u32::try_from(depth).unwrap_or(u32::MAX), link: self.link }
    }

    /// Shows how far the worker is.
    fn show(&self, machine: &Machine<'_>, walk: &Walk) {
        let own = self.gathered.memory() + self.session.memory() + self.found_bytes + self.reduction_bytes;
        let memory = walk.memory() + machine.memory() + own;
        self.gauge.stored.store(self.stored, Ordering::Relaxed);
        self.gauge.matched.store(self.matched, Ordering::Relaxed);
        self.gauge.memory.store(memory as u64, Ordering::Relaxed);
    }
}

impl Visitor for Worker<'_, '_> {
    const GATHERS: bool = true;

    #[inline]
    fn gathers(&self) -> bool {
        // What is gathered is no longer the machine's state when it is inserted.
        self.common.witness.is_none()
    }

    #[inline]
    fn gather(&mut self, reached: Reached<'_>, depth: u64) -> Control {
        let hash = self.common.states.hash(reached.state());
        self.session.prefetch(hash);
        self.gathered.push(reached.saved, hash);
        self.origins.push(self.origin(depth));
        if self.gathered.len() < BATCH && self.gathered.bytes() < BATCH_BYTES {
            return Control::Continue;
        }
        self.insert_gathered()
    }

    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let hash = self.common.states.hash(machine.state());
        let decision = self.insert(machine.saved(), hash, self.origin(walk.depth()), Glance::default());
        if decision == Decision::Queued
            && let Some(witness) = &self.common.witness
        {
            lock(witness).note(machine);
        }
        if decision != Decision::Stop && self.after_insertions() == Control::Stop {
            return Decision::Stop;
        }
        decision
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        if event == Event::Cut {
            self.cut = true;
        }
        if let Some(judged) = self.common.judge.judge(machine, walk, event, step) {
            let steps = walk.path(machine).into_iter().chain(step).collect();
            self.found.add(judged, Place { saved: self.saved.clone(), position: self.position, steps });
            // Errors come between two looks at the budgets, and each may hold a long state.
            self.uncounted += 1 + self.saved.len() / LONG_STATE;
            if self.uncounted >= ERRORS_PER_LOOK {
                self.uncounted = 0;
                self.found_bytes = self.found.memory();
                return self.tick(machine, walk, self.reduction_bytes);
            }
        }
        Control::Continue
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, reduction: usize) -> Control {
        self.reduction_bytes = reduction;
        self.show(machine, walk);
        // A stack may grow faster than the overseer looks.
        let used = self.common.memory() as u64;
        if let Some(budget) = self.common.budget.filter(|&budget| used > budget) {
            self.common.stop(Some(Limit::Memory { used, budget }));
        }
        if self.common.stops.load(Ordering::Relaxed) { Control::Stop } else { Control::Continue }
    }
}
