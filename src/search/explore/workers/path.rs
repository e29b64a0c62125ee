//! The path to a state that several workers have found.
//!
//! A record says from which state its own was reached, by the upper half of that state's hash. The few states that have such a hash are
//! executed again, one after the other: one of them comes to the state, with the hidden variables and at the depth that the record tells. If
//! more than one does, the least is taken. So the path does not hang on the order in which the workers went.
//!
//! A store that keeps no states has a trace instead: for each state of a level its own hash and that of the state before it. The trace leads
//! back from the last level to the initial state, with most often one hash for each level, and then all states with such hashes are executed
//! from the initial state on. The way by which the state was reached is among what is met so; if there are more, the least is taken.

use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::outcome::Step;
use crate::search::reduce::Full;
use crate::search::walk::{Decision, Ended, Rules, Visitor, Walk};
use crate::store::SharedStates;
use std::collections::{BTreeMap, BTreeSet};

/// The steps from the initial state to the state at this position; `None` if there is no such path, which cannot be.
pub(super) fn path_to(program: &Program, states: &SharedStates, rules: Rules, position: u64) -> Option<Vec<Step>> {
    let mut machine = Machine::new(program).ok()?;
    let mut walk = Walk::new(program.transitions.len(), rules);
    let (mut wanted, mut before) = (Vec::new(), Vec::new());
    let mut parts = Vec::new();
    let mut session = states.session();
    let (mut origin, _) = session.read(position, &mut wanted);
    if states.forgets() {
        return traced(&mut machine, &mut walk, states, (&wanted, u64::from(origin.depth), origin.link));
    }
    while origin.depth > 0 {
        let mut best: Option<(Vec<u8>, Vec<Step>, _)> = None;
        for candidate in session.with_link(origin.link) {
            let (from, _) = session.read(candidate, &mut before);
            // Every step makes a path longer: so the way back comes to an end.
            if from.depth >= origin.depth || best.as_ref().is_some_and(|(least, ..)| *least <= before) {
                continue;
            }
            walk.base_depth = u64::from(from.depth);
            machine.load(&before);
            let mut finder = Finder { wanted: &wanted, depth: u64::from(origin.depth), steps: Vec::new() };
            if walk.expand(&mut machine, &mut finder, &mut Full) == Ended::Stopped {
                best = Some((before.clone(), finder.steps, from));
            }
        }
        let (state, steps, from) = best?;
        parts.push(steps);
        (wanted, origin) = (state, from);
    }
    Some(parts.into_iter().rev().flatten().collect())
}

/// States that are met on the way, each with its depth: which state of the level before it was reached from, and by which steps.
type Met = BTreeMap<(Vec<u8>, u64), (usize, Vec<Step>)>;

/// The same from a trace, to a state of the last level with these bytes and this depth that was reached from a state with this hash.
fn traced(
    machine: &mut Machine<'_>,
    walk: &mut Walk,
    states: &SharedStates,
    (wanted, depth, link): (&[u8], u64, u32),
) -> Option<Vec<Step>> {
    let last = states.levels().checked_sub(1)?;
    if last == 0 {
        return Some(Vec::new());
    }
    // The hashes of the states on the way, from the last but one level back to the second.
    let mut hashes = vec![BTreeSet::from([link])];
    for level in (2..last).rev() {
        let before = states.reached_from(level, hashes.last()?);
        hashes.push(before);
    }
    if last == 1 {
        hashes.clear();
    }
    let hidden = machine.program().hidden as usize;
    let mut met: Vec<Met> = vec![Met::from([((machine.saved().to_vec(), 0), (0, Vec::new()))])];
    for hashes in hashes.iter().rev() {
        let mut next = Met::new();
        for (number, ((state, depth), _)) in met.last()?.iter().enumerate() {
            walk.base_depth = *depth;
            machine.load(state);
            let is_wanted = |saved: &[u8], _| hashes.contains(&((states.hash(&saved[hidden..]) >> 32) as u32));
            let mut follower = Follower { is_wanted, number, next: &mut next };
            walk.expand(machine, &mut follower, &mut Full);
        }
        met.push(next);
    }
    let mut end = Met::new();
    for (number, ((state, before), _)) in met.last()?.iter().enumerate() {
        walk.base_depth = *before;
        machine.load(state);
        let is_wanted = |saved: &[u8], at| at == depth && saved == wanted;
        let mut follower = Follower { is_wanted, number, next: &mut end };
        walk.expand(machine, &mut follower, &mut Full);
    }
    let (_, (mut number, steps)) = end.pop_first()?;
    let mut parts = vec![steps];
    for level in met.iter().skip(1).rev() {
        let (_, (before, steps)) = level.iter().nth(number)?;
        parts.push(steps.clone());
        number = *before;
    }
    Some(parts.into_iter().rev().flatten().collect())
}

/// Keeps the states that are wanted. Of several ways to one of them the first stays.
struct Follower<'a, W> {
    is_wanted: W,
    number: usize,
    next: &'a mut Met,
}

impl<W: Fn(&[u8], u64) -> bool> Visitor for Follower<'_, W> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let saved = machine.saved();
        if (self.is_wanted)(saved, walk.depth()) {
            let key = (saved.to_vec(), walk.depth());
            self.next.entry(key).or_insert_with(|| (self.number, walk.path(machine)));
        }
        Decision::Back
    }
}

/// Ends the walk at a state with these bytes and this depth.
struct Finder<'a> {
    wanted: &'a [u8],
    depth: u64,
    steps: Vec<Step>,
}

impl Visitor for Finder<'_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        if walk.depth() == self.depth && machine.saved() == self.wanted {
            self.steps = walk.path(machine);
            return Decision::Stop;
        }
        Decision::Back
    }
}
