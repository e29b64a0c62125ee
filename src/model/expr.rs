//! Expressions with their names resolved: every variable is a region, an offset and a width.

pub use super::operator::{BinaryOp, ChannelTest, UnaryOp};
use super::{Dimension, Scalar, ScalarType};
use crate::source::Span;

/// Which part of the state a variable lives in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Region {
    /// `hidden`: undone on backtracking, not part of the state.
    Hidden,
    /// Global.
    Global,
    /// In the process that executes (or the claim, for the claim's own code).
    Local,
}

/// One index of a variable.
#[derive(Clone, Debug)]
pub struct Index {
    /// The value.
    pub value: Expr,
    /// Bound and stride.
    pub dimension: Dimension,
}

/// A variable, array element or field: where it is and how wide.
#[derive(Clone, Debug)]
pub struct Place {
    /// The part of the state.
    pub region: Region,
    /// Offset of the first element in the region.
    pub offset: u32,
    /// How it is kept.
    pub scalar: Scalar,
    /// Declared type.
    pub ty: ScalarType,
    /// Indices, outermost first; constant ones that are in range are folded into the offset.
    pub indices: Vec<Index>,
    /// The same for every variable and field: the place of its declaration in [`super::Model::globals`] or
    /// [`super::Proctype::locals`]; for messages and footprints.
    pub variable: u32,
    /// Where it is used.
    pub span: Span,
}

/// A variable of another process.
#[derive(Clone, Debug)]
pub struct RemotePlace {
    /// Number of the process type.
    pub proctype: u32,
    /// The instance; without it the only (the first) one of this type.
    pub pid: Option<Box<Expr>>,
    /// The variable, `Region::Local` of that process.
    pub place: Box<Place>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// What an expression is. Values are `i32` with C's wrapping.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Constant(i32),
    /// A variable.
    Load(Place),
    /// `-`, `!`, `~`.
    Unary(UnaryOp, Box<Expr>),
    /// Binary operator; `&&` and `||` do not evaluate what they need not.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`.
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len` … of the channel with this id.
    Channel(ChannelTest, Box<Expr>),
    /// `q?[…]`.
    Poll {
        /// The channel's id.
        channel: Box<Expr>,
        /// `??`.
        random: bool,
        /// The pattern.
        arguments: Vec<ReceiveArgument>,
    },
    /// `run`; the value is the new pid.
    Run {
        /// Number of the process type.
        proctype: u32,
        /// As many as it has parameters.
        arguments: Vec<Expr>,
        /// Priority; without it that of the declaration.
        priority: Option<Box<Expr>>,
    },
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
    /// `enabled(pid)`
    Enabled(Box<Expr>),
    /// `pc_value(pid)`
    PcValue(Box<Expr>),
    /// `get_priority(pid)`
    GetPriority(Box<Expr>),
    /// `set_priority(pid, value)`
    SetPriority(Box<Expr>, Box<Expr>),
    /// `P[pid]@label`: 1 if that process stands at one of the label's locations.
    RemoteLabel {
        /// Number of the process type.
        proctype: u32,
        /// The instance.
        pid: Option<Box<Expr>>,
        /// The location of the label.
        location: u32,
    },
    /// `P[pid]:variable`
    RemoteVariable(RemotePlace),
}

/// One position of a receive or poll.
#[derive(Clone, Debug)]
pub enum ReceiveArgument {
    /// The variable takes the value.
    Store(Place),
    /// The value must be equal: a constant or `eval`.
    Match(Expr),
    /// `_`.
    Ignore,
}
