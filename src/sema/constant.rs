//! Constants: what SPIN's grammar takes where a size or count is wanted, and folding of other expressions.

use super::Analyser;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::{Expr, ExprKind, UnaryOp};

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
            ExprKind::Binary(op, left, right) => op.apply(self.constant(left)?, self.constant(right)?),
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
