//! Operators as other tools write them: `G`, `F`, `&`, `and`, `A[]`, …
//!
//! People bring formulas from NuSMV, Spot, LTSmin, TLA+, UPPAAL and from books. None of their spellings is an error that a
//! parser could explain well, since `G` is a good name of a variable. Most spellings give themselves away: no name stands
//! directly in front of an operand. The rest is looked for only in a text that is no formula.

/// A sign of another tool's language in a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// Number of the first token of the sign.
    pub at: usize,
    /// How many tokens the sign has.
    pub tokens: usize,
    /// What to write instead.
    pub instead: &'static str,
}

/// The operators as they are written here, for everybody who is used to others.
pub const OUR_SPELLING: &str = "operators are written as in SPIN: `[]` for G, `<>` for F, `X`, `U`, `W`, `V` for R; `!`, `&&`, `||`, \
                                `->` and `<->`";

const PAST: &str = "formulas are about the future: there are no operators of the past";
const SOME_RUN: &str = "a formula is about every run; for some run, check the opposite and look at the counterexample";
const EVERY_RUN: &str = "leave it out: a formula is about every run anyway";

/// Words in front of an operand.
const PREFIXES: &[(&[&str], &str)] = &[
    (&["G", "globally", "Globally", "henceforth"], "write `[]` or `always`"),
    (&["F", "finally", "Finally", "future", "sometime", "sometimes"], "write `<>` or `eventually`"),
    (&["N", "nexttime", "Next"], "write `X` or `next`"),
    (&["AG"], "write `[]` or `always`: a formula is about every run anyway"),
    (&["AF"], "write `<>` or `eventually`: a formula is about every run anyway"),
    (&["AX"], "write `X` or `next`: a formula is about every run anyway"),
    (&["EF", "EG", "EX"], SOME_RUN),
    (&["Y", "Z", "O", "H", "once", "historically", "previously"], PAST),
];

/// Words between operands.
const INFIXES: &[(&[&str], &str)] = &[
    (&["R", "releases", "Release"], "write `V` or `release`"),
    (&["M"], "for `p M q` write `q U (p && q)`"),
    (&["UNTIL", "Until"], "write `U` or `until`"),
    (&["WU", "unless", "UNLESS", "awaits"], "write `W` or `weakuntil`"),
    (&["and", "AND", "And"], "write `&&`"),
    (&["or", "OR", "Or"], "write `||`"),
    (&["xor", "XOR"], "for `p xor q` write `!(p <-> q)`"),
    (&["imply", "IMPLIES", "Implies"], "write `->` or `implies`"),
    (&["iff", "IFF", "equiv"], "write `<->` or `equivalent`"),
    (&["leadsto", "leads_to", "LEADSTO"], LEADS_TO),
    (&["S", "since", "T", "triggered"], PAST),
];

const LEADS_TO: &str = "that `p` leads to `q` is written `[] (p -> <> q)`";

/// Signs of several tokens that mean nothing in a row here.
const SIGNS: &[(&[&str], &str)] = &[
    (&["=", ">"], "write `->` or `implies`"),
    (&["==", ">"], "write `->` or `implies`"),
    (&["<=", ">"], "write `<->` or `equivalent`"),
    (&["<", "=", ">"], "write `<->` or `equivalent`"),
    (&["~", ">"], LEADS_TO),
    (&["-->"], LEADS_TO),
    (&["-", "->"], LEADS_TO),
    (&["="], "`=` assigns: to compare, write `==`"),
    (&["A", "[]"], EVERY_RUN),
    (&["A", "<>"], EVERY_RUN),
    (&["E", "[]"], SOME_RUN),
    (&["E", "<>"], SOME_RUN),
    (&["□"], "write `[]` or `always`"),
    (&["◇"], "write `<>` or `eventually`"),
    (&["○"], "write `X` or `next`"),
    (&["¬"], "write `!`"),
    (&["∧"], "write `&&`"),
    (&["∨"], "write `||`"),
    (&["→"], "write `->`"),
    (&["⇒"], "write `->`"),
    (&["↔"], "write `<->`"),
    (&["⇔"], "write `<->`"),
];

/// Words that some readers of formulas know and others do not.
const WORDS: &[(&str, &str)] = &[("not", "write `!`"), ("NOT", "write `!`")];

/// What means something here, but not what other tools mean by it.
const DOUBTFUL: &[(&str, &str)] = &[
    ("&", "`&` joins the bits of two numbers; for \"and\" write `&&`"),
    ("|", "`|` joins the bits of two numbers; for \"or\" write `||`"),
    ("~", "`~` turns the bits of a number around; for \"not\" write `!`"),
];

/// The first sign of another language that no formula can have, in the tokens of a formula.
pub fn find(tokens: &[&str]) -> Option<Foreign> {
    (0..tokens.len()).find_map(|at| certain(tokens, at))
}

