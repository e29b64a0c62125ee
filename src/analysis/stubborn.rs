//! Stubborn sets, move by move: a finer way to persistent sets than closing over processes.
//!
//! These are Valmari's strong stubborn sets, with the guards of a blocked move taken apart as in LTSmin (Laarman, Pater, van
//! de Pol and Weber, "Guard-based partial-order reduction", SPIN 2013). Here T is a set of moves of the whole future: moves
//! of living processes, and moves of processes that may yet be made. T is closed if
//!
//! - with a move that is enabled in the state, T holds all moves that may depend on it, and all moves at the same location;
//! - with a move whose process is at another location, T holds every move that leads to the location of the move (or, if the
//!   move is the first of a process yet to be made, every `run` that makes such a process); or T holds every move that could
//!   end some other reason that blocks it;
//! - with a move that is blocked at the location of its process, T holds every move that could end one reason for that. If
//!   that reason depends on variables of the process itself, T also holds all moves at the location, so that the process
//!   stays there.
//!
//! Then the enabled moves of T are persistent: a path without moves of T cannot enable a blocked move of T, and cannot make a
//! move that depends on T. T holds all enabled moves of a process or none of them, so a set of processes describes them.
//!
//! [`super::persistent`] takes whole processes into its set, with everything that they can ever come to. A stubborn set takes
//! only the moves of a process that matter, and it may be cheaper to watch a guard that is false now than the way that leads
//! to it. On the other hand a stubborn set can be larger: a reason that was chosen for its price may turn out to be
//! expensive. So we compute both sets and take the smaller one. Costs: rows of bits of all processes are joined for each move
//! of T. We try it only where the closed set of processes has more than one move.

use super::dependence::StateView;
use super::enabling::When;
use super::flow::BitSet;
use super::footprint::Flags;
use super::pairs::{PairSets, Pairs, Table};
use super::persistent::{Enabled, ProcessSet};
use crate::analysis::block::{block_of, sources};
use crate::analysis::reach::Reach;
use crate::model::{Action, Model};

/// Moves of all processes, 64 in a word; each process, and each process type for those yet to be made, has words of its own.
#[derive(Clone, Debug, Default)]
struct Moves(Vec<u64>);

/// A process, or a type of processes yet to be made.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Its first word in [`Moves`].
    word: usize,
    /// Process type.
    proctype: usize,
    /// Its instance.
    instance: usize,
    /// Where it is: the location of a process, the entry of one yet to be made.
    location: usize,
}

/// Finds stubborn sets. See the module.
pub struct Stubborn<'m> {
    model: &'m Model,
    /// By process type and transition: where it starts.
    sources: Vec<Vec<u32>>,
    /// By process type and location: the moves that can bring a process there.
    leading: Vec<Vec<BitSet>>,
    /// By process type: the transitions of each process type that make one.
    makers: Vec<Vec<BitSet>>,
    /// By process type: the transitions with which a process ends.
    ends: Vec<BitSet>,
    slots: Vec<Slot>,
    /// Processes alive.
    alive: usize,
    /// What can still happen at all.
    possible: Moves,
    /// What can happen now.
    enabled: Moves,
    /// The set, and the part of it that was looked at.
    set: Moves,
    done: Moves,
}

/// Moves that need another process.
const RENDEZVOUS: Flags = Flags(Flags::RENDEZVOUS_SEND.0 | Flags::RENDEZVOUS_RECEIVE.0);

/// An enabled move in the set costs as much as this many blocked ones.
const PRICE: u32 = 256;

