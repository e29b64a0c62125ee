//! Every option of `pv`, with its default and range, in one place. Options that may be given or not are `Option`s, so
//! that [`super::combine`] can tell "not given" from "given with the default"; what the default is stands in the help
//! text and in the accessor below the table.

use super::values;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The most threads that a search may be asked to have.
pub(crate) const MOST_WORKERS: u16 = 512;

/// The model and what reaches the preprocessor.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ModelArgs {
    /// The Promela file; `-` reads standard input.
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// Define a macro as `#define NAME VALUE` would; the value is 1 if none is given.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub defines: Vec<(String, String)>,
    /// Look for included files in this folder too. May be given several times.
    #[arg(short = 'I', value_name = "DIR")]
    pub include_dirs: Vec<PathBuf>,
}

/// What every command understands.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct OutputArgs {
    /// Say less: no progress, no warnings, and of `check` one line for each model.
    #[arg(long, global = true)]
    pub quiet: bool,
    /// No progress bar on standard error (there is none anyway when that is not a terminal).
    #[arg(long, global = true)]
    pub no_bar: bool,
    /// Colours in reports and messages.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = When::Auto)]
    pub color: When,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum When {
    /// If the output is a terminal.
    #[default]
    Auto,
    /// Also into files and pipes.
    Always,
    /// Never.
    Never,
}

/// What `pv check` prints on standard output.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Format {
    /// A report for people.
    #[default]
    Text,
    /// One JSON document, as docs/schema describes it.
    Json,
    /// SARIF 2.1.0, for code scanning and editors.
    Sarif,
    /// JUnit XML, for the test reports of CI systems.
    Junit,
    /// Workflow commands that annotate a pull request on GitHub.
    Github,
}

/// The order of exploration.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum SearchOrder {
    /// Depth first.
    #[default]
    Dfs,
    /// Breadth first: shortest counterexamples.
    Bfs,
}

/// What is kept of a visited state.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum StoreKind {
    /// The whole state: nothing is missed.
    #[default]
    Exact,
    /// The whole state, compressed to a dozen bytes or less: nothing is missed.
    Tree,
    /// A signature of `--bits` bits (hash compaction).
    Compact,
    /// `--bits` bits of a Bloom filter (bitstate search).
    Bloom,
}

/// Which state a full depth-first cache forgets.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) enum Replace {
    /// Any.
    Random,
    /// By the type of the transitions that led to it.
    Type,
    /// The one met most often.
    MostVisited,
    /// The one met least often.
    LeastVisited,
    /// One of the largest class of equally often met ones.
    LargestClass,
    /// The one with the smallest subtree below it.
    SmallestSubtree,
    /// The one whose loss is expected to cost least: transitions below it times the chance that it is met again.
    #[default]
    Cost,
}

/// How much of the visited file a check of the disk search reads.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) enum DiskWindow {
    /// As much as turns out to be enough.
    Auto,
    /// This fraction.
    Fraction(f64),
}

/// The options of `pv check`.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CheckArgs {
    /// The model.
    #[command(flatten)]
    pub model: ModelArgs,
    /// Further models, each checked for itself and with its own budgets. The exit code is the worst: 101, then 1, 2, 3, 0.
    #[arg(value_name = "MODEL")]
    #[serde(skip)]
    pub more: Vec<String>,
    /// What is looked for.
    #[command(flatten, next_help_heading = "What is checked")]
    pub checks: PropertyArgs,
    /// How it is looked for.
    #[command(flatten)]
    pub search: SearchArgs,
    /// One JSON object on standard output, nothing else there: --format json.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// What is printed on standard output [default: text].
    #[arg(long, value_enum, help_heading = "Output")]
    #[serde(default)]
    pub format: Option<Format>,
    /// Write the trail of the first error to this file [default: MODEL.trail.json in the current folder].
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "no_trail")]
    pub trail: Option<PathBuf>,
    /// Where an error is found, look for a shorter counterexample: for what a finite run shows breadth first, within --memory and
    /// --time; a cycle and the way to it are made shorter. The report says how short the counterexample is known to be.
    #[arg(long, help_heading = "Output")]
    #[serde(default)]
    pub shortest: bool,
    /// Look for a counterexample that no trail file of the model shows yet: another error, another last step or another state at the
    /// end; of a cycle, other steps that repeat. The new trail is written beside the others.
    #[arg(long, help_heading = "Output")]
    #[serde(default)]
    pub another: bool,
    /// Write what a complete exact search has seen to this file: every state in the words of the model, or the counterexample. `pv certify`
    /// checks the file with an executor of its own. Nothing is left out of the search that was not named.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    #[serde(default)]
    pub certificate: Option<PathBuf>,
    /// Write no trail files.
    #[arg(long, help_heading = "Output")]
    pub no_trail: bool,
}

