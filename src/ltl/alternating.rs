//! From a formula to a generalised Büchi automaton, by way of a very weak alternating automaton.
//!
//! The idea (Gastin and Oddoux, CAV 2001, section 3): a state is a set of obligations, subformulas that must hold from here on.
//! Each obligation has moves: a cube that the letter must satisfy and the obligations it leaves for the next position. A set's
//! transitions are the products of its members' moves. Every `U` has a mark, and a transition has it when the `U` is not carried
//! on, or could have been fulfilled by a move within the transition.
//!
//! What differs from the paper: a disjunction below `X` stays one obligation, so that the choice is made a position later; and an
//! obligation `p` beside some `q V (.. && p && ..)` in the same set is left out of the set, after the marks were computed. The
//! second is sound because every move of the release makes one of `p` as well, which the copy left out can always repeat. It
//! keeps `[]<> p1 && .. && []<> pn` at one state instead of 2^n.
//!
//! Cost: at worst exponential in the formula, and limited: see [`super::TranslateError::TooLarge`].

use std::collections::HashMap;

use super::guard::{Cube, Guard};
use super::rewrite::{Arena, Id, Node};
use super::tgba::{Edge, Tgba};

/// A set of obligations: bit `i` is the `i`-th obligation met.
type Set = u128;

/// A letter's demand and the obligations for the next position.
type Move = (Cube, Set);

/// The limits of the construction. A formula written by a person stays below a tenth of them; the reductions that follow take
/// time quadratic in the states, which these keep to seconds.
const STATE_LIMIT: usize = 3_000;
const EDGE_LIMIT: usize = 60_000;
const MOVE_LIMIT: usize = 20_000;
const WORK_LIMIT: usize = 100_000_000;

pub(super) struct Builder<'a> {
    arena: &'a mut Arena,
    /// Node of each obligation, and back.
    obligations: Vec<Id>,
    number: HashMap<Id, u32>,
    moves: HashMap<Id, Vec<Move>>,
    /// Comparisons of moves that may still be made.
    work_left: usize,
    /// Split a disjunction below `X` at once, as the paper does.
    split: bool,
}

/// The construction met one of its limits.
#[derive(Debug)]
pub(super) struct LimitReached;

