//! The visited table of breadth-first search on disk, read in order and never searched.
//!
//! Idea: Stern and Dill 1998, Fig. 1 and 2. New states wait in a table M in memory; whether they are really new is asked
//! for all of them together, by reading the table D on disk from its start to its end: a state that is found there is old,
//! every other one is new and is appended to D. The search keeps the states in its queue meanwhile;
//! [`confirm`](BfsStore::confirm) tells it, state by state, which ones to drop. D is read at the end of a level and when M is
//! full. Different from the paper, M also remembers states that were judged already, see `pending.rs`; as long as these are all, D is not
//! read.
//!
//! By the locality of transitions most old states are found in the newest part of D, so a check may read only a part of D
//! (the DBF of Della Penna, Intrigila, Tronci, Venturini Zilli 2002, used in the serialization paper): [`Window`].
//! Old states that such a check misses are visited again. In every tenth level the checks read everything, which tells whether
//! the part was large enough, and makes the search end: of such a level only states that were never visited survive.
//!
//! Sound with whole states: nothing is ever omitted. With signatures, two states with one signature anywhere in D are taken for
//! one; the probability that an error is missed for that reason is at most formula (1) of the paper.
//!
//! Cost: on disk a signature per state (or the whole state and 12 bytes); in memory what was asked for, whatever the model.
//! Time: once M has been full, D is read once per level and once per filling of M.

mod saved;

pub(super) use saved::saved_verdicts;

use crate::checkpoint::exactly;
use crate::limit::Limit;
use crate::store::breadth::pending::{Inserted, Pending, SignatureSet, StateSet};
use crate::store::breadth::queue::Queue;
use crate::store::breadth::representation::Representation;
use crate::store::breadth::work_dir::{WorkDir, WorkFile};
use crate::store::breadth::{BfsStatistics, BfsStore};
use crate::store::lossy::omission::Omission;
use crate::store::parts::distinct::Distinct;
use crate::store::parts::rng::StoreRng;
use crate::store::parts::signature::Signatures;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Bytes of a block of D: read at once. Large for speed, less if memory is small.
const BLOCK: usize = 1 << 18;
/// Bytes of the smallest block.
const LEAST_BLOCK: usize = 1 << 12;
/// In one of so many levels the checks read all of D (the value of DBF).
const FULL_CHECK_EVERY: u64 = 10;
/// With an automatic window, the share of the old states that the newest part must have found in the last full check.
const WANTED_HITS: f64 = 0.99;
/// Of a window, the share that is the newest part; the rest is drawn from the older blocks.
const NEWEST_SHARE: f64 = 0.75;

/// How much of D a check reads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Window {
    /// All of it.
    Everything,
    /// This share, 0 to 1, mostly the newest.
    Share(f64),
    /// What the last full check found to be enough.
    Auto,
}

/// What a disk store is made of.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DiskOptions {
    /// What is kept of a state.
    pub representation: Representation,
    /// How much of D a check reads.
    pub window: Window,
    /// Bytes of memory for M and the buffers.
    pub memory: usize,
    /// The seed of the signatures and of the choice of blocks.
    pub seed: u64,
}

/// D: blocks of records, of which the last is in memory.
#[derive(Debug)]
struct Table {
    file: WorkFile,
    /// Where each block starts.
    starts: Vec<u64>,
    tail: Vec<u8>,
    /// Bytes of a full block.
    block: usize,
    records: u64,
    bytes_read: u64,
}

impl Table {
    fn append(&mut self, parts: &[&[u8]]) -> Result<(), Limit> {
        for part in parts {
            self.tail.extend_from_slice(part);
        }
        self.records += 1;
        if self.tail.len() >= self.block {
            let start = self.file.len();
            self.file.append(&self.tail)?;
            self.starts.push(start);
            self.tail.clear();
        }
        Ok(())
    }

    /// Reads a block of the file.
    fn read(&mut self, block: usize, buffer: &mut Vec<u8>) -> Result<(), Limit> {
        let start = self.starts[block];
        let end = self.starts.get(block + 1).copied().unwrap_or(self.file.len());
        // What is there already is overwritten, not zeroed first.
        buffer.resize((end - start) as usize, 0);
        self.bytes_read += end - start;
        self.file.read_at(start, buffer)
    }
}

