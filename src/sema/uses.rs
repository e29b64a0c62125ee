//! Which parts of the language a unit uses, where that must be known before bodies are laid out.

use crate::model::Uses;
use crate::syntax::tree::*;

/// Looks through the whole unit.
pub(super) fn of(unit: &Unit) -> Uses {
    let mut uses = Uses::default();
    for item in &unit.items {
        match item {
            Item::Proctype(proctype) => {
                uses.priorities |= proctype.priority.is_some();
                uses.provided |= proctype.provided.is_some();
                proctype.provided.iter().for_each(|provided| expr(provided, &mut uses));
                sequence(&proctype.body, &mut uses);
                if proctype.kind == ProctypeKind::Never {
                    uses.claims_ask |= asks(|own| sequence(&proctype.body, own));
                }
            }
            Item::Ltl(ltl) => {
                formula(&ltl.formula, &mut uses);
                uses.claims_ask |= asks(|own| formula(&ltl.formula, own));
            }
            Item::Declaration(declared) => declaration(declared, &mut uses),
            Item::Typedef(_) | Item::Mtype(_) => {}
        }
    }
    uses
}

/// Does what is looked through ask whether somebody can move?
fn asks(look: impl FnOnce(&mut Uses)) -> bool {
    let mut own = Uses::default();
    look(&mut own);
    own.timeout || own.enabled
}

fn formula(formula: &Formula, uses: &mut Uses) {
    match &formula.kind {
        FormulaKind::Atom(atom) => expr(atom, uses),
        FormulaKind::Not(inner) | FormulaKind::Unary(_, inner) => self::formula(inner, uses),
        FormulaKind::Binary(_, left, right) => {
            self::formula(left, uses);
            self::formula(right, uses);
        }
    }
}

fn declaration(declaration: &Declaration, uses: &mut Uses) {
    for variable in &declaration.variables {
        if let Some(Initializer::Expr(value)) = &variable.initializer {
            expr(value, uses);
        }
    }
}

fn sequence(sequence: &Sequence, uses: &mut Uses) {
    for step in &sequence.steps {
        match step {
            Step::Declaration(declared) => declaration(declared, uses),
            Step::Exclusive { .. } => {}
            Step::Statement(inner) => statement(inner, uses),
        }
    }
}

fn statement(statement: &Statement, uses: &mut Uses) {
    match &statement.kind {
        StatementKind::Assign(place, value) => {
            var(place, uses);
            expr(value, uses);
        }
        StatementKind::Increment(place) | StatementKind::Decrement(place) => var(place, uses),
        StatementKind::Expr(value) | StatementKind::Assert(value) | StatementKind::Printm(value) => expr(value, uses),
        StatementKind::Printf(_, values) => values.iter().for_each(|value| expr(value, uses)),
        StatementKind::Send { channel, arguments, .. } => {
            var(channel, uses);
            arguments.iter().for_each(|value| expr(value, uses));
        }
        StatementKind::Receive { channel, arguments, .. } => {
            var(channel, uses);
            pattern(arguments, uses);
        }
        StatementKind::If(options) | StatementKind::Do(options) => {
            options.iter().for_each(|option| sequence(option, uses));
        }
        StatementKind::ForRange { from, to, body, .. } => {
            expr(from, uses);
            expr(to, uses);
            sequence(body, uses);
        }
        StatementKind::ForIn { body, .. } => sequence(body, uses),
        StatementKind::Select { from, to, .. } => {
            expr(from, uses);
            expr(to, uses);
        }
        StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body, _) => {
            sequence(body, uses);
        }
        StatementKind::Unless(main, escape) => {
            uses.unless = true;
            self::statement(main, uses);
            self::statement(escape, uses);
        }
        StatementKind::Else | StatementKind::Goto(_) | StatementKind::Break => {}
    }
}

fn pattern(arguments: &[ReceiveArgument], uses: &mut Uses) {
    for argument in arguments {
        match argument {
            ReceiveArgument::Variable(place) => var(place, uses),
            ReceiveArgument::Constant(value) | ReceiveArgument::Eval(value) => expr(value, uses),
            ReceiveArgument::Anything(_) => {}
        }
    }
}

fn var(var: &VarRef, uses: &mut Uses) {
    for segment in &var.segments {
        uses.last |= &*segment.name.name == "_last";
        uses.priorities |= &*segment.name.name == "_priority";
        segment.index.iter().for_each(|index| expr(index, uses));
    }
}

fn expr(expression: &Expr, uses: &mut Uses) {
    match &expression.kind {
        ExprKind::Number(_) => {}
        ExprKind::Variable(place) | ExprKind::Channel(_, place) => var(place, uses),
        ExprKind::Unary(_, inner) => expr(inner, uses),
        ExprKind::Binary(_, left, right) => {
            expr(left, uses);
            expr(right, uses);
        }
        ExprKind::Conditional(condition, yes, no) => {
            expr(condition, uses);
            expr(yes, uses);
            expr(no, uses);
        }
        ExprKind::Poll { channel, arguments, .. } => {
            var(channel, uses);
            pattern(arguments, uses);
        }
        ExprKind::Run { arguments, priority, .. } => {
            uses.priorities |= priority.is_some();
            arguments.iter().for_each(|value| expr(value, uses));
        }
        ExprKind::Timeout => uses.timeout = true,
        ExprKind::NonProgress => uses.non_progress = true,
        ExprKind::Enabled(inner) => {
            uses.enabled = true;
            expr(inner, uses);
        }
        ExprKind::PcValue(inner) => {
            uses.pc_value = true;
            expr(inner, uses);
        }
        ExprKind::GetPriority(inner) => {
            uses.priorities = true;
            expr(inner, uses);
        }
        ExprKind::SetPriority(pid, value) => {
            uses.priorities = true;
            expr(pid, uses);
            expr(value, uses);
        }
        ExprKind::RemoteLabel { pid, .. } | ExprKind::RemoteVariable { pid, .. } => {
            pid.iter().for_each(|pid| expr(pid, uses));
        }
    }
}
