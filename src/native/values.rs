//! Variables and expressions as code. An error (an index out of range, a division by zero, a channel that is not there) goes to the
//! place where the transition is handed back to the interpreter.

use super::function::{Maker, flags};
use super::shapes::TypeEntry;
use crate::exec::ChannelRef;
use crate::exec::program::{Cell, Ex, Indexed, Target};
use crate::model::{BinaryOp, ChannelTest, Scalar, UnaryOp};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};
use std::mem::offset_of;

/// A place in the buffer.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    /// In memory, without the offset.
    pub address: Value,
    pub offset: i32,
    /// In the buffer, without the offset; `None` is 0.
    pub at: Option<Value>,
}

impl Maker<'_, '_> {
    pub(super) fn cell(&mut self, cell: &Cell) -> Spot {
        match cell.local {
            true => Spot { address: self.record, offset: cell.offset as i32, at: Some(self.base) },
            false => Spot { address: self.buffer, offset: cell.offset as i32, at: None },
        }
    }

    /// The place in the buffer that this value counts from its start.
    pub(super) fn spot(&mut self, at: Value) -> Spot {
        let wide = self.b.ins().uextend(I64, at);
        Spot { address: self.b.ins().iadd(self.buffer, wide), offset: 0, at: Some(at) }
    }

    fn element(&mut self, indexed: &Indexed) -> Spot {
        let mut offset = indexed.cell.local.then_some(self.base);
        for (value, length, stride) in &indexed.indices {
            let value = self.value(value);
            let inside = self.b.ins().icmp_imm(IntCC::UnsignedLessThan, value, i64::from(*length));
            self.require(inside, self.bail);
            let part = self.b.ins().imul_imm(value, i64::from(*stride));
            offset = Some(match offset {
                Some(offset) => self.b.ins().iadd(offset, part),
                None => part,
            });
        }
        match offset {
            Some(at) => Spot { offset: indexed.cell.offset as i32, ..self.spot(at) },
            None => self.cell(&indexed.cell),
        }
    }

    /// Place and width of a variable that is written.
    pub(super) fn target(&mut self, target: &Target) -> (Spot, Scalar) {
        match target {
            Target::Cell(cell) => (self.cell(cell), cell.scalar),
            Target::Indexed(indexed) => (self.element(indexed), indexed.cell.scalar),
        }
    }

    pub(super) fn assign(&mut self, target: &Target, value: &Ex) {
        let value = self.value(value);
        let (spot, scalar) = self.target(target);
        self.write(&spot, scalar, value);
    }

    /// The value at a place.
    pub(super) fn read(&mut self, spot: &Spot, scalar: Scalar) -> Value {
        let Spot { address, offset, .. } = *spot;
        match scalar {
            Scalar::U8 => self.b.ins().uload8(I32, flags(), address, offset),
            Scalar::Bits { shift, width } => {
                let byte = self.b.ins().uload8(I32, flags(), address, offset);
                let bits = self.b.ins().ushr_imm(byte, i64::from(shift));
                self.b.ins().band_imm(bits, (1 << width) - 1)
            }
            Scalar::I16 => self.b.ins().sload16(I32, flags(), address, offset),
            Scalar::U16 { .. } => self.b.ins().uload16(I32, flags(), address, offset),
            Scalar::I32 | Scalar::U32 { .. } => self.b.ins().load(I32, flags(), address, offset),
        }
    }

    /// Notes what stands at a place that a variable of this width is written to: in the journal, or in the code itself.
    pub(super) fn save(&mut self, spot: &Spot, scalar: Scalar) {
        if self.overwritten.is_some() {
            let width = match scalar {
                Scalar::U8 | Scalar::Bits { .. } => I8,
                Scalar::I16 | Scalar::U16 { .. } => I16,
                Scalar::I32 | Scalar::U32 { .. } => I32,
            };
            let old = self.b.ins().load(width, flags(), spot.address, spot.offset);
            self.note_overwritten(*spot, old);
            return;
        }
        let old = self.b.ins().load(I32, flags(), spot.address, spot.offset);
        let at = match spot.at {
            Some(at) => self.b.ins().iadd_imm(at, i64::from(spot.offset)),
            None => self.b.ins().iconst(I32, i64::from(spot.offset)),
        };
        self.save_word(at, old);
    }

    /// Writes a variable, as wide as it is, with an entry in the journal.
    pub(super) fn write(&mut self, spot: &Spot, scalar: Scalar, value: Value) {
        self.save(spot, scalar);
        self.put(spot, scalar, value);
    }

