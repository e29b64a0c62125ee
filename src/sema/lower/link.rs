//! Where a step leads: through gotos, points and breaks to the next element that is a state.
//!
//! Inside an atomic block the walk stops before it would leave the block: the jump out is then a step of its own,
//! which ends the atomicity (`pan -d` shows it as a goto without `A`).

use super::super::body::Symbols;
use super::{ATOM, El, Fault, Flow, Jump, Kind, LAST, Seq};
use std::collections::HashMap;

/// A transition while rows are made: numbers, not yet locations.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// What is done; `None` for the head of a choice.
    pub element: Option<El>,
    /// State number; 0 behind the closing brace.
    pub target: u32,
    pub atomic: bool,
    /// First states of the escapes that guard it.
    pub escapes: Vec<u32>,
    /// The escape it was copied from.
    pub origin: u32,
}

/// Makes the rows of one body: per state number the moves from there. A row of more than one is a choice: a head
/// without meaning, then one move per option that only names the option's first state.
pub(super) struct Linker<'a> {
    pub flow: &'a mut Flow,
    pub symbols: &'a Symbols,
    pub faults: Vec<Fault>,
    pub rows: Vec<Option<Vec<Move>>>,
    done: Vec<bool>,
    /// Where gotos lead in the end, from outside and from inside of an atomic block: chains of them are walked once.
    /// Forgotten when what they were found by is changed.
    ends: [HashMap<El, El>; 2],
}

