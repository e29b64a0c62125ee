//! The path to a state that several workers have found.
//!
//! A record says from which state its own was reached, by the upper half of that state's hash. The few states that have such a hash are
//! executed again, one after the other: one of them comes to the state, with the hidden variables and at the depth that the record tells. If
//! more than one does, the least is taken. So the path does not hang on the order in which the workers went.

use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::outcome::Step;
use crate::search::reduce::Full;
use crate::search::walk::{Decision, Ended, Rules, Visitor, Walk};
use crate::store::SharedStates;

/// The steps from the initial state to the state at this position; `None` if there is no such path, which cannot be.
pub(super) fn path_to(program: &Program, states: &SharedStates, rules: Rules, position: u64) -> Option<Vec<Step>> {
    let mut machine = Machine::new(program).ok()?;
    let mut walk = Walk::new(program.transitions.len(), rules);
    let (mut wanted, mut before) = (Vec::new(), Vec::new());
    let mut parts = Vec::new();
    let mut session = states.session();
    let mut origin = session.read(position, &mut wanted);
    while origin.depth > 0 {
        let mut best: Option<(Vec<u8>, Vec<Step>, _)> = None;
        for candidate in session.with_link(origin.link) {
            let from = session.read(candidate, &mut before);
            // Every step makes a path longer: so the way back comes to an end.
            if from.depth >= origin.depth || best.as_ref().is_some_and(|(least, ..)| *least <= before) {
                continue;
            }
            walk.base_depth = u64::from(from.depth);
            machine.load(&before);
            let mut finder = Finder { wanted: &wanted, depth: u64::from(origin.depth), steps: Vec::new() };
            if walk.expand(&mut machine, &mut finder, &mut Full) == Ended::Stopped {
                best = Some((before.clone(), finder.steps, from));
            }
        }
        let (state, steps, from) = best?;
        parts.push(steps);
        (wanted, origin) = (state, from);
    }
    Some(parts.into_iter().rev().flatten().collect())
}

/// Ends the walk at a state with these bytes and this depth.
struct Finder<'a> {
    wanted: &'a [u8],
    depth: u64,
    steps: Vec<Step>,
}

impl Visitor for Finder<'_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        if walk.depth() == self.depth && machine.saved() == self.wanted {
            self.steps = walk.path(machine);
            return Decision::Stop;
        }
        Decision::Back
    }
}
