//! The shape of automata, whatever the state: at which location a transition starts, which transitions an atomic block holds,
//! whether a process can end, and how a guard tests the length of a channel.

use super::flow::BitSet;
use super::footprint::LengthTest;
use crate::model::{Action, Automaton, BinaryOp, ChannelTest, Expr, ExprKind, UnaryOp};

/// The location of every transition.
pub fn sources(automaton: &Automaton) -> Vec<u32> {
    let mut sources = vec![0; automaton.transitions.len()];
    for (number, location) in automaton.locations.iter().enumerate() {
        for t in location.first..location.first + location.count {
            if let Some(source) = sources.get_mut(t as usize) {
                *source = number as u32;
            }
        }
    }
    sources
}

/// The transitions that can follow the first inside its atomic block; the first itself if the block loops back to it.
pub fn block_of(automaton: &Automaton, first: usize) -> Vec<usize> {
    if !automaton.transitions[first].atomic {
        return Vec::new();
    }
    let mut seen = BitSet::new(automaton.locations.len());
    let mut inner = Vec::new();
    let mut open = vec![automaton.transitions[first].target];
    while let Some(location) = open.pop() {
        if !seen.insert(location as usize) {
            continue;
        }
        let Some(at) = automaton.locations.get(location as usize) else { continue };
        for t in at.first..at.first + at.count {
            inner.push(t as usize);
            let transition = &automaton.transitions[t as usize];
            if transition.atomic {
                open.push(transition.target);
            }
        }
    }
    inner
}

/// The moves that take a transition of this kind, at their beginning or inside the block that they enter.
pub fn moves_with(automaton: &Automaton, is_of_kind: impl Fn(usize) -> bool) -> BitSet {
    // The locations from which a block can come to such a transition.
    let mut leads = BitSet::new(automaton.locations.len());
    let takes = |t: usize, leads: &BitSet| {
        let transition = &automaton.transitions[t];
        is_of_kind(t) || (transition.atomic && leads.contains(transition.target as usize))
    };
    let mut grown = true;
    while grown {
        grown = false;
        for (number, location) in automaton.locations.iter().enumerate().rev() {
            let mut own = location.first as usize..(location.first + location.count) as usize;
            grown |= own.any(|t| takes(t, &leads)) && leads.insert(number);
        }
    }
    let mut moves = BitSet::new(automaton.transitions.len());
    for t in (0..automaton.transitions.len()).filter(|&t| takes(t, &leads)) {
        moves.insert(t);
    }
    moves
}

/// Can a process with this automaton come to its end, and die?
pub fn can_end(automaton: &Automaton) -> bool {
    let mut seen = BitSet::new(automaton.locations.len());
    let mut open = vec![automaton.entry];
    while let Some(location) = open.pop() {
        if !seen.insert(location as usize) {
            continue;
        }
        let Some(at) = automaton.locations.get(location as usize) else { return true };
        for transition in &automaton.transitions[at.first as usize..(at.first + at.count) as usize] {
            if matches!(transition.action, Action::End) {
                return true;
            }
            open.push(transition.target);
        }
    }
    false
}

/// `len(q) op k`, whichever way round it is written.
pub fn length_comparison<'m>(op: BinaryOp, a: &'m Expr, b: &'m Expr) -> Option<(&'m Expr, LengthTest)> {
    match (&a.kind, &b.kind) {
        (ExprKind::Channel(ChannelTest::Len, channel), ExprKind::Constant(k)) => {
            let test = LengthTest::Compare(op, *k);
            test.answer(0, 0).map(|_| (channel.as_ref(), test))
        }
        (ExprKind::Constant(k), ExprKind::Channel(ChannelTest::Len, channel)) => {
            let turned = match op {
                BinaryOp::Less => BinaryOp::Greater,
                BinaryOp::LessEqual => BinaryOp::GreaterEqual,
                BinaryOp::Greater => BinaryOp::Less,
                BinaryOp::GreaterEqual => BinaryOp::LessEqual,
                other => other,
            };
            let test = LengthTest::Compare(turned, *k);
            test.answer(0, 0).map(|_| (channel.as_ref(), test))
        }
        _ => None,
    }
}

/// The channels of which a guard says `nempty` (true) or `nfull` (false).
pub fn assure<'m>(guard: &'m Expr, assured: &mut Vec<(bool, &'m Expr)>) {
    match &guard.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            assure(a, assured);
            assure(b, assured);
        }
        ExprKind::Binary(op, a, b) => {
            if let Some((channel, LengthTest::Compare(BinaryOp::Greater, 0))) = length_comparison(*op, a, b) {
                assured.push((true, channel));
            }
        }
        ExprKind::Channel(ChannelTest::NotEmpty | ChannelTest::Len, channel) => assured.push((true, channel)),
        ExprKind::Channel(ChannelTest::NotFull, channel) => assured.push((false, channel)),
        ExprKind::Unary(UnaryOp::Not, inner) => match &inner.kind {
            ExprKind::Channel(ChannelTest::Empty, channel) => assured.push((true, channel)),
            ExprKind::Channel(ChannelTest::Full, channel) => assured.push((false, channel)),
            _ => {}
        },
        _ => {}
    }
}

/// Plainly the same variable (or constant)?
pub fn same_variable(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Load(a), ExprKind::Load(b)) => {
            a.indices.is_empty() && b.indices.is_empty() && (a.region, a.offset) == (b.region, b.offset)
        }
        (ExprKind::Constant(a), ExprKind::Constant(b)) => a == b,
        _ => false,
    }
}
