//! What is wrong with a model, and how it is shown.

use super::Span;
use super::code::Code;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The model can still be run.
    Warning,
    /// It cannot.
    Error,
}

/// A place with a word about it.
#[derive(Clone, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be said about it.
    pub message: String,
}

/// One error or warning.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// What kind of fault it is; the front end gives every diagnostic one.
    pub code: Option<Code>,
    /// One line: what is wrong.
    pub message: String,
    /// Where, and what was expected there.
    pub primary: Label,
    /// Other places that matter (a first definition, a macro).
    pub secondary: Vec<Label>,
    /// Notes without a place.
    pub notes: Vec<String>,
    /// What to write instead.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place; `label` stands beside the underlined text.
    pub fn error(message: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: None,
            message: clipped(message.into()),
            primary: Label { span, message: clipped(label.into()) },
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(message: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(message, span, label) }
    }

    /// Says what kind of fault it is.
    pub fn with_code(mut self, code: Code) -> Diagnostic {
        self.code = Some(code);
        self
    }

    /// Adds a second place.
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, message: clipped(message.into()) });
        self
    }

    /// Adds a note.
    pub fn with_note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Says what to write instead.
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(clipped(help.into()));
        self
    }
}

/// Letters of a message. A name of the model may be as long as a file; nobody reads it twice.
const LONGEST: usize = 600;

fn clipped(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}
