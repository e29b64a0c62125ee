//! Breadth-first searches with little memory, from a plan: which store, where the queue lives, how a budget is split.
//!
//! The algorithms are in [`queued`](crate::search::explore::queued) and [`serial`](crate::search::explore::serial), the tables in
//! `store`. Here only the parts are put together. What is kept of a state decides what may be said at the end: whole
//! states lead to "verified", signatures to "no error found".

use crate::checkpoint::Kind;
use crate::exec::Program;
use crate::model::Model;
use crate::search::driver::Settings;
use crate::search::explore::lossy::{self, Keeping};
use crate::search::explore::queued;
use crate::search::explore::serial::{self, HandOver};
use crate::search::monitor::Monitor;
use crate::search::outcome::{Levels, Limit, Outcome, Verdict};
use crate::store::breadth::disk::Window;
use crate::store::{
    BfsCache, BfsStore, BloomStore, CompactStore, DiskOptions, DiskStore, ExactStore, HubCache, HubOptions, Links,
    Queue, Representation, WorkDir,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Which breadth-first search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Breadth {
    /// Everything in memory.
    #[default]
    InMemory,
    /// A cache that overwrites.
    Cache,
    /// A cache of two levels.
    Hub(Hub),
    /// The visited table on disk.
    Disk,
    /// A cache first (of two levels if given), then the disk from this collision rate on.
    Serial(f64, Option<Hub>),
}

/// The parts of a hub cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hub {
    /// Share of the first level.
    pub split: f64,
    /// Probability that the second level overwrites.
    pub overwrite: f64,
}

/// The options of these searches.
#[derive(Clone, PartialEq, Debug)]
pub struct LowMemory {
    /// Which search.
    pub breadth: Breadth,
    /// Places of a cache.
    pub slots: u64,
    /// Places looked at before one is overwritten.
    pub ways: u8,
    /// When a cache gives up.
    pub max_collision_rate: f64,
    /// How much of the visited file a check reads.
    pub window: Window,
    /// Where files go; the system's folder for temporary files if not said.
    pub work_dir: Option<PathBuf>,
    /// On disk whole states are kept, not signatures.
    pub whole_on_disk: bool,
}

impl Default for LowMemory {
    fn default() -> LowMemory {
        LowMemory {
            breadth: Breadth::InMemory,
            slots: 1 << 20,
            ways: crate::store::breadth::cache::DEFAULT_WAYS,
            max_collision_rate: 0.9,
            window: Window::Everything,
            work_dir: None,
            whole_on_disk: false,
        }
    }
}

/// Bits of the signatures on disk unless a compact store says otherwise.
pub const DISK_BITS: u8 = 64;
/// Memory of a disk search without `--memory`: M then holds some ten million signatures between two checks.
const DISK_MEMORY: u64 = 256 << 20;

/// One search to be put together.
pub struct Assembly<'a> {
    /// The options.
    pub options: &'a LowMemory,
    /// What is kept of a state.
    pub keeping: Keeping,
    /// For tables that may err.
    pub expect_states: Option<u64>,
    /// The user's budget was given: files take what does not fit.
    pub budgeted: bool,
    /// Of hashes and random choices.
    pub seed: u64,
    /// What is checked.
    pub settings: Settings,
}

