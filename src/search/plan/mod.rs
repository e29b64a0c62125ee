//! From options to a search: which algorithm runs over which store. The command line, `pv compare` and the tests all
//! come through here, so the same plan gives the same counts everywhere.

pub mod low_memory;

use crate::analysis::Dependence;
use crate::exec::Program;
use crate::model::{Claim, Model};
use crate::search::cycles::CycleKind;
use crate::search::cycles::{fair, nested};
use crate::search::driver::{Settings, Task};
use crate::search::explore::bfs;
use crate::search::explore::dfs;
use crate::search::explore::lossy::{self, Keeping};
use crate::search::explore::precision_on_demand::PrecisionOnDemand;
use crate::search::monitor::{Monitor, Patience, available};
use crate::search::outcome::{Limit, Outcome, Retraction, Verdict};
use crate::search::plan::low_memory::{Assembly, Breadth, LowMemory};
use crate::search::reduce::audit::Watch;
use crate::search::reduce::both::PersistentSleep;
use crate::search::reduce::persistent::{Keep, PersistentSets};
use crate::search::reduce::sleep::SleepSets;
use crate::search::reduce::{Full, Reduction};
use crate::search::walk::Rules;
use crate::store::depth::exact::ExactStore;
use crate::store::lossy::bloom::BloomStore;
use crate::store::lossy::compact::CompactStore;
use crate::store::{CacheStore, LossyStore, Replacement, Store};

/// In which order states are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// Depth first.
    #[default]
    DepthFirst,
    /// Breadth first.
    BreadthFirst,
}

/// What is looked for in one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Property {
    /// Assertions and end states.
    #[default]
    Safety,
    /// Cycles through the accept labels of the model's processes; end states are not judged, as in SPIN.
    AcceptLabels,
    /// The claim with this number in the model.
    Claim(usize),
    /// Cycles without progress.
    NonProgress,
}

/// What is left out of a depth-first search for assertions and end states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reducing {
    /// Nothing.
    #[default]
    Nothing,
    /// What sleeps.
    Sleep,
    /// What is outside persistent sets; keeps assertions and deadlocks.
    Persistent,
    /// What is outside persistent sets; keeps deadlocks only.
    Deadlocks,
    /// What is outside persistent sets or sleeps; keeps assertions and deadlocks.
    PersistentSleep,
    /// What is outside persistent sets or sleeps; keeps deadlocks only.
    DeadlocksSleep,
}

impl Reducing {
    /// Assertions may be missed.
    fn keeps_deadlocks_only(self) -> bool {
        matches!(self, Reducing::Deadlocks | Reducing::DeadlocksSleep)
    }

    /// Persistent sets with sleep sets.
    fn is_combined(self) -> bool {
        matches!(self, Reducing::PersistentSleep | Reducing::DeadlocksSleep)
    }
}

/// One search.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// Order.
    pub order: Order,
    /// Reduction.
    pub reducing: Reducing,
    /// Try out every answer of the dependence relation.
    pub check_independence: bool,
    /// Verify every persistent set.
    pub check_por: bool,
    /// See [`Keep::count_births`]; a search that needs it off is run again by itself.
    pub count_births: bool,
    /// See [`Keep::trust_claims`]; a search that needs it off is run again by itself.
    pub trust_claims: bool,
    /// At most this many states are kept, depth first.
    pub cache: Option<u64>,
    /// Which state a full cache forgets.
    pub replacement: Replacement,
    /// What is kept of a state.
    pub keeping: Keeping,
    /// States to make room for in a table that may err.
    pub expect_states: Option<u64>,
    /// Precision on demand: length of the chains that are looked at; 0 is off.
    pub pod: u8,
    /// Runs with independent hash functions.
    pub repeat: u32,
    /// Breadth-first searches with little memory.
    pub low_memory: LowMemory,
    /// What is looked for.
    pub property: Property,
    /// Only weakly fair runs count.
    pub fair: bool,
    /// Report failed assertions.
    pub assertions: bool,
    /// See [`Rules::pass_assertions`].
    pub pass_assertions: bool,
    /// Report invalid end states.
    pub end_states: bool,
    /// Channels must be empty at the end.
    pub strict_channels: bool,
    /// Go on after an error.
    pub all_errors: bool,
    /// Longest path.
    pub max_depth: Option<u64>,
    /// Budget in bytes.
    pub memory: Option<u64>,
    /// Seed of hashes and random choices.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            order: Order::DepthFirst,
            reducing: Reducing::Nothing,
            check_independence: false,
            check_por: false,
            count_births: true,
            trust_claims: true,
            cache: None,
            replacement: Replacement::Random,
            keeping: Keeping::Exact,
            expect_states: None,
            pod: 0,
            repeat: 1,
            low_memory: LowMemory::default(),
            property: Property::Safety,
            fair: false,
            assertions: true,
            pass_assertions: false,
            end_states: true,
            strict_channels: false,
            all_errors: false,
            max_depth: None,
            memory: None,
            seed: 1,
        }
    }
}

