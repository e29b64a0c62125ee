//! What stores are made of: room for states, hashes and signatures, a tree of states, random numbers, an estimate of distinct states. A part knows
//! nothing of the stores that use it.

pub mod arena;
pub mod distinct;
pub mod foresight;
pub mod hash;
pub(in crate::store) mod hints;
pub mod rng;
pub mod signature;
pub mod slab;
pub mod stack_set;
pub mod tree;
pub(in crate::store) mod words;
pub(in crate::store) mod zeroed;
