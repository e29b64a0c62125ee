//! Breadth-first stores in a checkpoint, and out of it.
//!
//! Idea: a search goes on either with a store of the same [`Shape`], which gets back every bit (places, random numbers,
//! what waits on disk), so that nothing shows that it was interrupted; or with another one, which [adopts](Saved::adopt)
//! what the first one knew. Whole states can go anywhere. A signature alone tells nothing but itself: the table on disk
//! compares signatures, so it can take them; every other store would have to know where the state belongs.
//!
//! Sections: `shap` the shape, `stor` its small parts, `visi` what was visited, for the disk also `wait` and `verd`.

use crate::store::breadth::cache::Groups;
use crate::store::breadth::disk::DiskStore;
use crate::store::breadth::forgetting::Forgetting;
use crate::store::breadth::pending::Inserted;
use crate::store::checkpoint::{Reader, Writer};
use crate::store::limit::Limit;
use crate::store::parts::distinct::Distinct;
use crate::store::parts::rng::StoreRng;
use crate::store::{BfsCache, BfsStore, BloomStore, CompactStore, ExactStore, FindStore, HubCache, Kept};
use serde::{Deserialize, Serialize};

const SHAPE: [u8; 4] = *b"shap";
const PARTS: [u8; 4] = *b"stor";
const VISITED: [u8; 4] = *b"visi";
const WAITING: [u8; 4] = *b"wait";
const VERDICTS: [u8; 4] = *b"verd";

/// Which store it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// Whole states in memory.
    Exact,
    /// A cache.
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

/// What must be the same for a store to be read back as it was.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// Which store.
    pub kind: Kind,
    /// Bits of a signature; `None` for whole states.
    pub bits: Option<u8>,
    /// Of its hashes; 0 where it does not matter.
    pub seed: u64,
    /// Its sizes: places, ways; functions of a Bloom filter.
    pub sizes: Vec<u64>,
}

impl Shape {
    /// In a sentence.
    fn describe(&self) -> String {
        let kept = match self.bits {
            Some(bits) => format!("signatures of {bits} bits"),
            None => "whole states".to_string(),
        };
        match self.kind {
            Kind::Exact => "whole states in memory".to_string(),
            Kind::Cache => format!("a cache of {kept} (--cache)"),
            Kind::Hub => format!("a hub cache of {kept} (--hub)"),
            Kind::Disk => format!("{kept} on disk (--disk)"),
            Kind::Compact => format!("{kept} (--store compact)"),
            Kind::Bloom => "bits of a filter (--store bloom)".to_string(),
        }
    }

