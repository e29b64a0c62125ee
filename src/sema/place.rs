//! Names resolved to places: which variable, which element, which field, at what offset.

use super::body::Body;
use super::layout::{Kind, MOST_FIELDS, Struct, Var};
use super::{Analyser, text};
use crate::model::{self, Dimension, ExprKind, Index, Place, Region, ScalarType};
use crate::source::Span;
use crate::source::code::Code;
use crate::source::diagnostic::{Diagnostic, Label};
use crate::source::suggest;
use crate::syntax::foreign;
use crate::syntax::tree::{Expr, ExprKind as ExprKindTree, Ident, ProctypeKind, Segment, VarRef};
use std::sync::Arc;

/// What a variable reference stands for.
pub(super) enum Resolved {
    /// A scalar; the variable or field it is.
    Scalar(Place, Var),
    /// A whole structure.
    Struct(Whole),
    /// An mtype name.
    Constant(i32),
    /// A predefined variable.
    Special(ExprKind),
    /// `_`.
    Anything,
}

/// A whole structure, to be taken apart for a message or a `run`.
pub(super) struct Whole {
    pub number: usize,
    pub region: Region,
    pub offset: u32,
    pub indices: Vec<Index>,
    pub leaf: u32,
    pub span: Span,
}

/// Keywords that stand alone: one that is misspelt reads as a variable.
const STATEMENTS: &[&str] = &["else", "break", "skip", "timeout", "true", "false"];

