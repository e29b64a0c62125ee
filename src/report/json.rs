//! The JSON report: one object, whose fields are a contract with scripts. Fields are added freely and changed never.
//!
//! A check of several properties is several searches. The counts at the top are then those of the search that decides
//! (the first violated one, else the first incomplete one, …), `errors` has the errors of all, and `properties` has one
//! entry for each search.

use super::cycle::CycleStory;
use super::formats::Told;
use super::{Report, Run, Setting, reason, shortness, unreached, written};
use crate::search::outcome::{About, Shortness, Verdict};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Document<'a> {
    pv: &'static str,
    model: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    search: &'a Setting,
    states: States,
    transitions: u64,
    atomic_steps: u64,
    depth: u64,
    errors: Vec<Error<'a>>,
    error_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    omission_probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repeats: Vec<Repeat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collision_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revisit_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreached: Option<Vec<Statement>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    never_started: Vec<String>,
    memory_bytes: u64,
    seconds: Seconds,
    states_per_second: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property<'a>>,
    #[serde(skip_serializing_if = "<[Told]>::is_empty")]
    diagnostics: &'a [Told],
}

#[derive(Serialize)]
struct States {
    stored: u64,
    matched: u64,
    peak_stored: u64,
    evicted: u64,
    vector_bytes: u64,
}

#[derive(Serialize)]
struct Error<'a> {
    kind: &'static str,
    message: String,
    file: Option<&'a str>,
    line: Option<u32>,
    depth: u64,
    trail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle_start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cycle: Option<&'a CycleStory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest: Option<Shortest>,
}

/// What came of the search for a shorter counterexample.
#[derive(Serialize)]
struct Shortest {
    /// No error is reached in fewer moves.
    known: bool,
    /// In words.
    text: String,
}

#[derive(Serialize)]
struct Statement {
    proctype: String,
    line: u32,
    text: String,
}

#[derive(Serialize)]
struct Repeat {
    seed: u64,
    stored: u64,
    omission_probability: f64,
    coverage: f64,
}

#[derive(Serialize)]
struct Seconds {
    compile: f64,
    search: f64,
}

#[derive(Serialize)]
struct Property<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    states: States,
    transitions: u64,
    atomic_steps: u64,
    depth: u64,
    error_count: u64,
    memory_bytes: u64,
    seconds: f64,
}

/// The report as one JSON object, with a line end behind it.
#[cfg(test)]
pub(crate) fn render(report: &Report<'_>) -> String {
    text(&value(report, &[]))
}

/// A JSON document as it is printed.
pub(crate) fn text(document: &Value) -> String {
    // Serialising plain data to memory cannot fail.
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}

/// The report as one JSON object. `diagnostics`: what was said about the model beside it.
pub(crate) fn value(report: &Report<'_>, diagnostics: &[Told]) -> Value {
    let Some(deciding) = report.deciding() else { return Value::Object(serde_json::Map::new()) };
    let outcome = &deciding.outcome;
    let counts = &outcome.counts;
    let list = unreached::unreached(report);
    let never_started = list.iter().flatten().filter(|entry| entry.never_started);
    let seconds: f64 = report.runs.iter().map(|run| run.outcome.seconds).sum();
    let document = Document {
        pv: env!("CARGO_PKG_VERSION"),
        model: &report.model.name,
        verdict: outcome.verdict.name(),
        reason: reason_of(&outcome.verdict),
        search: report.setting,
        states: states(deciding),
        transitions: counts.transitions(),
        atomic_steps: counts.atomic_steps,
        depth: counts.depth,
        errors: report.runs.iter().flat_map(|run| errors(report, run)).collect(),
        error_count: report.runs.iter().map(|run| run.outcome.error_count).sum(),
        omission_probability: outcome.omission_probability,
        coverage: outcome.coverage,
        advice: outcome.advice.as_deref(),
        notes: &outcome.notes,
        repeats: outcome.repeats.iter().map(repeat).collect(),
        collision_rate: outcome.collision_rate,
        revisit_rate: outcome.revisit_rate,
        checkpoint: deciding.checkpoint.as_ref().map(|checkpoint| checkpoint.file.as_str()),
        never_started: never_started.map(|entry| entry.proctype.clone()).collect(),
        unreached: list.map(|entries| {
            let statements = |entry: unreached::Unreached| {
                let proctype = entry.proctype;
                entry.statements.into_iter().map(move |statement| Statement {
                    proctype: proctype.clone(),
                    line: statement.line,
                    text: statement.text,
                })
            };
            entries.into_iter().flat_map(statements).collect()
        }),
        memory_bytes: report.runs.iter().map(|run| run.outcome.memory).max().unwrap_or(0),
        seconds: Seconds { compile: report.compile_seconds, search: seconds },
        states_per_second: rate(counts.stored, outcome.seconds),
        properties: report.runs.iter().filter_map(|run| property(report, run)).collect(),
        diagnostics,
    };
    serde_json::to_value(&document).unwrap_or_default()
}

/// So many a second; 0 if no time passed.
pub(crate) fn rate(number: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { number as f64 / seconds } else { 0.0 }
}

fn repeat(run: &crate::search::outcome::Repeat) -> Repeat {
    let crate::search::outcome::Repeat { seed, stored, omission_probability, coverage } = *run;
    Repeat { seed, stored, omission_probability, coverage }
}

fn reason_of(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Incomplete(limit) => Some(reason(limit)),
        _ => None,
    }
}

fn states(run: &Run) -> States {
    let counts = &run.outcome.counts;
    States {
        stored: counts.stored,
        matched: counts.matched,
        peak_stored: counts.peak_stored,
        evicted: counts.evicted,
        vector_bytes: counts.vector_bytes,
    }
}

