//! Acceptance cycles by strongly connected components: Gabow's path-based algorithm, ended as soon as a component has an accepting
//! cycle (Couvreur, FM 1999).
//!
//! The search is an ordinary depth-first search that visits each edge once. It keeps the components that may still grow on a stack. An
//! edge into a state whose component is not complete joins all components above that one. If one of their states accepts, there is
//! an accepting cycle, and the search can end without having seen the rest of the component. The nested search needs a second look
//! at every state below an accepting one, and notices a cycle later; `docs/soundness.md` has the figures.
//!
//! Which cycles count is said in [`crate::search::cycles`]. The lasso that is shown is not the one on the stack of the search: from
//! the component's first state the shortest way to an accepting state is taken, and from there the shortest way back to it, among the
//! states of the component.
//!
//! Sound with an exact store, and with reductions that keep what the property can see ([`crate::search::reduce::paths`]): one search means
//! that there is no second one that could choose other sets. Costs some words for each state whose component is not complete.

use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::mutants::{self, Mutant};
use crate::search::cycles::{CycleBook, CycleKind, Lasso, accepting};
use crate::search::driver::{StoreFigures, Tally, Task};
use crate::search::monitor::Patience;
use crate::search::outcome::{Limit, Outcome, Step};
use crate::search::reduce::{Full, Reduction};
use crate::search::walk::replay::steps_within;
use crate::search::walk::{Control, Decision, Ended, Event, Rules, Visitor, Walk};
use crate::store::{FindStore, Handle, Visit};
use rapidhash::RapidHashMap;
use std::collections::VecDeque;

/// A component that may still grow.
#[derive(Clone, Copy, Debug)]
struct Component {
    /// Number of its first state.
    first: u32,
    /// It has an accepting state.
    accepts: bool,
    /// An accepting cycle in it was found already.
    found: bool,
}

struct Components<'s, 'm, 'n, 'i, S: FindStore> {
    book: CycleBook<'m>,
    program: &'m Program,
    store: &'s mut S,
    tally: Tally<'m, 'n, 'i>,
    /// Numbers of the states whose component is not complete. In the store these count as states on the stack.
    numbers: RapidHashMap<u64, u32>,
    /// The same states in order of their numbers.
    pending: Vec<Handle>,
    /// The hidden variables that each of them was met with, where the model has some.
    hidden: RapidHashMap<u64, Box<[u8]>>,
    components: Vec<Component>,
    /// Numbers of the states on the path.
    path: Vec<u32>,
}

impl<S: FindStore> Components<'_, '_, '_, '_, S> {
    fn tables(&self, reduction: usize) -> usize {
        let hidden = self.hidden.capacity() * 32 + self.hidden.len() * (self.program.hidden as usize + 16);
        let own = self.numbers.capacity() * 18 + self.pending.capacity() * 8 + self.path.capacity() * 4;
        self.store.memory() + own + hidden + reduction
    }

    fn enter(&mut self, machine: &Machine<'_>, handle: Handle) {
        let number = self.pending.len() as u32;
        self.numbers.insert(handle.0, number);
        self.pending.push(handle);
        if self.program.hidden > 0 {
            self.hidden.insert(handle.0, machine.saved()[..self.program.hidden as usize].into());
        }
        self.components.push(Component { first: number, accepts: accepting(machine), found: false });
        self.path.push(number);
    }

    /// An edge leads to the state with this number: all components above it are one with it. True if the component has an accepting
    /// cycle now, and had none before.
    fn join(&mut self, number: u32) -> bool {
        let (mut accepts, mut found) = (false, false);
        while let Some(top) = self.components.last()
            && top.first > number
        {
            (accepts, found) = (accepts || top.accepts, found || top.found);
            self.components.pop();
        }
        let Some(top) = self.components.last_mut() else { return false };
        (top.accepts, found) = (top.accepts || accepts, found || top.found);
        let now = top.accepts && !found && !mutants::is(Mutant::CyclesNeverAccept);
        top.found = found || now;
        now
    }

