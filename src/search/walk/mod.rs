//! The walk: it steps forward and back through a model, in SPIN's order, and tells a [`Visitor`] where it is.
//!
//! All searches share the walk. From a state the walk tries the processes from the highest pid down, and the transitions of
//! each location in order. It passes through states in the middle of a rendezvous and inside an atomic block. At every other
//! state it asks the visitor, which says whether the walk goes on from there (depth-first search) or turns back
//! (breadth-first search, where the state goes into a queue). Before the first step of a move the walk asks the [`Reduction`]
//! whether the move is needed. The stack of the walk lies on the heap; a frame holds an undo mark and a cursor, never a
//! state.
//!
//! With a claim, a claim step and a system step alternate, and the claim moves first; the visitor is asked before the claim's
//! turn. Where the system cannot move, the claim goes on alone (stutter extension). If a claim contains `timeout` or
//! `enabled`, the walk finds out before the claim's step whether the system can move, so that the claim is told what holds in
//! the state that it looks at.
//!
//! | file | what |
//! |---|---|
//! | `forward` | tries the next transition and steps to its successor |
//! | `back` | what happens when everything was tried, and how a step is taken back |
//! | `frame` | one position on the path |
//! | `outlook` | looking ahead, so that look-ups do not wait |
//! | `visitor` | what a search is told and asked |
//! | `long_block` | atomic blocks that never end |
//! | `peek` | which processes can move in a state |
//! | `possible` | the choices that a simulation has in a state |
//! | `moves` | all moves of a state with all their ends |
//! | `replay` | a path executed again |

mod back;
mod forward;
mod frame;
mod long_block;
pub mod moves;
mod outlook;
pub mod peek;
pub mod possible;
pub mod replay;
pub mod visitor;

pub use visitor::{Control, Decision, Event, Movers, Rules, Visitor};

use crate::exec::{Machine, Mark};
use crate::model::TransitionType;
use crate::search::outcome::{Actor, Step};
use crate::search::reduce::{Attempt, ProcessStep, Reduction};
use crate::store::Handle;
use frame::{Frame, Place, Turn};
use long_block::LongBlocks;

/// [`Visitor::tick`] is called every so many steps.
const TICK: u32 = 4_096;
/// So many steps inside a `d_step` count as one of [`TICK`].
const STEPS_OF_A_BLOCK: u32 = 32;
/// So many bytes of a state count as one step of [`TICK`].
const LONG_STATE: usize = 128;
/// With a reduction, a state counts as so many steps of [`TICK`]: a state may then cost a thousand times as much as a step.
const REDUCED_STATE: u32 = 64;

/// The path of a walk and its counts.
#[derive(Debug)]
pub struct Walk {
    frames: Vec<Frame>,
    rules: Rules,
    /// Executed at least once, by number of the transition.
    pub reached: Vec<bool>,
    /// The same without sends that were offered and that nobody has taken.
    pub completed: Vec<bool>,
    /// Steps inside atomic blocks.
    pub atomic_steps: u64,
    /// Longest path.
    pub deepest: u64,
    /// The long blocks of the moves on the path, from the start on: a block may end in a state from which another one starts.
    long_blocks: LongBlocks,
    /// States that were entered, as far as the number goes.
    entered: u32,
    /// [`entered`](Self::entered) when the walk looked ahead for the last time.
    awaited_since: u32,
    /// What was seen ahead, by the frames from which it was; the last comes first.
    ahead: Vec<outlook::Ahead>,
    /// Steps since the last [`Visitor::tick`].
    unheard: u32,
    /// For visitors with [`Visitor::WATCHES`], by position on the path: the processes that have moved since the last entered
    /// state.
    moved: Vec<Movers>,
    /// Added to depths: where the walk itself starts below the initial state.
    pub base_depth: u64,
}

/// Why a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Everything was looked at.
    Complete,
    /// The visitor stopped it, or the reduction has found a fault in itself; the machine is where it was then.
    Stopped,
}

/// What became of a storable state.
enum Arrival {
    /// The walk goes on from it.
    Entered,
    /// The walk turns back.
    Back,
    /// The walk ends.
    Stop,
}

