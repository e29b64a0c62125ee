//! `pv check`: verify a model. Options become a [`Plan`] for each property; every counterexample is replayed through the
//! executor before anything is said about it.

use super::combine;
use super::console::Console;
use super::load::{Loaded, load_for_check};
use super::options::{CheckArgs, DiskWindow, ModelArgs, Replace, SearchArgs, StoreKind, value_name};
use crate::checkpoint::{CheckpointSchedule, Reader};
use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::report::progress::Progress;
use crate::report::recorder::Recorder;
use crate::report::trail::{Trail, TrailError, TrailStep, default_path};
use crate::report::{Checkpoint, Checks, Report, Run, Setting, json, place, reason, text};
use crate::search::cycles::lasso;
use crate::search::explore::lossy::Keeping;
use crate::search::explore::serial::DEFAULT_SWITCH;
use crate::search::monitor::{Deadline, Monitor};
use crate::search::outcome::{About, Limit, Outcome, Verdict, Violation, ViolationKind};
use crate::search::plan::low_memory::{Breadth, DISK_BITS, Hub, LowMemory};
use crate::search::plan::{Order, Plan, Property, Reducing, default_properties};
use crate::source::{SourceMap, Span};
use crate::store::breadth::disk::Window;
use crate::store::breadth::hub::{DEFAULT_OVERWRITE, DEFAULT_SPLIT};
use crate::store::depth::replace::SCAN_LIMIT;
use crate::store::{Replacement, WorkDir};
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

/// Signature bits of the compact store when none are given: 10^6 states are then omitted with probability 10^-6.
const COMPACT_BITS: u8 = 40;

/// Exit code for a bug in pv.
const INTERNAL_ERROR: u8 = 101;

/// Runs the command; gives the exit code.
pub fn run(console: &Console, args: &CheckArgs) -> u8 {
    if let Err(message) = combine::check(args) {
        return console.wrong(message);
    }
    let loaded = match load_for_check(console, args) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    if let Err(message) = combine::check_with_model(args, &loaded.model) {
        return console.wrong(message);
    }
    if let Some(what) = combine::without_effect(args, &loaded.model) {
        console.warn(what);
    }
    run_loaded(console, args, &loaded, None)
}

