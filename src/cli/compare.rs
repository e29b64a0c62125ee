//! `pv compare`: a matrix of searches on one model. What to run is in [`crate::compare::matrix`]; here options become
//! searches, by the same functions as in `pv check`.

use super::check::preprocessor_arguments;
use super::console::{Console, WRONG};
use super::load::{Loaded, load_model};
use super::options::{CheckArgs, ModelArgs};
use super::plan::plans;
use super::values;
use crate::compare::figures::Quoted;
use crate::compare::matrix::{Figure, Measured, StateSpaceShape, Study, study};
use crate::compare::matrix_file::{self, Block};
use crate::compare::page::Comparison;
use crate::compare::results::{Record, Results, csv};
use crate::compare::runner::{Budget, Executor, Runner, Skipped};
use crate::exec::Program;
use crate::model::Model;
use crate::report::html;
use crate::report::number::{counted, duration, thousands};
use crate::search::monitor::{Deadline, Monitor, Snapshot, resident};
use crate::search::outcome::{Limit, Outcome, Verdict};
use crate::stats::{Shape, explore};
use clap::{Args, CommandFactory, FromArgMatches, Parser};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit code when time or a signal ended the comparison before all runs were made.
const INCOMPLETE: u8 = 3;

/// Arguments of `pv compare`.
#[derive(Args, Debug)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Folder for results.jsonl, results.csv, results.json and index.html. Runs that are in it are not made again.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A matrix of your own, as a TOML file with [[runs]] blocks: cache = ["50%", 500], hub = [false, true].
    #[arg(long, value_name = "FILE.toml", help_heading = "What is compared")]
    matrix: Option<PathBuf>,
    /// The same on the command line, once for each option: --vary cache=50%,10% --vary sleep=yes,no. Per cent are of
    /// all states.
    #[arg(long, value_name = "OPTION=V1,V2,…", help_heading = "What is compared")]
    vary: Vec<String>,
    /// Only this figure; may be given several times. One of caches, searches, cache-sleep, replacement, hub, collision, disk,
    /// serial, pod.
    #[arg(long, value_name = "NAME", help_heading = "What is compared")]
    figure: Vec<Figure>,
    /// Compare searches for this ltl property instead of assertions and end states. Figures whose searches do not check it are left out.
    #[arg(long, value_name = "NAME", help_heading = "What is compared")]
    property: Option<String>,
    /// Do not look for invalid end states.
    #[arg(long, help_heading = "What is compared")]
    no_end_states: bool,
    /// Do not check assertions.
    #[arg(long, help_heading = "What is compared")]
    no_assertions: bool,
    /// An end state is valid only if all channels are empty.
    #[arg(long, help_heading = "What is compared", conflicts_with = "no_end_states")]
    strict_channels: bool,
    /// Seed of every random choice, 0 to 2^64-1.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Most time for one run: 90, 90s, 10m, 1h.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = values::time, help_heading = "Budget")]
    time_per_run: Duration,
    /// Most time for all runs together; what is missing then is made by the same command later.
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = values::time, help_heading = "Budget")]
    time: Duration,
    /// A run gives up when it has made so many times the transitions of the full search, 1 to 10000.
    #[arg(long, value_name = "FACTOR", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Budget")]
    give_up: u32,
}

/// States of the largest graph whose shape is measured for a comparison: it takes some hundred bytes for each.
const LARGEST_GRAPH: u64 = 2_000_000;

/// How often it is asked whose times are quoted.
const MOST_ROUNDS_OF_TIMES: usize = 3;

/// `pv check` as a line of words.
#[derive(Parser)]
#[command(name = "pv check", no_binary_name = true, disable_help_flag = true, disable_version_flag = true)]
struct Line {
    #[command(flatten)]
    check: CheckArgs,
}

/// Runs settings as `pv check` does.
struct CheckExecutor<'a> {
    model: &'a Model,
    args: &'a ModelArgs,
    /// Options of every run.
    common: Vec<String>,
    seed: u64,
    interrupt: Arc<AtomicBool>,
    /// See [`Monitor::base`].
    base: u64,
}

