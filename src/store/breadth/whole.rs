//! Every visited state of a breadth-first search, whole, and the queue: as they are while memory is plenty, compressed when memory runs
//! short.
//!
//! Idea: states are expanded in the order in which they were inserted. The [exact store](crate::store::depth::exact) keeps them in just that
//! order, so it is the queue as well: all that must be known is which state was taken last. A [tree](crate::store::depth::tree) has no
//! order, so the names of those that still wait lie beside it, 8 bytes each. A search may begin with the first and go on with the second,
//! without starting again (`mover`): the states that wait get their names on the way.
//!
//! Sound always, since both stores are, and no state that waits is lost or comes out of order.
//!
//! A state also has a mark, some bits of its hash, that is the same before the move and after it. A search that has written down the marks
//! along a path finds the path again by execution; the states themselves need not be found for that.

use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::depth::exact::ExactStore;
use crate::store::depth::mover::{Moved, Mover};
use crate::store::depth::tree::TreeStore;
use crate::store::parts::hash::StateHash;
use crate::store::parts::tree::Layout;
use crate::store::{Glance, Handle, Store, Visit};
use std::collections::VecDeque;

/// Bits of a mark. Of the successors of a state hardly two have the same one, and as a number it takes two bytes.
const MARK_BITS: u32 = 14;
/// Names in a page of the queue: with what the allocator puts in front of them, sixteen pages of the system.
const PAGE: usize = (1 << 13) - 8;

/// Names that wait, first in, first out, in pages: one queue that doubles would leap over a budget.
#[derive(Debug, Default)]
struct Names {
    pages: VecDeque<Vec<u64>>,
    /// So many of the first page were taken.
    taken: usize,
}

impl Names {
    fn push(&mut self, name: u64) {
        match self.pages.back_mut() {
            Some(page) if page.len() < PAGE => page.push(name),
            _ => {
                let mut page = Vec::with_capacity(PAGE);
                page.push(name);
                self.pages.push_back(page);
            }
        }
    }

    fn pop(&mut self) -> Option<u64> {
        let page = self.pages.front()?;
        let name = page.get(self.taken).copied()?;
        self.taken += 1;
        if self.taken == PAGE {
            self.pages.pop_front();
            self.taken = 0;
        }
        Some(name)
    }

    fn memory(&self) -> usize {
        self.pages.len() * PAGE * size_of::<u64>() + self.pages.capacity() * size_of::<Vec<u64>>()
    }
}

/// Where the states are.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a search has one of them, and looks into it all the time")]
enum Kept {
    Exact {
        store: ExactStore,
        /// The state that was taken last.
        last: Option<Handle>,
    },
    Tree {
        store: TreeStore,
        waiting: Names,
    },
}

/// The states and the queue. See the head of this file.
#[derive(Debug)]
pub struct BreadthStates {
    kept: Kept,
    /// How to move to a tree, if that is wanted.
    mover: Option<Mover>,
    /// How many states there were when they moved.
    moved_at: Option<u64>,
    /// The tree had no room for all of them.
    lost: bool,
    hash: StateHash,
    budget: usize,
}

impl BreadthStates {
    /// The states as they are, from first to last, in at most `budget` bytes.
    pub fn exact(seed: u64, budget: usize) -> BreadthStates {
        Self::of((seed, budget), ExactStore::with_budget(seed, budget), None)
    }

    /// The states as they are, and compressed from the moment on at which they would need more than `budget` bytes otherwise. `tracks`:
    /// the search asks which states still wait.
    pub fn moving(seed: u64, layout: Layout, tracks: bool, budget: usize) -> BreadthStates {
        let mover = Mover::new(layout, tracks, budget);
        Self::of((seed, budget), mover.exact(seed), Some(mover))
    }

    fn of((seed, budget): (u64, usize), store: ExactStore, mover: Option<Mover>) -> BreadthStates {
        let kept = Kept::Exact { store, last: None };
        BreadthStates { kept, mover, moved_at: None, lost: false, hash: StateHash::new(seed), budget }
    }

    /// How many states had been visited when they moved to the tree, if they have. What [`foresee`](Self::foresee) gave before means nothing
    /// afterwards.
    #[inline]
    pub fn moved_at(&self) -> Option<u64> {
        self.moved_at
    }

