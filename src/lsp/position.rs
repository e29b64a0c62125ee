//! Places as the protocol has them: lines that end at `\n`, `\r\n` or `\r`, and columns in units of UTF-16.

use lsp_types::{Position, Range};

/// The lines of a text.
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Lines<'t> {
        let bytes = text.as_bytes();
        let ends = |at: &usize| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        let starts = std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect();
        Lines { text, starts }
    }

    /// The place of a byte; one inside a character is that of the character.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start <= offset) - 1;
        let column = self.text[self.starts[line]..offset].encode_utf16().count();
        Position { line: line as u32, character: column as u32 }
    }

    /// The byte of a place; behind the end of a line it is the end of the line.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        let Some(&start) = self.starts.get(position.line as usize) else { return self.text.len() as u32 };
        let end = self.starts.get(position.line as usize + 1).copied().unwrap_or(self.text.len());
        let line = self.text[start..end].trim_end_matches(['\n', '\r']);
        let mut units = 0;
        for (at, character) in line.char_indices() {
            if units >= position.character {
                return (start + at) as u32;
            }
            units += character.len_utf16() as u32;
        }
        (start + line.len()) as u32
    }

    pub(crate) fn range(&self, start: u32, end: u32) -> Range {
        Range { start: self.position(start), end: self.position(end.max(start)) }
    }

    /// The whole text.
    pub(crate) fn all(&self) -> Range {
        self.range(0, self.text.len() as u32)
    }
}

/// The file of a `file:` address.
pub(super) fn path_of(uri: &str) -> Option<std::path::PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut left = path.bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/models` is a path of Windows.
    let windows = path.as_bytes().get(2) == Some(&b':');
    Some(path[usize::from(windows)..].into())
}

/// The address of a file.
pub(super) fn uri_of(path: &std::path::Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    let path = path.display().to_string().replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(byte as char),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_units_of_utf_16() {
        let text = "a\u{e9}\u{1f600}b\r\nc\rd\n";
        let lines = Lines::of(text);
        for (offset, line, character) in
            [(0, 0, 0), (1, 0, 1), (3, 0, 2), (7, 0, 4), (10, 1, 0), (12, 2, 0), (14, 3, 0)]
        {
            let position = Position { line, character };
            assert_eq!(lines.position(offset), position, "{offset}");
            assert_eq!(lines.offset(position), offset, "{position:?}");
        }
        assert_eq!(lines.offset(Position { line: 0, character: 99 }), 8);
        assert_eq!(lines.offset(Position { line: 99, character: 0 }), text.len() as u32);
    }

    #[test]
    fn addresses_are_those_of_paths() {
        let path = std::path::Path::new("/a b/\u{e9}%.pml");
        assert_eq!(uri_of(path), "file:///a%20b/%C3%A9%25.pml");
        assert_eq!(path_of(&uri_of(path)).as_deref(), Some(path));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file:///a%2"), None);
    }
}
