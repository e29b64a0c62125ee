//! Breadth-first search over several processes, each with its own part of the visited states.
//!
//! A state belongs to the process that its hash names (Stern and Dill, "Parallelizing the Murφ verifier", 1997). Who reaches a state sends
//! it to its owner, and the owner looks it up, stores it and expands it in the next level. All processes work on the same level; a level
//! ends when every process has said that it has sent everything.
//!
//! The search visits, counts and reports what one process would. For that it keeps the order of one process: every state has a rank in its
//! level (`order`); each process expands its states in the order of their ranks; and it takes the states that come from the others, and its
//! own, in the order of the ranks of the states that they were reached from (`stream`). Then each process inserts its states in the order
//! in which one process would have inserted them. So the depth of a state, its hidden variables, the path to it and the first error are
//! those of [`super::bfs`], however many processes there are. Only where an error is found the counts differ: the level is finished, so that
//! the error that is reported is the one that comes first.
//!
//! To wait for the order costs no idle time as long as all processes are equally fast: a process expands while it waits, until so many bytes
//! are on their way to one of the others ([`WINDOW`]). Then it tells the others how far it is and only receives. The process that is
//! farthest behind is never kept waiting, so the search goes on.
//!
//! The path to an error is rebuilt from links, as in [`super::queued`]; a link names a process and a number, and process 0 asks the others.
//!
//! Sound as the search with the same store in one process; with an exact store, exact. Costs, beside the search of one process, what is
//! sent: the state and five to eight bytes for each transition that leads to another process, three bytes for each new state.

mod order;
mod part;
mod stream;

#[cfg(test)]
pub(crate) use stream::{read_records, some_records};

use crate::cluster::wire::{put, take};
use crate::cluster::{Arrival, Frame, Mesh};
use crate::exec::{Machine, Program};
use crate::model::{Model, TransitionType};
use crate::search::driver::Settings;
use crate::search::ledger::Ledger;
use crate::search::monitor::{Monitor, Snapshot};
use crate::search::outcome::{Limit, Outcome, Step, Verdict, Violation};
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Event, Visitor, Walk};
use crate::store::{BfsStore, Link, Links, Queue, StateHash};
use order::{Keys, Ranks, places, range_of};
use part::{Finding, Part, Whole, chosen, packed, whole_path};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};
use stream::{Batch, Head, Stream};

/// A batch is sent when it has so many bytes.
const BATCH: usize = 32 << 10;
/// So many bytes may be on their way to one process, and wait for this one.
pub const WINDOW: usize = 512 << 10;
/// States that are expanded between two looks at what has come.
const STRIDE: u64 = 64;
/// Records that are taken in between two looks at signals.
const GULP: u64 = 4096;
/// Longer messages are cut.
const LONGEST_MESSAGE: usize = 1 << 20;
/// How long somebody who waits sleeps.
const NAP: Duration = Duration::from_millis(50);
/// So long a search that has to end waits for the others.
const PATIENCE: Duration = Duration::from_secs(10);
/// The hash that says to whom a state belongs differs from those that stores use by this.
const OWNERS: u64 = 0x6f77_6e65_7273_0001;

/// What the frames are.
mod kind {
    /// Records.
    pub(super) const STATES: u8 = 1;
    /// "All further records are of states of this rank or a greater one."
    pub(super) const FLOOR: u8 = 2;
    /// All records of this level were sent: so many.
    pub(super) const END_OF_STATES: u8 = 3;
    /// Keys of new states.
    pub(super) const KEYS: u8 = 4;
    /// All keys of this level were sent. How many errors were found so far.
    pub(super) const END_OF_KEYS: u8 = 5;
    /// Places of new states in the sender's range.
    pub(super) const PLACES: u8 = 6;
    /// All places were sent. How many states the range has.
    pub(super) const END_OF_PLACES: u8 = 7;
    /// So many bytes of records were taken in.
    pub(super) const TAKEN: u8 = 8;
    /// The search has to end: why.
    pub(super) const STOP: u8 = 9;
    /// A piece of a [`super::Part`], and its last one.
    pub(super) const PART: u8 = 10;
    pub(super) const END_OF_PART: u8 = 11;
    /// A piece of the [`super::Whole`], and its last one.
    pub(super) const WHOLE: u8 = 12;
    pub(super) const END_OF_WHOLE: u8 = 13;
    /// "What is the link of this state?", and the answer.
    pub(super) const ASK: u8 = 14;
    pub(super) const LINK: u8 = 15;
}

