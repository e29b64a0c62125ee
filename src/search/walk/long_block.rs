//! The memory for atomic blocks that are longer than any block should be.
//!
//! States inside a block are not stored, so the walk would follow a block that loops for ever. Beyond a length that no real
//! block has (see `LONG_BLOCK` and `WIDE_BLOCK` in `forward`), we remember the states that a move passes inside its block. A
//! state that the same move passes again is not followed: the move has already looked at everything behind it. A memory
//! belongs to one move. Another move may pass the same states, and its ends are ends of its own. Costs nothing before that
//! length; beyond it, each passed state is kept whole.

use crate::store::{ExactStore, FindStore, Store, Visit};
use std::collections::HashMap;

/// The memory of one move.
#[derive(Debug)]
struct LongBlock {
    /// Where on the path the state stands from which the move started.
    root: usize,
    /// The states that the move has passed. A store is one piece of memory, which is given back at once.
    states: ExactStore,
    /// With a bound on the depth: how deep the path was in each state, by the state's handle.
    depths: HashMap<u64, u64>,
}

/// The memories of the moves on a path, from its start on: a block may end in a state from which another one starts.
#[derive(Debug, Default)]
pub(super) struct LongBlocks(Vec<LongBlock>);

impl LongBlocks {
    /// Nothing is remembered.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Forgets the moves from this place of the path and behind it.
    pub(super) fn forget_from(&mut self, root: usize) {
        while self.0.last().is_some_and(|block| block.root >= root) {
            self.0.pop();
        }
    }

    /// Was this state passed by the move from `root` before? If not, it is remembered now. With a `depth`, a state that was
    /// passed only on longer paths counts as new.
    pub(super) fn knows(&mut self, root: usize, inside: &[u8], depth: Option<u64>) -> bool {
        self.forget_from(root + 1);
        if self.0.last().is_none_or(|block| block.root < root) {
            self.0.push(LongBlock { root, states: ExactStore::new(0), depths: HashMap::new() });
        }
        let Some(block) = self.0.last_mut() else { return false };
        match (block.states.insert(inside), depth) {
            (Visit::New(handle), Some(depth)) => {
                block.depths.insert(handle.0, depth);
                false
            }
            (Visit::Seen { .. }, Some(depth)) => {
                let known = block.states.find(inside).and_then(|(handle, _)| block.depths.get_mut(&handle.0));
                let Some(known) = known else { return false };
                let shorter = depth < *known;
                *known = depth.min(*known);
                !shorter
            }
            (Visit::Seen { .. }, None) => true,
            // Where the system gives no more, the next look of the search comes to that end.
            (Visit::New(_) | Visit::Full, _) => false,
        }
    }

    /// Bytes.
    pub(super) fn memory(&self) -> usize {
        // A map of this kind has two words and a byte for each place, and for a moment twice when it grows.
        self.0.iter().map(|block| block.states.memory() + block.depths.capacity() * 3 * 17).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_knows_what_it_has_passed_itself() {
        let mut blocks = LongBlocks::default();
        assert!(!blocks.knows(3, b"one", None));
        assert!(blocks.knows(3, b"one", None));
        // a move that starts further down has a memory of its own, and the first one keeps its
        assert!(!blocks.knows(7, b"one", None));
        assert!(blocks.knows(3, b"one", None));
        assert!(!blocks.knows(7, b"one", None), "it was forgotten when the first one went on");
        blocks.forget_from(3);
        assert!(blocks.is_empty());
    }

    #[test]
    fn a_shorter_path_is_followed_again() {
        let mut blocks = LongBlocks::default();
        assert!(!blocks.knows(0, b"one", Some(10)));
        assert!(blocks.knows(0, b"one", Some(10)) && blocks.knows(0, b"one", Some(11)));
        assert!(!blocks.knows(0, b"one", Some(9)));
        assert!(blocks.knows(0, b"one", Some(9)));
    }
}
