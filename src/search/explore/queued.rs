//! Breadth-first search with a queue beside its store: the form that all searches with little memory share.
//!
//! The queue holds whole states, in memory or on disk, or names from which the store can make them again. The store holds what is known of visited states, and it may
//! - forget states (Della Penna, Melatti, Intrigila, Tronci, "Exploiting hub states in automatic verification", Fig. 3):
//!   [`BfsCache`](crate::store::BfsCache), [`HubCache`](crate::store::HubCache);
//! - err: [`CompactStore`](crate::store::CompactStore), [`BloomStore`](crate::store::BloomStore);
//! - answer later, when the state comes out of the queue (Stern and Dill 1998, Fig. 2):
//!   [`DiskStore`](crate::store::DiskStore).
//!
//! Each store tells when it is sound. The search gives up when a level ends with a collision rate above a bound.
//!
//! The path to an error is rebuilt from [`Links`]. States are numbered in the order in which they are expanded. The link of a
//! state holds the number of the state from which it was reached, and tells which arrival of that expansion it was. A state
//! that the store drops when it comes out of the queue gets no number, so a disk search cannot mix numbers up. The path is
//! found by executing the same expansions again.
//!
//! Costs the store, the state itself (or 8 bytes, its name) and 12 bytes for each state in the queue, and one link for each state that is
//! expanded.

mod saved;

use crate::checkpoint::exactly;
use crate::exec::seam::Reached;
use crate::exec::{Machine, Program};
use crate::model::{Model, TransitionType};
use crate::search::driver::Settings;
use crate::search::ledger::Ledger;
use crate::search::monitor::{Monitor, Snapshot};
use crate::search::outcome::{Counts, Level, Levels, Limit, Outcome, Step};
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::parts::foresight::Foresight;
use crate::store::{BfsStore, Link, Links, Queue};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Bytes in front of a state in the queue: its link and its depth; then come the hidden variables.
const PREFIX: usize = 12;

/// A search of more levels than this keeps the older ones two by two, then four by four: memory does not grow with them.
const MOST_LEVELS: usize = 1 << 13;

/// Why a run over one store ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// Everything was expanded.
    Complete,
    /// An error was found and the search is not to go on.
    Error,
    /// Something got in the way.
    Limit(Limit),
    /// The collision rate asks for another store; the queue is as it was between two expansions.
    Switch,
}

/// What the stores before the last one did.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Earlier {
    /// States they stored.
    pub stored: u64,
    /// Records that the last store got from them: not stored by itself.
    pub handed_over: u64,
    /// States they forgot.
    pub forgotten: u64,
    /// They never took a new state for a visited one.
    pub exact: bool,
    /// Bound on the probability that they did.
    #[serde(with = "exactly")]
    pub omission_probability: f64,
}

impl Default for Earlier {
    fn default() -> Self {
        Earlier { stored: 0, handed_over: 0, forgotten: 0, exact: true, omission_probability: 0.0 }
    }
}

impl Earlier {
    /// These figures with those of `store` added: what the next store begins with. How many records the next store gets is set
    /// by the caller.
    pub fn and<S: BfsStore>(&self, store: &S) -> Earlier {
        let statistics = store.statistics();
        let (p, q) = (statistics.omission.probability, self.omission_probability);
        Earlier {
            stored: (statistics.stored + self.stored).saturating_sub(self.handed_over),
            handed_over: 0,
            forgotten: statistics.forgotten + self.forgotten,
            exact: store.is_exact() && self.exact,
            // An omission in either part is one. In this form small numbers are kept.
            omission_probability: p + q - p * q,
        }
    }
}

/// All that a search counts and remembers beside the queue, the links, the errors and the store. A checkpoint holds just this.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Counters {
    /// Arrivals, the initial state's not counted.
    arrivals: u64,
    /// States that were taken for new when they were met.
    offered: u64,
    /// States that were expanded.
    expanded: u64,
    /// States of the level that is being expanded: those that still wait,
    level_left: u64,
    /// and those that were expanded.
    level_states: u64,
    /// The levels that have ended.
    levels: Vec<Level>,
    /// Bytes of the longest state.
    vector: usize,
    /// The bound on the depth has cut off a path.
    cut: bool,
    /// An expansion that was broken off and comes first: the depth of its state, and the state.
    redo: Option<(u64, Vec<u8>)>,
    /// What the stores before this one did.
    pub earlier: Earlier,
    /// Seconds of the runs before this one.
    seconds_before: f64,
}

