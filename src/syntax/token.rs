//! The tokens of the parser, made from what the preprocessor lets through. A word becomes a keyword or a name, a
//! number gets its value, an operator its own kind. Whether a word is a temporal operator depends on where it
//! stands: `U` is a name in a process and "until" between the braces of an `ltl` block, as in SPIN. Embedded C is
//! refused here, by name and place, and skipped with its braces, so that the rest of the model is still read.

use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::source::lexer::{PpToken, RawKind};
use crate::source::{SlotId, SourceMap, Span};
use std::sync::Arc;

macro_rules! fixed_tokens {
    ($(#[$meta:meta])* words { $($word:ident = $word_text:literal,)* } signs { $($sign:ident = $sign_text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        pub enum Token {
            $($word,)*
            $($sign,)*
            /// A name that is neither of the next two.
            Name(Arc<str>),
            /// A name that a `typedef` above has declared.
            TypeName(Arc<str>),
            /// A name that a `proctype` above (or around) has declared.
            ProcName(Arc<str>),
            /// A number, a character, `true`, `false` or `skip`.
            Number(i32),
            /// A string without its quotes, escapes as written.
            String(Arc<str>),
            /// Stands in front of the `{` of an expanded inline; its name.
            InlineBody(Arc<str>),
        }

        /// The keywords of the language.
        pub const KEYWORDS: &[&str] = &[$($word_text,)* "true", "skip", "false"];

        impl Token {
            /// The keyword that a word is.
            fn keyword(word: &str) -> Option<Token> {
                Some(match word {
                    $($word_text => Token::$word,)*
                    "true" | "skip" => Token::Number(1),
                    "false" => Token::Number(0),
                    _ => return None,
                })
            }

            fn sign(text: &str) -> Option<Token> {
                Some(match text {
                    $($sign_text => Token::$sign,)*
                    _ => return None,
                })
            }

            /// The token as one writes it.
            pub fn text(&self) -> String {
                match self {
                    $(Token::$word => $word_text.to_owned(),)*
                    $(Token::$sign => $sign_text.to_owned(),)*
                    Token::Name(name) | Token::TypeName(name) | Token::ProcName(name) => name.to_string(),
                    Token::Number(value) => value.to_string(),
                    Token::String(text) => format!("\"{text}\""),
                    Token::InlineBody(name) => name.to_string(),
                }
            }
        }
    };
}

fixed_tokens! {
    /// What the parser sees.
    words {
        Active = "active", Assert = "assert", Atomic = "atomic", Bit = "bit", Bool = "bool", Break = "break",
        Byte = "byte", Chan = "chan", DProctype = "D_proctype", DStep = "d_step", Do = "do", Else = "else",
        Empty = "empty", Enabled = "enabled", Eval = "eval", Fi = "fi", For = "for", Full = "full",
        GetPriority = "get_priority", Goto = "goto", Hidden = "hidden", If = "if", In = "in", Init = "init",
        Inline = "inline", Int = "int", Len = "len", Local = "local", Ltl = "ltl", Mtype = "mtype",
        Nempty = "nempty", Never = "never", Nfull = "nfull", Notrace = "notrace", NonProgress = "np_", Od = "od",
        Of = "of", PcValue = "pc_value", Pid = "pid", Printf = "printf", Printm = "printm", Priority = "priority",
        Proctype = "proctype", Provided = "provided", Return = "return", Run = "run", Select = "select",
        SetPriority = "set_priority", Short = "short", Show = "show", Timeout = "timeout", Trace = "trace",
        Typedef = "typedef", Unless = "unless", Unsigned = "unsigned", Xr = "xr", Xs = "xs",
        CCode = "c_code", CDecl = "c_decl", CExpr = "c_expr", CState = "c_state", CTrack = "c_track",
    }
    signs {
        LeftParen = "(", RightParen = ")", LeftBrace = "{", RightBrace = "}", LeftSquare = "[", RightSquare = "]",
        Semicolon = ";", Arrow = "->", Option = "::", Colon = ":", Comma = ",", Dot = ".", DotDot = "..",
        At = "@", Assign = "=", Increment = "++", Decrement = "--", Bang = "!", BangBang = "!!", Query = "?",
        QueryQuery = "??", OrOr = "||", AndAnd = "&&", Bar = "|", Caret = "^", Ampersand = "&", EqualEqual = "==",
        NotEqual = "!=", Less = "<", LessEqual = "<=", Greater = ">", GreaterEqual = ">=", ShiftLeft = "<<",
        ShiftRight = ">>", Plus = "+", Minus = "-", Star = "*", Slash = "/", Percent = "%", Tilde = "~",
        Always = "[]", Eventually = "<>", Next = "X", Until = "U", WeakUntil = "W", Release = "V",
        Implies = "implies", Equivalent = "<->",
    }
}

