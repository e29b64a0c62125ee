//! A hash table of words that several threads look up and fill at the same time.
//!
//! Idea (open addressing with compare-and-swap, as in A. Laarman, J. van de Pol and M. Weber, "Boosting multi-core reachability performance
//! with shared hash tables", FMCAD 2010): a word is 0 or belongs to one record, for good. A thread that finds no word of its state up to the
//! first empty slot writes its record and puts the record's word into that slot, if the slot is still empty; if another thread was faster,
//! the search goes on with the word that it has put there. All threads look at the slots of a state in the same order and no word is ever
//! taken away, so of two threads with the same state exactly one puts it in, and the other one finds it.
//!
//! A word is 27 bits of the hash and the position of the record. The upper 8 bits of the hash choose one of 256 segments, the next ones the
//! slot in it, so a segment doubles by streaming over itself and reads no record. The table doubles while no thread uses it, segment by
//! segment: only the segment that is being copied is there twice.

use super::arena::POSITION_BITS;
use super::{Budget, try_words};
use crate::store::parts::hints::prefetch;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
/// The upper bits of a hash that choose a segment.
const SEGMENT_BITS: u32 = 8;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// Slots of a segment at the start.
const FIRST_SEGMENT: usize = 16;
/// A segment has no more slots than the bits in its words can tell apart.
const MOST_SLOTS: usize = 1 << (64 - POSITION_BITS);
/// The table doubles above 3/4.
const LOAD: (usize, usize) = (3, 4);
/// When the budget forbids doubling, the table may fill up to 9/10.
const LAST_LOAD: (usize, usize) = (9, 10);
/// Slots that are looked at to find the record of a state ahead of its look-up: about a line.
const PREFETCHED_SLOTS: usize = 8;

#[derive(Debug)]
struct Segment {
    words: Box<[AtomicU64]>,
    /// The slot of a hash is its bits below the segment's, shifted so far.
    shift: u32,
}

impl Segment {
    fn empty(slots: usize) -> Option<Segment> {
        Some(Segment { words: try_words(slots)?, shift: 64 - slots.ilog2() })
    }

    fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// The same words in twice as many slots.
    fn doubled(&self) -> Option<Segment> {
        let larger = Segment::empty(self.words.len() * 2)?;
        let mask = larger.words.len() - 1;
        for word in self.words.iter().map(|word| word.load(Ordering::Relaxed)).filter(|&word| word != 0) {
            let mut slot = (word >> larger.shift) as usize;
            while larger.words[slot & mask].load(Ordering::Relaxed) != 0 {
                slot += 1;
            }
            larger.words[slot & mask].store(word, Ordering::Relaxed);
        }
        Some(larger)
    }
}

/// What came of a look-up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Looked {
    /// The record was there, at this position.
    Found(u64),
    /// The record was not there; it is now, at this position.
    Added(u64),
    /// The record is not there, and its segment has no empty slot.
    Crowded,
    /// The record is not there, and could not be written.
    NoRoom,
}

/// The table. See the head of this file.
#[derive(Debug)]
pub struct SharedTable {
    segments: Vec<Segment>,
    /// Words that fit before the table must grow.
    limit: usize,
}

/// A table that is being doubled: segments that are not, and segments that are. Threads take from the one and put into the other.
#[derive(Debug, Default)]
pub struct Doubling {
    small: Mutex<Vec<(usize, Segment)>>,
    large: Mutex<Vec<(usize, Segment)>>,
}

impl SharedTable {
    /// An empty table; `None` if there is no room for it.
    pub fn new(budget: &Budget) -> Option<SharedTable> {
        if !budget.take(SEGMENTS * (FIRST_SEGMENT * size_of::<u64>() + size_of::<Segment>())) {
            return None;
        }
        let segments = (0..SEGMENTS).map(|_| Segment::empty(FIRST_SEGMENT)).collect::<Option<Vec<_>>>()?;
        Some(SharedTable { segments, limit: SEGMENTS * FIRST_SEGMENT / LOAD.1 * LOAD.0 })
    }

    /// Words that fit before the table must grow.
    #[inline]
    pub fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn segment(&self, hash: u64) -> (&Segment, usize) {
        let segment = &self.segments[(hash >> (64 - SEGMENT_BITS)) as usize];
        (segment, (hash << SEGMENT_BITS >> segment.shift) as usize)
    }

