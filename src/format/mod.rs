//! `pv fmt`: the same tokens, laid out anew.
//!
//! The formatter works on the raw tokens of the file as it is written: macros are not expanded, comments and
//! directives stay. `element` cuts the text into elements, `layout` decides where lines end and how far they are
//! indented, `spacing` what stands between two tokens of a line, `align` puts comments under each other. Line ends inside a statement are the author's;
//! those between statements are ours. Before the result is given out it is cut into tokens again and compared with
//! the input, so what is printed is always read back to the same model.

mod align;
mod element;
mod layout;
mod spacing;
#[cfg(test)]
mod tests;

use crate::source::lexer::{RawKind, lex};
use std::ops::Range;

/// Why a text could not be formatted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub range: Range<u32>,
}

impl std::fmt::Display for FormatError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FormatError {}

/// The text as clean, stably indented Promela: the same tokens and comments, other blanks and line ends.
pub fn format_source(text: &str) -> Result<String, FormatError> {
    let elements = element::elements(text)?;
    let formatted = layout::Layout::new(text, &elements).run();
    match first_difference(text, &formatted) {
        None => Ok(formatted),
        Some(range) => {
            Err(FormatError { message: "this cannot be laid out without changing its meaning".into(), range })
        }
    }
}

/// Where two texts differ in more than blanks.
fn first_difference(left: &str, right: &str) -> Option<Range<u32>> {
    let mut theirs = significant(right);
    let end = left.len() as u32;
    let mut differing = significant(left)
        .filter_map(|one| {
            let same = theirs.next().is_some_and(|other| {
                one.kind == other.kind
                    && one.begins_directive == other.begins_directive
                    && match one.kind {
                        // Comments may be indented anew.
                        RawKind::Comment | RawKind::LineComment => {
                            one.text.split_whitespace().eq(other.text.split_whitespace())
                        }
                        _ => one.text == other.text,
                    }
            });
            (!same).then_some(one.range)
        })
        .fuse();
    differing.next().or_else(|| theirs.next().map(|_| end..end))
}

/// A raw token that is more than blank.
struct Significant<'t> {
    range: Range<u32>,
    kind: RawKind,
    text: &'t str,
    /// A `#` at the start of a line is a directive; behind other tokens it is a mistake that must not become one.
    begins_directive: bool,
}

/// The raw tokens that are more than blank.
fn significant(text: &str) -> impl Iterator<Item = Significant<'_>> {
    let mut starts_line = true;
    lex(text).into_iter().filter_map(move |raw| {
        let token = &text[raw.start as usize..raw.end as usize];
        let blank = matches!(raw.kind, RawKind::Blank | RawKind::Newline | RawKind::Continuation)
            || (raw.start == 0 && text.starts_with('\u{feff}'));
        let begins_directive = starts_line && token == "#";
        match raw.kind {
            RawKind::Newline => starts_line = true,
            RawKind::Comment | RawKind::LineComment => {}
            _ if blank => {}
            _ => starts_line = false,
        }
        (!blank).then_some(Significant { range: raw.start..raw.end, kind: raw.kind, text: token, begins_directive })
    })
}
