//! What lies on the search stack, for stores that keep too little of a state to mark it there: a multiset of 64-bit
//! keys, one key for each state.
//!
//! A multiset, because two states of the path may share a key: with precision on demand a state goes onto the stack
//! although its signature is that of another state.
//!
//! Cost: 16 to 32 bytes per state of the stack; every operation takes constant time.

/// Slots at the start; a power of two.
const FIRST_TABLE: usize = 256;
/// Stands for an empty slot; a key of this value is replaced by the one below it.
const EMPTY: u64 = u64::MAX;
/// Spreads keys that are not hashes (2^64 / golden ratio, odd).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// The keys of the states on the stack, or nothing at all for a search that never asks about its stack.
#[derive(Debug, Default)]
pub(in crate::store) struct StackSet {
    tracks: bool,
    table: Vec<u64>,
    len: usize,
    /// The first slot of a key is the upper bits of its spread, from here on.
    shift: u32,
}

impl StackSet {
    /// An empty set. Unless it `tracks`, it stays empty whatever is inserted.
    pub(in crate::store) fn new(tracks: bool) -> Self {
        StackSet { tracks, ..StackSet::default() }
    }

    /// Bytes in use.
    pub(in crate::store) fn memory(&self) -> usize {
        self.table.capacity() * size_of::<u64>()
    }

    /// The slot where the search for a key starts.
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(SPREAD) >> self.shift) as usize
    }

    /// The slot of a key, or the empty slot where the search for it ends.
    #[inline]
    fn find(&self, key: u64) -> Result<usize, usize> {
        let mask = self.table.len() - 1;
        let mut slot = self.home(key);
        loop {
            match self.table[slot & mask] {
                EMPTY => return Err(slot & mask),
                other if other == key => return Ok(slot & mask),
                _ => slot += 1,
            }
        }
    }

    /// Does a state with this key lie on the stack?
    #[inline]
    pub(in crate::store) fn contains(&self, key: u64) -> bool {
        !self.table.is_empty() && self.find(key.min(EMPTY - 1)).is_ok()
    }

    /// A state with this key goes onto the stack.
    #[inline]
    pub(in crate::store) fn insert(&mut self, key: u64) {
        if !self.tracks {
            return;
        }
        if self.len * 2 >= self.table.len() {
            self.grow();
        }
        self.put(key.min(EMPTY - 1));
        self.len += 1;
    }

    fn put(&mut self, key: u64) {
        let mask = self.table.len() - 1;
        let mut slot = self.home(key);
        while self.table[slot & mask] != EMPTY {
            slot += 1;
        }
        self.table[slot & mask] = key;
    }

    #[cold]
    fn grow(&mut self) {
        let slots = (self.table.len() * 2).max(FIRST_TABLE);
        let old = std::mem::replace(&mut self.table, vec![EMPTY; slots]);
        self.shift = 64 - slots.ilog2();
        for key in old.into_iter().filter(|&key| key != EMPTY) {
            self.put(key);
        }
    }

    /// Removes one occurrence of the key. Later keys of its run move back, so that no mark is left behind.
    #[inline]
    pub(in crate::store) fn remove(&mut self, key: u64) {
        let key = key.min(EMPTY - 1);
        if self.table.is_empty() {
            return;
        }
        let Ok(mut hole) = self.find(key) else { return };
        self.len -= 1;
        let mask = self.table.len() - 1;
        let mut slot = hole;
        loop {
            slot = (slot + 1) & mask;
            let next = self.table[slot];
            if next == EMPTY {
                break;
            }
            // Moves back if its home is not between the hole and itself.
            if slot.wrapping_sub(self.home(next)) & mask >= slot.wrapping_sub(hole) & mask {
                self.table[hole] = next;
                hole = slot;
            }
        }
        self.table[hole] = EMPTY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in proptest::collection::vec((0u64..40, any::<bool>()), 0..2_000)) {
            let mut set = StackSet::new(true);
            let mut model: HashMap<u64, u32> = HashMap::new();
            for (key, insert) in steps {
                // Keys at both ends.
                let key = if key % 2 == 0 { key } else { u64::MAX - key / 16 };
                if insert {
                    set.insert(key);
                    *model.entry(key.min(EMPTY - 1)).or_default() += 1;
                } else {
                    set.remove(key);
                    let count = model.entry(key.min(EMPTY - 1)).or_default();
                    *count = count.saturating_sub(1);
                }
                for key in (0..40).chain(u64::MAX - 3..=u64::MAX) {
                    prop_assert_eq!(set.contains(key), model.get(&key.min(EMPTY - 1)).is_some_and(|&count| count > 0));
                }
            }
        }
    }
}
