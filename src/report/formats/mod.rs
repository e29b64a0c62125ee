//! What came out of one model, in words and places of its own, and the formats that other tools read: [`sarif`], [`junit`],
//! [`github`]. A [`Checked`] outlives its model, so that one document can tell of several.

pub(crate) mod github;
pub(crate) mod junit;
pub(crate) mod sarif;
mod told;

pub(crate) use told::{Region, Told};

use super::number::{counted, duration};
use super::{Report, Run, reason, text, written};
use crate::search::outcome::{About, Verdict, Violation};
use crate::source::Span;
use crate::source::visible::visible;

/// The verdict of a model that was not checked: it cannot be read, or the command line asks for what it does not have.
pub(crate) const NOT_CHECKED: &str = "not-checked";

/// Of a longer counterexample the last steps are kept; readers of SARIF refuse more.
const MOST_STEPS: usize = 10_000;

/// What came out of one model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Checked {
    /// The model as it was named.
    pub model: String,
    /// The exit code that it alone would have.
    pub code: u8,
    /// As in the JSON report, or [`NOT_CHECKED`].
    pub verdict: &'static str,
    /// The verdict in one line, with what is wrong.
    pub headline: String,
    /// Why there is no verdict.
    pub reason: Option<String>,
    /// States stored by the search that decides.
    pub states: u64,
    /// Seconds of all searches.
    pub seconds: f64,
    /// One for each thing that was checked.
    pub cases: Vec<Case>,
    /// The errors.
    pub findings: Vec<Finding>,
    /// What was said about the model beside that.
    pub told: Vec<Told>,
}

/// One thing that was checked.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Case {
    /// `safety`, the name of a property, …
    pub name: String,
    /// Seconds of its search; 0 if other searches have looked after it.
    pub seconds: f64,
    /// What came out.
    pub end: End,
}

/// What came out of a case.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum End {
    /// Nothing is wrong.
    Passed,
    /// These of the findings are about it.
    Failed(Vec<usize>),
    /// There is no answer: a kind of reason, and the reason.
    Unknown(&'static str, String),
}

/// An error of a model.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// As in the JSON report.
    pub kind: &'static str,
    /// In words.
    pub message: String,
    /// The failing statement.
    pub region: Option<Region>,
    /// Steps before it.
    pub depth: u64,
    /// The property that does not hold.
    pub property: Option<String>,
    /// The trail file.
    pub trail: Option<String>,
    /// The command that replays it.
    pub replay: Option<String>,
    /// What repeats, of a cycle.
    pub cycle: Option<String>,
    /// How it comes to that.
    pub path: Vec<PathStep>,
    /// Steps in front of those of the path that were left out.
    pub left_out: usize,
}

/// The steps of a counterexample, as far as they are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path {
    steps: std::collections::VecDeque<(usize, String, Span)>,
    left_out: usize,
    cycle_start: Option<usize>,
}

/// A step of a counterexample.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PathStep {
    /// From 1, as a replay counts; steps of the claim are left out.
    pub number: usize,
    /// `sender(1): q!data,1`.
    pub text: String,
    /// The statement.
    pub region: Option<Region>,
    /// From this step on the steps repeat.
    pub cycle: bool,
}

impl Path {
    /// Adds a step: its number from 0, who, what, where.
    pub(crate) fn push(&mut self, number: usize, who: &str, text: &str, span: Span) {
        if self.steps.len() == MOST_STEPS {
            self.steps.pop_front();
            self.left_out += 1;
        }
        self.steps.push_back((number, format!("{who}: {text}"), span));
    }

    /// The number of the step from which on the steps repeat.
    pub(crate) fn repeats_from(&mut self, step: Option<usize>) {
        self.cycle_start = step;
    }

