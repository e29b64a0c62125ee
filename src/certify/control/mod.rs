//! Where control can be: the points of a body, and which statements can come next from each.
//!
//! Every statement of the tree is a point. A compound statement is a point as well, since control can wait in front of it: from
//! there the first statements inside are tried. `for` and `select` are written out as the loops that they stand for. What
//! is tried from a point is its list of [`Offer`]s, in order: first the statements of the escapes that watch the point, then the
//! point's own. After a statement control is at the next point; `goto`, `break` and the ends of choices are passed
//! through without a step (see `Body::landing`), with two exceptions that SPIN makes: a jump that is the first statement of an
//! option, and a jump that leaves an atomic block, are steps.
//!
//! Points are numbered in the order in which SPIN numbers them, inner ones first, because `P[1]@label` and `pc_value` compare
//! these numbers.

mod read;

use crate::certify::names::{Names, Read, Variable, unclear};
use crate::source::Span;
use crate::syntax::tree::{Expr, Proctype, ProctypeKind, StatementKind};
use std::collections::HashMap;
use std::sync::Arc;

/// A point of a body, by its index in [`Body::points`].
pub type Place = usize;

/// A block and what is declared in it.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The block around it; none for the body itself.
    pub parent: Option<usize>,
    /// Local variables by name: places in [`Body::locals`].
    pub names: HashMap<Arc<str>, usize>,
}

/// What stands at a point.
#[derive(Clone, Debug)]
pub enum What {
    /// A statement that does something in one step.
    Do(Arc<StatementKind>),
    /// `goto`, `break`.
    Jump(Target),
    /// The end of a choice, of a loop or of an `unless`: control passes on.
    Join,
    /// `if` and `do`: the points of each option in order; `else` is the last option.
    Choice(Vec<Vec<Place>>),
    /// A block in braces, atomic or not.
    Block(Vec<Place>),
    /// `d_step`.
    DStep(Vec<Place>),
    /// `unless`: the main sequence and the escape.
    Unless(Vec<Place>, Vec<Place>),
    /// The closing brace of the body.
    End,
}

/// Where a jump leads.
#[derive(Clone, Debug)]
pub enum Target {
    /// To a label of this name.
    Label(Arc<str>),
    /// To the point behind the loop of this number.
    Exit(usize),
    /// To a point that is known.
    Point(Place),
}

/// A point.
#[derive(Clone, Debug)]
pub struct Point {
    /// What stands here.
    pub what: What,
    /// The point behind it.
    pub next: Option<Place>,
    /// Its statement lies in an atomic block and is not the block's last: its process goes on alone.
    pub atomic: bool,
    /// Its statement is the last of an atomic block.
    pub last: bool,
    /// First points of the escapes that watch it, the outermost first.
    pub escapes: Vec<Place>,
    /// Its labels.
    pub labels: Vec<Arc<str>>,
    /// The block in which it stands.
    pub scope: usize,
    /// The call of an inline in which it stands.
    call: usize,
    /// SPIN's number of it.
    pub number: i32,
    /// Where it stands in the text.
    pub span: Span,
}

/// A statement that can be tried.
#[derive(Clone, Debug)]
pub struct Offer {
    /// Its point.
    pub point: Place,
    /// The escape that it belongs to. As soon as a statement of one escape was executable, statements that belong elsewhere
    /// are not tried.
    pub escape: Option<Place>,
    /// Where control is after it.
    pub target: Place,
    /// The process goes on alone after it.
    pub atomic: bool,
}

/// A body of statements: of a process type, a claim or a trace.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub name: Arc<str>,
    /// What it is for.
    pub kind: ProctypeKind,
    /// Parameters come first in `locals`: so many.
    pub parameters: usize,
    /// All local variables.
    pub locals: Vec<Variable>,
    /// Variables that get their first value when a process is born, in order.
    pub births: Vec<usize>,
    /// `provided`.
    pub provided: Option<Expr>,
    /// `priority` of instances that `active` makes.
    pub priority: Option<Expr>,
    /// Blocks; the first is the body itself.
    pub scopes: Vec<Scope>,
    /// Points.
    pub points: Vec<Point>,
    /// Where a process starts.
    pub entry: Place,
    /// The closing brace.
    pub end: Place,
    /// What can be tried from each point.
    pub offers: Vec<Vec<Offer>>,
    /// Labels that start with `end`, `accept` and `progress` hold here, by point.
    pub marks: Vec<Marks>,
    /// Call of an inline around each call; 0 is the body itself.
    calls: Vec<usize>,
    /// The points behind loops, by number of the loop.
    exits: Vec<Place>,
    /// The points of each escape, by its first point.
    escapes: HashMap<Place, Vec<Place>>,
}

