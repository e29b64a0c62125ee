//! Who declares a name, and who uses it how: the one index that the lints and the language server look things up in.
//!
//! It is made from the tree, after macros and inlines are expanded, so a text that is expanded several times has its names
//! several times; declarations are known by the place where they are *written*, and so such a text declares its names once.
//! The index is as forgiving as its readers need it: what cannot be resolved is left out (the front end has told of it).
//! Cost: linear in the tree.

use crate::source::{FileId, Span};
use crate::syntax::tree::*;
use std::collections::HashMap;
use std::sync::Arc;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A variable of the whole model.
    Global,
    /// A variable of a process.
    Local,
    /// A parameter of a process type.
    Parameter,
    /// A part of a structure.
    Field,
    /// A name of an `mtype`.
    Mtype,
    /// A process type, `init`, a claim.
    Proctype,
    /// A structure.
    Typedef,
    /// A label.
    Label,
    /// An `ltl` property.
    Property,
}

/// How a name is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Its value is taken. Of anything but a variable: it is named.
    Read,
    /// It gets a value by an assignment, `++` or `--`.
    Write,
    /// It gets a value as the counter of `for` or by `select`.
    Count,
    /// It gets a value out of a message.
    Receive,
    /// A message is sent to this channel.
    Send,
    /// A message is taken from this channel.
    Take,
    /// A channel is looked at: `len(q)`, `q?[x]`, `xr q`.
    Look,
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// What it stands for.
    pub kind: Kind,
    /// The name.
    pub name: Arc<str>,
    /// Where the name is declared.
    pub span: Span,
    /// The whole declaration.
    pub whole: Span,
    /// The type of a variable or field.
    pub ty: Option<Type>,
    /// The bits of an `unsigned`, where they are a number.
    pub bits: Option<i32>,
    /// It is an array.
    pub array: bool,
    /// How a variable is declared to be seen.
    pub visibility: Visibility,
    /// It has an initialiser.
    pub initialised: bool,
    /// The fields of its messages, of a channel with an initialiser.
    pub messages: Option<Vec<Type>>,
    /// The process type or structure that it belongs to.
    pub owner: Option<Arc<str>>,
    /// It stands in a claim or a trace.
    pub observer: bool,
    /// The value of an mtype name.
    pub value: Option<i32>,
}

/// A place where a name is used.
#[derive(Clone, Debug)]
pub struct Use {
    /// The name's number in [`Names::symbols`].
    pub symbol: usize,
    /// Where.
    pub span: Span,
    /// How.
    pub access: Access,
    /// The process type, claim or property in which it stands.
    pub owner: Option<Arc<str>>,
}

/// All names of a unit.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Declared names in the order of the text.
    pub symbols: Vec<Symbol>,
    /// All uses.
    pub uses: Vec<Use>,
    by_span: HashMap<Span, usize>,
}

impl Names {
    /// The index of a unit.
    pub fn of(unit: &Unit) -> Names {
        let mut walk = Walk::default();
        for item in &unit.items {
            walk.declare_item(item);
        }
        for item in &unit.items {
            walk.item(item);
        }
        walk.resolve_later();
        walk.names
    }

    /// What a name in the tree stands for, by its place.
    pub fn symbol_at(&self, span: Span) -> Option<&Symbol> {
        self.by_span.get(&span).map(|&at| &self.symbols[at])
    }

    /// What the variable at the end of a reference stands for: of `a[i].b`, the field `b`.
    pub fn target(&self, var: &VarRef) -> Option<&Symbol> {
        var.segments.last().and_then(|segment| self.symbol_at(segment.name.span))
    }

    /// The symbols whose names are written at a byte of a file; several where an inline's body means several.
    pub fn written_at(&self, file: FileId, offset: u32) -> Vec<usize> {
        let covers = |span: Span| span.file == file && span.start <= offset && offset <= span.end;
        let declared = self.symbols.iter().enumerate().filter(|(_, symbol)| covers(symbol.span)).map(|(at, _)| at);
        let used = self.uses.iter().filter(|used| covers(used.span)).map(|used| used.symbol);
        let mut found: Vec<usize> = declared.chain(used).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The places where a symbol is used.
    pub fn uses_of(&self, symbol: usize) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |used| used.symbol == symbol)
    }
}

/// A use that can be resolved only when all bodies have been read: a label, or a variable of another process.
struct Later {
    owner: Arc<str>,
    name: Ident,
    access: Access,
    label: bool,
    from: Option<Arc<str>>,
}

