//! The model that is run: process automata, expressions and the layout of a state. Plain data, made by `sema`, read
//! by `exec` and `analysis`; nothing here knows how to search.
//!
//! A state is one run of bytes, in this order:
//!
//! | part | what |
//! |---|---|
//! | hidden | `hidden` variables; in the buffer so that they are undone, but not in the hashed vector |
//! | header | number of processes, `_last` and the trace automaton's location if they are used |
//! | claim | location and variables of the claim, if one is checked |
//! | globals | variables by [`Region::Global`] offset |
//! | channels | the global channels, in order of their ids |
//! | processes | by pid: proctype, location, priority if used, locals, own channels |
//!
//! Offsets in [`Place`] count from the start of their region; the executor adds the base.

pub mod dump;
pub mod expr;
pub mod operator;
mod progress;
pub mod visit;

pub use expr::{BinaryOp, ChannelTest, Expr, ExprKind, Index, Place, ReceiveArgument, Region, RemotePlace, UnaryOp};

use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use std::sync::Arc;

/// Bytes in front of a process's locals: proctype (1), location (2).
pub const PROCESS_HEADER: u32 = 3;

/// How a scalar is kept in the vector. Loading widens to `i32`, storing truncates as C does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// `width` bits (1 to 7) of one byte, `shift` up. Scalars of type bit, bool and narrow unsigneds share bytes.
    Bits {
        /// Lowest bit.
        shift: u8,
        /// Number of bits.
        width: u8,
    },
    /// One unsigned byte: byte, mtype, pid, chan, and elements of bit and bool arrays.
    U8,
    /// Two bytes, signed: short.
    I16,
    /// Two bytes, unsigned, of which `width` (9 to 16) bits count.
    U16 {
        /// Number of bits.
        width: u8,
    },
    /// Four bytes, signed: int.
    I32,
    /// Four bytes, unsigned, of which `width` (17 to 32) bits count.
    U32 {
        /// Number of bits.
        width: u8,
    },
}

impl Scalar {
    /// Bytes it takes on its own.
    pub fn size(self) -> u32 {
        match self {
            Scalar::Bits { .. } | Scalar::U8 => 1,
            Scalar::I16 | Scalar::U16 { .. } => 2,
            Scalar::I32 | Scalar::U32 { .. } => 4,
        }
    }

    /// The value after it was stored and loaded again.
    pub fn truncate(self, value: i32) -> i32 {
        match self {
            Scalar::Bits { width, .. } => value & ((1 << width) - 1),
            Scalar::U8 => value & 0xff,
            Scalar::I16 => i32::from(value as i16),
            Scalar::U16 { width } => value & ((1 << width) - 1),
            Scalar::I32 => value,
            Scalar::U32 { width } => (u64::from(value as u32) & ((1u64 << width) - 1)) as u32 as i32,
        }
    }
}

/// The declared type of a scalar, for showing values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarType {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned : n`
    Unsigned(u8),
    /// `mtype`; the number of its [`MtypeSet`].
    Mtype(u16),
    /// `chan`
    Chan,
    /// `pid`
    Pid,
}

/// The names of one `mtype` set: value `v` (from 1) is `names[v - 1]`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MtypeSet {
    /// The subtype's name; `None` for plain `mtype`.
    pub name: Option<Arc<str>>,
    /// By value, from 1.
    pub names: Vec<Arc<str>>,
}

/// One array level of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// Number of elements.
    pub length: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// A scalar variable, array of scalars, or leaf field of a typedef variable, for showing states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// The path with `[]` for each dimension: `x`, `a[]`, `s[].field`.
    pub path: Arc<str>,
    /// Declared type.
    pub ty: ScalarType,
    /// Where it is kept.
    pub region: Region,
    /// Offset of its first element in the region.
    pub offset: u32,
    /// How it is kept.
    pub scalar: Scalar,
    /// Array levels, outermost first.
    pub dimensions: Vec<Dimension>,
    /// Declared with `show`.
    pub show: bool,
    /// Where it is declared.
    pub span: Span,
}

/// One field of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Declared type.
    pub ty: ScalarType,
    /// How it is kept in a slot. A bit field of a channel with several fields keeps 1 bit (`Bits { shift: 0, width: 1 }`
    /// in a byte of its own); the only field of a channel keeps a byte.
    pub scalar: Scalar,
    /// Offset in the slot.
    pub offset: u32,
}

/// A channel as it was created by one `[n] of { … }`: global ones in order of their ids (arrays element by element),
/// a process's own ones in order of creation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The variable it was declared with, `q` or `q[2]`.
    pub name: Arc<str>,
    /// Slots; 0 is a rendezvous channel.
    pub capacity: u32,
    /// Message fields (typedef fields flattened).
    pub fields: Vec<Field>,
    /// Bytes of a slot.
    pub slot_size: u32,
    /// Offset of its length in the channels part of the state (globals) or from the start of the process.
    pub offset: u32,
    /// Where it is declared.
    pub span: Span,
}

impl Channel {
    /// Bytes of the length in front of the slots: none for rendezvous, 2 above 255 slots.
    pub fn length_size(&self) -> u32 {
        match self.capacity {
            0 => 0,
            1..=255 => 1,
            _ => 2,
        }
    }

