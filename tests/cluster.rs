//! Searches over several processes from outside: what they print, how they end, and what happens when one is missing, killed, stopped,
//! or does not belong to the others. All traffic is on loopback, and the system chooses the ports.

#![cfg(all(unix, feature = "cluster"))]

mod common;

use common::command;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// So many states that no search comes to its end before it is stopped.
const LARGE: &str = "active [5] proctype P() { byte i; end: do :: i < 200 -> i++ :: i > 0 -> i-- od }\n";
/// 389,017 states.
const MIDDLE: &str = "active [3] proctype P() { byte i; end: do :: i < 24 -> i++ :: i > 0 -> i-- od }\n";
const SMALL: &str = "active [3] proctype P() { byte i; end: do :: i < 9 -> i++ :: i > 0 -> i-- od }\n";
const WRONG: &str = "byte x; active [3] proctype P() { do :: x < 20 -> x++ :: x > 3 -> assert(x != 17); x-- od }\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("large.pml", LARGE), ("middle.pml", MIDDLE), ("small.pml", SMALL), ("wrong.pml", WRONG)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::write(folder.path().join("token"), "a secret that is long enough\n").unwrap();
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn run(folder: &Path, line: &str) -> Output {
    command(folder, line).output().unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}\n{}", text(&output.stdout), text(&output.stderr)))
}

/// A port that nobody listens on, just now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A file of hosts for so many processes; only the first has a port that is chosen here.
fn hosts(folder: &Path, count: usize) -> u16 {
    let port = free_port();
    let lines: String =
        (0..count).map(|n| if n == 0 { format!("127.0.0.1:{port}\n") } else { "127.0.0.1:0\n".into() }).collect();
    std::fs::write(folder.join("hosts"), lines).unwrap();
    port
}

fn start(folder: &Path, line: &str) -> Child {
    command(folder, line).spawn().unwrap()
}

/// Starts processes with these options in addition, one for each.
fn start_all(folder: &Path, line: &str, each: &[&str]) -> Vec<Child> {
    hosts(folder, each.len());
    let starts = each.iter().enumerate();
    starts.map(|(n, own)| start(folder, &format!("check {line} --hosts hosts --process {n} {own}"))).collect()
}

fn ends(children: Vec<Child>) -> Vec<Output> {
    children.into_iter().map(|child| child.wait_with_output().unwrap()).collect()
}

/// Two folders that know of each other, as two machines would.
fn two_machines() -> [tempfile::TempDir; 2] {
    let folders = [folder(), folder()];
    hosts(folders[0].path(), 2);
    std::fs::copy(folders[0].path().join("hosts"), folders[1].path().join("hosts")).unwrap();
    folders
}

/// The same command in both, each with its own number.
fn on_both(folders: &[tempfile::TempDir; 2], line: &str) -> Vec<Output> {
    let starts = folders.iter().enumerate();
    ends(starts.map(|(n, folder)| start(folder.path(), &format!("{line} --process {n}"))).collect())
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

/// What the processes that are left print when one is gone: the first of all one object, which says so, the others nothing.
fn tells_the_end(output: &Output, reports: bool) -> bool {
    match reports {
        false => output.stdout.is_empty(),
        true => json(output)["verdict"] == "not-checked" && json(output)["exit_code"] == 4,
    }
}

/// The parts of a report that do not depend on the number of processes.
fn figures(report: &Value) -> Value {
    let mut figures = serde_json::Map::new();
    for key in ["verdict", "transitions", "atomic_steps", "depth", "error_count", "unreached"] {
        figures.insert(key.into(), report[key].clone());
    }
    for key in ["stored", "matched", "vector_bytes"] {
        figures.insert(key.into(), report["states"][key].clone());
    }
    figures.into()
}

#[test]
fn one_report_with_the_counts_of_one_process() {
    let folder = folder();
    for (model, options) in [
        ("small.pml", ""),
        ("small.pml", "--store compact --bits 60 --memory 64M"),
        ("small.pml", "--disk"),
        ("wrong.pml", "--all-errors"),
    ] {
        let alone = run(folder.path(), &format!("check {model} --search bfs --json --no-trail {options}"));
        for count in [1, 2, 3] {
            let output = run(folder.path(), &format!("check {model} --json --no-trail --processes {count} {options}"));
            assert_eq!(code(&output), code(&alone), "{}", text(&output.stderr));
            let (report, expected) = (json(&output), json(&alone));
            assert_eq!(figures(&report), figures(&expected), "{model} {options}: {count}");
            assert_eq!(report["search"]["processes"], count);
        }
    }
}

#[test]
fn the_error_is_that_of_one_process_and_replays() {
    let folder = folder();
    let alone = run(folder.path(), "check wrong.pml --search bfs --json --trail alone.json");
    let output = run(folder.path(), "check wrong.pml --processes 3 --json --trail trail.json");
    assert_eq!((code(&alone), code(&output)), (Some(1), Some(1)), "{}", text(&output.stderr));
    let (one, other) = (&json(&alone)["errors"][0], &json(&output)["errors"][0]);
    for key in ["kind", "message", "line", "depth"] {
        assert_eq!(one[key], other[key]);
    }
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("alone.json"), read("trail.json"));
    let replay = run(folder.path(), "replay wrong.pml trail.json");
    assert_eq!(code(&replay), Some(0), "{}", text(&replay.stderr));
    // Only process 0 writes.
    let trails = std::fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("trail"));
    assert_eq!(trails.count(), 1);
}

