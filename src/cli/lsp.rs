//! `pv lsp`: the language server.

use clap::Args;

/// Arguments of `pv lsp`.
#[derive(Args, Debug)]
pub(crate) struct LspArgs {
    /// Standard input and output; there is nothing else, and many clients say so.
    #[arg(long)]
    stdio: bool,
}

/// Runs the command; gives the exit code.
pub(crate) fn run(args: &LspArgs) -> u8 {
    // Said or not, the server speaks on standard input and output.
    let LspArgs { stdio: _ } = args;
    crate::lsp::run()
}
