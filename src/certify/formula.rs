//! Formulas of linear temporal logic, by what they ask of the present and of the future.
//!
//! A run satisfies a formula if it can go on for ever with obligations that are all met. A set of formulas that must hold from now on
//! is taken apart into what must hold now, which is looked up in the state, and what must hold from the next state on; that
//! is the set with which the run goes on. `a U b` may be put off: then `a` holds now and the formula is an
//! obligation for the next state. A run that puts the same formula off for ever does not satisfy it. The idea is Couvreur's
//! ("On-the-fly verification of linear temporal logic", 1999), without any of the simplifications that make automata small.

use super::run::{OUTSIDE, Run};
use crate::syntax::tree::{Formula as Tree, FormulaKind, FormulaOp, Temporal};
use std::collections::BTreeSet;

/// A formula of a [`Formulas`], by number.
pub type Id = usize;

/// Formulas that must hold from some state on.
pub type Obligations = BTreeSet<Id>;

/// A formula in which only atoms are negated.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Formula {
    True,
    False,
    /// The part without temporal operators of this number holds; or with `false` it does not.
    Atom(usize, bool),
    And(Id, Id),
    Or(Id, Id),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

/// A formula with all its parts.
#[derive(Clone, Debug)]
pub struct Formulas {
    all: Vec<Formula>,
    atoms: Vec<Tree>,
    /// The whole.
    top: Id,
}

/// One way to meet the obligations in a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Way {
    /// What is to be met from the next state on.
    pub next: Obligations,
    /// Formulas `a U b` that were put off.
    pub put_off: BTreeSet<Id>,
}

impl Formulas {
    /// The negation of a property: what a run that violates the property satisfies.
    pub fn against(property: &Tree) -> Formulas {
        let mut formulas = Formulas { all: Vec::new(), atoms: Vec::new(), top: 0 };
        formulas.top = formulas.read(property, false);
        formulas
    }

    /// What a run has to meet from its first state on.
    pub fn start(&self) -> Obligations {
        BTreeSet::from([self.top])
    }

