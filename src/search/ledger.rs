//! The ledger of a search: the errors that the search has found, with the paths that lead to them, and whether the search
//! stops after an error.

use crate::exec::{Machine, Program, Trap, TrapKind};
use crate::model::Model;
use crate::search::known::KnownError;
use crate::search::outcome::{About, Actor, Counts, Limit, Outcome, Step, Verdict, Violation, ViolationKind};
use crate::search::walk::{Control, Event, Walk};
use serde::{Deserialize, Serialize};

/// With `--all-errors` at most this many of a kind are kept with their paths; the others are only counted. Nobody reads more,
/// and a path may be long.
const MOST_WITH_PATHS: usize = 32;

/// The errors that a search has found.
#[derive(Debug)]
pub struct Ledger<'m> {
    model: &'m Model,
    all_errors: bool,
    /// Errors that are counted and passed over.
    known: &'m [KnownError],
    /// All errors met.
    pub count: u64,
    /// Those that say that the property does not hold.
    property_count: u64,
    /// The text of the first error that ends the paths on which it occurs, and so keeps the property from being decided.
    model_error: Option<String>,
    /// The first of each text.
    pub violations: Vec<Violation>,
}

/// Says of an event what error it is.
#[derive(Clone, Copy, Debug)]
pub struct Judge<'m> {
    model: &'m Model,
    known: &'m [KnownError],
}

/// An error, without the path that leads to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// What kind.
    pub kind: ViolationKind,
    /// In words.
    pub message: String,
    /// The statement, or where the first blocked process stands.
    pub span: crate::source::Span,
    /// Steps before the error.
    pub depth: u64,
    /// What it is an error of.
    pub about: About,
    /// It is known already: it is counted, and the search goes on behind it.
    pub passed_over: bool,
}

/// What was found before a search was stopped: the part of the book that a checkpoint holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Findings {
    count: u64,
    property_count: u64,
    model_error: Option<String>,
    violations: Vec<Violation>,
}

impl Findings {
    /// Takes the errors out, and the text of the first one that ends its paths. The numbers stay.
    pub fn take_errors(&mut self) -> (Vec<Violation>, Option<String>) {
        (std::mem::take(&mut self.violations), self.model_error.take())
    }
}

impl<'m> Ledger<'m> {
    /// What was found so far.
    pub fn findings(&self) -> Findings {
        Findings {
            count: self.count,
            property_count: self.property_count,
            model_error: self.model_error.clone(),
            violations: self.violations.clone(),
        }
    }

    /// Goes on with what an earlier part of the search has found, behind what is here.
    pub fn take_up(&mut self, findings: Findings) {
        let Findings { count, property_count, model_error, violations } = findings;
        self.count += count;
        self.property_count += property_count;
        self.model_error = self.model_error.take().or(model_error);
        self.violations.extend(violations);
    }

