//! What a search has visited.
//!
//! | room | what it holds | may it err? |
//! |---|---|---|
//! | `depth` | stores for depth-first search: all states, as they are or as a tree, or a cache | never |
//! | `breadth` | stores for breadth-first search with a queue beside it; the queue and the links | with signatures |
//! | `lossy` | stores that keep a few bits of a state, for both kinds of search | yes, with a known probability |
//! | `shared` | the store that several workers fill at once | never |
//! | `parts` | what stores are made of: room for states, hashes, signatures, random numbers | |
//!
//! One file per store, one trait for each kind of search. No search names a concrete store, and nobody outside keeps a
//! pointer into one. Every store that can be saved in a checkpoint saves itself, beside its own code.

pub mod breadth;
pub mod depth;
pub mod lossy;
pub mod parts;
pub mod shared;
#[cfg(test)]
mod testing;

pub use crate::limit::{Limit, Retraction};
pub use breadth::cache::BfsCache;
pub use breadth::disk::{DiskOptions, DiskStore, Window};
pub use breadth::hub::{HubCache, HubOptions};
pub use breadth::links::{Link, Links};
pub use breadth::queue::Queue;
pub use breadth::representation::Representation;
pub use breadth::whole::BreadthStates;
pub use breadth::work_dir::WorkDir;
pub use breadth::{BfsStatistics, BfsStore};
pub use depth::cache::CacheStore;
pub use depth::exact::ExactStore;
pub use depth::replace::Replacement;
pub use depth::tree::TreeStore;
pub use depth::whole::WholeStore;
pub use lossy::bloom::BloomStore;
pub use lossy::compact::CompactStore;
pub use parts::hash::StateHash;
pub use parts::tree::{Layout, Record};
pub use shared::states::SharedStates;

use crate::model::TransitionType;
use crate::store::lossy::omission::Omission;

/// Makes the program give memory back that its tables have left. To be called once, before the first search.
pub fn give_back_memory() {
    parts::hints::give_back_large_blocks();
}

/// Where a store keeps a state. A handle means something only to the store that gave it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Handle(pub u64);

/// The answer of a store to "have we been here?".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visit {
    /// The state was not there and now is; until [`Store::leave`] it counts as on the stack.
    New(Handle),
    /// The state was there already (or, in a store that may err, seems to have been).
    Seen {
        /// The state lies on the search stack.
        on_stack: bool,
    },
    /// The state was not there, and there is no room for it.
    Full,
}

/// Where a state would go that was looked up and was not there.
#[derive(Clone, Copy, Debug)]
pub struct Vacancy {
    hash: u64,
    slot: usize,
    /// How many states there were: the vacancy is one as long as there are no more.
    states: usize,
}

/// What a first look into a store has shown of a state, without the state itself: good as long as nothing is inserted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Glance {
    slot: usize,
    /// What stands in the slot: 0 if the state is not there, else what seems to be the state.
    word: u64,
}

/// A set of visited states for depth-first search.
///
/// States are byte vectors of varying length. `visit` both asks and inserts; a state that it calls new lies on the
/// stack (a cache must not evict it, the proviso may ask for it) until `leave` is called with its handle.
pub trait Store {
    /// The store never takes a new state for a visited one: only then may a search say "verified".
    const EXACT: bool;

    /// The store forgets nothing and has the next functions, so that a search can look ahead.
    const FORESEES: bool = false;

    /// Does it pay to look ahead now?
    #[inline]
    fn foresees(&self) -> bool {
        Self::FORESEES
    }

    /// May the successors of a state be foreseen before the state is stored?
    #[inline]
    fn foresees_early(&self) -> bool {
        false
    }

    /// The hash of a state, as [`Store::contains_hashed`] wants it.
    #[inline]
    fn hash(&self, _state: &[u8]) -> u64 {
        0
    }

    /// Asks for the memory where a state of this hash would be looked up first.
    #[inline]
    fn prefetch(&self, _hash: u64) {}

    /// A state will be looked up soon. Gives its hash, and asks for the memory where it would be looked up first.
    #[inline]
    fn foresee(&mut self, state: &[u8]) -> u64 {
        let hash = self.hash(state);
        self.prefetch(hash);
        hash
    }

    /// As [`Store::visit`], of a state that was foreseen with this hash, in a search that does not go there now.
    #[inline]
    fn visit_foreseen(&mut self, state: &[u8], _hash: u64, how: TransitionType) -> Visit {
        self.visit(state, how)
    }

