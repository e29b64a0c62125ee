//! The question of whoever has little memory: depth first or breadth first, with how large a cache? One model, the same numbers of slots, from
//! room for all states down to the longest path; depth first without and with sleep sets and by four replacement rules, breadth first
//! with the plain and the hub cache. The sentence answers for this model, and says why.

use super::{Curve, Data, Drawn, capital, figure, seconds_text, significant};
use crate::compare::matrix::{DEPTH_CACHES, Measured};
use crate::compare::results::Record;
use crate::report::html::{Block, Table};
use crate::report::number::thousands;
use crate::report::plot::{Axis, Plot, Unit};

/// The figure.
pub(crate) fn draw(data: &Data<'_>) -> Drawn {
    let curves = data.curves();
    let mut sentences = answer(data, &curves);
    sentences.extend(why(data, &curves));
    let sentence = sentences.join(" ");
    Drawn { blocks: vec![figure(&plots(data, &curves), &sentence), Block::Table(table(data, &curves))], sentence }
}

fn plots(data: &Data<'_>, curves: &[Curve<'_>]) -> [Plot; 2] {
    let x = || Axis::log("slots (states)");
    let of = |y: fn(&Record) -> f64| curves.iter().map(|curve| curve.series(y)).collect::<Vec<_>>();
    [
        Plot {
            title: "Transitions by slots of the cache".into(),
            x: x(),
            y: Axis::log("transitions"),
            series: of(|record| record.transitions as f64),
            level: Some((data.measured.transitions as f64, "full search, no cache".into())),
        },
        Plot {
            title: "Time by slots of the cache".into(),
            x: x(),
            y: Axis::log("time (seconds)").in_unit(Unit::Seconds),
            series: of(|record| record.seconds),
            level: Some((data.measured.seconds, "full search, no cache".into())),
        },
    ]
}

/// One row for each size, one column for each search.
fn table(data: &Data<'_>, curves: &[Curve<'_>]) -> Table {
    let mut sizes: Vec<f64> = data.study.chains.iter().flat_map(|chain| chain.points.iter().map(|p| p.x)).collect();
    sizes.sort_by(|a, b| b.total_cmp(a));
    sizes.dedup();
    let cell = |curve: &Curve<'_>, x: f64| match curve.at(x) {
        None => "not run".into(),
        Some(record) if record.finished() => {
            format!("{} × {}", significant(data.times(record)), seconds_text(record.seconds))
        }
        Some(record) if record.path_does_not_fit() => "path does not fit".into(),
        Some(_) => "gave up".into(),
    };
    let row = |&x: &f64| {
        let mut row = vec![thousands(x as u64), data.share(x)];
        row.extend(curves.iter().map(|curve| cell(curve, x)));
        row
    };
    let mut head = vec!["slots".to_string(), "of all states".into()];
    head.extend(curves.iter().map(|curve| curve.name.to_string()));
    Table {
        caption: "Transitions as a multiple of the full search's, and time. A search is not run with less than what it gave up with."
            .into(),
        head,
        rows: sizes.iter().map(row).collect(),
        text_columns: 1,
    }
}

/// Of these curves the one that makes do with the fewest slots, and of such the one with fewest transitions there.
fn best<'c, 'a>(curves: impl Iterator<Item = &'c Curve<'a>>) -> Option<(&'c Curve<'a>, f64, &'a Record)>
where
    'a: 'c,
{
    let reached = curves.filter_map(|curve| curve.least().map(|(point, record)| (curve, point.x, record)));
    reached.min_by(|a, b| a.1.total_cmp(&b.1).then(a.2.transitions.cmp(&b.2.transitions)))
}

fn is_depth(curve: &Curve<'_>) -> bool {
    curve.name.starts_with(DEPTH_CACHES)
}

/// Which search, from which size on.
fn answer(data: &Data<'_>, curves: &[Curve<'_>]) -> Vec<String> {
    let depth = best(curves.iter().filter(|curve| is_depth(curve)));
    let breadth = best(curves.iter().filter(|curve| !is_depth(curve)));
    let reach = |(curve, x, record): &(&Curve<'_>, f64, &Record)| {
        let (size, times) = (data.size(*x), significant(data.times(record)));
        format!("{} makes do with {size}, at {times} times the transitions of the full search", curve.name)
    };
    match (depth, breadth) {
        (None, None) => vec!["No cache of a size that was tried brings the search to an end.".into()],
        (Some(only), None) | (None, Some(only)) => {
            let other = if is_depth(only.0) { "breadth first" } else { "depth first" };
            vec![format!("{}; {other} no cache that was tried suffices.", capital(&reach(&only)))]
        }
        (Some(depth), Some(breadth)) => {
            let (small, large) = if depth.1 <= breadth.1 { (depth, breadth) } else { (breadth, depth) };
            let mut sentences = vec![format!("{}; {}.", capital(&reach(&small)), reach(&large))];
            if small.1 < large.1 {
                sentences.push(format!("With fewer than {} slots use {}.", thousands(large.1 as u64), small.0.name));
            }
            sentences.extend(where_both_end(data, small.0, large.0, large.1));
            sentences
        }
    }
}

/// What the two cost at the smallest size with which both come to an end.
fn where_both_end(data: &Data<'_>, one: &Curve<'_>, other: &Curve<'_>, x: f64) -> Option<String> {
    let (first, second) = (one.at(x)?, other.at(x)?);
    if !first.finished() || !second.finished() {
        return None;
    }
    let (quick, slow) = if first.transitions <= second.transitions { (one, other) } else { (other, one) };
    let (less, more) = (first.transitions.min(second.transitions), first.transitions.max(second.transitions));
    Some(format!(
        "At {} {} makes fewer transitions: {} for {} of {}.",
        data.size(x),
        quick.name,
        thousands(less),
        thousands(more),
        slow.name
    ))
}

/// The measures that explain it: what sleep sets leave to be met again is what a depth-first cache suffers from; a breadth-first cache lives on
/// transitions that lead to near levels, and the hub cache on states that are met much more often than others.
fn why(data: &Data<'_>, curves: &[Curve<'_>]) -> Vec<String> {
    let Measured { states, transitions, shape, .. } = *data.measured;
    let matched = transitions.saturating_sub(states);
    let asleep = curves.iter().find(|curve| curve.name.contains("sleep sets")).and_then(|curve| curve.runs.first());
    let mut sentences = Vec::new();
    if let Some((_, record)) = asleep.filter(|(_, record)| record.finished() && record.evicted == 0) {
        sentences.push(format!(
            "Why: sleep sets leave {} of the {} arrivals at visited states, and only these cost a depth-first cache something.",
            thousands(record.matched),
            thousands(matched)
        ));
    }
    if let Some(shape) = shape {
        let percent = |share: f64| format!("{}%", significant(share * 100.0));
        sentences.push(format!(
            "{} of the transitions lead to the same level or one beside it (locality), on which a breadth-first cache lives, and {} of the \
             states are hubs, which the hub cache keeps (pv stats).",
            percent(shape.local),
            percent(shape.hubs as f64 / states.max(1) as f64)
        ));
    }
    sentences
}
