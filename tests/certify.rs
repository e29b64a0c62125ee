//! The reference executor agrees with SPIN: the counts of every model of the corpus, and the verdicts.

mod common;

use common::{Expectation, LARGEST};
use indexmap::IndexSet;
use pv::certify::cycles::{Judgement, Property, judge};
use pv::certify::definition::Definition;
use pv::certify::graph::{Explored, explore};
use pv::certify::moves::{Moves, merged_moves, moves};
use pv::certify::run::Run;
use pv::search::plan::Plan;
use pv::source::SourceMap;
use pv::source::preprocess::PreprocessOptions;
use std::collections::HashSet;
use std::path::Path;

fn definition(path: &Path) -> Result<Definition, String> {
    common::load(path)?;
    let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
    let file = map.read_model(path, &mut diagnostics).map_err(|error| error.to_string())?;
    pv::certify::read(&mut map, file, &PreprocessOptions::default()).map_err(|unclear| unclear.to_string())
}

fn definition_of(text: &str) -> Definition {
    common::model_of(text);
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml".to_string(), None, text.to_string());
    pv::certify::read(&mut map, file, &PreprocessOptions::default())
        .unwrap_or_else(|unclear| panic!("{text}: {unclear}"))
}

fn explored(text: &str) -> Explored {
    explore(&definition_of(text), PARTIAL).unwrap_or_else(|fault| panic!("{text}: {}", fault.kind.message()))
}

/// So many states of a model whose number of states is not known.
const PARTIAL: usize = 2_000;

/// The model is not left to faster programs.
fn is_small(text: &str) -> bool {
    !matches!(common::expectation(text), Expectation::Counts(expected) if expected.stored > LARGEST)
}

/// Stored, matched and transitions, and whether something is wrong.
fn counts(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let expected = match common::expectation(&text) {
        Expectation::Counts(expected) if is_small(&text) => expected,
        // SPIN gave up or its verifier crashed: there is no count, but the search has to come to an end.
        Expectation::Partial => {
            if let Ok(definition) = definition(path) {
                let _ = explore(&definition, PARTIAL);
            }
            return Ok(());
        }
        _ => return Ok(()),
    };
    let definition = definition(path)?;
    let explored = explore(&definition, 2 * LARGEST as usize).map_err(|fault| fault.kind.message().to_string())?;
    let found = (explored.violated(), explored.stored, explored.matched);
    let wanted = (expected.violated, expected.stored, expected.matched);
    if found == wanted { Ok(()) } else { Err(format!("{found:?}, expected {wanted:?}, {:?}", explored.faults.first())) }
}

/// The verdicts of the `expect-liveness:` lines.
fn cycles(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    for expected in common::expected_cycles(&text).into_iter().filter(|_| is_small(&text)) {
        let definition = definition(path)?;
        let property = match (expected.property, expected.mode) {
            (_, "non-progress") => Property::NonProgress,
            ("-", _) => Property::Acceptance,
            (name, _) => match definition.formulas.iter().find(|(known, _)| **known == *name) {
                Some((_, formula)) => Property::Formula(formula),
                None => return Err(format!("no property `{name}`")),
            },
        };
        let found = judge(&definition, property, expected.fair, 10 * LARGEST as usize);
        let found = found.map_err(|fault| fault.kind.message().to_string())?;
        let wanted = if expected.violated { Judgement::Violated } else { Judgement::Holds };
        if found != wanted {
            return Err(format!("{} fair={}: {found:?}, expected {wanted:?}", expected.property, expected.fair));
        }
    }
    Ok(())
}

