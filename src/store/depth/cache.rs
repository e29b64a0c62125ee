//! The bounded cache of depth-first search: at most N states at any moment.
//!
//! Idea: state-space caching (Holzmann 1985; Godefroid, Holzmann, Pirottin 1995, section 2). All states of the current path
//! are kept, so that every cycle is recognized and the search ends. Of the other states as many are kept as fit, and
//! [`Replacement`] says which one is forgotten when a new state needs room.
//!
//! Sound: states are kept whole, so no state is ever taken for another one and nothing is omitted; a forgotten state is
//! explored again. Without sleep sets that work explodes once N falls below a third of the states (Figure 4 of the paper).
//! When the path alone needs more than N states the answer is [`Visit::Full`], and so it is when too much is explored again
//! (`revisits`).
//!
//! Cost: 16 KiB, and per state a place of the slab (the longest state so far), 12 to 24 bytes of table, 20 bytes of hash, traits and list. Nothing is
//! allocated after the cache has filled. Insertion, eviction and lookup take constant time.

use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::depth::replace::{Evictable, Replacement, Traits};
use crate::store::depth::revisits::Revisits;
use crate::store::lossy::omission::Omission;
use crate::store::parts::hash::StateHash;
use crate::store::parts::slab::Slab;
use crate::store::parts::zeroed::try_zeroed;
use crate::store::{Handle, Store, StoreStatistics, Visit};

/// Slots of the first table.
const FIRST_TABLE: usize = 64;
/// Highest load of the table. Removal shifts entries back, whose cost grows with the length of runs: 2/3 keeps them at 5.
const LOAD: (usize, usize) = (2, 3);
/// A word of the table is the upper half of the hash and the state's number + 1 (0 is an empty slot).
const NUMBER_MASK: u64 = u32::MAX as u64;

/// The cache. See the head of this file.
#[derive(Debug)]
pub struct CacheStore {
    /// The most states the cache may hold now; falls to the number that it holds when memory ends.
    limit: usize,
    /// The most states that the user allows.
    asked: usize,
    budget: usize,
    table: Vec<u64>,
    /// The slot of a word is `word >> shift`.
    shift: u32,
    /// Upper half of each state's hash, to find its slot again.
    hashes: Vec<u32>,
    traits: Vec<Traits>,
    slab: Slab,
    on_stack: u64,
    hash: StateHash,
    evictable: Evictable,
    revisits: Revisits,
    stored: u64,
    evicted: u64,
}

impl CacheStore {
    /// A cache of at most `limit` states and `budget` bytes; `seed` is for the hash and for the random choices.
    pub fn new(limit: u64, replacement: Replacement, seed: u64, budget: usize) -> Self {
        // Numbers are 32 bits wide, and one value is taken for the empty slot.
        let limit = limit.min(u64::from(u32::MAX) - 1) as usize;
        CacheStore {
            limit,
            asked: limit,
            budget,
            table: Vec::new(),
            shift: 63,
            hashes: Vec::new(),
            traits: Vec::new(),
            slab: Slab::default(),
            on_stack: 0,
            hash: StateHash::new(seed),
            evictable: Evictable::new(replacement, seed),
            revisits: Revisits::new(1.0),
            stored: 0,
            evicted: 0,
        }
    }

    /// The same cache, which gives up when more than this share of its insertions are of states that it had before.
    pub fn giving_up_at(mut self, rate: f64) -> Self {
        self.revisits = Revisits::new(rate);
        self
    }

    /// States on the stack now.
    pub fn on_stack(&self) -> u64 {
        self.on_stack
    }

    /// States held now.
    pub fn len(&self) -> usize {
        self.traits.len()
    }

    /// Is no state held?
    pub fn is_empty(&self) -> bool {
        self.traits.is_empty()
    }

    fn room(&self) -> usize {
        self.budget.saturating_sub(self.memory())
    }