impl Counters {
    fn new() -> Counters {
        Counters {
            arrivals: 0,
            offered: 0,
            expanded: 0,
            level_left: 1,
            level_states: 0,
            levels: Vec::new(),
            vector: 0,
            cut: false,
            redo: None,
            earlier: Earlier::default(),
            seconds_before: 0.0,
        }
    }
}

/// A search that can go on with another store.
pub struct Queued<'p, 'm, 'i, 'n> {
    program: &'p Program,
    settings: Settings,
    machine: Machine<'p>,
    walk: Walk,
    ledger: Ledger<'m>,
    monitor: &'n mut Monitor<'i>,
    /// The states that wait.
    pub queue: Queue,
    links: Links,
    /// What the search counts.
    pub counters: Counters,
    /// A state was taken out of the queue and its expansion neither ended nor can be done again.
    torn: bool,
    /// When this run began.
    start: Instant,
}

/// What comes out of the queue.
enum Next {
    Nothing,
    /// A state that is not new after all.
    Old,
    Expand,
}

/// The visitor of one expansion.
struct Expansion<'a, 'm, 'i, S> {
    program: &'a Program,
    settings: Settings,
    store: &'a mut S,
    queue: &'a mut Queue,
    links: &'a mut Links,
    ledger: &'a mut Ledger<'m>,
    monitor: &'a mut Monitor<'i>,
    counters: &'a mut Counters,
    number: u64,
    ordinal: u32,
    /// Ends the search now,
    limit: Option<Limit>,
    /// or after this expansion, so that a checkpoint loses nothing.
    later: Option<Limit>,
    /// The expansion can be done again: every state that was stored is queued.
    again: bool,
    /// Calls of [`Visitor::tick`] during this expansion.
    ticks: u32,
    /// Successors that were not offered to the store yet, with their hidden variables in front,
    gathered: &'a mut Foresight,
    /// and the depth of each.
    depths: &'a mut Vec<u64>,
}

/// After so many [`Expansion::ticks`] a search that has to end does not wait for the end of the expansion: the block may have
/// no end.
const PATIENT_TICKS: u32 = 64;
/// So many successors of a state are gathered before they are offered to a store that wants to know them beforehand,
const BATCH: usize = 64;
/// or so many bytes of them.
const BATCH_BYTES: usize = 1 << 16;

impl<S: BfsStore> Expansion<'_, '_, '_, S> {
    fn look(&mut self, machine: &Machine<'_>, walk: &Walk, now: bool) -> bool {
        let memory = self.store.memory() + self.queue.memory() + self.links.memory() + walk.memory() + machine.memory();
        let snapshot = Snapshot {
            stored: self.counters.offered,
            matched: (self.counters.arrivals + 1).saturating_sub(self.counters.offered),
            depth: walk.depth(),
            memory: memory as u64,
            queued: Some(self.queue.len()),
            collision_rate: Some(self.store.collision_rate()),
            distinct: self.monitor.sampling.then(|| self.store.statistics().distinct),
        };
        let limit = self.monitor.look(&snapshot);
        if self.monitor.checkpoints.is_some() && limit.is_some() && !now {
            self.later = limit;
            return false;
        }
        self.limit = limit;
        self.limit.is_some()
    }

    /// Offers a state, with its hidden variables in front, to the store, and puts it into the queue if it is new.
    #[inline]
    fn offer(&mut self, saved: &[u8], foreseen: u64, depth: u64) -> Result<(), Limit> {
        self.counters.arrivals += 1;
        let (hidden, state) = saved.split_at(self.program.hidden as usize);
        if self.store.insert_foreseen(state, foreseen)? {
            self.counters.vector = state.len().max(self.counters.vector);
            self.counters.offered += 1;
            let link = Link { parent: self.number, ordinal: self.ordinal }.pack().to_le_bytes();
            let (depth, name) = ((depth as u32).to_le_bytes(), foreseen.to_le_bytes());
            let queued = self.queue.push(&[&link, &depth, hidden, if S::NAMES { &name } else { state }]);
            self.again = queued.is_ok();
            queued?;
        }
        self.ordinal += 1;
        Ok(())
    }

    /// Offers what was gathered, in order.
    #[inline]
    fn offer_gathered(&mut self) -> Control {
        if self.depths.is_empty() {
            return Control::Continue;
        }
        let gathered = std::mem::take(self.gathered);
        let depths = std::mem::take(self.depths);
        let offered =
            gathered.iter().zip(&depths).try_for_each(|((saved, foreseen), &depth)| self.offer(saved, foreseen, depth));
        (*self.gathered, *self.depths) = (gathered, depths);
        self.gathered.clear();
        self.depths.clear();
        match offered {
            Ok(()) => Control::Continue,
            Err(limit) => {
                self.limit = Some(limit);
                Control::Stop
            }
        }
    }
}

