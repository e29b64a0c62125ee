//! Where variables live: offsets in a region of the state, given out in the order of declaration.
//!
//! Scalars of type bit and bool and unsigneds narrower than a byte share bytes, as C's bit fields do; elements of
//! arrays take whole bytes each, so an array of bit or bool is an array of bytes (and keeps values above 1, as in
//! SPIN). Nothing is padded: the executor reads and writes unaligned.

use crate::model::{Dimension, Region, Scalar, ScalarType, Variable};
use crate::source::Span;
use std::sync::Arc;

/// The type of a variable or field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A number or channel.
    Scalar(ScalarType),
    /// The typedef of this number.
    Struct(usize),
}

/// What is known of the messages of a channel variable: capacity and one type per field.
#[derive(Clone, Debug)]
pub(super) struct Messages {
    /// Slots.
    pub capacity: u32,
    /// Flattened fields.
    pub fields: Vec<ScalarType>,
    /// The typedef, if there is exactly one field and it is one (`for (m in q)` needs it).
    pub only_struct: Option<usize>,
}

/// A variable, or a field of a typedef.
#[derive(Clone, Debug)]
pub(super) struct Var {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is declared.
    pub span: Span,
    /// Its type.
    pub kind: Kind,
    /// Elements, if it is an array.
    pub length: Option<u32>,
    /// The region; of no meaning for fields.
    pub region: Region,
    /// Offset in the region, or in the typedef.
    pub offset: u32,
    /// How a scalar is kept.
    pub scalar: Scalar,
    /// Bytes of one element.
    pub stride: u32,
    /// Number of its first leaf in the list of shown variables, or in the typedef.
    pub leaf: u32,
    /// The messages, if it was declared with `[n] of { … }`.
    pub messages: Option<Messages>,
    /// The value of a plain constant initialiser: SPIN lets the variable stand as an array bound.
    pub first: Option<i32>,
}

/// A typedef with its fields laid out.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    /// Its name.
    pub name: Arc<str>,
    /// Where it is declared.
    pub span: Span,
    /// Its fields.
    pub fields: Vec<Var>,
    /// Bytes of one value.
    pub size: u32,
    /// Scalar leaves of one value.
    pub leaves: u32,
    /// Fields of a message that carries one value: as leaves, with every element of an array.
    pub scalars: u64,
    /// Some field, at any depth, has an initialiser.
    pub initialised: bool,
}

/// Gives out offsets.
#[derive(Clone, Debug)]
pub(super) struct Allocator {
    size: u32,
    bits: Option<(u32, u8)>,
}

impl Allocator {
    /// Starts behind a header of this many bytes.
    pub(crate) fn new(header: u32) -> Allocator {
        Allocator { size: header, bits: None }
    }

    /// Bytes given out so far, with the header.
    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// Room for one scalar: its offset and how it is kept.
    pub(crate) fn scalar(&mut self, scalar: Scalar) -> (u32, Scalar) {
        let Scalar::Bits { width, .. } = scalar else {
            return (self.bytes(scalar.size()), scalar);
        };
        if let Some((offset, used)) = self.bits
            && used + width <= 8
        {
            self.bits = Some((offset, used + width));
            return (offset, Scalar::Bits { shift: used, width });
        }
        let offset = self.bytes(1);
        self.bits = Some((offset, width));
        (offset, Scalar::Bits { shift: 0, width })
    }

    /// Room for this many bytes.
    pub(crate) fn bytes(&mut self, count: u32) -> u32 {
        let offset = self.size;
        self.size = self.size.saturating_add(count);
        offset
    }
}

/// How a scalar of this type is kept on its own.
pub(super) fn scalar_of(ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::Bit | ScalarType::Bool => Scalar::Bits { shift: 0, width: 1 },
        ScalarType::Byte | ScalarType::Mtype(_) | ScalarType::Chan | ScalarType::Pid => Scalar::U8,
        ScalarType::Short => Scalar::I16,
        ScalarType::Int => Scalar::I32,
        ScalarType::Unsigned(width @ 0..=7) => Scalar::Bits { shift: 0, width: width.max(1) },
        ScalarType::Unsigned(8) => Scalar::U8,
        ScalarType::Unsigned(width @ 9..=16) => Scalar::U16 { width },
        ScalarType::Unsigned(width) => Scalar::U32 { width },
    }
}

