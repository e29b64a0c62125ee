//! The question of whoever has little memory: depth first or breadth first, with how large a cache? One model, the same numbers of slots, from
//! room for all states down to the longest path; depth first without and with sleep sets and by four replacement rules, breadth first
//! with the plain and the hub cache. The sentence answers for this model, and says why.

use super::{Curve, Data, Drawn, capital, figure, seconds_text, significant};
use crate::compare::matrix::{DEPTH_CACHES, Measured};
use crate::compare::results::{GaveUp, Record};
use crate::report::html::{Block, Table};
use crate::report::number::{bytes, thousands};
use crate::report::plot::{Axis, Plot, Unit};

/// The figure.
pub(crate) fn draw(data: &Data<'_>) -> Drawn {
    let curves = data.curves();
    let mut sentences = details(data, &curves);
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
            format!("{} ×, {}", significant(data.times(record)), seconds_text(record.seconds))
        }
        Some(record) => short_failure(record),
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

/// Why a run has no end, for a cell.
fn short_failure(record: &Record) -> String {
    let percent = |rate: Option<f64>| significant(rate.unwrap_or_default() * 100.0);
    match record.gave_up {
        Some(GaveUp::Transitions(bound)) => format!("gave up: over {} transitions", thousands(bound)),
        Some(GaveUp::Seconds(seconds)) => format!("gave up: over {}", seconds_text(seconds)),
        None if record.path_does_not_fit() => "path does not fit".into(),
        None if record.thrashed() => format!("gave up: {}% revisits", percent(record.revisit_rate)),
        None if record.collision_rate.is_some() => format!("gave up: {}% overwrites", percent(record.collision_rate)),
        None => record.status(),
    }
}

/// The search that makes do with the fewest slots, of those in one order.
#[derive(Clone, Copy)]
pub(crate) struct Reach<'c, 'a> {
    curve: &'c Curve<'a>,
    /// Slots.
    pub slots: f64,
    /// Its run with so many.
    pub record: &'a Record,
}

impl Reach<'_, '_> {
    /// Its name in a sentence.
    pub(crate) fn name(&self) -> String {
        spoken(self.curve.name)
    }

    /// It throws states out, and comes to an end all the same.
    fn saves(&self, data: &Data<'_>) -> bool {
        self.slots < data.measured.states as f64
    }
}

/// Transitions that differ by less than this factor are not worth an option.
const ALIKE: f64 = 1.05;

/// Of these curves the one that makes do with the fewest slots, and of such the one with fewest transitions there; where these hardly differ the
/// one that is least to type.
fn best<'c, 'a>(curves: impl Iterator<Item = &'c Curve<'a>>) -> Option<Reach<'c, 'a>>
where
    'a: 'c,
{
    let reached =
        curves.filter_map(|curve| curve.least().map(|(point, record)| Reach { curve, slots: point.x, record }));
    let reached: Vec<Reach<'c, 'a>> = reached.collect();
    let slots = reached.iter().map(|reach| reach.slots).min_by(f64::total_cmp)?;
    let least = || reached.iter().filter(|reach| reach.slots == slots);
    let transitions = least().map(|reach| reach.record.transitions).min()? as f64;
    let alike = least().filter(|reach| reach.record.transitions as f64 <= transitions * ALIKE);
    alike.min_by_key(|reach| (reach.record.options.len(), reach.record.transitions)).copied()
}

fn is_depth(curve: &Curve<'_>) -> bool {
    curve.name.starts_with(DEPTH_CACHES)
}

/// The name of a curve in a sentence; what is the default goes without saying.
fn spoken(name: &str) -> String {
    let name = name.replace(", cost", "").replace("first, cache", "first").replace(", hub cache", " with a hub cache");
    let name = name
        .replace(", sleep sets, ", " with sleep sets and replacement by ")
        .replace(", sleep sets", " with sleep sets");
    name.replace("by random", "at random").replace("by smallest-subtree", "of the smallest subtree")
}

/// What the figure has to say in one sentence, and the best search of each order, the better one first.
pub(crate) struct Answer {
    /// Depth first or breadth first, with how much memory?
    pub lead: String,
    /// For each order of search that makes do with less than all states: what to say, and its run.
    pub runs: Vec<(String, Record)>,
}

