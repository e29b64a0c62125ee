//! What a walk asks and tells: the seam between [`Walk`] and the searches.

use crate::exec::{Machine, Trap};
use crate::model::TransitionType;
use crate::search::outcome::Step;
use crate::search::walk::Walk;
use crate::store::Handle;

/// What to do at a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Go on from here; the handle comes back in [`Visitor::leave`].
    Enter(Handle),
    /// Turn back.
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
}

/// What a reduction says of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Try it.
    Try,
    /// It is executable, but need not be taken.
    Asleep,
    /// It is not to be looked at, executable or not.
    Skip,
}

/// A step by process and number of the transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The process.
    pub pid: u8,
    /// Number of the transition in [`crate::exec::Program::transitions`].
    pub number: u32,
}

/// Who decides and listens. All calls are static; a search is one visitor.
pub trait Visitor {
    /// [`Visitor::admits`], [`Visitor::choose`], [`Visitor::returned`], [`Visitor::again`] and [`Visitor::judges`] are called.
    const REDUCES: bool = false;

    /// [`Visitor::can_move`] is called.
    const WATCHES: bool = false;

    /// Only the first steps are of interest: the walk turns back behind each of them (behind both sides of a rendezvous).
    const PEEKS: bool = false;

    /// These processes can make a first step from the entered state on top: one, or both sides of a rendezvous. Told
    /// before the step is followed, so also where the path is cut off or a block never ends. `timeout`: it holds here.
    #[inline]
    fn can_move(&mut self, _movers: Movers, _timeout: bool) {}

    /// Is this process looked at in the entered state on top?
    #[inline]
    fn admits(&mut self, _machine: &Machine<'_>, _pid: usize) -> bool {
        true
    }

    /// Is this step tried? Asked before a first step from an entered state, and (then `sender` is set) before a
    /// receive that would complete a first step that is a rendezvous.
    #[inline]
    fn choose(&mut self, _machine: &Machine<'_>, _step: Taken, _sender: Option<Taken>) -> Choice {
        Choice::Try
    }

    /// The first step of a move (or the receive that completes a rendezvous) was executable and is done. If true is
    /// given, it is undone for a [`Visitor::look_back`] and done again.
    #[inline]
    fn taken(&mut self, _step: Taken, _sender: Option<Taken>) -> bool {
        false
    }

    /// See [`Visitor::taken`]: the machine is where it was before the step.
    #[inline]
    fn look_back(&mut self, _machine: &Machine<'_>, _step: Taken, _sender: Option<Taken>) {}

    /// All that follows a move from an entered state was looked at; the machine is where it was before its last step.
    #[inline]
    fn returned(&mut self, _machine: &Machine<'_>, _step: Taken, _sender: Option<Taken>) {}

    /// Everything admitted was tried in the entered state on top: is there more to admit?
    #[inline]
    fn again(&mut self, _machine: &mut Machine<'_>) -> bool {
        false
    }

    /// Nothing moved in the entered state on top: does that say something about it? Not if only some moves were tried.
    #[inline]
    fn judges(&self) -> bool {
        true
    }

    /// A storable state was reached by a step of this type; it is the machine's current state.
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, how: TransitionType) -> Decision;

    /// All that follows an entered state was looked at; it is the machine's current state.
    fn leave(&mut self, machine: &mut Machine<'_>, walk: &Walk, handle: Handle) -> Control;

    /// Something happened at the end of the current path (`step`: also this step, which is not on it yet).
    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control;

    /// A path was cut off at the depth bound.
    fn cut(&mut self) {}

    /// Many steps have passed without a storable state.
    fn tick(&mut self, _machine: &Machine<'_>, _walk: &Walk) -> Control {
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
