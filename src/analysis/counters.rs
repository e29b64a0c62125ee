//! Loops that count: which loops of a process come to an end by themselves, because a variable of the process only grows in them, or only
//! shrinks, up to a bound.
//!
//! A cycle of the state graph brings every variable back to its value. So if all writes to a local variable on the cycle count it up (or all
//! down), there is none, unless the variable overflows. It does not where each of these steps is taken only while the variable is
//! below (above) a bound that its type can hold. [`super::loops`] uses this: `for` loops and loops with a counter need no breaker.
//!
//! Only locals are looked at, since nobody else can write them, and only steps by a constant.

use super::block::sources;
use super::flow::BitSet;
use super::visit;
use crate::model::{Action, Automaton, BinaryOp, Expr, ExprKind, Place, Region, Scalar, Transition, UnaryOp};

/// A local variable that some transitions count.
#[derive(Clone, Debug)]
pub struct Counter {
    /// By transition of the automaton: where it starts and ends.
    edges: Vec<(u32, u32)>,
    /// The transitions that write the variable.
    writers: BitSet,
    /// Those of them that count it.
    steps: Vec<Counting>,
    /// Those that write it in another way.
    others: Vec<usize>,
}

/// A transition that counts.
#[derive(Clone, Debug)]
struct Counting {
    transition: usize,
    up: bool,
    /// Its own guard makes sure that the variable does not overflow.
    is_safe: bool,
    /// The transitions behind which that is sure, as long as the variable is not written.
    assuring: BitSet,
}

impl Counter {
    /// The transitions among the suspects that count this variable, if none of them can lie on a cycle of suspects.
    pub fn cleared(&self, suspects: &BitSet) -> Vec<usize> {
        if self.others.iter().any(|&t| suspects.contains(t)) {
            return Vec::new();
        }
        let steps: Vec<&Counting> = self.steps.iter().filter(|step| suspects.contains(step.transition)).collect();
        let one_way = steps.iter().all(|step| step.up) || steps.iter().all(|step| !step.up);
        if !one_way || !steps.iter().all(|step| step.is_safe || self.is_assured(step, suspects)) {
            return Vec::new();
        }
        steps.iter().map(|step| step.transition).collect()
    }

    /// Does every way of suspects from a write of the variable to this step pass an assuring transition? On a cycle with this step a process
    /// comes to it from a write, since the step is one.
    fn is_assured(&self, step: &Counting, suspects: &BitSet) -> bool {
        // The locations that are reached from a write without that.
        let mut open: Vec<u32> =
            suspects.iter().filter(|&t| self.writers.contains(t)).map(|t| self.edges[t].1).collect();
        let mut doubtful = open.clone();
        while let Some(location) = open.pop() {
            for t in suspects.iter().filter(|&t| self.edges[t].0 == location && !step.assuring.contains(t)) {
                let target = self.edges[t].1;
                if !doubtful.contains(&target) {
                    doubtful.push(target);
                    open.push(target);
                }
            }
        }
        !doubtful.contains(&self.edges[step.transition].0)
    }
}

/// The counters of an automaton.
pub fn counters(automaton: &Automaton) -> Vec<Counter> {
    let sources = sources(automaton);
    let mut places: Vec<&Place> = Vec::new();
    for transition in &automaton.transitions {
        for action in std::iter::once(&transition.action).chain(&transition.after.actions) {
            if let Action::Assign(place, _) = action
                && step_of(action, place).is_some()
                && !places.iter().any(|known| same_place(known, place))
            {
                places.push(place);
            }
        }
    }
    places.into_iter().map(|place| counter(automaton, &sources, place)).collect()
}

fn counter(automaton: &Automaton, sources: &[u32], place: &Place) -> Counter {
    let count = automaton.transitions.len();
    let mut counter = Counter {
        edges: (0..count).map(|t| (sources[t], automaton.transitions[t].target)).collect(),
        writers: BitSet::new(count),
        steps: Vec::new(),
        others: Vec::new(),
    };
    let facts_of = |t: usize| {
        let from = &automaton.locations[sources[t] as usize];
        facts(&automaton.transitions[t], &automaton.transitions[from.first as usize..t])
    };
    for (t, transition) in automaton.transitions.iter().enumerate() {
        let writes = writes(transition, place);
        if writes == 0 {
            continue;
        }
        counter.writers.insert(t);
        let parts = std::iter::once(&transition.action).chain(&transition.after.actions);
        match parts.filter_map(|action| step_of(action, place)).collect::<Vec<_>>()[..] {
            [step] if writes == 1 => {
                let mut assuring = BitSet::new(count);
                for u in (0..count).filter(|&u| is_bounded(&facts_of(u), place, step)) {
                    assuring.insert(u);
                }
                let is_safe = is_bounded(&facts_of(t), place, step);
                counter.steps.push(Counting { transition: t, up: step > 0, is_safe, assuring });
            }
            _ => counter.others.push(t),
        }
    }
    // Behind its own step a guard says nothing any more.
    for step in &mut counter.steps {
        counter.writers.iter().for_each(|t| step.assuring.remove(t));
    }
    counter
}

