//! `pv check` over several processes: brings them together before the search, and to the same exit code behind it.
//!
//! Process 0 is the one that reports. The others run the same plans, print nothing on standard output and end with the exit code of
//! process 0. With `--processes N` process 0 starts the others itself, on this machine, with the same options. With `--workers W` the process
//! of each machine starts W - 1 more beside itself: of H machines the I-th has processes I, I + H, I + 2H and so on, so that it is
//! process I for its user and for its checkpoints however many workers it has.

use super::console::Console;
use super::load::Loaded;
use super::options::CheckArgs;
use crate::checkpoint::{Reader, Start};
use crate::search::monitor::Monitor;
use crate::search::plan::Plan;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit code when another process is gone.
pub(super) const GONE: u8 = 4;

/// The checkpoint that all processes go on from.
pub(super) struct GoOn {
    /// The file that was named.
    pub file: PathBuf,
    /// The file of process 0, or a part of this one.
    pub reader: Reader,
    /// What goes on from it, for the processes that this one starts.
    pub command: String,
}

/// The other processes of a check; often none.
#[derive(Default)]
pub(super) struct Cluster {
    /// The flag of the signals, where somebody had to listen for them before the search.
    pub interrupt: Option<Arc<AtomicBool>>,
    #[cfg(feature = "cluster")]
    together: Option<together::Together>,
}

impl Cluster {
    /// No other processes. `interrupt`: the flag of the signals, where somebody listens for them already.
    pub(super) fn alone(interrupt: Option<Arc<AtomicBool>>) -> Cluster {
        Cluster {
            interrupt,
            #[cfg(feature = "cluster")]
            together: None,
        }
    }
}

#[cfg(not(feature = "cluster"))]
impl Cluster {
    pub(super) fn gather(
        console: &Console,
        _: &CheckArgs,
        _: &Loaded,
        _: &mut [Plan],
        from: Option<GoOn>,
    ) -> Result<(Cluster, Option<Start>), u8> {
        if let Some(GoOn { file, reader, command }) = from {
            drop((file, reader, command));
        }
        Err(console.wrong("this pv searches in one process only: it was built without the feature `cluster`"))
    }