    /// Looks for the record with this hash that `is_it` knows by its position. If it is not there, `write` writes it and gives its position.
    #[inline]
    pub fn find_or_add(&self, hash: u64, is_it: impl Fn(u64) -> bool, write: impl FnOnce() -> Option<u64>) -> Looked {
        let (segment, home) = self.segment(hash);
        let mask = segment.words.len() - 1;
        let tag = hash << SEGMENT_BITS & !POSITION_MASK;
        let mut write = Some(write);
        let mut mine = None;
        for slot in home..home + segment.words.len() {
            let cell = &segment.words[slot & mask];
            let mut word = cell.load(Ordering::Acquire);
            if word == 0 {
                if let Some(write) = write.take() {
                    mine = write();
                }
                let Some(position) = mine else { return Looked::NoRoom };
                match cell.compare_exchange(0, tag | position, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => return Looked::Added(position),
                    Err(others) => word = others,
                }
            }
            if (word ^ tag) >> POSITION_BITS == 0 && is_it(word & POSITION_MASK) {
                return Looked::Found(word & POSITION_MASK);
            }
        }
        Looked::Crowded
    }

    /// Asks for the memory of the slot of this hash.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        let (segment, home) = self.segment(hash);
        prefetch(&segment.words, home);
    }

    /// The position of the first record that may be the one with this hash.
    #[inline]
    pub fn likely(&self, hash: u64) -> Option<u64> {
        let (segment, home) = self.segment(hash);
        let mask = segment.words.len() - 1;
        for slot in home..home + PREFETCHED_SLOTS {
            // The record itself is not read: this is a guess.
            let word = segment.words[slot & mask].load(Ordering::Relaxed);
            if word == 0 {
                return None;
            }
            if (word ^ hash << SEGMENT_BITS) >> POSITION_BITS == 0 {
                return Some(word & POSITION_MASK);
            }
        }
        None
    }

    /// The positions of all records whose hashes may begin with these 32 bits.
    pub fn with_prefix(&self, prefix: u32) -> Vec<u64> {
        let first = u64::from(prefix) << 32;
        let (segment, home) = self.segment(first);
        let (_, last) = self.segment(first | u64::from(u32::MAX));
        let known = 32 - SEGMENT_BITS;
        let mask = segment.words.len() - 1;
        let mut positions = Vec::new();
        for slot in home..home + segment.words.len() {
            let word = segment.words[slot & mask].load(Ordering::Acquire);
            if word == 0 && slot >= last {
                break;
            }
            if word != 0 && (word ^ first << SEGMENT_BITS) >> (64 - known) == 0 {
                positions.push(word & POSITION_MASK);
            }
        }
        positions
    }

    /// Begins to double the table, if its budget has room for that: the segments go over to the [`Doubling`]. If it has not, the table may
    /// fill up further. `None`: neither goes. `Some(false)`: nothing is to be doubled. `threads`: how many segments are there twice at a time.
    pub fn begin_doubling(&mut self, doubling: &Doubling, threads: usize, budget: &Budget) -> Option<bool> {
        let slots: usize = self.segments.iter().map(|segment| segment.words.len()).sum();
        let bytes = slots * size_of::<u64>();
        let fits = self.segments.iter().all(|segment| segment.words.len() < MOST_SLOTS);
        let moment = bytes / SEGMENTS * threads;
        if !(fits && budget.take(bytes + moment)) {
            let last = slots / LAST_LOAD.1 * LAST_LOAD.0;
            let more = last > self.limit;
            self.limit = last.max(self.limit);
            return more.then_some(false);
        }
        budget.give(moment);
        lock(&doubling.small).extend(std::mem::take(&mut self.segments).into_iter().enumerate());
        Some(true)
    }

    /// Ends the doubling, if one has begun: the segments come back. One that was not doubled (the system had no room, or the search had to
    /// end) is as it was.
    pub fn end_doubling(&mut self, doubling: &Doubling, budget: &Budget) {
        let mut segments = std::mem::take(&mut *lock(&doubling.large));
        segments.append(&mut lock(&doubling.small));
        if segments.is_empty() {
            return;
        }
        segments.sort_unstable_by_key(|&(number, _)| number);
        self.segments = segments.into_iter().map(|(_, segment)| segment).collect();
        let slots: usize = self.segments.iter().map(|segment| segment.words.len()).sum();
        self.limit = slots / LOAD.1 * LOAD.0;
        let most = self.segments.iter().map(|segment| segment.words.len()).max().unwrap_or(0);
        let missing = self.segments.iter().filter(|segment| segment.words.len() < most).map(Segment::bytes).sum();
        budget.give(missing);
    }
}

impl Doubling {
    /// Doubles segments until none is left.
    pub fn help(&self) {
        loop {
            // The lock is given back before the work begins.
            let taken = lock(&self.small).pop();
            let Some((number, segment)) = taken else { return };
            let larger = segment.doubled().unwrap_or(segment);
            lock(&self.large).push((number, larger));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
