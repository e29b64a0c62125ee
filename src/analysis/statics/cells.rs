//! The cells of a process type: the variables whose life is followed, each array element and each field for itself.
//!
//! A cell is known by its place in the state. An index that is computed may mean any element, so a read with one reads all
//! elements, and a write with one makes none of them safe. Arrays of more than [`MOST`] elements are left alone.

use super::super::flow::BitSet;
use super::looks::{Looks, is_channel_name};
use crate::model::visit;
use crate::model::{Expr, ExprKind, Model, Place, Region, Scalar, Variable};
use std::collections::HashMap;

/// Elements of one variable. Every transition behind which they die has to set them all to 0.
const MOST: u64 = 64;

/// Region, offset and, for bits, their place in the byte.
type Key = (Region, u32, u8);

/// See the module.
#[derive(Debug)]
pub(super) struct Cells {
    numbers: HashMap<Key, usize>,
    /// By number.
    pub places: Vec<Place>,
    /// Cells that a clause of the process type reads at any time: they never die.
    pub always: BitSet,
}

fn key(region: Region, offset: u32, scalar: Scalar) -> Key {
    let shift = if let Scalar::Bits { shift, .. } = scalar { shift } else { 0 };
    (region, offset, shift)
}

/// The offsets of all elements, for these lengths and strides; nothing if they are too many.
fn offsets(first: u32, dimensions: impl Iterator<Item = (u32, u32)> + Clone) -> Vec<u32> {
    let count = dimensions.clone().fold(1u64, |count, (length, _)| count.saturating_mul(u64::from(length)));
    if count > MOST {
        return Vec::new();
    }
    dimensions.fold(vec![first], |starts, (length, stride)| {
        starts.iter().flat_map(|&start| (0..length).map(move |n| start + n * stride)).collect()
    })
}

/// The places of all elements of a variable; none if they are too many.
pub(super) fn elements(variable: &Variable, number: u32) -> Vec<Place> {
    let dimensions = variable.dimensions.iter().map(|dimension| (dimension.length, dimension.stride));
    let place = |offset| Place {
        region: variable.region,
        offset,
        scalar: variable.scalar,
        ty: variable.ty,
        indices: Vec::new(),
        variable: number,
        span: variable.span,
    };
    offsets(variable.offset, dimensions).into_iter().map(place).collect()
}

impl Cells {
    /// The cells of a process type: its locals, the globals that it alone uses, and those that it writes and nobody reads.
    pub(super) fn new(model: &Model, looks: &Looks, p: usize) -> Cells {
        let mut cells = Cells { numbers: HashMap::new(), places: Vec::new(), always: BitSet::default() };
        for (number, local) in model.proctypes[p].locals.iter().enumerate() {
            let watched = looks.watched[p].get(number) != Some(&false);
            if local.region == Region::Local && !watched && !is_channel_name(local.ty, looks.local_written[p][number]) {
                cells.add(local, number);
            }
        }
        for (number, global) in model.globals.iter().enumerate() {
            let followed = looks.is_unread(number) || looks.owner(number) == Some(p);
            if global.region == Region::Global && followed {
                cells.add(global, number);
            }
        }
        cells.always = BitSet::new(cells.places.len());
        let mut always = BitSet::new(cells.places.len());
        model.proctypes[p].provided.iter().for_each(|clause| cells.reads(clause, &mut always));
        model.proctypes[p].exclusive.iter().for_each(|(_, channel, _)| cells.reads(channel, &mut always));
        cells.always = always;
        cells
    }

    fn add(&mut self, variable: &Variable, number: usize) {
        for place in elements(variable, number as u32) {
            self.numbers.insert(key(place.region, place.offset, place.scalar), self.places.len());
            self.places.push(place);
        }
    }

    /// No cell.
    pub(super) fn none(&self) -> BitSet {
        BitSet::new(self.places.len())
    }

    /// The cell that a place surely is.
    pub(super) fn only(&self, place: &Place) -> Option<usize> {
        let number = self.numbers.get(&key(place.region, place.offset, place.scalar)).copied();
        number.filter(|_| place.indices.is_empty())
    }

    /// The cells that a place may be.
    pub(super) fn any(&self, place: &Place, set: &mut BitSet) {
        let dimensions = place.indices.iter().map(|index| (index.dimension.length, index.dimension.stride));
        for offset in offsets(place.offset, dimensions) {
            if let Some(&number) = self.numbers.get(&key(place.region, offset, place.scalar)) {
                set.insert(number);
            }
        }
    }

    /// Adds the cells that an expression may read.
    pub(super) fn reads(&self, expr: &Expr, set: &mut BitSet) {
        visit::walk(expr, &mut |e| {
            if let ExprKind::Load(place) = &e.kind {
                self.any(place, set);
            }
        });
    }
}
