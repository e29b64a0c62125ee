//! A set of states in a few bytes each, and yet exact: tree compression.
//!
//! Idea (Laarman, van de Pol and Weber, "Parallel recursive state compression for free", 2011): a state is cut into leaves, each
//! different leaf gets a number, each different group of numbers gets a number, and so on up a tree. States share
//! nearly all of these nodes. What a state has for itself is its root: one pair of numbers. The roots lie in a compact table
//! (Laarman, "Optimal compression of combinatorial state spaces", 2019; see `roots`), so that they take four to six bytes.
//!
//! Exact: equal words have equal numbers and different words have different ones. So by induction over the tree two states of
//! the same shape have the same root exactly if they have the same bytes, and a root gives its state back. States of another
//! length, or with processes of other types at other places, have another shape, and a root names its shape.
//!
//! What is our own: a state is cut at the borders of processes, channels and variables (`layout`), and which parts are
//! neighbours in the tree is learned from some states (`pairing`), since that decides how many nodes there are.
//!
//! Cost: see `roots` and `nodes`. A look-up compares the state with the one that is being expanded, and looks up the leaves that differ
//! and the nodes above them.

mod front;
mod layout;
mod nodes;
mod packed;
mod pairing;
mod roots;
mod shape;

pub(in crate::store) use front::{Front, Outlines, Plan};
pub use layout::{Layout, Record};
pub(in crate::store) use nodes::{Interner, hash};
pub(in crate::store) use roots::{ID_BITS, Known, Root};

use crate::store::parts::arena::NoRoom;
use layout::Unit;
use nodes::Nodes;
use pairing::Pairing;
use rapidhash::RapidHashMap;
use roots::{LAST_SHAPE, Roots};
use shape::{Shape, both};

/// From so many states on a shape is given a tree of its own.
const ENOUGH: usize = 256;

/// Bytes that the allocator adds to the tables, at most: they have some hundred blocks.
const MOST_ADDED: usize = 2 << 20;

/// Bytes that the making of a shape takes for each byte of a state, at most.
pub(in crate::store) const SHAPE_PER_BYTE: usize = 32;

/// What was learned: for some shapes a pairing of their units. Of the first one the other shapes make theirs.
type Learned = Vec<(Vec<Unit>, Pairing)>;

/// What makes up a shape: the length of a state, and where records of which type start.
type Outline = (usize, Vec<(u32, u8)>);

/// A set of states. See the head of this file.
#[derive(Debug)]
pub(in crate::store) struct Tree {
    layout: Layout,
    learned: Learned,
    shapes: Vec<Shape>,
    /// The shapes by what makes them up.
    numbers: RapidHashMap<Outline, u32>,
    /// The shape of the state that was looked at last.
    last: usize,
    records: Vec<(u32, u8)>,
    of_shapes: usize,
    nodes: Nodes,
    roots: Roots,
    len: u64,
    ahead: Ahead,
}

/// States that were looked up from where their shapes stand: the root of each, the number of its shape, and the end of its changes in the
/// list of all.
#[derive(Debug, Default)]
struct Ahead {
    /// The search went to its state by the state's root ([`Tree::go_to`]). Such a search comes to every state in that
    /// way and never asks for what was looked up ahead, so nothing is kept.
    idle: bool,
    states: Vec<(Root, u32, u32)>,
    changes: Vec<(u32, u32)>,
}

impl Ahead {
    /// More states than this are not remembered: the one that is followed is mostly among the first.
    const MOST: usize = 16;

    fn clear(&mut self) {
        self.states.clear();
        self.changes.clear();
    }

    /// The changes that lead to a root, and the number of its shape.
    #[inline]
    fn find(&self, root: Root) -> Option<(&[(u32, u32)], usize)> {
        let at = self.states.iter().position(|&(other, _, _)| other == root)?;
        let (_, shape, end) = self.states[at];
        let start = at.checked_sub(1).map_or(0, |before| self.states[before].2 as usize);
        Some((&self.changes[start..end as usize], shape as usize))
    }
}

impl Tree {
    /// An empty set of states of this layout.
    pub(in crate::store) fn new(layout: Layout) -> Tree {
        Tree {
            layout,
            learned: Vec::new(),
            shapes: Vec::new(),
            numbers: RapidHashMap::default(),
            last: 0,
            records: Vec::new(),
            of_shapes: 0,
            nodes: Nodes::default(),
            roots: Roots::default(),
            len: 0,
            ahead: Ahead::default(),
        }
    }

