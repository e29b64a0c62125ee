//! Sends and receives as code. The channel's id is known only at run time; the code looks up its type and has a part for each shape of
//! message that has as many fields as the statement (see `shapes`). Any other channel is the interpreter's.

use super::code::Context;
use super::function::{MOST_MOVED_BYTES, Maker, flags};
use super::shapes::{Shape, TypeEntry};
use super::values::Spot;
use crate::exec::program::{Pattern, Receive, Send};
use crate::model::Scalar;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I16, I32, I64, Type};
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};
use std::mem::offset_of;

impl Maker<'_, '_> {
    /// Goes to a part of its own for each of the shapes; `part` makes the code of one. Every part that comes to its end goes on behind.
    fn by_shape(&mut self, ty: Value, shapes: &[(u32, Shape)], mut part: impl FnMut(&mut Self, &Shape)) {
        let join = self.b.create_block();
        let shape = self.of_type(ty, offset_of!(TypeEntry, shape));
        for (number, known) in shapes {
            let (this, other) = (self.b.create_block(), self.b.create_block());
            let is_this = self.b.ins().icmp_imm(IntCC::Equal, shape, i64::from(*number));
            self.b.ins().brif(is_this, this, &[], other, &[]);
            self.b.switch_to_block(this);
            part(self, known);
            self.jump(join);
            self.b.switch_to_block(other);
        }
        self.jump(self.bail);
        self.b.switch_to_block(join);
    }

    fn length(&mut self, channel: &Spot, shape: &Shape) -> Value {
        self.read(channel, length_scalar(shape))
    }

    pub(super) fn send(&mut self, send: &Send) {
        let Some(shapes) = self.shapes.with_fields(send.values.len()) else { return };
        let (id, at, ty) = self.channel(&send.channel);
        let channel = self.spot(at);
        self.by_shape(ty, &shapes, |maker, shape| {
            if shape.length_size == 0 {
                maker.offer(send, shape, id);
                return;
            }
            let length = maker.length(&channel, shape);
            let capacity = maker.of_type(ty, offset_of!(TypeEntry, capacity));
            let room = maker.b.ins().icmp(IntCC::UnsignedLessThan, length, capacity);
            maker.require(room, maker.blocked);
            let values: Vec<Value> = send.values.iter().map(|value| maker.value(value)).collect();
            let offset = maker.b.ins().imul_imm(length, i64::from(shape.slot_size));
            let slot = maker.b.ins().iadd(at, offset);
            let slot = Spot { offset: shape.length_size as i32, ..maker.spot(slot) };
            // The slot was empty: it becomes zero again.
            maker.save_zeros(&slot, at, shape.slot_size);
            for (&value, &(offset, scalar)) in values.iter().zip(&shape.fields) {
                let value = maker.truncate(scalar, value);
                let address = slot.address;
                let offset = slot.offset + offset as i32;
                match scalar {
                    Scalar::U8 | Scalar::Bits { .. } => maker.b.ins().istore8(flags(), value, address, offset),
                    Scalar::I16 | Scalar::U16 { .. } => maker.b.ins().istore16(flags(), value, address, offset),
                    Scalar::I32 | Scalar::U32 { .. } => maker.b.ins().store(flags(), value, address, offset),
                };
            }
            let longer = maker.b.ins().iadd_imm(length, 1);
            maker.write(&channel, length_scalar(shape), longer);
        });
    }

    /// A send on a rendezvous channel: writes the message where offers are kept. The transition goes on behind as one that offers.
    fn offer(&mut self, send: &Send, shape: &Shape, id: Value) {
        if self.in_step {
            self.jump(self.bail);
            self.unreachable();
            return;
        }
        let values: Vec<Value> = send.values.iter().map(|value| self.value(value)).collect();
        let message = self.around(I64, offset_of!(Context, message));
        for (number, (&value, &(_, scalar))) in values.iter().zip(&shape.fields).enumerate() {
            let value = self.truncate(scalar, value);
            self.b.ins().store(flags(), value, message, 4 * number as i32);
        }
        self.b.ins().store(flags(), id, self.context, offset_of!(Context, offers_on) as i32);
        let offers = match self.offers {
            Some(offers) => offers,
            None => self.b.create_block(),
        };
        self.offers = Some(offers);
        self.jump(offers);
        self.unreachable();
    }

