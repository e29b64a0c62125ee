//! The command line from outside: exit codes, where output goes, the shape of the JSON, refused combinations, bad files,
//! counterexamples from search to replay. Everything here is fast; counts are checked elsewhere.

#[path = "common/said.rs"]
mod said;

use assert_cmd::Command;
use said::{code, err, out};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Two processes, a handshake, a buffered channel, and an assertion that fails if `BUG` is defined.
const MODEL: &str = "
mtype = { req, ack };
chan wire = [2] of { mtype, byte };
chan hands = [0] of { byte };
byte got;

active proctype client() {
    byte b;
    printf(\"client %d starts\\n\", _pid);
    wire!req,7;
    hands?b;
done:
    got = b;
    assert(got != BUG)
}

active proctype server() {
    byte n;
    wire?req(n);
    hands!n
}

proctype ghost() { skip }
";

/// Fails in three statements.
const THREE: &str = "byte x; active proctype P() { x = 1; assert(x > 1); assert(x > 2); assert(x > 3) }\n";

/// Where the initial state cannot be made there is no path to expand, whatever was reduced.
#[test]
fn an_initial_state_that_fails_is_told_with_and_without_reductions() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", "byte g = 2; byte a[2]; byte h;\ninit {\n  byte d = a[g];\n  h = 1\n}\n");
    for options in ["", "--full", "--search bfs", "--all-errors", "--no-merging", "--formula []<>(h==1) --fair"] {
        let found = json(&folder.pv(&format!("check m.pml --no-trail --json {options}")));
        assert_eq!(found["verdict"], "violated", "{options}");
        let error = &found["errors"][0];
        assert_eq!(error["message"], "array index out of range (while the initial state is made)", "{options}");
        assert_eq!((&error["line"], &error["depth"]), (&3.into(), &0.into()), "{options}");
    }
}

#[test]
fn every_trail_is_named_and_those_of_an_earlier_run_go() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", THREE);
    let all = folder.pv("check m.pml --all-errors");
    assert_eq!(code(&all), 1);
    for trail in ["m.pml.trail.json", "m.pml.2.trail.json", "m.pml.3.trail.json"] {
        assert!(out(&all).contains(&format!(", trail {trail}\n")), "{}", out(&all));
    }
    let named = json(&folder.pv("check m.pml --all-errors --json"));
    let trails: Vec<_> =
        named["errors"].as_array().expect("errors").iter().map(|error| error["trail"].clone()).collect();
    assert_eq!(trails, ["m.pml.trail.json", "m.pml.2.trail.json", "m.pml.3.trail.json"]);
    // Somebody else's file of that name stays.
    folder.write("m.pml.3.trail.json", "{}");
    assert_eq!(code(&folder.pv("check m.pml")), 1);
    assert!(folder.path("m.pml.trail.json").exists() && folder.path("m.pml.3.trail.json").exists());
    assert!(!folder.path("m.pml.2.trail.json").exists());
    // A file of one's own choice likewise.
    assert_eq!(code(&folder.pv("check m.pml --all-errors --trail t")), 1);
    assert!(folder.path("t.3").exists());
    assert_eq!(code(&folder.pv("check m.pml --trail t")), 1);
    assert!(folder.path("t").exists() && !folder.path("t.2").exists() && !folder.path("t.3").exists());
    // A run without errors has nothing to put in the place of what is there.
    folder.write("m.pml", "init { skip }");
    assert_eq!(code(&folder.pv("check m.pml")), 0);
    assert!(folder.path("m.pml.trail.json").exists());
}

#[test]
fn a_flag_may_be_repeated_and_an_option_not() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", "init { skip }");
    assert_eq!(code(&folder.pv("check m.pml --no-claims --no-claims --sleep --sleep --quiet --quiet")), 0);
    assert_eq!(code(&folder.pv("check m.pml --cache 5 --cache 6")), 2);
    let simulated = folder.pv("simulate m.pml");
    assert!(out(&simulated).ends_with("\n1 process created\n"), "{}", out(&simulated));
    assert!(out(&simulated).contains("ended after 2 steps\n"), "{}", out(&simulated));
}

/// A counter that may stand still, and a property of its own.
const COUNTER: &str = "#define two (x == 2)
byte x;
active proctype P() { do :: x == 0 -> x = 1 :: x == 1 -> x = 2 :: x > 0 -> x = 0 od }
ltl small { [] (x < 3) }
";

