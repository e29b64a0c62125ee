//! The states that several workers have visited: every state whole, once, in one table for all.
//!
//! Idea: a [`SharedTable`] of words and a [`SharedArena`] of records. A worker writes the record of a state into its own part of the arena and
//! publishes the record's word by compare-and-swap. The workers search level by level, and the records that were written in a level are
//! the next level.
//!
//! A record is one word of *origin*, one with the length of the state and the upper half of its hash, the bytes of the state, and the hidden
//! variables. The origin says at which depth the
//! state was reached and from where: the upper half of the hash of the state before it. Of all ways by which a state is reached in
//! its level, the least origin is kept (depth first, then hash, then hidden variables), and that does not hang on who comes first. So depths
//! and paths are the same for any number of workers. Which record has that hash is looked up when a path is wanted.
//!
//! The states are kept as they are, or as trees whose nodes all states share ([`SharedStates::compressed`]): the bytes in a record are then the
//! root of the state's tree, and equal states have equal roots (see [`crate::store::parts::tree`]). The hash is that of the state itself in
//! both cases, since the numbers in a root hang on who came first.
//!
//! Or they are kept for two levels only, and of older ones a signature ([`SharedStates::of_signatures`], and
//! `forgetful`). A state is then looked up among the signatures of all levels up to the one that is being expanded, and among the
//! whole states of the next level. What is found does not hang on who came first, so counts are still the same for any number of workers.
//!
//! Sound always, but with signatures: a state counts as visited only if all its bytes are in the store, and no state is ever forgotten. With
//! signatures a state may be taken for another one of an earlier level; errors found are real.
//!
//! Cost per state: the state, 16 bytes of origin, length and hash, 3.5 of alignment, 11 to 21 of table. Compressed: 24 bytes of record, 11 to 21 of
//! table, and its share of the nodes. Signatures: the signature and 8 bytes.

use super::arena::{Marks, Pen, Piece, SharedArena};
use super::forgetful::Forgetful;
use super::nodes::{NodeSession, SharedNodes};
use super::signatures::{Opened, SharedSignatures};
use super::table::{Doubling, Glance, Looked, SharedTable};
use super::trace::Trace;
use super::{Apart, Budget};
use crate::checkpoint::{Reader, Writer};
use crate::limit::Limit;
use crate::mutants::{self, Mutant};
use crate::store::breadth::work_dir::WorkFile;
use crate::store::lossy::omission::Omission;
use crate::store::parts::hash::StateHash;
use crate::store::parts::tree::{Front, Layout, Outlines, Plan};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};

/// States of a block: what a worker takes of a level at once.
pub const BLOCK: u32 = 64;
/// Locks for hidden variables.
const LOCKS: usize = 64;
/// Words of a record before its state: origin, and the length with a part of the hash.
const HEAD: usize = 2;
/// So many entries of the trace are handed on at a time: 256 KiB.
const TRACED: usize = 1 << 15;

/// How a state was reached: at which depth, and the upper half of the hash of the state before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Origin {
    /// Steps from the initial state.
    pub depth: u32,
    /// See [`Origin`].
    pub link: u32,
}

impl Origin {
    /// The same in one word; the least word is the least origin.
    pub fn word(self) -> u64 {
        u64::from(self.depth) << 32 | u64::from(self.link)
    }

    /// The origin in a word.
    pub fn of(word: u64) -> Origin {
        Origin { depth: (word >> 32) as u32, link: word as u32 }
    }
}

/// Some states of a level, one behind the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Where the first of them is.
    pub position: u64,
    /// How many they are.
    pub count: u32,
}

/// What one worker has added in a level.
#[derive(Debug, Default)]
pub struct Share {
    /// The new states.
    pub blocks: Vec<Block>,
    marks: Marks,
    /// Where they are, if they are kept for this level only.
    pieces: Vec<Piece>,
}

/// The answer to "have we been here?".
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Insertion {
    /// No, and now we have.
    New,
    /// Yes.
    Seen {
        /// In this level: the state is one of the next level.
        is_next: bool,
    },
    /// It cannot be said before the table has grown: ask again.
    Crowded,
    /// No, and there is no room for the state.
    Full,
}

/// The states of all workers. See the head of this file.
#[derive(Debug)]
pub struct SharedStates {
    arena: SharedArena,
    table: RwLock<SharedTable>,
    doubling: Doubling,
    budget: Budget,
    stored: Apart<AtomicUsize>,
    hash: StateHash,
    threads: usize,
    /// Bytes of hidden variables in front of a state.
    hidden: usize,
    locks: Vec<Mutex<()>>,
    /// Somebody has found no empty slot.
    crowded: AtomicBool,
    trees: Option<Trees>,
    forgetful: Option<Forgetful>,
}

