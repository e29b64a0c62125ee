//! Looking ahead: at a state that was just entered, the walk makes all its plain successors before it follows the first.
//!
//! If the state is new for certain, this happens even before it is stored, so that the memory comes while the state is copied.
//!
//! A depth-first search looks one state up at a time and waits for memory each time. Here the walk makes the successors of a state one
//! after the other and takes each back at once; the visitor asks for the memory of all of them, and then says which of them are known
//! already (see [`Visitor::foresee`]). The known ones are done with. For the first of the others the machine takes over the bytes that were shown;
//! the rest are made again when their turn comes, and are looked up again then; if many states were entered in between, all that are left of a state are looked up together once more.
//!
//! The order in which states are entered does not change, and neither does any count: a successor that is known now is known later too,
//! because the visitors that look ahead forget nothing. What is not a plain step (an error, a step into an atomic
//! block, an escape) is left for its turn, together with all that follows it in the same process. A rendezvous is a plain step if all who
//! take part in it take plain steps.

use super::frame::Place;
use super::{Control, Found, Visitor, Walk};
use crate::exec::seam::{Harvest, NOBODY};
use crate::exec::{Cursor, Fired, Machine};
use crate::search::reduce::Full;

/// So many successors may wait on a short path, and so many for each of its positions on a long one. Where there are more, the walk does not look
/// ahead: the successors would take much more memory than the path does.
const MOST_WAITING: usize = 1 << 20;
const MOST_WAITING_EACH: usize = 8;
/// A successor that was not known is looked up again, together with the others of the same state, when so many states were entered since.
const AGE: u32 = 4096;
/// Of one state so many successors are made ahead; those behind are left for their turn.
const MOST_AHEAD: usize = 64;
/// States with more bytes than this are not made ahead: copying them takes longer than the waits.
pub(super) const LONGEST_STATE: usize = 1 << 12;

/// What is to be done about a successor that the walk has seen ahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    /// The state was known: it only counts.
    Known,
    /// Machine code has shown the state, which was not looked up yet.
    Made,
    /// Machine code has shown the state, which was not known, and the visitor still has its bytes: see [`Visitor::awaited`].
    Awaited,
    /// The transition leads to a state that was not known.
    Follow,
    /// The same, and the state is being looked up again.
    Asked,
    /// A message was offered and nobody takes it.
    Refused,
    /// A message was offered, and all that comes of it is known. The receives that take it stand behind it.
    Offered,
    /// A receive that takes the offer before it, and leads to a state that was not known.
    Heard,
    /// The same, and the state was known.
    HeardKnown,
    /// What was seen ahead does not count: the offer that it belongs to is tried as if nobody had looked ahead.
    Dropped,
    /// From this transition on, the process is tried as if nobody had looked ahead.
    Resume,
    /// There is nothing more.
    End,
}

/// A successor that waits for its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead {
    number: u32,
    pid: u8,
    moved: bool,
    fate: Fate,
    /// The [`Walk::age`] at which the successor was looked up.
    age: u8,
}

/// The successors of one state, which were made and were not looked up yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    /// Where they begin.
    first: usize,
    /// Some of them take a rendezvous.
    offers: bool,
}

impl Ahead {
    fn new(cursor: &Cursor, fate: Fate) -> Ahead {
        Ahead { number: cursor.tried(), pid: cursor.pid() as u8, moved: cursor.moved(), fate, age: 0 }
    }

    /// The cursor that gives this transition and no other.
    fn cursor(&self) -> Cursor {
        Cursor::within(self.pid, self.number, self.number + 1, self.moved)
    }

    /// Was the visitor asked about the state, and has not answered yet?
    fn is_asked(&self) -> bool {
        matches!(self.fate, Fate::Made | Fate::Follow | Fate::Heard | Fate::Dropped)
    }
}

impl Walk {
    /// Is there room for more successors that wait?
    #[inline]
    pub(super) fn may_wait(&self) -> bool {
        self.ahead.len() < MOST_WAITING.max(self.frames.len() * MOST_WAITING_EACH)
    }

