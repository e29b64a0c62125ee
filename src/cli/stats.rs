//! `pv stats`: the shape of the state space.

use super::console::Console;
use super::options::ModelArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `pv stats`.
#[derive(Args, Debug)]
pub struct StatsArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
    /// Draw the levels and the density.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
}

/// Runs the command; gives the exit code.
pub fn run(console: &Console, _args: &StatsArgs) -> u8 {
    console.wrong("pv stats is not available in this build")
}
