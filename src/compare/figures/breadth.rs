//! The figures of the breadth-first papers: hub cache against plain cache, collision rates, disk, cache before disk.

use super::{Data, Drawn, figure, run_table, seconds_text, significant};
use crate::compare::matrix::SERIAL;
use crate::compare::results::Record;
use crate::report::html::{Block, Table};
use crate::report::number::{bytes, thousands};
use crate::report::plot::{Axis, Mark, Plot, Series, Unit};

fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { f64::NAN }
}

/// What became of two runs that are compared.
fn what_happened(data: &Data<'_>, one: &str, first: Option<&Record>, other: &str, second: Option<&Record>) -> String {
    let failed = |record: Option<&Record>| match record {
        None => Some("not run, since a larger one failed".to_string()),
        Some(record) if record.finished() => None,
        Some(record) => Some(data.failed(record)),
    };
    match (failed(first), failed(second)) {
        (None, None) => "both came to an end".into(),
        (Some(why), None) => format!("only {other} came to an end; {one}: {why}"),
        (None, Some(why)) => format!("only {one} came to an end; {other}: {why}"),
        (Some(a), Some(b)) if a == b => format!("neither: {a}"),
        (Some(a), Some(b)) => format!("neither; {one}: {a}; {other}: {b}"),
    }
}

/// Figure 9 of the hub paper. The paper gives ratios, and absolute values with a star where only the hub cache ends.
pub(crate) fn hub(data: &Data<'_>) -> Drawn {
    let (cache, hub) = (data.named("cache"), data.named("hub"));
    let curves = [&cache, &hub];
    let x = || Axis::linear("budget (share of all states)").in_unit(Unit::Percent).starting_at_zero();
    let of = |y: fn(&Record) -> f64| curves.iter().map(|curve| curve.series(y)).collect::<Vec<_>>();
    let plots = [
        Plot {
            title: "States visited by budget".into(),
            x: x(),
            y: Axis::log("states visited"),
            series: of(|record| record.stored as f64),
            level: Some((data.measured.states as f64, "all states".into())),
        },
        Plot {
            title: "Time by budget".into(),
            x: x(),
            y: Axis::log("time (seconds)").in_unit(Unit::Seconds),
            series: of(|record| record.seconds),
            level: None,
        },
    ];
    let mut table = Table {
        caption:
            "Hub cache against plain cache, as in the paper: ratios hub / cache; * only the hub cache came to an end \
                  (absolute values)."
                .into(),
        head: ["budget", "what happened", "cache (states)", "states", "time"].map(str::to_string).to_vec(),
        rows: Vec::new(),
        text_columns: 2,
    };
    let (mut both, mut only_hub, mut only_cache) = (None, Vec::new(), Vec::new());
    let budgets: Vec<f64> = data.study.chain("hub").iter().flat_map(|c| c.points.iter().map(|p| p.x)).collect();
    for &budget in &budgets {
        let (c, h) = (cache.at(budget), hub.at(budget));
        let done = |record: Option<&Record>| record.is_some_and(Record::finished);
        if c.is_none() && h.is_none() {
            continue;
        }
        let (states, time) = match (c, h) {
            (Some(c), Some(h)) if c.finished() && h.finished() => {
                both = Some((budget, ratio(h.stored as f64, c.stored as f64), c, h));
                (significant(ratio(h.stored as f64, c.stored as f64)), significant(ratio(h.seconds, c.seconds)))
            }
            (_, Some(h)) if h.finished() => {
                only_hub.push(budget);
                (format!("{}*", thousands(h.stored)), format!("{}*", seconds_text(h.seconds)))
            }
            _ => (String::new(), String::new()),
        };
        if done(c) && !done(h) {
            only_cache.push(budget);
        }
        let size = data.measured.percent(budget * 100.0);
        let share = format!("{}%", significant(budget * 100.0));
        table.rows.push(vec![share, what_happened(data, "cache", c, "hub", h), thousands(size), states, time]);
    }
    let percent = |budget: f64| format!("{}%", significant(budget * 100.0));
    let mut sentences = Vec::new();
    match both {
        Some((budget, states, c, h)) => sentences.push(format!(
            "The smallest budget with which both come to an end is {} of the states: there the hub cache visits {} times \
             the states of the plain cache, in {} times its time.",
            percent(budget),
            significant(states),
            data.time_ratio(h, c)
        )),
        None => sentences.push("There is no budget among those tried with which both come to an end.".into()),
    }
    match (only_hub.first(), only_hub.last()) {
        (Some(&first), Some(&last)) if only_hub.len() > 1 => {
            let range = format!("from {} down to {}", percent(first), percent(last));
            sentences.push(format!("At {} budgets {range} only the hub cache comes to an end.", only_hub.len()));
        }
        (Some(&first), _) => {
            sentences.push(format!("With {} only the hub cache comes to an end.", percent(first)));
        }
        _ => sentences.push("No budget that was tried lets only the hub cache come to an end.".into()),
    }
    if let Some(&budget) = only_cache.last() {
        sentences.push(format!("With {} only the plain cache does.", percent(budget)));
    }
    let sentence = sentences.join(" ");
    Drawn { blocks: vec![figure(&plots, &sentence), Block::Table(table)], sentence }
}