#[test]
fn processes_that_are_started_one_by_one_end_alike() {
    let folder = folder();
    for (model, expected) in [("small.pml", 0), ("wrong.pml", 1)] {
        let outputs = ends(start_all(folder.path(), &format!("{model} --search bfs --json --no-trail"), &["", "", ""]));
        for output in &outputs {
            assert_eq!(code(output), Some(expected), "{}", text(&output.stderr));
        }
        json(&outputs[0]);
        assert!(outputs[1..].iter().all(|output| output.stdout.is_empty()));
    }
}

#[test]
fn a_token_is_needed_for_other_machines_and_must_be_the_same() {
    let folder = folder();
    let outputs = ends(start_all(folder.path(), "small.pml", &["--token-file token", "--token-file token"]));
    assert!(outputs.iter().all(|output| code(output) == Some(0)), "{}", text(&outputs[0].stderr));
    std::fs::write(folder.path().join("other"), "another secret, long enough").unwrap();
    let outputs = ends(start_all(folder.path(), "small.pml", &["--token-file token", "--token-file other"]));
    for output in outputs {
        assert_eq!(code(&output), Some(2));
        assert!(text(&output.stderr).contains("another token"), "{}", text(&output.stderr));
    }
    let outputs = ends(start_all(folder.path(), "small.pml", &["--token-file token", ""]));
    for output in outputs {
        assert_eq!(code(&output), Some(2));
        assert!(text(&output.stderr).contains("token"), "{}", text(&output.stderr));
    }
    // An address that is not of this machine is refused before anything is sent.
    std::fs::write(folder.path().join("hosts"), "192.0.2.1:7000\n192.0.2.2:7000\n").unwrap();
    let output = run(folder.path(), "check small.pml --hosts hosts --process 0");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("--token-file"), "{}", text(&output.stderr));
    std::fs::write(folder.path().join("short"), "short").unwrap();
    let output = run(folder.path(), "check small.pml --hosts hosts --process 0 --token-file short");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("16 bytes"), "{}", text(&output.stderr));
}

#[test]
fn what_does_not_agree_is_named_by_both() {
    let folder = folder();
    for (options, expected) in [
        (["", "--seed 7"], "seed"),
        (["", "-DX"], "model"),
        (["--full", ""], "search"),
        (["--no-end-states", ""], "options"),
    ] {
        // The macro makes the model another one.
        std::fs::write(folder.path().join("m.pml"), format!("#ifdef X\nbyte x;\n#endif\n{SMALL}")).unwrap();
        for output in ends(start_all(folder.path(), "m.pml", &options)) {
            assert_eq!(code(&output), Some(2), "{}", text(&output.stderr));
            let said = text(&output.stderr);
            assert!(said.contains("does not go with this one") && said.contains(expected), "{said}");
        }
    }
}

/// Lines of standard error as they come, until one contains this.
fn until_said(child: &mut Child, what: &str) {
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut lines = lines.map(|line| line.unwrap());
    assert!(lines.any(|line| line.contains(what)), "{what}");
    // What comes later is read too, so that nobody waits for a full pipe.
    std::thread::spawn(move || lines.for_each(drop));
}

