//! Diagnostics and messages as plain data with their places: what standard error says, for formats that other programs read.

use crate::source::code::Code;
use crate::source::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{SourceMap, Span};
use serde::Serialize;

/// A place in a file. Lines and columns count from 1, columns in characters; the end is one past the last character.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    /// The file as it is shown.
    pub file: String,
    /// The first line.
    pub line: u32,
    /// The first column.
    pub column: u32,
    /// Where it ends.
    pub end: Position,
}

/// A line and a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl Region {
    /// Does the place lie in a file that others can open, too? A formula and standard input have no address.
    pub(crate) fn is_in_file(&self) -> bool {
        !["<stdin>", "<formula>", "<expression>", "<command line>", "<built-in>"].contains(&&*self.file)
    }

    /// `<formula>:1:4`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    /// The place that the user wrote; `None` for text that stands in no file.
    pub(crate) fn of(map: &SourceMap, span: Span) -> Option<Region> {
        let site = map.use_site(span);
        let file = map.files().get(site.file.0 as usize)?;
        let (line, column) = file.line_column(site.start);
        let (end_line, end_column) = file.line_column(site.end.max(site.start));
        let end = Position { line: end_line, column: end_column };
        Some(Region { file: file.name.clone(), line, column, end })
    }
}

/// An error or a warning, with its place if it has one.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Told {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Position>,
    severity: &'static str,
    /// Its kind, for `pv explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// What is wrong, in a line.
    pub message: String,
    /// What stands beside the underlined place.
    #[serde(skip_serializing_if = "String::is_empty")]
    label: String,
    /// Other places that matter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// Another place, and what is to be said about it.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Related {
    file: String,
    line: u32,
    column: u32,
    end: Position,
    message: String,
}

impl Told {
    /// An error without a place.
    pub(crate) fn error(message: &str) -> Told {
        Told {
            file: None,
            line: None,
            column: None,
            end: None,
            severity: "error",
            code: None,
            message: message.into(),
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning without a place.
    pub(crate) fn warning(message: &str) -> Told {
        Told { severity: "warning", ..Told::error(message) }
    }

    /// Diagnostics in the order of the text.
    pub(crate) fn all(map: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<Told> {
        let mut order: Vec<&Diagnostic> = diagnostics.iter().collect();
        order.sort_by_key(|diagnostic| {
            let site = map.use_site(diagnostic.primary.span);
            (site.file, site.start)
        });
        order.into_iter().map(|diagnostic| Told::of(map, diagnostic)).collect()
    }

    fn of(map: &SourceMap, diagnostic: &Diagnostic) -> Told {
        let plain = match diagnostic.severity {
            Severity::Error => Told::error(&diagnostic.message),
            Severity::Warning => Told::warning(&diagnostic.message),
        };
        let region = Region::of(map, diagnostic.primary.span);
        let related = |label: &Label| {
            let region = Region::of(map, label.span)?;
            let Region { file, line, column, end } = region;
            Some(Related { file, line, column, end, message: label.message.clone() })
        };
        Told {
            line: region.as_ref().map(|region| region.line),
            column: region.as_ref().map(|region| region.column),
            end: region.as_ref().map(|region| region.end),
            file: region.map(|region| region.file),
            code: diagnostic.code.map(Code::text),
            label: diagnostic.primary.message.clone(),
            related: diagnostic.secondary.iter().filter_map(related).collect(),
            notes: diagnostic.notes.clone(),
            help: diagnostic.help.clone(),
            ..plain
        }
    }

    /// It is an error, not a warning.
    pub(crate) fn is_error(&self) -> bool {
        self.severity == "error"
    }

    /// Its place.
    pub(crate) fn region(&self) -> Option<Region> {
        Some(Region { file: self.file.clone()?, line: self.line?, column: self.column?, end: self.end? })
    }

    /// The message with all that belongs to it, in lines.
    pub(crate) fn text(&self) -> String {
        let mut text = self.message.clone();
        // A label that repeats what the message says is for the line that is shown with it.
        if !self.message.contains(&self.label) {
            text.push_str(": ");
            text.push_str(&self.label);
        }
        for related in &self.related {
            text.push_str(&format!("\n{}:{}:{}: {}", related.file, related.line, related.column, related.message));
        }
        for note in &self.notes {
            text.push_str(&format!("\nnote: {note}"));
        }
        if let Some(help) = &self.help {
            text.push_str(&format!("\nhelp: {help}"));
        }
        text
    }
}
