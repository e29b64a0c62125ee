//! One shape of states: all states of the same length with the same records at the same places. For each shape there is one tree,
//! and the numbers of its nodes in one state, where the shape *stands*. A search stands at the state that it expands: a successor
//! differs from that one in few leaves, and only these, and the nodes above them, are looked up. Then the shape either goes back to
//! where it stood, because the next successor differs from the same state, or it stays at the successor, which is expanded next.
//!
//! An inner node has up to four children: a flat tree costs few look-ups, and its nodes are hardly more than those of a binary one.

use super::layout::Unit;
use super::nodes::{Interner, Nodes};
use super::pairing::Pairing;
use crate::store::parts::arena::NoRoom;

/// Bytes of a leaf, at most.
const LEAF: usize = 16;
/// Children of an inner node, at most.
const CHILDREN: usize = 4;
/// Leaves of up to this many bytes are their own numbers.
const SMALL: usize = 3;
/// States are compared in blocks of this many bytes.
const BLOCK: usize = 32;
/// A node that has no node above it but the root.
const NONE: u32 = u32::MAX;

/// A leaf: up to sixteen bytes of a state.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    start: u32,
    bytes: u8,
    /// The leaf is its own number.
    small: bool,
    mask: u128,
    parent: u32,
}

/// An inner node: the places of its children, leaves first, and the number of the inner node above.
#[derive(Clone, Copy, Debug)]
struct Inner {
    children: [u32; CHILDREN],
    parent: u32,
}

/// A shape. See the head of this file.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) length: usize,
    pub(super) records: Vec<(u32, u8)>,
    /// The records go to the end of the state: no other state has these and more.
    complete: bool,
    /// In the order of the state.
    leaves: Vec<Leaf>,
    /// For each byte of a state the leaf that has it.
    leaf_of: Vec<u32>,
    /// Children stand before their parents.
    inner: Vec<Inner>,
    /// The places of the two halves; a tree of one leaf has no second half.
    halves: [u32; 2],
    /// The state where the shape stands, with zeros behind it; the numbers of its nodes, leaves first. The last number is always
    /// 0: it stands for children that are not there.
    state: Vec<u8>,
    ids: Vec<u32>,
    /// The shape stands somewhere.
    valid: bool,
    /// Inner nodes that have to be looked up again, one bit each.
    dirty: Vec<u64>,
    /// What was changed in `ids` by the last look-up, and the numbers that were there.
    changed: Vec<(u32, u32)>,
}

/// A binary tree over leaves, and its height.
enum Binary {
    Leaf(usize),
    Pair(Box<(Binary, Binary)>, usize),
}

impl Binary {
    fn height(&self) -> usize {
        match self {
            Binary::Leaf(_) => 0,
            Binary::Pair(_, height) => *height,
        }
    }

    fn pair(left: Binary, right: Binary) -> Binary {
        let height = left.height().max(right.height()) + 1;
        Binary::Pair(Box::new((left, right)), height)
    }
}

/// Builds the tree of a shape from a pairing.
struct Builder<'a> {
    units: &'a [Unit],
    leaves: Vec<(usize, usize)>,
    inner: Vec<[Option<Place>; CHILDREN]>,
}

/// A node of the tree that is being built.
#[derive(Clone, Copy)]
enum Place {
    Leaf(usize),
    Inner(usize),
}

