//! Files and the directives in them: `#include`, conditions, `#define` and the rest.
//!
//! A directive is obeyed when the reader comes to its line, also in the middle of a macro's argument list (gcc does
//! the same). Lines left out by a condition are passed over by their first tokens only.

use super::token::{Token, tokenize, without_continuations};
use super::{DEEPEST_INCLUDE, LARGEST_TEXT, Preprocessor};
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::source::lexer::RawKind;
use crate::source::suggest::suggest;
use crate::source::{FileId, Span};
use std::path::{Path, PathBuf};
use std::rc::Rc;

const DIRECTIVES: [&str; 14] = [
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "else", "endif", "error", "warning", "pragma",
    "line", "ident",
];

/// A file being read.
pub(super) struct Reader {
    file: FileId,
    tokens: Rc<[Token]>,
    at: usize,
    conditions: Vec<Condition>,
}

impl Reader {
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    fn is_live(&self) -> bool {
        self.conditions.last().is_none_or(|condition| condition.live)
    }
}

/// An open `#if`.
struct Condition {
    /// Where it stands.
    span: Span,
    /// The lines now read count.
    live: bool,
    /// A branch was taken, or none may be because what is around does not count.
    done: bool,
    /// Where its `#else` stands.
    otherwise: Option<Span>,
}