/// The store. See the head of this file.
#[derive(Debug)]
pub struct DiskStore {
    options: DiskOptions,
    signatures: Signatures,
    /// Bytes of a signature in D.
    width: usize,
    pending: Pending,
    table: Table,
    /// For what was judged, in order: bit maps, each with its number of bits in front.
    verdicts: Queue,
    book: Book,
    buffer: Vec<u8>,
}

/// What a disk store remembers beside the states. A checkpoint holds just this.
#[derive(Debug, Serialize, Deserialize)]
struct Book {
    rng: StoreRng,
    distinct: Distinct,
    /// The bit map of verdicts that is being read: how far, and how many bits it has.
    current: Vec<u8>,
    at: usize,
    count: usize,
    /// States at the front of the queue that came with it from another search: known to be new.
    given: u64,
    /// With an automatic window: the share of D that a check reads.
    #[serde(with = "exactly")]
    share: f64,
    /// Levels that have ended.
    level: u64,
    /// Times that what waited was judged.
    checks: u64,
    /// A check has read a part of D only.
    partial: bool,
    /// Sum of the logarithms in formula (1).
    #[serde(with = "exactly")]
    kept_logarithm: f64,
}

impl DiskStore {
    /// An empty store with its files in the folder.
    pub fn new(options: DiskOptions, folder: &Arc<WorkDir>) -> Result<Self, Limit> {
        let DiskOptions { representation, memory, seed, .. } = options;
        let no_room = || Limit::Memory { used: memory as u64, budget: memory as u64 };
        // Two blocks of D and three of the verdicts; the rest is for M.
        let block = (memory / 32).clamp(LEAST_BLOCK, BLOCK);
        let rest = memory.saturating_sub(2 * block + 3 * LEAST_BLOCK + (1 << 14));
        let pending = match representation {
            Representation::Signatures(_) => Pending::Signatures(SignatureSet::new(rest).ok_or_else(no_room)?),
            Representation::States => Pending::States(StateSet::new(rest, seed).ok_or_else(no_room)?),
        };
        Ok(DiskStore {
            options,
            signatures: Signatures::new(representation.lookup_bits(), seed),
            width: usize::from(representation.lookup_bits().clamp(2, 64)).div_ceil(8),
            pending,
            table: Table {
                file: folder.create("visited")?,
                starts: Vec::new(),
                tail: Vec::new(),
                block,
                records: 0,
                bytes_read: 0,
            },
            verdicts: Queue::on_disk(0, Arc::clone(folder)),
            book: Book {
                rng: StoreRng::new(seed),
                distinct: Distinct::default(),
                current: Vec::new(),
                at: 0,
                count: 0,
                given: 0,
                share: 1.0,
                level: 0,
                checks: 0,
                partial: false,
                kept_logarithm: 0.0,
            },
            buffer: Vec::new(),
        })
    }

    /// Records in D.
    pub fn records(&self) -> u64 {
        self.table.records
    }

    /// Puts a state that another store has visited into D; the search is never asked to confirm it. A store of whole states must be
    /// given the state.
    pub fn preload(&mut self, signature: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        match (self.options.representation, state) {
            (Representation::States, None) => {
                Err(Limit::File("signatures cannot be made into whole states: go on with --store compact".to_string()))
            }
            (_, state) => {
                self.book.distinct.note(signature.wrapping_mul(SPREAD));
                append(&mut self.table, self.options.representation, self.width, signature, state.unwrap_or_default())
            }
        }
    }

    /// Goes over the records of D: signatures, and the states if they are kept.
    pub fn contents(&mut self, mut f: impl FnMut(u64, &[u8]) -> Result<(), Limit>) -> Result<(), Limit> {
        let mut buffer = std::mem::take(&mut self.buffer);
        for block in 0..self.table.starts.len() {
            self.table.read(block, &mut buffer)?;
            each_record(self.options.representation, self.width, &buffer, &mut f)?;
        }
        self.buffer = buffer;
        each_record(self.options.representation, self.width, &self.table.tail, &mut f)
    }

