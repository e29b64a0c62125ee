//! `pv completions` and `pv man`: what a shell and `man` need to know, made from the definition of the command line itself, so that it
//! is always that of this pv.

use super::console::Console;
use crate::source::code::Code;
use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::Shell;
use std::io;
use std::path::{Path, PathBuf};

/// Arguments of `pv completions`.
#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

/// Arguments of `pv man`.
#[derive(Args, Debug)]
pub(crate) struct ManArgs {
    /// Write the page of pv and one for each command into this folder, which is made if it is not there [default: the page of pv goes to
    /// standard output].
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// Prints the completions of a shell; gives the exit code.
pub(crate) fn completions(console: &Console, args: &CompletionsArgs, mut command: Command) -> u8 {
    // The command itself takes any word, to say which code may have been meant.
    let codes = || Code::ALL.iter().map(|code| code.text());
    command = command.mut_subcommand("explain", |explain| {
        explain.mut_arg("code", |code| code.value_parser(PossibleValuesParser::new(codes())))
    });
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "pv", &mut text);
    console.print_data(&String::from_utf8_lossy(&text), 0)
}

/// Prints or writes manual pages; gives the exit code.
pub(crate) fn man(console: &Console, args: &ManArgs, command: Command) -> u8 {
    match &args.folder {
        Some(folder)
            if !folder.exists() && command.get_subcommands().any(|known| folder.as_os_str() == known.get_name()) =>
        {
            let name = folder.display();
            console.wrong(format!(
                "`{name}` is a command, and `pv man DIR` takes a folder for all pages: `pv {name} --help` tells what the page of {name} says, \
                 `pv man ./{name}` makes a folder of that name"
            ))
        }
        Some(folder) => match pages(folder, command) {
            Ok(()) => 0,
            Err(error) => console.wrong(format!("the manual cannot be written to {}: {error}", folder.display())),
        },
        None => {
            let mut text = Vec::new();
            match clap_mangen::Man::new(command).render(&mut text) {
                Ok(()) => console.print_data(&String::from_utf8_lossy(&text), 0),
                Err(error) => console.wrong(format!("the manual cannot be made: {error}")),
            }
        }
    }
}

fn pages(folder: &Path, command: Command) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    // `pv help check` is the same text once more.
    clap_mangen::generate_to(command.disable_help_subcommand(true), folder)
}
