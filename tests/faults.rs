//! What can go wrong around pv, for the commands that write or read certificates and for all commands in turn: a full disk, a folder that takes no
//! file, a full or closed standard output, few addresses, signals at any moment, files that vanish or change. pv says what is wrong, never panics, and leaves
//! no half a file. `tests/stopping.rs` and `tests/killed.rs` have the same for searches and checkpoints.

#![cfg(target_os = "linux")]

mod common;

use pv::certificate::file::decode;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const MODEL: &str = "byte a, b; active proctype P() { do :: a < 20 -> a++ :: break od } \
                     active proctype Q() { do :: b < 20 -> b++ :: break od } ltl p { <> (a == 30) }";

/// One that has more states than there is room for in its checkpoint's budget.
const LARGE: &str = "byte a, b, c; active proctype P() { do :: a < 20 -> a++ :: break od } \
                     active proctype Q() { do :: b < 20 -> b++ :: break od } active proctype R() { do :: c < 20 -> c++ :: break od }";

/// Every command that ends by itself, with what it needs.
const COMMANDS: &[&str] = &[
    "check m.pml --no-claims --no-trail",
    "check m.pml --no-trail --json",
    "check m.pml --no-claims --no-trail --certificate d",
    "check m.pml --no-claims --no-trail --workers 3",
    "certify m.pml c",
    "simulate m.pml",
    "replay m.pml t",
    "stats m.pml",
    "graph m.pml",
    "fmt m.pml",
    "ltl <>p",
    "compare m.pml --out o --figure searches",
    "resume k",
    "explain",
    "completions bash",
    "man",
];

/// The commands that wait for somebody: an editor, a browser.
const SERVERS: &[&str] = &["lsp", "explore m.pml --no-open"];

/// Options and commands that write a file or a folder, without its name and with the exit code if that is not to be had. A verdict is not lost
/// with its trail.
const WRITERS: &[(&str, &str, i32)] = &[
    ("check m.pml --no-claims --no-trail --certificate", "", 2),
    ("check m.pml --trail", "", 1),
    ("check m.pml --no-claims --no-trail --search bfs --checkpoint", "", 2),
    ("replay m.pml t --html", ".html", 2),
    ("replay m.pml t --chart", ".svg", 2),
    ("compare m.pml --figure searches --out", "", 2),
    ("man", "", 2),
];

/// A folder with a model, its certificate, a trail and a checkpoint.
fn prepared() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), MODEL).expect("a model");
    std::fs::write(folder.path().join("l.pml"), LARGE).expect("a model");
    for (line, code) in [
        ("check m.pml --no-claims --no-trail --certificate c", 0),
        ("check m.pml --trail t", 1),
        ("check l.pml --search bfs --memory 520K --checkpoint k", 3),
    ] {
        let output = common::command(folder.path(), line).output().expect("pv runs");
        assert_eq!(output.status.code(), Some(code), "{line}: {}", said(&output));
    }
    folder
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn shell(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_pv")]).current_dir(folder);
    command.output().expect("a shell")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_certificate_on_a_full_disk_is_an_error_and_the_old_one_stays() {
    let folder = prepared();
    let output = common::command(folder.path(), "check m.pml --no-claims --certificate /dev/full").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("the certificate cannot be written to /dev/full"), "{}", said(&output));
    // What was found is told all the same, and the device is still one.
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("verified"));
    assert!(std::fs::metadata("/dev/full").unwrap().file_type().is_char_device());
    let old = std::fs::read(folder.path().join("c")).unwrap();
    let before = names(folder.path());
    let output = shell(folder.path(), "ulimit -f 1; exec \"$0\" check m.pml --no-claims --certificate c");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert_eq!(std::fs::read(folder.path().join("c")).unwrap(), old);
    assert_eq!(names(folder.path()), before);
}

/// `/proc` takes no file, whoever asks; and no file is a folder.
#[test]
fn where_nothing_can_be_written_it_is_told() {
    let folder = prepared();
    let before = names(folder.path());
    for (line, ending, code) in WRITERS {
        for place in ["/proc", "m.pml"] {
            let output = common::command(folder.path(), &format!("{line} {place}/d{ending}")).output().unwrap();
            assert_eq!(output.status.code(), Some(*code), "{line} {place}: {}", said(&output));
            assert!(said(&output).contains(place), "{line} {place}: {}", said(&output));
            assert!(!said(&output).contains("internal error"), "{line} {place}: {}", said(&output));
        }
    }
    assert_eq!(names(folder.path()), before);
}

#[test]
fn a_full_standard_output_is_told() {
    let folder = prepared();
    for line in COMMANDS {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = common::command(folder.path(), line).stdin(Stdio::null()).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {}", said(&output));
        assert!(said(&output).contains("the output cannot be written"), "{line}: {}", said(&output));
    }
}