/// Searches a model that was read, from a checkpoint if one is given.
pub(super) fn run_loaded(console: &Console, args: &CheckArgs, loaded: &Loaded, mut from: Option<Reader>) -> u8 {
    // From the first file on: whoever sees one and interrupts gets an answer, and nothing is left behind.
    let interrupt = super::signals::on_signals();
    let deadline = args.search.time.and_then(Deadline::after);
    let base = Cell::new(None);
    // A folder that cannot be written to is known before any search.
    let needed = args.search.work_dir.is_some() || (args.search.keeps_files() && args.search.memory.is_some());
    if (needed || args.search.disk || args.search.serial)
        && let Err(limit) = WorkDir::new(args.search.work_dir.as_deref())
    {
        return console.wrong(super::resume::message(limit));
    }
    let mut schedule_of_first = match super::resume::schedule(args, &loaded.model) {
        Ok(schedule) => schedule,
        Err(message) => return console.wrong(message),
    };
    if let (Some(schedule), Some(reader)) = (&mut schedule_of_first, from.take()) {
        schedule.start_from(reader);
    }
    let properties = properties(args, &loaded.model);
    let mut runs = Vec::new();
    let mut trails = TrailNames { args, written: 0 };
    let mut known = KnownErrors::default();
    for property in &properties {
        let mut plan = plan(args, *property);
        plan.pass_assertions = known.assertion && !plan.all_errors;
        let name = property_name(&loaded.model, *property);
        let searcher = Searcher {
            console,
            model: &loaded.model,
            name: name.as_deref(),
            interrupt: &interrupt,
            deadline,
            base: &base,
        };
        let mut schedule = schedule_of_first.take();
        let mut outcome = searcher.run(&plan, &mut schedule);
        let mut of_property = None;
        if matches!(property, Property::Claim(_)) && outcome.error_count > outcome.property_errors {
            if !plan.all_errors && !plan.pass_assertions && is_failed_assertion(&outcome) {
                // It has ended the search, and says nothing about the property.
                outcome = both(outcome, searcher.run(&Plan { pass_assertions: true, ..plan.clone() }, &mut None));
            }
            of_property = Some(outcome.of_property());
        }
        known.leave_out(&mut outcome, of_property.as_ref(), plan.all_errors);
        if let Some(why) = schedule.as_ref().and_then(|schedule| schedule.refused.as_ref()) {
            return console.wrong(why);
        }
        if let Verdict::Incomplete(Limit::Internal(what)) = &outcome.verdict {
            console.wrong(format!("internal error: {what}"));
            return INTERNAL_ERROR;
        }
        if let Some(why) = schedule.as_ref().and_then(|schedule| schedule.missed.as_ref()) {
            outcome.notes.push(format!("the last checkpoint that was due is missing: {why}"));
        }
        if let Some(limit) = &outcome.stopped {
            outcome.notes.push(format!("the search did not come to its end: {}", reason(limit)));
        }
        let unfinished = outcome.stopped.is_some() || matches!(outcome.verdict, Verdict::Incomplete(_));
        let checkpoint = schedule.as_ref().filter(|_| unfinished).and_then(left);
        let mut run = Run { property: name, of_property, trails: Vec::new(), outcome, checkpoint };
        let (own, program) = plan.compile(&loaded.model);
        let model = own.as_ref().unwrap_or(&loaded.model);
        for violation in &run.outcome.violations {
            match describe(model, &loaded.map, &program, &plan, violation, run.property.as_deref()) {
                Ok(trail) => run.trails.push(trails.write(console, &loaded.model, &trail)),
                Err(what) => {
                    console.wrong(format!(
                        "internal error: the counterexample does not replay: {what} ({})",
                        violation.message
                    ));
                    return INTERNAL_ERROR;
                }
            }
        }
        let stop = interrupt.load(Ordering::Relaxed)
            || (run.outcome.error_count > 0 && !args.checks.all_errors && properties.len() == 1);
        runs.push(run);
        if stop {
            break;
        }
    }
    trails.remove_earlier(&loaded.model);
    print(console, args, loaded, &properties, &runs)
}

/// Runs the searches of one property.
struct Searcher<'a> {
    console: &'a Console,
    model: &'a Model,
    name: Option<&'a str>,
    interrupt: &'a AtomicBool,
    /// Of the whole run.
    deadline: Option<Deadline>,
    /// What the program itself takes, measured once.
    base: &'a Cell<Option<u64>>,
}

impl Searcher<'_> {
    fn run(&self, plan: &Plan, schedule: &mut Option<CheckpointSchedule>) -> Outcome {
        let mut progress = Progress::new(self.console.progress(), self.name.unwrap_or_default());
        let mut monitor = Monitor::silent(self.interrupt);
        monitor.progress = Box::new(|snapshot| progress.update(snapshot));
        monitor.warn = Box::new(|what| self.console.warn(what));
        monitor.checkpoints = schedule.take();
        (monitor.deadline, monitor.base) = (self.deadline, self.base.get());
        let outcome = plan.execute(self.model, &mut monitor);
        self.base.set(monitor.base);
        *schedule = monitor.checkpoints.take();
        drop(monitor);
        progress.finish();
        outcome
    }
}

/// A failed assertion of the model is all that was found.
fn is_failed_assertion(outcome: &Outcome) -> bool {
    !outcome.violations.is_empty() && outcome.violations.iter().all(|violation| violation.about == About::Assertion)
}

/// A search that a failed assertion ended, and the same search that has passed it: the error of the one, and the answer of
/// the other.
fn both(failed: Outcome, passed: Outcome) -> Outcome {
    let limit = match &passed.verdict {
        Verdict::Incomplete(limit) => Some(limit.clone()),
        _ => passed.stopped.clone(),
    };
    if let Some(Limit::Internal(_)) = limit {
        return passed;
    }
    let mut violations = failed.violations;
    violations.extend(passed.violations);
    let error_count = failed.error_count + passed.error_count;
    Outcome {
        verdict: Verdict::of_complete_search(error_count, None, true),
        stopped: limit,
        violations,
        error_count,
        model_error: failed.model_error.or(passed.model_error),
        memory: failed.memory.max(passed.memory),
        seconds: failed.seconds + passed.seconds,
        ..passed
    }
}