    /// Writes a variable without an entry in the journal.
    pub(super) fn put(&mut self, spot: &Spot, scalar: Scalar, value: Value) {
        let Spot { address, offset, .. } = *spot;
        match scalar {
            Scalar::U8 => {
                self.b.ins().istore8(flags(), value, address, offset);
            }
            Scalar::Bits { shift, width } => {
                let old = self.b.ins().uload8(I32, flags(), address, offset);
                let mask = ((1i64 << width) - 1) << shift;
                let rest = self.b.ins().band_imm(old, !mask & 0xff);
                let bits = self.b.ins().ishl_imm(value, i64::from(shift));
                let bits = self.b.ins().band_imm(bits, mask);
                let byte = self.b.ins().bor(rest, bits);
                self.b.ins().istore8(flags(), byte, address, offset);
            }
            Scalar::I16 | Scalar::U16 { .. } => {
                let value = self.truncate(scalar, value);
                self.b.ins().istore16(flags(), value, address, offset);
            }
            Scalar::I32 | Scalar::U32 { .. } => {
                let value = self.truncate(scalar, value);
                self.b.ins().store(flags(), value, address, offset);
            }
        }
    }

    /// The value that a variable of this width has after it was given this one.
    pub(super) fn truncate(&mut self, scalar: Scalar, value: Value) -> Value {
        match scalar {
            Scalar::U8 => self.b.ins().band_imm(value, 0xff),
            Scalar::Bits { width, .. } => self.b.ins().band_imm(value, (1 << width) - 1),
            Scalar::I16 => {
                let half = self.b.ins().ireduce(I16, value);
                self.b.ins().sextend(I32, half)
            }
            Scalar::U16 { width } => self.b.ins().band_imm(value, (1 << width) - 1),
            Scalar::U32 { width } if width < 32 => self.b.ins().band_imm(value, (1 << width) - 1),
            Scalar::I32 | Scalar::U32 { .. } => value,
        }
    }

    /// 1 if the value is not 0.
    pub(super) fn truth(&mut self, value: Value) -> Value {
        let truth = self.b.ins().icmp_imm(IntCC::NotEqual, value, 0);
        self.b.ins().uextend(I32, truth)
    }

    /// Goes to `yes` if the expression is not 0, and to `no` if it is.
    pub(super) fn branch(&mut self, expr: &Ex, yes: Block, no: Block) {
        match expr {
            Ex::And(pair) => {
                let more = self.b.create_block();
                self.branch(&pair.0, more, no);
                self.b.switch_to_block(more);
                self.branch(&pair.1, yes, no);
            }
            Ex::Or(pair) => {
                let more = self.b.create_block();
                self.branch(&pair.0, yes, more);
                self.b.switch_to_block(more);
                self.branch(&pair.1, yes, no);
            }
            Ex::Unary(UnaryOp::Not, operand) => self.branch(operand, no, yes),
            _ => {
                let condition = self.condition(expr);
                self.b.ins().brif(condition, yes, &[], no, &[]);
            }
        }
    }

    /// A value that is not 0 if and only if the expression is not; comparisons are spared the way through a number.
    fn condition(&mut self, expr: &Ex) -> Value {
        match expr {
            Ex::GlobalByteIs(at, value) => self.byte_is(false, *at, *value),
            Ex::LocalByteIs(at, value) => self.byte_is(true, *at, *value),
            Ex::Binary(op, pair) => match compare(*op) {
                Some(code) => {
                    let left = self.value(&pair.0);
                    let right = self.value(&pair.1);
                    self.b.ins().icmp(code, left, right)
                }
                None => self.value(expr),
            },
            _ => self.value(expr),
        }
    }

    fn byte_is(&mut self, local: bool, at: u32, value: i32) -> Value {
        let spot = self.cell(&Cell { local, offset: at, scalar: Scalar::U8 });
        let byte = self.read(&spot, Scalar::U8);
        self.b.ins().icmp_imm(IntCC::Equal, byte, i64::from(value))
    }

