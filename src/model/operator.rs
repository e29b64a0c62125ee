//! The operators of expressions, and what they mean.
//!
//! The parser, the folding of constants, the executor and the analysis all take them from here, so that an operator means
//! the same everywhere.

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Complement,
}

/// Binary operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Predefined functions of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ChannelTest {
    /// `len`
    Len,
    /// `empty`
    Empty,
    /// `nempty`
    NotEmpty,
    /// `full`
    Full,
    /// `nfull`
    NotFull,
}

impl UnaryOp {
    /// The value, on C's 32-bit ints, wrapping.
    #[inline]
    pub fn apply(self, value: i32) -> i32 {
        match self {
            UnaryOp::Negate => value.wrapping_neg(),
            UnaryOp::Not => i32::from(value == 0),
            UnaryOp::Complement => !value,
        }
    }
}

impl BinaryOp {
    /// The value, on C's 32-bit ints, wrapping; `None` for a division by zero.
    #[inline]
    pub fn apply(self, left: i32, right: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => left.wrapping_add(right),
            BinaryOp::Subtract => left.wrapping_sub(right),
            BinaryOp::Multiply => left.wrapping_mul(right),
            BinaryOp::Divide if right == 0 => return None,
            BinaryOp::Divide => left.wrapping_div(right),
            BinaryOp::Remainder if right == 0 => return None,
            BinaryOp::Remainder => left.wrapping_rem(right),
            BinaryOp::BitAnd => left & right,
            BinaryOp::BitOr => left | right,
            BinaryOp::BitXor => left ^ right,
            BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
            BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
            BinaryOp::Equal => i32::from(left == right),
            BinaryOp::NotEqual => i32::from(left != right),
            BinaryOp::Less => i32::from(left < right),
            BinaryOp::LessEqual => i32::from(left <= right),
            BinaryOp::Greater => i32::from(left > right),
            BinaryOp::GreaterEqual => i32::from(left >= right),
            BinaryOp::And => i32::from(left != 0 && right != 0),
            BinaryOp::Or => i32::from(left != 0 || right != 0),
        })
    }
}