/// Figure 6 of the hub paper.
pub(crate) fn collision(data: &Data<'_>) -> Drawn {
    let states = data.measured.states.max(1) as f64;
    let curves = data.curves();
    let mut series = Vec::new();
    let (mut best, mut failed) = (None::<(&str, f64, u64)>, Vec::new());
    let mut cache = String::new();
    for curve in &curves {
        let Some((point, record)) = curve.runs.first() else { continue };
        cache = point.options.get(3).and_then(|size| size.parse().ok()).map_or_else(String::new, thousands);
        // How many different states there were is an estimate, which may say a little more than all.
        let share = |n: u64| (n as f64 / states).min(1.0);
        let mut points: Vec<(f64, f64)> = record.samples.iter().map(|&(n, rate)| (share(n), rate)).collect();
        let rate = record.collision_rate.unwrap_or(0.0);
        let end = (if record.finished() { 1.0 } else { points.last().map_or(0.0, |point| point.0) }, rate);
        let mut drawn = Series::line(curve.name, Vec::new()).drawn_as(Mark::Curve);
        if record.finished() {
            points.push(end);
            if best.is_none_or(|(_, _, stored)| record.stored < stored) {
                best = Some((curve.name, rate, record.stored));
            }
        } else {
            drawn.gave_up.push(end);
            failed.push(curve.name);
        }
        drawn.points = points;
        series.push(drawn);
    }
    let plot = Plot {
        title: format!("Collision rate of the hub cache, {cache} states"),
        x: Axis::linear("visited (share of all states)").in_unit(Unit::Percent).starting_at_zero().covering(&[1.0]),
        y: Axis::linear("collision rate (forgotten by stored)").starting_at_zero(),
        series,
        level: None,
    };
    let mut sentences = Vec::new();
    match best {
        Some((name, rate, stored)) => sentences.push(format!(
            "With {cache} states, the overwrite probability {name} visits least: {} states, at a collision rate of \
             {rate:.3} in the end.",
            thousands(stored)
        )),
        None => sentences.push(format!("With {cache} states no overwrite probability lets the search come to an end.")),
    }
    if !failed.is_empty() && best.is_some() {
        sentences.push(format!("The search gives up with {}.", failed.join(", ")));
    }
    let sentence = sentences.join(" ");
    let records: Vec<&Record> = curves.iter().flat_map(|curve| curve.runs.iter().map(|(_, record)| *record)).collect();
    let table =
        Block::Details("All runs of this figure".into(), vec![Block::Table(run_table("", &records, data.measured))]);
    Drawn { blocks: vec![figure(&[plot], &sentence), table], sentence }
}

