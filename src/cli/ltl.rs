//! `pv ltl`: the automaton of a formula, as a never claim or as DOT. As with `spin -f`, the automaton is that of the formula
//! itself; to check that a model satisfies it, its negation is what has to be a claim: `--negate`.

use super::console::{Console, WRONG};
use super::load::show;
use crate::ltl::foreign::OUR_SPELLING;
use crate::ltl::{buchi, parse, print};
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::source::{SourceMap, Span};
use clap::Args;

/// Arguments of `pv ltl`.
#[derive(Args, Debug)]
pub(crate) struct LtlArgs {
    /// The formula, in the operators of `spin -f` and of `ltl` blocks: `[]`, `<>`, `U`, `always`, `until`, …
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    formula: String,
    /// As DOT [default: as a never claim].
    #[arg(long)]
    dot: bool,
    /// The automaton of the negation: the claim that finds violations of the formula.
    #[arg(long)]
    negate: bool,
}

/// The name under which the formula is shown.
const NAME: &str = "<formula>";

/// Says where the text stops being a formula.
fn refuse(console: &Console, formula: &str, error: &parse::ParseError) -> u8 {
    let mut map = SourceMap::new();
    let file = map.add_file(NAME.into(), None, formula.to_string());
    let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    let span = Span { file, start: at(error.offset), end: at(error.offset + error.length), ..Span::default() };
    let diagnostic = match error.instead {
        Some(instead) => Diagnostic::error(format!("{} is no operator of formulas", error.found), span, instead)
            .with_help(OUR_SPELLING),
        None => {
            let message = format!("expected {}, found {}", error.expected, error.found);
            Diagnostic::error(message, span, "not a formula from here on")
        }
    };
    show(console, &map, &[diagnostic]);
    WRONG
}

/// Warns of a `~` that was meant to be "not".
fn warn_of_complement(console: &Console, formula: &str, atoms: &[String]) {
    let Some(start) = formula.find('~').filter(|_| atoms.iter().any(|atom| atom.starts_with('~'))) else { return };
    let mut map = SourceMap::new();
    let file = map.add_file(NAME.into(), None, formula.to_string());
    let start = u32::try_from(start).unwrap_or(u32::MAX);
    let span = Span { file, start, end: start.saturating_add(1), ..Span::default() };
    let label = "this holds unless every bit of the number is set";
    let warning =
        Diagnostic::warning("`~` turns the bits of a number around", span, label).with_code(Code::ComplementInFormula);
    show(console, &map, &[warning.with_help("for \"not\" write `!`")]);
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &LtlArgs) -> u8 {
    let parsed = match parse::parse(&args.formula) {
        Ok(parsed) => parsed,
        Err(error) => return refuse(console, &args.formula, &error),
    };
    warn_of_complement(console, &args.formula, &parsed.atoms);
    let (formula, title) = if args.negate {
        (parsed.formula.negated(), format!("!({})", args.formula))
    } else {
        (parsed.formula, args.formula.clone())
    };
    let automaton = match buchi::translate(&formula) {
        Ok(automaton) => automaton,
        Err(error) => return console.wrong(error),
    };
    let atom = |number: u32| parsed.atoms.get(number as usize).cloned().unwrap_or_default();
    let text =
        if args.dot { print::dot(&automaton, &title, atom) } else { print::never_claim(&automaton, &title, atom) };
    console.print_data(&text, 0)
}