#[test]
fn a_closed_standard_output_is_told_and_no_panic() {
    let folder = prepared();
    for line in COMMANDS {
        let output = shell(folder.path(), &format!("exec \"$0\" {line} >&-").replace("<>p", "'<>p'"));
        if cfg!(target_os = "linux") {
            assert_eq!(output.status.code(), Some(2), "{line}: {}", said(&output));
            assert_eq!(said(&output).matches("standard output is closed").count(), 1, "{line}: {}", said(&output));
        }
        // Somebody who wants nothing to be kept is given what was asked for, whatever the file was opened for.
        let code = |to: &str| {
            let script = format!("exec \"$0\" {line} {to}").replace("<>p", "'<>p'");
            shell(folder.path(), &script).status.code()
        };
        assert_eq!(code(">/dev/null"), code("1<>/dev/null"), "{line}");
        assert_ne!(code(">/dev/null"), Some(2), "{line}");
        for script in [format!("exec \"$0\" {line} >&-"), format!("exec \"$0\" {line} <&- >&- 2>&-")] {
            let script = script.replace("<>p", "'<>p'");
            let output = shell(folder.path(), &script);
            let code = output.status.code();
            assert!(matches!(code, Some(0..=3)), "{script}: {:?} {}", output.status, said(&output));
            assert!(!said(&output).contains("internal error"), "{script}: {}", said(&output));
        }
    }
}

#[test]
fn few_addresses_are_no_abort() {
    let folder = prepared();
    for kilobytes in [30_000, 60_000, 120_000, 400_000] {
        for line in COMMANDS {
            let script = format!("ulimit -v {kilobytes}; exec \"$0\" {line}").replace("<>p", "'<>p'");
            let output = shell(folder.path(), &script);
            // 127 and 126: the system could not even start it.
            let code = output.status.code();
            assert!(matches!(code, Some(0..=3 | 126 | 127)), "{script}: {:?} {}", output.status, said(&output));
        }
    }
}

/// Whenever the signal comes, the command ends by it or with an answer, and a certificate is there whole or not at all.
#[test]
fn signals_at_any_moment() {
    let folder = prepared();
    for line in COMMANDS {
        for (number, signal) in ["-TERM", "-INT", "-HUP"].into_iter().cycle().take(9).enumerate() {
            let mut command = common::command(folder.path(), line);
            let child = command.stdin(Stdio::null()).spawn().expect("pv runs");
            std::thread::sleep(Duration::from_micros(number as u64 * 700));
            // It may have ended by itself.
            let _ = Command::new("kill").args([signal, child.id().to_string().as_str()]).stderr(Stdio::null()).status();
            let output = child.wait_with_output().expect("it ends");
            let by_signal = matches!(output.status.signal(), Some(1 | 2 | 15));
            // 130 is how a command ends by a signal that comes when there is nothing left to report.
            let fine = by_signal || matches!(output.status.code(), Some(0..=3 | 130));
            assert!(fine, "{line} {signal}: {:?} {}", output.status, said(&output));
            if let Ok(bytes) = std::fs::read(folder.path().join("d")) {
                assert!(decode(&bytes).is_ok(), "{line} {signal}: half a certificate");
                std::fs::remove_file(folder.path().join("d")).unwrap();
            }
        }
    }
}

/// What waits for somebody does not wait when it is told to end.
#[test]
fn servers_end_by_a_signal() {
    let folder = prepared();
    for line in SERVERS {
        for (number, signal) in ["-TERM", "-INT", "-HUP"].into_iter().cycle().take(6).enumerate() {
            let mut command = common::command(folder.path(), line);
            let mut child = command.stdin(Stdio::piped()).spawn().expect("pv runs");
            // An editor that is still there.
            let _editor = child.stdin.take();
            std::thread::sleep(Duration::from_micros(number as u64 * 3_000));
            let _ = Command::new("kill").args([signal, child.id().to_string().as_str()]).stderr(Stdio::null()).status();
            let output = child.wait_with_output().expect("it ends");
            let fine =
                matches!(output.status.signal(), Some(1 | 2 | 15)) || matches!(output.status.code(), Some(0 | 130));
            assert!(fine, "{line} {signal}: {:?} {}", output.status, said(&output));
        }
    }
}

#[test]
fn files_that_vanish_or_change() {
    let folder = prepared();
    let refused = |line: &str, says: &str| {
        let output = common::command(folder.path(), line).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {}", said(&output));
        assert!(said(&output).contains(says), "{line}: {}", said(&output));
    };
    std::fs::write(folder.path().join("m.pml"), MODEL.replace("20", "21")).unwrap();
    refused("certify m.pml c", "another model");
    refused("replay m.pml t", "another model");
    std::fs::write(folder.path().join("m.pml"), "active proctype P() { x = 1 }").unwrap();
    refused("certify m.pml c", "unknown variable");
    std::fs::remove_file(folder.path().join("m.pml")).unwrap();
    for line in COMMANDS.iter().filter(|line| line.contains("m.pml")) {
        refused(line, "m.pml");
    }
    std::fs::write(folder.path().join("m.pml"), MODEL).unwrap();
    std::fs::write(folder.path().join("c"), "").unwrap();
    refused("certify m.pml c", "does not begin with");
    std::fs::remove_file(folder.path().join("c")).unwrap();
    refused("certify m.pml c", "cannot read c");
}
