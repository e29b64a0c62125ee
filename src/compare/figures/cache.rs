//! Figures 4 and 5 of the caching paper: transitions and time against the size of a depth-first cache.

use super::{Curve, Data, Drawn, capital, figure, run_table, significant};
use crate::compare::results::Record;
use crate::report::html::Block;
use crate::report::plot::{Axis, Plot, Unit};

fn plots(data: &Data<'_>, curves: &[Curve<'_>]) -> [Plot; 2] {
    let x = || Axis::log("cache size (states)");
    let of = |y: fn(&Record) -> f64| curves.iter().map(|curve| curve.series(y)).collect::<Vec<_>>();
    [
        Plot {
            title: "Transitions by cache size".into(),
            x: x(),
            y: Axis::log("transitions"),
            series: of(|record| record.transitions as f64),
            level: Some((data.measured.transitions as f64, "full search, no cache".into())),
        },
        Plot {
            title: "Time by cache size".into(),
            x: x(),
            y: Axis::log("time (seconds)").in_unit(Unit::Seconds),
            series: of(|record| record.seconds),
            level: Some((data.measured.seconds, "full search, no cache".into())),
        },
    ]
}

/// How small the cache may be.
fn reach(data: &Data<'_>, curve: &Curve<'_>, what: &str) -> String {
    let Some((point, record)) = curve.least() else {
        return match curve.failure() {
            Some((point, record)) => {
                format!("{what} not even {} suffice: {}.", data.size(point.x), data.failed(record))
            }
            None => format!("{what} nothing was run."),
        };
    };
    let mut text = format!(
        "{what} a cache of {} suffices, at {} times the transitions of the full search and in {}",
        data.size(point.x),
        significant(data.times(record)),
        data.time(record)
    );
    // The paper counts the cost in transitions of the same search with room for everything.
    if let Some((_, whole)) = curve.runs.first()
        && whole.transitions < data.measured.transitions
        && whole.options != record.options
    {
        let ratio = record.transitions as f64 / whole.transitions.max(1) as f64;
        text += &format!(" ({} times the transitions of the same search with room for all states)", significant(ratio));
    }
    if let Some((point, record)) = curve.failure() {
        text += &format!("; with {} {}", data.size(point.x), data.failed(record));
    }
    text + "."
}

fn tables(data: &Data<'_>, curves: &[Curve<'_>]) -> Block {
    let records: Vec<&Record> = curves.iter().flat_map(|curve| curve.runs.iter().map(|(_, record)| *record)).collect();
    Block::Details("All runs of this figure".into(), vec![Block::Table(run_table("", &records, data.measured))])
}

/// How two curves compare where both have an end.
fn compare(data: &Data<'_>, better: &Curve<'_>, worse: &Curve<'_>, name: &str) -> Option<String> {
    let ((small, _), (large, _)) = (better.least()?, worse.least()?);
    let ratio = large.x / small.x.max(1.0);
    if ratio >= 1.2 {
        return Some(format!("{} make do with a cache {} times smaller.", capital(name), significant(ratio)));
    }
    // The same reach: what does it cost at the smallest size that both have?
    let x = small.x.max(large.x);
    let (one, other) = (better.at(x)?, worse.at(x)?);
    Some(format!(
        "At {}, {name} make {} transitions for each one without.",
        data.size(x),
        significant(one.transitions as f64 / other.transitions.max(1) as f64)
    ))
}

/// Figure 4.
pub(crate) fn sleep(data: &Data<'_>) -> Drawn {
    let curves = data.curves();
    let (plain, sleeping) = (data.named("without sleep sets"), data.named("with sleep sets"));
    let mut sentences = vec![reach(data, &plain, "Without sleep sets"), reach(data, &sleeping, "With sleep sets")];
    sentences.extend(compare(data, &sleeping, &plain, "sleep sets"));
    let sentence = sentences.join(" ");
    Drawn { blocks: vec![figure(&plots(data, &curves), &sentence), tables(data, &curves)], sentence }
}

/// Figure 5.
pub(crate) fn replacement(data: &Data<'_>) -> Drawn {
    let curves = data.curves();
    let (random, by_type) = (data.named("random"), data.named("type"));
    let mut sentences = vec![
        reach(data, &random, "With sleep sets and random replacement"),
        reach(data, &by_type, "With replacement by type of transition"),
    ];
    if let (Some((r, _)), Some((t, _))) = (random.least(), by_type.least()) {
        // The costs at the smallest size with which both came to an end.
        let x = r.x.max(t.x);
        if let (Some(a), Some(b)) = (random.at(x), by_type.at(x)) {
            let ratio = b.transitions as f64 / a.transitions.max(1) as f64;
            sentences.push(format!(
                "At {}, the least that both manage, replacement by type makes {} times the transitions of random \
                 replacement.",
                data.size(x),
                significant(ratio)
            ));
        }
    }
    let sentence = sentences.join(" ");
    Drawn { blocks: vec![figure(&plots(data, &curves), &sentence), tables(data, &curves)], sentence }
}
