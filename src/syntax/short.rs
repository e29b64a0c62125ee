//! Statements on one line, in the words SPIN uses in its traces and its list of unreached states: every operation
//! in parentheses, no blanks around operators, `x++` as `x = (x+1)`, a condition in one more pair of parentheses.
//! A reader who compares the two tools side by side should find the same text.

use super::tree::*;
use crate::source::visible::visible;
use std::fmt::Write;

/// A piece of text still to be written. Expressions can be ten thousand levels deep, so this works on a list of its
/// own instead of the call stack.
enum Piece<'a> {
    Text(&'static str),
    Expr(&'a Expr),
    Name(&'a str),
    Variable(&'a VarRef),
    Argument(&'a ReceiveArgument),
}

/// The text of an operator.
pub fn binary_text(op: BinaryOp) -> &'static str {
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

/// The text of an operator.
pub fn unary_text(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Negate => "-",
        UnaryOp::Not => "!",
        UnaryOp::Complement => "~",
    }
}

/// The name of a channel test.
pub fn test_text(test: ChannelTest) -> &'static str {
    match test {
        ChannelTest::Len => "len",
        ChannelTest::Empty => "empty",
        ChannelTest::NotEmpty => "nempty",
        ChannelTest::Full => "full",
        ChannelTest::NotFull => "nfull",
    }
}

/// An expression, as in `((x==1)&&!(b))`.
pub fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    write_pieces(&mut out, vec![Piece::Expr(expr)]);
    out
}

/// A variable, as in `t.x[(i+1)]`.
pub fn variable(variable: &VarRef) -> String {
    let mut out = String::new();
    write_pieces(&mut out, vec![Piece::Variable(variable)]);
    out
}

/// A basic statement. Of a compound one (`if`, `atomic`, …) only the word that names it.
pub fn statement(statement: &Statement) -> String {
    use StatementKind::*;
    let mut out = String::new();
    match &statement.kind {
        Assign(v, e) => write_pieces(&mut out, vec![Piece::Variable(v), Piece::Text(" = "), Piece::Expr(e)]),
        Increment(v) => {
            write_pieces(
                &mut out,
                vec![Piece::Variable(v), Piece::Text(" = ("), Piece::Variable(v), Piece::Text("+1)")],
            );
        }
        Decrement(v) => {
            write_pieces(
                &mut out,
                vec![Piece::Variable(v), Piece::Text(" = ("), Piece::Variable(v), Piece::Text("-1)")],
            );
        }
        Expr(e) if matches!(e.kind, ExprKind::SetPriority(..)) => write_pieces(&mut out, vec![Piece::Expr(e)]),
        Expr(e) => write_pieces(&mut out, vec![Piece::Text("("), Piece::Expr(e), Piece::Text(")")]),
        Else => out.push_str("else"),
        Goto(label) => out = format!("goto {}", label.name),
        Break => out.push_str("break"),
        Assert(e) => write_pieces(&mut out, vec![Piece::Text("assert("), Piece::Expr(e), Piece::Text(")")]),
        Printf(text, arguments) => {
            // Names of steps are shown everywhere; no text of a model may play with a terminal through them.
            out = format!("printf('{}'", visible(text));
            for argument in arguments {
                write_pieces(&mut out, vec![Piece::Text(","), Piece::Expr(argument)]);
            }
            out.push(')');
        }
        Printm(e) => write_pieces(&mut out, vec![Piece::Text("printm("), Piece::Expr(e), Piece::Text(")")]),
        Send { channel, sorted, arguments } => {
            let mut pieces = vec![Piece::Variable(channel), Piece::Text(if *sorted { "!!" } else { "!" })];
            for (index, argument) in arguments.iter().enumerate() {
                if index > 0 {
                    pieces.push(Piece::Text(","));
                }
                pieces.push(Piece::Expr(argument));
            }
            write_pieces(&mut out, pieces);
        }
        Receive { channel, random, copy, arguments } => {
            let mut pieces = vec![Piece::Variable(channel), Piece::Text(if *random { "??" } else { "?" })];
            if *copy {
                pieces.push(Piece::Text("<"));
            }
            push_pattern(&mut pieces, arguments);
            if *copy {
                pieces.push(Piece::Text(">"));
            }
            write_pieces(&mut out, pieces);
        }
        If(_) => out.push_str("if"),
        Do(_) => out.push_str("do"),
        ForRange { variable: v, from, to, .. } => range(&mut out, "for", v, from, to),
        ForIn { variable: v, collection, .. } => {
            out = format!("for ({} in {})", variable(v), variable(collection));
        }
        Select { variable: v, from, to } => range(&mut out, "select", v, from, to),
        Atomic(_) => out.push_str("atomic"),
        DStep(_) => out.push_str("d_step"),
        Block(_, Some(name)) => out = format!("{}()", name.name),
        Block(_, None) => out.push_str("{...}"),
        Unless(..) => out.push_str("unless"),
    }
    out
}

fn range(out: &mut String, word: &'static str, v: &VarRef, from: &Expr, to: &Expr) {
    let pieces = vec![
        Piece::Text(word),
        Piece::Text(" ("),
        Piece::Variable(v),
        Piece::Text(" : "),
        Piece::Expr(from),
        Piece::Text(" .. "),
        Piece::Expr(to),
        Piece::Text(")"),
    ];
    write_pieces(out, pieces);
}

fn push_pattern<'a>(pieces: &mut Vec<Piece<'a>>, arguments: &'a [ReceiveArgument]) {
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::Text(","));
        }
        pieces.push(Piece::Argument(argument));
    }
}