    /// Bytes it takes in the state. A rendezvous channel keeps nothing between steps.
    pub fn size(&self) -> u32 {
        self.length_size() + self.capacity * self.slot_size
    }
}

/// One action at the creation of the state or of a process, in order.
#[derive(Clone, Debug)]
pub enum Initial {
    /// A variable gets a value that is not zero.
    Assign(Place, Expr),
    /// A variable (with constant indices) gets the id of a new channel: the number in [`Model::channels`] or
    /// [`Proctype::channels`]. Channels appear in order.
    Channel(Place, u32),
}

/// A location of an automaton.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// The number SPIN gives it; `pc_value` shows it.
    pub number: u32,
    /// First of its transitions in [`Automaton::transitions`]; in the order in which they are tried: escapes of
    /// `unless` first, `else` last.
    pub first: u32,
    /// Number of its transitions.
    pub count: u32,
    /// Has a label that starts with `end`, or is the closing brace.
    pub end: bool,
    /// Has a label that starts with `accept`.
    pub accept: bool,
    /// Has a label that starts with `progress`.
    pub progress: bool,
    /// Its labels.
    pub labels: Vec<Arc<str>>,
    /// Where the statement (or closing brace) stands that starts here.
    pub span: Span,
}

/// Which of the caching paper's five kinds a transition is (section 5), for type-oriented replacement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TransitionType {
    /// Goto, loop start, branch.
    Control = 1,
    /// Receive.
    Receive = 2,
    /// Send.
    Send = 3,
    /// Assignment.
    Assign = 4,
    /// Anything else.
    Other = 5,
}

/// A transition of an automaton.
#[derive(Clone, Debug)]
pub struct Transition {
    /// What it does.
    pub action: Action,
    /// Where it leads.
    pub target: u32,
    /// Control stays inside the same atomic block: the state behind it is not stored and only this process goes on.
    pub atomic: bool,
    /// 0, or the number of the `unless` escape that offers it here: when one of these is executable, transitions of
    /// another number are not tried.
    pub escape: u32,
    /// Its kind for type-oriented replacement.
    pub kind: TransitionType,
    /// As it is shown: `out!queryt,offset`.
    pub text: Arc<str>,
    /// Where the statement stands.
    pub span: Span,
    /// What the step does besides; only a static reduction puts something here.
    pub after: After,
}

/// What a step does behind its action: work that a static reduction (`analysis::statics`) has moved to it.
#[derive(Clone, Debug, Default)]
pub struct After {
    /// Assignments (`Action::Assign`, `Action::Block`) that are always executable and cannot fail, in order.
    pub actions: Vec<Action>,
    /// Variables that nobody reads any more: they become 0, behind the assignments.
    pub resets: Vec<Place>,
}

impl After {
    /// Nothing is done besides.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty() && self.resets.is_empty()
    }
}

/// What a transition does. It is executable or not, and if so changes the state.
#[derive(Clone, Debug)]
pub enum Action {
    /// Always executable, nothing changes: `skip`, a goto that is a step of its own.
    Skip,
    /// Executable if it is not zero. May be a `run` (the process is made) or `set_priority`.
    Guard(Expr),
    /// Executable if no earlier transition of this location is.
    Else,
    /// `place = value`; the value may be a `run`.
    Assign(Place, Expr),
    /// Send.
    Send {
        /// The channel's id.
        channel: Expr,
        /// `!!`.
        sorted: bool,
        /// The message.
        arguments: Vec<Expr>,
    },
    /// Receive.
    Receive {
        /// The channel's id.
        channel: Expr,
        /// `??`.
        random: bool,
        /// `<…>`: the message stays.
        copy: bool,
        /// The pattern.
        arguments: Vec<ReceiveArgument>,
    },
    /// `assert`.
    Assert(Expr),
    /// `printf`.
    Printf(Vec<FormatPiece>, Vec<Expr>),
    /// `printm`.
    Printm(Expr),
    /// Several assignments in one step, in order (from `select` and the like if SPIN makes one step of them).
    Block(Vec<(Place, Expr)>),
    /// `d_step`: runs from the entry to the exit without choice.
    DStep(Box<Automaton>),
    /// The process dies; only the youngest can.
    End,
}

/// A piece of a `printf` text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FormatPiece {
    /// Text with its escapes read.
    Text(Arc<str>),
    /// `%d`
    Decimal,
    /// `%u`
    Unsigned,
    /// `%o`
    Octal,
    /// `%x`
    Hex,
    /// `%c`
    Char,
    /// `%e`: an mtype name, of this set.
    Mtype(u16),
}

/// A control-flow graph.
#[derive(Clone, Debug, Default)]
pub struct Automaton {
    /// Locations.
    pub locations: Vec<Location>,
    /// Transitions, grouped by location.
    pub transitions: Vec<Transition>,
    /// Where it starts.
    pub entry: u32,
    /// For a `d_step`: the location that means "done" (it has no transitions).
    pub exit: Option<u32>,
}

