//! A model as the reference executor sees it: its names, its bodies, and what it starts with.

use super::control::Body;
use super::names::{Names, Read, unclear};
use crate::syntax::tree::{Expr, ExprKind, Formula, FormulaKind, Item, Proctype, ProctypeKind, Unit};
use std::cell::Cell;
use std::sync::Arc;

/// A model.
#[derive(Clone, Debug)]
pub struct Definition {
    /// Types, globals, mtype values.
    pub names: Names,
    /// All bodies, in the order of the file.
    pub bodies: Vec<Body>,
    /// Bodies of the processes that exist at the start, in order of their pids.
    pub starting: Vec<usize>,
    /// The never claim.
    pub never: Option<usize>,
    /// The trace or notrace.
    pub trace: Option<usize>,
    /// Formulas with their names.
    pub formulas: Vec<(Arc<str>, Formula)>,
    /// Some expression asks for `_last`, which is then part of the state.
    pub asks_last: bool,
    /// The model speaks of priorities.
    pub priorities: bool,
    /// Something was asked for a value that a state leaves open, so that what follows may hang on it. It stays set until somebody
    /// takes it back: no way of asking, be it for an error that is told elsewhere, gets around it.
    pub asked: Cell<bool>,
}

impl Definition {
    /// Reads a tree that the front end has accepted.
    pub fn of(unit: &Unit) -> Read<Definition> {
        let names = Names::of(unit)?;
        let mut uses = Uses::default();
        uses.unit(unit);
        let mut definition = Definition {
            names,
            bodies: Vec::new(),
            starting: Vec::new(),
            never: None,
            trace: None,
            formulas: Vec::new(),
            asks_last: uses.last,
            priorities: uses.priorities,
            asked: Cell::new(false),
        };
        for item in &unit.items {
            match item {
                Item::Proctype(proctype) => definition.proctype(proctype, &uses)?,
                Item::Ltl(ltl) => {
                    let name = ltl.name.as_ref().map(|name| name.name.clone());
                    let number = definition.formulas.len();
                    let name = name.unwrap_or_else(|| format!("ltl_{number}").into());
                    definition.formulas.push((name, ltl.formula.clone()));
                }
                _ => {}
            }
        }
        Ok(definition)
    }

    fn proctype(&mut self, proctype: &Proctype, uses: &Uses) -> Read<()> {
        let watched: Vec<Arc<str>> = uses
            .labels
            .iter()
            .filter(|(body, _)| *body == proctype.name.name)
            .map(|(_, label)| label.clone())
            .collect();
        let number = self.bodies.len();
        self.bodies.push(Body::read(&self.names, proctype, &watched)?);
        let instances = match (&proctype.active, proctype.kind) {
            (_, ProctypeKind::Init) => 1,
            (Some(active), _) => match &active.count {
                None => 1,
                Some(count) => match self.names.constant(count) {
                    Some(count) => count.max(0),
                    None => return unclear("a number of processes that is not a constant"),
                },
            },
            (None, _) => 0,
        };
        self.starting.extend((0..instances).map(|_| number));
        match proctype.kind {
            ProctypeKind::Never => self.never = self.never.or(Some(number)),
            ProctypeKind::Trace | ProctypeKind::Notrace => self.trace = Some(number),
            _ => {}
        }
        Ok(())
    }

    /// A body by the name of its process type.
    pub fn body(&self, name: &str) -> Option<usize> {
        self.bodies.iter().position(|body| &*body.name == name)
    }
}

/// What the expressions of a model ask for.
#[derive(Default)]
struct Uses {
    last: bool,
    priorities: bool,
    /// Process types and labels of remote references.
    labels: Vec<(Arc<str>, Arc<str>)>,
}

impl Uses {
    fn unit(&mut self, unit: &Unit) {
        for item in &unit.items {
            match item {
                Item::Proctype(proctype) => {
                    self.priorities |= proctype.priority.is_some();
                    proctype.provided.iter().for_each(|clause| self.expr(clause));
                    super::visit::sequence(&proctype.body, &mut |expr| self.expr(expr));
                }
                Item::Ltl(ltl) => self.formula(&ltl.formula),
                _ => {}
            }
        }
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

    fn expr(&mut self, expr: &Expr) {
        super::visit::expr(expr, &mut |part| match &part.kind {
            ExprKind::Variable(var) => {
                let name = var.segments.first().map(|first| &*first.name.name);
                self.last |= name == Some("_last");
                self.priorities |= name == Some("_priority");
            }
            ExprKind::RemoteLabel { proctype, label, .. } => {
                self.labels.push((proctype.name.clone(), label.name.clone()));
            }
            ExprKind::Run { priority: Some(_), .. } | ExprKind::GetPriority(_) | ExprKind::SetPriority(..) => {
                self.priorities = true;
            }
            _ => {}
        });
    }
}