/// How many times a transition writes this variable; those of a `d_step` count as many.
fn writes(transition: &Transition, place: &Place) -> usize {
    let mut count = 0;
    let meets = |other: &Place| other.region == place.region && other.variable == place.variable;
    for action in std::iter::once(&transition.action).chain(&transition.after.actions) {
        match action {
            Action::DStep(body) => visit::actions(body, &mut |inner| {
                visit::writes(inner, &mut |other, _| count += 2 * usize::from(meets(other)));
            }),
            _ => visit::writes(action, &mut |other, _| count += usize::from(meets(other))),
        }
    }
    count + 2 * transition.after.resets.iter().filter(|other| meets(other)).count()
}

fn same_place(one: &Place, other: &Place) -> bool {
    one.region == other.region && one.variable == other.variable && one.offset == other.offset
}

fn is_load_of(expr: &Expr, place: &Place) -> bool {
    matches!(&expr.kind, ExprKind::Load(other) if other.indices.is_empty() && same_place(other, place))
}

/// By how much an action counts this local variable: `x = x + 1`, `x--`.
fn step_of(action: &Action, place: &Place) -> Option<i32> {
    let Action::Assign(to, value) = action else { return None };
    if to.region != Region::Local || !to.indices.is_empty() || !same_place(to, place) {
        return None;
    }
    let constant = |expr: &Expr| match expr.kind {
        ExprKind::Constant(value) if (1..=1 << 16).contains(&value) => Some(value),
        _ => None,
    };
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) if is_load_of(a, place) => constant(b),
        ExprKind::Binary(BinaryOp::Add, a, b) if is_load_of(b, place) => constant(a),
        ExprKind::Binary(BinaryOp::Subtract, a, b) if is_load_of(a, place) => constant(b).map(|step| -step),
        _ => None,
    }
}

/// A comparison that holds.
struct Fact<'m> {
    op: BinaryOp,
    left: &'m Expr,
    right: &'m Expr,
}

/// What holds when this transition is executed; `earlier` are those before it at its location.
fn facts<'m>(transition: &'m Transition, earlier: &'m [Transition]) -> Vec<Fact<'m>> {
    let mut found = Vec::new();
    match &transition.action {
        Action::Guard(guard) => collect(guard, true, &mut found),
        Action::Else => {
            for other in earlier {
                if let Action::Guard(guard) = &other.action {
                    collect(guard, false, &mut found);
                }
            }
        }
        _ => {}
    }
    found
}

/// Takes an expression apart that is known to be true, or false.
fn collect<'m>(expr: &'m Expr, truth: bool, found: &mut Vec<Fact<'m>>) {
    match &expr.kind {
        ExprKind::Unary(UnaryOp::Not, inner) => collect(inner, !truth, found),
        ExprKind::Binary(BinaryOp::And, a, b) if truth => {
            [a, b].into_iter().for_each(|part| collect(part, true, found))
        }
        ExprKind::Binary(BinaryOp::Or, a, b) if !truth => {
            [a, b].into_iter().for_each(|part| collect(part, false, found))
        }
        ExprKind::Binary(op, left, right) => {
            let op = if truth { Some(*op) } else { opposite(*op) };
            found.extend(op.map(|op| Fact { op, left, right }));
        }
        _ => {}
    }
}

fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::NotEqual => BinaryOp::Equal,
        BinaryOp::Less => BinaryOp::GreaterEqual,
        BinaryOp::LessEqual => BinaryOp::Greater,
        BinaryOp::Greater => BinaryOp::LessEqual,
        BinaryOp::GreaterEqual => BinaryOp::Less,
        _ => return None,
    })
}

/// Does the variable keep within its type if it is counted by this step where these facts hold?
fn is_bounded(facts: &[Fact<'_>], place: &Place, step: i32) -> bool {
    let Some((least, most)) = range(place.scalar) else { return false };
    let bounds = |op: BinaryOp, other: &Expr| {
        let (low, high) = values(other);
        match op {
            BinaryOp::Less => step > 0 && high - 1 + i64::from(step) <= most,
            BinaryOp::LessEqual => step > 0 && high + i64::from(step) <= most,
            BinaryOp::Greater => step < 0 && low + 1 + i64::from(step) >= least,
            BinaryOp::GreaterEqual => step < 0 && low + i64::from(step) >= least,
            BinaryOp::Equal => high + i64::from(step) <= most && low + i64::from(step) >= least,
            // what is at its least value is not counted down by one
            BinaryOp::NotEqual => (low == high) && ((step == -1 && low == least) || (step == 1 && high == most)),
            _ => false,
        }
    };
    facts.iter().any(|fact| {
        (is_load_of(fact.left, place) && bounds(fact.op, fact.right))
            || (is_load_of(fact.right, place) && bounds(mirrored(fact.op), fact.left))
    })
}

fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

/// The least and the greatest value that an expression can have.
fn values(expr: &Expr) -> (i64, i64) {
    let all = (i64::from(i32::MIN), i64::from(i32::MAX));
    match &expr.kind {
        ExprKind::Constant(value) => (i64::from(*value), i64::from(*value)),
        ExprKind::Load(place) => range(place.scalar).unwrap_or(all),
        _ => all,
    }
}

/// The values that a variable can hold; `None` where they do not fit a number of Promela.
fn range(scalar: Scalar) -> Option<(i64, i64)> {
    let unsigned = |width: u8| (0, (1i64 << width) - 1);
    Some(match scalar {
        Scalar::Bits { width, .. } | Scalar::U16 { width } => unsigned(width),
        Scalar::U8 => unsigned(8),
        Scalar::I16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        Scalar::I32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Scalar::U32 { width } if width < 32 => unsigned(width),
        Scalar::U32 { .. } => return None,
    })
}
