//! `pv fmt`: the model as clean Promela.
//!
//! A text that is no model is not laid out: its diagnostics are shown instead. What is printed has the tokens of
//! the file (see [`format_source`]) or, with `--expand`, those of the tree.

use super::console::{Console, WRONG};
use super::load::show;
use super::options::ModelArgs;
use crate::format::format_source;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::preprocess::{PreprocessOptions, preprocess};
use crate::source::{SourceMap, Span};
use crate::syntax;
use clap::Args;
use std::path::Path;

/// Exit code of `--check` for a file that would be printed otherwise.
const OTHERWISE: u8 = 1;

/// Arguments of `pv fmt`.
#[derive(Args, Debug)]
pub(crate) struct FmtArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Print nothing; exit 1 if the file is not as `pv fmt` would print it.
    #[arg(long)]
    check: bool,
    /// Print the model after preprocessing and inlining.
    #[arg(long, conflicts_with = "check")]
    expand: bool,
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &FmtArgs) -> u8 {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = match map.read_model(Path::new(&args.model.model), &mut diagnostics) {
        Ok(file) => file,
        Err(error) => return console.wrong(error),
    };
    let options =
        PreprocessOptions { defines: args.model.defines.clone(), include_dirs: args.model.include_dirs.clone() };
    let tokens = preprocess(&mut map, file, &options, &mut diagnostics);
    let unit = syntax::parse(&mut map, tokens, &mut diagnostics);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let Some(unit) = unit.filter(|_| !failed) else {
        show(console, &map, &diagnostics);
        return WRONG;
    };
    if args.expand {
        return console.print_data(&syntax::print::unit(&unit), 0);
    }
    let text = &map.file(file).text;
    match format_source(text) {
        Ok(formatted) if args.check => u8::from(formatted != *text) * OTHERWISE,
        Ok(formatted) => console.print_data(&formatted, 0),
        Err(error) => {
            let span = Span { file, start: error.range.start, end: error.range.end, ..Span::default() };
            diagnostics.push(Diagnostic::error(error.message, span, ""));
            show(console, &map, &diagnostics);
            WRONG
        }
    }
}
