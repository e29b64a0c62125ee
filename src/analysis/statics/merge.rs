//! Merging: a *silent* step, one that touches only what its process alone sees, cannot block and cannot fail, is done
//! together with the step before it.
//!
//! A location is *passed* if its only transition is silent and nothing can tell whether the process has made that step:
//! - no remote reference names the location or the next one, and both have the same labels, as far as labels are looked at;
//! - `enabled`, `pc_value`, `_last`, priorities and a `provided` clause of the process ask for more than that: with these nothing is merged.
//!   A claim looks at every state, so that beside a claim steps are merged only if the claim cannot tell one state from two that look the
//!   same; whoever asks for the reduction has to know that;
//! - at the next location the process may be ready to take what another offers by rendezvous, and at this one it is not. Who
//!   offers sees the difference if it has an `else` or an escape beside the offer, or stands inside an atomic block that the failure
//!   breaks off. Where a model has such an offer, the step to a location that receives by rendezvous stays a step of its own.
//! - a silent step that leads into the inside of an atomic block is done before the block begins: the state behind it can be
//!   left to other processes. That is the same as long as they cannot hand it a message there.
//!
//! Each cycle of silent steps keeps one location, so that no endless run disappears. Transitions into a passed location lead on to
//! where its step leads, and so on. The locations and transitions that nothing leads to any more stay in the automaton, so that all
//! numbers are those of the user's model.

use super::super::flow::Flow;
use super::Observed;
use super::looks::Looks;
use crate::model::visit;
use crate::model::visit::can_fault;
use crate::model::{Action, Automaton, Expr, ExprKind, Location, Model, Transition};
use crate::mutants::{self, Mutant};

/// Silent steps that one transition takes over. A longer run keeps a location here and there.
const LONGEST: usize = 64;

/// Merges the silent steps of all process types. Gives, by process type and transition, the transitions that it takes over.
pub(super) fn merge(model: &mut Model, looks: &Looks, observed: Observed) -> Vec<Vec<Vec<u32>>> {
    let uses = &model.uses;
    let counted = uses.last || uses.enabled || uses.pc_value || uses.priorities;
    let mut tails = vec![Vec::new(); model.proctypes.len()];
    if counted {
        return tails;
    }
    let flow = Flow::new(model);
    let merger =
        Merger { model, looks, observed, flow: &flow, shy: observed.fair || has_sensitive_offer(model, &flow) };
    let passed: Vec<Vec<Option<u32>>> = (0..model.proctypes.len()).map(|p| merger.passed(p)).collect();
    for (p, passed) in passed.iter().enumerate() {
        tails[p] = join(&mut model.proctypes[p].automaton, passed);
    }
    tails
}

struct Merger<'m> {
    model: &'m Model,
    looks: &'m Looks,
    observed: Observed,
    flow: &'m Flow,
    /// Somebody can tell whether a process is ready for a rendezvous.
    shy: bool,
}

impl Merger<'_> {
    /// By location: the silent transition over which a process passes through it.
    fn passed(&self, p: usize) -> Vec<Option<u32>> {
        let proctype = &self.model.proctypes[p];
        let automaton = &proctype.automaton;
        let mut passed = vec![None; automaton.locations.len()];
        if proctype.provided.is_some() {
            return passed;
        }
        for (number, location) in automaton.locations.iter().enumerate() {
            let only = &automaton.transitions[location.first as usize..(location.first + location.count) as usize];
            if let [only] = only
                && only.target as usize != number
                && only.escape == 0
                && self.is_silent(p, &only.action)
                && self.look_alike(location, &automaton.locations[only.target as usize])
            {
                passed[number] = Some(location.first);
            }
        }
        let loose = self.loose(p, &passed);
        for number in 0..passed.len() {
            if let Some(only) = passed[number].map(|only| &automaton.transitions[only as usize])
                && (self.shy || (only.atomic && loose[number]))
                && self.receives(p, only.target)
            {
                passed[number] = None;
            }
        }
        break_cycles(automaton, &mut passed);
        break_runs(automaton, &mut passed);
        passed
    }

    /// Always executable, cannot fail, and touches nothing that others see.
    fn is_silent(&self, p: usize, action: &Action) -> bool {
        match action {
            // An `else` that is alone is always executable.
            Action::Skip | Action::Else => true,
            Action::Guard(Expr { kind: ExprKind::Constant(value), .. }) => *value != 0,
            Action::Assign(..) if mutants::is(Mutant::SharedStepsMerged) => true,
            Action::Assign(place, value) => {
                place.indices.is_empty() && self.looks.is_private(p, place) && self.is_own(p, value)
            }
            Action::Block(assignments) => assignments.iter().all(|(place, value)| {
                place.indices.is_empty() && self.looks.is_private(p, place) && self.is_own(p, value)
            }),
            // A search does not listen, and a replay prints what the user's model prints.
            Action::Printf(_, values) => !values.iter().any(can_fault),
            Action::Printm(value) => !can_fault(value),
            _ => false,
        }
    }

    /// The value hangs on the process alone.
    fn is_own(&self, p: usize, expr: &Expr) -> bool {
        let mut own = !can_fault(expr);
        visit::walk(expr, &mut |e| {
            own &= match &e.kind {
                ExprKind::Constant(_) | ExprKind::Pid => true,
                ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Conditional(..) => true,
                ExprKind::Load(place) => self.looks.is_private(p, place),
                _ => false,
            };
        });
        own
    }

    /// Nothing that is looked at tells one location from the other.
    fn look_alike(&self, from: &Location, to: &Location) -> bool {
        let named = |location: &Location| self.looks.named.contains(&location.number);
        !named(from)
            && !named(to)
            && (from.accept == to.accept || !self.observed.accept_labels)
            && (from.progress == to.progress || !(self.model.uses.non_progress || self.observed.non_progress))
    }

    /// By location: may a process stand there while others are free to move? Also by way of silent steps, which will be
    /// done before their atomic block begins.
    fn loose(&self, p: usize, passed: &[Option<u32>]) -> Vec<bool> {
        let automaton = &self.model.proctypes[p].automaton;
        let mut loose = vec![false; automaton.locations.len()];
        loose[automaton.entry as usize] = true;
        for transition in &automaton.transitions {
            if !transition.atomic || offers(self.flow, p, &transition.action) {
                loose[transition.target as usize] = true;
            }
        }
        let mut open: Vec<usize> = (0..loose.len()).filter(|&location| loose[location]).collect();
        while let Some(location) = open.pop() {
            if let Some(only) = passed[location] {
                let target = automaton.transitions[only as usize].target as usize;
                if !std::mem::replace(&mut loose[target], true) {
                    open.push(target);
                }
            }
        }
        loose
    }

    /// May a process take an offer at this location?
    fn receives(&self, p: usize, location: u32) -> bool {
        let automaton = &self.model.proctypes[p].automaton;
        automaton.at(location).iter().any(|transition| match &transition.action {
            Action::DStep(body) => body.at(body.entry).iter().any(|first| takes_offer(self.flow, p, &first.action)),
            action => takes_offer(self.flow, p, action),
        })
    }
}

