//! Counterexamples that somebody knows already (`--another`): a search passes over them and looks for others.
//!
//! Two counterexamples count as the same if they report the same error, by the same last step, in the same state. Two cycles
//! count as the same if the same steps repeat. What is passed over is counted as an error: that it is known does not make
//! the model right.

use crate::exec::{Machine, Program};
use crate::search::outcome::{Step, Violation};
use crate::search::walk::replay;
use std::collections::HashSet;

/// A counterexample that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownError {
    /// What was reported.
    message: String,
    end: End,
}

/// How a counterexample ends.
#[derive(Clone, PartialEq, Eq, Debug)]
enum End {
    /// In this state, by this step.
    State(Box<[u8]>, Option<Step>),
    /// In these steps, for ever.
    Cycle(HashSet<Step>),
}

impl KnownError {
    /// The counterexample with this path. `Err` says why the path cannot be executed.
    pub fn new(
        program: &Program,
        message: &str,
        path: &[Step],
        cycle_start: Option<usize>,
    ) -> Result<KnownError, String> {
        let message = message.to_string();
        if let Some(start) = cycle_start {
            return Ok(KnownError { message, end: End::Cycle(repeated(path, start)) });
        }
        let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
        for (number, &step) in path.iter().enumerate() {
            replay::take(&mut machine, step).map_err(|what| format!("step {}: {what}", number + 1))?;
            machine.forget_journal_if_idle();
        }
        Ok(KnownError { message, end: End::State(machine.state().into(), path.last().copied()) })
    }

    /// Is it the error that a search has come upon? `step`: the step that fails, if there is one.
    pub fn is_here(&self, message: &str, machine: &Machine<'_>, step: Option<Step>) -> bool {
        let End::State(state, last) = &self.end else { return false };
        self.message == message && **state == *machine.state() && (step.is_none() || step == *last)
    }

    /// Is it the cycle of this violation?
    pub fn is_cycle(&self, violation: &Violation) -> bool {
        let (End::Cycle(steps), Some(start)) = (&self.end, violation.cycle_start) else { return false };
        self.message == violation.message && *steps == repeated(&violation.path, start)
    }
}

/// The steps of a cycle.
fn repeated(path: &[Step], start: usize) -> HashSet<Step> {
    path.iter().skip(start).copied().collect()
}
