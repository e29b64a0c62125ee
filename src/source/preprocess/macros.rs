//! Macros: reading a `#define`, and putting arguments into a body (`#`, `##`, variadic ones).

use super::Preprocessor;
use super::token::{Symbol, Token};
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::source::lexer::{RawKind, lex};
use crate::source::{ExpansionId, SlotId, Span};
use std::rc::Rc;
use std::sync::Arc;

/// A token made by `#` or `##` may not be longer: nested uses double it each time.
const LONGEST_MADE: usize = 1 << 16;

/// What a name stands for.
#[derive(PartialEq, Debug)]
pub(super) enum Shape {
    /// `#define NAME body`.
    Object,
    /// `#define NAME(…) body`; if variadic, the last parameter takes all the rest.
    Function { parameters: Vec<Symbol>, variadic: bool },
    /// `__LINE__`.
    Line,
    /// `__FILE__`.
    File,
    /// `__COUNTER__`.
    Counter,
}

/// A token of a body.
#[derive(Debug)]
pub(super) struct Piece {
    pub token: Token,
    /// The parameter it names.
    pub parameter: Option<usize>,
    /// `#` stands in front of it.
    pub stringify: bool,
    /// `##` stands behind it.
    pub paste: bool,
}

impl Piece {
    fn same(&self, other: &Piece) -> bool {
        self.token.symbol == other.token.symbol
            && self.token.kind == other.token.kind
            && self.token.space == other.token.space
            && self.stringify == other.stringify
            && self.paste == other.paste
    }
}

/// A definition.
#[derive(Debug)]
pub(super) struct Macro {
    pub name: Arc<str>,
    /// The name in the `#define` line.
    pub definition: Span,
    pub shape: Shape,
    pub body: Vec<Piece>,
}

impl Macro {
    pub(crate) fn built_in(name: &str, shape: Shape) -> Macro {
        Macro { name: name.into(), definition: Span::default(), shape, body: Vec::new() }
    }

    /// C's rule for a second definition: the same parameters, tokens and blanks.
    pub(crate) fn same(&self, other: &Macro) -> bool {
        self.shape == other.shape
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(a, b)| a.same(b))
    }
}

/// An argument of a call.
#[derive(Default)]
pub(super) struct Argument {
    pub tokens: Vec<Token>,
    /// Nothing was given for the parameter of a variadic macro that takes the rest, not even a comma.
    pub absent: bool,
    /// The tokens fully expanded, once a place in the body has asked for them.
    pub expanded: Option<Vec<Token>>,
}

