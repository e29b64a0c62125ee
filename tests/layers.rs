//! The plan of the house is true: the top-level modules of `src/` use only what the table in ARCHITECTURE.md allows, and
//! none uses itself in a circle. The code of unit tests may use anything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Arrows = BTreeMap<String, BTreeSet<String>>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What stands between back quotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The rows of the table: `` | `src/NAME` | what | `uses`, `uses` | in and out | ``.
fn allowed() -> Arrows {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut arrows = Arrows::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, place, _, uses, ..] = cells[..]
            && let Some(name) = quoted(place).next().and_then(|place| place.strip_prefix("src/"))
        {
            arrows.insert(name.trim_end_matches(".rs").to_string(), quoted(uses).map(str::to_string).collect());
        }
    }
    arrows
}

/// The top-level modules that a text names behind `crate::`, comments and unit tests left out.
fn named(text: &str) -> BTreeSet<String> {
    let code: String =
        text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().lines().fold(String::new(), |mut code, line| {
            code.push_str(line.split("//").next().unwrap_or_default());
            code.push('\n');
            code
        });
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let list = match rest.strip_prefix('{') {
            // `use crate::{sema, syntax::tree}`: the first word of each
            Some(group) => group.split('}').next().unwrap_or_default().split(',').collect(),
            None => vec![rest],
        };
        for item in list {
            let word = item.trim_start().split(|c: char| !(c.is_ascii_lowercase() || c == '_')).next();
            names.extend(word.filter(|word| !word.is_empty()).map(str::to_string));
        }
    }
    names
}

/// What each top-level module uses, with the files of each arrow.
fn used() -> BTreeMap<(String, String), Vec<String>> {
    let mut arrows: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    let mut open = vec![root().join("src")];
    let mut files = 0;
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = entry.strip_prefix(root().join("src")).expect("below src").to_string_lossy().into_owned();
            if entry.is_dir() {
                open.push(entry);
                continue;
            }
            let test = name.ends_with("tests.rs") || name.contains("/tests/");
            if !name.ends_with(".rs") || test || name == "lib.rs" || name == "main.rs" {
                continue;
            }
            files += 1;
            let module = name.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_string();
            for other in named(&std::fs::read_to_string(&entry).expect("a file")) {
                if other != module {
                    arrows.entry((module.clone(), other)).or_default().push(name.clone());
                }
            }
        }
    }
    assert!(files > 100, "only {files} files of src were found");
    arrows
}

#[test]
fn modules_use_what_the_plan_allows() {
    let allowed = allowed();
    let mut wrong = Vec::new();
    for ((module, other), files) in used() {
        match allowed.get(&module) {
            None => wrong.push(format!("{module} is not in the table")),
            Some(list) if !list.contains(&other) => wrong.push(format!("{module} -> {other}: {}", files.join(", "))),
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "arrows that ARCHITECTURE.md does not allow:\n{}", wrong.join("\n"));
}

#[test]
fn the_plan_shows_no_arrow_that_is_not_there() {
    let used = used();
    for (module, list) in allowed() {
        for other in list {
            assert!(used.contains_key(&(module.clone(), other.clone())), "{module} does not use {other}");
        }
    }
}

#[test]
fn no_module_uses_itself_in_a_circle() {
    let arrows = allowed();
    assert!(arrows.len() > 12, "the table in ARCHITECTURE.md was not understood");
    // take away what uses nothing that is left, until nothing is left
    let mut left: BTreeSet<&String> = arrows.keys().collect();
    while !left.is_empty() {
        let free = left.iter().copied().find(|name| arrows[*name].iter().all(|used| !left.contains(used)));
        let Some(free) = free else { panic!("a circle among {left:?}") };
        left.remove(free);
    }
}

#[test]
fn imports_are_read() {
    let text = "use crate::model::Expr;\nuse crate::{sema, syntax::tree};\n// crate::cli\nfn f() { crate::exec::g() }\n\
                #[cfg(test)]\nmod tests { use crate::load; }";
    let names: Vec<String> = named(text).into_iter().collect();
    assert_eq!(names, ["exec", "model", "sema", "syntax"]);
}