impl Builder<'_> {
    fn binary(&mut self, pairing: &Pairing) -> Option<Binary> {
        match pairing {
            Pairing::Unit(number) => self.units.get(*number).copied().map(|unit| self.run(unit.start, unit.end)),
            Pairing::Pair(left, right) => match (self.binary(left), self.binary(right)) {
                (Some(left), Some(right)) => Some(Binary::pair(left, right)),
                (one, None) | (None, one) => one,
            },
        }
    }

    /// The bytes of one unit, in leaves of equal size.
    fn run(&mut self, start: usize, end: usize) -> Binary {
        if end - start <= LEAF {
            self.leaves.push((start, end));
            return Binary::Leaf(self.leaves.len() - 1);
        }
        let leaves = (end - start).div_ceil(LEAF);
        let middle = start + (end - start) * leaves.div_ceil(2) / leaves;
        Binary::pair(self.run(start, middle), self.run(middle, end))
    }

    /// Makes the nodes of a binary tree. As long as a node has room for one more child, its highest child is replaced by the children
    /// of that one.
    fn node(&mut self, tree: Binary) -> Place {
        let pair = match tree {
            Binary::Leaf(number) => return Place::Leaf(number),
            Binary::Pair(pair, _) => *pair,
        };
        let mut children = vec![pair.0, pair.1];
        while children.len() < CHILDREN {
            let highest = (0..children.len()).max_by_key(|&child| children[child].height()).unwrap_or(0);
            match children.remove(highest) {
                leaf @ Binary::Leaf(_) => {
                    children.insert(highest, leaf);
                    break;
                }
                Binary::Pair(pair, _) => children.extend([pair.0, pair.1]),
            }
        }
        let mut places = [None; CHILDREN];
        for (place, child) in places.iter_mut().zip(children) {
            *place = Some(self.node(child));
        }
        self.inner.push(places);
        Place::Inner(self.inner.len() - 1)
    }
}

impl Shape {
    /// The shape of states of this length with these records and units; `pairing` has every unit once.
    pub(super) fn new(length: usize, records: Vec<(u32, u8)>, units: &[Unit], pairing: Option<&Pairing>) -> Shape {
        let mut builder = Builder { units, leaves: Vec::new(), inner: Vec::new() };
        let halves = match pairing.and_then(|pairing| builder.binary(pairing)) {
            None => [None, None],
            Some(leaf @ Binary::Leaf(_)) => [Some(builder.node(leaf)), None],
            Some(Binary::Pair(pair, _)) => {
                let (left, right) = *pair;
                [Some(builder.node(left)), Some(builder.node(right))]
            }
        };
        let Builder { leaves, inner, .. } = builder;
        let mut order: Vec<usize> = (0..leaves.len()).collect();
        order.sort_unstable_by_key(|&leaf| leaves[leaf].0);
        let mut ranks = vec![0; leaves.len()];
        order.iter().enumerate().for_each(|(rank, &leaf)| ranks[leaf] = rank);
        let nothing = (leaves.len() + inner.len()) as u32;
        let place = |place: Option<Place>| match place {
            None => nothing,
            Some(Place::Leaf(leaf)) => ranks[leaf] as u32,
            Some(Place::Inner(number)) => (leaves.len() + number) as u32,
        };
        let mut shape = Shape {
            length,
            complete: units.last().is_none_or(|unit| unit.record <= records.len()),
            records,
            leaves: order.iter().map(|&leaf| Leaf::new(leaves[leaf])).collect(),
            leaf_of: Vec::with_capacity(length),
            inner: inner.iter().map(|children| Inner { children: children.map(place), parent: NONE }).collect(),
            halves: halves.map(place),
            state: vec![0; length.next_multiple_of(BLOCK) + LEAF],
            ids: vec![0; nothing as usize + 1],
            valid: false,
            dirty: vec![0; inner.len().div_ceil(64)],
            changed: Vec::with_capacity(nothing as usize),
        };
        for (number, leaf) in shape.leaves.iter().enumerate() {
            shape.leaf_of.extend(std::iter::repeat_n(number as u32, usize::from(leaf.bytes)));
        }
        shape.tell_parents();
        shape
    }

    fn tell_parents(&mut self) {
        for number in 0..self.inner.len() {
            for child in self.inner[number].children {
                let child = child as usize;
                if child < self.leaves.len() {
                    self.leaves[child].parent = number as u32;
                } else if let Some(inner) = self.inner.get_mut(child - self.leaves.len()) {
                    inner.parent = number as u32;
                }
            }
        }
    }

    pub(super) fn memory(&self) -> usize {
        size_of::<Shape>()
            + self.records.capacity() * size_of::<(u32, u8)>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.inner.capacity() * size_of::<Inner>()
            + (self.changed.capacity() + self.dirty.capacity()) * 8
            + (self.ids.capacity() + self.leaf_of.capacity()) * 4
            + self.state.capacity()
    }

    /// Is this the shape of the state? Certainly, if the answer is `true`.
    #[inline]
    pub(super) fn fits(&self, state: &[u8]) -> bool {
        self.complete
            && state.len() == self.length
            && self.records.iter().all(|&(at, kind)| state.get(at as usize) == Some(&kind))
    }

