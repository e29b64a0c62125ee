//! Does a certificate prove what it says? The reference executor answers, and believes nothing that stands in the file.
//!
//! A property holds if there is a set of states that contains the initial one, that no move leaves, and in which nothing is wrong: by
//! induction every run stays inside. So the checker looks at each state of the certificate for itself, and more states than can be
//! reached do no harm. For cycles it makes the graph of these states with its own moves, takes it apart into strongly connected components
//! and judges each by the definition ([`super::cycles`]).
//!
//! What the certificate of a formula holds are the states of the system, not those of a product with pv's automaton: that one would have
//! to be believed. The checker follows the formula over these states with its own tableau ([`super::formula`]).
//!
//! A property does not hold if some run breaks it. The checker follows its own moves between the states of the counterexample only, so
//! whatever it finds there is a run of the model.

pub mod open;
mod words;

use super::cycles::{Counting, Hole, Judgement, Property, Within, judge_within};
use super::definition::Definition;
use super::fault::{Fault, FaultKind};
use super::moves::{Moves, merged_moves};
use super::run::Run;
use super::state::State;
use crate::certificate::{Certificate, Checked, Ends, ErrorKind, Evidence, Section, Subject};
use indexmap::IndexSet;
use open::Opening;
use std::fmt::Write;
use words::Words;

/// Why a certificate proves nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// In words.
    pub what: String,
    /// The state that shows it.
    pub state: Option<String>,
    /// Where the model stands still or goes wrong there.
    pub fault: Option<Fault>,
    /// The checker itself gave up.
    pub incomplete: bool,
}

impl Refusal {
    fn new(what: impl Into<String>) -> Refusal {
        Refusal { what: what.into(), state: None, fault: None, incomplete: false }
    }
}

/// What one section has proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proved {
    /// States that were looked at.
    pub states: usize,
    /// The property holds; else there is a counterexample.
    pub holds: bool,
    /// What the counterexample shows is that the property cannot be evaluated.
    pub unclear: bool,
}

/// What a counterexample shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Broken {
    /// What it says.
    Violated,
    /// That an expression of the property has no value on the way to a violation. Nothing is known of the property then.
    CannotBeEvaluated,
}

/// For each state of a certificate there are at most so many of the product with a formula.
const MOST_OBLIGATIONS: usize = 64;

/// Checks all sections of a certificate.
pub fn check(definition: &Definition, certificate: &Certificate) -> Result<Vec<Proved>, Refusal> {
    let words = Words::new(definition, &certificate.names)?;
    if certificate.sections.is_empty() {
        return Err(Refusal::new("it has no section, so it says nothing"));
    }
    certificate.sections.iter().map(|section| check_section(definition, &words, section)).collect()
}

/// Properties that stand in the model, and of which no section says anything. Sections can be taken out of a certificate without
/// making the rest untrue, and a search may have been asked for some of the properties only; whoever reads what was proved shall see what was not.
/// Errors of the model are not among them: the answer to each section tells which of them it does not judge.
pub fn left_out(definition: &Definition, certificate: &Certificate) -> Vec<Subject> {
    let never = definition.never.map(|_| Subject::Never);
    let formulas = definition.formulas.iter().map(|(name, _)| Subject::Formula(name.to_string()));
    let said = |subject: &Subject| certificate.sections.iter().any(|section| section.checked.subject == *subject);
    never.into_iter().chain(formulas).filter(|subject| !said(subject)).collect()
}

/// A section must not say that something was judged which this checker does not judge for it: whoever reads its answer would take that
/// for proved.
fn claims_too_much(section: &Section) -> Option<&'static str> {
    let Checked { subject, fair, assertions, ends } = &section.checked;
    let errors = *subject == Subject::Errors;
    let broken = match &section.evidence {
        Evidence::Holds(_) => None,
        Evidence::Broken(error, _) => Some(error.kind),
    };
    match broken {
        Some(kind) if errors == (kind == ErrorKind::Property) => {
            Some("it shows an error of another kind than the one that it is about")
        }
        _ if errors && *fair => Some("it is about errors of the model, and fairness says nothing about them"),
        _ if !errors && *ends != Ends::Ignored => {
            Some("it is about a property, and end states are no part of that proof")
        }
        _ if matches!(subject, Subject::Formula(_)) && *assertions => {
            Some("it is about a formula, and assertions are no part of that proof")
        }
        _ => None,
    }
}