    /// The number of a state, or the empty slot where it would go.
    #[inline]
    fn find(&self, hash: u64, state: &[u8]) -> Result<u32, usize> {
        if self.table.is_empty() {
            return Err(0);
        }
        let mask = self.table.len() - 1;
        let mut slot = (hash >> self.shift) as usize;
        loop {
            let word = self.table[slot & mask];
            if word == 0 {
                return Err(slot & mask);
            }
            if (word ^ hash) >> 32 == 0 {
                let number = (word & NUMBER_MASK) as u32 - 1;
                if self.slab.get(number as usize) == Some(state) {
                    return Ok(number);
                }
            }
            slot += 1;
        }
    }

    /// Makes room in the table, the lists and the bytes for one more state of this length. False: out of memory.
    fn make_room(&mut self, length: usize) -> bool {
        let count = self.traits.len() + 1;
        if count * LOAD.1 > self.table.len() * LOAD.0 && !self.grow_table() {
            return false;
        }
        self.reserve(count, length)
    }

    /// Reserves for `count` states, half as much again as there are.
    fn reserve(&mut self, count: usize, length: usize) -> bool {
        if count <= self.slab.len() && self.slab.fits(length) {
            return true;
        }
        // If the budget does not have that, one state more.
        let wish = (count + count / 2 + 8).min(self.limit.max(count));
        for wanted in [wish, count] {
            let wanted = wanted.max(self.slab.len());
            let more = wanted - self.traits.len();
            // The list of the evictable grows by itself, doubling.
            let room = self.room().saturating_sub(more * (size_of::<Traits>() + size_of::<u32>() * 3));
            if self.slab.widen(length, wanted, room) {
                return self.traits.try_reserve_exact(more).is_ok() && self.hashes.try_reserve_exact(more).is_ok();
            }
        }
        false
    }

    fn grow_table(&mut self) -> bool {
        let slots = (self.table.len() * 2).max(FIRST_TABLE);
        if slots * size_of::<u64>() > self.room() {
            return false;
        }
        let Some(larger) = try_zeroed(slots) else { return false };
        let old = std::mem::replace(&mut self.table, larger);
        // At most 2^32 states fit 2^33 slots, more than 32 bits of hash can tell apart: then two slots share a home.
        self.shift = 64 - slots.ilog2().min(32);
        for word in old.into_iter().filter(|&word| word != 0) {
            self.put(word);
        }
        true
    }

    fn put(&mut self, word: u64) {
        let mask = self.table.len() - 1;
        let mut slot = (word >> self.shift) as usize;
        while self.table[slot & mask] != 0 {
            slot += 1;
        }
        self.table[slot & mask] = word;
    }

    /// Takes a state's word out of the table; later ones of its run move back, so no mark is left behind.
    fn unlink(&mut self, number: u32) {
        let mask = self.table.len() - 1;
        let word = u64::from(self.hashes[number as usize]) << 32 | (u64::from(number) + 1);
        let mut hole = (word >> self.shift) as usize & mask;
        while self.table[hole] != word {
            hole = (hole + 1) & mask;
        }
        let mut slot = hole;
        loop {
            slot = (slot + 1) & mask;
            let next = self.table[slot];
            if next == 0 {
                break;
            }
            // It may move into the hole if its home is not between the hole and itself.
            let home = (next >> self.shift) as usize & mask;
            if slot.wrapping_sub(home) & mask >= slot.wrapping_sub(hole) & mask {
                self.table[hole] = next;
                hole = slot;
            }
        }
        self.table[hole] = 0;
    }

    /// A number for a new state: a fresh one, or that of a state that is forgotten.
    fn number_for(&mut self, length: usize) -> Option<u32> {
        if self.traits.len() < self.limit {
            if self.make_room(length) {
                return Some(self.traits.len() as u32);
            }
            // Out of memory: the cache is as large as it gets.
            self.limit = self.traits.len();
        }
        if !self.slab.fits(length) {
            let room = self.room();
            if !self.slab.widen(length, self.limit, room) {
                return None;
            }
        }
        let number = self.evictable.choose(&mut self.traits)?;
        self.unlink(number);
        self.evicted += 1;
        Some(number)
    }
}

