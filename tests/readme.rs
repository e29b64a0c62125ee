//! Everything a command in the README prints is really what it prints. Each `console` block is run in a folder of its own
//! that has the examples; lines with a time in them are compared only for being there.
//!
//! `UPDATE_README=1 cargo test --release --test readme` writes what the commands print now, times and all.

use std::path::Path;
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

#[test]
fn the_readme_tells_the_truth() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let folder = tempfile::tempdir().expect("a folder");
    let examples = folder.path().join("examples");
    std::fs::create_dir(&examples).expect("a folder");
    for file in std::fs::read_dir(root.join("examples")).expect("examples").flatten() {
        if file.path().is_file() {
            std::fs::copy(file.path(), examples.join(file.file_name())).expect("copied");
        }
    }
    let update = std::env::var_os("UPDATE_README").is_some();
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
    if update {
        std::fs::write(root.join("README.md"), result.join("\n") + "\n").expect("written");
    } else {
        assert!(wrong.is_empty(), "these commands print something else:\n\n{}", wrong.join("\n\n"));
    }
}
