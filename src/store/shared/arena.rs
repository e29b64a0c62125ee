//! Records of words that several threads write and read at the same time.
//!
//! Idea: the arena is a list of large *regions*, and a region is given away in *pieces*. A thread that writes has a [`Pen`]: one piece that
//! only this thread adds to. A record is written behind the pen first and told to others afterwards, by a word that is published with
//! release and read with acquire (see `table`); until then nobody knows its position. So nobody waits to write or to read a record, and
//! there is no `unsafe`: the words are atomic, and relaxed reads of what was published are ordinary reads. Only for a new piece there is a
//! lock.
//!
//! A region grows with the arena, so that it can lie on large pages; what counts as memory of a large one are the steps of it that have
//! been given away. Pieces are small, so that many threads do not each keep one that is nearly empty.
//!
//! The arena also knows which records are *fresh*: written since the level began. The pieces that were open then say from where on.
//! A search that needs its records for one level only gives whole pieces back, and they are written anew.

use super::Budget;
use crate::store::parts::hints::{Words, prefetch};
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Bits of a position: a region and a word in it, together a tebibyte.
pub(super) const POSITION_BITS: u32 = 37;
const REGION_BITS: u32 = 23;
/// The most words of a region, unless one record has more: 64 MiB.
const REGION: usize = 1 << REGION_BITS;
/// Words of a region in an arena that is not [`LARGE`]: a mebibyte.
const SMALL_REGION: usize = 1 << 17;
/// An arena of so many words has regions on large pages, as long as what it has already: 4 MiB.
const LARGE: usize = 1 << 19;
/// A large region counts as memory in steps of so many words: 2 MiB, one large page of most systems.
const STEP: usize = 1 << 18;
/// Pieces are multiples of so many words, and no part of a region of so many is in two of them: 16 KiB.
const GRAIN: usize = 1 << 11;
/// The most words of a piece, unless one record has more: a mebibyte. The first piece of a pen is a grain, the next ones double.
const PIECE: usize = 1 << 17;
/// Words of a line of memory.
const LINE: usize = 8;

/// There is no room for a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

#[derive(Debug)]
struct Region {
    words: Words,
    /// For each grain: records from this word of it on are fresh.
    fresh_from: Box<[AtomicU16]>,
}

/// Words for one pen: where they begin, and how many they are.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    start: u64,
    words: usize,
}

/// The records of all threads. See the head of this file.
#[derive(Debug)]
pub struct SharedArena {
    regions: Box<[OnceLock<Region>]>,
    rest: Mutex<Rest>,
    /// Pieces whose records nobody needs any more.
    free: Mutex<Vec<Piece>>,
}

/// What is left of the last region.
#[derive(Debug, Default)]
struct Rest {
    /// So many regions are there.
    regions: usize,
    /// The words of all of them.
    words: usize,
    /// The next free word of the last one, how many it has that count as memory already, and how many it has.
    next: usize,
    counted: usize,
    end: usize,
}

/// Where one thread writes.
#[derive(Debug)]
pub struct Pen {
    piece: Piece,
    /// The position of the next record, and behind the last one that fits.
    tail: u64,
    end: u64,
    /// Words of the next piece.
    wanted: usize,
    /// Pieces that were filled since the level began.
    filled: Vec<Piece>,
}

impl Default for Pen {
    fn default() -> Pen {
        let piece = Piece { start: 0, words: 0 };
        Pen { piece, tail: 0, end: 0, wanted: GRAIN, filled: Vec::new() }
    }
}

/// Where a pen stood at the end of a level.
#[derive(Debug, Default)]
pub struct Marks {
    filled: Vec<Piece>,
    open: Option<(Piece, u64)>,
}

