//! The inside of a `d_step`: a small automaton of its own, run from entry to exit as one transition.
//!
//! Inside, nothing is stored and the first executable option is taken, so gotos and structure can simply be walked
//! through; every way out of the block leads to the exit.

use super::link::Linker;
use super::{DSTEP, El, Flow, Jump, Kind};
use crate::model::{Action, After, Automaton, Location, Transition, TransitionType};
use std::collections::HashMap;
use std::sync::Arc;

/// The automata of all `d_step`s of a body.
pub(super) fn automata(linker: &mut Linker<'_>) -> Vec<(El, Automaton)> {
    let blocks: Vec<(El, El)> = linker
        .flow
        .elements
        .iter()
        .enumerate()
        .filter_map(|(el, element)| match element.kind {
            Kind::DStep(block) => Some((el, linker.flow.sequences[block].first?)),
            _ => None,
        })
        .collect();
    blocks.into_iter().map(|(el, first)| (el, automaton(linker, first))).collect()
}

fn automaton(linker: &mut Linker<'_>, first: El) -> Automaton {
    let mut made = Automaton::default();
    // Location 0 is the exit.
    made.locations.push(Location { span: linker.flow.elements[first].span, ..Location::default() });
    made.exit = Some(0);
    let mut known: HashMap<El, u32> = HashMap::new();
    let mut order: Vec<El> = Vec::new();
    made.entry = locate(linker, first, &mut known, &mut order);
    let mut at = 0;
    while let Some(&el) = order.get(at) {
        at += 1;
        let mut heads = Vec::new();
        collect(linker, el, &mut heads, 0);
        let begin = made.transitions.len() as u32;
        for head in heads {
            let next = match linker.flow.elements[head].kind {
                Kind::Goto(_) => linker.destination(head),
                _ => linker.flow.elements[head].next,
            };
            let target = next.map_or(0, |next| locate(linker, next, &mut known, &mut order));
            made.transitions.push(step(linker.flow, head, target));
        }
        let element = &linker.flow.elements[el];
        made.locations.push(Location {
            number: element.number,
            first: begin,
            count: made.transitions.len() as u32 - begin,
            span: element.span,
            ..Location::default()
        });
    }
    made
}

/// The location that going to an element leads to; 0 outside of the block.
fn locate(linker: &mut Linker<'_>, el: El, known: &mut HashMap<El, u32>, order: &mut Vec<El>) -> u32 {
    let Some(el) = linker.hunt(el, false) else { return 0 };
    let element = &linker.flow.elements[el];
    if element.status & DSTEP == 0 || matches!(element.kind, Kind::Stop) {
        return 0;
    }
    *known.entry(el).or_insert_with(|| {
        order.push(el);
        order.len() as u32
    })
}

/// The statements that may be done first from an element.
fn collect(linker: &Linker<'_>, el: El, heads: &mut Vec<El>, depth: usize) {
    // Blocks nest no deeper than there are elements.
    if depth > linker.flow.elements.len() {
        return;
    }
    let element = &linker.flow.elements[el];
    let firsts: Vec<El> = match element.kind {
        Kind::If | Kind::Do => element.sub.iter().filter_map(|&option| linker.flow.sequences[option].first).collect(),
        Kind::Block(block) | Kind::Atomic(block) | Kind::DStep(block) => {
            linker.flow.sequences[block].first.into_iter().collect()
        }
        _ => {
            heads.push(el);
            return;
        }
    };
    for first in firsts {
        let start = linker.start_of(first);
        collect(linker, start, heads, depth + 1);
    }
}

fn step(flow: &Flow, el: El, target: u32) -> Transition {
    let element = &flow.elements[el];
    let (action, kind, text): (Action, TransitionType, Arc<str>) = match &element.kind {
        Kind::Work(work) => (work.action.clone(), work.kind, work.text.clone()),
        Kind::Else => (Action::Else, TransitionType::Control, "else".into()),
        Kind::Goto(Jump::Break(_)) => (Action::Skip, TransitionType::Control, "break".into()),
        _ => (Action::Skip, TransitionType::Control, "goto".into()),
    };
    Transition { action, target, atomic: true, escape: 0, kind, text, span: element.span, after: After::default() }
}
