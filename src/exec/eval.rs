//! Values of expressions. Arithmetic is C's on 32-bit ints, wrapping; nothing here changes the state.
//!
//! An error does not stop the evaluation. The machine notes the error, the value counts as 0, and the step ends with that
//! error. So a search that goes on after errors goes on as SPIN's does.

use super::program::{Cell, Ex, Indexed, Target};
use super::{Machine, Me, Trap, TrapKind};
use crate::model::{BinaryOp, ChannelTest, Scalar};
use crate::mutants::{self, Mutant};

impl Machine<'_> {
    /// The value of an expression for a process. For tools outside the search.
    pub fn evaluate(&self, pid: usize, expr: &Ex) -> i32 {
        self.eval(self.me(pid), expr)
    }

    #[inline]
    pub(super) fn eval(&self, me: Me, expr: &Ex) -> i32 {
        match expr {
            Ex::Constant(value) => *value,
            Ex::GlobalByte(at) => i32::from(self.buffer[*at as usize]),
            Ex::LocalByte(at) => i32::from(self.buffer[(me.base + at) as usize]),
            Ex::GlobalByteIs(at, value) => i32::from(i32::from(self.buffer[*at as usize]) == *value),
            Ex::LocalByteIs(at, value) => i32::from(i32::from(self.buffer[(me.base + at) as usize]) == *value),
            Ex::Load(cell) => {
                let (at, scalar) = self.cell(me, cell);
                self.read(at, scalar)
            }
            _ => self.eval_inner(me, expr),
        }
    }

    fn eval_inner(&self, me: Me, expr: &Ex) -> i32 {
        match expr {
            Ex::Indexed(indexed) => self.element(me, indexed).map_or(0, |(at, scalar)| self.read(at, scalar)),
            Ex::Unary(op, operand) => op.apply(self.eval(me, operand)),
            Ex::Binary(op, pair) => {
                let left = self.eval(me, &pair.0);
                let right = self.eval(me, &pair.1);
                if mutants::is(Mutant::AddSubtracts) && *op == BinaryOp::Add {
                    return left.wrapping_sub(right);
                }
                // a division has a form of its own, which can fail
                op.apply(left, right).unwrap_or(0)
            }
            Ex::And(pair) if mutants::is(Mutant::AndIsOr) => {
                i32::from(self.eval(me, &pair.0) | self.eval(me, &pair.1) != 0)
            }
            Ex::And(pair) => i32::from(self.eval(me, &pair.0) != 0 && self.eval(me, &pair.1) != 0),
            Ex::Or(pair) => i32::from(self.eval(me, &pair.0) != 0 || self.eval(me, &pair.1) != 0),
            Ex::Divide(remainder, pair, site) => {
                let left = self.eval(me, &pair.0);
                let right = self.eval(me, &pair.1);
                match (right, remainder) {
                    (0, _) => self.trap(TrapKind::Division, *site),
                    (_, true) if mutants::is(Mutant::RemainderDivides) => left.wrapping_div(right),
                    (_, false) => left.wrapping_div(right),
                    (_, true) => left.wrapping_rem(right),
                }
            }
            Ex::Conditional(parts) => {
                if self.eval(me, &parts.0) != 0 {
                    self.eval(me, &parts.1)
                } else {
                    self.eval(me, &parts.2)
                }
            }
            Ex::Channel(test, channel, site) => {
                let id = self.eval(me, channel);
                let (length, capacity) = match self.channel(id) {
                    Some(channel) => (self.length(channel), self.capacity(channel)),
                    None => (self.trap(TrapKind::ChannelTest, *site) as u32, 1),
                };
                match test {
                    ChannelTest::Len => length as i32,
                    ChannelTest::Empty => i32::from(length == 0),
                    ChannelTest::NotEmpty => i32::from(length != 0),
                    // A rendezvous channel counts as never full.
                    ChannelTest::Full => {
                        i32::from(capacity != 0 && length + u32::from(mutants::is(Mutant::FullTooEarly)) == capacity)
                    }
                    ChannelTest::NotFull => i32::from(capacity == 0 || length != capacity),
                }
            }
            Ex::Poll(receive) => {
                let id = self.eval(me, &receive.channel);
                if self.channel(id).is_some_and(|channel| self.capacity(channel) == 0) {
                    return self.trap(TrapKind::PollRendezvous, receive.site);
                }
                i32::from(self.find_message(me, receive).is_some())
            }
            Ex::Pid => me.pid as i32,
            Ex::ProcessCount => self.process_count() as i32,
            Ex::Last => self.program.last.map_or(0, |at| i32::from(self.buffer[at as usize])),
            Ex::NonProgress => i32::from((0..self.process_count()).all(|pid| !self.place(pid).progress)),
            Ex::Timeout => i32::from(self.timeout || mutants::is(Mutant::TimeoutAlways)),
            Ex::RunResult => self.run_result,
            Ex::Enabled(pid, site) => {
                let pid = self.eval(me, pid);
                if pid == me.pid as i32 && !self.is_claim(me) {
                    return self.trap(TrapKind::EnabledSelf, *site);
                }
                self.live(pid).map_or(0, |pid| i32::from(self.provided(pid) && self.can_move(pid)))
            }
            Ex::PcValue(pid) => {
                let pid = self.eval(me, pid);
                self.live(pid).map_or(0, |pid| self.place(pid).number as i32)
            }
            Ex::GetPriority(pid) => {
                let pid = self.eval(me, pid);
                match (self.live(pid), self.program.priority) {
                    (Some(pid), Some(offset)) => i32::from(self.buffer[(self.processes[pid] + offset) as usize]),
                    _ => 0,
                }
            }
            Ex::RemoteLabel { proctype, pid, location, .. } => {
                let wanted = {
                    let first = self.program.proctypes[*proctype as usize].first_location;
                    self.program.locations[(first + location) as usize].number
                };
                // SPIN compares state numbers, whatever the type of that process is.
                self.remote(me, *proctype, pid.as_deref()).map_or(0, |pid| i32::from(self.place(pid).number == wanted))
            }
            Ex::RemoteVariable { proctype, pid, target, site } => {
                let Some(other) = self.remote(me, *proctype, pid.as_deref()) else { return 0 };
                if self.proctype(other) != *proctype {
                    return self.trap(TrapKind::NoSuchProcess, *site);
                }
                // The index, if any, is the asker's; the place is the other's.
                let (at, scalar) = match &**target {
                    Target::Cell(cell) => self.cell(self.me(other), cell),
                    Target::Indexed(indexed) => {
                        let Some(offset) = self.index(me, indexed) else { return 0 };
                        (self.processes[other] + indexed.cell.offset + offset, indexed.cell.scalar)
                    }
                };
                self.read(at, scalar)
            }
            // The cheap leaves are done by `eval`.
            _ => self.eval(me, expr),
        }
    }

    /// Notes an error; what failed counts as 0. The first error of a step is the one that is told.
    #[cold]
    pub(super) fn trap(&self, kind: TrapKind, site: u32) -> i32 {
        if self.noted.get().is_none() {
            self.noted.set(Some(Trap::new(kind, site)));
        }
        0
    }

    /// The claim's pid is 0, but its record is not that of process 0.
    pub(super) fn is_claim(&self, me: Me) -> bool {
        self.program.claim.is_some_and(|(at, _)| at == me.base)
    }

    fn live(&self, pid: i32) -> Option<usize> {
        usize::try_from(pid).ok().filter(|&pid| pid < self.process_count())
    }

    /// The process that a remote reference means, if it exists.
    fn remote(&self, me: Me, proctype: u32, pid: Option<&Ex>) -> Option<usize> {
        match pid {
            Some(pid) => self.live(self.eval(me, pid)),
            None => (0..self.process_count()).find(|&pid| self.proctype(pid) == proctype),
        }
    }

    #[inline]
    pub(super) fn cell(&self, me: Me, cell: &Cell) -> (u32, Scalar) {
        (if cell.local { me.base + cell.offset } else { cell.offset }, cell.scalar)
    }

    fn index(&self, me: Me, indexed: &Indexed) -> Option<u32> {
        let mut offset = 0;
        for (value, length, stride) in &indexed.indices {
            let value = self.eval(me, value);
            if value < 0 || value as u32 >= *length {
                self.trap(TrapKind::Index, indexed.site);
                return None;
            }
            offset += value as u32 * stride;
        }
        Some(offset)
    }

    fn element(&self, me: Me, indexed: &Indexed) -> Option<(u32, Scalar)> {
        let offset = self.index(me, indexed)?;
        let (at, scalar) = self.cell(me, &indexed.cell);
        Some((at + offset, scalar))
    }

    /// Absolute place and width of a variable; `None` if an index is out of range.
    #[inline]
    pub(super) fn locate(&self, me: Me, target: &Target) -> Option<(u32, Scalar)> {
        match target {
            Target::Cell(cell) => Some(self.cell(me, cell)),
            Target::Indexed(indexed) => self.element(me, indexed),
        }
    }
}
