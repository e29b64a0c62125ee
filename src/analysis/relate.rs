//! The comparison of two footprints, access by access. Without a state it fills the matrices of [`super::dependence`]; with a
//! state it answers what the matrices leave open. Both moves are taken to be enabled.

use super::claims::{self, ChannelClaim};
use super::dependence::StateView;
use super::footprint::{
    ChannelAccess, Flags, Footprint, LengthTest, LocationRead, MemoryAccess, Operation, Owner, Value,
};
use crate::model::{BinaryOp, Expr, ExprKind};
use crate::mutants::{self, Mutant};

/// Dependent or not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Answer {
    /// They commute wherever both are enabled.
    Independent,
    /// It depends on the state.
    Ask,
    /// They may not commute.
    Dependent,
}

/// One of the two moves.
#[derive(Clone, Copy, Debug)]
pub struct Party<'a> {
    /// Process type.
    pub proctype: usize,
    /// The process; `None` if it is yet to be made.
    pub pid: Option<usize>,
    /// What it touches.
    pub footprint: &'a Footprint,
    /// What it claims, if that is to be believed; see [`super::claims`].
    pub claims: &'a [ChannelClaim],
}

/// What is known about the state.
pub trait Oracle {
    /// The value in that process; `None` if it is not known yet.
    fn number(&self, pid: Option<usize>, value: &Value) -> Option<Known>;
    /// Length and capacity of a channel; `None` if not known.
    fn channel(&self, id: i32) -> Option<(i32, i32)>;
    /// There is a state: what is not known now never will be.
    fn is_final(&self) -> bool;
    /// Sends to a full channel lose the message.
    fn lossy(&self) -> bool;
    /// Births and deaths are seen by nobody; see [`super::symmetry`].
    fn blind(&self) -> bool;
}

/// A number, or any number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// This one.
    Number(i32),
    /// Whatever.
    Any,
}

/// Nothing is known of the state.
pub struct NoState {
    /// See [`Oracle::lossy`].
    pub lossy: bool,
    /// See [`Oracle::blind`].
    pub blind: bool,
}

impl Oracle for NoState {
    fn number(&self, _: Option<usize>, value: &Value) -> Option<Known> {
        match value {
            Value::Known(number) => Some(Known::Number(*number)),
            Value::Any => Some(Known::Any),
            Value::Expr(..) => None,
        }
    }

    fn channel(&self, _: i32) -> Option<(i32, i32)> {
        None
    }

    fn is_final(&self) -> bool {
        false
    }

    fn lossy(&self) -> bool {
        self.lossy
    }

    fn blind(&self) -> bool {
        self.blind
    }
}

/// The state is known.
pub struct InState<'a, V: StateView> {
    /// The state.
    pub view: &'a V,
    /// See [`Oracle::lossy`].
    pub lossy: bool,
}

impl<V: StateView> Oracle for InState<'_, V> {
    fn number(&self, pid: Option<usize>, value: &Value) -> Option<Known> {
        Some(match value {
            Value::Known(number) => Known::Number(*number),
            Value::Any => Known::Any,
            Value::Expr(_, expr) => {
                pid.and_then(|pid| evaluate(self.view, pid, expr)).map_or(Known::Any, Known::Number)
            }
        })
    }

    fn channel(&self, id: i32) -> Option<(i32, i32)> {
        Some((self.view.channel_length(id)?, self.view.channel_capacity(id)?))
    }

    fn is_final(&self) -> bool {
        true
    }

    fn lossy(&self) -> bool {
        self.lossy
    }

    fn blind(&self) -> bool {
        false
    }
}

