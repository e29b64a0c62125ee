//! Statements: when each is executable, and what it does.

use super::{Fatal, LONGEST_STEP, Me, Run, Who};
use crate::certify::control::{Body, Place, What};
use crate::certify::fault::{Fault, FaultKind};
use crate::certify::visit;
use crate::source::Span;
use crate::syntax::tree::{Expr, ExprKind, StatementKind, VarRef};

impl<'d> Run<'d> {
    /// Executes what stands at a point; false if it is not executable. `moved`: an earlier statement of the same choice was.
    pub fn execute(&mut self, me: Me, what: &'d What, span: Span, moved: bool) -> Fatal<bool> {
        if self.offered.is_some() && !self.receives(me, what) {
            return Ok(false);
        }
        match what {
            What::Do(kind) => self.statement(me, kind, span, moved),
            What::End => {
                // Only the youngest process dies. A claim that has ended stays.
                let youngest = matches!(me.who, Who::Process(pid) if pid + 1 == self.state.processes.len());
                if youngest {
                    self.death();
                }
                Ok(youngest)
            }
            What::DStep(list) => self.d_step(me, list, span),
            What::Jump(_) | What::Join => Ok(true),
            What::Choice(_) | What::Block(_) | What::Unless(..) => Ok(false),
        }
    }

