//! Automata as text: the list SPIN's verifier prints with `-d`, for comparison with it.

use super::{Action, Automaton, Model, Proctype, ProctypeKind, Transition};
use std::fmt::Write;

/// Every transition of every automaton, one per line and in the form of `pan -d`, states in the order in which a
/// walk from the entry meets them. State numbers are SPIN's.
pub fn automata(model: &Model) -> String {
    let mut out = String::new();
    for proctype in all(model) {
        match proctype.kind {
            ProctypeKind::Init => out.push_str("init\n"),
            ProctypeKind::Claim => _ = writeln!(out, "claim {}", proctype.name),
            ProctypeKind::Trace => out.push_str("trace assertion\n"),
            ProctypeKind::Notrace => out.push_str("notrace assertion\n"),
            ProctypeKind::Proctype => _ = writeln!(out, "proctype {}", proctype.name),
        }
        for location in order(&proctype.automaton) {
            let place = &proctype.automaton.locations[location as usize];
            for transition in proctype.automaton.at(location) {
                line(&mut out, &proctype.automaton, place, transition);
            }
        }
    }
    out
}

/// Process types, then the trace, then the claims.
fn all(model: &Model) -> impl Iterator<Item = &Proctype> {
    let claims = model.claims.iter().map(|claim| &claim.body);
    model.proctypes.iter().chain(model.trace.iter().map(|trace| &trace.body)).chain(claims)
}

fn line(out: &mut String, automaton: &Automaton, place: &super::Location, transition: &Transition) {
    let target = match transition.action {
        Action::End => 0,
        _ => automaton.locations.get(transition.target as usize).map_or(0, |target| target.number),
    };
    let step = match transition.action {
        _ if transition.atomic => 'A',
        Action::DStep(_) => 'D',
        _ => '-',
    };
    let flag = |set: bool, letter: char| if set { letter } else { '-' };
    let _ = write!(out, "\tstate {:3} -> state {target:3}", place.number);
    if transition.escape != 0 {
        let _ = write!(out, " [org {:3}]", transition.escape);
    }
    let (accept, end, progress) = (flag(place.accept, 'a'), flag(place.end, 'e'), flag(place.progress, 'p'));
    let _ = writeln!(out, " [{step}{accept}{end}{progress}] {}", transition.text);
}

/// Locations in the order of a depth-first walk from the entry.
fn order(automaton: &Automaton) -> Vec<u32> {
    let mut seen = vec![false; automaton.locations.len()];
    let mut found = Vec::new();
    let mut open = vec![automaton.entry];
    while let Some(location) = open.pop() {
        let Some(seen) = seen.get_mut(location as usize) else { continue };
        if std::mem::replace(seen, true) {
            continue;
        }
        found.push(location);
        let targets = automaton.at(location).iter().filter(|step| !matches!(step.action, Action::End));
        open.extend(targets.map(|step| step.target).collect::<Vec<_>>().into_iter().rev());
    }
    found
}
