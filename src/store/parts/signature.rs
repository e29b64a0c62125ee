//! The signatures of states: a few bits of a hash that stand for the whole state. All breadth-first stores make them by one
//! function, so that a search can move from one store to another without the states.

use crate::store::parts::hash::{StateHash, scale};

/// Makes the seed of signatures different from that of places in tables.
const SIGNATURE_SEED: u64 = 0xA076_1D64_78BD_642F;

/// Signatures of B bits, uniform over 1 to 2^B - 1; 0 is left for "nothing here".
#[derive(Clone, Debug)]
pub struct Signatures {
    hash: StateHash,
    values: u64,
}

impl Signatures {
    /// The signatures of `bits` (2 to 64) bits and this seed that all breadth-first stores share.
    pub fn new(bits: u8, seed: u64) -> Self {
        Self::of_hash(bits, StateHash::new(seed ^ SIGNATURE_SEED))
    }

    /// Signatures of `bits` (2 to 64) bits, made by this function.
    pub fn of_hash(bits: u8, hash: StateHash) -> Self {
        Signatures { hash, values: u64::MAX >> (64 - u32::from(bits.clamp(2, 64))) }
    }

    /// How many different signatures there are.
    pub fn count(&self) -> f64 {
        self.values as f64
    }

    /// The signature of a state.
    #[inline]
    pub fn of(&self, state: &[u8]) -> u64 {
        scale(self.hash.hash(state), self.values) + 1
    }
}

/// Spreads a signature over 64 bits, for an index: the finalizer of splitmix64 (a bijection).
#[inline]
pub(in crate::store) fn mix(signature: u64) -> u64 {
    let mut x = signature.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_never_zero_and_use_their_bits() {
        for bits in [2u8, 5, 33, 64] {
            let signatures = Signatures::new(bits, 9);
            let all: Vec<u64> = (0..2_000u64).map(|i| signatures.of(&i.to_le_bytes())).collect();
            assert!(all.iter().all(|&signature| signature >= 1));
            let top = all.iter().max().unwrap();
            assert_eq!(64 - top.leading_zeros(), u32::from(bits));
        }
    }
}
