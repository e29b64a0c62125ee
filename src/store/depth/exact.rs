//! The exact store: every visited state, whole.
//!
//! Idea: a table of 64-bit words by open addressing, in buckets of eight words, which are about one line of memory. A word has 28
//! bits of the state's hash and the 35-bit position of its bytes in an [`Arena`]. The bucket is given by the *upper* bits of the hash,
//! and the 28 bits start below the bits that the smallest table uses; so also in a table of 2^28 slots ten of them say more than
//! the bucket does, and another state is told apart without being touched. A state stands in its bucket or, where that is full, in
//! one nearby: the slots that are looked at are the first one, which the hash gives, with 0, 1, 2, … added bit by bit (exclusive or),
//! so the first eight are the bucket. Because the bucket and the 28 bits together are the upper part of the hash, the table can
//! double by streaming over itself, and no state is read but those few that stand outside their bucket.
//!
//! Sound always: a state counts as visited only if all its bytes are in the store, and no state is ever forgotten.
//!
//! Cost per state: the state, 4 bytes of header, 1.5 of alignment, 11 to 21 of table; 32 while the table doubles
//! (SPIN's default: the state and about 40). A lookup touches one or two lines of the table and one state.

use crate::checkpoint::{Kind, Reader, Save, StoreShape, Visited, Writer, section};
use crate::limit::Limit;
use crate::model::TransitionType;
use crate::mutants::{self, Mutant};
use crate::store::lossy::omission::Omission;
use crate::store::parts::arena::{Arena, POSITION_BITS};
use crate::store::parts::hash::StateHash;
use crate::store::parts::hints::prefetch;
use crate::store::parts::zeroed::try_zeroed;
use crate::store::{FindStore, Glance, Handle, Store, StoreStatistics, Vacancy, Visit};

const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
/// Set in a word that stands outside its bucket.
const STRAY: u64 = 1 << POSITION_BITS;
/// The bits of the hash stand in a word from this bit on.
const TAG_SHIFT: u32 = POSITION_BITS + 1;
/// Slots of a bucket, as a power of two.
const BUCKET_BITS: u32 = 3;
const BUCKET: usize = 1 << BUCKET_BITS;
/// Slots at the start, as a power of two: 8 KiB.
const FIRST_TABLE: u32 = 10;
/// The bits of the hash in a word stand this much further to the left than in the hash.
const TAG_ABOVE: u32 = FIRST_TABLE - BUCKET_BITS;
/// While the table doubles, so many states that must be read are asked for before the first of them is read.
const STRAYS_AT_ONCE: usize = 32;
/// The table doubles above 3/4.
const LOAD: (usize, usize) = (3, 4);
/// When the budget forbids doubling it may fill up to 9/10: slow, but better than giving up.
const LAST_LOAD: (usize, usize) = (9, 10);

/// All visited states, in memory. See the head of this file.
#[derive(Debug)]
pub struct ExactStore {
    table: Vec<u64>,
    /// The first slot of a hash is `hash >> shift`.
    shift: u32,
    /// States that fit before the table must grow (or, when it cannot, before it is full).
    limit: usize,
    len: usize,
    arena: Arena,
    hash: StateHash,
    budget: usize,
    peak_memory: usize,
}

impl ExactStore {
    /// An empty store without a bound.
    pub fn new(seed: u64) -> Self {
        Self::with_budget(seed, usize::MAX)
    }

    /// An empty store that answers [`Visit::Full`] rather than use more than `budget` bytes.
    pub fn with_budget(seed: u64, budget: usize) -> Self {
        let mut store = ExactStore {
            table: Vec::new(),
            shift: 63,
            limit: 0,
            len: 0,
            arena: Arena::default(),
            hash: StateHash::new(seed),
            budget,
            peak_memory: 0,
        };
        if store.room() >= size_of::<u64>() << FIRST_TABLE {
            store.set_table(try_zeroed(1 << FIRST_TABLE).unwrap_or_default());
        }
        store
    }

