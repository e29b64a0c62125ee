//! Reads parts of the state without executing anything: what the analysis asks.

use super::Machine;
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
}
