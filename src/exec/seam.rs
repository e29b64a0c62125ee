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

/// What machine code is asked to try. A call moves it to where the next call goes on. What is written together is not read together: a
/// processor that reads at once what it has just written in parts waits.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Wanted {
    /// The first transition to try, and one past the last of its location ([`end`](Self::end)).
    pub next: u32,
    /// Where the record of the process starts.
    pub base: u32,
    /// See [`next`](Self::next).
    pub end: u32,
    /// When all of them were tried, the processes with lower pids than this follow, from the highest down.
    pub left: u8,
    /// But not this one; [`NOBODY`] is none.
    pub skip: u8,
    /// An earlier transition of the location was executable.
    pub moved: bool,
    /// `timeout` holds.
    pub timeout: bool,
    /// The process.
    pub pid: u8,
}

impl Wanted {
    /// The cursor that has given the transition before the next one.
    #[inline]
    fn cursor(&self) -> Cursor {
        Cursor::within(self.pid, self.next, self.end, self.moved)
    }
}

/// By which transition a harvest has come to the state that it shows.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// The transition.
    pub number: u32,
    /// Its process.
    pub pid: u8,
    /// An earlier transition of the location was executable.
    pub moved: bool,
}

/// The parts of a machine that machine code works on.
#[derive(Debug)]
pub struct Parts<'m> {
    /// Hidden variables and the state.
    pub buffer: &'m mut [u8],
    /// So many bytes of the buffer are in use.
    pub used: usize,
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
    /// Whoever is shown the successors wants no more for now.
    Enough,
}

/// What came of a harvest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harvest {
    /// This came of the transition that the cursor has given last, which is not plain. It was not shown.
    Fired(Fired),
    /// Everything was tried.
    Nothing,
    /// Whoever is shown the successors wants no more for now.
    Enough,
}

/// A state that a machine has reached.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'m> {
    /// With its hidden variables: what [`Machine::load`] takes.
    pub saved: &'m [u8],
    hidden: usize,
}

impl<'m> Reached<'m> {
    /// The state as it is stored.
    #[inline]
    pub fn state(&self) -> &'m [u8] {
        &self.saved[self.hidden..]
    }
}

/// Machine code of a program.
pub trait Code: Send + Sync + std::fmt::Debug {
    /// Tries transitions in turn, as far as `wanted` says, until one of them is executable or has to be interpreted.
    fn attempt(&self, program: &Program, parts: Parts<'_>, wanted: &mut Wanted) -> Answer;

    /// As [`attempt`](Self::attempt). But an executable transition that is plain (the whole move, without an offer, and not of an
    /// escape) is shown to `each` and taken back, and the call goes on behind it while `each` answers `true`.
    fn harvest(
        &self,
        program: &Program,
        parts: Parts<'_>,
        wanted: &mut Wanted,
        each: &mut dyn FnMut(&[u8], Way) -> bool,
    ) -> Answer;
}

/// How a program comes to its code: by this function, at most once, when the first machine is warm. It is told how many steps make compiling
/// worth it.
pub type Compile = fn(&Program, u64) -> Option<Box<dyn Code>>;

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
        self.code.get_or_init(|| compile(program, self.patience)).as_deref()
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

    /// Goes to the successor that a harvest has shown with these bytes: what its plain transition has changed is noted in the journal word by
    /// word. `false` if the bytes do not say everything, and then nothing has changed.
    #[inline]
    pub fn adopt(&mut self, state: &[u8]) -> bool {
        if self.program.hidden != 0 || state.len() != self.end as usize || self.handshake.is_some() {
            return false;
        }
        self.journal.make_room(state.len() / 4 + 2);
        let (words, rest) = state.as_chunks::<8>();
        let mine = self.buffer.as_chunks_mut::<8>().0;
        for (number, (word, mine)) in words.iter().zip(mine).enumerate() {
            let (old, new) = (u64::from_le_bytes(*mine), u64::from_le_bytes(*word));
            if old != new {
                *mine = *word;
                for (half, changed) in [(0, (old ^ new) as u32), (1, ((old ^ new) >> 32) as u32)] {
                    if changed != 0 {
                        self.journal.push(Undo::Word, (8 * number + 4 * half) as u32, (old >> (32 * half)) as u32);
                    }
                }
            }
        }
        for (at, &byte) in rest.iter().enumerate().map(|(place, byte)| (8 * words.len() + place, byte)) {
            let old = self.buffer[at];
            if old != byte {
                let word = self.buffer[at..].first_chunk().map_or(0, |word| u32::from_le_bytes(*word));
                self.journal.push(Undo::Word, at as u32, word);
                self.buffer[at] = byte;
            }
        }
        true
    }

    /// The machine's state, as a harvest shows states.
    #[inline]
    pub fn reached(&self) -> Reached<'_> {
        Reached { saved: self.saved(), hidden: self.program.hidden as usize }
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

