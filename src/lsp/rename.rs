//! Renaming, with proof: the edits are made on a copy, the copy is read, and the new name is taken only if every name of the model
//! stands for what it stood for before, at the same number of places, and no new error is there. So a name that would be captured, that
//! collides, or that a macro takes apart is refused with the reason and never half renamed.

use super::analysis::Analysis;
use super::position::Lines;
use crate::names::Kind;
use crate::source::Span;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::lexer::{RawKind, lex};
use crate::syntax::token::KEYWORDS;
use lsp_types as types;

/// The name at a byte of the document, if it is one that can be renamed.
pub(super) fn prepare(analysis: &Analysis, offset: u32) -> Result<Span, String> {
    let text = analysis.text();
    let raw = lex(text)
        .into_iter()
        .find(|raw| raw.kind == RawKind::Word && raw.start <= offset && offset <= raw.end)
        .ok_or("there is no name here")?;
    let word = &text[raw.start as usize..raw.end as usize];
    if KEYWORDS.contains(&word) {
        return Err(format!("`{word}` is a word of the language"));
    }
    let is_known = !analysis.names.written_at(analysis.file, raw.start).is_empty()
        || !analysis.expansions_at(raw.start).is_empty();
    if !is_known {
        return Err(format!("`{word}` is not a name that the model declares and uses"));
    }
    Ok(Span { file: analysis.file, start: raw.start, end: raw.end, ..Span::default() })
}

/// The edits that rename what stands at a byte.
pub(super) fn rename(analysis: &Analysis, offset: u32, new: &str) -> Result<Vec<types::TextEdit>, String> {
    let span = prepare(analysis, offset)?;
    let text = analysis.text();
    let old = &text[span.start as usize..span.end as usize];
    is_name(new)?;
    let symbols = analysis.names.written_at(analysis.file, span.start);
    let mut places = match symbols[..] {
        // A macro or inline: whatever is called so.
        [] => words(text, old),
        [symbol] => written(analysis, symbol, old)?,
        _ => return Err(format!("`{old}` stands for several things here, since the text is expanded several times")),
    };
    places.sort_unstable();
    places.dedup();
    let mut renamed = text.to_owned();
    for &start in places.iter().rev() {
        renamed.replace_range(start as usize..start as usize + old.len(), new);
    }
    proves(analysis, &renamed, old, new)?;
    let lines = Lines::of(text);
    let edit =
        |start| types::TextEdit { range: lines.range(start, start + old.len() as u32), new_text: new.to_owned() };
    Ok(places.into_iter().map(edit).collect())
}

fn is_name(new: &str) -> Result<(), String> {
    let [raw] = lex(new)[..] else { return Err(format!("`{new}` is not a name")) };
    if raw.kind != RawKind::Word {
        return Err(format!("`{new}` is not a name"));
    }
    if KEYWORDS.contains(&new) {
        return Err(format!("`{new}` is a word of the language"));
    }
    Ok(())
}

fn words(text: &str, word: &str) -> Vec<u32> {
    let is_word = |raw: &crate::source::lexer::Raw| {
        raw.kind == RawKind::Word && &text[raw.start as usize..raw.end as usize] == word
    };
    lex(text).into_iter().filter(is_word).map(|raw| raw.start).collect()
}

/// Where the name of a symbol is written. All of it has to stand in the document, letter by letter.
fn written(analysis: &Analysis, symbol: usize, old: &str) -> Result<Vec<u32>, String> {
    let declared = analysis.names.symbols[symbol].span;
    let spans: Vec<Span> =
        std::iter::once(declared).chain(analysis.names.uses_of(symbol).map(|used| used.span)).collect();
    for span in &spans {
        let file = analysis.map.file(span.file);
        if span.file != analysis.file {
            return Err(format!("`{old}` also stands in {}, which is not the open document", file.name));
        }
        if file.text.get(span.start as usize..span.end as usize) != Some(old) {
            let (line, _) = file.line_column(span.start);
            return Err(format!("a macro makes the name `{old}` out of the text in line {line}"));
        }
    }
    let places: Vec<u32> = spans.iter().map(|span| span.start).collect();
    // Text that is not part of the model now may be so with another `-D`, or when an inline is called.
    let known = |start: &u32| {
        places.contains(start)
            || analysis.names.symbols.iter().any(|other| other.span.file == analysis.file && other.span.start == *start)
            || analysis.names.uses.iter().any(|used| used.span.file == analysis.file && used.span.start == *start)
    };
    if let Some(start) = words(analysis.text(), old).iter().find(|start| !known(start)) {
        let (line, _) = analysis.map.file(analysis.file).line_column(*start);
        return Err(format!("`{old}` also stands in line {line}, in text that is not part of the model now"));
    }
    Ok(places)
}

/// Whether the renamed text means the same.
fn proves(analysis: &Analysis, renamed: &str, old: &str, new: &str) -> Result<(), String> {
    if shape(analysis) == shape(&Analysis::of(&analysis.uri, renamed)) {
        return Ok(());
    }
    Err(match words(analysis.text(), new)[..] {
        [] => format!("with `{new}` for `{old}` the model would mean something else"),
        _ => format!("`{new}` is taken: with it for `{old}` the model would mean something else"),
    })
}

/// Everything that a new name must not change: what is declared, what each use stands for, how many errors there are.
fn shape(analysis: &Analysis) -> (Vec<Kind>, Vec<usize>, usize, usize) {
    let symbols = analysis.names.symbols.iter().map(|symbol| symbol.kind).collect();
    let uses = analysis.names.uses.iter().map(|used| used.symbol).collect();
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    (symbols, uses, analysis.map.expansions().len(), analysis.diagnostics.iter().filter(is_error).count())
}
