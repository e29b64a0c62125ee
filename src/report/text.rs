//! The report for people. The first line is the verdict; then what was checked and what was not, the counts, the cost,
//! what was never executed, and the command that replays the error. Styles are written as ANSI sequences, which the
//! stream takes out where they are not wanted.

use super::json::rate;
use super::number::{bytes, counted, duration, probability, thousands};
use super::{Checkpoint, Report, Run, Setting, reason, shortness, unreached, written};
use crate::search::outcome::{About, Verdict, Violation};
use crate::source::visible::visible;
use std::fmt::Write;

/// At most so many unreached statements are listed for a process type; JSON has them all.
const MOST_UNREACHED: usize = 40;

/// A counterexample with more steps than this is hard to read.
const MANY_STEPS: usize = 100;

const RED: &str = "\x1b[1;31m";
const GREEN: &str = "\x1b[1;32m";
const YELLOW: &str = "\x1b[1;33m";
const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// The whole report, lines ended.
pub(crate) fn render(report: &Report<'_>) -> String {
    let Some(deciding) = report.deciding() else { return String::new() };
    let mut out = String::new();
    let _ = writeln!(out, "{}", verdict_line(report, deciding));
    if let [run] = report.runs {
        property_line(&mut out, report, run);
        about_counterexample(&mut out, report, run);
        let _ = writeln!(out);
        heading(&mut out, report);
        counts(&mut out, report, run);
    } else {
        for run in report.runs {
            if run.of_property.is_some() {
                property_line(&mut out, report, run);
                about_counterexample(&mut out, report, run);
                continue;
            }
            let name = run.property.as_deref().unwrap_or("no property");
            let _ = writeln!(out, "  {BOLD}{name}{PLAIN}: {}", verdict_line(report, run));
            about_counterexample(&mut out, report, run);
        }
        let _ = writeln!(out);
        heading(&mut out, report);
        for run in report.runs {
            let _ = writeln!(out, "{BOLD}{}{PLAIN}", run.property.as_deref().unwrap_or("no property"));
            counts(&mut out, report, run);
        }
    }
    more_errors(&mut out, report, deciding);
    unreached_statements(&mut out, report);
    next_command(&mut out, report, deciding);
    out
}

/// What a cycle does, and how short a counterexample is.
fn about_counterexample(out: &mut String, report: &Report<'_>, run: &Run) {
    for story in run.cycles.iter().flatten() {
        let _ = writeln!(out, "  {}", story.text);
    }
    let steps = run.outcome.violations.first().map_or(0, |violation| violation.path.len());
    if let Some(how) = &run.outcome.shortness {
        let _ = writeln!(out, "  {}", shortness(how));
    } else if steps > MANY_STEPS && report.setting.algorithm == "dfs" && !report.setting.all_errors {
        let steps = thousands(steps as u64);
        let _ = writeln!(out, "  the counterexample has {steps} steps: --shortest looks for a shorter one");
    }
}

/// What is said of the property alone, if that differs from the verdict of the search.
fn property_line(out: &mut String, report: &Report<'_>, run: &Run) {
    let (Some(verdict), Some(name)) = (&run.of_property, &run.property) else { return };
    let line = match verdict {
        Verdict::Verified(_) => {
            format!("{GREEN}verified{PLAIN}: the property holds on every run, also behind assertions that fail")
        }
        Verdict::NoErrorFound => format!("{YELLOW}no error found{PLAIN}"),
        Verdict::Incomplete(limit) => format!("{YELLOW}incomplete{PLAIN}: {}", reason(limit)),
        Verdict::Violated => {
            let broken = run.outcome.violations.iter().find(|violation| violation.about == About::Property);
            let broken = broken.map(|violation| error_line(report, violation)).unwrap_or_default();
            format!("{RED}violated{PLAIN}: {broken}")
        }
    };
    let _ = writeln!(out, "  {BOLD}{name}{PLAIN}: {line}");
}

