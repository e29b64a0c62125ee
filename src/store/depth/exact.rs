//! The exact store: every visited state, whole.
//!
//! Idea: a table of 64-bit words by open addressing, each word 29 bits of the state's hash and the 35-bit position of
//! its bytes in an [`Arena`]. A probe that hits another state is nearly always told apart by the 29 bits, without touching
//! the other state. The slot is the *upper* bits of the hash, so the table can double by streaming over itself: the order of
//! the slots stays, and no state is read (until the table has more slots than 2^29).
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
use crate::store::{FindStore, Handle, Store, StoreStatistics, Visit};

const POSITION_MASK: u64 = (1 << POSITION_BITS) - 1;
/// Bits of the hash in a word: what the position leaves.
const TAG_BITS: u32 = 64 - POSITION_BITS;
/// Slots at the start, as a power of two: 8 KiB.
const FIRST_TABLE: u32 = 10;
/// The table doubles above 3/4: an unsuccessful search then looks at 8.5 words on average, about one cache line.
const LOAD: (usize, usize) = (3, 4);
/// Slots that are looked at to find the record of a state ahead of its look-up: about a line.
const PREFETCHED_SLOTS: usize = 8;
/// When the budget forbids doubling it may fill up to 9/10 (50 words, 7 lines): slow, but better than giving up.
const LAST_LOAD: (usize, usize) = (9, 10);

