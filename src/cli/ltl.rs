//! `pv ltl`: the automaton of a formula, as a never claim or as DOT. As with `spin -f`, the automaton is that of the formula
//! itself; to check that a model satisfies it, its negation is what has to be a claim: `--negate`.

use super::console::Console;
use crate::ltl::{buchi, parse, print};
use clap::Args;

/// Arguments of `pv ltl`.
#[derive(Args, Debug)]
pub struct LtlArgs {
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

/// Runs the command; gives the exit code.
pub fn run(console: &Console, args: &LtlArgs) -> u8 {
    let parsed = match parse::parse(&args.formula) {
        Ok(parsed) => parsed,
        Err(error) => return console.wrong(format!("in the formula: {error}")),
    };
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
    console.print(&if args.dot {
        print::dot(&automaton, &title, atom)
    } else {
        print::never_claim(&automaton, &title, atom)
    });
    0
}
