//! Elements from nodes: the order in which they are made and chained.

use super::super::Analyser;
use super::{ATOM, Chain, DSTEP, El, Element, Flow, Kind, LAST, Mark, Node, Seq, Work, special};
use crate::model::{Action, TransitionType};
use crate::source::Span;
use crate::source::code::Code;
use crate::source::diagnostic::Diagnostic;
use std::collections::HashSet;

/// What a sequence was opened for; SPIN objects to a label at the start of most.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::sema) enum Place {
    Body,
    Escape,
    Main,
    Atomic,
    DStep,
    Block,
    Option,
    Made,
}

impl Flow {
    /// An empty flow for a new body.
    pub(crate) fn start(&mut self) {
        *self = Flow { next_number: 1, declaring: true, calls: vec![0], ..Flow::default() };
    }

    fn mark(&mut self, mark: Mark) {
        let at = self.marks.len();
        self.marks_at.entry(mark.element).or_default().push(at);
        self.marks_of.entry(mark.symbol).or_default().push(at);
        self.marks_named.entry(mark.name.clone()).or_default().push(at);
        self.marks.push(mark);
    }

    /// The labels of an element.
    fn marks_at(&self, el: El) -> impl Iterator<Item = &Mark> {
        self.marks_at.get(&el).into_iter().flatten().map(|&at| &self.marks[at])
    }

    /// The labels of a name, the latest first.
    pub(crate) fn marks_named(&self, name: &str) -> impl Iterator<Item = &Mark> {
        self.marks_named.get(name).into_iter().flatten().rev().map(|&at| &self.marks[at])
    }

    /// The label of a symbol that stands in a call of an inline.
    pub(crate) fn mark_of(&self, symbol: usize, call: usize) -> Option<&Mark> {
        let all = self.marks_of.get(&symbol)?;
        all.iter().rev().map(|&at| &self.marks[at]).find(|mark| mark.call == call)
    }

    pub(crate) fn open_sequence(&mut self) -> Seq {
        self.sequences.push(Chain::default());
        self.open.push(self.sequences.len() - 1);
        self.declaring = false;
        self.sequences.len() - 1
    }

    pub(crate) fn element(&mut self, kind: Kind, span: Span) -> El {
        let number = self.next_number;
        self.next_number += 1;
        // A d_step counts as inside itself: SPIN lets no jump from outside lead to it.
        let dstep = match kind {
            Kind::DStep(block) => self.sequences[block].first,
            _ => self.dstep,
        };
        self.elements.push(Element {
            kind,
            number,
            next: None,
            sub: Vec::new(),
            escapes: Vec::new(),
            status: 0,
            span,
            dstep,
        });
        self.elements.len() - 1
    }

    /// Puts an element at the end of a sequence.
    pub(crate) fn append(&mut self, el: El, seq: Seq) {
        if matches!(self.elements[el].kind, Kind::Goto(_)) && self.marks_at(el).any(|mark| special(&mark.name)) {
            // Such a label must be seen in a state, so a step is put in front. SPIN moves the latest label only.
            let step = self.element(skip(), self.elements[el].span);
            if let Some(at) = self.marks_at.get_mut(&el).and_then(Vec::pop) {
                self.marks[at].element = step;
                self.marks_at.entry(step).or_default().push(at);
            }
            self.chain(step, seq);
        }
        self.chain(el, seq);
    }

    fn chain(&mut self, el: El, seq: Seq) {
        match self.sequences[seq].last {
            None => self.sequences[seq].first = Some(el),
            Some(last) => self.elements[last].next = Some(el),
        }
        self.sequences[seq].last = Some(el);
    }

    /// Makes the elements of a node and puts them at the end of the open sequence.
    pub(crate) fn add(&mut self, node: Node) {
        let Some(&seq) = self.open.last() else { return };
        let mut labels = Vec::new();
        let mut node = node;
        while let Node::Labelled(name, symbol, span, inner) = node {
            labels.push((name, symbol, span));
            node = *inner;
        }
        let (el, structured) = match node {
            Node::Plain(kind, span) => (self.element(kind, span), false),
            Node::Choice { options, exit, span } => (self.choice(options, exit, span, seq), true),
            Node::Unless(main, escape, span) => (self.unless(main, escape, span, seq), true),
            Node::Labelled(..) => return,
        };
        for (name, symbol, span) in labels.into_iter().rev() {
            self.mark(Mark { name, symbol, call: self.call, element: el, span });
        }
        if !structured {
            self.append(el, seq);
        }
    }

