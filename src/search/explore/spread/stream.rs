//! States on their way: batches of records that a process sends to another, and the streams in which they arrive.
//!
//! A record is a state that was reached, with what the owner of the state has to know: the rank of the state that it was reached from,
//! which arrival of that expansion it was, the number of the state that it was reached from, and the depth. Within a batch ranks and
//! numbers are told as differences.

use crate::cluster::wire::{put, take};
use std::collections::VecDeque;

/// What a record says beside its state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Head {
    /// Rank of the state it was reached from, in its level.
    pub rank: u64,
    /// Which arrival in the expansion of that state, from 0.
    pub ordinal: u32,
    /// Number of that state at its owner.
    pub number: u64,
    /// Steps from the initial state.
    pub depth: u64,
}

/// Records that are being gathered.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub bytes: Vec<u8>,
    last: (u64, u64),
    /// Records that were ever put in.
    pub records: u64,
}

impl Batch {
    #[inline]
    pub(super) fn push(&mut self, head: Head, saved: &[u8]) {
        if self.bytes.is_empty() {
            self.last = (0, 0);
        }
        let (rank, number) = self.last;
        put(&mut self.bytes, head.rank - rank);
        put(&mut self.bytes, u64::from(head.ordinal));
        put(&mut self.bytes, head.number - number);
        put(&mut self.bytes, head.depth);
        put(&mut self.bytes, saved.len() as u64);
        self.bytes.extend_from_slice(saved);
        self.last = (head.rank, head.number);
        self.records += 1;
    }

    /// The bytes of the records so far; the next one begins a new batch.
    pub(super) fn cut(&mut self) -> Vec<u8> {
        let room = self.bytes.capacity();
        std::mem::replace(&mut self.bytes, Vec::with_capacity(room))
    }
}

/// What has come from one process in this level and was not looked at yet.
#[derive(Debug, Default)]
pub(super) struct Stream {
    batches: VecDeque<Vec<u8>>,
    /// Where the state of the head lies in the first batch, and where the next record begins.
    state: (usize, usize),
    /// The next record.
    head: Option<Head>,
    last: (u64, u64),
    /// The rank of the last record.
    seen: u64,
    /// Every record behind those that are here has at least this rank.
    floor: u64,
    /// How many records there will have been, once that is known.
    pub announced: Option<u64>,
    /// Records that were taken out.
    pub taken: u64,
    /// Bytes that wait.
    pub bytes: usize,
}

impl Stream {
    pub(super) fn add(&mut self, batch: Vec<u8>) {
        self.bytes += batch.len();
        self.batches.push_back(batch);
    }

    /// No record of a smaller rank will come behind those that are here.
    pub(super) fn raise(&mut self, floor: u64) {
        self.floor = self.floor.max(floor);
    }

    /// The least rank that the next record can have.
    pub(super) fn bound(&self) -> u64 {
        match self.head {
            Some(head) => head.rank,
            None if self.batches.is_empty() => self.seen.max(self.floor),
            None => self.seen,
        }
    }

    /// The same with the arrival: where the next record belongs among those of all streams. What one state has led to comes from one process,
    /// so arrivals matter only where a checkpoint of another number of processes has put them into several streams.
    pub(super) fn place(&self) -> (u64, u32) {
        match self.head {
            Some(head) => (head.rank, head.ordinal),
            None => (self.bound(), if self.batches.is_empty() { u32::MAX } else { 0 }),
        }
    }

    /// Nothing waits, and nothing will come.
    pub(super) fn is_over(&self) -> bool {
        self.announced.is_some() && self.batches.is_empty()
    }

    /// The next record, if it is here. `Err`: it cannot be read.
    #[inline]
    pub(super) fn head(&mut self) -> Result<Option<Head>, ()> {
        if self.head.is_none() && !self.batches.is_empty() {
            self.parse()?;
        }
        Ok(self.head)
    }