/// Connects as soon as somebody listens.
fn connect(port: u16) -> TcpStream {
    loop {
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
            return stream;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn strangers_on_the_port_are_dropped() {
    let folder = folder();
    let port = hosts(folder.path(), 2);
    let mut first = start(folder.path(), "check small.pml --hosts hosts --process 0");
    let mut strangers = Vec::new();
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 100], &[0xff; 3]] {
        let mut stranger = connect(port);
        stranger.write_all(bytes).unwrap();
        strangers.push(stranger);
    }
    until_said(&mut first, "dropped");
    let second = start(folder.path(), "check small.pml --hosts hosts --process 1");
    for output in ends(vec![first, second]) {
        assert_eq!(code(&output), Some(0));
    }
}

#[test]
fn another_protocol_ends_it() {
    let folder = folder();
    let port = hosts(folder.path(), 2);
    let first = start(folder.path(), "check small.pml --hosts hosts --process 0");
    let mut other = connect(port);
    other.write_all(b"pv-many\n\xff\xff\xff\x7f").unwrap();
    // It hears who it is talking to.
    let mut magic = [0; 8];
    other.read_exact(&mut magic).unwrap();
    assert_eq!(&magic, b"pv-many\n");
    let output = first.wait_with_output().unwrap();
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("another version of pv"), "{}", text(&output.stderr));
}

#[test]
fn a_port_that_is_taken_and_a_wrong_number_are_told() {
    let folder = folder();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    std::fs::write(folder.path().join("hosts"), format!("{}\n127.0.0.1:0\n", taken.local_addr().unwrap())).unwrap();
    let output = run(folder.path(), "check small.pml --hosts hosts --process 0");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("cannot listen"), "{}", text(&output.stderr));
    let output = run(folder.path(), "check small.pml --hosts hosts --process 2");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("--process 2"), "{}", text(&output.stderr));
    let output = run(folder.path(), "check small.pml --hosts nowhere --process 0");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("nowhere"), "{}", text(&output.stderr));
}

#[test]
fn those_that_do_not_come_are_waited_for_only_so_long() {
    let folder = folder();
    hosts(folder.path(), 3);
    let output = run(folder.path(), "check small.pml --hosts hosts --process 0 --connect-timeout 0.3");
    assert_eq!(code(&output), Some(4));
    assert!(text(&output.stderr).contains("process 1") && output.stdout.is_empty(), "{}", text(&output.stderr));
    let output = run(folder.path(), "check small.pml --hosts hosts --process 0 --connect-timeout 0.3 --json");
    assert!(code(&output) == Some(4) && tells_the_end(&output, true), "{}", text(&output.stdout));
    let output = run(folder.path(), "check small.pml --hosts hosts --process 1 --connect-timeout 0.3");
    assert_eq!(code(&output), Some(4));
    assert!(text(&output.stderr).contains("process 0"), "{}", text(&output.stderr));
    // Ctrl-C is answered.
    let waits = start(folder.path(), "check small.pml --hosts hosts --process 0");
    std::thread::sleep(Duration::from_millis(300));
    send(&waits, "-INT");
    let output = waits.wait_with_output().unwrap();
    assert!(matches!(code(&output), Some(3) | None), "{output:?}");
}

/// A search of three processes that has been going on for a while.
fn searching(folder: &Path, milliseconds: u64) -> Vec<Child> {
    let children = start_all(folder, "large.pml --json --no-trail --connect-timeout 3", &["", "", ""]);
    std::thread::sleep(Duration::from_millis(milliseconds));
    children
}

#[test]
fn one_that_is_killed_ends_all() {
    let folder = folder();
    // At any moment: while they come together, in the first levels, and later.
    for (victim, milliseconds) in [(0, 20), (1, 60), (2, 150), (0, 400), (1, 700), (2, 1500)] {
        let mut children = searching(folder.path(), milliseconds);
        send(&children[victim], "-KILL");
        let killed = children.remove(victim).wait_with_output().unwrap();
        assert_eq!(code(&killed), None);
        for (at, output) in ends(children).into_iter().enumerate() {
            assert_eq!(code(&output), Some(4), "{victim} {milliseconds}: {}", text(&output.stderr));
            let said = text(&output.stderr);
            // Who waits for the others to come may find that one of them has heard of the death already, and is gone as well.
            let named = said.contains(&format!("process {victim} ")) || said.contains(" did not come within ");
            assert!(named && tells_the_end(&output, at == 0 && victim > 0), "{said}");
            assert_eq!(said.lines().filter(|line| line.starts_with("error")).count(), 1, "{said}");
        }
    }
}