impl<'a> Builder<'a> {
    pub(crate) fn new(arena: &'a mut Arena, split: bool) -> Builder<'a> {
        Builder {
            arena,
            obligations: Vec::new(),
            number: HashMap::new(),
            moves: HashMap::new(),
            work_left: WORK_LIMIT,
            split,
        }
    }

    /// The automaton of the words on which `root` holds.
    pub(crate) fn build(mut self, root: Id) -> Result<Tgba, LimitReached> {
        // Compute the moves first: they name every obligation and so every mark.
        let start = self.conjuncts(root)?;
        let mut at = 0;
        while let Some(&id) = self.obligations.get(at) {
            self.moves_of(id)?;
            at += 1;
        }
        let untils: Vec<usize> = (0..self.obligations.len())
            .filter(|&at| matches!(self.arena.node(self.obligations[at]), Node::Until(..)))
            .collect();
        if untils.len() > 64 {
            return Err(LimitReached);
        }
        let marks = if untils.len() == 64 { u64::MAX } else { (1u64 << untils.len()) - 1 };
        let repeated = self.repeated();
        let watched = self.watched(&untils);

        let mut automaton = Tgba { initial: 0, states: Vec::new(), marks, state_based: false };
        let mut sets = vec![start];
        let mut state_of = HashMap::from([(start, 0)]);
        // States whose transitions are the same are one; a set is expanded only to find its transitions.
        let mut alike: HashMap<Vec<Edge>, usize> = HashMap::new();
        let mut same_as: Vec<usize> = Vec::new();
        let mut edges_made = 0;
        while let Some(&set) = sets.get(automaton.states.len()) {
            let mut edges = Vec::new();
            for (cube, next, marks) in self.transitions(set, &untils, watched)? {
                let next = without_repeated(next, &repeated);
                let fresh = state_of.len();
                let target = *state_of.entry(next).or_insert_with(|| {
                    sets.push(next);
                    fresh
                });
                edges.push(Edge {
                    guard: Guard { cubes: vec![cube] },
                    marks,
                    target: *same_as.get(target).unwrap_or(&target),
                });
            }
            edges.sort_by_key(|edge| (edge.target, edge.marks, edge.guard.cubes[0]));
            edges.dedup();
            let state = automaton.states.len();
            let same = *alike.entry(edges.clone()).or_insert(state);
            same_as.push(same);
            edges_made += edges.len();
            automaton.states.push(if same == state { edges } else { Vec::new() });
            if sets.len() > STATE_LIMIT || edges_made > EDGE_LIMIT {
                return Err(LimitReached);
            }
        }
        for edge in automaton.states.iter_mut().flatten() {
            edge.target = same_as[edge.target];
        }
        automaton.keep_reachable();
        Ok(automaton)
    }

    fn obligation(&mut self, id: Id) -> Result<Set, LimitReached> {
        let at = match self.number.get(&id) {
            Some(&at) => at,
            None => {
                let at = self.obligations.len() as u32;
                if at >= Set::BITS {
                    return Err(LimitReached);
                }
                self.obligations.push(id);
                self.number.insert(id, at);
                at
            }
        };
        Ok(1 << at)
    }

    /// The set that stands for a formula: its conjuncts.
    fn conjuncts(&mut self, id: Id) -> Result<Set, LimitReached> {
        match self.arena.node(id).clone() {
            Node::True => Ok(0),
            Node::And(list) => list.into_iter().try_fold(0, |set, inner| Ok(set | self.obligation(inner)?)),
            _ => self.obligation(id),
        }
    }

    /// The sets that stand for a formula at the next position; more than one only when disjunctions are split.
    fn alternatives(&mut self, id: Id) -> Result<Vec<Set>, LimitReached> {
        match self.arena.node(id).clone() {
            Node::False => Ok(Vec::new()),
            Node::Or(list) if self.split => {
                let mut all = Vec::new();
                for inner in list {
                    all.extend(self.alternatives(inner)?);
                }
                Ok(all)
            }
            _ => Ok(vec![self.conjuncts(id)?]),
        }
    }

    fn moves_of(&mut self, id: Id) -> Result<Vec<Move>, LimitReached> {
        if let Some(known) = self.moves.get(&id) {
            return Ok(known.clone());
        }
        let moves = match self.arena.node(id).clone() {
            Node::True => vec![(Cube::TRUE, 0)],
            Node::False => Vec::new(),
            Node::Literal { atom, positive } => {
                let bit = 1u64.checked_shl(atom).ok_or(LimitReached)?;
                let (positive, negative) = if positive { (bit, 0) } else { (0, bit) };
                vec![(Cube { positive, negative }, 0)]
            }
            Node::And(list) => {
                let mut moves = vec![(Cube::TRUE, 0)];
                for inner in list {
                    moves = product(&moves, &self.moves_of(inner)?)?;
                }
                moves
            }
            Node::Or(list) => {
                let mut moves = Vec::new();
                for inner in list {
                    moves.extend(self.moves_of(inner)?);
                    if moves.len() > MOVE_LIMIT {
                        return Err(LimitReached);
                    }
                }
                moves
            }
            Node::Next(inner) => (self.alternatives(inner)?.into_iter()).map(|set| (Cube::TRUE, set)).collect(),
            Node::Until(left, right) => {
                let stay = self.obligation(id)?;
                let mut moves = self.moves_of(right)?;
                moves.extend(product(&self.moves_of(left)?, &[(Cube::TRUE, stay)])?);
                moves
            }
            Node::Release(left, right) => {
                let stay = self.obligation(id)?;
                let mut leave = self.moves_of(left)?;
                leave.push((Cube::TRUE, stay));
                product(&self.moves_of(right)?, &leave)?
            }
        };
        let moves = self.undominated(moves, (Cube::TRUE, 0))?;
        self.moves.insert(id, moves.clone());
        Ok(moves)
    }

    /// For each release, the conjuncts of its right side: obligations whose moves are among its own.
    fn repeated(&self) -> Vec<(Set, Set)> {
        let mut repeated = Vec::new();
        for (at, &id) in self.obligations.iter().enumerate() {
            let &Node::Release(_, body) = self.arena.node(id) else {
                continue;
            };
            let parts = match self.arena.node(body) {
                Node::And(list) => list.clone(),
                _ => vec![body],
            };
            let known = parts.iter().filter_map(|part| self.number.get(part));
            repeated.push((1 << at, known.fold(0, |set: Set, &part| set | 1 << part)));
        }
        repeated
    }

    /// All literals and obligations that can decide whether a transition has a mark: those of moves that fulfil an `U`.
    fn watched(&self, untils: &[usize]) -> Move {
        let mut watched = (Cube::TRUE, 0);
        for &until in untils {
            let moves = self.moves[&self.obligations[until]].iter();
            for (cube, next) in moves.filter(|(_, next)| next >> until & 1 == 0) {
                watched.0.positive |= cube.positive;
                watched.0.negative |= cube.negative;
                watched.1 |= next;
            }
        }
        watched
    }

    /// Drops moves that demand more of the letter and leave more obligations than another one, unless they have something `watched`
    /// that the other has not: a mark could depend on it.
    fn undominated(&mut self, mut moves: Vec<Move>, watched: Move) -> Result<Vec<Move>, LimitReached> {
        moves.sort_by_key(|(cube, set)| (set.count_ones() + (cube.positive | cube.negative).count_ones(), *cube, *set));
        moves.dedup();
        let mut kept: Vec<Move> = Vec::with_capacity(moves.len());
        for (cube, set) in moves {
            self.work_left = self.work_left.checked_sub(kept.len()).ok_or(LimitReached)?;
            let same_watched = |other: &Cube, left: Set| {
                cube.positive & watched.0.positive & !other.positive == 0
                    && cube.negative & watched.0.negative & !other.negative == 0
                    && set & watched.1 & !left == 0
            };
            if !kept.iter().any(|(other, left)| other.contains(&cube) && left & !set == 0 && same_watched(other, *left))
            {
                kept.push((cube, set));
            }
        }
        Ok(kept)
    }

    /// The transitions of a set with their marks; none that another one makes superfluous.
    fn transitions(
        &mut self,
        set: Set,
        untils: &[usize],
        watched: Move,
    ) -> Result<Vec<(Cube, Set, u64)>, LimitReached> {
        let mut moves = vec![(Cube::TRUE, 0)];
        for at in (0..self.obligations.len()).filter(|at| set >> at & 1 == 1) {
            moves = product(&moves, &self.moves_of(self.obligations[at])?)?;
            moves = self.undominated(moves, watched)?;
        }
        let mut transitions: Vec<(Cube, Set, u64)> = Vec::with_capacity(moves.len());
        for (cube, next) in moves {
            let mut marks = 0;
            for (mark, &until) in untils.iter().enumerate() {
                let stays = |next: Set| next >> until & 1 == 1;
                let own = &self.moves[&self.obligations[until]];
                let fulfilled = |&(own_cube, own_next): &Move| {
                    !stays(own_next) && own_cube.contains(&cube) && own_next & !next == 0
                };
                if !stays(next) || own.iter().any(fulfilled) {
                    marks |= 1 << mark;
                }
            }
            transitions.push((cube, next, marks));
        }
        transitions.sort_by_key(|&(cube, next, marks)| {
            let literals = (cube.positive | cube.negative).count_ones();
            (next.count_ones(), literals, std::cmp::Reverse(marks.count_ones()), cube, next)
        });
        let mut kept: Vec<(Cube, Set, u64)> = Vec::with_capacity(transitions.len());
        for (cube, next, marks) in transitions {
            let superfluous = kept.iter().any(|(other_cube, other_next, other_marks)| {
                other_cube.contains(&cube) && other_next & !next == 0 && marks & !other_marks == 0
            });
            if !superfluous {
                kept.push((cube, next, marks));
            }
        }
        Ok(kept)
    }
}

fn without_repeated(set: Set, repeated: &[(Set, Set)]) -> Set {
    // A conjunct is smaller than its release, so whatever is left out goes back to something that stays.
    let left_out = repeated.iter().filter(|(release, _)| set & release != 0).fold(0, |all, (_, parts)| all | parts);
    set & !left_out
}

fn product(left: &[Move], right: &[Move]) -> Result<Vec<Move>, LimitReached> {
    let mut all = Vec::with_capacity(left.len() * right.len().min(16));
    for (left_cube, left_set) in left {
        for (right_cube, right_set) in right {
            if let Some(cube) = left_cube.and(right_cube) {
                all.push((cube, left_set | right_set));
            }
        }
        if all.len() > MOVE_LIMIT {
            return Err(LimitReached);
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
