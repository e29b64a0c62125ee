//! What statements and expressions mean.
//!
//! A [`Run`] is a state in the middle of a step. Statements change it, expressions only look at it. An error in an expression is
//! noted, its value counts as 0, and a write to a place that is not there is dropped: so a search can go on behind an error as
//! SPIN does. A statement says whether it was executable; only then what it has done to the run counts.

mod births;
mod channels;
mod permission;
mod statements;
mod trace;
mod values;
mod variables;

use crate::certify::control::{Body, Place};
use crate::certify::definition::Definition;
use crate::certify::fault::{Fault, FaultKind};
use crate::certify::names::{Number, Shape, Value};
use crate::certify::state::{Process, State, Unseen};
use crate::source::Span;
use crate::syntax::tree::{Expr, VarRef};
use std::cell::RefCell;
use std::rc::Rc;

/// Pids and ids of channels are bytes, and 0 is no channel.
const MOST: usize = 255;

/// A `d_step` that makes so many steps will not end.
const LONGEST_STEP: usize = 1_000_000;

/// Who executes a statement or asks for a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// The process with this pid.
    Process(usize),
    /// The never claim.
    Claim,
    /// Nobody: a formula, a trace, an initialiser of a global.
    Nobody,
}

/// Who asks, and in which block of which body.
#[derive(Clone, Copy, Debug)]
pub struct Me {
    /// Who.
    pub who: Who,
    /// The body, if any.
    pub body: Option<usize>,
    /// The block.
    pub scope: usize,
}

/// Outside of all bodies.
pub const OUTSIDE: Me = Me { who: Who::Nobody, body: None, scope: 0 };

/// A message that a sender offers on a rendezvous channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offered {
    /// The id of the channel.
    pub channel: i32,
    /// The message.
    pub message: Vec<i32>,
}

/// A state in the middle of a step.
#[derive(Clone, Debug)]
pub struct Run<'d> {
    definition: &'d Definition,
    /// The state.
    pub state: State,
    /// `timeout` holds.
    pub timeout: bool,
    /// A rendezvous is half done.
    pub offered: Option<Offered>,
    /// The errors of the step, each once, in their order. All of them: somebody may look for one kind and pass over another.
    faults: RefCell<Vec<Fault>>,
    /// What the latest `run` gave.
    born: i32,
}

/// A variable, or an element or field of one.
struct Spot {
    root: Root,
    path: Vec<usize>,
    /// What can be stored; none for a whole typedef.
    number: Option<Number>,
    /// The typedef, if it is a whole one.
    record: Option<usize>,
}

#[derive(Clone, Copy)]
enum Root {
    Global(usize),
    Hidden(usize),
    Local(Who, usize),
}

/// One field of a pattern.
enum Field<'e> {
    /// Any value.
    Any,
    /// This constant.
    Is(i32),
    /// The value of this expression.
    Equals(&'e Expr),
    /// Any value, which is stored in this variable; of a typedef in the part of this number.
    Store(&'e VarRef, Option<usize>),
}

/// Which message a receive takes.
enum Taken {
    /// The one at this place of the channel.
    At(usize),
    /// The one that is offered.
    Offered,
}

/// An error that keeps a statement from being executed at all.
pub type Fatal<T> = Result<T, Fault>;

impl<'d> Run<'d> {
    /// Goes on from a state.
    pub fn from(definition: &'d Definition, state: &State, timeout: bool) -> Run<'d> {
        let (offered, faults) = (None, RefCell::default());
        Run { definition, state: state.clone(), timeout, offered, faults, born: 0 }
    }

    /// Before the initial state: all variables are 0, and there is nobody.
    pub fn nothing(definition: &'d Definition) -> State {
        let globals: Vec<Value> = definition.names.globals.iter().map(|global| definition.names.zero(global)).collect();
        State {
            hidden: Unseen(Rc::new(globals.clone())),
            globals: Rc::new(globals),
            processes: Vec::new(),
            channels: Vec::new(),
            last: 0,
            trace: definition.trace.map_or(0, |trace| definition.bodies[trace].entry),
            claim: None,
        }
    }

    /// The shapes of the channels that a process of this body makes at its birth; or with none those that exist from the start.
    pub fn shapes(definition: &'d Definition, nothing: &State, body: Option<usize>) -> Option<Vec<Rc<Shape>>> {
        let mut run = Run::from(definition, nothing, false);
        match body {
            Some(body) => run.birth(body, &[], 1, Span::default()).map(|_| ()),
            None => run.initialise_globals(),
        }
        .ok()?;
        Some(run.state.channels.iter().map(|channel| channel.shape.clone()).collect())
    }

    /// The initial state of a model, with its never claim or without.
    pub fn initial(definition: &'d Definition, claim: bool) -> Fatal<State> {
        let mut run = Run::from(definition, &Run::nothing(definition), false);
        run.initialise_globals()?;
        if let (true, Some(never)) = (claim, definition.never) {
            run.state.claim = Some(Rc::new(run.process_of(never, 1)));
            run.initialise_locals(Who::Claim, never)?;
        }
        for &body in &definition.starting {
            let priority = definition.bodies[body].priority.as_ref();
            let priority = priority.and_then(|value| definition.names.constant(value)).unwrap_or(1).max(1);
            run.birth(body, &[], priority, definition.bodies[body].points[0].span)?;
        }
        match run.told().first() {
            Some(fault) => Err(*fault),
            None => Ok(run.state),
        }
    }

    fn body(&self, body: usize) -> &'d Body {
        &self.definition.bodies[body]
    }

    /// The point of view of a process or the claim, at a point of its body.
    pub fn me(&self, who: Who, body: usize, place: Place) -> Me {
        Me { who, body: Some(body), scope: self.body(body).points[place].scope }
    }

    fn process(&self, who: Who) -> Option<&Process> {
        match who {
            Who::Process(pid) => self.state.processes.get(pid).map(|process| &**process),
            Who::Claim => self.state.claim.as_deref(),
            Who::Nobody => None,
        }
    }

    /// A process to change.
    pub fn process_mut(&mut self, who: Who) -> Option<&mut Process> {
        match who {
            Who::Process(pid) => self.state.processes.get_mut(pid).map(Rc::make_mut),
            Who::Claim => self.state.claim.as_mut().map(Rc::make_mut),
            Who::Nobody => None,
        }
    }

    fn note(&self, kind: FaultKind, span: Span) -> i32 {
        let (fault, mut known) = (Fault { kind, span }, self.faults.borrow_mut());
        if !known.contains(&fault) {
            known.push(fault);
        }
        0
    }

    /// The errors up to now. They are told once.
    pub fn told(&self) -> Vec<Fault> {
        self.faults.take()
    }
}