/// A failed assertion ends the first search of a property, and a second one passes it: who is gone then ends all, too.
#[test]
fn one_that_is_killed_behind_a_failed_assertion_ends_all() {
    let folder = folder();
    let model = format!(
        "byte x; active proctype A() {{ assert(x != 0) }}\n{LARGE}ltl a {{ [] (x < 5) }}\nltl b {{ [] (x < 6) }}\n"
    );
    std::fs::write(folder.path().join("both.pml"), model).unwrap();
    let mut children = start_all(folder.path(), "both.pml --no-trail --json", &["", "", ""]);
    std::thread::sleep(Duration::from_millis(3_000));
    let mut killed = children.pop().unwrap();
    send(&killed, "-KILL");
    killed.wait().unwrap();
    for (at, output) in ends(children).into_iter().enumerate() {
        assert_eq!(code(&output), Some(4), "{}{}", text(&output.stdout), text(&output.stderr));
        assert!(
            tells_the_end(&output, at == 0) && text(&output.stderr).contains("process 2"),
            "{}",
            text(&output.stderr)
        );
    }
}

/// Somebody who says one byte now and then is not waited for longer than somebody who says nothing.
#[test]
fn one_that_trickles_is_not_waited_for() {
    let folder = folder();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::fs::write(folder.path().join("hosts"), format!("127.0.0.1:{port}\n127.0.0.1:0\n")).unwrap();
    std::thread::spawn(move || {
        let mut streams = Vec::new();
        while let Ok((mut stream, _)) = listener.accept() {
            let _ = stream.write_all(b"pv-many\n\x01\0\0\0");
            streams.push(std::thread::spawn(move || {
                while stream.write_all(&[0]).is_ok() {
                    std::thread::sleep(Duration::from_millis(500));
                }
            }));
        }
    });
    let output = run(folder.path(), "check small.pml --hosts hosts --process 1 --connect-timeout 1");
    assert_eq!(code(&output), Some(4), "{}", text(&output.stderr));
}

#[test]
fn one_that_is_stopped_is_waited_for() {
    let folder = folder();
    // Some seconds of search, in any build; three places for each value of `i` but the last one, which has one.
    let most: u64 = if cfg!(debug_assertions) { 40 } else { 60 };
    let model = format!("active [3] proctype P() {{ byte i; end: do :: i < {most} -> i++ :: i > 0 -> i-- od }}\n");
    std::fs::write(folder.path().join("m.pml"), model).unwrap();
    let children = start_all(folder.path(), "m.pml --json --no-trail --full", &["", "", ""]);
    std::thread::sleep(Duration::from_millis(500));
    send(&children[1], "-STOP");
    std::thread::sleep(Duration::from_millis(8000));
    send(&children[1], "-CONT");
    let outputs = ends(children);
    assert!(outputs.iter().all(|output| code(output) == Some(0)), "{}", text(&outputs[0].stderr));
    let (alone, report) = (run(folder.path(), "check m.pml --search bfs --json --full"), json(&outputs[0]));
    assert_eq!(figures(&report), figures(&json(&alone)));
    let said = text(&outputs[0].stderr);
    assert!(
        said.contains("process 1") && said.contains("has been silent") && said.contains("is heard again"),
        "{said}"
    );
}

#[test]
fn an_interrupt_ends_all_and_is_reported() {
    let folder = folder();
    for victim in [0, 2] {
        let children = searching(folder.path(), 1500);
        send(&children[victim], "-INT");
        let outputs = ends(children);
        for output in &outputs {
            assert_eq!(code(output), Some(3), "{victim}: {}", text(&output.stderr));
        }
        let report = json(&outputs[0]);
        assert_eq!((&report["verdict"], &report["reason"]), (&"incomplete".into(), &"interrupted".into()));
    }
}

#[test]
fn budgets_are_of_each_process() {
    let folder = folder();
    let output = run(folder.path(), "check large.pml --processes 2 --json --memory 16M");
    assert_eq!(code(&output), Some(3), "{}", text(&output.stderr));
    assert!(json(&output)["reason"].as_str().unwrap().contains("memory"));
    let output = run(folder.path(), "check large.pml --processes 2 --json --time 1");
    assert_eq!(code(&output), Some(3), "{}", text(&output.stderr));
    assert!(json(&output)["reason"].as_str().unwrap().contains("time"));
}

