//! Numbers for words of 128 bits that several threads ask for: the nodes of the trees in which states are kept (see
//! [`crate::store::parts::tree`]).
//!
//! Idea: the words lie in a [`SharedArena`], two words of it each, and the number of a word is its place there. A [`SharedTable`] finds it. Of
//! two threads that ask for the number of the same new word one puts it in, and the other finds it: so equal words have equal numbers.
//! Whoever gets a number by way of a record or of another node also sees the word: a record is published after all its nodes.
//!
//! Cost: 16 bytes a word, 11 to 21 of table.

use super::arena::{Pen, SharedArena};
use super::table::{Doubling, Glance, Looked, SharedTable};
use super::{Apart, Budget};
use crate::store::parts::arena::NoRoom;
use crate::store::parts::tree::{ID_BITS, Interner, hash};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

/// Entries of a thread's table of words that it asked for last, as a power of two.
const RECENT_BITS: u32 = 12;

/// The words of all threads. See the head of this file.
#[derive(Debug)]
pub(super) struct SharedNodes {
    arena: SharedArena,
    table: RwLock<SharedTable>,
    doubling: Doubling,
    stored: Apart<AtomicUsize>,
    /// Somebody has found no empty slot.
    crowded: AtomicBool,
}

impl SharedNodes {
    pub(super) fn new(budget: &Budget) -> Option<SharedNodes> {
        Some(SharedNodes {
            arena: SharedArena::new(budget)?,
            table: RwLock::new(SharedTable::new(budget)?),
            doubling: Doubling::default(),
            stored: Apart::default(),
            crowded: AtomicBool::new(false),
        })
    }

    pub(super) fn session<'s>(&'s self, budget: &'s Budget) -> NodeSession<'s> {
        NodeSession { nodes: self, budget, table: None, pen: Pen::default(), uncounted: 0, recent: Vec::new() }
    }

    /// Must the table grow?
    pub(super) fn is_crowded(&self) -> bool {
        let limit = self.table.read().unwrap_or_else(PoisonError::into_inner).limit();
        self.crowded.load(Ordering::Relaxed) || self.stored.load(Ordering::Relaxed) >= limit
    }

    /// See [`super::states::SharedStates::begin_doubling`].
    pub(super) fn begin_doubling(&self, threads: usize, budget: &Budget) -> Option<bool> {
        self.crowded.store(false, Ordering::Relaxed);
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        table.begin_doubling(&self.doubling, threads, budget)
    }

    pub(super) fn help_doubling(&self) {
        self.doubling.help();
    }

    pub(super) fn end_doubling(&self, budget: &Budget) {
        self.table.write().unwrap_or_else(PoisonError::into_inner).end_doubling(&self.doubling, budget);
    }
}

/// One thread's access to the words.
#[derive(Debug)]
pub(super) struct NodeSession<'s> {
    nodes: &'s SharedNodes,
    budget: &'s Budget,
    table: Option<RwLockReadGuard<'s, SharedTable>>,
    pen: Pen,
    uncounted: usize,
    /// Words with their numbers plus 1.
    recent: Vec<(u128, u32)>,
}