#[derive(Default)]
struct Walk {
    names: Names,
    /// Declarations by the place where they are written.
    declared: HashMap<(FileId, u32, Arc<str>), usize>,
    globals: HashMap<Arc<str>, usize>,
    /// Names of the blocks around this place, the innermost last.
    scopes: Vec<HashMap<Arc<str>, usize>>,
    /// Process types, typedefs and properties.
    items: HashMap<Arc<str>, usize>,
    /// Fields by structure, labels and variables by process type.
    members: HashMap<(Arc<str>, Arc<str>, bool), usize>,
    /// The names that each mtype set has so far.
    mtypes: HashMap<Option<Arc<str>>, i32>,
    later: Vec<Later>,
    owner: Option<Arc<str>>,
    observer: bool,
}

impl Walk {
    fn declare(&mut self, symbol: Symbol) -> usize {
        let key = (symbol.span.file, symbol.span.start, symbol.name.clone());
        let (span, next) = (symbol.span, self.names.symbols.len());
        let number = *self.declared.entry(key).or_insert(next);
        if number == next {
            self.names.symbols.push(symbol);
        }
        self.names.by_span.insert(span, number);
        number
    }

    fn plain(&self, kind: Kind, name: &Ident, whole: Span) -> Symbol {
        Symbol {
            kind,
            name: name.name.clone(),
            span: name.span,
            whole,
            ty: None,
            bits: None,
            array: false,
            visibility: Visibility::Plain,
            initialised: false,
            messages: None,
            owner: self.owner.clone(),
            observer: self.observer,
            value: None,
        }
    }

    /// What is known everywhere: process types, structures, mtype names, global variables.
    fn declare_item(&mut self, item: &Item) {
        match item {
            Item::Proctype(proctype) => {
                let symbol = self.plain(Kind::Proctype, &proctype.name, proctype.span);
                let number = self.declare(symbol);
                self.items.entry(proctype.name.name.clone()).or_insert(number);
            }
            Item::Ltl(Ltl { name: Some(name), span, .. }) => {
                let symbol = self.plain(Kind::Property, name, *span);
                self.declare(symbol);
            }
            Item::Ltl(_) => {}
            Item::Typedef(typedef) => {
                let symbol = self.plain(Kind::Typedef, &typedef.name, typedef.span);
                let number = self.declare(symbol);
                self.items.insert(typedef.name.name.clone(), number);
                self.owner = Some(typedef.name.name.clone());
                for declaration in &typedef.fields {
                    for number in self.variables(declaration, Kind::Field) {
                        let name = self.names.symbols[number].name.clone();
                        self.members.insert((typedef.name.name.clone(), name, false), number);
                    }
                }
                self.owner = None;
            }
            Item::Mtype(mtype) => {
                let set = mtype.subtype.as_ref().map(|subtype| subtype.name.clone());
                let count = self.mtypes.entry(set).or_default();
                *count += mtype.names.len() as i32;
                let last = *count;
                for (name, before) in mtype.names.iter().zip(0..) {
                    let mut symbol = self.plain(Kind::Mtype, name, mtype.span);
                    symbol.value = Some(last - before);
                    let number = self.declare(symbol);
                    self.globals.insert(name.name.clone(), number);
                }
            }
            Item::Declaration(declaration) => {
                for number in self.variables(declaration, Kind::Global) {
                    let name = self.names.symbols[number].name.clone();
                    self.globals.insert(name, number);
                }
            }
        }
    }

