//! Generalised Büchi automata with acceptance marks on transitions, and their strongly connected components.
//!
//! A run is accepting when it takes transitions of every mark infinitely often. A Büchi automaton with accepting states is the
//! case of one mark that all transitions leaving an accepting state carry (`state_based`), so every reduction is written once.
//!
//! `tidy` leaves out what no accepting run uses and makes marks canonical: they matter only on cycles, so a transition between
//! components may carry any, a component without an accepting cycle needs none, and a component in which every cycle has a mark
//! may carry it everywhere. Sound because an accepting run stays in one component from some point on. Linear in the automaton
//! for each mark.

use super::guard::{Cube, Guard};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Edge {
    pub guard: Guard,
    /// Bit `i`: the transition has mark `i`.
    pub marks: u64,
    pub target: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tgba {
    pub initial: usize,
    pub states: Vec<Vec<Edge>>,
    /// Bit `i`: mark `i` exists.
    pub marks: u64,
    /// The marks belong to states: all transitions from one state carry the same.
    pub state_based: bool,
}

/// Which marks a transition that lies on no cycle is given: both are right, and either may make more states alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    None,
    All,
}

/// The strongly connected components of an automaton.
pub(super) struct Components {
    /// The component of each state; numbered so that a transition never leads to a larger number.
    pub of: Vec<usize>,
    /// For each component, the marks on its inner transitions: those on some, and those on all.
    pub some: Vec<u64>,
    pub every: Vec<u64>,
    /// Whether a component has a cycle.
    pub cyclic: Vec<bool>,
}

impl Components {
    pub(crate) fn is_inner(&self, source: usize, edge: &Edge) -> bool {
        self.of[source] == self.of[edge.target]
    }

    /// Whether a component has an accepting cycle.
    pub(crate) fn is_accepting(&self, component: usize, marks: u64) -> bool {
        self.cyclic[component] && self.some[component] & marks == marks
    }
}

