//! `pv simulate --interactive`: a run by hand. Each command is one line; what is wrong with a line is said, and the next one is read.
//! The end of the input ends the simulation.

use super::console::Console;
use super::lead::Lead;
use super::simulate::{ChoiceResult, Saved, Simulation};
use super::steps::{base_name, print_state};
use crate::explore::why::blocked;
use crate::model::{Automaton, Location};
use crate::report::number::thousands;
use crate::report::{place, written};
use crate::search::outcome::{Actor, Step};
use crate::search::walk::possible::{Choice, by_chance};
use crate::source::Span;
use crate::source::visible::visible;
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};

/// Steps that `r LABEL` and `c` take before they give up.
const LONGEST_RUN: u64 = 100_000;

/// States that undo can come back to; older ones are forgotten.
const MOST_SAVED: usize = 200_000;

const HELP: &str = "\
NUMBER    take this step
u         undo the last step; again for the one before
redo      take back an undo
p         print the state
why       say why each process that cannot move is blocked
r LABEL   run by chance until some process stands at the label
b         list the breakpoints
b LABEL   stop `c` where a process comes to the label
b LINE    stop `c` where a process comes to a statement of this line (FILE:LINE for an included file)
d LABEL   remove a breakpoint, also d LINE; d alone removes all
c         continue by chance to a breakpoint, an error or the end
help      this list
q         quit";

/// A place where `c` stops.
#[derive(Clone, PartialEq, Eq)]
enum Breakpoint {
    Label(String),
    /// File and line as choices show them.
    Line(String, u32),
}

impl std::fmt::Display for Breakpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Breakpoint::Label(label) => write!(f, "{label}"),
            Breakpoint::Line(file, line) => write!(f, "{}:{line}", visible(base_name(file))),
        }
    }
}

/// What a command asks for.
enum Next {
    Goes,
    Quits,
}

/// See the module.
pub(super) struct Dialog<'s, 'a> {
    simulation: &'s mut Simulation<'a>,
    /// States before the present one, and those that were undone.
    past: VecDeque<Saved>,
    future: Vec<Saved>,
    breakpoints: Vec<Breakpoint>,
    most: Option<u64>,
}

impl<'s, 'a> Dialog<'s, 'a> {
    /// At the initial state. `most`: steps, if they are bounded.
    pub(super) fn new(simulation: &'s mut Simulation<'a>, most: Option<u64>) -> Dialog<'s, 'a> {
        simulation.show_steps = true;
        Dialog { simulation, past: VecDeque::new(), future: Vec::new(), breakpoints: Vec::new(), most }
    }

    /// Reads commands until there are no more; gives the exit code.
    pub(super) fn run(mut self, console: &Console, lead: Option<&Lead<'_>>) -> u8 {
        let mut out = console.out();
        let past = &mut self.past;
        if let Err(what) = self.simulation.follow(lead, &mut out, &mut |saved| keep(past, saved)) {
            return console.wrong(what);
        }
        let mut lines = io::stdin().lock().lines();
        loop {
            let list = self.simulation.choices();
            if let Err(error) = self.menu(&mut out, &list) {
                drop(out);
                return console.written(Err(error), 0);
            }
            let answer = match lines.next() {
                None => {
                    let _ = writeln!(out, "\nthe input has ended");
                    return 0;
                }
                Some(Err(error)) if error.kind() == io::ErrorKind::InvalidData => Err("this is not UTF-8".into()),
                Some(Err(error)) => {
                    drop(out);
                    return console.wrong(format!("the commands cannot be read: {error}"));
                }
                Some(Ok(line)) => self.obey(&line, &list, &mut out),
            };
            match answer {
                Ok(Next::Goes) => {}
                Ok(Next::Quits) => return 0,
                Err(what) => {
                    let _ = writeln!(out, "{}", visible(&what));
                }
            }
        }
    }

