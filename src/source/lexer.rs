//! Raw tokens of a file, before any directive is obeyed: words, numbers, strings, operators, comments, line ends.
//! The preprocessor works on these; the parser sees what it lets through.

use logos::Logos;

/// What a raw token is. Operators are cut by longest match over Promela's operators and those of `cpp`.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum RawKind {
    /// Blanks without a line end.
    #[regex(r"[ \t\r\f\x0b]+")]
    Blank,
    /// A line end.
    #[token("\n")]
    Newline,
    /// A backslash at the end of a line: the line goes on. As in gcc, blanks may stand behind the backslash.
    #[regex(r"\\[ \t\r\f\x0b]*\n")]
    Continuation,
    /// `/* … */`; one that is not closed is [`RawKind::OpenComment`].
    #[token("/*", block_comment)]
    Comment,
    /// `// …` up to the line end; a backslash at the end of the line takes the next one in.
    #[token("//", line_comment)]
    LineComment,
    /// `/*` without an end, and all the text behind it.
    OpenComment,
    /// A word.
    #[regex(r"[A-Za-z_][A-Za-z_0-9]*")]
    Word,
    /// A number as written: decimal digits; letters behind them are kept so that they can be refused.
    #[regex(r"[0-9][0-9A-Za-z_]*")]
    Number,
    /// `"…"` with its quotes; continued lines may be inside.
    #[regex(r#""([^"\\\n]|\\[^\n]|\\\r?\n)*""#)]
    String,
    /// `'c'` with its quotes.
    #[regex(r"'([^'\\\n]|\\[^\n])'")]
    Char,
    /// A quote that is not closed on its line.
    #[token("\"")]
    #[token("'")]
    OpenQuote,
    /// `#` (a directive at the start of a line, or the string operator).
    #[token("#")]
    Hash,
    /// `##`.
    #[token("##")]
    Paste,
    /// Any operator or punctuation.
    #[token("<->")]
    #[token("-->")]
    #[token("->")]
    #[token("--")]
    #[token("++")]
    #[token("::")]
    #[token("..")]
    #[token("==")]
    #[token("!=")]
    #[token("<=")]
    #[token(">=")]
    #[token("<<")]
    #[token(">>")]
    #[token("<>")]
    #[token("[]")]
    #[token("&&")]
    #[token("||")]
    #[token("/\\")]
    #[token("\\/")]
    #[token("!!")]
    #[token("??")]
    #[regex(r"[-+*/%&|^~!?<>=(){}\[\];:,.@]")]
    Operator,
    /// A character that no token starts with.
    #[regex(r".", priority = 0)]
    Stray,
}

/// Takes a comment up to its `*/`. Without one the rest of the text is taken, so that a file of nothing but `/*` is
/// still cut in linear time; [`lex`] turns the refusal into [`RawKind::OpenComment`].
fn block_comment(lexer: &mut logos::Lexer<'_, RawKind>) -> bool {
    let rest = lexer.remainder();
    let end = rest.find("*/");
    lexer.bump(end.map_or(rest.len(), |at| at + 2));
    end.is_some()
}

fn line_comment(lexer: &mut logos::Lexer<'_, RawKind>) {
    let rest = lexer.remainder();
    let mut end = 0;
    loop {
        match rest[end..].find('\n') {
            None => break lexer.bump(rest.len()),
            Some(at) if rest[end..end + at].trim_end_matches([' ', '\t', '\r', '\u{b}', '\u{c}']).ends_with('\\') => {
                end += at + 1
            }
            Some(at) => break lexer.bump(end + at),
        }
    }
}

/// A raw token: its kind and byte range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Raw {
    /// What it is.
    pub kind: RawKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// Cuts a text into raw tokens that cover it without a gap.
pub fn lex(text: &str) -> Vec<Raw> {
    RawKind::lexer(text)
        .spanned()
        .map(|(kind, range)| Raw {
            kind: kind.unwrap_or(if text[range.clone()].starts_with("/*") {
                RawKind::OpenComment
            } else {
                RawKind::Stray
            }),
            start: range.start as u32,
            end: range.end as u32,
        })
        .collect()
}

/// A token that came through the preprocessor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PpToken {
    /// [`RawKind::Word`], `Number`, `String`, `Char`, `Operator`, `Stray` or an open quote.
    pub kind: RawKind,
    /// The text (strings and characters with their quotes).
    pub text: std::sync::Arc<str>,
    /// Where it is written, and the expansions it came through.
    pub span: super::Span,
    /// The parameter of a macro that it was put in for.
    pub slot: super::SlotId,
    /// Blank or line end in front of it.
    pub space_before: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_operators_by_longest_match() {
        let text = "y<-1 a<->b[]<>x!!1 /* c * */ '\\n' \"s\\\"t\" 12 # ##";
        let kinds: Vec<&str> = lex(text)
            .iter()
            .filter(|raw| raw.kind != RawKind::Blank)
            .map(|raw| &text[raw.start as usize..raw.end as usize])
            .collect();
        assert_eq!(
            kinds,
            [
                "y",
                "<",
                "-",
                "1",
                "a",
                "<->",
                "b",
                "[]",
                "<>",
                "x",
                "!!",
                "1",
                "/* c * */",
                "'\\n'",
                "\"s\\\"t\"",
                "12",
                "#",
                "##"
            ]
        );
    }

    #[test]
    fn comments_end_where_they_should() {
        let text = "/**/a/***/b//x\\\ny\nc/*";
        let cut: Vec<(RawKind, &str)> =
            lex(text).iter().map(|raw| (raw.kind, &text[raw.start as usize..raw.end as usize])).collect();
        assert_eq!(
            cut,
            [
                (RawKind::Comment, "/**/"),
                (RawKind::Word, "a"),
                (RawKind::Comment, "/***/"),
                (RawKind::Word, "b"),
                (RawKind::LineComment, "//x\\\ny"),
                (RawKind::Newline, "\n"),
                (RawKind::Word, "c"),
                (RawKind::OpenComment, "/*"),
            ]
        );
    }

    #[test]
    fn covers_any_text() {
        let text = "\u{fc}\u{0}\\ ' \" /* open";
        let raws = lex(text);
        assert_eq!(raws.last().map(|raw| raw.end as usize), Some(text.len()));
        assert!(raws.windows(2).all(|pair| pair[0].end == pair[1].start));
    }
}
