//! Statements as they stand in the source: macros not expanded, no parentheses of pv, and for what stands in an inline its call. Where the
//! source has no text of a step's own (the parts of a `for`, a statement that begins inside the argument of a macro), there is none.

use crate::source::{ExpansionKind, SourceMap, Span};

/// Longer texts are no statements that one reads in a line.
const LONGEST: usize = 120;

/// The statement as it stands in the source, on one line.
pub(crate) fn statement(map: &SourceMap, span: Span) -> Option<String> {
    let site = map.use_site(span);
    let text = slice(map, site)?;
    let is_call = call_at(map, site).is_some();
    let file = map.files().get(site.file.0 as usize)?;
    let before = file.text.get(..site.start as usize)?.trim_end().chars().next_back();
    let is_argument = matches!(before, Some('(' | ',' | '['));
    let is_block = text.contains(['{', '}']);
    (!is_call && !is_argument && !is_block).then_some(text)
}

/// The calls of the inlines that a statement came through, the innermost first, as they stand in the source.
pub(crate) fn calls(map: &SourceMap, span: Span) -> Vec<String> {
    let through = calls_of(map, span).filter_map(|call| slice(map, call)).collect::<Vec<_>>();
    let at = || call_at(map, map.use_site(span)).and_then(|call| slice(map, call));
    if through.is_empty() { at().into_iter().collect() } else { through }
}

/// The call of an inline that begins at a place. The statement of an inline that begins or ends with an argument is placed at the
/// call: what stands there is not the statement.
fn call_at(map: &SourceMap, site: Span) -> Option<Span> {
    let file = map.files().get(site.file.0 as usize)?;
    // Most statements are told from a call by their text; the others are looked for among all expansions.
    let text = file.text.get(site.start as usize..)?;
    let name = text.find(|c: char| !c.is_alphanumeric() && c != '_').filter(|&end| end > 0)?;
    if !text[name..].trim_start().starts_with('(') {
        return None;
    }
    let is_here = |call: &Span| call.file == site.file && call.start == site.start;
    let inlines = map.expansions().iter().filter(|expansion| expansion.kind == ExpansionKind::Inline);
    inlines.map(|expansion| expansion.call).find(is_here)
}

fn calls_of(map: &SourceMap, span: Span) -> impl Iterator<Item = Span> {
    let mut next = span.expansion;
    std::iter::from_fn(move || {
        let expansion = map.expansion(next)?;
        next = expansion.call.expansion;
        Some(expansion)
    })
    .filter(|expansion| expansion.kind == ExpansionKind::Inline)
    .map(|expansion| expansion.call)
}

/// The text of a place, with every run of white space as one space; `None` if it is too long or empty.
fn slice(map: &SourceMap, span: Span) -> Option<String> {
    let file = map.files().get(span.file.0 as usize)?;
    let text = file.text.get(span.start as usize..span.end as usize).filter(|text| text.len() <= 4 * LONGEST)?;
    let words: Vec<&str> = text.split_whitespace().collect();
    Some(words.join(" ")).filter(|text| !text.is_empty() && text.chars().count() <= LONGEST)
}
