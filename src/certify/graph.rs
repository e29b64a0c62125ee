//! All states of a model, and what is wrong in them.
//!
//! The search goes in depth, in the order in which SPIN tries moves. The order makes no difference, except in a model with hidden
//! variables: they are no part of a state, so what they hold in it is what they held when the state was first met.

use super::definition::Definition;
use super::fault::Fault;
use super::moves::{Move, moves};
use super::run::Run;
use super::state::State;
use std::collections::HashSet;

/// What a search has found.
#[derive(Clone, Debug, Default)]
pub struct Explored {
    /// States.
    pub stored: u64,
    /// Moves that led to a state that was known.
    pub matched: u64,
    /// Errors of the model, one for each move in which they happened.
    pub faults: Vec<Fault>,
    /// States in which nobody can move though somebody should.
    pub deadlocks: u64,
    /// There are more states than were asked for.
    pub incomplete: bool,
    /// Some atomic block goes around for ever. There are then infinitely many ways through it, and `matched` says nothing.
    pub endless: bool,
}

impl Explored {
    /// Something is wrong.
    pub fn violated(&self) -> bool {
        !self.faults.is_empty() || self.deadlocks > 0
    }

    /// SPIN's count of transitions: the initial state is one of them.
    pub fn transitions(&self) -> u64 {
        self.stored + self.matched
    }
}

/// Looks at all states, or at so many. An error is one of the initial state.
pub fn explore(definition: &Definition, most: usize) -> Result<Explored, Fault> {
    let first = Run::initial(definition, false)?;
    let mut explored = Explored { stored: 1, ..Explored::default() };
    let mut known = HashSet::from([first.clone()]);
    let mut path = vec![explored.enter(definition, &first).into_iter()];
    while let Some(left) = path.last_mut() {
        let Some(Move { faults, end, .. }) = left.next() else {
            path.pop();
            continue;
        };
        explored.faults.extend(faults);
        let Some(end) = end else { continue };
        if known.contains(&end) {
            explored.matched += 1;
            continue;
        }
        if known.len() >= most {
            explored.incomplete = true;
            break;
        }
        explored.stored += 1;
        known.insert(end.clone());
        path.push(explored.enter(definition, &end).into_iter());
    }
    Ok(explored)
}

impl Explored {
    /// Looks at a new state, and gives its moves.
    fn enter(&mut self, definition: &Definition, state: &State) -> Vec<Move> {
        let found = moves(definition, state);
        if !found.any && !Run::from(definition, state, false).may_end() {
            self.deadlocks += 1;
        }
        self.endless |= found.endless;
        found.moves
    }
}
