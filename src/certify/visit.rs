//! Every expression of a piece of the tree, from the outside to the inside.

use crate::syntax::tree::{
    Declaration, Expr, ExprKind, Initializer, ReceiveArgument, Sequence, Statement, StatementKind, Step, VarRef,
};

/// Calls `each` for all expressions of a sequence that are not part of another one.
pub(super) fn sequence(sequence: &Sequence, each: &mut dyn FnMut(&Expr)) {
    for step in &sequence.steps {
        match step {
            Step::Declaration(declaration) => initializers(declaration, each),
            Step::Exclusive { .. } => {}
            Step::Statement(inner) => statement(inner, each),
        }
    }
}

fn initializers(declaration: &Declaration, each: &mut dyn FnMut(&Expr)) {
    for declarator in &declaration.variables {
        match &declarator.initializer {
            Some(Initializer::Expr(value)) => each(value),
            Some(Initializer::List(values)) => values.iter().for_each(&mut *each),
            _ => {}
        }
    }
}

fn statement(inner: &Statement, each: &mut dyn FnMut(&Expr)) {
    match &inner.kind {
        StatementKind::Assign(var, value) => {
            variable(var, each);
            each(value);
        }
        StatementKind::Increment(var) | StatementKind::Decrement(var) => variable(var, each),
        StatementKind::Expr(value) | StatementKind::Assert(value) | StatementKind::Printm(value) => each(value),
        StatementKind::Printf(_, values) => values.iter().for_each(each),
        StatementKind::Send { channel, arguments, .. } => {
            variable(channel, each);
            arguments.iter().for_each(each);
        }
        StatementKind::Receive { channel, arguments, .. } => {
            variable(channel, each);
            pattern(arguments, each);
        }
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter().for_each(|option| sequence(option, each));
        }
        StatementKind::ForRange { variable: var, from, to, body } => {
            variable(var, each);
            each(from);
            each(to);
            sequence(body, each);
        }
        StatementKind::ForIn { body, .. } => sequence(body, each),
        StatementKind::Select { variable: var, from, to } => {
            variable(var, each);
            each(from);
            each(to);
        }
        StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body, _) => {
            sequence(body, each);
        }
        StatementKind::Unless(main, escape) => {
            statement(main, each);
            statement(escape, each);
        }
        StatementKind::Else | StatementKind::Goto(_) | StatementKind::Break => {}
    }
}

fn variable(var: &VarRef, each: &mut dyn FnMut(&Expr)) {
    // The name itself may be a predefined one, such as `_priority`.
    each(&Expr { kind: ExprKind::Variable(var.clone()), span: var.span, depth: 0 });
}

fn pattern(arguments: &[ReceiveArgument], each: &mut dyn FnMut(&Expr)) {
    for argument in arguments {
        match argument {
            ReceiveArgument::Variable(var) => variable(var, each),
            ReceiveArgument::Constant(value) | ReceiveArgument::Eval(value) => each(value),
            ReceiveArgument::Anything(_) => {}
        }
    }
}

/// Calls `each` for an expression and all its parts.
pub(super) fn expr(whole: &Expr, each: &mut dyn FnMut(&Expr)) {
    each(whole);
    match &whole.kind {
        ExprKind::Variable(var) | ExprKind::Channel(_, var) => indices(var, each),
        ExprKind::Unary(_, inner) | ExprKind::Enabled(inner) => expr(inner, each),
        ExprKind::PcValue(inner) | ExprKind::GetPriority(inner) => expr(inner, each),
        ExprKind::Binary(_, left, right) | ExprKind::SetPriority(left, right) => {
            expr(left, each);
            expr(right, each);
        }
        ExprKind::Conditional(condition, yes, no) => {
            expr(condition, each);
            expr(yes, each);
            expr(no, each);
        }
        ExprKind::Poll { channel, arguments, .. } => {
            indices(channel, each);
            pattern(arguments, &mut |part| expr(part, each));
        }
        ExprKind::Run { arguments, priority, .. } => {
            arguments.iter().for_each(|argument| expr(argument, each));
            priority.iter().for_each(|priority| expr(priority, each));
        }
        ExprKind::RemoteLabel { pid, .. } => pid.iter().for_each(|pid| expr(pid, each)),
        ExprKind::RemoteVariable { pid, variable, .. } => {
            pid.iter().for_each(|pid| expr(pid, each));
            indices(variable, each);
        }
        ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
    }
}

fn indices(var: &VarRef, each: &mut dyn FnMut(&Expr)) {
    var.segments.iter().filter_map(|segment| segment.index.as_deref()).for_each(|index| expr(index, each));
}
