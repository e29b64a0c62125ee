//! What is left when a search is interrupted, killed, or runs out of disk: a checkpoint where one was asked for, a message,
//! the right exit code, and no other file.

#![cfg(unix)]

mod common;

use common::command;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::time::Duration;

const PV: &str = env!("CARGO_BIN_EXE_pv");

/// So many states that no search comes to its end before it is stopped.
const LARGE: &str = "active [5] proctype P() { byte i; end: do :: i < 200 -> i++ :: i > 0 -> i-- od }\n";
const SMALL: &str = "active [2] proctype P() { byte i; end: do :: i < 9 -> i++ :: i > 0 -> i-- od }\n";

/// A folder with the models, a folder `work` and a folder `kept` for the checkpoint.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("large.pml"), LARGE).unwrap();
    std::fs::write(folder.path().join("small.pml"), SMALL).unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    std::fs::create_dir(folder.path().join("kept")).unwrap();
    folder
}

fn run(folder: &Path, line: &str) -> Output {
    command(folder, line).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Waits for something that the search does.
fn wait_until(child: &mut Child, mut done: impl FnMut() -> bool) {
    while !done() {
        assert!(child.try_wait().unwrap().is_none(), "the search has ended");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn folders_of_killed_searches_are_removed_by_the_next_one() {
    let folder = folder();
    let work = folder.path().join("work");
    let start = || {
        let mut child = command(folder.path(), "check large.pml --search bfs --disk --memory 16M --work-dir work");
        child.spawn().unwrap()
    };
    let mut killed = start();
    // The folder may come and go between two looks.
    let filled = || {
        let has_files = |name: &String| names(&work.join(name)).iter().any(|file| file.starts_with("visited"));
        names(&work).iter().filter(|name| has_files(name)).count()
    };
    wait_until(&mut killed, || filled() == 1);
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(names(&work).len(), 1);
    let lost = names(&work);

    let mut living = start();
    wait_until(&mut living, || filled() == 1 && names(&work) != lost);
    let in_use = names(&work);
    assert!(in_use.len() == 1 && in_use != lost);
    let output = run(folder.path(), "check small.pml --search bfs --disk --work-dir work");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(names(&work), in_use, "what is in use stays");
    send(&living, "-TERM");
    assert_eq!(living.wait().unwrap().code(), Some(3));
    assert!(names(&work).is_empty());
}

/// `pv resume` needs no folder of its own here, and cleans up all the same; half a checkpoint goes, too.
#[test]
fn resuming_removes_what_the_killed_search_left() {
    let folder = folder();
    let (work, kept) = (folder.path().join("work"), folder.path().join("kept"));
    let line = "check large.pml --search bfs --disk --store exact --work-dir work \
                --checkpoint kept/c --checkpoint-every 0.01";
    let mut killed = command(folder.path(), line).spawn().unwrap();
    wait_until(&mut killed, || kept.join("c").exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    std::fs::write(kept.join("c.tmp-0aBcD9"), "half").unwrap();
    std::fs::write(kept.join("c.tmp"), "the user's own").unwrap();
    assert_eq!(names(&work).len(), 1);
    // It writes checkpoints as the first one did: from the next one on it is certainly searching.
    let written = || std::fs::metadata(kept.join("c")).unwrap().modified().unwrap();
    let before = written();
    let mut resumed = command(folder.path(), "resume kept/c --store exact --memory 1G").spawn().unwrap();
    wait_until(&mut resumed, || written() != before);
    assert!(names(&work).is_empty());
    send(&resumed, "-INT");
    let output = resumed.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).lines().last(), Some("go on: pv resume kept/c"));
    assert_eq!(names(&kept), ["c", "c.tmp"]);
}

#[test]
fn every_mode_leaves_its_checkpoint_when_it_is_interrupted() {
    let modes = [
        "",
        "--memory 1G",
        "--cache 20k --work-dir work",
        "--cache 20k --hub --work-dir work",
        "--cache 20k --store compact --memory 1G",
        "--disk --memory 32M --work-dir work",
        "--disk --store exact --memory 32M --work-dir work",
        "--serial --cache 5k --work-dir work",
        "--store compact --slots 100M --work-dir work",
        "--store bloom --memory 64M --work-dir work",
    ];
    for (number, mode) in modes.into_iter().enumerate() {
        let folder = folder();
        let (work, kept) = (folder.path().join("work"), folder.path().join("kept"));
        let line = format!(
            "check large.pml --search bfs --max-collision-rate 1 {mode} --json --checkpoint kept/c --checkpoint-every 0.05"
        );
        let gives_up = mode.contains("--cache") && !mode.contains("--serial");
        let line = if gives_up { line } else { line.replace("--max-collision-rate 1", "") };
        let mut child = command(folder.path(), &line).spawn().unwrap();
        wait_until(&mut child, || kept.join("c").exists());
        send(&child, if number % 2 == 0 { "-INT" } else { "-TERM" });
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{mode}: {}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["verdict"], "incomplete", "{mode}");
        assert_eq!(report["reason"], "interrupted", "{mode}");
        assert_eq!(report["checkpoint"], "kept/c", "{mode}");
        assert_eq!(names(&kept), ["c"], "{mode}");
        assert!(names(&work).is_empty(), "{mode}");
    }
}

/// Signals are caught before the first thing is done to a folder. Much to clean up keeps pv at that for a while.
#[test]
fn an_interrupt_before_the_search_begins_is_answered() {
    const LEFT: usize = 3000;
    let folder = folder();
    let work = folder.path().join("work");
    for number in 0..LEFT {
        let left = work.join(format!("pv-{number:06}"));
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("lock"), "").unwrap();
    }
    let line = "check large.pml --search bfs --disk --work-dir work --json --checkpoint kept/c";
    let mut child = command(folder.path(), line).spawn().unwrap();
    wait_until(&mut child, || names(&work).len() < LEFT);
    send(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["reason"], "interrupted");
    assert_eq!((names(&work).len(), names(&folder.path().join("kept"))), (0, vec!["c".to_string()]));
}

