//! Tables about pairs of instances. For each move of the first instance a row tells which moves of the second may depend on
//! it; for each reason for which a move of the first is blocked a row tells which moves of the second could end that reason.
//! A row has one bit per move of the second. The rows of a pair are made when the pair is first met.
//!
//! Both kinds of closed sets are built from these rows: [`super::persistent`] folds them over everything that a process can
//! still come to, [`super::stubborn`] takes them move by move. Sound if the dependence relation is.

use super::claims::ChannelClaim;
use super::dependence::{Dependence, StateView};
use super::enabling::{Reason, reasons};
use super::footprint::{Flags, Footprint, Operation, Validity, Value};
use super::relate::{Answer, evaluate};
use crate::model::Model;

/// Rows of bits.
#[derive(Clone, Debug, Default)]
pub struct Table {
    width: usize,
    words: Vec<u64>,
}

impl Table {
    /// A table without rows for this many columns.
    pub fn new(columns: usize) -> Table {
        Table { width: columns.div_ceil(64), words: Vec::new() }
    }

    /// Adds a row with these bits set.
    pub fn push(&mut self, bits: impl Iterator<Item = usize>) {
        let start = self.words.len();
        self.words.resize(start + self.width, 0);
        bits.for_each(|bit| self.words[start + bit / 64] |= 1 << (bit % 64));
    }

    /// One bit.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> bool {
        self.words[row * self.width + column / 64] >> (column % 64) & 1 == 1
    }

    /// A row, 64 bits in a word.
    #[inline]
    pub fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..(row + 1) * self.width]
    }

    /// Bytes.
    pub fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    /// How many rows.
    pub fn rows(&self) -> usize {
        self.words.len().checked_div(self.width).unwrap_or(0)
    }
}

/// What moves of one instance mean to those of another.
#[derive(Clone, Debug, Default)]
pub struct PairSets {
    /// Row: a transition of the first. The moves of the second that may depend on it, or be the other side of it.
    pub conflicts: Table,
    /// Row: a reason of the first. The moves of the second that could end it.
    pub enablers: Table,
    /// The same rows for channels that a process claims for itself. Only filled where claims are believed.
    pub unclaimed: Table,
}

/// Bytes of a pair beside its rows, about.
pub(super) const PLACE: usize = 128;

/// The rows of all pairs that were met, and what they are made from.
pub struct Pairs<'m> {
    /// The relation.
    pub dependence: Dependence<'m>,
    /// By process type and transition: why it may be blocked.
    pub reasons: Vec<Vec<Vec<Reason>>>,
    /// By process type and transition: number of its first reason among all of the process type.
    pub first_reason: Vec<Vec<usize>>,
    /// By process type: the instance that stands for processes yet to be made.
    pub generics: Vec<usize>,
    /// `xr` and `xs` are believed.
    pub trusting: bool,
    sets: Vec<Vec<Option<Box<PairSets>>>>,
    generation: u64,
    /// Bytes of the rows.
    pub memory: usize,
}

