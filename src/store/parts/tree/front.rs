//! The part of a tree that one thread has for itself where several threads share the nodes: the shapes, with the state that each has looked
//! at last.
//!
//! All threads number the shapes alike ([`Outlines`]) and make the same tree of each shape, since they have learned the same
//! ([`Plan`]). So the root of a state is the same word, whichever thread has made it.

use super::nodes::Interner;
use super::roots::{ID_BITS, LAST_SHAPE, Root};
use super::shape::{Shape, both};
use super::{Layout, Learned, Outline, learn, pairing_of};
use crate::store::parts::arena::NoRoom;
use rapidhash::RapidHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How the trees of a search are made: the layout of its states, and what was learned from some of them.
#[derive(Debug)]
pub(in crate::store) struct Plan {
    layout: Layout,
    learned: Learned,
}

impl Plan {
    /// Learns from these states.
    pub(in crate::store) fn new<'s>(layout: Layout, states: impl Iterator<Item = &'s [u8]>) -> Plan {
        let learned = learn(&layout, states);
        Plan { layout, learned }
    }
}

/// The shapes that all threads have met, and their numbers. Asked when a thread meets a shape for the first time.
#[derive(Debug, Default)]
pub(in crate::store) struct Outlines(Mutex<Met>);

/// Shapes and their numbers.
#[derive(Debug, Default)]
struct Met {
    numbers: RapidHashMap<Outline, u32>,
    outlines: Vec<Arc<Outline>>,
}

impl Outlines {
    fn number(&self, outline: &Outline) -> Result<u32, NoRoom> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = known.numbers.get(outline) {
            return Ok(number);
        }
        let number =
            u32::try_from(known.outlines.len()).ok().filter(|&number| number + 1 < 1 << ID_BITS).ok_or(NoRoom)?;
        known.numbers.insert(outline.clone(), number);
        known.outlines.push(Arc::new(outline.clone()));
        Ok(number)
    }

    fn outline(&self, number: u32) -> Option<Arc<Outline>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).outlines.get(number as usize).cloned()
    }
}

/// One thread's shapes. See the head of this file.
#[derive(Debug)]
pub(in crate::store) struct Front<'p> {
    plan: &'p Plan,
    outlines: &'p Outlines,
    /// With the numbers that all threads know them by.
    shapes: Vec<(u32, Shape)>,
    own: RapidHashMap<u32, usize>,
    by_outline: RapidHashMap<Outline, usize>,
    last: usize,
    memory: usize,
}

impl<'p> Front<'p> {
    /// No shape is known yet.
    pub(in crate::store) fn new(plan: &'p Plan, outlines: &'p Outlines) -> Front<'p> {
        let (own, by_outline) = (RapidHashMap::default(), RapidHashMap::default());
        Front { plan, outlines, shapes: Vec::new(), own, by_outline, last: 0, memory: 0 }
    }

    /// Bytes in use.
    pub(in crate::store) fn memory(&self) -> usize {
        self.memory
    }

    /// The root of a state, in one word. Every node that was not there gets a number.
    #[inline]
    pub(in crate::store) fn root(&mut self, state: &[u8], nodes: &mut impl Interner) -> Result<u64, NoRoom> {
        if !self.shapes.get(self.last).is_some_and(|(_, shape)| shape.fits(state)) {
            self.last = self.shape_of(state)?;
        }
        let (number, shape) = &mut self.shapes[self.last];
        let (left, right) = shape.look_up(state, nodes, usize::MAX)?;
        // The shape stands at the state that was read last: its successors are looked up next.
        shape.go_back();
        if *number < LAST_SHAPE {
            return Ok(Root { shape: *number, left, right }.pack());
        }
        // Few models have so many shapes. One more node stands for both halves, and the root names the shape.
        let top = nodes.number(both(left, right), usize::MAX)?;
        Ok(Root { shape: LAST_SHAPE, left: *number, right: top }.pack())
    }

    #[cold]
    fn shape_of(&mut self, state: &[u8]) -> Result<usize, NoRoom> {
        let mut records = Vec::new();
        self.plan.layout.records_of(state, &mut records);
        let outline = (state.len(), records);
        if let Some(&place) = self.by_outline.get(&outline) {
            return Ok(place);
        }
        let number = self.outlines.number(&outline)?;
        Ok(self.make(number, &outline))
    }

    fn make(&mut self, number: u32, outline: &Outline) -> usize {
        let units = self.plan.layout.units(outline.0, &outline.1);
        let pairing = pairing_of(&self.plan.learned, &units);
        let shape = Shape::new(outline.0, outline.1.clone(), &units, pairing.as_ref());
        self.memory += shape.memory() * 2 + (outline.1.len() * size_of::<(u32, u8)>() + 64) * 4;
        let place = self.shapes.len();
        self.shapes.push((number, shape));
        self.own.insert(number, place);
        self.by_outline.insert(outline.clone(), place);
        place
    }

    /// Writes the state of a root behind what is in the buffer.
    pub(in crate::store) fn read(&mut self, root: u64, nodes: &impl Interner, to: &mut Vec<u8>) {
        let Root { shape, left, right } = Root::unpack(root);
        let (number, halves) = match shape {
            LAST_SHAPE => {
                let top = nodes.word(right);
                (left, (top as u32, (top >> 32) as u32))
            }
            _ => (shape, (left, right)),
        };
        let place = match self.own.get(&number) {
            Some(&place) => place,
            None => match self.outlines.outline(number) {
                Some(outline) => self.make(number, &outline),
                None => return,
            },
        };
        to.extend_from_slice(self.shapes[place].1.go_to(halves.0, halves.1, nodes));
    }
}
