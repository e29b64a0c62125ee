//! Automata as never claims in SPIN's layout, and as DOT.
//!
//! SPIN takes acceptance from labels that begin with `accept`, so the labels carry it. A state that accepts everything is the
//! label `accept_all` before `skip`, as SPIN writes it: the claim ends there, and the end of a claim is a violation. It is only
//! printed as such when it is not also the initial state.

use std::fmt::{self, Display, Write};

use super::buchi::Buchi;
use super::guard::{Cube, Guard};

/// A guard as a Promela expression, with `atom` to print the atoms.
pub fn guard<D: Display>(guard: &Guard, atom: &impl Fn(u32) -> D) -> String {
    if guard.is_true() {
        return "(1)".to_string();
    }
    let cubes: Vec<String> = guard.cubes.iter().map(|one| cube(one, atom)).collect();
    match cubes.as_slice() {
        [] => "(0)".to_string(),
        [only] => format!("({only})"),
        _ => format!("(({}))", cubes.join(") || (")),
    }
}

fn cube<D: Display>(cube: &Cube, atom: &impl Fn(u32) -> D) -> String {
    let literals: Vec<String> = (0..u64::BITS)
        .filter_map(|number| {
            if cube.positive >> number & 1 == 1 {
                Some(format!("({})", atom(number)))
            } else if cube.negative >> number & 1 == 1 {
                Some(format!("!({})", atom(number)))
            } else {
                None
            }
        })
        .collect();
    literals.join(" && ")
}

/// The automaton as a never claim; `comment` is printed beside its head.
pub fn never_claim<D: Display>(automaton: &Buchi, comment: &str, atom: impl Fn(u32) -> D) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_never_claim(&mut out, automaton, comment, &atom);
    out
}

fn write_never_claim<D: Display>(
    out: &mut String,
    automaton: &Buchi,
    comment: &str,
    atom: &impl Fn(u32) -> D,
) -> fmt::Result {
    // The text of a formula may contain the end of a comment, as in `p */ q`.
    writeln!(out, "never  {{    /* {} */", comment.replace("*/", "* /").replace('\n', " "))?;
    // The claim starts at its first statement, so the initial state comes first; the endless one last.
    let mut order: Vec<usize> = (0..automaton.states.len()).collect();
    order.sort_by_key(|&state| (state != automaton.initial, is_end(automaton, state)));
    for &state in &order {
        let it = &automaton.states[state];
        writeln!(out, "{}:", label(automaton, state))?;
        if is_end(automaton, state) {
            writeln!(out, "\tskip")?;
            continue;
        }
        if it.transitions.is_empty() {
            // No word is accepted: block for ever.
            writeln!(out, "\tfalse;")?;
            continue;
        }
        writeln!(out, "\tdo")?;
        for (on, target) in &it.transitions {
            writeln!(out, "\t:: {} -> goto {}", guard(on, atom), label(automaton, *target))?;
        }
        writeln!(out, "\tod;")?;
    }
    writeln!(out, "}}")
}

/// Whether a state is printed as the end of the claim.
fn is_end(automaton: &Buchi, state: usize) -> bool {
    state != automaton.initial && automaton.accepts_all(state)
}

fn label(automaton: &Buchi, state: usize) -> String {
    let accepting = automaton.states[state].accepting;
    if is_end(automaton, state) {
        // One such state is left after reduction; the number keeps labels apart in automata made by hand.
        match automaton.accept_all_states().find(|&other| is_end(automaton, other)) {
            Some(first) if first == state => "accept_all".to_string(),
            _ => format!("accept_all{state}"),
        }
    } else if state == automaton.initial {
        if accepting { "accept_init" } else { "T0_init" }.to_string()
    } else if accepting {
        format!("accept_S{state}")
    } else {
        format!("T0_S{state}")
    }
}

/// The automaton as a DOT graph: accepting states have a double border.
pub fn dot<D: Display>(automaton: &Buchi, title: &str, atom: impl Fn(u32) -> D) -> String {
    let mut out = String::new();
    let _ = write_dot(&mut out, automaton, title, &atom);
    out
}

fn write_dot<D: Display>(out: &mut String, automaton: &Buchi, title: &str, atom: &impl Fn(u32) -> D) -> fmt::Result {
    writeln!(out, "digraph claim {{")?;
    writeln!(out, "  label=\"{}\";", escape(title))?;
    writeln!(out, "  rankdir=LR;")?;
    writeln!(out, "  start [shape=point];")?;
    writeln!(out, "  start -> s{};", automaton.initial)?;
    for (state, it) in automaton.states.iter().enumerate() {
        let shape = if it.accepting { "doublecircle" } else { "circle" };
        writeln!(out, "  s{state} [shape={shape}, label=\"{state}\"];")?;
        for (on, target) in &it.transitions {
            writeln!(out, "  s{state} -> s{target} [label=\"{}\"];", escape(&guard(on, atom)))?;
        }
    }
    writeln!(out, "}}")
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