    /// A block that nothing leads to, for the code behind a jump.
    fn unreachable(&mut self) {
        let unreachable = self.b.create_block();
        self.b.switch_to_block(unreachable);
    }

    /// A receive while nothing is offered.
    pub(super) fn receive(&mut self, receive: &Receive) {
        let Some(shapes) = self.shapes.with_fields(receive.patterns.len()) else { return };
        let (_, at, ty) = self.channel(&receive.channel);
        let channel = self.spot(at);
        self.by_shape(ty, &shapes, |maker, shape| {
            if shape.length_size == 0 {
                // Nobody offers anything. Inside a `d_step` a rendezvous may be an error.
                let goal = if maker.in_step { maker.bail } else { maker.blocked };
                maker.jump(goal);
                maker.unreachable();
                return;
            }
            let blocked = maker.blocked;
            let length = maker.first_fits(receive, (&channel, shape), blocked);
            for (pattern, &field) in receive.patterns.iter().zip(&shape.fields) {
                if let Pattern::Store(target) = pattern {
                    let value = maker.field(&channel, shape, field);
                    let (spot, scalar) = maker.target(target);
                    maker.write(&spot, scalar, value);
                }
            }
            if !receive.copy {
                maker.remove((at, &channel), shape, length);
            }
        });
    }

    /// Goes to `otherwise` unless there is a first message and the receive would take it. Gives the length of the channel.
    fn first_fits(&mut self, receive: &Receive, (channel, shape): (&Spot, &Shape), otherwise: Block) -> Value {
        let length = self.length(channel, shape);
        self.require(length, otherwise);
        for (pattern, &field) in receive.patterns.iter().zip(&shape.fields) {
            if let Pattern::Match(value) = pattern {
                let sent = self.field(channel, shape, field);
                let wanted = self.value(value);
                let equal = self.b.ins().icmp(IntCC::Equal, sent, wanted);
                self.require(equal, otherwise);
            }
        }
        length
    }

    /// A field of the first message.
    fn field(&mut self, channel: &Spot, shape: &Shape, (offset, scalar): (u32, Scalar)) -> Value {
        let spot = Spot { offset: channel.offset + (shape.length_size + offset) as i32, ..*channel };
        self.read(&spot, scalar)
    }

    /// Takes the first message out: the others move up, and what was the last slot becomes zero.
    fn remove(&mut self, (at, channel): (Value, &Spot), shape: &Shape, length: Value) {
        let bytes = self.b.ins().imul_imm(length, i64::from(shape.slot_size));
        let few = self.b.ins().icmp_imm(IntCC::UnsignedLessThanOrEqual, bytes, i64::from(MOST_MOVED_BYTES));
        self.require(few, self.bail);
        // The length and all messages go into the journal, word by word.
        let all = self.b.ins().iadd_imm(bytes, i64::from(shape.length_size));
        let end = self.b.ins().iadd(at, all);
        self.each(at, end, 4, |maker, at| {
            let spot = maker.spot(at);
            let old = maker.b.ins().load(I32, flags(), spot.address, 0);
            maker.save_word(at, old);
        });
        let (width, step) = stride(shape.slot_size);
        let first = self.b.ins().iadd_imm(at, i64::from(shape.length_size));
        let last = self.b.ins().iadd_imm(end, -i64::from(shape.slot_size));
        self.each(first, last, step, |maker, at| {
            let spot = maker.spot(at);
            let value = maker.b.ins().load(width, flags(), spot.address, shape.slot_size as i32);
            maker.b.ins().store(flags(), value, spot.address, 0);
        });
        let last = self.spot(last);
        self.put_zeros(&last, shape.slot_size);
        let shorter = self.b.ins().iadd_imm(length, -1);
        self.put(channel, length_scalar(shape), shorter);
    }

