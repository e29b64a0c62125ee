//! Searches by several threads over one table: every model of the corpus and of the examples with one to four workers. What is told must not
//! hang on their number, down to the last step of the path; where the whole state space is searched, the counts are those of the search
//! by one thread.

mod common;

use common::{DEEPEST, Expectation, LARGEST, run, violated, workers, workers_reduced, workers_with};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::exec::seam::Native;
use pv::model::Model;
use pv::search::outcome::{Outcome, Verdict};
use pv::search::plan::{Plan, Preserves, Property, Reductions, Sets, SharedStore, Size};
use std::path::Path;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = common::trials(check);
    for path in common::models("tests/corpus/liveness") {
        let name = format!("tests/corpus/liveness/{}", path.file_stem().unwrap_or_default().to_string_lossy());
        trials.push(Trial::test(name, move || check(&path)));
    }
    trials.push(Trial::test("the_command_line", the_command_line));
    trials.push(Trial::test("sets_leave_something_out", sets_leave_something_out));
    trials.push(Trial::test("a_certificate_is_proved", a_certificate_is_proved));
    trials.push(Trial::test("small_levels_are_told", small_levels_are_told));
    trials.push(Trial::test("signatures_that_omit_states", signatures_that_omit_states));
    trials.push(Trial::test("a_table_of_signatures_is_full", a_table_of_signatures_is_full));
    trials.push(Trial::test("signatures_leave_room_for_levels", signatures_leave_room_for_levels));
    libtest_mimic::run(&arguments, trials).exit();
}

/// All that is told, apart from times, memory and notes.
fn figures(outcome: &Outcome) -> String {
    let Outcome { verdict, counts, error_count, property_errors, model_error, violations, reached, completed, .. } =
        outcome;
    format!(
        "{verdict:?} {counts:?} {error_count} {property_errors} {model_error:?} {violations:?} {reached:?} {completed:?}"
    )
}

/// The searches that are compared: by name, and whether each is over the whole state space.
fn plans(model: &Model) -> Vec<(String, Plan)> {
    let full = Plan { all_errors: true, ..Plan::default() };
    let dead = Reductions { merging: false, ..Reductions::ALL };
    let mut plans = vec![
        ("all errors".to_string(), full.clone()),
        ("first error".to_string(), Plan::default()),
        ("first error, native".to_string(), Plan { native: Native::AtOnce, ..Plan::default() }),
    ];
    if model.hidden_size == 0 {
        plans.push(("dead variables".to_string(), Plan { statics: dead, ..Plan::default() }));
    }
    for property in Property::of_model(model) {
        if let (Some(claim), true) = (property.claim(), property.is_safety(model)) {
            plans.push((format!("claim {claim}"), Plan { claim: Some(claim), ..full.clone() }));
            plans.push((format!("claim {claim}, first error"), Plan { claim: Some(claim), ..Plan::default() }));
        }
    }
    plans
}

fn check(path: &Path) -> Result<(), Failed> {
    if let Expectation::Counts(expected) = common::expectation(&std::fs::read_to_string(path)?)
        && expected.stored > LARGEST
    {
        return Ok(());
    }
    let Ok(model) = common::load(path) else { return Ok(()) };
    for (number, (name, plan)) in plans(&model).into_iter().enumerate() {
        compare(&model, &name, &plan, None)?;
        if number < 2 {
            compare(&model, &name, &plan, Some(7))?;
        }
        compare_reduced(&model, &name, &plan)?;
    }
    Ok(())
}

