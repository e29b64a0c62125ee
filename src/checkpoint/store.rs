//! What a store must do to be saved in a checkpoint, and which stores can go on with what another one has saved.
//!
//! Idea: a search goes on either with a store of the same [`StoreShape`], which gets back every bit (places, random numbers,
//! what waits on disk), so that nothing shows that the search was interrupted; or with another store, which takes over the
//! visited states one by one. Whole states can go into any store. A signature tells nothing about the place of its state
//! in another table; only the table on disk, which compares signatures and has no places, can take signatures over.

use super::container::{Reader, Writer};
use super::section;
use crate::limit::Limit;
use serde::{Deserialize, Serialize};

/// Which store it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// Whole states in memory.
    Exact,
    /// A cache of one level.
    Cache,
    /// A cache of two levels.
    Hub,
    /// A table on disk.
    Disk,
    /// Hash compaction.
    Compact,
    /// A Bloom filter.
    Bloom,
}

impl Kind {
    /// How many numbers of 8 bytes stand in front of a visited state: none, its signature, or its place and its signature.
    fn numbers(self) -> usize {
        match self {
            Kind::Cache | Kind::Hub => 2,
            Kind::Disk => 1,
            Kind::Exact | Kind::Compact | Kind::Bloom => 0,
        }
    }

    /// May the store have forgotten states that still wait in the queue?
    pub fn forgets(self) -> bool {
        matches!(self, Kind::Cache | Kind::Hub)
    }
}

/// What must be the same for a store to be read back as it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoreShape {
    /// Which store.
    pub kind: Kind,
    /// Bits of a signature; `None` for whole states.
    pub bits: Option<u8>,
    /// The seed of the hash functions; 0 for a store whose content does not depend on it.
    pub seed: u64,
    /// Every other number that decides where a state lies: places and ways of a cache, slots of a table, bytes and functions
    /// of a Bloom filter.
    pub sizes: Vec<u64>,
}

impl StoreShape {
    /// The shape of the store in a checkpoint.
    pub fn read(reader: &mut Reader) -> Result<StoreShape, Limit> {
        reader.value(section::SHAPE)
    }

    /// In words, with the option that chooses such a store.
    fn describe(&self) -> String {
        let states = match self.bits {
            Some(bits) => format!("signatures of {bits} bits"),
            None => "whole states".to_string(),
        };
        match self.kind {
            Kind::Exact => "whole states in memory".to_string(),
            Kind::Cache => format!("a cache of {states} (--cache)"),
            Kind::Hub => format!("a hub cache of {states} (--hub)"),
            Kind::Disk => format!("{states} on disk (--disk)"),
            Kind::Compact => format!("{states} (--store compact)"),
            Kind::Bloom => "bits of a filter (--store bloom)".to_string(),
        }
    }

    /// Why a store of the shape `other` cannot take over what a store of this shape has saved; `None` if it can.
    pub fn refusal(&self, other: &StoreShape) -> Option<String> {
        let reason = match (self.kind, self.bits) {
            (Kind::Bloom | Kind::Compact, _) if self.kind == other.kind => {
                "its size, its bits and its seed must stay what they were"
            }
            (Kind::Bloom | Kind::Compact, _) => "what it keeps means nothing outside of its own table",
            (_, None) => return None,
            (_, Some(_)) if other.kind != Kind::Disk => {
                "of a signature alone no other store can tell where it belongs; go on with --disk --store compact"
            }
            (_, Some(_)) if other.bits.is_none() => "a signature cannot be made into a whole state",
            (_, Some(bits)) if other.bits != Some(bits) => "signatures of other --bits cannot be compared with it",
            (_, Some(_)) if self.seed != other.seed => "signatures of another --seed cannot be compared with it",
            _ => return None,
        };
        Some(format!("it holds {}, the search is to go on with {}: {reason}", self.describe(), other.describe()))
    }
}

/// A store that can be saved. Each store implements this beside its own code.
pub trait Save {
    /// The shape of this store.
    fn shape(&self) -> StoreShape;

    /// Writes all sections of the store but its shape.
    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit>;

    /// Reads the sections that a store of the same shape has written. The store that reads must be empty.
    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit>;

    /// Writes all sections of the store.
    fn save_with_shape(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.value(section::SHAPE, &self.shape())?;
        self.save(writer)
    }
}

