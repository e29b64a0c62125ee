//! Which file a search leaves its checkpoints in, when it writes one, and which checkpoint it starts from.
//!
//! A schedule travels with the monitor of a search and looks at the clock when the monitor does. Only the search itself can write,
//! between two expansions; it asks whether a checkpoint is [due](CheckpointSchedule::due) and tells what came of it.

use super::container::Reader;
use super::parts::Manifest;
use super::store::StoreShape;
use crate::limit::Limit;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Where a search starts from.
#[derive(Debug)]
pub enum Start {
    /// A checkpoint of one process.
    One(Box<Reader>),
    /// One of several.
    Several {
        /// What it is.
        manifest: Manifest,
        /// The parts that this process needs.
        parts: Vec<Reader>,
        /// The command that goes on from it.
        command: String,
        /// The search leaves its own checkpoints in the same file.
        present: bool,
    },
}

/// The checkpoints of one search.
#[derive(Debug)]
pub struct CheckpointSchedule {
    /// The file to write; `None`: the search starts from a checkpoint and leaves none.
    pub target: Option<PathBuf>,
    /// How long to wait between two checkpoints; `None`: one is written only when the search is stopped.
    pub every: Option<Duration>,
    /// The [origin](super::Origin) as a text: goes into the checkpoint as it is.
    pub about: String,
    /// The checkpoint to start from; the search takes it out when it starts.
    pub from: Option<Reader>,
    /// The same for a search over several processes: this process's part, or all of them where there were more or fewer processes,
    pub parts: Vec<Reader>,
    /// and what the checkpoint is.
    pub manifest: Option<Manifest>,
    /// Of such a search: the command that goes on.
    pub command: String,
    /// Why the search could not start from there.
    pub refused: Option<String>,
    /// The search was stopped, and the target holds all that it had done by then.
    pub up_to_date: bool,
    /// The target is a checkpoint of this search, perhaps an earlier one, without what was done since.
    pub present: bool,
    /// It is time to write a checkpoint.
    pub due: bool,
    /// Why the last checkpoint that was due could not be written.
    pub missed: Option<String>,
    /// When the last checkpoint was written, or tried to.
    last: Instant,
}

impl CheckpointSchedule {
    /// A schedule that writes to this file, or to none.
    pub fn new(target: Option<PathBuf>, every: Option<Duration>, about: String) -> CheckpointSchedule {
        CheckpointSchedule {
            target,
            every,
            about,
            from: None,
            parts: Vec::new(),
            manifest: None,
            command: String::new(),
            refused: None,
            up_to_date: false,
            present: false,
            due: false,
            missed: None,
            last: Instant::now(),
        }
    }

    /// Makes the search start from this checkpoint.
    pub fn start_from(&mut self, reader: Reader) {
        let same = |target: &PathBuf| target.canonicalize().ok() == reader.path().canonicalize().ok();
        self.present = self.target.as_ref().is_some_and(same);
        self.from = Some(reader);
    }

    /// Makes the search start from there.
    pub fn start(&mut self, start: Start) {
        match start {
            Start::One(reader) => self.start_from(*reader),
            Start::Several { manifest, parts, command, present } => {
                (self.parts, self.manifest) = (parts, Some(manifest));
                (self.command, self.present) = (command, present);
            }
        }
    }

    /// Looks at the clock: is a checkpoint due?
    pub fn look(&mut self) {
        self.due = self.target.is_some() && self.every.is_some_and(|every| self.last.elapsed() >= every);
    }

    /// Takes note that a checkpoint was written. The clock starts after the writing, or a large checkpoint would be followed by
    /// the next one at once.
    pub fn wrote(&mut self) {
        self.due = false;
        self.present = true;
        self.missed = None;
        self.last = Instant::now();
    }

    /// Takes note that a checkpoint which was due could not be written; the next one may succeed. Says whether the reason is
    /// another one than the last time.
    pub fn could_not_write(&mut self, why: &str) -> bool {
        self.due = false;
        self.last = Instant::now();
        let news = self.missed.as_deref() != Some(why);
        self.missed = Some(why.to_string());
        news
    }

    /// The shape of the store in the checkpoint that the search starts from.
    pub fn shape(&mut self) -> Result<Option<StoreShape>, Limit> {
        self.from.as_mut().or(self.parts.first_mut()).map(StoreShape::read).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reason is told once, until a checkpoint was written in between.
    #[test]
    fn a_reason_is_news_once() {
        let target = Some(PathBuf::from("a.checkpoint"));
        let mut schedule = CheckpointSchedule::new(target, Some(Duration::ZERO), String::new());
        schedule.look();
        assert!(schedule.due && !schedule.present);
        assert!(schedule.could_not_write("full") && !schedule.could_not_write("full") && !schedule.due);
        schedule.wrote();
        assert!(schedule.present && schedule.missed.is_none() && schedule.could_not_write("full"));
        let mut never = CheckpointSchedule::new(None, Some(Duration::ZERO), String::new());
        never.look();
        assert!(!never.due);
    }
}
