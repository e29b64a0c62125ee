//! Inlines, as SPIN does them: by replacing text. `inline name(a, b) { … }` is kept aside; a statement
//! `name(x, y)` becomes the body in its braces, with every word `a` and `b` replaced by the tokens of the argument.
//! `v = name(x)` does the same and makes `v = e` of each `return e` in the body. An inline that is never called is
//! never looked into. Every token of an expansion knows, through its span, the call it came from.

use super::token::{Lexeme, Origin, Token};
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::source::{Expansion, ExpansionId, ExpansionKind, SlotId, SourceMap, Span};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// More tokens than this come out of the calls of no sensible model; nested inlines that double at each level would
/// otherwise fill the memory.
const MAX_TOKENS: usize = 2_000_000;

/// SPIN stops at 16. The expansion recurses here, so there has to be some limit.
const MAX_NESTING: usize = 200;

struct Inline {
    name_span: Span,
    parameters: Vec<Arc<str>>,
    /// With the braces.
    body: Arc<[Lexeme]>,
}

/// Takes the definitions out and puts bodies in for calls. `None` if that gets out of hand.
pub(crate) fn expand(
    map: &mut SourceMap,
    mut tokens: Vec<Lexeme>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<Lexeme>> {
    if !tokens.iter().any(|lexeme| lexeme.token == Token::Inline) {
        return Some(tokens);
    }
    let later = names_of_inlines(&tokens);
    let mut expander = Expander {
        map,
        diagnostics,
        inlines: IndexMap::new(),
        items: HashMap::new(),
        told: HashSet::new(),
        later,
        out: Vec::with_capacity(tokens.len()),
        expanded: 0,
        full: false,
    };
    let mut at = 0;
    let mut depth = 0usize;
    while at < tokens.len() && !expander.full {
        match &tokens[at].token {
            Token::LeftBrace => depth += 1,
            Token::RightBrace => depth = depth.saturating_sub(1),
            token if token.starts_item() => depth = 0,
            _ => {}
        }
        let plain = !matches!(tokens[at].token, Token::Name(_) | Token::Return | Token::Inline);
        if plain {
            // The way of nearly all tokens: moved, not copied.
            let nothing = Lexeme::made(Token::Semicolon, tokens[at].span, Origin::Written);
            expander.out.push(std::mem::replace(&mut tokens[at], nothing));
            at += 1;
        } else if tokens[at].token == Token::Inline {
            if depth > 0 {
                expander.diagnostics.push(
                    Diagnostic::error(
                        "an inline inside a body",
                        tokens[at].span,
                        "inlines are defined at the top level",
                    )
                    .with_help("move it out, above the process that uses it"),
                );
            }
            at = expander.define(&tokens, at);
        } else {
            at = expander.step(&tokens, at, &mut Vec::new());
        }
    }
    (!expander.full).then_some(expander.out)
}

fn names_of_inlines(tokens: &[Lexeme]) -> HashMap<Arc<str>, Span> {
    tokens
        .windows(2)
        .filter(|pair| pair[0].token == Token::Inline)
        .filter_map(|pair| pair[1].token.name().map(|name| (name.clone(), pair[1].span)))
        .collect()
}

struct Expander<'a> {
    map: &'a mut SourceMap,
    diagnostics: &'a mut Vec<Diagnostic>,
    inlines: IndexMap<Arc<str>, Inline>,
    /// Process types and structures so far.
    items: HashMap<Arc<str>, Span>,
    /// Inlines whose names were told to be taken for something else.
    told: HashSet<Arc<str>>,
    /// All inlines of the file, for a word about one that is used above its definition.
    later: HashMap<Arc<str>, Span>,
    out: Vec<Lexeme>,
    /// Tokens that came out of calls.
    expanded: usize,
    /// Too many.
    full: bool,
}

/// An inline that is being expanded.
struct OpenInline {
    name: Arc<str>,
    /// What `return` assigns to.
    result: Option<Vec<Lexeme>>,
}

