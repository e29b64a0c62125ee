//! The integer expressions of `#if`: C's operators on 64-bit numbers, unsigned if one operand is.
//!
//! Precedence climbing over the expanded tokens. Sides that C does not evaluate (`0 && 1/0`) are parsed all the
//! same, only their arithmetic is let off. Nesting is bounded, as the parser calls itself.

use super::Preprocessor;
use super::token::{Interner, Token};
use crate::source::Span;
use crate::source::lexer::RawKind;

/// Parentheses, unary operators and `?:` may be nested this deeply.
const DEEPEST: usize = 200;

/// A number as C's preprocessor has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Value {
    bits: i64,
    unsigned: bool,
}

impl Value {
    fn of(bits: i64) -> Value {
        Value { bits, unsigned: false }
    }

    fn truth(condition: bool) -> Value {
        Value::of(i64::from(condition))
    }
}

/// What is wrong, and where.
type Wrong = (Span, String);

impl Preprocessor<'_> {
    /// The value of a condition; what is wrong is reported and counts as false.
    pub(super) fn condition(&mut self, directive: Token, line: &[Token]) -> bool {
        if line.is_empty() {
            let name = self.interner.text(directive.symbol).clone();
            self.error(format!("`#{name}` without a condition"), directive.span, "an expression must follow");
            return false;
        }
        let tokens = self.expand_apart(line.to_vec(), |this| {
            let token = this.next()?;
            if token.kind == RawKind::Word && token.symbol == this.symbols.defined {
                Some(this.defined(token))
            } else {
                Some(token)
            }
        });
        if self.stopped {
            return false;
        }
        let end = line.last().map_or(directive.span, |token| token.span);
        let mut parser = Parser { tokens: &tokens, at: 0, interner: &self.interner, end, depth: 0 };
        match parser.whole() {
            Ok(value) => value.bits != 0,
            Err((span, message)) => {
                self.error(message, span, "");
                false
            }
        }
    }

    /// `defined NAME` or `defined(NAME)`, as the number 0 or 1.
    fn defined(&mut self, word: Token) -> Token {
        let first = self.read();
        let in_parentheses = first.is_some_and(|token| token.symbol == self.symbols.open);
        let name = if in_parentheses { self.read() } else { first };
        let Some(name) = name.filter(|token| token.kind == RawKind::Word) else {
            self.error("`defined` must be followed by a name", word.span, "no name behind this");
            return self.number(word, 0);
        };
        if in_parentheses && !self.read().is_some_and(|token| token.symbol == self.symbols.close) {
            self.error("`defined(` is not closed", name.span, "expected `)` behind this");
        }
        let is_defined = self.macro_named(name.symbol).is_some();
        self.number(word, usize::from(is_defined))
    }

    fn number(&mut self, place: Token, value: usize) -> Token {
        let symbol = self.interner.intern(if value == 0 { "0" } else { "1" });
        Token { kind: RawKind::Number, symbol, ..place }
    }
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    interner: &'t Interner,
    /// Where to point when the expression ends too early.
    end: Span,
    depth: usize,
}

