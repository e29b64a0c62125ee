//! Searches: what walks a model, what may be left out, in which order states are explored, how cycles are found, and the
//! plan that puts one search together. No search names a concrete store.

pub mod cycles;
pub mod driver;
pub mod explore;
pub mod ledger;
pub mod monitor;
pub mod outcome;
pub mod plan;
pub mod reduce;
pub mod statics;
pub mod walk;
