//! Whether a blank stands between two tokens of one line.
//!
//! Binary operators have a blank on either side, unary ones none behind; sends, receives and references are
//! written tight (`q!msg(x)`, `q?[ack]`, `P[1]@end`, `point.x`). Whatever the rule says, two tokens that would be
//! read as something else when glued are kept apart.

use crate::source::lexer::{RawKind, lex};

/// A token with the part it plays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub text: &'t str,
    pub kind: RawKind,
    pub role: Role,
}

/// What a token does to its neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A word, number, string, or a closing bracket.
    Operand,
    /// A word that an expression or declaration follows.
    Keyword,
    /// `(` or `[`, or `<` of `q?<x>`.
    Open,
    /// `)` or `]`, or `>` of `q?<x>`.
    Close,
    /// A brace.
    Brace,
    /// An operator with blanks.
    Binary,
    /// An operator in front of its operand.
    Prefix,
    /// An operator behind its operand.
    Postfix,
    /// An operator without blanks.
    Tight,
    /// `,` or `;`.
    Separator,
    /// `:` behind a label.
    Label,
    /// Odd characters: as the author has them.
    Odd,
}

/// Words behind which an operator is unary and a parenthesis does not belong to them.
const KEYWORDS: [&str; 31] = [
    "active",
    "always",
    "atomic",
    "d_step",
    "do",
    "else",
    "eventually",
    "for",
    "goto",
    "if",
    "implies",
    "in",
    "init",
    "never",
    "next",
    "notrace",
    "of",
    "priority",
    "proctype",
    "provided",
    "release",
    "run",
    "select",
    "strong",
    "stronguntil",
    "trace",
    "typedef",
    "unless",
    "until",
    "weakuntil",
    "xr",
];

/// Letters that are operators inside a formula.
const TEMPORAL: [&str; 4] = ["U", "V", "W", "X"];

/// What is known of the place of a token.
#[derive(Clone, Copy)]
pub(super) struct Place<'t> {
    pub before: Option<Piece<'t>>,
    /// Inside an `ltl` formula.
    pub formula: bool,
    /// Inside `q?<…>`.
    pub angle: bool,
    /// The token is a statement's `label :`.
    pub label: bool,
    /// A blank stands in front of it in the source.
    pub space: bool,
}

/// The part a token plays.
pub(super) fn role(text: &str, kind: RawKind, place: Place<'_>) -> Role {
    let after_operand = place
        .before
        .is_some_and(|before| matches!(before.role, Role::Operand | Role::Close | Role::Postfix) || before.text == "}");
    let after = |texts: &[&str]| place.before.is_some_and(|before| texts.contains(&before.text));
    match kind {
        RawKind::Word if KEYWORDS.contains(&text) || (place.formula && TEMPORAL.contains(&text)) => Role::Keyword,
        RawKind::Word | RawKind::Number | RawKind::String | RawKind::Char => Role::Operand,
        RawKind::Operator => match text {
            "(" | "[" => Role::Open,
            ")" | "]" => Role::Close,
            "{" | "}" => Role::Brace,
            "<" if after(&["?", "??"]) => Role::Open,
            ">" if place.angle => Role::Close,
            "," | ";" => Role::Separator,
            "." | "@" => Role::Tight,
            "++" | "--" if after_operand => Role::Postfix,
            ":" if place.label => Role::Label,
            // `mtype:fruit`; `P[1]:x` and `(c -> a[1] : b)` are told apart by their author.
            ":" if after(&["mtype"]) || (after(&["]"]) && !place.space) => Role::Tight,
            "!" | "?" | "!!" | "??" if after_operand => Role::Tight,
            "!" | "~" => Role::Prefix,
            "-" | "+" if !after_operand => Role::Prefix,
            _ => Role::Binary,
        },
        _ => Role::Odd,
    }
}

/// Is there a blank between `left` and `right`?
pub(super) fn blank_between(left: Piece<'_>, right: Piece<'_>, in_source: bool) -> bool {
    wanted(left, right, in_source) || melts(left, right)
}

fn wanted(left: Piece<'_>, right: Piece<'_>, in_source: bool) -> bool {
    use Role::*;
    match (left.role, right.role) {
        (_, Separator | Close | Postfix | Label | Tight) if left.role != Separator && left.role != Odd => {
            // `;;` needs no blank either, but `{ ;` and `:: ;` do.
            right.role == Separator && matches!(left.role, Brace | Binary | Keyword) && left.text != "}"
        }
        (Separator, Separator) => false,
        (Odd, _) | (_, Odd) => in_source,
        (Open | Prefix | Tight, _) => false,
        (Operand | Close, Open) => false,
        _ => true,
    }
}

/// Would the two be read as something else without a blank?
fn melts(left: Piece<'_>, right: Piece<'_>) -> bool {
    let wordlike = |kind| matches!(kind, RawKind::Word | RawKind::Number);
    if wordlike(left.kind) || wordlike(right.kind) {
        return wordlike(left.kind) && wordlike(right.kind);
    }
    if matches!(left.text, "(" | ")" | "]" | "," | ";" | "{" | "}") || matches!(right.text, "(" | ")" | "," | ";") {
        return false;
    }
    let cut = lex(&format!("{}{}", left.text, right.text));
    cut.first().is_none_or(|raw| raw.end as usize != left.text.len())
}
