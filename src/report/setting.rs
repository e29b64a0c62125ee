//! How it was searched, as it is told: read from the plans that ran.

use super::number::{bytes, counted, thousands};
use crate::search::plan::{
    Assertions, CycleProperty, DISK_BITS, DepthFirst, DepthStore, DiskRecord, EndStates, LossyTable, Plan, Precise,
    Preserves, Property, QueuedTable, Reductions, Replacement, Search, Size,
};
use serde::Serialize;

/// How it was searched: the `search` object of the JSON report, told in words by the text report.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Setting {
    /// `dfs` or `bfs`.
    pub algorithm: &'static str,
    /// `exact`, `tree`, `compact` or `bloom`.
    pub store: &'static str,
    /// Sleep sets.
    pub sleep: bool,
    /// Persistent sets.
    pub por: bool,
    /// All that was left out: `dead-variables`, `merging`, `persistent-sets`, `sleep-sets`.
    pub reductions: Vec<&'static str>,
    /// The reduction keeps deadlocks only.
    #[serde(skip_serializing_if = "is_false")]
    pub deadlocks_only: bool,
    /// Most states held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<u64>,
    /// Replacement of a depth-first cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<&'static str>,
    /// Signature bits or hash functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits: Option<u32>,
    /// Slots of a compact store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u64>,
    /// Length of the chain of first successors.
    #[serde(skip_serializing_if = "is_zero")]
    pub pod: u32,
    /// Runs with independent hash functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeat: Option<u32>,
    /// Two-level breadth-first cache.
    #[serde(skip_serializing_if = "is_false")]
    pub hub: bool,
    /// Visited states on disk.
    #[serde(skip_serializing_if = "is_false")]
    pub disk: bool,
    /// Cache first, then disk.
    #[serde(skip_serializing_if = "is_false")]
    pub serial: bool,
    /// Threads that search, where their number was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<u16>,
    /// Bound on the path length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_depth: Option<u64>,
    /// Budget in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Budget in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// Every error is counted.
    #[serde(skip_serializing_if = "is_false")]
    pub all_errors: bool,
    /// Known counterexamples are passed over.
    #[serde(skip_serializing_if = "is_false")]
    pub another: bool,
    /// What was seen becomes a certificate.
    #[serde(rename = "certificate", skip_serializing_if = "is_false")]
    pub certifies: bool,
    /// A shorter counterexample is looked for.
    #[serde(skip_serializing_if = "is_false")]
    pub shortest: bool,
    /// How many processes search together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
    /// Weak fairness.
    #[serde(skip_serializing_if = "is_false")]
    pub fair: bool,
    /// Of every random choice.
    pub seed: u64,
    /// What was left out of the model before the search.
    #[serde(skip)]
    pub statics: Reductions,
    /// What was looked for.
    #[serde(skip)]
    pub checks: Checks,
}

/// What was looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Checks {
    /// Assertions.
    pub assertions: bool,
    /// Invalid end states.
    pub end_states: bool,
    /// They were asked for, but a search for cycles does not judge them.
    pub end_states_left: bool,
    /// Acceptance cycles.
    pub acceptance: bool,
    /// An end state must have empty channels.
    pub strict_channels: bool,
    /// Claims, if the model has any.
    pub claims: bool,
    /// Non-progress cycles.
    pub non_progress: bool,
}

