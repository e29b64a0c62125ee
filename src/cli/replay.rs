//! `pv replay`: play a counterexample back.

use super::console::Console;
use super::options::ModelArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `pv replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// The trail file that `pv check` wrote.
    #[arg(value_name = "TRAIL")]
    trail: PathBuf,
    /// Draw the run as a message sequence chart.
    #[arg(long, value_name = "FILE.svg")]
    chart: Option<PathBuf>,
}

/// Runs the command; gives the exit code.
pub fn run(console: &Console, _args: &ReplayArgs) -> u8 {
    console.wrong("pv replay is not available in this build")
}
