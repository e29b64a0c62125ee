//! Formulas in negation normal form, shared and rewritten while they are built.
//!
//! The idea: a rule that makes the formula smaller, or moves an `X` or a fairness condition out of an `U`, is cheaper than any
//! reduction of the automaton later. The rules are those of Somenzi and Bloem (CAV 2000: syntactic implication) and of Etessami
//! and Holzmann (CONCUR 2000: pure eventuality and universality). Only the rules for `&&` and `U` are written down; those for
//! `||` and release are their duals and are reached by negation, which turns a node over in constant time.
//!
//! Every rule is an equivalence on infinite words, so it is sound wherever the formula stands. Cost: the implications asked for
//! are remembered per pair of nodes, so at worst quadratic in the number of nodes for each; a limit on the number of rewriting
//! steps keeps that small, after which nodes are only shared.

use std::collections::HashMap;

use super::formula::Formula;

/// Number of a node in its arena.
pub(super) type Id = u32;

/// A formula in negation normal form. Operands of `And` and `Or` are sorted and neither repeated nor of the same kind.
/// `<> p` is `true U p` and `[] p` is `false V p`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    True,
    False,
    Literal { atom: u32, positive: bool },
    And(Vec<Id>),
    Or(Vec<Id>),
    Next(Id),
    Until(Id, Id),
    Release(Id, Id),
}

pub(super) const TRUE: Id = 0;
pub(super) const FALSE: Id = 1;

/// Rewriting steps before the arena only shares nodes. Formulas written by people take a few hundred.
const STEPS: u32 = 20_000;

/// Implications looked into before all further ones are taken to be unknown.
const QUESTIONS: u32 = 100_000;

/// A formula's tree is not spelled out beyond this many nodes: sharing can make it exponentially larger than the arena.
const TREE_LIMIT: u64 = 100_000;

/// Which rules rewrite what is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Nodes are shared and constants vanish, nothing else.
    None,
    /// All but those that move a part out of an `U` or release: they can undo sharing, as in `<> (p || []<> q)`.
    Local,
    All,
}

pub(super) struct Arena {
    nodes: Vec<Node>,
    numbers: HashMap<Node, Id>,
    /// `negation[id]`, when it is known.
    negation: Vec<Option<Id>>,
    pub(super) implications: HashMap<(Id, Id), bool>,
    /// Implications that may still be looked into.
    pub(super) questions_left: u32,
    rules: Rules,
    steps_left: u32,
}

impl Arena {
    pub(crate) fn new(rules: Rules) -> Arena {
        let mut arena = Arena {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            negation: Vec::new(),
            implications: HashMap::new(),
            questions_left: QUESTIONS,
            rules,
            steps_left: if rules == Rules::None { 0 } else { STEPS },
        };
        arena.share(Node::True);
        arena.share(Node::False);
        arena
    }

    pub(crate) fn node(&self, id: Id) -> &Node {
        &self.nodes[id as usize]
    }

    fn share(&mut self, node: Node) -> Id {
        if let Some(&id) = self.numbers.get(&node) {
            return id;
        }
        let id = self.nodes.len() as Id;
        self.nodes.push(node.clone());
        self.negation.push(None);
        self.numbers.insert(node, id);
        id
    }

    /// The node of `formula`, or of its negation.
    pub(crate) fn import(&mut self, formula: &Formula, negated: bool) -> Id {
        self.import_shared(formula, negated, &mut HashMap::new())
    }

