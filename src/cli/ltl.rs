//! `pv ltl`: the automaton of a formula.

use super::console::Console;
use clap::Args;

/// Arguments of `pv ltl`.
#[derive(Args, Debug)]
pub struct LtlArgs {
    /// The formula, in the operators of `ltl` blocks: `[]`, `<>`, `U`, `always`, `until`, …
    #[arg(value_name = "FORMULA", allow_hyphen_values = true)]
    formula: String,
    /// As DOT [default: as a never claim].
    #[arg(long)]
    dot: bool,
}

/// Runs the command; gives the exit code.
pub fn run(console: &Console, _args: &LtlArgs) -> u8 {
    console.wrong("pv ltl is not available in this build")
}