/// The errors of the model that were told already: each is met in the search of every property.
#[derive(Default)]
struct KnownErrors {
    texts: Vec<(String, Span)>,
    /// An assertion is among them.
    assertion: bool,
}

impl KnownErrors {
    /// Takes out of the outcome what is known, and adds to it what is not. A search that has found nothing else is
    /// left with what it says of its property.
    fn leave_out(&mut self, outcome: &mut Outcome, of_property: Option<&Verdict>, all_errors: bool) {
        let before = outcome.violations.len();
        outcome.violations.retain(|violation| {
            violation.about == About::Property
                || !self.texts.iter().any(|(text, span)| *text == violation.message && *span == violation.span)
        });
        let left_out = before - outcome.violations.len();
        if !all_errors && left_out > 0 {
            outcome.error_count = outcome.error_count.saturating_sub(left_out as u64);
            if let (0, Some(verdict)) = (outcome.error_count, of_property) {
                outcome.verdict = verdict.clone();
            }
        }
        for violation in outcome.violations.iter().filter(|violation| violation.about != About::Property) {
            self.assertion |= violation.about == About::Assertion;
            self.texts.push((violation.message.clone(), violation.span));
        }
    }
}

/// The checkpoint that a search has left.
fn left(schedule: &CheckpointSchedule) -> Option<Checkpoint> {
    let file = schedule.target.as_ref().filter(|_| schedule.present)?;
    Some(Checkpoint { file: file.display().to_string(), earlier: !schedule.up_to_date })
}

fn print(console: &Console, args: &CheckArgs, loaded: &Loaded, properties: &[Property], runs: &[Run]) -> u8 {
    let setting = setting(args, properties);
    let arguments = preprocessor_arguments(&args.model);
    let report = Report {
        map: &loaded.map,
        model: &loaded.model,
        setting: &setting,
        runs,
        compile_seconds: loaded.seconds,
        arguments: &arguments,
    };
    console.print(&if args.json { json::render(&report) } else { text::render(&report) }, report.exit_code())
}

/// What is looked for, each in a search of its own.
pub(super) fn properties(args: &CheckArgs, model: &Model) -> Vec<Property> {
    let checks = &args.checks;
    if checks.non_progress {
        return vec![Property::NonProgress];
    }
    if checks.no_claims {
        return vec![Property::Safety];
    }
    match &checks.property {
        Some(name) => {
            model.claims.iter().position(|claim| *claim.name == **name).map(Property::Claim).into_iter().collect()
        }
        None => default_properties(model),
    }
}

fn property_name(model: &Model, property: Property) -> Option<String> {
    match property {
        Property::Claim(number) => model.claims.get(number).map(|claim| claim.name.to_string()),
        _ => None,
    }
}

pub(super) fn plan(args: &CheckArgs, property: Property) -> Plan {
    let (checks, search) = (&args.checks, &args.search);
    Plan {
        order: if search.bfs() { Order::BreadthFirst } else { Order::DepthFirst },
        reducing: match (search.sleep, search.por, search.deadlocks_only) {
            (true, true, true) => Reducing::DeadlocksSleep,
            (true, true, false) => Reducing::PersistentSleep,
            (true, false, _) => Reducing::Sleep,
            (_, true, true) => Reducing::Deadlocks,
            (_, true, false) => Reducing::Persistent,
            _ => Reducing::Nothing,
        },
        check_independence: search.check_independence,
        check_por: search.check_por,
        count_births: true,
        trust_claims: true,
        cache: search.cache,
        replacement: match search.replace() {
            Replace::Random => Replacement::Random,
            Replace::Type => Replacement::Type { scan: SCAN_LIMIT },
            Replace::MostVisited => Replacement::MostVisited,
            Replace::LeastVisited => Replacement::LeastVisited,
            Replace::LargestClass => Replacement::LargestClass,
            Replace::SmallestSubtree => Replacement::SmallestSubtree,
        },
        keeping: match search.store() {
            StoreKind::Exact => Keeping::Exact,
            StoreKind::Compact => Keeping::Compact { bits: search.bits.unwrap_or(COMPACT_BITS), slots: search.slots },
            StoreKind::Bloom => Keeping::Bloom { functions: search.bits, slots: search.slots },
        },
        low_memory: low_memory(search),
        expect_states: search.expect_states,
        pod: search.pod(),
        repeat: search.repeat(),
        property,
        fair: checks.fair,
        // what else is met on the way would be found or not
        assertions: !checks.no_assertions && !search.deadlocks_only,
        pass_assertions: false,
        end_states: !checks.no_end_states,
        strict_channels: checks.strict_channels,
        all_errors: checks.all_errors,
        max_depth: search.max_depth,
        memory: search.memory,
        seed: search.seed(),
    }
}

