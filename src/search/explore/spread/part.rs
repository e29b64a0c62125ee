//! What the processes of a search tell process 0 at the end, and how process 0 makes one outcome of it.
//!
//! An error is reported if no other comes before it in the order in which one process would have met them. So which one is reported does
//! not depend on how many processes there are.

use crate::checkpoint::exactly;
use crate::exec::Program;
use crate::search::driver::Settings;
use crate::search::outcome::{About, Counts, Limit, Outcome, Step, Verdict, Violation};
use serde::{Deserialize, Serialize};

/// As in [`crate::search::ledger`]: so many errors of a kind are kept with their paths.
const MOST_WITH_PATHS: usize = 32;

/// When an error is met: level, rank of the state from which it was reached, and how many errors that expansion had met before.
pub(super) type When = (u32, u64, u64);

/// An error that a process has met. The path begins where the expansion began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Finding {
    pub when: When,
    /// Number of the state that was expanded, at the process that has met the error.
    pub number: u64,
    pub violation: Violation,
}

/// Errors that other processes had met before a checkpoint. The ledger of this process does not hold them: it keeps the first error of each text,
/// and these may have been met behind one that this process is still to meet.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Inherited {
    pub findings: Vec<Finding>,
    pub model_error: Option<(When, String)>,
}

impl Inherited {
    /// Adds these errors. `number`: what the states are called now from which they were met.
    pub(super) fn add(&mut self, other: Inherited, number: impl Fn(u64) -> u64) {
        let Inherited { findings, model_error } = other;
        self.findings.extend(findings.into_iter().map(|old| Finding { number: number(old.number), ..old }));
        self.model_error = earlier(self.model_error.take(), model_error);
    }
}

/// The error that was met first.
pub(super) fn earlier(one: Option<(When, String)>, other: Option<(When, String)>) -> Option<(When, String)> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.0 < one.0 { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// What one process has to say at the end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Part {
    pub stored: u64,
    /// States that the store was asked about.
    pub offered: u64,
    pub held: u64,
    pub forgotten: u64,
    pub vector: usize,
    pub atomic_steps: u64,
    pub deepest: u64,
    pub cut: bool,
    pub reached: Vec<u8>,
    pub completed: Vec<u8>,
    pub memory: u64,
    pub limit: Option<Limit>,
    pub exact: bool,
    #[serde(with = "exactly")]
    pub omission: f64,
    #[serde(with = "exactly")]
    pub coverage: f64,
    pub errors: u64,
    pub property_errors: u64,
    pub model_error: Option<(When, String)>,
    pub findings: Vec<Finding>,
    /// Bytes sent, before and after compression.
    pub traffic: (u64, u64),
}

/// What all processes together have found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Whole {
    part: Part,
    processes: usize,
    /// The errors with whole paths.
    violations: Vec<Violation>,
}

/// The errors that are reported, and who has met each.
pub(super) fn chosen(parts: &[Part], settings: Settings) -> Vec<(usize, Finding)> {
    let of = |(process, part): (usize, &Part)| {
        part.findings.iter().map(move |finding| (process, finding.clone())).collect::<Vec<_>>()
    };
    let mut all: Vec<(usize, Finding)> = parts.iter().enumerate().flat_map(of).collect();
    all.sort_by_key(|(_, finding)| finding.when);
    let mut chosen: Vec<(usize, Finding)> = Vec::new();
    for (process, finding) in all {
        let violation = &finding.violation;
        let known = |old: &Violation| old.message == violation.message && old.span == violation.span;
        let kept = chosen.iter().filter(|(_, old)| old.violation.about == violation.about).count();
        if kept < MOST_WITH_PATHS && !chosen.iter().any(|(_, old)| known(&old.violation)) {
            chosen.push((process, finding));
        }
        if !settings.all_errors {
            break;
        }
    }
    chosen
}

impl Whole {
    /// Puts the parts together. `violations`: the chosen errors, with whole paths.
    pub(super) fn of(parts: Vec<Part>, violations: Vec<Violation>, settings: Settings) -> Whole {
        let processes = parts.len();
        let mut whole = Part { exact: true, coverage: 1.0, ..Part::default() };
        for part in parts {
            whole.add(part);
        }
        if let (false, Some(first)) = (settings.all_errors, violations.first()) {
            // One process would have ended there.
            whole.errors = 1;
            whole.property_errors = u64::from(first.about == About::Property);
            whole.model_error = (first.about == About::Model).then(|| (When::default(), first.message.clone()));
        }
        Whole { part: whole, processes, violations }
    }