    fn byte(&mut self, local: bool, at: u32) -> Value {
        let spot = self.cell(&Cell { local, offset: at, scalar: Scalar::U8 });
        self.read(&spot, Scalar::U8)
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &Ex) -> Value {
        match expr {
            Ex::Constant(value) => self.b.ins().iconst(I32, i64::from(*value as u32)),
            Ex::GlobalByte(at) => self.byte(false, *at),
            Ex::LocalByte(at) => self.byte(true, *at),
            Ex::GlobalByteIs(..) | Ex::LocalByteIs(..) => {
                let condition = self.condition(expr);
                self.b.ins().uextend(I32, condition)
            }
            Ex::Load(cell) => {
                let spot = self.cell(cell);
                self.read(&spot, cell.scalar)
            }
            Ex::Indexed(indexed) => {
                let spot = self.element(indexed);
                self.read(&spot, indexed.cell.scalar)
            }
            Ex::Unary(op, operand) => {
                let operand = self.value(operand);
                match op {
                    UnaryOp::Negate => self.b.ins().ineg(operand),
                    UnaryOp::Complement => self.b.ins().bnot(operand),
                    UnaryOp::Not => {
                        let is_zero = self.b.ins().icmp_imm(IntCC::Equal, operand, 0);
                        self.b.ins().uextend(I32, is_zero)
                    }
                }
            }
            Ex::Binary(op, pair) => {
                let left = self.value(&pair.0);
                let right = self.value(&pair.1);
                self.binary(*op, left, right)
            }
            Ex::And(_) | Ex::Or(_) => {
                let (yes, no) = (self.b.create_block(), self.b.create_block());
                self.branch(expr, yes, no);
                self.one_or_zero(yes, no)
            }
            Ex::Conditional(parts) => {
                let (yes, no, join) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
                let result = self.b.append_block_param(join, I32);
                self.branch(&parts.0, yes, no);
                for (block, part) in [(yes, &parts.1), (no, &parts.2)] {
                    self.b.switch_to_block(block);
                    let value = self.value(part);
                    self.b.ins().jump(join, &[BlockArg::Value(value)]);
                }
                self.b.switch_to_block(join);
                result
            }
            Ex::Divide(remainder, pair, _) => {
                let left = self.value(&pair.0);
                let right = self.value(&pair.1);
                self.divide(*remainder, left, right)
            }
            Ex::Channel(test, channel, _) => self.test(*test, channel),
            Ex::Poll(receive) => self.poll(receive),
            Ex::Pid => self.pid(),
            Ex::ProcessCount => self.process_count(),
            Ex::Last => match self.program.last {
                Some(at) => self.byte(false, at),
                None => self.b.ins().iconst(I32, 0),
            },
            Ex::Timeout => self.timeout(),
            // `knows_value` has left them to the interpreter.
            Ex::NonProgress
            | Ex::RunResult
            | Ex::Enabled(..)
            | Ex::PcValue(_)
            | Ex::GetPriority(_)
            | Ex::RemoteLabel { .. }
            | Ex::RemoteVariable { .. } => {
                self.jump(self.bail);
                let unreachable = self.b.create_block();
                self.b.switch_to_block(unreachable);
                self.b.ins().iconst(I32, 0)
            }
        }
    }

    /// 1 for who comes by the one block, 0 for who comes by the other.
    pub(super) fn one_or_zero(&mut self, yes: Block, no: Block) -> Value {
        let join = self.b.create_block();
        let result = self.b.append_block_param(join, I32);
        for (block, value) in [(yes, 1), (no, 0)] {
            self.b.switch_to_block(block);
            let value = self.b.ins().iconst(I32, value);
            self.b.ins().jump(join, &[BlockArg::Value(value)]);
        }
        self.b.switch_to_block(join);
        result
    }

    fn binary(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        if let Some(code) = compare(op) {
            let holds = self.b.ins().icmp(code, left, right);
            return self.b.ins().uextend(I32, holds);
        }
        match op {
            BinaryOp::Add => self.b.ins().iadd(left, right),
            BinaryOp::Subtract => self.b.ins().isub(left, right),
            BinaryOp::Multiply => self.b.ins().imul(left, right),
            BinaryOp::BitAnd => self.b.ins().band(left, right),
            BinaryOp::BitOr => self.b.ins().bor(left, right),
            BinaryOp::BitXor => self.b.ins().bxor(left, right),
            // Both count only the lower five bits of the distance, as the interpreter does.
            BinaryOp::ShiftLeft => self.b.ins().ishl(left, right),
            BinaryOp::ShiftRight => self.b.ins().sshr(left, right),
            BinaryOp::Divide => self.divide(false, left, right),
            BinaryOp::Remainder => self.divide(true, left, right),
            BinaryOp::And | BinaryOp::Or => {
                let left = self.truth(left);
                let right = self.truth(right);
                match op {
                    BinaryOp::And => self.b.ins().band(left, right),
                    _ => self.b.ins().bor(left, right),
                }
            }
            // `compare` has a code for them.
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => left,
        }
    }

    /// A division by zero is handed back. The smallest number divided by -1 wraps, where the processor would trap.
    fn divide(&mut self, remainder: bool, left: Value, right: Value) -> Value {
        self.require(right, self.bail);
        let minus = self.b.ins().icmp_imm(IntCC::Equal, right, -1);
        let one = self.b.ins().iconst(I32, 1);
        let divisor = self.b.ins().select(minus, one, right);
        if remainder {
            return self.b.ins().srem(left, divisor);
        }
        let quotient = self.b.ins().sdiv(left, divisor);
        let negated = self.b.ins().ineg(left);
        self.b.ins().select(minus, negated, quotient)
    }

