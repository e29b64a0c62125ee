//! `trace` and `notrace`: what they say to a send or a receive.

use super::{Field, Me, Run, Who};
use crate::certify::control::What;
use crate::certify::fault::FaultKind;
use crate::source::Span;
use crate::syntax::tree::{ProctypeKind, StatementKind};

impl<'d> Run<'d> {
    /// The trace looks at an event. False if it is not concerned with this channel.
    pub(super) fn observe(&mut self, id: i32, send: bool, message: &[i32], span: Span) -> bool {
        let Some(trace) = self.definition.trace else { return false };
        let body = self.body(trace);
        let concerned = body.points.iter().any(|point| match &point.what {
            What::Do(kind) => self.event_channel(trace, point.scope, kind, send) == Some(id),
            _ => false,
        });
        if !concerned {
            return false;
        }
        if self.channel(id).is_some_and(|channel| !channel.shape.open.is_empty()) {
            self.known(None);
        }
        let allowed = body.offers[self.state.trace].iter().find(|offer| {
            let point = &body.points[offer.point];
            matches!(&point.what, What::Do(kind) if self.allows(trace, point.scope, kind, id, send, message))
        });
        let forbids = body.kind == ProctypeKind::Notrace;
        match allowed {
            Some(offer) => {
                self.state.trace = offer.target;
                if forbids && offer.target == body.end {
                    self.note(FaultKind::Notrace, span);
                }
            }
            // Another sequence than the forbidden one: the rest of the run is not looked at.
            None if forbids => self.state.trace = body.end,
            None => {
                self.note(FaultKind::Trace, span);
            }
        }
        true
    }

    /// The channel of an event in the trace.
    pub(super) fn event_channel(&self, trace: usize, scope: usize, kind: &StatementKind, send: bool) -> Option<i32> {
        let me = Me { who: Who::Nobody, body: Some(trace), scope };
        match kind {
            StatementKind::Send { channel, .. } if send => Some(self.variable(me, channel)),
            StatementKind::Receive { channel, .. } if !send => Some(self.variable(me, channel)),
            _ => None,
        }
    }

    pub(super) fn allows(
        &self,
        trace: usize,
        scope: usize,
        kind: &StatementKind,
        id: i32,
        send: bool,
        message: &[i32],
    ) -> bool {
        if self.event_channel(trace, scope, kind, send) != Some(id) {
            return false;
        }
        let me = Me { who: Who::Nobody, body: Some(trace), scope };
        match kind {
            // Of a send only constants are compared.
            StatementKind::Send { arguments, .. } => arguments
                .iter()
                .zip(message)
                .all(|(argument, found)| self.definition.names.constant(argument).is_none_or(|value| value == *found)),
            StatementKind::Receive { arguments, .. } => {
                let pattern = self.pattern(me, arguments);
                pattern.iter().zip(message).all(|(field, found)| match field {
                    Field::Any | Field::Store(..) => true,
                    Field::Is(value) => value == found,
                    Field::Equals(value) => self.value(me, value) == *found,
                })
            }
            _ => false,
        }
    }
}