    /// Makes the successors of the machine's state, which the walk enters, and asks for the memory of their look-ups.
    #[inline]
    pub(super) fn make_ahead<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Made {
        machine.set_timeout(false);
        let program = machine.program();
        let mark = machine.mark();
        if self.ahead.capacity() - self.ahead.len() < 2 * MOST_AHEAD {
            // By quarters: doubling would leap over a budget.
            self.ahead.reserve_exact(self.ahead.len() / 4 + 1024);
        }
        self.ahead.push(Ahead { number: 0, pid: 0, moved: false, fate: Fate::End, age: 0 });
        let (first, age) = (self.ahead.len(), self.age());
        let mut offers = false;
        let mut left = machine.process_count() as u8;
        let mut cursor = Cursor::default();
        loop {
            let ahead = &mut self.ahead;
            let harvest = machine.harvest(&mut cursor, (&mut left, NOBODY), &mut |reached, at| {
                ahead.push(Ahead { number: at.number, pid: at.pid, moved: at.moved, fate: Fate::Made, age });
                visitor.foresee(reached.state());
                ahead.len() - first < MOST_AHEAD
            });
            match harvest {
                Harvest::Nothing => break,
                Harvest::Enough => {}
                Harvest::Fired(fired) => {
                    let transition = &program.transitions[cursor.tried() as usize];
                    if fired != Fired::Done || transition.escape != 0 {
                        self.ahead.push(Ahead::new(&cursor, Fate::Resume));
                        cursor = Cursor::nothing(cursor.pid());
                    } else if machine.in_handshake() {
                        offers = true;
                        self.hear_ahead(machine, visitor, &mut cursor);
                    } else if transition.atomic {
                        self.ahead.push(Ahead::new(&cursor, Fate::Resume));
                        cursor = Cursor::nothing(cursor.pid());
                    } else {
                        self.ahead.push(Ahead { age, ..Ahead::new(&cursor, Fate::Follow) });
                        visitor.foresee(machine.state());
                        cursor.took(transition);
                    }
                    machine.undo(mark);
                }
            }
            if self.ahead.len() - first >= MOST_AHEAD {
                self.leave_the_rest(machine, cursor, left);
                break;
            }
        }
        Made { first, offers }
    }

    /// What was made does not count: the state is not entered.
    #[cold]
    pub(super) fn forget_ahead<V: Visitor>(&mut self, visitor: &mut V, made: Made) {
        self.ahead.truncate(made.first - 1);
        visitor.sort_out(|_| {});
    }

    /// Looks the successors up that were made of the top frame, and notes what is to be done about each.
    #[inline]
    pub(super) fn look_up_ahead<V: Visitor>(&mut self, visitor: &mut V, Made { first, offers }: Made) {
        let mut waiting = self.ahead[first..].iter_mut().filter(|ahead| ahead.is_asked());
        let mut is_first = true;
        visitor.sort_out(|known| {
            let Some(ahead) = waiting.next() else { return };
            ahead.fate = match (ahead.fate, known) {
                (Fate::Made | Fate::Follow, true) => Fate::Known,
                (Fate::Made, false) if is_first => Fate::Awaited,
                (Fate::Made, false) => Fate::Follow,
                (Fate::Heard, true) => Fate::HeardKnown,
                (other, _) => other,
            };
            is_first &= known;
        });
        self.awaited_since = self.entered;
        if offers {
            self.judge_offers(first);
        }
        // The last is taken first.
        self.ahead[first..].reverse();
        if let Place::Entered { foreseen, .. } = &mut self.top().place {
            *foreseen = true;
        }
    }

    /// Leaves for its turn what the cursor has not tried yet, and the processes below `left`.
    #[cold]
    fn leave_the_rest(&mut self, machine: &Machine<'_>, cursor: Cursor, left: u8) {
        let mut resume = |cursor: Cursor| {
            if !cursor.is_done() {
                let (number, pid) = (cursor.tried().wrapping_add(1), cursor.pid() as u8);
                self.ahead.push(Ahead { number, pid, moved: cursor.moved(), fate: Fate::Resume, age: 0 });
            }
        };
        resume(cursor);
        (0..usize::from(left)).rev().for_each(|pid| resume(Cursor::at(pid, machine.place(pid))));
    }

