//! Numbers for words of 128 bits: the same word always gets the same number, and a number gives its word back. The words are
//! the inner nodes of the tree (up to four numbers in one word) and its leaves (up to sixteen bytes of a state).
//!
//! Idea: the words lie in pages, in the order of their numbers, and are never moved. An index finds the number of a word: entries
//! of five bytes by open addressing, each a number and 11 bits of the word's hash, so that an entry of another word is nearly
//! always told apart without looking at that word. The index is cut into 64 parts which grow alone, by a quarter, so that
//! never more than a 64th of it is in memory twice. In front of the index a small table remembers which numbers were asked for
//! last: a search that goes back and forth asks for the same few words again and again.
//!
//! Cost: 16 bytes a word, 6 to 8 of index, and 128 KiB.

use super::packed::Packed;
use super::roots::ID_BITS;
use crate::store::parts::arena::NoRoom;

/// Words of a full page, as a power of two: 64 KiB.
const PAGE_BITS: u32 = 12;
const PAGE: usize = 1 << PAGE_BITS;
/// Words of the first page when it is begun.
const FIRST_PAGE: usize = 32;
/// Parts of the index, as a power of two.
const PART_BITS: u32 = 6;
/// Bytes of an entry: a number plus 1, above it bits of the hash.
const ENTRY: usize = 5;
const TAG_BITS: u32 = 8 * ENTRY as u32 - ID_BITS;
/// A part grows above 4/5, by a quarter.
const LOAD: (usize, usize) = (4, 5);
/// Slots of a part that was just begun.
const FIRST_SLOTS: usize = 8;
/// Entries of the table of recent numbers, as a power of two, and from how many words on there is one.
const RECENT_BITS: u32 = 12;
const FIRST_RECENT: usize = 1_024;

/// A part of the index.
#[derive(Debug, Default)]
struct Part {
    entries: Packed,
    slots: usize,
    len: usize,
}

/// The words and their numbers. See the head of this file.
#[derive(Debug)]
pub(super) struct Nodes {
    pages: Vec<Vec<u128>>,
    len: u32,
    parts: Vec<Part>,
    recent: Vec<(u128, u32)>,
    memory: usize,
}

impl Default for Nodes {
    fn default() -> Nodes {
        let parts: Vec<Part> = (0..1 << PART_BITS).map(|_| Part::default()).collect();
        let memory = parts.capacity() * size_of::<Part>();
        Nodes { pages: Vec::new(), len: 0, parts, recent: Vec::new(), memory }
    }
}

/// Who gives numbers to words. The same word always gets the same number, and a number gives its word back.
pub(in crate::store) trait Interner {
    /// The number of a word, which gets one if it has none; `room` is how many bytes all words may take.
    fn number(&mut self, word: u128, room: usize) -> Result<u32, NoRoom>;
    /// The word with this number.
    fn word(&self, id: u32) -> u128;
}

impl Interner for Nodes {
    #[inline]
    fn number(&mut self, word: u128, room: usize) -> Result<u32, NoRoom> {
        self.intern_within(word, room)
    }

    #[inline]
    fn word(&self, id: u32) -> u128 {
        Nodes::word(self, id)
    }
}

/// Spreads a word over 64 bits; all of them depend on all bits of the word.
#[inline]
pub(in crate::store) fn hash(word: u128) -> u64 {
    let (low, high) = (word as u64, (word >> 64) as u64);
    let product = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high.rotate_left(32) ^ 0xD6E8_FEB8_6659_FD93);
    let folded = product as u64 ^ (product >> 64) as u64 ^ low;
    (folded ^ folded >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

/// The tag of a hash, as it stands in an entry. Its bits are none of those that choose part and slot.
#[inline]
fn tag(hash: u64) -> u64 {
    (hash & ((1 << TAG_BITS) - 1)) << ID_BITS
}

impl Part {
    /// The slot where an entry with this hash belongs.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << PART_BITS) * self.slots as u128) >> 64) as usize
    }

    #[inline]
    fn next(&self, place: usize) -> usize {
        if place + 1 < self.slots { place + 1 } else { 0 }
    }

    fn put(&mut self, hash: u64, id: u32) {
        let mut place = self.home(hash);
        while self.entries.get(place) != 0 {
            place = self.next(place);
        }
        self.entries.set(place, tag(hash) | (u64::from(id) + 1));
        self.len += 1;
    }
}

