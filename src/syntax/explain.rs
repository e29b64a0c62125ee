//! Says in a person's words what the parser wanted. The tables know some forty tokens at a point; a reader wants
//! "expected a statement", and, where the slip is a common one, what to write instead. The slips are those of people
//! who come from C and of everybody who forgets a separator.

use super::token::{Lexeme, Origin, Token};
use super::words::{CALLED, FOREIGN, KEYWORDS};
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::source::suggest::suggest;
use crate::source::{ExpansionKind, SourceMap};

/// The message for the token at `at`, where one of `expected` should stand.
pub(crate) fn explain(map: &SourceMap, tokens: &[Lexeme], at: usize, expected: &[String]) -> Diagnostic {
    let expected = Expected { names: expected.iter().map(|name| name.trim_matches('"')).collect() };
    let place = Place { tokens, at };
    let words = expected.describe(&place);
    let found = match tokens.get(at) {
        Some(lexeme) if lexeme.origin == Origin::Implied => "the end of the statement".to_owned(),
        Some(lexeme) => match &lexeme.token {
            Token::TypeName(name) => format!("the type `{name}`"),
            Token::ProcName(name) => format!("the process type `{name}`"),
            Token::String(_) => "a string".to_owned(),
            Token::InlineBody(name) => format!("a call of the inline `{name}`"),
            // `skip`, `true` and characters are numbers to the parser; show what is written.
            Token::Number(_) => {
                let range = lexeme.span.start as usize..lexeme.span.end as usize;
                format!("`{}`", map.file(lexeme.span.file).text.get(range).unwrap_or("1"))
            }
            token => format!("`{}`", token.text()),
        },
        None => "the end of the file".to_owned(),
    };
    let span = tokens.get(at).or(tokens.last()).map(|lexeme| lexeme.span).unwrap_or_default();
    let diagnostic = Diagnostic::error(format!("expected {words}, found {found}"), span, format!("expected {words}"));
    if let Some(diagnostic) = place.dimensions(span).or_else(|| place.assigned_argument(map)) {
        return diagnostic;
    }
    if let Some(name) = place.assigned_macro(map).filter(|_| expected.operator()) {
        let help = format!("`{name}` is a macro: what it stands for is read here; choose another name");
        return diagnostic.with_code(Code::MacroAsName).with_help(help);
    }
    if let Some(name) = macro_at(map, tokens, at).filter(|_| expected.has("NAME") && !expected.statement()) {
        let code = if expected.expression() { Code::Syntax } else { Code::MacroAsName };
        let diagnostic = place.advise(&expected, diagnostic);
        let help = format!("`{name}` is a macro: what it stands for is read here; choose another name");
        return if code == Code::Syntax { diagnostic } else { diagnostic.with_code(code).with_help(help) };
    }
    let own = |at: usize| tokens.get(at).and_then(|lexeme| separator_of_macro(map, lexeme));
    match at.checked_sub(1).and_then(own).or_else(|| own(at)) {
        Some(help) => diagnostic.with_help(help),
        None => {
            let advised = place.advise(&expected, diagnostic);
            match place.half_a_macro(map).filter(|_| expected.expression()) {
                Some(note) => advised.with_note(note),
                None => advised,
            }
        }
    }
}

/// The macro that a diagnostic is about, if it is one that stands where a name was meant: one message about each is enough.
pub(super) fn macro_for_name(map: &SourceMap, tokens: &[Lexeme], at: usize, diagnostic: &Diagnostic) -> Option<String> {
    let of = |at: usize| map.expansion(tokens.get(at)?.span.expansion).map(|expansion| expansion.name.to_string());
    let is_about = diagnostic.code == Some(Code::MacroAsName);
    is_about.then(|| of(at).or_else(|| of(at.checked_sub(1)?))).flatten()
}

/// The message about `a[3][3]`, which is given once.
pub(super) const DIMENSIONS: &str = "arrays have one dimension only";

/// `#define N 3;`: the separator is a part of what `N` stands for.
pub(super) fn separator_of_macro(map: &SourceMap, lexeme: &Lexeme) -> Option<String> {
    let expansion = map.expansion(lexeme.span.expansion).filter(|expansion| expansion.kind == ExpansionKind::Macro)?;
    let is_own = lexeme.token == Token::Semicolon && lexeme.origin == Origin::Written;
    is_own.then(|| format!("`{}` is a macro whose text has a `;`: leave that out of the `#define`", expansion.name))
}

