//! Values of expressions. Arithmetic is C's on 32-bit ints, wrapping; nothing here changes the state.

use super::program::{Cell, Ex, Indexed, Target};
use super::{Machine, Me, Trap, TrapKind};
use crate::model::{BinaryOp, ChannelTest, Scalar, UnaryOp};

impl Machine<'_> {
    /// The value of an expression for a process. For tools outside the search.
    pub fn evaluate(&self, pid: usize, expr: &Ex) -> Result<i32, Trap> {
        self.eval(self.me(pid), expr)
    }

    #[inline]
    pub(super) fn eval(&self, me: Me, expr: &Ex) -> Result<i32, Trap> {
        Ok(match expr {
            Ex::Constant(value) => *value,
            Ex::GlobalByte(at) => i32::from(self.buffer[*at as usize]),
            Ex::LocalByte(at) => i32::from(self.buffer[(me.base + at) as usize]),
            Ex::GlobalByteIs(at, value) => i32::from(i32::from(self.buffer[*at as usize]) == *value),
            Ex::LocalByteIs(at, value) => i32::from(i32::from(self.buffer[(me.base + at) as usize]) == *value),
            Ex::Load(cell) => {
                let (at, scalar) = self.cell(me, cell);
                self.read(at, scalar)
            }
            _ => return self.eval_inner(me, expr),
        })
    }

    fn eval_inner(&self, me: Me, expr: &Ex) -> Result<i32, Trap> {
        Ok(match expr {
            Ex::Indexed(indexed) => {
                let (at, scalar) = self.element(me, indexed)?;
                self.read(at, scalar)
            }
            Ex::Unary(op, operand) => {
                let value = self.eval(me, operand)?;
                match op {
                    UnaryOp::Negate => value.wrapping_neg(),
                    UnaryOp::Not => i32::from(value == 0),
                    UnaryOp::Complement => !value,
                }
            }
            Ex::Binary(op, pair) => {
                let left = self.eval(me, &pair.0)?;
                let right = self.eval(me, &pair.1)?;
                binary(*op, left, right)
            }
            Ex::And(pair) => i32::from(self.eval(me, &pair.0)? != 0 && self.eval(me, &pair.1)? != 0),
            Ex::Or(pair) => i32::from(self.eval(me, &pair.0)? != 0 || self.eval(me, &pair.1)? != 0),
            Ex::Divide(remainder, pair, site) => {
                let left = self.eval(me, &pair.0)?;
                let right = self.eval(me, &pair.1)?;
                match (right, remainder) {
                    (0, _) => return Err(Trap::new(TrapKind::Division, *site)),
                    (_, false) => left.wrapping_div(right),
                    (_, true) => left.wrapping_rem(right),
                }
            }
            Ex::Conditional(parts) => {
                if self.eval(me, &parts.0)? != 0 {
                    self.eval(me, &parts.1)?
                } else {
                    self.eval(me, &parts.2)?
                }
            }
            Ex::Channel(test, channel, site) => {
                let id = self.eval(me, channel)?;
                let Some(channel) = self.channel(id) else {
                    return Err(Trap::new(TrapKind::ChannelTest, *site));
                };
                let (length, capacity) = (self.length(channel), self.capacity(channel));
                match test {
                    ChannelTest::Len => length as i32,
                    ChannelTest::Empty => i32::from(length == 0),
                    ChannelTest::NotEmpty => i32::from(length != 0),
                    // A rendezvous channel counts as never full.
                    ChannelTest::Full => i32::from(capacity != 0 && length == capacity),
                    ChannelTest::NotFull => i32::from(capacity == 0 || length != capacity),
                }
            }
            Ex::Poll(receive) => i32::from(self.find_message(me, receive)?.is_some()),
            Ex::Pid => me.pid as i32,
            Ex::ProcessCount => self.process_count() as i32,
            Ex::Last => self.program.last.map_or(0, |at| i32::from(self.buffer[at as usize])),
            Ex::NonProgress => i32::from((0..self.process_count()).all(|pid| !self.place(pid).progress)),
            Ex::Timeout => i32::from(self.timeout),
            Ex::RunResult => self.run_result,
            Ex::Enabled(pid, site) => {
                let pid = self.eval(me, pid)?;
                if pid == me.pid as i32 && !self.is_claim(me) {
                    return Err(Trap::new(TrapKind::EnabledSelf, *site));
                }
                match self.live(pid) {
                    Some(pid) => i32::from(self.can_move(pid)?),
                    None => 0,
                }
            }
            Ex::PcValue(pid) => {
                let pid = self.eval(me, pid)?;
                self.live(pid).map_or(0, |pid| self.place(pid).number as i32)
            }
            Ex::GetPriority(pid) => {
                let pid = self.eval(me, pid)?;
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
                self.remote(me, *proctype, pid.as_deref())?.map_or(0, |pid| i32::from(self.place(pid).number == wanted))
            }
            Ex::RemoteVariable { proctype, pid, target, site } => {
                let Some(other) = self.remote(me, *proctype, pid.as_deref())? else { return Ok(0) };
                if self.proctype(other) != *proctype {
                    return Err(Trap::new(TrapKind::NoSuchProcess, *site));
                }
                // The index, if any, is the asker's; the place is the other's.
                let (at, scalar) = match &**target {
                    Target::Cell(cell) => self.cell(self.me(other), cell),
                    Target::Indexed(indexed) => {
                        let offset = self.index(me, indexed)?;
                        (self.processes[other] + indexed.cell.offset + offset, indexed.cell.scalar)
                    }
                };
                self.read(at, scalar)
            }
            // The cheap leaves are done by `eval`.
            _ => return self.eval(me, expr),
        })
    }

    /// The claim's pid is 0, but its record is not that of process 0.
    fn is_claim(&self, me: Me) -> bool {
        self.program.claim.is_some_and(|(at, _)| at == me.base)
    }

    fn live(&self, pid: i32) -> Option<usize> {
        usize::try_from(pid).ok().filter(|&pid| pid < self.process_count())
    }

    /// The process that a remote reference means, if it exists.
    fn remote(&self, me: Me, proctype: u32, pid: Option<&Ex>) -> Result<Option<usize>, Trap> {
        Ok(match pid {
            Some(pid) => {
                let pid = self.eval(me, pid)?;
                self.live(pid)
            }
            None => (0..self.process_count()).find(|&pid| self.proctype(pid) == proctype),
        })
    }

    #[inline]
    pub(super) fn cell(&self, me: Me, cell: &Cell) -> (u32, Scalar) {
        (if cell.local { me.base + cell.offset } else { cell.offset }, cell.scalar)
    }

    fn index(&self, me: Me, indexed: &Indexed) -> Result<u32, Trap> {
        let mut offset = 0;
        for (value, length, stride) in &indexed.indices {
            let value = self.eval(me, value)?;
            if value < 0 || value as u32 >= *length {
                return Err(Trap::new(TrapKind::Index, indexed.site));
            }
            offset += value as u32 * stride;
        }
        Ok(offset)
    }

    fn element(&self, me: Me, indexed: &Indexed) -> Result<(u32, Scalar), Trap> {
        let offset = self.index(me, indexed)?;
        let (at, scalar) = self.cell(me, &indexed.cell);
        Ok((at + offset, scalar))
    }

    /// Absolute place and width of a variable.
    #[inline]
    pub(super) fn locate(&self, me: Me, target: &Target) -> Result<(u32, Scalar), Trap> {
        match target {
            Target::Cell(cell) => Ok(self.cell(me, cell)),
            Target::Indexed(indexed) => self.element(me, indexed),
        }
    }
}

fn binary(op: BinaryOp, left: i32, right: i32) -> i32 {
    match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft => left.wrapping_shl(right as u32),
        BinaryOp::ShiftRight => left.wrapping_shr(right as u32),
        BinaryOp::Equal => i32::from(left == right),
        BinaryOp::NotEqual => i32::from(left != right),
        BinaryOp::Less => i32::from(left < right),
        BinaryOp::LessEqual => i32::from(left <= right),
        BinaryOp::Greater => i32::from(left > right),
        BinaryOp::GreaterEqual => i32::from(left >= right),
        // These have forms of their own, because they may fail or stop early.
        BinaryOp::And => i32::from(left != 0 && right != 0),
        BinaryOp::Or => i32::from(left != 0 || right != 0),
        BinaryOp::Divide => left.checked_div(right).unwrap_or(0),
        BinaryOp::Remainder => left.checked_rem(right).unwrap_or(0),
    }
}
