//! What is left of the states of a search that keeps none: a signature of each, and a trace by which a path is found again.
//!
//! Such a search has whole states of two levels only: the one that is being expanded, and the next one, which is gathered in the table and
//! the arena of [`super::states`]. When a level is over, its new states are entered here, and the table is emptied for the level after it;
//! the records of the level that was expanded give their room back.
//!
//! The trace has eight bytes for each state, by levels: the upper half of the state's hash, and that of the state that it was reached from.
//! From a state of the last level it leads back to few candidates in each level, most often to one; executing these again from the
//! initial state finds the path.
//!
//! Cost: a signature and eight bytes for each state, and the states of two levels.

use super::Budget;
use super::signatures::{Full, SharedSignatures};
use crate::checkpoint::{Reader, Writer, section};
use crate::limit::Limit;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The trace of one level: what each worker has entered, in no order.
type Level = Vec<Box<[u64]>>;

/// See the head of this file.
#[derive(Debug)]
pub(super) struct Forgetful {
    pub(super) seen: SharedSignatures,
    trace: Mutex<Vec<Level>>,
    /// Chunks of the arena with the level that is being expanded.
    chunks: Mutex<Vec<usize>>,
}

impl Forgetful {
    pub(super) fn new(seen: SharedSignatures) -> Forgetful {
        Forgetful { seen, trace: Mutex::default(), chunks: Mutex::default() }
    }

    /// A level begins, whose states lie in these chunks. Gives the chunks of the level before it.
    pub(super) fn begin_level(&self, chunks: Vec<usize>) -> Vec<usize> {
        lock(&self.trace).push(Level::new());
        std::mem::replace(&mut *lock(&self.chunks), chunks)
    }

    /// Enters what a worker has traced of the level that has begun.
    pub(super) fn enter(&self, traced: Vec<u64>, budget: &Budget) -> Result<(), Full> {
        let bytes = size_of::<Level>() + size_of::<Box<[u64]>>() + size_of_val(traced.as_slice());
        if !budget.take(bytes) {
            return Err(Full);
        }
        if let Some(level) = lock(&self.trace).last_mut() {
            level.push(traced.into_boxed_slice());
        }
        Ok(())
    }

    /// Levels that were traced.
    pub(super) fn levels(&self) -> usize {
        lock(&self.trace).len()
    }

    /// Writes the signatures, and the trace of the first `levels` levels, into a checkpoint.
    pub(super) fn save(&self, levels: usize, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(section::PARTS)?;
        self.seen.save(writer)?;
        writer.end_section()?;
        writer.section(section::LINKS)?;
        for level in lock(&self.trace).iter().take(levels) {
            let count: usize = level.iter().map(|entries| entries.len()).sum();
            writer.write(&(count as u64).to_le_bytes())?;
            level.iter().flatten().try_for_each(|entry| writer.write(&entry.to_le_bytes()))?;
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
            let traced = (0..count).map(|_| reader.u64()).collect::<Result<Vec<u64>, Limit>>()?;
            lock(&self.trace).push(Level::new());
            self.enter(traced, budget)
                .map_err(|_| Limit::Memory { used: budget.used() as u64, budget: budget.whole() as u64 })?;
        }
        Ok(())
    }

    /// From where the states of this level with one of these hashes were reached; all by the upper halves of hashes.
    pub(super) fn reached_from(&self, level: usize, hashes: &BTreeSet<u32>) -> BTreeSet<u32> {
        let trace = lock(&self.trace);
        let entries = trace.get(level).into_iter().flatten().flatten();
        entries.filter(|&entry| hashes.contains(&((entry >> 32) as u32))).map(|&entry| entry as u32).collect()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
