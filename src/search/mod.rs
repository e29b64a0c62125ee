//! Searches: one algorithm per file; none names a concrete store.

pub mod bfs;
pub mod check;
pub mod choose;
pub mod dfs;
pub mod fair;
pub mod keeper;
pub mod ledger;
pub mod liveness;
pub mod lossy;
pub mod low_memory;
pub mod monitor;
pub mod moves;
pub mod outcome;
pub mod plan;
pub mod pod;
pub mod por;
pub mod por_sleep;
pub mod queued;
pub mod reduction;
pub mod replay;
pub mod saved;
pub mod serial;
pub mod sleep;
mod sleepers;
pub mod stack;
pub mod visitor;
pub mod walk;