/// Why a level is not gone on with.
enum Halt {
    /// Something got in the way, here or elsewhere; the others know.
    Limit(Limit),
    /// A process is gone.
    Gone(Limit),
    /// Process 0 has left: nobody waits for an answer.
    Dismissed,
}

/// What goes out.
struct Outgoing<'c> {
    mesh: &'c mut Mesh,
    search: u32,
    level: u32,
    /// What is gathered for each process; this one's own are among them.
    batches: Vec<Batch>,
    /// Bytes of records that the others have not taken in yet.
    on_their_way: Vec<usize>,
    /// The rank that each was told last.
    floors: Vec<u64>,
}

impl Outgoing<'_> {
    fn frame(&self, kind: u8, payload: Vec<u8>) -> Frame {
        Frame { kind, search: self.search, level: self.level, payload }
    }

    fn send(&mut self, to: usize, kind: u8, payload: Vec<u8>) {
        let frame = self.frame(kind, payload);
        self.mesh.send(to, frame);
    }

    fn send_number(&mut self, to: usize, kind: u8, number: u64) {
        let mut payload = Vec::new();
        put(&mut payload, number);
        self.send(to, kind, payload);
    }

    fn flush(&mut self, to: usize) {
        let bytes = self.batches[to].cut();
        if !bytes.is_empty() {
            self.on_their_way[to] += bytes.len();
            self.send(to, kind::STATES, bytes);
        }
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let me = self.mesh.me();
        (0..self.mesh.count()).filter(move |&process| process != me)
    }

    /// Tells the others that what comes next has at least this rank.
    fn tell_floor(&mut self, rank: u64) {
        for to in self.others() {
            if self.floors[to] < rank {
                self.flush(to);
                self.floors[to] = rank;
                self.send_number(to, kind::FLOOR, rank);
            }
        }
    }

    fn send_long(&mut self, to: usize, (piece, last): (u8, u8), text: &[u8]) {
        let mut pieces = text.chunks(LONGEST_MESSAGE).peekable();
        while let Some(bytes) = pieces.next() {
            self.send(to, if pieces.peek().is_some() { piece } else { last }, bytes.to_vec());
        }
    }

    fn memory(&self) -> usize {
        self.batches.iter().map(|batch| batch.bytes.capacity()).sum::<usize>() + self.on_their_way.iter().sum::<usize>()
    }
}

/// What came from another process and is no record.
#[derive(Default)]
struct Heard {
    keys: Vec<u8>,
    /// How many errors it has found, once all its keys are here.
    errors: Option<u64>,
    places: Vec<u8>,
    /// The size of its range, once all places are here.
    range: Option<u64>,
    text: Vec<u8>,
    /// A [`Part`] or a [`Whole`], once all of it is here.
    message: Option<Vec<u8>>,
    link: Option<u64>,
}

struct Spread<'p, 'm, 'i, 'n, 'c, 's, S> {
    program: &'p Program,
    settings: Settings,
    store: &'s mut S,
    machine: Machine<'p>,
    walk: Walk,
    ledger: Ledger<'m>,
    monitor: &'n mut Monitor<'i>,
    queue: Queue,
    links: Links,
    out: Outgoing<'c>,
    owners: StateHash,
    streams: Vec<Stream>,
    heard: Vec<Heard>,
    /// Records that were taken from each since it was told.
    untold: Vec<usize>,
    keys: Vec<Keys>,
    ranks: Ranks,
    /// States of this level, of all processes.
    states: u64,
    /// States of this level here that were not expanded yet, and the rank of the next.
    left: u64,
    next: Option<u64>,
    expanded: u64,
    offered: u64,
    vector: usize,
    cut: bool,
    /// Where the errors of the ledger that have paths were found.
    places: Vec<(part::When, u64)>,
    model_error: Option<part::When>,
    saved: Vec<u8>,
    /// All levels are done; those that have said everything may go.
    concludes: bool,
    lost: Vec<Option<Halt>>,
    start: Instant,
}

/// The visitor of one expansion.
struct Expansion<'a, 'm, 'i, 'c> {
    out: &'a mut Outgoing<'c>,
    owners: &'a StateHash,
    hidden: usize,
    ledger: &'a mut Ledger<'m>,
    monitor: &'a mut Monitor<'i>,
    places: &'a mut Vec<(part::When, u64)>,
    model_error: &'a mut Option<part::When>,
    cut: &'a mut bool,
    rank: u64,
    number: u64,
    ordinal: u32,
    errors: u64,
    /// Bytes of the tables.
    tables: usize,
    stored: u64,
    queued: u64,
    limit: Option<Limit>,
}

