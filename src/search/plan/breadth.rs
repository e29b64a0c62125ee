//! From a plan to a breadth-first search: makes the store that the plan names, decides where the queue lies, and splits the
//! budget of memory.
//!
//! The algorithms are in [`bfs`], [`queued`] and [`serial`], the tables in `store`. What is kept of a state decides what may
//! be said at the end: whole states lead to "verified", signatures to "no error found".

#[cfg(feature = "cluster")]
mod spread;

use super::run::PlannedSearch;
use super::tree::layout;
use super::{
    BreadthCache, BreadthFirst, BreadthStore, DISK_BITS, DiskRecord, QueuedTable, Sets, SharedStore, Signatures,
};
use crate::checkpoint::{Kind, StoreShape};
use crate::search::explore::bfs;
use crate::search::explore::lossy::{COMPACT_BITS, LossyTable, Size};
use crate::search::explore::queued;
use crate::search::explore::serial::{self, HandOver};
use crate::search::explore::workers;
use crate::search::monitor::Monitor;
use crate::search::outcome::{Levels, Limit, Outcome, Verdict};
use crate::search::reduce::Full;
use crate::search::reduce::paths::PathSets;
use crate::store::breadth::disk::Window;
use crate::store::{
    BfsCache, BfsStore, BloomStore, BreadthStates, CompactStore, DiskOptions, DiskStore, ExactStore, HubCache,
    HubOptions, Links, Queue, Representation, SharedStates, WorkDir,
};
use std::path::Path;
use std::sync::Arc;

/// Memory of a disk search without `--memory`: M then holds some ten million signatures between two checks.
const DISK_MEMORY: u64 = 256 << 20;

/// What a search with a queue gives, or why it could not begin.
type Searched = Result<(Outcome, Option<Levels>), Limit>;

impl PlannedSearch<'_> {
    pub(super) fn breadth_first(&self, plan: &BreadthFirst, monitor: &mut Monitor<'_>) -> Outcome {
        #[cfg(feature = "cluster")]
        if let Some(mut mesh) = monitor.mesh.take() {
            let outcome = self.spread(&plan.store, &mut mesh, monitor);
            monitor.mesh = Some(mesh);
            return outcome;
        }
        match &plan.store {
            &BreadthStore::Exact { moves, sets, check_independence } => {
                let mut states = if moves {
                    BreadthStates::moving(self.seed, layout(self.program), sets.is_some(), Self::budget(monitor))
                } else {
                    BreadthStates::exact(self.seed, Self::budget(monitor))
                };
                let outcome = self.in_memory(&mut states, sets, check_independence, monitor);
                Self::noting_the_move(states.moved_at(), outcome)
            }
            BreadthStore::Shared { workers, store, sets, .. } => {
                self.with_workers(usize::from(workers.get()), (*store, *sets), monitor)
            }
            BreadthStore::Queued { table, work_dir } => {
                let queued = QueuedSearch { planned: self, work_dir: work_dir.as_deref() };
                match queued.search(table, monitor) {
                    Ok((outcome, levels)) => Outcome { levels, ..outcome },
                    Err(limit) => {
                        let verdict = Verdict::Incomplete(limit);
                        Outcome { verdict, ..Outcome::without_room(self.program, 0) }
                    }
                }
            }
        }
    }

    /// A search by several threads over one table.
    fn with_workers(
        &self,
        workers: usize,
        (store, sets): (SharedStore, Option<Sets>),
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        let budget = Self::budget(monitor);
        let hidden = self.program.hidden as usize;
        let states = match store {
            SharedStore::Exact => SharedStates::new(self.seed, workers, hidden, budget),
            SharedStore::Tree => self.shared_tree(workers, monitor),
            SharedStore::Compact { bits, size, .. } => {
                let bits = bits.unwrap_or(COMPACT_BITS);
                // About half of the memory is for signatures. The whole states of two levels need room, too, in the table by which they are found.
                let memory = monitor.tables().filter(|_| self.plan.memory.is_some()).map(|memory| memory / 3 * 2);
                // A table that follows from the memory that is left must become what it was.
                let from = monitor.checkpoints.as_mut().and_then(|schedule| schedule.from.as_mut());
                let table = (bits, size.of_compact(bits, from.and_then(workers::saved_slots), memory));
                let folder = self.plan.folder().map(WorkDir::new).transpose();
                match folder.and_then(|folder| folder.map(|folder| folder.create("trace")).transpose()) {
                    Ok(trace) => SharedStates::of_signatures((self.seed, workers, hidden), budget, table, trace),
                    Err(limit) => {
                        let verdict = Verdict::Incomplete(limit);
                        return Outcome { verdict, ..Outcome::without_room(self.program, 0) };
                    }
                }
            }
        };
        match states {
            Some(states) => self.by_workers(&states, workers, sets, monitor),
            None => {
                let verdict = Verdict::Incomplete(Limit::Memory { used: 0, budget: budget as u64 });
                Outcome { verdict, ..Outcome::without_room(self.program, 0) }
            }
        }
    }

    /// The same over this table. Each worker has its own reduction; they are equal.
    fn by_workers(
        &self,
        states: &SharedStates,
        workers: usize,
        sets: Option<Sets>,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        let Some(sets) = sets else {
            return workers::search(self.task(None, monitor), states, workers, || Full);
        };
        let patience = monitor.patience();
        if let Some((model, watch)) = &self.watched {
            let paths = || PathSets::new(model, *watch).steady().within(patience);
            return self.reduced(paths(), false, monitor, |task, _| workers::search(task, states, workers, paths));
        }
        let persistent = || self.steady_sets(sets).within(patience);
        self.reduced(persistent(), false, monitor, |task, _| workers::search(task, states, workers, persistent))
    }

    /// A search in which the table is the queue.
    fn in_memory(
        &self,
        states: &mut BreadthStates,
        sets: Option<Sets>,
        checks: bool,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        match sets {
            Some(sets) => {
                if let Some(paths) = self.path_sets() {
                    let paths = paths.within(monitor.patience());
                    return self.reduced(paths, checks, monitor, |task, sets| bfs::search(task, states, sets));
                }
                let persistent = self.persistent_sets(sets, true).within(monitor.patience());
                self.reduced(persistent, checks, monitor, |task, sets| bfs::search(task, states, sets))
            }
            None => self.reduced(Full, checks, monitor, |task, full| bfs::search(task, states, full)),
        }
    }
}

