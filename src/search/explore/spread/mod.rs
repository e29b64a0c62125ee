//! Breadth-first search over several processes, each with its own part of the visited states.
//!
//! A state belongs to the process that its hash names (Stern and Dill, "Parallelizing the Murφ verifier", 1997). Who reaches a state sends
//! it to its owner, and the owner looks it up, stores it and expands it in the next level. All processes work on the same level; a level
//! ends when every process has said that it has sent everything.
//!
//! The search visits, counts and reports what one process would. For that it keeps the order of one process: every state has a rank in its
//! level (`order`); each process expands its states in the order of their ranks; and it takes the states that come from the others, and its
//! own, in the order of the ranks of the states that they were reached from (`stream`). Then each process inserts its states in the order
//! in which one process would have inserted them. So the depth of a state, its hidden variables, the path to it and the first error are
//! those of [`super::bfs`], however many processes there are. Only where an error is found the counts differ: the level is finished, so that
//! the error that is reported is the one that comes first.
//!
//! To wait for the order costs no idle time as long as all processes are equally fast: a process expands while it waits, until so many bytes
//! are on their way to one of the others ([`WINDOW`]). Then it tells the others how far it is and only receives. The process that is
//! farthest behind is never kept waiting, so the search goes on.
//!
//! The path to an error is rebuilt from links, as in [`super::queued`]; a link names a process and a number, and process 0 asks the others.
//!
//! Sound as the search with the same store in one process; with an exact store, exact. Costs, beside the search of one process, what is
//! sent: the state and five to eight bytes for each transition that leads to another process, three bytes for each new state.

mod conclude;
mod expansion;
mod incoming;
mod level;
mod order;
mod outgoing;
mod part;
mod saved;
mod stream;

#[cfg(test)]
pub(crate) use stream::{read_records, some_records};

use crate::cluster::{Mesh, Traffic};
use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::search::driver::Settings;
use crate::search::ledger::Ledger;
use crate::search::monitor::Monitor;
use crate::search::outcome::{Limit, Outcome, Verdict};
use crate::search::walk::Walk;
use crate::store::{BfsStore, Links, Queue, StateHash};
use incoming::Heard;
use order::{Keys, Ranks};
use outgoing::Outgoing;
use part::Inherited;
use saved::Saving;
use std::time::{Duration, Instant};
use stream::{Batch, Stream};

/// A batch is sent when it has so many bytes.
const BATCH: usize = 32 << 10;
/// So many bytes may be on their way to one process, and wait for this one.
pub const WINDOW: usize = 512 << 10;
/// States that are expanded between two looks at what has come.
const STRIDE: u64 = 64;
/// Records that are taken in between two looks at signals.
const GULP: u64 = 4096;
/// How long somebody who waits sleeps.
const NAP: Duration = Duration::from_millis(50);
/// So long a search that has to end waits for the others.
const PATIENCE: Duration = Duration::from_secs(10);
/// So long it waits for them to come to a standstill: one may be in the middle of reading its table on disk.
const STANDSTILL: Duration = Duration::from_secs(60);
/// After so many looks at budgets and signals in one expansion a search that has to end does not wait for the end of the expansion: the block
/// may have no end.
const PATIENT_TICKS: u32 = 64;
/// The hash that says to whom a state belongs differs from those that stores use by this.
const OWNERS: u64 = 0x6f77_6e65_7273_0001;

/// Why a level is not gone on with.
enum Halt {
    /// Something got in the way, here or elsewhere; the others know.
    Limit(Limit),
    /// A process is gone.
    Gone(Limit),
    /// Process 0 has left: nobody waits for an answer.
    Dismissed,
}

/// How far a process is in a level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// States are expanded and taken in.
    Expanding,
    /// All are, and the keys of the new ones were sent.
    Keyed,
    /// The keys of all processes were merged, and the places sent.
    Placed,
}

struct Spread<'p, 'm, 'i, 'n, 'c, 's, S> {
    program: &'p Program,
    settings: Settings,
    store: &'s mut S,
    machine: Machine<'p>,
    walk: Walk,
    ledger: Ledger<'m>,
    monitor: &'n mut Monitor<'i>,
    queue: Queue,
    links: Links,
    out: Outgoing<'c>,
    owners: StateHash,
    streams: Vec<Stream>,
    heard: Vec<Heard>,
    /// Records that were taken from each since it was told.
    untold: Vec<usize>,
    keys: Vec<Keys>,
    ranks: Ranks,
    stage: Stage,
    /// Errors that all processes have found up to the last level.
    errors: u64,
    /// States of this level, of all processes.
    states: u64,
    /// States of this level here that were not expanded yet, and the rank of the next.
    left: u64,
    next: Option<u64>,
    expanded: u64,
    offered: u64,
    vector: usize,
    cut: bool,
    /// Where the errors of the ledger that have paths were found.
    places: Vec<(part::When, u64)>,
    model_error: Option<part::When>,
    inherited: Inherited,
    saved: Vec<u8>,
    /// All levels are done; those that have said everything may go.
    concludes: bool,
    lost: Vec<Option<Halt>>,
    start: Instant,
    /// What was sent before this search began.
    sent_before: Traffic,
    saving: Saving,
}
impl<S: BfsStore> Spread<'_, '_, '_, '_, '_, '_, S> {
    fn me(&self) -> usize {
        self.out.mesh.me()
    }