    /// Is the state the one where the shape stands?
    fn is_last(&self, state: &[u8]) -> bool {
        self.valid && self.state.get(..self.length) == Some(state)
    }

    /// The numbers of the two halves of the state that was looked up last.
    #[inline]
    fn halves(&self) -> (u32, u32) {
        let [left, right] = self.halves;
        (self.ids[left as usize], self.ids[right as usize])
    }

    /// The numbers of the two halves of a state of this shape: every node that was not there gets a number. `room`: how many bytes the
    /// nodes may take in all. Then [`go_back`](Self::go_back) or [`stay`](Self::stay) must be called.
    #[inline]
    pub(super) fn look_up(
        &mut self,
        state: &[u8],
        nodes: &mut impl Interner,
        room: usize,
    ) -> Result<(u32, u32), NoRoom> {
        debug_assert!(self.changed.is_empty());
        if !self.valid {
            self.begin(state, nodes, room)?;
            return Ok(self.halves());
        }
        let Shape { leaves, leaf_of, inner, state: known, ids, dirty, changed, .. } = self;
        let mut change = Change { leaves, leaf_of, inner, state, ids, dirty, changed, nodes, room, done: 0 };
        if let Err(NoRoom) = change.leaves(known).and_then(|()| change.inner()) {
            self.dirty.fill(0);
            self.go_back();
            return Err(NoRoom);
        }
        Ok(self.halves())
    }

    /// Adds to a list what the last look-up has changed: places and their new numbers.
    #[inline]
    pub(super) fn remember(&self, changes: &mut Vec<(u32, u32)>) {
        changes.extend(self.changed.iter().map(|&(place, _)| (place, self.ids[place as usize])));
    }

    /// Goes to a state that was looked up from here. `changes`: what [`remember`](Self::remember) has told of it.
    #[inline]
    pub(super) fn follow(&mut self, changes: &[(u32, u32)], state: &[u8]) {
        for &(place, id) in changes {
            self.ids[place as usize] = id;
        }
        self.stay(state);
    }

    /// The shape stands where it stood before the last look-up.
    #[inline]
    pub(super) fn go_back(&mut self) {
        for (place, id) in self.changed.drain(..) {
            self.ids[place as usize] = id;
        }
    }

    /// The shape stands at the state that was looked up last, and that has to be this one.
    #[inline]
    pub(super) fn stay(&mut self, state: &[u8]) {
        self.changed.clear();
        if let Some(known) = self.state.get_mut(..state.len()) {
            known.copy_from_slice(state);
        }
    }

    /// Goes to the state with these halves, and gives it. What it has in common with the state before is not read.
    pub(super) fn go_to(&mut self, left: u32, right: u32, nodes: &impl Interner) -> &[u8] {
        let all = !std::mem::replace(&mut self.valid, true);
        for (place, id) in self.halves.into_iter().zip([left, right]) {
            self.put(place, id, all, nodes);
        }
        for word in (0..self.dirty.len()).rev() {
            // Parents stand behind their children: the last one that is marked comes first.
            while self.dirty[word] != 0 {
                let bit = 63 - self.dirty[word].leading_zeros() as usize;
                self.dirty[word] &= !(1 << bit);
                let number = word << 6 | bit;
                let group = nodes.word(self.ids[self.leaves.len() + number]);
                for (child, place) in self.inner[number].children.into_iter().enumerate() {
                    self.put(place, (group >> (32 * child)) as u32, all, nodes);
                }
            }
        }
        &self.state[..self.length]
    }

    /// The node at a place has this number now.
    #[inline]
    fn put(&mut self, place: u32, id: u32, all: bool, nodes: &impl Interner) {
        let (place, leaves) = (place as usize, self.leaves.len());
        if place == leaves + self.inner.len() || self.ids[place] == id && !all {
            return;
        }
        self.ids[place] = id;
        match self.leaves.get(place) {
            Some(leaf) => leaf.write(id, nodes, &mut self.state),
            None => mark(&mut self.dirty, (place - leaves) as u32),
        }
    }

