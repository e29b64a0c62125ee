//! Prints a tree as clean Promela: four blanks of indentation, one statement a line, parentheses only where the
//! precedence of operators asks for them. What it prints is read back to the same tree (see [`super::same`]). The
//! tree holds no macros, inlines or comments, so this is the model as the verifier sees it: `pv fmt --expand`.

use super::build::op_level;
use super::short::{binary_text, test_text, unary_text};
use super::tree::*;
use std::fmt::Write;

/// A whole model.
pub fn unit(unit: &Unit) -> String {
    let mut printer = Printer { out: String::new(), indent: 0 };
    let mut claims = 0;
    for (index, item) in unit.items.iter().enumerate() {
        let block = |item: &Item| matches!(item, Item::Proctype(_) | Item::Typedef(_) | Item::Ltl(_));
        if index > 0 && (block(item) || block(&unit.items[index - 1])) {
            printer.out.push('\n');
        }
        printer.item(item, &mut claims);
    }
    printer.out
}

/// One statement with everything in it, without a separator behind it.
pub fn statement(statement: &Statement) -> String {
    let mut printer = Printer { out: String::new(), indent: 0 };
    printer.statement(statement);
    printer.out
}

/// An expression with the parentheses it needs.
pub fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr);
    out
}

/// A formula.
pub fn formula(formula: &Formula) -> String {
    let mut out = String::new();
    write_formula(&mut out, formula);
    out
}

/// The type as one writes it.
pub fn type_text(ty: &Type) -> String {
    match ty {
        Type::Bit => "bit".into(),
        Type::Bool => "bool".into(),
        Type::Byte => "byte".into(),
        Type::Short => "short".into(),
        Type::Int => "int".into(),
        Type::Unsigned => "unsigned".into(),
        Type::Mtype(None) => "mtype".into(),
        Type::Mtype(Some(name)) => format!("mtype:{}", name.name),
        Type::Chan => "chan".into(),
        Type::Pid => "pid".into(),
        Type::Named(name) => name.name.to_string(),
    }
}

struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn newline(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("    ");
        }
    }

    fn item(&mut self, item: &Item, claims: &mut usize) {
        match item {
            Item::Proctype(proctype) => self.proctype(proctype, claims),
            Item::Ltl(ltl) => {
                self.out.push_str("ltl ");
                if let Some(name) = &ltl.name {
                    self.out.push_str(&name.name);
                    self.out.push(' ');
                }
                self.out.push_str("{ ");
                write_formula(&mut self.out, &ltl.formula);
                self.out.push_str(" }");
            }
            Item::Typedef(typedef) => {
                self.out.push_str("typedef ");
                self.out.push_str(&typedef.name.name);
                self.out.push_str(" {");
                self.indent += 1;
                for (index, field) in typedef.fields.iter().enumerate() {
                    if index > 0 {
                        self.out.push(';');
                    }
                    self.newline();
                    self.declaration(field);
                }
                self.indent -= 1;
                self.newline();
                self.out.push('}');
            }
            Item::Mtype(mtype) => {
                self.out.push_str("mtype");
                if let Some(name) = &mtype.subtype {
                    self.out.push(':');
                    self.out.push_str(&name.name);
                }
                let names: Vec<&str> = mtype.names.iter().map(|name| &*name.name).collect();
                self.out.push_str(" = { ");
                self.out.push_str(&names.join(", "));
                self.out.push_str(" };");
            }
            Item::Declaration(declaration) => {
                self.declaration(declaration);
                self.out.push(';');
            }
        }
        self.out.push('\n');
    }

    fn proctype(&mut self, proctype: &Proctype, claims: &mut usize) {
        if let Some(active) = &proctype.active {
            self.out.push_str("active ");
            if let Some(count) = &active.count {
                self.out.push('[');
                write_expr(&mut self.out, count);
                self.out.push_str("] ");
            }
        }
        match proctype.kind {
            ProctypeKind::Proctype => self.out.push_str("proctype "),
            ProctypeKind::Deterministic => self.out.push_str("D_proctype "),
            ProctypeKind::Init => self.out.push_str("init"),
            ProctypeKind::Trace => self.out.push_str("trace"),
            ProctypeKind::Notrace => self.out.push_str("notrace"),
            ProctypeKind::Never => {
                self.out.push_str("never");
                if *proctype.name.name != format!("never_{claims}") {
                    self.out.push(' ');
                    self.out.push_str(&proctype.name.name);
                }
                *claims += 1;
            }
        }
        if matches!(proctype.kind, ProctypeKind::Proctype | ProctypeKind::Deterministic) {
            self.out.push_str(&proctype.name.name);
            self.out.push('(');
            for (index, parameter) in proctype.parameters.iter().enumerate() {
                if index > 0 {
                    self.out.push_str("; ");
                }
                self.declaration(parameter);
            }
            self.out.push(')');
        }
        if let Some(priority) = &proctype.priority {
            self.out.push_str(" priority ");
            write_expr(&mut self.out, priority);
        }
        if let Some(provided) = &proctype.provided {
            self.out.push_str(" provided (");
            write_expr(&mut self.out, provided);
            self.out.push(')');
        }
        self.out.push(' ');
        self.block(&proctype.body);
    }

    fn declaration(&mut self, declaration: &Declaration) {
        self.out.push_str(match declaration.visibility {
            Visibility::Plain => "",
            Visibility::Hidden => "hidden ",
            Visibility::Show => "show ",
            Visibility::Local => "local ",
        });
        self.out.push_str(&type_text(&declaration.ty));
        for (index, variable) in declaration.variables.iter().enumerate() {
            self.out.push_str(if index > 0 { ", " } else { " " });
            self.out.push_str(&variable.name.name);
            if let Some(width) = &variable.width {
                self.out.push_str(" : ");
                write_expr(&mut self.out, width);
            }
            if let Some(array) = &variable.array {
                self.out.push('[');
                write_expr(&mut self.out, array);
                self.out.push(']');
            }
            match &variable.initializer {
                None => {}
                Some(Initializer::Expr(value)) => {
                    self.out.push_str(" = ");
                    write_expr(&mut self.out, value);
                }
                Some(Initializer::List(values)) => {
                    self.out.push_str(" = { ");
                    write_list(&mut self.out, values);
                    self.out.push_str(" }");
                }
                Some(Initializer::Channel { capacity, fields, .. }) => {
                    self.out.push_str(" = [");
                    write_expr(&mut self.out, capacity);
                    let fields: Vec<String> = fields.iter().map(|(ty, _)| type_text(ty)).collect();
                    let _ = write!(self.out, "] of {{ {} }}", fields.join(", "));
                }
            }
        }
    }

    /// `{`, the steps one level in, `}`.
    fn block(&mut self, sequence: &Sequence) {
        self.out.push('{');
        self.indent += 1;
        for (index, step) in sequence.steps.iter().enumerate() {
            if index > 0 {
                self.out.push(';');
            }
            self.newline();
            self.step(step);
        }
        self.indent -= 1;
        self.newline();
        self.out.push('}');
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Declaration(declaration) => self.declaration(declaration),
            Step::Exclusive { send, channels, .. } => {
                self.out.push_str(if *send { "xs " } else { "xr " });
                for (index, channel) in channels.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    write_variable(&mut self.out, channel);
                }
            }
            Step::Statement(statement) => self.statement(statement),
        }
    }

    /// `::` and the steps; an arrow behind the first.
    fn choices(&mut self, word: &str, end: &str, choices: &[Sequence]) {
        self.out.push_str(word);
        for choice in choices {
            self.newline();
            self.out.push_str(":: ");
            self.indent += 1;
            for (index, step) in choice.steps.iter().enumerate() {
                match index {
                    0 => {}
                    1 if choice.steps.len() == 2 && is_simple(&choice.steps[0]) && is_simple(step) => {
                        self.out.push_str(" -> ");
                    }
                    1 if is_simple(&choice.steps[0]) => {
                        self.out.push_str(" ->");
                        self.newline();
                    }
                    _ => {
                        self.out.push(';');
                        self.newline();
                    }
                }
                self.step(step);
            }
            self.indent -= 1;
        }
        self.newline();
        self.out.push_str(end);
    }

    fn statement(&mut self, statement: &Statement) {
        use StatementKind::*;
        for label in &statement.labels {
            self.out.push_str(&label.name);
            self.out.push(':');
            self.newline();
        }
        match &statement.kind {
            Assign(v, e) => {
                write_variable(&mut self.out, v);
                self.out.push_str(" = ");
                write_expr(&mut self.out, e);
            }
            Increment(v) => {
                write_variable(&mut self.out, v);
                self.out.push_str("++");
            }
            Decrement(v) => {
                write_variable(&mut self.out, v);
                self.out.push_str("--");
            }
            Expr(e) if matches!(e.kind, ExprKind::Number(1)) => self.out.push_str("skip"),
            Expr(e) => write_expr(&mut self.out, e),
            Else => self.out.push_str("else"),
            Goto(label) => {
                self.out.push_str("goto ");
                self.out.push_str(&label.name);
            }
            Break => self.out.push_str("break"),
            Assert(e) => {
                self.out.push_str("assert(");
                write_expr(&mut self.out, e);
                self.out.push(')');
            }
            Printf(text, arguments) => {
                let _ = write!(self.out, "printf(\"{text}\"");
                if !arguments.is_empty() {
                    self.out.push_str(", ");
                    write_list(&mut self.out, arguments);
                }
                self.out.push(')');
            }
            Printm(e) => {
                self.out.push_str("printm(");
                write_expr(&mut self.out, e);
                self.out.push(')');
            }
            Send { channel, sorted, arguments } => {
                write_variable(&mut self.out, channel);
                self.out.push_str(if *sorted { "!!" } else { "!" });
                let mut message = String::new();
                write_list(&mut message, arguments);
                // `q!!x` would be another statement than `q!(!x)`.
                if message.starts_with('!') {
                    self.out.push(' ');
                }
                self.out.push_str(&message);
            }
            Receive { channel, random, copy, arguments } => {
                write_variable(&mut self.out, channel);
                self.out.push_str(if *random { "??" } else { "?" });
                if *copy {
                    self.out.push('<');
                }
                write_pattern(&mut self.out, arguments);
                if *copy {
                    self.out.push('>');
                }
            }
            If(choices) => self.choices("if", "fi", choices),
            Do(choices) => self.choices("do", "od", choices),
            ForRange { variable, from, to, body } => {
                self.range("for", variable, from, to);
                self.out.push(' ');
                self.block(body);
            }
            ForIn { variable, collection, body } => {
                self.out.push_str("for (");
                write_variable(&mut self.out, variable);
                self.out.push_str(" in ");
                write_variable(&mut self.out, collection);
                self.out.push_str(") ");
                self.block(body);
            }
            Select { variable, from, to } => self.range("select", variable, from, to),
            Atomic(body) => {
                self.out.push_str("atomic ");
                self.block(body);
            }
            DStep(body) => {
                self.out.push_str("d_step ");
                self.block(body);
            }
            Block(body, _) => self.block(body),
            Unless(main, escape) => {
                self.statement(main);
                self.out.push_str(" unless ");
                self.statement(escape);
            }
        }
    }

    fn range(&mut self, word: &str, variable: &VarRef, from: &Expr, to: &Expr) {
        self.out.push_str(word);
        self.out.push_str(" (");
        write_variable(&mut self.out, variable);
        self.out.push_str(" : ");
        write_expr(&mut self.out, from);
        self.out.push_str(" .. ");
        write_expr(&mut self.out, to);
        self.out.push(')');
    }
}

