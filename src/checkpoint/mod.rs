//! Checkpoints: a breadth-first search that was stopped is on disk, whole, and can go on later.
//!
//! Idea: between two expansions a search is its counters, its errors, its queue, its links and its store, and nothing else.
//! Whoever owns one of these parts writes it into a named section of one file and reads it back from there; this room
//! knows the file, not the parts. So it lies below stores and searches and uses neither.
//!
//! | file | what it holds |
//! |---|---|
//! | `container` | the file: named sections with checksums, replaced at once or not at all |
//! | `leftovers` | what killed processes left behind, and how it is told from what is in use |
//! | `origin` | which command wrote the checkpoint, and for which model |
//! | `parts` | a checkpoint of several processes: the file of process 0, and a part for each of the others |
//! | `schedule` | which file is written, when, and which one a search starts from |
//! | `store` | what a store must do to be saved, and when another store can take over |
//!
//! The sections of a checkpoint, in the order in which they are written:
//!
//! | name | content | written by |
//! |---|---|---|
//! | `admn` | the origin, a text | the command line |
//! | `cnts` | the counters | the search |
//! | `errs` | the errors found so far | the search |
//! | `link` | where each expanded state came from | `store::Links` |
//! | `queu` | the states that wait to be expanded | `store::Queue` |
//! | `shap` | the shape of the store | the store |
//! | `stor` | the small parts of the store | the store, except the exact one |
//! | `visi` | the visited states | the store |
//! | `wait`, `verd` | states to be judged, and verdicts on the queue | the store on disk |
//! | `team` | the counters of a search by several workers, in place of `cnts` | the search |
//! | `sprd` | the counters of one process of a search over several, in place of `cnts` | the search |
//! | `mark` | which checkpoint of several processes this is a part of | the search |
//! | `sent` | states that were sent to this process and not looked up yet | the search |
//! | `mani` | what all processes have to know of the checkpoint; in the file of process 0 | the search |
//!
//! A search by several workers has no shape: its `visi` and `queu` hold whole states, each behind a word that says how it was reached; with
//! signatures `stor` is their table, and `link` the trace of all levels. In the `queu` of one process of several each state stands behind its rank,
//! or its key for the next level.

pub mod container;
pub mod leftovers;
pub mod origin;
pub mod parts;
pub mod schedule;
pub mod store;

pub use container::{Reader, Writer};
pub use origin::Origin;
pub use schedule::{CheckpointSchedule, Start};
pub use store::{Kind, Save, StoreShape, Visited};

/// The names of the sections; the table in the head of this file says what each holds.
pub mod section {
    use super::container::Name;

    /// The origin.
    pub const ORIGIN: Name = *b"admn";
    /// The counters of the search.
    pub const COUNTERS: Name = *b"cnts";
    /// The counters of a search by several workers.
    pub const TEAM: Name = *b"team";
    /// The counters of one process of a search over several.
    pub const SPREAD: Name = *b"sprd";
    /// Which checkpoint of several processes a part belongs to.
    pub const MARK: Name = *b"mark";
    /// States that were sent to a process and not looked up yet.
    pub const SENT: Name = *b"sent";
    /// What all processes have to know of a checkpoint of several.
    pub const MANIFEST: Name = *b"mani";
    /// The errors that the search has found.
    pub const ERRORS: Name = *b"errs";
    /// Where each expanded state came from.
    pub const LINKS: Name = *b"link";
    /// The states that wait to be expanded.
    pub const QUEUE: Name = *b"queu";
    /// The shape of the store.
    pub const SHAPE: Name = *b"shap";
    /// The small parts of the store.
    pub const PARTS: Name = *b"stor";
    /// The visited states.
    pub const VISITED: Name = *b"visi";
    /// The states that a store on disk has not judged yet.
    pub const WAITING: Name = *b"wait";
    /// The verdicts of a store on disk on the queue.
    pub const VERDICTS: Name = *b"verd";
}

/// Fractions in a checkpoint, bit by bit: `serde_json` may round the last digit and writes infinity as `null`, and a search
/// that goes on must have the very number. For `#[serde(with = "...")]`.
pub mod exactly {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the bits of the number.
    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        number.to_bits().serialize(serializer)
    }

    /// Reads a number from its bits.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        u64::deserialize(deserializer).map(f64::from_bits)
    }
}
