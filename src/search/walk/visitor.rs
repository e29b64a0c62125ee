//! The seam between the [`Walk`] and the searches: what the walk asks a search, and what it tells a search.

use crate::exec::seam::Reached;
use crate::exec::{Machine, Trap};
use crate::model::TransitionType;
use crate::search::outcome::Step;
use crate::search::walk::Walk;
use crate::store::Handle;

/// What a visitor decides about a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// The state is new: go on from it. The handle comes back in [`Visitor::leave`].
    Enter(Handle),
    /// The state is new and waits in a queue: turn back.
    Queued,
    /// The state was visited before: turn back, unless the reduction wants to enter it again.
    Seen {
        /// The state lies on the stack (breadth first: it no longer waits in the queue). `None`: the store cannot tell.
        on_stack: Option<bool>,
        /// Where the store keeps the state, for a reduction that [enters states again](crate::search::reduce::Reduction::REENTERS).
        at: Option<Handle>,
    },
    /// Turn back, and do not tell the reduction of the state.
    Back,
    /// End the walk.
    Stop,
}

/// Go on or end the walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Control {
    /// Go on.
    Continue,
    /// End the walk.
    Stop,
}

/// What the walk has come upon, apart from states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The step at the end of the path failed or violated an assertion.
    Trap(Trap),
    /// Nothing can move, and it is not a valid end.
    InvalidEnd,
    /// The claim has reached its end.
    ClaimEnd,
    /// Nothing can move, valid end or not; only told if [`Rules::halts`] asks for it.
    Halt,
    /// The path is as long as [`Rules::max_depth`] allows: the walk turns back.
    Cut,
}

/// What a search does with what the walk meets. All calls are static; a search is one visitor.
pub trait Visitor {
    /// [`Visitor::can_move`] is called, and [`Walk::movers`] may be asked.
    const WATCHES: bool = false;

    /// Only the first steps are of interest: the walk turns back behind each of them (behind both sides of a rendezvous).
    const PEEKS: bool = false;

    /// The walk looks ahead from entered states: see `outlook`. Only for visitors that forget no state.
    const FORESEES: bool = false;

    /// The visitor turns back at every state and asks for nothing but the state: [`Visitor::gather`] is called instead of
    /// [`Visitor::arrive`] where the step is a plain one.
    const GATHERS: bool = false;

    /// May states be gathered?
    #[inline]
    fn gathers(&self) -> bool {
        Self::GATHERS
    }

    /// Does it pay to look ahead now?
    #[inline]
    fn foresees(&self) -> bool {
        Self::FORESEES
    }

    /// Is the machine's state certainly one that [`Visitor::arrive`] enters?
    #[inline]
    fn awaits(&self, _machine: &Machine<'_>) -> bool {
        false
    }

    /// This state will be looked up soon.
    #[inline]
    fn foresee(&mut self, _state: &[u8]) {}

    /// Tells for each state that was foreseen, in order, whether it is known, and forgets that they were foreseen.
    #[inline]
    fn sort_out(&mut self, _known: impl FnMut(bool)) {}

    /// The bytes of the first state that [`sort_out`](Self::sort_out) has called unknown, as long as no state was reached since.
    #[inline]
    fn awaited(&self) -> Option<&[u8]> {
        None
    }

    /// A state that was known when it was foreseen has its turn: it counts as one that was seen before.
    #[inline]
    fn known(&mut self) {}

    /// This storable state was reached by a plain step, at this depth.
    #[inline]
    fn gather(&mut self, _reached: Reached<'_>, _depth: u64) -> Control {
        Control::Continue
    }

    /// A storable state was reached by a step of this type; it is the machine's current state.
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision;

    /// All that follows an entered state was looked at; it is the machine's current state.
    #[inline]
    fn leave(&mut self, _machine: &mut Machine<'_>, _walk: &Walk, _handle: Handle) -> Control {
        Control::Continue
    }

    /// Something happened at the end of the current path. `step`: the step at which it happened,
    /// if there is one; the path does not hold it yet.
    fn event(&mut self, _machine: &mut Machine<'_>, _walk: &Walk, _event: Event, _step: Option<Step>) -> Control {
        Control::Continue
    }

    /// These processes can make a first step from the entered state on top: one process, or both sides of a rendezvous. The
    /// walk tells it before it follows the step, so also where the path is cut off or a block never ends. `timeout`: whether
    /// `timeout` holds in that state.
    #[inline]
    fn can_move(&mut self, _movers: Movers, _timeout: bool) {}

    /// Called every few thousand steps: the time to look at budgets and signals. `reduction`: bytes that the reduction uses.
    fn tick(&mut self, _machine: &Machine<'_>, _walk: &Walk, _reduction: usize) -> Control {
        Control::Continue
    }
}

/// What a walk checks, and its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Report invalid end states.
    pub end_states: bool,
    /// Report failed assertions.
    pub assertions: bool,
    /// Pass over the failed assertions of processes, which are known already; those of the claim are reported.
    pub pass_assertions: bool,
    /// Channels must be empty at the end.
    pub strict_channels: bool,
    /// Longest path.
    pub max_depth: u64,
    /// Alternate with the claim.
    pub claim: bool,
    /// Tell where nothing can move.
    pub halts: bool,
    /// Where the system cannot move, the claim goes on alone.
    pub stutter: bool,
}

/// A set of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Movers([u64; 4]);

impl Movers {
    /// Adds a process.
    pub fn add(&mut self, pid: u8) {
        self.0[usize::from(pid >> 6)] |= 1 << (pid & 63);
    }

    /// The processes, in order.
    pub fn pids(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&pid| self.0[usize::from(pid >> 6)] >> (pid & 63) & 1 == 1)
    }

    /// In this one and not in the other.
    pub fn without(self, other: Movers) -> Movers {
        Movers(std::array::from_fn(|word| self.0[word] & !other.0[word]))
    }

    /// As bytes.
    pub fn bytes(self) -> impl Iterator<Item = u8> {
        self.0.into_iter().flat_map(u64::to_le_bytes)
    }

    /// In either.
    pub fn union(self, other: Movers) -> Movers {
        Movers(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Not in this one.
    pub fn complement(self) -> Movers {
        Movers(self.0.map(|word| !word))
    }

    /// Every pid.
    pub fn is_all(self) -> bool {
        self.0.iter().all(|&word| word == u64::MAX)
    }

    /// All of the other are in this one.
    pub fn contains(self, other: Movers) -> bool {
        self.union(other) == self
    }
}