fn compare(model: &Model, name: &str, plan: &Plan, bound: Option<u64>) -> Result<(), Failed> {
    let name = format!("{name}, bound {bound:?}");
    let deepest = bound.or(Some(DEEPEST));
    let alone = common::bounded(Plan { search: common::breadth_first(None), ..plan.clone() }, deepest);
    let alone = run(model, &alone);
    if alone.counts.stored > LARGEST {
        return Ok(());
    }
    let with = |count| run(model, &common::bounded(Plan { search: workers(count), ..plan.clone() }, deepest));
    let one = with(1);
    let tree = |count| {
        let search = workers_with(count, SharedStore::Tree);
        run(model, &common::bounded(Plan { search, ..plan.clone() }, deepest))
    };
    for (how, more) in [("2", with(2)), ("3", with(3)), ("4", with(4)), ("tree 1", tree(1)), ("tree 3", tree(3))] {
        if figures(&one) != figures(&more) {
            return Err(format!("{name}, {how} workers:\n{}\n{}", figures(&one), figures(&more)).into());
        }
    }
    replays(model, plan, &one).map_err(|what| format!("{name}: {what}"))?;
    let compact = |count| {
        let search = workers_with(count, signatures(64, 2 * one.counts.stored + 8));
        run(model, &common::bounded(Plan { search, ..plan.clone() }, deepest))
    };
    // With as many bits nothing is omitted here; only the verdict is another one.
    for outcome in [compact(1), compact(3)] {
        let verdict = match one.verdict {
            Verdict::Verified(_) => Verdict::NoErrorFound,
            ref other => other.clone(),
        };
        let exact = Outcome { verdict, ..one.clone() };
        if figures(&exact) != figures(&outcome) {
            return Err(format!("{name}, signatures:\n{}\n{}", figures(&exact), figures(&outcome)).into());
        }
    }
    if violated(&one) != violated(&alone) {
        return Err(format!("{name}: {:?}, alone {:?}", one.verdict, alone.verdict).into());
    }
    // The first error of a search by one thread is as near, in states; in steps, workers choose the nearest.
    if let (false, [found, ..], [first, ..]) = (plan.all_errors, &one.violations[..], &alone.violations[..])
        && found.about == first.about
        && found.depth > first.depth
        && bound.is_none()
    {
        return Err(format!("{name}: an error at {}, alone at {}", found.depth, first.depth).into());
    }
    let whole = bound.is_none() && model.hidden_size == 0 && (plan.all_errors || !violated(&alone));
    let counted = |outcome: &Outcome| {
        let counts = outcome.counts;
        let told = (counts.stored, counts.matched, counts.atomic_steps, counts.vector_bytes);
        (told, outcome.error_count, outcome.property_errors, outcome.reached.clone(), outcome.completed.clone())
    };
    if whole && !matches!(alone.verdict, Verdict::Incomplete(_)) && counted(&one) != counted(&alone) {
        return Err(format!("{name}:\n{:?}\nalone\n{:?}", counted(&one), counted(&alone)).into());
    }
    Ok(())
}

/// Persistent sets leave out the same for any number of workers and whatever they keep of a state, and the verdict is that of the whole search.
fn compare_reduced(model: &Model, name: &str, plan: &Plan) -> Result<(), Failed> {
    let property = plan.property();
    if !property.is_insensitive(model) {
        return Ok(());
    }
    let preserves = if property == Property::Safety { Preserves::Errors } else { Preserves::Runs };
    let sets = Sets { preserves, check: false };
    let alone =
        run(model, &common::bounded(Plan { search: common::breadth_first(None), ..plan.clone() }, Some(DEEPEST)));
    if alone.counts.stored > LARGEST {
        return Ok(());
    }
    let with = |count, store| {
        let search = workers_reduced(count, store, Some(sets));
        run(model, &common::bounded(Plan { search, ..plan.clone() }, Some(DEEPEST)))
    };
    let one = with(1, SharedStore::Exact);
    let others = [(2, SharedStore::Exact), (3, SharedStore::Exact), (4, SharedStore::Exact), (3, SharedStore::Tree)];
    for (count, store) in others {
        let more = with(count, store);
        if figures(&one) != figures(&more) {
            return Err(format!("{name}, sets, {count} {store:?}:\n{}\n{}", figures(&one), figures(&more)).into());
        }
    }
    let slots = signatures(64, 2 * alone.counts.stored + 8);
    let signed = [1, 3].map(|count| figures(&with(count, slots)));
    let verdict = if let Verdict::Verified(_) = one.verdict { Verdict::NoErrorFound } else { one.verdict.clone() };
    let expected = figures(&Outcome { verdict, ..one.clone() });
    if signed.iter().any(|told| *told != expected) {
        return Err(format!("{name}, sets, signatures:\n{expected}\n{signed:?}").into());
    }
    replays(model, plan, &one).map_err(|what| format!("{name}, sets: {what}"))?;
    if model.hidden_size > 0 || matches!(alone.verdict, Verdict::Incomplete(_)) {
        return Ok(());
    }
    let whole = !violated(&alone) || plan.all_errors;
    if violated(&one) != violated(&alone) || whole && one.counts.stored > alone.counts.stored {
        return Err(format!("{name}, sets:\n{}\nalone\n{}", figures(&one), figures(&alone)).into());
    }
    Ok(())
}

/// The trail file is the same, byte by byte, and the JSON report tells how many workers there were.
fn the_command_line() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let model = common::root().join("examples/two_phase_commit_bug.pml");
    let mut trails = Vec::new();
    for count in 1..=4 {
        let line = format!("check {} --workers {count} --json --trail t{count}", model.display());
        let output = common::command(folder.path(), &line).output()?;
        if output.status.code() != Some(1) {
            return Err(format!("{line}: {:?}", output.status).into());
        }
        let told = format!("\"workers\":{count}");
        let said: String = String::from_utf8_lossy(&output.stdout).split_whitespace().collect();
        if !said.contains(&told) {
            return Err(format!("no {told} in {said}").into());
        }
        trails.push(std::fs::read_to_string(folder.path().join(format!("t{count}")))?);
    }
    let same = trails.windows(2).all(|pair| pair[0] == pair[1]);
    if same { Ok(()) } else { Err("the trails differ".into()) }
}

