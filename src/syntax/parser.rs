//! From preprocessed tokens to the tree, in six steps, each of which leaves the next an easier job: parser tokens,
//! inlines expanded, brackets balanced, separators and names settled, cut into items of the top level, and each
//! item parsed by the tables that lalrpop makes of `grammar/promela.lalrpop`.

use super::build::{Build, TEMPORAL_INSIDE};
use super::recover::Stream;
use super::token::{Lexeme, Origin, Token};
use super::tree::{Item, Unit};
use super::{brackets, inline, separators, token};
use crate::ltl::foreign::{OUR_SPELLING, find_in_wrong};
use crate::source::SourceMap;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::lexer::{PpToken, RawKind};
use std::collections::HashSet;
use std::ops::Range;

use super::promela::ItemParser;

/// Tokens parsed again after errors, before the rest is left unread.
const MAX_EFFORT: usize = 10_000_000;

/// Parses a model. Errors go to `diagnostics`; the tree holds whatever could be read around them. `None` if there
/// is nothing to work with.
pub fn parse(map: &mut SourceMap, tokens: Vec<PpToken>, diagnostics: &mut Vec<Diagnostic>) -> Option<Unit> {
    let first = diagnostics.len();
    let unit = parse_all(map, tokens, diagnostics);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        // Nobody will come to check a property of this model: what is wrong with them is told now.
        let formulas = unit.iter().flat_map(|unit| &unit.items).filter_map(|item| match item {
            Item::Ltl(ltl) => Some(&ltl.faults),
            _ => None,
        });
        diagnostics.extend(formulas.flatten().cloned());
    }
    drop_repeated(diagnostics, first);
    unit
}

fn parse_all(map: &mut SourceMap, raw: Vec<PpToken>, diagnostics: &mut Vec<Diagnostic>) -> Option<Unit> {
    let open_quotes = raw
        .iter()
        .any(|raw| raw.kind == RawKind::OpenQuote || raw.kind == RawKind::Stray && raw.text.starts_with(['"', '\'']));
    let tokens = token::tokens(map, &raw, diagnostics);
    drop(raw);
    let tokens = inline::expand(map, tokens, diagnostics)?;
    let before = diagnostics.len();
    let balanced = brackets::balance(map, tokens, diagnostics)?;
    if open_quotes {
        // The rest of the line was lost, and brackets with it.
        diagnostics.truncate(before);
    }
    let (tokens, doubtful) = separators::settle(balanced);
    let mut unit = Unit::default();
    if tokens.is_empty() {
        return Some(unit);
    }
    let parser = ItemParser::new();
    let told = HashSet::new();
    let mut build = Build { map, tokens: &tokens, doubtful: &doubtful, told, diagnostics, claims: 0, errors: 0 };
    let mut effort = 0;
    for range in items(&tokens) {
        let first = range.start as u32;
        let reported = build.diagnostics.len();
        let written = tokens[range.clone()].iter().zip(first..).map(|(l, at)| Ok((at, l.token.clone(), at + 1)));
        let mut result = parser.parse(&mut build, written);
        // Each error is mended and the item parsed anew. What the actions report is the same each time, and is
        // dropped when it is there already.
        let mut stream = None;
        while let Err(error) = &result {
            let at = build.error(error.clone());
            effort += range.len();
            let stream = stream.get_or_insert_with(|| Stream::new(&tokens[range.clone()], range.start));
            if build.gives_up() || effort > MAX_EFFORT || !stream.repair(at) {
                break;
            }
            result = parser.parse(&mut build, stream.iter());
        }
        if tokens[range.clone()].first().is_some_and(|first| first.token == Token::Ltl) {
            name_foreign(build.map, &tokens[range.clone()], build.diagnostics, reported);
        }
        if let Ok(mut item) = result {
            if let Item::Ltl(ltl) = &mut *item {
                ltl.faults = build.diagnostics.split_off(reported);
            }
            unit.items.push(*item);
        }
        if build.gives_up() || effort > MAX_EFFORT {
            break;
        }
    }
    Some(unit)
}

/// An `ltl` block with errors whose formula is written in the language of another tool: this is said, and not what the errors
/// are that follow from it. `reported`: diagnostics before the block.
fn name_foreign(map: &SourceMap, block: &[Lexeme], diagnostics: &mut Vec<Diagnostic>, reported: usize) {
    if !diagnostics[reported..].iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return;
    }
    let is_brace = |lexeme: &Lexeme| matches!(lexeme.token, Token::LeftBrace | Token::RightBrace);
    let inside = block.iter().skip_while(|lexeme| !is_brace(lexeme)).skip(1);
    let formula: Vec<&Lexeme> = inside.filter(|lexeme| lexeme.origin == Origin::Written && !is_brace(lexeme)).collect();
    let text = |lexeme: &Lexeme| {
        let file = map.files().get(lexeme.span.file.0 as usize);
        file.and_then(|file| file.text.get(lexeme.span.start as usize..lexeme.span.end as usize)).unwrap_or_default()
    };
    let texts: Vec<&str> = formula.iter().map(|lexeme| text(lexeme)).collect();
    let mixed = diagnostics[reported..].iter().any(|diagnostic| diagnostic.message == TEMPORAL_INSIDE);
    let Some(sign) = find_in_wrong(&texts, mixed) else { return };
    let span = formula[sign.at].span.to(formula[sign.at + sign.tokens - 1].span);
    let found = texts[sign.at..sign.at + sign.tokens].concat();
    diagnostics.truncate(reported);
    let message = format!("`{found}` is no operator of formulas");
    diagnostics.push(Diagnostic::error(message, span, sign.instead).with_help(OUR_SPELLING));
}

/// Where the items of the top level begin and end. Separators between them are left out.
fn items(tokens: &[Lexeme]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    let mut end_item = |start: usize, end: usize| {
        if start < end {
            ranges.push(start..end);
        }
    };
    for (at, lexeme) in tokens.iter().enumerate() {
        use Token::*;
        let token = &lexeme.token;
        match token {
            LeftParen | LeftSquare | LeftBrace => depth += 1,
            RightParen | RightSquare | RightBrace => depth = depth.saturating_sub(1),
            Semicolon | Arrow if depth == 0 => {
                end_item(start, at);
                start = at + 1;
            }
            _ if depth == 0 && at > start && (token.starts_item() || token.starts_declaration()) => {
                let of_active = matches!(token, Proctype | DProctype)
                    && tokens[start].token == Active
                    && !tokens[start..at].iter().any(|t| matches!(t.token, Proctype | DProctype));
                // Behind these the word is in the wrong place, but no item starts.
                let before = &tokens[at - 1].token;
                let goes_on = before.starts_declaration() || matches!(before, Of | Comma | Assign | Colon);
                if !of_active && !goes_on {
                    end_item(start, at);
                    start = at;
                }
            }
            _ => {}
        }
    }
    end_item(start, tokens.len());
    ranges
}

/// An error in the body of an inline comes once for each call: one is enough.
fn drop_repeated(diagnostics: &mut Vec<Diagnostic>, first: usize) {
    let mut seen = HashSet::new();
    let mut index = 0;
    diagnostics.retain(|diagnostic| {
        index += 1;
        let span = diagnostic.primary.span;
        index <= first || seen.insert((diagnostic.message.clone(), span.file, span.start, span.end))
    });
}
