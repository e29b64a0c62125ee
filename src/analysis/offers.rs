//! What an offer looks at: a rendezvous send asks every other process whether it takes the message.
//!
//! To ask a process is to evaluate its `provided` clause and the channels that it receives from, and the evaluation can be an
//! error. Inside an atomic block the question is asked in the middle of a move, so everything that it evaluates belongs to
//! the reads of that move; the process that takes the message adds the rest of its own block to the move. For a send that is
//! the first step of a move, the question matters only where nothing but an offer makes a process look at a receive: while a
//! send is offered, neither escapes nor the other guards of a `d_step` hide that receive. See "Looks" in docs/soundness.md.

use super::block::sources;
use super::collect::Collector;
use super::flow::{BitSet, Flow};
use super::footprint::{Flags, Footprint, Owner, Value};
use super::visit;
use crate::model::{Action, Automaton, Expr, ExprKind, Initial, Model, Region, ScalarType, Transition};

/// A rendezvous inside a block may be taken up by any process that can receive on such a channel; its block follows.
pub(super) fn add_partners(model: &Model, flow: &Flow, footprints: &mut [Vec<Footprint>]) {
    // receives on rendezvous channels, by process type
    let mut receives: Vec<Vec<usize>> = Vec::new();
    for (p, proctype) in model.proctypes.iter().enumerate() {
        let receives_so = |action: &Action| match action {
            Action::Receive { channel, .. } => flow.channels(p, channel).iter().any(|c| flow.capacity[c] == 0),
            _ => false,
        };
        let list = proctype.automaton.transitions.iter().enumerate().filter(|(_, t)| match &t.action {
            Action::DStep(body) => body.at(body.entry).iter().any(|first| receives_so(&first.action)),
            action => receives_so(action),
        });
        receives.push(list.map(|(t, _)| t).collect());
    }
    let plain: Vec<Vec<Footprint>> = footprints.to_vec();
    let asked: Vec<Footprint> = (0..model.proctypes.len()).map(|p| asked(model, flow, p)).collect();
    for footprint in footprints.iter_mut().flatten().filter(|f| !f.partners.is_empty()) {
        let mut done = 0;
        while let Some(&partner) = footprint.partners.get(done) {
            done += 1;
            let theirs = receives[partner as usize].iter().map(|&t| &plain[partner as usize][t]);
            for theirs in theirs.chain([&asked[partner as usize]]) {
                footprint.union(&of_somebody(theirs));
            }
        }
    }
}

/// What is read when a process of this type is asked whether it takes an offer: its clause, and which channels it receives
/// from.
fn asked(model: &Model, flow: &Flow, p: usize) -> Footprint {
    let mut collector = Collector::new(model, flow, p);
    if let Some(provided) = &model.proctypes[p].provided {
        collector.read(provided);
    }
    visit::actions(&model.proctypes[p].automaton, &mut |action| {
        if let Action::Receive { channel, .. } = action {
            collector.read(channel);
        }
    });
    collector.finish()
}

/// By process type and location: the abstract channels on which a process there may take an offer. These are all channels where
/// the question itself can be an error, and where the process has a `provided` clause, which is evaluated at every location.
pub(super) fn hearing(model: &Model, flow: &Flow) -> Vec<Vec<BitSet>> {
    let of_type = |p: usize| {
        let automaton = &model.proctypes[p].automaton;
        let always = model.proctypes[p].provided.is_some() || !flow.overlooked[p].is_empty();
        let at = |location| if always { flow.all() } else { heard_at(flow, p, automaton.at(location)) };
        (0..automaton.locations.len() as u32).map(at).collect()
    };
    (0..model.proctypes.len()).map(of_type).collect()
}

/// The channels on which the receives among these transitions may take an offer.
fn heard_at(flow: &Flow, p: usize, transitions: &[Transition]) -> BitSet {
    let mut heard = BitSet::new(flow.classes());
    let mut hear = |action: &Action| {
        if let Action::Receive { channel, .. } = action {
            // A variable that never holds a channel: to ask is an error.
            if can_be_made_to_fail(flow, channel) || flow.channels(p, channel).is_empty() {
                heard = flow.all();
            }
            flow.channels(p, channel).iter().filter(|&c| flow.capacity[c] == 0).for_each(|c| {
                heard.insert(c);
            });
        }
    };
    for transition in transitions {
        match &transition.action {
            Action::DStep(body) => body.at(body.entry).iter().for_each(|first| hear(&first.action)),
            action => hear(action),
        }
    }
    heard
}

