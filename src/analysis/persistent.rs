//! Persistent sets: which processes are enough to explore from a state.
//!
//! A set T of moves is persistent in a state if nothing that the processes outside T can do on their own, however long,
//! depends on a move of T (Godefroid's thesis, chapter 4). Exploring only T from each state keeps every deadlock; with a
//! proviso against ignoring it keeps every assertion and local state too (`search::reduce::persistent`). We use the
//! stubborn-set construction (Valmari; Overman) at the grain of processes. Start from one process that can move, and close:
//! for each transition at the location of a process of the set,
//!
//! - if it is enabled, add every process that can still come to a move that depends on it, itself or through processes that
//!   it makes;
//! - if it is blocked, choose one `Reason` for that and add every process that can still come to a move that could end the
//!   reason;
//! - if it is a rendezvous, add every process that can still come to the other side of it.
//!
//! The moves of the processes of the closed set are persistent. SPIN's ample sets (one process, all of whose transitions are
//! safe) are the closed sets of one process. We find more such sets than SPIN: a channel is known by the processes that use
//! it, not only by `xr` and `xs` ([`super::claims`]), and a blocked option need not spoil a process. Of the sets over all
//! starts the smallest is taken, or a still smaller one of [`super::stubborn`].
//!
//! "Can still come to" is reachability in the automaton, kept as one bit per location for each transition and pair of
//! instances. So a question costs a load and a shift; the tables are made when they are first needed.
//!
//! Sound if the dependence relation is; a move that depends on everything ([`Flags::EVERYTHING`]) adds all processes.

use super::claims::Claims;
use super::dependence::{Dependence, StateView};
use super::enabling::When;
use super::flow::BitSet;
use super::footprint::Flags;
use super::pairs::{PLACE, PairSets, Pairs, Table};
use super::reach::{Reach, spawnable};
use super::stubborn::Stubborn;
use crate::model::{Action, Model};

/// A set of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProcessSet(pub [u64; 4]);

impl ProcessSet {
    /// This one and no other.
    pub fn only(pid: usize) -> ProcessSet {
        let mut set = ProcessSet::default();
        set.insert(pid);
        set
    }

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

    /// Those of `self` that are not in `other`.
    pub fn without(&self, other: &ProcessSet) -> ProcessSet {
        ProcessSet(std::array::from_fn(|word| self.0[word] & !other.0[word]))
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
    /// To look whether something is executable was an error.
    pub faults: bool,
    /// Something that is executable is an error.
    pub traps: bool,
}

impl Enabled {
    /// Nothing is enabled, and there are so many processes.
    pub fn clear(&mut self, processes: usize) {
        self.transitions.clear();
        self.transitions.resize(processes, 0);
        self.moves.clear();
        self.moves.resize(processes, 0);
        self.faults = false;
        self.traps = false;
    }

    /// Transition `index` of the location of process `pid` is executable.
    pub fn note(&mut self, pid: usize, index: u32) {
        if index < 64 {
            self.transitions[pid] |= 1 << index;
        }
    }
}

/// How pids are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pids {
    /// Every state is itself.
    Seen,
    /// States that differ only in what nobody can see of pids are the same, if the model allows it.
    Unseen {
        /// Messages left in channels are judged.
        strict_channels: bool,
        /// See [`Persistent::max_births`].
        counts: bool,
    },
}

/// What an instance fears and what it waits for, of another instance by its location.
#[derive(Clone, Debug, Default)]
struct PairTables {
    /// Row: transition of the first; bit: from this location the second can come to a dependent move.
    conflicts: Table,
    /// Row: reason of the first; bit: from this location the second can come to a move that could end it.
    enablers: Table,
    /// The same if what is waited for is claimed by somebody. Only in models with claims.
    unclaimed: Table,
}

/// From so many processes on a set may take long (the time grows with the cube), and it is asked on the way whether it is
/// wanted still.
const MANY: usize = 24;
/// With more processes than this no sets of several processes are looked for: one alone may take longer than the search.
const TOO_MANY: usize = 48;
/// Stubborn sets are always tried so many times at first.
const TRIAL: u32 = 512;
/// They are worth their price if more than one in so many tries wins: a try costs about as much as three states do.
const WORTH: u32 = 16;
/// If they are not, every so many states they get a chance.
const BACKED_OFF: u32 = 16;

