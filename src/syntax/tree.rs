//! The tree of a model, as the parser builds it: after preprocessing and inline expansion, before names are
//! resolved. One node type per construct of the language; every node knows its place.

pub use crate::model::operator::{BinaryOp, ChannelTest, UnaryOp};

use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use std::sync::Arc;

/// A name and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ident {
    /// The name.
    pub name: Arc<str>,
    /// Where it stands.
    pub span: Span,
}

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// In the order of the file: the order gives pids, channel ids and mtype numbers.
    pub items: Vec<Item>,
}

/// A thing at the top level.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // There are few, and most of a model's are the large ones.
pub enum Item {
    /// `proctype`, `D_proctype`, `init`, `never`, `trace`, `notrace`.
    Proctype(Proctype),
    /// `ltl name { formula }`.
    Ltl(Ltl),
    /// `typedef name { fields }`.
    Typedef(Typedef),
    /// `mtype = { … }`, `mtype:name = { … }`.
    Mtype(Mtype),
    /// Global variables.
    Declaration(Declaration),
}

/// What a body of statements is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProctypeKind {
    /// `proctype`.
    Proctype,
    /// `D_proctype`.
    Deterministic,
    /// `init`.
    Init,
    /// `never`.
    Never,
    /// `trace`.
    Trace,
    /// `notrace`.
    Notrace,
}

/// A process type, `init`, claim or trace.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// What it is.
    pub kind: ProctypeKind,
    /// Its name; `init`, `never_0` … where the source gives none.
    pub name: Ident,
    /// `active` (a number of instances if given).
    pub active: Option<Active>,
    /// Formal parameters.
    pub parameters: Vec<Declaration>,
    /// `priority N` at the declaration.
    pub priority: Option<Expr>,
    /// `provided ( … )`.
    pub provided: Option<Expr>,
    /// The body.
    pub body: Sequence,
    /// The head and body.
    pub span: Span,
}

/// `active` or `active [N]`.
#[derive(Clone, Debug)]
pub struct Active {
    /// N, if given.
    pub count: Option<Expr>,
    /// The word.
    pub span: Span,
}

/// An `ltl` block.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// Its name, if given.
    pub name: Option<Ident>,
    /// The formula.
    pub formula: Formula,
    /// What is wrong with it, as far as the parser can tell. It keeps this property from being checked and nothing
    /// else, so it does not count as an error of the model.
    pub faults: Vec<Diagnostic>,
    /// The block.
    pub span: Span,
}

/// An LTL formula over expressions. The parser makes [`FormulaKind::Atom`] of what holds no temporal operator.
#[derive(Clone, Debug)]
pub struct Formula {
    /// What it is.
    pub kind: FormulaKind,
    /// Where.
    pub span: Span,
}

/// See [`Formula`].
#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// A Promela expression.
    Atom(Expr),
    /// `!`.
    Not(Box<Formula>),
    /// `X`, `[]`, `<>`.
    Unary(Temporal, Box<Formula>),
    /// `&&`, `||`, `->`, `<->`, `U`, `W`, `V`.
    Binary(FormulaOp, Box<Formula>, Box<Formula>),
}

/// Unary temporal operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporal {
    /// `X`, `next`.
    Next,
    /// `[]`, `always`.
    Always,
    /// `<>`, `eventually`.
    Eventually,
}

/// Binary operators of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormulaOp {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `->`, `implies`.
    Implies,
    /// `<->`, `equivalent`.
    Equivalent,
    /// `U`, `until`, `stronguntil`.
    Until,
    /// `W`, `weakuntil`.
    WeakUntil,
    /// `V`, `release`.
    Release,
}

/// A `typedef`.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The new type.
    pub name: Ident,
    /// Its fields.
    pub fields: Vec<Declaration>,
    /// The whole.
    pub span: Span,
}

/// An `mtype` declaration of names.
#[derive(Clone, Debug)]
pub struct Mtype {
    /// The subtype, for `mtype:name`.
    pub subtype: Option<Ident>,
    /// The names as written: the last has the smallest number.
    pub names: Vec<Ident>,
    /// The whole.
    pub span: Span,
}

/// `hidden`, `show`, `local`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Visibility {
    /// None of them.
    #[default]
    Plain,
    /// Not part of the state.
    Hidden,
    /// Shown in charts.
    Show,
    /// Used by one process only.
    Local,
}

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
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
    /// `unsigned x : n`; the width stands at the declarator.
    Unsigned,
    /// `mtype` or `mtype:name`.
    Mtype(Option<Ident>),
    /// `chan`
    Chan,
    /// `pid`
    Pid,
    /// A `typedef`.
    Named(Ident),
}

/// One declaration: a type and its variables.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// `hidden`, `show`, `local`.
    pub visibility: Visibility,
    /// The type.
    pub ty: Type,
    /// The variables.
    pub variables: Vec<Declarator>,
    /// The whole.
    pub span: Span,
}

/// One declared variable.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// Its name.
    pub name: Ident,
    /// `: n` of an unsigned.
    pub width: Option<Expr>,
    /// `[n]`.
    pub array: Option<Expr>,
    /// `= …`.
    pub initializer: Option<Initializer>,
    /// The whole.
    pub span: Span,
}

/// What stands behind `=` in a declaration.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// An expression.
    Expr(Expr),
    /// `{ a, b, c }` for an array.
    List(Vec<Expr>),
    /// `[capacity] of { types }`.
    Channel {
        /// The number of slots.
        capacity: Expr,
        /// The message fields.
        fields: Vec<(Type, Span)>,
        /// The whole.
        span: Span,
    },
}

