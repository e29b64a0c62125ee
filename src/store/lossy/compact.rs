//! Hash compaction: of every visited state only a signature of B bits is kept.
//!
//! Idea: Wolper and Leroy 1993, with the open addressing of Stern and Dill 1995 (see Melatti, Palmer, Gopalakrishnan
//! 2007, section 2). One hash of a state gives the slot where the search for it starts and the step of its probes (double
//! hashing: on a crowded table it meets far fewer signatures than linear probing would); another hash gives the
//! signature. A state whose signature is met on its way is taken for a visited one.
//!
//! Unsound in one direction: two states with the same signature on one probe path are taken for one, and the second is
//! omitted. Every error found is real; "no error found" comes with a bound on the probability of an omission.
//!
//! Cost: exactly `slots * bits` bits, allocated once. A lookup touches 1 / (1 - load) lines of the table on average.

use crate::checkpoint::{Kind, Reader, Save, StoreShape, Writer, section};
use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::lossy::omission::Omission;
use crate::store::parts::hash::{StateHash, scale};
use crate::store::parts::signature::Signatures;
use crate::store::parts::stack_set::StackSet;
use crate::store::parts::words;
use crate::store::parts::zeroed::try_zeroed;
use crate::store::{Handle, LossyStore, Store, StoreStatistics, Visit};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Different probe steps, each without a divisor in common with the number of slots. 1024 are as good as all (the probe
/// sequences of two states that start at one slot coincide once in a thousand), and fit the first-level cache.
const STEPS: usize = 1_024;
/// Makes the seed of the signature's hash different from the slot's (any odd number; this one has mixed digits).
const SECOND_SEED: u64 = 0xD1B5_4A32_D192_ED03;

/// The table. See the head of this file.
#[derive(Debug)]
pub struct CompactStore {
    words: Vec<u64>,
    seed: u64,
    bits: u32,
    slots: u64,
    steps: Vec<u64>,
    place: StateHash,
    signatures: Signatures,
    len: u64,
    /// The hash of the state that was visited last.
    last: u64,
    /// The slots of the states on the stack.
    stack: StackSet,
}

enum Found {
    Match(u64),
    Empty(u64),
    Nowhere,
}

impl CompactStore {
    /// A table of this many slots of `bits` (2 to 64) bits; `None` if the system has no room for it. Unless
    /// `track_stack`, every state is said to be off the stack.
    pub fn new(bits: u8, slots: u64, seed: u64, track_stack: bool) -> Option<Self> {
        let bits = u32::from(bits.clamp(2, 64));
        let slots = slots.max(1);
        let words = (u128::from(slots) * u128::from(bits)).div_ceil(64);
        let words = try_zeroed(usize::try_from(words).ok()?)?;
        let mut rng = SmallRng::seed_from_u64(seed);
        let steps = (0..STEPS).map(|_| coprime(rng.random_range(1..=slots), slots)).collect();
        Some(CompactStore {
            words,
            seed,
            bits,
            slots,
            steps,
            place: StateHash::new(seed),
            signatures: Signatures::of_hash(bits as u8, StateHash::new(seed ^ SECOND_SEED)),
            len: 0,
            last: 0,
            stack: StackSet::new(track_stack),
        })
    }

    /// The most slots of this width that `bytes` hold, all that is allocated counted; at least 1.
    pub fn slots_for(bytes: u64, bits: u8) -> u64 {
        let bytes = bytes.saturating_sub((STEPS * size_of::<u64>()) as u64) / 8 * 8;
        u64::try_from(u128::from(bytes) * 8 / u128::from(bits.clamp(2, 64))).unwrap_or(u64::MAX).max(1)
    }

    /// The bytes that this many slots of this width take.
    pub fn bytes_for(slots: u64, bits: u8) -> u64 {
        let bits = u128::from(slots) * u128::from(bits.clamp(2, 64));
        u64::try_from(bits.div_ceil(64) * 8).unwrap_or(u64::MAX).saturating_add((STEPS * size_of::<u64>()) as u64)
    }

    /// Number of slots.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// States stored.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Is the table empty?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How likely it is that a state was omitted so far.
    pub fn omission(&self) -> Omission {
        Omission::of_compaction(self.len, self.slots, self.signatures.count())
    }

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

    /// Writes into an empty slot.
    #[inline]
    fn write(&mut self, slot: u64, value: u64) {
        let bit = slot as usize * self.bits as usize;
        let (word, shift) = (bit / 64, bit as u32 % 64);
        self.words[word] |= value << shift;
        if shift + self.bits > 64 {
            self.words[word + 1] |= value >> (64 - shift);
        }
    }

    #[inline]
    fn find(&self, hash: u64, signature: u64) -> Found {
        // The slot comes from the upper bits, the step from the lowest.
        let mut slot = scale(hash, self.slots);
        let step = self.steps[hash as usize % STEPS];
        for _ in 0..self.slots {
            match self.read(slot) {
                0 => return Found::Empty(slot),
                other if other == signature => return Found::Match(slot),
                _ => {
                    slot += step;
                    if slot >= self.slots {
                        slot -= self.slots;
                    }
                }
            }
        }
        Found::Nowhere
    }
}

/// The next number from `from` on (around the end, from 1) that has no divisor in common with `slots`.
fn coprime(from: u64, slots: u64) -> u64 {
    let divisor = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut step = from;
    while divisor(step, slots) != 1 {
        step = step % slots + 1;
    }
    step % slots
}

impl Store for CompactStore {
    const EXACT: bool = false;

    #[inline]
    fn visit(&mut self, state: &[u8], _how: TransitionType) -> Visit {
        let signature = self.signatures.of(state);
        self.last = self.place.hash(state);
        match self.find(self.last, signature) {
            Found::Match(slot) => Visit::Seen { on_stack: self.stack.contains(slot) },
            Found::Nowhere => Visit::Full,
            Found::Empty(slot) => {
                self.write(slot, signature);
                self.len += 1;
                self.stack.insert(slot);
                Visit::New(Handle(slot))
            }
        }
    }

    #[inline]
    fn leave(&mut self, handle: Handle) {
        self.stack.remove(handle.0);
    }

    fn contains(&self, state: &[u8]) -> bool {
        matches!(self.find(self.place.hash(state), self.signatures.of(state)), Found::Match(_))
    }

    fn memory(&self) -> usize {
        (self.words.capacity() + self.steps.capacity()) * size_of::<u64>() + self.stack.memory()
    }

    fn limit(&self, _on_stack: u64) -> Limit {
        Limit::TableFull { slots: self.slots }
    }

    fn statistics(&self) -> StoreStatistics {
        StoreStatistics::of_set(self.len, self.omission())
    }
}

impl LossyStore for CompactStore {
    fn visit_anyway(&mut self, state: &[u8]) -> Handle {
        // The signature of the state is on its probe path already: there is nothing to write.
        let slot = match self.find(self.place.hash(state), self.signatures.of(state)) {
            Found::Match(slot) | Found::Empty(slot) => slot,
            Found::Nowhere => 0,
        };
        self.stack.insert(slot);
        Handle(slot)
    }

    fn last_hash(&self) -> u64 {
        self.last
    }
}

impl Save for CompactStore {
    fn shape(&self) -> StoreShape {
        StoreShape { kind: Kind::Compact, bits: Some(self.bits as u8), seed: self.seed, sizes: vec![self.slots] }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.value(section::PARTS, &self.len)?;
        words::save(&self.words, writer)
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        self.len = reader.value(section::PARTS)?;
        words::load(&mut self.words, reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::wide_state as state;

    const HOW: TransitionType = TransitionType::Other;

    /// How many of `count` different states are taken for visited ones; `None` if the table is full.
    fn omitted(store: &mut CompactStore, count: u64) -> Option<u64> {
        let mut omitted = 0;
        for i in 0..count {
            match store.visit(&state(i), HOW) {
                Visit::New(_) => {}
                Visit::Seen { .. } => omitted += 1,
                Visit::Full => return None,
            }
        }
        Some(omitted)
    }

    #[test]
    fn slots_are_packed_without_waste() {
        for bits in 2..=64u8 {
            let mut store = CompactStore::new(bits, 67, 1, false).unwrap();
            assert_eq!(store.words.len() as u64, (67 * u64::from(bits)).div_ceil(64));
            let value = |slot: u64| slot.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits) | 1;
            for slot in 0..67 {
                store.write(slot, value(slot));
            }
            assert!((0..67).all(|slot| store.read(slot) == value(slot)), "{bits}");
        }
        assert_eq!(CompactStore::slots_for(1 << 20, 8), (1 << 20) - 8 * STEPS as u64);
        for bytes in [10_000u64, 65_536, 1_000_001] {
            for bits in [2, 3, 7, 33, 64] {
                let slots = CompactStore::slots_for(bytes, bits);
                assert!(CompactStore::bytes_for(slots, bits) <= bytes);
                assert!(CompactStore::bytes_for(slots + 33, bits) > bytes - 8);
                let store = CompactStore::new(bits, slots, 1, false).unwrap();
                assert_eq!(store.memory() as u64, CompactStore::bytes_for(slots, bits));
            }
        }
    }

    #[test]
    fn wide_signatures_omit_nothing_and_the_table_fills_to_the_last_slot() {
        for slots in [1, 2, 10, 1_009, 3_000] {
            let mut store = CompactStore::new(64, slots, 1, false).unwrap();
            assert_eq!(omitted(&mut store, slots), Some(0));
            assert_eq!(store.visit(&state(slots), HOW), Visit::Full);
            assert!((0..slots).all(|i| store.contains(&state(i))));
            assert!(!store.contains(&state(slots)));
        }
    }

    /// Mean omissions over 40 seeds, against what the store itself expects: `met - stored` with `stored / coverage` met.
    #[test]
    fn measured_omissions_agree_with_the_expected_coverage() {
        for (bits, slots) in [(2, 4_000), (4, 4_000), (5, 8_000), (10, 4_400), (14, 6_000)] {
            let (mut measured, mut expected) = (0.0, 0.0);
            for seed in 0..40 {
                let mut store = CompactStore::new(bits, slots, seed, false).unwrap();
                let count = omitted(&mut store, 4_000).unwrap();
                measured += count as f64;
                expected += store.len() as f64 * (1.0 / store.statistics().coverage - 1.0);
            }
            // The sum is nearly Poisson: five deviations, and two percent for the model.
            let tolerance = 5.0 * f64::sqrt(expected) + 0.02 * expected;
            assert!((measured - expected).abs() < tolerance, "{bits} bits, {slots} slots: {measured}, {expected}");
        }
    }

    /// The share of 300 seeds with any omission, against the bound.
    #[test]
    fn measured_share_of_runs_with_omissions_agrees_with_the_bound() {
        for (bits, slots) in [(16, 2_000), (18, 1_100), (20, 4_000)] {
            let (mut runs, mut bound) = (0.0, 0.0);
            for seed in 0..300 {
                let mut store = CompactStore::new(bits, slots, seed, false).unwrap();
                runs += f64::from(u8::from(omitted(&mut store, 1_000).unwrap() > 0));
                bound += store.statistics().omission_probability;
            }
            assert!((runs - bound).abs() < 4.0 * f64::sqrt(bound) + 1.0, "{bits} bits: {runs} runs, bound {bound}");
        }
    }

    #[test]
    fn the_stack_is_known_and_shared_signatures_do_not_confuse_it() {
        let mut store = CompactStore::new(2, 64, 1, true).unwrap();
        let mut at = 0;
        let Visit::New(first) = store.visit(&state(at), HOW) else { panic!() };
        assert_eq!(store.visit(&state(at), HOW), Visit::Seen { on_stack: true });
        // Find a state that is taken for the first one, and put it onto the stack all the same.
        loop {
            at += 1;
            if store.contains(&state(at)) {
                break;
            }
        }
        let second = store.visit_anyway(&state(at));
        store.leave(second);
        assert_eq!(store.visit(&state(0), HOW), Visit::Seen { on_stack: true });
        store.leave(first);
        assert_eq!(store.visit(&state(0), HOW), Visit::Seen { on_stack: false });
    }

    #[test]
    fn seeds_are_independent() {
        let omissions = |seed| {
            let mut store = CompactStore::new(5, 3_000, seed, false).unwrap();
            (0..2_000).filter(|&i| matches!(store.visit(&state(i), HOW), Visit::Seen { .. })).collect::<Vec<u64>>()
        };
        let (one, two) = (omissions(1), omissions(2));
        let both = one.iter().filter(|i| two.contains(i)).count();
        assert!(one.len() > 20 && two.len() > 20 && both < 10, "{} {} {both}", one.len(), two.len());
        assert_eq!(one, omissions(1));
    }
}
