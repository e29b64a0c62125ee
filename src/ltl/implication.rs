//! What can be told of a formula from its syntax: implications, pure eventualities, pure universalities.
//!
//! Syntactic implication is that of Somenzi and Bloem (CAV 2000), with the pure formulas of Etessami and Holzmann (CONCUR 2000)
//! added to its rules. It is sound and far from complete: `true` is a proof, `false` says nothing. Answers are remembered, so
//! that all questions together cost at most the square of the number of nodes.

use super::rewrite::{Arena, FALSE, Id, Node, TRUE};

impl Arena {
    /// Pure eventuality: once it holds at a later time, it holds now.
    pub(crate) fn is_eventual(&self, id: Id) -> bool {
        match self.node(id) {
            Node::True | Node::False | Node::Until(TRUE, _) => true,
            Node::Literal { .. } => false,
            Node::And(list) | Node::Or(list) => list.iter().all(|&inner| self.is_eventual(inner)),
            Node::Next(inner) | Node::Until(_, inner) => self.is_eventual(*inner),
            Node::Release(left, right) => self.is_eventual(*left) && self.is_eventual(*right),
        }
    }

    /// Pure universality: once it holds, it holds at every later time.
    pub(crate) fn is_universal(&self, id: Id) -> bool {
        match self.node(id) {
            Node::True | Node::False | Node::Release(FALSE, _) => true,
            Node::Literal { .. } => false,
            Node::And(list) | Node::Or(list) => list.iter().all(|&inner| self.is_universal(inner)),
            Node::Next(inner) | Node::Release(_, inner) => self.is_universal(*inner),
            Node::Until(left, right) => self.is_universal(*left) && self.is_universal(*right),
        }
    }

    /// Syntactic implication: `true` only when every word of `left` is a word of `right`.
    pub(crate) fn implies(&mut self, left: Id, right: Id) -> bool {
        if left == right || left == FALSE || right == TRUE {
            return true;
        }
        if left == TRUE || right == FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(left, right)) {
            return known;
        }
        let Some(left_over) = self.questions_left.checked_sub(1) else {
            return false;
        };
        self.questions_left = left_over;
        let (from, to) = (self.node(left).clone(), self.node(right).clone());
        let answer =
            self.implies_by_left(&from, right) || self.implies_by_right(left, &to) || self.implies_by_both(&from, &to);
        self.implications.insert((left, right), answer);
        answer
    }

    fn implies_by_left(&mut self, from: &Node, right: Id) -> bool {
        match from {
            Node::Or(list) => list.iter().all(|&inner| self.implies(inner, right)),
            Node::And(list) => list.iter().any(|&inner| self.implies(inner, right)),
            Node::Until(p, q) => self.implies(*q, right) && (self.is_eventual(right) || self.implies(*p, right)),
            Node::Release(_, q) => self.implies(*q, right),
            Node::Next(inner) => self.is_eventual(right) && self.implies(*inner, right),
            _ => false,
        }
    }

    fn implies_by_right(&mut self, left: Id, to: &Node) -> bool {
        match to {
            Node::And(list) => list.iter().all(|&inner| self.implies(left, inner)),
            Node::Or(list) => list.iter().any(|&inner| self.implies(left, inner)),
            Node::Release(p, q) => self.implies(left, *q) && (self.is_universal(left) || self.implies(left, *p)),
            Node::Until(_, q) => self.implies(left, *q),
            Node::Next(inner) => self.is_universal(left) && self.implies(left, *inner),
            _ => false,
        }
    }

    fn implies_by_both(&mut self, from: &Node, to: &Node) -> bool {
        match (from, to) {
            (Node::Until(p, q), Node::Until(r, s)) | (Node::Release(p, q), Node::Release(r, s)) => {
                self.implies(*p, *r) && self.implies(*q, *s)
            }
            (Node::Next(p), Node::Next(q)) => self.implies(*p, *q),
            _ => false,
        }
    }
}
