//! What the names of a model stand for: types, variables, channels, mtype values, process types.
//!
//! The tables are made from the tree alone. The front end has judged the model before: a name that is used is declared,
//! and a size is a constant. Where the tree breaks this promise we answer with [`Unclear`], never with a panic.

use crate::syntax::tree::{
    BinaryOp, Declaration, Declarator, Expr, ExprKind, Ident, Initializer, Item, Mtype, Type, Typedef, UnaryOp, Unit,
    Visibility,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Something in the tree that the reference executor does not understand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unclear(pub String);

impl std::fmt::Display for Unclear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The result of reading a part of the tree.
pub type Read<T> = Result<T, Unclear>;

/// An error that says what is unclear.
pub fn unclear<T>(what: impl Into<String>) -> Read<T> {
    Err(Unclear(what.into()))
}

/// The numbers that a variable can hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// 0 and 1.
    Bit,
    /// 0 to 255: `byte`, `pid`, `mtype`, `chan`.
    Byte,
    /// 16 bits with a sign.
    Short,
    /// 32 bits with a sign.
    Int,
    /// So many bits without a sign.
    Unsigned(u32),
}

impl Number {
    /// What is left of a value when it is stored.
    pub fn cut(self, value: i32) -> i32 {
        match self {
            Number::Bit => value & 1,
            Number::Byte => value & 0xff,
            Number::Short => i32::from(value as i16),
            Number::Int => value,
            Number::Unsigned(bits) if bits >= 32 => value,
            Number::Unsigned(bits) => value & ((1 << bits) - 1),
        }
    }

    /// The numbers of an element of an array, or of the only field of a message: C has no arrays of bit fields, so what
    /// is narrower than a byte takes a whole one.
    pub fn alone(self) -> Number {
        match self {
            Number::Bit | Number::Unsigned(0..=7) => Number::Byte,
            other => other,
        }
    }
}

/// The type of a variable or field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number, or the id of a channel.
    Number(Number),
    /// The typedef of this index in [`Names::records`].
    Record(usize),
}

/// A variable, parameter or field.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: Arc<str>,
    /// The type of the variable, or of its elements.
    pub kind: Kind,
    /// Elements, if it is an array.
    pub length: Option<usize>,
    /// What stands behind `=`.
    pub initializer: Option<Initializer>,
    /// It is no part of the state.
    pub hidden: bool,
    /// SPIN initialises globals in the order of their types: this is the type's place.
    pub turn: u8,
}

/// A typedef.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its fields.
    pub fields: Vec<Variable>,
}

/// What a channel carries.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// Messages that it holds; none for a rendezvous channel.
    pub capacity: usize,
    /// The fields of a message; a typedef counts with all its numbers.
    pub fields: Vec<Number>,
    /// The fields whose values are left open, by number; see [`Value::Open`].
    pub open: Vec<usize>,
}

/// The value of a variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A number.
    Number(i32),
    /// The elements of an array, or the fields of a typedef.
    List(Vec<Value>),
    /// Any number: a certificate leaves it open, because nobody reads it before it is written again. That this is so is seen
    /// while moves are tried: [`super::definition::Definition::asked`].
    Open,
}

impl Value {
    /// `3`, or `[1, 2]`.
    pub fn text(&self) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Open => "?".to_string(),
            Value::List(list) => format!("[{}]", list.iter().map(Value::text).collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The names that all bodies share.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Typedefs.
    pub records: Vec<Record>,
    record_names: HashMap<Arc<str>, usize>,
    /// Values of mtype names.
    pub mtypes: HashMap<Arc<str>, i32>,
    /// Global variables, in the order of the file.
    pub globals: Vec<Variable>,
    /// Their places by name.
    pub global_names: HashMap<Arc<str>, usize>,
}

impl Variable {
    /// The numbers that it holds, or each of its elements; none for a typedef.
    pub fn number(&self) -> Option<Number> {
        match self.kind {
            Kind::Number(number) if self.length.is_some() => Some(number.alone()),
            Kind::Number(number) => Some(number),
            Kind::Record(_) => None,
        }
    }
}

impl Names {
    /// Reads the declarations of a model.
    pub fn of(unit: &Unit) -> Read<Names> {
        let mut names = Names::default();
        names.read_mtypes(unit);
        for item in &unit.items {
            match item {
                Item::Typedef(typedef) => names.typedef(typedef)?,
                Item::Declaration(declaration) => {
                    for declarator in &declaration.variables {
                        let variable = names.variable(declaration, declarator)?;
                        names.global_names.insert(variable.name.clone(), names.globals.len());
                        names.globals.push(variable);
                    }
                }
                _ => {}
            }
        }
        Ok(names)
    }

