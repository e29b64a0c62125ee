//! From the model to a [`Program`]. Variables get absolute places. The expressions that models are full of get forms of their
//! own. Everything that may go wrong at run time gets a site, which tells where the statement stands in the source.

use super::print::Print;
use super::program::{
    After, Cell, Channel, Ex, Indexed, Location, Op, Pattern, Proctype, Program, Receive, Routine, Run, Send, Setup,
    Site, Target, Transition,
};
use crate::model::{
    self, Action, Automaton, BinaryOp, Expr, ExprKind, FormatPiece, Initial, Model, PROCESS_HEADER, Place,
    ReceiveArgument, Region, Scalar, visit,
};
use crate::source::Span;
use std::sync::Arc;

struct Compiler {
    sites: Vec<Site>,
    globals: u32,
}

impl Compiler {
    fn site(&mut self, span: Span, text: Option<Arc<str>>) -> u32 {
        self.sites.push(Site { span, text });
        self.sites.len() as u32 - 1
    }

    fn cell(&self, place: &Place) -> Cell {
        let (local, offset) = match place.region {
            Region::Hidden => (false, place.offset),
            Region::Global => (false, self.globals + place.offset),
            Region::Local => (true, place.offset),
        };
        Cell { local, offset, scalar: place.scalar }
    }

    fn target(&mut self, place: &Place) -> Target {
        let cell = self.cell(place);
        if place.indices.is_empty() {
            return Target::Cell(cell);
        }
        let indices = place
            .indices
            .iter()
            .map(|index| (self.expr(&index.value), index.dimension.length, index.dimension.stride))
            .collect();
        let site = self.site(place.span, None);
        Target::Indexed(Box::new(Indexed { cell, indices, site }))
    }

    fn boxed(&mut self, expr: &Expr) -> Box<Ex> {
        Box::new(self.expr(expr))
    }

    fn expr(&mut self, expr: &Expr) -> Ex {
        match &expr.kind {
            ExprKind::Constant(value) => Ex::Constant(*value),
            ExprKind::Load(place) => match self.target(place) {
                Target::Cell(Cell { local: false, offset, scalar: Scalar::U8 }) => Ex::GlobalByte(offset),
                Target::Cell(Cell { local: true, offset, scalar: Scalar::U8 }) => Ex::LocalByte(offset),
                Target::Cell(cell) => Ex::Load(cell),
                Target::Indexed(indexed) => Ex::Indexed(indexed),
            },
            ExprKind::Unary(op, operand) => Ex::Unary(*op, self.boxed(operand)),
            ExprKind::Binary(op, left, right) => {
                let pair = (self.expr(left), self.expr(right));
                match (op, &pair) {
                    (BinaryOp::Equal, (Ex::GlobalByte(at), Ex::Constant(value))) => Ex::GlobalByteIs(*at, *value),
                    (BinaryOp::Equal, (Ex::LocalByte(at), Ex::Constant(value))) => Ex::LocalByteIs(*at, *value),
                    (BinaryOp::And, _) => Ex::And(Box::new(pair)),
                    (BinaryOp::Or, _) => Ex::Or(Box::new(pair)),
                    (BinaryOp::Divide | BinaryOp::Remainder, _) => {
                        let site = self.site(expr.span, None);
                        Ex::Divide(*op == BinaryOp::Remainder, Box::new(pair), site)
                    }
                    _ => Ex::Binary(*op, Box::new(pair)),
                }
            }
            ExprKind::Conditional(condition, yes, no) => {
                Ex::Conditional(Box::new((self.expr(condition), self.expr(yes), self.expr(no))))
            }
            ExprKind::Channel(test, channel) => {
                let site = self.site(expr.span, None);
                Ex::Channel(*test, self.boxed(channel), site)
            }
            ExprKind::Poll { channel, random, arguments } => {
                Ex::Poll(Box::new(self.receive(channel, *random, true, arguments, expr.span)))
            }
            ExprKind::Run { .. } => Ex::RunResult,
            ExprKind::Pid => Ex::Pid,
            ExprKind::ProcessCount => Ex::ProcessCount,
            ExprKind::Last => Ex::Last,
            ExprKind::NonProgress => Ex::NonProgress,
            ExprKind::Timeout => Ex::Timeout,
            ExprKind::Enabled(pid) => {
                let site = self.site(expr.span, None);
                Ex::Enabled(self.boxed(pid), site)
            }
            ExprKind::PcValue(pid) => Ex::PcValue(self.boxed(pid)),
            ExprKind::GetPriority(pid) => Ex::GetPriority(self.boxed(pid)),
            // Only a statement of its own sets a priority; `sema` sees to that.
            ExprKind::SetPriority(..) => Ex::Constant(1),
            ExprKind::RemoteLabel { proctype, pid, location } => Ex::RemoteLabel {
                proctype: *proctype,
                pid: pid.as_ref().map(|pid| self.boxed(pid)),
                location: *location,
                site: self.site(expr.span, None),
            },
            ExprKind::RemoteVariable(remote) => Ex::RemoteVariable {
                proctype: remote.proctype,
                pid: remote.pid.as_ref().map(|pid| self.boxed(pid)),
                target: Box::new(self.target(&remote.place)),
                site: self.site(expr.span, None),
            },
        }
    }