/// The verdict in a line: `violated: assertion (x == 1) at m.pml:4, depth 12`.
pub(crate) fn verdict_line(report: &Report<'_>, run: &Run) -> String {
    let outcome = &run.outcome;
    match &outcome.verdict {
        Verdict::Verified(_) => {
            format!("{GREEN}verified{PLAIN}: {}", why_verified(report.setting))
        }
        Verdict::NoErrorFound => {
            let mut line = format!("{YELLOW}no error found{PLAIN}: states may have been omitted");
            if let Some(bound) = outcome.omission_probability {
                let _ = write!(line, ", probability at most {}", probability(bound));
            }
            line
        }
        Verdict::Incomplete(limit) => format!("{YELLOW}incomplete{PLAIN}: {}", reason(limit)),
        Verdict::Violated => {
            let first = outcome.violations.first();
            let mut line = format!("{RED}violated{PLAIN}");
            match first {
                Some(violation) => {
                    let _ = write!(line, ": {}", error_line(report, violation));
                }
                None if report.setting.another => line.push_str(": no counterexample is found beside the known ones"),
                None => {}
            }
            // A broken invariant says itself which property it is.
            if let Some(property) = &run.property
                && first.is_none_or(|first| first.about == About::Property && !first.message.starts_with("property "))
            {
                let _ = write!(line, ", property {property}");
            }
            match outcome.error_count {
                0 | 1 => line,
                count => format!("{line} ({} in all)", counted(count, "error", "errors")),
            }
        }
    }
}

/// What a search without an error says about the model, with what it left out.
fn why_verified(setting: &Setting) -> String {
    if setting.deadlocks_only {
        return "no deadlocks; assertions were not checked, and what the reduction left out can hide a run-time error, but no deadlock"
            .into();
    }
    let left_out: Vec<&str> = [
        (setting.statics.dead_variables, "values that nobody reads"),
        (setting.statics.merging, "states between local steps"),
        (setting.por, "orders of independent steps"),
    ]
    .iter()
    .filter_map(|&(at_work, what)| at_work.then_some(what))
    .collect();
    match left_out[..] {
        [] => "no errors, every reachable state was looked at".into(),
        _ => format!("no errors; what was left out ({}) cannot hide one", left_out.join(", ")),
    }
}

/// `assertion (x == 1) at m.pml:4, depth 12`.
fn error_line(report: &Report<'_>, violation: &Violation) -> String {
    // "violated: assertion violated (…)" says it twice.
    let message = written::failure(report.map, violation.span, &violation.message);
    let message = match message.strip_prefix("assertion violated") {
        Some(rest) => format!("assertion{rest}"),
        None => message,
    };
    let place = report.place(violation.span).map(|(file, line)| format!(" at {file}:{line}")).unwrap_or_default();
    let (message, place) = (visible(&message), visible(&place));
    format!("{message}{place}, depth {}", thousands(violation.depth))
}

fn heading(out: &mut String, report: &Report<'_>) {
    let model = report.model;
    let parts = [
        counted(model.proctypes.len() as u64, "process type", "process types"),
        counted(model.processes.len() as u64, "process at the start", "processes at the start"),
        counted(model.channels.len() as u64, "global channel", "global channels"),
    ];
    row(out, "model", &format!("{} ({})", visible(&model.name), parts.join(", ")));
    row(out, "search", &report.setting.words());
    let (checked, not_checked) = checks(report);
    row(out, "checked", &or_nothing(&checked));
    if !not_checked.is_empty() {
        row(out, "not checked", &not_checked.join(", "));
    }
    let _ = writeln!(out);
}

fn row(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, "  {DIM}{name:<12}{PLAIN}{text}");
}

fn or_nothing(list: &[String]) -> String {
    if list.is_empty() { "nothing".into() } else { list.join(", ") }
}

/// What was checked and what was not, each with the reason where there is one.
fn checks(report: &Report<'_>) -> (Vec<String>, Vec<String>) {
    let (checks, model) = (&report.setting.checks, report.model);
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    let deadlocks_only = report.setting.deadlocks_only;
    if checks.assertions && !deadlocks_only {
        yes.push("assertions".to_string());
    } else {
        let why = if deadlocks_only { "--deadlocks-only" } else { "--no-assertions" };
        no.push(format!("assertions ({why})"));
    }
    match (checks.end_states, checks.strict_channels) {
        (true, true) => yes.push("end states with empty channels".into()),
        (true, false) => yes.push("invalid end states".into()),
        (false, _) if checks.end_states_left => no.push("invalid end states (--no-claims)".into()),
        (false, _) => no.push("invalid end states (--no-end-states)".into()),
    }
    if checks.acceptance {
        yes.push("acceptance cycles".into());
    }
    let checked: Vec<&str> = report.runs.iter().filter_map(|run| run.property.as_deref()).collect();
    if !checked.is_empty() {
        yes.push(format!("claims: {}", checked.join(", ")));
    }
    let left: Vec<&str> =
        model.claims.iter().map(|claim| &*claim.name).filter(|name| !checked.contains(name)).collect();
    if !left.is_empty() {
        let why = if checks.claims { "" } else { " (--no-claims)" };
        no.push(format!("claims: {}{why}", left.join(", ")));
    }
    if checks.non_progress {
        yes.push("non-progress cycles".into());
    } else if model.uses.progress_labels {
        no.push("non-progress cycles (--non-progress)".into());
    }
    (yes, no)
}

