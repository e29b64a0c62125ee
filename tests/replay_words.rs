//! A run in the user's words, on the command line: values that are watched in a replay, a simulation that starts with a trail, and a simulation by hand.

#[path = "common/said.rs"]
mod said;
#[path = "common/schema.rs"]
mod schema;

use said::{code, err, out};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const BROKEN: &str = "mtype = { red, green };\nmtype light = red;\nbyte x, y;\nactive proctype P() {\n  x = 3;\n  y = 7;\n\
                      go:  light = green;\n  assert(x > y)\n}\n";
const MEETS: &str = "chan c = [0] of { byte };\nbyte got;\nactive proctype A() {\n  c!7;\n  got = 9\n}\nactive proctype B() {\n  c?got;\n\
                     hands:  assert(got < 8)\n}\nltl small { [] (got < 9) }\n";

struct Folder(tempfile::TempDir);

impl Folder {
    /// With the models, and a trail of each.
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a folder"));
        for (name, text) in [("broken.pml", BROKEN), ("meets.pml", MEETS)] {
            std::fs::write(folder.0.path().join(name), text).expect("written");
            assert_eq!(code(&folder.pv(&["check", name], "")), 1, "{name}");
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn pv(&self, line: &[&str], input: &str) -> Output {
        self.pv_bytes(line, input.as_bytes())
    }

    fn pv_bytes(&self, line: &[&str], input: &[u8]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pv"));
        let command = command.current_dir(self.path()).args(line).stdin(Stdio::piped());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        // A program that has ended reads no more.
        let _ = child.stdin.take().expect("a pipe").write_all(input);
        child.wait_with_output().expect("it ends")
    }
}

const REPLAY: [&str; 3] = ["replay", "broken.pml", "broken.pml.trail.json"];

fn watched(folder: &Folder, more: &[&str]) -> Output {
    folder.pv(&[&REPLAY[..], more].concat(), "")
}

#[test]
fn watched_values_are_printed_where_they_change() {
    let folder = Folder::new();
    let output = watched(&folder, &["--watch", "x + y", "--watch", "light", "--watch", "P@go", "--watch", "_last"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    let found: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("watch ")).collect();
    let expected = [
        "x + y: 0",
        "light: red",
        "P@go: 0",
        "_last: 0",
        "x + y: 0 -> 3",
        "x + y: 3 -> 10",
        "P@go: 0 -> 1",
        "light: red -> green",
        "P@go: 1 -> 0",
    ];
    assert_eq!(found, expected, "{text}");
    // The start is that of what is printed.
    let last = out(&watched(&folder, &["--watch", "x + y", "--last", "1"]));
    assert!(last.contains("watch x + y: 10\n") && !last.contains("->"), "{last}");
}

#[test]
fn watched_values_are_kept_in_the_page() {
    let folder = Folder::new();
    let output = watched(&folder, &["--watch", "x + y", "--html", "run.html"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let page = std::fs::read_to_string(folder.path().join("run.html")).expect("a page");
    assert!(page.contains(r#""watches":[{"expression":"x + y","values":["0","3","10","10","10"]}]"#), "{page}");
}

#[test]
fn watched_values_are_a_field_of_every_step() {
    let folder = Folder::new();
    let output = watched(&folder, &["--json", "--watch", "x + y", "--watch", "light"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/replay.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).expect("a schema")).expect("JSON");
    assert_eq!(schema::errors(&schema, &run), [""; 0]);
    assert_eq!(schema::open_objects(&schema, ""), [""; 0]);
    assert_eq!(run["watched"], json!({"x + y": "0", "light": "red"}));
    let values: Vec<&Value> = run["steps"].as_array().expect("steps").iter().map(|step| &step["watched"]).collect();
    let value = |sum: &str, light: &str| json!({"x + y": sum, "light": light});
    let expected = [value("3", "red"), value("10", "red"), value("10", "green"), value("10", "green")];
    assert_eq!(values, expected.iter().collect::<Vec<_>>());
}

#[test]
fn wrong_expressions_are_told_before_anything_is_printed() {
    let folder = Folder::new();
    for (wrong, why) in [("nothing > 1", "nothing"), ("x +", ""), ("", "no expression"), ("x = 1", ""), ("x; y", "")] {
        for json in [&[][..], &["--json"]] {
            let output = watched(&folder, &[&["--watch", "x", "--watch", wrong], json].concat());
            let message = err(&output);
            assert_eq!(code(&output), 2, "{wrong}: {message}");
            assert!(message.contains("--watch") && message.contains(why), "{wrong}: {message}");
            // No step; who asked for an object gets the one that says why.
            match json {
                [] => assert_eq!(out(&output), "", "{wrong}"),
                _ => refusal(&output, "replay", why),
            }
        }
    }
}

/// One JSON object that says why there is no other one.
fn refusal(output: &Output, kind: &str, why: &str) {
    let value: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema").join(format!("{kind}.json"));
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).expect("a schema")).expect("JSON");
    assert_eq!(schema::errors(&schema, &value), [""; 0], "{value:#}");
    assert_eq!((&value["verdict"], &value["exit_code"]), (&json!("not-checked"), &json!(2)), "{value:#}");
    assert!(value["reason"].as_str().expect("a reason").contains(why), "{why}: {value:#}");
}

#[test]
fn who_asked_for_json_gets_it_where_something_is_wrong() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("wrong.pml"), "init { x = 1 }").expect("written");
    for (line, kind, why) in [
        ("replay --json gone.pml broken.pml.trail.json", "replay", "gone.pml"),
        ("replay --json broken.pml gone.json", "replay", "gone.json"),
        ("replay --json broken.pml broken.pml", "replay", "broken.pml"),
        ("replay --json meets.pml broken.pml.trail.json", "replay", "another model"),
        ("replay --json wrong.pml broken.pml.trail.json", "replay", "unknown variable"),
        ("replay --json broken.pml", "replay", "TRAIL"),
        ("replay --json broken.pml broken.pml.trail.json --chart broken.pml", "replay", "that is the model"),
        ("stats --json gone.pml", "stats", "gone.pml"),
        ("stats --json wrong.pml", "stats", "unknown variable"),
        ("stats --json broken.pml --hubs many", "stats", "many"),
        ("stats --json broken.pml --svg gone/s.svg", "stats", "gone/s.svg"),
        ("resume --json gone.checkpoint", "check", "gone.checkpoint"),
        ("resume --format json broken.pml", "check", "not a checkpoint"),
        ("resume --json", "check", "CHECKPOINT"),
    ] {
        let output = folder.pv(&line.split(' ').collect::<Vec<_>>(), "");
        assert_eq!(code(&output), 2, "{line}: {}", err(&output));
        refusal(&output, kind, why);
        assert!(!err(&output).is_empty() && !err(&output).contains("os error"), "{line}: {}", err(&output));
    }
    // What was printed already stays the only object.
    let output = watched(&folder, &["--json", "--chart", "gone/c.svg"]);
    assert_eq!(code(&output), 2);
    assert!(serde_json::from_slice::<Value>(&output.stdout).expect("one object")["steps"].is_array());
    // Others read SARIF.
    let output = folder.pv(&["resume", "--format", "sarif", "gone.checkpoint"], "");
    assert!(out(&output).contains("sarif-2.1.0") && err(&output).contains("gone.checkpoint"), "{}", out(&output));
}

#[test]
fn values_that_are_cut_off_are_told_where_it_happens() {
    let folder = Folder::new();
    let model = "byte x = 250;\nshort s = 32767;\nunsigned u : 3;\nbool b;\nactive proctype P() {\n  do\n  :: x >= 250 -> x = x + 3\n  :: else -> break\n  od;\n  \
                 s++;\n  u = x + 12;\n  b = u;\n  assert(false)\n}\n";
    std::fs::write(folder.path().join("cut.pml"), model).expect("written");
    assert_eq!(code(&folder.pv(&["check", "cut.pml"], "")), 1);
    let told = [
        "256 does not fit a byte (0 to 255): it becomes 0",
        "32768 does not fit a short (-32768 to 32767): it becomes -32768",
        "12 does not fit unsigned : 3: it becomes 4",
        "4 does not fit a bool (0 or 1): it becomes 0",
    ];
    let line = ["replay", "cut.pml", "cut.pml.trail.json"];
    let replay = out(&folder.pv(&line, ""));
    let found: Vec<&str> = replay.lines().map(str::trim).filter(|line| line.contains("does not fit")).collect();
    assert_eq!(found, told, "{replay}");
    // A simulation says so also where no steps are shown, as SPIN's does, and once for each statement.
    let simulated = folder.pv(&["simulate", "cut.pml"], "");
    assert!(out(&simulated).starts_with("warning: cut.pml:7: 256 does not fit a byte"), "{}", out(&simulated));
    assert_eq!(out(&simulated).matches("warning: ").count(), 4, "{}", out(&simulated));
    let output = folder.pv(&[&line[..], &["--json"]].concat(), "");
    let run: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let steps = run["steps"].as_array().expect("steps");
    let cut: Vec<&Value> = steps.iter().map(|step| &step["cut_off"]).filter(|cut| !cut.is_null()).collect();
    assert_eq!(cut, told, "{run:#}");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/replay.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).expect("a schema")).expect("JSON");
    assert_eq!(schema::errors(&schema, &run), [""; 0]);
    // The page has it at the step.
    assert_eq!(code(&folder.pv(&[&line[..], &["--html", "cut.html"]].concat(), "")), 0);
    let page = std::fs::read_to_string(folder.path().join("cut.html")).expect("a page");
    assert!(told.iter().all(|text| page.contains(&format!("\"cut\":\"{text}\""))), "{page}");
}