impl Store for CacheStore {
    const EXACT: bool = true;

    #[inline]
    fn visit(&mut self, state: &[u8], how: TransitionType) -> Visit {
        let hash = self.hash.hash(state);
        if let Ok(number) = self.find(hash, state) {
            self.evictable.meet(&mut self.traits, number, how);
            return Visit::Seen { on_stack: self.traits[number as usize].on_stack };
        }
        if self.revisits.given_up() {
            return Visit::Full;
        }
        let Some(number) = self.number_for(state.len()) else { return Visit::Full };
        self.revisits.note(hash);
        self.slab.set(number as usize, state);
        let traits = self.evictable.arrive(how);
        if number as usize == self.traits.len() {
            self.traits.push(traits);
            self.hashes.push((hash >> 32) as u32);
        } else {
            self.traits[number as usize] = traits;
            self.hashes[number as usize] = (hash >> 32) as u32;
        }
        self.put(hash & !NUMBER_MASK | (u64::from(number) + 1));
        self.stored += 1;
        self.on_stack += 1;
        Visit::New(Handle(u64::from(number)))
    }

    #[inline]
    fn leave(&mut self, handle: Handle) {
        self.on_stack -= 1;
        self.evictable.leave(&mut self.traits, handle.0 as u32);
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.find(self.hash.hash(state), state).is_ok()
    }

    fn memory(&self) -> usize {
        self.table.capacity() * size_of::<u64>()
            + self.hashes.capacity() * size_of::<u32>()
            + self.traits.capacity() * size_of::<Traits>()
            + self.slab.memory()
            + self.evictable.memory()
            + self.revisits.memory()
    }

    fn limit(&self, on_stack: u64) -> Limit {
        if self.revisits.given_up() {
            let thousandths = |rate: f64| (rate * 1000.0).round() as u32;
            let (rate, bound) = (thousandths(self.revisits.rate()), thousandths(self.revisits.bound()));
            return Limit::Revisits { rate, bound, helps: String::new() };
        }
        if self.on_stack < self.asked as u64 {
            return Limit::Memory { used: self.memory() as u64, budget: self.budget as u64 };
        }
        Limit::CacheBelowStack { cache: self.asked as u64, needed: on_stack.max(self.on_stack) + 1 }
    }

