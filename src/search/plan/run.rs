//! From a plan to an outcome: [`Plan::execute`] compiles the model and runs the search that the plan names.
//!
//! A plan may take several searches. If a search finds that the model breaks an assumption of its reduction, the plan is
//! executed again without this assumption. If the plan asks for several runs of a store that may err, each run has hash
//! functions of its own, and [`lossy::combine`] makes one outcome of them.

use super::{CycleProperty, CycleStore, Cycles, Native, Plan, Preserves, QueuedTable, Search};
use crate::analysis::Dependence;
use crate::analysis::visible::{Watch, with_claim};
use crate::exec::Program;
use crate::exec::seam::Compiled;
use crate::model::{Action, Model};
use crate::native;
use crate::search::cycles::{CycleKind, components, fair, nested};
use crate::search::driver::{Settings, Task};
use crate::search::explore::{dfs, lossy};
use crate::search::monitor::{Monitor, Patience, available};
use crate::search::outcome::{Limit, Outcome, Retraction, Verdict};
use crate::search::reduce::audit::{Audit, Audited};
use crate::search::reduce::paths::PathSets;
use crate::search::reduce::{Full, Reduction};
use crate::search::statics::{self, UsersModel};
use crate::store::WholeStore;
use crate::store::depth::exact::ExactStore;

/// The analysis of a model asks for memory without asking whether there is any, and so does a certificate: they are begun only where
/// there is as much.
const FOR_ANALYSIS: u64 = 24 << 20;

/// Machine code is made where the budget is at least so many times what making it takes.
const BUDGETS_PER_CODE: u64 = 12;
/// The same where the table is on disk: it does with little memory.
const BUDGETS_PER_CODE_ON_DISK: u64 = 3;

/// What reductions assume of a model and cannot know beforehand. The reduction watches its assumptions while the search runs.
/// If the model breaks one, the search is run again without it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assumptions {
    /// See [`crate::search::reduce::persistent::PersistentOptions::count_births`].
    pub births_have_a_bound: bool,
    /// See [`crate::search::reduce::persistent::PersistentOptions::trust_claims`].
    pub channel_claims_hold: bool,
}

impl Default for Assumptions {
    fn default() -> Assumptions {
        Assumptions { births_have_a_bound: true, channel_claims_hold: true }
    }
}

impl Assumptions {
    /// Gives up what was seen to be wrong; `false` if it was not assumed.
    fn give_up(&mut self, retraction: &Retraction) -> bool {
        let assumption = match retraction {
            Retraction::Births => &mut self.births_have_a_bound,
            Retraction::ChannelClaim(_) => &mut self.channel_claims_hold,
        };
        std::mem::replace(assumption, false)
    }
}

/// One search of a plan, ready to run: `depth` and `breadth` give it its store and its reduction.
pub(super) struct PlannedSearch<'a> {
    pub(super) plan: &'a Plan,
    pub(super) model: &'a Model,
    pub(super) program: &'a Program,
    pub(super) settings: Settings,
    pub(super) assumed: Assumptions,
    /// The seed of this run; with several runs each has its own.
    pub(super) seed: u64,
    /// For sets that keep what a property can see: the model with the claim as a process type, and what the property looks at.
    pub(super) watched: Option<(Model, Watch)>,
}

impl Plan {
    /// Runs the search, or several with independent hash functions.
    pub fn execute(&self, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        self.execute_assuming(Assumptions::default(), model, monitor)
    }

    /// As [`Plan::execute`], but only these assumptions are made.
    pub fn execute_assuming(&self, mut assumed: Assumptions, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        let mut notes = Vec::new();
        loop {
            let mut outcome = self.execute_runs(assumed, model, monitor);
            if let Verdict::Incomplete(Limit::Retract(retraction)) = &outcome.verdict {
                if assumed.give_up(retraction) {
                    notes.extend(note(retraction));
                    continue;
                }
                let bug = format!("a reduction relies on what was taken back: {retraction:?}");
                outcome.verdict = Verdict::Incomplete(Limit::Internal(bug));
            }
            outcome.notes.append(&mut notes);
            if self.shortest {
                self.shorten(model, monitor, &mut outcome);
            }
            // Of several processes the memory is the sum, and each has a budget of its own.
            if self.processes.is_none() {
                tell_whole_budget(&mut outcome, monitor);
            }
            return outcome;
        }
    }

