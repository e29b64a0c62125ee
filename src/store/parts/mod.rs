//! What stores are made of: room for states, hashes and signatures, random numbers, an estimate of distinct states. A part knows
//! nothing of the stores that use it.

pub mod arena;
pub mod distinct;
pub mod hash;
pub mod rng;
pub mod signature;
pub mod slab;
pub mod stack_set;
pub(in crate::store) mod words;
pub(in crate::store) mod zeroed;
