//! What is known about a document: its tree as far as it can be read, its names, and what is wrong with it.

use super::position::{Lines, path_of, uri_of};
use super::settings::Settings;
use crate::lint;
use crate::load::read_parts;
use crate::names::Names;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::lexer::PpToken;
use crate::source::preprocess::preprocess;
use crate::source::{Expansion, FileId, SourceFile, SourceMap, Span};
use crate::syntax::tree::Unit;
use lsp_types as types;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// More diagnostics than this are of no use to anybody.
const MOST_SHOWN: usize = 1000;

/// The map of a document that nothing was read of yet.
fn map_of(uri: &str, text: &str, settings: &Settings) -> (SourceMap, FileId) {
    let mut map = SourceMap::with_unsaved(Arc::clone(&settings.unsaved));
    let path = path_of(uri);
    let name = path.as_ref().map_or_else(|| uri.to_owned(), |path| path.display().to_string());
    let file = map.add_file(name, path, text.to_owned());
    (map, file)
}

/// What the preprocessor makes of a document.
pub(super) fn expanded(uri: &str, text: &str, settings: &Settings) -> Vec<PpToken> {
    let (mut map, file) = map_of(uri, text, settings);
    preprocess(&mut map, file, &settings.options, &mut Vec::new())
}

/// A document and all that was found out about it.
pub(super) struct Analysis {
    pub uri: String,
    pub map: SourceMap,
    /// The file of the map that is the document.
    pub file: FileId,
    /// The tree, with holes where there are errors.
    pub unit: Option<Unit>,
    pub names: Names,
    pub diagnostics: Vec<Diagnostic>,
    /// What it was read with.
    pub settings: Settings,
}

impl Analysis {
    /// Reads a document as `pv check` would read the file; what it includes comes from open documents, else from the disk.
    pub(super) fn of(uri: &str, text: &str, settings: &Settings) -> Analysis {
        let (mut map, file) = map_of(uri, text, settings);
        let mut diagnostics = Vec::new();
        let (unit, model) = read_parts(&mut map, file, None, &settings.options, &mut diagnostics, &|| None);
        if let (Some(unit), Some(model)) = (&unit, model) {
            lint::lint(&map, unit, &mut diagnostics);
            diagnostics.extend(model.broken.into_iter().flat_map(|formula| formula.diagnostics));
        }
        lint::settle(&map, &mut diagnostics);
        let names = unit.as_ref().map(Names::of).unwrap_or_default();
        Analysis { uri: uri.to_owned(), map, file, unit, names, diagnostics, settings: settings.clone() }
    }

    /// Does the document include this file?
    pub(super) fn includes(&self, path: &Path) -> bool {
        let included = |(number, file): (usize, &SourceFile)| number != self.file.0 as usize && file.path.is_some();
        let same =
            |file: &SourceFile| file.path.as_ref().and_then(|own| own.canonicalize().ok()).as_deref() == Some(path);
        self.map
            .files()
            .iter()
            .enumerate()
            .filter(|&(number, file)| included((number, file)))
            .any(|(_, file)| same(file))
    }

    /// The text of the document.
    pub(crate) fn text(&self) -> &str {
        &self.map.file(self.file).text
    }

    /// The address of a file of the map.
    pub(crate) fn uri_of(&self, file: FileId) -> Option<types::Uri> {
        let uri = if file == self.file { self.uri.clone() } else { uri_of(self.map.file(file).path.as_deref()?) };
        types::Uri::from_str(&uri).ok()
    }

    /// Where a span is written.
    pub(crate) fn location(&self, span: Span) -> Option<types::Location> {
        let range = Lines::of(&self.map.file(span.file).text).range(span.start, span.end);
        Some(types::Location { uri: self.uri_of(span.file)?, range })
    }

    /// The uses of macros and inlines whose names stand at a byte of the document, as calls or as the definition.
    pub(crate) fn expansions_at(&self, offset: u32) -> Vec<&Expansion> {
        let covers = |span: Span, name: &str| {
            span.file == self.file && span.start <= offset && offset <= span.start + name.len() as u32
        };
        let all = self.map.expansions().iter();
        all.filter(|expansion| {
            covers(expansion.call, &expansion.name) || (covers(expansion.definition, &expansion.name))
        })
        .collect()
    }

    /// What is wrong, by the address of the file that it is in. The document is always there.
    pub(crate) fn by_file(&self) -> BTreeMap<String, Vec<types::Diagnostic>> {
        let mut all = BTreeMap::from([(self.uri.clone(), Vec::new())]);
        let mut lines = HashMap::new();
        for diagnostic in self.diagnostics.iter().take(MOST_SHOWN) {
            let site = self.map.use_site(diagnostic.primary.span);
            let Some(uri) = self.map.files().get(site.file.0 as usize).and_then(|_| self.uri_of(site.file)) else {
                continue;
            };
            all.entry(uri.as_str().to_owned()).or_default().push(self.shown(diagnostic, site, &mut lines));
        }
        all
    }

    fn shown<'a>(
        &'a self,
        diagnostic: &Diagnostic,
        site: Span,
        known: &mut HashMap<FileId, Lines<'a>>,
    ) -> types::Diagnostic {
        let mut range_of = |span: Span| {
            let lines = known.entry(span.file).or_insert_with(|| Lines::of(&self.map.file(span.file).text));
            lines.range(span.start, span.end)
        };
        let range = range_of(site);
        let mut message = diagnostic.message.clone();
        // A label that repeats what the message says is for the line that is shown with it.
        let label = Some(&diagnostic.primary.message).filter(|label| !diagnostic.message.contains(*label));
        for more in label.into_iter().chain(&diagnostic.notes) {
            message.push_str(&format!("\n{more}"));
        }
        if let Some(help) = &diagnostic.help {
            message.push_str(&format!("\nhelp: {help}"));
        }
        let code = diagnostic.code;
        if let Some(code) = code.filter(|code| !code.is_family()) {
            message.push_str(&format!("\n(pv explain {code})"));
        }
        let related = diagnostic.secondary.iter().filter_map(|label| {
            let span = self.map.use_site(label.span);
            let location = types::Location { uri: self.uri_of(span.file)?, range: range_of(span) };
            Some(types::DiagnosticRelatedInformation { location, message: label.message.clone() })
        });
        types::Diagnostic {
            range,
            severity: Some(match diagnostic.severity {
                Severity::Error => types::DiagnosticSeverity::ERROR,
                Severity::Warning => types::DiagnosticSeverity::WARNING,
            }),
            code: code.map(|code| types::NumberOrString::String(code.text().into())),
            source: Some("pv".into()),
            message,
            related_information: Some(related.collect()),
            ..types::Diagnostic::default()
        }
    }
}
