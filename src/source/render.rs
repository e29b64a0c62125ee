//! Diagnostics as rustc shows them: the message, the line with the place underlined, other places, notes, help.
//!
//! Text that came through a macro is shown at the use, with the place in the definition as a second one; text out of
//! an inline is shown in the inline's body, with the call as a second one. That is what [`SourceMap::use_site`] says
//! too, so the place printed here is the place every report names.

use super::diagnostic::{Diagnostic, Severity};
use super::visible::visible;
use super::{ExpansionKind, FileId, SourceFile, SourceMap, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::borrow::Cow;
use std::ops::Range;

/// More diagnostics than this are counted but not shown.
const MOST_SHOWN: usize = 50;

/// Of the macros and inlines that a token came through, so many are shown on either side.
const MOST_FRAMES: usize = 3;

/// Places of one file further apart than this (in bytes) are shown as two excerpts: what lies between would have to
/// be looked through for each diagnostic.
const FAR: u32 = 16 << 10;

/// Columns. Longer lines are cut around the underlined place.
const WIDTH: usize = 120;

/// A line longer than this (in bytes) is cut before it is handed on.
const LONGEST_LINE: usize = 64 << 10;

/// All diagnostics in the order of the text, and a line that sums up. Nothing for none.
pub fn render(map: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut order: Vec<&Diagnostic> = diagnostics.iter().collect();
    order.sort_by_key(|diagnostic| {
        let site = map.use_site(diagnostic.primary.span);
        (site.file, site.start)
    });
    let mut text = String::new();
    for diagnostic in order.iter().take(MOST_SHOWN) {
        text.push_str(&render_one(map, diagnostic, color));
        text.push_str("\n\n");
    }
    text.push_str(&summary(map, diagnostics, color));
    text
}

/// "error: could not read model.pml: 3 errors, 1 warning", with a line end; nothing for none.
pub fn summary(map: &SourceMap, diagnostics: &[Diagnostic], color: bool) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    let warnings = diagnostics.len() - errors;
    let Some(file) = map.files().first().filter(|_| !diagnostics.is_empty()) else { return String::new() };
    let count = |number: usize, word: &str| match number {
        0 => None,
        1 => Some(format!("1 {word}")),
        _ => Some(format!("{number} {word}s")),
    };
    let counts: Vec<String> = [count(errors, "error"), count(warnings, "warning")].into_iter().flatten().collect();
    let name = visible(&file.name);
    let mut message = if errors > 0 { format!("could not read {name}: ") } else { format!("{name}: ") };
    message.push_str(&counts.join(", "));
    if diagnostics.len() > MOST_SHOWN {
        message.push_str(&format!(" (the first {MOST_SHOWN} are shown)"));
    }
    let level = if errors > 0 { Level::ERROR } else { Level::WARNING };
    renderer(color).render(&[Group::with_title(level.primary_title(message))]) + "\n"
}

fn renderer(color: bool) -> Renderer {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(WIDTH)
}

/// One diagnostic, without a line end behind it.
pub fn render_one(map: &SourceMap, diagnostic: &Diagnostic, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(visible(&diagnostic.message));
    let mut group = Group::with_title(match diagnostic.code.filter(|code| !code.is_family()) {
        Some(code) => title.id(code.text()),
        None => title,
    });
    let (mut marks, hidden) = frames(map, diagnostic.primary.span);
    marks[0].label = visible(&diagnostic.primary.message).into_owned();
    for label in &diagnostic.secondary {
        let text = visible(&label.message).into_owned();
        marks.push(Mark { span: map.use_site(label.span), label: text, primary: false });
    }
    for excerpt in excerpts(map, marks) {
        group = group.element(excerpt);
    }
    if hidden > 0 {
        let note = format!("{hidden} further expansions lead to this place");
        group = group.element(Level::NOTE.message(note));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(visible(note)));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    renderer(color).render(&[group])
}

/// An underlined place.
struct Mark {
    span: Span,
    label: String,
    primary: bool,
}

/// The place to point at, then the expansions on the way to it and from it, and how many were left out.
fn frames(map: &SourceMap, span: Span) -> (Vec<Mark>, usize) {
    let site = map.use_site(span);
    let mut marks = vec![Mark { span: site, label: String::new(), primary: true }];
    let mut place = span;
    let mut behind = place == site;
    let (mut inner, mut outer, mut hidden) = (0, 0, 0);
    while let Some(expansion) = map.expansion(place.expansion) {
        let (span, label) = if behind {
            outer += 1;
            (expansion.call, format!("in this call of `{}`", expansion.name))
        } else {
            inner += 1;
            let label = match expansion.kind {
                ExpansionKind::Macro => format!("in this expansion of macro `{}`", expansion.name),
                ExpansionKind::Inline => format!("in the body of `{}`", expansion.name),
            };
            (place, label)
        };
        if (if behind { outer } else { inner }) <= MOST_FRAMES {
            marks.push(Mark { span, label, primary: false });
        } else {
            hidden += 1;
        }
        place = expansion.call;
        behind |= place == site;
    }
    (marks, hidden)
}