impl<S: BfsStore> Visitor for Expansion<'_, '_, '_, S> {
    const GATHERS: bool = S::FORESEES;

    #[inline]
    fn gather(&mut self, reached: Reached<'_>, depth: u64) -> Control {
        let foreseen = self.store.foresee(reached.state());
        self.gathered.push(reached.saved, foreseen);
        self.depths.push(depth);
        if self.depths.len() < BATCH && self.gathered.bytes() < BATCH_BYTES {
            return Control::Continue;
        }
        self.offer_gathered()
    }

    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        if self.offer_gathered() == Control::Stop {
            return Decision::Stop;
        }
        let foreseen = self.store.foresee(machine.state());
        if let Err(limit) = self.offer(machine.saved(), foreseen, walk.depth()) {
            self.limit = Some(limit);
            return Decision::Stop;
        }
        Decision::Back
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        // What came before the error counts before it.
        if self.offer_gathered() == Control::Stop {
            return Control::Stop;
        }
        if event == Event::Cut {
            self.counters.cut = true;
            return Control::Continue;
        }
        let (program, settings, number) = (self.program, self.settings, self.number);
        let links = &mut *self.links;
        self.ledger.note(machine, walk, event, step, || {
            // A link that cannot be read leaves the path short; it is replayed before it is shown, and found out then.
            let mut path = links
                .path_to(number)
                .ok()
                .and_then(|ordinals| steps_along(program, settings, &ordinals))
                .unwrap_or_default();
            path.extend(walk.path(machine));
            path
        })
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.ticks += 1;
        if self.look(machine, walk, self.ticks > PATIENT_TICKS) { Control::Stop } else { Control::Continue }
    }
}

/// The steps of a path that is given by arrivals.
pub(super) fn steps_along(program: &Program, settings: Settings, ordinals: &[u32]) -> Option<Vec<Step>> {
    let mut machine = Machine::new(program).ok()?;
    let mut walk = Walk::new(program.transitions.len(), settings.rules);
    let mut steps = Vec::new();
    for &ordinal in ordinals {
        let mut counter = Counter { left: ordinal, steps: Vec::new(), depth: 0 };
        if walk.expand(&mut machine, &mut counter, &mut Full) != Ended::Stopped {
            return None;
        }
        machine.forget_journal();
        // The depth bound cuts at the same places as it did in the search, so that arrivals are counted alike.
        walk.base_depth = counter.depth;
        steps.append(&mut counter.steps);
    }
    Some(steps)
}

struct Counter {
    left: u32,
    steps: Vec<Step>,
    depth: u64,
}

impl Visitor for Counter {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        if self.left == 0 {
            self.steps = walk.path(machine);
            self.depth = walk.depth();
            return Decision::Stop;
        }
        self.left -= 1;
        Decision::Back
    }
}

impl<'p, 'm, 'i, 'n> Queued<'p, 'm, 'i, 'n> {
    /// A search that has not begun; `Err` if the initial state cannot be made.
    pub fn new(
        model: &'m Model,
        program: &'p Program,
        settings: Settings,
        (queue, links): (Queue, Links),
        monitor: &'n mut Monitor<'i>,
    ) -> Result<Self, Box<Outcome>> {
        let machine = Machine::new(program).map_err(|trap| Box::new(Outcome::failed_at_start(program, trap)))?;
        Ok(Queued {
            program,
            settings,
            machine,
            walk: Walk::new(program.transitions.len(), settings.rules),
            ledger: Ledger::new(model, settings.all_errors),
            monitor,
            queue,
            links,
            counters: Counters::new(),
            torn: false,
            start: Instant::now(),
        })
    }