impl Visitor for Expansion<'_, '_, '_, '_> {
    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let saved = machine.saved();
        let owner = owner(self.owners.hash(&saved[self.hidden..]), self.out.batches.len());
        let head = Head { rank: self.rank, ordinal: self.ordinal, number: self.number, depth: walk.depth() };
        self.out.batches[owner].push(head, saved);
        if self.out.batches[owner].bytes.len() >= BATCH && owner != self.out.mesh.me() {
            self.out.flush(owner);
        }
        self.ordinal += 1;
        Decision::Back
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        if event == Event::Cut {
            *self.cut = true;
            return Control::Continue;
        }
        let when = (self.out.level, self.rank, self.errors);
        self.errors += 1;
        let before = self.ledger.violations.len();
        let had_model_error = self.ledger.has_model_error();
        // The level is finished whatever is found, so that the first error is known.
        let _ = self.ledger.note(machine, walk, event, step, || walk.path(machine));
        if self.ledger.violations.len() > before {
            self.places.push((when, self.number));
        }
        if !had_model_error && self.ledger.has_model_error() {
            *self.model_error = Some(when);
        }
        Control::Continue
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        let memory = (self.tables + self.out.memory() + walk.memory() + machine.memory()) as u64;
        let (stored, queued) = (self.stored, Some(self.queued));
        self.limit =
            self.monitor.look(&Snapshot { stored, depth: walk.depth(), memory, queued, ..Snapshot::default() });
        let monitor = &mut *self.monitor;
        self.out.mesh.look(false, |what| (monitor.warn)(&what));
        if self.limit.is_some() { Control::Stop } else { Control::Continue }
    }
}

/// The process to which a state of this hash belongs.
#[inline]
fn owner(hash: u64, processes: usize) -> usize {
    (((hash & 0xffff_ffff) * processes as u64) >> 32) as usize
}

impl<S: BfsStore> Spread<'_, '_, '_, '_, '_, '_, S> {
    fn me(&self) -> usize {
        self.out.mesh.me()
    }

    fn count(&self) -> usize {
        self.out.mesh.count()
    }

    /// Bytes of all tables but the walk, the machine and what goes out.
    fn tables(&self) -> usize {
        let waiting: usize = self.streams.iter().map(|stream| stream.bytes).sum();
        let order: usize = self.keys.iter().map(|keys| keys.bytes.capacity()).sum::<usize>()
            + self.heard.iter().map(|heard| heard.keys.capacity() + heard.places.capacity()).sum::<usize>()
            + self.ranks.memory();
        self.store.memory() + self.queue.memory() + self.links.memory() + waiting + order
    }

    /// Looks at budgets and signals while nothing is expanded.
    fn look(&mut self, waits: bool) -> Result<(), Halt> {
        let memory = (self.tables() + self.out.memory() + self.walk.memory() + self.machine.memory()) as u64;
        let (stored, queued) = (self.store.statistics().stored, Some(self.queue.len()));
        let depth = u64::from(self.out.level);
        let limit = self.monitor.look(&Snapshot { stored, depth, memory, queued, ..Snapshot::default() });
        let monitor = &mut *self.monitor;
        self.out.mesh.look(waits, |what| (monitor.warn)(&what));
        match limit {
            Some(limit) => Err(self.halt(limit)),
            None => Ok(()),
        }
    }

    /// The search has to end here: the others are told.
    fn halt(&mut self, limit: Limit) -> Halt {
        let frame = self.out.frame(kind::STOP, serde_json::to_vec(&limit).unwrap_or_default());
        self.out.mesh.broadcast(&frame);
        Halt::Limit(limit)
    }

    fn gone(&self, process: usize, why: &str) -> Halt {
        Halt::Gone(gone(self.out.mesh, process, self.out.level, why))
    }

    /// What another process has sent makes no sense.
    fn nonsense(&self, process: usize) -> Halt {
        self.gone(process, "it has sent what cannot be read")
    }

    /// Takes in what has come; waits for something if asked to.
    fn receive(&mut self, wait: Option<Duration>) -> Result<(), Halt> {
        let mut next = match wait {
            Some(wait) => self.out.mesh.receive(wait),
            None => self.out.mesh.poll(),
        };
        while let Some(arrival) = next {
            match arrival {
                Arrival::Frame(from, frame) if frame.search == self.out.search => self.hear(from, frame)?,
                // Of a search that this process has left, or of the next one.
                Arrival::Frame(from, frame) if frame.search > self.out.search => {
                    self.out.mesh.early.push((from, frame))
                }
                Arrival::Frame(..) => {}
                Arrival::Bye(from, _, why) if !why.is_empty() => self.lose(from, Halt::Gone(Limit::Gone(why)))?,
                Arrival::Bye(0, ..) => self.lose(0, Halt::Dismissed)?,
                Arrival::Bye(from, ..) => self.lose(from, self.gone(from, "it has ended by itself"))?,
                Arrival::Gone(from, why) => self.lose(from, self.gone(from, &why))?,
            }
            next = self.out.mesh.poll();
        }
        Ok(())
    }

