//! The table in memory of the disk search where whole states are kept.

use super::{Filter, Inserted, OTHER_PLACES, ROOMY};
use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::parts::signature::Signatures;
use crate::store::{ExactStore, FindStore, Handle, Store, Visit};

/// M with whole states: an exact store whose marks say "waits to be judged". The order of its arena is the order of the
/// queue.
#[derive(Debug)]
pub(in crate::store) struct StateSet {
    pub(super) store: ExactStore,
    seed: u64,
    budget: usize,
    /// Bytes that it may take.
    pub(super) bytes: usize,
    /// The first that waits.
    first: Option<Handle>,
    /// How many wait.
    pub(super) waiting: usize,
    filter: Filter,
}

impl StateSet {
    pub(in crate::store) fn new(bytes: usize, seed: u64) -> Option<Self> {
        Self::of_places(bytes, seed ^ OTHER_PLACES)
    }

    /// An empty one with this seed of its places.
    fn of_places(bytes: usize, seed: u64) -> Option<Self> {
        // A state and its table take about 64 bytes at the least; the filter is counted.
        let entries = bytes / 64;
        let budget = bytes.saturating_sub(entries * 2);
        Some(StateSet {
            store: ExactStore::with_budget(seed, budget),
            seed,
            budget,
            bytes,
            first: None,
            waiting: 0,
            filter: Filter::new(entries)?,
        })
    }

    pub(super) fn insert(&mut self, state: &[u8]) -> Inserted {
        match self.store.visit(state, TransitionType::Other) {
            Visit::Seen { .. } => Inserted::Seen,
            Visit::Full => Inserted::Full,
            Visit::New(handle) => {
                self.first.get_or_insert(handle);
                self.waiting += 1;
                Inserted::New
            }
        }
    }

    /// The states that wait, in order.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (Handle, &[u8])> {
        let handles = std::iter::successors(self.first, |&handle| self.store.next(handle));
        handles.map(|handle| (handle, self.store.get(handle)))
    }

    /// The filter is for what waits now.
    pub(super) fn begin_check(&mut self, signatures: &Signatures) {
        let mut filter = std::mem::take(&mut self.filter);
        filter.begin(self.waiting * ROOMY);
        self.waiting().for_each(|(_, state)| filter.add(signatures.of(state)));
        self.filter = filter;
    }

    pub(super) fn found_on_disk(&mut self, signature: u64, state: &[u8]) -> bool {
        if !self.filter.may_have(signature) {
            return false;
        }
        match self.store.find(state) {
            Some((handle, true)) => {
                self.store.leave(handle);
                true
            }
            _ => false,
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.store.memory() + self.filter.words.capacity() * size_of::<u64>()
    }

    /// Becomes an empty one that may take so many bytes.
    pub(super) fn set_bytes(&mut self, bytes: usize) -> Option<()> {
        *self = Self::of_places(bytes, self.seed)?;
        Some(())
    }

    /// Forgets everything. Nothing waits.
    pub(super) fn forget(&mut self) {
        self.store = ExactStore::with_budget(self.seed, self.budget);
    }

    /// What was put in last is known already.
    pub(super) fn know_last(&mut self) {
        if let Some(handle) = self.first.take() {
            self.store.leave(handle);
            self.waiting = 0;
        }
    }

    /// Goes over all, in order: the state, and whether it waits.
    pub(super) fn each(&self, mut f: impl FnMut(&[u8], bool) -> Result<(), Limit>) -> Result<(), Limit> {
        let (mut next, mut waits) = (self.store.first(), false);
        while let Some(handle) = next {
            waits |= self.first == Some(handle);
            f(self.store.get(handle), waits)?;
            next = self.store.next(handle);
        }
        Ok(())
    }

    /// Goes over what waits, in order, and says of each whether it was not found on disk. Then nothing waits.
    pub(super) fn judge<E>(&mut self, mut f: impl FnMut(&[u8], bool) -> Result<(), E>) -> Result<(), E> {
        let mut next = self.first.take();
        while let Some(handle) = next {
            f(self.store.get(handle), self.store.is_on_stack(handle))?;
            next = self.store.next(handle);
            self.store.leave(handle);
        }
        self.waiting = 0;
        Ok(())
    }
}