    /// Why a store of another shape cannot take over what this one knows; `None`: it can.
    pub fn refusal(&self, other: &Shape) -> Option<String> {
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

/// A store that can be saved.
pub trait Saved {
    /// Its shape.
    fn shape(&self) -> Shape;

    /// Writes all of it but its shape.
    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit>;

    /// Reads back what a store of the same shape has written; this one is empty.
    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit>;

    /// Takes over what another store knew: its signature, and the state if it was kept. Not counted as forgotten, whatever
    /// goes; with a cache not as stored either.
    fn adopt(&mut self, signature: u64, state: Option<&[u8]>) -> Result<(), Limit>;

    /// Takes over a state that waits in the queue.
    fn adopt_waiting(&mut self, state: &[u8]) -> Result<(), Limit> {
        self.adopt(0, Some(state))
    }

    /// The next so many states that come out of the queue were confirmed elsewhere.
    fn trust(&mut self, _states: u64) {}
}

/// What becomes of the states that waited in the queue of another store.
#[derive(Debug, Default)]
pub struct Judged {
    /// By position in the queue: it was really new. What comes later was not judged yet.
    pub verdicts: Vec<bool>,
    /// Nothing is left to judge: all are new.
    pub all: bool,
}

/// Writes a store.
pub fn save(store: &mut impl Saved, writer: &mut Writer) -> Result<(), Limit> {
    writer.value(SHAPE, &store.shape())?;
    store.save(writer)
}

/// The shape of the store in a checkpoint.
pub fn shape(reader: &mut Reader) -> Result<Shape, Limit> {
    reader.value(SHAPE)
}

/// Lets a store of another shape adopt what is in the checkpoint; gives what is known of the queue.
pub fn convert(store: &mut impl Saved, reader: &mut Reader) -> Result<Judged, Limit> {
    let from = shape(reader)?;
    if let Some(why) = from.refusal(&store.shape()) {
        return Err(reader.refuse(&why));
    }
    let judged = match from.kind {
        Kind::Disk => verdicts(reader)?,
        _ => Judged { verdicts: Vec::new(), all: true },
    };
    reader.section(VISITED)?;
    let mut record = Vec::new();
    // In front of what is kept: the place (caches), then the signature.
    let skip = if matches!(from.kind, Kind::Cache | Kind::Hub) { 8 } else { 0 };
    while reader.record(&mut record)? {
        let rest = record.get(skip..).unwrap_or_default();
        match rest.split_first_chunk::<8>() {
            _ if from.kind == Kind::Exact => store.adopt(0, Some(rest))?,
            Some((signature, state)) => {
                let signature = u64::from_le_bytes(*signature);
                store.adopt(signature, from.bits.is_none().then_some(state))?;
            }
            None => return Err(reader.refuse("a record of a visited state is too short")),
        }
    }
    Ok(judged)
}

/// The verdicts of a disk store on the queue.
fn verdicts(reader: &mut Reader) -> Result<Judged, Limit> {
    let parts: DiskParts = reader.value(PARTS)?;
    let mut verdicts = vec![true; usize::try_from(parts.given).unwrap_or(usize::MAX)];
    let mut add = |map: &[u8], from: usize, count: usize| {
        verdicts.extend((from..count).map(|at| map.get(at / 8).is_some_and(|byte| byte & 1 << (at % 8) != 0)));
    };
    add(&parts.current, parts.at, parts.count);
    reader.section(VERDICTS)?;
    let mut record = Vec::new();
    while reader.record(&mut record)? {
        if let Some((count, map)) = record.split_first_chunk::<4>() {
            add(map, 0, u32::from_le_bytes(*count) as usize);
        }
    }
    Ok(Judged { verdicts, all: false })
}

/// The small parts of a cache.
#[derive(Serialize, Deserialize)]
struct CacheParts {
    rng: [u64; 4],
    distinct: Vec<u8>,
    stored: u64,
    forgotten: u64,
}

fn distinct(registers: &[u8], reader: &Reader) -> Result<Distinct, Limit> {
    Distinct::from_registers(registers).ok_or_else(|| reader.refuse("the registers of its estimate are incomplete"))
}

fn save_common(writer: &mut Writer, common: &Forgetting) -> Result<(), Limit> {
    let Forgetting { stored, forgotten, .. } = *common;
    let distinct = common.distinct.registers().to_vec();
    writer.value(PARTS, &CacheParts { rng: common.rng.0, distinct, stored, forgotten })
}

fn load_common(reader: &mut Reader, common: &mut Forgetting) -> Result<(), Limit> {
    let parts: CacheParts = reader.value(PARTS)?;
    common.distinct = distinct(&parts.distinct, reader)?;
    common.rng = StoreRng(parts.rng);
    (common.stored, common.forgotten) = (parts.stored, parts.forgotten);
    Ok(())
}

/// Writes the places of a cache; those of a second level are numbered from `first` on.
fn save_places(writer: &mut Writer, groups: &Groups, first: usize) -> Result<(), Limit> {
    let mut record = Vec::new();
    for (slot, key, state) in groups.places() {
        record.clear();
        record.extend_from_slice(&((first + slot) as u64).to_le_bytes());
        record.extend_from_slice(&key.to_le_bytes());
        record.extend_from_slice(state.unwrap_or_default());
        writer.record(&record)?;
    }
    Ok(())
}

/// Reads the places of a cache, of two levels if there is a second one.
fn load_places(reader: &mut Reader, levels: &mut [&mut Groups]) -> Result<(), Limit> {
    reader.section(VISITED)?;
    let mut record = Vec::new();
    while reader.record(&mut record)? {
        let numbers = record.as_chunks::<8>().0;
        let (Some(slot), Some(key)) = (numbers.first(), numbers.get(1)) else {
            return Err(reader.refuse("a record of a visited state is too short"));
        };
        let mut slot = u64::from_le_bytes(*slot) as usize;
        let state = &record[16..];
        let level = levels.iter_mut().find(|level| {
            let here = slot < level.slots();
            slot -= if here { 0 } else { level.slots() };
            here
        });
        let Some(level) = level else { return Err(reader.refuse("a visited state has no place")) };
        level.prepare(state.len())?;
        level.put(slot, u64::from_le_bytes(*key), state);
    }
    Ok(())
}

fn kept_bits(kept: Kept) -> Option<u8> {
    match kept {
        Kept::States => None,
        Kept::Signatures(bits) => Some(bits),
    }
}

/// A store that needs the state itself.
fn adopt_state(store: &mut impl BfsStore, state: Option<&[u8]>) -> Result<(), Limit> {
    match state {
        Some(state) => store.insert(state).map(|_| ()),
        None => Err(Limit::File("a signature alone cannot go into this store".to_string())),
    }
}

impl Saved for BfsCache {
    fn shape(&self) -> Shape {
        let sizes = vec![self.groups.slots() as u64, u64::from(self.common.ways)];
        Shape { kind: Kind::Cache, bits: kept_bits(self.common.kept), seed: self.common.seed, sizes }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        save_common(writer, &self.common)?;
        writer.section(VISITED)?;
        save_places(writer, &self.groups, 0)?;
        writer.end_section()
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        load_common(reader, &mut self.common)?;
        load_places(reader, &mut [&mut self.groups])
    }

    fn adopt(&mut self, _: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        let before = (self.common.stored, self.common.forgotten);
        let adopted = adopt_state(self, state);
        (self.common.stored, self.common.forgotten) = before;
        adopted
    }
}

impl Saved for HubCache {
    fn shape(&self) -> Shape {
        let sizes = vec![self.first.slots() as u64, self.second.slots() as u64, u64::from(self.common.ways)];
        Shape { kind: Kind::Hub, bits: kept_bits(self.common.kept), seed: self.common.seed, sizes }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        save_common(writer, &self.common)?;
        writer.section(VISITED)?;
        save_places(writer, &self.first, 0)?;
        save_places(writer, &self.second, self.first.slots())?;
        writer.end_section()
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        load_common(reader, &mut self.common)?;
        load_places(reader, &mut [&mut self.first, &mut self.second])
    }

    fn adopt(&mut self, _: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        let before = (self.common.stored, self.common.forgotten);
        let adopted = adopt_state(self, state);
        (self.common.stored, self.common.forgotten) = before;
        adopted
    }
}

impl Saved for ExactStore {
    fn shape(&self) -> Shape {
        Shape { kind: Kind::Exact, bits: None, seed: 0, sizes: Vec::new() }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(VISITED)?;
        let mut next = self.first();
        while let Some(handle) = next {
            writer.record(FindStore::get(self, handle))?;
            next = self.next(handle);
        }
        writer.end_section()
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        reader.section(VISITED)?;
        let mut record = Vec::new();
        while reader.record(&mut record)? {
            BfsStore::insert(self, &record)?;
        }
        Ok(())
    }

    fn adopt(&mut self, _: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        adopt_state(self, state)
    }
}

/// Writes a table of words: those that are not 0 with their place, or all if that is shorter.
fn save_words(writer: &mut Writer, words: &[u64]) -> Result<(), Limit> {
    let taken = words.iter().filter(|&&word| word != 0).count();
    let dense = taken * 2 >= words.len();
    writer.section(VISITED)?;
    writer.write(&u32::from(dense).to_le_bytes())?;
    for (place, &word) in words.iter().enumerate() {
        if dense {
            writer.write(&word.to_le_bytes())?;
        } else if word != 0 {
            writer.write(&(place as u64).to_le_bytes())?;
            writer.write(&word.to_le_bytes())?;
        }
    }
    writer.end_section()
}

fn load_words(reader: &mut Reader, words: &mut [u64]) -> Result<(), Limit> {
    let length = reader.section(VISITED)?.saturating_sub(4);
    if reader.u32()? == 1 {
        return words.iter_mut().try_for_each(|word| reader.u64().map(|read| *word = read));
    }
    for _ in 0..length / 16 {
        let (place, value) = (reader.u64()?, reader.u64()?);
        match usize::try_from(place).ok().and_then(|place| words.get_mut(place)) {
            Some(word) => *word = value,
            None => return Err(reader.refuse("its table is larger than it says")),
        }
    }
    Ok(())
}

impl Saved for CompactStore {
    fn shape(&self) -> Shape {
        Shape { kind: Kind::Compact, bits: Some(self.bits as u8), seed: self.seed, sizes: vec![self.slots] }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.value(PARTS, &self.len)?;
        save_words(writer, &self.words)
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        self.len = reader.value(PARTS)?;
        load_words(reader, &mut self.words)
    }

    fn adopt(&mut self, _: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        adopt_state(self, state)
    }
}

impl Saved for BloomStore {
    fn shape(&self) -> Shape {
        let sizes = vec![self.words.len() as u64 * 8, u64::from(self.functions)];
        Shape { kind: Kind::Bloom, bits: Some(1), seed: self.seed, sizes }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.value(PARTS, &(self.len, self.ones))?;
        save_words(writer, &self.words)
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        (self.len, self.ones) = reader.value(PARTS)?;
        load_words(reader, &mut self.words)
    }

    fn adopt(&mut self, _: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        adopt_state(self, state)
    }
}

/// The small parts of a disk store. Fractions are written bit by bit: they must come back exactly.
#[derive(Serialize, Deserialize)]
struct DiskParts {
    rng: [u64; 4],
    distinct: Vec<u8>,
    current: Vec<u8>,
    at: usize,
    count: usize,
    given: u64,
    share: u64,
    level: u64,
    checks: u64,
    partial: bool,
    kept_logarithm: u64,
    bytes_read: u64,
    capacity: usize,
}

impl Saved for DiskStore {
    /// Memory and window may change: they only say when and how much of D is read.
    fn shape(&self) -> Shape {
        let bits = kept_bits(self.options.kept);
        Shape { kind: Kind::Disk, bits, seed: self.options.seed, sizes: Vec::new() }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        let bytes_read = self.table.bytes_read;
        let parts = DiskParts {
            rng: self.rng.0,
            distinct: self.distinct.registers().to_vec(),
            current: self.current.clone(),
            at: self.at,
            count: self.count,
            given: self.given,
            share: self.share.to_bits(),
            level: self.level,
            checks: self.checks,
            partial: self.partial,
            kept_logarithm: self.kept_logarithm.to_bits(),
            bytes_read,
            capacity: self.pending.capacity(),
        };
        writer.value(PARTS, &parts)?;
        writer.section(VISITED)?;
        let mut record = Vec::new();
        let written = self.contents(|signature, state| {
            record.clear();
            record.extend_from_slice(&signature.to_le_bytes());
            record.extend_from_slice(state);
            writer.record(&record)
        });
        // Reading for a checkpoint is no work of the search.
        self.table.bytes_read = bytes_read;
        written?;
        writer.end_section()?;
        writer.section(WAITING)?;
        self.pending.each(|signature, state, waits| {
            record.clear();
            record.push(u8::from(waits));
            record.extend_from_slice(&signature.to_le_bytes());
            record.extend_from_slice(state);
            writer.record(&record)
        })?;
        writer.end_section()?;
        writer.section(VERDICTS)?;
        self.verdicts.for_each(|record| writer.record(record))?;
        writer.end_section()
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        let whole = self.options.kept == Kept::States;
        let mut record = Vec::new();
        reader.section(VISITED)?;
        while reader.record(&mut record)? {
            match record.split_first_chunk::<8>() {
                Some((signature, state)) => self.preload(u64::from_le_bytes(*signature), whole.then_some(state))?,
                None => return Err(reader.refuse("a record of a visited state is too short")),
            }
        }
        let parts: DiskParts = reader.value(PARTS)?;
        self.distinct = distinct(&parts.distinct, reader)?;
        self.rng = StoreRng(parts.rng);
        self.current = parts.current;
        (self.at, self.count, self.given) = (parts.at, parts.count, parts.given);
        if self.count.div_ceil(8) > self.current.len() || self.at > self.count {
            return Err(reader.refuse("verdicts on the queue are missing"));
        }
        self.share = f64::from_bits(parts.share);
        (self.level, self.checks, self.partial) = (parts.level, parts.checks, parts.partial);
        self.kept_logarithm = f64::from_bits(parts.kept_logarithm);
        reader.section(VERDICTS)?;
        while reader.record(&mut record)? {
            self.verdicts.push(&[&record])?;
        }
        self.pending.set_capacity(parts.capacity);
        reader.section(WAITING)?;
        while reader.record(&mut record)? {
            let Some((&waits, rest)) = record.split_first() else { continue };
            let Some((signature, state)) = rest.split_first_chunk::<8>() else { continue };
            self.put_back(waits != 0, u64::from_le_bytes(*signature), state)?;
        }
        self.table.bytes_read = parts.bytes_read;
        Ok(())
    }

    fn trust(&mut self, states: u64) {
        DiskStore::trust(self, states);
    }

    fn adopt(&mut self, signature: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        let signature = state.map_or(signature, |state| self.signatures.of(state));
        self.preload(signature, state)
    }
}

impl DiskStore {
    /// A state of M.
    fn put_back(&mut self, waits: bool, signature: u64, state: &[u8]) -> Result<(), Limit> {
        let signature = if self.options.kept == Kept::States { self.signatures.of(state) } else { signature };
        if waits {
            // With less memory than before M may be full: then it is judged here.
            return self.put(signature, state).map(|_| ());
        }
        if self.pending.insert(signature, state) == Inserted::New {
            self.pending.know_last();
        }
        Ok(())
    }
}
