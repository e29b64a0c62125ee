//! Going forward: the walk tries the next transition from the position on top of the path. If the transition is executable,
//! its successor becomes the new top.

use super::frame::{Frame, Place, Turn};
use super::{Arrival, Control, Event, Found, Movers, Next, Visitor, Walk, claim_is_at_end, step_from};
use crate::exec::seam::{Harvest, NOBODY, Reached};
use crate::exec::{Cursor, Fired, Machine, Mark, Trap, TrapKind};
use crate::model::TransitionType;
use crate::mutants::{self, Mutant};
use crate::search::reduce::{ProcessStep, Reduction, Ruling};

/// A path of more steps than this through an atomic block may never end. From this length on the walk remembers the states
/// inside the block, and does not follow a state that comes again. Real blocks are much shorter and cost nothing.
const LONG_BLOCK: u32 = 5_000;
/// The same for a block that branches, however short its paths are: the bound on the steps that one move makes inside the
/// block, back and forth. SPIN would follow each path to its end; a block for which that is possible has far fewer steps.
const WIDE_BLOCK: u32 = 1 << 20;
/// So many remembered bytes of a block count as one step towards the next look at the budgets.
const BYTES_PER_STEP: usize = 64;

impl Walk {
    /// Takes the next executable step from the top frame.
    #[inline]
    pub(super) fn forward<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Next {
        let program = machine.program();
        if V::FORESEES && !R::ACTIVE && self.is_at_foreseen() {
            match self.next_ahead(machine, visitor) {
                Found::Process => {}
                Found::There(mark) => return self.take_adopted(machine, visitor, reduction, mark),
                Found::Nobody => return Next::Exhausted,
                Found::Stop => return Next::Stop,
            }
        }
        let first = R::ACTIVE && self.is_first();
        let Frame { mut cursor, turn, timeout, .. } = *self.top();
        machine.set_timeout(timeout);
        let skip = if R::ACTIVE { None } else { self.sweeps(machine) };
        let harvests = V::GATHERS && !R::ACTIVE && visitor.gathers() && self.ends_may_be_plain(turn);
        loop {
            let mark = machine.mark();
            loop {
                let fired = if first {
                    let Some(number) = cursor.next(program) else { break };
                    match self.rule(machine, reduction, cursor) {
                        Ruling::Try => {}
                        Ruling::Skip => continue,
                        Ruling::Asleep => {
                            cursor.took(&program.transitions[number as usize]);
                            self.top().any = true;
                            continue;
                        }
                    }
                    fire(machine, turn, &cursor)
                } else {
                    let fired = match skip {
                        Some(skip) if harvests => {
                            let mut stopped = false;
                            match self.harvest(machine, (&mut cursor, skip), |reached, depth| {
                                stopped = visitor.gather(reached, depth) == Control::Stop;
                                !stopped
                            }) {
                                Harvest::Enough
                                    if stopped || self.tick(machine, visitor, reduction) == Control::Stop =>
                                {
                                    return Next::Stop;
                                }
                                Harvest::Enough => continue,
                                Harvest::Fired(fired) => Some(fired),
                                Harvest::Nothing => None,
                            }
                        }
                        Some(skip) => machine.sweep(&mut cursor, &mut self.top().left, skip),
                        None if cursor.is_done() => None,
                        None => machine.advance(&mut cursor, turn == Turn::Claim),
                    };
                    let Some(fired) = fired else { break };
                    fired
                };
                match fired {
                    Fired::Blocked => continue,
                    Fired::Done
                        if V::GATHERS
                            && !R::ACTIVE
                            && visitor.gathers()
                            && self.ends_may_be_plain(turn)
                            && !machine.in_handshake()
                            && !program.transitions[cursor.tried() as usize].atomic =>
                    {
                        self.reached[cursor.tried() as usize] = true;
                        self.completed[cursor.tried() as usize] = true;
                        if turn == Turn::Receivers
                            && let Some(offer) = self.last_step()
                        {
                            self.completed[offer.number as usize] = true;
                        }
                        let gathered = visitor.gather(machine.reached(), self.depth() + 1);
                        machine.undo(mark);
                        cursor.took(&program.transitions[cursor.tried() as usize]);
                        self.top().any = true;
                        self.unheard += 1;
                        self.heed_toil(machine);
                        let ticks = self.unheard >= super::TICK;
                        if gathered == Control::Stop || ticks && self.tick(machine, visitor, reduction) == Control::Stop
                        {
                            return Next::Stop;
                        }
                        continue;
                    }
                    Fired::Done => {}
                    fired @ (Fired::DoneWith(trap) | Fired::BlockedWith(trap) | Fired::Failed(trap)) => {
                        self.top().cursor = cursor;
                        if self.trapped(machine, visitor, trap) == Control::Stop {
                            return Next::Stop;
                        }
                        match fired {
                            Fired::BlockedWith(_) => continue,
                            // Something was executable here, only not soundly: no deadlock is to be reported.
                            Fired::Failed(_) => {
                                if V::WATCHES && turn != Turn::Claim {
                                    self.tell_first_step(visitor, cursor.pid());
                                }
                                cursor.failed();
                                self.top().any = true;
                                continue;
                            }
                            _ => {}
                        }
                    }
                }
                self.top().cursor = cursor;
                self.reached[cursor.tried() as usize] = true;
                return self.take(machine, visitor, reduction, mark);
            }
            match self.next_process(machine, visitor, reduction) {
                Found::Process => cursor = self.top().cursor,
                Found::There(mark) => return self.take_adopted(machine, visitor, reduction, mark),
                Found::Nobody => return Next::Exhausted,
                Found::Stop => return Next::Stop,
            }
        }
    }

