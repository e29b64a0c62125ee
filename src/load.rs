//! From text to a model in one call: preprocess, parse, analyse. The command line, the tests and programs that use pv
//! as a library all come through here.

use crate::model::Model;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::preprocess::{PreprocessOptions, preprocess};
use crate::source::render::render;
use crate::source::{FileId, SourceMap, Span};
use crate::{sema, syntax};
use std::path::Path;

/// Some diagnostic is an error.
pub fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Compiles a file of the map; `None` if an error is among the diagnostics. What is wrong with the formula of a property
/// is none of them and comes with the model ([`Model::broken`]): only a check of that property is impossible. A step that found errors is the last:
/// what the next ones would say about a text with holes is noise.
pub fn compile(
    map: &mut SourceMap,
    file: FileId,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Model> {
    compile_within(map, file, options, diagnostics, &|| None)
}

/// As [`compile`]; after each step `full` is asked whether the memory is used up. What it says is then an error.
pub fn compile_within(
    map: &mut SourceMap,
    file: FileId,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
    full: &dyn Fn() -> Option<String>,
) -> Option<Model> {
    let name = map.file(file).name.clone();
    let goes_on = |diagnostics: &mut Vec<Diagnostic>| {
        if let Some(why) = full() {
            let start = Span { file, ..Span::default() };
            diagnostics.push(Diagnostic::error("this model takes too much memory", start, why));
        }
        !failed(diagnostics)
    };
    let tokens = preprocess(map, file, options, diagnostics);
    if !goes_on(diagnostics) {
        return None;
    }
    let fingerprint = sema::fingerprint(tokens.iter().map(|token| &*token.text));
    let unit = syntax::parse(map, tokens, diagnostics).filter(|_| goes_on(diagnostics))?;
    let model = sema::analyse(map, &unit, &name, diagnostics).filter(|_| goes_on(diagnostics))?;
    Some(Model { fingerprint, ..model })
}

/// Reads and compiles a file; what is wrong comes back as it would be shown.
pub fn read(path: &Path) -> Result<(SourceMap, Model), String> {
    let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
    let file = map.read_model(path, &mut diagnostics).map_err(|error| error.to_string())?;
    finish(map, file, diagnostics)
}

/// Compiles a text.
pub fn read_text(name: &str, text: &str) -> Result<(SourceMap, Model), String> {
    let mut map = SourceMap::new();
    let file = map.add_file(name.to_string(), None, text.to_string());
    finish(map, file, Vec::new())
}

fn finish(mut map: SourceMap, file: FileId, mut diagnostics: Vec<Diagnostic>) -> Result<(SourceMap, Model), String> {
    match compile(&mut map, file, &PreprocessOptions::default(), &mut diagnostics) {
        Some(model) if model.broken.is_empty() => Ok((map, model)),
        model => {
            // Who asks for no particular property wants them all.
            diagnostics.extend(model.into_iter().flat_map(|model| model.broken).flat_map(|wrong| wrong.diagnostics));
            Err(render(&map, &diagnostics, false))
        }
    }
}
