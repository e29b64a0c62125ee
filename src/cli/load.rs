//! From a file name to a model: read, preprocess, parse, analyse; diagnostics go to standard error.

use super::console::{Console, WRONG};
use super::options::{CheckArgs, ModelArgs, PropertyArgs};
use crate::lint;
use crate::load::{Outside, Writing, compile_expression, failed, front};
use crate::model::{Expr, Model};
use crate::report::formats::Told;
use crate::report::number::bytes;
use crate::report::trail::{OutsideText, TrailWriting};
use crate::search::monitor::resident;
use crate::source::SourceMap;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::preprocess::PreprocessOptions;
use crate::source::render::render;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Smaller budgets are those of the search: the program itself and a model of the usual size take less than this.
const LEAST_BUDGET: u64 = 32 << 20;

/// A model and the text it came from.
pub(crate) struct Loaded {
    /// Files and expansions.
    pub map: SourceMap,
    /// The model.
    pub model: Model,
    /// The property that was given beside the model.
    pub outside: Option<OutsideText>,
    /// How long it took.
    pub seconds: f64,
}

/// The name under which a formula of the command line is shown.
const FORMULA: &str = "<formula>";

/// Reads and compiles a model for a command that checks no properties of its own: one that cannot be read is a warning.
pub(crate) fn load_model(console: &Console, args: &ModelArgs) -> Result<Loaded, u8> {
    load(console, args, None, &|_| false, None, false)
}

/// Reads and compiles a model for a replay, with the property from outside that the trail is about.
pub(crate) fn load_for_replay(
    console: &Console,
    args: &ModelArgs,
    outside: Option<&OutsideText>,
) -> Result<Loaded, u8> {
    load(console, args, outside.cloned(), &|_| false, None, false)
}

/// Reads and compiles a model for a check: a property that is to be checked has to be readable. Warnings are told, and the
/// lints run.
pub(crate) fn load_for_check(console: &Console, args: &CheckArgs) -> Result<Loaded, u8> {
    load_to_search(console, args, true)
}

/// As [`load_for_check`], for a search that goes on: who began it has been warned.
pub(crate) fn load_for_resume(console: &Console, args: &CheckArgs) -> Result<Loaded, u8> {
    load_to_search(console, args, false)
}

fn load_to_search(console: &Console, args: &CheckArgs, warns: bool) -> Result<Loaded, u8> {
    let checks = &args.checks;
    let outside = outside(checks).map_err(|message| console.wrong(message))?;
    let claims = !checks.no_claims && !checks.non_progress && outside.is_none();
    let checked = |name: &str| claims && checks.property.as_deref().is_none_or(|wanted| wanted == name);
    load(console, &args.model, outside, &checked, args.search.memory, warns)
}

/// The property that is given beside the model, if one is.
pub(super) fn outside(checks: &PropertyArgs) -> Result<Option<OutsideText>, String> {
    let (file, writing) = match (&checks.formula, &checks.formula_file, &checks.claim_file) {
        (Some(text), ..) => {
            let text = text.clone();
            return Ok(Some(OutsideText { writing: TrailWriting::Formula, file: FORMULA.into(), text }));
        }
        (None, Some(file), _) => (file, TrailWriting::Formula),
        (None, None, Some(file)) => (file, TrailWriting::Claim),
        (None, None, None) => return Ok(None),
    };
    let mut map = SourceMap::new();
    // What is odd about the bytes of the file matters no more: the text is what counts.
    let read = map.read_file(file, &mut Vec::new()).map_err(|error| error.to_string())?;
    Ok(Some(OutsideText { writing, file: file.display().to_string(), text: map.file(read).text.clone() }))
}

/// Puts a property from outside into the map.
pub(super) fn add_outside(map: &mut SourceMap, outside: &OutsideText) -> Outside {
    let path = (outside.file != FORMULA).then(|| PathBuf::from(&outside.file));
    let writing = match outside.writing {
        TrailWriting::Formula => Writing::Formula,
        TrailWriting::Claim => Writing::Claim,
    };
    Outside { file: map.add_file(outside.file.clone(), path, outside.text.clone()), writing }
}

