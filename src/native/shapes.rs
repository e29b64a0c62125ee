//! Channel types that look alike in memory. A channel is known only by its id, so code for a send looks up the type of the channel at
//! run time; but most channels of a model have messages of the same few shapes, and code is made for each shape once.

use crate::exec::program::{Channel, Program};
use crate::model::Scalar;

/// What code for a send or receive has to know of a channel's type. The capacity is looked up at run time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// Bytes of the length; 0 for a rendezvous channel.
    pub length_size: u32,
    /// Bytes of a slot.
    pub slot_size: u32,
    /// Offset and width of each field.
    pub fields: Vec<(u32, Scalar)>,
}

/// A channel type as the code looks it up. The order of the fields is fixed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct TypeEntry {
    /// Number of its shape; [`NO_SHAPE`] if the interpreter has to do everything.
    pub shape: u32,
    /// Slots.
    pub capacity: u32,
    /// Bytes of the length.
    pub length_size: u32,
    /// Number of fields.
    pub fields: u32,
}

/// Stands for a type whose sends and receives are interpreted.
pub(super) const NO_SHAPE: u32 = u32::MAX;
/// A send or receive that could be about more shapes than this is interpreted.
pub(super) const MOST_SHAPES: usize = 4;
/// Slots with more bytes than this are left to the interpreter.
const LARGEST_SLOT: u32 = 64;

/// The shapes of a program.
#[derive(Debug)]
pub(super) struct Shapes {
    pub shapes: Vec<Shape>,
    /// By type.
    pub types: Vec<TypeEntry>,
}

impl Shapes {
    pub(super) fn new(program: &Program) -> Shapes {
        let mut shapes = Shapes { shapes: Vec::new(), types: Vec::new() };
        for channel in &program.channels {
            let shape = shapes.number(channel);
            shapes.types.push(TypeEntry {
                shape,
                capacity: channel.capacity,
                length_size: channel.length_size,
                fields: channel.fields.len() as u32,
            });
        }
        shapes
    }

    fn number(&mut self, channel: &Channel) -> u32 {
        let traced = channel.traced_send || channel.traced_receive;
        if traced || channel.slot_size > LARGEST_SLOT {
            return NO_SHAPE;
        }
        let Channel { length_size, slot_size, .. } = *channel;
        let shape = Shape { length_size, slot_size, fields: channel.fields.clone() };
        let known = self.shapes.iter().position(|known| *known == shape).unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        known as u32
    }

    /// The shapes whose messages have so many fields; `None` if there are too many of them, or none.
    pub(super) fn with_fields(&self, fields: usize) -> Option<Vec<(u32, Shape)>> {
        let fitting = self.shapes.iter().enumerate().filter(|(_, shape)| shape.fields.len() == fields);
        let fitting: Vec<(u32, Shape)> = fitting.map(|(number, shape)| (number as u32, shape.clone())).collect();
        (1..=MOST_SHAPES).contains(&fitting.len()).then_some(fitting)
    }
}