/// What the trees of compressed states are made of.
#[derive(Debug)]
struct Trees {
    plan: Plan,
    outlines: Outlines,
    nodes: SharedNodes,
}

impl SharedStates {
    /// An empty store for so many workers; `None` if not even that has room in so many bytes. `hidden`: bytes of hidden variables.
    pub fn new(seed: u64, threads: usize, hidden: usize, bytes: usize) -> Option<SharedStates> {
        let budget = Budget::of(bytes);
        Some(SharedStates {
            arena: SharedArena::new(&budget)?,
            table: RwLock::new(SharedTable::new(&budget)?),
            doubling: Doubling::default(),
            budget,
            stored: Apart::default(),
            hash: StateHash::new(seed),
            threads,
            hidden,
            locks: (0..if hidden > 0 { LOCKS } else { 0 }).map(|_| Mutex::new(())).collect(),
            crowded: AtomicBool::new(false),
            trees: None,
            forgetful: None,
        })
    }

    /// The same, but of states of earlier levels signatures are kept: of so many bits, in so many slots. What leads to the path of an error goes
    /// to this file, if there is one.
    pub fn of_signatures(
        (seed, threads, hidden): (u64, usize, usize),
        bytes: usize,
        table: (u8, u64),
        file: Option<WorkFile>,
    ) -> Option<SharedStates> {
        let mut whole = SharedStates::new(seed, threads, hidden, bytes)?;
        whole.forgetful = Some(Forgetful::new(SharedSignatures::new(table, seed, &whole.budget)?, Trace::new(file)));
        Some(whole)
    }

