//! The preprocessor: what `cpp` does for Promela files, on tokens that keep their places.
//!
//! [`preprocess`] pulls tokens out of a stack of files (`token`), obeys directives on the way (`directive`,
//! `condition`) and expands macros (`macros`, `expand`). A token that comes out knows where it is written and,
//! if it stands in a macro's body, which uses of macros brought it here; an argument's token is written at the
//! place of the call and needs no such chain. The cost is linear in the text plus what macros make of it, and both
//! are bounded.

mod condition;
mod directive;
mod expand;
mod macros;
#[cfg(test)]
mod tests;
mod token;

use super::diagnostic::{Diagnostic, Severity};
use super::lexer::PpToken;
use super::{FileId, SourceMap, Span};
use directive::Reader;
use expand::Context;
use macros::{Macro, Shape};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::rc::Rc;
use token::{Interner, Symbol, Token};

/// Bytes of text in one run, each file counted as often as it is included.
pub const LARGEST_TEXT: usize = 32 << 20;

/// Tokens that macros may make in one run. A real model stays a hundred times below; a bomb ends in half a second.
const BUDGET: usize = 8_000_000;

/// Files may include each other this deeply (gcc's limit).
const DEEPEST_INCLUDE: usize = 200;

/// Calls in arguments of calls: each is a few frames of the machine's stack.
const DEEPEST_ARGUMENT: usize = 200;

/// After so many errors the rest is silence.
const MOST_ERRORS: usize = 100;

/// What the command line says to the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct PreprocessOptions {
    /// `-D NAME=VALUE`, in order. The name may be `F(x)`.
    pub defines: Vec<(String, String)>,
    /// `-I DIR`, in order.
    pub include_dirs: Vec<PathBuf>,
}

/// Preprocesses a file of the map, and those it includes. What is wrong is added to `diagnostics`; the tokens are
/// then what was made of the rest.
pub fn preprocess(
    map: &mut SourceMap,
    root: FileId,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PpToken> {
    preprocess_all(map, &[root], options, diagnostics).pop().unwrap_or_default()
}

/// Preprocesses several files of the map as if one stood behind the other: a file knows the macros of those before it. Gives
/// the tokens of each.
pub fn preprocess_all(
    map: &mut SourceMap,
    roots: &[FileId],
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Vec<PpToken>> {
    let mut interner = Interner::default();
    let symbols = Symbols::new(&mut interner);
    let mut run = Preprocessor {
        map,
        options,
        diagnostics,
        interner,
        symbols,
        names: Vec::new(),
        contexts: Vec::new(),
        base: 0,
        depth: 0,
        files: Vec::new(),
        tokens: HashMap::new(),
        paths: HashMap::new(),
        once: HashSet::new(),
        bytes: 0,
        budget: BUDGET,
        counter: 0,
        errors: 0,
        owes_space: false,
        outermost: None,
        stopped: false,
    };
    run.built_ins();
    run.command_line();
    roots.iter().map(|&root| run.file(root)).collect()
}

/// The symbols that have a meaning of their own.
#[derive(Clone, Copy)]
struct Symbols {
    open: Symbol,
    close: Symbol,
    comma: Symbol,
    dot: Symbol,
    dots: Symbol,
    defined: Symbol,
    va_args: Symbol,
}

impl Symbols {
    fn new(interner: &mut Interner) -> Symbols {
        Symbols {
            open: interner.intern("("),
            close: interner.intern(")"),
            comma: interner.intern(","),
            dot: interner.intern("."),
            dots: interner.intern(".."),
            defined: interner.intern("defined"),
            va_args: interner.intern("__VA_ARGS__"),
        }
    }
}

/// What is known of a symbol.
#[derive(Clone, Default)]
struct Name {
    definition: Option<Rc<Macro>>,
    /// Its expansion is being read.
    disabled: bool,
}

/// One run.
struct Preprocessor<'a> {
    map: &'a mut SourceMap,
    options: &'a PreprocessOptions,
    diagnostics: &'a mut Vec<Diagnostic>,
    interner: Interner,
    symbols: Symbols,
    /// By symbol; shorter than the interner where nothing is known.
    names: Vec<Name>,
    contexts: Vec<Context>,
    /// Contexts below are out of reach while an argument or a condition is expanded.
    base: usize,
    /// Of arguments being expanded.
    depth: usize,
    files: Vec<Reader>,
    /// Tokens of the files met so far.
    tokens: HashMap<FileId, Rc<[Token]>>,
    paths: HashMap<PathBuf, FileId>,
    /// Files with `#pragma once`.
    once: HashSet<FileId>,
    bytes: usize,
    budget: usize,
    counter: usize,
    errors: usize,
    /// An expansion to nothing stood behind a blank.
    owes_space: bool,
    /// The use of a macro in a file that is being expanded.
    outermost: Option<Span>,
    /// Something was too much: no more tokens come.
    stopped: bool,
}

impl Preprocessor<'_> {
    fn built_ins(&mut self) {
        for (name, shape) in [("__LINE__", Shape::Line), ("__FILE__", Shape::File), ("__COUNTER__", Shape::Counter)] {
            let symbol = self.interner.intern(name);
            self.set_macro(symbol, Some(Rc::new(Macro::built_in(name, shape))));
        }
    }

    /// `-D` becomes a file of `#define` lines, so that its mistakes are shown like any other.
    fn command_line(&mut self) {
        if self.options.defines.is_empty() {
            return;
        }
        let line = |text: &str| text.replace(['\n', '\r'], " ");
        let text: String = self
            .options
            .defines
            .iter()
            .map(|(name, value)| format!("#define {} {}\n", line(name), line(value)))
            .collect();
        let file = self.map.add_file("<command line>".into(), None, text);
        self.enter_file(file, None);
        while self.read().is_some() {}
    }

    /// The tokens of a file and of those it includes.
    fn file(&mut self, root: FileId) -> Vec<PpToken> {
        self.enter_file(root, None);
        let mut out = Vec::with_capacity(self.files.last().map_or(0, Reader::len));
        while let Some(token) = self.next() {
            let space_before = token.space | std::mem::take(&mut self.owes_space);
            out.push(PpToken {
                kind: token.kind,
                text: self.interner.text(token.symbol).clone(),
                span: token.span,
                slot: token.slot,
                space_before,
            });
        }
        out
    }

    fn macro_named(&self, symbol: Symbol) -> Option<&Rc<Macro>> {
        self.names.get(symbol.0 as usize)?.definition.as_ref()
    }

    fn set_macro(&mut self, symbol: Symbol, definition: Option<Rc<Macro>>) {
        self.name(symbol).definition = definition;
    }

    fn is_disabled(&self, symbol: Symbol) -> bool {
        self.names.get(symbol.0 as usize).is_some_and(|name| name.disabled)
    }

    fn set_disabled(&mut self, symbol: Symbol, disabled: bool) {
        self.name(symbol).disabled = disabled;
    }

    fn name(&mut self, symbol: Symbol) -> &mut Name {
        let index = symbol.0 as usize;
        if self.names.len() <= index {
            self.names.resize(index + 1, Name::default());
        }
        &mut self.names[index]
    }

    fn error(&mut self, message: impl Into<String>, span: Span, label: impl Into<String>) {
        self.report(Diagnostic::error(message, span, label));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.errors == MOST_ERRORS {
            return;
        }
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        let span = diagnostic.primary.span;
        self.diagnostics.push(diagnostic);
        if self.errors == MOST_ERRORS {
            self.diagnostics.push(Diagnostic::error("too many errors", span, "reading stops here"));
            self.stopped = true;
        }
    }
}
