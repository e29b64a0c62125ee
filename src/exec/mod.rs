//! The semantics: what is executable, what a step does, how it is undone. This is the only place that knows what a statement
//! means; searches, replay and simulation all go through [`Machine`]. No I/O, no allocation per step.
//!
//! A [`Machine`] has one buffer with the state (see [`crate::model`] for its parts). [`Machine::fire`] tries one transition
//! of one process. The transition is blocked; or it is done, and the old bytes are in the journal; or it fails with a
//! [`Trap`]. [`Machine::undo`] goes back to a mark of the journal. A rendezvous takes two calls: the send offers a handshake,
//! during which only receives on that channel by other processes are executable, and the receive completes it.
//!
//! | file | what |
//! |---|---|
//! | `compile`, `program` | the model made ready to run |
//! | `cursor` | which transition of a process is tried next |
//! | `fire` | one step |
//! | `eval`, `channel`, `print`, `trace` | what a step is made of: expressions, channels, printing, the `trace` automaton |
//! | `journal` | how a step is undone |
//! | `seam` | where machine code takes over |
//! | `trap` | run-time errors |
//! | `show`, `view` | the state for people, and for the analysis |

mod channel;
mod compile;
mod cursor;
mod eval;
mod fire;
pub mod journal;
pub mod print;
pub mod program;
pub mod seam;
pub mod show;
mod trace;
pub mod trap;
mod view;

pub use cursor::Cursor;
pub use journal::Mark;
pub use program::Program;
pub use trap::{Trap, TrapKind};

use crate::model::{PROCESS_HEADER, Scalar};
use crate::mutants::{self, Mutant};
use journal::{Journal, Undo};
use program::{Setup, Target};

/// At most this many processes and channels: pids and channel ids are bytes, as in SPIN.
pub const LIMIT: usize = 255;

/// What came of an attempt to fire a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fired {
    /// It is not executable; nothing has changed.
    Blocked,
    /// It is done.
    Done,
    /// It is done, with an error that does not keep the search from going on: a failed assertion counts as passed.
    DoneWith(Trap),
    /// It is not executable, and an error happened while this was found out.
    BlockedWith(Trap),
    /// It fails: nothing has changed.
    Failed(Trap),
}

/// A channel that exists now. Machine code reads it, so the order of the fields is fixed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ChannelRef {
    /// Absolute offset of its length.
    pub at: u32,
    /// Its type in the program.
    pub ty: u32,
}

/// A send that waits for its receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Handshake {
    /// Channel id.
    channel: u32,
    /// Where its message starts in `Machine::messages`.
    start: u32,
}

/// The process that evaluates or moves: its pid, and the place of its record in the buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Me {
    pid: u32,
    base: u32,
}

/// The executor: a state, and how to change it. See the module.
#[derive(Debug)]
pub struct Machine<'p> {
    program: &'p Program,
    /// Hidden variables, then the vector; longer than the state so that births need no check.
    buffer: Vec<u8>,
    /// End of the state in the buffer.
    end: u32,
    /// Absolute offset of each process.
    processes: Vec<u32>,
    /// Channels by id - 1.
    channels: Vec<ChannelRef>,
    journal: Journal,
    handshake: Option<Handshake>,
    messages: Vec<i32>,
    scratch: Vec<i32>,
    /// `timeout` holds.
    timeout: bool,
    /// What the last `run` gave.
    run_result: i32,
    /// The first error of the current step.
    noted: std::cell::Cell<Option<Trap>>,
    /// What was printed, if somebody listens.
    printed: Option<Vec<print::Printed>>,
    /// Machine code, once the machine is warm.
    code: Option<&'p dyn seam::Code>,
    /// Steps until the machine is warm; `None` if it never will be, or is.
    patience: Option<u64>,
    /// Steps inside long `d_step`s that nobody has asked for yet.
    toil: u32,
}

