//! What the tests of certificates share.

use super::common::command;
use pv::certify::definition::Definition;
use pv::source::SourceMap;
use pv::source::preprocess::PreprocessOptions;
use std::path::Path;

/// The model as the reference executor sees it.
pub(crate) fn definition(text: &str) -> Definition {
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml".to_string(), None, text.to_string());
    pv::certify::read(&mut map, file, &PreprocessOptions::default()).expect("a model")
}

/// The exit code of a command and what it writes to standard error.
pub(crate) fn run(folder: &Path, line: &str) -> (i32, String) {
    let output = command(folder, line).output().expect("pv runs");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}
