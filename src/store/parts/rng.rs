//! The random numbers of the stores: xoshiro256++ (Blackman and Vigna 2019), seeded by splitmix64.
//!
//! The state of this generator can be saved, so that a search which goes on from a checkpoint makes the same choices as one
//! that was never interrupted. The generators of `rand` give the same numbers but keep their state to themselves.

use crate::store::parts::signature::mix;
use rand::RngCore;
use serde::{Deserialize, Serialize};

/// The step of splitmix64.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The generator, which is nothing but its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::store) struct StoreRng([u64; 4]);

impl StoreRng {
    pub(in crate::store) fn new(seed: u64) -> Self {
        // `mix` itself adds the step once.
        StoreRng([0u64, 1, 2, 3].map(|i| mix(seed.wrapping_add(STEP.wrapping_mul(i)))))
    }
}

impl RngCore for StoreRng {
    #[inline]
    fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    #[inline]
    fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let result = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        result
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for part in bytes.chunks_mut(8) {
            let word = self.next_u64().to_le_bytes();
            part.copy_from_slice(&word[..part.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::SmallRng;

    /// The figures measured with the generator of `rand` stay what they are.
    #[cfg(target_pointer_width = "64")]
    #[test]
    fn the_same_numbers_as_the_small_generator_of_rand() {
        for seed in [0, 1, 77, u64::MAX] {
            let (mut ours, mut theirs) = (StoreRng::new(seed), SmallRng::seed_from_u64(seed));
            for _ in 0..100 {
                assert_eq!(ours.next_u64(), theirs.next_u64());
                assert_eq!(ours.next_u32(), theirs.next_u32());
            }
        }
    }
}
