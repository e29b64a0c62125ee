//! Statements as they stand in the source: macros not expanded, no parentheses of pv, and for what stands in an inline its call. The parts of
//! a `for` are told from its head, the step behind an `if` or `do` is its last word. Where the source has no text of a step's own (the
//! automaton of a formula), there is none.

use crate::source::visible::visible;
use crate::source::{ExpansionKind, SourceMap, Span};
use std::collections::HashMap;

/// Longer texts are no statements that one reads in a line.
const LONGEST: usize = 120;

/// The statement as it stands in the source, on one line; `expanded` is the text that the model has for it.
pub(crate) fn statement(map: &SourceMap, span: Span, expanded: &str) -> Option<String> {
    let site = map.use_site(span);
    let file = map.files().get(site.file.0 as usize)?;
    let whole = file.text.get(site.start as usize..site.end as usize)?;
    if let Some(word) = closing(whole, expanded) {
        return Some(word.into());
    }
    if let Some(text) = part_of_for(whole, expanded) {
        return Some(text);
    }
    let text = slice(map, site)?;
    let is_call = call_at(map, site).is_some();
    let before = file.text.get(..site.start as usize)?.trim_end();
    // What the automaton of a formula looks at stands nowhere: its place is the name of the formula, or all of it.
    let is_formula = before.ends_with("ltl") || text.starts_with("ltl") || file.path.is_none() && site.file.0 > 0;
    let is_block = text.contains(['{', '}']) && !(expanded == "d_step" && text.starts_with("d_step"));
    (!is_call && !is_block && !is_formula).then_some(text)
}

/// The same for a reader: where the source has no text of its own, what the model has.
pub(crate) fn worded(map: &SourceMap, span: Span, expanded: &str) -> String {
    statement(map, span, expanded).map_or_else(|| plain(expanded), |text| visible(&text).into_owned())
}

/// What is wrong with a statement, in words: of an assertion that fails, the condition as it stands in the source. Other messages name
/// nothing of the model. For a terminal this is not visible yet.
pub(crate) fn failure(map: &SourceMap, span: Span, message: &str) -> String {
    let condition = || {
        message.strip_prefix("assertion violated ")?;
        let text = statement(map, span, "")?;
        let is_macro = map.use_site(span) != span && !text.contains('{');
        let condition = match text.strip_prefix("assert") {
            Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') => {
                within_parentheses(rest.trim())
            }
            _ if is_macro => return Some(text),
            _ => return None,
        };
        let is_word = condition.chars().all(|c| c.is_alphanumeric() || c == '_');
        Some(if is_word { condition.to_string() } else { format!("({condition})") })
    };
    let Some(condition) = condition() else { return message.to_string() };
    let calls: String = calls(map, span).iter().map(|call| format!(" in {call}")).collect();
    format!("assertion violated {condition}{calls}")
}

/// A text without the parentheses around all of it, if there are some.
fn within_parentheses(text: &str) -> &str {
    let inner = text.strip_prefix('(').filter(|inner| end_of(inner, ")").is_some_and(|end| end + 1 == inner.len()));
    inner.map_or(text, |inner| inner[..inner.len() - 1].trim())
}

/// A text of the model as one would write it: `client[0]@cs` for `(client[0]._p==cs)`, and no parentheses around parentheses or around all.
pub(crate) fn plain(expanded: &str) -> String {
    let text = expanded.replace("._p==", "@");
    let mut open = Vec::new();
    let mut partner = vec![None; text.len()];
    let mut is_quoted = false;
    for (at, letter) in text.bytes().enumerate() {
        match letter {
            b'"' => is_quoted = !is_quoted,
            b'(' if !is_quoted => open.push(at),
            b')' if !is_quoted => {
                let Some(start) = open.pop() else { return text };
                partner[start] = Some(at);
            }
            _ => {}
        }
    }
    let mut left_out = vec![false; text.len()];
    let (mut first, mut end) = (0, text.len());
    while end > first && partner[first] == Some(end - 1) {
        (left_out[first], left_out[end - 1]) = (true, true);
        (first, end) = (first + 1, end - 1);
    }
    for start in first..end {
        if let Some(close) = partner[start]
            && partner[start + 1] == Some(close - 1)
        {
            (left_out[start], left_out[close]) = (true, true);
        }
    }
    let kept = text.char_indices().filter(|(at, _)| !left_out[*at]).map(|(_, letter)| letter);
    // What a claim looks at where it does not care.
    Some(kept.collect::<String>()).filter(|kept| kept != "1").unwrap_or_else(|| "true".into())
}

/// And with the calls of the inlines that it came through.
pub(crate) fn worded_with_calls(map: &SourceMap, span: Span, expanded: &str) -> String {
    with_calls(worded(map, span, expanded), &calls(map, span))
}