impl Assembly<'_> {
    /// Runs the search.
    pub fn run(&self, model: &Model, program: &Program, monitor: &mut Monitor<'_>) -> Outcome {
        let result = match self.options.breadth {
            Breadth::InMemory => self.with_table(model, program, monitor),
            Breadth::Cache => self.cache(monitor).and_then(|mut cache| self.over(model, program, &mut cache, monitor)),
            Breadth::Hub(hub) => {
                self.hub(hub, monitor).and_then(|mut cache| self.over(model, program, &mut cache, monitor))
            }
            Breadth::Disk => self.disk(model, program, monitor),
            Breadth::Serial(rate, None) => {
                self.cache(monitor).and_then(|cache| self.serial(model, program, (cache, rate), monitor))
            }
            Breadth::Serial(rate, Some(hub)) => {
                self.hub(hub, monitor).and_then(|cache| self.serial(model, program, (cache, rate), monitor))
            }
        };
        match result {
            Ok((outcome, levels)) => Outcome { levels, ..outcome },
            Err(limit) => Outcome { verdict: Verdict::Incomplete(limit), ..Outcome::without_room(program, 0) },
        }
    }

    fn representation(&self) -> Representation {
        match self.keeping {
            Keeping::Compact { bits, .. } => Representation::Signatures(bits),
            _ => Representation::States,
        }
    }

    fn budget(monitor: &Monitor<'_>) -> usize {
        monitor.tables().map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    fn cache(&self, monitor: &Monitor<'_>) -> Result<BfsCache, Limit> {
        let LowMemory { slots, ways, .. } = *self.options;
        BfsCache::new(slots, ways, self.representation(), self.seed, Self::budget(monitor)).ok_or(no_room(slots))
    }

    fn hub(&self, hub: Hub, monitor: &Monitor<'_>) -> Result<HubCache, Limit> {
        let LowMemory { slots, ways, .. } = *self.options;
        let options = HubOptions {
            slots,
            split: hub.split,
            overwrite: hub.overwrite,
            ways,
            representation: self.representation(),
        };
        HubCache::new(options, self.seed, Self::budget(monitor)).ok_or(no_room(slots))
    }

    fn folder(&self) -> Result<Arc<WorkDir>, Limit> {
        WorkDir::new(self.options.work_dir.as_deref())
    }

    /// The queue and the links: in files when a folder or a budget is given.
    fn files(&self, monitor: &Monitor<'_>) -> Result<(Queue, Links), Limit> {
        if self.options.work_dir.is_none() && !self.budgeted {
            return Ok((Queue::in_memory(), Links::in_memory()));
        }
        let folder = self.folder()?;
        let links = Links::on_disk(&folder)?;
        Ok((Queue::on_disk(Self::budget(monitor).min(256 << 20) / 8, folder), links))
    }

    fn over<S: BfsStore>(
        &self,
        model: &Model,
        program: &Program,
        store: &mut S,
        monitor: &mut Monitor<'_>,
    ) -> Result<(Outcome, Option<Levels>), Limit> {
        let files = self.files(monitor)?;
        let rules = (self.settings, self.options.max_collision_rate);
        Ok(queued::search(model, program, store, rules, files, monitor))
    }

    /// A table that may err, with a queue beside it.
    fn with_table(
        &self,
        model: &Model,
        program: &Program,
        monitor: &mut Monitor<'_>,
    ) -> Result<(Outcome, Option<Levels>), Limit> {
        let memory = monitor.tables().filter(|_| self.budgeted);
        let saved = monitor.checkpoints.as_mut().map(|schedule| schedule.shape()).transpose()?.flatten();
        // A table that follows from the memory that is left must become what it was.
        let saved = |kind: Kind| saved.as_ref().filter(|shape| shape.kind == kind).map(|shape| shape.sizes.as_slice());
        match self.keeping {
            Keeping::Compact { bits, slots } => {
                let slots = slots.or_else(|| saved(Kind::Compact)?.first().copied());
                let slots = lossy::compact_slots(bits, slots, self.expect_states, memory);
                let mut store = CompactStore::new(bits, slots, self.seed, false).ok_or(no_room(slots))?;
                self.over(model, program, &mut store, monitor)
            }
            Keeping::Bloom { functions, slots } => {
                let (bytes, functions) = match (functions, saved(Kind::Bloom).filter(|_| slots.is_none())) {
                    (None, Some(&[bytes, functions])) => (bytes, u8::try_from(functions).unwrap_or(u8::MAX)),
                    (Some(functions), Some(&[bytes, _])) => (bytes, functions),
                    _ => lossy::bloom_size(functions, slots, self.expect_states, memory),
                };
                let mut store = BloomStore::new(bytes, functions, self.seed, false).ok_or(no_room(bytes))?;
                self.over(model, program, &mut store, monitor)
            }
            // Without a checkpoint the exact table is its own queue, which takes less memory: see `bfs`.
            Keeping::Exact => {
                let mut store = ExactStore::with_budget(self.seed, Self::budget(monitor));
                self.over(model, program, &mut store, monitor)
            }
        }
    }

    fn disk_options(&self, monitor: &Monitor<'_>) -> DiskOptions {
        let representation = match (self.options.whole_on_disk, self.keeping) {
            (true, _) => Representation::States,
            (false, Keeping::Compact { bits, .. }) => Representation::Signatures(bits),
            (false, _) => Representation::Signatures(DISK_BITS),
        };
        let memory = monitor.tables().filter(|_| self.budgeted).unwrap_or(DISK_MEMORY);
        // An eighth is for the queue, another for the rest of the search.
        let memory = usize::try_from(memory / 4 * 3).unwrap_or(usize::MAX);
        DiskOptions { representation, window: self.options.window, memory, seed: self.seed }
    }

    fn disk(
        &self,
        model: &Model,
        program: &Program,
        monitor: &mut Monitor<'_>,
    ) -> Result<(Outcome, Option<Levels>), Limit> {
        let options = self.disk_options(monitor);
        let folder = self.folder()?;
        let mut store = DiskStore::new(options, &folder)?;
        let files = (Queue::on_disk(options.memory / 8, Arc::clone(&folder)), Links::on_disk(&folder)?);
        Ok(queued::search(model, program, &mut store, (self.settings, 1.0), files, monitor))
    }

    fn serial<C: HandOver>(
        &self,
        model: &Model,
        program: &Program,
        (cache, rate): (C, f64),
        monitor: &mut Monitor<'_>,
    ) -> Result<(Outcome, Option<Levels>), Limit> {
        // Cache and table must keep the same of a state.
        let options = DiskOptions { representation: self.representation(), ..self.disk_options(monitor) };
        let folder = self.folder()?;
        Ok(serial::search(model, program, cache, (self.settings, rate), (options, &folder), monitor))
    }
}

/// The system does not give as much.
fn no_room(slots: u64) -> Limit {
    Limit::NoRoom { bytes: slots.saturating_mul(8) }
}
