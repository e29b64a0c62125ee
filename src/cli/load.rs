//! From a file name to a model: read, preprocess, parse, analyse; diagnostics go to standard error.

use super::console::{Console, WRONG};
use super::options::ModelArgs;
use crate::model::Model;
use crate::source::SourceMap;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::preprocess::{PreprocessOptions, preprocess};
use crate::source::render::render;
use crate::{sema, syntax};
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// A model and the text it came from.
pub struct Loaded {
    /// Files and expansions.
    pub map: SourceMap,
    /// The model.
    pub model: Model,
    /// How long it took.
    pub seconds: f64,
}

/// Reads and compiles a model; what is wrong with it has been printed when this gives an exit code.
pub fn load_model(console: &Console, args: &ModelArgs) -> Result<Loaded, u8> {
    let start = Instant::now();
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = match map.read_model(Path::new(&args.model), &mut diagnostics) {
        Ok(file) => file,
        Err(error) => return Err(console.wrong(error)),
    };
    let name = map.file(file).name.clone();
    let options = PreprocessOptions { defines: args.defines.clone(), include_dirs: args.include_dirs.clone() };
    let tokens = preprocess(&mut map, file, &options, &mut diagnostics);
    let fingerprint = sema::fingerprint(tokens.iter().map(|token| &*token.text));
    let unit = syntax::parse(&mut map, tokens, &mut diagnostics);
    // With errors so far the tree has holes, and what sema says about it would be noise.
    let model =
        unit.filter(|_| !failed(&diagnostics)).and_then(|unit| sema::analyse(&map, &unit, &name, &mut diagnostics));
    // `x++` reads and writes x: what is wrong with it is found twice and told once.
    let mut told = HashSet::new();
    diagnostics.retain(|diagnostic| told.insert((diagnostic.message.clone(), diagnostic.primary.span)));
    show(console, &map, &diagnostics);
    match model {
        Some(mut model) if !failed(&diagnostics) => {
            model.fingerprint = fingerprint;
            Ok(Loaded { map, model, seconds: start.elapsed().as_secs_f64() })
        }
        _ if failed(&diagnostics) => Err(WRONG),
        _ => Err(console.wrong(format!("{name}: the model cannot be read"))),
    }
}

fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Prints diagnostics to standard error; with `--quiet` only if there is an error among them.
pub fn show(console: &Console, map: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() && (!console.options.quiet || failed(diagnostics)) {
        let text = render(map, diagnostics, console.color_on_stderr());
        let _ = console.err().write_all(text.as_bytes());
    }
}
