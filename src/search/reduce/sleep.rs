//! Sleep sets: Algorithm 2 (Fig. 3) of Godefroid, Holzmann and Pirottin, "State-space caching revisited" (FMSD 1995), which
//! we call the caching paper. The idea is Godefroid's (CAV 1990).
//!
//! A sleep set holds moves that are enabled but need not be taken: the search has already taken such a move from a state
//! further up the path, and no move since then depends on it. Every state is still visited, and only edges are left out. So
//! fewer states are matched, which makes a small cache bearable.
//!
//! Sound with a fixed order of exploration, which the walk has, and with the two stack conditions of Fig. 3: a move that
//! leads to a state on the stack does not enter a sleep set (line 21), and it does not stay in a set that is handed on to a
//! successor (line 11). States are matched on their vector alone. The argument carries over to a bounded cache; see
//! docs/soundness.md. An error on an edge that sleeps was found where the edge was taken, because the move reads the same
//! values there.
//!
//! A move that enters an atomic block stands for the whole block; it leads to the stack if one of its ends does. If we take a
//! state for one on the stack by mistake, we lose a little reduction and never a state, so both conditions may be tested on
//! hashes. Most tests of line 11 need no execution: some state on the stack would have to have the control locations that the
//! move leads to, and usually none has. For the other tests the move is executed and undone, a block by a walk of its own.
//!
//! Costs entries of 12 bytes in one array for the whole path, and a few loads per sleeping move and state.

use crate::analysis::Dependence;
use crate::analysis::block::block_of;
use crate::analysis::footprint::Flags;
use crate::exec::{Fired, Machine, Program};
use crate::model::{Action, Automaton, Model, TransitionType};
use crate::search::monitor::Patience;
use crate::search::reduce::sleepers::{NOBODY, Sleeper, Sleepers, sides, step_of};
use crate::search::reduce::stack_hashes::{ControlFilter, StackHashes, control_key};
use crate::search::reduce::{Attempt, ProcessStep, Reduction, Ruling};
use crate::search::walk::moves::free_rules;
use crate::search::walk::{Control, Decision, Ended, Visitor, Walk};
use crate::store::{Handle, StateHash};

/// A state on the path, with what the stack conditions need to know of it.
#[derive(Clone, Copy, Debug)]
struct StateOnStack {
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

/// The sleep sets of the states on the path, and what lies on the stack.
pub struct SleepSets<'m> {
    sleepers: Sleepers<'m>,
    path: Vec<StateOnStack>,
    stack: Stack<'m>,
}

/// What is known of the states on the stack, for the two conditions.
struct Stack<'m> {
    /// By number of a transition in the program.
    ends: Vec<Ends>,
    control: ControlFilter,
    hashes: StackHashes,
    hash: StateHash,
    probe: Walk,
    patience: Patience<'m>,
    /// A probe was broken off: the search ends soon.
    over: bool,
}

impl<'m> SleepSets<'m> {
    /// Empty sets for a search of this model.
    pub fn new(model: &'m Model, program: &Program, patience: Patience<'m>) -> SleepSets<'m> {
        let sleepers = Sleepers::new(model, program, true);
        let mut all_ends = vec![Ends::Unknown; program.transitions.len()];
        for (p, proctype) in model.proctypes.iter().enumerate() {
            let first = program.proctypes[p].first_transition as usize;
            for t in 0..proctype.automaton.transitions.len() {
                all_ends[first + t] = ends(&proctype.automaton, t, sleepers.dependence(), p);
            }
        }
        let stack = Stack {
            ends: all_ends,
            control: ControlFilter::default(),
            hashes: StackHashes::default(),
            hash: StateHash::new(0),
            probe: Walk::new(program.transitions.len(), free_rules()),
            patience,
            over: false,
        };
        SleepSets { sleepers, path: Vec::new(), stack }
    }
}

