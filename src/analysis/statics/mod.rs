//! Static reductions: the model is changed before it is compiled, so that the search meets fewer states.
//!
//! - *Dead variables* (`dead`): where no path reads a variable before it is written again, the variable is set to 0.
//! - *Unread writes* (`dead`): an assignment whose value nobody will read writes nothing.
//! - *Unread fields* (`fields`): a field of a message that no receive looks at is sent as 0.
//! - *Merging* (`merge`): a step that touches only what its process alone sees, and that is always possible, becomes part
//!   of the step before it.
//!
//! All but the fields are Holzmann's, from SPIN (`-o1`, `-o2`, `-o3` turn them off there); what differs here is said in the files.
//! docs/soundness.md has the argument.
//!
//! The reduced model has the same variables, locations and transitions, with the same numbers, and the same layout of a
//! state. A transition may do more ([`crate::model::After`]) and lead further. So a path of the reduced model is turned into a
//! path of the user's model by adding the steps of [`Reduced::tail`]; `search::statics` does that.

mod cells;
mod dead;
mod fields;
mod looks;
mod merge;

use super::flow::BitSet;
use crate::model::{Model, Place, Region};
use cells::Cells;
use fields::FieldOf;
use looks::Looks;

/// What a search looks at, beside the model itself. End states, channels at the end and assertions need no mention: every
/// reduction keeps them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Observed {
    /// The claim that is checked, by its number in the model.
    pub claim: Option<usize>,
    /// Cycles through accept labels of the processes are looked for.
    pub accept_labels: bool,
    /// Cycles without progress are looked for; that takes a claim of its own.
    pub non_progress: bool,
    /// Only weakly fair runs count.
    pub fair: bool,
}

/// Which reductions are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reductions {
    /// Set variables to 0 that nobody reads any more.
    pub dead_variables: bool,
    /// Leave out writes of values that nobody reads, also into messages. Only together with dead variables: to leave out `x = 0` by itself would keep an
    /// old value, and with it states that the user has taken care to avoid.
    pub unread_writes: bool,
    /// Make one step of a step and the local steps behind it.
    pub merging: bool,
}

impl Reductions {
    /// All of them.
    pub const ALL: Reductions = Reductions { dead_variables: true, unread_writes: true, merging: true };
    /// None of them.
    pub const NONE: Reductions = Reductions { dead_variables: false, unread_writes: false, merging: false };
}

/// A reduced model, and how it is related to the user's.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// What the search runs on.
    pub model: Model,
    /// By process type and transition: the transitions of the same process type that it does besides, in order.
    tails: Vec<Vec<Vec<u32>>>,
    /// By process type.
    liveness: Vec<Liveness>,
    /// Global variables (their places) that no process ever reads.
    unread: Vec<Place>,
    /// Fields of global channels that no process ever reads.
    fields: Vec<FieldOf>,
}

/// Which variables of a process type are alive where.
#[derive(Clone, Debug, Default)]
struct Liveness {
    places: Vec<Place>,
    /// By location. Empty if nothing is reset.
    live: Vec<BitSet>,
    /// Alive at every location, and for good where the process has died.
    always: BitSet,
}

/// Counts for the report: what was done to the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Transitions that set variables to 0.
    pub resets: usize,
    /// Transitions that lead further than in the user's model.
    pub merged: usize,
}

impl Reduced {
    /// The transitions of the user's model that a transition of the reduced one does behind its own, in order.
    pub fn tail(&self, proctype: usize, transition: u32) -> &[u32] {
        self.tails.get(proctype).and_then(|tails| tails.get(transition as usize)).map_or(&[], Vec::as_slice)
    }

    /// By transition of a process type: does some other transition do it besides its own step?
    pub fn merged(&self, proctype: usize) -> Vec<bool> {
        let tails = self.tails.get(proctype).map_or(&[][..], Vec::as_slice);
        let mut merged = vec![false; self.model.proctypes.get(proctype).map_or(0, |p| p.automaton.transitions.len())];
        tails.iter().flatten().for_each(|&t| merged[t as usize] = true);
        merged
    }

