//! States that a search will look up soon: their bytes and hashes, one behind the other.
//!
//! A search that has several states to look up puts them here first, so that the memory for all of them is asked for before the first
//! of them is compared (see `hints`).

/// States that wait to be looked up.
#[derive(Debug, Default)]
pub struct Foresight {
    bytes: Vec<u8>,
    /// Hash and end of each state.
    states: Vec<(u64, usize)>,
}

impl Foresight {
    /// Adds a state with its hash.
    #[inline]
    pub fn push(&mut self, state: &[u8], hash: u64) {
        self.bytes.extend_from_slice(state);
        self.states.push((hash, self.bytes.len()));
    }

    /// The states with their hashes, in the order in which they came.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], u64)> {
        let mut from = 0;
        self.states.iter().map(move |&(hash, end)| {
            let state = &self.bytes[from..end];
            from = end;
            (state, hash)
        })
    }

    /// Hashes all states anew.
    #[cold]
    pub fn hash_again(&mut self, mut hash: impl FnMut(&[u8]) -> u64) {
        let mut from = 0;
        for (of, end) in &mut self.states {
            *of = hash(&self.bytes[from..*end]);
            from = *end;
        }
    }

    /// Forgets all states.
    #[inline]
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.states.clear();
    }

    /// Bytes of all states.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Number of states.
    #[inline]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Bytes it occupies.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.states.capacity() * size_of::<(u64, usize)>()
    }
}
