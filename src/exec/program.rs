//! The model made ready to run. Names are gone: every variable is a base, an offset and a width, and the transitions of all
//! process types lie in one table. A program is compiled once and read by every machine.

use super::print::Print;
use super::trap::TrapKind;
use crate::model::{BinaryOp, ChannelTest, Scalar, TransitionType, UnaryOp};
use crate::source::Span;
use std::sync::Arc;

/// A variable: absolute, or counted from the start of the process (or claim) that executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// From the start of the process.
    pub local: bool,
    /// Offset.
    pub offset: u32,
    /// Width.
    pub scalar: Scalar,
}

/// A variable with indices that are known only at run time.
#[derive(Clone, Debug)]
pub struct Indexed {
    /// Its first element.
    pub cell: Cell,
    /// Value, bound and stride of each index.
    pub indices: Vec<(Ex, u32, u32)>,
    /// Site, for an index out of range.
    pub site: u32,
}

/// A variable that is written.
#[derive(Clone, Debug)]
pub enum Target {
    /// Known place.
    Cell(Cell),
    /// Computed place.
    Indexed(Box<Indexed>),
}

/// A compiled expression. The leaves that models are full of have forms of their own.
#[derive(Clone, Debug)]
pub enum Ex {
    /// A number.
    Constant(i32),
    /// A global byte.
    GlobalByte(u32),
    /// A local byte.
    LocalByte(u32),
    /// Any other variable.
    Load(Cell),
    /// An array element.
    Indexed(Box<Indexed>),
    /// A global byte compared with a constant.
    GlobalByteIs(u32, i32),
    /// A local byte compared with a constant.
    LocalByteIs(u32, i32),
    /// `-`, `!`, `~`.
    Unary(UnaryOp, Box<Ex>),
    /// An operator that cannot fail.
    Binary(BinaryOp, Box<(Ex, Ex)>),
    /// `/` (false) or `%` (true).
    Divide(bool, Box<(Ex, Ex)>, u32),
    /// `&&`
    And(Box<(Ex, Ex)>),
    /// `||`
    Or(Box<(Ex, Ex)>),
    /// `(c -> a : b)`
    Conditional(Box<(Ex, Ex, Ex)>),
    /// `len` …
    Channel(ChannelTest, Box<Ex>, u32),
    /// `q?[…]`
    Poll(Box<Receive>),
    /// `_pid`
    Pid,
    /// `_nr_pr`
    ProcessCount,
    /// `_last`
    Last,
    /// `np_`
    NonProgress,
    /// `timeout`
    Timeout,
    /// `enabled`
    Enabled(Box<Ex>, u32),
    /// `pc_value`
    PcValue(Box<Ex>),
    /// `get_priority`
    GetPriority(Box<Ex>),
    /// The pid that the `run` of this statement gave.
    RunResult,
    /// `P[pid]@label`
    RemoteLabel {
        /// Process type.
        proctype: u32,
        /// Instance.
        pid: Option<Box<Ex>>,
        /// Location.
        location: u32,
        /// Site.
        site: u32,
    },
    /// `P[pid]:variable`
    RemoteVariable {
        /// Process type.
        proctype: u32,
        /// Instance.
        pid: Option<Box<Ex>>,
        /// The variable, in that process.
        target: Box<Target>,
        /// Site.
        site: u32,
    },
}

/// `run`.
#[derive(Clone, Debug)]
pub struct Run {
    /// Process type.
    pub proctype: u32,
    /// Arguments.
    pub arguments: Vec<Ex>,
    /// Priority.
    pub priority: Option<Ex>,
    /// Site.
    pub site: u32,
}

/// A position of a receive.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Takes the value.
    Store(Target),
    /// Must be equal.
    Match(Ex),
    /// Anything.
    Ignore,
}

/// A receive or poll.
#[derive(Clone, Debug)]
pub struct Receive {
    /// Channel id.
    pub channel: Ex,
    /// `??`
    pub random: bool,
    /// The message stays.
    pub copy: bool,
    /// The pattern.
    pub patterns: Vec<Pattern>,
    /// Some position must be equal.
    pub matches: bool,
    /// Site.
    pub site: u32,
}

