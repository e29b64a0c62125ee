//! A row of small numbers, all of the same width of up to eight bytes, one directly behind the other.

use crate::store::parts::arena::NoRoom;
use crate::store::parts::hints::prefetch;

/// Bytes behind the last number, so that eight bytes can be read at every place.
const PADDING: usize = 7;

/// The row. Every number is 0 at first.
#[derive(Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
    width: usize,
    mask: u64,
}

impl Packed {
    /// Bytes of a row of so many numbers, each `width` bytes (1 to 8) wide.
    pub(super) fn size(count: usize, width: usize) -> usize {
        count * width + PADDING
    }

    /// A row of zeros.
    pub(super) fn new(count: usize, width: usize) -> Result<Packed, NoRoom> {
        let mut bytes = Vec::new();
        let size = Packed::size(count, width);
        bytes.try_reserve_exact(size).map_err(|_| NoRoom)?;
        bytes.resize(size, 0);
        Ok(Packed { bytes, width, mask: u64::MAX >> (64 - 8 * width.clamp(1, 8)) })
    }

    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    #[inline]
    fn word(&self, place: usize) -> u64 {
        let at = place * self.width;
        match self.bytes.get(at..at + 8).and_then(|bytes| bytes.first_chunk()) {
            Some(bytes) => u64::from_le_bytes(*bytes),
            None => 0,
        }
    }

    /// The number at a place; 0 behind the end.
    #[inline]
    pub(super) fn get(&self, place: usize) -> u64 {
        self.word(place) & self.mask
    }

    /// Asks for the memory of the number at a place.
    #[inline]
    pub(super) fn prefetch(&self, place: usize) {
        prefetch(&self.bytes, place * self.width);
    }

    /// Writes a number that fits.
    #[inline]
    pub(super) fn set(&mut self, place: usize, number: u64) {
        let word = self.word(place) & !self.mask | number & self.mask;
        let at = place * self.width;
        if let Some(bytes) = self.bytes.get_mut(at..at + 8) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_width_come_back() {
        for width in 1..=8 {
            let mut row = Packed::new(100, width).unwrap();
            let number = |place: u64| place.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - 8 * width);
            for place in 0..100 {
                row.set(place, number(place as u64));
            }
            for place in 0..100 {
                assert_eq!(row.get(place), number(place as u64), "{width}");
            }
            assert_eq!(row.get(1_000), 0);
        }
    }
}