    /// The variables of a declaration, without looking at their initialisers.
    fn variables(&mut self, declaration: &Declaration, kind: Kind) -> Vec<usize> {
        declaration
            .variables
            .iter()
            .map(|variable| {
                let bits = match &variable.width {
                    Some(Expr { kind: ExprKind::Number(bits), .. }) => Some(*bits),
                    _ => None,
                };
                let messages = match &variable.initializer {
                    Some(Initializer::Channel { fields, .. }) => {
                        Some(fields.iter().map(|(ty, _)| ty.clone()).collect())
                    }
                    _ => None,
                };
                let symbol = Symbol {
                    ty: Some(declaration.ty.clone()),
                    bits,
                    array: variable.array.is_some(),
                    visibility: declaration.visibility,
                    initialised: variable.initializer.is_some(),
                    messages,
                    ..self.plain(kind, &variable.name, declaration.span)
                };
                self.declare(symbol)
            })
            .collect()
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Proctype(proctype) => self.proctype(proctype),
            Item::Ltl(ltl) => {
                self.owner = ltl.name.as_ref().map(|name| name.name.clone());
                self.formula(&ltl.formula);
                self.owner = None;
            }
            Item::Typedef(typedef) => typedef.fields.iter().for_each(|fields| self.parts_of(fields)),
            Item::Mtype(_) => {}
            Item::Declaration(declaration) => self.parts_of(declaration),
        }
    }

    fn proctype(&mut self, proctype: &Proctype) {
        self.owner = Some(proctype.name.name.clone());
        self.observer = matches!(proctype.kind, ProctypeKind::Never | ProctypeKind::Trace | ProctypeKind::Notrace);
        self.scopes.push(HashMap::new());
        proctype.active.iter().filter_map(|active| active.count.as_ref()).for_each(|count| self.expr(count));
        for declaration in &proctype.parameters {
            self.local(declaration, Kind::Parameter);
        }
        proctype.priority.iter().for_each(|priority| self.expr(priority));
        proctype.provided.iter().for_each(|provided| self.expr(provided));
        self.sequence(&proctype.body);
        self.scopes.pop();
        (self.owner, self.observer) = (None, false);
    }

    fn local(&mut self, declaration: &Declaration, kind: Kind) {
        self.parts_of(declaration);
        for number in self.variables(declaration, kind) {
            let name = self.names.symbols[number].name.clone();
            if let Some(owner) = &self.owner {
                self.members.entry((owner.clone(), name.clone(), false)).or_insert(number);
            }
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name, number);
            }
        }
    }

    /// What a declaration uses: its type, sizes and initialisers.
    fn parts_of(&mut self, declaration: &Declaration) {
        self.ty(&declaration.ty);
        for variable in &declaration.variables {
            variable.width.iter().chain(&variable.array).for_each(|size| self.expr(size));
            match &variable.initializer {
                Some(Initializer::Expr(value)) => self.expr(value),
                Some(Initializer::List(values)) => values.iter().for_each(|value| self.expr(value)),
                Some(Initializer::Channel { capacity, fields, .. }) => {
                    self.expr(capacity);
                    fields.iter().for_each(|(ty, _)| self.ty(ty));
                }
                None => {}
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        if let Type::Named(name) = ty
            && let Some(&number) = self.items.get(&name.name)
        {
            self.used(number, name.span, Access::Read);
        }
    }

    fn used(&mut self, symbol: usize, span: Span, access: Access) {
        self.names.by_span.insert(span, symbol);
        self.names.uses.push(Use { symbol, span, access, owner: self.owner.clone() });
    }

    fn formula(&mut self, formula: &Formula) {
        match &formula.kind {
            FormulaKind::Atom(atom) => self.expr(atom),
            FormulaKind::Not(inner) | FormulaKind::Unary(_, inner) => self.formula(inner),
            FormulaKind::Binary(_, left, right) => {
                self.formula(left);
                self.formula(right);
            }
        }
    }

    fn sequence(&mut self, sequence: &Sequence) {
        self.scopes.push(HashMap::new());
        for step in &sequence.steps {
            match step {
                Step::Declaration(declaration) => self.local(declaration, Kind::Local),
                Step::Exclusive { channels, .. } => channels.iter().for_each(|q| self.var(q, Access::Look)),
                Step::Statement(statement) => self.statement(statement),
            }
        }
        self.scopes.pop();
    }

    fn statement(&mut self, statement: &Statement) {
        for label in &statement.labels {
            let symbol = self.plain(Kind::Label, label, label.span);
            let number = self.declare(symbol);
            if let Some(owner) = &self.owner {
                self.members.insert((owner.clone(), label.name.clone(), true), number);
            }
        }
        match &statement.kind {
            StatementKind::Assign(place, value) => {
                self.expr(value);
                self.var(place, Access::Write);
            }
            StatementKind::Increment(place) | StatementKind::Decrement(place) => self.var(place, Access::Write),
            StatementKind::Expr(value) | StatementKind::Assert(value) | StatementKind::Printm(value) => {
                self.expr(value)
            }
            StatementKind::Printf(_, values) => values.iter().for_each(|value| self.expr(value)),
            StatementKind::Send { channel, arguments, .. } => {
                self.var(channel, Access::Send);
                arguments.iter().for_each(|value| self.expr(value));
            }
            StatementKind::Receive { channel, arguments, .. } => {
                self.var(channel, Access::Take);
                self.pattern(arguments, Access::Receive);
            }
            StatementKind::If(options) | StatementKind::Do(options) => {
                options.iter().for_each(|option| self.sequence(option));
            }
            StatementKind::ForRange { variable, from, to, body } => {
                self.expr(from);
                self.expr(to);
                self.var(variable, Access::Count);
                self.sequence(body);
            }
            StatementKind::ForIn { variable, collection, body } => {
                self.var(collection, Access::Read);
                self.var(variable, Access::Count);
                self.sequence(body);
            }
            StatementKind::Select { variable, from, to } => {
                self.expr(from);
                self.expr(to);
                self.var(variable, Access::Count);
            }
            StatementKind::Atomic(body) | StatementKind::DStep(body) | StatementKind::Block(body, _) => {
                self.sequence(body);
            }
            StatementKind::Unless(main, escape) => {
                self.statement(main);
                self.statement(escape);
            }
            StatementKind::Goto(label) => {
                if let Some(owner) = self.owner.clone() {
                    self.later(owner, label, Access::Read, true);
                }
            }
            StatementKind::Else | StatementKind::Break => {}
        }
    }

    fn pattern(&mut self, arguments: &[ReceiveArgument], access: Access) {
        for argument in arguments {
            match argument {
                ReceiveArgument::Variable(place) => self.var(place, access),
                ReceiveArgument::Constant(value) | ReceiveArgument::Eval(value) => self.expr(value),
                ReceiveArgument::Anything(_) => {}
            }
        }
    }

    fn later(&mut self, owner: Arc<str>, name: &Ident, access: Access, label: bool) {
        let from = self.owner.clone();
        self.later.push(Later { owner, name: name.clone(), access, label, from });
    }

    /// A variable that was declared above. In a property everything is above.
    fn find(&self, name: &str) -> Option<usize> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        local.or_else(|| self.globals.get(name)).copied()
    }

    fn var(&mut self, var: &VarRef, access: Access) {
        for segment in &var.segments {
            segment.index.iter().for_each(|index| self.expr(index));
        }
        let Some((first, rest)) = var.segments.split_first() else { return };
        let Some(base) = self.find(&first.name.name) else { return };
        self.chain(base, first, rest, access);
    }

    /// The parts of `a.b.c`. A channel in a structure is not followed: sending to it only looks at the structure.
    fn chain(&mut self, base: usize, first: &Segment, rest: &[Segment], access: Access) {
        let outer = if rest.is_empty() || matches!(access, Access::Write | Access::Count | Access::Receive) {
            access
        } else {
            Access::Read
        };
        self.used(base, first.name.span, outer);
        let mut current = base;
        for segment in rest {
            let Some(Type::Named(structure)) = &self.names.symbols[current].ty else { return };
            let key = (structure.name.clone(), segment.name.name.clone(), false);
            let Some(&field) = self.members.get(&key) else { return };
            self.used(field, segment.name.span, access);
            current = field;
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => {}
            ExprKind::Variable(place) => self.var(place, Access::Read),
            ExprKind::Channel(_, place) => self.var(place, Access::Look),
            ExprKind::Unary(_, inner)
            | ExprKind::Enabled(inner)
            | ExprKind::PcValue(inner)
            | ExprKind::GetPriority(inner) => self.expr(inner),
            ExprKind::Binary(_, left, right) | ExprKind::SetPriority(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.expr(condition);
                self.expr(yes);
                self.expr(no);
            }
            ExprKind::Poll { channel, arguments, .. } => {
                self.var(channel, Access::Look);
                self.pattern(arguments, Access::Read);
            }
            ExprKind::Run { proctype, arguments, priority } => {
                self.process(proctype);
                arguments.iter().for_each(|value| self.expr(value));
                priority.iter().for_each(|value| self.expr(value));
            }
            ExprKind::RemoteLabel { proctype, pid, label } => {
                self.process(proctype);
                pid.iter().for_each(|pid| self.expr(pid));
                self.later(proctype.name.clone(), label, Access::Read, true);
            }
            ExprKind::RemoteVariable { proctype, pid, variable } => {
                self.process(proctype);
                pid.iter().for_each(|pid| self.expr(pid));
                for segment in &variable.segments {
                    segment.index.iter().for_each(|index| self.expr(index));
                }
                if let Some(first) = variable.segments.first() {
                    self.later(proctype.name.clone(), &first.name, Access::Read, false);
                }
            }
        }
    }

    fn process(&mut self, name: &Ident) {
        if let Some(&number) = self.items.get(&name.name) {
            self.used(number, name.span, Access::Read);
        }
    }

    fn resolve_later(&mut self) {
        for later in std::mem::take(&mut self.later) {
            let key = (later.owner, later.name.name.clone(), later.label);
            if let Some(&number) = self.members.get(&key) {
                self.owner = later.from;
                self.used(number, later.name.span, later.access);
            }
        }
        self.owner = None;
    }
}