/// What came of looking for the next process to try.
enum Found {
    Process,
    /// The step of the cursor that the top frame has now is done already; the mark from before it.
    There(Mark),
    Nobody,
    Stop,
}

/// What the walk does next.
enum Next {
    /// Try the next transition of the top frame.
    Forward,
    /// Everything from the top frame was tried.
    Exhausted,
    /// Leave the top frame.
    Up,
    /// End.
    Stop,
}

impl Walk {
    /// A walk that has not begun.
    pub fn new(transitions: usize, rules: Rules) -> Walk {
        Walk {
            frames: Vec::new(),
            rules,
            reached: vec![false; transitions],
            completed: vec![false; transitions],
            atomic_steps: 0,
            deepest: 0,
            long_blocks: LongBlocks::default(),
            entered: 0,
            awaited_since: 0,
            ahead: Vec::new(),
            unheard: 0,
            moved: Vec::new(),
            base_depth: 0,
        }
    }

    /// Steps from the start of this walk.
    pub fn depth(&self) -> u64 {
        (self.frames.len() as u64).saturating_sub(1) + self.base_depth
    }

    /// The rules that the walk was made with.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Bytes of the stack.
    pub fn memory(&self) -> usize {
        // With the quarter by which it grows next: that comes between two looks.
        let frames = self.frames.capacity() / 4 * 5 * size_of::<Frame>();
        let ahead = self.ahead.capacity() * size_of::<outlook::Ahead>();
        frames + ahead + self.moved.capacity() * size_of::<Movers>() + self.long_blocks.memory()
    }

    /// Adds what another walk of the same program has counted.
    pub fn absorb(&mut self, other: &Walk) {
        let join =
            |mine: &mut Vec<bool>, others: &[bool]| mine.iter_mut().zip(others).for_each(|(one, &more)| *one |= more);
        join(&mut self.reached, &other.reached);
        join(&mut self.completed, &other.completed);
        self.atomic_steps += other.atomic_steps;
        self.deepest = self.deepest.max(other.deepest);
    }

    /// The steps of the current path.
    pub fn path(&self, machine: &Machine<'_>) -> Vec<Step> {
        let before = &self.frames[..self.frames.len() - 1];
        before.iter().map(|frame| step_from(machine, frame, frame.cursor.tried())).collect()
    }

