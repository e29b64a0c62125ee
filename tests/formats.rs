//! What `pv check` prints for other programs: every kind of JSON against the schemas in `docs/schema`, SARIF, JUnit, workflow commands; several
//! models in one call; `--quiet`; completions and manual pages.

#[path = "common/said.rs"]
mod said;
#[path = "common/schema.rs"]
mod schema;

use said::{code, err, out};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// An assertion that fails, with text that every format has to write in another way.
const BROKEN: &str = "byte x, y;\n/* signs that formats write in their own way */\nactive proctype P() {\n  x = 1;\n  assert(x < 1 && y < 100%9)\n}\n";
const FINE: &str = "byte x; active proctype P() { x = 1; assert(x == 1) }\n";
/// Two warnings would be one too many: one error, at a place.
const WRONG: &str = "byte x;\nactive proctype P() {\n  x = 1;\n  yy = 2\n}\n";
const CYCLE: &str = "byte x;\nactive proctype P() { do :: x = 1 :: x = 0 od }\nactive proctype Q() { x < 2; skip }\n\
                     ltl often { []<>(x == 1) }\nltl small { [] (x < 2) }\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        for (name, text) in [("broken.pml", BROKEN), ("fine.pml", FINE), ("wrong.pml", WRONG), ("cycle.pml", CYCLE)] {
            folder.write(name, text);
        }
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, text).expect("written");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn pv(&self, line: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pv"));
        command.current_dir(&self.0).args(line.split_whitespace()).stdin(Stdio::null()).output().expect("it runs")
    }
}

fn document(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", out(output), err(output)))
}

fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(format!("{name}.json"));
    serde_json::from_str(&std::fs::read_to_string(path).expect("a schema")).expect("JSON")
}

fn must_fit(kind: &str, value: &Value, what: &str) {
    let errors = schema::errors(&schema(kind), value);
    assert!(errors.is_empty(), "{what}: {errors:#?}\n{value:#}");
}

#[test]
fn every_kind_of_json_is_as_its_schema_says() {
    let folder = Folder::new();
    folder.write("warn.pml", "byte x; active proctype P() { x = 1 } ltl p { [] zz }\n");
    folder.write("progress.pml", "byte x; active proctype P() { do :: x = 1 - x od }\n");
    folder.write("f.ltl", "[] (x < 1)\n");
    for (line, exit) in [
        ("broken.pml", 1),
        ("broken.pml --no-trail --full", 1),
        ("broken.pml --shortest", 1),
        ("broken.pml --another", 1),
        ("fine.pml --sleep --cache 500 --replace type", 0),
        ("fine.pml --por --deadlocks-only", 0),
        ("fine.pml --search bfs --cache 500 --hub", 0),
        ("fine.pml --search bfs --disk", 0),
        ("fine.pml --search bfs --serial --cache 100", 0),
        ("fine.pml --store compact --slots 100 --repeat 2", 0),
        ("fine.pml --store bloom --pod 1", 0),
        ("fine.pml --store tree --memory 64M --time 100", 0),
        ("fine.pml --workers 2 --all-errors", 0),
        ("fine.pml --max-depth 1", 3),
        ("fine.pml --certificate c", 0),
        ("fine.pml --fair", 0),
        ("cycle.pml", 1),
        ("cycle.pml --fair --property often", 1),
        ("cycle.pml --formula-file f.ltl", 1),
        ("progress.pml --non-progress", 1),
        ("warn.pml --no-claims", 0),
        ("warn.pml", 2),
        ("wrong.pml", 2),
        ("gone.pml", 2),
        ("fine.pml --property p", 2),
        ("fine.pml broken.pml wrong.pml cycle.pml gone.pml", 1),
    ] {
        let output = folder.pv(&format!("check --json {line}"));
        assert_eq!(code(&output), exit, "{line}: {}", err(&output));
        must_fit("check", &document(&output), line);
    }
    let processes = folder.pv("check fine.pml --processes 2 --json");
    if !err(&processes).contains("without the feature") {
        must_fit("check", &document(&processes), "--processes");
    }
    must_fit("stats", &document(&folder.pv("stats cycle.pml --json")), "stats");
    for trail in ["broken.pml.trail.json", "cycle.pml.trail.json", "progress.pml.trail.json"] {
        let text = std::fs::read_to_string(folder.path(trail)).expect("a trail");
        must_fit("trail", &serde_json::from_str(&text).expect("JSON"), trail);
    }
}