    /// The machine has just offered a message: looks at everybody who takes it. If somebody takes it with more than a plain step, the offer
    /// is left for its turn.
    fn hear_ahead<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, cursor: &mut Cursor) {
        let program = machine.program();
        let offer = self.ahead.len();
        self.ahead.push(Ahead::new(cursor, Fate::Offered));
        let mark = machine.mark();
        let mut left = machine.process_count() as u8;
        let mut receiver = Cursor::default();
        loop {
            let ahead = &mut self.ahead;
            let harvest = machine.harvest(&mut receiver, (&mut left, cursor.pid() as u8), &mut |reached, at| {
                ahead.push(Ahead { number: at.number, pid: at.pid, moved: at.moved, fate: Fate::Heard, age: 0 });
                visitor.foresee(reached.state());
                true
            });
            let Harvest::Fired(fired) = harvest else { break };
            let transition = &program.transitions[receiver.tried() as usize];
            if fired != Fired::Done || transition.escape != 0 || transition.atomic {
                self.ahead[offer].fate = Fate::Resume;
                self.ahead[offer + 1..].iter_mut().for_each(|heard| heard.fate = Fate::Dropped);
                *cursor = Cursor::nothing(cursor.pid());
                machine.undo(mark);
                return;
            }
            self.ahead.push(Ahead::new(&receiver, Fate::Heard));
            visitor.foresee(machine.state());
            receiver.took(transition);
            machine.undo(mark);
        }
        if self.ahead.len() == offer + 1 {
            self.ahead[offer].fate = Fate::Refused;
            cursor.offer_failed();
        } else {
            cursor.took(&program.transitions[cursor.tried() as usize]);
        }
    }

    /// An offer of which all that comes is known only counts; any other is followed as a whole.
    fn judge_offers(&mut self, first: usize) {
        let age = self.age();
        for offer in first..self.ahead.len() {
            if self.ahead[offer].fate != Fate::Offered {
                continue;
            }
            let behind = &mut self.ahead[offer + 1..];
            let heard = behind.iter().take_while(|heard| matches!(heard.fate, Fate::Heard | Fate::HeardKnown)).count();
            if behind[..heard].iter().any(|heard| heard.fate == Fate::Heard) {
                behind[..heard].iter_mut().for_each(|heard| heard.fate = Fate::Dropped);
                (self.ahead[offer].fate, self.ahead[offer].age) = (Fate::Follow, age);
            }
        }
    }

    /// What tells whether many states were entered since: it changes every [`AGE`] of them.
    #[inline]
    fn age(&self) -> u8 {
        (self.entered / AGE) as u8
    }

    /// The walk has come back to the top frame after many states. The successors that were not known then are likely to be known now, and
    /// what the processor had of the tables is gone: looks all of them up again, at once.
    #[cold]
    fn look_again<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) {
        let (mark, age) = (machine.mark(), self.age());
        machine.set_timeout(false);
        let first = self.ahead.iter().rposition(|ahead| ahead.fate == Fate::End).map_or(0, |end| end + 1);
        let follow = |ahead: &&mut Ahead| matches!(ahead.fate, Fate::Follow | Fate::Awaited);
        for ahead in self.ahead[first..].iter_mut().filter(follow).rev() {
            (ahead.age, ahead.fate) = (age, Fate::Follow);
            let plain = machine.advance(&mut ahead.cursor(), false) == Some(Fired::Done) && !machine.in_handshake();
            if plain {
                visitor.foresee(machine.state());
                ahead.fate = Fate::Asked;
            }
            machine.undo(mark);
        }
        let mut asked = self.ahead[first..].iter_mut().filter(|ahead| ahead.fate == Fate::Asked).rev();
        visitor.sort_out(|known| {
            if let Some(ahead) = asked.next() {
                ahead.fate = if known { Fate::Known } else { Fate::Follow };
            }
        });
    }

    /// Puts the cursor of the top frame, from which the walk has looked ahead, at what comes next.
    #[inline]
    pub(super) fn next_ahead<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Found {
        while let Some(ahead @ Ahead { number, pid, moved, fate, age }) = self.ahead.pop() {
            match fate {
                Fate::Follow | Fate::Awaited if age != self.age() => {
                    self.ahead.push(ahead);
                    self.look_again(machine, visitor);
                }
                Fate::Known | Fate::HeardKnown => {
                    self.reached[number as usize] = true;
                    self.completed[number as usize] = true;
                    self.top().any = true;
                    visitor.known();
                    self.unheard += 1;
                    if self.unheard >= super::TICK && self.tick(machine, visitor, &Full) == Control::Stop {
                        return Found::Stop;
                    }
                }
                // Between the two halves of a rendezvous the path is one step longer.
                Fate::Offered | Fate::Refused => {
                    self.reached[number as usize] = true;
                    self.completed[number as usize] |= fate == Fate::Offered;
                    self.deepest = self.deepest.max(self.depth() + 1);
                }
                Fate::Heard | Fate::Dropped | Fate::Asked => {}
                // Nobody has looked ahead or arrived anywhere since.
                Fate::Awaited if self.awaited_since == self.entered => {
                    let mark = machine.mark();
                    if visitor.awaited().is_some_and(|state| machine.adopt(state)) {
                        self.top().cursor = Cursor::within(pid, number + 1, number + 1, moved);
                        return Found::There(mark);
                    }
                    self.top().cursor = ahead.cursor();
                    return Found::Process;
                }
                Fate::Made | Fate::Awaited | Fate::Follow => {
                    self.top().cursor = ahead.cursor();
                    return Found::Process;
                }
                Fate::Resume => {
                    let end = machine.place(usize::from(pid)).end;
                    self.top().cursor = Cursor::within(pid, number, end, moved);
                    return Found::Process;
                }
                Fate::End => break,
            }
        }
        let top = self.top();
        top.left = 0;
        if let Place::Entered { foreseen, .. } = &mut top.place {
            *foreseen = false;
        }
        Found::Nobody
    }
}
