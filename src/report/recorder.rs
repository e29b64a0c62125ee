//! A run in words: takes steps through the executor one by one and tells for each who did what where, what was printed and
//! what changed; collects the events of a message sequence chart on the way. Replay, simulation and the writer of
//! trails all use it.

use super::chart::ChartEvent;
use super::{place, written};
use crate::exec::show::{Shown, View};
use crate::exec::{Machine, Program, print::Printed};
use crate::model::{Action, Model, ScalarType};
use crate::search::outcome::{Actor, Step};
use crate::search::walk::replay;
use crate::source::{SourceMap, Span};
use std::collections::HashMap;

/// A variable that a step changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Change {
    /// `x`, `sender(1):count`, `q`.
    pub name: String,
    /// Before; `None` if it did not exist.
    pub old: Option<String>,
    /// After; `None` if it no longer exists.
    pub new: Option<String>,
}

/// One step in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Record {
    /// `sender(1)`, `never claim`.
    pub who: String,
    /// Name of the process type.
    pub process: String,
    /// The process; `None` for the claim.
    pub pid: Option<usize>,
    /// File and line.
    pub place: Option<(String, u32)>,
    /// Where the statement stands.
    pub span: Span,
    /// The statement.
    pub text: String,
    /// What it printed.
    pub printed: Vec<Printed>,
    /// What it changed, if that was asked for.
    pub changes: Vec<Change>,
    /// A value that its variable cannot hold, if that was asked for: what SPIN's simulator warns of.
    pub cut_off: Option<String>,
    /// What is wrong with it.
    pub trap: Option<String>,
    /// The statement that is wrong; inside a `d_step` that is not the whole one.
    pub trap_span: Span,
}

/// See the module.
pub(crate) struct Recorder<'a> {
    model: &'a Model,
    map: &'a SourceMap,
    claim: Option<usize>,
    machine: Machine<'a>,
    wants_changes: bool,
    wants_cut_off: bool,
    chart: Option<ChartState>,
}

/// What the chart needs to know about the past.
struct ChartState {
    events: Vec<ChartEvent>,
    /// Number by birth of each living process.
    numbers: Vec<usize>,
    next_process: usize,
    /// For each channel the messages in it: their text and number.
    queues: Vec<Vec<(String, usize)>>,
    next_message: usize,
    /// Steps taken so far.
    steps: usize,
    /// A handshake that is half done: sender and label.
    offered: Option<(usize, String)>,
}