#[test]
fn a_property_may_come_from_outside() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", COUNTER);
    folder.write("f.ltl", "[] !two\n");
    folder.write("c.pml", "never { do :: !two :: two -> break od }\n");
    folder.write("holds.pml", "never { do :: x < 3 :: x > 2 -> break od }\n");
    for (option, name, code_of_check) in [
        (["--formula", "[]<>two"], "formula", 1),
        (["--formula", "[](x<3)"], "formula", 0),
        (["--formula-file", "f.ltl"], "formula", 1),
        (["--claim-file", "c.pml"], "never_0", 1),
        (["--claim-file", "holds.pml"], "never_0", 0),
    ] {
        let output = folder.pv(&format!("check m.pml --json {}", option.join(" ")));
        assert_eq!(code(&output), code_of_check, "{option:?}: {}{}", out(&output), err(&output));
        let report = json(&output);
        assert_eq!(report["properties"].as_array().map(Vec::len), Some(1), "{option:?}");
        assert_eq!(report["properties"][0]["name"], name, "{option:?}");
        if code_of_check == 1 {
            assert_eq!(report["errors"][0]["property"], name, "{option:?}");
            // The trail has the property with it.
            let replay = folder.pv("replay m.pml m.pml.trail.json");
            assert_eq!(code(&replay), 0, "{option:?}: {}", err(&replay));
        }
    }
}

#[test]
fn what_is_wrong_with_a_property_from_outside_is_shown_in_it() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", COUNTER);
    folder.write("f.ltl", "\n[] (y > 1)\n");
    folder.write("none.pml", "#define z 1\n");
    folder.write("both.pml", "never { skip }\nltl p { [] two }\n");
    for (line, place, says) in [
        ("--formula <>(y==1)", "<formula>:1:4", "unknown variable `y`"),
        ("--formula <>(x==1", "<formula>:1:3", "no partner"),
        ("--formula []two}init{skip", "<formula>:1:6", "a brace in a formula"),
        ("--formula []two;skip", "<formula>:1:6", "expected"),
        ("--formula-file f.ltl", "f.ltl:2:5", "unknown variable `y`"),
        ("--formula-file gone", "", "cannot read `gone`"),
        ("--claim-file none.pml", "none.pml:1:1", "there is no claim in this file"),
        ("--claim-file both.pml", "both.pml:1:1", "there are 2: never_0, p"),
    ] {
        let output = folder.pv(&format!("check m.pml {line}"));
        let said = err(&output);
        assert_eq!(code(&output), 2, "{line}: {}", out(&output));
        assert!(said.contains(place) && said.contains(says), "{line}: {said}");
    }
    // A name that the model has is left to the model.
    folder.write("m.pml", "byte formula; init { formula = 1 } ltl formula_1 { [] (formula < 2) }");
    let report = json(&folder.pv("check m.pml --formula [](formula<2) --json"));
    assert_eq!((&report["verdict"], &report["properties"][0]["name"]), (&"verified".into(), &"formula_2".into()));
}

/// Counts for long before an assertion fails that also fails early.
const LONG: &str = "int n; active proctype P() {
    do :: n < 300 -> n++ :: n == 2 -> assert(false) :: n == 300 -> break od;
    assert(n < 200)
}\n";

#[test]
fn a_long_counterexample_names_the_way_to_a_shorter_one() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", LONG);
    let long = folder.pv("check m.pml");
    assert!(out(&long).contains("steps: --shortest looks for a shorter one\n"), "{}", out(&long));
    let short = folder.pv("check m.pml --shortest");
    assert_eq!(code(&short), 1);
    assert!(out(&short).contains("assertion false at m.pml:2"), "{}", out(&short));
    assert!(out(&short).contains("this is a shortest counterexample"), "{}", out(&short));
    assert_eq!(code(&folder.pv("replay m.pml m.pml.trail.json")), 0);
    let breadth = json(&folder.pv("check m.pml --search bfs --json"));
    let short = json(&folder.pv("check m.pml --shortest --json"));
    assert_eq!(short["errors"][0]["depth"], breadth["errors"][0]["depth"]);
    assert_eq!(short["errors"][0]["shortest"]["known"], true);
    // Without an error there is nothing to look for.
    folder.write("m.pml", "init { skip }");
    assert_eq!(code(&folder.pv("check m.pml --shortest")), 0);
}

#[test]
fn a_cycle_is_told_in_a_sentence() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write(
        "m.pml",
        "byte x; bool done; active proctype P() { do :: x = 1 od } active proctype Q() { done = true } ltl p { <> done }",
    );
    let told = "P(0) repeats `x = 1` for ever; Q(1) could move in every state of the cycle and never does, so the run is not \
                weakly fair (--fair leaves such runs out)";
    let output = folder.pv("check m.pml");
    assert_eq!(out(&output).lines().nth(1), Some(format!("  {told}").as_str()), "{}", out(&output));
    let cycle = json(&folder.pv("check m.pml --json"))["errors"][0]["cycle"].clone();
    assert_eq!(cycle["text"], told);
    assert_eq!((&cycle["starved"][0], &cycle["weakly_fair"]), (&"Q(1)".into(), &false.into()));
    assert_eq!(code(&folder.pv("check m.pml --fair")), 0);
    folder.write("m.pml", "byte x; active proctype P() { x = 1 } ltl p { <> (x == 2) }");
    let output = folder.pv("check m.pml --shortest");
    assert!(
        out(&output).contains("  nothing can move any more: the run stays where it is for ever\n"),
        "{}",
        out(&output)
    );
    assert!(out(&output).contains("  a shortest way to this cycle"), "{}", out(&output));
}

