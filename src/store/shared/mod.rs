//! What the workers of one search have visited together: one table and one store of records for all threads.
//!
//! `arena` holds the records, which each worker writes into blocks of its own. `table` holds one word for each record, published by
//! compare-and-swap. `nodes` gives numbers to the nodes of trees. `states` is the store that is made of these. `signatures`,
//! `trace` and `forgetful` are what it keeps instead where whole states are kept for two levels only. A `Budget` counts every block when it is taken, whoever takes it.
//!
//! A worker waits for no other here, but for three rare things: the table doubles while all workers stand still, the hidden variables of
//! a state, if the model has any, are compared under a lock, and a pen that is full takes a new piece of the arena under one.

pub mod arena;
mod forgetful;
mod nodes;
mod signatures;
pub mod states;
pub mod table;
mod trace;

use std::sync::atomic::{AtomicUsize, Ordering};

/// Something that threads write often, with no neighbours in its lines of memory: who only reads what lies beside it would wait each time.
/// Processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Apart<T>(pub T);

impl<T> std::ops::Deref for Apart<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Bytes that several threads take from.
#[derive(Debug)]
pub struct Budget {
    whole: usize,
    used: AtomicUsize,
}

impl Budget {
    /// So many bytes, none of them taken.
    pub fn of(whole: usize) -> Budget {
        Budget { whole, used: AtomicUsize::new(0) }
    }

    /// Takes so many bytes, if they are there.
    pub fn take(&self, bytes: usize) -> bool {
        let more = |used: usize| used.checked_add(bytes).filter(|&used| used <= self.whole);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Gives bytes back that were taken.
    pub fn give(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Bytes that are taken now.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// All bytes, taken or not.
    pub fn whole(&self) -> usize {
        self.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_never_take_more_than_there_is() {
        let budget = Budget::of(1_000);
        let taken = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while budget.take(7) {
                        taken.fetch_add(7, Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!((taken.load(Ordering::Relaxed), budget.used()), (994, 994));
        budget.give(500);
        assert!(budget.take(506) && !budget.take(1) && !budget.take(usize::MAX));
    }
}