impl Expander<'_> {
    /// Reads a definition; gives the index behind it.
    fn define(&mut self, tokens: &[Lexeme], start: usize) -> usize {
        let word = tokens[start].span;
        let bad = |this: &mut Self, at: usize, expected: &str| {
            let span = tokens.get(at).map_or(word, |lexeme| lexeme.span);
            let found =
                tokens.get(at).map_or("the end of the file".to_owned(), |lexeme| format!("`{}`", lexeme.token.text()));
            this.diagnostics.push(
                Diagnostic::error(format!("expected {expected}, found {found}"), span, format!("expected {expected}"))
                    .with_note("an inline is written `inline name(parameters) { statements }`"),
            );
            // Go on behind the next brace block, if one opens before the next item.
            let mut index = at;
            while let Some(lexeme) = tokens.get(index) {
                match lexeme.token {
                    Token::LeftBrace => return close_of(tokens, index).map_or(tokens.len(), |close| close + 1),
                    Token::Inline => return index.max(start + 1),
                    ref token if token.starts_item() => return index.max(start + 1),
                    _ => index += 1,
                }
            }
            index
        };
        let mut at = start + 1;
        let Some(name) = tokens.get(at).and_then(|lexeme| lexeme.token.name()).cloned() else {
            return bad(self, at, "the name of the inline");
        };
        let name_span = tokens[at].span;
        at += 1;
        if tokens.get(at).map(|lexeme| &lexeme.token) != Some(&Token::LeftParen) {
            return bad(self, at, "`(`");
        }
        at += 1;
        let mut parameters: Vec<Arc<str>> = Vec::new();
        if tokens.get(at).map(|lexeme| &lexeme.token) == Some(&Token::RightParen) {
            at += 1;
        } else {
            loop {
                let Some(parameter) = tokens.get(at).and_then(|lexeme| lexeme.token.name()).cloned() else {
                    return bad(self, at, "the name of a parameter");
                };
                if self.inlines.contains_key(&parameter) {
                    self.taken(&parameter, tokens[at].span);
                }
                if parameters.contains(&parameter) {
                    let message = format!("the parameter `{parameter}` is there twice");
                    let label = "never used: the first one is meant";
                    let warning = Diagnostic::warning(message, tokens[at].span, label);
                    self.diagnostics.push(warning.with_code(Code::InlineParameterTwice));
                }
                parameters.push(parameter);
                at += 1;
                match tokens.get(at).map(|lexeme| &lexeme.token) {
                    Some(Token::Comma) => at += 1,
                    Some(Token::RightParen) => {
                        at += 1;
                        break;
                    }
                    _ => return bad(self, at, "`,` or `)`"),
                }
            }
        }
        if tokens.get(at).map(|lexeme| &lexeme.token) != Some(&Token::LeftBrace) {
            return bad(self, at, "`{`");
        }
        let Some(close) = close_of(tokens, at) else {
            self.diagnostics.push(
                Diagnostic::error(
                    format!("the body of the inline `{name}` is not closed"),
                    tokens[at].span,
                    "opened here",
                )
                .with_help("add the missing `}`"),
            );
            // The body ends where the next item starts, so that the rest of the file is still read.
            let next =
                tokens[at..].iter().position(|lexeme| lexeme.token.starts_item() || lexeme.token == Token::Inline);
            return next.map_or(tokens.len(), |offset| at + offset);
        };
        if close == at + 1 {
            let label = "a call of it is an error: a block needs a statement";
            let warning = Diagnostic::warning(format!("the inline `{name}` is empty"), name_span, label);
            self.diagnostics.push(warning.with_code(Code::EmptyInline));
        }
        if let Some(&first) = self.items.get(&name) {
            self.diagnostics.push(
                Diagnostic::error(
                    format!("the inline `{name}` has the name of something else"),
                    name_span,
                    "the name is taken",
                )
                .with_label(first, "declared here")
                .with_help("choose another name for one of them"),
            );
        }
        if let Some(first) = self.inlines.get(&name) {
            self.diagnostics.push(
                Diagnostic::error(format!("the inline `{name}` is defined twice"), name_span, "defined again here")
                    .with_label(first.name_span, "first definition"),
            );
        }
        let body = tokens[at..=close].into();
        self.inlines.insert(name, Inline { name_span, parameters, body });
        close + 1
    }

    /// Copies one token, or puts in the body of a call; gives the index behind it.
    fn step(&mut self, tokens: &[Lexeme], at: usize, frames: &mut Vec<OpenInline>) -> usize {
        let lexeme = &tokens[at];
        let opens = tokens.get(at + 1).is_some_and(|next| next.token == Token::LeftParen);
        match &lexeme.token {
            Token::Name(name) if opens && self.callable_here() => {
                if self.inlines.contains_key(name) {
                    return self.call(tokens, at, name.clone(), frames);
                }
                if let Some(&definition) = self.later.get(name)
                    && self.begins_statement(lexeme.newline)
                {
                    self.diagnostics.push(
                        Diagnostic::error(
                            format!("the inline `{name}` is called above its definition"),
                            lexeme.span,
                            "not known here",
                        )
                        .with_label(definition, "defined here")
                        .with_help("move the definition up"),
                    );
                    // In its place, a statement that does nothing.
                    self.out.push(Lexeme { token: Token::Number(1), ..lexeme.clone() });
                    return paren_close_of(tokens, at + 1).map_or(tokens.len(), |close| close + 1);
                }
                self.out.push(lexeme.clone());
            }
            Token::Name(name) if self.declares_item() && !self.inlines.contains_key(name) => {
                self.items.entry(name.clone()).or_insert(lexeme.span);
                self.out.push(lexeme.clone());
            }
            Token::Name(name) if self.inlines.contains_key(name) && self.stands_alone(tokens, at) => {
                let definition = self.inlines[name].name_span;
                self.diagnostics.push(
                    Diagnostic::error(format!("`{name}` is an inline"), lexeme.span, "called without parentheses")
                        .with_label(definition, "defined here")
                        .with_help(format!("write `{name}(…)`, with the arguments between the parentheses")),
                );
                // In its place, and that of what may be its arguments, a statement that does nothing.
                self.out.push(Lexeme { token: Token::Number(1), ..lexeme.clone() });
                return at + 1 + arguments_behind(tokens, at);
            }
            Token::Name(name) if self.inlines.contains_key(name) => {
                self.taken(name, lexeme.span);
                self.out.push(lexeme.clone());
            }
            Token::Return => match frames.last().and_then(|frame| frame.result.as_ref()) {
                Some(result) => {
                    for (index, part) in result.iter().enumerate() {
                        // `v = e` stands where `return e` does.
                        let slot = self.map.add_slot(lexeme.span, part.slot);
                        self.out.push(Lexeme { newline: index == 0 && lexeme.newline, slot, ..part.clone() });
                    }
                    self.out.push(Lexeme::made(Token::Assign, lexeme.span, Origin::Written));
                }
                None => self.out.push(lexeme.clone()),
            },
            _ => self.out.push(lexeme.clone()),
        }
        at + 1
    }

    /// The name at `at` is a statement of its own, or is followed by what may have been meant as its arguments.
    fn stands_alone(&self, tokens: &[Lexeme], at: usize) -> bool {
        use Token::*;
        let next = tokens.get(at + 1);
        let ends = |lexeme: &Lexeme| {
            matches!(lexeme.token, Semicolon | Arrow | Option | RightBrace | Fi | Od | Name(_) | Number(_))
                || lexeme.newline
        };
        self.begins_statement(tokens[at].newline) && next.is_none_or(ends)
    }

    /// What comes next is the name of a process type or structure.
    fn declares_item(&self) -> bool {
        let last = self.out.last().map(|lexeme| &lexeme.token);
        matches!(last, Some(Token::Proctype | Token::DProctype | Token::Typedef))
    }

    /// The name of an inline stands for the inline from its definition on, and for nothing else. Told once for each.
    fn taken(&mut self, name: &Arc<str>, span: Span) {
        if !self.told.insert(name.clone()) {
            return;
        }
        let error =
            Diagnostic::error(format!("`{name}` is the name of an inline"), span, "used for something else here");
        let error = error.with_label(self.inlines[name].name_span, "the inline");
        self.diagnostics.push(error.with_help("choose another name for one of them"));
    }

    /// `run f(…)` and `proctype f(…)` are no calls of an inline `f`.
    fn callable_here(&self) -> bool {
        !matches!(self.out.last().map(|lexeme| &lexeme.token), Some(Token::Run | Token::Proctype | Token::DProctype))
    }

    /// What was put out last allows a statement (or the right side of `v = `) to begin.
    fn begins_statement(&self, newline: bool) -> bool {
        use Token::*;
        match self.out.last().map(|lexeme| &lexeme.token) {
            None => true,
            Some(Semicolon | Arrow | Option | LeftBrace | RightBrace | Colon | Else | Assign | Unless | Fi | Od) => {
                true
            }
            Some(last) => newline && super::separators::ends_line(last),
        }
    }

    fn call(&mut self, tokens: &[Lexeme], at: usize, name: Arc<str>, frames: &mut Vec<OpenInline>) -> usize {
        let call = tokens[at].span;
        let Some(close) = paren_close_of(tokens, at + 1) else {
            // The missing `)` is reported when brackets are matched.
            self.out.push(tokens[at].clone());
            return at + 1;
        };
        let inline = &self.inlines[&name];
        let (name_span, body, parameters) = (inline.name_span, inline.body.clone(), inline.parameters.clone());
        if !self.begins_statement(tokens[at].newline) {
            self.diagnostics.push(
                Diagnostic::error(
                    format!("the inline `{name}` is called inside an expression"),
                    call,
                    "an inline stands for statements, not for a value",
                )
                .with_label(name_span, "defined here")
                .with_help(format!("call it as a statement, or write `v = {name}(…)` with a `return` in the inline")),
            );
            self.out.push(Lexeme { token: Token::Number(1), ..tokens[at].clone() });
            return close + 1;
        }
        if frames.len() >= MAX_NESTING {
            self.diagnostics.push(Diagnostic::error("inlines are nested too deeply", call, "this call"));
            self.full = true;
            return close + 1;
        }
        let skip = |this: &mut Self| {
            this.out.push(Lexeme { token: Token::Number(1), ..tokens[at].clone() });
            close + 1
        };
        if frames.iter().any(|frame| frame.name == name) {
            let through: Vec<String> = frames.iter().map(|frame| format!("`{}`", frame.name)).collect();
            self.diagnostics.push(
                Diagnostic::error(format!("the inline `{name}` calls itself"), call, "this call would never end")
                    .with_label(name_span, "defined here")
                    .with_note(format!("the calls: {}, `{name}`", through.join(", "))),
            );
            return skip(self);
        }
        let arguments = split_arguments(&tokens[at + 2..close]);
        if arguments.len() != parameters.len() {
            let (wants, gets) = (parameters.len(), arguments.len());
            let all = call.to(tokens[close].span);
            self.diagnostics.push(
                Diagnostic::error(
                    format!("the inline `{name}` takes {}, not {gets}", count(wants, "argument")),
                    all,
                    format!("{} given", count(gets, "argument")),
                )
                .with_label(name_span, format!("defined with {}", count(wants, "parameter"))),
            );
            return skip(self);
        }
        // `v = name(…)`: the variable is taken back out, for the `return`s to assign to.
        let mut newline = tokens[at].newline;
        let result = if self.out.last().is_some_and(|lexeme| lexeme.token == Token::Assign) {
            let start = start_of_variable(&self.out);
            if let Some(before) = start.and_then(|start| start.checked_sub(1)).map(|before| &self.out[before].token)
                && (before.starts_declaration() || *before == Token::Comma)
            {
                self.diagnostics.push(
                    Diagnostic::error(
                        format!("the inline `{name}` is called in a declaration"),
                        call,
                        "an initial value is an expression",
                    )
                    .with_label(name_span, "defined here")
                    .with_help("declare the variable first, then assign to it"),
                );
                return skip(self);
            }
            start.map(|start| {
                let mut variable = self.out.split_off(start);
                variable.pop();
                newline = variable[0].newline;
                variable
            })
        } else {
            None
        };
        let expansion = self.map.add_expansion(Expansion {
            kind: ExpansionKind::Inline,
            name: name.clone(),
            definition: name_span,
            call: call.to(tokens[close].span),
        });
        let block = Lexeme::made(Token::InlineBody(name.clone()), call, Origin::Written);
        self.out.push(Lexeme { newline, slot: tokens[at].slot, ..block });
        let substituted = self.substitute(&body, &parameters, &arguments, expansion);
        self.expanded += substituted.len();
        if self.expanded > MAX_TOKENS {
            self.full = true;
            self.diagnostics.push(
                Diagnostic::error("inlines make too much of this model", call, "reached in this call")
                    .with_note(format!("all calls together give more than {MAX_TOKENS} tokens")),
            );
        }
        frames.push(OpenInline { name, result });
        let mut inner = 0;
        while inner < substituted.len() && !self.full {
            inner = self.step(&substituted, inner, frames);
        }
        frames.pop();
        close + 1
    }

    /// The body with arguments for parameters. Body tokens move into the expansion; argument tokens keep their
    /// place at the call.
    fn substitute(
        &mut self,
        body: &[Lexeme],
        parameters: &[Arc<str>],
        arguments: &[&[Lexeme]],
        expansion: ExpansionId,
    ) -> Vec<Lexeme> {
        let mut out = Vec::with_capacity(body.len());
        let mut chains = HashMap::new();
        for lexeme in body {
            // A long argument for a parameter that is used often: more than all calls together may give, which the caller reports.
            if out.len() > MAX_TOKENS {
                break;
            }
            let span = Span { expansion: self.chain(lexeme.span.expansion, expansion, &mut chains), ..lexeme.span };
            let parameter = match &lexeme.token {
                Token::Name(name) => parameters.iter().position(|parameter| parameter == name),
                _ => None,
            };
            match parameter {
                Some(index) => {
                    for (place, argument) in arguments[index].iter().enumerate() {
                        let slot = self.map.add_slot(span, argument.slot);
                        let slot = self.moved(lexeme.slot, slot, expansion, &mut chains);
                        out.push(Lexeme { newline: place == 0 && lexeme.newline, slot, ..argument.clone() });
                    }
                }
                None => {
                    let slot = self.moved(lexeme.slot, SlotId::NONE, expansion, &mut chains);
                    out.push(Lexeme { span, slot, ..lexeme.clone() });
                }
            }
        }
        out
    }

    /// A token of the body may have been put in for parameters of macros: these, in the expansion, behind what the token was put in
    /// for `earlier`.
    fn moved(
        &mut self,
        slot: SlotId,
        earlier: SlotId,
        outer: ExpansionId,
        chains: &mut HashMap<ExpansionId, ExpansionId>,
    ) -> SlotId {
        let slots = std::iter::successors(self.map.slot(slot).copied(), |slot| self.map.slot(slot.earlier).copied());
        let places: Vec<Span> = slots.map(|slot| slot.parameter).collect();
        let mut result = earlier;
        for place in places.into_iter().rev() {
            let expansion = self.chain(place.expansion, outer, chains);
            result = self.map.add_slot(Span { expansion, ..place }, result);
        }
        result
    }

    /// A token of the body may itself come out of a macro: its chain is rebuilt with the call at the outer end.
    fn chain(
        &mut self,
        inner: ExpansionId,
        outer: ExpansionId,
        chains: &mut HashMap<ExpansionId, ExpansionId>,
    ) -> ExpansionId {
        let mut links = Vec::new();
        let mut id = inner;
        let mut result = outer;
        while let Some(expansion) = self.map.expansion(id) {
            if let Some(&known) = chains.get(&id) {
                result = known;
                break;
            }
            links.push((id, expansion.clone()));
            id = expansion.call.expansion;
        }
        for (id, mut link) in links.into_iter().rev() {
            link.call.expansion = result;
            result = self.map.add_expansion(link);
            chains.insert(id, result);
        }
        result
    }
}

