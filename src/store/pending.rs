//! The table in memory of the disk search (M of Stern and Dill 1998): states met since the last look at the table on
//! disk, in the order in which they were met, and behind them as many known ones as there is room for.
//!
//! Different from the paper, states stay after they were judged, as known ones, until their room is needed: by the
//! locality of transitions they are the ones most likely to be met again, and each of them that is recognized here is
//! not queued and not looked up on disk.

use super::compact::scale;
use super::signature::mix;
use super::{ExactStore, Handle, Store, Visit, try_zeroed};
use crate::model::TransitionType;
use crate::search::outcome::Limit;

/// Slots of the index per entry, 4/3: probing stays short at load 0.75. (An M that is probed when crowded to the end is
/// many times slower.)
const SLOTS_PER_ENTRY: (usize, usize) = (4, 3);
/// Bytes per entry of all parts of a [`SignatureSet`], rounded up: 8 signature, 5.4 index, 2 filter, 0.2 marks.
const ENTRY_BYTES: usize = 16;
/// The fewest entries: a smaller table would be judged at every step.
const LEAST_ENTRIES: usize = 64;

/// The answer to an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Inserted {
    New,
    Seen,
    Full,
}

/// Bits by the lowest digits of signatures, for the states that wait to be judged: most records of the table on disk are
/// dismissed by one look at it.
#[derive(Debug)]
struct Filter {
    words: Vec<u64>,
}

impl Filter {
    fn new(entries: usize) -> Option<Self> {
        // 8 to 16 bits per entry: at least 8 of 9 strangers are dismissed.
        Some(Filter { words: try_zeroed((entries * 8).next_power_of_two().max(64) / 64)? })
    }

    #[inline]
    fn place(&self, signature: u64) -> (usize, u64) {
        // The number of words is a power of two.
        ((signature >> 6) as usize & (self.words.len() - 1), 1 << (signature % 64))
    }

    fn add(&mut self, signature: u64) {
        let (word, mask) = self.place(signature);
        self.words[word] |= mask;
    }

    #[inline]
    fn may_have(&self, signature: u64) -> bool {
        let (word, mask) = self.place(signature);
        self.words[word] & mask != 0
    }
}

/// M with signatures.
#[derive(Debug)]
pub(super) struct SignatureSet {
    entries: Vec<u64>,
    /// Index of an entry + 1; 0 is empty.
    index: Vec<u32>,
    /// Entries from here on wait to be judged.
    waiting: usize,
    /// By entry: found on disk.
    old: Vec<u64>,
    filter: Filter,
    capacity: usize,
}

impl SignatureSet {
    pub fn new(bytes: usize) -> Option<Self> {
        let capacity = (bytes / ENTRY_BYTES).clamp(LEAST_ENTRIES, u32::MAX as usize - 1);
        let mut entries = Vec::new();
        entries.try_reserve_exact(capacity).ok()?;
        Vec::<u32>::new().try_reserve_exact(capacity * SLOTS_PER_ENTRY.0 / SLOTS_PER_ENTRY.1).ok()?;
        Some(SignatureSet {
            entries,
            index: vec![0; capacity * SLOTS_PER_ENTRY.0 / SLOTS_PER_ENTRY.1],
            waiting: 0,
            old: try_zeroed(capacity.div_ceil(64))?,
            filter: Filter::new(capacity)?,
            capacity,
        })
    }

    fn memory(&self) -> usize {
        (self.entries.capacity() + self.old.capacity() + self.filter.words.capacity()) * size_of::<u64>()
            + self.index.capacity() * size_of::<u32>()
    }

    /// The entry of a signature, or the empty slot of the index where it would go.
    #[inline]
    fn find(&self, signature: u64) -> Result<usize, usize> {
        let mut slot = scale(mix(signature), self.index.len() as u64) as usize;
        loop {
            match self.index[slot] {
                0 => return Err(slot),
                entry if self.entries[entry as usize - 1] == signature => return Ok(entry as usize - 1),
                _ => slot = if slot + 1 == self.index.len() { 0 } else { slot + 1 },
            }
        }
    }

    fn insert(&mut self, signature: u64) -> Inserted {
        let Err(slot) = self.find(signature) else { return Inserted::Seen };
        if self.entries.len() == self.capacity {
            return Inserted::Full;
        }
        self.entries.push(signature);
        self.index[slot] = self.entries.len() as u32;
        self.filter.add(signature);
        Inserted::New
    }

    #[inline]
    fn found_on_disk(&mut self, signature: u64) -> bool {
        if !self.filter.may_have(signature) {
            return false;
        }
        match self.find(signature) {
            Ok(entry) if entry >= self.waiting => {
                let (word, mask) = (entry / 64, 1 << (entry % 64));
                let first = self.old[word] & mask == 0;
                self.old[word] |= mask;
                first
            }
            _ => false,
        }
    }

    fn is_old(&self, entry: usize) -> bool {
        self.old[entry / 64] & 1 << (entry % 64) != 0
    }

    /// Forgets all but the newest half (which waits, or is known and most likely to be met again).
    fn shrink(&mut self) {
        let first = self.entries.len() - self.capacity / 2;
        self.entries.drain(..first);
        self.waiting = self.waiting.saturating_sub(first);
        self.index.fill(0);
        for entry in 0..self.entries.len() {
            if let Err(slot) = self.find(self.entries[entry]) {
                self.index[slot] = entry as u32 + 1;
            }
        }
    }
}

