//! `pv replay`: play a counterexample back, step by step. The trail is executed again, not trusted: a step that is not
//! possible, or a cycle that does not close, ends the replay with a message.

use super::check::is_same_file;
use super::console::Console;
use super::load::load_for_replay;
use super::options::ModelArgs;
use super::output;
use super::replay_json;
use super::steps::{Layout, base_name, print_record, print_state};
use super::watched::{Watched, Watches};
use crate::explore::page;
use crate::explore::tell::{self, Subject};
use crate::explore::watch::Condition;
use crate::model::Model;
use crate::report::chart::{self, ChartEvent};
use crate::report::number::counted;
use crate::report::recorder::{Record, Recorder};
use crate::report::trail::{Trail, write_atomically};
use crate::report::written;
use crate::search::plan::{CycleProperty, Property};
use crate::source::SourceMap;
use crate::source::visible::visible;
use clap::Args;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `pv replay`.
#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// The trail file that `pv check` wrote.
    #[arg(value_name = "TRAIL")]
    trail: PathBuf,
    /// One JSON object on standard output: every step with the state after it.
    #[arg(long)]
    json: bool,
    /// Print statements as they stand in the source: macros not expanded, and what stands in an inline with its call (this is the default).
    #[arg(long, conflicts_with_all = ["json", "expanded"])]
    as_written: bool,
    /// Print statements as pv executes them: macros and arguments expanded.
    #[arg(long, conflicts_with = "json")]
    expanded: bool,
    /// Print the steps of the claim, too.
    #[arg(long, conflicts_with = "json")]
    claim_steps: bool,
    /// Print the value of an expression of the model where it changes, and at the start; may be given several times.
    #[arg(long, value_name = "EXPR")]
    watch: Vec<String>,
    /// Draw the run as a message sequence chart; FILE.mmd is text for Mermaid, FILE.puml for PlantUML.
    #[arg(long, value_name = "FILE.svg")]
    chart: Option<PathBuf>,
    /// Write the run as one page for a browser, with source, chart and states; it needs no network.
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Print (and put into the page) only the last N steps (1k = 1000) [default: all of them].
    #[arg(long, value_name = "N", value_parser = super::values::count)]
    last: Option<u64>,
}

/// Runs the command; gives the exit code. Who asked for JSON gets an object also where something is wrong.
pub(crate) fn run_as_asked(console: &Console, args: &ReplayArgs) -> u8 {
    let code = run(console, args);
    if args.json { output::or_reason(console, Some(&args.model.model), code) } else { code }
}

