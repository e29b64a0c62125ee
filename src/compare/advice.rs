//! What to use, in words and as commands: what a reader of the page came for. The commands are those of runs that were made, with numbers that a
//! person would type (see [`super::matrix`]).

use super::figures::caches::{self, Answer};
use super::figures::errors::{self, Found};
use super::figures::{Data, significant};
use super::matrix::Figure;
use super::results::Record;
use super::runner::label;
use crate::report::number::{bytes, counted, thousands};

/// What to use.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Advice {
    /// The answer in a sentence.
    pub lead: String,
    /// What to do when, each with its command, if there is one.
    pub parts: Vec<(String, Option<String>)>,
    /// What explains it.
    pub why: Vec<String>,
}

/// Of times that differ by less than this factor, none is called the shorter one.
const NOISE: f64 = 1.15;

impl Advice {
    /// From the figures that there are; `records` are the runs of all of them. `any` is the data of some figure, or of none.
    pub(crate) fn of(any: &Data<'_>, figures: &[Data<'_>], records: &[&Record]) -> Advice {
        let figure = |wanted: Figure| figures.iter().find(|data| data.study.figure == wanted);
        let mut advice = Advice::default();
        if let Some(found) = figure(Figure::Errors).and_then(errors::found) {
            advice.errors(any, found);
        }
        let fastest = figure(Figure::Searches).and_then(|data| advice.with_room(data));
        if let Some(data) = figure(Figure::Caches) {
            let Answer { mut lead, runs } = caches::answer(data);
            if let Some(fastest) = fastest
                && !runs.is_empty()
                && runs.iter().all(|(_, record)| fastest.memory_bytes <= record.memory_bytes)
            {
                lead = format!(
                    "No cache is needed: the fastest search takes {}, and none of the caches that are enough takes less. {lead}",
                    bytes(fastest.memory_bytes)
                );
            }
            advice.lead = if advice.lead.is_empty() { lead } else { format!("{} For all states: {lead}", advice.lead) };
            advice.parts.extend(runs.into_iter().map(|(text, record)| (text, Some(record.command))));
            advice.why = caches::reasons(data);
        }
        if advice.parts.is_empty() {
            advice.cheapest(any, records);
        } else if let Some(least) =
            records.iter().filter(|record| record.settled()).min_by_key(|record| record.memory_bytes)
            && !advice.parts.iter().any(|(_, command)| command.as_deref() == Some(&least.command))
        {
            let text = format!(
                "The least memory with which any run came to its answer is {}, in {}:",
                bytes(least.memory_bytes),
                any.time(least)
            );
            advice.parts.push((text, Some(least.command.clone())));
        }
        // Where there is no other answer, the first thing to do is one.
        if advice.lead.is_empty()
            && let Some((text, _)) = advice.parts.first_mut()
        {
            advice.lead = std::mem::take(text);
        }
        advice
    }

    /// A model that is wrong: how to find an error.
    fn errors(&mut self, data: &Data<'_>, Found { first, shortest }: Found<'_>) {
        self.lead = format!("The model has errors. The shortest path to one has {}.", errors::steps(shortest));
        let text = format!(
            "An error is found first so: after {} and {}, by a path of {}.",
            data.time(first),
            counted(first.transitions, "transition", "transitions"),
            errors::steps(first)
        );
        self.parts.push((text, Some(first.command.clone())));
        if shortest.command != first.command {
            let text =
                format!("The shortest path, {}, is found so, in {}.", errors::steps(shortest), data.time(shortest));
            self.parts.push((text, Some(shortest.command.clone())));
        }
    }

    /// The fastest search that may keep what it wants to keep; where times hardly differ, the one that is least to type.
    fn with_room<'d>(&mut self, data: &'d Data<'_>) -> Option<&'d Record> {
        let records: Vec<&Record> = data.study.settings().filter_map(|options| data.results.get(options)).collect();
        let settled: Vec<&Record> = records.into_iter().filter(|record| record.settled()).collect();
        // A search is chosen by its time, so all of them are timed as those that are quoted.
        for record in &settled {
            data.time(record);
        }
        let fastest = settled.iter().map(|record| record.seconds).min_by(f64::total_cmp)?;
        let near = settled.iter().filter(|record| record.seconds <= fastest * NOISE);
        let record = near.min_by_key(|record| (record.options.len(), record.memory_bytes))?;
        let text = format!(
            "With memory enough, the fastest: {}, {}; it keeps {} of the {} states and makes {} times the transitions of the full search.",
            data.time(record),
            bytes(record.memory_bytes),
            thousands(record.stored),
            thousands(data.measured.states),
            significant(record.transitions as f64 / data.measured.transitions.max(1) as f64)
        );
        self.parts.push((text, Some(record.command.clone())));
        Some(record)
    }

    /// Where no figure answers: the cheapest setting that came to its answer. What a search costs is memory for as long as it runs: bytes
    /// times seconds.
    fn cheapest(&mut self, data: &Data<'_>, records: &[&Record]) {
        let settled: Vec<&&Record> = records.iter().filter(|record| record.settled()).collect();
        let cost = |record: &Record| record.memory_bytes.max(1) as f64 * record.seconds.max(1e-6);
        let Some(cheapest) = settled.iter().min_by(|a, b| cost(a).total_cmp(&cost(b))) else {
            if self.lead.is_empty() {
                self.lead = "No setting came to an answer within its budget; more time for each run (--time-per-run) or more memory may.".into();
            }
            return;
        };
        let of = |record: &Record| format!("{} and {}", bytes(record.memory_bytes), data.time(record));
        if self.lead.is_empty() {
            self.lead = format!(
                "Of {} that came to an answer about all states, the cheapest in memory times time takes {}.",
                counted(settled.len() as u64, "setting", "settings"),
                of(cheapest)
            );
        }
        self.parts.push((format!("The cheapest: {}.", label(&cheapest.options)), Some(cheapest.command.clone())));
        if let Some(fastest) = settled.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
            && fastest.options != cheapest.options
        {
            let text = format!("The fastest takes {}: {}.", of(fastest), label(&fastest.options));
            self.parts.push((text, None));
        }
        if let Some(smallest) = settled.iter().min_by_key(|record| record.memory_bytes)
            && smallest.options != cheapest.options
        {
            let text = format!("The one with least memory takes {}: {}.", of(smallest), label(&smallest.options));
            self.parts.push((text, None));
        }
    }
}
