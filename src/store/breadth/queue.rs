//! The queue of breadth-first search: records of bytes, first in, first out, in memory or, beyond a bound, on disk.
//!
//! Idea: a queue is only touched at its ends, so its middle may lie on disk and is written and read once, in order, in
//! blocks (as in Stern and Dill 1998, section 3.1). Blocks go to files of bounded size; each file is removed when it was read,
//! so the queue takes no more disk than its records need. Sound: no record is ever lost or comes out of order.
//!
//! Cost: 4 bytes per record; two blocks of memory, and as many full blocks as the bound allows.

use crate::checkpoint::container::Name;
use crate::checkpoint::{Reader, Writer};
use crate::limit::Limit;
use crate::store::breadth::work_dir::{WorkDir, WorkFile};
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of a block: one seek pays for that much; less if the bound on memory is small.
const BLOCK: usize = 1 << 18;
/// Bytes of the smallest block.
const LEAST_BLOCK: usize = 1 << 12;
/// A file takes blocks up to this size: small enough to give space back soon, large enough for few files.
const SEGMENT: u64 = 1 << 26;
/// Bytes in front of a record, and of a block in a file: the length.
const LENGTH: usize = 4;

#[derive(Debug)]
struct Segment {
    file: WorkFile,
    read: u64,
}

/// The queue. See the head of this file.
#[derive(Debug)]
pub struct Queue {
    /// The block that is read, and how far.
    head: Vec<u8>,
    at: usize,
    /// Full blocks after the head,
    full: VecDeque<Vec<u8>>,
    /// then those on disk,
    segments: VecDeque<Segment>,
    /// then the block that is written.
    tail: Vec<u8>,
    /// A block that was read, to be used again.
    spare: Vec<u8>,
    block: usize,
    bound: usize,
    folder: Option<Arc<WorkDir>>,
    len: u64,
    bytes_read: u64,
    bytes_written: u64,
}

impl Queue {
    /// A queue in memory, without a bound.
    pub fn in_memory() -> Self {
        Self::build(usize::MAX, None)
    }

    /// A queue that keeps about `bound` bytes in memory (at least three blocks of 4 KiB) and the rest in the folder.
    pub fn on_disk(bound: usize, folder: Arc<WorkDir>) -> Self {
        Self::build(bound, Some(folder))
    }

    fn build(bound: usize, folder: Option<Arc<WorkDir>>) -> Self {
        Queue {
            head: Vec::new(),
            at: 0,
            full: VecDeque::new(),
            segments: VecDeque::new(),
            tail: Vec::new(),
            spare: Vec::new(),
            block: (bound / 4).clamp(LEAST_BLOCK, BLOCK),
            bound,
            folder,
            len: 0,
            bytes_read: 0,
            bytes_written: 0,
        }
    }

    /// How many records wait.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Does no record wait?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes in memory.
    pub fn memory(&self) -> usize {
        let full: usize = self.full.iter().map(Vec::capacity).sum();
        self.head.capacity() + self.tail.capacity() + self.spare.capacity() + full
    }

    /// Bytes read from and written to files.
    pub fn traffic(&self) -> (u64, u64) {
        (self.bytes_read, self.bytes_written)
    }

