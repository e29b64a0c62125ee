//! A hash table of words that several threads look up and fill at the same time.
//!
//! Idea (open addressing with compare-and-swap, as in A. Laarman, J. van de Pol and M. Weber, "Boosting multi-core reachability performance
//! with shared hash tables", FMCAD 2010): a word is 0 or belongs to one record, for good. A thread that finds no word of its state up to the
//! first empty slot writes its record and puts the record's word into that slot, if the slot is still empty; if another thread was faster,
//! the search goes on with the word that it has put there. All threads look at the slots of a state in the same order and no word is ever
//! taken away, so of two threads with the same state exactly one puts it in, and the other one finds it.
//!
//! A word is 27 bits of the hash and the position of the record. The upper 8 bits of the hash choose one of 256 segments, the next ones the
//! slot in it, so a segment doubles by streaming over itself and reads no record. 64 segments lie side by side in a block. The table
//! doubles while no thread looks anything up, block by block, and all threads take segments of the same block: so only the block that is being
//! copied is there twice, and for a moment the one before it. Blocks are few so that they can lie on large pages: a look-up in a table of
//! small pages waits for memory once more, to learn where its page is.

use super::Budget;
use super::arena::POSITION_BITS;
use crate::store::parts::hints::{Words, prefetch};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
/// The upper bits of a hash that choose a segment.
const SEGMENT_BITS: u32 = 8;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// The upper bits of a hash that choose a block.
const BLOCK_BITS: u32 = 2;
const BLOCKS: usize = 1 << BLOCK_BITS;
/// Segments of a block.
const TOGETHER: usize = SEGMENTS / BLOCKS;
/// Slots of a segment at the start.
const FIRST_SEGMENT: usize = 16;
/// A segment has no more slots than the bits in its words can tell apart.
const MOST_SLOTS: usize = 1 << (64 - POSITION_BITS);
/// The table doubles above 3/4.
const LOAD: (usize, usize) = (3, 4);
/// When the budget forbids doubling, the table may fill up to 9/10.
const LAST_LOAD: (usize, usize) = (9, 10);
/// A table with less than this part of what fits is sparse.
const SPARSE: usize = 16;
/// The one that takes its place has so many slots for each word, at least.
const LOOSE: usize = 4;
/// Words of the smallest pages of most systems.
const PAGE: usize = 512;
/// Slots that are looked at to find the record of a state ahead of its look-up: about a line, and no more than a segment has.
const GLANCED_SLOTS: usize = 8;

/// Some segments, one behind the other, all of the same length.
#[derive(Debug)]
#[repr(align(128))]
struct Block {
    words: Words,
    /// The slot of a hash is its bits below the block's, shifted so far.
    shift: u32,
    /// A segment's slots, less one.
    mask: usize,
}

impl Block {
    /// Segments of so many slots, all of them empty.
    fn empty(slots: usize) -> Option<Block> {
        let words = Words::zeroed(slots * TOGETHER)?;
        let shift = 64 - words.len().ilog2();
        Some(Block { words, shift, mask: slots - 1 })
    }

    /// Slots of a segment.
    fn slots(&self) -> usize {
        self.mask + 1
    }

    fn bytes(&self) -> usize {
        self.words.len() * size_of::<u64>()
    }

    /// The segment of this slot, and where the slot is in it. Its length is a power of two.
    #[inline]
    fn segment(&self, home: usize) -> (&[AtomicU64], usize) {
        let first = home & !self.mask;
        (&self.words[first..first + self.mask + 1], home & self.mask)
    }

    /// The slot that comes so far behind `home`, in its segment: behind the last one comes the first.
    #[inline]
    fn slot(&self, home: usize, behind: usize) -> &AtomicU64 {
        &self.words[home & !self.mask | (home + behind) & self.mask]
    }

