//! The table in memory of the disk search (M of Stern and Dill 1998): the states met since the last look at the table on
//! disk, in the order in which they were met, and before them as many known states as there is room for.
//!
//! Different from the paper, states stay in M after they were judged, as known states, until their room is needed: by the
//! locality of transitions they are the ones most likely to be met again, and each of them that is recognized here is
//! neither queued nor looked up on disk.
//!
//! As long as M has dropped nothing it knows every state of the table on disk, and what waits is new: then nothing is read, however
//! many levels there are. So M grows, within its budget, as long as that saves reading; later only for levels that need it.
//!
//! Sound: a state that waits is never dropped from M before it is judged, and a known state that is dropped is found on disk.
//!
//! Cost: 16 bytes per signature; a whole state as in the exact store, and 2 bytes.

mod states;

pub(in crate::store) use states::StateSet;

use crate::limit::Limit;
use crate::store::parts::hash::scale;
use crate::store::parts::hints::prefetch;
use crate::store::parts::signature::{Signatures, mix};
use crate::store::parts::zeroed::try_zeroed;
use crate::store::{Handle, Store};

/// Slots of the index per entry, 4/3: probing stays short at load 0.75. (An M that is probed when crowded to the end is
/// many times slower.)
const SLOTS_PER_ENTRY: (usize, usize) = (4, 3);
/// Bytes per entry of all parts of a [`SignatureSet`], rounded up: 8 signature, 5.4 index, 2 filter, 0.2 marks.
pub(in crate::store) const ENTRY_BYTES: usize = 16;
/// The fewest entries: a smaller table would be judged at every step.
const LEAST_ENTRIES: usize = 64;

/// Where few states wait the filter is so many times as large as it has to be: fewer strangers pass, and it stays in the processor's cache all the same.
const ROOMY: usize = 8;

/// Entries at the beginning: 2 MiB, which the processor's cache holds. Once M has forgotten states it grows only for levels that need it: a
/// larger one than that knows more states, but every look at it waits for memory, and that costs more than it saves.
const FIRST_ENTRIES: usize = 1 << 17;

/// One that waits and may be in the table on disk.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Suspect {
    /// Its signature.
    pub(in crate::store) signature: u64,
    /// Where it is in M.
    handle: Handle,
}

/// The answer to an insertion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::store) enum Inserted {
    New,
    Seen,
    Full,
}

/// Bits by digits of signatures, for the states that wait to be judged: most records of the table on disk are
/// dismissed by one look at it.
#[derive(Debug, Default)]
struct Filter {
    words: Vec<u64>,
    /// Words in use, a power of two, less 1.
    mask: usize,
}

impl Filter {
    fn new(entries: usize) -> Option<Self> {
        // 8 to 16 bits per entry, of which each sets two in one word: 18 of 19 to 59 of 60 strangers are dismissed (fewer
        // with signatures of less than 58 bits, whose second bit is always the same).
        let words = try_zeroed((entries * 8).next_power_of_two().max(64) / 64)?;
        let mask = words.len() - 1;
        Some(Filter { words, mask })
    }

    /// Empties the filter and makes it as large as so many entries need: a level with few states then has a filter that stays
    /// in the processor's cache, however large M is.
    fn begin(&mut self, entries: usize) {
        let words = ((entries * 8).next_power_of_two().max(64) / 64).min(self.words.len());
        self.mask = words - 1;
        self.words[..words].fill(0);
    }

    #[inline]
    fn place(&self, signature: u64) -> (usize, u64) {
        ((signature >> 6) as usize & self.mask, 1 << (signature % 64) | 1 << (signature >> 58))
    }

    fn add(&mut self, signature: u64) {
        let (word, mask) = self.place(signature);
        self.words[word] |= mask;
    }

    #[inline]
    fn may_have(&self, signature: u64) -> bool {
        let (word, mask) = self.place(signature);
        self.words[word] & mask == mask
    }
}

/// M with signatures.
#[derive(Debug)]
pub(in crate::store) struct SignatureSet {
    entries: Vec<u64>,
    /// Number of an entry + 1 in the lower bits, a part of its hash in the others; 0 is empty. Most entries that are not looked for are dismissed by
    /// their hash, without a look at them.
    index: Vec<u32>,
    /// The bits of the number.
    number: u32,
    /// Entries from here on wait to be judged.
    waiting: usize,
    /// By entry: found on disk.
    old: Vec<u64>,
    filter: Filter,
    /// Entries for now, and at the most.
    capacity: usize,
    most: usize,
}

/// Slots of the index for so many entries.
fn slots_for(entries: usize) -> usize {
    entries * SLOTS_PER_ENTRY.0 / SLOTS_PER_ENTRY.1
}

