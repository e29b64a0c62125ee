//! Matches brackets before the parser runs: `( )`, `[ ]`, `{ }`, `if fi`, `do od`. A missing or stray one is
//! reported with the place where it was opened, and mended (a closing one put in, or a stray one left out), so that
//! the parser sees a balanced stream and one slip does not become twenty messages. Nesting beyond a limit is
//! refused here: everything behind works on trees, by recursion.

use super::explain::separator_of_macro;
use super::token::{Lexeme, Origin, Token};
use crate::source::SourceMap;
use crate::source::diagnostic::Diagnostic;
use std::ops::Range;

/// No model written by hand or by a sensible generator comes near.
const MAX_NESTING: usize = 1_000;

/// The balanced stream.
pub(crate) struct Balanced {
    /// The tokens, with what was put in.
    pub tokens: Vec<Lexeme>,
    /// Stretches (of `tokens`) in which a parenthesis was missing: what the parser says about them is noise.
    pub doubtful: Vec<Range<usize>>,
}

struct Open {
    token: Token,
    /// In the output.
    at: usize,
    /// The parameter list of a proctype, where `;` is at home, or the head of a `for`, where those who come from C
    /// put it.
    parameters: bool,
    /// An `if` or `do` that was reported already, for its missing `::`.
    blamed: bool,
}

/// Matches and mends; `None` if the nesting is too deep.
pub(crate) fn balance(map: &SourceMap, tokens: Vec<Lexeme>, diagnostics: &mut Vec<Diagnostic>) -> Option<Balanced> {
    let mut balancer = Balancer {
        map,
        out: Vec::with_capacity(tokens.len() + 8),
        stack: Vec::new(),
        doubtful: Vec::new(),
        doubt_from: None,
        forgiven: None,
        diagnostics,
    };
    let (tokens, inner) = balancer.without_inner_items(tokens);
    for lexeme in tokens {
        if let Err(error) = balancer.take(lexeme) {
            balancer.diagnostics.push(*error);
            return None;
        }
    }
    balancer.finish();
    for lexeme in inner {
        if let Err(error) = balancer.take(lexeme) {
            balancer.diagnostics.push(*error);
            return None;
        }
    }
    balancer.finish();
    Some(Balanced { tokens: balancer.out, doubtful: balancer.doubtful })
}

struct Balancer<'a> {
    map: &'a SourceMap,
    out: Vec<Lexeme>,
    stack: Vec<Open>,
    doubtful: Vec<Range<usize>>,
    /// A doubtful stretch that ends at the next separator or brace.
    doubt_from: Option<usize>,
    /// A closing bracket that is left over, since a `;` out of a macro closed its stretch.
    forgiven: Option<Token>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

fn closer(open: &Token) -> Token {
    match open {
        Token::LeftParen => Token::RightParen,
        Token::LeftSquare => Token::RightSquare,
        Token::If => Token::Fi,
        Token::Do => Token::Od,
        _ => Token::RightBrace,
    }
}

fn opener(close: &Token) -> Option<Token> {
    Some(match close {
        Token::RightParen => Token::LeftParen,
        Token::RightSquare => Token::LeftSquare,
        Token::RightBrace => Token::LeftBrace,
        Token::Fi => Token::If,
        Token::Od => Token::Do,
        _ => return None,
    })
}

fn is_small(token: &Token) -> bool {
    matches!(token, Token::LeftParen | Token::LeftSquare)
}

/// The item that begins at a `proctype` (or at the `active` in front of it) inside a body, to its `}`.
fn inner_item(tokens: &[Lexeme], at: usize) -> Option<Range<usize>> {
    use Token::*;
    if !matches!(tokens[at].token, Proctype | DProctype) || tokens.get(at + 1)?.token.name().is_none() {
        return None;
    }
    let ends = |lexeme: &Lexeme| matches!(lexeme.token, LeftBrace | RightBrace) || lexeme.token.starts_item();
    let open = at + 1 + tokens[at + 1..].iter().position(ends)?;
    let mut depth = 0i64;
    let length = tokens[open..].iter().position(|lexeme| {
        depth += i64::from(lexeme.token == LeftBrace) - i64::from(lexeme.token == RightBrace);
        depth == 0
    })?;
    let start = if at > 0 && tokens[at - 1].token == Active { at - 1 } else { at };
    (tokens[open].token == LeftBrace).then_some(start..open + length + 1)
}

