//! Does it matter which pid a process has?
//!
//! A process that has reached its closing brace stays in the state until all younger ones are dead, and pids depend on the
//! order of births and deaths. Where nothing in the model can see that, two states that differ only in finished processes
//! and in the numbering of the others have the same moves up to that difference: the relation is a bisimulation that
//! respects assertions and valid end states. A reduction may then work on its classes, in which a death changes nothing
//! and two births commute. (Sleep sets may not: they need both orders to lead to the very same state.)
//!
//! Not seen are pids if the model has no `_pid`, `_nr_pr`, `_last`, `enabled`, `pc_value`, `np_`, remote references,
//! priorities and no use of the value of a `run`, and if no process owns channels (their ids, and what is left in them, go
//! with the process). The bound on the number of processes must be out of reach too: finished processes count.

use super::block::sources;
use super::visit;
use crate::exec::LIMIT;
use crate::model::{Action, Expr, ExprKind, Model, ScalarType};

/// Can nothing in the model tell pids, births and deaths apart?
pub fn ignores_pids(model: &Model) -> bool {
    let uses = &model.uses;
    if uses.last || uses.priorities || uses.enabled || uses.pc_value || uses.non_progress {
        return false;
    }
    let mut blind = true;
    for proctype in &model.proctypes {
        blind &= proctype.channels.is_empty();
        blind &= proctype.locals.iter().all(|local| local.ty != ScalarType::Pid);
        let mut look = |expr: &Expr, top: bool| {
            visit::walk(expr, &mut |e| match &e.kind {
                ExprKind::Pid
                | ExprKind::ProcessCount
                | ExprKind::Last
                | ExprKind::NonProgress
                | ExprKind::Enabled(_)
                | ExprKind::PcValue(_)
                | ExprKind::RemoteLabel { .. }
                | ExprKind::RemoteVariable(_) => blind = false,
                ExprKind::Run { .. } => blind &= top && std::ptr::eq(e, expr),
                _ => {}
            });
        };
        if let Some(provided) = &proctype.provided {
            look(provided, false);
        }
        for initial in &proctype.initial {
            if let crate::model::Initial::Assign(_, value) = initial {
                look(value, false);
            }
        }
        visit::actions(&proctype.automaton, &mut |action| {
            visit::expressions(action, &mut |expr| look(expr, matches!(action, Action::Guard(_))));
        });
    }
    blind && births(model).is_some_and(|births| births + model.processes.len() < LIMIT)
}

/// At most this many processes are made in any run; `None` if there is no such bound.
fn births(model: &Model) -> Option<usize> {
    let count = model.proctypes.len();
    // by process type: which it makes, each time
    let mut makes = vec![vec![0usize; count]; count];
    for (p, proctype) in model.proctypes.iter().enumerate() {
        let automaton = &proctype.automaton;
        let sources = sources(automaton);
        for (t, transition) in automaton.transitions.iter().enumerate() {
            let mut made = Vec::new();
            visit::expressions(&transition.action, &mut |expr| {
                visit::walk(expr, &mut |e| {
                    if let ExprKind::Run { proctype, .. } = e.kind {
                        made.push(proctype as usize);
                    }
                });
            });
            if made.is_empty() {
                continue;
            }
            // in a loop, or inside a d_step, which may loop
            if matches!(transition.action, Action::DStep(_)) || returns(automaton, transition.target, sources[t]) {
                return None;
            }
            made.into_iter().for_each(|q| makes[p][q] += 1);
        }
    }
    // how many a process of each type causes in all; more rounds than process types mean recursion
    let mut total = vec![0usize; count];
    for round in 0..=count {
        let next: Vec<usize> = (0..count)
            .map(|p| (0..count).map(|q| makes[p][q] * (1 + total[q])).fold(0, usize::saturating_add))
            .collect();
        if next == total {
            return Some(model.processes.iter().map(|c| total[c.proctype as usize]).fold(0, usize::saturating_add));
        }
        if round == count || next.iter().any(|&n| n > LIMIT) {
            return None;
        }
        total = next;
    }
    None
}

/// Can control come from one location to another?
fn returns(automaton: &crate::model::Automaton, from: u32, to: u32) -> bool {
    let mut seen = vec![false; automaton.locations.len()];
    let mut open = vec![from];
    while let Some(location) = open.pop() {
        if location == to {
            return true;
        }
        let Some(flag) = seen.get_mut(location as usize) else { continue };
        if !std::mem::replace(flag, true) {
            open.extend(automaton.at(location).iter().map(|t| t.target));
        }
    }
    false
}
