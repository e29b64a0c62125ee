//! What a search may leave out: the seam between searches and their reductions.
//!
//! A search is generic over its reduction, and all calls are static: with [`Full`] nothing is left of them.

pub mod audit;
pub mod both;
pub mod persistent;
pub mod sleep;
mod sleepers;
pub mod stack_hashes;

use crate::exec::Machine;
use crate::search::outcome::{Limit, Retraction};
use crate::search::walk::{Choice, Taken, Walk};
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
    /// How a search says it.
    pub fn limit(&self) -> Limit {
        match self {
            Fault::Retract(retraction) => Limit::Retract(retraction.clone()),
            Fault::Bug(what) => Limit::Internal(what.clone()),
        }
    }
}

/// Decides which moves of an entered state are explored.
pub trait Reduction {
    /// The walk asks before each first step.
    const ACTIVE: bool;

    /// States may be entered more than once, depth first; [`Reduction::entered`] and [`Reduction::reenters`] are called.
    const REENTERS: bool = false;

    /// A new state was entered; it is the machine's state.
    fn enter(&mut self, _machine: &mut Machine<'_>, _walk: &Walk) {}

    /// Where the store keeps the state that was just entered.
    fn entered(&mut self, _handle: Handle) {}

    /// The move that is under way has led to this state, which was entered before: is it entered again?
    fn reenters(&mut self, _machine: &mut Machine<'_>, _handle: Handle) -> bool {
        false
    }

    /// Was the state entered last entered before that, too?
    fn is_reentered(&self) -> bool {
        false
    }

    /// The move that is under way has led to a state that was there already, on the stack or not (`None`: the store
    /// cannot tell). Breadth first, "on the stack" is what no longer waits in the queue.
    fn seen(&mut self, _machine: &Machine<'_>, _on_stack: Option<bool>) {}

    /// Breadth first: the state entered last has led to a new one, which waits in the queue.
    fn queued(&mut self, _machine: &Machine<'_>) {}

    /// The state entered last is left.
    fn leave(&mut self, _machine: &Machine<'_>) {}

    /// See [`crate::search::walk::Visitor::admits`].
    #[inline]
    fn admits(&mut self, _machine: &Machine<'_>, _pid: usize) -> bool {
        true
    }

    /// See [`crate::search::walk::Visitor::choose`].
    #[inline]
    fn choose(&mut self, _machine: &Machine<'_>, _step: Taken, _sender: Option<Taken>) -> Choice {
        Choice::Try
    }

    /// See [`crate::search::walk::Visitor::taken`].
    #[inline]
    fn taken(&mut self, _step: Taken, _sender: Option<Taken>) -> bool {
        false
    }

    /// See [`crate::search::walk::Visitor::look_back`].
    #[inline]
    fn look_back(&mut self, _machine: &Machine<'_>, _step: Taken, _sender: Option<Taken>) {}

    /// See [`crate::search::walk::Visitor::returned`].
    #[inline]
    fn returned(&mut self, _machine: &Machine<'_>, _step: Taken, _sender: Option<Taken>) {}

    /// See [`crate::search::walk::Visitor::again`].
    #[inline]
    fn again(&mut self, _machine: &mut Machine<'_>) -> bool {
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
