//! The `pv` command; everything is in [`pv::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    pv::cli::main()
}
