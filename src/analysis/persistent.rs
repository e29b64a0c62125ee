//! Persistent sets: which processes are enough to explore from a state.
//!
//! A set T of moves is persistent in a state if nothing that the others can do on their own, however long, depends on a
//! move of T (Godefroid's thesis, chapter 4). Exploring only T from each state keeps every deadlock; with a proviso against
//! ignoring also every assertion and local state (`search::por`). This is the stubborn-set construction (Valmari; Overman)
//! at the grain of processes. Start from one process that can move, and close: for each transition at the location of a
//! process of the set,
//!
//! - if it is enabled, add every process that can still come to a move that depends on it, itself or through processes
//!   that it makes;
//! - if it is blocked, choose one [`Reason`] for that and add every process that can still come to a move that could end it;
//! - if it is a rendezvous, add every process that can still come to the other side of it.
//!
//! The moves of the processes of the closed set are persistent. SPIN's ample sets (one process, all of whose transitions
//! are safe) are the closed sets of one process, and more of them are found here: channels are known by the process that
//! uses them, not by `xr` and `xs`, and a blocked option need not spoil a process. The smallest set over all starts wins.
//!
//! "Can still come to" is reachability in the automaton, kept as one bit per location for each transition and pair of
//! instances. So a question costs a load and a shift; tables are made when they are first needed.
//!
//! Sound if the dependence relation is; moves that depend on everything ([`Flags::EVERYTHING`]) are kept by adding all.

use super::dependence::{Dependence, StateView};
use super::enabling::{Reason, When, reasons};
use super::flow::BitSet;
use super::footprint::{Flags, Footprint, Validity, Value};
use super::relate::{Answer, evaluate};
use crate::model::{Action, Model};

/// A set of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProcessSet(pub [u64; 4]);

impl ProcessSet {
    /// Adds one.
    #[inline]
    pub fn insert(&mut self, pid: usize) {
        self.0[pid >> 6] |= 1 << (pid & 63);
    }

    /// Is it there?
    #[inline]
    pub fn contains(&self, pid: usize) -> bool {
        self.0[pid >> 6] >> (pid & 63) & 1 == 1
    }

    /// How many of `self` are not in `other`.
    #[inline]
    fn beyond(&self, other: &ProcessSet) -> u32 {
        self.0.iter().zip(&other.0).map(|(a, b)| (a & !b).count_ones()).sum()
    }

    /// Adds all of `other`.
    #[inline]
    pub fn union(&mut self, other: &ProcessSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    /// The lowest of `self` that is not in `other`.
    #[inline]
    fn first_beyond(&self, other: &ProcessSet) -> Option<usize> {
        (0..4).find_map(|w| {
            let rest = self.0[w] & !other.0[w];
            (rest != 0).then(|| w * 64 + rest.trailing_zeros() as usize)
        })
    }
}

/// What can be executed in a state: for every process the transitions of its location, one bit each, and how many moves.
#[derive(Clone, Debug, Default)]
pub struct Enabled {
    /// By pid: bit k says that transition k of the location is executable (a rendezvous: that it has a partner).
    pub transitions: Vec<u64>,
    /// By pid: number of moves it takes part in.
    pub moves: Vec<u32>,
}

/// One bit per row and location of an instance.
#[derive(Clone, Debug, Default)]
struct Table {
    width: usize,
    words: Vec<u64>,
}

impl Table {
    #[inline]
    fn get(&self, row: usize, location: usize) -> bool {
        self.words[row * self.width + location / 64] >> (location % 64) & 1 == 1
    }
}

/// What an instance fears and what it waits for, of another instance by its location.
#[derive(Clone, Debug, Default)]
struct PairTables {
    /// Row: transition of the first; bit: from this location the second can come to a dependent move.
    conflicts: Table,
    /// Row: reason of the first; bit: from this location the second can come to a move that could end it.
    enablers: Table,
}

/// The persistent sets of a model. See the module.
pub struct Persistent<'m> {
    /// The relation.
    pub dependence: Dependence<'m>,
    model: &'m Model,
    reasons: Vec<Vec<Vec<Reason>>>,
    /// By process type and transition: number of its first reason among all of the process type.
    first_reason: Vec<Vec<usize>>,
    /// By process type and location: transitions that can be reached.
    reach: Vec<Vec<BitSet>>,
    /// By process type and location: process types that can still be made, directly or not.
    spawns: Vec<Vec<BitSet>>,
    tables: Vec<Vec<Option<Box<PairTables>>>>,
    generation: u64,
    /// The sets are right as long as no path makes more processes than this.
    pub max_births: Option<u32>,
}

