//! Where each state of a breadth-first search came from. States are numbered in the order in which they are expanded; the link of a
//! state is the number of the state it was reached from, and which arrival in the expansion of that state it was.
//!
//! Idea: Stern and Dill 1998, end of section 3.3. Executing the expansions along the links again rebuilds the path to an
//! error, whatever the store has forgotten since. Sound: the path is found by execution, so it is a path of the model.
//!
//! Cost: 8 bytes per state on disk if there is a folder, else one to two in memory (see `Chain`); a path costs one expansion for each
//! of its states.

use crate::checkpoint::{Reader, Writer, section};
use crate::limit::Limit;
use crate::store::breadth::work_dir::{WorkDir, WorkFile};
use std::sync::Arc;

/// Bits of the arrival in a link; the others are the parent's number (2^40 states).
const ORDINAL_BITS: u32 = 24;
/// Links that wait in memory until they are written to the file: 64 KiB.
const BUFFER: usize = 1 << 13;
const SIZE: u64 = size_of::<u64>() as u64;

/// Where a state came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Number of the state it was reached from. The first state names itself.
    pub parent: u64,
    /// Which arrival in that state's expansion, from 0.
    pub ordinal: u32,
}

impl Link {
    /// The link in one word. Arrivals beyond 2^24 in one expansion all get the last number: no model has so many.
    pub fn pack(self) -> u64 {
        self.parent << ORDINAL_BITS | u64::from(self.ordinal.min((1 << ORDINAL_BITS) - 1))
    }

    /// The link that [`pack`](Self::pack) has put into a word.
    pub fn unpack(word: u64) -> Self {
        Link { parent: word >> ORDINAL_BITS, ordinal: (word & ((1 << ORDINAL_BITS) - 1)) as u32 }
    }
}

/// Links of a group of so many follow each other in a [`Chain`].
const GROUP: usize = 64;
/// Bytes of a page of a chain (with what the allocator puts in front of them, sixteen pages of the system), and the most that a link can take.
const PAGE: usize = (1 << 16) - 64;
const LONGEST: usize = 1 + 10 + 5;
/// What does not fit its bits in the byte of a link stands behind it.
const STEP_BITS: u32 = 3;
const FAR: u64 = (1 << STEP_BITS) - 1;
const LATE: u64 = (1 << (8 - STEP_BITS)) - 1;

/// Links in memory. States come out of a queue in the order in which they went in, so the parent of a state is that of the state before, or
/// one soon behind it: a link is mostly one byte, how much further the parent is (three bits) and which arrival it was (five).
#[derive(Debug, Default)]
struct Chain {
    /// A group lies in one page.
    pages: Vec<Vec<u8>>,
    /// For each group its page, where it begins there, and the parent before its first link.
    groups: Vec<(u32, u32, u64)>,
    len: u64,
    parent: u64,
}

impl Chain {
    fn memory(&self) -> usize {
        self.pages.len() * PAGE
            + self.pages.capacity() * size_of::<Vec<u8>>()
            + self.groups.capacity() * size_of::<(u32, u32, u64)>()
    }

    fn push(&mut self, link: Link) {
        if self.len.is_multiple_of(GROUP as u64) {
            if self.pages.last().is_none_or(|page| page.len() + GROUP * LONGEST > PAGE) {
                self.pages.push(Vec::with_capacity(PAGE));
            }
            let begins = self.pages.last().map_or(0, Vec::len);
            self.groups.push((self.pages.len() as u32 - 1, begins as u32, self.parent));
        }
        let Some(page) = self.pages.last_mut() else { return };
        let (step, ordinal) = (link.parent.wrapping_sub(self.parent), u64::from(link.ordinal));
        page.push((step.min(FAR) | ordinal.min(LATE) << STEP_BITS) as u8);
        if step >= FAR {
            write_number(step, page);
        }
        if ordinal >= LATE {
            write_number(ordinal, page);
        }
        self.parent = link.parent;
        self.len += 1;
    }

