//! The text cut into what the layout moves about: code tokens, comments, directives with all their lines, and
//! stretches that must stay as they are.
//!
//! Kept as they are: embedded C, and calls of the file's own macros if one of them turns arguments into strings
//! (the blanks between the tokens of an argument are then part of the model).

use super::FormatError;
use crate::source::lexer::{Raw, RawKind, lex};
use std::collections::HashSet;

/// What an element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// One token.
    Code(RawKind),
    /// Text to be copied.
    Verbatim,
    /// `/* … */`.
    Block,
    /// `// …`.
    Line,
    /// `# …` with its continued lines.
    Directive,
}

/// An element and what stood in front of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element<'t> {
    pub kind: Kind,
    pub text: &'t str,
    /// Line ends since the element before.
    pub newlines: u32,
    /// Blanks or line ends in front of it.
    pub space: bool,
}

impl Element<'_> {
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::Block | Kind::Line)
    }

    /// The token's text; nothing for comments and directives.
    pub fn code(&self) -> Option<&str> {
        matches!(self.kind, Kind::Code(_) | Kind::Verbatim).then_some(self.text)
    }
}

pub(super) fn elements(text: &str) -> Result<Vec<Element<'_>>, FormatError> {
    let raws = lex(text);
    let kept = stringifying_macros(text, &raws);
    let slice = |raw: &Raw| &text[raw.start as usize..raw.end as usize];
    let mut elements: Vec<Element> = Vec::with_capacity(raws.len() / 2);
    let (mut newlines, mut space, mut line_start) = (0, false, true);
    let mut index = 0;
    while let Some(raw) = raws.get(index) {
        index += 1;
        let mut end = raw.end;
        let kind = match raw.kind {
            RawKind::Newline => {
                (newlines, space, line_start) = (newlines + 1, true, true);
                continue;
            }
            RawKind::Blank => {
                space = true;
                continue;
            }
            RawKind::Continuation => {
                let wordlike =
                    |raw: Option<&Raw>| raw.is_some_and(|r| matches!(r.kind, RawKind::Word | RawKind::Number));
                if index >= 2 && wordlike(raws.get(index - 2)) && wordlike(raws.get(index)) {
                    return Err(refuse(raw, "a word goes on behind the end of this line"));
                }
                (newlines, space) = (newlines + 1, true);
                continue;
            }
            RawKind::Stray if raw.start == 0 && slice(raw) == "\u{feff}" => continue,
            RawKind::Comment => Kind::Block,
            RawKind::LineComment => Kind::Line,
            RawKind::OpenComment => return Err(refuse(raw, "this comment is never closed")),
            RawKind::OpenQuote => return Err(refuse(raw, "this quote is never closed")),
            RawKind::Hash if line_start => {
                let length = raws[index..].iter().position(|raw| raw.kind == RawKind::Newline);
                index = length.map_or(raws.len(), |length| index + length);
                end = raws[index - 1].end;
                // A comment at the end of the line that goes on for more lines is a part of it, too.
                Kind::Directive
            }
            RawKind::Word if matches!(slice(raw), "c_code" | "c_expr" | "c_decl") => match embedded(text, &raws, index)
            {
                Some(behind) => {
                    index = behind;
                    end = raws[index - 1].end;
                    Kind::Verbatim
                }
                None => Kind::Code(raw.kind),
            },
            RawKind::Word if kept.contains(slice(raw)) => match closing(text, &raws, index, "(", ")") {
                Some(behind) => {
                    index = behind;
                    end = raws[index - 1].end;
                    Kind::Verbatim
                }
                None => Kind::Code(raw.kind),
            },
            kind => Kind::Code(kind),
        };
        if !matches!(kind, Kind::Block) {
            line_start = false;
        }
        let text = &text[raw.start as usize..end as usize];
        elements.push(Element { kind, text, newlines, space });
        (newlines, space) = (0, false);
    }
    Ok(elements)
}

fn refuse(raw: &Raw, message: &str) -> FormatError {
    let end = raw.end.min(raw.start + 2);
    FormatError { message: message.into(), range: raw.start..end }
}

/// Behind `[ … ] { … }` or `{ … }`, from a place on.
fn embedded(text: &str, raws: &[Raw], index: usize) -> Option<usize> {
    let behind = closing(text, raws, index, "[", "]").unwrap_or(index);
    closing(text, raws, behind, "{", "}")
}

/// The index behind the bracket that closes the one that comes next. Gives up at a directive: it may be a branch of
/// a condition, and then the brackets do not pair.
fn closing(text: &str, raws: &[Raw], index: usize, open: &str, close: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut line_start = false;
    for (offset, raw) in raws[index..].iter().enumerate() {
        let slice = &text[raw.start as usize..raw.end as usize];
        match raw.kind {
            RawKind::Newline => {
                line_start = true;
                continue;
            }
            RawKind::Blank | RawKind::Comment | RawKind::LineComment | RawKind::Continuation => continue,
            RawKind::Hash if line_start && open == "(" => return None,
            RawKind::OpenComment | RawKind::OpenQuote => return None,
            RawKind::Operator if slice == open => depth += 1,
            RawKind::Operator if slice == close && depth == 1 => return Some(index + offset + 1),
            RawKind::Operator if slice == close => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
        line_start = false;
    }
    None
}

/// The function-like macros of the file, if one of them has `#` in its body; else none.
fn stringifying_macros<'t>(text: &'t str, raws: &[Raw]) -> HashSet<&'t str> {
    let mut names = HashSet::new();
    let mut any = false;
    let slice = |raw: &Raw| &text[raw.start as usize..raw.end as usize];
    for line in raws.split(|raw| raw.kind == RawKind::Newline) {
        let mut line = line.iter().filter(|raw| !matches!(raw.kind, RawKind::Blank | RawKind::Comment));
        let is_define = line.next().is_some_and(|raw| raw.kind == RawKind::Hash)
            && line.next().is_some_and(|raw| slice(raw) == "define");
        if let (true, Some(name), Some(open)) = (is_define, line.next(), line.next())
            && slice(open) == "("
            && open.start == name.end
        {
            names.insert(slice(name));
            any |= line.any(|raw| raw.kind == RawKind::Hash);
        }
    }
    if any { names } else { HashSet::new() }
}
