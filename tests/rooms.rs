//! What ARCHITECTURE.md says about the rooms of the house is true as far as a test can see it: the parts of stores know no
//! store, the analysis executes nothing, and the files, functions and tests that it names exist.

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
        match entry.is_dir() {
            true => files.extend(self::files(&entry)),
            false if entry.extension().is_some_and(|ending| ending == "rs") => files.push(entry),
            false => {}
        }
    }
    files
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a text")
}

/// The text of a file without its unit tests.
fn code_of(path: &Path) -> String {
    read(path).split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_string()
}

/// Unit tests may use anything; the rest of a part may use other parts, checkpoints and limits.
#[test]
fn parts_know_no_store() {
    let parts = files(&root().join("src/store/parts"));
    assert!(parts.len() > 5, "{parts:?}");
    for path in parts {
        for line in code_of(&path).lines().filter(|line| !line.trim_start().starts_with("//")) {
            let outside = line.replace("pub(in crate::store)", "").replace("crate::store::parts::", "");
            assert!(!outside.contains("crate::store"), "{}: {line}", path.display());
        }
    }
}

/// The analysis asks a machine about its state, and never makes one or steps with it.
#[test]
fn the_analysis_executes_nothing() {
    let is_test = |path: &PathBuf| path.ends_with("tests.rs");
    let analysis: Vec<PathBuf> =
        files(&root().join("src/analysis")).into_iter().filter(|path| !is_test(path)).collect();
    assert!(analysis.len() > 10, "{analysis:?}");
    for path in analysis {
        let code = code_of(&path);
        for call in [".fire(", ".fire_claim(", ".undo(", "Machine::new"] {
            assert!(!code.contains(call), "{} calls {call}", path.display());
        }
    }
}

/// A section of ARCHITECTURE.md, from its heading to the next one.
fn section(heading: &str) -> String {
    let plan = read(&root().join("ARCHITECTURE.md"));
    let rest = plan.split(&format!("## {heading}\n")).nth(1).unwrap_or_else(|| panic!("no section {heading}"));
    rest.split("\n## ").next().unwrap_or_default().to_string()
}

/// The files and folders that the ways through the house name exist, and so do the functions: `name()` belongs to the file
/// that was named last.
#[test]
fn the_ways_through_the_house_are_there() {
    let (mut places, mut functions) = (0, 0);
    for heading in ["From a command to a verdict", "Where to add"] {
        let section = section(heading);
        let mut last = String::new();
        for name in section.split('`').skip(1).step_by(2) {
            if let Some(function) = name.strip_suffix("()") {
                functions += 1;
                assert!(
                    last.contains(&format!("fn {function}")),
                    "{heading}: no function {function} in the file before it"
                );
            } else if name.contains('/') {
                places += 1;
                let path = root().join(name);
                assert!(path.exists(), "{heading}: there is no {name}");
                if path.extension().is_some_and(|ending| ending == "rs") {
                    last = read(&path);
                }
            }
        }
    }
    assert!(places > 20 && functions > 15, "only {places} places and {functions} functions were found");
}

/// The tests that the section "Rooms" names, each in back quotes behind "Shown by" on the same line.
#[test]
fn the_witnesses_of_the_rooms_exist() {
    let section = section("Rooms");
    let code: String =
        ["src", "tests"].iter().flat_map(|folder| files(&root().join(folder))).map(|path| read(&path)).collect();
    let mut witnesses = 0;
    for line in section.lines().filter_map(|line| line.split_once("Shown by ")) {
        for name in line.1.split('`').skip(1).step_by(2) {
            witnesses += 1;
            assert!(code.contains(&format!("fn {name}(")), "there is no test {name}");
        }
    }
    assert!(witnesses >= 10, "only {witnesses} witnesses were found");
}