/// Fails in several ways, and gets stuck with several values.
const SEVERAL: &str = "byte x;
active proctype P() {
    if :: x = 1 :: x = 2 :: x = 3; assert(x != 3) :: x = 4; assert(x != 4) :: x = 5; x = 1 / (x - 5) fi;
    false
}\n";

/// `--another` until there is none: each answer is one that was not there before, and each trail stays and replays.
#[test]
fn another_counterexample_is_another() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", SEVERAL);
    let mut seen = Vec::new();
    for number in 1.. {
        let report = json(&folder.pv("check m.pml --another --json"));
        assert_eq!(report["verdict"], "violated");
        let Some(error) = report["errors"].get(0) else { break };
        let trail = if number == 1 { "m.pml.trail.json".into() } else { format!("m.pml.{number}.trail.json") };
        assert_eq!(error["trail"], trail.as_str());
        let replay = folder.pv(&format!("replay m.pml {trail}"));
        assert_eq!(code(&replay), 0, "{}", err(&replay));
        let state = out(&replay).lines().last().map(str::to_string);
        let key = (error["message"].clone(), error["line"].clone(), state);
        assert!(!seen.contains(&key), "{key:?} again");
        seen.push(key);
        assert!(number < 20, "{seen:?}");
    }
    // Two assertions, a division, which goes on with 0, and a deadlock for each of five values.
    assert_eq!(seen.len(), 8, "{seen:?}");
    assert_eq!(json(&folder.pv("check m.pml --all-errors --no-trail --json"))["error_count"], 8);
    let last = folder.pv("check m.pml --another");
    assert_eq!(code(&last), 1);
    assert!(out(&last).starts_with("violated: no counterexample is found beside the known ones"), "{}", out(&last));
    // Breadth first likewise.
    let last = folder.pv("check m.pml --another --search bfs");
    assert!(out(&last).starts_with("violated: no counterexample is found beside the known ones"), "{}", out(&last));
    // Trails of another model are not passed over.
    folder.write("m.pml", &SEVERAL.replace("false", "x = 0; false"));
    let changed = folder.pv("check m.pml --another");
    assert_eq!(code(&changed), 2);
    assert!(err(&changed).contains("is a trail of another model"), "{}", err(&changed));
}

#[test]
fn another_cycle_repeats_other_steps() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    let model =
        "byte x; active proctype P() { if :: do :: x = 1 od :: do :: x = 2 od :: skip fi } ltl p { <> (x == 3) }";
    folder.write("m.pml", model);
    let mut told = Vec::new();
    for _ in 0..3 {
        let report = json(&folder.pv("check m.pml --another --json"));
        told.push(report["errors"][0]["cycle"]["text"].as_str().unwrap_or_default().to_string());
    }
    told.sort();
    assert_eq!(
        told,
        [
            "P(0) repeats `x = 1` for ever",
            "P(0) repeats `x = 2` for ever",
            "nothing can move any more: the run stays where it is for ever",
        ]
    );
    assert_eq!(json(&folder.pv("check m.pml --another --json"))["errors"], Value::Array(Vec::new()));
    // Without the option the search begins anew, and the further trails go.
    assert_eq!(code(&folder.pv("check m.pml")), 1);
    assert!(!folder.path("m.pml.2.trail.json").exists());
}

/// Reduced for deadlocks only, a search does not look for other errors, but hides none that it meets.
#[test]
fn deadlocks_only_reports_the_run_time_errors_it_meets() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", "byte x; active proctype P() { assert(false); x = 1 / x }");
    let output = folder.pv("check m.pml --por --deadlocks-only --json --no-trail");
    assert_eq!((code(&output), json(&output)["errors"][0]["kind"].as_str()), (1, Some("unhandled")));
    folder.write("m.pml", "active proctype P() { assert(false) }");
    let output = folder.pv("check m.pml --por --deadlocks-only");
    assert_eq!(code(&output), 0);
    assert!(out(&output).contains("can hide a run-time error, but no deadlock"), "{}", out(&output));
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn with_model() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        folder.write("m.pml", MODEL);
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn pv(&self, line: &str) -> Output {
        self.pv_with(line, "")
    }

    fn pv_with(&self, line: &str, input: &str) -> Output {
        let mut command = Command::cargo_bin("pv").expect("the binary");
        command.current_dir(&self.0).args(line.split_whitespace()).write_stdin(input.to_string());
        command.output().expect("it runs")
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON and nothing else")
}

