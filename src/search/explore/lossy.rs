//! Searches with a store that may err: how large its table is made, what several runs say together, and what we advise when
//! the answer is not sure enough.
//!
//! Runs with independent hash functions err independently. A state is missed by all runs only if each of them misses it, so
//! the bounds on the probability of an omission are multiplied.

use crate::search::monitor::tables_within;
use crate::search::outcome::{Outcome, Repeat};
use crate::store::lossy::bloom::BloomStore;
use crate::store::lossy::compact::CompactStore;
use crate::store::lossy::omission::Omission;

/// A table that keeps less than the states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossyTable {
    /// A signature of each state (hash compaction).
    Compact {
        /// Bits of a signature; [`COMPACT_BITS`] if not said.
        bits: Option<u8>,
        /// How large.
        size: Size,
    },
    /// Bits in a Bloom filter (bitstate search).
    Bloom {
        /// Hash functions; by default the best for the expected number of states, or 3.
        functions: Option<u8>,
        /// How large.
        size: Size,
    },
}

/// How large a table is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Size {
    /// As large as the memory allows.
    #[default]
    OfMemory,
    /// So many slots. A Bloom filter has as many bits as so many signatures of one bit per function would take.
    Slots(u64),
    /// Large enough for so many states.
    States(u64),
}

impl Size {
    fn slots(self) -> Option<u64> {
        match self {
            Size::Slots(slots) => Some(slots),
            Size::OfMemory | Size::States(_) => None,
        }
    }

    fn states(self) -> Option<u64> {
        match self {
            Size::States(states) => Some(states),
            Size::OfMemory | Size::Slots(_) => None,
        }
    }

    /// Slots of a compact table. `saved`: those of a table that is read back, which were found when there was more memory or
    /// less.
    pub fn of_compact(self, bits: u8, saved: Option<u64>, memory: Option<u64>) -> u64 {
        compact_slots(bits, self.slots().or(saved), self.states(), memory)
    }

    /// Bytes and hash functions of a Bloom filter.
    pub fn of_bloom(self, functions: Option<u8>, memory: Option<u64>) -> (u64, u8) {
        bloom_size(functions, self.slots(), self.states(), memory)
    }
}

/// Signature bits of a compact store when none are given: 10^6 states are then omitted with probability 10^-6.
pub const COMPACT_BITS: u8 = 40;
/// Hash functions where nothing says which number is best: SPIN's bitstate search.
const DEFAULT_FUNCTIONS: u8 = 3;
/// Without `--memory`, `--slots` and `--expect-states` a table has this many bytes.
const DEFAULT_TABLE: u64 = 256 << 20;
/// What the rest of a search needs at least beside its table: stack, journal, program.
const RESERVE: u64 = 2 << 20;
/// Slots per expected state: a table this full still finds an empty slot within five probes.
const HEADROOM: (u64, u64) = (5, 4);
/// What the program itself takes of a budget with a model of the usual size.
const TYPICAL_PROGRAM: u64 = 8 << 20;
/// The probability that advice aims at.
const GOAL: f64 = 0.001;

/// Bytes for the table: three quarters of the budget that is left, the rest is for the stack.
fn table_bytes(memory: Option<u64>) -> u64 {
    match memory {
        Some(budget) => ((budget - RESERVE.min(budget / 4)) / 4 * 3).max(64),
        None => DEFAULT_TABLE,
    }
}

/// Slots of a compact table.
fn compact_slots(bits: u8, slots: Option<u64>, expected: Option<u64>, memory: Option<u64>) -> u64 {
    let fits = CompactStore::slots_for(table_bytes(memory), bits);
    let wanted = slots.or(expected.map(|states| states.saturating_mul(HEADROOM.0) / HEADROOM.1));
    match (wanted, memory) {
        (Some(wanted), Some(_)) => wanted.min(fits),
        (Some(wanted), None) => wanted,
        (None, _) => fits,
    }
}