    /// The same as an outcome.
    pub(super) fn outcome(self, program: &Program, settings: Settings, seconds: f64) -> Outcome {
        let Whole { part, processes, violations } = self;
        let depth = (part.cut && (violations.is_empty() || settings.all_errors))
            .then_some(Limit::Depth(settings.rules.max_depth));
        let limit = part.limit.clone().or(depth);
        let counts = Counts {
            stored: part.stored,
            matched: part.offered.saturating_sub(part.stored),
            atomic_steps: part.atomic_steps,
            depth: part.deepest,
            peak_stored: part.held,
            evicted: part.forgotten,
            vector_bytes: part.vector as u64,
        };
        let stopped = limit.clone().filter(|_| part.errors > 0);
        let verdict = Verdict::of_complete_search(part.errors, limit, part.exact);
        let notes = part.traffic_note(processes, counts.transitions());
        Outcome {
            stopped,
            violations,
            error_count: part.errors,
            property_errors: part.property_errors,
            model_error: part.model_error.map(|(_, message)| message),
            completed: program.reached_by_proctype(&unpacked(&part.completed, program)),
            memory: part.memory,
            omission_probability: (!part.exact).then_some(part.omission),
            coverage: (!part.exact).then_some(part.coverage),
            notes: notes.into_iter().collect(),
            seconds,
            ..Outcome::of(verdict, counts, program.reached_by_proctype(&unpacked(&part.reached, program)))
        }
    }
}

impl Part {
    fn add(&mut self, other: Part) {
        // Of a table that may err this one holds so many states, and of all that is so large a share.
        let (mine, others) = (self.stored as f64, other.stored as f64);
        if mine + others > 0.0 {
            self.coverage = (self.coverage * mine + other.coverage * others) / (mine + others);
        }
        // An omission in either part is one.
        self.omission = self.omission + other.omission - self.omission * other.omission;
        self.stored += other.stored;
        self.offered += other.offered;
        self.held += other.held;
        self.forgotten += other.forgotten;
        self.vector = self.vector.max(other.vector);
        self.atomic_steps += other.atomic_steps;
        self.deepest = self.deepest.max(other.deepest);
        self.cut |= other.cut;
        join(&mut self.reached, &other.reached);
        join(&mut self.completed, &other.completed);
        self.memory += other.memory;
        self.limit = self.limit.take().or(other.limit);
        self.exact &= other.exact;
        self.errors += other.errors;
        self.property_errors += other.property_errors;
        self.model_error = earlier(self.model_error.take(), other.model_error);
        self.traffic = (self.traffic.0 + other.traffic.0, self.traffic.1 + other.traffic.1);
    }

    fn traffic_note(&self, processes: usize, transitions: u64) -> Option<String> {
        let (raw, sent) = self.traffic;
        let each = |bytes: u64| bytes as f64 / transitions.max(1) as f64;
        (processes > 1).then(|| {
            format!(
                "{processes} processes have sent {sent} bytes to each other: {:.1} for a transition, {:.1} before compression",
                each(sent),
                each(raw)
            )
        })
    }
}

/// Flags as bits.
pub(super) fn packed(flags: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| eight.iter().rev().fold(0, |byte, &flag| byte << 1 | u8::from(flag));
    flags.chunks(8).map(byte).collect()
}

pub(super) fn unpacked(bytes: &[u8], program: &Program) -> Vec<bool> {
    let flag = |number: usize| bytes.get(number / 8).is_some_and(|byte| byte >> (number % 8) & 1 != 0);
    (0..program.transitions.len()).map(flag).collect()
}

fn join(to: &mut Vec<u8>, from: &[u8]) {
    to.resize(to.len().max(from.len()), 0);
    to.iter_mut().zip(from).for_each(|(to, from)| *to |= from);
}

/// The steps of the expansion in which an error was found, behind those that lead to it.
pub(super) fn whole_path(mut before: Vec<Step>, finding: Finding) -> Violation {
    let mut violation = finding.violation;
    before.append(&mut violation.path);
    Violation { path: before, ..violation }
}
