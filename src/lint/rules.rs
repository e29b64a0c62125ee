//! The rules. What a statement does is looked at in one walk over the tree (`Walk`); who uses a name is read from
//! the index of names. Everything is linear in the text and the tree; only a `for` whose counter is too small is
//! looked through once more, for a way out of it.

use crate::names::{Access, Kind, Names, Symbol};
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::source::lexer::{RawKind, lex};
use crate::source::{ExpansionKind, FileId, SourceMap, Span};
use crate::syntax::short;
use crate::syntax::tree::*;
use std::collections::HashSet;
use std::sync::Arc;

/// Runs every rule.
pub(super) fn run(map: &SourceMap, unit: &Unit, names: &Names, diagnostics: &mut Vec<Diagnostic>) {
    let mut walk = Walk {
        map,
        names,
        proctypes: proctypes(unit),
        seen: HashSet::new(),
        found: Vec::new(),
        property: false,
        escapes: false,
    };
    walk.unit(unit);
    let elsewhere = elsewhere(map, unit, names);
    let usage = usage(names);
    // A label in an inline may stand in one process several times.
    let jumped: HashSet<_> = names.uses.iter().map(|used| key(&names.symbols[used.symbol])).collect();
    for (symbol, used) in names.symbols.iter().zip(&usage) {
        if symbol.kind == Kind::Label && jumped.contains(&key(symbol)) {
            continue;
        }
        if !elsewhere.contains(&symbol.name) && !symbol.name.starts_with('_') {
            walk.found.extend(unused(symbol, used));
        }
        walk.found.extend(declared_by_macro(map, symbol));
    }
    diagnostics.append(&mut walk.found);
}

/// A name of a process type.
fn key(symbol: &Symbol) -> (Option<&str>, &str) {
    (symbol.owner.as_deref(), &symbol.name)
}

fn proctypes(unit: &Unit) -> Vec<&Proctype> {
    let items = unit.items.iter();
    items.filter_map(|item| if let Item::Proctype(proctype) = item { Some(proctype) } else { None }).collect()
}

/// The words that stand somewhere in the files where the tree does not come from: in macros that nobody uses, inlines that
/// nobody calls, branches of `#if` that are left out. Nobody knows what these do.
fn elsewhere(map: &SourceMap, unit: &Unit, names: &Names) -> HashSet<Arc<str>> {
    let mut known: HashSet<(FileId, u32)> = HashSet::new();
    known.extend(names.symbols.iter().map(|symbol| (symbol.span.file, symbol.span.start)));
    known.extend(names.uses.iter().map(|used| (used.span.file, used.span.start)));
    let declared: HashSet<&str> = names.symbols.iter().map(|symbol| &*symbol.name).collect();
    let formulas = unit.items.iter().any(|item| matches!(item, Item::Ltl(ltl) if !ltl.faults.is_empty()));
    let mut words = HashSet::new();
    for (file, number) in map.files().iter().zip(0..) {
        for raw in lex(&file.text).iter().filter(|raw| raw.kind == RawKind::Word) {
            let word = &file.text[raw.start as usize..raw.end as usize];
            if declared.contains(word) && (formulas || !known.contains(&(FileId(number), raw.start))) {
                words.insert(word.into());
            }
        }
    }
    words
}

/// How a name is used, all in all.
#[derive(Clone, Copy, Default)]
struct Usage {
    any: bool,
    read: bool,
    write: bool,
    count: bool,
    receive: bool,
    send: bool,
    take: bool,
}

fn usage(names: &Names) -> Vec<Usage> {
    let mut all = vec![Usage::default(); names.symbols.len()];
    for used in &names.uses {
        let usage = &mut all[used.symbol];
        usage.any = true;
        match used.access {
            Access::Read => usage.read = true,
            Access::Write => usage.write = true,
            Access::Count => usage.count = true,
            Access::Receive => usage.receive = true,
            Access::Send => usage.send = true,
            Access::Take => usage.take = true,
            Access::Look => {}
        }
    }
    all
}

/// What is wrong with the way in which a name is used.
fn unused(symbol: &Symbol, used: &Usage) -> Option<Diagnostic> {
    match symbol.kind {
        Kind::Label => label(symbol, used),
        Kind::Global | Kind::Local if symbol.ty == Some(Type::Chan) => channel(symbol, used),
        Kind::Global | Kind::Local => variable(symbol, used),
        _ => None,
    }
}