/// The number in an entry that is not empty.
#[inline]
fn id(entry: u64) -> u32 {
    ((entry & ((1 << ID_BITS) - 1)) as u32).wrapping_sub(1)
}

impl Nodes {
    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    /// The word with this number.
    #[inline]
    pub(super) fn word(&self, id: u32) -> u128 {
        let page = self.pages.get((id >> PAGE_BITS) as usize);
        page.and_then(|page| page.get(id as usize & (PAGE - 1))).copied().unwrap_or(0)
    }

    #[inline]
    fn lookup(&self, word: u128, hash: u64) -> Option<u32> {
        let part = &self.parts[(hash >> (64 - PART_BITS)) as usize];
        let mut place = part.home(hash);
        let tag = tag(hash);
        loop {
            // There is always an empty slot, and a part without slots reads as empty.
            let entry = part.entries.get(place);
            if entry == 0 {
                return None;
            }
            if entry >> ID_BITS == tag >> ID_BITS && self.word(id(entry)) == word {
                return Some(id(entry));
            }
            place = part.next(place);
        }
    }

    /// The number of a word that was inserted.
    pub(super) fn find(&self, word: u128) -> Option<u32> {
        self.lookup(word, hash(word))
    }

    /// The number of a word, which gets the next one if it has none; `room` is how many more bytes may be taken.
    pub(super) fn intern(&mut self, word: u128, room: usize) -> Result<u32, NoRoom> {
        self.intern_within(word, room.saturating_add(self.memory))
    }

    /// As [`intern`](Self::intern); `room` is how many bytes may be taken in all.
    #[inline]
    fn intern_within(&mut self, word: u128, room: usize) -> Result<u32, NoRoom> {
        let hash = hash(word);
        // The middle of the hash: the upper bits choose the slot, the lower ones are the tag.
        let recent = (hash >> 20) as usize & ((1 << RECENT_BITS) - 1);
        if let Some(&(known, id)) = self.recent.get(recent)
            && known == word
        {
            return Ok(id);
        }
        let id = match self.lookup(word, hash) {
            Some(id) => id,
            None => self.add(word, hash, room.saturating_sub(self.memory))?,
        };
        if let Some(place) = self.recent.get_mut(recent) {
            *place = (word, id);
        }
        Ok(id)
    }

    #[cold]
    fn add(&mut self, word: u128, hash: u64, room: usize) -> Result<u32, NoRoom> {
        let before = self.memory;
        let id = self.len;
        if u64::from(id) + 2 >= 1 << ID_BITS {
            return Err(NoRoom);
        }
        self.make_page(room)?;
        let taken = self.memory - before;
        let part = (hash >> (64 - PART_BITS)) as usize;
        if (self.parts[part].len + 1) * LOAD.1 > self.parts[part].slots * LOAD.0 {
            self.grow(part, room.saturating_sub(taken))?;
        }
        let taken = self.memory - before;
        self.remember(room.saturating_sub(taken));
        if let Some(page) = self.pages.last_mut() {
            page.push(word);
        }
        self.len += 1;
        self.parts[part].put(hash, id);
        Ok(id)
    }

