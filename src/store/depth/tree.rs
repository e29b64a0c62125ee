//! The tree store: every visited state, in about a dozen bytes.
//!
//! Idea: tree compression, told in [`crate::store::parts::tree`]. The handle of a state is its root, from which the state can be made
//! again: so no table has to stay where it is, and no state has a number beside its root.
//!
//! Sound always, as the exact store is: a state counts as visited only if all its bytes are in the store, and no state is ever
//! forgotten.
//!
//! Cost per state: 5 to 8 bytes for its root; the nodes that it does not share with others, mostly below 2 bytes. A look-up
//! compares the state with the one before and looks up what differs; then it touches one or two lines of the table of roots.

use crate::checkpoint::{Kind, Reader, Save, StoreShape, Visited, Writer, section};
use crate::limit::Limit;
use crate::model::TransitionType;
use crate::store::lossy::omission::Omission;
use crate::store::parts::arena::NoRoom;
use crate::store::parts::tree::{Known, Layout, Root, Tree};
use crate::store::{FindStore, Handle, Store, StoreStatistics, Vacancy, Visit};

/// All visited states, compressed. See the head of this file.
#[derive(Debug)]
pub struct TreeStore {
    tree: Tree,
    /// The search asks which states are on the stack.
    tracks: bool,
    budget: usize,
}

impl TreeStore {
    /// An empty store of states of this layout. It answers [`Visit::Full`] rather than use more than `budget` bytes. Unless it
    /// `tracks` the stack, every state counts as off it.
    pub fn new(layout: Layout, tracks: bool, budget: usize) -> TreeStore {
        TreeStore { tree: Tree::new(layout), tracks, budget }
    }

    /// Learns from some states how states are best cut and put together. For an empty store.
    #[must_use]
    pub fn learning_from<'s>(mut self, states: impl Iterator<Item = &'s [u8]>) -> TreeStore {
        self.tree.learn(states);
        self
    }

    /// How many states are worth learning from.
    pub const SAMPLE: usize = Tree::SAMPLE;

    /// From now on the store may use so many bytes.
    pub(in crate::store) fn set_budget(&mut self, budget: usize) {
        self.budget = budget;
    }

    /// Number of states.
    pub fn len(&self) -> u64 {
        self.tree.len()
    }

    /// Is the store empty?
    pub fn is_empty(&self) -> bool {
        self.tree.len() == 0
    }

    /// Inserts a state that another store has visited, and says where it is now.
    pub fn take_over(&mut self, state: &[u8], on_stack: bool) -> Visit {
        match self.tree.insert(state, on_stack && self.tracks, self.budget) {
            Ok((root, known)) => answer(root, known),
            Err(NoRoom) => Visit::Full,
        }
    }
}

/// What the tree knows of a root, as a store says it.
#[inline]
fn answer(root: Root, known: Known) -> Visit {
    match known {
        Known::New => Visit::New(Handle(root.pack())),
        Known::Seen { marked } => Visit::Seen { on_stack: marked },
    }
}

/// The hash of a state that could not be foreseen, because there was no room. It is no root.
const NO_ROOT: u64 = u64::MAX;

impl Store for TreeStore {
    const EXACT: bool = true;
    const FORESEES: bool = true;
    const NAMES: bool = true;

    /// The hash of a state is its root: to make one, nodes are added. Nothing asks for it but [`Store::foresee`].
    #[inline]
    fn foresee(&mut self, state: &[u8]) -> u64 {
        self.tree.foresee(state, self.budget).map_or(NO_ROOT, Root::pack)
    }

    #[inline]
    fn contains_hashed(&self, _state: &[u8], hash: u64) -> bool {
        hash != NO_ROOT && self.tree.has_root(Root::unpack(hash))
    }

    #[inline]
    fn visit_at(&mut self, state: &[u8], vacancy: Vacancy, how: TransitionType) -> Visit {
        let visit = self.visit_foreseen(state, vacancy.hash, how);
        if let Visit::New(Handle(root)) = visit {
            self.tree.stand_at(state, Root::unpack(root), self.budget);
        }
        visit
    }

    #[inline]
    fn visit_foreseen(&mut self, state: &[u8], hash: u64, how: TransitionType) -> Visit {
        if hash == NO_ROOT {
            return self.visit(state, how);
        }
        let root = Root::unpack(hash);
        self.tree.insert_root(root, self.tracks, self.budget).map_or(Visit::Full, |known| answer(root, known))
    }

    #[inline]
    fn visit(&mut self, state: &[u8], _how: TransitionType) -> Visit {
        self.take_over(state, true)
    }