    /// INSERT of Fig. 2.
    #[inline]
    fn put(&mut self, signature: u64, state: &[u8]) -> Result<bool, Limit> {
        let mut answer = self.pending.insert(signature, state);
        if answer == Inserted::Full {
            if self.pending.must_judge() {
                self.check()?;
            }
            self.pending.make_room(self.knows_all());
            answer = self.pending.insert(signature, state);
        }
        match answer {
            Inserted::New => Ok(true),
            Inserted::Seen => Ok(false),
            Inserted::Full => Err(Limit::Memory { used: self.memory() as u64, budget: self.options.memory as u64 }),
        }
    }

    /// Does M know every record of D? Its known states are in D, each once.
    fn knows_all(&self) -> bool {
        self.pending.known() as u64 == self.table.records
    }

    /// CHECKTABLE of Fig. 2. What waits is not among the known states of M: if these are all of D, it is new, and D is not read.
    fn check(&mut self) -> Result<(), Limit> {
        if !self.knows_all() {
            self.read_table()?;
        }
        self.book.checks += 1;
        if self.table.records > 0 {
            let k = self.table.records as f64;
            self.book.kept_logarithm += (-((k - 1.0) / self.signatures.count()).min(1.0)).ln_1p();
        }
        self.judge()
    }

    /// Marks what waits and is found in D.
    fn read_table(&mut self) -> Result<(), Limit> {
        let blocks = self.table.starts.len();
        let full = self.options.window == Window::Everything || self.book.level.is_multiple_of(FULL_CHECK_EVERY);
        let selected = if full { (0..blocks).collect() } else { self.select(blocks) };
        self.book.partial |= selected.len() < blocks;
        let mut hits = vec![0u64; blocks];
        let mut waiting = self.pending.waiting() as u64;
        let mut buffer = std::mem::take(&mut self.buffer);
        let pending = &mut self.pending;
        pending.begin_check();
        let mut look = |bytes: &[u8], hits: &mut u64| {
            let mut found = 0;
            // The usual case in a loop of its own: it is run for every record at every check.
            if let (Pending::Signatures(set), 8) = (&mut *pending, self.width) {
                let records = bytes.as_chunks::<8>().0.iter();
                found = records.filter(|record| set.found_on_disk(u64::from_le_bytes(**record) + 1)).count() as u64;
                *hits += found;
                waiting -= found;
                return Ok(waiting > 0);
            }
            let result = each_record(self.options.representation, self.width, bytes, &mut |signature, state| {
                found += u64::from(pending.found_on_disk(signature, state));
                Ok(())
            });
            *hits += found;
            waiting -= found;
            result.map(|()| waiting > 0)
        };
        // The newest first: when nothing waits any more, the rest need not be read.
        let mut tail_hits = 0;
        let mut go_on = look(&self.table.tail, &mut tail_hits)?;
        for &block in selected.iter().rev() {
            if !go_on {
                break;
            }
            self.table.read(block, &mut buffer)?;
            go_on = look(&buffer, &mut hits[block])?;
        }
        self.buffer = buffer;
        if full && self.options.window == Window::Auto {
            self.calibrate(&hits);
        }
        Ok(())
    }

    /// Appends what is new to D and writes the verdicts down.
    fn judge(&mut self) -> Result<(), Limit> {
        let DiskStore { pending, table, signatures, book, options, width, .. } = self;
        let mut map = vec![0u8; 4 + pending.waiting().div_ceil(8)];
        let mut count = 0u32;
        pending.judge(|signature, state, is_new| {
            if is_new {
                map[4 + count as usize / 8] |= 1 << (count % 8);
                let signature =
                    if options.representation == Representation::States { signatures.of(state) } else { signature };
                book.distinct.note(signature.wrapping_mul(SPREAD));
                append(table, options.representation, *width, signature, state)?;
            }
            count += 1;
            Ok(())
        })?;
        map[..4].copy_from_slice(&count.to_le_bytes());
        self.verdicts.push(&[&map])
    }

    /// The blocks that a check with a window reads, in order.
    fn select(&mut self, blocks: usize) -> Vec<usize> {
        let share = match self.options.window {
            Window::Everything => 1.0,
            Window::Share(share) => share.clamp(0.0, 1.0),
            Window::Auto => self.book.share,
        };
        let wanted = ((blocks as f64 * share).ceil() as usize).min(blocks);
        let newest = ((wanted as f64 * NEWEST_SHARE).ceil() as usize).min(wanted);
        let older = blocks - newest;
        let mut drawn = rand::seq::index::sample(&mut self.book.rng, older, wanted - newest).into_vec();
        drawn.sort_unstable();
        drawn.extend(older..blocks);
        drawn
    }