fn errors<'a>(report: &Report<'a>, run: &'a Run) -> Vec<Error<'a>> {
    let outcome = &run.outcome;
    let error = |(index, violation): (usize, &'a crate::search::outcome::Violation)| {
        let place = report.place(violation.span);
        Error {
            kind: violation.kind.name(),
            message: written::failure(report.map, violation.span, &violation.message),
            file: place.map(|(file, _)| file),
            line: place.map(|(_, line)| line),
            depth: violation.depth,
            trail: run.trails.get(index).and_then(|trail| trail.as_deref()),
            property: run.property.as_deref().filter(|_| violation.about == About::Property),
            cycle_start: violation.cycle_start,
            cycle: run.cycles.get(index).and_then(|cycle| cycle.as_ref()),
            shortest: outcome
                .shortness
                .as_ref()
                .map(|how| Shortest { known: *how == Shortness::Shortest, text: shortness(how) }),
        }
    };
    outcome.violations.iter().enumerate().map(error).collect()
}

fn property<'a>(report: &Report<'a>, run: &'a Run) -> Option<Property<'a>> {
    let name = run.property.as_deref()?;
    let claim = report.model.claims.iter().find(|claim| &*claim.name == name);
    let counts = &run.outcome.counts;
    let verdict = run.of_property.as_ref().unwrap_or(&run.outcome.verdict);
    Some(Property {
        name,
        formula: claim.and_then(|claim| claim.formula.as_deref()),
        verdict: verdict.name(),
        reason: reason_of(verdict),
        states: states(run),
        transitions: counts.transitions(),
        atomic_steps: counts.atomic_steps,
        depth: counts.depth,
        error_count: match run.of_property {
            Some(_) => run.outcome.property_errors,
            None => run.outcome.error_count,
        },
        memory_bytes: run.outcome.memory,
        seconds: run.outcome.seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Checkpoint;
    use crate::report::sample::Sample;
    use serde_json::json;

    fn parsed(sample: &Sample) -> Value {
        serde_json::from_str(&render(&sample.report())).expect("it is JSON")
    }

    #[test]
    fn has_the_fields_of_the_contract() {
        let mut sample = Sample::verified();
        sample.setting.sleep = true;
        sample.setting.cache = Some(500);
        sample.setting.replace = Some("random");
        let value = parsed(&sample);
        assert_eq!(value["pv"], env!("CARGO_PKG_VERSION"));
        assert_eq!(value["model"], "m.pml");
        assert_eq!(value["verdict"], "verified");
        assert_eq!(
            value["search"],
            json!({"algorithm": "dfs", "store": "exact", "sleep": true, "por": false, "reductions": [], "cache": 500,
                   "replace": "random", "seed": 1})
        );
        assert_eq!(
            value["states"],
            json!({"stored": 251409, "matched": 11152, "peak_stored": 251409, "evicted": 0, "vector_bytes": 168})
        );
        assert_eq!(value["transitions"], 262561);
        assert_eq!(value["atomic_steps"], 586655);
        assert_eq!(value["depth"], 545);
        assert_eq!(value["errors"], json!([]));
        assert_eq!(value["error_count"], 0);
        assert_eq!(value["unreached"][0], json!({"proctype": "sender", "line": 3, "text": "out!ack,1"}));
        assert_eq!(value["never_started"], json!(["ghost"]));
        assert_eq!(value["memory_bytes"], 12 << 20);
        assert_eq!(value["seconds"], json!({"compile": 0.012, "search": 0.5}));
        assert_eq!(value["states_per_second"], 502818.0);
        assert!(value.get("reason").is_none() && value.get("omission_probability").is_none());
    }

    #[test]
    fn errors_carry_place_and_trail() {
        let value = parsed(&Sample::violated());
        assert_eq!(value["verdict"], "violated");
        assert_eq!(
            value["errors"],
            json!([{"kind": "assertion", "message": "assertion violated (x == 1)", "file": "m.pml", "line": 4,
                    "depth": 12, "trail": "m.pml.trail.json"}])
        );
        assert!(value.get("unreached").is_none());
    }

    #[test]
    fn incomplete_and_lossy_runs_say_so() {
        let value = parsed(&Sample::incomplete());
        assert_eq!(value["verdict"], "incomplete");
        assert!(value["reason"].as_str().is_some_and(|reason| reason.contains("--max-depth")));
        assert!(value.get("checkpoint").is_none());
        let mut stopped = Sample::incomplete();
        stopped.runs[0].checkpoint = Some(Checkpoint { file: "m.checkpoint".into(), earlier: false });
        assert_eq!(parsed(&stopped)["checkpoint"], "m.checkpoint");
        let value = parsed(&Sample::no_error_found());
        assert_eq!(value["verdict"], "no-error-found");
        assert_eq!(value["omission_probability"], 0.031);
    }

    #[test]
    fn the_worst_property_decides() {
        let mut sample = Sample::verified();
        sample.runs[0].property = Some("fine".into());
        let mut bad = Sample::violated().runs.remove(0);
        bad.property = Some("bad".into());
        bad.outcome.violations[0].about = About::Property;
        sample.runs.push(bad);
        let value = parsed(&sample);
        assert_eq!(value["verdict"], "violated");
        assert_eq!(value["properties"][0]["verdict"], "verified");
        assert_eq!(value["properties"][1]["name"], "bad");
        assert_eq!(value["errors"][0]["property"], "bad");
        assert_eq!(sample.report().exit_code(), 1);
    }
}