impl Preprocessor<'_> {
    /// Obeys `#define`; `line` is what stands behind the word.
    pub(super) fn define(&mut self, directive: Token, line: &[Token]) {
        let Some((&name, rest)) = line.split_first() else {
            self.error("`#define` without a name", directive.span, "a macro's name must follow");
            return;
        };
        if name.kind != RawKind::Word || name.symbol == self.symbols.defined {
            self.error("a macro's name must be a word", name.span, "cannot be defined");
            return;
        }
        let (shape, rest) = match rest.first() {
            Some(open) if open.symbol == self.symbols.open && !open.space => match self.parameters(*open, &rest[1..]) {
                Some(split) => split,
                None => return,
            },
            _ => (Shape::Object, rest),
        };
        let Some(body) = self.body(&shape, rest) else { return };
        let definition = Macro { name: self.interner.text(name.symbol).clone(), definition: name.span, shape, body };
        if let Some(earlier) = self.macro_named(name.symbol)
            && !earlier.same(&definition)
        {
            let mut warning = Diagnostic::warning(
                format!("macro `{}` is defined again, with another body", definition.name),
                name.span,
                "from here on this definition holds",
            )
            .with_code(Code::MacroRedefined);
            if matches!(earlier.shape, Shape::Object | Shape::Function { .. }) {
                warning = warning.with_label(earlier.definition, "first defined here");
            }
            self.report(warning.with_help(format!("write `#undef {}` first if this is meant", definition.name)));
        }
        self.set_macro(name.symbol, Some(Rc::new(definition)));
    }

    /// The parameter list behind `(`, and the line behind its `)`.
    fn parameters<'t>(&mut self, open: Token, mut line: &'t [Token]) -> Option<(Shape, &'t [Token])> {
        let mut parameters = Vec::new();
        let mut variadic = false;
        let symbols = self.symbols;
        let mut last = open;
        // `...` is cut into `..` and `.`.
        let dots = |line: &[Token]| {
            line.len() >= 2 && line[0].symbol == symbols.dots && line[1].symbol == symbols.dot && !line[1].space
        };
        if let Some(close) = line.first()
            && close.symbol == symbols.close
        {
            return Some((Shape::Function { parameters, variadic }, &line[1..]));
        }
        loop {
            if dots(line) {
                parameters.push(symbols.va_args);
                variadic = true;
                last = line[1];
                line = &line[2..];
            } else if let Some(word) = line.first().filter(|token| token.kind == RawKind::Word) {
                if parameters.contains(&word.symbol) {
                    let message = format!("parameter `{}` is named twice", self.interner.text(word.symbol));
                    self.error(message, word.span, "already a parameter of this macro");
                    return None;
                }
                parameters.push(word.symbol);
                last = *word;
                line = &line[1..];
                if dots(line) {
                    variadic = true;
                    last = line[1];
                    line = &line[2..];
                }
            }
            match line.first() {
                Some(token) if token.symbol == symbols.close && last.symbol != symbols.comma => {
                    return Some((Shape::Function { parameters, variadic }, &line[1..]));
                }
                Some(token)
                    if token.symbol == symbols.comma
                        && !variadic
                        && last.symbol != symbols.comma
                        && last.symbol != symbols.open =>
                {
                    last = *token;
                    line = &line[1..];
                }
                Some(token) => {
                    self.error(
                        "the parameter list of this macro is malformed",
                        token.span,
                        "expected a parameter, `,` or `)`",
                    );
                    return None;
                }
                None => {
                    self.error("the parameter list of this macro is not closed", last.span, "expected `)` behind this");
                    return None;
                }
            }
        }
    }

    /// The body with its operators resolved.
    fn body(&mut self, shape: &Shape, line: &[Token]) -> Option<Vec<Piece>> {
        let mut body: Vec<Piece> = Vec::with_capacity(line.len());
        let parameters: &[Symbol] = match shape {
            Shape::Function { parameters, .. } => parameters,
            _ => &[],
        };
        let mut index = 0;
        while let Some(&token) = line.get(index) {
            index += 1;
            if token.kind == RawKind::Paste {
                let Some(left) = body.last_mut().filter(|_| index < line.len()) else {
                    self.error("`##` stands at an end of the body", token.span, "must stand between two tokens");
                    return None;
                };
                left.paste = true;
                continue;
            }
            let find =
                |token: &Token| parameters.iter().position(|&name| token.kind == RawKind::Word && name == token.symbol);
            let mut piece = Piece {
                token: Token { painted: false, ..token },
                parameter: find(&token),
                stringify: false,
                paste: false,
            };
            if token.kind == RawKind::Hash && matches!(shape, Shape::Function { .. }) {
                let Some((&operand, parameter)) = line.get(index).and_then(|next| Some((next, find(next)?))) else {
                    self.error("`#` must stand in front of a parameter", token.span, "no parameter behind this");
                    return None;
                };
                index += 1;
                let span = token.span.to(operand.span);
                piece.token = Token { span, space: token.space, ..operand };
                piece.parameter = Some(parameter);
                piece.stringify = true;
            }
            if body.is_empty() {
                piece.token.space = false;
            }
            body.push(piece);
        }
        Some(body)
    }

    /// The body with the arguments put in, ready to be scanned again.
    pub(super) fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &mut [Argument],
        expansion: ExpansionId,
    ) -> Vec<Token> {
        let mut out: Vec<Token> = Vec::with_capacity(definition.body.len());
        let mut after_paste = false;
        // Whether the operand on the left of a `##` has a token at all.
        let mut have_left = false;
        let (mut made, mut put_in);
        for (index, piece) in definition.body.iter().enumerate() {
            let written = Token { span: Span { expansion, ..piece.token.span }, starts_line: false, ..piece.token };
            let mut pasting = after_paste;
            let items: &[Token] = match piece.parameter {
                Some(parameter) if piece.stringify => {
                    made = self.stringify(&arguments[parameter].tokens, written);
                    std::slice::from_ref(&made)
                }
                Some(parameter) => {
                    let variadic = matches!(definition.shape, Shape::Function { variadic: true, ref parameters }
                        if parameters.len() == parameter + 1);
                    if variadic && after_paste && definition.body[index - 1].token.symbol == self.symbols.comma {
                        // GNU C: `, ## __VA_ARGS__` takes the comma back if no argument is given.
                        pasting = false;
                        if arguments[parameter].absent && have_left {
                            out.pop();
                        }
                    }
                    if !after_paste && !piece.paste && arguments[parameter].expanded.is_none() {
                        let expanded = self.expand_argument(&arguments[parameter].tokens);
                        arguments[parameter].expanded = Some(expanded);
                    }
                    let argument = &arguments[parameter];
                    let tokens = match &argument.expanded {
                        Some(expanded) if !after_paste && !piece.paste => expanded,
                        _ => &argument.tokens,
                    };
                    put_in = self.put_in(tokens, written.span);
                    &put_in
                }
                None => {
                    made = written;
                    std::slice::from_ref(&made)
                }
            };
            if !self.spend(items.len()) {
                return Vec::new();
            }
            let start = out.len();
            match (pasting && have_left, items.split_first(), out.last().copied()) {
                (true, Some((&right, rest)), Some(left)) => {
                    if let Some(token) = self.paste(left, right, written.span) {
                        out.pop();
                        out.push(token);
                    } else {
                        out.push(right);
                    }
                    out.extend_from_slice(rest);
                }
                _ => out.extend_from_slice(items),
            }
            if piece.parameter.is_some() && !pasting && out.len() > start {
                out[start].space = piece.token.space;
            }
            have_left = if after_paste { have_left || !items.is_empty() } else { !items.is_empty() };
            after_paste = piece.paste;
        }
        out
    }

    /// The tokens of an argument, for the parameter at a place.
    fn put_in(&mut self, tokens: &[Token], parameter: Span) -> Vec<Token> {
        let mut slots = (SlotId::NONE, SlotId::NONE);
        let of = |token: &Token| {
            if slots.1 == SlotId::NONE || slots.0 != token.slot {
                slots = (token.slot, self.map.add_slot(parameter, token.slot));
            }
            Token { slot: slots.1, ..*token }
        };
        tokens.iter().map(of).collect()
    }

    /// `#parameter`: the argument as it is written, blanks made one.
    fn stringify(&mut self, tokens: &[Token], place: Token) -> Token {
        let mut text = String::from("\"");
        for (index, token) in tokens.iter().enumerate() {
            if token.space && index > 0 {
                text.push(' ');
            }
            let spelled = self.interner.text(token.symbol);
            if matches!(token.kind, RawKind::String | RawKind::Char) {
                text.extend(spelled.chars().flat_map(|c| {
                    let escape = matches!(c, '"' | '\\').then_some('\\');
                    escape.into_iter().chain(std::iter::once(c))
                }));
            } else {
                text.push_str(spelled);
            }
            if text.len() > LONGEST_MADE {
                self.error("`#` makes a string that is too long", place.span, "");
                text.truncate(1);
                break;
            }
        }
        text.push('"');
        let symbol = self.interner.intern(&text);
        Token { kind: RawKind::String, symbol, painted: false, glued: false, ..place }
    }

    /// `left ## right`, if that is one token.
    fn paste(&mut self, left: Token, right: Token, place: Span) -> Option<Token> {
        let (first, second) = (self.interner.text(left.symbol), self.interner.text(right.symbol));
        let text = format!("{first}{second}");
        let message = if text.len() > LONGEST_MADE {
            "`##` makes a token that is too long".to_string()
        } else {
            match lex(&text).as_slice() {
                &[raw] if !matches!(raw.kind, RawKind::Comment | RawKind::LineComment | RawKind::OpenComment) => {
                    let symbol = self.interner.intern(&text);
                    let (kind, slot) = (raw.kind, SlotId::NONE);
                    return Some(Token { kind, symbol, span: place, slot, painted: false, glued: false, ..left });
                }
                _ => format!("`##` cannot make one token of `{first}` and `{second}`"),
            }
        };
        self.error(message, place, "pasted here");
        None
    }
}
