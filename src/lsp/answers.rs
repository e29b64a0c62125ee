//! What the server says about a document: hover, definition, references, symbols, lenses, formatting. Each is a plain function
//! of what is known.

use super::analysis::Analysis;
use super::definitions::{self, Definition, parameter_at, written};
use super::position::Lines;
use crate::format::format_source;
use crate::lint::described;
use crate::names::{Access, Kind, Symbol};
use crate::source::lexer::{RawKind, lex};
use crate::source::{ExpansionKind, Span};
use crate::syntax::tree::Item;
use lsp_types as types;
use serde_json::json;
use std::collections::BTreeSet;

/// The names of the commands behind the lenses.
pub(super) const VERIFY: &str = "pv.verify";
pub(super) const REPLAY: &str = "pv.replay";

/// What stands for the name at a byte.
pub(super) fn hover(analysis: &Analysis, offset: u32) -> Option<types::Hover> {
    let text = match analysis.names.written_at(analysis.file, offset).first() {
        _ if parameter_at(analysis.text(), offset).is_some() => about_parameter(analysis, offset)?,
        Some(&number) => about(analysis, number),
        None => about_macro(analysis, offset)?,
    };
    let contents = types::MarkupContent { kind: types::MarkupKind::Markdown, value: text };
    Some(types::Hover { contents: types::HoverContents::Markup(contents), range: None })
}

fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Global => "global variable",
        Kind::Local => "local variable",
        Kind::Parameter => "parameter",
        Kind::Field => "field",
        Kind::Mtype => "mtype name",
        Kind::Proctype => "process",
        Kind::Typedef => "structure",
        Kind::Label => "label",
        Kind::Property => "property",
    }
}

fn about(analysis: &Analysis, number: usize) -> String {
    let symbol = &analysis.names.symbols[number];
    let mut text = format!("```promela\n{}\n```\n{}", declaration(analysis, symbol), kind_word(symbol.kind));
    if let Some(owner) = &symbol.owner {
        text.push_str(&format!(" of `{owner}`"));
    }
    if let Some(ty) = &symbol.ty {
        let array = if symbol.array { ", an array; each element is " } else { ", " };
        text.push_str(&format!("{array}{}", described(ty, symbol.bits)));
    }
    if let Some(value) = symbol.value {
        text.push_str(&format!(", number {value}"));
    }
    let who = |wanted: &[Access]| {
        let uses = analysis.names.uses_of(number).filter(|used| wanted.contains(&used.access));
        let owners: BTreeSet<String> = uses
            .map(|used| used.owner.as_ref().map_or("the declarations".to_owned(), |owner| format!("`{owner}`")))
            .collect();
        owners.into_iter().collect::<Vec<_>>().join(", ")
    };
    let mut say = |word: &str, who: String| {
        if !who.is_empty() {
            text.push_str(&format!("\n\n{word} {who}"));
        }
    };
    if matches!(symbol.kind, Kind::Global | Kind::Local | Kind::Parameter | Kind::Field) {
        say("written by", who(&[Access::Write, Access::Count, Access::Receive]));
        say("read by", who(&[Access::Read, Access::Look]));
        say("sent to by", who(&[Access::Send]));
        say("received from by", who(&[Access::Take]));
    } else {
        say("named in", who(&[Access::Read]));
    }
    text
}

/// The line on which a name is declared.
fn declaration<'a>(analysis: &'a Analysis, symbol: &Symbol) -> &'a str {
    line_of(analysis, symbol.span)
}

fn line_of(analysis: &Analysis, span: Span) -> &str {
    let text = &analysis.map.file(span.file).text;
    let start = text[..span.start as usize].rfind('\n').map_or(0, |at| at + 1);
    text[start..].lines().next().unwrap_or_default().trim()
}

/// Lines of a definition that are shown.
const MOST_LINES: usize = 30;

/// A definition as it is written, with one that is very long cut off behind a line.
fn shown(text: &str, found: &Definition) -> String {
    let whole = written(text, &found.whole);
    let mut lines: Vec<&str> = whole.lines().take(MOST_LINES).map(str::trim_end).collect();
    if whole.lines().nth(MOST_LINES).is_some() {
        lines.push("…");
    }
    lines.join("\n")
}