    /// The channel with this id: its place in the buffer, and where its type stands in the table of types.
    pub(super) fn channel(&mut self, channel: &Ex) -> (Value, Value, Value) {
        let id = self.value(channel);
        let index = self.b.ins().iadd_imm(id, -1);
        let index = self.b.ins().uextend(I64, index);
        let count = self.around(I64, offset_of!(super::code::Context, channel_count));
        let exists = self.b.ins().icmp(IntCC::UnsignedLessThan, index, count);
        self.require(exists, self.bail);
        let table = self.around(I64, offset_of!(super::code::Context, channels));
        let offset = self.b.ins().imul_imm(index, size_of::<ChannelRef>() as i64);
        let entry = self.b.ins().iadd(table, offset);
        let at = self.b.ins().load(I32, flags(), entry, offset_of!(ChannelRef, at) as i32);
        let ty = self.b.ins().uload32(flags(), entry, offset_of!(ChannelRef, ty) as i32);
        let types = self.around(I64, offset_of!(super::code::Context, types));
        let offset = self.b.ins().imul_imm(ty, size_of::<TypeEntry>() as i64);
        (id, at, self.b.ins().iadd(types, offset))
    }

    /// A field of the context.
    pub(super) fn around(&mut self, ty: cranelift_codegen::ir::Type, offset: usize) -> Value {
        self.b.ins().load(ty, flags(), self.context, offset as i32)
    }

    /// A field of an entry in the table of types.
    pub(super) fn of_type(&mut self, ty: Value, offset: usize) -> Value {
        self.b.ins().load(I32, flags(), ty, offset as i32)
    }

    /// `len` and the like.
    fn test(&mut self, test: ChannelTest, channel: &Ex) -> Value {
        let (_, at, ty) = self.channel(channel);
        let size = self.of_type(ty, offset_of!(TypeEntry, length_size));
        let spot = self.spot(at);
        // A rendezvous channel has no length in the state; its place may be that of something else.
        let byte = self.b.ins().load(I8, flags(), spot.address, 0);
        let byte = self.b.ins().uextend(I32, byte);
        let half = self.b.ins().uload16(I32, flags(), spot.address, 0);
        let zero = self.b.ins().iconst(I32, 0);
        let is_byte = self.b.ins().icmp_imm(IntCC::Equal, size, 1);
        let length = self.b.ins().select(is_byte, byte, half);
        let length = self.b.ins().select(size, length, zero);
        let capacity = self.of_type(ty, offset_of!(TypeEntry, capacity));
        let code = match test {
            ChannelTest::Len => return length,
            ChannelTest::Empty => self.b.ins().icmp_imm(IntCC::Equal, length, 0),
            ChannelTest::NotEmpty => self.b.ins().icmp_imm(IntCC::NotEqual, length, 0),
            ChannelTest::Full | ChannelTest::NotFull => {
                let buffered = self.b.ins().icmp_imm(IntCC::NotEqual, capacity, 0);
                let equal = self.b.ins().icmp(IntCC::Equal, length, capacity);
                let full = self.b.ins().band(buffered, equal);
                match test {
                    ChannelTest::Full => full,
                    _ => self.b.ins().bxor_imm(full, 1),
                }
            }
        };
        self.b.ins().uextend(I32, code)
    }
}

/// May a transition be handed back while this expression is evaluated? (Or is it not simple enough to say.)
pub(super) fn may_fail(expr: &Ex) -> bool {
    match expr {
        Ex::Constant(_)
        | Ex::GlobalByte(_)
        | Ex::LocalByte(_)
        | Ex::Load(_)
        | Ex::GlobalByteIs(..)
        | Ex::LocalByteIs(..)
        | Ex::Pid
        | Ex::ProcessCount
        | Ex::Last
        | Ex::Timeout => false,
        Ex::Unary(_, operand) => may_fail(operand),
        Ex::Binary(op, pair) => {
            matches!(op, BinaryOp::Divide | BinaryOp::Remainder) || may_fail(&pair.0) || may_fail(&pair.1)
        }
        Ex::And(pair) | Ex::Or(pair) => may_fail(&pair.0) || may_fail(&pair.1),
        Ex::Conditional(parts) => may_fail(&parts.0) || may_fail(&parts.1) || may_fail(&parts.2),
        _ => true,
    }
}

/// The comparison that an operator is.
fn compare(op: BinaryOp) -> Option<IntCC> {
    Some(match op {
        BinaryOp::Equal => IntCC::Equal,
        BinaryOp::NotEqual => IntCC::NotEqual,
        BinaryOp::Less => IntCC::SignedLessThan,
        BinaryOp::LessEqual => IntCC::SignedLessThanOrEqual,
        BinaryOp::Greater => IntCC::SignedGreaterThan,
        BinaryOp::GreaterEqual => IntCC::SignedGreaterThanOrEqual,
        _ => return None,
    })
}