    /// After a full check: the share of the newest blocks that would have found enough.
    fn calibrate(&mut self, hits: &[u64]) {
        let total: u64 = hits.iter().sum();
        if hits.is_empty() {
            return;
        }
        let mut found = 0;
        let needed = hits.iter().rev().take_while(|&&hits| {
            let enough = found as f64 >= WANTED_HITS * total as f64;
            found += hits;
            !enough
        });
        // The newest part alone must be that large.
        self.book.share = (needed.count() as f64 / hits.len() as f64 / NEWEST_SHARE).min(1.0);
    }
}

/// Spreads signatures of few bits over all 64 (odd: a bijection), for the estimate of distinct states.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

fn append(
    table: &mut Table,
    representation: Representation,
    width: usize,
    signature: u64,
    state: &[u8],
) -> Result<(), Limit> {
    let bytes = (signature - 1).to_le_bytes();
    match representation {
        Representation::Signatures(_) => table.append(&[&bytes[..width]]),
        Representation::States => table.append(&[&bytes, &(state.len() as u32).to_le_bytes(), state]),
    }
}

/// The records of a block. In D a signature is written less 1, so that B bits take B bits.
fn each_record(
    representation: Representation,
    width: usize,
    block: &[u8],
    f: &mut impl FnMut(u64, &[u8]) -> Result<(), Limit>,
) -> Result<(), Limit> {
    match representation {
        Representation::Signatures(_) if width == 8 => {
            for record in block.as_chunks::<8>().0 {
                f(u64::from_le_bytes(*record) + 1, &[])?;
            }
        }
        Representation::Signatures(_) => {
            for record in block.chunks_exact(width) {
                let mut bytes = [0; 8];
                bytes[..width].copy_from_slice(record);
                f(u64::from_le_bytes(bytes) + 1, &[])?;
            }
        }
        Representation::States => {
            let mut rest = block;
            while let Some((signature, after)) = rest.split_first_chunk::<8>()
                && let Some((length, after)) = after.split_first_chunk::<4>()
                && let Some((state, after)) = after.split_at_checked(u32::from_le_bytes(*length) as usize)
            {
                f(u64::from_le_bytes(*signature) + 1, state)?;
                rest = after;
            }
        }
    }
    Ok(())
}

fn split_verdicts(record: &[u8]) -> (usize, &[u8]) {
    match record.split_first_chunk::<4>() {
        Some((count, map)) => (u32::from_le_bytes(*count) as usize, map),
        None => (0, &[]),
    }
}

impl BfsStore for DiskStore {
    fn is_exact(&self) -> bool {
        self.options.representation == Representation::States
    }

    #[inline]
    fn insert(&mut self, state: &[u8]) -> Result<bool, Limit> {
        self.put(self.signatures.of(state), state)
    }

    fn confirm(&mut self) -> Result<bool, Limit> {
        if self.book.given > 0 {
            self.book.given -= 1;
            return Ok(true);
        }
        while self.book.at == self.book.count {
            match self.verdicts.pop()? {
                Some(record) => {
                    let (count, map) = split_verdicts(record);
                    self.book.current.clear();
                    self.book.current.extend_from_slice(map);
                    (self.book.at, self.book.count) = (0, count);
                }
                None if self.pending.waiting() > 0 => self.check()?,
                // Not asked for what was not inserted.
                None => return Ok(true),
            }
        }
        let verdict = self.book.current[self.book.at / 8] & 1 << (self.book.at % 8) != 0;
        self.book.at += 1;
        Ok(verdict)
    }

    /// The paper's check at the end of a level.
    fn end_level(&mut self) -> Result<(), Limit> {
        if self.pending.waiting() > 0 {
            self.check()?;
        }
        self.book.level += 1;
        Ok(())
    }

    fn trust(&mut self, states: u64) {
        self.book.given += states;
    }