impl Region {
    /// A region of so many words, which nobody has touched; `None` if the system has no room for it.
    fn empty(words: usize) -> Option<Region> {
        let mut fresh_from = Vec::new();
        fresh_from.try_reserve_exact(words / GRAIN).ok()?;
        fresh_from.resize_with(words / GRAIN, AtomicU16::default);
        Some(Region { words: Words::zeroed(words)?, fresh_from: fresh_from.into_boxed_slice() })
    }
}

impl Pen {
    /// The pieces that were written to in this level, and how far the last one is full.
    pub fn marks(&mut self) -> Marks {
        Marks { filled: std::mem::take(&mut self.filled), open: self.open_piece().map(|piece| (piece, self.tail)) }
    }

    /// The pieces that were written to in this level, all of them closed: the next record begins another one.
    pub fn close(&mut self) -> Vec<Piece> {
        let mut pieces = std::mem::take(&mut self.filled);
        pieces.extend(self.open_piece());
        (self.piece.words, self.tail, self.end) = (0, 0, 0);
        pieces
    }

    fn open_piece(&self) -> Option<Piece> {
        Some(self.piece).filter(|piece| piece.words > 0)
    }

    /// The record of so many words behind the pen is there to stay.
    #[inline]
    pub fn keep(&mut self, words: usize) {
        self.tail += words as u64;
    }

    /// Is this the first record of the piece that is open? All others lie right behind the one that was kept before them.
    #[inline]
    pub fn begins_with(&self, position: u64) -> bool {
        position == self.piece.first()
    }
}

impl Piece {
    /// Where its first record is. No record has position 0.
    #[inline]
    fn first(self) -> u64 {
        self.start + u64::from(self.start == 0)
    }

    /// Behind the last record that may begin in it: no position tells the words of a region behind the most that are usual.
    fn end(self) -> u64 {
        self.start + self.words.min(REGION) as u64
    }
}

impl SharedArena {
    /// An empty arena, whose list of regions is as long as the budget has room for.
    pub fn new(budget: &Budget) -> Option<SharedArena> {
        // Up to the first full one, some more of the full ones than fit, and some that a tight budget has made smaller.
        let count = (64 + budget.whole() / size_of::<u64>() / REGION * 4).min(1 << (POSITION_BITS - REGION_BITS));
        if !budget.take(count * size_of::<OnceLock<Region>>()) {
            return None;
        }
        let mut regions = Vec::new();
        regions.try_reserve_exact(count).ok()?;
        regions.resize_with(count, OnceLock::new);
        Some(SharedArena { regions: regions.into_boxed_slice(), rest: Mutex::default(), free: Mutex::default() })
    }

    /// Makes room for a record of so many words behind the pen: its position. A record that is not kept is overwritten by the next one.
    #[inline]
    pub fn room(&self, pen: &mut Pen, words: usize, budget: &Budget) -> Result<u64, NoRoom> {
        if pen.tail + words as u64 > pen.end {
            self.open(pen, words, budget)?;
        }
        Ok(pen.tail)
    }

    #[cold]
    fn open(&self, pen: &mut Pen, words: usize, budget: &Budget) -> Result<(), NoRoom> {
        // Position 0 is not given.
        let least = words + 1;
        let piece = match self.open_again(least) {
            Some(piece) => piece,
            None => {
                let piece = self.take(least, pen.wanted, budget)?;
                pen.wanted = (pen.wanted * 2).min(PIECE);
                piece
            }
        };
        pen.filled.extend(pen.open_piece());
        (pen.piece, pen.tail, pen.end) = (piece, piece.first(), piece.end());
        Ok(())
    }

    /// A piece of at least so many words that was given back.
    fn open_again(&self, least: usize) -> Option<Piece> {
        let mut free = lock(&self.free);
        let at = free.iter().rposition(|piece| piece.words >= least)?;
        Some(free.swap_remove(at))
    }

    /// Gives back pieces whose records nobody needs any more.
    pub fn give_back(&self, pieces: &[Piece]) {
        lock(&self.free).extend(pieces);
    }