    /// `seen` keeps nested `<->`, where each side is needed in both polarities, from doubling the work at every level.
    fn import_shared(
        &mut self,
        formula: &Formula,
        negated: bool,
        seen: &mut HashMap<(*const Formula, bool), Id>,
    ) -> Id {
        use Formula::*;
        let key = (std::ptr::from_ref(formula), negated);
        if let Some(&id) = seen.get(&key) {
            return id;
        }
        let mut side =
            |arena: &mut Arena, inner: &Formula, flip: bool| arena.import_shared(inner, negated ^ flip, seen);
        let id = match formula {
            True | False => {
                if matches!(formula, True) != negated {
                    TRUE
                } else {
                    FALSE
                }
            }
            Atom(atom) => self.share(Node::Literal { atom: *atom, positive: !negated }),
            Not(inner) => side(self, inner, true),
            Next(inner) => {
                let inner = side(self, inner, false);
                self.next(inner)
            }
            And(left, right) | Or(left, right) | Implies(left, right) => {
                let left = side(self, left, matches!(formula, Implies(..)));
                let right = side(self, right, false);
                self.junction(matches!(formula, And(..)) != negated, vec![left, right])
            }
            Equiv(left, right) => {
                // (p && q) || (!p && !q), and its negation (p && !q) || (!p && q); `side` already flips by `negated`.
                let (p, not_p) = (side(self, left, negated), side(self, left, !negated));
                let (q, not_q) = (side(self, right, false), side(self, right, true));
                let both = self.and(vec![p, q]);
                let neither = self.and(vec![not_p, not_q]);
                self.or(vec![both, neither])
            }
            Until(left, right) | Release(left, right) => {
                let (left, right) = (side(self, left, false), side(self, right, false));
                if matches!(formula, Until(..)) != negated {
                    self.until(left, right)
                } else {
                    self.release(left, right)
                }
            }
            WeakUntil(left, right) => {
                // p W q is q V (p || q).
                let (left, right) = (side(self, left, false), side(self, right, false));
                let either = self.junction(negated, vec![left, right]);
                if negated { self.until(right, either) } else { self.release(right, either) }
            }
            Always(inner) | Eventually(inner) => {
                let inner = side(self, inner, false);
                if matches!(formula, Eventually(_)) != negated {
                    self.until(TRUE, inner)
                } else {
                    self.release(FALSE, inner)
                }
            }
        };
        seen.insert(key, id);
        id
    }

