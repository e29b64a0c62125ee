//! `pv compare` and `pv stats` from outside: files, counts that are those of `pv check`, an interrupted comparison that
//! goes on, and a state space small enough to count by hand.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Three counters that go round; 4 * 4 * 3 states, all reachable from each other.
const COUNTERS: &str = "
byte a, b, c;
active proctype A() { end: do :: a = (a + 1) % 4 od }
active proctype B() { end: do :: b = (b + 1) % 4 od }
active proctype C() { end: do :: c = (c + 1) % 3 od }
";

/// 0 → 1 → 2 by x, then either back to 0 or to the end.
const SMALL: &str = "
byte x;
active proctype P() {
    do
    :: x < 2 -> x++
    :: x == 2 -> x = 0
    :: x == 2 -> break
    od
}
";

fn pv(folder: &Path, line: &str) -> std::process::Output {
    let mut command = Command::cargo_bin("pv").expect("pv is built");
    command.current_dir(folder).args(line.split_whitespace()).output().expect("pv runs")
}

fn folder(model: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), model).expect("writes");
    folder
}

fn json(text: &[u8]) -> Value {
    serde_json::from_slice(text).expect("it is JSON")
}

/// States, transitions and verdict of each run, by its options.
fn counts(folder: &Path) -> BTreeMap<String, (u64, u64, String)> {
    let document = json(&std::fs::read(folder.join("out/results.json")).expect("results.json"));
    let runs = document["runs"].as_array().expect("runs").clone();
    let words = |run: &Value| {
        let words = run["options"].as_array().expect("options").iter();
        words.filter_map(|word| word.as_str().map(str::to_string)).collect::<Vec<_>>().join(" ")
    };
    runs.iter()
        .map(|run| {
            let number = |name: &str| run[name].as_u64().unwrap_or_default();
            (words(run), (number("stored"), number("transitions"), run["verdict"].as_str().unwrap_or("").to_string()))
        })
        .collect()
}

#[test]
fn the_numbers_are_those_of_single_checks() {
    let folder = folder(COUNTERS);
    let output = pv(folder.path(), "compare m.pml --out out --figure searches --figure cache-sleep --seed 7");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json(&std::fs::read(folder.path().join("out/results.json")).expect("results.json"));
    let runs = document["runs"].as_array().expect("runs");
    assert!(runs.len() > 5, "{runs:?}");
    for run in runs {
        let command = run["command"].as_str().expect("a command");
        let line = format!("{} --json", command.strip_prefix("pv ").expect("it is a command of pv"));
        let single = json(&pv(folder.path(), &line).stdout);
        assert_eq!(single["states"]["stored"], run["stored"], "{line}");
        assert_eq!(single["transitions"], run["transitions"], "{line}");
        assert_eq!(single["verdict"], run["verdict"], "{line}");
        assert_eq!(single["search"]["seed"], 7);
    }
}

/// Makes every run of a comparison again, by the command beside it, and compares all that is told.
fn runs_again(folder: &Path) -> usize {
    runs_again_with(folder, true)
}

/// The same; `memory`: bytes, too.
fn runs_again_with(folder: &Path, memory: bool) -> usize {
    let document = json(&std::fs::read(folder.join("out/results.json")).expect("results.json"));
    let runs = document["runs"].as_array().expect("runs");
    for run in runs.iter().filter(|run| run["gave_up"].is_null()) {
        let command = run["command"].as_str().expect("a command");
        let line = format!("{} --json --no-trail", command.strip_prefix("pv ").expect("it is a command of pv"));
        let single = json(&pv(folder, &line).stdout);
        for name in ["stored", "matched", "peak_stored", "evicted", "vector_bytes"] {
            assert_eq!(single["states"][name], run[name], "{line}: {name}");
        }
        for name in ["transitions", "verdict", "atomic_steps", "depth", "error_count", "reason"] {
            assert_eq!(single[name], run[name], "{line}: {name}");
        }
        // Workers hand work to each other in buffers that grow as it comes.
        if memory && !command.contains("--workers") {
            assert_eq!(single["memory_bytes"], run["memory_bytes"], "{line}");
        }
        if let Some(depth) = run["error_depth"].as_u64() {
            assert_eq!(single["errors"][0]["depth"], depth, "{line}");
        }
    }
    runs.len()
}