    /// Takes a piece of `wanted` words, or of fewer if there is no room for as many; `least` is how many it must have.
    fn take(&self, least: usize, wanted: usize, budget: &Budget) -> Result<Piece, NoRoom> {
        let least = least.next_multiple_of(GRAIN);
        let mut rest = lock(&self.rest);
        let words = match rest.count_some(least, wanted, budget) {
            Some(words) => words,
            None => {
                // At the end of the budget the next region is a small one, which counts to the word.
                self.add_region(&mut rest, least, budget)?;
                rest.count_some(least, wanted, budget).ok_or(NoRoom)?
            }
        };
        let start = ((rest.regions - 1) << REGION_BITS | rest.next) as u64;
        rest.next += words;
        Ok(Piece { start, words })
    }

    /// Adds a region of at least so many words.
    fn add_region(&self, rest: &mut Rest, least: usize, budget: &Budget) -> Result<(), NoRoom> {
        self.add_region_of(rest, least, budget, Region::empty)
    }

    /// The same; `make` is what makes a region of so many words, if the system has room for it.
    fn add_region_of(
        &self,
        rest: &mut Rest,
        least: usize,
        budget: &Budget,
        make: impl Fn(usize) -> Option<Region>,
    ) -> Result<(), NoRoom> {
        let slot = self.regions.get(rest.regions).ok_or(NoRoom)?;
        let mut wanted = match rest.words {
            few if few < LARGE => few.clamp(GRAIN, SMALL_REGION),
            many => many.next_multiple_of(STEP).min(REGION),
        };
        let (region, end, counted) = loop {
            let end = wanted.max(least);
            // A large one counts when it is given away.
            let counted = if wanted > SMALL_REGION { 0 } else { end };
            let room = counted.max(STEP.min(end)) * size_of::<u64>();
            let mut most = 2 * SMALL_REGION;
            if budget.take(room + marks_of(end)) {
                budget.give(room - counted * size_of::<u64>());
                if let Some(region) = make(end) {
                    break (region, end, counted);
                }
                // The system counts what is only kept free, too: it may have room for half.
                budget.give(counted * size_of::<u64>() + marks_of(end));
                most = wanted;
            }
            if wanted <= GRAIN {
                return Err(NoRoom);
            }
            let half = wanted.min(most) / 2;
            wanted = half.next_multiple_of(if half > SMALL_REGION { STEP } else { GRAIN });
        };
        slot.set(region).map_err(|_| NoRoom)?;
        *rest = Rest { regions: rest.regions + 1, words: rest.words + end, next: 0, counted, end };
        Ok(())
    }

    /// The words from this position to the end of its region.
    #[inline]
    pub fn from(&self, position: u64) -> &[AtomicU64] {
        self.region(position).and_then(|region| region.words.get(word_of(position)..)).unwrap_or_default()
    }

    #[inline]
    fn region(&self, position: u64) -> Option<&Region> {
        self.regions.get((position >> REGION_BITS) as usize).and_then(OnceLock::get)
    }

    /// Asks for the memory of the record at this position.
    #[inline]
    pub fn prefetch(&self, position: u64) {
        let words = self.from(position);
        prefetch(words, 0);
        prefetch(words, LINE);
    }

    /// Was this record written since the level began?
    #[inline]
    pub fn is_fresh(&self, position: u64) -> bool {
        let word = word_of(position);
        let from = self.region(position).and_then(|region| region.fresh_from.get(word / GRAIN));
        from.is_some_and(|from| word % GRAIN >= from.load(Ordering::Relaxed).into())
    }

    /// A level begins, and nobody writes: what the pens have written before is no longer fresh.
    pub fn begin_level(&self, marks: impl IntoIterator<Item = Marks>) {
        for Marks { filled, open } in marks {
            filled.into_iter().for_each(|piece| self.mark(piece, piece.end()));
            open.into_iter().for_each(|(piece, tail)| self.mark(piece, tail));
        }
    }

