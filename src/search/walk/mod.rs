//! The walk: steps forward and back through a model, in SPIN's order, and tells a [`Visitor`] where it is.
//!
//! This is the part that all searches share. From a state it tries the processes from the highest pid down and the
//! transitions of each location in order. States in the middle of a rendezvous or inside an atomic block are passed
//! through; at every other state it asks the visitor, who says whether to go on from there (depth-first search) or
//! to turn back (breadth-first search, which takes the state to its queue). The stack is on the heap; a frame holds
//! an undo mark and a cursor, never a state.
//!
//! With a claim, a claim step and a system step alternate, the claim first; states are met before the claim's turn.
//! Where the system cannot move the claim goes on alone (stutter extension). A claim that asks for `timeout` is told what
//! holds in the state that it looks at: whether the system can move is found out before.

mod long_block;
pub mod moves;
pub mod peek;
pub mod possible;
pub mod replay;
pub mod visitor;

pub use crate::search::walk::visitor::{Choice, Control, Decision, Event, Movers, Rules, Taken, Visitor};

use crate::exec::{Fired, Machine, Mark, Trap};
use crate::model::TransitionType;
use crate::search::outcome::{Actor, Step};
use crate::search::walk::long_block::LongBlocks;
use crate::search::walk::peek::peek;
use crate::store::Handle;

/// A path of more steps than this through an atomic block may never end: from here on the states inside the block are
/// remembered, and one that comes again is not followed. Real blocks are much shorter and cost nothing.
const LONG_BLOCK: u32 = 5_000;
/// The same for a block that branches, however short its paths are: so many steps were made in it by one move, back and
/// forth. SPIN would follow each path to its end; a block that is worth it has far fewer.
const WIDE_BLOCK: u32 = 1 << 20;
/// The visitor hears of it every so many steps that lead to no storable state, in whatever block they were made.
const TICK: u32 = 4_096;
/// So many bytes that are remembered of a block count as much as a step: they are part of a budget.
const BYTES_PER_STEP: usize = 64;

const STORED: u8 = 1; // the visitor has entered this state
const ATOMIC: u8 = 2; // only the process that moved last goes on
const TIMEOUT: u8 = 4; // `timeout` holds
const MOVED: u8 = 8; // the process at the cursor has moved
const ANY: u8 = 16; // some process has moved
const CLAIM: u8 = 32; // it is the claim's turn
const STARTED: u8 = 64; // the cursor stands on a process whose transitions are being tried
const ROOT: u8 = 128; // moves start here: the visitor has entered it, or the walk has started here

/// A position on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    handle: Handle,
    /// Journal position before the step that led here.
    mark: Mark,
    /// The step that led here.
    step: u32,
    /// Next transition to try and one past the last of this location.
    next: u32,
    end: u32,
    /// Escape that was taken here.
    escape: u32,
    /// Process that made the step that led here.
    mover: u8,
    /// Process at the cursor, plus one; 0 when all were tried.
    cursor: u8,
    flags: u8,
    /// The step that led here was taken under `timeout`.
    by_timeout: bool,
    /// The step that led here was one of the claim.
    by_claim: bool,
    /// In an entered state (and in the first one): steps that its latest move has made in all, see [`Walk::count_step`].
    /// Elsewhere: steps since that state.
    passed: u32,
}

/// The path of a walk and its counts.
#[derive(Debug)]
pub struct Walk {
    frames: Vec<Frame>,
    rules: Rules,
    /// Executed at least once, by number of the transition.
    pub reached: Vec<bool>,
    /// Steps inside atomic blocks.
    pub atomic_steps: u64,
    /// Longest path.
    pub deepest: u64,
    /// Those of the moves on the path, from the start on: a block may end in a state from which another one starts.
    long_blocks: LongBlocks,
    /// Steps since the visitor has heard of some, see [`TICK`].
    unheard: u32,
    /// For visitors that watch who moves, by place on the path: who has moved since the last entered state.
    moved: Vec<Movers>,
    /// Added to depths: where the walk itself starts below the initial state.
    pub base_depth: u64,
}

/// Why a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Everything was looked at.
    Complete,
    /// The visitor stopped it; the machine is where it was then.
    Stopped,
}