    /// Puts the initial state into store and queue.
    pub fn begin<S: BfsStore>(&mut self, store: &mut S) -> Result<(), Limit> {
        let state = self.machine.state();
        let name = store.foresee(state).to_le_bytes();
        store.insert(state)?;
        self.counters.vector = state.len();
        self.counters.offered = 1;
        let link = Link { parent: 0, ordinal: 0 }.pack().to_le_bytes();
        let hidden = &self.machine.saved()[..self.program.hidden as usize];
        self.queue.push(&[&link, &0u32.to_le_bytes(), hidden, if S::NAMES { &name } else { state }])
    }

    /// The states that wait, without what is in front of them.
    pub fn waiting(&mut self, mut f: impl FnMut(&[u8]) -> Result<(), Limit>) -> Result<(), Limit> {
        let skip = PREFIX + self.program.hidden as usize;
        self.queue.for_each(|record| f(record.get(skip..).unwrap_or_default()))
    }

    /// Expands what waits with this store. Gives up when a level ends with a collision rate above `bound`; stops between
    /// two expansions when the rate reaches `switch`.
    pub fn run<S: BfsStore>(&mut self, store: &mut S, bound: f64, switch: Option<f64>) -> Stop {
        let limit = match self.expand_all(store, bound, switch) {
            Ok(stop) => return stop,
            Err(limit) => limit,
        };
        // With more time, memory or another store the search can go on.
        let worth =
            matches!(limit, Limit::Interrupted | Limit::Time(_) | Limit::Memory { .. } | Limit::CollisionRate { .. });
        if worth && !self.torn {
            match self.write(store) {
                Ok(()) => self
                    .monitor
                    .checkpoints
                    .iter_mut()
                    .for_each(|schedule| schedule.up_to_date = schedule.target.is_some()),
                Err(limit) => return Stop::Limit(limit),
            }
        }
        Stop::Limit(limit)
    }

    /// Seconds of search, those before a checkpoint counted.
    fn seconds(&self) -> f64 {
        self.counters.seconds_before + self.start.elapsed().as_secs_f64()
    }

    /// The next state to expand, loaded: is there one that is new?
    fn next<S: BfsStore>(&mut self, store: &mut S, saved: &mut Vec<u8>) -> Result<Next, Limit> {
        if let Some((depth, state)) = self.counters.redo.take() {
            // Its link is there already.
            self.walk.base_depth = depth;
            *saved = state;
            return Ok(Next::Expand);
        }
        self.torn = true;
        let Some(record) = self.queue.pop()? else {
            self.torn = false;
            return Ok(Next::Nothing);
        };
        self.counters.level_left = self.counters.level_left.saturating_sub(1);
        let Some((link, rest)) = record.split_first_chunk::<8>() else { return Ok(Next::Old) };
        let Some((depth, state)) = rest.split_first_chunk::<4>() else { return Ok(Next::Old) };
        let link = Link::unpack(u64::from_le_bytes(*link));
        self.walk.base_depth = u64::from(u32::from_le_bytes(*depth));
        saved.clear();
        match state.split_last_chunk() {
            Some((hidden, name)) if S::NAMES => {
                saved.extend_from_slice(hidden);
                store.recall(u64::from_le_bytes(*name), saved);
            }
            _ => saved.extend_from_slice(state),
        }
        if !store.confirm()? {
            self.torn = false;
            return Ok(Next::Old);
        }
        self.links.push(link)?;
        Ok(Next::Expand)
    }

