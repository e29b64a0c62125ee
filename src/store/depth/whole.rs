//! Every visited state, whole: as it is while memory is plenty, compressed when memory runs short.
//!
//! Idea: the [exact store](super::exact) is the faster one as long as there is room, the [tree store](super::tree) holds five to twenty
//! times as many states. So a search may begin with the first and go on with the second, without starting again (`mover`).
//!
//! Handles of states on the stack stay good: the store remembers where these states have gone. Handles of other states do not. So a
//! search that keeps handles of states which have left the stack must not move.
//!
//! Sound always, since both stores are.

use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::depth::exact::ExactStore;
use crate::store::depth::mover::{Moved, Mover};
use crate::store::depth::tree::TreeStore;
use crate::store::parts::tree::Layout;
use crate::store::{FindStore, Glance, Handle, Store, StoreStatistics, Vacancy, Visit};
use rapidhash::RapidHashMap;

/// Set in the handle of a state in the tree. The tree does not use this bit, and no position in the exact store has it.
const IN_TREE: u64 = 1 << 63;

/// Bytes of an entry of a map from one word to another, with what the map itself needs.
const MAP_ENTRY: usize = 20;

/// Where the states are.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a search has one of them, and looks into it all the time")]
enum Kept {
    Exact(ExactStore),
    Tree(TreeStore),
}

/// An answer of the tree, with the handle by which the search knows a new state.
#[inline]
fn in_tree(visit: Visit) -> Visit {
    match visit {
        Visit::New(handle) => Visit::New(Handle(handle.0 | IN_TREE)),
        other => other,
    }
}

/// The states, in one of the two stores. See the head of this file.
#[derive(Debug)]
pub struct WholeStore {
    kept: Kept,
    /// How to move to a tree, if that is wanted.
    mover: Option<Mover>,
    /// Where the states have gone that were on the stack when the store moved, by their handles, and the way back.
    moved: RapidHashMap<u64, u64>,
    moved_back: RapidHashMap<u64, u64>,
    /// How many states there were when the store moved.
    moved_at: Option<u64>,
    /// The tree had no room for all of them: what it does not know may have been visited, so nothing is new any more.
    lost: bool,
}

impl WholeStore {
    /// The states as they are, from first to last.
    pub fn exact(store: ExactStore) -> WholeStore {
        WholeStore::of(Kept::Exact(store), None)
    }

    /// The states compressed, from first to last.
    pub fn tree(store: TreeStore) -> WholeStore {
        WholeStore::of(Kept::Tree(store), None)
    }

    /// The states as they are, and compressed from the moment on at which they would need more than `budget` bytes otherwise. `tracks`:
    /// the search asks which states are on the stack.
    pub fn moving(seed: u64, layout: Layout, tracks: bool, budget: usize) -> WholeStore {
        let mover = Mover::new(layout, tracks, budget);
        WholeStore::of(Kept::Exact(mover.exact(seed)), Some(mover))
    }

    fn of(kept: Kept, mover: Option<Mover>) -> WholeStore {
        let (moved, moved_back) = (RapidHashMap::default(), RapidHashMap::default());
        WholeStore { kept, mover, moved, moved_back, moved_at: None, lost: false }
    }

    /// How many states had been visited when the store moved to the tree, if it has.
    pub fn moved_at(&self) -> Option<u64> {
        self.moved_at
    }

    /// The exact store is full. For the first time it gets more of the budget, for the second time it moves.
    #[cold]
    fn make_room(&mut self) {
        if let (Kept::Exact(exact), Some(mover)) = (&mut self.kept, &mut self.mover)
            && mover.widens(exact)
        {
            return;
        }
        self.go_over();
    }

    /// Moves to the tree. `false` if the store does not move, or has moved already.
    #[cold]
    fn go_over(&mut self) -> bool {
        let Kept::Exact(exact) = &mut self.kept else { return false };
        let Some(mover) = self.mover.take() else { return false };
        let (moved, moved_back) = (&mut self.moved, &mut self.moved_back);
        let tracks = mover.tracks;
        let gone = mover.go_over(exact, |handle, to, on_stack| {
            if tracks && on_stack {
                moved.insert(handle.0, to.0 | IN_TREE);
                moved_back.insert(to.0 | IN_TREE, handle.0);
            }
            (moved.capacity() + moved_back.capacity()) * MAP_ENTRY
        });
        let Some(Moved { tree, states, lost }) = gone else { return false };
        (self.moved_at, self.lost) = (Some(states), lost);
        self.kept = Kept::Tree(tree);
        true
    }

