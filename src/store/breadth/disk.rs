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
//! Where there are many small levels, signatures that M has forgotten are looked up one by one in a sorted copy of D (`index.rs`), so that the
//! cost of a level is that of its states. When that pays is counted, not timed: the same command does the same on any machine.
//!
//! Sound with whole states: nothing is ever omitted. With signatures, two states with one signature anywhere in D are taken for
//! one; the probability that an error is missed for that reason is at most formula (1) of the paper.
//!
//! Cost: on disk a signature per state (or the whole state and 12 bytes); in memory what was asked for, whatever the model.
//! Time: once M has been full, D is read once per level and once per filling of M, unless looking up is cheaper.

mod index;
mod saved;

pub(super) use saved::saved_verdicts;

use crate::checkpoint::exactly;
use crate::limit::Limit;
use crate::store::breadth::disk::index::Index;
use crate::store::breadth::pending::{ENTRY_BYTES, Inserted, Pending, SignatureSet, StateSet};
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

/// What things cost, in units of looking at one record of D that goes by, about: looking for a signature in a run of the index,
const LOOK_UP: f64 = 800.0;
/// asking its filter,
const ASK: f64 = 10.0;
/// putting a record into it.
const PUT: f64 = 60.0;
/// Runs that an index is expected to have, and the share of new signatures that pass its filter.
const EXPECTED: (f64, f64) = (5.0, 0.01);
/// M and the filter of the index share the memory: so many parts of eight stay with M.
const STAY: usize = 2;
/// The index is begun with at least so many bits of its filter for each record, and given up with fewer than so many.
const FILTER_BITS: (u64, u64) = (12, 5);
/// With room for fewer signatures than this in M there is no index.
const LEAST_INDEXED: usize = 4096;

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

    /// Goes over all records.
    fn each(
        &mut self,
        buffer: &mut Vec<u8>,
        representation: Representation,
        width: usize,
        mut f: impl FnMut(u64, &[u8]) -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        for block in 0..self.starts.len() {
            self.read(block, buffer)?;
            each_record(representation, width, buffer, &mut f)?;
        }
        each_record(representation, width, &self.tail, &mut f)
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
                append(&mut self.table, self.options.representation, self.width, signature, state.unwrap_or_default())
            }
        }
    }

    /// Takes what is in D into M, if there is room for all of it: then D need not be read. Nothing waits.
    pub fn recall(&mut self) -> Result<(), Limit> {
        if self.pending.most() > 0 && self.table.records > self.pending.most() as u64 {
            return Ok(());
        }
        let DiskStore { pending, table, buffer, options, width, book, .. } = self;
        let mut all = true;
        table.each(buffer, options.representation, *width, |signature, state| {
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
        self.table.each(&mut self.buffer, self.options.representation, self.width, f)
    }

    /// INSERT of Fig. 2.
    #[inline]
    fn put(&mut self, signature: u64, state: &[u8]) -> Result<bool, Limit> {
        let mut answer = self.pending.insert(signature, state);
        if answer == Inserted::Full {
            if self.pending.must_judge() {
                self.check()?;
            }
            let whole = self.knows_all();
            if let Some(index) = &mut self.index {
                index.add(self.pending.dropped(whole))?;
            }
            self.pending.make_room(whole);
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
        if !self.knows_all() && !self.ask_index()? {
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

    /// Looks up what waits, if there is an index and that is cheaper than to read D: has it been done?
    fn ask_index(&mut self) -> Result<bool, Limit> {
        let Some(index) = &mut self.index else { return Ok(false) };
        let most = self.table.records as f64 / LOOK_UP / index.runs().max(1) as f64;
        let waiting = self.pending.waiting_signatures().iter();
        let suspected = waiting.copied().filter(|&signature| index.may_hold(signature));
        let suspected: Vec<u64> = suspected.take(most as usize + 1).collect();
        if suspected.len() as f64 > most {
            return Ok(false);
        }
        let looked_up = (suspected.len() * index.runs()) as f64;
        for signature in suspected {
            if index.holds(signature)? {
                self.pending.mark_old(signature);
            }
        }
        self.note_saving(looked_up);
        Ok(true)
    }

    /// Takes down what so many look-ups in runs save, or would have saved, against reading D. Not more than what an index costs twice, so that one which has
    /// become useless is soon given up.
    fn note_saving(&mut self, look_ups: f64) {
        let records = self.table.records as f64;
        let saved = records - self.pending.waiting() as f64 * ASK - look_ups * LOOK_UP;
        self.book.saving = (self.book.saving + saved).clamp(0.0, 2.0 * PUT * records);
    }

    /// Begins an index when it would have saved what it costs, and gives it up when it saves nothing any more, or for good when its filter is too
    /// full to be of use. Nothing waits.
    fn adjust_index(&mut self) -> Result<(), Limit> {
        let records = self.table.records;
        if let Some(index) = &self.index {
            self.book.outgrown = index.bits() < FILTER_BITS.1 * records;
            if self.book.outgrown || self.book.saving == 0.0 {
                self.index = None;
                self.book.indexed = false;
                let most = self.pending.most() * 8 / STAY;
                self.pending.set_most(most).ok_or_else(|| self.no_room())?;
            }
            return Ok(());
        }
        let bits = (self.pending.most() / 8 * (8 - STAY) * ENTRY_BYTES * 8) as u64;
        let pays = self.book.saving > records as f64 * PUT && bits >= FILTER_BITS.0 * records;
        if pays && !self.book.outgrown { self.begin_index() } else { Ok(()) }
    }

    /// Makes an index of all of D. Nothing waits.
    fn begin_index(&mut self) -> Result<(), Limit> {
        let part = self.pending.most() / 8;
        self.book.indexed = self.pending.most() >= LEAST_INDEXED && self.options.window == Window::Everything;
        if !self.book.indexed {
            return Ok(());
        }
        self.pending.set_most(part * STAY).ok_or_else(|| self.no_room())?;
        let values = self.signatures.count() as u64;
        let index = Index::new(values, part * (8 - STAY) * ENTRY_BYTES, &self.folder);
        let mut index = index.ok_or_else(|| self.no_room())?;
        let most = self.table.block / 8;
        let mut batch = Vec::with_capacity(most);
        self.contents(|signature, _| {
            batch.push(signature);
            if batch.len() < most {
                return Ok(());
            }
            let added = index.add(&mut batch);
            batch.clear();
            added
        })?;
        index.add(&mut batch)?;
        self.index = Some(index);
        Ok(())
    }

    fn no_room(&self) -> Limit {
        Limit::Memory { used: self.options.memory as u64, budget: self.options.memory as u64 }
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
        pending.begin_check(&self.signatures);
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
        if self.options.window == Window::Everything && self.pending.most() > 0 {
            let asked = self.pending.waiting() as f64;
            let looked_up = asked - waiting as f64 + asked * EXPECTED.1;
            self.note_saving(looked_up * EXPECTED.0);
        }
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
            + self.table.tail.capacity()
            + self.table.starts.capacity() * size_of::<u64>()
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
            bytes_written: self.table.file.len() + written + sorted,
            checks: self.book.checks,
            ..BfsStatistics::of_set(stored, omission)
        }
    }
}

#[cfg(test)]
mod tests;