    fn set_table(&mut self, table: Vec<u64>) {
        self.limit = table.len() / LOAD.1 * LOAD.0;
        self.shift = 64 - table.len().checked_ilog2().unwrap_or(FIRST_TABLE);
        self.table = table;
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is the store empty?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The most bytes in use at one time, growing tables counted twice.
    pub fn peak_memory(&self) -> usize {
        self.peak_memory.max(self.memory())
    }

    /// The state of a handle.
    #[inline]
    pub fn get(&self, handle: Handle) -> &[u8] {
        self.arena.get(handle.0).0
    }

    /// Is the state of a handle on the stack?
    pub(in crate::store) fn is_on_stack(&self, handle: Handle) -> bool {
        self.arena.get(handle.0).1
    }

    /// The state that was inserted first.
    pub fn first(&self) -> Option<Handle> {
        self.arena.first().map(Handle)
    }

    /// The state that was inserted next after this one: the queue of a breadth-first search is the store itself.
    #[inline]
    pub fn next(&self, handle: Handle) -> Option<Handle> {
        self.arena.next(handle.0).map(Handle)
    }

    /// Inserts a state for a breadth-first search. "On the stack" here means that the state waits in the queue; the search calls
    /// [`Store::leave`] when it takes the state out.
    pub fn insert(&mut self, state: &[u8]) -> Visit {
        self.insert_hashed(state, self.hash.hash(state))
    }

    /// As [`insert`](Self::insert), of a state whose hash is known.
    #[inline]
    pub fn insert_hashed(&mut self, state: &[u8], hash: u64) -> Visit {
        self.insert_or_find(state, hash, true)
    }

    /// As [`insert_hashed`](Self::insert_hashed), of a state of which a [glance](Store::glance) was taken; states may have been inserted since.
    #[inline]
    pub fn insert_glanced(&mut self, state: &[u8], hash: u64, glance: Glance) -> Visit {
        if glance.word != 0 && !mutants::is(Mutant::StoreMixesUp) && !mutants::is(Mutant::OnStackNever) {
            let (stored, on_stack) = self.arena.get(glance.word & POSITION_MASK);
            if stored == state {
                return Visit::Seen { on_stack };
            }
        }
        self.insert_hashed(state, hash)
    }

    /// Takes the store apart: calls `each` with every state in the order of insertion, its handle, whether it is on the stack, and how
    /// many bytes the store still takes, until the answer is `false`. The memory is given back on the way.
    pub(in crate::store) fn drain(self, mut each: impl FnMut(Handle, &[u8], bool, usize) -> bool) {
        let ExactStore { table, arena, .. } = self;
        drop(table);
        arena.drain(|position, state, on_stack, left| each(Handle(position), state, on_stack, left));
    }

    /// From now on the store may use so many bytes.
    pub(in crate::store) fn set_budget(&mut self, budget: usize) {
        self.budget = budget;
    }

    #[inline]
    fn table_memory(&self) -> usize {
        self.table.capacity() * size_of::<u64>()
    }

    fn room(&self) -> usize {
        self.budget.saturating_sub(self.memory())
    }

    #[inline]
    fn insert_or_find(&mut self, state: &[u8], hash: u64, on_stack: bool) -> Visit {
        if mutants::is(Mutant::StoreMixesUp) && hash % 1000 == 7 {
            return Visit::Seen { on_stack: false };
        }
        match self.position(hash, state) {
            Ok(_) if mutants::is(Mutant::OnStackNever) => Visit::Seen { on_stack: false },
            Ok((_, on_stack)) => Visit::Seen { on_stack },
            Err(slot) => self.insert_at(state, hash, slot, on_stack),
        }
    }

    /// Inserts a state that is not there; `slot` is the empty one that its look-up has found.
    #[inline]
    fn insert_at(&mut self, state: &[u8], hash: u64, mut slot: usize, on_stack: bool) -> Visit {
        if self.len >= self.limit {
            if !self.grow() {
                return Visit::Full;
            }
            slot = self.empty_slot(hash);
        }
        let budget = self.budget.saturating_sub(self.table_memory());
        let Ok(position) = self.arena.push(state, on_stack, budget) else { return Visit::Full };
        self.table[slot] = tag(hash) | self.stray(hash, slot) | position;
        self.len += 1;
        Visit::New(Handle(position))
    }

    /// The position of a state and whether it is on the stack, or the empty slot where it would go.
    #[inline]
    fn position(&self, hash: u64, state: &[u8]) -> Result<(u64, bool), usize> {
        let mut step = 0;
        loop {
            let (slot, word) = self.next_alike(hash, &mut step);
            if word == 0 {
                return Err(slot);
            }
            let position = word & POSITION_MASK;
            let (stored, on_stack) = self.arena.get(position);
            if stored == state {
                return Ok((position, on_stack));
            }
        }
    }

    /// The next slot that is empty or has a word with the bits of this hash. Only a store without room for a table has none.
    #[inline(always)]
    fn next_alike(&self, hash: u64, step: &mut usize) -> (usize, u64) {
        let (first, tag) = (self.first_slot(hash), tag(hash));
        loop {
            let slot = first ^ *step;
            *step += 1;
            // There is always an empty slot: the load stays below 1.
            let word = self.table.get(slot).copied().unwrap_or(0);
            if word == 0 || (word ^ tag) >> TAG_SHIFT == 0 {
                return (slot, word);
            }
        }
    }

    #[inline]
    fn first_slot(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// The empty slot where a state with this hash would go.
    #[inline]
    fn empty_slot(&self, hash: u64) -> usize {
        let first = self.first_slot(hash);
        let mut step = 0;
        while self.table[first ^ step] != 0 {
            step += 1;
        }
        first ^ step
    }

    /// The mark of a word with this hash in this slot.
    #[inline]
    fn stray(&self, hash: u64, slot: usize) -> u64 {
        if (slot ^ self.first_slot(hash)) < BUCKET { 0 } else { STRAY }
    }

    /// Doubles the table, or if that is out of budget lets it fill further. False: neither goes.
    #[cold]
    fn grow(&mut self) -> bool {
        let slots = (self.table.len() * 2).max(1 << FIRST_TABLE);
        let bytes = slots * size_of::<u64>();
        let larger = if bytes <= self.room() { try_zeroed(slots) } else { None };
        let Some(larger) = larger else {
            let last = self.table.len() / LAST_LOAD.1 * LAST_LOAD.0;
            let more = last > self.limit;
            self.limit = last;
            return more;
        };
        self.peak_memory = self.peak_memory.max(self.memory() + bytes);
        let old = std::mem::take(&mut self.table);
        let old_shift = self.shift;
        self.set_table(larger);
        let mut strays = Vec::with_capacity(STRAYS_AT_ONCE);
        for (slot, word) in old.into_iter().enumerate().filter(|&(_, word)| word != 0) {
            if word & STRAY == 0 {
                // All that the table wants to know of the hash: the bucket has its upper bits, and the word those behind them.
                let bucket = ((slot / BUCKET * BUCKET) as u64) << old_shift;
                self.put_again(word, bucket | word >> TAG_SHIFT << TAG_SHIFT >> TAG_ABOVE);
                continue;
            }
            self.arena.prefetch(word & POSITION_MASK);
            strays.push(word);
            if strays.len() == STRAYS_AT_ONCE {
                self.put_strays(&mut strays);
            }
        }
        self.put_strays(&mut strays);
        true
    }

    /// Puts words of a smaller table that stand outside their buckets into this one: their states have to be read.
    fn put_strays(&mut self, strays: &mut Vec<u64>) {
        for word in strays.drain(..) {
            self.put_again(word, self.hash.hash(self.arena.get(word & POSITION_MASK).0));
        }
    }

    /// Puts a word of a smaller table into this one.
    #[inline]
    fn put_again(&mut self, word: u64, hash: u64) {
        let slot = self.empty_slot(hash);
        self.table[slot] = word & !STRAY | self.stray(hash, slot);
    }
}

/// The bits of a hash that a word has, where it has them.
#[inline]
fn tag(hash: u64) -> u64 {
    hash << TAG_ABOVE >> TAG_SHIFT << TAG_SHIFT
}

impl Store for ExactStore {
    const EXACT: bool = true;
    const FORESEES: bool = true;

    #[inline]
    fn foresees_early(&self) -> bool {
        true
    }

    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        self.hash.hash(state)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        prefetch(&self.table, self.first_slot(hash));
    }

    #[inline]
    fn glance(&self, hash: u64) -> Glance {
        let (slot, word) = self.next_alike(hash, &mut 0);
        if word != 0 {
            self.arena.prefetch(word & POSITION_MASK);
        }
        Glance { slot, word }
    }

    #[inline]
    fn contains_hashed(&self, state: &[u8], hash: u64) -> bool {
        self.position(hash, state).is_ok()
    }

    #[inline]
    fn is_glanced(&self, state: &[u8], glance: Glance) -> bool {
        glance.word != 0 && self.arena.get(glance.word & POSITION_MASK).0 == state
    }

    #[inline]
    fn vacancy(&self, state: &[u8], hash: u64, glance: Glance) -> Option<Vacancy> {
        let slot = if glance.word == 0 {
            glance.slot
        } else if self.is_glanced(state, glance) {
            return None;
        } else {
            // Another state with the same bits of the hash.
            self.position(hash, state).err()?
        };
        Some(Vacancy { hash, slot, states: self.len })
    }

    #[inline]
    fn visit_at(&mut self, state: &[u8], vacancy: Vacancy, how: TransitionType) -> Visit {
        let Vacancy { hash, slot, states } = vacancy;
        if states != self.len || self.table.is_empty() || mutants::is(Mutant::StoreMixesUp) {
            return self.visit(state, how);
        }
        self.insert_at(state, hash, slot, true)
    }

    #[inline]
    fn visit(&mut self, state: &[u8], _how: TransitionType) -> Visit {
        self.insert_or_find(state, self.hash.hash(state), true)
    }

    #[inline]
    fn visit_foreseen(&mut self, state: &[u8], hash: u64, _how: TransitionType) -> Visit {
        self.insert_or_find(state, hash, true)
    }

    #[inline]
    fn leave(&mut self, handle: Handle) {
        self.arena.set_on_stack(handle.0, false);
    }

    fn locate(&self, state: &[u8]) -> Option<Handle> {
        self.find(state).map(|(handle, _)| handle)
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.position(self.hash.hash(state), state).is_ok()
    }

    fn memory(&self) -> usize {
        self.table_memory() + self.arena.memory()
    }

    fn limit(&self, _on_stack: u64) -> Limit {
        Limit::Memory { used: self.memory() as u64, budget: self.budget as u64 }
    }

    fn statistics(&self) -> StoreStatistics {
        StoreStatistics::of_set(self.len as u64, Omission::NONE)
    }
}

impl FindStore for ExactStore {
    #[inline]
    fn find(&self, state: &[u8]) -> Option<(Handle, bool)> {
        let (position, on_stack) = self.position(self.hash.hash(state), state).ok()?;
        Some((Handle(position), on_stack))
    }