/// How many tokens behind a name may be arguments without parentheses: the rest of its statement.
fn arguments_behind(tokens: &[Lexeme], at: usize) -> usize {
    use Token::*;
    let is_part = |lexeme: &&Lexeme| {
        !lexeme.newline && !matches!(lexeme.token, Semicolon | Arrow | Option | LeftBrace | RightBrace | Fi | Od)
    };
    tokens[at + 1..].iter().take_while(is_part).count()
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// The index of the `}` for the `{` at `open`, if it comes before the next item.
fn close_of(tokens: &[Lexeme], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (offset, lexeme) in tokens[open..].iter().enumerate() {
        match &lexeme.token {
            Token::LeftBrace => depth += 1,
            Token::RightBrace => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + offset);
                }
            }
            token if token.starts_item() || *token == Token::Inline => return None,
            _ => {}
        }
    }
    None
}

/// The index of the `)` for the `(` at `open`; a brace or separator in between means that it is missing.
fn paren_close_of(tokens: &[Lexeme], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (offset, lexeme) in tokens[open..].iter().enumerate() {
        match &lexeme.token {
            Token::LeftParen => depth += 1,
            Token::RightParen => {
                depth -= 1;
                if depth == 0 {
                    return Some(open + offset);
                }
            }
            Token::LeftBrace | Token::RightBrace | Token::Semicolon | Token::Option => return None,
            _ => {}
        }
    }
    None
}