    /// A loop over places in the buffer, from one to another in steps.
    fn each(&mut self, from: Value, to: Value, step: u32, body: impl FnOnce(&mut Self, Value)) {
        let (head, inside, behind) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let at = self.b.append_block_param(head, I32);
        self.b.ins().jump(head, &[BlockArg::Value(from)]);
        self.b.switch_to_block(head);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, at, to);
        self.b.ins().brif(more, inside, &[], behind, &[]);
        self.b.switch_to_block(inside);
        body(self, at);
        let next = self.b.ins().iadd_imm(at, i64::from(step));
        self.b.ins().jump(head, &[BlockArg::Value(next)]);
        self.b.switch_to_block(behind);
    }

    /// A receive while something is offered: it takes the offer or is blocked.
    pub(super) fn hear(&mut self, receive: &Receive) {
        let (id, _, ty) = self.channel(&receive.channel);
        let offered_on = self.around(I32, offset_of!(Context, offered_on));
        let same = self.b.ins().icmp(IntCC::Equal, id, offered_on);
        self.require(same, self.blocked);
        if receive.copy {
            self.jump(self.bail);
            self.unreachable();
            return;
        }
        let fields = self.of_type(ty, offset_of!(TypeEntry, fields));
        let as_many = self.b.ins().icmp_imm(IntCC::Equal, fields, receive.patterns.len() as i64);
        self.require(as_many, self.bail);
        // A type without a shape may be traced, and the interpreter has to tell the trace.
        let shape = self.of_type(ty, offset_of!(TypeEntry, shape));
        let plain = self.b.ins().icmp_imm(IntCC::NotEqual, shape, i64::from(super::shapes::NO_SHAPE as i32));
        self.require(plain, self.bail);
        let message = self.around(I64, offset_of!(Context, offered));
        let said = |maker: &mut Self, number: usize| maker.b.ins().load(I32, flags(), message, 4 * number as i32);
        for (number, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Match(value) = pattern {
                let sent = said(self, number);
                let wanted = self.value(value);
                let equal = self.b.ins().icmp(IntCC::Equal, sent, wanted);
                self.require(equal, self.blocked);
            }
        }
        for (number, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Store(target) = pattern {
                let value = said(self, number);
                let (spot, scalar) = self.target(target);
                self.write(&spot, scalar, value);
            }
        }
    }

    /// `q?[…]`: 1 if the receive would take the first message.
    pub(super) fn poll(&mut self, receive: &Receive) -> Value {
        let (yes, no) = (self.b.create_block(), self.b.create_block());
        let shapes = self.shapes.with_fields(receive.patterns.len()).unwrap_or_default();
        let (_, at, ty) = self.channel(&receive.channel);
        // While something is offered nothing else can be received.
        if self.hears {
            self.jump(self.bail);
            self.unreachable();
        }
        let channel = self.spot(at);
        self.by_shape(ty, &shapes, |maker, shape| {
            if shape.length_size == 0 {
                maker.jump(maker.bail);
                maker.unreachable();
                return;
            }
            maker.first_fits(receive, (&channel, shape), no);
        });
        self.jump(yes);
        self.one_or_zero(yes, no)
    }
}

fn length_scalar(shape: &Shape) -> Scalar {
    match shape.length_size {
        1 => Scalar::U8,
        _ => Scalar::U16 { width: 16 },
    }
}

/// The widest step by which so many bytes can be moved.
pub(super) fn stride(bytes: u32) -> (Type, u32) {
    match bytes {
        size if size % 8 == 0 => (I64, 8),
        size if size % 4 == 0 => (I32, 4),
        size if size % 2 == 0 => (I16, 2),
        _ => (I8, 1),
    }
}