/// The reduction is not idle, and not the same as none.
fn sets_leave_something_out() -> Result<(), Failed> {
    let model = common::load(&common::root().join("examples/leader_ring.pml")).map_err(|_| "no model")?;
    let sets = Sets { preserves: Preserves::Errors, check: false };
    let stored = |sets| {
        let search = workers_reduced(2, SharedStore::Exact, sets);
        run(&model, &Plan { search, ..Plan::default() }).counts.stored
    };
    let (whole, reduced) = (stored(None), stored(Some(sets)));
    if 2 * reduced < whole { Ok(()) } else { Err(format!("{reduced} of {whole}").into()) }
}

/// What several workers have seen is a proof, in whatever order they have seen it.
fn a_certificate_is_proved() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let model = common::root().join("examples/philosophers.pml");
    let lines = ["check {} --no-claims --workers 3 --certificate c", "certify {} c"];
    for line in lines.map(|line| line.replace("{}", &model.display().to_string())) {
        let output = common::command(folder.path(), &line).output()?;
        if output.status.code() != Some(0) {
            return Err(format!("{line}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    Ok(())
}

/// Where more workers do not pay, the report says so; of one worker there is nothing to say.
fn small_levels_are_told() -> Result<(), Failed> {
    let model = common::model_of("byte n; active proctype P() { do :: n < 200 -> n++ :: else -> break od }");
    let noted = |count| {
        let outcome = run(&model, &Plan { search: workers(count), ..Plan::default() });
        outcome.notes.iter().any(|note| note.contains("more than one worker pays"))
    };
    if noted(2) && !noted(1) { Ok(()) } else { Err("the note is missing, or too much".into()) }
}

/// Signatures of so many bits, in so many slots.
fn signatures(bits: u8, slots: u64) -> SharedStore {
    SharedStore::Compact { bits: Some(bits), size: Size::Slots(slots), runs: None }
}

/// Where states are omitted, the same ones are for any number of workers, and the report says how likely that was.
fn signatures_that_omit_states() -> Result<(), Failed> {
    let path = common::root().join("examples/philosophers.pml");
    let model = common::load(&path).map_err(|_| "no model")?;
    let whole = run(&model, &Plan { search: workers(1), ..Plan::default() });
    for seed in 1..4 {
        let with = |count| {
            let search = workers_with(count, signatures(6, 2 * whole.counts.stored));
            run(&model, &Plan { search, seed, ..Plan::default() })
        };
        let one = with(1);
        let all = [2, 3, 4].map(|count| figures(&with(count)) == figures(&one));
        let omitted = one.counts.stored < whole.counts.stored;
        let probable = one.omission_probability.is_some_and(|probability| probability > 0.5);
        if all.contains(&false) || !omitted || !probable || one.verdict != Verdict::NoErrorFound {
            return Err(format!("{} of {}, {}", one.counts.stored, whole.counts.stored, figures(&one)).into());
        }
    }
    Ok(())
}

/// A table without room ends the search, and the report says which table it was.
fn a_table_of_signatures_is_full() -> Result<(), Failed> {
    let model = common::load(&common::root().join("examples/philosophers.pml")).map_err(|_| "no model")?;
    for count in [1, 3] {
        let outcome = run(&model, &Plan { search: workers_with(count, signatures(40, 100)), ..Plan::default() });
        if !format!("{:?}", outcome.verdict).contains("TableFull { slots: 100 }") {
            return Err(format!("{:?}", outcome.verdict).into());
        }
    }
    Ok(())
}

/// Signatures do not take the memory that the states of two levels need: with three quarters of it for signatures, and the traces in memory, this
/// search had not enough of it.
fn signatures_leave_room_for_levels() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let model = common::root().join("examples/philosophers.pml");
    let line = format!("check {} -D N=10 --full --no-claims --workers 2 --store compact --memory 48M", model.display());
    let output = common::command(folder.path(), &format!("{line} --work-dir .")).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let done = output.status.code() == Some(0) && said.contains("472,312");
    if done { Ok(()) } else { Err(format!("{:?}: {said}", output.status).into()) }
}

/// The paths can be executed.
fn replays(model: &Model, plan: &Plan, outcome: &Outcome) -> Result<(), String> {
    let (_, program) = plan.property().compile(model);
    for violation in &outcome.violations {
        pv::search::walk::replay::verify(&program, &violation.path)
            .map_err(|reason| format!("the path to `{}` does not replay: {reason}", violation.message))?;
    }
    Ok(())
}
