//! Every breadth-first search with a queue beside its store against the exact one: the same states, the same verdict,
//! paths that can be executed.

mod common;

use common::example;
use pv::exec::Program;
use pv::model::Model;
use pv::search::driver::Settings;
use pv::search::explore::queued;
use pv::search::explore::serial;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Levels, Outcome, Verdict};
use pv::search::plan::Plan;
use pv::search::walk::Rules;
use pv::store::{
    BfsCache, BfsStore, CompactStore, DiskOptions, DiskStore, ExactStore, HubCache, HubOptions, Links, Queue,
    Representation, Window, WorkDir,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Small and of all kinds: with and without errors, rendezvous, atomic blocks, timeouts.
const MODELS: [&str; 8] = [
    "alternating_bit",
    "bounded_buffer_bug",
    "needham_schroeder_bug",
    "peterson",
    "philosophers",
    "philosophers_deadlock",
    "two_phase_commit",
    "two_phase_commit_bug",
];

/// Models with more states than this are left to the benches: a table on disk of 80 kB is read very often there.
const LARGEST: u64 = 10_000;

/// The models that are small enough, with the exact search's outcome.
fn models(all_errors: bool) -> Vec<(&'static str, Model, Outcome)> {
    let all = MODELS.into_iter().map(|name| {
        let model = example(name);
        let outcome = exact(&model, all_errors);
        (name, model, outcome)
    });
    let small: Vec<_> = all.filter(|(_, _, outcome)| outcome.counts.stored <= LARGEST).collect();
    assert!(small.len() >= 4, "{}", small.len());
    small
}

fn settings(all_errors: bool) -> Settings {
    let rules = Rules {
        end_states: true,
        assertions: true,
        pass_assertions: false,
        strict_channels: false,
        max_depth: u64::MAX,
        claim: false,
        halts: false,
        stutter: true,
    };
    Settings { rules, all_errors }
}

fn exact(model: &Model, all_errors: bool) -> Outcome {
    common::run(model, &Plan { all_errors, search: common::breadth_first(None), ..Plan::default() })
}

fn run(model: &Model, store: &mut impl BfsStore, files: (Queue, Links), all_errors: bool) -> (Outcome, Levels) {
    let interrupt = AtomicBool::new(false);
    let program = Program::new(model, None);
    let how = (settings(all_errors), 0.9);
    let (outcome, levels) = queued::search(model, &program, store, how, files, &mut Monitor::silent(&interrupt));
    replayable(&program, &outcome);
    (outcome, levels.unwrap())
}

fn replayable(program: &Program, outcome: &Outcome) {
    for violation in &outcome.violations {
        pv::search::walk::replay::verify(program, &violation.path).unwrap();
        assert!(!violation.path.is_empty());
    }
}

fn in_memory() -> (Queue, Links) {
    (Queue::in_memory(), Links::in_memory())
}

fn on_disk(folder: &Arc<WorkDir>) -> (Queue, Links) {
    (Queue::on_disk(20_000, Arc::clone(folder)), Links::on_disk(folder).unwrap())
}

fn disk_options(representation: Representation) -> DiskOptions {
    DiskOptions { representation, window: Window::Everything, memory: 80_000, seed: 1 }
}

/// Stored, matched, depth, errors: all that must not depend on the store.
fn figures(outcome: &Outcome) -> (u64, u64, u64, u64) {
    (outcome.counts.stored, outcome.counts.matched, outcome.counts.depth, outcome.error_count)
}

#[test]
fn stores_that_forget_nothing_count_as_the_exact_search() {
    for (name, model, expected) in models(true) {
        let check = |what: &str, outcome: Outcome, exact: bool| {
            assert_eq!(figures(&outcome), figures(&expected), "{name}, {what}");
            let verified = matches!(outcome.verdict, Verdict::Verified(_));
            let violated = outcome.verdict == Verdict::Violated;
            assert_eq!(violated, expected.verdict == Verdict::Violated, "{name}, {what}");
            assert_eq!(verified, !violated && exact, "{name}, {what}: {:?}", outcome.verdict);
        };
        let folder = WorkDir::new(None).unwrap();
        let slots = 4 * expected.counts.stored + 100;
        let mut store = ExactStore::new(1);
        check("exact", run(&model, &mut store, in_memory(), true).0, true);
        let mut store = CompactStore::new(64, slots, 1, false).unwrap();
        check("compact", run(&model, &mut store, in_memory(), true).0, false);
        for representation in [Representation::States, Representation::Signatures(64)] {
            let whole = representation == Representation::States;
            let mut store = BfsCache::new(8 * slots, 64, representation, 1, usize::MAX).unwrap();
            check("cache", run(&model, &mut store, on_disk(&folder), true).0, whole);
            let options = HubOptions { slots: 8 * slots, split: 0.7, overwrite: 0.0001, ways: 64, representation };
            let mut store = HubCache::new(options, 1, usize::MAX).unwrap();
            check("hub", run(&model, &mut store, on_disk(&folder), true).0, whole);
            let mut store = DiskStore::new(disk_options(representation), &folder).unwrap();
            check("disk", run(&model, &mut store, on_disk(&folder), true).0, whole);
        }
    }
}

/// The first error is as deep as the exact search's: paths are shortest.
#[test]
fn first_errors_have_shortest_paths() {
    for (name, model, expected) in models(false) {
        if expected.verdict != Verdict::Violated {
            continue;
        }
        let folder = WorkDir::new(None).unwrap();
        let mut store = DiskStore::new(disk_options(Representation::Signatures(64)), &folder).unwrap();
        let (outcome, _) = run(&model, &mut store, on_disk(&folder), false);
        assert_eq!(outcome.violations[0].path.len(), expected.violations[0].path.len(), "{name}");
        let mut store = BfsCache::new(200, 8, Representation::States, 1, usize::MAX).unwrap();
        let (outcome, _) = run(&model, &mut store, in_memory(), false);
        if outcome.verdict == Verdict::Violated {
            assert_eq!(outcome.violations[0].path.len(), expected.violations[0].path.len(), "{name}");
        }
    }
}

/// A cache of whole states that forgets still says the truth, and visits states again.
#[test]
fn forgetful_caches_agree_or_give_up() {
    for (name, model, expected) in models(true) {
        for share in [2, 3] {
            let slots = (expected.counts.stored / share).max(1);
            let mut store = BfsCache::new(slots, 8, Representation::States, 1, usize::MAX).unwrap();
            let (outcome, levels) = run(&model, &mut store, in_memory(), true);
            // An error found before giving up is the verdict, so the queue tells whether it gave up.
            if levels.list.last().is_some_and(|level| level.queued > 0) {
                assert!(outcome.collision_rate.unwrap() > 0.9, "{name}");
                assert!(!matches!(outcome.verdict, Verdict::Verified(_)), "{name}");
            } else {
                assert_eq!(outcome.verdict.name(), expected.verdict.name(), "{name}");
                assert!(outcome.counts.stored >= expected.counts.stored, "{name}");
                let levels: u64 = levels.list.iter().map(|level| level.states).sum();
                assert_eq!(levels, outcome.counts.stored, "{name}");
            }
            assert!(levels.statistics.held <= slots);
        }
    }
}

#[test]
fn serial_finishes_on_disk_what_the_cache_began() {
    let interrupt = AtomicBool::new(false);
    let mut switched = 0;
    for (name, model, expected) in models(true) {
        let program = Program::new(&model, None);
        for representation in [Representation::States, Representation::Signatures(64)] {
            let folder = WorkDir::new(None).unwrap();
            let slots = (expected.counts.stored / 3).max(1);
            let cache = BfsCache::new(slots, 8, representation, 1, usize::MAX).unwrap();
            let how = (settings(true), serial::DEFAULT_SWITCH);
            let disk = (disk_options(representation), &folder);
            let (outcome, levels) =
                serial::search(&model, &program, cache, how, disk, &mut Monitor::silent(&interrupt));
            replayable(&program, &outcome);
            switched += u32::from(levels.unwrap().statistics.checks > 0);
            let verdict = if expected.verdict == Verdict::Violated || representation == Representation::States {
                expected.verdict.name()
            } else {
                "no-error-found"
            };
            assert_eq!(outcome.verdict.name(), verdict, "{name}");
            // What the cache forgot before the switch may come once more, nothing else.
            let again = outcome.counts.stored - expected.counts.stored;
            assert!(again <= outcome.counts.evicted, "{name}: {again} of {}", outcome.counts.evicted);
        }
    }
    assert!(switched > 4, "{switched}");
}
