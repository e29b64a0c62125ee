//! Rows to locations: choices inside choices flattened, first statements pulled up, escapes copied.
//!
//! The location of a state is its SPIN number, so the list of locations has gaps: numbers of elements that are
//! structure, or the first statement of an option, are no locations and have no transitions.

use super::super::Analyser;
use super::super::body::{Body, Symbols};
use super::super::layout::LARGEST_PROCESS;
use super::dstep;
use super::link::{Linker, Move};
use super::{El, Fault, Flow, Jump, Kind};
use crate::model::{self, Action, After, Automaton, Location, ProctypeKind, Transition, TransitionType};
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::ProctypeKind as TreeKind;
use std::collections::HashSet;
use std::sync::Arc;

/// What labels say of each state.
#[derive(Clone, Copy, Default)]
struct Flags {
    end: bool,
    accept: bool,
    progress: bool,
}

impl Flags {
    fn join(&mut self, other: Flags) {
        self.end |= other.end;
        self.accept |= other.accept;
        self.progress |= other.progress;
    }
}

/// Numbers of states with 0: a state keeps them in two bytes.
const MOST_STATES: usize = 1 << 16;

/// Transitions of one body that are copies.
const MOST_MOVES: usize = 1 << 20;

type Rows = Vec<Option<Vec<Move>>>;

impl Analyser<'_> {
    /// Makes the process type of a body; faults in its flow are reported.
    pub(in crate::sema) fn close_body(&mut self, mut body: Body) -> Option<model::Proctype> {
        let claim = body.kind == TreeKind::Never;
        let mut flow = std::mem::take(&mut body.flow);
        let (mut rows, mut faults, dsteps, entry) = {
            let mut linker = Linker::new(&mut flow, &body.symbols);
            linker.tie_ends();
            let top = linker.flow.body;
            linker.sequence(top);
            let entry = linker.flow.sequences[top].first.and_then(|first| {
                let atom = linker.flow.elements[first].status & super::ATOM != 0;
                linker.hunt(first, atom)
            });
            let dsteps = dstep::automata(&mut linker);
            (std::mem::take(&mut linker.rows), std::mem::take(&mut linker.faults), dsteps, entry)
        };
        if rows.len() > MOST_STATES {
            let label = format!("{} control states; at most {} can be told apart", rows.len() - 1, MOST_STATES - 1);
            self.error(body.span, format!("`{}` is too long", body.name), label);
            return None;
        }
        let mut flags = flags(&flow, rows.len());
        let pulled = flatten(&mut rows, &mut flags);
        if !copy_escapes(&mut rows) {
            let label = format!("more than {MOST_MOVES} transitions, most of them copies of those of escapes");
            self.error(body.span, format!("`{}` has too many transitions", body.name), label);
            return None;
        }
        for number in 1..rows.len() {
            if let Some([only]) = rows[number].as_deref()
                && let Some(element) = only.element
                && matches!(flow.elements[element].kind, Kind::Point)
                && flags[number].end
            {
                flags[only.target as usize].end = true;
            }
        }
        check_rows(&flow, &rows, claim, &mut faults);
        let mut cycle = false;
        for fault in faults {
            // All gotos of a cycle say the same.
            if !matches!(fault, Fault::Cycle(_)) || !std::mem::replace(&mut cycle, true) {
                self.fault(&flow, &body, fault);
            }
        }
        let entry = flow.elements[entry?].number;
        let automaton = build(&flow, &body.symbols, &rows, &flags, &pulled, &dsteps, entry);
        let mut offset = body.allocator.size();
        for channel in &mut body.channels {
            channel.offset = offset;
            offset = offset.saturating_add(channel.size());
        }
        if u64::from(offset) > LARGEST_PROCESS {
            let label = format!("variables and channels take {offset} bytes; at most {LARGEST_PROCESS} are possible");
            self.error(body.span, format!("there is no room for a process `{}`", body.name), label);
        }
        Some(model::Proctype {
            name: body.name,
            kind: match body.kind {
                TreeKind::Proctype | TreeKind::Deterministic => ProctypeKind::Proctype,
                TreeKind::Init => ProctypeKind::Init,
                TreeKind::Never => ProctypeKind::Claim,
                TreeKind::Trace => ProctypeKind::Trace,
                TreeKind::Notrace => ProctypeKind::Notrace,
            },
            deterministic: body.kind == TreeKind::Deterministic,
            parameters: body.parameters,
            locals: body.shown,
            size: offset,
            channels: body.channels,
            initial: body.initial,
            provided: body.provided,
            priority: body.priority,
            exclusive: body.exclusive,
            automaton,
            span: body.span,
        })
    }

    fn fault(&mut self, flow: &Flow, body: &Body, fault: Fault) {
        let element = |el: El| &flow.elements[el];
        match fault {
            Fault::Cycle(el) => self.report(
                Diagnostic::error(
                    "endless jump: these gotos only lead to gotos",
                    element(el).span,
                    "never does a step",
                )
                .with_help("put a statement between them, for example `skip`"),
            ),
            Fault::NoLabel(el) => {
                if let Kind::Goto(Jump::Label(symbol, _)) = element(el).kind {
                    self.missing_label(flow, &body.symbols, symbol, element(el));
                }
            }
            Fault::CrossesDStep(from, to) => {
                let into = element(from).dstep.is_none();
                let (message, help) = if into {
                    ("jump into a d_step", "put a statement, for example `skip`, in front of the d_step and jump there")
                } else {
                    ("jump out of a d_step", "a d_step must be left at its end")
                };
                let mut diagnostic = Diagnostic::error(message, element(from).span, "jumps from here")
                    .with_label(element(to).span, "to here")
                    .with_help(help);
                if matches!(element(from).kind, Kind::Goto(Jump::Break(_))) && into {
                    diagnostic = diagnostic.with_note("in SPIN a `break` to a d_step behind the loop is such a jump");
                }
                self.report(diagnostic);
            }
            Fault::GuardedOption(choice, guard) => self.report(
                Diagnostic::warning("`unless` on a guard", element(guard).span, "only this option has the escape")
                    .with_code(Code::UnlessOnGuard)
                    .with_label(element(choice).span, "the choice it belongs to")
                    .with_help("put the whole `if` or `do` under the `unless`"),
            ),
            Fault::SelfLoop(el) => self.report(
                Diagnostic::error("this loop does nothing for ever", element(el).span, "leads back to where it is")
                    .with_note("SPIN's verifier refuses an unconditional self-loop"),
            ),
            Fault::TwoElse(first, second) => self.report(
                Diagnostic::error(
                    "two `else` for one choice",
                    element(second).span,
                    "this one is reached from the same state",
                )
                .with_label(element(first).span, "as this one")
                .with_help("put `skip` in front of the inner choice"),
            ),
        }
    }
}