    /// A process is gone. Before the end that ends the search; at the end, only if somebody waits for it.
    fn lose(&mut self, from: usize, halt: Halt) -> Result<(), Halt> {
        if !self.concludes {
            return Err(halt);
        }
        self.lost[from].get_or_insert(halt);
        Ok(())
    }

    fn hear(&mut self, from: usize, frame: Frame) -> Result<(), Halt> {
        let number = || take(&mut &frame.payload[..]);
        match frame.kind {
            kind::STATES => self.streams[from].add(frame.payload),
            kind::FLOOR => match number() {
                Some(rank) => self.streams[from].raise(rank),
                None => return Err(self.nonsense(from)),
            },
            kind::END_OF_STATES => self.streams[from].announced = number(),
            kind::KEYS => self.heard[from].keys.extend_from_slice(&frame.payload),
            kind::END_OF_KEYS => self.heard[from].errors = number(),
            kind::PLACES => self.heard[from].places.extend_from_slice(&frame.payload),
            kind::END_OF_PLACES => self.heard[from].range = number(),
            kind::TAKEN => {
                let taken = number().unwrap_or_default() as usize;
                self.out.on_their_way[from] = self.out.on_their_way[from].saturating_sub(taken);
            }
            kind::STOP => {
                let limit = serde_json::from_slice(&frame.payload).unwrap_or(Limit::Interrupted);
                return Err(Halt::Limit(limit));
            }
            kind::PART | kind::WHOLE => self.heard[from].text.extend_from_slice(&frame.payload),
            kind::END_OF_PART | kind::END_OF_WHOLE => {
                self.heard[from].text.extend_from_slice(&frame.payload);
                self.heard[from].message = Some(std::mem::take(&mut self.heard[from].text));
            }
            kind::ASK => {
                let link = number().and_then(|number| self.links.get(number).ok());
                match link {
                    Some(link) => self.out.send_number(from, kind::LINK, link.pack()),
                    None => return Err(self.nonsense(from)),
                }
            }
            kind::LINK => self.heard[from].link = number(),
            _ => return Err(self.nonsense(from)),
        }
        Ok(())
    }

    /// Puts the initial state where it belongs.
    fn begin(&mut self) -> Result<(), Halt> {
        self.states = 1;
        let owner = owner(self.owners.hash(self.machine.state()), self.count());
        if owner == self.me() {
            self.saved.clear();
            self.saved.extend_from_slice(self.machine.saved());
            let saved = std::mem::take(&mut self.saved);
            // The first state names itself.
            let head = Head::default();
            let inserted = self.insert(owner, head, &saved);
            self.saved = saved;
            inserted.map_err(|limit| self.halt(limit))?;
            self.keys = self.no_keys();
            let mut place = Vec::new();
            put(&mut place, 0);
            self.ranks = Ranks::of(vec![(1, place)]).0;
        }
        Ok(())
    }

    fn no_keys(&self) -> Vec<Keys> {
        (0..self.count()).map(|_| Keys::default()).collect()
    }

    /// Expands all levels.
    fn run(&mut self) -> Result<(), Halt> {
        self.begin()?;
        let early = std::mem::take(&mut self.out.mesh.early);
        for (from, frame) in early {
            match frame.search == self.out.search {
                true => self.hear(from, frame)?,
                false => self.out.mesh.early.push((from, frame)),
            }
        }
        loop {
            self.expand_level()?;
            self.store.end_level().map_err(|limit| self.halt(limit))?;
            let errors = self.order_level()?;
            if self.states == 0 || (errors > 0 && !self.settings.all_errors) {
                return Ok(());
            }
            self.out.level += 1;
        }
    }

