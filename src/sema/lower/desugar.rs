//! `for` and `select`, in the form SPIN gives them.
//!
//! `for (v : a .. b) { S }` is `v = a; do :: v <= b -> S; v = v+1 :: else -> break od`. The first assignment stands
//! in the sequence around, so a label in front of the `for` marks the loop behind it, as in SPIN. A `for` over a
//! channel turns the channel around once, with a counter that blocks of the same body level share.

use super::super::layout::{Kind as Type, Var};
use super::super::{Analyser, text};
use super::statement::{tree_expr, work};
use super::{Jump, Kind, Node, Seq};
use crate::model::{Action, Region, Scalar, ScalarType, TransitionType};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::*;
use std::sync::Arc;

use super::build::Place;

/// A `select` over constants has an option for the first value and at most this many more; a wider one is a loop.
const MOST_BEYOND_FIRST: i32 = 32;

impl Analyser<'_> {
    pub(super) fn for_range(
        &mut self,
        variable: &VarRef,
        from: &Expr,
        to: &Expr,
        body: &Sequence,
        span: Span,
    ) -> Option<Node> {
        self.check_counter(variable)?;
        self.check_range(variable, from, to);
        let exit = self.enter_loop();
        let start = self.assign(variable, from, span);
        self.add_some(start, span);
        let guard = compare(BinaryOp::LessEqual, variable, to);
        self.open_body(&guard, span);
        self.for_body(variable, body, exit, span)
    }

    pub(super) fn for_in(
        &mut self,
        variable: &VarRef,
        collection: &VarRef,
        body: &Sequence,
        span: Span,
    ) -> Option<Node> {
        if self.is_structure(variable) {
            return self.for_channel(variable, collection, body, span);
        }
        self.check_counter(variable)?;
        let name = match collection.segments.as_slice() {
            [only] if only.index.is_none() => only.name.clone(),
            _ => {
                self.error(collection.span, "`for` runs over a whole array or channel", "not a plain name");
                return None;
            }
        };
        let Some(found) = self.find(&name.name).cloned() else {
            self.resolve(collection);
            return None;
        };
        let Some(length) = found.length else {
            let mut diagnostic = Diagnostic::error(
                format!("`{}` is not an array", name.name),
                collection.span,
                "`for` needs an array here",
            )
            .with_label(found.span, "declared here");
            if found.kind == Type::Scalar(ScalarType::Chan) {
                diagnostic = diagnostic
                    .with_note("a `for` over a channel takes a variable of the channel's typedef, not a number");
            }
            self.report(diagnostic);
            return None;
        };
        let from = tree_expr(ExprKind::Number(0), span);
        let to = tree_expr(ExprKind::Number(length as i32 - 1), span);
        let exit = self.enter_loop();
        let start = self.assign(variable, &from, span);
        self.add_some(start, span);
        let guard = compare(BinaryOp::LessEqual, variable, &to);
        self.open_body(&guard, span);
        self.for_body(variable, body, exit, span)
    }

    fn for_channel(&mut self, variable: &VarRef, channel: &VarRef, body: &Sequence, span: Span) -> Option<Node> {
        let (_, known) = self.channel(channel, true)?;
        let messages = known.as_ref().and_then(|var| var.messages.clone());
        let wanted = variable.segments.first().and_then(|first| self.find(&first.name.name)).map(|var| var.kind);
        let fits = messages.as_ref().is_some_and(|messages| {
            messages.capacity > 0 && messages.only_struct.is_some_and(|number| wanted == Some(Type::Struct(number)))
        });
        if !fits || variable.segments.len() != 1 || channel.segments.len() != 1 {
            let mut diagnostic = Diagnostic::error(
                format!("`for` cannot take `{}` out of `{}`", text::var(variable), text::var(channel)),
                channel.span,
                "needs a buffered channel with one field of that type",
            );
            if let Some(known) = known {
                diagnostic = diagnostic.with_label(known.span, "declared here");
            }
            self.report(diagnostic);
            return None;
        }
        let counter = self.counter(messages.map_or(0, |messages| messages.capacity), span);
        let exit = self.enter_loop();
        let zero = tree_expr(ExprKind::Number(0), span);
        let start = self.assign(&counter, &zero, span);
        self.add_some(start, span);
        let length = tree_expr(ExprKind::Channel(ChannelTest::Len, channel.clone()), span);
        let guard = compare(BinaryOp::Less, &counter, &length);
        self.open_body(&guard, span);
        let arguments = vec![ReceiveArgument::Variable(variable.clone())];
        let (id, known) = self.channel(channel, true)?;
        let pattern = self.pattern(&arguments, known.as_ref(), channel, span);
        let shown = text::receive(channel, &arguments);
        let action = Action::Receive { channel: id.clone(), random: false, copy: false, arguments: pattern };
        self.add_some(Some(work(action, TransitionType::Receive, shown)), span);
        let whole = [tree_expr(ExprKind::Variable(variable.clone()), span)];
        let values = self.arguments(&whole);
        let shown = text::send(channel, variable);
        let action = Action::Send { channel: id, sorted: false, arguments: values };
        self.add_some(Some(work(action, TransitionType::Send, shown)), span);
        self.for_body(&counter, body, exit, span)
    }

    /// The counter of loops over channels in this block.
    fn counter(&mut self, capacity: u32, span: Span) -> VarRef {
        let scope = self.body.as_ref().map_or(0, |body| body.symbols.current);
        let name: Arc<str> = format!("_for_{scope}").into();
        if self.find(&name).is_none() {
            let ty = if capacity > 255 { ScalarType::Short } else { ScalarType::Byte };
            let mut var = Var {
                name: name.clone(),
                span,
                kind: Type::Scalar(ty),
                length: None,
                region: Region::Local,
                offset: 0,
                scalar: Scalar::U8,
                stride: 1,
                leaf: 0,
                messages: None,
                first: None,
            };
            self.place_local(&mut var, false);
            self.declare_local(var);
        }
        VarRef { segments: vec![Segment { name: Ident { name, span }, index: None }], span }
    }

    pub(super) fn select(&mut self, variable: &VarRef, from: &Expr, to: &Expr, span: Span) -> Option<Node> {
        self.check_counter(variable)?;
        let constants = matches!((&from.kind, &to.kind), (ExprKind::Number(0..), ExprKind::Number(0..)));
        // SPIN makes options of constant bounds while it reads the file, and does not do so for the text of an inline,
        // nor for more than 33 values.
        if let (ExprKind::Number(low @ 0..), ExprKind::Number(high @ 0..)) = (&from.kind, &to.kind)
            && self.flow.call == 0
            && high - low <= MOST_BEYOND_FIRST
        {
            return self.select_constant(variable, *low, *high, span);
        }
        self.check_range(variable, from, to);
        let start = self.assign(variable, from, span);
        self.add_some(start, span);
        let exit = self.enter_loop();
        let guard = compare(BinaryOp::Less, variable, to);
        self.open_body(&guard, span);
        let more = self.finish_body(variable, span)?;
        let leave = self.leaving(false, exit, span)?;
        self.flow.loops.pop();
        // The loop for many constants is put together elsewhere in SPIN, the other way round.
        let options = if constants && self.flow.call == 0 { vec![more, leave] } else { vec![leave, more] };
        Some(Node::Choice { options, exit: Some(exit), span })
    }

    fn select_constant(&mut self, variable: &VarRef, low: i32, high: i32, span: Span) -> Option<Node> {
        if low > high {
            self.error(span, format!("the range {low} .. {high} is empty"), "nothing to select from");
            return None;
        }
        let mut options: Vec<Seq> = Vec::new();
        for value in low..=high {
            self.flow.open_sequence();
            let assigned = self.assign(variable, &tree_expr(ExprKind::Number(value), span), span);
            self.add_some(assigned, span);
            options.push(self.close_sequence(Place::Option, span)?);
        }
        Some(Node::Choice { options, exit: None, span })
    }

    fn add_some(&mut self, kind: Option<Kind>, span: Span) {
        if let Some(kind) = kind {
            self.flow.add(Node::Plain(kind, span));
        }
    }

    fn open_body(&mut self, guard: &Expr, span: Span) {
        self.flow.open_sequence();
        let condition = self.condition(guard);
        self.add_some(Some(condition), span);
    }

    fn for_body(&mut self, counter: &VarRef, body: &Sequence, exit: usize, span: Span) -> Option<Node> {
        self.scope(|this| this.steps(body));
        let more = self.finish_body(counter, span)?;
        let leave = self.leaving(true, exit, span)?;
        self.flow.loops.pop();
        Some(Node::Choice { options: vec![leave, more], exit: Some(exit), span })
    }

    fn finish_body(&mut self, counter: &VarRef, span: Span) -> Option<Seq> {
        let one = tree_expr(ExprKind::Number(1), span);
        let old = tree_expr(ExprKind::Variable(counter.clone()), span);
        let next = tree_expr(ExprKind::Binary(BinaryOp::Add, Box::new(old), Box::new(one)), span);
        let assigned = self.assign(counter, &next, span);
        self.add_some(assigned, span);
        self.close_sequence(Place::Made, span)
    }

    fn leaving(&mut self, with_else: bool, exit: usize, span: Span) -> Option<Seq> {
        self.flow.open_sequence();
        if with_else {
            self.flow.add(Node::Plain(Kind::Else, span));
        }
        self.flow.add(Node::Plain(Kind::Goto(Jump::Break(exit)), span));
        self.close_sequence(Place::Made, span)
    }

    fn check_counter(&mut self, variable: &VarRef) -> Option<()> {
        let [only] = variable.segments.as_slice() else {
            self.error(variable.span, "the counter must be a plain variable", "a field of a structure");
            return None;
        };
        let Some(var) = self.find(&only.name.name).cloned() else {
            self.resolve(variable);
            return None;
        };
        let what = match var.kind {
            _ if var.length.is_some() => "an array",
            Type::Struct(_) => "a structure",
            Type::Scalar(ScalarType::Chan) => "a channel",
            Type::Scalar(_) => return Some(()),
        };
        self.report(
            Diagnostic::error(format!("`{}` cannot be a counter", var.name), variable.span, what)
                .with_label(var.span, "declared here"),
        );
        None
    }

    fn check_range(&mut self, variable: &VarRef, from: &Expr, to: &Expr) {
        if let (ExprKind::Number(low), ExprKind::Number(high)) = (&from.kind, &to.kind)
            && low > high
        {
            let message = format!("the first value for `{}` is above the last", text::var(variable));
            self.report(Diagnostic::error(message, from.span.to(to.span), format!("{low} .. {high} is empty")));
        }
    }
}

fn compare(op: BinaryOp, variable: &VarRef, bound: &Expr) -> Expr {
    let left = tree_expr(ExprKind::Variable(variable.clone()), variable.span);
    tree_expr(ExprKind::Binary(op, Box::new(left), Box::new(bound.clone())), variable.span.to(bound.span))
}