/// A search with a queue beside its table.
struct QueuedSearch<'a> {
    planned: &'a PlannedSearch<'a>,
    work_dir: Option<&'a Path>,
}

impl QueuedSearch<'_> {
    fn search(&self, table: &QueuedTable, monitor: &mut Monitor<'_>) -> Searched {
        match *table {
            QueuedTable::Exact => {
                let mut store = ExactStore::with_budget(self.planned.seed, PlannedSearch::budget(monitor));
                self.over(&mut store, 1.0, monitor)
            }
            QueuedTable::Tree => self.over(&mut self.planned.tree_store(false, monitor), 1.0, monitor),
            QueuedTable::Lossy { table, .. } => self.lossy(table, monitor),
            QueuedTable::Cache { cache, max_collision_rate } => match cache.hub {
                None => self.over(&mut self.cache(&cache, monitor)?, max_collision_rate, monitor),
                Some(_) => self.over(&mut self.hub(&cache, monitor)?, max_collision_rate, monitor),
            },
            QueuedTable::Disk { record, window } => self.disk(record, window, monitor),
            QueuedTable::Serial { cache, switch_rate, window } => {
                let disk = self.disk_options(representation(cache.signatures), window, monitor);
                match cache.hub {
                    None => self.serial(self.cache(&cache, monitor)?, switch_rate, disk, monitor),
                    Some(_) => self.serial(self.hub(&cache, monitor)?, switch_rate, disk, monitor),
                }
            }
        }
    }

    fn cache(&self, cache: &BreadthCache, monitor: &Monitor<'_>) -> Result<BfsCache, Limit> {
        let representation = representation(cache.signatures);
        BfsCache::new(cache.slots, cache.ways, representation, self.planned.seed, PlannedSearch::budget(monitor))
            .ok_or(no_room(cache.slots))
    }

    fn hub(&self, cache: &BreadthCache, monitor: &Monitor<'_>) -> Result<HubCache, Limit> {
        let &BreadthCache { slots, ways, hub, signatures } = cache;
        let hub = hub.unwrap_or_default();
        let options = HubOptions {
            slots,
            split: hub.split,
            overwrite: hub.overwrite,
            ways,
            representation: representation(signatures),
        };
        HubCache::new(options, self.planned.seed, PlannedSearch::budget(monitor)).ok_or(no_room(slots))
    }

    fn budgeted(&self) -> bool {
        self.planned.plan.memory.is_some()
    }

    fn folder(&self) -> Result<Arc<WorkDir>, Limit> {
        WorkDir::new(self.work_dir)
    }

    /// The queue and the links: in files when a folder or a budget is given.
    fn files(&self, monitor: &Monitor<'_>) -> Result<(Queue, Links), Limit> {
        if self.planned.plan.folder().is_none() {
            return Ok((Queue::in_memory(), Links::in_memory()));
        }
        let folder = self.folder()?;
        let links = Links::on_disk(&folder)?;
        Ok((Queue::on_disk(PlannedSearch::budget(monitor).min(256 << 20) / 8, folder), links))
    }

    /// `bound`: the collision rate at which the search gives up.
    fn over<S: BfsStore>(&self, store: &mut S, bound: f64, monitor: &mut Monitor<'_>) -> Searched {
        let files = self.files(monitor)?;
        Ok(queued::search(
            self.planned.model,
            self.planned.program,
            store,
            (self.planned.settings, bound),
            files,
            monitor,
        ))
    }

    /// A table that may err.
    fn lossy(&self, table: LossyTable, monitor: &mut Monitor<'_>) -> Searched {
        let memory = monitor.tables().filter(|_| self.budgeted());
        let saved = monitor.checkpoints.as_mut().map(|schedule| schedule.shape()).transpose()?.flatten();
        match table {
            LossyTable::Compact { bits, size } => {
                let bits = bits.unwrap_or(COMPACT_BITS);
                let slots = size.of_compact(bits, saved_slots(saved.as_ref()), memory);
                let mut store = CompactStore::new(bits, slots, self.planned.seed, false).ok_or(no_room(slots))?;
                self.over(&mut store, 1.0, monitor)
            }
            LossyTable::Bloom { functions, size } => {
                let (bytes, functions) = bloom_sizes((size, functions), saved.as_ref(), memory);
                let mut store = BloomStore::new(bytes, functions, self.planned.seed, false).ok_or(no_room(bytes))?;
                self.over(&mut store, 1.0, monitor)
            }
        }
    }

    fn disk_options(&self, representation: Representation, window: Window, monitor: &Monitor<'_>) -> DiskOptions {
        let memory = monitor.tables().filter(|_| self.budgeted()).unwrap_or(DISK_MEMORY);
        // An eighth is for the queue, another for the rest of the search.
        let memory = usize::try_from(memory / 4 * 3).unwrap_or(usize::MAX);
        DiskOptions { representation, window, memory, seed: self.planned.seed }
    }

    fn disk(&self, of: DiskRecord, window: Window, monitor: &mut Monitor<'_>) -> Searched {
        let options = self.disk_options(disk_representation(of), window, monitor);
        let folder = self.folder()?;
        let mut store = DiskStore::new(options, &folder)?;
        let files = (Queue::on_disk(options.memory / 8, Arc::clone(&folder)), Links::on_disk(&folder)?);
        Ok(queued::search(
            self.planned.model,
            self.planned.program,
            &mut store,
            (self.planned.settings, 1.0),
            files,
            monitor,
        ))
    }

    fn serial<C: HandOver>(&self, cache: C, rate: f64, disk: DiskOptions, monitor: &mut Monitor<'_>) -> Searched {
        let folder = self.folder()?;
        let PlannedSearch { model, program, settings, .. } = *self.planned;
        Ok(serial::search(model, program, cache, (settings, rate), (disk, &folder), monitor))
    }
}

