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

/// An assertion that fails in the same step as another error is passed over where assertions are; the other error is not.
#[test]
fn an_error_beside_a_failed_assertion_is_heard() {
    let models = [
        "byte z, x; active proctype P() { assert(10 / z == 1); x = 1 } ltl p { [] (x < 9) }",
        "byte a[3], i = 5, x; active proctype P() { assert(a[i] == 1); x = 1 } ltl p { [] (x < 9) }",
        "byte a[3], i = 5, x; active proctype P() { d_step { assert(i == 0); x = a[i] } } ltl p { [] (x < 9) }",
        "chan q = [1] of { byte, byte }; byte x;
         active proctype P() { q!1,2; d_step { assert(x == 9); q?x } } ltl p { [] (x < 9) }",
    ];
    for model in models {
        let (code, json) = check(model, &["--no-assertions", "--no-claims"]);
        assert_eq!((code, json["verdict"].as_str()), (1, Some("violated")), "{model}: {json}");
        let (_, json) = check(model, &[]);
        assert_eq!(verdict_of(&json, "p"), "incomplete", "{model}: {json}");
    }
}

/// Breadth first with a bound on the depth: one of two ways to a state is too long, and only the other one has the hidden value
/// that the error needs.
#[test]
fn a_path_is_found_again_within_the_bound() {
    let model = "hidden byte h; byte x;
        active proctype P() {
            if
            :: atomic { h = 1; x = 1; x = 2; x = 3; x = 4; x = 5; x = 6; h = 1; x = 7 }
            :: atomic { h = 2; x = 7 }
            fi;
            h == 2;
            assert(false)
        }";
    let (code, json) = check(model, &["--search", "bfs", "--max-depth", "8"]);
    assert_eq!((code, json["verdict"].as_str()), (1, Some("violated")), "{json}");
}

/// With `--all-errors` every cycle counts, and the first one is shown.
#[test]
fn cycles_are_counted_and_the_first_is_shown() {
    let model = "int x; active proctype P() { do :: x < 50 -> x++ :: x > 0 -> x = 0 od } ltl p { <> (x == 300) }";
    let (code, json) = check(model, &["--all-errors"]);
    let shown = json["errors"].as_array().map(Vec::len);
    assert_eq!((code, shown), (1, Some(1)), "{json}");
    assert!(json["error_count"].as_u64().is_some_and(|count| count > 40), "{json}");
}

/// Hidden variables are no part of a state: a reduction that tells fewer states apart would change the answer.
#[test]
fn nothing_is_left_out_beside_hidden_variables() {
    let model =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/static_hidden_and_dead.pml"));
    let model = model.expect("the model");
    for options in [&[][..], &["--search", "bfs"], &["--full"]] {
        let (code, json) = check(&model, options);
        assert_eq!((code, json["search"]["reductions"].as_array().map(Vec::len)), (1, Some(0)), "{options:?}: {json}");
    }
}