    fn execute_runs(&self, assumed: Assumptions, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        let Some((table, runs)) = self.search.lossy() else {
            return self.execute_once(self.seed, assumed, model, monitor);
        };
        let mut outcomes = Vec::new();
        for number in 0..runs.unwrap_or(1).max(1) {
            let seed = self.seed.wrapping_add(u64::from(number));
            let outcome = self.execute_once(seed, assumed, model, monitor);
            let go_on = outcome.verdict == Verdict::NoErrorFound;
            outcomes.push((seed, outcome));
            if !go_on {
                break;
            }
        }
        let combined = lossy::combine(outcomes);
        let mut outcome = combined.unwrap_or_else(|| self.execute_once(self.seed, assumed, model, monitor));
        if let Some(probability) = outcome.omission_probability {
            outcome.advice = match outcome.verdict {
                Verdict::Incomplete(Limit::TableFull { slots }) => {
                    Some(lossy::advise_larger(table, slots, self.memory))
                }
                // How many states there are is not known.
                Verdict::Incomplete(_) => None,
                _ => {
                    let budget = self.memory.map(|_| monitor.reserve);
                    lossy::advise(table, outcome.counts.stored, probability, budget)
                }
            };
        }
        outcome
    }

    fn execute_once(&self, seed: u64, assumed: Assumptions, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        if (self.analyses() || monitor.witness.is_some()) && available().is_some_and(|bytes| bytes < FOR_ANALYSIS) {
            let (_, program) = self.property().compile(model);
            return Outcome::without_room(&program, FOR_ANALYSIS);
        }
        if let Some(witness) = &mut monitor.witness {
            witness.begin();
        }
        match self.reduced(model) {
            None => self.execute_on(seed, assumed, model, monitor),
            Some(reduced) => {
                if let Some(witness) = &mut monitor.witness {
                    statics::name_what_is_open(&reduced, witness);
                }
                let outcome = self.execute_on(seed, assumed, &reduced.model, monitor);
                let (own, program) = self.property().compile(model);
                let model = own.as_ref().unwrap_or(model);
                let rules = self.settings().rules;
                statics::of_users_model(&UsersModel { model, program: &program, rules, reduced: &reduced }, outcome)
            }
        }
    }

    /// Searches this model, which may be a reduced one.
    fn execute_on(&self, seed: u64, assumed: Assumptions, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        let (own, mut program) = self.property().compile(model);
        // Without a budget the machine's memory is one: the verdict is then `incomplete`, not a killed process.
        let whole = || available().map(|bytes| bytes / 10 * 9);
        monitor.memory = self.memory.or(monitor.memory).or_else(whole);
        monitor.measure_reserve();
        program.native =
            Compiled::by(native::compile, self.native_within(&program, monitor), native::steps_until_it_pays(&program));
        let keeps_runs = self.search.sets().is_some_and(|sets| sets.preserves == Preserves::Runs);
        let planned = PlannedSearch {
            plan: self,
            model: own.as_ref().unwrap_or(model),
            program: &program,
            settings: self.settings(),
            assumed,
            seed,
            watched: keeps_runs.then(|| {
                let watch = self.watch(model);
                (with_claim(model, watch), watch)
            }),
        };
        let mut outcome = match &self.search {
            Search::Depth(depth) => planned.depth_first(depth, monitor),
            Search::Precise(precise) => planned.precisely(precise, monitor),
            Search::Breadth(breadth) => planned.breadth_first(breadth, monitor),
            Search::Cycles(cycles) => planned.cycles(cycles, monitor),
        };
        if self.search.sets().is_some() && !keeps_runs {
            note_ends(model, &mut outcome.reached);
        }
        if self.search.lossy().is_some() && outcome.verdict == Verdict::NoErrorFound {
            outcome = planned.noting_the_tree(monitor, outcome);
        }
        outcome
    }
}