impl Parser<'_> {
    fn whole(&mut self) -> Result<Value, Wrong> {
        let value = self.choice(true)?;
        match self.tokens.get(self.at) {
            None => Ok(value),
            Some(token) => {
                Err((token.span, format!("expected an operator in this condition, found `{}`", self.text(token))))
            }
        }
    }

    fn text(&self, token: &Token) -> &str {
        self.interner.text(token.symbol)
    }

    fn peek(&self) -> Option<&str> {
        self.tokens.get(self.at).map(|token| self.text(token))
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.peek() == Some(text);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Wrong> {
        if self.take(text) {
            return Ok(());
        }
        let span = self.tokens.get(self.at).map_or(self.end, |token| token.span);
        Err((span, format!("expected `{text}` in this condition")))
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth == DEEPEST {
            let span = self.tokens.get(self.at).map_or(self.end, |token| token.span);
            return Err((span, "this condition is nested too deeply".into()));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// `c ? a : b`, and the comma operator, which C allows only where nothing is evaluated but gcc lets pass.
    fn choice(&mut self, live: bool) -> Result<Value, Wrong> {
        let condition = self.binary(0, live)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let holds = condition.bits != 0;
        let yes = self.deeper(|this| this.choice(live && holds))?;
        self.expect(":")?;
        let no = self.deeper(|this| this.choice(live && !holds))?;
        let chosen = if holds { yes } else { no };
        Ok(Value { unsigned: yes.unsigned || no.unsigned, ..chosen })
    }

    fn binary(&mut self, least: u8, live: bool) -> Result<Value, Wrong> {
        let mut left = self.unary(live)?;
        while let Some(token) = self.tokens.get(self.at) {
            let operator = self.interner.text(token.symbol);
            let Some(power) = power(operator).filter(|&power| power > least) else { break };
            let (span, operator) = (token.span, operator.clone());
            self.at += 1;
            let right_live = live
                && match &*operator {
                    "&&" => left.bits != 0,
                    "||" => left.bits == 0,
                    _ => true,
                };
            let right = self.deeper(|this| this.binary(power, right_live))?;
            left = apply(&operator, left, right)
                .or_else(|| (!right_live).then_some(Value::of(0)))
                .ok_or_else(|| (span, "division by zero in this condition".to_string()))?;
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, Wrong> {
        let Some(token) = self.tokens.get(self.at) else {
            return Err((self.end, "this condition ends too early".into()));
        };
        let text = self.text(token).to_string();
        let (kind, span) = (token.kind, token.span);
        self.at += 1;
        match (kind, text.as_str()) {
            (RawKind::Number, _) => number(&text).ok_or((span, format!("`{text}` is not an integer"))),
            (RawKind::Char, _) => Ok(Value::of(character(&text))),
            (RawKind::Word, _) => Ok(Value::of(0)),
            (_, "(") => {
                let value = self.deeper(|this| this.choice(live))?;
                self.expect(")")?;
                Ok(value)
            }
            (_, "!") => self.deeper(|this| this.unary(live)).map(|value| Value::truth(value.bits == 0)),
            // `!!` is one token in Promela.
            (_, "!!") => self.deeper(|this| this.unary(live)).map(|value| Value::truth(value.bits != 0)),
            (_, "-") => self.deeper(|this| this.unary(live)).map(|v| Value { bits: v.bits.wrapping_neg(), ..v }),
            (_, "~") => self.deeper(|this| this.unary(live)).map(|v| Value { bits: !v.bits, ..v }),
            (_, "+") => self.deeper(|this| this.unary(live)),
            _ => Err((span, format!("expected a number or a name in this condition, found `{text}`"))),
        }
    }
}

/// How tightly a binary operator binds.
fn power(operator: &str) -> Option<u8> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

/// `None` for a division by zero.
fn apply(operator: &str, left: Value, right: Value) -> Option<Value> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let (ua, ub) = (a as u64, b as u64);
    let less = if unsigned { ua < ub } else { a < b };
    let number = |bits| Some(Value { bits, unsigned });
    match operator {
        "||" => Some(Value::truth(a != 0 || b != 0)),
        "&&" => Some(Value::truth(a != 0 && b != 0)),
        "==" => Some(Value::truth(a == b)),
        "!=" => Some(Value::truth(a != b)),
        "<" => Some(Value::truth(less)),
        ">=" => Some(Value::truth(!less)),
        ">" => Some(Value::truth(!less && a != b)),
        "<=" => Some(Value::truth(less || a == b)),
        "|" => number(a | b),
        "^" => number(a ^ b),
        "&" => number(a & b),
        "+" => number(a.wrapping_add(b)),
        "-" => number(a.wrapping_sub(b)),
        "*" => number(a.wrapping_mul(b)),
        "/" if unsigned => number(ua.checked_div(ub)? as i64),
        "%" if unsigned => number(ua.checked_rem(ub)? as i64),
        "/" => number(if b == 0 { return None } else { a.wrapping_div(b) }),
        "%" => number(if b == 0 { return None } else { a.wrapping_rem(b) }),
        "<<" | ">>" => {
            // A negative count shifts the other way, as gcc has it; the type is that of the left operand.
            let leftwards = (operator == "<<") != (!right.unsigned && b < 0);
            let count = if right.unsigned { ub } else { b.unsigned_abs() };
            let bits = match (leftwards, u32::try_from(count).ok().filter(|&count| count < 64)) {
                (true, Some(count)) => a << count,
                (true, None) => 0,
                (false, Some(count)) if left.unsigned => (ua >> count) as i64,
                (false, Some(count)) => a >> count,
                (false, None) => {
                    if left.unsigned || a >= 0 {
                        0
                    } else {
                        -1
                    }
                }
            };
            Some(Value { bits, unsigned: left.unsigned })
        }
        _ => None,
    }
}

/// Decimal, octal, hexadecimal or binary, with C's suffixes.
fn number(text: &str) -> Option<Value> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix('0') {
        Some(rest) if rest.starts_with('x') => (&rest[1..], 16),
        Some(rest) if rest.starts_with('b') => (&rest[1..], 2),
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => (rest, 8),
        _ => (lower.as_str(), 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let marked = match suffix {
        "" | "l" | "ll" => false,
        "u" | "ul" | "lu" | "ull" | "llu" => true,
        _ => return None,
    };
    let bits = u64::from_str_radix(digits, radix).ok()?;
    Some(Value { bits: bits as i64, unsigned: marked || bits > i64::MAX as u64 })
}

fn character(text: &str) -> i64 {
    let mut inner = text.chars().skip(1);
    let code = match inner.next() {
        Some('\\') => match inner.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('0') => '\0',
            Some('a') => '\x07',
            Some('b') => '\x08',
            Some('f') => '\x0c',
            Some('v') => '\x0b',
            Some(other) => other,
            None => '\0',
        },
        Some(c) => c,
        None => '\0',
    };
    i64::from(u32::from(code))
}