/// The value of an expression of variables, constants and operators; `None` for anything else and for errors.
pub fn evaluate(view: &impl StateView, pid: usize, expr: &Expr) -> Option<i32> {
    let truth = |b: bool| Some(i32::from(b));
    match &expr.kind {
        ExprKind::Constant(value) => Some(*value),
        ExprKind::Pid => Some(pid as i32),
        ExprKind::Load(place) => {
            let mut offset = place.offset;
            for index in &place.indices {
                let value = u32::try_from(evaluate(view, pid, &index.value)?).ok()?;
                if value >= index.dimension.length {
                    return None;
                }
                offset += value * index.dimension.stride;
            }
            Some(view.load(pid, place.region, offset, place.scalar))
        }
        ExprKind::Unary(op, a) => Some(op.apply(evaluate(view, pid, a)?)),
        ExprKind::Binary(BinaryOp::And, a, b) => {
            if evaluate(view, pid, a)? == 0 {
                Some(0)
            } else {
                truth(evaluate(view, pid, b)? != 0)
            }
        }
        ExprKind::Binary(BinaryOp::Or, a, b) => {
            if evaluate(view, pid, a)? != 0 {
                Some(1)
            } else {
                truth(evaluate(view, pid, b)? != 0)
            }
        }
        ExprKind::Binary(op, a, b) => op.apply(evaluate(view, pid, a)?, evaluate(view, pid, b)?),
        ExprKind::Conditional(c, a, b) => {
            if evaluate(view, pid, c)? != 0 {
                evaluate(view, pid, a)
            } else {
                evaluate(view, pid, b)
            }
        }
        ExprKind::Channel(test, channel) => {
            let id = evaluate(view, pid, channel)?;
            let (length, capacity) = (view.channel_length(id)?, view.channel_capacity(id)?);
            if capacity == 0 {
                return None;
            }
            match LengthTest::of(*test) {
                LengthTest::Any => Some(length),
                test => test.answer(length, capacity).map(i32::from),
            }
        }
        _ => None,
    }
}

/// Do two moves of different processes depend on each other: can one that is enabled together with the other disable or
/// change it, or does one change whether it is an error to look at the other while that is blocked?
pub fn relate(a: &Party, b: &Party, oracle: &impl Oracle) -> Answer {
    let mut answer = moves(a, b, oracle);
    if let Some(look) = &a.footprint.looks {
        answer = answer.max(moves(&Party { footprint: look, ..*a }, b, oracle));
    }
    if let Some(look) = &b.footprint.looks {
        answer = answer.max(moves(a, &Party { footprint: look, ..*b }, oracle));
    }
    answer
}

/// Do two moves, both enabled, depend on each other?
fn moves(a: &Party, b: &Party, oracle: &impl Oracle) -> Answer {
    let (f, g) = (a.footprint, b.footprint);
    let (x, y) = (f.flags, g.flags);
    if x.has(Flags::EVERYTHING) || y.has(Flags::EVERYTHING) {
        return Answer::Dependent;
    }
    if x.has(Flags::TIMEOUT) || y.has(Flags::TIMEOUT) {
        // with only one of them a timeout they are never enabled together; two of them end each other's timeout
        return if x.has(Flags::TIMEOUT) && y.has(Flags::TIMEOUT) { Answer::Dependent } else { Answer::Independent };
    }
    // A process dies only while it is the youngest: not while the younger one of the two lives.
    let younger = |a: &Party, b: &Party| matches!((a.pid, b.pid), (Some(a), Some(b)) if a > b);
    if (x.has(Flags::DIES) && younger(b, a)) || (y.has(Flags::DIES) && younger(a, b)) {
        return Answer::Independent;
    }
    let births = Flags(Flags::RUN.0 | Flags::DEATH.0);
    let counts = Flags(births.0 | Flags::COUNT.0);
    if !oracle.blind() && ((x.has(births) && y.has(counts)) || (x.has(counts) && y.has(births))) {
        return Answer::Dependent;
    }
    if !f.traced.is_empty() && !g.traced.is_empty() {
        return Answer::Dependent;
    }
    // Who takes part in a rendezvous inside a block: a process of this type, if it hears the offer before or behind its own move;
    // one that is just made, or one that another such block moves.
    let takes_part = |f: &Footprint, p: usize, g: &Footprint| {
        let hears = g.hears.intersects(&f.offers);
        f.partners.iter().any(|partner| {
            (hears && *partner == p as u32) || g.partners.contains(partner) || g.spawns.contains(partner)
        })
    };
    if takes_part(f, b.proctype, g) || takes_part(g, a.proctype, f) {
        return Answer::Dependent;
    }
    let mut answer = Answer::Independent;
    for first in &f.memory {
        for second in &g.memory {
            answer = answer.max(memory(a, first, b, second, oracle));
        }
    }
    for first in &f.channels {
        for second in &g.channels {
            answer = answer.max(channel(a, first, b, second, oracle));
        }
        answer = answer.max(destroys(first, g));
    }
    for second in &g.channels {
        answer = answer.max(destroys(second, f));
    }
    for read in &f.locations {
        answer = answer.max(location(a, read, b, oracle));
    }
    for read in &g.locations {
        answer = answer.max(location(b, read, a, oracle));
    }
    answer
}

