//! What a breadth-first store keeps of a state: all of it, or a signature.
//!
//! Whole states make a store exact: a state is found only if it was put in. Signatures take 8 bytes or less, and two states with
//! the same signature may be taken for one, which the bound on omissions counts.

use crate::store::lossy::omission::Omission;

/// What is kept of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Representation {
    /// All of it.
    States,
    /// A signature of this many bits.
    Signatures(u8),
}

impl Representation {
    /// Bits of a signature in the store; `None` for whole states.
    pub(in crate::store) fn bits(self) -> Option<u8> {
        match self {
            Representation::States => None,
            Representation::Signatures(bits) => Some(bits),
        }
    }

    /// Bits of the signatures by which states are looked up; whole states have the widest there are.
    pub(in crate::store) fn lookup_bits(self) -> u8 {
        self.bits().unwrap_or(64)
    }

    /// A bound on the probability that one of `stored` insertions was an omission, each compared with at most `compared`
    /// signatures.
    pub(in crate::store) fn omission(self, stored: u64, compared: f64) -> Omission {
        match self {
            Representation::States => Omission::NONE,
            Representation::Signatures(bits) => {
                Omission::of_comparisons(stored, compared, 2f64.powi(i32::from(bits)) - 1.0)
            }
        }
    }
}
