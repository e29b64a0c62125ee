//! Precision on demand (Melatti, Palmer, Gopalakrishnan 2007, Fig. 2): when a store that may err says "seen", look at
//! the chain of first successors before believing it. If the state had really been visited, its first successor in
//! the fixed order would have been inserted then; so the first link of the chain that is not in the store proves that
//! the state is new.
//!
//! Where this differs from the paper's figure, and why it is sound here:
//! - A chain that ends early (a state without successors) proves nothing, and the state counts as visited. The paper
//!   calls it surely new, which would count a terminal state again at every visit.
//! - "First successor" is the first *storable* state that the walk comes to: rendezvous halves and states inside
//!   atomic blocks are passed through, in the same order as by the search itself.
//! - A visited state that lies on the stack has had its first successor inserted before anything below it is looked
//!   at, so a revisit always comes later than that insertion; a state whose first successor is itself is in the store.
//! - The successor may have been taken for visited by mistake when the state was expanded. Then the store answers
//!   "seen" for it now as it did then, because neither table forgets.
//! - A reduction may leave the first successor out: sleep sets and persistent sets are refused together with this.
//!
//! Costs up to K steps and lookups for each match. It only adds states, so coverage never falls.

use crate::exec::Machine;
use crate::model::TransitionType;
use crate::search::outcome::Step;
use crate::search::walk::{Control, Decision, Ended, Event, Rules, Visitor, Walk};
use crate::store::{Handle, LossyStore, Store};

/// Whether a store's "seen" is believed.
pub trait Precision<S: Store> {
    /// Looks again at the machine's current state, which the store called seen; a handle if it is new after all.
    fn look_again(&mut self, machine: &mut Machine<'_>, store: &mut S) -> Option<Handle>;
}

/// Believes it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust;

impl<S: Store> Precision<S> for Trust {
    #[inline]
    fn look_again(&mut self, _: &mut Machine<'_>, _: &mut S) -> Option<Handle> {
        None
    }
}

/// See the module.
#[derive(Debug)]
pub struct PrecisionOnDemand {
    length: u8,
    walk: Walk,
}

impl PrecisionOnDemand {
    /// Looks at chains of up to `length` states.
    pub fn new(length: u8, transitions: usize, rules: Rules) -> PrecisionOnDemand {
        PrecisionOnDemand { length, walk: Walk::new(transitions, rules) }
    }
}

impl<S: LossyStore> Precision<S> for PrecisionOnDemand {
    fn look_again(&mut self, machine: &mut Machine<'_>, store: &mut S) -> Option<Handle> {
        let mark = machine.mark();
        let mut new = false;
        for _ in 0..self.length {
            if self.walk.run(machine, &mut First, false) == Ended::Complete {
                break;
            }
            if !store.contains(machine.state()) {
                new = true;
                break;
            }
        }
        machine.undo(mark);
        new.then(|| store.visit_anyway(machine.state()))
    }
}

/// Stops at the first state.
struct First;

impl Visitor for First {
    fn arrive(&mut self, _: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        Decision::Stop
    }

    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, _: Handle) -> Control {
        Control::Continue
    }

    fn event(&mut self, _: &mut Machine<'_>, _: &Walk, _: Event, _: Option<Step>) -> Control {
        Control::Continue
    }
}