#[test]
fn verdicts_have_their_exit_codes() {
    let folder = Folder::with_model();
    let verified = folder.pv("check m.pml -DBUG=0");
    assert_eq!(code(&verified), 0, "{}", err(&verified));
    assert!(out(&verified).starts_with("verified: "), "{}", out(&verified));
    assert!(out(&verified).contains("ghost was never started"));
    let violated = folder.pv("check m.pml -DBUG=7");
    assert_eq!(code(&violated), 1);
    assert!(out(&violated).starts_with("violated: assertion (got != BUG) at m.pml:14, depth "), "{}", out(&violated));
    assert!(out(&violated).ends_with("replay it: pv replay -DBUG=7 m.pml m.pml.trail.json\n"));
    let bounded = folder.pv("check m.pml -DBUG=0 --max-depth 3");
    assert_eq!(code(&bounded), 3);
    assert!(out(&bounded).starts_with("incomplete: "));
    assert_eq!(code(&folder.pv("check m.pml --quiet")), 2, "BUG is not defined");
}

#[test]
fn a_deadlock_is_found_in_both_orders() {
    let folder = Folder::with_model();
    folder.write("d.pml", "chan c = [0] of { byte };\ninit { c!1 }\n");
    for search in ["dfs", "bfs"] {
        let output = folder.pv(&format!("check d.pml --json --search {search}"));
        assert_eq!(code(&output), 1);
        let value = json(&output);
        assert_eq!(value["search"]["algorithm"], search);
        assert_eq!(value["errors"][0]["kind"], "invalid-end-state");
        assert_eq!(value["errors"][0]["line"], 2);
        assert_eq!(code(&folder.pv("check d.pml --no-end-states")), 0);
    }
}

#[test]
fn the_json_keeps_its_contract() {
    let folder = Folder::with_model();
    let value = json(&folder.pv("check m.pml -DBUG=0 --json --seed 5"));
    assert_eq!(value["pv"], env!("CARGO_PKG_VERSION"));
    assert_eq!(value["model"], "m.pml");
    assert_eq!(value["verdict"], "verified");
    assert_eq!(value["search"]["seed"], 5);
    assert_eq!(value["search"]["sleep"], false);
    let number = |value: &Value| value.as_u64().expect("a count");
    let (stored, matched) = (number(&value["states"]["stored"]), number(&value["states"]["matched"]));
    assert_eq!(number(&value["transitions"]), stored + matched);
    for field in ["peak_stored", "evicted", "vector_bytes"] {
        number(&value["states"][field]);
    }
    for field in ["atomic_steps", "depth", "error_count", "memory_bytes"] {
        number(&value[field]);
    }
    assert!(value["seconds"]["compile"].is_number() && value["seconds"]["search"].is_number());
    assert!(value["states_per_second"].is_number());
    assert_eq!(value["errors"], serde_json::json!([]));
    let unreached = value["unreached"].as_array().expect("a list");
    assert!(unreached.iter().any(|entry| entry["proctype"] == "ghost" && entry["line"] == 23), "{unreached:?}");
}

#[test]
fn a_model_may_come_from_standard_input() {
    let folder = Folder::with_model();
    let output = folder.pv_with("check - --json", "init { assert(false) }");
    assert_eq!(code(&output), 1);
    assert_eq!(json(&output)["errors"][0]["trail"], "stdin.trail.json");
    assert_eq!(code(&folder.pv_with("check - --no-trail", "init { skip }")), 0);
}

/// Three processes that count, each on its own: sleep sets leave one order of their steps.
const THRASHED: &str = "
active [3] proctype count() {
    byte n;
    do
    :: n < 25 -> n++
    :: n == 25 -> break
    od
}
";

#[test]
fn a_depth_first_cache_that_thrashes_gives_up_and_says_what_helps() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    folder.write("m.pml", THRASHED);
    let line = "check m.pml --cache 200 --replace random --json";
    let report = json(&folder.pv(&format!("{line} --max-collision-rate 0.5")));
    assert_eq!(report["verdict"], "incomplete");
    let reason = report["reason"].as_str().expect("a reason");
    for part in
        ["forgets too much", "allowed 50.0%", "--sleep", "--replace cost", "--store tree", "--search bfs", "--disk"]
    {
        assert!(reason.contains(part), "{part}: {reason}");
    }
    assert!(report["revisit_rate"].as_f64().is_some_and(|rate| rate > 0.5 && rate < 1.0), "{report}");
    // What is used already is not named, and what came to its end has not to be given up.
    let report = json(&folder.pv(&format!("{line} --sleep --max-collision-rate 0.5")));
    assert_eq!(report["verdict"], "verified", "{report}");
    assert_eq!(code(&folder.pv("check m.pml --max-collision-rate 0.5")), 2);
}