    /// The records of the piece are fresh from here on.
    fn mark(&self, piece: Piece, from: u64) {
        let Some(region) = self.region(piece.start) else { return };
        let (start, end) = (word_of(piece.start), word_of(piece.start) + piece.words);
        let from = start + (from - piece.start) as usize;
        for grain in start / GRAIN..end / GRAIN {
            let stale = from.saturating_sub(grain * GRAIN).min(GRAIN);
            region.fresh_from[grain].store(stale as u16, Ordering::Relaxed);
        }
    }
}

impl Rest {
    /// Makes the next words of the region count as memory: `wanted` of them, or fewer if that is all the region or the budget has room for,
    /// but not fewer than `least`. Gives how many.
    fn count_some(&mut self, least: usize, wanted: usize, budget: &Budget) -> Option<usize> {
        let left = self.end - self.next;
        if left < least {
            return None;
        }
        let mut words = wanted.max(least).min(left);
        while !self.count(words, budget) {
            if words == least {
                return None;
            }
            words = (words / 2).next_multiple_of(GRAIN).max(least);
        }
        Some(words)
    }

    /// Makes so many words count, and in a large region those that lie on the same large page.
    fn count(&mut self, words: usize, budget: &Budget) -> bool {
        let missing = (self.next + words).saturating_sub(self.counted).next_multiple_of(STEP);
        let missing = missing.min(self.end - self.counted);
        let fits = budget.take(missing * size_of::<u64>());
        self.counted += if fits { missing } else { 0 };
        fits
    }
}

/// The word of its region that a position names.
#[inline]
fn word_of(position: u64) -> usize {
    position as usize & (REGION - 1)
}

