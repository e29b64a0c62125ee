//! Statements and expressions as SPIN shows them: every operator in parentheses, conditions in one more pair.
//! Trails, reports and the comparison with `pan -d` use this form.

use crate::syntax::tree::*;

/// An expression.
pub(super) fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr);
    out
}

/// A variable with its indices and fields.
pub(super) fn var(var: &VarRef) -> String {
    let mut out = String::new();
    write_var(&mut out, var);
    out
}

fn write_var(out: &mut String, var: &VarRef) {
    for (at, segment) in var.segments.iter().enumerate() {
        if at > 0 {
            out.push('.');
        }
        out.push_str(&segment.name.name);
        if let Some(index) = &segment.index {
            out.push('[');
            write_expr(out, index);
            out.push(']');
        }
    }
}

fn list(out: &mut String, items: &[Expr]) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write_expr(out, item);
    }
}

/// One position of a receive.
pub(super) fn argument(argument: &ReceiveArgument) -> String {
    match argument {
        ReceiveArgument::Variable(place) => var(place),
        ReceiveArgument::Constant(value) => expr(value),
        ReceiveArgument::Eval(value) => format!("eval({})", expr(value)),
        ReceiveArgument::Anything(_) => "_".into(),
    }
}

fn pattern(arguments: &[ReceiveArgument]) -> String {
    arguments.iter().map(argument).collect::<Vec<_>>().join(",")
}

/// `q!a,b`.
pub(super) fn send(channel: &VarRef, sorted: bool, arguments: &[Expr]) -> String {
    let mut out = var(channel);
    out.push_str(if sorted { "!!" } else { "!" });
    list(&mut out, arguments);
    out
}

/// `q?a,b`.
pub(super) fn receive(channel: &VarRef, random: bool, copy: bool, arguments: &[ReceiveArgument]) -> String {
    let operator = if random { "??" } else { "?" };
    let inner = pattern(arguments);
    if copy { format!("{}{operator}<{inner}>", var(channel)) } else { format!("{}{operator}{inner}", var(channel)) }
}

fn write_expr(out: &mut String, expr: &Expr) {
    match &expr.kind {
        ExprKind::Number(value) => out.push_str(&value.to_string()),
        ExprKind::Variable(place) => write_var(out, place),
        ExprKind::Unary(op, inner) => {
            out.push_str(match op {
                UnaryOp::Negate => "-",
                UnaryOp::Not => "!",
                UnaryOp::Complement => "~",
            });
            out.push('(');
            write_expr(out, inner);
            out.push(')');
        }
        ExprKind::Binary(op, left, right) => {
            out.push('(');
            write_expr(out, left);
            out.push_str(binary(*op));
            write_expr(out, right);
            out.push(')');
        }
        ExprKind::Conditional(condition, yes, no) => {
            out.push_str("( ");
            write_expr(out, condition);
            out.push_str(" -> ");
            write_expr(out, yes);
            out.push_str(" : ");
            write_expr(out, no);
            out.push_str(" )");
        }
        ExprKind::Channel(test, channel) => {
            out.push_str(match test {
                ChannelTest::Len => "len(",
                ChannelTest::Empty => "empty(",
                ChannelTest::NotEmpty => "nempty(",
                ChannelTest::Full => "full(",
                ChannelTest::NotFull => "nfull(",
            });
            write_var(out, channel);
            out.push(')');
        }
        ExprKind::Poll { channel, random, arguments } => {
            write_var(out, channel);
            out.push_str(if *random { "??[" } else { "?[" });
            out.push_str(&pattern(arguments));
            out.push(']');
        }
        ExprKind::Run { proctype, arguments, .. } => {
            out.push_str("run ");
            out.push_str(&proctype.name);
            out.push('(');
            list(out, arguments);
            out.push(')');
        }
        ExprKind::Timeout => out.push_str("timeout"),
        ExprKind::NonProgress => out.push_str("np_"),
        ExprKind::Enabled(pid) => call(out, "enabled", pid),
        ExprKind::PcValue(pid) => call(out, "pc_value", pid),
        ExprKind::GetPriority(pid) => call(out, "get_priority", pid),
        ExprKind::SetPriority(pid, value) => {
            out.push_str("set_priority(");
            write_expr(out, pid);
            out.push_str(", ");
            write_expr(out, value);
            out.push(')');
        }
        ExprKind::RemoteLabel { proctype, pid, label } => {
            remote(out, proctype, pid.as_deref());
            out.push_str("@");
            out.push_str(&label.name);
        }
        ExprKind::RemoteVariable { proctype, pid, variable } => {
            remote(out, proctype, pid.as_deref());
            out.push(':');
            write_var(out, variable);
        }
    }
}

fn call(out: &mut String, name: &str, argument: &Expr) {
    out.push_str(name);
    out.push('(');
    write_expr(out, argument);
    out.push(')');
}

fn remote(out: &mut String, proctype: &Ident, pid: Option<&Expr>) {
    out.push_str(&proctype.name);
    if let Some(pid) = pid {
        out.push('[');
        write_expr(out, pid);
        out.push(']');
    }
}

/// The operator as it is written.
pub(super) fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::ShiftLeft => "<<",
        BinaryOp::ShiftRight => ">>",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}
