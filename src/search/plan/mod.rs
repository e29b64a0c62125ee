//! A plan: one search, described as data so that it cannot be wrong. What a plan can say, some search does.
//!
//! The command line makes plans from options (`cli::plan`). `pv check`, `pv compare`, `pv resume` and the tests run plans by
//! [`Plan::execute`], so the same plan gives the same counts everywhere; the report reads from the plan what was done.
//! Choices that depend on each other are nested: a cache has room for one reduction only, precision on demand has none, and
//! fairness is a matter of cycles. So a combination that no search can do has no value here, and no code.
//!
//! The file `run` executes a plan, and `shorter` looks for a shorter counterexample if the plan asks for it. The files `depth` and `breadth` make the stores and reductions that a plan names.

mod breadth;
mod depth;
mod run;
mod shorter;
mod tree;

pub use crate::analysis::statics::Reductions;
pub use crate::exec::seam::Native;
pub use crate::search::explore::lossy::{COMPACT_BITS, LossyTable, Size};
pub use crate::store::Replacement;
pub use run::Assumptions;

use crate::analysis::statics::{Observed, Reduced, reduce};
use crate::analysis::stutter::is_insensitive;
use crate::analysis::visible::Watch;
use crate::exec::Program;
use crate::model::{BinaryOp, Claim, Expr, ExprKind, Initial, Model, Place, Region, visit};
use crate::search::cycles::lasso;
use crate::search::driver::Settings;
use crate::search::known::KnownError;
use crate::search::outcome::Violation;
use crate::search::statics::look_alike;
use crate::search::walk::Rules;
use crate::store::breadth::cache::DEFAULT_WAYS;
use crate::store::breadth::disk::Window;
use crate::store::breadth::hub::{DEFAULT_OVERWRITE, DEFAULT_SPLIT};
use std::num::{NonZeroU8, NonZeroU16};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Signature bits on disk when nothing is said about what is kept there.
pub const DISK_BITS: u8 = 64;
/// Overwrites per insertion at which a breadth-first cache gives up.
pub const MAX_COLLISION_RATE: f64 = 0.9;
/// Insertions of states that a depth-first cache had thrown out, per insertion, at which it gives up: fifty insertions for each state. The
/// caching paper's figures end at ten, and what is worth waiting for ends below thirty (docs/papers.md).
pub const MAX_REVISIT_RATE: f64 = 0.98;

/// One search, or several with independent hash functions.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// What becomes of assertions that fail.
    pub assertions: Assertions,
    /// How end states are judged. A search for cycles judges none, as in SPIN.
    pub end_states: EndStates,
    /// Count every error and go on.
    pub all_errors: bool,
    /// Another counterexample than these is wanted: they are counted and passed over. What is known is filled in by whoever reads
    /// trails.
    pub known: Option<Vec<KnownError>>,
    /// Where an error is found, look for a shorter counterexample.
    pub shortest: bool,
    /// What the search has seen becomes a certificate.
    pub certifies: bool,
    /// Budget in bytes.
    pub memory: Option<u64>,
    /// Budget of time for all plans of a command together; whoever runs the plans sets the deadline.
    pub time: Option<Duration>,
    /// Seed of hashes and random choices.
    pub seed: u64,
    /// What is left out of the model before the search.
    pub statics: Reductions,
    /// The claim, by its number in the model, under which a search that looks for no cycles runs: it looks for the claim's end.
    pub claim: Option<usize>,
    /// How many processes search together; breadth first only. Whoever runs the plan connects them, and fills in how many there are where
    /// a file of hosts says it (0 until then).
    pub processes: Option<u32>,
    /// When machine code is used. It changes the time that a search takes and nothing else.
    pub native: Native,
    /// Which search.
    pub search: Search,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            assertions: Assertions::default(),
            end_states: EndStates::default(),
            all_errors: false,
            known: None,
            shortest: false,
            certifies: false,
            memory: None,
            time: None,
            seed: 1,
            statics: Reductions::NONE,
            claim: None,
            processes: None,
            native: Native::default(),
            search: Search::default(),
        }
    }
}

/// What becomes of assertions that fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Assertions {
    /// They are errors.
    #[default]
    Report,
    /// Those of the model are known already, and the search goes on behind them; those of a claim are errors.
    PassOver,
    /// They are not looked at.
    Ignore,
}

/// How end states are judged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EndStates {
    /// Not at all.
    Ignore,
    /// Every process must stand at its end or at an end label.
    #[default]
    Judge,
    /// And all channels must be empty.
    JudgeChannels,
}

