//! Goes on after a syntax error. Brackets are balanced by now, so the statement around an error is easy to cut out:
//! from the separator (or `::`, or opening bracket) before it to the one behind it, at the same depth. It is
//! replaced by an empty statement and the item is parsed again; an error that is not inside a body costs the item.
//! Parsing anew for each error is slower than skipping tokens in the parser, but it never leaves the parser in the
//! middle of a bracket, which is where messages come from that have no cause in the text.

use super::token::{Lexeme, Token};

/// The tokens of one item; a number that stands twice or is left out by a repair keeps its meaning.
pub(crate) struct Stream {
    /// The token, its number in the whole model, and whether a repair put it here.
    tokens: Vec<(Token, u32, bool)>,
}

impl Stream {
    /// All of the item.
    pub(crate) fn new(lexemes: &[Lexeme], first: usize) -> Stream {
        Stream { tokens: lexemes.iter().zip(first as u32..).map(|(l, at)| (l.token.clone(), at, false)).collect() }
    }

    /// Cuts out the statement that holds the token numbered `at`. False if that is not possible.
    pub(crate) fn repair(&mut self, at: u32) -> bool {
        let index = self.tokens.partition_point(|&(_, number, _)| number < at);
        let opens = self.openers();
        // A closing bracket that came too early ends the sequence that it closes.
        let mut opener = match opens.get(index) {
            Some(&open) => open,
            None => return false,
        };
        let mut at = index;
        while let Some(open) = opener {
            if self.is_sequence(open)
                && let Some((start, end)) = self.statement(open, at)
                && !self.is_repaired(start, end)
            {
                self.replace(start, end);
                return true;
            }
            at = open;
            opener = opens[open];
        }
        false
    }

    /// For each token the bracket that it stands in (a closing one stands in its own).
    fn openers(&self) -> Vec<Option<usize>> {
        use Token::*;
        let mut stack = Vec::new();
        let mut all = Vec::with_capacity(self.tokens.len());
        for (index, (token, ..)) in self.tokens.iter().enumerate() {
            all.push(stack.last().copied());
            match token {
                LeftParen | LeftSquare | LeftBrace | If | Do => stack.push(index),
                RightParen | RightSquare | RightBrace | Fi | Od => {
                    stack.pop();
                }
                _ => {}
            }
        }
        all
    }

    /// Steps stand behind this bracket: a block, `if` or `do`, but no list of values or types.
    fn is_sequence(&self, open: usize) -> bool {
        use Token::*;
        let before = |back: usize| open.checked_sub(back).map(|index| &self.tokens[index].0);
        match self.tokens[open].0 {
            If | Do => true,
            LeftBrace => {
                !matches!(before(1), Some(Of | Assign | Mtype))
                    && !matches!(before(2), Some(Typedef | Ltl))
                    && !matches!(before(1), Some(Ltl))
            }
            _ => false,
        }
    }

    /// The bounds of the step that holds `at`, in the sequence that opens at `open`; without its labels.
    fn statement(&self, open: usize, at: usize) -> Option<(usize, usize)> {
        use Token::*;
        let mut depth = 0usize;
        let mut start = open + 1;
        let mut options = false;
        for index in open + 1..self.tokens.len() {
            let token = &self.tokens[index].0;
            let ends = depth == 0 && matches!(token, Semicolon | Arrow | Option | RightBrace | Fi | Od);
            // The separator in front of the error belongs to the statement before it, unless it is itself the error.
            if ends && index >= at {
                if matches!(self.tokens[open].0, If | Do) && !options && start == open + 1 {
                    return None;
                }
                let end =
                    if index == at && matches!(token, Semicolon | Arrow) && start == index { index + 1 } else { index };
                while start + 1 < end
                    && matches!((&self.tokens[start].0, &self.tokens[start + 1].0), (Name(_), Colon))
                    && start + 1 < at
                {
                    start += 2;
                }
                return Some((start, end));
            }
            if ends {
                options |= *token == Option;
                start = index + 1;
            }
            match token {
                LeftParen | LeftSquare | LeftBrace | If | Do => depth += 1,
                RightParen | RightSquare | RightBrace | Fi | Od => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }

    fn is_repaired(&self, start: usize, end: usize) -> bool {
        self.tokens[start..end].iter().any(|&(_, _, repaired)| repaired) && end - start == 1
    }

    fn replace(&mut self, start: usize, end: usize) {
        let number = self.tokens[start.min(self.tokens.len() - 1)].1;
        let mut put_in = vec![(Token::Number(1), number, true)];
        // A lone separator gives way to a statement and a separator.
        if end == start + 1 && matches!(self.tokens[start].0, Token::Semicolon | Token::Arrow) {
            put_in.push((Token::Semicolon, number, true));
        }
        self.tokens.splice(start..end, put_in);
    }

    /// What the parser reads.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<(u32, Token, u32), ()>> + '_ {
        self.tokens.iter().map(|(token, at, _)| Ok((*at, token.clone(), at + 1)))
    }
}
