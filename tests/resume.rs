//! Searches that are interrupted again and again against the same ones that are not: the same counts, the same verdict,
//! the same errors. And checkpoints that cannot be used, each with its reason.

mod common;

use common::model_of;
use pv::checkpoint::{CheckpointSchedule, Reader};
use pv::model::Model;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Limit, Outcome, Verdict};
use pv::search::plan::{
    BreadthCache, BreadthFirst, BreadthStore, DiskRecord, Hub, LossyTable, Plan, QueuedTable, Search, SharedStore,
    Signatures, Size,
};
use pv::store::Window;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// 13 824 states and 80 000 transitions: the searches look up twenty times.
const MODEL: &str = "active [3] proctype P() {
  byte i;
  end: do
  :: atomic { i < 23 -> i++ }
  :: atomic { i > 0 -> i-- }
  :: atomic { i == 20 && _pid == 1 -> assert(i != 20) }
  od
}
";

/// Every mode, by name.
fn modes() -> Vec<(&'static str, Plan)> {
    let plan = |table: QueuedTable| {
        let store = BreadthStore::Queued { table, work_dir: None };
        Plan {
            all_errors: true,
            // Small enough that the table of the disk search is judged in the middle of levels.
            memory: matches!(table, QueuedTable::Disk { .. } | QueuedTable::Serial { .. }).then_some(1_000_000),
            search: Search::Breadth(BreadthFirst { store, max_depth: None }),
            ..Plan::default()
        }
    };
    let cache = |cache: BreadthCache| plan(QueuedTable::Cache { cache, max_collision_rate: 1.0 });
    let disk = |record, window| plan(QueuedTable::Disk { record, window });
    let serial = |cache| plan(QueuedTable::Serial { cache, switch_rate: 0.1, window: Window::Everything });
    let lossy = |table| plan(QueuedTable::Lossy { table, runs: None });
    let signatures = Some(Signatures { bits: Some(40), runs: None });
    let hub = Some(Hub { split: 0.7, overwrite: 0.01 });
    let (large, small) = (BreadthCache::of(14_500), BreadthCache::of(3_000));
    vec![
        ("exact", plan(QueuedTable::Exact)),
        ("tree", plan(QueuedTable::Tree)),
        ("cache", cache(large)),
        ("hub", cache(BreadthCache { hub, ..large })),
        ("cache of signatures", cache(BreadthCache { signatures, ..large })),
        ("disk", disk(DiskRecord::Usual, Window::Everything)),
        ("whole states on disk", disk(DiskRecord::States, Window::Everything)),
        ("disk with a window", disk(DiskRecord::Usual, Window::Share(0.3))),
        ("serial", serial(small)),
        ("serial with signatures", serial(BreadthCache { hub, signatures, ..small })),
        ("compact", lossy(LossyTable::Compact { bits: Some(40), size: Size::Slots(100_000) })),
        ("bloom", lossy(LossyTable::Bloom { functions: None, size: Size::OfMemory })),
    ]
}

/// Runs a plan until it has looked up so many times; from a checkpoint if `resume`.
fn run(model: &Model, plan: &Plan, file: &Path, resume: bool, looks: u32) -> (Outcome, Option<CheckpointSchedule>) {
    let interrupt = AtomicBool::new(false);
    let mut count = 0;
    let mut monitor = Monitor::silent(&interrupt);
    monitor.progress = Box::new(|_| {
        count += 1;
        interrupt.store(count >= looks, Ordering::Relaxed);
    });
    let mut schedule = CheckpointSchedule::new(Some(file.to_path_buf()), None, "about".to_string());
    schedule.from = resume.then(|| Reader::open(file).unwrap());
    monitor.checkpoints = Some(schedule);
    let outcome = plan.execute(model, &mut monitor);
    (outcome, monitor.checkpoints.take())
}

fn whole(model: &Model, plan: &Plan) -> Outcome {
    let interrupt = AtomicBool::new(false);
    plan.execute(model, &mut Monitor::silent(&interrupt))
}

