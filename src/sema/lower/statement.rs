//! Statements to nodes, declarations inside bodies, and SPIN's objections on the way.

use super::super::expr::find_run;
use super::super::layout::Kind as Type;
use super::super::{Analyser, text};
use super::build::{Place, skip};
use super::{DSTEP, Jump, Kind, Node, Seq, Work};
use crate::model::{self, Action, ExprKind, ScalarType, TransitionType};
use crate::source::Span;
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::short;
use crate::syntax::tree::{self, *};
use std::sync::Arc;

impl Analyser<'_> {
    /// The steps of a sequence, added to the open one.
    pub(in crate::sema) fn steps(&mut self, sequence: &Sequence) {
        for step in &sequence.steps {
            match step {
                Step::Declaration(declaration) => self.local(declaration),
                Step::Exclusive { send, channels, span } => self.exclusive(*send, channels, *span),
                Step::Statement(statement) => {
                    if let Some(node) = self.statement(statement) {
                        self.flow.add(node);
                    }
                    self.flow.declaring = false;
                }
            }
        }
    }

    /// A block in braces: a scope and a sequence of its own.
    fn block(&mut self, sequence: &Sequence, place: Place) -> Option<Seq> {
        self.scope(|this| {
            this.flow.open_sequence();
            this.steps(sequence);
            this.close_sequence(place, sequence.span)
        })
    }

    pub(super) fn scope<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(body) = &mut self.body {
            body.symbols.open();
        }
        let result = inside(self);
        if let Some(body) = &mut self.body {
            body.symbols.close();
        }
        result
    }

    fn options(&mut self, options: &[Sequence]) -> Vec<Seq> {
        let mut made: Vec<Seq> = Vec::new();
        let mut otherwise: Option<Span> = None;
        for option in options {
            self.flow.open_sequence();
            self.steps(option);
            let Some(seq) = self.close_sequence(Place::Option, option.span) else { continue };
            let first = self.flow.sequences[seq].first.map(|first| &self.flow.elements[first]);
            if let Some(first) = first
                && matches!(first.kind, Kind::Else)
            {
                let span = first.span;
                if let Some(earlier) = otherwise {
                    self.report(
                        Diagnostic::error("`else` twice in one choice", span, "again here")
                            .with_label(earlier, "first here"),
                    );
                    continue;
                }
                otherwise = Some(span);
            }
            made.push(seq);
        }
        self.dubious_else(&made, otherwise);
        made
    }

    /// SPIN warns of `else` beside sends and receives: it means "no message now", which is seldom what one wants.
    fn dubious_else(&mut self, options: &[Seq], otherwise: Option<Span>) {
        let Some(span) = otherwise else { return };
        let guard = options.iter().find_map(|&option| {
            let first = &self.flow.elements[self.flow.sequences[option].first?];
            match &first.kind {
                Kind::Work(work) if touches_channel(&work.action) => Some(first.span),
                _ => None,
            }
        });
        let Some(guard) = guard else { return };
        if let Some(exclusive) = self.exclusive_claim {
            self.report(
                Diagnostic::error("`else` beside a send or receive in a model with xr or xs", span, "this else")
                    .with_label(guard, "the send or receive")
                    .with_label(exclusive, "the claim")
                    .with_note("the reduction that xr and xs allow is wrong for such an `else`"),
            );
        } else {
            self.report(
                Diagnostic::warning("`else` beside a send or receive", span, "taken whenever no message passes now")
                    .with_code(Code::ElseBesideChannel)
                    .with_label(guard, "this one"),
            );
        }
    }

    /// A statement as a node; what SPIN puts in front of it (the start of a `for`) is added at once.
    fn statement(&mut self, statement: &Statement) -> Option<Node> {
        let mut labels: Vec<(Arc<str>, usize, Span)> = Vec::new();
        for label in &statement.labels {
            let symbol = self.label_symbol(label)?;
            labels.push((label.name.clone(), symbol, label.span));
        }
        self.check_event(statement);
        let mut node = self.bare(statement)?;
        while let Some((name, symbol, span)) = labels.pop() {
            self.check_label(&name, symbol, span);
            node = Node::Labelled(name, symbol, span, Box::new(node));
        }
        Some(node)
    }

    fn label_symbol(&mut self, label: &Ident) -> Option<usize> {
        if let Some(first) = self.find(&label.name).map(|var| var.span) {
            self.report(
                Diagnostic::error(
                    format!("`{}` is a variable, not a label", label.name),
                    label.span,
                    "used as a label",
                )
                .with_label(first, "declared here"),
            );
            return None;
        }
        if self.mtype_value(&label.name).is_some() || self.struct_names.contains_key(&label.name) {
            self.error(
                label.span,
                format!("`{}` cannot be a label", label.name),
                "the name of an mtype value or a type",
            );
            return None;
        }
        Some(self.body.as_mut()?.symbols.label(&label.name, label.span))
    }

    /// Two labels of one name in one block, of one call of an inline.
    fn check_label(&mut self, name: &Arc<str>, symbol: usize, span: Span) {
        let first = self.flow.mark_of(symbol, self.flow.call).map(|mark| mark.span);
        if let Some(first) = first {
            self.report(
                Diagnostic::error(format!("the label `{name}` is set twice"), span, "again here")
                    .with_label(first, "first here"),
            );
        }
    }

    fn bare(&mut self, statement: &Statement) -> Option<Node> {
        let span = statement.span;
        let plain = |kind: Kind| Some(Node::Plain(kind, span));
        match &statement.kind {
            StatementKind::Assign(place, value) => plain(self.assign(place, value, span)?),
            StatementKind::Increment(place) => plain(self.step_by(place, BinaryOp::Add, span)?),
            StatementKind::Decrement(place) => plain(self.step_by(place, BinaryOp::Subtract, span)?),
            StatementKind::Expr(value) => plain(self.condition(value)),
            StatementKind::Else => plain(Kind::Else),
            StatementKind::Goto(label) => {
                let symbol = self.label_symbol(label)?;
                plain(Kind::Goto(Jump::Label(symbol, self.flow.call)))
            }
            StatementKind::Break => {
                let Some(&exit) = self.flow.loops.last() else {
                    self.error(span, "`break` outside of a loop", "there is no `do` or `for` around it");
                    return None;
                };
                plain(Kind::Goto(Jump::Break(exit)))
            }
            StatementKind::Assert(value) => {
                let lowered = self.expr(value);
                self.in_dstep(value);
                plain(work(Action::Assert(lowered), TransitionType::Other, short::statement(statement)))
            }
            StatementKind::Printf(format, arguments) => {
                arguments.iter().for_each(|argument| self.in_dstep(argument));
                let pieces = self.format(format, arguments, span);
                let values = arguments.iter().map(|value| self.expr(value)).collect();
                plain(work(Action::Printf(pieces, values), TransitionType::Other, short::statement(statement)))
            }
            StatementKind::Printm(value) => {
                let lowered = self.expr(value);
                plain(work(Action::Printm(lowered), TransitionType::Other, short::statement(statement)))
            }
            StatementKind::Send { channel, sorted, arguments } => {
                let action = self.send(channel, *sorted, arguments, span)?;
                plain(work(action, TransitionType::Send, short::statement(statement)))
            }
            StatementKind::Receive { channel, random, copy, arguments } => {
                self.no_claim_io(span);
                let (id, known) = self.channel(channel, true)?;
                let pattern = self.pattern(arguments, known.as_ref(), channel, span);
                let action = Action::Receive { channel: id, random: *random, copy: *copy, arguments: pattern };
                plain(work(action, TransitionType::Receive, short::statement(statement)))
            }
            StatementKind::If(options) => {
                let options = self.options(options);
                self.prune(&options);
                Some(Node::Choice { options, exit: None, span })
            }
            StatementKind::Do(options) => {
                let exit = self.enter_loop();
                let options = self.options(options);
                self.flow.loops.pop();
                self.prune(&options);
                Some(Node::Choice { options, exit: Some(exit), span })
            }
            StatementKind::ForRange { variable, from, to, body } => self.for_range(variable, from, to, body, span),
            StatementKind::ForIn { variable, collection, body } => self.for_in(variable, collection, body, span),
            StatementKind::Select { variable, from, to } => self.select(variable, from, to, span),
            StatementKind::Atomic(body) => {
                let seq = self.block(body, Place::Atomic)?;
                self.flow.make_atomic(seq, 0);
                plain(Kind::Atomic(seq))
            }
            StatementKind::DStep(body) => self.d_step(body, span),
            StatementKind::Block(body, inline) => {
                let around = self.flow.call;
                if inline.is_some() {
                    self.flow.calls.push(around);
                    self.flow.call = self.flow.calls.len() - 1;
                }
                let seq = self.block(body, Place::Block);
                self.flow.call = around;
                plain(Kind::Block(seq?))
            }
            StatementKind::Unless(main, escape) => self.unless(main, escape, span),
        }
    }

    pub(super) fn enter_loop(&mut self) -> usize {
        self.flow.exits.push(None);
        let exit = self.flow.exits.len() - 1;
        self.flow.loops.push(exit);
        exit
    }

    fn prune(&mut self, options: &[Seq]) {
        if self.body.as_ref().is_some_and(|body| body.kind != ProctypeKind::Never) {
            options.iter().for_each(|&option| self.flow.prune(option));
        }
    }

    fn d_step(&mut self, body: &Sequence, span: Span) -> Option<Node> {
        let start = self.flow.elements.len();
        let outer = self.flow.dstep.replace(start);
        let seq = self.block(body, Place::DStep);
        self.flow.dstep = outer;
        let seq = seq?;
        self.flow.make_atomic(seq, DSTEP);
        Some(Node::Plain(Kind::DStep(seq), span))
    }

    fn unless(&mut self, main: &Statement, escape: &Statement, span: Span) -> Option<Node> {
        let mut main = self.statement(main)?;
        let escape_span = escape.span;
        // A `break` in the escape leaves the loop around; but behind a labelled loop SPIN still takes it for that one.
        let labelled = labelled_loop(&main);
        self.flow.loops.extend(labelled);
        let escape = self.statement(escape);
        if labelled.is_some() {
            self.flow.loops.pop();
        }
        let escape = escape?;
        let escape = match escape {
            Node::Plain(Kind::Block(seq), _) => seq,
            other => {
                self.flow.open_sequence();
                self.flow.add(other);
                self.close_sequence(Place::Escape, escape_span)?
            }
        };
        if let Node::Plain(Kind::Block(seq), _) = main {
            return Some(Node::Unless(seq, escape, span));
        }
        // `L: { … } unless …`: the label is lifted over the whole.
        if let Node::Labelled(name, symbol, at, inner) = main {
            if let Node::Plain(Kind::Block(seq) | Kind::Atomic(seq) | Kind::DStep(seq), _) = *inner {
                let wrap = match *inner {
                    Node::Plain(Kind::Atomic(_), _) => Kind::Atomic,
                    Node::Plain(Kind::DStep(_), _) => Kind::DStep,
                    _ => Kind::Block,
                };
                self.flow.open_sequence();
                self.flow.add(Node::Unless(seq, escape, span));
                let whole = self.close_sequence(Place::Made, span)?;
                return Some(Node::Labelled(name, symbol, at, Box::new(Node::Plain(wrap(whole), span))));
            }
            main = Node::Labelled(name, symbol, at, inner);
        }
        let main_span = main.span();
        self.flow.open_sequence();
        self.flow.add(main);
        let main = self.close_sequence(Place::Main, main_span)?;
        Some(Node::Unless(main, escape, span))
    }

    /// An assignment.
    pub(super) fn assign(&mut self, place: &VarRef, value: &Expr, span: Span) -> Option<Kind> {
        let shown = format!("{} = {}", text::var(place), text::expr(value));
        if let [only] = place.segments.as_slice()
            && &*only.name.name == "_priority"
        {
            let pid = model::Expr { kind: ExprKind::Pid, span: place.span };
            let value = self.expr(value);
            let set = ExprKind::SetPriority(Box::new(pid), Box::new(value));
            return Some(work(Action::Guard(model::Expr { kind: set, span }), TransitionType::Assign, shown));
        }
        if let [only] = place.segments.as_slice()
            && &*only.name.name == "_"
        {
            // The value is thrown away, but a `run` in it is still done.
            let one = model::Expr { kind: ExprKind::Constant(1), span };
            let either = ExprKind::Binary(BinaryOp::Or, Box::new(self.expr(value)), Box::new(one));
            return Some(work(Action::Guard(model::Expr { kind: either, span }), TransitionType::Assign, shown));
        }
        let target = self.target(place);
        if let Some((target, var)) = &target {
            if target.ty == ScalarType::Chan
                && matches!(value.kind, tree::ExprKind::Number(_))
                && place.segments.len() == 1
            {
                self.report(
                    Diagnostic::error(
                        format!("a number is assigned to the channel `{}`", var.name),
                        value.span,
                        "not a channel",
                    )
                    .with_label(var.span, "declared here"),
                );
            }
            if place.segments.len() == 1 {
                let (var, ty) = (var.clone(), target.ty);
                self.check_assigned(&var, ty, value);
            }
        }
        let value_span = find_run(value);
        let lowered = self.expr(value);
        if let Some(run) = value_span
            && self.flow.dstep.is_some()
        {
            self.run_in_dstep(run);
        }
        if self.body.as_ref().is_some_and(|body| body.kind == ProctypeKind::Never) {
            self.warn(Code::ClaimAssigns, span, "a never claim that assigns", "a claim should only look");
        }
        Some(work(Action::Assign(target?.0, lowered), TransitionType::Assign, shown))
    }

    fn step_by(&mut self, place: &VarRef, op: BinaryOp, span: Span) -> Option<Kind> {
        let one = tree_expr(tree::ExprKind::Number(1), span);
        let old = tree_expr(tree::ExprKind::Variable(place.clone()), place.span);
        let value = tree_expr(tree::ExprKind::Binary(op, Box::new(old), Box::new(one)), span);
        if let [only] = place.segments.as_slice()
            && let Some(var) = self.find(&only.name.name)
            && var.kind == Type::Scalar(ScalarType::Chan)
        {
            let declared = var.span;
            self.report(
                Diagnostic::error("arithmetic on a channel", span, "a channel is no number")
                    .with_label(declared, "declared here"),
            );
            return None;
        }
        self.assign(place, &value, span)
    }

    /// An expression as a statement.
    pub(super) fn condition(&mut self, value: &Expr) -> Kind {
        self.check_condition(value);
        self.in_dstep(value);
        let lowered = self.expr(value);
        if matches!(value.kind, tree::ExprKind::Number(1)) {
            return skip();
        }
        work(Action::Guard(lowered), TransitionType::Other, format!("({})", text::expr(value)))
    }

    /// What SPIN does not take inside a `d_step`.
    fn in_dstep(&mut self, value: &Expr) {
        if self.flow.dstep.is_none() {
            return;
        }
        if let Some(span) = find_run(value) {
            self.run_in_dstep(span);
        }
        // the location of another process is refused wherever it stands: see the lowering of expressions
        if let Some(span) = find_remote_variable(value) {
            self.error(span, "a remote reference inside of a d_step", "SPIN refuses this");
        }
    }

    fn run_in_dstep(&mut self, span: Span) {
        self.report(
            Diagnostic::error("`run` inside of a d_step", span, "cannot be undone as part of one step")
                .with_help("use `atomic` in place of `d_step`"),
        );
    }

    fn send(&mut self, channel: &VarRef, sorted: bool, arguments: &[Expr], span: Span) -> Option<Action> {
        self.no_claim_io(span);
        arguments.iter().for_each(|argument| self.no_run(argument, "a message"));
        let (id, known) = self.channel(channel, true)?;
        let tracing =
            self.body.as_ref().is_some_and(|body| matches!(body.kind, ProctypeKind::Trace | ProctypeKind::Notrace));
        let values = if tracing { self.trace_arguments(arguments) } else { self.arguments(arguments) };
        self.check_fields(values.len(), false, known.as_ref(), channel, span);
        Some(Action::Send { channel: id, sorted, arguments: values })
    }

    fn no_claim_io(&mut self, span: Span) {
        if self.body.as_ref().is_some_and(|body| body.kind == ProctypeKind::Never) {
            self.error(span, "a never claim cannot send or receive", "a claim only looks at the state");
        }
    }

    /// A trace holds sends and receives only.
    fn check_event(&mut self, statement: &Statement) {
        let Some(body) = &self.body else { return };
        if !matches!(body.kind, ProctypeKind::Trace | ProctypeKind::Notrace) {
            return;
        }
        let fine = match &statement.kind {
            StatementKind::Send { sorted, .. } => !sorted,
            StatementKind::Receive { random, copy, .. } => !random && !copy,
            StatementKind::If(_) | StatementKind::Do(_) | StatementKind::Break | StatementKind::Goto(_) => true,
            // A label in front of a closing brace.
            StatementKind::Expr(Expr { kind: tree::ExprKind::Number(1), .. }) => !statement.labels.is_empty(),
            _ => false,
        };
        if !fine {
            self.report(
                Diagnostic::error("not an event", statement.span, "a trace consists of plain sends and receives")
                    .with_note("if, do, goto, break and labels may join them"),
            );
        }
    }
}

