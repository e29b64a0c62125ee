//! What ARCHITECTURE.md says about the rooms of the house is true as far as a test can see it: the parts of stores know no
//! store, and the tests that are named as witnesses exist.

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

/// Unit tests may use anything; the rest of a part may use other parts, checkpoints and limits.
#[test]
fn parts_know_no_store() {
    let parts = files(&root().join("src/store/parts"));
    assert!(parts.len() > 5, "{parts:?}");
    for path in parts {
        let text = read(&path);
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let outside = line.replace("pub(in crate::store)", "").replace("crate::store::parts::", "");
            assert!(!outside.contains("crate::store"), "{}: {line}", path.display());
        }
    }
}

/// The tests that the section "Rooms" names, each in back quotes behind "Shown by" on the same line.
#[test]
fn the_witnesses_of_the_rooms_exist() {
    let plan = read(&root().join("ARCHITECTURE.md"));
    let section = plan.split("## Rooms").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section Rooms");
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
