//! Searches for assertions and end states, one file for each order in which states are explored.
//!
//! `dfs` goes depth first, over any store. `bfs` goes breadth first, and reads its exact store as its queue. `queued` goes
//! breadth first with a queue beside any store, `serial` begins with a cache in memory and moves to a table on disk. `lossy`
//! and `precision_on_demand` are for stores that may err: `lossy` sizes the tables and joins several runs,
//! `precision_on_demand` looks at a state again that such a store calls seen. `workers` goes breadth first with several threads.
//! `sample` visits some states for a store to learn from.
//! `spread` goes breadth first over several processes.

pub mod bfs;
pub mod dfs;
pub mod lossy;
pub mod precision_on_demand;
pub mod queued;
pub mod sample;
pub mod serial;
#[cfg(feature = "cluster")]
pub mod spread;
pub mod workers;
