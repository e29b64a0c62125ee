//! Numbered places for states, all equally wide: each can take any state, so a state can replace any other one without
//! leaving holes. When a longer state comes, all places are widened at once; lengths settle early in a search.
//!
//! Cost: the longest state so far and 4 bytes, rounded up to 16, for each place.

use super::try_zeroed_bytes;

/// Bytes in front of a state: its length + 1; 0 is an empty place.
const LENGTH: usize = 4;
/// Places are rounded up to this, so that slightly longer states do not each move everything.
const ROUND: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Slab {
    bytes: Vec<u8>,
    place: usize,
}

impl Slab {
    pub fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    /// Can a place take a state of this length?
    #[inline]
    pub fn fits(&self, length: usize) -> bool {
        LENGTH + length <= self.place
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.bytes.len().checked_div(self.place).unwrap_or(0)
    }

    /// The state at a place; `None` if it is empty.
    #[inline]
    pub fn get(&self, number: usize) -> Option<&[u8]> {
        let record = self.bytes.get(number * self.place..)?;
        let length = (u32::from_le_bytes(*record.first_chunk::<LENGTH>()?) as usize).checked_sub(1)?;
        record.get(LENGTH..LENGTH + length)
    }

    /// Writes a state that fits.
    #[inline]
    pub fn set(&mut self, number: usize, state: &[u8]) {
        let start = number * self.place;
        let record = &mut self.bytes[start..start + self.place];
        record[..LENGTH].copy_from_slice(&(state.len() as u32 + 1).to_le_bytes());
        record[LENGTH..LENGTH + state.len()].copy_from_slice(state);
    }

    /// Makes `count` places (at least as many as there are), each wide enough for `length`; `room` is how many bytes
    /// more may be had while old and new exist together. False, and nothing changes: there are not so many.
    #[must_use]
    pub fn widen(&mut self, length: usize, count: usize, room: usize) -> bool {
        let place = (LENGTH + length).next_multiple_of(ROUND).max(self.place);
        let count = count.max(self.len());
        let Some(size) = place.checked_mul(count) else { return false };
        if size > room || length >= u32::MAX as usize {
            return false;
        }
        let Some(bytes) = try_zeroed_bytes(size) else { return false };
        let old = std::mem::replace(self, Slab { bytes, place });
        for number in 0..old.len() {
            if let Some(state) = old.get(number) {
                self.set(number, state);
            }
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
        assert!(slab.widen(3, 10, 160) && !slab.widen(13, 10, 319));
        slab.set(0, b"abc");
        slab.set(9, b"");
        assert!(slab.widen(100, 20, usize::MAX));
        assert_eq!((slab.get(0), slab.get(9), slab.get(5)), (Some(&b"abc"[..]), Some(&b""[..]), None));
        assert!(slab.fits(100) && !slab.fits(200) && slab.len() == 20);
    }
}
