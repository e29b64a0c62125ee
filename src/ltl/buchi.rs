//! The Büchi automaton of a formula, as plain data.
//!
//! [`translate`] goes: rewrite the formula, build a generalised automaton, reduce it, turn marks into accepting states, reduce
//! again. Two of these steps have choices that no rule decides well (when to split a disjunction, in which order to wait for
//! marks); claims are small, so a few choices are tried and the smallest result is kept.

use std::fmt;

use super::alternating::Builder;
use super::degeneralise::{Choices, degeneralise};
use super::formula::Formula;
use super::guard::Guard;
use super::rewrite::{Arena, Rules};
use super::simulation::reduce;
use super::tgba::{Fill, Tgba};

/// Atoms are bits of a machine word in guards.
pub const ATOM_LIMIT: u32 = 64;

/// Formulas are walked by recursion; this depth is far from the end of a thread's stack and far beyond readable formulas.
pub const DEPTH_LIMIT: usize = 200;

/// A Büchi automaton: a word is accepted when some run over it, from `initial` at position 0, meets accepting states infinitely
/// often. A transition's guard is read on the letter of the position at which its source state stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    /// Number of the state in which every run begins.
    pub initial: usize,
    /// The states, by number.
    pub states: Vec<BuchiState>,
}

/// A state: at most one transition for each target, with a guard that some letter passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BuchiState {
    /// A run that meets it infinitely often accepts.
    pub accepting: bool,
    /// Guards, and the numbers of the states they lead to.
    pub transitions: Vec<(Guard, usize)>,
}

/// Why a formula has no automaton here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslateError {
    /// An atom's number is [`ATOM_LIMIT`] or more.
    TooManyAtoms,
    /// Operators nest deeper than [`DEPTH_LIMIT`].
    TooDeep,
    /// The automaton would have thousands of states.
    TooLarge,
}

impl fmt::Display for TranslateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TranslateError::TooManyAtoms => {
                write!(out, "the formula has more than {ATOM_LIMIT} different propositions")
            }
            TranslateError::TooDeep => {
                write!(out, "the formula nests deeper than {DEPTH_LIMIT} operators")
            }
            TranslateError::TooLarge => {
                write!(out, "the automaton of the formula would be too large")
            }
        }
    }
}

impl std::error::Error for TranslateError {}

/// The automaton of the words on which `formula` holds. To check a property, translate its negation.
pub fn translate(formula: &Formula) -> Result<Buchi, TranslateError> {
    if formula.max_atom().is_some_and(|atom| atom >= ATOM_LIMIT) {
        return Err(TranslateError::TooManyAtoms);
    }
    if formula.depth() > DEPTH_LIMIT {
        return Err(TranslateError::TooDeep);
    }
    let mut attempts = Attempts::default();
    for rules in [Rules::All, Rules::Local, Rules::None] {
        // A rule that helps most formulas hurts some; small automata are cheap to try without it.
        if attempts.best.as_ref().is_none_or(|best| best.states.len() <= RETRY_LIMIT) {
            attempts.translate(formula, Arena::new(rules));
        }
    }
    let mut automaton = attempts.best.ok_or(TranslateError::TooLarge)?;
    // Accepting states that lie on no cycle would only make a cycle search start for nothing.
    automaton.tidy(Fill::None);
    Ok(Buchi::from_marks(&automaton))
}

/// Other rewritings are tried while the automaton has no more states than this, and other choices within a rewriting while the
/// generalised automaton has no more than that: each costs time quadratic in the size.
const RETRY_LIMIT: usize = 20;
const CHOICE_LIMIT: usize = 64;

/// Automata of one formula: the smallest so far, and the generalised ones that need not be tried again.
#[derive(Default)]
struct Attempts {
    best: Option<Tgba>,
    general: Vec<Tgba>,
}

impl Attempts {
    fn translate(&mut self, formula: &Formula, mut arena: Arena) {
        let root = arena.import(formula, false);
        for split in [false, true] {
            let Ok(mut general) = Builder::new(&mut arena, split).build(root) else {
                continue;
            };
            reduce(&mut general);
            if self.general.contains(&general) {
                continue;
            }
            let is_large = general.states.len() > CHOICE_LIMIT;
            let take = if is_large { 1 } else { usize::MAX };
            for order in mark_orders(general.marks).iter().take(take) {
                for choices in Choices::ALL.into_iter().take(take) {
                    let mut automaton = degeneralise(&general, order, choices);
                    reduce(&mut automaton);
                    if self.best.as_ref().is_none_or(|best| automaton.size() < best.size()) {
                        self.best = Some(automaton);
                    }
                }
            }
            self.general.push(general);
        }
    }
}

/// Some orders of the marks: all when they are few, else the given one and its reverse.
fn mark_orders(marks: u64) -> Vec<Vec<u32>> {
    let list: Vec<u32> = (0..u64::BITS).filter(|mark| marks >> mark & 1 == 1).collect();
    if list.len() > 3 {
        return vec![list.clone(), list.into_iter().rev().collect()];
    }
    let mut orders = vec![Vec::new()];
    for mark in list {
        orders = (orders.iter())
            .flat_map(|order: &Vec<u32>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, mark);
                    longer
                })
            })
            .collect();
    }
    orders
}

impl Buchi {
    fn from_marks(automaton: &Tgba) -> Buchi {
        let states = (automaton.states.iter())
            .map(|edges| BuchiState {
                accepting: edges.first().is_some_and(|edge| edge.marks & automaton.marks != 0),
                transitions: edges.iter().map(|edge| (edge.guard.clone(), edge.target)).collect(),
            })
            .collect();
        Buchi { initial: automaton.initial, states }
    }

    /// Whether a state accepts everything: it is accepting and stays where it is on every letter. A search that reaches it has
    /// found a violation, whatever comes after.
    pub fn accepts_all(&self, state: usize) -> bool {
        self.states.get(state).is_some_and(|it| {
            it.accepting && it.transitions.iter().any(|(guard, target)| *target == state && guard.is_true())
        })
    }

    /// The states that accept everything.
    pub fn accept_all_states(&self) -> impl Iterator<Item = usize> {
        (0..self.states.len()).filter(|&state| self.accepts_all(state))
    }

    /// Whether every accepting run ends in a state that accepts everything. Then the words of the automaton are those with a
    /// certain finite beginning (a bad prefix, when the automaton is that of a negated property): the property is a safety
    /// property and no search for cycles is needed.
    pub fn accepts_by_prefix(&self) -> bool {
        (0..self.states.len()).all(|state| !self.states[state].accepting || self.accepts_all(state))
    }

    /// Whether no word is accepted: the initial state has no transition. Exact, as states without accepting runs are left out.
    pub fn is_empty(&self) -> bool {
        self.states.get(self.initial).is_none_or(|state| state.transitions.is_empty())
    }

    /// Number of transitions, one for each pair of states with a guard between them.
    pub fn transition_count(&self) -> usize {
        self.states.iter().map(|state| state.transitions.len()).sum()
    }
}
