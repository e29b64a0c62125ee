//! The signatures of what several workers have visited, for a search that keeps no states: a few bits for each, as in hash compaction
//! (see [`crate::store::lossy::compact`]).
//!
//! A search by levels asks while a level is expanded, and adds what was new when the level is over. So nobody writes while somebody reads; and
//! whether a state counts as visited hangs on the *set* of states in the levels before only, if the table looks the same in whatever order
//! they came. It does: this is the ordered hash table of O. Amble and D. E. Knuth ("Ordered hash tables", 1974), which J. Shun and G. Blelloch
//! ("Phase-concurrent hash tables for determinism", SPAA 2014) fill from several threads. A signature goes to the first slot, from its home on,
//! whose signature is not greater; what it finds there goes on to the next slots in the same way, until it meets its equal or an
//! empty slot. Take the signatures in descending order: each stands in the first slot from its home on that the greater ones leave free, and
//! this says nothing of who came first. Equal signatures from different homes share a slot where that is the same slot for both.
//!
//! A state is taken for a visited one if that slot holds its signature. How often that goes wrong: at load `a` and with `V` signatures, the
//! signatures above a random one fill the share `b` of the table, with `b` uniform between 0 and `a`; the state is taken for one of the `da`
//! next ones if both come to the same free slot, and for linear probing two random homes come to the same one with probability
//! `1 / (1 - b)²` over the number of slots. The integral is `a / (1 - a)`, over `V`: exactly as often as with the double hashing of the
//! table for one thread. States of the same level are told apart whole, so the true figure is a little less.
//!
//! The table is in parts, each of which one thread at a time writes to. Behind the last slot of a part comes the first one of the next, so a part
//! that is full takes nothing away: a signature has no room only when every slot of the table is taken. The order in which threads go from part to
//! part does not show either: each slot keeps the greatest of all that come by, whenever they come.
//!
//! Cost: `slots * bits` bits, allocated once. A look-up reads one or two lines.

use super::Budget;
use crate::checkpoint::{Reader, Writer};
use crate::limit::Limit;
use crate::store::lossy::omission::Omission;
use crate::store::parts::hash::scale;
use crate::store::parts::hints::prefetch;
use crate::store::parts::signature::Signatures;
use crate::store::parts::zeroed::try_zeroed;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// The table has so many parts, if each has enough slots then.
const MOST_PARTS: u64 = 64;
const SMALLEST_PART: u64 = 4_096;

/// The table has no room for one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Full;

/// What is kept of the visited states. See the head of this file.
#[derive(Debug)]
pub(super) struct SharedSignatures {
    parts: Vec<RwLock<Part>>,
    signatures: Signatures,
    /// Slots of each part.
    slots: u64,
    /// Slots that are taken or that somebody may still take.
    claimed: AtomicU64,
}

#[derive(Debug)]
struct Part {
    words: Vec<u64>,
    bits: u32,
    slots: u64,
    len: u64,
}

impl Part {
    #[inline]
    fn read(&self, slot: u64) -> u64 {
        let bit = slot as usize * self.bits as usize;
        let (word, shift) = (bit / 64, bit as u32 % 64);
        let mut value = self.words[word] >> shift;
        if shift + self.bits > 64 {
            value |= self.words[word + 1] << (64 - shift);
        }
        value & (u64::MAX >> (64 - self.bits))
    }

    fn write(&mut self, slot: u64, value: u64) {
        let bit = slot as usize * self.bits as usize;
        let (word, shift) = (bit / 64, bit as u32 % 64);
        let mask = u64::MAX >> (64 - self.bits);
        self.words[word] = self.words[word] & !(mask << shift) | value << shift;
        if shift + self.bits > 64 {
            let rest = 64 - shift;
            self.words[word + 1] = self.words[word + 1] & !(mask >> rest) | value >> rest;
        }
    }

    /// Is this signature there for a search that comes to this slot? `None`: it goes on in the next part.
    #[inline]
    fn look(&self, from: u64, signature: u64) -> Option<bool> {
        for slot in from..self.slots {
            let other = self.read(slot);
            if other <= signature {
                return Some(other == signature);
            }
        }
        None
    }

