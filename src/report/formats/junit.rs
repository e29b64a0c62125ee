//! JUnit XML as CI systems read it: a suite for each model, a case for each thing that was checked. A violation is a failure; a search
//! without an answer and a model that cannot be read are errors, so that neither looks like a success.

use super::{Case, Checked, End, Finding};
use crate::source::visible::visible;
use std::fmt::Write;

/// The document.
pub(crate) fn render(all: &[Checked]) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let seconds: f64 = all.iter().map(|checked| checked.seconds).sum();
    let _ =
        writeln!(out, "<testsuites name=\"pv\" {}>", counts(all.iter().flat_map(|checked| &checked.cases), seconds));
    for checked in all {
        suite(&mut out, checked);
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts<'c>(cases: impl Iterator<Item = &'c Case>, seconds: f64) -> String {
    let (mut tests, mut failures, mut errors) = (0, 0, 0);
    for case in cases {
        tests += 1;
        match case.end {
            End::Passed => {}
            End::Failed(_) => failures += 1,
            End::Unknown(..) => errors += 1,
        }
    }
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"{seconds:.3}\"")
}

fn suite(out: &mut String, checked: &Checked) {
    let name = attribute(if checked.model.is_empty() { "command line" } else { &checked.model });
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {}>", counts(checked.cases.iter(), checked.seconds));
    for case in &checked.cases {
        let _ = write!(
            out,
            "    <testcase name=\"{}\" classname=\"{name}\" file=\"{name}\" time=\"{:.3}\"",
            attribute(&case.name),
            case.seconds
        );
        match &case.end {
            End::Passed => out.push_str("/>\n"),
            End::Failed(numbers) => failure(out, checked, numbers),
            End::Unknown(kind, reason) => {
                let told: Vec<String> = checked.told.iter().filter(|told| told.is_error()).map(placed).collect();
                let body = if told.is_empty() { reason.clone() } else { told.join("\n\n") };
                element(out, "error", kind, reason, &body);
            }
        }
    }
    let said: Vec<String> = checked.told.iter().filter(|told| !told.is_error()).map(placed).collect();
    let _ = writeln!(out, "    <system-out>{}</system-out>", content(&checked.line()));
    if !said.is_empty() {
        let _ = writeln!(out, "    <system-err>{}</system-err>", content(&said.join("\n\n")));
    }
    out.push_str("  </testsuite>\n");
}

/// All findings of a case in one element: many readers take the first one only.
fn failure(out: &mut String, checked: &Checked, numbers: &[usize]) {
    let findings: Vec<&Finding> = numbers.iter().filter_map(|&number| checked.findings.get(number)).collect();
    let (kind, title) = match findings.first() {
        Some(first) => (first.called(), first.title()),
        None => ("violated", checked.headline.clone()),
    };
    let texts: Vec<String> = findings
        .iter()
        .map(|finding| match &finding.region {
            Some(region) => format!("{}:{}:{}: {}", region.file, region.line, region.column, finding.text()),
            None => finding.text(),
        })
        .collect();
    let body = if texts.is_empty() { title.clone() } else { texts.join("\n\n") };
    element(out, "failure", kind, &title, &body);
}

/// A message behind its place.
fn placed(told: &super::Told) -> String {
    match told.region() {
        Some(region) => format!("{}:{}:{}: {}", region.file, region.line, region.column, told.text()),
        None => told.text(),
    }
}

fn element(out: &mut String, name: &str, kind: &str, message: &str, body: &str) {
    let _ = writeln!(out, ">");
    let (message, body) = (attribute(message), content(body));
    let _ = writeln!(out, "      <{name} type=\"{kind}\" message=\"{message}\">{body}</{name}>");
    let _ = writeln!(out, "    </testcase>");
}

/// Text between tags. Control characters have no place in XML, not even as references.
fn content(text: &str) -> String {
    let allowed = |c: char| if matches!(c, '\u{fffe}' | '\u{ffff}') { '\u{fffd}' } else { c };
    visible(text)
        .chars()
        .map(allowed)
        .collect::<String>()
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The value of an attribute, where a line end would become a space.
fn attribute(text: &str) -> String {
    content(text).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        assert_eq!(content("a<b && \"c\">\x1b\u{ffff}"), "a&lt;b &amp;&amp; \"c\"&gt;\\x1b\u{fffd}");
        assert_eq!(attribute("\"a\"\n\tb"), "&quot;a&quot;&#10;&#9;b");
    }
}
