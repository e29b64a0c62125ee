//! `pv simulate`: one run of a model. By chance, a process that can move is drawn, then one of its steps; the same seed
//! gives the same run. What `printf` prints is shown as SPIN shows it: indented by process.

use super::console::{Console, shown_to};
use super::load::{Loaded, load_model};
use super::options::ModelArgs;
use super::steps::{Layout, base_name, print_record, print_state};
use crate::exec::Program;
use crate::model::Model;
use crate::report::chart;
use crate::report::number::{counted, thousands};
use crate::report::recorder::{Record, Recorder};
use crate::report::trail::write_atomically;
use crate::search::outcome::Actor;
use crate::search::walk::possible::{Choice, atomic_after, by_chance, choices};
use crate::source::visible::visible;
use clap::Args;
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::io::{self, BufRead, Write};
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
    /// Choose each step: a number takes it, `u` undoes, `p` prints the state, `r LABEL` runs to a label, `q` quits.
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

/// Steps that `r LABEL` takes before it gives up.
const LONGEST_RUN: u64 = 100_000;

/// Spaces in front of what process 0 prints, and more for each pid: SPIN's layout.
const INDENT: (usize, usize) = (6, 4);

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &SimulateArgs) -> u8 {
    if args.interactive && args.model.model == "-" {
        return console
            .wrong("--interactive with a model from standard input makes no sense: the choices come from there");
    }
    let loaded = match load_model(console, &args.model) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let program = Program::new(&loaded.model, None);
    let mut recorder = match Recorder::new(&loaded.model, &loaded.map, &program, None) {
        Ok(recorder) => recorder,
        Err(what) => {
            console.wrong(format!("{what} (while the initial state is made)"));
            return 1;
        }
    };
    if args.show_steps || args.interactive {
        recorder = recorder.with_changes();
    }
    if args.chart.is_some() {
        recorder = recorder.with_chart();
    }
    let mut simulation = Simulation {
        model: &loaded.model,
        layout: Layout::new(&loaded.model, &loaded.map),
        created: recorder.machine().process_count(),
        recorder,
        random: StdRng::seed_from_u64(args.seed.unwrap_or(1)),
        atomic: None,
        steps: 0,
        show_steps: args.show_steps,
        at_line_start: true,
    };
    if args.interactive {
        return simulation.interactive(console, args.steps);
    }
    let code = simulation.by_chance(console, args.steps.unwrap_or(DEFAULT_STEPS));
    match &args.chart {
        Some(path) => write_chart(console, &loaded, &mut simulation.recorder, path).unwrap_or(code),
        None => code,
    }
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

struct Simulation<'a> {
    model: &'a Model,
    layout: Layout<'a>,
    recorder: Recorder<'a>,
    random: StdRng,
    /// The process inside an atomic block.
    atomic: Option<usize>,
    steps: u64,
    created: usize,
    show_steps: bool,
    /// Nothing stands on the current line of output: a model may print without a line end.
    at_line_start: bool,
}

/// What came of a choice.
enum ChoiceResult {
    Fine,
    /// A step failed.
    Failed,
}