#[test]
fn what_processes_cannot_share_is_refused_by_name() {
    let folder = folder();
    std::fs::write(
        folder.path().join("live.pml"),
        "byte x; active proctype P() { do :: x = 1 - x od } ltl p { []<> (x == 1) }\n",
    )
    .unwrap();
    for (line, expected) in [
        ("small.pml --processes 2 --search dfs", "--search dfs"),
        ("small.pml --processes 2 --por", "--por"),
        ("small.pml --processes 2 --cache 100", "--cache"),
        ("small.pml --hosts h", "--process"),
        ("live.pml --processes 2", "cycles"),
        ("- --processes 2", "standard input"),
    ] {
        let output = run(folder.path(), &format!("check {line}"));
        assert_eq!(code(&output), Some(2), "{line}");
        assert!(text(&output.stderr).contains(expected), "{line}: {}", text(&output.stderr));
    }
}

#[test]
fn several_properties_are_searched_one_after_the_other() {
    let folder = folder();
    let model = "byte x; active [2] proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }\nltl p { [] (x < 12) }\nltl q { [] (x != 7) }\n";
    std::fs::write(folder.path().join("m.pml"), model).unwrap();
    let alone = run(folder.path(), "check m.pml --search bfs --json --no-trail");
    let output = run(folder.path(), "check m.pml --processes 2 --json --no-trail");
    assert_eq!((code(&alone), code(&output)), (Some(1), Some(1)), "{}", text(&output.stderr));
    let verdicts = |report: Value| {
        report["properties"].as_array().map(|list| list.iter().map(|p| p["verdict"].clone()).collect::<Vec<_>>())
    };
    assert_eq!(verdicts(json(&alone)), verdicts(json(&output)));
}

/// Nothing is left behind in the system's folder for temporary files.
#[test]
fn nothing_is_left_behind() {
    let folder = folder();
    let temporary = folder.path().join("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let output = command(folder.path(), "check small.pml --processes 3 --disk --json")
        .env("TMPDIR", &temporary)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

/// A search that is stopped by its budget goes on with more of it, with the same number of processes and with others: nothing shows.
#[test]
fn a_stopped_search_goes_on_as_if_nobody_had_stopped_it() {
    let folder = folder();
    for (options, numbers, budget) in [
        ("", [3, 2, 4], "--memory 10M"),
        ("--store tree", [2, 3, 1], "--time 0.3"),
        ("--store compact --bits 60 --slots 500k", [2, 2, 2], "--time 0.3"),
        ("--disk --store exact", [3, 3, 3], "--time 0.3"),
    ] {
        let alone = json(&run(folder.path(), &format!("check middle.pml --search bfs --full --json {options}")));
        let line = format!("check middle.pml --full --json --checkpoint c --processes {} {options}", numbers[0]);
        let mut output = run(folder.path(), &format!("{line} {budget}"));
        let mut stops = 0;
        for number in &numbers[1..] {
            if code(&output) == Some(0) {
                break;
            }
            assert_eq!(code(&output), Some(3), "{options}: {}", text(&output.stderr));
            assert_eq!(json(&output)["checkpoint"], "c");
            stops += 1;
            let more = if stops == 1 && budget.contains("time") { budget } else { "--memory 1G" };
            output = run(folder.path(), &format!("resume c --json --processes {number} {more}"));
        }
        if code(&output) == Some(3) {
            output = run(folder.path(), "resume c --json");
        }
        assert!(stops > 0, "{options}");
        assert_eq!(code(&output), Some(0), "{options}: {}", text(&output.stderr));
        assert_eq!(figures(&json(&output)), figures(&alone), "{options}");
    }
}

/// The error behind an interruption has the path of a search by one process.
#[test]
fn the_path_leads_through_a_checkpoint() {
    let folder = folder();
    let model = "byte x; active [3] proctype P() { byte i; do :: i < 24 -> i++ :: i > 0 -> i-- :: i == 24 -> x++; assert(x != 3) od }\n";
    std::fs::write(folder.path().join("m.pml"), model).unwrap();
    let alone = run(folder.path(), "check m.pml --search bfs --full --trail alone.json");
    assert_eq!(code(&alone), Some(1), "{}", text(&alone.stderr));
    let output = run(folder.path(), "check m.pml --processes 3 --full --checkpoint c --memory 10M");
    assert_eq!(code(&output), Some(3), "{}{}", text(&output.stdout), text(&output.stderr));
    assert!(text(&output.stdout).contains("go on: pv resume c"), "{}", text(&output.stdout));
    for number in [2, 3] {
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.starts_with("c") {
                std::fs::copy(folder.path().join(&name), folder.path().join(name.replacen('c', "d", 1))).unwrap();
            }
        }
        let output = run(folder.path(), &format!("resume d --processes {number} --memory 1G"));
        assert_eq!(code(&output), Some(1), "{}", text(&output.stderr));
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("alone.json"), read("m.pml.trail.json"), "{number}");
        std::fs::remove_file(folder.path().join("m.pml.trail.json")).unwrap();
    }
}

