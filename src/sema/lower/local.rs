//! Declarations inside bodies, and the `xr` and `xs` that stand among them.
//!
//! In front of the first statement a declaration is part of the creation of the process. Later, or in an inner block,
//! it is an assignment of its own that is done whenever control passes.

use super::super::declare::Start;
use super::super::layout::{Kind as Type, Var};
use super::super::place::Resolved;
use super::super::{Analyser, text};
use super::Node;
use super::statement::work;
use crate::model::{self, Action, ExprKind, ScalarType, TransitionType};
use crate::source::Span;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::{Declaration, Declarator, Initializer, VarRef, Visibility};

impl Analyser<'_> {
    /// A declaration inside a body: at its start part of the creation of the process, later a step of its own.
    pub(super) fn local(&mut self, declaration: &Declaration) {
        let mut vars = Vec::new();
        self.declaring_now = declaration.variables.iter().map(|declarator| declarator.name.name.clone()).collect();
        for declarator in &declaration.variables {
            if let Some(first) = self.taken(&declarator.name.name) {
                self.twice(&declarator.name, first);
                continue;
            }
            if declaration.visibility == Visibility::Hidden {
                self.error(declarator.span, format!("`{}` cannot be hidden", declarator.name.name), "only globals can");
            }
            let mut var = self.variable(declaration, declarator);
            self.place_local(&mut var, declaration.visibility == Visibility::Show);
            var.messages = self.messages_of(declarator);
            let start = if self.flow.declaring {
                self.start_of(&var, declarator.initializer.as_ref())
            } else {
                self.local_step(declarator, &var)
            };
            if let Some(body) = &mut self.body {
                let base = body.channels.len() as u32;
                body.channels.extend(start.channels);
                body.initial.extend(start.initial.into_iter().map(|initial| match initial {
                    model::Initial::Channel(place, number) => model::Initial::Channel(place, number + base),
                    assign => assign,
                }));
            }
            vars.push(var);
        }
        self.declaring_now.clear();
        for var in vars {
            self.declare_local(var);
        }
    }

    /// The step of a declaration that stands behind a statement or in an inner block.
    fn local_step(&mut self, declarator: &Declarator, var: &Var) -> Start {
        let mut start = Start::default();
        let name = &declarator.name;
        let span = declarator.span;
        let Type::Scalar(ty) = var.kind else {
            // A structure keeps its value; SPIN still makes it a step.
            start = self.start_of(var, None);
            self.flow.add(Node::Plain(work(Action::Skip, TransitionType::Assign, String::new()), span));
            return start;
        };
        let place = model::Place {
            region: var.region,
            offset: var.offset,
            scalar: var.scalar,
            ty,
            indices: Vec::new(),
            variable: var.leaf,
            span: name.span,
        };
        let shown = if var.length.is_some() { format!("{}[0]", name.name) } else { name.name.to_string() };
        let zero = model::Expr { kind: ExprKind::Constant(0), span };
        let (value, value_text) = match &declarator.initializer {
            None => (zero, "0".to_owned()),
            Some(Initializer::Expr(value)) => {
                self.no_run(value, "an initialiser");
                self.check_assigned(var, ty, value);
                (self.expr(value), text::expr(value))
            }
            Some(Initializer::List(values)) => {
                if values.len() > 1 {
                    self.report(
                        Diagnostic::error(
                            "a list of values is possible only at the start of a body",
                            span,
                            "too late here",
                        )
                        .with_help("move the declaration to the start of the proctype, or assign the elements"),
                    );
                }
                start = self.start_of(var, declarator.initializer.as_ref());
                let value = values.first().and_then(|value| self.constant(value)).unwrap_or(0);
                (model::Expr { kind: ExprKind::Constant(value), span }, value.to_string())
            }
            Some(Initializer::Channel { span, .. }) => {
                self.report(
                    Diagnostic::error(
                        format!("the channel `{}` must be declared at the start of the proctype", name.name),
                        *span,
                        "a channel cannot be made later",
                    )
                    .with_help("move the declaration in front of the first statement, outside of any block"),
                );
                return start;
            }
        };
        let shown = format!("{shown} = {value_text}");
        self.flow.add(Node::Plain(work(Action::Assign(place, value), TransitionType::Assign, shown), span));
        start
    }

    pub(super) fn exclusive(&mut self, send: bool, channels: &[VarRef], span: Span) {
        self.exclusive_claim.get_or_insert(span);
        for channel in channels {
            if let Some(segment) = channel.segments.iter().find(|segment| segment.index.is_some()) {
                self.report(
                    Diagnostic::error(
                        "an element of an array cannot be claimed by `xr` or `xs`",
                        channel.span,
                        format!("an element of `{}`", segment.name.name),
                    )
                    .with_help("give the element a name of its own: `chan own = q[1]; xr own`"),
                );
                continue;
            }
            if self.is_structure(channel) {
                let Some(Resolved::Struct(whole)) = self.resolve(channel) else { continue };
                let parts = self.parts(&whole).into_iter().filter(|place| place.ty == ScalarType::Chan);
                let parts: Vec<model::Expr> =
                    parts.map(|place| model::Expr { kind: ExprKind::Load(place), span: channel.span }).collect();
                if let Some(body) = &mut self.body {
                    body.exclusive.extend(parts.into_iter().map(|part| (send, part, span)));
                }
                continue;
            }
            let Some((id, known)) = self.channel(channel, true) else { continue };
            if let Some(known) = known {
                self.check_exclusive(send, &known, channel.span);
            }
            if let Some(body) = &mut self.body {
                body.exclusive.push((send, id, channel.span));
            }
        }
    }

    /// A channel can be claimed by one process type only.
    fn check_exclusive(&mut self, send: bool, channel: &Var, span: Span) {
        let Some(name) = self.body.as_ref().map(|body| body.name.clone()) else { return };
        let first = self
            .exclusive_owners
            .iter()
            .find(|owner| owner.0 == send && owner.1 == channel.span)
            .map(|owner| (owner.2.clone(), owner.3));
        match first {
            None => self.exclusive_owners.push((send, channel.span, name, span)),
            Some((owner, first)) if owner != name => {
                let word = if send { "xs" } else { "xr" };
                self.report(
                    Diagnostic::error(
                        format!("`{}` is claimed with {word} by `{owner}` and by `{name}`", channel.name),
                        span,
                        "again here",
                    )
                    .with_label(first, "first here"),
                );
            }
            Some(_) => {}
        }
    }
}
