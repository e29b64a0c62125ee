//! Searches with a store that may err: how large its table is made, what several runs say together, and what to
//! advise when the answer is not sure enough.
//!
//! Runs with independent hash functions err independently: a state escapes all of them only if it escapes each, so
//! the bounds on the probability of an omission multiply.

use crate::search::outcome::{Outcome, Repeat};
use crate::store::bloom::BloomStore;
use crate::store::compact::CompactStore;
use crate::store::omission::Omission;

/// What is kept of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keeping {
    /// All of it.
    #[default]
    Exact,
    /// A signature of so many bits in so many slots (by default what the memory holds).
    Compact {
        /// Bits of a signature.
        bits: u8,
        /// Slots.
        slots: Option<u64>,
    },
    /// Bits in a Bloom filter.
    Bloom {
        /// Hash functions; by default the best for the expected number of states, or 3.
        functions: Option<u8>,
        /// As many bits as so many signatures of one bit per function would take.
        slots: Option<u64>,
    },
}

/// Hash functions where nothing says which number is best: SPIN's bitstate search.
const DEFAULT_FUNCTIONS: u8 = 3;
/// Without `--memory`, `--slots` and `--expect-states` a table has this many bytes.
const DEFAULT_TABLE: u64 = 256 << 20;
/// What the rest of a search needs at least beside its table: stack, journal, program.
const RESERVE: u64 = 2 << 20;
/// Slots per expected state: a table this full still finds an empty slot within five probes.
const HEADROOM: (u64, u64) = (5, 4);
/// The probability that advice aims at.
const GOAL: f64 = 0.001;

/// Bytes for the table: three quarters of the budget that is left, the rest is for the stack.
fn table_bytes(memory: Option<u64>) -> u64 {
    match memory {
        Some(budget) => (budget.saturating_sub(RESERVE) / 4 * 3).max(64),
        None => DEFAULT_TABLE,
    }
}

/// Slots of a compact table.
pub fn compact_slots(bits: u8, slots: Option<u64>, expected: Option<u64>, memory: Option<u64>) -> u64 {
    let fits = CompactStore::slots_for(table_bytes(memory), bits);
    let wanted = slots.or(expected.map(|states| states.saturating_mul(HEADROOM.0) / HEADROOM.1));
    match (wanted, memory) {
        (Some(wanted), Some(_)) => wanted.min(fits),
        (Some(wanted), None) => wanted,
        (None, _) => fits,
    }
}

/// Bytes and hash functions of a Bloom filter.
pub fn bloom_size(functions: Option<u8>, slots: Option<u64>, expected: Option<u64>, memory: Option<u64>) -> (u64, u8) {
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
pub fn advise_larger(slots: u64) -> String {
    format!("`--slots {}` would let it go on to twice as many states", slots.saturating_mul(2))
}

/// Options that would bring the probability of an omission under a tenth of a per cent for this many states.
pub fn advise(keeping: Keeping, states: u64, probability: f64) -> Option<String> {
    if probability < GOAL || states == 0 {
        return None;
    }
    match keeping {
        Keeping::Exact => None,
        Keeping::Compact { .. } => {
            let slots = states.saturating_mul(HEADROOM.0) / HEADROOM.1 + 1;
            let bits = (2..=64u8).find(|&bits| {
                Omission::of_compaction(states, slots, 2f64.powi(i32::from(bits)) - 1.0).probability < GOAL
            })?;
            Some(format!("`--bits {bits} --slots {slots}` would bring it under 0.1%"))
        }
        Keeping::Bloom { .. } => {
            let mut bytes = 1u64 << 20;
            while bytes < 1 << 50 {
                let table = table_bytes(Some(bytes));
                let functions = BloomStore::functions_for(states, table);
                let fill = 1.0 - (-(f64::from(functions)) * states as f64 / (table as f64 * 8.0)).exp();
                if Omission::of_bloom(states, fill, u32::from(functions)).probability < GOAL {
                    let size = if bytes < 1 << 30 { format!("{}M", bytes >> 20) } else { format!("{}G", bytes >> 30) };
                    return Some(format!("`--memory {size} --bits {functions}` would bring it under 0.1%"));
                }
                bytes *= 2;
            }
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_does_what_it_says() {
        let advice = advise(Keeping::Compact { bits: 8, slots: None }, 100_000, 0.9);
        let text = advice.unwrap_or_default();
        assert!(text.starts_with("`--bits 27 --slots 125001`"), "{text}");
        let probability = |bits: i32| Omission::of_compaction(100_000, 125_001, 2f64.powi(bits) - 1.0).probability;
        assert!(probability(27) < GOAL && probability(26) >= GOAL);
        assert_eq!(advise(Keeping::Bloom { functions: Some(3), slots: None }, 100_000, 0.0001), None);
        let text = advise(Keeping::Bloom { functions: Some(3), slots: None }, 1_000_000, 0.9).unwrap_or_default();
        assert!(text.starts_with("`--memory 8M"), "{text}");
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
