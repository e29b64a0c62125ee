//! Reading files: bounded in size, and whatever the bytes are.
//!
//! SPIN takes any byte in a comment or a string, so a text that is not UTF-8 is read all the same, with a warning;
//! outside of those its odd characters are errors of the parser. A file with a NUL or full of control characters is no
//! text and refused as a whole: a hundred messages about its bytes would help nobody.

use super::code::Code;
use super::diagnostic::Diagnostic;
use super::preprocess::LARGEST_TEXT;
use super::{FileId, SourceMap, Span};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The system refused.
    Io {
        /// As shown to the user.
        name: String,
        /// What the system said.
        error: io::Error,
    },
    /// It is larger than 32 MiB.
    TooLarge {
        /// As shown to the user.
        name: String,
    },
    /// It is no text.
    NotText {
        /// As shown to the user.
        name: String,
    },
}

/// One control character in so many bytes is a stray one; more are not text.
const RARE_CONTROL: usize = 32;

fn is_text(bytes: &[u8]) -> bool {
    let odd = bytes.iter().filter(|&&byte| byte < 0x20 && !matches!(byte, b'\t'..=b'\r')).count();
    odd * RARE_CONTROL <= bytes.len().max(RARE_CONTROL) && !bytes.contains(&0)
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ReadError::Io { name, error } => {
                // "(os error 2)" helps nobody.
                let text = error.to_string();
                let text = text.split(" (os error").next().unwrap_or_default();
                write!(f, "cannot read `{name}`: {text}")
            }
            ReadError::NotText { name } => write!(f, "cannot read `{name}`: this is not a text file"),
            ReadError::TooLarge { name } => {
                write!(f, "cannot read `{name}`: file is too large (the limit is {} MiB)", LARGEST_TEXT >> 20)
            }
        }
    }
}

impl std::error::Error for ReadError {}

impl SourceMap {
    /// Reads a model; `-` is standard input.
    pub fn read_model(&mut self, path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Result<FileId, ReadError> {
        if path.as_os_str() == "-" {
            self.read_from("<stdin>".into(), None, io::stdin().lock(), diagnostics)
        } else {
            self.read_file(path, diagnostics)
        }
    }

    /// Reads a file. What is odd about its bytes is added to `diagnostics`.
    pub fn read_file(&mut self, path: &Path, diagnostics: &mut Vec<Diagnostic>) -> Result<FileId, ReadError> {
        let name = path.display().to_string();
        if let Some(text) = self.unsaved_text(path) {
            return self.read_from(name, Some(path), text.as_bytes(), diagnostics);
        }
        match File::open(path) {
            Ok(file) => self.read_from(name, Some(path), file, diagnostics),
            Err(error) => Err(ReadError::Io { name, error }),
        }
    }

    fn unsaved_text(&self, path: &Path) -> Option<String> {
        // Where there are none, nothing is asked of the disk.
        let path = (!self.unsaved.is_empty()).then(|| path.canonicalize().ok())??;
        self.unsaved.get(&path).cloned()
    }

    fn read_from(
        &mut self,
        name: String,
        path: Option<&Path>,
        reader: impl Read,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<FileId, ReadError> {
        let mut bytes = Vec::new();
        if let Err(error) = reader.take(LARGEST_TEXT as u64 + 1).read_to_end(&mut bytes) {
            return Err(ReadError::Io { name, error });
        }
        if bytes.len() > LARGEST_TEXT {
            return Err(ReadError::TooLarge { name });
        }
        if !is_text(&bytes) {
            return Err(ReadError::NotText { name });
        }
        Ok(self.add_bytes(name, path, bytes, diagnostics))
    }

    /// Adds a file of which the bytes are known.
    pub fn add_bytes(
        &mut self,
        name: String,
        path: Option<&Path>,
        bytes: Vec<u8>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> FileId {
        let (text, odd) = match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let odd = error.utf8_error().valid_up_to();
                (String::from_utf8_lossy(error.as_bytes()).into_owned(), Some(odd))
            }
        };
        let file = self.add_file(name, path.map(Path::to_path_buf), text);
        // Up to the first odd byte the text is the same as before; behind it stands U+FFFD, of three bytes.
        let at = |start: usize, length: usize| Span {
            file,
            start: start as u32,
            end: (start + length) as u32,
            ..Span::default()
        };
        if let Some(start) = odd {
            diagnostics.push(
                Diagnostic::warning("this file is not UTF-8", at(start, '\u{fffd}'.len_utf8()), "the first odd byte")
                    .with_code(Code::NotUtf8)
                    .with_note("odd bytes are read as U+FFFD"),
            );
        }
        file
    }
}
