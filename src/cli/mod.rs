//! The command line: one file per command, all options in `options`, what does not go together in `combine`.
//!
//! [`main`] parses, runs the command on a thread with a large stack (the tree of a deeply nested model is walked by
//! recursion) and turns what it says into the exit code: 0 fine, 1 violated, 2 wrong input, 3 incomplete, 4 another process is gone,
//! 101 a bug.

mod certificate;
mod certify;
mod check;
mod closed_output;
mod cluster;
mod combine;
mod compare;
mod console;
mod explain;
mod explore;
mod fmt;
mod graph;
mod interactive;
mod lead;
mod library;
mod load;
mod lsp;
mod ltl;
mod manual;
mod options;
mod output;
mod plan;
mod replay;
mod replay_json;
mod resume;
mod several;
mod signals;
mod simulate;
mod stats;
mod steps;
mod values;
mod watched;

pub use library::{Answer, Counterexample, TextStep, Verifier};

use crate::report::formats::Told;
use crate::search::monitor::available;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use console::{Console, WRONG};
use options::Format;
use std::io::Write;
use std::process::ExitCode;

/// A verifier for concurrent protocols written in Promela.
#[derive(Parser, Debug)]
#[command(name = "pv", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: options::OutputArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Verify a model: assertions, invalid end states, and its properties.
    Check(Box<options::CheckArgs>),
    /// Run a model once, by chance or step by step.
    Simulate(simulate::SimulateArgs),
    /// Play a counterexample back: steps, variables, message sequence chart.
    Replay(replay::ReplayArgs),
    /// The model in the browser: step, branch and look, on a page that only this machine can reach.
    Explore(explore::ExploreArgs),
    /// Run a matrix of searches and cache sizes; table, CSV, plots, one HTML page.
    Compare(compare::CompareArgs),
    /// Shape of the state space: levels, in-degree density, transition locality.
    Stats(stats::StatsArgs),
    /// Go on with a stopped breadth-first search.
    Resume(Box<resume::ResumeArgs>),
    /// The process automata and what each transition touches, as DOT.
    Graph(graph::GraphArgs),
    /// Check a certificate of `pv check --certificate` with an executor that shares no code with the searches.
    Certify(certify::CertifyArgs),
    /// The model as clean Promela.
    Fmt(fmt::FmtArgs),
    /// The Büchi automaton of a formula, as a never claim or DOT.
    Ltl(ltl::LtlArgs),
    /// Completions for a shell: bash, zsh, fish, powershell or elvish.
    Completions(manual::CompletionsArgs),
    /// The manual, as pages for `man`.
    Man(manual::ManArgs),
    /// What the code of an error or warning means; without a code, the list of all.
    Explain(explain::ExplainArgs),
    /// A language server for editors, on standard input and output.
    Lsp(lsp::LspArgs),
}

/// Exit code for a bug in pv itself.
const INTERNAL_ERROR: u8 = 101;

/// Stack of the working thread, in bytes: enough for trees far deeper than the parser lets through. Only what is
/// touched is really taken; where address space is limited, smaller ones are tried.
const STACKS: [usize; 3] = [256 << 20, 64 << 20, 8 << 20];

/// The whole program.
pub fn main() -> ExitCode {
    crate::store::give_back_memory();
    let matches = forgiving(Cli::command()).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => {
            let code = refused(&error);
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    std::panic::set_hook(Box::new(|panic| {
        let _ = writeln!(std::io::stderr(), "internal error: {panic}\nThis is a bug in pv, please report it.");
    }));
    let cli = std::sync::Arc::new(cli);
    for stack in STACKS {
        let cli = cli.clone();
        // A stack that leaves nothing for the rest is too large; the last one is small enough for a command to say so.
        let beside = if stack == STACKS[STACKS.len() - 1] { 0 } else { LEAST_MEMORY as usize };
        if Vec::<u8>::new().try_reserve_exact(stack + beside).is_err() {
            continue;
        }
        if let Ok(worker) = std::thread::Builder::new().stack_size(stack).spawn(move || run(&cli)) {
            return ExitCode::from(worker.join().unwrap_or(INTERNAL_ERROR));
        }
    }
    ExitCode::from(run(&cli))
}

/// The command line makes no sense. Who asks for a document on standard output gets one. Gives the exit code.
fn refused(error: &clap::Error) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(WRONG);
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let asked = |name: &str| {
        let whole = format!("--format={name}");
        let apart = words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == name);
        apart || words.contains(&whole) || (name == "json" && words.iter().any(|word| word == "--json"))
    };
    let named = |format: &&Format| format.to_possible_value().is_some_and(|value| asked(value.get_name()));
    let command = words.iter().find(|word| ["check", "resume", "replay", "stats"].contains(&word.as_str()));
    let format = match command.map(String::as_str) {
        Some("check" | "resume") => Format::value_variants().iter().find(named).copied(),
        Some(_) => asked("json").then_some(Format::Json),
        None => None,
    };
    if let (true, Some(format)) = (error.use_stderr(), format) {
        let console = Console::new(Default::default());
        let text = error.render().to_string();
        let message =
            text.split("\n\nUsage:").next().and_then(|text| text.split("\n\nFor more").next()).unwrap_or_default();
        console.keep([Told::error(message.trim().trim_start_matches("error: "))]);
        output::refused(&console, format);
    }
    code
}

/// A flag that is given twice says nothing new, and is no error.
fn forgiving(command: clap::Command) -> clap::Command {
    let flag = |arg: clap::Arg| match arg.get_action() {
        ArgAction::SetTrue => {
            let itself = arg.get_id().clone();
            arg.overrides_with(itself)
        }
        _ => arg,
    };
    command.mut_args(flag).mut_subcommands(forgiving)
}

/// Bytes that any command may take without asking. With less, the allocator of a thread takes a page for each small piece.
const LEAST_MEMORY: u64 = 48 << 20;
/// Exit code of a command that could not do its work to the end.
const INCOMPLETE: u8 = 3;

fn run(cli: &Cli) -> u8 {
    let console = Console::new(cli.output.clone());
    // The searches ask for memory before they take it; the other commands are small, but not that small.
    let searches = matches!(cli.command, Command::Check(_) | Command::Resume(_) | Command::Compare(_));
    if !searches && available().is_some_and(|free| free < LEAST_MEMORY) {
        console.wrong("there is too little memory to begin: a limit on it (ulimit -v) leaves less than 48 MiB");
        return INCOMPLETE;
    }
    match &cli.command {
        Command::Check(args) => check::run(&console, args),
        Command::Simulate(args) => simulate::run(&console, args),
        Command::Replay(args) => replay::run_as_asked(&console, args),
        Command::Explore(args) => explore::run(&console, args),
        Command::Compare(args) => compare::run(&console, args),
        Command::Stats(args) => stats::run_as_asked(&console, args),
        Command::Resume(args) => resume::run(&console, args),
        Command::Graph(args) => graph::run(&console, args),
        Command::Certify(args) => certify::run(&console, args),
        Command::Fmt(args) => fmt::run(&console, args),
        Command::Ltl(args) => ltl::run(&console, args),
        Command::Completions(args) => manual::completions(&console, args, Cli::command()),
        Command::Man(args) => manual::man(&console, args, Cli::command()),
        Command::Explain(args) => explain::run(&console, args),
        Command::Lsp(args) => lsp::run(args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_are_consistent() {
        forgiving(Cli::command()).debug_assert();
    }
}