impl<'a> Linker<'a> {
    pub(crate) fn new(flow: &'a mut Flow, symbols: &'a Symbols) -> Linker<'a> {
        let (states, elements) = (flow.next_number as usize, flow.elements.len());
        let ends = [HashMap::new(), HashMap::new()];
        Linker { flow, symbols, faults: Vec::new(), rows: vec![None; states], done: vec![false; elements], ends }
    }

    fn fault(&mut self, fault: Fault) {
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The element a goto names.
    pub(crate) fn destination(&mut self, el: El) -> Option<El> {
        let found = match self.flow.elements[el].kind {
            Kind::Goto(Jump::Break(exit)) => self.flow.exits[exit],
            Kind::Goto(Jump::Label(symbol, call)) => label(self.flow, self.symbols, symbol, call),
            _ => None,
        };
        if found.is_none() {
            self.fault(Fault::NoLabel(el));
        }
        found
    }

    fn crosses(&mut self, from: El, to: El) {
        if self.flow.elements[from].dstep != self.flow.elements[to].dstep {
            self.fault(Fault::CrossesDStep(from, to));
        }
    }

    /// The state that is reached by going to an element, from one that is or isn't inside an atomic block.
    pub(crate) fn hunt(&mut self, from: El, atom: bool) -> Option<El> {
        let mut gotos = Vec::new();
        let end = self.walk(from, atom, &mut gotos)?;
        self.ends[usize::from(atom)].extend(gotos.into_iter().map(|goto| (goto, end)));
        Some(end)
    }

    /// See [`Linker::hunt`]; the gotos on the way are put into a list.
    fn walk(&mut self, from: El, atom: bool, gotos: &mut Vec<El>) -> Option<El> {
        let mut el = from;
        for _ in 0..=self.flow.elements.len() {
            let next = match self.flow.elements[el].kind {
                Kind::Goto(_) => {
                    if let Some(&end) = self.ends[usize::from(atom)].get(&el) {
                        return Some(end);
                    }
                    gotos.push(el);
                    let next = self.destination(el)?;
                    self.crosses(el, next);
                    next
                }
                Kind::Point | Kind::Break => match self.flow.elements[el].next {
                    None => return Some(el),
                    Some(next) => next,
                },
                Kind::Unless => {
                    let main = self.flow.elements[el].sub[0];
                    let first = self.flow.sequences[main].first?;
                    self.hunt(first, atom)?
                }
                _ => return Some(el),
            };
            if atom && self.flow.elements[next].status & ATOM == 0 {
                return Some(el);
            }
            el = next;
        }
        self.fault(Fault::Cycle(from));
        None
    }

    /// The first element of an option or block.
    pub(crate) fn start_of(&self, first: El) -> El {
        let mut el = first;
        for _ in 0..=self.flow.elements.len() {
            el = match self.flow.elements[el].kind {
                Kind::Point => match self.flow.elements[el].next {
                    None => return el,
                    Some(next) => next,
                },
                Kind::Unless => match self.flow.sequences[self.flow.elements[el].sub[0]].first {
                    None => return el,
                    Some(first) => first,
                },
                _ => return el,
            };
        }
        el
    }

    /// Ties the ends of blocks to what follows them.
    pub(crate) fn tie_ends(&mut self) {
        for el in (0..self.flow.elements.len()).rev() {
            let (Kind::Atomic(block) | Kind::Block(block) | Kind::DStep(block)) = self.flow.elements[el].kind else {
                continue;
            };
            let Some(mut next) = self.flow.elements[el].next else { continue };
            while matches!(self.flow.elements[next].kind, Kind::Point) {
                match self.flow.elements[next].next {
                    None => break,
                    Some(behind) => next = behind,
                }
            }
            let Some(last) = self.flow.sequences[block].last else { continue };
            match self.flow.elements[last].next {
                None => self.flow.elements[last].next = Some(next),
                // A step was put in front of a labelled goto at the end: the goto wins.
                Some(pushed) if matches!(self.flow.elements[pushed].kind, Kind::Goto(_)) => {
                    self.flow.sequences[block].last = Some(pushed);
                }
                Some(_) => {}
            }
        }
    }

    /// Makes the rows of a sequence and of all inside it.
    pub(crate) fn sequence(&mut self, seq: Seq) {
        let mut next = self.flow.sequences[seq].first;
        while let Some(el) = next {
            if !self.done[el] {
                self.done[el] = true;
                match self.flow.elements[el].kind {
                    Kind::Unless => {
                        let main = self.flow.elements[el].sub[0];
                        self.sequence(main);
                    }
                    Kind::If | Kind::Do => self.choice(el),
                    Kind::Atomic(block) | Kind::Block(block) => self.block(el, block),
                    Kind::DStep(block) => self.d_step(el, block),
                    _ => self.single(el),
                }
            }
            if Some(el) == self.flow.sequences[seq].last {
                break;
            }
            next = self.flow.elements[el].next;
        }
    }

    fn row(&mut self, el: El, moves: Vec<Move>) {
        let number = self.flow.elements[el].number as usize;
        self.rows[number] = Some(moves);
    }

    fn option(&self, el: El, target: El) -> Move {
        Move {
            element: None,
            target: self.flow.elements[target].number,
            atomic: self.flow.elements[el].status & ATOM != 0,
            escapes: Vec::new(),
            origin: 0,
        }
    }

    fn choice(&mut self, el: El) {
        let options = self.flow.elements[el].sub.clone();
        let mut moves = vec![self.option(el, el)];
        for &option in &options {
            let Some(first) = self.flow.sequences[option].first else { continue };
            let start = self.start_of(first);
            let (guard, choice) = (&self.flow.elements[start], &self.flow.elements[el]);
            if !guard.escapes.is_empty()
                && guard.escapes != choice.escapes
                && !matches!(guard.kind, Kind::Goto(_) | Kind::Point)
                && options.len() > 1
            {
                self.fault(Fault::GuardedOption(el, start));
            }
            // SPIN leaves out what can never be taken.
            let guard = &self.flow.elements[start];
            if !(is_false(&guard.kind) && guard.escapes.is_empty()) {
                moves.push(self.option(el, start));
            }
        }
        self.row(el, moves);
        for option in options {
            self.sequence(option);
        }
    }

    fn block(&mut self, el: El, block: Seq) {
        self.patch(block);
        let Some(first) = self.flow.sequences[block].first else { return };
        let start = self.start_of(first);
        self.tie(el, block);
        let moves = vec![self.option(el, el), self.option(el, start)];
        self.row(el, moves);
        self.sequence(block);
    }

    fn tie(&mut self, el: El, block: Seq) {
        if let Some(last) = self.flow.sequences[block].last {
            let behind = self.flow.elements[el].next;
            if std::mem::replace(&mut self.flow.elements[last].next, behind) != behind {
                self.ends.iter_mut().for_each(HashMap::clear);
            }
        }
    }

    fn d_step(&mut self, el: El, block: Seq) {
        self.patch(block);
        self.tie(el, block);
        self.single(el);
    }

    fn single(&mut self, el: El) {
        let atomic = self.flow.elements[el].status & ATOM != 0;
        let target = match (&self.flow.elements[el].kind, self.flow.elements[el].next) {
            (Kind::Goto(_), _) => {
                let Some(named) = self.destination(el) else { return };
                let target = self.hunt(named, atomic);
                if let Some(target) = target {
                    self.crosses(el, target);
                }
                target
            }
            (_, Some(next)) => self.hunt(next, atomic),
            (_, None) => None,
        };
        let target = target.map_or(0, |target| self.flow.elements[target].number);
        let mut escapes = Vec::new();
        let mut inside = Vec::new();
        if !matches!(self.flow.elements[el].kind, Kind::Point) {
            inside.clone_from(&self.flow.elements[el].escapes);
            for &escape in &inside {
                let Some(first) = self.flow.sequences[escape].first else { continue };
                if let Some(start) = self.hunt(first, atomic) {
                    escapes.push(self.flow.elements[start].number);
                }
            }
        }
        self.row(el, vec![Move { element: Some(el), target, atomic, escapes, origin: 0 }]);
        for escape in inside {
            self.sequence(escape);
        }
    }

    /// Gotos at the edge of an atomic block: one that leaves it ends it, one that leads into another keeps it.
    fn patch(&mut self, seq: Seq) {
        let extent = self.flow.sequences[seq].extent;
        let mut next = self.flow.sequences[seq].first;
        while let Some(el) = next {
            if matches!(self.flow.elements[el].kind, Kind::Goto(_)) {
                if let Some(to) = self.destination(el) {
                    self.crosses(el, to);
                    let inside = self.flow.elements[to].status & (ATOM | LAST) != 0;
                    let status = &mut self.flow.elements[el].status;
                    let before = *status;
                    if *status & (ATOM | LAST) != 0 && !inside {
                        *status = *status & !ATOM | LAST;
                    }
                    if *status & LAST != 0 && inside {
                        *status = *status & !LAST | ATOM;
                    }
                    if *status != before {
                        self.ends.iter_mut().for_each(HashMap::clear);
                    }
                }
            } else {
                for option in self.flow.elements[el].sub.clone() {
                    self.patch(option);
                }
            }
            if Some(el) == extent {
                break;
            }
            next = self.flow.elements[el].next;
        }
    }
}

/// The element a label symbol marks: in the same block, else in one around, else anywhere in the body. Of several in
/// the same block that come from calls of inlines, the one of the goto's own call, or of the nearest around it.
pub(super) fn label(flow: &Flow, symbols: &Symbols, symbol: usize, mut call: usize) -> Option<El> {
    loop {
        if let Some(mark) = flow.mark_of(symbol, call) {
            return Some(mark.element);
        }
        if call == 0 {
            break;
        }
        call = flow.calls.get(call).copied().unwrap_or(0);
    }
    let wanted = symbols.entries.get(symbol)?;
    let mut best = None;
    for mark in flow.marks_named(&wanted.name) {
        let scope = symbols.entries.get(mark.symbol)?.scope;
        if scope == wanted.scope {
            return Some(mark.element);
        }
        if best.is_none() || symbols.inside(wanted.scope, scope) {
            best = Some(mark.element);
        }
    }
    best
}

fn is_false(kind: &Kind) -> bool {
    let Kind::Work(work) = kind else { return false };
    let crate::model::Action::Guard(guard) = &work.action else { return false };
    matches!(guard.kind, crate::model::ExprKind::Constant(0))
}