impl Analyser<'_> {
    /// The variable a name stands for here.
    pub(super) fn find(&self, name: &str) -> Option<&Var> {
        self.body.as_ref().and_then(|body| body.symbols.variable(name)).or_else(|| self.globals.get(name))
    }

    /// Reports a name that is not known, with the nearest that is.
    pub(super) fn unknown(&mut self, what: &str, name: &Ident, candidates: &[Arc<str>]) {
        let message = format!("unknown {what} `{}`", name.name);
        self.missing(message, "not declared before this place", name, candidates);
    }

    /// Reports a name that is not part of something.
    pub(super) fn no_part(&mut self, whole: &str, what: &str, name: &Ident, candidates: &[Arc<str>]) {
        let message = format!("`{whole}` has no {what} `{}`", name.name);
        self.missing(message, &format!("no such {what}"), name, candidates);
    }

    fn missing(&mut self, message: String, label: &str, name: &Ident, candidates: &[Arc<str>]) {
        let mut diagnostic = Diagnostic::error(message, name.span, label).with_code(Code::UnknownName);
        if let Some(near) = suggest::suggest(&name.name, candidates.iter().map(|name| &**name)) {
            diagnostic = diagnostic.with_help(format!("did you mean `{near}`?"));
        } else if label == "no such variable" && self.globals.contains_key(&name.name) {
            diagnostic = diagnostic.with_help(format!("`{0}` is a variable of all processes: write `{0}`", name.name));
        }
        self.report(diagnostic);
    }

    fn undeclared(&mut self, name: &Ident) {
        // Once is enough.
        if self.undeclared.contains_key(&name.name) {
            return;
        }
        let mut candidates: Vec<Arc<str>> = self.globals.keys().cloned().collect();
        candidates.extend(self.mtype_names.keys().cloned());
        if let Some(body) = &self.body {
            candidates.extend(body.symbols.names());
        }
        candidates.sort();
        self.unknown("variable", name, &candidates);
        let at = self.diagnostics.len() - 1;
        if self.diagnostics[at].help.is_none()
            && let Some(keyword) = suggest::suggest(&name.name, STATEMENTS.iter().copied())
        {
            self.diagnostics[at].help = Some(format!("did you mean `{keyword}`?"));
            self.diagnostics[at].code = Some(Code::MisspeltKeyword);
        }
        if let (None, Some(help)) = (&self.diagnostics[at].help, foreign(&name.name)) {
            self.diagnostics[at].help = Some(format!("there is no `{}` in Promela: {help}", name.name));
        }
        let observer = |body: &Body| {
            !matches!(body.kind, ProctypeKind::Proctype | ProctypeKind::Deterministic | ProctypeKind::Init)
        };
        if self.diagnostics[at].help.is_none()
            && self.body.as_ref().is_none_or(observer)
            && let Some(owner) = self.bodies.iter().find(|body| body.symbols.any_variable(&name.name).is_some())
        {
            let (owner, name) = (&owner.name, &name.name);
            self.diagnostics[at].help =
                Some(format!("`{name}` is a variable of the process `{owner}`: here it is called `{owner}:{name}`"));
        }
        if self.declaring_now.contains(&name.name) {
            let note = "a name is known only behind the whole declaration it stands in";
            self.diagnostics[at].notes.push(note.into());
            self.diagnostics[at].help = Some(format!("give `{}` a declaration of its own in front", name.name));
        }
        self.undeclared.insert(name.name.clone(), at);
    }

    /// A name has been declared: if it was used before, the message about that use points here.
    pub(super) fn declared(&mut self, name: &str, span: Span) {
        if let Some(&at) = self.undeclared.get(name)
            && let Some(diagnostic) = self.diagnostics.get_mut(at)
            && diagnostic.secondary.is_empty()
        {
            diagnostic.help = None;
            diagnostic.secondary.push(Label { span, message: "declared here, which is too late".into() });
        }
    }

    /// Resolves a variable reference. What is wrong is reported, and nothing is returned.
    pub(super) fn resolve(&mut self, var: &VarRef) -> Option<Resolved> {
        let (first, rest) = var.segments.split_first()?;
        let name = &*first.name.name;
        if let Some((_, value)) = self.mtype_value(name) {
            if first.index.is_some() || !rest.is_empty() {
                self.error(var.span, format!("`{name}` is an mtype name"), "not an array or structure");
                return None;
            }
            return Some(Resolved::Constant(value));
        }
        let pid = || Box::new(model::Expr { kind: ExprKind::Pid, span: var.span });
        let special = match name {
            "_" => Some(Resolved::Anything),
            "_pid" => Some(Resolved::Special(ExprKind::Pid)),
            "_nr_pr" => Some(Resolved::Special(ExprKind::ProcessCount)),
            "_last" => Some(Resolved::Special(ExprKind::Last)),
            "_priority" => Some(Resolved::Special(ExprKind::GetPriority(pid()))),
            _ => None,
        };
        if special.is_some() {
            if first.index.is_some() || !rest.is_empty() {
                self.error(var.span, format!("`{name}` is a single number"), "not an array or structure");
                return None;
            }
            return special;
        }
        let Some(base) = self.find(name).cloned() else {
            if let Some(signature) = self.signatures.get(name) {
                let span = signature.span;
                self.report(
                    Diagnostic::error(
                        format!("`{name}` is a proctype, not a variable"),
                        first.name.span,
                        "used as a variable",
                    )
                    .with_label(span, "declared here"),
                );
            } else {
                self.undeclared(&first.name);
            }
            return None;
        };
        self.walk(base, first, rest, var)
    }

    pub(super) fn walk(&mut self, base: Var, first: &Segment, rest: &[Segment], var: &VarRef) -> Option<Resolved> {
        let region = base.region;
        let (mut offset, mut indices, mut leaf) = (0, Vec::new(), 0);
        let (mut current, mut segment) = (base, first);
        let mut rest = rest.iter();
        loop {
            offset += current.offset;
            leaf += current.leaf;
            self.index(&current, segment, &mut offset, &mut indices)?;
            match (current.kind, rest.next()) {
                (Kind::Scalar(ty), None) => {
                    let place =
                        Place { region, offset, scalar: current.scalar, ty, indices, variable: leaf, span: var.span };
                    return Some(Resolved::Scalar(place, current));
                }
                (Kind::Struct(number), None) => {
                    return Some(Resolved::Struct(Whole { number, region, offset, indices, leaf, span: var.span }));
                }
                (Kind::Scalar(_), Some(field)) => {
                    self.report(
                        Diagnostic::error(
                            format!("`{}` is not a structure", current.name),
                            field.name.span,
                            "has no such field",
                        )
                        .with_label(current.span, "declared here"),
                    );
                    return None;
                }
                (Kind::Struct(number), Some(field)) => {
                    let fields = &self.structs[number].fields;
                    let Some(found) = fields.iter().find(|candidate| candidate.name == field.name.name).cloned() else {
                        let names: Vec<Arc<str>> = fields.iter().map(|field| field.name.clone()).collect();
                        let whole = self.structs[number].name.clone();
                        self.no_part(&whole, "field", &field.name, &names);
                        return None;
                    };
                    (current, segment) = (found, field);
                }
            }
        }
    }

    /// Takes one index into account: folded into the offset if it is a constant in range.
    fn index(&mut self, var: &Var, segment: &Segment, offset: &mut u32, indices: &mut Vec<Index>) -> Option<()> {
        match (var.length, &segment.index) {
            (None, None) => Some(()),
            (Some(length), Some(index)) => {
                let dimension = Dimension { length, stride: var.stride };
                self.index_by(dimension, index, &var.name, offset, indices);
                Some(())
            }
            // SPIN lets a single structure be written with an index.
            (None, Some(index)) if matches!(var.kind, Kind::Struct(_)) => {
                let dimension = Dimension { length: 1, stride: var.stride };
                self.index_by(dimension, index, &var.name, offset, indices);
                Some(())
            }
            // An index that is 0 in the text changes nothing, and SPIN says nothing; any other is refused.
            (None, Some(index)) if matches!(index.kind, ExprKindTree::Number(0)) => {
                self.report(
                    Diagnostic::warning(format!("`{}` is not an array", var.name), index.span, "has no effect")
                        .with_code(Code::IndexWithoutArray)
                        .with_label(var.span, "declared here"),
                );
                Some(())
            }
            (None, Some(index)) => {
                self.report(
                    Diagnostic::error(format!("`{}` is not an array", var.name), index.span, "it has no elements")
                        .with_label(var.span, "declared here"),
                );
                None
            }
            (Some(length), None) => {
                self.report(
                    Diagnostic::error(
                        format!("the array `{}` is used without an index", var.name),
                        segment.name.span,
                        format!("an array of {length}"),
                    )
                    .with_label(var.span, "declared here")
                    .with_help(format!("write `{}[…]`", var.name)),
                );
                None
            }
        }
    }

    fn index_by(&mut self, dimension: Dimension, index: &Expr, name: &str, offset: &mut u32, indices: &mut Vec<Index>) {
        match self.constant(index) {
            Some(value) if (0..i64::from(dimension.length)).contains(&i64::from(value)) => {
                *offset += value as u32 * dimension.stride;
            }
            Some(value) => {
                let last = dimension.length - 1;
                self.warn(
                    Code::IndexOutside,
                    index.span,
                    format!("the index {value} is outside of `{name}`, whose last element is {last}"),
                    "an error when it is reached",
                );
                let value = model::Expr { kind: ExprKind::Constant(value), span: index.span };
                indices.push(Index { value, dimension });
            }
            None => {
                let value = self.expr(index);
                indices.push(Index { value, dimension });
            }
        }
    }

    /// The scalar leaves of a whole structure, arrays element by element, as they go into a message.
    pub(super) fn parts(&mut self, whole: &Whole) -> Vec<Place> {
        let mut places = Vec::new();
        let Struct { scalars, name, .. } = &self.structs[whole.number];
        if *scalars > MOST_FIELDS {
            let label = format!("a `{name}` has {scalars} parts, at most {MOST_FIELDS} fit");
            self.error(whole.span, "too many fields in a message", label);
            return places;
        }
        self.parts_of(whole.number, whole.offset, whole.leaf, whole, &mut places);
        places
    }

    fn parts_of(&self, number: usize, offset: u32, leaf: u32, whole: &Whole, places: &mut Vec<Place>) {
        for field in &self.structs[number].fields {
            match field.kind {
                Kind::Scalar(ty) => places.extend((0..field.length.unwrap_or(1)).map(|element| Place {
                    region: whole.region,
                    offset: offset + field.offset + element * field.stride,
                    scalar: field.scalar,
                    ty,
                    indices: whole.indices.clone(),
                    variable: leaf + field.leaf,
                    span: whole.span,
                })),
                Kind::Struct(inner) => {
                    self.parts_of(inner, offset + field.offset, leaf + field.leaf, whole, places);
                }
            }
        }
    }

    /// A place that can be assigned to, with its variable.
    pub(super) fn target(&mut self, var: &VarRef) -> Option<(Place, Var)> {
        match self.resolve(var)? {
            Resolved::Scalar(place, variable) => {
                self.check_self_index(var);
                Some((place, variable))
            }
            Resolved::Struct(whole) => {
                let name = self.structs[whole.number].name.clone();
                self.report(
                    Diagnostic::error(
                        format!("`{}` is a whole structure", text::var(var)),
                        var.span,
                        format!("of type `{name}`; only its fields can be assigned"),
                    )
                    .with_help("assign field by field"),
                );
                None
            }
            Resolved::Constant(_) => {
                self.error(
                    var.span,
                    format!("`{}` is an mtype name, a constant", text::var(var)),
                    "cannot be assigned",
                );
                None
            }
            Resolved::Special(_) => {
                self.error(var.span, format!("`{}` cannot be assigned", text::var(var)), "a predefined variable");
                None
            }
            Resolved::Anything => {
                self.error(var.span, "`_` cannot be assigned here", "only a receive can write to it");
                None
            }
        }
    }

    /// SPIN refuses `a[a[i]] = …`: its undo would look in the wrong place.
    fn check_self_index(&mut self, var: &VarRef) {
        for segment in &var.segments {
            let Some(index) = &segment.index else { continue };
            if let crate::syntax::tree::ExprKind::Variable(inner) = &index.kind
                && let (Some(outer), Some(first)) = (var.segments.first(), inner.segments.first())
                && outer.name.name == first.name.name
                && first.index.is_some()
                && inner.segments.len() == 1
                && var.segments.len() == 1
            {
                self.report(
                    Diagnostic::error(
                        format!("the array `{}` is indexed by itself in an assignment", outer.name.name),
                        index.span,
                        "SPIN refuses this",
                    )
                    .with_help("put the index into a variable of its own first"),
                );
            }
        }
    }

    /// The id of a channel. A number is let through where SPIN does so.
    pub(super) fn channel(&mut self, var: &VarRef, strict: bool) -> Option<(model::Expr, Option<Var>)> {
        match self.resolve(var)? {
            Resolved::Scalar(place, variable) => {
                if place.ty != ScalarType::Chan {
                    let message = format!("`{}` is not a channel", text::var(var));
                    let make = if strict { Diagnostic::error } else { Diagnostic::warning };
                    self.report(
                        make(message, var.span, "used as a channel".to_owned())
                            .with_code(Code::NotAChannel)
                            .with_label(variable.span, "declared here"),
                    );
                    if strict {
                        return None;
                    }
                }
                Some((model::Expr { kind: ExprKind::Load(place), span: var.span }, Some(variable)))
            }
            _ => {
                self.error(var.span, format!("`{}` is not a channel", text::var(var)), "used as a channel");
                None
            }
        }
    }
}