/// The marks as excerpts, that of the primary one first; marks of one file that lie near share one.
fn excerpts<'m>(map: &'m SourceMap, marks: Vec<Mark>) -> Vec<Snippet<'m, annotate_snippets::Annotation<'m>>> {
    struct Cluster {
        file: FileId,
        first: u32,
        last: u32,
        marks: Vec<(Range<u32>, Mark)>,
    }
    let mut clusters: Vec<Cluster> = Vec::new();
    for mark in marks {
        let Some(file) = map.files().get(mark.span.file.0 as usize) else { continue };
        let range = shown_range(file, mark.span);
        let near = clusters.iter_mut().find(|cluster| {
            cluster.file == mark.span.file
                && range.start.abs_diff(cluster.first).max(range.end.abs_diff(cluster.last)) < FAR
        });
        match near {
            // The same place twice: once is enough.
            Some(cluster) if mark.label.is_empty() && cluster.marks.iter().any(|(other, _)| *other == range) => {}
            Some(cluster) => {
                cluster.first = cluster.first.min(range.start);
                cluster.last = cluster.last.max(range.end);
                cluster.marks.push((range, mark));
            }
            None => clusters.push(Cluster {
                file: mark.span.file,
                first: range.start,
                last: range.end,
                marks: vec![(range, mark)],
            }),
        }
    }
    let mut snippets = Vec::new();
    for cluster in clusters {
        let file = map.file(cluster.file);
        let (text, start) = window(file, cluster.first, cluster.last);
        let (line, _) = file.line_column(start);
        let shown = without_returns(text);
        let length = shown.len();
        // Behind each line end that was shortened, everything stands one byte further in front.
        let before = |offset: usize| match &shown {
            Cow::Borrowed(_) => offset,
            Cow::Owned(_) => without_returns(&text[..offset]).len(),
        };
        let clip = |offset: u32| before((offset.saturating_sub(start) as usize).min(text.len())).min(length);
        let ranges: Vec<Range<usize>> =
            cluster.marks.iter().map(|(range, _)| clip(range.start)..clip(range.end)).collect();
        let mut snippet = Snippet::source(shown).path(file.name.as_str()).line_start(line as usize);
        for ((_, mark), range) in cluster.marks.into_iter().zip(ranges) {
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(range);
            snippet = snippet.annotation(if mark.label.is_empty() { annotation } else { annotation.label(mark.label) });
        }
        snippets.push(snippet);
    }
    snippets
}

/// The text with the line ends of Unix; those of Windows would be shown as a character.
fn without_returns(text: &str) -> Cow<'_, str> {
    if !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    let text = text.replace("\r\n", "\n");
    Cow::Owned(text.strip_suffix('\r').map(str::to_owned).unwrap_or(text))
}

/// The bytes to underline: inside the text, on one line, and not behind the last line that has something on it.
fn shown_range(file: &SourceFile, span: Span) -> Range<u32> {
    let text = &file.text;
    let mut start = boundary(text, span.start as usize);
    let mut end = boundary(text, span.end as usize).max(start);
    if start >= text.trim_end().len() && start == end {
        // "Ends too early": just behind the last thing that stands there.
        start = text.trim_end().len();
        end = start;
    }
    if let Some(length) = text[start..end].find('\n') {
        end = start + text[start..start + length].trim_end().len();
    }
    start as u32..end as u32
}

/// The nearest start of a character, at or before an offset.
fn boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The whole lines around a range, and where they start. A line of monstrous length is cut.
fn window(file: &SourceFile, first: u32, last: u32) -> (&str, u32) {
    let text = &file.text;
    let (first, last) = (first as usize, (last as usize).min(text.len()));
    let start = text[..first].rfind('\n').map_or(0, |at| at + 1);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
    let end = boundary(text, end.min(last + LONGEST_LINE));
    (&text[start..end], start as u32)
}

#[cfg(test)]
mod tests {
    use super::super::diagnostic::Label;
    use super::super::preprocess::{PreprocessOptions, preprocess};
    use super::super::{Expansion, ExpansionId};
    use super::*;