/// Labels of claims come from translators, and those with a meaning need nobody to name them.
fn label(symbol: &Symbol, used: &Usage) -> Option<Diagnostic> {
    let means = ["end", "progress", "accept"].iter().any(|word| symbol.name.starts_with(word));
    (!used.any && !means && !symbol.observer).then(|| {
        Diagnostic::warning(format!("nothing names the label `{}`", symbol.name), symbol.span, "never jumped to")
            .with_code(Code::UnusedLabel)
    })
}

/// A channel that is passed on may be used under another name.
fn channel(symbol: &Symbol, used: &Usage) -> Option<Diagnostic> {
    if symbol.messages.is_none() || used.read || used.write || used.receive || used.count || symbol.observer {
        return None;
    }
    let (code, message, label) = match (used.send, used.take) {
        (true, false) => (Code::NeverReceived, "nobody receives from", "messages only go in"),
        (false, true) => (Code::NeverSent, "nobody sends to", "no message ever comes"),
        _ => return None,
    };
    Some(Diagnostic::warning(format!("{message} the channel `{}`", symbol.name), symbol.span, label).with_code(code))
}

/// A hidden variable is meant to be written only; a message and a counter have to go somewhere.
fn variable(symbol: &Symbol, used: &Usage) -> Option<Diagnostic> {
    let name = &symbol.name;
    if matches!(symbol.ty, Some(Type::Named(_))) || symbol.visibility == Visibility::Hidden || symbol.observer {
        return None;
    }
    let written = used.write || used.count || used.receive;
    if !used.any {
        let warning = Diagnostic::warning(format!("the variable `{name}` is never used"), symbol.span, "can go");
        return Some(warning.with_code(Code::NeverRead));
    }
    if !used.read && used.write && !used.count && !used.receive {
        let label = "written, but no statement and no property looks at it";
        let warning = Diagnostic::warning(format!("the variable `{name}` is never read"), symbol.span, label);
        return Some(warning.with_code(Code::NeverRead));
    }
    if used.read && !written && !symbol.initialised && used.any {
        let message = format!("the variable `{name}` is never written");
        return Some(Diagnostic::warning(message, symbol.span, "always 0").with_code(Code::NeverWritten));
    }
    None
}

/// `#define count total` and then `byte count`: the variable is called `total`.
fn declared_by_macro(map: &SourceMap, symbol: &Symbol) -> Option<Diagnostic> {
    if !matches!(symbol.kind, Kind::Global | Kind::Local | Kind::Parameter | Kind::Field | Kind::Mtype) {
        return None;
    }
    let expansion = map.expansion(symbol.span.expansion)?;
    let whole = symbol.whole.expansion == symbol.span.expansion;
    let call = expansion.call;
    let written = map.file(call.file).text.get(call.start as usize..call.end as usize)?;
    if expansion.kind != ExpansionKind::Macro || whole || written != &*expansion.name {
        return None;
    }
    let message = format!("`{}` is a macro, so this declares `{}`", expansion.name, symbol.name);
    let warning = Diagnostic::warning(message, symbol.span, format!("read as `{}`", symbol.name));
    Some(warning.with_code(Code::MacroAsName).with_label(expansion.definition, "the macro"))
}

/// The walk over the statements.
struct Walk<'a> {
    map: &'a SourceMap,
    names: &'a Names,
    proctypes: Vec<&'a Proctype>,
    /// The body of an inline is walked through once for each call.
    seen: HashSet<(Code, FileId, u32, u32)>,
    found: Vec<Diagnostic>,
    property: bool,
    /// The statement stands in front of an `unless`, which can end it.
    escapes: bool,
}

