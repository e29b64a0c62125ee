//! Who may move: `provided`, priorities, and what `enabled` asks.

use super::{Fatal, Me, Run, Who};
use crate::certify::control::What;
use crate::certify::fault::FaultKind;
use crate::certify::state::Process;
use crate::syntax::tree::{Expr, ExprKind, StatementKind};
use std::rc::Rc;

impl<'d> Run<'d> {
    /// The process may move: its clause holds, and nobody of higher priority can move. An error is one of the clause.
    pub fn permitted(&self, pid: usize) -> Fatal<bool> {
        let provided = self.provided(pid);
        if let Some(fault) = self.told().first() {
            return Err(*fault);
        }
        if !provided || !self.definition.priorities {
            return Ok(provided);
        }
        let own = self.state.processes[pid].priority;
        let above = (0..self.state.processes.len())
            .any(|other| self.state.processes[other].priority > own && self.provided(other) && self.can_move(other));
        // Errors of the others are told when it is their turn.
        self.told();
        Ok(!above)
    }

    pub(super) fn provided(&self, pid: usize) -> bool {
        let body = self.state.processes[pid].body;
        let me = Me { who: Who::Process(pid), body: Some(body), scope: 0 };
        self.body(body).provided.as_ref().is_none_or(|clause| self.value(me, clause) != 0)
    }

    /// Some statement of the process is executable. A rendezvous send counts, whether or not somebody waits for it, and an
    /// `else` does.
    pub(super) fn can_move(&self, pid: usize) -> bool {
        let process = &self.state.processes[pid];
        let body = self.body(process.body);
        body.offers[process.place].iter().any(|offer| {
            let point = &body.points[offer.point];
            let me = Me { who: Who::Process(pid), body: Some(process.body), scope: point.scope };
            self.executable(me, &point.what)
        })
    }

    pub(super) fn executable(&self, me: Me, what: &What) -> bool {
        if self.offered.is_some() && !self.receives(me, what) {
            return false;
        }
        match what {
            What::End => matches!(me.who, Who::Process(pid) if pid + 1 == self.state.processes.len()),
            What::DStep(list) => self.first_of_step(me, list).iter().any(|first| self.executable(me, first)),
            What::Do(kind) => match &**kind {
                StatementKind::Expr(Expr { kind: ExprKind::Run { .. } | ExprKind::SetPriority(..), .. }) => true,
                StatementKind::Expr(condition) => self.value(me, condition) != 0,
                StatementKind::Send { channel, .. } => match self.channel(self.variable(me, channel)) {
                    Some(found) => found.shape.capacity == 0 || found.messages.len() < found.shape.capacity,
                    None => self.note(FaultKind::NoChannel, channel.span) != 0,
                },
                StatementKind::Receive { channel, random, copy, arguments } => {
                    let (id, pattern) = (self.variable(me, channel), self.pattern(me, arguments));
                    self.find(me, id, *random, *copy, &pattern, channel.span).is_some()
                }
                _ => true,
            },
            _ => true,
        }
    }

    /// Every process may stay where it is for ever, and so may the trace. Without processes the trace is not asked.
    pub fn may_end(&self) -> bool {
        let at_end = |process: &Rc<Process>| self.body(process.body).marks[process.place].end;
        let trace = self.definition.trace.is_none_or(|trace| self.body(trace).marks[self.state.trace].end);
        self.state.processes.is_empty() || (self.state.processes.iter().all(at_end) && trace)
    }
}
