//! A breadth-first search with a queue, saved in a checkpoint and read back.
//!
//! Idea: between two expansions such a search consists of its queue, its links, its counters, the errors that it has found
//! and its store. A search that is read back with a store of the same shape goes on as if nobody had stopped it. A store of
//! another shape adopts what the saved store knew, and the states that wait are sorted out: a state that the saved disk store
//! has found to be old is dropped, and a state that it had not judged yet is offered to the new store. [`Earlier`] remembers
//! what the stores before did, so that the final counts are those of all stores together.

use super::{Counters, Earlier, PREFIX, Queued};
use crate::checkpoint::{Kind, Reader, StoreShape, Writer, section};
use crate::search::ledger::Findings;
use crate::search::outcome::Limit;
use crate::search::walk::Walk;
use crate::store::BfsStore;
use crate::store::breadth::adopt;
use serde::{Deserialize, Serialize};

/// The section of counters.
#[derive(Serialize, Deserialize)]
struct Saved {
    /// Transitions and bytes of hidden variables of the program: another program is another search.
    program: (usize, u32),
    counters: Counters,
    walked: Walked,
    /// As [`Counters::earlier`], the store of the checkpoint counted in: what a store of another shape begins with.
    so_far: Earlier,
}

/// What the walk has counted.
#[derive(Serialize, Deserialize)]
struct Walked {
    reached: Vec<bool>,
    atomic_steps: u64,
    deepest: u64,
}

impl Walked {
    fn of(walk: &Walk) -> Walked {
        Walked { reached: walk.reached.clone(), atomic_steps: walk.atomic_steps, deepest: walk.deepest }
    }

    fn give_back(self, walk: &mut Walk) {
        (walk.reached, walk.atomic_steps, walk.deepest) = (self.reached, self.atomic_steps, self.deepest);
    }
}

impl Queued<'_, '_, '_, '_> {
    /// Begins with the initial state, or goes on from a checkpoint if there is one to start from.
    pub fn start<S: BfsStore>(&mut self, store: &mut S) -> Result<(), Limit> {
        let Some(mut reader) = self.monitor.checkpoints.as_mut().and_then(|schedule| schedule.from.take()) else {
            return self.begin(store);
        };
        let restored = self.restore(store, &mut reader);
        if let (Err(Limit::File(why)), Some(schedule)) = (&restored, &mut self.monitor.checkpoints) {
            schedule.refused = Some(why.clone());
        }
        restored
    }

    /// Does the search go on from a checkpoint with the visited states on disk?
    pub fn starts_on_disk(&mut self) -> Result<bool, Limit> {
        let shape = self.monitor.checkpoints.as_mut().map(|schedule| schedule.shape()).transpose()?.flatten();
        Ok(shape.is_some_and(|shape| shape.kind == Kind::Disk))
    }

    /// Leaves a checkpoint on the way. If it cannot be written, the search goes on, and the checkpoint before, if any, stays.
    pub(super) fn write_when_due<S: BfsStore>(&mut self, store: &mut S) -> Result<(), Limit> {
        match (self.write(store), &mut self.monitor.checkpoints) {
            (Err(Limit::File(why)), Some(schedule)) => {
                if schedule.could_not_write(&why) {
                    (self.monitor.warn)(&format!("{why}; the search goes on"));
                }
                Ok(())
            }
            (result, _) => result,
        }
    }

    /// Leaves a checkpoint if there is a file for it.
    pub(super) fn write<S: BfsStore>(&mut self, store: &mut S) -> Result<(), Limit> {
        let Some(schedule) = &self.monitor.checkpoints else { return Ok(()) };
        let Some(target) = &schedule.target else { return Ok(()) };
        let mut writer = Writer::create(target)?;
        writer.value(section::ORIGIN, &schedule.about)?;
        let saved = Saved {
            program: (self.program.transitions.len(), self.program.hidden),
            counters: Counters { seconds_before: self.seconds(), ..self.counters.clone() },
            walked: Walked::of(&self.walk),
            so_far: self.counters.earlier.and(store),
        };
        writer.value(section::COUNTERS, &saved)?;
        writer.value(section::ERRORS, &self.ledger.findings())?;
        self.links.save(&mut writer)?;
        self.save_queue(store, &mut writer)?;
        store.save_with_shape(&mut writer)?;
        writer.finish()?;
        if let Some(schedule) = &mut self.monitor.checkpoints {
            schedule.wrote();
        }
        Ok(())
    }