/// The evaluation of the expression may be an error, and variables that other processes write decide it.
pub(super) fn can_be_made_to_fail(flow: &Flow, expr: &Expr) -> bool {
    let mut shared = false;
    visit::walk(expr, &mut |e| match &e.kind {
        ExprKind::Load(place) => {
            let written = flow.global_written.get(place.variable as usize);
            shared |= place.region != Region::Local && written != Some(&false);
        }
        ExprKind::Constant(_) | ExprKind::Pid | ExprKind::Unary(..) | ExprKind::Binary(..) => {}
        ExprKind::Conditional(..) => {}
        _ => shared = true,
    });
    let is_channel = matches!(&expr.kind, ExprKind::Load(place) if place.ty == ScalarType::Chan);
    shared && (is_channel || visit::can_fault(expr))
}

/// The footprint of a process that somebody else's block draws in, whichever process of its type it is.
fn of_somebody(footprint: &Footprint) -> Footprint {
    let mut theirs = footprint.clone();
    theirs.forget();
    theirs.flags = Flags(theirs.flags.0 & !(Flags::RENDEZVOUS_SEND.0 | Flags::RENDEZVOUS_RECEIVE.0 | Flags::DIES.0));
    for access in &mut theirs.channels {
        (access.many, access.own) = (true, false);
    }
    for access in &mut theirs.memory {
        if matches!(access.owner, Owner::Own) {
            access.owner = Owner::Process(Value::Any);
        }
    }
    // where they are, whoever looks at it: see `relate`
    theirs.visits.clear();
    theirs
}

/// By process type: the transitions that an offer may bring to light and whose look can be an error; see [`is_overlooked`].
pub(super) fn overlooked(model: &Model, flow: &Flow) -> Vec<BitSet> {
    let of_type = |p: usize| {
        let sources = sources(&model.proctypes[p].automaton);
        let mut set = BitSet::new(sources.len());
        (0..sources.len()).filter(|&t| is_overlooked(model, flow, p, t, sources[t])).for_each(|t| {
            set.insert(t);
        });
        set
    };
    (0..model.proctypes.len()).map(of_type).collect()
}

/// A receive that is looked at when somebody offers a message, and may be passed over when it is its own process's turn:
/// behind an escape, or behind other options of a `d_step`. To look at it can be an error, because its channel cannot be
/// told, is no more or has fewer fields. Such an error happens only while somebody offers something.
fn is_overlooked(model: &Model, flow: &Flow, p: usize, t: usize, source: u32) -> bool {
    let automaton = &model.proctypes[p].automaton;
    let can_fail = |action: &Action| match action {
        Action::Receive { channel, arguments, .. } => {
            let fits = |class: usize| fields(model, flow, class).is_some_and(|fields| arguments.len() <= fields);
            !is_there(model, flow, p, channel) || !flow.channels(p, channel).iter().all(fits)
        }
        _ => false,
    };
    match &automaton.transitions[t].action {
        Action::DStep(body) => {
            let guards = body.at(body.entry);
            let hidden = guards.len() > 1 || is_behind_escape(automaton, t, source);
            hidden && guards.iter().any(|guard| can_fail(&guard.action))
        }
        action => is_behind_escape(automaton, t, source) && can_fail(action),
    }
}

/// Is there an escape before this transition that keeps it from being looked at?
fn is_behind_escape(automaton: &Automaton, t: usize, source: u32) -> bool {
    let earlier = &automaton.transitions[automaton.locations[source as usize].first as usize..t];
    earlier.iter().any(|other| other.escape != 0 && other.escape != automaton.transitions[t].escape)
}

/// Number of fields of an abstract channel.
fn fields(model: &Model, flow: &Flow, class: usize) -> Option<usize> {
    if let Some(channel) = model.channels.get(class) {
        return Some(channel.fields.len());
    }
    let p = flow.own_channels.partition_point(|&first| first <= class).checked_sub(1)?;
    Some(model.proctypes[p].channels.get(class - flow.own_channels[p])?.fields.len())
}

/// Plainly a channel that lives as long as the process: declared with it or globally, and never assigned to.
fn is_there(model: &Model, flow: &Flow, p: usize, channel: &Expr) -> bool {
    let ExprKind::Load(place) = &channel.kind else { return false };
    let (initial, written) = match place.region {
        Region::Local => (&model.proctypes[p].initial, flow.local_written[p].get(place.variable as usize)),
        Region::Global | Region::Hidden => (&model.initial, flow.global_written.get(place.variable as usize)),
    };
    let declared = |made: &Initial| matches!(made, Initial::Channel(of, _) if of.variable == place.variable);
    place.indices.is_empty() && written == Some(&false) && initial.iter().any(declared)
}
