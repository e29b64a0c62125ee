//! `pv graph`: the process automata as DOT.

use super::console::Console;
use super::options::ModelArgs;
use clap::Args;

/// Arguments of `pv graph`.
#[derive(Args, Debug)]
pub struct GraphArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Only this process type (or claim).
    #[arg(long, value_name = "NAME")]
    proctype: Option<String>,
}

/// Runs the command; gives the exit code.
pub fn run(console: &Console, _args: &GraphArgs) -> u8 {
    console.wrong("pv graph is not available in this build")
}
