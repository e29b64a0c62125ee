//! A search by several workers, saved at the beginning of a level and read back.
//!
//! Idea: when a level begins, the search consists of the states of the levels before it, those of the level, the errors that were found and
//! the counts up to there. The workers write it while all of them have met. When the search is stopped in the middle of a level, all this is
//! still there, since states are only added: the level is given up, and what is written is its beginning. So a checkpoint holds
//! whole levels, and a search that goes on from it counts as if nobody had stopped it, with whatever number of workers.
//!
//! Costs sixteen bytes for every 64 states, to know where the states of earlier levels are.

use super::common::{Common, Desk};
use crate::checkpoint::{CheckpointSchedule, Reader, Writer, section};
use crate::exec::Program;
use crate::search::ledger::Findings;
use crate::search::outcome::Limit;
use crate::search::walk::Walk;
use crate::store::shared::states::{Block, Insertion, Origin, Share};
use crate::store::shared::table::Glance;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The slots of the signatures that a checkpoint by workers holds, if it holds some.
pub fn saved_slots(reader: &mut Reader) -> Option<u64> {
    if !reader.has(section::TEAM) {
        return None;
    }
    let team: Team = reader.value(section::TEAM).ok()?;
    team.signatures.map(|(_, slots)| slots)
}

/// What was counted up to the beginning of a level.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) stored: u64,
    pub(super) matched: u64,
    pub(super) vector: usize,
    pub(super) cut: bool,
    reached: Vec<bool>,
    completed: Vec<bool>,
    atomic_steps: u64,
    deepest: u64,
}

impl Counts {
    /// The initial state is stored, which has so many bytes.
    pub(super) fn at_start(vector: usize) -> Counts {
        Counts { stored: 1, vector, ..Counts::default() }
    }

    /// What this walk has counted beside the states.
    pub(super) fn of(walk: &Walk, (stored, matched): (u64, u64), vector: usize, cut: bool) -> Counts {
        Counts {
            stored,
            matched,
            vector,
            cut,
            reached: walk.reached.clone(),
            completed: walk.completed.clone(),
            atomic_steps: walk.atomic_steps,
            deepest: walk.deepest,
        }
    }

    fn add(&mut self, other: &Counts) {
        self.stored += other.stored;
        self.matched += other.matched;
        self.vector = self.vector.max(other.vector);
        self.cut |= other.cut;
        join(&mut self.reached, &other.reached);
        join(&mut self.completed, &other.completed);
        self.atomic_steps += other.atomic_steps;
        self.deepest = self.deepest.max(other.deepest);
    }

    /// Adds what a walk counts to this walk.
    pub(super) fn give_to(&self, walk: &mut Walk) {
        join(&mut walk.reached, &self.reached);
        join(&mut walk.completed, &self.completed);
        walk.atomic_steps += self.atomic_steps;
        walk.deepest = walk.deepest.max(self.deepest);
    }
}

fn join(to: &mut Vec<bool>, from: &[bool]) {
    to.resize(to.len().max(from.len()), false);
    to.iter_mut().zip(from).for_each(|(to, from)| *to |= from);
}

/// The section of counters.
#[derive(Serialize, Deserialize)]
struct Team {
    /// Transitions and bytes of hidden variables of the program: another program is another search.
    program: (usize, u32),
    /// Levels that have begun, this one included.
    levels: u64,
    counts: Counts,
    seconds: f64,
    /// Bits and slots of a table of signatures.
    signatures: Option<(u8, u64)>,
}

/// What is needed to write checkpoints.
#[derive(Debug)]
pub(super) struct Saving {
    target: PathBuf,
    about: String,
    every: Option<Duration>,
    last: Instant,
    start: Instant,
    seconds_before: f64,
    /// States of the levels before this one.
    past: Vec<Block>,
    /// What was counted and found when the level began, and its number.
    counts: Counts,
    findings: Option<Findings>,
    levels: u64,
    /// The target holds a checkpoint of this search.
    wrote: bool,
    /// Why the last one that was due is missing.
    missed: Option<String>,
}

impl Saving {
    /// What this schedule asks for, if it asks for checkpoints.
    pub(super) fn of(schedule: Option<&CheckpointSchedule>) -> Option<Saving> {
        let schedule = schedule?;
        Some(Saving {
            target: schedule.target.clone()?,
            about: schedule.about.clone(),
            every: schedule.every,
            last: Instant::now(),
            start: Instant::now(),
            seconds_before: 0.0,
            past: Vec::new(),
            counts: Counts::default(),
            findings: None,
            levels: 0,
            wrote: false,
            missed: None,
        })
    }

    /// Bytes.
    pub(super) fn memory(&self) -> usize {
        self.past.capacity() * size_of::<Block>()
    }

    /// Tells the schedule what came of it.
    pub(super) fn report(&self, schedule: &mut CheckpointSchedule) {
        if self.wrote {
            schedule.wrote();
        }
        if let Some(why) = &self.missed {
            schedule.could_not_write(why);
        }
    }
}