/// What the labels of a point say.
#[derive(Clone, Copy, Default, Debug)]
pub struct Marks {
    /// A process may stay here for ever.
    pub end: bool,
    /// A label that starts with `accept`.
    pub accept: bool,
    /// A label that starts with `progress`.
    pub progress: bool,
}

impl Marks {
    fn join(&mut self, other: Marks) {
        self.end |= other.end;
        self.accept |= other.accept;
        self.progress |= other.progress;
    }
}

impl Body {
    fn new(proctype: &Proctype) -> Body {
        Body {
            name: proctype.name.name.clone(),
            kind: proctype.kind,
            parameters: 0,
            locals: Vec::new(),
            births: Vec::new(),
            provided: proctype.provided.clone(),
            priority: proctype.priority.clone(),
            scopes: vec![Scope::default()],
            points: Vec::new(),
            entry: 0,
            end: 0,
            offers: Vec::new(),
            marks: Vec::new(),
            calls: vec![0],
            exits: Vec::new(),
            escapes: HashMap::new(),
        }
    }

    /// Reads a body. `watched`: the labels of it that a remote reference looks at.
    pub fn read(names: &Names, proctype: &Proctype, watched: &[Arc<str>]) -> Read<Body> {
        let (mut body, list) = read::points(names, proctype, watched)?;
        body.link(&list, None);
        body.resolve_jumps()?;
        body.entry = match list.first() {
            Some(&first) => body.landing(first, body.points[first].atomic)?,
            None => body.end,
        };
        body.offers = vec![Vec::new(); body.points.len()];
        let mut order: Vec<Place> = (0..body.points.len()).collect();
        order.sort_by_key(|&place| body.points[place].number);
        for place in order {
            body.offers[place] = body.all_offers(place)?;
        }
        body.read_marks()?;
        Ok(body)
    }

    /// The point of a label.
    pub fn labelled(&self, label: &str) -> Option<Place> {
        self.points.iter().rposition(|point| point.labels.iter().any(|name| &**name == label))
    }

    /// A local variable by name, as seen from a block.
    pub fn local(&self, mut scope: usize, name: &str) -> Option<usize> {
        loop {
            let block = self.scopes.get(scope)?;
            if let Some(&found) = block.names.get(name) {
                return Some(found);
            }
            scope = block.parent?;
        }
    }

    /// A local variable by name, in whatever block it was declared.
    pub fn any_local(&self, name: &str) -> Option<usize> {
        self.locals.iter().position(|variable| &*variable.name == name)
    }

    /// Ties each point of a list to the one behind it, and the last to what is behind the list.
    fn link(&mut self, list: &[Place], behind: Option<Place>) {
        for (at, &place) in list.iter().enumerate() {
            let next = list.get(at + 1).copied().or(behind);
            self.points[place].next = next;
            match self.points[place].what.clone() {
                What::Choice(options) => options.iter().for_each(|option| self.link_to_join(option)),
                What::Unless(main, escape) => {
                    self.link_to_join(&main);
                    self.link_to_join(&escape);
                }
                What::Block(inner) | What::DStep(inner) => self.link(&inner, next),
                _ => {}
            }
        }
    }

    /// As [`Body::link`] for a list that ends with a join. What is behind the join is set where the choice stands.
    fn link_to_join(&mut self, list: &[Place]) {
        if let Some((&join, rest)) = list.split_last() {
            self.link(rest, Some(join));
        }
    }

    /// Finds the targets of all jumps. A jump inside an atomic block keeps the block going exactly if it leads into one.
    fn resolve_jumps(&mut self) -> Read<()> {
        for place in 0..self.points.len() {
            let What::Jump(target) = &self.points[place].what else { continue };
            let to = match target {
                Target::Point(to) => *to,
                Target::Exit(number) => match self.exits.get(*number) {
                    Some(&to) => to,
                    None => return unclear("a break without a loop"),
                },
                Target::Label(name) => match self.find_label(place, name) {
                    Some(to) => to,
                    None => return unclear(format!("no label `{name}`")),
                },
            };
            let inside = self.points[to].atomic || self.points[to].last;
            let point = &mut self.points[place];
            point.what = What::Jump(Target::Point(to));
            if point.atomic || point.last {
                (point.atomic, point.last) = (inside, !inside);
            }
        }
        Ok(())
    }