    /// Expands the states of a level, and stores those of the next.
    fn expand_level(&mut self) -> Result<(), Halt> {
        self.left = self.queue.len();
        self.next = self.ranks.next();
        self.keys = self.no_keys();
        self.out.batches.iter_mut().for_each(|batch| batch.records = 0);
        self.out.floors.iter_mut().for_each(|floor| *floor = 0);
        let mut waiting: BinaryHeap<Reverse<(u64, usize)>> =
            (0..self.count()).map(|process| Reverse((0, process))).collect();
        let mut ended = false;
        loop {
            self.receive(None)?;
            let me = self.me();
            let own = self.out.batches[me].cut();
            if !own.is_empty() {
                self.streams[me].add(own);
            }
            match self.next {
                Some(rank) => self.streams[me].raise(rank),
                None if !ended => {
                    self.end_of_states();
                    ended = true;
                }
                None => {}
            }
            let taken = self.take_in(&mut waiting)?;
            if waiting.is_empty() {
                break;
            }
            if self.next.is_some() && self.has_room() {
                self.expand_some()?;
            } else if taken < GULP {
                if let Some(rank) = self.next {
                    self.out.tell_floor(rank);
                }
                self.look(true)?;
                self.receive(Some(NAP))?;
            }
        }
        if self.left > 0 {
            return Err(self.halt(Limit::Internal("states of a level have no rank".to_string())));
        }
        self.streams.iter_mut().for_each(|stream| *stream = Stream::default());
        Ok(())
    }

    /// Everything of this level was sent.
    fn end_of_states(&mut self) {
        let me = self.me();
        for to in self.out.others() {
            self.out.flush(to);
            let records = self.out.batches[to].records;
            self.out.send_number(to, kind::END_OF_STATES, records);
        }
        self.streams[me].announced = Some(self.out.batches[me].records);
    }

    /// May more be sent, and more wait here?
    fn has_room(&self) -> bool {
        let me = self.me();
        self.out.on_their_way.iter().all(|&bytes| bytes < WINDOW) && self.streams[me].bytes < WINDOW
    }

    /// Takes in records as long as it is known which one is next; not too many at once. Gives how many.
    fn take_in(&mut self, waiting: &mut BinaryHeap<Reverse<(u64, usize)>>) -> Result<u64, Halt> {
        let mut taken = 0;
        while let Some(&Reverse((bound, from))) = waiting.peek() {
            let head = self.streams[from].head().map_err(|()| self.nonsense(from))?;
            if head.is_none() && self.streams[from].is_over() {
                waiting.pop();
                if self.streams[from].announced != Some(self.streams[from].taken) {
                    return Err(self.gone(from, "it has sent another number of states than it says"));
                }
                continue;
            }
            let known = self.streams[from].bound();
            if known > bound {
                waiting.pop();
                waiting.push(Reverse((known, from)));
                continue;
            }
            if head.is_none() {
                return Ok(taken);
            }
            waiting.pop();
            let until = waiting.peek().map_or(u64::MAX, |&Reverse((rank, _))| rank);
            taken += self.take_from(from, until)?;
            waiting.push(Reverse((self.streams[from].bound(), from)));
            if taken >= GULP {
                self.look(false)?;
                return Ok(taken);
            }
        }
        Ok(taken)
    }

    /// Takes in the records of one process that come before those of the others, up to a number.
    fn take_from(&mut self, from: usize, until: u64) -> Result<u64, Halt> {
        let mut stream = std::mem::take(&mut self.streams[from]);
        let mut taken = 0;
        let mut result = Ok(());
        while let Ok(Some(head)) = stream.head()
            && head.rank <= until
            && taken < GULP
        {
            result = self.insert(from, head, stream.saved());
            if result.is_err() {
                break;
            }
            taken += 1;
            if let Some(batch) = stream.advance() {
                self.note_taken(from, batch.len());
            }
        }
        self.streams[from] = stream;
        match result {
            Ok(()) => Ok(taken),
            Err(limit) => Err(self.halt(limit)),
        }
    }

    /// A batch was taken in; its sender is told, not every time.
    fn note_taken(&mut self, from: usize, bytes: usize) {
        if from == self.me() {
            return;
        }
        self.untold[from] += bytes;
        if self.untold[from] >= WINDOW / 8 {
            let taken = std::mem::take(&mut self.untold[from]);
            self.out.send_number(from, kind::TAKEN, taken as u64);
        }
    }

    /// Offers a state to the store, and to the queue if it is new.
    #[inline]
    fn insert(&mut self, from: usize, head: Head, saved: &[u8]) -> Result<(), Limit> {
        self.offered += 1;
        let Some(state) = saved.get(self.program.hidden as usize..) else {
            return Err(Limit::Internal("a state without its hidden variables was sent".to_string()));
        };
        if !self.store.insert(state)? {
            return Ok(());
        }
        self.vector = self.vector.max(state.len());
        let range = range_of(head.rank, self.states, self.count());
        self.keys[range].push(head.rank, head.ordinal);
        let parent = head.number * self.count() as u64 + from as u64;
        let link = Link { parent, ordinal: head.ordinal }.pack().to_le_bytes();
        self.queue.push(&[&link, &(head.depth as u32).to_le_bytes(), saved])
    }

