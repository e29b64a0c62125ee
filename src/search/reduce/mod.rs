//! What a search may leave out: the seam between the walk and the reductions.
//!
//! | file | reduction |
//! |---|---|
//! | `sleep` | sleep sets: moves that the search has already followed from an earlier state |
//! | `persistent` | persistent sets: only some processes move |
//! | `paths` | persistent sets for properties of whole runs |
//! | `both` | persistent sets, and sleep sets inside them |
//! | `sleepers`, `stack_hashes` | tables that the reductions share |
//! | `audit` | tests the reductions while a search runs |
//!
//! The walk is generic over the reduction, and all calls are static: with [`Full`] nothing is left of them. A search hands
//! its reduction to the walk. All that the search hears of the reduction is how much memory it uses and whether it has
//! failed.

pub mod audit;
pub mod both;
pub mod paths;
pub mod persistent;
pub mod sleep;
mod sleepers;
pub mod stack_hashes;

use crate::exec::Machine;
use crate::search::outcome::{Limit, Retraction};
use crate::store::Handle;

/// Why a reduction cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// What the reduction assumes of the model does not hold.
    Retract(Retraction),
    /// A checking mode has found a bug in pv; the text says which.
    Bug(String),
}

impl Fault {
    /// The limit with which the search ends.
    pub fn limit(&self) -> Limit {
        match self {
            Fault::Retract(retraction) => Limit::Retract(retraction.clone()),
            Fault::Bug(what) => Limit::Internal(what.clone()),
        }
    }
}

/// A step by process and number of the transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessStep {
    /// The process.
    pub pid: u8,
    /// Number of the transition in [`crate::exec::Program::transitions`].
    pub number: u32,
}

/// A first step that the walk is about to try. The step is the whole move unless a block follows. For a rendezvous the step is
/// the receive, and `sender` the send that it would complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The step.
    pub step: ProcessStep,
    /// The send that the step would complete.
    pub sender: Option<ProcessStep>,
}

/// What a reduction says of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ruling {
    /// Try it.
    Try,
    /// It is executable, but need not be taken.
    Asleep,
    /// It is not to be looked at, executable or not.
    Skip,
}

/// Decides which moves of an entered state are explored. The walk calls all of these functions. "The state on top" is the
/// state that was entered last and not left yet.
pub trait Reduction {
    /// The reduction may leave something out. If not, the walk asks it nothing.
    const ACTIVE: bool = true;

    /// States may be entered more than once, depth first: [`Reduction::reenters`] is asked.
    const REENTERS: bool = false;

    /// The machine's state is new and was entered; the store keeps it at `handle`.
    fn enter(&mut self, _machine: &mut Machine<'_>, _handle: Handle) {}

    /// The move that is under way has led to this state, which was entered before: is it entered again?
    fn reenters(&mut self, _machine: &mut Machine<'_>, _handle: Handle) -> bool {
        false
    }

    /// The move that is under way has led to a state that was there already, on the stack or not (`None`: the store
    /// cannot tell). Breadth first, "on the stack" is what no longer waits in the queue.
    fn seen(&mut self, _machine: &Machine<'_>, _on_stack: Option<bool>) {}

    /// Breadth first: the state on top has led to a new one, which waits in the queue.
    fn queued(&mut self, _machine: &Machine<'_>) {}

    /// The state on top is left.
    fn leave(&mut self, _machine: &Machine<'_>) {}

    /// Is this process looked at in the state on top?
    #[inline]
    fn admits(&mut self, _machine: &Machine<'_>, _pid: usize) -> bool {
        true
    }

    /// Is this attempt made? Asked before a first step from the state on top, and before a receive that would complete a
    /// first step that is a rendezvous.
    #[inline]
    fn rule(&mut self, _machine: &Machine<'_>, _attempt: Attempt) -> Ruling {
        Ruling::Try
    }

    /// The attempt was executable, and its step is done; a rendezvous is told when its receive is done. If the reduction answers
    /// true, the step is undone, [`Reduction::look_back`] is called, and the step is done again.
    #[inline]
    fn stepped(&mut self, _attempt: Attempt) -> bool {
        false
    }

    /// See [`Reduction::stepped`]: the machine is where it was before the step.
    #[inline]
    fn look_back(&mut self, _machine: &Machine<'_>, _attempt: Attempt) {}

    /// All that follows a move from the state on top was looked at; the machine is where it was before its last step.
    #[inline]
    fn returned(&mut self, _machine: &Machine<'_>, _attempt: Attempt) {}

    /// Everything admitted was tried in the state on top: is there more to admit?
    #[inline]
    fn admits_more(&mut self, _machine: &mut Machine<'_>) -> bool {
        false
    }

    /// Bytes of its own tables.
    fn memory(&self) -> usize {
        0
    }

    /// What is wrong with the reduction; the search ends with [`Fault::limit`].
    fn fault(&self) -> Option<&Fault> {
        None
    }
}

/// Nothing is left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Full;

impl Reduction for Full {
    const ACTIVE: bool = false;
}
