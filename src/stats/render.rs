//! The shape of a state space as text, as JSON and as plots; states in words.

use super::Shape;
use super::shape::HUB_FACTOR;
use crate::exec::show::{Shown, View};
use crate::exec::{Machine, Program};
use crate::model::{Model, Region};
use crate::report::number::{bytes, counted, duration, thousands};
use crate::report::plot::{Axis, Mark, Plot, Series, Unit};
use crate::report::{place, reason};
use crate::search::outcome::Limit;
use crate::source::SourceMap;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;

/// All that is told.
#[derive(Clone, Debug)]
pub(crate) struct StatsReport<'a> {
    /// Name of the model.
    pub model: &'a str,
    /// The measures.
    pub shape: &'a Shape,
    /// Why they are those of a part only.
    pub limit: Option<&'a Limit>,
    /// Bytes that it took.
    pub memory: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

#[derive(Serialize)]
struct Document<'a> {
    pv: &'static str,
    model: &'a str,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(flatten)]
    shape: &'a Shape,
    memory_bytes: u64,
    seconds: f64,
}

/// One JSON object, with a line end behind it.
pub(crate) fn json(report: &StatsReport<'_>) -> String {
    let document = Document {
        pv: env!("CARGO_PKG_VERSION"),
        model: report.model,
        complete: report.limit.is_none(),
        reason: report.limit.map(reason),
        shape: report.shape,
        memory_bytes: report.memory,
        seconds: report.seconds,
    };
    // Serialising plain data to memory cannot fail.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// The text for a terminal.
pub(crate) fn text(report: &StatsReport<'_>) -> String {
    let shape = report.shape;
    let mut text = format!("pv {} · {}\n\n", env!("CARGO_PKG_VERSION"), report.model);
    if let Some(limit) = report.limit {
        let _ =
            writeln!(text, "Incomplete: {}.\nAll that follows is about the part that was explored.\n", reason(limit));
    }
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<18}{value}");
    };
    line("states", thousands(shape.states));
    // pv check counts arrivals, and the first of them is at the initial state.
    line(
        "transitions",
        format!("{} (pv check --full counts the initial state, too: one more)", thousands(shape.transitions)),
    );
    let (widest, most) = shape.widest();
    line(
        "levels",
        format!(
            "{} (diameter {}); the widest is level {widest} with {}",
            thousands(shape.levels.len() as u64),
            thousands(shape.diameter),
            counted(most, "state", "states")
        ),
    );
    line("branching", degree_line(&shape.out_degree, "transitions leave a state"));
    line("end states", counted(shape.terminal_states, "state has no successor", "states have no successor"));
    line("in-degree", degree_line(&shape.in_degree, "transitions lead to a state"));
    line(
        "hub states",
        format!("{} with at least {HUB_FACTOR} times the mean in-degree", counted(shape.hub_count, "state", "states")),
    );
    line("locality", locality(shape));
    let parts = &shape.components;
    line(
        "components",
        format!(
            "{} strongly connected; the largest has {}; {} with a cycle, {} that no run leaves",
            thousands(parts.count),
            counted(parts.largest, "state", "states"),
            thousands(parts.cyclic),
            thousands(parts.terminal)
        ),
    );
    line("memory, time", format!("{}, {}", bytes(report.memory), duration(report.seconds)));
    histogram(&mut text, "Levels", &shape.levels);
    density_table(&mut text, shape);
    span_table(&mut text, shape);
    if !shape.hubs.is_empty() {
        text.push_str("\nStates of the highest in-degree\n");
        for hub in &shape.hubs {
            let _ = writeln!(text, "  in-degree {}, level {}: {}", thousands(hub.in_degree), hub.level, hub.state);
        }
    }
    text
}

fn degree_line(degrees: &super::shape::Degrees, what: &str) -> String {
    format!(
        "{:.2} {what} on average, {} at most (standard deviation {:.2})",
        degrees.mean,
        thousands(degrees.max),
        degrees.deviation
    )
}

/// How local transitions are, in words.
fn locality(shape: &Shape) -> String {
    let back = match shape.longest_back() {
        0 => "none leads back".to_string(),
        levels => format!("the longest leads back {}", counted(levels, "level", "levels")),
    };
    format!("{:.1}% of the transitions span at most one level; {back}", shape.local * 100.0)
}

/// Rows of a histogram; more levels are put together.
const ROWS: usize = 24;
const BAR: usize = 48;

fn histogram(text: &mut String, title: &str, levels: &[u64]) {
    if levels.len() < 2 {
        return;
    }
    let step = levels.len().div_ceil(ROWS);
    let rows: Vec<u64> = levels.chunks(step).map(|chunk| chunk.iter().sum()).collect();
    let most = rows.iter().copied().max().unwrap_or(1).max(1);
    let _ = writeln!(text, "\n{title} and their states");
    for (row, &states) in rows.iter().enumerate() {
        let from = row * step;
        let to = (from + step - 1).min(levels.len() - 1);
        let name = if step == 1 { from.to_string() } else { format!("{from}-{to}") };
        let bar = "█".repeat((states as u128 * BAR as u128).div_ceil(u128::from(most)) as usize);
        let _ = writeln!(text, "{name:>13} {:>15} {bar}", thousands(states));
    }
}

fn density_table(text: &mut String, shape: &Shape) {
    if shape.in_degree.max == 0 {
        return;
    }
    text.push_str("\nDensity of the in-degree: share of states by share of the largest in-degree (n = 20)\n");
    for (index, &share) in shape.in_degree_density.iter().enumerate() {
        if share > 0.0 {
            let bar = "█".repeat((share * BAR as f64).ceil() as usize);
            let _ = writeln!(text, "{:>12}% {:>14.4}% {bar}", (index + 1) * 5, share * 100.0);
        }
    }
}

