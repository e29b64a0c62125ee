//! What a search answers: the verdict, the violations with their paths, the counts. "Verified" can only be built by
//! [`Verdict::of_complete_search`], which asks whether anything got in the way.

use crate::exec::{Program, Trap};
use crate::source::Span;
use crate::store::BfsStatistics;
pub use crate::store::{Limit, Retraction};
use serde::{Deserialize, Serialize};

/// Who makes a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Actor {
    /// The process with this pid.
    Process(u8),
    /// The claim.
    Claim,
}

/// One step of a path: an actor fires one of its transitions. The two halves of a rendezvous are two steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Who.
    pub actor: Actor,
    /// Number of the transition in the automaton of the actor's process type.
    pub transition: u32,
    /// `timeout` held.
    pub timeout: bool,
}

/// What kind of error it is; the names are those of the JSON contract.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum ViolationKind {
    /// `assert`, and the run-time errors that SPIN calls assertions (array index).
    Assertion,
    /// A deadlock outside end labels.
    InvalidEndState,
    /// A cycle through an accepting state, or a claim that ended.
    AcceptanceCycle,
    /// A cycle without progress.
    NonProgressCycle,
    /// Any other run-time error: division by zero, a `d_step` that blocks, too many processes, …
    Unhandled,
}

impl ViolationKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::InvalidEndState => "invalid-end-state",
            ViolationKind::AcceptanceCycle => "acceptance-cycle",
            ViolationKind::NonProgressCycle => "non-progress-cycle",
            ViolationKind::Unhandled => "unhandled",
        }
    }
}

/// What an error is an error of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum About {
    /// The property that was looked at does not hold.
    Property,
    /// An assertion of the model fails; a search can pass it.
    Assertion,
    /// The model goes wrong in another way; where it does, a path ends.
    #[default]
    Model,
}

/// An error with the path that leads to it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Violation {
    /// What kind.
    pub kind: ViolationKind,
    /// In words: `assertion violated (x == 1)`.
    pub message: String,
    /// The statement, or where the first blocked process stands.
    pub span: Span,
    /// Steps before the error, as SPIN counts them.
    pub depth: u64,
    /// The steps from the initial state; the last one is the step that fails (none for an invalid end state).
    pub path: Vec<Step>,
    /// For a cycle: the path's steps from here on repeat for ever.
    pub cycle_start: Option<usize>,
    /// What it is an error of.
    #[serde(default)]
    pub about: About,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every reachable state was looked at exactly, and nothing is wrong.
    Verified(Proof),
    /// Nothing wrong was found, but states may have been omitted.
    NoErrorFound,
    /// An error was found.
    Violated,
    /// The search ended without an answer.
    Incomplete(Limit),
}

/// Evidence that a search was exhaustive and exact; only this module makes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proof(());

impl Verdict {
    /// The verdict of a search that has ended: `errors` found, what cut it short, whether its store is exact.
    pub fn of_complete_search(errors: u64, limit: Option<Limit>, exact: bool) -> Verdict {
        match (errors, limit, exact) {
            (1.., _, _) => Verdict::Violated,
            (0, Some(limit), _) => Verdict::Incomplete(limit),
            (0, None, true) => Verdict::Verified(Proof(())),
            (0, None, false) => Verdict::NoErrorFound,
        }
    }

    /// The name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Verified(_) => "verified",
            Verdict::NoErrorFound => "no-error-found",
            Verdict::Violated => "violated",
            Verdict::Incomplete(_) => "incomplete",
        }
    }

    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Verified(_) | Verdict::NoErrorFound => 0,
            Verdict::Violated => 1,
            Verdict::Incomplete(_) => 3,
        }
    }
}

/// Counts as SPIN's verifier prints them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// States stored.
    pub stored: u64,
    /// Arrivals at a stored state.
    pub matched: u64,
    /// Steps inside atomic blocks.
    pub atomic_steps: u64,
    /// The longest path, every step counted.
    pub depth: u64,
    /// Most states held at once.
    pub peak_stored: u64,
    /// States thrown out of a cache.
    pub evicted: u64,
    /// Bytes of the longest state vector.
    pub vector_bytes: u64,
}

impl Counts {
    /// Arrivals at storable states.
    pub fn transitions(&self) -> u64 {
        self.stored + self.matched
    }
}