    /// Calls `f` with the links from the one with this number to the end of its group.
    fn group_from(&self, number: u64, mut f: impl FnMut(Link) -> Result<bool, Limit>) -> Result<(), Limit> {
        let skipped = number as usize % GROUP;
        let Some(&(page, begins, mut parent)) = self.groups.get(number as usize / GROUP) else { return Ok(()) };
        let mut bytes = self.pages.get(page as usize).and_then(|page| page.get(begins as usize..)).unwrap_or_default();
        let there = (self.len - (number - skipped as u64)).min(GROUP as u64) as usize;
        for place in 0..there {
            let byte = u64::from(bytes.split_off_first().copied().unwrap_or(0));
            let (mut step, mut ordinal) = (byte & FAR, byte >> STEP_BITS);
            if step == FAR {
                step = read_number(&mut bytes);
            }
            if ordinal == LATE {
                ordinal = read_number(&mut bytes);
            }
            parent = parent.wrapping_add(step);
            if place >= skipped && !f(Link { parent, ordinal: ordinal as u32 })? {
                break;
            }
        }
        Ok(())
    }

    fn get(&self, number: u64) -> Option<Link> {
        let mut found = None;
        if number < self.len {
            let take = |link| {
                found = Some(link);
                Ok(false)
            };
            self.group_from(number, take).ok()?;
        }
        found
    }
}

