//! `pv resume`: go on with a stopped breadth-first search.

use super::console::Console;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `pv resume`.
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// The checkpoint file.
    #[arg(value_name = "CHECKPOINT")]
    checkpoint: PathBuf,
    /// One JSON object on standard output, nothing else there.
    #[arg(long)]
    json: bool,
}

/// Runs the command; gives the exit code.
pub fn run(console: &Console, _args: &ResumeArgs) -> u8 {
    console.wrong("pv resume is not available in this build")
}