    /// Learns from some states which parts of a state belong together. For a set that is still empty.
    pub(in crate::store) fn learn<'s>(&mut self, states: impl Iterator<Item = &'s [u8]>) {
        if self.len > 0 || !self.shapes.is_empty() {
            return;
        }
        self.learned = learn(&self.layout, states);
    }

    /// How many states are worth learning from.
    pub(in crate::store) const SAMPLE: usize = 1 << 14;

    /// Number of states.
    pub(in crate::store) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes in use, with what the allocator adds to the many blocks of the tables: the rest of a page for each.
    pub(in crate::store) fn memory(&self) -> usize {
        let tables = self.nodes.memory() + self.roots.memory();
        tables + (tables / 8).min(MOST_ADDED) + self.of_shapes
    }

    /// A root as it lies in the table.
    fn root(&self, shape: usize, (left, right): (u32, u32)) -> Option<Root> {
        if shape < LAST_SHAPE as usize {
            return Some(Root { shape: shape as u32, left, right });
        }
        let top = self.nodes.find(both(left, right))?;
        Some(Root { shape: LAST_SHAPE, left: shape as u32, right: top })
    }

    /// Looks a state up and inserts it with the mark if it is not there. `budget`: how many bytes the set may take. If it was not
    /// there, look-ups of its successors come next.
    #[inline]
    pub(in crate::store) fn insert(
        &mut self,
        state: &[u8],
        marked: bool,
        budget: usize,
    ) -> Result<(Root, Known), NoRoom> {
        let (number, root) = self.look_up(state, budget)?;
        let known = self.insert_root(root, marked, budget);
        match known {
            Ok(Known::New) => {
                self.ahead.clear();
                self.shapes[number].stay(state);
            }
            _ => self.shapes[number].go_back(),
        }
        known.map(|known| (root, known))
    }

    /// The root of a state that will be looked up soon. Every node of it gets a number; the root itself is not inserted.
    #[inline]
    pub(in crate::store) fn foresee(&mut self, state: &[u8], budget: usize) -> Result<Root, NoRoom> {
        let (number, root) = self.look_up(state, budget)?;
        let shape = &mut self.shapes[number];
        if !self.ahead.idle && self.ahead.states.len() < Ahead::MOST {
            shape.remember(&mut self.ahead.changes);
            self.ahead.states.push((root, number as u32, self.ahead.changes.len() as u32));
        }
        shape.go_back();
        self.roots.prefetch(root);
        Ok(root)
    }

    /// Look-ups of successors of this state, which has this root, come next.
    #[inline]
    pub(in crate::store) fn stand_at(&mut self, state: &[u8], root: Root, budget: usize) {
        self.ahead.idle = false;
        if let Some((changes, number)) = self.ahead.find(root) {
            self.shapes[number].follow(changes, state);
            self.last = number;
        } else if let Ok((number, _)) = self.look_up(state, budget) {
            self.shapes[number].stay(state);
        }
        self.ahead.clear();
    }

    /// Looks a root up and inserts it with the mark if it is not there.
    #[inline]
    pub(in crate::store) fn insert_root(&mut self, root: Root, marked: bool, budget: usize) -> Result<Known, NoRoom> {
        let known = match self.roots.insert_in_place(root, marked) {
            Some(known) => known,
            None => self.roots.insert_growing(root, marked, budget.saturating_sub(self.memory()))?,
        };
        self.len += u64::from(known == Known::New);
        Ok(known)
    }

    /// Is this root there?
    #[inline]
    pub(in crate::store) fn has_root(&self, root: Root) -> bool {
        self.roots.find(root).is_some()
    }

    /// The shape and the root of a state, of which every node gets a number. Then the shape has to stay or to go back.
    #[inline]
    fn look_up(&mut self, state: &[u8], budget: usize) -> Result<(usize, Root), NoRoom> {
        let number = self.shape_of(state, budget)?;
        let room = budget.saturating_sub(self.memory() - self.nodes.memory());
        let shape = &mut self.shapes[number];
        let (left, right) = shape.look_up(state, &mut self.nodes, room)?;
        if number < LAST_SHAPE as usize {
            return Ok((number, Root { shape: number as u32, left, right }));
        }
        // Few models have so many shapes. One more node stands for both halves, and the root names the shape.
        let top = self.nodes.intern(both(left, right), room.saturating_sub(self.nodes.memory()));
        if top.is_err() {
            shape.go_back();
        }
        Ok((number, Root { shape: LAST_SHAPE, left: number as u32, right: top? }))
    }

    /// The number of the state's shape, which is made if there is none.
    #[inline]
    fn shape_of(&mut self, state: &[u8], budget: usize) -> Result<usize, NoRoom> {
        if let Some(shape) = self.shapes.get(self.last)
            && shape.fits(state)
        {
            return Ok(self.last);
        }
        self.other_shape(state, budget)
    }

    #[cold]
    fn other_shape(&mut self, state: &[u8], budget: usize) -> Result<usize, NoRoom> {
        self.layout.records_of(state, &mut self.records);
        let key = (state.len(), std::mem::take(&mut self.records));
        if let Some(&number) = self.numbers.get(&key) {
            self.records = key.1;
            self.last = number as usize;
            return Ok(self.last);
        }
        if state.len() * SHAPE_PER_BYTE > budget.saturating_sub(self.memory()) {
            self.records = key.1;
            return Err(NoRoom);
        }
        let units = self.layout.units(state.len(), &key.1);
        let pairing = pairing_of(&self.learned, &units);
        let shape = Shape::new(state.len(), key.1.clone(), &units, pairing.as_ref());
        // The tables of shapes are small: twice their entries is more than they take.
        let size = shape.memory() * 2 + (key.1.len() * size_of::<(u32, u8)>() + 64) * 2;
        if self.memory() + size > budget || self.shapes.len() + 1 >= 1 << roots::ID_BITS {
            return Err(NoRoom);
        }
        self.of_shapes += size;
        self.last = self.shapes.len();
        self.numbers.insert(key, self.last as u32);
        self.shapes.push(shape);
        Ok(self.last)
    }

    /// The root of a state that is there, and whether it has the mark.
    pub(in crate::store) fn find(&self, state: &[u8]) -> Option<(Root, bool)> {
        let mut records = Vec::new();
        self.layout.records_of(state, &mut records);
        let &number = self.numbers.get(&(state.len(), records))?;
        let halves = self.shapes[number as usize].find(state, &self.nodes)?;
        let root = self.root(number as usize, halves)?;
        self.roots.find(root).map(|marked| (root, marked))
    }

    /// Takes the mark from a state.
    #[inline]
    pub(in crate::store) fn unmark(&mut self, root: Root) {
        self.roots.unmark(root);
    }

    /// Writes the state of a root.
    pub(in crate::store) fn read(&self, root: Root, state: &mut Vec<u8>) {
        let (number, halves) = self.halves(root);
        match self.shapes.get(number) {
            Some(shape) => shape.read(halves.0, halves.1, &self.nodes, state),
            None => state.clear(),
        }
    }

    /// Adds the state of a root to what is in a buffer. Look-ups of its successors come next.
    pub(in crate::store) fn go_to(&mut self, root: Root, to: &mut Vec<u8>) {
        let (number, (left, right)) = self.halves(root);
        self.ahead.clear();
        self.ahead.idle = true;
        if let Some(shape) = self.shapes.get_mut(number) {
            to.extend_from_slice(shape.go_to(left, right, &self.nodes));
            self.last = number;
        }
    }

    /// The shape of a root and the numbers of its halves.
    fn halves(&self, root: Root) -> (usize, (u32, u32)) {
        if root.shape != LAST_SHAPE {
            return (root.shape as usize, (root.left, root.right));
        }
        let top = self.nodes.word(root.right);
        (root.left as usize, (top as u32, (top >> 32) as u32))
    }

    /// Calls `each` with every root, until it answers `false`.
    pub(in crate::store) fn each(&self, each: impl FnMut(Root) -> bool) {
        self.roots.each(each);
    }
}

