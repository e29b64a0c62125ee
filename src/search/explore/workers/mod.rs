//! Breadth-first search by several threads over one store.
//!
//! Idea (the usual one of shared-memory model checkers: one table without locks for all workers, and levels): the search goes level by level.
//! The workers take blocks of the level from a counter. Each worker has a machine, a walk and a batch of successors of its own, and inserts
//! its successors into the [store of all](crate::store::shared::states), whose new records are the next level. When nothing of the level is
//! left, the workers meet, and the last one to come begins the next level.
//!
//! Why the verdict is that of one worker: of two workers that insert the same state, exactly one is told that it is new (see
//! [`crate::store::shared::table`]), and this state is in exactly one block of the next level. A level is over when every worker has
//! expanded all states of the blocks that it took and has inserted all their successors; a meeting is a lock, so what was written before it is
//! read after it. So by induction the n-th level holds every state that is n moves away from the initial state and no nearer, once, whoever
//! expanded what. The search ends when a level is empty: then every reachable state was expanded, and every error was met.
//!
//! Why everything that is told is the same for any number of workers: what is counted for each arrival (new or seen, steps inside
//! blocks, errors) is a sum over the states of a level; depth, origin and hidden variables of a state are the least of all that reach it in its
//! level. An error ends the search at the end of its level, not before, and of all errors there the least is reported (see `found`), with a path
//! that is found by content (see `path`). Only a search that is cut short (budget, signal) tells how far it came.
//!
//! With a store of signatures a level begins with one thing more: its states are entered among what was visited, by all workers together, and
//! they meet once more before anybody looks something up. So a state is taken for a visited one or not by what the levels before it hold, and
//! that does not hang on who was first.
//!
//! Sound and complete, but for what a store of signatures omits. Costs the shared store, and a machine for each worker. With fewer than about a thousand states in a level the workers
//! wait for each other more than they gain.

mod found;
mod path;
mod saved;
mod team;

pub use saved::saved_slots;

use crate::checkpoint::CheckpointSchedule;
use crate::exec::seam::Reached;
use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::driver::{Settings, StoreFigures, Tally, Task};
use crate::search::ledger::{Judge, Ledger};
use crate::search::outcome::{Limit, Outcome, Step};
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::SharedStates;
use crate::store::parts::foresight::Foresight;
use crate::store::shared::states::{Block, Insertion, Origin, Session, Share};
use crate::witness::Witness;
use found::{Found, Place};
use saved::{Counts, Saving};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;
use team::{Member, Next, Team};

/// So many states are gathered before they are inserted: enough for their waits for memory to overlap.
const BATCH: usize = 64;
/// Or states of so many bytes together.
const BATCH_BYTES: usize = 1 << 18;
/// How often budgets and signals are looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Stack of a worker: what it needs is on the heap.
const STACK: usize = 8 << 20;
/// So many errors are counted into the memory at a time; an error in a state of so many bytes counts twice, and so on.
const ERRORS_PER_LOOK: usize = 1_000;
const LONG_STATE: usize = 256;
/// With fewer states in a level, more workers than one do not pay.
const PAYS_FROM: u64 = 1_000;

/// What all workers know.
struct Common<'c> {
    program: &'c Program,
    settings: Settings,
    judge: Judge<'c>,
    states: &'c SharedStates,
    team: Team,
    /// The level that is being expanded, and the next block that nobody has.
    level: RwLock<Vec<Block>>,
    next: AtomicUsize,
    /// The next block whose states nobody has entered, where the store asks for that.
    unremembered: AtomicUsize,
    /// The table must grow.
    wants_room: AtomicBool,
    /// The search has to end.
    stops: AtomicBool,
    desk: Mutex<Desk<'c>>,
    gauges: Vec<Gauge>,
    /// Is shown every new state.
    witness: Option<Mutex<Witness>>,
    /// Bytes that are kept for checkpoints.
    saving: AtomicUsize,
    /// The most bytes that the search may take.
    budget: Option<u64>,
}

