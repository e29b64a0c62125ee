//! SARIF 2.1.0 (OASIS, 2020): one run of the tool with a result for each error and each diagnostic. The steps of a counterexample are
//! the code flow of its result. What has no answer is a notification of the invocation, which is then not a successful one.

use super::{Checked, Finding, PathStep, Region, Told};
use serde_json::{Value, json};
use std::path::Path;

/// The schema that readers know the document by.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The rules, by number: identifier and description. The first are the kinds of errors, as in the JSON report.
const RULES: [(&str, &str); 7] = [
    ("assertion", "An assertion of the model can be violated."),
    ("invalid-end-state", "The processes can get stuck outside of their end states."),
    ("acceptance-cycle", "A run for ever violates a property of the model."),
    ("non-progress-cycle", "The model can run for ever without progress."),
    ("unhandled", "A statement of the model can fail when it is executed."),
    ("model-error", "The model cannot be read."),
    ("model-warning", "Something in the model is probably not what was meant."),
];
const MODEL_ERROR: usize = 5;
const MODEL_WARNING: usize = 6;

/// The document. `code`: the exit code of the program.
pub(crate) fn render(all: &[Checked], code: u8) -> Value {
    let rule = |(id, text): &(&str, &str)| {
        let level = if *id == RULES[MODEL_WARNING].0 { "warning" } else { "error" };
        json!({
            "id": id,
            "shortDescription": { "text": text },
            "defaultConfiguration": { "level": level },
        })
    };
    let results = all.iter().flat_map(|checked| {
        let told = checked.told.iter().filter_map(diagnostic);
        told.chain(checked.findings.iter().map(violation))
    });
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "pv",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<Value>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": matches!(code, 0 | 1) && all.iter().all(|checked| matches!(checked.code, 0 | 1)),
                "exitCode": code,
                "toolExecutionNotifications": all.iter().flat_map(notifications).collect::<Vec<Value>>(),
            }],
            "results": results.collect::<Vec<Value>>(),
        }],
    })
}

/// What was told without a place, and why there is no verdict.
fn notifications(checked: &Checked) -> Vec<Value> {
    let without_place = checked.told.iter().filter(|told| told.region().is_none());
    let told = without_place.map(|told| (if told.is_error() { "error" } else { "warning" }, told.text()));
    let reason = checked.reason.iter().filter(|_| !checked.told.iter().any(Told::is_error));
    let reason = reason.map(|reason| ("error", format!("{}: {reason}", checked.verdict)));
    let notification = |(level, text): (&str, String)| {
        let mut told = json!({ "level": level, "message": { "text": text } });
        // A command line that is refused, and a model on standard input, are no files.
        if !checked.model.is_empty() && checked.model != "<stdin>" {
            let artifact = json!({ "artifactLocation": { "uri": uri(&checked.model) } });
            told["locations"] = json!([{ "physicalLocation": artifact }]);
        }
        told
    };
    told.chain(reason).map(notification).collect()
}

/// A diagnostic that has a place. Its rule is its code, a kind of error or warning of a model.
fn diagnostic(told: &Told) -> Option<Value> {
    let (rule, level) = if told.is_error() { (MODEL_ERROR, "error") } else { (MODEL_WARNING, "warning") };
    let region = told.region()?;
    let id = RULES[rule].0;
    Some(json!({
        "ruleId": told.code.map_or_else(|| id.to_string(), |code| format!("{id}/{code}")),
        "ruleIndex": rule,
        "level": level,
        "message": { "text": told.text() },
        "locations": [location(&region, None)],
    }))
}

fn violation(finding: &Finding) -> Value {
    let mut result = json!({
        "ruleId": finding.kind,
        "level": "error",
        "message": { "text": finding.text() },
    });
    if let Some(rule) = RULES.iter().position(|(id, _)| *id == finding.kind) {
        result["ruleIndex"] = rule.into();
    }
    if let Some(region) = &finding.region {
        result["locations"] = json!([location(region, None)]);
    }
    if !finding.path.is_empty() {
        result["codeFlows"] = json!([code_flow(finding)]);
    }
    let mut properties = json!({ "depth": finding.depth });
    for (name, value) in [("property", &finding.property), ("trail", &finding.trail), ("replay", &finding.replay)] {
        if let Some(value) = value {
            properties[name] = value.as_str().into();
        }
    }
    result["properties"] = properties;
    result
}

/// The steps, and behind them what is wrong.
fn code_flow(finding: &Finding) -> Value {
    let step = |step: &PathStep| {
        let text = if step.cycle { format!("from here on the steps repeat: {}", step.text) } else { step.text.clone() };
        let location = match &step.region {
            Some(region) => location(region, Some(&text)),
            None => json!({ "message": { "text": text } }),
        };
        json!({ "location": location, "executionOrder": step.number })
    };
    let mut steps: Vec<Value> = finding.path.iter().map(step).collect();
    let last = match &finding.region {
        Some(region) => location(region, Some(&finding.title())),
        None => json!({ "message": { "text": finding.title() } }),
    };
    let order = finding.path.last().map_or(0, |step| step.number) + 1;
    steps.push(json!({ "location": last, "executionOrder": order, "importance": "essential" }));
    let mut flow = json!({ "threadFlows": [{ "locations": steps }] });
    if finding.left_out > 0 {
        flow["message"] = json!({ "text": format!("the first {} steps are left out", finding.left_out) });
    }
    flow
}

fn location(region: &Region, message: Option<&str>) -> Value {
    if !region.is_in_file() {
        let place = region.place();
        let text = message.map_or_else(|| place.clone(), |message| format!("{place}: {message}"));
        return json!({ "logicalLocations": [{ "fullyQualifiedName": region.file }], "message": { "text": text } });
    }
    let mut place = json!({
        "startLine": region.line,
        "startColumn": region.column,
        "endLine": region.end.line,
        "endColumn": region.end.column,
    });
    // Text that stands nowhere has no length.
    if region.end.line == region.line && region.end.column <= region.column {
        place["endColumn"] = (region.column + 1).into();
    }
    let mut location = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(&region.file) }, "region": place },
    });
    if let Some(message) = message {
        location["message"] = json!({ "text": message });
    }
    location
}

/// A file name as a reference: relative where it is relative, so that readers find it below the root of the repository.
fn uri(file: &str) -> String {
    let path = if cfg!(windows) { file.replace('\\', "/") } else { file.to_string() };
    let path = path.strip_prefix("./").unwrap_or(&path);
    let mut text = match Path::new(path).is_absolute() {
        true if path.starts_with('/') => "file://".to_string(),
        true => "file:///".to_string(),
        false => String::new(),
    };
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_become_references() {
        assert_eq!(uri("./models/a b.pml"), "models/a%20b.pml");
        assert_eq!(uri("<a>.pml"), "%3Ca%3E.pml");
        assert_eq!(uri("ü:1.pml"), "%C3%BC%3A1.pml");
        #[cfg(unix)]
        assert_eq!(uri("/m/a.pml"), "file:///m/a.pml");
    }
}
