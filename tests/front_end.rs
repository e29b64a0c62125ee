//! The front end from outside: what is refused and what only warned of, what is bounded, what reaches the terminal. What
//! SPIN defines is in the corpus.

use assert_cmd::Command;
use serde_json::Value;
use std::process::Output;

/// Runs pv with a model in a folder of its own.
fn pv(line: &[&str], model: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), model).expect("written");
    let mut command = Command::cargo_bin("pv").expect("the binary");
    command.current_dir(&folder).args(line).output().expect("it runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("an exit code")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn refused(model: &str, message: &str) {
    let output = pv(&["check", "m.pml"], model);
    assert_eq!((code(&output), err(&output).contains(message)), (2, true), "{}{}", out(&output), err(&output));
}

const BAD_FORMULA: &str = "bool a, b;
ltl odd { [] !a == false && b == true }
ltl unknown { [] !c }
ltl again { <> c }
ltl fine { [] !b }
active proctype P() { a = 1 }
";

#[test]
fn a_wrong_formula_blocks_its_own_property_only() {
    for line in [
        &["check", "m.pml", "--property", "fine"][..],
        &["check", "m.pml", "--no-claims"],
        &["simulate", "m.pml"],
        &["graph", "m.pml"],
        &["stats", "m.pml"],
        &["fmt", "m.pml"],
    ] {
        let output = pv(line, BAD_FORMULA);
        assert_eq!(code(&output), 0, "{line:?}: {}", err(&output));
    }
    let warned = err(&pv(&["check", "m.pml", "--no-claims"], BAD_FORMULA));
    assert!(warned.contains("warning[unknown-name]: unknown variable `c`"), "{warned}");
    assert!(warned.contains("the property `again` cannot be checked"), "{warned}");
    for line in [
        &["check", "m.pml"][..],
        &["check", "m.pml", "--property", "odd"],
        &["check", "m.pml", "--property", "unknown"],
        &["check", "m.pml", "--property", "again"],
    ] {
        let output = pv(line, BAD_FORMULA);
        assert_eq!(code(&output), 2, "{line:?}: {}", out(&output));
    }
    let said = err(&pv(&["check", "m.pml", "--property", "odd"], BAD_FORMULA));
    assert!(said.contains("error: a temporal operator inside an expression"), "{said}");
}

#[test]
fn a_wrong_formula_is_told_with_the_other_errors() {
    let said = err(&pv(&["check", "m.pml"], "ltl p { [] !c }\nactive proctype P() { d = 1 }\n"));
    assert!(said.contains("unknown variable `c`") && said.contains("unknown variable `d`"), "{said}");
    let said = err(&pv(&["check", "m.pml"], "bool a;\nltl p { [] a == 1 }\nactive proctype P() { a = = 1 }\n"));
    assert!(said.contains("a temporal operator inside an expression") && said.contains("2 errors"), "{said}");
}

#[test]
fn enabled_in_a_formula_is_of_no_concern_to_others() {
    let model =
        "chan q = [0] of { byte };\nltl p { [] !enabled(0) }\nactive proctype P() { q!1 }\nactive proctype Q() { q?_ }";
    assert_eq!(code(&pv(&["check", "m.pml", "--no-claims"], model)), 0);
    assert_eq!(code(&pv(&["check", "m.pml"], model)), 2);
}

#[test]
fn nothing_is_unreached_that_was_reached_through_an_inline() {
    let model = "bool m;\ninline lock() { atomic { !m -> m = true } }\nactive proctype p() { lock(); m = false }\n";
    let report: Value = serde_json::from_str(&out(&pv(&["check", "m.pml", "--json"], model))).expect("JSON");
    assert_eq!(report["unreached"], serde_json::json!([]));
    let graph = out(&pv(&["graph", "m.pml"], model));
    for node in graph.lines().filter_map(|line| line.trim().split_once(" [label=")).map(|(node, _)| node) {
        let entered = format!("-> {node}");
        let is_edge = node.contains("->");
        assert!(is_edge || graph.contains(&format!("{entered} ")) || graph.contains(&format!("{entered};")), "{graph}");
    }
}

