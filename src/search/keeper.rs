//! Where a breadth-first search leaves its checkpoints, when, and which one it starts from.
//!
//! A keeper travels with the [`Monitor`](crate::search::monitor::Monitor). What is written beside the search itself (model,
//! options) is a text that only the command line understands.

use crate::search::outcome::Limit;
use crate::store::checkpoint::Reader;
use crate::store::{Shape, saved};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// See the module.
#[derive(Debug)]
pub struct Keeper {
    /// The file; `None`: this search is only read from one.
    pub target: Option<PathBuf>,
    /// Write this often also when nothing stops the search.
    pub every: Option<Duration>,
    /// Goes into the checkpoint as it is.
    pub about: String,
    /// Go on from here.
    pub from: Option<Reader>,
    /// Why the search could not go on from there.
    pub refused: Option<String>,
    /// The search has stopped and its checkpoint is there.
    pub kept: bool,
    /// The target is a checkpoint of this search: perhaps an earlier one, from which everything since is lost.
    pub present: bool,
    /// It is time to write.
    pub due: bool,
    /// Why the last one that was due could not be written.
    pub missed: Option<String>,
    last: Instant,
}

impl Keeper {
    /// One that writes to this file, or only reads.
    pub fn new(target: Option<PathBuf>, every: Option<Duration>, about: String) -> Keeper {
        Keeper {
            target,
            every,
            about,
            from: None,
            refused: None,
            kept: false,
            present: false,
            due: false,
            missed: None,
            last: Instant::now(),
        }
    }

    /// Goes on from a checkpoint.
    pub fn start_from(&mut self, reader: Reader) {
        let same = |target: &PathBuf| target.canonicalize().ok() == reader.path().canonicalize().ok();
        self.present = self.target.as_ref().is_some_and(same);
        self.from = Some(reader);
    }

    /// Looks at the clock.
    pub fn look(&mut self) {
        self.due = self.target.is_some() && self.every.is_some_and(|every| self.last.elapsed() >= every);
    }

    /// A checkpoint was written. Its own time does not count, or a large one would be followed by the next.
    pub fn wrote(&mut self) {
        self.due = false;
        self.present = true;
        self.missed = None;
        self.last = Instant::now();
    }

    /// A checkpoint that was due could not be written; the next one may. Is that news?
    pub fn could_not_write(&mut self, why: &str) -> bool {
        self.due = false;
        self.last = Instant::now();
        let news = self.missed.as_deref() != Some(why);
        self.missed = Some(why.to_string());
        news
    }

    /// The shape of the store that the search goes on from.
    pub fn shape(&mut self) -> Result<Option<Shape>, Limit> {
        self.from.as_mut().map(saved::shape).transpose()
    }
}