impl<'a> Recorder<'a> {
    /// At the initial state. `claim`: number of the claim that the program was compiled with.
    pub(crate) fn new(
        model: &'a Model,
        map: &'a SourceMap,
        program: &'a Program,
        claim: Option<usize>,
    ) -> Result<Recorder<'a>, String> {
        let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
        machine.listen(true);
        Ok(Recorder { model, map, claim, machine, wants_changes: false, wants_cut_off: false, chart: None })
    }

    /// Steps are recorded with what they change.
    pub(crate) fn with_changes(mut self) -> Recorder<'a> {
        self.wants_changes = true;
        self.with_cut_off()
    }

    /// Assignments are recorded with what they lose.
    pub(crate) fn with_cut_off(mut self) -> Recorder<'a> {
        self.wants_cut_off = true;
        self
    }

    /// Events of a chart are collected.
    pub(crate) fn with_chart(mut self) -> Recorder<'a> {
        let mut chart = ChartState {
            events: Vec::new(),
            numbers: Vec::new(),
            next_process: 0,
            queues: Vec::new(),
            next_message: 0,
            steps: 0,
            offered: None,
        };
        chart.births(&self.view(), None);
        chart.queues = vec![Vec::new(); self.machine.channel_count()];
        self.chart = Some(chart);
        self
    }

    /// The executor.
    pub(crate) fn machine(&mut self) -> &mut Machine<'a> {
        &mut self.machine
    }

    /// The state in words.
    pub(crate) fn view(&self) -> View<'_> {
        View { model: self.model, machine: &self.machine }
    }

    /// The events so far, and adds to them.
    pub(crate) fn events(&mut self) -> Option<&mut Vec<ChartEvent>> {
        self.chart.as_mut().map(|chart| &mut chart.events)
    }

    /// The number by birth of a living process, as the chart knows it.
    pub(crate) fn chart_number(&self, pid: usize) -> Option<usize> {
        self.chart.as_ref()?.numbers.get(pid).copied()
    }

    /// Takes a step; says why if it cannot be taken here.
    pub(crate) fn take(&mut self, step: Step) -> Result<Record, String> {
        let (who, process, pid) = match step.actor {
            Actor::Process(pid) => {
                let pid = usize::from(pid);
                if pid >= self.machine.process_count() {
                    return Err(format!("there is no process {pid}"));
                }
                let view = self.view();
                (view.process_name(pid), self.model.proctypes.get(self.machine.proctype(pid) as usize), Some(pid))
            }
            Actor::Claim => {
                let claim = self.claim.and_then(|number| self.model.claims.get(number));
                (
                    claim.map_or("claim".into(), |claim| format!("claim {}", claim.name)),
                    claim.map(|claim| &claim.body),
                    None,
                )
            }
        };
        let transition = process.and_then(|process| process.automaton.transitions.get(step.transition as usize));
        let (Some(process), Some(transition)) = (process, transition) else {
            return Err("there is no such transition".into());
        };
        let before = if self.wants_changes { self.view().variables() } else { Vec::new() };
        let cut_off = if self.wants_cut_off { self.cut_off(pid, &transition.action) } else { None };
        let trap = replay::take(&mut self.machine, step)?;
        self.machine.forget_journal_if_idle();
        let changes = if self.wants_changes { changes(&before, &self.view().variables()) } else { Vec::new() };
        if let Some(mut chart) = self.chart.take() {
            let matters = !matches!(transition.action, Action::Skip | Action::Guard(_) | Action::Else);
            let line = place(self.map, transition.span).map(|(_, line)| line);
            let text = written::statement(self.map, transition.span, &transition.text);
            chart.note(&self.view(), pid, (text.as_deref().unwrap_or(&transition.text), matters), line);
            self.chart = Some(chart);
        }
        let sites = &self.machine.program().sites;
        let site = trap.and_then(|trap| sites.get(trap.site() as usize)).map(|site| site.span);
        Ok(Record {
            who,
            process: process.name.to_string(),
            pid,
            place: place(self.map, transition.span).map(|(file, line)| (file.to_string(), line)),
            span: transition.span,
            text: transition.text.to_string(),
            printed: self.machine.take_printed(),
            changes,
            cut_off: cut_off.filter(|_| trap.is_none()),
            trap: trap.map(|trap| self.machine.program().describe(trap)),
            trap_span: site.unwrap_or(transition.span),
        })
    }
}

impl Recorder<'_> {
    /// What an assignment would lose in this state.
    fn cut_off(&self, pid: Option<usize>, action: &Action) -> Option<String> {
        let Action::Assign(place, value) = action else { return None };
        let value = self.machine.value_of(pid, &self.machine.program().expression(value)).ok()?;
        let kept = place.scalar.truncate(value);
        (kept != value).then(|| format!("{value} does not fit {}: it becomes {kept}", type_name(place.ty)))
    }
}

fn type_name(ty: ScalarType) -> String {
    match ty {
        ScalarType::Bit => "a bit (0 or 1)".into(),
        ScalarType::Bool => "a bool (0 or 1)".into(),
        ScalarType::Short => "a short (-32768 to 32767)".into(),
        ScalarType::Unsigned(width) => format!("unsigned : {width}"),
        _ => "a byte (0 to 255)".into(),
    }
}

impl ChartState {
    /// Processes that are new.
    fn births(&mut self, view: &View<'_>, by: Option<usize>) {
        while self.numbers.len() < view.machine.process_count() {
            let name = view.process_name(self.numbers.len());
            self.events.push(ChartEvent::Start { process: self.next_process, name, by });
            self.numbers.push(self.next_process);
            self.next_process += 1;
        }
    }

    /// A step was taken by `pid`: what of it is to be seen?
    fn note(&mut self, view: &View<'_>, pid: Option<usize>, (text, matters): (&str, bool), line: Option<u32>) {
        self.steps += 1;
        let Some(who) = pid.and_then(|pid| self.numbers.get(pid).copied()) else { return };
        self.events.push(ChartEvent::Step { number: self.steps, line });
        let seen = self.events.len();
        let offered = view.machine.offered().map(|(id, values)| (id, values.to_vec()));
        if let Some((id, values)) = offered {
            let label = match view.channel_declaration(id) {
                Some(channel) => format!("{}!{}", channel.name, bare(&view.message_text(channel, &values))),
                None => text.to_string(),
            };
            self.offered = Some((who, label));
            return;
        }
        if let Some((from, label)) = self.offered.take() {
            self.events.push(ChartEvent::Rendezvous { from, to: who, label });
        }
        self.queues(view, who);
        if view.machine.process_count() < self.numbers.len() {
            for process in self.numbers.drain(view.machine.process_count()..) {
                self.events.push(ChartEvent::End { process });
            }
        }
        self.births(view, Some(who));
        if self.events.len() == seen {
            self.events.push(ChartEvent::Local { process: who, text: text.to_string(), matters });
        }
    }