    fn told(&self, report: &Report<'_>) -> Vec<PathStep> {
        // The first step that is told of those that repeat.
        let start = self.cycle_start.and_then(|start| self.steps.iter().map(|step| step.0).find(|step| *step >= start));
        let step = |(number, text, span): &(usize, String, Span)| PathStep {
            number: number + 1,
            text: text.clone(),
            region: Region::of(report.map, *span),
            cycle: start == Some(*number),
        };
        self.steps.iter().map(step).collect()
    }
}

impl Finding {
    /// The kind for people: a state that breaks a property is found as an assertion is, and is none.
    pub(crate) fn called(&self) -> &'static str {
        if self.kind == "assertion" && self.message.starts_with("property ") { "property" } else { self.kind }
    }

    /// The message, and which property it is about if the message does not say so.
    pub(crate) fn title(&self) -> String {
        match &self.property {
            Some(property) if !self.message.starts_with("property ") => {
                format!("{}, property {property}", self.message)
            }
            _ => self.message.clone(),
        }
    }

    /// Everything about it, in lines.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![format!("{}, depth {}", self.title(), self.depth)];
        lines.extend(self.cycle.clone());
        lines.extend(self.replay.as_ref().map(|command| format!("replay it: {command}")));
        lines.join("\n")
    }
}

impl Checked {
    /// What a report says.
    pub(crate) fn of(report: &Report<'_>, told: Vec<Told>) -> Checked {
        let Some(deciding) = report.deciding() else { return Checked::default() };
        let verdict = &deciding.outcome.verdict;
        let mut checked = Checked {
            model: report.model.name.clone(),
            code: report.exit_code(),
            verdict: verdict.name(),
            headline: headline(report, deciding),
            reason: match verdict {
                Verdict::Incomplete(limit) => Some(reason(limit)),
                _ => None,
            },
            states: deciding.outcome.counts.stored,
            seconds: report.runs.iter().map(|run| run.outcome.seconds).sum(),
            told,
            ..Checked::default()
        };
        let mut of_model = Vec::new();
        for run in report.runs {
            let mut of_run = Vec::new();
            for (index, violation) in run.outcome.violations.iter().enumerate() {
                let own = violation.about == About::Property || is_whole(report, run);
                if own { &mut of_run } else { &mut of_model }.push(checked.findings.len());
                checked.findings.push(finding(report, run, index, violation));
            }
            let end = end_of(run, of_run, is_whole(report, run));
            checked.cases.push(Case { name: case_name(report, run), seconds: run.outcome.seconds, end });
        }
        if let Some(case) = safety(of_model) {
            checked.cases.insert(0, case);
        }
        checked
    }

    /// A model of which nothing can be said. The first error that was told says why.
    pub(crate) fn not_checked(model: &str, code: u8, told: Vec<Told>) -> Checked {
        let errors: Vec<&Told> = told.iter().filter(|told| told.is_error()).collect();
        let reason = match errors[..] {
            [] => "there is no answer".to_string(),
            [one] => one.message.clone(),
            [first, ..] => format!("{} ({} errors in all)", first.message, errors.len()),
        };
        Checked {
            model: model.to_string(),
            code,
            verdict: NOT_CHECKED,
            headline: format!("not checked: {}", visible(&reason)).replace('\n', " "),
            cases: vec![Case { name: "model".into(), seconds: 0.0, end: End::Unknown(NOT_CHECKED, reason.clone()) }],
            reason: Some(reason),
            told,
            ..Checked::default()
        }
    }

    /// Something went wrong beside the search (a file that cannot be written): the exit code, and what was told.
    pub(crate) fn went_wrong(&mut self, code: u8, told: Vec<Told>) {
        if code != self.code {
            let reason = told.iter().find(|told| told.is_error()).map_or("", |told| &told.message).to_string();
            self.cases.push(Case { name: "output".into(), seconds: 0.0, end: End::Unknown("error", reason) });
        }
        self.code = code;
        self.told.extend(told);
    }

    /// `m.pml: verified; 67 states, 0.001 s`.
    pub(crate) fn line(&self) -> String {
        let model = visible(&self.model).replace('\n', " ");
        if model.is_empty() {
            return self.headline.clone();
        }
        if self.verdict == NOT_CHECKED {
            return format!("{model}: {}", self.headline);
        }
        let states = counted(self.states, "state", "states");
        format!("{model}: {}; {states}, {}", self.headline, duration(self.seconds))
    }
}

