//! Formulas from text, in both spellings of SPIN's operators.
//!
//! SPIN groups operators of different strength in two ways, and so do the two functions here. On its command line (`spin -f`) all
//! of `&& || -> <->` are equally strong and group to the left: `p || q && r` is `(p || q) && r`. In an `ltl` block of a model,
//! `&&` is stronger than `||`, which is stronger than `->` and `<->`. In both, `U V W` are stronger than those and group to the
//! left, and a prefix operator takes the shortest operand: `[] p U q` is `([] p) U q`.
//!
//! An atom is a Promela expression: its text is kept and the formula has its number. In parentheses without a temporal operator,
//! `&&` and `||` are Promela's own; such an expression stays one atom, because `(i < N && a[i])` must not be taken apart into
//! conditions that are evaluated in another order. Only when all its operands are plain names, which cannot fail, is it split.

use std::fmt;

use super::buchi::DEPTH_LIMIT;
use super::foreign::{self, Foreign};
use super::formula::Formula;
use super::lex::{Kind, Token, tokens};

/// A formula and the texts of its atoms: `Atom(i)` is `atoms[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The formula over numbered atoms.
    pub formula: Formula,
    /// What stands in the model for each atom.
    pub atoms: Vec<String>,
}

/// Where a text stops being a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset into the text.
    pub offset: usize,
    /// Bytes of what stands there.
    pub length: usize,
    /// What could have stood there.
    pub expected: &'static str,
    /// What stands there.
    pub found: String,
    /// What stands there is a sign of another tool's language: what to write instead.
    pub instead: Option<&'static str>,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "expected {}, found {} at byte {}", self.expected, self.found, self.offset)
    }
}

impl std::error::Error for ParseError {}

/// Reads a formula as `spin -f` groups it.
pub fn parse(text: &str) -> Result<Parsed, ParseError> {
    Parser::new(text, Grouping::CommandLine).whole()
}

/// Reads a formula as SPIN groups it in an `ltl` block of a model.
pub fn parse_inline(text: &str) -> Result<Parsed, ParseError> {
    Parser::new(text, Grouping::Inline).whole()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grouping {
    CommandLine,
    Inline,
}

impl Grouping {
    /// Strength of an operator between two operands, larger is stronger.
    fn strength(self, kind: Kind) -> Option<u8> {
        match (kind, self) {
            (Kind::Until | Kind::Release | Kind::WeakUntil, _) => Some(4),
            (Kind::And, Grouping::Inline) => Some(3),
            (Kind::Or, Grouping::Inline) => Some(2),
            (Kind::And | Kind::Or | Kind::Implies | Kind::Equiv, _) => Some(1),
            _ => None,
        }
    }
}

/// Parentheses and prefix operators that may nest. Each takes a few stack frames, so this is less than what a formula may have.
const NESTING_LIMIT: usize = 250;

const TOO_DEEP: &str = "a formula that nests less deeply";
const OPERAND: &str = "a proposition, `(` or a prefix operator";
const OPERATOR: &str = "an operator or the end of the formula";
const PLAIN: &str = "a Promela expression without temporal operators";
const OURS: &str = "an operator as SPIN writes it";

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    /// For each opening token the closing one, where there is one.
    closing: Vec<Option<usize>>,
    /// `temporal[i]`: temporal operators among the first `i` tokens.
    temporal: Vec<usize>,
    atoms: Vec<String>,
    at: usize,
    /// Tokens from here on are not looked at.
    end: usize,
    grouping: Grouping,
}

/// A formula with its depth, which is kept below the limit: dropping a deeper one could exhaust the stack.
type Measured = (Formula, usize);

impl<'a> Parser<'a> {
    fn new(text: &'a str, grouping: Grouping) -> Parser<'a> {
        let tokens = tokens(text);
        let mut closing = vec![None; tokens.len()];
        let mut temporal = vec![0];
        let mut open: Vec<(usize, Kind)> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            temporal.push(temporal[at] + token.kind.is_temporal() as usize);
            match token.kind {
                Kind::Open => open.push((at, Kind::Close)),
                Kind::OpenIndex => open.push((at, Kind::CloseIndex)),
                Kind::Close | Kind::CloseIndex => match open.last() {
                    Some(&(start, kind)) if kind == token.kind => {
                        closing[start] = Some(at);
                        open.pop();
                    }
                    // Not balanced: whatever is open stays without its end, and the parser stops there.
                    _ => open.clear(),
                },
                _ => {}
            }
        }
        let end = tokens.len();
        Parser { text, tokens, closing, temporal, atoms: Vec::new(), at: 0, end, grouping }
    }