    /// Values of mtype names: the last name of a list has the smallest number, a further list goes on above, and each
    /// subtype counts from 1.
    fn read_mtypes(&mut self, unit: &Unit) {
        let mut used: HashMap<Option<Arc<str>>, i32> = HashMap::new();
        for item in &unit.items {
            let Item::Mtype(Mtype { subtype, names, .. }) = item else { continue };
            let next = used.entry(subtype.as_ref().map(|subtype| subtype.name.clone())).or_default();
            for name in names.iter().rev() {
                *next += 1;
                self.mtypes.insert(name.name.clone(), *next);
            }
        }
    }

    fn typedef(&mut self, typedef: &Typedef) -> Read<()> {
        let mut fields = Vec::new();
        for declaration in &typedef.fields {
            for declarator in &declaration.variables {
                fields.push(self.variable(declaration, declarator)?);
            }
        }
        self.record_names.insert(typedef.name.name.clone(), self.records.len());
        self.records.push(Record { fields });
        Ok(())
    }

    /// The variable that a declaration makes.
    pub fn variable(&self, declaration: &Declaration, declarator: &Declarator) -> Read<Variable> {
        let length = match &declarator.array {
            Some(length) => Some(self.size(length)?),
            None => None,
        };
        let width = match &declarator.width {
            Some(width) => self.size(width)? as u32,
            None => 32,
        };
        let kind = self.kind(&declaration.ty, width)?;
        Ok(Variable {
            name: declarator.name.name.clone(),
            kind,
            length,
            initializer: declarator.initializer.clone(),
            hidden: declaration.visibility == Visibility::Hidden,
            turn: turn(&declaration.ty),
        })
    }

    fn kind(&self, ty: &Type, width: u32) -> Read<Kind> {
        Ok(Kind::Number(match ty {
            Type::Bit | Type::Bool => Number::Bit,
            Type::Byte | Type::Mtype(_) | Type::Chan | Type::Pid => Number::Byte,
            Type::Short => Number::Short,
            Type::Int => Number::Int,
            Type::Unsigned => Number::Unsigned(width),
            Type::Named(name) => return self.record(name),
        }))
    }

    fn record(&self, name: &Ident) -> Read<Kind> {
        match self.record_names.get(&name.name) {
            Some(&record) => Ok(Kind::Record(record)),
            None => unclear(format!("no type `{}`", name.name)),
        }
    }

    /// The shape of a channel.
    pub fn shape(&self, capacity: &Expr, types: &[Type]) -> Read<Shape> {
        let mut fields = Vec::new();
        for ty in types {
            match self.kind(ty, 32)? {
                Kind::Number(number) => fields.push(number),
                Kind::Record(record) => self.flatten(record, &mut fields),
            }
        }
        if let [only] = fields.as_mut_slice() {
            *only = only.alone();
        }
        Ok(Shape { capacity: self.size(capacity)?, fields, open: Vec::new() })
    }

    /// The numbers of a typedef in a message. An element of an array of bits is a bit here. A structure counts once,
    /// also where it is an array: so SPIN does.
    fn flatten(&self, record: usize, fields: &mut Vec<Number>) {
        for field in &self.records[record].fields {
            match field.kind {
                Kind::Number(number) => fields.extend(std::iter::repeat_n(number, field.length.unwrap_or(1))),
                Kind::Record(inner) => self.flatten(inner, fields),
            }
        }
    }