impl Common<'_> {
    /// The states of this level lie in blocks that are about to be forgotten.
    pub(super) fn level_is_over(&self, desk: &mut Desk<'_>, blocks: &[Block]) {
        if let Some(saving) = desk.saving.as_mut().filter(|_| !self.states.forgets()) {
            saving.past.extend_from_slice(blocks);
        }
    }

    /// A level has begun, and nobody works: notes what a checkpoint of it holds, and writes one if it is time.
    pub(super) fn level_has_begun(&self, desk: &mut Desk<'_>, level: &[Block]) {
        let Some(saving) = &mut desk.saving else { return };
        saving.counts = desk.before.clone();
        desk.counted.iter().flatten().for_each(|counts| saving.counts.add(counts));
        saving.findings = Some(desk.ledger.findings());
        saving.levels = desk.levels;
        if saving.every.is_none_or(|every| saving.last.elapsed() < every) {
            return;
        }
        match self.write(saving, level) {
            Ok(()) => {}
            // The search goes on, and the checkpoint before, if any, stays.
            Err(Limit::File(why)) => saving.missed = Some(why),
            Err(_) => {}
        }
        saving.last = Instant::now();
    }

    /// Writes the beginning of the level.
    pub(super) fn write(&self, saving: &mut Saving, level: &[Block]) -> Result<(), Limit> {
        let mut writer = Writer::create(&saving.target)?;
        writer.value(section::ORIGIN, &saving.about)?;
        let team = Team {
            program: of_program(self.program),
            levels: saving.levels,
            counts: saving.counts.clone(),
            seconds: saving.seconds_before + saving.start.elapsed().as_secs_f64(),
            signatures: self.states.shape(),
        };
        writer.value(section::TEAM, &team)?;
        writer.value(section::ERRORS, &saving.findings)?;
        for (name, blocks) in [(section::VISITED, &saving.past[..]), (section::QUEUE, level)] {
            writer.section(name)?;
            self.write_states(&mut writer, blocks)?;
            writer.end_section()?;
        }
        self.states.save_signatures(saving.levels.saturating_sub(1) as usize, &mut writer)?;
        writer.finish()?;
        (saving.wrote, saving.missed) = (true, None);
        Ok(())
    }

    fn write_states(&self, writer: &mut Writer, blocks: &[Block]) -> Result<(), Limit> {
        let (mut session, mut saved) = (self.states.session(), Vec::new());
        for block in blocks {
            let mut position = block.position;
            for _ in 0..block.count {
                let (origin, _) = session.read(position, &mut saved);
                writer.record(&[&origin.word().to_le_bytes(), &saved])?;
                position = self.states.after(position);
            }
        }
        Ok(())
    }

    /// Becomes the search of the checkpoint: the next level to begin is the one that it holds. Gives the seconds that were spent before.
    pub(super) fn restore(&self, reader: &mut Reader) -> Result<f64, Limit> {
        if !reader.has(section::TEAM) {
            return Err(reader.refuse("it is of a search by one thread, and cannot go on with --workers"));
        }
        let team: Team = reader.value(section::TEAM)?;
        if team.program != of_program(self.program) {
            return Err(reader.refuse("it is of another model"));
        }
        if team.signatures != self.states.shape() {
            let kept = |shape: Option<(u8, u64)>| match shape {
                Some((bits, slots)) => format!("signatures of {bits} bits in {slots} slots"),
                None => "whole states".to_string(),
            };
            let (before, now) = (kept(team.signatures), kept(self.states.shape()));
            return Err(reader.refuse(&format!("it holds {before}, the search is to go on with {now}")));
        }
        let findings: Option<Findings> = reader.value(section::ERRORS)?;
        let past = self.read_states(section::VISITED, reader)?;
        let blocks = past.blocks.clone();
        self.states.load_signatures(team.levels.saturating_sub(1) as usize, reader)?;
        if !self.states.forgets() {
            self.states.begin_level([past]);
        }
        let share = self.read_states(section::QUEUE, reader)?;
        let mut desk = self.desk();
        desk.shares.push(share);
        desk.levels = team.levels.saturating_sub(1);
        findings.into_iter().for_each(|findings| desk.ledger.take_up(findings));
        if let Some(saving) = &mut desk.saving {
            (saving.past, saving.seconds_before) = (blocks, team.seconds);
        }
        desk.before = team.counts;
        Ok(team.seconds)
    }

    /// Inserts the states of a section.
    fn read_states(&self, name: crate::checkpoint::container::Name, reader: &mut Reader) -> Result<Share, Limit> {
        let hidden = self.program.hidden as usize;
        let (mut session, mut record) = (self.states.session(), Vec::new());
        reader.section(name)?;
        while reader.record(&mut record)? {
            let Some((origin, saved)) = record.split_first_chunk::<8>().filter(|(_, saved)| saved.len() >= hidden)
            else {
                return Err(reader.refuse("a state is too short"));
            };
            let (origin, hash) = (Origin::of(u64::from_le_bytes(*origin)), self.states.hash(&saved[hidden..]));
            let mut inserted = session.add(saved, hash, origin, Glance::default());
            if inserted == Insertion::Crowded || session.is_crowded() {
                session.let_go();
                let room = self.states.begin_doubling();
                self.states.help_doubling();
                self.states.end_doubling();
                room.ok_or_else(|| self.states.limit())?;
                if inserted == Insertion::Crowded {
                    inserted = session.add(saved, hash, origin, Glance::default());
                }
            }
            match inserted {
                Insertion::New => {}
                Insertion::Seen { .. } => return Err(reader.refuse("it holds a state twice")),
                Insertion::Crowded | Insertion::Full => return Err(self.states.limit()),
            }
        }
        let share = session.share();
        session.let_go();
        Ok(share)
    }
}

fn of_program(program: &Program) -> (usize, u32) {
    (program.transitions.len(), program.hidden)
}
