//! The values of expressions. Arithmetic is C's on 32 bits.

use super::{Me, Root, Run, Who};
use crate::certify::fault::FaultKind;
use crate::certify::names;
use crate::source::Span;
use crate::syntax::tree::{BinaryOp, Expr, ExprKind, VarRef};

impl<'d> Run<'d> {
    /// The value of an expression.
    pub fn value(&self, me: Me, expr: &Expr) -> i32 {
        match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Variable(var) => self.variable(me, var),
            ExprKind::Unary(op, inner) => names::unary(*op, self.value(me, inner)),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                i32::from(self.value(me, left) != 0 && self.value(me, right) != 0)
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                i32::from(self.value(me, left) != 0 || self.value(me, right) != 0)
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(me, left), self.value(me, right));
                names::binary(*op, left, right).unwrap_or_else(|| self.note(FaultKind::Division, expr.span))
            }
            ExprKind::Conditional(condition, yes, no) => {
                self.value(me, if self.value(me, condition) != 0 { yes } else { no })
            }
            ExprKind::Channel(test, var) => self.channel_test(me, *test, var),
            ExprKind::Poll { channel, random, arguments } => self.poll(me, channel, *random, arguments, expr.span),
            ExprKind::Run { .. } => self.born,
            ExprKind::Timeout => i32::from(self.timeout),
            ExprKind::NonProgress => i32::from(!self.progress()),
            ExprKind::Enabled(pid) => self.enabled(me, pid, expr.span),
            ExprKind::PcValue(pid) => {
                let pid = self.alive(self.value(me, pid));
                pid.map_or(0, |pid| self.number_of(pid))
            }
            ExprKind::GetPriority(pid) => self.priority(self.value(me, pid)),
            // As a statement it sets the priority. It has no value of its own.
            ExprKind::SetPriority(..) => 1,
            ExprKind::RemoteLabel { proctype, pid, label } => {
                let Some(body) = self.definition.body(&proctype.name) else { return 0 };
                let Some(wanted) = self.body(body).labelled(&label.name) else { return 0 };
                // SPIN compares numbers of points, whatever the type of that process is.
                let wanted = self.body(body).points[wanted].number;
                let other = self.remote(me, body, pid.as_deref());
                other.map_or(0, |other| i32::from(self.number_of(other) == wanted))
            }
            ExprKind::RemoteVariable { proctype, pid, variable } => {
                let Some(body) = self.definition.body(&proctype.name) else { return 0 };
                self.remote_variable(me, body, pid.as_deref(), variable, expr.span)
            }
        }
    }

    pub(super) fn variable(&self, me: Me, var: &VarRef) -> i32 {
        let Some(first) = var.segments.first() else { return 0 };
        if let Some(&value) = self.definition.names.mtypes.get(&first.name.name) {
            return value;
        }
        let pid = if let Who::Process(pid) = me.who { pid as i32 } else { 0 };
        match &*first.name.name {
            "_pid" => pid,
            "_nr_pr" => self.state.processes.len() as i32,
            "_last" => self.state.last,
            "_priority" => self.priority(pid),
            _ => self.spot(me, var).map_or(0, |spot| self.load(&spot)),
        }
    }

    /// Some process stands at a progress label.
    pub fn progress(&self) -> bool {
        self.state.processes.iter().any(|process| self.body(process.body).marks[process.place].progress)
    }

    pub(super) fn alive(&self, pid: i32) -> Option<usize> {
        usize::try_from(pid).ok().filter(|&pid| pid < self.state.processes.len())
    }

    pub(super) fn number_of(&self, pid: usize) -> i32 {
        let process = &self.state.processes[pid];
        self.body(process.body).points[process.place].number
    }

    pub(super) fn priority(&self, pid: i32) -> i32 {
        match self.alive(pid) {
            Some(pid) if self.definition.priorities => self.state.processes[pid].priority,
            _ => 0,
        }
    }

    /// The process that a remote reference means.
    pub(super) fn remote(&self, me: Me, body: usize, pid: Option<&Expr>) -> Option<usize> {
        match pid {
            Some(pid) => self.alive(self.value(me, pid)),
            None => self.state.processes.iter().position(|process| process.body == body),
        }
    }

    pub(super) fn remote_variable(&self, me: Me, body: usize, pid: Option<&Expr>, var: &VarRef, span: Span) -> i32 {
        let Some(other) = self.remote(me, body, pid) else { return 0 };
        if self.state.processes[other].body != body {
            return self.note(FaultKind::NoSuchProcess, span);
        }
        let Some(first) = var.segments.first() else { return 0 };
        let Some(at) = self.body(body).any_local(&first.name.name) else { return 0 };
        // The variable is the other's; what stands in brackets is for who asks.
        let root = Root::Local(Who::Process(other), at);
        let spot = self.walk(me, root, &self.body(body).locals[at], &var.segments, var.span);
        spot.map_or(0, |spot| self.load(&spot))
    }

    pub(super) fn enabled(&self, me: Me, pid: &Expr, span: Span) -> i32 {
        let pid = self.value(me, pid);
        if matches!(me.who, Who::Process(own) if own as i32 == pid) {
            return self.note(FaultKind::EnabledSelf, span);
        }
        self.alive(pid).map_or(0, |pid| i32::from(self.provided(pid) && self.can_move(pid)))
    }
}