    fn expand_all<S: BfsStore>(&mut self, store: &mut S, bound: f64, switch: Option<f64>) -> Result<Stop, Limit> {
        let mut saved = Vec::new();
        let (mut gathered, mut depths) = (Foresight::default(), Vec::new());
        loop {
            if self.counters.level_left == 0 && self.counters.redo.is_none() {
                self.end_level(store, bound)?;
            }
            if self.monitor.checkpoints.as_ref().is_some_and(|schedule| schedule.due) {
                self.write_when_due(store)?;
            }
            if switch.is_some_and(|rate| store.collision_rate() >= rate) {
                return Ok(Stop::Switch);
            }
            match self.next(store, &mut saved)? {
                Next::Nothing => return Ok(Stop::Complete),
                Next::Old => continue,
                Next::Expand => self.machine.load(&saved),
            }
            let before = (self.counters.arrivals, self.ledger.count, self.walk.atomic_steps);
            let mut expansion = Expansion {
                program: self.program,
                settings: self.settings,
                store,
                queue: &mut self.queue,
                links: &mut self.links,
                ledger: &mut self.ledger,
                monitor: self.monitor,
                number: self.counters.expanded,
                counters: &mut self.counters,
                ordinal: 0,
                limit: None,
                later: None,
                again: true,
                ticks: 0,
                gathered: &mut gathered,
                depths: &mut depths,
            };
            let ended = self.walk.expand(&mut self.machine, &mut expansion, &mut Full);
            if expansion.limit.is_none() && ended != Ended::Stopped {
                expansion.offer_gathered();
            }
            let (limit, later, again) = (expansion.limit.take(), expansion.later.take(), expansion.again);
            if let Some(limit) = limit {
                if again && self.monitor.checkpoints.is_some() {
                    (self.counters.arrivals, self.ledger.count, self.walk.atomic_steps) = before;
                    self.counters.redo = Some((self.walk.base_depth, saved));
                    self.torn = false;
                }
                return Err(limit);
            }
            self.torn = false;
            self.counters.expanded += 1;
            self.counters.level_states += 1;
            if ended == Ended::Stopped {
                return Ok(Stop::Error);
            }
            if let Some(limit) = later {
                return Err(limit);
            }
        }
    }

    fn end_level<S: BfsStore>(&mut self, store: &mut S, bound: f64) -> Result<(), Limit> {
        store.end_level()?;
        let rate = store.collision_rate();
        self.counters.level_left = self.queue.len();
        let states = std::mem::take(&mut self.counters.level_states);
        if self.counters.levels.len() == MOST_LEVELS {
            self.counters.levels = self.counters.levels.chunks(2).map(Level::together).collect();
        }
        self.counters.levels.push(Level { states, collision_rate: rate, queued: self.counters.level_left });
        // A search that has just ended has not to be given up.
        if rate > bound && self.counters.level_left > 0 {
            let thousandths = |rate: f64| (rate * 1000.0) as u32;
            return Err(Limit::CollisionRate { rate: thousandths(rate), bound: thousandths(bound) });
        }
        Ok(())
    }

    /// The outcome of a search that ended so, with this store at the end.
    pub fn finish<S: BfsStore>(self, store: &S, stop: Stop) -> (Outcome, Levels) {
        let mut statistics = store.statistics();
        let Earlier { stored, exact, omission_probability: omission, forgotten, .. } = self.counters.earlier.and(store);
        statistics.stored = stored;
        let limit = match stop {
            Stop::Complete => self.counters.cut.then_some(Limit::Depth(self.settings.rules.max_depth)),
            Stop::Limit(limit) => Some(limit),
            Stop::Error => None,
            Stop::Switch => Some(Limit::Internal("the search ended where it was to go on".to_string())),
        };
        let seconds = self.seconds();
        let memory = (store.memory() + self.queue.memory() + self.links.memory() + self.walk.memory()) as u64;
        let counts = Counts {
            stored,
            matched: (self.counters.arrivals + 1).saturating_sub(stored),
            peak_stored: statistics.held,
            evicted: forgotten,
            vector_bytes: self.counters.vector as u64,
            ..Counts::default()
        };
        let outcome = Outcome {
            memory: self.monitor.peak.max(memory),
            omission_probability: (!exact).then_some(omission),
            coverage: (!exact).then_some(statistics.omission.coverage),
            collision_rate: Some(store.collision_rate()),
            seconds,
            ..self.ledger.close(self.program, &self.walk, limit, exact, counts)
        };
        (outcome, Levels { list: self.counters.levels, statistics })
    }
}

/// Searches with one store from beginning to end.
pub fn search<S: BfsStore>(
    model: &Model,
    program: &Program,
    store: &mut S,
    (settings, bound): (Settings, f64),
    files: (Queue, Links),
    monitor: &mut Monitor<'_>,
) -> (Outcome, Option<Levels>) {
    let mut queued = match Queued::new(model, program, settings, files, monitor) {
        Ok(queued) => queued,
        Err(outcome) => return (*outcome, None),
    };
    let stop = match queued.start(store) {
        Ok(()) => queued.run(store, bound, None),
        Err(limit) => Stop::Limit(limit),
    };
    let (outcome, levels) = queued.finish(store, stop);
    (outcome, Some(levels))
}
