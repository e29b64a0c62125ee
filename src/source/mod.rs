//! Where text comes from: files, places in them, and the macro or inline expansions a token came through.
//!
//! Every token and every node of the tree carries a [`Span`]. A span names a byte range of one file and, if the
//! text was produced by a macro or an inline, the expansion it came through; the [`SourceMap`] keeps the chain.

pub mod code;
pub mod diagnostic;
pub mod lexer;
pub mod preprocess;
pub mod read;
pub mod render;
pub mod suggest;
pub mod visible;

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A file of the [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// One use of a macro or inline; 0 is "written as it stands".
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// Text that stands in a file as it is.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// A byte range of a file. For expanded text it is where the text is *written* (the macro's body or the
/// argument), and `expansion` leads to the place of use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The expansion the text came through.
    pub expansion: ExpansionId,
}

impl Span {
    /// The smallest span that covers both, if they lie in one file and expansion; else the first.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && self.expansion == other.expansion {
            Span { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
        } else {
            self
        }
    }
}

/// What an expansion was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpansionKind {
    /// A `#define`.
    Macro,
    /// A Promela `inline`.
    Inline,
}

/// One use of a macro or inline.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// Macro or inline.
    pub kind: ExpansionKind,
    /// Its name.
    pub name: Arc<str>,
    /// Where it is defined.
    pub definition: Span,
    /// Where it is used (itself perhaps inside another expansion).
    pub call: Span,
}

/// One file as it was read.
#[derive(Debug)]
pub struct SourceFile {
    /// As it is shown to the user.
    pub name: String,
    /// Where `#include` looks first; `None` for standard input and built-in text.
    pub path: Option<PathBuf>,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(name: String, path: Option<PathBuf>, text: String) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1));
        SourceFile { name, path, text, line_starts }
    }

    /// Line (from 1) and column (in characters, from 1) of a byte.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(end - start, |text| text.chars().count());
        (line as u32 + 1, column as u32 + 1)
    }
}

/// All files and expansions of one run.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
    /// Texts that are read in place of files: what stands in an editor and was not saved yet.
    unsaved: Arc<HashMap<PathBuf, String>>,
}

impl SourceMap {
    /// Nothing yet.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Nothing yet; these texts are read in place of the files with these paths (absolute, without `.`, `..` and links).
    pub fn with_unsaved(unsaved: Arc<HashMap<PathBuf, String>>) -> SourceMap {
        SourceMap { unsaved, ..SourceMap::default() }
    }

    /// Adds a file.
    pub fn add_file(&mut self, name: String, path: Option<PathBuf>, text: String) -> FileId {
        self.files.push(SourceFile::new(name, path, text));
        FileId(self.files.len() as u32 - 1)
    }

    /// Records a use of a macro or inline.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32)
    }

    /// A file by its number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order they were read.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// All uses of macros and inlines, in the order in which they were met.
    pub fn expansions(&self) -> &[Expansion] {
        &self.expansions
    }

    /// The expansion a span came through, if any.
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        id.0.checked_sub(1).and_then(|index| self.expansions.get(index as usize))
    }

    /// The place in a file where the user wrote what led to `span`: macro uses unwound to the outermost, inline
    /// bodies kept (SPIN too reports the line inside the inline).
    pub fn use_site(&self, mut span: Span) -> Span {
        let mut site = span;
        while let Some(expansion) = self.expansion(span.expansion) {
            span = expansion.call;
            if expansion.kind == ExpansionKind::Macro {
                site = span;
            }
        }
        site
    }

    /// File name, line and column of the [`use_site`](Self::use_site) of a span.
    pub fn place(&self, span: Span) -> Place<'_> {
        let site = self.use_site(span);
        let file = self.file(site.file);
        let (line, column) = file.line_column(site.start);
        Place { file: &file.name, line, column }
    }
}

/// File, line and column, as one shows them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// File name as shown.
    pub file: &'a str,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