/// Makes the places of states in M others than in the cache that hands them over, in the order of its places: a table that grows would have all of
/// them at its beginning.
const OTHER_PLACES: u64 = 0x94D0_49BB_1331_11EB;

/// Spreads a signature over 64 bits.
#[inline]
fn spread(signature: u64) -> u64 {
    mix(signature ^ OTHER_PLACES)
}

/// The bits of an index word that hold numbers up to this one.
fn number_bits(most: usize) -> u32 {
    u32::MAX.checked_shr((most as u32).leading_zeros()).unwrap_or(0)
}

impl SignatureSet {
    pub(in crate::store) fn new(bytes: usize) -> Option<Self> {
        let most = (bytes / ENTRY_BYTES).clamp(LEAST_ENTRIES, u32::MAX as usize - 1);
        // All that may be needed is asked for now; what is not used costs nothing.
        let mut entries = Vec::new();
        entries.try_reserve_exact(most).ok()?;
        let mut index = Vec::new();
        index.try_reserve_exact(slots_for(most)).ok()?;
        let capacity = most.min(FIRST_ENTRIES);
        index.resize(slots_for(capacity), 0);
        Some(SignatureSet {
            entries,
            index,
            number: number_bits(most),
            waiting: 0,
            old: try_zeroed(most.div_ceil(64))?,
            filter: Filter::new(most)?,
            capacity,
            most,
        })
    }

    fn memory(&self) -> usize {
        (self.entries.capacity() + self.old.capacity() + self.filter.words.capacity()) * size_of::<u64>()
            + self.index.capacity() * size_of::<u32>()
    }

    /// The entry of a signature, or the empty slot of the index where it would go.
    #[inline]
    fn find(&self, signature: u64) -> Result<usize, usize> {
        let hash = spread(signature);
        let mut slot = scale(hash, self.index.len() as u64) as usize;
        loop {
            let word = self.index[slot];
            if word == 0 {
                return Err(slot);
            }
            if (word ^ hash as u32) & !self.number == 0 {
                let entry = (word & self.number) as usize - 1;
                if self.entries[entry] == signature {
                    return Ok(entry);
                }
            }
            slot = if slot + 1 == self.index.len() { 0 } else { slot + 1 };
        }
    }

    /// Asks for the memory that a look-up of this signature will need first.
    #[inline]
    fn prefetch(&self, signature: u64) {
        prefetch(&self.index, scale(spread(signature), self.index.len() as u64) as usize);
    }

    /// Puts an entry into the index.
    #[inline]
    fn set_index(&mut self, slot: usize, entry: usize) {
        self.index[slot] = (entry as u32 + 1) | spread(self.entries[entry]) as u32 & !self.number;
    }

    fn insert(&mut self, signature: u64) -> Inserted {
        let Err(slot) = self.find(signature) else { return Inserted::Seen };
        if self.entries.len() == self.capacity {
            return Inserted::Full;
        }
        self.entries.push(signature);
        self.set_index(slot, self.entries.len() - 1);
        Inserted::New
    }

    /// The filter is for what waits now.
    fn begin_check(&mut self) {
        self.filter.begin((self.entries.len() - self.waiting) * ROOMY);
        for &signature in &self.entries[self.waiting..] {
            self.filter.add(signature);
        }
    }

    #[inline]
    pub(in crate::store) fn found_on_disk(&mut self, signature: u64) -> bool {
        self.filter.may_have(signature) && self.mark_old(signature)
    }

