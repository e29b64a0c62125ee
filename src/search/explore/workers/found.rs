//! What the workers of a search have found wrong in one level, in an order that does not hang on who found what first.
//!
//! Every worker keeps, of each error that it meets in a level, how often it was met and the least place: the one with the least depth, then
//! the least state, then the least steps. When the level is over, what all workers have kept is joined and entered into the ledger in order.
//! So the report is the same for any number of workers.

use crate::search::ledger::{Judged, Ledger};
use crate::search::outcome::{About, Actor, Step};
use crate::search::walk::Control;
use crate::source::Span;
use std::collections::BTreeMap;

/// Which error it is. The order is that in which errors are told: what the property says comes first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key {
    about: u8,
    message: String,
    place: (u32, u32, u32, u32),
    passed_over: bool,
}

impl Key {
    fn of(judged: &Judged) -> Key {
        let Span { file, start, end, expansion } = judged.span;
        Key {
            about: match judged.about {
                About::Property => 0,
                About::Assertion => 1,
                About::Model => 2,
            },
            message: judged.message.clone(),
            place: (file.0, start, end, expansion.0),
            passed_over: judged.passed_over,
        }
    }
}

/// Where an error was met.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The state that was expanded, with its hidden variables in front, and where the store has it.
    pub(super) saved: Vec<u8>,
    pub(super) position: u64,
    /// The steps from there.
    pub(super) steps: Vec<Step>,
}

impl Place {
    fn is_before(&self, other: &Place) -> bool {
        let order = |step: &Step| {
            let actor = match step.actor {
                Actor::Process(pid) => u16::from(pid),
                Actor::Claim => u16::MAX,
            };
            (actor, step.transition, step.timeout)
        };
        let steps = |place: &Place| place.steps.iter().map(order).collect::<Vec<_>>();
        (&self.saved, steps(self)) < (&other.saved, steps(other))
    }
}

#[derive(Clone, Debug)]
struct Met {
    judged: Judged,
    times: u64,
    least: Place,
}

impl Met {
    fn join(&mut self, other: Met) {
        self.times += other.times;
        let (mine, others) = (self.judged.depth, other.judged.depth);
        if others < mine || others == mine && other.least.is_before(&self.least) {
            (self.judged, self.least) = (other.judged, other.least);
        }
    }
}

/// The errors of a level.
#[derive(Debug, Default)]
pub(super) struct Found(BTreeMap<Key, Met>);

impl Found {
    /// Bytes, about.
    pub(super) fn memory(&self) -> usize {
        let place = |place: &Place| place.saved.capacity() + place.steps.capacity() * size_of::<Step>();
        let each = 2 * size_of::<(Key, Met)>();
        self.0.iter().map(|(key, met)| each + 2 * key.message.len() + place(&met.least)).sum()
    }

    /// Adds an error that was met once.
    pub(super) fn add(&mut self, judged: Judged, least: Place) {
        self.join_one(Key::of(&judged), Met { judged, times: 1, least });
    }

    /// Adds what another worker has found.
    pub(super) fn join(&mut self, other: Found) {
        other.0.into_iter().for_each(|(key, met)| self.join_one(key, met));
    }

    fn join_one(&mut self, key: Key, met: Met) {
        match self.0.get_mut(&key) {
            Some(old) => old.join(met),
            None => {
                self.0.insert(key, met);
            }
        }
    }

    /// Enters everything into the ledger; `path` gives the steps to a place. Without `all`, of the errors that are not passed over
    /// only the least is entered, once. Says whether the search goes on.
    pub(super) fn enter(self, ledger: &mut Ledger<'_>, all: bool, path: impl Fn(&Place) -> Vec<Step>) -> Control {
        let first = |met: &Met| if all { 0 } else { met.judged.depth };
        let mut errors: Vec<(Key, Met)> = self.0.into_iter().collect();
        errors.sort_by_key(|(key, met)| (!key.passed_over, key.about, first(met)));
        for (_, Met { judged, times, least }) in errors {
            let ends = !all && !judged.passed_over;
            let times = if ends { 1 } else { times };
            if ledger.enter(judged, times, || path(&least)) == Control::Stop {
                return Control::Stop;
            }
        }
        Control::Continue
    }
}
