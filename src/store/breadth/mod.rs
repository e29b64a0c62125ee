//! What a breadth-first search with a queue asks of its visited states, the stores that answer, and the queue and the links
//! that lie beside the store. The search expands a state when it comes out of the queue, so a store may answer late: a state
//! that was queued as new can still be found to be old.

pub mod adopt;
pub mod cache;
pub mod disk;
pub mod forgetting;
pub mod groups;
pub mod hub;
pub mod links;
pub(in crate::store) mod pending;
pub mod queue;
pub mod representation;
pub mod whole;
pub mod work_dir;

use crate::checkpoint::Save;
use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::lossy::omission::Omission;
use crate::store::{Handle, Store, Visit};

/// A set of visited states for breadth-first search. The search keeps the queue; it offers every state it meets, and
/// queues those that the store takes for new.
pub trait BfsStore: Save {
    /// "Verified" may be said with this store: it never takes a new state for a visited one.
    fn is_exact(&self) -> bool;

    /// Looks the state up and inserts it if it is not there. `true`: it is new and goes into the queue (with a disk
    /// store, if [`confirm`](Self::confirm) says so when it comes out again).
    fn insert(&mut self, state: &[u8]) -> Result<bool, Limit>;

    /// Does it pay to tell the store of several states before the first of them is inserted?
    const FORESEES: bool = false;

    /// A state will be inserted soon: the memory that this needs may be asked for now. Gives what
    /// [`insert_foreseen`](Self::insert_foreseen) wants to know of it.
    #[inline]
    fn foresee(&mut self, _state: &[u8]) -> u64 {
        0
    }

    /// As [`insert`](Self::insert), for a state that was foreseen.
    #[inline]
    fn insert_foreseen(&mut self, state: &[u8], _foreseen: u64) -> Result<bool, Limit> {
        self.insert(state)
    }

    /// What [`foresee`](Self::foresee) gives is a name, from which the store can make the state again once it is there: the queue
    /// then holds names.
    const NAMES: bool = false;

    /// Adds the state with this name to what is in a buffer. Its successors are offered next.
    fn recall(&mut self, _name: u64, _to: &mut Vec<u8>) {}

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

    /// Takes over what another store knew of a visited state: its signature, or the state if it was kept. States that make
    /// room for it do not count as forgotten; a cache does not count it as stored either.
    fn adopt(&mut self, _signature: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        self.insert_adopted(state)
    }

    /// Inserts a state that is taken over, for stores that need the state itself.
    fn insert_adopted(&mut self, state: Option<&[u8]>) -> Result<(), Limit> {
        match state {
            Some(state) => self.insert(state).map(|_| ()),
            None => Err(Limit::File("a signature alone cannot go into this store".to_string())),
        }
    }

    /// The next so many states that come out of the queue were confirmed by another store.
    fn trust(&mut self, _states: u64) {}
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

/// A store of depth-first search that can be saved serves a breadth-first search as well. That search never asks about a
/// stack, so the store is not told when a state leaves one.
impl<S: Store + Save> BfsStore for S {
    fn is_exact(&self) -> bool {
        S::EXACT
    }

    #[inline]
    fn insert(&mut self, state: &[u8]) -> Result<bool, Limit> {
        match self.visit(state, TransitionType::Other) {
            Visit::New(_) => Ok(true),
            Visit::Seen { .. } => Ok(false),
            Visit::Full => Err(self.limit(0)),
        }
    }

    const FORESEES: bool = <S as Store>::FORESEES;
    const NAMES: bool = <S as Store>::NAMES;

    fn recall(&mut self, name: u64, to: &mut Vec<u8>) {
        self.go_to(Handle(name), to);
    }

    #[inline]
    fn foresee(&mut self, state: &[u8]) -> u64 {
        Store::foresee(self, state)
    }

    #[inline]
    fn insert_foreseen(&mut self, state: &[u8], foreseen: u64) -> Result<bool, Limit> {
        match self.visit_foreseen(state, foreseen, TransitionType::Other) {
            Visit::New(_) => Ok(true),
            Visit::Seen { .. } => Ok(false),
            Visit::Full => Err(self.limit(0)),
        }
    }

    fn memory(&self) -> usize {
        Store::memory(self)
    }

    fn statistics(&self) -> BfsStatistics {
        let statistics = Store::statistics(self);
        let (probability, coverage) = (statistics.omission_probability, statistics.coverage);
        BfsStatistics::of_set(statistics.stored, Omission { probability, coverage })
    }
}