    fn read(&self, handle: Handle, state: &mut Vec<u8>) {
        state.clear();
        state.extend_from_slice(self.get(handle));
    }
}

impl Save for ExactStore {
    /// Neither seed nor table matter: states are written in the order of insertion and hashed anew.
    fn shape(&self) -> StoreShape {
        StoreShape { kind: Kind::Exact, bits: None, seed: 0, sizes: Vec::new() }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(section::VISITED)?;
        let mut next = self.first();
        while let Some(handle) = next {
            Visited { place: 0, signature: 0, state: self.get(handle) }.write(Kind::Exact, writer)?;
            next = self.next(handle);
        }
        writer.end_section()
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        reader.section(section::VISITED)?;
        let mut buffer = Vec::new();
        while let Some(visited) = Visited::read(Kind::Exact, reader, &mut buffer)? {
            if self.insert(visited.state) == Visit::Full {
                return Err(self.limit(0));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const HOW: TransitionType = TransitionType::Other;

    fn state(i: u64) -> Vec<u8> {
        let mut bytes = i.to_le_bytes().to_vec();
        bytes.resize(8 + (i % 50) as usize, 1);
        bytes
    }

    #[test]
    fn every_state_is_new_once() {
        let mut store = ExactStore::new(1);
        let handles: Vec<Handle> = (0..50_000)
            .map(|i| match store.visit(&state(i), HOW) {
                Visit::New(handle) => handle,
                other => panic!("{i}: {other:?}"),
            })
            .collect();
        for (i, &handle) in handles.iter().enumerate() {
            assert_eq!(store.get(handle), state(i as u64));
            if i % 2 == 0 {
                store.leave(handle);
            }
        }
        for i in 0..50_000 {
            assert_eq!(store.visit(&state(i), HOW), Visit::Seen { on_stack: i % 2 == 1 });
        }
        assert!(!store.contains(&state(50_000)));
        assert_eq!(store.len(), 50_000);
    }

    #[test]
    fn the_store_is_the_queue() {
        let mut store = ExactStore::new(1);
        let Visit::New(mut at) = store.insert(&state(0)) else { panic!() };
        // A binary tree, and each node once more.
        let mut seen = 0;
        let mut i = 0;
        loop {
            assert_eq!(store.get(at), state(i));
            store.leave(at);
            assert_eq!(store.insert(&state(i)), Visit::Seen { on_stack: false });
            if i < 5_000 {
                for child in [2 * i + 1, 2 * i + 2] {
                    assert!(matches!(store.insert(&state(child)), Visit::New(_)));
                    // it waits
                    assert_eq!(store.insert(&state(child)), Visit::Seen { on_stack: true });
                    seen += 1;
                }
            }
            let Some(next) = store.next(at) else { break };
            at = next;
            i += 1;
        }
        assert_eq!(seen, i);
    }

    #[test]
    fn budget_is_kept_and_used() {
        for budget in [0, 1_000, 9_000, 20_000, 40_000, 300_000, 3_000_000, 20_000_000] {
            let mut store = ExactStore::with_budget(1, budget);
            let mut i = 0;
            while store.visit(&state(i), HOW) != Visit::Full {
                i += 1;
                assert!(store.memory() <= budget);
            }
            assert!(store.peak_memory() <= budget, "{budget}");
            for j in 0..i {
                assert!(store.contains(&state(j)));
            }
            // Mean state: 33 bytes, 5.5 in front; the worst is a table that could not double.
            assert!(budget < 40_000 || i as usize > budget / 120, "{budget}: {i}");
        }
    }

    #[test]
    fn bytes_per_state_stay_below_those_of_spin() {
        let mut store = ExactStore::new(1);
        let mut vectors = 0usize;
        for i in 0..200_000 {
            vectors += state(i).len();
            store.visit(&state(i), HOW);
            // The last chunk may be empty: a megabyte.
            assert!(i < 10_000 || store.peak_memory().saturating_sub(vectors + (1 << 20)) / (i as usize + 1) < 39);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in proptest::collection::vec((0u8..40, 0usize..4, any::<bool>()), 0..400)) {
            let mut store = ExactStore::new(7);
            let mut model: HashMap<Vec<u8>, (Handle, bool)> = HashMap::new();
            for (value, length, leave) in steps {
                let state = vec![value; length];
                let answer = store.visit(&state, HOW);
                match model.get_mut(&state) {
                    Some((handle, on_stack)) => {
                        prop_assert_eq!(answer, Visit::Seen { on_stack: *on_stack });
                        if leave && *on_stack {
                            store.leave(*handle);
                            *on_stack = false;
                        }
                    }
                    None => match answer {
                        Visit::New(handle) => { model.insert(state, (handle, true)); }
                        other => prop_assert!(false, "{:?}", other),
                    },
                }
            }
            prop_assert_eq!(store.len(), model.len());
        }
    }
}
