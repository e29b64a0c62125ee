//! Builds the tree for the grammar's actions: makes spans of token numbers, settles what an expression may hold
//! where it stands, and keeps the depth of what it builds within bounds. Rules of SPIN's grammar that are easier to
//! say here than in productions live here too: `full(q)` and its like can only be joined by `&&` and `||`, a bound
//! is a constant, a temporal operator applies to formulas only.

use super::explain;
use super::token::{Lexeme, Origin, Token};
use super::tree::*;
use crate::source::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};
use lalrpop_util::ParseError;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// The depth of an expression. A chain of operators is as deep as it is long; every later step walks it by
/// recursion.
pub(crate) const MAX_DEPTH: u32 = 10_000;

/// More errors than this in the syntax of one model help nobody.
const MAX_ERRORS: usize = 100;

/// A name and the number of its token.
pub(crate) type Name = (Arc<str>, u32);

/// What is wrong where a formula is an operand of an expression.
pub(super) const TEMPORAL_INSIDE: &str = "a temporal operator inside an expression";

/// An expression, or a formula of temporal logic.
pub(crate) enum Term {
    /// An expression; `probe` if it holds `full(q)` or its like, which SPIN lets nobody negate.
    Expr { expr: Expr, probe: Option<(ChannelTest, Span)> },
    /// A formula with a temporal operator, and its depth.
    Formula { formula: Formula, depth: u32 },
}

impl Term {
    /// An expression without a probe.
    pub(crate) fn plain(expr: Expr) -> Term {
        Term::Expr { expr, probe: None }
    }

    fn span(&self) -> Span {
        match self {
            Term::Expr { expr, .. } => expr.span,
            Term::Formula { formula, .. } => formula.span,
        }
    }

    fn depth(&self) -> u32 {
        match self {
            Term::Expr { expr, .. } => expr.depth,
            Term::Formula { depth, .. } => *depth,
        }
    }
}

/// What stands between two operands.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    /// One that gives a value.
    Value(BinaryOp),
    /// One of formulas only.
    Formula(FormulaOp),
}

impl Operator {
    /// How loosely it binds; all lean to the left.
    fn level(self) -> u8 {
        match self {
            Operator::Value(op) => op_level(op),
            Operator::Formula(FormulaOp::Until | FormulaOp::WeakUntil | FormulaOp::Release) => 10,
            Operator::Formula(_) => 13,
        }
    }
}

/// How loosely an operator binds, from 2 for `*` to 12 for `||`; 1 is for signs in front, 0 for single words.
pub(crate) fn op_level(op: BinaryOp) -> u8 {
    match op {
        BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 2,
        BinaryOp::Add | BinaryOp::Subtract => 3,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 4,
        BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 5,
        BinaryOp::Equal | BinaryOp::NotEqual => 6,
        BinaryOp::BitAnd => 7,
        BinaryOp::BitXor => 8,
        BinaryOp::BitOr => 9,
        BinaryOp::And => 11,
        BinaryOp::Or => 12,
    }
}

/// Operands and operators in a row, read so far. What still waits for its right side binds tighter from left to
/// right: before an operator is taken in, those in front of it that bind as tight or tighter are applied.
pub(crate) struct Chain {
    waiting: Vec<(Term, Operator)>,
    last: Term,
}

impl Chain {
    /// A single operand.
    pub(crate) fn new(last: Term) -> Chain {
        Chain { waiting: Vec::new(), last }
    }

    /// One more operator and operand.
    pub(crate) fn push(&mut self, build: &mut Build<'_>, operator: Operator, next: Term) {
        let mut left = std::mem::replace(&mut self.last, next);
        while let Some((a, waiting)) = self.waiting.pop_if(|(_, waiting)| waiting.level() <= operator.level()) {
            left = build.apply(waiting, a, left);
        }
        self.waiting.push((left, operator));
    }

    /// The whole.
    pub(crate) fn finish(self, build: &mut Build<'_>) -> Term {
        self.waiting.into_iter().rev().fold(self.last, |right, (left, operator)| build.apply(operator, left, right))
    }
}

