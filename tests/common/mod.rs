//! What the tests share: where the models are, what their head comments expect, how they are loaded and run.
//!
//! Nothing here passes over a model silently: a folder without models, a model that does not load and a line that is not
//! understood are failures.

// Each test file is a program of its own and uses a part of this.
#![allow(dead_code)]

use libtest_mimic::{Failed, Trial};
use pv::certificate::{ErrorKind, Names, Table};
use pv::exec::{Machine, Program};
use pv::model::Model;
use pv::search::monitor::Monitor;
use pv::search::outcome::{About, Outcome, Verdict, Violation, ViolationKind};
use pv::search::plan::{
    BreadthFirst, BreadthStore, Cycles, DepthFirst, DepthStore, Plan, Search, Sets, SharedStore, Techniques,
};
use pv::witness::Witness;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Models above this many states are left to the comparison with SPIN.
pub(crate) const LARGEST: u64 = 20_000;
/// No model of the corpus that ends needs a longer path.
pub(crate) const DEEPEST: u64 = 20_000;

/// The folder of the project.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The models of a folder of the project, in order.
pub(crate) fn models(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    assert!(!found.is_empty(), "{folder} has no models");
    found.sort();
    found
}

/// One trial for each model of the corpus and of the examples.
pub(crate) fn trials(check: fn(&Path) -> Result<(), Failed>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for folder in ["tests/corpus", "tests/corpus/micro", "examples", "examples/papers"] {
        for path in models(folder) {
            let name = format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            trials.push(Trial::test(name, move || check(&path)));
        }
    }
    trials
}

/// The program with these words, in this folder, with what it says kept.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pv"));
    command.args(line.split_whitespace()).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A model from a file.
pub(crate) fn load(path: &Path) -> Result<Model, String> {
    pv::load::read(path).map(|(_, model)| model)
}

/// A model from a text.
pub(crate) fn model_of(text: &str) -> Model {
    pv::load::read_text("model.pml", text).unwrap_or_else(|what| panic!("{text}\n{what}")).1
}

/// A model of `examples`, named without its ending.
pub(crate) fn example(name: &str) -> Model {
    load(&root().join("examples").join(format!("{name}.pml"))).unwrap_or_else(|what| panic!("{what}"))
}

/// A model of `tests/corpus`, named without its ending.
pub(crate) fn corpus_model(name: &str) -> Model {
    load(&root().join("tests/corpus").join(format!("{name}.pml"))).unwrap_or_else(|what| panic!("{what}"))
}

/// A depth-first search that keeps every state and leaves out as much as this.
pub(crate) fn reduced(techniques: Techniques) -> Search {
    Search::Depth(DepthFirst { store: DepthStore::Exact(techniques), ..DepthFirst::default() })
}

/// A breadth-first search in memory, reduced to these sets.
pub(crate) fn breadth_first(sets: Option<Sets>) -> Search {
    let store = BreadthStore::Exact { moves: false, sets, check_independence: false };
    Search::Breadth(BreadthFirst { store, max_depth: None })
}

/// A breadth-first search by so many threads.
pub(crate) fn workers(count: u16) -> Search {
    workers_with(count, SharedStore::Exact)
}

/// The same with this store.
pub(crate) fn workers_with(count: u16, store: SharedStore) -> Search {
    workers_reduced(count, store, None)
}

/// The same, reduced to these sets.
pub(crate) fn workers_reduced(count: u16, store: SharedStore, sets: Option<Sets>) -> Search {
    let workers = NonZeroU16::new(count).expect("a worker");
    let store = BreadthStore::Shared { workers, store, sets, work_dir: None };
    Search::Breadth(BreadthFirst { store, max_depth: None })
}

/// The plan with a bound on its paths.
pub(crate) fn bounded(mut plan: Plan, bound: Option<u64>) -> Plan {
    match &mut plan.search {
        Search::Depth(DepthFirst { max_depth, .. })
        | Search::Breadth(BreadthFirst { max_depth, .. })
        | Search::Cycles(Cycles { max_depth, .. }) => *max_depth = bound,
        Search::Precise(_) => assert_eq!(bound, None, "precision on demand has no bound"),
    }
    plan
}

/// Runs a plan without showing anything.
pub(crate) fn run(model: &Model, plan: &Plan) -> Outcome {
    let interrupt = AtomicBool::new(false);
    plan.execute(model, &mut Monitor::silent(&interrupt))
}

/// It found an error.
pub(crate) fn violated(outcome: &Outcome) -> bool {
    outcome.verdict == Verdict::Violated
}

/// Does the work for all these numbers, by as many threads as there are processors. What comes out is in the order of the numbers.
pub(crate) fn in_parallel<T: Send>(numbers: std::ops::Range<usize>, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(numbers.start);
    let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < numbers.end);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut found: Vec<(usize, T)> = std::thread::scope(|scope| {
        let one = || std::iter::from_fn(take).map(|number| (number, work(number))).collect::<Vec<_>>();
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("it has told what is wrong")).collect()
    });
    found.sort_by_key(|(number, _)| *number);
    found.into_iter().map(|(_, result)| result).collect()
}