/// Whoever is killed, and when: the others say how to go on, and nothing of the last checkpoint is lost.
#[test]
fn one_that_is_killed_loses_nothing_of_the_last_checkpoint() {
    let folder = folder();
    let alone = json(&run(folder.path(), "check middle.pml --search bfs --full --json"));
    let options = "--json --connect-timeout 20 --checkpoint-every 0.05";
    let mut line = format!("check middle.pml --full --checkpoint c {options}");
    for (victim, milliseconds) in [(0, 250), (1, 350), (2, 150), (1, 450), (0, 300)] {
        hosts(folder.path(), 3);
        let starts = (0..3).map(|n| start(folder.path(), &format!("{line} --hosts hosts --process {n}")));
        let mut children: Vec<Child> = starts.collect();
        std::thread::sleep(Duration::from_millis(milliseconds));
        send(&children[victim], "-KILL");
        let killed = children.remove(victim).wait_with_output().unwrap();
        let there = folder.path().join("c").exists();
        for (at, output) in ends(children).into_iter().enumerate() {
            // It may have come to its end before, all but what it had to say; or it had said all that the others needed.
            if code(&killed).is_some() || code(&output) == Some(0) {
                assert!(at > 0 || output.stdout.is_empty() || figures(&json(&output)) == figures(&alone));
                continue;
            }
            let said = text(&output.stderr);
            assert_eq!(code(&output), Some(4), "{victim} {milliseconds}: {said}");
            assert!(said.contains(&format!("process {victim} ")), "{said}");
            assert!(tells_the_end(&output, at == 0 && victim > 0), "{}", text(&output.stdout));
            assert!(said.contains("pv resume c --process I") || said.contains("the same commands"), "{said}");
        }
        if there {
            line = format!("resume c {options}");
        }
    }
    assert!(line.starts_with("resume"));
    hosts(folder.path(), 2);
    let starts = (0..2).map(|n| start(folder.path(), &format!("resume c --json --hosts hosts --process {n}")));
    let outputs = ends(starts.collect());
    assert!(outputs.iter().all(|output| code(output) == Some(0)), "{}", text(&outputs[0].stderr));
    assert_eq!(figures(&json(&outputs[0])), figures(&alone));
}

/// Each machine has its own part alone; the options of the command that has written it are in it.
#[test]
fn each_machine_has_its_own_part() {
    let folders = two_machines();
    let begin = |line: &str| on_both(&folders, line);
    let outputs = begin("check middle.pml --full --checkpoint c --hosts hosts --token-file token --memory 11M --json");
    assert!(outputs.iter().all(|output| code(output) == Some(3)), "{}", text(&outputs[0].stderr));
    let notes = json(&outputs[0])["notes"].to_string();
    assert!(notes.contains("pv resume c --process I"), "{notes}");
    let names = |folder: &Path| {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('c')).collect::<Vec<_>>()
    };
    assert_eq!((names(folders[0].path()), names(folders[1].path())), (vec!["c".into()], vec!["c.part1a".to_string()]));
    let outputs = begin("resume c --memory 1G --json");
    assert!(outputs.iter().all(|output| code(output) == Some(0)), "{}", text(&outputs[0].stderr));
    let alone = json(&run(folders[0].path(), "check middle.pml --search bfs --full --json"));
    assert_eq!(figures(&json(&outputs[0])), figures(&alone));
}

