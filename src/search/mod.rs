//! Searches: one algorithm per file; none names a concrete store.

pub mod outcome;