/// Learns from some states which parts of a state belong together.
fn learn<'s>(layout: &Layout, states: impl Iterator<Item = &'s [u8]>) -> Learned {
    let mut learned = Learned::new();
    let mut samples: RapidHashMap<Outline, Vec<Vec<u32>>> = RapidHashMap::default();
    let mut records = Vec::new();
    for state in states {
        layout.records_of(state, &mut records);
        let units = layout.units(state.len(), &records);
        let columns = samples.entry((state.len(), records.clone())).or_insert_with(|| vec![Vec::new(); units.len()]);
        for (column, unit) in columns.iter_mut().zip(&units) {
            column.push(rapidhash::v3::rapidhash_v3(&state[unit.start..unit.end]) as u32);
        }
    }
    let mut shapes: Vec<_> = samples.into_iter().collect();
    let seen = |columns: &[Vec<u32>]| columns.first().map_or(0, Vec::len);
    // The most frequent shapes first; the order must not depend on that of a hash table.
    shapes.sort_by(|(a, one), (b, other)| seen(other).cmp(&seen(one)).then_with(|| a.cmp(b)));
    for ((length, records), columns) in shapes {
        if seen(&columns) < ENOUGH && !learned.is_empty() {
            break;
        }
        let units = layout.units(length, &records);
        let most = pairing::worth(units.len());
        if let Some(pairing) = pairing::learn(columns.into_iter().map(|column| spread(column, most)).collect()) {
            learned.push((units, pairing));
        }
    }
    learned
}

/// The pairing of these units: the one that was learned, or one that is as similar as can be.
fn pairing_of(learned: &Learned, units: &[Unit]) -> Option<Pairing> {
    let same = learned.iter().find(|(known, _)| known == units);
    if let Some((_, pairing)) = same {
        return Some(pairing.clone());
    }
    let mut left: Vec<bool> = vec![true; units.len()];
    let taken = learned.first().and_then(|(known, pairing)| {
        let place = |unit: &Unit| units.iter().position(|other| (other.record, other.part) == (unit.record, unit.part));
        let places: Vec<Option<usize>> = known.iter().map(place).collect();
        places.iter().flatten().for_each(|&place| left[place] = false);
        pairing.renamed(&|number| places.get(number).copied().flatten())
    });
    let others = (0..units.len()).filter(|&number| left[number]).map(Pairing::Unit).collect();
    match taken {
        Some(taken) => Some(taken.beside(others)),
        None => Pairing::balanced(others),
    }
}

/// At most so many of the values, evenly from first to last.
fn spread(values: Vec<u32>, most: usize) -> Vec<u32> {
    let step = values.len().div_ceil(most.max(1)).max(1);
    values.into_iter().step_by(step).collect()
}
