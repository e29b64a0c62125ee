//! A level: its states are expanded in order, what comes from all processes is taken in in order, and the new states get their ranks.

use super::expansion::owner;
use super::order::{Keys, Ranks, places, range_of};
use super::outgoing::{LONGEST_MESSAGE, kind};
use super::saved::Source;
use super::stream::{Head, Stream};
use super::{GULP, Halt, NAP, Spread, Stage, WINDOW};
use crate::cluster::wire::put;
use crate::search::outcome::Limit;
use crate::store::{BfsStore, Link};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Streams by where their next records belong.
type Places = BinaryHeap<Reverse<((u64, u32), usize)>>;

impl<S: BfsStore> Spread<'_, '_, '_, '_, '_, '_, S> {
    /// Puts the initial state where it belongs.
    pub(super) fn begin(&mut self) -> Result<(), Halt> {
        self.states = 1;
        let owner = owner(self.owners.hash(self.machine.state()), self.count());
        if owner == self.me() {
            self.saved.clear();
            self.saved.extend_from_slice(self.machine.saved());
            let saved = std::mem::take(&mut self.saved);
            // The first state names itself.
            let head = Head::default();
            let inserted = self.insert(Source { from: owner, known: false }, head, &saved);
            self.saved = saved;
            inserted.map_err(|limit| self.halt(limit))?;
            self.keys = self.no_keys();
            let mut place = Vec::new();
            put(&mut place, 0);
            self.ranks = Ranks::of(vec![(1, place)]).0;
        }
        Ok(())
    }

    pub(super) fn no_keys(&self) -> Vec<Keys> {
        (0..self.count()).map(|_| Keys::default()).collect()
    }

    /// Expands all levels.
    pub(super) fn run(&mut self) -> Result<(), Halt> {
        self.start()?;
        loop {
            self.expand_level()?;
            if self.next_level()? {
                return Ok(());
            }
            self.save_if_ordered()?;
        }
    }

    /// Begins with the initial state, or goes on from a checkpoint if there is one to start from.
    fn start(&mut self) -> Result<(), Halt> {
        let from = self.monitor.checkpoints.as_mut().and_then(|schedule| {
            let readers = std::mem::take(&mut schedule.parts);
            schedule.manifest.take().map(|manifest| (readers, manifest))
        });
        let Some((readers, manifest)) = from else {
            self.begin()?;
            self.begin_level();
            return Ok(());
        };
        // Until all is here, there is nothing to be saved.
        self.saving.torn = true;
        let restored = self.restore(readers, &manifest);
        if let (Err(Limit::File(why)), Some(schedule)) = (&restored, &mut self.monitor.checkpoints) {
            schedule.refused = Some(why.clone());
        }
        restored.map_err(|limit| self.halt(limit))?;
        (self.saving.torn, self.saving.restoring) = (false, false);
        Ok(())
    }

    /// The states in the queue are those of the level that begins.
    fn begin_level(&mut self) {
        self.left = self.queue.len();
        self.next = self.ranks.next();
        self.keys = self.no_keys();
        self.stage = Stage::Expanding;
    }

    /// Expands the states of a level, and stores those of the next.
    pub(super) fn expand_level(&mut self) -> Result<(), Halt> {
        self.out.batches.iter_mut().for_each(|batch| batch.records = 0);
        self.out.floors.iter_mut().for_each(|floor| *floor = 0);
        let mut waiting: Places = (0..self.streams.len()).map(|stream| Reverse(((0, 0), stream))).collect();
        let mut ended = false;
        loop {
            self.receive(None)?;
            let me = self.me();
            let own = self.out.batches[me].cut();
            if !own.is_empty() {
                self.streams[me].add(own);
            }
            match self.next {
                Some(rank) => self.streams[me].raise(rank),
                None if !ended => {
                    self.end_of_states();
                    ended = true;
                }
                None => {}
            }
            let taken = self.take_in(&mut waiting)?;
            if waiting.is_empty() {
                break;
            }
            if self.next.is_some() && self.has_room() {
                self.expand_some()?;
            } else if taken < GULP {
                if let Some(rank) = self.next {
                    self.out.tell_floor(rank);
                }
                self.look(true)?;
                self.receive(Some(NAP))?;
            }
        }
        if self.left > 0 {
            return Err(self.halt(Limit::Internal("states of a level have no rank".to_string())));
        }
        // Those of a checkpoint are behind those of the processes.
        self.streams.truncate(self.count());
        self.saving.sources.clear();
        self.streams.iter_mut().for_each(|stream| *stream = Stream::default());
        Ok(())
    }

    /// Everything of this level was sent.
    pub(super) fn end_of_states(&mut self) {
        let me = self.me();
        for to in self.out.others() {
            self.out.flush(to);
            let records = self.out.batches[to].records;
            self.out.send_number(to, kind::END_OF_STATES, records);
        }
        self.streams[me].announced = Some(self.out.batches[me].records);
    }

    /// May more be sent, and more wait here?
    pub(super) fn has_room(&self) -> bool {
        let me = self.me();
        self.out.on_their_way.iter().all(|&bytes| bytes < WINDOW) && self.streams[me].bytes < WINDOW
    }

