//! What a process sends: the kinds of frames, and the batches of states that are gathered for each of the others.

use super::stream::Batch;
use crate::cluster::wire::put;
use crate::cluster::{Frame, Mesh};

/// Longer messages are cut.
pub(super) const LONGEST_MESSAGE: usize = 1 << 20;

/// What the frames are.
pub(super) mod kind {
    /// Records.
    pub(in super::super) const STATES: u8 = 1;
    /// "All further records are of states of this rank or a greater one."
    pub(in super::super) const FLOOR: u8 = 2;
    /// All records of this level were sent: so many.
    pub(in super::super) const END_OF_STATES: u8 = 3;
    /// Keys of new states.
    pub(in super::super) const KEYS: u8 = 4;
    /// All keys of this level were sent. How many errors were found so far.
    pub(in super::super) const END_OF_KEYS: u8 = 5;
    /// Places of new states in the sender's range.
    pub(in super::super) const PLACES: u8 = 6;
    /// All places were sent. How many states the range has.
    pub(in super::super) const END_OF_PLACES: u8 = 7;
    /// So many bytes of records were taken in.
    pub(in super::super) const TAKEN: u8 = 8;
    /// The search has to end: why.
    pub(in super::super) const STOP: u8 = 9;
    /// A piece of a [`super::part::Part`], and its last one.
    pub(in super::super) const PART: u8 = 10;
    pub(in super::super) const END_OF_PART: u8 = 11;
    /// A piece of the [`super::part::Whole`], and its last one.
    pub(in super::super) const WHOLE: u8 = 12;
    pub(in super::super) const END_OF_WHOLE: u8 = 13;
    /// "What is the link of this state?", and the answer.
    pub(in super::super) const ASK: u8 = 14;
    pub(in super::super) const LINK: u8 = 15;
    /// Process 0 wants a checkpoint: when the next level begins, or where all have come to a standstill.
    pub(in super::super) const SAVE: u8 = 16;
    /// A process has stopped: where.
    pub(in super::super) const STAND: u8 = 17;
    /// A part of a checkpoint was written, or could not be.
    pub(in super::super) const WRITTEN: u8 = 18;
    /// What became of the checkpoint.
    pub(in super::super) const KEPT: u8 = 19;
}

/// What goes out.
pub(super) struct Outgoing<'c> {
    pub(super) mesh: &'c mut Mesh,
    pub(super) search: u32,
    pub(super) level: u32,
    /// What is gathered for each process; this one's own are among them.
    pub(super) batches: Vec<Batch>,
    /// Bytes of records that the others have not taken in yet.
    pub(super) on_their_way: Vec<usize>,
    /// The rank that each was told last.
    pub(super) floors: Vec<u64>,
}

impl Outgoing<'_> {
    pub(super) fn frame(&self, kind: u8, payload: Vec<u8>) -> Frame {
        Frame { kind, search: self.search, level: self.level, payload }
    }

    pub(super) fn send(&mut self, to: usize, kind: u8, payload: Vec<u8>) {
        let frame = self.frame(kind, payload);
        self.mesh.send(to, frame);
    }

    pub(super) fn send_number(&mut self, to: usize, kind: u8, number: u64) {
        let mut payload = Vec::new();
        put(&mut payload, number);
        self.send(to, kind, payload);
    }

    pub(super) fn flush(&mut self, to: usize) {
        let bytes = self.batches[to].cut();
        if !bytes.is_empty() {
            self.on_their_way[to] += bytes.len();
            self.send(to, kind::STATES, bytes);
        }
    }

    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let me = self.mesh.me();
        (0..self.mesh.count()).filter(move |&process| process != me)
    }

    /// Tells the others that what comes next has at least this rank.
    pub(super) fn tell_floor(&mut self, rank: u64) {
        for to in self.others() {
            if self.floors[to] < rank {
                self.flush(to);
                self.floors[to] = rank;
                self.send_number(to, kind::FLOOR, rank);
            }
        }
    }

    pub(super) fn send_long(&mut self, to: usize, (piece, last): (u8, u8), text: &[u8]) {
        let mut pieces = text.chunks(LONGEST_MESSAGE).peekable();
        while let Some(bytes) = pieces.next() {
            self.send(to, if pieces.peek().is_some() { piece } else { last }, bytes.to_vec());
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.batches.iter().map(|batch| batch.bytes.capacity()).sum::<usize>() + self.on_their_way.iter().sum::<usize>()
    }
}