    /// Bytes of the maps of states that have moved.
    fn maps(&self) -> usize {
        (self.moved.capacity() + self.moved_back.capacity()) * MAP_ENTRY
    }

    /// The handle by which the search knows a state of the tree.
    #[inline]
    fn known_as(&self, handle: Handle) -> Handle {
        let handle = handle.0 | IN_TREE;
        if self.moved_back.is_empty() {
            return Handle(handle);
        }
        Handle(self.moved_back.get(&handle).copied().unwrap_or(handle))
    }

    /// The handle by which the tree knows a state.
    #[inline]
    fn in_tree(&self, handle: Handle) -> Option<Handle> {
        let handle = if handle.0 & IN_TREE == 0 { *self.moved.get(&handle.0)? } else { handle.0 };
        Some(Handle(handle & !IN_TREE))
    }
}

impl Store for WholeStore {
    const EXACT: bool = true;
    const FORESEES: bool = true;

    /// A tree looks successors up from the state where the search stands.
    #[inline]
    fn foresees_early(&self) -> bool {
        matches!(self.kept, Kept::Exact(_))
    }

    #[inline]
    fn hash(&self, state: &[u8]) -> u64 {
        match &self.kept {
            Kept::Exact(exact) => Store::hash(exact, state),
            Kept::Tree(tree) => Store::hash(tree, state),
        }
    }

    #[inline]
    fn foresee(&mut self, state: &[u8]) -> u64 {
        match &mut self.kept {
            Kept::Exact(exact) => exact.foresee(state),
            Kept::Tree(tree) => tree.foresee(state),
        }
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        if let Kept::Exact(exact) = &self.kept {
            exact.prefetch(hash);
        }
    }

    #[inline]
    fn glance(&self, hash: u64) -> Glance {
        match &self.kept {
            Kept::Exact(exact) => exact.glance(hash),
            Kept::Tree(_) => Glance::default(),
        }
    }

    #[inline]
    fn contains_hashed(&self, state: &[u8], hash: u64) -> bool {
        match &self.kept {
            Kept::Exact(exact) => exact.contains_hashed(state, hash),
            Kept::Tree(tree) => tree.contains_hashed(state, hash),
        }
    }

    #[inline]
    fn is_glanced(&self, state: &[u8], glance: Glance) -> bool {
        match &self.kept {
            Kept::Exact(exact) => exact.is_glanced(state, glance),
            Kept::Tree(_) => false,
        }
    }

    #[inline]
    fn vacancy(&self, state: &[u8], hash: u64, glance: Glance) -> Option<Vacancy> {
        match &self.kept {
            Kept::Exact(exact) => exact.vacancy(state, hash, glance),
            Kept::Tree(tree) => {
                tree.vacancy(state, hash, glance).map(|vacancy| Vacancy { slot: IN_TREE as usize, ..vacancy })
            }
        }
    }

    #[inline]
    fn visit_at(&mut self, state: &[u8], vacancy: Vacancy, how: TransitionType) -> Visit {
        let visit = match &mut self.kept {
            Kept::Exact(exact) => exact.visit_at(state, vacancy, how),
            // A vacancy of the exact store says nothing to the tree.
            Kept::Tree(tree) if vacancy.slot == IN_TREE as usize && !self.lost => {
                in_tree(tree.visit_at(state, vacancy, how))
            }
            Kept::Tree(_) => Visit::Full,
        };
        if visit != Visit::Full {
            return visit;
        }
        self.visit(state, how)
    }

    #[inline]
    fn visit(&mut self, state: &[u8], how: TransitionType) -> Visit {
        let visit = match &mut self.kept {
            Kept::Exact(exact) => exact.visit(state, how),
            Kept::Tree(_) if self.lost => Visit::Full,
            Kept::Tree(tree) => in_tree(tree.visit(state, how)),
        };
        if visit == Visit::Full && self.mover.is_some() {
            // There is room now, in more of the budget or in a tree. This happens twice.
            self.make_room();
            return self.visit(state, how);
        }
        visit
    }