    /// Messages that came into or left channels. A `d_step` may do several of both.
    fn queues(&mut self, view: &View<'_>, who: usize) {
        self.queues.resize(view.machine.channel_count(), Vec::new());
        for index in 0..self.queues.len() {
            let now = view.messages(index);
            let old = std::mem::take(&mut self.queues[index]);
            let name = view.channel_declaration(index as u32 + 1).map(|channel| channel.name.to_string());
            self.queues[index] = self.difference(who, name.as_deref().unwrap_or("?"), old, now);
        }
    }

    fn difference(
        &mut self,
        who: usize,
        name: &str,
        mut old: Vec<(String, usize)>,
        now: Vec<String>,
    ) -> Vec<(String, usize)> {
        let common = old.iter().zip(&now).take_while(|((text, _), new)| text == *new).count();
        if common == old.len() && common == now.len() {
            return old;
        }
        let same = |old: &[(String, usize)], new: &[String]| {
            old.len() == new.len() && old.iter().zip(new).all(|((text, _), new)| text == new)
        };
        if old.len() == now.len() + 1 && same(&old[common + 1..], &now[common..]) {
            let (text, message) = old.remove(common);
            self.receive(who, name, &text, message);
            return old;
        }
        if now.len() == old.len() + 1 && same(&old[common..], &now[common + 1..]) {
            let message = self.send(who, name, &now[common]);
            old.insert(common, (now[common].clone(), message));
            return old;
        }
        // Several at once: the oldest were taken, new ones came behind the rest.
        let kept = (0..=old.len()).find(|&taken| {
            let rest = &old[taken..];
            rest.len() <= now.len() && same(rest, &now[..rest.len()])
        });
        let rest = old.split_off(kept.unwrap_or(old.len()));
        for (text, message) in old {
            self.receive(who, name, &text, message);
        }
        let mut queue = rest;
        for text in now.into_iter().skip(queue.len()) {
            let message = self.send(who, name, &text);
            queue.push((text, message));
        }
        queue
    }

    fn send(&mut self, process: usize, name: &str, text: &str) -> usize {
        let message = self.next_message;
        self.next_message += 1;
        self.events.push(ChartEvent::Send { process, message, label: format!("{name}!{}", bare(text)) });
        message
    }

    fn receive(&mut self, process: usize, name: &str, text: &str, message: usize) {
        let label = format!("{name}?{}", bare(text));
        self.events.push(ChartEvent::Receive { process, message: Some(message), label });
    }
}

/// `[data,1]` without its brackets.
fn bare(text: &str) -> &str {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}

fn changes(before: &[Shown], after: &[Shown]) -> Vec<Change> {
    let change = |name: &str, old: Option<&str>, new: Option<&str>| Change {
        name: name.into(),
        old: old.map(str::to_string),
        new: new.map(str::to_string),
    };
    // Without births and deaths the lists run in parallel.
    if before.len() == after.len() && before.iter().zip(after).all(|(old, new)| old.name == new.name) {
        let differs = |(old, new): &(&Shown, &Shown)| old.value != new.value;
        let pairs = before.iter().zip(after).filter(differs);
        return pairs.map(|(old, new)| change(&old.name, Some(&old.value), Some(&new.value))).collect();
    }
    let values: HashMap<&str, &str> = before.iter().map(|old| (old.name.as_str(), old.value.as_str())).collect();
    let mut list: Vec<Change> = after
        .iter()
        .filter(|new| values.get(new.name.as_str()) != Some(&new.value.as_str()))
        .map(|new| change(&new.name, values.get(new.name.as_str()).copied(), Some(&new.value)))
        .collect();
    let left: std::collections::HashSet<&str> = after.iter().map(|new| new.name.as_str()).collect();
    let gone = before.iter().filter(|old| !left.contains(old.name.as_str()));
    list.extend(gone.map(|old| change(&old.name, Some(&old.value), None)));
    list
}
