//! The reference executor agrees with SPIN: the counts of every model of the corpus, and the verdicts.

mod common;

use common::{Expectation, LARGEST};
use pv::certify::cycles::{Judgement, Property, judge};
use pv::certify::definition::Definition;
use pv::certify::graph::explore;
use pv::source::SourceMap;
use pv::source::preprocess::PreprocessOptions;
use std::path::Path;

fn definition(path: &Path) -> Result<Definition, String> {
    common::load(path)?;
    let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
    let file = map.read_model(path, &mut diagnostics).map_err(|error| error.to_string())?;
    pv::certify::read(&mut map, file, &PreprocessOptions::default()).map_err(|unclear| unclear.to_string())
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
