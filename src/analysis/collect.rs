//! Builds the footprints of all moves of a model; see [`super::footprint`] for what they mean.
//!
//! Three things make a move more than its statement. First, the guards that it depends on: `else` looks at every earlier
//! transition of its location, a transition below an `unless` looks at the escapes before it, and every transition looks at
//! the `provided` clause. Second, the block that the move enters: every transition that can follow while control stays
//! atomic, with all guards that are looked at on the way. Third, the partners: a rendezvous inside a block hands control to a
//! receiver, whose own block follows.

use super::block::{assure, block_of, length_comparison, same_variable, sources};
use super::flow::{BitSet, Flow};
use super::footprint::{
    ChannelAccess, Flags, Footprint, LengthTest, LocationRead, MemoryAccess, Operation, Owner, Traced, Validity, Value,
    VariableId, validity,
};
use super::offers::{add_partners, can_be_made_to_fail};
use super::visit;
use crate::model::{
    Action, Automaton, BinaryOp, ChannelTest, Expr, ExprKind, Initial, Model, Place, ReceiveArgument, Region,
    Transition, UnaryOp,
};

/// Footprints of all moves of a model, by process type and transition.
pub struct Collected {
    /// By process type and number of the first transition.
    pub footprints: Vec<Vec<Footprint>>,
}

/// The numbers of locations that somebody looks at with `P@label`. The process that is looked at may be of another type:
/// numbers are compared.
fn watched_locations(model: &Model) -> Vec<u32> {
    let mut watched = Vec::new();
    let mut note = |expr: &Expr| {
        visit::walk(expr, &mut |e| {
            if let ExprKind::RemoteLabel { proctype, location, .. } = e.kind {
                watched.extend(location_number(model, proctype, location));
            }
        });
    };
    let watchers = model.claims.iter().map(|claim| &claim.body).chain(model.trace.iter().map(|trace| &trace.body));
    for proctype in model.proctypes.iter().chain(watchers) {
        visit::actions(&proctype.automaton, &mut |action| visit::expressions(action, &mut note));
        proctype.provided.iter().for_each(&mut note);
    }
    watched
}

/// The number of a location, as SPIN counts them.
fn location_number(model: &Model, proctype: u32, location: u32) -> Option<u32> {
    Some(model.proctypes.get(proctype as usize)?.automaton.locations.get(location as usize)?.number)
}

impl Collected {
    /// Builds the footprints.
    pub fn new(model: &Model, flow: &Flow) -> Collected {
        let watched = watched_locations(model);
        let mut footprints: Vec<Vec<Footprint>> = model
            .proctypes
            .iter()
            .enumerate()
            .map(|(p, proctype)| {
                let shape = Shape::new(&proctype.automaton);
                (0..proctype.automaton.transitions.len())
                    .map(|t| Collector::block(model, flow, &watched, &shape, p, t))
                    .collect()
            })
            .collect();
        add_partners(model, flow, &mut footprints);
        footprints.iter_mut().flatten().for_each(Footprint::tidy);
        Collected { footprints }
    }
}

/// What all moves of a process type ask of its automaton.
struct Shape {
    /// The location of every transition.
    sources: Vec<u32>,
    /// By transition: a loop inside its atomic block may repeat it.
    repeats: Vec<bool>,
}

impl Shape {
    fn new(automaton: &Automaton) -> Shape {
        let repeats = (0..automaton.transitions.len()).map(|t| block_of(automaton, t).contains(&t));
        Shape { sources: sources(automaton), repeats: repeats.collect() }
    }
}

/// Collects one footprint.
pub struct Collector<'m> {
    model: &'m Model,
    flow: &'m Flow,
    p: usize,
    /// Variables that the move writes, so that an index built from them is not known beforehand.
    written: Vec<(Region, u32)>,
    /// Sends and receives of the move: the channels, and how often (2 for "more than once").
    operations: Vec<(BitSet, u32)>,
    /// Behind the first step: a channel that the move uses may have another length than at its start.
    inner: bool,
    /// What the first guard has made sure of: `nempty` (else `nfull`) of these channels.
    assured: Vec<(bool, &'m Expr)>,
    out: Footprint,
}

