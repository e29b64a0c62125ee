//! Persistent sets and sleep sets together: of the moves of a persistent set, those that sleep are left out too.
//!
//! Idea: Godefroid's thesis, section 5.2 (Fig. 5.2). A search that takes only a persistent set from each state may come to a state
//! first by a path on which a move sleeps, and later by one on which it does not. So each stored state keeps the set that
//! it was entered with, and an arrival with a smaller one enters it again, for the difference only; what is kept is then the
//! intersection. No stack conditions are needed here, unlike in [`crate::search::reduce::sleep`].
//!
//! All deadlocks are kept, and with the proviso of [`crate::search::reduce::persistent`] all errors on edges: some move of the persistent set that is
//! really taken must lead to a state that is not on the stack. Where none does, those of the set that sleep are taken after all,
//! and then more sets. The argument is in docs/soundness.md. It names moves by their pids, so births and deaths count
//! as dependent here also where nobody can see pids, and `xr` and `xs` are not believed. And it needs a relation that does not
//! hang on the state: moves that are independent in some states only do not stay asleep.
//!
//! Needs an exact store that forgets nothing: the sets hang on its handles.
//!
//! Costs: 8 bytes for each move that sleeps in a stored state and a place in a hash map; a lookup there for each match.

use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::search::monitor::Patience;
use crate::search::reduce::persistent::{Keep, PersistentSets};
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
    /// It was entered before: those that slept then and do not now.
    Again,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    pass: Pass,
    /// Where its moves start in [`PersistentSleep::only`]; they end where the next frame's start.
    only: usize,
}

/// The sleep sets of stored states, by handle; those that are empty are not there.
#[derive(Debug, Default)]
struct KeptSets {
    places: RapidHashMap<u64, (usize, u32)>,
    moves: Vec<Sides>,
}

impl KeptSets {
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
        if kept == 0 {
            self.places.remove(&handle.0);
        }
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
    kept: KeptSets,
    frames: Vec<Frame>,
    only: Vec<Sides>,
}

impl<'m> PersistentSleep<'m> {
    /// For a search of this model.
    pub fn new(model: &'m Model, program: &Program, keep: Keep) -> PersistentSleep<'m> {
        PersistentSleep {
            persistent: PersistentSets::new(model, keep),
            sleepers: Sleepers::new(model, program, false),
            kept: KeptSets::default(),
            frames: Vec::new(),
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
        self.frames.last().filter(|frame| frame.pass != Pass::First).map(|frame| &self.only[frame.only..])
    }

    fn push(&mut self, pass: Pass, only: usize) {
        self.frames.push(Frame { pass, only });
    }
}

impl Reduction for PersistentSleep<'_> {
    const REENTERS: bool = true;

    fn enter(&mut self, machine: &mut Machine<'_>, handle: Handle) {
        self.persistent.enter(machine, handle);
        self.sleepers.enter(machine, |_, sleeper| Some(sleeper));
        self.push(Pass::First, self.only.len());
        let inherited = self.sleepers.inherited();
        self.kept.insert(handle, inherited.iter().map(|sleeper| (sleeper.actor, sleeper.partner)));
    }

    fn reenters(&mut self, machine: &mut Machine<'_>, handle: Handle) -> bool {
        let start = self.only.len();
        self.kept.intersect(handle, self.sleepers.handed_on(), &mut self.only);
        if self.only.len() == start {
            return false;
        }
        self.persistent.reenter(machine);
        let kept = &self.kept;
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
        if let Some(frame) = self.frames.pop() {
            self.only.truncate(frame.only);
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
    fn takes(&mut self, attempt: Attempt) -> bool {
        self.sleepers.takes(attempt)
    }

    #[inline]
    fn returned(&mut self, machine: &Machine<'_>, attempt: Attempt) {
        // What was woken is in the set already.
        let sleeps = self.frames.last().is_none_or(|frame| frame.pass != Pass::Woken);
        self.sleepers.returned(machine, attempt, sleeps);
    }

    fn admits_more(&mut self, machine: &mut Machine<'_>) -> bool {
        let Some(&Frame { pass, only }) = self.frames.last() else { return false };
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
        if let Some(frame) = self.frames.last_mut() {
            frame.pass = next;
        }
        next == Pass::Woken || self.persistent.admits_more(machine)
    }

    fn memory(&self) -> usize {
        self.persistent.memory()
            + self.sleepers.memory()
            + self.kept.memory()
            + self.frames.capacity() * size_of::<Frame>()
            + self.only.capacity() * size_of::<Sides>()
    }

    fn fault(&self) -> Option<&Fault> {
        self.persistent.fault()
    }
}