    #[inline(never)]
    fn mark_old(&mut self, signature: u64) -> bool {
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

    /// Most of the entries wait: the level is too large for M as it is.
    fn crowded(&self) -> bool {
        self.entries.len() - self.waiting > self.capacity / 2
    }

    /// Grows if it may, and most entries wait or nothing was forgotten yet (`whole`); else forgets all but the newest half (which waits,
    /// or is known and most likely to be met again).
    fn make_room(&mut self, whole: bool) {
        if (whole || self.crowded()) && self.capacity < self.most {
            return self.resize(self.capacity * 2);
        }
        let first = self.entries.len().saturating_sub(self.capacity / 2);
        self.entries.drain(..first);
        self.waiting = self.waiting.saturating_sub(first);
        self.index.fill(0);
        self.fill_index();
    }

    fn resize(&mut self, capacity: usize) {
        self.capacity = capacity.clamp(self.entries.len(), self.most);
        self.index.clear();
        self.index.resize(slots_for(self.capacity), 0);
        self.fill_index();
    }

    fn fill_index(&mut self) {
        for entry in 0..self.entries.len() {
            if let Err(slot) = self.find(self.entries[entry]) {
                self.set_index(slot, entry);
            }
        }
    }

    /// Of the entries, the oldest, which [`make_room`](Self::make_room) will forget; their order does not matter any more.
    fn dropped(&mut self, whole: bool) -> &mut [u64] {
        let grows = (whole || self.crowded()) && self.capacity < self.most;
        let first = if grows { 0 } else { self.entries.len().saturating_sub(self.capacity / 2) };
        &mut self.entries[..first]
    }

    /// Becomes a set for at most so many entries: of them the newest stay, of which none may wait if there are more. `None` if there is no room.
    fn set_most(&mut self, most: usize) -> Option<()> {
        let most = most.max(LEAST_ENTRIES);
        let first = self.entries.len().saturating_sub(most / 2);
        self.entries.drain(..if self.entries.len() > most { first } else { 0 });
        self.waiting = self.waiting.min(self.entries.len());
        self.index = Vec::new();
        self.old = Vec::new();
        self.filter = Filter::default();
        self.entries.shrink_to(most);
        self.entries.try_reserve_exact(most - self.entries.len()).ok()?;
        self.index.try_reserve_exact(slots_for(most)).ok()?;
        self.old = try_zeroed(most.div_ceil(64))?;
        self.filter = Filter::new(most)?;
        (self.most, self.number) = (most, number_bits(most));
        self.resize(self.capacity.min(most));
        Some(())
    }
}

/// M. See the head of this file.
#[derive(Debug)]
pub(in crate::store) enum Pending {
    Signatures(SignatureSet),
    States(StateSet),
}

impl Pending {
    pub(in crate::store) fn memory(&self) -> usize {
        match self {
            Pending::Signatures(set) => set.memory(),
            Pending::States(set) => set.memory(),
        }
    }

    /// How many wait to be judged.
    pub(in crate::store) fn waiting(&self) -> usize {
        match self {
            Pending::Signatures(set) => set.entries.len() - set.waiting,
            Pending::States(set) => set.waiting,
        }
    }

    #[inline]
    pub(in crate::store) fn insert(&mut self, signature: u64, state: &[u8]) -> Inserted {
        match self {
            Pending::Signatures(set) => set.insert(signature),
            Pending::States(set) => set.insert(state),
        }
    }

    /// The state will be inserted soon: asks for the memory that this will need.
    #[inline]
    pub(in crate::store) fn foresee(&self, signature: u64, state: &[u8]) {
        match self {
            Pending::Signatures(set) => set.prefetch(signature),
            Pending::States(set) => set.store.prefetch(set.store.hash(state)),
        }
    }

    /// The signatures that the next call of [`make_room`](Self::make_room) will forget.
    pub(in crate::store) fn dropped(&mut self, whole: bool) -> &mut [u64] {
        match self {
            Pending::Signatures(set) => set.dropped(whole),
            Pending::States(_) => &mut [],
        }
    }

    /// Of those that wait and were not found on disk yet the first so many whose signatures may be there.
    pub(in crate::store) fn suspects(
        &self,
        signatures: &Signatures,
        most: usize,
        may_be_there: impl Fn(u64) -> bool,
    ) -> Vec<Suspect> {
        let suspect = |(handle, signature)| Suspect { signature, handle };
        let suspected = |suspect: &Suspect| may_be_there(suspect.signature);
        match self {
            Pending::Signatures(set) => {
                let waiting = (set.waiting..set.entries.len()).map(|entry| (Handle(entry as u64), set.entries[entry]));
                let open = |suspect: &Suspect| !set.is_old(suspect.handle.0 as usize);
                waiting.map(suspect).filter(suspected).filter(open).take(most).collect()
            }
            Pending::States(set) => {
                let waiting = set.waiting().map(|(handle, state)| (handle, signatures.of(state)));
                let open = |suspect: &Suspect| set.store.is_on_stack(suspect.handle);
                waiting.map(suspect).filter(suspected).filter(open).take(most).collect()
            }
        }
    }

    /// The state of one that waits, if states are kept.
    pub(in crate::store) fn state_of(&self, suspect: &Suspect) -> &[u8] {
        match self {
            Pending::Signatures(_) => &[],
            Pending::States(set) => set.store.get(suspect.handle),
        }
    }

    /// One that waits is in the table on disk.
    pub(in crate::store) fn mark_old(&mut self, suspect: &Suspect) {
        match self {
            Pending::Signatures(set) => {
                set.mark_old(suspect.signature);
            }
            Pending::States(set) => set.store.leave(suspect.handle),
        }
    }

