//! The points of a body, made from its statements one by one.

use super::{Body, Place, Point, Scope, Target, What};
use crate::certify::names::{Kind, Names, Number, Read, Variable, unclear};
use crate::source::Span;
use crate::syntax::tree::{
    BinaryOp, ChannelTest, Declaration, Declarator, Expr, ExprKind, Ident, Initializer, Proctype, ProctypeKind,
    ReceiveArgument, Segment, Sequence, Statement, StatementKind, Step, VarRef,
};
use std::sync::Arc;

/// A `select` over constants is a choice of at most this many values above the first.
const WIDEST_SELECT: i32 = 32;

/// The body with all its points, not yet tied to each other, and those that are not inside of others in order.
pub(super) fn points(names: &Names, proctype: &Proctype, watched: &[Arc<str>]) -> Read<(Body, Vec<Place>)> {
    let body = Body::new(proctype);
    let loops = Vec::new();
    let mut reader = Reader {
        names,
        watched,
        body,
        scope: 0,
        call: 0,
        next: 1,
        late: Vec::new(),
        loops,
        declaring: true,
        in_step: false,
    };
    let list = reader.whole(proctype)?;
    Ok((reader.body, list))
}

/// Makes the points of a body, in order.
struct Reader<'n> {
    names: &'n Names,
    watched: &'n [Arc<str>],
    body: Body,
    scope: usize,
    call: usize,
    /// The number of the next point.
    next: i32,
    /// Jumps that are numbered behind the end, with the label that a remote reference looks at.
    late: Vec<(Arc<str>, Place)>,
    /// Loops around, by number.
    loops: Vec<usize>,
    /// No statement was read yet: declarations belong to the birth of a process.
    declaring: bool,
    /// Inside of a `d_step`.
    in_step: bool,
}

