//! Where the value of a variable is, and how it is read and written.

use super::{Me, Root, Run, Spot};
use crate::certify::fault::FaultKind;
use crate::certify::names::{Kind, Number, Record, Value, Variable};
use crate::source::Span;
use crate::syntax::tree::{BinaryOp, Expr, ExprKind, Segment, VarRef};
use std::rc::Rc;

impl<'d> Run<'d> {
    /// The variable that a reference means; none if an index is out of range.
    pub(super) fn spot(&self, me: Me, var: &VarRef) -> Option<Spot> {
        let (first, _) = var.segments.split_first()?;
        let local = me.body.and_then(|body| self.body(body).local(me.scope, &first.name.name).map(|at| (body, at)));
        if let Some((body, at)) = local {
            return self.walk(me, Root::Local(me.who, at), &self.body(body).locals[at], &var.segments, var.span);
        }
        let &at = self.definition.names.global_names.get(&first.name.name)?;
        let variable = &self.definition.names.globals[at];
        let root = if variable.hidden { Root::Hidden(at) } else { Root::Global(at) };
        self.walk(me, root, variable, &var.segments, var.span)
    }

    pub(super) fn walk(
        &self,
        me: Me,
        root: Root,
        base: &'d Variable,
        segments: &[Segment],
        span: Span,
    ) -> Option<Spot> {
        let mut variable = base;
        let mut path = Vec::new();
        for (at, segment) in segments.iter().enumerate() {
            // An array without an index means its first element, and an index 0 of what is no array means nothing.
            let index = segment.index.as_ref().map_or(0, |index| self.value(me, index));
            if index < 0 || index as usize >= variable.length.unwrap_or(1) {
                self.note(FaultKind::Index, span);
                return None;
            }
            if variable.length.is_some() {
                path.push(index as usize);
            }
            if let (Some(next), Kind::Record(record)) = (segments.get(at + 1), variable.kind) {
                let fields = &self.definition.names.records[record].fields;
                let field = fields.iter().position(|field| field.name == next.name.name)?;
                path.push(field);
                variable = &fields[field];
            }
        }
        let record = match variable.kind {
            Kind::Record(record) => Some(record),
            Kind::Number(_) => None,
        };
        Some(Spot { root, path, number: variable.number(), record })
    }

    pub(super) fn load(&self, spot: &Spot) -> i32 {
        let root = match spot.root {
            Root::Global(at) => self.state.globals.get(at),
            Root::Hidden(at) => self.state.hidden.0.get(at),
            Root::Local(who, at) => self.process(who).and_then(|process| process.locals.get(at)),
        };
        let mut value = root;
        for &at in &spot.path {
            value = match value {
                Some(Value::List(list)) => list.get(at),
                _ => None,
            };
        }
        match value {
            Some(Value::Number(number)) => *number,
            Some(Value::Open) => self.known(None),
            _ => 0,
        }
    }

    /// A value that decides about something: one that is open must not.
    pub(super) fn known(&self, value: Option<i32>) -> i32 {
        if value.is_none() {
            self.definition.asked.set(true);
        }
        value.unwrap_or(0)
    }

    /// What `read` gives, where it decides about nothing but what is stored next; none if that hangs on a value that is open.
    pub(super) fn unless_open(&self, read: impl FnOnce() -> i32) -> Option<i32> {
        let before = self.definition.asked.replace(false);
        let value = read();
        let open = self.definition.asked.replace(before);
        (!open).then_some(value)
    }

    /// The value of an expression that is stored, or sent. It may be open if the expression cannot fail, whatever the open values are.
    pub(super) fn stored_value(&self, me: Me, expr: &Expr) -> Option<i32> {
        let value = self.unless_open(|| self.value(me, expr));
        if value.is_none() && !self.never_fails(me, expr) {
            self.definition.asked.set(true);
        }
        value
    }

    /// No part of the expression can be an error, whichever parts are evaluated: an index is a constant, a divisor has a value that is not
    /// open and not 0. An index that is out of range is told.
    fn never_fails(&self, me: Me, expr: &Expr) -> bool {
        let constant = |expr: &Expr| self.definition.names.constant(expr);
        match &expr.kind {
            ExprKind::Number(_) | ExprKind::Timeout | ExprKind::NonProgress => true,
            ExprKind::Variable(var) => {
                self.spot(me, var);
                var.segments
                    .iter()
                    .all(|segment| segment.index.as_deref().is_none_or(|index| constant(index).is_some()))
            }
            ExprKind::Unary(_, inner) => self.never_fails(me, inner),
            ExprKind::Binary(BinaryOp::Divide | BinaryOp::Remainder, left, right) => {
                // Not the constant that a name stands for in sizes: a variable may have another value by now.
                let divisor = || self.unless_open(|| self.value(me, right));
                self.never_fails(me, left) && self.never_fails(me, right) && divisor().is_some_and(|value| value != 0)
            }
            ExprKind::Binary(_, left, right) => self.never_fails(me, left) && self.never_fails(me, right),
            ExprKind::Conditional(condition, yes, no) => {
                [condition, yes, no].iter().all(|part| self.never_fails(me, part))
            }
            _ => false,
        }
    }

    /// Stores a value, or that it is open.
    pub(super) fn store(&mut self, spot: &Spot, value: Option<i32>) {
        let Some(number) = spot.number else { return };
        let root = match spot.root {
            Root::Global(at) => Rc::make_mut(&mut self.state.globals).get_mut(at),
            Root::Hidden(at) => Rc::make_mut(&mut self.state.hidden.0).get_mut(at),
            Root::Local(who, at) => self.process_mut(who).and_then(|process| process.locals.get_mut(at)),
        };
        let mut place = root;
        for &at in &spot.path {
            place = match place {
                Some(Value::List(list)) => list.get_mut(at),
                _ => None,
            };
        }
        if let Some(place) = place {
            *place = value.map_or(Value::Open, |value| Value::Number(number.cut(value)));
        }
    }

    /// The numbers inside of a variable, with the way to each.
    pub(super) fn parts_of(&self, variable: &Variable) -> Vec<(Vec<usize>, Number)> {
        let mut parts = Vec::new();
        for element in 0..variable.length.unwrap_or(1) {
            let start: Vec<usize> = variable.length.iter().map(|_| element).collect();
            match (variable.kind, variable.number()) {
                (Kind::Record(record), _) => {
                    for (inner, number) in self.parts(&self.definition.names.records[record]) {
                        parts.push(([start.clone(), inner].concat(), number));
                    }
                }
                (_, Some(number)) => parts.push((start, number)),
                _ => {}
            }
        }
        parts
    }

    pub(super) fn parts(&self, record: &Record) -> Vec<(Vec<usize>, Number)> {
        let mut parts = Vec::new();
        for (at, field) in record.fields.iter().enumerate() {
            parts.extend(self.parts_of(field).into_iter().map(|(inner, number)| ([vec![at], inner].concat(), number)));
        }
        parts
    }

    /// All parts of a whole typedef as places of their own.
    pub(super) fn spots(&self, whole: &Spot) -> Vec<Spot> {
        let Some(record) = whole.record else { return Vec::new() };
        let parts = self.parts(&self.definition.names.records[record]);
        let spot = |(inner, number): (Vec<usize>, Number)| Spot {
            root: whole.root,
            path: [whole.path.clone(), inner].concat(),
            number: Some(number),
            record: None,
        };
        parts.into_iter().map(spot).collect()
    }
}
