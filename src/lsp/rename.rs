//! Renaming, with proof: the edits are made on a copy, the copy is read, and the new name is taken only if the preprocessor makes the
//! same tokens of it but for the name, every name of the model stands for what it stood for before, at the same number of places, a label
//! means what it meant, and no new error is there. Names that directives decide by are not taken at all, since the copy is read
//! without the `-D` that others may give. So a name that would be captured, that
//! collides, or that a macro takes apart is refused with the reason and never half renamed.

use super::analysis::{Analysis, expanded};
use super::definitions::{Parameter, parameter_at, written as text_at};
use super::position::Lines;
use crate::names::Kind;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::lexer::{PpToken, Raw, RawKind, lex};
use crate::source::{SourceFile, Span};
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
    let is_known = parameter_at(text, raw.start).is_some()
        || !analysis.names.written_at(analysis.file, raw.start).is_empty()
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
    if let Some(parameter) = parameter_at(text, span.start) {
        return rename_parameter(analysis, &parameter, new);
    }
    let symbols = analysis.names.written_at(analysis.file, span.start);
    let mut places = match symbols[..] {
        // A macro or inline: whatever is called so.
        [] => everywhere(analysis, old)?,
        [symbol] => written(analysis, symbol, old)?,
        _ => return Err(format!("`{old}` stands for several things here, since the text is expanded several times")),
    };
    places.sort_unstable();
    places.dedup();
    if let [symbol] = symbols[..] {
        keeps_class(analysis, symbol, new)?;
    }
    is_free(analysis, new, symbols.is_empty())?;
    edits(analysis, &places, old, new)
}

/// The edits at these places, which are in order, if the text means the same with them.
fn edits(analysis: &Analysis, places: &[u32], old: &str, new: &str) -> Result<Vec<types::TextEdit>, String> {
    let text = analysis.text();
    let mut renamed = text.to_owned();
    for &start in places.iter().rev() {
        renamed.replace_range(start as usize..start as usize + old.len(), new);
    }
    proves(analysis, &renamed, old, new)?;
    let lines = Lines::of(text);
    let edit =
        |&start| types::TextEdit { range: lines.range(start, start + old.len() as u32), new_text: new.to_owned() };
    Ok(places.iter().map(edit).collect())
}

/// A parameter of a macro or inline: every word of that name in the definition. A definition that nothing uses shows nothing to the proof.
fn rename_parameter(analysis: &Analysis, parameter: &Parameter, new: &str) -> Result<Vec<types::TextEdit>, String> {
    let text = analysis.text();
    let (of, old) = (&parameter.of, text_at(text, &parameter.declared));
    let (word, name) = (of.word(), text_at(text, &of.name));
    if of.has_word(text, new) || name == new {
        return Err(format!("`{new}` is taken: it stands in the {word} `{name}`"));
    }
    let used = |definition: Span| definition.file == analysis.file && definition.start == of.name.start;
    if !analysis.map.expansions().iter().any(|expansion| used(expansion.definition)) {
        return Err(format!("nothing uses the {word} `{name}`, so nothing would show whether it means the same"));
    }
    is_free(analysis, new, false)?;
    let mut places: Vec<u32> = parameter.uses.iter().chain([&parameter.declared]).map(|at| at.start).collect();
    places.sort_unstable();
    edits(analysis, &places, old, new)
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

/// Where a macro or inline is written. A part that names it, too, would be left behind.
fn everywhere(analysis: &Analysis, old: &str) -> Result<Vec<u32>, String> {
    let document = analysis.map.file(analysis.file);
    let other = |file: &&SourceFile| !std::ptr::eq(*file, document) && !words(&file.text, old).is_empty();
    match analysis.map.files().iter().find(other) {
        Some(file) => Err(format!("`{old}` also stands in {}, which is not the open document", file.name)),
        None => Ok(words(&document.text, old)),
    }
}

/// A label is an end, progress or accept label by the first letters of its name, and it has to stay what it is.
fn keeps_class(analysis: &Analysis, symbol: usize, new: &str) -> Result<(), String> {
    let symbol = &analysis.names.symbols[symbol];
    let class = |name: &str| match name {
        _ if name.starts_with("end") => "an end label",
        _ if name.starts_with("progress") => "a progress label",
        _ if name.starts_with("accept") => "an accept label",
        _ => "a plain label",
    };
    let (is, would) = (class(&symbol.name), class(new));
    if symbol.kind != Kind::Label || is == would {
        return Ok(());
    }
    Err(format!("`{}` is {is} by its name, and `{new}` would be {would}", symbol.name))
}

/// Whether no directive of any file decides by the new name; for a macro, whether none names it at all.
fn is_free(analysis: &Analysis, new: &str, is_macro: bool) -> Result<(), String> {
    for file in analysis.map.files() {
        if let Some(start) = named_by_directive(&file.text, new, is_macro) {
            let (line, _) = file.line_column(start);
            let place = if std::ptr::eq(file, analysis.map.file(analysis.file)) {
                format!("in line {line}")
            } else {
                format!("in line {line} of {}", file.name)
            };
            return Err(format!("`{new}` is taken: `{new}` is named by a directive {place}"));
        }
    }
    Ok(())
}

/// Where a directive names a word. Without `anywhere` the body and the parameters of a `#define` do not count.
fn named_by_directive(text: &str, word: &str, anywhere: bool) -> Option<u32> {
    let written = |raw: &Raw| &text[raw.start as usize..raw.end as usize];
    let is_blank = |raw: &Raw| {
        matches!(raw.kind, RawKind::Blank | RawKind::Continuation | RawKind::Comment | RawKind::LineComment)
    };
    let all = lex(text);
    for line in all.split(|raw| raw.kind == RawKind::Newline) {
        let mut tokens = line.iter().filter(|raw| !is_blank(raw));
        if tokens.next().map(written) != Some("#") {
            continue;
        }
        let counted = match tokens.next().map(written) {
            Some("define") if !anywhere => 1,
            _ => usize::MAX,
        };
        if let Some(raw) = tokens.take(counted).find(|raw| written(raw) == word) {
            return Some(raw.start);
        }
    }
    None
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
    let (uri, settings) = (&analysis.uri, &analysis.settings);
    let tokens = |text: &str| expanded(uri, text, settings);
    let same_tokens = || same(&tokens(analysis.text()), &tokens(renamed), old, new);
    if shape(analysis) == shape(&Analysis::of(uri, renamed, settings)) && same_tokens() {
        return Ok(());
    }
    Err(match words(analysis.text(), new)[..] {
        [] => format!("with `{new}` for `{old}` the model would mean something else"),
        _ => format!("`{new}` is taken: with it for `{old}` the model would mean something else"),
    })
}

/// Whether two texts have the same tokens, where the new name may stand for the old one.
fn same(before: &[PpToken], after: &[PpToken], old: &str, new: &str) -> bool {
    let fits = |(a, b): (&PpToken, &PpToken)| {
        a.kind == b.kind && (a.text == b.text || (a.kind == RawKind::Word && *a.text == *old && *b.text == *new))
    };
    before.len() == after.len() && before.iter().zip(after).all(fits)
}

/// Everything that a new name must not change: what is declared, what each use stands for, how many errors there are.
fn shape(analysis: &Analysis) -> (Vec<Kind>, Vec<usize>, usize, usize) {
    let symbols = analysis.names.symbols.iter().map(|symbol| symbol.kind).collect();
    let uses = analysis.names.uses.iter().map(|used| used.symbol).collect();
    let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
    (symbols, uses, analysis.map.expansions().len(), analysis.diagnostics.iter().filter(is_error).count())
}
