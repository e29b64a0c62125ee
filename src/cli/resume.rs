//! `pv resume`: go on with a stopped breadth-first search, in the same mode or in another one.
//!
//! A checkpoint knows the options of the `pv check` that wrote it and the fingerprint of its model. The model is read
//! again and must be the same. Options of the mode (which store, which cache, disk) are taken all from the new command line
//! if it has any of them, all from the old one otherwise; what decides on the counts (seed, bounds, what is checked)
//! cannot be changed.

use super::check::run_plans;
use super::cluster::{Cluster, GoOn};
use super::combine;
use super::console::Console;
use super::load::load_for_resume;
use super::options::{CheckArgs, Format, SearchArgs, StoreKind};
use super::output::{self, Output};
use super::plan::plans;
use crate::checkpoint::{CheckpointSchedule, Origin, Reader, Start, container, parts, section};
use crate::model::Model;
use crate::report::text::quoted;
use crate::search::outcome::Limit;
use crate::store::breadth::work_dir;
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Arguments of `pv resume`.
#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// The checkpoint file.
    #[arg(value_name = "CHECKPOINT")]
    file: PathBuf,
    /// Where the model is now [default: where it was].
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// One JSON object on standard output, nothing else there: --format json.
    #[arg(long)]
    json: bool,
    /// What is printed on standard output [default: text].
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Change the mode.
    #[command(flatten)]
    search: SearchArgs,
}

impl ResumeArgs {
    fn format(&self) -> Format {
        self.format.unwrap_or(if self.json { Format::Json } else { Format::Text })
    }
}

/// The checkpoints of a check, if it is to leave any.
pub(super) fn schedule(args: &CheckArgs, model: &Model) -> Result<Option<CheckpointSchedule>, String> {
    let Some(target) = &args.search.checkpoint else { return Ok(None) };
    let about = Origin::here(model.fingerprint, args.clone()).to_text()?;
    let every = args.search.checkpoint_every.map(Duration::from_secs_f64);
    // Of several processes each has files of its own.
    for file in parts::files(target, args.search.process.unwrap_or(0) as usize) {
        container::sweep(&file);
        container::probe(&file).map_err(message)?;
    }
    let mut schedule = CheckpointSchedule::new(Some(target.clone()), every, about);
    schedule.command = command(&args.search, target);
    Ok(Some(schedule))
}

/// What goes on from a checkpoint.
pub(super) fn command(options: &SearchArgs, file: &Path) -> String {
    let command = format!("pv resume {}", quoted(&file.display().to_string()));
    match options.hosts {
        Some(_) => format!("{command} --process I (on every machine, with its own I)"),
        None => command,
    }
}

/// Runs the command; gives the exit code.
pub(crate) fn run(console: &Console, args: &ResumeArgs) -> u8 {
    let (options, reader, origin) = match prepare(args) {
        Ok(prepared) => prepared,
        Err(message) => {
            console.wrong(message);
            return output::refused(console, args.format());
        }
    };
    let mut output = Output::new(console, &options);
    let code = go_on(console, &options, (&args.file, reader), &origin, &mut output);
    output.close(&options.model.model, code);
    output.finish()
}

/// The checkpoint, and the options of its search with what the command line changes.
fn prepare(args: &ResumeArgs) -> Result<(CheckArgs, Reader, Origin<CheckArgs>), String> {
    let process = args.search.process.unwrap_or(0) as usize;
    let (reader, origin) = open(&args.file, process).map_err(message)?;
    let mut options = origin.options.clone();
    if std::env::current_dir().unwrap_or_default() != origin.folder {
        locate(&mut options, &origin.folder);
    }
    if process == 0 && reader.has(section::MARK) && !reader.has(section::MANIFEST) {
        let why = "it is the part of one of several processes; the checkpoint is the file of process 0";
        return Err(message(reader.refuse(why)));
    }
    let asked = args.search.is_spread() || args.search.process.is_some();
    if asked && !reader.has(section::SPREAD) {
        let why = reader.refuse("it is of a search in one process, and cannot go on with --hosts or --processes");
        return Err(message(why));
    }
    if let Some(option) = fixed(&args.search) {
        return Err(format!("{option} cannot be changed: the counts of both parts would not go together"));
    }
    // The search that left it may have been killed, and this one may need no folder, or another one.
    work_dir::sweep(options.search.work_dir.as_deref());
    change(&mut options.search, &args.search);
    // It goes on in the file that was named, wherever that is by now.
    options.search.checkpoint = args.search.checkpoint.clone().or(Some(args.file.clone()));
    (options.json, options.format) = (args.json, args.format);
    if let Some(model) = &args.model {
        options.model.model = model.clone();
    }
    combine::check(&options)?;
    Ok((options, reader, origin))
}

