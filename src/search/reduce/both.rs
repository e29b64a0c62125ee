//! Persistent sets and sleep sets together: of the moves of a persistent set, the moves that sleep are left out too.
//!
//! Idea: Godefroid's thesis, section 5.2 (Fig. 5.2). A search that takes only a persistent set from each state may come to a
//! state first by a path on which a move sleeps, and later by a path on which the move does not. So we keep with each stored
//! state the sleep set that it was entered with. An arrival with a smaller sleep set enters the state again, only for the
//! moves of the difference; the state then keeps the intersection of the two sets. No stack conditions are needed here,
//! unlike in [`crate::search::reduce::sleep`].
//!
//! All deadlocks are kept. With the proviso of [`crate::search::reduce::persistent`] all errors on edges are kept too: some
//! move of the persistent set that is really taken must lead to a state that is not on the stack. Where no such move does,
//! the sleeping moves of the set are taken after all, and then further sets. The argument is in docs/soundness.md. Moves are
//! named by their pids. Where nobody can see pids and the sets make use of that, all sleep ends at a birth and at a death, so that
//! the names keep their meaning. `xr` and `xs` are not believed. The argument also needs a relation that is the same in every
//! state: a move that is independent in some states only does not stay asleep.
//!
//! Sound only with an exact store that forgets nothing, because the sleep sets are found by the store's handles.
//!
//! Costs 8 bytes for each move that sleeps in a stored state, a place in a hash map per state with a sleep set, and a lookup
//! there for each match.

use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::search::monitor::Patience;
use crate::search::reduce::persistent::{PersistentOptions, PersistentSets};
use crate::search::reduce::sleepers::{Half, Sleeper, Sleepers, sides};
use crate::search::reduce::{Attempt, Fault, Reduction, Ruling};
use crate::store::Handle;
use rapidhash::RapidHashMap;

/// Actor and partner, see [`Sleeper`].
type Sides = (Half, Half);

/// Which moves of a state on the path are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pass {
    /// Those of its persistent set that do not sleep.
    First,
    /// Those of its persistent set that sleep, because of the proviso.
    Woken,
    /// The state is entered again: the moves that slept before and do not sleep now.
    Again,
}

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct StateInPass {
    pass: Pass,
    /// Where its moves start in [`PersistentSleep::only`]; they end where the next state's start.
    only: usize,
}

/// The sleep sets of stored states, by handle. A set that is empty from the start is left out; one that becomes empty stays, with length 0: the
/// room that a map has after removals hangs on how it hashes, which differs from run to run, and the bytes of a search must not.
#[derive(Debug, Default)]
struct StoredSets {
    places: RapidHashMap<u64, (usize, u32)>,
    moves: Vec<Sides>,
}

impl StoredSets {
    fn insert(&mut self, handle: Handle, set: impl Iterator<Item = Sides>) {
        let start = self.moves.len();
        self.moves.extend(set);
        let length = self.moves.len() - start;
        if length > 0 {
            self.places.insert(handle.0, (start, length as u32));
        }
    }

    /// Takes the moves out of a set that are not in `now` and appends them to `out`.
    fn intersect(&mut self, handle: Handle, now: &[Sleeper], out: &mut Vec<Sides>) {
        let Some((start, length)) = self.places.get_mut(&handle.0) else { return };
        let set = &mut self.moves[*start..*start + *length as usize];
        let mut kept = 0;
        for at in 0..set.len() {
            let sides = set[at];
            if now.iter().any(|sleeper| sleeper.is(sides)) {
                set[kept] = sides;
                kept += 1;
            } else {
                out.push(sides);
            }
        }
        *length = kept as u32;
    }

    fn contains(&self, handle: Handle, sides: Sides) -> bool {
        let set = self.places.get(&handle.0).map(|&(start, length)| &self.moves[start..start + length as usize]);
        set.is_some_and(|set| set.contains(&sides))
    }

    fn memory(&self) -> usize {
        // A hash map of this kind has a byte more for each place.
        self.moves.capacity() * size_of::<Sides>() + self.places.capacity() * (size_of::<(u64, (usize, u32))>() + 1)
    }
}

/// See the head of this file.
pub struct PersistentSleep<'m> {
    persistent: PersistentSets<'m>,
    sleepers: Sleepers<'m>,
    stored: StoredSets,
    path: Vec<StateInPass>,
    only: Vec<Sides>,
}

