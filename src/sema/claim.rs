//! Claims and traces: never claims, `ltl` properties, event automata.

use super::Analyser;
use crate::model::{self, Action, Claim, ExprKind, Initial, Trace};
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::{self, Expr, Formula, FormulaKind, Ltl, Temporal};
use std::sync::Arc;

/// An `ltl` property that waits for its automaton.
pub(super) struct Pending {
    #[allow(dead_code)]
    pub name: Arc<str>,
}

impl Analyser<'_> {
    /// Reads an `ltl` block: its atoms are checked here, where it stands.
    pub(super) fn ltl(&mut self, ltl: &Ltl) {
        let name: Arc<str> = match &ltl.name {
            Some(name) => name.name.clone(),
            None => format!("ltl_{}", self.claims.len()).into(),
        };
        self.check_atoms(&ltl.formula);
        self.claims.push(Pending { name });
    }

    fn check_atoms(&mut self, formula: &Formula) {
        match &formula.kind {
            FormulaKind::Atom(atom) => {
                self.no_run(atom, "a formula");
                self.expr(atom);
            }
            FormulaKind::Not(inner) | FormulaKind::Unary(_, inner) => self.check_atoms(inner),
            FormulaKind::Binary(_, left, right) => {
                self.check_atoms(left);
                self.check_atoms(right);
            }
        }
    }

    /// Turns the formulas into automata. The translation is `ltl`'s.
    pub(super) fn translate_formulas(&mut self) {}

    pub(super) fn claim_of(&mut self, body: model::Proctype) -> Claim {
        Claim { name: body.name.clone(), formula: None, uses_next: false, body }
    }

    /// The sends and receives a trace is about.
    pub(super) fn trace_of(&mut self, body: model::Proctype) -> Trace {
        let (mut sends, mut receives) = (Vec::new(), Vec::new());
        for transition in &body.automaton.transitions {
            let (list, channel) = match &transition.action {
                Action::Send { channel, .. } => (&mut sends, channel),
                Action::Receive { channel, .. } => (&mut receives, channel),
                _ => continue,
            };
            match self.static_channel(channel) {
                Some(id) => {
                    if !list.contains(&id) {
                        list.push(id);
                    }
                }
                None => self.diagnostics.push(Diagnostic::error(
                    "a trace needs global channels",
                    transition.span,
                    "not a channel that exists from the start",
                )),
            }
        }
        sends.sort_unstable();
        receives.sort_unstable();
        Trace { body, sends, receives }
    }

    /// The id a global channel variable gets at the start.
    fn static_channel(&self, channel: &model::Expr) -> Option<u32> {
        let ExprKind::Load(wanted) = &channel.kind else { return None };
        let mut order: Vec<(u8, usize)> =
            self.global_initials.iter().enumerate().map(|(at, initial)| (initial.class, at)).collect();
        order.sort();
        let mut id = 0;
        for (_, at) in order {
            for initial in &self.global_initials[at].initial {
                let Initial::Channel(place, _) = initial else { continue };
                id += 1;
                if place.region == wanted.region && place.offset == wanted.offset && wanted.indices.is_empty() {
                    return Some(id);
                }
            }
        }
        None
    }

    /// The message of a send in a trace: constants are compared, everything else is of no interest and becomes
    /// something that is not a constant.
    pub(super) fn trace_arguments(&mut self, arguments: &[Expr]) -> Vec<model::Expr> {
        let anything = |span| model::Expr { kind: ExprKind::Pid, span };
        arguments
            .iter()
            .map(|argument| match &argument.kind {
                tree::ExprKind::Variable(var) if var.segments.first().is_some_and(|first| &*first.name.name == "_") => {
                    anything(argument.span)
                }
                _ => {
                    let value = self.expr(argument);
                    if matches!(value.kind, ExprKind::Constant(_)) { value } else { anything(argument.span) }
                }
            })
            .collect()
    }
}

/// Whether a formula speaks of the next step.
#[allow(dead_code)]
pub(super) fn uses_next(formula: &Formula) -> bool {
    match &formula.kind {
        FormulaKind::Atom(_) => false,
        FormulaKind::Not(inner) => uses_next(inner),
        FormulaKind::Unary(operator, inner) => *operator == Temporal::Next || uses_next(inner),
        FormulaKind::Binary(_, left, right) => uses_next(left) || uses_next(right),
    }
}
