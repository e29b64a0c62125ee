//! The stores of breadth-first search that forget. A cache of one level and one of two levels differ only in where a state
//! may lie and which state makes room for it ([`CacheLevels`]); all the rest is here: what is kept of a state, its hashes,
//! the random choices, the counts that tell how much was forgotten, and checkpoints.
//!
//! Sound with whole states: a forgotten state is visited again, so when the search ends it has seen everything. With signatures
//! two states of one group may be taken for one; the bound on omissions counts that. The search need not end, since
//! forgotten states may be visited for ever: it gives up when the collision rate (states forgotten / insertions, since the
//! start) passes a bound.
//!
//! Cost: that of the [`Groups`], and 16 KiB for the estimate of distinct states.

use crate::checkpoint::{Kind, Reader, Save, StoreShape, Visited, Writer, section};
use crate::limit::Limit;
use crate::store::breadth::groups::Groups;
use crate::store::breadth::representation::Representation;
use crate::store::breadth::{BfsStatistics, BfsStore};
use crate::store::parts::distinct::Distinct;
use crate::store::parts::hash::StateHash;
use crate::store::parts::rng::StoreRng;
use crate::store::parts::signature::Signatures;
use rand::Rng;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Where the states of a cache lie, and which one makes room for another.
pub trait CacheLevels {
    /// Which store it is, in a checkpoint.
    const KIND: Kind;

    /// Looks the state up and inserts it if it is not there, as [`BfsStore::insert`].
    fn insert(&mut self, common: &mut Common, state: &[u8]) -> Result<bool, Limit>;

    /// The groups of each level.
    fn groups(&self) -> impl Iterator<Item = &Groups>;

    /// The groups of each level, to be filled.
    fn groups_mut(&mut self) -> impl Iterator<Item = &mut Groups>;
}

/// What caches of all levels need.
#[derive(Debug)]
pub struct Common {
    representation: Representation,
    ways: u8,
    seed: u64,
    place: StateHash,
    signatures: Signatures,
    pub(super) tally: CacheTally,
}

/// What changes during a search, beside the places: this is what a checkpoint holds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct CacheTally {
    pub rng: StoreRng,
    distinct: Distinct,
    /// Insertions, those of forgotten states that came again included.
    stored: u64,
    /// States that were thrown out and are nowhere any more.
    pub forgotten: u64,
}

impl Common {
    pub(super) fn new(representation: Representation, ways: u8, seed: u64) -> Self {
        Common {
            representation,
            ways,
            seed,
            place: StateHash::new(seed),
            signatures: Signatures::new(representation.lookup_bits(), seed),
            tally: CacheTally { rng: StoreRng::new(seed), distinct: Distinct::default(), stored: 0, forgotten: 0 },
        }
    }

    /// The signature of a state, and the hash that says where it belongs.
    #[inline]
    pub(super) fn hashes(&self, state: &[u8]) -> (u64, u64) {
        (self.signatures.of(state), self.place.hash(state))
    }

    /// The place of a full group that is given up.
    #[inline]
    pub(super) fn victim(&mut self, group: &Range<usize>) -> usize {
        group.start + self.tally.rng.random_range(0..group.len() as u32) as usize
    }

    /// Takes note that a state with this hash was inserted.
    #[inline]
    pub(super) fn inserted(&mut self, place: u64) {
        self.tally.distinct.note(place);
        self.tally.stored += 1;
    }
}

/// A store that forgets. See the head of this file.
#[derive(Debug)]
pub struct ForgettingStore<L> {
    pub(super) levels: L,
    pub(super) common: Common,
}

impl<L: CacheLevels> ForgettingStore<L> {
    /// Everything that is held: the signature, and the state if it is kept.
    pub fn contents(&self) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
        self.levels.groups().flat_map(|groups| groups.places().map(|(_, key, state)| (key, state)))
    }

    /// The place `number` of all levels, counted one after the other: its level, and the place there.
    fn level_of(&mut self, number: u64) -> Option<(&mut Groups, usize)> {
        let mut slot = usize::try_from(number).ok()?;
        for groups in self.levels.groups_mut() {
            if slot < groups.slots() {
                return Some((groups, slot));
            }
            slot -= groups.slots();
        }
        None
    }
}

impl<L: CacheLevels> BfsStore for ForgettingStore<L> {
    fn is_exact(&self) -> bool {
        self.common.representation == Representation::States
    }

    #[inline]
    fn insert(&mut self, state: &[u8]) -> Result<bool, Limit> {
        self.levels.insert(&mut self.common, state)
    }

    fn memory(&self) -> usize {
        self.levels.groups().map(Groups::memory).sum::<usize>() + self.common.tally.distinct.memory()
    }

    fn statistics(&self) -> BfsStatistics {
        let CacheTally { stored, forgotten, ref distinct, .. } = self.common.tally;
        // A new state is compared with every signature of one group of each level.
        let compared = self.levels.groups().map(Groups::mean_ways).sum();
        BfsStatistics {
            held: self.levels.groups().map(Groups::held).sum(),
            forgotten,
            distinct: if forgotten == 0 { stored as f64 } else { distinct.estimate().min(stored as f64) },
            ..BfsStatistics::of_set(stored, self.common.representation.omission(stored, compared))
        }
    }

    fn collision_rate(&self) -> f64 {
        self.common.tally.forgotten as f64 / self.common.tally.stored.max(1) as f64
    }

    /// The state was stored by another store, and what it displaces is known to that one: neither counts here.
    fn adopt(&mut self, _: u64, state: Option<&[u8]>) -> Result<(), Limit> {
        let CacheTally { stored, forgotten, .. } = self.common.tally;
        let adopted = self.insert_adopted(state);
        (self.common.tally.stored, self.common.tally.forgotten) = (stored, forgotten);
        adopted
    }
}

impl<L: CacheLevels> Save for ForgettingStore<L> {
    fn shape(&self) -> StoreShape {
        let Common { representation, ways, seed, .. } = self.common;
        let mut sizes: Vec<u64> = self.levels.groups().map(|groups| groups.slots() as u64).collect();
        sizes.push(u64::from(ways));
        StoreShape { kind: L::KIND, bits: representation.bits(), seed, sizes }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.value(section::PARTS, &self.common.tally)?;
        writer.section(section::VISITED)?;
        let mut first = 0;
        for groups in self.levels.groups() {
            for (slot, signature, state) in groups.places() {
                let state = state.unwrap_or_default();
                Visited { place: (first + slot) as u64, signature, state }.write(L::KIND, writer)?;
            }
            first += groups.slots();
        }
        writer.end_section()
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        self.common.tally = reader.value(section::PARTS)?;
        reader.section(section::VISITED)?;
        let mut buffer = Vec::new();
        while let Some(Visited { place, signature, state }) = Visited::read(L::KIND, reader, &mut buffer)? {
            let Some((groups, slot)) = self.level_of(place) else {
                return Err(reader.refuse("a visited state has no place"));
            };
            groups.prepare(state.len())?;
            groups.put(slot, signature, state);
        }
        Ok(())
    }
}
