//! Stores that may err: with enough bits they count as the exact store does, precision on demand never covers less,
//! and what pv says about omissions agrees with how often they happen.

use pv::model::Model;
use pv::search::lossy::Keeping;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Outcome, Verdict};
use pv::search::plan::Plan;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

fn run(model: &Model, plan: &Plan) -> Outcome {
    let interrupt = AtomicBool::new(false);
    plan.execute(model, &mut Monitor::silent(&interrupt))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn example(name: &str) -> Model {
    let path = root().join("examples").join(name);
    pv::load::read(&path).unwrap_or_else(|what| panic!("{what}")).1
}

fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "pml")).collect()
}

#[test]
fn wide_signatures_count_as_the_exact_store() {
    let mut compared = 0;
    for folder in ["tests/corpus", "tests/corpus/micro"] {
        for path in models(&root().join(folder)) {
            let Ok((_, model)) = pv::load::read(&path) else { continue };
            let plan = Plan { all_errors: true, max_depth: Some(10_000), ..Plan::default() };
            let exact = run(&model, &plan);
            if exact.counts.stored > 5_000 {
                continue;
            }
            let keeping = Keeping::Compact { bits: 64, slots: Some(4 * exact.counts.stored + 64) };
            let compact = run(&model, &Plan { keeping, ..plan.clone() });
            assert_eq!(compact.counts.stored, exact.counts.stored, "{}", path.display());
            assert_eq!(compact.counts.matched, exact.counts.matched, "{}", path.display());
            assert_eq!(compact.error_count, exact.error_count, "{}", path.display());
            assert!(!matches!(compact.verdict, Verdict::Verified(_)), "{}", path.display());
            let bloom = Plan { keeping: Keeping::Bloom { functions: Some(20) }, expect_states: Some(100_000), ..plan };
            assert_eq!(run(&model, &bloom).counts.stored, exact.counts.stored, "{}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 250, "only {compared} models compared");
}

#[test]
fn precision_on_demand_never_covers_less() {
    for name in ["go_back_n.pml", "urp.pml", "tcp_handshake.pml"] {
        let model = example(name);
        let states = run(&model, &Plan::default()).counts.stored;
        for bits in [2, 4, 8] {
            for (keeping, expect_states) in [
                (Keeping::Compact { bits, slots: Some(states) }, None),
                (Keeping::Bloom { functions: Some(bits) }, Some(states)),
            ] {
                let mut before = 0;
                for pod in [0, 1, 3] {
                    let plan = Plan { keeping, expect_states, pod, ..Plan::default() };
                    let stored = run(&model, &plan).counts.stored;
                    assert!(stored >= before, "{name} {keeping:?} POD {pod}: {stored} after {before}");
                    assert!(stored <= states, "{name} {keeping:?} POD {pod}: {stored} of {states}");
                    before = stored;
                }
            }
        }
    }
}

#[test]
fn omissions_are_as_likely_as_pv_says() {
    let model = example("philosophers.pml");
    let states = run(&model, &Plan::default()).counts.stored;
    let kinds = [
        (Keeping::Compact { bits: 14, slots: Some(states * 2) }, None),
        (Keeping::Compact { bits: 11, slots: Some(states * 5 / 4) }, None),
        (Keeping::Bloom { functions: Some(9) }, Some(states)),
    ];
    const RUNS: u64 = 300;
    for (keeping, expect_states) in kinds {
        let (mut with_omission, mut said) = (0.0, 0.0);
        for seed in 1..=RUNS {
            let outcome = run(&model, &Plan { keeping, expect_states, seed, ..Plan::default() });
            with_omission += f64::from(u8::from(outcome.counts.stored < states));
            said += outcome.omission_probability.unwrap_or(0.0);
        }
        let (measured, said) = (with_omission / RUNS as f64, said / RUNS as f64);
        // Three standard deviations of a share among this many runs.
        let tolerance = 3.0 * (said * (1.0 - said) / RUNS as f64).sqrt();
        assert!((0.02..0.9).contains(&said), "{keeping:?}: {said} tells little");
        assert!(measured <= said + tolerance, "{keeping:?}: measured {measured}, said {said}");
        // It is a bound, but an honest one: not more than twice what happens.
        assert!(measured >= said / 2.0 - tolerance, "{keeping:?}: measured {measured}, said {said}");
    }
}

#[test]
fn several_runs_multiply() {
    let model = example("philosophers.pml");
    let keeping = Keeping::Compact { bits: 14, slots: Some(5_000) };
    let one = run(&model, &Plan { keeping, ..Plan::default() });
    let three = run(&model, &Plan { keeping, repeat: 3, ..Plan::default() });
    assert_eq!(three.repeats.len(), 3);
    let product: f64 = three.repeats.iter().map(|run| run.omission_probability).product();
    assert_eq!(three.omission_probability, Some(product));
    assert!(product < one.omission_probability.unwrap_or(0.0));
    assert!(three.advice.is_none() == (product < 0.001));
}
