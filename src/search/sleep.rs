//! Depth-first search with sleep sets: Algorithm 2 of the caching paper (Fig. 3).
//!
//! A sleep set holds moves that are enabled but need not be taken, because the search has already gone that way from a
//! state further up and nothing since then depends on them (Godefroid, CAV 1990; Godefroid, Holzmann and Pirottin, FMSD
//! 1995). Every state is still visited; only edges are left out, so fewer states are matched, which is what makes a small
//! cache bearable.
//!
//! Sound with a fixed order of exploration, which the walk has, and with the two stack conditions of Fig. 3: a move that
//! leads to a state on the stack neither enters a sleep set (line 21) nor stays in one that is handed on (line 11). States
//! are matched on their vector alone. It carries over to a bounded cache; see docs/soundness.md. An error on an edge
//! that sleeps was found where the edge was taken: it reads the same values there.
//!
//! A move that enters an atomic block stands for the whole block; it leads to the stack if one of its ends does. Taking
//! such a state for one on the stack by mistake costs a little reduction and never a state, so both conditions may be
//! tested on hashes. Most tests of line 11 need no execution at all: a state with the control locations that the move
//! would lead to must be on the stack, and usually none is. What is left is executed and undone by a walk of its own.
//!
//! Costs: entries of 12 bytes on one array for the whole path, a few loads per sleeping move and state.

use crate::analysis::block::block_of;
use crate::analysis::footprint::Flags;
use crate::analysis::relate::Answer;
use crate::analysis::{Dependence, Move, Part};
use crate::exec::{Fired, Machine, Program};
use crate::model::{Action, Automaton, Model, TransitionType};
use crate::search::moves::free_rules;
use crate::search::outcome::Step;
use crate::search::reduction::Reduction;
use crate::search::stack::{ControlFilter, StackHashes, control_key};
use crate::search::walk::{Choice, Control, Decision, Ended, Event, Taken, Visitor, Walk};
use crate::store::{Handle, StateHash};

/// Pid in the upper byte, number of the transition in the program in the rest.
type Half = u32;
const NOBODY: Half = Half::MAX;

#[inline]
fn half(step: Taken) -> Half {
    u32::from(step.pid) << 24 | step.number & 0xff_ffff
}

#[inline]
fn taken(half: Half) -> Taken {
    Taken { pid: (half >> 24) as u8, number: half & 0xff_ffff }
}

/// Actor and partner of a move, from its last step and the sender.
#[inline]
fn sides(step: Taken, sender: Option<Taken>) -> (Half, Half) {
    match sender {
        None => (half(step), NOBODY),
        Some(sender) => (half(sender), half(step)),
    }
}

/// A move in a sleep set.
#[derive(Clone, Copy, Debug)]
struct Sleeper {
    actor: Half,
    partner: Half,
    /// Handed on to successors: it does not lead to a state on the stack.
    passes: bool,
}

/// The sleep set of a state on the path: a stretch of the array of sleepers.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where it starts.
    start: u32,
    /// End of what it was entered with.
    inherited: u32,
    /// End of the set; behind it lies the set for the successors of the move that is under way.
    end: u32,
    /// The move that is under way has led to a state on the stack.
    hit: bool,
    /// See [`ControlFilter`].
    control: u64,
}

/// Where a move can leave a process.
#[derive(Clone, Debug)]
enum Ends {
    /// At one of these locations.
    At(Vec<u32>),
    /// It dies.
    Dies,
    /// Other processes are made or moved too.
    Unknown,
}

/// More ends than this are not worth looking at one by one.
const MAX_ENDS: usize = 12;

/// The sleep sets of the states on the path.
pub struct SleepSets<'m> {
    dependence: Dependence<'m>,
    /// By number of a transition in the program: its number in its automaton.
    own_number: Vec<u32>,
    /// By number in the program: makes or ends processes.
    changes: Vec<bool>,
    /// By number in the program.
    ends: Vec<Ends>,
    /// The move under way changes the processes.
    dirty: bool,
    sleepers: Vec<Sleeper>,
    frames: Vec<Frame>,
    control: ControlFilter,
    hashes: StackHashes,
    hash: StateHash,
    probe: Walk,
}

