//! The two-level cache of breadth-first search, which tries to keep hub states: those with many incoming transitions.
//!
//! Idea: Della Penna, Intrigila, Melatti, Tronci, "Exploiting Hub States in Automatic Verification", Fig. 4 and 5. New
//! states go into L1, as in [`BfsCache`](crate::store::BfsCache). A state thrown out of L1 is offered to L2, where an empty
//! place always takes it and a full group only with a small probability p. A hub is met again and again, so it is
//! offered often and gets in at last; once there it stays. L2 finds the group of a state by a hash of the signature, not of
//! the state, because of a state thrown out of L1 nothing but the signature may be known.
//!
//! When it is sound, why it need not end, and what it costs: see [`ForgettingStore`]. A state that is not in L1 costs a look at
//! a second group. A state counts as forgotten when neither level has it.

use crate::checkpoint::Kind;
use crate::limit::Limit;
use crate::store::breadth::forgetting::{CacheLevels, Common, ForgettingStore};
use crate::store::breadth::groups::Groups;
use crate::store::breadth::representation::Representation;
use crate::store::parts::signature::mix;
use rand::Rng;

/// Share of L1 (the paper's p_h: hubs are few).
pub const DEFAULT_SPLIT: f64 = 0.7;
/// Probability that L2 overwrites (the paper's section 5: with more L2 forgets its hubs, with less it takes nothing).
pub const DEFAULT_OVERWRITE: f64 = 0.0001;

/// The cache of two levels. See the head of this file.
pub type HubCache = ForgettingStore<TwoLevels>;

/// The two levels.
#[derive(Debug)]
pub struct TwoLevels {
    first: Groups,
    second: Groups,
    overwrite: f64,
    /// The state that L1 has just thrown out.
    displaced: Vec<u8>,
}

/// The parts of a hub cache.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HubOptions {
    /// Places of both levels together.
    pub slots: u64,
    /// Share of L1.
    pub split: f64,
    /// Probability that a full group of L2 takes a state.
    pub overwrite: f64,
    /// Ways of both levels.
    pub ways: u8,
    /// What is kept of a state.
    pub representation: Representation,
}

impl HubCache {
    /// A cache of two levels; `None` if the system has no room for it.
    pub fn new(options: HubOptions, seed: u64, budget: usize) -> Option<Self> {
        let HubOptions { slots, split, overwrite, ways, representation } = options;
        // Each level has at least one place.
        let first = ((slots as f64 * split).round() as u64).clamp(1, slots.saturating_sub(1).max(1));
        let second = slots.saturating_sub(first).max(1);
        let whole = representation == Representation::States;
        let share = (budget as f64 * first as f64 / (first + second) as f64) as usize;
        let levels = TwoLevels {
            first: Groups::new(first, ways, whole, share)?,
            second: Groups::new(second, ways, whole, budget - share.min(budget))?,
            overwrite: overwrite.clamp(0.0, 1.0),
            displaced: Vec::new(),
        };
        Some(ForgettingStore { levels, common: Common::new(representation, ways, seed) })
    }
}

impl TwoLevels {
    /// Insert_L2 of Fig. 5.
    fn offer(&mut self, common: &mut Common, key: u64, state: &[u8]) -> Result<(), Limit> {
        let group = self.second.group(mix(key));
        if self.second.holds(group.clone(), key, state) {
            return Ok(());
        }
        let slot = match self.second.empty(group.clone()) {
            Some(slot) => slot,
            None => {
                // Either the displaced state is forgotten or the one it overwrites.
                common.tally.forgotten += 1;
                if !common.tally.rng.random_bool(self.overwrite) {
                    return Ok(());
                }
                common.victim(&group)
            }
        };
        self.second.prepare(state.len())?;
        self.second.put(slot, key, state);
        Ok(())
    }
}

impl CacheLevels for TwoLevels {
    const KIND: Kind = Kind::Hub;

