//! Sleep sets as data: the sleep sets of all states on the path, in one array.
//!
//! A sleep set holds moves that are enabled but need not be taken. This file knows two rules of Fig. 3 of the caching paper
//! (see [`crate::search::reduce::sleep`]). Line 14: the set of a successor gets the moves that are independent of the taken
//! move, in the state in which it is taken. Line 22: a move joins the set of its state when everything behind the move was
//! looked at. Which moves may sleep at all is decided by the two users, [`crate::search::reduce::sleep`] and
//! [`crate::search::reduce::both`].

use crate::analysis::relate::Answer;
use crate::analysis::{Dependence, Move, Part};
use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::mutants::{self, Mutant};
use crate::search::reduce::{Attempt, ProcessStep};

/// Pid in the upper byte, number of the transition in the program in the rest.
pub(super) type Half = u32;
/// There is no partner.
pub(super) const NOBODY: Half = Half::MAX;

#[inline]
fn half(step: ProcessStep) -> Half {
    u32::from(step.pid) << 24 | step.number & 0xff_ffff
}

/// The step of a half.
#[inline]
pub(super) fn step_of(half: Half) -> ProcessStep {
    ProcessStep { pid: (half >> 24) as u8, number: half & 0xff_ffff }
}

/// Actor and partner of a move.
#[inline]
pub(super) fn sides(attempt: Attempt) -> (Half, Half) {
    match attempt.sender {
        None => (half(attempt.step), NOBODY),
        Some(sender) => (half(sender), half(attempt.step)),
    }
}

/// A move in a sleep set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sleeper {
    /// Who moves, or sends.
    pub actor: Half,
    /// Who receives, in a rendezvous.
    pub partner: Half,
    /// It is handed on to successors.
    pub passes: bool,
}

impl Sleeper {
    /// Is it this move?
    #[inline]
    pub(super) fn is(&self, (actor, partner): (Half, Half)) -> bool {
        self.actor == actor && self.partner == partner
    }

    /// The process that makes its first step.
    pub(super) fn pid(&self) -> usize {
        usize::from(step_of(self.actor).pid)
    }
}

/// The sleep set of a state on the path: a stretch of the array.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Where it starts.
    start: u32,
    /// End of what it was entered with.
    inherited: u32,
    /// End of the set; behind it lies the set for the successors of the move that is under way.
    end: u32,
    /// The move that led here changed the processes.
    changed: bool,
}

/// See the head of this file.
pub(super) struct Sleepers<'m> {
    dependence: Dependence<'m>,
    /// By number of a transition in the program: its number in its automaton.
    own_number: Vec<u32>,
    /// By number in the program: makes or ends processes.
    changes: Vec<bool>,
    /// The move under way changes the processes.
    dirty: bool,
    /// Where the state decides whether two moves are independent, the state is asked; otherwise the moves count as dependent.
    asks: bool,
    /// Births and deaths count as dependent on every move: no move sleeps behind one of them, and none of them sleeps.
    stops_at_births: bool,
    entries: Vec<Sleeper>,
    stretches: Vec<Stretch>,
}

impl<'m> Sleepers<'m> {
    /// No states yet. `asks`: a successor also gets the moves that are independent in the present state only; otherwise it gets
    /// just the moves that are independent in every state.
    pub(super) fn new(model: &'m Model, program: &Program, asks: bool) -> Sleepers<'m> {
        let dependence = Dependence::new(model);
        let mut own_number = vec![0; program.transitions.len()];
        let mut changes = vec![false; program.transitions.len()];
        for (p, proctype) in model.proctypes.iter().enumerate() {
            let first = program.proctypes[p].first_transition as usize;
            for t in 0..proctype.automaton.transitions.len() {
                own_number[first + t] = t as u32;
                changes[first + t] = dependence.changes_processes(p, t);
            }
        }
        Sleepers {
            dependence,
            own_number,
            changes,
            dirty: true,
            asks,
            stops_at_births: false,
            entries: Vec::new(),
            stretches: Vec::new(),
        }
    }

    /// With `stops`, no move sleeps behind a birth or a death, and no birth or death sleeps. So a pid in a sleep set always names the
    /// process that it named when the move fell asleep, whichever way births and deaths are ordered elsewhere.
    #[must_use]
    pub(super) fn stopping_at_births(self, stops: bool) -> Sleepers<'m> {
        Sleepers { stops_at_births: stops, ..self }
    }

    /// Is this a birth or a death at which all sleep ends?
    #[inline]
    fn wakes_all(&self, attempt: Attempt) -> bool {
        self.stops_at_births && self.changes_processes(attempt)
    }

