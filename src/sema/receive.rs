//! Messages: the patterns of receives and polls, and the pieces of a `printf`.

use super::layout::Var;
use super::place::Resolved;
use super::{Analyser, Count, text};
use crate::model::{self, FormatPiece, ReceiveArgument as Out, ScalarType};
use crate::source::Span;
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::{Expr, ExprKind, ReceiveArgument, VarRef};
use std::sync::Arc;

impl Analyser<'_> {
    /// The pattern of a receive or poll; structures are taken apart.
    pub(super) fn pattern(
        &mut self,
        arguments: &[ReceiveArgument],
        channel: Option<&Var>,
        name: &VarRef,
        span: Span,
    ) -> Vec<Out> {
        let mut flat = Vec::new();
        let mut seen: Vec<(Arc<str>, Span)> = Vec::new();
        for argument in arguments {
            match argument {
                ReceiveArgument::Anything(_) => flat.push(Out::Ignore),
                ReceiveArgument::Constant(value) | ReceiveArgument::Eval(value) => {
                    let value = self.expr(value);
                    flat.push(Out::Match(value));
                }
                ReceiveArgument::Variable(var) => {
                    if let [only] = var.segments.as_slice()
                        && only.index.is_none()
                    {
                        if let Some((_, first)) = seen.iter().find(|(name, _)| *name == only.name.name) {
                            let first = *first;
                            self.report(
                                Diagnostic::error(
                                    format!("`{}` takes two fields of one message", only.name.name),
                                    var.span,
                                    "again here",
                                )
                                .with_label(first, "first here")
                                .with_help("use `_` for a field that is of no interest"),
                            );
                        }
                        if &*only.name.name != "_" && self.mtype_value(&only.name.name).is_none() {
                            seen.push((only.name.name.clone(), var.span));
                        }
                    }
                    match self.resolve(var) {
                        Some(Resolved::Scalar(place, _)) => flat.push(Out::Store(place)),
                        Some(Resolved::Constant(value)) => {
                            let kind = model::ExprKind::Constant(value);
                            flat.push(Out::Match(model::Expr { kind, span: var.span }));
                        }
                        Some(Resolved::Anything) => flat.push(Out::Ignore),
                        Some(Resolved::Struct(whole)) => flat.extend(self.parts(&whole).into_iter().map(Out::Store)),
                        Some(Resolved::Special(_)) => {
                            let name = text::var(var);
                            self.report(
                                Diagnostic::error(format!("`{name}` cannot be assigned"), var.span, "predefined")
                                    .with_help(format!(
                                        "to receive only messages with its value, write `eval({name})`"
                                    )),
                            );
                        }
                        None => flat.push(Out::Ignore),
                    }
                }
            }
        }
        self.check_fields(flat.len(), true, channel, name, span);
        // `q?ack`: of a message that is known by a constant the rest is often of no interest.
        if flat.iter().any(|argument| matches!(argument, Out::Match(_)))
            && let Some(count) = self.sends.last_mut()
        {
            count.tagged = true;
        }
        flat
    }

    /// Keeps the number of fields of a message for judgement at the end, when all channels are known. Fewer fields
    /// than the channel has are a run-time error of the send.
    pub(super) fn check_fields(
        &mut self,
        given: usize,
        receive: bool,
        channel: Option<&Var>,
        name: &VarRef,
        span: Span,
    ) {
        let channel = channel.and_then(|var| var.messages.as_ref().map(|messages| (messages.fields.len(), var.span)));
        self.sends.push(Count { name: text::var(name).into(), given, span, receive, tagged: false, channel });
    }

    /// Cuts the text of a `printf` into pieces and judges them against the arguments.
    pub(super) fn format(&mut self, format: &str, arguments: &[Expr], span: Span) -> Vec<FormatPiece> {
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut used = 0;
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some('\n') | None => {}
                    Some(other) => text.push(other),
                },
                '%' => {
                    let conversion = chars.next();
                    if conversion == Some('%') {
                        text.push('%');
                        continue;
                    }
                    let set = arguments.get(used).map_or(0, |argument| self.mtype_of(argument));
                    let piece = match conversion {
                        Some('d') => FormatPiece::Decimal,
                        Some('u') => FormatPiece::Unsigned,
                        Some('o') => FormatPiece::Octal,
                        Some('x') => FormatPiece::Hex,
                        Some('c') => FormatPiece::Char,
                        Some('e') => FormatPiece::Mtype(set),
                        other => {
                            let shown = other.map_or(String::new(), String::from);
                            self.report(
                                Diagnostic::warning(format!("unknown conversion `%{shown}`"), span, "printed as it is")
                                    .with_code(Code::PrintfText)
                                    .with_help("%c %d %e %o %u and %x are known; %% is a percent sign"),
                            );
                            text.push('%');
                            text.push_str(&shown);
                            continue;
                        }
                    };
                    if !text.is_empty() {
                        pieces.push(FormatPiece::Text(std::mem::take(&mut text).into()));
                    }
                    pieces.push(piece);
                    used += 1;
                }
                other => text.push(other),
            }
        }
        if !text.is_empty() {
            pieces.push(FormatPiece::Text(text.into()));
        }
        if used != arguments.len() {
            let message = format!("the text has {used} conversions, but {} values are given", arguments.len());
            self.warn(Code::PrintfText, span, message, "do not fit together");
        }
        pieces
    }

    /// The mtype set an expression belongs to, for `%e`.
    fn mtype_of(&self, expr: &Expr) -> u16 {
        let ExprKind::Variable(var) = &expr.kind else { return 0 };
        let Some(first) = var.segments.first() else { return 0 };
        if let Some((set, _)) = self.mtype_value(&first.name.name) {
            return set;
        }
        let Some(mut found) = self.find(&first.name.name) else { return 0 };
        for segment in &var.segments[1..] {
            let super::layout::Kind::Struct(number) = found.kind else { return 0 };
            match self.structs[number].fields.iter().find(|field| field.name == segment.name.name) {
                Some(field) => found = field,
                None => return 0,
            }
        }
        match found.kind {
            super::layout::Kind::Scalar(ScalarType::Mtype(set)) => set,
            _ => 0,
        }
    }
}