    fn choice(&mut self, mut options: Vec<Seq>, exit: Option<usize>, span: Span, seq: Seq) -> El {
        let kind = if exit.is_some() { Kind::Do } else { Kind::If };
        let el = self.element(kind, span);
        let point = self.element(Kind::Point, span);
        let is_else = |flow: &Flow, option: Seq| {
            flow.sequences[option].first.is_some_and(|first| matches!(flow.elements[first].kind, Kind::Else))
        };
        if let Some(at) = options.iter().position(|&option| is_else(self, option)) {
            let option = options.remove(at);
            options.push(option);
        }
        for &option in &options {
            self.append(point, option);
        }
        self.elements[el].sub = options;
        match exit {
            Some(exit) => {
                self.append(point, seq);
                let behind = self.element(Kind::Break, span);
                self.exits[exit] = Some(behind);
                self.append(el, seq);
                self.append(behind, seq);
            }
            None => {
                self.append(el, seq);
                self.append(point, seq);
            }
        }
        el
    }

    fn unless(&mut self, main: Seq, escape: Seq, span: Span, seq: Seq) -> El {
        let el = self.element(Kind::Unless, span);
        let point = self.element(Kind::Point, span);
        self.elements[el].sub = vec![main, escape];
        self.append(point, main);
        self.append(point, escape);
        self.escape_chain(main, escape, &mut HashSet::new());
        self.append(el, seq);
        self.append(point, seq);
        el
    }

    /// Attaches an escape to every element of a sequence, once.
    fn escape_chain(&mut self, seq: Seq, escape: Seq, seen: &mut HashSet<Seq>) {
        if !seen.insert(seq) {
            return;
        }
        let extent = self.sequences[seq].extent;
        let mut next = self.sequences[seq].first;
        while let Some(el) = next {
            self.escape_element(el, escape, seen);
            if Some(el) == extent {
                break;
            }
            next = self.elements[el].next;
        }
    }

    fn escape_element(&mut self, el: El, escape: Seq, seen: &mut HashSet<Seq>) {
        // The latest comes first, and this one is the latest.
        if self.elements[el].escapes.first() == Some(&escape) {
            return;
        }
        for at in 0..self.elements[el].escapes.len() {
            let inner = self.elements[el].escapes[at];
            self.escape_chain(inner, escape, seen);
        }
        self.elements[el].escapes.insert(0, escape);
        match self.elements[el].kind {
            Kind::Unless => {
                let main = self.elements[el].sub[0];
                self.escape_chain(main, escape, seen);
            }
            Kind::If | Kind::Do => {
                for option in self.elements[el].sub.clone() {
                    self.escape_chain(option, escape, seen);
                }
            }
            Kind::DStep(block) => {
                if let Some(first) = self.sequences[block].first {
                    self.escape_element(first, escape, seen);
                }
            }
            Kind::Atomic(block) | Kind::Block(block) => self.escape_chain(block, escape, seen),
            _ => {}
        }
    }

    /// Marks a sequence as atomic (or as a `d_step`); blocks inside lose their own atomicity.
    pub(crate) fn make_atomic(&mut self, seq: Seq, added: u8) {
        self.walk_atomic(seq, added);
        self.end_atomic(seq);
    }

    /// Marks the last statement of an atomic sequence, in blocks at its end the last of those.
    fn end_atomic(&mut self, seq: Seq) {
        let Some(last) = self.sequences[seq].last else { return };
        match self.elements[last].kind {
            Kind::Block(inner) | Kind::Atomic(inner) => self.end_atomic(inner),
            Kind::Unless => {
                let main = self.elements[last].sub[0];
                self.end_atomic(main);
            }
            _ => {
                let status = &mut self.elements[last].status;
                *status = *status & !ATOM | LAST;
            }
        }
    }

