//! Dead variables and unread writes.
//!
//! Liveness is the textbook's: a cell is alive at a location if some path from there reads it before every path to that
//! read has written it. A transition that can be tried at a location reads there, whether or not it turns out to be
//! executable, so guards that fail, escapes and patterns that do not match are covered. Inside a `d_step` the same is
//! computed for its own automaton. SPIN resets a variable at the transition behind its last read; here it is reset on the
//! very step behind which it is dead, parameters at the creation of the process included, so that in every state all
//! dead cells are 0.
//!
//! With `vain` writes left out liveness is the strong one: `x = x + 1` does not keep `x` alive if nothing else reads it.

use super::super::flow::BitSet;
use super::cells::Cells;
use super::looks::{Looks, zero};
use crate::model::visit::{self, can_fault};
use crate::model::{Action, Automaton, Initial, Model, Place, ReceiveArgument, Region, Transition};
use crate::mutants::{self, Mutant};

/// Bits of all live sets of one process type; one that needs more is left alone.
const MOST_BITS: usize = 1 << 26;

struct Life<'a> {
    cells: &'a Cells,
    /// Writes of values that nobody reads are left out, and read nothing.
    strong: bool,
}

impl Life<'_> {
    /// By location of an automaton: the cells that are alive. `exit`: those behind a `d_step`.
    fn live(&self, automaton: &Automaton, exit: Option<&BitSet>) -> Vec<BitSet> {
        let mut live = vec![self.cells.always.clone(); automaton.locations.len()];
        if let (Some(at), Some(exit)) = (automaton.exit, exit)
            && let Some(live) = live.get_mut(at as usize)
        {
            live.union(exit);
        }
        // By location: the transitions that lead to it, each with its own location.
        let mut leading: Vec<Vec<(usize, &Transition)>> = vec![Vec::new(); automaton.locations.len()];
        for location in 0..automaton.locations.len() {
            for transition in automaton.at(location as u32) {
                if let Some(leading) = leading.get_mut(transition.target as usize) {
                    leading.push((location, transition));
                }
            }
        }
        // What has grown is carried over one transition at a time, so that a location with many options costs no more than each
        // of its options.
        let mut open: Vec<usize> = (0..automaton.locations.len()).collect();
        let mut waits = vec![true; automaton.locations.len()];
        while let Some(location) = open.pop() {
            waits[location] = false;
            for &(source, transition) in &leading[location] {
                let before = self.before(transition, &live[location]);
                if live[source].union(&before) && !std::mem::replace(&mut waits[source], true) {
                    open.push(source);
                }
            }
        }
        live
    }

    /// What is alive before a transition, if `behind` is alive behind it.
    fn before(&self, transition: &Transition, behind: &BitSet) -> BitSet {
        let mut live = behind.clone();
        transition.after.actions.iter().rev().for_each(|action| self.action(action, &mut live));
        self.action(&transition.action, &mut live);
        live
    }

    fn action(&self, action: &Action, live: &mut BitSet) {
        match action {
            Action::End => *live = self.cells.none(),
            Action::DStep(body) => *live = self.live(body, Some(live)).swap_remove(body.entry as usize),
            Action::Assign(place, value) => self.assignment(place, value, live),
            Action::Block(assignments) => {
                assignments.iter().rev().for_each(|(place, value)| self.assignment(place, value, live));
            }
            Action::Guard(_) if mutants::is(Mutant::GuardsReadNothing) => {}
            _ => {
                visit::writes(action, &mut |place, _| self.write(place, live));
                visit::expressions(action, &mut |expr| self.cells.reads(expr, live));
            }
        }
    }

    fn assignment(&self, place: &Place, value: &crate::model::Expr, live: &mut BitSet) {
        if self.strong && self.is_vain(place, value, live) {
            return;
        }
        self.write(place, live);
        self.cells.reads(value, live);
        place.indices.iter().for_each(|index| self.cells.reads(&index.value, live));
    }

    fn write(&self, place: &Place, live: &mut BitSet) {
        if let Some(cell) = self.cells.only(place) {
            live.remove(cell);
        }
    }

    /// Nobody reads what this assignment writes, and to leave it out hides no error.
    fn is_vain(&self, place: &Place, value: &crate::model::Expr, live: &BitSet) -> bool {
        self.cells.only(place).is_some_and(|cell| !live.contains(cell)) && !can_fault(value)
    }

    /// Leaves out what an automaton writes in vain; `exit` as above.
    fn strip(&self, automaton: &mut Automaton, exit: Option<&BitSet>) {
        let live = self.live(automaton, exit);
        for transition in &mut automaton.transitions {
            let Some(behind) = live.get(transition.target as usize) else { continue };
            match &mut transition.action {
                Action::DStep(body) => self.strip(body, Some(behind)),
                Action::Assign(place, value) if self.is_vain(place, value, behind) => transition.action = Action::Skip,
                Action::Block(assignments) => self.strip_block(assignments, behind),
                Action::Receive { arguments, .. } => self.strip_receive(arguments, behind),
                _ => {}
            }
        }
    }

    /// The fields of a message are stored one after the other, and the place of a later one may be told by an earlier one
    /// (`c?x,a[x]`): so they are looked at from the last to the first.
    fn strip_receive(&self, arguments: &mut [ReceiveArgument], behind: &BitSet) {
        let mut live = behind.clone();
        for argument in arguments.iter_mut().rev() {
            let ReceiveArgument::Store(place) = argument else { continue };
            if self.cells.only(place).is_some_and(|cell| !live.contains(cell)) {
                *argument = ReceiveArgument::Ignore;
                continue;
            }
            self.write(place, &mut live);
            place.indices.iter().for_each(|index| self.cells.reads(&index.value, &mut live));
        }
    }

    fn strip_block(&self, assignments: &mut Vec<(Place, crate::model::Expr)>, behind: &BitSet) {
        let mut live = behind.clone();
        let mut kept = Vec::new();
        while let Some((place, value)) = assignments.pop() {
            if !self.is_vain(&place, &value, &live) {
                self.assignment(&place, &value, &mut live);
                kept.push((place, value));
            }
        }
        kept.reverse();
        *assignments = kept;
    }
}