/// Bytes of a region beside its words.
fn marks_of(words: usize) -> usize {
    words / GRAIN * size_of::<AtomicU16>()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_and_levels_are_told_apart() {
        let budget = Budget::of(64 << 20);
        let arena = SharedArena::new(&budget).unwrap();
        let mut pens = [Pen::default(), Pen::default()];
        let mut levels: Vec<Vec<(u64, u64, usize)>> = Vec::new();
        let mut value = 0;
        for _ in 0..5 {
            let mut level = Vec::new();
            for step in 0..3_000usize {
                let pen = &mut pens[step % 2];
                let words = if step == 1_999 { PIECE + 3 } else { 1 + step % 37 };
                let position = arena.room(pen, words, &budget).unwrap();
                assert_ne!(position, 0);
                value += 1;
                arena.from(position)[..words].iter().for_each(|word| word.store(value, Ordering::Relaxed));
                // Some are given up: the next one overwrites them.
                if step % 5 != 0 {
                    pen.keep(words);
                    level.push((position, value, words));
                }
            }
            assert!(level.iter().all(|&(position, ..)| arena.is_fresh(position)));
            assert!(levels.iter().flatten().all(|&(position, ..)| !arena.is_fresh(position)));
            levels.push(level);
            arena.begin_level(pens.iter_mut().map(Pen::marks));
        }
        for &(position, value, words) in levels.iter().flatten() {
            let record = &arena.from(position)[..words];
            assert!(record.iter().all(|word| word.load(Ordering::Relaxed) == value));
            assert!(!arena.is_fresh(position));
        }
    }

    /// A record that is longer than a region and is given up leaves a piece in which positions end before the words do.
    #[test]
    fn short_records_behind_a_long_one_that_was_given_up() {
        for kept in [false, true] {
            let budget = Budget::of(200 << 20);
            let arena = SharedArena::new(&budget).unwrap();
            let mut pens = [Pen::default(), Pen::default()];
            arena.room(&mut pens[0], REGION + PIECE, &budget).unwrap();
            pens[0].keep(if kept { REGION + PIECE } else { 0 });
            let mut records = Vec::new();
            for step in 0..6 * PIECE / 10 {
                let pen = &mut pens[step % 2];
                let position = arena.room(pen, 10, &budget).unwrap();
                arena.from(position)[..10].iter().for_each(|word| word.store(step as u64, Ordering::Relaxed));
                pen.keep(10);
                records.push(position);
            }
            for (step, &position) in records.iter().enumerate() {
                let record = &arena.from(position)[..10];
                assert!(record.iter().all(|word| word.load(Ordering::Relaxed) == step as u64), "{step} {kept}");
            }
        }
    }

    /// Pieces that were given back are written anew, before any other is asked for.
    #[test]
    fn pieces_that_are_given_back_are_used_again() {
        let budget = Budget::of(64 << 20);
        let arena = SharedArena::new(&budget).unwrap();
        let mut pens = [Pen::default(), Pen::default()];
        let (mut before, mut used) = (Vec::new(), 0);
        for level in 0..20u64 {
            let mut records = Vec::new();
            for step in 0..2_000usize {
                let (pen, words) = (&mut pens[step % 2], 1 + step % 37);
                let position = arena.room(pen, words, &budget).unwrap();
                arena.from(position)[..words]
                    .iter()
                    .for_each(|word| word.store(level << 32 | step as u64, Ordering::Relaxed));
                pen.keep(words);
                records.push((position, words, level << 32 | step as u64));
            }
            let pieces: Vec<Piece> = pens.iter_mut().flat_map(Pen::close).collect();
            for &(position, words, value) in &records {
                assert!(position != 0 && arena.is_fresh(position));
                assert!(arena.from(position)[..words].iter().all(|word| word.load(Ordering::Relaxed) == value));
            }
            arena.give_back(&std::mem::replace(&mut before, pieces));
            assert!(level < 6 || budget.used() == used, "level {level}");
            used = budget.used();
        }
    }

    #[test]
    fn the_budget_is_kept_on_pages_of_any_size() {
        let large = LARGE * size_of::<u64>();
        for whole in [3 << 20, large + 4_321, large + (3 << 20) + 7, large + (40 << 20)] {
            let budget = Budget::of(whole);
            let arena = SharedArena::new(&budget).unwrap();
            let mut pens = [Pen::default(), Pen::default()];
            let mut kept = 0;
            while arena.room(&mut pens[kept % 2], 100, &budget).is_ok() {
                pens[kept % 2].keep(100);
                kept += 1;
                assert!(budget.used() <= whole);
            }
            let (bytes, pieces) = (kept * 100 * size_of::<u64>(), PIECE * size_of::<u64>());
            assert!(bytes + pieces + whole / 50 > whole, "{bytes} of {whole}");
            let lengths = arena.regions.iter().filter_map(OnceLock::get).map(|region| region.words.len());
            assert_eq!(lengths.max() > Some(SMALL_REGION), whole > large + STEP * size_of::<u64>());
        }
    }

    /// The system may refuse a region of which most would only be kept free.
    #[test]
    fn where_the_system_has_no_room_for_a_large_region_smaller_ones_do() {
        let budget = Budget::of(200 << 20);
        let arena = SharedArena::new(&budget).unwrap();
        let mut rest = Rest { words: REGION, ..Rest::default() };
        let most = |words| move |wanted| (wanted <= words).then(|| Region::empty(wanted)).flatten();
        for words in [3 * STEP, STEP, SMALL_REGION, GRAIN] {
            arena.add_region_of(&mut rest, GRAIN, &budget, most(words)).unwrap();
            assert!(rest.end <= words && rest.end * 2 > words && rest.next == 0);
            assert_eq!(rest.counted, if words > SMALL_REGION { 0 } else { rest.end });
        }
        let used = budget.used();
        assert_eq!(arena.add_region_of(&mut rest, GRAIN, &budget, |_| None), Err(NoRoom));
        assert_eq!(arena.add_region_of(&mut rest, 2 * STEP, &budget, most(STEP)), Err(NoRoom));
        assert_eq!((budget.used(), rest.regions), (used, 4));
    }
}