/// Steps that the source has no statement for, and statements that are not written as the model has them.
const WORDS: &str = "#define N 2\nbyte a[N], i, n;\ninline fill(v) {\n  for (i : 0 .. N - 1) { a[i] = v }\n}\nactive proctype P() {\n  \
                     fill(N);\n  atomic { if :: true -> n++ :: n > N fi; n++ };\n  d_step { n = N; n++ };\n  for (i : i + 1 .. 3) { skip };\n  \
                     for (i in a) { skip };\n  assert(n < N);\n  n = N\n}\n";

#[test]
fn statements_stand_as_they_are_written() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("words.pml"), WORDS).expect("written");
    assert_eq!(code(&folder.pv(&["check", "words.pml", "--full"], "")), 1);
    let line = ["replay", "words.pml", "words.pml.trail.json"];
    let replay = out(&folder.pv(&line, ""));
    let simulated = out(&folder.pv(&["simulate", "words.pml", "--show-steps"], ""));
    for text in [&replay, &simulated] {
        let steps: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("   ") && line.contains("words.pml:"))
            .map(|line| line.split_once("words.pml:").expect("a place").1.trim_start_matches(char::is_numeric).trim())
            .collect();
        let call = "   in fill(N)";
        let [start, holds, more] = ["i = 0", "i <= N - 1", "i++"].map(|text| format!("{text}{call}"));
        // A statement that ends with an argument is told with the parameter.
        let whole = format!("a[i] = v{call}");
        let round = [holds.as_str(), whole.as_str(), more.as_str()];
        assert_eq!(steps[..7], [&[start.as_str()], &round[..], &round].concat(), "{text}");
        assert!(steps.contains(&"fi") && steps.contains(&"d_step { n = N; n++ }"), "{text}");
        // The first of these steps and the last of the body have the same text in the model.
        assert!(steps.contains(&"i = (i+1)") && steps.contains(&"i <= 3"), "{text}");
        // Over an array as over numbers.
        assert!(steps.contains(&"i <= 1") && !text.contains("i<=1"), "{text}");
        assert!(steps.contains(&"assert(n < N)") && !text.contains("((i<=("), "{text}");
    }
    assert!(replay.contains("processes: 1\n  P(0) ") && replay.contains(": n = N\n"), "{replay}");
    let expanded = out(&folder.pv(&[&line[..], &["--expanded"]].concat(), ""));
    assert!(expanded.contains("((i<=(2-1)))") && expanded.contains(": n = 2\n"), "{expanded}");
    // By hand the choices are told in the same words.
    let by_hand = by_hand(&folder, "words.pml", "1\nq\n");
    assert!(by_hand.contains("words.pml:4: i <= N - 1   in fill(N)\n"), "{by_hand}");
    // In a chart, too; what only looks or jumps has no words there.
    assert_eq!(code(&folder.pv(&[&line[..], &["--chart", "w.mmd"]].concat(), "")), 0);
    let chart = std::fs::read_to_string(folder.path().join("w.mmd")).expect("a chart");
    assert!(chart.contains(" · a[i] = v") && chart.contains(" · i++") && !chart.contains("#60;= N"), "{chart}");
}