impl<'m> PersistentSleep<'m> {
    /// For a search of this model.
    pub fn new(model: &'m Model, program: &Program, keep: PersistentOptions) -> PersistentSleep<'m> {
        let persistent = PersistentSets::new(model, keep);
        let blind = persistent.relation().is_blind();
        PersistentSleep {
            persistent,
            sleepers: Sleepers::new(model, program, false).stopping_at_births(blind),
            stored: StoredSets::default(),
            path: Vec::new(),
            only: Vec::new(),
        }
    }

    /// See [`PersistentSets::within`].
    #[must_use]
    pub fn within(self, patience: Patience<'m>) -> PersistentSleep<'m> {
        PersistentSleep { persistent: self.persistent.within(patience), ..self }
    }

    /// The only moves that are looked at in the state on top, if it is not its first pass.
    #[inline]
    fn only(&self) -> Option<&[Sides]> {
        self.path.last().filter(|state| state.pass != Pass::First).map(|state| &self.only[state.only..])
    }

    fn push(&mut self, pass: Pass, only: usize) {
        self.path.push(StateInPass { pass, only });
    }
}

impl Reduction for PersistentSleep<'_> {
    const REENTERS: bool = true;

    fn enter(&mut self, machine: &mut Machine<'_>, handle: Handle) {
        self.persistent.enter(machine, handle);
        self.sleepers.enter(machine, |_, sleeper| Some(sleeper));
        self.push(Pass::First, self.only.len());
        let inherited = self.sleepers.inherited();
        self.stored.insert(handle, inherited.iter().map(|sleeper| (sleeper.actor, sleeper.partner)));
    }

    fn reenters(&mut self, machine: &mut Machine<'_>, handle: Handle) -> bool {
        let start = self.only.len();
        self.stored.intersect(handle, self.sleepers.handed_on(), &mut self.only);
        if self.only.len() == start {
            return false;
        }
        self.persistent.reenter(machine);
        let kept = &self.stored;
        self.sleepers
            .enter(machine, |_, sleeper| kept.contains(handle, (sleeper.actor, sleeper.partner)).then_some(sleeper));
        self.push(Pass::Again, start);
        true
    }

    fn seen(&mut self, machine: &Machine<'_>, on_stack: Option<bool>) {
        self.persistent.seen(machine, on_stack);
    }

    fn leave(&mut self, machine: &Machine<'_>) {
        self.persistent.leave(machine);
        self.sleepers.leave();
        if let Some(state) = self.path.pop() {
            self.only.truncate(state.only);
        }
    }

    #[inline]
    fn admits(&mut self, machine: &Machine<'_>, pid: usize) -> bool {
        match self.only() {
            Some(only) => only.iter().any(|&(actor, _)| (actor >> 24) as usize == pid),
            None => self.persistent.admits(machine, pid),
        }
    }

    #[inline]
    fn rule(&mut self, _: &Machine<'_>, attempt: Attempt) -> Ruling {
        let wanted = sides(attempt);
        match self.only() {
            // A first step may be half of a rendezvous: which of its receives are wanted is asked then.
            Some(only) if attempt.sender.is_none() && only.iter().any(|&(actor, _)| actor == wanted.0) => Ruling::Try,
            Some(only) if only.contains(&wanted) => Ruling::Try,
            Some(_) => Ruling::Skip,
            None if self.sleepers.is_asleep(wanted) => Ruling::Asleep,
            None => Ruling::Try,
        }
    }

    #[inline]
    fn stepped(&mut self, attempt: Attempt) -> bool {
        self.sleepers.stepped(attempt)
    }

    #[inline]
    fn returned(&mut self, machine: &Machine<'_>, attempt: Attempt) {
        // What was woken is in the set already.
        let sleeps = self.path.last().is_none_or(|state| state.pass != Pass::Woken);
        self.sleepers.returned(machine, attempt, sleeps);
    }

    fn admits_more(&mut self, machine: &mut Machine<'_>) -> bool {
        let Some(&StateInPass { pass, only }) = self.path.last() else { return false };
        self.only.truncate(only);
        let next = match pass {
            Pass::Again => return false,
            Pass::Woken => Pass::First,
            Pass::First => {
                if let Some(set) = self.persistent.stuck() {
                    let asleep = self.sleepers.inherited().iter().filter(|sleeper| set.contains(sleeper.pid()));
                    self.only.extend(asleep.map(|sleeper| (sleeper.actor, sleeper.partner)));
                }
                if self.only.len() > only { Pass::Woken } else { Pass::First }
            }
        };
        if let Some(state) = self.path.last_mut() {
            state.pass = next;
        }
        next == Pass::Woken || self.persistent.admits_more(machine)
    }

    fn memory(&self) -> usize {
        self.persistent.memory()
            + self.sleepers.memory()
            + self.stored.memory()
            + self.path.capacity() * size_of::<StateInPass>()
            + self.only.capacity() * size_of::<Sides>()
    }

    fn fault(&self) -> Option<&Fault> {
        self.persistent.fault()
    }
}
