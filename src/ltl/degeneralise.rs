//! From marks on transitions to accepting states.
//!
//! The idea (Gastin and Oddoux, CAV 2001, section 4): copies of the automaton in levels, where level `i` waits for the `i`-th mark
//! and the last level is accepting; a transition climbs past as many marks as it has in their order. What differs (Giannakopoulou
//! and Lerda, FORTE 2002; Babiak and others, SPIN 2013): each strongly connected component has its own list of marks, without those
//! that all of its transitions have, so that a component in which every cycle accepts has one level; and as all copies of a state
//! have the same language, a transition between components of the result may lead to any copy, for which one in a last component
//! is taken, so that no copy is visited only on the way in.

use std::collections::HashMap;

use super::tgba::{Edge, Tgba};

/// Choices that do not change the language; which one gives the smallest automaton depends on the formula.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choices {
    /// Enter a component at its accepting level instead of its first one.
    pub enter_accepting: bool,
    /// Climb already on the transition that leaves the accepting level, and not only from the first level on.
    pub climb_at_once: bool,
}

impl Choices {
    pub(crate) const ALL: [Choices; 4] = [
        Choices { enter_accepting: false, climb_at_once: true },
        Choices { enter_accepting: true, climb_at_once: true },
        Choices { enter_accepting: false, climb_at_once: false },
        Choices { enter_accepting: true, climb_at_once: false },
    ];
}

/// The automaton with one mark that belongs to states. `order` lists the marks in the order in which to wait for them.
pub(super) fn degeneralise(automaton: &Tgba, order: &[u32], choices: Choices) -> Tgba {
    let components = automaton.components();
    // The marks to wait for in each component; `None` where no cycle accepts.
    let awaited: Vec<Option<Vec<u32>>> = (0..components.cyclic.len())
        .map(|component| {
            components.is_accepting(component, automaton.marks).then(|| {
                let every = components.every[component];
                order.iter().copied().filter(|mark| every >> mark & 1 == 0).collect()
            })
        })
        .collect();
    let entry = |state: usize| match &awaited[components.of[state]] {
        Some(list) if choices.enter_accepting || list.is_empty() => list.len(),
        _ => 0,
    };

    let start = (automaton.initial, entry(automaton.initial));
    let mut copies = vec![start];
    let mut number = HashMap::from([(start, 0)]);
    let mut states: Vec<Vec<Edge>> = Vec::new();
    while let Some(&(state, level)) = copies.get(states.len()) {
        let list = awaited[components.of[state]].as_deref();
        let is_accepting = list.is_some_and(|list| level == list.len());
        let mut edges = Vec::with_capacity(automaton.states[state].len());
        for edge in &automaton.states[state] {
            let next = match list {
                Some(list) if components.is_inner(state, edge) => {
                    let mut next = if is_accepting { 0 } else { level };
                    let may_climb = !is_accepting || choices.climb_at_once || list.is_empty();
                    while may_climb && list.get(next).is_some_and(|mark| edge.marks >> mark & 1 == 1) {
                        next += 1;
                    }
                    next
                }
                _ => entry(edge.target),
            };
            let copy = (edge.target, next);
            let fresh = number.len();
            let target = *number.entry(copy).or_insert_with(|| {
                copies.push(copy);
                fresh
            });
            edges.push(Edge { guard: edge.guard.clone(), marks: is_accepting as u64, target });
        }
        states.push(edges);
    }
    let mut result = Tgba { initial: 0, states, marks: 1, state_based: true };
    enter_last_components(&mut result, &copies);
    result.merge_parallel();
    result.keep_reachable();
    result
}

/// Leads every transition between components to the copy of its target that has the smallest component, which has no way out
/// to the other copies.
fn enter_last_components(automaton: &mut Tgba, copies: &[(usize, usize)]) {
    let components = automaton.components();
    let mut last: HashMap<usize, usize> = HashMap::new();
    for (copy, &(state, _)) in copies.iter().enumerate() {
        let best = last.entry(state).or_insert(copy);
        if components.of[copy] < components.of[*best] {
            *best = copy;
        }
    }
    for source in 0..automaton.states.len() {
        for edge in &mut automaton.states[source] {
            if components.of[edge.target] != components.of[source] {
                edge.target = last[&copies[edge.target].0];
            }
        }
    }
    automaton.initial = last[&copies[automaton.initial].0];
}