/// What is checked.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PropertyArgs {
    /// Count every error and go on; without it the search stops at the first.
    #[arg(long)]
    pub all_errors: bool,
    /// Do not look for invalid end states (deadlocks).
    #[arg(long)]
    pub no_end_states: bool,
    /// Do not check assertions.
    #[arg(long)]
    pub no_assertions: bool,
    /// An end state is valid only if all channels are empty.
    #[arg(long)]
    pub strict_channels: bool,
    /// Check this `ltl` property only [default: all of them, each in a search of its own].
    #[arg(long, value_name = "NAME")]
    pub property: Option<String>,
    /// Check this formula only. Like an `ltl` block of the model it says what must hold on every run (SPIN's -f wants its
    /// negation), and it may use all names and macros of the model.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    #[serde(default)]
    pub formula: Option<String>,
    /// The same with the formula in a file.
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub formula_file: Option<PathBuf>,
    /// Check the never claim in this file only. Like a claim of the model it says what must not happen (SPIN's -N).
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub claim_file: Option<PathBuf>,
    /// Leave never claims and `ltl` properties out.
    #[arg(long)]
    pub no_claims: bool,
    /// Weak fairness for acceptance and non-progress cycles.
    #[arg(long)]
    pub fair: bool,
    /// Look for non-progress cycles.
    #[arg(long)]
    pub non_progress: bool,
}