    /// Takes in records as long as it is known which one is next; not too many at once. Gives how many.
    pub(super) fn take_in(&mut self, waiting: &mut Places) -> Result<u64, Halt> {
        let mut taken = 0;
        while let Some(&Reverse((bound, from))) = waiting.peek() {
            let head = self.streams[from].head().map_err(|()| self.nonsense(self.source(from).from))?;
            if head.is_none() && self.streams[from].is_over() {
                waiting.pop();
                if self.streams[from].announced != Some(self.streams[from].taken) {
                    return Err(self.gone(self.source(from).from, "it has sent another number of states than it says"));
                }
                continue;
            }
            let known = self.streams[from].place();
            if known > bound {
                waiting.pop();
                waiting.push(Reverse((known, from)));
                continue;
            }
            if head.is_none() {
                return Ok(taken);
            }
            waiting.pop();
            let until = waiting.peek().map_or((u64::MAX, u32::MAX), |&Reverse((place, _))| place);
            taken += self.take_from(from, until)?;
            waiting.push(Reverse((self.streams[from].place(), from)));
            if taken >= GULP {
                self.look(false)?;
                return Ok(taken);
            }
        }
        Ok(taken)
    }

    /// Takes in the records of one process that come before those of the others, up to a number.
    pub(super) fn take_from(&mut self, from: usize, until: (u64, u32)) -> Result<u64, Halt> {
        let source = self.source(from);
        let mut stream = std::mem::take(&mut self.streams[from]);
        let mut taken = 0;
        let mut result = Ok(());
        while let Ok(Some(head)) = stream.head()
            && (head.rank, head.ordinal) <= until
            && taken < GULP
        {
            result = self.insert(source, head, stream.saved());
            if result.is_err() {
                break;
            }
            taken += 1;
            if let Some(batch) = stream.advance() {
                self.note_taken(from, batch.len());
            }
        }
        self.streams[from] = stream;
        match result {
            Ok(()) => Ok(taken),
            Err(limit) => Err(self.halt(limit)),
        }
    }

    /// A batch was taken in; its sender is told, not every time.
    pub(super) fn note_taken(&mut self, from: usize, bytes: usize) {
        // What a checkpoint has held was taken in by nobody else.
        if from == self.me() || from >= self.count() {
            return;
        }
        self.untold[from] += bytes;
        if self.untold[from] >= WINDOW / 8 {
            let taken = std::mem::take(&mut self.untold[from]);
            self.out.send_number(from, kind::TAKEN, taken as u64);
        }
    }

    /// Offers a state to the store, and to the queue if it is new.
    #[inline]
    pub(super) fn insert(&mut self, source: Source, head: Head, saved: &[u8]) -> Result<(), Limit> {
        let Some(state) = saved.get(self.program.hidden as usize..) else {
            return Err(Limit::Internal("a state without its hidden variables was sent".to_string()));
        };
        if !source.known {
            let is_new = self.store.insert(state)?;
            self.offered += 1;
            if !is_new {
                return Ok(());
            }
        }
        self.vector = self.vector.max(state.len());
        let range = range_of(head.rank, self.states, self.count());
        self.keys[range].push(head.rank, head.ordinal);
        let parent = head.number * self.count() as u64 + source.from as u64;
        let link = Link { parent, ordinal: head.ordinal }.pack().to_le_bytes();
        let queued = self.queue.push(&[&link, &(head.depth as u32).to_le_bytes(), saved]);
        self.saving.torn |= queued.is_err();
        queued
    }

    /// Gives the states of the next level their ranks, and goes on to it. `true`: the search has come to its end.
    pub(super) fn next_level(&mut self) -> Result<bool, Halt> {
        if self.stage == Stage::Expanding {
            self.send_keys();
            self.stage = Stage::Keyed;
        }
        if self.stage == Stage::Keyed {
            // When all keys are here, nobody expands any more.
            self.wait_until(|heard| heard.errors.is_some())?;
            let ended = self.store.end_level();
            self.saving.torn |= ended.is_err();
            ended.map_err(|limit| self.halt(limit))?;
            self.errors = self.heard.iter_mut().filter_map(|heard| heard.errors.take()).sum();
            self.send_places()?;
            self.stage = Stage::Placed;
        }
        self.wait_until(|heard| heard.range.is_some())?;
        let ranges = self.heard.iter_mut();
        let ranges = ranges.map(|heard| (heard.range.take().unwrap_or_default(), std::mem::take(&mut heard.places)));
        (self.ranks, self.states) = Ranks::of(ranges.collect());
        if self.states == 0 || (self.errors > 0 && !self.settings.all_errors) {
            return Ok(true);
        }
        self.out.level += 1;
        self.begin_level();
        Ok(false)
    }

    /// Sends the keys of the new states to those who have their ranges.
    fn send_keys(&mut self) {
        let me = self.me();
        for to in 0..self.count() {
            // They are kept: a checkpoint may need them.
            let bytes = &self.keys[to].bytes;
            if to == me {
                self.heard[me].keys.clone_from(bytes);
                self.heard[me].errors = Some(self.ledger.count);
                continue;
            }
            let pieces: Vec<Vec<u8>> = bytes.chunks(LONGEST_MESSAGE).map(<[u8]>::to_vec).collect();
            pieces.into_iter().for_each(|piece| self.out.send(to, kind::KEYS, piece));
            self.out.send_number(to, kind::END_OF_KEYS, self.ledger.count);
        }
    }

    /// Merges the keys of this process's range, and sends their places back.
    fn send_places(&mut self) -> Result<(), Halt> {
        let (me, count) = (self.me(), self.count());
        let keys: Vec<Vec<u8>> = self.heard.iter_mut().map(|heard| std::mem::take(&mut heard.keys)).collect();
        let Ok((places, size)) = places(&keys) else { return Err(self.nonsense((me + 1) % count)) };
        // Who has the places of process 0 has heard of it.
        self.order_if_due();
        for (to, places) in places.into_iter().enumerate() {
            if to == me {
                self.heard[me].places = places;
            } else {
                places.chunks(LONGEST_MESSAGE).for_each(|piece| self.out.send(to, kind::PLACES, piece.to_vec()));
                self.out.send_number(to, kind::END_OF_PLACES, size);
            }
        }
        self.heard[me].range = Some(size);
        Ok(())
    }
}