/// Statements that begin or end with a parameter of an inline or of a macro.
const ARGUMENTS: &str = "#define ADD(a, b) a = a + b\n#define IS(a, b) a == b\n#define ATOM(s) atomic { s }\n#define BOTH(p, q) SET(p, q)\n\
                         #define SET(a, b) a = b\nchan c = [2] of { byte, byte };\nbyte x, y, arr[3];\ninline send(ch, id) {\n  ch!1,id;\n  \
                         ch?1,eval(id)\n}\ninline outer(w, n) {\n  inner(w, n);\n  SET(w, n);\n  inner(arr[n], 2)\n}\ninline inner(v, k) {\n  \
                         v = k;\n  if\n  :: IS(v, k) -> v++\n  :: else\n  fi\n}\ninline next(z) { return z + 1 }\nactive proctype P() {\n  \
                         ADD(x, 2);\n  if :: IS(x, 2) :: x > 3 fi;\n  ATOM(x = 1);\n  BOTH(x, y);\n  send(c, 3);\n  outer(x, 1);\n  \
                         ATOM(inner(x, 2));\n  y = next(x);\n  assert(x < 1)\n}\n";

#[test]
fn statements_with_arguments_at_their_ends_stand_where_they_are_written() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("args.pml"), ARGUMENTS).expect("written");
    assert_eq!(code(&folder.pv(&["check", "args.pml", "--full"], "")), 1);
    let replay = out(&folder.pv(&["replay", "args.pml", "args.pml.trail.json"], ""));
    let steps: Vec<&str> = replay
        .lines()
        .filter_map(|line| Some(line.split_once("  P(0)   args.pml:")?.1))
        .filter(|step| !step.contains("  fi"))
        .collect();
    let expected = [
        "26  ADD(x, 2)",
        "27  IS(x, 2)",
        "28  x = 1",
        "29  BOTH(x, y)",
        "9   ch!1,id   in send(c, 3)",
        "10  ch?1,eval(id)   in send(c, 3)",
        "18  v = k   in inner(w, n)   in outer(x, 1)",
        "20  IS(v, k)   in inner(w, n)   in outer(x, 1)",
        "20  v++   in inner(w, n)   in outer(x, 1)",
        "14  SET(w, n)   in outer(x, 1)",
        "18  v = k   in inner(arr[n], 2)   in outer(x, 1)",
        "20  IS(v, k)   in inner(arr[n], 2)   in outer(x, 1)",
        "20  v++   in inner(arr[n], 2)   in outer(x, 1)",
        "18  v = k   in inner(x, 2)",
        "20  IS(v, k)   in inner(x, 2)",
        "20  v++   in inner(x, 2)",
        "24  return z + 1   in next(x)",
        "34  assert(x < 1)",
    ];
    assert_eq!(steps, expected, "{replay}");
    // So they can be stopped at.
    let text = by_hand(&folder, "args.pml", "b 10\nc\nq\n");
    assert!(text.contains("P(0) is at args.pml:10\n"), "{text}");
}

