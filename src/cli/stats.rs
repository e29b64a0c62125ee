//! `pv stats`: the shape of the state space.

use super::console::{Console, WRONG};
use super::load::load_model;
use super::options::ModelArgs;
use super::output;
use super::values;
use crate::exec::Program;
use crate::report::plot;
use crate::report::progress::{Budgets, Progress};
use crate::search::monitor::Monitor;
use crate::stats::render::{self, Describer, StatsReport};
use crate::stats::{Shape, explore};
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Exit code when a bound or a signal ended the exploration.
const INCOMPLETE: u8 = 3;

/// Arguments of `pv stats`.
#[derive(Args, Debug)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// One JSON object on standard output.
    #[arg(long)]
    json: bool,
    /// Draw levels, in-degree density, branching and locality.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Budget of memory, `512M`, `4G` (1K = 1024 bytes) [default: no bound]. What was explored until then is told, and
    /// the exit code is 3.
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    memory: Option<u64>,
    /// How many of the states with the highest in-degree to list, 0 to 10000.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    hubs: u16,
}

/// Runs the command; gives the exit code. Who asked for JSON gets an object also where something is wrong.
pub(crate) fn run_as_asked(console: &Console, args: &StatsArgs) -> u8 {
    let code = run(console, args);
    if args.json { output::or_reason(console, Some(&args.model.model), code) } else { code }
}

fn run(console: &Console, args: &StatsArgs) -> u8 {
    let loaded = match load_model(console, &args.model) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    let start = Instant::now();
    let searched = Arc::new(AtomicBool::new(false));
    let interrupt = super::signals::on_signals_until(&searched);
    let program = Program::new(&loaded.model, None);
    let mut progress = Progress::new(console.progress(), "", Budgets { memory: args.memory, time: None });
    let mut monitor = Monitor::silent(&interrupt);
    monitor.memory = args.memory;
    monitor.progress = Box::new(|snapshot| progress.update(snapshot));
    let explored = match explore(&program, 1, &mut monitor) {
        Ok(explored) => explored,
        Err(trap) => return console.wrong(format!("{} (while the initial state is made)", program.describe(trap))),
    };
    drop(monitor);
    progress.finish();
    searched.store(true, Ordering::Relaxed);
    let mut shape = Shape::of(&explored.graph, usize::from(args.hubs));
    let describer = Describer::new(&loaded.model, &loaded.map, &program);
    for hub in &mut shape.hubs {
        hub.state = explored.state(hub.number).map(|state| describer.describe(state)).unwrap_or_default();
    }
    if let Some(path) = &args.svg {
        let svg = plot::standalone_column(&render::plots(&loaded.model.name, &shape));
        if let Err(error) = std::fs::write(path, svg) {
            console.wrong(format!("cannot write {}: {error}", path.display()));
            return WRONG;
        }
    }
    let report = StatsReport {
        model: &loaded.model.name,
        shape: &shape,
        limit: explored.limit.as_ref(),
        memory: explored.memory,
        seconds: start.elapsed().as_secs_f64(),
    };
    let code = if explored.limit.is_some() { INCOMPLETE } else { 0 };
    console.print(&if args.json { render::json(&report) } else { render::text(&report) }, code)
}
