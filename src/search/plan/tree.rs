//! From a plan to a tree store: the borders of a state, which the program knows, and some states to learn from. And what a tree would take,
//! for searches that have none.

use super::run::PlannedSearch;
use crate::exec::Program;
use crate::search::explore::sample::sample;
use crate::search::monitor::Monitor;
use crate::search::outcome::Outcome;
use crate::store::{ExactStore, Layout, Record, SharedStates, Store, TreeStore, Visit, WholeStore};

/// States that are visited before the search, to learn from. They are some thousandths of the states for which a tree pays.
const SAMPLED: usize = 30_000;
/// Bytes that these may take, if the budget does not say less.
const SAMPLE_BYTES: usize = 32 << 20;

impl PlannedSearch<'_> {
    /// An empty tree store for this search. `tracks`: the search asks which states are on the stack.
    pub(super) fn tree_store(&self, tracks: bool, monitor: &Monitor<'_>) -> TreeStore {
        let seen = self.sampled(monitor);
        TreeStore::new(layout(self.program), tracks, Self::budget(monitor)).learning_from(spread(&seen))
    }

    /// The same for several threads; `None` if there is no room for it.
    pub(super) fn shared_tree(&self, workers: usize, monitor: &Monitor<'_>) -> Option<SharedStates> {
        let seen = self.sampled(monitor);
        let who = (self.seed, workers, self.program.hidden as usize);
        SharedStates::compressed(who, Self::budget(monitor), layout(self.program), spread(&seen))
    }

    /// Some states to learn from.
    fn sampled(&self, monitor: &Monitor<'_>) -> ExactStore {
        let (rules, patience) = (self.settings.rules, monitor.patience());
        sample(self.program, rules, SAMPLED, SAMPLE_BYTES.min(Self::budget(monitor) / 4), patience)
    }

    /// The outcome of a search that kept less than whole states says what a tree of whole states would have taken. Judged by a tree of some
    /// of the states, which share less than all of them do.
    pub(super) fn noting_the_tree(&self, monitor: &Monitor<'_>, mut outcome: Outcome) -> Outcome {
        let budget = Self::budget(monitor);
        let seen = self.sampled(monitor);
        let mut tree = TreeStore::new(layout(self.program), false, budget / 4).learning_from(spread(&seen));
        let full = all(&seen).any(|state| tree.take_over(state, false) == Visit::Full);
        if full || tree.is_empty() {
            return outcome;
        }
        let states = u128::from(outcome.counts.stored.max(tree.len()));
        let bytes = Store::memory(&tree) as u128 * states / u128::from(tree.len());
        let mebibytes = bytes.div_ceil(1 << 20);
        outcome.notes.push(format!("--store tree would keep these states exactly, in {mebibytes} MiB or less"));
        outcome
    }

    /// An empty store that moves to a tree when memory comes near its budget.
    pub(super) fn moving_store(&self, tracks: bool, monitor: &Monitor<'_>) -> WholeStore {
        WholeStore::moving(self.seed, layout(self.program), tracks, Self::budget(monitor))
    }

    /// The outcome says that the store has moved.
    pub(super) fn noting_the_move(moved_at: Option<u64>, mut outcome: Outcome) -> Outcome {
        outcome.notes.extend(moved_at.map(|states| {
            format!("memory came near its budget at {states} states; from there on they were kept compressed, as with --store tree")
        }));
        outcome
    }
}

/// All states of a store, in the order in which they came.
fn all(seen: &ExactStore) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(seen.first(), |&handle| seen.next(handle)).map(|handle| seen.get(handle))
}

/// As many of the states as are worth learning from, from the first to the last.
fn spread(seen: &ExactStore) -> impl Iterator<Item = &[u8]> {
    all(seen).step_by(seen.len().div_ceil(TreeStore::SAMPLE).max(1))
}

/// The borders of processes, channels and variables in the states of a program.
pub(super) fn layout(program: &Program) -> Layout {
    let extent = |&(at, channel): &(u32, u32)| {
        let channel = &program.channels[channel as usize];
        [at, at + channel.length_size + channel.capacity * channel.slot_size]
    };
    let mut borders: Vec<u32> = program.global_channels.iter().flat_map(extent).collect();
    borders.push(program.globals);
    if let Some((at, number)) = program.claim {
        borders.extend([at, at + program.proctypes[number as usize].size]);
    }
    let records = program.proctypes.iter().map(|proctype| Record {
        size: proctype.size as usize,
        borders: sorted(proctype.channels.iter().flat_map(extent)),
    });
    Layout {
        first_record: (program.first_process - program.hidden) as usize,
        borders: sorted(borders.iter().filter_map(|at| at.checked_sub(program.hidden))),
        records: records.collect(),
    }
}

fn sorted(borders: impl Iterator<Item = u32>) -> Vec<usize> {
    let mut borders: Vec<usize> = borders.map(|border| border as usize).collect();
    borders.sort_unstable();
    borders
}