/// Reads and compiles a model; what is wrong with it has been printed when this gives an exit code.
fn load(
    console: &Console,
    args: &ModelArgs,
    outside: Option<OutsideText>,
    checked: &dyn Fn(&str) -> bool,
    memory: Option<u64>,
    warns: bool,
) -> Result<Loaded, u8> {
    let start = Instant::now();
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = match map.read_model(Path::new(&args.model), &mut diagnostics) {
        Ok(file) => file,
        Err(error) => return Err(console.wrong(error)),
    };
    let name = map.file(file).name.clone();
    let beside = outside.as_ref().map(|outside| add_outside(&mut map, outside));
    let options = PreprocessOptions { defines: args.defines.clone(), include_dirs: args.include_dirs.clone() };
    let full = || {
        let (budget, used) = (memory?, resident());
        (used > budget.max(LEAST_BUDGET))
            .then(|| format!("to read it took {} of {} (--memory)", bytes(used), bytes(budget)))
    };
    let read = front(&mut map, file, beside, &options, &mut diagnostics, &full);
    let model = read.map(|(unit, model)| {
        if warns {
            lint::lint(&map, &unit, &mut diagnostics);
        }
        model
    });
    for formula in model.iter().flat_map(|model| &model.broken) {
        let is_outside = beside.is_some_and(|outside| map.use_site(formula.span).file == outside.file);
        let severity = if is_outside || checked(&formula.name) { Severity::Error } else { Severity::Warning };
        for wrong in &formula.diagnostics {
            let severity = severity.min(wrong.severity);
            let wrong = Diagnostic { severity, ..wrong.clone() };
            // Somebody who gives one formula knows which one cannot be checked.
            diagnostics.push(match is_outside {
                true => wrong,
                false => wrong.with_note(format!("the property `{}` cannot be checked", formula.name)),
            });
        }
    }
    if warns {
        lint::settle(&map, &mut diagnostics);
    } else if !failed(&diagnostics) {
        diagnostics.clear();
    }
    show(console, &map, &diagnostics);
    match model.filter(|_| !failed(&diagnostics)) {
        Some(model) => Ok(Loaded { map, model, outside, seconds: start.elapsed().as_secs_f64() }),
        None if failed(&diagnostics) => Err(WRONG),
        None => Err(console.wrong(format!("{name}: the model cannot be read"))),
    }
}

/// Reads an expression in the scope of a model that was read before; gives the model that belongs to the expression. What is wrong
/// with it comes back in a sentence.
pub(crate) fn load_expression(loaded: &Loaded, args: &ModelArgs, text: &str) -> Result<(Model, Expr), String> {
    let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
    let main = loaded.map.files().first().ok_or("there is no model")?;
    let file = map.add_file(main.name.clone(), main.path.clone(), main.text.clone());
    let outside = loaded.outside.as_ref().map(|outside| add_outside(&mut map, outside));
    let expression = map.add_file("<expression>".into(), None, text.to_string());
    let options = PreprocessOptions { defines: args.defines.clone(), include_dirs: args.include_dirs.clone() };
    let compiled = compile_expression(&mut map, file, outside, expression, &options, &mut diagnostics);
    compiled.ok_or_else(|| {
        let wrong = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        wrong.map_or("this cannot be evaluated".into(), |wrong| {
            [&wrong.message, &wrong.primary.message].map(String::as_str).join(": ")
        })
    })
}

/// Prints diagnostics to standard error; with `--quiet` only if there is an error among them.
pub(crate) fn show(console: &Console, map: &SourceMap, diagnostics: &[Diagnostic]) {
    console.keep(Told::all(map, diagnostics));
    if !diagnostics.is_empty() && (!console.options.quiet || failed(diagnostics)) {
        let text = render(map, diagnostics, console.color_on_stderr());
        console.say(&text);
    }
}
