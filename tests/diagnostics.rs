//! Wrong models and what is said about them. Each `tests/diagnostics/NAME.pml` has its messages beside it in
//! `NAME.stderr`. After a change run with `PV_BLESS=1` to rewrite them, and read what changed: a message that does not
//! help its reader is a bug.

use pv::source::SourceMap;
use pv::source::diagnostic::Severity;
use pv::source::preprocess::{PreprocessOptions, preprocess};
use pv::source::render::render;
use std::path::{Path, PathBuf};

fn messages(path: &Path) -> String {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let text = std::fs::read_to_string(path).expect("a readable model");
    let name = path.file_name().expect("a file name").to_string_lossy().into_owned();
    let file = map.add_file(name, Some(path.to_owned()), text);
    let tokens = preprocess(&mut map, file, &PreprocessOptions::default(), &mut diagnostics);
    let unit = pv::syntax::parse(&mut map, tokens, &mut diagnostics);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if let Some(unit) = unit.filter(|_| !failed) {
        let model = pv::sema::analyse(&map, &unit, "model", &mut diagnostics);
        let formulas = model.into_iter().flat_map(|model| model.broken);
        diagnostics.extend(formulas.flat_map(|formula| formula.diagnostics));
    }
    render(&map, &diagnostics, false)
}

#[test]
fn messages_are_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diagnostics");
    let bless = std::env::var_os("PV_BLESS").is_some();
    let mut models: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of wrong models")
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "pml"))
        .collect();
    models.sort();
    assert!(!models.is_empty());
    let mut wrong = Vec::new();
    for model in models {
        let got = messages(&model);
        let recorded = model.with_extension("stderr");
        if bless {
            std::fs::write(&recorded, &got).expect("a writable folder");
            continue;
        }
        let want = std::fs::read_to_string(&recorded).unwrap_or_default();
        if want.replace("\r\n", "\n") != got {
            wrong.push(format!("{}:\n--- recorded\n{want}--- now\n{got}", model.display()));
        }
        assert!(!got.is_empty(), "{} has no message at all", model.display());
    }
    assert!(wrong.is_empty(), "{} differ; PV_BLESS=1 records anew\n{}", wrong.len(), wrong.join("\n"));
}
