//! Bodies: the names visible in one, and what is gathered while it is lowered.

use super::Analyser;
use super::layout::{self, Allocator, Kind, Var};
use super::lower::build::Place as Spot;
use super::lower::{Flow, Kind as ElementKind, Node};
use crate::model::{self, Channel, Initial, PROCESS_HEADER, Place, Region, Variable};
use crate::source::Span;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::syntax::tree::{Declaration, Expr, Proctype, ProctypeKind, Visibility};
use std::collections::HashMap;
use std::sync::Arc;

/// A name in a body.
pub(super) struct Symbol {
    pub name: Arc<str>,
    /// The block it was declared (or, a label, first met) in.
    pub scope: usize,
    pub span: Span,
    /// A variable; else a label.
    pub var: Option<Var>,
}

/// The names of a body. Blocks are numbered; a name is seen in its block and those inside it.
#[derive(Default)]
pub(super) struct Symbols {
    /// In order of declaration; [`Symbols::add`] keeps the index by name beside it.
    pub entries: Vec<Symbol>,
    by_name: HashMap<Arc<str>, Vec<usize>>,
    pub parents: Vec<usize>,
    pub current: usize,
}

impl Symbols {
    pub(crate) fn open(&mut self) {
        self.parents.push(self.current);
        self.current = self.parents.len() - 1;
    }

    pub(crate) fn close(&mut self) {
        self.current = self.parents.get(self.current).copied().unwrap_or(0);
    }

    /// Whether a block lies inside another one, or is the same.
    pub(crate) fn inside(&self, inner: usize, outer: usize) -> bool {
        let mut scope = inner;
        loop {
            if scope == outer {
                return true;
            }
            if scope == 0 {
                return false;
            }
            scope = self.parents[scope];
        }
    }

    /// Adds a symbol and gives its number.
    pub(crate) fn add(&mut self, symbol: Symbol) -> usize {
        self.by_name.entry(symbol.name.clone()).or_default().push(self.entries.len());
        self.entries.push(symbol);
        self.entries.len() - 1
    }

    fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = usize> + '_ {
        self.by_name.get(name).into_iter().flatten().copied()
    }

    /// The latest visible symbol of this name.
    pub(crate) fn visible(&self, name: &str) -> Option<&Symbol> {
        let mut found = self.named(name).rev().map(|at| &self.entries[at]);
        found.find(|symbol| self.inside(self.current, symbol.scope))
    }

    pub(crate) fn variable(&self, name: &str) -> Option<&Var> {
        self.visible(name).and_then(|symbol| symbol.var.as_ref())
    }

    /// A variable of this name in any block, the first declared.
    pub(crate) fn any_variable(&self, name: &str) -> Option<&Var> {
        self.named(name).find_map(|at| self.entries[at].var.as_ref())
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = Arc<str>> + '_ {
        self.entries.iter().filter(|symbol| symbol.var.is_some()).map(|symbol| symbol.name.clone())
    }

    /// The symbol of a label: that of an enclosing block if it was met there before.
    pub(crate) fn label(&mut self, name: &Arc<str>, span: Span) -> usize {
        let scope = self.current;
        let known = self.named(name).rev().find(|&at| {
            let symbol = &self.entries[at];
            symbol.var.is_none() && self.inside(scope, symbol.scope)
        });
        known.unwrap_or_else(|| self.add(Symbol { name: name.clone(), scope, span, var: None }))
    }
}

/// A body while it is lowered, and until it becomes an automaton.
pub(super) struct Body {
    pub name: Arc<str>,
    pub kind: ProctypeKind,
    pub span: Span,
    pub symbols: Symbols,
    pub allocator: Allocator,
    pub shown: Vec<Variable>,
    pub parameters: Vec<Place>,
    pub initial: Vec<Initial>,
    pub channels: Vec<Channel>,
    pub provided: Option<model::Expr>,
    pub priority: u8,
    pub exclusive: Vec<(bool, model::Expr, Span)>,
    /// The elements, once the body has been read.
    pub flow: Flow,
}

impl Body {
    pub(crate) fn new(name: Arc<str>, kind: ProctypeKind, span: Span, header: u32) -> Body {
        Body {
            name,
            kind,
            span,
            symbols: Symbols { parents: vec![0], ..Symbols::default() },
            allocator: Allocator::new(header),
            shown: Vec::new(),
            parameters: Vec::new(),
            initial: Vec::new(),
            channels: Vec::new(),
            provided: None,
            priority: 1,
            exclusive: Vec::new(),
            flow: Flow::default(),
        }
    }
}