/// A process that ends takes its rendezvous channels along.
fn destroys(access: &ChannelAccess, other: &Footprint) -> Answer {
    if access.operation == Operation::Destroy && access.classes.intersects(&other.synchronous) {
        return Answer::Dependent;
    }
    Answer::Independent
}

/// Can two values be equal? Dependent: yes; Independent: no.
fn equal(a: Option<usize>, first: &Value, b: Option<usize>, second: &Value, oracle: &impl Oracle) -> Answer {
    match (oracle.number(a, first), oracle.number(b, second)) {
        (Some(Known::Any), _) | (_, Some(Known::Any)) => Answer::Dependent,
        (Some(Known::Number(x)), Some(Known::Number(y))) => {
            if x == y {
                Answer::Dependent
            } else {
                Answer::Independent
            }
        }
        _ => Answer::Ask,
    }
}

fn memory(a: &Party, first: &MemoryAccess, b: &Party, second: &MemoryAccess, oracle: &impl Oracle) -> Answer {
    let same = first.variable == second.variable && !mutants::is(Mutant::MemoryIndependent);
    if !same || !(first.write || second.write) {
        return Answer::Independent;
    }
    // a pid that is not known yet may be any
    let own = |pid: Option<usize>| pid.map_or(Value::Any, |pid| Value::Known(pid as i32));
    let mut answer = match (&first.owner, &second.owner) {
        (Owner::Own, Owner::Own) => return Answer::Independent,
        (Owner::Own, Owner::Process(pid)) => equal(a.pid, &own(a.pid), b.pid, pid, oracle),
        (Owner::Process(pid), Owner::Own) => equal(a.pid, pid, b.pid, &own(b.pid), oracle),
        (Owner::Process(p), Owner::Process(q)) => equal(a.pid, p, b.pid, q, oracle),
        _ => Answer::Dependent,
    };
    for (i, j) in first.indices.iter().zip(&second.indices) {
        answer = answer.min(equal(a.pid, i, b.pid, j, oracle));
    }
    answer
}

fn location(reader: &Party, read: &LocationRead, mover: &Party, oracle: &impl Oracle) -> Answer {
    if !mover.footprint.partners.is_empty() {
        // whoever takes part in a rendezvous inside the block moves too
        return Answer::Dependent;
    }
    if read.proctype.is_some_and(|p| p as usize != mover.proctype) || !mover.footprint.visits.contains(&read.number) {
        return Answer::Independent;
    }
    let pid = mover.pid.map_or(Value::Any, |pid| Value::Known(pid as i32));
    equal(reader.pid, &read.pid, mover.pid, &pid, oracle)
}