impl<'m> Pairs<'m> {
    /// Rows from this relation; `trusting`: believe `xr` and `xs`.
    pub fn new(model: &'m Model, dependence: Dependence<'m>, trusting: bool) -> Pairs<'m> {
        let reasons = reasons(model, &dependence.flow);
        let starts = |list: &Vec<Vec<Reason>>| {
            let mut next = 0;
            let start = |reasons: &Vec<Reason>| {
                next += reasons.len();
                next - reasons.len()
            };
            list.iter().map(start).collect()
        };
        let first_reason = reasons.iter().map(starts).collect();
        let mut pairs = Pairs {
            dependence,
            reasons,
            first_reason,
            generics: Vec::new(),
            trusting: trusting && model.proctypes.iter().any(|proctype| !proctype.exclusive.is_empty()),
            sets: Vec::new(),
            generation: 0,
            memory: 0,
        };
        pairs.find_generics();
        pairs
    }

    fn find_generics(&mut self) {
        self.generics = (0..self.reasons.len()).map(|p| self.dependence.generic(p)).collect();
    }

    /// Takes note of the processes of a state; true if instances have got new numbers.
    pub fn refresh(&mut self, view: &impl StateView) -> bool {
        self.dependence.refresh(view);
        let renumbered = self.generation != self.dependence.generation();
        if renumbered {
            self.generation = self.dependence.generation();
            self.sets.clear();
            self.memory = 0;
            self.find_generics();
        }
        renumbered
    }

    /// The rows of instance `a`, which process `pid` is now, about instance `b`, if they were made.
    #[inline]
    pub fn known(&self, a: usize, b: usize) -> Option<&PairSets> {
        self.sets.get(a)?.get(b)?.as_deref()
    }

    /// Makes the rows of process `pid` about instance `b`.
    pub fn make(&mut self, view: &impl StateView, pid: usize, b: usize) {
        let a = self.dependence.instance_of(pid);
        if self.known(a, b).is_some() {
            return;
        }
        let instance = self.dependence.instance(a);
        let mut wanted: Vec<Footprint> = Vec::new();
        for reason in self.reasons[instance.proctype].iter().flatten() {
            let mut footprint = reason.footprint.clone();
            footprint.resolve(Validity::Stable, &mut |expr| evaluate(view, pid, expr));
            wanted.push(footprint);
        }
        let claims: &[ChannelClaim] = if self.trusting { &instance.claims } else { &[] };
        let theirs = &self.dependence.instance(b).footprints;
        let related = |first: &Footprint, g: usize, claims: &[ChannelClaim]| {
            self.dependence.relate_instances((a, first), (b, &theirs[g]), claims) != Answer::Independent
        };
        let mut sets = PairSets {
            conflicts: Table::new(theirs.len()),
            enablers: Table::new(theirs.len()),
            unclaimed: Table::new(theirs.len()),
        };
        for first in &instance.footprints {
            let conflict = |&g: &usize| shakes_hands(first, &theirs[g]) || related(first, g, claims);
            sets.conflicts.push((0..theirs.len()).filter(conflict));
        }
        for footprint in &wanted {
            sets.enablers.push((0..theirs.len()).filter(|&g| related(footprint, g, &[])));
        }
        if self.trusting {
            for footprint in &mut wanted {
                for access in &mut footprint.channels {
                    if let Operation::Await { claimed, .. } = &mut access.operation {
                        *claimed = true;
                    }
                }
                sets.unclaimed.push((0..theirs.len()).filter(|&g| related(footprint, g, &[])));
            }
        }
        if self.sets.len() <= a {
            self.sets.resize_with(a + 1, Vec::new);
        }
        if self.sets[a].len() <= b {
            self.sets[a].resize_with(b + 1, || None);
        }
        self.memory += sets.conflicts.memory() + sets.enablers.memory() + sets.unclaimed.memory() + PLACE;
        self.sets[a][b] = Some(Box::new(sets));
    }

    /// Does a blocked transition wait for something that anything could change?
    pub fn waits_for_all(&self, proctype: usize, t: usize) -> bool {
        self.reasons[proctype][t].iter().all(|reason| reason.footprint.flags.has(Flags::EVERYTHING))
    }
}

/// Can these two be the sides of one rendezvous?
fn shakes_hands(f: &Footprint, g: &Footprint) -> bool {
    let sides =
        |a: &Footprint, b: &Footprint| a.flags.has(Flags::RENDEZVOUS_SEND) && b.flags.has(Flags::RENDEZVOUS_RECEIVE);
    let same = match (&f.rendezvous_id, &g.rendezvous_id) {
        (Some(Value::Known(x)), Some(Value::Known(y))) => x == y,
        _ => true,
    };
    (sides(f, g) || sides(g, f)) && same && f.rendezvous.intersects(&g.rendezvous)
}
