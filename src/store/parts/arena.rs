//! An append-only run of records in chunks. A record is a header and the bytes of a state. No record is ever moved or freed, so a position
//! stays good for the life of the arena, and the records of a breadth-first search lie in the order of its queue.
//!
//! A large arena has large chunks. Large pages lie at multiples of their size, and a block from the allocator begins anywhere: a chunk of
//! one large page would never hold one. The system makes the pages of a chunk when they are first written to, and what counts as memory is
//! what may be written to: that grows in steps, as far as the budget goes.
//!
//! Cost per record: 4 bytes of header, and on average 1.5 of alignment.

use super::hints::{on_large_pages, prefetch};

/// Records start at multiples of this many bytes: 35 bits of position then reach 128 GiB at 1.5 bytes of padding each.
const UNIT: usize = 4;
/// Bits of a position (in units). The rest of a 64-bit word, 29 bits, is left to whoever stores positions.
pub const POSITION_BITS: u32 = 35;
/// The most bytes of a chunk.
const CHUNK: usize = 1 << 26;
/// Bytes of a full chunk in an arena that is not [`LARGE`]: large enough that the tails lost at the ends are nothing, small against any
/// budget.
const SMALL_CHUNK: usize = 1 << 20;
/// Units of a full chunk, as a shift.
const CHUNK_SHIFT: u32 = CHUNK.trailing_zeros() - UNIT.trailing_zeros();
/// An arena that has so many bytes asks for large pages: a smaller one would take more of its budget than it needs.
const LARGE: usize = 32 << 20;
/// A chunk of a large arena has this part of what the arena has already. Whoever empties an arena gets its memory back in such parts.
const PART: usize = 8;
/// A chunk of a large arena counts as memory in steps of so many bytes: one large page of most systems.
const STEP: usize = 1 << 21;
/// The first chunk starts this small and doubles: most models are small.
const FIRST_CHUNK: usize = 1 << 12;
/// Bytes of a record's header: length << 2, two flag bits.
const HEADER: usize = 4;
/// Longest state: what the header can say.
const MAX_LENGTH: usize = (1 << 30) - 1;
const ON_STACK: u8 = 1;
/// Bytes of a line of memory.
const LINE: usize = 64;

/// Why a record could not be added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom;

/// The records. No record has position 0.
#[derive(Debug, Default)]
pub struct Arena {
    chunks: Vec<Chunk>,
    /// Bytes of all chunks that may be written to.
    capacity: usize,
}

/// Some of the records, one behind the other.
#[derive(Debug)]
struct Chunk {
    bytes: Vec<u8>,
    /// So many bytes may be written to.
    granted: usize,
}

impl Arena {
    /// Bytes in use, the list of chunks counted.
    pub fn memory(&self) -> usize {
        self.capacity + self.chunks.capacity() * size_of::<Chunk>()
    }

    /// Appends a state; `budget` is how many bytes the arena may have in all.
    #[inline]
    pub fn push(&mut self, state: &[u8], on_stack: bool, budget: usize) -> Result<u64, NoRoom> {
        let size = (HEADER + state.len()).next_multiple_of(UNIT);
        let fits = self.chunks.last().is_some_and(|chunk| chunk.granted - chunk.bytes.len() >= size);
        if !fits {
            self.make_room(state.len(), size, budget)?;
        }
        let number = self.chunks.len() - 1;
        let chunk = &mut self.chunks[number].bytes;
        let start = chunk.len();
        let header = (state.len() as u32) << 2 | u32::from(on_stack);
        chunk.extend_from_slice(&header.to_le_bytes());
        chunk.extend_from_slice(state);
        // Padding by a slice of fixed origin: `resize` loops byte by byte.
        chunk.extend_from_slice(&[0; UNIT][..size - HEADER - state.len()]);
        Ok(((number << CHUNK_SHIFT) | (start / UNIT)) as u64)
    }

