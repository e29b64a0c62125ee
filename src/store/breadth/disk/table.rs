//! The table on disk: D of Stern and Dill 1998.
//!
//! Records follow each other in the order in which their states were found to be new, in blocks, of which the last is in memory. A record is a
//! signature less 1, so that B bits take B bits; with whole states 8 bytes of it, 4 for the length of the state, and the state.

use crate::limit::Limit;
use crate::store::breadth::representation::Representation;
use crate::store::breadth::work_dir::WorkFile;

/// Bytes in front of a whole state.
const HEADER: usize = 12;

/// What a record looks like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    representation: Representation,
    /// Bytes of a signature, where only signatures are kept.
    width: usize,
}

impl Layout {
    fn new(representation: Representation) -> Layout {
        let bits = representation.lookup_bits().clamp(2, 64);
        Layout { representation, width: usize::from(bits).div_ceil(8) }
    }

    /// Are the records signatures of 8 bytes?
    pub(super) fn is_of_words(self) -> bool {
        self.representation != Representation::States && self.width == 8
    }

    /// Bytes of the record of a state.
    pub(super) fn bytes_of(self, state: &[u8]) -> u64 {
        match self.representation {
            Representation::Signatures(_) => self.width as u64,
            Representation::States => (HEADER + state.len()) as u64,
        }
    }

    /// Goes over the records of a block.
    pub(super) fn each(self, block: &[u8], f: &mut impl FnMut(u64, &[u8]) -> Result<(), Limit>) -> Result<(), Limit> {
        match self.representation {
            Representation::Signatures(_) if self.width == 8 => {
                for record in block.as_chunks::<8>().0 {
                    f(u64::from_le_bytes(*record) + 1, &[])?;
                }
            }
            Representation::Signatures(_) => {
                for record in block.chunks_exact(self.width) {
                    let mut bytes = [0; 8];
                    bytes[..self.width].copy_from_slice(record);
                    f(u64::from_le_bytes(bytes) + 1, &[])?;
                }
            }
            Representation::States => {
                let mut rest = block;
                while let Some((signature, state, after)) = split_state(rest) {
                    f(signature, state)?;
                    rest = after;
                }
            }
        }
        Ok(())
    }
}

/// See the head of this file.
#[derive(Debug)]
pub(super) struct Table {
    file: WorkFile,
    /// What its records look like.
    pub(super) layout: Layout,
    /// Where each block starts.
    starts: Vec<u64>,
    tail: Vec<u8>,
    /// Bytes of a full block.
    block: usize,
    /// How many records there are.
    pub(super) records: u64,
    /// Bytes read so far.
    pub(super) bytes_read: u64,
}

impl Table {
    /// An empty one in this file, in blocks of so many bytes.
    pub(super) fn new(file: WorkFile, representation: Representation, block: usize) -> Table {
        Table {
            file,
            layout: Layout::new(representation),
            starts: Vec::new(),
            tail: Vec::new(),
            block,
            records: 0,
            bytes_read: 0,
        }
    }

    /// Bytes of a full block.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// How many blocks are in the file.
    pub(super) fn blocks(&self) -> usize {
        self.starts.len()
    }

    /// The records that are in no block of the file yet.
    pub(super) fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Bytes that were written.
    pub(super) fn written(&self) -> u64 {
        self.file.len()
    }

    /// Bytes of all records: where the next one will begin.
    pub(super) fn bytes(&self) -> u64 {
        self.file.len() + self.tail.len() as u64
    }

    /// Bytes in memory.
    pub(super) fn memory(&self) -> usize {
        self.tail.capacity() + self.starts.capacity() * size_of::<u64>()
    }

