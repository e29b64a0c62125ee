//! Paths executed again. [`take`] and [`verify`] execute a path of steps before anything is said about it. [`steps_between`]
//! and [`steps_over`] turn a path of states into steps: they execute from each state to the next. [`steps_by_marks`] does so for a path of
//! which only some bits of each state were kept, and the last state.

use crate::exec::{Fired, Machine, Program, Trap};
use crate::model::TransitionType;
use crate::search::monitor::Patience;
use crate::search::outcome::{Actor, Step};
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Ended, Movers, Rules, Visitor, Walk};
use std::collections::BTreeMap;

/// Executes one step of a path. `Err` says why it is not possible here.
pub fn take(machine: &mut Machine<'_>, step: Step) -> Result<Option<Trap>, String> {
    let program = machine.program();
    let (place, proctype) = match step.actor {
        Actor::Process(pid) => {
            let pid = usize::from(pid);
            if pid >= machine.process_count() {
                return Err(format!("there is no process {pid}"));
            }
            (machine.place(pid), machine.proctype(pid))
        }
        Actor::Claim => match (machine.claim_place(), program.claim) {
            (Some(place), Some((_, number))) => (place, number),
            _ => return Err("no claim is checked".to_string()),
        },
    };
    let number = program.proctypes[proctype as usize].first_transition.saturating_add(step.transition);
    if !(place.first..place.end).contains(&number) {
        return Err("the transition does not start where the process stands".to_string());
    }
    machine.set_timeout(step.timeout);
    // `else` is executable if nothing in front of it is; a path that was found knows that it was.
    let fired = match step.actor {
        Actor::Process(pid) => machine.fire(usize::from(pid), number, false),
        Actor::Claim => machine.fire_claim(number, false),
    };
    match fired {
        Fired::Done => Ok(None),
        Fired::DoneWith(trap) => Ok(Some(trap)),
        Fired::BlockedWith(trap) | Fired::Failed(trap) => Ok(Some(trap)),
        Fired::Blocked => Err("the statement is not executable".to_string()),
    }
}

/// Executes a whole path from the initial state; gives the error of its last step, if it has one.
pub fn verify(program: &Program, path: &[Step]) -> Result<Option<Trap>, String> {
    let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
    let mut last = None;
    for (number, &step) in path.iter().enumerate() {
        last = take(&mut machine, step).map_err(|reason| format!("step {}: {reason}", number + 1))?;
        machine.forget_journal_if_idle();
    }
    Ok(last)
}

/// Turns a path of states into steps: `states` are the stored states behind the initial one, in order.
pub fn steps_between<'a>(
    machine: &mut Machine<'_>,
    rules: Rules,
    states: impl Iterator<Item = &'a [u8]>,
) -> Option<Vec<Step>> {
    steps_through(machine, rules, states.map(|state| (state, None)), None)
}

/// The same in a search that may have to end.
pub fn steps_within<'a>(
    machine: &mut Machine<'_>,
    rules: Rules,
    states: impl Iterator<Item = &'a [u8]>,
    patience: Patience<'_>,
) -> Option<Vec<Step>> {
    steps_through(machine, rules, states.map(|state| (state, None)), Some(patience))
}

/// The same for a path of edges: into which state, and by whose move.
pub fn steps_over<'a>(
    machine: &mut Machine<'_>,
    rules: Rules,
    edges: impl Iterator<Item = (&'a [u8], Movers)>,
    patience: Patience<'_>,
) -> Option<Vec<Step>> {
    steps_through(machine, rules, edges.map(|(state, movers)| (state, Some(movers))), Some(patience))
}