    fn span_of(map: &SourceMap, needle: &str) -> Span {
        let start = map.files()[0].text.find(needle).unwrap() as u32;
        Span { file: FileId(0), start, end: start + needle.len() as u32, expansion: ExpansionId::NONE }
    }

    #[test]
    fn shows_lines_labels_notes_and_a_summary() {
        let mut map = SourceMap::new();
        map.add_file("m.pml".into(), None, "byte count;\n\nactive proctype P() {\n\tcuont = 1\n}\n".into());
        let error = Diagnostic::error("undeclared name `cuont`", span_of(&map, "cuont"), "not declared")
            .with_label(span_of(&map, "count"), "a like name")
            .with_note("names are checked before anything runs")
            .with_help("did you mean `count`?");
        insta::assert_snapshot!(render(&map, &[error], false), @r"
        error: undeclared name `cuont`
         --> m.pml:4:2
          |
        1 | byte count;
          |      ----- a like name
        ...
        4 |     cuont = 1
          |     ^^^^^ not declared
          |
          = note: names are checked before anything runs
          = help: did you mean `count`?

        error: could not read m.pml: 1 error
        ");
    }

    #[test]
    fn points_at_the_use_of_a_macro_and_shows_the_definition() {
        let mut map = SourceMap::new();
        let text = "#define INNER z\n#define ADD(a) a + INNER\n\nx = ADD(y);\n";
        let root = map.add_file("m.pml".into(), None, text.into());
        let tokens = preprocess(&mut map, root, &PreprocessOptions::default(), &mut Vec::new());
        let z = tokens.iter().find(|token| &*token.text == "z").unwrap();
        insta::assert_snapshot!(render_one(&map, &Diagnostic::error("undeclared name `z`", z.span, "not declared"), false), @r"
        error: undeclared name `z`
         --> m.pml:4:5
          |
        1 | #define INNER z
          |               - in this expansion of macro `INNER`
        2 | #define ADD(a) a + INNER
          |                    ----- in this expansion of macro `ADD`
        3 |
        4 | x = ADD(y);
          |     ^^^^^^ not declared
        ");
    }

    #[test]
    fn points_into_an_inline_and_shows_the_call() {
        let mut map = SourceMap::new();
        map.add_file("m.pml".into(), None, "inline f(a) {\n  a = b\n}\n\ninit { f(x) }\n".into());
        let expansion = map.add_expansion(Expansion {
            kind: ExpansionKind::Inline,
            name: "f".into(),
            definition: span_of(&map, "f(a)"),
            call: span_of(&map, "f(x)"),
        });
        let span = Span { expansion, ..span_of(&map, "b") };
        insta::assert_snapshot!(render_one(&map, &Diagnostic::error("undeclared name `b`", span, ""), false), @r"
        error: undeclared name `b`
         --> m.pml:2:7
          |
        2 |   a = b
          |       ^
        ...
        5 | init { f(x) }
          |        ---- in this call of `f`
        ");
    }

    #[test]
    fn long_lines_are_cut() {
        let mut map = SourceMap::new();
        let text = format!("{}bad{}\n", "x + ".repeat(100_000), " + x".repeat(100_000));
        map.add_file("m.pml".into(), None, text);
        let shown = render_one(&map, &Diagnostic::error("no", span_of(&map, "bad"), "here"), false);
        assert!(shown.contains("bad") && shown.contains("^^^ here"), "{shown}");
        assert!(shown.len() < 1000, "{shown}");
    }

    #[test]
    fn no_span_panics() {
        let mut map = SourceMap::new();
        map.add_file("m".into(), None, "a\u{fc}\r\n\tb\n\n".into());
        map.add_file("empty".into(), None, String::new());
        for file in 0..3 {
            for start in 0..9 {
                for end in 0..10 {
                    let span = Span { file: FileId(file), start, end, expansion: ExpansionId::NONE };
                    let mut error = Diagnostic::error("m", span, "l");
                    error.secondary.push(Label { span, message: String::new() });
                    render(&map, &[error], true);
                }
            }
        }
    }

    #[test]
    fn many_are_counted() {
        let mut map = SourceMap::new();
        map.add_file("m".into(), None, "a\n".into());
        let error = Diagnostic::error("m", span_of(&map, "a"), "");
        let shown = render(&map, &vec![error; 1000], false);
        assert!(shown.ends_with("error: could not read m: 1000 errors (the first 50 are shown)\n"), "{shown}");
        assert_eq!(render(&map, &[], false), "");
    }
}
