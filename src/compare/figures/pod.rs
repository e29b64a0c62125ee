//! The POD paper's tables and figures: coverage and time with and without precision on demand, by signature bits and
//! table size, for hash compaction and Bloom filters.

use super::{Data, Drawn, figure, significant};
use crate::compare::matrix::{pod_chain, pod_grid};
use crate::compare::results::Record;
use crate::report::html::{Block, Table};
use crate::report::plot::{Axis, Plot, Series, Unit};
use std::cmp::Ordering;

/// One cell: plain run, POD run.
type Pair<'a> = (&'a Record, &'a Record);

fn pair<'a>(data: &Data<'a>, store: &str, bits: u8, factor: f64) -> Option<Pair<'a>> {
    let plain = data.named(&pod_chain(store, bits, 0)).at(factor)?;
    let pod = data.named(&pod_chain(store, bits, 1)).at(factor)?;
    Some((plain, pod))
}

/// States found with POD beyond those found without, as a share of the latter.
fn gain((plain, pod): Pair<'_>) -> f64 {
    pod.stored as f64 / plain.stored.max(1) as f64 - 1.0
}

fn slowdown((plain, pod): Pair<'_>) -> f64 {
    if plain.seconds > 0.0 { pod.seconds / plain.seconds - 1.0 } else { f64::NAN }
}

fn percent(value: f64) -> String {
    if value.is_finite() { format!("{}%", significant(value * 100.0)) } else { "–".into() }
}

/// A share of all states; near to all, the digits that matter are behind the nines.
fn coverage(value: f64) -> String {
    let text = format!("{:.3}", value * 100.0);
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

fn change(from: f64, to: f64) -> String {
    match to.total_cmp(&from) {
        Ordering::Greater => format!("raises the coverage from {} to {}", coverage(from), coverage(to)),
        Ordering::Less => format!("lowers the coverage from {} to {}", coverage(from), coverage(to)),
        Ordering::Equal => format!("leaves the coverage at {}", coverage(to)),
    }
}

/// All of it.
pub(crate) fn draw(data: &Data<'_>) -> Drawn {
    let mut drawn = Drawn::default();
    for (store, name) in [("compact", "Hash compaction"), ("bloom", "Bloom filter")] {
        let one = of_store(data, store, name);
        drawn.sentence = [std::mem::take(&mut drawn.sentence), one.sentence].join(" ").trim().to_string();
        drawn.blocks.extend(one.blocks);
    }
    drawn
}

fn of_store(data: &Data<'_>, store: &str, name: &str) -> Drawn {
    let (all_bits, factors) = pod_grid(data.measured);
    let states = data.measured.states.max(1) as f64;
    let series = |value: &dyn Fn(Pair<'_>) -> f64| {
        let of_bits = |&bits: &u8| {
            let point = |&factor: &f64| Some((factor, value(pair(data, store, bits, factor)?)));
            Series::line(format!("{bits} bits"), factors.iter().filter_map(point).collect())
        };
        all_bits.iter().map(of_bits).filter(|series| !series.points.is_empty()).collect::<Vec<_>>()
    };
    let x = || Axis::linear("table size (entries by states)");
    let plots = [
        Plot {
            title: format!("{name}: states regained by POD 1"),
            x: x(),
            y: Axis::linear("states beyond those without POD").in_unit(Unit::Percent).starting_at_zero(),
            series: series(&gain),
            level: None,
        },
        Plot {
            title: format!("{name}: coverage with POD 1"),
            x: x(),
            y: Axis::linear("coverage (share of all states)").in_unit(Unit::Percent).covering(&[1.0]),
            series: series(&|(_, pod)| pod.stored as f64 / states),
            level: None,
        },
    ];
    let sentence = sentence(data, store, name, &all_bits, &factors);
    let table = table(data, store, name, &all_bits, &factors);
    Drawn {
        blocks: vec![
            figure(&plots, &sentence),
            Block::Details(format!("{name}: all figures"), vec![Block::Table(table)]),
        ],
        sentence,
    }
}

fn sentence(data: &Data<'_>, store: &str, name: &str, all_bits: &[u8], factors: &[f64]) -> String {
    let states = data.measured.states.max(1) as f64;
    let cells: Vec<(u8, f64, Pair<'_>)> = all_bits
        .iter()
        .flat_map(|&bits| factors.iter().map(move |&factor| (bits, factor)))
        .filter_map(|(bits, factor)| Some((bits, factor, pair(data, store, bits, factor)?)))
        .collect();
    let (Some(first), Some(last)) = (cells.first(), cells.last()) else {
        return format!("{name}: nothing was run.");
    };
    let describe = |(bits, factor, cell): &(u8, f64, Pair<'_>)| {
        format!(
            "with {bits} bits and a table of {factor} times the states precision on demand {}",
            change(cell.0.stored as f64 / states, cell.1.stored as f64 / states)
        )
    };
    let mut text = format!("{name}: {}", describe(first));
    if cells.len() > 1 {
        text += &format!(", {}", describe(last));
    }
    let worse = cells.iter().filter(|(_, _, cell)| gain(*cell) < 0.0).count();
    text += &match worse {
        0 => ". It never lowers it.".to_string(),
        n => format!(". It lowers it in {n} of {} cases.", cells.len()),
    };
    let times: Vec<f64> = cells.iter().map(|(_, _, cell)| slowdown(*cell)).filter(|value| value.is_finite()).collect();
    if !times.is_empty() {
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        text += &if mean >= 0.0 {
            format!(" It takes {} more time on average.", percent(mean))
        } else {
            format!(" It takes {} less time on average.", percent(-mean))
        };
    }
    text
}

fn table(data: &Data<'_>, store: &str, name: &str, all_bits: &[u8], factors: &[f64]) -> Table {
    let states = data.measured.states.max(1) as f64;
    let mut head = vec!["bits".to_string(), "POD".to_string()];
    for factor in factors {
        head.extend([format!("{factor}: coverage"), "states gained".into(), "more time".into()]);
    }
    let mut rows = Vec::new();
    for &bits in all_bits {
        for pod in [0u8, 1] {
            let mut row = vec![bits.to_string(), pod.to_string()];
            for &factor in factors {
                let cell = pair(data, store, bits, factor);
                row.extend(match cell {
                    Some(cell) if pod == 1 => {
                        [coverage(cell.1.stored as f64 / states), percent(gain(cell)), percent(slowdown(cell))]
                    }
                    Some(cell) => [coverage(cell.0.stored as f64 / states), "0".into(), "0".into()],
                    None => ["–".into(), "–".into(), "–".into()],
                });
            }
            rows.push(row);
        }
    }
    Table {
        caption: format!("{name}, by entries for each state (|S_p|/|S|, |S_p|/|S_h| - 1, t_p/t_h - 1 in the paper)"),
        head,
        rows,
        text_columns: 0,
    }
}
