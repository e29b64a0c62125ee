//! A level: its states are expanded in order, what comes from all processes is taken in in order, and the new states get their ranks.

use super::expansion::owner;
use super::order::{Keys, Ranks, places, range_of};
use super::outgoing::{LONGEST_MESSAGE, kind};
use super::stream::{Head, Stream};
use super::{GULP, Halt, NAP, Spread, WINDOW};
use crate::cluster::wire::put;
use crate::search::outcome::Limit;
use crate::store::{BfsStore, Link};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

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
            let inserted = self.insert(owner, head, &saved);
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
        self.begin()?;
        let early = std::mem::take(&mut self.out.mesh.early);
        for (from, frame) in early {
            match frame.search == self.out.search {
                true => self.hear(from, frame)?,
                false => self.out.mesh.early.push((from, frame)),
            }
        }
        loop {
            self.expand_level()?;
            self.store.end_level().map_err(|limit| self.halt(limit))?;
            let errors = self.order_level()?;
            if self.states == 0 || (errors > 0 && !self.settings.all_errors) {
                return Ok(());
            }
            self.out.level += 1;
        }
    }

    /// Expands the states of a level, and stores those of the next.
    pub(super) fn expand_level(&mut self) -> Result<(), Halt> {
        self.left = self.queue.len();
        self.next = self.ranks.next();
        self.keys = self.no_keys();
        self.out.batches.iter_mut().for_each(|batch| batch.records = 0);
        self.out.floors.iter_mut().for_each(|floor| *floor = 0);
        let mut waiting: BinaryHeap<Reverse<(u64, usize)>> =
            (0..self.count()).map(|process| Reverse((0, process))).collect();
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
    pub(super) fn take_in(&mut self, waiting: &mut BinaryHeap<Reverse<(u64, usize)>>) -> Result<u64, Halt> {
        let mut taken = 0;
        while let Some(&Reverse((bound, from))) = waiting.peek() {
            let head = self.streams[from].head().map_err(|()| self.nonsense(from))?;
            if head.is_none() && self.streams[from].is_over() {
                waiting.pop();
                if self.streams[from].announced != Some(self.streams[from].taken) {
                    return Err(self.gone(from, "it has sent another number of states than it says"));
                }
                continue;
            }
            let known = self.streams[from].bound();
            if known > bound {
                waiting.pop();
                waiting.push(Reverse((known, from)));
                continue;
            }
            if head.is_none() {
                return Ok(taken);
            }
            waiting.pop();
            let until = waiting.peek().map_or(u64::MAX, |&Reverse((rank, _))| rank);
            taken += self.take_from(from, until)?;
            waiting.push(Reverse((self.streams[from].bound(), from)));
            if taken >= GULP {
                self.look(false)?;
                return Ok(taken);
            }
        }
        Ok(taken)
    }

    /// Takes in the records of one process that come before those of the others, up to a number.
    pub(super) fn take_from(&mut self, from: usize, until: u64) -> Result<u64, Halt> {
        let mut stream = std::mem::take(&mut self.streams[from]);
        let mut taken = 0;
        let mut result = Ok(());
        while let Ok(Some(head)) = stream.head()
            && head.rank <= until
            && taken < GULP
        {
            result = self.insert(from, head, stream.saved());
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
        if from == self.me() {
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
    pub(super) fn insert(&mut self, from: usize, head: Head, saved: &[u8]) -> Result<(), Limit> {
        self.offered += 1;
        let Some(state) = saved.get(self.program.hidden as usize..) else {
            return Err(Limit::Internal("a state without its hidden variables was sent".to_string()));
        };
        if !self.store.insert(state)? {
            return Ok(());
        }
        self.vector = self.vector.max(state.len());
        let range = range_of(head.rank, self.states, self.count());
        self.keys[range].push(head.rank, head.ordinal);
        let parent = head.number * self.count() as u64 + from as u64;
        let link = Link { parent, ordinal: head.ordinal }.pack().to_le_bytes();
        self.queue.push(&[&link, &(head.depth as u32).to_le_bytes(), saved])
    }

    /// Gives the states of the next level their ranks. Gives how many errors all have found.
    pub(super) fn order_level(&mut self) -> Result<u64, Halt> {
        let (me, count) = (self.me(), self.count());
        let keys = std::mem::take(&mut self.keys);
        for (to, keys) in keys.into_iter().enumerate() {
            if to == me {
                self.heard[me].keys = keys.bytes;
            } else {
                keys.bytes.chunks(LONGEST_MESSAGE).for_each(|piece| self.out.send(to, kind::KEYS, piece.to_vec()));
                self.out.send_number(to, kind::END_OF_KEYS, self.ledger.count);
            }
        }
        self.heard[me].errors = Some(self.ledger.count);
        self.wait_until(|heard| heard.errors.is_some())?;
        let errors = self.heard.iter_mut().filter_map(|heard| heard.errors.take()).sum();
        let keys: Vec<Vec<u8>> = self.heard.iter_mut().map(|heard| std::mem::take(&mut heard.keys)).collect();
        let Ok((places, size)) = places(&keys) else { return Err(self.nonsense((me + 1) % count)) };
        for (to, places) in places.into_iter().enumerate() {
            if to == me {
                self.heard[me].places = places;
            } else {
                places.chunks(LONGEST_MESSAGE).for_each(|piece| self.out.send(to, kind::PLACES, piece.to_vec()));
                self.out.send_number(to, kind::END_OF_PLACES, size);
            }
        }
        self.heard[me].range = Some(size);
        self.wait_until(|heard| heard.range.is_some())?;
        let ranges = self.heard.iter_mut();
        let ranges = ranges.map(|heard| (heard.range.take().unwrap_or_default(), std::mem::take(&mut heard.places)));
        (self.ranks, self.states) = Ranks::of(ranges.collect());
        Ok(errors)
    }
}
