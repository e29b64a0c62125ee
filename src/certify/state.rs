//! A state of a model, in plain structures: processes, variables, channels as lists of messages.
//!
//! States share what they have in common, so that to copy one is cheap. Two states are the same if they differ in nothing but
//! hidden variables.

use super::control::Place;
use super::names::Value;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// Global variables; a hidden one is 0 here.
    pub globals: Rc<Vec<Value>>,
    /// Hidden variables, at the places of the globals.
    pub hidden: Unseen,
    /// Processes by pid.
    pub processes: Vec<Rc<Process>>,
    /// Channels; the id of the first is 1.
    pub channels: Vec<Rc<Channel>>,
    /// `_last`; always 0 in a model that does not ask for it.
    pub last: i32,
    /// Where the trace is.
    pub trace: Place,
    /// The never claim, in a search that runs one.
    pub claim: Option<Rc<Process>>,
}

/// What does not count when two states are compared.
#[derive(Clone, Debug)]
pub struct Unseen(pub Rc<Vec<Value>>);

impl PartialEq for Unseen {
    fn eq(&self, _: &Unseen) -> bool {
        true
    }
}

impl Eq for Unseen {}

impl Hash for Unseen {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A process.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    /// Its body, by index.
    pub body: usize,
    /// Where its control is.
    pub place: Place,
    /// Its priority; 1 where the model has none.
    pub priority: i32,
    /// Its variables.
    pub locals: Vec<Value>,
    /// Channels that live and die with it.
    pub channels: usize,
}

/// A channel.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Channel {
    /// What it carries.
    pub shape: Rc<super::names::Shape>,
    /// Its messages, the oldest first.
    pub messages: Vec<Vec<i32>>,
}