/// A search that is stopped in the level of an error says so: the error need not be the first of the level.
#[test]
fn a_stop_behind_an_error_is_told() {
    let folder = folder();
    // One level of 10,201 states, each with a hundred thousand steps behind it.
    let model = "byte x, y; int k; active proctype P() {
        atomic { do :: x < 100 -> x++ :: break od; do :: y < 100 -> y++ :: break od };
        d_step { do :: k < 100000 -> k++ :: else -> break od; k = 0; assert(x < 30) } }\n";
    std::fs::write(folder.path().join("m.pml"), model).unwrap();
    let output = run(folder.path(), "check m.pml --full --processes 2 --json --no-trail --time 2");
    let report = json(&output);
    assert_eq!(report["verdict"], "violated");
    assert!(report["notes"].to_string().contains("did not come to its end"), "{report}");
}

/// Two machines with two workers each are four processes, of which the first of each machine was started by hand.
#[test]
fn machines_have_workers() {
    let folder = folder();
    for (model, options) in
        [("small.pml", ""), ("wrong.pml", ""), ("small.pml", "--disk"), ("small.pml", "--store tree --memory 64M")]
    {
        let alone = run(folder.path(), &format!("check {model} --search bfs --json --trail alone.json {options}"));
        let line = format!("{model} --json --workers 2 --trail spread.json {options}");
        let outputs = ends(start_all(folder.path(), &line, &["", ""]));
        let said = text(&outputs[0].stderr) + &text(&outputs[1].stderr);
        assert_eq!([code(&outputs[0]), code(&outputs[1])], [code(&alone); 2], "{said}");
        assert!(outputs[1].stdout.is_empty());
        let (report, expected) = (json(&outputs[0]), json(&alone));
        assert_eq!(report["search"]["processes"], 4);
        if model == "wrong.pml" {
            let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
            assert_eq!(read("alone.json"), read("spread.json"));
        } else {
            assert_eq!(figures(&report), figures(&expected), "{options}");
        }
        let here = run(folder.path(), &format!("check --processes 3 --workers=2 {options} --json -- {model}"));
        assert_eq!(code(&here), code(&alone), "{}", text(&here.stderr));
        assert_eq!(json(&here)["search"]["processes"], 6);
    }
    let outputs = ends(start_all(folder.path(), "small.pml", &["--workers 2", "--workers 3"]));
    for output in outputs {
        assert_eq!(code(&output), Some(2));
        assert!(text(&output.stderr).contains("--workers"), "{}", text(&output.stderr));
    }
}

/// The budget is that of a machine, its workers have parts of the checkpoint beside its own, and any number of them goes on.
#[test]
fn workers_of_machines_stop_and_go_on() {
    let folders = two_machines();
    let begin = |line: &str| on_both(&folders, line);
    let line = "check middle.pml --full --checkpoint c --hosts hosts --workers 2 --memory 18M --json";
    let outputs = begin(line);
    assert!(outputs.iter().all(|output| code(output) == Some(3)), "{}", text(&outputs[0].stderr));
    let names = |folder: &Path| {
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.starts_with('c')).collect();
        names.sort();
        names
    };
    assert_eq!(names(folders[0].path()), ["c", "c.part2a"]);
    assert_eq!(names(folders[1].path()), ["c.part1a", "c.part3a"]);
    let alone = json(&run(folders[0].path(), "check middle.pml --search bfs --full --json"));
    for name in names(folders[1].path()) {
        std::fs::copy(folders[1].path().join(&name), folders[0].path().join(&name)).unwrap();
    }
    for name in names(folders[0].path()) {
        std::fs::copy(folders[0].path().join(&name), folders[0].path().join(name.replacen('c', "d", 1))).unwrap();
    }
    let outputs = begin("resume c --memory 1G --json");
    assert!(outputs.iter().all(|output| code(output) == Some(0)), "{}", text(&outputs[0].stderr));
    assert_eq!(figures(&json(&outputs[0])), figures(&alone));
    let fewer = run(folders[0].path(), "resume d --processes 1 --workers 3 --memory 1G --json");
    assert_eq!(code(&fewer), Some(0), "{}", text(&fewer.stderr));
    assert_eq!(json(&fewer)["search"]["processes"], 3);
    assert_eq!(figures(&json(&fewer)), figures(&alone));
}

