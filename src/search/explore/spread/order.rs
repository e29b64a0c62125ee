//! The order of a level, over all processes: which new state would have come first in a search by one process.
//!
//! That search expands the states of a level in order and appends what is new, so a new state's place follows from its key: the rank of
//! the state that it was reached from first, and which arrival it was. Every process has the keys of its own new states in ascending
//! order. The ranks of a level are cut into as many ranges as there are processes. Each process sends its keys to the processes that have
//! their ranges, these merge what they get and send back how many keys were before each; with the sizes of the ranges in front that is
//! the rank in the next level. Two messages between any two processes, some three bytes for each new state.

use crate::cluster::wire::{put, take};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The process that has the range in which a rank lies, of a level with so many states.
pub(super) fn range_of(rank: u64, states: u64, processes: usize) -> usize {
    let range = u128::from(rank) * processes as u128 / u128::from(states.max(1));
    (range as usize).min(processes - 1)
}

/// Keys in ascending order, as differences.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub bytes: Vec<u8>,
    last: u64,
}

impl Keys {
    #[inline]
    pub(super) fn push(&mut self, rank: u64, ordinal: u32) {
        put(&mut self.bytes, rank - self.last);
        put(&mut self.bytes, u64::from(ordinal));
        self.last = rank;
    }

    /// All of them.
    pub(super) fn each(&self) -> impl Iterator<Item = (u64, u32)> {
        let mut reader = KeyReader { rest: &self.bytes, last: 0 };
        std::iter::from_fn(move || reader.next().ok().flatten()).map(|(rank, ordinal)| (rank, ordinal as u32))
    }
}

/// Reads keys.
struct KeyReader<'a> {
    rest: &'a [u8],
    last: u64,
}

impl KeyReader<'_> {
    fn next(&mut self) -> Result<Option<(u64, u64)>, ()> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let difference = take(&mut self.rest).ok_or(())?;
        let ordinal = take(&mut self.rest).ok_or(())?;
        self.last = self.last.checked_add(difference).ok_or(())?;
        Ok(Some((self.last, ordinal)))
    }
}

/// Merges the keys of all processes in one range. Gives for each process the places of its keys, as differences, and how many keys there
/// are. `Err`: the keys cannot be read.
pub(super) fn places(keys: &[Vec<u8>]) -> Result<(Vec<Vec<u8>>, u64), ()> {
    let mut readers: Vec<KeyReader<'_>> = keys.iter().map(|bytes| KeyReader { rest: bytes, last: 0 }).collect();
    let mut heads = BinaryHeap::new();
    for (process, reader) in readers.iter_mut().enumerate() {
        heads.extend(reader.next()?.map(|key| Reverse((key, process))));
    }
    let mut places = vec![Vec::new(); keys.len()];
    let mut last = vec![0; keys.len()];
    let mut count = 0;
    while let Some(Reverse((_, process))) = heads.pop() {
        put(&mut places[process], count - last[process]);
        last[process] = count;
        count += 1;
        heads.extend(readers[process].next()?.map(|key| Reverse((key, process))));
    }
    Ok((places, count))
}

/// The ranks of this process's states in a level, in ascending order.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    /// For each range: how many states are in the ranges before it, and the places of ours.
    ranges: Vec<(u64, Vec<u8>)>,
    range: usize,
    at: usize,
    last: u64,
}

impl Ranks {
    /// From the places that each range has sent, with the size of the range. Gives the size of the level, too.
    pub(super) fn of(ranges: Vec<(u64, Vec<u8>)>) -> (Ranks, u64) {
        let mut before = 0u64;
        let mut offset = |size: u64| {
            let own = before;
            before = before.saturating_add(size);
            own
        };
        let ranges = ranges.into_iter().map(|(size, places)| (offset(size), places)).collect();
        (Ranks { ranges, ..Ranks::default() }, before)
    }

    /// These ranks, which ascend.
    pub(super) fn listed(ranks: &[u64]) -> Ranks {
        let (mut places, mut last) = (Vec::new(), 0);
        for &rank in ranks {
            put(&mut places, rank.saturating_sub(last));
            last = rank;
        }
        Ranks { ranges: vec![(0, places)], ..Ranks::default() }
    }

    /// The next rank; `None` if there is none.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u64> {
        loop {
            let (before, places) = self.ranges.get(self.range)?;
            let mut rest = &places[self.at..];
            if let Some(difference) = take(&mut rest) {
                self.at = places.len() - rest.len();
                self.last = self.last.checked_add(difference)?;
                return before.checked_add(self.last);
            }
            (self.range, self.at, self.last) = (self.range + 1, 0, 0);
        }
    }

    pub(super) fn memory(&self) -> usize {
        self.ranges.iter().map(|(_, places)| places.capacity()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Keys that are spread over processes get the ranks that sorting gives them.
        #[test]
        fn ranks_are_those_of_one_process(
            keys in proptest::collection::btree_map((0u64..40, 0u32..3), 0usize..4, 0..80),
        ) {
            let (processes, states) = (4, 40);
            let mut sent = vec![vec![Vec::new(); processes]; processes];
            let keys_of = |process: usize| {
                let mut own: Vec<Keys> = (0..processes).map(|_| Keys::default()).collect();
                for ((rank, ordinal), _) in keys.iter().filter(|(_, of)| **of == process) {
                    own[range_of(*rank, states, processes)].push(*rank, *ordinal);
                }
                own
            };
            for (process, own) in (0..processes).map(keys_of).enumerate() {
                for (sent, keys) in sent.iter_mut().zip(own) {
                    sent[process] = keys.bytes;
                }
            }
            let ranges: Vec<_> = sent.iter().map(|keys| places(keys).unwrap()).collect();
            for process in 0..processes {
                let own = ranges.iter().map(|(places, size)| (*size, places[process].clone())).collect();
                let (mut ranks, size) = Ranks::of(own);
                prop_assert_eq!(size, keys.len() as u64);
                for (rank, _) in keys.values().enumerate().filter(|(_, of)| **of == process) {
                    prop_assert_eq!(ranks.next(), Some(rank as u64));
                }
                prop_assert_eq!(ranks.next(), None);
            }
        }

        #[test]
        fn bytes_of_no_meaning_are_told(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = places(&[bytes.clone(), Vec::new()]);
            let (mut ranks, _) = Ranks::of(vec![(1, bytes)]);
            while ranks.next().is_some() {}
        }
    }
}