fn flags(flow: &Flow, states: usize) -> Vec<Flags> {
    let mut flags = vec![Flags::default(); states];
    for mark in &flow.marks {
        let flag = &mut flags[flow.elements[mark.element].number as usize];
        flag.end |= mark.name.starts_with("end");
        flag.accept |= mark.name.starts_with("accept");
        flag.progress |= mark.name.starts_with("progress");
    }
    if let Some(last) = flow.sequences[flow.body].last {
        flags[flow.elements[last].number as usize].end = true;
    }
    flags
}

/// Resolves choices: options that are choices give way to their own options; then each option gives way to its first
/// statement. Returns which states were taken up into a choice.
fn flatten(rows: &mut Rows, flags: &mut [Flags]) -> Vec<bool> {
    let is_choice = |rows: &Rows, target: u32| rows[target as usize].as_ref().is_some_and(|row| row.len() > 1);
    let mut pulled = vec![false; rows.len()];
    // Every round resolves one level of nesting, so there are no more rounds than rows.
    for _ in 0..=rows.len() {
        let mut again = false;
        for state in 1..rows.len() {
            let Some(row) = &rows[state] else { continue };
            if !row[1..].iter().any(|option| is_choice(rows, option.target)) {
                continue;
            }
            let mut moves = vec![row[0].clone()];
            for option in &row[1..] {
                match &rows[option.target as usize] {
                    Some(inner) if inner.len() > 1 => {
                        pulled[option.target as usize] = true;
                        for deeper in &inner[1..] {
                            let from = flags[option.target as usize];
                            flags[deeper.target as usize].join(from);
                            moves.push(deeper.clone());
                        }
                        again = true;
                    }
                    _ => moves.push(option.clone()),
                }
            }
            rows[state] = Some(moves);
        }
        if !again {
            break;
        }
    }
    for state in 1..rows.len() {
        let Some(row) = &rows[state] else { continue };
        if row.len() < 2 {
            continue;
        }
        let mut moves = Vec::with_capacity(row.len() - 1);
        for option in &row[1..] {
            let Some([first, ..]) = rows[option.target as usize].as_deref() else { continue };
            let from = flags[option.target as usize];
            flags[first.target as usize].join(from);
            pulled[option.target as usize] = true;
            moves.push(first.clone());
        }
        rows[state] = Some(moves);
    }
    for row in rows.iter_mut().flatten() {
        row.retain(|step| step.element.is_some());
    }
    pulled
}

/// Puts the transitions of every escape in front of the transitions it guards. Every state gets its own copy, which may be
/// out of all proportion to the text: false if it is.
fn copy_escapes(rows: &mut Rows) -> bool {
    let mut copied = 0;
    for state in 1..rows.len() {
        let Some(row) = rows[state].clone() else { continue };
        if row.iter().all(|step| step.escapes.is_empty()) {
            continue;
        }
        let mut present: HashSet<Option<El>> = row.iter().map(|step| step.element).collect();
        // The last one found goes to the very front.
        let mut front: Vec<Move> = Vec::new();
        for step in &row {
            for &escape in step.escapes.iter().rev() {
                if escape as usize == state {
                    continue;
                }
                for first in rows[escape as usize].iter().flatten() {
                    if present.insert(first.element) {
                        front.push(Move { origin: escape, ..first.clone() });
                    }
                }
            }
        }
        front.reverse();
        copied += front.len();
        if copied > MOST_MOVES {
            return false;
        }
        front.extend(row);
        rows[state] = Some(front);
    }
    true
}

