//! The cache of breadth-first search: N places for visited states; a new state takes the place of an old one when all
//! the places where it may lie are taken.
//!
//! Idea: transition locality (Tronci, Della Penna, Intrigila, Venturini Zilli 2001; see Della Penna et al., "Exploiting
//! Hub States", Fig. 3): most transitions lead to states of nearby levels, so recent states are the ones worth knowing.
//! Read literally, the figure has one place per hash value. Here, as in the authors' own tool, a state may lie in any of
//! the W ways of its group, and one of them, chosen at random, is overwritten only when all are taken; `ways = 1` is
//! the literal reading. Eight signatures are one cache line.
//!
//! When it is sound, why it need not end, and what it costs: see [`ForgettingStore`].

use crate::checkpoint::Kind;
use crate::limit::Limit;
use crate::store::breadth::forgetting::{CacheLevels, Common, ForgettingStore};
use crate::store::breadth::groups::Groups;
use crate::store::breadth::representation::Representation;

/// Ways unless the user says otherwise: a cache line of signatures. (Caching Murphi looks in 13 places.)
pub const DEFAULT_WAYS: u8 = 8;

/// The cache. See the head of this file.
pub type BfsCache = ForgettingStore<OneLevel>;

/// One level: a new state goes into its group, and the state that it overwrites is forgotten.
#[derive(Debug)]
pub struct OneLevel(Groups);

impl BfsCache {
    /// A cache of `slots` places in groups of `ways`; `None` if the system has no room for it.
    pub fn new(slots: u64, ways: u8, representation: Representation, seed: u64, budget: usize) -> Option<Self> {
        let levels = OneLevel(Groups::new(slots, ways, representation == Representation::States, budget)?);
        Some(ForgettingStore { levels, common: Common::new(representation, ways, seed) })
    }
}

impl CacheLevels for OneLevel {
    const KIND: Kind = Kind::Cache;

    /// Insert of Fig. 3.
    #[inline]
    fn insert(&mut self, common: &mut Common, state: &[u8]) -> Result<bool, Limit> {
        let OneLevel(groups) = self;
        let (key, place) = common.hashes(state);
        let group = groups.group(place);
        if groups.holds(group.clone(), key, state) {
            return Ok(false);
        }
        groups.prepare(state.len())?;
        let slot = groups.empty(group.clone()).unwrap_or_else(|| {
            common.tally.forgotten += 1;
            common.victim(&group)
        });
        groups.put(slot, key, state);
        common.inserted(place);
        Ok(true)
    }

    fn groups(&self) -> impl Iterator<Item = &Groups> {
        std::iter::once(&self.0)
    }

    fn groups_mut(&mut self) -> impl Iterator<Item = &mut Groups> {
        std::iter::once(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::BfsStore;
    use crate::store::testing::state;
    use std::collections::HashSet;

    #[test]
    fn nothing_is_forgotten_while_the_group_has_room() {
        for representation in [Representation::States, Representation::Signatures(64)] {
            for ways in [1, 3, 8, 64] {
                let mut cache = BfsCache::new(100, ways, representation, 1, usize::MAX).unwrap();
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
                assert_eq!(cache.is_exact(), representation == Representation::States);
            }
        }
    }

    /// Whole states are never taken for others, and what is held is found.
    #[test]
    fn whole_states_never_lie() {
        let mut cache = BfsCache::new(50, 8, Representation::States, 1, usize::MAX).unwrap();
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
            let mut cache = BfsCache::new(slots, ways, Representation::Signatures(40), 1, usize::MAX).unwrap();
            for i in 0..5_000 {
                cache.insert(&state(i)).unwrap();
            }
            assert_eq!(cache.statistics().held, slots);
        }
    }

    #[test]
    fn budget() {
        let mut cache = BfsCache::new(1_000, 8, Representation::States, 1, 60_000).unwrap();
        assert_eq!(cache.insert(&[1; 20]), Ok(true));
        assert!(matches!(cache.insert(&[1; 70]), Err(Limit::Memory { .. })));
    }
}