    /// Insert of Fig. 4.
    #[inline]
    fn insert(&mut self, common: &mut Common, state: &[u8]) -> Result<bool, Limit> {
        let (key, place) = common.hashes(state);
        let group = self.first.group(place);
        if self.first.holds(group.clone(), key, state) || self.second.holds(self.second.group(mix(key)), key, state) {
            return Ok(false);
        }
        self.first.prepare(state.len())?;
        let slot = match self.first.empty(group.clone()) {
            Some(slot) => slot,
            None => {
                let slot = common.victim(&group);
                let mut displaced = std::mem::take(&mut self.displaced);
                let old = self.first.take(slot, &mut displaced);
                let offered = self.offer(common, old, &displaced);
                self.displaced = displaced;
                offered?;
                slot
            }
        };
        self.first.put(slot, key, state);
        common.inserted(place);
        Ok(true)
    }

    fn groups(&self) -> impl Iterator<Item = &Groups> {
        [&self.first, &self.second].into_iter()
    }

    fn groups_mut(&mut self) -> impl Iterator<Item = &mut Groups> {
        [&mut self.first, &mut self.second].into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::lossy::omission::Omission;
    use crate::store::testing::state;
    use crate::store::{BfsStatistics, BfsStore};

    fn options(slots: u64, overwrite: f64, representation: Representation) -> HubOptions {
        HubOptions { slots, split: 0.7, overwrite, ways: 8, representation }
    }

    #[test]
    fn both_levels_fill_before_anything_is_lost_for_good() {
        for representation in [Representation::States, Representation::Signatures(48)] {
            let mut hub = HubCache::new(options(1_000, 0.0, representation), 1, usize::MAX).unwrap();
            for i in 0..10_000 {
                assert!(hub.insert(&state(i)).unwrap());
            }
            let statistics = hub.statistics();
            assert_eq!(statistics.held, 1_000);
            assert_eq!(statistics.stored, statistics.held + statistics.forgotten);
            assert_eq!(hub.contents().count(), 1_000);
        }
    }

    /// How often 20 states that come again and again are taken for new, in the last quarter of a flood of others.
    fn forgotten_hubs(overwrite: f64) -> u32 {
        let options = HubOptions { split: 0.1, ..options(2_000, overwrite, Representation::Signatures(64)) };
        let mut hub = HubCache::new(options, 1, usize::MAX).unwrap();
        let mut forgotten = 0;
        for i in 0..400_000 {
            hub.insert(&state(1_000_000 + i)).unwrap();
            // What L2 takes first, while it is empty, are others.
            if i > 10_000 && i % 10 == 0 {
                let new = hub.insert(&state(i / 10 % 20)).unwrap();
                forgotten += u32::from(new && i > 300_000);
            }
        }
        forgotten
    }

    /// They are met 10,000 times then. In the long run one of them is in L2 for more than four fifths of the time.
    #[test]
    fn hubs_find_their_way_into_the_second_level() {
        let (with, without) = (forgotten_hubs(0.01), forgotten_hubs(0.0));
        assert!(with * 4 < without, "{with} {without}");
    }

    /// 14 and 6 places in one group each: a new state is compared with up to 20 signatures, not with two times 8.
    #[test]
    fn the_bound_counts_the_places_that_a_group_has() {
        let mut hub = HubCache::new(options(20, 0.5, Representation::Signatures(16)), 1, usize::MAX).unwrap();
        for i in 0..1_000 {
            hub.insert(&state(i)).unwrap();
        }
        let BfsStatistics { stored, omission, .. } = hub.statistics();
        assert_eq!(omission, Omission::of_comparisons(stored, 20.0, 65_535.0));
    }

    #[test]
    fn tiny_caches_work() {
        for slots in 0..5 {
            let mut hub = HubCache::new(options(slots, 0.5, Representation::States), 1, usize::MAX).unwrap();
            for i in 0..100 {
                hub.insert(&state(i)).unwrap();
                assert!(!hub.insert(&state(i)).unwrap());
            }
        }
    }
}