fn check_section(definition: &Definition, words: &Words<'_>, section: &Section) -> Result<Proved, Refusal> {
    if let Some(what) = claims_too_much(section) {
        return Err(Refusal::new(what));
    }
    match &section.evidence {
        Evidence::Holds(table) => {
            let opening = Opening::new(words, &table.open)?;
            let mut states = words.states(table)?;
            if !table.open.is_empty() {
                states = states.iter().map(|state| opening.clear(state)).collect();
            }
            Opening::was_asked(definition);
            Checker { definition, checked: &section.checked, states: &states, opening: &opening }.holds()?;
            Ok(Proved { states: states.len(), holds: true, unclear: false })
        }
        Evidence::Broken(error, table) => {
            if !table.open.is_empty() {
                return Err(Refusal::new("a counterexample leaves nothing open"));
            }
            let states = words.states(table)?;
            let opening = Opening::default();
            let checker = Checker { definition, checked: &section.checked, states: &states, opening: &opening };
            if let Some(broken) = checker.breaks(error.kind)? {
                let unclear = broken == Broken::CannotBeEvaluated;
                return Ok(Proved { states: states.len(), holds: false, unclear });
            }
            let what = match error.kind {
                ErrorKind::Assertion => "no assertion fails",
                ErrorKind::RunTime => "nothing is executed that cannot be",
                ErrorKind::EndState => "there is no invalid end state",
                ErrorKind::Property => "no run violates the property",
            };
            Err(Refusal::new(format!("along the states of the counterexample {what}")))
        }
    }
}

struct Checker<'d> {
    definition: &'d Definition,
    checked: &'d Checked,
    states: &'d IndexSet<State>,
    opening: &'d Opening,
}

