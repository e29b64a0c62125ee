//! Which state a full cache forgets: random choice and type-oriented choice as in Godefroid, Holzmann, Pirottin 1995,
//! section 5 and Figure 5, the four strategies of Holzmann 1985 that they recall there, and one of our own, by expected cost
//! (`chances.rs`), which is the default: docs/papers.md has the figures.
//!
//! Idea: states that may be forgotten (not on the stack) lie in lists, one list per class. The strategy says which class
//! a state belongs to, and picks a list; inside a list the choice is random.
//!
//! | strategy | class of a state | list that a state is forgotten from |
//! |---|---|---|
//! | random | one class for all | the only one |
//! | type | one class for all | the only one: the highest transition type among `scan` neighbours |
//! | most-visited | number of visits | the highest class |
//! | least-visited | number of visits | the lowest class |
//! | largest-class | number of visits | the largest class |
//! | smallest-subtree | states below it in the search tree, as a power of two | the lowest class |
//! | cost | one class for all | the only one: the least work below times chance to be met again among 16 neighbours |
//!
//! Sound whatever is chosen: a forgotten state is at worst explored again.
//!
//! Cost: a state leaves a list by swapping places with the last one, in constant time; choosing looks at no more than
//! `CLASSES` lists or `scan` states. 4 bytes per state in the lists, 12 bytes of traits.

use super::chances::Chances;
use crate::model::TransitionType;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Visits are told apart up to this many; beyond, [Hol87] found no use in counting, and it bounds a choice.
const CLASSES: usize = 64;
/// States that the type-oriented strategy looks at for one eviction: the caching paper leaves it open ("an arbitrary limit
/// is given"). Ten find a good victim nearly always and cost less than one lookup. More favours low types harder: with a
/// limit near the size of the cache, old states of type 1 would fill it and never leave.
pub const SCAN_LIMIT: u32 = 10;

/// The strategies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement {
    /// Any state.
    Random,
    /// One with the highest transition type among this many.
    Type {
        /// How many are looked at.
        scan: u32,
    },
    /// The most frequently visited.
    MostVisited,
    /// The least frequently visited.
    LeastVisited,
    /// One from the largest class of equally often visited states.
    LargestClass,
    /// The lowest in the search tree.
    SmallestSubtree,
    /// The one whose loss is expected to cost least.
    Cost,
}

/// What the strategies know about a state.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Traits {
    /// Off the stack: its index in the list of its class. On the stack: the number of insertions (with `cost`, of transitions) before it,
    /// modulo 2^32 (a subtree of more than that is taken for a smaller one, which costs time, not soundness).
    place: u32,
    /// With `cost`: the time at which it left the stack or was met last.
    pub(super) since: u32,
    /// Visits, up to [`CLASSES`].
    pub(super) visits: u8,
    /// Smallest type of the transitions that led to it.
    pub(super) kind: u8,
    /// The list that it is in; with `cost`, the power of two of the transitions below it.
    pub(super) class: u8,
    pub(in crate::store) on_stack: bool,
}

/// The states that may be forgotten.
#[derive(Debug)]
pub(in crate::store) struct Evictable {
    strategy: Replacement,
    lists: Vec<Vec<u32>>,
    rng: SmallRng,
    insertions: u32,
    /// With `cost`.
    chances: Option<Chances>,
}

impl Evictable {
    pub(in crate::store) fn new(strategy: Replacement, seed: u64) -> Self {
        let classes = match strategy {
            Replacement::Random | Replacement::Type { .. } | Replacement::Cost => 1,
            _ => CLASSES,
        };
        Evictable {
            strategy,
            lists: vec![Vec::new(); classes],
            rng: SmallRng::seed_from_u64(seed),
            insertions: 0,
            chances: (strategy == Replacement::Cost).then(Chances::new),
        }
    }

    pub(in crate::store) fn memory(&self) -> usize {
        let lists = self.lists.iter().map(|list| list.capacity() * size_of::<u32>()).sum::<usize>();
        lists + self.chances.as_ref().map_or(0, Chances::memory)
    }

    /// A new state, on the stack.
    pub(in crate::store) fn arrive(&mut self, how: TransitionType) -> Traits {
        self.insertions = self.insertions.wrapping_add(1);
        let place = self.chances.as_mut().map_or(self.insertions, Chances::tick);
        Traits { place, since: 0, visits: 1, kind: how as u8, class: 0, on_stack: true }
    }