/// A send.
#[derive(Clone, Debug)]
pub struct Send {
    /// Channel id.
    pub channel: Ex,
    /// `!!`
    pub sorted: bool,
    /// Values.
    pub values: Vec<Ex>,
    /// Site.
    pub site: u32,
}

/// What a compiled transition does.
#[derive(Clone, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// `printf`, `printm`: nothing but the text, which only a replay or simulation listens to.
    Print(Box<Print>),
    /// `else`
    Else,
    /// Death.
    End,
    /// A condition.
    Guard(Ex),
    /// An assignment.
    Assign(Target, Ex),
    /// A condition with a `run` in it.
    RunGuard(Box<(Run, Ex)>),
    /// An assignment with a `run` in it.
    RunAssign(Box<(Run, Target, Ex)>),
    /// Send.
    Send(Box<Send>),
    /// Receive.
    Receive(Box<Receive>),
    /// `assert`
    Assert(Ex, u32),
    /// Several assignments.
    Block(Vec<(Target, Ex)>),
    /// `set_priority`
    SetPriority(Box<(Ex, Ex, u32)>),
    /// `d_step`
    DStep(Box<Routine>, u32),
}

impl Op {
    /// Can it complete a handshake? A receive can, and a `d_step` that starts with one; everything else is blocked while something is
    /// offered.
    pub fn takes_offers(&self) -> bool {
        match self {
            Op::Receive(_) => true,
            Op::DStep(routine, _) => {
                let (first, number) = routine.locations[routine.entry as usize];
                let guards = &routine.transitions[first as usize..(first + number) as usize];
                guards.iter().any(|(op, _)| matches!(op, Op::Receive(_)))
            }
            _ => false,
        }
    }
}

/// A compiled `d_step`.
#[derive(Clone, Debug)]
pub struct Routine {
    /// First transition and number of transitions of each location.
    pub locations: Vec<(u32, u32)>,
    /// Operation and target.
    pub transitions: Vec<(Op, u32)>,
    /// Start.
    pub entry: u32,
    /// End.
    pub exit: u32,
}

/// A compiled transition.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What it does.
    pub op: Op,
    /// Location behind it.
    pub target: u16,
    /// Control stays inside the atomic block.
    pub atomic: bool,
    /// Escape number, or 0.
    pub escape: u32,
    /// Its type.
    pub kind: TransitionType,
    /// What it does besides, if a static reduction has given it more to do.
    pub after: Option<Box<After>>,
}

/// See [`crate::model::After`].
#[derive(Clone, Debug)]
pub struct After {
    /// Assignments, in order.
    pub assignments: Vec<(Target, Ex)>,
    /// Variables that become 0.
    pub resets: Vec<Cell>,
}

/// A compiled location.
#[derive(Clone, Copy, Debug)]
pub struct Location {
    /// First transition in [`Program::transitions`].
    pub first: u32,
    /// One past the last.
    pub end: u32,
    /// A valid end.
    pub valid_end: bool,
    /// Accepting.
    pub accept: bool,
    /// Progress.
    pub progress: bool,
    /// SPIN's number.
    pub number: u32,
}

/// A compiled action at creation.
#[derive(Clone, Debug)]
pub enum Setup {
    /// An assignment.
    Assign(Target, Ex),
    /// The variable gets the id of the next channel.
    Channel(Target),
}

/// A compiled process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// First location in [`Program::locations`].
    pub first_location: u32,
    /// First transition in [`Program::transitions`].
    pub first_transition: u32,
    /// Number of transitions.
    pub transitions: u32,
    /// Where it starts.
    pub entry: u16,
    /// Bytes.
    pub size: u32,
    /// Where parameters go.
    pub parameters: Vec<Target>,
    /// Actions at creation.
    pub setup: Vec<Setup>,
    /// Own channels: offset from the start of the process, number in [`Program::channels`].
    pub channels: Vec<(u32, u32)>,
    /// `provided`
    pub provided: Option<Ex>,
    /// Priority.
    pub priority: u8,
}