/// The result of one search.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// The counts.
    pub counts: Counts,
    /// The first error, or with `--all-errors` the first of each text (at most a few dozen).
    pub violations: Vec<Violation>,
    /// All errors met.
    pub error_count: u64,
    /// Those that say that the property does not hold.
    pub property_errors: u64,
    /// What the first error of the model said that ends the paths it is on: a property is not decided behind it.
    pub model_error: Option<String>,
    /// For each process type, which of its transitions were ever executed.
    pub reached: Vec<Vec<bool>>,
    /// The same without sends that were offered and that nobody ever took.
    pub completed: Vec<Vec<bool>>,
    /// Bytes in all tables at the end (the peak).
    pub memory: u64,
    /// Bound on the probability of an omission; `None` for exact stores.
    pub omission_probability: Option<f64>,
    /// Expected share of states visited; `None` for exact stores.
    pub coverage: Option<f64>,
    /// Overwrites / insertions of a breadth-first cache.
    pub collision_rate: Option<f64>,
    /// Insertions of states that a depth-first cache had thrown out, per insertion, about.
    pub revisit_rate: Option<f64>,
    /// With `--repeat`: what each run said, in order.
    pub repeats: Vec<Repeat>,
    /// Breadth-first searches with a queue: figures by level.
    pub levels: Option<Levels>,
    /// What would make the answer surer, as options to copy.
    pub advice: Option<String>,
    /// What else the user should know about how the answer was found.
    pub notes: Vec<String>,
    /// Where a shorter counterexample was to be looked for: what came of it.
    pub shortness: Option<Shortness>,
    /// What ended a search that has found errors and was to go on after them.
    pub stopped: Option<Limit>,
    /// Seconds of search.
    pub seconds: f64,
}

/// How short a counterexample is, where somebody has asked for a short one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shortness {
    /// No error is reached in fewer moves.
    Shortest,
    /// A cycle: no way to this cycle is shorter, and no way round from there.
    ShortLasso,
    /// A fair cycle: no way to this cycle is shorter; the cycle is as it was found.
    ShortWay,
    /// As it was found: the search for a shorter one has ended early.
    Unfinished(Limit),
    /// As it was found: there is no search for a shorter one.
    AsFound,
}

/// The figures of a breadth-first search with a queue.
#[derive(Clone, Debug)]
pub struct Levels {
    /// Level by level.
    pub list: Vec<Level>,
    /// Of the store at the end.
    pub statistics: BfsStatistics,
}

/// One level of a breadth-first search, or several when there are very many, for plots.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Level {
    /// States expanded in it.
    pub states: u64,
    /// Collision rate since the start, at its end.
    pub collision_rate: f64,
    /// States that wait at its end.
    pub queued: u64,
}

impl Level {
    /// Levels in a row as one.
    pub fn together(levels: &[Level]) -> Level {
        let states = levels.iter().map(|level| level.states).sum();
        let last = levels.last().copied().unwrap_or(Level { states: 0, collision_rate: 0.0, queued: 0 });
        Level { states, ..last }
    }
}

/// One of several runs with independent hash functions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Repeat {
    /// Its seed.
    pub seed: u64,
    /// States stored.
    pub stored: u64,
    /// Bound on the probability of an omission in this run.
    pub omission_probability: f64,
    /// Expected share of states visited in this run.
    pub coverage: f64,
}

impl Outcome {
    /// The table could not be had from the system.
    pub fn without_room(program: &Program, bytes: u64) -> Outcome {
        let reached = program.reached_by_proctype(&vec![false; program.transitions.len()]);
        Outcome::of(Verdict::Incomplete(Limit::NoRoom { bytes }), Counts::default(), reached)
    }

    /// The initial state itself cannot be made: an initialiser fails.
    pub fn failed_at_start(program: &Program, trap: Trap) -> Outcome {
        let span = program.sites.get(trap.site() as usize).map(|site| site.span).unwrap_or_default();
        let violation = Violation {
            kind: ViolationKind::Unhandled,
            message: format!("{} (while the initial state is made)", program.describe(trap)),
            span,
            depth: 0,
            path: Vec::new(),
            cycle_start: None,
            about: About::Model,
        };
        let reached = program.reached_by_proctype(&vec![false; program.transitions.len()]);
        Outcome {
            violations: vec![violation],
            error_count: 1,
            ..Outcome::of(Verdict::Violated, Counts::default(), reached)
        }
    }

    /// What the search says of its property alone. A failed assertion does not touch it, for a search goes on behind one; any
    /// other error of the model ends the paths that it is on, so that the property is not decided.
    pub fn of_property(&self) -> Verdict {
        if self.error_count == 0 {
            return self.verdict.clone();
        }
        let limit = self.model_error.clone().map(Limit::ModelError).or(self.stopped.clone());
        Verdict::of_complete_search(self.property_errors, limit, self.omission_probability.is_none())
    }

    /// An answer with its counts; all else is empty.
    pub fn of(verdict: Verdict, counts: Counts, reached: Vec<Vec<bool>>) -> Outcome {
        Outcome {
            verdict,
            counts,
            violations: Vec::new(),
            error_count: 0,
            property_errors: 0,
            model_error: None,
            completed: reached.clone(),
            reached,
            memory: 0,
            omission_probability: None,
            coverage: None,
            collision_rate: None,
            revisit_rate: None,
            repeats: Vec::new(),
            levels: None,
            advice: None,
            notes: Vec::new(),
            shortness: None,
            stopped: None,
            seconds: 0.0,
        }
    }
}