    /// A state will be inserted soon: asks for the memory that this needs. Gives what [`insert`](Self::insert) wants to know of it.
    #[inline]
    pub fn foresee(&mut self, state: &[u8]) -> u64 {
        match &mut self.kept {
            Kept::Exact { store, .. } => {
                let hash = Store::hash(store, state);
                store.prefetch(hash);
                hash
            }
            Kept::Tree { store, .. } => store.foresee(state),
        }
    }

    /// A state that was foreseen is inserted next but a few: asks for more of the memory, and looks where the state seems to be.
    #[inline]
    pub fn glance(&self, foreseen: u64) -> Glance {
        match &self.kept {
            Kept::Exact { store, .. } => store.glance(foreseen),
            Kept::Tree { .. } => Glance::default(),
        }
    }

    /// As [`insert`](Self::insert), of a state of which a glance was taken in the same store.
    #[inline]
    pub fn insert_glanced(&mut self, state: &[u8], foreseen: u64, glance: Glance) -> Visit {
        if let Kept::Exact { store, .. } = &mut self.kept {
            let visit = store.insert_glanced(state, foreseen, glance);
            if visit != Visit::Full {
                return visit;
            }
        }
        self.insert(state, foreseen)
    }

    /// Inserts a state that was foreseen, and puts it into the queue if it is new. "On the stack" means that the state waits; a tree knows that
    /// only if it tracks it.
    #[inline]
    pub fn insert(&mut self, state: &[u8], foreseen: u64) -> Visit {
        let visit = match &mut self.kept {
            Kept::Exact { store, .. } => store.insert_hashed(state, foreseen),
            Kept::Tree { .. } if self.lost => Visit::Full,
            Kept::Tree { store, waiting } => {
                let visit = store.visit_foreseen(state, foreseen, TransitionType::Other);
                if let Visit::New(handle) = visit {
                    waiting.push(handle.0);
                }
                visit
            }
        };
        if visit == Visit::Full && self.mover.is_some() {
            return self.insert_with_more_room(state);
        }
        visit
    }

    /// There is room for the state in more of the budget, or in a tree.
    #[cold]
    fn insert_with_more_room(&mut self, state: &[u8]) -> Visit {
        if let (Kept::Exact { store, .. }, Some(mover)) = (&mut self.kept, &mut self.mover)
            && !mover.widens(store)
        {
            self.relieve();
        }
        let foreseen = self.foresee(state);
        self.insert(state, foreseen)
    }

    /// Moves to the tree now. `false` if the states do not move, or have moved already.
    #[cold]
    pub fn relieve(&mut self) -> bool {
        let Kept::Exact { store, .. } = &mut self.kept else { return false };
        let Some(mover) = self.mover.take() else { return false };
        let mut waiting = Names::default();
        let gone = mover.go_over(store, |_, to, waits| {
            if waits {
                waiting.push(to.0);
            }
            waiting.memory()
        });
        let Some(Moved { tree, states, lost }) = gone else { return false };
        (self.moved_at, self.lost) = (Some(states), lost);
        self.kept = Kept::Tree { store: tree, waiting };
        true
    }

    /// The search takes so many bytes of the budget beside the states and the queue. A tree then grows within what is left.
    pub fn leave_room(&mut self, bytes: usize) {
        if let Kept::Tree { store, waiting } = &mut self.kept {
            store.set_budget(self.budget.saturating_sub(bytes + waiting.memory()));
        }
    }

    /// Takes the next state out of the queue and adds it to a buffer; its successors are foreseen next. `false` if none waits.
    #[inline]
    pub fn take(&mut self, to: &mut Vec<u8>) -> bool {
        match &mut self.kept {
            Kept::Exact { store, last } => {
                let next = match *last {
                    Some(handle) => store.next(handle),
                    None => store.first(),
                };
                let Some(handle) = next else { return false };
                to.extend_from_slice(store.get(handle));
                store.leave(handle);
                *last = Some(handle);
            }
            Kept::Tree { store, waiting } => {
                let Some(name) = waiting.pop() else { return false };
                store.go_to(Handle(name), to);
                store.leave(Handle(name));
            }
        }
        true
    }

    /// Number of states.
    pub fn len(&self) -> u64 {
        match &self.kept {
            Kept::Exact { store, .. } => store.len() as u64,
            Kept::Tree { store, .. } => store.len(),
        }
    }