impl Preprocessor<'_> {
    /// Puts a file on top of those being read. `from` is the `#include`.
    pub(super) fn enter_file(&mut self, file: FileId, from: Option<Span>) {
        let text = &self.map.file(file).text;
        self.bytes = self.bytes.saturating_add(text.len());
        if self.bytes > LARGEST_TEXT {
            let span = from.unwrap_or(Span { file, ..Span::default() });
            let limit = LARGEST_TEXT >> 20;
            self.report(
                Diagnostic::error("file is too large", span, "reading stops here")
                    .with_note(format!("a model with all it includes may have {limit} MiB")),
            );
            self.stopped = true;
            return;
        }
        let tokens = match self.tokens.get(&file) {
            Some(tokens) => tokens.clone(),
            None => {
                let tokens: Rc<[Token]> = tokenize(file, text, &mut self.interner, self.diagnostics).into();
                self.tokens.insert(file, tokens.clone());
                tokens
            }
        };
        self.files.push(Reader { file, tokens, at: 0, conditions: Vec::new() });
    }

    /// The next token of the files that no condition leaves out.
    pub(super) fn read_file(&mut self) -> Option<Token> {
        loop {
            if self.stopped {
                return None;
            }
            let reader = self.files.last_mut()?;
            let Some(&token) = reader.tokens.get(reader.at) else {
                self.leave_file();
                continue;
            };
            let is_directive = token.starts_line && token.kind == RawKind::Hash;
            if !is_directive && reader.is_live() {
                reader.at += 1;
                return Some(token);
            }
            let rest = &reader.tokens[reader.at + 1..];
            let length = rest.iter().position(|token| token.starts_line).unwrap_or(rest.len());
            let start = reader.at + 1;
            reader.at = start + length;
            if is_directive {
                let tokens = reader.tokens.clone();
                self.directive(&tokens[start..start + length]);
            }
        }
    }

    fn leave_file(&mut self) {
        if let Some(reader) = self.files.pop() {
            for condition in reader.conditions {
                self.report(
                    Diagnostic::error("this condition is never closed", condition.span, "no `#endif` for it")
                        .with_help("close it with `#endif`"),
                );
            }
        }
    }

    /// Obeys the directive whose tokens behind the `#` these are.
    fn directive(&mut self, line: &[Token]) {
        let Some((&word, rest)) = line.split_first() else { return };
        let live = self.files.last().is_none_or(Reader::is_live);
        let name = self.interner.text(word.symbol).clone();
        match &*name {
            "if" => {
                let holds = live && self.condition(word, rest);
                self.open(word.span, live, holds);
            }
            "ifdef" | "ifndef" => {
                let holds = live && self.is_defined(word, rest) == (&*name == "ifdef");
                self.open(word.span, live, holds);
            }
            "elif" | "else" | "endif" => self.go_on(word, rest, &name),
            _ if !live => {}
            "define" => self.define(word, rest),
            "undef" => match rest.first() {
                Some(name) if name.kind == RawKind::Word => self.set_macro(name.symbol, None),
                _ => self.error("`#undef` without a name", word.span, "a macro's name must follow"),
            },
            "include" => self.include(word, rest),
            "error" => {
                let text = self.rest_of_line(rest);
                self.error(format!("#error {text}").trim_end(), word.span, "the model refuses to be read here");
            }
            "warning" => {
                let text = self.rest_of_line(rest);
                let message = format!("#warning {text}");
                self.report(
                    Diagnostic::warning(message.trim_end(), word.span, "the model warns here")
                        .with_code(Code::WarningDirective),
                );
            }
            "pragma" => {
                if rest.first().is_some_and(|token| &**self.interner.text(token.symbol) == "once")
                    && let Some(reader) = self.files.last()
                {
                    self.once.insert(reader.file);
                }
            }
            // Places are those of the text that is read, whatever it says of itself.
            "line" | "ident" => {}
            _ if word.kind == RawKind::Number => {}
            _ => {
                let mut error = Diagnostic::error(format!("unknown directive `#{name}`"), word.span, "not a directive");
                if let Some(near) = suggest(&name, DIRECTIVES) {
                    error = error.with_help(format!("did you mean `#{near}`?"));
                } else {
                    error = error.with_help("a comment is `/* … */`, or `// …` to the end of the line");
                }
                self.report(error);
            }
        }
    }

    fn open(&mut self, span: Span, around: bool, holds: bool) {
        if let Some(reader) = self.files.last_mut() {
            reader.conditions.push(Condition { span, live: holds, done: holds || !around, otherwise: None });
        }
    }

    /// `#elif`, `#else`, `#endif`.
    fn go_on(&mut self, word: Token, rest: &[Token], name: &str) {
        let Some(condition) = self.files.last_mut().and_then(|reader| reader.conditions.last_mut()) else {
            self.error(format!("`#{name}` without `#if`"), word.span, "no condition is open here");
            return;
        };
        if name == "endif" {
            if let Some(reader) = self.files.last_mut() {
                reader.conditions.pop();
            }
            return;
        }
        let (opened, otherwise, done) = (condition.span, condition.otherwise, condition.done);
        if let Some(otherwise) = otherwise {
            self.report(
                Diagnostic::error(format!("`#{name}` behind `#else`"), word.span, "the condition has its last branch")
                    .with_label(otherwise, "`#else` is here")
                    .with_label(opened, "the condition starts here"),
            );
            return;
        }
        let holds = !done && (name == "else" || self.condition(word, rest));
        if let Some(condition) = self.files.last_mut().and_then(|reader| reader.conditions.last_mut()) {
            condition.live = holds;
            condition.done |= holds;
            if name == "else" {
                condition.otherwise = Some(word.span);
            }
        }
    }

    fn is_defined(&mut self, word: Token, rest: &[Token]) -> bool {
        match rest.first() {
            Some(name) if name.kind == RawKind::Word => self.macro_named(name.symbol).is_some(),
            _ => {
                let name = self.interner.text(word.symbol).clone();
                self.error(format!("`#{name}` without a name"), word.span, "a macro's name must follow");
                false
            }
        }
    }

    /// The text of a line as it is written.
    fn rest_of_line(&self, rest: &[Token]) -> String {
        match (rest.first(), rest.last()) {
            (Some(first), Some(last)) => {
                let text = &self.map.file(first.span.file).text;
                without_continuations(&text[first.span.start as usize..last.span.end as usize])
            }
            _ => String::new(),
        }
    }

    fn include(&mut self, word: Token, rest: &[Token]) {
        let mut named = self.include_name(rest);
        if named.is_none() && rest.first().is_some_and(|token| token.kind == RawKind::Word) {
            let expanded = self.expand_apart(rest.to_vec(), |this| this.next());
            named = self.include_name(&expanded);
        }
        let Some((name, quoted)) = named else {
            self.error("`#include` without a file name", word.span, "expected `\"file\"` or `<file>`");
            return;
        };
        let span = rest.iter().fold(word.span, |span, token| span.to(token.span));
        let place = match rest.first() {
            Some(first) => Span { start: first.span.start, ..span },
            None => span,
        };
        if self.files.len() >= DEEPEST_INCLUDE {
            self.too_deep(place);
            return;
        }
        let Some(path) = self.find(&name, quoted) else {
            let looked: Vec<String> = self
                .directories(quoted)
                .iter()
                .map(|directory| match directory.as_os_str().is_empty() {
                    true => "`.`".into(),
                    false => format!("`{}`", directory.display()),
                })
                .collect();
            self.report(
                Diagnostic::error(format!("cannot find `{name}`"), place, "no such file")
                    .with_note(format!("looked in {}", looked.join(", ")))
                    .with_help("name further directories with `-I DIR`"),
            );
            return;
        };
        let file = match self.paths.get(&path) {
            Some(&file) => file,
            None => match self.map.read_file(&path, self.diagnostics) {
                Ok(file) => {
                    self.paths.insert(path, file);
                    file
                }
                Err(error) => {
                    self.error(error.to_string(), place, "included here");
                    return;
                }
            },
        };
        if !self.once.contains(&file) {
            self.enter_file(file, Some(place));
        }
    }

    /// The name in an `#include` and whether it is in quotes.
    fn include_name(&self, line: &[Token]) -> Option<(String, bool)> {
        let (first, rest) = line.split_first()?;
        let text = self.interner.text(first.symbol);
        if first.kind == RawKind::String {
            return text.get(1..text.len() - 1).filter(|name| !name.is_empty()).map(|name| (name.to_string(), true));
        }
        let close = rest.iter().position(|token| &**self.interner.text(token.symbol) == ">")?;
        let name = self.rest_of_line(&rest[..close]);
        (&**text == "<" && !name.is_empty()).then_some((name, false))
    }

    /// Where a file is looked for: beside the including one and in those of `-I`; for `<…>` in those of `-I` first.
    fn directories(&self, quoted: bool) -> Vec<PathBuf> {
        let here = self
            .files
            .last()
            .and_then(|reader| self.map.file(reader.file).path.as_deref())
            .and_then(Path::parent)
            .map_or(PathBuf::new(), Path::to_path_buf);
        let mut directories = self.options.include_dirs.clone();
        directories.insert(if quoted { 0 } else { directories.len() }, here);
        directories
    }

    fn find(&self, name: &str, quoted: bool) -> Option<PathBuf> {
        self.directories(quoted).into_iter().map(|directory| directory.join(name)).find(|path| path.is_file())
    }

    /// Too many files are open: say whether they go round in a circle.
    fn too_deep(&mut self, place: Span) {
        let files: Vec<FileId> = self.files.iter().map(|reader| reader.file).collect();
        let last = files.last().copied();
        let earlier = files.iter().rev().skip(1).position(|&file| Some(file) == last);
        let error = match earlier {
            Some(length) => {
                let circle: Vec<String> = files[files.len() - length - 2..]
                    .iter()
                    .map(|&file| format!("`{}`", self.map.file(file).name))
                    .collect();
                Diagnostic::error("files include each other without end", place, "included again and again")
                    .with_note(format!("the circle: {}", circle.join(" includes ")))
                    .with_help("guard the file with `#ifndef NAME`, `#define NAME` … `#endif`")
            }
            None => Diagnostic::error("files include each other too deeply", place, "one too many")
                .with_note(format!("the limit is {DEEPEST_INCLUDE}")),
        };
        self.report(error);
        self.stopped = true;
    }
}