    /// An empty book.
    pub fn new(model: &'m Model, all_errors: bool) -> Ledger<'m> {
        Ledger { model, all_errors, known: &[], count: 0, property_count: 0, model_error: None, violations: Vec::new() }
    }

    /// The same book; these errors are counted, and the search goes on behind them.
    #[must_use]
    pub fn passing_over(self, known: &'m [KnownError]) -> Ledger<'m> {
        Ledger { known, ..self }
    }

    /// Is the cycle of this violation one that is passed over?
    pub fn knows_cycle(&self, violation: &Violation) -> bool {
        self.known.iter().any(|known| known.is_cycle(violation))
    }

    /// Closes the book: what a search that ended with this limit, or without one, has to say. `exact`: its store does not err.
    /// The counts of the walk are added to `counts`; memory, time and what only some searches know are left to be filled in.
    pub fn close(self, program: &Program, walk: &Walk, limit: Option<Limit>, exact: bool, counts: Counts) -> Outcome {
        // after a fault in a reduction nothing that was found counts
        let errors = if matches!(limit, Some(Limit::Internal(_) | Limit::Retract(_))) { 0 } else { self.count };
        let counts = Counts { atomic_steps: walk.atomic_steps, depth: walk.deepest, ..counts };
        let stopped = limit.clone().filter(|_| errors > 0);
        let verdict = Verdict::of_complete_search(errors, limit, exact);
        Outcome {
            stopped,
            violations: self.violations,
            error_count: self.count,
            property_errors: self.property_count,
            model_error: self.model_error,
            completed: program.reached_by_proctype(&walk.completed),
            ..Outcome::of(verdict, counts, program.reached_by_proctype(&walk.reached))
        }
    }

    /// Notes what a walk has come upon. `path` gives the steps from the initial state to where the walk is.
    pub fn note(
        &mut self,
        machine: &Machine<'_>,
        walk: &Walk,
        event: Event,
        step: Option<Step>,
        path: impl FnOnce() -> Vec<Step>,
    ) -> Control {
        let Some(judged) = self.judge().judge(machine, walk, event, step) else { return Control::Continue };
        self.enter(judged, 1, || {
            let mut path = path();
            path.extend(step);
            path
        })
    }

    /// The model whose errors these are.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Says what an event is, for this book.
    pub fn judge(&self) -> Judge<'m> {
        Judge { model: self.model, known: self.known }
    }

    /// Notes an error that was met so many times; `path` gives all its steps.
    pub fn enter(&mut self, judged: Judged, times: u64, path: impl FnOnce() -> Vec<Step>) -> Control {
        let Judged { kind, message, span, depth, about, passed_over } = judged;
        self.count += times;
        self.property_count += if about == About::Property { times } else { 0 };
        let known = self.violations.iter().any(|old| old.message == message && old.span == span);
        if about == About::Model {
            self.model_error.get_or_insert_with(|| message.clone());
        }
        if passed_over {
            return Control::Continue;
        }
        // each kind has its own room: forty failed assertions must not hide the property that fails behind them
        let kept = self.violations.iter().filter(|old| old.about == about).count();
        if !known && kept < MOST_WITH_PATHS {
            self.violations.push(Violation { kind, message, span, depth, path: path(), cycle_start: None, about });
        }
        if self.all_errors { Control::Continue } else { Control::Stop }
    }

    /// Was an error met that ends the paths on which it occurs?
    pub fn has_model_error(&self) -> bool {
        self.model_error.is_some()
    }

    /// The text of the first such error.
    pub fn model_error(&self) -> Option<&str> {
        self.model_error.as_deref()
    }

    /// How many errors say that the property does not hold.
    pub fn property_count(&self) -> u64 {
        self.property_count
    }

    /// Is an error of this kind kept?
    pub fn has(&self, kind: ViolationKind) -> bool {
        self.violations.iter().any(|old| old.kind == kind)
    }

    /// Notes a cycle, which is kept.
    pub fn cycle(&mut self, violation: Violation) {
        self.count_cycle();
        self.violations.push(violation);
    }

    /// Notes a cycle that is only counted.
    pub fn count_cycle(&mut self) {
        self.count += 1;
        self.property_count += 1;
    }
}

impl Judge<'_> {
    /// What the error is that a walk has come upon; `None` if the event is none.
    pub fn judge(&self, machine: &Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Option<Judged> {
        let depth = walk.depth();
        let (kind, message, span, depth) = match event {
            Event::Trap(trap) => trapped(machine, trap, depth),
            Event::InvalidEnd => {
                let span = blocked(self.model, machine);
                (ViolationKind::InvalidEndState, "invalid end state".to_string(), span, depth.saturating_sub(1))
            }
            Event::Halt | Event::Cut => return None,
            Event::ClaimEnd => self.claim_end(machine, depth),
        };
        let passed_over = self.known.iter().any(|known| known.is_here(&message, machine, step));
        Some(Judged { kind, message, span, depth, about: about(event, step), passed_over })
    }

    fn claim_end(&self, machine: &Machine<'_>, depth: u64) -> (ViolationKind, String, crate::source::Span, u64) {
        let claim = machine.program().claim_number.and_then(|number| self.model.claims.get(number));
        let message = match claim.and_then(|claim| Some((&claim.name, claim.formula.as_ref()?))) {
            Some((name, formula)) => format!("property {name} does not hold: {formula}"),
            None => "the never claim reached its end".to_string(),
        };
        let span = claim.map(|claim| claim.body.span).unwrap_or_default();
        (ViolationKind::Assertion, message, span, depth)
    }
}

fn trapped(machine: &Machine<'_>, trap: Trap, depth: u64) -> (ViolationKind, String, crate::source::Span, u64) {
    let program = machine.program();
    let kind = match trap.kind() {
        TrapKind::Assertion | TrapKind::Index => ViolationKind::Assertion,
        _ => ViolationKind::Unhandled,
    };
    let span = program.sites.get(trap.site() as usize).map(|site| site.span).unwrap_or_default();
    (kind, program.describe(trap), span, depth)
}

/// What an event is an error of. What a claim says or does wrong is about the property.
fn about(event: Event, step: Option<Step>) -> About {
    match event {
        Event::ClaimEnd => About::Property,
        _ if step.is_some_and(|step| step.actor == Actor::Claim) => About::Property,
        Event::Trap(trap) if trap.kind() == TrapKind::Assertion => About::Assertion,
        Event::Trap(_) | Event::InvalidEnd | Event::Halt | Event::Cut => About::Model,
    }
}

/// Where the process stands that is to blame for a deadlock: the youngest that is not at a valid end.
fn blocked(model: &Model, machine: &Machine<'_>) -> crate::source::Span {
    (0..machine.process_count())
        .rev()
        .find(|&pid| !machine.place(pid).valid_end)
        .map(|pid| {
            let automaton = &model.proctypes[machine.proctype(pid) as usize].automaton;
            automaton.locations[machine.location(pid) as usize].span
        })
        .unwrap_or_default()
}