    /// Expands some states of this level.
    fn expand_some(&mut self) -> Result<(), Halt> {
        let tables = self.tables();
        let stored = self.store.statistics().stored;
        for _ in 0..STRIDE {
            let Some(rank) = self.next else { return Ok(()) };
            self.left = self.left.saturating_sub(1);
            self.next = if self.left > 0 { self.ranks.next() } else { None };
            if self.take_next().map_err(|limit| self.halt(limit))? {
                self.expand_one(rank, tables, stored)?;
            }
        }
        Ok(())
    }

    /// Loads the next state; is it really new?
    fn take_next(&mut self) -> Result<bool, Limit> {
        let lost = || Limit::Internal("a state is missing in the queue".to_string());
        let record = self.queue.pop()?.ok_or_else(lost)?;
        let (link, rest) = record.split_first_chunk::<8>().ok_or_else(lost)?;
        let (depth, state) = rest.split_first_chunk::<4>().ok_or_else(lost)?;
        let link = Link::unpack(u64::from_le_bytes(*link));
        self.walk.base_depth = u64::from(u32::from_le_bytes(*depth));
        self.saved.clear();
        self.saved.extend_from_slice(state);
        if !self.store.confirm()? {
            return Ok(false);
        }
        self.links.push(link)?;
        self.machine.load(&self.saved);
        Ok(true)
    }

    fn expand_one(&mut self, rank: u64, tables: usize, stored: u64) -> Result<(), Halt> {
        let mut expansion = Expansion {
            out: &mut self.out,
            owners: &self.owners,
            hidden: self.program.hidden as usize,
            ledger: &mut self.ledger,
            monitor: self.monitor,
            places: &mut self.places,
            model_error: &mut self.model_error,
            cut: &mut self.cut,
            rank,
            number: self.expanded,
            ordinal: 0,
            errors: 0,
            tables,
            stored,
            queued: self.queue.len(),
            limit: None,
        };
        self.walk.expand(&mut self.machine, &mut expansion, &mut Full);
        let limit = expansion.limit.take();
        self.expanded += 1;
        match limit {
            Some(limit) => Err(self.halt(limit)),
            None => Ok(()),
        }
    }

    /// Gives the states of the next level their ranks. Gives how many errors all have found.
    fn order_level(&mut self) -> Result<u64, Halt> {
        let (me, count) = (self.me(), self.count());
        let keys = std::mem::take(&mut self.keys);
        for (to, keys) in keys.into_iter().enumerate() {
            if to == me {
                self.heard[me].keys = keys.bytes;
            } else {
                keys.bytes.chunks(LONGEST_MESSAGE).for_each(|piece| self.out.send(to, kind::KEYS, piece.to_vec()));
                self.out.send_number(to, kind::END_OF_KEYS, self.ledger.count);
            }
        }
        self.heard[me].errors = Some(self.ledger.count);
        self.wait_until(|heard| heard.errors.is_some())?;
        let errors = self.heard.iter_mut().filter_map(|heard| heard.errors.take()).sum();
        let keys: Vec<Vec<u8>> = self.heard.iter_mut().map(|heard| std::mem::take(&mut heard.keys)).collect();
        let Ok((places, size)) = places(&keys) else { return Err(self.nonsense((me + 1) % count)) };
        for (to, places) in places.into_iter().enumerate() {
            if to == me {
                self.heard[me].places = places;
            } else {
                places.chunks(LONGEST_MESSAGE).for_each(|piece| self.out.send(to, kind::PLACES, piece.to_vec()));
                self.out.send_number(to, kind::END_OF_PLACES, size);
            }
        }
        self.heard[me].range = Some(size);
        self.wait_until(|heard| heard.range.is_some())?;
        let ranges = self.heard.iter_mut();
        let ranges = ranges.map(|heard| (heard.range.take().unwrap_or_default(), std::mem::take(&mut heard.places)));
        (self.ranks, self.states) = Ranks::of(ranges.collect());
        Ok(errors)
    }

    /// Waits until that was heard of all.
    fn wait_until(&mut self, heard: impl Fn(&Heard) -> bool) -> Result<(), Halt> {
        self.receive(None)?;
        while !self.heard.iter().all(&heard) {
            self.look(true)?;
            self.receive(Some(NAP))?;
        }
        Ok(())
    }

