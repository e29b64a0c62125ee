//! The seam to machine code: the same transitions, executed by code that was made for this program.
//!
//! The interpreter in this room says what a statement does. Machine code (`src/native`) does the same faster for the statements that
//! models are full of; for all others, and wherever an error is met, the code hands the transition back and the interpreter executes it
//! from its beginning. So every error comes from the interpreter, with its kind and its place. Searches do not know which of the two runs.
//!
//! A [`Code`] sees the parts of a machine for the time of one call ([`Parts`]). The code reads and writes the state, adds entries to
//! the journal, and writes the message of an offer; everything else is done here, by what the call answers ([`Answer`]).

use super::journal::Undo;
use super::journal::{Entry, Journal};
use super::program::Program;
use super::{ChannelRef, Cursor, Fired, Handshake, Machine};
use std::sync::{Arc, OnceLock};

/// So many entries of the journal are free when a call begins. Code that needs more of them hands the transition back.
pub const FREE_ENTRIES: usize = 1024;
/// So many values are free behind the messages when a call begins.
pub const FREE_VALUES: usize = 256;

/// A pid that no process has.
pub const NOBODY: u8 = u8::MAX;

const _: () = assert!(NOBODY as usize >= super::LIMIT);

/// When a machine uses machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Native {
    /// Never.
    Off,
    /// When the search has made so many steps that compiling pays.
    #[default]
    WhenWarm,
    /// From the first step on: for tests.
    AtOnce,
}

/// What machine code is asked to try. A call moves it to where the next call goes on.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The first transition to try, and one past the last of its location.
    pub next: u32,
    /// See `next`.
    pub end: u32,
    /// When all of them were tried, the processes with lower pids than this follow, from the highest down.
    pub left: u8,
    /// But not this one; [`NOBODY`] is none.
    pub skip: u8,
    /// Of the location at which the call begins, only the first transition is tried.
    pub single: bool,
    /// An earlier transition of the location was executable.
    pub moved: bool,
    /// `timeout` holds.
    pub timeout: bool,
    /// The process.
    pub pid: u8,
    /// Where the record of the process starts.
    pub base: u32,
}

/// The parts of a machine that machine code works on.
#[derive(Debug)]
pub struct Parts<'m> {
    /// Hidden variables and the state.
    pub buffer: &'m mut [u8],
    /// The journal's entries; [`FREE_ENTRIES`] more fit without growing.
    pub entries: &'m mut Vec<Entry>,
    /// Where the records of the processes start.
    pub processes: &'m [u32],
    /// The channels that exist.
    pub channels: &'m [ChannelRef],
    /// The messages on offer; [`FREE_VALUES`] more fit without growing.
    pub messages: &'m mut Vec<i32>,
    /// The channel and the message that are offered, if the call is about a receive that takes an offer.
    pub offered: Option<(u32, u32)>,
}

/// What came of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// None of the transitions is executable.
    Nothing,
    /// This transition is done; if there was an offer, it was taken.
    Done(u32),
    /// This transition is done: it offers a message on this channel.
    Offers(u32, u32),
    /// The interpreter has to execute this transition. What the call has changed stands in the journal.
    Interpret(u32),
    /// There is no code for the location of the process at which the call has come.
    Absent,
}

/// Machine code of a program.
pub trait Code: Send + Sync + std::fmt::Debug {
    /// Tries transitions in turn, as far as `wanted` says, until one of them is executable or has to be interpreted.
    fn attempt(&self, parts: Parts<'_>, wanted: &mut Wanted) -> Answer;
}

/// How a program comes to its code: by this function, at most once, when the first machine is warm.
pub type Compile = fn(&Program) -> Option<Box<dyn Code>>;

/// The machine code of a program, if there is some or shall be.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    compile: Option<Compile>,
    /// Steps after which a machine asks for code.
    patience: u64,
    code: Arc<OnceLock<Option<Box<dyn Code>>>>,
}

impl Compiled {
    /// Code that this function will make; `steps`: how many steps make that worth it.
    pub fn by(compile: Compile, when: Native, steps: u64) -> Compiled {
        let patience = if when == Native::AtOnce { 0 } else { steps };
        Compiled { compile: (when != Native::Off).then_some(compile), patience, code: Arc::default() }
    }

    /// Steps after which a machine asks for code, if it ever does.
    pub(super) fn patience(&self) -> Option<u64> {
        self.compile.map(|_| self.patience)
    }

    /// The code; it is made when it is asked for the first time.
    pub(super) fn code(&self, program: &Program) -> Option<&dyn Code> {
        let compile = self.compile?;
        self.code.get_or_init(|| compile(program)).as_deref()
    }
}

impl<'p> Machine<'p> {
    /// The machine has made so many more steps: when it is warm, it changes to machine code.
    pub fn warm(&mut self, steps: u64) {
        if self.code.is_some() || self.printed.is_some() {
            return;
        }
        let Some(patience) = self.patience else { return };
        self.patience = patience.checked_sub(steps).filter(|&left| left > 0);
        if self.patience.is_none() {
            self.code = self.program.native.code(self.program);
        }
    }

    /// Does the machine use machine code?
    #[inline]
    pub fn is_warm(&self) -> bool {
        self.code.is_some()
    }

    /// Tries the transitions that the cursor gives, in turn, until one of them is not just blocked; `None` if all are. `claim`: they
    /// are those of the claim.
    #[inline]
    pub fn advance(&mut self, cursor: &mut Cursor, claim: bool) -> Option<Fired> {
        match self.code {
            Some(code) if cursor.next != cursor.end => self.advance_by(code, cursor, (&mut 0, NOBODY), claim),
            Some(_) => None,
            None => self.interpret_on(cursor, claim),
        }
    }