/// Three counters to 15: 3,375 states.
const LARGER: &str = "byte a, b, c;
    active proctype A() { end: do :: a = (a + 1) % 15 od }
    active proctype B() { end: do :: b = (b + 1) % 15 od }
    active proctype C() { end: do :: c = (c + 1) % 15 od }";

/// Every figure: each number on the page is had again by the command beside it.
#[test]
fn the_numbers_of_every_figure_are_those_of_single_checks() {
    let folder = folder(LARGER);
    let output = pv(folder.path(), "compare m.pml --out out --vary memory=9M,12M,20M");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let output = pv(folder.path(), "compare m.pml --out out");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let document = json(&std::fs::read(folder.path().join("out/results.json")).expect("results.json"));
    let left_out = &document["left_out"];
    assert_eq!(left_out, &serde_json::json!([["disk", "the model is too small for it"]]));
    let runs = document["runs"].as_array().expect("runs");
    let options = [
        "--cache",
        "--sleep",
        "--por",
        "--por --sleep",
        "--por --cache",
        "--replace",
        "--hub",
        "--serial",
        "--disk",
        "--pod",
        "--store",
        "--store tree",
        "--workers",
    ];
    for option in options {
        let has = |run: &Value| run["command"].as_str().is_some_and(|command| command.contains(option));
        assert!(runs.iter().any(has), "{option}");
    }
    assert_eq!(runs_again(folder.path()), runs.len());
}

/// The page of a model with errors says which search finds one first and which the shortest path, and its runs are counted as on the
/// terminal.
#[test]
fn who_finds_an_error_and_by_which_path() {
    // An error fails after two steps; depth first one is found at the end of a longer path.
    let model = "byte x, y;
        active proctype B() { y = 1; y = 2; assert(false) }
        active proctype A() { do :: x < 40 -> x++ :: x == 40 -> break od; assert(false) }";
    let folder = folder(model);
    let output = pv(folder.path(), "compare m.pml --out out --figure searches");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let page = std::fs::read_to_string(folder.path().join("out/index.html")).expect("a page");
    for told in [&text, &page] {
        assert!(told.contains("The shortest path to one has 2 steps"), "{told}");
        assert!(told.contains("An error is found first so"), "{told}");
    }
    let runs = runs_again(folder.path());
    assert!(text.contains(&format!("{runs} runs: {runs} made now, 0 were there already")), "{text}");
    assert!(page.contains(&format!("The page shows {runs} runs")), "{page}");
    let document = json(&std::fs::read(folder.path().join("out/results.json")).expect("results.json"));
    let depth = |command: &str| {
        let of = |run: &&Value| run["command"] == format!("pv check m.pml {command}");
        document["runs"].as_array().into_iter().flatten().find(of).and_then(|run| run["error_depth"].as_u64())
    };
    assert_eq!(depth("--search bfs"), Some(2));
    assert!(depth("--full").is_some_and(|depth| depth > 2));
}

/// A search that has found errors and is then cut short is no search of the whole state space, and is not recommended as one.
#[test]
fn errors_do_not_make_a_search_finish() {
    let model = LARGER.replace("c = (c + 1) % 15", "c = (c + 1) % 15; assert(c != 1)");
    let folder = folder(&model);
    let output = pv(folder.path(), "compare m.pml --out out --vary search=bfs --vary cache=40,5000");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |options: &str| text.lines().find(|line| line.starts_with(options)).unwrap_or_default().to_string();
    assert!(
        row("--search bfs --cache 40 ").contains("violated, then incomplete: the cache forgets too much"),
        "{text}"
    );
    assert!(row("--search bfs --cache 5000 ").contains("violated  "), "{text}");
    assert!(!text.contains("pv check m.pml --all-errors --search bfs --cache 40\n"), "{text}");
}

