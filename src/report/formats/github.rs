//! Workflow commands of GitHub Actions: a line `::error file=…,line=…,col=…,title=…::message` in the log of a step annotates the line
//! in the pull request. A line that is no command is shown in the log as it is.

use super::{Checked, NOT_CHECKED, Region};
use crate::source::visible::visible;

/// A command for each error and warning, and a plain line for each model.
pub(crate) fn render(all: &[Checked]) -> String {
    let mut out = String::new();
    for checked in all {
        for told in &checked.told {
            let (command, title) = if told.is_error() { ("error", "pv") } else { ("warning", "pv: warning") };
            out.push_str(&line(command, told.region().as_ref(), title, &told.text()));
        }
        for finding in &checked.findings {
            let title = format!("pv: {}", finding.called());
            out.push_str(&line("error", finding.region.as_ref(), &title, &finding.text()));
        }
        match &checked.reason {
            // What is wrong was told.
            Some(_) if checked.verdict == NOT_CHECKED && !checked.told.is_empty() => {}
            Some(reason) => {
                let message = format!("{}: {reason}", checked.model);
                out.push_str(&line("error", None, &format!("pv: {}", checked.verdict), &message));
            }
            None => {}
        }
        // No model can make a command of this line, neither of this kind nor of the older one, which may begin anywhere in it.
        out.push_str(&format!("pv: {}\n", checked.line().replace("##[", "# #[")));
    }
    out
}

fn line(command: &str, region: Option<&Region>, title: &str, message: &str) -> String {
    let mut properties = Vec::new();
    // A formula and standard input are no files of the repository: the place is a part of the message.
    let elsewhere = region.filter(|region| !region.is_in_file()).map(|region| format!("{}: ", region.place()));
    let message = format!("{}{message}", elsewhere.unwrap_or_default());
    if let Some(region) = region.filter(|region| region.is_in_file()) {
        properties.push(format!("file={}", property(&region.file)));
        properties.push(format!("line={}", region.line));
        // Columns of an annotation lie on one line.
        if region.end.line == region.line {
            properties.push(format!("endLine={}", region.line));
            properties.push(format!("col={}", region.column));
            if region.end.column > region.column {
                properties.push(format!("endColumn={}", region.end.column));
            }
        } else {
            properties.push(format!("endLine={}", region.end.line));
        }
    }
    properties.push(format!("title={}", property(title)));
    format!("::{command} {}::{}\n", properties.join(","), data(&visible(&message)))
}

/// The message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::formats::Told;

    #[test]
    fn text_cannot_end_a_command() {
        let region = Region {
            file: "a,b:c%\n.pml".into(),
            line: 3,
            column: 2,
            end: super::super::told::Position { line: 3, column: 5 },
        };
        assert_eq!(
            line("error", Some(&region), "pv: assertion", "100%\r\n::warning::x"),
            "::error file=a%2Cb%3Ac%25%0A.pml,line=3,endLine=3,col=2,endColumn=5,title=pv%3A assertion::100%25\\x0d%0A::warning::x\n"
        );
    }

    #[test]
    fn a_formula_is_no_file() {
        let end = super::super::told::Position { line: 1, column: 5 };
        let region = Region { file: "<formula>".into(), line: 1, column: 4, end };
        assert_eq!(line("error", Some(&region), "pv", "no"), "::error title=pv::<formula>:1:4: no\n");
    }

    #[test]
    fn a_name_is_no_command() {
        let checked = Checked::not_checked("::error::x\n##[set]", 2, vec![Told::error("no\nmodel")]);
        let text = render(&[checked]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, ["::error title=pv::no%0Amodel", "pv: ::error::x # #[set]: not checked: no model"]);
    }
}