fn run(console: &Console, args: &ReplayArgs) -> u8 {
    // The trail first: the property that it is about may stand in it.
    let trail = match Trail::read(&args.trail) {
        Ok(trail) => trail,
        Err(message) => return console.wrong(message),
    };
    let loaded = match load_for_replay(console, &args.model, trail.outside.as_ref()) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    if let Err(message) = trail.must_be_of(loaded.model.fingerprint, &args.trail) {
        return console.wrong(message);
    }
    if let Err(message) = refuse_overwriting(args) {
        return console.wrong(message);
    }
    let (property, claim) = match property_of(&trail, &loaded.model) {
        Ok(found) => found,
        Err(message) => return console.wrong(message),
    };
    let (own, program) = property.compile(&loaded.model);
    let model = own.as_ref().unwrap_or(&loaded.model);
    let watches = match Watches::read(&args.watch, model, property, &loaded, &args.model) {
        Ok(watches) => watches,
        Err(message) => return console.wrong(message),
    };
    let recorder = match Recorder::new(model, &loaded.map, &program, claim) {
        Ok(recorder) => recorder,
        Err(what) if trail.steps.is_empty() && args.html.is_some() => {
            return console
                .wrong(format!("there is no run to write (--html): {what} (while the initial state is made)"));
        }
        Err(_) if trail.steps.is_empty() => {
            // The initial state itself cannot be made; there is nothing to replay.
            if args.json {
                let played = replay_json::play(console, Err(&watches), &loaded.map, &trail, 0);
                return played.map_or_else(|what| console.wrong(what), |written| console.written(written, 0));
            }
            return console.print(&format!("{}\n", ending(&trail, &trail.error.message)), 0);
        }
        Err(what) => return console.wrong(what),
    };
    let mut recorder = recorder.with_changes().with_chart();
    if args.json {
        let rehearsed = Recorder::new(model, &loaded.map, &program, claim)
            .and_then(|mut recorder| replay_json::rehearse(&mut recorder, &trail));
        if let Err(message) = rehearsed {
            return console.wrong(message);
        }
    }
    let mut watched = match watches.start() {
        Ok(watched) => watched,
        Err(message) => return console.wrong(message),
    };
    // A reader that went away ends the printing, but the chart is still to be written.
    let most = args.last.map_or(usize::MAX, |last| usize::try_from(last).unwrap_or(usize::MAX));
    let layout = Layout::new(model, &loaded.map);
    let error = match args.expanded {
        true => trail.error.message.clone(),
        false => trail.error_in_words(model, &loaded.map),
    };
    let played = match args.json {
        true => replay_json::play(console, Ok((&mut recorder, &mut watched)), &loaded.map, &trail, most),
        false => {
            let silent = trail.steps.len().saturating_sub(most);
            let shown = Shown { map: &loaded.map, args, silent, error: &error };
            play(console, (&mut recorder, &mut watched), &trail, &layout, &shown)
        }
    };
    let chart = args.chart.as_deref().map(|path| draw(&mut recorder, &trail, &error, path));
    let subject = Subject { model, map: &loaded.map, program: &program, claim };
    let page = args
        .html
        .as_deref()
        .filter(|_| played.is_ok())
        .map(|path| write_page(subject, &trail, (most, watches.list()), path));
    match (played, chart.into_iter().chain(page).find_map(Result::err)) {
        (Err(message), _) => console.wrong(message),
        (Ok(_), Some(message)) => console.wrong(message),
        (Ok(written), None) => console.written(written, 0),
    }
}

/// What is written must not replace what is read, nor one output another.
fn refuse_overwriting(args: &ReplayArgs) -> Result<(), String> {
    let outputs = [("--chart", &args.chart), ("--html", &args.html)];
    let inputs = [("the model", Path::new(&args.model.model)), ("the trail", &args.trail)];
    for (option, path) in outputs.iter().filter_map(|(option, path)| Some((option, path.as_deref()?))) {
        if let Some((what, _)) = inputs.iter().find(|(_, input)| is_same_file(path, input)) {
            return Err(format!("{option} cannot be written to {}: that is {what}", path.display()));
        }
    }
    match (&args.chart, &args.html) {
        (Some(chart), Some(html)) if chart == html || is_same_file(chart, html) => {
            Err(format!("--chart and --html cannot both be written to {}", chart.display()))
        }
        _ => Ok(()),
    }
}

/// The property that a trail is about, and the number of its claim in the model that the property compiles.
pub(super) fn property_of(trail: &Trail, model: &Model) -> Result<(Property, Option<usize>), String> {
    if trail.non_progress {
        return Ok((Property::Cycles(CycleProperty::Progress), Some(0)));
    }
    let Some(name) = &trail.property else { return Ok((Property::Safety, None)) };
    match model.claims.iter().position(|claim| *claim.name == **name) {
        Some(number) => Ok((Property::Cycles(CycleProperty::Claim(number)), Some(number))),
        None => Err(format!("the trail is about the property `{name}`, which the model has not")),
    }
}

/// Writes the run as a page.
fn write_page(
    subject: Subject<'_>,
    trail: &Trail,
    (most, watched): (usize, &[(String, Condition)]),
    path: &Path,
) -> Result<(), String> {
    let page = page::render(&tell::trail(subject, trail, most, watched)?, "'none'");
    write_atomically(path, page.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Which steps are printed, and how.
struct Shown<'a> {
    map: &'a SourceMap,
    args: &'a ReplayArgs,
    /// The first ones are not printed.
    silent: usize,
    /// What is wrong at the end.
    error: &'a str,
}

impl Shown<'_> {
    /// Those of the claim only look at the state; one that fails is told.
    fn includes(&self, number: usize, record: &Record) -> bool {
        number >= self.silent && (record.pid.is_some() || self.args.claim_steps || record.trap.is_some())
    }

    fn is_as_written(&self) -> bool {
        self.args.as_written || !self.args.expanded
    }

    /// The step as it is to be printed.
    fn worded(&self, mut record: Record) -> Record {
        if self.is_as_written() {
            record.text = written::worded_with_calls(self.map, record.span, &record.text);
            record.trap =
                record.trap.map(|trap| visible(&written::failure(self.map, record.trap_span, &trap)).into_owned());
        }
        record
    }
}

