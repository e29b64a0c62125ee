//! When a depth-first cache gives up: how much of its work is done once more.
//!
//! Idea: a breadth-first cache gives up when it overwrites too much (hub paper, section 3). Depth first that measure says nothing: a
//! cache of 500 states may overwrite 250,000 times and visit each state once, if sleep sets leave few states that are met again.
//! What tells is how many insertions are of states that were there before: the revisits. They are counted as insertions less the
//! different states among them, which [`Distinct`] estimates to 0.8%.
//!
//! The rate of revisits is that of the whole search, so that the bound says how many insertions a state may cost: 0.98 is fifty. It has to be
//! that of a window, too, which is the last half of the search at the least: a search that was slow at the beginning and has found new ground since goes
//! on. Little work is never judged.
//!
//! Sound: giving up is a limit like any other, and the verdict is "incomplete".
//!
//! Cost: 16 KiB, one byte read and written per insertion, and a pass over the 16 KiB every [`EVERY`] insertions.

use crate::store::parts::distinct::Distinct;

/// Insertions between two looks.
const EVERY: u64 = 1 << 15;
/// Fewer insertions than that are not judged: it is soon said whether they were in vain.
const FEW: u64 = 1 << 17;

/// Insertions and revisits of a cache. See the head of this file.
#[derive(Debug)]
pub(in crate::store) struct Revisits {
    distinct: Distinct,
    /// The highest rate of revisits that is allowed; 1: any.
    bound: f64,
    stored: u64,
    /// Insertions and different states at the last two powers of two of insertions; the window begins at the first of them.
    marks: [(u64, f64); 2],
    given_up: bool,
}

impl Revisits {
    /// Nothing inserted; `bound` is the highest rate that is allowed.
    pub(in crate::store) fn new(bound: f64) -> Revisits {
        Revisits { distinct: Distinct::default(), bound, stored: 0, marks: [(0, 0.0); 2], given_up: false }
    }

    /// A state of this hash is inserted.
    #[inline]
    pub(in crate::store) fn note(&mut self, hash: u64) {
        self.distinct.note(hash);
        self.stored += 1;
        if self.stored.is_multiple_of(EVERY) {
            self.judge();
        }
    }

    #[cold]
    fn judge(&mut self) {
        let distinct = self.distinct.estimate();
        let rate = |(stored, before): (u64, f64)| revisits(self.stored - stored, distinct - before);
        let lowest = rate((0, 0.0)).min(rate(self.marks[0]));
        self.given_up |= self.stored >= FEW && lowest > self.bound;
        if self.stored.is_power_of_two() {
            self.marks = [self.marks[1], (self.stored, distinct)];
        }
    }

    /// Does the cache give up?
    #[inline]
    pub(in crate::store) fn given_up(&self) -> bool {
        self.given_up
    }

    /// The rate that is allowed.
    pub(in crate::store) fn bound(&self) -> f64 {
        self.bound
    }

    /// Revisits per insertion so far.
    pub(in crate::store) fn rate(&self) -> f64 {
        revisits(self.stored, self.distinct.estimate())
    }

    /// Bytes in use.
    pub(in crate::store) fn memory(&self) -> usize {
        self.distinct.memory()
    }
}

/// Revisits per insertion, where `distinct` of the `stored` insertions were of new states.
fn revisits(stored: u64, distinct: f64) -> f64 {
    if stored == 0 { 0.0 } else { (1.0 - distinct / stored as f64).clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StateHash;

    /// How many insertions there were when it gave up, of states that come again after `cycle` others, `fresh` new ones first.
    fn gives_up(bound: f64, fresh: u64, cycle: u64, most: u64) -> Option<u64> {
        let hash = StateHash::new(1);
        let mut revisits = Revisits::new(bound);
        (0..most).find(|&i| {
            let state = if i < fresh { i } else { u64::MAX - i % cycle };
            revisits.note(hash.hash(&state.to_le_bytes()));
            revisits.given_up()
        })
    }

    #[test]
    fn work_that_is_done_again_and_again_is_given_up() {
        let at = gives_up(0.98, 0, 10_000, 1_000_000).expect("gives up");
        assert!((450_000..600_000).contains(&at), "{at}");
        let at = gives_up(0.9, 50_000, 1_000, 10_000_000).expect("gives up");
        assert!((450_000..600_000).contains(&at), "{at}");
        // Little work is not judged.
        assert_eq!(gives_up(0.5, 0, 10, 2 * FEW), Some(FEW - 1));
    }

    #[test]
    fn new_states_and_no_bound_are_not() {
        assert_eq!(gives_up(0.98, 1_000_000, 1, 1_000_000), None);
        assert_eq!(gives_up(0.98, 0, 50_000, 2_000_000), None);
        assert_eq!(gives_up(1.0, 0, 10, 500_000), None);
    }

    /// Insertions of ten states, then new ones: by the whole search it should give up, by its window not.
    #[test]
    fn new_ground_after_a_slow_beginning_is_gone_on_with() {
        let hash = StateHash::new(1);
        let mut revisits = Revisits::new(0.2);
        for i in 0..FEW + 5_000 {
            let state = if i < EVERY { i % 10 } else { i };
            revisits.note(hash.hash(&state.to_le_bytes()));
        }
        assert!(revisits.rate() > 0.21 && !revisits.given_up(), "{}", revisits.rate());
        assert!(gives_up(0.2, FEW / 2, 10, FEW).is_some());
    }
}
