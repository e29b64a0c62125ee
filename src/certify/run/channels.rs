//! Channels: what a test of one gives, which message a receive takes, what a send does.

use super::{Field, Me, Offered, Run, Taken};
use crate::certify::fault::FaultKind;
use crate::certify::names::{Kind, Shape};
use crate::certify::state::Channel;
use crate::source::Span;
use crate::syntax::tree::{ChannelTest, Expr, ExprKind, ReceiveArgument, VarRef};
use std::rc::Rc;

impl<'d> Run<'d> {
    pub(super) fn channel(&self, id: i32) -> Option<&Rc<Channel>> {
        self.state.channels.get(usize::try_from(id).ok()?.checked_sub(1)?)
    }

    pub(super) fn channel_test(&self, me: Me, test: ChannelTest, var: &VarRef) -> i32 {
        let (length, capacity) = match self.channel(self.variable(me, var)) {
            Some(channel) => (channel.messages.len(), channel.shape.capacity),
            None => (self.note(FaultKind::NoChannel, var.span) as usize, 1),
        };
        match test {
            ChannelTest::Len => length as i32,
            ChannelTest::Empty => i32::from(length == 0),
            ChannelTest::NotEmpty => i32::from(length != 0),
            // A rendezvous channel is never full.
            ChannelTest::Full => i32::from(capacity != 0 && length == capacity),
            ChannelTest::NotFull => i32::from(capacity == 0 || length != capacity),
        }
    }

    pub(super) fn poll(
        &self,
        me: Me,
        channel: &VarRef,
        random: bool,
        arguments: &[ReceiveArgument],
        span: Span,
    ) -> i32 {
        let id = self.variable(me, channel);
        if self.channel(id).is_some_and(|channel| channel.shape.capacity == 0) {
            return self.note(FaultKind::PollRendezvous, span);
        }
        let pattern = self.pattern(me, arguments);
        i32::from(self.find(me, id, random, false, &pattern, span).is_some())
    }