impl CheckExecutor<'_> {
    /// The seed as it has to be given; the default one goes without saying.
    fn seed_words(&self) -> Vec<String> {
        if self.seed == 1 { Vec::new() } else { vec!["--seed".into(), self.seed.to_string()] }
    }

    fn parse(&self, options: &[String]) -> Result<CheckArgs, String> {
        let words = self.common.iter().chain(options).cloned().chain(self.seed_words());
        let words = words.chain(["--".to_string(), self.args.model.clone()]);
        let matches = super::forgiving(Line::command()).try_get_matches_from(words);
        let line = matches.and_then(|matches| Line::from_arg_matches(&matches));
        let check = line.map(|line| line.check).map_err(|error| {
            let text = error.to_string();
            text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string()
        })?;
        match check.is_several() {
            true => Err(format!("unexpected argument '{}' found: a setting has options only", check.model.model)),
            false => Ok(check),
        }
    }
}

impl Executor for CheckExecutor<'_> {
    fn accepts(&self, options: &[String]) -> Result<(), String> {
        let args = self.parse(options)?;
        if args.search.is_spread() {
            return Err("--hosts and --processes with pv compare make no sense: its searches run side by side with others in one process".into());
        }
        plans(&args, self.model).map(|_| ())
    }

    fn execute(
        &self,
        options: &[String],
        allowed: Duration,
        watch: &mut dyn FnMut(&Snapshot) -> ControlFlow<()>,
    ) -> Result<Outcome, String> {
        let all = plans(&self.parse(options)?, self.model)?;
        let [plan] = &all[..] else { return Err("it is more than one search".into()) };
        let stop = AtomicBool::new(false);
        let mut monitor = Monitor::silent(&stop);
        monitor.outer = Some(&self.interrupt);
        // The time that is allowed; what else there is to give up for, `watch` knows.
        monitor.deadline = Deadline::after(plan.time.map_or(allowed, |time| time.min(allowed)));
        // As if it were the only search: the same command alone has the same room.
        monitor.base = Some(self.base);
        monitor.sampling = true;
        monitor.progress = Box::new(|snapshot| {
            if watch(snapshot).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        });
        let outcome = plan.execute(self.model, &mut monitor);
        match &outcome.verdict {
            Verdict::Incomplete(Limit::Internal(what)) => Err(format!("internal error: {what}")),
            _ => Ok(outcome),
        }
    }

    fn command(&self, options: &[String]) -> String {
        let mut words = vec!["pv".to_string(), "check".into(), self.args.model.clone()];
        words.extend(preprocessor_arguments(self.args));
        words.extend(self.common.iter().chain(options).cloned());
        words.extend(self.seed_words());
        words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }

    fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=%:+,@".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &CompareArgs) -> u8 {
    let blocks = match blocks(args) {
        Ok(blocks) => blocks,
        Err(message) => return console.wrong(message),
    };
    let loaded = match load_model(console, &args.model) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    if let Err(error) = std::fs::create_dir_all(&args.out) {
        console.wrong(format!("cannot make the folder {}: {error}", args.out.display()));
        return WRONG;
    }
    match compare(console, args, &loaded, &blocks) {
        Ok(code) => code,
        Err(Failure::File(error)) => console.wrong(format!("{}: {error}", args.out.display())),
        Err(Failure::Wrong(message)) => console.wrong(message),
        Err(Failure::Interrupted) => INCOMPLETE,
    }
}

enum Failure {
    File(io::Error),
    Wrong(String),
    Interrupted,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::File(error)
    }
}

/// The matrix of the user's own, if there is one.
fn blocks(args: &CompareArgs) -> Result<Vec<Block>, String> {
    let mut blocks = Vec::new();
    if let Some(path) = &args.matrix {
        let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        blocks = matrix_file::parse(&text).map_err(|message| format!("{}: {message}", path.display()))?;
    }
    let mut block = Block::default();
    for text in &args.vary {
        block.add_text(text).map_err(|message| format!("--vary: {message}"))?;
    }
    if !block.options.is_empty() {
        blocks.push(block);
    }
    Ok(blocks)
}