impl<'m> SleepSets<'m> {
    /// Empty sets for a search of this model.
    pub fn new(model: &'m Model, program: &Program) -> SleepSets<'m> {
        let dependence = Dependence::new(model);
        let mut own_number = vec![0; program.transitions.len()];
        let mut changes = vec![false; program.transitions.len()];
        let mut all_ends = vec![Ends::Unknown; program.transitions.len()];
        for (p, proctype) in model.proctypes.iter().enumerate() {
            let first = program.proctypes[p].first_transition as usize;
            for t in 0..proctype.automaton.transitions.len() {
                own_number[first + t] = t as u32;
                changes[first + t] = dependence.changes_processes(p, t);
                all_ends[first + t] = ends(&proctype.automaton, t, &dependence, p);
            }
        }
        SleepSets {
            dependence,
            own_number,
            changes,
            ends: all_ends,
            dirty: true,
            sleepers: Vec::new(),
            frames: Vec::new(),
            control: ControlFilter::default(),
            hashes: StackHashes::default(),
            hash: StateHash::new(0),
            probe: Walk::new(program.transitions.len(), free_rules()),
        }
    }

    #[inline]
    fn part(&self, half: Half) -> Part {
        let step = taken(half);
        Part { pid: step.pid, transition: self.own_number[step.number as usize] }
    }

    #[inline]
    fn as_move(&self, actor: Half, partner: Half) -> Move {
        Move { actor: self.part(actor), partner: (partner != NOBODY).then(|| self.part(partner)) }
    }

    /// Line 11: does this sleeping move lead from the machine's state to a state on the stack?
    fn leads_to_stack(&mut self, machine: &mut Machine<'_>, sleeper: Sleeper, control: u64) -> bool {
        self.control_may_match(machine, sleeper, control) && self.executes_to_stack(machine, sleeper)
    }

    /// Is there a state on the stack with the control locations that the move can lead to?
    fn control_may_match(&self, machine: &Machine<'_>, sleeper: Sleeper, control: u64) -> bool {
        let actor = taken(sleeper.actor);
        let (pid, proctype) = (usize::from(actor.pid), machine.proctype(usize::from(actor.pid)));
        let before = control.wrapping_sub(control_key(pid, proctype, machine.location(pid)));
        match &self.ends[actor.number as usize] {
            Ends::Unknown => true,
            Ends::Dies => self.control.contains(before),
            Ends::At(ends) if sleeper.partner == NOBODY => {
                ends.iter().any(|&end| self.control.contains(before.wrapping_add(control_key(pid, proctype, end))))
            }
            Ends::At(ends) => {
                let second = taken(sleeper.partner);
                let (other, its) = (usize::from(second.pid), machine.proctype(usize::from(second.pid)));
                let before = before.wrapping_sub(control_key(other, its, machine.location(other)));
                let Ends::At(others) = &self.ends[second.number as usize] else { return true };
                ends.iter().any(|&end| {
                    let moved = before.wrapping_add(control_key(pid, proctype, end));
                    others.iter().any(|&end| self.control.contains(moved.wrapping_add(control_key(other, its, end))))
                })
            }
        }
    }

    fn executes_to_stack(&mut self, machine: &mut Machine<'_>, sleeper: Sleeper) -> bool {
        let mark = machine.mark();
        machine.set_timeout(false);
        let plain = fires_plainly(machine, sleeper);
        let found = plain && self.hashes.contains(self.hash.hash(machine.state()));
        machine.undo(mark);
        if plain { found } else { self.walks_to_stack(machine, sleeper) }
    }

    /// The same for moves with more than one step.
    #[cold]
    fn walks_to_stack(&mut self, machine: &mut Machine<'_>, sleeper: Sleeper) -> bool {
        let mut probe = Probe {
            actor: taken(sleeper.actor),
            partner: (sleeper.partner != NOBODY).then(|| taken(sleeper.partner)),
            hashes: &self.hashes,
            hash: &self.hash,
        };
        let mark = machine.mark();
        let found = self.probe.run(machine, &mut probe, false) == Ended::Stopped;
        machine.undo(mark);
        found
    }

    /// Line 14: what sleeps in the successors of this move, as far as it can be told without the state before it. Gives
    /// true if some of it cannot.
    #[inline]
    fn hand_on(&mut self, frame: Frame, actor: Half, partner: Half) -> bool {
        self.sleepers.truncate(frame.end as usize);
        let taken = self.as_move(actor, partner);
        for index in frame.start as usize..frame.end as usize {
            let sleeper = self.sleepers[index];
            if sleeper.passes {
                let sleeping = self.as_move(sleeper.actor, sleeper.partner);
                match self.dependence.move_statically(&sleeping, &taken) {
                    Answer::Independent => self.sleepers.push(sleeper),
                    Answer::Dependent => {}
                    Answer::Ask => return true,
                }
            }
        }
        false
    }
}

impl Reduction for SleepSets<'_> {
    const ACTIVE: bool = true;

