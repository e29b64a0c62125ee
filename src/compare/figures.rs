//! The papers' figures from the runs of a comparison: plots, a table, and a sentence that says what they show on this
//! model, computed from the data. One file for each family of searches.

mod breadth;
mod cache;
pub(crate) mod caches;
pub(crate) mod errors;
mod pod;

use super::matrix::{Chain, Figure, Measured, Point, Study};
use super::results::{Record, Results};
use super::runner::label;
use crate::report::html::{Block, Table};
use crate::report::number::{bytes, thousands};
use crate::report::plot::{self, Axis, Mark, Plot, Series, Unit, format_value};
use std::cell::RefCell;

/// The settings whose time a sentence tells: their times are to be those of several runs.
pub(crate) type Quoted = RefCell<Vec<Vec<String>>>;

/// What a figure is made from.
#[derive(Clone, Copy)]
pub(crate) struct Data<'a> {
    /// The runs that were planned.
    pub study: &'a Study,
    /// What came out.
    pub results: &'a Results,
    /// The full state space.
    pub measured: &'a Measured,
    /// How many times the full search's transitions a run may make.
    pub factor: f64,
    /// Where it is noted whose time is told.
    pub quoted: &'a Quoted,
}

/// A figure: what the page shows, and its sentence for the terminal.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Drawn {
    /// Plots and tables.
    pub blocks: Vec<Block>,
    /// What they show.
    pub sentence: String,
}

/// Draws a figure; `None` if no run of it was made.
pub(crate) fn draw(data: &Data<'_>) -> Option<Drawn> {
    data.study.chains.iter().find(|chain| !data.curve(chain).runs.is_empty())?;
    Some(match data.study.figure {
        Figure::Errors => errors::draw(data),
        Figure::Caches => caches::draw(data),
        Figure::Searches => searches(data),
        Figure::CacheSleep => cache::sleep(data),
        Figure::Replacement => cache::replacement(data),
        Figure::Hub => breadth::hub(data),
        Figure::Collision => breadth::collision(data),
        Figure::Disk => breadth::disk(data),
        Figure::Serial => breadth::serial(data),
        Figure::Pod => pod::draw(data),
        Figure::Custom => custom(data),
    })
}

/// A chain and what came out of it.
struct Curve<'a> {
    name: &'a str,
    runs: Vec<(&'a Point, &'a Record)>,
}

impl<'a> Curve<'a> {
    /// The last run before things went wrong: the smallest size that suffices.
    fn least(&self) -> Option<(&'a Point, &'a Record)> {
        self.runs.iter().rev().find(|(_, record)| record.finished()).copied()
    }

    /// The first run that went wrong behind the last good one.
    fn failure(&self) -> Option<(&'a Point, &'a Record)> {
        let good = self.runs.iter().rposition(|(_, record)| record.finished()).map_or(0, |index| index + 1);
        self.runs.get(good).copied()
    }

    fn at(&self, x: f64) -> Option<&'a Record> {
        self.runs.iter().find(|(point, _)| point.x == x).map(|(_, record)| *record)
    }

    /// Finished runs as points; those that gave up as lower bounds.
    fn series(&self, y: impl Fn(&Record) -> f64) -> Series {
        let of = |wanted: fn(&Record) -> bool| {
            let runs = self.runs.iter().filter(move |(_, record)| wanted(record));
            runs.map(|(point, record)| (point.x, y(record))).collect::<Vec<_>>()
        };
        let points = of(|record| record.finished());
        let gave_up = of(|record| {
            record.gave_up.is_some() || record.thrashed() || (!record.finished() && record.collision_rate.is_some())
        });
        Series { gave_up, ..Series::line(self.name, points) }
    }
}

impl<'a> Data<'a> {
    fn curve(&self, chain: &'a Chain) -> Curve<'a> {
        let run = |point: &'a Point| self.results.get(&point.options).map(|record| (point, record));
        Curve { name: &chain.name, runs: chain.points.iter().filter_map(run).collect() }
    }

    fn curves(&self) -> Vec<Curve<'a>> {
        self.study.chains.iter().map(|chain| self.curve(chain)).collect()
    }

