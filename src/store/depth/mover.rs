//! Moving all visited states from the exact store to a tree, in the middle of a search.
//!
//! Idea: the exact store is the faster one while there is room, the tree holds five to twenty times as many states. What the exact store
//! has visited moves over state by state, in the order in which it came. Its table of slots, which nobody needs for that, is given back first,
//! and its pages one by one, so that the move takes no more memory than there was. The states that are moved are also what the tree
//! learns from.
//!
//! Sound always: the tree knows what the exact store knew, or says that it does not ([`Moved::lost`]).

use crate::store::depth::exact::ExactStore;
use crate::store::depth::tree::TreeStore;
use crate::store::parts::tree::{Layout, SHAPE_PER_BYTE};
use crate::store::{Handle, Visit};

/// A tree is tried where there are so many states for each shape.
const STATES_OF_A_SHAPE: usize = 8;

/// A part of the budget is kept for the beginning of a tree: the tree cannot wait until the exact store gives its first page back. How much a
/// beginning takes hangs on how long the states are and on how many shapes they have; at least and at most these parts of the budget are kept.
const KEPT_FOR_TREE: (usize, usize) = (16, 4);

/// When this part of the budget is used up, the states tell how much of it is to be kept.
const FIRST_LOOK: usize = 2;

/// At most so many states of a store, from the first to the last.
fn spread(exact: &ExactStore, most: usize) -> impl Iterator<Item = &[u8]> {
    let step = exact.len().div_ceil(most).max(1);
    let handles = std::iter::successors(exact.first(), |&handle| exact.next(handle)).step_by(step);
    handles.map(|handle| exact.get(handle))
}

/// What some of the states, from the first to the last, tell of all.
struct Outlook {
    states: usize,
    shapes: usize,
    longest: usize,
}

impl Outlook {
    fn of(exact: &ExactStore, layout: &Layout) -> Outlook {
        let (mut states, mut longest) = (0, 0);
        let seen = spread(exact, TreeStore::SAMPLE)
            .inspect(|state| (states, longest) = (states + 1, longest.max(state.len())));
        let shapes = layout.shapes_of(seen);
        Outlook { states, shapes, longest }
    }

    /// Bytes that the shapes take while they are made, at most.
    fn beginning(&self) -> usize {
        self.shapes * self.longest * SHAPE_PER_BYTE
    }

    /// Is a tree worth trying? Nearly always: the exact store is at its end, and even a tree that shares little takes less. Only where
    /// states have shapes of their own a tree takes more.
    fn pays(&self, budget: usize) -> bool {
        self.shapes * STATES_OF_A_SHAPE <= self.states.max(STATES_OF_A_SHAPE)
            && self.beginning() <= budget / KEPT_FOR_TREE.1
    }
}

/// What a store needs to move.
#[derive(Debug)]
pub(in crate::store) struct Mover {
    layout: Layout,
    /// The tree is asked which states are on the stack.
    pub(in crate::store) tracks: bool,
    budget: usize,
    /// What is kept of it for the beginning of the tree, once that is known.
    kept: Option<usize>,
}

/// The tree to which the states have moved.
#[derive(Debug)]
pub(in crate::store) struct Moved {
    pub(in crate::store) tree: TreeStore,
    /// How many states there were.
    pub(in crate::store) states: u64,
    /// The tree had no room for all of them: what it does not know may have been visited, so nothing is new any more.
    pub(in crate::store) lost: bool,
}

impl Mover {
    pub(in crate::store) fn new(layout: Layout, tracks: bool, budget: usize) -> Mover {
        Mover { layout, tracks, budget, kept: None }
    }

    /// The store that begins.
    pub(in crate::store) fn exact(&self, seed: u64) -> ExactStore {
        ExactStore::with_budget(seed, self.budget / FIRST_LOOK)
    }

    /// The exact store is full. For the first time it gets more of the budget; then `false`: it has to move.
    #[cold]
    pub(in crate::store) fn widens(&mut self, exact: &mut ExactStore) -> bool {
        if self.kept.is_some() {
            return false;
        }
        let (least, most) = KEPT_FOR_TREE;
        // Other shapes may come.
        let wanted = Outlook::of(exact, &self.layout).beginning().saturating_mul(2);
        let keeps = wanted.clamp(self.budget / least, self.budget / most);
        exact.set_budget(self.budget - keeps);
        self.kept = Some(keeps);
        true
    }

    /// Moves all states to a tree and leaves an empty store behind. `each` is told of every state: where it was, where it is, and whether it
    /// is on the stack; it answers how many bytes it has taken so far to remember that. `None` if a tree does not pay: then the exact store
    /// may use the whole budget.
    #[cold]
    pub(in crate::store) fn go_over(
        self,
        exact: &mut ExactStore,
        mut each: impl FnMut(Handle, Handle, bool) -> usize,
    ) -> Option<Moved> {
        let Mover { layout, tracks, budget, kept } = self;
        let outlook = Outlook::of(exact, &layout);
        if !outlook.pays(budget) {
            exact.set_budget(budget);
            return None;
        }
        // What is learned from counts as well, eight bytes for each byte of a state, and memory is short.
        let kept = kept.unwrap_or(budget / KEPT_FOR_TREE.0);
        let most = (kept / 2 / (8 * outlook.longest + 64)).clamp(4, TreeStore::SAMPLE);
        let mut tree = TreeStore::new(layout, tracks, budget).learning_from(spread(exact, most));
        let exact = std::mem::replace(exact, ExactStore::with_budget(0, 0));
        let states = exact.len() as u64;
        let (mut lost, mut remembering) = (false, 0);
        exact.drain(|handle, state, on_stack, left| {
            tree.set_budget(budget.saturating_sub(left + remembering));
            match tree.take_over(state, on_stack) {
                Visit::New(to) => remembering = each(handle, to, on_stack),
                Visit::Seen { .. } => {}
                Visit::Full => lost = true,
            }
            !lost
        });
        tree.set_budget(budget.saturating_sub(remembering));
        Some(Moved { tree, states, lost })
    }
}
