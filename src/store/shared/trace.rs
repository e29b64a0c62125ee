//! By which a path is found again in a search that keeps no states: eight bytes for each state, level by level.
//!
//! An entry has the upper half of the hash of a state and that of the state that it was reached from. The entries of a level come in no order.
//! They lie in memory, or in a file where a budget is given: they are needed only when an error is told, and they are more than the signatures
//! of the same states.

use super::Budget;
use crate::limit::Limit;
use crate::store::breadth::work_dir::WorkFile;

/// Entries that are read from the file at a time: 64 KiB.
const AT_ONCE: u64 = 1 << 13;
const SIZE: u64 = size_of::<u64>() as u64;

/// The entries of all levels. See the head of this file.
#[derive(Debug, Default)]
pub(super) struct Trace {
    levels: Vec<Level>,
    file: Option<WorkFile>,
}

/// The entries of one level.
#[derive(Debug, Default)]
struct Level {
    /// Where they begin in the file, and how many they are there.
    from: u64,
    count: u64,
    /// Those in memory, as they were entered.
    parts: Vec<Box<[u64]>>,
}

impl Trace {
    /// An empty trace, in this file if there is one.
    pub(super) fn new(file: Option<WorkFile>) -> Trace {
        Trace { levels: Vec::new(), file }
    }

    /// A level begins.
    pub(super) fn begin_level(&mut self) {
        let from = self.file.as_ref().map_or(0, WorkFile::len) / SIZE;
        self.levels.push(Level { from, ..Level::default() });
    }

    /// Levels that have begun.
    pub(super) fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Adds entries to the level that has begun.
    pub(super) fn enter(&mut self, entries: Vec<u64>, budget: &Budget) -> Result<(), Limit> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if let Some(file) = &mut self.file {
            let bytes: Vec<u8> = entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
            file.append(&bytes)?;
            level.count += entries.len() as u64;
            return Ok(());
        }
        if !budget.take(size_of::<Level>() + size_of::<Box<[u64]>>() + size_of_val(entries.as_slice())) {
            return Err(Limit::Memory { used: budget.used() as u64, budget: budget.whole() as u64 });
        }
        level.parts.push(entries.into_boxed_slice());
        Ok(())
    }

    /// Entries of a level.
    pub(super) fn count(&self, level: usize) -> u64 {
        self.levels
            .get(level)
            .map_or(0, |level| level.count + level.parts.iter().map(|entries| entries.len() as u64).sum::<u64>())
    }

    /// Calls `each` with every entry of a level.
    pub(super) fn for_each(
        &mut self,
        level: usize,
        mut each: impl FnMut(u64) -> Result<(), Limit>,
    ) -> Result<(), Limit> {
        let Some(level) = self.levels.get(level) else { return Ok(()) };
        let mut buffer = Vec::new();
        let mut done = 0;
        while let Some(file) = self.file.as_mut().filter(|_| done < level.count) {
            let count = (level.count - done).min(AT_ONCE);
            buffer.resize((count * SIZE) as usize, 0);
            file.read_at((level.from + done) * SIZE, &mut buffer)?;
            buffer.as_chunks::<8>().0.iter().try_for_each(|entry| each(u64::from_le_bytes(*entry)))?;
            done += count;
        }
        level.parts.iter().flatten().try_for_each(|&entry| each(entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::WorkDir;

    /// In memory and in a file the same entries come back, level by level; those in a file take nothing of the budget.
    #[test]
    fn entries_come_back_by_level() {
        let folder = WorkDir::new(None).unwrap();
        for file in [None, Some(folder.create("trace").unwrap())] {
            let (budget, on_disk) = (Budget::of(1 << 20), file.is_some());
            let mut trace = Trace::new(file);
            let sizes = [1u64, 0, 20_000, 3];
            for (level, &size) in sizes.iter().enumerate() {
                trace.begin_level();
                let entries: Vec<u64> = (0..size).map(|i| (level as u64) << 32 | i).collect();
                entries.chunks(7_000).for_each(|part| trace.enter(part.to_vec(), &budget).unwrap());
            }
            assert_eq!((trace.levels(), budget.used() == 0), (4, on_disk));
            for (level, &size) in sizes.iter().enumerate() {
                let mut found = Vec::new();
                trace
                    .for_each(level, |entry| {
                        found.push(entry);
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(trace.count(level), size);
                assert!(found.into_iter().eq((0..size).map(|i| (level as u64) << 32 | i)));
            }
        }
    }

    #[test]
    fn the_budget_is_kept() {
        let budget = Budget::of(1_000);
        let mut trace = Trace::new(None);
        trace.begin_level();
        assert!(trace.enter(vec![7; 50], &budget).is_ok());
        assert!(matches!(trace.enter(vec![7; 100], &budget), Err(Limit::Memory { .. })) && trace.count(0) == 50);
    }
}