    /// As [`sweep`](Self::sweep), and shows every successor that machine code makes by a plain transition (one that is a whole move, without
    /// an offer, and not of an escape) to `each`, with the way to it, and takes it back; `each` says whether to go on. Anything
    /// else that is not just blocked ends the harvest and is done, as by `sweep`; the interpreter shows nothing.
    #[inline]
    pub fn harvest(
        &mut self,
        cursor: &mut Cursor,
        (left, skip): (&mut u8, u8),
        each: &mut impl FnMut(Reached<'_>, Way) -> bool,
    ) -> Harvest {
        let Some(code) = self.code else {
            return self.sweep(cursor, left, skip).map_or(Harvest::Nothing, Harvest::Fired);
        };
        let hidden = self.program.hidden as usize;
        let mut show = |saved: &[u8], way: Way| each(Reached { saved, hidden }, way);
        let program = self.program;
        self.go_by(cursor, (left, skip), false, |parts, wanted| code.harvest(program, parts, wanted, &mut show))
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

    /// [`sweep`](Self::sweep) by machine code.
    #[inline]
    fn advance_by(
        &mut self,
        code: &'p dyn Code,
        cursor: &mut Cursor,
        turns: (&mut u8, u8),
        claim: bool,
    ) -> Option<Fired> {
        let program = self.program;
        match self.go_by(cursor, turns, claim, |parts, wanted| code.attempt(program, parts, wanted)) {
            Harvest::Fired(fired) => Some(fired),
            Harvest::Nothing | Harvest::Enough => None,
        }
    }

    /// Calls machine code until something comes of it; what has no code is interpreted.
    #[inline(always)]
    fn go_by(
        &mut self,
        cursor: &mut Cursor,
        (left, skip): (&mut u8, u8),
        claim: bool,
        mut call: impl FnMut(Parts<'_>, &mut Wanted) -> Answer,
    ) -> Harvest {
        loop {
            if cursor.escape != 0 {
                // The rest of this process is decided by the rule of escapes.
                if let Some(fired) = self.interpret_on(cursor, claim) {
                    return Harvest::Fired(fired);
                }
                match self.below(left, skip) {
                    Some(next) => *cursor = next,
                    None => return Harvest::Nothing,
                }
            }
            let mut wanted = Wanted {
                next: cursor.next,
                end: cursor.end,
                left: *left,
                skip,
                moved: cursor.moved(),
                timeout: self.timeout,
                pid: cursor.pid() as u8,
                base: self.base(cursor.pid(), claim),
            };
            let answer = self.ask(&mut wanted, &mut call);
            *left = wanted.left;
            *cursor = wanted.cursor();
            match answer {
                Answer::Done(_) | Answer::Offers(..) => return Harvest::Fired(Fired::Done),
                Answer::Nothing => return Harvest::Nothing,
                Answer::Enough => return Harvest::Enough,
                Answer::Absent => {
                    if let Some(fired) = self.interpret_on(cursor, claim) {
                        return Harvest::Fired(fired);
                    }
                    match self.below(left, skip) {
                        Some(next) => *cursor = next,
                        None => return Harvest::Nothing,
                    }
                }
                Answer::Interpret(number) => {
                    let fired = self.interpret_one(cursor.pid(), number, cursor.moved(), claim);
                    if fired != Fired::Blocked {
                        return Harvest::Fired(fired);
                    }
                }
            }
            if cursor.next == cursor.end && *left == 0 {
                return Harvest::Nothing;
            }
        }
    }

    /// Tries one transition by machine code; `None` if the interpreter has to.
    #[inline]
    pub(super) fn fire_by(&mut self, code: &'p dyn Code, tried: (usize, u32, bool), claim: bool) -> Option<Fired> {
        let (pid, next, moved) = tried;
        let (base, timeout) = (self.base(pid, claim), self.timeout);
        let mut wanted = Wanted { next, end: next + 1, left: 0, skip: NOBODY, moved, timeout, pid: pid as u8, base };
        let program = self.program;
        match self.ask(&mut wanted, &mut |parts, wanted| code.attempt(program, parts, wanted)) {
            Answer::Done(_) | Answer::Offers(..) => Some(Fired::Done),
            Answer::Nothing => Some(Fired::Blocked),
            Answer::Interpret(_) | Answer::Absent | Answer::Enough => None,
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
    fn ask(&mut self, wanted: &mut Wanted, call: &mut impl FnMut(Parts<'_>, &mut Wanted) -> Answer) -> Answer {
        let mark = self.mark();
        self.journal.make_room(FREE_ENTRIES);
        if self.messages.capacity() - self.messages.len() < FREE_VALUES {
            self.messages.reserve(FREE_VALUES);
        }
        let parts = Parts {
            buffer: &mut self.buffer,
            used: self.end as usize,
            entries: &mut self.journal.entries,
            processes: &self.processes,
            channels: &self.channels,
            messages: &mut self.messages,
            offered: self.handshake.map(|handshake| (handshake.channel, handshake.start)),
        };
        let start = parts.messages.len() as u32;
        let answer = call(parts, wanted);
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
            Answer::Nothing | Answer::Absent | Answer::Enough => {}
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
