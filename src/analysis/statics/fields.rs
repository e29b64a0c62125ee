//! Fields of messages that nobody reads: they are sent as 0.
//!
//! A field of a global channel is *unread* if every receive and every poll that may be on this channel ignores the field, nothing is
//! sorted into the channel, and no trace is about the channel. A receive into a variable that nobody reads ignores the field, too
//! (`dead` has seen to it). Two states that differ in unread fields only are then related as two states are that differ in a global
//! which nobody reads. Which channels an expression may mean is the analysis of `flow`; channels of processes are left alone, for their
//! numbers are used again.
//!
//! A field is sent as 0 everywhere or nowhere, so that in every state it is 0: where one send has to compute it, because that can
//! fail, or may also be on a channel where the field is read, no send is changed.

use super::super::flow::Flow;
use crate::model::visit::{self, can_fault};
use crate::model::{Action, Automaton, Expr, ExprKind, Initial, Model, ReceiveArgument};
use crate::mutants::{self, Mutant};

/// A field of a global channel, by their numbers.
pub(super) type FieldOf = (usize, usize);

/// Sends the unread fields of all channels as 0; gives these fields.
pub(super) fn send_zero(model: &mut Model) -> Vec<FieldOf> {
    let flow = Flow::new(model);
    let mut unread: Vec<Vec<bool>> = model.channels.iter().map(|channel| vec![true; channel.fields.len()]).collect();
    note_reads(model, &flow, &mut unread);
    while keep_what_is_computed(model, &flow, &mut unread) {}
    for p in 0..model.proctypes.len() {
        clear(&mut model.proctypes[p].automaton, p, &flow, &unread);
    }
    let fields = unread.iter().enumerate();
    fields.flat_map(|(channel, unread)| (0..unread.len()).filter(|&k| unread[k]).map(move |k| (channel, k))).collect()
}

fn note_reads(model: &Model, flow: &Flow, unread: &mut [Vec<bool>]) {
    for (p, proctype) in model.proctypes.iter().enumerate() {
        visit::actions(&proctype.automaton, &mut |action| {
            match action {
                Action::Receive { channel, arguments, .. } => read(flow, p, channel, Some(arguments), unread),
                Action::Send { channel, sorted: true, .. } => read(flow, p, channel, None, unread),
                _ => {}
            }
            visit::expressions(action, &mut |expr| polls(flow, p, expr, unread));
        });
        proctype.provided.iter().for_each(|clause| polls(flow, p, clause, unread));
        for initial in &proctype.initial {
            if let Initial::Assign(_, value) = initial {
                polls(flow, p, value, unread);
            }
        }
    }
    for id in model.trace.iter().flat_map(|trace| trace.sends.iter().chain(&trace.receives)) {
        if let Some(unread) = (*id as usize).checked_sub(1).and_then(|channel| unread.get_mut(channel)) {
            unread.fill(false);
        }
    }
}

fn polls(flow: &Flow, p: usize, expr: &Expr, unread: &mut [Vec<bool>]) {
    visit::walk(expr, &mut |e| {
        if let ExprKind::Poll { channel, arguments, .. } = &e.kind {
            read(flow, p, channel, Some(arguments), unread);
        }
    });
}

/// Notes the fields that a pattern looks at; without a pattern, all of them.
fn read(flow: &Flow, p: usize, channel: &Expr, pattern: Option<&Vec<ReceiveArgument>>, unread: &mut [Vec<bool>]) {
    for class in flow.channels(p, channel).iter() {
        let Some(unread) = unread.get_mut(class) else { continue };
        for (k, unread) in unread.iter_mut().enumerate() {
            let argument = pattern.and_then(|pattern| pattern.get(k));
            *unread &= matches!(argument, Some(ReceiveArgument::Ignore)) || mutants::is(Mutant::FieldsUnread);
        }
    }
}

/// Is field `k` of a message that is sent here unread, whichever channel is meant?
fn is_unread(flow: &Flow, p: usize, channel: &Expr, k: usize, unread: &[Vec<bool>]) -> bool {
    let unread_on = |class: usize| unread.get(class).and_then(|unread| unread.get(k)) == Some(&true);
    let classes = flow.channels(p, channel);
    !classes.is_empty() && classes.iter().all(unread_on)
}

/// Takes back the fields that some send has to compute; true if there were any.
fn keep_what_is_computed(model: &Model, flow: &Flow, unread: &mut [Vec<bool>]) -> bool {
    let mut changed = false;
    for (p, proctype) in model.proctypes.iter().enumerate() {
        visit::actions(&proctype.automaton, &mut |action| {
            let Action::Send { channel, arguments, .. } = action else { return };
            let classes = flow.channels(p, channel);
            let most = classes.iter().filter_map(|class| unread.get(class)).map(Vec::len).max().unwrap_or(0);
            for k in 0..most {
                let can_clear = arguments.get(k).is_some_and(|argument| !can_fault(argument));
                if can_clear && is_unread(flow, p, channel, k, unread) {
                    continue;
                }
                for class in classes.iter() {
                    if let Some(unread) = unread.get_mut(class).and_then(|unread| unread.get_mut(k)) {
                        changed |= std::mem::replace(unread, false);
                    }
                }
            }
        });
    }
    changed
}

fn clear(automaton: &mut Automaton, p: usize, flow: &Flow, unread: &[Vec<bool>]) {
    for transition in &mut automaton.transitions {
        match &mut transition.action {
            Action::Send { channel, arguments, .. } => {
                for (k, argument) in arguments.iter_mut().enumerate() {
                    if is_unread(flow, p, channel, k, unread) {
                        *argument = Expr { kind: ExprKind::Constant(0), span: argument.span };
                    }
                }
            }
            Action::DStep(body) => clear(body, p, flow, unread),
            _ => {}
        }
    }
}