/// `ulimit -f` is a small disk that needs no rights: writing beyond it fails.
#[test]
fn a_full_disk_is_an_error_with_a_message() {
    for mode in ["--disk --memory 16M", "--disk --store exact --memory 16M", "--serial --cache 5k --memory 16M"] {
        let folder = folder();
        let (work, kept) = (folder.path().join("work"), folder.path().join("kept"));
        // In units of 512 or 1024 bytes.
        let script = format!(
            "ulimit -f 2000; exec \"$0\" check large.pml --search bfs {mode} --work-dir work --json \
             --checkpoint kept/c --checkpoint-every 0.01"
        );
        let output = Command::new("sh").args(["-c", &script, PV]).current_dir(folder.path()).output().unwrap();
        let report: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{:?}", output.status));
        assert_eq!(output.status.code(), Some(3), "{mode}");
        assert_eq!(report["verdict"], "incomplete", "{mode}");
        let reason = report["reason"].as_str().unwrap();
        assert!(reason.contains("cannot write") && reason.contains("too large"), "{mode}: {reason}");
        assert!(names(&work).is_empty(), "{mode}: {:?}", names(&work));
        // The last checkpoint that was completed is still there, and told.
        assert!(names(&kept).is_empty() || names(&kept) == ["c"], "{mode}: {:?}", names(&kept));
        assert_eq!(report["checkpoint"].as_str().is_some(), kept.join("c").exists(), "{mode}");
    }
}