    /// The node as a formula, `None` when its tree is too large to be written out.
    pub(crate) fn export(&self, id: Id) -> Option<Formula> {
        let mut sizes: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            // Nodes are made bottom-up, so an operand is older than its node.
            let below = operands(node).into_iter().map(|inner| sizes[inner as usize]);
            sizes.push(below.fold(1, u64::saturating_add));
        }
        (sizes[id as usize] <= TREE_LIMIT).then(|| self.tree(id))
    }

    fn tree(&self, id: Id) -> Formula {
        let boxed = |inner: Id| Box::new(self.tree(inner));
        let chain = |list: &[Id], join: fn(Box<Formula>, Box<Formula>) -> Formula, none: Formula| {
            list.iter()
                .map(|&inner| self.tree(inner))
                .reduce(|left, right| join(Box::new(left), Box::new(right)))
                .unwrap_or(none)
        };
        match self.node(id) {
            Node::True => Formula::True,
            Node::False => Formula::False,
            Node::Literal { atom, positive: true } => Formula::Atom(*atom),
            Node::Literal { atom, positive: false } => Formula::Not(Box::new(Formula::Atom(*atom))),
            Node::And(list) => chain(list, Formula::And, Formula::True),
            Node::Or(list) => chain(list, Formula::Or, Formula::False),
            Node::Next(inner) => Formula::Next(boxed(*inner)),
            Node::Until(TRUE, right) => Formula::Eventually(boxed(*right)),
            Node::Until(left, right) => Formula::Until(boxed(*left), boxed(*right)),
            Node::Release(FALSE, right) => Formula::Always(boxed(*right)),
            Node::Release(left, right) => Formula::Release(boxed(*left), boxed(*right)),
        }
    }

    /// The negation, node by node: no rule is applied, so that it is its own inverse.
    pub(crate) fn negate(&mut self, id: Id) -> Id {
        if let Some(known) = self.negation[id as usize] {
            return known;
        }
        let all = |arena: &mut Arena, list: &[Id]| {
            let mut list: Vec<Id> = list.iter().map(|&inner| arena.negate(inner)).collect();
            list.sort_unstable();
            list
        };
        let opposite = match self.node(id).clone() {
            Node::True => Node::False,
            Node::False => Node::True,
            Node::Literal { atom, positive } => Node::Literal { atom, positive: !positive },
            Node::And(list) => Node::Or(all(self, &list)),
            Node::Or(list) => Node::And(all(self, &list)),
            Node::Next(inner) => Node::Next(self.negate(inner)),
            Node::Until(left, right) => Node::Release(self.negate(left), self.negate(right)),
            Node::Release(left, right) => Node::Until(self.negate(left), self.negate(right)),
        };
        let opposite = self.share(opposite);
        self.negation[id as usize] = Some(opposite);
        self.negation[opposite as usize] = Some(id);
        opposite
    }

    fn step(&mut self) -> bool {
        let may = self.steps_left > 0;
        self.steps_left = self.steps_left.saturating_sub(1);
        may
    }

    pub(crate) fn next(&mut self, inner: Id) -> Id {
        if inner == TRUE || inner == FALSE {
            return inner;
        }
        // What holds now exactly when it holds at every later time does not care for one step.
        if self.step() && self.is_eventual(inner) && self.is_universal(inner) {
            return inner;
        }
        self.share(Node::Next(inner))
    }

    fn junction(&mut self, conjunction: bool, list: Vec<Id>) -> Id {
        if conjunction { self.and(list) } else { self.or(list) }
    }

    pub(crate) fn or(&mut self, list: Vec<Id>) -> Id {
        let list = list.into_iter().map(|id| self.negate(id)).collect();
        let id = self.and(list);
        self.negate(id)
    }

    pub(crate) fn and(&mut self, list: Vec<Id>) -> Id {
        let mut parts: Vec<Id> = Vec::with_capacity(list.len());
        for id in list {
            match self.node(id) {
                Node::And(inner) => parts.extend(inner),
                Node::True => {}
                _ => parts.push(id),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        if parts.contains(&FALSE)
            || parts.iter().any(|&id| self.negation[id as usize].is_some_and(|not| parts.contains(&not)))
        {
            return FALSE;
        }
        if parts.len() > 1 && self.step() {
            let mut at = 0;
            while at < parts.len() {
                let one = parts[at];
                for &other in &parts {
                    let not_other = self.negate(other);
                    if other != one && self.implies(one, not_other) {
                        return FALSE;
                    }
                }
                if parts.iter().any(|&other| other != one && self.implies(other, one)) {
                    parts.remove(at);
                } else {
                    at += 1;
                }
            }
            if let Some(parts) = self.join_conjuncts(&parts) {
                return self.and(parts);
            }
        }
        match parts.as_slice() {
            [] => TRUE,
            [only] => *only,
            _ => self.share(Node::And(parts)),
        }
    }

    /// Two conjuncts made one, or one made shorter by another; `None` when no rule applies.
    fn join_conjuncts(&mut self, parts: &[Id]) -> Option<Vec<Id>> {
        for (at, &one) in parts.iter().enumerate() {
            for (offset, &other) in parts[at + 1..].iter().enumerate() {
                if let Some(joined) = self.joined(one, other) {
                    let mut rest = parts.to_vec();
                    rest.remove(at + 1 + offset);
                    rest[at] = joined;
                    return Some(rest);
                }
            }
            // p && (q || r), where p excludes q, is p && r.
            let Node::Or(choices) = self.node(one).clone() else {
                continue;
            };
            let mut left = choices.clone();
            left.retain(|&choice| {
                let not_choice = self.negate(choice);
                !parts.iter().any(|&other| other != one && self.implies(other, not_choice))
            });
            if left.len() < choices.len() {
                let mut rest = parts.to_vec();
                rest[at] = self.or(left);
                return Some(rest);
            }
        }
        None
    }

    fn joined(&mut self, one: Id, other: Id) -> Option<Id> {
        match (self.node(one).clone(), self.node(other).clone()) {
            (Node::Next(p), Node::Next(q)) => {
                let both = self.and(vec![p, q]);
                Some(self.next(both))
            }
            (Node::Release(p, q), Node::Release(r, s)) if p == r => {
                let both = self.and(vec![q, s]);
                Some(self.release(p, both))
            }
            (Node::Until(p, q), Node::Until(r, s)) if q == s => {
                let both = self.and(vec![p, r]);
                Some(self.until(both, q))
            }
            // <>[] p && <>[] q is <>[] (p && q).
            (Node::Until(TRUE, p), Node::Until(TRUE, q)) => match (self.node(p), self.node(q)) {
                (&Node::Release(FALSE, p), &Node::Release(FALSE, q)) => {
                    let both = self.and(vec![p, q]);
                    let always = self.release(FALSE, both);
                    Some(self.until(TRUE, always))
                }
                _ => None,
            },
            _ => None,
        }
    }

    pub(crate) fn release(&mut self, left: Id, right: Id) -> Id {
        let (left, right) = (self.negate(left), self.negate(right));
        let id = self.until(left, right);
        self.negate(id)
    }

    pub(crate) fn until(&mut self, mut left: Id, right: Id) -> Id {
        if right == TRUE || right == FALSE || left == FALSE {
            return right;
        }
        if !self.step() {
            return self.share(Node::Until(left, right));
        }
        if self.is_eventual(right) || self.implies(left, right) {
            return right;
        }
        let not_right = self.negate(right);
        if self.implies(not_right, left) {
            left = TRUE;
        }
        let hoist = self.rules == Rules::All;
        let before = if left == TRUE { Some(TRUE) } else { self.next_of(left) };
        match (self.node(left).clone(), self.node(right).clone()) {
            (_, Node::Next(inner)) if before.is_some() => {
                // X p U X q is X (p U q), and true is X true.
                let moved = self.until(before.unwrap_or(TRUE), inner);
                self.next(moved)
            }
            (_, Node::Until(p, _)) if self.implies(left, p) && left != TRUE => right,
            (Node::True, Node::Until(_, q)) => self.until(TRUE, q),
            (Node::Until(p, q), _) if q == right => self.until(p, q),
            (_, Node::Or(choices)) if hoist && choices.iter().any(|&choice| self.is_eventual(choice)) => {
                let (eventual, rest) = self.split(choices, |arena, id| arena.is_eventual(id));
                let rest = self.or(rest);
                let mut parts = eventual;
                parts.push(self.until(left, rest));
                self.or(parts)
            }
            (_, Node::And(parts))
                if hoist && parts.iter().any(|&part| self.is_eventual(part) && self.is_universal(part)) =>
            {
                let (timeless, rest) = self.split(parts, |arena, id| arena.is_eventual(id) && arena.is_universal(id));
                let rest = self.and(rest);
                let mut parts = timeless;
                parts.push(self.until(left, rest));
                self.and(parts)
            }
            _ => self.share(Node::Until(left, right)),
        }
    }

    fn next_of(&self, id: Id) -> Option<Id> {
        match self.node(id) {
            Node::Next(inner) => Some(*inner),
            _ => None,
        }
    }

    fn split(&self, list: Vec<Id>, test: impl Fn(&Arena, Id) -> bool) -> (Vec<Id>, Vec<Id>) {
        list.into_iter().partition(|&id| test(self, id))
    }
}

fn operands(node: &Node) -> Vec<Id> {
    match node {
        Node::True | Node::False | Node::Literal { .. } => Vec::new(),
        Node::And(list) | Node::Or(list) => list.clone(),
        Node::Next(inner) => vec![*inner],
        Node::Until(left, right) | Node::Release(left, right) => vec![*left, *right],
    }
}