fn may_be_rendezvous(flow: &Flow, p: usize, channel: &Expr) -> bool {
    flow.channels(p, channel).iter().any(|class| flow.capacity[class] == 0)
}

fn takes_offer(flow: &Flow, p: usize, action: &Action) -> bool {
    matches!(action, Action::Receive { channel, .. } if may_be_rendezvous(flow, p, channel))
}

fn offers(flow: &Flow, p: usize, action: &Action) -> bool {
    matches!(action, Action::Send { channel, .. } if may_be_rendezvous(flow, p, channel))
}

/// Is there an offer of which somebody can tell that nobody has taken it?
fn has_sensitive_offer(model: &Model, flow: &Flow) -> bool {
    model.proctypes.iter().enumerate().any(|(p, proctype)| {
        let automaton = &proctype.automaton;
        let mut inside = vec![false; automaton.locations.len()];
        for transition in automaton.transitions.iter().filter(|transition| transition.atomic) {
            inside[transition.target as usize] = true;
        }
        (0..automaton.locations.len()).any(|location| {
            let transitions = automaton.at(location as u32);
            let tells = |t: &Transition| t.escape != 0 || matches!(t.action, Action::Else);
            transitions.iter().any(|t| offers(flow, p, &t.action))
                && (inside[location] || transitions.iter().any(tells))
        })
    })
}

/// Each cycle of passed locations keeps one of them.
fn break_cycles(automaton: &Automaton, passed: &mut [Option<u32>]) {
    // By location: the walk on which it was met first.
    let mut met = vec![usize::MAX; passed.len()];
    for start in 0..passed.len() {
        let mut at = start;
        while let Some(only) = passed[at].filter(|_| met[at] == usize::MAX) {
            met[at] = start;
            at = automaton.transitions[only as usize].target as usize;
        }
        if met[at] == start {
            passed[at] = None;
        }
    }
}

/// Long runs of passed locations keep some of them.
fn break_runs(automaton: &Automaton, passed: &mut [Option<u32>]) {
    // By location: silent steps from here on, where they are known.
    let mut length: Vec<Option<usize>> = vec![None; passed.len()];
    for start in 0..passed.len() {
        let mut run = Vec::new();
        let mut at = start;
        while let Some(only) = passed[at].filter(|_| length[at].is_none()) {
            run.push(at);
            at = automaton.transitions[only as usize].target as usize;
        }
        let mut behind = length[at].unwrap_or(0);
        for &location in run.iter().rev() {
            behind += 1;
            if behind > LONGEST {
                passed[location] = None;
                behind = 0;
            }
            length[location] = Some(behind);
        }
    }
}

/// Leads every transition on over the passed locations behind it. Gives what each transition takes over.
fn join(automaton: &mut Automaton, passed: &[Option<u32>]) -> Vec<Vec<u32>> {
    let user = automaton.transitions.clone();
    // A process is at a passed location only if it has not moved yet. The other transitions of passed locations are executed
    // no more as they are, and to lead all of them on would copy each step as often as a run is long.
    let mut idle = vec![false; user.len()];
    let left = (0..passed.len()).filter(|&location| location != automaton.entry as usize);
    left.filter_map(|location| passed[location]).for_each(|only| idle[only as usize] = true);
    let mut tails = Vec::with_capacity(user.len());
    for (transition, idle) in automaton.transitions.iter_mut().zip(idle) {
        let mut tail = Vec::new();
        if !idle && !matches!(transition.action, Action::End) {
            while let Some(only) = passed[transition.target as usize] {
                let step = &user[only as usize];
                transition.target = step.target;
                transition.atomic &= step.atomic;
                if matches!(step.action, Action::Assign(..) | Action::Block(_)) {
                    transition.after.actions.push(step.action.clone());
                }
                tail.push(only);
            }
        }
        tails.push(tail);
    }
    tails
}