    /// The same, but states are kept as trees. `states`: some states of this layout to learn from.
    pub fn compressed<'l>(
        (seed, threads, hidden): (u64, usize, usize),
        bytes: usize,
        layout: Layout,
        states: impl Iterator<Item = &'l [u8]>,
    ) -> Option<SharedStates> {
        let mut whole = SharedStates::new(seed, threads, hidden, bytes)?;
        let (plan, outlines) = (Plan::new(layout, states), Outlines::default());
        whole.trees = Some(Trees { plan, outlines, nodes: SharedNodes::new(&whole.budget)? });
        Some(whole)
    }

    /// The hash of a state, without its hidden variables.
    #[inline]
    pub fn hash(&self, state: &[u8]) -> u64 {
        self.hash.hash(state)
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.budget.used()
    }

    /// Are signatures kept, which have to be [entered](Session::remember) at the beginning of each level?
    pub fn forgets(&self) -> bool {
        self.forgetful.is_some()
    }

    /// How likely it is that a state was omitted, if that can be.
    pub fn omission(&self) -> Option<Omission> {
        self.forgetful.as_ref().map(|forgetful| forgetful.seen.omission())
    }

    /// The shape of the table of signatures, if there is one: bits and slots.
    pub fn shape(&self) -> Option<(u8, u64)> {
        self.forgetful.as_ref().map(|forgetful| forgetful.seen.shape())
    }

    /// Writes what is kept of the first `levels` levels of a store of signatures.
    pub fn save_signatures(&self, levels: usize, writer: &mut Writer) -> Result<(), Limit> {
        self.forgetful.as_ref().map_or(Ok(()), |forgetful| forgetful.save(levels, writer))
    }

    /// Reads what a store of signatures of the same shape has written.
    pub fn load_signatures(&self, levels: usize, reader: &mut Reader) -> Result<(), Limit> {
        self.forgetful.as_ref().map_or(Ok(()), |forgetful| forgetful.load(levels, &self.budget, reader))
    }

    /// Levels that were traced. See [`Self::reached_from`].
    pub fn levels(&self) -> usize {
        self.forgetful.as_ref().map_or(0, Forgetful::levels)
    }

    /// From where the states of a traced level with one of these hashes were reached; hashes by their upper halves.
    pub fn reached_from(&self, level: usize, hashes: &BTreeSet<u32>) -> BTreeSet<u32> {
        self.forgetful.as_ref().map(|forgetful| forgetful.reached_from(level, hashes)).unwrap_or_default()
    }

    /// Why a signature had no room.
    fn table_full(&self) -> Limit {
        self.forgetful.as_ref().map_or(self.limit(), |forgetful| Limit::TableFull { slots: forgetful.seen.slots() })
    }

    /// Why a state had no room.
    pub fn limit(&self) -> Limit {
        Limit::Memory { used: self.budget.used() as u64, budget: self.budget.whole() as u64 }
    }

    /// Where one worker looks up and inserts states.
    pub fn session(&self) -> Session<'_> {
        Session {
            states: self,
            table: None,
            pen: Pen::default(),
            blocks: Vec::new(),
            uncounted: 0,
            seen: None,
            traced: Vec::new(),
            tree: self.trees.as_ref().map(|trees| OwnTree {
                front: Front::new(&trees.plan, &trees.outlines),
                nodes: trees.nodes.session(&self.budget),
                charged: 0,
                saved: Vec::new(),
            }),
        }
    }

    /// Reads what the record at this position keeps of its state, with the hidden variables in front; gives how the state was reached, and
    /// the upper half of its hash.
    fn read_record(&self, position: u64, saved: &mut Vec<u8>) -> (Origin, u32) {
        let record = self.arena.from(position);
        let second = record[1].load(Ordering::Relaxed);
        let length = second as u32 as usize;
        saved.clear();
        if self.hidden > 0 {
            let from = HEAD + length.div_ceil(8);
            read_words(&record[from..from + self.hidden.div_ceil(8)], self.hidden, saved);
        }
        read_words(&record[HEAD..HEAD + length.div_ceil(8)], length, saved);
        (Origin::of(record[0].load(Ordering::Relaxed)), (second >> 32) as u32)
    }

    /// Where the next record is, in the same block.
    #[inline]
    pub fn after(&self, position: u64) -> u64 {
        position + self.size(length_of(self.arena.from(position))) as u64
    }

    /// A level begins, and nobody writes: the states of these shares are no longer new.
    pub fn begin_level(&self, shares: impl IntoIterator<Item = Share>) {
        if let Some(forgetful) = &self.forgetful {
            let pieces = shares.into_iter().flat_map(|share| share.pieces).collect();
            self.arena.give_back(&forgetful.begin_level(pieces));
            let stored = self.stored.swap(0, Ordering::Relaxed);
            self.table.write().unwrap_or_else(PoisonError::into_inner).clear(stored, &self.budget);
            return;
        }
        self.arena.begin_level(shares.into_iter().map(|share| share.marks));
    }

    /// Nobody has the tables: makes those grow that have to. `Some(true)`: all workers have to [help](Self::help_doubling), and one of them to
    /// [end](Self::end_doubling) it. `Some(false)`: there is room without that. `None`: there is none.
    pub fn begin_doubling(&self) -> Option<bool> {
        let mut begun = false;
        let crowded = self.crowded.swap(false, Ordering::Relaxed);
        if crowded || self.stored.load(Ordering::Relaxed) >= self.table().limit() {
            let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
            begun = table.begin_doubling(&self.doubling, self.threads, &self.budget)?;
        }
        if let Some(trees) = self.trees.as_ref().filter(|trees| trees.nodes.is_crowded()) {
            begun |= trees.nodes.begin_doubling(self.threads, &self.budget)?;
        }
        Some(begun)
    }

    /// Does a part of the doubling.
    pub fn help_doubling(&self) {
        self.doubling.help();
        if let Some(trees) = &self.trees {
            trees.nodes.help_doubling();
        }
    }

    /// Ends the doubling, if one has begun, when nobody is helping any more.
    pub fn end_doubling(&self) {
        self.table.write().unwrap_or_else(PoisonError::into_inner).end_doubling(&self.doubling, &self.budget);
        if let Some(trees) = &self.trees {
            trees.nodes.end_doubling(&self.budget);
        }
    }

    fn table(&self) -> RwLockReadGuard<'_, SharedTable> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Words of a record with a state of so many bytes.
    #[inline]
    fn size(&self, length: usize) -> usize {
        HEAD + length.div_ceil(8) + self.hidden.div_ceil(8)
    }

    fn write(&self, pen: &mut Pen, saved: &[u8], hash: u64, origin: Origin) -> Option<u64> {
        let (hidden, state) = saved.split_at(self.hidden);
        u32::try_from(state.len()).ok()?;
        let position = self.arena.room(pen, self.size(state.len()), &self.budget).ok()?;
        let record = self.arena.from(position);
        record[0].store(origin.word(), Ordering::Relaxed);
        record[1].store(second_word(state, hash), Ordering::Relaxed);
        write_words(&record[HEAD..], state);
        if !hidden.is_empty() {
            write_words(&record[HEAD + state.len().div_ceil(8)..], hidden);
        }
        Some(position)
    }

    #[inline]
    fn equals(&self, position: u64, state: &[u8], hash: u64) -> bool {
        let Some((head, behind)) = self.arena.from(position).split_first_chunk::<HEAD>() else { return false };
        if head[1].load(Ordering::Relaxed) != second_word(state, hash) {
            return false;
        }
        let (full, tail) = state.as_chunks::<8>();
        let Some((words, others)) = behind.split_at_checked(full.len()) else { return false };
        // Whoever comes here has most often found the state: nothing is gained by looking at each word before the next one is read.
        let differ = |(word, bytes): (&AtomicU64, &[u8; 8])| word.load(Ordering::Relaxed) ^ u64::from_le_bytes(*bytes);
        words.iter().zip(full).fold(0, |differences, pair| differences | differ(pair)) == 0
            && (tail.is_empty() || others.first().is_some_and(|word| word.load(Ordering::Relaxed) == word_of(tail)))
    }

    /// A state was reached once more.
    #[inline]
    fn found(&self, position: u64, saved: &[u8], hash: u64, origin: Origin) -> Insertion {
        let is_next = self.arena.is_fresh(position);
        if is_next {
            self.reached_again(position, saved, hash, origin);
        }
        Insertion::Seen { is_next }
    }

    /// A state of this level was reached once more: the least way is kept.
    #[inline]
    fn reached_again(&self, position: u64, saved: &[u8], hash: u64, origin: Origin) {
        if self.hidden > 0 {
            return self.reached_with_hidden(position, saved, hash, origin);
        }
        let kept = &self.arena.from(position)[0];
        if origin.word() < kept.load(Ordering::Relaxed) {
            kept.fetch_min(origin.word(), Ordering::Relaxed);
        }
    }

    #[cold]
    fn reached_with_hidden(&self, position: u64, saved: &[u8], hash: u64, origin: Origin) {
        let _lock = self.locks[hash as usize % LOCKS].lock().unwrap_or_else(PoisonError::into_inner);
        let (hidden, state) = saved.split_at(self.hidden);
        let record = self.arena.from(position);
        let from = &record[HEAD + state.len().div_ceil(8)..];
        let mut kept = Vec::new();
        read_words(&from[..self.hidden.div_ceil(8)], self.hidden, &mut kept);
        let before = (record[0].load(Ordering::Relaxed), kept.as_slice());
        if (origin.word(), hidden) < before {
            record[0].store(origin.word(), Ordering::Relaxed);
            write_words(from, hidden);
        }
    }
}

