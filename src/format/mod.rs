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
        .filter_map(|(range, kind, text)| {
            let same = theirs.next().is_some_and(|(_, other_kind, other)| {
                kind == other_kind
                    && match kind {
                        // Comments may be indented anew.
                        RawKind::Comment | RawKind::LineComment => text.split_whitespace().eq(other.split_whitespace()),
                        _ => text == other,
                    }
            });
            (!same).then_some(range)
        })
        .fuse();
    differing.next().or_else(|| theirs.next().map(|_| end..end))
}

/// The raw tokens that are more than blank.
fn significant(text: &str) -> impl Iterator<Item = (Range<u32>, RawKind, &str)> {
    lex(text).into_iter().filter_map(|raw| {
        let blank = matches!(raw.kind, RawKind::Blank | RawKind::Newline | RawKind::Continuation)
            || (raw.start == 0 && text.starts_with('\u{feff}'));
        (!blank).then(|| (raw.start..raw.end, raw.kind, &text[raw.start as usize..raw.end as usize]))
    })
}