    /// A signature comes to this slot, and what it finds in its place goes on.
    fn pass(&mut self, from: u64, mut carried: u64) -> Passed {
        for slot in from..self.slots {
            let other = self.read(slot);
            if other == carried {
                return Passed::Met;
            }
            if other < carried {
                self.write(slot, carried);
                if other == 0 {
                    self.len += 1;
                    return Passed::Settled;
                }
                carried = other;
            }
        }
        Passed::On(carried)
    }
}

/// What becomes of a signature in a part.
enum Passed {
    /// One more slot is taken.
    Settled,
    /// It, or what it has moved, has met its equal.
    Met,
    /// This one goes on in the next part.
    On(u64),
}

impl SharedSignatures {
    /// An empty table of signatures of so many bits (2 to 64), in at most so many slots; `None` if there is no room for it.
    pub(super) fn new((bits, slots): (u8, u64), seed: u64, budget: &Budget) -> Option<SharedSignatures> {
        let signatures = Signatures::new(bits, seed);
        let bits = u32::from(bits.clamp(2, 64));
        let parts = (slots / SMALLEST_PART).clamp(1, MOST_PARTS);
        let slots = (slots / parts).max(1);
        let words = usize::try_from((u128::from(slots) * u128::from(bits)).div_ceil(64)).ok()?;
        let bytes = words.checked_mul(size_of::<u64>())?.checked_add(size_of::<RwLock<Part>>())?;
        if !budget.take(bytes.checked_mul(parts as usize)?) {
            return None;
        }
        let part = |_| Some(RwLock::new(Part { words: try_zeroed(words)?, bits, slots, len: 0 }));
        let parts = (0..parts).map(part).collect::<Option<Vec<_>>>()?;
        Some(SharedSignatures { parts, signatures, slots, claimed: AtomicU64::new(0) })
    }

    /// The number of the part, and the slot in it, where the search for a state with this hash begins.
    #[inline]
    fn home(&self, hash: u64) -> (usize, u64) {
        let parts = self.parts.len() as u64;
        (scale(hash, parts) as usize, scale(hash.wrapping_mul(parts), self.slots))
    }

    /// The part behind this one; behind the last comes the first.
    #[inline]
    fn after(&self, part: usize) -> usize {
        if part + 1 == self.parts.len() { 0 } else { part + 1 }
    }

    /// All slots.
    pub(super) fn slots(&self) -> u64 {
        self.slots * self.parts.len() as u64
    }

    /// Slots that are taken.
    pub(super) fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.read().unwrap_or_else(PoisonError::into_inner).len).sum()
    }

    /// How likely it is that a state was omitted so far.
    pub(super) fn omission(&self) -> Omission {
        Omission::of_compaction(self.len(), self.slots(), self.signatures.count())
    }

    /// Bits of a signature and slots of the table: what another table must have to take over what this one holds.
    pub(super) fn shape(&self) -> (u8, u64) {
        let bits = self.parts.first().map_or(0, |part| part.read().unwrap_or_else(PoisonError::into_inner).bits);
        (bits as u8, self.slots())
    }

    /// Writes what the table holds into the open section of a checkpoint: of each part the words that are not 0, each with its place.
    pub(super) fn save(&self, writer: &mut Writer) -> Result<(), Limit> {
        for part in &self.parts {
            let part = part.read().unwrap_or_else(PoisonError::into_inner);
            let taken = || part.words.iter().enumerate().filter(|&(_, &word)| word != 0);
            writer.write(&part.len.to_le_bytes())?;
            writer.write(&(taken().count() as u64).to_le_bytes())?;
            for (place, word) in taken() {
                let pair = u128::from(*word) << 64 | place as u128;
                writer.write(&pair.to_le_bytes())?;
            }
        }
        Ok(())
    }

    /// Reads what a table of the same shape has written, from the open section.
    pub(super) fn load(&self, reader: &mut Reader) -> Result<(), Limit> {
        for part in &self.parts {
            let mut part = part.write().unwrap_or_else(PoisonError::into_inner);
            part.len = reader.u64()?;
            for _ in 0..reader.u64()? {
                let (place, value) = (reader.u64()?, reader.u64()?);
                match usize::try_from(place).ok().and_then(|place| part.words.get_mut(place)) {
                    Some(word) => *word = value,
                    None => return Err(reader.refuse("its table is larger than it says")),
                }
            }
        }
        self.claimed.store(self.len(), Ordering::Relaxed);
        Ok(())
    }

    /// To look things up; nobody can add anything as long as somebody has this.
    pub(super) fn open(&self) -> Opened<'_> {
        let read = |part| RwLock::read(part).unwrap_or_else(PoisonError::into_inner);
        Opened { table: self, parts: self.parts.iter().map(read).collect() }
    }

    /// To add about so many signatures. Others may do the same at the same time.
    pub(super) fn entry(&self, count: u64) -> Entry<'_> {
        let claimed = if self.claim(count) { count } else { 0 };
        Entry { table: self, claimed }
    }

    /// Sets so many slots aside, if they are there.
    fn claim(&self, count: u64) -> bool {
        let more = |claimed: u64| claimed.checked_add(count).filter(|&claimed| claimed <= self.slots());
        self.claimed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }
}