/// Cuts at the commas outside all brackets.
fn split_arguments(tokens: &[Lexeme]) -> Vec<&[Lexeme]> {
    if tokens.is_empty() {
        return Vec::new();
    }
    let mut arguments = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (index, lexeme) in tokens.iter().enumerate() {
        match lexeme.token {
            Token::LeftParen | Token::LeftSquare => depth += 1,
            Token::RightParen | Token::RightSquare => depth = depth.saturating_sub(1),
            Token::Comma if depth == 0 => {
                arguments.push(&tokens[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    arguments.push(&tokens[start..]);
    arguments
}

/// Where the variable begins that stands in front of the `=` at the end of `out`.
fn start_of_variable(out: &[Lexeme]) -> Option<usize> {
    let mut at = out.len().checked_sub(2)?;
    loop {
        if out[at].token == Token::RightSquare {
            let mut depth = 0usize;
            loop {
                match out[at].token {
                    Token::RightSquare => depth += 1,
                    Token::LeftSquare => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
                at = at.checked_sub(1)?;
            }
            at = at.checked_sub(1)?;
        }
        if !matches!(out[at].token, Token::Name(_)) {
            return None;
        }
        match at.checked_sub(1) {
            Some(before) if out[before].token == Token::Dot => at = before.checked_sub(1)?,
            _ => return Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two thousand uses of an argument of two thousand tokens are not written out before somebody counts them.
    #[test]
    fn long_arguments_are_bounded() {
        let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
        let name = |name: &str| Lexeme::made(Token::Name(name.into()), Span::default(), Origin::Written);
        let mut expander = Expander {
            map: &mut map,
            diagnostics: &mut diagnostics,
            inlines: IndexMap::new(),
            later: HashMap::new(),
            items: HashMap::new(),
            told: HashSet::new(),
            out: Vec::new(),
            expanded: 0,
            full: false,
        };
        let (body, argument) = (vec![name("v"); 2000], vec![name("x"); 2000]);
        let made = expander.substitute(&body, &["v".into()], &[&argument], ExpansionId::NONE);
        assert!(made.len() > MAX_TOKENS && made.len() <= MAX_TOKENS + argument.len(), "{}", made.len());
    }
}