    /// What this process has to say at the end.
    fn part(&mut self, limit: Option<Limit>, traffic: (u64, u64)) -> Part {
        let statistics = self.store.statistics();
        let memory = (self.tables() + self.out.memory() + self.walk.memory() + self.machine.memory()) as u64;
        let found = self.ledger.violations.iter().zip(&self.places);
        Part {
            stored: statistics.stored,
            offered: self.offered,
            held: statistics.held,
            forgotten: statistics.forgotten,
            vector: self.vector,
            atomic_steps: self.walk.atomic_steps,
            deepest: self.walk.deepest,
            cut: self.cut,
            reached: packed(&self.walk.reached),
            completed: packed(&self.walk.completed),
            memory: self.monitor.peak.max(memory),
            limit,
            exact: self.store.is_exact(),
            omission: statistics.omission.probability,
            coverage: statistics.omission.coverage,
            errors: self.ledger.count,
            property_errors: self.ledger.property_count(),
            model_error: self.model_error.zip(self.ledger.model_error().map(str::to_string)),
            findings: found
                .map(|(violation, &(when, number))| Finding { when, number, violation: violation.clone() })
                .collect(),
            traffic,
        }
    }

    /// All parts become one outcome, which every process gets.
    fn conclude(&mut self, limit: Option<Limit>, before: (u64, u64)) -> Result<Whole, Halt> {
        self.concludes = true;
        let traffic = self.out.mesh.traffic();
        let part = self.part(limit, (traffic.raw - before.0, traffic.sent - before.1));
        let text = serde_json::to_vec(&part).unwrap_or_default();
        if self.me() == 0 {
            self.heard[0].message = Some(text);
            self.await_messages(|_| true)?;
            let parts = self.parts()?;
            let violations = self.violations(&parts)?;
            let whole = Whole::of(parts, violations, self.settings);
            let text = serde_json::to_vec(&whole).unwrap_or_default();
            for to in self.out.others() {
                self.out.send_long(to, (kind::WHOLE, kind::END_OF_WHOLE), &text);
            }
            return Ok(whole);
        }
        self.out.send_long(0, (kind::PART, kind::END_OF_PART), &text);
        self.await_messages(|process| process == 0)?;
        let text = self.heard[0].message.take().unwrap_or_default();
        serde_json::from_slice(&text).map_err(|_| self.nonsense(0))
    }

    fn parts(&mut self) -> Result<Vec<Part>, Halt> {
        let texts: Vec<Vec<u8>> = self.heard.iter_mut().map(|heard| heard.message.take().unwrap_or_default()).collect();
        let mut parts = Vec::new();
        for (process, text) in texts.iter().enumerate() {
            parts.push(serde_json::from_slice(text).map_err(|_| self.nonsense(process))?);
        }
        Ok(parts)
    }

    /// Waits for the messages of these processes. One that does not answer a search that was interrupted is waited for no longer than
    /// [`PATIENCE`].
    fn await_messages(&mut self, of: impl Fn(usize) -> bool) -> Result<(), Halt> {
        let missing =
            |heard: &[Heard]| (0..heard.len()).find(|&process| of(process) && heard[process].message.is_none());
        self.await_that(|heard| missing(heard))
    }

    /// Waits until nobody is missing.
    fn await_that(&mut self, missing: impl Fn(&[Heard]) -> Option<usize>) -> Result<(), Halt> {
        let mut ends: Option<Instant> = None;
        while let Some(process) = missing(&self.heard) {
            if let Some(halt) = self.lost[process].take() {
                return Err(halt);
            }
            match self.receive(Some(NAP)) {
                // That the search has to end is known.
                Ok(()) | Err(Halt::Limit(_)) => {}
                Err(halt) => return Err(halt),
            }
            let monitor = &mut *self.monitor;
            self.out.mesh.look(true, |what| (monitor.warn)(&what));
            if self.monitor.must_end().is_some() && Instant::now() > *ends.get_or_insert(Instant::now() + PATIENCE) {
                return Err(self.gone(process, "it does not answer"));
            }
        }
        Ok(())
    }

    /// The errors that are reported, with whole paths.
    fn violations(&mut self, parts: &[Part]) -> Result<Vec<Violation>, Halt> {
        let mut violations = Vec::new();
        for (process, finding) in chosen(parts, self.settings) {
            let ordinals = self.ordinals_to(process, finding.number)?;
            // A path that is too short is replayed before it is shown, and found out then.
            let before = super::queued::steps_along(self.program, self.settings, &ordinals).unwrap_or_default();
            violations.push(whole_path(before, finding));
        }
        Ok(violations)
    }