/// Adds signatures. As many slots are set aside as may become taken, so there is an empty one for everybody who looks for one.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    table: &'t SharedSignatures,
    claimed: u64,
}

impl Entry<'_> {
    /// Adds the signature of this state, if it is not there.
    pub(super) fn put(&mut self, hash: u64, state: &[u8]) -> Result<(), Full> {
        let (home, signature) = (self.table.home(hash), self.table.signatures.of(state));
        while self.claimed == 0 {
            if self.table.claim(1) {
                self.claimed = 1;
            } else if self.table.len() == self.table.slots() {
                // A full table cannot be changed any more, or a signature would be lost on the way.
                return if self.table.open().has(home, signature) { Ok(()) } else { Err(Full) };
            } else {
                // Somebody has set more aside than is needed, and gives it back soon.
                std::thread::yield_now();
            }
        }
        self.settle(home, signature);
        Ok(())
    }

    /// No part is held while the next one is waited for. What is carried from one to the next is in neither, and nobody looks meanwhile.
    fn settle(&mut self, (mut number, mut slot): (usize, u64), mut carried: u64) {
        loop {
            let part = &self.table.parts[number];
            match part.write().unwrap_or_else(PoisonError::into_inner).pass(slot, carried) {
                Passed::Settled => {
                    self.claimed -= 1;
                    return;
                }
                Passed::Met => return,
                Passed::On(other) => carried = other,
            }
            (number, slot) = (self.table.after(number), 0);
        }
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.table.claimed.fetch_sub(self.claimed, Ordering::Relaxed);
    }
}

/// The table, to be looked at.
#[derive(Debug)]
pub(super) struct Opened<'t> {
    table: &'t SharedSignatures,
    parts: Vec<RwLockReadGuard<'t, Part>>,
}

