//! From a plan to a breadth-first search over several processes: makes this process's part of the store that the plan names.

use super::*;
use crate::cluster::Mesh;
use crate::search::explore::spread::{Given, search};

impl PlannedSearch<'_> {
    /// Searches with the other processes of this mesh.
    pub(super) fn spread(&self, store: &BreadthStore, mesh: &mut Mesh, monitor: &mut Monitor<'_>) -> Outcome {
        let work_dir = match store {
            BreadthStore::Exact { .. } | BreadthStore::Shared { .. } => None,
            BreadthStore::Queued { work_dir, .. } => work_dir.as_deref(),
        };
        let spread = SpreadSearch { queued: QueuedSearch { planned: self, work_dir } };
        match spread.over_store(store, mesh, monitor) {
            Ok(outcome) => outcome,
            // The others wait for this process, so it begins, and tells them why it cannot go on.
            Err(limit) => {
                let mut none = ExactStore::with_budget(self.seed, 0);
                spread.run(&mut none, (Queue::in_memory(), Links::in_memory()), Some(limit), mesh, monitor)
            }
        }
    }
}

struct SpreadSearch<'a> {
    queued: QueuedSearch<'a>,
}

impl SpreadSearch<'_> {
    /// Makes the store and searches; `Err` says why there is no store.
    fn over_store(&self, store: &BreadthStore, mesh: &mut Mesh, monitor: &mut Monitor<'_>) -> Result<Outcome, Limit> {
        let planned = self.queued.planned;
        let table = match store {
            // A process searches with one thread, whatever the plan says; what it keeps is the same.
            BreadthStore::Exact { .. } | BreadthStore::Shared { store: SharedStore::Exact, .. } => QueuedTable::Exact,
            BreadthStore::Shared { store: SharedStore::Tree, .. } => QueuedTable::Tree,
            BreadthStore::Shared { store: SharedStore::Compact { bits, size, runs }, .. } => {
                QueuedTable::Lossy { table: LossyTable::Compact { bits: *bits, size: *size }, runs: *runs }
            }
            BreadthStore::Queued { table, .. } => *table,
        };
        match table {
            QueuedTable::Exact => {
                let mut store = ExactStore::with_budget(planned.seed, PlannedSearch::budget(monitor));
                self.over(&mut store, mesh, monitor)
            }
            QueuedTable::Tree => self.over(&mut planned.tree_store(false, monitor), mesh, monitor),
            QueuedTable::Lossy { table, .. } => {
                let memory = monitor.tables().filter(|_| self.queued.budgeted());
                let saved = monitor.checkpoints.as_mut().map(|schedule| schedule.shape()).transpose()?.flatten();
                match table {
                    LossyTable::Compact { bits, size } => {
                        let bits = bits.unwrap_or(COMPACT_BITS);
                        let slots = size.of_compact(bits, saved_slots(saved.as_ref()), memory);
                        let store = CompactStore::new(bits, slots, planned.seed, false);
                        self.over(&mut store.ok_or(no_room(slots))?, mesh, monitor)
                    }
                    LossyTable::Bloom { functions, size } => {
                        let (bytes, functions) = bloom_sizes((size, functions), saved.as_ref(), memory);
                        let store = BloomStore::new(bytes, functions, planned.seed, false);
                        self.over(&mut store.ok_or(no_room(bytes))?, mesh, monitor)
                    }
                }
            }
            QueuedTable::Disk { record, window } => {
                let options = self.queued.disk_options(disk_representation(record), window, monitor);
                let folder = self.queued.folder()?;
                let mut store = DiskStore::new(options, &folder)?;
                let files = (Queue::on_disk(options.memory / 8, Arc::clone(&folder)), Links::on_disk(&folder)?);
                Ok(self.run(&mut store, files, None, mesh, monitor))
            }
            QueuedTable::Cache { .. } | QueuedTable::Serial { .. } => {
                Err(Limit::Internal("a cache is not spread over processes".to_string()))
            }
        }
    }

    fn over<S: BfsStore>(&self, store: &mut S, mesh: &mut Mesh, monitor: &mut Monitor<'_>) -> Result<Outcome, Limit> {
        let files = self.queued.files(monitor)?;
        Ok(self.run(store, files, None, mesh, monitor))
    }

    fn run<S: BfsStore>(
        &self,
        store: &mut S,
        files: (Queue, Links),
        hindered: Option<Limit>,
        mesh: &mut Mesh,
        monitor: &mut Monitor<'_>,
    ) -> Outcome {
        let PlannedSearch { model, program, settings, seed, .. } = *self.queued.planned;
        search(Given { model, program, settings, store, hindered, files, seed, mesh }, monitor)
    }
}