    fn obey(&mut self, line: &str, list: &[Choice], out: &mut impl Write) -> Result<Next, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => Ok(()),
            ["q" | "quit"] => return Ok(Next::Quits),
            ["help" | "h" | "?"] => printed(writeln!(out, "{HELP}")),
            ["p"] => printed(print_state(out, &self.simulation.recorder.view(), Some(self.simulation.map))),
            ["why"] => printed(self.why(list, out)),
            ["u" | "undo"] => self.undo(),
            ["redo"] => self.redo(),
            ["b"] => printed(self.list_breakpoints(out)),
            ["b", place] => self.add_breakpoint(place, out),
            ["d"] => {
                self.breakpoints.clear();
                Ok(())
            }
            ["d", place] => self.remove_breakpoint(place),
            ["c"] => self.go_on(out),
            ["r"] => Err("r needs a label".into()),
            ["r", label] => self.run_to(label, out),
            [word] => self.choose(word, list, out),
            _ => Err("one number, or u, redo, p, why, r LABEL, b LABEL, b LINE, d, c, help, q".into()),
        }?;
        Ok(Next::Goes)
    }

    fn choose(&mut self, word: &str, list: &[Choice], out: &mut impl Write) -> Result<(), String> {
        let Ok(number) = word.parse::<usize>() else {
            return Err(format!("`{word}` is none of the choices and no command; help lists the commands"));
        };
        let choice = number.checked_sub(1).and_then(|number| list.get(number));
        let choice = choice.ok_or_else(|| format!("`{word}` is none of the choices"))?;
        self.take(choice, out).map(|_| ())
    }

    /// Takes a choice so that it can be undone.
    fn take(&mut self, choice: &Choice, out: &mut impl Write) -> Result<ChoiceResult, String> {
        if self.most.is_some_and(|most| self.simulation.is_long(most)) {
            return Err("--steps is reached".into());
        }
        let saved = self.simulation.saved();
        let taken = self.simulation.take(choice, out)?;
        keep(&mut self.past, saved);
        self.future.clear();
        Ok(taken)
    }

    fn undo(&mut self) -> Result<(), String> {
        let saved = self.past.pop_back().ok_or("there is nothing to undo")?;
        self.future.push(self.simulation.saved());
        self.simulation.load(&saved);
        Ok(())
    }

    fn redo(&mut self) -> Result<(), String> {
        let saved = self.future.pop().ok_or("there is nothing to redo")?;
        keep(&mut self.past, self.simulation.saved());
        self.simulation.load(&saved);
        Ok(())
    }

    /// The choices, and where the next command is to be typed.
    fn menu(&mut self, out: &mut impl Write, list: &[Choice]) -> io::Result<()> {
        writeln!(out)?;
        if list.is_empty() {
            self.simulation.ended(out)?;
        }
        let half = |step: &Step| match step.actor {
            Actor::Process(pid) => Some((usize::from(pid), step.transition)),
            Actor::Claim => None,
        };
        let halves = list.iter().flat_map(|choice| choice.steps.iter().filter_map(half));
        let mut statements = self.statements(halves).into_iter();
        for (number, choice) in list.iter().enumerate() {
            let halves: Vec<String> = statements.by_ref().take(choice.steps.iter().filter_map(half).count()).collect();
            writeln!(out, "{:>3}  {}", number + 1, halves.join("  ->  "))?;
        }
        write!(out, "step {}> ", self.simulation.steps + 1)?;
        out.flush()
    }

    /// `sender(1) m.pml:12: q!1` for each statement of a process, with the calls of inlines that tell it from the others.
    fn statements(&self, list: impl Iterator<Item = (usize, u32)>) -> Vec<String> {
        let (view, map) = (self.simulation.recorder.view(), self.simulation.map);
        let told = |(pid, transition): (usize, u32)| {
            let name = view.process_name(pid);
            let Some(transition) = view.proctype(pid).automaton.transitions.get(transition as usize) else {
                return (name, Span::default());
            };
            let text = written::worded(map, transition.span, &transition.text);
            let text = match place(map, transition.span) {
                Some((file, line)) => format!("{name} {}:{line}: {text}", visible(base_name(file))),
                None => format!("{name}: {text}"),
            };
            (text, transition.span)
        };
        let list: Vec<(String, Span)> = list.map(told).collect();
        let calls = written::calls_told_apart(map, &list);
        list.into_iter().zip(calls).map(|((text, _), calls)| written::with_calls(text, &calls)).collect()
    }

    /// Prints every statement of the processes that cannot move, with the reason.
    fn why(&mut self, list: &[Choice], out: &mut impl Write) -> io::Result<()> {
        let moves = |pid: usize| {
            let makes = |choice: &Choice| choice.steps.iter().any(|step| step.actor == Actor::Process(pid as u8));
            list.iter().any(makes)
        };
        let view = self.simulation.recorder.view();
        let mut found = blocked(view, list, self.simulation.atomic);
        found.retain(|blocked| !moves(blocked.pid));
        if found.is_empty() {
            return writeln!(out, "no process is blocked");
        }
        let statements = self.statements(found.iter().map(|blocked| (blocked.pid, blocked.transition)));
        for (blocked, statement) in found.iter().zip(statements) {
            writeln!(out, "  {statement}   cannot go: {}", blocked.reason)?;
        }
        Ok(())
    }

    /// The place that a user names, if the model has it.
    fn breakpoint(&self, text: &str) -> Result<Breakpoint, String> {
        let (file, number) = text.rsplit_once(':').map_or((None, text), |(file, number)| (Some(file), number));
        let Ok(line) = number.parse::<u32>() else {
            let known = |location: &Location| location.labels.iter().any(|label| **label == *text);
            return match self.automata().any(|automaton| automaton.locations.iter().any(known)) {
                true => Ok(Breakpoint::Label(text.to_string())),
                false => Err(format!("no process type has the label `{text}`")),
            };
        };
        let main = self.simulation.map.files().first().map(|file| file.name.as_str());
        let is_file = |name: &str| match file {
            Some(file) => name == file || base_name(name) == file,
            None => Some(name) == main,
        };
        let spans = self.automata().flat_map(|automaton| &automaton.transitions).map(|transition| transition.span);
        let mut places = spans.filter_map(|span| place(self.simulation.map, span));
        match places.find(|&(name, at)| at == line && is_file(name)) {
            Some((name, _)) => Ok(Breakpoint::Line(name.to_string(), line)),
            None => Err(format!("no statement of a process stands at {text}")),
        }
    }

    fn automata(&self) -> impl Iterator<Item = &'a Automaton> + use<'a> {
        self.simulation.model.proctypes.iter().map(|proctype| &proctype.automaton)
    }

    fn add_breakpoint(&mut self, text: &str, out: &mut impl Write) -> Result<(), String> {
        let new = self.breakpoint(text)?;
        if self.breakpoints.contains(&new) {
            return Err(format!("there is a breakpoint at {new} already"));
        }
        let _ = writeln!(out, "breakpoint at {new}");
        self.breakpoints.push(new);
        Ok(())
    }

    fn remove_breakpoint(&mut self, text: &str) -> Result<(), String> {
        let old = self.breakpoint(text)?;
        let place = self.breakpoints.iter().position(|known| *known == old);
        self.breakpoints.remove(place.ok_or_else(|| format!("there is no breakpoint at {old}"))?);
        Ok(())
    }

    fn list_breakpoints(&self, out: &mut impl Write) -> io::Result<()> {
        if self.breakpoints.is_empty() {
            return writeln!(out, "there are no breakpoints");
        }
        self.breakpoints.iter().try_for_each(|breakpoint| writeln!(out, "breakpoint at {breakpoint}"))
    }

    /// The process stands at the place.
    fn stands(&self, pid: usize, breakpoint: &Breakpoint) -> bool {
        let view = self.simulation.recorder.view();
        let automaton = &view.proctype(pid).automaton;
        let location = view.machine.location(pid);
        let Some(known) = automaton.locations.get(location as usize) else { return false };
        match breakpoint {
            Breakpoint::Label(label) => known.labels.iter().any(|known| **known == **label),
            Breakpoint::Line(file, line) => automaton
                .at(location)
                .iter()
                .any(|transition| place(self.simulation.map, transition.span) == Some((file.as_str(), *line))),
        }
    }

    /// Runs by chance until a process comes to a breakpoint.
    fn go_on(&mut self, out: &mut impl Write) -> Result<(), String> {
        for _ in 0..LONGEST_RUN {
            let before = self.simulation.recorder.view().machine.process_count();
            let list = self.simulation.choices();
            // The menu says how the run has ended.
            let Some(choice) = by_chance(&list, &mut self.simulation.random) else { return Ok(()) };
            if let ChoiceResult::Failed = self.take(choice, out)? {
                return Ok(());
            }
            let count = self.simulation.recorder.view().machine.process_count();
            // Only those that moved, or that are new: who stands at a breakpoint and waits has been there before.
            let came = |pid: &usize| {
                *pid >= before || choice.steps.iter().any(|step| step.actor == Actor::Process(*pid as u8))
            };
            for pid in (0..count).filter(came) {
                if let Some(reached) = self.breakpoints.iter().find(|breakpoint| self.stands(pid, breakpoint)) {
                    let name = self.simulation.recorder.view().process_name(pid);
                    let _ = writeln!(out, "{name} is at {reached}");
                    return Ok(());
                }
            }
        }
        Err(format!("no process came to a breakpoint in {} steps", thousands(LONGEST_RUN)))
    }

    /// Runs by chance until some process stands at the label.
    fn run_to(&mut self, label: &str, out: &mut impl Write) -> Result<(), String> {
        let wanted = Breakpoint::Label(label.to_string());
        if label.parse::<u32>().is_ok() || self.breakpoint(label)? != wanted {
            return Err(format!("no process type has the label `{label}`"));
        }
        for _ in 0..LONGEST_RUN {
            let list = self.simulation.choices();
            let Some(choice) = by_chance(&list, &mut self.simulation.random) else {
                return Err(format!("nothing can move, and no process is at `{label}`"));
            };
            if let ChoiceResult::Failed = self.take(choice, out)? {
                return Ok(());
            }
            let count = self.simulation.recorder.view().machine.process_count();
            if (0..count).any(|pid| self.stands(pid, &wanted)) {
                return Ok(());
            }
        }
        Err(format!("no process came to `{label}` in {} steps", thousands(LONGEST_RUN)))
    }
}

/// Keeps a state to come back to.
fn keep(past: &mut VecDeque<Saved>, saved: Saved) {
    if past.len() >= MOST_SAVED {
        past.pop_front();
    }
    past.push_back(saved);
}

/// An output that fails is noticed with the next menu.
fn printed(_: io::Result<()>) -> Result<(), String> {
    Ok(())
}
