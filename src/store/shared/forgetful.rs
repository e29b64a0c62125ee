//! What is left of the states of a search that keeps none: a signature of each, and a trace by which a path is found again.
//!
//! Such a search has whole states of two levels only: the one that is being expanded, and the next one, which is gathered in the table and
//! the arena of [`super::states`]. When a level is over, its new states are entered here, and the table is emptied for the level after it;
//! the records of the level that was expanded give their room back.
//!
//! The trace (see `trace`) has the upper half of each state's hash, and that of the state that it was reached from, by levels.
//! From a state of the last level it leads back to few candidates in each level, most often to one; executing these again from the
//! initial state finds the path.
//!
//! Cost: a signature and eight bytes for each state, those in a file if there is one, and the states of two levels.

use super::Budget;
use super::arena::Piece;
use super::signatures::SharedSignatures;
use super::trace::Trace;
use crate::checkpoint::{Reader, Writer, section};
use crate::limit::Limit;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Entries that are read from a checkpoint at a time.
const READ_AT_ONCE: u64 = 1 << 13;

/// See the head of this file.
#[derive(Debug)]
pub(super) struct Forgetful {
    pub(super) seen: SharedSignatures,
    trace: Mutex<Trace>,
    /// Pieces of the arena with the level that is being expanded.
    pieces: Mutex<Vec<Piece>>,
}

impl Forgetful {
    pub(super) fn new(seen: SharedSignatures, trace: Trace) -> Forgetful {
        Forgetful { seen, trace: Mutex::new(trace), pieces: Mutex::default() }
    }

    /// A level begins, whose states lie in these pieces. Gives the pieces of the level before it.
    pub(super) fn begin_level(&self, pieces: Vec<Piece>) -> Vec<Piece> {
        lock(&self.trace).begin_level();
        std::mem::replace(&mut *lock(&self.pieces), pieces)
    }

    /// Enters what a worker has traced of the level that has begun.
    pub(super) fn enter(&self, traced: Vec<u64>, budget: &Budget) -> Result<(), Limit> {
        lock(&self.trace).enter(traced, budget)
    }

    /// Levels that were traced.
    pub(super) fn levels(&self) -> usize {
        lock(&self.trace).levels()
    }

    /// Writes the signatures, and the trace of the first `levels` levels, into a checkpoint.
    pub(super) fn save(&self, levels: usize, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(section::PARTS)?;
        self.seen.save(writer)?;
        writer.end_section()?;
        writer.section(section::LINKS)?;
        let mut trace = lock(&self.trace);
        for level in 0..levels.min(trace.levels()) {
            writer.write(&trace.count(level).to_le_bytes())?;
            trace.for_each(level, |entry| writer.write(&entry.to_le_bytes()))?;
        }
        writer.end_section()
    }

    /// Reads what [`save`](Self::save) has written for so many levels.
    pub(super) fn load(&self, levels: usize, budget: &Budget, reader: &mut Reader) -> Result<(), Limit> {
        reader.section(section::PARTS)?;
        self.seen.load(reader)?;
        let entries = reader.section(section::LINKS)? / size_of::<u64>() as u64;
        for _ in 0..levels {
            let count = reader.u64()?;
            if count > entries {
                return Err(reader.refuse("its trace makes no sense"));
            }
            lock(&self.trace).begin_level();
            let mut left = count;
            while left > 0 {
                let traced = (0..left.min(READ_AT_ONCE)).map(|_| reader.u64()).collect::<Result<Vec<u64>, Limit>>()?;
                left -= traced.len() as u64;
                self.enter(traced, budget)?;
            }
        }
        Ok(())
    }

    /// From where the states of this level with one of these hashes were reached; all by the upper halves of hashes.
    pub(super) fn reached_from(&self, level: usize, hashes: &BTreeSet<u32>) -> BTreeSet<u32> {
        let mut from = BTreeSet::new();
        let read = lock(&self.trace).for_each(level, |entry| {
            if hashes.contains(&((entry >> 32) as u32)) {
                from.insert(entry as u32);
            }
            Ok(())
        });
        // What cannot be read leads nowhere: the path is then not found, and the report says so.
        if read.is_ok() { from } else { BTreeSet::new() }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
