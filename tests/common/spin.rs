//! What SPIN says of a model: its verifier is made and run in a folder of its own.

use std::path::Path;
use std::process::Command;

/// What came out.
pub(crate) enum Answer {
    /// The counts of the full search without claims.
    Counts { stored: u64, matched: u64, errors: u64 },
    /// SPIN gave up at this error.
    Verdict(String),
    /// Nothing: SPIN refuses the model, or its verifier crashed or came to its bound of depth.
    None,
}

fn call(folder: &Path, program: &str, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new(program);
    let output = command.args(line.split_whitespace()).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

/// The number in front of these words.
fn number(said: &str, words: &str) -> Option<u64> {
    said.lines().find(|line| line.contains(words))?.split_whitespace().next()?.parse().ok()
}

/// Asks SPIN.
pub(crate) fn ask(text: &str) -> Answer {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // A d_step that begins with these would execute in the middle of a handshake (docs/spin-differences.md).
    let text = ["assert(", "printf("].iter().fold(text.to_string(), |text, first| {
        text.replace(&format!("d_step {{ {first}"), &format!("d_step {{ true; {first}"))
    });
    std::fs::write(folder.join("m.pml"), text).expect("a model");
    let (code, _) = call(folder, "spin", "-o1 -o2 -o3 -a m.pml");
    if code != Some(0) || !folder.join("pan.c").exists() {
        return Answer::None;
    }
    let (code, _) = call(folder, "gcc", "-O0 -w -DNOREDUCE -DSAFETY -DNOCLAIM -DVECTORSZ=8192 -o pan pan.c");
    if code != Some(0) {
        return Answer::None;
    }
    let (code, said) = call(folder, "./pan", "-m100000 -c0 -n -w18");
    let errors =
        said.lines().find_map(|line| line.split_once("errors: ")).and_then(|(_, rest)| rest.trim().parse().ok());
    if said.contains("max search depth too small") {
        // Paths were cut off, for instance those through a block that goes around for ever: its counts are of no use.
        return Answer::None;
    }
    match (code, number(&said, "states, stored"), number(&said, "states, matched"), errors) {
        (Some(_), Some(stored), Some(matched), Some(errors)) => {
            // Behind an index that is out of range it goes on with whatever lies there in memory.
            if said.contains("Search not completed") || said.contains("invalid array index") {
                let why = said.lines().find(|line| line.starts_with("pan:")).unwrap_or_default();
                return Answer::Verdict(why.to_string());
            }
            Answer::Counts { stored, matched, errors }
        }
        _ => Answer::None,
    }
}
