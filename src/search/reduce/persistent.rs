//! Persistent sets: from each state only the moves of a persistent set are explored (partial-order reduction).
//!
//! The sets are those of [`crate::analysis::persistent`]; exploring them keeps every deadlock. To keep assertions and other
//! errors on edges as well, a move must not be put off for ever. So we use the proviso of Holzmann and Peled (FORTE 1994) in
//! its form for safety: if all successors of a reduced state lie on the stack, more of its moves are explored, set by set,
//! until one leads elsewhere or none is left. Of each terminal component of the reduced graph, the state that is left first
//! has all its successors on the stack; so every terminal component has a state that was explored in full. Breadth first,
//! some successor must be new or still wait in the queue (Bošnački and Holzmann, SPIN 2005); with several workers, it must be one of the next
//! level. `--deadlocks-only` does without
//! the proviso. The argument is in docs/soundness.md.
//!
//! Costs: where a process alone is enough, its transitions are tried once more. Where none is, every transition is tried once more
//! and the closures are made, unless they have hardly ever left anything out lately.

use crate::analysis::Dependence;
use crate::analysis::persistent::{Enabled, Persistent, Pids, ProcessSet};
use crate::exec::{Cursor, Fired, Machine};
use crate::model::Model;
use crate::search::monitor::Patience;
use crate::search::outcome::Retraction;
use crate::search::reduce::stack_hashes::StackHashes;
use crate::search::reduce::{Fault, Reduction};
use crate::store::{Handle, StateHash};
use rapidhash::RapidHashMap;

/// The choice made at a state on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// What is looked at; `None` is everything.
    set: Option<ProcessSet>,
    /// What was looked at before.
    done: ProcessSet,
    /// Some successor was not on the stack.
    fresh: bool,
    /// Processes, and births on the way here.
    processes: usize,
    births: u32,
}

/// What to keep, and what may be assumed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PersistentOptions {
    /// Deadlocks only: no proviso.
    pub deadlocks_only: bool,
    /// Messages left in channels are judged.
    pub strict_channels: bool,
    /// Births may be counted to justify a coarser view of pids. If the count does not work out the search ends with
    /// [`Retraction::Births`], and must be run again without.
    pub count_births: bool,
    /// States that differ in pids only must be told apart.
    pub names_pids: bool,
    /// `xr` and `xs` are believed. If the model breaks one the search ends with [`Retraction::ChannelClaim`], and must
    /// be run again without.
    pub trust_claims: bool,
    /// The store knows which states are on the stack.
    pub tracks_stack: bool,
    /// The set that is chosen follows from the state alone, and not from how often it paid to look for one before.
    pub steady: bool,
}

/// How many processes were made on the way to each state, by its hash. If it is the same on all ways to a state, then no
/// cycle makes processes, and the largest number bounds them all.
#[derive(Debug)]
struct Births {
    limit: u32,
    hash: StateHash,
    of: RapidHashMap<u64, u32>,
}

impl Births {
    /// The machine's state was reached with this many. Is that against the bound? `more`: processes can still be made from
    /// here. Where none can, no cycle makes any, and the number of births on another way to the state does not matter.
    fn note(&mut self, machine: &Machine<'_>, births: u32, more: bool) -> bool {
        let known = if more { *self.of.entry(self.hash.hash(machine.state())).or_insert(births) } else { births };
        known != births || births > self.limit
    }
}

/// The reduction of a depth-first search to persistent sets.
pub struct PersistentSets<'m> {
    persistent: Persistent<'m>,
    enabled: Enabled,
    frames: Vec<Frame>,
    /// Deadlocks only: no proviso.
    deadlocks_only: bool,
    births: Option<Births>,
    /// Which assumption was seen to be wrong.
    fault: Option<Fault>,
    /// For stores that cannot say what is on the stack.
    hashes: Option<(StackHashes, StateHash)>,
    /// Whether a process alone is worth looking at, by process type and location; whether closures are.
    chances: Vec<Vec<Worth>>,
    closure: Worth,
    /// With hundreds of processes one set may take a second.
    patience: Option<Patience<'m>>,
}