/// One worker's access to the states.
#[derive(Debug)]
pub struct Session<'s> {
    states: &'s SharedStates,
    /// Held while the worker works; nobody can make the table grow then.
    table: Option<RwLockReadGuard<'s, SharedTable>>,
    pen: Pen,
    /// New states of this level.
    blocks: Vec<Block>,
    /// New states that the store does not know the number of yet.
    uncounted: usize,
    /// Signatures of earlier levels, held as the table is.
    seen: Option<Opened<'s>>,
    /// What is traced of the level that begins.
    traced: Vec<u64>,
    tree: Option<OwnTree<'s>>,
}

/// What a worker has to itself of the trees.
#[derive(Debug)]
struct OwnTree<'s> {
    front: Front<'s>,
    nodes: NodeSession<'s>,
    /// Bytes of the front that the budget knows of.
    charged: usize,
    /// What is kept of the state that is being inserted, with hidden variables in front.
    saved: Vec<u8>,
}

impl OwnTree<'_> {
    /// Makes the tree of a state, with its hidden variables in front: `saved` holds then what is kept of it.
    #[inline(never)]
    fn make(&mut self, saved: &[u8], hidden: usize, budget: &Budget) -> Result<(), Insertion> {
        let (hidden, state) = saved.split_at(hidden);
        let root = self.front.root(state, &mut self.nodes);
        let grown = self.front.memory() - self.charged;
        if grown > 0 && !budget.take(grown) {
            return Err(Insertion::Full);
        }
        self.charged += grown;
        let Ok(root) = root else {
            return Err(if self.nodes.must_grow() { Insertion::Crowded } else { Insertion::Full });
        };
        self.saved.clear();
        self.saved.extend_from_slice(hidden);
        self.saved.extend_from_slice(&root.to_le_bytes());
        Ok(())
    }
}

