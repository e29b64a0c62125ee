//! One step: whether a transition is executable, and what it does to the state.

use super::journal::Undo;
use super::program::{After, Op, Routine, Run, Transition};
use super::{Fired, Machine, Me, Trap, TrapKind};
use crate::model::Scalar;
use crate::mutants::{self, Mutant};

/// A `d_step` that runs this long will not end; without a bound the search would hang.
const LONGEST_STEP: u64 = 10_000_000;
/// A `d_step` of more steps than this is told of to whoever looks at budgets and signals: it may take as long as thousands of others.
const LONG_STEP: u64 = 1_000;

impl<'p> Machine<'p> {
    /// Tries transition `number` (in [`super::Program::transitions`]) of a process. `moved`: an earlier transition of
    /// this location was executable, so `else` is not.
    #[inline]
    pub fn fire(&mut self, pid: usize, number: u32, moved: bool) -> Fired {
        if let Some(code) = self.code
            && let Some(fired) = self.fire_by(code, (pid, number, moved), false)
        {
            return fired;
        }
        self.interpret(pid, number, moved)
    }

    /// As [`fire`](Self::fire), by the interpreter.
    #[inline]
    pub fn interpret(&mut self, pid: usize, number: u32, moved: bool) -> Fired {
        let transition = &self.program.transitions[number as usize];
        let me = self.me(pid);
        let fired = self.attempt(me, transition, moved);
        let fired = if self.noted.get().is_none() { fired } else { self.with_note(fired) };
        if matches!(fired, Fired::Done | Fired::DoneWith(_))
            && let Some(at) = self.program.last.filter(|_| !mutants::is(Mutant::LastForgotten))
        {
            self.write(at, Scalar::U8, pid as i32);
        }
        fired
    }

    /// Tries a transition of the claim.
    pub fn fire_claim(&mut self, number: u32, moved: bool) -> Fired {
        if let Some(code) = self.code
            && let Some(fired) = self.fire_by(code, (0, number, moved), true)
        {
            return fired;
        }
        self.interpret_claim(number, moved)
    }

    pub(super) fn interpret_claim(&mut self, number: u32, moved: bool) -> Fired {
        let Some((base, _)) = self.program.claim else { return Fired::Blocked };
        let transition = &self.program.transitions[number as usize];
        let fired = self.attempt(Me { pid: 0, base }, transition, moved);
        self.with_note(fired)
    }

    /// What came of a step, together with the error that was noted during it, if there is one.
    fn with_note(&self, fired: Fired) -> Fired {
        match (fired, self.noted.take()) {
            (Fired::Done, Some(trap)) => Fired::DoneWith(trap),
            (Fired::Blocked, Some(trap)) => Fired::BlockedWith(trap),
            (_, Some(trap)) => graver(fired, Fired::DoneWith(trap)),
            _ => fired,
        }
    }

    // It is called from two places only, and for most transitions a call costs as much as the attempt.
    #[inline(always)]
    fn attempt(&mut self, me: Me, transition: &'p Transition, moved: bool) -> Fired {
        if self.handshake.is_some() && !transition.op.takes_offers() {
            return Fired::Blocked;
        }
        // The plain cases first: no mark, no undo.
        match &transition.op {
            Op::Skip => {
                self.go(me, transition);
                return Fired::Done;
            }
            Op::Else => {
                if moved && !mutants::is(Mutant::ElseAlways) {
                    return Fired::Blocked;
                }
                self.go(me, transition);
                return Fired::Done;
            }
            Op::Guard(guard) => {
                if self.eval(me, guard) == 0 {
                    return Fired::Blocked;
                }
                self.go(me, transition);
                return Fired::Done;
            }
            Op::End => {
                // A claim that has ended stays there: it is no process that could die.
                if me.pid as usize + 1 != self.process_count() || self.is_claim(me) {
                    return Fired::Blocked;
                }
                self.die();
                return Fired::Done;
            }
            _ => {}
        }
        let mark = self.mark();
        match self.perform(me, &transition.op) {
            Ok(None) => {
                self.undo(mark);
                Fired::Blocked
            }
            Ok(Some(fired)) => {
                self.go(me, transition);
                fired
            }
            Err(trap) => {
                self.undo(mark);
                Fired::Failed(trap)
            }
        }
    }

