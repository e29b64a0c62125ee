//! The automata of models, in the form of SPIN's `pan -d`: `PV_AUTOMATA="a.pml b.pml" cargo test --test automata` writes
//! them next to each other for `tests/spin_automata.py`, which compares them with SPIN's.

use pv::source::SourceMap;
use pv::source::preprocess::{PreprocessOptions, preprocess};
use std::path::Path;

/// The list of transitions, or what is wrong with the model.
fn automata(path: &Path) -> Result<String, String> {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let root = map.read_model(path, &mut diagnostics).map_err(|error| error.to_string())?;
    let tokens = preprocess(&mut map, root, &PreprocessOptions::default(), &mut diagnostics);
    let unit = pv::syntax::parser::parse(&mut map, tokens, &mut diagnostics);
    let model = unit.and_then(|unit| pv::sema::analyse(&map, &unit, "model", &mut diagnostics));
    let errors = diagnostics.iter().any(|d| d.severity == pv::source::diagnostic::Severity::Error);
    match model {
        Some(model) if !errors => Ok(pv::model::dump::automata(&model)),
        _ => Err(pv::source::render::render(&map, &diagnostics, false)),
    }
}

#[test]
fn list() {
    let Ok(models) = std::env::var("PV_AUTOMATA") else { return };
    for model in models.split_whitespace() {
        match automata(Path::new(model)) {
            Ok(list) => println!("@@ {model} OK\n{list}"),
            Err(wrong) => println!("@@ {model} REFUSED\n{wrong}"),
        }
    }
}