/// Which algorithm, with all that is to be said about it.
#[derive(Clone, PartialEq, Debug)]
pub enum Search {
    /// Depth first, for assertions and end states.
    Depth(DepthFirst),
    /// Depth first with precision on demand, for assertions and end states.
    Precise(Precise),
    /// Breadth first, for assertions and end states.
    Breadth(BreadthFirst),
    /// Depth first over whole states, for the cycles of a property.
    Cycles(Cycles),
}

impl Default for Search {
    fn default() -> Search {
        Search::Depth(DepthFirst::default())
    }
}

/// A depth-first search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct DepthFirst {
    /// What is kept of visited states, and the reductions that go with it.
    pub store: DepthStore,
    /// Longest path that is followed.
    pub max_depth: Option<u64>,
    /// Try out every answer of the dependence relation.
    pub check_independence: bool,
}

/// What a depth-first search keeps, and the reductions that are sound with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DepthStore {
    /// Every state, as it is.
    Exact(Techniques),
    /// Every state, compressed.
    Tree(Techniques),
    /// Every state, as it is while memory is plenty, compressed from then on.
    Usual(Option<Technique>),
    /// At most so many states.
    Cache {
        /// Most states that are held.
        states: u64,
        /// Which state a full cache forgets.
        replacement: Replacement,
        /// States stored again per state stored at which the search gives up.
        max_revisit_rate: f64,
        /// The reduction, if there is one.
        technique: Option<Technique>,
    },
    /// Less than the states.
    Lossy {
        /// The table.
        table: LossyTable,
        /// Runs with independent hash functions.
        runs: Option<u32>,
        /// The reduction, if there is one.
        technique: Option<Technique>,
    },
}

impl Default for DepthStore {
    fn default() -> DepthStore {
        DepthStore::Exact(Techniques::None)
    }
}

/// A reduction that a plan can name. The reductions themselves are in [`crate::search::reduce`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Technique {
    /// Moves are left out that only swap the order of independent moves.
    SleepSets,
    /// Moves outside a persistent set are left out.
    PersistentSets(Sets),
}

/// The reductions of a search that keeps every state. Only such a search can keep a sleep set with each state, which both
/// techniques together need.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Techniques {
    /// Nothing.
    #[default]
    None,
    /// One technique at work.
    One(Technique),
    /// Persistent sets, and sleep sets for what they leave.
    Both(Sets),
}

/// How persistent sets are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sets {
    /// What the reduction has to keep.
    pub preserves: Preserves,
    /// Verify each set from its definition.
    pub check: bool,
}

/// What a reduction to persistent sets has to keep.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Preserves {
    /// Assertions, run-time errors and deadlocks.
    #[default]
    Errors,
    /// Deadlocks only. Assertions are not looked at then, whatever the plan says of them.
    Deadlocks,
    /// What a property can see of whole runs.
    Runs,
}

/// A depth-first search over a table that may err, which looks again where the table seems to know a state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Precise {
    /// The table.
    pub table: LossyTable,
    /// Runs with independent hash functions.
    pub runs: Option<u32>,
    /// Length of the chain of first successors that is looked at.
    pub chain: NonZeroU8,
}

/// A breadth-first search.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BreadthFirst {
    /// What is kept of visited states, and where those lie that wait.
    pub store: BreadthStore,
    /// Longest path that is followed.
    pub max_depth: Option<u64>,
}

/// What a breadth-first search keeps.
#[derive(Clone, PartialEq, Debug)]
pub enum BreadthStore {
    /// Every state, in a table that is its own queue.
    Exact {
        /// The states are compressed from the moment on at which memory comes near its budget.
        moves: bool,
        /// The sets that the search is reduced to.
        sets: Option<Sets>,
        /// Try out every answer of the dependence relation.
        check_independence: bool,
    },
    /// One table for several threads, which is their queue too.
    Shared {
        /// How many threads.
        workers: NonZeroU16,
        /// How the states are kept.
        store: SharedStore,
        /// The sets that the search is reduced to.
        sets: Option<Sets>,
        /// Where the file goes that a search with signatures and a budget writes; the system's folder for temporary files if not said.
        work_dir: Option<PathBuf>,
    },
    /// A table with a queue beside it. Such a search can be saved.
    Queued {
        /// The table.
        table: QueuedTable,
        /// Where files go; the system's folder for temporary files if not said.
        work_dir: Option<PathBuf>,
    },
}

