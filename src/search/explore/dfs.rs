//! Depth-first search over any store: Algorithm 1 (Fig. 1) of Godefroid, Holzmann and Pirottin, "State-space caching
//! revisited" (FMSD 1995), which we call the caching paper.
//!
//! Idea: the walk enters each state that the store has not seen and follows its moves; it turns back at each state that the
//! store has seen. Sound and complete with a store that forgets nothing. With a bounded cache the search still visits every
//! state: a state on the stack is never forgotten, and a state is forgotten only after all its successors were visited. With
//! a store that may err the search can miss states, with the probability that the store states.
//!
//! Costs one lookup per arrival and one small frame of the walk per step of the path.

use crate::exec::Machine;
use crate::model::TransitionType;
use crate::search::driver::{StoreFigures, Tally, Task};
use crate::search::explore::precision_on_demand::{Precision, PrecisionOnDemand, Trust};
use crate::search::outcome::{Outcome, Step};
use crate::search::reduce::{Full, Reduction};
use crate::search::walk::{Control, Decision, Ended, Event, Visitor, Walk};
use crate::store::parts::foresight::Foresight;
use crate::store::{Glance, Handle, LossyStore, Store, Vacancy, Visit};

struct DepthVisitor<'s, 'm, 'n, 'i, S: Store, P: Precision<S>> {
    store: &'s mut S,
    precision: P,
    tally: Tally<'m, 'n, 'i>,
    /// The reduction may enter a state again, and wants to know where it is.
    locates: bool,
    /// The successors of the state that was entered last.
    foresight: Foresight,
    /// What a first look into the store has shown of each.
    glances: Vec<Glance>,
    /// The first of them that was not known, and where it would go.
    awaited: Vec<u8>,
    vacancy: Option<Vacancy>,
}

impl<S: Store, P: Precision<S>> DepthVisitor<'_, '_, '_, '_, S, P> {
    fn tables(&self, reduction: usize) -> usize {
        let glances = self.glances.capacity() * size_of::<Glance>();
        self.store.memory() + self.precision.memory() + self.foresight.memory() + glances + reduction
    }
}

impl<S: Store, P: Precision<S>> Visitor for DepthVisitor<'_, '_, '_, '_, S, P> {
    const FORESEES: bool = S::FORESEES && P::TRUSTS;

    #[inline]
    fn foresees(&self) -> bool {
        self.store.foresees()
    }

    #[inline]
    fn awaits(&self, machine: &Machine<'_>) -> bool {
        self.vacancy.is_some() && self.store.foresees_early() && self.awaited == machine.state()
    }

    #[inline(always)]
    fn foresee(&mut self, state: &[u8]) {
        let hash = self.store.foresee(state);
        self.foresight.push(state, hash);
    }

    #[inline]
    fn sort_out(&mut self, mut known: impl FnMut(bool)) {
        self.glances.clear();
        self.glances.extend(self.foresight.iter().map(|(_, hash)| self.store.glance(hash)));
        self.vacancy = None;
        for ((state, hash), &glance) in self.foresight.iter().zip(&self.glances) {
            let vacancy =
                if self.store.is_glanced(state, glance) { None } else { self.store.vacancy(state, hash, glance) };
            known(vacancy.is_none());
            if vacancy.is_some() && self.vacancy.is_none() {
                self.vacancy = vacancy;
                self.awaited.clear();
                self.awaited.extend_from_slice(state);
            }
        }
        self.foresight.clear();
    }

    #[inline]
    fn awaited(&self) -> Option<&[u8]> {
        self.vacancy.map(|_| self.awaited.as_slice())
    }

    #[inline]
    fn known(&mut self) {
        self.tally.matched += 1;
    }

    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision {
        // Most often the state that comes next is the one that was looked up last.
        let visit = match self.vacancy.take() {
            Some(vacancy) if self.awaited == machine.state() => self.store.visit_at(machine.state(), vacancy, how),
            _ => self.store.visit(machine.state(), how),
        };
        if !self.foresight.is_empty() && !self.store.foresees_early() {
            // The store has just become another one, which knows nothing of the hashes that the first has given.
            self.foresight.hash_again(|state| self.store.foresee(state));
        }
        match visit {
            Visit::New(handle) => {
                self.tally.store(machine);
                self.precision.entered(self.store);
                match self.tally.audit(machine) {
                    Control::Continue => Decision::Enter(handle),
                    Control::Stop => Decision::Stop,
                }
            }
            Visit::Seen { on_stack } => {
                if let Some(handle) = self.precision.look_again(machine, self.store) {
                    self.tally.store(machine);
                    return Decision::Enter(handle);
                }
                self.tally.matched += 1;
                let at = if self.locates { self.store.locate(machine.state()) } else { None };
                Decision::Seen { on_stack: S::EXACT.then_some(on_stack), at }
            }
            Visit::Full => {
                self.tally.limit = Some(self.store.limit(walk.entered().count() as u64));
                Decision::Stop
            }
        }
    }

    #[inline]
    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, handle: Handle) -> Control {
        self.store.leave(handle);
        Control::Continue
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        self.tally.event(machine, walk, (event, step), || walk.path(machine))
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, reduction: usize) -> Control {
        if self.tally.is_short(machine, walk, self.tables(reduction)) {
            self.store.relieve();
        }
        self.tally.look(machine, walk, self.tables(reduction), None)
    }
}

/// Searches what a reduction leaves of the state space, depth first; with [`Full`] the whole of it.
pub fn search<S: Store, R: Reduction>(task: Task<'_, '_, '_>, store: &mut S, reduction: &mut R) -> Outcome {
    run(task, store, Trust, reduction)
}

/// Searches the whole state space with a store that may err, and precision on demand.
pub fn search_precisely<S: LossyStore>(
    task: Task<'_, '_, '_>,
    store: &mut S,
    precision: PrecisionOnDemand<'_>,
) -> Outcome {
    run(task, store, precision, &mut Full)
}

fn run<S: Store, P: Precision<S>, R: Reduction>(
    task: Task<'_, '_, '_>,
    store: &mut S,
    precision: P,
    reduction: &mut R,
) -> Outcome {
    let (mut machine, mut walk, tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let mut visitor = DepthVisitor {
        store,
        precision,
        tally,
        locates: R::REENTERS,
        foresight: Foresight::default(),
        glances: Vec::new(),
        awaited: Vec::new(),
        vacancy: None,
    };
    let ended = walk.run(&mut machine, &mut visitor, reduction);
    debug_assert!(
        ended == Ended::Complete
            || visitor.tally.limit.is_some()
            || visitor.tally.ledger.count > 0
            || visitor.tally.is_faulty(reduction.fault())
    );
    let tables = visitor.tables(reduction.memory());
    let DepthVisitor { store, tally, .. } = visitor;
    let statistics = store.statistics();
    let figures = StoreFigures { exact: S::EXACT, peak: statistics.peak, evicted: statistics.evicted };
    Outcome {
        omission_probability: (!S::EXACT).then_some(statistics.omission_probability),
        coverage: (!S::EXACT).then_some(statistics.coverage),
        revisit_rate: statistics.revisit_rate,
        ..tally.close((&machine, &walk), ended, tables, reduction.fault(), figures)
    }
}