/// The properties that `pv check` looks at when none is named: each claim in a search of its own, else cycles through
/// accept labels where the model has some, else assertions and end states.
pub fn default_properties(model: &Model) -> Vec<Property> {
    if !model.claims.is_empty() {
        (0..model.claims.len()).map(Property::Claim).collect()
    } else if model.uses.accept_labels {
        vec![Property::AcceptLabels]
    } else {
        vec![Property::Safety]
    }
}

impl Plan {
    /// What the searches themselves need to know of it.
    pub fn settings(&self) -> Settings {
        let claim = matches!(self.property, Property::Claim(_) | Property::NonProgress);
        Settings {
            rules: Rules {
                end_states: self.end_states && self.property == Property::Safety,
                assertions: self.assertions,
                pass_assertions: self.pass_assertions,
                strict_channels: self.strict_channels,
                max_depth: self.max_depth.unwrap_or(u64::MAX),
                claim,
                halts: self.property == Property::AcceptLabels,
                // A deadlock is not a lack of progress: SPIN too leaves it to the check of end states.
                stutter: self.property != Property::NonProgress,
            },
            all_errors: self.all_errors,
        }
    }

    /// The model and program that the plan runs: non-progress brings a claim of its own.
    pub fn compile(&self, model: &Model) -> (Option<Model>, Program) {
        match self.property {
            Property::NonProgress => {
                let mut own = model.clone();
                own.claims = vec![Claim::non_progress()];
                own.uses.non_progress = true;
                let program = Program::new(&own, Some(0));
                (Some(own), program)
            }
            Property::Claim(number) => (None, Program::new(model, Some(number))),
            Property::Safety | Property::AcceptLabels => (None, Program::new(model, None)),
        }
    }

    /// Runs the search, or several with independent hash functions.
    pub fn execute(&self, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        // What a reduction assumes and cannot know beforehand is watched while it runs; if it fails, run without.
        let mut plan = self.clone();
        let mut notes = Vec::new();
        loop {
            let mut outcome = plan.execute_runs(model, monitor);
            match &outcome.verdict {
                Verdict::Incomplete(Limit::Retract(Retraction::Births)) if plan.count_births => {
                    plan.count_births = false;
                    continue;
                }
                Verdict::Incomplete(Limit::Retract(Retraction::ChannelClaim(how))) if plan.trust_claims => {
                    notes.push(format!("the model breaks its own xr and xs, so they were not used: {how}"));
                    plan.trust_claims = false;
                    continue;
                }
                Verdict::Incomplete(Limit::Retract(what)) => {
                    let bug = format!("a reduction has made an assumption that was taken back: {what:?}");
                    outcome.verdict = Verdict::Incomplete(Limit::Internal(bug));
                }
                _ => {}
            }
            outcome.notes.append(&mut notes);
            let limit = match &mut outcome.verdict {
                Verdict::Incomplete(limit) => Some(limit),
                _ => outcome.stopped.as_mut(),
            };
            if let (Some(Limit::Memory { used, budget }), Some(whole)) = (limit, monitor.memory) {
                // A table knows of itself only, and of its own part of the budget.
                (*used, *budget) = (outcome.memory.max(*used), whole);
            }
            return outcome;
        }
    }