    #[inline]
    fn go(&mut self, me: Me, transition: &'p Transition) {
        let at = me.base as usize + 1;
        self.journal.push(Undo::Word, me.base + 1, self.word(at));
        self.buffer[at..at + 2].copy_from_slice(&transition.target.to_le_bytes());
        if let Some(after) = &transition.after {
            self.finish(me, after);
        }
    }

    /// What a static reduction has added to a step. None of it can fail.
    fn finish(&mut self, me: Me, after: &'p After) {
        for (target, value) in &after.assignments {
            let value = self.eval(me, value);
            self.assign(me, target, value);
        }
        for cell in &after.resets {
            let (at, scalar) = self.cell(me, cell);
            if self.read(at, scalar) != 0 {
                self.write(at, scalar, 0);
            }
        }
    }

    fn die(&mut self) {
        let Some(&at) = self.processes.last() else { return };
        let length = self.end - at;
        self.journal.bytes.extend_from_slice(&self.buffer[at as usize..self.end as usize]);
        self.journal.push(Undo::Death, at, length);
        self.drop_youngest();
    }

    /// Does what an operation does except the move to the next location; `None` if it is not executable (what it
    /// changed until then is undone by the caller).
    fn perform(&mut self, me: Me, op: &'p Op) -> Result<Option<Fired>, Trap> {
        let done = |executable: bool| Ok(executable.then_some(Fired::Done));
        match op {
            Op::Skip | Op::Else => done(true),
            Op::End => done(false),
            Op::Guard(guard) => done(self.eval(me, guard) != 0),
            Op::Assign(target, value) => {
                let value = self.eval(me, value);
                self.assign(me, target, value);
                done(true)
            }
            Op::Block(assignments) => {
                for (target, value) in assignments {
                    let value = self.eval(me, value);
                    self.assign(me, target, value);
                }
                done(true)
            }
            Op::Print(print) => {
                self.print(me, print);
                done(true)
            }
            Op::Send(send) => Ok(self.send(me, send)),
            Op::Receive(receive) => Ok(self.receive(me, receive)),
            Op::Assert(condition, site) => {
                Ok(Some(if self.eval(me, condition) == 0 && !mutants::is(Mutant::AssertionsPass) {
                    Fired::DoneWith(Trap::new(TrapKind::Assertion, *site))
                } else {
                    Fired::Done
                }))
            }
            Op::RunGuard(parts) => {
                self.run(me, &parts.0)?;
                done(self.eval(me, &parts.1) != 0)
            }
            Op::RunAssign(parts) => {
                self.run(me, &parts.0)?;
                let value = self.eval(me, &parts.2);
                self.assign(me, &parts.1, value);
                done(true)
            }
            Op::SetPriority(parts) => {
                let (pid, value) = (self.eval(me, &parts.0), self.eval(me, &parts.1));
                if !(1..=255).contains(&value) {
                    return Err(Trap::new(TrapKind::Priority, parts.2));
                }
                if let (Some(&at), Some(offset)) = (self.processes.get(pid as usize), self.program.priority) {
                    self.write(at + offset, Scalar::U8, value);
                }
                done(true)
            }
            Op::DStep(routine, site) => self.step(me, routine, *site),
        }
    }

    fn run(&mut self, me: Me, run: &'p Run) -> Result<(), Trap> {
        let priority = match &run.priority {
            Some(priority) => self.eval(me, priority),
            // The clause of the process type counts only for the instances that `active` makes.
            None => 1,
        };
        if !(1..=255).contains(&priority) {
            return Err(Trap::new(TrapKind::Priority, run.site));
        }
        self.scratch.clear();
        for argument in &run.arguments {
            let value = self.eval(me, argument);
            self.scratch.push(value);
        }
        self.run_result = self.create(run.proctype, priority as u8, run.site)? as i32;
        Ok(())
    }