impl<'m> Persistent<'m> {
    /// Analyses a model. `strict_channels`: messages left in channels are judged; `counts`: see
    /// [`Persistent::max_births`].
    pub fn new(model: &'m Model, strict_channels: bool, counts: bool) -> Persistent<'m> {
        let mut dependence = Dependence::new(model);
        let max_births = dependence.up_to_pids(strict_channels, counts);
        let reasons = reasons(model, &dependence.flow);
        let first_reason = reasons
            .iter()
            .map(|list| {
                let starts = list.iter().scan(0, |next, reasons| {
                    let start = *next;
                    *next += reasons.len();
                    Some(start)
                });
                starts.collect()
            })
            .collect();
        let reach: Vec<Vec<BitSet>> = (0..model.proctypes.len()).map(|p| reachable(model, p)).collect();
        let spawns = spawnable(model, &dependence, &reach);
        Persistent {
            dependence,
            model,
            reasons,
            first_reason,
            reach,
            spawns,
            tables: Vec::new(),
            generation: 0,
            max_births,
        }
    }

    /// Takes note of the processes of a state.
    pub fn refresh(&mut self, view: &impl StateView) {
        self.dependence.refresh(view);
        if self.generation != self.dependence.generation() {
            self.generation = self.dependence.generation();
            self.tables.clear();
        }
    }

    /// The smallest closed set that was found, or `None` if everything is to be explored. Call [`Persistent::refresh`]
    /// first.
    pub fn choose(&mut self, view: &impl StateView, enabled: &Enabled) -> Option<ProcessSet> {
        if self.dependence.is_total() {
            return None;
        }
        let count = view.process_count();
        let all: u32 = enabled.moves.iter().sum();
        let mut best: Option<(u32, ProcessSet)> = None;
        let mut tried = ProcessSet::default();
        for seed in (0..count).rev() {
            if enabled.moves[seed] == 0 || tried.contains(seed) {
                continue;
            }
            let bound = best.map_or(all, |(moves, _)| moves);
            if let Some((set, moves)) = self.close(view, enabled, seed, bound, &ProcessSet::default()) {
                // a closed set of one move cannot be beaten
                if moves == 1 {
                    return Some(set);
                }
                best = Some((moves, set));
            }
            tried.insert(seed);
        }
        best.map(|(_, set)| set)
    }

    /// The smallest closed set that holds this closed one and more moves; `None` if it is everything.
    pub fn extend(&mut self, view: &impl StateView, enabled: &Enabled, known: &ProcessSet) -> Option<ProcessSet> {
        let all: u32 = enabled.moves.iter().sum();
        let mut best: Option<(u32, ProcessSet)> = None;
        for seed in (0..view.process_count()).rev() {
            if enabled.moves[seed] == 0 || known.contains(seed) {
                continue;
            }
            let bound = best.map_or(all, |(moves, _)| moves);
            best = self.close(view, enabled, seed, bound, known).map(|(set, moves)| (moves, set)).or(best);
        }
        best.map(|(_, set)| set)
    }

    /// Closes a closed set with one more process; `None` if that gives `bound` moves or more.
    fn close(
        &mut self,
        view: &impl StateView,
        enabled: &Enabled,
        seed: usize,
        bound: u32,
        known: &ProcessSet,
    ) -> Option<(ProcessSet, u32)> {
        let mut set = *known;
        set.insert(seed);
        let mut done = ProcessSet::default();
        let mut moves = 0;
        while let Some(pid) = set.first_beyond(&done) {
            done.insert(pid);
            moves += enabled.moves[pid];
            if moves >= bound {
                return None;
            }
            let needed = self.needs(view, enabled, pid, &set)?;
            set.union(&needed);
        }
        Some((set, moves))
    }

    /// The processes that must be in a closed set with this one; `None` if all must.
    fn needs(&mut self, view: &impl StateView, enabled: &Enabled, pid: usize, set: &ProcessSet) -> Option<ProcessSet> {
        let mut needed = ProcessSet::default();
        let proctype = view.proctype(pid);
        let location = &self.model.proctypes[proctype].automaton.locations[view.location(pid) as usize];
        let first = location.first as usize;
        for k in 0..location.count as usize {
            let t = first + k;
            let flags = self.dependence.footprints[proctype][t].flags;
            let is_enabled = k < 64 && enabled.transitions[pid] >> k & 1 == 1;
            if k >= 64 || (flags.has(Flags::EVERYTHING) && (is_enabled || self.waits_for_all(proctype, t))) {
                return None;
            }
            if is_enabled && flags.has(Flags::TIMEOUT) {
                return None;
            }
            if flags.has(Flags(Flags::RENDEZVOUS_SEND.0 | Flags::RENDEZVOUS_RECEIVE.0)) || is_enabled {
                // a rendezvous needs the other side whether it is there or not
                self.add_others(view, pid, &mut needed, |tables, location| tables.conflicts.get(t, location));
            }
            if is_enabled {
                continue;
            }
            if matches!(self.model.proctypes[proctype].automaton.transitions[t].action, Action::End) {
                self.add_for_death(view, pid, set, &mut needed);
                continue;
            }
            let mut best: Option<ProcessSet> = None;
            let reasons = self.reasons[proctype][t].len();
            for r in 0..reasons {
                let reason = &self.reasons[proctype][t][r];
                if !reason.holds(view, pid) {
                    continue;
                }
                // the catch-all is only for when nothing else holds
                if best.is_some() && matches!(reason.when, When::Always) {
                    continue;
                }
                let row = self.first_reason[proctype][t] + r;
                let mut wanted = ProcessSet::default();
                self.add_others(view, pid, &mut wanted, |tables, location| tables.enablers.get(row, location));
                let mut joined = *set;
                joined.union(&needed);
                if best.is_none_or(|best| wanted.beyond(&joined) < best.beyond(&joined)) {
                    best = Some(wanted);
                }
            }
            needed.union(&best?);
        }
        Some(needed)
    }

    /// Does a blocked transition wait for something that anything could change?
    fn waits_for_all(&self, proctype: usize, t: usize) -> bool {
        self.reasons[proctype][t].iter().all(|reason| reason.footprint.flags.has(Flags::EVERYTHING))
    }

    /// A process that waits for its death needs a younger one to die: any of them will do.
    fn add_for_death(&self, view: &impl StateView, pid: usize, set: &ProcessSet, needed: &mut ProcessSet) {
        let count = view.process_count();
        if (pid + 1..count).any(|younger| set.contains(younger) || needed.contains(younger)) {
            return;
        }
        if pid + 1 < count {
            needed.insert(count - 1);
        }
    }

    fn add_others(
        &mut self,
        view: &impl StateView,
        pid: usize,
        needed: &mut ProcessSet,
        test: impl Fn(&PairTables, usize) -> bool,
    ) {
        let a = self.dependence.instance_of(pid);
        for other in 0..view.process_count() {
            if other == pid || needed.contains(other) {
                continue;
            }
            let b = self.dependence.instance_of(other);
            let location = view.location(other) as usize;
            let known = matches!(self.tables.get(a).and_then(|list| list.get(b)), Some(Some(_)));
            if !known {
                self.build(view, a, pid, b);
            }
            if let Some(Some(tables)) = self.tables[a].get(b)
                && test(tables, location)
            {
                needed.insert(other);
            }
        }
    }

    fn build(&mut self, view: &impl StateView, a: usize, pid: usize, b: usize) {
        let (p, q) = (self.dependence.instance(a).proctype, self.dependence.instance(b).proctype);
        let generics: Vec<usize> = (0..self.model.proctypes.len()).map(|r| self.dependence.generic(r)).collect();
        let transitions = self.dependence.instance(a).footprints.len();
        let locations = self.reach[q].len();
        let mut wanted: Vec<Footprint> = Vec::new();
        for reason in self.reasons[p].iter().flatten() {
            let mut footprint = reason.footprint.clone();
            footprint.resolve(Validity::Stable, &mut |expr| evaluate(view, pid, expr));
            wanted.push(footprint);
        }
        let row = |of: &dyn Fn(usize, &Footprint) -> bool| -> Vec<u64> {
            // which transitions of the other, and which process types yet to be made, matter
            let own = &self.dependence.instance(b).footprints;
            let mut matter = BitSet::new(own.len());
            own.iter().enumerate().filter(|(_, g)| of(b, g)).for_each(|(g, _)| {
                matter.insert(g);
            });
            let mut made = BitSet::new(generics.len());
            for (r, &generic) in generics.iter().enumerate() {
                let entry = self.model.proctypes[r].automaton.entry as usize;
                let footprints = &self.dependence.instance(generic).footprints;
                let reach = self.reach[r].get(entry);
                if reach.is_some_and(|reach| reach.iter().any(|g| of(generic, &footprints[g]))) {
                    made.insert(r);
                }
            }
            let mut bits = vec![0u64; locations.div_ceil(64)];
            for location in 0..locations {
                if self.reach[q][location].intersects(&matter) || self.spawns[q][location].intersects(&made) {
                    bits[location / 64] |= 1 << (location % 64);
                }
            }
            bits
        };
        let mut tables = PairTables::default();
        tables.conflicts.width = locations.div_ceil(64);
        tables.enablers.width = tables.conflicts.width;
        for t in 0..transitions {
            let first = &self.dependence.instance(a).footprints[t];
            let conflict = |other: usize, g: &Footprint| {
                shakes_hands(first, g) || self.dependence.relate_instances(a, first, other, g) != Answer::Independent
            };
            tables.conflicts.words.extend(row(&conflict));
        }
        for footprint in &wanted {
            let ends = |other: usize, g: &Footprint| {
                self.dependence.relate_instances(a, footprint, other, g) != Answer::Independent
            };
            tables.enablers.words.extend(row(&ends));
        }
        if self.tables.len() <= a {
            self.tables.resize_with(a + 1, Vec::new);
        }
        if self.tables[a].len() <= b {
            self.tables[a].resize_with(b + 1, || None);
        }
        self.tables[a][b] = Some(Box::new(tables));
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

/// For every location of a process type, the transitions that can be reached from it.
fn reachable(model: &Model, p: usize) -> Vec<BitSet> {
    let automaton = &model.proctypes[p].automaton;
    let mut reach = vec![BitSet::new(automaton.transitions.len()); automaton.locations.len()];
    let mut grown = true;
    while grown {
        grown = false;
        for location in (0..automaton.locations.len()).rev() {
            let at = &automaton.locations[location];
            for t in at.first..at.first + at.count {
                grown |= reach[location].insert(t as usize);
                let target = automaton.transitions[t as usize].target as usize;
                if target != location && target < reach.len() {
                    let further = std::mem::take(&mut reach[target]);
                    grown |= reach[location].union(&further);
                    reach[target] = further;
                }
            }
        }
    }
    reach
}

/// For every location, the process types that can still be made, by this process or by those it makes.
fn spawnable(model: &Model, dependence: &Dependence<'_>, reach: &[Vec<BitSet>]) -> Vec<Vec<BitSet>> {
    let count = model.proctypes.len();
    let direct = |p: usize, location: usize| {
        let mut set = BitSet::new(count);
        for t in reach[p][location].iter() {
            for &made in &dependence.footprints[p][t].spawns {
                set.insert(made as usize);
            }
        }
        set
    };
    let mut spawns: Vec<Vec<BitSet>> =
        (0..count).map(|p| (0..reach[p].len()).map(|location| direct(p, location)).collect()).collect();
    loop {
        let mut grown = false;
        let born: Vec<BitSet> = (0..count)
            .map(|p| spawns[p].get(model.proctypes[p].automaton.entry as usize).cloned().unwrap_or_default())
            .collect();
        for set in spawns.iter_mut().flatten() {
            for made in set.clone().iter() {
                grown |= set.union(&born[made]);
            }
        }
        if !grown {
            return spawns;
        }
    }
}