impl Walk<'_> {
    fn report(&mut self, diagnostic: Diagnostic) {
        let span = diagnostic.primary.span;
        let fresh = diagnostic.code.is_none_or(|code| self.seen.insert((code, span.file, span.start, span.end)));
        if fresh {
            self.found.push(diagnostic);
        }
    }

    fn unit(&mut self, unit: &Unit) {
        for item in &unit.items {
            match item {
                Item::Proctype(proctype) => {
                    self.property = proctype.kind == ProctypeKind::Never;
                    self.sequence(&proctype.body);
                    self.property = false;
                }
                Item::Ltl(ltl) => self.formula(&ltl.formula),
                Item::Typedef(typedef) => typedef.fields.iter().for_each(|fields| self.declaration(fields)),
                Item::Declaration(declaration) => self.declaration(declaration),
                Item::Mtype(_) => {}
            }
        }
    }

    fn formula(&mut self, formula: &Formula) {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.process_count(atom),
            FormulaKind::Not(inner) | FormulaKind::Unary(_, inner) => self.formula(inner),
            FormulaKind::Binary(_, left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    /// SPIN counts the claim as a process, so `_nr_pr` is another number there than it is here.
    fn process_count(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Variable(var) if var.segments.iter().any(|segment| &*segment.name.name == "_nr_pr") => {
                let message = "`_nr_pr` in a property";
                let warning = Diagnostic::warning(message, var.span, "the claim is not counted; SPIN counts it");
                self.report(warning.with_code(Code::ProcessCount));
            }
            ExprKind::Unary(_, inner) => self.process_count(inner),
            ExprKind::Binary(_, left, right) => {
                self.process_count(left);
                self.process_count(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.process_count(condition);
                self.process_count(yes);
                self.process_count(no);
            }
            _ => {}
        }
    }

    fn declaration(&mut self, declaration: &Declaration) {
        for variable in &declaration.variables {
            let Some(symbol) = self.names.symbol_at(variable.name.span) else { continue };
            match &variable.initializer {
                Some(Initializer::Expr(value)) => self.fits(value, symbol),
                Some(Initializer::List(values)) => values.iter().for_each(|value| self.fits(value, symbol)),
                Some(Initializer::Channel { .. }) | None => {}
            }
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        for step in &sequence.steps {
            match step {
                Step::Declaration(declaration) => self.declaration(declaration),
                Step::Exclusive { .. } => {}
                Step::Statement(statement) => self.statement(statement),
            }
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                if let Some(symbol) = self.names.target(place) {
                    self.fits(value, symbol);
                }
                self.run(value);
            }
            StatementKind::Expr(value) => {
                if self.property {
                    self.process_count(value);
                }
                self.run(value);
            }
            StatementKind::Send { channel, arguments, .. } => self.send(channel, arguments),
            StatementKind::If(options) | StatementKind::Do(options) => {
                self.guards(options);
                options.iter().for_each(|option| self.sequence(option));
            }
            StatementKind::ForRange { variable, from, to, body } => {
                self.range(variable, from, to, Some(body));
                self.sequence(body);
            }
            StatementKind::Select { variable, from, to } => self.range(variable, from, to, None),
            StatementKind::ForIn { body, .. }
            | StatementKind::Atomic(body)
            | StatementKind::DStep(body)
            | StatementKind::Block(body, _) => self.sequence(body),
            StatementKind::Unless(main, escape) => {
                let outer = std::mem::replace(&mut self.escapes, true);
                self.statement(main);
                self.escapes = outer;
                self.statement(escape);
            }
            _ => {}
        }
    }

    /// The value of an expression without variables.
    fn constant(&self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Variable(var) => self.names.target(var).and_then(|symbol| symbol.value),
            ExprKind::Unary(op, inner) => Some(op.apply(self.constant(inner)?)),
            ExprKind::Binary(op, left, right) => op.apply(self.constant(left)?, self.constant(right)?),
            _ => None,
        }
    }

    /// A constant has to fit the variable that takes it.
    fn fits(&mut self, value: &Expr, symbol: &Symbol) {
        let (Some(ty), Some(constant)) = (&symbol.ty, self.constant(value)) else { return };
        if let Some(kept) = cut(ty, symbol.bits, constant) {
            let shown = described(ty, symbol.bits);
            let message = format!("{constant} does not fit `{}`, {shown}", symbol.name);
            self.cut_off(message, value.span, kept, Some(symbol));
        }
    }

    fn cut_off(&mut self, message: String, span: Span, kept: i32, symbol: Option<&Symbol>) {
        let warning = Diagnostic::warning(message, span, format!("cut off to {kept}")).with_code(Code::CutOff);
        self.report(match symbol {
            Some(symbol) => warning.with_label(symbol.span, "declared here"),
            None => warning,
        });
    }

    /// What is sent has to fit the fields, if the channel says what they are and no whole structure is among them.
    fn send(&mut self, channel: &VarRef, arguments: &[Expr]) {
        let Some(symbol) = self.names.target(channel) else { return };
        let Some(fields) = symbol.messages.as_ref().filter(|fields| fields.len() == arguments.len()) else { return };
        for (ty, argument) in fields.iter().zip(arguments) {
            let Some(constant) = self.constant(argument) else { continue };
            if let Some(kept) = cut(ty, None, constant) {
                let message = format!("{constant} does not fit a field of `{}`, {}", symbol.name, described(ty, None));
                self.cut_off(message, argument.span, kept, Some(symbol));
            }
        }
    }

    /// The arguments of a process have to fit its parameters.
    fn run(&mut self, expr: &Expr) {
        let ExprKind::Run { proctype, arguments, .. } = &expr.kind else { return };
        let Some(found) = self.proctypes.iter().find(|other| other.name.name == proctype.name) else { return };
        let parameters: Vec<Span> =
            found.parameters.iter().flat_map(|group| &group.variables).map(|variable| variable.name.span).collect();
        if parameters.len() == arguments.len() {
            for (parameter, argument) in parameters.into_iter().zip(arguments) {
                if let Some(symbol) = self.names.symbol_at(parameter) {
                    self.fits(argument, symbol);
                }
            }
        }
    }

    /// A counter has to hold both ends, and that of a `for` one more: it ends when the counter is beyond the last value, if it is not
    /// left in another way.
    fn range(&mut self, variable: &VarRef, from: &Expr, to: &Expr, body: Option<&Sequence>) {
        let Some(symbol) = self.names.target(variable) else { return };
        self.fits(from, symbol);
        let (Some(ty), Some(last)) = (&symbol.ty, self.constant(to)) else { return };
        let beyond = last.saturating_add(i32::from(body.is_some()));
        let Some(kept) = cut(ty, symbol.bits, beyond) else { return };
        if body.is_some_and(|body| self.escapes || Exits::leave(body)) {
            return;
        }
        let shown = described(ty, symbol.bits);
        let message = if body.is_some() {
            format!("`{}`, {shown}, never gets beyond {last}: the loop does not end", symbol.name)
        } else {
            format!("{last} does not fit `{}`, {shown}", symbol.name)
        };
        self.cut_off(message, to.span, kept, Some(symbol));
    }

    /// An option that begins with `x = 1` can always be taken. That is what is meant in a choice at random; it is not
    /// beside `else`, which can then never be taken, nor beside a comparison of the same variable.
    fn guards(&mut self, options: &[Sequence]) {
        let otherwise = options.iter().find_map(|option| match first(option) {
            Some(Statement { kind: StatementKind::Else, span, .. }) => Some(*span),
            _ => None,
        });
        for option in options {
            let Some(Statement { kind: StatementKind::Assign(place, value), span, .. }) = first(option) else {
                continue;
            };
            let name = short::variable(place);
            let constant = self.constant(value);
            let compared = options.iter().find_map(|other| self.compared(other, &name, constant?));
            let (label, beside) = match (otherwise, compared) {
                (Some(span), _) => ("so this is never taken", span),
                // With `;` behind it, it is a step that may be taken or not: a choice at random.
                (None, Some(beside)) if self.is_before_arrow(*span) => ("this compares", beside),
                _ => continue,
            };
            let help = format!("to compare, write `{name} == {}`", short::expr(value));
            let message = format!("`{name} = {}` assigns, and can always be taken", short::expr(value));
            let warning =
                Diagnostic::warning(message, *span, "an assignment as a guard").with_code(Code::AssignedGuard);
            self.report(warning.with_label(beside, label).with_help(help));
        }
    }
}

