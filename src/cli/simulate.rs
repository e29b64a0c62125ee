//! `pv simulate`: one run of a model. By chance, a process that can move is drawn, then one of its steps; the same seed
//! gives the same run. What `printf` prints is shown as SPIN shows it: indented by process.

use super::console::{Console, shown_to};
use super::interactive::Dialog;
use super::lead::Lead;
use super::load::{Loaded, load_for_replay};
use super::options::ModelArgs;
use super::steps::{Layout, base_name, print_record, print_state};
use crate::exec::Program;
use crate::model::Model;
use crate::report::chart;
use crate::report::number::counted;
use crate::report::recorder::{Record, Recorder};
use crate::report::trail::{Trail, write_atomically};
use crate::report::written;
use crate::search::outcome::{Actor, Step};
use crate::search::walk::possible::{Choice, atomic_after, by_chance, choices};
use crate::source::visible::visible;
use crate::source::{SourceMap, Span};
use clap::Args;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of `pv simulate`.
#[derive(Args, Debug)]
pub(crate) struct SimulateArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Seed of the random choices, 0 to 2^64-1 [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stop after N steps, 1 or more (1k = 1000) [default: 10k; with --interactive no bound].
    #[arg(long, value_name = "N", value_parser = super::values::positive_count)]
    steps: Option<u64>,
    /// Start with the steps of a trail file that `pv check` wrote; --steps counts those behind them.
    #[arg(long, value_name = "TRAIL")]
    from: Option<PathBuf>,
    /// Of the trail only its first K steps, as `pv replay` counts them [default: all of them].
    #[arg(long, value_name = "K", requires = "from", value_parser = super::values::count)]
    at: Option<u64>,
    /// Choose each step: a number takes it, `u` undoes, `c` continues to a breakpoint, `why` says who is blocked; `help` lists all.
    #[arg(long)]
    interactive: bool,
    /// Print every step with what it changes, not only what the model prints.
    #[arg(long, conflicts_with = "interactive")]
    show_steps: bool,
    /// Draw the run as a message sequence chart; FILE.mmd is text for Mermaid, FILE.puml for PlantUML.
    #[arg(long, value_name = "FILE.svg", conflicts_with = "interactive")]
    chart: Option<PathBuf>,
}

/// Steps of a run by chance when nothing is said: a model that never ends must not fill a disk.
const DEFAULT_STEPS: u64 = 10_000;

/// Spaces in front of what process 0 prints, and more for each pid: SPIN's layout.
const INDENT: (usize, usize) = (6, 4);

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &SimulateArgs) -> u8 {
    if args.interactive && args.model.model == "-" {
        return console
            .wrong("--interactive with a model from standard input makes no sense: the choices come from there");
    }
    let trail = match args.from.as_deref().map(Trail::read).transpose() {
        Ok(trail) => trail,
        Err(message) => return console.wrong(message),
    };
    // The property of the trail belongs to the model that the trail names.
    let outside = trail.as_ref().and_then(|trail| trail.outside.as_ref());
    let loaded = match load_for_replay(console, &args.model, outside) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let lead = match lead(args, &loaded, trail.as_ref()) {
        Ok(lead) => lead,
        Err(message) => return console.wrong(message),
    };
    let program = Program::new(&loaded.model, None);
    let mut recorder = match Recorder::new(&loaded.model, &loaded.map, &program, None) {
        Ok(recorder) => recorder,
        Err(what) => {
            console.wrong(format!("{what} (while the initial state is made)"));
            return 1;
        }
    };
    recorder = recorder.with_cut_off();
    if args.show_steps || args.interactive {
        recorder = recorder.with_changes();
    }
    if args.chart.is_some() {
        recorder = recorder.with_chart();
    }
    let mut simulation = Simulation {
        model: &loaded.model,
        map: &loaded.map,
        layout: Layout::new(&loaded.model, &loaded.map),
        created: recorder.machine().process_count(),
        recorder,
        random: StdRng::seed_from_u64(args.seed.unwrap_or(1)),
        atomic: None,
        steps: 0,
        start: 0,
        show_steps: args.show_steps,
        at_line_start: true,
        cut_off: HashSet::new(),
    };
    if args.interactive {
        return Dialog::new(&mut simulation, args.steps).run(console, lead.as_ref());
    }
    let code = simulation.by_chance(console, args.steps.unwrap_or(DEFAULT_STEPS), lead.as_ref());
    match &args.chart {
        Some(path) => write_chart(console, &loaded, &mut simulation.recorder, path).unwrap_or(code),
        None => code,
    }
}