    /// Is there no state?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of the states and of the queue.
    pub fn memory(&self) -> usize {
        match &self.kept {
            Kept::Exact { store, .. } => Store::memory(store),
            Kept::Tree { store, waiting } => Store::memory(store) + waiting.memory(),
        }
    }

    /// Why a state could not be inserted.
    pub fn limit(&self) -> Limit {
        match &self.kept {
            Kept::Exact { store, .. } => store.limit(0),
            Kept::Tree { store, .. } => store.limit(0),
        }
    }

    /// The mark of a state.
    #[inline]
    pub fn mark(&self, state: &[u8]) -> u32 {
        (self.hash.hash(state) & ((1 << MARK_BITS) - 1)) as u32
    }

    /// The mark of a state that was foreseen and has just been inserted.
    #[inline]
    pub fn mark_of_new(&self, state: &[u8], foreseen: u64) -> u32 {
        match &self.kept {
            // The exact store foresees by the same hash.
            Kept::Exact { .. } => (foreseen & ((1 << MARK_BITS) - 1)) as u32,
            Kept::Tree { .. } => self.mark(state),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(i: u64) -> Vec<u8> {
        let mut bytes = vec![7; 40];
        bytes[3..5].copy_from_slice(&((i % 300) as u16).to_le_bytes());
        bytes[20..22].copy_from_slice(&((i / 300) as u16).to_le_bytes());
        bytes
    }

    fn insert(store: &mut BreadthStates, i: u64) -> Visit {
        let foreseen = store.foresee(&state(i));
        store.insert(&state(i), foreseen)
    }

    /// A search over a binary tree whose store moves once it is full, or when it is asked to, says what a map and a queue say: each state is
    /// new once, comes out once and in order, and is known to wait until then.
    #[test]
    fn a_move_changes_no_answer_and_no_order() {
        for (tracks, when) in [(true, None), (false, None), (true, Some(0)), (true, Some(1_000)), (false, Some(9_999))]
        {
            let last = 60_000;
            let mut store = BreadthStates::moving(3, Layout::default(), tracks, 2_500_000);
            assert!(store.is_empty() && matches!(insert(&mut store, 0), Visit::New(_)));
            let (mut buffer, mut marks) = (vec![9], vec![store.mark(&state(0))]);
            for i in 0..last {
                buffer.truncate(1);
                assert!(store.take(&mut buffer) && buffer[0] == 9 && buffer[1..] == state(i), "{i}");
                if when == Some(i) {
                    assert!(store.relieve() && !store.relieve());
                }
                assert_eq!(insert(&mut store, i), Visit::Seen { on_stack: false });
                for child in [2 * i + 1, 2 * i + 2] {
                    if child < last {
                        let foreseen = store.foresee(&state(child));
                        assert!(matches!(store.insert(&state(child), foreseen), Visit::New(_)), "{child}");
                        marks.push(store.mark_of_new(&state(child), foreseen));
                        let waits = tracks || store.moved_at().is_none();
                        assert_eq!(insert(&mut store, child), Visit::Seen { on_stack: waits });
                    }
                }
                if i % 100 == 0 {
                    store.leave_room(0);
                    assert!(store.memory() <= 2_500_000);
                }
            }
            assert!(!store.take(&mut buffer) && store.len() == last);
            assert!(store.moved_at().is_some_and(|states| when.is_none_or(|when| states == 2 * when + 1)));
            assert!((0..last).all(|i| marks[i as usize] == store.mark(&state(i))));
        }
    }

    #[test]
    fn a_store_that_may_not_move_is_full() {
        let mut store = BreadthStates::exact(3, 100_000);
        assert!(!store.relieve());
        let full = (0..10_000).find(|&i| insert(&mut store, i) == Visit::Full);
        assert!(full.is_some() && store.moved_at().is_none() && store.memory() <= 100_000);
        // Where not even the tree has room, nothing is called new that may have been visited.
        let mut store = BreadthStates::moving(3, Layout::default(), false, 9_000);
        let full = (0..100_000).find(|&i| insert(&mut store, i) == Visit::Full).unwrap();
        assert!((0..200).all(|i| !matches!(insert(&mut store, i), Visit::New(_))) || full < 200);
    }
}
