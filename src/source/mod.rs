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

/// For a token of an argument: the parameter that it stands in for; 0 is "it is no part of an argument".
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SlotId(pub u32);

impl SlotId {
    /// Text that was put in for nothing.
    pub const NONE: SlotId = SlotId(0);
}

/// The place of a parameter in the body of a macro or inline, where tokens of an argument were put in. The tokens keep their own
/// place, at the call; what begins or ends with one and goes on in the body is placed by the parameter.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The parameter as it stands in the body, in the expansion.
    pub parameter: Span,
    /// What the tokens had been put in for before.
    pub earlier: SlotId,
    /// How many there are with this one.
    depth: u8,
}

/// Arguments that are handed on more often are placed by the last parameter only: the work for a token stays bounded.
const DEEPEST_SLOT: u8 = 16;

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
    slots: Vec<Slot>,
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

    /// Records that tokens, which had been put in for `earlier`, are put in for a parameter.
    pub fn add_slot(&mut self, parameter: Span, earlier: SlotId) -> SlotId {
        let before = self.slot(earlier).map_or(0, |slot| slot.depth);
        let (earlier, depth) = if before < DEEPEST_SLOT { (earlier, before + 1) } else { (SlotId::NONE, 1) };
        self.slots.push(Slot { parameter, earlier, depth });
        SlotId(self.slots.len() as u32)
    }

    /// The parameter that a token stands in for, if any.
    pub fn slot(&self, id: SlotId) -> Option<&Slot> {
        id.0.checked_sub(1).and_then(|index| self.slots.get(index as usize))
    }

    /// The places of two tokens in the innermost text that holds what begins with the one and ends with the other: the body, where only
    /// one of them comes out of an argument or they come out of two, and the argument, if both are in the same.
    pub fn ends(&self, a: (Span, SlotId), b: (Span, SlotId)) -> (Span, Span) {
        let (mut left, mut right) = (self.slot(a.1), self.slot(b.1));
        while let (Some(one), Some(other)) = (left, right) {
            if one.parameter != other.parameter {
                break;
            }
            (left, right) = (self.slot(one.earlier), self.slot(other.earlier));
        }
        let place = |slot: Option<&Slot>, own: Span| slot.map_or(own, |slot| slot.parameter);
        (place(left, a.0), place(right, b.0))
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