#[test]
fn what_is_dead_is_still_unreached() {
    let model = "byte x;\nactive proctype p() { goto E; atomic { x = 1; x = 2 }; if :: x = 3 :: x = 4 fi; E: skip }\n";
    let report: Value = serde_json::from_str(&out(&pv(&["check", "m.pml", "--json"], model))).expect("JSON");
    let texts: Vec<&str> =
        report["unreached"].as_array().expect("a list").iter().filter_map(|u| u["text"].as_str()).collect();
    for text in ["x = 1", "x = 2", "x = 3", "x = 4"] {
        assert!(texts.contains(&text), "{texts:?}");
    }
}

#[test]
fn small_slips_are_warnings() {
    for (model, message) in [
        ("byte x; active proctype P() { x[0] = 1 }", "`x` is not an array"),
        ("byte x; inline f(a, a) { x = a } active proctype P() { f(1, 2); assert(x == 1) }", "is there twice"),
    ] {
        let output = pv(&["check", "m.pml"], model);
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert!(err(&output).contains(message), "{}", err(&output));
    }
    refused("byte x; active proctype P() { x[1] = 1 }", "is not an array");
    refused("chan q = [1] of { byte }; active proctype P() { q?_pid }", "write `eval(_pid)`");
}

#[test]
fn widths_of_unsigneds() {
    for width in ["0", "32", "33", "64", "4294967297", "99999999999999999999"] {
        refused(&format!("unsigned x : {width}; active proctype P() {{ x = 1 }}"), "bits");
    }
    refused("unsigned x : 3, y : 4294967297; active proctype P() { x = 1 }", "bits");
    for width in ["1", "31"] {
        let model = format!("unsigned x : {width}; active proctype P() {{ x = 1 }}");
        assert_eq!(code(&pv(&["check", "m.pml"], &model)), 0);
    }
}

#[test]
fn what_has_no_room_is_refused_before_it_is_made() {
    let doubling: String = (1..64)
        .map(|n| format!("typedef T{n} {{ T{} a[2] }};", n - 1))
        .fold("typedef T0 { byte a };".into(), |a, b| a + &b);
    refused(&format!("{doubling} T63 t; active proctype P() {{ skip }}"), "there is no room for `a`");
    let pairs: String = (1..64)
        .map(|n| format!("typedef T{n} {{ T{0} a; T{0} b }};", n - 1))
        .fold("typedef T0 { bit a };".into(), |a, b| a + &b);
    refused(&format!("{pairs} T63 t; active proctype P() {{ skip }}"), "there is no room for `b`");
    let chain = "typedef T { int a[16777216] }; typedef U { T t[16777216] }; U u[16777216];";
    refused(&format!("{chain} active proctype P() {{ skip }}"), "there is no room for `t`");
    refused("int a[16777216]; int b[16777216]; active proctype P() { skip }", "there is no room for `b`");
    refused("active proctype P() { int a[16777216]; a[0] = 1 }", "there is no room for `a`");
    refused("int a[16777216] = 5; active proctype P() { skip }", "too many initial values");
    refused("chan q[16777216] = [65535] of { int }; active proctype P() { skip }", "too many channels");
    refused(
        "typedef T { int a[65535] }; chan q = [65535] of { T }; active proctype P() { skip }",
        "no room for this channel",
    );
    refused("typedef T { byte a[70000] }; chan q = [1] of { T }; active proctype P() { skip }", "too many fields");
    refused(
        "typedef T { byte a[70000] }; T t; chan q = [1] of { byte }; active proctype P() { q!t }",
        "too many fields",
    );
    refused("int n = 2000000000; active [n] proctype P() { skip }", "2000000000 instances are too many");
    refused("active [255] proctype P() { int a[1000000]; a[0] = 1 }", "no room for the processes at the start");
}