/// The persistent sets of a model. See the module.
pub struct Persistent<'m> {
    /// The rows about pairs of processes, and the relation.
    pub pairs: Pairs<'m>,
    stubborn: Stubborn<'m>,
    /// How often stubborn sets were looked for, were smaller, and could have been looked for after they had turned out poor.
    tried: u32,
    won: u32,
    passed: u32,
    /// They are always looked for.
    steady: bool,
    model: &'m Model,
    /// By process type: what can be reached from its locations.
    reach: Vec<Reach>,
    /// By process type and location: process types that can still be made, directly or not.
    spawns: Vec<Vec<BitSet>>,
    tables: Vec<Vec<Option<Box<PairTables>>>>,
    /// Bytes of these tables.
    folded: usize,
    claims: Claims,
    /// The sets are right as long as no path makes more processes than this.
    pub max_births: Option<u32>,
}

impl<'m> Persistent<'m> {
    /// The same, but a set follows from the state alone, and not from how often it paid to look for a smaller one before.
    #[must_use]
    pub fn steady(self, steady: bool) -> Persistent<'m> {
        Persistent { steady, ..self }
    }

    /// Analyses a model. `trusting`: believe `xr` and `xs`, and ask [`Persistent::broken_claim`] in every state.
    pub fn new(model: &'m Model, pids: Pids, trusting: bool) -> Persistent<'m> {
        let mut dependence = Dependence::new(model);
        let max_births = match pids {
            Pids::Seen => None,
            Pids::Unseen { strict_channels, counts } => dependence.up_to_pids(strict_channels, counts),
        };
        // Nothing is asked where every move depends on every other, perhaps because there are too many.
        let asked = if dependence.is_total() { 0 } else { model.proctypes.len() };
        let reach: Vec<Reach> = (0..asked).map(|p| Reach::new(&model.proctypes[p].automaton)).collect();
        let spawns = if asked > 0 { spawnable(model, &dependence.footprints, &reach) } else { Vec::new() };
        let pairs = Pairs::new(model, dependence, trusting);
        Persistent {
            stubborn: Stubborn::new(model, &pairs),
            pairs,
            tried: 0,
            won: 0,
            passed: 0,
            steady: false,
            model,
            reach,
            spawns,
            tables: Vec::new(),
            folded: 0,
            claims: Claims::default(),
            max_births,
        }
    }

    /// Can some process of this state, or one that it makes, still make a process?
    pub fn may_make(&self, view: &impl StateView) -> bool {
        (0..view.process_count()).any(|pid| {
            let spawns = self.spawns.get(view.proctype(pid));
            spawns.is_none_or(|spawns| !spawns[view.location(pid) as usize].is_empty())
        })
    }

    /// Are the moves of this process, of which `enabled` can be executed, a persistent set? The same closure as
    /// [`Persistent::choose`] makes, given up as soon as it needs a second process: it asks nothing about the others but where
    /// they are. Call [`Persistent::refresh`] first.
    pub fn stands_alone(&mut self, view: &impl StateView, pid: usize, enabled: u64) -> bool {
        if self.pairs.dependence.is_total() {
            return false;
        }
        let proctype = view.proctype(pid);
        let location = &self.model.proctypes[proctype].automaton.locations[view.location(pid) as usize];
        let (first, count) = (location.first as usize, location.count as usize);
        count <= 64 && (0..count).all(|k| self.is_harmless(view, (pid, proctype, first + k), enabled >> k & 1 == 1))
    }

    /// Does this transition, enabled or not, ask for no other process in a persistent set?
    fn is_harmless(
        &mut self,
        view: &impl StateView,
        (pid, proctype, t): (usize, usize, usize),
        is_enabled: bool,
    ) -> bool {
        let flags = self.pairs.dependence.footprints[proctype][t].flags;
        if flags.has(Flags::EVERYTHING) || (is_enabled && flags.has(Flags::TIMEOUT)) {
            return false;
        }
        let meets = flags.has(Flags(Flags::RENDEZVOUS_SEND.0 | Flags::RENDEZVOUS_RECEIVE.0));
        if (meets || is_enabled) && self.anyone(view, pid, |tables, location| tables.conflicts.get(t, location)) {
            return false;
        }
        if is_enabled {
            return true;
        }
        if matches!(self.model.proctypes[proctype].automaton.transitions[t].action, Action::End) {
            return false;
        }
        let mut held = false;
        for r in 0..self.pairs.reasons[proctype][t].len() {
            let reason = &self.pairs.reasons[proctype][t][r];
            // the catch-all is only for when nothing else holds
            if !reason.holds(view, pid) || (held && matches!(reason.when, When::Always)) {
                continue;
            }
            held = true;
            let row = self.pairs.first_reason[proctype][t] + r;
            if !self.anyone(view, pid, |tables, location| tables.enablers.get(row, location)) {
                return true;
            }
        }
        false
    }

    /// Does the test hold for any other process, by its location?
    fn anyone(&mut self, view: &impl StateView, pid: usize, test: impl Fn(&PairTables, usize) -> bool) -> bool {
        (0..view.process_count()).any(|other| other != pid && self.is_met(view, pid, other, &test))
    }

    /// Does the test of process `pid` hold for another one, by its location?
    fn is_met(
        &mut self,
        view: &impl StateView,
        pid: usize,
        other: usize,
        test: &impl Fn(&PairTables, usize) -> bool,
    ) -> bool {
        let a = self.pairs.dependence.instance_of(pid);
        let b = self.pairs.dependence.instance_of(other);
        if !matches!(self.tables.get(a).and_then(|list| list.get(b)), Some(Some(_))) {
            self.build(view, pid, b);
        }
        let tables = self.tables.get(a).and_then(|list| list.get(b)?.as_deref());
        tables.is_none_or(|tables| test(tables, view.location(other) as usize))
    }

    /// Takes note of the processes of a state.
    pub fn refresh(&mut self, view: &impl StateView) {
        if self.pairs.refresh(view) {
            self.tables.clear();
            self.folded = 0;
        }
        if self.pairs.trusting {
            self.claims.refresh(view, &self.pairs.dependence);
        }
    }

    /// Bytes of the tables that grow while a search goes on.
    pub fn memory(&self) -> usize {
        self.pairs.dependence.memory() + self.pairs.memory + self.folded
    }

    /// `xr` and `xs` are believed, so that [`Persistent::broken_claim`] has to be asked in every state.
    pub fn is_trusting(&self) -> bool {
        self.pairs.trusting
    }

    /// How the present state breaks a claim that the sets rely on. Call [`Persistent::refresh`] first.
    pub fn broken_claim(&self, view: &impl StateView) -> Option<String> {
        if self.pairs.trusting { self.claims.broken(view, &self.pairs.dependence) } else { None }
    }

    /// The smallest closed set that was found, or `None` if everything is to be explored, also because `must_end` says that
    /// it makes no difference any more. Call [`Persistent::refresh`] first.
    pub fn choose(
        &mut self,
        view: &impl StateView,
        enabled: &Enabled,
        must_end: &impl Fn() -> bool,
    ) -> Option<ProcessSet> {
        if self.pairs.dependence.is_total() || view.process_count() > TOO_MANY {
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
            if count >= MANY && must_end() {
                return None;
            }
            let bound = best.map_or(all, |(moves, _)| moves);
            if let Some((set, moves)) = self.close(view, enabled, (seed, bound), &ProcessSet::default(), must_end) {
                // a closed set of one move cannot be beaten
                if moves == 1 {
                    return Some(set);
                }
                best = Some((moves, set));
            }
            tried.insert(seed);
        }
        self.finer(view, enabled, best.map_or(all, |(moves, _)| moves), &ProcessSet::default(), must_end)
            .or(best.map(|(_, set)| set))
    }

    /// The smallest closed set all of whose processes are `quiet`; one that only takes offers counts too, though its moves are counted with those
    /// who offer. `None` if there is no such set. The answer is a function of
    /// the state, unless `must_end` says that it makes no difference any more. Call [`Persistent::refresh`] first.
    pub fn choose_quiet(
        &mut self,
        view: &impl StateView,
        enabled: &Enabled,
        quiet: &ProcessSet,
        must_end: &impl Fn() -> bool,
    ) -> Option<ProcessSet> {
        if self.pairs.dependence.is_total() || view.process_count() > TOO_MANY {
            return None;
        }
        let all: u32 = enabled.moves.iter().sum();
        let mut best: Option<(u32, ProcessSet)> = None;
        for seed in (0..view.process_count()).rev().filter(|&pid| enabled.moves[pid] > 0 && quiet.contains(pid)) {
            if view.process_count() >= MANY && must_end() {
                return None;
            }
            let bound = best.map_or(all, |(moves, _)| moves);
            let closed = self.close(view, enabled, (seed, bound), &ProcessSet::default(), must_end);
            if let Some((set, moves)) = closed
                && (0..view.process_count()).all(|pid| !set.contains(pid) || quiet.contains(pid))
            {
                best = Some((moves, set));
            }
        }
        best.map(|(_, set)| set)
    }

    /// The smallest stubborn set with less than `bound` moves, among those with moves beyond `known`.
    fn finer(
        &mut self,
        view: &impl StateView,
        enabled: &Enabled,
        mut bound: u32,
        known: &ProcessSet,
        must_end: &impl Fn() -> bool,
    ) -> Option<ProcessSet> {
        debug_assert!(!enabled.faults, "a look that fails would be taken for a blocked transition");
        if !self.finer_pays() {
            return None;
        }
        let mut best = None;
        self.stubborn.look_at(view, &self.pairs, enabled, &mut self.reach);
        for seed in (0..view.process_count()).rev() {
            if enabled.moves[seed] == 0 || enabled.moves[seed] >= bound || known.contains(seed) {
                continue;
            }
            if view.process_count() >= MANY && must_end() {
                return None;
            }
            if let Some((set, moves)) = self.stubborn.close(view, &mut self.pairs, enabled, seed, bound) {
                (best, bound) = (Some(set), moves);
            }
        }
        self.tried += 1;
        self.won += u32::from(best.is_some());
        best
    }

    /// Stubborn sets are dear. Where they hardly ever win they are tried in one state of a few only.
    fn finer_pays(&mut self) -> bool {
        if self.steady || self.tried < TRIAL || self.won > self.tried / WORTH {
            return true;
        }
        self.passed += 1;
        self.passed.is_multiple_of(BACKED_OFF)
    }

    /// The smallest set that was found to hold this persistent one and more moves; `None` if it is everything.
    pub fn extend(
        &mut self,
        view: &impl StateView,
        enabled: &Enabled,
        known: &ProcessSet,
        must_end: &impl Fn() -> bool,
    ) -> Option<ProcessSet> {
        if view.process_count() > TOO_MANY {
            return None;
        }
        let all: u32 = enabled.moves.iter().sum();
        let mut best: Option<(u32, ProcessSet)> = None;
        for seed in (0..view.process_count()).rev() {
            if enabled.moves[seed] == 0 || known.contains(seed) {
                continue;
            }
            if view.process_count() >= MANY && must_end() {
                return None;
            }
            let bound = best.map_or(all, |(moves, _)| moves);
            best = self.close(view, enabled, (seed, bound), known, must_end).map(|(set, moves)| (moves, set)).or(best);
        }
        // the union of two persistent sets is one
        let now: u32 = (0..view.process_count()).filter(|&pid| known.contains(pid)).map(|pid| enabled.moves[pid]).sum();
        let bound = best.map_or(all, |(moves, _)| moves).saturating_sub(now);
        let finer = self.finer(view, enabled, bound, known, must_end).map(|mut set| {
            set.union(known);
            set
        });
        finer.or(best.map(|(_, set)| set))
    }

    /// Closes a closed set with one more process; `None` if that gives `bound` moves or more.
    fn close(
        &mut self,
        view: &impl StateView,
        enabled: &Enabled,
        (seed, bound): (usize, u32),
        known: &ProcessSet,
        must_end: &impl Fn() -> bool,
    ) -> Option<(ProcessSet, u32)> {
        let mut set = *known;
        set.insert(seed);
        let mut done = ProcessSet::default();
        let mut moves = 0;
        while let Some(pid) = set.first_beyond(&done) {
            done.insert(pid);
            moves += enabled.moves[pid];
            // When a process is met for the first time, its tables about all others are made.
            if moves >= bound || (view.process_count() >= MANY && must_end()) {
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
            let flags = self.pairs.dependence.footprints[proctype][t].flags;
            let is_enabled = k < 64 && enabled.transitions[pid] >> k & 1 == 1;
            if k >= 64 || (flags.has(Flags::EVERYTHING) && (is_enabled || self.pairs.waits_for_all(proctype, t))) {
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
                if self.pairs.dependence.footprints[proctype][t].looks.is_some() {
                    // its clause is evaluated all the while, and may fail
                    self.add_others(view, pid, &mut needed, |tables, location| tables.conflicts.get(t, location));
                }
                self.add_for_death(view, pid, set, &mut needed)?;
                continue;
            }
            let mut best: Option<ProcessSet> = None;
            let reasons = self.pairs.reasons[proctype][t].len();
            for r in 0..reasons {
                let reason = &self.pairs.reasons[proctype][t][r];
                if !reason.holds(view, pid) {
                    continue;
                }
                // the catch-all is only for when nothing else holds
                if best.is_some() && matches!(reason.when, When::Always) {
                    continue;
                }
                let row = self.pairs.first_reason[proctype][t] + r;
                let holders = self.claims.awaited(view, pid, &reason.footprint.channels);
                let mut joined = *set;
                joined.union(&needed);
                let mut offer = |wanted: ProcessSet| {
                    if best.is_none_or(|best| wanted.beyond(&joined) < best.beyond(&joined)) {
                        best = Some(wanted);
                    }
                };
                let mut wanted = ProcessSet::default();
                self.add_others(view, pid, &mut wanted, |tables, location| tables.enablers.get(row, location));
                offer(wanted);
                if let Some(mut wanted) = holders {
                    self.add_others(view, pid, &mut wanted, |tables, location| tables.unclaimed.get(row, location));
                    offer(wanted);
                }
            }
            needed.union(&best?);
        }
        Some(needed)
    }

    /// A process that waits for its death needs a younger one to die: any of them will do. `None` if there is none, and
    /// something else holds it up.
    fn add_for_death(
        &self,
        view: &impl StateView,
        pid: usize,
        set: &ProcessSet,
        needed: &mut ProcessSet,
    ) -> Option<()> {
        let count = view.process_count();
        if !(pid + 1..count).any(|younger| set.contains(younger) || needed.contains(younger)) {
            needed.insert((pid + 1..count).next_back()?);
        }
        Some(())
    }

    fn add_others(
        &mut self,
        view: &impl StateView,
        pid: usize,
        needed: &mut ProcessSet,
        test: impl Fn(&PairTables, usize) -> bool,
    ) {
        for other in 0..view.process_count() {
            if other != pid && !needed.contains(other) && self.is_met(view, pid, other, &test) {
                needed.insert(other);
            }
        }
    }

    /// Folds the rows of a process about another one over what that can still come to, itself or through processes that
    /// it makes.
    fn build(&mut self, view: &impl StateView, pid: usize, b: usize) {
        let a = self.pairs.dependence.instance_of(pid);
        let about: Vec<usize> = std::iter::once(b).chain(self.pairs.generics.iter().copied()).collect();
        about.iter().for_each(|&other| self.pairs.make(view, pid, other));
        let sets: Vec<&PairSets> = about.iter().filter_map(|&other| self.pairs.known(a, other)).collect();
        let q = self.pairs.dependence.instance(b).proctype;
        let locations = self.reach[q].locations();
        let fold = |table: &dyn Fn(&PairSets) -> &Table| -> Table {
            let mut folded = Table::new(locations);
            let Some((own, made)) = sets.split_first() else { return folded };
            for row in 0..table(own).rows() {
                let mut born = BitSet::new(made.len());
                for (r, sets) in made.iter().enumerate() {
                    let entry = self.model.proctypes[r].automaton.entry as usize;
                    if self.reach[r].back(table(sets).row(row)).contains(entry) {
                        born.insert(r);
                    }
                }
                let back = self.reach[q].back(table(own).row(row));
                let matters = |&location: &usize| back.contains(location) || self.spawns[q][location].intersects(&born);
                folded.push((0..locations).filter(matters));
            }
            folded
        };
        let tables = PairTables {
            conflicts: fold(&|sets| &sets.conflicts),
            enablers: fold(&|sets| &sets.enablers),
            unclaimed: fold(&|sets| &sets.unclaimed),
        };
        if self.tables.len() <= a {
            self.tables.resize_with(a + 1, Vec::new);
        }
        if self.tables[a].len() <= b {
            self.tables[a].resize_with(b + 1, || None);
        }
        self.folded += tables.conflicts.memory() + tables.enablers.memory() + tables.unclaimed.memory() + PLACE;
        self.tables[a][b] = Some(Box::new(tables));
    }
}
