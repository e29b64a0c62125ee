//! A breadth-first search in a checkpoint, and out of it.
//!
//! Idea: between two expansions a search is its queue, its links, its counters, the errors it has found and its store.
//! With a store of the same shape it goes on as if nothing had been; another store adopts what is known, and the states
//! that wait are sorted out: those a disk search has found to be old are dropped, those it had not judged yet are
//! offered to the new store. `Earlier` remembers what the stores before did, so that the final counts are those of all.
//!
//! Sections, beside those of the store: `admn` a text for the command line, `cnts` counters, `errs` errors, `link` links,
//! `queu` the queue.

use crate::search::explore::queued::{Earlier, PREFIX, Queued};
use crate::search::outcome::{Level, Limit, Violation};
use crate::store::checkpoint::{Reader, Writer};
use crate::store::saved::{self, Kind};
use crate::store::{BfsStore, Link};
use serde::{Deserialize, Serialize};

const ADMIN: [u8; 4] = *b"admn";
const COUNTERS: [u8; 4] = *b"cnts";
const ERRORS: [u8; 4] = *b"errs";
const LINKS: [u8; 4] = *b"link";
const QUEUE: [u8; 4] = *b"queu";

/// A state that has to be expanded again: its depth and its bytes.
pub(in crate::search) type Redo = Option<(u64, Vec<u8>)>;

#[derive(Serialize, Deserialize)]
struct Counters {
    /// Of the program: how many transitions, bytes of hidden variables. Another program is another search.
    program: (usize, u32),
    arrivals: u64,
    offered: u64,
    expanded: u64,
    level_left: u64,
    level_states: u64,
    levels: Vec<Level>,
    vector: usize,
    cut: bool,
    reached: Vec<bool>,
    atomic_steps: u64,
    deepest: u64,
    errors: u64,
    seconds: f64,
    redo: Redo,
    earlier: Earlier,
    /// As `earlier`, the store of now counted in: what another store has to begin with.
    so_far: Earlier,
}

/// The text for the command line that is in a checkpoint.
pub fn about(reader: &mut Reader) -> Result<String, Limit> {
    reader.value(ADMIN)
}

impl Queued<'_, '_, '_, '_> {
    /// Begins, or goes on from a checkpoint if the keeper has one.
    pub fn start<S: BfsStore>(&mut self, store: &mut S) -> Result<(), Limit> {
        let Some(mut reader) = self.monitor.keeper.as_mut().and_then(|keeper| keeper.from.take()) else {
            return self.begin(store);
        };
        let restored = self.restore(store, &mut reader);
        if let (Err(Limit::File(why)), Some(keeper)) = (&restored, &mut self.monitor.keeper) {
            keeper.refused = Some(why.clone());
        }
        restored
    }

    /// The search goes on from a checkpoint with the visited states on disk.
    pub fn starts_on_disk(&mut self) -> Result<bool, Limit> {
        let shape = self.monitor.keeper.as_mut().map(|keeper| keeper.shape()).transpose()?.flatten();
        Ok(shape.is_some_and(|shape| shape.kind == Kind::Disk))
    }

    /// Leaves a checkpoint on the way. The search does not hang on it: if it cannot be written, the search goes on, and the
    /// one before, if any, stays.
    pub(in crate::search) fn write_when_due<S: BfsStore>(&mut self, store: &mut S) -> Result<(), Limit> {
        match (self.write(store), &mut self.monitor.keeper) {
            (Err(Limit::File(why)), Some(keeper)) => {
                if keeper.could_not_write(&why) {
                    (self.monitor.warn)(&format!("{why}; the search goes on"));
                }
                Ok(())
            }
            (result, _) => result,
        }
    }

    /// Leaves a checkpoint, if there is where.
    pub(in crate::search) fn write<S: BfsStore>(&mut self, store: &mut S) -> Result<(), Limit> {
        let Some(keeper) = &self.monitor.keeper else { return Ok(()) };
        let Some(target) = &keeper.target else { return Ok(()) };
        let mut writer = Writer::create(target)?;
        writer.value(ADMIN, &keeper.about)?;
        writer.value(COUNTERS, &self.counters(store))?;
        writer.value(ERRORS, &self.ledger.violations)?;
        writer.section(LINKS)?;
        self.links.for_each(|link| writer.write(&link.pack().to_le_bytes()))?;
        writer.end_section()?;
        writer.section(QUEUE)?;
        self.queue.for_each(|record| writer.record(record))?;
        writer.end_section()?;
        saved::save(store, &mut writer)?;
        writer.finish()?;
        if let Some(keeper) = &mut self.monitor.keeper {
            keeper.wrote();
        }
        Ok(())
    }