    /// Adds a record, made of these parts.
    #[inline]
    pub fn push(&mut self, parts: &[&[u8]]) -> Result<(), Limit> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let Ok(prefix) = u32::try_from(length) else {
            return Err(Limit::File("a state of more than 4 GiB does not fit the queue".to_string()));
        };
        if self.tail.len() + LENGTH + length > self.tail.capacity() {
            self.next_tail(LENGTH + length)?;
        }
        self.tail.extend_from_slice(&prefix.to_le_bytes());
        for part in parts {
            self.tail.extend_from_slice(part);
        }
        self.len += 1;
        Ok(())
    }

    /// Puts the tail away and begins another one with room for `size` bytes.
    #[cold]
    fn next_tail(&mut self, size: usize) -> Result<(), Limit> {
        if !self.tail.is_empty() {
            // Head, tail and the one to come are there in any case.
            let room = self.memory() + self.block <= self.bound;
            if self.folder.is_none() || (self.segments.is_empty() && room) {
                let spare = std::mem::take(&mut self.spare);
                self.full.push_back(std::mem::replace(&mut self.tail, spare));
            } else {
                self.write_tail()?;
            }
        }
        self.tail.clear();
        let wanted = size.max(self.block);
        if self.tail.capacity() < wanted && self.tail.try_reserve_exact(wanted).is_err() {
            return Err(Limit::Memory { used: self.memory() as u64, budget: self.bound as u64 });
        }
        Ok(())
    }

    fn write_tail(&mut self) -> Result<(), Limit> {
        let Some(folder) = &self.folder else { return Ok(()) };
        if self.segments.back().is_none_or(|segment| segment.file.len() >= SEGMENT) {
            self.segments.push_back(Segment { file: folder.create("queue")?, read: 0 });
        }
        let Some(segment) = self.segments.back_mut() else { return Ok(()) };
        segment.file.append(&(self.tail.len() as u32).to_le_bytes())?;
        segment.file.append(&self.tail)?;
        self.bytes_written += (LENGTH + self.tail.len()) as u64;
        Ok(())
    }

    /// Takes out the oldest record.
    #[inline]
    pub fn pop(&mut self) -> Result<Option<&[u8]>, Limit> {
        if self.at == self.head.len() && !self.next_head()? {
            return Ok(None);
        }
        let start = self.at + LENGTH;
        let end = start + length_at(&self.head, self.at);
        self.at = end;
        self.len -= 1;
        Ok(self.head.get(start..end))
    }

    /// Moves on to the next block. False: there is none.
    #[cold]
    fn next_head(&mut self) -> Result<bool, Limit> {
        self.at = 0;
        if let Some(block) = self.full.pop_front() {
            self.head.clear();
            self.spare = std::mem::replace(&mut self.head, block);
            return Ok(true);
        }
        if let Some(segment) = self.segments.front_mut() {
            let size = read_block(segment, &mut self.head)?;
            self.bytes_read += size;
            segment.read += size;
            if segment.read == segment.file.len() {
                self.segments.pop_front();
            }
            return Ok(true);
        }
        self.head.clear();
        std::mem::swap(&mut self.head, &mut self.tail);
        Ok(!self.head.is_empty())
    }

    /// Writes all records into a checkpoint without taking them out.
    pub fn save(&mut self, name: Name, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(name)?;
        self.for_each(|record| writer.record(&[record]))?;
        writer.end_section()
    }

    /// Adds the records that [`save`](Self::save) has written.
    pub fn load(&mut self, name: Name, reader: &mut Reader) -> Result<(), Limit> {
        reader.section(name)?;
        let mut record = Vec::new();
        while reader.record(&mut record)? {
            self.push(&[&record])?;
        }
        Ok(())
    }

    /// Goes over all records without taking them out.
    pub fn for_each(&mut self, mut f: impl FnMut(&[u8]) -> Result<(), Limit>) -> Result<(), Limit> {
        each_in(&self.head[self.at..], &mut f)?;
        for block in &self.full {
            each_in(block, &mut f)?;
        }
        let mut block = Vec::new();
        for segment in &mut self.segments {
            let before = segment.read;
            let mut result = Ok(());
            while result.is_ok() && segment.read < segment.file.len() {
                result = read_block(segment, &mut block).and_then(|size| {
                    segment.read += size;
                    self.bytes_read += size;
                    each_in(&block, &mut f)
                });
            }
            segment.read = before;
            result?;
        }
        each_in(&self.tail, &mut f)
    }
}

/// Reads the next block of a file; returns its bytes with the length in front. After an error the block is empty.
fn read_block(segment: &mut Segment, block: &mut Vec<u8>) -> Result<u64, Limit> {
    let mut length = [0; LENGTH];
    let Segment { file, read } = segment;
    let result = file.read_at(*read, &mut length).and_then(|()| {
        // What is there already is overwritten, not zeroed first.
        block.resize(u32::from_le_bytes(length) as usize, 0);
        file.read_at(*read + LENGTH as u64, block)
    });
    if result.is_err() {
        block.clear();
    }
    result.map(|()| (LENGTH + block.len()) as u64)
}

fn length_at(block: &[u8], at: usize) -> usize {
    match block[at..].first_chunk::<LENGTH>() {
        Some(bytes) => u32::from_le_bytes(*bytes) as usize,
        None => 0,
    }
}

fn each_in(block: &[u8], f: &mut impl FnMut(&[u8]) -> Result<(), Limit>) -> Result<(), Limit> {
    let mut at = 0;
    while at < block.len() {
        let end = at + LENGTH + length_at(block, at);
        f(&block[at + LENGTH..end])?;
        at = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{Rng, SeedableRng};

    fn exercise(mut queue: Queue, bound: usize) {
        let mut rng = SmallRng::seed_from_u64(1);
        let (mut pushed, mut popped) = (0u32, 0u32);
        let length = |i: u32| if i % 5_000 == 4_999 { 300_000 } else { i as usize % 200 };
        for phase in [0.9, 0.6, 0.2, 0.8, 0.0] {
            for _ in 0..20_000 {
                if rng.random_bool(phase) {
                    queue.push(&[&pushed.to_le_bytes(), &vec![7; length(pushed)]]).unwrap();
                    pushed += 1;
                } else if let Some(record) = queue.pop().unwrap() {
                    assert_eq!(record[..4], popped.to_le_bytes());
                    assert_eq!(record.len(), 4 + length(popped));
                    popped += 1;
                } else {
                    assert_eq!(pushed, popped);
                }
                assert_eq!(queue.len(), u64::from(pushed - popped));
                assert!(queue.memory() <= bound.saturating_add(1_000_000), "{}", queue.memory());
            }
            let mut at = popped;
            queue
                .for_each(|record| {
                    assert_eq!(record[..4], at.to_le_bytes());
                    at += 1;
                    Ok(())
                })
                .unwrap();
            assert_eq!(at, pushed);
        }
        while queue.pop().unwrap().is_some() {
            popped += 1;
        }
        assert_eq!(popped, pushed);
        assert_eq!(queue.traffic().1 > 0, bound != usize::MAX);
    }

    #[test]
    fn first_in_first_out() {
        exercise(Queue::in_memory(), usize::MAX);
        for bound in [0, 100_000, 2_000_000] {
            let folder = WorkDir::new(None).unwrap();
            let path = folder.path().to_path_buf();
            exercise(Queue::on_disk(bound, Arc::clone(&folder)), bound);
            // Only the lock of the folder is left.
            assert_eq!(std::fs::read_dir(path).unwrap().count(), 1);
        }
    }
}