    /// Nothing is known of the state before: every leaf and every inner node is looked up.
    #[cold]
    fn begin(&mut self, state: &[u8], nodes: &mut impl Interner, room: usize) -> Result<(), NoRoom> {
        for (known, &byte) in self.state.iter_mut().zip(state) {
            *known = byte;
        }
        self.dirty.fill(0);
        for (number, leaf) in self.leaves.iter().enumerate() {
            let value = leaf.value(&self.state);
            self.ids[number] = match leaf.small {
                true => value as u32,
                false => nodes.number(value, room)?,
            };
        }
        for (number, inner) in self.inner.iter().enumerate() {
            let word = group(inner.children.map(|child| self.ids[child as usize]));
            self.ids[self.leaves.len() + number] = nodes.number(word, room)?;
        }
        self.valid = true;
        Ok(())
    }

    /// The numbers of the two halves of a state of this shape; `None` if some node of it is not there.
    pub(super) fn find(&self, state: &[u8], nodes: &Nodes) -> Option<(u32, u32)> {
        if self.is_last(state) {
            return Some(self.halves());
        }
        let mut ids = vec![0; self.ids.len()];
        for (number, leaf) in self.leaves.iter().enumerate() {
            let value = leaf.value(state);
            ids[number] = match leaf.small {
                true => value as u32,
                false if self.valid && leaf.value(&self.state) == value => self.ids[number],
                false => nodes.find(value)?,
            };
        }
        for (number, inner) in self.inner.iter().enumerate() {
            let same =
                self.valid && inner.children.iter().all(|&child| ids[child as usize] == self.ids[child as usize]);
            let place = self.leaves.len() + number;
            let found = || nodes.find(group(inner.children.map(|child| ids[child as usize])));
            ids[place] = if same { self.ids[place] } else { found()? };
        }
        let [left, right] = self.halves;
        Some((ids[left as usize], ids[right as usize]))
    }

    /// Writes the state with these halves.
    pub(super) fn read(&self, left: u32, right: u32, nodes: &impl Interner, state: &mut Vec<u8>) {
        state.clear();
        state.resize(self.length, 0);
        let mut ids = vec![0; self.ids.len()];
        for (place, id) in self.halves.into_iter().zip([left, right]) {
            ids[place as usize] = id;
        }
        for (number, inner) in self.inner.iter().enumerate().rev() {
            let word = nodes.word(ids[self.leaves.len() + number]);
            for (child, place) in inner.children.into_iter().enumerate() {
                ids[place as usize] = (word >> (32 * child)) as u32;
            }
        }
        for (leaf, &id) in self.leaves.iter().zip(&ids) {
            leaf.write(id, nodes, state);
        }
    }
}

#[inline]
fn mark(dirty: &mut [u64], node: u32) {
    if node != NONE {
        dirty[(node >> 6) as usize] |= 1 << (node & 63);
    }
}

/// An inner node as a word.
#[inline]
fn group(ids: [u32; CHILDREN]) -> u128 {
    let [a, b, c, d] = ids.map(u64::from);
    u128::from(c | d << 32) << 64 | u128::from(a | b << 32)
}

/// Two numbers as a word.
pub(super) fn both(left: u32, right: u32) -> u128 {
    group([left, right, 0, 0])
}

impl Leaf {
    fn new((start, end): (usize, usize)) -> Leaf {
        let bytes = end - start;
        let (mask, small) = (u128::MAX >> (128 - 8 * bytes), bytes <= SMALL);
        Leaf { start: start as u32, bytes: bytes as u8, small, mask, parent: NONE }
    }

    /// The bytes of this leaf in a state.
    #[inline]
    fn value(self, state: &[u8]) -> u128 {
        let start = self.start as usize;
        match state.get(start..start + LEAF).and_then(|bytes| bytes.first_chunk()) {
            Some(bytes) => u128::from_le_bytes(*bytes) & self.mask,
            None => self.value_at_end(state),
        }
    }

    /// The same where fewer than sixteen bytes follow.
    fn value_at_end(self, state: &[u8]) -> u128 {
        let start = self.start as usize;
        if let Some(bytes) = state.last_chunk::<LEAF>() {
            let beside = start + LEAF - state.len();
            return u128::from_le_bytes(*bytes) >> (8 * beside) & self.mask;
        }
        let mut bytes = [0; LEAF];
        bytes.iter_mut().zip(state.get(start..).unwrap_or_default()).for_each(|(to, &byte)| *to = byte);
        u128::from_le_bytes(bytes) & self.mask
    }

