//! `trace` and `notrace`: an automaton that watches the operations on some channels. The location of the automaton is part of
//! the state. A `trace` must have a transition for every operation in its scope; a `notrace` must never reach its end.

use super::program::{Ex, Op, Pattern};
use super::{Fired, Machine, Me, Trap, TrapKind};
use crate::model::Scalar;

impl Machine<'_> {
    /// An operation in the trace's scope has happened; its message is in `scratch`.
    pub(super) fn observe(&mut self, channel: u32, send: bool, site: u32) -> Fired {
        let Some((at, number)) = self.program.trace else { return Fired::Done };
        let proctype = &self.program.proctypes[number as usize];
        let here = self.half(at);
        let location = &self.program.locations[(proctype.first_location + here) as usize];
        for number in location.first..location.end {
            let transition = &self.program.transitions[number as usize];
            if self.allows(&transition.op, channel, send) {
                self.write(at, Scalar::U16 { width: 16 }, i32::from(transition.target));
                if self.program.notrace && transition.target == self.program.trace_end {
                    return Fired::DoneWith(Trap::new(TrapKind::Notrace, site));
                }
                return Fired::Done;
            }
        }
        if self.program.notrace {
            // Another sequence than the forbidden one: the rest of this run is not watched.
            self.write(at, Scalar::U16 { width: 16 }, i32::from(self.program.trace_end));
            return Fired::Done;
        }
        Fired::DoneWith(Trap::new(TrapKind::Trace, site))
    }

    fn allows(&self, op: &Op, channel: u32, send: bool) -> bool {
        let me = Me { pid: 0, base: 0 };
        match op {
            Op::Send(pattern) if send => {
                if self.eval(me, &pattern.channel) as u32 != channel {
                    return false;
                }
                // What is not a constant is not compared.
                for (value, &found) in pattern.values.iter().zip(&self.scratch) {
                    if matches!(value, Ex::Constant(value) if *value != found) {
                        return false;
                    }
                }
                true
            }
            Op::Receive(pattern) => {
                if send || self.eval(me, &pattern.channel) as u32 != channel {
                    return false;
                }
                for (pattern, &found) in pattern.patterns.iter().zip(&self.scratch) {
                    if let Pattern::Match(value) = pattern
                        && self.eval(me, value) != found
                    {
                        return false;
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// A trace automaton may stop where it stands.
    pub(super) fn trace_may_end(&self) -> bool {
        let Some((at, number)) = self.program.trace else { return true };
        let first = self.program.proctypes[number as usize].first_location;
        self.program.locations[(first + self.half(at)) as usize].valid_end
    }
}
