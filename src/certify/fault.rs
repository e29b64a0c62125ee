//! What can go wrong while a model runs.

use crate::source::Span;

/// An error of the model, and where it happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fault {
    /// What went wrong.
    pub kind: FaultKind,
    /// In which statement or expression.
    pub span: Span,
}

/// What went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FaultKind {
    /// An assertion failed.
    Assertion,
    /// An index is outside of its array.
    Index,
    /// A division by zero.
    Division,
    /// A channel does not exist.
    NoChannel,
    /// A message has fewer fields than its channel.
    TooFewFields,
    /// A message has more fields than its channel.
    TooManyFields,
    /// A `d_step` cannot go on behind its first statement.
    BlockedStep,
    /// A rendezvous inside of a `d_step`.
    RendezvousInStep,
    /// A `d_step` does not come to its end.
    EndlessStep,
    /// More than 255 processes.
    TooManyProcesses,
    /// More than 255 channels.
    TooManyChannels,
    /// A remote reference to a process that is not there, or of another type.
    NoSuchProcess,
    /// A rendezvous channel has no message that could be looked at.
    PollRendezvous,
    /// A priority outside of 1 to 255.
    Priority,
    /// `enabled` of the process that asks.
    EnabledSelf,
    /// An event that the trace does not allow.
    Trace,
    /// The forbidden sequence of a `notrace` is complete.
    Notrace,
}

impl FaultKind {
    /// In words.
    pub fn message(self) -> &'static str {
        match self {
            FaultKind::Assertion => "an assertion failed",
            FaultKind::Index => "an index is out of range",
            FaultKind::Division => "a division by zero",
            FaultKind::NoChannel => "a channel that does not exist",
            FaultKind::TooFewFields => "fewer values than the channel has fields",
            FaultKind::TooManyFields => "more values than the channel has fields",
            FaultKind::BlockedStep => "a d_step is blocked behind its first statement",
            FaultKind::RendezvousInStep => "a rendezvous inside a d_step",
            FaultKind::EndlessStep => "a d_step without an end",
            FaultKind::TooManyProcesses => "more than 255 processes",
            FaultKind::TooManyChannels => "more than 255 channels",
            FaultKind::NoSuchProcess => "a remote reference to no such process",
            FaultKind::PollRendezvous => "a look into a rendezvous channel",
            FaultKind::Priority => "a priority outside of 1 to 255",
            FaultKind::EnabledSelf => "enabled() of the process itself",
            FaultKind::Trace => "an event that the trace does not allow",
            FaultKind::Notrace => "the sequence of the notrace is complete",
        }
    }
}