#[test]
fn a_body_has_as_many_states_as_its_counter_can_tell_apart() {
    let model = |statements: usize| format!("byte x; active proctype P() {{ {} skip }}", "x = 1;".repeat(statements));
    refused(&model(65_534), "`P` is too long");
    assert_eq!(code(&pv(&["check", "m.pml"], &model(65_533))), 0);
}

#[test]
fn copies_of_escapes_are_bounded() {
    let main = "x = 1;".repeat(3000);
    let escape: String = (0..1000).map(|n| format!(":: x == {n} -> break ")).collect();
    refused(
        &format!("byte x; active proctype P() {{ {{ {main} skip }} unless {{ do {escape} od }} }}"),
        "too many transitions",
    );
}

#[test]
fn reading_a_model_counts_against_the_memory() {
    let options: String = (0..40_000).map(|n| format!(":: x == {n} -> x = {n}\n")).collect();
    let model = format!("int x; active proctype P() {{ do {options} od }}");
    let output = pv(&["check", "m.pml", "--memory", "32M"], &model);
    assert_eq!(code(&output), 2, "{}", out(&output));
    assert!(err(&output).contains("(--memory)"), "{}", err(&output));
}

#[test]
fn formulas_of_other_tools_are_refused_with_a_word() {
    for formula in ["G (a -> F b)", "[] (a -> F b)", "a R b", "G a", "G !a", "a & F (b)", "a and b", "F G a"] {
        let output = pv(&["ltl", formula], "");
        assert_eq!(code(&output), 2, "{formula}: {}", out(&output));
        let said = err(&output);
        assert!(said.contains('^') && said.contains("`[]` for G, `<>` for F"), "{formula}: {said}");
        // The same in a model, and in a formula beside one.
        let block = pv(&["check", "m.pml"], &format!("bool a, b; init {{ a = 1 }} ltl p {{ {formula} }}"));
        let beside = pv(&["check", "m.pml", "--formula", formula], "bool a, b; init { a = 1 }");
        for output in [block, beside] {
            let said = err(&output);
            assert_eq!(code(&output), 2, "{formula}: {}", out(&output));
            assert!(said.contains('^') && said.contains("is no operator of formulas"), "{formula}: {said}");
        }
    }
    for formula in ["G", "F && G", "[] (G -> <> F)", "G == 1 U F", "G[1] > F", "q?[G(1)]", "a & b"] {
        assert_eq!(code(&pv(&["ltl", formula], "")), 0, "{formula}");
    }
}

#[test]
fn a_complement_in_the_place_of_not_is_doubted() {
    let output = pv(&["ltl", "[] ~p"], "");
    assert_eq!((code(&output), err(&output).contains("for \"not\" write `!`")), (0, true), "{}", err(&output));
    let output = pv(&["check", "m.pml", "--formula", "[] ~p"], "bool p; init { p = 1 }");
    assert_eq!((code(&output), err(&output).contains("for \"not\" write `!`")), (0, true), "{}", err(&output));
}

const ESCAPES: &str = "active proctype P() { printf(\"\x1b[31mRED\\n\"); assert(false) /* \x1b[2J */ }\n";

#[test]
fn control_characters_go_into_pipes_as_they_are() {
    for line in [&["fmt", "m.pml"][..], &["simulate", "m.pml"]] {
        let text = out(&pv(line, ESCAPES));
        assert!(text.contains("\x1b[31mRED"), "{line:?}: {text:?}");
    }
}

#[test]
fn steps_and_reports_show_control_characters() {
    let odd = |text: &str| text.contains(|c: char| c.is_control() && c != '\n');
    for line in [&["graph", "m.pml"][..], &["simulate", "m.pml", "--show-steps"], &["check", "m.pml", "--json"]] {
        let output = pv(line, ESCAPES);
        assert!(!odd(&out(&output)), "{line:?}: {:?}", out(&output));
        assert!(!odd(&err(&output)), "{line:?}: {:?}", err(&output));
    }
    let wrong = err(&pv(&["check", "m.pml"], "active proctype P() { \x1b[31m skip }"));
    assert!(!odd(&wrong) && !wrong.is_empty(), "{wrong:?}");
}