    /// A whole `d_step`: at each location the first executable transition.
    fn step(&mut self, me: Me, routine: &'p Routine, site: u32) -> Result<Option<Fired>, Trap> {
        let mut location = routine.entry;
        let mut result = Fired::Done;
        for count in 0..LONGEST_STEP {
            if location == routine.exit && count > 0 {
                if count > LONG_STEP {
                    self.toil = self.toil.saturating_add(count as u32);
                }
                return Ok(Some(result));
            }
            let (first, number) = routine.locations[location as usize];
            let mut next = None;
            for (op, target) in &routine.transitions[first as usize..(first + number) as usize] {
                // While something is offered only a receive can be the guard of the step: the others are not looked at.
                if count == 0 && self.handshake.is_some() && !matches!(op, Op::Receive(_)) {
                    continue;
                }
                // A receive may take an offer as the guard of the step; any other rendezvous is an error.
                if count > 0 || !matches!(op, Op::Receive(_)) {
                    self.refuse_rendezvous(me, op, site)?;
                }
                let mark = self.mark();
                match self.perform(me, op)? {
                    None => self.undo(mark),
                    Some(fired) => {
                        result = graver(result, fired);
                        next = Some(*target);
                        break;
                    }
                }
            }
            match next {
                Some(target) => location = target,
                None if count == 0 => return Ok(None),
                None => return Err(Trap::new(TrapKind::BlockedStep, site)),
            }
        }
        self.toil = self.toil.saturating_add(LONGEST_STEP as u32);
        Err(Trap::new(TrapKind::EndlessStep, site))
    }

    /// How many steps were made inside long `d_step`s since this was asked.
    #[inline]
    pub fn take_toil(&mut self) -> u32 {
        if self.toil == 0 { 0 } else { std::mem::take(&mut self.toil) }
    }

    fn refuse_rendezvous(&self, me: Me, op: &Op, site: u32) -> Result<(), Trap> {
        let channel = match op {
            Op::Send(send) => &send.channel,
            Op::Receive(receive) => &receive.channel,
            _ => return Ok(()),
        };
        let id = self.eval(me, channel);
        match self.channel(id) {
            Some(channel) if self.capacity(channel) == 0 => Err(Trap::new(TrapKind::RendezvousInStep, site)),
            _ => Ok(()),
        }
    }

    /// Some transition of the process is executable now. A rendezvous send counts, whether or not a partner is ready.
    pub fn can_move(&self, pid: usize) -> bool {
        let place = self.place(pid);
        let me = self.me(pid);
        (place.first..place.end).any(|number| self.executable(me, &self.program.transitions[number as usize].op))
    }

    /// Is the operation executable? It is not executed. `else` counts as executable: the caller has found no earlier transition
    /// that is.
    fn executable(&self, me: Me, op: &Op) -> bool {
        if self.handshake.is_some() && !op.takes_offers() {
            return false;
        }
        match op {
            Op::Guard(guard) => self.eval(me, guard) != 0,
            Op::End => me.pid as usize + 1 == self.process_count(),
            Op::Send(send) => self.has_room(me, send),
            Op::Receive(receive) => self.find_message(me, receive).is_some(),
            Op::DStep(routine, _) => {
                let (first, number) = routine.locations[routine.entry as usize];
                let first = &routine.transitions[first as usize..(first + number) as usize];
                first.iter().any(|(op, _)| self.executable(me, op))
            }
            _ => true,
        }
    }
}

/// Joins two results of one step: the first error counts, but any other error counts before a failed assertion. A search may
/// pass over assertions, and the other error would be lost with the assertion.
fn graver(first: Fired, second: Fired) -> Fired {
    match (first, second) {
        (Fired::Done, _) => second,
        (Fired::DoneWith(one), Fired::DoneWith(other))
            if one.kind() == TrapKind::Assertion && other.kind() != TrapKind::Assertion =>
        {
            second
        }
        _ => first,
    }
}