    /// The point that a `goto` means. An inline has labels of its own: one in the same call counts before one in the call
    /// around, and one in the same block before one in a block around.
    fn find_label(&self, from: Place, name: &Arc<str>) -> Option<Place> {
        let all: Vec<Place> =
            (0..self.points.len()).filter(|&place| self.points[place].labels.contains(name)).collect();
        let from = &self.points[from];
        let mut call = from.call;
        loop {
            let mut scope = Some(from.scope);
            while let Some(block) = scope {
                let here = |&&place: &&Place| self.points[place].call == call && self.points[place].scope == block;
                if let Some(&found) = all.iter().rev().find(here) {
                    return Some(found);
                }
                scope = self.scopes.get(block)?.parent;
            }
            if call == 0 {
                return all.last().copied();
            }
            call = *self.calls.get(call)?;
        }
    }

    /// Where control is when it goes to a point: jumps and joins are passed through, and in front of an `unless` it is in front
    /// of its main sequence. `atomic`: it comes from inside of an atomic block, and then it does not pass a jump or join that
    /// leaves the block. That is a step of its own, which ends the block.
    fn landing(&self, from: Place, atomic: bool) -> Read<Place> {
        let mut place = from;
        for _ in 0..=self.points.len() {
            let next = match &self.points[place].what {
                What::Jump(Target::Point(to)) => *to,
                What::Join => match self.points[place].next {
                    Some(next) => next,
                    None => return Ok(place),
                },
                What::Unless(main, _) => match main.first() {
                    Some(&first) => self.landing(first, atomic)?,
                    None => return unclear("an empty unless"),
                },
                _ => return Ok(place),
            };
            if atomic && !self.points[next].atomic {
                return Ok(place);
            }
            place = next;
        }
        unclear("gotos that only lead to gotos")
    }

    /// Where a `d_step` with these points begins.
    pub fn step_start(&self, list: &[Place]) -> Option<Place> {
        let &first = list.first()?;
        self.landing(first, false).ok()
    }

    /// Some point of a list, or of what is inside of them, is this one.
    pub fn contains(&self, list: &[Place], place: Place) -> bool {
        list.iter().any(|&point| {
            point == place
                || match &self.points[point].what {
                    What::Choice(options) => options.iter().any(|option| self.contains(option, place)),
                    What::Block(inner) | What::DStep(inner) => self.contains(inner, place),
                    What::Unless(main, escape) => self.contains(main, place) || self.contains(escape, place),
                    _ => false,
                }
        })
    }

    /// The first statement of an option or block. A jump is one.
    fn start(&self, list: &[Place]) -> Read<Place> {
        let Some(&first) = list.first() else { return unclear("an empty block") };
        let mut place = first;
        for _ in 0..=self.points.len() {
            place = match &self.points[place].what {
                What::Join => match self.points[place].next {
                    Some(next) => next,
                    None => return Ok(place),
                },
                What::Unless(main, _) => match main.first() {
                    Some(&first) => first,
                    None => return Ok(place),
                },
                _ => return Ok(place),
            };
        }
        Ok(place)
    }

    /// The first statements inside of a compound statement; none for one that is not compound.
    fn starts(&self, place: Place) -> Read<Vec<Place>> {
        match &self.points[place].what {
            What::Choice(options) => options.iter().map(|option| self.start(option)).collect(),
            What::Block(list) => Ok(vec![self.start(list)?]),
            _ => Ok(Vec::new()),
        }
    }

    /// What the statements at a point offer, escapes left out: a compound one offers the first statements inside of it.
    fn own_offers(&self, place: Place) -> Read<Vec<Offer>> {
        let starts = self.starts(place)?;
        if starts.is_empty() {
            return Ok(vec![self.offer(place)?]);
        }
        let mut offers = Vec::new();
        for start in starts {
            offers.extend(self.own_offers(start)?);
        }
        Ok(offers)
    }

    fn offer(&self, place: Place) -> Read<Offer> {
        let point = &self.points[place];
        let next = match &point.what {
            What::Jump(Target::Point(to)) => Some(*to),
            _ => point.next,
        };
        let target = match next {
            Some(next) => self.landing(next, point.atomic)?,
            None => place,
        };
        Ok(Offer { point: place, escape: None, target, atomic: point.atomic })
    }

    /// All that can be tried from a point, in order, when that of the points in front is known: the escapes that watch it come first, the outermost before the inner ones.
    fn all_offers(&self, place: Place) -> Read<Vec<Offer>> {
        let own = self.own_offers(place)?;
        let mut known: Vec<Place> = own.iter().map(|offer| offer.point).collect();
        let mut front = Vec::new();
        for offer in &own {
            let point = &self.points[offer.point];
            if matches!(point.what, What::Join) {
                continue;
            }
            for &escape in point.escapes.iter().rev() {
                let first = self.landing(escape, point.atomic)?;
                if first == place {
                    continue;
                }
                for found in self.escape_offers(first, place)? {
                    if !known.contains(&found.point) {
                        known.push(found.point);
                        front.push(Offer { escape: Some(first), ..found });
                    }
                }
            }
        }
        front.reverse();
        front.extend(own);
        Ok(front)
    }

