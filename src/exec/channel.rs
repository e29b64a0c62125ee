//! Channels: length, matching, sending and receiving. The slots behind the last message are zero, so that a message that was
//! received leaves no trace in the state.

use super::journal::Undo;
use super::program::{Pattern, Receive, Send};
use super::{ChannelRef, Fired, Handshake, Machine, Me, Trap, TrapKind};
use crate::model::Scalar;
use crate::mutants::{self, Mutant};

/// A message that a receive would take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// In this slot of a buffered channel.
    Slot(u32),
    /// The one that a sender offers now.
    Offered(Handshake),
}

impl Machine<'_> {
    /// The channel with this id, if there is one.
    #[inline]
    pub(super) fn channel(&self, id: i32) -> Option<ChannelRef> {
        self.channels.get((id as usize).wrapping_sub(1)).copied()
    }

    #[inline]
    pub(super) fn capacity(&self, channel: ChannelRef) -> u32 {
        self.program.channels[channel.ty as usize].capacity
    }

    /// Messages in it.
    #[inline]
    pub(super) fn length(&self, channel: ChannelRef) -> u32 {
        match self.program.channels[channel.ty as usize].length_size {
            0 => 0,
            1 => u32::from(self.buffer[channel.at as usize]),
            _ => self.half(channel.at),
        }
    }

    fn set_length(&mut self, channel: ChannelRef, length: u32) {
        let scalar = match self.program.channels[channel.ty as usize].length_size {
            1 => Scalar::U8,
            _ => Scalar::U16 { width: 16 },
        };
        self.write(channel.at, scalar, length as i32);
    }

    #[inline]
    fn slot(&self, channel: ChannelRef, slot: u32) -> u32 {
        let ty = &self.program.channels[channel.ty as usize];
        channel.at + ty.length_size + slot * ty.slot_size
    }

    /// A field of a message. A field that the message does not have reads as 0, as in SPIN.
    fn field(&self, channel: ChannelRef, found: Found, number: usize) -> i32 {
        if number >= self.program.channels[channel.ty as usize].fields.len() {
            return 0;
        }
        match found {
            Found::Slot(slot) => {
                let (offset, scalar) = self.program.channels[channel.ty as usize].fields[number];
                self.read(self.slot(channel, slot) + offset, scalar)
            }
            Found::Offered(handshake) => self.messages[handshake.start as usize + number],
        }
    }

    fn fits(&self, me: Me, receive: &Receive, channel: ChannelRef, found: Found) -> bool {
        if receive.matches && !mutants::is(Mutant::PatternIgnored) {
            for (number, pattern) in receive.patterns.iter().enumerate() {
                if let Pattern::Match(value) = pattern
                    && self.field(channel, found, number) != self.eval(me, value)
                {
                    return false;
                }
            }
        }
        true
    }

    /// The message that this receive would take now.
    pub(super) fn find_message(&self, me: Me, receive: &Receive) -> Option<(ChannelRef, Found)> {
        let id = self.eval(me, &receive.channel);
        let Some(channel) = self.channel(id) else {
            self.trap(TrapKind::ChannelReceive, receive.site);
            return None;
        };
        let ty = &self.program.channels[channel.ty as usize];
        if ty.capacity == 0 {
            let found = Found::Offered(self.handshake.filter(|handshake| handshake.channel == id as u32)?);
            if receive.copy {
                // Nothing is there to be looked at: an offer is taken or it was none.
                self.trap(TrapKind::PollRendezvous, receive.site);
                return None;
            }
            return self.fits(me, receive, channel, found).then_some((channel, found));
        }
        if self.handshake.is_some() {
            return None;
        }
        let length = self.length(channel);
        let last = if receive.random || mutants::is(Mutant::ReceiveOutOfOrder) { length } else { length.min(1) };
        (0..last).map(Found::Slot).find(|&slot| self.fits(me, receive, channel, slot)).map(|slot| (channel, slot))
    }

    /// Takes a message, if there is one that fits.
    pub(super) fn receive(&mut self, me: Me, receive: &Receive) -> Option<Fired> {
        let (channel, found) = self.find_message(me, receive)?;
        let id = self.eval(me, &receive.channel) as u32;
        let traced = self.program.channels[channel.ty as usize].traced_receive;
        if traced {
            self.scratch.clear();
            for number in 0..self.program.channels[channel.ty as usize].fields.len() {
                let value = self.field(channel, found, number);
                self.scratch.push(value);
            }
        }
        for (number, pattern) in receive.patterns.iter().enumerate() {
            if let Pattern::Store(target) = pattern {
                let value = self.field(channel, found, number);
                self.assign(me, target, value);
            }
        }
        match found {
            Found::Slot(slot) if !receive.copy || mutants::is(Mutant::CopyTakes) => self.remove(channel, slot),
            Found::Slot(_) => {}
            Found::Offered(handshake) => {
                self.journal.push(Undo::Take, handshake.channel, handshake.start);
                self.handshake = None;
            }
        }
        if traced && !receive.copy {
            return Some(self.observe(id, false, receive.site));
        }
        let fields = self.program.channels[channel.ty as usize].fields.len();
        // Too many are an error when a message is taken, not before.
        if receive.patterns.len() > fields {
            return Some(Fired::DoneWith(Trap::new(TrapKind::TooManyFields, receive.site)));
        }
        if receive.patterns.len() < fields && !receive.copy {
            return Some(Fired::DoneWith(Trap::new(TrapKind::TooFewFields, receive.site)));
        }
        Some(Fired::Done)
    }

    fn save(&mut self, at: u32, length: u32) {
        self.journal.bytes.extend_from_slice(&self.buffer[at as usize..(at + length) as usize]);
        self.journal.push(Undo::Bytes, at, length);
    }

    fn remove(&mut self, channel: ChannelRef, slot: u32) {
        let length = self.length(channel);
        let from = self.slot(channel, slot);
        let next = self.slot(channel, slot + 1) as usize;
        let end = self.slot(channel, length);
        self.save(from, end - from);
        self.buffer.copy_within(next..end as usize, from as usize);
        let size = next - from as usize;
        self.buffer[end as usize - size..end as usize].fill(0);
        self.set_length(channel, length - 1);
    }

    /// Sends; `None` if the channel is full.
    pub(super) fn send(&mut self, me: Me, send: &Send) -> Option<Fired> {
        let id = self.eval(me, &send.channel);
        let Some(channel) = self.channel(id) else {
            self.trap(TrapKind::ChannelSend, send.site);
            return None;
        };
        let ty = &self.program.channels[channel.ty as usize];
        let length = self.length(channel);
        if ty.capacity != 0 && length >= ty.capacity {
            return None;
        }
        if send.values.len() > ty.fields.len() {
            self.trap(TrapKind::TooManyFields, send.site);
            return None;
        }
        self.scratch.clear();
        for value in &send.values {
            let value = self.eval(me, value);
            self.scratch.push(value);
        }
        let mut fired = Fired::Done;
        if self.scratch.len() < ty.fields.len() {
            self.scratch.resize(ty.fields.len(), 0);
            fired = Fired::DoneWith(Trap::new(TrapKind::TooFewFields, send.site));
        }
        // SPIN finds the place of a sorted send with the values as they are given, not as they will be stored.
        let slot = if send.sorted && ty.capacity != 0 && !mutants::is(Mutant::SortedSendAppends) {
            self.sorted_slot(channel, length)
        } else {
            length
        };
        for (value, &(_, scalar)) in self.scratch.iter_mut().zip(&ty.fields) {
            *value = scalar.truncate(*value);
        }
        if ty.capacity == 0 {
            let start = self.messages.len() as u32;
            self.messages.extend_from_slice(&self.scratch);
            self.journal.push(Undo::Offer, start, 0);
            self.handshake = Some(Handshake { channel: id as u32, start });
        } else {
            self.insert(channel, slot, length);
        }
        if ty.traced_send && fired == Fired::Done {
            return Some(self.observe(id as u32, true, send.site));
        }
        Some(fired)
    }

    /// In front of the first message that is larger, all fields compared from left to right.
    fn sorted_slot(&self, channel: ChannelRef, length: u32) -> u32 {
        let fields = self.program.channels[channel.ty as usize].fields.len();
        (0..length)
            .find(|&slot| {
                (0..fields)
                    .map(|number| self.field(channel, Found::Slot(slot), number).cmp(&self.scratch[number]))
                    .find(|order| order.is_ne())
                    .is_some_and(|order| order.is_gt())
            })
            .unwrap_or(length)
    }

    /// Puts the message in `scratch` into a slot; later ones move up.
    fn insert(&mut self, channel: ChannelRef, slot: u32, length: u32) {
        let ty = &self.program.channels[channel.ty as usize];
        let at = self.slot(channel, slot);
        let end = self.slot(channel, length);
        self.journal.push(Undo::Zero, end, ty.slot_size);
        if slot < length {
            self.save(at, end - at);
            self.buffer.copy_within(at as usize..end as usize, (at + ty.slot_size) as usize);
            self.buffer[at as usize..(at + ty.slot_size) as usize].fill(0);
        }
        for (number, &(offset, scalar)) in ty.fields.iter().enumerate() {
            let value = self.scratch[number];
            let place = (at + offset) as usize;
            match scalar {
                Scalar::U8 | Scalar::Bits { .. } => self.buffer[place] = value as u8,
                Scalar::I16 | Scalar::U16 { .. } => {
                    self.buffer[place..place + 2].copy_from_slice(&(value as u16).to_le_bytes());
                }
                Scalar::I32 | Scalar::U32 { .. } => {
                    self.buffer[place..place + 4].copy_from_slice(&value.to_le_bytes());
                }
            }
        }
        self.set_length(channel, length + 1);
    }

    /// A send to this channel would not block: there is room, or it is a rendezvous channel.
    pub(super) fn has_room(&self, me: Me, send: &Send) -> bool {
        let id = self.eval(me, &send.channel);
        let Some(channel) = self.channel(id) else {
            self.trap(TrapKind::ChannelSend, send.site);
            return false;
        };
        let capacity = self.capacity(channel);
        capacity == 0 || self.length(channel) < capacity
    }
}
