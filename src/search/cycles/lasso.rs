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
/// `same`: may two states, hidden variables included, count as one? Where variables were left out that nobody reads, the cycle closes
/// up to these.
pub fn check(
    program: &Program,
    rules: Rules,
    fair: bool,
    violation: &Violation,
    same: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<(), String> {
    match go_round(program, rules, violation, same, |_, _| ())? {
        Some(cycle) => cycle.judge(violation.kind, fair),
        None => Ok(()),
    }
}

/// Who does not move in a cycle, although it could.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Starved {
    /// Processes that can move in every state of the cycle and never do: the run is not weakly fair.
    pub always: Movers,
    /// Processes that can move in some states of the cycle, not in all, and never do.
    pub sometimes: Movers,
}

/// Who does not move in the cycle of a violation, although it could. `None` if there is no cycle.
pub fn starved(program: &Program, rules: Rules, violation: &Violation) -> Option<Starved> {
    let cycle = go_round(program, rules, violation, &mut |_, _| true, |_, _| ()).ok()??;
    let always = cycle.able.without(cycle.unable).without(cycle.moved);
    Some(Starved { always, sometimes: cycle.able.without(cycle.moved).without(always) })
}

/// Executes the path of a violation and looks at the states of its cycle. `see` hears of each of them, with the number of
/// steps before it. `None` if there is no cycle.
pub(super) fn go_round(
    program: &Program,
    rules: Rules,
    violation: &Violation,
    same: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    mut see: impl FnMut(usize, &Machine<'_>),
) -> Result<Option<Cycle>, String> {
    let Some(start) = violation.cycle_start else { return Ok(None) };
    let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
    let mut cycle = Cycle {
        rules,
        accepts: false,
        progress: false,
        moved: Movers::default(),
        able: Movers::default(),
        unable: Movers::default(),
    };
    let mut first = None;
    let mut before = None;
    for (number, &step) in violation.path.iter().enumerate() {
        if number == start {
            first = Some((machine.state().to_vec(), machine.saved().to_vec()));
        }
        if number == start || (number > start && is_state(&machine, rules, before, step)) {
            cycle.look(&mut machine);
            see(number, &machine);
        }
        before = Some(AtStep { step, atomic: is_atomic(&machine, step) });
        replay::take(&mut machine, step).map_err(|what| format!("step {}: {what}", number + 1))?;
        machine.forget_journal_if_idle();
        if let (true, Actor::Process(pid)) = (number >= start, step.actor) {
            cycle.moved.add(pid);
        }
    }
    match first {
        Some((state, saved)) if state != machine.state() && !same(&saved, machine.saved()) => {
            return Err("the cycle does not close".into());
        }
        Some(_) => {}
        // It stays where it is, since nothing can move.
        None if rules.claim => return Err("the cycle has no steps".into()),
        None => {
            cycle.look(&mut machine);
            see(violation.path.len(), &machine);
            if cycle.unable != Movers::default().complement() {
                return Err("the run does not stop where it is said to stop".into());
            }
        }
    }
    Ok(Some(cycle))
}

/// A step that was taken.
#[derive(Clone, Copy)]
pub(super) struct AtStep {
    pub(super) step: Step,
    /// It leads into an atomic block, or on inside one.
    pub(super) atomic: bool,
}

pub(super) fn is_atomic(machine: &Machine<'_>, step: Step) -> bool {
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
pub(super) fn is_state(machine: &Machine<'_>, rules: Rules, before: Option<AtStep>, next: Step) -> bool {
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
pub(super) struct Cycle {
    rules: Rules,
    accepts: bool,
    progress: bool,
    /// Processes that move.
    moved: Movers,
    /// Processes that can move in some state.
    able: Movers,
    /// Processes that cannot move in some state.
    unable: Movers,
}

impl Cycle {
    /// Looks at a state of the cycle.
    fn look(&mut self, machine: &mut Machine<'_>) {
        self.accepts |= accepting(machine);
        self.progress |= (0..machine.process_count()).any(|pid| machine.place(pid).progress);
        let able = peek(machine, self.rules).movers;
        self.able = self.able.union(able);
        self.unable = self.unable.union(able.complement());
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
