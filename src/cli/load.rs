//! From a file name to a model: read, preprocess, parse, analyse; diagnostics go to standard error.

use super::console::{Console, WRONG};
use super::options::ModelArgs;
use crate::load::{compile, failed};
use crate::model::Model;
use crate::source::SourceMap;
use crate::source::diagnostic::Diagnostic;
use crate::source::preprocess::PreprocessOptions;
use crate::source::render::render;
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
    let model = compile(&mut map, file, &options, &mut diagnostics);
    show(console, &map, &diagnostics);
    match model {
        Some(model) => Ok(Loaded { map, model, seconds: start.elapsed().as_secs_f64() }),
        None if failed(&diagnostics) => Err(WRONG),
        None => Err(console.wrong(format!("{name}: the model cannot be read"))),
    }
}

/// Prints diagnostics to standard error; with `--quiet` only if there is an error among them.
pub fn show(console: &Console, map: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() && (!console.options.quiet || failed(diagnostics)) {
        let text = render(map, diagnostics, console.color_on_stderr());
        let _ = console.err().write_all(text.as_bytes());
    }
}