/// What the page recommends comes to an end, in the memory that it says, and its sizes have two digits that count.
#[test]
fn what_is_recommended_holds_when_it_is_tried() {
    let model = "chan a = [2] of { byte }; chan b = [2] of { byte };
        active proctype P() { byte i; end: do :: a!i; i = (i + 1) % 9 od }
        active proctype Q() { byte x; end: do :: a?x; b!x od }
        active proctype R() { byte y, n; end: do :: b?y; assert(y == n); n = (n + 1) % 9 od }";
    let folder = folder(model);
    let output = pv(folder.path(), "compare m.pml --out out --figure caches --figure searches");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let advice = text.split("\nRecommendation\n").nth(1).expect("a recommendation");
    assert!(advice.contains("Depth first") || advice.contains("Breadth first"), "{advice}");
    let commands: Vec<&str> = advice.lines().filter_map(|line| line.strip_prefix("    pv ")).collect();
    assert!(commands.len() >= 2, "{advice}");
    for command in commands {
        let single = json(&pv(folder.path(), &format!("{command} --json")).stdout);
        assert_eq!(single["verdict"], "verified", "{command}");
        if let Some(size) = command.split_whitespace().skip_while(|word| *word != "--cache").nth(1) {
            assert!(size.trim_end_matches('0').len() <= 2, "{command}");
        }
    }
}

/// Where a reduced search takes less memory than every cache the page says so, and nowhere else.
#[test]
fn no_cache_is_recommended_where_none_is_needed() {
    let alone = "active [4] proctype P() { byte i; end: do :: i < 6 -> i++ :: i > 3 -> i = 0 od }";
    let together = "byte g; active [3] proctype P() { byte i; do :: i < 5 -> atomic { i++; g = (g * 2 + i) % 16; assert(g < 16) } :: i > 3 -> break od }";
    for (model, needed) in [(alone, false), (together, true)] {
        let folder = folder(model);
        let output = pv(folder.path(), "compare m.pml --out out --figure caches --figure searches");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(text.contains("No cache is needed"), !needed, "{text}");
        let results = json(&std::fs::read(folder.path().join("out/results.json")).expect("results.json"));
        let memory = |wanted: &str| {
            let runs = results["runs"].as_array().expect("runs").iter();
            let run = runs.clone().find(|run| run["command"] == wanted).unwrap_or_else(|| panic!("{wanted}"));
            run["memory_bytes"].as_u64().expect("bytes")
        };
        let advice: Vec<&str> = text.split("\nRecommendation\n").nth(1).expect("a recommendation").lines().collect();
        let under = |words: &str| {
            let told = advice.windows(2).find(|pair| pair[0].contains(words)).map(|pair| pair[1].trim());
            told.map(memory)
        };
        let fastest = under("With memory enough").expect("the fastest");
        let caches =
            ["With little memory, depth first", "With little memory, breadth first"].into_iter().filter_map(under);
        assert_eq!(caches.min().is_some_and(|least| least < fastest), needed, "{text}");
    }
}

