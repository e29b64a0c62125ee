//! What a property can see: the moves that may change what a claim reads, or pass the labels that a search for cycles looks at.
//!
//! A search for cycles compares runs by what the property sees of their states, one state after the other. A move is *invisible* if
//! the state behind it looks the same to the property as the state before it, wherever the move is taken. Only such moves may be
//! taken alone in a search that is reduced and has a claim ([`crate::search::reduce::paths`]).
//!
//! The claim becomes a process type of a copy of the model that no process ever has. Then the footprints of all moves say what the
//! claim looks at too (remote references, locations), and a move is visible if the dependence relation finds a conflict between the
//! move and the values that the claim reads. Errs in one direction only: a move that is called invisible is invisible.

use super::block::{moves_with, sources};
use super::collect::Collector;
use super::dependence::Dependence;
use super::flow::BitSet;
use super::footprint::{Flags, Footprint};
use super::relate::Answer;
use super::visit;
use crate::model::{Action, Automaton, Model};

/// What a property looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Watch {
    /// The claim that reads the state, by its number in the model.
    pub claim: Option<usize>,
    /// The accept labels of processes.
    pub accept_labels: bool,
    /// The progress labels of processes.
    pub progress_labels: bool,
}

/// A copy of the model in which the claim is the last process type. No process is of that type.
pub fn with_claim(model: &Model, watch: Watch) -> Model {
    let mut own = model.clone();
    let claim = watch.claim.and_then(|number| model.claims.get(number));
    own.proctypes.extend(claim.map(|claim| claim.body.clone()));
    own
}

/// The eyes of a property. See the module.
pub struct Observer {
    /// By process type: the moves that leave, enter or pass a location whose label is looked at.
    labelled: Vec<BitSet>,
    /// The process type of the claim, and what the claim reads.
    claim: Option<(usize, Footprint)>,
}

impl Observer {
    /// For a relation of a model that [`with_claim`] has made.
    pub fn new(dependence: &Dependence<'_>, watch: Watch) -> Observer {
        let model = dependence.model;
        let number = model.proctypes.len().saturating_sub(1);
        let claim = watch.claim.filter(|_| !model.proctypes.is_empty()).map(|_| {
            let mut collector = Collector::new(model, &dependence.flow, number);
            for transition in &model.proctypes[number].automaton.transitions {
                visit::expressions(&transition.action, &mut |expr| collector.read(expr));
            }
            (number, collector.finish())
        });
        let labelled = model.proctypes.iter().map(|proctype| labelled(&proctype.automaton, watch)).collect();
        Observer { labelled, claim }
    }

    /// May the property see a move of this instance that begins with transition `t`?
    pub fn sees(&self, dependence: &mut Dependence<'_>, instance: usize, t: usize) -> bool {
        let generic = self.claim.as_ref().map(|(number, _)| dependence.generic(*number));
        let own = dependence.instance(instance);
        let footprint = &own.footprints[t];
        if footprint.flags.has(Flags(Flags::EVERYTHING.0 | Flags::TIMEOUT.0)) || !footprint.partners.is_empty() {
            return true;
        }
        if self.labelled[own.proctype].contains(t) {
            return true;
        }
        let (Some(generic), Some((_, reads))) = (generic, &self.claim) else { return false };
        dependence.relate_instances((instance, footprint), (generic, reads), &[]) != Answer::Independent
    }
}

/// The moves that leave, enter or pass a location whose label is looked at.
fn labelled(automaton: &Automaton, watch: Watch) -> BitSet {
    let is_labelled = |location: u32| {
        automaton.locations.get(location as usize).is_some_and(|location| {
            (watch.accept_labels && location.accept) || (watch.progress_labels && location.progress)
        })
    };
    let sources = sources(automaton);
    let enters = |t: usize| {
        let transition = &automaton.transitions[t];
        !matches!(transition.action, Action::End) && is_labelled(transition.target)
    };
    moves_with(automaton, |t| enters(t) || is_labelled(sources[t]))
}
