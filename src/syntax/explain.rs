//! Says in a person's words what the parser wanted. The tables know some forty tokens at a point; a reader wants
//! "expected a statement".

use super::token::{Lexeme, Origin, Token};
use crate::source::diagnostic::Diagnostic;

/// The message for the token at `at`, where one of `expected` should stand.
pub fn explain(tokens: &[Lexeme], at: usize, expected: &[String]) -> Diagnostic {
    let last = tokens.len() - 1;
    let words = describe(expected);
    let (found, span) = match tokens.get(at) {
        Some(lexeme) if lexeme.origin == Origin::Implied && lexeme.token == Token::Semicolon => {
            ("the end of the line".to_owned(), lexeme.span)
        }
        Some(lexeme) => (format!("`{}`", lexeme.token.text()), lexeme.span),
        None => ("the end of the file".to_owned(), tokens[last].span),
    };
    Diagnostic::error(format!("expected {words}, found {found}"), span, format!("expected {words}"))
}

fn describe(expected: &[String]) -> String {
    let names: Vec<&str> = expected.iter().map(|name| name.trim_matches('"')).collect();
    let has = |name: &str| names.contains(&name);
    if has("goto") {
        return "a statement".to_owned();
    }
    if has("timeout") {
        return "an expression".to_owned();
    }
    names.join(" ")
}
