//! Statements as they stand in the source: macros not expanded, no parentheses of pv, and for what stands in an inline its call. Where the
//! source has no text of a step's own (the parts of a `for`, a statement that begins inside the argument of a macro), there is none.

use crate::source::{ExpansionKind, SourceMap, Span};

/// Longer texts are no statements that one reads in a line.
const LONGEST: usize = 120;

/// The statement as it stands in the source, on one line.
pub(crate) fn statement(map: &SourceMap, span: Span) -> Option<String> {
    let site = map.use_site(span);
    let text = slice(map, site)?;
    // The statement of an inline that begins with an argument is placed at the call.
    let is_call = calls_of(map, span).any(|call| call.file == site.file && call.start == site.start);
    let file = map.files().get(site.file.0 as usize)?;
    let before = file.text.get(..site.start as usize)?.trim_end().chars().next_back();
    let is_argument = matches!(before, Some('(' | ',' | '['));
    let is_block = text.contains(['{', '}']);
    (!is_call && !is_argument && !is_block).then_some(text)
}

/// The calls of the inlines that a statement came through, the innermost first, as they stand in the source.
pub(crate) fn calls(map: &SourceMap, span: Span) -> Vec<String> {
    calls_of(map, span).filter_map(|call| slice(map, call)).collect()
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
