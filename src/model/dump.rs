//! Automata as text: the list SPIN's verifier prints with `-d`, for comparison with it, and DOT for `pv graph`.

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

/// The automata as DOT, one cluster each. `note` adds a line to a transition's label, for example what it reads and
/// writes; it is given the number of the proctype in the order shown, the location and the transition.
pub fn dot(
    model: &Model,
    only: Option<&str>,
    mut note: impl FnMut(usize, u32, &Transition) -> Option<String>,
) -> String {
    let mut out = String::from("digraph model {\n  node [shape=circle, fontsize=10];\n  edge [fontsize=9];\n");
    for (number, proctype) in all(model).enumerate() {
        if only.is_some_and(|only| *proctype.name != *only) {
            continue;
        }
        let automaton = &proctype.automaton;
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", escape(&proctype.name));
        let _ = writeln!(out, "    p{number} [shape=point];\n    p{number} -> p{number}s{};", automaton.entry);
        for location in order(automaton) {
            let place = &automaton.locations[location as usize];
            let mut shape = Vec::new();
            if place.end {
                shape.push("peripheries=2");
            }
            if place.accept {
                shape.push("color=red");
            } else if place.progress {
                shape.push("color=darkgreen");
            }
            let mut label = place.number.to_string();
            for name in &place.labels {
                label.push_str("\\n");
                label.push_str(&escape(name));
            }
            let _ = write!(out, "    p{number}s{location} [label=\"{label}\"");
            shape.iter().for_each(|shape| _ = write!(out, ", {shape}"));
            out.push_str("];\n");
            for transition in automaton.at(location) {
                edge(&mut out, number, location, transition, note(number, location, transition));
            }
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn edge(out: &mut String, number: usize, location: u32, transition: &Transition, note: Option<String>) {
    let mut label = escape(&transition.text);
    if let Some(note) = note {
        label.push_str("\\n");
        label.push_str(&escape(&note));
    }
    if matches!(transition.action, Action::End) {
        let _ = writeln!(out, "    p{number}e{location} [shape=point, style=invis];");
        let _ = writeln!(out, "    p{number}s{location} -> p{number}e{location} [label=\"{label}\"];");
        return;
    }
    let style = if transition.atomic { ", style=bold" } else { "" };
    let colour = if transition.escape != 0 { ", color=blue" } else { "" };
    let _ = writeln!(
        out,
        "    p{number}s{location} -> p{number}s{} [label=\"{label}\"{style}{colour}];",
        transition.target
    );
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}