impl Checker<'_> {
    fn property(&self) -> Result<Option<Property<'_>>, Refusal> {
        match &self.checked.subject {
            Subject::Errors => Ok(None),
            Subject::AcceptLabels if self.definition.never.is_some() => {
                Err(Refusal::new("it is about accept labels alone, and the model has a never claim"))
            }
            Subject::Never if self.definition.never.is_none() => Err(Refusal::new("the model has no never claim")),
            Subject::AcceptLabels | Subject::Never => Ok(Some(Property::Acceptance)),
            Subject::Progress => Ok(Some(Property::NonProgress)),
            Subject::Formula(name) => match self.definition.formulas.iter().find(|(known, _)| **known == **name) {
                Some((_, formula)) => Ok(Some(Property::Formula(formula))),
                None => Err(Refusal::new(format!("the model has no formula `{name}`"))),
            },
        }
    }

    fn initial(&self, claim: bool) -> Result<State, Refusal> {
        Run::initial(self.definition, claim).map_err(|fault| Refusal {
            fault: Some(fault),
            ..Refusal::new(format!("the initial state cannot be made: {}", fault.kind.message()))
        })
    }

    /// The errors that were looked for.
    fn counting(&self) -> Counting {
        Counting { system: true, assertions: self.checked.assertions }
    }

    fn holds(&self) -> Result<(), Refusal> {
        let property = self.property()?;
        let product = self.checked.subject == Subject::Never;
        let initial = self.opening.clear(&self.initial(product)?);
        if !self.states.contains(&initial) {
            return Err(self.refused("the initial state is not in it", &initial));
        }
        if let Some(state) = self.states.iter().find(|state| state.claim.is_some() != product) {
            let what = if product { "a state has no claim" } else { "a state has a claim, and none is checked" };
            return Err(self.refused(what, state));
        }
        match property {
            None => self.states.iter().try_for_each(|state| self.look(state, true)),
            Some(formula @ Property::Formula(_)) => {
                // What goes wrong in the system is no matter of the formula: it has a check of its own.
                self.states.iter().try_for_each(|state| self.look(state, false))?;
                self.judge(formula, Within::Reachable)
            }
            Some(cycles) => self.judge(cycles, Within::Closed(self.states, self.opening)),
        }
    }

    /// No move leads from a state out of the set; and nothing is wrong in it.
    fn look(&self, state: &State, judges: bool) -> Result<(), Refusal> {
        let found = merged_moves(self.definition, state);
        if Opening::was_asked(self.definition) {
            return Err(self.asks(state));
        }
        for one in &found.moves {
            if let Some(fault) = one.faults.iter().find(|fault| judges && self.counting().counts(fault)) {
                return Err(self.fails(state, *fault));
            }
            let end = one.end.as_ref().map(|end| self.opening.clear(end));
            if let Some(end) = end.filter(|end| !self.states.contains(end)) {
                return Err(self.leaves(state, &end));
            }
        }
        if judges && self.is_invalid_end(state, &found) {
            return Err(self.refused("this is an invalid end state", state));
        }
        Ok(())
    }

    fn is_invalid_end(&self, state: &State, found: &Moves) -> bool {
        let left = || state.channels.iter().any(|channel| !channel.messages.is_empty());
        let may_end = || Run::from(self.definition, state, false).may_end();
        !found.any
            && match self.checked.ends {
                Ends::Ignored => false,
                Ends::Judged => !may_end(),
                Ends::JudgedWithChannels => !may_end() || left(),
            }
    }

    fn judge(&self, property: Property<'_>, within: Within<'_>) -> Result<(), Refusal> {
        let most = self.states.len().saturating_mul(MOST_OBLIGATIONS) + 1;
        let judged = judge_within(self.definition, property, self.checked.fair, most, within, self.counting());
        let (judgement, hole) =
            judged.map_err(|fault| Refusal { fault: Some(fault), ..Refusal::new(fault.kind.message()) })?;
        match (hole, judgement) {
            (Some(Hole::Leaves(from, to)), _) => Err(self.leaves(&from, &to)),
            (Some(Hole::Fault(state, fault)), _) => Err(self.fails(&state, fault)),
            (Some(Hole::Asks(state)), _) => Err(self.asks(&state)),
            (None, Judgement::Holds) => Ok(()),
            (None, Judgement::Violated) => Err(Refusal::new("a run of the model violates the property")),
            (None, Judgement::Unclear(fault)) => {
                let what = format!("the formula cannot be evaluated in every state: {}", fault.kind.message());
                Err(Refusal { fault: Some(fault), ..Refusal::new(what) })
            }
            (None, Judgement::Incomplete) => Err(Refusal {
                incomplete: true,
                ..Refusal::new("the product of the states with the formula is too large for the reference checker")
            }),
        }
    }

    /// Some run along these states has an error of this kind.
    fn breaks(&self, kind: ErrorKind) -> Result<Option<Broken>, Refusal> {
        if kind != ErrorKind::Property {
            return Ok(self.errs(kind).then_some(Broken::Violated));
        }
        let Some(property) = self.property()? else {
            return Err(Refusal::new("it is about errors of the model, and shows a violated property"));
        };
        let most = self.states.len().saturating_mul(MOST_OBLIGATIONS) + 1;
        // A failed assertion of the claim breaks the claim.
        let counting = Counting { system: false, assertions: true };
        let only = Within::Only(self.states);
        let judged = judge_within(self.definition, property, self.checked.fair, most, only, counting);
        Ok(match judged {
            Ok((Judgement::Violated, _)) => Some(Broken::Violated),
            Ok((Judgement::Unclear(_), _)) => Some(Broken::CannotBeEvaluated),
            _ => None,
        })
    }

    /// The same for errors of the model.
    fn errs(&self, kind: ErrorKind) -> bool {
        let is_kind = |fault: &Fault| (fault.kind == FaultKind::Assertion) == (kind == ErrorKind::Assertion);
        let first = match Run::initial(self.definition, false) {
            Ok(first) => first,
            Err(fault) => return kind != ErrorKind::EndState && is_kind(&fault),
        };
        let mut known = IndexSet::from([first]);
        let mut at = 0;
        while let Some(state) = known.get_index(at).cloned() {
            let found = merged_moves(self.definition, &state);
            let errs = match kind {
                ErrorKind::EndState => self.is_invalid_end(&state, &found),
                _ => found.moves.iter().flat_map(|one| &one.faults).any(is_kind),
            };
            if errs {
                return true;
            }
            known.extend(found.moves.into_iter().filter_map(|one| one.end).filter(|end| self.states.contains(end)));
            at += 1;
        }
        false
    }

    fn leaves(&self, from: &State, to: &State) -> Refusal {
        let what = "a move leads to a state that is not in it";
        let state = format!("{}\nleads to\n{}", self.show(from), self.show(to));
        Refusal { state: Some(state), ..Refusal::new(what) }
    }

    fn asks(&self, state: &State) -> Refusal {
        self.refused("a move asks for a value that it leaves open (`?`)", state)
    }

    fn fails(&self, state: &State, fault: Fault) -> Refusal {
        Refusal { fault: Some(fault), ..self.refused(fault.kind.message(), state) }
    }

    fn refused(&self, what: &str, state: &State) -> Refusal {
        Refusal { state: Some(self.show(state)), ..Refusal::new(what) }
    }

    /// A state in words.
    fn show(&self, state: &State) -> String {
        let mut text = String::new();
        for (variable, value) in self.definition.names.globals.iter().zip(state.globals.iter()) {
            let _ = write!(text, "{} = {} ", variable.name, value.text());
        }
        for (number, channel) in state.channels.iter().enumerate() {
            let _ = write!(text, "channel {} {:?} ", number + 1, channel.messages);
        }
        for (pid, process) in state.processes.iter().chain(&state.claim).enumerate() {
            let body = &self.definition.bodies[process.body];
            let who = if pid < state.processes.len() { pid.to_string() } else { "claim".to_string() };
            let _ = write!(text, "{}({who}) at {}", body.name, body.points[process.place].number);
            for (variable, value) in body.locals.iter().zip(&process.locals) {
                let _ = write!(text, " {} = {}", variable.name, value.text());
            }
            text.push(' ');
        }
        text.trim_end().to_string()
    }
}