/// Bytes and hash functions of a Bloom filter.
fn bloom_size(functions: Option<u8>, slots: Option<u64>, expected: Option<u64>, memory: Option<u64>) -> (u64, u8) {
    if let Some(slots) = slots {
        let functions = functions.unwrap_or(DEFAULT_FUNCTIONS);
        let wanted = BloomStore::bytes_of_slots(slots, functions);
        return (memory.map_or(wanted, |_| wanted.min(table_bytes(memory))), functions);
    }
    let bytes = match (expected, memory) {
        (Some(states), None) => BloomStore::bytes_for(states, functions.unwrap_or(10)),
        _ => table_bytes(memory),
    };
    let best = || expected.map_or(DEFAULT_FUNCTIONS, |states| BloomStore::functions_for(states, bytes));
    (bytes, functions.unwrap_or_else(best))
}

/// What several runs say together.
pub fn combine(runs: Vec<(u64, Outcome)>) -> Option<Outcome> {
    let repeats: Vec<Repeat> = runs
        .iter()
        .map(|(seed, outcome)| Repeat {
            seed: *seed,
            stored: outcome.counts.stored,
            omission_probability: outcome.omission_probability.unwrap_or(0.0),
            coverage: outcome.coverage.unwrap_or(1.0),
        })
        .collect();
    let seconds = runs.iter().map(|(_, outcome)| outcome.seconds).sum();
    let memory = runs.iter().map(|(_, outcome)| outcome.memory).max().unwrap_or(0);
    let mut all: Vec<Outcome> = runs.into_iter().map(|(_, outcome)| outcome).collect();
    let violated = all.iter().position(|outcome| outcome.error_count > 0);
    let unfinished = all.iter().position(|outcome| outcome.verdict.exit_code() == 3);
    let largest = (0..all.len()).max_by_key(|&number| all[number].counts.stored)?;
    let mut outcome = all.swap_remove(violated.or(unfinished).unwrap_or(largest));
    if outcome.omission_probability.is_none() {
        // There was no table.
        return Some(outcome);
    }
    outcome.omission_probability = Some(repeats.iter().map(|run| run.omission_probability).product());
    outcome.coverage = Some(1.0 - repeats.iter().map(|run| 1.0 - run.coverage).product::<f64>());
    outcome.seconds = seconds;
    outcome.memory = memory;
    if repeats.len() > 1 {
        outcome.repeats = repeats;
    }
    Some(outcome)
}

/// What to try when all slots are taken: how many more would do is not known.
pub fn advise_larger(table: LossyTable, slots: u64, memory: Option<u64>) -> String {
    match (table, memory) {
        // Fewer slots than that would not have been full: the budget was too small for those that were asked for.
        (LossyTable::Compact { size, .. }, Some(memory)) if size.slots().is_none_or(|wanted| wanted > slots) => {
            format!(
                "`--memory {}` would let it go on to twice as many states, or more",
                as_option(memory.saturating_mul(2))
            )
        }
        (_, Some(memory)) => format!(
            "`--slots {} --memory {}` would let it go on to twice as many states",
            slots.saturating_mul(2),
            as_option(memory.saturating_mul(2))
        ),
        (_, None) => format!("`--slots {}` would let it go on to twice as many states", slots.saturating_mul(2)),
    }
}

/// A size as it is written on the command line, rounded up.
fn as_option(bytes: u64) -> String {
    if bytes < 1 << 30 { format!("{}M", bytes.div_ceil(1 << 20)) } else { format!("{}G", bytes.div_ceil(1 << 30)) }
}

/// The smallest budget, doubling, that leaves room for a table of so many bytes as `fits` wants.
fn budget_for(reserve: u64, mut fits: impl FnMut(u64) -> bool) -> Option<u64> {
    (23..50).map(|power| 1u64 << power).find(|&budget| fits(table_bytes(Some(tables_within(budget, reserve)))))
}

