//! Everything a command in the README or on a page of the book prints is really what it prints. Each `console` block is run in a folder of its own
//! that has the examples; lines with a time in them are compared only for being there.
//!
//! `UPDATE_README=1 cargo test --release --test readme` writes what the commands print now, times and all.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a block and the lines below it.
struct Entry {
    command: String,
    output: Vec<String>,
}

fn entries(block: &[&str]) -> Vec<Entry> {
    let mut list: Vec<Entry> = Vec::new();
    for line in block {
        match (line.strip_prefix("$ "), list.last_mut()) {
            (Some(command), _) => list.push(Entry { command: command.into(), output: Vec::new() }),
            (None, Some(entry)) => entry.output.push((*line).into()),
            (None, None) => panic!("a console block starts with a command: {line}"),
        }
    }
    list
}

/// Words as a shell cuts them; single quotes are all the README needs.
fn words(command: &str) -> Vec<String> {
    command
        .split('\'')
        .enumerate()
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_string).collect::<Vec<_>>(),
            _ => vec![part.to_string()],
        })
        .collect()
}

fn run(entry: &Entry, folder: &Path) -> Vec<String> {
    let words = words(&entry.command);
    match words[0].as_str() {
        // A file that the README shows is made as it is shown.
        "cat" => {
            std::fs::write(folder.join(&words[1]), entry.output.join("\n") + "\n").expect("written");
            entry.output.clone()
        }
        "pv" => {
            let done =
                Command::new(env!("CARGO_BIN_EXE_pv")).current_dir(folder).args(&words[1..]).output().expect("it runs");
            let text = [done.stdout, done.stderr].concat();
            String::from_utf8(text).expect("text").lines().map(str::to_string).collect()
        }
        other => panic!("the README runs `{other}`, which this test does not know"),
    }
}

/// Times, rates and what depends on them differ from run to run.
fn varies(line: &str) -> bool {
    ["states/s", "\"compile\":", "\"search\": 0", "\"states_per_second\":"].iter().any(|mark| line.contains(mark))
}

fn same(shown: &[String], real: &[String]) -> bool {
    let alike =
        |(shown, real): (&String, &String)| shown.trim_end() == real.trim_end() || (varies(shown) && varies(real));
    shown.len() == real.len() && shown.iter().zip(real).all(alike)
}

/// The README and the pages of the book.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).expect("a folder").flatten().map(|file| file.path());
    let mut pages: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.push(root.join("README.md"));
    pages.sort();
    pages
}

/// A folder that has the examples.
fn folder_with_examples() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = folder.path().join("examples");
    std::fs::create_dir(&examples).expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    for file in std::fs::read_dir(source).expect("examples").flatten().filter(|file| file.path().is_file()) {
        std::fs::copy(file.path(), examples.join(file.file_name())).expect("copied");
    }
    folder
}

/// What a page would be if every command in it printed what it prints now, and the commands that print something else.
fn played(text: &str) -> (String, Vec<String>) {
    let folder = folder_with_examples();
    let lines: Vec<&str> = text.lines().collect();
    let (mut result, mut wrong, mut at) = (Vec::new(), Vec::new(), 0);
    while at < lines.len() {
        result.push(lines[at].to_string());
        at += 1;
        if lines[at - 1] != "```console" {
            continue;
        }
        let end = at + lines[at..].iter().position(|line| *line == "```").expect("the block ends");
        for entry in entries(&lines[at..end]) {
            let real = run(&entry, folder.path());
            if !same(&entry.output, &real) {
                wrong.push(format!("$ {}\n{}", entry.command, real.join("\n")));
            }
            result.push(format!("$ {}", entry.command));
            result.extend(real.iter().map(|line| line.trim_end().to_string()));
        }
        at = end;
    }
    (result.join("\n") + "\n", wrong)
}

#[test]
fn the_pages_tell_the_truth() {
    let mut all = Vec::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        if !text.contains("```console") {
            continue;
        }
        let (now, wrong) = played(&text);
        if std::env::var_os("UPDATE_README").is_some() {
            std::fs::write(&page, now).expect("written");
        } else {
            all.extend(wrong.into_iter().map(|what| format!("{}: {what}", page.display())));
        }
    }
    assert!(all.is_empty(), "these commands print something else:\n\n{}", all.join("\n\n"));
}

/// Every page of the book is in its table of contents, and every link between pages leads somewhere.
#[test]
fn links_lead_somewhere() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let contents = std::fs::read_to_string(docs.join("SUMMARY.md")).expect("a table of contents");
    for page in pages() {
        let name = page.file_name().expect("a name").to_string_lossy().into_owned();
        if page.starts_with(&docs) && name != "SUMMARY.md" {
            assert!(contents.contains(&format!("]({name})")), "{name} is not in docs/SUMMARY.md");
        }
        let text = std::fs::read_to_string(&page).expect("a page");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if link.is_empty() || link.contains("://") || link.contains(char::is_whitespace) {
                continue;
            }
            assert!(page.with_file_name(link).exists(), "{}: {link} is not there", page.display());
        }
    }
}

/// Every option of `pv check` that has a place in a table of a guide exists.
#[test]
fn options_that_are_named_exist() {
    let help = |command: &str| {
        let done = Command::new(env!("CARGO_BIN_EXE_pv")).args([command, "--help"]).output().expect("it runs");
        String::from_utf8(done.stdout).expect("text")
    };
    let known: String = "--path ".to_string()
        + &["check", "simulate", "replay", "compare", "graph", "fmt", "certify"].map(help).concat();
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    for page in ["options.md", "coming-from-spin.md", "verdicts.md", "tutorial.md"] {
        let text = std::fs::read_to_string(docs.join(page)).expect("a page");
        let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
        for word in text.split(['`', ' ']).filter(|word| word.starts_with("--")) {
            let option = word.split(is_end).next().unwrap_or_default();
            assert!(option == "--" || known.contains(option), "{page} names {option}, which does not exist");
        }
    }
}
