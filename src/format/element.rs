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
    /// The lines that `#if 0` takes out: any text, copied.
    Skipped,
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
    pub(crate) fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::Block | Kind::Line)
    }

    /// The token's text; nothing for comments and directives.
    pub(crate) fn code(&self) -> Option<&str> {
        matches!(self.kind, Kind::Code(_) | Kind::Verbatim).then_some(self.text)
    }
}

pub(super) fn elements(text: &str) -> Result<Vec<Element<'_>>, FormatError> {
    let raws = lex(text);
    let kept = stringifying_macros(text, &raws);
    let slice = |raw: &Raw| &text[raw.start as usize..raw.end as usize];
    let mut elements: Vec<Element> = Vec::with_capacity(raws.len() / 2);
    let (mut newlines, mut space, mut line_start) = (0, false, true);
    // `#if`s around the place, of whatever condition.
    let mut conditions = 0usize;
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
            // In a branch that is not taken an apostrophe is an apostrophe. Which one that is depends on the macros, and a
            // branch that is taken was refused by the parser before.
            RawKind::OpenQuote if conditions > 0 => {
                index = end_of_line(&raws, index);
                end = raws[index - 1].end;
                Kind::Line
            }
            RawKind::OpenQuote => return Err(refuse(raw, "this quote is never closed")),
            RawKind::Hash if line_start => {
                let word = directive_word(text, &raws, index);
                conditions += usize::from(word.starts_with("if"));
                conditions -= usize::from(word == "endif").min(conditions);
                index = end_of_line(&raws, index);
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
        let element = &text[raw.start as usize..end as usize];
        elements.push(Element { kind, text: element, newlines, space });
        (newlines, space) = (0, false);
        if kind == Kind::Directive && takes_out(element) && index < raws.len() {
            // The line end behind the directive, then all up to the directive that ends the branch.
            let behind = end_of_branch(text, &raws, index + 1);
            let skipped =
                text[raws[index].end as usize..].get(..(start_of(&raws, behind, text) - raws[index].end) as usize);
            if let Some(skipped) = skipped.filter(|skipped| !skipped.trim().is_empty()) {
                elements.push(Element { kind: Kind::Skipped, text: skipped, newlines: 1, space: true });
            }
            (index, newlines, space, line_start) = (behind, 1, true, true);
        }
    }
    Ok(elements)
}

/// The index of the line end behind a token, or behind all.
fn end_of_line(raws: &[Raw], index: usize) -> usize {
    raws[index..].iter().position(|raw| raw.kind == RawKind::Newline).map_or(raws.len(), |length| index + length)
}

/// Where a token starts; the end of the text behind the last.
fn start_of(raws: &[Raw], index: usize, text: &str) -> u32 {
    raws.get(index).map_or(text.len() as u32, |raw| raw.start)
}

/// The word behind the `#` of a directive.
fn directive_word<'t>(text: &'t str, raws: &[Raw], behind_hash: usize) -> &'t str {
    let blank = |raw: &&Raw| matches!(raw.kind, RawKind::Blank | RawKind::Comment | RawKind::Continuation);
    match raws[behind_hash..].iter().find(|raw| !blank(raw)) {
        Some(raw) if raw.kind == RawKind::Word => &text[raw.start as usize..raw.end as usize],
        _ => "",
    }
}

/// `#if 0`, whatever the macros are.
fn takes_out(directive: &str) -> bool {
    let mut words = directive[1..].split_whitespace();
    let is_comment = |word: &str| word.starts_with("//") || word.starts_with("/*");
    words.next() == Some("if") && words.next() == Some("0") && words.next().is_none_or(is_comment)
}

/// The index of the first token of the line with the `#else`, `#elif` or `#endif` that ends the branch that starts at a
/// token, or behind all.
fn end_of_branch(text: &str, raws: &[Raw], from: usize) -> usize {
    let (mut depth, mut line, mut line_start) = (0usize, from, true);
    for (index, raw) in raws.iter().enumerate().skip(from) {
        match raw.kind {
            RawKind::Newline => (line, line_start) = (index + 1, true),
            RawKind::Blank | RawKind::Comment | RawKind::Continuation => {}
            RawKind::Hash if line_start => {
                line_start = false;
                match directive_word(text, raws, index + 1) {
                    "if" | "ifdef" | "ifndef" => depth += 1,
                    "endif" if depth > 0 => depth -= 1,
                    "endif" | "else" | "elif" if depth == 0 => return line,
                    _ => {}
                }
            }
            _ => line_start = false,
        }
    }
    raws.len()
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