/// How threads that search together keep the states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SharedStore {
    /// As they are.
    #[default]
    Exact,
    /// Compressed.
    Tree,
    /// A signature of each.
    Compact {
        /// Bits of one; [`COMPACT_BITS`] if not said.
        bits: Option<u8>,
        /// How large the table is.
        size: Size,
        /// Runs with independent hash functions.
        runs: Option<u32>,
    },
}

impl Default for BreadthStore {
    fn default() -> BreadthStore {
        BreadthStore::Exact { moves: true, sets: None, check_independence: false }
    }
}

/// The table of a breadth-first search that has a queue beside it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum QueuedTable {
    /// Every state, as it is. A search that is to be saved needs this one or the next.
    Exact,
    /// Every state, compressed.
    Tree,
    /// Less than the states.
    Lossy {
        /// The table.
        table: LossyTable,
        /// Runs with independent hash functions.
        runs: Option<u32>,
    },
    /// A cache that overwrites.
    Cache {
        /// The cache.
        cache: BreadthCache,
        /// Overwrites per insertion at which the search gives up.
        max_collision_rate: f64,
    },
    /// The visited states on disk.
    Disk {
        /// What is kept of a state there.
        record: DiskRecord,
        /// How much of the file a check reads.
        window: Window,
    },
    /// A cache first, then the disk.
    Serial {
        /// The cache; on disk the same is kept of a state.
        cache: BreadthCache,
        /// Overwrites per insertion at which the search goes on with the disk.
        switch_rate: f64,
        /// How much of the file a check reads.
        window: Window,
    },
}

/// A breadth-first cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BreadthCache {
    /// Places.
    pub slots: u64,
    /// Places looked at before one is overwritten.
    pub ways: u8,
    /// Two levels.
    pub hub: Option<Hub>,
    /// Signatures are kept and not whole states.
    pub signatures: Option<Signatures>,
}

impl BreadthCache {
    /// A cache of whole states, all else as usual.
    pub fn of(slots: u64) -> BreadthCache {
        BreadthCache { slots, ways: DEFAULT_WAYS, hub: None, signatures: None }
    }
}

/// The levels of a hub cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hub {
    /// Share of the first level.
    pub split: f64,
    /// Probability that the second level overwrites.
    pub overwrite: f64,
}

impl Default for Hub {
    fn default() -> Hub {
        Hub { split: DEFAULT_SPLIT, overwrite: DEFAULT_OVERWRITE }
    }
}

/// Signatures in place of whole states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Signatures {
    /// Bits of one; [`COMPACT_BITS`] if not said.
    pub bits: Option<u8>,
    /// Runs with independent hash functions.
    pub runs: Option<u32>,
}

/// What is kept of a state on disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiskRecord {
    /// Signatures of [`DISK_BITS`] bits.
    #[default]
    Usual,
    /// All of it.
    States,
    /// Signatures as somebody wants them.
    Signatures(Signatures),
}

/// A search for cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cycles {
    /// Which cycles are errors.
    pub of: CycleProperty,
    /// Only weakly fair runs count.
    pub fair: bool,
    /// How states are kept.
    pub store: CycleStore,
    /// The sets that the search is reduced to; without fairness only.
    pub sets: Option<Sets>,
    /// Longest path that is followed.
    pub max_depth: Option<u64>,
}

/// How a search for cycles keeps the states: all of them, always.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CycleStore {
    /// As they are.
    #[default]
    Exact,
    /// Compressed.
    Tree,
    /// As they are while memory is plenty, compressed from then on. Where the search keeps more of a state than that it is on the stack
    /// (with fairness, and where every cycle counts), they stay as they are.
    Usual,
}

/// A property that cycles break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CycleProperty {
    /// No cycle passes the accept labels of the model's processes.
    AcceptLabels,
    /// The claim with this number in the model.
    Claim(usize),
    /// Every cycle makes progress.
    Progress,
}

/// What is looked for in one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// Assertions and end states.
    Safety,
    /// Cycles.
    Cycles(CycleProperty),
}

