//! `pv compare`: a matrix of searches on one model.

use super::console::Console;
use super::options::ModelArgs;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `pv compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Folder for the table, the plots and the page.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The matrix, as a TOML file [default: a sensible one].
    #[arg(long, value_name = "FILE.toml")]
    matrix: Option<PathBuf>,
    /// Only this figure.
    #[arg(long, value_name = "NAME")]
    figure: Option<String>,
    /// Seed of every random choice, 0 to 2^64-1 [default: 1].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Runs the command; gives the exit code.
pub fn run(console: &Console, _args: &CompareArgs) -> u8 {
    console.wrong("pv compare is not available in this build")
}