    fn named(&self, name: &str) -> Curve<'a> {
        match self.study.chain(name) {
            Some(chain) => self.curve(chain),
            None => Curve { name: "", runs: Vec::new() },
        }
    }

    /// A size in states and as a share of all.
    fn size(&self, states: f64) -> String {
        format!("{} states ({})", thousands(states as u64), self.share(states))
    }

    fn share(&self, states: f64) -> String {
        let share = states / self.measured.states.max(1) as f64;
        format!("{}%", significant(share * 100.0))
    }

    /// A time for a sentence, with its spread.
    pub(crate) fn time(&self, record: &Record) -> String {
        self.quoted.borrow_mut().push(record.options.clone());
        time_text(record)
    }

    /// How many times the time of another run, for a sentence: of the shortest runs, and what it could have been with others.
    fn time_ratio(&self, one: &Record, other: &Record) -> String {
        self.quoted.borrow_mut().extend([one.options.clone(), other.options.clone()]);
        let ratio = |a: f64, b: f64| significant(a / b.max(1e-9));
        let text = ratio(one.seconds, other.seconds);
        if one.seconds.min(other.seconds) < TOO_SHORT {
            return format!("{text} (times too short to be sure)");
        }
        let (least, most) = (ratio(one.seconds, other.slowest()), ratio(one.slowest(), other.seconds));
        if least == most { text } else { format!("{text} ({least} to {most})") }
    }

    /// How many times the transitions of the full search.
    fn times(&self, record: &Record) -> f64 {
        record.transitions as f64 / self.measured.transitions.max(1) as f64
    }

    /// What went wrong with a run, in half a sentence.
    fn failed(&self, record: &Record) -> String {
        use super::results::GaveUp;
        match (record.gave_up, record.collision_rate) {
            (Some(GaveUp::Transitions(_)), _) => {
                format!("it gave up after {} times the transitions of the full search", significant(self.factor))
            }
            (Some(GaveUp::Seconds(seconds)), _) => format!("it gave up after {}", seconds_text(seconds)),
            _ if record.thrashed() => {
                let rate = record.revisit_rate.unwrap_or_default() * 100.0;
                format!("it gave up when {}% of the states stored had been stored before", significant(rate))
            }
            (None, Some(rate)) => format!("it gave up at a collision rate of {rate:.2}"),
            (None, None) if record.path_does_not_fit() => "the path alone does not fit".into(),
            (None, None) => record.status(),
        }
    }
}

/// Seconds that say nothing about which of two searches is the faster one.
const TOO_SHORT: f64 = 0.001;

/// The shortest time and the spread of all.
pub(crate) fn time_text(record: &Record) -> String {
    let (least, most) = (seconds_text(record.seconds), seconds_text(record.slowest()));
    match record.times.len() {
        0 | 1 => format!("{least} (one run)"),
        runs if least == most => format!("{least} ({runs} runs)"),
        runs => format!("{least} (up to {most} in {runs} runs)"),
    }
}

/// A ratio with three significant digits at most.
pub(crate) fn significant(value: f64) -> String {
    if value.abs() >= 1000.0 && value.abs() < 1e15 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", thousands(value.abs().round() as u64));
    }
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 0.1 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// Seconds with the unit in which they are easiest to read.
pub(crate) fn seconds_text(seconds: f64) -> String {
    if seconds < 1.0 { format!("{} ms", significant(seconds * 1000.0)) } else { format_value(seconds, Unit::Seconds) }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
}

fn figure(plots: &[Plot], sentence: &str) -> Block {
    Block::Figure { plots: plots.iter().map(plot::render).collect(), caption: sentence.into() }
}

/// Rows of a table of runs.
pub(crate) fn run_table(caption: &str, records: &[&Record], measured: &Measured) -> Table {
    let row = |record: &&Record| {
        let stored = record.stored as f64 / measured.states.max(1) as f64;
        let transitions = record.transitions as f64 / measured.transitions.max(1) as f64;
        vec![
            label(&record.options),
            record.status(),
            thousands(record.stored),
            significant(stored),
            thousands(record.transitions),
            significant(transitions),
            thousands(record.peak_stored),
            seconds_text(record.seconds),
            bytes(record.memory_bytes),
        ]
    };
    let head =
        ["options", "verdict", "states stored", "× full", "transitions", "× full", "most held", "time", "memory"];
    Table {
        caption: caption.into(),
        head: head.map(str::to_string).to_vec(),
        rows: records.iter().map(row).collect(),
        text_columns: 2,
    }
}

