//! `pv check`: verify a model. Options become a [`Plan`] for each property; every counterexample is replayed through the
//! executor before anything is said about it.

use super::certificate::{CertificateFile, Testimony};
use super::cluster::{Cluster, GONE};
use super::combine;
use super::console::{Console, WRONG};
use super::load::{Loaded, load_for_check};
use super::options::{CheckArgs, Format, ModelArgs};
use super::output::{self, Output};
use super::plan::plans;
use crate::checkpoint::{CheckpointSchedule, Start};
use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::report::cycle::CycleStory;
use crate::report::formats;
use crate::report::progress::{Budgets, Progress};
use crate::report::recorder::Recorder;
use crate::report::trail::{Trail, TrailError, TrailStep, default_path};
use crate::report::{Checkpoint, Report, Run, Setting, place, reason, written};
use crate::search::cycles::lasso::{self, Starved};
use crate::search::known::KnownError;
use crate::search::monitor::{Deadline, Monitor};
use crate::search::outcome::{About, Limit, Outcome, Step, Verdict, Violation, ViolationKind};
use crate::search::plan::{Assertions, CycleProperty, Plan, Property};
use crate::search::walk::Movers;
use crate::source::{SourceMap, Span};
use crate::store::WorkDir;
use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code for a bug in pv.
const INTERNAL_ERROR: u8 = 101;

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &CheckArgs) -> u8 {
    if let Err(message) = combine::check(args) {
        let code = console.wrong(message);
        // Who asked for a document gets one.
        return if args.format() == Format::Text { code } else { output::refused(console, args.format()) };
    }
    if args.is_several() {
        return super::several::run(console, args);
    }
    let mut output = Output::new(console, args);
    let code = check_model(console, args, &mut output, None);
    output.close(&args.model.model, code);
    output.finish()
}

/// Checks one model; gives its exit code. `interrupt`: the flag of the signals, where somebody listens for them already.
pub(super) fn check_model(
    console: &Console,
    args: &CheckArgs,
    output: &mut Output<'_>,
    interrupt: Option<&Arc<AtomicBool>>,
) -> u8 {
    let loaded = match load_for_check(console, args) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let mut plans = match plans(args, &loaded.model) {
        Ok(plans) => plans,
        Err(message) => return console.wrong(message),
    };
    if let Some(what) = combine::without_effect(args, &loaded.model) {
        console.warn(what);
    }
    let cluster = match args.search.is_spread().then(|| Cluster::gather(console, args, &loaded, &mut plans, None)) {
        None => Cluster::alone(interrupt.cloned()),
        Some(Ok((cluster, _))) => cluster,
        Some(Err(code)) => return code,
    };
    let code = run_plans(console, args, &loaded, plans, None, &cluster, output);
    cluster.finish(console, code)
}

