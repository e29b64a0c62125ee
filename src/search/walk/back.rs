//! Going back: what the walk does at a position from which everything was tried, and how it takes back the step that led
//! there.

use super::frame::{Place, Turn};
use super::{Arrival, Control, Event, Next, Visitor, Walk};
use crate::exec::Machine;
use crate::model::TransitionType;
use crate::search::reduce::{ProcessStep, Reduction};

impl Walk {
    /// Everything from the top frame was tried.
    pub(super) fn exhausted<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Next {
        let top = *self.top();
        if R::ACTIVE && top.is_root() && top.turn == Turn::Everybody && reduction.admits_more(machine) {
            self.begin(machine);
            self.top().any = top.any;
            return Next::Forward;
        }
        if top.any || matches!(top.turn, Turn::Claim | Turn::Receivers) {
            return Next::Up;
        }
        if matches!(top.place, Place::Reentered { .. }) {
            // Only some moves were tried: that none was possible says nothing of the state.
            return Next::Up;
        }
        if top.turn == Turn::Insider {
            return self.break_off(machine, visitor, reduction);
        }
        if machine.program().timeout && !top.timeout && machine.process_count() > 0 {
            self.top().timeout = true;
            self.begin(machine);
            return Next::Forward;
        }
        if self.rules.claim {
            return self.stutter(machine, visitor, reduction);
        }
        self.halted(machine, visitor)
    }

    /// The process inside a block cannot go on: the block is interrupted here, and its state is storable like any other.
    fn break_off<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Next {
        let turn = self.first_turn();
        let top = self.top();
        (top.turn, top.timeout) = (turn, false);
        if machine.process_count() == 0 {
            return Next::Up;
        }
        let step = self.last_step().map_or(0, |step| step.number);
        let how = machine.program().transitions[step as usize].kind;
        self.arrive_again(machine, visitor, reduction, how)
    }

    /// The claim has moved and the system cannot: the state repeats itself for ever, and the claim goes on alone.
    fn stutter<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Next {
        if !self.rules.stutter {
            return Next::Up;
        }
        let top = self.top();
        (top.turn, top.timeout) = (Turn::Claim, false);
        self.arrive_again(machine, visitor, reduction, TransitionType::Other)
    }

    /// Nothing can move, and there is no claim.
    fn halted<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Next {
        if self.rules.halts && visitor.event(machine, self, Event::Halt, None) == Control::Stop {
            return Next::Stop;
        }
        if self.rules.end_states
            && !machine.is_valid_end(self.rules.strict_channels)
            && visitor.event(machine, self, Event::InvalidEnd, None) == Control::Stop
        {
            return Next::Stop;
        }
        Next::Up
    }

    /// The top frame, which was passed through, is a state after all.
    fn arrive_again<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
        how: TransitionType,
    ) -> Next {
        match self.arrive(machine, visitor, reduction, how) {
            Arrival::Entered => match self.claim_ended(machine, visitor) {
                Control::Continue => Next::Forward,
                Control::Stop => Next::Stop,
            },
            Arrival::Back => Next::Up,
            Arrival::Stop => Next::Stop,
        }
    }

    /// Leaves the top frame, from which everything was tried.
    #[inline]
    pub(super) fn up<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Control {
        let top = *self.top();
        if let Place::Entered { handle, .. } = top.place
            && visitor.leave(machine, self, handle) == Control::Stop
        {
            return Control::Stop;
        }
        if R::ACTIVE && top.is_root() {
            reduction.leave(machine);
        }
        // A send that nobody took has not happened.
        let happened = top.any || top.turn != Turn::Receivers;
        self.pop(machine, reduction, happened);
        Control::Continue
    }

    /// Leaves the top frame, which was not entered.
    #[inline]
    pub(super) fn turn_back<R: Reduction>(&mut self, machine: &mut Machine<'_>, reduction: &mut R) -> Next {
        self.pop(machine, reduction, true);
        Next::Forward
    }

    /// Undoes the step that led to the top frame. `happened`: it counts as a step of its process.
    #[inline]
    fn pop<R: Reduction>(&mut self, machine: &mut Machine<'_>, reduction: &mut R, happened: bool) {
        let Some(frame) = self.frames.pop() else { return };
        machine.undo(frame.mark);
        let Some(parent) = self.frames.last_mut() else { return };
        if !happened {
            parent.cursor.offer_failed();
            return;
        }
        let cursor = &mut parent.cursor;
        cursor.took(&machine.program().transitions[cursor.tried() as usize]);
        let step = ProcessStep { pid: cursor.pid() as u8, number: cursor.tried() };
        parent.any = true;
        // the return from a send that was offered is not that of a move: those were its receives
        if R::ACTIVE && frame.turn != Turn::Receivers && self.is_first() {
            reduction.returned(machine, self.attempt(step));
        }
    }
}
