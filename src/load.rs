//! From text to a model in one call: preprocess, parse, analyse. The command line, the tests and programs that use pv
//! as a library all come through here.

use crate::model::{Action, Expr, ExprKind, Model};
use crate::source::code::Code;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::lexer::{PpToken, RawKind};
use crate::source::preprocess::{PreprocessOptions, preprocess_all};
use crate::source::render::render;
use crate::source::{FileId, SlotId, SourceMap, Span};
use crate::syntax::tree::Unit;
use crate::{sema, syntax};
use std::path::Path;

/// A property that stands beside the model, in a file of the map of its own. It is read as if it stood at the end of the
/// model, so that it knows all names and macros of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outside {
    /// The file.
    pub file: FileId,
    /// What stands in it.
    pub writing: Writing,
}

/// How a property is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Writing {
    /// As a formula: what stands between the braces of an `ltl` block.
    Formula,
    /// As a claim: a whole `never { … }`, with whatever it needs.
    Claim,
}

/// Tokens of the largest text with errors of the preprocessor that is parsed all the same.
const MOST_WITH_HOLES: usize = 1 << 18;

/// Some diagnostic is an error.
pub fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Compiles a file of the map; `None` if an error is among the diagnostics. What is wrong with the formula of a property
/// is none of them and comes with the model ([`Model::broken`]): only a check of that property is impossible. A step that found errors is the last:
/// what the next ones would say about a text with holes is noise.
pub fn compile(
    map: &mut SourceMap,
    file: FileId,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Model> {
    compile_within(map, file, None, options, diagnostics, &|| None)
}

/// As [`compile`], with a property from outside; after each step `full` is asked whether the memory is used up. What it says
/// is then an error.
pub fn compile_within(
    map: &mut SourceMap,
    file: FileId,
    outside: Option<Outside>,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
    full: &dyn Fn() -> Option<String>,
) -> Option<Model> {
    front(map, file, outside, options, diagnostics, full).map(|(_, model)| model)
}

/// As [`compile_within`], with the tree: for the lints. Every diagnostic has a code.
pub fn front(
    map: &mut SourceMap,
    file: FileId,
    outside: Option<Outside>,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
    full: &dyn Fn() -> Option<String>,
) -> Option<(Unit, Model)> {
    let (unit, model) = read_parts(map, file, outside, options, diagnostics, full);
    unit.zip(model)
}

/// As [`front`], with what can be had of a text that has errors: the tree around them.
pub fn read_parts(
    map: &mut SourceMap,
    file: FileId,
    outside: Option<Outside>,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
    full: &dyn Fn() -> Option<String>,
) -> (Option<Unit>, Option<Model>) {
    let name = map.file(file).name.clone();
    let goes_on = |diagnostics: &mut Vec<Diagnostic>| {
        if let Some(why) = full() {
            let start = Span { file, ..Span::default() };
            diagnostics.push(Diagnostic::error("this model takes too much memory", start, why));
        }
        !failed(diagnostics)
    };
    let tokens = tokens(map, file, outside, options, diagnostics);
    mark(diagnostics, Code::Preprocessor);
    let whole = goes_on(diagnostics);
    let fingerprint = sema::fingerprint(tokens.iter().map(|token| &*token.text));
    if full().is_some() || (!whole && tokens.len() > MOST_WITH_HOLES) {
        return (None, None);
    }
    let before = diagnostics.len();
    let unit = syntax::parse(map, tokens, diagnostics);
    if !whole {
        // What is said about a text with holes is noise.
        diagnostics.truncate(before);
    }
    mark(diagnostics, Code::Syntax);
    if !goes_on(diagnostics) {
        return (unit, None);
    }
    let Some(unit) = unit else { return (None, None) };
    let model = sema::analyse(map, &unit, &name, diagnostics);
    mark(diagnostics, Code::Meaning);
    let Some(model) = model.filter(|_| goes_on(diagnostics)) else { return (Some(unit), None) };
    let mut model = Model { fingerprint, ..model };
    model.broken.iter_mut().for_each(|formula| mark(&mut formula.diagnostics, Code::Formula));
    if let Some(outside) = outside {
        mark_outside(map, &mut model, outside, diagnostics);
        mark(diagnostics, Code::Formula);
    }
    let model = (!failed(diagnostics)).then_some(model);
    (Some(unit), model)
}

/// Gives the diagnostics that have none the code of the step that has found them.
pub fn mark(diagnostics: &mut [Diagnostic], family: Code) {
    for diagnostic in diagnostics {
        diagnostic.code.get_or_insert(family);
    }
}

/// An expression in the scope of the model: reads the model again with the expression (a file of the map) behind it. Gives that model
/// and the expression; `None` if an error is among the diagnostics. The model may differ from one that was read without the expression in what
/// its states hold, since an expression can ask for `_last`; its statements are the same.
pub fn compile_expression(
    map: &mut SourceMap,
    file: FileId,
    outside: Option<Outside>,
    expression: FileId,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(Model, Expr)> {
    let name = map.file(file).name.clone();
    let files: Vec<FileId> =
        [Some(file), outside.map(|outside| outside.file), Some(expression)].into_iter().flatten().collect();
    let mut texts = preprocess_all(map, &files, options, diagnostics);
    let text = texts.pop().unwrap_or_default();
    let mut tokens = join(map, outside, texts, diagnostics);
    // In brackets that fit together only an expression can stand. `run` and `set_priority` are the only ones with an effect.
    let is_bad = |token: &&PpToken| matches!(&*token.text, "{" | "}" | ";");
    if let Some(token) = text.iter().find(is_bad).or_else(|| unclosed(&text)) {
        diagnostics.push(Diagnostic::error("this does not belong into an expression", token.span, "not expected"));
    }
    if let Some(token) = text.iter().find(|token| matches!(&*token.text, "run" | "set_priority")) {
        let message = format!("`{}` changes the state, and an expression here is only looked at", token.text);
        diagnostics.push(Diagnostic::error(message, token.span, "not allowed here"));
    }
    if text.is_empty() {
        let start = Span { file: expression, ..Span::default() };
        diagnostics.push(Diagnostic::error("the expression is empty", start, "expected what to watch"));
    }
    let name_of_claim = free_name(&tokens, "watched");
    let span = Span { file: expression, ..Span::default() };
    let slot = SlotId::NONE;
    let token = |kind, text: &str| PpToken { kind, text: text.into(), span, slot, space_before: true };
    let (word, sign) = (RawKind::Word, RawKind::Operator);
    tokens.extend([token(word, "never"), token(word, &name_of_claim), token(sign, "{"), token(sign, "(")]);
    tokens.extend(text);
    tokens.extend([token(sign, ")"), token(sign, "}")]);
    if failed(diagnostics) {
        return None;
    }
    let unit = syntax::parse(map, tokens, diagnostics).filter(|_| !failed(diagnostics))?;
    let mut model = sema::analyse(map, &unit, &name, diagnostics).filter(|_| !failed(diagnostics))?;
    let at = model.claims.iter().position(|claim| *claim.name == *name_of_claim)?;
    let claim = model.claims.remove(at);
    let automaton = &claim.body.automaton;
    let expr = match &automaton.at(automaton.entry).first()?.action {
        Action::Guard(expr) => expr.clone(),
        // A condition that always holds needs no guard.
        _ => Expr { kind: ExprKind::Constant(1), span },
    };
    Some((model, expr))
}

/// The tokens of the model, and behind them those of a property from outside.
fn tokens(
    map: &mut SourceMap,
    file: FileId,
    outside: Option<Outside>,
    options: &PreprocessOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PpToken> {
    let files: Vec<FileId> = std::iter::once(file).chain(outside.map(|outside| outside.file)).collect();
    let texts = preprocess_all(map, &files, options, diagnostics);
    join(map, outside, texts, diagnostics)
}

/// The texts of the model and of a property from outside as one.
fn join(
    map: &SourceMap,
    outside: Option<Outside>,
    texts: Vec<Vec<PpToken>>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PpToken> {
    let mut texts = texts.into_iter();
    let mut tokens = texts.next().unwrap_or_default();
    if let (Some(outside), Some(text)) = (outside, texts.next()) {
        match outside.writing {
            Writing::Claim => tokens.extend(text),
            Writing::Formula => {
                let block = block(map, &tokens, outside.file, text, diagnostics);
                tokens.extend(block);
            }
        }
    }
    tokens
}

/// The `ltl` block of a formula, with a name that the model does not use.
fn block(
    map: &SourceMap,
    model: &[PpToken],
    file: FileId,
    formula: Vec<PpToken>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<PpToken> {
    if let Some(brace) = formula.iter().find(|token| matches!(&*token.text, "{" | "}")) {
        let help = "give only what stands between the braces of an `ltl` block";
        diagnostics.push(Diagnostic::error("a brace in a formula", brace.span, "not expected").with_help(help));
    }
    if formula.is_empty() {
        let start = Span { file, ..Span::default() };
        diagnostics.push(Diagnostic::error("the formula is empty", start, "expected what must hold"));
    }
    if let Some(open) = unclosed(&formula) {
        diagnostics.push(Diagnostic::error("this bracket has no partner", open.span, "in this formula"));
    }
    let name = free_name(model, "formula");
    let text = &map.file(file).text;
    let (start, end) = ((text.len() - text.trim_start().len()) as u32, text.trim_end().len() as u32);
    let token = |kind, text: &str, start, end| PpToken {
        kind,
        text: text.into(),
        span: Span { file, start, end, ..Span::default() },
        slot: SlotId::NONE,
        space_before: true,
    };
    // What is wrong with the property as a whole is shown under the whole formula: its name stands nowhere.
    let mut block = vec![
        token(RawKind::Word, "ltl", start, start),
        token(RawKind::Word, &name, start.min(end), end),
        token(RawKind::Operator, "{", start, start),
    ];
    block.extend(formula);
    block.push(token(RawKind::Operator, "}", end, end));
    block
}

/// A name that no token of the model is: the word itself, or with a number.
fn free_name(model: &[PpToken], word: &str) -> String {
    let is_free = |name: &String| !model.iter().any(|token| *token.text == **name);
    let numbered = (1u32..).map(|number| format!("{word}_{number}"));
    std::iter::once(word.to_string()).chain(numbered).find(is_free).unwrap_or_default()
}

/// A bracket that is not closed, or that closes nothing.
fn unclosed(formula: &[PpToken]) -> Option<&PpToken> {
    let mut open = Vec::new();
    for token in formula {
        let opening = match &*token.text {
            "(" | "[" => {
                open.push(token);
                continue;
            }
            ")" => "(",
            "]" => "[",
            _ => continue,
        };
        if open.pop().is_none_or(|before| *before.text != *opening) {
            return Some(token);
        }
    }
    open.pop()
}

/// Marks the claim that came from outside. There has to be one.
fn mark_outside(map: &SourceMap, model: &mut Model, outside: Outside, diagnostics: &mut Vec<Diagnostic>) {
    let is_outside = |span: Span| map.use_site(span).file == outside.file;
    for claim in &mut model.claims {
        claim.from_outside = is_outside(claim.body.span);
    }
    let found: Vec<&str> = model.claims.iter().filter(|claim| claim.from_outside).map(|claim| &*claim.name).collect();
    // A formula that cannot be read is told with the broken ones.
    if found.len() == 1 || model.broken.iter().any(|formula| is_outside(formula.span)) {
        return;
    }
    let start = Span { file: outside.file, ..Span::default() };
    diagnostics.push(if found.is_empty() {
        Diagnostic::error("there is no claim in this file", start, "expected `never { … }`")
    } else {
        let label = format!("there are {}: {}", found.len(), found.join(", "));
        Diagnostic::error("there is more than one claim in this file", start, label)
    });
}

/// Reads and compiles a file; what is wrong comes back as it would be shown.
pub fn read(path: &Path) -> Result<(SourceMap, Model), String> {
    let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
    let file = map.read_model(path, &mut diagnostics).map_err(|error| error.to_string())?;
    finish(map, file, diagnostics)
}

/// Compiles a text.
pub fn read_text(name: &str, text: &str) -> Result<(SourceMap, Model), String> {
    let mut map = SourceMap::new();
    let file = map.add_file(name.to_string(), None, text.to_string());
    finish(map, file, Vec::new())
}

fn finish(mut map: SourceMap, file: FileId, mut diagnostics: Vec<Diagnostic>) -> Result<(SourceMap, Model), String> {
    match compile(&mut map, file, &PreprocessOptions::default(), &mut diagnostics) {
        Some(model) if model.broken.is_empty() => Ok((map, model)),
        model => {
            // Who asks for no particular property wants them all.
            diagnostics.extend(model.into_iter().flat_map(|model| model.broken).flat_map(|wrong| wrong.diagnostics));
            Err(render(&map, &diagnostics, false))
        }
    }
}