/// What the last one to come to a meeting works on.
struct Desk<'c> {
    ledger: Ledger<'c>,
    shares: Vec<Share>,
    found: Found,
    /// Why the search had to end.
    limit: Option<Limit>,
    /// All levels were expanded.
    complete: bool,
    levels: u64,
    /// What checkpoints need, if any are asked for; and what each worker has counted when it had finished its last level.
    saving: Option<Saving>,
    counted: Vec<Option<Counts>>,
    /// What was counted before the workers began.
    before: Counts,
}

/// How far one worker is, for the others to read. Each has a line of memory of its own.
#[derive(Default)]
#[repr(align(64))]
struct Gauge {
    stored: AtomicU64,
    matched: AtomicU64,
    memory: AtomicU64,
}

/// What a worker has counted.
struct Counted {
    walk: Walk,
    stored: u64,
    matched: u64,
    vector: usize,
    cut: bool,
}

impl<'c> Common<'c> {
    fn desk(&self) -> MutexGuard<'_, Desk<'c>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search has to end, for this reason unless there was one before.
    fn stop(&self, limit: Option<Limit>) {
        if let Some(limit) = limit {
            self.desk().limit.get_or_insert(limit);
        }
        self.stops.store(true, Ordering::Relaxed);
        self.team.dissolve();
    }

    /// All workers have met: what is done next?
    fn decide(&self, all_done: bool) -> Next {
        if self.stops.load(Ordering::Relaxed) {
            return Next::End;
        }
        if self.wants_room.swap(false, Ordering::Relaxed) {
            return match self.states.begin_doubling() {
                Some(true) => Next::Grow,
                Some(false) => Next::GoOn,
                None => {
                    self.desk().limit.get_or_insert(self.states.limit());
                    self.stops.store(true, Ordering::Relaxed);
                    Next::End
                }
            };
        }
        if all_done { self.next_level() } else { Next::GoOn }
    }

    fn next_level(&self) -> Next {
        let mut desk = self.desk();
        if self.enter_found(&mut desk) == Control::Stop {
            return Next::End;
        }
        let mut shares = std::mem::take(&mut desk.shares);
        let mut level = self.level.write().unwrap_or_else(PoisonError::into_inner);
        self.level_is_over(&mut desk, &level);
        level.clear();
        shares.iter_mut().for_each(|share| level.append(&mut share.blocks));
        self.states.begin_level(shares);
        self.next.store(0, Ordering::Relaxed);
        self.unremembered.store(0, Ordering::Relaxed);
        desk.complete = level.is_empty();
        if desk.complete {
            return Next::End;
        }
        desk.levels += 1;
        self.level_has_begun(&mut desk, &level);
        self.saving.store(desk.saving.as_ref().map_or(0, Saving::memory), Ordering::Relaxed);
        Next::Level
    }

    /// Enters the errors of the level into the ledger.
    fn enter_found(&self, desk: &mut Desk<'c>) -> Control {
        let (found, all) = (std::mem::take(&mut desk.found), self.settings.all_errors);
        found.enter(&mut desk.ledger, all, |place| {
            let path = path::path_to(self.program, self.states, self.settings.rules, place.position);
            path.unwrap_or_default().into_iter().chain(place.steps.iter().copied()).collect()
        })
    }

    /// Bytes of all that is not the walk and the machine of the caller.
    fn memory(&self) -> usize {
        let level = self.level.read().unwrap_or_else(PoisonError::into_inner).capacity() * size_of::<Block>();
        let witness = self.witness.as_ref().map_or(0, |witness| lock(witness).memory());
        let workers: u64 = self.gauges.iter().map(|gauge| gauge.memory.load(Ordering::Relaxed)).sum();
        self.states.memory() + level + witness + workers as usize + self.saving.load(Ordering::Relaxed)
    }