    /// Makes the last chunk have room for `size` bytes.
    #[cold]
    fn make_room(&mut self, length: usize, size: usize, budget: usize) -> Result<(), NoRoom> {
        let budget = budget.saturating_sub(self.memory());
        if length > MAX_LENGTH {
            return Err(NoRoom);
        }
        let only_one = self.chunks.len() == 1;
        if let Some(chunk) = self.chunks.last_mut()
            && only_one
            && chunk.bytes.len() + size <= SMALL_CHUNK
        {
            // The first chunk doubles until it is a full one. While it moves, both copies are there.
            let (before, length) = (chunk.bytes.capacity(), chunk.bytes.len());
            let wanted = (before * 2).max(length + size).min(SMALL_CHUNK);
            if wanted > budget {
                return Err(NoRoom);
            }
            chunk.bytes.try_reserve_exact(wanted - length).map_err(|_| NoRoom)?;
            chunk.granted = chunk.bytes.capacity();
            self.capacity += chunk.granted - before;
            return Ok(());
        }
        if let Some(Chunk { bytes, granted }) = self.chunks.last_mut()
            && bytes.capacity() - bytes.len() >= size
        {
            let missing = bytes.len() + size - *granted;
            if missing > budget {
                return Err(NoRoom);
            }
            let more = missing.next_multiple_of(STEP).min(bytes.capacity() - *granted).min(budget);
            *granted += more;
            self.capacity += more;
            return Ok(());
        }
        if self.chunks.len() as u64 >= 1 << (POSITION_BITS - CHUNK_SHIFT) {
            return Err(NoRoom);
        }
        // Position 0 is not given: the first chunk starts with a unit of nothing. A record larger than a chunk gets a
        // chunk of its own, since a position only says where a record starts.
        let first = self.chunks.is_empty();
        let large = self.capacity >= LARGE && size <= STEP && STEP <= budget;
        let (wanted, granted) = match (first, large) {
            (true, _) => ((size + UNIT).max(FIRST_CHUNK), usize::MAX),
            (false, true) => ((self.capacity / PART).next_multiple_of(STEP).min(CHUNK), STEP),
            (false, false) => (size.max(SMALL_CHUNK), usize::MAX),
        };
        if wanted.min(granted) > budget {
            return Err(NoRoom);
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(wanted).map_err(|_| NoRoom)?;
        if large {
            on_large_pages(&mut bytes);
        }
        if first {
            bytes.extend_from_slice(&[0; UNIT]);
        }
        self.chunks.try_reserve(1).map_err(|_| NoRoom)?;
        let granted = bytes.capacity().min(granted);
        self.capacity += granted;
        self.chunks.push(Chunk { bytes, granted });
        Ok(())
    }

    /// Takes the arena apart: calls `each` with the position of every record, its state, its mark and how many bytes are still in use, until
    /// the answer is `false`. Each chunk is given back when its records are done.
    pub fn drain(self, mut each: impl FnMut(u64, &[u8], bool, usize) -> bool) {
        let Arena { chunks, mut capacity } = self;
        let list = chunks.capacity() * size_of::<Chunk>();
        for (number, Chunk { bytes: chunk, granted }) in chunks.into_iter().enumerate() {
            let mut start = if number == 0 { UNIT } else { 0 };
            while start < chunk.len() {
                let header = Self::header(&chunk[start..]);
                let end = start + HEADER + (header >> 2) as usize;
                let position = ((number << CHUNK_SHIFT) | (start / UNIT)) as u64;
                let on_stack = header & u32::from(ON_STACK) != 0;
                if !each(position, &chunk[start + HEADER..end], on_stack, capacity + list) {
                    return;
                }
                start = end.next_multiple_of(UNIT);
            }
            capacity -= granted;
        }
    }

    /// The record from its header on.
    #[inline]
    fn record(&self, position: u64) -> &[u8] {
        let chunk = &self.chunks[(position >> CHUNK_SHIFT) as usize].bytes;
        &chunk[(position as usize & ((1 << CHUNK_SHIFT) - 1)) * UNIT..]
    }

    #[inline]
    fn header(record: &[u8]) -> u32 {
        match record.first_chunk::<HEADER>() {
            Some(bytes) => u32::from_le_bytes(*bytes),
            None => 0,
        }
    }

    /// The state at this position, and whether it is marked as on the stack.
    #[inline]
    pub fn get(&self, position: u64) -> (&[u8], bool) {
        let record = self.record(position);
        let header = Self::header(record);
        let length = (header >> 2) as usize;
        (&record[HEADER..HEADER + length], header & u32::from(ON_STACK) != 0)
    }

    /// Asks for the memory of the record at this position.
    #[inline]
    pub fn prefetch(&self, position: u64) {
        if let Some(Chunk { bytes: chunk, .. }) = self.chunks.get((position >> CHUNK_SHIFT) as usize) {
            let start = (position as usize & ((1 << CHUNK_SHIFT) - 1)) * UNIT;
            prefetch(chunk, start);
            prefetch(chunk, start + LINE);
        }
    }

    /// Marks a record as on the stack or off it.
    #[inline]
    pub fn set_on_stack(&mut self, position: u64, on_stack: bool) {
        let chunk = &mut self.chunks[(position >> CHUNK_SHIFT) as usize].bytes;
        let byte = &mut chunk[(position as usize & ((1 << CHUNK_SHIFT) - 1)) * UNIT];
        *byte = *byte & !ON_STACK | u8::from(on_stack);
    }

    /// The first record, if there is one.
    pub fn first(&self) -> Option<u64> {
        self.chunks.first().filter(|chunk| chunk.bytes.len() > UNIT).map(|_| 1)
    }

    /// The record that was added next after this one.
    #[inline]
    pub fn next(&self, position: u64) -> Option<u64> {
        let number = (position >> CHUNK_SHIFT) as usize;
        let start = (position as usize & ((1 << CHUNK_SHIFT) - 1)) * UNIT;
        let chunk = &self.chunks[number].bytes;
        let length = (Self::header(&chunk[start..]) >> 2) as usize;
        let end = start + (HEADER + length).next_multiple_of(UNIT);
        if end < chunk.len() {
            return Some(((number << CHUNK_SHIFT) | (end / UNIT)) as u64);
        }
        // A chunk is opened only to put a record into it at once.
        (number + 1 < self.chunks.len()).then_some(((number + 1) << CHUNK_SHIFT) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_in_order_across_chunks() {
        let mut arena = Arena::default();
        let mut positions = Vec::new();
        // Lengths around the units, and some that do not fit into a chunk.
        for i in 0..30_000usize {
            let length = if i % 10_000 == 9_999 { STEP + 3 } else { i % 97 };
            let state = vec![i as u8; length];
            positions.push(arena.push(&state, i % 2 == 0, usize::MAX).unwrap());
        }
        assert!(arena.chunks.len() > 4);
        let mut at = arena.first();
        for (i, &position) in positions.iter().enumerate() {
            assert_eq!(at, Some(position));
            let (state, on_stack) = arena.get(position);
            assert!(state.iter().all(|&byte| byte == i as u8));
            assert_eq!(on_stack, i % 2 == 0);
            at = arena.next(position);
        }
        assert_eq!(at, None);
        arena.set_on_stack(positions[4], false);
        assert!(!arena.get(positions[4]).1);
        let mut drained = 0;
        let mut left = arena.capacity;
        arena.drain(|position, state, on_stack, in_use| {
            assert_eq!(position, positions[drained]);
            assert!(state.iter().all(|&byte| byte == drained as u8) && on_stack == (drained % 2 == 0 && drained != 4));
            assert!(in_use <= left + (1 << 12));
            left = in_use;
            drained += 1;
            true
        });
        assert!(drained == 30_000 && left < 3 << 20);
    }

    #[test]
    fn a_large_arena_has_large_chunks_and_keeps_its_budget() {
        for more in [0, 1, 3 * STEP + SMALL_CHUNK, 20 * STEP + 5] {
            let mut arena = Arena::default();
            let budget = LARGE + more;
            let mut last = 0;
            while let Ok(position) = arena.push(&[7; 1000], false, budget) {
                assert!(arena.memory() <= budget && position > last);
                last = position;
            }
            assert!(arena.memory() > budget - SMALL_CHUNK - SMALL_CHUNK / 2);
            assert_eq!(arena.chunks.iter().any(|chunk| chunk.bytes.capacity() >= 2 * STEP), more >= STEP);
            assert_eq!(arena.capacity, arena.chunks.iter().map(|chunk| chunk.granted).sum::<usize>());
            assert!(arena.chunks.iter().all(|chunk| chunk.bytes.len() <= chunk.granted));
            let mut at = arena.first();
            let mut count = 0;
            while let Some(position) = at {
                assert_eq!(arena.get(position), (&[7; 1000][..], false));
                (count, at) = (count + 1, arena.next(position));
            }
            assert!(count * 1004 > LARGE - 2 * SMALL_CHUNK && count * 1004 <= budget, "{count}");
        }
    }

    #[test]
    fn budget_is_kept() {
        let mut arena = Arena::default();
        let budget = 3 * SMALL_CHUNK;
        while arena.push(&[7; 100], false, budget).is_ok() {
            assert!(arena.memory() <= budget);
        }
        assert!(arena.memory() > budget - SMALL_CHUNK - SMALL_CHUNK / 2);
    }
}