    fn receive(
        &mut self,
        channel: &Expr,
        random: bool,
        copy: bool,
        arguments: &[ReceiveArgument],
        span: Span,
    ) -> Receive {
        let patterns: Vec<Pattern> = arguments
            .iter()
            .map(|argument| match argument {
                ReceiveArgument::Store(place) => Pattern::Store(self.target(place)),
                ReceiveArgument::Match(expr) => Pattern::Match(self.expr(expr)),
                ReceiveArgument::Ignore => Pattern::Ignore,
            })
            .collect();
        let matches = patterns.iter().any(|pattern| matches!(pattern, Pattern::Match(_)));
        Receive { channel: self.expr(channel), random, copy, patterns, matches, site: self.site(span, None) }
    }

    fn run(&mut self, expr: &Expr) -> Option<Run> {
        if let ExprKind::Run { proctype, arguments, priority } = &expr.kind {
            return Some(Run {
                proctype: *proctype,
                arguments: arguments.iter().map(|argument| self.expr(argument)).collect(),
                priority: priority.as_ref().map(|priority| self.expr(priority)),
                site: self.site(expr.span, None),
            });
        }
        match &expr.kind {
            ExprKind::Unary(_, a) => self.run(a),
            ExprKind::Binary(_, a, b) => self.run(a).or_else(|| self.run(b)),
            ExprKind::Conditional(a, b, c) => self.run(a).or_else(|| self.run(b)).or_else(|| self.run(c)),
            _ => None,
        }
    }

    fn op(&mut self, action: &Action, text: &Arc<str>, span: Span) -> Op {
        match action {
            Action::Skip => Op::Skip,
            Action::Printf(pieces, values) => Op::Print(Box::new(Print {
                pieces: pieces.as_slice().into(),
                values: values.iter().map(|value| self.expr(value)).collect(),
            })),
            Action::Printm(value) => Op::Print(Box::new(Print {
                pieces: [FormatPiece::Mtype(0)].as_slice().into(),
                values: vec![self.expr(value)],
            })),
            Action::Else => Op::Else,
            Action::End => Op::End,
            Action::Guard(Expr { kind: ExprKind::SetPriority(pid, value), span }) => {
                let site = self.site(*span, None);
                Op::SetPriority(Box::new((self.expr(pid), self.expr(value), site)))
            }
            Action::Guard(expr) => match self.run(expr) {
                Some(run) => Op::RunGuard(Box::new((run, self.expr(expr)))),
                None => match self.expr(expr) {
                    Ex::Constant(value) if value != 0 => Op::Skip,
                    guard => Op::Guard(guard),
                },
            },
            Action::Assign(place, value) => match self.run(value) {
                Some(run) => Op::RunAssign(Box::new((run, self.target(place), self.expr(value)))),
                None => Op::Assign(self.target(place), self.expr(value)),
            },
            Action::Send { channel, sorted, arguments } => Op::Send(Box::new(Send {
                channel: self.expr(channel),
                sorted: *sorted,
                values: arguments.iter().map(|argument| self.expr(argument)).collect(),
                site: self.site(span, None),
            })),
            Action::Receive { channel, random, copy, arguments } => {
                Op::Receive(Box::new(self.receive(channel, *random, *copy, arguments, span)))
            }
            Action::Assert(expr) => {
                let site = self.site(span, Some(text.clone()));
                Op::Assert(self.expr(expr), site)
            }
            Action::Block(assignments) => {
                Op::Block(assignments.iter().map(|(place, value)| (self.target(place), self.expr(value))).collect())
            }
            Action::DStep(automaton) => {
                let site = self.site(span, None);
                Op::DStep(Box::new(self.routine(automaton)), site)
            }
        }
    }

    fn after(&mut self, after: &model::After) -> Option<Box<After>> {
        if after.is_empty() {
            return None;
        }
        let mut assignments = Vec::new();
        for action in &after.actions {
            visit::writes(action, &mut |place, value| {
                if let Some(value) = value {
                    assignments.push((self.target(place), self.expr(value)));
                }
            });
        }
        Some(Box::new(After { assignments, resets: after.resets.iter().map(|place| self.cell(place)).collect() }))
    }

    fn routine(&mut self, automaton: &Automaton) -> Routine {
        Routine {
            locations: automaton.locations.iter().map(|l| (l.first, l.count)).collect(),
            transitions: automaton
                .transitions
                .iter()
                .map(|t| (self.op(&t.action, &t.text, t.span), t.target))
                .collect(),
            entry: automaton.entry,
            exit: automaton.exit.unwrap_or(automaton.entry),
        }
    }

    fn setup(&mut self, initial: &[Initial]) -> Vec<Setup> {
        initial
            .iter()
            .map(|action| match action {
                Initial::Assign(place, value) => Setup::Assign(self.target(place), self.expr(value)),
                Initial::Channel(place, _) => Setup::Channel(self.target(place)),
            })
            .collect()
    }
}