fn write_pieces(out: &mut String, pieces: Vec<Piece<'_>>) {
    use Piece::*;
    let mut todo = pieces;
    todo.reverse();
    let mut next: Vec<Piece<'_>> = Vec::new();
    while let Some(piece) = todo.pop() {
        match piece {
            Text(text) => out.push_str(text),
            Name(name) => out.push_str(name),
            Variable(variable) => push_variable(&mut next, variable),
            Argument(ReceiveArgument::Variable(variable)) => push_variable(&mut next, variable),
            Argument(ReceiveArgument::Constant(e)) => next.push(Expr(e)),
            Argument(ReceiveArgument::Eval(e)) => next.extend([Text("eval("), Expr(e), Text(")")]),
            Argument(ReceiveArgument::Anything(_)) => out.push('_'),
            Expr(e) => match &e.kind {
                ExprKind::Number(value) => {
                    // Writing to a string cannot fail.
                    let _ = write!(out, "{value}");
                }
                ExprKind::Variable(variable) => push_variable(&mut next, variable),
                ExprKind::Unary(op, inner) => {
                    next.extend([Text(unary_text(*op)), Text("("), Expr(inner), Text(")")]);
                }
                ExprKind::Binary(op, a, b) => {
                    next.extend([Text("("), Expr(a), Text(binary_text(*op)), Expr(b), Text(")")]);
                }
                ExprKind::Conditional(c, a, b) => {
                    next.extend([Text("( ("), Expr(c), Text(") -> ("), Expr(a), Text(") : ("), Expr(b), Text(") )")])
                }
                ExprKind::Channel(test, channel) => {
                    next.extend([Text(test_text(*test)), Text("("), Variable(channel), Text(")")]);
                }
                ExprKind::Poll { channel, random, arguments } => {
                    next.extend([Variable(channel), Text(if *random { "??[" } else { "?[" })]);
                    push_pattern(&mut next, arguments);
                    next.push(Text("]"));
                }
                ExprKind::Run { proctype, arguments, .. } => {
                    next.extend([Text("run "), Name(&proctype.name), Text("(")]);
                    for (index, argument) in arguments.iter().enumerate() {
                        if index > 0 {
                            next.push(Text(","));
                        }
                        next.push(Expr(argument));
                    }
                    next.push(Text(")"));
                }
                ExprKind::Timeout => out.push_str("timeout"),
                ExprKind::NonProgress => out.push_str("np_"),
                ExprKind::Enabled(inner) => next.extend([Text("enabled("), Expr(inner), Text(")")]),
                ExprKind::PcValue(inner) => next.extend([Text("pc_value("), Expr(inner), Text(")")]),
                ExprKind::GetPriority(inner) => next.extend([Text("get_priority("), Expr(inner), Text(")")]),
                ExprKind::SetPriority(pid, value) => {
                    next.extend([Text("set_priority("), Expr(pid), Text(", "), Expr(value), Text(")")]);
                }
                ExprKind::RemoteLabel { proctype, pid, label } => {
                    next.push(Text("("));
                    push_instance(&mut next, &proctype.name, pid.as_deref());
                    next.extend([Text("._p=="), Name(&label.name), Text(")")]);
                }
                ExprKind::RemoteVariable { proctype, pid, variable } => {
                    push_instance(&mut next, &proctype.name, pid.as_deref());
                    next.extend([Text("."), Variable(variable)]);
                }
            },
        }
        todo.extend(next.drain(..).rev());
    }
}

fn push_instance<'a>(pieces: &mut Vec<Piece<'a>>, name: &'a str, pid: Option<&'a Expr>) {
    pieces.push(Piece::Name(name));
    if let Some(pid) = pid {
        pieces.extend([Piece::Text("["), Piece::Expr(pid), Piece::Text("]")]);
    }
}

fn push_variable<'a>(pieces: &mut Vec<Piece<'a>>, variable: &'a VarRef) {
    for (index, segment) in variable.segments.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::Text("."));
        }
        pieces.push(Piece::Name(&segment.name.name));
        if let Some(index) = &segment.index {
            pieces.extend([Piece::Text("["), Piece::Expr(index), Piece::Text("]")]);
        }
    }
}
