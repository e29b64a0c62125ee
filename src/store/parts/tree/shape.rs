//! One shape of states: all states of the same length with the same records at the same places. For each shape there is one tree,
//! and the numbers of its nodes in the state that was looked at last. A state of the same shape differs from that one in few leaves:
//! only these, and the nodes above them, are looked up again.
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
/// Leaves of up to this many bits are their own numbers.
const SMALL: u32 = 24;
/// States are compared in blocks of this many bytes.
const BLOCK: usize = 32;
/// A node that has no node above it but the root.
const NONE: u32 = u32::MAX;

/// A leaf: up to sixteen bytes of a state.
#[derive(Clone, Copy, Debug)]
struct Leaf {
    start: u32,
    bytes: u8,
    mask: u128,
    parent: u32,
}

/// An inner node: the places of its children, leaves first, and the number of the inner node above.
#[derive(Clone, Copy, Debug)]
struct Inner {
    children: [u32; CHILDREN],
    parent: u32,
}

/// A node in the state that was looked at last: its word, and the word and the number that it had before. A search takes a step, takes it
/// back and takes another one, so that the word before the last one comes back more often than any other.
#[derive(Clone, Copy, Default, Debug)]
struct Node {
    word: u128,
    old_word: u128,
    old_id: u32,
}

