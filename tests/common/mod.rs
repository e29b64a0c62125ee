//! What the tests over the whole corpus share.

use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

/// One trial for each model of the corpus and of the examples.
pub fn trials(check: fn(&Path) -> Result<(), Failed>) -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for folder in ["tests/corpus", "tests/corpus/micro", "examples"] {
        for path in models(&root.join(folder)) {
            let name = format!("{folder}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
            trials.push(Trial::test(name, move || check(&path)));
        }
    }
    trials
}

fn models(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "pml"));
    found.sort();
    found
}
