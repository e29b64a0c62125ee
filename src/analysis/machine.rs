//! The executor's state, as the analysis sees it.

use super::dependence::StateView;
use crate::exec::Machine;
use crate::model::{Region, Scalar};

impl StateView for Machine<'_> {
    #[inline]
    fn process_count(&self) -> usize {
        Machine::process_count(self)
    }

    #[inline]
    fn proctype(&self, pid: usize) -> usize {
        Machine::proctype(self, pid) as usize
    }

    #[inline]
    fn location(&self, pid: usize) -> u32 {
        Machine::location(self, pid)
    }

    #[inline]
    fn load(&self, pid: usize, region: Region, offset: u32, scalar: Scalar) -> i32 {
        self.scalar(pid, region, offset, scalar)
    }

    fn channel_length(&self, id: i32) -> Option<i32> {
        self.channel_fill(id).map(|(length, _)| length as i32)
    }

    fn channel_capacity(&self, id: i32) -> Option<i32> {
        self.channel_fill(id).map(|(_, capacity)| capacity as i32)
    }
}