/// The first sign of another language in the tokens of a text that is no formula. `mixed`: a temporal operator stands in an
/// expression, so that an operator on bits is likely to be meant as one of logic.
pub fn find_in_wrong(tokens: &[&str], mixed: bool) -> Option<Foreign> {
    let among = |list: &'static [(&str, &str)]| {
        tokens.iter().enumerate().find_map(|(at, token)| {
            let (_, instead) = list.iter().find(|(sign, _)| sign == token)?;
            Some(Foreign { at, tokens: 1, instead })
        })
    };
    find(tokens).or_else(|| among(WORDS)).or_else(|| among(DOUBTFUL).filter(|_| mixed))
}

fn certain(tokens: &[&str], at: usize) -> Option<Foreign> {
    let sign = |(sign, instead): &(&[&str], &'static str)| {
        tokens[at..].starts_with(sign).then_some(Foreign { at, tokens: sign.len(), instead })
    };
    if let Some(found) = SIGNS.iter().find_map(sign) {
        return Some(found);
    }
    let before = at.checked_sub(1).map(|before| tokens[before]);
    let after = tokens.get(at + 1).is_some_and(|after| starts_operand(after));
    // `q?[G(x)]` is a message, `P[0]@G` a label.
    let belongs = before.is_some_and(|before| matches!(before, "[" | "?" | "??" | "." | ":" | "@" | ","));
    if !after || belongs {
        return None;
    }
    let list = if before.is_some_and(ends_operand) { INFIXES } else { PREFIXES };
    let (_, instead) = list.iter().find(|(words, _)| words.contains(&tokens[at]))?;
    Some(Foreign { at, tokens: 1, instead })
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// May an operand begin with this token?
fn starts_operand(token: &str) -> bool {
    const OPERATORS: &[&str] =
        &["U", "V", "W", "until", "stronguntil", "weakuntil", "release", "implies", "equivalent", "and", "or", "R"];
    matches!(token, "(" | "!" | "~" | "[]" | "<>") || (is_word(token) && !OPERATORS.contains(&token))
}

/// May an operand end with this token?
fn ends_operand(token: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "U",
        "V",
        "W",
        "X",
        "until",
        "stronguntil",
        "weakuntil",
        "release",
        "implies",
        "equivalent",
        "not",
        "always",
        "eventually",
        "next",
        "and",
        "or",
        "G",
        "F",
    ];
    matches!(token, ")" | "]") || (is_word(token) && !OPERATORS.contains(&token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(usize, &'static str)> {
        let tokens: Vec<&str> = text.split(' ').collect();
        find(&tokens).map(|found| (found.at, found.instead))
    }

    #[test]
    fn signs_of_other_languages() {
        for (text, at, instead) in [
            ("G p", 0, "`[]`"),
            ("( F ( p ) )", 1, "`<>`"),
            ("p R q", 1, "`V`"),
            ("p M q", 1, "q U (p && q)"),
            ("[] ( p -> F q )", 4, "`<>`"),
            ("AG p", 0, "every run"),
            ("A [] p", 0, "leave it out"),
            ("EF p", 0, "the opposite"),
            ("globally p", 0, "`always`"),
            ("p and q", 1, "`&&`"),
            ("p = > q", 1, "`->`"),
            ("[] p <= > q", 2, "`<->`"),
            ("p ~ > q", 1, "[] (p -> <> q)"),
            ("p = 1", 1, "`==`"),
            ("O p", 0, "the past"),
            ("p S q", 1, "the past"),
            ("□ p", 0, "`[]`"),
        ] {
            let (place, says) = found(text).unwrap_or_else(|| panic!("{text}: nothing"));
            assert!(place == at && says.contains(instead), "{text}: {place} {says}");
        }
    }

    #[test]
    fn names_of_a_model_are_left_alone() {
        for text in [
            "G",
            "F && G",
            "[] ( G -> <> F )",
            "G == 1 U F",
            "G [ 1 ] > F",
            "q ? [ G ( 1 ) ]",
            "a & b",
            "~ a",
            "R V M",
            "! R && S",
            "X ( A ) U E",
            "P [ 0 ] @ F && b",
            "p U R",
            "not p",
            "x <= 1 && y >= 2",
            "f ( 1 ) > 2",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn what_may_be_meant_is_taken_only_where_the_text_is_wrong() {
        let tokens = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let wrong = |text| find_in_wrong(&tokens(text), true).map(|found| found.at);
        assert_eq!(wrong("[] p & <> q"), Some(2));
        assert_eq!(wrong("~ [] p"), Some(0));
        // A sure sign goes first.
        assert_eq!(wrong("p | F q"), Some(2));
        assert_eq!(wrong("p ( q"), None);
        assert_eq!(find_in_wrong(&tokens("x & 1 y"), false), None);
        assert_eq!(find_in_wrong(&tokens("not p"), false).map(|found| found.at), Some(0));
    }
}