impl Property {
    /// The properties that `pv check` looks at when none is named: the claim that was given beside the model, else each claim
    /// in a search of its own, else cycles through accept labels where the model has some, else assertions and end states.
    pub fn of_model(model: &Model) -> Vec<Property> {
        if let Some(number) = model.claims.iter().position(|claim| claim.from_outside) {
            vec![Property::Cycles(CycleProperty::Claim(number))]
        } else if !model.claims.is_empty() {
            (0..model.claims.len()).map(|number| Property::Cycles(CycleProperty::Claim(number))).collect()
        } else if model.uses.accept_labels {
            vec![Property::Cycles(CycleProperty::AcceptLabels)]
        } else {
            vec![Property::Safety]
        }
    }

    /// The claim of this property.
    pub fn claim(self) -> Option<usize> {
        match self {
            Property::Cycles(CycleProperty::Claim(number)) => Some(number),
            _ => None,
        }
    }

    /// Can a run break the property in a finite number of steps only? Then there are no cycles to look for. That holds for a claim without
    /// accepting states, apart from those at which the claim has come to its end.
    pub fn is_safety(self, model: &Model) -> bool {
        match self {
            Property::Safety => true,
            Property::Cycles(CycleProperty::Claim(number)) => model.claims.get(number).is_none_or(|claim| {
                let accepts = claim.body.automaton.locations.iter().any(|location| location.accept && !location.end);
                !(accepts || (claim.counts_labels && model.uses.accept_labels))
            }),
            Property::Cycles(_) => false,
        }
    }

    /// Is the property the same for runs that differ only in how often states are repeated? And is nothing asked about the steps themselves, and
    /// no error made when it is evaluated?
    pub fn is_insensitive(self, model: &Model) -> bool {
        match self {
            Property::Safety => true,
            Property::Cycles(CycleProperty::Claim(number)) => {
                let plain = !model.uses.claims_ask && !self.can_fail(model);
                plain && model.claims.get(number).is_some_and(is_insensitive)
            }
            Property::Cycles(_) => true,
        }
    }

    /// Can it be an error to evaluate what the claim says? Such an error may hang on how often the claim looks at a state.
    fn can_fail(self, model: &Model) -> bool {
        let mut fails = false;
        if let Some(claim) = self.claim().and_then(|number| model.claims.get(number)) {
            visit::actions(&claim.body.automaton, &mut |action| {
                visit::expressions(action, &mut |expr| fails |= can_fail(model, expr));
            });
        }
        fails
    }

    /// The model and program in which the property is looked for: progress brings a claim of its own.
    pub fn compile(self, model: &Model) -> (Option<Model>, Program) {
        match self {
            Property::Cycles(CycleProperty::Progress) => {
                let mut own = model.clone();
                own.claims = vec![Claim::non_progress()];
                own.uses.non_progress = true;
                let program = Program::new(&own, Some(0));
                (Some(own), program)
            }
            Property::Cycles(CycleProperty::Claim(number)) => (None, Program::new(model, Some(number))),
            Property::Safety | Property::Cycles(CycleProperty::AcceptLabels) => (None, Program::new(model, None)),
        }
    }
}

/// Can the evaluation of this expression in a claim be an error? Where a process stands can always be asked, and so can a channel that a
/// global variable holds for good.
fn can_fail(model: &Model, expr: &Expr) -> bool {
    let holds_channel = |channel: &Expr| match &channel.kind {
        ExprKind::Load(place) => place.indices.is_empty() && is_channel_for_good(model, place),
        _ => false,
    };
    match &expr.kind {
        ExprKind::RemoteLabel { pid, .. } => pid.as_ref().is_some_and(|pid| can_fail(model, pid)),
        ExprKind::Channel(_, channel) if holds_channel(channel) => false,
        ExprKind::Unary(_, a) => can_fail(model, a),
        ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, ..) => visit::can_fault(expr),
        ExprKind::Binary(_, a, b) => can_fail(model, a) || can_fail(model, b),
        _ => visit::can_fault(expr),
    }
}

fn is_channel_for_good(model: &Model, place: &Place) -> bool {
    let same = |other: &Place| other.region == place.region && other.variable == place.variable;
    let made = model.initial.iter().any(|initial| matches!(initial, Initial::Channel(to, _) if same(to)));
    let mut written = false;
    for proctype in &model.proctypes {
        visit::actions(&proctype.automaton, &mut |action| visit::writes(action, &mut |to, _| written |= same(to)));
    }
    place.region == Region::Global && made && !written
}

impl Search {
    /// Longest path that is followed.
    pub fn max_depth(&self) -> Option<u64> {
        match self {
            Search::Depth(DepthFirst { max_depth, .. })
            | Search::Breadth(BreadthFirst { max_depth, .. })
            | Search::Cycles(Cycles { max_depth, .. }) => *max_depth,
            Search::Precise(_) => None,
        }
    }