/// Fits on the line of its `::`.
fn is_simple(step: &Step) -> bool {
    use StatementKind::*;
    match step {
        Step::Statement(statement) => {
            statement.labels.is_empty()
                && !matches!(
                    statement.kind,
                    If(_) | Do(_) | ForRange { .. } | ForIn { .. } | Atomic(_) | DStep(_) | Block(..) | Unless(..)
                )
        }
        _ => false,
    }
}

fn write_variable(out: &mut String, variable: &VarRef) {
    for (index, segment) in variable.segments.iter().enumerate() {
        if index > 0 {
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

fn write_list(out: &mut String, list: &[Expr]) {
    for (index, expr) in list.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_expr(out, expr);
    }
}

fn write_pattern(out: &mut String, arguments: &[ReceiveArgument]) {
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        match argument {
            ReceiveArgument::Variable(variable) => write_variable(out, variable),
            ReceiveArgument::Constant(Expr { kind: ExprKind::Number(value), .. }) => {
                let _ = write!(out, "{value}");
            }
            ReceiveArgument::Constant(expr) => write_expr(out, expr),
            ReceiveArgument::Eval(expr) => {
                out.push_str("eval(");
                write_expr(out, expr);
                out.push(')');
            }
            ReceiveArgument::Anything(_) => out.push('_'),
        }
    }
}

/// How tightly an expression holds together: 0 for what needs no parentheses anywhere.
fn level(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Unary(..) => 1,
        ExprKind::Binary(op, ..) => op_level(*op),
        _ => 0,
    }
}

/// Writes an expression. Chains of operators lean to the left and can be very long: the left side is walked in a
/// loop, only the right side by recursion.
fn write_expr(out: &mut String, expr: &Expr) {
    let mut spine = Vec::new();
    let mut at = expr;
    loop {
        match &at.kind {
            ExprKind::Binary(op, a, b) => {
                let parens = level(a) > level(at);
                spine.push((Some((*op, &**b, level(at))), parens));
                if parens {
                    out.push('(');
                }
                at = a;
            }
            ExprKind::Unary(op, inner) => {
                // A second sign is set apart: `--` and `!!` are tokens of their own.
                let parens = level(inner) > 0;
                spine.push((None, parens));
                out.push_str(unary_text(*op));
                if parens {
                    out.push('(');
                }
                at = inner;
            }
            _ => break,
        }
    }
    write_primary(out, at);
    for (right, parens) in spine.into_iter().rev() {
        if parens {
            out.push(')');
        }
        if let Some((op, b, own)) = right {
            let _ = write!(out, " {} ", binary_text(op));
            if level(b) >= own {
                out.push('(');
                write_expr(out, b);
                out.push(')');
            } else {
                write_expr(out, b);
            }
        }
    }
}