/// A statement and its calls in a line.
pub(crate) fn with_calls(mut text: String, calls: &[String]) -> String {
    for call in calls {
        text.push_str("   in ");
        text.push_str(&visible(call));
    }
    text
}

/// The step that leads out of an `if` or `do` has no text; the place is that of the whole statement.
fn closing(whole: &str, expanded: &str) -> Option<&'static str> {
    let word = ["fi", "od"].into_iter().find(|word| whole.trim_end().ends_with(word))?;
    (expanded == ".(goto)").then_some(word)
}

/// `i = 0`, `i <= N-1` and `i++` of `for (i : 0 .. N-1)`. The model has `i = 0`, `((i<=(3-1)))` and `i = (i+1)`, all at the place of
/// the loop.
fn part_of_for(whole: &str, expanded: &str) -> Option<String> {
    let head = whole.strip_prefix("for")?.trim_start().strip_prefix('(')?;
    let head = &head[..end_of(head, ")")?];
    if let Some((variable, _)) = head.split_once(" in ") {
        return part_of_for_in(variable.trim(), expanded);
    }
    let (variable, range) = head.split_at(end_of(head, ":")?);
    let range = &range[1..];
    let (from, to) = range.split_at(end_of(range, "..")?);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (variable, from, to) = (words(variable), words(from), words(&to[2..]));
    let text = match expanded.split_once(" = ") {
        // `for (i : i+1 .. 3)` begins with what it goes on with.
        Some((counter, value)) if value == format!("({counter}+1)") && from.contains('+') => return None,
        Some((counter, value)) if value == format!("({counter}+1)") => format!("{variable}++"),
        Some(_) => format!("{variable} = {from}"),
        None if expanded.contains("<=") => format!("{variable} <= {to}"),
        None => return None,
    };
    (text.chars().count() <= LONGEST).then_some(text)
}

/// `i = 0`, `i <= 2` and `i++` of `for (i in a)` over an array of three. Over a channel another variable counts, which stands nowhere.
fn part_of_for_in(variable: &str, expanded: &str) -> Option<String> {
    match expanded.split_once(" = ") {
        Some((counter, value)) if counter == variable && value == format!("({counter}+1)") => {
            Some(format!("{variable}++"))
        }
        Some(_) => None,
        None => {
            let guard = plain(expanded);
            let (counter, last) = guard.split_once("<=")?;
            (counter == variable).then(|| format!("{variable} <= {last}"))
        }
    }
}

/// Where `sign` stands outside of brackets. A comment in the head of a loop is nothing that is looked for: then there is no text.
fn end_of(text: &str, sign: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, letter) in text.char_indices() {
        if depth == 0 && text[at..].starts_with(sign) {
            return Some(at);
        }
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            '/' | '"' | '\'' | '#' if text[at..].starts_with("//") || text[at..].starts_with("/*") || letter != '/' => {
                return None;
            }
            _ => {}
        }
    }
    None
}

/// The calls of the inlines that a statement came through, the innermost first, as they stand in the source.
pub(crate) fn calls(map: &SourceMap, span: Span) -> Vec<String> {
    let through = calls_of(map, span).filter_map(|call| slice(map, call)).collect::<Vec<_>>();
    let at = || call_at(map, map.use_site(span)).and_then(|call| slice(map, call));
    if through.is_empty() { at().into_iter().collect() } else { through }
}

/// The calls of statements that are told side by side, each given with how it is told otherwise. Where two would read the same, the lines
/// of the calls tell them apart, and in one line the columns.
pub(crate) fn calls_told_apart(map: &SourceMap, list: &[(String, Span)]) -> Vec<Vec<String>> {
    let mut told: Vec<Vec<String>> = list.iter().map(|(_, span)| calls(map, *span)).collect();
    for with_columns in [false, true] {
        let mut alike: HashMap<(&str, &[String]), Vec<usize>> = HashMap::new();
        for (number, (text, _)) in list.iter().enumerate().filter(|(number, _)| !told[*number].is_empty()) {
            alike.entry((text, &told[number])).or_default().push(number);
        }
        let differ = |group: &Vec<usize>| group.iter().any(|&number| list[number].1 != list[group[0]].1);
        let groups: Vec<usize> = alike.into_values().filter(differ).flatten().collect();
        for number in groups {
            let placed = calls_of(map, list[number].1).filter_map(|call| {
                let place = map.place(call);
                let column = if with_columns { format!(", column {}", place.column) } else { String::new() };
                Some(format!("{} at line {}{column}", slice(map, call)?, place.line))
            });
            let placed: Vec<String> = placed.collect();
            if !placed.is_empty() {
                told[number] = placed;
            }
        }
    }
    told
}

/// The call of an inline that begins at a place: what stands there is no statement.
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