    fn walk_atomic(&mut self, seq: Seq, added: u8) {
        let last = self.sequences[seq].last;
        let mut next = self.sequences[seq].first;
        while let Some(el) = next {
            self.elements[el].status |= ATOM | added;
            match self.elements[el].kind {
                Kind::Atomic(inner) | Kind::Block(inner) => {
                    self.elements[el].kind = Kind::Block(inner);
                    self.walk_atomic(inner, added);
                }
                Kind::DStep(inner) if added & DSTEP != 0 => {
                    self.elements[el].kind = Kind::Block(inner);
                    self.walk_atomic(inner, added);
                }
                _ => {}
            }
            for option in self.elements[el].sub.clone() {
                self.walk_atomic(option, added);
            }
            if Some(el) == last {
                break;
            }
            next = self.elements[el].next;
        }
    }

    /// Takes out the second and later of unlabelled skips in a row inside an option, as SPIN does.
    pub(crate) fn prune(&mut self, seq: Seq) {
        let (first, last, extent) = {
            let chain = &self.sequences[seq];
            (chain.first, chain.last, chain.extent)
        };
        let (mut next, mut before, mut count) = (first, None::<El>, 0);
        while let Some(el) = next {
            next = self.elements[el].next;
            let (skips, prints) = match &self.elements[el].kind {
                Kind::Work(work) => match work.action {
                    Action::Skip => (&*work.text == "(1)", false),
                    Action::Printf(..) | Action::Printm(_) => (true, true),
                    _ => (false, false),
                },
                _ => (false, false),
            };
            if skips && self.marks_at(el).next().is_none() {
                count += 1;
                if count > 1 && !prints && Some(el) != first && Some(el) != last && Some(el) != extent {
                    if let Some(before) = before {
                        self.elements[before].next = next;
                    }
                    continue;
                }
            } else {
                count = 0;
            }
            before = Some(el);
        }
    }
}

/// A step that does nothing.
pub(super) fn skip() -> Kind {
    Kind::Work(Box::new(Work { action: Action::Skip, kind: TransitionType::Control, text: "(1)".into() }))
}

impl Analyser<'_> {
    /// Closes the innermost sequence and objects to a label at its start, where SPIN does.
    pub(in crate::sema) fn close_sequence(&mut self, place: Place, span: Span) -> Option<Seq> {
        let seq = self.flow.open.pop()?;
        self.flow.sequences[seq].extent = self.flow.sequences[seq].last;
        let Some(first) = self.flow.sequences[seq].first else {
            self.error(span, "a block needs at least one statement", "nothing in it can be executed");
            return None;
        };
        let mark = self.flow.marks_at(first).next();
        if let Some((name, at)) = mark.map(|mark| (mark.name.clone(), mark.span)) {
            let refused = |message: String, help: String| Diagnostic::error(message, at, "this label").with_help(help);
            let wrong = format!("the label `{name}` cannot stand here");
            match place {
                Place::Body | Place::Made => {}
                Place::Escape => self.report(
                    refused(wrong, "the guard of an escape is no state of its own; remove the label".into())
                        .with_note("nothing can jump to the first statement of an escape"),
                ),
                Place::Main => self.report(refused(wrong, format!("write `{name}: {{ … unless … }}`"))),
                Place::Atomic => self.report(refused(wrong, format!("write `{name}: atomic {{ … }}`"))),
                Place::DStep => self.report(refused(wrong, format!("write `{name}: d_step {{ … }}`"))),
                Place::Block => self.report(refused(wrong, format!("write `{name}: {{ … }}`"))),
                Place::Option => self.report(
                    Diagnostic::warning(format!("the label `{name}` stands on a guard"), at, "this label")
                        .with_code(Code::LabelOnGuard)
                        .with_note("the guard is part of the choice's state: a jump to it takes this option only")
                        .with_help("put the label in front of the `if` or `do`"),
                ),
            }
        }
        Some(seq)
    }
}
