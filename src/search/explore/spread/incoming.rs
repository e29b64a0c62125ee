//! What a process hears: takes in the frames of the others, waits for them, and learns that one is gone.

use super::outgoing::kind;
use super::saved::{Stand, Written};
use super::{Halt, NAP, PATIENCE, STANDSTILL, Spread};
use crate::cluster::wire::take;
use crate::cluster::{Arrival, Frame, Mesh};
use crate::search::monitor::Snapshot;
use crate::search::outcome::Limit;
use crate::store::BfsStore;
use std::time::{Duration, Instant};

/// What came from another process and is no record.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) keys: Vec<u8>,
    /// How many errors it has found, once all its keys are here.
    pub(super) errors: Option<u64>,
    pub(super) places: Vec<u8>,
    /// The size of its range, once all places are here.
    pub(super) range: Option<u64>,
    pub(super) text: Vec<u8>,
    /// A [`Part`](super::part::Part) or a [`Whole`](super::part::Whole), once all of it is here.
    pub(super) message: Option<Vec<u8>>,
    pub(super) link: Option<u64>,
    /// Where it stands, if it does not go on.
    pub(super) stand: Option<Stand>,
    /// The part of a checkpoint that it has written last.
    pub(super) written: Option<Written>,
}

impl<S: BfsStore> Spread<'_, '_, '_, '_, '_, '_, S> {
    /// Looks at budgets and signals while nothing is expanded.
    pub(super) fn look(&mut self, waits: bool) -> Result<(), Halt> {
        let memory = (self.tables() + self.out.memory() + self.walk.memory() + self.machine.memory()) as u64;
        let (stored, queued) = (self.store.statistics().stored, Some(self.queue.len()));
        let depth = u64::from(self.out.level);
        let limit = self.monitor.look(&Snapshot { stored, depth, memory, queued, ..Snapshot::default() });
        let monitor = &mut *self.monitor;
        self.out.mesh.look(waits, |what| (monitor.warn)(&what));
        match limit {
            // That the search has to end is known.
            Some(_) if self.saving.ending => Ok(()),
            Some(limit) => Err(self.halt(limit)),
            None => Ok(()),
        }
    }

    /// The search has to end here: the others are told.
    pub(super) fn halt(&mut self, limit: Limit) -> Halt {
        let frame = self.out.frame(kind::STOP, serde_json::to_vec(&limit).unwrap_or_default());
        self.out.mesh.broadcast(&frame);
        Halt::Limit(limit)
    }

    pub(super) fn gone(&self, process: usize, why: &str) -> Halt {
        let schedule = self.monitor.checkpoints.as_ref().filter(|schedule| schedule.present);
        let command = schedule.map(|schedule| schedule.command.as_str());
        Halt::Gone(gone(self.out.mesh, process, (self.out.level, command), why))
    }

    /// What another process has sent makes no sense.
    pub(super) fn nonsense(&self, process: usize) -> Halt {
        self.gone(process, "it has sent what cannot be read")
    }

    /// Takes in what has come; waits for something if asked to.
    pub(super) fn receive(&mut self, wait: Option<Duration>) -> Result<(), Halt> {
        let mut next = match wait {
            Some(wait) => self.out.mesh.receive(wait),
            None => self.out.mesh.poll(),
        };
        while let Some(arrival) = next {
            match arrival {
                Arrival::Frame(from, frame) if frame.search == self.out.search => self.hear(from, frame)?,
                // Of a search that this process has left, or of the next one.
                Arrival::Frame(from, frame) if frame.search > self.out.search => {
                    self.out.mesh.early.push((from, frame))
                }
                Arrival::Frame(..) => {}
                Arrival::Bye(from, _, why) if !why.is_empty() => self.lose(from, Halt::Gone(Limit::Gone(why)))?,
                Arrival::Bye(0, ..) => self.lose(0, Halt::Dismissed)?,
                Arrival::Bye(from, ..) => self.lose(from, self.gone(from, "it has ended by itself"))?,
                Arrival::Gone(from, why) => self.lose(from, self.gone(from, &why))?,
            }
            next = self.out.mesh.poll();
        }
        Ok(())
    }

    /// A process is gone. Before the end that ends the search; at the end, only if somebody waits for it.
    pub(super) fn lose(&mut self, from: usize, halt: Halt) -> Result<(), Halt> {
        if !self.concludes {
            return Err(halt);
        }
        self.lost[from].get_or_insert(halt);
        Ok(())
    }