    /// Copies the words of a segment into a block of twice as many slots.
    fn copy_segment(&self, segment: usize, larger: &Block) {
        let shift = 64 - larger.slots().ilog2();
        let first = segment * larger.slots();
        // A page that is read before it is written to is made twice: and the second time all other threads must be told.
        larger.words[first..first + larger.slots()]
            .iter()
            .step_by(PAGE)
            .for_each(|word| word.store(0, Ordering::Relaxed));
        let words = &self.words[segment * self.slots()..][..self.slots()];
        for word in words.iter().map(|word| word.load(Ordering::Relaxed)).filter(|&word| word != 0) {
            let home = first + (word >> shift) as usize;
            let mut behind = 0;
            while larger.slot(home, behind).load(Ordering::Relaxed) != 0 {
                behind += 1;
            }
            larger.slot(home, behind).store(word, Ordering::Relaxed);
        }
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

/// What a first look at the slots of a hash has shown. No word ever leaves its slot or changes, so the look can go on from there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Glance {
    /// The position of the first record that may be the one with this hash; 0 if there was none.
    pub position: u64,
    /// Slots that need not be looked at again, and how many slots the segment had: another number, and this holds no longer.
    behind: u32,
    slots: u32,
}

/// The table. See the head of this file.
#[derive(Debug)]
pub struct SharedTable {
    blocks: Vec<Block>,
    /// Words that fit before the table must grow.
    limit: usize,
    /// The system had no room for a larger block: nobody asks again until some are given back.
    refused: bool,
}

/// A table that is being doubled: blocks that are not yet, and blocks that are.
#[derive(Debug, Default)]
pub struct Doubling {
    small: Mutex<Vec<Arc<Work>>>,
    ended: Mutex<Vec<Ended>>,
}

/// A block that is being doubled. Everybody who works on it holds it; who lets go of it last puts the result away.
#[derive(Debug)]
struct Work {
    number: usize,
    small: Block,
    /// What becomes of it; nothing, if the system has no room.
    large: OnceLock<Option<Block>>,
    /// The next segment that nobody copies.
    next: AtomicUsize,
}

/// What has become of the block with this number.
#[derive(Debug)]
struct Ended {
    number: usize,
    block: Block,
    doubled: bool,
}

impl SharedTable {
    /// An empty table; `None` if there is no room for it.
    pub fn new(budget: &Budget) -> Option<SharedTable> {
        if !budget.take(SEGMENTS * FIRST_SEGMENT * size_of::<u64>() + BLOCKS * size_of::<Block>()) {
            return None;
        }
        let blocks = (0..BLOCKS).map(|_| Block::empty(FIRST_SEGMENT)).collect::<Option<Vec<_>>>()?;
        Some(SharedTable { blocks, limit: SEGMENTS * FIRST_SEGMENT / LOAD.1 * LOAD.0, refused: false })
    }

    /// Words that fit before the table must grow.
    #[inline]
    pub fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    fn home(&self, hash: u64) -> (&Block, usize) {
        let block = &self.blocks[(hash >> (64 - BLOCK_BITS)) as usize];
        (block, (hash << BLOCK_BITS >> block.shift) as usize)
    }

