//! Measures of a state graph, as the papers define them.
//!
//! - *Level*: distance from the initial state in transitions; the number of the last level is what the disk papers call
//!   the diameter.
//! - *In-degree* (hub-states paper, Definition 2): transitions that lead to a state, labels counted.
//! - *Density* (Definition 3 with Δ = 1/20): entry k is the share of states whose in-degree lies in
//!   `((k-1)Δ M, kΔ M]`, where M is the largest in-degree. Only the initial state can have in-degree 0; it is then in
//!   no interval, so the entries may sum to a little less than 1.
//! - *Span* of a transition: level of its target less level of its source, at most 1. A transition is k-local if its
//!   span is between -k and k (transition locality, the papers' reason why caches work).

use super::explore::Graph;
use super::scc::{Components, components};
use serde::Serialize;
use std::collections::BTreeMap;

/// Intervals of the density.
pub(crate) const INTERVALS: usize = 20;

/// "Much higher than the average": a state with at least so many times the mean in-degree is called a hub. The paper
/// gives no number; an order of magnitude is ours.
pub(crate) const HUB_FACTOR: f64 = 10.0;

/// A distribution over whole numbers.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Degrees {
    /// Average.
    pub mean: f64,
    /// Standard deviation.
    pub deviation: f64,
    /// Largest.
    pub max: u64,
    /// How many states have each degree that occurs, ascending: `[degree, states]`.
    pub distribution: Vec<(u64, u64)>,
}

/// A state that many transitions lead to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Hub {
    /// Number in order of discovery.
    #[serde(skip)]
    pub number: usize,
    /// Transitions that lead to it.
    pub in_degree: u64,
    /// Its level.
    pub level: u32,
    /// The state in words; set by whoever knows the model.
    pub state: String,
}

/// All measures.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(crate) struct Shape {
    /// States.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
    /// States of each level.
    pub levels: Vec<u64>,
    /// Number of the last level.
    pub diameter: u64,
    /// Transitions that leave a state.
    pub out_degree: Degrees,
    /// States that nothing leaves.
    pub terminal_states: u64,
    /// Transitions that lead to a state.
    pub in_degree: Degrees,
    /// Definition 3, for k = 1 to 20.
    pub in_degree_density: Vec<f64>,
    /// States with at least [`HUB_FACTOR`] times the mean in-degree.
    pub hub_count: u64,
    /// Those with the highest in-degrees, in descending order.
    pub hubs: Vec<Hub>,
    /// Transitions of each span that occurs, ascending: `[span, transitions]`.
    pub spans: Vec<(i64, u64)>,
    /// Share of transitions whose span is -1, 0 or 1.
    pub local: f64,
    /// Strongly connected components.
    pub components: Components,
}

impl Shape {
    /// Measures a graph; lists up to `hubs` states of the highest in-degree.
    pub(crate) fn of(graph: &Graph, hubs: usize) -> Shape {
        let states = graph.len();
        let mut in_degrees = vec![0u32; states];
        let mut spans = BTreeMap::<i64, u64>::new();
        for source in 0..graph.expanded() {
            let level = i64::from(graph.levels[source]);
            for &target in graph.successors(source) {
                in_degrees[target as usize] = in_degrees[target as usize].saturating_add(1);
                *spans.entry(i64::from(graph.levels[target as usize]) - level).or_default() += 1;
            }
        }
        let out_degree = degrees((0..graph.expanded()).map(|state| graph.successors(state).len() as u64));
        let in_degree = degrees(in_degrees.iter().map(|&degree| u64::from(degree)));
        let transitions = graph.targets.len() as u64;
        let local: u64 = spans.range(-1..=1).map(|(_, count)| count).sum();
        let bound = (in_degree.mean * HUB_FACTOR).max(1.0);
        let mut levels = vec![0u64; graph.levels.last().map_or(0, |&last| last as usize + 1)];
        for &level in &graph.levels {
            levels[level as usize] += 1;
        }
        Shape {
            states: states as u64,
            transitions,
            diameter: levels.len().saturating_sub(1) as u64,
            levels,
            terminal_states: out_degree.distribution.first().filter(|(d, _)| *d == 0).map_or(0, |(_, states)| *states),
            out_degree,
            in_degree_density: density(&in_degrees, in_degree.max),
            hub_count: in_degrees.iter().filter(|&&degree| f64::from(degree) >= bound).count() as u64,
            hubs: highest(graph, &in_degrees, hubs),
            in_degree,
            spans: spans.into_iter().collect(),
            local: if transitions > 0 { local as f64 / transitions as f64 } else { 1.0 },
            components: components(graph),
        }
    }

    /// The widest level and its states.
    pub(crate) fn widest(&self) -> (usize, u64) {
        // The first of equals.
        let found = self.levels.iter().enumerate().rev().max_by_key(|(_, states)| **states);
        found.map_or((0, 0), |(level, states)| (level, *states))
    }

