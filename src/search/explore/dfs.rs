//! Depth-first search: Algorithm 1 of the caching paper (Fig. 1), over any store.
//!
//! Sound and complete with a store that forgets nothing; with a bounded cache it still visits every state, because a
//! state on the stack is never forgotten and no edge leads from a finished state to an unvisited one. Costs one
//! lookup per arrival; the stack holds a small frame per step.

use crate::exec::{Machine, Program};
use crate::model::{Model, TransitionType};
use crate::search::explore::precision_on_demand::{Precision, PrecisionOnDemand, Trust};
use crate::search::ledger::Ledger;
use crate::search::monitor::{Monitor, Snapshot, interval};
use crate::search::outcome::{Counts, Limit, Outcome, Step};
use crate::search::reduce::{Full, Reduction};
use crate::search::walk::{Choice, Control, Decision, Ended, Event, Rules, Taken, Visitor, Walk};
use crate::store::{Handle, LossyStore, Store, Visit};
use std::time::Instant;

/// What to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What is checked, and bounds.
    pub rules: Rules,
    /// Go on after an error.
    pub all_errors: bool,
}

struct DepthFirst<'s, 'm, 'i, S: Store, R: Reduction, P: Precision<S>> {
    store: &'s mut S,
    precision: P,
    reduction: &'s mut R,
    ledger: Ledger<'m>,
    monitor: &'s mut Monitor<'i>,
    matched: u64,
    stored: u64,
    vector: usize,
    limit: Option<Limit>,
    cut: bool,
}

impl<S: Store, R: Reduction, P: Precision<S>> DepthFirst<'_, '_, '_, S, R, P> {
    #[cold]
    fn look(&mut self, machine: &Machine<'_>, walk: &Walk) -> bool {
        let memory = (self.store.memory()
            + self.precision.memory()
            + self.reduction.memory()
            + walk.memory()
            + machine.memory()) as u64;
        let snapshot =
            Snapshot { stored: self.stored, matched: self.matched, depth: walk.depth(), memory, ..Snapshot::default() };
        self.limit = self.monitor.look(&snapshot);
        self.limit.is_some()
    }
}

impl<S: Store, R: Reduction, P: Precision<S>> Visitor for DepthFirst<'_, '_, '_, S, R, P> {
    const REDUCES: bool = R::ACTIVE;

    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision {
        if (self.stored + self.matched).is_multiple_of(interval(R::ACTIVE)) && self.look(machine, walk) {
            return Decision::Stop;
        }
        let state = machine.state();
        match self.store.visit(state, how) {
            Visit::New(handle) => {
                self.stored += 1;
                self.vector = self.vector.max(state.len());
                self.precision.entered(self.store);
                self.reduction.enter(machine, walk);
                if R::ACTIVE
                    && let Some(fault) = self.reduction.fault()
                {
                    self.limit = Some(fault.limit());
                    return Decision::Stop;
                }
                if R::REENTERS {
                    self.reduction.entered(handle);
                }
                Decision::Enter(handle)
            }
            Visit::Seen { on_stack } => {
                if let Some(handle) = self.precision.look_again(machine, self.store) {
                    self.stored += 1;
                    return Decision::Enter(handle);
                }
                self.matched += 1;
                self.reduction.seen(machine, S::EXACT.then_some(on_stack));
                if R::REENTERS
                    && let Some(handle) = self.store.locate(machine.state())
                    && self.reduction.reenters(machine, handle)
                {
                    return Decision::Enter(handle);
                }
                Decision::Back
            }
            Visit::Full => {
                self.limit = Some(self.store.limit(walk.entered().count() as u64));
                Decision::Stop
            }
        }
    }

    #[inline]
    fn leave(&mut self, machine: &mut Machine<'_>, _: &Walk, handle: Handle) -> Control {
        // One that was entered again is on the stack still, or has left it long ago.
        if !(R::REENTERS && self.reduction.is_reentered()) {
            self.store.leave(handle);
        }
        self.reduction.leave(machine);
        Control::Continue
    }

    #[inline]
    fn admits(&mut self, machine: &Machine<'_>, pid: usize) -> bool {
        self.reduction.admits(machine, pid)
    }

    #[inline]
    fn choose(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) -> Choice {
        self.reduction.choose(machine, step, sender)
    }

    #[inline]
    fn taken(&mut self, step: Taken, sender: Option<Taken>) -> bool {
        self.reduction.taken(step, sender)
    }

    #[inline]
    fn look_back(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) {
        self.reduction.look_back(machine, step, sender);
    }

    #[inline]
    fn returned(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) {
        self.reduction.returned(machine, step, sender);
    }

    #[inline]
    fn again(&mut self, machine: &mut Machine<'_>) -> bool {
        self.reduction.again(machine)
    }

    #[inline]
    fn judges(&self) -> bool {
        !(R::REENTERS && self.reduction.is_reentered())
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        self.ledger.note(machine, walk, event, step, || walk.path(machine))
    }

    fn cut(&mut self) {
        self.cut = true;
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk) -> Control {
        if self.look(machine, walk) { Control::Stop } else { Control::Continue }
    }
}

