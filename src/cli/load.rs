//! From a file name to a model: read, preprocess, parse, analyse; diagnostics go to standard error.

use super::console::{Console, WRONG};
use super::options::{CheckArgs, ModelArgs};
use crate::load::{compile_within, failed};
use crate::model::Model;
use crate::report::number::bytes;
use crate::search::monitor::resident;
use crate::source::SourceMap;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::preprocess::PreprocessOptions;
use crate::source::render::render;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Smaller budgets are those of the search: the program itself and a model of the usual size take less than this.
const LEAST_BUDGET: u64 = 32 << 20;

/// A model and the text it came from.
pub(crate) struct Loaded {
    /// Files and expansions.
    pub map: SourceMap,
    /// The model.
    pub model: Model,
    /// How long it took.
    pub seconds: f64,
}

/// Reads and compiles a model for a command that checks no properties of its own: one that cannot be read is a warning.
pub(crate) fn load_model(console: &Console, args: &ModelArgs) -> Result<Loaded, u8> {
    load(console, args, &|_| false, None)
}

/// Reads and compiles a model for a check: a property that is to be checked has to be readable.
pub(crate) fn load_for_check(console: &Console, args: &CheckArgs) -> Result<Loaded, u8> {
    let checks = &args.checks;
    let claims = !checks.no_claims && !checks.non_progress;
    let checked = |name: &str| claims && checks.property.as_deref().is_none_or(|wanted| wanted == name);
    load(console, &args.model, &checked, args.search.memory)
}

/// Reads and compiles a model; what is wrong with it has been printed when this gives an exit code.
fn load(
    console: &Console,
    args: &ModelArgs,
    checked: &dyn Fn(&str) -> bool,
    memory: Option<u64>,
) -> Result<Loaded, u8> {
    let start = Instant::now();
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = match map.read_model(Path::new(&args.model), &mut diagnostics) {
        Ok(file) => file,
        Err(error) => return Err(console.wrong(error)),
    };
    let name = map.file(file).name.clone();
    let options = PreprocessOptions { defines: args.defines.clone(), include_dirs: args.include_dirs.clone() };
    let full = || {
        let (budget, used) = (memory?, resident());
        (used > budget.max(LEAST_BUDGET))
            .then(|| format!("to read it took {} of {} (--memory)", bytes(used), bytes(budget)))
    };
    let model = compile_within(&mut map, file, &options, &mut diagnostics, &full);
    for formula in model.iter().flat_map(|model| &model.broken) {
        let severity = if checked(&formula.name) { Severity::Error } else { Severity::Warning };
        for wrong in &formula.diagnostics {
            let severity = severity.min(wrong.severity);
            let note = format!("the property `{}` cannot be checked", formula.name);
            diagnostics.push(Diagnostic { severity, ..wrong.clone() }.with_note(note));
        }
    }
    show(console, &map, &diagnostics);
    match model.filter(|_| !failed(&diagnostics)) {
        Some(model) => Ok(Loaded { map, model, seconds: start.elapsed().as_secs_f64() }),
        None if failed(&diagnostics) => Err(WRONG),
        None => Err(console.wrong(format!("{name}: the model cannot be read"))),
    }
}

/// Prints diagnostics to standard error; with `--quiet` only if there is an error among them.
pub(crate) fn show(console: &Console, map: &SourceMap, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() && (!console.options.quiet || failed(diagnostics)) {
        let text = render(map, diagnostics, console.color_on_stderr());
        let _ = console.err().write_all(text.as_bytes());
    }
}