/// A worker that is killed ends all, as a machine does.
#[test]
fn a_worker_that_is_killed_ends_all() {
    let folder = folder();
    let children = start_all(folder.path(), "large.pml", &["--workers 2", "--workers 2"]);
    let workers = |child: &Child| {
        let found = Command::new("ps").args(["-o", "pid=", "--ppid", &child.id().to_string()]).output().unwrap();
        text(&found.stdout).split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    let worker = loop {
        if let Some(worker) = workers(&children[1]).pop() {
            break worker;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    std::thread::sleep(Duration::from_millis(400));
    assert!(Command::new("kill").args(["-KILL", &worker]).status().unwrap().success());
    for output in ends(children) {
        assert_eq!(code(&output), Some(4), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("process 3 "), "{}", text(&output.stderr));
    }
}

/// Parts that do not belong together are refused by all, with a sentence that names the part.
#[test]
fn a_checkpoint_that_is_not_whole_is_refused() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    for name in ["c", "d"] {
        let line = format!("check middle.pml --processes 3 --full --checkpoint {name} --memory 10M");
        assert_eq!(code(&run(folder.path(), &line)), Some(3));
    }
    let refused = |line: &str, expected: &str| {
        let output = run(folder.path(), line);
        let said = text(&output.stderr);
        assert_eq!(code(&output), Some(2), "{line}: {said}");
        assert!(said.contains(expected), "{line}: {said}");
        assert_eq!(json(&output)["verdict"], "not-checked", "{line}");
    };
    let good = std::fs::read(path("c.part1a")).unwrap();
    std::fs::remove_file(path("c.part1a")).unwrap();
    for line in ["resume c --json", "resume c --json --processes 2"] {
        refused(line, "its part c.part1a is missing");
    }
    std::fs::copy(path("d.part1a"), path("c.part1a")).unwrap();
    refused("resume c --json", "c.part1a is not used: it is no part of c: it is of another run");
    let mut damaged = good.clone();
    damaged[good.len() / 2] ^= 1;
    std::fs::write(path("c.part1a"), damaged).unwrap();
    refused("resume c --json", "c.part1a is not used: it is damaged");
    std::fs::write(path("c.part1a"), good).unwrap();
    std::fs::copy(path("c.part2a"), path("part")).unwrap();
    let output = run(folder.path(), "resume part");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("it is the part of one of several processes"), "{}", text(&output.stderr));
    refused("resume c --json --store compact", "goes on with the table that it was begun with");
    assert_eq!(code(&run(folder.path(), "check middle.pml --search bfs --full --checkpoint o --memory 9M")), Some(3));
    let output = run(folder.path(), "resume o --processes 2");
    assert_eq!(code(&output), Some(2));
    assert!(text(&output.stderr).contains("it is of a search in one process"), "{}", text(&output.stderr));
    std::fs::write(path("m.pml"), SMALL).unwrap();
    refused("resume c --json --model m.pml", "it is of another model");
    // Whoever begins anew and whoever goes on do not go together.
    hosts(folder.path(), 2);
    let first = start(folder.path(), "check middle.pml --full --checkpoint c --hosts hosts --process 0");
    let second = start(folder.path(), "resume c --hosts hosts --process 1");
    for output in ends(vec![first, second]) {
        assert_eq!(code(&output), Some(2));
        assert!(text(&output.stderr).contains("start"), "{}", text(&output.stderr));
    }
    // Nothing of all this has harmed it.
    let output = run(folder.path(), "resume c --json --memory 1G");
    assert_eq!(code(&output), Some(0), "{}", text(&output.stderr));
}

/// A disk that is full in one place: the search goes on without the checkpoint, and the one before stays.
#[test]
fn a_part_that_cannot_be_written_is_told() {
    let folders = two_machines();
    std::fs::create_dir(folders[1].path().join("c.part1a")).unwrap();
    let starts = folders.iter().enumerate();
    let line = "check small.pml --full --checkpoint c --hosts hosts --json --process";
    let outputs = ends(starts.map(|(n, folder)| start(folder.path(), &format!("{line} {n}"))).collect());
    assert_eq!(code(&outputs[1]), Some(2), "{}", text(&outputs[1].stderr));
    assert!(text(&outputs[1].stderr).contains("c.part1a"), "{}", text(&outputs[1].stderr));
    assert_ne!(code(&outputs[0]), Some(0), "{}", text(&outputs[0].stderr));
}
