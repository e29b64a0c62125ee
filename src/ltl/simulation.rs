//! Reduction of automata by simulation.
//!
//! The idea (Somenzi and Bloem, CAV 2000; Etessami, Wilke and Schuller, SIAM J. Comput. 2005): state `q` simulates `p` when it can
//! answer every move of `p`, letter by letter, with at least the same marks, and go on doing so. States that simulate each other
//! are one state, and a transition is superfluous when another one from the same state has its letters, its marks and a target
//! that simulates its target. Read backwards over incoming transitions the same holds, if only the initial state answers for the
//! initial state (Clemente and Mayr, POPL 2013, for the pruning).
//!
//! Sound for direct simulation: an answering run has at every position the marks of the run it answers. Forward and backward are
//! used one after the other, never at once, since the two prunings together are not sound. Cost: the relation is refined to its
//! greatest fixpoint by plain rounds, at worst quartic in the states; claims have few states and large automata are left alone.

use super::guard::{Cube, Guard, covers};
use super::tgba::{Edge, Fill, Tgba};

/// Automata with more states than this are not compared pair by pair: beyond it the time would exceed that of most searches.
const STATE_LIMIT: usize = 300;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// Reduces until neither direction nor the choice of immaterial marks makes the automaton smaller.
pub(super) fn reduce(automaton: &mut Tgba) {
    automaton.tidy(Fill::None);
    loop {
        let before = automaton.size();
        for fill in [Fill::All, Fill::None] {
            automaton.tidy(fill);
            if automaton.states.len() <= STATE_LIMIT {
                reduce_in(automaton, Direction::Forward);
                reduce_in(automaton, Direction::Backward);
            }
        }
        automaton.tidy(Fill::None);
        if automaton.size() >= before {
            return;
        }
    }
}

fn reduce_in(automaton: &mut Tgba, direction: Direction) {
    automaton.keep_reachable();
    let graph = match direction {
        Direction::Forward => automaton.states.clone(),
        Direction::Backward => reversed(&automaton.states),
    };
    let relation = Relation::greatest(&graph, |state, other| match direction {
        Direction::Forward => true,
        Direction::Backward => {
            let marks = |state: usize| automaton.states[state].first().map_or(0, |edge| edge.marks);
            let keeps_marks = !automaton.state_based || marks(state) & !marks(other) == 0;
            keeps_marks && (state != automaton.initial || other == automaton.initial)
        }
    });
    let representative: Vec<usize> = (0..graph.len())
        .map(|state| {
            (0..state).find(|&other| relation.holds(state, other) && relation.holds(other, state)).unwrap_or(state)
        })
        .collect();
    let mut reduced = Tgba {
        initial: representative[automaton.initial],
        states: graph,
        marks: automaton.marks,
        state_based: automaton.state_based,
    };
    for (state, edges) in reduced.states.iter_mut().enumerate() {
        if representative[state] != state {
            edges.clear();
        }
        for edge in edges.iter_mut() {
            edge.target = representative[edge.target];
        }
    }
    reduced.merge_parallel();
    for edges in &mut reduced.states {
        prune(edges, &relation);
    }
    if direction == Direction::Backward {
        reduced.states = reversed(&reduced.states);
    }
    reduced.keep_reachable();
    *automaton = reduced;
}

/// Drops what a better transition of the same state does. Targets are pairwise inequivalent here and there is one transition for
/// each target and set of marks, so "better" is a strict order and all can be dropped at once.
fn prune(edges: &mut Vec<Edge>, relation: &Relation) {
    let kept: Vec<Edge> = edges
        .iter()
        .filter_map(|edge| {
            let better: Vec<Cube> = edges
                .iter()
                .filter(|other| (other.target, other.marks) != (edge.target, edge.marks))
                .filter(|other| edge.marks & !other.marks == 0 && relation.holds(edge.target, other.target))
                .flat_map(|other| other.guard.cubes.iter().copied())
                .collect();
            let cubes: Vec<Cube> = (edge.guard.cubes.iter().copied()).filter(|cube| !covers(&better, cube)).collect();
            (!cubes.is_empty()).then(|| Edge { guard: Guard { cubes }, ..edge.clone() })
        })
        .collect();
    *edges = kept;
}

fn reversed(states: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut graph = vec![Vec::new(); states.len()];
    for (source, edges) in states.iter().enumerate() {
        for edge in edges {
            graph[edge.target].push(Edge { target: source, ..edge.clone() });
        }
    }
    graph
}

/// A relation between the states of an automaton.
struct Relation {
    count: usize,
    pairs: Vec<bool>,
}

impl Relation {
    /// Whether `other` simulates `state`.
    fn holds(&self, state: usize, other: usize) -> bool {
        self.pairs[state * self.count + other]
    }

    /// The largest simulation inside `allowed`.
    fn greatest(graph: &[Vec<Edge>], allowed: impl Fn(usize, usize) -> bool) -> Relation {
        let count = graph.len();
        let pairs = (0..count * count).map(|pair| allowed(pair / count, pair % count)).collect();
        let mut relation = Relation { count, pairs };
        let mut changed = true;
        while changed {
            changed = false;
            for state in 0..count {
                for other in 0..count {
                    if state != other && relation.holds(state, other) && !relation.answers(&graph[state], &graph[other])
                    {
                        relation.pairs[state * count + other] = false;
                        changed = true;
                    }
                }
            }
        }
        relation
    }

    /// Whether every move among `moves` has an answer among `answers` for each of its letters.
    fn answers(&self, moves: &[Edge], answers: &[Edge]) -> bool {
        moves.iter().all(|edge| {
            let cubes: Vec<Cube> = answers
                .iter()
                .filter(|answer| edge.marks & !answer.marks == 0 && self.holds(edge.target, answer.target))
                .flat_map(|answer| answer.guard.cubes.iter().copied())
                .collect();
            edge.guard.cubes.iter().all(|cube| covers(&cubes, cube))
        })
    }
}
