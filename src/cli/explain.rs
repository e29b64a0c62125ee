//! `pv explain`: what the code of an error or warning means.

use super::console::Console;
use crate::lint::explain;
use crate::source::code::Code;
use crate::source::suggest::suggest;
use clap::Args;

/// Arguments of `pv explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The code, as it stands in square brackets in the message. Without it all codes are listed.
    code: Option<String>,
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &ExplainArgs) -> u8 {
    let Some(word) = &args.code else { return console.print_data(&explain::list(), 0) };
    match Code::named(word) {
        Some(code) => console.print_data(&explain::explain(code), 0),
        None => console.wrong(match suggest(word, Code::ALL.iter().map(|code| code.text())) {
            Some(near) => format!("there is no code `{word}`: did you mean `{near}`?"),
            None => format!("there is no code `{word}`: `pv explain` lists all"),
        }),
    }
}