impl Walk<'_> {
    /// The guard of an option, if it is `name == …`, or compares the name in another way with this very constant: `n < 5` beside `n = 5`.
    fn compared(&self, option: &Sequence, name: &str, constant: i32) -> Option<Span> {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let StatementKind::Expr(guard) = &first(option)?.kind else { return None };
        let ExprKind::Binary(op, left, right) = &guard.kind else { return None };
        let same = || self.constant(right) == Some(constant);
        let compares = *op == Equal || matches!(op, NotEqual | Less | LessEqual | Greater | GreaterEqual) && same();
        match &left.kind {
            ExprKind::Variable(var) if compares && short::variable(var) == name => Some(guard.span),
            _ => None,
        }
    }

    /// Does an arrow follow, as behind a guard?
    fn is_before_arrow(&self, span: Span) -> bool {
        let file = self.map.files().get(span.file.0 as usize);
        file.and_then(|file| file.text.get(span.end as usize..)).is_some_and(|rest| rest.trim_start().starts_with("->"))
    }
}

/// The ways out of the body of a loop.
#[derive(Default)]
struct Exits<'t> {
    breaks: bool,
    jumps: Vec<&'t str>,
    labels: HashSet<&'t str>,
}

impl<'t> Exits<'t> {
    /// Whether a `break` of this loop or a `goto` to a label outside of it stands in its body.
    fn leave(body: &'t Sequence) -> bool {
        let mut exits = Exits::default();
        exits.sequence(body, false);
        exits.breaks || exits.jumps.iter().any(|label| !exits.labels.contains(label))
    }