impl Session<'_> {
    /// Lets go of the tables, so that they can grow.
    pub fn let_go(&mut self) {
        self.table = None;
        self.seen = None;
        if let Some(tree) = &mut self.tree {
            tree.nodes.let_go();
        }
    }

    /// Reads the state at this position with its hidden variables in front; gives how it was reached, and the upper half of its hash.
    pub fn read(&mut self, position: u64, saved: &mut Vec<u8>) -> (Origin, u32) {
        let read = self.states.read_record(position, saved);
        if let Some(OwnTree { front, nodes, .. }) = &mut self.tree {
            let mut root = [0; 8];
            let kept = saved.len().min(self.states.hidden);
            root.iter_mut().zip(&saved[kept..]).for_each(|(to, &byte)| *to = byte);
            saved.truncate(kept);
            front.read(u64::from_le_bytes(root), nodes, saved);
        }
        read
    }

    /// The positions of all states whose hash has this upper half.
    pub fn with_link(&mut self, link: u32) -> Vec<u64> {
        let states = self.states;
        let mut positions = self.table().with_prefix(link);
        positions.retain(|&position| {
            let second = states.arena.from(position)[1].load(Ordering::Relaxed);
            (second >> 32) as u32 == link
        });
        positions
    }

    #[inline]
    fn table(&mut self) -> &SharedTable {
        let states = self.states;
        self.table.get_or_insert_with(|| states.table())
    }

    /// A state with this hash will be looked up: asks for the memory of its slot.
    #[inline]
    pub fn prefetch(&mut self, hash: u64) {
        self.table().prefetch(hash);
        if let Some(forgetful) = &self.states.forgetful {
            self.seen.get_or_insert_with(|| forgetful.seen.open()).prefetch(hash);
        }
    }

    /// The same for its record, when the slot has come. Gives what was seen there.
    #[inline]
    pub fn glance(&mut self, hash: u64) -> Glance {
        let glance = self.table().glance(hash);
        if glance.position != 0 {
            self.states.arena.prefetch(glance.position);
        }
        glance
    }

    /// Inserts a state, with its hidden variables in front, that was reached so. `glance`: what was seen of it before, if anything.
    #[inline]
    pub fn insert(&mut self, saved: &[u8], hash: u64, origin: Origin, glance: Glance) -> Insertion {
        let states = self.states;
        if let Some(forgetful) = &states.forgetful {
            let seen = self.seen.get_or_insert_with(|| forgetful.seen.open());
            if seen.holds(hash, &saved[states.hidden..]) {
                return Insertion::Seen { is_next: false };
            }
        }
        self.add(saved, hash, origin, glance)
    }

    /// The same, without a look at signatures: of a state that is known to be none of an earlier level.
    #[inline]
    pub fn add(&mut self, saved: &[u8], hash: u64, origin: Origin, glance: Glance) -> Insertion {
        let states = self.states;
        if mutants::is(Mutant::StoreMixesUp) && hash % 1000 == 7 {
            return Insertion::Seen { is_next: false };
        }
        let saved = match &mut self.tree {
            None => saved,
            Some(tree) => match tree.make(saved, states.hidden, &states.budget) {
                Ok(()) => tree.saved.as_slice(),
                Err(answer) => return answer,
            },
        };
        let state = &saved[states.hidden..];
        // What was found a moment ago is not looked for again: no record ever goes away while states are inserted.
        if glance.position != 0 && states.equals(glance.position, state, hash) {
            return states.found(glance.position, saved, hash, origin);
        }
        let table = self.table.get_or_insert_with(|| states.table());
        let pen = &mut self.pen;
        let is_it = |position| states.equals(position, state, hash);
        let looked = table.find_or_add(hash, glance, is_it, || states.write(pen, saved, hash, origin));
        match looked {
            Looked::Found(position) => states.found(position, saved, hash, origin),
            Looked::Added(position) => {
                let size = states.size(state.len());
                self.pen.keep(size);
                self.uncounted += 1;
                self.note(position);
                Insertion::New
            }
            Looked::Crowded => {
                states.crowded.store(true, Ordering::Relaxed);
                Insertion::Crowded
            }
            Looked::NoRoom => Insertion::Full,
        }
    }

    /// Adds the record to the last block, if it follows it.
    #[inline]
    fn note(&mut self, position: u64) {
        match self.blocks.last_mut() {
            Some(block) if block.count < BLOCK && !self.pen.begins_with(position) => block.count += 1,
            _ => self.blocks.push(Block { position, count: 1 }),
        }
    }

    /// Tells the store how many states were added. Is it time for the table to grow?
    #[inline]
    pub fn is_crowded(&mut self) -> bool {
        let added = std::mem::take(&mut self.uncounted);
        // Where nothing was added, the number that all share is read only.
        let stored = &self.states.stored;
        let before =
            if added == 0 { stored.load(Ordering::Relaxed) } else { stored.fetch_add(added, Ordering::Relaxed) };
        let stored = before + added;
        let nodes = self.tree.as_mut().is_some_and(|tree| tree.nodes.is_crowded());
        nodes || stored >= self.table().limit()
    }

    /// The end of a level: what this worker has added in it.
    pub fn share(&mut self) -> Share {
        let blocks = std::mem::take(&mut self.blocks);
        if self.states.forgets() {
            return Share { blocks, marks: Marks::default(), pieces: self.pen.close() };
        }
        Share { blocks, marks: self.pen.marks(), pieces: Vec::new() }
    }

    /// Enters the signatures of these states of the level that begins. Nobody looks anything up meanwhile. `saved` is for use.
    pub fn remember(&mut self, block: Block, saved: &mut Vec<u8>) -> Result<(), Limit> {
        let states = self.states;
        let Some(forgetful) = &states.forgetful else { return Ok(()) };
        let mut position = block.position;
        self.traced.try_reserve(block.count as usize).map_err(|_| states.limit())?;
        let mut entry = forgetful.seen.entry(u64::from(block.count));
        for _ in 0..block.count {
            let (Origin { link, .. }, _) = self.read(position, saved);
            let state = &saved[states.hidden..];
            let hash = states.hash(state);
            entry.put(hash, state).map_err(|_| states.table_full())?;
            self.traced.push(hash >> 32 << 32 | u64::from(link));
            position = states.after(position);
        }
        if self.traced.len() >= TRACED { self.remembered() } else { Ok(()) }
    }

    /// All states that this worker had to remember are entered.
    pub fn remembered(&mut self) -> Result<(), Limit> {
        let Some(forgetful) = &self.states.forgetful else { return Ok(()) };
        let traced = std::mem::take(&mut self.traced);
        if traced.is_empty() {
            return Ok(());
        }
        forgetful.enter(traced, &self.states.budget)
    }

    /// Bytes beside the store's.
    pub fn memory(&self) -> usize {
        let tree = self.tree.as_ref().map_or(0, |tree| tree.nodes.memory());
        self.blocks.capacity() * size_of::<Block>() + self.traced.capacity() * size_of::<u64>() + tree
    }
}

