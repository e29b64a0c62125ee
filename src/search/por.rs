//! Partial-order reduction: only a persistent set of moves is explored from each state.
//!
//! The sets are those of [`crate::analysis::persistent`]. They keep every deadlock. For assertions and other errors on
//! edges a move must not be put off for ever: if all successors of a reduced state lie on the stack, more of its moves
//! are explored, set by set, until one leads elsewhere or none is left (the proviso of Holzmann and Peled, FORTE 1994, in its form for safety). The state of a terminal
//! component that is left first has all its successors on the stack, so every terminal component of the reduced graph has
//! a state that was explored in full. `--deadlocks-only` does without. See docs/soundness.md for the argument. Breadth
//! first, some successor must be new (the queue proviso of Bošnački and Holzmann, SPIN 2005).
//!
//! Costs: every transition is tried once more per state, to see which are enabled.

use crate::analysis::Dependence;
use crate::analysis::persistent::{Enabled, Persistent, ProcessSet};
use crate::exec::{Fired, Machine};
use crate::model::Model;
use crate::search::reduction::Reduction;
use crate::search::stack::StackHashes;
use crate::search::walk::Walk;
use crate::store::StateHash;

/// The choice made at a state on the path.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// What is looked at; `None` is everything.
    set: Option<ProcessSet>,
    /// What was looked at before.
    done: ProcessSet,
    /// Some successor was not on the stack.
    fresh: bool,
}

/// The reduction of a depth-first search to persistent sets.
pub struct PersistentSets<'m> {
    persistent: Persistent<'m>,
    enabled: Enabled,
    frames: Vec<Frame>,
    /// Deadlocks only: no proviso.
    deadlocks_only: bool,
    /// For stores that cannot say what is on the stack.
    hashes: Option<(StackHashes, StateHash)>,
}

impl<'m> PersistentSets<'m> {
    /// A reduction that keeps assertions and deadlocks, or only the latter. `tracks_stack`: the store knows which states
    /// are on the stack.
    pub fn new(model: &'m Model, deadlocks_only: bool, tracks_stack: bool) -> PersistentSets<'m> {
        PersistentSets {
            persistent: Persistent::new(model),
            enabled: Enabled::default(),
            frames: Vec::new(),
            deadlocks_only,
            hashes: (!tracks_stack).then(|| (StackHashes::default(), StateHash::new(0))),
        }
    }

    /// The relation the sets are made from.
    pub fn relation(&self) -> &Dependence<'m> {
        &self.persistent.dependence
    }

    /// The set that is chosen in the machine's state.
    pub fn choose_set(&mut self, machine: &mut Machine<'_>) -> Option<ProcessSet> {
        scan(machine, &mut self.enabled);
        self.persistent.refresh(machine);
        self.persistent.choose(machine, &self.enabled)
    }
}

/// Finds out what is enabled, as the walk would: escapes first, `else` last, a send only with somebody to take it.
pub fn scan(machine: &mut Machine<'_>, enabled: &mut Enabled) {
    let count = machine.process_count();
    enabled.transitions.clear();
    enabled.transitions.resize(count, 0);
    enabled.moves.clear();
    enabled.moves.resize(count, 0);
    machine.set_timeout(false);
    for pid in (0..count).rev() {
        if machine.program().restricted && !machine.permitted(pid) {
            continue;
        }
        let place = machine.place(pid);
        let (mut escape, mut moved) = (0, false);
        for number in place.first..place.end {
            let transition = &machine.program().transitions[number as usize];
            if escape > 0 && escape != transition.escape {
                break;
            }
            let mark = machine.mark();
            let fired = machine.fire(pid, number, moved);
            let bit = number - place.first;
            let moves = match fired {
                Fired::Blocked | Fired::BlockedWith(_) => 0,
                Fired::Failed(_) => 1,
                Fired::Done | Fired::DoneWith(_) if machine.in_handshake() => partners(machine, pid, enabled),
                Fired::Done | Fired::DoneWith(_) => 1,
            };
            machine.undo(mark);
            if moves > 0 {
                moved = true;
                escape = transition.escape;
                enabled.moves[pid] += moves;
                if bit < 64 {
                    enabled.transitions[pid] |= 1 << bit;
                }
            }
        }
    }
}

/// Who takes the message that `sender` offers; gives the number of receives.
fn partners(machine: &mut Machine<'_>, sender: usize, enabled: &mut Enabled) -> u32 {
    let mut moves = 0;
    for pid in (0..machine.process_count()).rev() {
        if pid == sender || (machine.program().restricted && !machine.permitted(pid)) {
            continue;
        }
        let place = machine.place(pid);
        for number in place.first..place.end {
            let mark = machine.mark();
            let fired = machine.fire(pid, number, false);
            machine.undo(mark);
            if matches!(fired, Fired::Done | Fired::DoneWith(_)) {
                moves += 1;
                let bit = number - place.first;
                if bit < 64 {
                    enabled.transitions[pid] |= 1 << bit;
                }
                // the receiver alone is not a start: its moves are counted with the sender
            }
        }
    }
    moves
}

impl Reduction for PersistentSets<'_> {
    const ACTIVE: bool = true;

    fn enter(&mut self, machine: &mut Machine<'_>, _: &Walk) {
        if let Some(parent) = self.frames.last_mut() {
            parent.fresh = true;
        }
        if let Some((hashes, hash)) = &mut self.hashes {
            hashes.push(hash.hash(machine.state()));
        }
        let set = self.choose_set(machine);
        self.frames.push(Frame { set, done: ProcessSet::default(), fresh: false });
    }

    fn seen(&mut self, machine: &Machine<'_>, on_stack: Option<bool>) {
        let on_stack = on_stack.unwrap_or_else(|| {
            self.hashes.as_ref().is_none_or(|(hashes, hash)| hashes.contains(hash.hash(machine.state())))
        });
        if let Some(frame) = self.frames.last_mut() {
            frame.fresh |= !on_stack;
        }
    }

    fn queued(&mut self) {
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

    fn again(&mut self, machine: &mut Machine<'_>) -> bool {
        let Some(&Frame { set: Some(set), fresh: false, .. }) = self.frames.last() else { return false };
        if self.deadlocks_only {
            return false;
        }
        // A union of persistent sets is one: add the next smallest, and only in the end everything.
        scan(machine, &mut self.enabled);
        self.persistent.refresh(machine);
        let more = self.persistent.extend(machine, &self.enabled, &set);
        if let Some(frame) = self.frames.last_mut() {
            frame.done = set;
            frame.set = more;
        }
        true
    }

    fn memory(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>() + self.hashes.as_ref().map_or(0, |(hashes, _)| hashes.memory())
    }
}