/// The slots of a saved table of signatures: one that follows from the memory that is left must become what it was.
fn saved_slots(saved: Option<&StoreShape>) -> Option<u64> {
    saved.filter(|shape| shape.kind == Kind::Compact).and_then(|shape| shape.sizes.first().copied())
}

/// The bytes and functions of a Bloom filter, those of a saved one if nothing else is asked for.
fn bloom_sizes((size, functions): (Size, Option<u8>), saved: Option<&StoreShape>, memory: Option<u64>) -> (u64, u8) {
    let saved = saved.filter(|shape| shape.kind == Kind::Bloom && !matches!(size, Size::Slots(_)));
    match (functions, saved.map(|shape| shape.sizes.as_slice())) {
        (None, Some(&[bytes, functions])) => (bytes, u8::try_from(functions).unwrap_or(u8::MAX)),
        (Some(functions), Some(&[bytes, _])) => (bytes, functions),
        _ => size.of_bloom(functions, memory),
    }
}

/// What a cache keeps of a state.
fn representation(signatures: Option<Signatures>) -> Representation {
    signatures.map_or(Representation::States, |signatures| {
        Representation::Signatures(signatures.bits.unwrap_or(COMPACT_BITS))
    })
}

/// What is kept of a state on disk.
fn disk_representation(of: DiskRecord) -> Representation {
    match of {
        DiskRecord::Usual => Representation::Signatures(DISK_BITS),
        DiskRecord::States => Representation::States,
        DiskRecord::Signatures(signatures) => representation(Some(signatures)),
    }
}

/// The system does not give as much.
fn no_room(slots: u64) -> Limit {
    Limit::NoRoom { bytes: slots.saturating_mul(8) }
}
