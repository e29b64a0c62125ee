//! Numbered places for states, all equally wide: each place can take any state, so a state can replace any other one without
//! leaving holes. When a longer state comes, all places are widened at once; lengths settle early in a search.
//!
//! Cost: for each place the longest state so far and 4 bytes, rounded up to 16.

use crate::store::parts::zeroed::try_zeroed_bytes;

/// Bytes in front of a state: its length + 1; 0 is an empty place.
const LENGTH: usize = 4;
/// Places are rounded up to this, so that slightly longer states do not each move everything.
const ROUND: usize = 16;

/// The places. See the head of this file.
#[derive(Debug, Default)]
pub(in crate::store) struct Slab {
    bytes: Vec<u8>,
    place: usize,
}

impl Slab {
    pub(in crate::store) fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    /// Can a place take a state of this length?
    #[inline]
    pub(in crate::store) fn fits(&self, length: usize) -> bool {
        LENGTH + length <= self.place
    }

    /// Number of places.
    pub(in crate::store) fn len(&self) -> usize {
        self.bytes.len().checked_div(self.place).unwrap_or(0)
    }

    /// The state at a place; `None` if it is empty.
    #[inline]
    pub(in crate::store) fn get(&self, number: usize) -> Option<&[u8]> {
        let record = self.bytes.get(number * self.place..)?;
        let length = (u32::from_le_bytes(*record.first_chunk::<LENGTH>()?) as usize).checked_sub(1)?;
        record.get(LENGTH..LENGTH + length)
    }

    /// Writes a state that fits.
    #[inline]
    pub(in crate::store) fn set(&mut self, number: usize, state: &[u8]) {
        let start = number * self.place;
        let record = &mut self.bytes[start..start + self.place];
        record[..LENGTH].copy_from_slice(&(state.len() as u32 + 1).to_le_bytes());
        record[LENGTH..LENGTH + state.len()].copy_from_slice(state);
    }

    /// Makes `count` places (at least as many as there are), each wide enough for `length`, with at most `room` more bytes.
    /// If these do not suffice the answer is `false`, and nothing changes.
    #[must_use]
    pub(in crate::store) fn widen(&mut self, length: usize, count: usize, room: usize) -> bool {
        let before = self.place;
        let place = (LENGTH + length).next_multiple_of(ROUND).max(before);
        let there = self.len();
        let Some(size) = place.checked_mul(count.max(there)) else { return false };
        let more = size.saturating_sub(self.bytes.len());
        if more > room || length >= u32::MAX as usize {
            return false;
        }
        if there == 0 {
            let Some(bytes) = try_zeroed_bytes(size) else { return false };
            *self = Slab { bytes, place };
            return true;
        }
        // Old and new together would be twice as much as the budget was made for. The system moves large blocks without
        // copying them; within the block the last place moves first.
        if self.bytes.try_reserve_exact(more).is_err() {
            return false;
        }
        self.bytes.resize(size, 0);
        self.place = place;
        for number in (0..there).rev() {
            let start = number * before;
            self.bytes.copy_within(start..start + before, number * place);
        }
        // Where a place begins now there may lie the middle of an old one.
        for number in there..self.len() {
            self.bytes[number * place..number * place + LENGTH].fill(0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_their_states_when_widened() {
        let mut slab = Slab::default();
        assert!(!slab.fits(0) && slab.get(0).is_none());
        assert!(slab.widen(3, 10, 160) && !slab.widen(13, 10, 159));
        slab.set(0, b"abc");
        slab.set(9, b"");
        assert!(slab.widen(100, 20, usize::MAX));
        assert_eq!((slab.get(0), slab.get(9), slab.get(5)), (Some(&b"abc"[..]), Some(&b""[..]), None));
        assert!(slab.fits(100) && !slab.fits(200) && slab.len() == 20);
    }

    /// In place, with what may be had and no more, and nothing of the old places looks like a state.
    #[test]
    fn full_places_are_widened_in_place() {
        let mut slab = Slab::default();
        assert!(slab.widen(12, 10, 160));
        for number in 0..10 {
            slab.set(number, &[number as u8 + 1; 12]);
        }
        assert!(slab.widen(13, 40, 32 * 40 - 160) && slab.len() == 40);
        for number in 0..40 {
            let state = [number as u8 + 1; 12];
            assert_eq!(slab.get(number), (number < 10).then_some(&state[..]));
        }
        assert_eq!(slab.memory(), 32 * 40);
    }
}