    #[inline]
    fn leave(&mut self, handle: Handle) {
        if self.tracks {
            self.tree.unmark(Root::unpack(handle.0));
        }
    }

    fn go_to(&mut self, handle: Handle, to: &mut Vec<u8>) {
        self.tree.go_to(Root::unpack(handle.0), to);
    }

    fn locate(&self, state: &[u8]) -> Option<Handle> {
        self.find(state).map(|(handle, _)| handle)
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.find(state).is_some()
    }

    fn memory(&self) -> usize {
        self.tree.memory()
    }

    fn limit(&self, _on_stack: u64) -> Limit {
        Limit::Memory { used: self.memory() as u64, budget: self.budget as u64 }
    }

    fn statistics(&self) -> StoreStatistics {
        StoreStatistics::of_set(self.tree.len(), Omission::NONE)
    }
}

impl FindStore for TreeStore {
    fn find(&self, state: &[u8]) -> Option<(Handle, bool)> {
        let (root, on_stack) = self.tree.find(state)?;
        Some((Handle(root.pack()), on_stack))
    }

    fn read(&self, handle: Handle, state: &mut Vec<u8>) {
        self.tree.read(Root::unpack(handle.0), state);
    }
}

impl Save for TreeStore {
    /// Whole states are written, as by the exact store: each of the two can go on with what the other has saved.
    fn shape(&self) -> StoreShape {
        StoreShape { kind: Kind::Exact, bits: None, seed: 0, sizes: Vec::new() }
    }

    fn save(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(section::VISITED)?;
        let mut written = Ok(());
        let mut state = Vec::new();
        self.tree.each(|root| {
            self.tree.read(root, &mut state);
            written = Visited { place: 0, signature: 0, state: &state }.write(Kind::Exact, writer);
            written.is_ok()
        });
        written?;
        writer.end_section()
    }