fn write_primary(out: &mut String, expr: &Expr) {
    match &expr.kind {
        // Negative only if written as a number beyond 31 bits; a minus sign would read back as an operator.
        ExprKind::Number(value) => {
            let _ = write!(out, "{}", *value as u32);
        }
        ExprKind::Variable(variable) => write_variable(out, variable),
        ExprKind::Unary(..) | ExprKind::Binary(..) => write_expr(out, expr),
        ExprKind::Conditional(c, a, b) => {
            out.push('(');
            write_expr(out, c);
            out.push_str(" -> ");
            write_expr(out, a);
            out.push_str(" : ");
            write_expr(out, b);
            out.push(')');
        }
        ExprKind::Channel(test, channel) => {
            out.push_str(test_text(*test));
            out.push('(');
            write_variable(out, channel);
            out.push(')');
        }
        ExprKind::Poll { channel, random, arguments } => {
            write_variable(out, channel);
            out.push_str(if *random { "??[" } else { "?[" });
            write_pattern(out, arguments);
            out.push(']');
        }
        ExprKind::Run { proctype, arguments, priority } => {
            out.push_str("run ");
            out.push_str(&proctype.name);
            out.push('(');
            write_list(out, arguments);
            out.push(')');
            if let Some(priority) = priority {
                out.push_str(" priority ");
                write_expr(out, priority);
            }
        }
        ExprKind::Timeout => out.push_str("timeout"),
        ExprKind::NonProgress => out.push_str("np_"),
        ExprKind::Enabled(inner) => write_call(out, "enabled", &[inner]),
        ExprKind::PcValue(inner) => write_call(out, "pc_value", &[inner]),
        ExprKind::GetPriority(inner) => write_call(out, "get_priority", &[inner]),
        ExprKind::SetPriority(pid, value) => write_call(out, "set_priority", &[pid, value]),
        ExprKind::RemoteLabel { proctype, pid, label } => {
            write_instance(out, proctype, pid.as_deref());
            out.push('@');
            out.push_str(&label.name);
        }
        ExprKind::RemoteVariable { proctype, pid, variable } => {
            write_instance(out, proctype, pid.as_deref());
            out.push(':');
            write_variable(out, variable);
        }
    }
}

fn write_call(out: &mut String, name: &str, arguments: &[&Expr]) {
    out.push_str(name);
    out.push('(');
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_expr(out, argument);
    }
    out.push(')');
}

fn write_instance(out: &mut String, proctype: &Ident, pid: Option<&Expr>) {
    out.push_str(&proctype.name);
    if let Some(pid) = pid {
        out.push('[');
        write_expr(out, pid);
        out.push(']');
    }
}

/// A formula; every operand that is not a single word or call gets its parentheses, since few know by heart that `U`
/// binds tighter than `&&`. The left side is walked in a loop, as with expressions.
fn write_formula(out: &mut String, formula: &Formula) {
    let mut spine = Vec::new();
    let mut at = formula;
    loop {
        let (inner, text, right) = match &at.kind {
            FormulaKind::Atom(_) => break,
            FormulaKind::Not(inner) => (inner, "!", None),
            FormulaKind::Unary(Temporal::Next, inner) => (inner, "X ", None),
            FormulaKind::Unary(Temporal::Always, inner) => (inner, "[] ", None),
            FormulaKind::Unary(Temporal::Eventually, inner) => (inner, "<> ", None),
            FormulaKind::Binary(op, a, b) => (a, "", Some((*op, b))),
        };
        let parens = needs_parentheses(inner);
        out.push_str(text);
        if parens {
            out.push('(');
        }
        spine.push((right, parens));
        at = inner;
    }
    if let FormulaKind::Atom(expr) = &at.kind {
        write_expr(out, expr);
    }
    for (right, parens) in spine.into_iter().rev() {
        if parens {
            out.push(')');
        }
        if let Some((op, b)) = right {
            out.push_str(match op {
                FormulaOp::And => " && ",
                FormulaOp::Or => " || ",
                FormulaOp::Implies => " -> ",
                FormulaOp::Equivalent => " <-> ",
                FormulaOp::Until => " U ",
                FormulaOp::WeakUntil => " W ",
                FormulaOp::Release => " V ",
            });
            if needs_parentheses(b) {
                out.push('(');
                write_formula(out, b);
                out.push(')');
            } else {
                write_formula(out, b);
            }
        }
    }
}

fn needs_parentheses(formula: &Formula) -> bool {
    match &formula.kind {
        FormulaKind::Atom(expr) => level(expr) > 1,
        FormulaKind::Not(_) | FormulaKind::Unary(..) => false,
        FormulaKind::Binary(..) => true,
    }
}