impl Balancer<'_> {
    /// Takes process types out that stand inside a body. Only where all braces of the text have their partners: else one is missing above, which
    /// is told as such. They are read behind everything else, so that their names are known.
    fn without_inner_items(&mut self, tokens: Vec<Lexeme>) -> (Vec<Lexeme>, Vec<Lexeme>) {
        use Token::*;
        let step = |lexeme: &Lexeme| i64::from(lexeme.token == LeftBrace) - i64::from(lexeme.token == RightBrace);
        let (mut depth, mut paired, mut inside) = (0, true, false);
        for lexeme in &tokens {
            inside |= depth > 0 && matches!(lexeme.token, Proctype | DProctype);
            depth += step(lexeme);
            paired &= depth >= 0;
        }
        let mut inner: Vec<Range<usize>> = Vec::new();
        if inside && paired && depth == 0 {
            for (at, lexeme) in tokens.iter().enumerate() {
                if depth > 0 && inner.last().is_none_or(|last| last.end <= at) {
                    inner.extend(inner_item(&tokens, at));
                }
                depth += step(lexeme);
            }
        }
        if inner.is_empty() {
            return (tokens, Vec::new());
        }
        let (mut kept, mut taken) = (Vec::with_capacity(tokens.len()), Vec::new());
        let mut ranges = inner.into_iter().peekable();
        for (at, lexeme) in tokens.into_iter().enumerate() {
            let Some(range) = ranges.peek().filter(|range| range.contains(&at)) else {
                kept.push(lexeme);
                continue;
            };
            if at == range.start {
                self.diagnostics.push(
                    Diagnostic::error(
                        "a process type inside a body",
                        lexeme.span,
                        "process types stand at the top level",
                    )
                    .with_help("move it out, in front of the process around it"),
                );
                // A statement in its place, so that a block with nothing else in it is not told of as well.
                kept.push(Lexeme { token: Number(1), ..lexeme.clone() });
                kept.push(Lexeme::made(Semicolon, lexeme.span, Origin::Mended));
            }
            if at + 1 == range.end {
                ranges.next();
            }
            taken.push(lexeme);
        }
        (kept, taken)
    }

    fn take(&mut self, lexeme: Lexeme) -> Result<(), Box<Diagnostic>> {
        use Token::*;
        let opened = self.stack.last().filter(|open| open.at + 1 == self.out.len());
        if opened.is_some_and(|open| matches!(open.token, If | Do)) && lexeme.token != Option {
            self.missing_option(&lexeme);
        }
        // `byte init` is a wrong name, not the start of an item.
        let names = self.out.last().is_some_and(|last| {
            last.token.starts_declaration() && !matches!(last.token, TypeName(_))
                || matches!(last.token, Goto | Run | Dot)
        });
        if names && matches!(lexeme.token, If | Do | Fi | Od) {
            self.out.push(lexeme);
            return Ok(());
        }
        if lexeme.token.starts_item() && !self.stack.is_empty() && !names {
            self.close_for_item(&lexeme);
        } else if matches!(
            lexeme.token,
            Semicolon | Option | LeftBrace | RightBrace | If | Do | Fi | Od | Goto | Break | Atomic | DStep
        ) {
            // No statement goes on behind these inside a parenthesis.
            while let Some(open) = self.stack.last()
                && is_small(&open.token)
                && !(open.parameters && lexeme.token == Semicolon)
            {
                self.close_top(&lexeme);
            }
        }
        if matches!(lexeme.token, Semicolon | Arrow | LeftBrace | RightBrace | Fi | Od)
            && let Some(start) = self.doubt_from.take()
        {
            self.doubtful.push(start..self.out.len() + 1);
        }
        match &lexeme.token {
            LeftParen | LeftSquare | LeftBrace | If | Do => {
                if self.stack.len() >= MAX_NESTING {
                    return Err(Box::new(
                        Diagnostic::error(
                            format!("brackets are nested more than {MAX_NESTING} deep"),
                            lexeme.span,
                            "one too many",
                        )
                        .with_label(self.out[self.stack[0].at].span, "the outermost opens here"),
                    ));
                }
                let before = |back: usize| self.out.len().checked_sub(back).map(|index| &self.out[index].token);
                let parameters = lexeme.token == LeftParen
                    && (matches!(before(2), Some(Proctype | DProctype)) || matches!(before(1), Some(For)));
                self.stack.push(Open { token: lexeme.token.clone(), at: self.out.len(), parameters, blamed: false });
                self.out.push(lexeme);
            }
            token => match opener(token) {
                Some(opener) => self.close(lexeme, opener),
                None => self.out.push(lexeme),
            },
        }
        Ok(())
    }

    fn close(&mut self, lexeme: Lexeme, opener: Token) {
        if self.stack.last().is_some_and(|open| open.token == opener) {
            self.stack.pop();
            self.out.push(lexeme);
            return;
        }
        // A parenthesis does not reach out of its block.
        let reach = if is_small(&opener) {
            self.stack.iter().rposition(|open| !is_small(&open.token)).map_or(0, |index| index + 1)
        } else {
            0
        };
        if self.stack[reach..].iter().any(|open| open.token == opener) {
            while self.stack.last().is_some_and(|open| open.token != opener) {
                self.close_top(&lexeme);
            }
            self.stack.pop();
            self.out.push(lexeme);
            return;
        }
        if self.forgiven.take_if(|forgiven| *forgiven == lexeme.token).is_some() {
            return;
        }
        let text = lexeme.token.text();
        match self.stack.last() {
            // `if … od`: the wrong one of the two words.
            Some(open) if matches!((&open.token, &lexeme.token), (Token::If, Token::Od) | (Token::Do, Token::Fi)) => {
                let right = closer(&open.token);
                let opened = &self.out[open.at];
                self.diagnostics.push(
                    Diagnostic::error(
                        format!("`{}` is closed by `{}`, not `{text}`", opened.token.text(), right.text()),
                        lexeme.span,
                        format!("expected `{}`", right.text()),
                    )
                    .with_label(opened.span, "opened here"),
                );
                self.stack.pop();
                self.out.push(Lexeme { token: right, origin: Origin::Mended, ..lexeme });
            }
            open => {
                let mut error = Diagnostic::error(
                    format!("`{text}` closes nothing"),
                    lexeme.span,
                    format!("no `{}` is open here", opener.text()),
                );
                if let Some(open) = open {
                    error = error.with_label(
                        self.out[open.at].span,
                        format!("the innermost open one is this `{}`", open.token.text()),
                    );
                }
                self.diagnostics.push(error);
            }
        }
    }

    /// `if` without `::`. `else if (x)`, as in C, is read as `else (x)`; any other gets the `::` put in.
    fn missing_option(&mut self, found: &Lexeme) {
        let word = self.out[self.out.len() - 1].clone();
        let text = word.token.text();
        let of_else = self.out.len() > 1 && self.out[self.out.len() - 2].token == Token::Else;
        let label = format!("expected `::` behind `{text}`");
        let error = Diagnostic::error(format!("expected `::`, found `{}`", found.token.text()), found.span, label);
        let error = error.with_label(word.span, "every option, the first too, starts with `::`");
        self.doubt_from = Some(self.out.len() - 1);
        if of_else && found.token == Token::LeftParen {
            self.diagnostics.push(error.with_help("for one more case write one more option: `:: x == 2 -> …`"));
            self.out.pop();
            self.stack.pop();
            return;
        }
        self.diagnostics.push(match word.token {
            Token::If => error.with_help("a choice is `if :: x == 1 -> … :: else -> … fi`"),
            _ => error.with_help("a loop is `do :: x < 3 -> … :: else -> break od`"),
        });
        if let Some(open) = self.stack.last_mut() {
            open.blamed = true;
        }
        self.out.push(Lexeme::made(Token::Option, word.span, Origin::Mended));
    }

    /// Closes the innermost, because `at` cannot stand inside it.
    fn close_top(&mut self, at: &Lexeme) {
        let Some(open) = self.stack.pop() else { return };
        let right = closer(&open.token);
        if open.blamed {
            return self.mend(open, right);
        }
        let opened = &self.out[open.at];
        let (left, right_text) = (opened.token.text(), right.text());
        let error = Diagnostic::error(format!("this `{left}` is not closed"), opened.span, "opened here")
            .with_label(at.span, format!("expected `{right_text}` before this `{}`", at.token.text()));
        let last = self.out.last().and_then(|last| last.token.name()).map(|name| &**name);
        self.diagnostics.push(match (separator_of_macro(self.map, at), last) {
            (Some(help), _) => {
                self.forgiven = Some(right.clone());
                error.with_help(help)
            }
            (None, Some(word @ ("end" | "endif" | "done" | "esac" | "enddo"))) if !is_small(&open.token) => {
                error.with_help(format!("`{left}` is closed by `{right_text}`, not by `{word}`"))
            }
            _ => error,
        });
        self.mend(open, right);
    }

    fn mend(&mut self, open: Open, right: Token) {
        let span = self.out.last().map_or(self.out[open.at].span, |last| last.span);
        if is_small(&open.token) {
            self.doubtful.push(open.at..self.out.len() + 2);
        }
        self.out.push(Lexeme::made(right, span, Origin::Mended));
    }

    /// An item starts while brackets are open: all of them are closed, with one message.
    fn close_for_item(&mut self, at: &Lexeme) {
        let inner = &self.out[self.stack[self.stack.len() - 1].at];
        let right = closer(&inner.token).text();
        let mut error = Diagnostic::error(
            format!("`{}` inside a body: a `{right}` is missing above", at.token.text()),
            at.span,
            format!("expected `{right}` before this"),
        );
        for open in self.stack.iter().rev().take(3) {
            let opened = &self.out[open.at];
            error = error.with_label(opened.span, format!("this `{}` is still open", opened.token.text()));
        }
        self.diagnostics.push(error);
        while let Some(open) = self.stack.pop() {
            let right = closer(&open.token);
            self.mend(open, right);
        }
    }

    fn finish(&mut self) {
        if let Some(open) = self.stack.last() {
            let inner = &self.out[open.at];
            let mut error = Diagnostic::error(
                format!("the file ends inside this `{}`", inner.token.text()),
                inner.span,
                format!("never closed by `{}`", closer(&inner.token).text()),
            );
            for open in self.stack.iter().rev().skip(1).take(2) {
                error = error.with_label(self.out[open.at].span, "this one is open too");
            }
            self.diagnostics.push(error);
        }
        while let Some(open) = self.stack.pop() {
            let right = closer(&open.token);
            self.mend(open, right);
        }
    }
}
