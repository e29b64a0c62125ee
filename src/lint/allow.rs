//! Comments that silence warnings: `/* pv: allow(CODE) */` or `// pv: allow(CODE, CODE)`.
//!
//! A comment behind something holds for its line; a comment on a line of its own holds for the next line. Errors cannot be
//! silenced, and a code that does not exist or a parenthesis that is not closed is a warning: a comment that does nothing would be believed.

use crate::source::code::Code;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::lexer::{RawKind, lex};
use crate::source::suggest::suggest;
use crate::source::{FileId, SourceMap, Span};
use std::collections::HashSet;

/// How such a comment is written; blanks may be left out, and more may stand there.
const WORD: &str = "pv: allow(";

/// How such a comment begins at the least.
const FIRST: &str = "pv:";

/// What the comments of all files silence.
#[derive(Default)]
pub struct Allowed {
    lines: HashSet<(FileId, u32, Code)>,
    /// Warnings of codes that do not exist, and of comments without their end.
    pub unknown: Vec<Diagnostic>,
}

impl Allowed {
    /// Reads the comments of all files.
    pub fn of(map: &SourceMap) -> Allowed {
        let mut allowed = Allowed::default();
        for (file, number) in map.files().iter().zip(0..) {
            if file.text.contains(FIRST) {
                allowed.file(map, FileId(number));
            }
        }
        allowed
    }

    /// Whether a comment silences this.
    pub fn silences(&self, map: &SourceMap, diagnostic: &Diagnostic) -> bool {
        let Some(code) = diagnostic.code.filter(|_| diagnostic.severity == Severity::Warning) else { return false };
        let site = map.use_site(diagnostic.primary.span);
        let Some(file) = map.files().get(site.file.0 as usize) else { return false };
        self.lines.contains(&(site.file, file.line_column(site.start).0, code))
    }

    fn file(&mut self, map: &SourceMap, id: FileId) {
        let file = map.file(id);
        // Whether the line so far has something on it beside blanks and comments.
        let mut occupied = false;
        for raw in lex(&file.text) {
            match raw.kind {
                RawKind::Newline => occupied = false,
                RawKind::Blank | RawKind::Continuation => {}
                RawKind::Comment | RawKind::LineComment => {
                    let text = &file.text[raw.start as usize..raw.end as usize];
                    let (line, _) = file.line_column(raw.end.saturating_sub(1));
                    let behind = file.text[raw.end as usize..].lines().next().unwrap_or_default();
                    let alone = !occupied && behind.trim().is_empty();
                    self.comment(id, raw.start, text, line + u32::from(alone));
                }
                _ => occupied = true,
            }
        }
    }

    fn comment(&mut self, file: FileId, start: u32, text: &str, line: u32) {
        for (at, _) in text.match_indices(FIRST) {
            let behind = text[at + FIRST.len()..].trim_start().strip_prefix("allow").map(str::trim_start);
            // Other comments may speak of pv, too.
            let Some(inside) = behind.and_then(|behind| behind.strip_prefix('(')) else { continue };
            let Some(end) = inside.find(')') else {
                self.unknown.push(unclosed(file, start + at as u32));
                continue;
            };
            if inside[..end].split(',').all(|word| word.trim().is_empty()) {
                let warning = useless(file, start + at as u32, "a comment that names no code".into());
                self.unknown.push(warning.with_help("write the code between the parentheses; `pv explain` lists all"));
            }
            for word in inside[..end].split(',').map(str::trim).filter(|word| !word.is_empty()) {
                match Code::named(word) {
                    Some(code) => {
                        self.lines.insert((file, line, code));
                    }
                    None => self.unknown.push(unknown(file, start + at as u32, word)),
                }
            }
        }
    }
}

/// The warning of a comment that silences nothing.
fn useless(file: FileId, start: u32, message: String) -> Diagnostic {
    let span = Span { file, start, end: start + FIRST.len() as u32, ..Span::default() };
    Diagnostic::warning(message, span, "silences nothing").with_code(Code::UnknownCode)
}

fn unclosed(file: FileId, start: u32) -> Diagnostic {
    useless(file, start, format!("`{WORD}` has no `)`")).with_help("close the parenthesis behind the code")
}

fn unknown(file: FileId, start: u32, word: &str) -> Diagnostic {
    let warning = useless(file, start, format!("there is no code `{word}`"));
    match suggest(word, Code::ALL.iter().map(|code| code.text())) {
        Some(near) => warning.with_help(format!("did you mean `{near}`?")),
        None => warning.with_help("`pv explain` lists all codes"),
    }
}
