//! For a model with errors: which search finds one first, which the shortest path to one. Each search stops at its first error here, unlike in all
//! other figures. Breadth first the path is a shortest one; depth first it is the first that there was.

use super::{Data, Drawn, run_table, seconds_text};
use crate::compare::results::Record;
use crate::compare::runner::label;
use crate::report::html::{Block, Table};
use crate::report::number::{counted, thousands};

/// The search that found an error first, and the one with the shortest path; of those with equal paths the quickest.
#[derive(Clone, Copy)]
pub(crate) struct Found<'a> {
    /// First.
    pub first: &'a Record,
    /// Shortest.
    pub shortest: &'a Record,
}

/// Both, if anything was found.
pub(crate) fn found<'a>(data: &Data<'a>) -> Option<Found<'a>> {
    let records: Vec<&Record> = records(data).into_iter().filter(|record| record.error_depth.is_some()).collect();
    let by_time = |a: &&&Record, b: &&&Record| a.seconds.total_cmp(&b.seconds);
    let first = records.iter().min_by(by_time)?;
    let shortest = records.iter().min_by(|a, b| a.error_depth.cmp(&b.error_depth).then(by_time(a, b)))?;
    Some(Found { first, shortest })
}

fn records<'a>(data: &Data<'a>) -> Vec<&'a Record> {
    data.curves().iter().flat_map(|curve| curve.runs.iter().map(|(_, record)| *record)).collect()
}

/// `7 steps`.
pub(crate) fn steps(record: &Record) -> String {
    counted(record.error_depth.unwrap_or_default(), "step", "steps")
}

/// The table and its sentence.
pub(crate) fn draw(data: &Data<'_>) -> Drawn {
    let sentence = match found(data) {
        None => "No search that stops at the first error found one.".to_string(),
        Some(Found { first, shortest }) => format!(
            "{} finds an error first, after {} and {} transitions, by a path of {}. The shortest path has {}: {}.",
            label(&first.options),
            data.time(first),
            thousands(first.transitions),
            steps(first),
            steps(shortest),
            label(&shortest.options)
        ),
    };
    let curves = data.curves();
    let rows = curves.iter().flat_map(|curve| {
        let row = |record: &Record| {
            vec![
                curve.name.to_string(),
                label(&record.options),
                record.status(),
                record.error_depth.map(thousands).unwrap_or_default(),
                thousands(record.transitions),
                seconds_text(record.seconds),
            ]
        };
        curve.runs.iter().map(|(_, record)| row(record)).collect::<Vec<_>>()
    });
    let head = ["search", "options", "verdict", "steps to the error", "transitions until then", "time"];
    let table = Table {
        caption: "Each search stops at the first error that it meets.".into(),
        head: head.map(str::to_string).to_vec(),
        rows: rows.collect(),
        text_columns: 3,
    };
    let all = run_table("", &records(data), data.measured);
    let details = Block::Details("All runs of this table".into(), vec![Block::Table(all)]);
    Drawn { blocks: vec![Block::Text(sentence.clone()), Block::Table(table), details], sentence }
}