fn searches(data: &Data<'_>) -> Drawn {
    let curves = data.curves();
    let series = curves.iter().filter_map(|curve| {
        let (_, record) = curve.runs.first().filter(|(_, record)| record.finished())?;
        let point = (record.memory_bytes as f64, record.seconds);
        Some(Series::line(curve.name, vec![point]).drawn_as(Mark::Points))
    });
    let plot = Plot {
        title: "Time and memory of the searches without a bound".into(),
        x: Axis::log("memory (bytes)").in_unit(Unit::Bytes),
        y: Axis::log("time (seconds)").in_unit(Unit::Seconds),
        series: series.collect(),
        level: None,
    };
    let full = data.measured;
    let whole = data.named("depth first").least().map(|(_, record)| record);
    let mut sentences = vec![format!(
        "The full depth-first search visits {} states by {} transitions in {}.",
        thousands(full.states),
        thousands(full.transitions),
        whole.map_or_else(|| seconds_text(full.seconds), |record| data.time(record))
    )];
    for (name, what) in [
        ("depth first, sleep sets", "With sleep sets"),
        ("depth first, partial-order reduction", "With partial-order reduction"),
        ("depth first, both", "With both"),
    ] {
        if let (Some((_, record)), Some(whole)) = (data.named(name).least(), whole) {
            sentences.push(format!(
                "{what} it visits {} of the states by {} of the transitions in {} times the time.",
                percent_of(record.stored, full.states),
                percent_of(record.transitions, full.transitions),
                data.time_ratio(record, whole)
            ));
        }
    }
    if let (Some((_, two)), Some((_, one))) =
        (data.named("breadth first, two workers").least(), data.named("breadth first").least())
    {
        let ratio = data.time_ratio(two, one);
        sentences.push(format!("Two workers take {ratio} times the time of breadth first with one."));
    }
    if let (Some((_, tree)), Some(whole)) = (data.named("depth first, tree").least(), whole) {
        sentences.push(format!(
            "The tree keeps the same states in {} of the memory, in {} times the time.",
            percent_of(tree.memory_bytes, whole.memory_bytes),
            data.time_ratio(tree, whole)
        ));
    }
    sentences.extend(curves.iter().filter_map(|curve| {
        let (_, record) = curve.runs.first().filter(|(_, record)| !record.finished())?;
        Some(format!("{} did not come to an end: {}.", capital(curve.name), data.failed(record)))
    }));
    let records: Vec<&Record> = curves.iter().flat_map(|curve| curve.runs.iter().map(|(_, record)| *record)).collect();
    let sentence = sentences.join(" ");
    Drawn { blocks: vec![figure(&[plot], &sentence), Block::Table(run_table("", &records, full))], sentence }
}

fn percent_of(part: u64, whole: u64) -> String {
    format!("{}%", significant(part as f64 / whole.max(1) as f64 * 100.0))
}

fn custom(data: &Data<'_>) -> Drawn {
    let curves = data.curves();
    let across = data
        .study
        .chains
        .iter()
        .flat_map(|chain| &chain.points)
        .filter(|point| point.x > 0.0)
        .find_map(|point| point.options.iter().rev().nth(1))
        .map(|option| option.trim_start_matches('-').to_string());
    let records: Vec<&Record> = curves.iter().flat_map(|curve| curve.runs.iter().map(|(_, record)| *record)).collect();
    let finished = records.iter().filter(|record| record.finished()).count();
    let mut sentence = format!("{finished} of {} runs came to an end by themselves.", records.len());
    let quick = records.iter().filter(|record| record.finished()).min_by(|a, b| a.seconds.total_cmp(&b.seconds));
    if let Some(record) = quick {
        sentence += &format!(" The fastest took {}: {}.", data.time(record), label(&record.options));
    }
    let mut blocks = Vec::new();
    if let Some(across) = across {
        let axis = || Axis::log(format!("--{across}"));
        let of = |y: fn(&Record) -> f64| curves.iter().map(|curve| curve.series(y)).collect::<Vec<_>>();
        let plots = [
            Plot {
                title: format!("Transitions by --{across}"),
                x: axis(),
                y: Axis::log("transitions"),
                series: of(|record| record.transitions as f64),
                level: Some((data.measured.transitions as f64, "full search".into())),
            },
            Plot {
                title: format!("Time by --{across}"),
                x: axis(),
                y: Axis::log("time (seconds)").in_unit(Unit::Seconds),
                series: of(|record| record.seconds),
                level: Some((data.measured.seconds, "full search".into())),
            },
        ];
        blocks.push(figure(&plots, &sentence));
    } else {
        blocks.push(Block::Text(sentence.clone()));
    }
    blocks.push(Block::Table(run_table("", &records, data.measured)));
    Drawn { blocks, sentence }
}

#[cfg(test)]
mod tests;