fn touches_channel(action: &Action) -> bool {
    fn in_expr(expr: &model::Expr) -> bool {
        match &expr.kind {
            ExprKind::Channel(test, _) => !matches!(test, ChannelTest::Len),
            ExprKind::Unary(_, inner) => in_expr(inner),
            ExprKind::Binary(_, left, right) => in_expr(left) || in_expr(right),
            _ => false,
        }
    }
    match action {
        Action::Send { .. } | Action::Receive { .. } => true,
        Action::Guard(value) => in_expr(value),
        _ => false,
    }
}

/// The loop behind one or more labels.
fn labelled_loop(node: &Node) -> Option<usize> {
    match node {
        Node::Labelled(_, _, _, inner) => match **inner {
            Node::Choice { exit, .. } => exit,
            _ => labelled_loop(inner),
        },
        _ => None,
    }
}

/// A statement's element.
pub(super) fn work(action: Action, kind: TransitionType, text: String) -> Kind {
    Kind::Work(Box::new(Work { action, kind, text: text.into() }))
}

/// A tree node made here.
pub(super) fn tree_expr(kind: tree::ExprKind, span: Span) -> Expr {
    Expr { kind, span, depth: 0 }
}

fn find_remote_variable(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        tree::ExprKind::RemoteVariable { .. } => Some(expr.span),
        tree::ExprKind::Unary(_, inner) => find_remote_variable(inner),
        tree::ExprKind::Binary(_, left, right) => find_remote_variable(left).or_else(|| find_remote_variable(right)),
        tree::ExprKind::Conditional(condition, yes, no) => {
            find_remote_variable(condition).or_else(|| find_remote_variable(yes)).or_else(|| find_remote_variable(no))
        }
        _ => None,
    }
}