/// M with whole states: an exact store whose marks say "waits to be judged". The order of its arena is the order of the
/// queue.
#[derive(Debug)]
pub(super) struct StateSet {
    store: ExactStore,
    seed: u64,
    budget: usize,
    first: Option<Handle>,
    waiting: usize,
    filter: Filter,
}

impl StateSet {
    pub fn new(bytes: usize, seed: u64) -> Option<Self> {
        // A state and its table take about 64 bytes at the least; the filter is counted.
        let entries = bytes / 64;
        let budget = bytes.saturating_sub(entries * 2);
        Some(StateSet {
            store: ExactStore::with_budget(seed, budget),
            seed,
            budget,
            first: None,
            waiting: 0,
            filter: Filter::new(entries)?,
        })
    }

    fn insert(&mut self, signature: u64, state: &[u8]) -> Inserted {
        match self.store.visit(state, TransitionType::Other) {
            Visit::Seen { .. } => Inserted::Seen,
            Visit::Full => Inserted::Full,
            Visit::New(handle) => {
                self.first.get_or_insert(handle);
                self.waiting += 1;
                self.filter.add(signature);
                Inserted::New
            }
        }
    }

    fn found_on_disk(&mut self, signature: u64, state: &[u8]) -> bool {
        use super::FindStore;
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
}

/// M. See the head of this file.
#[derive(Debug)]
pub(super) enum Pending {
    Signatures(SignatureSet),
    States(StateSet),
}

impl Pending {
    pub fn memory(&self) -> usize {
        match self {
            Pending::Signatures(set) => set.memory(),
            Pending::States(set) => set.store.memory() + set.filter.words.capacity() * size_of::<u64>(),
        }
    }

    /// How many wait to be judged.
    pub fn waiting(&self) -> usize {
        match self {
            Pending::Signatures(set) => set.entries.len() - set.waiting,
            Pending::States(set) => set.waiting,
        }
    }

    #[inline]
    pub fn insert(&mut self, signature: u64, state: &[u8]) -> Inserted {
        match self {
            Pending::Signatures(set) => set.insert(signature),
            Pending::States(set) => set.insert(signature, state),
        }
    }

    /// A record of the table on disk: if such a state waits, it is old. Says whether one did.
    #[inline]
    pub fn found_on_disk(&mut self, signature: u64, state: &[u8]) -> bool {
        match self {
            Pending::Signatures(set) => set.found_on_disk(signature),
            Pending::States(set) => set.found_on_disk(signature, state),
        }
    }

    /// The table is full: must what waits be judged before there can be room?
    pub fn must_judge(&self) -> bool {
        match self {
            Pending::Signatures(set) => self.waiting() > set.capacity / 2,
            Pending::States(set) => set.waiting > 0,
        }
    }

    /// Makes room by forgetting known states; those that wait stay.
    pub fn shrink(&mut self) {
        match self {
            Pending::Signatures(set) => set.shrink(),
            Pending::States(set) => set.store = ExactStore::with_budget(set.seed, set.budget),
        }
    }

    /// Goes over all, in order: signature or state, and whether it waits. For a checkpoint.
    pub fn each(&self, mut f: impl FnMut(u64, &[u8], bool) -> Result<(), Limit>) -> Result<(), Limit> {
        match self {
            Pending::Signatures(set) => {
                let all = set.entries.iter().enumerate();
                all.into_iter().try_for_each(|(entry, &signature)| f(signature, &[], entry >= set.waiting))
            }
            Pending::States(set) => {
                let (mut next, mut waits) = (set.store.first(), false);
                while let Some(handle) = next {
                    waits |= set.first == Some(handle);
                    f(0, set.store.get(handle), waits)?;
                    next = set.store.next(handle);
                }
                Ok(())
            }
        }
    }

    /// What was put in last is known already. For a checkpoint, in which those that wait come last.
    pub fn know_last(&mut self) {
        match self {
            Pending::Signatures(set) => set.waiting = set.entries.len(),
            Pending::States(set) => {
                if let Some(handle) = set.first.take() {
                    set.store.leave(handle);
                    set.waiting = 0;
                }
            }
        }
    }

    /// Goes over what waits, in order, and says of each whether it was not found on disk. Then nothing waits.
    pub fn judge<E>(&mut self, mut f: impl FnMut(u64, &[u8], bool) -> Result<(), E>) -> Result<(), E> {
        match self {
            Pending::Signatures(set) => {
                for entry in set.waiting..set.entries.len() {
                    f(set.entries[entry], &[], !set.is_old(entry))?;
                }
                set.waiting = set.entries.len();
                set.old.fill(0);
                set.filter.words.fill(0);
            }
            Pending::States(set) => {
                let mut next = set.first.take();
                while let Some(handle) = next {
                    use super::FindStore;
                    let state = FindStore::get(&set.store, handle);
                    let is_new = set.store.find(state).is_some_and(|(_, waits)| waits);
                    f(0, state, is_new)?;
                    next = set.store.next(handle);
                    set.store.leave(handle);
                }
                set.waiting = 0;
                set.filter.words.fill(0);
            }
        }
        Ok(())
    }
}