#[inline]
fn length_of(record: &[AtomicU64]) -> usize {
    record.get(1).map_or(0, |word| word.load(Ordering::Relaxed) as u32 as usize)
}

/// The second word of a record: the length of the state, and the upper half of its hash.
#[inline]
fn second_word(state: &[u8], hash: u64) -> u64 {
    state.len() as u64 | hash >> 32 << 32
}

/// Fewer than eight bytes as a word. What is read twice is the same twice; a copy of so few bytes would wait for itself.
#[inline]
fn word_of(bytes: &[u8]) -> u64 {
    let count = bytes.len();
    let at = |index: usize| u64::from(bytes[index]) << (8 * index);
    match (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        (Some(low), Some(high)) => {
            u64::from(u32::from_le_bytes(*low)) | u64::from(u32::from_le_bytes(*high)) << (8 * (count - 4))
        }
        _ if count > 0 => at(0) | at(count / 2) | at(count - 1),
        _ => 0,
    }
}

#[inline]
fn write_words(words: &[AtomicU64], bytes: &[u8]) {
    let (full, tail) = bytes.as_chunks::<8>();
    for (word, bytes) in words.iter().zip(full) {
        word.store(u64::from_le_bytes(*bytes), Ordering::Relaxed);
    }
    if !tail.is_empty() {
        words[full.len()].store(word_of(tail), Ordering::Relaxed);
    }
}

/// Adds so many bytes from these words.
#[inline]
fn read_words(words: &[AtomicU64], bytes: usize, to: &mut Vec<u8>) {
    let start = to.len();
    to.resize(start + words.len() * 8, 0);
    let (chunks, _) = to[start..].as_chunks_mut::<8>();
    for (word, chunk) in words.iter().zip(chunks) {
        *chunk = word.load(Ordering::Relaxed).to_le_bytes();
    }
    to.truncate(start + bytes);
}

#[cfg(test)]
mod tests;