/// `--property`: every run is a search for it.
#[test]
fn searches_for_a_property_are_compared() {
    let model = LARGER.to_string() + "\nltl goes_round { [] <> (a == 0) }\nltl bounded { [] (a < 15) }\n";
    let folder = folder(&model);
    for (property, verdict) in [("bounded", "verified"), ("goes_round", "violated")] {
        let _ = std::fs::remove_dir_all(folder.path().join("out"));
        let line = format!("compare m.pml --out out --property {property} --figure searches --figure caches");
        let output = pv(folder.path(), &line);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let document = json(&std::fs::read(folder.path().join("out/results.json")).expect("results.json"));
        for run in document["runs"].as_array().expect("runs") {
            assert_eq!(
                run["command"].as_str().map(|command| command.contains(&format!("--property {property}"))),
                Some(true)
            );
            if run["gave_up"].is_null() && run["stopped"].is_null() && run["reason"].is_null() {
                assert_eq!(
                    run["verdict"].as_str().map(|told| told == verdict || told == "no-error-found"),
                    Some(true),
                    "{run}"
                );
            }
        }
        // A search for cycles has a map from which states are taken; how much room it keeps hangs on how it hashes.
        assert!(runs_again_with(folder.path(), property == "bounded") > 2);
    }
    let output = pv(folder.path(), "compare m.pml --out out --property none");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn writes_a_page_a_table_and_json() {
    let folder = folder(COUNTERS);
    let output = pv(folder.path(), "compare m.pml --out out --figure cache-sleep");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Recommendation") && text.contains("pv check m.pml"), "{text}");
    let page = std::fs::read_to_string(folder.path().join("out/index.html")).expect("a page");
    for part in ["m.pml", "Seed", "Machine", "core", "Recommendation", "<svg", "prefers-color-scheme", "@media print"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("NaN") && !page.contains("<script"));
    let csv = std::fs::read_to_string(folder.path().join("out/results.csv")).expect("a table");
    let columns = csv.lines().next().expect("heads").split(',').count();
    assert!(csv.lines().count() > 3);
    assert!(csv.lines().filter(|line| !line.contains('"')).all(|line| line.split(',').count() == columns), "{csv}");
}

#[test]
fn an_interrupted_comparison_goes_on() {
    let folder = folder(COUNTERS);
    let line = "compare m.pml --out out --figure cache-sleep --figure replacement";
    assert_eq!(pv(folder.path(), line).status.code(), Some(0));
    let whole = counts(folder.path());
    // As after a kill: half of the lines, and one that was cut off.
    let path = folder.path().join("out/results.jsonl");
    let text = std::fs::read_to_string(&path).expect("results.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let kept = lines.len() / 2;
    let cut = &lines[kept][..lines[kept].len() / 2];
    std::fs::write(&path, format!("{}\n{cut}", lines[..kept].join("\n"))).expect("writes");
    let output = pv(folder.path(), line);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains(&format!("{kept} were there already")), "{text}");
    assert_eq!(counts(folder.path()), whole);
    // And once more: nothing is left to do.
    let text = String::from_utf8_lossy(&pv(folder.path(), line).stdout).into_owned();
    assert!(text.contains(": 0 made now"), "{text}");
}

#[test]
fn the_same_seed_gives_the_same_counts_and_another_model_other_runs() {
    let (one, two) = (folder(COUNTERS), folder(COUNTERS));
    let line = "compare m.pml --out out --figure cache-sleep --seed 3";
    pv(one.path(), line);
    pv(two.path(), line);
    assert_eq!(counts(one.path()), counts(two.path()));
    assert!(!counts(one.path()).is_empty());
    // The runs of the old model are not taken for those of the new one.
    std::fs::write(one.path().join("m.pml"), SMALL).expect("writes");
    pv(one.path(), line);
    assert!(counts(one.path())["--full"].0 < 10);
}

#[test]
fn a_matrix_of_ones_own() {
    let folder = folder(COUNTERS);
    std::fs::write(folder.path().join("m.toml"), "[[runs]]\ncache = ['75%', 40]\nsleep = [false, true]\n")
        .expect("writes");
    let output =
        pv(folder.path(), "compare m.pml --out out --matrix m.toml --vary max-depth=100 --vary search=dfs,bfs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let runs = counts(folder.path());
    for options in ["--full", "--cache 36", "--cache 40", "--sleep --cache 36", "--max-depth 100 --search bfs"] {
        assert!(runs.contains_key(options), "{options} in {runs:?}");
    }
    assert_eq!(runs["--max-depth 100 --search bfs"].2, "verified");
}

#[test]
fn a_model_with_errors_is_compared_as_a_whole() {
    let folder = folder(&COUNTERS.replace("c = (c + 1) % 3", "c = (c + 1) % 3; assert(c != 2)"));
    let output = pv(folder.path(), "compare m.pml --out out --figure searches");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("--all-errors") && text.contains("The model has errors"), "{text}");
    let trails = std::fs::read_dir(folder.path()).expect("reads").flatten();
    assert_eq!(trails.filter(|entry| entry.file_name().to_string_lossy().contains("trail")).count(), 0);
}

#[test]
fn nonsense_is_refused() {
    let folder = folder(SMALL);
    std::fs::write(folder.path().join("bad.toml"), "[[runs]]\ncache = {}\n").expect("writes");
    std::fs::write(folder.path().join("file"), "").expect("writes");
    for line in [
        "compare m.pml",
        "compare none.pml --out out",
        "compare m.pml --out out --figure fig4",
        "compare m.pml --out out --matrix none.toml",
        "compare m.pml --out out --matrix bad.toml",
        "compare m.pml --out out --vary cache",
        "compare m.pml --out out --time 0",
        "compare m.pml --out file",
        "stats none.pml",
        "stats m.pml --memory x",
    ] {
        let output = pv(folder.path(), line);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(!output.stderr.is_empty(), "{line}");
    }
    // An option that there is not is told, and the others are run.
    let output = pv(folder.path(), "compare m.pml --out out --vary nonsense=1,2");
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("nonsense"));
}