impl Tgba {
    /// States and transitions: the measure that the reductions bring down.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.states.len(), self.states.iter().map(Vec::len).sum())
    }

    pub(crate) fn components(&self) -> Components {
        let successors: Vec<Vec<usize>> =
            self.states.iter().map(|edges| edges.iter().map(|edge| edge.target).collect()).collect();
        let (of, count) = strongly_connected(&successors);
        let mut components =
            Components { of, some: vec![0; count], every: vec![u64::MAX; count], cyclic: vec![false; count] };
        for (source, edges) in self.states.iter().enumerate() {
            for edge in edges {
                if components.is_inner(source, edge) {
                    let component = components.of[source];
                    components.some[component] |= edge.marks;
                    components.every[component] &= edge.marks;
                    components.cyclic[component] = true;
                }
            }
        }
        components
    }

    /// Keeps what an accepting run can use and makes the marks canonical, with `fill` where they do not matter.
    pub(crate) fn tidy(&mut self, fill: Fill) {
        let components = self.components();
        let accepting: Vec<bool> =
            (0..components.cyclic.len()).map(|component| components.is_accepting(component, self.marks)).collect();
        // A component's successors have smaller numbers, so one pass in that order sees them first.
        let mut useful = accepting.clone();
        let mut order: Vec<usize> = (0..self.states.len()).collect();
        order.sort_by_key(|&state| components.of[state]);
        for &state in &order {
            if self.states[state].iter().any(|edge| useful[components.of[edge.target]]) {
                useful[components.of[state]] = true;
            }
        }
        let saturated: Vec<u64> = (0..accepting.len())
            .map(|component| if accepting[component] { components.every[component] & self.marks } else { 0 })
            .collect();
        let saturated = self.unavoidable(&components, &accepting, saturated);
        let free = if fill == Fill::All { self.marks } else { 0 };
        for (source, edges) in self.states.iter_mut().enumerate() {
            let component = components.of[source];
            edges.retain(|edge| useful[components.of[edge.target]]);
            for edge in edges.iter_mut() {
                let on_cycle = if self.state_based {
                    components.cyclic[component]
                } else {
                    components.of[edge.target] == component
                };
                edge.marks = match (on_cycle, accepting[component]) {
                    (false, _) => free,
                    (true, false) => 0,
                    (true, true) => edge.marks | saturated[component],
                };
            }
        }
        self.merge_parallel();
        self.keep_reachable();
    }

    /// Adds to `known` each mark that every cycle of an accepting component has.
    fn unavoidable(&self, components: &Components, accepting: &[bool], mut known: Vec<u64>) -> Vec<u64> {
        for bit in (0..64).map(|at| 1u64 << at).filter(|bit| self.marks & bit != 0) {
            let without: Vec<Vec<usize>> = (self.states.iter().enumerate())
                .map(|(source, edges)| {
                    edges
                        .iter()
                        .filter(|edge| edge.marks & bit == 0 && components.is_inner(source, edge))
                        .map(|edge| edge.target)
                        .collect()
                })
                .collect();
            let (of, _) = strongly_connected(&without);
            let mut has_cycle = vec![false; known.len()];
            for (source, targets) in without.iter().enumerate() {
                if targets.iter().any(|&target| of[target] == of[source]) {
                    has_cycle[components.of[source]] = true;
                }
            }
            for (component, has_cycle) in has_cycle.into_iter().enumerate() {
                if accepting[component] && !has_cycle {
                    known[component] |= bit;
                }
            }
        }
        known
    }

    /// One transition for each target and set of marks, and none for letters that the same target has with more marks.
    pub(crate) fn merge_parallel(&mut self) {
        for edges in &mut self.states {
            edges.sort_by_key(|edge| (edge.target, std::cmp::Reverse(edge.marks.count_ones()), edge.marks));
            let mut merged: Vec<(usize, u64, Vec<Cube>)> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..) {
                match merged.last_mut() {
                    Some((target, marks, cubes)) if *target == edge.target && *marks == edge.marks => {
                        cubes.extend(edge.guard.cubes);
                    }
                    _ => merged.push((edge.target, edge.marks, edge.guard.cubes)),
                }
            }
            for (target, marks, cubes) in merged {
                let guard = Guard::of(cubes);
                let better: Vec<Cube> = edges
                    .iter()
                    .filter(|other: &&Edge| other.target == target && marks & !other.marks == 0)
                    .flat_map(|other| other.guard.cubes.iter().copied())
                    .collect();
                let kept: Vec<Cube> =
                    (guard.cubes.into_iter()).filter(|cube| !super::guard::covers(&better, cube)).collect();
                if !kept.is_empty() {
                    edges.push(Edge { guard: Guard { cubes: kept }, marks, target });
                }
            }
        }
    }

    /// Renumbers the states that the initial one reaches, breadth first, and drops the others.
    pub(crate) fn keep_reachable(&mut self) {
        let mut number = vec![usize::MAX; self.states.len()];
        let mut order = vec![self.initial];
        number[self.initial] = 0;
        let mut at = 0;
        while let Some(&state) = order.get(at) {
            for edge in &self.states[state] {
                if number[edge.target] == usize::MAX {
                    number[edge.target] = order.len();
                    order.push(edge.target);
                }
            }
            at += 1;
        }
        self.states = order.iter().map(|&state| std::mem::take(&mut self.states[state])).collect();
        for edge in self.states.iter_mut().flatten() {
            edge.target = number[edge.target];
        }
        self.initial = 0;
    }
}

/// Tarjan's components (1972), without recursion. A component's number is larger than those it leads to.
pub(super) fn strongly_connected(successors: &[Vec<usize>]) -> (Vec<usize>, usize) {
    const NEW: usize = usize::MAX;
    let mut of = vec![NEW; successors.len()];
    let mut index = vec![NEW; successors.len()];
    let mut low = vec![0; successors.len()];
    let (mut next_index, mut count) = (0, 0);
    let mut stack = Vec::new();
    for root in 0..successors.len() {
        if index[root] != NEW {
            continue;
        }
        let mut path = vec![(root, 0)];
        while let Some(top) = path.last_mut() {
            let state = top.0;
            if top.1 == 0 {
                index[state] = next_index;
                low[state] = next_index;
                next_index += 1;
                stack.push(state);
            }
            if let Some(&target) = successors[state].get(top.1) {
                top.1 += 1;
                if index[target] == NEW {
                    path.push((target, 0));
                } else if of[target] == NEW {
                    low[state] = low[state].min(index[target]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[state]);
            }
            if low[state] == index[state] {
                while let Some(member) = stack.pop() {
                    of[member] = count;
                    if member == state {
                        break;
                    }
                }
                count += 1;
            }
        }
    }
    (of, count)
}