    /// Has the walk looked ahead from the top frame, and is it between two of the successors?
    #[inline]
    fn is_at_foreseen(&mut self) -> bool {
        let top = self.top();
        top.cursor.is_done() && matches!(top.place, Place::Entered { foreseen: true, .. })
    }

    /// Goes on at the successor that the machine has just taken over.
    #[inline]
    fn take_adopted<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
        mark: Mark,
    ) -> Next {
        let tried = self.top().cursor.tried();
        self.reached[tried as usize] = true;
        self.take(machine, visitor, reduction, mark)
    }

    /// If the processes are tried one after the other without asking anybody between them: the one that is left out, or
    /// [`NOBODY`].
    #[inline]
    fn sweeps(&mut self, machine: &Machine<'_>) -> Option<u8> {
        let Frame { turn, place, .. } = *self.top();
        if machine.program().restricted || matches!(place, Place::Entered { foreseen: true, .. }) {
            return None;
        }
        match turn {
            Turn::Everybody if mutants::is(Mutant::MoveLeftOut) && machine.process_count() > 1 => Some(0),
            Turn::Everybody => Some(NOBODY),
            // A process does not shake hands with itself.
            Turn::Receivers => Some(self.last_step().map_or(NOBODY, |offer| offer.pid)),
            Turn::Claim | Turn::Insider => None,
        }
    }

    /// Does a step from the top frame that is a whole move lead to a state at once, and not to an end of the path?
    #[inline]
    fn ends_may_be_plain(&self, turn: Turn) -> bool {
        matches!(turn, Turn::Everybody | Turn::Receivers)
            && !self.rules.claim
            && self.depth() + 1 < self.rules.max_depth
    }

    /// Tries the transitions from the cursor on, and hands every plain successor to `gather` with its depth, until `gather` answers `false`, or
    /// until it is time for a [`tick`](Self::tick), or until something else comes of a transition.
    #[inline]
    fn harvest(
        &mut self,
        machine: &mut Machine<'_>,
        (cursor, skip): (&mut Cursor, u8),
        mut gather: impl FnMut(Reached<'_>, u64) -> bool,
    ) -> Harvest {
        let depth = self.depth() + 1;
        let (turn, mut left) = (self.top().turn, self.top().left);
        let offer = if turn == Turn::Receivers { self.last_step() } else { None };
        let mut any = false;
        let (reached, completed, unheard) = (&mut self.reached, &mut self.completed, &mut self.unheard);
        let harvest = machine.harvest(cursor, (&mut left, skip), &mut |state, at| {
            reached[at.number as usize] = true;
            completed[at.number as usize] = true;
            any = true;
            *unheard += 1;
            gather(state, depth) && *unheard < super::TICK
        });
        if let Some(offer) = offer.filter(|_| any) {
            self.completed[offer.number as usize] = true;
        }
        self.heed_toil(machine);
        let top = self.top();
        top.left = left;
        top.any |= any;
        harvest
    }

    /// What the reduction says of the transition that the cursor has given.
    #[inline]
    fn rule<R: Reduction>(&self, machine: &Machine<'_>, reduction: &mut R, cursor: Cursor) -> Ruling {
        reduction.rule(machine, self.attempt(ProcessStep { pid: cursor.pid() as u8, number: cursor.tried() }))
    }

    /// Puts the cursor of the top frame at the next process that is to be tried.
    #[inline]
    fn next_process<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Found {
        if V::FORESEES && matches!(self.top().place, Place::Entered { foreseen: true, .. }) {
            return self.next_ahead(machine, visitor);
        }
        let top = self.top();
        if top.left == 0 {
            return Found::Nobody;
        }
        let turn = top.turn;
        let pid = match turn {
            Turn::Claim => {
                top.left = 0;
                let Some(place) = machine.claim_place() else { return Found::Nobody };
                top.cursor = Cursor::at(0, place);
                return Found::Process;
            }
            Turn::Insider => {
                top.left = 0;
                self.last_step().map_or(0, |step| usize::from(step.pid))
            }
            Turn::Everybody | Turn::Receivers => {
                top.left -= 1;
                usize::from(top.left)
            }
        };
        // A process does not shake hands with itself.
        let idle = turn == Turn::Receivers && self.last_step().is_some_and(|offer| usize::from(offer.pid) == pid);
        let left_out = R::ACTIVE && turn == Turn::Everybody && self.is_first() && !reduction.admits(machine, pid);
        self.top().cursor = match machine.cursor(pid) {
            Ok(_) if idle || left_out => Cursor::nothing(pid),
            Ok(cursor) => cursor,
            Err(trap) => {
                self.top().cursor = Cursor::nothing(pid);
                if !idle && visitor.event(machine, self, Event::Trap(trap), None) == Control::Stop {
                    return Found::Stop;
                }
                Cursor::nothing(pid)
            }
        };
        Found::Process
    }

    /// The transition that the top frame has tried last was executable and is done: goes down.
    #[inline]
    fn take<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
        mark: Mark,
    ) -> Next {
        let Frame { turn, timeout, cursor, .. } = *self.top();
        let transition = &machine.program().transitions[cursor.tried() as usize];
        let offers = machine.in_handshake();
        self.completed[cursor.tried() as usize] |= !offers;
        if turn == Turn::Receivers
            && let Some(offer) = self.last_step()
        {
            self.completed[offer.number as usize] = true;
        }
        let first = R::ACTIVE && self.is_first();
        if V::WATCHES && turn != Turn::Claim && !offers {
            self.tell_first_step(visitor, cursor.pid());
        }
        if first && !offers {
            self.hand_on(machine, reduction, mark);
        }
        self.begin_move(first);
        let (next_turn, next_timeout) = match turn {
            // The system moves next, under the claim's timeout.
            Turn::Claim => (Turn::Everybody, timeout),
            _ if offers => (Turn::Receivers, false),
            _ if transition.atomic => (Turn::Insider, false),
            _ => (self.first_turn(), false),
        };
        self.atomic_steps += u64::from(next_turn == Turn::Insider);
        if self.frames.len() == self.frames.capacity() {
            // By quarters: doubling would leap over a budget.
            self.frames.reserve_exact(self.frames.len() / 4 + 1024);
        }
        if V::WATCHES {
            self.note_mover((turn != Turn::Claim).then_some(cursor.pid() as u8));
        }
        let since = self.top().since() + 1;
        self.frames.push(Frame::new(Place::Passed { since }, mark, next_turn, next_timeout));
        self.down(machine, visitor, reduction, transition.kind)
    }

    /// Tells the reduction of a first step that is done. If the reduction wants to see the state before the step, the step is
    /// undone and done again.
    #[inline]
    fn hand_on<R: Reduction>(&mut self, machine: &mut Machine<'_>, reduction: &mut R, mark: Mark) {
        let Frame { turn, cursor, .. } = *self.top();
        let attempt = self.attempt(ProcessStep { pid: cursor.pid() as u8, number: cursor.tried() });
        if reduction.stepped(attempt) {
            machine.undo(mark);
            reduction.look_back(machine, attempt);
            fire(machine, turn, &cursor);
        }
    }

    /// If a step from the top frame begins a move, forgets the states that earlier moves from the same state have passed: every
    /// end of every move counts. A step after the claim's step begins a move of its own, and so does the receive that
    /// takes an offer.
    #[inline]
    fn begin_move(&mut self, first: bool) {
        if !(self.top().is_root() || first || self.is_by_claim()) {
            return;
        }
        let root = self.root();
        if let Some(made) = self.frames[root].made() {
            *made = 0;
        }
        if !self.long_blocks.is_empty() {
            self.long_blocks.forget_from(root);
        }
    }

    /// A frame was just pushed: decides whether the walk goes on from it or turns back.
    #[inline]
    fn down<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
        how: TransitionType,
    ) -> Next {
        let turn = self.top().turn;
        let by_claim = self.is_by_claim();
        if V::PEEKS && !by_claim && turn != Turn::Receivers {
            return self.turn_back(machine, reduction);
        }
        if self.depth() >= self.rules.max_depth {
            if visitor.event(machine, self, Event::Cut, None) == Control::Stop {
                return Next::Stop;
            }
            return self.turn_back(machine, reduction);
        }
        if by_claim || matches!(turn, Turn::Receivers | Turn::Insider) {
            return self.pass(machine, visitor, reduction, by_claim);
        }
        match self.arrive(machine, visitor, reduction, how) {
            Arrival::Entered => {}
            Arrival::Back => return self.turn_back(machine, reduction),
            Arrival::Stop => return Next::Stop,
        }
        match self.claim_ended(machine, visitor) {
            Control::Continue => Next::Forward,
            Control::Stop => Next::Stop,
        }
    }

    /// The top frame is no storable state: the walk passes through it.
    #[inline]
    fn pass<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
        by_claim: bool,
    ) -> Next {
        let wide = self.count_step();
        self.heed_toil(machine);
        if self.unheard >= super::TICK && self.tick(machine, visitor, reduction) == Control::Stop {
            return Next::Stop;
        }
        if (wide || self.top().since() > LONG_BLOCK) && self.is_old::<V>(machine) {
            return self.turn_back(machine, reduction);
        }
        if by_claim && machine.program().formula && claim_is_at_end(machine) {
            // The state that the claim has just looked at breaks the formula, whatever follows.
            return match visitor.event(machine, self, Event::ClaimEnd, None) {
                Control::Continue => self.turn_back(machine, reduction),
                Control::Stop => Next::Stop,
            };
        }
        self.begin(machine);
        Next::Forward
    }

    /// Was the step that led to the top frame one of the claim?
    #[inline]
    fn is_by_claim(&self) -> bool {
        self.rules.claim && self.frames.len() > 1 && self.frames[self.frames.len() - 2].turn == Turn::Claim
    }

    /// The last root at or below the top: the move under way began there.
    #[inline]
    fn root(&self) -> usize {
        let top = self.frames.len() - 1;
        top - self.frames[top].since() as usize
    }

    /// Counts a step inside a block for the move under way, and gives true if the block is a wide one. The steps of this move
    /// alone decide when its states are remembered, so that the same move has the same ends each time.
    #[inline]
    fn count_step(&mut self) -> bool {
        self.unheard += 1;
        let root = self.root();
        let Some(made) = self.frames[root].made() else { return false };
        *made = made.saturating_add(1);
        *made >= WIDE_BLOCK
    }

    /// Was the machine's state, which is inside a long block, passed by the same move before? If not, it is remembered now.
    #[cold]
    fn is_old<V: Visitor>(&mut self, machine: &Machine<'_>) -> bool {
        if machine.in_handshake() {
            return false;
        }
        let (top, root) = (self.frames.len() - 1, self.root());
        // The process that is inside the block is part of the key: in the same state two processes may be in blocks of their own.
        let mut inside = machine.saved().to_vec();
        inside.extend(self.last_step().map(|step| step.pid));
        if V::WATCHES {
            // Who has moved on the way is of interest too.
            inside.extend(self.moved[top].bytes());
        }
        // Where paths are cut off somewhere, one that is shorter may lead further.
        let depth = (self.rules.max_depth != u64::MAX).then(|| self.depth());
        let known = self.long_blocks.knows(root, &inside, depth);
        if !known {
            self.unheard = self.unheard.saturating_add((inside.len() / BYTES_PER_STEP) as u32);
        }
        known
    }

    /// The transition that the top frame has tried last met an error.
    #[cold]
    fn trapped<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, trap: Trap) -> Control {
        let top = *self.top();
        let passes = self.rules.pass_assertions && top.turn != Turn::Claim;
        if trap.kind() == TrapKind::Assertion && (passes || !self.rules.assertions) {
            return Control::Continue;
        }
        let step = step_from(machine, &top, top.cursor.tried());
        visitor.event(machine, self, Event::Trap(trap), Some(step))
    }

    /// A frame is about to be pushed: notes which processes have moved up to it.
    fn note_mover(&mut self, mover: Option<u8>) {
        self.moved.truncate(self.frames.len());
        let mut movers = if self.top().is_root() { Movers::default() } else { self.movers() };
        mover.into_iter().for_each(|pid| movers.add(pid));
        self.moved.push(movers);
    }

    /// A step of this process from the top frame is possible: tells the visitor if it is the first since a state.
    fn tell_first_step<V: Visitor>(&mut self, visitor: &mut V, pid: usize) {
        let top = *self.top();
        let offered = top.turn == Turn::Receivers;
        if top.since() == u32::from(self.rules.claim) + u32::from(offered) {
            let mut movers = Movers::default();
            movers.add(pid as u8);
            if offered {
                self.last_step().into_iter().for_each(|offer| movers.add(offer.pid));
            }
            visitor.can_move(movers, top.timeout);
        }
    }
}

/// Tries the transition that the cursor has given.
#[inline]
fn fire(machine: &mut Machine<'_>, turn: Turn, cursor: &Cursor) -> Fired {
    match turn {
        Turn::Claim => machine.fire_claim(cursor.tried(), cursor.moved()),
        _ => machine.fire(cursor.pid(), cursor.tried(), cursor.moved()),
    }
}