#[test]
fn choices_that_read_the_same_are_told_with_the_lines_of_their_calls() {
    let folder = Folder::new();
    let model = "byte k, n;\ninline pick() {\n  if\n  :: k = 1\n  :: k == 2\n  fi\n}\nactive proctype P() {\n  do\n  :: pick(); n = 1\n  \
                 :: n < 3 -> n++; pick()\n  :: pick(); n = 2 :: pick(); n = 3\n  od\n}\n";
    std::fs::write(folder.path().join("alike.pml"), model).expect("written");
    let text = by_hand(&folder, "alike.pml", "2\n1\nwhy\nq\n");
    for line in [
        "  1  P(0) alike.pml:4: k = 1   in pick() at line 10\n",
        "  2  P(0) alike.pml:11: n < 3\n",
        "  3  P(0) alike.pml:4: k = 1   in pick() at line 12, column 6\n",
        "  4  P(0) alike.pml:4: k = 1   in pick() at line 12, column 23\n",
        // Nothing else reads like it here.
        "  1  P(0) alike.pml:4: k = 1   in pick()\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn failed_assertions_are_told_as_they_stand() {
    let folder = Folder::new();
    let assertions = [
        ("assert(false)", "false", ""),
        ("assert(SAFE)", "SAFE", ""),
        ("assert(! BIG)", "(! BIG)", ""),
        ("assert (x <\n 1)", "(x < 1)", ""),
        ("assert (x < 1) && (x > 7)", "((x < 1) && (x > 7))", ""),
        ("CHECK(x < 1)", "CHECK(x < 1)", ""),
        ("small(x)", "(v < 1)", " in small(x)"),
        ("d_step { x = 5; assert(x < 1) }", "(x < 1)", ""),
    ];
    for (statement, condition, call) in assertions {
        let model = format!(
            "#define SAFE (x <= 1)\n#define BIG x > 3\n#define CHECK(c) assert(c)\nbyte x;\ninline small(v) {{ assert(v < 1) }}\n\
             active proctype P() {{\n  x = 4;\n  {statement}\n}}\n"
        );
        std::fs::write(folder.path().join("said.pml"), model).expect("written");
        let check = folder.pv(&["check", "said.pml"], "");
        let line = if call.is_empty() { 8 } else { 5 };
        let head = format!("violated: assertion {condition}{call} at said.pml:{line}, depth ");
        assert!(out(&check).starts_with(&head), "{statement}: {}", out(&check));
        let message = format!("assertion violated {condition}{call}");
        let json: Value =
            serde_json::from_slice(&folder.pv(&["check", "said.pml", "--json"], "").stdout).expect("JSON");
        assert_eq!(json["errors"][0]["message"], message.as_str(), "{statement}");
        let github = out(&folder.pv(&["check", "said.pml", "--format", "github"], ""));
        assert!(github.contains(&format!("::{message}, depth ")), "{statement}: {github}");
        let replay = ["replay", "said.pml", "said.pml.trail.json"];
        let text = out(&folder.pv(&[&replay[..], &["--html", "said.html"]].concat(), ""));
        assert!(text.contains(&format!("  {message}\n\n{message} at said.pml:{line}, ")), "{statement}: {text}");
        let page = std::fs::read_to_string(folder.path().join("said.html")).expect("a page");
        let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).expect("data").0;
        let page: Value = serde_json::from_str(data).expect("JSON");
        let last = page["run"]["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
        assert_eq!(
            (&page["run"]["error"]["message"], &last["trap"]),
            (&json!(message), &json!(message)),
            "{statement}"
        );
        let run: Value =
            serde_json::from_slice(&folder.pv(&[&replay[..], &["--json"]].concat(), "").stdout).expect("JSON");
        let last = run["steps"].as_array().and_then(|steps| steps.last()).expect("a step");
        assert_eq!((&run["error"]["message"], &last["error"]), (&json!(message), &json!(message)), "{statement}");
        let simulated = out(&folder.pv(&["simulate", "said.pml"], ""));
        assert!(simulated.contains(&format!("said.pml:{line}: {message}\n")), "{statement}: {simulated}");
        // By what the trail says the error is known again, whatever it is called here.
        assert_eq!(code(&folder.pv(&["check", "said.pml", "--another"], "")), 1, "{statement}");
        assert!(out(&folder.pv(&["check", "said.pml", "--another"], "")).contains("known"), "{statement}");
    }
}

#[test]
fn watched_values_of_a_property_and_of_a_rendezvous() {
    let folder = Folder::new();
    let output = folder.pv(&["replay", "meets.pml", "meets.pml.trail.json", "--watch", "got"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("watch got: 0\n") && text.contains("watch got: 0 -> 7\n"), "{text}");
    assert!(text.contains("watch got: 7 -> 9\n"), "{text}");
}

#[test]
fn steps_of_a_formula_say_what_they_look_at() {
    let folder = Folder::new();
    let text = out(&folder.pv(&["replay", "meets.pml", "meets.pml.trail.json", "--claim-steps"], ""));
    let steps: Vec<&str> = text.lines().filter(|line| line.contains("  claim small  ")).collect();
    assert!(!steps.is_empty() && steps.iter().all(|step| !step.ends_with("  small")), "{text}");
    assert!(steps.iter().any(|step| step.contains("got<9")), "{text}");
    // Labels as in the formula, and no parentheses around parentheses.
    let cycle = "byte x;\n#define TURN(v) v = 1 - v\nactive proctype P() { do :: TURN(x) od }\nltl p { <> (x == 9) }\n";
    std::fs::write(folder.path().join("turn.pml"), cycle).expect("written");
    let text = out(&folder.pv(&["check", "turn.pml"], ""));
    assert!(text.contains("P(0) repeats `TURN(x)` for ever"), "{text}");
    let model = "active proctype P() {\n  skip;\nrest:  skip\n}\nltl avoid { [] !(P[0]@rest) }\n";
    std::fs::write(folder.path().join("rest.pml"), model).expect("written");
    assert_eq!(code(&folder.pv(&["check", "rest.pml"], "")), 1);
    let text = out(&folder.pv(&["replay", "rest.pml", "rest.pml.trail.json", "--claim-steps"], ""));
    assert!(text.contains("P[0]@rest") && !text.contains("_p==") && !text.contains("(("), "{text}");
    assert!(text.contains("  true\n") && !text.contains("(1)"), "{text}");
}

fn simulated(folder: &Folder, model: &str, more: &[&str], input: &str) -> Output {
    let trail = format!("{model}.trail.json");
    folder.pv(&[&["simulate", model, "--from", &trail], more].concat(), input)
}

#[test]
fn a_simulation_starts_with_a_trail() {
    let folder = Folder::new();
    // Behind the whole trail there is the error.
    let whole = simulated(&folder, "broken.pml", &["--show-steps"], "");
    assert_eq!(code(&whole), 1, "{}", err(&whole));
    assert!(out(&whole).contains("-- 4 steps of the trail --"), "{}", out(&whole));
    assert!(out(&whole).contains("assertion violated"), "{}", out(&whole));
    let part = simulated(&folder, "broken.pml", &["--at", "2", "--steps", "1", "--show-steps"], "");
    let text = out(&part);
    assert_eq!(code(&part), 0, "{text}{}", err(&part));
    let behind = text.split_once("-- 2 steps of the trail --").expect("the end of the trail").1;
    assert!(behind.contains("    3  P(0)") && behind.contains("light: red -> green"), "{text}");
    assert!(behind.contains("stopped after 1 step behind the trail (--steps)"), "{text}");
    // Undo leads back into the trail.
    let by_hand = simulated(&folder, "broken.pml", &["--at", "2", "--interactive"], "u\np\nq\n");
    assert_eq!(code(&by_hand), 0, "{}", err(&by_hand));
    assert!(out(&by_hand).contains("step 3> ") && out(&by_hand).contains("step 2> "), "{}", out(&by_hand));
    assert!(out(&by_hand).contains("  y = 0"), "{}", out(&by_hand));
}

#[test]
fn steps_of_a_claim_are_left_out_of_a_simulation() {
    let folder = Folder::new();
    let output = simulated(&folder, "meets.pml", &["--show-steps"], "");
    let text = out(&output);
    assert!(text.contains("of the claim are left out --") && !text.contains("claim small"), "{text}{}", err(&output));
    assert!(text.contains("got: 0 -> 7") && text.contains("got: 7 -> 9"), "{text}");
}

#[test]
fn trails_that_a_simulation_cannot_start_with_are_refused() {
    let folder = Folder::new();
    let refused = |line: &[&str], why: &str| {
        let output = folder.pv(&[&["simulate", "broken.pml"], line].concat(), "");
        assert_eq!(code(&output), 2, "{line:?}");
        assert!(err(&output).contains(why), "{line:?}: {}", err(&output));
    };
    refused(&["--from", "meets.pml.trail.json"], "is a trail of another model");
    refused(&["--from", "broken.pml.trail.json", "--at", "5"], "--at 5 lies beyond the end: the trail has 4 steps");
    refused(&["--from", "nowhere.json"], "nowhere.json");
    refused(&["--from", "broken.pml"], "broken.pml");
    refused(&["--at", "1"], "--from");
    // The first half of the rendezvous is where no simulation can stand.
    let trail = std::fs::read_to_string(folder.path().join("meets.pml.trail.json")).expect("a trail");
    let trail: Value = serde_json::from_str(&trail).expect("JSON");
    let sends = |step: &Value| step["text"].as_str().is_some_and(|text| text.starts_with("c!"));
    let half = trail["steps"].as_array().expect("steps").iter().position(sends).expect("a send") + 1;
    let output = simulated(&folder, "meets.pml", &["--at", &half.to_string()], "");
    assert_eq!(code(&output), 2, "{}", out(&output));
    assert!(err(&output).contains("the first half of a rendezvous"), "{}", err(&output));
}

fn by_hand(folder: &Folder, model: &str, input: &str) -> String {
    let output = folder.pv(&["simulate", model, "--interactive"], input);
    assert_eq!((code(&output), err(&output).as_str()), (0, ""), "{input}");
    out(&output)
}

#[test]
fn choices_have_their_lines_and_undone_steps_can_be_redone() {
    let folder = Folder::new();
    let text = by_hand(&folder, "broken.pml", "help\n1\nu\nredo\nredo\n1\nu\nu\n1\nredo\n");
    assert!(text.contains("  1  P(0) broken.pml:5: x = 3\n"), "{text}");
    for command in ["redo ", "why ", "b LINE", "c ", "q "] {
        assert!(text.lines().any(|line| line.trim_start_matches("step 1> ").starts_with(command)), "{command}: {text}");
    }
    let prompts: Vec<&str> =
        text.split("step ").skip(1).filter_map(|rest| rest.split_once("> ")).map(|two| two.0).collect();
    assert_eq!(prompts, ["1", "1", "2", "1", "2", "2", "3", "2", "1", "2", "2"], "{text}");
    assert_eq!(text.matches("there is nothing to redo").count(), 2, "{text}");
    assert!(text.ends_with("the input has ended\n"), "{text}");
    let meets = by_hand(&folder, "meets.pml", "q\n");
    assert!(meets.contains("  1  A(0) meets.pml:4: c!7  ->  B(1) meets.pml:8: c?got\n"), "{meets}");
}

#[test]
fn a_run_goes_on_to_breakpoints() {
    let folder = Folder::new();
    let text = by_hand(&folder, "broken.pml", "b go\nb 8\nb\nc\nc\nc\nu\np\nq\n");
    let places: Vec<&str> = text.lines().filter(|line| line.starts_with("P(0) is at ")).collect();
    assert_eq!(places, ["P(0) is at go", "P(0) is at broken.pml:8"], "{text}");
    assert!(text.contains("breakpoint at go\nbreakpoint at broken.pml:8\n"), "{text}");
    assert_eq!(text.matches("assertion violated").count(), 1, "{text}");
    // One that is gone stops nothing.
    let text = by_hand(&folder, "broken.pml", "b broken.pml:6\nd 6\nd 6\nc\nq\n");
    assert!(text.contains("there is no breakpoint at broken.pml:6") && !text.contains("P(0) is at"), "{text}");
    assert!(text.contains("assertion violated"), "{text}");
    for (wrong, why) in [
        ("b nowhere", "no process type has the label `nowhere`"),
        ("b 1", "no statement of a process stands at 1"),
        ("b other.pml:5", "no statement of a process stands at other.pml:5"),
        ("b 5\nb 5", "there is a breakpoint at broken.pml:5 already"),
        ("b 1 2", "one number, or"),
        ("jump", "`jump` is none of the choices and no command"),
        ("0", "`0` is none of the choices"),
        ("99999999999999999999999", "none of the choices"),
        ("r 5", "no process type has the label `5`"),
    ] {
        let text = by_hand(&folder, "broken.pml", &format!("{wrong}\nq\n"));
        assert!(text.contains(why), "{wrong}: {text}");
    }
}

#[test]
fn blocked_processes_are_told_with_the_reason() {
    let folder = Folder::new();
    let text = "chan q = [1] of { byte };\nactive proctype A() {\n  q?1\n}\nactive proctype B() {\n  skip;\n  q!2\n}\n";
    std::fs::write(folder.path().join("waits.pml"), text).expect("written");
    let text = by_hand(&folder, "waits.pml", "why\nc\nwhy\nq\n");
    assert!(text.contains("  A(0) waits.pml:3: q?1   cannot go: the channel q is empty\n"), "{text}");
    assert!(!text.contains("B(1) waits.pml:6: (1)   cannot go"), "{text}");
    assert!(text.contains("cannot go: the first message in q is [2]\n"), "{text}");
    assert!(text.contains("invalid end state"), "{text}");
    assert!(by_hand(&folder, "meets.pml", "why\n").contains("no process is blocked"));
}

#[test]
fn odd_input_and_bounds_are_told() {
    let folder = Folder::new();
    let output = folder.pv_bytes(&["simulate", "broken.pml", "--interactive"], b"\xff\xfe\n1\n\x1b[2J\nq\n");
    let text = out(&output);
    assert_eq!((code(&output), err(&output).as_str()), (0, ""), "{text}");
    assert!(text.contains("this is not UTF-8") && text.contains("step 2> "), "{text}");
    assert!(!text.contains('\x1b'), "{text:?}");
    let bounded = folder.pv(&["simulate", "broken.pml", "--interactive", "--steps", "2"], "c\n1\nr go\n");
    assert_eq!(code(&bounded), 0, "{}", err(&bounded));
    assert_eq!(out(&bounded).matches("--steps is reached").count(), 3, "{}", out(&bounded));
}

#[test]
fn a_watched_channel_shows_its_messages() {
    let folder = Folder::new();
    let model = "mtype = { req, ack };\nchan to_srv = [2] of { mtype, byte };\nchan pair[2] = [1] of { byte };\nchan alias;\nbyte got;\n\
                 active proctype P() {\n  alias = pair[1];\n  to_srv!req,1;\n  pair[1]!7;\n  to_srv!ack,2;\n  to_srv?_,got;\n  assert(false)\n}\n";
    std::fs::write(folder.path().join("chan.pml"), model).expect("written");
    assert_eq!(code(&folder.pv(&["check", "chan.pml", "--full"], "")), 1);
    let line =
        ["replay", "chan.pml", "chan.pml.trail.json", "--watch", "to_srv", "--watch", "alias", "--watch", "pair[1]"];
    let output = folder.pv(&line, "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    let found: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("watch ")).collect();
    let expected = [
        "to_srv: empty",
        "alias: none",
        "pair[1]: empty",
        "alias: none -> pair[1] empty",
        "to_srv: empty -> [req,1]",
        "alias: pair[1] empty -> pair[1] [7]",
        "pair[1]: empty -> [7]",
        "to_srv: [req,1] -> [req,1] [ack,2]",
        "to_srv: [req,1] [ack,2] -> [ack,2]",
    ];
    assert_eq!(found, expected, "{text}");
}
