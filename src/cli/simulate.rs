//! `pv simulate`: one run of a model, by chance or step by step.

use super::console::Console;
use super::options::ModelArgs;
use clap::Args;

/// Arguments of `pv simulate`.
#[derive(Args, Debug)]
pub struct SimulateArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Seed of the random choices, 0 to 2^64-1 [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Stop after N steps, 1 or more (1k = 1000) [default: run until no step is possible].
    #[arg(long, value_name = "N", value_parser = super::size::positive_count)]
    steps: Option<u64>,
    /// Choose each step: a number takes it, `u` undoes, `p` prints the state, `r LABEL` runs to a label, `q` quits.
    #[arg(long, conflicts_with = "seed")]
    interactive: bool,
}

/// Runs the command; gives the exit code.
pub fn run(console: &Console, _args: &SimulateArgs) -> u8 {
    console.wrong("pv simulate is not available in this build")
}
