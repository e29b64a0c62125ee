//! Footprints and dependence on small models built by hand.

use super::dependence::{Dependence, Part, StateView};
use super::footprint::{Flags, Operation};
use super::relate::Answer;
use crate::model::*;
use crate::source::Span;

fn at(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn number(value: i32) -> Expr {
    at(ExprKind::Constant(value))
}

fn variable(region: Region, number: u32, ty: ScalarType) -> Place {
    let (scalar, span) = (Scalar::U8, Span::default());
    Place { region, offset: number, scalar, ty, indices: Vec::new(), variable: number, span }
}

fn global(number: u32) -> Place {
    variable(Region::Global, number, ScalarType::Byte)
}

fn channel(local: u32) -> Expr {
    at(ExprKind::Load(variable(Region::Local, local, ScalarType::Chan)))
}

fn step(action: Action, target: u32, atomic: bool) -> Transition {
    let (escape, kind, text, span) = (0, TransitionType::Other, "".into(), Span::default());
    Transition { action, target, atomic, escape, kind, text, span, after: After::default() }
}

fn receive(from: Expr) -> Action {
    Action::Receive { channel: from, random: false, copy: false, arguments: vec![ReceiveArgument::Ignore] }
}

fn send(to: Expr) -> Action {
    Action::Send { channel: to, sorted: false, arguments: vec![number(1)] }
}

fn declared(region: Region, number: u32, ty: ScalarType) -> Variable {
    let (path, scalar, span) = ("v".into(), Scalar::U8, Span::default());
    Variable { path, ty, region, offset: number, scalar, dimensions: Vec::new(), show: false, span }
}

/// A process type with one location per transition, and two `chan` parameters.
fn proctype(actions: Vec<(Action, bool)>) -> Proctype {
    let mut automaton = Automaton::default();
    for (number, (action, atomic)) in actions.into_iter().enumerate() {
        automaton.locations.push(Location { first: number as u32, count: 1, ..Location::default() });
        automaton.transitions.push(step(action, number as u32 + 1, atomic));
    }
    automaton.locations.push(Location { first: automaton.transitions.len() as u32, ..Location::default() });
    Proctype {
        name: "p".into(),
        kind: ProctypeKind::Proctype,
        deterministic: false,
        parameters: (0..2).map(|k| variable(Region::Local, k, ScalarType::Chan)).collect(),
        locals: (0..2).map(|k| declared(Region::Local, k, ScalarType::Chan)).collect(),
        size: 5,
        channels: Vec::new(),
        initial: Vec::new(),
        provided: None,
        priority: 1,
        exclusive: Vec::new(),
        automaton,
        span: Span::default(),
    }
}

/// Two global channels of two slots, four global bytes, and an array `a[4]` behind them.
fn model(proctypes: Vec<Proctype>) -> Model {
    let field = Field { ty: ScalarType::Byte, scalar: Scalar::U8, offset: 0 };
    let channels = (0..2).map(|k| Channel {
        name: "q".into(),
        capacity: 2,
        fields: vec![field],
        slot_size: 1,
        offset: k * 3,
        span: Span::default(),
    });
    let mut globals: Vec<Variable> = (0..4).map(|k| declared(Region::Global, k, ScalarType::Byte)).collect();
    globals.push(Variable {
        dimensions: vec![Dimension { length: 4, stride: 1 }],
        ..declared(Region::Global, 4, ScalarType::Byte)
    });
    // `init` passes both channels on, so that the parameters may be either
    let run = at(ExprKind::Run { proctype: 0, arguments: vec![number(1), number(2)], priority: None });
    let other = at(ExprKind::Run { proctype: 1, arguments: vec![number(2), number(1)], priority: None });
    let mut all = proctypes;
    all.push(proctype(vec![(Action::Guard(run), false), (Action::Guard(other), false), (Action::End, false)]));
    Model {
        name: "hand".into(),
        fingerprint: 0,
        mtypes: Vec::new(),
        globals,
        hidden_size: 0,
        global_size: 8,
        channels: channels.collect(),
        initial: Vec::new(),
        proctypes: all,
        processes: Vec::new(),
        claims: Vec::new(),
        broken: Vec::new(),
        trace: None,
        uses: Uses::default(),
    }
}

/// Process `k` is of type `k`; its parameters and the globals as given.
struct State {
    parameters: Vec<[i32; 2]>,
    globals: [i32; 8],
    lengths: [i32; 2],
}

impl StateView for State {
    fn process_count(&self) -> usize {
        self.parameters.len()
    }
    fn proctype(&self, pid: usize) -> usize {
        pid
    }
    fn location(&self, _: usize) -> u32 {
        0
    }
    fn load(&self, pid: usize, region: Region, offset: u32, _: Scalar) -> i32 {
        if region == Region::Local { self.parameters[pid][offset as usize] } else { self.globals[offset as usize] }
    }
    fn channel_length(&self, id: i32) -> Option<i32> {
        self.lengths.get(usize::try_from(id - 1).ok()?).copied()
    }
    fn channel_capacity(&self, id: i32) -> Option<i32> {
        (1..=2).contains(&id).then_some(2)
    }
}

fn state() -> State {
    State { parameters: vec![[1, 2], [2, 1], [0, 0]], globals: [0; 8], lengths: [1, 1] }
}

fn part(pid: u8, transition: u32) -> Part {
    Part { pid, transition }
}

fn element(index: Expr) -> Place {
    let dimension = Dimension { length: 4, stride: 1 };
    Place { indices: vec![Index { value: index, dimension }], ..global(4) }
}

#[test]
fn two_reads_commute_and_a_write_does_not() {
    let read = || Action::Guard(at(ExprKind::Load(global(0))));
    let a = proctype(vec![(read(), false), (Action::Assign(global(1), number(1)), false)]);
    let b = proctype(vec![(read(), false), (Action::Assign(global(0), number(1)), false)]);
    let model = model(vec![a, b]);
    let mut relation = Dependence::new(&model);
    relation.refresh(&state());
    assert_eq!(relation.statically(part(0, 0), part(1, 0)), Answer::Independent);
    assert_eq!(relation.statically(part(0, 0), part(1, 1)), Answer::Dependent);
    assert_eq!(relation.statically(part(0, 1), part(1, 1)), Answer::Independent);
}

#[test]
fn channels_are_followed_through_parameters() {
    // type 0 has (1, 2), type 1 has (2, 1): parameter 0 of one is parameter 1 of the other
    let a = proctype(vec![(send(channel(0)), false), (receive(channel(0)), false)]);
    let b = proctype(vec![(send(channel(0)), false), (receive(channel(1)), false), (send(channel(1)), false)]);
    let model = model(vec![a, b]);
    let mut relation = Dependence::new(&model);
    relation.refresh(&state());
    assert_eq!(relation.statically(part(0, 0), part(1, 0)), Answer::Independent, "different channels");
    assert_eq!(relation.statically(part(0, 0), part(1, 1)), Answer::Independent, "send and receive, both enabled");
    assert_eq!(relation.statically(part(0, 0), part(1, 2)), Answer::Dependent, "two sends");
    assert_eq!(relation.statically(part(0, 1), part(1, 1)), Answer::Dependent, "two receives");
}

#[test]
fn length_tests_know_what_can_change_them() {
    let len = || Box::new(at(ExprKind::Channel(ChannelTest::Len, Box::new(channel(0)))));
    let compare = |op, k| Action::Guard(at(ExprKind::Binary(op, len(), Box::new(number(k)))));
    let a = proctype(vec![(compare(BinaryOp::Greater, 0), false), (compare(BinaryOp::Equal, 0), false)]);
    let b = proctype(vec![(send(channel(1)), false), (receive(channel(1)), false)]);
    let model = model(vec![a, b]);
    let mut relation = Dependence::new(&model);
    let mut now = state();
    relation.refresh(&now);
    assert_eq!(relation.statically(part(0, 0), part(1, 0)), Answer::Independent, "stays true");
    assert_eq!(relation.statically(part(0, 1), part(1, 1)), Answer::Independent, "never enabled together");
    assert_eq!(relation.statically(part(0, 0), part(1, 1)), Answer::Ask);
    assert!(relation.parts_dependent(&now, part(0, 0), part(1, 1)), "takes the last message");
    now.lengths[0] = 2;
    assert!(!relation.parts_dependent(&now, part(0, 0), part(1, 1)), "one is left");
}

#[test]
fn indices_are_told_apart() {
    let a = proctype(vec![(Action::Assign(element(at(ExprKind::Pid)), number(1)), false)]);
    let computed = at(ExprKind::Load(global(1)));
    let b = proctype(vec![
        (Action::Assign(element(at(ExprKind::Pid)), number(1)), false),
        (Action::Assign(element(computed), number(1)), false),
        (Action::Assign(Place { offset: 6, ..global(4) }, number(1)), false),
    ]);
    let bump = proctype(vec![(Action::Assign(global(1), number(2)), false)]);
    let model = model(vec![a, b, bump]);
    let mut relation = Dependence::new(&model);
    let mut now = state();
    relation.refresh(&now);
    assert_eq!(relation.statically(part(0, 0), part(1, 0)), Answer::Independent, "a[0] and a[1]");
    assert_eq!(relation.statically(part(0, 0), part(1, 2)), Answer::Independent, "a[0] and a[2], folded");
    assert_eq!(relation.statically(part(0, 0), part(1, 1)), Answer::Ask);
    assert!(relation.parts_dependent(&now, part(0, 0), part(1, 1)));
    now.globals[1] = 3;
    assert!(!relation.parts_dependent(&now, part(0, 0), part(1, 1)));
}

#[test]
fn births_and_deaths_depend_on_each_other() {
    let a = proctype(vec![(Action::End, false), (Action::Guard(at(ExprKind::ProcessCount)), false)]);
    let b = proctype(vec![(Action::Skip, false)]);
    let model = model(vec![a, b]);
    let mut relation = Dependence::new(&model);
    relation.refresh(&state());
    assert_eq!(relation.statically(part(0, 1), part(2, 0)), Answer::Dependent, "_nr_pr and run");
    assert_eq!(relation.statically(part(0, 1), part(2, 2)), Answer::Dependent, "_nr_pr and the death of a younger one");
    assert_eq!(relation.statically(part(0, 0), part(2, 0)), Answer::Independent, "cannot die before process 2");
    assert_eq!(relation.statically(part(1, 0), part(2, 0)), Answer::Independent);
    assert!(relation.footprints[2][0].flags.has(Flags::RUN));
}

#[test]
fn a_block_is_the_union_of_its_steps() {
    let a = proctype(vec![
        (Action::Assign(global(0), number(1)), true),
        (receive(channel(0)), true),
        (Action::Assign(global(1), number(1)), false),
        (Action::Assign(global(2), number(1)), false),
    ]);
    let b = proctype(vec![
        (Action::Guard(at(ExprKind::Load(global(1)))), false),
        (Action::Guard(at(ExprKind::Load(global(2)))), false),
        (send(channel(1)), false),
    ]);
    let model = model(vec![a, b]);
    let mut relation = Dependence::new(&model);
    let mut now = state();
    relation.refresh(&now);
    assert_eq!(relation.statically(part(0, 0), part(1, 0)), Answer::Dependent);
    assert_eq!(relation.statically(part(0, 0), part(1, 1)), Answer::Independent, "behind the block");
    let heads = relation.footprints[0][0].channels.iter().filter(|c| matches!(c.operation, Operation::Head { .. }));
    assert_eq!(heads.count(), 1, "a receive inside a block may block: whether it does matters");
    assert!(!relation.parts_dependent(&now, part(0, 0), part(1, 2)), "a message is there");
    now.lengths[0] = 0;
    assert!(relation.parts_dependent(&now, part(0, 0), part(1, 2)), "the send decides how far the block goes");
}
