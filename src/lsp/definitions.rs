//! Macros and inlines as they are written: their names, parameters and bodies, from the text alone.
//!
//! The tree is made after both are expanded, so it knows no parameter: what stands at its place is the argument. Within its definition a parameter
//! is every word of that name, for the preprocessor and for inlines alike, so the words are all there is to find out. A definition that is
//! not whole (no bracket, no end) is left out.

use crate::source::lexer::{Raw, RawKind, lex};
use std::ops::Range;

/// A macro with or without parameters, or an inline.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Definition {
    pub inline: bool,
    pub name: Range<u32>,
    pub parameters: Vec<Range<u32>>,
    /// From `#` or `inline` to the end.
    pub whole: Range<u32>,
    /// The words behind the parameters.
    words: Vec<Range<u32>>,
}

/// A parameter, with the definition that it belongs to.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Parameter {
    pub of: Definition,
    /// Where it is declared.
    pub declared: Range<u32>,
    /// Where else it stands.
    pub uses: Vec<Range<u32>>,
}

impl Definition {
    pub(crate) fn word(&self) -> &'static str {
        if self.inline { "inline" } else { "macro" }
    }

    /// Does a word stand in it, as a parameter or behind them?
    pub(crate) fn has_word(&self, text: &str, word: &str) -> bool {
        self.parameters.iter().chain(&self.words).any(|at| written(text, at) == word)
    }
}

pub(super) fn written<'t>(text: &'t str, at: &Range<u32>) -> &'t str {
    text.get(at.start as usize..at.end as usize).unwrap_or_default()
}

/// The parameter whose name stands at a byte.
pub(super) fn parameter_at(text: &str, offset: u32) -> Option<Parameter> {
    let covers = |at: &&Range<u32>| at.start <= offset && offset <= at.end;
    all(text).into_iter().find_map(|of| {
        let name = written(text, of.parameters.iter().chain(&of.words).find(covers)?);
        let declared = of.parameters.iter().find(|at| written(text, at) == name)?.clone();
        let uses = of.words.iter().filter(|at| written(text, at) == name).cloned().collect();
        Some(Parameter { of, declared, uses })
    })
}

/// The definition whose name stands at a byte.
pub(super) fn named_at(text: &str, offset: u32) -> Option<Definition> {
    all(text).into_iter().find(|found| found.name.start <= offset && offset <= found.name.end)
}

/// All definitions of a text, in their order.
pub(super) fn all(text: &str) -> Vec<Definition> {
    let is_blank =
        |kind| matches!(kind, RawKind::Blank | RawKind::Continuation | RawKind::Comment | RawKind::LineComment);
    let raws: Vec<Raw> = lex(text).into_iter().filter(|raw| !is_blank(raw.kind)).collect();
    let word = |raw: &Raw| written(text, &(raw.start..raw.end));
    let mut found = Vec::new();
    let (mut at, mut new_line) = (0, true);
    while let Some(raw) = raws.get(at) {
        let read = match (word(raw), raws.get(at + 1).map(word)) {
            ("#", Some("define")) if new_line => {
                let line = raws[at..].iter().take_while(|raw| raw.kind != RawKind::Newline).count();
                define(text, &raws[at..at + line])
            }
            ("inline", _) => {
                // None stands in another, and so nothing is read twice.
                let end = raws[at + 1..]
                    .iter()
                    .position(|raw| word(raw) == "inline")
                    .map_or(raws.len(), |more| at + 1 + more);
                inline(text, &raws[at..end])
            }
            _ => None,
        };
        new_line = raw.kind == RawKind::Newline;
        // Macros may be defined in the middle of an inline, and are read on their own.
        at += 1;
        found.extend(read);
    }
    found
}

/// `# define NAME(a, b) …`, the tokens of its line.
fn define(text: &str, line: &[Raw]) -> Option<Definition> {
    let name = line.get(2).filter(|raw| raw.kind == RawKind::Word)?;
    // The bracket of parameters follows the name at once; any other one belongs to what the macro stands for.
    let opens = line.get(3).is_some_and(|raw| raw.start == name.end && written(text, &(raw.start..raw.end)) == "(");
    let (parameters, rest) = if opens { parameters(text, &line[4..])? } else { (Vec::new(), &line[3..]) };
    Some(Definition {
        inline: false,
        name: name.start..name.end,
        parameters,
        whole: line[0].start..line.last()?.end,
        words: words(rest),
    })
}

/// `inline NAME(a, b) { … }`, the tokens from its first word on.
fn inline(text: &str, raws: &[Raw]) -> Option<Definition> {
    let plain: Vec<Raw> = raws.iter().filter(|raw| raw.kind != RawKind::Newline).copied().collect();
    let name = plain.get(1).filter(|raw| raw.kind == RawKind::Word)?;
    let is = |raw: &Raw, word: &str| written(text, &(raw.start..raw.end)) == word;
    plain.get(2).filter(|raw| is(raw, "("))?;
    let (parameters, body) = parameters(text, &plain[3..])?;
    body.first().filter(|raw| is(raw, "{"))?;
    let mut depth = 0;
    let close = body.iter().position(|raw| {
        depth += i64::from(is(raw, "{")) - i64::from(is(raw, "}"));
        depth == 0
    })?;
    Some(Definition {
        inline: true,
        name: name.start..name.end,
        parameters,
        whole: plain[0].start..body[close].end,
        words: words(&body[..close]),
    })
}

fn words(raws: &[Raw]) -> Vec<Range<u32>> {
    raws.iter().filter(|raw| raw.kind == RawKind::Word).map(|raw| raw.start..raw.end).collect()
}

/// The names in front of the bracket that closes, and what follows it.
fn parameters<'r>(text: &str, raws: &'r [Raw]) -> Option<(Vec<Range<u32>>, &'r [Raw])> {
    let close = raws.iter().position(|raw| written(text, &(raw.start..raw.end)) == ")")?;
    Some((words(&raws[..close]), &raws[close + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_as_they_are_written() {
        let text = "#define N 3\n# define add(a, b) \\\n  ((a) + b + ab)\ninline put(q, a) {\n  q!a; /* a */\n  { a = 0 }\n}\nbyte a;\n\
                    #define open(\ninline f(x) { x";
        let found: Vec<(&str, Vec<&str>, bool)> = all(text)
            .iter()
            .map(|one| {
                let parameters = one.parameters.iter().map(|at| written(text, at)).collect();
                (written(text, &one.name), parameters, one.inline)
            })
            .collect();
        assert_eq!(found, [("N", vec![], false), ("add", vec!["a", "b"], false), ("put", vec!["q", "a"], true)]);
        let all = all(text);
        assert!(written(text, &all[1].whole).ends_with("+ ab)"));
        assert!(
            written(text, &all[2].whole).starts_with("inline put") && written(text, &all[2].whole).ends_with("}\n}")
        );
        let of = |needle: &str| parameter_at(text, text.find(needle).expect("it is there") as u32);
        let a = of("a; /*").expect("a parameter");
        assert_eq!((a.of.name.clone(), a.uses.len()), (all[2].name.clone(), 2));
        assert_eq!(of("a) + b").expect("a parameter").uses.len(), 1);
        assert_eq!(of("a;\n#define open"), None, "the variable");
        assert_eq!(of("put("), None);
    }
}
