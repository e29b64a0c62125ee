//! The orders in which states are explored: depth first, breadth first with the table as queue, breadth first with a queue
//! beside a bounded table, and one search handed on to another.

pub mod bfs;
pub mod dfs;
pub mod lossy;
pub mod precision_on_demand;
pub mod queued;
pub mod serial;
