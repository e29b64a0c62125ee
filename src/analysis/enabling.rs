//! Necessary enabling sets: what must happen before a blocked transition can be executed.
//!
//! A transition may be blocked for several reasons at once. Each reason is enough to keep it blocked, so only one reason
//! needs to be watched (Valmari's and Godefroid's necessary enabling sets; Godefroid's thesis, section 4.5). A reason
//! consists of a condition that is false now and a footprint that says what could make it true. `&&` gives one reason per
//! operand; a full channel waits for receives, an empty channel for sends, and a first message that does not match waits for
//! receives.
//!
//! Sound if each footprint names everything that could end its reason. Costs a table of reasons per transition, made once.

use super::StateView;
use super::block::length_comparison;
use super::collect::Collector;
use super::flow::{BitSet, Flow};
use super::footprint::{ChannelAccess, Footprint, LengthTest, Operation, Validity, Value, validity};
use super::relate::evaluate;
use super::visit;
use crate::model::{Action, BinaryOp, ChannelTest, Expr, ExprKind, Model, ReceiveArgument, Region, UnaryOp};

/// When a reason holds.
#[derive(Clone, Debug)]
pub enum When {
    /// This operand of the guard is false.
    False(Box<Expr>),
    /// The channel is empty.
    Empty(Box<Expr>),
    /// The channel is not empty, and what it holds does not match.
    NotEmpty(Box<Expr>),
    /// The channel is full.
    Full(Box<Expr>),
    /// Whenever the transition is blocked.
    Always,
    /// The guard needs `timeout`. It stays false as long as anything else is executable.
    Timeout,
}

/// One reason for which a transition can be blocked.
#[derive(Clone, Debug)]
pub struct Reason {
    /// When it is a reason.
    pub when: When,
    /// What could end it: moves that depend on this.
    pub footprint: Footprint,
    /// The reason depends on no variable that the process itself may change privately. So the footprint tells everything that
    /// could end the reason, the process's own moves included.
    pub shared: bool,
}

impl Reason {
    /// Does it hold in this state, for a transition of this process that is blocked?
    pub fn holds(&self, view: &impl StateView, pid: usize) -> bool {
        let length = |channel: &Expr| evaluate(view, pid, channel).and_then(|id| view.channel_length(id));
        match &self.when {
            When::Always | When::Timeout => true,
            When::False(expr) => evaluate(view, pid, expr) == Some(0),
            When::Empty(channel) => length(channel) == Some(0),
            When::NotEmpty(channel) => length(channel).is_some_and(|length| length > 0),
            When::Full(channel) => {
                let capacity = evaluate(view, pid, channel).and_then(|id| view.channel_capacity(id));
                capacity.is_some_and(|capacity| capacity > 0) && length(channel) == capacity
            }
        }
    }

    /// Does the reason hold in this state, for a transition of this process that starts at another location than the process's
    /// own? The answer is no if the process may change on the way what the reason depends on.
    pub fn holds_already(&self, view: &impl StateView, pid: usize) -> bool {
        self.shared && !matches!(self.when, When::Always | When::NotEmpty(_)) && self.holds(view, pid)
    }
}

/// The reasons for which each transition of each process type can be blocked; one of them always holds when it is.
pub fn reasons(model: &Model, flow: &Flow) -> Vec<Vec<Vec<Reason>>> {
    let mut all = Vec::with_capacity(model.proctypes.len());
    for (p, proctype) in model.proctypes.iter().enumerate() {
        let automaton = &proctype.automaton;
        let sources = super::block::sources(automaton);
        let mut list = Vec::with_capacity(automaton.transitions.len());
        for (t, transition) in automaton.transitions.iter().enumerate() {
            let earlier = automaton.locations[sources[t] as usize].first as usize..t;
            let mut together = Collector::new(model, flow, p);
            let mut plain = true;
            if let Some(provided) = &proctype.provided {
                together.read(provided);
                plain = false;
            }
            for other in &automaton.transitions[earlier] {
                let escapes = other.escape != 0 && other.escape != transition.escape;
                if matches!(transition.action, Action::Else) || escapes {
                    together.executability(other);
                    plain = false;
                }
            }
            let mut of_this = if plain {
                Builder { model, flow, p }.action(&transition.action)
            } else {
                // several things together keep it blocked: wait for any of them
                together.executability(transition);
                vec![Reason { when: When::Always, footprint: together.finish(), shared: false }]
            };
            let heard = &flow.hearing[p][sources[t] as usize];
            of_this.iter_mut().for_each(|reason| reason.footprint.hears.clone_from(heard));
            list.push(of_this);
        }
        all.push(list);
    }
    all
}

struct Builder<'m> {
    model: &'m Model,
    flow: &'m Flow,
    p: usize,
}

impl<'m> Builder<'m> {
    fn read(&self, expr: &'m Expr) -> Footprint {
        let mut collector = Collector::new(self.model, self.flow, self.p);
        collector.read(expr);
        collector.finish()
    }

    /// See [`Reason::shared`].
    fn is_shared(&self, expr: &Expr) -> bool {
        let mut shared = true;
        visit::walk(expr, &mut |e| {
            if let ExprKind::Load(place) = &e.kind
                && place.region == Region::Local
            {
                shared &= self.flow.local_written[self.p].get(place.variable as usize) == Some(&false);
            }
        });
        shared
    }