impl Setting {
    /// How these plans search. They differ in their properties, and in what can be left out for each.
    pub(crate) fn of(plans: &[Plan]) -> Setting {
        let Some(plan) = plans.first() else { return Setting::default() };
        let (lossy, runs) = plan.search.lossy().unzip();
        let cache = cache_of(&plan.search);
        let table = plan.search.queued().map(|(table, _)| *table);
        let sets = plan.search.sets();
        let usual = matches!(table, Some(QueuedTable::Disk { record: DiskRecord::Usual, .. }));
        Setting {
            algorithm: if matches!(plan.search, Search::Breadth(_)) { "bfs" } else { "dfs" },
            store: match lossy {
                // On disk signatures are kept unless whole states are asked for.
                None if usual => "compact",
                None if plan.search.is_tree() => "tree",
                None => "exact",
                Some(LossyTable::Compact { .. }) => "compact",
                Some(LossyTable::Bloom { .. }) => "bloom",
            },
            sleep: plan.search.sleeps(),
            por: plans.iter().any(|plan| plan.search.sets().is_some()),
            reductions: reductions(plans),
            statics: statics(plans),
            deadlocks_only: sets.is_some_and(|sets| sets.preserves == Preserves::Deadlocks),
            cache: cache.map(|(states, _)| states),
            replace: cache.and_then(|(_, replacement)| replacement).map(replacement_name),
            bits: lossy.map_or(usual.then_some(DISK_BITS), bits_of).map(u32::from),
            slots: lossy.and_then(slots_of),
            pod: match plan.search {
                Search::Precise(Precise { chain, .. }) => u32::from(chain.get()),
                _ => 0,
            },
            repeat: runs.flatten(),
            hub: table.is_some_and(has_hub),
            disk: matches!(table, Some(QueuedTable::Disk { .. })),
            serial: matches!(table, Some(QueuedTable::Serial { .. })),
            workers: plan.search.workers().map(std::num::NonZeroU16::get),
            max_depth: plan.search.max_depth(),
            memory: plan.memory,
            time: plan.time.map(|time| time.as_secs_f64()),
            all_errors: plan.all_errors,
            another: plan.known.is_some(),
            certifies: plan.certifies,
            shortest: plan.shortest,
            processes: plan.processes,
            fair: plan.search.is_fair(),
            seed: plan.seed,
            checks: Checks::of(plan, plans),
        }
    }

    /// How it was searched, in words.
    pub(crate) fn words(&self) -> String {
        let mut parts = vec![if self.algorithm == "bfs" { "breadth-first" } else { "depth-first" }.to_string()];
        match (self.store, self.bits) {
            ("compact", Some(bits)) => parts.push(format!("hash compaction ({bits} bits)")),
            ("bloom", Some(bits)) => parts.push(format!("Bloom filter ({bits} hash functions)")),
            (store, _) => parts.push(format!("{store} store")),
        }
        if let Some(cache) = self.cache {
            let level = if self.hub { "hub cache" } else { "cache" };
            let replace = self.replace.as_ref().map(|how| format!(" ({how} replacement)")).unwrap_or_default();
            parts.push(format!("{level} of {}{replace}", counted(cache, "state", "states")));
        }
        let named = [
            (self.sleep, "sleep sets"),
            (self.por && !self.deadlocks_only, "persistent sets"),
            (self.por && self.deadlocks_only, "persistent sets for deadlocks only"),
            (self.statics.dead_variables, "dead variables set to 0"),
            (self.statics.merging, "local steps merged"),
            (self.disk, "visited states on disk"),
            (self.serial, "cache first, then disk"),
            (self.fair, "weak fairness"),
            (self.another, "beside known counterexamples"),
            (self.certifies, "with a certificate"),
            (self.shortest, "then a shorter counterexample"),
        ];
        parts.extend(named.iter().filter(|(on, _)| *on).map(|(_, name)| (*name).to_string()));
        if let Some(processes) = self.processes {
            parts.push(counted(u64::from(processes), "process", "processes"));
        }
        if self.pod > 0 {
            parts.push(format!("precision on demand {}", self.pod));
        }
        if let Some(workers) = self.workers {
            parts.push(counted(u64::from(workers), "worker", "workers"));
        }
        if let Some(runs) = self.repeat.filter(|&runs| runs > 1) {
            parts.push(format!("{runs} runs"));
        }
        if let Some(depth) = self.max_depth {
            parts.push(format!("depth at most {}", thousands(depth)));
        }
        if let Some(memory) = self.memory {
            parts.push(format!("memory at most {}", bytes(memory)));
        }
        if let Some(time) = self.time {
            parts.push(format!("at most {time} s"));
        }
        parts.push(format!("seed {}", self.seed));
        parts.join(", ")
    }
}