#[test]
fn a_replay_tells_every_step_with_the_state_behind_it() {
    let folder = Folder::new();
    folder.write("start.pml", "byte g = 2; byte a[2]; byte h;\ninit {\n  byte d = a[g];\n  h = 1\n}\n");
    for model in ["broken", "cycle", "start"] {
        assert_eq!(code(&folder.pv(&format!("check {model}.pml"))), 1, "{model}");
        let output = folder.pv(&format!("replay {model}.pml {model}.pml.trail.json --json"));
        assert_eq!(code(&output), 0, "{model}: {}", err(&output));
        must_fit("replay", &document(&output), model);
    }
    let run = document(&folder.pv("replay broken.pml broken.pml.trail.json --json"));
    assert_eq!(run["initial"]["variables"], json!({"x": "0", "y": "0"}));
    assert_eq!(run["initial"]["processes"][0]["next"], json!(["x = 1"]));
    let steps = run["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 2);
    assert_eq!(steps[0]["changes"], json!([{"name": "x", "old": "0", "new": "1"}]));
    assert_eq!(steps[0]["state"]["variables"]["x"], "1");
    assert_eq!((&steps[0]["line"], &steps[0]["column"]), (&json!(4), &json!(3)));
    assert_eq!(steps[1]["error"], "assertion violated (x < 1 && y < 100%9)");
    let cycle = document(&folder.pv("replay cycle.pml cycle.pml.trail.json --json"));
    assert!(cycle["cycle_start"].as_u64().is_some_and(|start| start < cycle["step_count"].as_u64().unwrap_or(0)));
    let last = document(&folder.pv("replay broken.pml broken.pml.trail.json --json --last 1"));
    assert_eq!((last["steps"].as_array().map(Vec::len), &last["steps"][0]), (Some(1), &steps[1]));
    // A trail that does not replay prints no half of a document.
    let trail = std::fs::read_to_string(folder.path("broken.pml.trail.json")).expect("a trail");
    let line = trail.lines().find(|line| line.contains("\"actor\"")).expect("a step").trim_end_matches(',').to_string();
    folder.write("twice.json", &trail.replace(&line, &format!("{line},\n{line}")));
    let output = folder.pv("replay broken.pml twice.json --json");
    let refused = document(&output);
    must_fit("replay", &refused, "a trail that does not replay");
    assert_eq!((code(&output), &refused["verdict"], &refused["steps"]), (2, &json!("not-checked"), &Value::Null));
    assert!(err(&output).contains("the trail does not replay: step 2"), "{}", err(&output));
}

#[test]
fn a_replay_speaks_in_the_words_of_the_source() {
    let folder = Folder::new();
    folder.write(
        "words.pml",
        "#define MAX 3\n#define SEND(c, v) c!v\nchan q = [2] of { byte };\nbyte x;\ninline add(v) { x = x + MAX; x = v }\n\
         active proctype P() {\n  byte i;\n  x = MAX;\n  SEND(q, MAX);\n  add(4);\n  for (i : 1 .. 1) { skip }\n  \
         assert(x ==\n    MAX)\n}\nltl p { [] (x < 9) }\n",
    );
    assert_eq!(code(&folder.pv("check words.pml --formula <>(x==8)")), 1);
    let line = "replay words.pml words.pml.trail.json";
    let run = document(&folder.pv(&format!("{line} --json")));
    let steps: Vec<&Value> =
        run["steps"].as_array().expect("steps").iter().filter(|step| !step["pid"].is_null()).collect();
    let of = |text: &str| steps.iter().find(|step| step["text"] == text).unwrap_or_else(|| panic!("{text}: {run:#}"));
    assert_eq!((&of("x = 3")["written"], &of("x = 3")["calls"]), (&json!("x = MAX"), &json!([])));
    assert_eq!((&of("q!3")["written"], &of("q!3")["column"]), (&json!("SEND(q, MAX)"), &json!(3)));
    assert_eq!((&of("x = (x+3)")["written"], &of("x = (x+3)")["calls"]), (&json!("x = x + MAX"), &json!(["add(4)"])));
    // It ends with the argument; the parameter stands there.
    assert_eq!((&of("x = 4")["written"], &of("x = 4")["calls"]), (&json!("x = v"), &json!(["add(4)"])));
    assert_eq!((&of("x = 4")["line"], &of("x = 4")["end"]["column"]), (&json!(5), &json!(35)));
    // Told from the head of the loop.
    assert_eq!(of("i = 1")["written"], "i = 1");
    assert_eq!(of("assert((x==3))")["written"], "assert(x == MAX)");
    let expanded = out(&folder.pv(&format!("{line} --expanded")));
    assert!(expanded.contains("  x = (x+3)\n") && !expanded.contains(" in add"), "{expanded}");
    let plain = out(&folder.pv(line));
    assert!(plain.contains("  x = x + MAX   in add(4)\n") && !plain.contains("  claim formula  "), "{plain}");
    assert!(plain.contains(" of the claim not shown (--claim-steps) --\n"), "{plain}");
    let written = out(&folder.pv(&format!("{line} --as-written --claim-steps")));
    assert!(written.contains("  x = x + MAX   in add(4)\n") && written.contains("  SEND(q, MAX)\n"), "{written}");
    assert!(written.contains("  claim formula  ") && !written.contains("not shown"), "{written}");
    assert_eq!(code(&folder.pv(&format!("{line} --json --claim-steps"))), 2);
    assert_eq!(code(&folder.pv(&format!("{line} --as-written --expanded"))), 2);
}

#[test]
fn code_flows_leave_the_steps_of_the_claim_out() {
    let folder = Folder::new();
    folder.write(
        "turns.pml",
        "byte x;\ninline turn(v) {\n  v = 1 - v\n}\nactive proctype P() {\n  do :: turn(x) od\n}\nltl p { <> (x == 9) }\n",
    );
    let output = folder.pv("check turns.pml --format sarif");
    assert_eq!(code(&output), 1, "{}", err(&output));
    let flow = &document(&output)["runs"][0]["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"];
    let all = flow.as_array().expect("steps");
    let (end, steps) = all.split_last().expect("steps and what is wrong");
    let text = |step: &Value| step["location"]["message"]["text"].as_str().unwrap_or_default().to_string();
    assert!(
        !steps.is_empty() && steps.iter().all(|step| text(step).ends_with("P(0): v = 1 - v   in turn(x)")),
        "{flow:#}"
    );
    let lines = steps.iter().map(|step| &step["location"]["physicalLocation"]["region"]["startLine"]);
    assert!(lines.clone().all(|line| line == 3), "{flow:#}");
    assert_eq!(
        steps.iter().filter(|step| text(step).starts_with("from here on the steps repeat: ")).count(),
        1,
        "{flow:#}"
    );
    // Their numbers are those of a replay.
    let replay = out(&folder.pv("replay turns.pml turns.pml.trail.json"));
    let numbers: Vec<u64> = replay
        .lines()
        .filter(|line| line.contains("  P(0) "))
        .filter_map(|line| line.split_whitespace().next()?.parse().ok())
        .collect();
    let orders: Vec<u64> = steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect();
    assert_eq!(orders, numbers, "{replay}");
    assert!(end["executionOrder"].as_u64() > orders.last().copied(), "{flow:#}");
}

#[test]
fn a_command_line_that_is_refused_is_told_in_the_format_that_was_asked_for() {
    let folder = Folder::new();
    for (line, message) in [
        ("check fine.pml --hub", "--hub without --search bfs --cache makes no sense"),
        ("check fine.pml --cache x", "invalid value 'x' for '--cache <N>'"),
        ("check fine.pml --nosuch", "unexpected argument '--nosuch' found"),
    ] {
        let text = folder.pv(line);
        assert_eq!((code(&text), out(&text)), (2, String::new()), "{line}");
        let of = |format: &str| folder.pv(&format!("{line} {format}"));
        for format in ["--json", "--format json", "--format=json"] {
            let refused = of(format);
            let told = document(&refused);
            must_fit("check", &told, line);
            assert_eq!((code(&refused), &told["model"], &told["exit_code"]), (2, &json!(null), &json!(2)), "{line}");
            assert!(
                told["diagnostics"][0]["message"].as_str().is_some_and(|text| text.starts_with(message)),
                "{told:#}"
            );
            assert!(err(&refused).contains(message), "{}", err(&refused));
        }
        let sarif = document(&of("--format sarif"));
        let invocation = &sarif["runs"][0]["invocations"][0];
        assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(false), &json!(2)), "{line}");
        let told = &invocation["toolExecutionNotifications"][0];
        assert!(told["message"]["text"].as_str().is_some_and(|text| text.starts_with(message)), "{told:#}");
        assert_eq!(told["locations"], json!(null));
        assert!(out(&of("--format github")).starts_with(&format!("::error title=pv::{message}")), "{line}");
        assert!(
            out(&of("--format junit"))
                .contains("<testsuite name=\"command line\" tests=\"1\" failures=\"0\" errors=\"1\""),
            "{line}"
        );
    }
    // Help is no refusal.
    let help = folder.pv("check --json --help");
    assert!(code(&help) == 0 && out(&help).contains("Usage:"), "{}", out(&help));
}

