//! Acceptance cycles under weak fairness, by strongly connected components: Gabow's path-based algorithm, with conditions
//! collected for each component as in Couvreur's emptiness check.
//!
//! A run is weakly fair if every process that can move from some point on without a break does move again and again. A
//! component of the product has a fair accepting run exactly if it has an accepting state and, for every process, a state in
//! which the process cannot move or a step inside the component in which the process takes part: a closed walk through the
//! whole component meets all of these. So we judge each component as a whole when it is complete; no state holds a counter,
//! and no state is copied.
//!
//! What "can move" and "moves" mean: a rendezvous is a step of both its processes. A process that does not exist cannot move.
//! Where the system as a whole cannot move (stutter), no process can. An atomic block is one step: a process that can make
//! the first step of a block can move; a process that only a later rendezvous would draw into the block cannot move for that
//! reason. Every process that makes a step anywhere in a block that was taken has moved.
//!
//! Exact on every model, with an exact store. Costs one visit per edge and some words per state on the component stack.
//! SPIN's counter construction is known to err where processes are born and die; there is no counter here.

use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::cycles::{CycleBook, CycleKind, Lasso, accepting};
use crate::search::driver::{StoreFigures, Tally, Task};
use crate::search::monitor::Patience;
use crate::search::outcome::{Limit, Outcome, Step};
use crate::search::reduce::Full;
use crate::search::walk::replay::steps_over;
use crate::search::walk::{Control, Decision, Ended, Event, Movers, Rules, Visitor, Walk};
use crate::store::{FindStore, Handle, Visit};
use rapidhash::RapidHashMap;
use std::collections::{HashMap, HashSet, VecDeque};

/// A component that may still grow.
#[derive(Clone, Copy, Debug)]
struct Component {
    /// Number of its first state.
    first: u32,
    /// It has an accepting state.
    accepts: bool,
    /// It has a cycle: an edge inside it was seen.
    cyclic: bool,
    /// Processes that are treated fairly in it.
    fair: Movers,
    /// Who moved on the edge that led into its first state.
    entry: Movers,
}

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u32,
    /// Processes that can move here.
    can_move: Movers,
}

struct Fair<'s, 'm, 'n, 'i, S: FindStore> {
    book: CycleBook<'m>,
    program: &'m Program,
    store: &'s mut S,
    tally: Tally<'m, 'n, 'i>,
    /// Numbers of the states whose component is not complete.
    numbers: RapidHashMap<u64, u32>,
    /// The hidden variables that each state was first met with, where the model has some.
    hidden: RapidHashMap<u64, Box<[u8]>>,
    /// The states whose component is not complete, in order of their numbers.
    pending: Vec<Handle>,
    components: Vec<Component>,
    path: Vec<Open>,
    next: u32,
}

impl<S: FindStore> Fair<'_, '_, '_, '_, S> {
    fn tables(&self) -> usize {
        let hidden = self.hidden.capacity() * 32 + self.hidden.len() * (self.program.hidden as usize + 16);
        let own = self.numbers.capacity() * 20 + self.pending.capacity() * 8 + self.path.capacity() * size_of::<Open>();
        self.store.memory() + own + hidden
    }

    /// An edge by `movers` leads to the state with this number, whose component is not complete: all components above
    /// it are one with it.
    fn merge(&mut self, number: u32, movers: Movers) {
        let mut fair = movers;
        let mut accepts = false;
        while let Some(top) = self.components.last()
            && top.first > number
        {
            fair = fair.union(top.fair).union(top.entry);
            accepts |= top.accepts;
            self.components.pop();
        }
        if let Some(top) = self.components.last_mut() {
            top.fair = top.fair.union(fair);
            top.accepts |= accepts;
            top.cyclic = true;
        }
    }

    /// The component of the newest root is complete. True if it has a fair accepting run.
    fn close(&mut self) -> Option<Vec<Handle>> {
        let component = self.components.pop()?;
        let first = self.pending.iter().rposition(|handle| self.numbers.get(&handle.0) == Some(&component.first))?;
        let states = self.pending.split_off(first);
        for state in &states {
            self.numbers.remove(&state.0);
        }
        (component.cyclic && component.accepts && component.fair.is_all()).then_some(states)
    }

    /// A fair cycle was found and cannot be shown: a budget is used up, or the cycle depends on hidden variables, which states
    /// do not hold.
    fn why_no_tour(&self) -> Limit {
        self.tally.monitor.must_end().unwrap_or_else(|| {
            if self.program.hidden > 0 {
                let what = "a fair cycle was found that hangs on hidden variables, which are no part of a state";
                return Limit::ModelError(what.into());
            }
            Limit::Internal("the fair cycle that was found cannot be gone through".into())
        })
    }

