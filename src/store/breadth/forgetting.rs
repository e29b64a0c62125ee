//! What the two caches of breadth-first search have in common beside their places: what they keep of a state and where it
//! belongs, which place is given up, and the counts that tell how much was forgotten.

use crate::store::breadth::BfsStatistics;
use crate::store::breadth::cache::Kept;
use crate::store::parts::distinct::Distinct;
use crate::store::parts::hash::StateHash;
use crate::store::parts::rng::StoreRng;
use crate::store::parts::signature::Signatures;
use rand::Rng;
use std::ops::Range;

/// See the head of this file.
#[derive(Debug)]
pub(in crate::store) struct Forgetting {
    pub kept: Kept,
    pub ways: u8,
    pub seed: u64,
    place: StateHash,
    signatures: Signatures,
    pub rng: StoreRng,
    pub distinct: Distinct,
    /// Insertions, those of forgotten states that came again included.
    pub stored: u64,
    pub forgotten: u64,
}

impl Forgetting {
    pub fn new(kept: Kept, ways: u8, seed: u64) -> Self {
        Forgetting {
            kept,
            ways,
            seed,
            place: StateHash::new(seed),
            signatures: Signatures::new(kept.bits(), seed),
            rng: StoreRng::new(seed),
            distinct: Distinct::default(),
            stored: 0,
            forgotten: 0,
        }
    }

    /// The signature of a state, and the hash that says where it belongs.
    #[inline]
    pub fn hashes(&self, state: &[u8]) -> (u64, u64) {
        (self.signatures.of(state), self.place.hash(state))
    }

    /// The place of a full group that is given up.
    #[inline]
    pub fn victim(&mut self, group: &Range<usize>) -> usize {
        group.start + self.rng.random_range(0..group.len() as u32) as usize
    }

    /// A state with this hash was inserted.
    #[inline]
    pub fn inserted(&mut self, place: u64) {
        self.distinct.note(place);
        self.stored += 1;
    }

    /// With so many states held, each of which was compared with `compared` others.
    pub fn statistics(&self, held: u64, compared: f64) -> BfsStatistics {
        let stored = self.stored as f64;
        BfsStatistics {
            held,
            forgotten: self.forgotten,
            distinct: if self.forgotten == 0 { stored } else { self.distinct.estimate().min(stored) },
            ..BfsStatistics::of_set(self.stored, self.kept.omission(self.stored, compared))
        }
    }

    pub fn collision_rate(&self) -> f64 {
        self.forgotten as f64 / self.stored.max(1) as f64
    }
}
