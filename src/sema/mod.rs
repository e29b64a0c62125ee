//! From the tree to the model: names, types, checks, layout, automata.
//!
//! The unit is walked once, in the order of the file, as SPIN does: a name must stand before its use, and the
//! numbers of channels, processes and control states come from that order. Only formulas wait for the end. Bodies are lowered to elements (see
//! `lower`) as they are met; when all are there, so that remote references have had their say, the elements become
//! automata.

mod body;
mod claim;
mod constant;
mod declare;
mod expr;
mod layout;
mod lower;
mod place;
mod receive;
mod text;
mod uses;

use crate::model::{self, Claim, Creation, Initial, Model, MtypeSet, Region, Uses, Variable};
use crate::source::code::Code;
use crate::source::diagnostic::{Diagnostic, Severity};
use crate::source::{SourceMap, Span};
use crate::syntax::tree::{Item, ProctypeKind, Unit};
use body::Body;
use indexmap::IndexMap;
use layout::{Allocator, Struct, Var};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Checks a unit and lowers it to a model. Everything that is wrong goes to `diagnostics`; if an error was among it
/// there is no model. The caller sets [`Model::fingerprint`] (see [`fingerprint`]).
pub fn analyse(map: &SourceMap, unit: &Unit, name: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    // Places are spans; nothing here has to be looked up in the map yet.
    let _ = map;
    // Trees nest up to the parser's limits; the walk over them recurses and gets a stack to match. Where addresses are
    // scarce (`ulimit -v`) there is no room for it, and a smaller one serves all models that people write.
    let work = Mutex::new(Some(diagnostics));
    for stack in STACKS {
        let found = std::thread::scope(|scope| {
            let work = || {
                let diagnostics = work.lock().ok()?.take()?;
                let mut analyser = Analyser::new(unit, diagnostics);
                analyser.unit(unit);
                analyser.finish(name)
            };
            // A stack that leaves nothing for the rest is too large.
            Vec::<u8>::new().try_reserve_exact(stack + BESIDE_STACK).ok()?;
            let worker = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
            worker.ok().map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        if let Some(model) = found {
            return model;
        }
    }
    if let Some(diagnostics) = work.into_inner().ok().flatten() {
        let message = "there is not enough memory to read the model";
        diagnostics.push(Diagnostic::error(message, Span::default(), ""));
    }
    None
}

/// Room for expressions 10,000 levels deep in a build without optimisation, and less. Only what is used is ever taken.
const STACKS: [usize; 3] = [512 << 20, 128 << 20, 32 << 20];

/// What the front end may take beside its stack, without asking.
const BESIDE_STACK: usize = 16 << 20;

/// A hash of the preprocessed text, the same on every machine: trails and checkpoints carry it.
pub fn fingerprint<'a>(tokens: impl Iterator<Item = &'a str>) -> u64 {
    let mut text = Vec::new();
    for token in tokens {
        text.extend_from_slice(token.as_bytes());
        text.push(0);
    }
    rapidhash::v3::rapidhash_v3(&text)
}

/// A process type as other bodies see it: known from the start, since `run` may stand before the declaration.
struct Signature {
    /// Its number in the model; claims and traces have none.
    number: Option<u32>,
    span: Span,
    /// Parameters, flattened; `None` until its declaration has been reached.
    parameters: Option<usize>,
}

/// A `run` or a message whose number of arguments can be judged only at the end.
struct Count {
    name: Arc<str>,
    given: usize,
    span: Span,
    /// A receive: SPIN judges it only when it is reached.
    receive: bool,
    /// A receive of messages with a certain constant.
    tagged: bool,
    /// Fields and declaration of the channel, where they are known.
    channel: Option<(usize, Span)>,
}

/// A global initialiser. SPIN runs them by type, not in the order of the file.
struct GlobalInitial {
    class: u8,
    initial: Vec<Initial>,
    channels: Vec<model::Channel>,
}

struct Analyser<'a> {
    diagnostics: &'a mut Vec<Diagnostic>,
    structs: Vec<Struct>,
    struct_names: HashMap<Arc<str>, usize>,
    /// Initialisers of the fields of each typedef.
    struct_initials: Vec<Vec<Option<crate::syntax::tree::Initializer>>>,
    mtypes: Vec<MtypeSet>,
    mtype_names: HashMap<Arc<str>, (u16, i32, Span)>,
    globals: IndexMap<Arc<str>, Var>,
    shown: Vec<Variable>,
    global_allocator: Allocator,
    hidden_allocator: Allocator,
    global_initials: Vec<GlobalInitial>,
    /// The mtype set whose names were assigned to a variable that was declared without one.
    mtype_memory: HashMap<(Region, Option<Arc<str>>, u32), u16>,
    signatures: IndexMap<Arc<str>, Signature>,
    /// Names that were used and not known, by the number of the diagnostic.
    undeclared: HashMap<Arc<str>, usize>,
    /// The names of the declaration that is being read.
    declaring_now: Vec<Arc<str>>,
    sends: Vec<Count>,
    runs: Vec<Count>,
    /// The most fields any channel has.
    most_fields: usize,
    /// A rendezvous channel, if there is one.
    rendezvous: Option<Span>,
    /// The first use of `enabled`.
    enabled: Option<Span>,
    /// The first `xr` or `xs`.
    exclusive_claim: Option<Span>,
    /// Who claimed which channel: `xs`, its declaration, the process type, the place.
    exclusive_owners: Vec<(bool, Span, Arc<str>, Span)>,
    /// The body that is being lowered, and its elements.
    body: Option<Body>,
    flow: lower::Flow,
    /// Those that are done.
    bodies: Vec<Body>,
    processes: Vec<(Arc<str>, u8)>,
    claims: Vec<claim::Pending>,
    /// Properties whose formulas are wrong.
    broken: Vec<model::BrokenFormula>,
    unnamed_formulas: usize,
    uses: Uses,
}