    /// Becomes the search of the checkpoint.
    fn restore<S: BfsStore>(&mut self, store: &mut S, reader: &mut Reader) -> Result<(), Limit> {
        if reader.has(section::SPREAD) {
            return Err(
                reader.refuse("it is of a search over several processes, and goes on with --processes or --hosts only")
            );
        }
        if reader.has(section::TEAM) {
            return Err(reader.refuse("it is of a search with --workers, and can go on with --workers only"));
        }
        let saved: Saved = reader.value(section::COUNTERS)?;
        if saved.program != (self.program.transitions.len(), self.program.hidden)
            || saved.walked.reached.len() != self.walk.reached.len()
        {
            return Err(reader.refuse("it is of another model"));
        }
        let findings: Findings = reader.value(section::ERRORS)?;
        self.ledger.take_up(findings);
        self.links.load(reader)?;
        self.counters = saved.counters;
        saved.walked.give_back(&mut self.walk);
        if StoreShape::read(reader)? == store.shape() {
            store.load(reader)?;
            self.load_queue(store, reader)?;
        } else {
            self.counters.earlier = saved.so_far;
            self.adopt(store, reader)?;
        }
        if self.counters.level_left > self.queue.len() {
            return Err(reader.refuse("states of its queue are missing"));
        }
        Ok(())
    }

    /// Writes what waits, as whole states: every store can go on with these.
    fn save_queue<S: BfsStore>(&mut self, store: &mut S, writer: &mut Writer) -> Result<(), Limit> {
        if !S::NAMES {
            return self.queue.save(section::QUEUE, writer);
        }
        writer.section(section::QUEUE)?;
        let mut state = Vec::new();
        self.queue.for_each(|record| {
            let Some((front, name)) = record.split_last_chunk() else { return Ok(()) };
            state.clear();
            store.recall(u64::from_le_bytes(*name), &mut state);
            writer.record(&[front, &state])
        })?;
        writer.end_section()
    }

    /// Reads what [`save_queue`](Self::save_queue) has written. The store has been read before.
    fn load_queue<S: BfsStore>(&mut self, store: &mut S, reader: &mut Reader) -> Result<(), Limit> {
        reader.section(section::QUEUE)?;
        let mut record = Vec::new();
        while reader.record(&mut record)? {
            self.queue_again(store, &record)?;
        }
        Ok(())
    }

    /// Puts a state that the store knows into the queue, with what stands in front of it.
    fn queue_again<S: BfsStore>(&mut self, store: &mut S, record: &[u8]) -> Result<(), Limit> {
        match record.split_at_checked(PREFIX + self.program.hidden as usize) {
            Some((front, state)) if S::NAMES => self.queue.push(&[front, &store.foresee(state).to_le_bytes()]),
            _ => self.queue.push(&[record]),
        }
    }

    /// Goes on with a store of another shape.
    fn adopt<S: BfsStore>(&mut self, store: &mut S, reader: &mut Reader) -> Result<(), Limit> {
        let judged = adopt::adopt_visited(store, reader)?;
        let skip = PREFIX + self.program.hidden as usize;
        let mut record = Vec::new();
        // A cache may have forgotten states that wait; every other store still knows them.
        if StoreShape::read(reader)?.kind.forgets() {
            reader.section(section::QUEUE)?;
            while reader.record(&mut record)? {
                store.adopt(0, record.get(skip..))?;
            }
        }
        self.counters.earlier.handed_over = store.statistics().stored;
        reader.section(section::QUEUE)?;
        let level = self.counters.level_left;
        let mut trusted = 0;
        let mut position = 0;
        while reader.record(&mut record)? {
            let verdict = judged.verdict(position);
            let is_new = match verdict {
                Some(verdict) => verdict,
                None => store.insert(record.get(skip..).unwrap_or_default())?,
            };
            if is_new {
                self.queue_again(store, &record)?;
                trusted += u64::from(verdict.is_some());
            } else if position < level {
                self.counters.level_left -= 1;
            }
            position += 1;
        }
        store.trust(trusted);
        Ok(())
    }
}
