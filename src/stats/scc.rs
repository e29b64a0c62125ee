//! Strongly connected components: Tarjan's algorithm without recursion, since a path may be millions of states long.
//!
//! Each state is pushed and popped once, each transition looked at once: O(states + transitions), 16 bytes a state.

use super::explore::Graph;
use serde::Serialize;

/// What is worth knowing about the components.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(crate) struct Components {
    /// All of them, single states included.
    pub count: u64,
    /// States of the largest.
    pub largest: u64,
    /// Those with a cycle: more than one state, or a state that leads to itself.
    pub cyclic: u64,
    /// Those that no transition leaves: a run ends up in one of them.
    pub terminal: u64,
}

const UNSEEN: u32 = u32::MAX;

/// Finds the components.
pub(crate) fn components(graph: &Graph) -> Components {
    let states = graph.len();
    let mut found = Components::default();
    // Order of discovery of each state, and the earliest it reaches within its component.
    let mut order = vec![UNSEEN; states];
    let mut low = vec![0u32; states];
    // `order` is set to this when the component is complete: later arrivals must not take it for one on the stack.
    let mut done = vec![false; states];
    let mut open: Vec<u32> = Vec::new();
    // The path: state and how many of its successors were looked at.
    let mut path: Vec<(u32, u32)> = Vec::new();
    let mut clock = 0;
    for root in 0..states as u32 {
        if order[root as usize] != UNSEEN {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (state, ref mut next)) = path.last_mut() {
            let at = state as usize;
            if order[at] == UNSEEN {
                order[at] = clock;
                low[at] = clock;
                clock += 1;
                open.push(state);
            }
            let successors = graph.successors(at);
            if let Some(&target) = successors.get(*next as usize) {
                *next += 1;
                let to = target as usize;
                if order[to] == UNSEEN {
                    path.push((target, 0));
                } else if !done[to] {
                    low[at] = low[at].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == order[at] {
                close(graph, state, &mut open, &mut done, &mut low, &mut found);
            }
        }
    }
    found
}

/// The states above `root` on the open stack are a component.
fn close(graph: &Graph, root: u32, open: &mut Vec<u32>, done: &mut [bool], low: &mut [u32], found: &mut Components) {
    let start = open.iter().rposition(|&state| state == root).unwrap_or(0);
    // While it is being looked at, `low` serves as the mark of this component; nobody reads it again.
    let mark = found.count as u32;
    for &state in &open[start..] {
        done[state as usize] = true;
        low[state as usize] = mark;
    }
    let inside = |state: u32| done[state as usize] && low[state as usize] == mark;
    let mut leaves = false;
    let mut cycle = open.len() - start > 1;
    for &state in &open[start..] {
        for &target in graph.successors(state as usize) {
            leaves |= !inside(target);
            cycle |= target == state;
        }
    }
    found.count += 1;
    found.largest = found.largest.max((open.len() - start) as u64);
    found.cyclic += u64::from(cycle);
    found.terminal += u64::from(!leaves);
    open.truncate(start);
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn graph(successors: &[&[u32]]) -> Graph {
        let mut graph = Graph { offsets: vec![0], ..Graph::default() };
        for targets in successors {
            graph.levels.push(0);
            graph.targets.extend_from_slice(targets);
            graph.offsets.push(graph.targets.len());
        }
        graph
    }

    #[test]
    fn finds_the_components_of_small_graphs() {
        assert_eq!(components(&graph(&[])), Components::default());
        assert_eq!(components(&graph(&[&[]])), Components { count: 1, largest: 1, cyclic: 0, terminal: 1 });
        assert_eq!(components(&graph(&[&[0]])), Components { count: 1, largest: 1, cyclic: 1, terminal: 1 });
        // 0 -> {1,2,3} cycle -> 4 -> 5 with itself; 4 -> 6 which ends
        let example = graph(&[&[1], &[2], &[3], &[1, 4], &[5, 6], &[5], &[]]);
        assert_eq!(components(&example), Components { count: 5, largest: 3, cyclic: 2, terminal: 2 });
        // a cross edge back into a component that is complete must not join it
        let example = graph(&[&[1, 3], &[2], &[1], &[4], &[4, 1]]);
        assert_eq!(components(&example), Components { count: 4, largest: 2, cyclic: 2, terminal: 1 });
        // a longer way round joins all
        let example = graph(&[&[1, 3], &[2, 0], &[1], &[4], &[4, 1]]);
        assert_eq!(components(&example), Components { count: 1, largest: 5, cyclic: 1, terminal: 1 });
    }

    #[test]
    fn a_long_path_needs_no_stack() {
        let length = 300_000;
        let chain: Vec<Vec<u32>> = (0..length).map(|n| if n + 1 < length { vec![n + 1] } else { vec![0] }).collect();
        let slices: Vec<&[u32]> = chain.iter().map(Vec::as_slice).collect();
        let found = components(&graph(&slices));
        assert_eq!(found, Components { count: 1, largest: u64::from(length), cyclic: 1, terminal: 1 });
    }

    /// Against the definition: two states are together if each reaches the other.
    #[test]
    fn agrees_with_reachability_on_random_graphs() {
        use rand::{Rng, SeedableRng};
        let mut random = rand::rngs::SmallRng::seed_from_u64(7);
        for _ in 0..200 {
            let n = random.random_range(1..9usize);
            let edges: Vec<Vec<u32>> = (0..n)
                .map(|_| (0..random.random_range(0..3)).map(|_| random.random_range(0..n as u32)).collect())
                .collect();
            let mut reach = vec![vec![false; n]; n];
            for (from, targets) in edges.iter().enumerate() {
                for &to in targets {
                    reach[from][to as usize] = true;
                }
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        reach[i][j] |= reach[i][k] && reach[k][j];
                    }
                }
            }
            let together = |a: usize, b: usize| a == b || (reach[a][b] && reach[b][a]);
            let first: Vec<usize> = (0..n).filter(|&a| (0..a).all(|b| !together(a, b))).collect();
            let size = |a: usize| (0..n).filter(|&b| together(a, b)).count() as u64;
            let expected = Components {
                count: first.len() as u64,
                largest: first.iter().map(|&a| size(a)).max().unwrap_or(0),
                cyclic: first.iter().filter(|&&a| reach[a][a]).count() as u64,
                terminal: first.iter().filter(|&&a| (0..n).all(|b| !reach[a][b] || together(a, b))).count() as u64,
            };
            let slices: Vec<&[u32]> = edges.iter().map(Vec::as_slice).collect();
            assert_eq!(components(&graph(&slices)), expected, "{edges:?}");
        }
    }
}