impl Automaton {
    /// The transitions of a location, in the order in which they are tried.
    pub fn at(&self, location: u32) -> &[Transition] {
        let location = &self.locations[location as usize];
        &self.transitions[location.first as usize..(location.first + location.count) as usize]
    }
}

/// What an automaton is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProctypeKind {
    /// `proctype` (or `init`).
    Proctype,
    /// `init`.
    Init,
    /// `never` or made from `ltl`.
    Claim,
    /// `trace`.
    Trace,
    /// `notrace`.
    Notrace,
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name.
    pub name: Arc<str>,
    /// What it is for.
    pub kind: ProctypeKind,
    /// `D_proctype`.
    pub deterministic: bool,
    /// Where each parameter goes (arguments are truncated to it), in order.
    pub parameters: Vec<Place>,
    /// Locals, for showing; parameters first.
    pub locals: Vec<Variable>,
    /// Bytes of header, locals and own channels together.
    pub size: u32,
    /// Channels that each instance creates for itself; offsets from the start of the process.
    pub channels: Vec<Channel>,
    /// What happens at creation after the parameters are set.
    pub initial: Vec<Initial>,
    /// `provided`.
    pub provided: Option<Expr>,
    /// `priority` at the declaration; 1 if none is given.
    pub priority: u8,
    /// Channels declared `xr` (false) or `xs` (true): only this process may receive from or send to them.
    pub exclusive: Vec<(bool, Expr, Span)>,
    /// The control flow.
    pub automaton: Automaton,
    /// Where it is declared.
    pub span: Span,
}

/// A process that exists at the start, in order of pid.
#[derive(Clone, Debug)]
pub struct Creation {
    /// Number of the process type.
    pub proctype: u32,
    /// Its priority.
    pub priority: u8,
}

/// A never claim or `ltl` property.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name.
    pub name: Arc<str>,
    /// The formula, if it came from one.
    pub formula: Option<Arc<str>>,
    /// Accept labels of the model's processes count beside its own, as SPIN has it. Not beside a formula: whether that holds is
    /// not a question of labels.
    pub counts_labels: bool,
    /// The formula has a `next`.
    pub uses_next: bool,
    /// The claim was given beside the model, by somebody who wants to check this one and no other.
    pub from_outside: bool,
    /// The automaton, as a process type with its own locals (offsets from the start of the claim's record).
    pub body: Proctype,
}

/// A `trace` or `notrace` automaton over the operations on some channels.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The automaton (kind says whether it is negated); its actions are `Send` and `Receive`. An argument of a
    /// `Send` that is not a constant is not compared (`_`, variables).
    pub body: Proctype,
    /// Ids of the global channels whose sends are its concern.
    pub sends: Vec<u32>,
    /// Ids of the global channels whose receives are its concern.
    pub receives: Vec<u32>,
}

/// Which parts of the language a model uses, where it changes how states are kept or searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Uses {
    /// `timeout`
    pub timeout: bool,
    /// `_last`
    pub last: bool,
    /// `np_`
    pub non_progress: bool,
    /// Some claim or formula asks for `timeout` or `enabled`.
    pub claims_ask: bool,
    /// Priorities: `priority`, `get_priority`, `set_priority`. Each process then has a priority byte behind its header.
    pub priorities: bool,
    /// `unless`
    pub unless: bool,
    /// `enabled`
    pub enabled: bool,
    /// `pc_value`
    pub pc_value: bool,
    /// `provided`
    pub provided: bool,
    /// A label that starts with `accept`, outside claims.
    pub accept_labels: bool,
    /// A label that starts with `progress`.
    pub progress_labels: bool,
}

/// An `ltl` property that cannot be checked.
#[derive(Clone, Debug)]
pub struct BrokenFormula {
    /// Its name.
    pub name: Arc<str>,
    /// Where it stands.
    pub span: Span,
    /// Why; one of them at least is an error.
    pub diagnostics: Vec<Diagnostic>,
}

/// A whole model, ready to be run.
#[derive(Clone, Debug)]
pub struct Model {
    /// File name.
    pub name: String,
    /// Hash of the preprocessed text, for trails and checkpoints: those of another model are refused.
    pub fingerprint: u64,
    /// Names of mtype values; set 0 is plain `mtype`.
    pub mtypes: Vec<MtypeSet>,
    /// Global variables (hidden ones too), for showing.
    pub globals: Vec<Variable>,
    /// Bytes of `hidden` variables.
    pub hidden_size: u32,
    /// Bytes of global variables.
    pub global_size: u32,
    /// Global channels; the id of the first is 1. Offsets count from the start of the channels part.
    pub channels: Vec<Channel>,
    /// What happens at the start, before any process is made.
    pub initial: Vec<Initial>,
    /// Process types.
    pub proctypes: Vec<Proctype>,
    /// The processes at the start.
    pub processes: Vec<Creation>,
    /// Never claims and `ltl` properties.
    pub claims: Vec<Claim>,
    /// Properties with a formula that cannot be read. They cannot be checked; all the rest of the model can.
    pub broken: Vec<BrokenFormula>,
    /// `trace` or `notrace`.
    pub trace: Option<Trace>,
    /// What it uses.
    pub uses: Uses,
}
