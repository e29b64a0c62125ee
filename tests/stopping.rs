//! Everything can be stopped, wherever it is: atomic blocks that never end or branch for ever, in every kind of search. By a
//! signal, by a budget of memory or time; and a result that cannot be written is told.

#![cfg(unix)]

mod common;

use common::command;
use pv::search::monitor::Monitor;
use pv::search::plan::{Plan, Techniques};
use std::cell::Cell;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// One block of two states that branches at each step.
const BRANCHES: &str = "byte g; active proctype P() { atomic { do :: g = 1 :: g = 0 od } }\n";
/// One that also comes to new states for ever.
const ENDLESS: &str =
    "byte g; int i; active proctype P() { atomic { do :: g = 1 - g :: i++ :: i == -1 -> g = 2 od } }\n";
const LOOPS: &str = "byte g; active proctype P() { do :: g = 1 :: g = 0 od }\n";

/// Every kind of search.
const MODES: [&str; 21] = [
    "",
    "--full",
    "--max-depth 1000000000",
    "--search bfs",
    "--workers 1",
    "--workers 3",
    "--workers 2 --store tree",
    "--sleep",
    "--por",
    "--por --sleep",
    "--search bfs --por",
    "--cache 100",
    "--store compact",
    "--store bloom --pod 1",
    "--search bfs --disk",
    "--search bfs --cache 100",
    "--search bfs --cache 100 --serial",
    "--search bfs --cache 100 --hub",
    "--non-progress",
    "--non-progress --fair",
    "--check-independence",
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, model) in [("branches.pml", BRANCHES), ("endless.pml", ENDLESS), ("loops.pml", LOOPS)] {
        std::fs::write(folder.path().join(name), model).unwrap();
    }
    folder
}

fn run(folder: &Path, line: &str) -> Output {
    command(folder, line).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Does the process handle SIGTERM by now? Before, it would just end.
fn listens(child: &Child) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(caught.trim(), 16).is_ok_and(|signals| signals >> 14 & 1 == 1)
}

/// Starts a command and stops it with a signal when it is well under way.
fn stopped(folder: &Path, line: &str, signal: &str) -> Output {
    let mut child = command(folder, line).spawn().unwrap();
    while !listens(&child) {
        assert!(child.try_wait().unwrap().is_none(), "{line}: it has ended");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(20));
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

#[test]
fn a_block_that_branches_for_ever_comes_to_an_end() {
    let folder = folder();
    assert_eq!(run(folder.path(), "check branches.pml").status.code(), Some(0));
    let bounded = run(folder.path(), "check branches.pml --max-depth 100");
    assert_eq!(bounded.status.code(), Some(3));
    assert!(said(&bounded).starts_with("incomplete: paths were cut off at depth 100"), "{}", said(&bounded));
    assert!(said(&run(folder.path(), "stats branches.pml")).contains("states            1\n"));
}

/// What is behind a wide block is found, also close to the bound on the depth.
#[test]
fn nothing_is_lost_behind_a_block_that_branches_for_ever() {
    let folder = folder();
    let model = "byte g, n; active proctype P() {
        atomic { do :: g = 1 - g :: n < 20 -> n++ :: g == 1 && n == 20 -> break od }; assert(false) }";
    std::fs::write(folder.path().join("way_out.pml"), model).unwrap();
    for mode in [
        "",
        "--search bfs",
        "--sleep",
        "--por",
        "--max-depth 60",
        "--search bfs --max-depth 60",
        "--workers 2",
        "--workers 2 --max-depth 60",
    ] {
        let output = run(folder.path(), &format!("check way_out.pml --no-trail {mode}"));
        assert_eq!(output.status.code(), Some(1), "{mode}: {}", said(&output));
    }
}

#[test]
fn signals_reach_every_search_inside_a_block() {
    let folder = folder();
    for (number, mode) in MODES.into_iter().enumerate() {
        let signal = if number % 2 == 0 { "-TERM" } else { "-INT" };
        let output = stopped(folder.path(), &format!("check endless.pml --no-trail {mode}"), signal);
        assert_eq!(output.status.code(), Some(3), "{mode}");
        assert!(said(&output).starts_with("incomplete: interrupted\n"), "{mode}: {}", said(&output));
    }
    assert_eq!(stopped(folder.path(), "stats endless.pml", "-TERM").status.code(), Some(3));
    assert_eq!(stopped(folder.path(), "compare endless.pml --out out", "-INT").status.code(), Some(3));
}

