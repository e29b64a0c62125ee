//! pv as a library: a model, the options of `pv check`, and the answers as values. Nothing is printed, and no file is left
//! behind (`--disk` and `--serial` have files of their own while they search).
//!
//! ```
//! # fn main() -> Result<(), String> {
//! let model = "byte x; active [2] proctype P() { x++; assert(x < 2) }";
//! let answers = pv::Verifier::of_text("counter.pml", model).options("--search bfs").verify()?;
//! let answer = &answers[0];
//! assert!(!answer.is_verified());
//! let error = &answer.errors[0];
//! assert_eq!(error.message, "assertion violated (x < 2)");
//! for step in &error.steps {
//!     println!("{} {}: {}", step.process, step.line, step.text);
//! }
//! # Ok(()) }
//! ```
//!
//! The searches are those of the command, and so are the answers: a [`Verifier`] makes the same plans of the same words.

use super::check::{describe, is_failed_assertion, joined, property_name};
use super::load::{add_outside, outside};
use super::options::CheckArgs;
use super::plan::plans;
use crate::load::{compile_within, failed};
use crate::model::Model;
use crate::report::trail::{Trail, TrailStep};
use crate::report::{reason, written};
use crate::search::monitor::{Deadline, Monitor};
use crate::search::outcome::{Actor, Counts, Limit, Outcome, Verdict};
use crate::search::plan::{Assertions, Plan};
use crate::source::SourceMap;
use crate::source::diagnostic::Diagnostic;
use crate::source::preprocess::PreprocessOptions;
use crate::source::render::render;
use clap::Parser;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Stack of the thread that reads and searches: the tree of a deeply nested model is walked by recursion.
const STACK: usize = 256 << 20;

/// A model, and how it is to be checked.
#[derive(Clone, Debug)]
pub struct Verifier {
    name: String,
    text: Option<String>,
    words: Vec<String>,
}

/// What came of one property, or of assertions and end states where there is none.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The name of the property.
    pub property: Option<String>,
    /// The answer. An assertion that fails on the way does not decide a property; it is among the errors.
    pub verdict: Verdict,
    /// Why there is none, in words, where the verdict is [`Verdict::Incomplete`].
    pub reason: Option<String>,
    /// States, transitions, depth.
    pub counts: Counts,
    /// How an error is reached; with `--all-errors`, one way to each of them.
    pub errors: Vec<Counterexample>,
    /// Seconds of search.
    pub seconds: f64,
}

impl Answer {
    /// Every reachable state was looked at, and nothing is wrong.
    pub fn is_verified(&self) -> bool {
        matches!(self.verdict, Verdict::Verified(_))
    }
}

/// A run of the model that ends in an error, or repeats something for ever that it must not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    /// `assertion`, `invalid-end-state`, `acceptance-cycle`, `non-progress-cycle`, or `unhandled` for other errors at run time.
    pub kind: String,
    /// What is wrong.
    pub message: String,
    /// The file and the line of the statement.
    pub place: Option<(String, u32)>,
    /// The steps from the initial state on.
    pub steps: Vec<TextStep>,
    /// The steps from this one on repeat for ever.
    pub cycle_start: Option<usize>,
}

/// One step of a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextStep {
    /// The process type, or the name of the property for a step of its automaton.
    pub process: String,
    /// The number of the process; `None` for a step of the property's automaton.
    pub pid: Option<u8>,
    /// The line of the statement.
    pub line: u32,
    /// The statement.
    pub text: String,
}

/// The words of a check, without the name of the command.
#[derive(Parser, Debug)]
#[command(name = "pv check", no_binary_name = true, disable_help_flag = true)]
struct Words {
    #[command(flatten)]
    args: CheckArgs,
}

impl Verifier {
    /// The model in this file.
    pub fn of_file(file: impl AsRef<Path>) -> Verifier {
        Verifier { name: file.as_ref().display().to_string(), text: None, words: Vec::new() }
    }

    /// A model that is in memory; `name` is what messages call it.
    pub fn of_text(name: &str, text: &str) -> Verifier {
        Verifier { name: name.into(), text: Some(text.into()), words: Vec::new() }
    }