fn is_too_large(automaton: &Automaton, cells: &Cells) -> bool {
    cells.places.is_empty() || automaton.locations.len().saturating_mul(cells.places.len()) > MOST_BITS
}

/// Leaves out the writes of a process type whose values nobody reads.
pub(super) fn drop_unread_writes(automaton: &mut Automaton, cells: &Cells) {
    if !is_too_large(automaton, cells) {
        Life { cells, strong: true }.strip(automaton, None);
    }
}

/// Makes the cells of a process type 0 where they are dead. Gives the cells that are alive, by location.
pub(super) fn reset(model: &mut Model, p: usize, looks: &Looks, cells: &Cells, strong: bool) -> Vec<BitSet> {
    let automaton = &mut model.proctypes[p].automaton;
    if is_too_large(automaton, cells) {
        return Vec::new();
    }
    let live = Life { cells, strong }.live(automaton, None);
    for location in 0..automaton.locations.len() {
        let place = &automaton.locations[location];
        let (first, end) = (place.first as usize, (place.first + place.count) as usize);
        for transition in &mut automaton.transitions[first..end] {
            if matches!(transition.action, Action::End) {
                continue;
            }
            // What is dead at this location is 0 already.
            let mut filled = live[location].clone();
            for action in std::iter::once(&transition.action).chain(&transition.after.actions) {
                visit::writes(action, &mut |place, _| cells.any(place, &mut filled));
            }
            let dead = filled.iter().filter(|&cell| !live[transition.target as usize].contains(cell));
            transition.after.resets = dead.map(|cell| cells.places[cell].clone()).collect();
        }
    }
    let entry = automaton.entry as usize;
    // Globals that nobody reads are cleared once, with the model.
    let own = |place: &&Place| place.region == Region::Local || looks.is_private(p, place);
    let dead = (0..cells.places.len()).filter(|&cell| !live[entry].contains(cell));
    let dead: Vec<&Place> = dead.map(|cell| &cells.places[cell]).filter(own).collect();
    clear_at_start(model, p, &dead);
    live
}

/// Makes these variables 0 at the creation of a process, where something else may have been written into them.
fn clear_at_start(model: &mut Model, p: usize, dead: &[&Place]) {
    let proctype = &mut model.proctypes[p];
    let mut filled: Vec<(Region, u32)> = Vec::new();
    let mut note = |initial: &Initial| {
        let (Initial::Assign(place, _) | Initial::Channel(place, _)) = initial;
        filled.push((place.region, place.variable));
    };
    proctype.initial.iter().for_each(&mut note);
    model.initial.iter().for_each(&mut note);
    filled.extend(proctype.parameters.iter().map(|place| (place.region, place.variable)));
    // A global that this process alone uses is cleared with it, too: its initialisers may read it.
    for place in dead.iter().filter(|place| filled.contains(&(place.region, place.variable))) {
        proctype.initial.push(Initial::Assign((*place).clone(), zero(place)));
    }
}