    pub(super) fn statement(&mut self, me: Me, kind: &'d StatementKind, span: Span, moved: bool) -> Fatal<bool> {
        match kind {
            StatementKind::Else => return Ok(!moved),
            StatementKind::Expr(Expr { kind: ExprKind::SetPriority(pid, value), .. }) => {
                let (pid, value) = (self.value(me, pid), self.value(me, value));
                self.set_priority(pid, value, span)?;
            }
            StatementKind::Expr(condition) => {
                self.run_inside(me, condition)?;
                return Ok(self.value(me, condition) != 0);
            }
            StatementKind::Assign(var, value) => {
                self.run_inside(me, value)?;
                let value = self.stored_value(me, value);
                self.assign(me, var, value)?;
            }
            StatementKind::Increment(var) => self.add(me, var, 1)?,
            StatementKind::Decrement(var) => self.add(me, var, -1)?,
            StatementKind::Assert(condition) => {
                // A failed assertion is an error, and the run goes on.
                if self.value(me, condition) == 0 {
                    self.note(FaultKind::Assertion, span);
                }
            }
            StatementKind::Send { channel, sorted, arguments } => {
                return Ok(self.send(me, channel, *sorted, arguments));
            }
            StatementKind::Receive { channel, random, copy, arguments } => {
                return Ok(self.receive(me, channel, *random, *copy, arguments));
            }
            // What is printed is no part of the state, but to compute it may fail.
            StatementKind::Printf(_, values) => {
                self.arguments(me, values);
            }
            StatementKind::Printm(value) => {
                self.value(me, value);
            }
            // The others are compound, and were taken apart.
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn add(&mut self, me: Me, var: &VarRef, by: i32) -> Fatal<()> {
        // `assign` asks for the index once more, and there it counts.
        let value = self.unless_open(|| self.variable(me, var).wrapping_add(by));
        self.assign(me, var, value)
    }

    pub(super) fn assign(&mut self, me: Me, var: &VarRef, value: Option<i32>) -> Fatal<()> {
        let name = var.segments.first().map_or("_", |first| &*first.name.name);
        match (name, me.who) {
            ("_", _) => {}
            ("_priority", Who::Process(pid)) => self.set_priority(pid as i32, self.known(value), var.span)?,
            _ => {
                if let Some(spot) = self.spot(me, var) {
                    self.store(&spot, value);
                }
            }
        }
        Ok(())
    }

    pub(super) fn set_priority(&mut self, pid: i32, value: i32, span: Span) -> Fatal<()> {
        if !(1..=255).contains(&value) {
            return Err(Fault { kind: FaultKind::Priority, span });
        }
        if let Some(pid) = self.alive(pid)
            && let Some(process) = self.process_mut(Who::Process(pid))
        {
            process.priority = value;
        }
        Ok(())
    }

    /// Executes the `run` inside of an expression, if there is one. Its value is then the pid of the new process.
    pub(super) fn run_inside(&mut self, me: Me, whole: &Expr) -> Fatal<()> {
        let mut found = None;
        visit::expr(whole, &mut |part| {
            if let ExprKind::Run { proctype, arguments, priority } = &part.kind {
                let priority = priority.as_ref().and_then(|value| self.definition.names.constant(value));
                // SPIN takes 0 for "not given". The clause of the process type counts for `active` only.
                let priority = priority.filter(|&priority| priority != 0).unwrap_or(1);
                found = Some((proctype.name.clone(), self.arguments(me, arguments), priority, part.span));
            }
        });
        let Some((name, arguments, priority, span)) = found else { return Ok(()) };
        let Some(body) = self.definition.body(&name) else { return Ok(()) };
        if !(1..=255).contains(&priority) {
            return Err(Fault { kind: FaultKind::Priority, span });
        }
        self.born = self.birth(body, &arguments, priority, span)?;
        Ok(())
    }

    /// A `d_step` from its beginning to its end, as one step: at each point the first statement that is executable.
    pub(super) fn d_step(&mut self, me: Me, list: &'d [Place], span: Span) -> Fatal<bool> {
        let Some(body) = me.body.map(|body| self.body(body)) else { return Ok(false) };
        let Some(mut place) = body.step_start(list) else { return Ok(false) };
        for count in 0..LONGEST_STEP {
            if count > 0 && !body.contains(list, place) {
                return Ok(true);
            }
            match self.step_inside(me, body, place, count == 0, span)? {
                Some(next) => place = next,
                None if count == 0 => return Ok(false),
                None => return Err(Fault { kind: FaultKind::BlockedStep, span }),
            }
        }
        Err(Fault { kind: FaultKind::EndlessStep, span })
    }

    pub(super) fn step_inside(
        &mut self,
        me: Me,
        body: &'d Body,
        place: Place,
        first: bool,
        span: Span,
    ) -> Fatal<Option<Place>> {
        for offer in body.offers[place].iter().filter(|offer| offer.escape.is_none()) {
            let point = &body.points[offer.point];
            let receive = matches!(&point.what, What::Do(kind) if matches!(**kind, StatementKind::Receive { .. }));
            if first && self.offered.is_some() && !receive {
                continue;
            }
            // A receive may take an offer as the guard of the d_step; any other rendezvous is an error.
            if !(first && receive) && self.is_rendezvous(me, &point.what) {
                return Err(Fault { kind: FaultKind::RendezvousInStep, span });
            }
            let before = self.clone();
            let me = Me { scope: point.scope, ..me };
            if self.execute(me, &point.what, point.span, false)? {
                return Ok(Some(offer.target));
            }
            let faults = self.told();
            *self = Run { faults: faults.into(), ..before };
        }
        Ok(None)
    }

    pub(super) fn is_rendezvous(&self, me: Me, what: &What) -> bool {
        let What::Do(kind) = what else { return false };
        match &**kind {
            StatementKind::Send { channel, .. } | StatementKind::Receive { channel, .. } => {
                let id = self.variable(me, channel);
                self.channel(id).is_some_and(|channel| channel.shape.capacity == 0)
            }
            _ => false,
        }
    }

    /// It can complete a rendezvous: a receive, or a `d_step` that begins with one.
    pub(super) fn receives(&self, me: Me, what: &What) -> bool {
        match what {
            What::Do(kind) => matches!(**kind, StatementKind::Receive { .. }),
            What::DStep(list) => self.first_of_step(me, list).iter().any(|first| self.receives(me, first)),
            _ => false,
        }
    }

    pub(super) fn first_of_step(&self, me: Me, list: &[Place]) -> Vec<&'d What> {
        let Some(body) = me.body.map(|body| self.body(body)) else { return Vec::new() };
        let Some(first) = body.step_start(list) else { return Vec::new() };
        let own = body.offers[first].iter().filter(|offer| offer.escape.is_none());
        own.map(|offer| &body.points[offer.point].what).collect()
    }
}