/// All that must not show whether the search was interrupted.
fn figures(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug {
    let counts = outcome.counts;
    let errors: Vec<_> = outcome.violations.iter().map(|v| (v.message.clone(), v.depth, v.path.len())).collect();
    (
        outcome.verdict.name(),
        (counts.stored, counts.matched, counts.atomic_steps, counts.depth, counts.vector_bytes),
        (outcome.error_count, errors),
        outcome.reached.clone(),
    )
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("search.checkpoint");
    (folder, file)
}

#[test]
fn interruptions_do_not_show() {
    let model = model_of(MODEL);
    for (name, plan) in modes() {
        // In memory the table that cannot be saved, its own queue, is the judge of the one that can.
        let judge = Plan { search: common::breadth_first(None), ..plan.clone() };
        let expected = whole(&model, if name == "exact" { &judge } else { &plan });
        assert!(!matches!(expected.verdict, Verdict::Incomplete(_)), "{name}: {:?}", expected.verdict);
        let (folder, file) = folder();
        let (mut outcome, mut schedule) = run(&model, &plan, &file, false, 2);
        let mut stops = 0;
        while outcome.verdict == Verdict::Incomplete(Limit::Interrupted)
            || schedule.as_ref().is_some_and(|schedule| schedule.up_to_date)
        {
            stops += 1;
            assert!(schedule.is_some_and(|schedule| schedule.up_to_date && schedule.refused.is_none()), "{name}");
            (outcome, schedule) = run(&model, &plan, &file, true, 1 + stops % 2);
        }
        assert!(stops >= 4, "{name}: {stops}");
        assert_eq!(figures(&outcome), figures(&expected), "{name}, {stops} interruptions");
        if name != "exact" {
            assert_eq!(outcome.counts.evicted, expected.counts.evicted, "{name}");
        }
        // The checkpoint is all that is left.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{name}");
    }
}

/// From every mode to every other: where it goes all states are seen, where it does not the reason is said.
#[test]
fn changes_of_mode() {
    let model = model_of(MODEL);
    let exact = whole(&model, &modes()[0].1);
    let keeps_all = |name: &str| !name.contains("cache") && !name.contains("hub") && !name.contains("window");
    // The others are of the same kinds.
    let tried =
        |name: &&str| ["exact", "hub", "whole states on disk", "serial with signatures", "bloom"].contains(name);
    for (from, plan) in modes() {
        let (_folder, file) = folder();
        let (_, schedule) = run(&model, &plan, &file, false, 3);
        assert!(schedule.is_some_and(|schedule| schedule.up_to_date), "{from}");
        for (to, plan) in modes().into_iter().filter(|(to, _)| tried(to) || *to == "disk") {
            let interrupt = AtomicBool::new(false);
            let mut monitor = Monitor::silent(&interrupt);
            let mut schedule = CheckpointSchedule::new(None, None, String::new());
            schedule.from = Some(Reader::open(&file).unwrap());
            monitor.checkpoints = Some(schedule);
            let outcome = plan.execute(&model, &mut monitor);
            let refused = monitor.checkpoints.take().and_then(|schedule| schedule.refused);
            let signatures =
                ["disk", "compact", "bloom", "signatures", "window"].iter().any(|word| from.contains(word))
                    && from != "whole states on disk";
            match &refused {
                Some(why) => {
                    assert!(signatures && from != to, "{from} to {to}: {why}");
                    assert!(why.contains("it holds") && why.contains("the search is to go on with"), "{why}");
                }
                None => {
                    assert_eq!(outcome.error_count > 0, exact.error_count > 0, "{from} to {to}");
                    assert_eq!(outcome.reached, exact.reached, "{from} to {to}");
                    let distinct_only =
                        keeps_all(from) && keeps_all(to) && !from.contains("serial") && !to.contains("serial");
                    if distinct_only {
                        assert_eq!(
                            outcome.counts,
                            pv::search::outcome::Counts { peak_stored: outcome.counts.peak_stored, ..exact.counts },
                            "{from} to {to}"
                        );
                    }
                    assert!(outcome.counts.stored >= exact.counts.stored, "{from} to {to}");
                    assert_eq!(
                        outcome.omission_probability.is_some() && !signatures,
                        !signatures && lossy(to),
                        "{from} to {to}"
                    );
                }
            }
            assert!(signatures || refused.is_none(), "{from} to {to}");
        }
    }
}

fn lossy(name: &str) -> bool {
    ["compact", "bloom", "signatures", "window"].iter().any(|word| name.contains(word)) || name == "disk"
}

#[test]
fn a_search_that_needs_more_memory_goes_on_with_the_disk() {
    let model = model_of(MODEL);
    let exact = whole(&model, &modes()[0].1);
    let (_folder, file) = folder();
    let small = Plan { memory: Some(300_000), ..modes()[0].1.clone() };
    let (outcome, schedule) = run(&model, &small, &file, false, u32::MAX);
    assert!(outcome.counts.stored < exact.counts.stored);
    assert!(schedule.is_some_and(|schedule| schedule.up_to_date));
    let (outcome, _) = run(&model, &modes()[5].1, &file, true, u32::MAX);
    assert_eq!((outcome.counts.stored, outcome.counts.matched), (exact.counts.stored, exact.counts.matched));
    assert_eq!(outcome.error_count, exact.error_count);
}

#[test]
fn of_another_program_it_is_refused() {
    let (_folder, file) = folder();
    let plan = &modes()[0].1;
    run(&model_of(MODEL), plan, &file, false, 2);
    let (_, schedule) = run(&model_of("active proctype P() { byte x; x = 1; assert(x == 2) }"), plan, &file, true, 2);
    assert!(schedule.and_then(|schedule| schedule.refused).is_some_and(|why| why.contains("another model")));
}

/// The error of the model lies in the initial state only, so that nothing but the checkpoint can tell of it later.
#[test]
fn what_was_found_before_an_interruption_is_not_lost() {
    let model = model_of(
        "bool moved;
        active [3] proctype P() {
          byte i;
          end: do
          :: atomic { i < 23 -> i++; moved = true }
          :: atomic { i > 0 -> i--; moved = true }
          :: atomic { !moved && _pid == 0 -> i = 1 / i }
          od
        }",
    );
    let plan = &modes()[0].1;
    let expected = whole(&model, plan);
    assert!(expected.model_error.is_some() && expected.error_count == 1);
    let (_folder, file) = folder();
    let (_, schedule) = run(&model, plan, &file, false, 2);
    assert!(schedule.is_some_and(|schedule| schedule.up_to_date));
    let (outcome, _) = run(&model, plan, &file, true, u32::MAX);
    assert_eq!(outcome.model_error, expected.model_error);
    assert_eq!(figures(&outcome), figures(&expected));
}

/// Truncated, flipped, foreign: exit code 2 and a reason, by the program itself.
#[test]
fn damaged_ones_are_refused_by_the_command() {
    let (folder, file) = folder();
    run(&model_of(MODEL), &modes()[1].1, &file, false, 2);
    let whole = std::fs::read(&file).unwrap();
    let bad = folder.path().join("bad.checkpoint");
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    let mut earlier = whole.clone();
    earlier[8..12].copy_from_slice(&2u32.to_le_bytes());
    for (bytes, reason) in [
        (&earlier[..], "it has version 2 of the format"),
        (&whole[..whole.len() / 3], "ends early"),
        (&flipped[..], "damaged"),
        (b"init { skip }", "not a checkpoint of pv"),
        // What these tests write about themselves are no options.
        (&whole[..], "its options cannot be read"),
    ] {
        std::fs::write(&bad, bytes).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pv")).arg("resume").arg(&bad).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(reason), "{said}");
    }
}

/// The same model by several workers, with everything that they can keep.
fn teams(count: u16) -> Vec<Plan> {
    let signatures = SharedStore::Compact { bits: Some(40), size: Size::Slots(50_000), runs: None };
    [SharedStore::Exact, SharedStore::Tree, signatures]
        .map(|store| Plan { all_errors: true, search: common::workers_with(count, store), ..Plan::default() })
        .into()
}

/// A search by workers that is stopped, before its first level, behind its last or somewhere between, goes on with another number of them
/// as if nobody had stopped it.
#[test]
fn workers_go_on_in_any_number() {
    let model = model_of(MODEL);
    let interrupted = Verdict::Incomplete(Limit::Interrupted);
    for (number, plan) in teams(2).iter().enumerate() {
        let expected = whole(&model, plan);
        assert!(expected.error_count > 0, "{:?}", expected.verdict);
        let (folder, file) = folder();
        let (outcome, schedule) = run(&model, plan, &file, false, 1);
        assert_eq!(outcome.verdict, interrupted);
        assert!(schedule.is_some_and(|schedule| schedule.present && schedule.refused.is_none()));
        let (outcome, _) = run(&model, &teams(3)[number], &file, true, u32::MAX);
        assert_eq!(figures(&outcome), figures(&expected), "from the first level");
        // One checkpoint at each level: the last is left.
        let interrupt = AtomicBool::new(false);
        let mut monitor = Monitor::silent(&interrupt);
        let every = Some(std::time::Duration::ZERO);
        monitor.checkpoints = Some(CheckpointSchedule::new(Some(file.clone()), every, "about".to_string()));
        let outcome = plan.execute(&model, &mut monitor);
        assert_eq!(figures(&outcome), figures(&expected));
        drop(monitor);
        let (outcome, _) = run(&model, &teams(1)[number], &file, true, u32::MAX);
        assert_eq!(figures(&outcome), figures(&expected), "from the last level");
        let (mut outcome, _) = run(&model, plan, &file, false, 2);
        for looks in 2.. {
            if outcome.verdict != interrupted && outcome.stopped.is_none() {
                break;
            }
            (outcome, _) = run(&model, &teams(1 + looks % 4)[number], &file, true, u32::from(looks));
        }
        assert_eq!(figures(&outcome), figures(&expected), "from the middle");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

/// What workers have left is for workers with the same kind of store, and the reason is said.
#[test]
fn what_workers_leave_is_for_workers() {
    let model = model_of(MODEL);
    let (exact, signatures) = (&teams(2)[0], &teams(2)[2]);
    let alone = &modes()[0].1;
    let cases = [
        (exact, alone, "--workers only"),
        (alone, exact, "by one thread"),
        (exact, signatures, "it holds whole states"),
    ];
    for (from, to, why) in cases {
        let (_folder, file) = folder();
        run(&model, from, &file, false, 1);
        let (outcome, schedule) = run(&model, to, &file, true, u32::MAX);
        let refused = schedule.and_then(|schedule| schedule.refused).unwrap_or_default();
        assert!(refused.contains(why) && matches!(outcome.verdict, Verdict::Incomplete(_)), "{refused}");
    }
    // Whole states are whole states, however they are kept.
    let (_folder, file) = folder();
    run(&model, exact, &file, false, 1);
    let (outcome, _) = run(&model, &teams(2)[1], &file, true, u32::MAX);
    let expected = whole(&model, exact);
    assert_eq!(figures(&outcome), figures(&expected));
}