/// Known before the search begins: the command line is wrong.
#[test]
fn folders_that_cannot_be_written_to_are_refused_at_once() {
    let folder = folder();
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
    for (line, named) in [
        ("check large.pml --search bfs --disk --work-dir no/such", "no/such"),
        ("check large.pml --search bfs --disk --work-dir small.pml", "small.pml"),
        ("check large.pml --search bfs --checkpoint no/such/c", "no/such"),
        ("check large.pml --search bfs --checkpoint work", "work"),
        ("check large.pml --search bfs --checkpoint small.pml", "small.pml"),
        ("check large.pml --search bfs --checkpoint pipe", "pipe"),
        ("resume no/such/c", "no/such/c"),
        ("resume pipe", "pipe"),
    ] {
        let output = run(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(named), "{line}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
    assert_eq!(names(folder.path()), ["kept", "large.pml", "pipe", "small.pml", "work"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("small.pml")).unwrap(), SMALL);
}

/// `timeout` sends its signal to the process and to the group of the process.
#[test]
fn a_signal_that_comes_twice_is_one() {
    let folder = folder();
    let line = "check large.pml --search bfs --disk --store exact --work-dir work --json --checkpoint kept/c";
    let mut child = command(folder.path(), line).spawn().unwrap();
    let work = folder.path().join("work");
    wait_until(&mut child, || names(&work).iter().any(|name| names(&work.join(name)).len() > 2));
    let twice = format!("kill -INT {0}; kill -INT {0}", child.id());
    assert!(Command::new("sh").args(["-c", &twice]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert_eq!((names(&work).len(), names(&folder.path().join("kept"))), (0, vec!["c".to_string()]));
}

/// A search that was to go on after errors and could not says so, and how to go on.
#[test]
fn errors_found_do_not_hide_that_the_search_was_stopped() {
    let folder = folder();
    let wrong = "active [5] proctype P() { byte i; end: do :: i < 200 -> i++; assert(i != 3) :: i > 0 -> i-- od }\n";
    std::fs::write(folder.path().join("wrong.pml"), wrong).unwrap();
    let line = "check wrong.pml --search bfs --all-errors --json --no-trail --checkpoint kept/c --memory 20M";
    let output = run(folder.path(), line);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["verdict"], &report["checkpoint"]), (&"violated".into(), &"kept/c".into()));
    let note = report["notes"][0].as_str().unwrap();
    assert!(note.starts_with("the search did not come to its end: the memory budget is used up"), "{note}");
    assert!(note.contains("of 20.0 MiB"), "{note}");
    assert!(report.get("unreached").is_none());

    // The cache finds errors long before the disk is needed, and full.
    let script = "ulimit -f 200; exec \"$0\" check wrong.pml --search bfs --all-errors --json --no-trail \
                  --serial --cache 15k --work-dir work";
    let output = Command::new("sh").args(["-c", script, PV]).current_dir(folder.path()).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["verdict"], "violated");
    assert!(report["error_count"].as_u64() > Some(0) && report["states"]["stored"].as_u64() > Some(1_000));
    assert!(report["notes"][0].as_str().unwrap().contains("cannot write"), "{report}");
}

/// The checkpoint is where it is, not where it was; its model and folders are where they were.
#[test]
fn a_checkpoint_can_be_moved_and_resumed_from_elsewhere() {
    let folder = folder();
    let whole: serde_json::Value =
        serde_json::from_slice(&run(folder.path(), "check small.pml --search bfs --json").stdout).unwrap();
    let line = "check small.pml --search bfs --cache 20 --max-collision-rate 0.3 --work-dir work --checkpoint kept/c";
    assert_eq!(run(folder.path(), line).status.code(), Some(3));
    let kept = folder.path().join("kept");
    std::fs::rename(kept.join("c"), kept.join("d")).unwrap();
    let output = run(&kept, "resume d --disk --store exact --memory 16M --json");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["states"]["stored"].as_u64() >= whole["states"]["stored"].as_u64());
    // Interrupted again, it goes on in the file that was named.
    assert_eq!(run(&kept, "resume d --cache 20 --max-collision-rate 0.3").status.code(), Some(3));
    assert_eq!((names(&kept), names(&folder.path().join("work")).len()), (vec!["d".to_string()], 0));
}

