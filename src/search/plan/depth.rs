//! Depth-first searches from a plan: which store, which reduction, and what watches over the reduction.
//!
//! Each pair of a store and a reduction that a plan can name is compiled as a search of its own, and no other pair is.

use super::run::Run;
use super::{DepthFirst, DepthStore, Keeps, Precise, Sets, Technique, Techniques};
use crate::analysis::Dependence;
use crate::search::explore::dfs;
use crate::search::explore::lossy::{COMPACT_BITS, Table};
use crate::search::explore::precision_on_demand::PrecisionOnDemand;
use crate::search::monitor::{Monitor, Patience};
use crate::search::outcome::{Limit, Outcome, Verdict};
use crate::search::reduce::audit::Watch;
use crate::search::reduce::both::PersistentSleep;
use crate::search::reduce::persistent::{Keep, PersistentSets};
use crate::search::reduce::sleep::SleepSets;
use crate::search::reduce::{Full, Reduction};
use crate::store::depth::exact::ExactStore;
use crate::store::lossy::bloom::BloomStore;
use crate::store::lossy::compact::CompactStore;
use crate::store::{CacheStore, LossyStore, Store};

/// A table that may err.
enum Lossy {
    Compact(CompactStore),
    Bloom(BloomStore),
}

impl Run<'_> {
    pub(super) fn depth_first(&self, plan: &DepthFirst, monitor: &mut Monitor<'_>) -> Outcome {
        let budget = Self::budget(monitor);
        let checks = plan.check_independence;
        match plan.store {
            DepthStore::Exact(techniques) => {
                let mut store = ExactStore::with_budget(self.seed, budget);
                match techniques {
                    Techniques::None => self.with_technique(&mut store, None, checks, monitor),
                    Techniques::One(technique) => self.with_technique(&mut store, Some(technique), checks, monitor),
                    Techniques::Both(sets) => self.with_both(&mut store, sets, checks, monitor),
                }
            }
            DepthStore::Cache { states, replacement, technique } => {
                let mut store = CacheStore::new(states, replacement, self.seed, budget);
                self.with_technique(&mut store, technique, checks, monitor)
            }
            DepthStore::Lossy { table, technique, .. } => match self.lossy_store(table, technique.is_some(), monitor) {
                Ok(Lossy::Compact(mut store)) => self.with_technique(&mut store, technique, checks, monitor),
                Ok(Lossy::Bloom(mut store)) => self.with_technique(&mut store, technique, checks, monitor),
                Err(outcome) => *outcome,
            },
        }
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
    fn lossy_store(&self, table: Table, reduces: bool, monitor: &Monitor<'_>) -> Result<Lossy, Box<Outcome>> {
        let memory = self.plan.memory.and(monitor.tables());
        let no_room = |bytes| Box::new(Outcome::without_room(self.program, bytes));
        match table {
            Table::Compact { bits, size } => {
                let bits = bits.unwrap_or(COMPACT_BITS);
                let slots = size.of_compact(bits, None, memory);
                let store = CompactStore::new(bits, slots, self.seed, reduces);
                store.map(Lossy::Compact).ok_or_else(|| no_room(CompactStore::bytes_for(slots, bits)))
            }
            Table::Bloom { functions, size } => {
                let (bytes, functions) = size.of_bloom(functions, memory);
                let store = BloomStore::new(bytes, functions, self.seed, reduces);
                store.map(Lossy::Bloom).ok_or_else(|| no_room(bytes))
            }
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
            None => self.reduced(store, Full, checks, monitor),
            Some(Technique::SleepSets) => {
                let sleep = SleepSets::new(self.model, self.program, monitor.patience());
                self.reduced(store, sleep, checks, monitor)
            }
            Some(Technique::PersistentSets(sets)) => {
                let persistent = self.persistent_sets(sets, S::EXACT).within(monitor.patience());
                self.reduced(store, persistent, checks, monitor)
            }
        }
    }

    /// A depth-first search with persistent sets and sleep sets.
    fn with_both(&self, store: &mut ExactStore, sets: Sets, checks: bool, monitor: &mut Monitor<'_>) -> Outcome {
        let both = PersistentSleep::new(self.model, self.program, self.keep(sets, true));
        self.reduced(store, both.within(monitor.patience()), checks, monitor)
    }

    /// A depth-first search with this reduction, which is watched over if the plan says so.
    fn reduced<S: Store, R: Reduction>(
        &self,
        store: &mut S,
        mut reduction: R,
        checks: bool,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        if R::ACTIVE
            && let Some(outcome) = self.too_large(monitor)
        {
            return outcome;
        }
        let audit = self.watch(checks, monitor.patience());
        dfs::search(self.task(audit, monitor), store, &mut reduction)
    }

    /// Persistent sets alone. `tracks_stack`: the store knows which states are on the stack.
    pub(super) fn persistent_sets(&self, sets: Sets, tracks_stack: bool) -> PersistentSets<'_> {
        PersistentSets::new(self.model, self.keep(sets, tracks_stack))
    }

    fn keep(&self, sets: Sets, tracks_stack: bool) -> Keep {
        let combined = self.plan.search.sleeps();
        Keep {
            deadlocks_only: sets.keeps == Keeps::Deadlocks,
            strict_channels: self.settings.rules.strict_channels,
            count_births: self.assumed.births_have_a_bound,
            names_pids: combined,
            // see docs/soundness.md
            trust_claims: self.assumed.channel_claims_hold && !combined,
            tracks_stack,
        }
    }

    /// The reduction is there: what it took counts as part of the program. If that alone is more than the budget, that is
    /// the end.
    pub(super) fn too_large(&self, monitor: &mut Monitor<'_>) -> Option<Outcome> {
        let before = monitor.reserve;
        monitor.measure_growth();
        let budget = self.plan.memory.filter(|&budget| monitor.reserve.saturating_sub(before) > budget)?;
        let verdict = Verdict::Incomplete(Limit::Memory { used: monitor.reserve, budget });
        Some(Outcome { verdict, ..Outcome::without_room(self.program, 0) })
    }

    /// What the plan wants to be watched. `checks`: the dependence relation.
    pub(super) fn watch<'w>(&'w self, checks: bool, patience: Patience<'w>) -> Option<Watch<'w, 'w>> {
        let relation = checks.then(|| Dependence::new(self.model));
        let checked = self.plan.search.sets().filter(|sets| sets.check);
        let sets = checked.map(|sets| self.persistent_sets(sets, true));
        let watches = relation.is_some() || sets.is_some();
        watches.then(|| Watch::new(self.model, self.program, relation, sets).within(patience))
    }
}