/// The macro whose text starts with this token.
fn macro_at<'m>(map: &'m SourceMap, tokens: &[Lexeme], at: usize) -> Option<&'m str> {
    let of = |lexeme: &Lexeme| map.expansion(lexeme.span.expansion).map(|expansion| (expansion, lexeme.span.expansion));
    let (expansion, number) = of(tokens.get(at)?)?;
    let before = at.checked_sub(1).and_then(|before| of(tokens.get(before)?));
    let starts = before.is_none_or(|(_, other)| other != number);
    (expansion.kind == ExpansionKind::Macro && starts).then_some(&*expansion.name)
}

/// What the parser would have taken.
struct Expected<'a> {
    names: Vec<&'a str>,
}

impl Expected<'_> {
    fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn statement(&self) -> bool {
        self.has("goto")
    }

    fn expression(&self) -> bool {
        self.has("timeout") && !self.statement()
    }

    /// An expression ends here or goes on.
    fn operator(&self) -> bool {
        self.has("==") && self.has("+")
    }

    fn describe(&self, place: &Place<'_>) -> String {
        if self.statement() {
            return "a statement".to_owned();
        }
        if self.has("proctype") && self.has("typedef") {
            return "a declaration or a process".to_owned();
        }
        let mut words: Vec<String> = Vec::new();
        if self.has("proctype") {
            words.push("`proctype`".to_owned());
        }
        if self.expression() {
            words.push("an expression".to_owned());
        } else if self.has("eval") {
            words.push("what to receive into: a variable, a constant, `_` or `eval(…)`".to_owned());
        } else if self.has("byte") {
            words.push("a type".to_owned());
        } else if self.has("NAME") && self.has("NUMBER") {
            words.push("a constant".to_owned());
        } else if self.has("NAME") {
            words.push("a name".to_owned());
        } else if self.has("STRING") {
            words.push("a text in quotes".to_owned());
        } else if self.has("NUMBER") {
            words.push("a number".to_owned());
        }
        let in_choice = self.has("fi") || self.has("od");
        let starts_statement = self.has("=") && self.has("++");
        if starts_statement && matches!(place.back(1), Some(Token::Name(_))) {
            words.push("the rest of a statement".to_owned());
        } else if self.operator() && !self.has(";") && words.is_empty() {
            words.push("an operator".to_owned());
        }
        if words.is_empty() && self.has("[") && self.has(",") && self.has("=") && !self.operator() {
            return "`,`, `=` or the end of the declaration".to_owned();
        }
        for name in
            ["::", "@", ":", "..", "in", "of", "(", "[", "{", ")", "]", ">", ",", ";", "->", "}", "fi", "od", "="]
        {
            let wanted = match name {
                "->" => self.has("->") && in_choice,
                "::" => self.has("::") && !self.has(";"),
                "(" | "[" | "{" | ":" | "=" if self.expression() => false,
                "(" => self.has("(") && !self.operator() && !self.has("eval"),
                "[" => self.names == ["["],
                "=" => self.has("=") && !starts_statement && words.is_empty(),
                ":" => self.has(":") && !starts_statement,
                ">" => self.has(">") && !self.operator(),
                "," => self.has(",") && !self.has(";"),
                _ => self.has(name),
            };
            if wanted {
                words.push(format!("`{name}`"));
            }
        }
        if words.is_empty() {
            words.extend(self.names.iter().take(4).map(|name| format!("`{name}`")));
        }
        match words.pop() {
            None => "nothing more".to_owned(),
            Some(last) if words.is_empty() => last,
            Some(last) => format!("{} or {last}", words.join(", ")),
        }
    }
}

/// The error's surroundings.
struct Place<'a> {
    tokens: &'a [Lexeme],
    at: usize,
}