    /// Makes the last page have room for one more word.
    fn make_page(&mut self, room: usize) -> Result<(), NoRoom> {
        let only_one = self.pages.len() <= 1;
        if let Some(page) = self.pages.last_mut()
            && page.len() < PAGE
        {
            let before = page.capacity();
            if page.len() < before {
                return Ok(());
            }
            // Only the first page doubles until it is a full one. While it moves, both copies are there.
            let wanted = if only_one { (before * 2).min(PAGE) } else { PAGE };
            if wanted * size_of::<u128>() > room {
                return Err(NoRoom);
            }
            page.try_reserve_exact(wanted - page.len()).map_err(|_| NoRoom)?;
            self.memory += (page.capacity() - before) * size_of::<u128>();
            return Ok(());
        }
        let first = if self.pages.is_empty() { FIRST_PAGE } else { PAGE };
        if first * size_of::<u128>() > room {
            return Err(NoRoom);
        }
        let mut page = Vec::new();
        page.try_reserve_exact(first).map_err(|_| NoRoom)?;
        let before = self.pages.capacity();
        self.pages.try_reserve(1).map_err(|_| NoRoom)?;
        self.memory += (self.pages.capacity() - before) * size_of::<Vec<u128>>() + page.capacity() * size_of::<u128>();
        self.pages.push(page);
        Ok(())
    }

    /// Makes a part of the index larger. The hashes are those of the words, which are looked at again.
    fn grow(&mut self, number: usize, room: usize) -> Result<(), NoRoom> {
        let slots = (self.parts[number].slots / 4 * 5).max(self.parts[number].slots + FIRST_SLOTS);
        if Packed::size(slots, ENTRY) > room {
            return Err(NoRoom);
        }
        let mut larger = Part { entries: Packed::new(slots, ENTRY)?, slots, len: 0 };
        let part = &self.parts[number];
        for place in 0..part.slots {
            let entry = part.entries.get(place);
            if entry != 0 {
                larger.put(hash(self.word(id(entry))), id(entry));
            }
        }
        self.memory = self.memory + larger.entries.memory() - part.entries.memory();
        self.parts[number] = larger;
        Ok(())
    }

    /// Begins the table of recent numbers where it pays.
    fn remember(&mut self, room: usize) {
        let size = size_of::<(u128, u32)>() << RECENT_BITS;
        if self.recent.is_empty() && self.len as usize >= FIRST_RECENT && size * 8 <= room {
            // The word 0 has some number by now, or none is asked for.
            let zero = self.find(0).unwrap_or(u32::MAX);
            if zero != u32::MAX && self.recent.try_reserve_exact(1 << RECENT_BITS).is_ok() {
                self.recent.resize(1 << RECENT_BITS, (0, zero));
                self.memory += self.recent.capacity() * size_of::<(u128, u32)>();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_number_each_and_come_back() {
        let mut nodes = Nodes::default();
        let word = |i: u128| if i.is_multiple_of(2) { i << 70 } else { i.wrapping_mul(0x9E37_79B9_7F4A_7C15) };
        for i in 0..100_000 {
            assert_eq!(nodes.find(word(i)), None);
            assert_eq!(nodes.intern(word(i), usize::MAX), Ok(i as u32));
            assert_eq!(nodes.intern(word(i / 2), usize::MAX), Ok(i as u32 / 2));
        }
        for i in 0..100_000 {
            assert_eq!(nodes.find(word(i)), Some(i as u32));
            assert_eq!(nodes.word(i as u32), word(i));
        }
        assert!(nodes.memory() / 100_000 < 26, "{}", nodes.memory());
    }

    #[test]
    fn the_room_is_not_exceeded() {
        for budget in [4_000, 10_000, 100_000, 1_000_000] {
            let mut nodes = Nodes::default();
            let mut i = 0;
            while nodes.intern(i * 3, budget - nodes.memory()).is_ok() {
                assert!(nodes.memory() <= budget);
                i += 1;
            }
            for i in 0..i {
                assert_eq!(nodes.find(i * 3), Some(i as u32));
            }
            assert!(budget < 1_000_000 || i as usize > budget / 40, "{budget}: {i}");
        }
    }
}