impl<'a> Analyser<'a> {
    fn new(unit: &Unit, diagnostics: &'a mut Vec<Diagnostic>) -> Analyser<'a> {
        Analyser {
            diagnostics,
            structs: Vec::new(),
            struct_names: HashMap::new(),
            struct_initials: Vec::new(),
            mtypes: vec![MtypeSet::default()],
            mtype_names: HashMap::new(),
            globals: IndexMap::new(),
            shown: Vec::new(),
            global_allocator: Allocator::new(0),
            hidden_allocator: Allocator::new(0),
            global_initials: Vec::new(),
            mtype_memory: HashMap::new(),
            signatures: IndexMap::new(),
            undeclared: HashMap::new(),
            declaring_now: Vec::new(),
            sends: Vec::new(),
            runs: Vec::new(),
            most_fields: 0,
            rendezvous: None,
            enabled: None,
            exclusive_claim: None,
            exclusive_owners: Vec::new(),
            body: None,
            flow: lower::Flow::default(),
            bodies: Vec::new(),
            processes: Vec::new(),
            claims: Vec::new(),
            broken: Vec::new(),
            unnamed_formulas: 0,
            uses: uses::of(unit),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report(Diagnostic::error(message, span, label));
    }

    fn warn(&mut self, code: Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report(Diagnostic::warning(message, span, label).with_code(code));
    }

    /// Set and value of an mtype name.
    fn mtype_value(&self, name: &str) -> Option<(u16, i32)> {
        self.mtype_names.get(name).map(|&(set, value, _)| (set, value))
    }

    fn unit(&mut self, unit: &Unit) {
        self.collect_signatures(unit);
        for item in &unit.items {
            match item {
                Item::Proctype(proctype) => self.proctype(proctype),
                Item::Ltl(_) => {}
                Item::Typedef(typedef) => self.typedef(typedef),
                Item::Mtype(mtype) => self.mtype(mtype),
                Item::Declaration(declaration) => self.global(declaration),
            }
        }
        // SPIN keeps formulas until the file has been read: they may name what is declared behind them.
        for item in &unit.items {
            if let Item::Ltl(ltl) = item {
                self.ltl(ltl);
            }
        }
    }

    fn collect_signatures(&mut self, unit: &Unit) {
        let mut number = 0;
        for item in &unit.items {
            let Item::Proctype(proctype) = item else { continue };
            let name = &proctype.name;
            let runs =
                matches!(proctype.kind, ProctypeKind::Proctype | ProctypeKind::Deterministic | ProctypeKind::Init);
            let signature = Signature { number: runs.then_some(number), span: name.span, parameters: None };
            number += u32::from(runs);
            if number == 256 && runs {
                self.error(name.span, "too many process types", "at most 255 can be told apart");
            }
            if let Some(first) = self.signatures.get(&name.name) {
                let (first, word) = (first.span, kind_word(proctype.kind));
                self.report(
                    Diagnostic::error(format!("{word} `{}` is declared twice", name.name), name.span, "again here")
                        .with_label(first, "first declared here"),
                );
                // Its number stays taken, so that the counting of the others is not disturbed.
                self.signatures.insert(format!("{} (again)", name.name).into(), signature);
            } else {
                self.signatures.insert(name.name.clone(), signature);
            }
        }
    }

    /// What can be judged only when everything has been read; then the model.
    fn finish(mut self, name: &str) -> Option<Model> {
        self.check_counts();
        if self.processes.is_empty() {
            let span = self.signatures.values().next().map(|signature| signature.span).unwrap_or_default();
            self.report(
                Diagnostic::error("the model has no process at the start", span, "nothing runs this")
                    .with_help("add an `init { … }`, or put `active` in front of a proctype"),
            );
        }
        if self.processes.len() > 255 {
            let span = self.signatures.values().next().map(|signature| signature.span).unwrap_or_default();
            self.error(span, "too many processes at the start", "at most 255 can run at a time");
        }
        let mut proctypes = Vec::new();
        let mut trace = None;
        let mut claims: Vec<Claim> = Vec::new();
        for body in std::mem::take(&mut self.bodies) {
            let kind = body.kind;
            let Some(lowered) = self.close_body(body) else { continue };
            match kind {
                ProctypeKind::Never => claims.push(claim::of_body(lowered)),
                ProctypeKind::Trace | ProctypeKind::Notrace => trace = Some(self.trace_of(lowered)),
                _ => proctypes.push(lowered),
            }
        }
        claims.extend(self.translate_formulas());
        self.check_room(&proctypes);
        if failed(self.diagnostics) {
            let formulas = std::mem::take(&mut self.broken);
            self.diagnostics.extend(formulas.into_iter().flat_map(|formula| formula.diagnostics));
            return None;
        }
        let processes = self
            .processes
            .iter()
            .filter_map(|(name, priority)| {
                let proctype = self.signatures.get(name)?.number?;
                Some(Creation { proctype, priority: *priority })
            })
            .collect();
        let (initial, channels) = self.global_start();
        let uses = Uses {
            accept_labels: proctypes.iter().any(|p| p.automaton.locations.iter().any(|l| l.accept)),
            progress_labels: proctypes.iter().any(|p| p.automaton.locations.iter().any(|l| l.progress)),
            ..self.uses
        };
        Some(Model {
            name: name.to_owned(),
            fingerprint: 0,
            mtypes: self.mtypes,
            globals: self.shown,
            hidden_size: self.hidden_allocator.size(),
            global_size: self.global_allocator.size(),
            channels,
            initial,
            proctypes,
            processes,
            claims,
            broken: self.broken,
            trace,
            uses,
        })
    }

    /// Whether the initial state is of a size that can be held.
    fn check_room(&mut self, proctypes: &[model::Proctype]) {
        let most = layout::LARGEST;
        let channels = self.global_initials.iter().flat_map(|initial| &initial.channels);
        let (bytes, last) =
            channels.fold((0, None), |(bytes, _), channel| (bytes + u64::from(channel.size()), Some(channel.span)));
        if let Some(span) = last.filter(|_| bytes > most) {
            let label = format!("with the others {bytes} bytes; at most {most} are possible");
            self.error(span, "there is no room for the channels", label);
        }
        let started = self.processes.iter().filter_map(|(name, _)| proctypes.iter().find(|p| p.name == *name));
        let (bytes, last) =
            started.fold((0, None), |(bytes, _), proctype| (bytes + u64::from(proctype.size), Some(proctype.span)));
        if let Some(span) = last.filter(|_| bytes > most) {
            let label = format!("all together {bytes} bytes; at most {most} are possible");
            self.error(span, "there is no room for the processes at the start", label);
        }
    }

    fn check_counts(&mut self) {
        for send in std::mem::take(&mut self.sends) {
            // SPIN's compiler objects only to more fields than any channel has; otherwise it is a run-time error.
            let refused = send.given > self.most_fields && !send.receive;
            let Some((fields, declared)) = send.channel else {
                if refused && self.most_fields == 0 {
                    let message = format!("`{}` stands for no channel: the model has none", send.name);
                    let help =
                        format!("a channel is made where it is declared: `chan {} = [1] of {{ byte }}`", send.name);
                    let diagnostic = Diagnostic::error(message, send.span, "there is nothing to send to");
                    self.report(diagnostic.with_code(Code::MessageFields).with_help(help));
                } else if refused {
                    let most = self.most_fields;
                    let label = format!("{} given, but no channel of the model has more than {most}", send.given);
                    let message = format!("too many fields in a message to `{}`", send.name);
                    self.report(Diagnostic::error(message, send.span, label).with_code(Code::MessageFields));
                }
                continue;
            };
            if send.given > fields {
                let s = if fields == 1 { "" } else { "s" };
                let message = format!("`{}` has messages of {fields} field{s}, not {}", send.name, send.given);
                let diagnostic = if refused {
                    Diagnostic::error(message, send.span, "too many")
                } else {
                    Diagnostic::warning(message, send.span, "an error when it is reached")
                };
                self.report(diagnostic.with_code(Code::MessageFields).with_label(declared, "declared here"));
            } else if send.given < fields && !send.tagged {
                let message = format!("`{}` has messages of {fields} fields, not {}", send.name, send.given);
                let label = if send.receive { "the last ones are lost" } else { "an error when it is reached" };
                let warning = Diagnostic::warning(message, send.span, label).with_code(Code::MessageFields);
                let help = send.receive.then_some("write `_` for a field that is of no interest");
                let warning = warning.with_label(declared, "declared here");
                self.report(help.into_iter().fold(warning, Diagnostic::with_help));
            }
        }
        for run in std::mem::take(&mut self.runs) {
            let Some(signature) = self.signatures.get(&run.name) else { continue };
            let (span, parameters) = (signature.span, signature.parameters.unwrap_or(run.given));
            if parameters != run.given {
                let (s, given) = (if parameters == 1 { "" } else { "s" }, run.given);
                self.report(
                    Diagnostic::error(
                        format!("`{}` takes {parameters} argument{s}, not {given}", run.name),
                        run.span,
                        format!("{given} given"),
                    )
                    .with_label(span, "declared here"),
                );
            }
        }
        self.check_enabled();
    }

    fn check_enabled(&mut self) {
        if let (Some(enabled), Some(rendezvous)) = (self.enabled, self.rendezvous) {
            self.report(
                Diagnostic::error("`enabled` in a model with rendezvous channels", enabled, "cannot be answered")
                    .with_label(rendezvous, "such a channel")
                    .with_note("whether a half of a rendezvous is enabled depends on the other half"),
            );
        }
    }

    /// The initial actions in SPIN's order: by type, then as written. The order gives channels their ids.
    fn global_start(&mut self) -> (Vec<Initial>, Vec<model::Channel>) {
        let mut all = std::mem::take(&mut self.global_initials);
        all.sort_by_key(|initial| initial.class);
        let (mut initials, mut channels) = (Vec::new(), Vec::<model::Channel>::new());
        let mut offset = 0;
        for group in all {
            let base = channels.len() as u32;
            for mut channel in group.channels {
                channel.offset = offset;
                offset += channel.size();
                channels.push(channel);
            }
            initials.extend(group.initial.into_iter().map(|initial| match initial {
                Initial::Channel(place, number) => Initial::Channel(place, number + base),
                assign => assign,
            }));
        }
        (initials, channels)
    }
}

/// Some diagnostic is an error.
fn failed(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

fn kind_word(kind: ProctypeKind) -> &'static str {
    match kind {
        ProctypeKind::Init => "init",
        ProctypeKind::Never => "never claim",
        ProctypeKind::Trace | ProctypeKind::Notrace => "trace",
        ProctypeKind::Proctype | ProctypeKind::Deterministic => "proctype",
    }
}
