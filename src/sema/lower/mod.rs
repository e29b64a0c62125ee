//! From statements to automata, by the way SPIN takes.
//!
//! A body becomes a graph of *elements*, one per statement and some that only hold the structure together, chained
//! in sequences. Elements are numbered as they are made; the numbers are the control states that `pan -d` shows and
//! `pc_value` returns, so the order in which things are made here is part of the meaning:
//!
//! - the statements inside a construct come before the construct; an `if` is two elements (the choice and the point
//!   behind it), a `do` three (the point in front, the choice, the point behind), an `unless` two;
//! - the escape of an `unless` comes before its main sequence unless they are blocks;
//! - a goto with an end, progress or accept label gets a step of its own in front of it.
//!
//! [`build`] makes elements from nodes, [`link`] finds where a step leads (gotos and structure are walked through),
//! [`automaton`] turns the elements into locations and transitions, choices flattened and escapes copied.

mod automaton;
pub(super) mod build;
mod desugar;
mod dstep;
mod link;
mod local;
mod remote;
mod statement;

use crate::model::{Action, TransitionType};
use crate::source::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// Number of an element in [`Flow::elements`].
pub(super) type El = usize;
/// Number of a sequence in [`Flow::sequences`].
pub(super) type Seq = usize;

/// Control stays in the atomic block behind this element.
pub(super) const ATOM: u8 = 1;
/// The last element of an atomic block.
pub(super) const LAST: u8 = 2;
/// Inside a `d_step`.
pub(super) const DSTEP: u8 = 4;

/// What an element does on its own.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub action: Action,
    pub kind: TransitionType,
    pub text: Arc<str>,
}

/// Where a goto leads.
#[derive(Clone, Debug)]
pub(super) enum Jump {
    /// To a label, by its symbol, and the call of an inline ([`Flow::call`]) that the goto stands in.
    Label(usize, usize),
    /// Behind a loop, by its number.
    Break(usize),
}

/// What an element is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A statement that does something.
    Work(Box<Work>),
    /// `else`.
    Else,
    /// `goto` and `break`.
    Goto(Jump),
    /// The point behind an `if` or `unless`, or in front of a `do`.
    Point,
    /// The point behind a `do`.
    Break,
    /// A choice; its options are [`Element::sub`].
    If,
    /// A loop.
    Do,
    /// Main sequence and escape are [`Element::sub`].
    Unless,
    /// A block that is done atomically.
    Atomic(Seq),
    /// A block that is one step.
    DStep(Seq),
    /// A block.
    Block(Seq),
    /// The closing brace.
    Stop,
}

/// One element.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub kind: Kind,
    /// SPIN's state number.
    pub number: u32,
    pub next: Option<El>,
    pub sub: Vec<Seq>,
    /// Escapes, the latest attached (the outermost) first.
    pub escapes: Vec<Seq>,
    pub status: u8,
    pub span: Span,
    /// The `d_step` it was written in, by the number of its first element; jumps may not cross this.
    pub dstep: Option<El>,
}

/// A chain of elements.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    pub first: Option<El>,
    pub last: Option<El>,
    /// The last one when it was closed, before the point behind a choice was appended.
    pub extent: Option<El>,
}

/// A label that marks an element.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub name: Arc<str>,
    /// Its symbol in [`super::body::Symbols`]; two of one name in different blocks are two.
    pub symbol: usize,
    /// The call of an inline that it stands in: the labels of an inline are its own.
    pub call: usize,
    pub element: El,
    pub span: Span,
}

/// The elements of one body.
#[derive(Default)]
pub(super) struct Flow {
    pub elements: Vec<Element>,
    pub sequences: Vec<Chain>,
    /// Labels in the order they were set, with an index by element, one by symbol and one by name.
    pub marks: Vec<Mark>,
    marks_at: HashMap<El, Vec<usize>>,
    marks_of: HashMap<usize, Vec<usize>>,
    marks_named: HashMap<Arc<str>, Vec<usize>>,
    /// Open sequences, innermost last.
    pub open: Vec<Seq>,
    /// The number the next element gets.
    pub next_number: u32,
    /// Loops around the place, innermost last.
    pub loops: Vec<usize>,
    /// Where `break` leads, per loop.
    pub exits: Vec<Option<El>>,
    /// The `d_step` around the place.
    pub dstep: Option<El>,
    /// The call of an inline around the place, by its number; 0 outside of all.
    pub call: usize,
    /// For each call the one around it.
    pub calls: Vec<usize>,
    /// Declarations still belong to the start of the body.
    pub declaring: bool,
    /// The sequence of the whole body.
    pub body: Seq,
}

/// A statement on its way to become elements.
pub(super) enum Node {
    /// One element.
    Plain(Kind, Span),
    /// `if` or `do` with the number of the loop.
    Choice { options: Vec<Seq>, exit: Option<usize>, span: Span },
    /// Main sequence and escape.
    Unless(Seq, Seq, Span),
    /// A label: name, symbol, place.
    Labelled(Arc<str>, usize, Span, Box<Node>),
}

impl Node {
    pub(crate) fn span(&self) -> Span {
        match self {
            Node::Plain(_, span) | Node::Choice { span, .. } | Node::Unless(_, _, span) => *span,
            Node::Labelled(_, _, _, inner) => inner.span(),
        }
    }
}

/// A thing that is wrong with the flow, found while elements are linked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// Gotos that only lead to gotos.
    Cycle(El),
    /// A goto to a label that is not there.
    NoLabel(El),
    /// A goto into or out of a `d_step`.
    CrossesDStep(El, El),
    /// An `unless` around a single option of a choice.
    GuardedOption(El, El),
    /// A step that leads back to where it is, whatever happens.
    SelfLoop(El),
    /// Two `else` reach one state.
    TwoElse(El, El),
}

/// What `P@label` refers to may be needed under a name: labels by prefix.
pub(super) fn special(name: &str) -> bool {
    name.starts_with("accept") || name.starts_with("end") || name.starts_with("progress")
}