    /// State `number` was met again.
    #[inline]
    pub(in crate::store) fn meet(&mut self, traits: &mut [Traits], number: u32, how: TransitionType) {
        let state = &mut traits[number as usize];
        if let Some(chances) = &mut self.chances {
            chances.tick();
            if !state.on_stack {
                chances.note(state, true);
            }
        }
        state.kind = state.kind.min(how as u8);
        if usize::from(state.visits) < CLASSES {
            state.visits += 1;
        }
        let by_visits =
            matches!(self.strategy, Replacement::MostVisited | Replacement::LeastVisited | Replacement::LargestClass);
        if by_visits && !state.on_stack {
            self.remove(traits, number);
            self.add(traits, number);
        }
    }

    /// State `number` leaves the stack and may be forgotten from now on.
    #[inline]
    pub(in crate::store) fn leave(&mut self, traits: &mut [Traits], number: u32) {
        let state = &mut traits[number as usize];
        state.on_stack = false;
        if let Some(chances) = &mut self.chances {
            state.class = chances.work_since(state.place);
            chances.note(state, false);
        }
        self.add(traits, number);
    }

    fn add(&mut self, traits: &mut [Traits], number: u32) {
        let state = &mut traits[number as usize];
        let class = match self.strategy {
            Replacement::Random | Replacement::Type { .. } | Replacement::Cost => 0,
            Replacement::MostVisited | Replacement::LeastVisited | Replacement::LargestClass => {
                usize::from(state.visits - 1)
            }
            // Called once, when it leaves the stack: what was inserted since it arrived is its subtree.
            Replacement::SmallestSubtree => {
                self.insertions.wrapping_sub(state.place).saturating_add(1).ilog2() as usize
            }
        };
        let list = &mut self.lists[class];
        if self.strategy != Replacement::Cost {
            state.class = class as u8;
        }
        state.place = list.len() as u32;
        list.push(number);
    }

    fn remove(&mut self, traits: &mut [Traits], number: u32) {
        let Traits { class, place, .. } = traits[number as usize];
        let list = if self.lists.len() == 1 { 0 } else { usize::from(class) };
        let list = &mut self.lists[list];
        list.swap_remove(place as usize);
        if let Some(&moved) = list.get(place as usize) {
            traits[moved as usize].place = place;
        }
    }

