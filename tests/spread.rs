//! A breadth-first search by two and by three processes against the same search by one, on every model of `tests/corpus` and `examples`:
//! counts, verdicts, errors and paths are the same. The processes are threads of this program here, connected over loopback; the programs
//! themselves are in `tests/cluster.rs`.

#![cfg(feature = "cluster")]

mod common;

use common::{DEEPEST, Expectation, LARGEST, bounded, run};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::checkpoint::parts::Manifest;
use pv::checkpoint::{CheckpointSchedule, Reader, Start};
use pv::cluster::Mesh;
use pv::limit::Limit;
use pv::model::Model;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Outcome, Verdict};
use pv::search::plan::{
    BreadthFirst, BreadthStore, DiskRecord, LossyTable, Plan, Property, QueuedTable, Reductions, Search, Size,
};
use pv::search::walk::replay::verify;
use pv::store::Window;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = common::trials(check);
    trials.push(Trial::test("stores", stores));
    trials.push(Trial::test("interruptions", interruptions));
    trials.push(Trial::test("several_searches_over_one_mesh", several_searches));
    libtest_mimic::run(&arguments, trials).exit();
}

/// Processes that are connected with each other.
fn meshes(count: usize) -> Vec<Mesh> {
    let mut streams: Vec<Vec<Option<TcpStream>>> = (0..count).map(|_| (0..count).map(|_| None).collect()).collect();
    let pairs = (0..count).flat_map(|one| (0..one).map(move |other| (one, other)));
    for (one, other) in pairs {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        streams[one][other] = Some(TcpStream::connect(listener.local_addr().unwrap()).unwrap());
        streams[other][one] = Some(listener.accept().unwrap().0);
    }
    let names: Vec<String> = (0..count).map(|number| format!("thread {number}")).collect();
    streams.into_iter().enumerate().map(|(me, streams)| Mesh::start(me, streams, names.clone()).unwrap()).collect()
}

