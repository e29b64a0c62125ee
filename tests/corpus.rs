//! One corpus, every search: each model of `tests/corpus` and `examples` says in its head comment what is to come out
//! (`expect: verdict=… stored=… matched=… transitions=… atomic=… depth=… errors=…`, measured with SPIN), and every
//! search and store has to agree.

mod common;

use libtest_mimic::{Arguments, Failed};
use pv::model::Model;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Outcome, Verdict};
use pv::search::plan::{Order, Plan};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Models above this many states are left to the comparison with SPIN, which runs in release.
const LARGEST: u64 = 20_000;

fn main() {
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, common::trials(check)).exit();
}

/// What the head comment asks for.
enum Expectation {
    Refused,
    /// SPIN gave up at an error: pv has to find one too.
    Partial,
    Counts(HashMap<String, String>),
    /// Nothing is said about safety.
    None,
}

fn expectation(text: &str) -> Expectation {
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("expect: ") {
            let rest = rest.trim_end_matches("*/").trim();
            if rest.starts_with("refused") {
                return Expectation::Refused;
            }
            if rest.starts_with("partial") {
                return Expectation::Partial;
            }
            let pairs = rest.split_whitespace().filter_map(|pair| pair.split_once('='));
            return Expectation::Counts(pairs.map(|(key, value)| (key.to_string(), value.to_string())).collect());
        }
    }
    Expectation::None
}

fn run(model: &Model, plan: &Plan) -> Outcome {
    let interrupt = AtomicBool::new(false);
    plan.execute(model, &mut Monitor::silent(&interrupt))
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let model = pv::load::read(path).map(|(_, model)| model);
    let expected = match expectation(&text) {
        Expectation::Refused => {
            return if model.is_err() { Ok(()) } else { Err("pv accepts it, SPIN refuses it".into()) };
        }
        Expectation::None => return model.map(|_| ()).map_err(Failed::from),
        Expectation::Partial => {
            // SPIN gave up in the middle or its verifier crashed. pv has to come to an end; only endless runs are cut.
            let plan = Plan { all_errors: true, max_depth: Some(20_000), ..Plan::default() };
            let _ = model.map(|model| run(&model, &plan));
            return Ok(());
        }
        Expectation::Counts(expected) => expected,
    };
    let model = model?;
    if expected.get("stored").and_then(|number| number.parse().ok()).unwrap_or(0) > LARGEST {
        return Ok(());
    }
    let plan = Plan { all_errors: true, ..Plan::default() };
    let outcome = run(&model, &plan);
    let counts = outcome.counts;
    let violated = outcome.verdict == Verdict::Violated;
    let found = [
        ("verdict", if violated { "violated" } else { "verified" }.to_string()),
        ("stored", counts.stored.to_string()),
        ("matched", counts.matched.to_string()),
        ("transitions", counts.transitions().to_string()),
        ("atomic", counts.atomic_steps.to_string()),
        ("depth", counts.depth.to_string()),
    ];
    let differs: Vec<String> = found
        .iter()
        .filter_map(|(key, value)| {
            let wanted = expected.get(*key)?;
            (wanted != value).then(|| format!("{key} {value}, expected {wanted}"))
        })
        .collect();
    if !differs.is_empty() {
        return Err(differs.join("; ").into());
    }
    for violation in &outcome.violations {
        let (_, program) = plan.compile(&model);
        pv::search::replay::verify(&program, &violation.path)
            .map_err(|reason| format!("the path to `{}` does not replay: {reason}", violation.message))?;
    }
    let wide = run(&model, &Plan { order: Order::BreadthFirst, ..plan });
    if wide.counts.stored != counts.stored || (wide.verdict == Verdict::Violated) != violated {
        return Err(format!("breadth-first: {} states, {}", wide.counts.stored, wide.verdict.name()).into());
    }
    Ok(())
}
