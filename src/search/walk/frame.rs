//! One position on the path of a walk.

use crate::exec::{Cursor, Mark};
use crate::store::Handle;

/// Who moves next from a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Turn {
    /// The claim.
    Claim,
    /// Every process.
    Everybody,
    /// The process that moved last: it is inside an atomic block.
    Insider,
    /// A rendezvous is half done: every process but the one that has offered it.
    Receivers,
}

/// What a position is for the search.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// The walk starts here, and the visitor is not asked.
    Start {
        /// Steps that the latest move from here has made in all, back and forth.
        made: u32,
    },
    /// A state that the visitor has entered.
    Entered {
        /// What the visitor calls it.
        handle: Handle,
        /// As in [`Place::Start`].
        made: u32,
        /// The walk has looked ahead from here.
        foreseen: bool,
    },
    /// A state that was entered before and is entered once more, because the reduction wants it.
    Reentered {
        /// As in [`Place::Start`].
        made: u32,
    },
    /// Inside a block, in the middle of a rendezvous, or between claim and system.
    Passed {
        /// Steps since the last position of another kind.
        since: u32,
    },
}

/// A position on the path.
///
/// The step that led here is the one that the cursor of the position before has tried last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub place: Place,
    /// What is tried next.
    pub cursor: Cursor,
    /// Journal position before the step that led here.
    pub mark: Mark,
    pub turn: Turn,
    /// Processes with a lower pid than this have not been tried.
    pub left: u8,
    /// `timeout` holds.
    pub timeout: bool,
    /// Some process (or the claim) had an executable step here.
    pub any: bool,
}

impl Frame {
    /// A position that was just reached; its cursor is put at its start later on.
    pub(super) fn new(place: Place, mark: Mark, turn: Turn, timeout: bool) -> Frame {
        Frame { place, cursor: Cursor::default(), mark, turn, left: 0, timeout, any: false }
    }

    /// Do moves start here?
    #[inline]
    pub(super) fn is_root(&self) -> bool {
        !matches!(self.place, Place::Passed { .. })
    }

    /// Steps since the last root; 0 in a root.
    #[inline]
    pub(super) fn since(&self) -> u32 {
        match self.place {
            Place::Passed { since } => since,
            _ => 0,
        }
    }

    /// In a root: steps that its latest move has made in all.
    #[inline]
    pub(super) fn made(&mut self) -> Option<&mut u32> {
        match &mut self.place {
            Place::Start { made } | Place::Entered { made, .. } | Place::Reentered { made } => Some(made),
            Place::Passed { .. } => None,
        }
    }
}