/// Goes on with the search of a checkpoint.
fn go_on(
    console: &Console,
    options: &CheckArgs,
    (file, reader): (&Path, Reader),
    origin: &Origin<CheckArgs>,
    output: &mut Output<'_>,
) -> u8 {
    let loaded = match load_for_resume(console, options) {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    if let Err(limit) = origin.must_be_of((&loaded.model.name, loaded.model.fingerprint), &reader) {
        return console.wrong(message(limit));
    }
    let mut plans = match plans(options, &loaded.model) {
        Ok(plans) => plans,
        Err(message) => return console.wrong(message),
    };
    if !options.search.is_spread() {
        let start = Start::One(Box::new(reader));
        return run_plans(console, options, &loaded, plans, Some(start), &Cluster::default(), output);
    }
    let from = GoOn { file: file.to_path_buf(), reader, command: command(&options.search, file) };
    match Cluster::gather(console, options, &loaded, &mut plans, Some(from)) {
        Ok((cluster, start)) => {
            let code = run_plans(console, options, &loaded, plans, start, &cluster, output);
            cluster.finish(console, code)
        }
        Err(code) => code,
    }
}

/// The paths of the options, for somebody who is elsewhere.
fn locate(options: &mut CheckArgs, folder: &Path) {
    if options.model.model != "-" {
        options.model.model = folder.join(&options.model.model).display().to_string();
    }
    let checks = &mut options.checks;
    let beside = checks.formula_file.as_mut().into_iter().chain(checks.claim_file.as_mut());
    let search = &mut options.search;
    let files = search.work_dir.iter_mut().chain(search.hosts.as_mut()).chain(search.token_file.as_mut());
    for path in options.model.include_dirs.iter_mut().chain(files).chain(beside) {
        *path = folder.join(&*path);
    }
}

/// Opens a checkpoint for what it says of its command. A process that is not the first may have its own part alone.
fn open(file: &Path, process: usize) -> Result<(Reader, Origin<CheckArgs>), Limit> {
    let part = parts::some_part(file, process).filter(|_| !file.exists());
    let mut reader = Reader::open(part.as_deref().unwrap_or(file))?;
    let origin = Origin::read(&mut reader)?;
    Ok((reader, origin))
}

pub(super) fn message(limit: Limit) -> String {
    match limit {
        Limit::File(message) => message,
        other => crate::report::reason(&other),
    }
}

/// An option that was given although it must stay what it was.
fn fixed(new: &SearchArgs) -> Option<&'static str> {
    let given = [
        ("--search", new.search.is_some() && !new.bfs()),
        ("--max-depth", new.max_depth.is_some()),
        ("--seed", new.seed.is_some()),
        ("--full", new.full),
        ("--no-dead-variables", new.no_dead_variables),
        ("--no-merging", new.no_merging),
        ("--sleep", new.sleep),
        ("--por", new.por),
        ("--deadlocks-only", new.deadlocks_only),
        ("--check-independence", new.check_independence),
        ("--check-por", new.check_por),
        ("--replace", new.replace.is_some()),
        ("--pod", new.pod.is_some()),
        ("--repeat", new.repeat.is_some()),
    ];
    given.into_iter().find(|&(_, given)| given).map(|(option, _)| option)
}

/// Puts the new options over the old ones.
fn change(old: &mut SearchArgs, new: &SearchArgs) {
    let mode = new.store.is_some()
        || new.cache.is_some()
        || new.bits.is_some()
        || new.slots.is_some()
        || new.expect_states.is_some()
        || new.hub
        || new.disk
        || new.serial;
    let former = old.clone();
    if mode {
        // The folder was for the mode of then; whole states in memory need none.
        let files = new.cache.is_some() || new.disk || new.store() != StoreKind::Exact;
        *old = SearchArgs {
            search: former.search,
            max_depth: former.max_depth,
            seed: former.seed,
            memory: former.memory,
            work_dir: former.work_dir.filter(|_| files),
            checkpoint: former.checkpoint,
            checkpoint_every: former.checkpoint_every,
            workers: former.workers,
            processes: former.processes,
            hosts: former.hosts,
            process: former.process,
            token_file: former.token_file,
            connect_timeout: former.connect_timeout,
            store: new.store,
            cache: new.cache,
            bits: new.bits,
            slots: new.slots,
            expect_states: new.expect_states,
            hub: new.hub,
            disk: new.disk,
            serial: new.serial,
            ..SearchArgs::default()
        };
    }
    if new.processes.is_some() {
        (old.hosts, old.process, old.token_file) = (None, None, None);
        old.processes = new.processes;
    }
    if new.hosts.is_some() {
        old.processes = None;
        old.hosts.clone_from(&new.hosts);
    }
    old.process = new.process.or(old.process);
    old.token_file = new.token_file.clone().or(old.token_file.take());
    old.connect_timeout = new.connect_timeout.or(old.connect_timeout);
    // A budget of time was for the search that it has ended; this one has its own, or none.
    old.time = new.time;
    old.memory = new.memory.or(old.memory);
    old.workers = new.workers.or(old.workers);
    old.work_dir = new.work_dir.clone().or(old.work_dir.take());
    old.checkpoint = new.checkpoint.clone().or(old.checkpoint.take());
    old.checkpoint_every = new.checkpoint_every.or(old.checkpoint_every);
    old.hub_split = new.hub_split.or(old.hub_split);
    old.hub_overwrite = new.hub_overwrite.or(old.hub_overwrite);
    old.ways = new.ways.or(old.ways);
    old.max_collision_rate = new.max_collision_rate.or(old.max_collision_rate);
    old.switch_rate = new.switch_rate.or(old.switch_rate);
    old.disk_window = new.disk_window.or(old.disk_window);
}
