//! The one hash of states: rapidhash v3, whose output is promised to stay the same, so it may reach a file.

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
        // With the final avalanche (all 64 bits are used, the upper ones as an index) and with the unrolled loop.
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
