//! From a plan to an outcome: again without an assumption that turned out to be wrong, and several times with independent
//! hash functions where the plan wants that.

use super::{CycleProperty, Cycles, Plan, Search};
use crate::exec::Program;
use crate::model::Model;
use crate::search::cycles::{CycleKind, fair, nested};
use crate::search::driver::{Settings, Task};
use crate::search::explore::{dfs, lossy};
use crate::search::monitor::{Monitor, available};
use crate::search::outcome::{Limit, Outcome, Retraction, Verdict};
use crate::search::reduce::Full;
use crate::search::reduce::audit::Watch;
use crate::store::depth::exact::ExactStore;

/// What reductions assume of a model and cannot know beforehand. A search watches it while it runs; if it fails, the search is
/// run again without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assumptions {
    /// See [`crate::search::reduce::persistent::Keep::count_births`].
    pub births_have_a_bound: bool,
    /// See [`crate::search::reduce::persistent::Keep::trust_claims`].
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

/// One search that is about to run.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    pub(super) model: &'a Model,
    pub(super) program: &'a Program,
    pub(super) settings: Settings,
    pub(super) assumed: Assumptions,
    /// Of this run.
    pub(super) seed: u64,
}

impl Plan {
    /// Runs the search, or several with independent hash functions.
    pub fn execute(&self, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        self.execute_assuming(Assumptions::default(), model, monitor)
    }

    /// The same, where some assumption is not to be made.
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
            tell_whole_budget(&mut outcome, monitor);
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
        let (own, program) = self.property().compile(model);
        // Without a budget the machine's memory is one: the verdict is then `incomplete`, not a killed process.
        let whole = || available().map(|bytes| bytes / 10 * 9);
        monitor.memory = self.memory.or(monitor.memory).or_else(whole);
        monitor.measure_reserve();
        let run = Run {
            plan: self,
            model: own.as_ref().unwrap_or(model),
            program: &program,
            settings: self.settings(),
            assumed,
            seed,
        };
        match &self.search {
            Search::Depth(depth) => run.depth_first(depth, monitor),
            Search::Precise(precise) => run.precisely(precise, monitor),
            Search::Breadth(breadth) => run.breadth_first(breadth, monitor),
            Search::Cycles(cycles) => run.cycles(cycles, monitor),
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

/// A table knows of itself only, and of its own part of the budget.
fn tell_whole_budget(outcome: &mut Outcome, monitor: &Monitor<'_>) {
    let limit = match &mut outcome.verdict {
        Verdict::Incomplete(limit) => Some(limit),
        _ => outcome.stopped.as_mut(),
    };
    if let (Some(Limit::Memory { used, budget }), Some(whole)) = (limit, monitor.memory) {
        (*used, *budget) = (outcome.memory.max(*used), whole);
    }
}

impl Run<'_> {
    /// Bytes for a table.
    pub(super) fn budget(monitor: &Monitor<'_>) -> usize {
        monitor.tables().map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// What every search is asked to do, with this audit of its reduction.
    pub(super) fn task<'s, 'n, 'i>(
        &'s self,
        audit: Option<Watch<'s, 's>>,
        monitor: &'n mut Monitor<'i>,
    ) -> Task<'s, 'n, 'i> {
        Task { model: self.model, program: self.program, settings: self.settings, audit, monitor }
    }

    fn cycles(&self, cycles: &Cycles, monitor: &mut Monitor<'_>) -> Outcome {
        let mut store = ExactStore::with_budget(self.seed, Self::budget(monitor));
        let task = self.task(None, monitor);
        match (self.cycle_kind(cycles.of), cycles.fair) {
            (None, _) => dfs::search(task, &mut store, &mut Full),
            (Some(kind), true) => fair::search(task, &mut store, kind),
            (Some(kind), false) => nested::search(task, &mut store, kind),
        }
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