/// How it is searched.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SearchArgs {
    /// Order of exploration [default: dfs].
    #[arg(long, value_enum, hide_possible_values = false, help_heading = "Search")]
    pub search: Option<SearchOrder>,
    /// Breadth-first search (--search bfs need not be said) by N threads over one table, 1 to 512; 0 is one for each processor [default: one
    /// thread]. Counts, verdict and counterexample are the same for every N. The search ends at the end of the level in which an error is
    /// found. More than one pays from about a thousand states a level on. With --hosts or --processes: so many for each of them, each a process of
    /// its own with its own part of the states, and a share of --memory.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=i64::from(MOST_WORKERS)), help_heading = "Search")]
    #[serde(default)]
    pub workers: Option<u16>,
    /// Longest path that is followed, 1 or more [default: no bound]. A bound that was hit makes the verdict
    /// `incomplete`.
    #[arg(long, value_name = "N", value_parser = values::positive_count, help_heading = "Search")]
    pub max_depth: Option<u64>,
    /// Budget of memory for the whole search, `512M`, `4G` (1K = 1024 bytes) [default: no bound]. Reaching it makes the
    /// verdict `incomplete`. With less than 8M the program itself takes more than that.
    #[arg(long, value_name = "SIZE", value_parser = values::bytes, help_heading = "Search")]
    pub memory: Option<u64>,
    /// Budget of time for the whole search, of all properties together: `90` seconds, `10m`, `1h` [default: no bound]. When
    /// it is over the verdict is `incomplete`.
    #[arg(long, value_name = "SECONDS", value_parser = values::time, help_heading = "Search")]
    pub time: Option<Duration>,
    /// Seed of every random choice, 0 to 2^64-1 [default: 1].
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub seed: Option<u64>,
    /// Interpret the model: no machine code is made, however long the search is.
    #[arg(long, help_heading = "Search")]
    pub no_native: bool,

    /// Search the state space as it is. By default a depth-first search leaves out what cannot change the verdict (dead variables, local
    /// steps, orders of independent steps; of a property with `X` or with --fair dead variables only), a breadth-first one dead variables
    /// only.
    #[arg(long, help_heading = "Reduction")]
    pub full: bool,
    /// Of what is left out by default: tell states apart by values that nobody reads any more, too.
    #[arg(long, help_heading = "Reduction")]
    pub no_dead_variables: bool,
    /// Of what is left out by default: stop also between local steps.
    #[arg(long, help_heading = "Reduction")]
    pub no_merging: bool,
    /// Sleep sets: leave out transitions that only swap independent steps (dfs). With --por, of what that takes.
    #[arg(long, help_heading = "Reduction")]
    pub sleep: bool,
    /// Partial-order reduction with persistent sets. With claims for those that cannot tell runs apart which differ by stuttering.
    #[arg(long, help_heading = "Reduction")]
    pub por: bool,
    /// With --por: reduce further and check end states only. A run-time error that is met on the way (an index out of
    /// bounds, a division by zero) is reported all the same, but not all of them are met.
    #[arg(long, help_heading = "Reduction")]
    pub deadlocks_only: bool,
    /// Verify the independence relation while searching: execute both orders and compare (slow, for tests).
    #[arg(long, help_heading = "Reduction")]
    pub check_independence: bool,
    /// Verify each persistent set from its definition while searching (slow, for tests).
    #[arg(long, help_heading = "Reduction")]
    pub check_por: bool,

    /// What is kept of a state [default: exact; depth first tree, when memory comes near its budget].
    #[arg(long, value_enum, help_heading = "Store")]
    pub store: Option<StoreKind>,
    /// At most N stored states, 1 or more: `500`, `64k`, `2M` (1k = 1000) [default: no bound].
    #[arg(long, value_name = "N", value_parser = values::positive_count, help_heading = "Store")]
    pub cache: Option<u64>,
    /// Which state a full cache forgets, dfs [default: cost].
    #[arg(long, value_enum, help_heading = "Store")]
    pub replace: Option<Replace>,
    /// Signature bits of the compact store, 2 to 64 [default: 40]; hash functions of the bloom store, 1 to 64
    /// [default: 3, or the best for --expect-states].
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u8).range(1..=64), help_heading = "Store")]
    pub bits: Option<u8>,
    /// Slots of --bits bits in the table of the compact store, 1 or more (1k = 1000) [default: what --memory or
    /// --expect-states ask for]; a bloom filter gets as many bits in all.
    #[arg(long, value_name = "N", value_parser = values::positive_count, help_heading = "Store")]
    pub slots: Option<u64>,
    /// How many states to make room for, 1 or more: a quarter more slots than that (compact), or a filter of which they
    /// set half of the bits (bloom).
    #[arg(long, value_name = "N", value_parser = values::positive_count, help_heading = "Store")]
    pub expect_states: Option<u64>,
    /// Precision on demand: length of the chain of first successors that is looked at, 0 to 64, 0 is off [default: 0].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(0..=64), help_heading = "Store")]
    pub pod: Option<u8>,
    /// Runs with independent hash functions, 1 to 1000 (compact, bloom) [default: 1].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Store")]
    pub repeat: Option<u32>,

    /// Search with N processes on this machine, 1 to 64, breadth first: for trying out what --hosts does on several machines.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64), help_heading = "Search over several machines")]
    #[serde(default)]
    pub processes: Option<u32>,
    /// Search with one process on each of the machines in this file, breadth first: a line `host:port` for each, process 0 first. The same
    /// command is started on all, with its own --process on each; process 0 reports.
    #[arg(long, value_name = "FILE", help_heading = "Search over several machines")]
    #[serde(default)]
    pub hosts: Option<PathBuf>,
    /// Which line of --hosts this process is, from 0.
    #[arg(long, value_name = "I", help_heading = "Search over several machines")]
    #[serde(default)]
    pub process: Option<u32>,
    /// A secret that all processes share, 16 bytes or more. Needed where the addresses are not those of this machine alone. What is sent
    /// is not encrypted: use a private network.
    #[arg(long, value_name = "FILE", help_heading = "Search over several machines")]
    #[serde(default)]
    pub token_file: Option<PathBuf>,
    /// How long to wait for the other processes at the start: `60`, `10m` [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = values::time, help_heading = "Search over several machines")]
    #[serde(default)]
    pub connect_timeout: Option<Duration>,

    /// Two-level cache, with --search bfs --cache N.
    #[arg(long, help_heading = "Breadth-first search with little memory")]
    pub hub: bool,
    /// Share of the first level of the hub cache, 0 to 1 [default: 0.7].
    #[arg(long, value_name = "FRACTION", value_parser = values::fraction, allow_negative_numbers = true, help_heading = "Breadth-first search with little memory")]
    pub hub_split: Option<f64>,
    /// Probability that the second level overwrites a state, 0 to 1 [default: 0.0001].
    #[arg(long, value_name = "P", value_parser = values::fraction, allow_negative_numbers = true, help_heading = "Breadth-first search with little memory")]
    pub hub_overwrite: Option<f64>,
    /// Slots looked at in a bfs cache before one is overwritten, 1 to 64 [default: 8].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=64), help_heading = "Breadth-first search with little memory")]
    pub ways: Option<u8>,
    /// When a cache gives up, 0 to 1: overwrites per insertion, bfs [default: 0.9]; insertions of states that had been thrown
    /// out per insertion, dfs [default: 0.98, fifty insertions for each state].
    #[arg(long, value_name = "R", value_parser = values::fraction, allow_negative_numbers = true, help_heading = "Breadth-first search with little memory")]
    pub max_collision_rate: Option<f64>,
    /// Visited table and queue on disk, with --search bfs.
    #[arg(long, help_heading = "Breadth-first search with little memory")]
    pub disk: bool,
    /// Start with a cache, go on with the disk, with --search bfs --cache N.
    #[arg(long, help_heading = "Breadth-first search with little memory")]
    pub serial: bool,
    /// Collision rate at which --serial switches, 0 to 0.9 [default: 0.1].
    #[arg(long, value_name = "R", value_parser = switch_rate, allow_negative_numbers = true, help_heading = "Breadth-first search with little memory")]
    pub switch_rate: Option<f64>,
    /// Folder for the files of the search [default: the system's folder for temporary files].
    #[arg(long, value_name = "DIR", help_heading = "Breadth-first search with little memory")]
    pub work_dir: Option<PathBuf>,
    /// Part of the visited file that a check reads: `auto`, or a fraction from 0 to 1 [default: 1].
    #[arg(long, value_name = "auto|FRACTION", value_parser = disk_window, allow_negative_numbers = true, help_heading = "Breadth-first search with little memory")]
    pub disk_window: Option<DiskWindow>,
    /// Leave a checkpoint in this file on Ctrl-C or SIGTERM, for `pv resume`. Of several processes each leaves its part beside it.
    #[arg(long, value_name = "FILE", help_heading = "Breadth-first search with little memory")]
    pub checkpoint: Option<PathBuf>,
    /// And every so many seconds, 0.01 or more.
    #[arg(long, value_name = "SECONDS", value_parser = interval, allow_negative_numbers = true, help_heading = "Breadth-first search with little memory")]
    pub checkpoint_every: Option<f64>,
}

