//! What a simulation may choose from is what a search explores: walking by choices alone from the initial state reaches
//! exactly as many states as SPIN stores, on every verified model of the corpus. Looking for choices changes nothing.

mod common;

use common::Expectation;
use pv::exec::{Machine, Program};
use pv::search::outcome::Actor;
use pv::search::walk::possible::{atomic_after, choices};
use pv::search::walk::replay;
use std::collections::HashSet;

/// Larger models would take long in a debug build and show nothing new.
const LARGEST: usize = 2000;

fn expected_states(text: &str) -> Option<usize> {
    match common::expectation(text) {
        Expectation::Counts(counts) if !counts.violated => Some(counts.stored as usize).filter(|&n| n <= LARGEST),
        _ => None,
    }
}

/// Storable states that choices lead to.
fn reachable(model: &pv::model::Model) -> Result<usize, String> {
    let program = Program::new(model, None);
    let mut machine = Machine::new(&program).map_err(|trap| program.describe(trap))?;
    let (mut stored, mut seen) = (HashSet::new(), HashSet::new());
    let mut waiting = vec![(machine.saved().to_vec(), None)];
    while let Some((state, atomic)) = waiting.pop() {
        if !seen.insert((state.clone(), atomic)) {
            continue;
        }
        machine.load(&state);
        let list = choices(&mut machine, atomic);
        // Inside an atomic block a state is not stored, unless the block is broken off there.
        let goes_on = |pid| list.iter().any(|choice| choice.pid == pid && !choice.steps[0].timeout);
        if !atomic.is_some_and(goes_on) {
            stored.insert(machine.state().to_vec());
        }
        for choice in list {
            machine.load(&state);
            let (mut next, mut failed) = (None, false);
            for &step in &choice.steps {
                let Actor::Process(pid) = step.actor else { return Err("a claim has moved".into()) };
                let proctype = machine.proctype(usize::from(pid));
                failed |= replay::take(&mut machine, step)?.is_some();
                next = atomic_after(&machine, proctype, step);
            }
            if !failed {
                waiting.push((machine.saved().to_vec(), next));
            }
        }
    }
    Ok(stored.len())
}

#[test]
fn choices_reach_what_searches_reach() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for folder in ["tests/corpus", "examples"] {
        for path in common::models(folder) {
            let text = std::fs::read_to_string(&path).unwrap();
            let Some(expected) = expected_states(&text) else { continue };
            // Flags of the preprocessor would be needed.
            if text.contains("spin-flags:") {
                continue;
            }
            let model = common::load(&path).unwrap_or_else(|what| panic!("{what}"));
            // Hidden variables are not part of a stored state, so what follows depends on who comes first.
            if model.hidden_size > 0 {
                continue;
            }
            tried += 1;
            let found = reachable(&model);
            if found != Ok(expected) {
                wrong.push(format!("{}: {found:?}, expected {expected}", path.display()));
            }
        }
    }
    assert!(tried > 100, "only {tried} models were tried");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// To find the choices of a state, every step that is possible there is executed and undone, and every other one is tried.
#[test]
fn trying_a_step_leaves_the_state_as_it_was() {
    let mut states = 0;
    for path in common::models("tests/corpus") {
        let Ok(model) = common::load(&path) else { continue };
        let program = Program::new(&model, None);
        let Ok(mut machine) = Machine::new(&program) else { continue };
        // One way through the model, which takes another choice in each state.
        for number in 0..100 {
            let before = machine.saved().to_vec();
            let list = choices(&mut machine, None);
            assert_eq!(machine.saved(), before, "{}: state {number}", path.display());
            states += 1;
            let Some(choice) = (!list.is_empty()).then(|| &list[number % list.len()]) else { break };
            for &step in &choice.steps {
                replay::take(&mut machine, step).unwrap_or_else(|what| panic!("{}: {what}", path.display()));
            }
        }
    }
    assert!(states > 1_000, "only {states} states were seen");
}