/// How an element of an array of this type is kept.
pub(super) fn element_of(ty: ScalarType) -> Scalar {
    match scalar_of(ty) {
        Scalar::Bits { .. } => Scalar::U8,
        scalar => scalar,
    }
}

/// How the fields of a message are kept: a lone bit takes a byte, among others it is one bit in a byte of its own.
pub(super) fn message_fields(fields: &[ScalarType]) -> (Vec<crate::model::Field>, u32) {
    let mut offset = 0;
    let fields: Vec<crate::model::Field> = fields
        .iter()
        .map(|&ty| {
            let scalar = if fields.len() == 1 { element_of(ty) } else { scalar_of(ty) };
            let field = crate::model::Field { ty, scalar, offset };
            offset += scalar.size();
            field
        })
        .collect();
    (fields, offset)
}

/// Bytes that the globals may take, or the channels, or one value of a typedef. No search has a use for such states; what is
/// larger is refused before anything of that size is made.
pub(super) const LARGEST: u64 = 1 << 26;

/// Bytes that one process may take.
pub(super) const LARGEST_PROCESS: u64 = 1 << 24;

/// Scalar leaves of all variables of a region, or of one value of a typedef.
pub(super) const MOST_LEAVES: u64 = 1 << 18;

/// Fields of a message.
pub(super) const MOST_FIELDS: u64 = 1 << 16;

/// Bytes of a variable, which no product of lengths can overflow.
pub(super) fn bytes_of(var: &Var, structs: &[Struct]) -> u64 {
    let element = match (var.kind, var.length) {
        (Kind::Scalar(ty), None) => scalar_of(ty).size(),
        (Kind::Scalar(ty), Some(_)) => element_of(ty).size(),
        (Kind::Struct(number), _) => structs[number].size,
    };
    u64::from(var.length.unwrap_or(1)) * u64::from(element)
}

/// Gives a variable its place in a region: offset, scalar and stride are filled in.
pub(super) fn place(var: &mut Var, structs: &[Struct], allocator: &mut Allocator) {
    match (var.kind, var.length) {
        (Kind::Scalar(ty), None) => {
            (var.offset, var.scalar) = allocator.scalar(scalar_of(ty));
            var.stride = var.scalar.size();
        }
        (Kind::Scalar(ty), Some(length)) => {
            var.scalar = element_of(ty);
            var.stride = var.scalar.size();
            var.offset = allocator.bytes(length.saturating_mul(var.stride));
        }
        (Kind::Struct(number), length) => {
            var.stride = structs[number].size;
            var.offset = allocator.bytes(length.unwrap_or(1).saturating_mul(var.stride));
        }
    }
}

/// Scalar leaves of a variable: how many entries it has in the list of shown variables.
pub(super) fn leaves(kind: Kind, structs: &[Struct]) -> u32 {
    match kind {
        Kind::Scalar(_) => 1,
        Kind::Struct(number) => structs[number].leaves,
    }
}

/// The shown variables of one declared variable.
pub(super) fn show(var: &Var, structs: &[Struct], show: bool) -> Vec<Variable> {
    let mut shown = Vec::new();
    let top = Leaf { path: String::new(), offset: 0, dimensions: Vec::new() };
    collect(var, structs, &top, &mut |leaf, field| {
        let Kind::Scalar(ty) = field.kind else { return };
        shown.push(Variable {
            path: leaf.path.as_str().into(),
            ty,
            region: var.region,
            offset: leaf.offset,
            scalar: field.scalar,
            dimensions: leaf.dimensions.clone(),
            show,
            span: var.span,
        });
    });
    shown
}

#[derive(Clone)]
struct Leaf {
    path: String,
    offset: u32,
    dimensions: Vec<Dimension>,
}

fn collect(var: &Var, structs: &[Struct], above: &Leaf, found: &mut dyn FnMut(&Leaf, &Var)) {
    let mut leaf = above.clone();
    if !leaf.path.is_empty() {
        leaf.path.push('.');
    }
    leaf.path.push_str(&var.name);
    leaf.offset += var.offset;
    if let Some(length) = var.length {
        leaf.path.push_str("[]");
        leaf.dimensions.push(Dimension { length, stride: var.stride });
    }
    match var.kind {
        Kind::Scalar(_) => found(&leaf, var),
        Kind::Struct(number) => structs[number].fields.iter().for_each(|field| collect(field, structs, &leaf, found)),
    }
}
