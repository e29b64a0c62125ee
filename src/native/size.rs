//! How much there is to compile. The time that Cranelift takes, and the memory, grow faster than a function does, so what is too large is left
//! to the interpreter; and a program is compiled only after so many steps that compiling it pays.

use crate::exec::program::{Ex, Indexed, Op, Pattern, Program, Receive, Target, Transition};

/// A location with more parts than this is left to the interpreter: one function then takes milliseconds.
pub(super) const LARGEST_FUNCTION: u64 = 1_000;
/// When so many parts were compiled, the other locations are left to the interpreter: compiling then takes about half a second.
pub(super) const LARGEST_PROGRAM: u64 = 100_000;
/// Compiling a part takes as long as so many interpreted steps.
const STEPS_PER_PART: u64 = 8;
/// Fewer steps than this are never worth it.
const LEAST_STEPS: u64 = 1 << 15;

/// Steps after which compiling a program pays.
pub(super) fn steps_until_it_pays(program: &Program) -> u64 {
    let parts: u64 = program.transitions.iter().map(of_transition).sum();
    (parts.min(LARGEST_PROGRAM) * STEPS_PER_PART).max(LEAST_STEPS)
}

/// Operations, variables and numbers of a transition.
pub(super) fn of_transition(transition: &Transition) -> u64 {
    let after = transition.after.as_ref().map_or(0, |after| {
        after.resets.len() as u64 * 2
            + after.assignments.iter().map(|(target, value)| of_target(target) + of_value(value)).sum::<u64>()
    });
    2 + of_op(&transition.op) + after
}

fn of_op(op: &Op) -> u64 {
    1 + match op {
        Op::Skip | Op::Else | Op::End => 0,
        Op::Print(print) => print.values.iter().map(of_value).sum(),
        Op::Guard(value) | Op::Assert(value, _) => of_value(value),
        Op::Assign(target, value) => of_target(target) + of_value(value),
        Op::Block(assignments) => assignments.iter().map(|(target, value)| of_target(target) + of_value(value)).sum(),
        Op::Send(send) => 8 + of_value(&send.channel) + 2 * send.values.iter().map(of_value).sum::<u64>(),
        Op::Receive(receive) => of_receive(receive),
        // The first choices stand in the code twice.
        Op::DStep(routine, _) => 2 * routine.transitions.iter().map(|(op, _)| of_op(op)).sum::<u64>(),
        // They are left to the interpreter.
        Op::RunGuard(_) | Op::RunAssign(_) | Op::SetPriority(_) => 0,
    }
}

fn of_receive(receive: &Receive) -> u64 {
    let pattern = |pattern: &Pattern| match pattern {
        Pattern::Store(target) => 2 * of_target(target),
        Pattern::Match(value) => 2 * of_value(value),
        Pattern::Ignore => 0,
    };
    16 + of_value(&receive.channel) + receive.patterns.iter().map(pattern).sum::<u64>()
}

fn of_target(target: &Target) -> u64 {
    match target {
        Target::Cell(_) => 2,
        Target::Indexed(indexed) => 2 + of_indices(indexed),
    }
}

fn of_indices(indexed: &Indexed) -> u64 {
    indexed.indices.iter().map(|(value, ..)| 3 + of_value(value)).sum()
}

fn of_value(value: &Ex) -> u64 {
    1 + match value {
        Ex::Indexed(indexed) => of_indices(indexed),
        Ex::Unary(_, operand) => of_value(operand),
        Ex::Binary(_, pair) | Ex::Divide(_, pair, _) | Ex::And(pair) | Ex::Or(pair) => {
            1 + of_value(&pair.0) + of_value(&pair.1)
        }
        Ex::Conditional(parts) => 3 + of_value(&parts.0) + of_value(&parts.1) + of_value(&parts.2),
        Ex::Channel(_, channel, _) => 6 + of_value(channel),
        Ex::Poll(receive) => of_receive(receive),
        _ => 0,
    }
}
