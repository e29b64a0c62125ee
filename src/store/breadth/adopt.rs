//! A search goes on from a checkpoint with a store of another shape: the new store takes over what the old one knew.
//!
//! Idea: the visited states of the checkpoint are [adopted](BfsStore::adopt) one by one. The states that wait in the queue were
//! new to a store that answers at once; a store on disk may have judged some of them to be old, and others not at all.
//!
//! Sound: no state that waits is dropped unless the old store has found it to be visited, and a state that was not judged is
//! offered to the new store. When another store can take over at all is said by [`StoreShape::refusal`].

use crate::checkpoint::{Kind, Reader, StoreShape, Visited, section};
use crate::limit::Limit;
use crate::store::breadth::{BfsStore, disk};

/// What the old store knew of the states in the queue.
#[derive(Debug, Default)]
pub struct Judged {
    /// So many states at the front of the queue are new.
    pub given: u64,
    /// For each state behind those: is it new? States further back were not judged.
    pub verdicts: Vec<bool>,
    /// The old store answers at once: all states in the queue are new.
    pub all: bool,
}

impl Judged {
    /// Is the state at this position of the queue new? `None`: it was not judged.
    pub fn verdict(&self, position: u64) -> Option<bool> {
        if self.all || position < self.given {
            return Some(true);
        }
        self.verdicts.get(usize::try_from(position - self.given).ok()?).copied()
    }
}

/// Lets the store adopt the visited states of a checkpoint; says what is known of the queue.
pub fn adopt_visited(store: &mut impl BfsStore, reader: &mut Reader) -> Result<Judged, Limit> {
    let from = StoreShape::read(reader)?;
    if let Some(why) = from.refusal(&store.shape()) {
        return Err(reader.refuse(&why));
    }
    let judged = match from.kind {
        Kind::Disk => disk::saved_verdicts(reader)?,
        _ => Judged { all: true, ..Judged::default() },
    };
    reader.section(section::VISITED)?;
    let mut buffer = Vec::new();
    while let Some(visited) = Visited::read(from.kind, reader, &mut buffer)? {
        store.adopt(visited.signature, from.bits.is_none().then_some(visited.state))?;
    }
    Ok(judged)
}
