//! The steps that are possible in a state: what a simulation or a user chooses from.
//!
//! The rules are those of [`crate::search::walk`]: the order of transitions, escapes, `else`, atomic blocks, `timeout`. The
//! two halves of a rendezvous are one choice. So no handshake is half done between two choices, and the state can be saved
//! and loaded.

use crate::exec::{Fired, Machine};
use crate::search::outcome::{Actor, Step};
use rand::Rng;
use smallvec::{SmallVec, smallvec};

/// One step that can be taken, or the two halves of a rendezvous.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The process that makes the (first) step.
    pub pid: usize,
    /// The steps.
    pub steps: SmallVec<[Step; 2]>,
}

/// What is possible now. `atomic`: the process that is inside an atomic block; it goes on alone as long as it can.
/// Processes are in order of pid, the choices of each in the order in which a search tries them.
pub fn choices(machine: &mut Machine<'_>, atomic: Option<usize>) -> Vec<Choice> {
    machine.set_timeout(false);
    let mut found = Vec::new();
    if let Some(pid) = atomic.filter(|&pid| pid < machine.process_count()) {
        of_process(machine, pid, false, &mut found);
        if !found.is_empty() {
            return found;
        }
    }
    for pid in 0..machine.process_count() {
        of_process(machine, pid, false, &mut found);
    }
    if found.is_empty() && machine.program().timeout {
        machine.set_timeout(true);
        for pid in 0..machine.process_count() {
            of_process(machine, pid, true, &mut found);
        }
        machine.set_timeout(false);
    }
    found
}

/// One of the choices by chance: a process that can move is drawn, then one of its choices. `None` if there are none.
pub fn by_chance<'c>(list: &'c [Choice], random: &mut impl Rng) -> Option<&'c Choice> {
    let mut pids: Vec<usize> = list.iter().map(|choice| choice.pid).collect();
    pids.dedup();
    if pids.is_empty() {
        return None;
    }
    let pid = pids[random.random_range(0..pids.len())];
    let own: Vec<&Choice> = list.iter().filter(|choice| choice.pid == pid).collect();
    own.get(random.random_range(0..own.len())).copied()
}

/// The process that is inside an atomic block after this step was taken.
pub fn atomic_after(machine: &Machine<'_>, proctype: u32, step: Step) -> Option<usize> {
    let program = machine.program();
    let first = program.proctypes.get(proctype as usize)?.first_transition;
    let transition = program.transitions.get(first.checked_add(step.transition)? as usize)?;
    match step.actor {
        Actor::Process(pid) if transition.atomic => Some(usize::from(pid)),
        _ => None,
    }
}

fn of_process(machine: &mut Machine<'_>, pid: usize, timeout: bool, found: &mut Vec<Choice>) {
    for_executable(machine, pid, |machine, number| {
        let step = step_of(machine, pid, number, timeout);
        if !machine.in_handshake() {
            found.push(Choice { pid, steps: smallvec![step] });
            return true;
        }
        let before = found.len();
        for partner in (0..machine.process_count()).filter(|&partner| partner != pid) {
            for_executable(machine, partner, |machine, number| {
                let receive = step_of(machine, partner, number, timeout);
                found.push(Choice { pid, steps: smallvec![step, receive] });
                true
            });
        }
        found.len() > before
    });
}

fn step_of(machine: &Machine<'_>, pid: usize, number: u32, timeout: bool) -> Step {
    // The step is done, so the process may be dead: the owner of the transition is known from its number.
    let program = machine.program();
    let owner = program.proctypes.partition_point(|proctype| proctype.first_transition <= number) - 1;
    let transition = number - program.proctypes[owner].first_transition;
    Step { actor: Actor::Process(pid as u8), transition, timeout }
}

/// Calls `each` with every executable transition of a process, executed; it says whether the step counts (a send that
/// nobody takes has not happened). A step that fails counts, and is told as well.
fn for_executable<'p>(machine: &mut Machine<'p>, pid: usize, mut each: impl FnMut(&mut Machine<'p>, u32) -> bool) {
    let Ok(mut cursor) = machine.cursor(pid) else { return };
    let program = machine.program();
    while let Some(number) = cursor.next(program) {
        let mark = machine.mark();
        match machine.fire(pid, number, cursor.moved()) {
            Fired::Blocked => continue,
            // To look at it is an error already; it is offered so that one can see it, but nothing has moved.
            Fired::BlockedWith(_) => {
                each(machine, number);
            }
            // A send that fails leaves no handshake behind it: it is told as a plain step.
            Fired::Failed(_) => {
                if each(machine, number) {
                    cursor.failed();
                }
            }
            Fired::Done | Fired::DoneWith(_) => {
                let counts = each(machine, number);
                machine.undo(mark);
                if counts {
                    cursor.took(&program.transitions[number as usize]);
                } else {
                    cursor.offer_failed();
                }
            }
        }
    }
}