fn steps_through<'a>(
    machine: &mut Machine<'_>,
    rules: Rules,
    edges: impl Iterator<Item = (&'a [u8], Option<Movers>)>,
    patience: Option<Patience<'_>>,
) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut walk = Walk::new(machine.program().transitions.len(), rules);
    for (state, movers) in edges {
        let mut finder = Finder { state, movers, steps: Vec::new(), patience, given_up: false };
        if walk.expand(machine, &mut finder, &mut Full) != Ended::Stopped || finder.given_up {
            return None;
        }
        machine.forget_journal();
        // A bound on the depth cuts at the same places as in the search: what the search could not reach is no way here.
        walk.base_depth += finder.steps.len() as u64;
        steps.append(&mut finder.steps);
    }
    Some(steps)
}

/// What is known of the states of a path: a mark of each stored state behind the initial one, in order.
pub struct MarkedPath<'a> {
    /// The marks.
    pub marks: &'a [u32],
    /// Gives the mark of a state.
    pub mark: &'a dyn Fn(&[u8]) -> u32,
}

/// Turns a path of marks into steps; the path ends in the state `end`. Of the successors of a state hardly two have the same mark. Where they do, the wrong one leads nowhere, mostly in
/// the next step; the path then goes back to where it can take another.
pub fn steps_by_marks(machine: &mut Machine<'_>, rules: Rules, path: MarkedPath<'_>, end: &[u8]) -> Option<Vec<Step>> {
    let MarkedPath { marks, mark } = path;
    let program = machine.program();
    let mut walk = Walk::new(program.transitions.len(), rules);
    // The steps so far, and how many there were behind each state. Marked states that lead nowhere, by their number on the path.
    let (mut steps, mut ends): (Vec<Step>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut failed: BTreeMap<usize, Vec<Vec<u8>>> = BTreeMap::new();
    while let Some(&wanted) = marks.get(ends.len()) {
        let number = ends.len();
        let failed_here = failed.get(&number).map_or(&[][..], Vec::as_slice);
        let end = (number + 1 == marks.len()).then_some(end);
        let mut finder = MarkFinder { wanted, mark, end, failed: failed_here, steps: Vec::new() };
        // A bound on the depth cuts at the same places as in the search.
        walk.base_depth = steps.len() as u64;
        let found = walk.expand(machine, &mut finder, &mut Full) == Ended::Stopped;
        machine.forget_journal();
        if found {
            steps.append(&mut finder.steps);
            ends.push(steps.len());
            continue;
        }
        ends.pop()?;
        failed.remove(&number);
        failed.entry(number - 1).or_default().push(machine.state().to_vec());
        steps.truncate(ends.last().copied().unwrap_or(0));
        *machine = Machine::new(program).ok()?;
        for &step in &steps {
            take(machine, step).ok()?;
            machine.forget_journal_if_idle();
        }
    }
    Some(steps)
}

/// Looks for a successor with a mark.
struct MarkFinder<'a> {
    wanted: u32,
    mark: &'a dyn Fn(&[u8]) -> u32,
    /// The state itself, if it is known.
    end: Option<&'a [u8]>,
    /// Not these.
    failed: &'a [Vec<u8>],
    steps: Vec<Step>,
}

impl Visitor for MarkFinder<'_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let state = machine.state();
        let matches = match self.end {
            Some(end) => state == end,
            None => (self.mark)(state) == self.wanted && !self.failed.iter().any(|failed| failed == state),
        };
        if !matches {
            return Decision::Back;
        }
        self.steps = walk.path(machine);
        Decision::Stop
    }
}

struct Finder<'a, 'i> {
    state: &'a [u8],
    movers: Option<Movers>,
    steps: Vec<Step>,
    patience: Option<Patience<'i>>,
    given_up: bool,
}

impl Visitor for Finder<'_, '_> {
    const WATCHES: bool = true;

    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        if machine.state() == self.state && self.movers.is_none_or(|movers| walk.movers() == movers) {
            self.steps = walk.path(machine);
            return Decision::Stop;
        }
        Decision::Back
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.given_up = self.patience.is_some_and(|patience| patience.is_over(walk.memory()));
        if self.given_up { Control::Stop } else { Control::Continue }
    }
}