    fn load(&mut self, reader: &mut Reader) -> Result<(), Limit> {
        reader.section(section::VISITED)?;
        let mut buffer = Vec::new();
        while let Some(visited) = Visited::read(Kind::Exact, reader, &mut buffer)? {
            if self.take_over(visited.state, false) == Visit::Full {
                return Err(self.limit(0));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::parts::tree::Record;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const HOW: TransitionType = TransitionType::Other;

    fn store(budget: usize) -> TreeStore {
        let record = |size, borders: &[usize]| Record { size, borders: borders.to_vec() };
        let records = vec![record(9, &[]), record(3, &[]), record(40, &[10, 31])];
        TreeStore::new(Layout { first_record: 12, borders: vec![2, 7], records }, true, budget)
    }

    /// Some variables, and processes of several types.
    fn state(i: u64) -> Vec<u8> {
        let mut bytes = vec![0; 12];
        bytes[..4].copy_from_slice(&(i as u32 % 977).to_le_bytes());
        bytes[6] = i as u8 % 5;
        let sizes = [9, 3, 40];
        for (number, part) in [i / 977 % 40, i % 11, i / 39_080].into_iter().enumerate() {
            let kind = (number + i as usize % 3) % 3;
            let mut record = vec![0; sizes[kind]];
            record[0] = kind as u8;
            record[1..3].copy_from_slice(&(part as u16).to_le_bytes());
            if !i.is_multiple_of(7) {
                bytes.extend(record);
            }
        }
        bytes
    }

    fn new(visit: Visit) -> Handle {
        match visit {
            Visit::New(handle) => handle,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_state_is_new_once_and_comes_back() {
        let mut store = store(usize::MAX);
        let mut different = HashMap::new();
        for i in 0..60_000 {
            let visit = store.visit(&state(i), HOW);
            match different.get(&state(i)) {
                Some(_) => assert_eq!(visit, Visit::Seen { on_stack: true }),
                None => {
                    different.insert(state(i), new(visit));
                }
            }
        }
        assert!(different.len() > 50_000 && different.len() as u64 == store.len());
        let mut bytes = Vec::new();
        for (number, (state, &handle)) in different.iter().enumerate() {
            store.read(handle, &mut bytes);
            assert_eq!(bytes, *state);
            assert_eq!(store.find(state), Some((handle, true)));
            if number % 2 == 0 {
                store.leave(handle);
                assert_eq!(store.visit(state, HOW), Visit::Seen { on_stack: false });
                assert_eq!(store.find(state), Some((handle, false)));
            }
        }
        assert!(!store.contains(&state(60_001)[1..]));
    }

    /// More shapes than a root can name.
    #[test]
    fn there_may_be_thousands_of_shapes() {
        let mut store = TreeStore::new(Layout::default(), true, usize::MAX);
        let state = |length: usize, value: u8| -> Vec<u8> { (0..length).map(|i| value ^ i as u8).collect() };
        let mut handles = Vec::new();
        for length in 0..2_000 {
            for value in 0..4 {
                if length > 0 || value == 0 {
                    handles.push((length, value, new(store.visit(&state(length, value), HOW))));
                }
            }
        }
        let mut bytes = Vec::new();
        for (length, value, handle) in handles {
            assert_eq!(store.visit(&state(length, value), HOW), Visit::Seen { on_stack: true });
            assert_eq!(store.find(&state(length, value)), Some((handle, true)));
            store.read(handle, &mut bytes);
            assert_eq!(bytes, state(length, value));
        }
    }

    #[test]
    fn budget_is_kept_and_used() {
        for budget in [0, 1_000, 30_000, 60_000, 200_000, 1_000_000] {
            let mut store = store(budget);
            let mut i = 0;
            while store.visit(&state(i), HOW) != Visit::Full {
                i += 1;
                assert!(store.memory() <= budget);
            }
            for j in 0..i {
                assert!(store.contains(&state(j)), "{budget}: {j} of {i}");
            }
            assert!(budget < 200_000 || i as usize > budget / 60, "{budget}: {i}");
        }
    }

    /// What was learned changes where things lie, and nothing else.
    #[test]
    fn learning_changes_no_answer() {
        let sample: Vec<Vec<u8>> = (0..5_000).map(|i| state(i * 7)).collect();
        let mut plain = store(usize::MAX);
        let mut learned = store(usize::MAX).learning_from(sample.iter().map(Vec::as_slice));
        let mut bytes = Vec::new();
        for i in 0..100_000 {
            let (one, other) = (plain.visit(&state(i * 3), HOW), learned.visit(&state(i * 3), HOW));
            match (one, other) {
                (Visit::New(_), Visit::New(handle)) => {
                    learned.read(handle, &mut bytes);
                    assert_eq!(bytes, state(i * 3));
                }
                _ => assert_eq!(one, other),
            }
        }
    }

    /// Successors are looked up from a state; then the store goes elsewhere, and one of them is visited all the same.
    #[test]
    fn what_was_foreseen_from_another_state_leads_nowhere() {
        let mut store = store(usize::MAX);
        let mut handles = Vec::new();
        for i in 0..400 {
            let from = new(store.visit(&state(i * 1_009), HOW));
            let to = state(i * 1_009 + 500_003);
            let hash = store.foresee(&to);
            let mut bytes = Vec::new();
            if let Some(&(_, handle)) = handles.get(i as usize / 2) {
                store.go_to(handle, &mut bytes);
                store.foresee(&state(i));
            }
            handles.push((state(i * 1_009), from));
            if i % 3 != 0 {
                let vacancy = Vacancy { hash, slot: 0, states: usize::MAX };
                handles.push((to.clone(), new(store.visit_at(&to, vacancy, HOW))));
                assert_eq!(store.visit(&to, HOW), Visit::Seen { on_stack: true });
            }
            assert_eq!(store.visit(&state(i * 1_009), HOW), Visit::Seen { on_stack: true });
        }
        let mut bytes = Vec::new();
        for (state, handle) in handles {
            store.read(handle, &mut bytes);
            assert_eq!(bytes, state);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in proptest::collection::vec((0u64..200, 0usize..70, any::<bool>()), 0..400)) {
            let mut store = store(usize::MAX);
            let mut model: HashMap<Vec<u8>, (Handle, bool)> = HashMap::new();
            for (value, length, leave) in steps {
                // Whole states, and states that end anywhere.
                let mut state = state(value * 1_003);
                state.truncate(length);
                let answer = store.visit(&state, HOW);
                prop_assert_eq!(store.contains(&state), true);
                match model.get_mut(&state) {
                    Some((handle, on_stack)) => {
                        prop_assert_eq!(answer, Visit::Seen { on_stack: *on_stack });
                        prop_assert_eq!(store.find(&state), Some((*handle, *on_stack)));
                        if leave && *on_stack {
                            store.leave(*handle);
                            *on_stack = false;
                        }
                    }
                    None => match answer {
                        Visit::New(handle) => { model.insert(state, (handle, true)); }
                        other => prop_assert!(false, "{:?}", other),
                    },
                }
            }
            prop_assert_eq!(store.len(), model.len() as u64);
        }
    }
}