/// What every run has: what is checked. Cycles are compared only where a property is named, since the caches of the papers are for safety.
fn common(args: &CompareArgs, model: &Model, remarks: &mut Vec<String>) -> Vec<String> {
    let mut words = Vec::new();
    let flags = [
        (args.no_end_states, "--no-end-states"),
        (args.no_assertions, "--no-assertions"),
        (args.strict_channels, "--strict-channels"),
    ];
    words.extend(flags.iter().filter(|(given, _)| *given).map(|(_, word)| word.to_string()));
    if let Some(property) = &args.property {
        words.extend(["--property".to_string(), property.clone()]);
        remarks.push(format!("The comparison is about the property {property}: every search is one for it."));
    } else if !model.claims.is_empty() || model.uses.accept_labels {
        words.push("--no-claims".into());
        remarks.push(
            "The comparison is about assertions and end states: the model's claims and accept labels are left out, since \
             cycles need a search of their own."
                .into(),
        );
    }
    words
}

fn compare(console: &Console, args: &CompareArgs, loaded: &Loaded, blocks: &[Block]) -> Result<u8, Failure> {
    let mut remarks = Vec::new();
    let mut executor = CheckExecutor {
        model: &loaded.model,
        args: &args.model,
        common: common(args, &loaded.model, &mut remarks),
        seed: args.seed,
        interrupt: super::signals::on_signals(),
        base: resident(),
    };
    let budget = Budget { per_run: args.time_per_run, total: args.time, factor: f64::from(args.give_up) };
    let mut first = measure(console, args, &executor, budget)?;
    if first.errors.is_some() {
        // A search that stops at the first error says little about the whole; the papers switch checks off for that.
        executor.common.push("--all-errors".into());
        remarks.push(
            "The model has errors. All runs go on behind them (--all-errors), so that they see the whole state space, but for those that tell \
             which search finds an error."
                .into(),
        );
    }
    let mut runner = open(console, args, &executor, budget)?;
    let full = made(runner.run(&["--full".into()])?)?;
    if !full.finished() {
        remarks.push(format!(
            "The full search did not come to an end ({}): sizes are shares of the {} seen until then.",
            full.status(),
            counted(full.stored, "state", "states")
        ));
    }
    runner.set_full(full.transitions);
    let bfs = match runner.run(&["--search".into(), "bfs".into(), "--full".into()])? {
        Ok(record) => Some(record.memory_bytes),
        Err(_) => None,
    };
    let measured = Measured {
        states: full.stored,
        transitions: full.transitions,
        seconds: full.seconds,
        memory: full.memory_bytes,
        vector_bytes: full.vector_bytes,
        bfs_memory: bfs,
        depth: full.depth,
        shape: shape(args, &loaded.model, &full, &executor.interrupt, budget.per_run),
    };
    let (studies, left_out, stopped) = run_studies(args, &executor, &mut runner, &measured, blocks)?;
    let command = comparison_command(args);
    let errors = first.errors.take();
    let comparison = of_results(|results| Comparison {
        model: &loaded.model.name,
        measured,
        studies: &studies,
        left_out: &left_out,
        results,
        seed: args.seed,
        common: &executor.common,
        command: &command,
        factor: budget.factor,
        remarks: &remarks,
        errors: errors.as_ref().map(|(study, results)| (study, results)),
        quoted: Quoted::default(),
    });
    // What is quoted hangs on the times, so it is asked again after they have changed.
    for _ in 0..MOST_ROUNDS_OF_TIMES {
        let mut changed = false;
        for options in comparison(&runner.results).quotes() {
            changed |= runner.time_again(&options)?;
        }
        if !changed {
            break;
        }
    }
    let (made, results) = (first.made + runner.made(), runner.finish());
    let comparison = comparison(&results);
    write_files(&args.out, &comparison)?;
    let there = comparison.runs().saturating_sub(made);
    let text = format!(
        "{}\n{}: {} made now, {} were there already; the page is {}\n",
        comparison.text(),
        counted(comparison.runs(), "run", "runs"),
        thousands(made),
        thousands(there),
        args.out.join("index.html").display()
    );
    if let Some(skipped) = &stopped {
        let why = match skipped {
            Skipped::Time => format!("the time for all runs ({}) is used up", duration(args.time.as_secs_f64())),
            _ => "interrupted".into(),
        };
        let code = console.print(&text, INCOMPLETE);
        console.warn(format!("{why}; the same command goes on where this one stopped"));
        return Ok(code);
    }
    Ok(console.print(&text, 0))
}