    fn counters<S: BfsStore>(&self, store: &S) -> Counters {
        Counters {
            program: (self.program.transitions.len(), self.program.hidden),
            arrivals: self.arrivals,
            offered: self.offered,
            expanded: self.expanded,
            level_left: self.level_left,
            level_states: self.level_states,
            levels: self.levels.clone(),
            vector: self.vector,
            cut: self.cut,
            reached: self.walk.reached.clone(),
            atomic_steps: self.walk.atomic_steps,
            deepest: self.walk.deepest,
            errors: self.ledger.count,
            seconds: self.seconds(),
            redo: self.redo.clone(),
            earlier: self.earlier,
            so_far: self.earlier.and(store),
        }
    }

    fn restore<S: BfsStore>(&mut self, store: &mut S, reader: &mut Reader) -> Result<(), Limit> {
        let counters: Counters = reader.value(COUNTERS)?;
        if counters.program != (self.program.transitions.len(), self.program.hidden)
            || counters.reached.len() != self.walk.reached.len()
        {
            return Err(reader.refuse("it is of another model"));
        }
        let violations: Vec<Violation> = reader.value(ERRORS)?;
        let links = reader.section(LINKS)? / 8;
        for _ in 0..links {
            let link = Link::unpack(reader.u64()?);
            self.links.push(link)?;
        }
        self.arrivals = counters.arrivals;
        self.offered = counters.offered;
        self.expanded = counters.expanded;
        self.level_left = counters.level_left;
        self.level_states = counters.level_states;
        self.levels = counters.levels;
        self.vector = counters.vector;
        self.cut = counters.cut;
        self.walk.reached = counters.reached;
        self.walk.atomic_steps = counters.atomic_steps;
        self.walk.deepest = counters.deepest;
        self.ledger.count = counters.errors;
        self.ledger.violations = violations;
        self.seconds_before = counters.seconds;
        self.redo = counters.redo;
        if saved::shape(reader)? == store.shape() {
            self.earlier = counters.earlier;
            store.load(reader)?;
            reader.section(QUEUE)?;
            let mut record = Vec::new();
            while reader.record(&mut record)? {
                self.queue.push(&[&record])?;
            }
        } else {
            self.earlier = counters.so_far;
            self.adopt(store, reader)?;
        }
        if self.level_left > self.queue.len() {
            return Err(reader.refuse("states of its queue are missing"));
        }
        Ok(())
    }

    /// Goes on with a store of another shape.
    fn adopt<S: BfsStore>(&mut self, store: &mut S, reader: &mut Reader) -> Result<(), Limit> {
        let from = saved::shape(reader)?;
        let judged = saved::convert(store, reader)?;
        // A cache may have forgotten states that wait; the other stores have them all.
        let forgetful = matches!(from.kind, Kind::Cache | Kind::Hub);
        let skip = PREFIX + self.program.hidden as usize;
        let mut record = Vec::new();
        let mut trusted = 0;
        reader.section(QUEUE)?;
        while reader.record(&mut record)? {
            if forgetful {
                store.adopt_waiting(record.get(skip..).unwrap_or_default())?;
            }
        }
        self.earlier.handed_over = store.statistics().stored;
        reader.section(QUEUE)?;
        let mut at = 0;
        let level = self.level_left;
        while reader.record(&mut record)? {
            let verdict = usize::try_from(at).ok().and_then(|at| judged.verdicts.get(at).copied());
            let keep = match verdict {
                Some(verdict) => verdict,
                None if judged.all => true,
                None => store.insert(record.get(skip..).unwrap_or_default())?,
            };
            if keep {
                self.queue.push(&[&record])?;
                trusted += u64::from(verdict.is_some() || judged.all);
            } else if at < level {
                self.level_left -= 1;
            }
            at += 1;
        }
        store.trust(trusted);
        Ok(())
    }
}