    fn whole(mut self) -> Result<Parsed, ParseError> {
        // Before anything else: in parentheses they would pass for Promela that only the reader of models understands.
        if let Some(found) = foreign::find(&self.texts()) {
            return Err(self.refuse(found));
        }
        let (formula, _) = self.expression(1, 0)?;
        if self.at < self.end {
            return self.fail(self.at, OPERATOR);
        }
        Ok(Parsed { formula, atoms: self.atoms })
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        (at < self.end).then(|| self.tokens[at].kind)
    }

    fn fail<T>(&self, at: usize, expected: &'static str) -> Result<T, ParseError> {
        let (offset, length, found) = match self.tokens.get(at) {
            Some(token) => {
                let shown: String = self.text[token.start..token.end].chars().take(40).collect();
                (token.start, token.end - token.start, format!("`{shown}`"))
            }
            None => (self.text.len(), 0, "the end".to_string()),
        };
        let mixed = self.tokens.get(at).is_some_and(|token| token.kind.is_temporal());
        if matches!(expected, OPERAND | OPERATOR | PLAIN)
            && let Some(found) = foreign::find_in_wrong(&self.texts(), mixed)
        {
            return Err(self.refuse(found));
        }
        Err(ParseError { offset, length, expected, found, instead: None })
    }