impl Walk {
    /// A walk that has not begun.
    pub fn new(transitions: usize, rules: Rules) -> Walk {
        Walk {
            frames: Vec::new(),
            rules,
            reached: vec![false; transitions],
            atomic_steps: 0,
            deepest: 0,
            long_blocks: LongBlocks::default(),
            unheard: 0,
            moved: Vec::new(),
            base_depth: 0,
        }
    }

    /// Steps from the start of this walk.
    pub fn depth(&self) -> u64 {
        (self.frames.len() as u64).saturating_sub(1) + self.base_depth
    }

    /// What it checks.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Bytes of the stack.
    pub fn memory(&self) -> usize {
        // With the quarter by which it grows next: that comes between two looks.
        let frames = self.frames.capacity() / 4 * 5 * size_of::<Frame>();
        frames + self.moved.capacity() * size_of::<Movers>() + self.long_blocks.memory()
    }

    /// The steps of the current path.
    pub fn path(&self, machine: &Machine<'_>) -> Vec<Step> {
        self.frames[1..].iter().map(|frame| self.step_of(machine, frame)).collect()
    }

    /// Depths at which the current path has entered states, from the start, with their handles.
    pub fn entered(&self) -> impl DoubleEndedIterator<Item = (usize, Handle)> + '_ {
        let stored = |(_, frame): &(usize, &Frame)| frame.flags & STORED != 0;
        self.frames.iter().enumerate().filter(stored).map(|(depth, frame)| (depth, frame.handle))
    }

    /// The processes that have moved since the last entered state of the path (the top frame not counted as one). Only for
    /// visitors with [`Visitor::WATCHES`].
    pub fn movers(&self) -> Movers {
        debug_assert!(self.moved.len() >= self.frames.len(), "asked by a visitor that does not watch");
        self.moved.get(self.frames.len() - 1).copied().unwrap_or_default()
    }

    /// A frame is about to be pushed: who has moved up to it? `fresh`: the top frame was entered.
    fn note_mover(&mut self, fresh: bool, mover: Option<u8>) {
        self.moved.truncate(self.frames.len());
        let mut movers = if fresh { Movers::default() } else { self.movers() };
        mover.into_iter().for_each(|pid| movers.add(pid));
        self.moved.push(movers);
    }

    fn step_of(&self, machine: &Machine<'_>, frame: &Frame) -> Step {
        let (actor, proctype) = self.actor_of(machine, frame);
        let first = machine.program().proctypes[proctype as usize].first_transition;
        Step { actor, transition: frame.step - first, timeout: frame.by_timeout }
    }

    /// Who made the step, and the process type its transition belongs to.
    fn actor_of(&self, machine: &Machine<'_>, frame: &Frame) -> (Actor, u32) {
        let program = machine.program();
        let owner = program.proctypes.partition_point(|proctype| proctype.first_transition <= frame.step) as u32 - 1;
        match program.claim {
            Some((_, claim)) if claim == owner => (Actor::Claim, owner),
            _ => (Actor::Process(frame.mover), owner),
        }
    }

    /// Walks from the machine's current state, which the visitor is asked about first if `ask` is set.
    pub fn run<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, ask: bool) -> Ended {
        self.frames.clear();
        // what was passed on an earlier walk is followed again: its ends are ends of this one too
        self.long_blocks.clear();
        self.moved.clear();
        if V::WATCHES {
            self.moved.push(Movers::default());
        }
        let turn = if self.rules.claim { CLAIM } else { 0 };
        self.frames.push(Frame {
            handle: Handle::default(),
            mark: machine.mark(),
            step: 0,
            next: 0,
            end: 0,
            escape: 0,
            mover: 0,
            cursor: 0,
            flags: turn | ROOT,
            by_timeout: false,
            by_claim: false,
            passed: 0,
        });
        let start = if ask { self.arrive(machine, visitor, TransitionType::Other) } else { Decision::Enter(Handle(0)) };
        match start {
            Decision::Enter(_) => {}
            Decision::Back => return Ended::Complete,
            Decision::Stop => return Ended::Stopped,
        }
        if !ask {
            // The caller has entered it; `leave` is not called for it.
            self.begin(machine);
        }
        if self.claim_ended(machine, visitor) == Control::Stop {
            return Ended::Stopped;
        }
        loop {
            match self.forward(machine, visitor) {
                Forward::Down => {}
                Forward::Stop => return Ended::Stopped,
                Forward::Exhausted => match self.exhausted(machine, visitor) {
                    Backward::Again => {}
                    Backward::Up => {
                        if self.up(machine, visitor) == Control::Stop {
                            return Ended::Stopped;
                        }
                        if self.frames.is_empty() {
                            return Ended::Complete;
                        }
                    }
                    Backward::Stop => return Ended::Stopped,
                },
            }
        }
    }

    #[inline]
    fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn arrive<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, how: TransitionType) -> Decision {
        let decision = visitor.arrive(machine, self, how);
        if let Decision::Enter(handle) = decision {
            let top = self.top();
            top.handle = handle;
            top.flags |= STORED | ROOT;
            top.passed = 0;
            self.begin(machine);
        }
        decision
    }

    /// Puts the cursor of the top frame at its start.
    #[inline]
    fn begin(&mut self, machine: &mut Machine<'_>) {
        if self.top().flags & CLAIM != 0 && machine.program().claim_asks && self.is_stuck(machine) {
            self.top().flags |= TIMEOUT;
        }
        let depth = self.depth();
        if depth > self.deepest {
            self.deepest = depth;
        }
        let processes = machine.process_count() as u8;
        let top = self.top();
        top.cursor = if top.flags & CLAIM != 0 {
            1
        } else if top.flags & ATOMIC != 0 && !machine.in_handshake() {
            top.mover + 1
        } else {
            processes
        };
        top.flags &= !(STARTED | ANY);
    }

    /// Can the system not move without `timeout`?
    #[cold]
    fn is_stuck(&self, machine: &mut Machine<'_>) -> bool {
        let rules = Rules { claim: false, halts: false, end_states: false, ..self.rules };
        !peek(machine, rules).without_timeout
    }

    /// Takes the next executable step from the top frame.
    #[inline]
    fn forward<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Forward {
        let program = machine.program();
        let mut frame = *self.top();
        machine.set_timeout(frame.flags & TIMEOUT != 0);
        let handshake = machine.in_handshake();
        let claim_turn = frame.flags & CLAIM != 0;
        let sender = if V::REDUCES { self.sender(handshake) } else { None };
        let first = V::REDUCES && self.is_first(handshake);
        while frame.cursor != 0 {
            let pid = usize::from(frame.cursor) - 1;
            if frame.flags & STARTED == 0 {
                frame.flags = (frame.flags | STARTED) & !MOVED;
                frame.escape = 0;
                if claim_turn {
                    let Some(place) = machine.claim_place() else { break };
                    (frame.next, frame.end) = (place.first, place.end);
                } else {
                    // A process does not shake hands with itself.
                    if handshake && pid == usize::from(frame.mover) {
                        frame.next = frame.end;
                    } else {
                        let place = machine.place(pid);
                        (frame.next, frame.end) = (place.first, place.end);
                        match machine.permitted(pid) {
                            Ok(true) => {}
                            Ok(false) => frame.next = frame.end,
                            Err(trap) => {
                                frame.next = frame.end;
                                *self.top() = frame;
                                if visitor.event(machine, self, Event::Trap(trap), None) == Control::Stop {
                                    return Forward::Stop;
                                }
                            }
                        }
                        if V::REDUCES && first && !handshake && !visitor.admits(machine, pid) {
                            frame.next = frame.end;
                        }
                    }
                }
            }
            while frame.next < frame.end {
                let number = frame.next;
                let transition = &program.transitions[number as usize];
                if frame.escape > 0 && frame.escape != transition.escape {
                    frame.next = frame.end;
                    break;
                }
                frame.next += 1;
                if V::REDUCES && first {
                    match visitor.choose(machine, Taken { pid: pid as u8, number }, sender) {
                        Choice::Try => {}
                        Choice::Asleep => {
                            frame.escape = transition.escape;
                            frame.flags |= MOVED | ANY;
                            continue;
                        }
                        Choice::Skip => continue,
                    }
                }
                let mark = machine.mark();
                let moved = frame.flags & MOVED != 0;
                let fired =
                    if claim_turn { machine.fire_claim(number, moved) } else { machine.fire(pid, number, moved) };
                match fired {
                    Fired::Blocked => continue,
                    Fired::Done => {}
                    Fired::DoneWith(trap) | Fired::BlockedWith(trap) | Fired::Failed(trap) => {
                        *self.top() = frame;
                        if self.trapped(machine, visitor, trap, pid, number) == Control::Stop {
                            return Forward::Stop;
                        }
                        match fired {
                            Fired::BlockedWith(_) => continue,
                            // Something was executable here, only not soundly: no deadlock is to be reported.
                            Fired::Failed(_) => {
                                if V::WATCHES && !claim_turn {
                                    self.tell_first_step(visitor, pid as u8, handshake);
                                }
                                frame.flags |= MOVED | ANY;
                                continue;
                            }
                            _ => {}
                        }
                    }
                }
                self.reached[number as usize] = true;
                let offers = machine.in_handshake();
                if V::WATCHES && !claim_turn && !offers {
                    self.tell_first_step(visitor, pid as u8, handshake);
                }
                if V::REDUCES && first && !offers {
                    let step = Taken { pid: pid as u8, number };
                    if visitor.taken(step, sender) {
                        machine.undo(mark);
                        visitor.look_back(machine, step, sender);
                        machine.fire(pid, number, moved);
                    }
                }
                frame.escape = transition.escape;
                if !offers {
                    frame.flags |= MOVED;
                }
                let timeout = frame.flags & TIMEOUT;
                let starts = frame.flags & ROOT != 0;
                if starts {
                    frame.passed = 0;
                } else if frame.by_claim || (V::REDUCES && first) {
                    // Also who moves after the claim, and who receives what was offered, makes a move of its own.
                    let root = self.frames.len() - 1 - frame.passed as usize;
                    self.frames[root].passed = 0;
                }
                *self.top() = frame;
                if !self.long_blocks.is_empty() && (starts || frame.by_claim || (V::REDUCES && first)) {
                    // Every end of every move counts: what an earlier one has passed is followed again.
                    self.long_blocks.forget_from(self.frames.len() - 1 - frame.passed as usize);
                }
                let mut flags = 0;
                if claim_turn {
                    // The system moves next, under the claim's timeout.
                    flags |= timeout;
                } else if offers || transition.atomic {
                    flags |= ATOMIC;
                } else if self.rules.claim {
                    flags |= CLAIM;
                }
                if !claim_turn && !offers && transition.atomic {
                    self.atomic_steps += 1;
                }
                if self.frames.len() == self.frames.capacity() {
                    // By quarters: doubling would leap over a budget.
                    self.frames.reserve_exact(self.frames.len() / 4 + 1024);
                }
                if V::WATCHES {
                    self.note_mover(frame.flags & STORED != 0, (!claim_turn).then_some(pid as u8));
                }
                self.frames.push(Frame {
                    handle: Handle::default(),
                    mark,
                    step: number,
                    next: 0,
                    end: 0,
                    escape: 0,
                    mover: if claim_turn { frame.mover } else { pid as u8 },
                    cursor: 0,
                    flags,
                    by_timeout: timeout != 0,
                    by_claim: claim_turn,
                    passed: if starts { 1 } else { frame.passed + 1 },
                });
                return self.down(machine, visitor, transition.kind, offers || flags & ATOMIC != 0 || claim_turn);
            }
            frame.cursor = if claim_turn || (frame.flags & ATOMIC != 0 && !handshake) { 0 } else { frame.cursor - 1 };
            frame.flags &= !STARTED;
        }
        *self.top() = frame;
        Forward::Exhausted
    }

    /// A frame was pushed: look whether to stay.
    #[inline]
    fn down<V: Visitor>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        how: TransitionType,
        passing: bool,
    ) -> Forward {
        if V::PEEKS && !self.top().by_claim && !machine.in_handshake() {
            return self.turn_back(machine, visitor, true);
        }
        if self.depth() >= self.rules.max_depth {
            visitor.cut();
            return self.turn_back(machine, visitor, true);
        }
        if passing {
            let wide = self.count_step();
            if self.unheard >= TICK && self.tick(machine, visitor) == Control::Stop {
                return Forward::Stop;
            }
            if (wide || self.top().passed > LONG_BLOCK) && self.is_old::<V>(machine) {
                return self.turn_back(machine, visitor, true);
            }
            if self.top().by_claim && machine.program().formula && claim_is_at_end(machine) {
                // The state that the claim has just looked at breaks the formula, whatever follows.
                return match visitor.event(machine, self, Event::ClaimEnd, None) {
                    Control::Continue => self.turn_back(machine, visitor, true),
                    Control::Stop => Forward::Stop,
                };
            }
            self.begin(machine);
        } else {
            match self.arrive(machine, visitor, how) {
                Decision::Enter(_) => {}
                Decision::Back => return self.turn_back(machine, visitor, true),
                Decision::Stop => return Forward::Stop,
            }
        }
        match self.claim_ended(machine, visitor) {
            Control::Continue => Forward::Down,
            Control::Stop => Forward::Stop,
        }
    }

    /// The entered state, or the start, from which the move under way comes.
    fn root(&self) -> usize {
        let top = self.frames.len() - 1;
        top - self.frames.last().map_or(0, |frame| frame.passed as usize)
    }

    /// A step inside a block: counts it for the move under way, which alone decides when its states are remembered, so that
    /// the same move has the same ends each time. True if the block is a wide one.
    #[inline]
    fn count_step(&mut self) -> bool {
        self.unheard += 1;
        let root = self.root();
        let made = &mut self.frames[root].passed;
        *made = made.saturating_add(1);
        *made >= WIDE_BLOCK
    }

    /// Many steps have led to no storable state: the visitor hears of it.
    #[cold]
    fn tick<V: Visitor>(&mut self, machine: &Machine<'_>, visitor: &mut V) -> Control {
        self.unheard = 0;
        visitor.tick(machine, self)
    }

    /// Was the machine's state, which is inside a long block, passed by the same move before? From now on it was.
    #[cold]
    fn is_old<V: Visitor>(&mut self, machine: &Machine<'_>) -> bool {
        if machine.in_handshake() {
            return false;
        }
        let (top, root) = (self.frames.len() - 1, self.root());
        // Who is inside belongs to it: two processes may be in blocks of their own in the same state.
        let mut inside = machine.saved().to_vec();
        inside.push(self.frames[top].mover);
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

    fn claim_ended<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Control {
        if self.rules.claim && self.top().flags & CLAIM != 0 && claim_is_at_end(machine) {
            return visitor.event(machine, self, Event::ClaimEnd, None);
        }
        Control::Continue
    }

    fn trapped<V: Visitor>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        trap: Trap,
        pid: usize,
        number: u32,
    ) -> Control {
        let last = self.frames.len() - 1;
        let passes = self.rules.pass_assertions && self.frames[last].flags & CLAIM == 0;
        if trap.kind() == crate::exec::TrapKind::Assertion && (passes || !self.rules.assertions) {
            return Control::Continue;
        }
        let frame = Frame { step: number, mover: pid as u8, ..self.frames[last] };
        let timeout = self.frames[last].flags & TIMEOUT != 0;
        let step = Step { timeout, ..self.step_of(machine, &frame) };
        visitor.event(machine, self, Event::Trap(trap), Some(step))
    }

    /// Leaves the top frame, which was not entered; `taken`: the step into it counts as a move.
    #[inline]
    fn turn_back<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, taken: bool) -> Forward {
        self.pop(machine, visitor, taken);
        Forward::Down
    }

    /// Undoes the step that led to the top frame.
    #[inline]
    fn pop<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, taken: bool) {
        let Some(frame) = self.frames.pop() else { return };
        let offered = machine.in_handshake();
        machine.undo(frame.mark);
        if let Some(parent) = self.frames.last_mut() {
            note(parent, taken);
        }
        // the return from a send that was offered is not that of a move: those were its receives
        if V::REDUCES && taken && !offered && !self.frames.is_empty() {
            let handshake = machine.in_handshake();
            if self.is_first(handshake) {
                let step = Taken { pid: frame.mover, number: frame.step };
                visitor.returned(machine, step, self.sender(handshake));
            }
        }
    }

    /// Is a step from the top frame the first of a move, or (in a handshake) the second half of a first one?
    #[inline]
    fn is_first(&self, handshake: bool) -> bool {
        let depth = self.frames.len() - 1 - usize::from(handshake && self.frames.len() > 1);
        depth == 0 || self.frames[depth].flags & STORED != 0
    }

    /// Who has offered the handshake that is half done.
    #[inline]
    fn sender(&self, handshake: bool) -> Option<Taken> {
        let top = self.frames.last().filter(|_| handshake)?;
        Some(Taken { pid: top.mover, number: top.step })
    }

    /// Everything from the top frame was tried.
    fn exhausted<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Backward {
        let uses_timeout = machine.program().timeout;
        let flags = self.top().flags;
        if V::REDUCES
            && (flags & STORED != 0 || self.frames.len() == 1)
            && flags & (ATOMIC | CLAIM) == 0
            && !machine.in_handshake()
            && visitor.again(machine)
        {
            self.begin(machine);
            if flags & ANY != 0 {
                self.top().flags |= ANY;
            }
            return Backward::Again;
        }
        if flags & (ANY | CLAIM) != 0 || machine.in_handshake() {
            return Backward::Up;
        }
        if V::REDUCES && flags & STORED != 0 && !visitor.judges() {
            return Backward::Up;
        }
        if flags & ATOMIC != 0 {
            // The process cannot go on: its block is broken here, and the state is like any other.
            let turn = if self.rules.claim { CLAIM } else { 0 };
            let step = self.top().step;
            self.top().flags = (flags & !(ATOMIC | TIMEOUT)) | turn;
            if machine.process_count() == 0 {
                return Backward::Up;
            }
            let how = machine.program().transitions[step as usize].kind;
            return self.arrive_again(machine, visitor, how);
        }
        if uses_timeout && flags & TIMEOUT == 0 && machine.process_count() > 0 {
            self.top().flags |= TIMEOUT;
            self.begin(machine);
            return Backward::Again;
        }
        if self.rules.claim && !self.rules.stutter {
            return Backward::Up;
        }
        if self.rules.claim {
            // Stutter: the claim has moved, the system stays where it is.
            self.top().flags = (flags & !TIMEOUT) | CLAIM;
            return self.arrive_again(machine, visitor, TransitionType::Other);
        }
        if self.rules.halts && visitor.event(machine, self, Event::Halt, None) == Control::Stop {
            return Backward::Stop;
        }
        if self.rules.end_states
            && !machine.is_valid_end(self.rules.strict_channels)
            && visitor.event(machine, self, Event::InvalidEnd, None) == Control::Stop
        {
            return Backward::Stop;
        }
        Backward::Up
    }

    /// The top frame, which was passed through, is a state after all.
    fn arrive_again<V: Visitor>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        how: TransitionType,
    ) -> Backward {
        match self.arrive(machine, visitor, how) {
            Decision::Enter(_) => match self.claim_ended(machine, visitor) {
                Control::Continue => Backward::Again,
                Control::Stop => Backward::Stop,
            },
            Decision::Back => Backward::Up,
            Decision::Stop => Backward::Stop,
        }
    }

    /// A step of this process from the top frame is possible: tells the visitor if it is the first since a state.
    fn tell_first_step<V: Visitor>(&mut self, visitor: &mut V, pid: u8, handshake: bool) {
        let top = *self.top();
        // in an entered state the field counts what its moves have made
        let passed = if top.flags & ROOT != 0 { 0 } else { top.passed };
        if passed == u32::from(self.rules.claim) + u32::from(handshake) {
            let mut movers = Movers::default();
            movers.add(pid);
            if handshake {
                movers.add(top.mover);
            }
            visitor.can_move(movers, top.flags & TIMEOUT != 0);
        }
    }

    /// Goes back over the step that led to the top frame.
    #[inline]
    fn up<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Control {
        let frame = *self.top();
        if frame.flags & STORED != 0 && visitor.leave(machine, self, frame.handle) == Control::Stop {
            return Control::Stop;
        }
        // A send that nobody took has not happened.
        let failed = machine.in_handshake() && frame.flags & ANY == 0;
        self.pop(machine, visitor, !failed);
        Control::Continue
    }
}

fn claim_is_at_end(machine: &Machine<'_>) -> bool {
    machine.claim_place().is_some_and(|place| place.valid_end)
}

/// Notes in a frame whether the step that came back was one.
#[inline]
fn note(parent: &mut Frame, taken: bool) {
    if taken {
        parent.flags |= ANY | MOVED;
    } else {
        parent.escape = 0;
    }
}

enum Forward {
    /// Go on with the top frame.
    Down,
    /// Nothing more from the top frame.
    Exhausted,
    /// The visitor ends the walk.
    Stop,
}

enum Backward {
    /// Try the top frame again.
    Again,
    /// Leave it.
    Up,
    /// The visitor ends the walk.
    Stop,
}
