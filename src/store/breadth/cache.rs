//! The cache of breadth-first search: N places for visited states; a new state takes the place of an old one when all
//! the places where it may lie are taken.
//!
//! Idea: transition locality (Tronci, Della Penna, Intrigila, Venturini Zilli 2001; see Della Penna et al., "Exploiting
//! Hub States", Fig. 3): most transitions lead to states of nearby levels, so recent states are the ones worth knowing.
//! Read literally, the figure has one place per hash value. Here, as in the authors' own tool, a state may lie in any of
//! the W ways of its group, and one of them, chosen at random, is overwritten only when all are taken; `ways = 1` is
//! the literal reading. Eight signatures are one cache line.
//!
//! Kept are whole states (nothing is ever omitted: a forgotten state is visited again, and when the search ends it has
//! seen everything) or signatures of B bits (two states of one group with the same signature are taken for one).
//!
//! It need not end: forgotten states may be visited for ever. The search gives up when the collision rate (states
//! forgotten / insertions, since the start) passes a bound.
//!
//! Cost: 8 bytes per place, for whole states also a place in a [`Slab`]; a lookup reads one group.

use crate::store::breadth::forgetting::Forgetting;
use crate::store::breadth::{BfsStatistics, BfsStore};
use crate::store::limit::Limit;
use crate::store::lossy::compact::scale;
use crate::store::lossy::omission::Omission;
use crate::store::parts::slab::Slab;
use crate::store::try_zeroed;

/// Ways unless the user says otherwise: a cache line of signatures. (Caching Murphi looks in 13 places.)
pub const DEFAULT_WAYS: u8 = 8;

/// What is kept of a state in a breadth-first cache.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// All of it.
    States,
    /// A signature of this many bits.
    Signatures(u8),
}

/// Groups of places. The key of a state is its signature (never 0), and with whole states the bytes are compared too.
#[derive(Debug)]
pub(in crate::store) struct Groups {
    keys: Vec<u64>,
    states: Option<Slab>,
    groups: u64,
    budget: usize,
    pub held: u64,
}

impl Groups {
    pub fn new(slots: u64, ways: u8, whole: bool, budget: usize) -> Option<Self> {
        let slots = slots.max(1);
        Some(Groups {
            keys: try_zeroed(usize::try_from(slots).ok()?)?,
            states: whole.then(Slab::default),
            groups: (slots / u64::from(ways.max(1))).max(1),
            budget,
            held: 0,
        })
    }

    pub fn memory(&self) -> usize {
        self.keys.capacity() * size_of::<u64>() + self.states.as_ref().map_or(0, Slab::memory)
    }

    /// The places of a group. Where the ways do not divide the places, some groups have one more.
    #[inline]
    fn range(&self, group: u64) -> std::ops::Range<usize> {
        let slots = self.keys.len() as u128;
        let start = |group: u64| (u128::from(group) * slots / u128::from(self.groups)) as usize;
        start(group)..start(group + 1)
    }

    /// The group of a hash.
    #[inline]
    pub fn group(&self, hash: u64) -> std::ops::Range<usize> {
        self.range(scale(hash, self.groups))
    }

    /// Is the state in this group?
    #[inline]
    pub fn holds(&self, group: std::ops::Range<usize>, key: u64, state: &[u8]) -> bool {
        let mut places = group.clone().zip(&self.keys[group]).filter(|&(_, &other)| other == key);
        match &self.states {
            None => places.next().is_some(),
            Some(slab) => places.any(|(slot, _)| slab.get(slot) == Some(state)),
        }
    }

    /// An empty place of this group.
    #[inline]
    pub fn empty(&self, group: std::ops::Range<usize>) -> Option<usize> {
        self.keys[group.clone()].iter().position(|&key| key == 0).map(|offset| group.start + offset)
    }

    /// Makes sure that a place can take a state of this length.
    #[inline]
    pub fn prepare(&mut self, length: usize) -> Result<(), Limit> {
        let room = self.budget.saturating_sub(self.memory());
        let count = self.keys.len();
        if let Some(slab) = &mut self.states
            && !slab.fits(length)
            && !slab.widen(length, count, room)
        {
            return Err(Limit::Memory { used: self.memory() as u64, budget: self.budget as u64 });
        }
        Ok(())
    }

    /// What lies at a place, which is about to be overwritten: its key, and into `state` its bytes if they are kept.
    pub fn take(&self, slot: usize, state: &mut Vec<u8>) -> u64 {
        state.clear();
        state.extend_from_slice(self.states.as_ref().and_then(|slab| slab.get(slot)).unwrap_or_default());
        self.keys[slot]
    }

    /// Writes to a place.
    #[inline]
    pub fn put(&mut self, slot: usize, key: u64, state: &[u8]) {
        self.held += u64::from(self.keys[slot] == 0);
        self.keys[slot] = key;
        if let Some(slab) = &mut self.states {
            slab.set(slot, state);
        }
    }

    /// Number of places.
    pub fn slots(&self) -> usize {
        self.keys.len()
    }

    /// All that is held: keys, and the states if they are kept.
    pub fn contents(&self) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
        self.places().map(|(_, key, state)| (key, state))
    }

    /// All that is held, with its place.
    pub fn places(&self) -> impl Iterator<Item = (usize, u64, Option<&[u8]>)> {
        let state = |slot| self.states.as_ref().and_then(|slab| slab.get(slot));
        self.keys.iter().enumerate().filter(|&(_, &key)| key != 0).map(move |(slot, &key)| (slot, key, state(slot)))
    }
}

