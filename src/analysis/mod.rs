//! Footprints, dependence, persistent sets: what a reduction may leave out, decided from the model and the state.
//!
//! [`flow`] follows channels and finds what never changes, [`collect`] builds the [`footprint`] of every move,
//! [`relate`] compares two of them, [`dependence`] keeps the answers in bit matrices, [`claims`] are `xr` and `xs`.

pub mod block;
pub mod claims;
pub mod collect;
pub mod dependence;
pub mod enabling;
pub mod flow;
pub mod footprint;
mod machine;
mod offers;
pub mod pairs;
pub mod persistent;
pub mod relate;
pub mod statics;
pub mod stubborn;
pub mod symmetry;

use crate::model::visit;

pub use dependence::{Dependence, Move, Part, StateView};

#[cfg(test)]
mod tests;
