//! The graph of all states, breadth first, and what is wrong in it.

use super::definition::Definition;
use super::fault::Fault;
use super::moves::{Move, moves};
use super::run::Run;
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
    let mut level = vec![first];
    while !level.is_empty() {
        let mut next = Vec::new();
        for state in &level {
            let found = moves(definition, state);
            if !found.any && !Run::from(definition, state, false).may_end() {
                explored.deadlocks += 1;
            }
            for Move { faults, end, .. } in found.moves {
                explored.faults.extend(faults);
                let Some(end) = end else { continue };
                if known.contains(&end) {
                    explored.matched += 1;
                    continue;
                }
                if known.len() >= most {
                    explored.incomplete = true;
                    return Ok(explored);
                }
                explored.stored += 1;
                known.insert(end.clone());
                next.push(end);
            }
        }
        level = next;
    }
    Ok(explored)
}
