//! When what waits is looked up rather than compared with all of D. See the head of `index.rs`.
//!
//! What D says of a state is known without reading all of D if the index and M together know all of D. With signatures the index is told what M
//! forgets. With whole states it is told where each record is, in the order of D, and of what it was not told yet nothing was forgotten by M:
//! so a state that waits, and is therefore not in M, is nowhere but where the index says. The filter of the index leaves few states to be looked
//! up, and of each of them the records with its signature are read, nearly always one, and compared.
//!
//! When that pays is counted in units, so that the same command does the same on any machine.

use super::index::Index;
use super::{DiskStore, Window};
use crate::limit::Limit;
use crate::store::breadth::pending::{ENTRY_BYTES, Suspect};
use crate::store::breadth::representation::Representation;

/// What things cost, in units of looking at 8 bytes of D that go by, about: looking for a signature in a run of the index, or reading the record
/// of a state,
const LOOK_UP: f64 = 800.0;
/// asking its filter,
const ASK: f64 = 10.0;
/// putting a record into it, without a place or with one (which is twice as long, and fewer of which make a run).
const PUT: (f64, f64) = (60.0, 200.0);
/// Runs that an index is expected to have, and the share of new signatures that pass its filter.
const EXPECTED: (f64, f64) = (5.0, 0.01);
/// M and the filter of the index share the memory: at least so many parts of eight stay with M.
const STAY: usize = 2;
/// The index is begun with at least so many bits of its filter for each record, and given up with fewer than so many.
const FILTER_BITS: (u64, u64) = (12, 5);
/// A state takes more room in M than a signature. So where whole states are kept the filter is made for so many bits for each record, and made
/// larger when there are fewer than so many.
const BITS_BESIDE_STATES: (u64, u64) = (32, 12);
/// With less room than this for M there is no index of signatures, and with less than the other one none of whole states.
const LEAST_INDEXED: (usize, usize) = (4096 * ENTRY_BYTES, 4096 * ENTRY_BYTES * 4);
/// Bytes of an entry that the index will be told.
const TOLD: usize = 16;

impl DiskStore {
    fn keeps_states(&self) -> bool {
        self.options.representation == Representation::States
    }

    /// What it costs to read D, in units.
    fn reading(&self) -> f64 {
        if self.keeps_states() { self.table.bytes() as f64 / 8.0 } else { self.table.records as f64 }
    }

    /// What it costs to put all of D into an index.
    fn put_all(&self) -> f64 {
        let put = if self.keeps_states() { PUT.1 } else { PUT.0 };
        self.table.records as f64 * put
    }

    /// Looks up what waits and was not found yet, if there is an index and that is cheaper than to read this share of D, which was not read yet:
    /// has it been done?
    pub(super) fn ask_index(&mut self, share: f64) -> Result<bool, Limit> {
        let (reading, states) = (self.reading() * share, self.keeps_states());
        let Some(index) = &mut self.index else { return Ok(false) };
        let reads = index.runs().max(1) + usize::from(states);
        let room = self.pending.bytes() / 8 / size_of::<Suspect>();
        let most = (reading / LOOK_UP / reads as f64).min(room as f64);
        let suspects =
            self.pending.suspects(&self.signatures, most as usize + 1, |signature| index.may_hold(signature));
        if suspects.len() as f64 > most {
            return Ok(false);
        }
        let looked_up = (suspects.len() * reads) as f64;
        for suspect in &suspects {
            let (table, buffer, state) = (&mut self.table, &mut self.buffer, self.pending.state_of(suspect));
            if index
                .find(suspect.signature, |place| if states { table.has_at(place, state, buffer) } else { Ok(true) })?
            {
                self.pending.mark_old(suspect);
            }
        }
        self.note_saving(reading, looked_up);
        Ok(true)
    }

    /// D was read for so many states, of which so many were not found: what would an index have saved?
    pub(super) fn note_reading(&mut self, asked: u64, not_found: u64) {
        if self.options.window == Window::Everything {
            let looked_up = (asked - not_found) as f64 + asked as f64 * EXPECTED.1;
            self.note_saving(self.reading(), looked_up * (EXPECTED.0 + f64::from(u8::from(self.keeps_states()))));
        }
    }