    /// All formulas that can be put off.
    pub fn promises(&self) -> impl Iterator<Item = Id> + '_ {
        (0..self.all.len()).filter(|&id| matches!(self.all[id], Formula::Until(..)))
    }

    fn add(&mut self, formula: Formula) -> Id {
        self.all.iter().position(|known| *known == formula).unwrap_or_else(|| {
            self.all.push(formula);
            self.all.len() - 1
        })
    }

    /// The formula, or with `holds` false its negation.
    fn read(&mut self, tree: &Tree, holds: bool) -> Id {
        if is_predicate(tree) {
            self.atoms.push(tree.clone());
            return self.add(Formula::Atom(self.atoms.len() - 1, holds));
        }
        match &tree.kind {
            FormulaKind::Atom(_) => self.add(Formula::True),
            FormulaKind::Not(inner) => self.read(inner, !holds),
            FormulaKind::Unary(operator, inner) => {
                let inner = self.read(inner, holds);
                match (operator, holds) {
                    (Temporal::Next, _) => self.add(Formula::Next(inner)),
                    (Temporal::Always, true) | (Temporal::Eventually, false) => {
                        let never = self.add(Formula::False);
                        self.add(Formula::Release(never, inner))
                    }
                    (Temporal::Eventually, true) | (Temporal::Always, false) => {
                        let always = self.add(Formula::True);
                        self.add(Formula::Until(always, inner))
                    }
                }
            }
            FormulaKind::Binary(operator, left, right) => self.binary(*operator, left, right, holds),
        }
    }

    fn binary(&mut self, operator: FormulaOp, left: &Tree, right: &Tree, holds: bool) -> Id {
        match operator {
            FormulaOp::And | FormulaOp::Or => {
                let (a, b) = (self.read(left, holds), self.read(right, holds));
                self.add(if (operator == FormulaOp::And) == holds { Formula::And(a, b) } else { Formula::Or(a, b) })
            }
            FormulaOp::Implies => {
                let (a, b) = (self.read(left, !holds), self.read(right, holds));
                self.add(if holds { Formula::Or(a, b) } else { Formula::And(a, b) })
            }
            FormulaOp::Equivalent => {
                // Both or neither; for the negation one without the other.
                let (a, not_a) = (self.read(left, true), self.read(left, false));
                let (b, not_b) = (self.read(right, holds), self.read(right, !holds));
                let (one, other) = (self.add(Formula::And(a, b)), self.add(Formula::And(not_a, not_b)));
                self.add(Formula::Or(one, other))
            }
            FormulaOp::Until | FormulaOp::Release => {
                let (a, b) = (self.read(left, holds), self.read(right, holds));
                let until = (operator == FormulaOp::Until) == holds;
                self.add(if until { Formula::Until(a, b) } else { Formula::Release(a, b) })
            }
            FormulaOp::WeakUntil => {
                // `b` releases `a || b`; the negation of that is `!b` until `!a && !b`.
                let (a, b) = (self.read(left, holds), self.read(right, holds));
                let either = self.add(if holds { Formula::Or(a, b) } else { Formula::And(a, b) });
                self.add(if holds { Formula::Release(b, either) } else { Formula::Until(b, either) })
            }
        }
    }

    /// All ways to meet the obligations in a state.
    pub fn ways(&self, run: &Run<'_>, obligations: &Obligations) -> BTreeSet<Way> {
        let mut ways = BTreeSet::new();
        let way = Way { next: BTreeSet::new(), put_off: BTreeSet::new() };
        // Parts that stand further to the left have smaller numbers; the last of the list is met first.
        self.expand(run, obligations.iter().rev().copied().collect(), way, &mut ways);
        ways
    }

    /// An atom is met, or its negation.
    fn is_met(&self, run: &Run<'_>, atom: Id) -> bool {
        matches!(self.all[atom], Formula::Atom(atom, wanted) if holds(run, &self.atoms[atom]) == wanted)
    }

    /// `now`: what is still to be met in this state.
    fn expand(&self, run: &Run<'_>, mut now: Vec<Id>, mut way: Way, ways: &mut BTreeSet<Way>) {
        while let Some(id) = now.pop() {
            match self.all[id] {
                Formula::True => {}
                Formula::False => return,
                Formula::Atom(..) => {
                    if !self.is_met(run, id) {
                        return;
                    }
                }
                // The left one first: what stands to its right may be an error where it does not hold.
                Formula::And(a, b) => now.extend([b, a]),
                // With what holds here already there is nothing more to be met, and the right one is not asked.
                Formula::Or(a, b) if matches!(self.all[a], Formula::Atom(..)) => {
                    if !self.is_met(run, a) {
                        now.push(b);
                    }
                }
                Formula::Or(a, b) => {
                    let other = [now.as_slice(), &[b]].concat();
                    self.expand(run, other, way.clone(), ways);
                    now.push(a);
                }
                Formula::Next(a) => {
                    way.next.insert(a);
                }
                Formula::Until(a, b) => {
                    let fulfilled = [now.as_slice(), &[b]].concat();
                    self.expand(run, fulfilled, way.clone(), ways);
                    now.push(a);
                    way.next.insert(id);
                    way.put_off.insert(id);
                }
                Formula::Release(a, b) => {
                    let released = [now.as_slice(), &[a, b]].concat();
                    self.expand(run, released, way.clone(), ways);
                    now.push(b);
                    way.next.insert(id);
                }
            }
        }
        ways.insert(way);
    }
}

/// No temporal operator in it?
fn is_predicate(tree: &Tree) -> bool {
    match &tree.kind {
        FormulaKind::Atom(_) => true,
        FormulaKind::Not(inner) => is_predicate(inner),
        FormulaKind::Unary(..) => false,
        FormulaKind::Binary(operator, left, right) => {
            let plain = !matches!(operator, FormulaOp::Until | FormulaOp::WeakUntil | FormulaOp::Release);
            plain && is_predicate(left) && is_predicate(right)
        }
    }
}

/// The value of a formula without temporal operators, from left to right: `i < 3 && a[i] == 0` does not ask for `a[5]`.
fn holds(run: &Run<'_>, tree: &Tree) -> bool {
    match &tree.kind {
        FormulaKind::Atom(atom) => run.value(OUTSIDE, atom) != 0,
        FormulaKind::Not(inner) => !holds(run, inner),
        FormulaKind::Unary(_, inner) => holds(run, inner),
        FormulaKind::Binary(operator, left, right) => match operator {
            FormulaOp::And => holds(run, left) && holds(run, right),
            FormulaOp::Implies => !holds(run, left) || holds(run, right),
            FormulaOp::Equivalent => holds(run, left) == holds(run, right),
            _ => holds(run, left) || holds(run, right),
        },
    }
}