impl Simulation<'_> {
    fn choices(&mut self) -> Vec<Choice> {
        let machine = self.recorder.machine();
        let list = choices(machine, self.atomic);
        // To see what is possible, steps were tried; what they printed did not happen.
        machine.take_printed();
        list
    }

    /// Takes the steps of a choice and shows them.
    fn take(&mut self, choice: &Choice, out: &mut impl Write) -> Result<ChoiceResult, String> {
        let mut taken = ChoiceResult::Fine;
        for &step in &choice.steps {
            let Actor::Process(pid) = step.actor else { return Err("a claim does not move here".into()) };
            let before = self.recorder.machine().process_count();
            let proctype = self.recorder.machine().proctype(usize::from(pid));
            let record = self.recorder.take(step)?;
            self.atomic = atomic_after(self.recorder.machine(), proctype, step);
            self.steps += 1;
            self.created += self.recorder.machine().process_count().saturating_sub(before);
            let _ = self.show(out, &record);
            if record.trap.is_some() {
                taken = ChoiceResult::Failed;
                break;
            }
        }
        Ok(taken)
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
        if let Some(trap) = &record.trap {
            let place =
                record.place.as_ref().map(|(file, line)| format!("{}:{line}: ", visible(file))).unwrap_or_default();
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

    fn by_chance(&mut self, console: &Console, most: u64) -> u8 {
        let mut out = io::BufWriter::new(console.out());
        let code = loop {
            if self.steps >= most {
                let _ = self.end_line(&mut out);
                let _ = writeln!(out, "stopped after {} (--steps)", counted(self.steps, "step", "steps"));
                break 0;
            }
            let list = self.choices();
            let Some(choice) = by_chance(&list, &mut self.random) else {
                break self.ended(&mut out).unwrap_or(0);
            };
            match self.take(choice, &mut out) {
                Ok(ChoiceResult::Fine) => {}
                Ok(ChoiceResult::Failed) => {
                    let _ = print_state(&mut out, &self.recorder.view());
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
    fn ended(&mut self, out: &mut impl Write) -> io::Result<u8> {
        self.end_line(out)?;
        let valid = self.recorder.machine().is_valid_end(false);
        if valid {
            writeln!(out, "ended after {}", counted(self.steps, "step", "steps"))?;
        } else {
            writeln!(out, "\x1b[1;31minvalid end state\x1b[0m after {}", counted(self.steps, "step", "steps"))?;
        }
        if self.recorder.machine().process_count() > 0 {
            print_state(out, &self.recorder.view())?;
        }
        Ok(u8::from(!valid))
    }

    fn interactive(&mut self, console: &Console, most: Option<u64>) -> u8 {
        let mut past: Vec<(Vec<u8>, Option<usize>, u64)> = Vec::new();
        self.show_steps = true;
        let mut out = console.out();
        let mut lines = io::stdin().lock().lines();
        loop {
            let list = self.choices();
            if let Err(error) = self.menu(&mut out, &list) {
                drop(out);
                return console.written(Err(error), 0);
            }
            let Some(Ok(line)) = lines.next() else {
                let _ = writeln!(out);
                return 0;
            };
            let mut words = line.split_whitespace();
            let answer = match (words.next(), words.next()) {
                (None, _) => Ok(()),
                (Some("q"), None) => return 0,
                (Some("p"), None) => {
                    let _ = print_state(&mut out, &self.recorder.view());
                    Ok(())
                }
                (Some("u"), None) => match past.pop() {
                    Some((saved, atomic, steps)) => {
                        self.recorder.machine().load(&saved);
                        (self.atomic, self.steps) = (atomic, steps);
                        Ok(())
                    }
                    None => Err("there is nothing to undo".into()),
                },
                (Some("r"), Some(label)) => self.run_to(label, &mut past, &mut out),
                (Some("r"), None) => Err("r needs a label".into()),
                (Some(number), None)
                    if most.is_some_and(|most| self.steps >= most) && number.parse::<usize>().is_ok() =>
                {
                    Err("--steps is reached".into())
                }
                (Some(number), None) => match number.parse::<usize>().ok().and_then(|n| list.get(n.checked_sub(1)?)) {
                    Some(choice) => {
                        past.push((self.recorder.machine().saved().to_vec(), self.atomic, self.steps));
                        self.take(choice, &mut out).map(|_| ())
                    }
                    None => Err(format!("`{number}` is none of the choices")),
                },
                _ => Err("one number, or u, p, r LABEL, q".into()),
            };
            if let Err(what) = answer {
                let _ = writeln!(out, "{what}");
            }
        }
    }

    fn menu(&mut self, out: &mut impl Write, list: &[Choice]) -> io::Result<()> {
        writeln!(out)?;
        if list.is_empty() {
            self.ended(out)?;
        }
        let view = self.recorder.view();
        for (number, choice) in list.iter().enumerate() {
            let texts: Vec<String> = choice
                .steps
                .iter()
                .map(|step| {
                    let Actor::Process(pid) = step.actor else { return String::new() };
                    let transitions = &view.proctype(usize::from(pid)).automaton.transitions;
                    let text = transitions.get(step.transition as usize).map_or("", |transition| &transition.text);
                    format!("{}: {text}", view.process_name(usize::from(pid)))
                })
                .collect();
            writeln!(out, "{:>3}  {}", number + 1, texts.join("  ->  "))?;
        }
        write!(out, "step {}> ", self.steps + 1)?;
        out.flush()
    }

    /// Runs by chance until some process stands at the label.
    fn run_to(
        &mut self,
        label: &str,
        past: &mut Vec<(Vec<u8>, Option<usize>, u64)>,
        out: &mut impl Write,
    ) -> Result<(), String> {
        let known = |location: &crate::model::Location| location.labels.iter().any(|known| **known == *label);
        if !self.model.proctypes.iter().any(|proctype| proctype.automaton.locations.iter().any(known)) {
            return Err(format!("no process type has the label `{label}`"));
        }
        for _ in 0..LONGEST_RUN {
            let list = self.choices();
            let Some(choice) = by_chance(&list, &mut self.random) else {
                return Err(format!("nothing can move, and no process is at `{label}`"));
            };
            past.push((self.recorder.machine().saved().to_vec(), self.atomic, self.steps));
            if let ChoiceResult::Failed = self.take(choice, out)? {
                return Ok(());
            }
            let view = self.recorder.view();
            let at = |pid: usize| {
                let locations = &view.proctype(pid).automaton.locations;
                locations.get(view.machine.location(pid) as usize).is_some_and(known)
            };
            if (0..view.machine.process_count()).any(at) {
                return Ok(());
            }
        }
        Err(format!("no process came to `{label}` in {} steps", thousands(LONGEST_RUN)))
    }
}