    /// All tokens as they are written.
    fn texts(&self) -> Vec<&'a str> {
        self.tokens.iter().map(|token| &self.text[token.start..token.end]).collect()
    }

    /// The error that a sign of another language is.
    fn refuse(&self, sign: Foreign) -> ParseError {
        let (first, last) = (self.tokens[sign.at], self.tokens[sign.at + sign.tokens - 1]);
        let found = format!("`{}`", &self.text[first.start..last.end]);
        let (offset, length) = (first.start, last.end - first.start);
        ParseError { offset, length, expected: OURS, found, instead: Some(sign.instead) }
    }

    /// Operands joined by operators of at least the given strength.
    fn expression(&mut self, least: u8, nesting: usize) -> Result<Measured, ParseError> {
        let (mut left, mut depth) = self.operand(nesting)?;
        while let Some(kind) = self.kind(self.at)
            && let Some(strength) = self.grouping.strength(kind)
            && strength >= least
        {
            let operator = self.at;
            self.at += 1;
            let (right, right_depth) = self.expression(strength + 1, nesting)?;
            depth = depth.max(right_depth) + 1;
            if depth > DEPTH_LIMIT {
                return self.fail(operator, TOO_DEEP);
            }
            let (one, other) = (Box::new(left), Box::new(right));
            left = match kind {
                Kind::And => Formula::And(one, other),
                Kind::Or => Formula::Or(one, other),
                Kind::Implies => Formula::Implies(one, other),
                Kind::Equiv => Formula::Equiv(one, other),
                Kind::Until => Formula::Until(one, other),
                Kind::Release => Formula::Release(one, other),
                _ => Formula::WeakUntil(one, other),
            };
        }
        Ok((left, depth))
    }

    fn operand(&mut self, nesting: usize) -> Result<Measured, ParseError> {
        if nesting > NESTING_LIMIT {
            return self.fail(self.at, TOO_DEEP);
        }
        let Some(kind) = self.kind(self.at) else {
            return self.fail(self.at, OPERAND);
        };
        let prefix: fn(Box<Formula>) -> Formula = match kind {
            Kind::Not => Formula::Not,
            Kind::Next => Formula::Next,
            Kind::Always => Formula::Always,
            Kind::Eventually => Formula::Eventually,
            Kind::Open => return self.group(nesting),
            _ => return self.atom(),
        };
        self.at += 1;
        let (inner, depth) = self.operand(nesting + 1)?;
        Ok((prefix(Box::new(inner)), depth + 1))
    }

    /// An opening parenthesis: of a formula, of an atom, or of the first operand of an atom.
    fn group(&mut self, nesting: usize) -> Result<Measured, ParseError> {
        let open = self.at;
        let close = match self.closing[open] {
            Some(close) if close < self.end => close,
            _ => return self.fail(open, "a parenthesis that is closed"),
        };
        if close == open + 1 {
            return self.fail(close, OPERAND);
        }
        if matches!(self.kind(close + 1), Some(Kind::Operator | Kind::Joint)) {
            return self.atom();
        }
        let is_temporal = self.temporal[close] > self.temporal[open];
        let (outer_end, outer_grouping) = (self.end, self.grouping);
        let known = self.atoms.len();
        self.end = close;
        self.at = open + 1;
        if !is_temporal {
            self.grouping = Grouping::Inline;
        }
        let mut inside = self.expression(1, nesting + 1);
        if inside.is_ok() && self.at < close {
            inside = self.fail(self.at, OPERATOR);
        }
        self.end = outer_end;
        self.grouping = outer_grouping;
        self.at = close + 1;
        if is_temporal {
            return inside;
        }
        match inside {
            Err(error) if error.expected == TOO_DEEP => Err(error),
            Ok((formula, depth)) if !self.is_conditional(open, close) && self.may_be_split(&formula) => {
                Ok((formula, depth))
            }
            // Promela that is not to be taken apart, or that only the reader of models understands.
            _ => {
                self.atoms.truncate(known);
                Ok(self.intern(open + 1, close))
            }
        }
    }

    /// Whether the tokens between parentheses are Promela's conditional `(p -> q : r)` and not an implication.
    fn is_conditional(&self, open: usize, close: usize) -> bool {
        let colon = |token: &Token| self.text[token.start..].starts_with(':');
        let inside = &self.tokens[open + 1..close];
        let arrow = inside.iter().position(|token| token.kind == Kind::Implies);
        arrow.is_some_and(|arrow| inside[arrow..].iter().any(colon))
    }

    /// Whether the evaluation of the atoms cannot fail, or their order cannot change.
    fn may_be_split(&self, formula: &Formula) -> bool {
        let mut atoms = formula.subformulas().filter_map(|(inner, _)| match inner {
            Formula::Atom(atom) => self.atoms.get(*atom as usize),
            _ => None,
        });
        let is_name = |text: &String| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        match (atoms.next(), atoms.next()) {
            (Some(first), Some(second)) => is_name(first) && is_name(second) && atoms.all(is_name),
            _ => true,
        }
    }

    /// An atom outside of parentheses: operands joined by Promela's arithmetic and comparisons.
    fn atom(&mut self) -> Result<Measured, ParseError> {
        let start = self.at;
        match self.kind(self.at) {
            Some(Kind::True) => {
                self.at += 1;
                return Ok((Formula::True, 1));
            }
            Some(Kind::False) => {
                self.at += 1;
                return Ok((Formula::False, 1));
            }
            _ => {}
        }
        loop {
            while matches!(self.kind(self.at), Some(Kind::Operator | Kind::Not)) {
                self.at += 1;
            }
            match self.kind(self.at) {
                Some(Kind::Word | Kind::True | Kind::False) => self.at += 1,
                Some(Kind::Open | Kind::OpenIndex) if self.at > start || self.kind(self.at) == Some(Kind::Open) => {
                    self.skip_brackets()?
                }
                _ => return self.fail(self.at, OPERAND),
            }
            loop {
                match self.kind(self.at) {
                    Some(Kind::OpenIndex | Kind::Open) => self.skip_brackets()?,
                    Some(Kind::Joint) if self.kind(self.at + 1) == Some(Kind::Word) => self.at += 2,
                    _ => break,
                }
            }
            if self.kind(self.at) != Some(Kind::Operator) {
                break;
            }
        }
        Ok(self.intern(start, self.at))
    }

    fn skip_brackets(&mut self) -> Result<(), ParseError> {
        match self.closing[self.at] {
            Some(close) if close < self.end => {
                if self.temporal[close] > self.temporal[self.at] {
                    let inside = (self.at..close).find(|&at| self.tokens[at].kind.is_temporal());
                    return self.fail(inside.unwrap_or(self.at), PLAIN);
                }
                self.at = close + 1;
                Ok(())
            }
            _ => self.fail(self.at, "a bracket that is closed"),
        }
    }

    /// The atom made of the tokens from `start` up to `end`, without parentheses around all of it.
    fn intern(&mut self, mut start: usize, mut end: usize) -> Measured {
        while end > start + 2 && self.tokens[start].kind == Kind::Open && self.closing[start] == Some(end - 1) {
            start += 1;
            end -= 1;
        }
        let text = &self.text[self.tokens[start].start..self.tokens[end - 1].end];
        let formula = match text {
            "1" => Formula::True,
            "0" => Formula::False,
            _ => {
                let number = self.atoms.iter().position(|known| known == text).unwrap_or_else(|| {
                    self.atoms.push(text.to_string());
                    self.atoms.len() - 1
                });
                Formula::Atom(number as u32)
            }
        };
        (formula, 1)
    }
}
