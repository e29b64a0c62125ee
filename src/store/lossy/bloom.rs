//! A Bloom filter: every visited state sets K bits of one long row.
//!
//! Idea: Bloom 1970; as SPIN's bitstate search with K = 3 since Holzmann 1998; the analysis and the double hashing are
//! those of Dillinger and Manolios 2004 (see Melatti, Palmer, Gopalakrishnan 2007, section 2). A state all of whose bits
//! are set is taken for a visited one.
//!
//! Unsound in one direction: a new state whose bits were all set by other states is omitted. Every error found is real. The
//! share of set bits tells how likely an omission was. A filter is never full; the more bits are set, the more states it omits.
//!
//! Cost: the bits that were asked for, allocated once; K cache misses for a visited state, fewer for a new one.

use crate::checkpoint::{Kind, Reader, Save, StoreShape, Writer, section};
use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::lossy::omission::Omission;
use crate::store::parts::hash::{StateHash, scale};
use crate::store::parts::stack_set::StackSet;
use crate::store::parts::words;
use crate::store::parts::zeroed::try_zeroed;
use crate::store::{Handle, LossyStore, Store, StoreStatistics, Visit};

/// Makes the seed of the second hash different from that of the first.
const SECOND_SEED: u64 = 0x8CB9_2BA7_2F3D_8DD7;
/// Most hash functions: with more the row fills up faster than they tell states apart, whatever its size per state.
pub const MAX_FUNCTIONS: u32 = 64;

/// The filter. See the head of this file.
#[derive(Debug)]
pub struct BloomStore {
    words: Vec<u64>,
    seed: u64,
    bits: u64,
    functions: u32,
    first: StateHash,
    second: StateHash,
    len: u64,
    /// Bits that are set.
    ones: u64,
    /// The first hash of the state that was visited last.
    last: u64,
    /// The first hashes of the states on the stack: exact unless two states of one path share all 64 bits.
    stack: StackSet,
}

impl BloomStore {
    /// A filter of `bytes` (rounded down to words) with `functions` hash functions; `None` if the system has no room.
    /// Unless `track_stack`, every state is said to be off the stack.
    pub fn new(bytes: u64, functions: u8, seed: u64, track_stack: bool) -> Option<Self> {
        let words = usize::try_from(bytes / 8).ok()?.max(1);
        Some(BloomStore {
            words: try_zeroed(words)?,
            seed,
            bits: words as u64 * 64,
            functions: u32::from(functions).clamp(1, MAX_FUNCTIONS),
            first: StateHash::new(seed),
            second: StateHash::new(seed ^ SECOND_SEED),
            len: 0,
            ones: 0,
            last: 0,
            stack: StackSet::new(track_stack),
        })
    }

    /// The bytes in which this many functions are the best choice for so many states: half of the bits end up set.
    pub fn bytes_for(states: u64, functions: u8) -> u64 {
        let bits = states as f64 * f64::from(functions.max(1)) / std::f64::consts::LN_2;
        // Up to whole words. A float beyond u64 becomes its greatest value, which no system has room for.
        ((bits / 64.0).ceil() as u64).saturating_mul(8).max(8)
    }

    /// The bytes of so many slots of one bit per function: what signatures of as many bits would take.
    pub fn bytes_of_slots(slots: u64, functions: u8) -> u64 {
        let bits = u128::from(slots) * u128::from(functions.max(1));
        u64::try_from(bits.div_ceil(64) * 8).unwrap_or(u64::MAX)
    }

    /// The best number of hash functions for so many states in so many bytes.
    pub fn functions_for(states: u64, bytes: u64) -> u8 {
        let best = bytes as f64 * 8.0 / states.max(1) as f64 * std::f64::consts::LN_2;
        best.round().clamp(1.0, f64::from(MAX_FUNCTIONS)) as u8
    }

    /// States stored.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Is the filter empty?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Share of the bits that are set.
    pub fn fill(&self) -> f64 {
        self.ones as f64 / self.bits as f64
    }

    /// How likely it is that a state was omitted so far.
    pub fn omission(&self) -> Omission {
        Omission::of_bloom(self.len, self.fill(), self.functions)
    }