    fn parse(&mut self) -> Result<(), ()> {
        let Some(batch) = self.batches.front() else { return Ok(()) };
        let from = self.state.1;
        if from == 0 {
            self.last = (0, 0);
        }
        let mut rest = &batch[from..];
        let mut next = || take(&mut rest).ok_or(());
        let (rank, ordinal, number, depth, length) = (next()?, next()?, next()?, next()?, next()?);
        let start = batch.len() - rest.len();
        let length = usize::try_from(length).map_err(|_| ())?;
        let end = start.checked_add(length).filter(|&end| end <= batch.len()).ok_or(())?;
        let rank = self.last.0.checked_add(rank).ok_or(())?;
        let number = self.last.1.checked_add(number).ok_or(())?;
        let ordinal = u32::try_from(ordinal).map_err(|_| ())?;
        if rank < self.seen {
            return Err(());
        }
        (self.last, self.state) = ((rank, number), (start, end));
        self.seen = rank;
        self.head = Some(Head { rank, ordinal, number, depth });
        Ok(())
    }

    /// The state of the head.
    #[inline]
    pub(super) fn saved(&self) -> &[u8] {
        self.batches.front().and_then(|batch| batch.get(self.state.0..self.state.1)).unwrap_or_default()
    }

    /// Goes on to the next record. Gives a batch that was read to its end.
    #[inline]
    pub(super) fn advance(&mut self) -> Option<Vec<u8>> {
        self.head = None;
        self.taken += 1;
        if self.batches.front().is_some_and(|batch| self.state.1 >= batch.len()) {
            self.state = (0, 0);
            let batch = self.batches.pop_front();
            self.bytes -= batch.as_ref().map_or(0, Vec::len);
            return batch;
        }
        None
    }
}

/// For inputs of no meaning: some records as they are sent.
#[cfg(test)]
pub(crate) fn some_records() -> Vec<u8> {
    let mut batch = Batch::default();
    for at in 0..9u64 {
        let head = Head { rank: at * 300, ordinal: at as u32, number: at * at, depth: at + 100 };
        batch.push(head, &vec![at as u8; at as usize * 3]);
    }
    batch.cut()
}

/// For inputs of no meaning: reads two batches as a search does; gives how many records came out.
#[cfg(test)]
pub(crate) fn read_records(bytes: &[u8]) -> u64 {
    let mut stream = Stream::default();
    stream.add(bytes.to_vec());
    stream.add(bytes.to_vec());
    while let Ok(Some(head)) = stream.head() {
        assert!(stream.bound() <= head.rank && stream.saved().len() <= bytes.len());
        stream.advance();
    }
    stream.taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_promise_is_about_what_comes_later() {
        let mut batch = Batch::default();
        batch.push(Head { rank: 3, ..Head::default() }, &[1]);
        let mut stream = Stream::default();
        stream.add(batch.cut());
        stream.raise(9);
        assert!(stream.bound() <= 3);
        assert_eq!(stream.head().map(|head| head.map(|head| head.rank)), Ok(Some(3)));
        stream.advance();
        assert_eq!((stream.head(), stream.bound()), (Ok(None), 9));
    }

    #[test]
    fn records_come_as_they_were_put_in() {
        let mut batch = Batch::default();
        let mut stream = Stream::default();
        let head = |i: u64| Head { rank: i / 3, ordinal: (i % 3) as u32, number: i / 6, depth: i * 1000 };
        for i in 0..100 {
            batch.push(head(i), &vec![i as u8; (i % 7) as usize]);
            if i % 10 == 9 {
                stream.add(batch.cut());
            }
        }
        let mut batches = 0;
        for i in 0..100 {
            assert_eq!(stream.head(), Ok(Some(head(i))));
            assert_eq!(stream.saved(), vec![i as u8; (i % 7) as usize]);
            assert_eq!(stream.bound(), i / 3);
            batches += usize::from(stream.advance().is_some());
        }
        assert_eq!((stream.head(), stream.bound(), stream.bytes, batches), (Ok(None), 33, 0, 10));
        stream.raise(50);
        assert_eq!(stream.bound(), 50);
        assert!(!stream.is_over());
        stream.announced = Some(100);
        assert!(stream.is_over());
    }

    proptest! {
        #[test]
        fn bytes_of_no_meaning_are_told(bytes in proptest::collection::vec(any::<u8>(), 1..100)) {
            let mut stream = Stream::default();
            stream.add(bytes);
            while let Ok(Some(_)) = stream.head() {
                let _ = stream.saved();
                stream.advance();
            }
        }
    }
}