fn channel(channel: &model::Channel) -> Channel {
    Channel {
        capacity: channel.capacity,
        length_size: channel.length_size(),
        slot_size: channel.slot_size,
        fields: channel.fields.iter().map(|field| (field.offset, field.scalar)).collect(),
        name: channel.name.clone(),
        traced_send: false,
        traced_receive: false,
    }
}

impl Program {
    /// Compiles a model, with one of its claims or none.
    pub fn new(model: &Model, number: Option<usize>) -> Program {
        let claim = number.and_then(|number| model.claims.get(number));
        let mut at = model.hidden_size + 1;
        let last = model.uses.last.then_some(at);
        at += u32::from(model.uses.last);
        let trace_at = at;
        at += if model.trace.is_some() { 2 } else { 0 };
        let claim_at = at;
        at += claim.map_or(0, |claim| claim.body.size);
        let globals = at;
        let channels_at = at + model.global_size;
        let first_process = channels_at + model.channels.iter().map(model::Channel::size).sum::<u32>();

        let mut compiler = Compiler { sites: Vec::new(), globals };
        let mut program = Program {
            proctypes: Vec::new(),
            locations: Vec::new(),
            transitions: Vec::new(),
            channels: model.channels.iter().map(channel).collect(),
            global_channels: Vec::new(),
            setup: compiler.setup(&model.initial),
            processes: model.processes.iter().map(|process| (process.proctype, process.priority)).collect(),
            sites: Vec::new(),
            hidden: model.hidden_size,
            last,
            trace: None,
            claim: None,
            claim_number: number,
            claim_asks: claim.is_some() && model.uses.timeout && model.uses.claims_ask,
            formula: claim.is_some_and(|claim| claim.formula.is_some()),
            globals,
            first_process,
            priority: model.uses.priorities.then_some(PROCESS_HEADER),
            timeout: model.uses.timeout,
            restricted: model.uses.priorities || model.uses.provided,
            trace_end: 0,
            notrace: false,
            native: Default::default(),
        };
        program.global_channels = model
            .channels
            .iter()
            .enumerate()
            .map(|(number, channel)| (channels_at + channel.offset, number as u32))
            .collect();
        for proctype in &model.proctypes {
            program.add(&mut compiler, proctype);
        }
        if claim.is_some_and(|claim| !claim.counts_labels) {
            program.locations.iter_mut().for_each(|location| location.accept = false);
        }
        if let Some(claim) = claim {
            program.claim = Some((claim_at, program.proctypes.len() as u32));
            program.add(&mut compiler, &claim.body);
        }
        if let Some(trace) = &model.trace {
            program.trace = Some((trace_at, program.proctypes.len() as u32));
            program.notrace = trace.body.kind == model::ProctypeKind::Notrace;
            let ends = |location: &u32| {
                trace.body.automaton.at(*location).iter().any(|transition| matches!(transition.action, Action::End))
            };
            let locations = trace.body.automaton.locations.len() as u32;
            program.trace_end = (0..locations).find(ends).unwrap_or(0) as u16;
            program.add(&mut compiler, &trace.body);
            for &id in &trace.sends {
                program.channels[id as usize - 1].traced_send = true;
            }
            for &id in &trace.receives {
                program.channels[id as usize - 1].traced_receive = true;
            }
        }
        program.sites = compiler.sites;
        program
    }

    /// An expression of the model as this program evaluates it, for tools outside the search. Its errors have no place.
    pub fn expression(&self, expr: &Expr) -> Ex {
        Compiler { sites: Vec::new(), globals: self.globals }.expr(expr)
    }

    fn add(&mut self, compiler: &mut Compiler, proctype: &model::Proctype) {
        let first_transition = self.transitions.len() as u32;
        let first_location = self.locations.len() as u32;
        let automaton = &proctype.automaton;
        self.locations.extend(automaton.locations.iter().map(|location| Location {
            first: first_transition + location.first,
            end: first_transition + location.first + location.count,
            valid_end: location.end,
            accept: location.accept,
            progress: location.progress,
            number: location.number,
        }));
        for transition in &automaton.transitions {
            let op = compiler.op(&transition.action, &transition.text, transition.span);
            self.transitions.push(Transition {
                op,
                target: transition.target as u16,
                atomic: transition.atomic,
                escape: transition.escape,
                kind: transition.kind,
                after: compiler.after(&transition.after),
            });
        }
        let channels = proctype
            .channels
            .iter()
            .map(|local| {
                self.channels.push(channel(local));
                (local.offset, self.channels.len() as u32 - 1)
            })
            .collect();
        let parameters = proctype.parameters.iter().map(|place| compiler.target(place)).collect();
        let setup = compiler.setup(&proctype.initial);
        self.proctypes.push(Proctype {
            first_location,
            first_transition,
            transitions: automaton.transitions.len() as u32,
            entry: automaton.entry as u16,
            size: proctype.size,
            parameters,
            setup,
            channels,
            provided: proctype.provided.as_ref().map(|expr| compiler.expr(expr)),
            priority: proctype.priority,
        });
    }
}