/// Statements and declarations in order.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// In order.
    pub steps: Vec<Step>,
    /// With its braces, where it has them.
    pub span: Span,
}

/// One step of a sequence.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // Nearly all are statements, the large one.
pub enum Step {
    /// A declaration inside a body.
    Declaration(Declaration),
    /// `xr q, r` or `xs q`.
    Exclusive {
        /// `xs`; else `xr`.
        send: bool,
        /// The channels.
        channels: Vec<VarRef>,
        /// The whole.
        span: Span,
    },
    /// A statement.
    Statement(Statement),
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The labels in front of it.
    pub labels: Vec<Ident>,
    /// What it does.
    pub kind: StatementKind,
    /// Without the labels.
    pub span: Span,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `v = e`.
    Assign(VarRef, Expr),
    /// `v++`.
    Increment(VarRef),
    /// `v--`.
    Decrement(VarRef),
    /// An expression, `run` among them; `skip` is the constant 1.
    Expr(Expr),
    /// `else`.
    Else,
    /// `goto L`.
    Goto(Ident),
    /// `break`.
    Break,
    /// `assert(e)`.
    Assert(Expr),
    /// `printf("…", args)`; the text is as written, without the quotes, escapes not yet read.
    Printf(Arc<str>, Vec<Expr>),
    /// `printm(e)`.
    Printm(Expr),
    /// `q!a,b` and `q!!a,b`.
    Send {
        /// The channel.
        channel: VarRef,
        /// `!!`.
        sorted: bool,
        /// The message.
        arguments: Vec<Expr>,
    },
    /// `q?…`, `q??…`, `q?<…>`, `q??<…>`.
    Receive {
        /// The channel.
        channel: VarRef,
        /// `??`.
        random: bool,
        /// `<…>`: the message stays.
        copy: bool,
        /// The pattern.
        arguments: Vec<ReceiveArgument>,
    },
    /// `if … fi`.
    If(Vec<Sequence>),
    /// `do … od`.
    Do(Vec<Sequence>),
    /// `for (v : a .. b) { … }`.
    ForRange {
        /// The counter.
        variable: VarRef,
        /// First value.
        from: Expr,
        /// Last value.
        to: Expr,
        /// The body.
        body: Sequence,
    },
    /// `for (v in x) { … }`, x an array or a channel.
    ForIn {
        /// The counter or the message variable.
        variable: VarRef,
        /// The array or channel.
        collection: VarRef,
        /// The body.
        body: Sequence,
    },
    /// `select (v : a .. b)`.
    Select {
        /// The variable.
        variable: VarRef,
        /// Smallest value.
        from: Expr,
        /// Largest value.
        to: Expr,
    },
    /// `atomic { … }`.
    Atomic(Sequence),
    /// `d_step { … }`.
    DStep(Sequence),
    /// `{ … }`; the name if it is the body of an inline.
    Block(Sequence, Option<Ident>),
    /// `main unless escape`.
    Unless(Box<Statement>, Box<Statement>),
}

/// One position of a receive or poll.
#[derive(Clone, Debug)]
pub enum ReceiveArgument {
    /// A variable that takes the value (or an mtype name, which is resolved later).
    Variable(VarRef),
    /// A constant that must match; a minus sign is folded in.
    Constant(Expr),
    /// `eval(e)`: the value must match.
    Eval(Expr),
    /// `_`.
    Anything(Span),
}

/// A variable with its indices and fields: `a[i].b.c[j]`.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// At least one.
    pub segments: Vec<Segment>,
    /// The whole.
    pub span: Span,
}

/// `name` or `name[index]`.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The name.
    pub name: Ident,
    /// The index.
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
    /// Levels below it, for the nesting limit.
    pub depth: u32,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, character constant, `true`, `false`, `skip`.
    Number(i32),
    /// A variable, mtype name or predefined variable (`_pid`, `_nr_pr`, `_last`, `_`).
    Variable(VarRef),
    /// `-e`, `!e`, `~e`.
    Unary(UnaryOp, Box<Expr>),
    /// `a + b` …
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len(q)`, `empty(q)` …
    Channel(ChannelTest, VarRef),
    /// `q?[…]`, `q??[…]`.
    Poll {
        /// The channel.
        channel: VarRef,
        /// `??`.
        random: bool,
        /// The pattern.
        arguments: Vec<ReceiveArgument>,
    },
    /// `run p(args) priority n`.
    Run {
        /// The process type.
        proctype: Ident,
        /// The arguments.
        arguments: Vec<Expr>,
        /// The priority.
        priority: Option<Box<Expr>>,
    },
    /// `timeout`.
    Timeout,
    /// `np_`.
    NonProgress,
    /// `enabled(pid)`.
    Enabled(Box<Expr>),
    /// `pc_value(pid)`.
    PcValue(Box<Expr>),
    /// `get_priority(pid)`.
    GetPriority(Box<Expr>),
    /// `set_priority(pid, n)`.
    SetPriority(Box<Expr>, Box<Expr>),
    /// `P[pid]@label`, `P@label`.
    RemoteLabel {
        /// The process type.
        proctype: Ident,
        /// The instance.
        pid: Option<Box<Expr>>,
        /// The label.
        label: Ident,
    },
    /// `P[pid]:variable`, `P:variable`.
    RemoteVariable {
        /// The process type.
        proctype: Ident,
        /// The instance.
        pid: Option<Box<Expr>>,
        /// Its variable.
        variable: VarRef,
    },
}