    /// Takes down what so many look-ups in runs save, or would have saved, against reading, which costs so much. Not more than what an index costs
    /// twice, so that one which has become useless is soon given up.
    fn note_saving(&mut self, reading: f64, look_ups: f64) {
        let saved = reading - self.pending.waiting() as f64 * ASK - look_ups * LOOK_UP;
        self.book.saving = (self.book.saving + saved).clamp(0.0, 2.0 * self.put_all());
    }

    /// Begins an index when it would have saved what it costs, and gives it up when it saves nothing any more, or for good when its filter is too
    /// full to be of use. Nothing waits.
    pub(super) fn adjust_index(&mut self) -> Result<(), Limit> {
        let records = self.table.records;
        if let Some(index) = &self.index {
            if index.bits() < BITS_BESIDE_STATES.1 * records && self.pending.bytes() > self.room - self.index_bytes() {
                return self.widen_index();
            }
            self.book.outgrown = index.bits() < FILTER_BITS.1 * records;
            if self.book.outgrown || self.book.saving == 0.0 {
                self.index = None;
                self.book.indexed = false;
                self.set_pending(self.room)?;
            }
            return Ok(());
        }
        let bits = (self.most_for_index() * 8) as u64;
        let pays = self.book.saving > self.put_all() && bits >= FILTER_BITS.0 * records;
        if pays && !self.book.outgrown { self.begin_index() } else { Ok(()) }
    }

    /// The most bytes that an index may have,
    fn most_for_index(&self) -> usize {
        self.room / 8 * (8 - STAY)
    }

    /// and those which it should have now.
    fn index_bytes(&self) -> usize {
        let wanted = Index::beside(self.keeps_states(), self.told_at_once())
            + (self.table.records * BITS_BESIDE_STATES.0 / 8) as usize;
        if self.keeps_states() { wanted.min(self.most_for_index()) } else { self.most_for_index() }
    }

    fn told_at_once(&self) -> usize {
        self.table.block() / TOLD
    }

    /// Makes the filter of the index larger, and M smaller. Nothing waits.
    fn widen_index(&mut self) -> Result<(), Limit> {
        let bytes = self.index_bytes();
        if let Some(index) = &mut self.index {
            // M will forget what the index was told last.
            index.settle()?;
        }
        self.set_pending(self.room - bytes)?;
        let Some(index) = &mut self.index else { return Ok(()) };
        index.resize(bytes)?.ok_or_else(|| self.no_room())
    }

    /// Lets M take so many bytes. Nothing waits.
    fn set_pending(&mut self, bytes: usize) -> Result<(), Limit> {
        self.pending.set_bytes(bytes).ok_or_else(|| self.no_room())
    }

    /// Makes an index of all of D. Nothing waits.
    pub(super) fn begin_index(&mut self) -> Result<(), Limit> {
        let states = self.keeps_states();
        let least = if states { LEAST_INDEXED.1 } else { LEAST_INDEXED.0 };
        self.book.indexed = self.room >= least && self.options.window == Window::Everything;
        if !self.book.indexed {
            return Ok(());
        }
        let bytes = self.index_bytes();
        self.set_pending(self.room - bytes)?;
        let index = Index::new(self.signatures.count() as u64, (states, self.told_at_once()), bytes, &self.folder);
        let mut index = index.ok_or_else(|| self.no_room())?;
        let layout = self.table.layout;
        let mut place = 0;
        self.contents(|signature, state| {
            let told = index.tell(signature, place);
            place += if states { layout.bytes_of(state) } else { 0 };
            told
        })?;
        index.settle()?;
        self.index = Some(index);
        Ok(())
    }

    /// Makes room in M. What it forgets the index has to know.
    pub(super) fn make_room(&mut self) -> Result<(), Limit> {
        let whole = self.knows_all();
        if let Some(index) = &mut self.index {
            index.add(self.pending.dropped(whole))?;
            index.settle()?;
        }
        self.pending.make_room(whole);
        Ok(())
    }
}