fn channel(a: &Party, first: &ChannelAccess, b: &Party, second: &ChannelAccess, oracle: &impl Oracle) -> Answer {
    if !first.classes.intersects(&second.classes) {
        return Answer::Independent;
    }
    let same = equal(a.pid, &first.id, b.pid, &second.id, oracle);
    if same == Answer::Independent {
        return Answer::Independent;
    }
    let known = match (oracle.number(a.pid, &first.id), oracle.number(b.pid, &second.id)) {
        (Some(Known::Number(id)), _) | (_, Some(Known::Number(id))) => oracle.channel(id),
        _ => None,
    };
    let operations = match (first.operation, second.operation) {
        // a sorted send may put a new head, which a claim of receives says nothing about
        (Operation::Await { claimed: true, sends, .. }, Operation::Send { sorted })
            if second.own && (sends || !sorted) =>
        {
            Answer::Independent
        }
        (Operation::Await { claimed: true, .. }, Operation::Receive) if second.own => Answer::Independent,
        (Operation::Await { sends, receives, .. }, change) | (change, Operation::Await { sends, receives, .. }) => {
            let ends_it = match change {
                Operation::Send { sorted } => sends || (sorted && receives),
                Operation::Receive => receives,
                Operation::Destroy => true,
                _ => false,
            };
            if ends_it { Answer::Dependent } else { Answer::Independent }
        }
        (Operation::Destroy, _) | (_, Operation::Destroy) => Answer::Dependent,
        (Operation::Send { .. }, Operation::Send { .. }) | (Operation::Receive, Operation::Receive) => {
            if claims::excuses(a.claims, first, second) {
                Answer::Independent
            } else {
                Answer::Dependent
            }
        }
        (Operation::Send { sorted }, Operation::Receive) | (Operation::Receive, Operation::Send { sorted }) => {
            // both are enabled, so there is a message to take and room for another one
            if sorted || oracle.lossy() { Answer::Dependent } else { Answer::Independent }
        }
        (Operation::Length { test, required }, change) if is_change(change) => {
            length(test, required, change, first.many || second.many, known, oracle)
        }
        (change, Operation::Length { test, required }) if is_change(change) => {
            length(test, required, change, first.many || second.many, known, oracle)
        }
        (Operation::Head { random, required }, change) if is_change(change) => {
            head(random, required, change, first.many || second.many, known, oracle)
        }
        (change, Operation::Head { random, required }) if is_change(change) => {
            head(random, required, change, first.many || second.many, known, oracle)
        }
        // two tests
        _ => Answer::Independent,
    };
    operations.min(same)
}

fn is_change(operation: Operation) -> bool {
    matches!(operation, Operation::Send { .. } | Operation::Receive)
}

/// The answer for a test whose value the state tells: `changes` if it is known.
fn decided(changes: Option<bool>, oracle: &impl Oracle) -> Answer {
    match changes {
        Some(true) => Answer::Dependent,
        Some(false) => Answer::Independent,
        None if oracle.is_final() => Answer::Dependent,
        None => Answer::Ask,
    }
}

fn length(
    test: LengthTest,
    required: bool,
    change: Operation,
    many: bool,
    known: Option<(i32, i32)>,
    oracle: &impl Oracle,
) -> Answer {
    let sends = matches!(change, Operation::Send { .. });
    if required && ((sends && test.rises()) || (!sends && test.falls())) {
        return Answer::Independent;
    }
    if many || test == LengthTest::Any || oracle.lossy() {
        return Answer::Dependent;
    }
    let step = if sends { 1 } else { -1 };
    let changes = known.map(|(length, capacity)| test.answer(length, capacity) != test.answer(length + step, capacity));
    decided(changes, oracle)
}

fn head(
    random: bool,
    required: bool,
    change: Operation,
    many: bool,
    known: Option<(i32, i32)>,
    oracle: &impl Oracle,
) -> Answer {
    match change {
        Operation::Send { sorted: false } if required => Answer::Independent,
        // the first message stays the head
        Operation::Send { sorted: false } if !random && !many => decided(known.map(|(length, _)| length == 0), oracle),
        _ => Answer::Dependent,
    }
}