    /// The arrivals on the way to a state.
    fn ordinals_to(&mut self, mut process: usize, mut number: u64) -> Result<Vec<u32>, Halt> {
        let count = self.count() as u64;
        let mut ordinals = Vec::new();
        loop {
            let link = self.link(process, number)?;
            let (before, of) = (link.parent / count, (link.parent % count) as usize);
            if (before, of) == (number, process) {
                ordinals.reverse();
                return Ok(ordinals);
            }
            ordinals.push(link.ordinal);
            (process, number) = (of, before);
        }
    }

    fn link(&mut self, process: usize, number: u64) -> Result<Link, Halt> {
        if process == self.me() {
            return self.links.get(number).map_err(Halt::Limit);
        }
        self.heard[process].link = None;
        self.out.send_number(process, kind::ASK, number);
        self.await_that(|heard| heard[process].link.is_none().then_some(process))?;
        Ok(Link::unpack(self.heard[process].link.take().unwrap_or_default()))
    }
}

/// What is told when a process is gone.
fn gone(mesh: &Mesh, process: usize, level: u32, why: &str) -> Limit {
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    Limit::Gone(format!(
        "{} is gone at level {level}{why}: the search of all processes ends here without an answer; the same commands start it again",
        mesh.name(process)
    ))
}

/// The outcome of a search that a process has left.
fn broken(program: &Program, limit: Limit) -> Outcome {
    Outcome { verdict: Verdict::Incomplete(limit), ..Outcome::without_room(program, 0) }
}

/// What is given to every search over several processes.
pub struct Given<'m, 's, 'c, S> {
    /// The model.
    pub model: &'m Model,
    /// The same, compiled.
    pub program: &'m Program,
    /// What to look for.
    pub settings: Settings,
    /// The store of this process, or why there is none.
    pub store: &'s mut S,
    /// A reason to end before the search has begun.
    pub hindered: Option<Limit>,
    /// Where states wait, and the links.
    pub files: (Queue, Links),
    /// Of hashes.
    pub seed: u64,
    /// The other processes.
    pub mesh: &'c mut Mesh,
}

/// Searches with the other processes from beginning to end. Every process gets the same outcome.
pub fn search<S: BfsStore>(given: Given<'_, '_, '_, S>, monitor: &mut Monitor<'_>) -> Outcome {
    let Given { model, program, settings, store, hindered, files: (queue, links), seed, mesh } = given;
    mesh.searches += 1;
    let machine = match Machine::new(program) {
        Ok(machine) => machine,
        // So it is for all.
        Err(trap) => return Outcome::failed_at_start(program, trap),
    };
    let (count, search, traffic) = (mesh.count(), mesh.searches, mesh.traffic());
    let batches = (0..count).map(|_| Batch::default()).collect();
    let out = Outgoing { mesh, search, level: 0, batches, on_their_way: vec![0; count], floors: vec![0; count] };
    let mut spread = Spread {
        program,
        settings,
        store,
        machine,
        walk: Walk::new(program.transitions.len(), settings.rules),
        ledger: Ledger::new(model, settings.all_errors),
        monitor,
        queue,
        links,
        out,
        owners: StateHash::new(seed ^ OWNERS),
        streams: (0..count).map(|_| Stream::default()).collect(),
        heard: (0..count).map(|_| Heard::default()).collect(),
        untold: vec![0; count],
        keys: (0..count).map(|_| Keys::default()).collect(),
        ranks: Ranks::default(),
        states: 1,
        left: 0,
        next: None,
        expanded: 0,
        offered: 0,
        vector: 0,
        cut: false,
        places: Vec::new(),
        model_error: None,
        saved: Vec::new(),
        concludes: false,
        lost: (0..count).map(|_| None).collect(),
        start: Instant::now(),
    };
    let ended = match hindered {
        Some(limit) => Err(spread.halt(limit)),
        None => spread.run(),
    };
    let limit = match ended {
        Ok(()) => None,
        Err(Halt::Limit(limit)) => Some(limit),
        Err(Halt::Gone(limit)) => return broken(program, limit),
        Err(Halt::Dismissed) => return broken(program, Limit::Interrupted),
    };
    match spread.conclude(limit, (traffic.raw, traffic.sent)) {
        Ok(whole) => whole.outcome(program, settings, spread.start.elapsed().as_secs_f64()),
        Err(Halt::Limit(limit) | Halt::Gone(limit)) => broken(program, limit),
        Err(Halt::Dismissed) => broken(program, Limit::Interrupted),
    }
}