    /// Adds options as for `pv check`, separated by spaces. What writes files, prints or talks to other machines is refused by
    /// [`Verifier::verify`].
    pub fn options(mut self, words: &str) -> Verifier {
        self.words.extend(words.split_whitespace().map(str::to_string));
        self
    }

    /// Adds one option whose value may have spaces: `option("--formula", "[] (x < 2)")`.
    pub fn option(mut self, name: &str, value: &str) -> Verifier {
        self.words.extend([name.to_string(), value.to_string()]);
        self
    }

    /// Checks the model: an answer for each property, or for the model if it has none. `Err`: the model or the options are wrong, and
    /// this is what is wrong, as `pv check` would say it.
    pub fn verify(&self) -> Result<Vec<Answer>, String> {
        std::thread::scope(|scope| {
            let work = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || self.verify_here());
            let work = work.map_err(|error| format!("no room to search: {error}"))?;
            work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn verify_here(&self) -> Result<Vec<Answer>, String> {
        // A name that begins with a dash is none of an option.
        let words = self.words.iter().chain([&"--".to_string(), &self.name]).cloned().collect::<Vec<String>>();
        let args = Words::try_parse_from(words).map_err(|error| error.to_string())?.args;
        refuse(&args)?;
        let (map, model) = self.load(&args)?;
        let plans = plans(&args, &model)?;
        let deadline = plans.first().and_then(|plan| plan.time).and_then(Deadline::after);
        plans.iter().map(|plan| answer(&map, &model, plan, deadline)).collect()
    }

    fn load(&self, args: &CheckArgs) -> Result<(SourceMap, Model), String> {
        let mut map = SourceMap::new();
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let path = Path::new(&self.name);
        let file = match &self.text {
            Some(text) => map.add_file(self.name.clone(), Some(PathBuf::from(path)), text.clone()),
            None => map.read_file(path, &mut diagnostics).map_err(|error| error.to_string())?,
        };
        let beside = outside(&args.checks)?.map(|outside| add_outside(&mut map, &outside));
        let given = &args.model;
        let options = PreprocessOptions { defines: given.defines.clone(), include_dirs: given.include_dirs.clone() };
        let model = compile_within(&mut map, file, beside, &options, &mut diagnostics, &|| None);
        // What is wrong with a formula comes with the model; one that is not checked does not matter.
        let wanted = args.checks.property.as_deref();
        let checked = |name: &str| match beside {
            Some(_) => true,
            None => !args.checks.no_claims && !args.checks.non_progress && wanted.is_none_or(|wanted| wanted == name),
        };
        let broken = model.iter().flat_map(|model| &model.broken).filter(|formula| checked(&formula.name));
        diagnostics.extend(broken.flat_map(|formula| formula.diagnostics.clone()));
        match model.filter(|_| !failed(&diagnostics)) {
            Some(model) => Ok((map, model)),
            None => Err(render(&map, &diagnostics, false)),
        }
    }
}

/// What a library does not do is refused by name.
fn refuse(args: &CheckArgs) -> Result<(), String> {
    let options = &args.search;
    let refused = [
        (!args.more.is_empty(), "further models"),
        (args.json, "--json"),
        (args.format.is_some(), "--format"),
        (args.trail.is_some(), "--trail"),
        (args.no_trail, "--no-trail"),
        (args.another, "--another"),
        (args.certificate.is_some(), "--certificate"),
        (options.checkpoint.is_some(), "--checkpoint"),
        (options.processes.is_some(), "--processes"),
        (options.hosts.is_some(), "--hosts"),
    ];
    match refused.iter().find(|(given, _)| *given) {
        Some((_, name)) => Err(format!("{name}: only the command `pv check` does that")),
        None => Ok(()),
    }
}

/// Runs one plan.
fn answer(map: &SourceMap, model: &Model, plan: &Plan, deadline: Option<Deadline>) -> Result<Answer, String> {
    let interrupt = AtomicBool::new(false);
    let run = |plan: &Plan| {
        let mut monitor = Monitor::silent(&interrupt);
        monitor.deadline = deadline;
        plan.execute(model, &mut monitor)
    };
    let mut outcome = run(plan);
    let property = plan.property();
    let stops = !plan.all_errors && plan.assertions == Assertions::Report;
    if property.claim().is_some() && stops && is_failed_assertion(&outcome) {
        // It has ended the search, and says nothing about the property.
        outcome = joined(outcome, run(&plan.clone().passing_over_assertions()));
    }
    if let Verdict::Incomplete(Limit::Internal(what)) = &outcome.verdict {
        return Err(format!("internal error: {what}"));
    }
    let name = property_name(model, property);
    let (own, program) = property.compile(model);
    let described = own.as_ref().unwrap_or(model);
    let mut errors = Vec::new();
    for violation in &outcome.violations {
        let (trail, _) = describe(described, map, &program, plan, violation, name.as_deref(), &mut None)
            .map_err(|what| format!("internal error: the counterexample does not replay: {what}"))?;
        let message = written::failure(map, violation.span, &violation.message);
        errors.push(Counterexample { message, ..counterexample(trail) });
    }
    let why = match &outcome.verdict {
        Verdict::Incomplete(limit) => Some(reason(limit)),
        _ => outcome.stopped.as_ref().map(reason),
    };
    // An assertion that fails on the way is an error, but none of the property.
    let is_apart = property.claim().is_some() && outcome.error_count > outcome.property_errors;
    let verdict = if is_apart { outcome.of_property() } else { outcome.verdict.clone() };
    let Outcome { counts, seconds, .. } = outcome;
    Ok(Answer { property: name, verdict, reason: why, counts, errors, seconds })
}

fn counterexample(trail: Trail) -> Counterexample {
    let Trail { error, steps, cycle_start, .. } = trail;
    let text_step = |TrailStep { step, process, line, text }| {
        let pid = match step.actor {
            Actor::Process(pid) => Some(pid),
            Actor::Claim => None,
        };
        TextStep { process, pid, line, text }
    };
    Counterexample {
        kind: error.kind,
        message: error.message,
        place: error.file.zip(error.line),
        steps: steps.into_iter().map(text_step).collect(),
        cycle_start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_the_command() {
        let peterson = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/peterson.pml");
        let answers = Verifier::of_file(peterson).options("--fair").verify().unwrap();
        assert!(answers.len() > 1 && answers.iter().all(Answer::is_verified));
        let philosophers = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/philosophers.pml");
        let full = Verifier::of_file(philosophers).options("--full").verify().unwrap();
        let reduced = Verifier::of_file(philosophers).verify().unwrap();
        assert!(full[0].property.is_none() && full[0].counts.stored > reduced[0].counts.stored);
    }

    #[test]
    fn a_cycle_says_where_it_starts_and_an_assertion_is_passed() {
        let text = "byte x; active proctype P() { assert(x == 1); do :: x = 0 :: x = 2 od }";
        let verifier = Verifier::of_text("-odd name", text).option("--formula", "<> (x == 2)");
        let answers = verifier.verify().unwrap();
        let kinds: Vec<&str> = answers[0].errors.iter().map(|error| error.kind.as_str()).collect();
        assert_eq!(kinds, ["assertion", "acceptance-cycle"]);
        assert!(answers[0].errors[1].cycle_start.is_some());
        let holds = Verifier::of_text("m", text).option("--formula", "[] (x < 3)").verify().unwrap();
        assert!(holds[0].is_verified() && holds[0].errors[0].kind == "assertion");
        assert_eq!(answers[0].errors[0].place, Some(("-odd name".into(), 1)));
    }

    #[test]
    fn bounds_are_told_and_what_is_wrong_is_said() {
        let text = "byte x; active proctype P() { do :: x < 200 -> x++ od }";
        let cut = Verifier::of_text("m", text).options("--max-depth 3").verify().unwrap();
        assert!(matches!(cut[0].verdict, Verdict::Incomplete(_)) && cut[0].reason.is_some());
        assert!(Verifier::of_text("m", "byte x").verify().is_err_and(|why| why.contains("m:1")));
        assert!(Verifier::of_text("m", text).options("--cash 3").verify().is_err_and(|why| why.contains("--cash")));
        assert!(Verifier::of_text("m", text).options("--json").verify().is_err_and(|why| why.contains("--json")));
        assert!(Verifier::of_file("no such file").verify().is_err());
    }
}