impl Stack<'_> {
    /// Line 11: does this sleeping move lead from the machine's state to a state on the stack?
    fn is_hit_by(&mut self, machine: &mut Machine<'_>, sleeper: Sleeper, control: u64) -> bool {
        self.control_may_match(machine, sleeper, control) && self.executes_to_stack(machine, sleeper)
    }

    /// Is there a state on the stack with the control locations that the move can lead to?
    fn control_may_match(&self, machine: &Machine<'_>, sleeper: Sleeper, control: u64) -> bool {
        let actor = step_of(sleeper.actor);
        let (pid, proctype) = (usize::from(actor.pid), machine.proctype(usize::from(actor.pid)));
        let before = control.wrapping_sub(control_key(pid, proctype, machine.location(pid)));
        match &self.ends[actor.number as usize] {
            Ends::Unknown => true,
            Ends::Dies => self.control.contains(before),
            Ends::At(ends) if sleeper.partner == NOBODY => {
                ends.iter().any(|&end| self.control.contains(before.wrapping_add(control_key(pid, proctype, end))))
            }
            Ends::At(ends) => {
                let second = step_of(sleeper.partner);
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

    /// As [`Stack::executes_to_stack`], for moves with more than one step.
    #[cold]
    fn walks_to_stack(&mut self, machine: &mut Machine<'_>, sleeper: Sleeper) -> bool {
        if self.over {
            return true;
        }
        let mut probe = Probe { patience: self.patience, over: false, hashes: &self.hashes, hash: &self.hash };
        let partner = (sleeper.partner != NOBODY).then(|| step_of(sleeper.partner));
        let mut only = Only { actor: step_of(sleeper.actor), partner };
        let mark = machine.mark();
        let found = self.probe.expand(machine, &mut probe, &mut only) == Ended::Stopped;
        self.over = probe.over;
        machine.undo(mark);
        found
    }
}

impl Reduction for SleepSets<'_> {
    fn enter(&mut self, machine: &mut Machine<'_>, _: Handle) {
        let mut control = 0u64;
        for pid in 0..machine.process_count() {
            control = control.wrapping_add(control_key(pid, machine.proctype(pid), machine.location(pid)));
        }
        // The state itself is on the stack: a move that changes nothing leads there.
        let stack = &mut self.stack;
        stack.control.add(control);
        stack.hashes.push(stack.hash.hash(machine.state()));
        self.sleepers.enter(machine, |machine, sleeper| {
            Some(Sleeper { passes: !stack.is_hit_by(machine, sleeper, control), ..sleeper })
        });
        self.path.push(StateOnStack { hit: false, control });
    }

    #[inline]
    fn seen(&mut self, machine: &Machine<'_>, on_stack: Option<bool>) {
        let stack = &self.stack;
        let on_stack = on_stack.unwrap_or_else(|| stack.hashes.contains(stack.hash.hash(machine.state())));
        if let Some(state) = self.path.last_mut() {
            state.hit |= on_stack;
        }
    }

    #[inline]
    fn leave(&mut self, _: &Machine<'_>) {
        if let Some(state) = self.path.pop() {
            self.sleepers.leave();
            self.stack.control.remove(state.control);
            self.stack.hashes.pop();
        }
    }

    #[inline]
    fn rule(&mut self, _: &Machine<'_>, attempt: Attempt) -> Ruling {
        if self.sleepers.is_asleep(sides(attempt)) { Ruling::Asleep } else { Ruling::Try }
    }

    #[inline]
    fn stepped(&mut self, attempt: Attempt) -> bool {
        self.sleepers.stepped(attempt)
    }

    #[cold]
    fn look_back(&mut self, machine: &Machine<'_>, attempt: Attempt) {
        self.sleepers.look_back(machine, attempt);
    }

    #[inline]
    fn returned(&mut self, machine: &Machine<'_>, attempt: Attempt) {
        let Some(state) = self.path.last_mut() else { return };
        // Lines 21 to 23.
        self.sleepers.returned(machine, attempt, !std::mem::take(&mut state.hit));
    }

    fn memory(&self) -> usize {
        self.sleepers.memory()
            + self.path.capacity() * size_of::<StateOnStack>()
            + self.stack.hashes.memory()
            + self.stack.probe.memory()
            + self.stack.control.memory()
    }
}

/// Executes a move that has one step, or two steps in a rendezvous. False if the move is a block or its steps cannot be done.
fn fires_plainly(machine: &mut Machine<'_>, sleeper: Sleeper) -> bool {
    let halves = [sleeper.actor, sleeper.partner];
    for step in halves.into_iter().filter(|&half| half != NOBODY).map(step_of) {
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

/// Leaves out everything but one move.
struct Only {
    actor: ProcessStep,
    partner: Option<ProcessStep>,
}

impl Reduction for Only {
    fn admits(&mut self, _: &Machine<'_>, pid: usize) -> bool {
        pid == usize::from(self.actor.pid)
    }

    fn rule(&mut self, _: &Machine<'_>, attempt: Attempt) -> Ruling {
        let wanted = match attempt.sender {
            None => self.actor,
            Some(_) => self.partner.unwrap_or(self.actor),
        };
        if attempt.step == wanted { Ruling::Try } else { Ruling::Skip }
    }
}

/// Stops the walk at a state that is on the stack.
struct Probe<'a> {
    hashes: &'a StackHashes,
    hash: &'a StateHash,
    patience: Patience<'a>,
    over: bool,
}

impl Visitor for Probe<'_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        if self.hashes.contains(self.hash.hash(machine.state())) { Decision::Stop } else { Decision::Back }
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.over = self.patience.is_over(walk.memory());
        if self.over { Control::Stop } else { Control::Continue }
    }
}