/// Figure 3 of the disk paper. `--memory` is for the whole program, so the savings are those that were really had: bytes
/// of the search in memory by bytes of the search on disk.
pub(crate) fn disk(data: &Data<'_>) -> Drawn {
    let (memory, disk) = (data.named("in memory"), data.named("on disk"));
    let base = memory.least().map(|(_, record)| record.clone()).unwrap_or_default();
    let saved = |record: &Record| ratio(base.memory_bytes as f64, record.memory_bytes as f64);
    let slowdown = |record: &Record| ratio(record.seconds, base.seconds);
    let finished: Vec<&Record> = disk.runs.iter().map(|(_, record)| *record).filter(|r| r.finished()).collect();
    let mut points: Vec<(f64, f64)> = finished.iter().map(|record| (saved(record), slowdown(record))).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let plot = Plot {
        title: "Slowdown by memory savings factor".into(),
        x: Axis::log("memory savings factor"),
        y: Axis::linear("slowdown (times the time in memory)").starting_at_zero(),
        series: vec![Series::line("on disk", points)],
        level: Some((1.0, "breadth first in memory".into())),
    };
    let rows = disk.runs.iter().map(|(point, record)| {
        let budget = point.options.last().and_then(|text| text.parse().ok()).map_or_else(String::new, bytes);
        let (factor, slow) = match record.finished() {
            true => (significant(saved(record)), significant(slowdown(record))),
            false => (String::new(), String::new()),
        };
        vec![record.status(), budget, bytes(record.memory_bytes), factor, seconds_text(record.seconds), slow]
    });
    let table = Table {
        caption: format!("Breadth first in memory: {} in {}.", bytes(base.memory_bytes), seconds_text(base.seconds)),
        head: ["verdict", "--memory", "memory taken", "savings factor", "time", "slowdown"]
            .map(str::to_string)
            .to_vec(),
        rows: rows.collect(),
        text_columns: 1,
    };
    let most = finished.iter().max_by(|a, b| saved(a).total_cmp(&saved(b)));
    let sentence = match most {
        Some(record) => format!(
            "With {} times less memory the disk search takes {} times the time of the search in memory.",
            significant(saved(record)),
            data.time_ratio(record, &base)
        ),
        None => "The disk search did not come to an end with any of the budgets.".into(),
    };
    Drawn { blocks: vec![figure(&[plot], &sentence), Block::Table(table)], sentence }
}

/// Table 1 of the serialization paper.
pub(crate) fn serial(data: &Data<'_>) -> Drawn {
    let (serial, disk) = (data.named("serial"), data.named("disk"));
    let pairs: Vec<Option<(&Record, &Record)>> = SERIAL
        .iter()
        .map(|&share| Some((serial.at(share)?, disk.at(share)?)))
        .map(|pair| pair.filter(|(s, d)| s.finished() && d.finished()))
        .collect();
    let row = |name: &str, value: fn(&Record) -> f64| {
        let cell = |pair: &Option<(&Record, &Record)>| match pair {
            Some((s, d)) => significant(ratio(value(s), value(d))),
            None => "see below".to_string(),
        };
        let mut row = vec![name.to_string()];
        row.extend(pairs.iter().map(cell));
        row
    };
    let mut head = vec!["serial / disk".to_string()];
    head.extend(SERIAL.iter().map(|share| format!("memory {share}")));
    let table = Table {
        caption: "Ratios of cache-then-disk to disk alone at falling shares of the full memory.".into(),
        head,
        rows: vec![
            row("transitions", |record| record.transitions as f64),
            row("states", |record| record.stored as f64),
            row("time", |record| record.seconds),
        ],
        text_columns: 1,
    };
    let failures = SERIAL.iter().zip(&pairs).filter(|(_, pair)| pair.is_none()).map(|(&share, _)| {
        let what = what_happened(data, "serial", serial.at(share), "disk", disk.at(share));
        Block::Text(format!("With memory {share}: {what}."))
    });
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(failures);
    for (s, d) in pairs.iter().flatten() {
        data.time_ratio(s, d);
    }
    let times: Vec<f64> = pairs.iter().flatten().map(|(s, d)| ratio(s.seconds, d.seconds)).collect();
    let sentence = match times.iter().copied().reduce(f64::max) {
        Some(worst) => format!(
            "Starting in memory and going on with the disk takes {} times the time of the disk search on average, {} \
             times at the worst of {} budgets.",
            significant(times.iter().sum::<f64>() / times.len() as f64),
            significant(worst),
            times.len()
        ),
        None => "There is no budget with which both came to an end.".into(),
    };
    let records: Vec<&Record> = serial.runs.iter().chain(&disk.runs).map(|(_, record)| *record).collect();
    let details =
        Block::Details("All runs of this table".into(), vec![Block::Table(run_table("", &records, data.measured))]);
    blocks.insert(0, Block::Text(sentence.clone()));
    blocks.push(details);
    Drawn { blocks, sentence }
}