    /// The value of a variable that nobody has written.
    pub fn zero(&self, variable: &Variable) -> Value {
        let one = match variable.kind {
            Kind::Number(_) => Value::Number(0),
            Kind::Record(record) => {
                Value::List(self.records[record].fields.iter().map(|field| self.zero(field)).collect())
            }
        };
        match variable.length {
            Some(length) => Value::List(vec![one; length]),
            None => one,
        }
    }

    fn size(&self, expr: &Expr) -> Read<usize> {
        match self.constant(expr) {
            Some(value) if value >= 0 => Ok(value as usize),
            _ => unclear("a size that is not a constant"),
        }
    }

    /// The value of a constant expression.
    pub fn constant(&self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Variable(var) => match var.segments.as_slice() {
                [only] if only.index.is_none() => self.constant_name(&only.name.name),
                _ => None,
            },
            ExprKind::Unary(op, inner) => Some(unary(*op, self.constant(inner)?)),
            ExprKind::Binary(op, left, right) => binary(*op, self.constant(left)?, self.constant(right)?),
            _ => None,
        }
    }

    /// An mtype name, or a global variable with a constant for its initialiser, which SPIN takes for an array bound too.
    fn constant_name(&self, name: &str) -> Option<i32> {
        if let Some(&value) = self.mtypes.get(name) {
            return Some(value);
        }
        match &self.globals.get(*self.global_names.get(name)?)?.initializer {
            Some(Initializer::Expr(Expr { kind: ExprKind::Number(value), .. })) => Some(*value),
            _ => None,
        }
    }
}

/// SPIN initialises globals type by type; this is the place of a type in its order.
fn turn(ty: &Type) -> u8 {
    match ty {
        Type::Unsigned => 0,
        Type::Bit | Type::Bool => 1,
        Type::Byte | Type::Pid => 2,
        Type::Chan => 3,
        Type::Mtype(_) => 4,
        Type::Short => 5,
        Type::Int => 6,
        Type::Named(_) => 7,
    }
}

/// The value of a unary operation, as C computes it on 32 bits.
pub fn unary(op: UnaryOp, value: i32) -> i32 {
    match op {
        UnaryOp::Negate => 0i32.wrapping_sub(value),
        UnaryOp::Not => i32::from(value == 0),
        UnaryOp::Complement => value ^ -1,
    }
}

/// The value of a binary operation, as C computes it on 32 bits; none for a division by zero.
pub fn binary(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    // 64 bits hold every sum, difference and product of two ints; what C keeps of them are the lowest 32.
    let (wide_left, wide_right) = (i64::from(left), i64::from(right));
    let wide = match op {
        BinaryOp::Add => wide_left + wide_right,
        BinaryOp::Subtract => wide_left - wide_right,
        BinaryOp::Multiply => wide_left * wide_right,
        BinaryOp::Divide if right == 0 => return None,
        BinaryOp::Divide => wide_left / wide_right,
        BinaryOp::Remainder if right == 0 => return None,
        BinaryOp::Remainder => wide_left % wide_right,
        BinaryOp::BitAnd => wide_left & wide_right,
        BinaryOp::BitOr => wide_left | wide_right,
        BinaryOp::BitXor => wide_left ^ wide_right,
        // As the processor shifts: by the lowest five bits of the right side.
        BinaryOp::ShiftLeft => wide_left << (right & 31),
        BinaryOp::ShiftRight => wide_left >> (right & 31),
        BinaryOp::Equal => i64::from(left == right),
        BinaryOp::NotEqual => i64::from(left != right),
        BinaryOp::Less => i64::from(left < right),
        BinaryOp::LessEqual => i64::from(left <= right),
        BinaryOp::Greater => i64::from(left > right),
        BinaryOp::GreaterEqual => i64::from(left >= right),
        BinaryOp::And => i64::from(left != 0 && right != 0),
        BinaryOp::Or => i64::from(left != 0 || right != 0),
    };
    Some(wide as i32)
}