impl Token {
    /// The name, if it is one of the three kinds of names.
    pub fn name(&self) -> Option<&Arc<str>> {
        match self {
            Token::Name(name) | Token::TypeName(name) | Token::ProcName(name) => Some(name),
            _ => None,
        }
    }

    /// A keyword that can only stand at the top level (`inline`, `mtype` and types are left out: they can be
    /// met elsewhere).
    pub fn starts_item(&self) -> bool {
        use Token::*;
        matches!(self, Active | Proctype | DProctype | Init | Never | Ltl | Typedef | Trace | Notrace)
    }

    /// A word of the base types, or one that may stand in front of a type.
    pub fn starts_declaration(&self) -> bool {
        use Token::*;
        matches!(
            self,
            Bit | Bool | Byte | Short | Int | Unsigned | Mtype | Chan | Pid | TypeName(_) | Hidden | Show | Local
        )
    }

    /// In an `ltl` block these words are operators.
    fn temporal(word: &str) -> Option<Token> {
        Some(match word {
            "U" | "until" | "stronguntil" => Token::Until,
            "V" | "release" => Token::Release,
            "W" | "weakuntil" => Token::WeakUntil,
            "X" | "next" => Token::Next,
            "always" => Token::Always,
            "eventually" => Token::Eventually,
            "implies" => Token::Implies,
            "equivalent" => Token::Equivalent,
            _ => return None,
        })
    }
}

/// How a token came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// It is written in the source.
    Written,
    /// A separator that stands for a line end (or for the place after `}` or `else`).
    Implied,
    /// Put in to mend a bracket that was reported.
    Mended,
    /// Follows characters that mean nothing: what the parser says about it is noise.
    AfterStray,
}

/// A token with its place.
#[derive(Clone, Debug)]
pub struct Lexeme {
    /// The token.
    pub token: Token,
    /// Where.
    pub span: Span,
    /// The parameter that it was put in for, if it came out of an argument.
    pub slot: SlotId,
    /// A line end stands in front of it: SPIN reads most line ends as `;`.
    pub newline: bool,
    /// Written or put in.
    pub origin: Origin,
}

impl Lexeme {
    /// A token that is not in the source.
    pub fn made(token: Token, span: Span, origin: Origin) -> Lexeme {
        Lexeme { token, span, slot: SlotId::NONE, newline: false, origin }
    }
}

/// Makes parser tokens of preprocessed ones.
pub fn tokens(map: &SourceMap, raw: &[PpToken], diagnostics: &mut Vec<Diagnostic>) -> Vec<Lexeme> {
    Maker { map, raw, at: 0, out: Vec::with_capacity(raw.len()), ltl: None, stray: false, diagnostics }.run()
}

/// Quotes that programs for letters put in the place of `"` and `'`.
const CURLY: [char; 7] = ['\u{201c}', '\u{201d}', '\u{201e}', '\u{2018}', '\u{2019}', '\u{ab}', '\u{bb}'];