/// Takes all steps and prints those that are shown; gives what came of printing.
fn play(
    console: &Console,
    (recorder, watched): (&mut Recorder<'_>, &mut Watched<'_>),
    trail: &Trail,
    layout: &Layout<'_>,
    shown: &Shown<'_>,
) -> Result<io::Result<()>, String> {
    let mut out = io::BufWriter::new(console.out());
    let mut written = Ok(());
    let mut closed_at = None;
    let mut hidden = 0;
    for (number, step) in trail.steps.iter().enumerate() {
        if number == shown.silent && written.is_ok() {
            written = watched.print(&mut out, layout.indent(), &recorder.view());
        }
        if trail.cycle_start == Some(number) {
            closed_at = Some(recorder.machine().state().to_vec());
            let _ = writeln!(out, "  -- from here on the steps repeat for ever --");
            if let Some(events) = recorder.events() {
                events.push(ChartEvent::CycleStart);
            }
        }
        let record = recorder
            .take(step.step)
            .map_err(|what| format!("the trail does not replay: step {} ({}): {what}", number + 1, step.text))?;
        watched.take(step.step)?;
        if shown.includes(number, &record) {
            if written.is_ok() {
                written = print_record(&mut out, layout, number + 1, &shown.worded(record))
                    .and_then(|()| watched.print(&mut out, layout.indent(), &recorder.view()));
            }
        } else if number >= shown.silent {
            hidden += 1;
        }
    }
    if hidden > 0 && written.is_ok() {
        let steps = counted(hidden, "step", "steps");
        written = writeln!(out, "  -- {steps} of the claim not shown (--claim-steps) --");
    }
    // The values of a run without a printed step, and what steps that are not shown have changed.
    if written.is_ok() {
        written = watched.print(&mut out, layout.indent(), &recorder.view());
    }
    let state = recorder.machine().state().to_vec();
    if closed_at.is_some_and(|start| start != state) {
        return Err("the trail does not replay: its cycle does not come back to where it started".into());
    }
    let written = written
        .and_then(|()| writeln!(out, "\n{}", ending(trail, shown.error)))
        .and_then(|()| print_state(&mut out, &recorder.view(), shown.is_as_written().then_some(shown.map)))
        .and_then(|()| out.flush());
    // What is left in the buffer of a failed output would fail again.
    let (_, _) = out.into_parts();
    Ok(written)
}

/// `assertion violated (x == 1) at m.pml:4, after 12 steps`.
fn ending(trail: &Trail, message: &str) -> String {
    let error = &trail.error;
    let place = match (&error.file, error.line) {
        (Some(file), Some(line)) => format!(" at {}:{line}", visible(file)),
        _ => String::new(),
    };
    let steps = trail.steps.len();
    let message = visible(message);
    format!("\x1b[1;31m{message}\x1b[0m{place}, after {steps} {}", if steps == 1 { "step" } else { "steps" })
}

fn draw(recorder: &mut Recorder<'_>, trail: &Trail, error: &str, path: &Path) -> Result<(), String> {
    let who = trail.steps.last().and_then(|step| match step.step.actor {
        crate::search::outcome::Actor::Process(pid) => recorder.chart_number(usize::from(pid)),
        crate::search::outcome::Actor::Claim => None,
    });
    let own_step = error_belongs_to_last_step(trail);
    let text = error.to_string();
    let Some(events) = recorder.events() else { return Ok(()) };
    // A cycle has its bracket; no single step is wrong.
    if trail.cycle_start.is_none() {
        events.push(ChartEvent::Error { process: who.filter(|_| own_step), text });
    }
    let chart = chart::render_for(path, events, base_name(&trail.model), error);
    write_atomically(path, chart.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Assertions and run-time errors are made by somebody; deadlocks and cycles by all together.
fn error_belongs_to_last_step(trail: &Trail) -> bool {
    matches!(trail.error.kind.as_str(), "assertion" | "unhandled")
}
