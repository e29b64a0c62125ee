//! What a search looks at from time to time: whether somebody has asked it to stop, whether a budget of time or memory is
//! used up, and whether it is time to show progress. Also how much memory the program itself takes, since a budget is for
//! both.

use crate::checkpoint::CheckpointSchedule;
use crate::search::outcome::Limit;
use crate::witness::Witness;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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

/// A budget of time, and when it is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadline {
    at: Instant,
    budget: Duration,
}

impl Deadline {
    /// A budget that starts now; none if its end cannot be told.
    pub fn after(budget: Duration) -> Option<Deadline> {
        Instant::now().checked_add(budget).map(|at| Deadline { at, budget })
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.at
    }
}

/// What a search asks whether it has to end, and tells how far it is.
pub struct Monitor<'a> {
    /// Set by a signal.
    pub interrupt: &'a AtomicBool,
    /// The same for somebody who watches over several searches.
    pub outer: Option<&'a AtomicBool>,
    /// Budget in bytes for the whole search.
    pub memory: Option<u64>,
    /// The part of the budget that the program itself takes.
    pub reserve: u64,
    /// The part of the budget that is kept for machine code and its making.
    pub code: u64,
    /// What the program had taken before its first search: what that one has given back since does not count.
    pub base: Option<u64>,
    /// What the program had taken when this search started.
    before: u64,
    /// When to give up.
    pub deadline: Option<Deadline>,
    /// Shows progress.
    pub progress: Box<dyn FnMut(&Snapshot) + 'a>,
    /// Tells at once what went wrong although the search goes on.
    pub warn: Box<dyn FnMut(&str) + 'a>,
    /// Progress wants [`Snapshot::distinct`], which costs a pass over a small table.
    pub sampling: bool,
    /// Where a breadth-first search leaves checkpoints and starts from one.
    pub checkpoints: Option<CheckpointSchedule>,
    /// The other processes of a search over several.
    #[cfg(feature = "cluster")]
    pub mesh: Option<crate::cluster::Mesh>,
    /// Writes down every new state, for a certificate.
    pub witness: Option<Witness>,
    /// The most memory that was seen.
    pub peak: u64,
}

/// What a helper of a search looks at: a walk that is no part of the search but may be as long as a block of the model.
/// A helper that was stopped says so at the next look of the search, which ends then.
#[derive(Clone, Copy, Debug)]
pub struct Patience<'a> {
    interrupt: &'a AtomicBool,
    outer: Option<&'a AtomicBool>,
    deadline: Option<Deadline>,
    /// Bytes for all tables of the search.
    tables: Option<u64>,
}

impl Patience<'_> {
    /// Does the helper, which takes so many bytes, have to end?
    pub fn is_over(&self, memory: usize) -> bool {
        is_set(self.interrupt, self.outer)
            || self.tables.is_some_and(|tables| memory as u64 > tables)
            || self.deadline.is_some_and(|deadline| deadline.is_over())
    }
}

impl<'a> Monitor<'a> {
    /// For the helpers of the search.
    pub fn patience(&self) -> Patience<'a> {
        Patience { interrupt: self.interrupt, outer: self.outer, deadline: self.deadline, tables: self.tables() }
    }

    /// Without budgets and progress.
    pub fn silent(interrupt: &'a AtomicBool) -> Monitor<'a> {
        Monitor {
            interrupt,
            outer: None,
            memory: None,
            reserve: 0,
            code: 0,
            base: None,
            before: 0,
            deadline: None,
            progress: Box::new(|_| ()),
            warn: Box::new(|_| ()),
            sampling: false,
            checkpoints: None,
            #[cfg(feature = "cluster")]
            mesh: None,
            witness: None,
            peak: 0,
        }
    }

    /// Says if the search has to end, without showing progress or judging memory: for an inner search that knows
    /// only its own part.
    pub fn must_end(&self) -> Option<Limit> {
        if is_set(self.interrupt, self.outer) {
            return Some(Limit::Interrupted);
        }
        self.deadline.filter(Deadline::is_over).map(|deadline| Limit::Time(deadline.budget))
    }

    /// Budget for the tables of the search. The program's own pages come off it, and what nobody counts (code that is run
    /// later, what the allocator keeps back); but a part is left in any case: a budget smaller than the program is one for
    /// the tables alone.
    pub fn tables(&self) -> Option<u64> {
        self.memory.map(|budget| tables_within(budget, self.reserve + self.code))
    }

    /// Takes note of what the program has taken so far, at the start of a search. What an earlier search of this program
    /// has left to the allocator is there for this one too, and does not count.
    pub fn measure_reserve(&mut self) {
        self.note_reserve(resident());
    }

    fn note_reserve(&mut self, resident: u64) {
        self.before = resident;
        let base = *self.base.get_or_insert(self.before);
        self.reserve = in_steps(base);
    }

    /// Adds what was taken since then.
    pub fn measure_growth(&mut self) {
        self.note_growth(resident());
    }

    fn note_growth(&mut self, resident: u64) {
        let grown = resident.saturating_sub(self.before);
        self.reserve = in_steps(self.base.unwrap_or(self.before) + grown);
    }

    /// Shows progress; says if the search has to end.
    pub fn look(&mut self, snapshot: &Snapshot) -> Option<Limit> {
        self.peak = self.peak.max(snapshot.memory);
        if let Some(schedule) = &mut self.checkpoints {
            schedule.look();
        }
        (self.progress)(snapshot);
        self.exceeded(snapshot.memory).or_else(|| self.must_end())
    }

    /// Is that more than the budget allows for tables?
    pub fn exceeded(&self, memory: u64) -> Option<Limit> {
        let (tables, budget) = (self.tables()?, self.memory?);
        (memory > tables).then_some(Limit::Memory { used: memory, budget })
    }
}