fn counts(out: &mut String, report: &Report<'_>, run: &Run) {
    let (outcome, counts) = (&run.outcome, &run.outcome.counts);
    let mut line = |number: u64, text: &str| {
        // "1 states stored" looks careless.
        let text = match text.split_once("s ").filter(|_| number == 1) {
            Some((noun, rest)) => format!("{noun} {rest}"),
            None => text.to_string(),
        };
        let _ = writeln!(out, "  {:>15} {text}", thousands(number));
    };
    line(counts.stored, "states stored");
    if report.setting.cache.is_some() {
        line(counts.peak_stored, "states held at once, at most");
        line(counts.evicted, "states forgotten");
    }
    line(counts.matched, "states matched");
    line(counts.transitions(), "transitions (stored + matched)");
    line(counts.atomic_steps, "steps inside atomic blocks");
    line(counts.depth, "steps on the longest path");
    line(counts.vector_bytes, "bytes in the longest state vector");
    line(outcome.error_count, if outcome.error_count == 1 { "error" } else { "errors" });
    let _ = writeln!(out);
    let mut note = |text: String| {
        let _ = writeln!(out, "  {text}");
    };
    // a table that forgets nothing has none to tell
    if let Some(rate) = outcome.collision_rate.filter(|&rate| rate > 0.0) {
        note(format!("collision rate {rate:.3} (states overwritten per state stored)"));
    }
    if let Some(rate) = outcome.revisit_rate {
        note(format!("revisit rate {rate:.3} (states stored again per state stored, about)"));
    }
    for repeat in &outcome.repeats {
        note(format!(
            "run with seed {}: {} states, omission probability at most {}",
            repeat.seed,
            thousands(repeat.stored),
            probability(repeat.omission_probability)
        ));
    }
    if let Some(bound) = outcome.omission_probability {
        note(format!("omission probability at most {}", probability(bound)));
    }
    if let Some(coverage) = outcome.coverage {
        note(format!("expected coverage {:.4}%", coverage * 100.0));
    }
    if let Some(advice) = &outcome.advice {
        note(advice.clone());
    }
    outcome.notes.iter().for_each(|text| note(text.clone()));
    note(format!(
        "{}, {} (and {} to read the model), {} states/s",
        bytes(outcome.memory),
        duration(outcome.seconds),
        duration(report.compile_seconds),
        thousands(rate(counts.stored, outcome.seconds) as u64),
    ));
    let _ = writeln!(out);
}

/// The errors behind the first, with `--all-errors`.
fn more_errors(out: &mut String, report: &Report<'_>, deciding: &Run) {
    // Every trail that was written is named beside its error.
    let all: Vec<_> = report.runs.iter().flat_map(|run| run.outcome.violations.iter().zip(trails(run))).collect();
    if all.len() < 2 || deciding.outcome.violations.is_empty() {
        return;
    }
    let _ = writeln!(out, "{BOLD}errors{PLAIN}");
    for (violation, trail) in &all {
        let trail = trail.map(|file| format!(", trail {file}")).unwrap_or_default();
        let _ = writeln!(out, "  {}{trail}", error_line(report, violation));
    }
    let _ = writeln!(out);
}

/// The trail file of each violation of a run, if it has one.
fn trails(run: &Run) -> impl Iterator<Item = Option<&str>> {
    run.trails.iter().map(Option::as_deref).chain(std::iter::repeat(None))
}

fn unreached_statements(out: &mut String, report: &Report<'_>) {
    let Some(list) = unreached::unreached(report) else { return };
    for entry in &list {
        if entry.never_started {
            let _ = writeln!(out, "{BOLD}{}{PLAIN} was never started\n", entry.proctype);
            continue;
        }
        let _ = writeln!(
            out,
            "{BOLD}unreached in {}{PLAIN} ({} of {})",
            entry.proctype,
            thousands(entry.statements.len() as u64),
            counted(entry.transitions as u64, "transition", "transitions"),
        );
        let place = |statement: &unreached::Statement| format!("{}:{}", visible(&statement.file), statement.line);
        let shown = &entry.statements[..entry.statements.len().min(MOST_UNREACHED)];
        let width = shown.iter().map(|statement| place(statement).chars().count()).max().unwrap_or(0);
        for statement in shown {
            let _ = writeln!(out, "  {:<width$}  {}", place(statement), statement.text);
        }
        if entry.statements.len() > shown.len() {
            let _ = writeln!(out, "  … and {} more", entry.statements.len() - shown.len());
        }
        let _ = writeln!(out);
    }
}