    /// Every state is kept, compressed.
    pub fn is_tree(&self) -> bool {
        match self {
            Search::Depth(DepthFirst { store, .. }) => matches!(store, DepthStore::Tree(_)),
            Search::Cycles(Cycles { store, .. }) => *store == CycleStore::Tree,
            Search::Breadth(BreadthFirst { store: BreadthStore::Shared { store, .. }, .. }) => {
                *store == SharedStore::Tree
            }
            Search::Precise(_) | Search::Breadth(_) => {
                matches!(self.queued(), Some((QueuedTable::Tree, _)))
            }
        }
    }

    /// Only weakly fair runs count.
    pub fn is_fair(&self) -> bool {
        matches!(self, Search::Cycles(Cycles { fair: true, .. }))
    }

    /// The search leaves out what sleeps.
    pub fn sleeps(&self) -> bool {
        let Search::Depth(DepthFirst { store, .. }) = self else { return false };
        match store {
            DepthStore::Exact(techniques) | DepthStore::Tree(techniques) => {
                matches!(techniques, Techniques::One(Technique::SleepSets) | Techniques::Both(_))
            }
            DepthStore::Usual(technique)
            | DepthStore::Cache { technique, .. }
            | DepthStore::Lossy { technique, .. } => *technique == Some(Technique::SleepSets),
        }
    }

    /// The persistent sets that the search is reduced to.
    pub fn sets(&self) -> Option<Sets> {
        let technique = match self {
            Search::Breadth(BreadthFirst {
                store: BreadthStore::Exact { sets, .. } | BreadthStore::Shared { sets, .. },
                ..
            }) => return *sets,
            Search::Cycles(Cycles { sets, .. }) => return *sets,
            Search::Depth(DepthFirst { store, .. }) => match *store {
                DepthStore::Exact(techniques) | DepthStore::Tree(techniques) => match techniques {
                    Techniques::Both(sets) => return Some(sets),
                    Techniques::One(technique) => Some(technique),
                    Techniques::None => None,
                },
                DepthStore::Usual(technique)
                | DepthStore::Cache { technique, .. }
                | DepthStore::Lossy { technique, .. } => technique,
            },
            _ => None,
        };
        technique.and_then(|technique| match technique {
            Technique::SleepSets => None,
            Technique::PersistentSets(sets) => Some(sets),
        })
    }

    /// The table that may err, where the user has chosen one, and how often it is filled. A cache or a disk of signatures
    /// counts as a compact table whose size was not said.
    pub fn lossy(&self) -> Option<(LossyTable, Option<u32>)> {
        let of = |Signatures { bits, runs }| (LossyTable::Compact { bits, size: Size::OfMemory }, runs);
        match self {
            Search::Depth(DepthFirst { store: DepthStore::Lossy { table, runs, .. }, .. })
            | Search::Precise(Precise { table, runs, .. }) => Some((*table, *runs)),
            Search::Breadth(BreadthFirst { store: BreadthStore::Shared { store, .. }, .. }) => match *store {
                SharedStore::Compact { bits, size, runs } => Some((LossyTable::Compact { bits, size }, runs)),
                SharedStore::Exact | SharedStore::Tree => None,
            },
            Search::Breadth(BreadthFirst { store: BreadthStore::Queued { table, .. }, .. }) => match *table {
                QueuedTable::Lossy { table, runs } => Some((table, runs)),
                QueuedTable::Cache { cache, .. } | QueuedTable::Serial { cache, .. } => cache.signatures.map(of),
                QueuedTable::Disk { record: DiskRecord::Signatures(signatures), .. } => Some(of(signatures)),
                QueuedTable::Exact | QueuedTable::Tree | QueuedTable::Disk { .. } => None,
            },
            _ => None,
        }
    }

    /// How many threads search, if their number was asked for.
    pub fn workers(&self) -> Option<NonZeroU16> {
        match self {
            Search::Breadth(BreadthFirst { store: BreadthStore::Shared { workers, .. }, .. }) => Some(*workers),
            _ => None,
        }
    }

    /// The table of a breadth-first search that has a queue beside it, and the folder for its files.
    pub fn queued(&self) -> Option<(&QueuedTable, Option<&Path>)> {
        match self {
            Search::Breadth(BreadthFirst { store: BreadthStore::Queued { table, work_dir }, .. }) => {
                Some((table, work_dir.as_deref()))
            }
            _ => None,
        }
    }
}