    pub(super) fn hear(&mut self, from: usize, frame: Frame) -> Result<(), Halt> {
        let number = || take(&mut &frame.payload[..]);
        match frame.kind {
            kind::STATES => self.streams[from].add(frame.payload),
            kind::FLOOR => match number() {
                Some(rank) => self.streams[from].raise(rank),
                None => return Err(self.nonsense(from)),
            },
            kind::END_OF_STATES => self.streams[from].announced = number(),
            kind::KEYS => self.heard[from].keys.extend_from_slice(&frame.payload),
            kind::END_OF_KEYS => self.heard[from].errors = number(),
            kind::PLACES => self.heard[from].places.extend_from_slice(&frame.payload),
            kind::END_OF_PLACES => self.heard[from].range = number(),
            kind::TAKEN => {
                let taken = number().unwrap_or_default() as usize;
                self.out.on_their_way[from] = self.out.on_their_way[from].saturating_sub(taken);
            }
            kind::STOP if self.saving.ending => {}
            kind::STOP => {
                let limit = serde_json::from_slice(&frame.payload).unwrap_or(Limit::Interrupted);
                // One that was faster has refused its part of the checkpoint, and so the whole of it is refused.
                if let (true, Limit::File(why), Some(schedule)) =
                    (self.saving.restoring, &limit, &mut self.monitor.checkpoints)
                {
                    schedule.refused = Some(why.clone());
                }
                return Err(Halt::Limit(limit));
            }
            kind::PART | kind::WHOLE => self.heard[from].text.extend_from_slice(&frame.payload),
            kind::END_OF_PART | kind::END_OF_WHOLE => {
                self.heard[from].text.extend_from_slice(&frame.payload);
                self.heard[from].message = Some(std::mem::take(&mut self.heard[from].text));
            }
            kind::ASK => {
                let link = number().and_then(|number| self.links.get(number).ok());
                match link {
                    Some(link) => self.out.send_number(from, kind::LINK, link.pack()),
                    None => return Err(self.nonsense(from)),
                }
            }
            kind::LINK => self.heard[from].link = number(),
            kind if self.hear_of_checkpoint(from, kind, &frame.payload) => {}
            _ => return Err(self.nonsense(from)),
        }
        Ok(())
    }

    /// Takes in what has come before this search began.
    pub(super) fn hear_early(&mut self) -> Result<(), Halt> {
        let mut result = Ok(());
        for (from, frame) in std::mem::take(&mut self.out.mesh.early) {
            match frame.search == self.out.search {
                true => result = result.and(self.hear(from, frame)),
                false => self.out.mesh.early.push((from, frame)),
            }
        }
        result
    }

    /// Waits until that was heard of all. Where all are to come to a standstill, no longer than [`STANDSTILL`].
    pub(super) fn wait_until(&mut self, heard: impl Fn(&Heard) -> bool) -> Result<(), Halt> {
        self.receive(None)?;
        let end = Instant::now() + STANDSTILL;
        while let Some(missing) = self.heard.iter().position(|of| !heard(of)) {
            self.look(true)?;
            self.receive(Some(NAP))?;
            if self.saving.ending && Instant::now() > end {
                return Err(self.gone(missing, "it does not answer"));
            }
        }
        Ok(())
    }

    /// Waits for the messages of these processes. One that does not answer a search that was interrupted is waited for no longer than
    /// [`PATIENCE`].
    pub(super) fn await_messages(&mut self, of: impl Fn(usize) -> bool) -> Result<(), Halt> {
        let missing =
            |heard: &[Heard]| (0..heard.len()).find(|&process| of(process) && heard[process].message.is_none());
        self.await_that(|heard| missing(heard))
    }

    /// Waits until nobody is missing.
    pub(super) fn await_that(&mut self, missing: impl Fn(&[Heard]) -> Option<usize>) -> Result<(), Halt> {
        let mut ends: Option<Instant> = None;
        while let Some(process) = missing(&self.heard) {
            if let Some(halt) = self.lost[process].take() {
                return Err(halt);
            }
            match self.receive(Some(NAP)) {
                // That the search has to end is known.
                Ok(()) | Err(Halt::Limit(_)) => {}
                Err(halt) => return Err(halt),
            }
            let monitor = &mut *self.monitor;
            self.out.mesh.look(true, |what| (monitor.warn)(&what));
            if self.monitor.must_end().is_some() && Instant::now() > *ends.get_or_insert(Instant::now() + PATIENCE) {
                return Err(self.gone(process, "it does not answer"));
            }
        }
        Ok(())
    }
}

/// What is told when a process is gone. `command`: what goes on from the last checkpoint.
fn gone(mesh: &Mesh, process: usize, (level, command): (u32, Option<&str>), why: &str) -> Limit {
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    let next = match command {
        Some(command) => format!("go on from the last checkpoint with: {command}"),
        None => "the same commands start it again".to_string(),
    };
    Limit::Gone(format!(
        "{} is gone at level {level}{why}: the search of all processes ends here without an answer; {next}",
        mesh.name(process)
    ))
}