    /// A pattern field by field: a whole typedef stands for all its parts.
    pub(super) fn pattern<'e>(&self, me: Me, arguments: &'e [ReceiveArgument]) -> Vec<Field<'e>> {
        let mut fields = Vec::new();
        for argument in arguments {
            match argument {
                ReceiveArgument::Anything(_) => fields.push(Field::Any),
                ReceiveArgument::Constant(value) | ReceiveArgument::Eval(value) => fields.push(Field::Equals(value)),
                ReceiveArgument::Variable(var) => self.pattern_variable(me, var, &mut fields),
            }
        }
        fields
    }

    pub(super) fn pattern_variable<'e>(&self, me: Me, var: &'e VarRef, fields: &mut Vec<Field<'e>>) {
        let name = var.segments.first().map_or("_", |first| &*first.name.name);
        if let Some(&value) = self.definition.names.mtypes.get(name) {
            return fields.push(Field::Is(value));
        }
        if name == "_" {
            return fields.push(Field::Any);
        }
        // Only the type is asked for: an index that is wrong is an error when something is stored, not now.
        match self.record_of(me, var) {
            Some(record) => {
                let count = self.parts(&self.definition.names.records[record]).len();
                fields.extend((0..count).map(|part| Field::Store(var, Some(part))));
            }
            None => fields.push(Field::Store(var, None)),
        }
    }

    /// The typedef of a reference to a whole one.
    pub(super) fn record_of(&self, me: Me, var: &VarRef) -> Option<usize> {
        let (first, rest) = var.segments.split_first()?;
        let local = me
            .body
            .and_then(|body| self.body(body).local(me.scope, &first.name.name).map(|at| &self.body(body).locals[at]));
        let names = &self.definition.names;
        let mut variable = match local {
            Some(local) => local,
            None => &names.globals[*names.global_names.get(&first.name.name)?],
        };
        for segment in rest {
            let Kind::Record(record) = variable.kind else { return None };
            variable = names.records[record].fields.iter().find(|field| field.name == segment.name.name)?;
        }
        match variable.kind {
            Kind::Record(record) => Some(record),
            Kind::Number(_) => None,
        }
    }

    /// The message that a receive takes, if there is one.
    pub(super) fn find(
        &self,
        me: Me,
        id: i32,
        random: bool,
        copy: bool,
        pattern: &[Field<'_>],
        span: Span,
    ) -> Option<Taken> {
        let Some(channel) = self.channel(id) else {
            self.note(FaultKind::NoChannel, span);
            return None;
        };
        if channel.shape.capacity == 0 {
            let offered = self.offered.as_ref().filter(|offered| offered.channel == id)?;
            if copy {
                self.note(FaultKind::PollRendezvous, span);
                return None;
            }
            return self.fits(me, pattern, &offered.message, &channel.shape).then_some(Taken::Offered);
        }
        if self.offered.is_some() {
            return None;
        }
        let looked_at = if random { channel.messages.len() } else { channel.messages.len().min(1) };
        (0..looked_at).find(|&at| self.fits(me, pattern, &channel.messages[at], &channel.shape)).map(Taken::At)
    }

    /// A field that the message does not have counts as 0.
    pub(super) fn fits(&self, me: Me, pattern: &[Field<'_>], message: &[i32], shape: &Shape) -> bool {
        let fields = shape.fields.len();
        pattern.iter().enumerate().all(|(at, field)| {
            let found = || {
                let found = if at < fields { message.get(at).copied().unwrap_or(0) } else { 0 };
                self.known((!shape.open.contains(&at)).then_some(found))
            };
            match field {
                Field::Any | Field::Store(..) => true,
                Field::Is(value) => *value == found(),
                Field::Equals(value) => self.value(me, value) == found(),
            }
        })
    }

    /// Values of arguments that somebody looks at.
    pub(super) fn arguments(&self, me: Me, arguments: &[Expr]) -> Vec<i32> {
        self.open_arguments(me, arguments).into_iter().map(|value| self.known(value)).collect()
    }

    /// Values of arguments, some of which may be open: a whole typedef gives all its parts.
    pub(super) fn open_arguments(&self, me: Me, arguments: &[Expr]) -> Vec<Option<i32>> {
        let mut values = Vec::new();
        for argument in arguments {
            match &argument.kind {
                ExprKind::Variable(var) if self.record_of(me, var).is_some() => match self.spot(me, var) {
                    Some(whole) => {
                        values.extend(self.spots(&whole).iter().map(|part| self.unless_open(|| self.load(part))));
                    }
                    None => {
                        let record = self.record_of(me, var).map(|at| &self.definition.names.records[at]);
                        let count = record.map_or(0, |record| self.parts(record).len());
                        values.extend(std::iter::repeat_n(Some(0), count));
                    }
                },
                _ => values.push(self.stored_value(me, argument)),
            }
        }
        values
    }

    pub(super) fn send(&mut self, me: Me, channel: &VarRef, sorted: bool, arguments: &[Expr]) -> bool {
        let id = self.variable(me, channel);
        let Some(found) = self.channel(id).cloned() else {
            self.note(FaultKind::NoChannel, channel.span);
            return false;
        };
        let shape = &found.shape;
        if shape.capacity != 0 && found.messages.len() >= shape.capacity {
            return false;
        }
        let values = self.open_arguments(me, arguments).into_iter().enumerate();
        let mut message: Vec<i32> =
            values.map(|(at, value)| if shape.open.contains(&at) { 0 } else { self.known(value) }).collect();
        if message.len() > shape.fields.len() {
            self.note(FaultKind::TooManyFields, channel.span);
            return false;
        }
        if sorted && !shape.open.is_empty() {
            // The order of messages hangs on all that is in them.
            self.known(None);
        }
        let complete = message.len() == shape.fields.len();
        message.resize(shape.fields.len(), 0);
        // The place of a sorted send is found with the values as they are given, not as they are kept.
        let behind = found.messages.iter().position(|old| sorted && *old > message).unwrap_or(found.messages.len());
        for (value, field) in message.iter_mut().zip(&shape.fields) {
            *value = field.cut(*value);
        }
        if shape.capacity == 0 {
            self.offered = Some(Offered { channel: id, message: message.clone() });
        } else {
            Rc::make_mut(&mut self.state.channels[id as usize - 1]).messages.insert(behind, message.clone());
        }
        if complete {
            self.observe(id, true, &message, channel.span);
        } else {
            self.note(FaultKind::TooFewFields, channel.span);
        }
        true
    }

    pub(super) fn receive(
        &mut self,
        me: Me,
        channel: &VarRef,
        random: bool,
        copy: bool,
        arguments: &[ReceiveArgument],
    ) -> bool {
        let id = self.variable(me, channel);
        let pattern = self.pattern(me, arguments);
        let Some(taken) = self.find(me, id, random, copy, &pattern, channel.span) else { return false };
        let Some(found) = self.channel(id).cloned() else { return false };
        let message = match taken {
            Taken::At(at) => found.messages[at].clone(),
            Taken::Offered => self.offered.as_ref().map(|offered| offered.message.clone()).unwrap_or_default(),
        };
        for (at, field) in pattern.iter().enumerate() {
            if let Field::Store(var, part) = field {
                let value = message.get(at).copied().unwrap_or(0);
                self.store_field(me, var, *part, (!found.shape.open.contains(&at)).then_some(value));
            }
        }
        match taken {
            Taken::At(at) if !copy => {
                Rc::make_mut(&mut self.state.channels[id as usize - 1]).messages.remove(at);
            }
            Taken::At(_) => {}
            Taken::Offered => self.offered = None,
        }
        if !copy && self.observe(id, false, &message, channel.span) {
            return true;
        }
        if pattern.len() > found.shape.fields.len() {
            self.note(FaultKind::TooManyFields, channel.span);
        } else if pattern.len() < found.shape.fields.len() && !copy {
            self.note(FaultKind::TooFewFields, channel.span);
        }
        true
    }

    /// The place is found when it is its turn: an earlier field may have changed an index.
    pub(super) fn store_field(&mut self, me: Me, var: &VarRef, part: Option<usize>, value: Option<i32>) {
        let Some(spot) = self.spot(me, var) else { return };
        match part {
            None => self.store(&spot, value),
            Some(part) => {
                if let Some(spot) = self.spots(&spot).get(part) {
                    self.store(spot, value);
                }
            }
        }
    }
}
