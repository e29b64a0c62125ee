//! pv: a verifier for concurrent protocols written in Promela.
//!
//! [`Verifier`] is the way in for programs: a model, options, answers.
//!
//! ```
//! let answers = pv::Verifier::of_text("m.pml", "active proctype P() { assert(1 < 2) }").verify()?;
//! assert!(answers[0].is_verified());
//! # Ok::<(), String>(())
//! ```
//!
//! The way of the data: [`source`] → [`syntax`] → `sema` → [`model`] → `exec` → [`search`] → `report`.

pub mod analysis;
pub mod certificate;
pub mod certify;
pub mod checkpoint;
pub mod cli;
#[cfg(feature = "cluster")]
pub mod cluster;
mod compare;
pub mod exec;
mod explore;
pub mod format;
#[cfg(test)]
mod fuzz_tests;
pub mod limit;
pub mod lint;
pub mod load;
mod lsp;
pub mod ltl;
pub mod model;
pub mod mutants;
pub mod names;
pub mod native;
mod report;
pub mod search;
pub mod sema;
pub mod source;
mod stats;
pub mod store;
pub mod syntax;
pub mod witness;

pub use cli::{Answer, Counterexample, TextStep, Verifier};