fn about_macro(analysis: &Analysis, offset: u32) -> Option<String> {
    let expansion = analysis.expansions_at(offset).first().copied();
    let (text, found) = match expansion {
        Some(expansion) => {
            let text = analysis.map.file(expansion.definition.file).text.as_str();
            (text, definitions::named_at(text, expansion.definition.start))
        }
        None => (analysis.text(), definitions::named_at(analysis.text(), offset)),
    };
    match (found, expansion) {
        (Some(found), _) => Some(format!("```promela\n{}\n```\n{}", shown(text, &found), found.word())),
        // A macro of the command line is written nowhere.
        (None, Some(expansion)) => {
            let word = if expansion.kind == ExpansionKind::Macro { "macro" } else { "inline" };
            Some(format!("```promela\n{}\n```\n{word}", line_of(analysis, expansion.definition)))
        }
        (None, None) => None,
    }
}

fn about_parameter(analysis: &Analysis, offset: u32) -> Option<String> {
    let text = analysis.text();
    let parameter = parameter_at(text, offset)?;
    let name = written(text, &parameter.of.name);
    let word = parameter.of.word();
    Some(format!("```promela\n{}\n```\nparameter of the {word} `{name}`", shown(text, &parameter.of)))
}

/// A place in the document.
fn here(analysis: &Analysis, at: &std::ops::Range<u32>) -> Span {
    Span { file: analysis.file, start: at.start, end: at.end, ..Span::default() }
}

/// Where the name at a byte is declared.
pub(super) fn definition(analysis: &Analysis, offset: u32) -> Vec<types::Location> {
    if let Some(parameter) = parameter_at(analysis.text(), offset) {
        return analysis.location(here(analysis, &parameter.declared)).into_iter().collect();
    }
    let mut spans: Vec<Span> = analysis
        .names
        .written_at(analysis.file, offset)
        .into_iter()
        .map(|number| analysis.names.symbols[number].span)
        .collect();
    if spans.is_empty() {
        spans.extend(analysis.expansions_at(offset).first().map(|expansion| expansion.definition));
    }
    spans.into_iter().filter_map(|span| analysis.location(span)).collect()
}

/// Every place where the name at a byte is written.
pub(super) fn references(analysis: &Analysis, offset: u32, declaration: bool) -> Vec<types::Location> {
    let mut spans = places(analysis, offset, declaration);
    spans.sort_unstable_by_key(|span| (span.file, span.start));
    spans.dedup_by_key(|span| (span.file, span.start));
    spans.into_iter().filter_map(|span| analysis.location(span)).collect()
}

fn places(analysis: &Analysis, offset: u32, declaration: bool) -> Vec<Span> {
    if let Some(parameter) = parameter_at(analysis.text(), offset) {
        let declared = declaration.then_some(&parameter.declared);
        return parameter.uses.iter().chain(declared).map(|at| here(analysis, at)).collect();
    }
    let numbers = analysis.names.written_at(analysis.file, offset);
    if !numbers.is_empty() {
        let uses = analysis.names.uses.iter().filter(|used| numbers.contains(&used.symbol)).map(|used| used.span);
        let declared = numbers.iter().filter(|_| declaration).map(|&number| analysis.names.symbols[number].span);
        return uses.chain(declared).collect();
    }
    let Some(&found) = analysis.expansions_at(offset).first() else { return Vec::new() };
    let calls = analysis.map.expansions().iter().filter(|other| other.definition == found.definition);
    let name = found.name.len() as u32;
    let calls = calls.map(|call| Span { end: call.call.start + name, ..call.call });
    calls.chain(declaration.then_some(found.definition)).collect()
}

/// The outline: what is declared at the top level, with what belongs to it; macros and inlines too.
#[allow(deprecated)] // A field of the protocol that has to be there.
pub(super) fn symbols(analysis: &Analysis) -> Vec<types::DocumentSymbol> {
    let lines = Lines::of(analysis.text());
    let shown = |name: &str, kind, span: Span, whole: Span| {
        let selection = lines.range(span.start, span.end);
        // Clients insist that the name lies in the whole.
        let inside = whole.file == span.file && whole.start <= span.start && span.end <= whole.end;
        let range = if inside { lines.range(whole.start, whole.end) } else { selection };
        types::DocumentSymbol {
            name: name.to_owned(),
            detail: None,
            kind,
            tags: None,
            deprecated: None,
            range,
            selection_range: selection,
            children: None,
        }
    };
    let here = analysis.names.symbols.iter().filter(|symbol| symbol.span.file == analysis.file);
    let mut top: Vec<types::DocumentSymbol> = Vec::new();
    for symbol in here {
        let mut entry = shown(&symbol.name, symbol_kind(symbol), symbol.span, symbol.whole);
        entry.detail = symbol.ty.as_ref().map(|ty| described(ty, symbol.bits));
        let owner = symbol.owner.as_ref().and_then(|owner| {
            let is_owner = |parent: &&mut types::DocumentSymbol| {
                parent.name == **owner && matches!(parent.kind, types::SymbolKind::CLASS | types::SymbolKind::STRUCT)
            };
            top.iter_mut().find(is_owner)
        });
        match owner {
            Some(parent) => parent.children.get_or_insert_default().push(entry),
            None => top.push(entry),
        }
    }
    top.extend(written_definitions(analysis).map(|(name, kind, span)| shown(name, kind, span, span)));
    top.sort_by_key(|entry| (entry.range.start.line, entry.range.start.character));
    top
}

