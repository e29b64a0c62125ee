//! What `pv check` says about properties, from outside: each of these models was answered wrongly once.

use serde_json::Value;
use std::process::Command;

/// Checks a model that is given as text; the exit code and the JSON.
fn check(text: &str, options: &[&str]) -> (i32, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.pml");
    std::fs::write(&path, text).expect("a file");
    let done = Command::new(env!("CARGO_BIN_EXE_pv"))
        .current_dir(folder.path())
        .args(["check", "m.pml", "--json", "--no-bar"])
        .args(options)
        .output()
        .expect("pv runs");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let json = serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    (done.status.code().unwrap_or(-1), json)
}

fn verdict_of<'a>(json: &'a Value, property: &str) -> &'a str {
    let all = json["properties"].as_array().expect("properties");
    let found = all.iter().find(|entry| entry["name"] == property).unwrap_or_else(|| panic!("{json}"));
    found["verdict"].as_str().expect("a verdict")
}

/// Forty assertions that fail.
fn assertions() -> String {
    (1..=40).map(|k| format!("assert(x == {k}); ")).collect()
}

/// The inner search starts below the stack of the outer one; the bound on depths must not cut it off.
#[test]
fn a_depth_bound_does_not_hide_a_cycle() {
    let model = "active proctype P() {
byte s;
L: if :: skip; goto M :: s = 11; s = 12; s = 13;
accept_B: s = 0; goto M
   fi;
M: skip; skip; skip; skip; skip; skip; skip; skip; goto L
}";
    for depth in ["9", "10", "11", "12", "13"] {
        let (code, json) = check(model, &["--max-depth", depth]);
        assert!(code == 1 || code == 3, "--max-depth {depth}: {json}");
    }
}

/// A `d_step` that blocks ends the path that it is on, whatever else was found before.
#[test]
fn many_errors_do_not_decide_a_property() {
    let model = format!(
        "byte x, bad; active proctype P() {{ {} d_step {{ x = 2; false }}; bad = 1 }} ltl p {{ [] (bad == 0) }}",
        assertions()
    );
    let (code, json) = check(&model, &["--all-errors"]);
    assert_eq!((code, verdict_of(&json, "p")), (1, "incomplete"), "{json}");
}

/// The property that fails behind forty assertions has its message and its trail.
#[test]
fn many_errors_do_not_hide_a_property() {
    let model = format!("byte x, bad; active proctype P() {{ {} bad = 1 }} ltl p {{ [] (bad == 0) }}", assertions());
    let (_, json) = check(&model, &["--all-errors"]);
    assert_eq!(verdict_of(&json, "p"), "violated", "{json}");
    let told = json["errors"].as_array().expect("errors").iter().any(|error| error["property"] == "p");
    assert!(told, "{json}");
}

/// The assertions of processes are passed when they are known; those of the claim are what it says.
#[test]
fn an_assertion_of_the_claim_is_about_the_claim() {
    let model = "byte x;
active proctype P() { assert(x == 1); x = 1; x = 2; x = 3 }
never { do :: assert(x != 2) od }";
    let (_, json) = check(model, &[]);
    assert_eq!(verdict_of(&json, "never_0"), "violated", "{json}");
}

/// To ask who can move is to look at first steps, not to follow a block that never ends.
#[test]
fn a_cycle_beside_an_endless_block_is_reported() {
    let model = "int n; byte x;
active proctype P() { atomic { do :: n++ od } }
active proctype A() { do :: x = 1 - x od }
ltl p { <> (x == 3) }";
    let (code, json) = check(model, &[]);
    assert_eq!((code, verdict_of(&json, "p")), (1, "violated"), "{json}");
}

/// A claim that has ended does not take a process with it.
#[test]
fn the_end_of_a_claim_kills_nobody() {
    let claim = "never { do :: x != 1 :: x == 1 -> break od }";
    let process = "byte x; active proctype P() { x = 1; x = 2; x = 3; false }";
    for others in ["", "active proctype Q() { false }"] {
        let (_, json) = check(&format!("{process} {others} {claim}"), &["--all-errors"]);
        assert_eq!((&json["states"]["stored"], &json["error_count"]), (&Value::from(3), &Value::from(1)), "{json}");
    }
}

/// When the states of a wide block are remembered does not hang on what the search did before, so that a path that is
/// rebuilt by counting arrivals leads to the error.
#[test]
fn a_path_through_a_wide_block_is_found_again() {
    let model = "byte a, b;
active proctype Q() { int i;
  if :: atomic { i = 0; do :: i < 300 -> i++ :: else -> break od; i = 0; a = 1 }
     :: atomic { i = 1; do :: i < 700 -> i++ :: else -> break od; i = 0; a = 2 } fi }
active proctype P() { byte k, h;
  end: a == 1;
  atomic { do :: k < 17 -> if :: h++ :: skip fi; k++ :: else -> break od; b = h; k = 0; h = 0 };
  assert(b != 0)
}";
    for options in [["--search", "bfs", "--cache", "1000"], ["--search", "bfs", "--store", "compact"]] {
        let (code, json) = check(model, &options);
        assert_eq!(code, 1, "{options:?}: {json}");
    }
}
