//! Tokens of formula text. What is not an operator of the logic is kept as pieces of a Promela expression.

/// A token and the bytes it takes in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Not,
    Next,
    Always,
    Eventually,
    And,
    Or,
    Implies,
    Equiv,
    Until,
    Release,
    WeakUntil,
    True,
    False,
    Open,
    Close,
    OpenIndex,
    CloseIndex,
    /// An identifier or a number.
    Word,
    /// `@`, `:` or `.`, which join two words into one operand.
    Joint,
    /// An operator of Promela between or before operands.
    Operator,
    /// Anything else, as `,` between the arguments of a channel poll.
    Other,
}

impl Kind {
    /// Whether the token cannot be part of a Promela expression.
    pub(crate) fn is_temporal(self) -> bool {
        use Kind::*;
        matches!(self, Next | Always | Eventually | Until | Release | WeakUntil)
    }
}

/// Operators by their characters, longest first.
const SYMBOLS: &[(&str, Kind)] = &[
    ("<->", Kind::Equiv),
    ("[]", Kind::Always),
    ("<>", Kind::Eventually),
    ("->", Kind::Implies),
    ("&&", Kind::And),
    ("||", Kind::Or),
    ("/\\", Kind::And),
    ("\\/", Kind::Or),
    ("!=", Kind::Operator),
    ("==", Kind::Operator),
    ("<=", Kind::Operator),
    (">=", Kind::Operator),
    ("<<", Kind::Operator),
    (">>", Kind::Operator),
    ("??", Kind::Operator),
    ("!", Kind::Not),
    ("(", Kind::Open),
    (")", Kind::Close),
    ("[", Kind::OpenIndex),
    ("]", Kind::CloseIndex),
    ("@", Kind::Joint),
    (":", Kind::Joint),
    (".", Kind::Joint),
    ("<", Kind::Operator),
    (">", Kind::Operator),
    ("+", Kind::Operator),
    ("-", Kind::Operator),
    ("*", Kind::Operator),
    ("/", Kind::Operator),
    ("%", Kind::Operator),
    ("&", Kind::Operator),
    ("|", Kind::Operator),
    ("^", Kind::Operator),
    ("~", Kind::Operator),
    ("?", Kind::Operator),
];

fn word(text: &str) -> Kind {
    match text {
        "always" => Kind::Always,
        "eventually" => Kind::Eventually,
        "U" | "until" | "stronguntil" => Kind::Until,
        "W" | "weakuntil" => Kind::WeakUntil,
        "V" | "release" => Kind::Release,
        "X" | "next" => Kind::Next,
        "implies" => Kind::Implies,
        "equivalent" => Kind::Equiv,
        "not" => Kind::Not,
        "true" => Kind::True,
        "false" => Kind::False,
        _ => Kind::Word,
    }
}

/// The tokens of a text. Never fails: a character without a meaning becomes [`Kind::Other`], which no rule expects.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let rest = &text[start..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let (kind, length) = if is_word(first) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            (word(&rest[..length]), length)
        } else {
            SYMBOLS
                .iter()
                .find(|(symbol, _)| rest.starts_with(symbol))
                .map_or((Kind::Other, first.len_utf8()), |(symbol, kind)| (*kind, symbol.len()))
        };
        tokens.push(Token { kind, start, end: start + length });
        start += length;
    }
    tokens
}