    fn report(&mut self, machine: &Machine<'_>, walk: &Walk, states: &[Handle]) -> Control {
        let (program, store, hidden) = (self.program, &*self.store, &self.hidden);
        // What the search was not allowed to follow to its end may be followed now: it is between known states.
        let rules = Rules { max_depth: u64::MAX, ..walk.rules() };
        let lasso = |tally: &Tally<'_, '_, '_>| {
            let mut path = walk.path(machine);
            let start = path.len();
            let tour = Tour { program, store, rules, states, hidden, patience: tally.monitor.patience() };
            path.extend(tour.steps(machine)?);
            Some(Lasso { path, start, depth: walk.depth() })
        };
        match self.book.found(&mut self.tally, machine, lasso) {
            Some(control) => control,
            None => {
                self.tally.limit = Some(self.why_no_tour());
                Control::Stop
            }
        }
    }
}

impl<S: FindStore> Visitor for Fair<'_, '_, '_, '_, S> {
    const WATCHES: bool = true;

    fn can_move(&mut self, movers: Movers, _: bool) {
        if let Some(open) = self.path.last_mut() {
            open.can_move = open.can_move.union(movers);
        }
    }

    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision {
        let movers = walk.movers();
        match self.store.visit(machine.state(), how) {
            Visit::New(handle) => {
                self.tally.store(machine);
                let number = self.next;
                self.next += 1;
                self.numbers.insert(handle.0, number);
                self.pending.push(handle);
                if self.program.hidden > 0 {
                    self.hidden.insert(handle.0, machine.saved()[..self.program.hidden as usize].into());
                }
                self.components.push(Component {
                    first: number,
                    accepts: accepting(machine),
                    cyclic: false,
                    fair: Movers::default(),
                    entry: movers,
                });
                self.path.push(Open { number, can_move: Movers::default() });
                Decision::Enter(handle)
            }
            Visit::Seen { .. } => {
                self.tally.matched += 1;
                if let Some((handle, _)) = self.store.find(machine.state())
                    && let Some(&number) = self.numbers.get(&handle.0)
                {
                    self.merge(number, movers);
                }
                Decision::Back
            }
            Visit::Full => {
                self.tally.limit = Some(self.store.limit(self.path.len() as u64));
                Decision::Stop
            }
        }
    }

    fn leave(&mut self, machine: &mut Machine<'_>, walk: &Walk, handle: Handle) -> Control {
        self.store.leave(handle);
        let Some(open) = self.path.pop() else { return Control::Continue };
        let Some(top) = self.components.last_mut() else { return Control::Continue };
        top.fair = top.fair.union(open.can_move.complement());
        if top.first == open.number
            && let Some(states) = self.close()
        {
            return self.report(machine, walk, &states);
        }
        Control::Continue
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        if event == Event::Halt {
            return self.book.halted(&mut self.tally, machine, walk);
        }
        self.tally.event(machine, walk, (event, step), || walk.path(machine))
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.tally.look(machine, walk, self.tables(), None)
    }
}

/// A closed walk through a component that shows why it is fair: through an accepting state, and for each process
/// through a state where it cannot move or over a step that it makes.
struct Tour<'a, S: FindStore> {
    program: &'a Program,
    store: &'a S,
    rules: Rules,
    states: &'a [Handle],
    /// The hidden variables that each state was first met with, where there are any.
    hidden: &'a RapidHashMap<u64, Box<[u8]>>,
    patience: Patience<'a>,
}

/// An edge between two states of the component.
#[derive(Clone, Copy)]
struct Edge {
    to: usize,
    movers: Movers,
}