    pub(super) fn lend(&self, _: &mut Monitor<'_>) {}

    pub(super) fn take_back(&self, _: &mut Monitor<'_>) {}

    pub(super) fn finish(self, _: &Console, code: u8) -> u8 {
        code
    }

    pub(super) fn note_gone(&self, _: &str) {}
}

#[cfg(feature = "cluster")]
mod together {
    use super::*;
    use crate::checkpoint::parts::Manifest;
    use crate::cli::console::WRONG;
    use crate::cli::plan::workers;
    use crate::cli::resume::message;
    use crate::cluster::handshake::Identity;
    use crate::cluster::join::{Join, join};
    use crate::cluster::{Arrival, Frame, Mesh, Trouble, hosts};
    use crate::report::Setting;
    use crate::search::outcome::Limit;
    use crate::search::plan::{BreadthStore, Native, Search};
    use rapidhash::v3::rapidhash_v3;
    use std::cell::{Cell, RefCell};
    use std::ffi::OsString;
    use std::io::Write;
    use std::net::TcpListener;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    /// Exit code of a search that was interrupted.
    const INCOMPLETE: u8 = 3;
    /// The shortest token.
    const LEAST_TOKEN: usize = 16;
    /// A longer file holds no token.
    const LONGEST_TOKEN: u64 = 4096;
    /// How long to wait for the others when nothing is said.
    const TIMEOUT: Duration = Duration::from_secs(60);
    /// So long process 0 waits for what it has sent, and for the processes that it has started.
    const PATIENCE: Duration = Duration::from_secs(5);

    pub(super) struct Together {
        mesh: Cell<Option<Mesh>>,
        me: usize,
        others: Others,
        /// Who is gone, if somebody is.
        gone: RefCell<String>,
    }

    /// The processes that this one has started, and the file that tells them where all are.
    #[derive(Default)]
    struct Others {
        children: RefCell<Vec<Child>>,
        /// Which processes these are.
        numbers: Vec<u32>,
        _hosts: Option<tempfile::NamedTempFile>,
    }

    impl Others {
        /// Starts these processes, each with this budget. They find all that there are at `hosts`.
        fn start(hosts: &[String], processes: &[u32], memory: Option<u64>) -> Result<Others, String> {
            let mut others = Others::default();
            others.numbers.extend_from_slice(processes);
            if processes.is_empty() {
                return Ok(others);
            }
            let started = |error: std::io::Error| format!("the other processes cannot be started: {error}");
            let mut file = tempfile::NamedTempFile::new().map_err(started)?;
            file.write_all(hosts.join("\n").as_bytes()).and_then(|()| file.flush()).map_err(started)?;
            let program = std::env::current_exe().map_err(started)?;
            let (words, behind) = words_of_all(std::env::args_os().skip(1));
            let budget = memory.map(|bytes| format!("--memory={bytes}"));
            for process in processes {
                let mut command = Command::new(&program);
                command.args(&words).arg("--hosts").arg(file.path()).arg(format!("--process={process}"));
                command.args(["--workers=1", "--quiet"]).args(&budget);
                command.args(&behind).stdin(Stdio::null()).stdout(Stdio::null());
                others.children.get_mut().push(command.spawn().map_err(started)?);
            }
            others._hosts = Some(file);
            Ok(others)
        }

        /// One that has ended although nothing has begun.
        fn failed(&self) -> Option<Trouble> {
            let mut children = self.children.borrow_mut();
            let ended =
                children.iter_mut().enumerate().find_map(|(n, child)| Some((n, child.try_wait().ok().flatten()?)));
            let (number, status) = ended?;
            // Before a search begins nothing but a signal ends a process so.
            if status.code() == Some(i32::from(INCOMPLETE)) {
                return Some(Trouble::Interrupted);
            }
            let what = format!("process {} has ended at once: {status}", self.numbers[number]);
            // It has said what is wrong.
            let wrong = status.code() == Some(i32::from(WRONG));
            Some(if wrong { Trouble::Wrong(what) } else { Trouble::Gone(what) })
        }

        /// Waits for the processes that were started; those that do not end are ended.
        fn wait(&self) {
            let end = Instant::now() + PATIENCE;
            for child in self.children.borrow_mut().iter_mut() {
                while matches!(child.try_wait(), Ok(None)) {
                    if Instant::now() > end {
                        let _ = child.kill();
                    }
                    std::thread::sleep(Duration::from_millis(2));
                }
            }
        }
    }

    /// Options that a process which is started has in a form of its own; each has a value.
    const OWN: [&str; 5] = ["--processes", "--hosts", "--process", "--workers", "--memory"];

    /// The words of a command line without the options that each process has for itself: those in front of a `--`, and the others.
    fn words_of_all(mut all: impl Iterator<Item = OsString>) -> (Vec<OsString>, Vec<OsString>) {
        let mut words = Vec::new();
        while let Some(word) = all.next() {
            let text = word.to_str().unwrap_or_default();
            match text.split_once('=') {
                _ if text == "--" => return (words, std::iter::once(word).chain(all).collect()),
                None if OWN.contains(&text) => drop(all.next()),
                Some((name, _)) if OWN.contains(&name) => {}
                _ => words.push(word),
            }
        }
        (words, Vec::new())
    }

    impl Drop for Others {
        fn drop(&mut self) {
            self.wait();
        }
    }

    impl Cluster {
        /// Brings the processes of a check together. `Err`: the exit code; what is wrong was said.
        pub(in crate::cli) fn gather(
            console: &Console,
            args: &CheckArgs,
            loaded: &Loaded,
            plans: &mut [Plan],
            from: Option<GoOn>,
        ) -> Result<(Cluster, Option<Start>), u8> {
            let interrupt = crate::cli::signals::on_signals();
            match gather(console, args, loaded, plans, (from, &interrupt)) {
                Ok((together, start)) => Ok((Cluster { interrupt: Some(interrupt), together: Some(together) }, start)),
                Err(Trouble::Wrong(what)) => Err(console.wrong(what)),
                Err(Trouble::Gone(what)) => {
                    console.wrong(what);
                    Err(GONE)
                }
                Err(Trouble::Interrupted) => {
                    console.wrong("interrupted while waiting for the other processes");
                    Err(INCOMPLETE)
                }
            }
        }

        /// Gives the connections to a search.
        pub(in crate::cli) fn lend(&self, monitor: &mut Monitor<'_>) {
            monitor.mesh = self.together.as_ref().and_then(|together| together.mesh.take());
        }

        /// Takes the connections back from a search.
        pub(in crate::cli) fn take_back(&self, monitor: &mut Monitor<'_>) {
            if let (Some(together), Some(mesh)) = (&self.together, monitor.mesh.take()) {
                together.mesh.set(Some(mesh));
            }
        }

        /// Another process is gone: those that are left are told why this one ends.
        pub(in crate::cli) fn note_gone(&self, why: &str) {
            if let Some(together) = &self.together {
                *together.gone.borrow_mut() = why.to_string();
            }
        }

        /// Ends the run with this exit code, as far as this process knows. Gives the one of all processes.
        pub(in crate::cli) fn finish(self, console: &Console, code: u8) -> u8 {
            let Some(together) = self.together else { return code };
            let Some(mut mesh) = together.mesh.take() else { return code };
            // 2, 4 and 101 are no verdicts: something went wrong here that did not elsewhere.
            let failed = !matches!(code, 0 | 1 | 3);
            let code = match together.me {
                0 => code,
                _ if failed => code,
                _ => match last_word(&mut mesh, self.interrupt.as_deref()) {
                    Ok(code) => code,
                    Err(what) => {
                        console.wrong(what);
                        GONE
                    }
                },
            };
            mesh.leave(code, &together.gone.borrow());
            mesh.settle(PATIENCE);
            together.others.wait();
            code
        }
    }

    /// Waits for the exit code of process 0.
    fn last_word(mesh: &mut Mesh, interrupt: Option<&AtomicBool>) -> Result<u8, String> {
        loop {
            if let Some(code) = mesh.last_word {
                return Ok(code);
            }
            if interrupt.is_some_and(|interrupt| interrupt.load(std::sync::atomic::Ordering::Relaxed)) {
                return Ok(INCOMPLETE);
            }
            match mesh.receive(Duration::from_millis(100)) {
                Some(Arrival::Gone(0, _)) => return Err(format!("{} is gone before it has reported", mesh.name(0))),
                _ => mesh.look(false, |_| ()),
            }
        }
    }

    fn gather(
        console: &Console,
        args: &CheckArgs,
        loaded: &Loaded,
        plans: &mut [Plan],
        (from, interrupt): (Option<GoOn>, &AtomicBool),
    ) -> Result<(Together, Option<Start>), Trouble> {
        let options = &args.search;
        let token = options.token_file.as_deref().map(token).transpose().map_err(Trouble::Wrong)?;
        let (mut hosts, listener) = match (&options.hosts, options.processes) {
            (Some(file), _) => (hosts_of(file).map_err(Trouble::Wrong)?, None),
            (None, count) => {
                let no_port = |error| Trouble::Wrong(format!("no port to listen on: {error}"));
                let listener = TcpListener::bind("127.0.0.1:0").map_err(no_port)?;
                let mut hosts = vec!["127.0.0.1:0".to_string(); count.unwrap_or(1) as usize];
                hosts[0] = listener.local_addr().map_err(no_port)?.to_string();
                (hosts, Some(listener))
            }
        };
        let (machines, process) = (hosts.len() as u32, options.process.unwrap_or(0));
        if process >= machines {
            return Err(Trouble::Wrong(format!(
                "--process {process}: the file of hosts has {machines} lines, and the first is 0"
            )));
        }
        let workers = u32::from(workers(options).get());
        hosts::with_workers(&mut hosts, workers as usize).map_err(Trouble::Wrong)?;
        let count = hosts.len() as u32;
        // Without a file there is one machine, and process 0 starts all.
        let ours: Vec<u32> = match listener {
            Some(_) => (1..count).collect(),
            None => (1..workers).map(|worker| process + worker * machines).collect(),
        };
        let memory = options.memory.map(|bytes| bytes / u64::from(workers));
        plans.iter_mut().for_each(|plan| (plan.processes, plan.memory) = (Some(count), memory));
        let others = Others::start(&hosts, &ours, memory).map_err(Trouble::Wrong)?;
        let failed = || others.failed();
        let mut mesh = join(Join {
            hosts,
            us: Identity { process, count, port: 0, token, facts: facts(args, loaded, plans, from.is_some()) },
            listener,
            timeout: options.connect_timeout.unwrap_or(TIMEOUT),
            interrupt,
            hopeless: &failed,
            tell: &|what| console.warn(what),
            warn: &|what| console.warn(what),
        })?;
        let present = |from: &GoOn| options.checkpoint.as_ref() == Some(&from.file);
        let start =
            from.map(|from| (present(&from), from)).map(|(present, from)| agree(&mut mesh, from, present, interrupt));
        let start = match start.transpose() {
            Ok(start) => start,
            Err(trouble) => {
                give_up(&mut mesh, &trouble);
                return Err(trouble);
            }
        };
        let me = process as usize;
        Ok((Together { mesh: Cell::new(Some(mesh)), me, others, gone: RefCell::default() }, start))
    }

    /// What process 0 tells the others of the checkpoint, and that a process has its part of it: frames of no search.
    const CHECKPOINT: u8 = 1;
    const READY: u8 = 2;

    /// What was heard before a search goes on.
    struct Agreement {
        told: Option<Vec<u8>>,
        ready: Vec<bool>,
    }

    /// All processes open their parts of the checkpoint that process 0 has, and nobody begins before all have theirs.
    fn agree(mesh: &mut Mesh, from: GoOn, present: bool, interrupt: &AtomicBool) -> Result<Start, Trouble> {
        let GoOn { file, mut reader, command } = from;
        let refused = |limit: Limit| Trouble::Wrong(message(limit));
        let me = mesh.me();
        let mut heard = Agreement { told: None, ready: (0..mesh.count()).map(|process| process == me).collect() };
        let (manifest, command) = if me == 0 {
            let manifest = Manifest::read(&mut reader).map_err(refused)?;
            let alone = || refused(reader.refuse("it is a part, and no checkpoint of process 0"));
            let told = (manifest.ok_or_else(alone)?, command);
            let payload = serde_json::to_vec(&told).unwrap_or_default();
            mesh.broadcast(&Frame { kind: CHECKPOINT, payload, ..Frame::default() });
            told
        } else {
            await_others(mesh, &mut heard, |heard| heard.told.is_some(), interrupt)?;
            let told = serde_json::from_slice(&heard.told.take().unwrap_or_default());
            told.map_err(|_| Trouble::Gone(format!("{} has sent what cannot be read", mesh.name(0))))?
        };
        let before = manifest.processes();
        let needed = if before == mesh.count() { me..me + 1 } else { 0..before };
        let parts = needed.map(|process| manifest.open(&file, process)).collect::<Result<Vec<_>, Limit>>();
        let parts = parts.map_err(refused)?;
        mesh.broadcast(&Frame { kind: READY, ..Frame::default() });
        await_others(mesh, &mut heard, |heard| heard.ready.iter().all(|&ready| ready), interrupt)?;
        Ok(Start::Several { manifest, parts, command, present })
    }

    /// Waits until that was heard.
    fn await_others(
        mesh: &mut Mesh,
        heard: &mut Agreement,
        until: impl Fn(&Agreement) -> bool,
        interrupt: &AtomicBool,
    ) -> Result<(), Trouble> {
        while !until(heard) {
            if interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(Trouble::Interrupted);
            }
            match mesh.receive(Duration::from_millis(50)) {
                Some(Arrival::Frame(from, frame)) if frame.search > 0 => mesh.early.push((from, frame)),
                Some(Arrival::Frame(0, Frame { kind: CHECKPOINT, payload, .. })) => heard.told = Some(payload),
                Some(Arrival::Frame(from, _)) => heard.ready[from] = true,
                Some(Arrival::Bye(_, INCOMPLETE, _)) => return Err(Trouble::Interrupted),
                Some(Arrival::Bye(_, WRONG, why)) => return Err(Trouble::Wrong(why)),
                Some(Arrival::Bye(_, _, why)) if !why.is_empty() => return Err(Trouble::Gone(why)),
                Some(Arrival::Bye(from, ..) | Arrival::Gone(from, _)) => {
                    let name = mesh.name(from);
                    let what = "is gone before the search goes on; the same commands start it again";
                    return Err(Trouble::Gone(format!("{name} {what}")));
                }
                None => mesh.look(false, |_| ()),
            }
        }
        Ok(())
    }

    /// This process does not go on: those that wait for it are told why.
    fn give_up(mesh: &mut Mesh, trouble: &Trouble) {
        let name = mesh.name(mesh.me());
        match trouble {
            Trouble::Wrong(what) if what.starts_with("process ") => mesh.leave(WRONG, what),
            Trouble::Wrong(what) => mesh.leave(WRONG, &format!("{name}: {what}")),
            Trouble::Gone(what) => mesh.leave(GONE, what),
            Trouble::Interrupted => mesh.leave(INCOMPLETE, ""),
        }
        mesh.settle(PATIENCE);
    }

    fn hosts_of(file: &Path) -> Result<Vec<String>, String> {
        let text = read(file, hosts::LONGEST)?;
        let text = String::from_utf8(text).map_err(|_| format!("{}: it is no text", file.display()))?;
        hosts::read(&text).map_err(|what| format!("{}: {what}", file.display()))
    }

    fn token(file: &Path) -> Result<Vec<u8>, String> {
        let token = read(file, LONGEST_TOKEN)?;
        let token = token.trim_ascii().to_vec();
        if token.len() < LEAST_TOKEN {
            return Err(format!("{}: a token has {LEAST_TOKEN} bytes or more", file.display()));
        }
        Ok(token)
    }

    fn read(file: &Path, longest: u64) -> Result<Vec<u8>, String> {
        use std::io::Read;
        let failed = |error: std::io::Error| format!("cannot read {}: {error}", file.display());
        let mut bytes = Vec::new();
        std::fs::File::open(file).and_then(|file| file.take(longest + 1).read_to_end(&mut bytes)).map_err(failed)?;
        match bytes.len() as u64 > longest {
            true => Err(format!("{} is longer than {longest} bytes", file.display())),
            false => Ok(bytes),
        }
    }

    /// What has to be the same in all processes. Budgets, folders and machine code are each machine's own.
    fn facts(args: &CheckArgs, loaded: &Loaded, plans: &[Plan], resumes: bool) -> Vec<(String, String)> {
        let options = &args.search;
        let checkpoints = match (&options.checkpoint, options.checkpoint_every) {
            (None, _) => "none".to_string(),
            (Some(_), None) => "when it is stopped".to_string(),
            (Some(_), Some(seconds)) => format!("every {seconds} s"),
        };
        let shared: Vec<Plan> = plans.iter().cloned().map(shared).collect();
        let outside = loaded.outside.as_ref().map_or(String::new(), |outside| outside.text.clone());
        let hash = |text: &str| format!("{:016x}", rapidhash_v3(text.as_bytes()));
        let fact = |name: &str, value: String| (name.to_string(), value);
        vec![
            fact("version of pv", env!("CARGO_PKG_VERSION").to_string()),
            fact("model", format!("fingerprint {:016x}", loaded.model.fingerprint)),
            fact("search", Setting::of(&shared).words()),
            fact("checkpoints", checkpoints),
            fact("start", if resumes { "a checkpoint".into() } else { "the initial state".into() }),
            fact("options", format!("fingerprint {}", hash(&format!("{shared:?}")))),
            fact("property from outside the model", if outside.is_empty() { "none".into() } else { hash(&outside) }),
            fact("layout of states", format!("{} bytes of hidden variables", loaded.model.hidden_size)),
            fact(
                "machine",
                format!(
                    "{} bits, {}",
                    usize::BITS,
                    if cfg!(target_endian = "little") { "little-endian" } else { "big-endian" }
                ),
            ),
        ]
    }

    fn shared(mut plan: Plan) -> Plan {
        if let Search::Breadth(breadth) = &mut plan.search
            && let BreadthStore::Queued { work_dir, .. } = &mut breadth.store
        {
            *work_dir = None;
        }
        Plan { memory: None, time: None, native: Native::default(), ..plan }
    }
}