/// The path to an error is rebuilt by counting arrivals, so every look at a long block must come to the same ones; and what
/// such a block takes is counted.
#[test]
fn long_blocks() {
    let folder = folder();
    let long = "byte v, w; int x;
        active proctype A() {
            if :: v = 1 :: v = 2 fi;
            atomic { x = 0;
                if
                :: true -> v = 0; do :: x < 6000 -> x++ :: x == 6000 -> break od; if :: w = 1 :: w = 2 :: w = 3 fi
                :: v == 2 -> w = 9
                fi;
                x = 0 };
            skip; assert(w != 9)
        }";
    std::fs::write(folder.path().join("long.pml"), long).unwrap();
    for mode in ["", "--cache 100", "--disk", "--disk --store exact", "--serial --cache 100", "--store compact"] {
        let found = run(folder.path(), &format!("check long.pml --search bfs {mode} --trail t"));
        assert_eq!(found.status.code(), Some(1), "{mode}: {}", text(&found.stderr));
        let replayed = text(&run(folder.path(), "replay long.pml t").stdout);
        assert!(replayed.contains("  v = 2\n  w = 9\n"), "{mode}: {replayed}");
    }
    let wide = "int x, m; byte k; active proctype A() { do
        :: atomic { x = 0; do :: x < 5000 -> x++ :: x >= 10 -> break od; k = (k + 1) % 7; m = x } od }";
    std::fs::write(folder.path().join("wide.pml"), wide).unwrap();
    let output = run(folder.path(), "check wide.pml --search bfs --disk --memory 9M");
    assert!(text(&output.stdout).starts_with("incomplete: the memory budget is used up"), "{}", text(&output.stdout));
}

#[test]
fn a_work_folder_that_vanishes_is_an_error_with_a_message() {
    let folder = folder();
    let work = folder.path().join("work");
    let line = "check large.pml --search bfs --disk --store exact --memory 16M --work-dir work";
    let mut child = command(folder.path(), line).spawn().unwrap();
    wait_until(&mut child, || names(&work).iter().any(|name| names(&work.join(name)).len() > 2));
    std::fs::remove_dir_all(&work).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.starts_with("incomplete: a file could not be read or written: cannot "), "{said}");
}

/// A table of fixed size is full: a message, no checkpoint that nothing could go on from.
#[test]
fn a_full_table_is_incomplete() {
    let folder = folder();
    let output =
        run(folder.path(), "check large.pml --search bfs --store compact --slots 20k --checkpoint kept/c --json");
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["reason"].as_str().is_some_and(|reason| reason.contains("table is full")), "{report}");
    assert!(report.get("checkpoint").is_none() && names(&folder.path().join("kept")).is_empty());
}

/// A checkpoint that is due and cannot be written is no reason to lose the work: it is told, and the next one may do.
#[test]
fn a_search_outlives_checkpoints_that_cannot_be_written() {
    let folder = folder();
    let kept = folder.path().join("kept");
    let line = "check large.pml --search bfs --memory 1G --json --checkpoint kept/c --checkpoint-every 0.01";
    let mut child = command(folder.path(), line).spawn().unwrap();
    wait_until(&mut child, || kept.join("c").exists());
    std::fs::rename(&kept, folder.path().join("gone")).unwrap();
    let mut warning = String::new();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut stderr, &mut warning).unwrap();
    assert!(warning.contains("kept") && warning.ends_with("the search goes on\n"), "{warning}");
    std::fs::create_dir(&kept).unwrap();
    wait_until(&mut child, || kept.join("c").exists());
    send(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &report["reason"]), (Some(3), &"interrupted".into()));
    assert!(report.get("notes").is_none(), "{report}");
    assert_eq!(names(&kept), ["c"]);
}

/// A budget that is too small, a cache that forgets too much: the search can go on in another mode.
#[test]
fn what_gave_up_can_go_on() {
    for mode in ["--memory 20M", "--cache 2k --max-collision-rate 0.5"] {
        let folder = folder();
        let line = format!("check large.pml --search bfs {mode} --checkpoint kept/c --json");
        let output = run(folder.path(), &line);
        assert_eq!(output.status.code(), Some(3), "{mode}: {}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["checkpoint"], "kept/c", "{mode}: {}", report["reason"]);
        let mut child =
            command(folder.path(), "resume kept/c --disk --work-dir work --memory 32M --json").spawn().unwrap();
        wait_until(&mut child, || !names(&folder.path().join("work")).is_empty());
        send(&child, "-INT");
        let output = child.wait_with_output().unwrap();
        let resumed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(resumed["states"]["stored"].as_u64() >= report["states"]["stored"].as_u64(), "{mode}");
    }
}