    /// Chooses a state to forget and takes it off the lists; `None` if all are on the stack.
    pub(in crate::store) fn choose(&mut self, traits: &mut [Traits]) -> Option<u32> {
        let list = match self.strategy {
            Replacement::Random | Replacement::Type { .. } | Replacement::Cost => self.lists.first(),
            Replacement::MostVisited => self.lists.iter().rfind(|list| !list.is_empty()),
            Replacement::LeastVisited | Replacement::SmallestSubtree => self.lists.iter().find(|list| !list.is_empty()),
            Replacement::LargestClass => self.lists.iter().max_by_key(|list| list.len()),
        }?;
        if list.is_empty() {
            return None;
        }
        // Ranges of u32, not usize: the draws are then the same on every machine.
        let length = list.len() as u32;
        let start = self.rng.random_range(0..length);
        let number = match self.strategy {
            Replacement::Cost => self.chances.as_mut()?.cheapest(list, traits, start as usize)?,
            // Neighbours in the list are as good as random ones (removal shuffles it) and lie in one cache line.
            Replacement::Type { scan } => (0..scan.clamp(1, length))
                .map(|step| list[((start + step) % length) as usize])
                .max_by_key(|&number| traits[number as usize].kind)?,
            _ => list[start as usize],
        };
        self.remove(traits, number);
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER: TransitionType = TransitionType::Other;

    /// Ten states off the stack, state i visited i + 1 times more.
    fn ten(strategy: Replacement) -> (Evictable, Vec<Traits>) {
        let mut evictable = Evictable::new(strategy, 1);
        let mut traits: Vec<Traits> = (0..10).map(|_| evictable.arrive(OTHER)).collect();
        for number in (0..10).rev() {
            evictable.leave(&mut traits, number);
        }
        for number in 0..10 {
            for _ in 0..number + 1 {
                evictable.meet(&mut traits, number, OTHER);
            }
        }
        (evictable, traits)
    }

    fn order(strategy: Replacement) -> Vec<u32> {
        let (mut evictable, mut traits) = ten(strategy);
        std::iter::from_fn(|| evictable.choose(&mut traits)).collect()
    }

    #[test]
    fn orders() {
        let up: Vec<u32> = (0..10).collect();
        let down: Vec<u32> = (0..10).rev().collect();
        assert_eq!(order(Replacement::LeastVisited), up);
        assert_eq!(order(Replacement::MostVisited), down);
        // The subtree of state i is the states i to 9: classes 9 | 8 7 | 6 to 3 | 2 1 0 by size 1, 2-3, 4-7, 8-10.
        let mut by_subtree = order(Replacement::SmallestSubtree);
        for group in [0..1, 1..3, 3..7, 7..10] {
            by_subtree[group].sort_by(|a, b| b.cmp(a));
        }
        assert_eq!(by_subtree, down);
        for strategy in [Replacement::Random, Replacement::Type { scan: 3 }, Replacement::LargestClass] {
            let mut all = order(strategy);
            assert_ne!(all, up, "{strategy:?}");
            all.sort_unstable();
            assert_eq!(all, up, "{strategy:?}");
        }
    }

    #[test]
    fn largest_class_first() {
        let (mut evictable, mut traits) = ten(Replacement::LargestClass);
        // State 3 becomes as often visited as 4.
        evictable.meet(&mut traits, 3, OTHER);
        assert!(matches!(evictable.choose(&mut traits), Some(3 | 4)));
    }

    #[test]
    fn type_takes_the_highest_in_reach_and_tags_only_fall() {
        let mut evictable = Evictable::new(Replacement::Type { scan: 10 }, 1);
        use TransitionType::{Assign, Control, Other, Receive, Send};
        let kinds = [Control, Other, Send, Assign, Receive];
        let mut traits: Vec<Traits> = kinds.iter().map(|&kind| evictable.arrive(kind)).collect();
        for number in 0..5 {
            evictable.leave(&mut traits, number);
            evictable.meet(&mut traits, number, Other);
        }
        evictable.meet(&mut traits, 1, Receive);
        let order: Vec<u32> = std::iter::from_fn(|| evictable.choose(&mut traits)).collect();
        assert_eq!(order[..2], [3, 2]);
        assert_eq!(order[4], 0);
    }

    /// 2,000 states go through a cache of 100. Those of type 1 are met again as soon as they have left the stack, the others never; each fourth one has
    /// ten times as much below it. In the end those are left that cost most.
    #[test]
    fn cost_keeps_what_has_much_below_it_and_is_met_again() {
        use TransitionType::{Assign, Control};
        let mut evictable = Evictable::new(Replacement::Cost, 1);
        let mut traits: Vec<Traits> = Vec::new();
        for i in 0..20_000u32 {
            let number = if traits.len() < 100 { traits.len() as u32 } else { evictable.choose(&mut traits).unwrap() };
            let state = evictable.arrive(if i % 2 == 0 { Control } else { Assign });
            if number as usize == traits.len() {
                traits.push(state)
            } else {
                traits[number as usize] = state
            }
            let below = if i % 4 < 2 { 20 } else { 200 };
            (0..below).for_each(|_| evictable.meet(&mut traits, number, Assign));
            evictable.leave(&mut traits, number);
            // Every state of type 1 that is held comes again from time to time.
            let lucky = (i * 7 % traits.len() as u32) as usize;
            if traits[lucky].kind == Control as u8 {
                evictable.meet(&mut traits, lucky as u32, Control);
            }
        }
        let count = |kind, much: bool| {
            traits.iter().filter(|state| state.kind == kind as u8 && (state.class > 6) == much).count()
        };
        assert!(count(Control, true) > 3 * count(Assign, false), "{traits:?}");
        assert!(count(Control, true) > count(Control, false), "{traits:?}");
    }

    #[test]
    fn same_seed_same_choices() {
        assert_eq!(order(Replacement::Cost), order(Replacement::Cost));
        assert_eq!(order(Replacement::Random), order(Replacement::Random));
    }
}
