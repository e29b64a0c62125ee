//! Which transition of a process is tried next: the one place where this rule is written.
//!
//! A process tries the transitions of its location in order. What happened to earlier transitions decides about later ones,
//! in two ways. First, `else` is executable only if no transition before it was executable. Second, the transitions of an
//! escape (`unless`) stand in front of the transitions that they interrupt: as soon as a transition of an escape was
//! executable, only transitions of the same escape are tried. A send on a rendezvous channel is decided later than other
//! transitions: it is offered, and counts as executable only if another process takes it. An offer that nobody takes lifts
//! the second rule: the later transitions of every escape and of the body are tried, as in SPIN, even if an earlier
//! transition of the same escape was executable.
//!
//! The walk, the choices of a simulation and the scans of the reductions all use this cursor, so they cannot disagree.

use super::program::{Location, Program, Transition};
use super::{Machine, Trap};
use crate::mutants::{self, Mutant};

/// A position among the transitions of one process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cursor {
    /// The next transition to try, and one past the last of the location.
    pub(super) next: u32,
    pub(super) end: u32,
    /// The escape to which the executable transitions belong so far; 0 is none.
    pub(super) escape: u32,
    pid: u8,
    moved: bool,
}

impl Cursor {
    /// At the start of a location.
    #[inline]
    pub fn at(pid: usize, place: &Location) -> Cursor {
        Cursor { next: place.first, end: place.end, escape: 0, pid: pid as u8, moved: false }
    }

    /// In a location of which the transitions before `next` are done with; no escape was executable.
    #[inline]
    pub fn within(pid: u8, next: u32, end: u32, moved: bool) -> Cursor {
        Cursor { next, end, escape: 0, pid, moved }
    }

    /// Was everything tried?
    #[inline]
    pub fn is_done(&self) -> bool {
        self.next == self.end
    }

    /// A process for which nothing is to be tried.
    #[inline]
    pub fn nothing(pid: usize) -> Cursor {
        Cursor { pid: pid as u8, ..Cursor::default() }
    }

    /// The next transition to try, by its number in the program.
    #[inline]
    pub fn next(&mut self, program: &Program) -> Option<u32> {
        if self.next == self.end {
            return None;
        }
        let number = self.next;
        if self.moved && number + 1 == self.end && mutants::is(Mutant::OptionDropped) {
            return None;
        }
        if self.escape > 0 && self.escape != program.transitions[number as usize].escape {
            self.next = self.end;
            return None;
        }
        self.next += 1;
        Some(number)
    }

    /// The transition that was given last was executable.
    #[inline]
    pub fn took(&mut self, transition: &Transition) {
        self.escape = if mutants::is(Mutant::EscapeIgnored) { 0 } else { transition.escape };
        self.moved = true;
    }

    /// The transition that was given last ended in an error: it was executable, but its escape does not interrupt the others.
    #[inline]
    pub fn failed(&mut self) {
        self.moved = true;
    }

    /// The transition that was given last is a send that was offered and that no process has taken.
    #[inline]
    pub fn offer_failed(&mut self) {
        self.escape = 0;
    }

    /// Was any transition executable so far? Then `else` is not.
    #[inline]
    pub fn moved(&self) -> bool {
        self.moved
    }

    /// The process.
    #[inline]
    pub fn pid(&self) -> usize {
        usize::from(self.pid)
    }

    /// The transition that was given last.
    #[inline]
    pub fn tried(&self) -> u32 {
        self.next.wrapping_sub(1)
    }
}

impl Machine<'_> {
    /// The cursor of a process, at its start; with nothing to try if the process may not move. An error is one of the
    /// process's `provided` clause.
    #[inline]
    pub fn cursor(&self, pid: usize) -> Result<Cursor, Trap> {
        Ok(if self.permitted(pid)? { Cursor::at(pid, self.place(pid)) } else { Cursor::nothing(pid) })
    }
}