impl Checks {
    /// What these plans look for; `first` is one of them.
    fn of(first: &Plan, plans: &[Plan]) -> Checks {
        let looks_for = |wanted: &dyn Fn(Property) -> bool| plans.iter().any(|plan| wanted(plan.property()));
        let safety = looks_for(&|property| property == Property::Safety);
        let non_progress = looks_for(&|property| property == Property::Cycles(CycleProperty::Progress));
        let end_states = first.end_states != EndStates::Ignore;
        Checks {
            assertions: first.judged_assertions() != Assertions::Ignore,
            end_states: end_states && safety,
            end_states_left: end_states && !safety,
            acceptance: !safety && !non_progress,
            strict_channels: first.end_states == EndStates::JudgeChannels,
            // A model that has claims is searched for safety only if they were left out.
            claims: !safety,
            non_progress,
        }
    }
}

/// What these plans leave out of the model: what any of them does.
fn statics(plans: &[Plan]) -> Reductions {
    plans.iter().fold(Reductions::NONE, |all, plan| Reductions {
        dead_variables: all.dead_variables || plan.statics.dead_variables,
        unread_writes: all.unread_writes || plan.statics.unread_writes,
        merging: all.merging || plan.statics.merging,
    })
}

/// What these plans leave out, by the names of the JSON report.
fn reductions(plans: &[Plan]) -> Vec<&'static str> {
    let statics = statics(plans);
    let named = [
        (statics.dead_variables, "dead-variables"),
        (statics.merging, "merging"),
        (plans.iter().any(|plan| plan.search.sets().is_some()), "persistent-sets"),
        (plans.iter().any(|plan| plan.search.sleeps()), "sleep-sets"),
    ];
    named.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect()
}

/// The most states that are held, and which one is forgotten where that can be chosen.
fn cache_of(search: &Search) -> Option<(u64, Option<Replacement>)> {
    if let Search::Depth(DepthFirst { store: DepthStore::Cache { states, replacement, .. }, .. }) = search {
        return Some((*states, Some(*replacement)));
    }
    match search.queued()?.0 {
        QueuedTable::Cache { cache, .. } | QueuedTable::Serial { cache, .. } => Some((cache.slots, None)),
        QueuedTable::Exact | QueuedTable::Tree | QueuedTable::Lossy { .. } | QueuedTable::Disk { .. } => None,
    }
}

fn has_hub(table: QueuedTable) -> bool {
    matches!(table, QueuedTable::Cache { cache, .. } | QueuedTable::Serial { cache, .. } if cache.hub.is_some())
}

fn bits_of(table: LossyTable) -> Option<u8> {
    match table {
        LossyTable::Compact { bits, .. } => bits,
        LossyTable::Bloom { functions, .. } => functions,
    }
}

fn slots_of(table: LossyTable) -> Option<u64> {
    let (LossyTable::Compact { size, .. } | LossyTable::Bloom { size, .. }) = table;
    match size {
        Size::Slots(slots) => Some(slots),
        Size::OfMemory | Size::States(_) => None,
    }
}

/// The name of a replacement as it is written on the command line.
pub(crate) fn replacement_name(replacement: Replacement) -> &'static str {
    match replacement {
        Replacement::Random => "random",
        Replacement::Type { .. } => "type",
        Replacement::MostVisited => "most-visited",
        Replacement::LeastVisited => "least-visited",
        Replacement::LargestClass => "largest-class",
        Replacement::SmallestSubtree => "smallest-subtree",
        Replacement::Cost => "cost",
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u32) -> bool {
    *value == 0
}