impl Analyser<'_> {
    /// Bytes in front of the locals of a process.
    pub(super) fn header(&self) -> u32 {
        PROCESS_HEADER + u32::from(self.uses.priorities)
    }

    /// Reads a proctype, `init`, claim or trace.
    pub(super) fn proctype(&mut self, proctype: &Proctype) {
        let name = &proctype.name;
        if let Some(first) = self.globals.get(&name.name).map(|var| var.span) {
            self.twice(name, first);
        }
        let header = self.header();
        self.body = Some(Body::new(name.name.clone(), proctype.kind, name.span, header));
        self.flow.start();
        let told = self.diagnostics.len();
        for declaration in &proctype.parameters {
            self.parameter(declaration);
        }
        let parameters = self.body.as_ref().map_or(0, |body| body.parameters.len());
        // Of parameters that were refused nobody knows how many arguments they take.
        let refused = self.diagnostics[told..].iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        if let Some(signature) = self.signatures.get_mut(&name.name).filter(|_| !refused) {
            signature.parameters = Some(parameters);
        }
        let priority = proctype.priority.as_ref().and_then(|value| self.priority(value)).unwrap_or(1);
        let provided = proctype.provided.as_ref().map(|provided| {
            self.no_run(provided, "a provided clause");
            self.expr(provided)
        });
        if let Some(body) = &mut self.body {
            (body.priority, body.provided) = (priority, provided);
            body.symbols.open();
        }
        let top = self.flow.open_sequence();
        self.flow.declaring = true;
        self.steps(&proctype.body);
        self.flow.add(Node::Plain(ElementKind::Stop, end_of(proctype.body.span)));
        self.close_sequence(Spot::Body, proctype.body.span);
        self.flow.body = top;
        self.flow.declaring = true;
        let Some(mut body) = self.body.take() else { return };
        body.flow = std::mem::take(&mut self.flow);
        self.bodies.push(body);
        self.start_processes(proctype, priority);
    }

    fn start_processes(&mut self, proctype: &Proctype, priority: u8) {
        let count = match (&proctype.active, proctype.kind) {
            (_, ProctypeKind::Init) => 1,
            (None, _) => 0,
            (Some(active), _) => match &active.count {
                None => 1,
                Some(count) => self.active_count(count).unwrap_or(0),
            },
        };
        for _ in 0..count {
            self.processes.push((proctype.name.name.clone(), priority));
        }
    }

    fn active_count(&mut self, count: &Expr) -> Option<i32> {
        if let crate::syntax::tree::ExprKind::Variable(var) = &count.kind
            && let [only] = var.segments.as_slice()
            && let Some(first) = self.find(&only.name.name).and_then(|var| var.first)
        {
            return self.instances(first, count.span);
        }
        let value = self.need_constant(count, "the number of instances")?;
        self.instances(value, count.span)
    }

    fn instances(&mut self, value: i32, span: Span) -> Option<i32> {
        if value > 255 {
            self.error(span, format!("{value} instances are too many"), "at most 255 processes can run");
            return None;
        }
        Some(value)
    }

    fn priority(&mut self, value: &Expr) -> Option<u8> {
        let number = self.need_constant(value, "a priority")?;
        let priority = u8::try_from(number).ok().filter(|&priority| priority > 0);
        if priority.is_none() {
            self.error(value.span, format!("the priority {number} is not possible"), "1 to 255");
        }
        priority
    }

    fn parameter(&mut self, declaration: &Declaration) {
        for declarator in &declaration.variables {
            if let Some(first) = self.taken(&declarator.name.name) {
                self.twice(&declarator.name, first);
                continue;
            }
            if declarator.initializer.is_some() {
                self.error(declarator.span, "a parameter cannot have an initialiser", "`run` gives the value");
            }
            let mut var = self.variable(declaration, declarator);
            if var.length.is_some() {
                self.report(
                    Diagnostic::error(format!("the parameter `{}` is an array", var.name), declarator.span, "an array")
                        .with_help("put the array into a channel's message, or make it global"),
                );
            } else if let Kind::Struct(number) = var.kind
                && let Some(field) = self.array_field(number)
            {
                self.report(
                    Diagnostic::error(
                        format!("the parameter `{}` has an array inside", var.name),
                        declarator.span,
                        "only plain fields can be passed",
                    )
                    .with_label(field, "this field"),
                );
            }
            var.region = Region::Local;
            self.bound_local(&mut var);
            let Some(body) = &mut self.body else { return };
            layout::place(&mut var, &self.structs, &mut body.allocator);
            var.leaf = body.shown.len() as u32;
            let shown = layout::show(&var, &self.structs, declaration.visibility == Visibility::Show);
            body.parameters.extend(shown.iter().enumerate().map(|(at, leaf)| Place {
                region: Region::Local,
                offset: leaf.offset,
                scalar: leaf.scalar,
                ty: leaf.ty,
                indices: Vec::new(),
                variable: var.leaf + at as u32,
                span: leaf.span,
            }));
            body.shown.extend(shown);
            self.declare_local(var);
        }
    }

    fn array_field(&self, number: usize) -> Option<Span> {
        self.structs[number].fields.iter().find_map(|field| match field.kind {
            _ if field.length.is_some() => Some(field.span),
            Kind::Struct(inner) => self.array_field(inner),
            Kind::Scalar(_) => None,
        })
    }

    fn bound_local(&mut self, var: &mut Var) {
        let taken = self.body.as_ref().map(|body| (body.allocator.size(), body.shown.len() as u32));
        if let Some((bytes, leaves)) = taken {
            self.bound(var, bytes, leaves, layout::LARGEST_PROCESS);
        }
    }

    /// Makes a local visible.
    pub(super) fn declare_local(&mut self, var: Var) {
        self.declared(&var.name, var.span);
        let Some(body) = &mut self.body else { return };
        let scope = body.symbols.current;
        body.symbols.add(Symbol { name: var.name.clone(), scope, span: var.span, var: Some(var) });
    }

    /// Gives a local its place and adds it to the shown ones.
    pub(super) fn place_local(&mut self, var: &mut Var, show: bool) {
        self.bound_local(var);
        let Some(body) = &mut self.body else { return };
        var.region = Region::Local;
        layout::place(var, &self.structs, &mut body.allocator);
        var.leaf = body.shown.len() as u32;
        body.shown.extend(layout::show(var, &self.structs, show));
    }
}

/// The closing brace of a block.
pub(super) fn end_of(span: Span) -> Span {
    Span { start: span.end.saturating_sub(1).max(span.start), ..span }
}
