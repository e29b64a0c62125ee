//! Breadth-first search that begins with a cache in memory and moves to a table on disk, losing nothing on the way.
//!
//! Idea: the serialization scheme (Della Penna, Intrigila, Melatti, Tronci, Venturini Zilli, "Integrating RAM and disk based
//! verification within the Murphi verifier", CHARME 2003, Fig. 2), which joins a search with a cache (CBF) and a search on
//! disk (DBF). Nobody knows beforehand whether the memory will do. So the search starts with a cache; when the collision rate
//! reaches γ it goes on with a table on disk. With γ = 0.1 the cache has been as good as a full table until then. What the
//! cache knows becomes the first content of the file D of visited states. The queue stays as it is, and its states count as
//! confirmed. The search moves between two expansions only.
//!
//! Beyond the paper, we write the states of the queue into D as well. The cache has forgotten some of them by then, and they
//! would be queued a second time. What was written is read back as soon as the cache is gone, if the memory of the table on disk has room
//! for all of it: as long as that is so, nothing else has to be read. A state that was expanded and forgotten before the move may be visited once more.
//!
//! Sound if both stores are: exact with whole states; with signatures the probability of an omission is bounded by those of
//! both stores together. While the cache is handed over, both stores are in memory.

use crate::exec::Program;
use crate::model::Model;
use crate::search::driver::Settings;
use crate::search::explore::queued::{Queued, Stop};
use crate::search::monitor::Monitor;
use crate::search::outcome::{self, Limit, Outcome};
use crate::store::breadth::forgetting::{CacheLevels, ForgettingStore};
use crate::store::parts::signature::Signatures;
use crate::store::{BfsStore, DiskOptions, DiskStore, Links, Queue, Representation, WorkDir};
use std::sync::Arc;

/// The collision rate at which a search moves to disk, unless the user says otherwise (the paper's γ).
pub const DEFAULT_SWITCH: f64 = 0.1;

/// Takes a signature, and the state if it is kept.
pub type Taker<'a> = &'a mut dyn FnMut(u64, Option<&[u8]>) -> Result<(), Limit>;

/// A cache that can hand on what it knows.
pub trait HandOver: BfsStore {
    /// Calls `f` with each signature, and with the state if it is kept.
    fn hand_over(&self, f: Taker<'_>) -> Result<(), Limit>;
}

impl<L: CacheLevels> HandOver for ForgettingStore<L> {
    fn hand_over(&self, f: Taker<'_>) -> Result<(), Limit> {
        self.contents().try_for_each(|(signature, state)| f(signature, state))
    }
}

/// Searches with the cache, and from the rate `switch` on with a table on disk made by `disk` in the folder. Both must
/// keep the same of a state and have the same seed.
pub fn search<C: HandOver>(
    model: &Model,
    program: &Program,
    mut cache: C,
    (settings, switch): (Settings, f64),
    (disk, folder): (DiskOptions, &Arc<WorkDir>),
    monitor: &mut Monitor<'_>,
) -> (Outcome, Option<outcome::Levels>) {
    // An eighth of the memory for the ends of the queue is more than enough: it is read and written in order.
    let queue = Queue::on_disk(disk.memory / 8, Arc::clone(folder));
    let links = match Links::on_disk(folder) {
        Ok(links) => links,
        Err(limit) => return (failed(program, limit), None),
    };
    let mut queued = match Queued::new(model, program, settings, (queue, links), monitor) {
        Ok(queued) => queued,
        Err(outcome) => return (*outcome, None),
    };
    // A search that had moved to disk already goes on there.
    match queued.starts_on_disk() {
        Ok(false) => {}
        Ok(true) => return go_on_disk(program, queued, (disk, folder)),
        Err(limit) => return (failed(program, limit), None),
    }
    let stop = match queued.start(&mut cache) {
        // The switch comes before any bound on the rate.
        Ok(()) => queued.run(&mut cache, 1.0, Some(switch)),
        Err(limit) => Stop::Limit(limit),
    };
    if stop != Stop::Switch {
        let (outcome, levels) = queued.finish(&cache, stop);
        return (outcome, Some(levels));
    }
    let mut store = match move_to_disk(&mut queued, &cache, (disk, folder)) {
        Ok(store) => store,
        Err(limit) => {
            let (outcome, levels) = queued.finish(&cache, Stop::Limit(limit));
            return (outcome, Some(levels));
        }
    };
    queued.counters.earlier = queued.counters.earlier.and(&cache);
    drop(cache);
    queued.counters.earlier.handed_over = store.records();
    let stop = match store.recall() {
        Ok(()) => queued.run(&mut store, 1.0, None),
        Err(limit) => Stop::Limit(limit),
    };
    let (outcome, levels) = queued.finish(&store, stop);
    (outcome, Some(levels))
}

/// The second half alone.
fn go_on_disk(
    program: &Program,
    mut queued: Queued<'_, '_, '_, '_>,
    (options, folder): (DiskOptions, &Arc<WorkDir>),
) -> (Outcome, Option<outcome::Levels>) {
    let mut store = match DiskStore::new(options, folder) {
        Ok(store) => store,
        Err(limit) => return (failed(program, limit), None),
    };
    let stop = match queued.start(&mut store) {
        Ok(()) => queued.run(&mut store, 1.0, None),
        Err(limit) => Stop::Limit(limit),
    };
    let (outcome, levels) = queued.finish(&store, stop);
    (outcome, Some(levels))
}

/// A table on disk that knows what the cache knew and what waits in the queue. While the cache hands over, it and the
/// new table's memory are both there (M is empty then, and pages that were never written to cost nothing).
fn move_to_disk<C: HandOver>(
    queued: &mut Queued<'_, '_, '_, '_>,
    cache: &C,
    (options, folder): (DiskOptions, &Arc<WorkDir>),
) -> Result<DiskStore, Limit> {
    let mut store = DiskStore::new(options, folder)?;
    cache.hand_over(&mut |signature, state| store.preload(signature, state))?;
    let signatures = match options.representation {
        Representation::States => Signatures::new(64, options.seed),
        Representation::Signatures(bits) => Signatures::new(bits, options.seed),
    };
    queued.waiting(|state| store.preload(signatures.of(state), Some(state)))?;
    store.trust(queued.queue.len());
    Ok(store)
}

fn failed(program: &Program, limit: Limit) -> Outcome {
    Outcome { verdict: outcome::Verdict::Incomplete(limit), ..Outcome::without_room(program, 0) }
}
