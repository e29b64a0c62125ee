//! Does it matter which pid a process has?
//!
//! A process that has reached its closing brace stays in the state until all younger processes are dead, and pids depend on
//! the order of births and deaths. Where nothing in the model can see that, two states that differ only in finished processes
//! and in the numbering of the others have the same moves up to that difference: the relation between such states is a
//! bisimulation that respects assertions and valid end states. A reduction may then work on the classes of this relation, in
//! which a death changes nothing and two births commute. (Sleep sets may not: they need both orders to lead to the very same
//! state.)
//!
//! A model cannot see pids if it has no `_pid`, `_nr_pr`, `_last`, `enabled`, `pc_value`, `np_`, remote references and
//! priorities, and does not use the value of a `run`. A channel that a process owns must not be used after the death of its
//! owner ([`Flow::escapes`]), its id must be used as a channel only, and the messages that are left in it must not be judged.
//!
//! Finished processes count for the bound on the number of processes, so this bound must be out of reach too: either the
//! automata bound the number of births, or, where a process type makes itself again, the search counts the births.

use super::block::sources;
use super::flow::Flow;
use super::visit;
use crate::exec::LIMIT;
use crate::model::{Action, Automaton, Expr, ExprKind, Initial, Model, Place, ScalarType};

/// Can pids, births and deaths be seen?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// Yes.
    Seen,
    /// No.
    Blind,
    /// No, as long as no run makes more than this many processes; whoever relies on it must count.
    BlindUpTo(u32),
}

/// Can anything in the model tell pids, births and deaths apart? `strict`: messages left in channels are judged.
pub fn sight(model: &Model, flow: &Flow, strict: bool) -> Sight {
    let uses = &model.uses;
    if uses.last || uses.priorities || uses.enabled || uses.pc_value || uses.non_progress || model.trace.is_some() {
        return Sight::Seen;
    }
    let mut blind = true;
    let most_channels = model.proctypes.iter().map(|p| p.channels.len()).max().unwrap_or(0);
    for (p, proctype) in model.proctypes.iter().enumerate() {
        let own = proctype.channels.len();
        blind &= own == 0 || !strict;
        blind &= (0..own).all(|k| !flow.escapes.contains(flow.own_channels[p] + k));
        blind &= proctype.locals.iter().all(|local| local.ty != ScalarType::Pid);
        // A clause is evaluated for a finished process, too, until that is dead, and it decides when the process may die.
        blind &= proctype.provided.is_none();
        let mut look = |expr: &Expr, top: bool| {
            let watch = most_channels > 0;
            blind &= !(watch && shows_id(model, expr));
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
            if let Initial::Assign(_, value) = initial {
                look(value, false);
            }
        }
        visit::actions(&proctype.automaton, &mut |action| {
            visit::expressions(action, &mut |expr| {
                let channel = matches!(action, Action::Send { channel, .. } | Action::Receive { channel, .. }
                    if std::ptr::eq(channel, expr));
                if !(channel && is_channel(expr)) {
                    look(expr, matches!(action, Action::Guard(_)));
                }
            });
        });
    }
    if !blind {
        return Sight::Seen;
    }
    // ids of channels are bounded like pids
    let room = LIMIT.saturating_sub(model.channels.len()) / most_channels.max(1);
    let bound = room.min(LIMIT).saturating_sub(model.processes.len() + 1);
    match births(model) {
        Some(births) if births <= bound => Sight::Blind,
        Some(_) => Sight::Seen,
        None => Sight::BlindUpTo(bound as u32),
    }
}

/// A variable that holds a channel.
fn is_channel(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Load(Place { ty: ScalarType::Chan, indices, .. }) if indices.is_empty())
}

/// Is the id of a channel used as a number?
fn shows_id(model: &Model, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Load(place) if place.ty == ScalarType::Chan => true,
        ExprKind::Channel(_, channel) if is_channel(channel) => false,
        ExprKind::Poll { channel, arguments, .. } if is_channel(channel) => arguments
            .iter()
            .any(|argument| matches!(argument, crate::model::ReceiveArgument::Match(expr) if shows_id(model, expr))),
        ExprKind::Run { proctype, arguments, .. } => {
            // handed on as a channel it is not seen; a parameter of another type is a number
            let parameters = model.proctypes.get(*proctype as usize).map_or(&[][..], |made| &made.parameters);
            arguments.iter().enumerate().any(|(k, argument)| {
                let as_channel = parameters.get(k).is_some_and(|parameter| parameter.ty == ScalarType::Chan);
                !(as_channel && is_channel(argument)) && shows_id(model, argument)
            })
        }
        _ => {
            let mut shows = false;
            visit::each_child(expr, &mut |child| shows |= shows_id(model, child));
            shows
        }
    }
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
fn returns(automaton: &Automaton, from: u32, to: u32) -> bool {
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