    /// Adds a record.
    pub(super) fn append(&mut self, signature: u64, state: &[u8]) -> Result<(), Limit> {
        let bytes = (signature - 1).to_le_bytes();
        match self.layout.representation {
            Representation::Signatures(_) => self.tail.extend_from_slice(&bytes[..self.layout.width]),
            Representation::States => {
                for part in [&bytes, &(state.len() as u32).to_le_bytes()[..], state] {
                    self.tail.extend_from_slice(part);
                }
            }
        }
        self.records += 1;
        if self.tail.len() >= self.block {
            let start = self.file.len();
            self.file.append(&self.tail)?;
            self.starts.push(start);
            self.tail.clear();
        }
        Ok(())
    }

    /// Reads a block of the file.
    pub(super) fn read(&mut self, block: usize, buffer: &mut Vec<u8>) -> Result<(), Limit> {
        let start = self.starts[block];
        let end = self.starts.get(block + 1).copied().unwrap_or(self.file.len());
        self.read_part(start, end, buffer)
    }

    fn read_part(&mut self, start: u64, end: u64, buffer: &mut Vec<u8>) -> Result<(), Limit> {
        // What is there already is overwritten, not zeroed first.
        buffer.resize((end - start) as usize, 0);
        self.bytes_read += end - start;
        self.file.read_at(start, buffer)
    }

    /// Is this the state of the record that begins at this place?
    pub(super) fn has_at(&mut self, place: u64, state: &[u8], buffer: &mut Vec<u8>) -> Result<bool, Limit> {
        let in_tail = place.checked_sub(self.file.len()).and_then(|at| self.tail.get(at as usize..));
        let record = match in_tail {
            Some(record) => record,
            None => {
                // The record may be shorter than that, and then the file may end before.
                let end = (place + self.layout.bytes_of(state)).min(self.file.len());
                self.read_part(place, end, buffer)?;
                &*buffer
            }
        };
        Ok(split_state(record).is_some_and(|(_, stored, _)| stored == state))
    }

    /// Goes over all records.
    pub(super) fn each(
        &mut self,
        buffer: &mut Vec<u8>,
        mut f: impl FnMut(u64, &[u8]) -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        for block in 0..self.starts.len() {
            self.read(block, buffer)?;
            self.layout.each(buffer, &mut f)?;
        }
        self.layout.each(&self.tail, &mut f)
    }
}

/// The first record of these with whole states: its signature, its state, and what comes after it.
#[inline]
fn split_state(records: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let (signature, rest) = records.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (state, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((u64::from_le_bytes(*signature) + 1, state, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::breadth::work_dir::WorkDir;

    /// A state is compared with all of a record, whether it is in the file, at its end, or still in memory.
    #[test]
    fn a_record_is_its_state_and_no_other_one() {
        let folder = WorkDir::new(None).unwrap();
        let mut table = Table::new(folder.create("visited").unwrap(), Representation::States, 1000);
        let state = |i: u64| vec![i as u8; i as usize % 30];
        let mut places = Vec::new();
        for i in 0..205 {
            places.push(table.bytes());
            table.append(i + 1, &state(i)).unwrap();
        }
        assert!(table.blocks() > 4 && !table.tail().is_empty() && table.written() < table.bytes());
        let mut buffer = Vec::new();
        for (i, &place) in (0..).zip(&places) {
            let state = state(i);
            let longer = [&state[..], &[i as u8]].concat();
            assert!(table.has_at(place, &state, &mut buffer).unwrap());
            assert!(!table.has_at(place, &longer, &mut buffer).unwrap());
            assert!(!table.has_at(place, &[&longer[..], &[0; 500]].concat(), &mut buffer).unwrap());
            if let Some((last, shorter)) = state.split_last() {
                assert!(!table.has_at(place, shorter, &mut buffer).unwrap());
                assert!(!table.has_at(place, &[shorter, &[!last]].concat(), &mut buffer).unwrap());
            }
        }
        let mut next = 0;
        let layout = table.layout;
        let mut at = 0;
        table
            .each(&mut buffer, |signature, bytes| {
                assert_eq!((signature, bytes, at), (next + 1, &state(next)[..], places[next as usize]));
                at += layout.bytes_of(bytes);
                next += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!((next, at), (205, table.bytes()));
    }
}
