//! From a plan to a depth-first search: makes the store and the reduction that the plan names, and hands both to [`dfs`].
//!
//! Each pair of a store and a reduction that a plan can name is compiled as a search of its own, and no other pair is.

use super::run::PlannedSearch;
use super::{DepthFirst, DepthStore, Precise, Preserves, Replacement, Sets, Technique, Techniques};
use crate::search::explore::dfs;
use crate::search::explore::lossy::{COMPACT_BITS, LossyTable};
use crate::search::explore::precision_on_demand::PrecisionOnDemand;
use crate::search::monitor::Monitor;
use crate::search::outcome::{Limit, Outcome, Verdict};
use crate::search::reduce::Full;
use crate::search::reduce::both::PersistentSleep;
use crate::search::reduce::persistent::{PersistentOptions, PersistentSets};
use crate::search::reduce::sleep::SleepSets;
use crate::store::depth::exact::ExactStore;
use crate::store::lossy::bloom::BloomStore;
use crate::store::lossy::compact::CompactStore;
use crate::store::{CacheStore, LossyStore, Store, WholeStore};

/// A table that may err.
enum Lossy {
    Compact(CompactStore),
    Bloom(BloomStore),
}

impl PlannedSearch<'_> {
    pub(super) fn depth_first(&self, plan: &DepthFirst, monitor: &mut Monitor<'_>) -> Outcome {
        let budget = Self::budget(monitor);
        let checks = plan.check_independence;
        match plan.store {
            DepthStore::Exact(techniques) => {
                let mut store = WholeStore::exact(ExactStore::with_budget(self.seed, budget));
                self.with_techniques(&mut store, techniques, checks, monitor)
            }
            DepthStore::Tree(techniques) => {
                let mut store = WholeStore::tree(self.tree_store(techniques != Techniques::None, monitor));
                self.with_techniques(&mut store, techniques, checks, monitor)
            }
            DepthStore::Usual(technique) => {
                let mut store = self.moving_store(technique.is_some(), monitor);
                let outcome = self.with_technique(&mut store, technique, checks, monitor);
                Self::noting_the_move(store.moved_at(), outcome)
            }
            DepthStore::Cache { states, replacement, max_revisit_rate, technique } => {
                let mut store = CacheStore::new(states, replacement, self.seed, budget).giving_up_at(max_revisit_rate);
                let outcome = self.with_technique(&mut store, technique, checks, monitor);
                self.naming_what_helps(replacement, technique, outcome)
            }
            DepthStore::Lossy { table, technique, .. } => match self.lossy_store(table, technique.is_some(), monitor) {
                Ok(Lossy::Compact(mut store)) => self.with_technique(&mut store, technique, checks, monitor),
                Ok(Lossy::Bloom(mut store)) => self.with_technique(&mut store, technique, checks, monitor),
                Err(outcome) => *outcome,
            },
        }
    }

    /// An outcome which says, if the cache has given up, what may give an answer instead.
    fn naming_what_helps(
        &self,
        replacement: Replacement,
        technique: Option<Technique>,
        mut outcome: Outcome,
    ) -> Outcome {
        let mut options = vec!["a larger --cache"];
        // Sleep sets go neither with a claim nor, in a cache, with persistent sets.
        if technique.is_none() && self.plan.claim.is_none() {
            options.push("--sleep");
        }
        if replacement != Replacement::Cost {
            options.push("--replace cost");
        }
        options.extend(["--store tree", "breadth first (--search bfs with as large a --cache, --hub or --disk)"]);
        let last = options.pop().unwrap_or_default();
        let text = format!("{} or {last}", options.join(", "));
        let limit = match &mut outcome.verdict {
            Verdict::Incomplete(limit) => Some(limit),
            _ => outcome.stopped.as_mut(),
        };
        if let Some(Limit::Revisits { helps, .. }) = limit {
            *helps = text;
        }
        outcome
    }

    /// A depth-first search with precision on demand.
    pub(super) fn precisely(&self, plan: &Precise, monitor: &mut Monitor<'_>) -> Outcome {
        match self.lossy_store(plan.table, false, monitor) {
            Ok(Lossy::Compact(mut store)) => self.precisely_over(&mut store, plan, monitor),
            Ok(Lossy::Bloom(mut store)) => self.precisely_over(&mut store, plan, monitor),
            Err(outcome) => *outcome,
        }
    }

    fn precisely_over<S: LossyStore>(&self, store: &mut S, plan: &Precise, monitor: &mut Monitor<'_>) -> Outcome {
        let (rules, transitions) = (self.settings.rules, self.program.transitions.len());
        let precision = PrecisionOnDemand::new(plan.chain.get(), transitions, rules, monitor.patience());
        dfs::search_precisely(self.task(None, monitor), store, precision)
    }

    /// The table, or what is said where the system has no room for it.
    fn lossy_store(&self, table: LossyTable, reduces: bool, monitor: &Monitor<'_>) -> Result<Lossy, Box<Outcome>> {
        let memory = self.plan.memory.and(monitor.tables());
        let no_room = |bytes| Box::new(Outcome::without_room(self.program, bytes));
        match table {
            LossyTable::Compact { bits, size } => {
                let bits = bits.unwrap_or(COMPACT_BITS);
                let slots = size.of_compact(bits, None, memory);
                let store = CompactStore::new(bits, slots, self.seed, reduces);
                store.map(Lossy::Compact).ok_or_else(|| no_room(CompactStore::bytes_for(slots, bits)))
            }
            LossyTable::Bloom { functions, size } => {
                let (bytes, functions) = size.of_bloom(functions, memory);
                let store = BloomStore::new(bytes, functions, self.seed, reduces);
                store.map(Lossy::Bloom).ok_or_else(|| no_room(bytes))
            }
        }
    }

    /// A depth-first search with all techniques that are asked for.
    fn with_techniques(
        &self,
        store: &mut WholeStore,
        techniques: Techniques,
        checks: bool,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        match techniques {
            Techniques::None => self.with_technique(store, None, checks, monitor),
            Techniques::One(technique) => self.with_technique(store, Some(technique), checks, monitor),
            Techniques::Both(sets) => self.with_both(store, sets, checks, monitor),
        }
    }

    /// A depth-first search with one technique, or none.
    fn with_technique<S: Store>(
        &self,
        store: &mut S,
        technique: Option<Technique>,
        checks: bool,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        match technique {
            None => self.reduced(Full, checks, monitor, |task, full| dfs::search(task, store, full)),
            Some(Technique::SleepSets) => {
                let sleep = SleepSets::new(self.model, self.program, monitor.patience());
                self.reduced(sleep, checks, monitor, |task, sleep| dfs::search(task, store, sleep))
            }
            Some(Technique::PersistentSets(sets)) => {
                if let Some(paths) = self.path_sets() {
                    let paths = paths.within(monitor.patience());
                    return self.reduced(paths, checks, monitor, |task, sets| dfs::search(task, store, sets));
                }
                let persistent = self.persistent_sets(sets, S::EXACT).within(monitor.patience());
                self.reduced(persistent, checks, monitor, |task, sets| dfs::search(task, store, sets))
            }
        }
    }

    /// A depth-first search with persistent sets and sleep sets.
    fn with_both(&self, store: &mut WholeStore, sets: Sets, checks: bool, monitor: &mut Monitor<'_>) -> Outcome {
        let both = PersistentSleep::new(self.model, self.program, self.persistent_options(sets, true));
        let both = both.within(monitor.patience());
        self.reduced(both, checks, monitor, |task, both| dfs::search(task, store, both))
    }

    /// Persistent sets alone. `tracks_stack`: the store knows which states are on the stack.
    pub(super) fn persistent_sets(&self, sets: Sets, tracks_stack: bool) -> PersistentSets<'_> {
        PersistentSets::new(self.model, self.persistent_options(sets, tracks_stack))
    }

    /// Persistent sets for one of several workers. What was counted or tried before is not the same for all of them, so nothing
    /// hangs on it.
    pub(super) fn steady_sets(&self, sets: Sets) -> PersistentSets<'_> {
        let usual = self.persistent_options(sets, true);
        PersistentSets::new(self.model, PersistentOptions { count_births: false, steady: true, ..usual })
    }

    fn persistent_options(&self, sets: Sets, tracks_stack: bool) -> PersistentOptions {
        let combined = self.plan.search.sleeps();
        PersistentOptions {
            deadlocks_only: sets.preserves == Preserves::Deadlocks,
            strict_channels: self.settings.rules.strict_channels,
            count_births: self.assumed.births_have_a_bound,
            // see docs/soundness.md: together with sleep sets each single deadlock is kept if all are asked for
            names_pids: combined && self.plan.all_errors,
            // see docs/soundness.md
            trust_claims: self.assumed.channel_claims_hold && !combined,
            tracks_stack,
            steady: false,
        }
    }
}