impl<'m> Stubborn<'m> {
    /// For sets of this model.
    pub fn new(model: &'m Model, pairs: &Pairs<'m>) -> Stubborn<'m> {
        let leading = |p: usize| {
            let automaton = &model.proctypes[p].automaton;
            let mut sets = vec![BitSet::new(automaton.transitions.len()); automaton.locations.len()];
            for first in 0..automaton.transitions.len() {
                for t in std::iter::once(first).chain(block_of(automaton, first)) {
                    if let Some(set) = sets.get_mut(automaton.transitions[t].target as usize) {
                        set.insert(first);
                    }
                }
            }
            sets
        };
        let count = if pairs.dependence.is_total() { 0 } else { model.proctypes.len() };
        let chosen = |p: usize, test: &dyn Fn(usize) -> bool| {
            let transitions = model.proctypes[p].automaton.transitions.len();
            let mut set = BitSet::new(transitions);
            (0..transitions).filter(|&t| test(t)).for_each(|t| {
                set.insert(t);
            });
            set
        };
        let makes =
            |p: usize, made: usize| chosen(p, &|t| pairs.dependence.footprints[p][t].spawns.contains(&(made as u32)));
        let is_end = |p: usize, t: usize| matches!(model.proctypes[p].automaton.transitions[t].action, Action::End);
        Stubborn {
            model,
            sources: model.proctypes.iter().map(|p| sources(&p.automaton)).collect(),
            leading: (0..count).map(leading).collect(),
            makers: (0..count).map(|made| (0..count).map(|p| makes(p, made)).collect()).collect(),
            ends: (0..count).map(|p| chosen(p, &|t| is_end(p, t))).collect(),
            slots: Vec::new(),
            alive: 0,
            possible: Moves::default(),
            enabled: Moves::default(),
            set: Moves::default(),
            done: Moves::default(),
        }
    }

    /// Takes note of a state. `reach`: by process type, what can be reached from its locations.
    pub fn look_at(&mut self, view: &impl StateView, pairs: &Pairs<'m>, enabled: &Enabled, reach: &mut [Reach]) {
        self.slots.clear();
        self.alive = view.process_count();
        let mut word = 0;
        let living = (0..self.alive).map(|pid| {
            let instance = pairs.dependence.instance_of(pid);
            Slot { word: 0, proctype: view.proctype(pid), instance, location: view.location(pid) as usize }
        });
        let unborn = pairs.generics.iter().enumerate().map(|(p, &instance)| Slot {
            word: 0,
            proctype: p,
            instance,
            location: self.model.proctypes[p].automaton.entry as usize,
        });
        for mut slot in living.chain(unborn) {
            slot.word = word;
            word += self.model.proctypes[slot.proctype].automaton.transitions.len().div_ceil(64);
            self.slots.push(slot);
        }
        for moves in [&mut self.possible, &mut self.enabled, &mut self.set, &mut self.done] {
            moves.0.clear();
            moves.0.resize(word, 0);
        }
        for (number, slot) in self.slots.iter().enumerate() {
            if let Some(reach) = reach[slot.proctype].from(slot.location) {
                self.possible.0[slot.word..][..reach.words().len()].copy_from_slice(reach.words());
            }
            if number < self.alive {
                let first = self.model.proctypes[slot.proctype].automaton.locations[slot.location].first as usize;
                let mut bits = enabled.transitions[number];
                while bits != 0 {
                    let t = first + bits.trailing_zeros() as usize;
                    self.enabled.0[slot.word + t / 64] |= 1 << (t % 64);
                    bits &= bits - 1;
                }
            }
        }
    }

    /// The processes whose enabled moves are in a stubborn set that holds those of `seed`; `None` if that gives `bound`
    /// moves or more. Call [`Stubborn::look_at`] first.
    pub fn close(
        &mut self,
        view: &impl StateView,
        pairs: &mut Pairs<'m>,
        enabled: &Enabled,
        seed: usize,
        bound: u32,
    ) -> Option<(ProcessSet, u32)> {
        self.set.0.fill(0);
        self.done.0.fill(0);
        let mut processes = ProcessSet::default();
        let mut moves = 0;
        self.pin(seed);
        while let Some((number, t)) = self.next() {
            let slot = self.slots[number];
            let here = self.sources[slot.proctype][t] as usize == slot.location;
            if here && number < self.alive {
                let location = &self.model.proctypes[slot.proctype].automaton.locations[slot.location];
                if location.count > 64 {
                    // what is enabled there is not known for all
                    return None;
                }
            }
            if number >= self.alive {
                self.lead_to(number, t);
            } else if !here {
                self.choose_reason(view, pairs, number, t, false)?;
            } else if self.enabled.0[slot.word + t / 64] >> (t % 64) & 1 == 1 {
                let flags = pairs.dependence.footprints[slot.proctype][t].flags;
                if flags.has(Flags(Flags::EVERYTHING.0 | Flags::TIMEOUT.0)) {
                    return None;
                }
                if !processes.contains(number) {
                    processes.insert(number);
                    moves += enabled.moves[number];
                    if moves >= bound {
                        return None;
                    }
                    self.pin(number);
                }
                self.add_rows(view, pairs, number, |sets| &sets.conflicts, t, false);
            } else {
                self.blocked_here(view, pairs, number, t)?;
            }
        }
        (moves > 0).then_some((processes, moves))
    }

    /// A move of the set that was not looked at yet. Enabled ones first: they tell soonest that a set is too large.
    fn next(&mut self) -> Option<(usize, usize)> {
        let mut found = None;
        for (at, (&set, &done)) in self.set.0.iter().zip(&self.done.0).enumerate() {
            let open = set & !done;
            let first = open & self.enabled.0[at];
            if first != 0 {
                found = Some((at, first));
                break;
            }
            if open != 0 && found.is_none() {
                found = Some((at, open));
            }
        }
        let (at, open) = found?;
        let bit = open.trailing_zeros() as usize;
        self.done.0[at] |= 1 << bit;
        let number = self.slots.partition_point(|slot| slot.word <= at) - 1;
        Some((number, (at - self.slots[number].word) * 64 + bit))
    }

    /// All moves at the location of a process: it stays there.
    fn pin(&mut self, pid: usize) {
        let slot = self.slots[pid];
        let location = &self.model.proctypes[slot.proctype].automaton.locations[slot.location];
        for t in location.first as usize..(location.first + location.count) as usize {
            self.set.0[slot.word + t / 64] |= 1 << (t % 64);
        }
    }

    /// What [`Stubborn::pin`] would cost.
    fn price_to_pin(&self, pid: usize) -> u32 {
        let slot = self.slots[pid];
        let location = &self.model.proctypes[slot.proctype].automaton.locations[slot.location];
        let price = |t: usize| {
            let (word, bit) = (slot.word + t / 64, 1u64 << (t % 64));
            if self.set.0[word] & bit != 0 { 0 } else { 1 + PRICE * u32::from(self.enabled.0[word] & bit != 0) }
        };
        (location.first as usize..(location.first + location.count) as usize).map(price).sum()
    }

    /// The moves that bring the process of this slot to where a transition starts.
    fn lead_to(&mut self, number: usize, t: usize) {
        let slot = self.slots[number];
        let source = self.sources[slot.proctype][t] as usize;
        if number >= self.alive && source == slot.location {
            // the first of a process that has to be made
            for other in 0..self.slots.len() {
                let Slot { word, proctype, .. } = self.slots[other];
                join(&mut self.set, &self.possible, word, self.makers[slot.proctype][proctype].words());
            }
        }
        join(&mut self.set, &self.possible, slot.word, self.leading[slot.proctype][source].words());
    }

    /// Adds a row about every other process, and with `own` about the process itself.
    fn add_rows(
        &mut self,
        view: &impl StateView,
        pairs: &mut Pairs<'m>,
        pid: usize,
        table: impl Fn(&PairSets) -> &Table,
        row: usize,
        own: bool,
    ) {
        let a = self.slots[pid].instance;
        for number in 0..self.slots.len() {
            let Slot { word, instance: b, .. } = self.slots[number];
            if number == pid && !own {
                continue;
            }
            if pairs.known(a, b).is_none() {
                pairs.make(view, pid, b);
            }
            if let Some(sets) = pairs.known(a, b) {
                join(&mut self.set, &self.possible, word, table(sets).row(row));
            }
        }
    }

    /// What adding a row would cost.
    fn price(&self, view: &impl StateView, pairs: &mut Pairs<'m>, pid: usize, row: usize, own: bool) -> u32 {
        let a = self.slots[pid].instance;
        let mut price = 0;
        for (number, slot) in self.slots.iter().enumerate() {
            if number == pid && !own {
                continue;
            }
            if pairs.known(a, slot.instance).is_none() {
                pairs.make(view, pid, slot.instance);
            }
            if let Some(sets) = pairs.known(a, slot.instance) {
                price += self.price_of(slot.word, sets.enablers.row(row));
            }
        }
        price
    }

    fn price_of(&self, word: usize, row: &[u64]) -> u32 {
        let price = |(k, bits): (usize, &u64)| {
            let new = bits & self.possible.0[word + k] & !self.set.0[word + k];
            new.count_ones() + PRICE * (new & self.enabled.0[word + k]).count_ones()
        };
        row.iter().enumerate().map(price).sum()
    }

    /// A transition that is blocked at the location of its process.
    fn blocked_here(&mut self, view: &impl StateView, pairs: &mut Pairs<'m>, pid: usize, t: usize) -> Option<()> {
        let slot = self.slots[pid];
        let flags = pairs.dependence.footprints[slot.proctype][t].flags;
        if flags.has(Flags::EVERYTHING) && pairs.waits_for_all(slot.proctype, t) {
            return None;
        }
        if flags.has(RENDEZVOUS) {
            // the other side has to come, or what is offered has to change: also by a move of this process, which is
            // pinned below
            self.add_rows(view, pairs, pid, |sets| &sets.conflicts, t, false);
        }
        if matches!(self.model.proctypes[slot.proctype].automaton.transitions[t].action, Action::End) {
            if pairs.dependence.footprints[slot.proctype][t].looks.is_some() {
                // its clause is evaluated all the while, and may fail
                self.add_rows(view, pairs, pid, |sets| &sets.conflicts, t, false);
            }
            // The youngest must die first. If it is this one, something else holds it up.
            let youngest = (pid + 1 < self.alive).then(|| self.slots[self.alive - 1])?;
            join(&mut self.set, &self.possible, youngest.word, self.ends[youngest.proctype].words());
            return Some(());
        }
        self.choose_reason(view, pairs, pid, t, true)
    }

    /// Adds what could end the cheapest reason for which a transition of a living process is blocked. `here`: its process
    /// is at its location; otherwise that it is not is a reason too.
    fn choose_reason(
        &mut self,
        view: &impl StateView,
        pairs: &mut Pairs<'m>,
        pid: usize,
        t: usize,
        here: bool,
    ) -> Option<()> {
        let slot = self.slots[pid];
        if !here {
            let source = self.sources[slot.proctype][t] as usize;
            if self.price_of(slot.word, self.leading[slot.proctype][source].words()) == 0 {
                // what leads there is in the set already
                return Some(());
            }
        }
        let rendezvous = pairs.dependence.footprints[slot.proctype][t].flags.has(RENDEZVOUS);
        let mut best: Option<(u32, usize, bool)> = None;
        for r in 0..pairs.reasons[slot.proctype][t].len() {
            let reason = &pairs.reasons[slot.proctype][t][r];
            let holds = if here { reason.holds(view, pid) } else { !rendezvous && reason.holds_already(view, pid) };
            // the catch-all is only for when nothing else holds
            if !holds || (best.is_some() && matches!(reason.when, When::Always)) {
                continue;
            }
            let shared = reason.shared && !rendezvous;
            let row = pairs.first_reason[slot.proctype][t] + r;
            let mut price = self.price(view, pairs, pid, row, shared);
            if !shared {
                price += self.price_to_pin(pid);
            }
            if best.is_none_or(|(least, ..)| price < least) {
                best = Some((price, row, shared));
            }
        }
        if !here {
            let source = self.sources[slot.proctype][t] as usize;
            let price = self.price_of(slot.word, self.leading[slot.proctype][source].words());
            if best.is_none_or(|(least, ..)| price <= least) {
                self.lead_to(pid, t);
                return Some(());
            }
        }
        let (_, row, shared) = best?;
        self.add_rows(view, pairs, pid, |sets| &sets.enablers, row, shared);
        if !shared {
            self.pin(pid);
        }
        Some(())
    }
}

/// Adds the possible moves of a row.
fn join(set: &mut Moves, possible: &Moves, word: usize, row: &[u64]) {
    for (k, bits) in row.iter().enumerate() {
        set.0[word + k] |= bits & possible.0[word + k];
    }
}