    #[inline]
    fn leave(&mut self, handle: Handle) {
        match &mut self.kept {
            Kept::Exact(exact) => exact.leave(handle),
            Kept::Tree(_) => {
                let there = self.in_tree(handle);
                if let (Kept::Tree(tree), Some(there)) = (&mut self.kept, there) {
                    tree.leave(there);
                    if !self.moved.is_empty() && self.moved.remove(&handle.0).is_some() {
                        self.moved_back.remove(&(there.0 | IN_TREE));
                    }
                }
            }
        }
    }

    fn locate(&self, state: &[u8]) -> Option<Handle> {
        self.find(state).map(|(handle, _)| handle)
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.find(state).is_some()
    }

    fn memory(&self) -> usize {
        self.maps()
            + match &self.kept {
                Kept::Exact(exact) => Store::memory(exact),
                Kept::Tree(tree) => Store::memory(tree),
            }
    }

    fn relieve(&mut self) -> bool {
        self.go_over()
    }

    fn limit(&self, on_stack: u64) -> Limit {
        match &self.kept {
            Kept::Exact(exact) => exact.limit(on_stack),
            Kept::Tree(tree) => tree.limit(on_stack),
        }
    }

    fn statistics(&self) -> StoreStatistics {
        match &self.kept {
            Kept::Exact(exact) => Store::statistics(exact),
            Kept::Tree(tree) => Store::statistics(tree),
        }
    }
}

impl FindStore for WholeStore {
    #[inline]
    fn find(&self, state: &[u8]) -> Option<(Handle, bool)> {
        match &self.kept {
            Kept::Exact(exact) => exact.find(state),
            Kept::Tree(tree) => tree.find(state).map(|(handle, on_stack)| (self.known_as(handle), on_stack)),
        }
    }