    /// Looks for the record with this hash that `is_it` knows by its position. If it is not there, `write` writes it and gives its position.
    /// `glance`: what was seen of this hash before; the record that was seen is another one.
    #[inline]
    pub fn find_or_add(
        &self,
        hash: u64,
        glance: Glance,
        is_it: impl Fn(u64) -> bool,
        write: impl FnOnce() -> Option<u64>,
    ) -> Looked {
        let (block, home) = self.home(hash);
        let (segment, home) = block.segment(home);
        let behind = if glance.slots as usize == segment.len() { glance.behind as usize } else { 0 };
        let tag = hash << SEGMENT_BITS & !POSITION_MASK;
        let mut write = Some(write);
        let mut mine = None;
        for slot in home + behind..home + segment.len() {
            let cell = &segment[slot & (segment.len() - 1)];
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
        let (block, home) = self.home(hash);
        prefetch(&block.words, home);
    }

    /// Looks at the first slots of a hash, and at no record.
    #[inline]
    pub fn glance(&self, hash: u64) -> Glance {
        let (block, home) = self.home(hash);
        let (segment, home) = block.segment(home);
        let slots = segment.len() as u32;
        for behind in 0..GLANCED_SLOTS as u32 {
            // The record may be read next, to see whether the guess is right.
            let word = segment[(home + behind as usize) & (segment.len() - 1)].load(Ordering::Acquire);
            if word == 0 {
                return Glance { position: 0, behind, slots };
            }
            if (word ^ hash << SEGMENT_BITS) >> POSITION_BITS == 0 {
                return Glance { position: word & POSITION_MASK, behind: behind + 1, slots };
            }
        }
        Glance { position: 0, behind: GLANCED_SLOTS as u32, slots }
    }

    /// The positions of all records whose hashes may begin with these 32 bits.
    pub fn with_prefix(&self, prefix: u32) -> Vec<u64> {
        let first = u64::from(prefix) << 32;
        let (block, home) = self.home(first);
        let (_, last) = self.home(first | u64::from(u32::MAX));
        let known = 32 - SEGMENT_BITS;
        let mut positions = Vec::new();
        for behind in 0..block.slots() {
            let word = block.slot(home, behind).load(Ordering::Acquire);
            if word == 0 && home + behind >= last {
                break;
            }
            if word != 0 && (word ^ first << SEGMENT_BITS) >> (64 - known) == 0 {
                positions.push(word & POSITION_MASK);
            }
        }
        positions
    }

    /// Takes everything out. Where so many words were few for a table of this size, a small one takes its place, so that a small level
    /// does not pay for a large one before it.
    pub fn clear(&mut self, words: usize, budget: &Budget) {
        if words < self.limit / SPARSE && self.blocks.iter().any(|block| block.slots() > FIRST_SEGMENT) {
            let slots = (words * LOOSE / SEGMENTS).next_power_of_two().max(FIRST_SEGMENT);
            let smaller = (0..BLOCKS).map(|_| Block::empty(slots)).collect::<Option<Vec<_>>>();
            if let Some(blocks) = smaller.filter(|_| self.blocks.iter().all(|block| block.slots() >= slots)) {
                let bytes = |blocks: &[Block]| blocks.iter().map(Block::bytes).sum::<usize>();
                budget.give(bytes(&self.blocks) - bytes(&blocks));
                self.limit = SEGMENTS * slots / LOAD.1 * LOAD.0;
                self.blocks = blocks;
                // The system has got the large ones back.
                self.refused = false;
                return;
            }
        }
        for word in self.blocks.iter().flat_map(|block| &*block.words) {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// Begins to double the table, if its budget has room for that: the blocks go over to the [`Doubling`]. If it has not, the table may
    /// fill up further. `None`: neither goes. `Some(false)`: nothing is to be doubled. `threads`: how many
    /// will help.
    pub fn begin_doubling(&mut self, doubling: &Doubling, threads: usize, budget: &Budget) -> Option<bool> {
        let slots: usize = self.blocks.iter().map(|block| block.words.len()).sum();
        let bytes = slots * size_of::<u64>();
        let fits = !self.refused && self.blocks.iter().all(|block| block.slots() < MOST_SLOTS);
        let moment = bytes / BLOCKS * threads.min(2);
        if !(fits && budget.take(bytes + moment)) {
            let last = slots / LAST_LOAD.1 * LAST_LOAD.0;
            let more = last > self.limit;
            self.limit = last.max(self.limit);
            return more.then_some(false);
        }
        budget.give(moment);
        let work =
            |(number, small)| Arc::new(Work { number, small, large: OnceLock::new(), next: AtomicUsize::new(0) });
        lock(&doubling.small).extend(std::mem::take(&mut self.blocks).into_iter().enumerate().map(work));
        Some(true)
    }

    /// Ends the doubling, if one has begun: the blocks come back. One that was not doubled (the system had no room, or the search had to
    /// end) is as it was.
    pub fn end_doubling(&mut self, doubling: &Doubling, budget: &Budget) {
        let untouched = std::mem::take(&mut *lock(&doubling.small));
        untouched.into_iter().for_each(|work| doubling.let_go(work));
        let mut ended = std::mem::take(&mut *lock(&doubling.ended));
        if ended.is_empty() {
            return;
        }
        ended.sort_unstable_by_key(|ended| ended.number);
        // Each would have taken as much again.
        let missing: usize = ended.iter().filter(|ended| !ended.doubled).map(|ended| ended.block.bytes()).sum();
        budget.give(missing);
        self.refused = missing > 0;
        self.blocks = ended.into_iter().map(|ended| ended.block).collect();
        let slots: usize = self.blocks.iter().map(|block| block.words.len()).sum();
        self.limit = slots / LOAD.1 * LOAD.0;
    }
}

impl Doubling {
    /// Doubles blocks, together with the others who help, until none is left.
    pub fn help(&self) {
        self.help_with(Block::empty);
    }

    /// The same; `make` is what makes a block of so many slots in each segment, if the system has room for it.
    fn help_with(&self, make: impl Fn(usize) -> Option<Block>) {
        loop {
            // The lock is given back before the work begins.
            let last = lock(&self.small).last().cloned();
            let Some(work) = last else { return };
            if let Some(large) = work.large.get_or_init(|| make(work.small.slots() * 2)) {
                let next = || Some(work.next.fetch_add(1, Ordering::Relaxed)).filter(|&segment| segment < TOGETHER);
                while let Some(segment) = next() {
                    work.small.copy_segment(segment, large);
                }
            }
            // No segment of it is left: the next block is next.
            lock(&self.small).pop_if(|other| Arc::ptr_eq(other, &work));
            self.let_go(work);
        }
    }

    /// Who is the last one to let go of a block puts away what has become of it.
    fn let_go(&self, work: Arc<Work>) {
        if let Some(Work { number, small, large, .. }) = Arc::into_inner(work) {
            let large = large.into_inner().flatten();
            let doubled = large.is_some();
            lock(&self.ended).push(Ended { number, block: large.unwrap_or(small), doubled });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn hash_of(number: u64) -> u64 {
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Enters numbers until the table asks for room; what `is_it` is asked is never the case.
    fn fill(table: &SharedTable, next: &mut u64) {
        for _ in 0..table.limit() {
            *next += 1;
            if table.find_or_add(hash_of(*next), Glance::default(), |_| false, || Some(*next)) == Looked::Crowded {
                return;
            }
        }
    }

    /// What a large level was refused is asked for again when a small one has given its table back.
    #[test]
    fn a_small_table_asks_again() {
        let budget = Budget::of(64 << 20);
        let mut table = SharedTable::new(&budget).unwrap();
        let (doubling, mut next) = (Doubling::default(), 0);
        for make in [Block::empty as fn(usize) -> Option<Block>, |_| None] {
            fill(&table, &mut next);
            assert_eq!(table.begin_doubling(&doubling, 1, &budget), Some(true));
            doubling.help_with(make);
            table.end_doubling(&doubling, &budget);
        }
        fill(&table, &mut next);
        assert_eq!(table.begin_doubling(&doubling, 1, &budget), Some(false));
        table.clear(0, &budget);
        assert!(table.blocks.iter().all(|block| block.slots() == FIRST_SEGMENT));
        fill(&table, &mut next);
        assert_eq!(table.begin_doubling(&doubling, 1, &budget), Some(true));
    }

    /// The system has room for so many blocks. What the others would have taken is given back, and the table goes on with what it has
    /// before it says that there is no more.
    #[test]
    fn blocks_that_could_not_be_doubled_do_not_count() {
        for room in 0..=BLOCKS {
            let budget = Budget::of(64 << 20);
            let mut table = SharedTable::new(&budget).unwrap();
            let (doubling, mut next) = (Doubling::default(), 0);
            fill(&table, &mut next);
            assert_eq!(table.begin_doubling(&doubling, 1, &budget), Some(true));
            let left = Cell::new(room);
            doubling.help_with(|slots| {
                left.set(left.get().checked_sub(1)?);
                Block::empty(slots)
            });
            table.end_doubling(&doubling, &budget);
            let bytes: usize = table.blocks.iter().map(|block| block.bytes() + size_of::<Block>()).sum();
            assert_eq!(budget.used(), bytes);
            assert_eq!(table.blocks.iter().map(Block::slots).sum::<usize>(), FIRST_SEGMENT * (BLOCKS + room));
            let known = (1..=next).filter(|&number| {
                let found =
                    table.find_or_add(hash_of(number), Glance::default(), |position| position == number, || None);
                found == Looked::Found(number)
            });
            assert!(known.count() as u64 >= next - 1);
            let again: Vec<_> = (0..2).map(|_| table.begin_doubling(&doubling, 1, &budget)).collect();
            assert_eq!(again[0], Some(room == BLOCKS));
            assert!(again[1].is_none() || room == BLOCKS);
            assert!(room == BLOCKS || budget.used() == bytes);
        }
    }
}
