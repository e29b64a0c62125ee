//! The check of a cycle that a search has found: the cycle is executed again, and judged by the definitions alone, without
//! the tables of the search.
//!
//! The path has to be executable. The cycle has to come back to the state it started from. One of its states has to accept. A
//! non-progress cycle may not touch a progress label. Where weak fairness was asked for, every process has to move in the
//! cycle or to be unable to move in one of its states. Costs one expansion for each state of the cycle.

use crate::exec::{Machine, Program};
use crate::search::cycles::accepting;
use crate::search::outcome::{Actor, Step, Violation, ViolationKind};
use crate::search::walk::peek::peek;
use crate::search::walk::replay;
use crate::search::walk::{Movers, Rules};

/// Says what is wrong with the cycle of a violation. A violation without a cycle is not looked at. `rules` are those of the search.
pub fn check(program: &Program, rules: Rules, fair: bool, violation: &Violation) -> Result<(), String> {
    let Some(start) = violation.cycle_start else { return Ok(()) };
    let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
    let mut cycle =
        Cycle { rules, accepts: false, progress: false, moved: Movers::default(), unable: Movers::default() };
    let mut first = None;
    let mut before = None;
    for (number, &step) in violation.path.iter().enumerate() {
        if number == start {
            first = Some(machine.state().to_vec());
        }
        if number == start || (number > start && is_state(&machine, rules, before, step)) {
            cycle.look(&mut machine);
        }
        before = Some(AtStep { step, atomic: is_atomic(&machine, step) });
        replay::take(&mut machine, step).map_err(|what| format!("step {}: {what}", number + 1))?;
        machine.forget_journal_if_idle();
        if let (true, Actor::Process(pid)) = (number >= start, step.actor) {
            cycle.moved.add(pid);
        }
    }
    match first {
        Some(state) if state != machine.state() => return Err("the cycle does not close".into()),
        Some(_) => {}
        // It stays where it is, since nothing can move.
        None if rules.claim => return Err("the cycle has no steps".into()),
        None => {
            cycle.look(&mut machine);
            if cycle.unable != Movers::default().complement() {
                return Err("the run does not stop where it is said to stop".into());
            }
        }
    }
    cycle.judge(violation.kind, fair)
}

/// A step that was taken.
#[derive(Clone, Copy)]
struct AtStep {
    step: Step,
    /// It leads into an atomic block, or on inside one.
    atomic: bool,
}

fn is_atomic(machine: &Machine<'_>, step: Step) -> bool {
    let program = machine.program();
    let proctype = match step.actor {
        Actor::Process(pid) if usize::from(pid) < machine.process_count() => machine.proctype(usize::from(pid)),
        _ => return false,
    };
    let number = program.proctypes[proctype as usize].first_transition as usize + step.transition as usize;
    program.transitions.get(number).is_some_and(|transition| transition.atomic)
}

/// Is the machine between two moves, given the step that comes next? Otherwise it is in the middle of a rendezvous or of an
/// atomic block, or the claim has moved and the system has not yet.
fn is_state(machine: &Machine<'_>, rules: Rules, before: Option<AtStep>, next: Step) -> bool {
    if machine.in_handshake() {
        return false;
    }
    match before {
        _ if rules.claim => next.actor == Actor::Claim,
        // Somebody else goes on, or the same under `timeout`: the block was broken off.
        Some(AtStep { step, atomic: true }) => next.actor != step.actor || next.timeout,
        _ => true,
    }
}

/// What was seen on the way around.
struct Cycle {
    rules: Rules,
    accepts: bool,
    progress: bool,
    /// Processes that move.
    moved: Movers,
    /// Processes that cannot move in some state.
    unable: Movers,
}

impl Cycle {
    /// Looks at a state of the cycle.
    fn look(&mut self, machine: &mut Machine<'_>) {
        self.accepts |= accepting(machine);
        self.progress |= (0..machine.process_count()).any(|pid| machine.place(pid).progress);
        self.unable = self.unable.union(peek(machine, self.rules).movers.complement());
    }

    fn judge(&self, kind: ViolationKind, fair: bool) -> Result<(), String> {
        if !self.accepts {
            return Err("no state of the cycle accepts".into());
        }
        if kind == ViolationKind::NonProgressCycle && self.progress {
            return Err("the cycle makes progress".into());
        }
        if fair && !self.moved.union(self.unable).is_all() {
            return Err("the cycle is not weakly fair".into());
        }
        Ok(())
    }
}