impl Plan {
    /// When machine code is used: not at all where the budget is so small that making it would be felt.
    fn native_within(&self, program: &Program, monitor: &mut Monitor<'_>) -> Native {
        let needed = native::memory(program);
        // Not a cache that goes on with the disk: its size was chosen, and it must fit.
        let on_disk = self.search.queued().is_some_and(|(table, _)| matches!(table, QueuedTable::Disk { .. }));
        let least = if on_disk { BUDGETS_PER_CODE_ON_DISK } else { BUDGETS_PER_CODE };
        monitor.code = 0;
        match self.native {
            Native::WhenWarm if monitor.memory.is_some_and(|budget| budget / least < needed) => Native::Off,
            Native::WhenWarm => {
                monitor.code = needed;
                Native::WhenWarm
            }
            other => other,
        }
    }
}

/// Persistent sets may leave out deaths that nobody can see. So the end of a process counts as executed where some process has come
/// to it.
fn note_ends(model: &Model, reached: &mut [Vec<bool>]) {
    // Where a process dies only while its clause holds, everybody can see deaths, and none is left out.
    for (proctype, reached) in model.proctypes.iter().zip(reached).filter(|(proctype, _)| proctype.provided.is_none()) {
        let automaton = &proctype.automaton;
        for (location, at) in automaton.locations.iter().enumerate() {
            let mut own = at.first as usize..(at.first + at.count) as usize;
            let Some(end) = own.find(|&t| matches!(automaton.transitions[t].action, Action::End)) else { continue };
            let comes = |t: usize| automaton.transitions[t].target as usize == location && reached[t];
            reached[end] |= (0..automaton.transitions.len()).any(comes);
        }
    }
}

/// What the user is told about an assumption that was given up.
fn note(retraction: &Retraction) -> Option<String> {
    match retraction {
        Retraction::Births => None,
        Retraction::ChannelClaim(how) => {
            Some(format!("the model breaks its own xr and xs, so they were not used: {how}"))
        }
    }
}

/// A table that is full tells its own size and its own part of the budget. The user is told of the whole budget instead.
fn tell_whole_budget(outcome: &mut Outcome, monitor: &Monitor<'_>) {
    let limit = match &mut outcome.verdict {
        Verdict::Incomplete(limit) => Some(limit),
        _ => outcome.stopped.as_mut(),
    };
    if let (Some(Limit::Memory { used, budget }), Some(whole)) = (limit, monitor.memory) {
        (*used, *budget) = (outcome.memory.max(*used), whole);
    }
}