/// Says of a closure that it takes results of any lifetime.
fn of_results<'a, F: for<'r> Fn(&'r Results) -> Comparison<'a, 'r>>(closure: F) -> F {
    closure
}

/// What `pv stats` says of the model, where a figure tells of it and the graph is not too large to be kept.
fn shape(
    args: &CompareArgs,
    model: &Model,
    full: &Record,
    interrupt: &AtomicBool,
    allowed: Duration,
) -> Option<StateSpaceShape> {
    let wanted = args.figure.contains(&Figure::Caches)
        || (args.figure.is_empty() && args.vary.is_empty() && args.matrix.is_none());
    // The graph of `pv stats` is that of the model alone.
    if !wanted || args.property.is_some() || !full.finished() || full.stored > LARGEST_GRAPH {
        return None;
    }
    let program = Program::new(model, None);
    let mut monitor = Monitor::silent(interrupt);
    monitor.deadline = Deadline::after(allowed);
    let explored = explore(&program, 1, &mut monitor).ok().filter(|explored| explored.limit.is_none())?;
    let shape = Shape::of(&explored.graph, 0);
    Some(StateSpaceShape { local: shape.local, hubs: shape.hub_count })
}

fn open<'e, 'a>(
    console: &Console,
    args: &CompareArgs,
    executor: &'e CheckExecutor<'a>,
    budget: Budget,
) -> Result<Runner<'e, CheckExecutor<'a>>, Failure> {
    // Lines of another model, seed or set of checks must not be taken for ours.
    // The number is that of the way in which a run is written down.
    let identity = format!("2 {:016x} {} {}", executor.model.fingerprint, args.seed, executor.common.join(" "));
    let results = Results::open(&args.out.join("results.jsonl"), &identity)?;
    Ok(Runner::new(executor, results, budget, console.progress()))
}

/// What is made before anything is compared.
struct First {
    /// Runs that were made now.
    made: u64,
    /// For a model with errors: who finds one.
    errors: Option<(Study, Results)>,
}

/// The full search, to know whether the model has errors; if it has, all searches that stop at the first one.
fn measure(
    console: &Console,
    args: &CompareArgs,
    executor: &CheckExecutor<'_>,
    budget: Budget,
) -> Result<First, Failure> {
    let mut runner = open(console, args, executor, budget)?;
    let record = made(runner.run(&["--full".into()])?)?;
    let mut study = study(Figure::Errors, &Measured::default(), &runner.results);
    if record.verdict != "violated" {
        return Ok(First { made: runner.made(), errors: None });
    }
    refusals(executor, &mut study);
    runner.run_study(&study)?;
    for options in study.settings() {
        runner.time_again(options)?;
    }
    Ok(First { made: runner.made(), errors: Some((study, runner.finish())) })
}

fn made(record: Result<Record, Skipped>) -> Result<Record, Failure> {
    record.map_err(|skipped| match skipped {
        Skipped::Refused(message) => Failure::Wrong(message),
        Skipped::Time => {
            Failure::Wrong("the time for all runs (--time) is used up before the full search ended".into())
        }
        Skipped::Interrupted => Failure::Interrupted,
    })
}

type Studies = (Vec<Study>, Vec<(Figure, String)>, Option<Skipped>);

