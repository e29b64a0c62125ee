//! Declarations: typedefs, mtypes, variables and channels, and what their initialisers do at the start.
//!
//! The names of one declaration become visible when all of it has been read: in `byte a = 1, b = a` SPIN does not
//! know `a` yet, and neither does pv. There is no shadowing: a name that is visible cannot be declared again.

use super::layout::{self, Allocator, Kind, LARGEST, MOST_FIELDS, Messages, Struct, Var};
use super::{Analyser, GlobalInitial, text};
use crate::model::{self, Channel, ExprKind, Initial, MtypeSet, Place, Region, Scalar, ScalarType};
use crate::source::Span;
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::*;
use std::collections::HashMap;
use std::sync::Arc;

/// What a declaration's initialisers do, and the channels they make.
#[derive(Default)]
pub(super) struct Start {
    pub initial: Vec<Initial>,
    pub channels: Vec<Channel>,
    /// Elements that were looked at.
    visited: u32,
}

/// Elements with an initialiser in one declaration: each is an action of its own.
const MOST_INITIAL: u32 = 1 << 18;

/// Channels in one declaration. (No more than 255 can be in use, but that is told when they are.)
const MOST_CHANNELS: u32 = 1 << 12;

impl Analyser<'_> {
    pub(super) fn mtype(&mut self, mtype: &Mtype) {
        let set = self.mtype_set(mtype.subtype.as_ref());
        let mut fresh: Vec<&Ident> = Vec::new();
        for name in &mtype.names {
            let within = fresh.iter().find(|earlier| earlier.name == name.name).map(|earlier| earlier.span);
            let before = self.mtype_names.get(&name.name).map(|&(_, _, span)| span);
            match within.or(before) {
                None => fresh.push(name),
                Some(first) => self.report(
                    Diagnostic::error(
                        format!("the mtype name `{}` is declared twice", name.name),
                        name.span,
                        "again here",
                    )
                    .with_label(first, "first declared here"),
                ),
            }
        }
        for name in fresh.into_iter().rev() {
            let names = &mut self.mtypes[set as usize].names;
            names.push(name.name.clone());
            let value = names.len() as i32;
            self.mtype_names.insert(name.name.clone(), (set, value, name.span));
            if value == 256 {
                self.error(name.span, "too many names in one mtype", "at most 255 values fit");
            }
        }
    }

    /// The number of an mtype set; a subtype comes into being when it is first named.
    pub(super) fn mtype_set(&mut self, subtype: Option<&Ident>) -> u16 {
        let Some(subtype) = subtype else { return 0 };
        if let Some(at) = self.mtypes.iter().position(|set| set.name.as_deref() == Some(&*subtype.name)) {
            return at as u16;
        }
        self.mtypes.push(MtypeSet { name: Some(subtype.name.clone()), names: Vec::new() });
        (self.mtypes.len() - 1) as u16
    }

    pub(super) fn typedef(&mut self, typedef: &Typedef) {
        let name = &typedef.name;
        if let Some(first) = self.taken(&name.name) {
            self.twice(name, first);
            return;
        }
        let mut allocator = Allocator::new(0);
        let (mut fields, mut initials, mut leaves) = (Vec::<Var>::new(), Vec::new(), 0);
        let mut names: HashMap<Arc<str>, Span> = HashMap::new();
        for declaration in &typedef.fields {
            if declaration.visibility != Visibility::Plain {
                self.warn(
                    Code::WithoutEffect,
                    declaration.span,
                    "`hidden`, `show` and `local` mean nothing in a typedef",
                    "ignored",
                );
            }
            for declarator in &declaration.variables {
                if let Some(&first) = names.get(&declarator.name.name) {
                    self.twice(&declarator.name, first);
                    continue;
                }
                names.insert(declarator.name.name.clone(), declarator.name.span);
                let mut var = self.variable(declaration, declarator);
                self.bound(&mut var, allocator.size(), leaves, LARGEST);
                layout::place(&mut var, &self.structs, &mut allocator);
                var.leaf = leaves;
                leaves += layout::leaves(var.kind, &self.structs);
                var.messages = self.messages_of(declarator);
                fields.push(var);
                initials.push(declarator.initializer.clone());
            }
        }
        self.struct_names.insert(name.name.clone(), self.structs.len());
        let size = allocator.size();
        let scalars = fields.iter().fold(0u64, |all, field| {
            let one = if let Kind::Struct(inner) = field.kind { self.structs[inner].scalars } else { 1 };
            all.saturating_add(one.saturating_mul(u64::from(field.length.unwrap_or(1))))
        });
        let inside = |field: &Var| matches!(field.kind, Kind::Struct(inner) if self.structs[inner].initialised);
        let initialised = initials.iter().any(Option::is_some) || fields.iter().any(inside);
        self.structs.push(Struct {
            name: name.name.clone(),
            span: name.span,
            fields,
            size,
            leaves,
            scalars,
            initialised,
        });
        self.struct_initials.push(initials);
    }

    pub(super) fn global(&mut self, declaration: &Declaration) {
        let mut vars = Vec::new();
        self.declaring_now = declaration.variables.iter().map(|declarator| declarator.name.name.clone()).collect();
        for declarator in &declaration.variables {
            if let Some(first) = self.taken(&declarator.name.name) {
                self.twice(&declarator.name, first);
                continue;
            }
            let mut var = self.variable(declaration, declarator);
            if declaration.visibility == Visibility::Hidden {
                if matches!(var.kind, Kind::Scalar(ScalarType::Bit | ScalarType::Bool)) {
                    self.report(
                        Diagnostic::error(
                            format!("the bit variable `{}` cannot be hidden", var.name),
                            declarator.span,
                            "a bit or bool",
                        )
                        .with_help("declare it as `hidden byte`"),
                    );
                }
                var.region = Region::Hidden;
                self.bound(&mut var, self.hidden_allocator.size(), self.shown.len() as u32, LARGEST);
                layout::place(&mut var, &self.structs, &mut self.hidden_allocator);
            } else {
                self.bound(&mut var, self.global_allocator.size(), self.shown.len() as u32, LARGEST);
                layout::place(&mut var, &self.structs, &mut self.global_allocator);
            }
            var.leaf = self.shown.len() as u32;
            var.messages = self.messages_of(declarator);
            self.shown.extend(layout::show(&var, &self.structs, declaration.visibility == Visibility::Show));
            let start = self.start_of(&var, declarator.initializer.as_ref());
            let class = class(var.kind);
            let Start { initial, channels, .. } = start;
            self.global_initials.push(GlobalInitial { class, initial, channels });
            vars.push(var);
        }
        self.declaring_now.clear();
        for var in vars {
            self.declared(&var.name, var.span);
            if let Some(first) = self.globals.get(&var.name) {
                let (first, again) = (first.span, Ident { name: var.name.clone(), span: var.span });
                self.twice(&again, first);
            }
            self.globals.insert(var.name.clone(), var);
        }
    }

    /// Where a name that cannot be declared again was declared.
    pub(super) fn taken(&self, name: &str) -> Option<Span> {
        if let Some(symbol) = self.body.as_ref().and_then(|body| body.symbols.visible(name)) {
            return Some(symbol.span);
        }
        if let Some(var) = self.globals.get(name) {
            return Some(var.span);
        }
        if let Some(&number) = self.struct_names.get(name) {
            return Some(self.structs[number].span);
        }
        if let Some(&(_, _, span)) = self.mtype_names.get(name) {
            return Some(span);
        }
        self.signatures.get(name).filter(|signature| signature.parameters.is_some()).map(|signature| signature.span)
    }

    pub(super) fn twice(&mut self, name: &Ident, first: Span) {
        let mut diagnostic =
            Diagnostic::error(format!("`{}` is declared twice", name.name), name.span, "declared again here")
                .with_label(first, "first declared here");
        // In the same block it is plain; that an inner block may not do so either surprises those who know C.
        if let Some(body) = &self.body
            && body.symbols.visible(&name.name).is_none_or(|symbol| symbol.scope != body.symbols.current)
        {
            diagnostic = diagnostic.with_note("a block cannot redeclare a name that is visible in it");
        }
        self.report(diagnostic);
    }

    /// A variable as declared, without its place. If something is wrong with it a stand-in is declared all the same,
    /// so that its uses are not reported as well.
    pub(super) fn variable(&mut self, declaration: &Declaration, declarator: &Declarator) -> Var {
        let kind = self.kind(&declaration.ty, declarator).unwrap_or(Kind::Scalar(ScalarType::Int));
        let length = declarator.array.as_ref().map(|size| self.array_size(&declarator.name, size).unwrap_or(256));
        Var {
            name: declarator.name.name.clone(),
            span: declarator.name.span,
            kind,
            length,
            region: Region::Global,
            offset: 0,
            scalar: Scalar::U8,
            stride: 1,
            leaf: 0,
            messages: None,
            first: match &declarator.initializer {
                Some(Initializer::Expr(value)) => self.plain_constant(value),
                _ => None,
            },
        }
    }

    /// Refuses a variable for which there is no room behind the bytes and leaves that are taken, and declares a stand-in:
    /// nothing is made of such a size, nor walked through.
    pub(super) fn bound(&mut self, var: &mut Var, taken: u32, leaves: u32, most: u64) {
        let bytes = layout::bytes_of(var, &self.structs);
        let parts = u64::from(layout::leaves(var.kind, &self.structs));
        let label = if bytes + u64::from(taken) > most {
            let behind = if taken > 0 { format!(" behind {taken} others") } else { String::new() };
            format!("takes {bytes} bytes{behind}; at most {most} are possible")
        } else if parts + u64::from(leaves) > layout::MOST_LEAVES {
            format!("has {parts} parts; at most {} are possible", layout::MOST_LEAVES)
        } else {
            return;
        };
        self.error(var.span, format!("there is no room for `{}`", var.name), label);
        (var.kind, var.length) = (Kind::Scalar(ScalarType::Byte), None);
    }

    fn plain_constant(&self, value: &Expr) -> Option<i32> {
        matches!(value.kind, ExprKindTree::Number(_)).then(|| self.constant(value)).flatten()
    }

    fn kind(&mut self, ty: &Type, declarator: &Declarator) -> Option<Kind> {
        let width = match (&declarator.width, ty) {
            (None, Type::Unsigned) => {
                self.report(
                    Diagnostic::error("an unsigned needs a width", declarator.span, "without `: n`")
                        .with_help(format!("write `unsigned {} : 8`", declarator.name.name)),
                );
                return None;
            }
            (None, _) => 0,
            (Some(width), Type::Unsigned) => {
                let bits = self.need_constant(width, "the width of an unsigned")?;
                if !(1..=31).contains(&bits) {
                    self.error(width.span, format!("an unsigned cannot have {bits} bits"), "1 to 31 are possible");
                    return None;
                }
                bits as u8
            }
            (Some(width), _) => {
                self.error(width.span, "only an unsigned can have a width", "not an unsigned");
                return None;
            }
        };
        Some(Kind::Scalar(match ty {
            Type::Named(name) => return self.struct_of(name).map(Kind::Struct),
            Type::Unsigned => ScalarType::Unsigned(width),
            other => self.scalar_type(other),
        }))
    }

    fn scalar_type(&mut self, ty: &Type) -> ScalarType {
        match ty {
            Type::Bit => ScalarType::Bit,
            Type::Bool => ScalarType::Bool,
            Type::Byte => ScalarType::Byte,
            Type::Short => ScalarType::Short,
            Type::Int | Type::Unsigned | Type::Named(_) => ScalarType::Int,
            Type::Mtype(subtype) => ScalarType::Mtype(self.mtype_set(subtype.as_ref())),
            Type::Chan => ScalarType::Chan,
            Type::Pid => ScalarType::Pid,
        }
    }

    fn struct_of(&mut self, name: &Ident) -> Option<usize> {
        let found = self.struct_names.get(&name.name).copied();
        if found.is_none() {
            let candidates: Vec<Arc<str>> = self.struct_names.keys().cloned().collect();
            self.unknown("type", name, &candidates);
        }
        found
    }

    fn array_size(&mut self, name: &Ident, size: &Expr) -> Option<u32> {
        // SPIN takes the initial value of a variable here, with a warning; 8 if it has none.
        if let ExprKindTree::Variable(var) = &size.kind
            && let [only] = var.segments.as_slice()
            && only.index.is_none()
            && let Some(bound) = self.find(&only.name.name)
        {
            let value = bound.first.filter(|&value| value > 0).unwrap_or(8);
            self.warn(
                Code::VariableBound,
                size.span,
                format!("the array bound is a variable; its first value {value} is taken"),
                "not a constant",
            );
            return Some(value as u32);
        }
        let length = self.need_constant(size, "the size of an array")?;
        if length <= 0 {
            self.error(size.span, format!("bad array size for `{}`", name.name), format!("{length} elements"));
            return None;
        }
        if length > 1 << 24 {
            self.error(size.span, format!("the array `{}` is too large", name.name), format!("{length} elements"));
            return None;
        }
        Some(length as u32)
    }

    /// The messages of a channel that is declared with `[n] of { … }`. Errors are reported by the initialiser.
    pub(super) fn messages_of(&mut self, declarator: &Declarator) -> Option<Messages> {
        let Some(Initializer::Channel { capacity, fields, .. }) = &declarator.initializer else { return None };
        let capacity = self.constant(capacity)?.max(0) as u32;
        let mut flat = Vec::new();
        let mut only_struct = None;
        for (ty, _) in fields {
            match ty {
                Type::Named(name) => {
                    let &number = self.struct_names.get(&name.name)?;
                    only_struct = (fields.len() == 1).then_some(number);
                    self.flatten(number, &mut flat);
                }
                other => flat.push(self.scalar_type(other)),
            }
        }
        self.most_fields = self.most_fields.max(flat.len());
        Some(Messages { capacity, fields: flat, only_struct })
    }

    /// The fields of a message that carries a structure. Of one with too many, which is refused, a part.
    fn flatten(&self, number: usize, flat: &mut Vec<ScalarType>) {
        if flat.len() as u64 > MOST_FIELDS {
            return;
        }
        for field in &self.structs[number].fields {
            match field.kind {
                Kind::Scalar(ty) => {
                    flat.extend(std::iter::repeat_n(ty, field.length.unwrap_or(1).min(1 << 16) as usize))
                }
                Kind::Struct(inner) => self.flatten(inner, flat),
            }
        }
    }

    /// What an initialiser does at the start, for a variable with its place. Channels are numbered from 0.
    pub(super) fn start_of(&mut self, var: &Var, initializer: Option<&Initializer>) -> Start {
        let mut start = Start::default();
        let at = At { region: var.region, offset: 0, leaf: 0, name: String::new(), span: var.span };
        self.start_at(var, initializer, &at, &mut start);
        start
    }

    fn start_at(&mut self, var: &Var, initializer: Option<&Initializer>, at: &At, start: &mut Start) {
        let (most, what) = match initializer {
            Some(Initializer::Channel { .. }) => (MOST_CHANNELS, "channels"),
            _ => (MOST_INITIAL, "initial values"),
        };
        let elements = if initializer.is_some() { var.length.unwrap_or(1) } else { 1 };
        start.visited = start.visited.saturating_add(elements);
        if start.visited > most {
            let label = format!("more than {most} {what} in one declaration");
            self.error(at.span, format!("too many {what}"), label);
            return;
        }
        let name = if at.name.is_empty() { var.name.to_string() } else { format!("{}.{}", at.name, var.name) };
        let place = |scalar, offset, ty| Place {
            region: at.region,
            offset,
            scalar,
            ty,
            indices: Vec::new(),
            variable: at.leaf + var.leaf,
            span: at.span,
        };
        match (var.kind, initializer) {
            (Kind::Struct(number), initializer) => {
                if let Some(Initializer::Channel { span, .. } | Initializer::Expr(Expr { span, .. })) = initializer {
                    self.warn(
                        Code::WithoutEffect,
                        *span,
                        format!("`{name}` is a structure; its initialiser is ignored"),
                        "ignored",
                    );
                }
                if !self.structs[number].initialised {
                    return;
                }
                let fields = self.structs[number].fields.clone();
                let initials = self.struct_initials[number].clone();
                let before = self.diagnostics.len();
                for element in 0..var.length.unwrap_or(1) {
                    // What is wrong is wrong in every element: once is enough.
                    if self.diagnostics.len() > before {
                        return;
                    }
                    let name = if var.length.is_some() { format!("{name}[{element}]") } else { name.clone() };
                    let offset = at.offset + var.offset + element * var.stride;
                    let inner = At { offset, leaf: at.leaf + var.leaf, name, ..*at };
                    for (field, initial) in fields.iter().zip(&initials) {
                        self.start_at(field, initial.as_ref(), &inner, start);
                    }
                }
            }
            (Kind::Scalar(ty), Some(Initializer::Channel { capacity, fields, span })) => {
                if ty != ScalarType::Chan {
                    self.report(
                        Diagnostic::error(format!("`{name}` is not a channel"), *span, "a channel initialiser")
                            .with_label(var.span, "declared here")
                            .with_help(format!("declare it as `chan {name}`")),
                    );
                    return;
                }
                let Some((capacity, fields)) = self.channel_shape(capacity, fields) else { return };
                let (fields, slot_size) = layout::message_fields(&fields);
                for element in 0..var.length.unwrap_or(1) {
                    let name = if var.length.is_some() { format!("{name}[{element}]") } else { name.clone() };
                    let offset = at.offset + var.offset + element * var.stride;
                    start.initial.push(Initial::Channel(place(var.scalar, offset, ty), start.channels.len() as u32));
                    start.channels.push(Channel {
                        name: name.into(),
                        capacity,
                        fields: fields.clone(),
                        slot_size,
                        offset: 0,
                        span: *span,
                    });
                }
            }
            (Kind::Scalar(ty), Some(Initializer::Expr(value))) => {
                self.no_run(value, "an initialiser");
                self.check_assigned(var, ty, value);
                let value = self.expr(value);
                if matches!(value.kind, ExprKind::Constant(0)) {
                    return;
                }
                for element in 0..var.length.unwrap_or(1) {
                    let offset = at.offset + var.offset + element * var.stride;
                    start.initial.push(Initial::Assign(place(var.scalar, offset, ty), value.clone()));
                }
            }
            (Kind::Scalar(ty), Some(Initializer::List(values))) => {
                let Some(length) = var.length else {
                    self.error(var.span, format!("`{name}` must be an array to have a list of values"), "not an array");
                    return;
                };
                let values: Vec<model::Expr> = values
                    .iter()
                    .filter_map(|value| {
                        let number = self.need_constant(value, "a value in a list")?;
                        Some(model::Expr { kind: ExprKind::Constant(number), span: value.span })
                    })
                    .collect();
                let Some(last) = values.last() else { return };
                for element in 0..length {
                    // The last value of a list that is too short is used for the rest.
                    let value = values.get(element as usize).unwrap_or(last).clone();
                    if !matches!(value.kind, ExprKind::Constant(0)) {
                        let offset = at.offset + var.offset + element * var.stride;
                        start.initial.push(Initial::Assign(place(var.scalar, offset, ty), value));
                    }
                }
            }
            (Kind::Scalar(_), None) => {}
        }
    }

    fn channel_shape(&mut self, capacity: &Expr, fields: &[(Type, Span)]) -> Option<(u32, Vec<ScalarType>)> {
        let slots = self.need_constant(capacity, "the capacity of a channel")?;
        if !(0..=65535).contains(&slots) {
            self.error(capacity.span, format!("a channel cannot have {slots} slots"), "0 to 65535 are possible");
            return None;
        }
        if slots == 0 {
            self.rendezvous.get_or_insert(capacity.span);
        }
        let mut flat = Vec::new();
        for (ty, span) in fields {
            match ty {
                Type::Unsigned => {
                    self.error(*span, "an unsigned cannot be a message field", "use byte, short or int");
                    return None;
                }
                Type::Named(name) => {
                    let number = self.struct_of(name)?;
                    if let Some(field) = self.array_of_structs(number) {
                        self.report(
                            Diagnostic::error("an array of structures cannot be sent", *span, "has such a field")
                                .with_label(field, "this one"),
                        );
                        return None;
                    }
                    self.flatten(number, &mut flat);
                    if self.structs[number].scalars > MOST_FIELDS {
                        let label = format!("has {} parts, at most {MOST_FIELDS} fit", self.structs[number].scalars);
                        self.error(*span, "too many fields in a message", label);
                        return None;
                    }
                    if flat.iter().any(|ty| matches!(ty, ScalarType::Unsigned(_))) {
                        self.error(*span, "an unsigned cannot be a message field", "has such a field inside");
                        return None;
                    }
                }
                other => flat.push(self.scalar_type(other)),
            }
        }
        let (_, slot) = layout::message_fields(&flat);
        let bytes = u64::from(slot) * slots as u64;
        if bytes > LARGEST {
            let label = format!("takes {bytes} bytes; at most {LARGEST} are possible");
            self.error(capacity.span, "there is no room for this channel", label);
            return None;
        }
        Some((slots as u32, flat))
    }

    /// The first field of a typedef, at any depth, that is an array of structures.
    pub(super) fn array_of_structs(&self, number: usize) -> Option<Span> {
        self.structs[number].fields.iter().find_map(|field| match field.kind {
            Kind::Struct(_) if field.length.is_some() => Some(field.span),
            Kind::Struct(inner) => self.array_of_structs(inner),
            Kind::Scalar(_) => None,
        })
    }

    /// SPIN's objections to the value of an assignment: numbers for channels, arithmetic on channels, names of
    /// another mtype.
    pub(super) fn check_assigned(&mut self, var: &Var, ty: ScalarType, value: &Expr) {
        self.check_channels(value, true);
        let ExprKindTree::Variable(name) = &value.kind else { return };
        let [only] = name.segments.as_slice() else { return };
        let Some((set, _)) = self.mtype_value(&only.name.name) else { return };
        let declared = match ty {
            ScalarType::Mtype(set) if self.mtypes[set as usize].name.is_some() => Some(set),
            _ => None,
        };
        let owner = if var.region == Region::Local { self.body.as_ref().map(|body| body.name.clone()) } else { None };
        let known = declared.or_else(|| self.mtype_memory.get(&(var.region, owner.clone(), var.leaf)).copied());
        match known {
            None => {
                self.mtype_memory.insert((var.region, owner, var.leaf), set);
            }
            Some(known) if known != set => {
                let word =
                    |set: u16| self.mtypes[set as usize].name.clone().map_or("mtype".into(), |n| format!("mtype:{n}"));
                let message = format!("`{}` holds {}, not {}", var.name, word(known), word(set));
                let note = (declared.is_none()).then_some("the first name assigned to a variable decides its set");
                let mut diagnostic = Diagnostic::error(message, value.span, "a name of another set")
                    .with_label(var.span, "declared here");
                diagnostic.notes.extend(note.map(str::to_owned));
                self.report(diagnostic);
            }
            Some(_) => {}
        }
    }

    /// Arithmetic on a channel in the value of an assignment.
    fn check_channels(&mut self, value: &Expr, top: bool) {
        match &value.kind {
            ExprKindTree::Variable(var) => {
                if !top
                    && let [only] = var.segments.as_slice()
                    && self.find(&only.name.name).is_some_and(|var| var.kind == Kind::Scalar(ScalarType::Chan))
                {
                    let name = text::var(var);
                    self.report(
                        Diagnostic::error(format!("the channel `{name}` is used as a number"), value.span, "a channel")
                            .with_help(format!("write `len({name})` for the number of messages in it")),
                    );
                }
            }
            ExprKindTree::Unary(_, inner) => self.check_channels(inner, false),
            ExprKindTree::Binary(_, left, right) => {
                self.check_channels(left, false);
                self.check_channels(right, false);
            }
            ExprKindTree::Conditional(condition, yes, no) => {
                [condition, yes, no].into_iter().for_each(|part| self.check_channels(part, false));
            }
            _ => {}
        }
    }
}

use crate::syntax::tree::ExprKind as ExprKindTree;

/// Where the parts of a structure are.
struct At {
    region: Region,
    offset: u32,
    leaf: u32,
    name: String,
    span: Span,
}

/// SPIN initialises globals type by type, in this order.
fn class(kind: Kind) -> u8 {
    match kind {
        Kind::Scalar(ScalarType::Unsigned(_)) => 0,
        Kind::Scalar(ScalarType::Bit | ScalarType::Bool) => 1,
        Kind::Scalar(ScalarType::Byte | ScalarType::Pid) => 2,
        Kind::Scalar(ScalarType::Chan) => 3,
        Kind::Scalar(ScalarType::Mtype(_)) => 4,
        Kind::Scalar(ScalarType::Short) => 5,
        Kind::Scalar(ScalarType::Int) => 6,
        Kind::Struct(_) => 7,
    }
}