/// The cache. See the head of this file.
#[derive(Debug)]
pub struct BfsCache {
    pub(in crate::store) groups: Groups,
    pub(in crate::store) common: Forgetting,
}

impl BfsCache {
    /// A cache of `slots` places in groups of `ways`; `None` if the system has no room for it.
    pub fn new(slots: u64, ways: u8, kept: Kept, seed: u64, budget: usize) -> Option<Self> {
        Some(BfsCache {
            groups: Groups::new(slots, ways, kept == Kept::States, budget)?,
            common: Forgetting::new(kept, ways, seed),
        })
    }

    /// All that is held: signatures, and the states if they are kept.
    pub fn contents(&self) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
        self.groups.contents()
    }
}

impl Kept {
    pub(in crate::store) fn bits(self) -> u8 {
        match self {
            Kept::States => 64,
            Kept::Signatures(bits) => bits,
        }
    }

    /// A bound on the probability that one of `stored` insertions was an omission, each compared with at most `ways`
    /// signatures of its group.
    pub(in crate::store) fn omission(self, stored: u64, ways: f64) -> Omission {
        match self {
            Kept::States => Omission::NONE,
            Kept::Signatures(bits) => Omission::of_comparisons(stored, ways, 2f64.powi(i32::from(bits)) - 1.0),
        }
    }
}

impl BfsStore for BfsCache {
    fn is_exact(&self) -> bool {
        self.common.kept == Kept::States
    }

    #[inline]
    fn insert(&mut self, state: &[u8]) -> Result<bool, Limit> {
        let (key, place) = self.common.hashes(state);
        let group = self.groups.group(place);
        if self.groups.holds(group.clone(), key, state) {
            return Ok(false);
        }
        self.groups.prepare(state.len())?;
        let slot = self.groups.empty(group.clone()).unwrap_or_else(|| {
            self.common.forgotten += 1;
            self.common.victim(&group)
        });
        self.groups.put(slot, key, state);
        self.common.inserted(place);
        Ok(true)
    }

    fn memory(&self) -> usize {
        self.groups.memory() + self.common.distinct.memory()
    }

    fn statistics(&self) -> BfsStatistics {
        let ways = self.groups.keys.len() as f64 / self.groups.groups as f64;
        self.common.statistics(self.groups.held, ways)
    }

    fn collision_rate(&self) -> f64 {
        self.common.collision_rate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn state(i: u64) -> Vec<u8> {
        let mut bytes = i.to_le_bytes().to_vec();
        bytes.resize(8 + (i % 21) as usize, 5);
        bytes
    }

    #[test]
    fn nothing_is_forgotten_while_the_group_has_room() {
        for kept in [Kept::States, Kept::Signatures(64)] {
            for ways in [1, 3, 8, 64] {
                let mut cache = BfsCache::new(100, ways, kept, 1, usize::MAX).unwrap();
                let mut new = 0;
                for i in 0..60 {
                    new += u64::from(cache.insert(&state(i)).unwrap());
                }
                let statistics = cache.statistics();
                assert_eq!((new, statistics.stored), (60, 60));
                assert_eq!(statistics.held + statistics.forgotten, 60);
                // One way loses where eight do not.
                assert!(ways != 1 || statistics.forgotten > 5);
                assert!(ways < 64 || statistics.forgotten == 0);
                assert_eq!(cache.contents().count() as u64, statistics.held);
                assert_eq!(cache.is_exact(), kept == Kept::States);
            }
        }
    }

    /// Whole states are never taken for others, and what is held is found.
    #[test]
    fn whole_states_never_lie() {
        let mut cache = BfsCache::new(50, 8, Kept::States, 1, usize::MAX).unwrap();
        let mut seen = HashSet::new();
        let mut x = 1u64;
        for _ in 0..20_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let i = (x >> 33) % 300;
            if !cache.insert(&state(i)).unwrap() {
                assert!(seen.contains(&i));
            }
            seen.insert(i);
            assert!(!cache.insert(&state(i)).unwrap());
        }
        let statistics = cache.statistics();
        assert_eq!(statistics.held, 50);
        assert_eq!(statistics.stored, statistics.held + statistics.forgotten);
        assert!((statistics.distinct - 300.0).abs() < 10.0, "{}", statistics.distinct);
        assert!((cache.collision_rate() - 0.997).abs() < 0.01);
    }

    #[test]
    fn all_places_are_used() {
        for (slots, ways) in [(1, 8), (7, 8), (20, 8), (23, 4), (64, 8)] {
            let mut cache = BfsCache::new(slots, ways, Kept::Signatures(40), 1, usize::MAX).unwrap();
            for i in 0..5_000 {
                cache.insert(&state(i)).unwrap();
            }
            assert_eq!(cache.statistics().held, slots);
        }
    }

    #[test]
    fn budget() {
        let mut cache = BfsCache::new(1_000, 8, Kept::States, 1, 60_000).unwrap();
        assert_eq!(cache.insert(&[1; 20]), Ok(true));
        assert!(matches!(cache.insert(&[1; 70]), Err(Limit::Memory { .. })));
    }
}