    /// The component of the newest root is complete.
    fn close(&mut self, first: u32) {
        self.components.pop();
        for handle in self.pending.drain(first as usize..) {
            self.numbers.remove(&handle.0);
            self.hidden.remove(&handle.0);
            self.store.leave(handle);
        }
    }

    fn report(&mut self, machine: &Machine<'_>, walk: &Walk) -> Control {
        let Some(&Component { first, .. }) = self.components.last() else { return Control::Continue };
        let (program, store, numbers, hidden) = (self.program, &*self.store, &self.numbers, &self.hidden);
        let root = self.pending[first as usize];
        let rules = Rules { max_depth: u64::MAX, ..walk.rules() };
        let lasso = |tally: &Tally<'_, '_, '_>| {
            let depth = walk.entered().find(|&(_, handle)| handle == root).map(|(depth, _)| depth)?;
            let mut path = walk.path(machine);
            path.truncate(depth);
            let inside = Inside { program, store, rules, numbers, first, hidden, patience: tally.monitor.patience() };
            let (way, round) = inside.lasso(root)?;
            let start = path.len() + way.len();
            path.extend(way.into_iter().chain(round));
            Some(Lasso { start, depth: path.len() as u64, path })
        };
        match self.book.found(&mut self.tally, machine, lasso) {
            Some(control) => control,
            None => {
                self.tally.limit = Some(self.why_no_lasso());
                Control::Stop
            }
        }
    }

    /// A cycle was found and cannot be shown: a budget is used up, or the cycle depends on hidden variables, which states do not hold.
    fn why_no_lasso(&self) -> Limit {
        self.tally.monitor.must_end().unwrap_or_else(|| {
            if self.program.hidden > 0 {
                let what = "a cycle was found that hangs on hidden variables, which are no part of a state";
                return Limit::ModelError(what.into());
            }
            Limit::Internal("the cycle that was found cannot be gone through".into())
        })
    }
}

impl<S: FindStore> Visitor for Components<'_, '_, '_, '_, S> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision {
        match self.store.visit(machine.state(), how) {
            Visit::New(handle) => {
                self.tally.store(machine);
                self.enter(machine, handle);
                match self.tally.audit(machine) {
                    Control::Continue => Decision::Enter(handle),
                    Control::Stop => Decision::Stop,
                }
            }
            Visit::Seen { on_stack } => {
                self.tally.matched += 1;
                if on_stack
                    && let Some((handle, _)) = self.store.find(machine.state())
                    && let Some(&number) = self.numbers.get(&handle.0)
                    && self.join(number)
                    && self.report(machine, walk) == Control::Stop
                {
                    return Decision::Stop;
                }
                Decision::Back
            }
            Visit::Full => {
                self.tally.limit = Some(self.store.limit(self.path.len() as u64));
                Decision::Stop
            }
        }
    }

    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, _: Handle) -> Control {
        if let Some(number) = self.path.pop()
            && self.components.last().is_some_and(|top| top.first == number)
        {
            self.close(number);
        }
        Control::Continue
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        if event == Event::Halt {
            return self.book.halted(&mut self.tally, machine, walk);
        }
        self.tally.event(machine, walk, (event, step), || walk.path(machine))
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, reduction: usize) -> Control {
        if self.tally.is_short(machine, walk, self.tables(reduction)) {
            self.store.relieve();
        }
        self.tally.look(machine, walk, self.tables(reduction), None)
    }
}

/// The states of a component, as far as they were met. All edges of the model between them may be used, whatever a reduction has
/// left out: they are steps of the model.
struct Inside<'a, S: FindStore> {
    program: &'a Program,
    store: &'a S,
    rules: Rules,
    numbers: &'a RapidHashMap<u64, u32>,
    /// Number of the component's first state.
    first: u32,
    hidden: &'a RapidHashMap<u64, Box<[u8]>>,
    patience: Patience<'a>,
}