/// What the actions of the grammar work on.
pub(crate) struct Build<'a> {
    /// For spans that came through different expansions.
    pub map: &'a SourceMap,
    /// All tokens.
    pub tokens: &'a [Lexeme],
    /// Stretches whose brackets were mended: errors there were reported already.
    pub doubtful: &'a [Range<usize>],
    /// What is told once: macros that stand where names were meant, arrays of two dimensions.
    pub told: HashSet<String>,
    /// Where errors go.
    pub diagnostics: &'a mut Vec<Diagnostic>,
    /// Never claims so far, for their names.
    pub claims: u32,
    /// Errors of the parser so far.
    pub errors: usize,
}

impl Build<'_> {
    /// Too many errors: time to stop.
    pub(crate) fn gives_up(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    /// The span of the tokens `l` up to, not including, `r`.
    pub(crate) fn span(&self, l: u32, r: u32) -> Span {
        let last = self.tokens.len() - 1;
        let first = (l as usize).min(last);
        let end = (r as usize).saturating_sub(1).clamp(first, last);
        let place = |number: usize| (self.tokens[number].span, self.tokens[number].slot);
        let (a, b) = self.map.ends(place(first), place(end));
        self.join(a, b)
    }

    /// The smallest span over both. If they came through different expansions, both are followed outwards to the
    /// innermost text that holds them.
    fn join(&self, a: Span, b: Span) -> Span {
        if a.expansion == b.expansion {
            return a.to(b);
        }
        let chain = |mut span: Span| {
            let mut spans = vec![span];
            while let Some(expansion) = self.map.expansion(span.expansion) {
                span = expansion.call;
                spans.push(span);
            }
            spans
        };
        let (left, right) = (chain(a), chain(b));
        for &outer in &left {
            if let Some(&other) = right.iter().find(|other| other.expansion == outer.expansion) {
                return outer.to(other);
            }
        }
        a
    }

    /// A name as the tree has it.
    pub(crate) fn ident(&self, (name, at): Name) -> Ident {
        Ident { name, span: self.tokens[at as usize].span }
    }

    /// An error from the parser; gives the number of the token where it is.
    pub(crate) fn error(&mut self, error: ParseError<u32, Token, ()>) -> u32 {
        let (number, expected) = match error {
            ParseError::UnrecognizedToken { token, expected } => (token.0, expected),
            ParseError::UnrecognizedEof { location, expected } => (location, expected),
            ParseError::ExtraToken { token } => (token.0, Vec::new()),
            ParseError::InvalidToken { location } => (location, Vec::new()),
            ParseError::User { error: () } => return u32::MAX,
        };
        let at = number as usize;
        self.errors += 1;
        let noise = self.tokens.get(at).is_some_and(|lexeme| lexeme.origin == Origin::AfterStray);
        if noise || self.doubtful.iter().any(|range| range.contains(&at)) {
            return number;
        }
        let diagnostic = explain::explain(self.map, self.tokens, at, &expected);
        // What follows from one slip at several places is told once.
        let about = match explain::macro_for_name(self.map, self.tokens, at, &diagnostic) {
            Some(name) => Some(name),
            None if diagnostic.message == explain::DIMENSIONS => Some(diagnostic.message.clone()),
            None => None,
        };
        if about.is_none_or(|about| self.told.insert(about)) {
            self.diagnostics.push(diagnostic);
        }
        if self.gives_up() {
            self.diagnostics.push(Diagnostic::error(
                "too many syntax errors",
                self.tokens[at.min(self.tokens.len() - 1)].span,
                "the rest is not read",
            ));
        }
        number
    }

    // ---- items --------------------------------------------------------------------------------------------------

    #[allow(clippy::too_many_arguments)] // The parts of one production.
    pub(crate) fn proctype(
        &mut self,
        l: u32,
        r: u32,
        kind: ProctypeKind,
        name: Name,
        active: Option<Active>,
        parameters: Vec<Declaration>,
        priority: Option<Expr>,
        provided: Option<Expr>,
        body: Sequence,
    ) -> Box<Item> {
        for declaration in &parameters {
            for declarator in &declaration.variables {
                if declarator.initializer.is_some() {
                    self.diagnostics.push(Diagnostic::error(
                        format!("the parameter `{}` has an initial value", declarator.name.name),
                        declarator.span,
                        "its value comes from `run`",
                    ));
                }
            }
        }
        let (name, span) = (self.ident(name), self.span(l, r));
        Box::new(Item::Proctype(Proctype { kind, name, active, parameters, priority, provided, body, span }))
    }

    fn body_item(
        &self,
        kind: ProctypeKind,
        name: Ident,
        priority: Option<Expr>,
        body: Sequence,
        span: Span,
    ) -> Box<Item> {
        Box::new(Item::Proctype(Proctype {
            kind,
            name,
            active: None,
            parameters: Vec::new(),
            priority,
            provided: None,
            body,
            span,
        }))
    }

    pub(crate) fn init(&self, l: u32, w: u32, r: u32, priority: Option<Expr>, body: Sequence) -> Box<Item> {
        let name = Ident { name: "init".into(), span: self.span(l, w) };
        self.body_item(ProctypeKind::Init, name, priority, body, self.span(l, r))
    }

    pub(crate) fn never(&mut self, l: u32, w: u32, r: u32, name: Option<Name>, body: Sequence) -> Box<Item> {
        let name = match name {
            Some(name) => self.ident(name),
            None => Ident { name: format!("never_{}", self.claims).into(), span: self.span(l, w) },
        };
        self.claims += 1;
        self.body_item(ProctypeKind::Never, name, None, body, self.span(l, r))
    }

    pub(crate) fn trace(&self, l: u32, w: u32, r: u32, kind: ProctypeKind, body: Sequence) -> Box<Item> {
        let name = if kind == ProctypeKind::Trace { "trace" } else { "notrace" };
        let name = Ident { name: name.into(), span: self.span(l, w) };
        self.body_item(kind, name, None, body, self.span(l, r))
    }

    pub(crate) fn ltl(&mut self, l: u32, r: u32, name: Option<Name>, formula: Term) -> Box<Item> {
        let name = name.map(|name| self.ident(name));
        let formula = self.as_formula(formula);
        Box::new(Item::Ltl(Ltl { name, formula, faults: Vec::new(), span: self.span(l, r) }))
    }

    pub(crate) fn mtype(
        &mut self,
        l: u32,
        w: u32,
        r: u32,
        visibility: Visibility,
        subtype: Option<Name>,
        names: Vec<Name>,
    ) -> Box<Item> {
        if visibility != Visibility::Plain {
            let word = self.tokens[l as usize].token.text();
            self.diagnostics.push(Diagnostic::error(
                format!("names of an `mtype` cannot be `{word}`"),
                self.span(l, w),
                "leave this out",
            ));
        }
        Box::new(Item::Mtype(Mtype {
            subtype: subtype.map(|name| self.ident(name)),
            names: names.into_iter().map(|name| self.ident(name)).collect(),
            span: self.span(w, r),
        }))
    }

    // ---- declarations -------------------------------------------------------------------------------------------

    pub(crate) fn declaration(
        &mut self,
        l: u32,
        r: u32,
        visibility: Visibility,
        ty: Type,
        variables: Vec<Declarator>,
    ) -> Box<Declaration> {
        for declarator in &variables {
            match (&ty, &declarator.width) {
                (Type::Unsigned, None) => self.diagnostics.push(
                    Diagnostic::error(
                        format!("`{}` is unsigned without a width", declarator.name.name),
                        declarator.span,
                        "how many bits?",
                    )
                    .with_help(format!("write `unsigned {} : 4` for four bits", declarator.name.name)),
                ),
                (Type::Unsigned, Some(_)) | (_, None) => {}
                (_, Some(width)) => self.diagnostics.push(Diagnostic::error(
                    "only an `unsigned` has a width",
                    width.span,
                    "leave this out, or write `unsigned` for the type",
                )),
            }
        }
        Box::new(Declaration { visibility, ty, variables, span: self.span(l, r) })
    }

    pub(crate) fn declarator(
        &mut self,
        l: u32,
        r: u32,
        name: Name,
        width: Option<Expr>,
        array: Option<Expr>,
        initializer: Option<Box<Initializer>>,
    ) -> Box<Declarator> {
        let span = self.span(l, r);
        if let (Some(Initializer::List(values)), None) = (initializer.as_deref(), &array) {
            let count = values.len();
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is not an array", name.0), span, "a list of values is for an array")
                    .with_help(format!("write `{}[{count}]`", name.0)),
            );
        }
        let name = self.ident(name);
        Box::new(Declarator { name, width, array, initializer: initializer.map(|boxed| *boxed), span })
    }

    /// The size of an array or channel or the number of processes: SPIN folds `+ - * / %` over constants.
    pub(crate) fn bound(&mut self, term: Term) -> Expr {
        let expr = self.plain(term);
        if let Some(bad) = first_not_constant(&expr) {
            self.diagnostics.push(
                Diagnostic::error("the size must be a constant", bad, "not known before the model runs")
                    .with_note("numbers, mtype names and `+ - * / %` make a constant here"),
            );
            return self.leaf_expr(expr.span, ExprKind::Number(1));
        }
        expr
    }

    // ---- statements ---------------------------------------------------------------------------------------------

    pub(crate) fn labelled_declaration(&mut self, label: Name, declaration: Declaration) -> Box<Step> {
        let label = self.ident(label);
        self.diagnostics.push(
            Diagnostic::error(
                format!("the label `{}` stands in front of a declaration", label.name),
                label.span,
                "a label belongs to a statement",
            )
            .with_label(declaration.span, "this declares variables")
            .with_help("put the declaration in front of the label"),
        );
        Box::new(Step::Declaration(declaration))
    }

    pub(crate) fn unless(&mut self, l: u32, r: u32, main: Box<Statement>, escape: Box<Statement>) -> Box<Step> {
        let span = self.span(l, r);
        let kind = StatementKind::Unless(main, escape);
        Box::new(Step::Statement(Statement { labels: Vec::new(), kind, span }))
    }

    pub(crate) fn label(&mut self, label: Name, mut statement: Box<Statement>) -> Box<Statement> {
        statement.labels.insert(0, self.ident(label));
        statement
    }

    pub(crate) fn lone_label(&mut self, l: u32, r: u32, label: Name) -> Box<Statement> {
        let span = self.span(l, r);
        let kind = StatementKind::Expr(self.leaf_expr(span, ExprKind::Number(1)));
        Box::new(Statement { labels: vec![self.ident(label)], kind, span })
    }

    /// `q!a(b, c)` means `q!a,b,c`.
    pub(crate) fn message(&self, first: Expr, mut rest: Vec<Expr>) -> Vec<Expr> {
        rest.insert(0, first);
        rest
    }

    pub(crate) fn pattern(&self, first: ReceiveArgument, mut rest: Vec<ReceiveArgument>) -> Vec<ReceiveArgument> {
        rest.insert(0, first);
        rest
    }

    pub(crate) fn receive_variable(&self, variable: VarRef) -> ReceiveArgument {
        match &variable.segments[..] {
            [Segment { name, index: None }] if &*name.name == "_" => ReceiveArgument::Anything(variable.span),
            _ => ReceiveArgument::Variable(variable),
        }
    }

    pub(crate) fn set_priority(&mut self, l: u32, r: u32, pid: Expr, value: Expr) -> Box<StatementKind> {
        let depth = 1 + pid.depth.max(value.depth);
        let kind = ExprKind::SetPriority(Box::new(pid), Box::new(value));
        Box::new(StatementKind::Expr(self.node(self.span(l, r), depth, kind)))
    }

    // ---- expressions --------------------------------------------------------------------------------------------

    fn leaf_expr(&self, span: Span, kind: ExprKind) -> Expr {
        Expr { kind, span, depth: 1 }
    }

    /// Every inner node is made here, so that none gets too deep.
    fn node(&mut self, span: Span, depth: u32, kind: ExprKind) -> Expr {
        if depth > MAX_DEPTH {
            self.too_deep(span);
            return self.leaf_expr(span, ExprKind::Number(1));
        }
        Expr { kind, span, depth }
    }

    fn too_deep(&mut self, span: Span) {
        self.diagnostics.push(
            Diagnostic::error("this expression is too long", span, format!("more than {MAX_DEPTH} operators deep"))
                .with_help("split it, with a variable for a part"),
        );
    }

    /// For a place where anything but a formula may stand.
    pub(crate) fn full(&mut self, term: Term) -> Expr {
        match term {
            Term::Expr { expr, .. } => expr,
            Term::Formula { formula, .. } => {
                self.diagnostics.push(
                    Diagnostic::error(
                        TEMPORAL_INSIDE,
                        formula.span,
                        "this has a value over time, not one value",
                    )
                    .with_help(
                        "temporal operators apply to conditions and bind tightly: write `[] (a == b)`, not `[] a == b`",
                    ),
                );
                self.leaf_expr(formula.span, ExprKind::Number(1))
            }
        }
    }

    /// For a place where a probe may not stand either.
    pub(crate) fn plain(&mut self, term: Term) -> Expr {
        if let Term::Expr { probe: Some((test, span)), .. } = &term {
            let (name, opposite) = match test {
                ChannelTest::Full => ("full", "nfull"),
                ChannelTest::NotFull => ("nfull", "full"),
                ChannelTest::Empty => ("empty", "nempty"),
                _ => ("nempty", "empty"),
            };
            self.diagnostics.push(
                Diagnostic::error(
                    format!("`{name}` cannot be negated, compared or passed on"),
                    *span,
                    "may only be joined by `&&` and `||`",
                )
                .with_note("the reduction of the state space relies on it, in SPIN as here")
                .with_help(format!("for its opposite write `{opposite}`; for a number use `len`")),
            );
        }
        self.full(term)
    }

    pub(crate) fn number(&self, at: u32, value: i32) -> Expr {
        self.leaf_expr(self.tokens[at as usize].span, ExprKind::Number(value))
    }

    pub(crate) fn minus(&self, l: u32, r: u32, e: Expr) -> Expr {
        let value = if let ExprKind::Number(value) = e.kind { value.wrapping_neg() } else { 0 };
        self.leaf_expr(self.span(l, r), ExprKind::Number(value))
    }

    pub(crate) fn variable(&mut self, variable: VarRef) -> Expr {
        let below = variable.segments.iter().filter_map(|segment| segment.index.as_ref());
        let depth = 1 + below.map(|index| index.depth).max().unwrap_or(0);
        self.node(variable.span, depth, ExprKind::Variable(variable))
    }

    pub(crate) fn name_expr(&mut self, l: u32, name: Name) -> Expr {
        let name = self.ident(name);
        let span = self.span(l, l + 1);
        self.variable(VarRef { segments: vec![Segment { name, index: None }], span })
    }

    pub(crate) fn leaf(&self, l: u32, r: u32, kind: ExprKind) -> Term {
        Term::plain(self.leaf_expr(self.span(l, r), kind))
    }

    pub(crate) fn call(&mut self, l: u32, r: u32, make: fn(Box<Expr>) -> ExprKind, e: Expr) -> Term {
        let depth = e.depth + 1;
        Term::plain(self.node(self.span(l, r), depth, make(Box::new(e))))
    }

    pub(crate) fn parenthesised(&self, l: u32, r: u32, mut term: Term) -> Term {
        let span = self.span(l, r);
        match &mut term {
            Term::Expr { expr, .. } => expr.span = span,
            Term::Formula { formula, .. } => formula.span = span,
        }
        term
    }

    pub(crate) fn conditional(&mut self, l: u32, r: u32, c: Expr, a: Expr, b: Expr) -> Term {
        let depth = 1 + c.depth.max(a.depth).max(b.depth);
        let kind = ExprKind::Conditional(Box::new(c), Box::new(a), Box::new(b));
        Term::plain(self.node(self.span(l, r), depth, kind))
    }

    pub(crate) fn channel_test(&mut self, l: u32, r: u32, test: ChannelTest, channel: VarRef) -> Term {
        let span = self.span(l, r);
        let expr = self.leaf_expr(span, ExprKind::Channel(test, channel));
        let probe = (test != ChannelTest::Len).then_some((test, span));
        Term::Expr { expr, probe }
    }

    pub(crate) fn poll(&self, l: u32, r: u32, channel: VarRef, random: bool, arguments: Vec<ReceiveArgument>) -> Term {
        self.leaf(l, r, ExprKind::Poll { channel, random, arguments })
    }

    pub(crate) fn run(&mut self, l: u32, r: u32, name: Name, arguments: Vec<Expr>, priority: Option<Expr>) -> Term {
        let depth = 1 + arguments.iter().map(|argument| argument.depth).max().unwrap_or(0);
        let kind = ExprKind::Run { proctype: self.ident(name), arguments, priority: priority.map(Box::new) };
        Term::plain(self.node(self.span(l, r), depth, kind))
    }

    pub(crate) fn remote_label(&self, l: u32, r: u32, (name, pid): (Name, Option<Box<Expr>>), label: Name) -> Term {
        let (proctype, label) = (self.ident(name), self.ident(label));
        self.leaf(l, r, ExprKind::RemoteLabel { proctype, pid, label })
    }

    pub(crate) fn remote_variable(
        &self,
        l: u32,
        r: u32,
        (name, pid): (Name, Option<Box<Expr>>),
        variable: VarRef,
    ) -> Term {
        let proctype = self.ident(name);
        self.leaf(l, r, ExprKind::RemoteVariable { proctype, pid, variable })
    }

    pub(crate) fn unary(&mut self, l: u32, op: UnaryOp, term: Term) -> Term {
        let span = self.join(self.tokens[l as usize].span, term.span());
        match term {
            Term::Formula { formula, depth } if op == UnaryOp::Not => {
                self.make_formula(span, depth + 1, FormulaKind::Not(Box::new(formula)))
            }
            term => {
                let e = self.plain(term);
                let depth = e.depth + 1;
                Term::plain(self.node(span, depth, ExprKind::Unary(op, Box::new(e))))
            }
        }
    }

    fn apply(&mut self, operator: Operator, a: Term, b: Term) -> Term {
        match operator {
            Operator::Value(op) => self.binary(op, a, b),
            Operator::Formula(op) => self.formula(op, a, b),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        let joins = matches!(op, BinaryOp::And | BinaryOp::Or);
        if joins && (matches!(a, Term::Formula { .. }) || matches!(b, Term::Formula { .. })) {
            let op = if op == BinaryOp::And { FormulaOp::And } else { FormulaOp::Or };
            return self.formula(op, a, b);
        }
        let span = self.join(a.span(), b.span());
        let mut probe = None;
        if joins {
            for term in [&a, &b] {
                if let Term::Expr { probe: Some(found), .. } = term {
                    probe = Some(*found);
                }
            }
        }
        let (a, b) = if joins { (self.full(a), self.full(b)) } else { (self.plain(a), self.plain(b)) };
        let depth = 1 + a.depth.max(b.depth);
        let expr = self.node(span, depth, ExprKind::Binary(op, Box::new(a), Box::new(b)));
        Term::Expr { expr, probe }
    }

    pub(crate) fn temporal(&mut self, l: u32, op: Temporal, term: Term) -> Term {
        let span = self.join(self.tokens[l as usize].span, term.span());
        let depth = term.depth() + 1;
        let formula = self.as_formula(term);
        self.make_formula(span, depth, FormulaKind::Unary(op, Box::new(formula)))
    }

    fn formula(&mut self, op: FormulaOp, a: Term, b: Term) -> Term {
        let span = self.join(a.span(), b.span());
        let depth = 1 + a.depth().max(b.depth());
        let (a, b) = (self.as_formula(a), self.as_formula(b));
        self.make_formula(span, depth, FormulaKind::Binary(op, Box::new(a), Box::new(b)))
    }

    /// SPIN negates formulas, so they can hold no probe.
    fn as_formula(&mut self, term: Term) -> Formula {
        match term {
            Term::Formula { formula, .. } => formula,
            Term::Expr { expr, probe } => {
                if let Some((test, span)) = probe {
                    let (name, instead) = match test {
                        ChannelTest::Full => ("full", "len(q) == N"),
                        ChannelTest::NotFull => ("nfull", "len(q) < N"),
                        ChannelTest::Empty => ("empty", "len(q) == 0"),
                        _ => ("nempty", "len(q) > 0"),
                    };
                    self.diagnostics.push(
                        Diagnostic::error(
                            format!("`{name}` in a formula"),
                            span,
                            "formulas are negated, this cannot be",
                        )
                        .with_help(format!("write `{instead}`, which means the same")),
                    );
                }
                Formula { span: expr.span, kind: FormulaKind::Atom(expr) }
            }
        }
    }

    fn make_formula(&mut self, span: Span, depth: u32, kind: FormulaKind) -> Term {
        if depth > MAX_DEPTH {
            self.too_deep(span);
            return Term::plain(self.leaf_expr(span, ExprKind::Number(1)));
        }
        Term::Formula { formula: Formula { kind, span }, depth }
    }
}

/// The place that keeps an expression from being a constant, as far as can be told without knowing the names.
fn first_not_constant(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Number(_) => None,
        ExprKind::Variable(variable) => match &variable.segments[..] {
            [Segment { index: None, .. }] => None,
            _ => Some(expr.span),
        },
        ExprKind::Unary(UnaryOp::Negate, inner) => first_not_constant(inner),
        ExprKind::Binary(
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder,
            a,
            b,
        ) => first_not_constant(a).or_else(|| first_not_constant(b)),
        _ => Some(expr.span),
    }
}