impl<'p> Machine<'p> {
    /// The initial state. An initialiser that fails (an index, a division) is an error of the model.
    pub fn new(program: &'p Program) -> Result<Machine<'p>, Trap> {
        let mut machine = Machine {
            program,
            buffer: vec![0; program.first_process as usize + 64],
            end: program.first_process,
            processes: Vec::with_capacity(LIMIT),
            channels: Vec::with_capacity(LIMIT),
            journal: Journal::default(),
            handshake: None,
            messages: Vec::new(),
            scratch: Vec::new(),
            timeout: false,
            run_result: 0,
            noted: std::cell::Cell::new(None),
            printed: None,
            code: None,
            patience: program.native.patience(),
            toil: 0,
        };
        machine.reset_channels();
        machine.set_up(Me { pid: 0, base: 0 }, &program.setup, 0);
        if let Some((at, number)) = program.claim {
            let claim = &program.proctypes[number as usize];
            machine.write(at + 1, Scalar::U16 { width: 16 }, i32::from(claim.entry));
            machine.set_up(Me { pid: 0, base: at }, &claim.setup, 0);
        }
        if let Some((at, number)) = program.trace {
            let entry = program.proctypes[number as usize].entry;
            machine.write(at, Scalar::U16 { width: 16 }, i32::from(entry));
        }
        for &(proctype, priority) in &program.processes {
            machine.scratch.clear();
            machine.scratch.resize(program.proctypes[proctype as usize].parameters.len(), 0);
            machine.create(proctype, priority, 0)?;
        }
        machine.forget_journal();
        if machine.patience == Some(0) {
            machine.warm(0);
        }
        match machine.noted.take() {
            Some(trap) => Err(trap),
            None => Ok(machine),
        }
    }

    /// Do processes and channels lie in this state where they lie now? They do if the processes have the same types.
    #[inline]
    fn has_layout_of(&self, saved: &[u8]) -> bool {
        let count = self.program.hidden as usize;
        let same = |at: usize| saved[at] == self.buffer[at];
        saved.len() == self.end as usize && same(count) && self.processes.iter().all(|&at| same(at as usize))
    }

    fn reset_channels(&mut self) {
        self.channels.clear();
        self.channels.extend(self.program.global_channels.iter().map(|&(at, ty)| ChannelRef { at, ty }));
    }

    fn set_up(&mut self, me: Me, setup: &'p [Setup], first_channel: usize) {
        let mut next_channel = first_channel;
        for action in setup {
            let (target, value) = match action {
                Setup::Assign(target, value) => (target, self.eval(me, value)),
                Setup::Channel(target) => {
                    next_channel += 1;
                    (target, next_channel as i32)
                }
            };
            self.assign(me, target, value);
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// The state as it is stored: hidden variables are not part of it.
    #[inline]
    pub fn state(&self) -> &[u8] {
        &self.buffer[self.program.hidden as usize..self.end as usize]
    }

    /// The state with its hidden variables: what [`Machine::load`] takes.
    #[inline]
    pub fn saved(&self) -> &[u8] {
        &self.buffer[..self.end as usize]
    }

    /// Makes `saved` (from [`Machine::saved`] of the same program) the current state. The journal starts anew.
    pub fn load(&mut self, saved: &[u8]) {
        if self.buffer.len() < saved.len() + 64 {
            self.buffer.resize(saved.len() + 64, 0);
        }
        let old_end = self.end as usize;
        let keeps_layout = self.has_layout_of(saved);
        self.buffer[..saved.len()].copy_from_slice(saved);
        self.handshake = None;
        self.timeout = false;
        self.forget_journal();
        if keeps_layout {
            return;
        }
        if old_end > saved.len() {
            self.buffer[saved.len()..old_end].fill(0);
        }
        self.end = saved.len() as u32;
        self.processes.clear();
        self.reset_channels();
        let mut at = self.program.first_process;
        for _ in 0..self.buffer[self.program.hidden as usize] {
            self.processes.push(at);
            let proctype = &self.program.proctypes[self.buffer[at as usize] as usize];
            self.channels.extend(proctype.channels.iter().map(|&(offset, ty)| ChannelRef { at: at + offset, ty }));
            at += proctype.size;
        }
        debug_assert_eq!(at, self.end);
    }

    /// Number of processes.
    #[inline]
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// Process type of a process.
    #[inline]
    pub fn proctype(&self, pid: usize) -> u32 {
        u32::from(self.buffer[self.processes[pid] as usize])
    }

    /// Location of a process, in its automaton.
    #[inline]
    pub fn location(&self, pid: usize) -> u32 {
        self.half(self.processes[pid] + 1)
    }

    /// The compiled location at which a process stands.
    #[inline]
    pub fn place(&self, pid: usize) -> &'p program::Location {
        let proctype = &self.program.proctypes[self.proctype(pid) as usize];
        &self.program.locations[(proctype.first_location + self.location(pid)) as usize]
    }

    /// The compiled location at which the claim stands.
    #[inline]
    pub fn claim_place(&self) -> Option<&'p program::Location> {
        let (at, number) = self.program.claim?;
        let proctype = &self.program.proctypes[number as usize];
        Some(&self.program.locations[(proctype.first_location + self.half(at + 1)) as usize])
    }

    /// Sets whether `timeout` holds.
    #[inline]
    pub fn set_timeout(&mut self, timeout: bool) {
        self.timeout = timeout;
    }

    /// A handshake is half done.
    #[inline]
    pub fn in_handshake(&self) -> bool {
        self.handshake.is_some()
    }

    /// The channel and message of a handshake that is half done.
    pub fn offered(&self) -> Option<(u32, &[i32])> {
        self.handshake.map(|handshake| (handshake.channel, &self.messages[handshake.start as usize..]))
    }

    /// Every process is at a valid end; with `strict` all channels must be empty too.
    pub fn is_valid_end(&self, strict: bool) -> bool {
        if strict && !self.channels_empty() {
            return false;
        }
        if mutants::is(Mutant::EveryEndValid) {
            return true;
        }
        // Without processes a trace is not asked whether it is complete: SPIN does not either.
        self.process_count() == 0
            || ((0..self.process_count()).all(|pid| self.place(pid).valid_end) && self.trace_may_end())
    }

    /// All channels are empty.
    pub fn channels_empty(&self) -> bool {
        (0..self.channels.len()).all(|index| self.length(self.channels[index]) == 0)
    }

    /// The present position of the journal.
    #[inline]
    pub fn mark(&self) -> Mark {
        self.journal.mark()
    }

    /// Empties the journal: no step so far can be undone any more.
    pub fn forget_journal(&mut self) {
        self.journal.entries.clear();
        self.journal.bytes.clear();
        self.messages.clear();
    }

    /// As [`forget_journal`](Self::forget_journal), unless a handshake is half done and needs its message.
    pub fn forget_journal_if_idle(&mut self) {
        if self.handshake.is_none() {
            self.forget_journal();
        }
    }

    /// Bytes of the machine's own tables.
    pub fn memory(&self) -> usize {
        self.buffer.capacity() + self.journal.memory()
    }

    /// Goes back to a mark.
    #[inline]
    pub fn undo(&mut self, mark: Mark) {
        while self.journal.entries.len() > mark.0 as usize {
            let Some(entry) = self.journal.entries.pop() else { return };
            if !entry.restore(&mut self.buffer) {
                self.undo_rare(entry);
            }
        }
    }

    fn undo_rare(&mut self, entry: journal::Entry) {
        let (at, length) = (entry.at as usize, entry.old as usize);
        match entry.undo {
            Undo::Bytes => self.pop_bytes(at, length),
            Undo::Birth => self.drop_youngest(),
            Undo::Death => {
                self.pop_bytes(at, length);
                self.end = (at + length) as u32;
                self.enlist(at as u32);
            }
            Undo::Offer => {
                self.handshake = None;
                self.messages.truncate(at);
            }
            Undo::Take => self.handshake = Some(Handshake { channel: entry.at, start: entry.old }),
            Undo::Word | Undo::Zero => {}
        }
    }

    fn pop_bytes(&mut self, at: usize, length: usize) {
        let from = self.journal.bytes.len() - length;
        self.buffer[at..at + length].copy_from_slice(&self.journal.bytes[from..]);
        self.journal.bytes.truncate(from);
    }

    /// Takes the process whose record starts at `at` into the tables.
    fn enlist(&mut self, at: u32) {
        self.processes.push(at);
        self.buffer[self.program.hidden as usize] = self.processes.len() as u8;
        let proctype = &self.program.proctypes[self.buffer[at as usize] as usize];
        self.channels.extend(proctype.channels.iter().map(|&(offset, ty)| ChannelRef { at: at + offset, ty }));
    }

    /// Takes the youngest process out of the tables and zeroes its record.
    fn drop_youngest(&mut self) {
        let Some(at) = self.processes.pop() else { return };
        self.buffer[self.program.hidden as usize] = self.processes.len() as u8;
        let own = self.program.proctypes[self.buffer[at as usize] as usize].channels.len();
        self.channels.truncate(self.channels.len() - own);
        self.buffer[at as usize..self.end as usize].fill(0);
        self.end = at;
    }

    /// Makes a process; its arguments are in `scratch`. Gives its pid.
    fn create(&mut self, number: u32, priority: u8, site: u32) -> Result<u32, Trap> {
        let proctype = &self.program.proctypes[number as usize];
        let pid = self.processes.len();
        if pid >= LIMIT {
            return Err(Trap::new(TrapKind::TooManyProcesses, site));
        }
        if self.channels.len() + proctype.channels.len() > LIMIT {
            return Err(Trap::new(TrapKind::TooManyChannels, site));
        }
        let base = self.end;
        let end = base + proctype.size;
        if self.buffer.len() < end as usize + 64 {
            self.buffer.resize(end as usize + 512, 0);
        }
        self.end = end;
        self.buffer[base as usize] = number as u8;
        self.buffer[base as usize + 1..base as usize + 3].copy_from_slice(&proctype.entry.to_le_bytes());
        if let Some(offset) = self.program.priority {
            self.buffer[(base + offset) as usize] = priority;
        }
        debug_assert!(proctype.size >= PROCESS_HEADER);
        let first_channel = self.channels.len();
        self.enlist(base);
        self.journal.push(Undo::Birth, base, 0);
        let me = Me { pid: pid as u32, base };
        for (index, target) in proctype.parameters.iter().enumerate() {
            let lost = index == 0 && mutants::is(Mutant::ParameterLost);
            let value = self.scratch.get(index).copied().filter(|_| !lost).unwrap_or(0);
            self.assign(me, target, value);
        }
        self.set_up(me, &proctype.setup, first_channel);
        Ok(pid as u32)
    }

    #[inline]
    fn half(&self, at: u32) -> u32 {
        let at = at as usize;
        u32::from(u16::from_le_bytes([self.buffer[at], self.buffer[at + 1]]))
    }

    #[inline]
    fn read(&self, at: u32, scalar: Scalar) -> i32 {
        let at = at as usize;
        match scalar {
            Scalar::U8 => i32::from(self.buffer[at]),
            Scalar::Bits { shift, width } => i32::from(self.buffer[at] >> shift) & ((1 << width) - 1),
            Scalar::I16 => i32::from(i16::from_le_bytes([self.buffer[at], self.buffer[at + 1]])),
            Scalar::U16 { .. } => i32::from(u16::from_le_bytes([self.buffer[at], self.buffer[at + 1]])),
            Scalar::I32 | Scalar::U32 { .. } => self.word(at) as i32,
        }
    }

    #[inline]
    fn word(&self, at: usize) -> u32 {
        let bytes = &self.buffer[at..at + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Writes and journals.
    #[inline]
    fn write(&mut self, at: u32, scalar: Scalar, value: i32) {
        let place = at as usize;
        self.journal.push(Undo::Word, at, self.word(place));
        match scalar {
            Scalar::U8 => {
                let value = if mutants::is(Mutant::NarrowByte) { value & 0x7f } else { value };
                self.buffer[place] = value as u8;
            }
            Scalar::Bits { shift, width } => {
                let old = self.buffer[place];
                let mask = ((1u8 << width) - 1) << shift;
                self.buffer[place] = (old & !mask) | (((value as u8) << shift) & mask);
            }
            Scalar::I16 | Scalar::U16 { .. } => {
                let value = scalar.truncate(value) as u16;
                self.buffer[place..place + 2].copy_from_slice(&value.to_le_bytes());
            }
            Scalar::I32 | Scalar::U32 { .. } => {
                let value = scalar.truncate(value);
                self.buffer[place..place + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
    }

    #[inline]
    fn assign(&mut self, me: Me, target: &Target, value: i32) {
        if let Some((at, scalar)) = self.locate(me, target) {
            self.write(at, scalar, value);
        }
    }

    #[inline]
    fn me(&self, pid: usize) -> Me {
        Me { pid: pid as u32, base: self.processes[pid] }
    }

    /// The process may move at all: its `provided` clause holds, and no process of higher priority can move. An error is
    /// one of that clause.
    #[inline]
    pub fn permitted(&self, pid: usize) -> Result<bool, Trap> {
        if self.program.restricted && !mutants::is(Mutant::ProvidedIgnored) {
            self.permitted_by_rules(pid)
        } else {
            Ok(true)
        }
    }

    fn permitted_by_rules(&self, pid: usize) -> Result<bool, Trap> {
        let provided = self.provided(pid);
        if let Some(trap) = self.noted.take() {
            return Err(trap);
        }
        let Some(offset) = self.program.priority.filter(|_| provided) else { return Ok(provided) };
        let priority = |pid: usize| self.buffer[(self.processes[pid] + offset) as usize];
        let first = (0..self.process_count()).all(|other| {
            other == pid || priority(other) <= priority(pid) || !self.provided(other) || !self.can_move(other)
        });
        // Errors of the others are told when it is their turn.
        self.noted.set(None);
        Ok(first)
    }

    /// The process of highest priority among those that keep this one from moving by their priority.
    pub(crate) fn outranked_by(&self, pid: usize) -> Option<usize> {
        let before =
            |&other: &usize| self.priority(other) > self.priority(pid) && self.provided(other) && self.can_move(other);
        let highest = (0..self.process_count()).rev().filter(before).max_by_key(|&other| self.priority(other));
        self.noted.set(None);
        highest
    }

    pub(crate) fn provided(&self, pid: usize) -> bool {
        match &self.program.proctypes[self.proctype(pid) as usize].provided {
            Some(clause) => self.eval(self.me(pid), clause) != 0,
            None => true,
        }
    }
}