impl Reader<'_> {
    fn whole(&mut self, proctype: &Proctype) -> Read<Vec<Place>> {
        for declaration in &proctype.parameters {
            for declarator in &declaration.variables {
                self.declare(self.names.variable(declaration, declarator)?);
            }
        }
        self.body.parameters = self.body.locals.len();
        let mut list = self.sequence(&proctype.body)?;
        self.body.end = self.point(What::End, proctype.span);
        list.push(self.body.end);
        self.number_late();
        Ok(list)
    }

    /// SPIN gives these numbers when it meets a reference to the label.
    fn number_late(&mut self) {
        for label in self.watched {
            for (_, place) in self.late.extract_if(.., |(known, _)| known == label) {
                self.body.points[place].number = self.next;
                self.next += 1;
            }
        }
    }

    fn point(&mut self, what: What, span: Span) -> Place {
        let place = self.body.points.len();
        self.body.points.push(Point {
            what,
            next: None,
            atomic: false,
            last: false,
            escapes: Vec::new(),
            labels: Vec::new(),
            scope: self.scope,
            call: self.call,
            number: self.next,
            span,
        });
        self.next += 1;
        place
    }

    fn act(&mut self, kind: StatementKind, span: Span) -> Place {
        self.point(What::Do(Arc::new(kind)), span)
    }

    fn declare(&mut self, variable: Variable) -> usize {
        let place = self.body.locals.len();
        self.body.scopes[self.scope].names.insert(variable.name.clone(), place);
        self.body.locals.push(variable);
        place
    }

    fn in_scope<T>(&mut self, inside: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let around = self.scope;
        self.body.scopes.push(Scope { parent: Some(around), ..Scope::default() });
        self.scope = self.body.scopes.len() - 1;
        let result = inside(self);
        self.scope = around;
        result
    }

    fn sequence(&mut self, sequence: &Sequence) -> Read<Vec<Place>> {
        let mut list = Vec::new();
        self.steps(sequence, &mut list)?;
        Ok(list)
    }

    fn steps(&mut self, sequence: &Sequence, list: &mut Vec<Place>) -> Read<()> {
        for step in &sequence.steps {
            match step {
                Step::Declaration(declaration) => self.declaration(declaration, list)?,
                Step::Exclusive { .. } => {}
                Step::Statement(statement) => {
                    self.statement(statement, list)?;
                    self.declaring = false;
                }
            }
        }
        Ok(())
    }

    /// In front of the first statement of a body a declaration is part of the birth of a process. Later it is an assignment,
    /// done each time that control passes.
    fn declaration(&mut self, declaration: &Declaration, list: &mut Vec<Place>) -> Read<()> {
        for declarator in &declaration.variables {
            let variable = self.names.variable(declaration, declarator)?;
            let record = matches!(variable.kind, Kind::Record(_));
            let at_birth = self.declaring || record || matches!(variable.initializer, Some(Initializer::List(_)));
            let place = self.declare(variable);
            if at_birth {
                self.body.births.push(place);
            }
            if !self.declaring {
                list.push(self.late_declaration(declarator, record));
            }
        }
        Ok(())
    }

    fn late_declaration(&mut self, declarator: &Declarator, record: bool) -> Place {
        let span = declarator.span;
        if record {
            // A typedef keeps its values. SPIN makes a step of its declaration all the same.
            return self.act(StatementKind::Expr(number(1, span)), span);
        }
        let value = match &declarator.initializer {
            Some(Initializer::Expr(value)) => value.clone(),
            Some(Initializer::List(values)) => values.first().cloned().unwrap_or_else(|| number(0, span)),
            _ => number(0, span),
        };
        self.act(StatementKind::Assign(named(&declarator.name), value), span)
    }

    fn statement(&mut self, statement: &Statement, list: &mut Vec<Place>) -> Read<()> {
        let span = statement.span;
        let place = match &statement.kind {
            StatementKind::Goto(label) => self.jump(Target::Label(label.name.clone()), &statement.labels, span, list),
            StatementKind::Break => match self.loops.last() {
                Some(&exit) => self.jump(Target::Exit(exit), &statement.labels, span, list),
                None => return unclear("a break without a loop"),
            },
            StatementKind::If(options) => {
                let options = self.options(options)?;
                self.choice(options, None, span, list)
            }
            StatementKind::Do(options) => {
                let exit = self.enter_loop();
                let options = self.options(options)?;
                self.loops.pop();
                self.choice(options, Some(exit), span, list)
            }
            StatementKind::ForRange { variable, from, to, body } => {
                self.for_range(variable, from, to, body, span, list)?
            }
            StatementKind::ForIn { variable, collection, body } => {
                self.for_in(variable, collection, body, span, list)?
            }
            StatementKind::Select { variable, from, to } => self.select(variable, from, to, span, list),
            StatementKind::Atomic(body) => {
                let inner = self.block(body)?;
                self.body.make_atomic(&inner);
                add(list, self.point(What::Block(inner), span))
            }
            StatementKind::DStep(body) => {
                // A d_step inside of a d_step is a block: all of it is one step anyway.
                let inside = std::mem::replace(&mut self.in_step, true);
                let inner = self.block(body);
                self.in_step = inside;
                let inner = inner?;
                add(list, self.point(if inside { What::Block(inner) } else { What::DStep(inner) }, span))
            }
            StatementKind::Block(body, inline) => {
                let inner = self.called(inline.is_some(), |reader| reader.block(body))?;
                add(list, self.point(What::Block(inner), span))
            }
            StatementKind::Unless(main, escape) => self.unless(main, escape, span, list)?,
            plain => add(list, self.act(plain.clone(), span)),
        };
        self.body.points[place].labels.extend(statement.labels.iter().map(|label| label.name.clone()));
        Ok(())
    }

    /// The body of an inline is a call; other blocks belong to the call around.
    fn called<T>(&mut self, inline: bool, inside: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let around = self.call;
        if inline {
            self.body.calls.push(around);
            self.call = self.body.calls.len() - 1;
        }
        let result = inside(self);
        self.call = around;
        result
    }

    fn block(&mut self, body: &Sequence) -> Read<Vec<Place>> {
        self.declaring = false;
        self.in_scope(|reader| reader.sequence(body))
    }

    /// A jump. With a label that must be seen in a state it gets a step in front, which has the label.
    fn jump(&mut self, target: Target, labels: &[Ident], span: Span, list: &mut Vec<Place>) -> Place {
        let special = |label: &&Ident| ["end", "accept", "progress"].iter().any(|start| label.name.starts_with(start));
        let watched = labels.iter().find(|label| self.watched.contains(&label.name));
        if labels.iter().find(special).is_none() && watched.is_none() {
            return add(list, self.point(What::Jump(target), span));
        }
        // SPIN has the jump when it sees the label, so that the step in front has the higher number; but a label that only a
        // reference elsewhere makes special keeps its number, and the jump gets a new one.
        let jump = self.point(What::Jump(target), span);
        if let (None, Some(label)) = (labels.iter().find(special), watched) {
            self.next -= 1;
            self.late.push((label.name.clone(), jump));
        }
        let step = self.act(StatementKind::Expr(number(1, span)), span);
        list.extend([step, jump]);
        step
    }

    fn enter_loop(&mut self) -> usize {
        // The point behind the loop is made when the loop is complete.
        self.body.exits.push(0);
        self.loops.push(self.body.exits.len() - 1);
        self.body.exits.len() - 1
    }

    fn options(&mut self, options: &[Sequence]) -> Read<Vec<Vec<Place>>> {
        self.declaring = false;
        let mut lists = Vec::new();
        for option in options {
            let list = self.sequence(option)?;
            lists.push(if self.body.kind == ProctypeKind::Never { list } else { self.without_repeated_skips(list) });
        }
        Ok(lists)
    }

    /// Of several skips in a row inside an option SPIN keeps the first.
    fn without_repeated_skips(&self, list: Vec<Place>) -> Vec<Place> {
        let mut kept = Vec::new();
        let mut in_a_row = 0;
        for (at, &place) in list.iter().enumerate() {
            let point = &self.body.points[place];
            let (skips, prints) = match &point.what {
                What::Do(kind) => match &**kind {
                    StatementKind::Expr(Expr { kind: ExprKind::Number(1), .. }) => (true, false),
                    StatementKind::Printf(..) | StatementKind::Printm(_) => (true, true),
                    _ => (false, false),
                },
                _ => (false, false),
            };
            in_a_row = if skips && point.labels.is_empty() { in_a_row + 1 } else { 0 };
            let between = at > 0 && at + 1 < list.len();
            if in_a_row > 1 && !prints && between {
                continue;
            }
            kept.push(place);
        }
        kept
    }

    /// A choice, or with an exit a loop. Each option ends at a join: behind the choice, or in front of the loop.
    fn choice(
        &mut self,
        mut options: Vec<Vec<Place>>,
        exit: Option<usize>,
        span: Span,
        list: &mut Vec<Place>,
    ) -> Place {
        let choice = self.point(What::Choice(Vec::new()), span);
        let join = self.point(What::Join, span);
        if let Some(at) = options.iter().position(|option| self.starts_with_else(option)) {
            let otherwise = options.remove(at);
            options.push(otherwise);
        }
        options.iter_mut().for_each(|option| option.push(join));
        self.body.points[choice].what = What::Choice(options);
        match exit {
            Some(exit) => {
                let behind = self.point(What::Join, span);
                self.body.exits[exit] = behind;
                list.extend([join, choice, behind]);
            }
            None => list.extend([choice, join]),
        }
        choice
    }

    fn starts_with_else(&self, option: &[Place]) -> bool {
        let Some(&first) = option.first() else { return false };
        matches!(&self.body.points[first].what, What::Do(kind) if matches!(**kind, StatementKind::Else))
    }

    fn unless(&mut self, main: &Statement, escape: &Statement, span: Span, list: &mut Vec<Place>) -> Read<Place> {
        let (mut main_list, lifted) = self.main_of(main)?;
        let made = self.body.points.len();
        let mut escape_list = self.inside_of(escape)?;
        let block = matches!(main.kind, StatementKind::Block(..)) && main.labels.is_empty();
        if !block && lifted.is_none() {
            self.number_behind(&main_list, made);
        }
        let unless = self.point(What::Join, span);
        let join = self.point(What::Join, span);
        let Some(&first) = escape_list.first() else { return unclear("an empty escape") };
        self.body.watch(&main_list, first);
        main_list.push(join);
        escape_list.push(join);
        self.body.escapes.insert(first, escape_list.clone());
        self.body.points[unless].what = What::Unless(main_list, escape_list);
        let Some(wrap) = lifted else {
            list.extend([unless, join]);
            return Ok(unless);
        };
        // `L: { … } unless …`: the label stands in front of the whole.
        let inner = vec![unless, join];
        let whole = match wrap {
            Wrap::DStep => What::DStep(inner),
            Wrap::Block => What::Block(inner),
        };
        let place = add(list, self.point(whole, span));
        self.body.points[place].labels.extend(main.labels.iter().map(|label| label.name.clone()));
        Ok(place)
    }

    /// SPIN numbers a main statement that is not a block behind its escape, though what is inside of the statement is numbered in
    /// front. `made`: the points from here on are those of the escape.
    fn number_behind(&mut self, main: &[Place], made: Place) {
        let (own, escape) = (main.len() as i32, (self.body.points.len() - made) as i32);
        self.body.points[made..].iter_mut().for_each(|point| point.number -= own);
        main.iter().for_each(|&place| self.body.points[place].number += escape);
    }

    /// The main sequence of an `unless`, and what it is wrapped into if a label was lifted.
    fn main_of(&mut self, main: &Statement) -> Read<(Vec<Place>, Option<Wrap>)> {
        if main.labels.is_empty() {
            return Ok((self.inside_of(main)?, None));
        }
        match &main.kind {
            StatementKind::Block(body, inline) => {
                Ok((self.called(inline.is_some(), |reader| reader.block(body))?, Some(Wrap::Block)))
            }
            StatementKind::Atomic(body) => {
                let inner = self.block(body)?;
                self.body.make_atomic(&inner);
                Ok((inner, Some(Wrap::Block)))
            }
            StatementKind::DStep(body) => Ok((self.block(body)?, Some(Wrap::DStep))),
            _ => Ok((self.inside_of(main)?, None)),
        }
    }

    /// A statement as a sequence: of a block, what is inside.
    fn inside_of(&mut self, statement: &Statement) -> Read<Vec<Place>> {
        self.declaring = false;
        if let (StatementKind::Block(body, inline), true) = (&statement.kind, statement.labels.is_empty()) {
            return self.called(inline.is_some(), |reader| reader.block(body));
        }
        let mut list = Vec::new();
        self.statement(statement, &mut list)?;
        Ok(list)
    }

    /// `v = from; do :: v <= to -> body; v = v + 1 :: else -> break od`. A label in front of the `for` names the loop.
    fn for_range(
        &mut self,
        variable: &VarRef,
        from: &Expr,
        to: &Expr,
        body: &Sequence,
        span: Span,
        list: &mut Vec<Place>,
    ) -> Read<Place> {
        let exit = self.enter_loop();
        list.push(self.act(StatementKind::Assign(variable.clone(), from.clone()), span));
        let guard = compare(BinaryOp::LessEqual, variable, to.clone(), span);
        let more = vec![self.act(StatementKind::Expr(guard), span)];
        self.for_body(more, variable, body, exit, span, list)
    }

    fn for_in(
        &mut self,
        variable: &VarRef,
        collection: &VarRef,
        body: &Sequence,
        span: Span,
        list: &mut Vec<Place>,
    ) -> Read<Place> {
        let (Some(counter), Some(all)) = (self.variable(variable), self.variable(collection)) else {
            return unclear("a for over something unknown");
        };
        if matches!(counter.kind, Kind::Record(_)) {
            return self.for_channel(variable, collection, body, span, list);
        }
        let Some(length) = all.length else { return unclear("a for over something that is no array") };
        self.for_range(variable, &number(0, span), &number(length as i32 - 1, span), body, span, list)
    }

    /// `n = 0; do :: n < len(q) -> q?v; q!v; body; n = n + 1 :: else -> break od` with a counter of its own.
    fn for_channel(
        &mut self,
        variable: &VarRef,
        channel: &VarRef,
        body: &Sequence,
        span: Span,
        list: &mut Vec<Place>,
    ) -> Read<Place> {
        let counter = self.counter(channel, span);
        let exit = self.enter_loop();
        list.push(self.act(StatementKind::Assign(counter.clone(), number(0, span)), span));
        let length = expr(ExprKind::Channel(ChannelTest::Len, channel.clone()), span);
        let guard = compare(BinaryOp::Less, &counter, length, span);
        let arguments = vec![ReceiveArgument::Variable(variable.clone())];
        let receive = StatementKind::Receive { channel: channel.clone(), random: false, copy: false, arguments };
        let whole = vec![expr(ExprKind::Variable(variable.clone()), span)];
        let send = StatementKind::Send { channel: channel.clone(), sorted: false, arguments: whole };
        let more = vec![self.act(StatementKind::Expr(guard), span), self.act(receive, span), self.act(send, span)];
        self.for_body(more, &counter, body, exit, span, list)
    }

    /// Loops over channels in one block share a counter. Its type follows from the size of the channel.
    fn counter(&mut self, channel: &VarRef, span: Span) -> VarRef {
        let name: Arc<str> = format!("_for_{}", self.scope).into();
        if self.body.local(self.scope, &name).is_none() {
            let capacity = match self.variable(channel).and_then(|variable| variable.initializer) {
                Some(Initializer::Channel { capacity, .. }) => self.names.constant(&capacity).unwrap_or(0),
                _ => 0,
            };
            let number = if capacity > 255 { Number::Short } else { Number::Byte };
            let kind = Kind::Number(number);
            let name = name.clone();
            self.declare(Variable { name, kind, length: None, initializer: None, hidden: false, turn: 0 });
        }
        named(&Ident { name, span })
    }

    fn for_body(
        &mut self,
        mut more: Vec<Place>,
        counter: &VarRef,
        body: &Sequence,
        exit: usize,
        span: Span,
        list: &mut Vec<Place>,
    ) -> Read<Place> {
        self.declaring = false;
        self.in_scope(|reader| reader.steps(body, &mut more))?;
        more.push(self.act(StatementKind::Increment(counter.clone()), span));
        let leave = vec![self.act(StatementKind::Else, span), self.point(What::Jump(Target::Exit(exit)), span)];
        self.loops.pop();
        Ok(self.choice(vec![more, leave], Some(exit), span, list))
    }

    /// Over constants a choice with an assignment for each value; else `v = from; do :: break :: v < to -> v = v + 1 od`.
    /// SPIN makes the choice while it reads the file, and does so neither in an inline nor for more than 33 values.
    fn select(&mut self, variable: &VarRef, from: &Expr, to: &Expr, span: Span, list: &mut Vec<Place>) -> Place {
        self.declaring = false;
        if let (ExprKind::Number(low @ 0..), ExprKind::Number(high @ 0..)) = (&from.kind, &to.kind)
            && self.call == 0
            && high - low <= WIDEST_SELECT
        {
            let assign = |value| StatementKind::Assign(variable.clone(), number(value, span));
            let options = (*low..=*high).map(|value| vec![self.act(assign(value), span)]).collect();
            return self.choice(options, None, span, list);
        }
        list.push(self.act(StatementKind::Assign(variable.clone(), from.clone()), span));
        let exit = self.enter_loop();
        let guard = compare(BinaryOp::Less, variable, to.clone(), span);
        let guard = self.act(StatementKind::Expr(guard), span);
        let more = vec![guard, self.act(StatementKind::Increment(variable.clone()), span)];
        let leave = vec![self.point(What::Jump(Target::Exit(exit)), span)];
        self.loops.pop();
        self.choice(vec![leave, more], Some(exit), span, list)
    }

    fn variable(&self, var: &VarRef) -> Option<Variable> {
        let name = &var.segments.first()?.name.name;
        match self.body.local(self.scope, name) {
            Some(local) => self.body.locals.get(local).cloned(),
            None => self.names.globals.get(*self.names.global_names.get(name)?).cloned(),
        }
    }
}

/// What the main sequence of an `unless` with a label is put into.
#[derive(Clone, Copy)]
enum Wrap {
    DStep,
    Block,
}

fn add(list: &mut Vec<Place>, place: Place) -> Place {
    list.push(place);
    place
}

fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, span, depth: 0 }
}

fn number(value: i32, span: Span) -> Expr {
    expr(ExprKind::Number(value), span)
}

fn named(name: &Ident) -> VarRef {
    VarRef { segments: vec![Segment { name: name.clone(), index: None }], span: name.span }
}

fn compare(op: BinaryOp, variable: &VarRef, bound: Expr, span: Span) -> Expr {
    let left = expr(ExprKind::Variable(variable.clone()), span);
    expr(ExprKind::Binary(op, Box::new(left), Box::new(bound)), span)
}
