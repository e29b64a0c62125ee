//! Records of words that several threads write and read at the same time.
//!
//! Idea: the arena is a list of chunks. A thread that writes has a [`Pen`]: one chunk that only this thread adds to. A record is written
//! behind the pen first and told to others afterwards, by a word that is published with release and read with acquire
//! (see `table`); until then nobody knows its position. So no lock is needed, and no `unsafe`: the words are atomic, and relaxed reads of
//! what was published are ordinary reads.
//!
//! The arena also knows which records are *fresh*: written since the level began. The chunks that were open then say from where on.
//! A search that needs its records for one level only gives whole chunks back, and they are written anew.

use super::{Budget, try_words};
use crate::store::parts::hints::prefetch;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Bits of a position: a chunk and a word in it, together a tebibyte.
pub(super) const POSITION_BITS: u32 = 37;
const CHUNK_BITS: u32 = 17;
/// Words of a chunk: a mebibyte.
const CHUNK: usize = 1 << CHUNK_BITS;
/// Words of the first chunk of a pen; the next ones double.
const FIRST_CHUNK: usize = 1 << 11;
/// Words of a line of memory.
const LINE: usize = 8;

/// There is no room for a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

#[derive(Debug)]
struct Chunk {
    words: Box<[AtomicU64]>,
    /// Records from this word on are fresh.
    fresh_from: AtomicUsize,
}

/// The records of all threads. See the head of this file.
#[derive(Debug)]
pub struct SharedArena {
    chunks: Box<[OnceLock<Chunk>]>,
    opened: AtomicUsize,
    /// Chunks whose records nobody needs any more.
    free: Mutex<Vec<usize>>,
}

/// Where one thread writes.
#[derive(Debug)]
pub struct Pen {
    chunk: usize,
    /// The next free word of the chunk, and the chunk's length.
    tail: usize,
    end: usize,
    /// Words of the next chunk.
    next: usize,
    /// Chunks that were filled since the level began.
    filled: Vec<usize>,
}

impl Default for Pen {
    fn default() -> Pen {
        Pen { chunk: 0, tail: 0, end: 0, next: FIRST_CHUNK, filled: Vec::new() }
    }
}

/// Where a pen stood at the end of a level.
#[derive(Debug, Default)]
pub struct Marks {
    filled: Vec<usize>,
    open: Option<(usize, usize)>,
}

impl Pen {
    /// The chunks that were written to in this level, and how far the last one is full.
    pub fn marks(&mut self) -> Marks {
        Marks { filled: std::mem::take(&mut self.filled), open: (self.end > 0).then_some((self.chunk, self.tail)) }
    }

    /// The chunks that were written to in this level, all of them closed: the next record begins another one.
    pub fn close(&mut self) -> Vec<usize> {
        let mut chunks = std::mem::take(&mut self.filled);
        if self.end > 0 {
            chunks.push(self.chunk);
        }
        (self.tail, self.end) = (0, 0);
        chunks
    }

    /// The record of so many words behind the pen is there to stay.
    #[inline]
    pub fn keep(&mut self, words: usize) {
        self.tail += words;
    }
}

impl SharedArena {
    /// An empty arena for so many threads, whose list of chunks is as long as the budget has room for.
    pub fn new(threads: usize, budget: &Budget) -> Option<SharedArena> {
        let small = (CHUNK / FIRST_CHUNK).ilog2() as usize + 2;
        let most = (budget.whole() / (CHUNK * size_of::<u64>())).min(1 << 18) + threads * small;
        let count = most.min(1 << (POSITION_BITS - CHUNK_BITS));
        if !budget.take(count * size_of::<OnceLock<Chunk>>()) {
            return None;
        }
        let mut chunks = Vec::new();
        chunks.try_reserve_exact(count).ok()?;
        chunks.resize_with(count, OnceLock::new);
        let (opened, free) = (AtomicUsize::new(0), Mutex::default());
        Some(SharedArena { chunks: chunks.into_boxed_slice(), opened, free })
    }

    /// Makes room for a record of so many words behind the pen: its position. A record that is not kept is overwritten by the next one.
    #[inline]
    pub fn room(&self, pen: &mut Pen, words: usize, budget: &Budget) -> Result<u64, NoRoom> {
        // A chunk for a long record has more words than a position can name: behind those, no record starts.
        if pen.end - pen.tail < words || pen.tail >= CHUNK {
            self.open(pen, words, budget)?;
        }
        Ok((pen.chunk << CHUNK_BITS | pen.tail) as u64)
    }