fn is_set(interrupt: &AtomicBool, outer: Option<&AtomicBool>) -> bool {
    interrupt.load(Ordering::Relaxed) || outer.is_some_and(|outer| outer.load(Ordering::Relaxed))
}

/// In steps, because the system's figure is never twice the same, and the sizes of tables follow from it.
fn in_steps(bytes: u64) -> u64 {
    bytes.next_multiple_of(RESERVE_STEP).max(RESERVE_LEAST)
}

/// Bytes of the program's code that are in memory, about. Which of its pages are there changes from run to run and with what was
/// called before; a figure that tables are sized by must not. With every check built in there is more of it.
const CODE: u64 = if cfg!(debug_assertions) { 7 << 20 } else { 4 << 20 };

/// Bytes of this program that are in memory now: what it has allocated, and its code; a guess where the system does not say.
pub fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let mut pages = text.split_whitespace().skip(1).map(|word| word.parse::<u64>().ok());
    let (Some(Some(all)), Some(Some(shared))) = (pages.next(), pages.next()) else { return 8 << 20 };
    // Pages of 4 KiB are the rule on the systems that have this file.
    CODE + all.saturating_sub(shared) * 4096
}

/// Bytes that the system could give without swapping, if it says; not more than a limit on the program's addresses
/// (`ulimit -v`) leaves.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let free = line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)?;
    Some(address_space_left().map_or(free, |left| free.min(left)))
}

/// What a limit on the program's addresses leaves, if there is one.
fn address_space_left() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let taken = std::fs::read_to_string("/proc/self/statm").ok()?;
    let taken = taken.split_whitespace().next()?.parse::<u64>().ok()? * 4096;
    Some(limit_of_addresses(&limits)?.saturating_sub(taken))
}

/// The soft limit in the line "Max address space"; `None` if it is unlimited.
fn limit_of_addresses(limits: &str) -> Option<u64> {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_search_has_left_is_not_taken_from_a_later_one() {
        let interrupt = AtomicBool::new(false);
        let mut monitor = Monitor::silent(&interrupt);
        (monitor.memory, monitor.base) = (Some(64 << 20), Some(8 << 20));
        monitor.note_reserve(40 << 20);
        assert_eq!(monitor.reserve, 8 << 20);
        assert_eq!(monitor.tables(), Some((64 - 8 - 4) << 20));
        // What is taken since then counts.
        monitor.note_growth(56 << 20);
        assert_eq!(monitor.reserve, 24 << 20);
    }

    #[test]
    fn budgets_and_signals_end_a_search() {
        let interrupt = AtomicBool::new(false);
        let outer = AtomicBool::new(false);
        let mut monitor = Monitor::silent(&interrupt);
        monitor.outer = Some(&outer);
        let snapshot = Snapshot::default();
        assert_eq!(monitor.look(&snapshot), None);
        monitor.deadline = Deadline::after(Duration::from_secs(3600));
        assert_eq!(monitor.look(&snapshot), None);
        monitor.deadline = Deadline::after(Duration::ZERO);
        assert_eq!(monitor.look(&snapshot), Some(Limit::Time(Duration::ZERO)));
        assert!(monitor.patience().is_over(0));
        monitor.deadline = None;
        outer.store(true, Ordering::Relaxed);
        assert_eq!(monitor.look(&snapshot), Some(Limit::Interrupted));
        assert!(monitor.patience().is_over(0));
        outer.store(false, Ordering::Relaxed);
        monitor.memory = Some(64 << 20);
        let large = Snapshot { memory: 65 << 20, ..snapshot };
        // The figure is that of the tables, which is also what is shown on the way and in the end.
        assert_eq!(monitor.look(&large), Some(Limit::Memory { used: 65 << 20, budget: 64 << 20 }));
        assert!(!monitor.patience().is_over(1 << 20) && monitor.patience().is_over(65 << 20));
    }

    #[test]
    fn a_limit_on_addresses_is_read() {
        let text = "Limit                     Soft Limit           Hard Limit           Units     \n\
                    Max address space         943718400            unlimited            bytes     \n";
        assert_eq!(limit_of_addresses(text), Some(943_718_400));
        assert_eq!(limit_of_addresses(&text.replace("943718400", "unlimited")), None);
    }
}