impl<'a> Place<'a> {
    fn found(&self) -> Option<&'a Token> {
        self.tokens.get(self.at).map(|lexeme| &lexeme.token)
    }

    fn lexeme(&self, back: usize) -> Option<&'a Lexeme> {
        self.at.checked_sub(back).and_then(|index| self.tokens.get(index))
    }

    /// The token so many places before the error.
    fn back(&self, back: usize) -> Option<&'a Token> {
        self.lexeme(back).map(|lexeme| &lexeme.token)
    }

    fn ahead(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead).map(|lexeme| &lexeme.token)
    }

    /// The place `back` tokens ago is where a statement or an item begins.
    fn begins(&self, back: usize) -> bool {
        use Token::*;
        match self.back(back + 1) {
            None => true,
            Some(token) => {
                matches!(token, Semicolon | Arrow | Option | LeftBrace | RightBrace | Colon | Else | Unless | If | Do)
            }
        }
    }

    fn advise(&self, expected: &Expected<'_>, diagnostic: Diagnostic) -> Diagnostic {
        if let Some(help) = self.foreign_word() {
            return diagnostic.with_help(help);
        }
        let diagnostic = match self.slip_of_form(expected).or_else(|| self.slip(expected)) {
            Some(help) => return Diagnostic { code: self.code_of_slip(expected), ..diagnostic.with_help(help) },
            None => diagnostic,
        };
        if let Some(diagnostic) = self.unknown_word(expected, &diagnostic) {
            return diagnostic;
        }
        self.missing_separator(expected, diagnostic)
    }

    /// `a[3][3]`.
    fn dimensions(&self, span: crate::source::Span) -> Option<Diagnostic> {
        if (self.back(1), self.found()) != (Some(&Token::RightSquare), Some(&Token::LeftSquare)) {
            return None;
        }
        let help = "use a structure for the rows: `typedef Row { byte a[3] }`, then `Row m[3]` and `m[i].a[j]`";
        Some(Diagnostic::error(DIMENSIONS, span, "a second one").with_help(help))
    }

    /// `inline f(a) { a = 1 }` that is called as `f(x + 1)`: the argument is text that takes no value.
    fn assigned_argument(&self, map: &SourceMap) -> Option<Diagnostic> {
        let sign = self.tokens.get(self.at)?;
        let assigns = matches!(sign.token, Token::Assign | Token::Increment | Token::Decrement);
        let expansion =
            map.expansion(sign.span.expansion).filter(|expansion| expansion.kind == ExpansionKind::Inline)?;
        let inside = |lexeme: &&Lexeme| {
            let (call, span) = (expansion.call, lexeme.span);
            span.file == call.file && span.expansion == call.expansion && call.start < span.start && span.end < call.end
        };
        let argument = self.tokens[..self.at].iter().rev().take_while(inside).count();
        let argument = &self.tokens[self.at - argument..self.at];
        // Elsewhere than at the beginning of a statement a comparison was meant.
        let (first, last) = (argument.first()?, argument.last()?);
        (assigns && self.begins(argument.len())).then(|| not_assigned(map, first, last, &expansion.name, sign))
    }

    /// The macro out of which the text in front of an `=` comes, where that is one token: `N = 2` with `#define N 3`.
    fn assigned_macro<'m>(&self, map: &'m SourceMap) -> Option<&'m str> {
        let of = |back: usize| map.expansion(self.lexeme(back)?.span.expansion);
        let own = of(1).filter(|own| own.kind == ExpansionKind::Macro)?;
        let is_sign = matches!(self.found(), Some(Token::Assign | Token::Increment | Token::Decrement));
        (is_sign && self.begins(1) && self.lexeme(0)?.span.expansion != self.lexeme(1)?.span.expansion)
            .then_some(&*own.name)
    }

    /// What stands in front of the error is the end of a macro, and the error is outside of it.
    fn half_a_macro(&self, map: &SourceMap) -> Option<String> {
        let (before, found) = (self.lexeme(1)?, self.tokens.get(self.at)?);
        let own = map.expansion(before.span.expansion).filter(|own| own.kind == ExpansionKind::Macro)?;
        let outside = before.span.expansion != found.span.expansion;
        outside.then(|| format!("the text of the macro `{}` ends with `{}`", own.name, before.token.text()))
    }

    fn foreign_word(&self) -> Option<String> {
        let word = |token: Option<&Token>| match token {
            Some(Token::Name(name)) => FOREIGN.iter().find(|(word, _)| **word == **name),
            _ => None,
        };
        // The parser stumbles over the word itself or over what follows it.
        let (word, help) = match (word(self.found()), word(self.back(1))) {
            (Some(found), _) => found,
            (None, Some(before)) if self.begins(1) => before,
            _ => return None,
        };
        Some(format!("there is no `{word}` in Promela: {help}"))
    }

    /// A construct that is nearly right: brackets, sizes and heads as other languages have them.
    fn slip_of_form(&self, expected: &Expected<'_>) -> Option<String> {
        use Token::*;
        Some(match (self.back(2), self.back(1)?, self.found()?) {
            (_, Assign, Greater) => "\"at least\" is written `>=`".to_owned(),
            (_, Less, Greater) => "\"not equal\" is written `!=`".to_owned(),
            (_, _, sign @ (Until | WeakUntil | Release | Next)) if expected.expression() => format!(
                "in a formula `{}` is an operator: a process or variable of that name needs another one to be named there",
                sign.text()
            ),
            (_, _, Query) if expected.operator() => {
                "a value that hangs on a condition is `(condition -> a : b)`; a message is received by `channel?variable`".to_owned()
            }
            (_, Bang | BangBang, Less) => {
                "`<…>` belongs to a receive, which then leaves the message in its channel: `q?<x>`".to_owned()
            }
            (_, Star, Star) => "there is no power: multiply, `x * x`".to_owned(),
            (_, Number(_), Dot) => "there are whole numbers only".to_owned(),
            (_, token, LeftSquare) if token.starts_declaration() && expected.has("NAME") => {
                format!("the size stands behind the name: `{} a[3]`", token.text())
            }
            (Some(Name(name)), LeftSquare, RightSquare) => format!("the size is a constant: `{name}[3]`"),
            (Some(Mtype), Assign, LeftParen | LeftSquare) => "the names stand in braces: `mtype = { a, b }`".to_owned(),
            (_, In, Number(_)) => FOR.to_owned(),
            (Some(For), LeftParen, token) if token.starts_declaration() => {
                format!("the counter is declared before the loop: `{} i; for (i : 1 .. n) {{ … }}`", token.text())
            }
            (_, Init, LeftParen) => "`init` has no parameters: `init { … }`".to_owned(),
            (_, Active, Name(name)) => format!("what is active is a process type: `active proctype {name}() {{ … }}`"),
            (Some(Run), ProcName(name) | Name(name), _) => format!("the parentheses belong to it: `run {name}()`"),
            (_, RightSquare, LeftBrace) if expected.has("of") => "a channel is `[2] of { byte, int }`".to_owned(),
            (_, _, Of) => "a channel is declared by `chan c = [2] of { byte, int }`".to_owned(),
            (_, _, token) if is_operator(token) && self.in_receive() => {
                "a receive takes variables and constants; a message is compared with a value by `eval(…)`".to_owned()
            }
            _ => return None,
        })
    }

    /// The statement so far is a receive.
    fn in_receive(&self) -> bool {
        use Token::*;
        let before = self.tokens[..self.at.min(self.tokens.len())].iter().rev().take(60).map(|lexeme| &lexeme.token);
        let mut statement =
            before.take_while(|token| !matches!(token, Semicolon | Arrow | Option | LeftBrace | LeftParen));
        statement.any(|token| matches!(token, Query | QueryQuery))
    }

    fn slip(&self, expected: &Expected<'_>) -> Option<String> {
        use Token::*;
        let found = self.found();
        Some(match (self.back(2), self.back(1), found) {
            (_, Some(LeftBrace), Some(RightBrace)) if expected.statement() => {
                "a block needs at least one statement; `skip` does nothing".to_owned()
            }
            (_, Some(Option), Some(Fi | Od | Option | RightBrace)) => {
                "an option needs at least one statement; `skip` does nothing".to_owned()
            }
            (_, Some(LeftBrace | Option), Some(Semicolon | Arrow)) => {
                "a separator stands between two statements: leave this one out".to_owned()
            }
            (_, Some(Colon), Some(Assign)) => "an assignment is written `x = value`".to_owned(),
            (_, Some(sign @ (Plus | Minus | Star | Slash | Percent | Bar | Ampersand | Caret)), Some(Assign)) => {
                format!("there is no `{0}=`: write `x = x {0} …`", sign.text())
            }
            (_, Some(Assign), Some(Less)) => "\"at most\" is written `<=`".to_owned(),
            (_, _, Some(Assign)) if matches!(self.ahead(1), Some(Less)) => "\"at most\" is written `<=`".to_owned(),
            (_, _, Some(Assign)) if matches!(self.ahead(1), Some(Greater)) => {
                "\"at least\" is written `>=`; behind a guard stands `->`".to_owned()
            }
            (_, Some(Assign | EqualEqual | NotEqual), Some(Assign)) => "write `==` or `!=` to compare".to_owned(),
            (_, _, Some(Assign)) if self.in_head_of("for") => FOR.to_owned(),
            (_, _, Some(Assign)) if self.in_assignment() => {
                "an assignment has no value: make it two, `y = e; x = y`; to compare, write `==`".to_owned()
            }
            (_, _, Some(Assign)) if expected.operator() => "`=` assigns; to compare, write `==`".to_owned(),
            (_, _, Some(sign @ (Increment | Decrement))) if expected.statement() || expected.expression() => {
                format!("the sign stands behind the variable, as a statement of its own: `x{}`", sign.text())
            }
            (_, _, Some(sign @ (Increment | Decrement))) => {
                format!("`x{}` is a statement, not an expression", sign.text())
            }
            (Some(before), Some(Name(name)), Some(LeftParen)) if before.starts_declaration() => format!(
                "there are no functions: a process is `proctype {name}(…) {{ … }}`, a piece of text `inline {name}(…) {{ … }}`"
            ),
            (_, Some(ProcName(name)), Some(LeftParen)) => format!("to start the process write `run {name}(…)`"),
            (_, Some(Name(name)), Some(LeftParen)) if self.begins(1) => match suggest(name, CALLED.iter().copied()) {
                Some(word) => format!("no inline `{name}` is defined above; did you mean `{word}`?"),
                None => format!("no inline `{name}` is defined above"),
            },
            (Some(Proctype | DProctype), Some(Name(name)), Some(LeftBrace)) => {
                format!("the parentheses belong to it: `proctype {name}() {{ … }}`")
            }
            (_, Some(Comma), Some(token)) if token.starts_declaration() && expected.has("NAME") => {
                "between declarations stands `;`, the comma is for names of one type: `byte a, b; int c`".to_owned()
            }
            (_, Some(Semicolon), Some(RightParen)) => "no `;` behind the last parameter".to_owned(),
            (Some(RightBrace), Some(Semicolon), Some(Comma)) if self.implied(1) => {
                "SPIN ends a declaration behind `}`: declare the next variable on its own".to_owned()
            }
            (_, _, Some(Unless)) if expected.has(";") => {
                "one `unless` to a statement; nest them with braces: `{ a unless b } unless c`".to_owned()
            }
            (_, Some(Semicolon), Some(Unless)) if self.implied(1) => {
                "the line end in front of it is read as `;`: put `unless` on the line where the statement ends"
                    .to_owned()
            }
            (_, Some(Semicolon), Some(token)) if self.implied(1) && is_operator(token) => format!(
                "the line end in front of it is read as `;`: end the line above with `{0}`, or use parentheses",
                token.text()
            ),
            (_, Some(Of), _) if !matches!(found, Some(LeftBrace)) => {
                "the fields of a message stand in braces: `[2] of { byte, int }`".to_owned()
            }
            (_, Some(Assign), Some(LeftSquare)) if expected.expression() => return None,
            (_, _, Some(Return)) => {
                "`return` is for inlines that are called as `v = name(…)`; a process ends at its `}`".to_owned()
            }
            (_, _, Some(String(_))) => "text stands in `printf` only".to_owned(),
            (_, Some(Colon), Some(Mtype | Bit | Bool | Byte | Short | Int | Chan | Pid | Unsigned)) => return None,
            (_, Some(Name(name)), Some(At)) => {
                format!("`{name}` must be a process type that is declared above")
            }
            (_, _, Some(TypeName(name) | ProcName(name))) if expected.has("NAME") => {
                format!("`{name}` is taken: choose another name")
            }
            (_, _, Some(Minus)) if expected.has("NAME") && expected.has("NUMBER") => {
                "a list takes constants without a sign; assign the others in a body".to_owned()
            }
            (Some(Ltl), Some(Name(name)), _) => format!("the formula stands in braces: `ltl {name} {{ … }}`"),
            (_, _, Some(Assign)) if self.in_names_of_mtype() => {
                "the names of an `mtype` have their numbers by place: the last is 1, the one before it 2".to_owned()
            }
            (_, _, Some(Assign)) if self.in_head_of("select") => "write `select (x : 1 .. 3)`".to_owned(),
            (_, Some(Query | QueryQuery), _) if expected.names == ["["] => {
                "in an expression a message can only be looked at: `q?[x]`".to_owned()
            }
            (_, _, Some(token)) if expected.has("NAME") && !expected.expression() && is_word(token) => {
                format!("`{}` is a word of the language", token.text())
            }
            _ => return None,
        })
    }

    /// The code of a slip that has one of its own.
    fn code_of_slip(&self, expected: &Expected<'_>) -> Option<Code> {
        match (self.back(1), self.found(), self.ahead(1)) {
            (Some(Token::Plus | Token::Minus | Token::Colon), Some(Token::Assign), _) => None,
            (_, Some(Token::Assign), Some(Token::Less)) => Some(Code::AtMost),
            (_, Some(Token::Less), _) if matches!(self.back(1), Some(Token::Assign)) => Some(Code::AtMost),
            (_, Some(Token::Assign), Some(Token::Greater)) => None,
            (_, Some(Token::Assign), _) if self.in_head_of("for") || self.in_assignment() => None,
            (_, Some(Token::Assign), _) if expected.operator() => Some(Code::AssignedGuard),
            (Some(Token::Name(name)), Some(Token::LeftParen), _) if self.begins(1) => {
                suggest(name, CALLED.iter().copied()).map(|_| Code::MisspeltKeyword)
            }
            _ => None,
        }
    }

    fn in_names_of_mtype(&self) -> bool {
        use Token::*;
        let mut before = self.tokens[..self.at.min(self.tokens.len())].iter().rev().map(|lexeme| &lexeme.token);
        let open = before.by_ref().take(200).find(|token| !matches!(token, Name(_) | Comma));
        open == Some(&LeftBrace) && matches!((before.next(), before.next()), (Some(Assign), Some(Mtype | Name(_))))
    }

    /// The separator so many places ago is a line end or the place behind a brace.
    fn implied(&self, back: usize) -> bool {
        self.lexeme(back).is_some_and(|lexeme| lexeme.origin == Origin::Implied)
    }

    /// Between the parenthesis behind `word` and the error nothing closes.
    fn in_head_of(&self, word: &str) -> bool {
        let before = self.tokens[..self.at.min(self.tokens.len())].iter().rev().take(40);
        let mut seen_paren = false;
        for lexeme in before {
            match &lexeme.token {
                token if seen_paren => return token.text() == word,
                Token::LeftParen => seen_paren = true,
                Token::RightParen | Token::LeftBrace | Token::RightBrace => return false,
                _ => {}
            }
        }
        false
    }

    /// The statement so far has an `=` outside parentheses.
    fn in_assignment(&self) -> bool {
        use Token::*;
        for lexeme in self.tokens[..self.at.min(self.tokens.len())].iter().rev().take(60) {
            match &lexeme.token {
                Assign => return true,
                Semicolon | Arrow | Option | LeftBrace | RightBrace | LeftParen => return false,
                _ => {}
            }
        }
        false
    }

    /// `Foo x`: a type nobody declared, or a keyword with a slip of the pen.
    fn unknown_word(&self, expected: &Expected<'_>, diagnostic: &Diagnostic) -> Option<Diagnostic> {
        let (word, span) = match (self.lexeme(1), self.tokens.get(self.at)) {
            (Some(before), Some(found)) if self.begins(1) && !expected.statement() => {
                match (&before.token, &found.token) {
                    (Token::Name(name), Token::Name(_) | Token::LeftBrace | Token::String(_) | Token::Number(_)) => {
                        (name, before.span)
                    }
                    (Token::Name(name), token) if token.starts_item() || is_word(token) => (name, before.span),
                    _ => return None,
                }
            }
            (_, Some(found)) if expected.has("proctype") => match &found.token {
                Token::Name(name) => (name, found.span),
                _ => return None,
            },
            _ => return None,
        };
        let below = |pair: &&[Lexeme]| pair[0].token == Token::Typedef && pair[1].token.name() == Some(word);
        let later = self.tokens[self.at..].windows(2).find(below);
        let error = match suggest(word, KEYWORDS.iter().copied()) {
            _ if later.is_some() => {
                let error = Diagnostic::error(format!("unknown type `{word}`"), span, "no `typedef` above declares it");
                let later = later.map(|pair| pair[1].span).unwrap_or_default();
                error.with_label(later, "declared here, which is too late").with_help("move the `typedef` up")
            }
            Some(keyword) => Diagnostic::error(format!("unknown word `{word}`"), span, "neither a type nor a keyword")
                .with_code(Code::MisspeltKeyword)
                .with_help(format!("did you mean `{keyword}`?")),
            None if expected.has("proctype") => return None,
            None if matches!(self.found(), Some(Token::Name(_))) => {
                let error = Diagnostic::error(format!("unknown type `{word}`"), span, "no `typedef` above declares it");
                let types = self.tokens.windows(2).filter(|pair| pair[0].token == Token::Typedef);
                match suggest(word, types.filter_map(|pair| pair[1].token.name()).map(|name| &**name)) {
                    Some(name) => error.with_help(format!("did you mean `{name}`?")),
                    None => error,
                }
            }
            None => return None,
        };
        let secondary = diagnostic.secondary.iter().cloned().chain(error.secondary).collect();
        Some(Diagnostic { secondary, ..error })
    }

    fn missing_separator(&self, expected: &Expected<'_>, diagnostic: Diagnostic) -> Diagnostic {
        let (Some(before), Some(found)) = (self.lexeme(1), self.tokens.get(self.at)) else { return diagnostic };
        if expected.has(";") && starts_statement(&found.token) {
            return diagnostic
                .with_label(before.span, "a `;` is missing behind this")
                .with_help("statements are separated by `;` or a line end");
        }
        if (expected.has(")") || expected.has("]")) && !expected.has(";") {
            let close = if expected.has(")") { Token::RightParen } else { Token::RightSquare };
            if let Some(open) = self.open_bracket(&close) {
                return diagnostic.with_label(open.span, "to close this");
            }
        }
        diagnostic
    }

    fn open_bracket(&self, close: &Token) -> Option<&'a Lexeme> {
        let mut depth = 0usize;
        for lexeme in self.tokens[..self.at.min(self.tokens.len())].iter().rev() {
            match &lexeme.token {
                Token::RightParen | Token::RightSquare => depth += 1,
                Token::LeftParen | Token::LeftSquare if depth > 0 => depth -= 1,
                Token::LeftParen if *close == Token::RightParen => return Some(lexeme),
                Token::LeftSquare if *close == Token::RightSquare => return Some(lexeme),
                Token::LeftParen | Token::LeftSquare | Token::LeftBrace => return None,
                _ => {}
            }
        }
        None
    }
}