/// The answer of the figure.
pub(crate) fn answer(data: &Data<'_>) -> Answer {
    let curves = data.curves();
    let of =
        |depth: bool| best(curves.iter().filter(|curve| is_depth(curve) == depth)).filter(|reach| reach.saves(data));
    let (depth, breadth) = (of(true), of(false));
    let mut reaches: Vec<Reach<'_, '_>> = depth.into_iter().chain(breadth).collect();
    reaches.sort_by(|a, b| a.slots.total_cmp(&b.slots).then(a.record.transitions.cmp(&b.record.transitions)));
    let enough = |reach: &Reach<'_, '_>| {
        let memory = bytes(reach.record.memory_bytes);
        format!("{}: a cache of {} is enough, {memory} in all", capital(&reach.name()), data.size(reach.slots))
    };
    // The time for all runs may have been used up before.
    let tried = |depth: bool| curves.iter().any(|curve| is_depth(curve) == depth && !curve.runs.is_empty());
    let order = |depth: bool| if depth { "depth first" } else { "breadth first" };
    let lead = match &reaches[..] {
        [] if !(tried(true) && tried(false)) => "Not all caches were tried: there is no answer yet.".to_string(),
        [] => "Neither depth first nor breadth first: no cache that was tried with fewer slots than there are states brings a search to an end."
            .to_string(),
        [only] if !tried(!is_depth(only.curve)) => {
            format!("{}; {} was not tried.", enough(only), order(!is_depth(only.curve)))
        }
        [only] => {
            let other = order(!is_depth(only.curve));
            format!("{}; {other} no cache that was tried is, short of room for all states.", enough(only))
        }
        [first, second, ..] if first.slots == second.slots => {
            let size = data.size(first.slots);
            format!(
                "Either, with a cache of {size}: {} takes {} times the transitions of the full search, {} {} times.",
                first.name(),
                significant(data.times(first.record)),
                second.name(),
                significant(data.times(second.record))
            )
        }
        [first, second, ..] => format!("{}; {} needs {}.", enough(first), second.name(), data.size(second.slots)),
    };
    let runs = reaches.iter().map(|reach| {
        let order = order(is_depth(reach.curve));
        let text = format!(
            "With little memory, {order}: {} slots, {}, {} times the transitions of the full search, {}.",
            thousands(reach.slots as u64),
            bytes(reach.record.memory_bytes),
            significant(data.times(reach.record)),
            data.time(reach.record)
        );
        (text, reach.record.clone())
    });
    let runs = runs.collect();
    Answer { lead, runs }
}

/// Why: the measures of `pv stats`, and what sleep sets leave.
pub(crate) fn reasons(data: &Data<'_>) -> Vec<String> {
    why(data, &data.curves())
}

/// Which search, from which size on.
fn details(data: &Data<'_>, curves: &[Curve<'_>]) -> Vec<String> {
    let depth = best(curves.iter().filter(|curve| is_depth(curve)));
    let breadth = best(curves.iter().filter(|curve| !is_depth(curve)));
    let reach = |reach: &Reach<'_, '_>| {
        let (size, times) = (data.size(reach.slots), significant(data.times(reach.record)));
        let text =
            format!("{} makes do with {size}, at {times} times the transitions of the full search", reach.name());
        match reach.curve.failure() {
            Some((point, record)) => format!("{text} (with {} {})", thousands(point.x as u64), data.failed(record)),
            None => text,
        }
    };
    match (depth, breadth) {
        (None, None) => vec!["No cache of a size that was tried brings the search to an end.".into()],
        (Some(only), None) | (None, Some(only)) => {
            let other = if is_depth(only.curve) { "breadth first" } else { "depth first" };
            vec![format!("{}; {other} no cache that was tried suffices.", capital(&reach(&only)))]
        }
        (Some(depth), Some(breadth)) => {
            let (small, large) = if depth.slots <= breadth.slots { (depth, breadth) } else { (breadth, depth) };
            let mut sentences = vec![format!("{}; {}.", capital(&reach(&small)), reach(&large))];
            if small.slots < large.slots {
                sentences.push(format!(
                    "With fewer than {} slots use {}.",
                    thousands(large.slots as u64),
                    small.name()
                ));
            }
            sentences.extend(where_both_end(data, small.curve, large.curve, large.slots));
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
        spoken(quick.name),
        thousands(less),
        thousands(more),
        spoken(slow.name)
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
