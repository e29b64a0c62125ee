//! Claims and traces: never claims, `ltl` properties, event automata.

use super::{Analyser, failed, text};
use crate::ltl;
use crate::model::{
    self, Action, After, Automaton, Claim, ExprKind, Initial, Location, ProctypeKind, Trace, Transition, TransitionType,
};
use crate::source::Span;
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::{self, Expr, Formula, FormulaKind, FormulaOp, Ltl, Temporal};
use std::sync::Arc;

/// An `ltl` property that waits for its automaton: the formula with its atoms numbered, and the atoms.
pub(super) struct Pending {
    name: Arc<str>,
    formula: ltl::Formula,
    atoms: Vec<(String, model::Expr)>,
    text: String,
    span: Span,
}

/// A never claim as it was written.
pub(super) fn of_body(body: model::Proctype) -> Claim {
    Claim { name: body.name.clone(), formula: None, counts_labels: true, uses_next: false, from_outside: false, body }
}

impl Analyser<'_> {
    /// Reads an `ltl` block, when all else has been read. What is wrong in the formula is no error of the model: it is
    /// kept with the name of the property, for whoever wants to check it.
    pub(super) fn ltl(&mut self, ltl: &Ltl) {
        let name: Arc<str> = match &ltl.name {
            Some(name) => name.name.clone(),
            None => {
                self.unnamed_formulas += 1;
                format!("ltl_{}", self.unnamed_formulas - 1).into()
            }
        };
        let span = ltl.name.as_ref().map_or(ltl.span, |name| name.span);
        let never = self.signatures.get(&name).map(|signature| signature.span);
        let good = self.claims.iter().map(|claim| (&claim.name, claim.span));
        let mut known = good.chain(self.broken.iter().map(|formula| (&formula.name, formula.span)));
        if let Some(first) = known.find(|(known, _)| **known == name).map(|(_, span)| span).or(never) {
            self.twice(&tree::Ident { name: name.clone(), span }, first);
        }
        let before = self.diagnostics.len();
        self.diagnostics.extend(ltl.faults.iter().cloned());
        // A name that was reported elsewhere has to be reported here too, else this formula would pass for a good one.
        let elsewhere = std::mem::take(&mut self.undeclared);
        let enabled = self.enabled.take();
        let mut atoms = Vec::new();
        let formula = self.formula(&ltl.formula, &mut atoms, false);
        self.check_enabled();
        (self.undeclared, self.enabled) = (elsewhere, enabled);
        let found = self.diagnostics.split_off(before);
        if failed(&found) {
            self.broken.push(model::BrokenFormula { name, span, diagnostics: found });
            return;
        }
        self.diagnostics.extend(found);
        let text = crate::syntax::print::formula(&ltl.formula);
        self.claims.push(Pending { name, formula, atoms, text, span });
    }

    /// The formula over atoms. A part without temporal operators whose evaluation can fail is one atom, so that
    /// `i < 3 && a[i] == 0` is evaluated from left to right and never asks for `a[5]`. `safe`: that was asked before.
    fn formula(&mut self, formula: &Formula, atoms: &mut Vec<(String, model::Expr)>, safe: bool) -> ltl::Formula {
        use ltl::Formula as F;
        let mut safe = safe;
        if !safe && is_predicate(formula) {
            let before = self.diagnostics.len();
            let value = self.predicate(formula);
            if failed(&self.diagnostics[before..]) {
                return F::False;
            }
            if can_fail(&value) {
                return atom_of(atoms, crate::syntax::print::formula(formula), value);
            }
            // its parts are looked at once more, and warn then
            self.diagnostics.truncate(before);
            safe = true;
        }
        match &formula.kind {
            FormulaKind::Atom(atom) => {
                self.no_run(atom, "a formula");
                self.atom(atom, atoms)
            }
            FormulaKind::Not(inner) => F::Not(Box::new(self.formula(inner, atoms, safe))),
            FormulaKind::Unary(operator, inner) => {
                let inner = Box::new(self.formula(inner, atoms, safe));
                match operator {
                    Temporal::Next => F::Next(inner),
                    Temporal::Always => F::Always(inner),
                    Temporal::Eventually => F::Eventually(inner),
                }
            }
            FormulaKind::Binary(operator, left, right) => {
                let left = Box::new(self.formula(left, atoms, safe));
                let right = Box::new(self.formula(right, atoms, safe));
                match operator {
                    FormulaOp::And => F::And(left, right),
                    FormulaOp::Or => F::Or(left, right),
                    FormulaOp::Implies => F::Implies(left, right),
                    FormulaOp::Equivalent => F::Equiv(left, right),
                    FormulaOp::Until => F::Until(left, right),
                    FormulaOp::WeakUntil => F::WeakUntil(left, right),
                    FormulaOp::Release => F::Release(left, right),
                }
            }
        }
    }

    /// A formula without temporal operators as an expression.
    fn predicate(&mut self, formula: &Formula) -> model::Expr {
        use model::{BinaryOp as B, UnaryOp as U};
        let span = formula.span;
        let binary = |op, a, b| model::Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span };
        let not = |a| model::Expr { kind: ExprKind::Unary(U::Not, Box::new(a)), span };
        match &formula.kind {
            FormulaKind::Atom(atom) => {
                self.no_run(atom, "a formula");
                self.expr(atom)
            }
            FormulaKind::Not(inner) => not(self.predicate(inner)),
            FormulaKind::Unary(_, inner) => self.predicate(inner),
            FormulaKind::Binary(operator, left, right) => {
                let (left, right) = (self.predicate(left), self.predicate(right));
                match operator {
                    FormulaOp::And => binary(B::And, left, right),
                    FormulaOp::Implies => binary(B::Or, not(left), right),
                    // both or neither
                    FormulaOp::Equivalent => binary(B::Equal, not(left), not(right)),
                    // the others are temporal
                    _ => binary(B::Or, left, right),
                }
            }
        }
    }

    /// An expression without temporal operators. Its `!`, `&&` and `||` are part of the formula, so that `p` and `!p`
    /// are known to be opposites.
    fn atom(&mut self, atom: &Expr, atoms: &mut Vec<(String, model::Expr)>) -> ltl::Formula {
        use ltl::Formula as F;
        match &atom.kind {
            tree::ExprKind::Number(0) => F::False,
            tree::ExprKind::Number(_) => F::True,
            tree::ExprKind::Unary(tree::UnaryOp::Not, inner) => F::Not(Box::new(self.atom(inner, atoms))),
            tree::ExprKind::Binary(operator @ (tree::BinaryOp::And | tree::BinaryOp::Or), left, right) => {
                let (left, right) = (Box::new(self.atom(left, atoms)), Box::new(self.atom(right, atoms)));
                if *operator == tree::BinaryOp::And { F::And(left, right) } else { F::Or(left, right) }
            }
            _ => {
                if let tree::ExprKind::Unary(tree::UnaryOp::Complement, _) = &atom.kind {
                    let label = "this holds unless every bit of the number is set";
                    self.report(
                        Diagnostic::warning("`~` turns the bits of a number around", atom.span, label)
                            .with_code(Code::ComplementInFormula)
                            .with_help("for \"not\" write `!`"),
                    );
                }
                let text = text::expr(atom);
                let value = self.expr(atom);
                atom_of(atoms, text, value)
            }
        }
    }

    /// Turns the formulas into claims: the automaton of the negation accepts the runs that violate the property.
    pub(super) fn translate_formulas(&mut self) -> Vec<Claim> {
        let pending = std::mem::take(&mut self.claims);
        let mut claims = Vec::new();
        for property in pending {
            let uses_next = !property.formula.is_stutter_invariant_syntactically();
            match ltl::translate(&property.formula.clone().negated()) {
                Ok(buchi) => {
                    let body = self.claim_body(&property, &buchi);
                    let formula = Some(property.text.into());
                    claims.push(Claim {
                        name: property.name,
                        formula,
                        counts_labels: false,
                        uses_next,
                        from_outside: false,
                        body,
                    });
                }
                Err(error) => {
                    let message = format!("`{}` cannot be checked", property.name);
                    let why = Diagnostic::error(message, property.span, error.to_string())
                        .with_help("split it into smaller properties");
                    self.broken.push(model::BrokenFormula {
                        name: property.name,
                        span: property.span,
                        diagnostics: vec![why],
                    });
                }
            }
        }
        claims
    }

    fn claim_body(&self, property: &Pending, buchi: &ltl::Buchi) -> model::Proctype {
        let mut automaton = Automaton { entry: buchi.initial as u32, ..Automaton::default() };
        for (number, state) in buchi.states.iter().enumerate() {
            let all = buchi.accepts_all(number);
            let label: Arc<str> = match (state.accepting, number == buchi.initial) {
                _ if all => "accept_all".into(),
                (true, true) => "accept_init".into(),
                (true, false) => format!("accept_S{number}").into(),
                (false, true) => "T0_init".into(),
                (false, false) => format!("T0_S{number}").into(),
            };
            automaton.locations.push(Location {
                number: number as u32 + 1,
                first: automaton.transitions.len() as u32,
                count: state.transitions.len() as u32,
                // Whatever follows is a violation: there is no need to look for a cycle.
                end: all,
                accept: state.accepting,
                progress: false,
                labels: vec![label],
                span: property.span,
            });
            for (guard, target) in &state.transitions {
                let (action, text) = guard_action(guard, &property.atoms, property.span);
                automaton.transitions.push(Transition {
                    action,
                    target: *target as u32,
                    atomic: false,
                    escape: 0,
                    kind: TransitionType::Other,
                    text: text.into(),
                    span: property.span,
                    after: After::default(),
                });
            }
        }
        model::Proctype {
            name: property.name.clone(),
            kind: ProctypeKind::Claim,
            deterministic: false,
            parameters: Vec::new(),
            locals: Vec::new(),
            size: self.header(),
            channels: Vec::new(),
            initial: Vec::new(),
            provided: None,
            priority: 1,
            exclusive: Vec::new(),
            automaton,
            span: property.span,
        }
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

/// The guard of a transition of a claim, and its text.
fn guard_action(guard: &ltl::Guard, atoms: &[(String, model::Expr)], span: Span) -> (Action, String) {
    if guard.is_true() {
        return (Action::Skip, "(1)".into());
    }
    let join = |operator, parts: Vec<(model::Expr, String)>| {
        parts.into_iter().reduce(|(left, left_text), (right, right_text)| {
            let kind = ExprKind::Binary(operator, Box::new(left), Box::new(right));
            let word = crate::syntax::short::binary_text(operator);
            (model::Expr { kind, span }, format!("({left_text}{word}{right_text})"))
        })
    };
    let cube = |cube: &ltl::Cube| {
        let literals = atoms.iter().enumerate().filter_map(|(number, (text, atom))| {
            if cube.positive >> number & 1 == 1 {
                Some((atom.clone(), text.clone()))
            } else if cube.negative >> number & 1 == 1 {
                let kind = ExprKind::Unary(model::UnaryOp::Not, Box::new(atom.clone()));
                Some((model::Expr { kind, span }, format!("!({text})")))
            } else {
                None
            }
        });
        join(model::BinaryOp::And, literals.collect())
    };
    let cubes: Vec<(model::Expr, String)> = guard.cubes.iter().filter_map(cube).collect();
    let never = (model::Expr { kind: ExprKind::Constant(0), span }, "0".to_owned());
    let (value, text) = join(model::BinaryOp::Or, cubes).unwrap_or(never);
    (Action::Guard(value), format!("({text})"))
}

/// No temporal operator in it?
fn is_predicate(formula: &Formula) -> bool {
    match &formula.kind {
        FormulaKind::Atom(_) => true,
        FormulaKind::Not(inner) => is_predicate(inner),
        FormulaKind::Unary(..) => false,
        FormulaKind::Binary(operator, left, right) => {
            let plain = matches!(operator, FormulaOp::And | FormulaOp::Or | FormulaOp::Implies | FormulaOp::Equivalent);
            plain && is_predicate(left) && is_predicate(right)
        }
    }
}

/// Can its evaluation be an error that another part of it may guard against? Where a process is can always be asked.
fn can_fail(expr: &model::Expr) -> bool {
    let mut compound = false;
    let mut fails = false;
    model::visit::walk(expr, &mut |e| match &e.kind {
        ExprKind::Binary(model::BinaryOp::And | model::BinaryOp::Or, ..) => compound = true,
        ExprKind::RemoteLabel { .. } | ExprKind::Enabled(_) | ExprKind::PcValue(_) => {}
        ExprKind::Binary(..) | ExprKind::Unary(..) | ExprKind::Conditional(..) => {
            // only their own operation: what is below is visited in its turn
            if let ExprKind::Binary(model::BinaryOp::Divide | model::BinaryOp::Remainder, ..) = &e.kind {
                fails = true;
            }
        }
        _ => fails |= model::visit::can_fault(e),
    });
    compound && fails
}

/// The atom with this text.
fn atom_of(atoms: &mut Vec<(String, model::Expr)>, text: String, value: model::Expr) -> ltl::Formula {
    let known = atoms.iter().position(|(known, _)| *known == text);
    let number = known.unwrap_or_else(|| {
        atoms.push((text, value));
        atoms.len() - 1
    });
    ltl::Formula::Atom(number as u32)
}