#[test]
fn budgets_hold_inside_a_block() {
    let folder = folder();
    for mode in MODES {
        let output = run(folder.path(), &format!("check endless.pml --no-trail --memory 12M {mode}"));
        assert_eq!(output.status.code(), Some(3), "{mode}");
        assert!(said(&output).starts_with("incomplete: the memory budget is used up"), "{mode}: {}", said(&output));
        let output = run(folder.path(), &format!("check endless.pml --no-trail --time 0.02 {mode}"));
        assert_eq!(output.status.code(), Some(3), "{mode}");
        assert!(
            said(&output).starts_with("incomplete: the time budget of 0.02 s is used up"),
            "{mode}: {}",
            said(&output)
        );
    }
    assert_eq!(run(folder.path(), "stats endless.pml --memory 12M").status.code(), Some(3));
    let output = run(folder.path(), "compare endless.pml --out out --time-per-run 0.02s --time 0.1s");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
}

/// With this many processes one persistent set takes a good part of a second.
/// A step may take as long as thousands of others: whoever looks at budgets and signals looks behind each of them. (Workers look by the clock.)
#[test]
fn long_steps_are_looked_behind() {
    let model = common::model_of(
        "byte x; int k; active proctype P() { do :: x < 20 -> x++; d_step { do :: k < 200000 -> k++ :: else -> break od; k = 0 } :: else -> break od }",
    );
    let reduced = common::reduced(Techniques::default());
    for search in [reduced, common::breadth_first(None)] {
        let interrupt = AtomicBool::new(false);
        let looks = Cell::new(0);
        let mut monitor = Monitor::silent(&interrupt);
        monitor.progress = Box::new(|_| looks.set(looks.get() + 1));
        let outcome = Plan { search: search.clone(), ..Plan::default() }.execute(&model, &mut monitor);
        drop(monitor);
        assert_eq!(outcome.counts.matched, 0, "{search:?}");
        assert!(looks.get() >= 20, "{search:?}: {} looks", looks.get());
    }
}

#[test]
fn a_search_of_hundreds_of_processes_hears_signals() {
    let folder = folder();
    let model = "byte g; chan c = [4] of { byte };
        active [254] proctype P() { byte x; do :: c!_pid :: c?x :: g = x :: atomic { g > 3 -> g = 0 } :: x = g; x++ od }";
    std::fs::write(folder.path().join("many.pml"), model).unwrap();
    for mode in ["--por", "--por --sleep", "--search bfs --por"] {
        let output = stopped(folder.path(), &format!("check many.pml --no-trail {mode}"), "-TERM");
        assert!(said(&output).starts_with("incomplete: interrupted\n"), "{mode}: {}", said(&output));
    }
}

/// The budget is for all properties together, and every one of them is in the report.
#[test]
fn time_is_for_the_whole_run() {
    let folder = folder();
    let model = format!("{ENDLESS} ltl a {{ [] (g < 2) }} ltl b {{ <> (g == 1) }}");
    std::fs::write(folder.path().join("two.pml"), model).unwrap();
    let output = run(folder.path(), "check two.pml --no-trail --json --time 0.02");
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["search"]["time"], 0.02);
    let verdicts: Vec<_> = report["properties"].as_array().unwrap().iter().map(|one| one["verdict"].clone()).collect();
    assert_eq!(verdicts, ["incomplete", "incomplete"]);
    assert!(report["reason"].as_str().unwrap().contains("time budget"), "{report}");
    // what ends in time says what it would say without
    assert_eq!(run(folder.path(), "check loops.pml --time 1h").status.code(), Some(0));
    assert_eq!(run(folder.path(), "check loops.pml --time 0").status.code(), Some(2));
}

/// A search that ran out of time can go on, with a budget of its own.
#[test]
fn time_that_is_over_leaves_a_checkpoint() {
    let folder = folder();
    let model = "active [3] proctype P() { byte i; end: do :: i < 12 -> i++ :: i > 0 -> i-- od }";
    std::fs::write(folder.path().join("m.pml"), model).unwrap();
    let whole = run(folder.path(), "check m.pml --search bfs --json");
    let whole: serde_json::Value = serde_json::from_slice(&whole.stdout).unwrap();
    let first = run(folder.path(), "check m.pml --search bfs --checkpoint c --time 0.000001");
    assert_eq!(first.status.code(), Some(3), "{}", said(&first));
    let second = run(folder.path(), "resume c --json");
    assert_eq!(second.status.code(), Some(0), "{}", said(&second));
    let report: serde_json::Value = serde_json::from_slice(&second.stdout).unwrap();
    assert_eq!((&report["states"], &report["transitions"]), (&whole["states"], &whole["transitions"]));
}