#[test]
fn what_stands_in_no_file_has_no_address() {
    let folder = Folder::new();
    let line = "check fine.pml --formula [](nothing==8)";
    let sarif = document(&folder.pv(&format!("{line} --format sarif")));
    let place = &sarif["runs"][0]["results"][0]["locations"][0];
    assert_eq!(place["physicalLocation"], json!(null), "{sarif:#}");
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "<formula>", "{sarif:#}");
    let github = out(&folder.pv(&format!("{line} --format github")));
    assert!(github.contains("::error title=pv::<formula>:1:4: ") && !github.contains("file="), "{github}");
}

#[test]
fn charts_are_text_where_the_name_says_so() {
    let folder = Folder::new();
    folder.write(
        "m.pml",
        "chan q = [1] of { byte };\nactive proctype A() { q!7 }\nactive proctype B() { byte b; q?b; assert(b == 8) }\n",
    );
    assert_eq!(code(&folder.pv("check m.pml")), 1);
    for (name, begins, holds) in [
        ("c.mmd", "sequenceDiagram\n", "  p0->>c0: 1 · l.2 · 7\n  c0->>p1: 2 · l.3 · 7\n"),
        ("c.puml", "@startuml\n", "  p0 -> c0: 1 · l.2 · 7\n  c0 -> p1: 2 · l.3 · 7\n"),
        ("c.svg", "<svg", "q!7"),
    ] {
        assert_eq!(code(&folder.pv(&format!("replay m.pml m.pml.trail.json --chart {name}"))), 0);
        let text = std::fs::read_to_string(folder.path(name)).expect("a chart");
        assert!(text.starts_with(begins) && text.contains(holds), "{name}: {text}");
    }
}