fn all(folder: &str, check: fn(&Path) -> Result<(), String>) {
    let mut wrong = Vec::new();
    for path in common::models(folder) {
        if let Err(what) = check(&path) {
            wrong.push(format!("{}: {what}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{} of {folder} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// pv without any reduction, for models of which SPIN's counts are not written down. How often a known state is met is left
/// out: in an atomic block of more than 5,000 steps pv does not follow every way, as SPIN does.
fn as_pv(path: &Path) -> Result<(), String> {
    let Ok(model) = common::load(path) else { return Ok(()) };
    let outcome = common::run(&model, &Plan { all_errors: true, ..Plan::default() });
    let explored = explore(&definition(path)?, PARTIAL).map_err(|fault| fault.kind.message().to_string())?;
    let found = (explored.violated(), explored.stored);
    let wanted = (common::violated(&outcome), outcome.counts.stored);
    if found == wanted { Ok(()) } else { Err(format!("{found:?}, pv has {wanted:?}")) }
}

/// Ways through a block that meet go on as one: what they lead to, who has moved and what goes wrong stays what it is.
fn as_merged(path: &Path) -> Result<(), String> {
    let Ok(definition) = definition(path) else { return Ok(()) };
    let Ok(first) = Run::initial(&definition, false) else { return Ok(()) };
    let mut known = IndexSet::from([first]);
    let mut at = 0;
    while let Some(state) = known.get_index(at).cloned().filter(|_| at < PARTIAL / 4) {
        let all = |found: &Moves| {
            let faults: HashSet<_> = found.moves.iter().flat_map(|one| one.faults.clone()).collect();
            let ends: HashSet<_> =
                found.moves.iter().filter_map(|one| Some((one.end.clone()?, one.movers.clone()))).collect();
            (faults, ends, found.any, found.able.clone())
        };
        let (every, merged) = (moves(&definition, &state), merged_moves(&definition, &state));
        if all(&every) != all(&merged) {
            return Err(format!("state {at} has other moves"));
        }
        known.extend(every.moves.into_iter().filter_map(|one| one.end));
        at += 1;
    }
    Ok(())
}

#[test]
fn ways_that_meet_go_on_as_one() {
    all("tests/corpus", as_merged);
    all("tests/corpus/micro", as_merged);
}

/// A block that branches and comes around has ways without number. None of them is followed twice.
#[test]
fn a_block_without_an_end_is_followed_once() {
    let text = "byte x; active proctype P() { atomic { do :: x = 1 - x :: x = 1 :: x = 0 :: break od }; x = 5 }";
    let found = explored(text);
    assert!(found.endless && !found.violated());
    let model = common::model_of(text);
    let outcome = common::run(&model, &Plan { all_errors: true, ..Plan::default() });
    assert_eq!(found.stored, outcome.counts.stored);
}

/// There are more than a million ways through this block, and hardly any states in it.
#[test]
fn a_wide_block_is_judged_by_its_states() {
    let choice = "if :: x = 1 :: x = 2 :: x = 1 :: skip fi; x = 0; ".repeat(30);
    let definition = definition_of(&format!("byte x; active proctype P() {{ do :: atomic {{ {choice} }} od }}"));
    assert_eq!(judge(&definition, Property::Acceptance, false, PARTIAL), Ok(Judgement::Holds));
    assert_eq!(judge(&definition, Property::NonProgress, false, PARTIAL), Ok(Judgement::Violated));
}

/// SPIN: 5 and 8. Both blocks are longer than 5,000 steps and branch at their end.
#[test]
fn every_way_through_a_long_block_counts() {
    for (name, stored, matched) in [("fair_long_block", 3, 5), ("fair_long_block_movers", 13, 8)] {
        let path = common::root().join(format!("tests/corpus/liveness/{name}.pml"));
        let found = explore(&definition(&path).expect(name), PARTIAL).expect(name);
        assert_eq!((found.stored, found.matched), (stored, matched), "{name}");
    }
}

#[test]
fn models_without_counts() {
    all("tests/corpus/liveness", as_pv);
}

/// SPIN stores 5 states: the block in front of the inner `unless` is numbered behind both escapes, and the outer one is there taken
/// for a part of the inner one.
#[test]
fn an_outer_escape_behind_a_block() {
    let block = explored("byte g; init { { { { skip } unless { g = 1 } } unless { skip } } }");
    assert_eq!((block.stored, block.matched), (5, 0));
    let plain = explored("byte g; init { { { skip } unless { g = 1 } } unless { skip } }");
    assert_eq!((plain.stored, plain.matched), (3, 0));
    // An atomic block as the main statement is numbered behind its escape, a plain block is not.
    let late = "{ skip; MAIN { g == 7 } unless { timeout } } unless { timeout }";
    let atomic = explored(&format!("byte g; init {{ {} }}", late.replace("MAIN", "atomic")));
    assert_eq!((atomic.stored, atomic.matched), (4, 1));
    let block = explored(&format!("byte g; init {{ {} }}", late.replace("MAIN", "")));
    assert_eq!((block.stored, block.matched), (4, 0));
}

/// What a hidden variable holds in a state depends on the way on which the state was met first, so the order of the search matters.
#[test]
fn hidden_variables_depend_on_the_order() {
    let text = "hidden byte h; active proctype P() { if :: do :: h = 1 - h :: break od fi } \
                active proctype Q() { { _pid == h } }";
    let found = explored(text);
    assert_eq!((found.violated(), found.stored, found.matched), (false, 8, 6));
}

#[test]
fn an_error_in_a_block_without_an_end_is_told() {
    let found = explored("byte x; active proctype P() { atomic { do :: x = 1 - x; assert(x == 3) od } }");
    assert!(found.endless && found.violated());
    assert_eq!(found.stored, 1);
}

#[test]
fn a_process_that_waits_at_an_accept_label_accepts() {
    let definition = definition_of("chan q = [1] of { byte }; active proctype P() { accept: q?1 }");
    assert_eq!(judge(&definition, Property::Acceptance, true, PARTIAL), Ok(Judgement::Violated));
    assert_eq!(judge(&definition, Property::NonProgress, true, PARTIAL), Ok(Judgement::Holds));
}

/// Behind the first state there is no other one, but the formula is violated by the first.
#[test]
fn a_formula_that_the_first_state_violates() {
    let text =
        "byte x; active proctype P() { atomic { do :: x = 1 - x od } } ltl p { [] (x > 1) } ltl q { <> (x > 1) }";
    let definition = definition_of(text);
    let judged = |number: usize| judge(&definition, Property::Formula(&definition.formulas[number].1), false, PARTIAL);
    assert_eq!(judged(0), Ok(Judgement::Violated));
    assert_eq!(judged(1), Ok(Judgement::Holds));
}

#[test]
fn corpus() {
    all("tests/corpus", counts);
}

#[test]
fn corners() {
    all("tests/corpus/micro", counts);
}

#[test]
fn runs_without_an_end() {
    all("tests/corpus/liveness", cycles);
    all("examples", cycles);
}

#[test]
fn examples() {
    all("examples", counts);
}