impl<'m> Collector<'m> {
    /// A collector for guards and the like of process type `p`: nothing is written.
    pub fn new(model: &'m Model, flow: &'m Flow, p: usize) -> Collector<'m> {
        Collector {
            model,
            flow,
            p,
            written: Vec::new(),
            operations: Vec::new(),
            inner: false,
            assured: Vec::new(),
            out: Footprint::default(),
        }
    }

    /// What was collected.
    pub fn finish(self) -> Footprint {
        self.out
    }

    fn block(model: &'m Model, flow: &'m Flow, watched: &[u32], shape: &Shape, p: usize, first: usize) -> Footprint {
        let automaton = &model.proctypes[p].automaton;
        let mut inner = block_of(automaton, first);
        if let Action::Send { channel, .. } = &automaton.transitions[first].action {
            // a rendezvous ends the sender's block for now: the receiver goes on
            let classes = flow.channels(p, channel);
            if !classes.is_empty() && classes.iter().all(|c| flow.capacity[c] == 0) {
                inner.clear();
            }
        }
        let mut collector = Collector::new(model, flow, p);
        // A single statement reads everything before it writes, except where it writes several things in turn.
        let transition = &automaton.transitions[first];
        let steps = inner.iter().map(|&t| &automaton.transitions[t]);
        let in_turn = !matches!(transition.action, Action::Assign(..));
        if !inner.is_empty() || in_turn {
            for step in std::iter::once(transition).chain(steps.clone()) {
                for action in std::iter::once(&step.action).chain(&step.after.actions) {
                    visit::writes(action, &mut |place, _| collector.written.push((place.region, place.variable)));
                }
            }
        }
        collector.note_operations(&transition.action, 1);
        for &t in &inner {
            collector.note_operations(&automaton.transitions[t].action, 1 + u32::from(shape.repeats[t]));
        }
        if let Some(provided) = &model.proctypes[p].provided {
            collector.read(provided);
        }
        let sources = &shape.sources;
        collector.step(automaton, first, sources[first], true);
        collector.inner = true;
        for &t in &inner {
            collector.step(automaton, t, sources[t], false);
        }
        if let Some(provided) = model.proctypes[p].provided.as_ref().filter(|_| !inner.is_empty()) {
            // it is asked again before each step, when channels may have other lengths
            collector.read(provided);
        }
        collector.note_looks(first);
        collector.note_hearing(automaton, shape.sources[first], first, &inner);
        if flow.overlooked[p].contains(first) {
            // as if it were the other side of every rendezvous
            collector.out.flags.add(Flags::RENDEZVOUS_RECEIVE);
            collector.out.rendezvous = flow.all();
            collector.out.rendezvous_id = Some(Value::Any);
        }
        for t in std::iter::once(first).chain(inner.iter().copied()) {
            for location in [sources[t], automaton.transitions[t].target] {
                let number = automaton.locations[location as usize].number;
                if watched.contains(&number) && !collector.out.visits.contains(&number) {
                    collector.out.visits.push(number);
                }
            }
        }
        collector.out
    }

    /// A move that waits for `timeout`, or for the death of younger processes, is evaluated long before it can be executed, and
    /// this evaluation may be an error: notes what it reads.
    fn note_looks(&mut self, first: usize) {
        if !self.out.flags.has(Flags(Flags::TIMEOUT.0 | Flags::DIES.0)) {
            return;
        }
        let proctype = &self.model.proctypes[self.p];
        let mut looked: Vec<&Expr> = proctype.provided.iter().collect();
        let mut guards = |action: &'m Action| {
            if let Action::Guard(guard) = action {
                before_timeout(guard, &mut looked);
            }
        };
        match &proctype.automaton.transitions[first].action {
            Action::DStep(body) => body.at(body.entry).iter().for_each(|t| guards(&t.action)),
            action => guards(action),
        }
        if looked.iter().any(|expr| visit::can_fault(expr)) {
            let mut look = Collector::new(self.model, self.flow, self.p);
            look.written.clone_from(&self.written);
            looked.into_iter().for_each(|expr| look.read(expr));
            self.out.looks = Some(Box::new(look.out));
        }
    }

    /// Notes the channels on which the process may take offers before the move, behind it, and wherever the block can break off.
    fn note_hearing(&mut self, automaton: &Automaton, source: u32, first: usize, inner: &[usize]) {
        let at = &self.flow.hearing[self.p];
        let targets = std::iter::once(&first).chain(inner).map(|&t| automaton.transitions[t].target);
        for location in targets.chain([source]) {
            match at.get(location as usize) {
                Some(heard) => self.out.hears.union(heard),
                None => self.out.hears.union(&self.flow.all()),
            };
        }
        if let Some(looks) = &mut self.out.looks {
            looks.hears.clone_from(&self.out.hears);
        }
    }

    fn step(&mut self, automaton: &'m Automaton, t: usize, source: u32, first: bool) {
        let transition = &automaton.transitions[t];
        let earlier = &automaton.transitions[automaton.locations[source as usize].first as usize..t];
        let is_else = matches!(transition.action, Action::Else);
        for other in earlier {
            if is_else || (other.escape != 0 && other.escape != transition.escape) {
                self.executability(other);
            }
        }
        self.action(&transition.action, first);
        // The steps that were merged with it touch what its process alone sees. A stubborn set asks about the process itself, too.
        transition.after.actions.iter().for_each(|action| self.action(action, false));
    }

    /// It matters to the move whether another transition becomes executable, and whether it stops being so. It also matters whether
    /// that transition fails when it is tried, since the walk then goes on as if it had been blocked.
    pub fn executability(&mut self, other: &'m Transition) {
        match &other.action {
            Action::Guard(expr) => self.read(expr),
            Action::Send { channel, .. } => {
                self.read(channel);
                let classes = self.flow.channels(self.p, channel);
                if classes.iter().any(|c| self.flow.capacity[c] == 0) {
                    self.out.flags.add(Flags::EVERYTHING);
                }
                self.channel(channel, Operation::Length { test: LengthTest::NotFull, required: false }, false);
            }
            Action::Receive { channel, random, arguments, .. } => {
                self.read(channel);
                self.patterns(arguments);
                self.channel(channel, Operation::Head { random: *random, required: false }, false);
            }
            Action::DStep(body) => {
                body.at(body.entry).iter().for_each(|t| self.executability(t));
                self.failure(&other.action, body);
            }
            Action::End => self.out.flags.add(Flags::COUNT),
            // One that makes a process fails where there are too many.
            Action::Assign(_, value) if visit::makes_process(value) => self.read(value),
            Action::Assign(..) | Action::Block(_) => {}
            Action::Skip | Action::Else | Action::Assert(_) | Action::Printf(..) | Action::Printm(_) => {}
        }
    }

    /// Whether a `d_step` fails behind its first statements depends on everything that it does.
    fn failure(&mut self, action: &'m Action, body: &'m Automaton) {
        if body.transitions.len() == body.at(body.entry).len()
            && body.transitions.iter().all(|t| t.target != body.entry)
        {
            return;
        }
        let (written, operations) = (self.written.len(), self.operations.len());
        visit::writes(action, &mut |place, _| self.written.push((place.region, place.variable)));
        // it may come to a channel again that it has changed before
        self.note_operations(action, 2);
        let outer = std::mem::replace(&mut self.inner, true);
        self.action(action, false);
        self.inner = outer;
        self.written.truncate(written);
        self.operations.truncate(operations);
    }

    fn patterns(&mut self, arguments: &'m [ReceiveArgument]) {
        for argument in arguments {
            if let ReceiveArgument::Match(expr) = argument {
                self.read(expr);
            }
        }
    }

    fn action(&mut self, action: &'m Action, first: bool) {
        match action {
            Action::Skip | Action::Else => {}
            Action::Guard(expr) => {
                if first && !self.inner {
                    assure(expr, &mut self.assured);
                }
                if first { self.require(expr) } else { self.read(expr) }
            }
            Action::Assert(expr) | Action::Printm(expr) => self.read(expr),
            Action::Printf(_, arguments) => arguments.iter().for_each(|argument| self.read(argument)),
            Action::Assign(place, value) => {
                self.read(value);
                self.place(place, true);
            }
            Action::Block(assignments) => {
                for (place, value) in assignments {
                    self.read(value);
                    self.place(place, true);
                }
            }
            Action::Send { channel, sorted, arguments } => {
                self.read(channel);
                arguments.iter().for_each(|argument| self.read(argument));
                self.rendezvous(channel, true, first);
                self.channel(channel, Operation::Send { sorted: *sorted }, true);
                let many = self.count(&self.flow.channels(self.p, channel)) > 1;
                if !first && (many || !self.is_assured(false, channel)) {
                    let test = if many { LengthTest::Any } else { LengthTest::NotFull };
                    self.channel(channel, Operation::Length { test, required: false }, true);
                }
                self.trace(channel, true);
            }
            Action::Receive { channel, random, copy, arguments } => {
                self.read(channel);
                self.patterns(arguments);
                for argument in arguments {
                    if let ReceiveArgument::Store(place) = argument {
                        self.place(place, true);
                    }
                }
                self.rendezvous(channel, false, first);
                if !copy {
                    self.channel(channel, Operation::Receive, true);
                }
                let many = self.count(&self.flow.channels(self.p, channel)) > 1;
                let matches = arguments.iter().any(|a| matches!(a, ReceiveArgument::Match(_)));
                if *copy || (!first && (many || matches || !self.is_assured(true, channel))) {
                    self.channel(channel, Operation::Head { random: *random, required: first }, true);
                }
                if !first && many {
                    self.channel(channel, Operation::Length { test: LengthTest::Any, required: false }, true);
                }
                self.trace(channel, false);
            }
            Action::DStep(body) => {
                // A d_step that has one first statement, passed once, starts as that statement does. The rest must
                // not block, and every choice in it is made by looking at guards.
                let entry = body.at(body.entry);
                let plain = entry.len() == 1 && body.transitions.iter().all(|t| t.target != body.entry);
                if !plain {
                    entry.iter().for_each(|transition| self.executability(transition));
                    for transition in entry {
                        // each of them may be the side of a rendezvous
                        if let (true, Action::Receive { channel, .. }) = (first, &transition.action) {
                            self.rendezvous(channel, false, true);
                        }
                    }
                }
                let outer = self.inner;
                for (t, &source) in sources(body).iter().enumerate() {
                    let starts = plain && source == body.entry;
                    self.inner = outer || !starts;
                    self.step(body, t, source, first && starts);
                }
                self.inner = outer;
            }
            Action::End => {
                self.out.flags.add(Flags::DEATH);
                if first {
                    self.out.flags.add(Flags::DIES);
                }
                self.own_channels(self.p);
            }
        }
    }

    /// The channels of a process of type `p` appear or vanish, as far as one may be used without its owner.
    fn own_channels(&mut self, p: usize) {
        let from = self.flow.own_channels[p];
        let mut classes = BitSet::new(self.flow.classes());
        for k in 0..self.model.proctypes[p].channels.len() {
            if self.flow.escapes.contains(from + k) {
                classes.insert(from + k);
            }
        }
        if !classes.is_empty() {
            let (id, operation) = (Value::Any, Operation::Destroy);
            self.out.channels.push(ChannelAccess { classes, id, operation, many: true, own: false });
        }
    }

    fn trace(&mut self, channel: &Expr, send: bool) {
        let Some(trace) = &self.model.trace else { return };
        let scope = if send { &trace.sends } else { &trace.receives };
        let classes = self.flow.channels(self.p, channel);
        if scope.iter().any(|&id| id > 0 && classes.contains(id as usize - 1)) {
            self.out.traced.push(Traced { send, id: self.value(channel) });
            self.trace_reads(&trace.body.automaton);
        }
    }

    /// The patterns of the trace, and the variables that name its channels, are evaluated in the state.
    fn trace_reads(&mut self, automaton: &'m Automaton) {
        for transition in &automaton.transitions {
            match &transition.action {
                Action::Send { channel, .. } => self.read(channel),
                Action::Receive { channel, arguments, .. } => {
                    self.read(channel);
                    self.patterns(arguments);
                }
                _ => {}
            }
        }
    }

    fn rendezvous(&mut self, channel: &'m Expr, send: bool, first: bool) {
        let classes = self.flow.channels(self.p, channel);
        let mut synchronous = BitSet::new(self.flow.classes());
        classes.iter().filter(|&c| self.flow.capacity[c] == 0).for_each(|c| {
            synchronous.insert(c);
        });
        if synchronous.is_empty() {
            return;
        }
        if first {
            self.out.flags.add(if send { Flags::RENDEZVOUS_SEND } else { Flags::RENDEZVOUS_RECEIVE });
            self.out.rendezvous.union(&synchronous);
            // a d_step may start in several ways
            let id = if self.out.rendezvous_id.is_some() { Value::Any } else { self.value(channel) };
            self.out.rendezvous_id = Some(id);
        } else if send {
            self.out.offers.union(&synchronous);
            for (q, proctype) in self.model.proctypes.iter().enumerate() {
                // Whoever is asked whether he takes it may fail to answer, by what the block has written before.
                let mut receives =
                    proctype.provided.as_ref().is_some_and(|clause| can_be_made_to_fail(self.flow, clause));
                receives |= !self.flow.overlooked[q].is_empty();
                visit::actions(&proctype.automaton, &mut |action| {
                    if let Action::Receive { channel, .. } = action {
                        let channels = self.flow.channels(q, channel);
                        receives |= channels.is_empty() || channels.intersects(&synchronous);
                        receives |= can_be_made_to_fail(self.flow, channel);
                    }
                });
                if receives && !self.out.partners.contains(&(q as u32)) {
                    self.out.partners.push(q as u32);
                }
            }
        }
    }

    fn note_operations(&mut self, action: &'m Action, times: u32) {
        match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } => {
                self.operations.push((self.flow.channels(self.p, channel), times));
            }
            Action::DStep(body) => {
                // which way the numbers run is a cheap and safe guess at loops
                let loops = body.transitions.iter().zip(sources(body)).any(|(t, source)| t.target <= source);
                body.transitions.iter().for_each(|t| self.note_operations(&t.action, times + u32::from(loops)));
            }
            _ => {}
        }
    }

    /// How often the move may change the length of one of these channels.
    fn count(&self, classes: &BitSet) -> u32 {
        self.operations.iter().filter(|(used, _)| used.intersects(classes)).map(|(_, times)| times).sum()
    }

    /// Has the first guard made sure that the channel is not empty (`receive`), or not full?
    fn is_assured(&self, receive: bool, channel: &Expr) -> bool {
        self.assured.iter().any(|(nempty, tested)| *nempty == receive && same_variable(tested, channel))
            && !self.is_written(channel)
    }

    fn is_written(&self, channel: &Expr) -> bool {
        matches!(&channel.kind, ExprKind::Load(place) if self.written.contains(&(place.region, place.variable)))
    }

    /// `own`: the operation itself, or the test that goes with it; else a test somewhere in the move.
    fn channel(&mut self, channel: &Expr, operation: Operation, own: bool) {
        let mut classes = BitSet::new(self.flow.classes());
        let mut synchronous = classes.clone();
        for c in self.flow.channels(self.p, channel).iter() {
            if self.flow.capacity[c] > 0 {
                classes.insert(c);
            } else if self.flow.escapes.contains(c) {
                synchronous.insert(c);
            }
        }
        self.out.synchronous.union(&synchronous);
        if classes.is_empty() {
            return;
        }
        let id = self.value(channel);
        let count = self.count(&classes);
        let many = if own { count > 1 } else { self.inner && count > 0 };
        let own = !matches!(id, Value::Any) && self.flow.is_own(channel);
        self.out.channels.push(ChannelAccess { classes, id, operation, many, own });
    }

    fn value(&self, expr: &Expr) -> Value {
        if let ExprKind::Constant(c) = expr.kind {
            return Value::Known(c);
        }
        let written = |place: &Place| self.written.contains(&(place.region, place.variable));
        match validity(self.flow.is_stable(self.p, expr), expr, &written) {
            Validity::Unknown => Value::Any,
            holds => Value::Expr(holds, Box::new(expr.clone())),
        }
    }

    fn place(&mut self, place: &'m Place, write: bool) {
        place.indices.iter().for_each(|index| self.read(&index.value));
        let (variable, owner) = match place.region {
            Region::Global | Region::Hidden => (VariableId { proctype: None, number: place.variable }, Owner::Nobody),
            Region::Local => {
                if self.flow.local_watched[self.p].get(place.variable as usize) != Some(&true) {
                    return;
                }
                (VariableId { proctype: Some(self.p as u32), number: place.variable }, Owner::Own)
            }
        };
        let indices = self.indices(variable, place);
        self.out.memory.push(MemoryAccess { variable, owner, indices, write });
    }

    /// One value per array level. Constant indices were folded into the offset and are found again by their strides.
    fn indices(&self, variable: VariableId, place: &Place) -> Vec<Value> {
        let declared = match variable.proctype {
            None => self.model.globals.get(variable.number as usize),
            Some(p) => self.model.proctypes[p as usize].locals.get(variable.number as usize),
        };
        let Some(declared) = declared else { return Vec::new() };
        let mut rest = place.offset.saturating_sub(declared.offset);
        let mut used = place.indices.iter().peekable();
        let mut values = Vec::with_capacity(declared.dimensions.len());
        for dimension in &declared.dimensions {
            if let Some(index) = used.next_if(|index| index.dimension == *dimension) {
                values.push(self.value(&index.value));
            } else {
                values.push(Value::Known((rest / dimension.stride.max(1)) as i32));
                rest %= dimension.stride.max(1);
            }
        }
        if used.next().is_some() {
            // the strides do not fit the declaration: say nothing about the indices
            values.iter_mut().for_each(|value| *value = Value::Any);
        }
        values
    }

    /// The value of an expression matters.
    pub fn read(&mut self, expr: &'m Expr) {
        match &expr.kind {
            ExprKind::Load(place) => return self.place(place, false),
            ExprKind::Channel(test, channel) => {
                self.channel(channel, Operation::Length { test: LengthTest::of(*test), required: false }, false);
            }
            ExprKind::Binary(op, a, b) => {
                if let Some((channel, test)) = length_comparison(*op, a, b) {
                    self.channel(channel, Operation::Length { test, required: false }, false);
                    return self.read(channel);
                }
            }
            ExprKind::Poll { channel, random, .. } => {
                self.channel(channel, Operation::Head { random: *random, required: false }, false);
            }
            ExprKind::Run { proctype, .. } => self.run(*proctype),
            ExprKind::ProcessCount => self.out.flags.add(Flags::COUNT),
            ExprKind::Last
            | ExprKind::NonProgress
            | ExprKind::Timeout
            | ExprKind::Enabled(_)
            | ExprKind::PcValue(_)
            | ExprKind::GetPriority(_)
            | ExprKind::SetPriority(..) => self.out.flags.add(Flags::EVERYTHING),
            ExprKind::RemoteLabel { proctype, pid, location } => {
                let of = pid.is_none().then_some(*proctype);
                let pid = pid.as_deref().map_or(Value::Any, |pid| self.value(pid));
                if let Some(number) = location_number(self.model, *proctype, *location) {
                    self.out.locations.push(LocationRead { proctype: of, pid, number });
                }
                self.out.flags.add(Flags::COUNT);
            }
            ExprKind::RemoteVariable(remote) => {
                let pid = remote.pid.as_deref().map_or(Value::Any, |pid| self.value(pid));
                let variable = VariableId { proctype: Some(remote.proctype), number: remote.place.variable };
                let indices = self.indices(variable, &remote.place);
                let owner = Owner::Process(pid);
                self.out.memory.push(MemoryAccess { variable, owner, indices, write: false });
                self.out.flags.add(Flags::COUNT);
            }
            _ => {}
        }
        visit::each_child(expr, &mut |child| self.read(child));
    }

    /// The move needs the expression to be true, and nothing more: what can only make it truer does not matter. Under
    /// `||` a part that becomes true may keep another from being evaluated, so there nothing may fail.
    fn require(&mut self, expr: &'m Expr) {
        match &expr.kind {
            ExprKind::Binary(BinaryOp::And, a, b) => {
                self.require(a);
                self.require(b);
            }
            ExprKind::Binary(BinaryOp::Or, a, b) if !visit::can_fault(expr) => {
                self.require(a);
                self.require(b);
                if self.out.flags.has(Flags::TIMEOUT) {
                    // not required after all
                    self.out.flags.add(Flags::EVERYTHING);
                }
            }
            ExprKind::Binary(op, a, b) if length_comparison(*op, a, b).is_some() => {
                if let Some((channel, test)) = length_comparison(*op, a, b) {
                    self.channel(channel, Operation::Length { test, required: true }, false);
                    self.read(channel);
                }
            }
            ExprKind::Unary(UnaryOp::Not, inner) => match &inner.kind {
                ExprKind::Channel(test, channel) => {
                    let opposite = match test {
                        ChannelTest::Empty => ChannelTest::NotEmpty,
                        ChannelTest::NotEmpty => ChannelTest::Empty,
                        ChannelTest::Full => ChannelTest::NotFull,
                        ChannelTest::NotFull => ChannelTest::Full,
                        ChannelTest::Len => return self.require_length(channel, BinaryOp::Equal, 0),
                    };
                    self.channel(channel, Operation::Length { test: LengthTest::of(opposite), required: true }, false);
                    self.read(channel);
                }
                ExprKind::Unary(UnaryOp::Not, again) => self.require(again),
                _ => self.read(expr),
            },
            ExprKind::Channel(ChannelTest::Len, channel) => self.require_length(channel, BinaryOp::Greater, 0),
            ExprKind::Channel(test, channel) => {
                self.channel(channel, Operation::Length { test: LengthTest::of(*test), required: true }, false);
                self.read(channel);
            }
            ExprKind::Poll { channel, random, arguments } => {
                self.channel(channel, Operation::Head { random: *random, required: true }, false);
                self.read(channel);
                self.patterns(arguments);
            }
            ExprKind::Timeout => self.out.flags.add(Flags::TIMEOUT),
            _ => self.read(expr),
        }
    }

    fn require_length(&mut self, channel: &'m Expr, op: BinaryOp, k: i32) {
        let test = LengthTest::Compare(op, k);
        self.channel(channel, Operation::Length { test, required: true }, false);
        self.read(channel);
    }

    fn run(&mut self, proctype: u32) {
        self.out.flags.add(Flags::RUN);
        if !self.out.spawns.contains(&proctype) {
            self.out.spawns.push(proctype);
        }
        let Some(made) = self.model.proctypes.get(proctype as usize) else { return };
        // its initialisers run now and may look at globals
        for initial in &made.initial {
            if let Initial::Assign(_, value) = initial {
                visit::walk(value, &mut |e| match &e.kind {
                    ExprKind::Load(place) if place.region != Region::Local => {
                        let variable = VariableId { proctype: None, number: place.variable };
                        let mut indices = self.indices(variable, place);
                        indices.iter_mut().for_each(|i| {
                            if matches!(i, Value::Expr(..)) {
                                *i = Value::Any;
                            }
                        });
                        self.out.memory.push(MemoryAccess { variable, owner: Owner::Nobody, indices, write: false });
                    }
                    ExprKind::Load(_) | ExprKind::Constant(_) | ExprKind::Unary(..) | ExprKind::Binary(..) => {}
                    ExprKind::Conditional(..) | ExprKind::Pid => {}
                    _ => self.out.flags.add(Flags::EVERYTHING),
                });
            }
        }
        // an id that dangles since its owner died becomes valid again
        self.own_channels(proctype as usize);
    }
}

/// The operands of a guard that are evaluated before it is found that `timeout` does not hold; all of it if it does not wait
/// for `timeout` in that way. True if the `timeout` was met.
fn before_timeout<'m>(guard: &'m Expr, operands: &mut Vec<&'m Expr>) -> bool {
    match &guard.kind {
        ExprKind::Timeout => true,
        ExprKind::Binary(BinaryOp::And, a, b) => before_timeout(a, operands) || before_timeout(b, operands),
        _ => {
            operands.push(guard);
            false
        }
    }
}