    /// Writes the bytes of the leaf with this number into a state.
    #[inline]
    fn write(self, id: u32, nodes: &impl Interner, state: &mut [u8]) {
        let value = if self.small { u128::from(id) } else { nodes.word(id) };
        let (start, bytes) = (self.start as usize, usize::from(self.bytes));
        state[start..start + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
}

/// The way from the state where a shape stands to another one.
struct Change<'a, N> {
    leaves: &'a [Leaf],
    leaf_of: &'a [u32],
    inner: &'a [Inner],
    state: &'a [u8],
    ids: &'a mut [u32],
    dirty: &'a mut [u64],
    changed: &'a mut Vec<(u32, u32)>,
    nodes: &'a mut N,
    room: usize,
    /// The leaves in front of this byte are done.
    done: usize,
}

impl<N: Interner> Change<'_, N> {
    /// Looks up the leaves in which the states differ. `known`: the other state, with zeros behind it.
    #[inline]
    fn leaves(&mut self, known: &[u8]) -> Result<(), NoRoom> {
        let (blocks, rest) = self.state.as_chunks::<BLOCK>();
        let (known, _) = known.as_chunks::<BLOCK>();
        for (number, (block, known)) in blocks.iter().zip(known).enumerate() {
            if block != known {
                self.block(number * BLOCK, block, known)?;
            }
        }
        if !rest.is_empty()
            && let Some(known) = known.get(blocks.len())
            && rest != &known[..rest.len()]
        {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            self.block(blocks.len() * BLOCK, &block, known)?;
        }
        Ok(())
    }

    /// Looks up the leaves in which the blocks that begin at this byte differ.
    #[inline]
    fn block(&mut self, at: usize, block: &[u8; BLOCK], known: &[u8; BLOCK]) -> Result<(), NoRoom> {
        let words = block.as_chunks::<8>().0.iter().zip(known.as_chunks::<8>().0);
        for (number, (word, known)) in words.enumerate() {
            let from = at + 8 * number;
            let mut differ = u64::from_le_bytes(*word) ^ u64::from_le_bytes(*known);
            if differ != 0 {
                differ = behind(differ, from, self.done);
            }
            while differ != 0 {
                self.leaf(from + differ.trailing_zeros() as usize / 8)?;
                differ = behind(differ, from, self.done);
            }
        }
        Ok(())
    }

    /// Looks up the leaf that has this byte.
    #[inline]
    fn leaf(&mut self, byte: usize) -> Result<(), NoRoom> {
        let number = self.leaf_of[byte];
        let leaf = self.leaves[number as usize];
        let value = leaf.value(self.state);
        let id = if leaf.small { value as u32 } else { self.nodes.number(value, self.room)? };
        self.changed.push((number, std::mem::replace(&mut self.ids[number as usize], id)));
        mark(self.dirty, leaf.parent);
        self.done = leaf.start as usize + usize::from(leaf.bytes);
        Ok(())
    }

    /// Looks up the inner nodes above the leaves that were changed.
    #[inline]
    fn inner(&mut self) -> Result<(), NoRoom> {
        for word in 0..self.dirty.len() {
            // A node is marked by a child, which stands before it: perhaps in the same word.
            while self.dirty[word] != 0 {
                let number = word << 6 | self.dirty[word].trailing_zeros() as usize;
                self.dirty[word] &= self.dirty[word] - 1;
                let Inner { children, parent } = self.inner[number];
                let group = group(children.map(|child| self.ids[child as usize]));
                let id = self.nodes.number(group, self.room)?;
                let place = self.leaves.len() + number;
                self.changed.push((place as u32, std::mem::replace(&mut self.ids[place], id)));
                mark(self.dirty, parent);
            }
        }
        Ok(())
    }
}

/// The bits of a word that begins at the byte `from`, without those of the bytes in front of `done`.
#[inline]
fn behind(word: u64, from: usize, done: usize) -> u64 {
    let bits = 8 * done.saturating_sub(from);
    if bits < 64 { word >> bits << bits } else { 0 }
}