    fn read(&self, handle: Handle, state: &mut Vec<u8>) {
        match &self.kept {
            Kept::Exact(exact) => exact.read(handle, state),
            Kept::Tree(tree) => match self.in_tree(handle) {
                Some(handle) => tree.read(handle, state),
                None => state.clear(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    const HOW: TransitionType = TransitionType::Other;

    fn state(i: u64) -> Vec<u8> {
        let mut bytes = vec![0; 100 + (i % 3) as usize];
        bytes[..2].copy_from_slice(&(i as u16 % 997).to_le_bytes());
        bytes[50..58].copy_from_slice(&(i / 997).to_le_bytes());
        bytes
    }

    fn is_new(store: &mut WholeStore, i: u64) -> bool {
        matches!(store.visit(&state(i), HOW), Visit::New(_))
    }

    /// Everything is as before: what is there, what is on the stack, and the handles of what is on the stack.
    #[test]
    fn a_move_changes_no_answer() {
        for budget in [usize::MAX, 1 << 20, 600_000] {
            let mut store = WholeStore::moving(1, Layout::default(), true, budget);
            let mut model: HashMap<Vec<u8>, (Handle, bool)> = HashMap::new();
            for i in 0..30_000 {
                match store.visit(&state(i), HOW) {
                    Visit::New(handle) => assert!(model.insert(state(i), (handle, true)).is_none()),
                    other => panic!("{i} of {budget}: {other:?}"),
                }
                let (handle, on_stack) = model.get_mut(&state(i / 3 * 2)).unwrap();
                if std::mem::replace(on_stack, false) {
                    store.leave(*handle);
                }
                assert!(store.memory() <= budget);
            }
            assert_eq!(store.moved_at().is_some(), budget != usize::MAX);
            let mut bytes = Vec::new();
            for (state, (handle, on_stack)) in model {
                assert_eq!(store.visit(&state, HOW), Visit::Seen { on_stack });
                assert_eq!(store.find(&state).map(|(_, on_stack)| on_stack), Some(on_stack));
                if on_stack {
                    assert_eq!(store.find(&state), Some((handle, true)));
                    store.read(handle, &mut bytes);
                    assert_eq!(bytes, state);
                    store.leave(handle);
                    assert_eq!(store.visit(&state, HOW), Visit::Seen { on_stack: false });
                }
            }
        }
    }

    /// It is asked to take less, and does; a second time it cannot.
    #[test]
    fn a_move_can_be_asked_for_once() {
        let mut store = WholeStore::moving(1, Layout::default(), false, usize::MAX);
        assert!((0..5_000).all(|i| matches!(store.visit(&state(i), HOW), Visit::New(_))));
        let before = store.memory();
        assert!(store.relieve() && !store.relieve() && store.memory() < before / 2);
        assert!((0..5_000).all(|i| store.visit(&state(i), HOW) == Visit::Seen { on_stack: false }));
        assert!(!WholeStore::exact(ExactStore::new(1)).relieve());
        assert!(!WholeStore::tree(TreeStore::new(Layout::default(), false, usize::MAX)).relieve());
    }

    /// Long states: the tree needs room for its beginning before the exact store has given any back.
    #[test]
    fn long_states_move_as_well() {
        let long = |i: u64| {
            let mut bytes = vec![0; if i == 0 { 20 } else { 12_000 }];
            bytes[..8].copy_from_slice(&i.to_le_bytes());
            bytes
        };
        let budget = 20 << 20;
        let mut store = WholeStore::moving(1, Layout::default(), false, budget);
        for i in 0..6_000 {
            assert!(matches!(store.visit(&long(i), HOW), Visit::New(_)), "{i}: {:?}", store.moved_at());
            assert!(store.memory() <= budget);
        }
        assert!(store.moved_at().is_some());
        assert!((0..6_000).all(|i| store.visit(&long(i), HOW) == Visit::Seen { on_stack: false }));
    }

    /// Few shapes, of which long states show a few each: how many there are is asked of all states, not of the few that are learned from.
    #[test]
    fn long_states_of_some_shapes_move_as_well() {
        let long = |i: u64| {
            let mut bytes = vec![0; 4_000 + (i % 5) as usize * 8];
            bytes[..8].copy_from_slice(&i.to_le_bytes());
            bytes
        };
        for budget in [4 << 20, 8 << 20, 16 << 20, 32 << 20] {
            let mut store = WholeStore::moving(1, Layout::default(), false, budget);
            for i in 0..20_000 {
                let visit = store.visit(&long(i), HOW);
                assert!(matches!(visit, Visit::New(_)), "{budget}: {i}: {visit:?}, {:?}", store.moved_at());
                assert!(store.memory() <= budget);
            }
            assert!(store.moved_at().is_some());
            assert!((0..20_000).all(|i| store.visit(&long(i), HOW) == Visit::Seen { on_stack: false }));
        }
    }

    /// States of which no two have the same shape stay where they are, and have the whole budget.
    #[test]
    fn where_a_tree_does_not_pay_the_store_stays() {
        let budget = 1 << 20;
        let mut store = WholeStore::moving(1, Layout::default(), false, budget);
        let fill = |store: &mut WholeStore| (1..).take_while(|&i| store.visit(&vec![7; i], HOW) != Visit::Full).count();
        let states = fill(&mut store);
        assert_eq!(store.moved_at(), None);
        assert_eq!(states, fill(&mut WholeStore::exact(ExactStore::with_budget(1, budget))));
        assert!((0..states).all(|i| store.visit(&vec![7; i + 1], HOW) == Visit::Seen { on_stack: true }));
    }

    /// A small state: what the exact store takes beside it counts, too.
    #[test]
    fn small_states_move_as_well() {
        let small = |i: u64| {
            let mut bytes = vec![7; 24];
            bytes[..2].copy_from_slice(&((i % 997) as u16).to_le_bytes());
            bytes[12..15].copy_from_slice(&(i / 997).to_le_bytes()[..3]);
            bytes
        };
        let mut store = WholeStore::moving(1, Layout::default(), false, 4 << 20);
        for i in 0..200_000 {
            let visit = store.visit(&small(i), HOW);
            assert!(
                matches!(visit, Visit::New(_)),
                "{i}: {visit:?}, moved at {:?}, {}",
                store.moved_at(),
                store.memory()
            );
        }
        assert!(store.moved_at().is_some() && store.memory() <= 4 << 20);
        assert!((0..200_000).all(|i| store.visit(&small(i), HOW) == Visit::Seen { on_stack: false }));
    }

    #[test]
    fn where_not_even_the_tree_has_room_the_store_is_full() {
        let mut store = WholeStore::moving(1, Layout::default(), true, 150_000);
        let mut i = 0;
        while store.visit(&state(i), HOW) != Visit::Full {
            i += 1;
        }
        assert!(store.moved_at().is_some() && i > 500, "{i}");
        // It stays full: a state that was lost on the way must not be new again.
        assert!((0..i).all(|i| !is_new(&mut store, i)));
    }
}
