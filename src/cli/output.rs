//! What `pv check` prints on standard output, in the format that was asked for. Reports for people are printed as they come; a
//! document for programs is one, however many models it is about, and is printed at the end.

use super::console::{Console, WRONG};
use super::options::{CheckArgs, Format};
use crate::report::formats::{Checked, NOT_CHECKED, github, junit, sarif, summary};
use crate::report::{Report, json, text};
use serde_json::{Value, json};

/// Gathers what came out of each model.
pub(super) struct Output<'a> {
    console: &'a Console,
    format: Format,
    several: bool,
    /// Is this the process that reports?
    reports: bool,
    done: Vec<Checked>,
    /// With `--json`: the report of each of them that has one.
    documents: Vec<Option<Value>>,
    /// The last of them is about the model that is being checked.
    is_open: bool,
}

impl<'a> Output<'a> {
    /// For the models of a command line.
    pub(super) fn new(console: &'a Console, args: &CheckArgs) -> Output<'a> {
        Output {
            console,
            format: args.format(),
            several: args.is_several(),
            reports: args.search.reports(),
            done: Vec::new(),
            documents: Vec::new(),
            is_open: false,
        }
    }

    /// Are the steps of counterexamples shown?
    pub(super) fn wants_paths(&self) -> bool {
        self.format == Format::Sarif
    }

    /// Takes the report of the model that is being checked; gives its exit code.
    pub(super) fn report(&mut self, report: &Report<'_>) -> u8 {
        let checked = Checked::of(report, self.console.take_told());
        let code = checked.code;
        self.documents.push((self.format == Format::Json).then(|| json::value(report, &checked.told)));
        let printed = match (self.format, self.console.options.quiet) {
            (Format::Text, true) => format!("{}\n", checked.line()),
            (Format::Text, false) if self.several => {
                format!("\x1b[1m{}\x1b[0m\n{}\n", title(&checked), text::render(report))
            }
            (Format::Text, false) => text::render(report),
            _ => String::new(),
        };
        self.done.push(checked);
        self.is_open = true;
        if self.reports { self.console.print(&printed, code) } else { code }
    }

    /// The model has been checked, with this exit code in the end, or it could not be.
    pub(super) fn close(&mut self, model: &str, code: u8) {
        if !std::mem::take(&mut self.is_open) {
            let name = if model == "-" { "<stdin>" } else { model };
            let checked = Checked::not_checked(name, code, self.console.take_told());
            if self.format == Format::Text && self.console.options.quiet && self.reports {
                // Its exit code is no better if this cannot be written.
                let _ = self.console.print(&format!("{}\n", checked.line()), code);
            }
            self.documents.push(None);
            self.done.push(checked);
        } else if let Some(last) = self.done.last_mut() {
            last.went_wrong(code, self.console.take_told());
        }
    }

    /// Prints what is printed at the end; gives the exit code of the program.
    pub(super) fn finish(self) -> u8 {
        let code = worst(self.done.iter().map(|checked| checked.code));
        if !self.reports {
            return code;
        }
        let text = match self.format {
            Format::Text if self.several && !self.console.options.quiet => summary(&self.done),
            Format::Text => return code,
            Format::Json => json::text(&self.document(code)),
            Format::Sarif => json::text(&sarif::render(&self.done, code)),
            Format::Junit => junit::render(&self.done),
            Format::Github => github::render(&self.done),
        };
        self.console.print_data(&text, code)
    }

    fn document(&self, code: u8) -> Value {
        let each = self.done.iter().zip(&self.documents);
        let mut models: Vec<Value> =
            each.map(|(checked, report)| report.clone().unwrap_or_else(|| not_checked(checked))).collect();
        if !self.several {
            return models.pop().unwrap_or_default();
        }
        let count = |verdict: &str| self.done.iter().filter(|checked| checked.verdict == verdict).count();
        json!({
            "pv": env!("CARGO_PKG_VERSION"),
            "models": models,
            "summary": {
                "models": self.done.len(),
                "verified": count("verified"),
                "no_error_found": count("no-error-found"),
                "violated": count("violated"),
                "incomplete": count("incomplete"),
                "not_checked": count(NOT_CHECKED),
                "exit_code": code,
            },
        })
    }
}

/// A command that was asked for one JSON object and had to stop before it wrote anything gives the one that says why. Gives the exit code.
pub(super) fn or_reason(console: &Console, model: Option<&str>, code: u8) -> u8 {
    if code != WRONG || console.wrote() {
        return code;
    }
    let name = model.map_or("", |model| if model == "-" { "<stdin>" } else { model });
    console.print_data(&json::text(&not_checked(&Checked::not_checked(name, code, console.take_told()))), code)
}

/// The document about a command line that makes no sense: no model was looked at. Gives the exit code.
pub(super) fn refused(console: &Console, format: Format) -> u8 {
    let checked = Checked::not_checked("", WRONG, console.take_told());
    let text = match format {
        Format::Text => return WRONG,
        Format::Json => json::text(&not_checked(&checked)),
        Format::Sarif => json::text(&sarif::render(&[checked], WRONG)),
        Format::Junit => junit::render(&[checked]),
        Format::Github => github::render(&[checked]),
    };
    console.print_data(&text, WRONG)
}

/// The object of a model that has no report.
fn not_checked(checked: &Checked) -> Value {
    json!({
        "pv": env!("CARGO_PKG_VERSION"),
        "model": (!checked.model.is_empty()).then_some(&checked.model),
        "verdict": NOT_CHECKED,
        "reason": checked.reason,
        "exit_code": checked.code,
        "diagnostics": checked.told,
    })
}

fn title(checked: &Checked) -> String {
    crate::source::visible::visible(&checked.model).into_owned()
}

/// The exit code of several models: that of the worst. A bug of pv comes first, then an error that was found, then a model that could not be
/// checked, then a process that is gone, then a search without an answer.
fn worst(codes: impl Iterator<Item = u8>) -> u8 {
    const ORDER: [u8; 6] = [101, 1, 2, 4, 3, 0];
    let codes: Vec<u8> = codes.collect();
    let unknown = codes.iter().copied().find(|code| !ORDER.contains(code));
    unknown.or_else(|| ORDER.into_iter().find(|code| codes.contains(code))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::worst;

    #[test]
    fn a_violation_is_worse_than_a_model_that_cannot_be_read() {
        assert_eq!(worst([0, 3, 2, 1].into_iter()), 1);
        assert_eq!(worst([0, 3, 2].into_iter()), 2);
        assert_eq!(worst([3, 0].into_iter()), 3);
        assert_eq!(worst([1, 101].into_iter()), 101);
        assert_eq!(worst([].into_iter()), 0);
    }
}