impl<S: FindStore> Inside<'_, S> {
    /// The steps from this state to an accepting one, and from there back to it.
    fn lasso(&self, from: Handle) -> Option<(Vec<Step>, Vec<Step>)> {
        let mut machine = Machine::new(self.program).ok()?;
        let mut accepts = |handle: Handle| {
            machine.load(&self.saved(handle));
            accepting(&machine)
        };
        let (way, at) = if accepts(from) { (Vec::new(), from) } else { self.shortest(from, &mut accepts)? };
        let (round, _) = self.shortest(at, &mut |handle| handle == at)?;
        Some((way, round))
    }

    fn saved(&self, handle: Handle) -> Vec<u8> {
        let hidden = self.hidden.get(&handle.0).map_or(&[][..], |hidden| hidden);
        [hidden, &self.store.state(handle)].concat()
    }

    /// The steps of a shortest way of one move or more to a state that is wanted, and the state.
    fn shortest(&self, from: Handle, wanted: &mut dyn FnMut(Handle) -> bool) -> Option<(Vec<Step>, Handle)> {
        let mut machine = Machine::new(self.program).ok()?;
        let mut walk = Walk::new(self.program.transitions.len(), self.rules);
        let mut before: RapidHashMap<u64, Handle> = RapidHashMap::default();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            machine.load(&self.saved(at));
            let mut next = Successors { inside: self, met: Vec::new() };
            if walk.expand(&mut machine, &mut next, &mut Full) == Ended::Stopped {
                return None;
            }
            for to in next.met {
                if before.contains_key(&to.0) {
                    continue;
                }
                before.insert(to.0, at);
                if wanted(to) {
                    return Some((self.steps(from, to, &before)?, to));
                }
                queue.push_back(to);
            }
        }
        None
    }

    /// The steps over the states that lead to `to`; there is one move at least.
    fn steps(&self, from: Handle, to: Handle, before: &RapidHashMap<u64, Handle>) -> Option<Vec<Step>> {
        let mut states = vec![to];
        let mut at = *before.get(&to.0)?;
        while at != from {
            states.push(at);
            at = *before.get(&at.0)?;
        }
        let mut machine = Machine::new(self.program).ok()?;
        machine.load(&self.saved(from));
        let states: Vec<Vec<u8>> = states.iter().rev().map(|&handle| self.store.state(handle)).collect();
        steps_within(&mut machine, self.rules, states.iter().map(Vec::as_slice), self.patience)
    }
}

/// The states of the component that one state leads to.
struct Successors<'a, 'b, S: FindStore> {
    inside: &'a Inside<'b, S>,
    met: Vec<Handle>,
}

impl<S: FindStore> Visitor for Successors<'_, '_, S> {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        let Inside { store, numbers, first, .. } = self.inside;
        if let Some((handle, true)) = store.find(machine.state())
            && numbers.get(&handle.0).is_some_and(|number| number >= first)
        {
            self.met.push(handle);
        }
        Decision::Back
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        if self.inside.patience.is_over(walk.memory()) { Control::Stop } else { Control::Continue }
    }
}

/// Searches for acceptance cycles, and for all that a depth-first search finds, in what a reduction leaves of the state space.
pub fn search<S: FindStore, R: Reduction>(
    task: Task<'_, '_, '_>,
    store: &mut S,
    reduction: &mut R,
    kind: CycleKind,
) -> Outcome {
    let (book, program) = (CycleBook { model: task.model, kind }, task.program);
    let (mut machine, mut walk, tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let mut visitor = Components {
        book,
        program,
        store,
        tally,
        numbers: RapidHashMap::default(),
        pending: Vec::new(),
        hidden: RapidHashMap::default(),
        components: Vec::new(),
        path: Vec::new(),
    };
    let ended = walk.run(&mut machine, &mut visitor, reduction);
    let tables = visitor.tables(reduction.memory());
    let Components { store, tally, .. } = visitor;
    let figures = StoreFigures { exact: S::EXACT, peak: store.statistics().peak, evicted: 0 };
    tally.close((&machine, &walk), ended, tables, reduction.fault(), figures)
}