/// The verdict in a line without colours. A verified model needs no more than the word.
fn headline(report: &Report<'_>, run: &Run) -> String {
    match run.outcome.verdict {
        Verdict::Verified(_) => "verified".into(),
        _ => anstream::adapter::strip_str(&text::verdict_line(report, run)).to_string().replace('\n', " "),
    }
}

/// Does this search decide about all that it finds? One of a property does not decide about assertions and end states.
fn is_whole(report: &Report<'_>, run: &Run) -> bool {
    let checks = &report.setting.checks;
    run.property.is_none() && !checks.non_progress && !checks.acceptance
}

fn case_name(report: &Report<'_>, run: &Run) -> String {
    let checks = &report.setting.checks;
    match &run.property {
        Some(name) => name.clone(),
        None if checks.non_progress => "non-progress cycles".into(),
        None if checks.acceptance => "acceptance cycles".into(),
        None if report.setting.deadlocks_only => "end states".into(),
        None => match (checks.assertions, checks.end_states) {
            (true, true) => "safety".into(),
            (true, false) => "assertions".into(),
            (false, true) => "end states".into(),
            (false, false) => "run-time errors".into(),
        },
    }
}

/// `whole`: the search decides about all that it finds.
fn end_of(run: &Run, findings: Vec<usize>, whole: bool) -> End {
    match run.of_property.as_ref().unwrap_or(&run.outcome.verdict) {
        _ if !findings.is_empty() => End::Failed(findings),
        Verdict::Incomplete(limit) => End::Unknown("incomplete", reason(limit)),
        // Errors of the model have ended the search, or the error is known (--another).
        Verdict::Violated if !whole && run.outcome.property_errors == 0 => {
            End::Unknown("incomplete", "errors of the model ended the search before this was decided".into())
        }
        Verdict::Violated => End::Failed(findings),
        Verdict::Verified(_) | Verdict::NoErrorFound => End::Passed,
    }
}

/// Errors of the model that searches for properties have met. Such a search follows its property, and may leave out parts of the model: where it
/// has met none, nothing is said about them.
fn safety(findings: Vec<usize>) -> Option<Case> {
    (!findings.is_empty()).then(|| Case { name: "safety".into(), seconds: 0.0, end: End::Failed(findings) })
}

fn finding(report: &Report<'_>, run: &Run, index: usize, violation: &Violation) -> Finding {
    let trail = run.trails.get(index).cloned().flatten();
    let path = run.paths.get(index);
    Finding {
        kind: violation.kind.name(),
        message: written::failure(report.map, violation.span, &violation.message),
        region: Region::of(report.map, violation.span),
        depth: violation.depth,
        property: run.property.clone().filter(|_| violation.about == About::Property),
        replay: trail.as_deref().map(|trail| text::replay_command(report, trail)),
        trail,
        cycle: run.cycles.get(index).and_then(|cycle| cycle.as_ref()).map(|cycle| cycle.text.clone()),
        path: path.map(|path| path.told(report)).unwrap_or_default(),
        left_out: path.map_or(0, |path| path.left_out),
    }
}

/// `3 models: 1 verified, 1 violated, 1 not checked`, then a line for each.
pub(crate) fn summary(all: &[Checked]) -> String {
    let counts = ["verified", "no-error-found", "violated", "incomplete", NOT_CHECKED].map(|verdict| {
        let count = all.iter().filter(|checked| checked.verdict == verdict).count();
        (count, verdict.replace('-', " "))
    });
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, verdict)| format!("{count} {verdict}")).collect();
    let mut text = format!("{}: {}\n", counted(all.len() as u64, "model", "models"), counts.join(", "));
    for checked in all {
        text.push_str(&format!("  {}\n", checked.line()));
    }
    text
}