/// The command that replays a trail.
pub(crate) fn replay_command(report: &Report<'_>, trail: &str) -> String {
    let model = if report.model.name == "<stdin>" { "-" } else { &report.model.name };
    let mut words = vec!["pv", "replay"];
    words.extend(report.arguments.iter().map(String::as_str));
    words.extend([model, trail]);
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// What to do next: replay the error, or go on with a search that was stopped.
fn next_command(out: &mut String, report: &Report<'_>, deciding: &Run) {
    let trail = deciding.trails.iter().flatten().next();
    if let (Verdict::Violated, Some(trail)) = (&deciding.outcome.verdict, trail) {
        let _ = writeln!(out, "replay it: {}", replay_command(report, trail));
    } else if let Some(Checkpoint { file, earlier }) = &deciding.checkpoint {
        let which = if *earlier { "go on from the last checkpoint" } else { "go on" };
        let _ = writeln!(out, "{which}: pv resume {}", quoted(file));
    } else {
        // The last section has left a blank line behind it.
        out.truncate(out.trim_end_matches('\n').len());
        out.push('\n');
    }
}

/// A word as a shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into()
    } else {
        format!("'{}'", visible(&word.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample::Sample;

    fn plain(sample: &Sample) -> String {
        let mut text = Vec::new();
        let mut stream = anstream::StripStream::new(&mut text);
        let _ = std::io::Write::write_all(&mut stream, render(&sample.report()).as_bytes());
        String::from_utf8(text).expect("it is text")
    }

    #[test]
    fn verified() {
        insta::assert_snapshot!(plain(&Sample::verified()), @r"
        verified: no errors, every reachable state was looked at

          model       m.pml (2 process types, 1 process at the start, 0 global channels)
          search      depth-first, exact store, seed 1
          checked     assertions, invalid end states

                  251,409 states stored
                   11,152 states matched
                  262,561 transitions (stored + matched)
                  586,655 steps inside atomic blocks
                      545 steps on the longest path
                      168 bytes in the longest state vector
                        0 errors

          12.0 MiB, 0.500 s (and 0.012 s to read the model), 502,818 states/s

        unreached in sender (1 of 3 transitions)
          m.pml:3  out!ack,1

        ghost was never started
        ");
    }

    #[test]
    fn violated() {
        insta::assert_snapshot!(plain(&Sample::violated()), @r"
        violated: assertion (x == 1) at m.pml:4, depth 12

          model       m.pml (2 process types, 1 process at the start, 0 global channels)
          search      depth-first, exact store, seed 1
          checked     assertions, invalid end states

                  251,409 states stored
                   11,152 states matched
                  262,561 transitions (stored + matched)
                  586,655 steps inside atomic blocks
                      545 steps on the longest path
                      168 bytes in the longest state vector
                        1 error

          12.0 MiB, 0.500 s (and 0.012 s to read the model), 502,818 states/s

        replay it: pv replay m.pml m.pml.trail.json
        ");
    }

    #[test]
    fn first_lines() {
        let first = |sample: &Sample| plain(sample).lines().next().map(str::to_string);
        assert_eq!(
            first(&Sample::no_error_found()).as_deref(),
            Some("no error found: states may have been omitted, probability at most 3.100%")
        );
        assert_eq!(
            first(&Sample::incomplete()).as_deref(),
            Some("incomplete: paths were cut off at depth 100 (--max-depth); what lies behind them was not looked at")
        );
    }

    #[test]
    fn how_to_go_on() {
        let mut sample = Sample::incomplete();
        for (earlier, line) in
            [(false, "go on: pv resume 'm 1.ckpt'"), (true, "go on from the last checkpoint: pv resume 'm 1.ckpt'")]
        {
            sample.runs[0].checkpoint = Some(Checkpoint { file: "m 1.ckpt".into(), earlier });
            assert_eq!(plain(&sample).lines().last(), Some(line));
        }
    }

    #[test]
    fn several_properties() {
        let mut sample = Sample::verified();
        sample.runs[0].property = Some("fine".into());
        let mut bad = Sample::violated().runs.remove(0);
        bad.property = Some("bad".into());
        bad.outcome.violations[0].about = About::Property;
        sample.runs.push(bad);
        let text = plain(&sample);
        assert!(text.starts_with("violated: assertion (x == 1) at m.pml:4, depth 12, property bad\n"), "{text}");
        assert!(text.contains("  fine: verified"), "{text}");
        assert!(text.contains("checked     assertions, invalid end states, claims: fine, bad"), "{text}");
    }

    #[test]
    fn words_are_quoted_for_the_shell() {
        assert_eq!(quoted("a/b.pml"), "a/b.pml");
        assert_eq!(quoted("-DX=(1)"), "'-DX=(1)'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
