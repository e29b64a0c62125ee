//! What can end a search before its time: stores run out of room, budgets of memory and time are used up, files fail.

use std::time::Duration;

/// What ended a search early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Limit {
    /// `--memory`: bytes in use and the budget.
    Memory {
        /// In the tables of the search when it ended.
        used: u64,
        /// The budget, for the tables and for the program itself.
        budget: u64,
    },
    /// The system does not give a table of so many bytes.
    NoRoom {
        /// Wanted.
        bytes: u64,
    },
    /// `--max-depth` cut off paths.
    Depth(u64),
    /// The stack alone needs more than the cache has.
    CacheBelowStack {
        /// Size of the cache.
        cache: u64,
        /// Stack states at that moment.
        needed: u64,
    },
    /// A table of fixed size is full.
    TableFull {
        /// Its slots.
        slots: u64,
    },
    /// The collision rate of a breadth-first cache passed its bound (both in thousandths).
    CollisionRate {
        /// Reached.
        rate: u32,
        /// Allowed.
        bound: u32,
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
    /// A check of a reduction found a bug in pv.
    Internal(String),
}

/// An assumption of a reduction that the search has seen to be wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Retraction {
    /// The number of births on a path has no bound.
    Births,
    /// The model breaks an `xr` or `xs` of its own; the text says how.
    ChannelClaim(String),
}