    fn execute_runs(&self, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        if self.keeping == Keeping::Exact {
            return self.execute_once(model, monitor);
        }
        let mut runs = Vec::new();
        for number in 0..self.repeat.max(1) {
            let seed = self.seed.wrapping_add(u64::from(number));
            let outcome = Plan { seed, ..self.clone() }.execute_once(model, monitor);
            let go_on = outcome.verdict == Verdict::NoErrorFound;
            runs.push((seed, outcome));
            if !go_on {
                break;
            }
        }
        let mut outcome = lossy::combine(runs).unwrap_or_else(|| self.execute_once(model, monitor));
        if let Some(probability) = outcome.omission_probability {
            outcome.advice = match outcome.verdict {
                Verdict::Incomplete(Limit::TableFull { slots }) => {
                    Some(lossy::advise_larger(self.keeping, slots, self.memory))
                }
                // How many states there are is not known.
                Verdict::Incomplete(_) => None,
                _ => {
                    let budget = self.memory.map(|_| monitor.reserve);
                    lossy::advise(self.keeping, outcome.counts.stored, probability, budget)
                }
            };
        }
        outcome
    }

    fn execute_once(&self, model: &Model, monitor: &mut Monitor<'_>) -> Outcome {
        let (own, program) = self.compile(model);
        let model = own.as_ref().unwrap_or(model);
        // Without a budget the machine's memory is one: the verdict is then `incomplete`, not a killed process.
        let whole = || available().map(|bytes| bytes / 10 * 9);
        monitor.memory = self.memory.or(monitor.memory).or_else(whole);
        monitor.measure_reserve();
        let budget = monitor.tables().map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        let settings = self.settings();
        let cycles = match self.property {
            Property::NonProgress => Some(CycleKind::NonProgress),
            Property::AcceptLabels => Some(CycleKind::Acceptance),
            // A claim without an accepting state can only be violated by reaching its end or by an assertion.
            Property::Claim(number) => {
                let claim = &model.claims[number];
                let accepts = claim.body.automaton.locations.iter().any(|location| location.accept);
                (accepts || (claim.counts_labels && model.uses.accept_labels)).then_some(CycleKind::Acceptance)
            }
            Property::Safety => None,
        };
        match (cycles, self.order) {
            (Some(kind), _) => {
                let mut store = ExactStore::with_budget(self.seed, budget);
                let task = Task { model, program: &program, settings, audit: None, monitor };
                if self.fair { fair::search(task, &mut store, kind) } else { nested::search(task, &mut store, kind) }
            }
            (None, Order::DepthFirst) => match (self.keeping, self.cache) {
                (Keeping::Compact { bits, slots }, _) => {
                    let slots =
                        lossy::compact_slots(bits, slots, self.expect_states, self.memory.and(monitor.tables()));
                    match CompactStore::new(bits, slots, self.seed, self.reducing != Reducing::Nothing) {
                        Some(mut store) => self.depth_first_lossy(model, &program, &mut store, monitor),
                        None => Outcome::without_room(&program, CompactStore::bytes_for(slots, bits)),
                    }
                }
                (Keeping::Bloom { functions, slots }, _) => {
                    let (bytes, functions) =
                        lossy::bloom_size(functions, slots, self.expect_states, self.memory.and(monitor.tables()));
                    match BloomStore::new(bytes, functions, self.seed, self.reducing != Reducing::Nothing) {
                        Some(mut store) => self.depth_first_lossy(model, &program, &mut store, monitor),
                        None => Outcome::without_room(&program, bytes),
                    }
                }
                (Keeping::Exact, Some(limit)) => {
                    let mut store = CacheStore::new(limit, self.replacement, self.seed, budget);
                    self.depth_first(model, &program, &mut store, monitor)
                }
                (Keeping::Exact, None) => {
                    let mut store = ExactStore::with_budget(self.seed, budget);
                    self.depth_first(model, &program, &mut store, monitor)
                }
            },
            (None, Order::BreadthFirst)
                if self.low_memory.breadth != Breadth::InMemory
                    || self.keeping != Keeping::Exact
                    // The table that is its own queue cannot be saved; the one with a queue beside it can.
                    || (monitor.checkpoints.is_some() && self.reducing == Reducing::Nothing) =>
            {
                let assembly = Assembly {
                    options: &self.low_memory,
                    keeping: self.keeping,
                    expect_states: self.expect_states,
                    budgeted: self.memory.is_some(),
                    seed: self.seed,
                    settings,
                };
                assembly.run(model, &program, monitor)
            }
            (None, Order::BreadthFirst) => {
                let mut store = ExactStore::with_links(self.seed, budget);
                match self.reducing {
                    Reducing::Persistent | Reducing::Deadlocks if self.property == Property::Safety => {
                        let por = PersistentSets::new(model, self.keep(true)).within(monitor.patience());
                        self.breadth_first(model, &program, &mut store, por, monitor)
                    }
                    _ => self.breadth_first(model, &program, &mut store, Full, monitor),
                }
            }
        }
    }

