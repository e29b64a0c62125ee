//! Reads parts of the state without executing anything: what the analysis asks, and what a certificate holds.

use super::program::Ex;
use super::{Machine, Me, TrapKind};
use crate::model::{Region, Scalar};

impl Machine<'_> {
    /// A scalar by region and offset; locals are those of `pid`.
    #[inline]
    pub fn scalar(&self, pid: usize, region: Region, offset: u32, scalar: Scalar) -> i32 {
        let base = match region {
            Region::Hidden => 0,
            Region::Global => self.program.global_base(),
            Region::Local => self.processes[pid],
        };
        self.read(base + offset, scalar)
    }

    /// Messages and slots of the channel with this id; `None` if there is none.
    #[inline]
    pub fn channel_fill(&self, id: i32) -> Option<(u32, u32)> {
        let channel = *self.channels.get(usize::try_from(id).ok()?.checked_sub(1)?)?;
        Some((self.length(channel), self.program.channels[channel.ty as usize].capacity))
    }

    /// The priority of a process; 1 in a model without priorities.
    pub fn priority(&self, pid: usize) -> u32 {
        self.program.priority.map_or(1, |offset| u32::from(self.buffer[(self.processes[pid] + offset) as usize]))
    }

    /// `_last`; 0 in a model that does not ask for it.
    pub fn last_mover(&self) -> u32 {
        self.program.last.map_or(0, |at| u32::from(self.buffer[at as usize]))
    }

    /// The compiled location at which the trace stands.
    pub fn trace_place(&self) -> Option<&super::program::Location> {
        let (at, number) = self.program.trace?;
        let first = self.program.proctypes[number as usize].first_location;
        self.program.locations.get((first + self.half(at)) as usize)
    }

    /// A scalar in the record of the claim; 0 if there is none.
    pub fn claim_scalar(&self, offset: u32, scalar: Scalar) -> i32 {
        self.program.claim.map_or(0, |(at, _)| self.read(at + offset, scalar))
    }

    /// The values of a message of the channel with this index (id - 1), field by field.
    pub fn message_values(&self, index: usize, slot: u32) -> Vec<i32> {
        let channel = self.channels[index];
        let ty = &self.program.channels[channel.ty as usize];
        let at = channel.at + ty.length_size + slot * ty.slot_size;
        ty.fields.iter().map(|&(offset, scalar)| self.read(at + offset, scalar)).collect()
    }

    /// The value of an expression for a process, or for somebody who watches from outside. An error is given back and not
    /// kept for the next step.
    pub fn value_of(&self, pid: Option<usize>, expr: &Ex) -> Result<i32, TrapKind> {
        // Who watches is no process: `_pid` and locals are refused before.
        let me = pid.map_or(Me { pid: u32::MAX, base: 0 }, |pid| self.me(pid));
        let value = self.eval(me, expr);
        self.noted.take().map_or(Ok(value), |trap| Err(trap.kind()))
    }
}