impl<S: FindStore> Tour<'_, S> {
    /// The steps, starting and ending in the machine's current state, which is the component's first.
    fn steps(&self, machine: &Machine<'_>) -> Option<Vec<Step>> {
        // By handle: the states themselves, which may be compressed, would take more memory than the store.
        let index: HashMap<u64, usize> =
            self.states.iter().enumerate().map(|(number, &handle)| (handle.0, number)).collect();
        let mut state = Vec::new();
        let mut edges = Vec::with_capacity(self.states.len());
        let mut can_move = Vec::with_capacity(self.states.len());
        let mut accepts = HashSet::new();
        let mut other = Machine::new(self.program).ok()?;
        for (number, &handle) in self.states.iter().enumerate() {
            let hidden = self.hidden.get(&handle.0).map_or(&[][..], |hidden| hidden);
            self.store.read(handle, &mut state);
            let saved = [hidden, &state].concat();
            other.load(&saved);
            if accepting(&other) {
                accepts.insert(number);
            }
            let mut collector = EdgeCollector {
                store: self.store,
                index: &index,
                edges: Vec::new(),
                can_move: Movers::default(),
                patience: self.patience,
            };
            let mut walk = Walk::new(self.program.transitions.len(), self.rules);
            if walk.expand(&mut other, &mut collector, &mut Full) == Ended::Stopped {
                return None;
            }
            edges.push(collector.edges);
            can_move.push(collector.can_move);
        }
        let start = *index.get(&self.store.find(machine.state())?.0.0)?;
        let mut at = start;
        let mut tour: Vec<Edge> = Vec::new();
        let mut fair = can_move[start].complement();
        let mut accepted = accepts.contains(&start);
        while !accepted || !fair.is_all() {
            // The nearest state (or the edge into it) that brings something new.
            let part = shortest(&edges, at, |edge| {
                let gains = edge.movers.union(can_move[edge.to].complement());
                (!accepted && accepts.contains(&edge.to)) || !fair.contains(gains)
            })?;
            for edge in &part {
                fair = fair.union(edge.movers).union(can_move[edge.to].complement());
                accepted |= accepts.contains(&edge.to);
                at = edge.to;
                tour.push(*edge);
            }
        }
        if tour.is_empty() || at != start {
            tour.extend(shortest(&edges, at, |edge| edge.to == start)?);
        }
        other.load(machine.saved());
        let states: Vec<Vec<u8>> = tour.iter().map(|edge| self.store.state(self.states[edge.to])).collect();
        let edges = states.iter().zip(&tour).map(|(state, edge)| (state.as_slice(), edge.movers));
        steps_over(&mut other, self.rules, edges, self.patience)
    }
}

/// A shortest path of edges whose last one is wanted.
fn shortest(edges: &[Vec<Edge>], from: usize, wanted: impl Fn(&Edge) -> bool) -> Option<Vec<Edge>> {
    let mut before: HashMap<usize, (usize, Edge)> = HashMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &edge in &edges[at] {
            if wanted(&edge) {
                let mut path = vec![edge];
                let mut back = at;
                while back != from {
                    let &(previous, edge) = before.get(&back)?;
                    path.push(edge);
                    back = previous;
                }
                path.reverse();
                return Some(path);
            }
            if edge.to != from && !before.contains_key(&edge.to) {
                before.insert(edge.to, (at, edge));
                queue.push_back(edge.to);
            }
        }
    }
    None
}

struct EdgeCollector<'a, S> {
    store: &'a S,
    /// The states of the component, by handle.
    index: &'a HashMap<u64, usize>,
    edges: Vec<Edge>,
    can_move: Movers,
    patience: Patience<'a>,
}

impl<S: FindStore> Visitor for EdgeCollector<'_, S> {
    const WATCHES: bool = true;

    fn can_move(&mut self, movers: Movers, _: bool) {
        self.can_move = self.can_move.union(movers);
    }

    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let movers = walk.movers();
        if let Some((handle, _)) = self.store.find(machine.state())
            && let Some(&to) = self.index.get(&handle.0)
        {
            self.edges.push(Edge { to, movers });
        }
        Decision::Back
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        if self.patience.is_over(walk.memory()) { Control::Stop } else { Control::Continue }
    }
}

/// Searches for acceptance cycles of weakly fair runs, and for all that a depth-first search finds.
pub fn search<S: FindStore>(task: Task<'_, '_, '_>, store: &mut S, kind: CycleKind) -> Outcome {
    let (book, program) = (CycleBook { model: task.model, kind }, task.program);
    let (mut machine, mut walk, tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let mut visitor = Fair {
        book,
        program,
        store,
        tally,
        numbers: RapidHashMap::default(),
        hidden: RapidHashMap::default(),
        pending: Vec::new(),
        components: Vec::new(),
        path: Vec::new(),
        next: 0,
    };
    let ended = walk.run(&mut machine, &mut visitor, &mut Full);
    let tables = visitor.tables();
    let Fair { store, tally, .. } = visitor;
    let figures = StoreFigures { exact: S::EXACT, peak: store.statistics().peak, evicted: 0 };
    tally.close((&machine, &walk), ended, tables, None, figures)
}