impl<'m> PersistentSets<'m> {
    /// A reduction for a search of this model.
    pub fn new(model: &'m Model, keep: PersistentOptions) -> PersistentSets<'m> {
        // births on paths that are ignored for ever would not be counted
        let counts = keep.count_births && !keep.deadlocks_only;
        // a state that breaks a claim could be put off for ever too
        let trusting = keep.trust_claims && !keep.deadlocks_only;
        let pids =
            if keep.names_pids { Pids::Seen } else { Pids::Unseen { strict_channels: keep.strict_channels, counts } };
        let persistent = Persistent::new(model, pids, trusting).steady(keep.steady);
        let births =
            persistent.max_births.map(|limit| Births { limit, hash: StateHash::new(0), of: RapidHashMap::default() });
        PersistentSets {
            persistent,
            enabled: Enabled::default(),
            frames: Vec::new(),
            deadlocks_only: keep.deadlocks_only,
            births,
            fault: None,
            hashes: (!keep.tracks_stack).then(|| (StackHashes::default(), StateHash::new(0))),
            chances: model
                .proctypes
                .iter()
                .map(|proctype| vec![Worth::new(ALONE, keep.steady); proctype.automaton.locations.len()])
                .collect(),
            closure: Worth::new(CLOSURE, keep.steady),
            patience: None,
        }
    }

    /// In a search that may have to end. Then everything is taken, until it does.
    #[must_use]
    pub fn within(self, patience: Patience<'m>) -> PersistentSets<'m> {
        PersistentSets { patience: Some(patience), ..self }
    }

    /// Births on the way to the machine's state, which the move under way has led to.
    fn births_here(&self, machine: &Machine<'_>) -> u32 {
        self.frames.last().map_or(0, |from| from.births + machine.process_count().saturating_sub(from.processes) as u32)
    }

    fn note_births(&mut self, machine: &Machine<'_>) {
        if self.births.is_some() {
            let (here, more) = (self.births_here(machine), self.persistent.may_make(machine));
            if self.births.as_mut().is_some_and(|births| births.note(machine, here, more)) {
                self.fault.get_or_insert(Fault::Retract(Retraction::Births));
            }
        }
    }

    /// A state is entered again: what is looked at there is not the business of the sets.
    pub fn reenter(&mut self, machine: &Machine<'_>) {
        let births = self.births_here(machine);
        let done = ProcessSet::default();
        self.frames.push(Frame { set: None, done, fresh: true, processes: machine.process_count(), births });
    }

    /// The processes that were looked at last in the state on top, if all that they led to is on the stack and more must be
    /// looked at.
    pub fn stuck(&self) -> Option<ProcessSet> {
        let &Frame { set: Some(set), fresh: false, done, .. } = self.frames.last()? else { return None };
        (!self.deadlocks_only).then(|| set.without(&done))
    }

    /// The relation the sets are made from.
    pub fn relation(&self) -> &Dependence<'m> {
        &self.persistent.pairs.dependence
    }

    /// Does this state break a claim that the sets rely on?
    pub fn breaks_claim(&mut self, machine: &Machine<'_>) -> bool {
        self.persistent.refresh(machine);
        self.persistent.broken_claim(machine).is_some()
    }

    /// The set that is chosen in the machine's state.
    ///
    /// First a cheap look: is there a process whose moves are a persistent set alone? Only its own transitions are tried for that,
    /// and only at locations where it has been so now and then. If there is none, the closure over all processes is made, as
    /// long as it has been paying on this model.
    pub fn choose_set(&mut self, machine: &mut Machine<'_>) -> Option<ProcessSet> {
        let candidates = self.candidates(machine);
        // It is asked in every state, so that the pauses are counted in states.
        let closes = self.closure.is_due();
        if candidates == ProcessSet::default() && !closes && !self.persistent.is_trusting() {
            return None;
        }
        self.persistent.refresh(machine);
        if let Some(how) = self.persistent.broken_claim(machine) {
            self.fault = Some(Fault::Retract(Retraction::ChannelClaim(how)));
            return None;
        }
        machine.set_timeout(false);
        let alone = self.choose_alone(machine, &candidates);
        if alone.is_some() || !closes {
            return alone;
        }
        scan(machine, &mut self.enabled);
        if self.enabled.faults {
            // A guard that fails is not enabled, and not blocked either. The walk tells of it when it tries everything.
            return None;
        }
        let set = self.persistent.choose(machine, &self.enabled, &must_end(self.patience));
        self.closure.tell(set.is_some());
        set
    }

    /// The processes that are worth looking at alone.
    #[inline]
    fn candidates(&mut self, machine: &Machine<'_>) -> ProcessSet {
        let mut due = ProcessSet::default();
        for pid in 0..machine.process_count() {
            let chances = &mut self.chances[machine.proctype(pid) as usize][machine.location(pid) as usize];
            if chances.is_due() {
                due.insert(pid);
            }
        }
        due
    }

    /// The process with the fewest moves among those that are persistent sets alone; the first with one move is enough.
    fn choose_alone(&mut self, machine: &mut Machine<'_>, candidates: &ProcessSet) -> Option<ProcessSet> {
        let mut best: Option<(u32, usize)> = None;
        for pid in (0..machine.process_count()).rev().filter(|&pid| candidates.contains(pid)) {
            let chances = &mut self.chances[machine.proctype(pid) as usize][machine.location(pid) as usize];
            self.enabled.clear(machine.process_count());
            scan_process(machine, pid, &mut self.enabled);
            let (moves, transitions) = (self.enabled.moves[pid], self.enabled.transitions[pid]);
            if moves == 0 {
                continue;
            }
            let alone = !self.enabled.faults && self.persistent.stands_alone(machine, pid, transitions);
            chances.tell(alone);
            if alone && best.is_none_or(|(fewest, _)| moves < fewest) {
                best = Some((moves, pid));
                if moves == 1 {
                    break;
                }
            }
        }
        best.map(|(_, pid)| ProcessSet::only(pid))
    }
}

/// A look at one process costs about as much as trying its transitions.
const ALONE: u32 = 8;
/// A closure costs about as much as two states do.
pub(super) const CLOSURE: u32 = 4;

/// Whether a kind of attempt that may fail is worth its price. At first it is always made. If it hardly ever succeeds, it is made
/// more and more seldom; a success makes it frequent again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worth {
    /// It is made always, whatever comes of it.
    steady: bool,
    /// At least one in so many attempts has to succeed.
    one_in: u32,
    tried: u32,
    won: u32,
    /// Occasions that are passed over before the next attempt, and how many of them are left.
    pause: u32,
    left: u32,
}