/// The options of breadth-first searches with little memory.
fn low_memory(search: &SearchArgs) -> LowMemory {
    let hub = search.hub.then(|| Hub {
        split: search.hub_split.unwrap_or(DEFAULT_SPLIT),
        overwrite: search.hub_overwrite.unwrap_or(DEFAULT_OVERWRITE),
    });
    let defaults = LowMemory::default();
    LowMemory {
        breadth: match (search.disk, search.serial, search.cache.filter(|_| search.bfs()), hub) {
            (true, ..) => Breadth::Disk,
            (_, true, _, hub) => Breadth::Serial(search.switch_rate.unwrap_or(DEFAULT_SWITCH), hub),
            (_, _, Some(_), Some(hub)) => Breadth::Hub(hub),
            (_, _, Some(_), None) => Breadth::Cache,
            _ => Breadth::InMemory,
        },
        slots: search.cache.unwrap_or(defaults.slots),
        ways: search.ways.unwrap_or(defaults.ways),
        max_collision_rate: search.max_collision_rate.unwrap_or(defaults.max_collision_rate),
        window: match search.disk_window {
            None => Window::Everything,
            Some(DiskWindow::Auto) => Window::Auto,
            Some(DiskWindow::Fraction(share)) => Window::Share(share),
        },
        work_dir: search.work_dir.clone(),
        whole_on_disk: search.store == Some(StoreKind::Exact),
    }
}

fn setting(args: &CheckArgs, properties: &[Property]) -> Setting {
    let (checks, search) = (&args.checks, &args.search);
    let safety = properties.contains(&Property::Safety);
    let cycles = |property: &Property| matches!(property, Property::AcceptLabels | Property::Claim(_));
    Setting {
        algorithm: if search.bfs() { "bfs" } else { "dfs" },
        store: match search.store() {
            // On disk signatures are kept unless whole states are asked for.
            StoreKind::Exact if search.disk && search.store.is_none() => "compact",
            StoreKind::Exact => "exact",
            StoreKind::Compact => "compact",
            StoreKind::Bloom => "bloom",
        },
        sleep: search.sleep,
        por: search.por,
        deadlocks_only: search.deadlocks_only,
        cache: search.cache,
        replace: search.cache.filter(|_| !search.bfs()).map(|_| value_name(search.replace())),
        bits: search.bits.or((search.disk && search.store.is_none()).then_some(DISK_BITS)).map(u32::from),
        slots: search.slots,
        pod: u32::from(search.pod()),
        repeat: search.repeat,
        hub: search.hub,
        disk: search.disk,
        serial: search.serial,
        max_depth: search.max_depth,
        memory: search.memory,
        time: search.time.map(|time| time.as_secs_f64()),
        all_errors: checks.all_errors,
        fair: checks.fair,
        seed: search.seed(),
        checks: Checks {
            assertions: !checks.no_assertions && !search.deadlocks_only,
            end_states: !checks.no_end_states && safety,
            end_states_left: !checks.no_end_states && !safety,
            acceptance: properties.iter().any(cycles),
            strict_channels: checks.strict_channels,
            claims: !checks.no_claims,
            non_progress: checks.non_progress,
        },
    }
}

/// `-D` and `-I` as they have to be repeated for a replay.
pub(super) fn preprocessor_arguments(model: &ModelArgs) -> Vec<String> {
    let defines = model.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
    defines.chain(model.include_dirs.iter().map(|dir| format!("-I{}", dir.display()))).collect()
}