    fn wait(&self, channel: &'m Expr, sends: bool, receives: bool) -> Footprint {
        let mut footprint = self.read(channel);
        let mut classes = BitSet::new(self.flow.classes());
        for class in self.flow.channels(self.p, channel).iter().filter(|&c| self.flow.capacity[c] > 0) {
            classes.insert(class);
        }
        let id = match (&channel.kind, validity(self.flow.is_stable(self.p, channel), channel, &|_| false)) {
            (ExprKind::Constant(id), _) => Value::Known(*id),
            (_, Validity::Unknown) => Value::Any,
            (_, holds) => Value::Expr(holds, Box::new(channel.clone())),
        };
        let own = !matches!(id, Value::Any) && self.flow.is_own(channel);
        let operation = Operation::Await { sends, receives, claimed: false };
        footprint.channels.push(ChannelAccess { classes, id, operation, many: false, own });
        footprint
    }

    fn action(&self, action: &'m Action) -> Vec<Reason> {
        match action {
            Action::Guard(expr) => {
                let mut reasons = Vec::new();
                self.guard(expr, &mut reasons);
                if reasons.len() > 1 || !matches!(reasons.first(), Some(Reason { when: When::Always, .. })) {
                    // in case none of the operands can be evaluated here
                    reasons.push(Reason {
                        when: When::Always,
                        footprint: self.read(expr),
                        shared: self.is_shared(expr),
                    });
                }
                reasons
            }
            Action::Send { channel, .. } => {
                let footprint = self.wait(channel, false, true);
                let (full, shared) = (When::Full(Box::new(channel.clone())), self.is_shared(channel));
                vec![
                    Reason { when: full, footprint: footprint.clone(), shared },
                    Reason { when: When::Always, footprint, shared },
                ]
            }
            Action::Receive { channel, random, arguments, .. } => {
                let channel_id = Box::new(channel.clone());
                let mut mismatch = self.wait(channel, *random, true);
                let empty_shared = self.is_shared(channel);
                let mut shared = empty_shared;
                for argument in arguments {
                    if let ReceiveArgument::Match(expr) = argument {
                        mismatch.union(&self.read(expr));
                        shared &= self.is_shared(expr);
                    }
                }
                let mut both = mismatch.clone();
                both.union(&self.wait(channel, true, true));
                let empty = self.wait(channel, true, false);
                vec![
                    Reason { when: When::Empty(channel_id.clone()), footprint: empty, shared: empty_shared },
                    Reason { when: When::NotEmpty(channel_id), footprint: mismatch, shared },
                    Reason { when: When::Always, footprint: both, shared },
                ]
            }
            Action::DStep(body) => {
                let mut collector = Collector::new(self.model, self.flow, self.p);
                body.at(body.entry).iter().for_each(|t| collector.executability(t));
                vec![Reason { when: When::Always, footprint: collector.finish(), shared: false }]
            }
            // always executable; the death of a process is looked at by whoever knows the pids
            _ => vec![Reason { when: When::Always, footprint: Footprint::default(), shared: false }],
        }
    }

    /// One reason per operand of `&&` that must be true, up to one whose evaluation can fail: behind it a false operand does
    /// not keep the guard from being evaluated to an error. True if there is such a one.
    fn guard(&self, expr: &'m Expr, reasons: &mut Vec<Reason>) -> bool {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => return self.guard(a, reasons) || self.guard(b, reasons),
            ExprKind::Timeout => {
                reasons.push(Reason { when: When::Timeout, footprint: Footprint::default(), shared: true });
            }
            _ => {
                let footprint = self.awaits(expr).unwrap_or_else(|| self.read(expr));
                let shared = self.is_shared(expr);
                reasons.push(Reason { when: When::False(Box::new(expr.clone())), footprint, shared });
            }
        }
        visit::can_fault(expr)
    }

    /// A test of a channel's length waits for sends or for receives.
    fn awaits(&self, expr: &'m Expr) -> Option<Footprint> {
        let (channel, test): (&'m Expr, LengthTest) = match &expr.kind {
            ExprKind::Channel(ChannelTest::Len, channel) => (channel, LengthTest::Compare(BinaryOp::Greater, 0)),
            ExprKind::Channel(test, channel) => (channel, LengthTest::of(*test)),
            ExprKind::Binary(op, a, b) => length_comparison(*op, a, b)?,
            ExprKind::Unary(UnaryOp::Not, inner) => match &inner.kind {
                ExprKind::Channel(ChannelTest::Empty, channel) => (channel, LengthTest::of(ChannelTest::NotEmpty)),
                ExprKind::Channel(ChannelTest::NotEmpty, channel) => (channel, LengthTest::of(ChannelTest::Empty)),
                ExprKind::Channel(ChannelTest::Full, channel) => (channel, LengthTest::NotFull),
                ExprKind::Channel(ChannelTest::NotFull, channel) => (channel, LengthTest::Full),
                _ => return None,
            },
            _ => return None,
        };
        let (rises, falls) = (test.rises(), test.falls());
        (rises || falls).then(|| self.wait(channel, rises, falls))
    }
}