/// What each of so many processes says.
fn together(model: &Model, plans: &[Plan], count: usize) -> Vec<Vec<Outcome>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = meshes(count)
            .into_iter()
            .map(|mesh| {
                scope.spawn(move || {
                    let mut mesh = Some(mesh);
                    let interrupt = AtomicBool::new(false);
                    let mut outcomes = Vec::new();
                    for plan in plans {
                        let mut monitor = Monitor::silent(&interrupt);
                        monitor.mesh = mesh.take();
                        outcomes.push(plan.execute(model, &mut monitor));
                        mesh = monitor.mesh.take();
                    }
                    if let Some(mut mesh) = mesh {
                        mesh.leave(0, "");
                    }
                    outcomes
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// All that must be the same, however many processes there are.
fn said(outcome: &Outcome, counts: bool) -> String {
    let found: Vec<_> = outcome.violations.iter().map(|v| (&v.message, v.span, v.depth, &v.path, v.about)).collect();
    let figures = counts.then_some((outcome.counts, &outcome.reached, &outcome.completed));
    let errors = (outcome.error_count, outcome.property_errors, &outcome.model_error, &outcome.stopped);
    format!("{:?} {errors:?} {figures:?} {found:?}", outcome.verdict)
}

fn compare(model: &Model, plan: &Plan) -> Result<(), Failed> {
    let alone = run(model, plan);
    // An error ends the search of one process at once, and that of several at the end of the level.
    let counts = plan.all_errors || alone.verdict != Verdict::Violated;
    let expected = said(&alone, counts);
    for count in [1, 2, 3] {
        for (process, outcomes) in together(model, std::slice::from_ref(plan), count).iter().enumerate() {
            let got = said(&outcomes[0], counts);
            if got != expected {
                return Err(format!("{plan:?}, process {process} of {count}:\n{got}\nexpected\n{expected}").into());
            }
        }
        for violation in &alone.violations {
            let (_, program) = plan.property().compile(model);
            verify(&program, &violation.path).map_err(|what| format!("{}: {what}", violation.message))?;
        }
    }
    Ok(())
}

fn breadth(table: QueuedTable) -> Search {
    Search::Breadth(BreadthFirst { store: BreadthStore::Queued { table, work_dir: None }, max_depth: None })
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let Ok(model) = common::load(path) else { return Ok(()) };
    let deepest = match common::expectation(&text) {
        Expectation::Refused => return Ok(()),
        Expectation::Counts(expected) if expected.stored > LARGEST => return Ok(()),
        Expectation::Counts(_) => None,
        Expectation::None | Expectation::Partial => Some(DEEPEST),
    };
    let search = common::breadth_first(None);
    let statics =
        Reductions { dead_variables: model.hidden_size == 0, unread_writes: model.hidden_size == 0, merging: false };
    let mut plans = vec![
        Plan { search: search.clone(), ..Plan::default() },
        Plan { search: search.clone(), all_errors: true, ..Plan::default() },
        Plan { search: search.clone(), statics, ..Plan::default() },
        bounded(Plan { search: search.clone(), all_errors: true, ..Plan::default() }, Some(9)),
    ];
    for property in Property::of_model(&model) {
        if property.claim().is_some() && property.is_safety(&model) {
            plans.push(Plan { search: search.clone(), claim: property.claim(), ..Plan::default() });
        }
    }
    for plan in plans {
        let bound = plan.search.max_depth().or(deepest);
        compare(&model, &bounded(plan, bound))?;
    }
    let plan = Plan { search: breadth(QueuedTable::Exact), all_errors: true, ..Plan::default() };
    interrupted(&model, &bounded(plan, deepest), (2, 3))
}

/// What each process says of a search that leaves checkpoints, and whether it was interrupted: process 0 is, at its look of this number.
fn stopped_at(model: &Model, plan: &Plan, count: usize, file: &Path, look: u32, goes_on: bool) -> Vec<Outcome> {
    let start = |process: usize| {
        let manifest = Manifest::read(&mut Reader::open(file).unwrap()).unwrap().unwrap();
        let before = manifest.processes();
        let needed = if before == count { process..process + 1 } else { 0..before };
        let parts = needed.map(|process| manifest.open(file, process).unwrap()).collect();
        Start::Several { manifest, parts, command: String::new(), present: true }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = meshes(count)
            .into_iter()
            .map(|mesh| {
                scope.spawn(move || {
                    let process = mesh.me();
                    let interrupt = AtomicBool::new(false);
                    let mut looks = 0;
                    let mut monitor = Monitor::silent(&interrupt);
                    monitor.progress = Box::new(|_| {
                        looks += 1;
                        interrupt.store(process == 0 && looks >= look, Ordering::Relaxed);
                    });
                    let mut schedule = CheckpointSchedule::new(Some(file.to_path_buf()), None, "about".into());
                    if goes_on {
                        schedule.start(start(process));
                    }
                    (monitor.checkpoints, monitor.mesh) = (Some(schedule), Some(mesh));
                    let outcome = plan.execute(model, &mut monitor);
                    let refused = monitor.checkpoints.take().and_then(|schedule| schedule.refused);
                    assert_eq!(refused, None);
                    if let Some(mut mesh) = monitor.mesh.take() {
                        mesh.leave(0, "");
                    }
                    outcome
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// So large models are interrupted, and so often.
const LARGEST_INTERRUPTED: u64 = 60_000;
const MOST_STOPS: u32 = 6;

/// Interrupts a search again and again, in the middle of its levels, and goes on with one number of processes and the other.
fn interrupted(model: &Model, plan: &Plan, (one, other): (usize, usize)) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("c");
    let alone = run(model, plan);
    if alone.counts.stored > LARGEST_INTERRUPTED {
        return Ok(());
    }
    let expected = said(&alone, true);
    let mut stops = 0;
    loop {
        // Later and later, so that it comes to its end.
        let (count, look) = if stops % 2 == 0 { (one, 1 + stops) } else { (other, 1 + stops) };
        let outcomes =
            stopped_at(model, plan, count, &file, if stops > MOST_STOPS { u32::MAX } else { look }, stops > 0);
        let is_stopped = |outcome: &Outcome| {
            let limits = (&outcome.verdict, &outcome.stopped);
            matches!(limits, (Verdict::Incomplete(Limit::Interrupted), _) | (_, Some(Limit::Interrupted)))
        };
        if outcomes.iter().any(is_stopped) && stops <= MOST_STOPS {
            stops += 1;
            continue;
        }
        for outcome in &outcomes {
            let got = said(outcome, true);
            if got != expected {
                return Err(format!("{plan:?}, {stops} stops:\n{got}\nexpected\n{expected}").into());
            }
        }
        return Ok(());
    }
}

/// Stops and goes on, on larger models: with the same number of processes for every store, with other numbers for whole states.
fn interruptions() -> Result<(), Failed> {
    let compact = LossyTable::Compact { bits: Some(60), size: Size::Slots(200_000) };
    // One wide level, stopped again and again with fewer and with more processes: one then calls states by numbers that several have given.
    let wide = common::model_of(
        "byte x, y, z, w; active proctype P() {
         atomic { do :: x < 24 -> x++ :: break od; do :: y < 24 -> y++ :: break od; do :: z < 9 -> z++ :: break od }
         if :: w = 1 :: w = 2 :: w = 3 fi }",
    );
    let plan = Plan { search: breadth(QueuedTable::Exact), all_errors: true, ..Plan::default() };
    for numbers in [(3, 2), (2, 1), (4, 2), (1, 3)] {
        interrupted(&wide, &plan, numbers)?;
    }
    for (table, numbers) in [
        (QueuedTable::Exact, (1, 4)),
        (QueuedTable::Exact, (3, 2)),
        (QueuedTable::Tree, (2, 3)),
        (QueuedTable::Lossy { table: compact, runs: None }, (3, 3)),
        (QueuedTable::Disk { record: DiskRecord::States, window: Window::Everything }, (2, 2)),
    ] {
        let plan = Plan { search: breadth(table), all_errors: true, ..Plan::default() };
        for name in ["leader_ring", "bounded_buffer_bug"] {
            interrupted(&common::example(name), &plan, numbers)?;
        }
    }
    Ok(())
}

/// Every store that processes can share.
fn stores() -> Result<(), Failed> {
    let model = common::example("leader_ring");
    let compact = LossyTable::Compact { bits: Some(60), size: Size::States(100_000) };
    for table in [
        QueuedTable::Tree,
        QueuedTable::Lossy { table: compact, runs: None },
        QueuedTable::Disk { record: DiskRecord::States, window: Window::Everything },
        QueuedTable::Disk { record: DiskRecord::Usual, window: Window::Everything },
    ] {
        let alone = run(&model, &Plan { search: breadth(table), ..Plan::default() });
        let plan = Plan { search: breadth(table), memory: Some(256 << 20), ..Plan::default() };
        for outcomes in together(&model, &[plan], 3) {
            let got = &outcomes[0];
            assert_eq!(got.verdict, alone.verdict, "{table:?}");
            assert_eq!(
                (got.counts.stored, got.counts.matched),
                (alone.counts.stored, alone.counts.matched),
                "{table:?}"
            );
            assert_eq!(got.omission_probability.is_some(), alone.omission_probability.is_some());
            assert_eq!((got.counts.depth, &got.reached), (alone.counts.depth, &alone.reached), "{table:?}");
        }
    }
    Ok(())
}

/// Frames of one search do not get into the next.
fn several_searches() -> Result<(), Failed> {
    let model = common::example("bounded_buffer_bug");
    let plan = Plan { search: common::breadth_first(None), ..Plan::default() };
    let little = Plan { memory: Some(1), ..plan.clone() };
    let plans = [plan.clone(), little.clone(), plan.clone(), little, plan];
    let all = together(&model, &plans, 3);
    for outcomes in &all {
        let verdicts: Vec<&str> = outcomes.iter().map(|outcome| outcome.verdict.name()).collect();
        assert_eq!(verdicts[0], verdicts[2]);
        assert_eq!(verdicts[2], verdicts[4]);
        assert_eq!(verdicts, all[0].iter().map(|outcome| outcome.verdict.name()).collect::<Vec<_>>());
    }
    Ok(())
}