    /// What an escape offers to a point that it watches. Who watches the escape watches the point as well, and is asked for
    /// itself. SPIN makes the lists of all points one after the other, in the order of their numbers, from the lists that there are.
    /// So a point that is numbered behind its escape, such as a block in front of an `unless`, finds in the list of the escape
    /// what watches the escape, and takes it for a part of the escape: there an outer escape does not keep an inner one
    /// from being tried.
    fn escape_offers(&self, escape: Place, watched: Place) -> Read<Vec<Offer>> {
        if self.points[escape].number < self.points[watched].number {
            return Ok(self.offers[escape].clone());
        }
        self.own_offers(escape)
    }

    /// What labels say of each point. Control never stops at the first statement of an option, so a label there speaks of the
    /// point behind that statement; a label of a choice that begins an option speaks of the first statements of the choice.
    fn read_marks(&mut self) -> Read<()> {
        self.marks = self.points.iter().map(|point| marks_of(&point.labels)).collect();
        self.marks[self.end].end = true;
        let compounds: Vec<(Place, Vec<Place>)> = (0..self.points.len())
            .map(|place| Ok((place, self.starts(place)?)))
            .collect::<Read<Vec<_>>>()?
            .into_iter()
            .filter(|(_, starts)| !starts.is_empty())
            .collect();
        // Outer ones are numbered behind inner ones: labels sink from the outside to the inside.
        for (_, starts) in compounds.iter().rev() {
            for &start in starts {
                for inner in self.starts(start)? {
                    let marks = self.marks[start];
                    self.marks[inner].join(marks);
                }
            }
        }
        for (_, starts) in &compounds {
            for &start in starts {
                if self.starts(start)?.is_empty() {
                    let (marks, target) = (self.marks[start], self.offer(start)?.target);
                    self.marks[target].join(marks);
                }
            }
        }
        for place in 0..self.points.len() {
            if matches!(self.points[place].what, What::Join) && self.marks[place].end {
                let target = self.offer(place)?.target;
                self.marks[target].end = true;
            }
        }
        Ok(())
    }

    /// Marks the statements of an atomic block: a process goes on alone after each of them but the last.
    fn make_atomic(&mut self, list: &[Place]) {
        self.mark_atomic(list);
        self.mark_last(list);
    }

    fn mark_atomic(&mut self, list: &[Place]) {
        for &place in list {
            self.points[place].atomic = true;
            match self.points[place].what.clone() {
                What::Choice(options) => options.iter().for_each(|option| self.mark_atomic(option)),
                What::Block(inner) => self.mark_atomic(&inner),
                What::Unless(main, escape) => {
                    self.mark_atomic(&main);
                    self.mark_atomic(&escape);
                }
                _ => {}
            }
        }
    }

    fn mark_last(&mut self, list: &[Place]) {
        let Some(&last) = list.last() else { return };
        if let What::Block(inner) = self.points[last].what.clone() {
            return self.mark_last(&inner);
        }
        self.points[last].atomic = false;
        self.points[last].last = true;
    }

    /// Lets an escape watch all points of a list, but not the join behind them.
    fn watch(&mut self, list: &[Place], escape: Place) {
        for &place in list {
            if self.points[place].escapes.first() == Some(&escape) {
                continue;
            }
            for inner in self.points[place].escapes.clone() {
                if let Some(list) = self.escapes.get(&inner).cloned() {
                    self.watch_without_join(&list, escape);
                }
            }
            self.points[place].escapes.insert(0, escape);
            match self.points[place].what.clone() {
                What::Choice(options) => options.iter().for_each(|option| self.watch_without_join(option, escape)),
                What::Block(inner) => self.watch(&inner, escape),
                What::Unless(main, _) => self.watch_without_join(&main, escape),
                _ => {}
            }
        }
    }

    fn watch_without_join(&mut self, list: &[Place], escape: Place) {
        if let Some((_, list)) = list.split_last() {
            self.watch(list, escape);
        }
    }
}

fn marks_of(labels: &[Arc<str>]) -> Marks {
    let any = |start: &str| labels.iter().any(|label| label.starts_with(start));
    Marks { end: any("end"), accept: any("accept"), progress: any("progress") }
}
