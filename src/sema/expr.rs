//! Expressions: names become places, and SPIN's objections are raised.

use super::layout::Kind;
use super::place::Resolved;
use super::{Analyser, Count, text};
use crate::model::{self, ExprKind as Out, RemotePlace};
use crate::source::Span;
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::{Expr, ExprKind, Ident, ProctypeKind, VarRef};
use std::sync::Arc;

impl Analyser<'_> {
    /// Lowers an expression. Where something is wrong it is reported, and a zero stands in.
    pub(super) fn expr(&mut self, expr: &Expr) -> model::Expr {
        let kind = self.expr_kind(expr).unwrap_or(Out::Constant(0));
        model::Expr { kind, span: expr.span }
    }

    fn boxed(&mut self, expr: &Expr) -> Box<model::Expr> {
        Box::new(self.expr(expr))
    }

    fn expr_kind(&mut self, expr: &Expr) -> Option<Out> {
        Some(match &expr.kind {
            ExprKind::Number(value) => Out::Constant(*value),
            ExprKind::Variable(var) => match self.resolve(var)? {
                Resolved::Scalar(place, _) => Out::Load(place),
                Resolved::Constant(value) => Out::Constant(value),
                Resolved::Special(kind) => {
                    self.check_special(var, &kind);
                    kind
                }
                Resolved::Struct(whole) => {
                    let name = self.structs[whole.number].name.clone();
                    self.report(
                        Diagnostic::error(
                            format!("`{}` is a whole structure", text::var(var)),
                            var.span,
                            format!("of type `{name}`; a number is wanted here"),
                        )
                        .with_help("name one of its fields"),
                    );
                    return None;
                }
                Resolved::Anything => {
                    self.error(var.span, "the value of `_` cannot be read", "`_` only takes values");
                    return None;
                }
            },
            ExprKind::Unary(op, inner) => Out::Unary(*op, self.boxed(inner)),
            ExprKind::Binary(op, left, right) => Out::Binary(*op, self.boxed(left), self.boxed(right)),
            ExprKind::Conditional(condition, yes, no) => {
                Out::Conditional(self.boxed(condition), self.boxed(yes), self.boxed(no))
            }
            ExprKind::Channel(test, var) => {
                let strict = !matches!(test, crate::syntax::tree::ChannelTest::Len);
                let (channel, _) = self.channel(var, strict)?;
                Out::Channel(*test, Box::new(channel))
            }
            ExprKind::Poll { channel, random, arguments } => {
                let (id, known) = self.channel(channel, false)?;
                let pattern = self.pattern(arguments, known.as_ref(), channel, expr.span);
                Out::Poll { channel: Box::new(id), random: *random, arguments: pattern }
            }
            ExprKind::Run { proctype, arguments, priority } => {
                return self.run(proctype, arguments, priority.as_deref(), expr.span);
            }
            ExprKind::Timeout => Out::Timeout,
            ExprKind::NonProgress => {
                if self.body.as_ref().is_some_and(|body| body.kind != ProctypeKind::Never) {
                    self.error(expr.span, "`np_` outside of a never claim", "SPIN allows it only in claims");
                }
                Out::NonProgress
            }
            ExprKind::Enabled(pid) => {
                self.claims_only(expr.span, "enabled");
                self.enabled.get_or_insert(expr.span);
                Out::Enabled(self.boxed(pid))
            }
            ExprKind::PcValue(pid) => {
                self.claims_only(expr.span, "pc_value");
                Out::PcValue(self.boxed(pid))
            }
            ExprKind::GetPriority(pid) => Out::GetPriority(self.boxed(pid)),
            ExprKind::SetPriority(pid, value) => Out::SetPriority(self.boxed(pid), self.boxed(value)),
            ExprKind::RemoteLabel { proctype, pid, label } => {
                if self.flow.dstep.is_some() {
                    self.error(expr.span, "a remote reference inside of a d_step", "SPIN refuses this");
                }
                let number = self.known_proctype(proctype)?;
                let pid = pid.as_deref().map(|pid| self.boxed(pid));
                let location = self.remote_label(proctype, label)?;
                Out::RemoteLabel { proctype: number, pid, location }
            }
            ExprKind::RemoteVariable { proctype, pid, variable } => {
                let number = self.known_proctype(proctype)?;
                let pid = pid.as_deref().map(|pid| self.boxed(pid));
                let place = self.remote_variable(proctype, variable)?;
                Out::RemoteVariable(RemotePlace { proctype: number, pid, place: Box::new(place) })
            }
        })
    }

    fn claims_only(&mut self, span: Span, word: &str) {
        if self.body.as_ref().is_some_and(|body| body.kind != ProctypeKind::Never) {
            self.warn(Code::OnlyInClaims, span, format!("`{word}` outside of a never claim"), "meant for claims");
        }
    }

    fn check_special(&mut self, var: &VarRef, kind: &Out) {
        if matches!(kind, Out::Pid | Out::GetPriority(_)) && self.body.is_none() {
            self.warn(
                Code::OnlyInProcesses,
                var.span,
                format!("`{}` outside of a process", text::var(var)),
                "no process runs here",
            );
        }
    }

    /// The number of a proctype whose declaration has been reached: SPIN knows no other in a remote reference.
    fn known_proctype(&mut self, name: &Ident) -> Option<u32> {
        match self.signatures.get(&name.name) {
            Some(signature) if signature.parameters.is_some() => {
                if signature.number.is_none() {
                    self.error(name.span, format!("`{}` is not a process", name.name), "claims have no instances");
                }
                self.signatures.get(&name.name)?.number
            }
            Some(signature) => {
                let span = signature.span;
                self.report(
                    Diagnostic::error(
                        format!("the proctype `{}` is used before its declaration", name.name),
                        name.span,
                        "a remote reference must stand behind it",
                    )
                    .with_label(span, "declared here"),
                );
                None
            }
            None => {
                self.unknown_proctype(name);
                None
            }
        }
    }

    fn unknown_proctype(&mut self, name: &Ident) {
        let names: Vec<Arc<str>> = self.signatures.keys().cloned().collect();
        self.unknown("proctype", name, &names);
        if let Some(last) = self.diagnostics.last_mut() {
            last.primary.message = "there is no such proctype".into();
        }
    }

    /// A variable of another process: a scalar or an array, not a structure.
    fn remote_variable(&mut self, proctype: &Ident, var: &VarRef) -> Option<model::Place> {
        // The index is evaluated here, the name belongs there.
        let segment = var.segments.first()?;
        if var.segments.len() > 1 {
            self.error(var.span, "a remote reference cannot name a field of a structure", "only variables and arrays");
            return None;
        }
        let own = self.body.as_ref().filter(|body| body.name == proctype.name);
        let body = own.or_else(|| self.bodies.iter().find(|body| body.name == proctype.name))?;
        let Some(found) = body.symbols.any_variable(&segment.name.name).cloned() else {
            let names: Vec<Arc<str>> = body.symbols.names().collect();
            self.no_part(&proctype.name, "variable", &segment.name, &names);
            return None;
        };
        if matches!(found.kind, Kind::Struct(_)) {
            self.error(var.span, "a remote reference cannot name a structure", "only numbers and arrays of them");
            return None;
        }
        match self.walk(found, segment, &[], var)? {
            Resolved::Scalar(place, _) => Some(place),
            _ => None,
        }
    }

    /// The arguments of a message or a `run`; structures are taken apart.
    pub(super) fn arguments(&mut self, arguments: &[Expr]) -> Vec<model::Expr> {
        let mut flat = Vec::new();
        for argument in arguments {
            if let ExprKind::Variable(var) = &argument.kind
                && self.is_structure(var)
            {
                if let Some(Resolved::Struct(whole)) = self.resolve(var) {
                    if let Some(field) = self.array_of_structs(whole.number) {
                        self.report(
                            Diagnostic::error("an array of structures cannot be passed", var.span, "has such a field")
                                .with_label(field, "this one"),
                        );
                    }
                    let parts = self.parts(&whole);
                    flat.extend(parts.into_iter().map(|place| model::Expr { kind: Out::Load(place), span: var.span }));
                }
            } else {
                let value = self.expr(argument);
                flat.push(value);
            }
        }
        flat
    }

    /// Whether a reference names a whole structure.
    pub(super) fn is_structure(&self, var: &VarRef) -> bool {
        let Some((first, rest)) = var.segments.split_first() else { return false };
        let Some(mut kind) = self.find(&first.name.name).map(|var| var.kind) else { return false };
        for segment in rest {
            let Kind::Struct(number) = kind else { return false };
            let fields = &self.structs[number].fields;
            let Some(field) = fields.iter().find(|field| field.name == segment.name.name) else { return false };
            kind = field.kind;
        }
        matches!(kind, Kind::Struct(_))
    }

    fn run(&mut self, name: &Ident, arguments: &[Expr], priority: Option<&Expr>, span: Span) -> Option<Out> {
        if self.body.is_none() {
            self.error(span, "`run` outside of a process", "only a process can start another");
            return None;
        }
        for argument in arguments {
            self.no_run(argument, "an argument of `run`");
        }
        let flat = self.arguments(arguments);
        let Some(signature) = self.signatures.get(&name.name) else {
            self.unknown_proctype(name);
            return None;
        };
        let Some(number) = signature.number else {
            self.error(name.span, format!("`{}` cannot be run", name.name), "not a proctype");
            return None;
        };
        let (name, given) = (name.name.clone(), flat.len());
        self.runs.push(Count { name, given, span, receive: false, tagged: false, channel: None });
        let priority = match priority {
            None => None,
            Some(value) => match self.need_constant(value, "a priority")? {
                // SPIN takes 0 for "not given".
                0 => None,
                1..=255 => Some(self.boxed(value)),
                number => {
                    self.error(value.span, format!("the priority {number} is not possible"), "1 to 255");
                    None
                }
            },
        };
        Some(Out::Run { proctype: number, arguments: flat, priority })
    }

    /// Reports a `run` where there must be none.
    pub(super) fn no_run(&mut self, expr: &Expr, place: &str) {
        if let Some(span) = find_run(expr) {
            self.error(span, format!("`run` cannot be used in {place}"), "starts a process");
        }
    }

    /// A condition as a statement: SPIN takes `run` only alone there.
    pub(super) fn check_condition(&mut self, expr: &Expr) {
        if matches!(expr.kind, ExprKind::Run { .. }) {
            return;
        }
        if let Some(span) = find_run(expr) {
            self.report(
                Diagnostic::error("`run` inside of a larger condition", span, "must stand alone")
                    .with_help("write `run` as a statement of its own, or assign its value to a variable"),
            );
        }
    }
}

/// The first `run` inside an expression.
pub(super) fn find_run(expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Run { .. } => Some(expr.span),
        ExprKind::Unary(_, inner)
        | ExprKind::Enabled(inner)
        | ExprKind::PcValue(inner)
        | ExprKind::GetPriority(inner) => find_run(inner),
        ExprKind::Binary(_, left, right) | ExprKind::SetPriority(left, right) => {
            find_run(left).or_else(|| find_run(right))
        }
        ExprKind::Conditional(condition, yes, no) => {
            find_run(condition).or_else(|| find_run(yes)).or_else(|| find_run(no))
        }
        _ => None,
    }
}