#[test]
fn combinations_are_refused_by_name() {
    let folder = Folder::with_model();
    for (line, says) in [
        ("--hub", "--hub without --search bfs --cache"),
        ("--sleep --search bfs", "--sleep with --search bfs"),
        ("--replace type", "--replace without --cache"),
        ("--bits 8", "--bits with --store exact"),
        ("--deadlocks-only", "--deadlocks-only without --por"),
        ("--property p --no-claims", "--property with --no-claims"),
    ] {
        let output = folder.pv(&format!("check m.pml {line} --json"));
        assert_eq!(code(&output), 2, "{line}");
        assert!(err(&output).contains(says), "{line}: {}", err(&output));
        let told = json(&output);
        assert_eq!((told["verdict"].as_str(), told["model"].as_str()), (Some("not-checked"), None), "{line}");
        assert!(
            told["diagnostics"][0]["message"].as_str().is_some_and(|message| message.starts_with(says)),
            "{told:#}"
        );
        assert!(folder.pv(&format!("check m.pml {line}")).stdout.is_empty(), "{line}");
    }
    // What the model decides is told like what is wrong with the model.
    let output = folder.pv("check m.pml --property p -DBUG=0 --json");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("has no ltl properties"), "{}", err(&output));
    assert_eq!(json(&output)["verdict"], "not-checked");
    // What does not go with a search for cycles depends on the model.
    folder.write("live.pml", "byte x; active proctype p() { do :: x = 1 - x od } ltl moves { []<> (x == 1) }");
    folder.write("label.pml", "byte x; active proctype p() { accept: do :: x = 1 - x od }");
    for model in ["live.pml", "label.pml", "label.pml --non-progress"] {
        for line in ["--search bfs", "--sleep", "--cache 500", "--store compact", "--store bloom"] {
            let output = folder.pv(&format!("check {model} {line}"));
            assert_eq!(code(&output), 2, "{model} {line}: {}", out(&output));
            assert!(err(&output).contains(line.trim_end_matches(" 500")), "{}", err(&output));
            if !model.contains("--non-progress") {
                assert_eq!(code(&folder.pv(&format!("check {model} {line} --no-claims"))), 0, "{model} {line}");
            }
        }
    }
    // Persistent sets keep runs up to stuttering, and not which of them are fair.
    assert_eq!(code(&folder.pv("check live.pml --por")), 0);
    folder
        .write("next.pml", "byte x; active proctype p() { do :: x = 1 - x od } ltl next { [] (x == 1 -> X (x == 0)) }");
    for (line, says) in [("next.pml --por", "--por with the claim next"), ("live.pml --por --fair", "--por and --fair")]
    {
        let output = folder.pv(&format!("check {line}"));
        assert_eq!(code(&output), 2, "{line}: {}", out(&output));
        assert!(err(&output).contains(says), "{}", err(&output));
    }
    assert_eq!(code(&folder.pv("check next.pml")), 0);
    // A claim that is broken in a finite number of steps goes with every search but those that would miss a step of the claim.
    folder.write("safe.pml", "byte x; active proctype p() { do :: x < 9 -> x++ :: x = 0 od } ltl small { [] (x < 9) }");
    for line in [
        "--search bfs",
        "--por",
        "--cache 500",
        "--store compact",
        "--store bloom",
        "--search bfs --disk",
        "--shortest",
    ] {
        let output = folder.pv(&format!("check safe.pml {line}"));
        assert_eq!(code(&output), 1, "{line}: {}", err(&output));
    }
    for line in ["--sleep", "--store compact --pod 1", "--search bfs --checkpoint c"] {
        let output = folder.pv(&format!("check safe.pml {line}"));
        assert_eq!(code(&output), 2, "{line}: {}", out(&output));
        assert!(err(&output).contains("the claim small"), "{}", err(&output));
    }
    // Refused before the model is looked at.
    assert!(err(&folder.pv("check nosuch.pml --hub")).contains("--hub"));
}

#[test]
fn fairness_without_cycles_is_a_warning() {
    let folder = Folder::with_model();
    folder.write("plain.pml", "init { skip }");
    let output = folder.pv("check plain.pml --fair");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(err(&output).contains("--fair has no effect"), "{}", err(&output));
}

