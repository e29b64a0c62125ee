//! What all workers of a search know, and what the last one to come to a meeting does: it enters the errors of the level, makes one level of all
//! that the workers have added, and begins it.

use super::found::Found;
use super::saved::{Counts, Saving};
use super::team::{Next, Team};
use super::{lock, path};
use crate::exec::Program;
use crate::search::driver::Settings;
use crate::search::ledger::{Judge, Ledger};
use crate::search::outcome::Limit;
use crate::search::walk::{Control, Walk};
use crate::store::SharedStates;
use crate::store::shared::Apart;
use crate::store::shared::states::{BLOCK, Block, Share};
use crate::witness::Witness;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// What all workers know.
pub(super) struct Common<'c> {
    pub(super) program: &'c Program,
    pub(super) settings: Settings,
    pub(super) judge: Judge<'c>,
    pub(super) states: &'c SharedStates,
    pub(super) team: Team,
    /// The level that is being expanded, and the next block that nobody has.
    pub(super) level: Apart<RwLock<Vec<Block>>>,
    pub(super) next: Apart<AtomicUsize>,
    /// The next block whose states nobody has entered, where the store asks for that.
    pub(super) unremembered: Apart<AtomicUsize>,
    /// The table must grow.
    pub(super) wants_room: AtomicBool,
    /// The search has to end.
    pub(super) stops: AtomicBool,
    pub(super) desk: Mutex<Desk<'c>>,
    pub(super) gauges: Vec<Apart<Gauge>>,
    /// Is shown every new state.
    pub(super) witness: Option<Mutex<Witness>>,
    /// Bytes that are kept for checkpoints.
    pub(super) saving: AtomicUsize,
    /// The most bytes that the search may take.
    pub(super) budget: Option<u64>,
}

/// What the last one to come to a meeting works on.
pub(super) struct Desk<'c> {
    pub(super) ledger: Ledger<'c>,
    pub(super) shares: Vec<Share>,
    pub(super) found: Found,
    /// Why the search had to end.
    pub(super) limit: Option<Limit>,
    /// All levels were expanded.
    pub(super) complete: bool,
    pub(super) levels: u64,
    /// What checkpoints need, if any are asked for; and what each worker has counted when it had finished its last level.
    pub(super) saving: Option<Saving>,
    pub(super) counted: Vec<Option<Counts>>,
    /// What was counted before the workers began.
    pub(super) before: Counts,
}

/// How far one worker is, for the others to read.
#[derive(Default)]
pub(super) struct Gauge {
    pub(super) stored: AtomicU64,
    pub(super) matched: AtomicU64,
    pub(super) memory: AtomicU64,
}

/// What a worker has counted.
pub(super) struct Counted {
    pub(super) walk: Walk,
    pub(super) stored: u64,
    pub(super) matched: u64,
    pub(super) vector: usize,
    pub(super) cut: bool,
}

impl<'c> Common<'c> {
    pub(super) fn desk(&self) -> MutexGuard<'_, Desk<'c>> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The search has to end, for this reason unless there was one before.
    pub(super) fn stop(&self, limit: Option<Limit>) {
        if let Some(limit) = limit {
            self.desk().limit.get_or_insert(limit);
        }
        self.stops.store(true, Ordering::Relaxed);
        self.team.dissolve();
    }

    /// All workers have met: what is done next?
    pub(super) fn decide(&self, all_done: bool) -> Next {
        if self.stops.load(Ordering::Relaxed) {
            return Next::End;
        }
        if self.wants_room.swap(false, Ordering::Relaxed) {
            return match self.states.begin_doubling() {
                Some(true) => Next::Grow,
                Some(false) => Next::GoOn,
                None => {
                    self.desk().limit.get_or_insert(self.states.limit());
                    self.stops.store(true, Ordering::Relaxed);
                    Next::End
                }
            };
        }
        if all_done { self.next_level() } else { Next::GoOn }
    }

    pub(super) fn next_level(&self) -> Next {
        let mut desk = self.desk();
        if self.enter_found(&mut desk) == Control::Stop {
            return Next::End;
        }
        let mut shares = std::mem::take(&mut desk.shares);
        let mut level = self.level.write().unwrap_or_else(PoisonError::into_inner);
        self.level_is_over(&mut desk, &level);
        level.clear();
        shares.iter_mut().for_each(|share| level.append(&mut share.blocks));
        self.states.begin_level(shares);
        self.next.store(0, Ordering::Relaxed);
        self.unremembered.store(0, Ordering::Relaxed);
        desk.complete = level.is_empty();
        if desk.complete {
            return Next::End;
        }
        desk.levels += 1;
        self.level_has_begun(&mut desk, &level);
        self.saving.store(desk.saving.as_ref().map_or(0, Saving::memory), Ordering::Relaxed);
        Next::Level
    }

    /// Enters the errors of the level into the ledger.
    pub(super) fn enter_found(&self, desk: &mut Desk<'c>) -> Control {
        let (found, all) = (std::mem::take(&mut desk.found), self.settings.all_errors);
        found.enter(&mut desk.ledger, all, |place| {
            let path = path::path_to(self.program, self.states, self.settings.rules, place.position);
            path.unwrap_or_default().into_iter().chain(place.steps.iter().copied()).collect()
        })
    }

    /// Bytes of all that is not the walk and the machine of the caller.
    pub(super) fn memory(&self) -> usize {
        let level = self.level.read().unwrap_or_else(PoisonError::into_inner).capacity() * size_of::<Block>();
        let witness = self.witness.as_ref().map_or(0, |witness| lock(witness).memory());
        let workers: u64 = self.gauges.iter().map(|gauge| gauge.memory.load(Ordering::Relaxed)).sum();
        self.states.memory() + level + witness + workers as usize + self.saving.load(Ordering::Relaxed)
    }

    /// States that wait, about.
    pub(super) fn waiting(&self) -> u64 {
        let blocks = self.level.read().unwrap_or_else(PoisonError::into_inner).len();
        let left = blocks.saturating_sub(self.next.load(Ordering::Relaxed)) as u64;
        left * u64::from(BLOCK)
    }
}
