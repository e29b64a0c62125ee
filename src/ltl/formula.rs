//! Formulas of linear temporal logic over numbered atoms.
//!
//! The caller keeps the Promela expression behind each number. `U` is the strong until, `V` (release) is its dual, so that
//! `p V q` is `!(!p U !q)`: `q` holds up to and including the first `p`, or for ever. `p W q` is `[] p || (p U q)`.

use std::fmt;

use super::rewrite::{Arena, Rules};

/// A formula; an atom is a number that the caller gave a meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// `true`.
    True,
    /// `false`.
    False,
    /// What the caller has given this number.
    Atom(u32),
    /// `! f`.
    Not(Box<Formula>),
    /// `f && g`.
    And(Box<Formula>, Box<Formula>),
    /// `f || g`.
    Or(Box<Formula>, Box<Formula>),
    /// `f -> g`.
    Implies(Box<Formula>, Box<Formula>),
    /// `f <-> g`.
    Equiv(Box<Formula>, Box<Formula>),
    /// `X f`: at the next position.
    Next(Box<Formula>),
    /// `f U g`: g will hold, and f holds until then.
    Until(Box<Formula>, Box<Formula>),
    /// `f V g`: g holds up to the position at which f holds too, or for ever.
    Release(Box<Formula>, Box<Formula>),
    /// `f W g`: f holds until g does, or for ever.
    WeakUntil(Box<Formula>, Box<Formula>),
    /// `[] f`.
    Always(Box<Formula>),
    /// `<> f`.
    Eventually(Box<Formula>),
}

/// The operands of a formula: none, one or two.
pub(super) enum Operands<'a> {
    None,
    One(&'a Formula),
    Two(&'a Formula, &'a Formula),
}

impl Formula {
    pub(super) fn operands(&self) -> Operands<'_> {
        use Formula::*;
        match self {
            True | False | Atom(_) => Operands::None,
            Not(one) | Next(one) | Always(one) | Eventually(one) => Operands::One(one),
            And(left, right)
            | Or(left, right)
            | Implies(left, right)
            | Equiv(left, right)
            | Until(left, right)
            | Release(left, right)
            | WeakUntil(left, right) => Operands::Two(left, right),
        }
    }

    /// Every subformula with its depth below this one, in no particular order; iterative, so that depth is no danger.
    pub(super) fn subformulas(&self) -> impl Iterator<Item = (&Formula, usize)> {
        let mut open = vec![(self, 1)];
        std::iter::from_fn(move || {
            let (formula, depth) = open.pop()?;
            match formula.operands() {
                Operands::None => {}
                Operands::One(one) => open.push((one, depth + 1)),
                Operands::Two(left, right) => open.extend([(left, depth + 1), (right, depth + 1)]),
            }
            Some((formula, depth))
        })
    }

    /// Whether the formula is stutter-invariant because no `X` occurs in it (Lamport 1983). A formula with `X` may still be,
    /// which is not looked for. Only for a stutter-invariant formula may the search leave interleavings out.
    pub fn is_stutter_invariant_syntactically(&self) -> bool {
        !self.subformulas().any(|(formula, _)| matches!(formula, Formula::Next(_)))
    }

    /// How deep operators nest; a lone atom has depth 1.
    pub fn depth(&self) -> usize {
        self.subformulas().map(|(_, depth)| depth).max().unwrap_or(0)
    }

    /// The largest atom, if there is an atom.
    pub fn max_atom(&self) -> Option<u32> {
        self.subformulas()
            .filter_map(|(formula, _)| match formula {
                Formula::Atom(atom) => Some(*atom),
                _ => None,
            })
            .max()
    }

    /// `!self`, without a double negation.
    pub fn negated(self) -> Formula {
        match self {
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The negation normal form: negations only before atoms, and `->`, `<->` and `W` spelled out. Only constants are
    /// rewritten. `None` when that would be huge: nested `<->` double at every level.
    pub fn nnf(&self) -> Option<Formula> {
        let mut arena = Arena::new(Rules::None);
        let root = arena.import(self, false);
        arena.export(root)
    }

    /// An equivalent formula in negation normal form, rewritten to be easy to translate (see `rewrite.rs`);
    /// `None` when it would be huge.
    pub fn simplified(&self) -> Option<Formula> {
        let mut arena = Arena::new(Rules::All);
        let root = arena.import(self, false);
        arena.export(root)
    }

    /// The formula as text, with `atom` to name the atoms.
    pub fn display<'a, D: fmt::Display>(&'a self, atom: impl Fn(u32) -> D + 'a) -> impl fmt::Display + 'a {
        Shown { formula: self, atom }
    }
}

struct Shown<'a, F> {
    formula: &'a Formula,
    atom: F,
}

impl<D: fmt::Display, F: Fn(u32) -> D> fmt::Display for Shown<'_, F> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self.formula, &self.atom, out)
    }
}

/// Every operand that is not an atom or unary is put in parentheses: the two dialects of SPIN group differently.
fn show<D: fmt::Display>(formula: &Formula, atom: &impl Fn(u32) -> D, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    use Formula::*;
    let symbol = match formula {
        True => return out.write_str("true"),
        False => return out.write_str("false"),
        Atom(number) => return write!(out, "{}", atom(*number)),
        Not(_) => "!",
        Next(_) => "X ",
        Always(_) => "[] ",
        Eventually(_) => "<> ",
        And(..) => "&&",
        Or(..) => "||",
        Implies(..) => "->",
        Equiv(..) => "<->",
        Until(..) => "U",
        Release(..) => "V",
        WeakUntil(..) => "W",
    };
    let operand = |inner: &Formula, out: &mut fmt::Formatter<'_>| {
        if matches!(inner.operands(), Operands::Two(..)) {
            out.write_str("(")?;
            show(inner, atom, out)?;
            out.write_str(")")
        } else {
            show(inner, atom, out)
        }
    };
    match formula.operands() {
        Operands::None => Ok(()),
        Operands::One(inner) => {
            out.write_str(symbol)?;
            operand(inner, out)
        }
        Operands::Two(left, right) => {
            operand(left, out)?;
            write!(out, " {symbol} ")?;
            operand(right, out)
        }
    }
}
