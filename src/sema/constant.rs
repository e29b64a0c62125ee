//! Constants: what SPIN's grammar takes where a size or count is wanted, and folding of other expressions.

use super::Analyser;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::{BinaryOp, Expr, ExprKind, UnaryOp};

/// The value of an operator with C's wrapping; `None` for a division by zero.
pub(super) fn binary(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    let truth = |condition: bool| Some(i32::from(condition));
    match op {
        BinaryOp::Add => Some(left.wrapping_add(right)),
        BinaryOp::Subtract => Some(left.wrapping_sub(right)),
        BinaryOp::Multiply => Some(left.wrapping_mul(right)),
        BinaryOp::Divide => (right != 0).then(|| left.wrapping_div(right)),
        BinaryOp::Remainder => (right != 0).then(|| left.wrapping_rem(right)),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
        BinaryOp::ShiftLeft => Some(left.wrapping_shl(right as u32)),
        BinaryOp::ShiftRight => Some(left.wrapping_shr(right as u32)),
        BinaryOp::Equal => truth(left == right),
        BinaryOp::NotEqual => truth(left != right),
        BinaryOp::Less => truth(left < right),
        BinaryOp::LessEqual => truth(left <= right),
        BinaryOp::Greater => truth(left > right),
        BinaryOp::GreaterEqual => truth(left >= right),
        BinaryOp::And => truth(left != 0 && right != 0),
        BinaryOp::Or => truth(left != 0 || right != 0),
    }
}

impl Analyser<'_> {
    /// The value of a constant expression: numbers, mtype names and arithmetic on them.
    pub(super) fn constant(&self, expr: &Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Variable(var) => match var.segments.as_slice() {
                [only] if only.index.is_none() => self.mtype_value(&only.name.name).map(|(_, value)| value),
                _ => None,
            },
            ExprKind::Unary(op, inner) => {
                let value = self.constant(inner)?;
                Some(match op {
                    UnaryOp::Negate => value.wrapping_neg(),
                    UnaryOp::Not => i32::from(value == 0),
                    UnaryOp::Complement => !value,
                })
            }
            ExprKind::Binary(op, left, right) => binary(*op, self.constant(left)?, self.constant(right)?),
            _ => None,
        }
    }

    /// A constant that must be one, for a size or a count.
    pub(super) fn need_constant(&mut self, expr: &Expr, what: &str) -> Option<i32> {
        let value = self.constant(expr);
        if value.is_none() {
            self.report(
                Diagnostic::error(format!("{what} must be a constant"), expr.span, "not a constant expression")
                    .with_note("numbers, mtype names and + - * / % on them can stand here"),
            );
        }
        value
    }
}
