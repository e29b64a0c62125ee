//! The expansion of macros, as C has it and as `cpp` does it.
//!
//! Text that is still to be scanned lies on a stack of contexts above the files: an expansion is pushed and read
//! from the top. A macro is disabled as long as its own context lies on the stack; its name, met in that time, is
//! painted and stays as it is for ever. A call may take its arguments from below its context, which is popped, and
//! the macro enabled again, when its last token has been read.
//!
//! Macros can grow text without bound in a few lines, so every copied token is paid for out of one budget per run.

use super::macros::{Argument, Macro, Shape};
use super::token::Token;
use super::{DEEPEST_ARGUMENT, Preprocessor};
use crate::source::diagnostic::Diagnostic;
use crate::source::lexer::RawKind;
use crate::source::{Expansion, ExpansionKind, Span};
use std::rc::Rc;

/// Text to be read before what lies below it.
pub(super) struct Context {
    tokens: Vec<Token>,
    at: usize,
    /// The macro it came from, disabled as long as this is on the stack.
    of: Option<super::token::Symbol>,
}

/// What an expansion costs beside its tokens: it is recorded in the map of sources.
const PRICE_OF_CALL: usize = 4;

impl Preprocessor<'_> {
    /// The next token with all macros expanded; `None` at the end of the text or of the argument being expanded.
    pub(super) fn next(&mut self) -> Option<Token> {
        loop {
            let mut token = self.read()?;
            if token.kind != RawKind::Word || token.painted {
                return Some(token);
            }
            let Some(definition) = self.macro_named(token.symbol) else { return Some(token) };
            if self.is_disabled(token.symbol) {
                token.painted = true;
                return Some(token);
            }
            let definition = definition.clone();
            if token.glued {
                self.refuse_glued(token, &definition);
            }
            if let Some(token) = self.enter(token, &definition) {
                return Some(token);
            }
        }
    }

    /// The next token as it stands, from the contexts or, below them, from the files.
    pub(super) fn read(&mut self) -> Option<Token> {
        while !self.stopped && self.contexts.len() > self.base {
            let context = self.contexts.last_mut()?;
            if let Some(&token) = context.tokens.get(context.at) {
                context.at += 1;
                return Some(token);
            }
            self.pop();
        }
        if self.stopped || self.base > 0 { None } else { self.read_file() }
    }

    fn pop(&mut self) {
        if let Some(symbol) = self.contexts.pop().and_then(|context| context.of) {
            self.set_disabled(symbol, false);
        }
    }

    fn push(&mut self, tokens: Vec<Token>, of: Option<super::token::Symbol>) {
        self.contexts.push(Context { tokens, at: 0, of });
    }

    /// Takes tokens out of the budget; false when it is used up, and then everything stops.
    pub(super) fn spend(&mut self, tokens: usize) -> bool {
        match self.budget.checked_sub(tokens) {
            Some(rest) => self.budget = rest,
            None if !self.stopped => {
                let place = self.outermost.unwrap_or_default();
                self.report(
                    Diagnostic::error("macros expand to too much text", place, "while this was expanded")
                        .with_note(format!("the limit is {} tokens for a whole model", super::BUDGET)),
                );
                self.stopped = true;
            }
            None => {}
        }
        !self.stopped
    }

    /// Starts the expansion of a macro whose name was read. Gives the token back if it is to stay as it is.
    fn enter(&mut self, name: Token, definition: &Rc<Macro>) -> Option<Token> {
        if self.contexts.is_empty() {
            self.outermost = Some(name.span);
        }
        let (arguments, call) = match &definition.shape {
            Shape::Object => (Vec::new(), name.span),
            Shape::Function { parameters, variadic } => {
                if !self.call_follows() {
                    return Some(name);
                }
                match self.arguments(name, definition, parameters.len(), *variadic) {
                    Some((arguments, close)) => (arguments, name.span.to(close)),
                    None => return Some(Token { painted: true, ..name }),
                }
            }
            built_in => return Some(self.built_in(name, built_in)),
        };
        if !self.spend(PRICE_OF_CALL) {
            return None;
        }
        let expansion = self.map.add_expansion(Expansion {
            kind: ExpansionKind::Macro,
            name: definition.name.clone(),
            definition: definition.definition,
            call,
        });
        let mut arguments = arguments;
        let mut tokens = self.substitute(definition, &mut arguments, expansion);
        match tokens.first_mut() {
            Some(first) => first.space = name.space,
            // What follows an empty expansion keeps its distance.
            None if name.space => self.owes_space = true,
            None => {}
        }
        self.set_disabled(name.symbol, true);
        self.push(tokens, Some(name.symbol));
        None
    }

    fn built_in(&mut self, name: Token, shape: &Shape) -> Token {
        let (kind, text) = match shape {
            Shape::File => {
                let file = self.map.place(name.span).file;
                (RawKind::String, format!("\"{}\"", file.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            Shape::Counter => {
                self.counter += 1;
                (RawKind::Number, (self.counter - 1).to_string())
            }
            _ => (RawKind::Number, self.map.place(name.span).line.to_string()),
        };
        Token { kind, symbol: self.interner.intern(&text), ..name }
    }

    /// Whether `(` comes next; it is taken if so, and what was read instead is put back if not.
    fn call_follows(&mut self) -> bool {
        match self.read() {
            Some(token) if token.symbol == self.symbols.open => true,
            Some(token) => {
                self.push(vec![token], None);
                false
            }
            None => false,
        }
    }

    /// The arguments up to `)`, and its place. `None`, after a report, if they are not what the macro wants.
    fn arguments(
        &mut self,
        name: Token,
        definition: &Macro,
        wanted: usize,
        variadic: bool,
    ) -> Option<(Vec<Argument>, Span)> {
        let mut arguments = vec![Argument::default()];
        let mut depth = 0usize;
        let close = loop {
            let Some(mut token) = self.read() else {
                if !self.stopped {
                    let message = format!("the argument list of macro `{}` is not closed", definition.name);
                    self.report(
                        Diagnostic::error(message, name.span, "its `)` is missing")
                            .with_label(definition.definition, "defined here"),
                    );
                }
                return None;
            };
            let symbol = token.symbol;
            if symbol == self.symbols.open {
                depth += 1;
            } else if symbol == self.symbols.close {
                if depth == 0 {
                    break token.span;
                }
                depth -= 1;
            } else if symbol == self.symbols.comma && depth == 0 && !(variadic && arguments.len() == wanted) {
                arguments.push(Argument::default());
                continue;
            } else if token.kind == RawKind::Word && self.is_disabled(symbol) {
                token.painted = true;
            }
            if !self.spend(1) {
                return None;
            }
            token.starts_line = false;
            if let Some(argument) = arguments.last_mut() {
                argument.tokens.push(token);
            }
        };
        let nothing = arguments.len() == 1 && arguments[0].tokens.is_empty();
        if wanted == 0 && nothing {
            arguments.clear();
        } else if variadic && arguments.len() + 1 == wanted {
            arguments.push(Argument { absent: true, ..Argument::default() });
        } else if variadic && wanted == 1 {
            arguments[0].absent = nothing;
        }
        if arguments.len() == wanted {
            return Some((arguments, close));
        }
        let message = format!(
            "macro `{}` wants {wanted} argument{}, here {} {}",
            definition.name,
            if wanted == 1 { "" } else { "s" },
            if nothing { 0 } else { arguments.len() },
            if arguments.len() == 1 && !nothing { "is given" } else { "are given" },
        );
        self.report(
            Diagnostic::error(message, name.span.to(close), "wrong number of arguments")
                .with_label(definition.definition, "defined here"),
        );
        None
    }

    /// An argument expanded by itself, as if nothing stood around it.
    pub(super) fn expand_argument(&mut self, tokens: &[Token]) -> Vec<Token> {
        // Most arguments are a word or a number that is no macro.
        let plain = |token: &Token| token.kind != RawKind::Word || self.macro_named(token.symbol).is_none();
        if tokens.iter().all(plain) {
            return tokens.to_vec();
        }
        if self.depth == DEEPEST_ARGUMENT {
            let place = self.outermost.unwrap_or_default();
            self.error("calls of macros are nested too deeply", place, "while this was expanded");
            self.stopped = true;
            return Vec::new();
        }
        self.depth += 1;
        let expanded = self.expand_apart(tokens.to_vec(), |this| this.next());
        self.depth -= 1;
        expanded
    }

    /// Reads `tokens` to their end with `step`, without touching what lies below.
    pub(super) fn expand_apart(
        &mut self,
        tokens: Vec<Token>,
        mut step: impl FnMut(&mut Self) -> Option<Token>,
    ) -> Vec<Token> {
        // An empty context keeps the base above 0 even if nothing lies below: the files are out of reach.
        self.push(Vec::new(), None);
        let base = std::mem::replace(&mut self.base, self.contexts.len());
        let owed = std::mem::take(&mut self.owes_space);
        self.push(tokens, None);
        let mut expanded = Vec::new();
        while let Some(mut token) = step(self) {
            if !self.spend(1) {
                break;
            }
            token.space |= std::mem::take(&mut self.owes_space);
            expanded.push(token);
        }
        while self.contexts.len() >= self.base {
            self.pop();
        }
        self.base = base;
        self.owes_space = owed;
        expanded
    }

    /// `1..N` is one number to `cpp`, so SPIN never sees `N` expanded; say so instead of "undeclared".
    fn refuse_glued(&mut self, token: Token, definition: &Macro) {
        let name = &definition.name;
        self.report(
            Diagnostic::error(
                format!("macro `{name}` is not expanded here"),
                token.span,
                "glued to `..`: the C preprocessor reads this as a part of the number",
            )
            .with_label(definition.definition, "defined here")
            .with_help(format!("put a blank in front of it: `.. {name}`")),
        );
    }
}
