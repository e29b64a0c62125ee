//! Separators and kinds of names, as SPIN's own lexer settles them.
//!
//! Inside a body, and outside parentheses, a line end behind something that can end a statement counts as `;`; so
//! does the place behind `}` and behind `else`. Several separators in a row are one, and one in front of `}`, `fi`,
//! `od` or `::` is none. After this pass the grammar needs to know exactly one separator between two steps.
//!
//! A name is a type's from the end of its `typedef` on and a process type's from the head of its `proctype` on;
//! formulas see all of them, because SPIN reads `ltl` blocks last.

use super::brackets::Balanced;
use super::token::{Lexeme, Origin, Token};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// A line end behind this token is a separator.
pub(crate) fn ends_line(token: &Token) -> bool {
    use Token::*;
    matches!(
        token,
        RightBrace
            | RightParen
            | RightSquare
            | Od
            | Fi
            | Else
            | Break
            | Name(_)
            | Number(_)
            | Increment
            | Decrement
            | Timeout
    )
}

/// Behind `}` a separator is put in, except in front of these.
fn needs_none_after_brace(token: &Token) -> bool {
    use Token::*;
    matches!(token, Proctype | Init | Never | Option | Fi | Od | RightBrace | Unless | Semicolon | Arrow)
}

/// Settles both. Gives the tokens, and the doubtful stretches in their new numbers.
pub(crate) fn settle(balanced: Balanced) -> (Vec<Lexeme>, Vec<Range<usize>>) {
    let Balanced { tokens, mut doubtful } = balanced;
    let mut all_processes = HashSet::new();
    for pair in tokens.windows(2) {
        if matches!(pair[0].token, Token::Proctype | Token::DProctype)
            && let Some(name) = pair[1].token.name()
        {
            all_processes.insert(name.clone());
        }
    }
    let mut settler = Settler { out: Vec::with_capacity(tokens.len() + tokens.len() / 4), ..Settler::default() };
    // New numbers are needed only if a bracket was mended, which is rare.
    let mut numbers = Vec::with_capacity(if doubtful.is_empty() { 0 } else { tokens.len() });
    for lexeme in tokens {
        settler.take(lexeme, &all_processes);
        if !doubtful.is_empty() {
            numbers.push(settler.out.len() - 1);
        }
    }
    let end = settler.out.len();
    for range in &mut doubtful {
        let number = |old: usize| numbers.get(old).copied().unwrap_or(end);
        *range = number(range.start)..number(range.end);
    }
    (settler.out, doubtful)
}

#[derive(Default)]
struct Settler {
    out: Vec<Lexeme>,
    types: HashSet<Arc<str>>,
    processes: HashSet<Arc<str>>,
    parens: u32,
    braces: u32,
    /// A word that starts an item with a body was met; the next `{` opens the body.
    expects_body: bool,
    in_body: bool,
    in_formula: bool,
    /// The `typedef` that is open.
    typedef: Option<Arc<str>>,
}

impl Settler {
    fn take(&mut self, mut lexeme: Lexeme, all_processes: &HashSet<Arc<str>>) {
        use Token::*;
        if let Name(name) = &lexeme.token {
            let before = self.out.last().map(|last| &last.token);
            let processes = if self.in_formula { all_processes } else { &self.processes };
            if matches!(before, Some(Typedef)) {
                self.typedef = Some(name.clone());
            } else if matches!(before, Some(Proctype | DProctype)) {
                self.processes.insert(name.clone());
            } else if self.types.contains(name) {
                lexeme.token = TypeName(name.clone());
            } else if processes.contains(name) {
                lexeme.token = ProcName(name.clone());
            }
        }
        if let Some(separator) = self.implied(&lexeme) {
            self.out.push(separator);
        }
        match &lexeme.token {
            LeftParen => self.parens += 1,
            RightParen => self.parens = self.parens.saturating_sub(1),
            LeftBrace => {
                if self.braces == 0 && self.expects_body {
                    self.in_body = true;
                }
                self.braces += 1;
            }
            RightBrace => {
                self.braces = self.braces.saturating_sub(1);
                if self.braces == 0 {
                    self.in_body = false;
                    self.in_formula = false;
                    self.expects_body = false;
                    self.types.extend(self.typedef.take());
                }
            }
            Ltl => self.in_formula = true,
            token if token.starts_item() => self.expects_body = true,
            _ => {}
        }
        // Several separators are one; in front of a closing word there is none. The last written one stays.
        if matches!(lexeme.token, RightBrace | Fi | Od | Option) {
            while matches!(self.out.last().map(|last| &last.token), Some(Semicolon | Arrow)) && self.braces_hold() {
                self.out.pop();
            }
        } else if matches!(lexeme.token, Semicolon | Arrow) {
            while matches!(self.out.last().map(|last| &last.token), Some(Semicolon | Arrow)) {
                self.out.pop();
            }
        }
        self.out.push(lexeme);
    }

    /// A separator that directly follows an opening brace or `::` is a mistake and stays to be reported.
    fn braces_hold(&self) -> bool {
        let before = self.out.len().checked_sub(2).map(|index| &self.out[index].token);
        !matches!(before, None | Some(Token::Option | Token::LeftBrace))
    }

    fn implied(&self, next: &Lexeme) -> Option<Lexeme> {
        use Token::*;
        let last = self.out.last()?;
        let wanted = match &last.token {
            Else => !matches!(next.token, Semicolon | Arrow | Fi),
            RightBrace => !needs_none_after_brace(&next.token),
            _ => false,
        };
        let line = next.newline
            && self.in_body
            && self.parens == 0
            && ends_line(&last.token)
            && !(last.token == RightBrace && next.token == Unless);
        (wanted || line).then(|| Lexeme::made(Semicolon, last.span, Origin::Implied))
    }
}