/// All visited states, in memory. See the head of this file.
#[derive(Debug)]
pub struct ExactStore {
    table: Vec<u64>,
    /// The slot of a hash is `hash >> shift`.
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
        Self::build(seed, budget, false)
    }

    /// As [`with_budget`](Self::with_budget), and every state keeps a link to the one it was reached from (5 bytes).
    pub fn with_links(seed: u64, budget: usize) -> Self {
        Self::build(seed, budget, true)
    }

    fn build(seed: u64, budget: usize, links: bool) -> Self {
        let mut store = ExactStore {
            table: Vec::new(),
            shift: 63,
            limit: 0,
            len: 0,
            arena: Arena::new(links),
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
        self.shift = 64 - table.len().checked_ilog2().unwrap_or(1);
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

    /// The state that this one was linked to when it was inserted; `None` for a first one.
    pub fn link(&self, handle: Handle) -> Option<Handle> {
        Some(self.arena.link(handle.0)).filter(|&link| link != 0).map(Handle)
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

    /// Inserts a state for a breadth-first search; `from` is the state that it was reached from. "On the stack" here means that
    /// the state waits in the queue; the search calls [`Store::leave`] when it takes the state out.
    pub fn insert(&mut self, state: &[u8], from: Option<Handle>) -> Visit {
        self.insert_hashed(state, self.hash.hash(state), from)
    }

    /// As [`insert`](Self::insert), of a state whose hash is known.
    #[inline]
    pub fn insert_hashed(&mut self, state: &[u8], hash: u64, from: Option<Handle>) -> Visit {
        self.insert_or_find(state, hash, true, from.map_or(0, |handle| handle.0))
    }

    /// Takes the store apart: calls `each` with every state in the order of insertion, its handle, whether it is on the stack, and how
    /// many bytes the store still takes, until the answer is `false`. The memory is given back on the way.
    pub(super) fn drain(self, mut each: impl FnMut(Handle, &[u8], bool, usize) -> bool) {
        let ExactStore { table, arena, .. } = self;
        drop(table);
        arena.drain(|position, state, on_stack, left| each(Handle(position), state, on_stack, left));
    }

    /// From now on the store may use so many bytes.
    pub(super) fn set_budget(&mut self, budget: usize) {
        self.budget = budget;
    }

    fn room(&self) -> usize {
        self.budget.saturating_sub(self.memory())
    }

    #[inline]
    fn insert_or_find(&mut self, state: &[u8], hash: u64, on_stack: bool, link: u64) -> Visit {
        if mutants::is(Mutant::StoreMixesUp) && hash % 1000 == 7 {
            return Visit::Seen { on_stack: false };
        }
        let mut slot = match self.position(hash, state) {
            Ok(_) if mutants::is(Mutant::OnStackNever) => return Visit::Seen { on_stack: false },
            Ok((_, on_stack)) => return Visit::Seen { on_stack },
            Err(slot) => slot,
        };
        if self.len >= self.limit {
            if !self.grow() {
                return Visit::Full;
            }
            slot = match self.position(hash, state) {
                Ok((_, on_stack)) => return Visit::Seen { on_stack },
                Err(slot) => slot,
            };
        }
        let room = self.room();
        let Ok(position) = self.arena.push(state, on_stack, link, room) else { return Visit::Full };
        self.table[slot] = hash & !POSITION_MASK | position;
        self.len += 1;
        Visit::New(Handle(position))
    }

    /// The position of a state and whether it is on the stack, or the empty slot where it would go.
    #[inline]
    fn position(&self, hash: u64, state: &[u8]) -> Result<(u64, bool), usize> {
        if self.table.is_empty() {
            return Err(0);
        }
        let mask = self.table.len() - 1;
        let mut slot = (hash >> self.shift) as usize;
        loop {
            // There is always an empty slot: the load stays below 1.
            let word = self.table[slot & mask];
            if word == 0 {
                return Err(slot & mask);
            }
            if (word ^ hash) >> POSITION_BITS == 0 {
                let position = word & POSITION_MASK;
                let (stored, on_stack) = self.arena.get(position);
                if stored == state {
                    return Ok((position, on_stack));
                }
            }
            slot += 1;
        }
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
        self.set_table(larger);
        let mask = self.table.len() - 1;
        let tags_suffice = 64 - self.shift <= TAG_BITS;
        for word in old.into_iter().filter(|&word| word != 0) {
            let hash = if tags_suffice { word } else { self.hash.hash(self.arena.get(word & POSITION_MASK).0) };
            let mut slot = (hash >> self.shift) as usize;
            while self.table[slot & mask] != 0 {
                slot += 1;
            }
            self.table[slot & mask] = word;
        }
        true
    }
}

impl Store for ExactStore {
    const EXACT: bool = true;
    const FORESEES: bool = true;

    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        self.hash.hash(state)
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        prefetch(&self.table, (hash >> self.shift) as usize);
    }

    #[inline]
    fn prefetch_record(&self, hash: u64) {
        let mask = self.table.len().wrapping_sub(1);
        let slot = (hash >> self.shift) as usize;
        for slot in slot..slot + PREFETCHED_SLOTS {
            match self.table.get(slot & mask) {
                None | Some(0) => return,
                Some(word) if (word ^ hash) >> POSITION_BITS == 0 => return self.arena.prefetch(word & POSITION_MASK),
                Some(_) => {}
            }
        }
    }

    #[inline]
    fn contains_hashed(&self, state: &[u8], hash: u64) -> bool {
        self.position(hash, state).is_ok()
    }

    #[inline]
    fn visit(&mut self, state: &[u8], _how: TransitionType) -> Visit {
        self.insert_or_find(state, self.hash.hash(state), true, 0)
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
        self.table.capacity() * size_of::<u64>() + self.arena.memory()
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
            if self.insert(visited.state, None) == Visit::Full {
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
        let mut store = ExactStore::with_links(1, usize::MAX);
        let Visit::New(mut at) = store.insert(&state(0), None) else { panic!() };
        // A binary tree, and each node once more.
        let mut seen = 0;
        let mut i = 0;
        loop {
            assert_eq!(store.get(at), state(i));
            store.leave(at);
            assert_eq!(store.insert(&state(i), None), Visit::Seen { on_stack: false });
            if i < 5_000 {
                for child in [2 * i + 1, 2 * i + 2] {
                    assert!(matches!(store.insert(&state(child), Some(at)), Visit::New(_)));
                    // it waits
                    assert_eq!(store.insert(&state(child), Some(at)), Visit::Seen { on_stack: true });
                    seen += 1;
                }
            }
            let Some(next) = store.next(at) else { break };
            at = next;
            i += 1;
        }
        assert_eq!(seen, i);
        let mut path = vec![i];
        while let Some(before) = store.link(at) {
            i = (i - 1) / 2;
            assert_eq!(store.get(before), state(i));
            at = before;
            path.push(i);
        }
        assert_eq!(store.first(), Some(at));
        assert_eq!(path.len(), 14);
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
