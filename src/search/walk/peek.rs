//! Which processes can make a first step from a state, found out by trying each step and following none.
//!
//! Weak fairness asks this of the states of a cycle; a claim that contains `timeout` or `enabled` asks it of every state.
//! Costs one attempt for each transition at the locations of the processes; an atomic block that never ends costs no more
//! than its first step.

use crate::exec::Machine;
use crate::model::TransitionType;
use crate::search::reduce::Full;
use crate::search::walk::{Decision, Movers, Rules, Visitor, Walk};

/// See [`peek`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Able {
    /// Who can move, both sides of a rendezvous counted; under `timeout` if nobody can without.
    pub movers: Movers,
    /// Somebody can move without `timeout`.
    pub without_timeout: bool,
}

/// Who can move in the machine's state, which is left as it is.
pub fn peek(machine: &mut Machine<'_>, rules: Rules) -> Able {
    let mut able = Able::default();
    let rules = Rules { max_depth: u64::MAX, ..rules };
    let mark = machine.mark();
    Walk::new(machine.program().transitions.len(), rules).expand(machine, &mut able, &mut Full);
    machine.undo(mark);
    able
}

impl Visitor for Able {
    const WATCHES: bool = true;
    const PEEKS: bool = true;

    fn can_move(&mut self, movers: Movers, timeout: bool) {
        self.movers = self.movers.union(movers);
        self.without_timeout |= !timeout;
    }

    fn arrive(&mut self, _: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        Decision::Back
    }
}