/// A visited state in a checkpoint. What its store does not know is 0 or empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Visited<'a> {
    /// Where the state lay in a cache.
    pub place: u64,
    /// The signature; never 0 in a store that has signatures.
    pub signature: u64,
    /// The whole state.
    pub state: &'a [u8],
}

impl Visited<'_> {
    /// Writes a record that [`read`](Self::read) understands.
    pub fn write(&self, kind: Kind, writer: &mut Writer) -> Result<(), Limit> {
        let (place, signature) = (self.place.to_le_bytes(), self.signature.to_le_bytes());
        match kind.numbers() {
            0 => writer.record(&[self.state]),
            1 => writer.record(&[&signature, self.state]),
            _ => writer.record(&[&place, &signature, self.state]),
        }
    }

    /// The next record of the section of visited states, which lies in the buffer; `None` at the end of the section.
    pub fn read<'b>(kind: Kind, reader: &mut Reader, buffer: &'b mut Vec<u8>) -> Result<Option<Visited<'b>>, Limit> {
        if !reader.record(buffer)? {
            return Ok(None);
        }
        match Self::parse(kind, buffer) {
            Some(visited) => Ok(Some(visited)),
            None => Err(reader.refuse("a record of a visited state is too short")),
        }
    }

    fn parse(kind: Kind, record: &[u8]) -> Option<Visited<'_>> {
        let (numbers, state) = record.split_at_checked(8 * kind.numbers())?;
        let mut words = numbers.as_chunks::<8>().0.iter().rev().map(|word| u64::from_le_bytes(*word));
        let signature = words.next();
        let place = words.next().unwrap_or(0);
        // A signature of 0 stands for an empty place: no store writes one.
        (signature != Some(0)).then_some(Visited { place, signature: signature.unwrap_or(0), state })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(kind: Kind, bits: Option<u8>, seed: u64) -> StoreShape {
        StoreShape { kind, bits, seed, sizes: Vec::new() }
    }

    /// Whole states go anywhere, signatures only to a table on disk of the same bits and seed, filters nowhere.
    #[test]
    fn who_can_take_over() {
        use Kind::{Bloom, Cache, Compact, Disk, Exact, Hub};
        for to in [Exact, Cache, Hub, Disk, Compact, Bloom] {
            for from in [Exact, Cache, Hub, Disk] {
                assert_eq!(shape(from, None, 1).refusal(&shape(to, Some(40), 2)), None);
            }
            let from = shape(Cache, Some(40), 1);
            assert_eq!(from.refusal(&shape(to, Some(40), 1)).is_none(), to == Disk);
            for from in [Compact, Bloom] {
                assert!(shape(from, Some(40), 1).refusal(&shape(to, Some(40), 1)).is_some());
            }
        }
        let from = shape(Disk, Some(40), 1);
        assert!(from.refusal(&shape(Disk, None, 1)).is_some_and(|why| why.contains("whole state")));
        assert!(from.refusal(&shape(Disk, Some(41), 1)).is_some_and(|why| why.contains("--bits")));
        assert!(from.refusal(&shape(Disk, Some(40), 2)).is_some_and(|why| why.contains("--seed")));
    }

    #[test]
    fn visited_states_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.checkpoint");
        let visited = Visited { place: 7, signature: 9, state: b"state" };
        for kind in [Kind::Exact, Kind::Disk, Kind::Cache, Kind::Hub] {
            let mut writer = Writer::create(&path).unwrap();
            writer.section(section::VISITED).unwrap();
            visited.write(kind, &mut writer).unwrap();
            writer.record(&[b"short"]).unwrap();
            writer.end_section().unwrap();
            writer.finish().unwrap();
            let mut reader = Reader::open(&path).unwrap();
            reader.section(section::VISITED).unwrap();
            let mut buffer = Vec::new();
            let read = Visited::read(kind, &mut reader, &mut buffer).unwrap().unwrap();
            assert_eq!(read.state, b"state");
            assert_eq!(read.signature, if kind == Kind::Exact { 0 } else { 9 });
            assert_eq!(read.place, if kind.forgets() { 7 } else { 0 });
            assert_eq!(Visited::read(kind, &mut reader, &mut buffer).is_ok(), kind == Kind::Exact);
        }
        assert_eq!(Visited::parse(Kind::Disk, &[0; 12]), None);
    }
}