/// An argument of an inline that is text without a place to put a value.
fn not_assigned(map: &SourceMap, first: &Lexeme, last: &Lexeme, inline: &str, sign: &Lexeme) -> Diagnostic {
    let range = first.span.start as usize..last.span.end as usize;
    let text = map.file(first.span.file).text.get(range).unwrap_or("the argument");
    Diagnostic::error(
        format!("the argument `{text}` cannot be assigned"),
        first.span.to(last.span),
        format!("the inline `{inline}` assigns to it"),
    )
    .with_label(sign.span, "here")
    .with_help("an inline that assigns to a parameter is called with a variable")
}

const FOR: &str = "a loop over numbers is `for (i : 1 .. n) { … }`, over an array `for (i in a) { … }`";

fn is_operator(token: &Token) -> bool {
    use Token::*;
    matches!(
        token,
        OrOr | AndAnd
            | Bar
            | Caret
            | Ampersand
            | EqualEqual
            | NotEqual
            | Less
            | LessEqual
            | Greater
            | GreaterEqual
            | ShiftLeft
            | ShiftRight
            | Plus
            | Minus
            | Star
            | Slash
            | Percent
            | Dot
            | Bang
            | BangBang
            | Query
            | QueryQuery
            | Assign
            | LeftSquare
            | RightSquare
    )
}

/// A keyword.
fn is_word(token: &Token) -> bool {
    !matches!(token, Token::Name(_) | Token::TypeName(_) | Token::ProcName(_) | Token::InlineBody(_))
        && token.text().starts_with(|c: char| c.is_ascii_alphabetic())
}

fn starts_statement(token: &Token) -> bool {
    use Token::*;
    matches!(
        token,
        Name(_)
            | Number(_)
            | If
            | Do
            | For
            | Select
            | Goto
            | Break
            | Else
            | Atomic
            | DStep
            | LeftBrace
            | Assert
            | Printf
            | Printm
            | Run
            | Timeout
            | InlineBody(_)
            | SetPriority
            | Bang
    ) || token.starts_declaration()
}
