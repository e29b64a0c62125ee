//! What a search looks at from time to time: has somebody asked it to stop, is the budget used up, is it time to
//! show progress.

use crate::search::keeper::Keeper;
use crate::search::outcome::Limit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Searches look up every so many arrivals: rare enough to cost nothing, often enough to stop within milliseconds.
pub const INTERVAL: u64 = 4096;

/// The same for a search that may be reduced: a state may then cost a thousand times as much.
pub const fn interval(reduces: bool) -> u64 {
    if reduces { INTERVAL / 64 } else { INTERVAL }
}

/// Of a budget a 16th is for what nobody counts (a table grows by copying: for a moment it is there twice), at least and
/// at most this many bytes.
const MARGIN: (u64, u64) = (1 << 20, 32 << 20);

/// See [`Monitor::measure_reserve`]. With a model of the usual size the program takes less than the least.
const RESERVE_STEP: u64 = 1 << 20;
const RESERVE_LEAST: u64 = 7 << 20;

/// See [`Monitor::tables`].
pub fn tables_within(budget: u64, reserve: u64) -> u64 {
    let uncounted = (budget / 16).clamp(MARGIN.0, MARGIN.1);
    // With less than a mebibyte no table is worth having.
    let least = (budget / 8).max(1 << 20).min(budget / 2);
    budget.saturating_sub(reserve + uncounted).max(least)
}

/// Where a search stands.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Snapshot {
    /// States stored.
    pub stored: u64,
    /// Arrivals at stored states.
    pub matched: u64,
    /// Current depth or level.
    pub depth: u64,
    /// Bytes in use.
    pub memory: u64,
    /// States that wait in a queue.
    pub queued: Option<u64>,
    /// Overwrites / insertions of a store that forgets.
    pub collision_rate: Option<f64>,
    /// Different states among the stored, about; only where [`Monitor::sampling`] asks for it.
    pub distinct: Option<f64>,
}

/// See the module.
pub struct Monitor<'a> {
    /// Set by a signal.
    pub interrupt: &'a AtomicBool,
    /// Budget in bytes for the whole search.
    pub memory: Option<u64>,
    /// What of it is taken already by the program itself.
    pub reserve: u64,
    /// When to give up.
    pub deadline: Option<Instant>,
    /// Shows progress.
    pub progress: Box<dyn FnMut(&Snapshot) + 'a>,
    /// Tells at once what went wrong although the search goes on.
    pub warn: Box<dyn FnMut(&str) + 'a>,
    /// Progress wants [`Snapshot::distinct`], which costs a pass over a small table.
    pub sampling: bool,
    /// Where a breadth-first search leaves checkpoints and starts from one.
    pub keeper: Option<Keeper>,
    /// The most memory that was seen.
    pub peak: u64,
}

impl<'a> Monitor<'a> {
    /// Without budgets and progress.
    pub fn silent(interrupt: &'a AtomicBool) -> Monitor<'a> {
        Monitor {
            interrupt,
            memory: None,
            reserve: 0,
            deadline: None,
            progress: Box::new(|_| ()),
            warn: Box::new(|_| ()),
            sampling: false,
            keeper: None,
            peak: 0,
        }
    }

    /// Says if the search has to end, without showing progress or judging memory: for an inner search that knows
    /// only its own part.
    pub fn must_end(&self) -> Option<Limit> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Limit::Interrupted);
        }
        self.deadline.filter(|&deadline| Instant::now() >= deadline).map(|_| Limit::Time(0))
    }

    /// Budget for the tables of the search. The program's own pages come off it, and what nobody counts (code that is run
    /// later, what the allocator keeps back); but a part is left in any case: a budget smaller than the program is one for
    /// the tables alone.
    pub fn tables(&self) -> Option<u64> {
        self.memory.map(|budget| tables_within(budget, self.reserve))
    }

    /// Takes note of what the program has taken so far.
    pub fn measure_reserve(&mut self) {
        // In steps, because the system's figure is never twice the same, and the sizes of tables follow from it.
        self.reserve = resident().next_multiple_of(RESERVE_STEP).max(RESERVE_LEAST);
    }

    /// Shows progress; says if the search has to end.
    pub fn look(&mut self, snapshot: &Snapshot) -> Option<Limit> {
        self.peak = self.peak.max(snapshot.memory);
        if let Some(keeper) = &mut self.keeper {
            keeper.look();
        }
        (self.progress)(snapshot);
        if let (Some(tables), Some(budget)) = (self.tables(), self.memory)
            && snapshot.memory > tables
        {
            return Some(Limit::Memory { used: budget.saturating_sub(tables) + snapshot.memory, budget });
        }
        self.must_end()
    }
}

/// Bytes of this program that are in memory now; a guess where the system does not say.
pub fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    // Pages of 4 KiB are the rule on the systems that have this file.
    pages.map_or(8 << 20, |pages| pages * 4096)
}

/// Bytes that the system could give without swapping, if it says.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}