    fn enter(&mut self, machine: &mut Machine<'_>, _: &Walk) {
        if self.dirty {
            self.dependence.refresh(machine);
            self.dirty = false;
        }
        let from = self.frames.last().map_or(0, |frame| frame.end) as usize;
        let start = self.sleepers.len();
        let mut control = 0u64;
        for pid in 0..machine.process_count() {
            control = control.wrapping_add(control_key(pid, machine.proctype(pid), machine.location(pid)));
        }
        // The state itself is on the stack: a move that changes nothing leads there.
        self.control.add(control);
        self.hashes.push(self.hash.hash(machine.state()));
        // A copy: a block with several ends enters several states with the same set.
        for index in from..start {
            let mut sleeper = self.sleepers[index];
            sleeper.passes = !self.leads_to_stack(machine, sleeper, control);
            self.sleepers.push(sleeper);
        }
        let end = self.sleepers.len() as u32;
        self.frames.push(Frame { start: start as u32, inherited: end, end, hit: false, control });
    }

    #[inline]
    fn seen(&mut self, machine: &Machine<'_>, on_stack: Option<bool>) {
        let on_stack = on_stack.unwrap_or_else(|| self.hashes.contains(self.hash.hash(machine.state())));
        if let Some(frame) = self.frames.last_mut() {
            frame.hit |= on_stack;
        }
    }

    #[inline]
    fn leave(&mut self, _: &Machine<'_>) {
        if let Some(frame) = self.frames.pop() {
            self.sleepers.truncate(frame.start as usize);
            self.control.remove(frame.control);
            self.hashes.pop();
        }
    }

    #[inline]
    fn choose(&mut self, _: &Machine<'_>, step: Taken, sender: Option<Taken>) -> Choice {
        let Some(&frame) = self.frames.last() else { return Choice::Try };
        if frame.inherited == frame.start {
            return Choice::Try;
        }
        let (actor, partner) = sides(step, sender);
        let inherited = &self.sleepers[frame.start as usize..frame.inherited as usize];
        if inherited.iter().any(|sleeper| sleeper.actor == actor && sleeper.partner == partner) {
            Choice::Asleep
        } else {
            Choice::Try
        }
    }

    #[inline]
    fn taken(&mut self, step: Taken, sender: Option<Taken>) -> bool {
        self.dirty |= self.changes[step.number as usize];
        if let Some(sender) = sender {
            self.dirty |= self.changes[sender.number as usize];
        }
        let Some(&frame) = self.frames.last() else { return false };
        let (actor, partner) = sides(step, sender);
        frame.end > frame.start && self.hand_on(frame, actor, partner)
    }