struct Maker<'a> {
    map: &'a SourceMap,
    raw: &'a [PpToken],
    at: usize,
    out: Vec<Lexeme>,
    /// Inside `ltl`: the number of open braces.
    ltl: Option<u32>,
    /// The last character meant nothing.
    stray: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Maker<'_> {
    fn run(mut self) -> Vec<Lexeme> {
        let mut depth = 0u32;
        while let Some(raw) = self.raw.get(self.at) {
            let newline = self.at > 0 && line_ends_between(self.map, self.raw[self.at - 1].span, raw.span);
            let first = self.out.len();
            match raw.kind {
                RawKind::Word => self.word(raw, depth),
                RawKind::Number => self.number(raw),
                RawKind::Char => self.character(raw),
                RawKind::String => {
                    let inner = raw.text.get(1..raw.text.len().saturating_sub(1)).unwrap_or("");
                    self.push(Token::String(inner.into()), raw.span);
                }
                RawKind::Operator => self.operator(raw),
                _ => self.stray(raw),
            }
            match self.out.last().map(|lexeme| &lexeme.token) {
                Some(Token::LeftBrace) if self.out.len() > first => depth += 1,
                Some(Token::RightBrace) if self.out.len() > first => depth = depth.saturating_sub(1),
                _ => {}
            }
            for lexeme in self.out.iter_mut().skip(first) {
                lexeme.slot = raw.slot;
            }
            if let Some(lexeme) = self.out.get_mut(first) {
                lexeme.newline = newline;
                if std::mem::take(&mut self.stray) {
                    lexeme.origin = Origin::AfterStray;
                }
            }
            self.at += 1;
        }
        self.out
    }

    fn push(&mut self, token: Token, span: Span) {
        self.out.push(Lexeme::made(token, span, Origin::Written));
    }

    fn word(&mut self, raw: &PpToken, depth: u32) {
        if self.ltl.is_some_and(|braces| braces > 0)
            && let Some(token) = Token::temporal(&raw.text)
        {
            return self.push(token, raw.span);
        }
        match Token::keyword(&raw.text) {
            Some(token @ (Token::CCode | Token::CDecl | Token::CExpr | Token::CState | Token::CTrack)) => {
                self.embedded_c(token, raw, depth);
            }
            // `in` is a keyword only in the head of a `for`; SPIN lets it name a variable elsewhere.
            Some(Token::In) if !self.in_head_of_for() => self.push(Token::Name(raw.text.clone()), raw.span),
            Some(token) => {
                if token == Token::Ltl {
                    self.ltl = Some(0);
                }
                self.push(token, raw.span);
            }
            None => {
                // SPIN's simulator reads the terminal through a channel of this name; its verifier does not, and
                // takes the declaration `chan STDIN` as any other.
                if &*raw.text == "STDIN" && !self.out.iter().any(|lexeme| lexeme.token.name() == Some(&raw.text)) {
                    self.diagnostics.push(
                        Diagnostic::warning("`STDIN` is an ordinary channel here", raw.span, "never initialised")
                            .with_code(Code::StandardInput)
                            .with_note("only SPIN's simulator reads the terminal through it; a verifier has no input"),
                    );
                }
                self.push(Token::Name(raw.text.clone()), raw.span);
            }
        }
    }

    /// `for ( x` or `for ( x[…].y` stands right before.
    fn in_head_of_for(&self) -> bool {
        let mut squares = 0u32;
        for (index, lexeme) in self.out.iter().enumerate().rev().take(200) {
            match lexeme.token {
                Token::RightSquare => squares += 1,
                Token::LeftSquare if squares > 0 => squares -= 1,
                Token::LeftParen if squares == 0 => {
                    return index > 0 && self.out[index - 1].token == Token::For;
                }
                Token::Name(_) | Token::TypeName(_) | Token::ProcName(_) | Token::Dot => {}
                _ if squares > 0 => {}
                _ => return false,
            }
        }
        false
    }

    /// Digits only, as in SPIN. What does not fit 32 bits wraps as it does there, but with a word of warning.
    fn number(&mut self, raw: &PpToken) {
        let digits = raw.text.bytes().take_while(u8::is_ascii_digit).count();
        if digits < raw.text.len() {
            let mut error = Diagnostic::error(
                format!("`{}` is not a number", raw.text),
                raw.span,
                "only decimal digits make a number",
            );
            if raw.text.starts_with("0x") || raw.text.starts_with("0X") {
                let value = u32::from_str_radix(&raw.text[2..], 16);
                error = error.with_note("Promela has no hexadecimal numbers");
                if let Ok(value) = value {
                    error = error.with_help(format!("write `{value}`"));
                }
            }
            self.diagnostics.push(error);
        }
        let text = &raw.text[..digits];
        let value = match text.parse::<i64>() {
            Ok(wide) => wide as i32,
            Err(_) => -1,
        };
        if text.parse::<i32>().is_err() && self.is_width() {
            let message = format!("an unsigned cannot have {text} bits");
            self.diagnostics.push(Diagnostic::error(message, raw.span, "1 to 31 are possible"));
        } else if text.parse::<i32>().is_err() {
            self.diagnostics.push(
                Diagnostic::warning(
                    format!("the number {text} does not fit an `int`"),
                    raw.span,
                    format!("read as {value}, as SPIN does"),
                )
                .with_code(Code::NumberTooLarge)
                .with_note("an `int` goes from -2147483648 to 2147483647"),
            );
        }
        self.push(Token::Number(value), raw.span);
    }

    /// What comes next is the width of an unsigned: `unsigned x :` and `, y :` go before it.
    fn is_width(&self) -> bool {
        use Token::*;
        let [.., before, Lexeme { token: Name(_), .. }, Lexeme { token: Colon, .. }] = &self.out[..] else {
            return false;
        };
        matches!(before.token, Unsigned | Comma)
    }

    /// SPIN knows the escapes `\n \r \t \f`; any other escaped character is itself.
    fn character(&mut self, raw: &PpToken) {
        let mut inner = raw.text.chars().skip(1);
        let value = match inner.next() {
            Some('\\') => match inner.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some('f') => '\x0c',
                Some(other) => other,
                None => ' ',
            },
            Some(other) => other,
            None => ' ',
        };
        if !value.is_ascii() {
            self.diagnostics.push(Diagnostic::error(
                "a character constant must be ASCII",
                raw.span,
                "this character takes more than one byte",
            ));
        }
        self.push(Token::Number(value as i32), raw.span);
    }

    fn operator(&mut self, raw: &PpToken) {
        let inside = self.ltl.is_some_and(|braces| braces > 0);
        let part = |from: u32, to: u32| Span { start: raw.span.start + from, end: raw.span.start + to, ..raw.span };
        match &*raw.text {
            "->" if inside => self.push(Token::Implies, raw.span),
            "/\\" if inside => self.push(Token::AndAnd, raw.span),
            "\\/" if inside => self.push(Token::OrOr, raw.span),
            "/\\" | "\\/" => self.stray(raw),
            // Cut by longest match for formulas; elsewhere they are two signs.
            "[]" if !inside => {
                self.push(Token::LeftSquare, part(0, 1));
                self.push(Token::RightSquare, part(1, 2));
            }
            "<>" if !inside => {
                self.push(Token::Less, part(0, 1));
                self.push(Token::Greater, part(1, 2));
            }
            "<->" if !inside => {
                self.push(Token::Less, part(0, 1));
                self.push(Token::Arrow, part(1, 3));
            }
            "<-" => {
                self.push(Token::Less, part(0, 1));
                self.push(Token::Minus, part(1, 2));
            }
            // SPIN reads `-->` as `->`.
            "-->" => self.push(if inside { Token::Implies } else { Token::Arrow }, raw.span),
            text => match Token::sign(text) {
                Some(token) => {
                    match (&token, &mut self.ltl) {
                        (Token::LeftBrace, Some(braces)) => *braces += 1,
                        (Token::RightBrace, Some(braces)) => {
                            *braces = braces.saturating_sub(1);
                            if *braces == 0 {
                                self.ltl = None;
                            }
                        }
                        _ => {}
                    }
                    self.push(token, raw.span);
                }
                None => self.stray(raw),
            },
        }
    }

    fn stray(&mut self, raw: &PpToken) {
        self.stray = true;
        if self.again_on_line(raw) {
            return;
        }
        if raw.text.starts_with(['"', '\'']) {
            let error = Diagnostic::error(
                "a quote is not closed on its line",
                Span { end: raw.span.start + 1, ..raw.span },
                "opened here",
            );
            let help = "text stands between double quotes, `\"text\"`; between single ones stands one character, `'a'`";
            self.diagnostics.push(if raw.text.starts_with('\'') { error.with_help(help) } else { error });
            return;
        }
        // One message for a run of such characters: a binary file would otherwise give one for each byte.
        let first = self.raw[..self.at].last().is_none_or(|before| before.kind != raw.kind || raw.space_before);
        if first {
            let shown: String = raw.text.chars().flat_map(char::escape_debug).take(24).collect();
            let what = if raw.text.chars().all(|c| c.is_ascii_graphic()) { raw.text.to_string() } else { shown };
            let message = format!("`{what}` means nothing in Promela");
            let error = Diagnostic::error(message, raw.span, "no token starts with this character");
            let help = "text stands between straight double quotes, `\"text\"`";
            self.diagnostics.push(if raw.text.starts_with(CURLY) { error.with_help(help) } else { error });
        }
    }

    /// A quote of a kind that was told of on this line already: the other end of the text.
    fn again_on_line(&self, raw: &PpToken) -> bool {
        let kind = |raw: &PpToken| match raw.text.chars().next() {
            Some('\'') if raw.kind != RawKind::Char => Some(true),
            Some(c) if CURLY.contains(&c) => Some(false),
            _ => None,
        };
        if kind(raw).is_none() {
            return false;
        }
        let line = |at: usize| line_ends_between(self.map, self.raw[at - 1].span, self.raw[at].span);
        let mut at = self.at;
        while at > 0 && !line(at) {
            at -= 1;
            if kind(&self.raw[at]) == kind(raw) {
                return true;
            }
        }
        false
    }

    /// Refuses embedded C and steps over it. What is left in its place keeps the sentence around it whole: a
    /// separator at the top level, a constant inside a body.
    fn embedded_c(&mut self, token: Token, raw: &PpToken, depth: u32) {
        self.diagnostics.push(
            Diagnostic::error(
                format!("embedded C: `{}` is not supported", token.text()),
                raw.span,
                "pv never runs code out of a model",
            )
            .with_note("everything else of the language is; C code would have to be trusted and compiled"),
        );
        let stand_in = if depth == 0 || token == Token::CDecl { Token::Semicolon } else { Token::Number(1) };
        let next = |at: usize| self.raw.get(at).map(|raw| (raw.kind, &*raw.text));
        let mut at = self.at + 1;
        if matches!(token, Token::CState | Token::CTrack) {
            while matches!(next(at), Some((RawKind::String, _))) {
                at += 1;
            }
        } else {
            for (open, close) in [("[", "]"), ("{", "}")] {
                if !matches!(next(at), Some((RawKind::Operator, text)) if text == open) {
                    continue;
                }
                let mut nested = 0usize;
                while let Some((kind, text)) = next(at) {
                    at += 1;
                    if kind == RawKind::Operator && text == open {
                        nested += 1;
                    } else if kind == RawKind::Operator && text == close {
                        nested -= 1;
                        if nested == 0 {
                            break;
                        }
                    }
                }
            }
        }
        self.at = at - 1;
        self.push(stand_in, raw.span);
    }
}

/// A line end lies between two neighbours. For text that came out of a macro the place of its use counts: what a
/// macro yields is one line, as with `cpp`.
fn line_ends_between(map: &SourceMap, before: Span, after: Span) -> bool {
    let (before, after) = (map.use_site(before), map.use_site(after));
    if before == after {
        return false;
    }
    if before.file != after.file {
        return true;
    }
    let text = &map.file(before.file).text;
    match text.as_bytes().get(before.end as usize..after.start as usize) {
        Some(gap) => gap.contains(&b'\n'),
        None => false,
    }
}