    /// Depths at which the current path has entered states, from the start, with their handles.
    pub fn entered(&self) -> impl DoubleEndedIterator<Item = (usize, Handle)> + '_ {
        self.frames.iter().enumerate().filter_map(|(depth, frame)| match frame.place {
            Place::Entered { handle, .. } => Some((depth, handle)),
            _ => None,
        })
    }

    /// The processes that have moved since the last entered state of the path (the top frame not counted as one). Only for
    /// visitors with [`Visitor::WATCHES`].
    pub fn movers(&self) -> Movers {
        debug_assert!(self.moved.len() >= self.frames.len(), "asked by a visitor that does not watch");
        self.moved.get(self.frames.len() - 1).copied().unwrap_or_default()
    }

    /// Walks from the machine's current state. The visitor is asked about that state first.
    pub fn run<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Ended {
        self.start::<V>(machine);
        // A budget that is used up already ends the walk at once.
        self.unheard = TICK;
        match self.arrive(machine, visitor, reduction, TransitionType::Other) {
            Arrival::Entered => self.go(machine, visitor, reduction),
            Arrival::Back => Ended::Complete,
            Arrival::Stop => Ended::Stopped,
        }
    }

    /// Walks from the machine's current state, which the caller has entered: the visitor hears of its successors, and
    /// nothing of the state itself.
    pub fn expand<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
    ) -> Ended {
        self.start::<V>(machine);
        if R::ACTIVE {
            reduction.enter(machine, Handle::default());
            if reduction.fault().is_some() {
                return Ended::Stopped;
            }
        }
        self.begin(machine);
        self.go(machine, visitor, reduction)
    }

    /// Begins a new path.
    fn start<V: Visitor>(&mut self, machine: &Machine<'_>) {
        self.frames.clear();
        // what was passed on an earlier walk is followed again: its ends are ends of this one too
        self.long_blocks.clear();
        self.ahead.clear();
        self.moved.clear();
        if V::WATCHES {
            self.moved.push(Movers::default());
        }
        self.frames.push(Frame::new(Place::Start { made: 0 }, machine.mark(), self.first_turn(), false));
    }

    fn go<V: Visitor, R: Reduction>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, reduction: &mut R) -> Ended {
        let mut next = match self.claim_ended(machine, visitor) {
            Control::Continue => Next::Forward,
            Control::Stop => Next::Stop,
        };
        loop {
            next = match next {
                Next::Forward => self.forward(machine, visitor, reduction),
                Next::Exhausted => self.exhausted(machine, visitor, reduction),
                Next::Up if self.up(machine, visitor, reduction) == Control::Stop => Next::Stop,
                Next::Up if self.frames.is_empty() => return Ended::Complete,
                Next::Up => Next::Forward,
                Next::Stop => return Ended::Stopped,
            };
        }
    }

    /// Who moves first from a state.
    #[inline]
    fn first_turn(&self) -> Turn {
        if self.rules.claim { Turn::Claim } else { Turn::Everybody }
    }

    #[inline]
    fn top(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The step that led to the top frame; `None` at the start.
    #[inline]
    fn last_step(&self) -> Option<ProcessStep> {
        let before = self.frames.len().checked_sub(2)?;
        let cursor = self.frames[before].cursor;
        Some(ProcessStep { pid: cursor.pid() as u8, number: cursor.tried() })
    }

    /// Is a step from the top frame the first of a move, or (in a rendezvous) the second half of a first one?
    #[inline]
    fn is_first(&self) -> bool {
        let last = self.frames.len() - 1;
        let halfway = self.frames[last].turn == Turn::Receivers;
        let from = &self.frames[if halfway { last.saturating_sub(1) } else { last }];
        if self.rules.claim {
            // The claim moves first, and no reduction leaves out what the claim can do.
            return from.turn == Turn::Everybody && from.since() == 1;
        }
        from.is_root()
    }

    /// The step of this number by the process at the cursor of the top frame, as reductions see it.
    #[inline]
    fn attempt(&self, step: ProcessStep) -> Attempt {
        let halfway = self.frames.last().is_some_and(|top| top.turn == Turn::Receivers);
        Attempt { step, sender: if halfway { self.last_step() } else { None } }
    }

    /// The top frame, whose turn is set, is a storable state: what becomes of it?
    #[inline]
    fn arrive<V: Visitor, R: Reduction>(
        &mut self,
        machine: &mut Machine<'_>,
        visitor: &mut V,
        reduction: &mut R,
        how: TransitionType,
    ) -> Arrival {
        // Whoever keeps long states takes memory in large steps.
        let long = (machine.state().len() / LONG_STATE) as u32;
        self.unheard += long + if R::ACTIVE { REDUCED_STATE } else { 1 };
        self.heed_toil(machine);
        if self.unheard >= TICK && self.tick(machine, visitor, reduction) == Control::Stop {
            return Arrival::Stop;
        }
        // The successors of a state that is new for certain are made before the state is stored: the memory for their look-ups comes meanwhile.
        let mut ahead = None;
        if V::FORESEES && !R::ACTIVE && visitor.awaits(machine) && self.looks_ahead(machine) {
            ahead = Some(self.make_ahead(machine, visitor));
        }
        let place = match visitor.arrive(machine, self, how) {
            Decision::Enter(handle) => {
                if R::ACTIVE {
                    reduction.enter(machine, handle);
                    if reduction.fault().is_some() {
                        return Arrival::Stop;
                    }
                }
                Place::Entered { handle, made: 0, foreseen: false }
            }
            Decision::Seen { on_stack, at } if R::ACTIVE => {
                reduction.seen(machine, on_stack);
                match at {
                    Some(handle) if R::REENTERS && reduction.reenters(machine, handle) => Place::Reentered { made: 0 },
                    _ => return Arrival::Back,
                }
            }
            Decision::Queued => {
                if R::ACTIVE {
                    reduction.queued(machine);
                }
                return Arrival::Back;
            }
            Decision::Seen { .. } | Decision::Back => {
                if let Some(made) = ahead {
                    // Only a store with a defect (`mutants`) says so of a state that was new for certain.
                    self.forget_ahead(visitor, made);
                }
                return Arrival::Back;
            }
            Decision::Stop => return Arrival::Stop,
        };
        self.top().place = place;
        self.begin(machine);
        self.entered = self.entered.wrapping_add(1);
        if V::FORESEES && !R::ACTIVE {
            if ahead.is_none() && visitor.foresees() && self.looks_ahead(machine) {
                ahead = Some(self.make_ahead(machine, visitor));
            }
            if let Some(made) = ahead {
                self.look_up_ahead(visitor, made);
            }
        }
        Arrival::Entered
    }

    /// May the walk look ahead? The interpreter would make each successor twice for more than what the look-up costs.
    #[inline]
    fn looks_ahead(&self, machine: &Machine<'_>) -> bool {
        machine.is_warm()
            && !self.rules.claim
            && self.rules.max_depth == u64::MAX
            && !machine.program().restricted
            && self.may_wait()
            && machine.state().len() < outlook::LONGEST_STATE
    }

    /// Puts the cursor of the top frame at its start.
    #[inline]
    fn begin(&mut self, machine: &mut Machine<'_>) {
        if self.top().turn == Turn::Claim && machine.program().claim_asks && self.is_stuck(machine) {
            self.top().timeout = true;
        }
        let depth = self.depth();
        if depth > self.deepest {
            self.deepest = depth;
        }
        let processes = machine.process_count() as u8;
        let top = self.top();
        top.left = match top.turn {
            Turn::Claim | Turn::Insider => 1,
            Turn::Everybody | Turn::Receivers => processes,
        };
        top.cursor = crate::exec::Cursor::default();
        top.any = false;
    }

    /// Can the system not move without `timeout`?
    #[cold]
    fn is_stuck(&self, machine: &mut Machine<'_>) -> bool {
        let rules = Rules { claim: false, halts: false, end_states: false, ..self.rules };
        !peek::peek(machine, rules).without_timeout
    }

    /// What long blocks take brings the next look at budgets and signals nearer.
    #[inline]
    fn heed_toil(&mut self, machine: &mut Machine<'_>) {
        self.unheard = self.unheard.saturating_add(machine.take_toil() / STEPS_OF_A_BLOCK);
    }

    /// It is time for the visitor to look at budgets and signals.
    #[cold]
    fn tick<V: Visitor, R: Reduction>(&mut self, machine: &mut Machine<'_>, visitor: &mut V, reduction: &R) -> Control {
        let unheard = std::mem::take(&mut self.unheard);
        // What a reduction takes is nothing that machine code makes shorter.
        machine.warm(u64::from(if R::ACTIVE { unheard / REDUCED_STATE } else { unheard }));
        visitor.tick(machine, self, reduction.memory())
    }

    #[inline]
    fn claim_ended<V: Visitor>(&mut self, machine: &mut Machine<'_>, visitor: &mut V) -> Control {
        if self.rules.claim && self.top().turn == Turn::Claim && claim_is_at_end(machine) {
            return visitor.event(machine, self, Event::ClaimEnd, None);
        }
        Control::Continue
    }
}

fn claim_is_at_end(machine: &Machine<'_>) -> bool {
    machine.claim_place().is_some_and(|place| place.valid_end)
}

/// The step that takes the transition with this number from a frame.
fn step_from(machine: &Machine<'_>, frame: &Frame, number: u32) -> Step {
    // The process may be dead by now: the owner of the transition is known from its number.
    let program = machine.program();
    let owner = program.proctypes.partition_point(|proctype| proctype.first_transition <= number) - 1;
    let actor = match frame.turn {
        Turn::Claim => Actor::Claim,
        _ => Actor::Process(frame.cursor.pid() as u8),
    };
    Step { actor, transition: number - program.proctypes[owner].first_transition, timeout: frame.timeout }
}