    fn count(&self) -> usize {
        self.out.mesh.count()
    }

    /// Bytes that this search has sent, before and after compression.
    fn sent(&self) -> (u64, u64) {
        let (now, before, earlier) = (self.out.mesh.traffic(), self.sent_before, self.saving.traffic);
        (now.raw - before.raw + earlier.0, now.sent - before.sent + earlier.1)
    }

    /// Bytes of all tables but the walk, the machine and what goes out.
    fn tables(&self) -> usize {
        let waiting: usize = self.streams.iter().map(|stream| stream.bytes).sum();
        let order: usize = self.keys.iter().map(|keys| keys.bytes.capacity()).sum::<usize>()
            + self.heard.iter().map(|heard| heard.keys.capacity() + heard.places.capacity()).sum::<usize>()
            + self.ranks.memory();
        self.store.memory() + self.queue.memory() + self.links.memory() + waiting + order
    }
}

/// The outcome of a search that a process has left.
fn broken(program: &Program, limit: Limit) -> Outcome {
    Outcome { verdict: Verdict::Incomplete(limit), ..Outcome::without_room(program, 0) }
}

/// What is given to every search over several processes.
pub struct Given<'m, 's, 'c, S> {
    /// The model.
    pub model: &'m Model,
    /// The same, compiled.
    pub program: &'m Program,
    /// What to look for.
    pub settings: Settings,
    /// The store of this process, or why there is none.
    pub store: &'s mut S,
    /// A reason to end before the search has begun.
    pub hindered: Option<Limit>,
    /// Where states wait, and the links.
    pub files: (Queue, Links),
    /// Of hashes.
    pub seed: u64,
    /// The other processes.
    pub mesh: &'c mut Mesh,
}

/// Searches with the other processes from beginning to end. Every process gets the same outcome.
pub fn search<S: BfsStore>(given: Given<'_, '_, '_, S>, monitor: &mut Monitor<'_>) -> Outcome {
    let Given { model, program, settings, store, hindered, files: (queue, links), seed, mesh } = given;
    mesh.searches += 1;
    let machine = match Machine::new(program) {
        Ok(machine) => machine,
        // So it is for all.
        Err(trap) => return Outcome::failed_at_start(program, trap),
    };
    let (count, search, sent_before) = (mesh.count(), mesh.searches, mesh.traffic());
    let saving = Saving::of(monitor.checkpoints.as_ref(), mesh.me());
    let batches = (0..count).map(|_| Batch::default()).collect();
    let out = Outgoing { mesh, search, level: 0, batches, on_their_way: vec![0; count], floors: vec![0; count] };
    let mut spread = Spread {
        program,
        settings,
        store,
        machine,
        walk: Walk::new(program.transitions.len(), settings.rules),
        ledger: Ledger::new(model, settings.all_errors),
        monitor,
        queue,
        links,
        out,
        owners: StateHash::new(seed ^ OWNERS),
        streams: (0..count).map(|_| Stream::default()).collect(),
        heard: (0..count).map(|_| Heard::default()).collect(),
        untold: vec![0; count],
        keys: (0..count).map(|_| Keys::default()).collect(),
        ranks: Ranks::default(),
        stage: Stage::Expanding,
        errors: 0,
        states: 1,
        left: 0,
        next: None,
        expanded: 0,
        offered: 0,
        vector: 0,
        cut: false,
        places: Vec::new(),
        model_error: None,
        inherited: Inherited::default(),
        saved: Vec::new(),
        concludes: false,
        lost: (0..count).map(|_| None).collect(),
        start: Instant::now(),
        sent_before,
        saving,
    };
    let early = spread.hear_early();
    let ended = match (hindered, early) {
        (Some(limit), _) => {
            spread.saving.torn = true;
            Err(spread.halt(limit))
        }
        (None, Err(halt)) => {
            spread.saving.torn = true;
            Err(halt)
        }
        (None, Ok(())) => spread.run(),
    };
    let ended = match ended {
        Ok(()) => {
            spread.stand_at_end();
            Ok(None)
        }
        Err(Halt::Limit(limit)) if spread.saving.on => spread.stop_together(limit),
        Err(Halt::Limit(limit)) => Ok(Some(limit)),
        Err(halt) => Err(halt),
    };
    match ended.and_then(|limit| spread.conclude(limit)) {
        Ok(whole) => {
            let seconds = spread.saving.seconds + spread.start.elapsed().as_secs_f64();
            whole.outcome(program, settings, seconds)
        }
        Err(Halt::Limit(limit) | Halt::Gone(limit)) => broken(program, limit),
        Err(Halt::Dismissed) => broken(program, Limit::Interrupted),
    }
}