    /// As [`advance`](Self::advance); when a process has no more to try, goes on with the processes below `left`, from the highest down,
    /// but for `skip`. Only for programs without restrictions on who may move.
    #[inline]
    pub fn sweep(&mut self, cursor: &mut Cursor, left: &mut u8, skip: u8) -> Option<Fired> {
        debug_assert!(!self.program.restricted);
        if let Some(code) = self.code {
            return self.advance_by(code, cursor, (left, skip), false);
        }
        loop {
            if let Some(fired) = self.interpret_on(cursor, false) {
                return Some(fired);
            }
            *cursor = self.below(left, skip)?;
        }
    }

    /// The cursor of the next process below `left`.
    #[inline]
    fn below(&self, left: &mut u8, skip: u8) -> Option<Cursor> {
        *left = left.checked_sub(1)?;
        if *left == skip {
            *left = left.checked_sub(1)?;
        }
        Some(Cursor::at(usize::from(*left), self.place(usize::from(*left))))
    }

    fn interpret_on(&mut self, cursor: &mut Cursor, claim: bool) -> Option<Fired> {
        while let Some(number) = cursor.next(self.program) {
            let fired = self.interpret_one(cursor.pid(), number, cursor.moved(), claim);
            if fired != Fired::Blocked {
                return Some(fired);
            }
        }
        None
    }

    fn interpret_one(&mut self, pid: usize, number: u32, moved: bool, claim: bool) -> Fired {
        if claim { self.interpret_claim(number, moved) } else { self.interpret(pid, number, moved) }
    }

    #[inline]
    fn advance_by(
        &mut self,
        code: &'p dyn Code,
        cursor: &mut Cursor,
        (left, skip): (&mut u8, u8),
        claim: bool,
    ) -> Option<Fired> {
        loop {
            if cursor.escape != 0 {
                // The rest of this process is decided by the rule of escapes.
                if let Some(fired) = self.interpret_on(cursor, claim) {
                    return Some(fired);
                }
                *cursor = self.below(left, skip)?;
            }
            let mut wanted = Wanted {
                next: cursor.next,
                end: cursor.end,
                left: *left,
                skip,
                single: cursor.next + 1 == cursor.end,
                moved: cursor.moved(),
                timeout: self.timeout,
                pid: cursor.pid() as u8,
                base: self.base(cursor.pid(), claim),
            };
            let answer = self.ask(code, &mut wanted);
            *left = wanted.left;
            *cursor = Cursor::within(wanted.pid, wanted.next, wanted.end, wanted.moved);
            match answer {
                Answer::Done(_) | Answer::Offers(..) => return Some(Fired::Done),
                Answer::Nothing => return None,
                Answer::Absent => {
                    if let Some(fired) = self.interpret_on(cursor, claim) {
                        return Some(fired);
                    }
                }
                Answer::Interpret(number) => {
                    let fired = self.interpret_one(cursor.pid(), number, cursor.moved(), claim);
                    if fired != Fired::Blocked {
                        return Some(fired);
                    }
                }
            }
            if cursor.next == cursor.end && *left == 0 {
                return None;
            }
        }
    }

    /// Tries one transition by machine code; `None` if the interpreter has to.
    #[inline]
    pub(super) fn fire_by(&mut self, code: &'p dyn Code, tried: (usize, u32, bool), claim: bool) -> Option<Fired> {
        let (pid, next, moved) = tried;
        let (base, timeout) = (self.base(pid, claim), self.timeout);
        let mut wanted =
            Wanted { next, end: next + 1, left: 0, skip: NOBODY, single: true, moved, timeout, pid: pid as u8, base };
        match self.ask(code, &mut wanted) {
            Answer::Done(_) | Answer::Offers(..) => Some(Fired::Done),
            Answer::Nothing => Some(Fired::Blocked),
            Answer::Interpret(_) | Answer::Absent => None,
        }
    }

    #[inline]
    fn base(&self, pid: usize, claim: bool) -> u32 {
        match self.program.claim {
            Some((base, _)) if claim => base,
            // A sweep may begin with no process at all.
            _ => self.processes.get(pid).copied().unwrap_or(0),
        }
    }

    /// One call of machine code, and what the code leaves to be done behind it.
    #[inline(always)]
    fn ask(&mut self, code: &'p dyn Code, wanted: &mut Wanted) -> Answer {
        let mark = self.mark();
        self.journal.make_room(FREE_ENTRIES);
        if self.messages.capacity() - self.messages.len() < FREE_VALUES {
            self.messages.reserve(FREE_VALUES);
        }
        let parts = Parts {
            buffer: &mut self.buffer,
            entries: &mut self.journal.entries,
            processes: &self.processes,
            channels: &self.channels,
            messages: &mut self.messages,
            offered: self.handshake.map(|handshake| (handshake.channel, handshake.start)),
        };
        let start = parts.messages.len() as u32;
        let answer = code.attempt(parts, wanted);
        match answer {
            Answer::Done(_) => {
                if let Some(taken) = self.handshake.take() {
                    self.journal.push(Undo::Take, taken.channel, taken.start);
                }
            }
            Answer::Offers(_, channel) => {
                self.journal.push(Undo::Offer, start, 0);
                self.handshake = Some(Handshake { channel, start });
            }
            Answer::Interpret(_) => self.undo(mark),
            Answer::Nothing | Answer::Absent => {}
        }
        answer
    }
}

impl Journal {
    /// Makes room for so many entries.
    #[inline]
    fn make_room(&mut self, entries: usize) {
        if self.entries.capacity() - self.entries.len() < entries {
            self.grow(entries);
        }
    }

    #[cold]
    fn grow(&mut self, entries: usize) {
        self.entries.reserve_exact(self.entries.len() / 4 + 2 * entries);
    }
}