    /// The relation.
    pub(super) fn dependence(&self) -> &Dependence<'m> {
        &self.dependence
    }

    /// What sleeps in the state that the move under way has led to.
    #[inline]
    pub(super) fn handed_on(&self) -> &[Sleeper] {
        &self.entries[self.stretches.last().map_or(0, |stretch| stretch.end) as usize..]
    }

    /// What slept in the state on top when it was entered.
    #[inline]
    pub(super) fn inherited(&self) -> &[Sleeper] {
        let Some(stretch) = self.stretches.last() else { return &[] };
        &self.entries[stretch.start as usize..stretch.inherited as usize]
    }

    /// The state that the move under way has led to is entered. Its sleep set is what was handed on, each move changed or left
    /// out by `choose`. (The set is copied: a block with several ends enters several states with the same set.)
    #[inline]
    pub(super) fn enter<'p>(
        &mut self,
        machine: &mut Machine<'p>,
        mut choose: impl FnMut(&mut Machine<'p>, Sleeper) -> Option<Sleeper>,
    ) {
        let changed = std::mem::take(&mut self.dirty);
        if changed {
            self.dependence.refresh(&*machine);
        }
        let from = self.stretches.last().map_or(0, |stretch| stretch.end) as usize;
        let start = self.entries.len();
        for index in from..start {
            if let Some(sleeper) = choose(machine, self.entries[index]) {
                self.entries.push(sleeper);
            }
        }
        let end = self.entries.len() as u32;
        self.stretches.push(Stretch { start: start as u32, inherited: end, end, changed });
    }

    /// The state on top is left.
    #[inline]
    pub(super) fn leave(&mut self) {
        if let Some(stretch) = self.stretches.pop() {
            self.entries.truncate(stretch.start as usize);
            // The move may have other ends, with other processes.
            self.dirty |= stretch.changed;
        }
    }

    /// Was this move asleep when the state on top was entered?
    #[inline]
    pub(super) fn is_asleep(&self, sides: (Half, Half)) -> bool {
        self.inherited().iter().any(|sleeper| sleeper.is(sides))
    }

    #[inline]
    fn part(&self, half: Half) -> Part {
        let step = step_of(half);
        Part { pid: step.pid, transition: self.own_number[step.number as usize] }
    }

    #[inline]
    fn as_move(&self, (actor, partner): (Half, Half)) -> Move {
        Move { actor: self.part(actor), partner: (partner != NOBODY).then(|| self.part(partner)) }
    }

    #[inline]
    fn changes_processes(&self, attempt: Attempt) -> bool {
        let changes = |step: ProcessStep| self.changes[step.number as usize];
        changes(attempt.step) || attempt.sender.is_some_and(changes)
    }

    /// A step was taken: finds the sleep set of its successors, as far as that is possible without the state before the step.
    /// Gives true if the state is needed; then [`Sleepers::look_back`] must be called.
    #[inline]
    pub(super) fn stepped(&mut self, attempt: Attempt) -> bool {
        self.dirty |= self.changes_processes(attempt);
        let Some(&stretch) = self.stretches.last() else { return false };
        if self.wakes_all(attempt) {
            self.entries.truncate(stretch.end as usize);
            return false;
        }
        stretch.end > stretch.start && self.hand_on(stretch, sides(attempt))
    }

    #[inline]
    fn hand_on(&mut self, stretch: Stretch, move_taken: (Half, Half)) -> bool {
        self.entries.truncate(stretch.end as usize);
        let taken = self.as_move(move_taken);
        for index in stretch.start as usize..stretch.end as usize {
            let sleeper = self.entries[index];
            if sleeper.passes {
                let sleeping = self.as_move((sleeper.actor, sleeper.partner));
                match self.dependence.move_statically(&sleeping, &taken) {
                    Answer::Independent => self.entries.push(sleeper),
                    Answer::Dependent if mutants::is(Mutant::SleepersStay) => self.entries.push(sleeper),
                    Answer::Dependent => {}
                    Answer::Ask if self.asks => return true,
                    Answer::Ask => {}
                }
            }
        }
        false
    }

    /// Finds the sleep set of the successors with the machine in the state before the step.
    #[cold]
    pub(super) fn look_back(&mut self, machine: &Machine<'_>, attempt: Attempt) {
        let Some(&stretch) = self.stretches.last() else { return };
        self.entries.truncate(stretch.end as usize);
        let taken = self.as_move(sides(attempt));
        for index in stretch.start as usize..stretch.end as usize {
            let sleeper = self.entries[index];
            let sleeping = self.as_move((sleeper.actor, sleeper.partner));
            if sleeper.passes && !self.dependence.dependent(machine, &sleeping, &taken) {
                self.entries.push(sleeper);
            }
        }
    }

    /// Everything behind a move was looked at, and the machine is back in the state on top. `sleeps`: the move joins the sleep
    /// set of that state.
    #[inline]
    pub(super) fn returned(&mut self, machine: &Machine<'_>, attempt: Attempt, sleeps: bool) {
        if self.changes_processes(attempt) {
            self.dependence.refresh(machine);
            self.dirty = false;
        }
        let sleeps = sleeps && !self.wakes_all(attempt);
        let Some(stretch) = self.stretches.last_mut() else { return };
        self.entries.truncate(stretch.end as usize);
        if sleeps {
            let (actor, partner) = sides(attempt);
            self.entries.push(Sleeper { actor, partner, passes: true });
            stretch.end += 1;
        }
    }

    /// Bytes.
    pub(super) fn memory(&self) -> usize {
        self.dependence.memory()
            + self.entries.capacity() * size_of::<Sleeper>()
            + self.stretches.capacity() * size_of::<Stretch>()
    }
}
