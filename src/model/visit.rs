//! Walks over the model's expressions and writes: the one place that knows where an action hides them.

use super::{Action, Automaton, Expr, ExprKind, Place, ReceiveArgument};

/// Calls `f` on the expression and on everything below it, indices included.
pub fn walk<'m>(expr: &'m Expr, f: &mut impl FnMut(&'m Expr)) {
    f(expr);
    each_child(expr, &mut |child| walk(child, f));
}

/// Calls `f` on the expressions directly below this one.
pub fn each_child<'m>(expr: &'m Expr, f: &mut impl FnMut(&'m Expr)) {
    match &expr.kind {
        ExprKind::Constant(_)
        | ExprKind::Pid
        | ExprKind::ProcessCount
        | ExprKind::Last
        | ExprKind::NonProgress
        | ExprKind::Timeout => {}
        ExprKind::Load(place) => place.indices.iter().for_each(|index| f(&index.value)),
        ExprKind::Unary(_, a)
        | ExprKind::Channel(_, a)
        | ExprKind::Enabled(a)
        | ExprKind::PcValue(a)
        | ExprKind::GetPriority(a) => f(a),
        ExprKind::Binary(_, a, b) | ExprKind::SetPriority(a, b) => {
            f(a);
            f(b);
        }
        ExprKind::Conditional(a, b, c) => {
            f(a);
            f(b);
            f(c);
        }
        ExprKind::Poll { channel, arguments, .. } => {
            f(channel);
            arguments.iter().for_each(|argument| receive_argument(argument, f));
        }
        ExprKind::Run { arguments, priority, .. } => {
            arguments.iter().for_each(&mut *f);
            if let Some(priority) = priority {
                f(priority);
            }
        }
        ExprKind::RemoteLabel { pid, .. } => {
            if let Some(pid) = pid {
                f(pid);
            }
        }
        ExprKind::RemoteVariable(remote) => {
            if let Some(pid) = &remote.pid {
                f(pid);
            }
            remote.place.indices.iter().for_each(|index| f(&index.value));
        }
    }
}

fn receive_argument<'m>(argument: &'m ReceiveArgument, f: &mut impl FnMut(&'m Expr)) {
    match argument {
        ReceiveArgument::Store(place) => place.indices.iter().for_each(|index| f(&index.value)),
        ReceiveArgument::Match(expr) => f(expr),
        ReceiveArgument::Ignore => {}
    }
}

/// Calls `f` on every outermost expression of an action (indices of written places too), also inside a `d_step`.
pub fn expressions<'m>(action: &'m Action, f: &mut impl FnMut(&'m Expr)) {
    match action {
        Action::Skip | Action::Else | Action::End => {}
        Action::Guard(expr) | Action::Assert(expr) | Action::Printm(expr) => f(expr),
        Action::Assign(place, value) => {
            place.indices.iter().for_each(|index| f(&index.value));
            f(value);
        }
        Action::Send { channel, arguments, .. } => {
            f(channel);
            arguments.iter().for_each(f);
        }
        Action::Receive { channel, arguments, .. } => {
            f(channel);
            arguments.iter().for_each(|argument| receive_argument(argument, f));
        }
        Action::Printf(_, arguments) => arguments.iter().for_each(f),
        Action::Block(assignments) => {
            for (place, value) in assignments {
                place.indices.iter().for_each(|index| f(&index.value));
                f(value);
            }
        }
        Action::DStep(body) => body.transitions.iter().for_each(|t| expressions(&t.action, f)),
    }
}

/// Calls `f` on every place an action writes, with the value written when it is an expression.
pub fn writes<'m>(action: &'m Action, f: &mut impl FnMut(&'m Place, Option<&'m Expr>)) {
    match action {
        Action::Assign(place, value) => f(place, Some(value)),
        Action::Block(assignments) => assignments.iter().for_each(|(place, value)| f(place, Some(value))),
        Action::Receive { arguments, .. } => {
            for argument in arguments {
                if let ReceiveArgument::Store(place) = argument {
                    f(place, None);
                }
            }
        }
        Action::DStep(body) => body.transitions.iter().for_each(|t| writes(&t.action, f)),
        Action::Skip
        | Action::Guard(_)
        | Action::Else
        | Action::Send { .. }
        | Action::Assert(_)
        | Action::Printf(..)
        | Action::Printm(_)
        | Action::End => {}
    }
}

/// Calls `f` on every action, also inside a `d_step`, and on what a static reduction has moved behind one.
pub fn actions<'m>(automaton: &'m Automaton, f: &mut impl FnMut(&'m Action)) {
    for transition in &automaton.transitions {
        f(&transition.action);
        if let Action::DStep(body) = &transition.action {
            actions(body, f);
        }
        transition.after.actions.iter().for_each(&mut *f);
    }
}

/// Can its evaluation end in a run-time error? Divisions and computed indices can; so can questions about a channel that a
/// variable holds, which may be none, and about other processes.
pub fn can_fault(expr: &Expr) -> bool {
    use super::BinaryOp::{Divide, Remainder};
    let mut faults = false;
    walk(expr, &mut |e| match &e.kind {
        ExprKind::Binary(Divide | Remainder, _, divisor) => {
            faults |= !matches!(divisor.kind, ExprKind::Constant(c) if c != 0);
        }
        ExprKind::Load(place) => faults |= !place.indices.is_empty(),
        ExprKind::Channel(_, channel) | ExprKind::Poll { channel, .. } => {
            faults |= !matches!(channel.kind, ExprKind::Constant(id) if id > 0);
        }
        ExprKind::Run { .. }
        | ExprKind::SetPriority(..)
        | ExprKind::GetPriority(_)
        | ExprKind::Enabled(_)
        | ExprKind::PcValue(_)
        | ExprKind::RemoteLabel { .. }
        | ExprKind::RemoteVariable(_) => faults = true,
        _ => {}
    });
    faults
}

/// Is there a `run` in it?
pub fn makes_process(expr: &Expr) -> bool {
    let mut makes = false;
    walk(expr, &mut |e| makes |= matches!(e.kind, ExprKind::Run { .. }));
    makes
}
