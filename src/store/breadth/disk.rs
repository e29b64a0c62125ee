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
//! Where there are many small levels, states that M has forgotten are looked up one by one in a sorted copy of the signatures of D (`lookup.rs`),
//! so that the cost of a level is that of its states. When that pays is counted, not timed: the same command does the same on any machine.
//!
//! Sound with whole states: nothing is ever omitted. With signatures, two states with one signature anywhere in D are taken for
//! one; the probability that an error is missed for that reason is at most formula (1) of the paper.
//!
//! Cost: on disk a signature per state (or the whole state and 12 bytes); in memory what was asked for, whatever the model.
//! Time: once M has been full, D is read once per level and once per filling of M, unless looking up is cheaper.

mod index;
mod lookup;
mod saved;
mod table;

pub(super) use saved::saved_verdicts;

use crate::checkpoint::exactly;
use crate::limit::Limit;
use crate::store::breadth::disk::index::Index;
use crate::store::breadth::disk::table::{Layout, Table};
use crate::store::breadth::pending::{ENTRY_BYTES, Inserted, Pending, SignatureSet, StateSet};
use crate::store::breadth::queue::Queue;
use crate::store::breadth::representation::Representation;
use crate::store::breadth::work_dir::WorkDir;
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

/// The store. See the head of this file.
#[derive(Debug)]
pub struct DiskStore {
    options: DiskOptions,
    signatures: Signatures,
    pending: Pending,
    /// Bytes for M and the index.
    room: usize,
    table: Table,
    /// For what was judged, in order: bit maps, each with its number of bits in front.
    verdicts: Queue,
    book: Book,
    buffer: Vec<u8>,
    /// What M has forgotten, to be looked up.
    index: Option<Index>,
    folder: Arc<WorkDir>,
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
    /// Records of D that are there a second time: a store that handed its states over had some twice.
    #[serde(default)]
    repeated: u64,
    /// What an index would have saved, in units of records that go by.
    #[serde(default)]
    saving: f64,
    /// There is an index;
    #[serde(default)]
    indexed: bool,
    /// there was one, and the table has become too large for it.
    #[serde(default)]
    outgrown: bool,
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
            room: pending.bytes(),
            pending,
            table: Table::new(folder.create("visited")?, representation, block),
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
                repeated: 0,
                saving: 0.0,
                indexed: false,
                outgrown: false,
            },
            buffer: Vec::new(),
            index: None,
            folder: Arc::clone(folder),
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
                self.table.append(signature, state.unwrap_or_default())
            }
        }
    }

    /// Takes what is in D into M, if there is room for all of it: then D need not be read. Nothing waits.
    pub fn recall(&mut self) -> Result<(), Limit> {
        let least = match self.options.representation {
            Representation::Signatures(_) => self.table.records * ENTRY_BYTES as u64,
            // In M it is larger than on disk.
            Representation::States => self.table.bytes(),
        };
        if least > self.pending.bytes() as u64 {
            return Ok(());
        }
        let DiskStore { pending, table, buffer, book, .. } = self;
        let mut all = true;
        table.each(buffer, |signature, state| {
            all &= pending.know(signature, state);
            Ok(())
        })?;
        if all {
            book.repeated = table.records - pending.known() as u64;
        }
        Ok(())
    }

    /// Goes over the records of D: signatures, and the states if they are kept.
    pub fn contents(&mut self, f: impl FnMut(u64, &[u8]) -> Result<(), Limit>) -> Result<(), Limit> {
        self.table.each(&mut self.buffer, f)
    }

    /// INSERT of Fig. 2.
    #[inline]
    fn put(&mut self, signature: u64, state: &[u8]) -> Result<bool, Limit> {
        let mut answer = self.pending.insert(signature, state);
        if answer == Inserted::Full {
            if self.pending.must_judge() {
                self.check()?;
            }
            self.make_room()?;
            answer = self.pending.insert(signature, state);
        }
        match answer {
            Inserted::New => Ok(true),
            Inserted::Seen => Ok(false),
            Inserted::Full => Err(Limit::Memory { used: self.memory() as u64, budget: self.options.memory as u64 }),
        }
    }

    /// Does M know every record of D? Its known states are in D, each once but for those that were handed over twice.
    fn knows_all(&self) -> bool {
        self.pending.known() as u64 + self.book.repeated == self.table.records
    }

    /// CHECKTABLE of Fig. 2. What waits is not among the known states of M: if these are all of D, it is new, and D is not read.
    fn check(&mut self) -> Result<(), Limit> {
        if !self.knows_all() && !self.ask_index(1.0)? {
            self.read_table()?;
        }
        self.book.checks += 1;
        if self.table.records > 0 {
            let k = self.table.records as f64;
            self.book.kept_logarithm += (-((k - 1.0) / self.signatures.count()).min(1.0)).ln_1p();
        }
        self.judge()?;
        self.adjust_index()
    }

    fn no_room(&self) -> Limit {
        Limit::Memory { used: self.options.memory as u64, budget: self.options.memory as u64 }
    }

    /// Marks what waits and is found in D: the newest blocks come first, where most of it is, and now and then the index is asked whether it is
    /// better to look the rest up.
    fn read_table(&mut self) -> Result<(), Limit> {
        let blocks = self.table.blocks();
        let full = self.options.window == Window::Everything || self.book.level.is_multiple_of(FULL_CHECK_EVERY);
        let selected = if full { (0..blocks).collect() } else { self.select(blocks) };
        self.book.partial |= selected.len() < blocks;
        let mut hits = vec![0u64; blocks];
        let mut waiting = self.pending.waiting() as u64;
        let mut buffer = std::mem::take(&mut self.buffer);
        let layout = self.table.layout;
        self.pending.begin_check(&self.signatures);
        waiting -= mark(&mut self.pending, layout, self.table.tail())?;
        for (read, &block) in selected.iter().rev().enumerate() {
            // When nothing waits any more, the rest need not be read.
            if waiting == 0 {
                break;
            }
            if read.is_power_of_two() && self.ask_index(1.0 - read as f64 / blocks as f64)? {
                self.buffer = buffer;
                return Ok(());
            }
            self.table.read(block, &mut buffer)?;
            hits[block] = mark(&mut self.pending, layout, &buffer)?;
            waiting -= hits[block];
        }
        self.buffer = buffer;
        self.note_reading(self.pending.waiting() as u64, waiting);
        if full && self.options.window == Window::Auto {
            self.calibrate(&hits);
        }
        Ok(())
    }

    /// Appends what is new to D and writes the verdicts down.
    fn judge(&mut self) -> Result<(), Limit> {
        let DiskStore { pending, table, signatures, book, options, index, .. } = self;
        let mut map = vec![0u8; 4 + pending.waiting().div_ceil(8)];
        let mut count = 0u32;
        pending.judge(|signature, state, is_new| {
            if is_new {
                map[4 + count as usize / 8] |= 1 << (count % 8);
                let states = options.representation == Representation::States;
                let signature = if states { signatures.of(state) } else { signature };
                book.distinct.note(signature.wrapping_mul(SPREAD));
                if let (Some(index), true) = (&mut *index, states) {
                    index.tell(signature, table.bytes())?;
                }
                table.append(signature, state)?;
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

/// Marks what waits and is among these records of D; how many are there?
fn mark(pending: &mut Pending, layout: Layout, records: &[u8]) -> Result<u64, Limit> {
    // The usual case in a loop of its own: it is run for every record at every check.
    if let (Pending::Signatures(set), true) = (&mut *pending, layout.is_of_words()) {
        let records = records.as_chunks::<8>().0.iter();
        return Ok(records.filter(|record| set.found_on_disk(u64::from_le_bytes(**record) + 1)).count() as u64);
    }
    let mut found = 0;
    layout.each(records, &mut |signature, state| {
        found += u64::from(pending.found_on_disk(signature, state));
        Ok(())
    })?;
    Ok(found)
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

    const FORESEES: bool = true;

    #[inline]
    fn foresee(&mut self, state: &[u8]) -> u64 {
        let signature = self.signatures.of(state);
        self.pending.foresee(signature, state);
        signature
    }

    #[inline]
    fn insert_foreseen(&mut self, state: &[u8], signature: u64) -> Result<bool, Limit> {
        self.put(signature, state)
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
            + self.table.memory()
            + self.buffer.capacity()
            + self.verdicts.memory()
            + self.book.current.capacity()
            + self.book.distinct.memory()
            + self.index.as_ref().map_or(0, Index::memory)
    }

    fn statistics(&self) -> BfsStatistics {
        let stored = self.table.records;
        let (read, written) = self.verdicts.traffic();
        let (looked_up, sorted) = self.index.as_ref().map_or((0, 0), |index| index.traffic);
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
            bytes_read: self.table.bytes_read + read + looked_up,
            bytes_written: self.table.written() + written + sorted,
            checks: self.book.checks,
            ..BfsStatistics::of_set(stored, omission)
        }
    }
}

#[cfg(test)]
mod tests;