    #[cold]
    fn look_back(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) {
        let Some(&frame) = self.frames.last() else { return };
        let (actor, partner) = sides(step, sender);
        self.sleepers.truncate(frame.end as usize);
        let taken = self.as_move(actor, partner);
        for index in frame.start as usize..frame.end as usize {
            let sleeper = self.sleepers[index];
            let sleeping = self.as_move(sleeper.actor, sleeper.partner);
            if sleeper.passes && !self.dependence.dependent(machine, &sleeping, &taken) {
                self.sleepers.push(sleeper);
            }
        }
    }

    #[inline]
    fn returned(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) {
        if self.changes[step.number as usize] || sender.is_some_and(|s| self.changes[s.number as usize]) {
            self.dependence.refresh(machine);
            self.dirty = false;
        }
        let (actor, partner) = sides(step, sender);
        let Some(frame) = self.frames.last_mut() else { return };
        self.sleepers.truncate(frame.end as usize);
        // Lines 21 to 23.
        if !frame.hit {
            self.sleepers.push(Sleeper { actor, partner, passes: true });
            frame.end += 1;
        }
        frame.hit = false;
    }

    fn memory(&self) -> usize {
        self.sleepers.capacity() * size_of::<Sleeper>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.hashes.memory()
            + self.control.memory()
    }
}

/// Executes a move that has one step, or two in a rendezvous; false if it is a block, or not to be had so simply.
fn fires_plainly(machine: &mut Machine<'_>, sleeper: Sleeper) -> bool {
    let halves = [sleeper.actor, sleeper.partner];
    for step in halves.into_iter().filter(|&half| half != NOBODY).map(taken) {
        if machine.program().transitions[step.number as usize].atomic
            || !matches!(machine.fire(usize::from(step.pid), step.number, false), Fired::Done | Fired::DoneWith(_))
        {
            return false;
        }
    }
    !machine.in_handshake()
}

/// Where transition `first` of process type `p` can leave its process.
fn ends(automaton: &Automaton, first: usize, dependence: &Dependence<'_>, p: usize) -> Ends {
    let footprint = &dependence.footprints[p][first];
    if footprint.flags.has(Flags::RUN) || !footprint.partners.is_empty() {
        return Ends::Unknown;
    }
    let transition = &automaton.transitions[first];
    if matches!(transition.action, Action::End) {
        return Ends::Dies;
    }
    if footprint.flags.has(Flags::DEATH) {
        return Ends::Unknown;
    }
    let mut ends = Vec::new();
    let mut add = |location: u32| {
        if !ends.contains(&location) {
            ends.push(location);
        }
    };
    // a rendezvous ends the sender's block for now
    if !transition.atomic || footprint.flags.has(Flags::RENDEZVOUS_SEND) {
        add(transition.target);
    }
    let inner = block_of(automaton, first);
    if transition.atomic {
        add(transition.target);
    }
    for t in inner {
        // an inner location is an end if the block breaks off there, and then it is the target of a step before
        add(automaton.transitions[t].target);
    }
    if ends.len() > MAX_ENDS { Ends::Unknown } else { Ends::At(ends) }
}

/// Executes one move, and stops if one of its ends is on the stack.
struct Probe<'a> {
    actor: Taken,
    partner: Option<Taken>,
    hashes: &'a StackHashes,
    hash: &'a StateHash,
}

impl Visitor for Probe<'_> {
    const REDUCES: bool = true;

    fn admits(&mut self, _: &Machine<'_>, pid: usize) -> bool {
        pid == usize::from(self.actor.pid)
    }

    fn choose(&mut self, _: &Machine<'_>, step: Taken, sender: Option<Taken>) -> Choice {
        let wanted = match sender {
            None => self.actor,
            Some(_) => self.partner.unwrap_or(self.actor),
        };
        if step == wanted { Choice::Try } else { Choice::Asleep }
    }

    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        if self.hashes.contains(self.hash.hash(machine.state())) { Decision::Stop } else { Decision::Back }
    }

    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, _: Handle) -> Control {
        Control::Continue
    }

    fn event(&mut self, _: &mut Machine<'_>, _: &Walk, _: Event, _: Option<Step>) -> Control {
        Control::Continue
    }
}