/// What a certificate calls this error.
pub(crate) fn error_kind(violation: &Violation) -> ErrorKind {
    match (violation.kind, violation.about) {
        (ViolationKind::InvalidEndState, _) => ErrorKind::EndState,
        (ViolationKind::AcceptanceCycle | ViolationKind::NonProgressCycle, _) | (_, About::Property) => {
            ErrorKind::Property
        }
        (_, About::Assertion) => ErrorKind::Assertion,
        (_, About::Model) => ErrorKind::RunTime,
    }
}

/// The states along a counterexample, without a claim.
pub(crate) fn states_along(model: &Model, program: &Program, violation: &Violation) -> Result<Table, String> {
    let mut witness = Witness::new(model, None);
    let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
    witness.note(&machine);
    for &step in &violation.path {
        pv::search::walk::replay::take(&mut machine, step)?;
        if !machine.in_handshake() {
            witness.note(&machine);
        }
        machine.forget_journal_if_idle();
    }
    Ok(witness.into_table().distinct())
}

/// What a search says, and all that it has seen in the words of the model. With a claim the states are those of the product.
pub(crate) fn seen_by(model: &Model, plan: &Plan, claim: Option<usize>) -> (Outcome, Names, Table) {
    let interrupt = AtomicBool::new(false);
    let mut monitor = Monitor::silent(&interrupt);
    monitor.witness = Some(Witness::new(model, claim));
    let outcome = plan.execute(model, &mut monitor);
    let witness = monitor.witness.take().expect("a search gives back who looks at it");
    (outcome, witness.names().clone(), witness.into_table().distinct())
}

/// What the head comment of a model says about the full search; see `tests/spin_expect.py`.
#[derive(Debug)]
pub(crate) enum Expectation {
    /// SPIN does not accept the model.
    Refused,
    /// SPIN gave up in the middle, or its verifier crashed.
    Partial,
    /// What comes out.
    Counts(Expected),
    /// Nothing is said about safety.
    None,
}

/// The figures of an `expect:` line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Expected {
    /// The verdict is `violated`; else `verified`.
    pub violated: bool,
    pub stored: u64,
    pub matched: u64,
    pub transitions: u64,
    pub atomic: u64,
    pub depth: u64,
    pub errors: u64,
}

/// The `expect:` line of a model's text.
pub(crate) fn expectation(text: &str) -> Expectation {
    let Some(line) = text.lines().find_map(|line| line.split_once("expect: ")) else { return Expectation::None };
    let line = line.1.trim_end_matches("*/").trim();
    match line.split_whitespace().next() {
        Some("refused") => Expectation::Refused,
        Some("partial") => Expectation::Partial,
        _ => Expectation::Counts(figures(line)),
    }
}

fn figures(line: &str) -> Expected {
    let mut expected = Expected::default();
    let mut known = 0;
    for pair in line.split_whitespace() {
        let (key, value) = pair.split_once('=').unwrap_or_else(|| panic!("`{pair}` in `expect: {line}`"));
        let number = || value.parse().unwrap_or_else(|_| panic!("`{pair}` in `expect: {line}`"));
        match key {
            "verdict" => expected.violated = value == "violated",
            "stored" => expected.stored = number(),
            "matched" => expected.matched = number(),
            "transitions" => expected.transitions = number(),
            "atomic" => expected.atomic = number(),
            "depth" => expected.depth = number(),
            "errors" => expected.errors = number(),
            _ => panic!("`{pair}` in `expect: {line}`"),
        }
        known += 1;
    }
    assert_eq!(known, 7, "expect: {line}");
    expected
}

/// One `expect-liveness:` line.
pub(crate) struct ExpectedCycle<'a> {
    /// Name of the claim; `-` is the never claim, or the accept labels of the model.
    pub property: &'a str,
    /// `acceptance` or `non-progress`.
    pub mode: &'a str,
    pub fair: bool,
    pub violated: bool,
}

/// The `expect-liveness:` lines of a model's text.
pub(crate) fn expected_cycles(text: &str) -> Vec<ExpectedCycle<'_>> {
    let lines = text.lines().filter_map(|line| line.split_once("expect-liveness: "));
    lines
        .map(|(_, rest)| {
            let value = |key: &str| {
                let found = rest.split_whitespace().find_map(|pair| pair.strip_prefix(key));
                found.unwrap_or_else(|| panic!("no `{key}` in `expect-liveness: {rest}`"))
            };
            ExpectedCycle {
                property: value("property="),
                mode: value("mode="),
                fair: value("fair=") == "1",
                violated: value("violated=") == "1",
            }
        })
        .collect()
}

/// Waits for a process: its exit code, and the most kilobytes that the system saw it take. The peak is read while the process runs; it only
/// rises, so what is read is never too much.
#[cfg(target_os = "linux")]
pub(crate) fn peak_memory(mut child: std::process::Child) -> (Option<i32>, u64) {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Some(ended) = child.try_wait().expect("it can be waited for") {
            return (ended.code(), peak);
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
