//! The one hash of states: rapidhash v3. Its output is promised to stay the same in later versions, so values that depend on it
//! may be written to a file.

use rapidhash::v3::{RapidSecrets, rapidhash_v3_inline};

/// A seeded 64-bit hash of state vectors. Different seeds give independent functions.
#[derive(Clone)]
pub struct StateHash {
    secrets: RapidSecrets,
}

impl StateHash {
    /// The function of this seed.
    pub fn new(seed: u64) -> Self {
        StateHash { secrets: RapidSecrets::seed(seed) }
    }

    /// Hashes a state.
    #[inline]
    pub fn hash(&self, state: &[u8]) -> u64 {
        // The final avalanche is on, because all 64 bits are used, the upper ones as an index; the loop is unrolled.
        rapidhash_v3_inline::<true, false, false>(state, &self.secrets)
    }
}

impl std::fmt::Debug for StateHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateHash").finish_non_exhaustive()
    }
}

/// A number below `range`, in proportion to the hash.
#[inline]
pub(in crate::store) fn scale(hash: u64, range: u64) -> u64 {
    ((u128::from(hash) * u128::from(range)) >> 64) as u64
}