/// Options that would bring the probability of an omission under a tenth of a per cent for this many states. `reserve`: there
/// is a budget, and the program takes so much of it.
pub fn advise(table: LossyTable, states: u64, probability: f64, reserve: Option<u64>) -> Option<String> {
    if probability < GOAL || states == 0 {
        return None;
    }
    match table {
        LossyTable::Compact { .. } => {
            let slots = states.saturating_mul(HEADROOM.0) / HEADROOM.1 + 1;
            let bits = (2..=64u8).find(|&bits| {
                Omission::of_compaction(states, slots, 2f64.powi(i32::from(bits)) - 1.0).probability < GOAL
            })?;
            let needed = CompactStore::bytes_for(slots, bits);
            let memory = match reserve {
                Some(reserve) => format!("--memory {} ", as_option(budget_for(reserve, |table| table >= needed)?)),
                None => String::new(),
            };
            Some(format!("`{memory}--bits {bits} --slots {slots}` would bring it under 0.1%"))
        }
        LossyTable::Bloom { .. } => {
            let mut functions = 0;
            let budget = budget_for(reserve.unwrap_or(TYPICAL_PROGRAM), |table| {
                functions = BloomStore::functions_for(states, table);
                let fill = 1.0 - (-(f64::from(functions)) * states as f64 / (table as f64 * 8.0)).exp();
                Omission::of_bloom(states, fill, u32::from(functions)).probability < GOAL
            })?;
            Some(format!("`--memory {} --bits {functions}` would bring it under 0.1%", as_option(budget)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_does_what_it_says() {
        let advice = advise(LossyTable::Compact { bits: Some(8), size: Size::OfMemory }, 100_000, 0.9, None);
        let text = advice.unwrap_or_default();
        assert!(text.starts_with("`--bits 27 --slots 125001`"), "{text}");
        let probability = |bits: i32| Omission::of_compaction(100_000, 125_001, 2f64.powi(bits) - 1.0).probability;
        assert!(probability(27) < GOAL && probability(26) >= GOAL);
        let bloom = LossyTable::Bloom { functions: Some(3), size: Size::OfMemory };
        assert_eq!(advise(bloom, 100_000, 0.0001, None), None);
        // What is left of a budget when the program has taken its part must do.
        let text = advise(bloom, 1_000_000, 0.9, Some(8 << 20)).unwrap_or_default();
        assert_eq!(text, "`--memory 32M --bits 64` would bring it under 0.1%");
        let compact = LossyTable::Compact { bits: Some(8), size: Size::OfMemory };
        let text = advise(compact, 1_000_000, 0.9, Some(8 << 20)).unwrap_or_default();
        assert_eq!(text, "`--memory 32M --bits 30 --slots 1250001` would bring it under 0.1%");
    }

    #[test]
    fn a_full_table_wants_what_it_lacks() {
        let compact =
            |slots: Option<u64>| LossyTable::Compact { bits: Some(8), size: slots.map_or(Size::OfMemory, Size::Slots) };
        let advice = |slots, memory| advise_larger(compact(slots), 1_000, memory);
        assert!(advice(Some(1_000), None).starts_with("`--slots 2000`"));
        assert!(advice(Some(1_000), Some(16 << 20)).starts_with("`--slots 2000 --memory 32M`"));
        assert!(advice(Some(5_000), Some(16 << 20)).starts_with("`--memory 32M`"));
        assert!(advice(None, Some(16 << 20)).starts_with("`--memory 32M`"));
    }

    #[test]
    fn small_budgets_leave_a_table() {
        for budget in [1 << 20, 2 << 20, 3 << 20, 64 << 20] {
            let table = table_bytes(Some(budget));
            assert!(table >= budget / 2 && table <= budget, "{budget}: {table}");
        }
    }

    #[test]
    fn a_table_stays_inside_its_budget() {
        let slots = compact_slots(20, None, None, Some(64 << 20));
        assert!(CompactStore::bytes_for(slots, 20) <= 48 << 20);
        assert!(compact_slots(20, Some(1 << 40), None, Some(64 << 20)) == slots);
        assert!(bloom_size(None, None, None, Some(64 << 20)).0 <= 48 << 20);
        assert!(bloom_size(Some(20), Some(1 << 40), None, Some(64 << 20)).0 <= 48 << 20);
    }

    #[test]
    fn slots_are_the_same_room_for_both_stores() {
        for (bits, slots) in [(2, 100), (3, 251_409), (20, 1_000), (64, 77)] {
            let (bytes, functions) = bloom_size(Some(bits), Some(slots), None, None);
            assert_eq!(functions, bits);
            let compact = CompactStore::bytes_for(slots, bits) - CompactStore::bytes_for(0, bits);
            assert_eq!(bytes, compact, "{bits} bits, {slots} slots");
        }
        assert_eq!(bloom_size(None, Some(1_000), None, None), (376, 3));
        // The other size, which is best for so many functions, is larger.
        assert!(bloom_size(Some(3), None, Some(251_409), None).0 > bloom_size(Some(3), Some(251_409), None, None).0);
    }
}