impl Opened<'_> {
    /// Was this state visited, or one that is taken for it?
    #[inline]
    pub(super) fn holds(&self, hash: u64, state: &[u8]) -> bool {
        self.has(self.table.home(hash), self.table.signatures.of(state))
    }

    #[inline]
    fn has(&self, (part, home): (usize, u64), signature: u64) -> bool {
        self.parts[part].look(home, signature).unwrap_or_else(|| self.has_behind(part, signature))
    }

    /// The same in the parts behind this one, up to where the search has begun.
    #[cold]
    fn has_behind(&self, mut part: usize, signature: u64) -> bool {
        for _ in 0..self.parts.len() {
            part = self.table.after(part);
            if let Some(found) = self.parts[part].look(0, signature) {
                return found;
            }
        }
        false
    }

    /// A state with this hash will be looked up: asks for the memory of its slot.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let (part, home) = self.table.home(hash);
        let part = &self.parts[part];
        prefetch(&part.words, home as usize * part.bits as usize / 64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parts::hash::StateHash;
    use crate::store::testing::wide_state as state;

    fn table(bits: u8, slots: u64, seed: u64) -> SharedSignatures {
        SharedSignatures::new((bits, slots), seed, &Budget::of(usize::MAX)).unwrap()
    }

    fn contents(table: &SharedSignatures) -> Vec<Vec<u64>> {
        table.parts.iter().map(|part| part.read().unwrap().words.clone()).collect()
    }

    /// In whatever order signatures come, and from however many threads, the table is the same in every bit.
    #[test]
    fn the_order_of_insertions_does_not_show() {
        let hash = StateHash::new(1);
        for bits in [2, 3, 7, 13, 40, 63, 64] {
            for (slots, count) in [(100u64, 60u64), (1_000, 990), (9_000, 8_000)] {
                let (one, other) = (table(bits, slots, 1), table(bits, slots, 1));
                let put =
                    |table: &SharedSignatures, i: u64| table.entry(1).put(hash.hash(&state(i)), &state(i)).unwrap();
                (0..count).for_each(|i| put(&one, i));
                std::thread::scope(|scope| {
                    let (other, put) = (&other, &put);
                    for thread in 0..3 {
                        scope.spawn(move || (0..count).rev().filter(|i| i % 3 <= thread).for_each(|i| put(other, i)));
                    }
                });
                assert!(contents(&one) == contents(&other), "{bits} bits, {slots} slots");
                let opened = one.open();
                assert!((0..count).all(|i| opened.holds(hash.hash(&state(i)), &state(i))));
            }
        }
    }

    #[test]
    fn it_fills_to_the_last_slot_and_forgets_nothing_then() {
        let hash = StateHash::new(1);
        let table = table(64, 1_000, 1);
        let put = |i| table.entry(1).put(hash.hash(&state(i)), &state(i));
        assert!((0..1_000).all(|i| put(i) == Ok(())));
        assert_eq!((put(1_000), put(7), table.len()), (Err(Full), Ok(()), 1_000));
        let opened = table.open();
        assert!((0..1_000).all(|i| opened.holds(hash.hash(&state(i)), &state(i))));
        assert!(!opened.holds(hash.hash(&state(1_000)), &state(1_000)));
    }

    /// A part that is full hands on to the next one: there is room as long as one slot of the whole table is empty.
    #[test]
    fn all_parts_fill_to_the_last_slot_from_several_threads() {
        let hash = StateHash::new(1);
        let (one, other) = (table(40, 3 * SMALLEST_PART, 1), table(40, 3 * SMALLEST_PART, 1));
        assert_eq!(one.parts.len(), 3);
        let put = |entry: &mut Entry<'_>, i: u64| entry.put(hash.hash(&state(i)), &state(i));
        let mut alone = one.entry(0);
        assert!((0..one.slots()).all(|i| put(&mut alone, i) == Ok(())));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (other, put) = (&other, &put);
                scope.spawn(move || {
                    let mine: Vec<u64> = (0..other.slots()).rev().filter(|i| i % 4 == thread).collect();
                    for block in mine.chunks(64) {
                        // Some come twice.
                        let mut entry = other.entry(block.len() as u64 + 1);
                        block.iter().chain(&block[..1]).for_each(|&i| assert_eq!(put(&mut entry, i), Ok(())));
                    }
                });
            }
        });
        assert!(contents(&one) == contents(&other));
        assert_eq!((one.len(), put(&mut alone, one.slots()), put(&mut alone, 7)), (one.slots(), Err(Full), Ok(())));
        let opened = other.open();
        assert!((0..one.slots()).all(|i| opened.holds(hash.hash(&state(i)), &state(i))));
    }

    #[test]
    fn the_budget_is_asked_first() {
        let budget = Budget::of(10_000);
        assert!(SharedSignatures::new((40, 100_000), 1, &budget).is_none() && budget.used() == 0);
        assert!(SharedSignatures::new((40, 1_000), 1, &budget).is_some() && budget.used() > 5_000);
    }

    /// Mean omissions over 40 seeds, where every state is a level of its own, against what the table itself expects.
    #[test]
    fn measured_omissions_agree_with_the_expected_share() {
        for (bits, slots) in [(8, 8_000), (10, 4_400), (12, 6_000), (14, 4_100)] {
            let (mut measured, mut expected) = (0.0, 0.0);
            for seed in 0..40 {
                let (table, hash) = (table(bits, slots, seed), StateHash::new(seed));
                for i in 0..4_000 {
                    let at = hash.hash(&state(i));
                    if table.open().holds(at, &state(i)) {
                        measured += 1.0;
                    } else {
                        table.entry(1).put(at, &state(i)).unwrap();
                    }
                }
                expected += table.len() as f64 * (1.0 / table.omission().coverage - 1.0);
            }
            let tolerance = 5.0 * f64::sqrt(expected) + 0.02 * expected;
            assert!((measured - expected).abs() < tolerance, "{bits} bits, {slots} slots: {measured}, {expected}");
        }
    }
}