    /// Bytes that it may take.
    pub(in crate::store) fn bytes(&self) -> usize {
        match self {
            Pending::Signatures(set) => set.most * ENTRY_BYTES,
            Pending::States(set) => set.bytes,
        }
    }

    /// Lets it take so many bytes, while nothing waits. Of signatures the newest stay, of whole states none. `None` if there is no room.
    pub(in crate::store) fn set_bytes(&mut self, bytes: usize) -> Option<()> {
        match self {
            Pending::Signatures(set) => set.set_most(bytes / ENTRY_BYTES),
            Pending::States(set) => set.set_bytes(bytes),
        }
    }

    /// Records of the table on disk are about to come.
    pub(in crate::store) fn begin_check(&mut self, signatures: &Signatures) {
        match self {
            Pending::Signatures(set) => set.begin_check(),
            Pending::States(set) => set.begin_check(signatures),
        }
    }

    /// A record of the table on disk: if such a state waits, it is old. Says whether one did.
    #[inline]
    pub(in crate::store) fn found_on_disk(&mut self, signature: u64, state: &[u8]) -> bool {
        match self {
            Pending::Signatures(set) => set.found_on_disk(signature),
            Pending::States(set) => set.found_on_disk(signature, state),
        }
    }

    /// The table is full: must what waits be judged before there can be room?
    pub(in crate::store) fn must_judge(&self) -> bool {
        match self {
            Pending::Signatures(set) => set.crowded() && set.capacity == set.most,
            Pending::States(set) => set.waiting > 0,
        }
    }

    /// Entries that M is made for now: part of a checkpoint, since what is forgotten when depends on it. 0: does not matter.
    pub(in crate::store) fn capacity(&self) -> usize {
        match self {
            Pending::Signatures(set) => set.capacity,
            Pending::States(_) => 0,
        }
    }

    /// Makes an M that was just made as large as another one was, if there is memory.
    pub(in crate::store) fn set_capacity(&mut self, capacity: usize) {
        if let Pending::Signatures(set) = self {
            set.resize(capacity.max(LEAST_ENTRIES));
        }
    }

    /// How many are known.
    pub(in crate::store) fn known(&self) -> usize {
        match self {
            Pending::Signatures(set) => set.waiting,
            Pending::States(set) => set.store.len() - set.waiting,
        }
    }

    /// A state that is in the table on disk, told while nothing waits; kept while there is room. Is it known now?
    pub(in crate::store) fn know(&mut self, signature: u64, state: &[u8]) -> bool {
        let mut answer = self.insert(signature, state);
        if let (Inserted::Full, Pending::Signatures(set)) = (answer, &mut *self)
            && set.capacity < set.most
        {
            set.make_room(true);
            answer = set.insert(signature);
        }
        if answer == Inserted::New {
            self.know_last();
        }
        answer != Inserted::Full
    }

    /// Makes room, by growing or by forgetting known states; those that wait stay. `whole`: nothing was forgotten yet, and as long as that
    /// holds the table on disk need not be read.
    pub(in crate::store) fn make_room(&mut self, whole: bool) {
        match self {
            Pending::Signatures(set) => set.make_room(whole),
            Pending::States(set) => set.forget(),
        }
    }

    /// Goes over all, in order: signature or state, and whether it waits. For a checkpoint.
    pub(in crate::store) fn each(&self, mut f: impl FnMut(u64, &[u8], bool) -> Result<(), Limit>) -> Result<(), Limit> {
        match self {
            Pending::Signatures(set) => {
                let all = set.entries.iter().enumerate();
                all.into_iter().try_for_each(|(entry, &signature)| f(signature, &[], entry >= set.waiting))
            }
            Pending::States(set) => set.each(|state, waits| f(0, state, waits)),
        }
    }

    /// What was put in last is known already. For a checkpoint, in which those that wait come last.
    pub(in crate::store) fn know_last(&mut self) {
        match self {
            Pending::Signatures(set) => set.waiting = set.entries.len(),
            Pending::States(set) => set.know_last(),
        }
    }

    /// Goes over what waits, in order, and says of each whether it was not found on disk. Then nothing waits.
    pub(in crate::store) fn judge<E>(&mut self, mut f: impl FnMut(u64, &[u8], bool) -> Result<(), E>) -> Result<(), E> {
        match self {
            Pending::Signatures(set) => {
                for entry in set.waiting..set.entries.len() {
                    f(set.entries[entry], &[], !set.is_old(entry))?;
                }
                // Only what waited can have been marked.
                set.old[set.waiting / 64..set.entries.len().div_ceil(64)].fill(0);
                set.waiting = set.entries.len();
            }
            Pending::States(set) => set.judge(|state, is_new| f(0, state, is_new))?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