fn symbol_kind(symbol: &Symbol) -> types::SymbolKind {
    match symbol.kind {
        Kind::Global | Kind::Local | Kind::Parameter => types::SymbolKind::VARIABLE,
        Kind::Field => types::SymbolKind::FIELD,
        Kind::Mtype => types::SymbolKind::ENUM_MEMBER,
        Kind::Proctype => types::SymbolKind::CLASS,
        Kind::Typedef => types::SymbolKind::STRUCT,
        Kind::Label => types::SymbolKind::KEY,
        Kind::Property => types::SymbolKind::PROPERTY,
    }
}

/// The macros and inlines that the document defines, used or not.
fn written_definitions(analysis: &Analysis) -> impl Iterator<Item = (&str, types::SymbolKind, Span)> {
    let text = analysis.text();
    let raws: Vec<_> = lex(text).into_iter().filter(|raw| !matches!(raw.kind, RawKind::Blank)).collect();
    let word = |raw: &crate::source::lexer::Raw| &text[raw.start as usize..raw.end as usize];
    let found: Vec<_> = raws
        .windows(3)
        .filter_map(|three| {
            let (name, kind) = match (word(&three[0]), word(&three[1])) {
                ("#", "define") => (&three[2], types::SymbolKind::CONSTANT),
                (_, "inline") => (&three[2], types::SymbolKind::FUNCTION),
                _ => return None,
            };
            let span = Span { file: analysis.file, start: name.start, end: name.end, ..Span::default() };
            (name.kind == RawKind::Word).then(|| (word(name), kind, span))
        })
        .collect();
    found.into_iter()
}

/// "Verify" and "Replay" above the first process, "Verify" above each property.
pub(super) fn lenses(analysis: &Analysis) -> Vec<types::CodeLens> {
    let lines = Lines::of(analysis.text());
    let lens = |span: Span, title: String, command: &str, arguments: Vec<serde_json::Value>| types::CodeLens {
        range: lines.range(span.start, span.start),
        command: Some(types::Command { title, command: command.into(), arguments: Some(arguments) }),
        data: None,
    };
    let mut found = Vec::new();
    let items = analysis.unit.iter().flat_map(|unit| &unit.items);
    let mut is_first = true;
    for item in items {
        match item {
            Item::Proctype(proctype) if proctype.span.file == analysis.file && is_first => {
                is_first = false;
                found.push(lens(proctype.span, "Verify".into(), VERIFY, vec![json!(analysis.uri)]));
                found.push(lens(proctype.span, "Replay".into(), REPLAY, vec![json!(analysis.uri)]));
            }
            Item::Ltl(ltl) if ltl.span.file == analysis.file => {
                let Some(name) = &ltl.name else { continue };
                let arguments = vec![json!(analysis.uri), json!(&*name.name)];
                found.push(lens(ltl.span, format!("Verify {}", name.name), VERIFY, arguments));
            }
            _ => {}
        }
    }
    found
}

/// The document laid out anew, as `pv fmt` prints it; nothing if it is so already, or cannot be.
pub(super) fn formatting(analysis: &Analysis) -> Result<Vec<types::TextEdit>, String> {
    let text = analysis.text();
    let ends = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let formatted = format_source(&text.replace("\r\n", "\n")).map_err(|error| error.message)?;
    let formatted = formatted.replace('\n', ends);
    if formatted == text {
        return Ok(Vec::new());
    }
    Ok(vec![types::TextEdit { range: Lines::of(text).all(), new_text: formatted }])
}
