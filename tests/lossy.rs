//! Stores that may err: with enough bits they count as the exact store does, precision on demand never covers less,
//! what pv says about omissions agrees with how often they happen, and a budget of memory is kept.

mod common;

use common::{Expectation, example, run};
use pv::search::outcome::{Limit, Verdict};
use pv::search::plan::{DepthFirst, DepthStore, LossyTable, Plan, Precise, Search, Size, Techniques};
use std::num::NonZeroU8;

/// A depth-first search over this table; with precision on demand if `pod` is not 0.
fn over(table: LossyTable, pod: u8, runs: Option<u32>) -> Search {
    match NonZeroU8::new(pod) {
        Some(chain) => Search::Precise(Precise { table, runs, chain }),
        None => {
            let store = DepthStore::Lossy { table, runs, technique: None };
            Search::Depth(DepthFirst { store, ..DepthFirst::default() })
        }
    }
}

fn plan(table: LossyTable) -> Plan {
    Plan { search: over(table, 0, None), ..Plan::default() }
}

fn compact(bits: u8, slots: u64) -> LossyTable {
    LossyTable::Compact { bits: Some(bits), size: Size::Slots(slots) }
}

fn bloom(functions: u8, size: Size) -> LossyTable {
    LossyTable::Bloom { functions: Some(functions), size }
}