impl Plan {
    /// What is looked for.
    pub fn property(&self) -> Property {
        match &self.search {
            Search::Depth(_) | Search::Precise(_) | Search::Breadth(_) => match self.claim {
                Some(claim) => Property::Cycles(CycleProperty::Claim(claim)),
                None => Property::Safety,
            },
            Search::Cycles(cycles) => Property::Cycles(cycles.of),
        }
    }

    /// What becomes of assertions that fail. A reduction that keeps deadlocks only would find some and miss others.
    pub fn judged_assertions(&self) -> Assertions {
        match self.search.sets() {
            Some(Sets { preserves: Preserves::Deadlocks, .. }) => Assertions::Ignore,
            _ => self.assertions,
        }
    }

    /// The same search behind the assertions of the model that are known to fail.
    #[must_use]
    pub fn passing_over_assertions(self) -> Plan {
        match self.assertions {
            Assertions::Report => Plan { assertions: Assertions::PassOver, ..self },
            Assertions::PassOver | Assertions::Ignore => self,
        }
    }

    /// Is the model analysed before it is searched?
    fn analyses(&self) -> bool {
        self.statics != Reductions::NONE || self.search.sets().is_some() || self.search.sleeps()
    }

    /// The model that is searched, if it is not the user's.
    fn reduced(&self, model: &Model) -> Option<Reduced> {
        let watch = self.watch(model);
        let observed = Observed {
            claim: watch.claim,
            accept_labels: watch.accept_labels,
            non_progress: watch.progress_labels,
            fair: self.search.is_fair(),
        };
        (self.statics != Reductions::NONE).then(|| reduce(model, observed, self.statics))
    }

    /// Checks the cycle of a violation by the definition; see [`lasso::check`]. `model` is the user's, `program` has the claim.
    pub fn check_lasso(&self, model: &Model, program: &Program, violation: &Violation) -> Result<(), String> {
        let mut reduced = None;
        let mut same = |one: &[u8], other: &[u8]| {
            one == other || {
                let reduced = reduced.get_or_insert_with(|| self.reduced(model));
                reduced.as_ref().is_some_and(|reduced| look_alike(model, reduced, program, one, other))
            }
        };
        lasso::check(program, self.settings().rules, self.search.is_fair(), violation, &mut same)
    }

    /// What the property of this plan looks at.
    fn watch(&self, model: &Model) -> Watch {
        let property = self.property();
        let claim = property.claim();
        let labels = claim.and_then(|claim| model.claims.get(claim)).is_some_and(|claim| claim.counts_labels);
        Watch {
            claim,
            accept_labels: labels || property == Property::Cycles(CycleProperty::AcceptLabels),
            progress_labels: property == Property::Cycles(CycleProperty::Progress),
        }
    }

    /// The folder that the search will write to, if it writes any file: the user's, or `None` for the system's.
    pub fn folder(&self) -> Option<Option<&Path>> {
        if let Search::Breadth(BreadthFirst { store: BreadthStore::Shared { store, work_dir, .. }, .. }) = &self.search
        {
            let signatures = matches!(store, SharedStore::Compact { .. });
            return (signatures && self.memory.is_some()).then_some(work_dir.as_deref());
        }
        let (table, work_dir) = self.search.queued()?;
        let on_disk = matches!(table, QueuedTable::Disk { .. } | QueuedTable::Serial { .. });
        (on_disk || work_dir.is_some() || self.memory.is_some()).then_some(work_dir)
    }

    /// The part of the plan that the searches themselves need.
    pub fn settings(&self) -> Settings {
        let (property, assertions) = (self.property(), self.judged_assertions());
        let progress = Property::Cycles(CycleProperty::Progress);
        Settings {
            rules: Rules {
                end_states: self.end_states != EndStates::Ignore && property == Property::Safety,
                assertions: assertions != Assertions::Ignore,
                pass_assertions: assertions == Assertions::PassOver,
                strict_channels: self.end_states == EndStates::JudgeChannels,
                max_depth: self.search.max_depth().unwrap_or(u64::MAX),
                claim: property.claim().is_some() || property == progress,
                halts: property == Property::Cycles(CycleProperty::AcceptLabels),
                // A deadlock is not a lack of progress: SPIN too leaves it to the check of end states.
                stutter: property != progress,
            },
            all_errors: self.all_errors,
        }
    }
}