impl Worth {
    /// Attempts at first.
    const TRIAL: u32 = 64;
    /// Most occasions that are passed over.
    const LONGEST: u32 = 1 << 12;

    pub(super) fn new(one_in: u32, steady: bool) -> Worth {
        Worth { steady, one_in, tried: 0, won: 0, pause: 0, left: 0 }
    }

    /// Is the attempt made on this occasion?
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
        }
        self.left == 0
    }

    /// The attempt was made and has succeeded or not.
    #[inline]
    pub(super) fn tell(&mut self, success: bool) {
        if self.steady {
            return;
        }
        self.tried += 1;
        self.won += u32::from(success);
        if self.tried >= Self::TRIAL {
            self.pause = match self.won >= self.tried / self.one_in {
                true => self.pause / 4,
                false => (self.pause * 2 + 1).min(Self::LONGEST),
            };
            // what was long ago counts less and less
            (self.tried, self.won) = (self.tried / 2, self.won / 2);
        }
        self.left = self.pause;
    }
}

pub(super) fn must_end(patience: Option<Patience<'_>>) -> impl Fn() -> bool {
    move || patience.is_some_and(|patience| patience.is_over(0))
}

/// Finds out what is enabled, as the walk would: escapes first, `else` last, a send only with somebody to take it.
pub fn scan(machine: &mut Machine<'_>, enabled: &mut Enabled) {
    enabled.clear(machine.process_count());
    machine.set_timeout(false);
    for pid in (0..machine.process_count()).rev() {
        scan_process(machine, pid, enabled);
    }
}

/// The same for one process.
pub(super) fn scan_process(machine: &mut Machine<'_>, pid: usize, enabled: &mut Enabled) {
    let program = machine.program();
    let Some(mut cursor) = cursor_of(machine, pid, enabled) else { return };
    let first = machine.place(pid).first;
    while let Some(number) = cursor.next(program) {
        let mark = machine.mark();
        let fired = machine.fire(pid, number, cursor.moved());
        let offers = machine.in_handshake();
        let moves = match fired {
            Fired::Blocked => 0,
            Fired::BlockedWith(_) => {
                enabled.faults = true;
                0
            }
            Fired::Failed(_) => {
                enabled.traps = true;
                1
            }
            Fired::Done | Fired::DoneWith(_) if offers => {
                let moves = partners(machine, pid, enabled);
                // To offer it was an error, and nobody takes it: no move will tell of the error.
                enabled.faults |= moves == 0 && matches!(fired, Fired::DoneWith(_));
                moves
            }
            Fired::Done | Fired::DoneWith(_) => 1,
        };
        machine.undo(mark);
        enabled.traps |= matches!(fired, Fired::DoneWith(_));
        match fired {
            Fired::Failed(_) => cursor.failed(),
            _ if moves > 0 => cursor.took(&program.transitions[number as usize]),
            _ if offers => cursor.offer_failed(),
            _ => {}
        }
        if moves > 0 {
            enabled.moves[pid] += moves;
            enabled.note(pid, number - first);
        }
    }
}

