//! The store on disk in a checkpoint: the records of D, what M holds, the verdicts on the queue that were not read yet, and
//! the book. The files of the search itself are gone when it ends, so everything is copied.

use super::{Book, DiskStore, split_verdicts};
use crate::checkpoint::{Kind, Reader, Save, StoreShape, Visited, Writer, section};
use crate::limit::Limit;
use crate::store::breadth::adopt::Judged;
use crate::store::breadth::pending::Inserted;
use crate::store::breadth::representation::Representation;

/// The book, the bytes that were read from D, and how many entries M is made for.
type Parts = (Book, u64, usize);

/// Are there as many verdicts as the record says?
fn is_whole((count, map): (usize, &[u8])) -> bool {
    count.div_ceil(8) <= map.len()
}

fn read_parts(reader: &mut Reader) -> Result<Parts, Limit> {
    let parts: Parts = reader.value(section::PARTS)?;
    if parts.0.at > parts.0.count || !is_whole((parts.0.count, &parts.0.current)) {
        return Err(reader.refuse("verdicts on the queue are missing"));
    }
    Ok(parts)
}

/// The next record of verdicts; `false` at the end.
fn read_verdicts(reader: &mut Reader, record: &mut Vec<u8>) -> Result<bool, Limit> {
    if !reader.record(record)? {
        return Ok(false);
    }
    if !is_whole(split_verdicts(record)) {
        return Err(reader.refuse("verdicts on the queue are missing"));
    }
    Ok(true)
}

/// What a store on disk has saved about the states in the queue, for a store of another shape.
pub(in crate::store::breadth) fn saved_verdicts(reader: &mut Reader) -> Result<Judged, Limit> {
    let (book, ..) = read_parts(reader)?;
    let mut judged = Judged { given: book.given, ..Judged::default() };
    let mut add = |map: &[u8], from: usize, count: usize| {
        judged.verdicts.extend((from..count).map(|at| map[at / 8] & 1 << (at % 8) != 0));
    };
    add(&book.current, book.at, book.count);
    reader.section(section::VERDICTS)?;
    let mut record = Vec::new();
    while read_verdicts(reader, &mut record)? {
        let (count, map) = split_verdicts(&record);
        add(map, 0, count);
    }
    Ok(judged)
}

impl Save for DiskStore {
    /// Memory and window are no part of the shape: they only decide when D is read, and how much of it.
    fn shape(&self) -> StoreShape {
        StoreShape {
            kind: Kind::Disk,
            bits: self.options.representation.bits(),
            seed: self.options.seed,
            sizes: Vec::new(),
        }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        let bytes_read = self.table.bytes_read;
        writer.value(section::PARTS, &(&self.book, bytes_read, self.pending.capacity()))?;
        writer.section(section::VISITED)?;
        let written =
            self.contents(|signature, state| Visited { place: 0, signature, state }.write(Kind::Disk, writer));
        // Reading D for a checkpoint is no work of the search.
        self.table.bytes_read = bytes_read;
        written?;
        writer.end_section()?;
        writer.section(section::WAITING)?;
        self.pending
            .each(|signature, state, waits| writer.record(&[&[u8::from(waits)], &signature.to_le_bytes(), state]))?;
        writer.end_section()?;
        self.verdicts.save(section::VERDICTS, writer)
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        let whole = self.options.representation == Representation::States;
        let mut buffer = Vec::new();
        reader.section(section::VISITED)?;
        while let Some(Visited { signature, state, .. }) = Visited::read(Kind::Disk, reader, &mut buffer)? {
            self.preload(signature, whole.then_some(state))?;
        }
        let (book, bytes_read, capacity) = read_parts(reader)?;
        self.book = book;
        if self.book.indexed {
            self.begin_index()?;
        }
        reader.section(section::VERDICTS)?;
        while read_verdicts(reader, &mut buffer)? {
            self.verdicts.push(&[&buffer])?;
        }
        self.pending.set_capacity(capacity);
        reader.section(section::WAITING)?;
        while reader.record(&mut buffer)? {
            let Some((&waits, rest)) = buffer.split_first() else { continue };
            let Some((signature, state)) = rest.split_first_chunk::<8>() else { continue };
            self.put_back(waits != 0, u64::from_le_bytes(*signature), state)?;
        }
        self.table.bytes_read = bytes_read;
        Ok(())
    }
}

impl DiskStore {
    /// Puts a state of M back, which waits to be judged or is known.
    fn put_back(&mut self, waits: bool, signature: u64, state: &[u8]) -> Result<(), Limit> {
        let signature =
            if self.options.representation == Representation::States { self.signatures.of(state) } else { signature };
        if waits {
            // With less memory than before M may be full: then what waits is judged here.
            return self.put(signature, state).map(|_| ());
        }
        if self.pending.insert(signature, state) == Inserted::New {
            self.pending.know_last();
        }
        Ok(())
    }
}