#[test]
fn out_of_time_is_incomplete_and_goes_on() {
    let folder = folder(COUNTERS);
    let output = pv(folder.path(), "compare m.pml --out out --figure searches --time 0.000001");
    assert!([2, 3].contains(&output.status.code().unwrap_or(0)), "{output:?}");
    assert_eq!(pv(folder.path(), "compare m.pml --out out --figure searches").status.code(), Some(0));
}

#[test]
fn stats_of_a_space_that_is_counted_by_hand() {
    let folder = folder(SMALL);
    let output = pv(folder.path(), "stats m.pml --json");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let stats = json(&output.stdout);
    // Guard and assignment are two steps: (x=0, loop), (x=0, inc), (1, loop), (1, inc), (2, loop), then (2, reset) and
    // (2, gone, at its end), and without the process (it died). The reset leads back to the start.
    assert_eq!(stats["states"], 8);
    assert_eq!(stats["transitions"], 8);
    assert_eq!(stats["levels"], serde_json::json!([1, 1, 1, 1, 1, 2, 1]));
    assert_eq!(stats["diameter"], 6);
    assert_eq!(stats["terminal_states"], 1);
    assert_eq!(stats["out_degree"]["distribution"], serde_json::json!([[0, 1], [1, 6], [2, 1]]));
    assert_eq!(stats["in_degree"]["distribution"], serde_json::json!([[1, 8]]));
    assert_eq!(stats["in_degree_density"][19], 1.0);
    assert_eq!(stats["spans"], serde_json::json!([[-5, 1], [1, 7]]));
    assert_eq!(stats["components"], serde_json::json!({"count": 3, "largest": 6, "cyclic": 1, "terminal": 1}));
    assert_eq!(stats["complete"], true);
}

#[test]
fn stats_agree_with_a_check_and_draw_a_file() {
    let folder = folder(COUNTERS);
    let check = json(&pv(folder.path(), "check m.pml --full --json").stdout);
    let output = pv(folder.path(), "stats m.pml --json --svg s.svg");
    let stats = json(&output.stdout);
    assert_eq!(stats["states"], 48);
    assert_eq!(stats["states"], check["states"]["stored"]);
    // SPIN counts the arrival at the initial state as a transition; a graph has no such edge.
    assert_eq!(stats["transitions"].as_u64().map(|n| n + 1), check["transitions"].as_u64());
    assert_eq!(stats["components"]["count"], 1);
    let svg = std::fs::read_to_string(folder.path().join("s.svg")).expect("a drawing");
    assert!(svg.contains("In-degree density") && !svg.contains("NaN"));
    let text = String::from_utf8_lossy(&pv(folder.path(), "stats m.pml --hubs 2").stdout).into_owned();
    assert!(text.contains("States of the highest in-degree") && text.contains("A(0) at line"), "{text}");
}

#[test]
fn stats_within_a_budget() {
    let folder = folder(&COUNTERS.replace("% 4", "% 60"));
    let output = pv(folder.path(), "stats m.pml --memory 64K --json");
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let stats = json(&output.stdout);
    assert_eq!(stats["complete"], false);
    assert!(stats["reason"].as_str().is_some_and(|reason| reason.contains("memory")));
    assert!(stats["memory_bytes"].as_u64().is_some_and(|bytes| bytes <= 128 << 10));
}