    fn adopt(&mut self, signature: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        let signature = state.map_or(signature, |state| self.signatures.of(state));
        self.preload(signature, state)?;
        self.pending.know(signature, state.unwrap_or_default());
        Ok(())
    }

    fn memory(&self) -> usize {
        self.pending.memory()
            + self.table.tail.capacity()
            + self.table.starts.capacity() * size_of::<u64>()
            + self.buffer.capacity()
            + self.verdicts.memory()
            + self.book.current.capacity()
            + self.book.distinct.memory()
    }

    fn statistics(&self) -> BfsStatistics {
        let stored = self.table.records;
        let (read, written) = self.verdicts.traffic();
        let omission = match self.options.representation {
            Representation::States => Omission::NONE,
            Representation::Signatures(_) => Omission {
                probability: -self.book.kept_logarithm.exp_m1(),
                // Each state was compared with all of D: half of the final one on average.
                ..Omission::of_comparisons(stored, stored as f64 / 2.0, self.signatures.count())
            },
        };
        BfsStatistics {
            held: stored,
            distinct: if self.book.partial { self.book.distinct.estimate().min(stored as f64) } else { stored as f64 },
            bytes_read: self.table.bytes_read + read,
            bytes_written: self.table.file.len() + written,
            checks: self.book.checks,
            ..BfsStatistics::of_set(stored, omission)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::state;
    use std::collections::{HashSet, VecDeque};

    /// Edges of which one leads anywhere.
    fn scattered(i: u64, size: u64) -> [u64; 4] {
        [(i + 1) % size, (i * 7 + 3) % size, (i + i % 13) % size, i / 2]
    }

    /// Edges to near levels, a few to far ones.
    fn local(i: u64, size: u64) -> [u64; 4] {
        let far = if i.is_multiple_of(50) { i / 2 } else { i };
        [(i + 1).min(size - 1), (i + 200 + i % 7).min(size - 1), i.saturating_sub(i % 300), far]
    }

    /// Breadth-first search; returns the states in the order in which they were expanded.
    fn search(store: &mut DiskStore, size: u64, successors: fn(u64, u64) -> [u64; 4]) -> Vec<u64> {
        let mut expanded = Vec::new();
        assert!(store.insert(&state(0)).unwrap());
        let mut queue = VecDeque::from([0]);
        while !queue.is_empty() {
            for _ in 0..queue.len() {
                let Some(i) = queue.pop_front().filter(|_| store.confirm().unwrap()) else { continue };
                expanded.push(i);
                for j in successors(i, size) {
                    if store.insert(&state(j)).unwrap() {
                        queue.push_back(j);
                    }
                }
            }
            store.end_level().unwrap();
        }
        expanded
    }

    fn options(representation: Representation, window: Window, memory: usize) -> DiskOptions {
        DiskOptions { representation, window, memory, seed: 1 }
    }

    #[test]
    fn visits_what_the_exact_search_visits() {
        let folder = WorkDir::new(None).unwrap();
        for representation in [Representation::Signatures(64), Representation::Signatures(45), Representation::States] {
            for memory in [60_000, 200_000, 10_000_000] {
                let mut store = DiskStore::new(options(representation, Window::Everything, memory), &folder).unwrap();
                let expanded = search(&mut store, 20_000, scattered);
                let different: HashSet<&u64> = expanded.iter().collect();
                assert_eq!(different.len(), 20_000, "{representation:?} {memory}");
                assert_eq!(expanded.len(), 20_000, "{representation:?} {memory}");
                let statistics = store.statistics();
                assert_eq!((statistics.stored, statistics.revisits()), (20_000, 0.0));
                assert_eq!(store.is_exact(), representation == Representation::States);
                assert!(
                    store.memory() <= memory.max(100_000) + 50_000,
                    "{representation:?} {memory}: {}",
                    store.memory()
                );
                let mut records = 0;
                store
                    .contents(|signature, bytes| {
                        assert!(signature > 0 && (representation == Representation::States) != bytes.is_empty());
                        records += 1;
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(records, 20_000);
            }
        }
    }

    /// 150,000 states in hundreds of levels: while M has room for all of them, D is not read, neither by a search that began there nor by one that
    /// took over what another store has visited.
    #[test]
    fn nothing_is_read_while_everything_is_known() {
        let folder = WorkDir::new(None).unwrap();
        for (representation, most) in [(Representation::Signatures(64), 150_000), (Representation::States, 20_000)] {
            let open = |memory| DiskStore::new(options(representation, Window::Everything, memory), &folder).unwrap();
            let mut store = open(16_000_000);
            assert_eq!(search(&mut store, most, local).len() as u64, most);
            assert_eq!(store.table.bytes_read, 0, "{representation:?}");
            assert!(store.knows_all());
            let mut store = open(200_000);
            assert_eq!(search(&mut store, most, local).len() as u64, most);
            assert!(store.table.bytes_read > 0 && !store.knows_all(), "{representation:?}");
            let mut store = open(16_000_000);
            let signatures = Signatures::new(representation.lookup_bits(), 1);
            for i in 0..most {
                let kept = (representation == Representation::States).then(|| state(i));
                store.adopt(signatures.of(&state(i)), kept.as_deref()).unwrap();
            }
            assert!(store.knows_all() && !store.insert(&state(most - 1)).unwrap(), "{representation:?}");
            assert!(store.insert(&state(most)).unwrap());
            store.end_level().unwrap();
            assert!(store.confirm().unwrap() && store.table.bytes_read == 0, "{representation:?}");
        }
    }

    #[test]
    fn a_window_visits_everything_and_some_twice() {
        let folder = WorkDir::new(None).unwrap();
        for window in [Window::Share(0.3), Window::Share(0.05), Window::Auto] {
            let mut store = DiskStore::new(options(Representation::Signatures(64), window, 60_000), &folder).unwrap();
            let expanded = search(&mut store, 40_000, local);
            let different: HashSet<&u64> = expanded.iter().collect();
            assert_eq!(different.len(), 40_000);
            assert!(window != Window::Share(0.05) || expanded.len() > 40_000);
            assert!(expanded.len() < 400_000, "{window:?}: {}", expanded.len());
            let statistics = store.statistics();
            assert_eq!(statistics.stored, expanded.len() as u64);
            assert!((statistics.distinct / 40_000.0 - 1.0).abs() < 0.025, "{}", statistics.distinct);
        }
    }

    #[test]
    fn narrow_signatures_omit_as_the_bound_says() {
        let folder = WorkDir::new(None).unwrap();
        let mut store =
            DiskStore::new(options(Representation::Signatures(16), Window::Everything, 1_000_000), &folder).unwrap();
        let expanded = search(&mut store, 20_000, scattered);
        let statistics = store.statistics();
        assert!(
            expanded.len() < 20_000 && statistics.omission.probability > 0.5,
            "{} {:?}",
            expanded.len(),
            statistics
        );
        // Of 2^16 signatures; some states were never met.
        assert!(statistics.omission.coverage > 0.8 && statistics.omission.coverage < 0.95);
        let mut store =
            DiskStore::new(options(Representation::Signatures(48), Window::Everything, 1_000_000), &folder).unwrap();
        search(&mut store, 20_000, scattered);
        let probability = store.statistics().omission.probability;
        let checks = store.statistics().checks as f64;
        // The approximate bound of the paper, n t / (2 l), within a factor.
        let about = 20_000.0 * checks / 2.0 / 2f64.powi(48);
        assert!(probability > about / 4.0 && probability < about * 4.0, "{probability} {about}");
    }

    #[test]
    fn preloaded_states_are_old() {
        let folder = WorkDir::new(None).unwrap();
        let mut store =
            DiskStore::new(options(Representation::Signatures(64), Window::Everything, 100_000), &folder).unwrap();
        let signatures = Signatures::new(64, 1);
        for i in 0..100 {
            store.preload(signatures.of(&state(i)), None).unwrap();
        }
        for i in 50..150 {
            assert!(store.insert(&state(i)).unwrap());
        }
        store.end_level().unwrap();
        let expected: Vec<bool> = (50..150).map(|i| i >= 100).collect();
        assert_eq!((0..100).map(|_| store.confirm().unwrap()).collect::<Vec<bool>>(), expected);
        let whole = DiskStore::new(options(Representation::States, Window::Everything, 100_000), &folder);
        assert!(whole.unwrap().preload(5, None).is_err());
    }
}