#[test]
fn a_failed_assertion_is_told_once_and_is_not_about_properties() {
    let folder = Folder::with_model();
    let properties = "ltl small { [] (x < 5) } ltl one { [] (x != 1) }";
    folder.write("a.pml", &format!("byte x; active proctype p() {{ x = 1; assert(x == 2) }} {properties}"));
    for line in ["", "--all-errors"] {
        let output = folder.pv(&format!("check a.pml --json {line}"));
        assert_eq!(code(&output), 1);
        let value = json(&output);
        assert_eq!(value["verdict"], "violated");
        let verdicts: Vec<_> = [0, 1].map(|number| value["properties"][number]["verdict"].clone()).into();
        assert_eq!(verdicts, ["verified", "violated"], "{line}");
        let errors = value["errors"].as_array().expect("a list");
        let about: Vec<_> = errors.iter().map(|error| (error["message"].as_str(), error.get("property"))).collect();
        let broken = Value::from("one");
        let wanted = [
            (Some("assertion violated (x == 2)"), None),
            (Some("property one does not hold: [] (x != 1)"), Some(&broken)),
        ];
        assert_eq!(about, wanted, "{line}");
    }
    let text = out(&folder.pv("check a.pml --property small"));
    assert!(text.starts_with("violated: assertion (x == 2) at a.pml:1, depth 3\n  small: verified"), "{text}");
    // Behind a run-time error there is nothing to look at.
    folder.write("e.pml", &format!("byte x; active proctype p() {{ x = 1 / x }} {properties}"));
    let value = json(&folder.pv("check e.pml --json"));
    assert_eq!(value["verdict"], "violated");
    assert_eq!(value["error_count"], 1);
    for number in [0, 1] {
        let property = &value["properties"][number];
        assert_eq!(property["verdict"], "incomplete");
        assert!(
            property["reason"].as_str().is_some_and(|reason| reason.contains("an error of the model")),
            "{property}"
        );
    }
}