/// Adds a number, seven bits to a byte, the lowest first.
fn write_number(mut number: u64, to: &mut Vec<u8>) {
    while number > 0x7F {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Reads what [`write_number`] has written, and moves on behind it.
fn read_number(bytes: &mut &[u8]) -> u64 {
    let mut number = 0;
    let mut shift = 0;
    while let Some(&byte) = bytes.split_off_first() {
        number |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 || shift > 63 {
            break;
        }
    }
    number
}

/// The links of all states, by number.
#[derive(Debug, Default)]
pub struct Links {
    /// In a file, or else in memory.
    file: Option<WorkFile>,
    chain: Chain,
    /// The links that are not in the file yet.
    recent: Vec<u64>,
}

impl Links {
    /// Links in memory only.
    pub fn in_memory() -> Self {
        Links::default()
    }

    /// Links in a file of the folder.
    pub fn on_disk(folder: &Arc<WorkDir>) -> Result<Self, Limit> {
        Ok(Links { file: Some(folder.create("links")?), ..Links::default() })
    }

    /// How many links there are.
    pub fn len(&self) -> u64 {
        match &self.file {
            Some(file) => file.len() / SIZE + self.recent.len() as u64,
            None => self.chain.len,
        }
    }

    /// Is there no link?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in memory.
    pub fn memory(&self) -> usize {
        self.recent.capacity() * size_of::<u64>() + self.chain.memory()
    }

    /// Adds the link of the next state.
    #[inline]
    pub fn push(&mut self, link: Link) -> Result<(), Limit> {
        if self.file.is_none() {
            self.chain.push(link);
            return Ok(());
        }
        self.recent.push(link.pack());
        if self.recent.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Limit> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let bytes: Vec<u8> = self.recent.iter().flat_map(|link| link.to_le_bytes()).collect();
        file.append(&bytes)?;
        self.recent.clear();
        Ok(())
    }

    /// The link of a state.
    pub fn get(&mut self, number: u64) -> Result<Link, Limit> {
        let missing = || Limit::File(format!("no link of state {number}"));
        let Some(file) = &mut self.file else { return self.chain.get(number).ok_or_else(missing) };
        let written = file.len() / SIZE;
        if number < written {
            let mut word = [0; SIZE as usize];
            file.read_at(number * SIZE, &mut word)?;
            return Ok(Link::unpack(u64::from_le_bytes(word)));
        }
        self.recent.get((number - written) as usize).map(|&word| Link::unpack(word)).ok_or_else(missing)
    }

    /// Calls `f` with every link, in order.
    pub fn for_each(&mut self, mut f: impl FnMut(Link) -> Result<(), Limit>) -> Result<(), Limit> {
        if let Some(file) = &mut self.file {
            let mut buffer = Vec::new();
            let mut at = 0;
            while at < file.len() {
                buffer.resize((file.len() - at).min(BUFFER as u64 * SIZE) as usize, 0);
                file.read_at(at, &mut buffer)?;
                at += buffer.len() as u64;
                for word in buffer.as_chunks::<8>().0 {
                    f(Link::unpack(u64::from_le_bytes(*word)))?;
                }
            }
        }
        for group in (0..self.chain.len).step_by(GROUP) {
            self.chain.group_from(group, |link| f(link).map(|()| true))?;
        }
        self.recent.iter().try_for_each(|&word| f(Link::unpack(word)))
    }

    /// Writes all links into a checkpoint.
    pub fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(section::LINKS)?;
        self.for_each(|link| writer.write(&link.pack().to_le_bytes()))?;
        writer.end_section()
    }

    /// Adds the links that [`save`](Self::save) has written.
    pub fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        for _ in 0..reader.section(section::LINKS)? / SIZE {
            let link = Link::unpack(reader.u64()?);
            self.push(link)?;
        }
        Ok(())
    }

    /// The arrivals that lead from the first state to this one.
    pub fn path_to(&mut self, mut number: u64) -> Result<Vec<u32>, Limit> {
        let mut ordinals = Vec::new();
        while number != 0 {
            let link = self.get(number)?;
            if link.parent >= number {
                return Err(Limit::File(format!("the link of state {number} does not lead back")));
            }
            ordinals.push(link.ordinal);
            number = link.parent;
        }
        ordinals.reverse();
        Ok(ordinals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back() {
        let folder = WorkDir::new(None).unwrap();
        for mut links in [Links::in_memory(), Links::on_disk(&folder).unwrap()] {
            for i in 0..40_000u64 {
                links.push(Link { parent: i.saturating_sub(1) / 2, ordinal: (i % 2) as u32 }).unwrap();
            }
            assert_eq!(links.len(), 40_000);
            // 39 in a heap numbered from 0: 39 -> 19 -> 9 -> 4 -> 1 -> 0.
            assert_eq!(links.path_to(39).unwrap(), [1, 0, 1, 1, 1]);
            assert_eq!(links.path_to(39_999).unwrap().len(), 15);
            assert!(links.path_to(0).unwrap().is_empty());
            assert!(links.get(40_000).is_err());
        }
    }

    /// Links of all sizes, forwards and backwards, come back; and those of a usual search take little.
    #[test]
    fn links_of_every_size_come_back() {
        let link = |i: u64| match i % 11 {
            7 => Link { parent: i / 3, ordinal: i as u32 % 900 },
            8 => Link { parent: i % 100, ordinal: 30 + i as u32 % 3 },
            9 => Link { parent: (1 << 40) - 1 - i, ordinal: (1 << 24) - 1 },
            rest => Link { parent: i / 2 + rest, ordinal: i as u32 % 40 },
        };
        let folder = WorkDir::new(None).unwrap();
        for mut links in [Links::in_memory(), Links::on_disk(&folder).unwrap()] {
            for i in 0..50_000 {
                links.push(link(i)).unwrap();
            }
            let mut number = 0;
            links
                .for_each(|found| {
                    assert_eq!(found, link(number));
                    number += 1;
                    Ok(())
                })
                .unwrap();
            assert_eq!((number, links.len()), (50_000, 50_000));
            assert!((0..50_000).rev().step_by(7).all(|i| links.get(i).unwrap() == link(i)));
        }
        let mut usual = Links::in_memory();
        (0..1_000_000u64).for_each(|i| usual.push(Link { parent: i / 2, ordinal: i as u32 % 20 }).unwrap());
        assert!(usual.memory() < 1_700_000, "{}", usual.memory());
    }
}