    #[cold]
    fn open(&self, pen: &mut Pen, words: usize, budget: &Budget) -> Result<(), NoRoom> {
        if let Some((number, length)) = self.open_again(words + 1) {
            Self::move_to(pen, number, length);
            return Ok(());
        }
        // Position 0 is not given. A record that is longer than a chunk gets a chunk of its own: a position says only where it starts.
        let length = Self::take_chunk(words + 1, pen.next, budget)?;
        let opened = self.opened.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |opened| {
            (opened < self.chunks.len()).then_some(opened + 1)
        });
        let words = opened.ok().zip(try_words(length));
        let Some((number, words)) = words else {
            budget.give(length * size_of::<u64>());
            return Err(NoRoom);
        };
        let chunk = Chunk { words, fresh_from: AtomicUsize::new(0) };
        if self.chunks[number].set(chunk).is_err() {
            return Err(NoRoom);
        }
        Self::move_to(pen, number, length);
        pen.next = (pen.next * 2).min(CHUNK);
        Ok(())
    }

    fn move_to(pen: &mut Pen, number: usize, length: usize) {
        if pen.end > 0 {
            pen.filled.push(pen.chunk);
        }
        (pen.chunk, pen.tail, pen.end) = (number, usize::from(number == 0), length);
    }

    fn free(&self) -> std::sync::MutexGuard<'_, Vec<usize>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a chunk of at least so many words that was given back: its number and its length.
    fn open_again(&self, least: usize) -> Option<(usize, usize)> {
        let mut free = self.free();
        let length = |number: usize| self.chunks[number].get().map_or(0, |chunk| chunk.words.len());
        let at = free.iter().rposition(|&number| length(number) >= least)?;
        let number = free.swap_remove(at);
        Some((number, length(number)))
    }

    /// Gives back chunks whose records nobody needs any more.
    pub fn give_back(&self, chunks: &[usize]) {
        self.free().extend(chunks);
    }

    /// Takes a chunk of `wanted` words from the budget, or of fewer if there is no room for as many; `least` is how many it must have.
    fn take_chunk(least: usize, mut wanted: usize, budget: &Budget) -> Result<usize, NoRoom> {
        loop {
            let length = wanted.max(least);
            if budget.take(length * size_of::<u64>()) {
                return Ok(length);
            }
            if length == least || wanted <= FIRST_CHUNK / 4 {
                return Err(NoRoom);
            }
            wanted /= 2;
        }
    }

    /// The words from this position to the end of its chunk.
    #[inline]
    pub fn from(&self, position: u64) -> &[AtomicU64] {
        let chunk = self.chunks.get((position >> CHUNK_BITS) as usize).and_then(OnceLock::get);
        chunk.and_then(|chunk| chunk.words.get(position as usize & (CHUNK - 1)..)).unwrap_or_default()
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
        let chunk = self.chunks.get((position >> CHUNK_BITS) as usize).and_then(OnceLock::get);
        let from = chunk.map_or(usize::MAX, |chunk| chunk.fresh_from.load(Ordering::Relaxed));
        position as usize & (CHUNK - 1) >= from
    }

    /// A level begins, and nobody writes: what the pens have written before is no longer fresh.
    pub fn begin_level(&self, marks: impl IntoIterator<Item = Marks>) {
        let mark = |number: usize, from: usize| {
            if let Some(chunk) = self.chunks.get(number).and_then(OnceLock::get) {
                chunk.fresh_from.store(from, Ordering::Relaxed);
            }
        };
        for Marks { filled, open } in marks {
            filled.into_iter().for_each(|number| mark(number, usize::MAX));
            if let Some((number, tail)) = open {
                mark(number, tail);
            }
        }
    }
}

/// Are these positions of records in the same chunk? Then the records of one pen lie there one behind the other.
#[inline]
pub(super) fn in_one_chunk(one: u64, other: u64) -> bool {
    one >> CHUNK_BITS == other >> CHUNK_BITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_and_levels_are_told_apart() {
        let budget = Budget::of(64 << 20);
        let arena = SharedArena::new(2, &budget).unwrap();
        let mut pens = [Pen::default(), Pen::default()];
        let mut levels: Vec<Vec<(u64, u64, usize)>> = Vec::new();
        let mut value = 0;
        for _ in 0..5 {
            let mut level = Vec::new();
            for step in 0..3_000usize {
                let pen = &mut pens[step % 2];
                let words = if step == 1_999 { CHUNK + 3 } else { 1 + step % 37 };
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

    /// A record that is longer than a chunk and is given up leaves a chunk in which positions end before the words do.
    #[test]
    fn short_records_behind_a_long_one_that_was_given_up() {
        for kept in [false, true] {
            let budget = Budget::of(64 << 20);
            let arena = SharedArena::new(2, &budget).unwrap();
            let mut pens = [Pen::default(), Pen::default()];
            arena.room(&mut pens[0], 2 * CHUNK, &budget).unwrap();
            pens[0].keep(if kept { 2 * CHUNK } else { 0 });
            let mut records = Vec::new();
            for step in 0..3 * CHUNK / 10 {
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

    /// Chunks that were given back are written anew, before any other is asked for.
    #[test]
    fn chunks_that_are_given_back_are_used_again() {
        let budget = Budget::of(64 << 20);
        let arena = SharedArena::new(2, &budget).unwrap();
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
            let chunks: Vec<usize> = pens.iter_mut().flat_map(Pen::close).collect();
            for &(position, words, value) in &records {
                assert!(position != 0 && arena.is_fresh(position));
                assert!(arena.from(position)[..words].iter().all(|word| word.load(Ordering::Relaxed) == value));
            }
            arena.give_back(&std::mem::replace(&mut before, chunks));
            assert!(level < 6 || budget.used() == used, "level {level}");
            used = budget.used();
        }
    }

    #[test]
    fn the_budget_is_kept() {
        let budget = Budget::of(3 << 20);
        let arena = SharedArena::new(1, &budget).unwrap();
        let mut pen = Pen::default();
        while arena.room(&mut pen, 100, &budget).is_ok() {
            pen.keep(100);
        }
        assert!(budget.used() <= budget.whole() && budget.used() > 2 << 20);
    }
}