/// The steps that the simulation starts with.
fn lead<'t>(args: &SimulateArgs, loaded: &Loaded, trail: Option<&'t Trail>) -> Result<Option<Lead<'t>>, String> {
    let (Some(trail), Some(path)) = (trail, &args.from) else { return Ok(None) };
    trail.must_be_of(loaded.model.fingerprint, path)?;
    Lead::of(trail, args.at).map(Some)
}

/// Lets go of an output that may have failed, with what is left in its buffer: a second try would fail as well.
fn drop_output<W: Write>(out: io::BufWriter<W>) {
    let (_, _) = out.into_parts();
}

fn write_chart(console: &Console, loaded: &Loaded, recorder: &mut Recorder<'_>, path: &Path) -> Option<u8> {
    let events = recorder.events()?;
    let svg = chart::render_for(path, events, base_name(&loaded.model.name), "simulation");
    match write_atomically(path, svg.as_bytes()) {
        Ok(()) => None,
        Err(error) => Some(console.wrong(format!("cannot write {}: {error}", path.display()))),
    }
}

/// A state to come back to: the bytes of the machine, who is inside an atomic block, steps so far.
pub(super) type Saved = (Vec<u8>, Option<usize>, u64);

/// A run that is being made.
pub(super) struct Simulation<'a> {
    /// The model.
    pub(super) model: &'a Model,
    /// Its text.
    pub(super) map: &'a SourceMap,
    layout: Layout<'a>,
    /// The present state.
    pub(super) recorder: Recorder<'a>,
    /// Makes the choices by chance.
    pub(super) random: StdRng,
    /// The process inside an atomic block.
    pub(super) atomic: Option<usize>,
    /// Steps so far.
    pub(super) steps: u64,
    /// So many of them are those of the trail.
    start: u64,
    created: usize,
    /// Steps are printed, not only what the model prints.
    pub(super) show_steps: bool,
    /// Nothing stands on the current line of output: a model may print without a line end.
    at_line_start: bool,
    /// Where it was told that a value does not fit: once is enough.
    cut_off: HashSet<Span>,
}

/// What came of a choice.
pub(super) enum ChoiceResult {
    /// All steps are taken.
    Fine,
    /// A step failed.
    Failed,
}