fn run_studies(
    args: &CompareArgs,
    executor: &CheckExecutor<'_>,
    runner: &mut Runner<'_, CheckExecutor<'_>>,
    measured: &Measured,
    blocks: &[Block],
) -> Result<Studies, Failure> {
    let (mut studies, mut left_out, mut stopped) = (Vec::new(), Vec::new(), None);
    let mut wanted: Vec<Figure> = args.figure.clone();
    if wanted.is_empty() && blocks.is_empty() {
        wanted = Figure::ALL.to_vec();
    }
    wanted.dedup();
    let mut plans: Vec<Study> = wanted.iter().map(|&figure| study(figure, measured, &runner.results)).collect();
    let mut custom = Study { figure: Figure::Custom, chains: Vec::new() };
    for block in blocks {
        custom.chains.extend(block.chains(measured).map_err(Failure::Wrong)?);
    }
    if !custom.chains.is_empty() {
        plans.push(custom);
    }
    runner.announce(plans.iter().map(|plan| plan.settings().count() as u64).sum());
    for mut plan in plans {
        if plan.figure == Figure::Collision {
            // It depends on what the hub figure found.
            plan = study(Figure::Collision, measured, &runner.results);
        }
        let reason = refusals(executor, &mut plan);
        if let Some(reason) = reason {
            left_out.push((plan.figure, reason));
        }
        if plan.chains.is_empty() {
            continue;
        }
        match runner.run_study(&plan)? {
            Some(Skipped::Refused(reason)) => left_out.push((plan.figure, format!("some runs are missing: {reason}"))),
            Some(skipped) => {
                left_out.push((plan.figure, "not all of its runs were made".into()));
                stopped = Some(skipped);
            }
            None => {}
        }
        studies.push(plan);
    }
    Ok((studies, left_out, stopped))
}

/// Takes out what cannot be run, and says why. A paper's figure needs all its curves; of the others what is there is
/// shown.
fn refusals(executor: &CheckExecutor<'_>, plan: &mut Study) -> Option<String> {
    let mut reason = None;
    let whole = !matches!(plan.figure, Figure::Errors | Figure::Caches | Figure::Searches | Figure::Custom);
    for chain in &mut plan.chains {
        chain.points.retain(|point| match executor.accepts(&point.options) {
            Ok(()) => true,
            Err(message) => {
                reason.get_or_insert(message);
                false
            }
        });
    }
    plan.chains.retain(|chain| !chain.points.is_empty());
    if whole && reason.is_some() {
        plan.chains.clear();
    }
    if plan.chains.is_empty() && reason.is_none() {
        reason = Some("the model is too small for it".into());
    }
    reason
}

fn comparison_command(args: &CompareArgs) -> String {
    let mut words = vec!["pv".to_string(), "compare".into(), args.model.model.clone()];
    words.extend(preprocessor_arguments(&args.model));
    words.extend(args.figure.iter().flat_map(|figure| ["--figure".to_string(), figure.name().into()]));
    words.extend(args.vary.iter().flat_map(|text| ["--vary".to_string(), text.clone()]));
    words.extend(args.matrix.iter().flat_map(|path| ["--matrix".to_string(), path.display().to_string()]));
    let flags = [
        (args.no_end_states, "--no-end-states"),
        (args.no_assertions, "--no-assertions"),
        (args.strict_channels, "--strict-channels"),
    ];
    words.extend(flags.iter().filter(|(given, _)| *given).map(|(_, word)| word.to_string()));
    words.extend(args.property.iter().flat_map(|name| ["--property".to_string(), name.clone()]));
    words.extend(["--seed".to_string(), args.seed.to_string()]);
    words.extend(["--time-per-run".to_string(), args.time_per_run.as_secs().to_string()]);
    words.extend(["--time".to_string(), args.time.as_secs().to_string()]);
    words.extend(["--give-up".to_string(), args.give_up.to_string()]);
    words.extend(["--out".to_string(), args.out.display().to_string()]);
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn write_files(folder: &Path, comparison: &Comparison<'_, '_>) -> io::Result<()> {
    let mut records = comparison.records();
    records.extend(comparison.error_records());
    write(folder, "results.csv", &csv(&records))?;
    let document = serde_json::json!({
        "pv": env!("CARGO_PKG_VERSION"),
        "model": comparison.model,
        "seed": comparison.seed,
        "states": comparison.measured.states,
        "transitions": comparison.measured.transitions,
        "runs": records,
        "left_out": comparison.left_out.iter().map(|(figure, reason)| (figure.name(), reason)).collect::<Vec<_>>(),
    });
    write(folder, "results.json", &(serde_json::to_string_pretty(&document)? + "\n"))?;
    write(folder, "index.html", &html::render(&comparison.page()))
}

/// Beside, then renamed: a reader never sees half a file.
fn write(folder: &Path, name: &str, text: &str) -> io::Result<()> {
    let beside = folder.join(format!("{name}.new"));
    std::fs::write(&beside, text)?;
    std::fs::rename(beside, folder.join(name))
}