/// The models behind the one that is interrupted are told as well, and the document is whole.
#[cfg(unix)]
#[test]
fn an_interruption_ends_the_current_model_and_leaves_out_the_others() {
    let folder = Folder::new();
    folder.write("endless.pml", "int a, b; active [2] proctype P() { do :: a++ :: b++ od }\n");
    std::fs::create_dir(folder.path("work")).expect("made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_pv"));
    let line = "check endless.pml fine.pml --json --full --search bfs --store compact --slots 20M --work-dir work";
    command.current_dir(&folder.0).args(line.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = command.spawn().expect("it runs");
    while std::fs::read_dir(folder.path("work")).expect("a folder").next().is_none() {
        assert!(running.try_wait().expect("a state").is_none(), "it has ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &running.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let output = running.wait_with_output().expect("its output");
    assert_eq!(code(&output), 3);
    let told = document(&output);
    must_fit("check", &told, "interrupted");
    assert_eq!(told["models"][0]["verdict"], "incomplete");
    assert_eq!(told["models"][1]["verdict"], "not-checked");
}

#[test]
fn what_a_comparison_writes_is_as_its_schema_says() {
    let folder = Folder::new();
    // Errors have their depth, and a cache that is too small stops behind them.
    folder.write("counts.pml", "byte x; active [2] proctype P() { x++; assert(x < 2) }\n");
    let mut fields = BTreeSet::new();
    for line in [
        "fine.pml",
        "broken.pml",
        "counts.pml",
        "cycle.pml",
        "cycle.pml --property often",
        "counts.pml --vary max-depth=1,2,3,4",
        "broken.pml --vary max-depth=0,1,2",
    ] {
        let output = folder.pv(&format!("compare {line} --out o"));
        assert_eq!(code(&output), 0, "{line}: {}", err(&output));
        let text = std::fs::read_to_string(folder.path("o/results.json")).expect("results");
        let results: Value = serde_json::from_str(&text).expect("JSON");
        let runs = results["runs"].as_array().expect("runs");
        assert!(runs.len() > 2, "{line}: {results:#}");
        must_fit("compare", &results, line);
        fields.extend(runs.iter().filter_map(Value::as_object).flat_map(|run| run.keys().cloned()));
        std::fs::remove_dir_all(folder.path("o")).expect("removed");
    }
    for field in ["reason", "stopped", "error_depth"] {
        assert!(fields.contains(field), "nothing was written with `{field}`: {fields:?}");
    }
}

#[test]
fn the_schemas_are_closed_and_the_validator_can_say_no() {
    for kind in ["check", "stats", "compare", "trail", "replay"] {
        assert_eq!(schema::open_objects(&schema(kind), kind), Vec::<String>::new());
    }
    let folder = Folder::new();
    let report = document(&folder.pv("check broken.pml --json"));
    let check = schema("check");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut value = report.clone();
        change(&mut value);
        schema::errors(&check, &value)
    };
    assert!(changed(&|_| {}).is_empty());
    assert!(!changed(&|value| value["news"] = json!(1)).is_empty());
    assert!(!changed(&|value| value["errors"][0]["news"] = json!(1)).is_empty());
    assert!(!changed(&|value| value["verdict"] = json!("fine")).is_empty());
    assert!(!changed(&|value| value["depth"] = json!(1.5)).is_empty());
    assert!(!changed(&|value| drop(value.as_object_mut().map(|fields| fields.remove("states")))).is_empty());
}

#[test]
fn a_model_that_does_not_load_is_told_as_json() {
    let folder = Folder::new();
    let output = folder.pv("check wrong.pml --json");
    assert_eq!(code(&output), 2);
    let told = document(&output);
    assert_eq!((&told["verdict"], &told["exit_code"]), (&json!("not-checked"), &json!(2)));
    let diagnostic = &told["diagnostics"][0];
    assert_eq!(diagnostic["message"], "unknown variable `yy`");
    assert_eq!(
        (&diagnostic["file"], &diagnostic["line"], &diagnostic["column"], &diagnostic["end"], &diagnostic["severity"]),
        (&json!("wrong.pml"), &json!(4), &json!(3), &json!({"line": 4, "column": 5}), &json!("error"))
    );
    // People see it, too.
    assert!(err(&output).contains("wrong.pml:4:3"), "{}", err(&output));
    assert_eq!(document(&folder.pv("check gone.pml --json"))["diagnostics"][0].get("file"), None);
}

#[test]
fn sarif_has_place_and_path() {
    let folder = Folder::new();
    let output = folder.pv("check broken.pml cycle.pml wrong.pml fine.pml --format sarif");
    assert_eq!(code(&output), 1);
    let sarif = document(&output);
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    let rules: Vec<&str> = run["tool"]["driver"]["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .filter_map(|rule| rule["id"].as_str())
        .collect();
    let results = run["results"].as_array().expect("results");
    for result in results {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        // What comes behind the rule is the code of a diagnostic.
        let id = result["ruleId"].as_str().and_then(|id| id.split('/').next());
        assert_eq!(Some(rules[index]), id, "{result:#}");
    }
    let of = |rule: &str| results.iter().filter(|result| result["ruleId"] == rule).collect::<Vec<_>>();
    let [assertion] = of("assertion")[..] else { panic!("{results:#?}") };
    let place = &assertion["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "broken.pml");
    assert_eq!(place["region"], json!({"startLine": 5, "startColumn": 3, "endLine": 5, "endColumn": 29}));
    let steps = assertion["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("steps");
    let lines: Vec<&Value> =
        steps.iter().map(|step| &step["location"]["physicalLocation"]["region"]["startLine"]).collect();
    assert_eq!(lines, [4, 5, 5]);
    assert_eq!(steps[0]["location"]["message"]["text"], "P(0): x = 1");
    let [cycle] = of("acceptance-cycle")[..] else { panic!("{results:#?}") };
    assert_eq!(cycle["properties"]["property"], "often");
    let repeats = cycle["codeFlows"][0].to_string().matches("from here on the steps repeat").count();
    assert_eq!(repeats, 1, "{cycle:#}");
    let [error] = of("model-error/unknown-name")[..] else { panic!("{results:#?}") };
    assert_eq!(error["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
    // A model that was not read is no success, whatever comes of the others.
    for line in ["check broken.pml wrong.pml", "check wrong.pml broken.pml fine.pml", "check broken.pml nowhere.pml"] {
        let mixed = document(&folder.pv(&format!("{line} --format sarif")));
        let invocation = &mixed["runs"][0]["invocations"][0];
        assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&json!(false), &json!(1)), "{line}");
    }
    let read = document(&folder.pv("check broken.pml fine.pml --format sarif"));
    assert_eq!(read["runs"][0]["invocations"][0]["executionSuccessful"], true);
    // Without an answer the run was no success.
    let incomplete = document(&folder.pv("check fine.pml --max-depth 1 --format sarif"));
    let invocation = &incomplete["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let said = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().expect("a text");
    assert!(said.contains("--max-depth"), "{said}");
}

#[test]
fn junit_has_a_suite_for_each_model() {
    let folder = Folder::new();
    let output = folder.pv("check broken.pml cycle.pml wrong.pml --format junit");
    assert_eq!(code(&output), 1);
    let text = out(&output);
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pv\" tests=\"4\" failures=\"2\" errors=\"1\""), "{text}");
    assert!(text.contains("<testsuite name=\"cycle.pml\" tests=\"2\" failures=\"1\" errors=\"0\""), "{text}");
    assert!(text.contains("<testcase name=\"small\" classname=\"cycle.pml\""), "{text}");
    assert!(text.contains("<failure type=\"acceptance-cycle\""), "{text}");
    assert!(text.contains("message=\"assertion violated (x &lt; 1 &amp;&amp; y &lt; 100%9)\""), "{text}");
    assert!(text.contains("<error type=\"not-checked\" message=\"unknown variable `yy`\">wrong.pml:4:3: "), "{text}");
    let incomplete = out(&folder.pv("check fine.pml --max-depth 1 --format junit"));
    assert!(incomplete.contains("errors=\"1\"") && incomplete.contains("<error type=\"incomplete\""), "{incomplete}");
    let fine = out(&folder.pv("check fine.pml --format junit"));
    assert!(fine.contains("tests=\"1\" failures=\"0\" errors=\"0\"") && !fine.contains("<error"), "{fine}");
    // An error of the model is none of its property.
    folder.write("both.pml", "byte x; active proctype P() { x = 1; assert(x == 2) } ltl p { [] (x < 2) }\n");
    let both = out(&folder.pv("check both.pml --format junit"));
    assert!(both.contains("tests=\"2\" failures=\"1\" errors=\"0\""), "{both}");
    assert!(both.contains("<testcase name=\"p\" classname=\"both.pml\" file=\"both.pml\" time=\"0.0"), "{both}");
}

#[test]
fn workflow_commands_annotate_lines() {
    let folder = Folder::new();
    let output = folder.pv("check broken.pml wrong.pml fine.pml --format github");
    assert_eq!(code(&output), 1);
    let text = out(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 6, "{text}");
    assert!(
        lines[0].starts_with("::warning file=broken.pml,line=1,endLine=1,col=9,endColumn=10,title=pv%3A warning::")
    );
    let message =
        "assertion violated (x < 1 && y < 100%259), depth 1%0Areplay it: pv replay broken.pml broken.pml.trail.json";
    assert_eq!(
        lines[1],
        format!("::error file=broken.pml,line=5,endLine=5,col=3,endColumn=29,title=pv%3A assertion::{message}")
    );
    assert!(lines[2].starts_with("pv: broken.pml: violated: assertion"), "{text}");
    assert!(lines[3].starts_with("::error file=wrong.pml,line=4,endLine=4,col=3,endColumn=5,title=pv::"), "{text}");
    assert!(lines[5].starts_with("pv: fine.pml: verified; "), "{text}");
    // A state that breaks a property breaks no assertion.
    folder.write("rises.pml", "byte x; active proctype P() { x = 1; x = 2 } ltl low { [] (x < 2) }\n");
    let github = out(&folder.pv("check rises.pml --format github"));
    assert!(github.contains("title=pv%3A property::property low does not hold"), "{github}");
    let junit = out(&folder.pv("check rises.pml --format junit"));
    assert!(junit.contains("<failure type=\"property\" message=\"property low does not hold"), "{junit}");
    // What the message says is not said again.
    folder.write("apart.pml", "byte x, y; active proctype P() { x = 1 y = 2 }\n");
    for format in ["github", "junit", "sarif"] {
        let text = out(&folder.pv(&format!("check apart.pml --format {format}")));
        assert!(text.contains("found `y`") && !text.contains("found `y`: expected"), "{format}: {text}");
    }
    let incomplete = out(&folder.pv("check fine.pml --max-depth 1 --format github"));
    assert!(incomplete.starts_with("::error title=pv%3A incomplete::fine.pml: paths were cut off"), "{incomplete}");
}

#[test]
fn the_worst_model_decides() {
    let folder = Folder::new();
    for (line, exit) in [
        ("fine.pml cycle.pml --no-claims", 0),
        ("fine.pml broken.pml wrong.pml", 1),
        ("wrong.pml fine.pml", 2),
        ("fine.pml cycle.pml --no-claims --max-depth 1", 3),
        ("fine.pml wrong.pml --max-depth 1", 2),
    ] {
        let output = folder.pv(&format!("check {line}"));
        assert_eq!(code(&output), exit, "{line}: {}{}", out(&output), err(&output));
    }
    let output = folder.pv("check fine.pml wrong.pml broken.pml");
    let text = out(&output);
    let end: Vec<&str> = text.lines().rev().take(4).collect();
    assert_eq!(end[3], "3 models: 1 verified, 1 violated, 1 not checked", "{text}");
    assert!(end[2].starts_with("  fine.pml: verified; "), "{text}");
    assert_eq!(end[1], "  wrong.pml: not checked: unknown variable `yy`", "{text}");
    let several = document(&folder.pv("check fine.pml wrong.pml broken.pml --json"));
    assert_eq!(
        several["summary"],
        json!({"models": 3, "verified": 1, "no_error_found": 0, "violated": 1, "incomplete": 0, "not_checked": 1, "exit_code": 1})
    );
    assert_eq!(several["models"][2]["errors"][0]["trail"], "broken.pml.trail.json");
}

#[test]
fn trails_of_models_of_one_name_stay_apart() {
    let folder = Folder::new();
    folder.write("a/m.pml", BROKEN);
    folder.write("b/m.pml", "byte z; active proctype P() { assert(z == 1) }\n");
    assert_eq!(code(&folder.pv("check a/m.pml b/m.pml")), 1);
    for name in ["a", "b"] {
        let replay = folder.pv(&format!("replay {name}/m.pml {name}-m.pml.trail.json"));
        assert_eq!(code(&replay), 0, "{}", err(&replay));
    }
    assert!(!folder.path("m.pml.trail.json").exists());
    assert_eq!(code(&folder.pv("check a/m.pml b/m.pml --no-trail")), 1);
}

#[test]
fn what_is_of_one_model_is_refused_for_several() {
    let folder = Folder::new();
    for (line, says) in [
        ("fine.pml broken.pml --trail t", "--trail with several models"),
        ("fine.pml broken.pml --certificate c", "--certificate with several models"),
        ("fine.pml broken.pml --search bfs --checkpoint c", "--checkpoint with several models"),
        ("fine.pml broken.pml --processes 2", "--hosts and --processes with several models"),
        ("fine.pml -", "`-` with other models"),
        ("fine.pml fine.pml", "a model twice"),
        ("fine.pml ./fine.pml", "fine.pml and ./fine.pml are one file"),
    ] {
        let output = folder.pv(&format!("check {line}"));
        assert_eq!((code(&output), out(&output).as_str()), (2, ""), "{line}");
        assert!(err(&output).contains(says), "{line}: {}", err(&output));
    }
    let both = folder.pv("check fine.pml --json --format junit");
    assert_eq!(code(&both), 2);
    assert!(
        err(&both).contains("--json with another --format") && out(&both).contains("\"not-checked\""),
        "{}",
        out(&both)
    );
    // A setting of a comparison has one model, too.
    folder.write("matrix.toml", "[[runs]]\nsleep = \"broken.pml\"\n");
    let output = folder.pv("compare fine.pml --out o --matrix matrix.toml");
    assert!(out(&output).contains("unexpected argument 'broken.pml' found"), "{}", out(&output));
}

#[test]
fn quiet_is_one_line() {
    let folder = Folder::new();
    for (line, exit, begins) in [
        ("fine.pml", 0, "fine.pml: verified; "),
        ("broken.pml", 1, "broken.pml: violated: assertion (x < 1 && y < 100%9) at broken.pml:5, depth 1; 2 states, "),
        ("cycle.pml", 1, "cycle.pml: violated: acceptance cycle"),
        ("fine.pml --max-depth 1", 3, "fine.pml: incomplete: paths were cut off"),
        ("wrong.pml", 2, "wrong.pml: not checked: unknown variable `yy`"),
        ("fine.pml --store bloom", 0, "fine.pml: no error found: states may have been omitted"),
    ] {
        let output = folder.pv(&format!("check {line} --quiet"));
        assert_eq!(code(&output), exit, "{line}: {}", err(&output));
        let text = out(&output);
        assert!(text.starts_with(begins) && text.ends_with('\n') && text.lines().count() == 1, "{line}: {text}");
        assert_eq!(text.contains(" state") && text.ends_with(" s\n"), exit != 2, "{line}: {text}");
    }
    assert_eq!(out(&folder.pv("check fine.pml broken.pml --quiet")).lines().count(), 2);
}

#[test]
fn completions_and_manual_pages_know_every_command() {
    let folder = Folder::new();
    let help = out(&folder.pv("--help"));
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"check") && commands.contains(&"completions"), "{commands:?}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = folder.pv(&format!("completions {shell}"));
        assert_eq!(code(&output), 0, "{shell}");
        let text = out(&output);
        for word in commands.iter().chain(&["max-depth"]) {
            assert!(text.contains(word), "{shell}: {word}");
        }
        // Values of options are completed where the shell can.
        assert_eq!(text.contains("sarif"), !matches!(shell, "powershell" | "elvish"), "{shell}");
    }
    // The codes of `pv explain`, and any other word still has its answer.
    for shell in ["bash", "zsh"] {
        let text = out(&folder.pv(&format!("completions {shell}")));
        assert!(text.contains("never-read") && text.contains("cut-off"), "{shell}");
    }
    assert!(err(&folder.pv("explain nver-read")).contains("did you mean `never-read`?"));
    assert_eq!(code(&folder.pv("completions tcsh")), 2);
    let page = folder.pv("man");
    assert_eq!(code(&page), 0);
    assert!(out(&page).contains(".TH pv 1"), "{}", out(&page));
    assert_eq!(code(&folder.pv("man pages/man1")), 0);
    for command in commands {
        let text = std::fs::read_to_string(folder.path(&format!("pages/man1/pv-{command}.1"))).expect(command);
        assert!(text.contains(&format!(".TH pv-{command} 1")), "{command}");
    }
    assert!(folder.path("pages/man1/pv.1").exists());
    // The name of a command is hardly that of a folder, unless it is there or named as one.
    let refused = folder.pv("man check");
    assert_eq!(code(&refused), 2);
    assert!(err(&refused).contains("pv check --help") && err(&refused).contains("pv man ./check"), "{}", err(&refused));
    assert!(!folder.path("check").exists());
    assert_eq!(code(&folder.pv("man ./check")), 0);
    assert_eq!(code(&folder.pv("man check")), 0, "it is there now");
    // A folder that cannot be made.
    let refused = folder.pv("man fine.pml");
    assert_eq!(code(&refused), 2);
    assert!(err(&refused).contains("the manual cannot be written to fine.pml"), "{}", err(&refused));
}

/// A case passes only if it was looked at to its end.
#[test]
fn no_case_passes_that_was_not_checked() {
    let folder = Folder::new();
    folder.write(
        "never.pml",
        "byte x; active proctype Q() { accept: do :: x = 1 - x :: break od; assert(false) } never { accept: do :: x < 9 od }\n",
    );
    let never = out(&folder.pv("check never.pml --format junit"));
    assert!(never.contains("failures=\"1\"") && !never.contains("\"safety\""), "{never}");
    let deadlocks = out(&folder.pv("check broken.pml --por --deadlocks-only --format junit"));
    assert!(deadlocks.contains("name=\"end states\"") && !deadlocks.contains("\"safety\""), "{deadlocks}");
    let nothing = out(&folder.pv("check broken.pml --no-assertions --no-end-states --format junit"));
    assert!(nothing.contains("name=\"run-time errors\"") && !nothing.contains("\"safety\""), "{nothing}");
    folder.write("steps.pml", "active proctype P() { progress: do :: progress1: assert(false) od }\n");
    let steps = out(&folder.pv("check steps.pml --non-progress --format junit"));
    assert!(steps.contains("<error type=\"incomplete\"") && steps.contains("failures=\"1\" errors=\"1\""), "{steps}");
    let unwritten = folder.pv("check fine.pml --certificate no/such/folder --format junit");
    assert!(code(&unwritten) == 2 && out(&unwritten).contains("errors=\"1\""), "{}", out(&unwritten));
    #[cfg(unix)]
    if Path::new("/dev/full").exists() {
        let full = folder.pv("check fine.pml --certificate /dev/full --format junit");
        assert!(code(&full) == 2 && out(&full).contains("errors=\"1\""), "{}", out(&full));
    }
}

/// What an interrupt kept from being looked at is told, and is not verified.
#[cfg(unix)]
#[test]
fn properties_that_an_interrupt_left_out_are_incomplete() {
    let folder = Folder::new();
    let mut model = "byte x; active proctype P() { do :: x < 200 -> x++ :: x > 0 -> x-- od }\n".to_string();
    (0..400).for_each(|number| model.push_str(&format!("ltl p{number} {{ [] (x < {}) }}\n", 201 + number)));
    model.push_str("ltl last { [] (x < 100) }\n");
    folder.write("many.pml", &model);
    for wait in [20, 60, 110, 170, 230] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pv"));
        let words = ["check", "many.pml", "--no-trail", "--json"];
        let child = command.current_dir(&folder.0).args(words).stdin(Stdio::null()).stdout(Stdio::piped());
        let child = child.stderr(Stdio::piped()).spawn().expect("it runs");
        std::thread::sleep(std::time::Duration::from_millis(wait));
        let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        let output = child.wait_with_output().expect("it ends");
        // A signal before anybody listens ends the program; else the last property is violated or was not reached.
        if output.status.code().is_some_and(|code| code != 130) {
            assert!(matches!(code(&output), 1 | 3), "{} after {wait} ms: {}", code(&output), out(&output));
            let properties = document(&output)["properties"].as_array().map_or(0, Vec::len);
            assert_eq!(properties, 401, "after {wait} ms");
        }
    }
}

/// What is read is never replaced by what is written.
#[test]
fn a_replay_does_not_write_over_its_model_or_trail() {
    let folder = Folder::new();
    folder.pv("check broken.pml");
    for options in ["--html broken.pml", "--chart ./broken.pml", "--html broken.pml.trail.json", "--chart o --html o"] {
        let output = folder.pv(&format!("replay broken.pml broken.pml.trail.json {options}"));
        assert_eq!(code(&output), 2, "{options}: {}", err(&output));
    }
    assert_eq!(std::fs::read_to_string(folder.path("broken.pml")).expect("it is there"), BROKEN);
    folder.write("broken.pml.trail.json", FINE);
    let both = folder.pv("check broken.pml broken.pml.trail.json");
    assert_eq!(code(&both), 2, "{}", err(&both));
}