/// Runs plans on a model that was read, from a checkpoint if one is given, and reports what came out.
pub(super) fn run_plans(
    console: &Console,
    args: &CheckArgs,
    loaded: &Loaded,
    plans: Vec<Plan>,
    from: Option<Start>,
    cluster: &Cluster,
    output: &mut Output<'_>,
) -> u8 {
    // From the first file on: whoever sees one and interrupts gets an answer, and nothing is left behind.
    let interrupt = cluster.interrupt.clone().unwrap_or_else(super::signals::on_signals);
    let deadline = plans.first().and_then(|plan| plan.time).and_then(Deadline::after);
    let base = Cell::new(None);
    // A folder that cannot be written to is known before any search.
    if let Some(folder) = plans.iter().find_map(Plan::folder)
        && let Err(limit) = WorkDir::new(folder)
    {
        return console.wrong(super::resume::message(limit));
    }
    let mut schedule_of_first = match super::resume::schedule(args, &loaded.model) {
        Ok(schedule) => schedule,
        Err(message) => return console.wrong(message),
    };
    if let (Some(schedule), Some(start)) = (&mut schedule_of_first, from) {
        schedule.start(start);
    }
    if let Some(trail) = args.trail.as_deref().filter(|trail| is_same_file(trail, Path::new(&args.model.model))) {
        return console.wrong(format!("the trail cannot be written to {}: that is the model", trail.display()));
    }
    let mut certificate = match CertificateFile::new(args.certificate.as_deref(), &loaded.model) {
        Ok(certificate) => certificate,
        Err(message) => return console.wrong(message),
    };
    let setting = Setting::of(&plans);
    let mut runs = Vec::new();
    let mut trails = TrailNames { args, written: 0 };
    let known_trails = match trails.known(&loaded.model) {
        Ok(known) => known,
        Err(message) => return console.wrong(message),
    };
    trails.written = known_trails.len();
    let mut known = KnownErrors::default();
    let mut interrupted = false;
    for mut plan in plans {
        if interrupted {
            // What nobody has looked at is not verified.
            runs.push(not_begun(&loaded.model, plan.property()));
            continue;
        }
        if known.assertion && !plan.all_errors {
            plan = plan.passing_over_assertions();
        }
        let property = plan.property();
        let name = property_name(&loaded.model, property);
        if let Some(known) = &mut plan.known {
            match known_errors(&known_trails, &loaded.model, property, name.as_deref()) {
                Ok(errors) => *known = errors,
                Err(message) => return console.wrong(message),
            }
        }
        let searcher = Searcher {
            console,
            model: &loaded.model,
            name: name.as_deref(),
            interrupt: &interrupt,
            deadline,
            base: &base,
            cluster,
        };
        let mut schedule = schedule_of_first.take();
        let mut testimony = Testimony::new(&plan, &loaded.model);
        let mut outcome = searcher.run(&plan, &mut schedule, &mut testimony);
        let mut of_property = None;
        if property.claim().is_some() && outcome.error_count > outcome.property_errors {
            if !plan.all_errors && plan.assertions == Assertions::Report && is_failed_assertion(&outcome) {
                // It has ended the search, and says nothing about the property.
                outcome = joined(outcome, searcher.run(&plan.clone().passing_over_assertions(), &mut None, &mut None));
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
        if let (Verdict::Incomplete(Limit::Gone(what)), _) | (_, Some(Limit::Gone(what))) =
            (&outcome.verdict, &outcome.stopped)
        {
            cluster.note_gone(what);
            console.wrong(what);
            return GONE;
        }
        if let Some(why) = schedule.as_ref().and_then(|schedule| schedule.missed.as_ref()) {
            outcome.notes.push(format!("the last checkpoint that was due is missing: {why}"));
        }
        if let Some(limit) = &outcome.stopped {
            outcome.notes.push(format!("the search did not come to its end: {}", reason(limit)));
        }
        if let Some(system) = testimony.as_mut().and_then(|testimony| testimony.system_plan(&plan, &outcome)) {
            let of_system = searcher.run(&system, &mut None, &mut testimony);
            certificate.needs(&of_system);
        }
        certificate.add(&loaded.model, &plan, &outcome, testimony);
        let unfinished = outcome.stopped.is_some() || matches!(outcome.verdict, Verdict::Incomplete(_));
        let checkpoint = schedule.as_ref().filter(|_| unfinished).and_then(left_checkpoint);
        if let (Some(schedule), Some(_), Some(_)) = (&schedule, &checkpoint, &args.search.hosts) {
            outcome.notes.push(format!("every process goes on by itself: {}", schedule.command));
        }
        let mut run = Run {
            property: name,
            of_property,
            trails: Vec::new(),
            cycles: Vec::new(),
            paths: Vec::new(),
            outcome,
            checkpoint,
        };
        let (own, program) = property.compile(&loaded.model);
        let model = own.as_ref().unwrap_or(&loaded.model);
        for violation in &run.outcome.violations {
            let mut path = output.wants_paths().then(formats::Path::default);
            match describe(model, &loaded.map, &program, &plan, violation, run.property.as_deref(), &mut path) {
                Ok((trail, cycle)) => {
                    run.cycles.push(cycle);
                    run.paths.extend(path);
                    let trail = Trail { outside: loaded.outside.clone(), ..trail };
                    run.trails.push(trails.write(console, &loaded.model, &trail));
                }
                Err(what) => {
                    console.wrong(format!(
                        "internal error: the counterexample does not replay: {what} ({})",
                        violation.message
                    ));
                    return INTERNAL_ERROR;
                }
            }
        }
        // All processes must see it alike: those that do not report go by the outcome.
        let signalled = args.search.reports() && interrupt.load(Ordering::Relaxed);
        interrupted = signalled || was_interrupted(&run.outcome);
        runs.push(run);
    }
    trails.remove_earlier(&loaded.model);
    let written = certificate.write();
    match (&written, runs.last_mut()) {
        (Ok(Some(note)), Some(run)) => run.outcome.notes.push(note.clone()),
        (Err(why), _) => {
            console.wrong(why);
        }
        _ => {}
    }
    let code = print(output, args, loaded, &setting, &runs);
    if written.is_err() { WRONG } else { code }
}

/// Do two paths name the same file, which exists?
pub(super) fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// What the trails of a property show.
fn known_errors(
    trails: &[(PathBuf, Trail)],
    model: &Model,
    property: Property,
    name: Option<&str>,
) -> Result<Vec<KnownError>, String> {
    let (_, program) = property.compile(model);
    let non_progress = property == Property::Cycles(CycleProperty::Progress);
    let of_property = |trail: &Trail| trail.property.as_deref() == name && trail.non_progress == non_progress;
    let known = trails.iter().filter(|(_, trail)| of_property(trail)).map(|(path, trail)| {
        let steps: Vec<Step> = trail.steps.iter().map(|step| step.step).collect();
        // A run that stays where it is has a cycle without steps, which a trail does not tell.
        let stays = matches!(trail.error.message.as_str(), "acceptance cycle" | "non-progress cycle");
        let cycle_start = trail.cycle_start.or(stays.then_some(steps.len()));
        KnownError::new(&program, &trail.error.message, &steps, cycle_start)
            .map_err(|what| format!("{} does not replay: {what}", path.display()))
    });
    known.collect()
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
    cluster: &'a Cluster,
}

impl Searcher<'_> {
    fn run(
        &self,
        plan: &Plan,
        schedule: &mut Option<CheckpointSchedule>,
        testimony: &mut Option<Testimony>,
    ) -> Outcome {
        let budgets = Budgets { memory: plan.memory, time: plan.time };
        let mut progress = Progress::new(self.console.progress(), self.name.unwrap_or_default(), budgets);
        let mut monitor = Monitor::silent(self.interrupt);
        monitor.progress = Box::new(|snapshot| progress.update(snapshot));
        monitor.warn = Box::new(|what| self.console.warn(what));
        monitor.checkpoints = schedule.take();
        monitor.witness = testimony.as_mut().and_then(Testimony::witness);
        (monitor.deadline, monitor.base) = (self.deadline, self.base.get());
        self.cluster.lend(&mut monitor);
        let outcome = plan.execute(self.model, &mut monitor);
        self.cluster.take_back(&mut monitor);
        self.base.set(monitor.base);
        *schedule = monitor.checkpoints.take();
        if let (Some(testimony), Some(witness)) = (testimony, monitor.witness.take()) {
            testimony.take_back(witness);
        }
        drop(monitor);
        progress.finish();
        outcome
    }
}

/// The run of a property whose search did not begin, since a signal has ended the one before.
fn not_begun(model: &Model, property: Property) -> Run {
    let (_, program) = property.compile(model);
    let outcome = Outcome { verdict: Verdict::Incomplete(Limit::Interrupted), ..Outcome::without_room(&program, 0) };
    let property = property_name(model, property);
    Run {
        property,
        of_property: None,
        trails: Vec::new(),
        cycles: Vec::new(),
        paths: Vec::new(),
        outcome,
        checkpoint: None,
    }
}

/// A signal has ended the search.
fn was_interrupted(outcome: &Outcome) -> bool {
    outcome.stopped == Some(Limit::Interrupted) || outcome.verdict == Verdict::Incomplete(Limit::Interrupted)
}

/// A failed assertion of the model is all that was found.
pub(super) fn is_failed_assertion(outcome: &Outcome) -> bool {
    !outcome.violations.is_empty() && outcome.violations.iter().all(|violation| violation.about == About::Assertion)
}

/// A search that a failed assertion ended, and the same search that has passed it: the error of the one, and the answer of
/// the other.
pub(super) fn joined(failed: Outcome, passed: Outcome) -> Outcome {
    let limit = match &passed.verdict {
        Verdict::Incomplete(limit) => Some(limit.clone()),
        _ => passed.stopped.clone(),
    };
    if let Some(limit @ (Limit::Internal(_) | Limit::Gone(_))) = limit {
        // There is no answer at all, and no further search.
        return Outcome { verdict: Verdict::Incomplete(limit), ..passed };
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
fn left_checkpoint(schedule: &CheckpointSchedule) -> Option<Checkpoint> {
    let file = schedule.target.as_ref().filter(|_| schedule.present)?;
    Some(Checkpoint { file: file.display().to_string(), earlier: !schedule.up_to_date })
}

fn print(output: &mut Output<'_>, args: &CheckArgs, loaded: &Loaded, setting: &Setting, runs: &[Run]) -> u8 {
    let arguments = preprocessor_arguments(&args.model);
    let report = Report {
        map: &loaded.map,
        model: &loaded.model,
        setting,
        runs,
        compile_seconds: loaded.seconds,
        arguments: &arguments,
    };
    output.report(&report)
}

pub(super) fn property_name(model: &Model, property: Property) -> Option<String> {
    property.claim().and_then(|number| model.claims.get(number)).map(|claim| claim.name.to_string())
}

/// `-D` and `-I` as they have to be repeated for a replay.
pub(super) fn preprocessor_arguments(model: &ModelArgs) -> Vec<String> {
    let defines = model.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
    defines.chain(model.include_dirs.iter().map(|dir| format!("-I{}", dir.display()))).collect()
}

/// Replays a violation and writes it down with its texts, into the path, too, if one is wanted; of a cycle, also what is told of it.
pub(super) fn describe(
    model: &Model,
    map: &SourceMap,
    program: &Program,
    plan: &Plan,
    violation: &Violation,
    name: Option<&str>,
    path: &mut Option<formats::Path>,
) -> Result<(Trail, Option<CycleStory>), String> {
    let mut cycle = None;
    let mut steps = Vec::with_capacity(violation.path.len());
    // Where the initial state itself cannot be made there is nothing to execute.
    let is_start = violation.path.is_empty() && Machine::new(program).is_err();
    if !is_start {
        let mut recorder = Recorder::new(model, map, program, program.claim_number)?;
        let mut last = None;
        let mut around = Vec::new();
        for (number, &step) in violation.path.iter().enumerate() {
            let record = recorder.take(step).map_err(|what| format!("step {}: {what}", number + 1))?;
            let line = record.place.map_or(0, |(_, line)| line);
            if let Some(path) = path
                && (record.pid.is_some() || record.trap.is_some())
            {
                let text = written::worded_with_calls(map, record.span, &record.text);
                path.push(number, &record.who, &text, record.span);
            }
            if record.pid.is_some() && violation.cycle_start.is_some_and(|start| number >= start) {
                around.push((record.who.clone(), written::worded(map, record.span, &record.text)));
            }
            steps.push(TrailStep { step, process: record.process, line, text: record.text });
            last = record.trap;
        }
        if !shows(recorder.machine(), last.as_deref(), violation) {
            return Err("its path does not lead to the error".into());
        }
        let rules = plan.settings().rules;
        plan.check_lasso(model, program, violation)?;
        cycle = lasso::starved(program, rules, violation).map(|Starved { always, sometimes }| {
            let view = recorder.view();
            // One that lives in a part of the cycle only has no name where the cycle closes.
            let lives = |pid: &usize| *pid < view.machine.process_count();
            let names = |movers: Movers| {
                movers.pids().map(usize::from).filter(lives).map(|pid| view.process_name(pid)).collect()
            };
            CycleStory::new(around, names(always), names(sometimes))
        });
    }
    if let Some(path) = path {
        path.repeats_from(violation.cycle_start);
    }
    let place = place(map, violation.span);
    let trail = Trail {
        model: model.name.clone(),
        fingerprint: model.fingerprint,
        property: name.map(str::to_string),
        non_progress: plan.property() == Property::Cycles(CycleProperty::Progress),
        outside: None,
        error: TrailError {
            kind: violation.kind.name().into(),
            message: violation.message.clone(),
            file: place.map(|(file, _)| file.to_string()),
            line: place.map(|(_, line)| line),
            depth: violation.depth,
        },
        cycle_start: violation.cycle_start.filter(|&start| start < violation.path.len()),
        steps,
    };
    Ok((trail, cycle))
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

    /// The trails that are there, where another counterexample than theirs is wanted.
    fn known(&self, model: &Model) -> Result<Vec<(PathBuf, Trail)>, String> {
        if !self.args.another {
            return Ok(Vec::new());
        }
        let paths = (1..=MOST_TRAILS).map(|number| self.path(model, number));
        let read = |path: PathBuf| {
            let trail = Trail::read(&path)?;
            trail.must_be_of(model.fingerprint, &path)?;
            Ok((path, trail))
        };
        let known = paths.take_while(|path| path.exists()).map(read).collect::<Result<Vec<_>, String>>();
        known.map_err(|what| format!("--another: {what}; remove the file, or check once without --another"))
    }

    /// Removes the further trails of an earlier run whose first one this run has written over, so that those which lie there
    /// belong together.
    fn remove_earlier(&self, model: &Model) {
        if self.args.another || !self.args.search.reports() {
            return;
        }
        let further = (self.written + 1..=MOST_TRAILS).map(|number| self.path(model, number));
        for path in further.filter(|path| self.written > 0 && Trail::is_of_model(path, &model.name)) {
            // one that stays does no harm
            let _ = std::fs::remove_file(path);
        }
    }

    /// Writes a trail; a file that cannot be written is a warning, since the verdict stands without it.
    fn write(&mut self, console: &Console, model: &Model, trail: &Trail) -> Option<String> {
        if self.args.no_trail || !self.args.search.reports() {
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