impl CheckArgs {
    /// Is more than one model to be checked?
    pub(crate) fn is_several(&self) -> bool {
        !self.more.is_empty()
    }

    /// What is printed on standard output.
    pub(crate) fn format(&self) -> Format {
        self.format.unwrap_or(if self.json { Format::Json } else { Format::Text })
    }
}

impl PropertyArgs {
    /// The option that gives a property beside the model.
    pub(crate) fn outside(&self) -> Option<&'static str> {
        let given = [
            ("--formula", self.formula.is_some()),
            ("--formula-file", self.formula_file.is_some()),
            ("--claim-file", self.claim_file.is_some()),
        ];
        given.into_iter().find(|&(_, given)| given).map(|(option, _)| option)
    }
}

impl SearchArgs {
    /// Seed of every random choice.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Order of exploration. Workers and processes search breadth first.
    pub(crate) fn search(&self) -> SearchOrder {
        let usual = if self.workers.is_some() || self.is_spread() { SearchOrder::Bfs } else { SearchOrder::default() };
        self.search.unwrap_or(usual)
    }

    /// Do several processes search together?
    pub(crate) fn is_spread(&self) -> bool {
        self.hosts.is_some() || self.processes.is_some()
    }

    /// Do several threads search together over one table?
    pub(crate) fn is_shared(&self) -> bool {
        self.workers.is_some() && !self.is_spread()
    }

