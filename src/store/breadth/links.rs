//! Where each state of a breadth-first search came from. States are numbered in the order in which they are expanded; the link of a
//! state is the number of the state it was reached from, and which arrival in the expansion of that state it was.
//!
//! Idea: Stern and Dill 1998, end of section 3.3. Executing the expansions along the links again rebuilds the path to an
//! error, whatever the store has forgotten since. Sound: the path is found by execution, so it is a path of the model.
//!
//! Cost: 8 bytes per state, on disk if there is a folder; a path costs one expansion for each of its states.

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

/// The links of all states, by number.
#[derive(Debug, Default)]
pub struct Links {
    /// The links before those in `recent`.
    file: Option<WorkFile>,
    recent: Vec<u64>,
}

impl Links {
    /// Links in memory only.
    pub fn in_memory() -> Self {
        Links::default()
    }

    /// Links in a file of the folder.
    pub fn on_disk(folder: &Arc<WorkDir>) -> Result<Self, Limit> {
        Ok(Links { file: Some(folder.create("links")?), recent: Vec::new() })
    }

    /// How many links there are.
    pub fn len(&self) -> u64 {
        self.file.as_ref().map_or(0, WorkFile::len) / SIZE + self.recent.len() as u64
    }

    /// Is there no link?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in memory.
    pub fn memory(&self) -> usize {
        self.recent.capacity() * size_of::<u64>()
    }

    /// Adds the link of the next state.
    #[inline]
    pub fn push(&mut self, link: Link) -> Result<(), Limit> {
        self.recent.push(link.pack());
        if self.recent.len() >= BUFFER && self.file.is_some() {
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
        let mut word = [0; SIZE as usize];
        let written = self.file.as_ref().map_or(0, WorkFile::len) / SIZE;
        match &mut self.file {
            Some(file) if number < written => file.read_at(number * SIZE, &mut word)?,
            _ => {
                let recent = self.recent.get((number - written) as usize);
                word = recent.ok_or_else(|| Limit::File(format!("no link of state {number}")))?.to_le_bytes();
            }
        }
        Ok(Link::unpack(u64::from_le_bytes(word)))
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
}
