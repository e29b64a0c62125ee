//! Tokens as the preprocessor handles them: small, copied freely, their texts interned once per run.
//!
//! A file is turned into these once, when it is first entered. Blanks and comments vanish here (what is left of
//! them is a flag on the next token), and so do line ends: a token knows whether it is the first of its line,
//! which is all that directives need.

use crate::source::diagnostic::Diagnostic;
use crate::source::lexer::{RawKind, lex};
use crate::source::{ExpansionId, FileId, SlotId, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// An interned text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Symbol(pub u32);

/// One preprocessing token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: RawKind,
    pub symbol: Symbol,
    pub span: Span,
    /// The parameter that it was put in for, if it came out of an argument.
    pub slot: SlotId,
    /// Blank, comment or line end in front of it.
    pub space: bool,
    /// First of its line.
    pub starts_line: bool,
    /// A macro's name met inside its own expansion: never to be expanded again.
    pub painted: bool,
    /// A word glued to a number and `..`, which `cpp` takes for a part of the number.
    pub glued: bool,
}

/// Every text once.
#[derive(Default)]
pub(super) struct Interner {
    numbers: HashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Interner {
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.numbers.get(text) {
            return symbol;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, symbol);
        symbol
    }

    pub(crate) fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}

/// The tokens of a file. A comment that is not closed is reported.
pub(super) fn tokenize(
    file: FileId,
    text: &str,
    interner: &mut Interner,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let raws = lex(text);
    let mut tokens: Vec<Token> = Vec::with_capacity(raws.len() / 2);
    let mut space = false;
    let mut starts_line = true;
    for (index, raw) in raws.iter().enumerate() {
        let slice = &text[raw.start as usize..raw.end as usize];
        let span = Span { file, start: raw.start, end: raw.end, expansion: ExpansionId::NONE };
        match raw.kind {
            RawKind::Blank | RawKind::Comment | RawKind::LineComment => space = true,
            RawKind::Newline => {
                space = true;
                starts_line = true;
            }
            RawKind::Continuation => {}
            RawKind::OpenComment => {
                let start = Span { end: raw.start + 2, ..span };
                diagnostics.push(
                    Diagnostic::error("this comment is never closed", start, "no `*/` behind it")
                        .with_help("close it with `*/`"),
                );
            }
            // A byte order mark says nothing.
            RawKind::Stray if raw.start == 0 && slice == "\u{feff}" => {}
            kind => {
                if let Some(last) = tokens.last_mut()
                    && index >= 2
                    && joins(raws[index - 2].kind, raws[index - 1].kind, kind)
                {
                    let joined = format!("{}{slice}", interner.text(last.symbol));
                    last.symbol = interner.intern(&joined);
                    last.span.end = raw.end;
                    continue;
                }
                let glued = kind == RawKind::Word
                    && index >= 2
                    && raws[index - 2].kind == RawKind::Number
                    && &text[raws[index - 1].start as usize..raws[index - 1].end as usize] == "..";
                let symbol = if kind == RawKind::String && slice.contains('\n') {
                    interner.intern(&without_continuations(slice))
                } else {
                    interner.intern(slice)
                };
                tokens.push(Token {
                    kind,
                    symbol,
                    span,
                    slot: SlotId::NONE,
                    space,
                    starts_line,
                    painted: false,
                    glued,
                });
                space = false;
                starts_line = false;
            }
        }
    }
    tokens
}

/// Whether a word or number goes on behind the end of a continued line.
fn joins(left: RawKind, middle: RawKind, right: RawKind) -> bool {
    let wordlike = |kind| matches!(kind, RawKind::Word | RawKind::Number);
    middle == RawKind::Continuation && wordlike(left) && wordlike(right)
}

/// A text with its continued lines joined.
pub(super) fn without_continuations(text: &str) -> String {
    text.replace("\\\r\n", "").replace("\\\n", "")
}