/// Replays a violation and writes it down with its texts.
fn describe(
    model: &Model,
    map: &SourceMap,
    program: &Program,
    plan: &Plan,
    violation: &Violation,
    name: Option<&str>,
) -> Result<Trail, String> {
    let mut steps = Vec::with_capacity(violation.path.len());
    // Where the initial state itself cannot be made there is nothing to execute.
    let is_start = violation.path.is_empty() && Machine::new(program).is_err();
    if !is_start {
        let mut recorder = Recorder::new(model, map, program, program.claim_number)?;
        let mut last = None;
        for (number, &step) in violation.path.iter().enumerate() {
            let record = recorder.take(step).map_err(|what| format!("step {}: {what}", number + 1))?;
            let line = record.place.map_or(0, |(_, line)| line);
            steps.push(TrailStep { step, process: record.process, line, text: record.text });
            last = record.trap;
        }
        if !shows(recorder.machine(), last.as_deref(), violation) {
            return Err("its path does not lead to the error".into());
        }
        lasso::check(program, plan.settings().rules, plan.fair, violation)?;
    }
    let place = place(map, violation.span);
    Ok(Trail {
        model: model.name.clone(),
        fingerprint: model.fingerprint,
        property: name.map(str::to_string),
        non_progress: plan.property == Property::NonProgress,
        error: TrailError {
            kind: violation.kind.name().into(),
            message: violation.message.clone(),
            file: place.map(|(file, _)| file.to_string()),
            line: place.map(|(_, line)| line),
            depth: violation.depth,
        },
        cycle_start: violation.cycle_start.filter(|&start| start < violation.path.len()),
        steps,
    })
}

/// Is the error there at the end of its path? `last`: what is wrong with the last step.
fn shows(machine: &Machine<'_>, last: Option<&str>, violation: &Violation) -> bool {
    let said = violation.message.as_str();
    match violation.kind {
        // Whether messages are left is one way for an end to be wrong.
        ViolationKind::InvalidEndState => !machine.is_valid_end(true),
        ViolationKind::Assertion | ViolationKind::Unhandled => {
            let clause_fails =
                |pid| matches!(machine.permitted(pid), Err(trap) if machine.program().describe(trap) == said);
            last == Some(said)
                || (violation.about == About::Property && machine.claim_place().is_some_and(|place| place.valid_end))
                || (0..machine.process_count()).any(clause_fails)
        }
        // Cycles are judged by `lasso::check`.
        ViolationKind::AcceptanceCycle | ViolationKind::NonProgressCycle => true,
    }
}

/// Trails of an earlier run are looked for up to this number.
const MOST_TRAILS: usize = 100;

/// Gives each trail its file.
struct TrailNames<'a> {
    args: &'a CheckArgs,
    written: usize,
}

impl TrailNames<'_> {
    fn path(&self, model: &Model, number: usize) -> PathBuf {
        match &self.args.trail {
            Some(path) if number == 1 => path.clone(),
            Some(path) => PathBuf::from(format!("{}.{number}", path.display())),
            None => default_path(&model.name, number),
        }
    }

    /// Removes the further trails of an earlier run whose first one this run has written over, so that those which lie there
    /// belong together.
    fn remove_earlier(&self, model: &Model) {
        let further = (self.written + 1..=MOST_TRAILS).map(|number| self.path(model, number));
        for path in further.filter(|path| self.written > 0 && Trail::is_of_model(path, &model.name)) {
            // one that stays does no harm
            let _ = std::fs::remove_file(path);
        }
    }

    /// Writes a trail; a file that cannot be written is a warning, since the verdict stands without it.
    fn write(&mut self, console: &Console, model: &Model, trail: &Trail) -> Option<String> {
        if self.args.no_trail {
            return None;
        }
        self.written += 1;
        let path = self.path(model, self.written);
        match trail.write(&path) {
            Ok(()) => Some(path.display().to_string()),
            Err(error) => {
                console.warn(format!("the trail cannot be written to {}: {error}", path.display()));
                None
            }
        }
    }
}