    /// A depth-first search with a store that may err, with precision on demand if it is asked for.
    fn depth_first_lossy<S: LossyStore>(
        &self,
        model: &Model,
        program: &Program,
        store: &mut S,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        match self.pod {
            0 => self.depth_first(model, program, store, monitor),
            length => {
                let settings = self.settings();
                let precision =
                    PrecisionOnDemand::new(length, program.transitions.len(), settings.rules, monitor.patience());
                dfs::search_precisely(Task { model, program, settings, audit: None, monitor }, store, precision)
            }
        }
    }

    /// A depth-first search with this plan's reduction.
    fn depth_first<S: Store>(
        &self,
        model: &Model,
        program: &Program,
        store: &mut S,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        // the product with a claim is not reduced: see docs/soundness.md
        let reducing = if self.property == Property::Safety { self.reducing } else { Reducing::Nothing };
        match reducing {
            Reducing::Nothing => self.checked(model, program, store, Full, monitor),
            Reducing::Sleep => {
                let sets = SleepSets::new(model, program, monitor.patience());
                self.checked(model, program, store, sets, monitor)
            }
            Reducing::Persistent | Reducing::Deadlocks => {
                let sets = PersistentSets::new(model, self.keep(S::EXACT)).within(monitor.patience());
                self.checked(model, program, store, sets, monitor)
            }
            Reducing::PersistentSleep | Reducing::DeadlocksSleep => {
                let sets = PersistentSleep::new(model, program, self.keep(true)).within(monitor.patience());
                self.checked(model, program, store, sets, monitor)
            }
        }
    }

    fn keep(&self, tracks_stack: bool) -> Keep {
        Keep {
            deadlocks_only: self.reducing.keeps_deadlocks_only(),
            strict_channels: self.strict_channels,
            count_births: self.count_births,
            names_pids: self.reducing.is_combined(),
            // see docs/soundness.md
            trust_claims: self.trust_claims && !self.reducing.is_combined(),
            tracks_stack,
        }
    }

    /// The reduction is watched over if the plan says so.
    fn checked<S: Store, R: Reduction>(
        &self,
        model: &Model,
        program: &Program,
        store: &mut S,
        mut reduction: R,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        if R::ACTIVE
            && let Some(outcome) = self.too_large(program, monitor)
        {
            return outcome;
        }
        let audit = self.watch(model, program, monitor.patience());
        dfs::search(Task { model, program, settings: self.settings(), audit, monitor }, store, &mut reduction)
    }

    /// The same, breadth first.
    fn breadth_first<R: Reduction>(
        &self,
        model: &Model,
        program: &Program,
        store: &mut ExactStore,
        mut reduction: R,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        if R::ACTIVE
            && let Some(outcome) = self.too_large(program, monitor)
        {
            return outcome;
        }
        let audit = self.watch(model, program, monitor.patience());
        bfs::search(Task { model, program, settings: self.settings(), audit, monitor }, store, &mut reduction)
    }

    /// The reduction is there: what it took counts as part of the program. If that alone is more than the budget, that is
    /// the end.
    fn too_large(&self, program: &Program, monitor: &mut Monitor<'_>) -> Option<Outcome> {
        let before = monitor.reserve;
        monitor.measure_growth();
        let budget = self.memory.filter(|&budget| monitor.reserve.saturating_sub(before) > budget)?;
        let verdict = Verdict::Incomplete(Limit::Memory { used: monitor.reserve, budget });
        Some(Outcome { verdict, ..Outcome::without_room(program, 0) })
    }

    /// What the plan wants to be watched.
    fn watch<'m, 'p>(&self, model: &'m Model, program: &'p Program, patience: Patience<'p>) -> Option<Watch<'m, 'p>> {
        let relation = self.check_independence.then(|| Dependence::new(model));
        let sets = self.check_por.then(|| PersistentSets::new(model, self.keep(true)));
        (relation.is_some() || sets.is_some()).then(|| Watch::new(model, program, relation, sets).within(patience))
    }
}