    /// The longest way back: how many levels, 0 if no transition leads back.
    pub(crate) fn longest_back(&self) -> u64 {
        self.spans.first().map_or(0, |(span, _)| span.min(&0).unsigned_abs())
    }
}

fn degrees(values: impl Iterator<Item = u64>) -> Degrees {
    let mut distribution = BTreeMap::<u64, u64>::new();
    for value in values {
        *distribution.entry(value).or_default() += 1;
    }
    let count: u64 = distribution.values().sum();
    let sum: f64 = distribution.iter().map(|(value, count)| *value as f64 * *count as f64).sum();
    let mean = sum / count.max(1) as f64;
    let square: f64 = distribution.iter().map(|(v, n)| (*v as f64 - mean).powi(2) * *n as f64).sum();
    Degrees {
        mean,
        deviation: (square / count.max(1) as f64).sqrt(),
        max: distribution.last_key_value().map_or(0, |(value, _)| *value),
        distribution: distribution.into_iter().collect(),
    }
}

/// Definition 3. In whole numbers: k is the least with `degree * 20 <= k * max`.
fn density(in_degrees: &[u32], max: u64) -> Vec<f64> {
    let mut counts = [0u64; INTERVALS];
    for &degree in in_degrees {
        if degree > 0 && max > 0 {
            let k = (u64::from(degree) * INTERVALS as u64).div_ceil(max);
            counts[(k as usize - 1).min(INTERVALS - 1)] += 1;
        }
    }
    counts.iter().map(|&count| count as f64 / in_degrees.len().max(1) as f64).collect()
}

fn highest(graph: &Graph, in_degrees: &[u32], wanted: usize) -> Vec<Hub> {
    let mut numbers: Vec<u32> = (0..in_degrees.len() as u32).collect();
    // Ties in order of discovery, so that the list is the same everywhere.
    let key = |&number: &u32| (std::cmp::Reverse(in_degrees[number as usize]), number);
    let wanted = wanted.min(numbers.len());
    if wanted < numbers.len() {
        numbers.select_nth_unstable_by_key(wanted, key);
        numbers.truncate(wanted);
    }
    numbers.sort_unstable_by_key(key);
    let hub = |number: u32| {
        let number = number as usize;
        let in_degree = u64::from(in_degrees[number]);
        Hub { number, in_degree, level: graph.levels[number], state: String::new() }
    };
    numbers.into_iter().map(hub).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1 (twice), 0 → 2, 1 → 3, 2 → 3, 3 → 0, 3 → 3, 3 → 4; 4 ends.
    fn diamond() -> Graph {
        Graph { levels: vec![0, 1, 1, 2, 3], offsets: vec![0, 3, 4, 5, 8, 8], targets: vec![1, 1, 2, 3, 3, 0, 3, 4] }
    }

    #[test]
    fn measures_a_graph_by_hand() {
        let shape = Shape::of(&diamond(), 2);
        assert_eq!((shape.states, shape.transitions, shape.diameter), (5, 8, 3));
        assert_eq!(shape.levels, [1, 2, 1, 1]);
        assert_eq!(shape.widest(), (1, 2));
        // in-degrees 1, 2, 1, 3, 1; out-degrees 3, 1, 1, 3, 0
        assert_eq!(shape.in_degree.distribution, [(1, 3), (2, 1), (3, 1)]);
        assert_eq!(shape.out_degree.distribution, [(0, 1), (1, 2), (3, 2)]);
        assert_eq!((shape.in_degree.mean, shape.in_degree.max, shape.terminal_states), (1.6, 3, 1));
        // 1/3 of the maximum lies in (0.30, 0.35], 2/3 in (0.65, 0.70], 1 in (0.95, 1]
        let mut density = [0.0; 20];
        (density[6], density[13], density[19]) = (0.6, 0.2, 0.2);
        assert_eq!(shape.in_degree_density, density);
        assert_eq!(shape.hubs.iter().map(|hub| (hub.number, hub.in_degree)).collect::<Vec<_>>(), [(3, 3), (1, 2)]);
        // 0→1 0→1 0→2 1→3 2→3 3→4 span 1; 3→3 span 0; 3→0 span -2
        assert_eq!(shape.spans, [(-2, 1), (0, 1), (1, 6)]);
        assert_eq!((shape.local, shape.longest_back()), (0.875, 2));
        assert_eq!(shape.components, Components { count: 2, largest: 4, cyclic: 1, terminal: 1 });
    }

    #[test]
    fn exact_multiples_fall_into_the_closed_end() {
        // in-degree 1 of at most 20 is exactly 1/20: interval 1, not 2
        let density = density(&[0, 1, 20, 2], 20);
        assert_eq!((density[0], density[1], density[19]), (0.25, 0.25, 0.25));
    }

    #[test]
    fn an_empty_graph_has_a_shape() {
        let shape = Shape::of(&Graph { offsets: vec![0], ..Graph::default() }, 10);
        assert_eq!((shape.states, shape.diameter, shape.widest()), (0, 0, (0, 0)));
        assert!(shape.in_degree.mean == 0.0 && shape.local == 1.0);
    }
}