#[test]
fn wide_signatures_count_as_the_exact_store() {
    let mut compared = 0;
    for folder in ["tests/corpus", "tests/corpus/micro"] {
        for path in common::models(folder) {
            let text = std::fs::read_to_string(&path).unwrap();
            if !matches!(common::expectation(&text), Expectation::Counts(_)) {
                continue;
            }
            let model = common::load(&path).unwrap_or_else(|what| panic!("{what}"));
            let bounded = |search| common::bounded(Plan { all_errors: true, search, ..Plan::default() }, Some(10_000));
            let exact = run(&model, &bounded(Search::default()));
            if exact.counts.stored > 5_000 {
                continue;
            }
            let table = compact(64, 4 * exact.counts.stored + 64);
            let compact = run(&model, &bounded(over(table, 0, None)));
            assert_eq!(compact.counts.stored, exact.counts.stored, "{}", path.display());
            assert_eq!(compact.counts.matched, exact.counts.matched, "{}", path.display());
            assert_eq!(compact.error_count, exact.error_count, "{}", path.display());
            assert!(!matches!(compact.verdict, Verdict::Verified(_)), "{}", path.display());
            let bloom = run(&model, &bounded(over(bloom(20, Size::States(100_000)), 0, None)));
            assert_eq!(bloom.counts.stored, exact.counts.stored, "{}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 250, "only {compared} models compared");
}

#[test]
fn precision_on_demand_never_covers_less() {
    for name in ["go_back_n", "urp", "tcp_handshake"] {
        let model = example(name);
        let states = run(&model, &Plan::default()).counts.stored;
        for bits in [2, 4, 8] {
            for table in [compact(bits, states), bloom(bits, Size::States(states)), bloom(bits, Size::Slots(states))] {
                let mut before = 0;
                for pod in [0, 1, 3] {
                    let plan = Plan { search: over(table, pod, None), ..Plan::default() };
                    let stored = run(&model, &plan).counts.stored;
                    assert!(stored >= before, "{name} {table:?} POD {pod}: {stored} after {before}");
                    assert!(stored <= states, "{name} {table:?} POD {pod}: {stored} of {states}");
                    before = stored;
                }
            }
        }
    }
}

#[test]
fn omissions_are_as_likely_as_pv_says() {
    let model = example("philosophers");
    let states = run(&model, &Plan::default()).counts.stored;
    let kinds = [
        compact(14, states * 2),
        compact(11, states * 5 / 4),
        bloom(9, Size::States(states)),
        bloom(13, Size::Slots(states)),
    ];
    const RUNS: u64 = 300;
    for table in kinds {
        let (mut with_omission, mut said) = (0.0, 0.0);
        for seed in 1..=RUNS {
            let outcome = run(&model, &Plan { seed, ..plan(table) });
            with_omission += f64::from(u8::from(outcome.counts.stored < states));
            said += outcome.omission_probability.unwrap_or(0.0);
        }
        let (measured, said) = (with_omission / RUNS as f64, said / RUNS as f64);
        // Three standard deviations of a share among this many runs.
        let tolerance = 3.0 * (said * (1.0 - said) / RUNS as f64).sqrt();
        assert!((0.02..0.9).contains(&said), "{table:?}: {said} tells little");
        assert!(measured <= said + tolerance, "{table:?}: measured {measured}, said {said}");
        // It is a bound, but an honest one: not more than twice what happens.
        assert!(measured >= said / 2.0 - tolerance, "{table:?}: measured {measured}, said {said}");
    }
}

#[test]
fn several_runs_multiply() {
    let model = example("philosophers");
    let table = compact(14, 5_000);
    let one = run(&model, &plan(table));
    let three = run(&model, &Plan { search: over(table, 0, Some(3)), ..Plan::default() });
    assert_eq!(three.repeats.len(), 3);
    let product: f64 = three.repeats.iter().map(|run| run.omission_probability).product();
    assert_eq!(three.omission_probability, Some(product));
    assert!(product < one.omission_probability.unwrap_or(0.0));
    assert!(three.advice.is_none() == (product < 0.001));
}

#[test]
fn a_full_table_is_incomplete_and_the_advice_promises_nothing() {
    let model = example("go_back_n");
    let states = run(&model, &Plan::default()).counts.stored;
    let full = run(&model, &plan(compact(30, states - 1)));
    assert_eq!(full.verdict, Verdict::Incomplete(Limit::TableFull { slots: states - 1 }));
    assert_eq!(full.verdict.exit_code(), 3);
    let advice = full.advice.unwrap_or_default();
    assert!(advice.contains(&format!("--slots {}`", 2 * (states - 1))), "{advice}");
    assert!(!advice.contains("0.1%"), "{advice}");
    assert_eq!(run(&model, &plan(compact(30, states))).counts.stored, states);
}

/// A search that keeps signatures says what a tree of whole states would have taken, and a tree does not take more than that.
#[test]
fn the_report_says_what_a_tree_would_have_needed() {
    let model = example("go_back_n");
    let states = run(&model, &Plan::default()).counts.stored;
    let outcome = run(&model, &plan(compact(40, 2 * states)));
    assert_eq!(outcome.verdict, Verdict::NoErrorFound);
    let said =
        outcome.notes.iter().find_map(|note| note.strip_prefix("--store tree would keep these states exactly, in "));
    let mebibytes: u64 =
        said.and_then(|text| text.split(' ').next()).and_then(|text| text.parse().ok()).expect("a size");
    let store = DepthStore::Tree(Techniques::None);
    let tree =
        run(&model, &Plan { search: Search::Depth(DepthFirst { store, ..DepthFirst::default() }), ..Plan::default() });
    // What is reported has the path of the search in it, too.
    let path = 200 * tree.counts.depth + (1 << 18);
    assert!(tree.memory <= (mebibytes << 20) + path, "{mebibytes} MiB and {path}: {}", tree.memory);
    let violated = run(&example("philosophers_deadlock"), &plan(compact(40, 100_000)));
    assert!(violated.notes.is_empty(), "{:?}", violated.notes);
}

/// Budgets are kept as the system sees it, also where the stack or the number of levels is what grows. The peak is read
/// while the program runs (it only rises, so what is read is never too much).
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_inside_the_budget_seen_from_outside() {
    use std::process::{Command, Stdio};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("deep.pml");
    let deep = "int x; bool b; active proctype P() { do :: x < 400000 -> x++ :: b = !b :: else -> break od }";
    std::fs::write(&path, deep).expect("written");
    for megabytes in [24u64, 64] {
        for store in [["compact", "--bits", "8"], ["bloom", "--bits", "3"]] {
            for way in [["--search", "dfs"], ["--pod", "1"], ["--search", "bfs"]] {
                let child = Command::new(env!("CARGO_BIN_EXE_pv"))
                    .arg("check")
                    .arg(&path)
                    .args(["--no-trail", "--quiet", "--memory", &format!("{megabytes}M"), "--store"])
                    .args(store)
                    .args(way)
                    .stdout(Stdio::null())
                    .spawn()
                    .expect("pv starts");
                let (_, peak) = common::peak_memory(child);
                let name = format!("{megabytes}M {store:?} {way:?}");
                assert!(peak > 1_000, "{name}: nothing was measured");
                assert!(peak <= megabytes * 1024, "{name}: {peak} KiB");
            }
        }
    }
}