impl Simulation<'_> {
    /// What can go now.
    pub(super) fn choices(&mut self) -> Vec<Choice> {
        let machine = self.recorder.machine();
        let list = choices(machine, self.atomic);
        // To see what is possible, steps were tried; what they printed did not happen.
        machine.take_printed();
        list
    }

    /// Takes the steps of a choice and shows them.
    pub(super) fn take(&mut self, choice: &Choice, out: &mut impl Write) -> Result<ChoiceResult, String> {
        let mut taken = ChoiceResult::Fine;
        for &step in &choice.steps {
            taken = self.step(step, out)?;
            if let ChoiceResult::Failed = taken {
                break;
            }
        }
        Ok(taken)
    }

    /// Takes one step and shows it.
    fn step(&mut self, step: Step, out: &mut impl Write) -> Result<ChoiceResult, String> {
        let Actor::Process(pid) = step.actor else { return Err("a claim does not move here".into()) };
        let machine = self.recorder.machine();
        let before = machine.process_count();
        if usize::from(pid) >= before {
            return Err(format!("there is no process {pid}"));
        }
        let (proctype, state) = (machine.proctype(usize::from(pid)), machine.saved().to_vec());
        let mut record = self.recorder.take(step)?;
        record.text = written::worded_with_calls(self.map, record.span, &record.text);
        record.trap =
            record.trap.map(|trap| visible(&written::failure(self.map, record.trap_span, &trap)).into_owned());
        // A step that failed has not moved, and neither has it left its block.
        if record.trap.is_none() || self.recorder.machine().saved() != state {
            self.atomic = atomic_after(self.recorder.machine(), proctype, step);
        }
        self.steps += 1;
        self.created += self.recorder.machine().process_count().saturating_sub(before);
        let _ = self.show(out, &record);
        Ok(if record.trap.is_some() { ChoiceResult::Failed } else { ChoiceResult::Fine })
    }

    /// Takes the steps of a trail. The state before each goes to `keep`, unless a handshake is half done in it. A step that fails is
    /// not the end if the trail goes on behind it.
    pub(super) fn follow(
        &mut self,
        lead: Option<&Lead<'_>>,
        out: &mut impl Write,
        keep: &mut dyn FnMut(Saved),
    ) -> Result<ChoiceResult, String> {
        let mut last = ChoiceResult::Fine;
        let Some(lead) = lead else { return Ok(last) };
        lead.go(|step| {
            if !self.recorder.machine().in_handshake() {
                keep(self.saved());
            }
            last = self.step(step, out)?;
            Ok(self.recorder.machine().in_handshake())
        })?;
        self.start = self.steps;
        let _ = self.end_line(out);
        let _ = writeln!(out, "{}", lead.told());
        Ok(last)
    }

    /// The present state, to come back to.
    pub(super) fn saved(&mut self) -> Saved {
        (self.recorder.machine().saved().to_vec(), self.atomic, self.steps)
    }

    /// Comes back to a state.
    pub(super) fn load(&mut self, (state, atomic, steps): &Saved) {
        self.recorder.machine().load(state);
        (self.atomic, self.steps) = (*atomic, *steps);
    }

    /// `--steps` is reached.
    pub(super) fn is_long(&self, most: u64) -> bool {
        self.steps.saturating_sub(self.start) >= most
    }

    fn show(&mut self, out: &mut impl Write, record: &Record) -> io::Result<()> {
        if self.show_steps {
            return print_record(out, &self.layout, self.steps as usize, record);
        }
        for printed in &record.printed {
            let text = printed.text(self.model);
            let indent = INDENT.0 + INDENT.1 * printed.pid;
            write!(out, "{:indent$}", "")?;
            // Past the stream that takes our own colours out where nobody wants them: this text is the model's.
            out.flush()?;
            let mut direct = io::stdout().lock();
            direct.write_all(shown_to(&text, &direct).as_bytes())?;
            self.at_line_start = text.ends_with('\n');
        }
        let place = || record.place.as_ref().map(|(file, line)| format!("{}:{line}: ", visible(file)));
        if let Some(cut_off) = record.cut_off.as_ref().filter(|_| self.cut_off.insert(record.span)) {
            self.end_line(out)?;
            writeln!(out, "\x1b[33mwarning\x1b[0m: {}{cut_off}", place().unwrap_or_default())?;
        }
        if let Some(trap) = &record.trap {
            let place = place().unwrap_or_default();
            self.end_line(out)?;
            writeln!(out, "\x1b[1;31merror\x1b[0m: {place}{trap}")?;
        }
        Ok(())
    }

    fn end_line(&mut self, out: &mut impl Write) -> io::Result<()> {
        if !self.at_line_start {
            writeln!(out)?;
            self.at_line_start = true;
        }
        Ok(())
    }

    fn by_chance(&mut self, console: &Console, most: u64, lead: Option<&Lead<'_>>) -> u8 {
        let mut out = io::BufWriter::new(console.out());
        let followed = self.follow(lead, &mut out, &mut |_| ());
        let code = loop {
            match &followed {
                Ok(ChoiceResult::Fine) => {}
                Ok(ChoiceResult::Failed) => {
                    let _ = print_state(&mut out, &self.recorder.view(), Some(self.map));
                    break 1;
                }
                Err(what) => break console.wrong(what),
            }
            if self.is_long(most) {
                let _ = self.end_line(&mut out);
                let behind = if lead.is_some() { " behind the trail" } else { "" };
                let steps = counted(self.steps - self.start, "step", "steps");
                let _ = writeln!(out, "stopped after {steps}{behind} (--steps)");
                break 0;
            }
            let list = self.choices();
            let Some(choice) = by_chance(&list, &mut self.random) else {
                break self.ended(&mut out).unwrap_or(0);
            };
            match self.take(choice, &mut out) {
                Ok(ChoiceResult::Fine) => {}
                Ok(ChoiceResult::Failed) => {
                    let _ = print_state(&mut out, &self.recorder.view(), Some(self.map));
                    break 1;
                }
                Err(what) => break console.wrong(what),
            }
            // A reader that went away: nobody sees the rest.
            if let Err(error) = out.flush() {
                drop_output(out);
                return console.written(Err(error), 0);
            }
        };
        let _ = writeln!(out, "{} created", counted(self.created as u64, "process", "processes"));
        let written = out.flush();
        drop_output(out);
        console.written(written, code)
    }

    /// Nothing can move: says so, and whether it should be so.
    pub(super) fn ended(&mut self, out: &mut impl Write) -> io::Result<u8> {
        self.end_line(out)?;
        let valid = self.recorder.machine().is_valid_end(false);
        if valid {
            writeln!(out, "ended after {}", counted(self.steps, "step", "steps"))?;
        } else {
            writeln!(out, "\x1b[1;31minvalid end state\x1b[0m after {}", counted(self.steps, "step", "steps"))?;
        }
        if self.recorder.machine().process_count() > 0 {
            print_state(out, &self.recorder.view(), Some(self.map))?;
        }
        Ok(u8::from(!valid))
    }
}