/// Spans nearer than this are told one by one.
const NEAR: i64 = -5;

fn span_table(text: &mut String, shape: &Shape) {
    if shape.transitions == 0 {
        return;
    }
    text.push_str("\nTransitions by the levels they span\n");
    let mut row = |name: String, count: u64| {
        if count > 0 {
            let share = count as f64 / shape.transitions as f64;
            let bar = "█".repeat((share * BAR as f64).ceil() as usize);
            let _ = writeln!(text, "{name:>13} {:>15} {bar}", thousands(count));
        }
    };
    let of = |range: std::ops::RangeInclusive<i64>| -> u64 {
        shape.spans.iter().filter(|(span, _)| range.contains(span)).map(|(_, count)| count).sum()
    };
    row("+1".into(), of(1..=1));
    for span in (NEAR..=0).rev() {
        row(span.to_string(), of(span..=span));
    }
    row(format!("{} or less", NEAR - 1), of(i64::MIN..=NEAR - 1));
}

/// The plots of a shape: levels, in-degree density (Figure 2 of the hub-states paper), branching, locality.
pub(crate) fn plots(model: &str, shape: &Shape) -> Vec<Plot> {
    let of = |what: &str| format!("{what} of {model}");
    let levels = shape.levels.iter().enumerate().map(|(level, &states)| (level as f64, states as f64)).collect();
    let density = &shape.in_degree_density;
    let density = density.iter().enumerate().map(|(index, &share)| ((index + 1) as f64 / 20.0, share)).collect();
    let pairs = |values: &[(u64, u64)]| values.iter().map(|&(d, n)| (d as f64, n as f64)).collect::<Vec<_>>();
    let spans = shape.spans.iter().map(|&(span, count)| (span as f64, count as f64)).collect();
    vec![
        Plot {
            title: of("Breadth-first levels"),
            x: Axis::linear("level").starting_at_zero(),
            y: Axis::linear("states").starting_at_zero(),
            series: vec![Series::line("", levels).drawn_as(Mark::Curve)],
            level: None,
        },
        Plot {
            title: of("In-degree density"),
            x: Axis::linear("in-degree (share of the largest)")
                .starting_at_zero()
                .in_unit(Unit::Percent)
                .covering(&[1.0]),
            y: Axis::log("share of states").in_unit(Unit::Percent).covering(&[1.0]),
            series: vec![Series::line("", density)],
            level: None,
        },
        Plot {
            title: of("Branching and in-degree"),
            x: Axis::linear("degree (transitions)").starting_at_zero(),
            y: Axis::log("states"),
            series: vec![
                Series::line("out-degree", pairs(&shape.out_degree.distribution)).drawn_as(Mark::Points),
                Series::line("in-degree", pairs(&shape.in_degree.distribution)).drawn_as(Mark::Points),
            ],
            level: None,
        },
        Plot {
            title: of("Transition locality"),
            x: Axis::linear("levels from source to target"),
            y: Axis::log("transitions"),
            series: vec![Series::line("", spans).drawn_as(Mark::Points)],
            level: None,
        },
    ]
}

/// Most characters of a state in words.
const LONGEST: usize = 400;

/// States in words: where each process stands, and what differs from the initial state.
pub(crate) struct Describer<'a> {
    model: &'a Model,
    map: &'a SourceMap,
    program: &'a Program,
    initial: HashMap<String, String>,
}

impl<'a> Describer<'a> {
    /// For the states of this program.
    pub(crate) fn new(model: &'a Model, map: &'a SourceMap, program: &'a Program) -> Describer<'a> {
        let initial = match Machine::new(program) {
            Ok(machine) => {
                View { model, machine: &machine }.variables().into_iter().map(|v| (v.name, v.value)).collect()
            }
            Err(_) => HashMap::new(),
        };
        Describer { model, map, program, initial }
    }

    /// A state in words.
    pub(crate) fn describe(&self, state: &[u8]) -> String {
        let Ok(mut machine) = Machine::new(self.program) else { return String::new() };
        // Hidden variables are no part of a state: what they were is not known.
        let mut saved = vec![0; self.program.hidden as usize];
        saved.extend_from_slice(state);
        machine.load(&saved);
        let view = View { model: self.model, machine: &machine };
        let mut parts: Vec<String> = (0..machine.process_count()).map(|pid| self.process(&view, pid)).collect();
        parts.extend(
            view.variables().iter().filter(|shown| self.is_news(shown)).map(|s| format!("{}={}", s.name, s.value)),
        );
        let text = parts.join(", ");
        match text.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{} …", &text[..end]),
            None if text.is_empty() => "no process is left, nothing has changed".into(),
            None => text,
        }
    }

    fn process(&self, view: &View<'_>, pid: usize) -> String {
        let location = view.machine.location(pid) as usize;
        let span = view.proctype(pid).automaton.locations.get(location).map(|location| location.span);
        let name = view.process_name(pid);
        match span.and_then(|span| place(self.map, span)) {
            Some((_, line)) => format!("{name} at line {line}"),
            None => name,
        }
    }

    /// Not hidden, and not as it was at the start (of a process that was there, or zero).
    fn is_news(&self, shown: &Shown) -> bool {
        let base = shown.name.split(['[', '.']).next().unwrap_or_default();
        let hidden = |path: &str| path.split(['[', '.']).next() == Some(base);
        if self.model.globals.iter().any(|global| global.region == Region::Hidden && hidden(&global.path)) {
            return false;
        }
        match self.initial.get(&shown.name) {
            Some(value) => *value != shown.value,
            None => shown.value != "0" && shown.value != "empty",
        }
    }
}