    /// States that wait, about.
    fn waiting(&self) -> u64 {
        let blocks = self.level.read().unwrap_or_else(PoisonError::into_inner).len();
        let left = blocks.saturating_sub(self.next.load(Ordering::Relaxed)) as u64;
        left * u64::from(crate::store::shared::states::BLOCK)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the threads that search.
struct Worker<'w, 'c> {
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
    /// The state that is being expanded, with its hidden variables in front, where it is, and the upper half of its hash.
    saved: Vec<u8>,
    position: u64,
    link: u32,
    /// Successors that are not in the store yet, with their hidden variables in front; and where each comes from.
    gathered: Foresight,
    origins: Vec<Origin>,
    /// Where each is, probably.
    likely: Vec<u64>,
}

impl<'w, 'c> Worker<'w, 'c> {
    fn new(common: &'w Common<'c>, number: usize) -> Worker<'w, 'c> {
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
            saved: Vec::new(),
            position: 0,
            link: 0,
            gathered: Foresight::default(),
            origins: Vec::new(),
            likely: Vec::new(),
        }
    }

    /// Works until the search is over.
    fn run(mut self) -> Option<Counted> {
        let (program, rules) = (self.common.program, self.common.settings.rules);
        // The overseer has made a machine of this program already.
        let mut machine = Machine::new(program).ok()?;
        let mut walk = Walk::new(program.transitions.len(), rules);
        // A worker that never gets a block has a machine all the same.
        self.show(&machine, &walk);
        while self.begin_level() == Control::Continue
            && self.expand_level(&mut machine, &mut walk) == Control::Continue
            && self.end_level(&walk) == Control::Continue
        {}
        self.session.let_go();
        lock(&self.common.desk).found.join(std::mem::take(&mut self.found));
        self.show(&machine, &walk);
        let Worker { stored, matched, vector, cut, .. } = self;
        Some(Counted { walk, stored, matched, vector, cut })
    }

    /// Expands blocks of the level until there are no more.
    fn expand_level(&mut self, machine: &mut Machine<'_>, walk: &mut Walk) -> Control {
        while let Some(block) = self.take_block(&self.common.next) {
            if self.common.stops.load(Ordering::Relaxed) || self.expand(block, machine, walk) == Control::Stop {
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

    fn expand(&mut self, block: Block, machine: &mut Machine<'_>, walk: &mut Walk) -> Control {
        let (states, hidden) = (self.common.states, self.common.program.hidden as usize);
        self.position = block.position;
        for _ in 0..block.count {
            let origin = self.session.read(self.position, &mut self.saved);
            self.link = (states.hash(&self.saved[hidden..]) >> 32) as u32;
            machine.load(&self.saved);
            walk.base_depth = u64::from(origin.depth);
            if walk.expand(machine, self, &mut Full) == Ended::Stopped {
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
    fn insert(&mut self, saved: &[u8], hash: u64, origin: Origin, likely: u64) -> Decision {
        loop {
            match self.session.insert(saved, hash, origin, likely) {
                Insertion::New => {
                    self.stored += 1;
                    self.vector = self.vector.max(saved.len() - self.common.program.hidden as usize);
                    return Decision::Queued;
                }
                Insertion::Seen => {
                    self.matched += 1;
                    return Decision::Seen { on_stack: None, at: None };
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
        let mut likely = std::mem::take(&mut self.likely);
        likely.extend(gathered.iter().map(|(_, hash)| self.session.prefetch_record(hash)));
        let mut control = Control::Continue;
        for ((saved, hash), (&origin, &likely)) in gathered.iter().zip(origins.iter().zip(&likely)) {
            if self.insert(saved, hash, origin, likely) == Decision::Stop {
                control = Control::Stop;
                break;
            }
        }
        (self.gathered, self.origins, self.likely) = (gathered, origins, likely);
        self.gathered.clear();
        self.origins.clear();
        self.likely.clear();
        if control == Control::Continue { self.after_insertions() } else { control }
    }

    fn origin(&self, depth: u64) -> Origin {
        Origin { depth: u32::try_from(depth).unwrap_or(u32::MAX), link: self.link }
    }

    /// Shows how far the worker is.
    fn show(&self, machine: &Machine<'_>, walk: &Walk) {
        let own = self.gathered.memory() + self.session.memory() + self.found_bytes;
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
        let decision = self.insert(machine.saved(), hash, self.origin(walk.depth()), 0);
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
                return self.tick(machine, walk, 0);
            }
        }
        Control::Continue
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.show(machine, walk);
        // A stack may grow faster than the overseer looks.
        let used = self.common.memory() as u64;
        if let Some(budget) = self.common.budget.filter(|&budget| used > budget) {
            self.common.stop(Some(Limit::Memory { used, budget }));
        }
        if self.common.stops.load(Ordering::Relaxed) { Control::Stop } else { Control::Continue }
    }
}

/// Searches the whole state space, breadth first, with so many workers. `states` is empty.
pub fn search(task: Task<'_, '_, '_>, states: &SharedStates, workers: usize) -> Outcome {
    let (program, settings) = (task.program, task.settings);
    let (machine, mut walk, mut tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let ledger = Ledger::new(tally.ledger.model(), settings.all_errors);
    let ledger = std::mem::replace(&mut tally.ledger, ledger);
    let common = Common {
        program,
        settings,
        judge: ledger.judge(),
        states,
        team: Team::of(workers),
        level: RwLock::default(),
        next: AtomicUsize::new(0),
        unremembered: AtomicUsize::new(0),
        wants_room: AtomicBool::new(false),
        stops: AtomicBool::new(false),
        desk: Mutex::new(Desk {
            ledger,
            shares: Vec::new(),
            found: Found::default(),
            limit: None,
            complete: false,
            levels: 0,
            saving: Saving::of(tally.monitor.checkpoints.as_ref()),
            counted: (0..workers).map(|_| None).collect(),
            before: Counts::at_start(machine.state().len()),
        }),
        gauges: (0..workers).map(|_| Gauge::default()).collect(),
        witness: tally.monitor.witness.take().map(Mutex::new),
        saving: AtomicUsize::new(0),
        budget: tally.monitor.tables(),
    };
    let mut seconds_before = 0.0;
    match tally.monitor.checkpoints.as_mut().and_then(|schedule| schedule.from.take()) {
        None => begin(&common, &machine),
        Some(mut reader) => match common.restore(&mut reader) {
            Ok(seconds) => {
                seconds_before = seconds;
                common.next_level();
            }
            Err(limit) => {
                if let (Limit::File(why), Some(schedule)) = (&limit, &mut tally.monitor.checkpoints) {
                    schedule.refused = Some(why.clone());
                }
                common.stop(Some(limit));
            }
        },
    }
    let counted = oversee(&common, &machine, &mut walk, &mut tally);
    // The search may have had to end while the table was growing, or in the middle of a level.
    states.end_doubling();
    let mut desk = common.desk();
    let _ = common.enter_found(&mut desk);
    leave_checkpoint(&common, &mut desk, tally.monitor.checkpoints.as_mut());
    drop(desk);
    let tables = common.memory();
    let Common { desk, witness, .. } = common;
    let Desk { ledger, limit, complete, levels, before, .. } =
        desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    let unwrapped = |witness: Mutex<Witness>| witness.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.monitor.witness = witness.map(unwrapped);
    (tally.ledger, tally.limit) = (ledger, limit);
    (tally.stored, tally.matched, tally.vector) = (before.stored, before.matched, before.vector);
    before.give_to(&mut walk);
    if before.cut {
        tally.cut_off();
    }
    for one in counted {
        tally.stored += one.stored;
        tally.matched += one.matched;
        tally.vector = tally.vector.max(one.vector);
        if one.cut {
            tally.cut_off();
        }
        walk.absorb(&one.walk);
    }
    let ended = if complete { Ended::Complete } else { Ended::Stopped };
    let omission = states.omission();
    let figures = StoreFigures { exact: omission.is_none(), peak: tally.stored, evicted: 0 };
    let stored = tally.stored;
    let mut outcome = tally.close((&machine, &walk), ended, tables, None, figures);
    outcome.omission_probability = omission.map(|omission| omission.probability);
    outcome.coverage = omission.map(|omission| omission.coverage);
    outcome.seconds += seconds_before;
    if workers > 1 && stored / levels.max(1) < PAYS_FROM {
        outcome.notes.push(format!(
            "the levels of this search have {} states on average; more than one worker pays from about {PAYS_FROM} on",
            stored / levels.max(1)
        ));
    }
    outcome
}

/// A search that could go on with more time or memory leaves the beginning of its level.
fn leave_checkpoint(common: &Common<'_>, desk: &mut Desk<'_>, schedule: Option<&mut CheckpointSchedule>) {
    let (Some(mut saving), Some(schedule)) = (desk.saving.take(), schedule) else { return };
    let worth = matches!(desk.limit, Some(Limit::Interrupted | Limit::Time(_) | Limit::Memory { .. }));
    let level = common.level.read().unwrap_or_else(PoisonError::into_inner);
    if worth && !level.is_empty() && schedule.refused.is_none() {
        // What makes no checkpoint ends no search: the search has ended.
        if let Err(limit) = common.write(&mut saving, &level) {
            desk.limit = Some(limit);
        }
    }
    saving.report(schedule);
}

/// Inserts the initial state, which is the first level.
fn begin(common: &Common<'_>, machine: &Machine<'_>) {
    let mut session = common.states.session();
    let hash = common.states.hash(machine.state());
    if session.insert(machine.saved(), hash, Origin::default(), 0) != Insertion::New {
        return common.stop(Some(common.states.limit()));
    }
    session.is_crowded();
    if let Some(witness) = &common.witness {
        lock(witness).note(machine);
    }
    common.desk().shares.push(session.share());
    session.let_go();
    common.next_level();
}

/// Starts the workers, and looks at budgets and signals until they are through.
fn oversee(common: &Common<'_>, machine: &Machine<'_>, walk: &mut Walk, tally: &mut Tally<'_, '_, '_>) -> Vec<Counted> {
    look(common, machine, walk, tally);
    let used = ((machine.memory() + walk.memory()) * common.gauges.len() + common.states.memory()) as u64;
    if let Some(budget) = common.budget.filter(|&budget| used > budget) {
        // So many machines have no room, whatever the search needs.
        common.stop(Some(Limit::Memory { used, budget }));
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..common.gauges.len() {
            if common.stops.load(Ordering::Relaxed) {
                break;
            }
            let work = move || {
                let _member = Member(&common.team);
                Worker::new(common, number).run()
            };
            match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(_) => {
                    common.stop(Some(Limit::NoRoom { bytes: STACK as u64 }));
                    break;
                }
            }
        }
        let missing = common.gauges.len() - threads.len();
        (0..missing).for_each(|_| drop(Member(&common.team)));
        while !common.team.wait(LOOK) {
            look(common, machine, walk, tally);
        }
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(counted) => counted,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    })
}

/// Looks at budgets and signals, and shows progress.
fn look(common: &Common<'_>, machine: &Machine<'_>, walk: &mut Walk, tally: &mut Tally<'_, '_, '_>) {
    let sum = |of: fn(&Gauge) -> &AtomicU64| common.gauges.iter().map(|gauge| of(gauge).load(Ordering::Relaxed)).sum();
    let stored: u64 = sum(|gauge| &gauge.stored);
    let desk = common.desk();
    (tally.stored, tally.matched) = (desk.before.stored + stored, desk.before.matched + sum(|gauge| &gauge.matched));
    walk.base_depth = desk.levels;
    drop(desk);
    if tally.look(machine, walk, common.memory(), Some(common.waiting())) == Control::Stop {
        common.stop(tally.limit.take());
    }
}
