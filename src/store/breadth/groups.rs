//! The places of a cache, in groups. A state may lie in any place of its group and nowhere else, so a lookup reads one group.
//!
//! Each place has a key of 8 bytes, the signature of its state (never 0; 0 is an empty place). With whole states each key has
//! a place of a slab beside it, and the bytes are compared too, so that two states are never taken for one.
//!
//! Cost: 8 bytes per place; with whole states also the longest state so far and 4 bytes, rounded up to 16.

use crate::limit::Limit;
use crate::store::parts::hash::scale;
use crate::store::parts::slab::Slab;
use crate::store::parts::zeroed::try_zeroed;
use std::ops::Range;

/// See the head of this file.
#[derive(Debug)]
pub struct Groups {
    keys: Vec<u64>,
    states: Option<Slab>,
    /// How many groups.
    groups: u64,
    /// The most bytes for keys and states.
    budget: usize,
    /// Places that are taken.
    held: u64,
}

impl Groups {
    /// `slots` places in groups of `ways`, for whole states if `whole`; `None` if the system has no room for them.
    pub(super) fn new(slots: u64, ways: u8, whole: bool, budget: usize) -> Option<Self> {
        let slots = slots.max(1);
        Some(Groups {
            keys: try_zeroed(usize::try_from(slots).ok()?)?,
            states: whole.then(Slab::default),
            groups: (slots / u64::from(ways.max(1))).max(1),
            budget,
            held: 0,
        })
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        self.keys.capacity() * size_of::<u64>() + self.states.as_ref().map_or(0, Slab::memory)
    }

    /// Places that are taken.
    pub(super) fn held(&self) -> u64 {
        self.held
    }

    /// How many places there are.
    pub(super) fn slots(&self) -> usize {
        self.keys.len()
    }

    /// How many places a group has on average.
    pub(super) fn mean_ways(&self) -> f64 {
        self.keys.len() as f64 / self.groups as f64
    }

    /// The group of a hash. Where the ways do not divide the places, some groups have one place more than others.
    #[inline]
    pub(super) fn group(&self, hash: u64) -> Range<usize> {
        let group = scale(hash, self.groups);
        let slots = self.keys.len() as u128;
        let start = |group: u64| (u128::from(group) * slots / u128::from(self.groups)) as usize;
        start(group)..start(group + 1)
    }

    /// Is the state in this group?
    #[inline]
    pub(super) fn holds(&self, group: Range<usize>, key: u64, state: &[u8]) -> bool {
        let mut places = group.clone().zip(&self.keys[group]).filter(|&(_, &other)| other == key);
        match &self.states {
            None => places.next().is_some(),
            Some(slab) => places.any(|(slot, _)| slab.get(slot) == Some(state)),
        }
    }

    /// An empty place of this group.
    #[inline]
    pub(super) fn empty(&self, group: Range<usize>) -> Option<usize> {
        self.keys[group.clone()].iter().position(|&key| key == 0).map(|offset| group.start + offset)
    }

    /// Makes sure that a place can take a state of this length.
    #[inline]
    pub(super) fn prepare(&mut self, length: usize) -> Result<(), Limit> {
        let room = self.budget.saturating_sub(self.memory());
        let count = self.keys.len();
        if let Some(slab) = &mut self.states
            && !slab.fits(length)
            && !slab.widen(length, count, room)
        {
            return Err(Limit::Memory { used: self.memory() as u64, budget: self.budget as u64 });
        }
        Ok(())
    }

    /// The key at a place that is about to be overwritten; the bytes of its state, if they are kept, go into `state`.
    pub(super) fn take(&self, slot: usize, state: &mut Vec<u8>) -> u64 {
        state.clear();
        state.extend_from_slice(self.states.as_ref().and_then(|slab| slab.get(slot)).unwrap_or_default());
        self.keys[slot]
    }

    /// Writes to a place, whatever lies there. [`prepare`](Self::prepare) must have been asked for the length of the state.
    #[inline]
    pub(super) fn put(&mut self, slot: usize, key: u64, state: &[u8]) {
        self.held += u64::from(self.keys[slot] == 0);
        self.keys[slot] = key;
        if let Some(slab) = &mut self.states {
            slab.set(slot, state);
        }
    }

    /// Every place that is taken: its number, its key, and the state if it is kept.
    pub(super) fn places(&self) -> impl Iterator<Item = (usize, u64, Option<&[u8]>)> {
        let state = |slot| self.states.as_ref().and_then(|slab| slab.get(slot));
        self.keys.iter().enumerate().filter(|&(_, &key)| key != 0).map(move |(slot, &key)| (slot, key, state(slot)))
    }
}