#[test]
fn a_broken_invariant_is_named_and_shown_in_the_state_that_breaks_it() {
    let folder = Folder::with_model();
    let text = "byte x;\nactive proctype p() { x = 1; x = 2; x = 0 }\nltl small { [] (x < 3) }\nltl q { [] (x != 2) }";
    folder.write("two.pml", text);
    let value = json(&folder.pv("check two.pml --json"));
    assert_eq!(value["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["errors"][0]["line"], 4);
    assert_eq!(value["errors"][0]["property"], "q");
    assert_eq!(value["errors"][0]["message"], "property q does not hold: [] (x != 2)");
    let replayed = out(&folder.pv("replay two.pml two.pml.trail.json"));
    assert!(replayed.contains("property q does not hold"), "{replayed}");
    assert!(replayed.contains("variables:\n  x = 2\n"), "{replayed}");
}

#[test]
fn wrong_command_lines_and_files() {
    let folder = Folder::with_model();
    folder.write("bytes.pml", "\u{1}\u{2}\u{3} init {");
    folder.write("empty.pml", "");
    for line in [
        "",
        "frobnicate",
        "check",
        "check nosuch.pml",
        "check .",
        "check bytes.pml",
        "check m.pml --cache 0",
        "check m.pml --cache many",
        "check m.pml --memory 12Q",
        "check m.pml -D1=2",
        "check m.pml --seed -1",
        "replay m.pml -DBUG=0 nosuch.json",
        "replay m.pml -DBUG=0 m.pml",
        "explore nosuch.pml",
        "explore m.pml -DBUG=0 nosuch.json",
        "explore m.pml -DBUG=0 m.pml",
        "explore m.pml -DBUG=0 --port 70000",
        "simulate nosuch.pml",
        "simulate - --interactive",
        "graph m.pml -DBUG=0 --proctype nobody",
        "ltl p%%",
    ] {
        let output = folder.pv(line);
        assert_eq!(code(&output), 2, "{line}: {} {}", out(&output), err(&output));
        assert!(!output.stderr.is_empty(), "{line}");
    }
}

#[test]
fn diagnostics_go_to_standard_error() {
    let folder = Folder::with_model();
    folder.write("wrong.pml", "init {\n  x = 1\n}\n");
    let output = folder.pv("check wrong.pml");
    assert_eq!(code(&output), 2);
    assert!(output.stdout.is_empty());
    assert!(err(&output).contains("wrong.pml:2:3"), "{}", err(&output));
}

#[test]
fn a_counterexample_is_written_and_replayed() {
    let folder = Folder::with_model();
    let value = json(&folder.pv("check m.pml -DBUG=7 --json"));
    assert_eq!(value["errors"][0]["trail"], "m.pml.trail.json");
    assert!(folder.path("m.pml.trail.json").exists());
    let replay = folder.pv("replay m.pml -DBUG=7 m.pml.trail.json --chart run.svg");
    assert_eq!(code(&replay), 0, "{}", err(&replay));
    let text = out(&replay);
    assert!(text.contains("client 0 starts"), "{text}");
    assert!(text.contains("wire: empty -> [req,7]"), "{text}");
    assert!(text.contains("assertion violated"), "{text}");
    let chart = std::fs::read_to_string(folder.path("run.svg")).expect("a chart");
    assert!(chart.contains("wire!req,7") && chart.contains("client(0)") && chart.contains("class=\"rendezvous\""));
    // The same trail does not fit another text.
    let other = folder.pv("replay m.pml -DBUG=6 m.pml.trail.json");
    assert_eq!(code(&other), 2);
    assert!(err(&other).contains("another model"), "{}", err(&other));
    // Nor does a damaged one.
    let trail = std::fs::read_to_string(folder.path("m.pml.trail.json")).expect("a trail");
    folder.write("cut.json", &trail[..trail.len() / 2]);
    assert_eq!(code(&folder.pv("replay m.pml -DBUG=7 cut.json")), 2);
    let jumbled = trail.replacen("\"actor\":1,\"transition\":0", "\"actor\":1,\"transition\":1", 1);
    assert_ne!(jumbled, trail);
    folder.write("jumbled.json", &jumbled);
    let output = folder.pv("replay m.pml -DBUG=7 jumbled.json");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("does not replay"), "{}", err(&output));
}

#[test]
fn trails_go_where_they_are_told_to() {
    let folder = Folder::with_model();
    assert_eq!(code(&folder.pv("check m.pml -DBUG=7 --no-trail")), 1);
    assert!(!folder.path("m.pml.trail.json").exists());
    assert_eq!(code(&folder.pv("check m.pml -DBUG=7 --trail t.json")), 1);
    assert!(folder.path("t.json").exists());
    let output = folder.pv("check m.pml -DBUG=7 --json --trail no/such/folder/t.json");
    assert_eq!(code(&output), 1, "the verdict stands without the file");
    assert_eq!(json(&output)["errors"][0]["trail"], Value::Null);
}

#[test]
fn simulation_is_repeatable_and_prints_as_spin_does() {
    let folder = Folder::with_model();
    let first = folder.pv("simulate m.pml -DBUG=0 --seed 3");
    assert_eq!(code(&first), 0, "{}", err(&first));
    assert_eq!(out(&first), out(&folder.pv("simulate m.pml -DBUG=0 --seed 3")));
    assert!(out(&first).contains("\n      client 0 starts\n") || out(&first).starts_with("      client 0 starts\n"));
    assert!(out(&first).ends_with("2 processes created\n"), "{}", out(&first));
    let failing = folder.pv("simulate m.pml -DBUG=7");
    assert_eq!(code(&failing), 1);
    assert!(out(&failing).contains("assertion violated"));
    folder.write("loop.pml", "int n; init { do :: n++ od }");
    let endless = folder.pv("simulate loop.pml --steps 20");
    assert_eq!(code(&endless), 0);
    assert!(out(&endless).contains("stopped after 20 steps"));
    let steps = folder.pv("simulate m.pml -DBUG=0 --show-steps --chart c.svg");
    assert!(out(&steps).contains("got: 0 -> 7"), "{}", out(&steps));
    assert!(folder.path("c.svg").exists());
}

#[test]
fn interactive_simulation_from_a_pipe() {
    let folder = Folder::with_model();
    let output = folder.pv_with("simulate m.pml -DBUG=0 --interactive", "1\np\nu\n99\nx y\nu\nr done\nr nowhere\nq\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("client 0 starts"), "{text}");
    assert!(text.contains("processes: 2"), "{text}");
    assert!(text.contains("`99` is none of the choices"), "{text}");
    assert!(text.contains("there is nothing to undo"), "{text}");
    assert!(text.contains("hands"), "{text}");
    assert!(text.contains("no process type has the label `nowhere`"), "{text}");
    // The end of the input ends the simulation.
    assert_eq!(code(&folder.pv_with("simulate m.pml -DBUG=0 --interactive", "1\n")), 0);
}

#[test]
fn graphs_and_claims_are_printed() {
    let folder = Folder::with_model();
    let graph = folder.pv("graph m.pml -DBUG=0");
    assert_eq!(code(&graph), 0);
    assert!(out(&graph).starts_with("digraph \"m.pml\" {"));
    assert!(out(&graph).contains("writes contents of wire"), "{}", out(&graph));
    let claim = folder.pv("ltl <>p");
    assert_eq!(code(&claim), 0);
    assert!(out(&claim).starts_with("never"));
    assert!(out(&folder.pv("ltl <>p --dot")).starts_with("digraph"));
}

/// Each change that a static reduction makes to an automaton can be seen in its picture, and `--full` shows none of them.
#[test]
fn graphs_show_what_is_reduced() {
    let folder = Folder::with_model();
    folder.write(
        "r.pml",
        "byte g, n; byte lost; chan q = [1] of { byte, byte };
         active proctype P() { byte x, y, a[2]; g = 1; x = 2; y = x; g = y; lost = 7; a[1] = g; g = a[1]; n++ }
         proctype Q(byte unused) { byte z; z = g; g = z; (n == 1) }
         init { run Q(3); g = 5; q!4,6; q?4,_ }
        ",
    );
    let graph = out(&folder.pv("graph r.pml"));
    let edge = |text: &str| {
        let label = format!("[label=\"{text}");
        let found: Vec<&str> = graph.lines().filter(|line| line.contains(&label)).collect();
        assert_eq!(found.len(), 1, "{text}: {graph}");
        found[0].to_string()
    };
    assert!(graph.contains("always 0, since nobody reads it: lost"), "{graph}");
    // The local steps are part of the step before them; what the last of them has read is 0 behind it.
    assert!(edge("g = 1").contains("\\ngoes on to ") && edge("g = 1").contains("\\nbecomes 0: x"), "{graph}");
    for local in ["x = 2", "y = x"] {
        let line = edge(local);
        assert!(line.contains("\\npart of the step before") && line.contains("style=dashed"), "{line}");
        assert!(!line.contains("becomes 0"), "{line}");
    }
    assert!(edge("g = y").contains("\\nbecomes 0: y"), "{graph}");
    assert!(edge("lost = 7").contains("\\nnot written, since nobody reads it: lost"), "{graph}");
    assert!(edge("g = a[1]").contains("\\nbecomes 0: a[1]"), "{graph}");
    assert!(graph.contains("[label=\"becomes 0: unused\"]"), "{graph}");
    assert!(edge("q!4,6").contains("\\nsent as 0, since nobody reads it: field 2"), "{graph}");
    let full = out(&folder.pv("graph r.pml --full"));
    for word in ["becomes 0", "not written", "part of", "goes on", "dashed", "always 0", "sent as 0"] {
        assert!(graph.contains(word) && !full.contains(word), "{word}: {full}");
    }
    // Apart from these words both pictures are the same: every location and every transition is there.
    let arrows = |text: &str| {
        let lines = text.lines().filter(|line| line.contains(" -> "));
        lines.map(|line| line.split(['[', ';']).next().unwrap_or_default().trim().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(arrows(&graph), arrows(&full));
}

#[test]
fn colours_only_on_request() {
    let folder = Folder::with_model();
    assert!(!out(&folder.pv("check m.pml -DBUG=0")).contains('\u{1b}'));
    assert!(out(&folder.pv("check m.pml -DBUG=0 --color always")).contains('\u{1b}'));
    assert!(!err(&folder.pv("check m.pml")).contains('\u{1b}'));
    assert!(err(&folder.pv("check m.pml --color always")).contains('\u{1b}'));
}

#[test]
fn a_memory_budget_ends_a_search_that_would_not_end() {
    let folder = Folder::with_model();
    folder.write("grow.pml", "int n;\ninit { do :: n++ od }\n");
    let output = folder.pv("check grow.pml --full --memory 1M --json");
    assert_eq!(code(&output), 3, "{}", err(&output));
    assert!(json(&output)["reason"].as_str().is_some_and(|reason| reason.contains("memory")));
    assert!(json(&output)["memory_bytes"].as_u64().is_some_and(|bytes| bytes <= 2 << 20));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command as Plain, Stdio};
    let folder = Folder::with_model();
    folder.write("loop.pml", "init { do :: printf(\"and on\\n\") od }");
    let binary = assert_cmd::cargo::cargo_bin("pv");
    let mut child = Plain::new(binary)
        .current_dir(&folder.0)
        .args(["simulate", "loop.pml", "--steps", "1M"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("internal error"));
    assert_ne!(output.status.code(), Some(101));
}

#[test]
fn help_names_every_option_of_the_contract() {
    let folder = Folder(tempfile::tempdir().expect("a folder"));
    let help = out(&folder.pv("check --help"));
    for option in [
        "search",
        "all-errors",
        "max-depth",
        "sleep",
        "por",
        "deadlocks-only",
        "check-independence",
        "check-por",
        "cache",
        "replace",
        "store",
        "bits",
        "slots",
        "expect-states",
        "pod",
        "repeat",
        "hub",
        "hub-split",
        "hub-overwrite",
        "ways",
        "disk",
        "work-dir",
        "disk-window",
        "serial",
        "switch-rate",
        "max-collision-rate",
        "memory",
        "checkpoint",
        "checkpoint-every",
        "no-end-states",
        "no-assertions",
        "strict-channels",
        "property",
        "no-claims",
        "fair",
        "non-progress",
        "seed",
        "json",
        "quiet",
        "no-bar",
        "color",
    ] {
        assert!(help.contains(&format!("--{option}")), "{option}");
    }
    assert!(Path::new(env!("CARGO_BIN_EXE_pv")).exists());
}