/// Searches the whole state space of a program, depth first.
pub fn search<S: Store>(
    model: &Model,
    program: &Program,
    store: &mut S,
    settings: Settings,
    monitor: &mut Monitor<'_>,
) -> Outcome {
    search_reduced(model, program, store, &mut Full, settings, monitor)
}

/// As [`search`], with precision on demand.
pub fn search_precisely<S: LossyStore>(
    model: &Model,
    program: &Program,
    store: &mut S,
    precision: PrecisionOnDemand<'_>,
    settings: Settings,
    monitor: &mut Monitor<'_>,
) -> Outcome {
    run(model, program, store, &mut Full, precision, settings, monitor)
}

/// Searches what a reduction leaves of the state space of a program, depth first.
pub fn search_reduced<S: Store, R: Reduction>(
    model: &Model,
    program: &Program,
    store: &mut S,
    reduction: &mut R,
    settings: Settings,
    monitor: &mut Monitor<'_>,
) -> Outcome {
    run(model, program, store, reduction, Trust, settings, monitor)
}

fn run<S: Store, R: Reduction, P: Precision<S>>(
    model: &Model,
    program: &Program,
    store: &mut S,
    reduction: &mut R,
    precision: P,
    settings: Settings,
    monitor: &mut Monitor<'_>,
) -> Outcome {
    let start = Instant::now();
    let mut machine = match Machine::new(program) {
        Ok(machine) => machine,
        Err(trap) => return Outcome::failed_at_start(program, trap),
    };
    let mut walk = Walk::new(program.transitions.len(), settings.rules);
    let mut visitor = DepthFirst {
        store,
        precision,
        reduction,
        ledger: Ledger::new(model, settings.all_errors),
        monitor,
        matched: 0,
        stored: 0,
        vector: 0,
        limit: None,
        cut: false,
    };
    let ended = walk.run(&mut machine, &mut visitor, true);
    debug_assert!(ended == Ended::Complete || visitor.limit.is_some() || visitor.ledger.count > 0);
    let limit_found = visitor.limit.take();
    visitor.look(&machine, &walk);
    visitor.limit = limit_found;
    let DepthFirst { ledger, matched, stored, vector, mut limit, cut, reduction, .. } = visitor;
    if ended == Ended::Complete {
        limit = cut.then_some(Limit::Depth(settings.rules.max_depth));
    }
    if let Some(fault) = reduction.fault() {
        limit = Some(fault.limit());
    }
    let statistics = store.statistics();
    let counts = Counts {
        stored,
        matched,
        peak_stored: statistics.peak,
        evicted: statistics.evicted,
        vector_bytes: vector as u64,
        ..Counts::default()
    };
    Outcome {
        memory: monitor.peak.max(store.memory() as u64),
        omission_probability: (!S::EXACT).then_some(statistics.omission_probability),
        coverage: (!S::EXACT).then_some(statistics.coverage),
        seconds: start.elapsed().as_secs_f64(),
        ..ledger.close(program, &walk, limit, S::EXACT, counts)
    }
}