impl PlannedSearch<'_> {
    /// Bytes that a table of this search may take.
    pub(super) fn budget(monitor: &Monitor<'_>) -> usize {
        monitor.tables().map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// What every search is asked to do, with this audit of its reduction.
    pub(super) fn task<'s, 'n, 'i>(
        &'s self,
        audit: Option<Audit<'s, 's>>,
        monitor: &'n mut Monitor<'i>,
    ) -> Task<'s, 'n, 'i> {
        let known = self.plan.known.as_deref().unwrap_or_default();
        Task { model: self.model, program: self.program, settings: self.settings, known, audit, monitor }
    }

    /// Runs `search` with this reduction, and with an audit of it if the plan asks for one. `checks`: the audit tests the
    /// dependence relation too.
    pub(super) fn reduced<R: Reduction>(
        &self,
        mut reduction: R,
        checks: bool,
        monitor: &mut Monitor<'_>,
        search: impl FnOnce(Task<'_, '_, '_>, &mut R) -> Outcome,
    ) -> Outcome {
        if R::ACTIVE
            && let Some(outcome) = self.too_large(monitor)
        {
            return outcome;
        }
        let audit = self.audit(checks, monitor.patience());
        search(self.task(audit, monitor), &mut reduction)
    }

    /// The reduction was just made, and its memory counts as part of the program. If the reduction alone takes more than the
    /// budget, the search does not begin, and this is its outcome.
    fn too_large(&self, monitor: &mut Monitor<'_>) -> Option<Outcome> {
        let before = monitor.reserve;
        monitor.measure_growth();
        let budget = self.plan.memory.filter(|&budget| monitor.reserve.saturating_sub(before) > budget)?;
        let verdict = Verdict::Incomplete(Limit::Memory { used: monitor.reserve, budget });
        Some(Outcome { verdict, ..Outcome::without_room(self.program, 0) })
    }

    /// The audit that the plan asks for, if it asks for one.
    fn audit<'w>(&'w self, checks: bool, patience: Patience<'w>) -> Option<Audit<'w, 'w>> {
        let relation = checks.then(|| Dependence::new(self.model));
        let checked = self.plan.search.sets().filter(|sets| sets.check);
        let sets = checked.map(|sets| match self.path_sets() {
            Some(paths) => Audited::Paths(Box::new(paths)),
            None => Audited::Sets(Box::new(self.persistent_sets(sets, true))),
        });
        let wanted = relation.is_some() || sets.is_some();
        wanted.then(|| Audit::new(self.model, self.program, relation, sets).within(patience))
    }

    fn cycles(&self, cycles: &Cycles, monitor: &mut Monitor<'_>) -> Outcome {
        match cycles.store {
            CycleStore::Usual if !cycles.fair && !self.counts_cycles() => {
                let mut store = self.moving_store(true, monitor);
                let outcome = self.cycles_over(cycles, &mut store, monitor);
                Self::noting_the_move(store.moved_at(), outcome)
            }
            CycleStore::Exact | CycleStore::Usual => {
                let store = ExactStore::with_budget(self.seed, Self::budget(monitor));
                self.cycles_over(cycles, &mut WholeStore::exact(store), monitor)
            }
            CycleStore::Tree => {
                self.cycles_over(cycles, &mut WholeStore::tree(self.tree_store(true, monitor)), monitor)
            }
        }
    }

    /// More than one cycle may be wanted, and nothing is left out.
    fn counts_cycles(&self) -> bool {
        self.watched.is_none() && (self.plan.known.is_some() || self.plan.all_errors)
    }

    fn cycles_over(&self, cycles: &Cycles, store: &mut WholeStore, monitor: &mut Monitor<'_>) -> Outcome {
        let Some(kind) = self.cycle_kind(cycles.of) else {
            return dfs::search(self.task(None, monitor), store, &mut Full);
        };
        if cycles.fair {
            return fair::search(self.task(None, monitor), store, kind);
        }
        if self.counts_cycles() {
            return nested::search(self.task(None, monitor), store, kind);
        }
        match self.path_sets() {
            Some(sets) => self.reduced(sets.within(monitor.patience()), false, monitor, |task, sets| {
                components::search(task, store, sets, kind)
            }),
            None => components::search(self.task(None, monitor), store, &mut Full, kind),
        }
    }

    /// The sets that keep what the property can see, if the plan asks for such.
    pub(super) fn path_sets(&self) -> Option<PathSets<'_>> {
        self.watched.as_ref().map(|(model, watch)| PathSets::new(model, *watch))
    }

    /// Which cycles break the property. A claim without an accepting state can only be violated by reaching its end or by an
    /// assertion: it has none.
    fn cycle_kind(&self, property: CycleProperty) -> Option<CycleKind> {
        match property {
            CycleProperty::Progress => Some(CycleKind::NonProgress),
            CycleProperty::AcceptLabels => Some(CycleKind::Acceptance),
            CycleProperty::Claim(number) => {
                let claim = self.model.claims.get(number)?;
                let accepts = claim.body.automaton.locations.iter().any(|location| location.accept);
                let labels = claim.counts_labels && self.model.uses.accept_labels;
                (accepts || labels).then_some(CycleKind::Acceptance)
            }
        }
    }
}