    /// The hash of a state is its handle, and the store can make the state again from it: whoever keeps the handle need not keep the
    /// state.
    const NAMES: bool = false;

    /// Adds the state of a handle to what is in a buffer, if the store can. Look-ups of its successors come next.
    fn go_to(&mut self, _handle: Handle, _to: &mut Vec<u8>) {}

    /// Has this glance found the state? If not, the state may be there all the same.
    #[inline]
    fn is_glanced(&self, _state: &[u8], _glance: Glance) -> bool {
        false
    }

    /// Looks where a state of this hash seems to be kept, and asks for the memory there.
    #[inline]
    fn glance(&self, _hash: u64) -> Glance {
        Glance::default()
    }

    /// Is the state, which has this hash, there? Asking changes nothing.
    #[inline]
    fn contains_hashed(&self, state: &[u8], _hash: u64) -> bool {
        self.contains(state)
    }

    /// If a state with this hash, of which this was seen, was not inserted yet: what [`Store::visit_at`] wants to know for that.
    #[inline]
    fn vacancy(&self, state: &[u8], hash: u64, _glance: Glance) -> Option<Vacancy> {
        (!self.contains_hashed(state, hash)).then_some(Vacancy { hash, slot: 0, states: usize::MAX })
    }

    /// As [`Store::visit`], of a state for which there was a vacancy. If the store has changed since, it looks again.
    #[inline]
    fn visit_at(&mut self, state: &[u8], _vacancy: Vacancy, how: TransitionType) -> Visit {
        self.visit(state, how)
    }

    /// Looks the state up and inserts it if it is not there. `how` is the type of the transition that led to it.
    fn visit(&mut self, state: &[u8], how: TransitionType) -> Visit;

    /// The state of this handle has left the stack.
    fn leave(&mut self, handle: Handle);

    /// Where a state is; `None` if it is not there, or if the store cannot tell it from others.
    fn locate(&self, _state: &[u8]) -> Option<Handle> {
        None
    }

    /// Is the state there? Asking changes nothing (precision on demand asks this).
    fn contains(&self, state: &[u8]) -> bool;

    /// Bytes that the store occupies now, all tables counted.
    fn memory(&self) -> usize;

    /// The memory of the search comes near its budget. A store that can go on with less does so now, and says that it has.
    fn relieve(&mut self) -> bool {
        false
    }

    /// Why the store answered [`Visit::Full`] when `on_stack` states lay on the stack.
    fn limit(&self, on_stack: u64) -> Limit;

    /// Figures for the report.
    fn statistics(&self) -> StoreStatistics;
}

/// A store that can say where a state is: cycle searches come back to states they know.
pub trait FindStore: Store {
    /// Where the state is, and whether it lies on the stack.
    fn find(&self, state: &[u8]) -> Option<(Handle, bool)>;

    /// Writes the state of a handle into a buffer, whatever was there.
    fn read(&self, handle: Handle, state: &mut Vec<u8>);

    /// The state of a handle, in a buffer of its own.
    fn state(&self, handle: Handle) -> Vec<u8> {
        let mut state = Vec::new();
        self.read(handle, &mut state);
        state
    }
}

/// A store that may take a new state for a visited one.
pub trait LossyStore: Store {
    /// The search has proven that a state is new although `visit` called it seen (precision on demand). The state goes onto the
    /// stack all the same, until `leave`. Nothing is written: the bits that stand for the state are in the store already.
    fn visit_anyway(&mut self, state: &[u8]) -> Handle;

    /// The 64-bit hash of the state that was visited last, for a search that wants to recognize the state without hashing it
    /// once more.
    fn last_hash(&self) -> u64;
}

/// Figures of a store for the report.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct StoreStatistics {
    /// Insertions; with a cache, forgotten states that come again count again.
    pub stored: u64,
    /// The most states that were held at once.
    pub peak: u64,
    /// States that were thrown out.
    pub evicted: u64,
    /// Insertions of states that had been thrown out, per insertion, about; `None` if nothing was thrown out.
    pub revisit_rate: Option<f64>,
    /// A bound on the probability that at least one state was omitted; 0 for exact stores.
    pub omission_probability: f64,
    /// Expected share of the states that were really visited; 1 for exact stores.
    pub coverage: f64,
}

impl StoreStatistics {
    /// The figures of a store that forgets nothing.
    fn of_set(stored: u64, omission: Omission) -> Self {
        let Omission { probability, coverage } = omission;
        StoreStatistics {
            stored,
            peak: stored,
            evicted: 0,
            revisit_rate: None,
            omission_probability: probability,
            coverage,
        }
    }
}