/// A compiled channel type.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Slots.
    pub capacity: u32,
    /// Bytes of the length.
    pub length_size: u32,
    /// Bytes of a slot.
    pub slot_size: u32,
    /// Offset and width of each field.
    pub fields: Vec<(u32, Scalar)>,
    /// As declared.
    pub name: Arc<str>,
    /// The trace has sends on it.
    pub traced_send: bool,
    /// The trace has receives on it.
    pub traced_receive: bool,
}

/// Where a run-time error can happen.
#[derive(Clone, Debug)]
pub struct Site {
    /// The place.
    pub span: Span,
    /// For an assertion: its text.
    pub text: Option<Arc<str>>,
}

/// The whole.
#[derive(Clone, Debug)]
pub struct Program {
    /// Process types; a claim, if one is checked, is the last but one or last, a trace the last.
    pub proctypes: Vec<Proctype>,
    /// Locations of all.
    pub locations: Vec<Location>,
    /// Transitions of all.
    pub transitions: Vec<Transition>,
    /// Channel types, those of the global channels first.
    pub channels: Vec<Channel>,
    /// Global channels: absolute offset, number in `channels`.
    pub global_channels: Vec<(u32, u32)>,
    /// Actions at the start.
    pub setup: Vec<Setup>,
    /// Processes at the start: process type and priority.
    pub processes: Vec<(u32, u8)>,
    /// Sites of run-time errors.
    pub sites: Vec<Site>,
    /// Bytes of hidden variables: the vector starts behind them.
    pub hidden: u32,
    /// Absolute offset of `_last`, if it is used.
    pub last: Option<u32>,
    /// Absolute offset of the trace automaton's location.
    pub trace: Option<(u32, u32)>,
    /// Absolute offset of the claim's record, and its number in `proctypes`.
    pub claim: Option<(u32, u32)>,
    /// Number of the claim among those of the model.
    pub claim_number: Option<usize>,
    /// The claim was made from a formula: at its end the formula is broken, whatever follows.
    pub formula: bool,
    /// The claim has a `timeout` or `enabled` in it that may hang on whether the system can move.
    pub claim_asks: bool,
    /// Absolute offset of the global variables.
    pub globals: u32,
    /// Absolute offset of the first process.
    pub first_process: u32,
    /// Priorities are in use; their offset in a process.
    pub priority: Option<u32>,
    /// `timeout` is in use.
    pub timeout: bool,
    /// `provided` or priorities: a process may not be allowed to move.
    pub restricted: bool,
    /// The location at the end of the trace automaton.
    pub trace_end: u16,
    /// The trace automaton is a `notrace`.
    pub notrace: bool,
    /// Machine code, if some is wanted.
    pub native: super::seam::Compiled,
}

impl Program {
    /// Splits a flag per transition by process type (claim and trace, if any, last).
    pub fn reached_by_proctype(&self, reached: &[bool]) -> Vec<Vec<bool>> {
        self.proctypes
            .iter()
            .map(|proctype| {
                let first = proctype.first_transition as usize;
                reached[first..first + proctype.transitions as usize].to_vec()
            })
            .collect()
    }

    /// Absolute offset of the global variables.
    pub fn global_base(&self) -> u32 {
        self.globals
    }

    /// In words, with the text of the assertion.
    pub fn describe(&self, trap: super::trap::Trap) -> String {
        let kind = trap.kind();
        match self.sites.get(trap.site() as usize).and_then(|site| site.text.as_ref()) {
            Some(text) if kind == TrapKind::Assertion => {
                let inner = text.strip_prefix("assert(").and_then(|text| text.strip_suffix(')'));
                let text = inner.unwrap_or(text);
                format!("{} {}", kind.message(), text)
            }
            _ => kind.message().to_string(),
        }
    }
}