#[test]
fn a_result_that_cannot_be_written_is_an_error() {
    let folder = folder();
    run(folder.path(), "check loops.pml --max-depth 1 --no-trail");
    std::fs::write(folder.path().join("wrong.pml"), "active proctype P() { assert(false) }").unwrap();
    run(folder.path(), "check wrong.pml");
    let lines = [
        "check loops.pml",
        "check loops.pml --json",
        "check wrong.pml",
        "simulate loops.pml --steps 10",
        "simulate loops.pml --interactive",
        "replay wrong.pml wrong.pml.trail.json",
        "compare loops.pml --out out --figure searches",
        "stats loops.pml",
        "graph loops.pml",
        "fmt loops.pml",
        "fmt loops.pml --expand",
        "ltl p",
    ];
    for line in lines {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(folder.path(), line).stdout(full).stdin(Stdio::null()).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {message}");
        assert!(message.contains("error: the output cannot be written: No space left on device"), "{line}: {message}");
        // A reader that has gone is another matter.
        let mut child = command(folder.path(), line).stdin(Stdio::null()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(0 | 1)) && !message.contains("error"), "{line}: {message}");
    }
}

/// With few addresses to be had (`ulimit -v`) a search ends with an answer or says what was missing; it is never aborted.
#[test]
fn a_limit_on_addresses_is_a_budget() {
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/mulog3.pml");
    for kilobytes in [56_000, 58_000, 60_000, 62_000, 90_000, 120_000, 200_000, 280_000, 300_000] {
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" check \"$1\" --no-trail --no-bar");
        let done = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_pv"), model])
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(matches!(done.status.code(), Some(0 | 2 | 3)), "{kilobytes}: {:?} {said}", done.status);
    }
}

/// What workers keep free for records that are still to come is not taken from those who cannot be refused.
#[test]
fn workers_leave_addresses_to_others() {
    let folder = folder();
    let model = "bool b[15]; byte c; byte f;\nactive proctype M() { byte i; do\n\
                 :: atomic { c < 15 -> if :: b[c] = 0 :: b[c] = 1 fi; c++ }\n\
                 :: atomic { c == 15 -> select(f : 1..13); c++ }\n\
                 :: c > 15 -> break\nod }\n";
    std::fs::write(folder.path().join("wide.pml"), model).unwrap();
    for kilobytes in (92_000..=128_000).step_by(4_000) {
        let line = "check wide.pml --full --workers 1 --store compact --bits 40 --slots 600k --no-trail --no-bar";
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" {line}");
        let done = std::process::Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_pv")])
            .current_dir(folder.path())
            .output()
            .expect("a shell");
        assert!(matches!(done.status.code(), Some(0 | 2 | 3)), "{kilobytes}: {:?} {}", done.status, said(&done));
    }
}

/// Workers that run out of memory with signatures go on with more of it: the table is as large as it was.
#[test]
fn signatures_of_workers_go_on_with_more_memory() {
    let folder = folder();
    // The states are so long that those of two levels take the memory before the table is full.
    let model = "active [3] proctype P() { byte i; int wide[20]; end: do :: i < 39 -> i++; wide[0] = i :: i > 0 -> i--; wide[1] = i od }\n";
    std::fs::write(folder.path().join("walks.pml"), model).unwrap();
    let stopped =
        run(folder.path(), "check walks.pml --full --workers 2 --store compact --memory 1M --checkpoint c --json");
    assert_eq!(stopped.status.code(), Some(3), "{}", said(&stopped));
    let resumed = run(folder.path(), "resume c --memory 64M --json");
    let told: serde_json::Value = serde_json::from_slice(&resumed.stdout).unwrap();
    let stored = |told: &serde_json::Value| told["states"]["stored"].as_u64().unwrap();
    let first: serde_json::Value = serde_json::from_slice(&stopped.stdout).unwrap();
    assert!(stored(&told) > stored(&first), "{told}");
}
