//! One corpus, every search: each model of `tests/corpus` and `examples` says in its head comment what is to come out
//! (`expect: verdict=… stored=… matched=… transitions=… atomic=… depth=… errors=…`, measured with SPIN), and every
//! search and store has to agree.

mod common;

use common::{DEEPEST, Expectation, Expected, LARGEST, run, violated};
use libtest_mimic::{Arguments, Failed};
use pv::search::outcome::{Outcome, Verdict};
use pv::search::plan::Plan;
use std::path::Path;

fn main() {
    let arguments = Arguments::from_args();
    libtest_mimic::run(&arguments, common::trials(check)).exit();
}

/// What an outcome says, in the words of an `expect:` line.
fn figures(outcome: &Outcome, errors: u64) -> Expected {
    let counts = outcome.counts;
    Expected {
        violated: violated(outcome),
        stored: counts.stored,
        matched: counts.matched,
        transitions: counts.transitions(),
        atomic: counts.atomic_steps,
        depth: counts.depth,
        errors,
    }
}

fn check(path: &Path) -> Result<(), Failed> {
    let model = common::load(path);
    let expected = match common::expectation(&std::fs::read_to_string(path)?) {
        Expectation::Refused => {
            return if model.is_err() { Ok(()) } else { Err("pv accepts it, SPIN refuses it".into()) };
        }
        Expectation::None => return model.map(|_| ()).map_err(Failed::from),
        Expectation::Partial => {
            // SPIN gave up in the middle or its verifier crashed. pv has to come to an end; only endless runs are cut.
            let plan = common::bounded(Plan { all_errors: true, ..Plan::default() }, Some(DEEPEST));
            if let Ok(model) = model {
                run(&model, &plan);
            }
            return Ok(());
        }
        Expectation::Counts(expected) => expected,
    };
    let model = model?;
    if expected.stored > LARGEST {
        return Ok(());
    }
    let plan = Plan { all_errors: true, ..Plan::default() };
    let outcome = run(&model, &plan);
    // SPIN counts an index out of range once more when it undoes the step: the number of errors is not compared.
    let found = figures(&outcome, expected.errors);
    if found != expected {
        return Err(format!("{found:?}, expected {expected:?}").into());
    }
    if let Verdict::Incomplete(limit) = &outcome.verdict {
        return Err(format!("incomplete: {limit:?}").into());
    }
    for violation in &outcome.violations {
        let (_, program) = plan.property().compile(&model);
        pv::search::walk::replay::verify(&program, &violation.path)
            .map_err(|reason| format!("the path to `{}` does not replay: {reason}", violation.message))?;
    }
    let wide = run(&model, &Plan { search: common::breadth_first(None), ..plan });
    if wide.counts.stored != expected.stored || violated(&wide) != expected.violated {
        return Err(format!("breadth-first: {} states, {}", wide.counts.stored, wide.verdict.name()).into());
    }
    Ok(())
}
