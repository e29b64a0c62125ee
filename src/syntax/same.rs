//! Compares trees and leaves out where things stand: what printing and reading back must preserve. The name of the
//! inline that a block came from is a matter of place too.

use super::tree::*;

/// The same model?
pub fn same_tree(a: &Unit, b: &Unit) -> bool {
    list(&a.items, &b.items, same_item)
}

fn list<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

fn option<T>(a: &Option<T>, b: &Option<T>, same: impl Fn(&T, &T) -> bool) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        _ => false,
    }
}

fn same_ident(a: &Ident, b: &Ident) -> bool {
    a.name == b.name
}

fn same_item(a: &Item, b: &Item) -> bool {
    match (a, b) {
        (Item::Proctype(a), Item::Proctype(b)) => {
            a.kind == b.kind
                && same_ident(&a.name, &b.name)
                && option(&a.active, &b.active, |a, b| option(&a.count, &b.count, same_expr))
                && list(&a.parameters, &b.parameters, same_declaration)
                && option(&a.priority, &b.priority, same_expr)
                && option(&a.provided, &b.provided, same_expr)
                && same_sequence(&a.body, &b.body)
        }
        (Item::Ltl(a), Item::Ltl(b)) => option(&a.name, &b.name, same_ident) && same_formula(&a.formula, &b.formula),
        (Item::Typedef(a), Item::Typedef(b)) => {
            same_ident(&a.name, &b.name) && list(&a.fields, &b.fields, same_declaration)
        }
        (Item::Mtype(a), Item::Mtype(b)) => {
            option(&a.subtype, &b.subtype, same_ident) && list(&a.names, &b.names, same_ident)
        }
        (Item::Declaration(a), Item::Declaration(b)) => same_declaration(a, b),
        _ => false,
    }
}

fn same_type(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Mtype(a), Type::Mtype(b)) => option(a, b, same_ident),
        (Type::Named(a), Type::Named(b)) => same_ident(a, b),
        (a, b) => a == b,
    }
}

fn same_declaration(a: &Declaration, b: &Declaration) -> bool {
    a.visibility == b.visibility
        && same_type(&a.ty, &b.ty)
        && list(&a.variables, &b.variables, |a, b| {
            same_ident(&a.name, &b.name)
                && option(&a.width, &b.width, same_expr)
                && option(&a.array, &b.array, same_expr)
                && option(&a.initializer, &b.initializer, same_initializer)
        })
}

fn same_initializer(a: &Initializer, b: &Initializer) -> bool {
    match (a, b) {
        (Initializer::Expr(a), Initializer::Expr(b)) => same_expr(a, b),
        (Initializer::List(a), Initializer::List(b)) => list(a, b, same_expr),
        (
            Initializer::Channel { capacity: a, fields: a_fields, .. },
            Initializer::Channel { capacity: b, fields: b_fields, .. },
        ) => same_expr(a, b) && list(a_fields, b_fields, |(a, _), (b, _)| same_type(a, b)),
        _ => false,
    }
}

fn same_sequence(a: &Sequence, b: &Sequence) -> bool {
    list(&a.steps, &b.steps, |a, b| match (a, b) {
        (Step::Declaration(a), Step::Declaration(b)) => same_declaration(a, b),
        (
            Step::Exclusive { send: a, channels: a_channels, .. },
            Step::Exclusive { send: b, channels: b_channels, .. },
        ) => a == b && list(a_channels, b_channels, same_variable),
        (Step::Statement(a), Step::Statement(b)) => same_statement(a, b),
        _ => false,
    })
}

fn same_statement(a: &Statement, b: &Statement) -> bool {
    list(&a.labels, &b.labels, same_ident) && same_kind(&a.kind, &b.kind)
}

fn same_kind(a: &StatementKind, b: &StatementKind) -> bool {
    use StatementKind::*;
    match (a, b) {
        (Assign(v, e), Assign(w, f)) => same_variable(v, w) && same_expr(e, f),
        (Increment(v), Increment(w)) | (Decrement(v), Decrement(w)) => same_variable(v, w),
        (Expr(e), Expr(f)) | (Assert(e), Assert(f)) | (Printm(e), Printm(f)) => same_expr(e, f),
        (Else, Else) | (Break, Break) => true,
        (Goto(l), Goto(m)) => same_ident(l, m),
        (Printf(text, e), Printf(other, f)) => text == other && list(e, f, same_expr),
        (Send { channel: p, sorted: s, arguments: e }, Send { channel: q, sorted: t, arguments: f }) => {
            same_variable(p, q) && s == t && list(e, f, same_expr)
        }
        (
            Receive { channel: p, random: s, copy: c, arguments: e },
            Receive { channel: q, random: t, copy: d, arguments: f },
        ) => same_variable(p, q) && s == t && c == d && list(e, f, same_argument),
        (If(c), If(d)) | (Do(c), Do(d)) => list(c, d, same_sequence),
        (ForRange { variable: v, from: e, to: f, body: s }, ForRange { variable: w, from: g, to: h, body: t }) => {
            same_variable(v, w) && same_expr(e, g) && same_expr(f, h) && same_sequence(s, t)
        }
        (ForIn { variable: v, collection: c, body: s }, ForIn { variable: w, collection: d, body: t }) => {
            same_variable(v, w) && same_variable(c, d) && same_sequence(s, t)
        }
        (Select { variable: v, from: e, to: f }, Select { variable: w, from: g, to: h }) => {
            same_variable(v, w) && same_expr(e, g) && same_expr(f, h)
        }
        (Atomic(s), Atomic(t)) | (DStep(s), DStep(t)) | (Block(s, _), Block(t, _)) => same_sequence(s, t),
        (Unless(m, e), Unless(n, f)) => same_statement(m, n) && same_statement(e, f),
        _ => false,
    }
}

