//! Text of a model, or a name of a file, on its way to a terminal: control characters are written out, since a terminal
//! would obey them (colours, a cleared screen, another title, text that is not what it says).

use std::borrow::Cow;
use std::fmt::Write;

/// What a terminal obeys; line ends and tabs are harmless.
fn is_obeyed(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

/// The text with control characters as `\x1b`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_obeyed(c) {
            let _ = write!(shown, "\\x{:02x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(visible("a\tb\n"), "a\tb\n");
        assert!(matches!(visible("plain ü"), Cow::Borrowed(_)));
        assert_eq!(visible("\x1b[31mred\r\x07\u{9b}2J\x7f"), "\\x1b[31mred\\x0d\\x07\\x9b2J\\x7f");
    }
}
