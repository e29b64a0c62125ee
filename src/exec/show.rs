//! States as text, with the names of the model: for replay, simulation and reports.

use super::Machine;
use crate::model::{Channel, Model, Place, Proctype, Region, ScalarType, Variable};
use std::fmt::Write;

/// Shows the state of a machine with the names of its model.
pub struct View<'a> {
    /// The model the machine's program was compiled from.
    pub model: &'a Model,
    /// The state.
    pub machine: &'a Machine<'a>,
}

/// A variable or channel and its value, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// `x`, `a[2].b`, `sender(1):count`.
    pub name: String,
    /// `3`, `ack`, `[data,1] [data,2]`.
    pub value: String,
}

impl View<'_> {
    /// A value of this type in words.
    pub fn value(&self, ty: ScalarType, value: i32) -> String {
        match ty {
            ScalarType::Mtype(set) => self.mtype(set, value).map_or_else(|| value.to_string(), str::to_string),
            ScalarType::Chan => match u32::try_from(value).ok().and_then(|id| self.channel_declaration(id)) {
                Some(channel) => channel.name.to_string(),
                None if value == 0 => "none".to_string(),
                None => value.to_string(),
            },
            _ => value.to_string(),
        }
    }

    /// The name of an mtype value.
    pub fn mtype(&self, set: u16, value: i32) -> Option<&str> {
        let index = usize::try_from(value).ok()?.checked_sub(1)?;
        Some(self.model.mtypes.get(set as usize)?.names.get(index)?)
    }

    /// The process type of a process.
    pub fn proctype(&self, pid: usize) -> &Proctype {
        &self.model.proctypes[self.machine.proctype(pid) as usize]
    }

    /// `name(pid)`.
    pub fn process_name(&self, pid: usize) -> String {
        format!("{}({pid})", self.proctype(pid).name)
    }

    /// Every variable and channel of the state, globals first.
    pub fn variables(&self) -> Vec<Shown> {
        let mut shown = Vec::new();
        let globals = self.machine.program().global_base();
        for variable in &self.model.globals {
            let base = if variable.region == Region::Hidden { 0 } else { globals };
            self.variable("", variable, base, &mut shown);
        }
        for (index, channel) in self.model.channels.iter().enumerate() {
            shown.push(self.channel(channel.name.to_string(), index, channel));
        }
        let mut next = self.model.channels.len();
        for pid in 0..self.machine.process_count() {
            let prefix = format!("{}:", self.process_name(pid));
            let proctype = self.proctype(pid);
            for variable in &proctype.locals {
                self.variable(&prefix, variable, self.machine.processes[pid], &mut shown);
            }
            for channel in &proctype.channels {
                shown.push(self.channel(format!("{prefix}{}", channel.name), next, channel));
                next += 1;
            }
        }
        shown
    }

    fn variable(&self, prefix: &str, variable: &Variable, base: u32, shown: &mut Vec<Shown>) {
        let total: u32 = variable.dimensions.iter().map(|dimension| dimension.length).product();
        for element in 0..total {
            let mut rest = element;
            let mut indices = vec![0; variable.dimensions.len()];
            for (index, dimension) in indices.iter_mut().zip(&variable.dimensions).rev() {
                *index = rest % dimension.length;
                rest /= dimension.length;
            }
            let offset: u32 = indices.iter().zip(&variable.dimensions).map(|(i, d)| i * d.stride).sum();
            let mut name = String::from(prefix);
            let mut next = indices.iter();
            for (number, part) in variable.path.split("[]").enumerate() {
                if number > 0 {
                    let _ = write!(name, "[{}]", next.next().copied().unwrap_or(0));
                }
                name.push_str(part);
            }
            let value = self.machine.read(base + variable.offset + offset, variable.scalar);
            let value = self.value(variable.ty, value);
            // A variable that holds the channel it was declared with: the channel itself is shown under this name.
            if variable.ty == ScalarType::Chan && name.strip_prefix(prefix) == Some(value.as_str()) {
                continue;
            }
            shown.push(Shown { name, value });
        }
    }

    /// The name of a variable as a process reads it, with the values of its indices: `x`, `a[2].b`. `None` if an index is out
    /// of range.
    pub fn place_name(&self, pid: usize, place: &Place) -> Option<String> {
        let variables = match place.region {
            Region::Local => &self.proctype(pid).locals,
            Region::Hidden | Region::Global => &self.model.globals,
        };
        self.name_among(variables, Some(pid), place)
    }

    /// The same for a variable of the list; the indices are those that `pid` (or nobody) computes.
    pub fn name_among(&self, variables: &[Variable], pid: Option<usize>, place: &Place) -> Option<String> {
        let variable = variables.get(place.variable as usize)?;
        let mut rest = place.offset.checked_sub(variable.offset)?;
        for index in &place.indices {
            let value = self.machine.value_of(pid, &self.machine.program().expression(&index.value)).ok()?;
            rest += u32::try_from(value).ok().filter(|&value| value < index.dimension.length)? * index.dimension.stride;
        }
        let mut parts = variable.path.split("[]");
        let mut name = parts.next().unwrap_or_default().to_string();
        for (dimension, part) in variable.dimensions.iter().zip(parts) {
            let _ = write!(name, "[{}]{part}", rest / dimension.stride.max(1));
            rest %= dimension.stride.max(1);
        }
        Some(name)
    }

    fn channel(&self, name: String, index: usize, channel: &Channel) -> Shown {
        let messages: Vec<String> =
            (0..self.machine.queue_length(index)).map(|slot| self.message(channel, index, slot)).collect();
        Shown { name, value: if messages.is_empty() { "empty".to_string() } else { messages.join(" ") } }
    }

    fn message(&self, channel: &Channel, index: usize, slot: u32) -> String {
        let at = self.machine.slot_at(index, slot);
        let fields: Vec<String> = channel
            .fields
            .iter()
            .map(|field| self.value(field.ty, self.machine.read(at + field.offset, field.scalar)))
            .collect();
        format!("[{}]", fields.join(","))
    }

    /// The messages in the channel with this index (id - 1), oldest first, as text.
    pub fn messages(&self, index: usize) -> Vec<String> {
        let Some(channel) = self.channel_declaration(index as u32 + 1) else { return Vec::new() };
        (0..self.machine.queue_length(index)).map(|slot| self.message(channel, index, slot)).collect()
    }

    /// The values of a message of this channel, as text.
    pub fn message_text(&self, channel: &Channel, values: &[i32]) -> String {
        let field = |(index, &value): (usize, &i32)| match channel.fields.get(index) {
            Some(field) => self.value(field.ty, value),
            None => value.to_string(),
        };
        format!("[{}]", values.iter().enumerate().map(field).collect::<Vec<_>>().join(","))
    }

    /// The declaration of the channel with this id.
    pub fn channel_declaration(&self, id: u32) -> Option<&Channel> {
        let mut index = (id as usize).checked_sub(1)?;
        if let Some(channel) = self.model.channels.get(index) {
            return Some(channel);
        }
        index -= self.model.channels.len();
        for pid in 0..self.machine.process_count() {
            let channels = &self.proctype(pid).channels;
            if index < channels.len() {
                return channels.get(index);
            }
            index -= channels.len();
        }
        None
    }
}

impl Machine<'_> {
    /// Messages in the channel with this index (id - 1).
    pub fn queue_length(&self, index: usize) -> u32 {
        self.length(self.channels[index])
    }

    /// Channels that exist now.
    pub fn channel_count(&self) -> usize {
        self.channels.len()
    }

    /// Absolute place of a slot of a channel.
    fn slot_at(&self, index: usize, slot: u32) -> u32 {
        let channel = self.channels[index];
        let ty = &self.program.channels[channel.ty as usize];
        channel.at + ty.length_size + slot * ty.slot_size
    }
}