    /// Is this the process that reports?
    pub(crate) fn reports(&self) -> bool {
        self.process.unwrap_or(0) == 0
    }

    /// Breadth first?
    pub(crate) fn bfs(&self) -> bool {
        self.search() == SearchOrder::Bfs
    }

    /// What is kept of a state.
    pub(crate) fn store(&self) -> StoreKind {
        self.store.unwrap_or_default()
    }

    /// Is the whole state kept, whatever way?
    pub(crate) fn keeps_states(&self) -> bool {
        matches!(self.store(), StoreKind::Exact | StoreKind::Tree)
    }

    /// Which state a full cache forgets.
    pub(crate) fn replace(&self) -> Replace {
        self.replace.unwrap_or_default()
    }

    /// May the search have files of its own?
    pub(crate) fn keeps_files(&self) -> bool {
        let budgeted_and_saved = self.memory.is_some() && self.checkpoint.is_some();
        if self.is_shared() {
            return self.store() == StoreKind::Compact && self.memory.is_some();
        }
        self.bfs() && (self.cache.is_some() || self.disk || self.store() != StoreKind::Exact || budgeted_and_saved)
    }

    /// Length of the chain of first successors; 0 is off.
    pub(crate) fn pod(&self) -> u8 {
        self.pod.unwrap_or(0)
    }

    /// Number of runs.
    pub(crate) fn repeat(&self) -> u32 {
        self.repeat.unwrap_or(1)
    }
}

/// The name of a value as it is written on the command line.
#[cfg(test)]
pub(crate) fn value_name<T: ValueEnum>(value: T) -> String {
    value.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
}

fn definition(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if starts && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        Ok((name.into(), value.into()))
    } else {
        Err("expected NAME or NAME=VALUE, where NAME is a word".into())
    }
}

/// Seconds between checkpoints: less than a hundredth is nothing but checkpoints, more than a year is never.
fn interval(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=366.0 * 86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("expected seconds, 0.01 or more".into()),
    }
}

/// Beyond the rate at which a cache would give up a search hardly gets on any more.
fn switch_rate(text: &str) -> Result<f64, String> {
    match values::fraction(text) {
        Ok(rate) if rate <= 0.9 => Ok(rate),
        _ => Err("expected a number from 0 to 0.9".into()),
    }
}

fn disk_window(text: &str) -> Result<DiskWindow, String> {
    match text {
        "auto" => Ok(DiskWindow::Auto),
        _ => values::fraction(text)
            .map(DiskWindow::Fraction)
            .map_err(|_| "expected `auto` or a number from 0 to 1".into()),
    }
}