    /// The variables that are 0 while a process of this type stands at this location: its own, and those globals that it
    /// alone uses.
    pub fn dead(&self, proctype: usize, location: u32) -> impl Iterator<Item = &Place> {
        let places = self.liveness.get(proctype).map_or(&[][..], |liveness| &liveness.places);
        let live = self.liveness.get(proctype).and_then(|liveness| liveness.live.get(location as usize));
        let dead = move |n: usize| live.is_some_and(|live| !live.contains(n));
        places.iter().enumerate().filter(move |(n, _)| dead(*n)).map(|(_, place)| place)
    }

    /// The globals that are 0 when the only process that uses them, one of this type, is gone.
    pub fn dead_with(&self, proctype: usize) -> impl Iterator<Item = &Place> {
        let liveness = self.liveness.get(proctype).filter(|liveness| !liveness.live.is_empty()).into_iter();
        liveness.flat_map(|liveness| {
            let places = liveness.places.iter().enumerate().filter(|(n, _)| !liveness.always.contains(*n));
            places.map(|(_, place)| place).filter(|place| place.region == Region::Global)
        })
    }

    /// The global variables that are always 0 because nobody reads them.
    pub fn unread(&self) -> &[Place] {
        &self.unread
    }

    /// The fields of messages that are always 0 because nobody reads them: numbers of a global channel and of its field.
    pub fn unread_fields(&self) -> &[(usize, usize)] {
        &self.fields
    }

    /// From "was executed", by process type and transition of the reduced model, to the same of the user's model.
    /// A send is executed when it is offered; the steps behind it follow only if somebody takes it, so that it is `completed`.
    pub fn reached(&self, reached: &[Vec<bool>], completed: &[Vec<bool>]) -> Vec<Vec<bool>> {
        let mut all = reached.to_vec();
        for (p, tails) in self.tails.iter().enumerate() {
            for (t, tail) in tails.iter().enumerate() {
                if completed.get(p).and_then(|flags| flags.get(t)) == Some(&true) {
                    tail.iter().for_each(|&u| all[p][u as usize] = true);
                }
            }
        }
        all
    }

    /// What was done to the model.
    pub fn summary(&self) -> Summary {
        let transitions = || self.model.proctypes.iter().flat_map(|p| &p.automaton.transitions);
        Summary {
            resets: transitions().filter(|t| !t.after.resets.is_empty()).count(),
            merged: self.tails.iter().flatten().filter(|tail| !tail.is_empty()).count(),
        }
    }
}

/// Reduces a model for one search.
pub fn reduce(model: &Model, observed: Observed, wanted: Reductions) -> Reduced {
    // What follows a state hangs on hidden variables, which states do not hold: to tell fewer states apart is another answer.
    let wanted = if model.hidden_size > 0 { Reductions::NONE } else { wanted };
    let mut reduced = Reduced {
        model: model.clone(),
        tails: vec![Vec::new(); model.proctypes.len()],
        liveness: vec![Liveness::default(); model.proctypes.len()],
        unread: Vec::new(),
        fields: Vec::new(),
    };
    let strong = wanted.dead_variables && wanted.unread_writes;
    let looks = Looks::new(model, observed, strong);
    let cells: Vec<Cells> = (0..model.proctypes.len()).map(|p| Cells::new(model, &looks, p)).collect();
    if strong {
        for (p, cells) in cells.iter().enumerate() {
            dead::drop_unread_writes(&mut reduced.model.proctypes[p].automaton, cells);
        }
        // A claim may ask for a message, too.
        if observed.claim.is_none() {
            reduced.fields = fields::send_zero(&mut reduced.model);
        }
    }
    if wanted.merging {
        reduced.tails = merge::merge(&mut reduced.model, &looks, observed);
    }
    if wanted.dead_variables {
        for (p, cells) in cells.into_iter().enumerate() {
            let live = dead::reset(&mut reduced.model, p, &looks, &cells, strong);
            reduced.liveness[p] = Liveness { places: cells.places, live, always: cells.always };
        }
        reduced.unread = looks.clear_unread(&mut reduced.model);
    }
    reduced
}
