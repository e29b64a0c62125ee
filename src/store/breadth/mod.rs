//! What a breadth-first search with a queue beside it asks of its visited states, the stores of that kind, and the queue
//! and links that lie beside them.

pub mod cache;
pub mod disk;
pub(in crate::store) mod forgetting;
pub mod hub;
pub mod links;
pub(in crate::store) mod pending;
pub mod queue;
pub mod work_dir;

use crate::model::TransitionType;
use crate::store::limit::Limit;
use crate::store::lossy::omission::Omission;
use crate::store::{BloomStore, CompactStore, ExactStore, Saved, Store, Visit};

/// A set of visited states for breadth-first search. The search keeps the queue; it offers every state it meets, and
/// queues those that the store takes for new.
pub trait BfsStore: Saved {
    /// "Verified" may be said with this store: it never takes a new state for a visited one.
    fn is_exact(&self) -> bool;

    /// Looks the state up and inserts it if it is not there. `true`: it is new and goes into the queue (with a disk
    /// store, if [`confirm`](Self::confirm) says so when it comes out again).
    fn insert(&mut self, state: &[u8]) -> Result<bool, Limit>;

    /// Called once for each state that comes out of the queue, in its order: is it really new?
    fn confirm(&mut self) -> Result<bool, Limit> {
        Ok(true)
    }

    /// All states of a level were taken from the queue and expanded; those of the next are in it.
    fn end_level(&mut self) -> Result<(), Limit> {
        Ok(())
    }

    /// Bytes that the store occupies now, all tables and buffers counted.
    fn memory(&self) -> usize;

    /// Figures for the report.
    fn statistics(&self) -> BfsStatistics;

    /// Forgotten states / insertions since the start; 0 for stores that forget nothing.
    fn collision_rate(&self) -> f64 {
        0.0
    }
}

/// Figures of a breadth-first store.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BfsStatistics {
    /// States taken for new; a forgotten state that comes again counts again.
    pub stored: u64,
    /// States in the table now.
    pub held: u64,
    /// States that were thrown out and are nowhere any more.
    pub forgotten: u64,
    /// Different states among the stored, as estimated by [`Distinct`](crate::store::parts::distinct::Distinct) (0.8% deviation);
    /// exactly `stored` if nothing was forgotten.
    pub distinct: f64,
    /// What may have been omitted.
    pub omission: Omission,
    /// Bytes read from files.
    pub bytes_read: u64,
    /// Bytes written to files.
    pub bytes_written: u64,
    /// Times that the table on disk was read.
    pub checks: u64,
}

impl BfsStatistics {
    /// Of a store in memory that forgets nothing.
    pub fn of_set(stored: u64, omission: Omission) -> Self {
        BfsStatistics {
            stored,
            held: stored,
            forgotten: 0,
            distinct: stored as f64,
            omission,
            bytes_read: 0,
            bytes_written: 0,
            checks: 0,
        }
    }

    /// Visits of states that had been visited before: exact 0 if nothing was forgotten, an estimate otherwise.
    pub fn revisits(&self) -> f64 {
        (self.stored as f64 - self.distinct).max(0.0)
    }
}

impl BfsStore for ExactStore {
    fn is_exact(&self) -> bool {
        true
    }

    fn insert(&mut self, state: &[u8]) -> Result<bool, Limit> {
        match ExactStore::insert(self, state, None) {
            Visit::New(_) => Ok(true),
            Visit::Seen { .. } => Ok(false),
            Visit::Full => Err(self.limit(0)),
        }
    }

    fn memory(&self) -> usize {
        Store::memory(self)
    }

    fn statistics(&self) -> BfsStatistics {
        BfsStatistics::of_set(self.len() as u64, Omission::NONE)
    }
}

/// The stores that are never asked about a stack: nothing tells them that a state has left it.
macro_rules! lossy_set {
    ($store:ty) => {
        impl BfsStore for $store {
            fn is_exact(&self) -> bool {
                false
            }

            fn insert(&mut self, state: &[u8]) -> Result<bool, Limit> {
                match self.visit(state, TransitionType::Other) {
                    Visit::New(_) => Ok(true),
                    Visit::Seen { .. } => Ok(false),
                    Visit::Full => Err(self.limit(0)),
                }
            }

            fn memory(&self) -> usize {
                Store::memory(self)
            }

            fn statistics(&self) -> BfsStatistics {
                BfsStatistics::of_set(self.len(), self.omission())
            }
        }
    };
}

lossy_set!(CompactStore);
lossy_set!(BloomStore);
