//! The reasons for which a search ends before it has seen everything: a store has no more room, a budget of memory or time is
//! used up, a file cannot be read or written. Stores, checkpoints and searches all return this one type, so that a reason
//! reaches the report as it was first stated.

use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::time::Duration;

/// What ended a search early.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Limit {
    /// `--memory`: bytes in use and the budget.
    Memory {
        /// Bytes in the tables of the search when it ended.
        used: u64,
        /// The budget, for the tables and for the program itself.
        budget: u64,
    },
    /// The system does not give a table of so many bytes.
    NoRoom {
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// `--max-depth` cut off paths.
    Depth(u64),
    /// The stack alone needs more than the cache has.
    CacheBelowStack {
        /// The most states that the cache may hold.
        cache: u64,
        /// States on the stack at that moment, the next one included.
        needed: u64,
    },
    /// A table of fixed size is full.
    TableFull {
        /// How many slots the table has.
        slots: u64,
    },
    /// The collision rate of a breadth-first cache passed its bound (both in thousandths).
    CollisionRate {
        /// The rate that was reached.
        rate: u32,
        /// The highest rate that is allowed.
        bound: u32,
    },
    /// A depth-first cache explores too much again: insertions of states that it had thrown out, per insertion (in thousandths).
    Revisits {
        /// The rate that was reached.
        rate: u32,
        /// The highest rate that is allowed.
        bound: u32,
        /// What may give an answer, in half a sentence.
        helps: String,
    },
    /// Ctrl-C or SIGTERM.
    Interrupted,
    /// `--time`: the budget.
    Time(Duration),
    /// Reading or writing a file failed.
    File(String),
    /// An error of the model, told in its own right, came before the property was decided.
    ModelError(String),
    /// What a reduction assumes of the model does not hold. The search is run again without the assumption.
    Retract(Retraction),
    /// Another process of a search over several is gone; the text says which, and what can be done.
    Gone(String),
    /// A check of a reduction found a bug in pv.
    Internal(String),
}

/// An assumption of a reduction that the search has seen to be wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Retraction {
    /// The number of births on a path has no bound.
    Births,
    /// The model breaks an `xr` or `xs` of its own; the text says how.
    ChannelClaim(String),
}

impl Limit {
    /// The reason when the system refuses a file operation: what was tried, where, and what the system answered.
    pub fn of_file(doing: &str, path: &Path, error: &io::Error) -> Limit {
        Limit::File(format!("cannot {doing} {}: {error}", path.display()))
    }
}