impl Node {
    /// The node has another word now: gives it the number of that word.
    #[inline]
    fn renew(&mut self, id: &mut u32, word: u128, nodes: &mut impl Interner, room: usize) -> Result<(), NoRoom> {
        let new = match word == self.old_word {
            true => self.old_id,
            false => nodes.number(word, room)?,
        };
        *self = Node { word, old_word: self.word, old_id: *id };
        *id = new;
        Ok(())
    }
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
    /// For each block the first leaf that has bytes of it, and the one behind the last.
    blocks: Vec<(u32, u32)>,
    /// Children stand before their parents.
    inner: Vec<Inner>,
    /// The places of the two halves; a tree of one leaf has no second half.
    halves: [u32; 2],
    /// The state that was looked at last, with zeros behind it; its nodes, leaves first; the numbers of these. The last number is always
    /// 0: it stands for children that are not there.
    state: Vec<u8>,
    nodes: Vec<Node>,
    ids: Vec<u32>,
    /// They are those of one state.
    valid: bool,
    /// Inner nodes that have to be looked up again, one bit each.
    dirty: Vec<u64>,
    /// Leaves that may have changed.
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
            blocks: Vec::new(),
            inner: inner.iter().map(|children| Inner { children: children.map(place), parent: NONE }).collect(),
            halves: halves.map(place),
            state: vec![0; length.next_multiple_of(BLOCK) + LEAF],
            nodes: vec![Node::default(); nothing as usize],
            ids: vec![0; nothing as usize + 1],
            valid: false,
            dirty: vec![0; inner.len().div_ceil(64)],
            changed: Vec::with_capacity(length.div_ceil(BLOCK)),
        };
        shape.blocks = (0..length.div_ceil(BLOCK)).map(|block| shape.leaves_of(block)).collect();
        shape.tell_parents();
        shape
    }

    /// The leaves that have bytes of a block.
    fn leaves_of(&self, block: usize) -> (u32, u32) {
        let (start, end) = (block * BLOCK, (block + 1) * BLOCK);
        let first = self.leaves.partition_point(|leaf| leaf.start as usize + usize::from(leaf.bytes) <= start);
        let last = self.leaves.partition_point(|leaf| (leaf.start as usize) < end);
        (first as u32, last as u32)
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
            + (self.blocks.capacity() + self.changed.capacity() + self.dirty.capacity()) * 8
            + self.nodes.capacity() * size_of::<Node>()
            + self.ids.capacity() * 4
            + self.state.capacity()
    }

    /// Is this the shape of the state? Certainly, if the answer is `true`.
    #[inline]
    pub(super) fn fits(&self, state: &[u8]) -> bool {
        self.complete
            && state.len() == self.length
            && self.records.iter().all(|&(at, kind)| state.get(at as usize) == Some(&kind))
    }

    /// Is the state the one that was looked at last?
    fn is_last(&self, state: &[u8]) -> bool {
        self.valid && self.state.get(..self.length) == Some(state)
    }

    /// The numbers of the two halves of the state that was looked at last.
    #[inline]
    pub(super) fn halves(&self) -> (u32, u32) {
        let [left, right] = self.halves;
        (self.ids[left as usize], self.ids[right as usize])
    }

    /// Looks a state of this shape up: every node that was not there gets a number. `room`: how many bytes the nodes may take in all.
    #[inline]
    pub(super) fn look_up(&mut self, state: &[u8], nodes: &mut impl Interner, room: usize) -> Result<(), NoRoom> {
        if !std::mem::replace(&mut self.valid, false) {
            return self.begin(state, nodes, room);
        }
        self.compare(state);
        for range in 0..self.changed.len() {
            let (first, last) = self.changed[range];
            for number in first as usize..last as usize {
                let leaf = self.leaves[number];
                let value = leaf.value(&self.state);
                if value == self.nodes[number].word {
                    continue;
                }
                if leaf.is_small() {
                    self.nodes[number].word = value;
                    self.ids[number] = value as u32;
                } else {
                    self.nodes[number].renew(&mut self.ids[number], value, nodes, room)?;
                }
                mark(&mut self.dirty, leaf.parent);
            }
        }
        let leaves = self.leaves.len();
        for word in 0..self.dirty.len() {
            // A node is marked by a child, which stands before it: perhaps in the same word.
            while self.dirty[word] != 0 {
                let number = word << 6 | self.dirty[word].trailing_zeros() as usize;
                self.dirty[word] &= self.dirty[word] - 1;
                let Inner { children, parent } = self.inner[number];
                let group = group(children.map(|child| self.ids[child as usize]));
                self.nodes[leaves + number].renew(&mut self.ids[leaves + number], group, nodes, room)?;
                mark(&mut self.dirty, parent);
            }
        }
        self.valid = true;
        Ok(())
    }

    /// Notes which leaves may differ from the state before, and copies the state.
    #[inline]
    fn compare(&mut self, state: &[u8]) {
        self.changed.clear();
        let (blocks, rest) = state.as_chunks::<BLOCK>();
        let (known, _) = self.state.as_chunks_mut::<BLOCK>();
        for ((block, known), &leaves) in blocks.iter().zip(known).zip(&self.blocks) {
            if block != known {
                *known = *block;
                self.changed.push(leaves);
            }
        }
        let start = blocks.len() * BLOCK;
        if let Some(known) = self.state.get_mut(start..start + rest.len())
            && rest != known
        {
            known.copy_from_slice(rest);
            self.changed.extend(self.blocks.last());
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
            self.ids[number] = match leaf.is_small() {
                true => value as u32,
                false => nodes.number(value, room)?,
            };
            self.nodes[number] = Node { word: value, old_word: value, old_id: self.ids[number] };
        }
        for (number, inner) in self.inner.iter().enumerate() {
            let word = group(inner.children.map(|child| self.ids[child as usize]));
            let id = nodes.number(word, room)?;
            self.ids[self.leaves.len() + number] = id;
            self.nodes[self.leaves.len() + number] = Node { word, old_word: word, old_id: id };
        }
        self.valid = true;
        Ok(())
    }

    /// The numbers of the two halves of a state of this shape; `None` if some node of it is not there.
    pub(super) fn find(&self, state: &[u8], nodes: &Nodes) -> Option<(u32, u32)> {
        if self.is_last(state) {
            return Some(self.halves());
        }
        let mut padded = vec![0; self.state.len()];
        padded.get_mut(..state.len())?.copy_from_slice(state);
        let mut ids = vec![0; self.ids.len()];
        for (number, leaf) in self.leaves.iter().enumerate() {
            let value = leaf.value(&padded);
            ids[number] = match leaf.is_small() {
                true => value as u32,
                false if self.valid && self.nodes[number].word == value => self.ids[number],
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
            let value = if leaf.is_small() { u128::from(id) } else { nodes.word(id) };
            let (start, bytes) = (leaf.start as usize, usize::from(leaf.bytes));
            state[start..start + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
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
        Leaf { start: start as u32, bytes: bytes as u8, mask: u128::MAX >> (128 - 8 * bytes), parent: NONE }
    }

    #[inline]
    fn is_small(self) -> bool {
        self.mask >> SMALL == 0
    }

    /// The bytes of this leaf in a state with zeros behind it.
    #[inline]
    fn value(self, state: &[u8]) -> u128 {
        let start = self.start as usize;
        match state.get(start..start + LEAF).and_then(|bytes| bytes.first_chunk()) {
            Some(bytes) => u128::from_le_bytes(*bytes) & self.mask,
            None => 0,
        }
    }
}