/// What SPIN's verifier refuses when it starts.
fn check_rows(flow: &Flow, rows: &Rows, claim: bool, faults: &mut Vec<Fault>) {
    for (state, row) in rows.iter().enumerate() {
        let mut otherwise = None;
        for element in row.iter().flatten().filter_map(|step| step.element.map(|element| (element, step.target))) {
            let (element, target) = element;
            match &flow.elements[element].kind {
                Kind::Work(work) if !claim && target as usize == state && &*work.text == "(1)" => {
                    push(faults, Fault::SelfLoop(element));
                }
                Kind::Else => match otherwise {
                    None => otherwise = Some(element),
                    Some(first) => push(faults, Fault::TwoElse(first, element)),
                },
                _ => {}
            }
        }
    }
}

fn push(faults: &mut Vec<Fault>, fault: Fault) {
    if !faults.contains(&fault) {
        faults.push(fault);
    }
}

/// The states that can be reached from the entry.
fn reachable(rows: &Rows, entry: u32) -> Vec<bool> {
    let mut seen = vec![false; rows.len()];
    let mut open = vec![entry];
    while let Some(state) = open.pop() {
        if std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        open.extend(rows[state as usize].iter().flatten().map(|step| step.target).filter(|&target| target != 0));
    }
    seen
}

fn build(
    flow: &Flow,
    symbols: &Symbols,
    rows: &Rows,
    flags: &[Flags],
    pulled: &[bool],
    dsteps: &[(El, Automaton)],
    entry: u32,
) -> Automaton {
    let seen = reachable(rows, entry);
    let mut automaton = Automaton { entry, ..Automaton::default() };
    automaton.locations = (0..rows.len() as u32).map(|number| Location { number, ..Location::default() }).collect();
    let mut guards = vec![false; rows.len()];
    for step in rows.iter().flatten().flatten() {
        step.escapes.iter().for_each(|&escape| guards[escape as usize] = true);
    }
    for element in &flow.elements {
        automaton.locations[element.number as usize].span = element.span;
    }
    for mark in &flow.marks {
        automaton.locations[flow.elements[mark.element].number as usize].labels.push(mark.name.clone());
    }
    for (number, row) in rows.iter().enumerate() {
        let location = &mut automaton.locations[number];
        location.first = automaton.transitions.len() as u32;
        let Flags { end, accept, progress } = flags[number];
        (location.end, location.accept, location.progress) = (end, accept, progress);
        let Some(row) = row else { continue };
        // Statements that no path leads to stay, so that they can be listed as unreached; structure does not.
        let dead = !pulled[number] && !guards[number] && row.iter().all(|step| is_statement(flow, step.element));
        if !seen[number] && !dead {
            continue;
        }
        for step in row {
            let Some(el) = step.element else { continue };
            automaton.transitions.push(transition(flow, symbols, el, step, dsteps));
        }
        automaton.locations[number].count = automaton.transitions.len() as u32 - automaton.locations[number].first;
    }
    automaton
}

fn is_statement(flow: &Flow, element: Option<El>) -> bool {
    element.is_some_and(|el| matches!(flow.elements[el].kind, Kind::Work(_) | Kind::DStep(_) | Kind::Stop))
}

fn transition(flow: &Flow, symbols: &Symbols, el: El, step: &Move, dsteps: &[(El, Automaton)]) -> Transition {
    let element = &flow.elements[el];
    let control = |text: &str| (Action::Skip, TransitionType::Control, Arc::from(text));
    let (action, kind, text) = match &element.kind {
        Kind::Work(work) => (work.action.clone(), work.kind, work.text.clone()),
        Kind::Else => (Action::Else, TransitionType::Control, "else".into()),
        Kind::Goto(Jump::Label(symbol, _)) => {
            let name = symbols.entries.get(*symbol).map_or("", |label| &*label.name);
            control(&format!("goto {name}"))
        }
        Kind::Goto(Jump::Break(_)) | Kind::Break => control("break"),
        Kind::Point => control(".(goto)"),
        Kind::Stop => (Action::End, TransitionType::Other, "-end-".into()),
        Kind::DStep(_) => {
            let inner = dsteps.iter().find(|(of, _)| *of == el).map(|(_, inner)| inner.clone()).unwrap_or_default();
            (Action::DStep(Box::new(inner)), TransitionType::Other, "d_step".into())
        }
        Kind::If | Kind::Do | Kind::Unless | Kind::Atomic(_) | Kind::Block(_) => control(""),
    };
    let (target, span, after) = (step.target, element.span, After::default());
    Transition { action, target, atomic: step.atomic, escape: step.origin, kind, text, span, after }
}