    fn statistics(&self) -> StoreStatistics {
        // States are only ever replaced, never removed: what is held now is the most that was.
        StoreStatistics {
            peak: self.traits.len() as u64,
            evicted: self.evicted,
            revisit_rate: (self.evicted > 0).then(|| self.revisits.rate()),
            ..StoreStatistics::of_set(self.stored, Omission::NONE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};
    use std::collections::HashMap;

    const ALL: [Replacement; 7] = [
        Replacement::Cost,
        Replacement::Random,
        Replacement::Type { scan: 8 },
        Replacement::MostVisited,
        Replacement::LeastVisited,
        Replacement::LargestClass,
        Replacement::SmallestSubtree,
    ];

    fn state(i: u32) -> Vec<u8> {
        let mut bytes = i.to_le_bytes().to_vec();
        bytes.resize(4 + (i % 37) as usize, 1);
        bytes
    }

    fn kind(i: u32) -> TransitionType {
        [TransitionType::Control, TransitionType::Send, TransitionType::Assign, TransitionType::Other][i as usize % 4]
    }

    /// A depth-first walk over random graphs. What is on the stack must be found; what is answered as seen must have
    /// been inserted; never more than the limit.
    #[test]
    fn the_stack_is_pinned_and_the_bound_kept() {
        for replacement in ALL {
            for (limit, seed) in [(40, 1), (41, 2), (300, 3)] {
                let mut store = CacheStore::new(limit, replacement, seed, usize::MAX);
                let mut rng = SmallRng::seed_from_u64(seed);
                let mut stack: Vec<(u32, Handle)> = Vec::new();
                let mut known: HashMap<u32, u64> = HashMap::new();
                for _ in 0..20_000 {
                    if stack.len() == 38 || (!stack.is_empty() && rng.random_bool(0.45)) {
                        let (_, handle) = stack.pop().unwrap();
                        store.leave(handle);
                        continue;
                    }
                    let next = rng.random_range(0..1_000);
                    let on_stack = stack.iter().any(|&(i, _)| i == next);
                    match store.visit(&state(next), kind(next)) {
                        Visit::New(handle) => {
                            assert!(!on_stack, "{replacement:?}");
                            *known.entry(next).or_default() += 1;
                            stack.push((next, handle));
                        }
                        Visit::Seen { on_stack: answer } => {
                            assert_eq!(answer, on_stack, "{replacement:?}");
                            assert!(known.contains_key(&next));
                        }
                        Visit::Full => panic!("{replacement:?}"),
                    }
                    assert!(store.len() <= limit as usize);
                    assert_eq!(store.on_stack(), stack.len() as u64);
                    assert_eq!(store.table.iter().filter(|&&word| word != 0).count(), store.len());
                }
                let statistics = store.statistics();
                assert_eq!(statistics.stored, known.values().sum::<u64>());
                assert_eq!(statistics.evicted, statistics.stored - limit);
                assert_eq!(statistics.peak, limit);
                let found = (0..1_000).filter(|&i| store.contains(&state(i))).count();
                assert_eq!(found, limit as usize, "{replacement:?}");
            }
        }
    }

    #[test]
    fn full_only_when_all_are_on_the_stack() {
        let mut store = CacheStore::new(50, Replacement::Random, 1, usize::MAX);
        let mut handles = Vec::new();
        for i in 0..50 {
            let Visit::New(handle) = store.visit(&state(i), kind(i)) else { panic!("{i}") };
            handles.push(handle);
        }
        assert_eq!(store.visit(&state(50), kind(50)), Visit::Full);
        assert_eq!(store.limit(50), Limit::CacheBelowStack { cache: 50, needed: 51 });
        assert_eq!(store.visit(&state(7), kind(7)), Visit::Seen { on_stack: true });
        store.leave(handles[49]);
        assert!(matches!(store.visit(&state(50), kind(50)), Visit::New(_)));
        assert!(!store.contains(&state(49)));
        assert_eq!(CacheStore::new(0, Replacement::Random, 1, usize::MAX).visit(&[1], kind(0)), Visit::Full);
    }

    #[test]
    fn memory_bounds_it_too() {
        for budget in [0, 500, 5_000, 50_000, 500_000] {
            // The estimate of revisits is there whatever the budget.
            let fixed = CacheStore::new(1, Replacement::Random, 1, 0).memory();
            let mut store = CacheStore::new(1_000_000, Replacement::Random, 1, budget + fixed);
            for i in 0..20_000 {
                match store.visit(&state(i), kind(i)) {
                    Visit::New(handle) => store.leave(handle),
                    Visit::Seen { .. } => panic!(),
                    // The lists of the evictable grow by themselves: they are counted before, but may round up.
                    Visit::Full => assert!(store.len() < 100),
                }
                assert!(store.memory() <= fixed + budget + budget / 8, "{budget}: {}", store.memory());
            }
            assert!(budget < 5_000 || store.len() > budget / 250, "{budget}: {}", store.len());
        }
    }

    #[test]
    fn same_seed_same_run() {
        let run = |seed| {
            let mut store = CacheStore::new(20, Replacement::Random, seed, usize::MAX);
            let visit = |i: u32| match store.visit(&state(i * i % 101), kind(i)) {
                Visit::New(handle) => {
                    store.leave(handle);
                    true
                }
                _ => false,
            };
            (0..2_000).map(visit).collect::<Vec<bool>>()
        };
        assert_eq!(run(5), run(5));
        assert_ne!(run(5), run(6));
    }
}