impl NodeSession<'_> {
    /// Lets go of the table, so that it can grow.
    pub(super) fn let_go(&mut self) {
        self.table = None;
    }

    /// Tells how many words were added. Is it time for the table to grow?
    pub(super) fn is_crowded(&mut self) -> bool {
        let added = std::mem::take(&mut self.uncounted);
        if added == 0 {
            return false;
        }
        let stored = self.nodes.stored.fetch_add(added, Ordering::Relaxed) + added;
        let nodes = self.nodes;
        let table = self.table.get_or_insert_with(|| nodes.table.read().unwrap_or_else(PoisonError::into_inner));
        stored >= table.limit()
    }

    /// Was the last word without a number because the table must grow?
    pub(super) fn must_grow(&self) -> bool {
        self.nodes.crowded.load(Ordering::Relaxed)
    }

    pub(super) fn memory(&self) -> usize {
        self.recent.capacity() * size_of::<(u128, u32)>()
    }

    fn look_up(&mut self, word: u128, hash: u64) -> Result<u32, NoRoom> {
        let (nodes, budget) = (self.nodes, self.budget);
        let table = self.table.get_or_insert_with(|| nodes.table.read().unwrap_or_else(PoisonError::into_inner));
        let (low, high) = (word as u64, (word >> 64) as u64);
        let is_it = |position: u64| match nodes.arena.from(position) {
            [one, other, ..] => one.load(Ordering::Relaxed) == low && other.load(Ordering::Relaxed) == high,
            _ => false,
        };
        let pen = &mut self.pen;
        let write = || {
            // Numbers are halves of positions, so positions are even. The first one of all is not.
            let room = nodes.arena.room(pen, 3, budget).ok()?;
            let position = room.next_multiple_of(2);
            pen.keep((position - room) as usize);
            let record = nodes.arena.from(position);
            record[0].store(low, Ordering::Relaxed);
            record[1].store(high, Ordering::Relaxed);
            (position >> 1 < 1 << ID_BITS).then_some(position)
        };
        match table.find_or_add(hash, Glance::default(), is_it, write) {
            Looked::Found(position) => Ok((position >> 1) as u32),
            Looked::Added(position) => {
                self.pen.keep(2);
                self.uncounted += 1;
                Ok((position >> 1) as u32)
            }
            Looked::Crowded => {
                nodes.crowded.store(true, Ordering::Relaxed);
                Err(NoRoom)
            }
            Looked::NoRoom => Err(NoRoom),
        }
    }
}

impl Interner for NodeSession<'_> {
    #[inline]
    fn number(&mut self, word: u128, _: usize) -> Result<u32, NoRoom> {
        let hash = hash(word);
        if self.recent.is_empty() {
            self.recent.resize(1 << RECENT_BITS, (0, 0));
        }
        // The middle of the hash: the upper bits choose the slot.
        let recent = (hash >> 20) as usize & ((1 << RECENT_BITS) - 1);
        let (known, id) = self.recent[recent];
        if known == word && id > 0 {
            return Ok(id - 1);
        }
        let id = self.look_up(word, hash)?;
        self.recent[recent] = (word, id + 1);
        Ok(id)
    }

    #[inline]
    fn word(&self, id: u32) -> u128 {
        match self.nodes.arena.from(u64::from(id) << 1) {
            [low, high, ..] => u128::from(high.load(Ordering::Relaxed)) << 64 | u128::from(low.load(Ordering::Relaxed)),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All threads have the same number for the same word, and every number gives its word back.
    #[test]
    fn threads_agree_on_numbers() {
        let word = |i: u128| if i.is_multiple_of(2) { i << 70 } else { i.wrapping_mul(0x9E37_79B9_7F4A_7C15) };
        let budget = Budget::of(64 << 20);
        let nodes = SharedNodes::new(&budget).unwrap();
        let mut numbers: Vec<u32> = Vec::new();
        for round in 0..10u128 {
            let range = round * 400..round * 400 + 1_000;
            let told: Vec<Vec<u32>> = std::thread::scope(|scope| {
                let (nodes, budget, range) = (&nodes, &budget, &range);
                let threads = [(); 4].map(|()| {
                    scope.spawn(move || {
                        let mut session = nodes.session(budget);
                        let told = range.clone().map(|i| session.number(word(i), usize::MAX).unwrap()).collect();
                        session.is_crowded();
                        told
                    })
                });
                threads.map(|thread| thread.join().unwrap()).into()
            });
            assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "round {round}");
            let known = numbers.len().saturating_sub(range.start as usize);
            assert_eq!(told[0][..known], numbers[range.start as usize..]);
            numbers.extend(&told[0][known..]);
            assert_eq!(nodes.begin_doubling(4, &budget), Some(true));
            nodes.help_doubling();
            nodes.end_doubling(&budget);
        }
        let session = nodes.session(&budget);
        for (i, &number) in numbers.iter().enumerate() {
            assert_eq!(session.word(number), word(i as u128));
        }
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