fn same_argument(a: &ReceiveArgument, b: &ReceiveArgument) -> bool {
    use ReceiveArgument::*;
    match (a, b) {
        (Variable(v), Variable(w)) => same_variable(v, w),
        (Constant(e), Constant(f)) | (Eval(e), Eval(f)) => same_expr(e, f),
        (Anything(_), Anything(_)) => true,
        _ => false,
    }
}

fn same_variable(a: &VarRef, b: &VarRef) -> bool {
    list(&a.segments, &b.segments, |a, b| {
        same_ident(&a.name, &b.name) && option(&a.index, &b.index, |a, b| same_expr(a, b))
    })
}

/// Expressions can be long chains: this keeps its own list of what is left to compare.
fn same_expr(a: &Expr, b: &Expr) -> bool {
    let mut todo = vec![(a, b)];
    while let Some((a, b)) = todo.pop() {
        use ExprKind::*;
        let same = match (&a.kind, &b.kind) {
            (Number(a), Number(b)) => a == b,
            (Variable(a), Variable(b)) => same_variable(a, b),
            (Unary(op, e), Unary(other, f)) => {
                todo.push((e, f));
                op == other
            }
            (Binary(op, e, f), Binary(other, g, h)) => {
                todo.extend([(&**e, &**g), (&**f, &**h)]);
                op == other
            }
            (Conditional(c, e, f), Conditional(d, g, h)) => {
                todo.extend([(&**c, &**d), (&**e, &**g), (&**f, &**h)]);
                true
            }
            (Channel(test, q), Channel(other, r)) => test == other && same_variable(q, r),
            (Poll { channel: q, random: s, arguments: e }, Poll { channel: r, random: t, arguments: f }) => {
                same_variable(q, r) && s == t && list(e, f, same_argument)
            }
            (Run { proctype: p, arguments: e, priority: n }, Run { proctype: q, arguments: f, priority: m }) => {
                same_ident(p, q) && list(e, f, same_expr) && option(n, m, |n, m| same_expr(n, m))
            }
            (Timeout, Timeout) | (NonProgress, NonProgress) => true,
            (Enabled(e), Enabled(f)) | (PcValue(e), PcValue(f)) | (GetPriority(e), GetPriority(f)) => {
                todo.push((e, f));
                true
            }
            (SetPriority(e, f), SetPriority(g, h)) => {
                todo.extend([(&**e, &**g), (&**f, &**h)]);
                true
            }
            (RemoteLabel { proctype: p, pid: e, label: l }, RemoteLabel { proctype: q, pid: f, label: m }) => {
                same_ident(p, q) && option(e, f, |e, f| same_expr(e, f)) && same_ident(l, m)
            }
            (
                RemoteVariable { proctype: p, pid: e, variable: v },
                RemoteVariable { proctype: q, pid: f, variable: w },
            ) => same_ident(p, q) && option(e, f, |e, f| same_expr(e, f)) && same_variable(v, w),
            _ => false,
        };
        if !same {
            return false;
        }
    }
    true
}

fn same_formula(a: &Formula, b: &Formula) -> bool {
    let mut todo = vec![(a, b)];
    while let Some((a, b)) = todo.pop() {
        use FormulaKind::*;
        let same = match (&a.kind, &b.kind) {
            (Atom(a), Atom(b)) => same_expr(a, b),
            (Not(a), Not(b)) => {
                todo.push((a, b));
                true
            }
            (Unary(op, a), Unary(other, b)) => {
                todo.push((a, b));
                op == other
            }
            (Binary(op, e, f), Binary(other, g, h)) => {
                todo.extend([(&**e, &**g), (&**f, &**h)]);
                op == other
            }
            _ => false,
        };
        if !same {
            return false;
        }
    }
    true
}