    fn sequence(&mut self, sequence: &'t Sequence, nested: bool) {
        for step in &sequence.steps {
            if let Step::Statement(statement) = step {
                self.statement(statement, nested);
            }
        }
    }

    /// Looks at a statement, which may be `nested` in another loop: a `break` there is of that one.
    fn statement(&mut self, statement: &'t Statement, nested: bool) {
        self.labels.extend(statement.labels.iter().map(|label| &*label.name));
        match &statement.kind {
            StatementKind::Break => self.breaks |= !nested,
            StatementKind::Goto(label) => self.jumps.push(&label.name),
            StatementKind::If(options) => options.iter().for_each(|option| self.sequence(option, nested)),
            StatementKind::Do(options) => options.iter().for_each(|option| self.sequence(option, true)),
            StatementKind::ForRange { body, .. } | StatementKind::ForIn { body, .. } => self.sequence(body, true),
            StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body, _) => {
                self.sequence(body, nested)
            }
            StatementKind::Unless(main, escape) => {
                self.statement(main, nested);
                self.statement(escape, nested);
            }
            _ => {}
        }
    }
}

fn first(option: &Sequence) -> Option<&Statement> {
    option.steps.iter().find_map(|step| match step {
        Step::Statement(statement) => Some(statement),
        _ => None,
    })
}

/// What a type keeps of a constant that does not fit it.
fn cut(ty: &Type, bits: Option<i32>, value: i32) -> Option<i32> {
    let kept = match ty {
        Type::Bit | Type::Bool => value & 1,
        Type::Byte | Type::Pid | Type::Mtype(_) => value & 0xff,
        Type::Short => i32::from(value as i16),
        Type::Unsigned => value & bits.filter(|bits| (1..31).contains(bits)).map_or(i32::MAX, |bits| (1 << bits) - 1),
        Type::Int | Type::Chan | Type::Named(_) => value,
    };
    (kept != value).then_some(kept)
}

/// A type with what it can hold.
pub fn described(ty: &Type, bits: Option<i32>) -> String {
    match ty {
        Type::Bit => "a bit (0 or 1)".into(),
        Type::Bool => "a bool (0 or 1)".into(),
        Type::Byte => "a byte (0 to 255)".into(),
        Type::Pid => "a pid (0 to 255)".into(),
        Type::Short => "a short (-32768 to 32767)".into(),
        Type::Int => "an int (-2147483648 to 2147483647)".into(),
        Type::Unsigned => {
            let bits = bits.filter(|bits| (1..=31).contains(bits)).unwrap_or(31);
            format!("an unsigned of {bits} bits (0 to {})", (1u32 << bits) - 1)
        }
        Type::Mtype(None) => "an mtype (0 to 255)".into(),
        Type::Mtype(Some(set)) => format!("an mtype:{} (0 to 255)", set.name),
        Type::Chan => "a channel".into(),
        Type::Named(name) => format!("a structure `{}`", name.name),
    }
}