    /// Enhanced double hashing: the places of a state, as (word, mask).
    #[inline]
    fn places(&self, first: u64, mut step: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let (bits, mut at) = (self.bits, first);
        (1..=u64::from(self.functions)).map(move |i| {
            let bit = scale(at, bits);
            at = at.wrapping_add(step);
            step = step.wrapping_add(i);
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }
}

impl Store for BloomStore {
    const EXACT: bool = false;

    #[inline]
    fn visit(&mut self, state: &[u8], _how: TransitionType) -> Visit {
        let (first, second) = (self.first.hash(state), self.second.hash(state));
        self.last = first;
        let mut set = 0;
        for (word, mask) in self.places(first, second) {
            let old = self.words[word];
            if old & mask == 0 {
                self.words[word] = old | mask;
                set += 1;
            }
        }
        if set == 0 {
            return Visit::Seen { on_stack: self.stack.contains(first) };
        }
        self.ones += set;
        self.len += 1;
        self.stack.insert(first);
        Visit::New(Handle(first))
    }

    #[inline]
    fn leave(&mut self, handle: Handle) {
        self.stack.remove(handle.0);
    }

    fn contains(&self, state: &[u8]) -> bool {
        let (first, second) = (self.first.hash(state), self.second.hash(state));
        self.places(first, second).all(|(word, mask)| self.words[word] & mask != 0)
    }

    fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>() + self.stack.memory()
    }

    fn limit(&self, _on_stack: u64) -> Limit {
        // A filter is never full, so nobody asks.
        Limit::TableFull { slots: self.bits }
    }

    fn statistics(&self) -> StoreStatistics {
        StoreStatistics::of_set(self.len, self.omission())
    }
}

impl LossyStore for BloomStore {
    fn visit_anyway(&mut self, state: &[u8]) -> Handle {
        // All bits of the state are set already.
        let first = self.first.hash(state);
        self.stack.insert(first);
        Handle(first)
    }

    fn last_hash(&self) -> u64 {
        self.last
    }
}

impl Save for BloomStore {
    fn shape(&self) -> StoreShape {
        let sizes = vec![self.words.len() as u64 * 8, u64::from(self.functions)];
        StoreShape { kind: Kind::Bloom, bits: Some(1), seed: self.seed, sizes }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.value(section::PARTS, &(self.len, self.ones))?;
        words::save(&self.words, writer)
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        (self.len, self.ones) = reader.value(section::PARTS)?;
        words::load(&mut self.words, reader)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::testing::wide_state as state;

    const HOW: TransitionType = TransitionType::Other;

    fn omitted(store: &mut BloomStore, count: u64) -> u64 {
        (0..count).map(|i| u64::from(!matches!(store.visit(&state(i), HOW), Visit::New(_)))).sum()
    }

    #[test]
    fn what_was_visited_is_seen_and_memory_is_what_was_asked_for() {
        for bytes in [8, 1_000, 4_096, 100_003] {
            let mut store = BloomStore::new(bytes, 3, 1, false).unwrap();
            let count = omitted(&mut store, 500);
            assert!((0..500).all(|i| store.contains(&state(i))));
            assert_eq!(store.len() + count, 500);
            assert!(store.memory() as u64 <= bytes && store.memory() as u64 + 8 > bytes);
            assert_eq!(store.ones, store.words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>());
        }
    }

    /// Mean omissions over 40 seeds against the estimate from the fill, from nearly blind to nearly exact.
    #[test]
    fn measured_omissions_agree_with_the_estimate() {
        for (functions, bytes) in [(2, 1_500), (3, 2_500), (5, 3_700), (10, 7_250)] {
            let (mut measured, mut expected) = (0.0, 0.0);
            for seed in 0..40 {
                let mut store = BloomStore::new(bytes, functions, seed, false).unwrap();
                measured += omitted(&mut store, 4_000) as f64;
                expected += store.len() as f64 * (1.0 / store.statistics().coverage - 1.0);
            }
            let tolerance = 5.0 * f64::sqrt(expected) + 0.03 * expected;
            assert!((measured - expected).abs() < tolerance, "{functions}: {measured}, {expected}");
        }
    }

    #[test]
    fn measured_share_of_runs_with_omissions_agrees_with_the_bound() {
        let (mut runs, mut bound) = (0.0, 0.0);
        for seed in 0..300 {
            let mut store = BloomStore::new(BloomStore::bytes_for(1_000, 11), 11, seed, false).unwrap();
            runs += f64::from(u8::from(omitted(&mut store, 1_000) > 0));
            bound += store.statistics().omission_probability;
        }
        assert!((runs - bound).abs() < 4.0 * f64::sqrt(bound) + 1.0, "{runs} runs, bound {bound}");
    }

    #[test]
    fn sizes() {
        assert_eq!(BloomStore::functions_for(1_000_000, BloomStore::bytes_for(1_000_000, 7)), 7);
        let mut store = BloomStore::new(BloomStore::bytes_for(10_000, 3), 3, 1, false).unwrap();
        omitted(&mut store, 10_000);
        assert!((store.fill() - 0.5).abs() < 0.03, "{}", store.fill());
        assert!(BloomStore::new(BloomStore::bytes_for(u64::MAX, 64), 3, 1, false).is_none());
        assert_eq!(BloomStore::functions_for(0, u64::MAX), MAX_FUNCTIONS as u8);
    }

    #[test]
    fn the_stack_is_known() {
        let mut store = BloomStore::new(4_096, 3, 1, true).unwrap();
        let Visit::New(handle) = store.visit(&state(0), HOW) else { panic!() };
        assert_eq!(store.visit(&state(0), HOW), Visit::Seen { on_stack: true });
        store.leave(handle);
        assert_eq!(store.visit(&state(0), HOW), Visit::Seen { on_stack: false });
        let handle = store.visit_anyway(&state(0));
        assert_eq!(store.visit(&state(0), HOW), Visit::Seen { on_stack: true });
        store.leave(handle);
    }
}