/// The cursor of a process; `None`, and a fault, if its `provided` clause cannot be evaluated.
fn cursor_of(machine: &Machine<'_>, pid: usize, enabled: &mut Enabled) -> Option<Cursor> {
    let cursor = machine.cursor(pid);
    enabled.faults |= cursor.is_err();
    cursor.ok()
}

/// Who takes the message that `sender` offers; gives the number of receives.
fn partners(machine: &mut Machine<'_>, sender: usize, enabled: &mut Enabled) -> u32 {
    let program = machine.program();
    let mut moves = 0;
    for pid in (0..machine.process_count()).rev().filter(|&pid| pid != sender) {
        let Some(mut cursor) = cursor_of(machine, pid, enabled) else { continue };
        let first = machine.place(pid).first;
        while let Some(number) = cursor.next(program) {
            let mark = machine.mark();
            let fired = machine.fire(pid, number, cursor.moved());
            machine.undo(mark);
            match fired {
                Fired::Blocked => {}
                Fired::BlockedWith(_) => enabled.faults = true,
                Fired::Failed(_) => {
                    enabled.faults = true;
                    cursor.failed();
                }
                // the receiver alone is not a start: its moves are counted with the sender
                Fired::Done | Fired::DoneWith(_) => {
                    enabled.traps |= matches!(fired, Fired::DoneWith(_));
                    cursor.took(&program.transitions[number as usize]);
                    moves += 1;
                    enabled.note(pid, number - first);
                }
            }
        }
    }
    moves
}

impl Reduction for PersistentSets<'_> {
    fn enter(&mut self, machine: &mut Machine<'_>, _: Handle) {
        if let Some(parent) = self.frames.last_mut() {
            parent.fresh = true;
        }
        if let Some((hashes, hash)) = &mut self.hashes {
            hashes.push(hash.hash(machine.state()));
        }
        let mut births = self.births_here(machine);
        if let Some(known) = &mut self.births {
            if self.frames.is_empty() {
                // breadth first, or the start
                births = known.of.get(&known.hash.hash(machine.state())).copied().unwrap_or(0);
            }
            if known.note(machine, births, self.persistent.may_make(machine)) {
                self.fault.get_or_insert(Fault::Retract(Retraction::Births));
            }
        }
        let set = self.choose_set(machine);
        let processes = machine.process_count();
        self.frames.push(Frame { set, done: ProcessSet::default(), fresh: false, processes, births });
    }

    fn seen(&mut self, machine: &Machine<'_>, on_stack: Option<bool>) {
        self.note_births(machine);
        let on_stack = on_stack.unwrap_or_else(|| {
            self.hashes.as_ref().is_none_or(|(hashes, hash)| hashes.contains(hash.hash(machine.state())))
        });
        if let Some(frame) = self.frames.last_mut() {
            frame.fresh |= !on_stack;
        }
    }

    fn queued(&mut self, machine: &Machine<'_>) {
        self.note_births(machine);
        if let Some(frame) = self.frames.last_mut() {
            frame.fresh = true;
        }
    }

    fn leave(&mut self, _: &Machine<'_>) {
        self.frames.pop();
        if let Some((hashes, _)) = &mut self.hashes {
            hashes.pop();
        }
    }

    #[inline]
    fn admits(&mut self, _: &Machine<'_>, pid: usize) -> bool {
        let Some(frame) = self.frames.last() else { return true };
        frame.set.is_none_or(|set| set.contains(pid)) && !frame.done.contains(pid)
    }

    fn admits_more(&mut self, machine: &mut Machine<'_>) -> bool {
        let Some(&Frame { set: Some(set), fresh: false, .. }) = self.frames.last() else { return false };
        if self.deadlocks_only {
            return false;
        }
        // A union of persistent sets is one: add the next smallest, and only in the end everything.
        scan(machine, &mut self.enabled);
        self.persistent.refresh(machine);
        // A look that fails is neither enabled nor blocked, and no closure is made for it: then everything is explored.
        let more = match self.enabled.faults {
            true => None,
            false => self.persistent.extend(machine, &self.enabled, &set, &must_end(self.patience)),
        };
        if let Some(frame) = self.frames.last_mut() {
            frame.done = set;
            frame.set = more;
        }
        true
    }

    fn memory(&self) -> usize {
        self.persistent.memory()
            + self.frames.capacity() * size_of::<Frame>()
            + self.hashes.as_ref().map_or(0, |(hashes, _)| hashes.memory())
            + self.births.as_ref().map_or(0, |births| births.of.capacity() * 17)
    }

    fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }
}
