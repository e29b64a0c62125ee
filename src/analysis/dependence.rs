//! Which moves depend on each other.
//!
//! Two moves that are both enabled in a state are independent there if neither disables the other and both orders lead to the
//! same state (Godefroid and Pirottin, CAV 1993; Katz and Peled's conditional independence). A search only ever asks about
//! moves that are enabled, so we answer the question for that case only. Much of what looks dependent on paper is then
//! independent: a receive and a send on one buffered channel commute wherever both are enabled, and the death of a process is
//! never enabled together with a move of a younger process.
//!
//! The answers are kept in tables. For every pair of [`Instance`]s (a process with its pid and the values it keeps for life)
//! there is a matrix with two bits per pair of transitions: "dependent" and "ask the state". The second bit is set where the
//! state decides: indices computed from variables, `chan` variables that change, and tests of a channel's length. A matrix is
//! made when it is first needed. So the common question costs one load and one shift.
//!
//! Sound if the footprints are (see [`super::footprint`]); `--check-independence` tries out every answer.

use super::block::sources;
use super::claims::{self, ChannelClaim};
use super::collect::Collected;
use super::flow::Flow;
use super::footprint::{Flags, Footprint, Validity, Value};
use super::relate::{Answer, InState, NoState, Party, evaluate, relate};
use super::symmetry::Sight;
use super::visit;
use crate::model::{ExprKind, Model, Region, Scalar};
use std::collections::HashMap;

/// What the analysis needs to know of a state.
pub trait StateView {
    /// Number of processes.
    fn process_count(&self) -> usize;
    /// Process type of a process.
    fn proctype(&self, pid: usize) -> usize;
    /// Location of a process.
    fn location(&self, pid: usize) -> u32;
    /// A scalar: in the process (`Region::Local`), the globals or the hidden variables.
    fn load(&self, pid: usize, region: Region, offset: u32, scalar: Scalar) -> i32;
    /// Messages in a channel; `None` if no channel has this id.
    fn channel_length(&self, id: i32) -> Option<i32>;
    /// Slots of a channel; 0 is a rendezvous channel.
    fn channel_capacity(&self, id: i32) -> Option<i32>;
}

/// A process as the analysis knows it: its type, its pid and the values that never change during its life.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Process type.
    pub proctype: usize,
    /// `None` stands for any process of this type that may yet be made.
    pub pid: Option<usize>,
    /// Footprints of its moves, with all that is known for life filled in.
    pub footprints: Vec<Footprint>,
    /// The channels it claims with `xr` and `xs`, as far as they are known for life.
    pub claims: Vec<ChannelClaim>,
}

/// Two bits for each pair of transitions of two instances.
#[derive(Clone, Debug, Default)]
struct Matrix {
    /// Words per row, of each of the two bits.
    width: usize,
    /// Row by row: the "dependent" words, then the "ask" words.
    words: Vec<u64>,
}

impl Matrix {
    fn new(rows: usize, columns: usize) -> Matrix {
        let width = columns.div_ceil(64);
        Matrix { width, words: vec![0; rows * width * 2] }
    }

    fn set(&mut self, row: usize, column: usize, answer: Answer) {
        let at = row * self.width * 2 + column / 64;
        let bit = 1 << (column % 64);
        match answer {
            Answer::Independent => {}
            Answer::Dependent => self.words[at] |= bit,
            Answer::Ask => self.words[at + self.width] |= bit,
        }
    }

    #[inline]
    fn get(&self, row: usize, column: usize) -> Answer {
        let at = row * self.width * 2 + column / 64;
        let shift = column % 64;
        if self.words[at] >> shift & 1 == 1 {
            Answer::Dependent
        } else if self.words[at + self.width] >> shift & 1 == 1 {
            Answer::Ask
        } else {
            Answer::Independent
        }
    }
}

/// Half of a move: a process and the number of the transition it takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// The process.
    pub pid: u8,
    /// Number of the transition in its automaton.
    pub transition: u32,
}

/// A move: one process, or two in a rendezvous.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The process that moves, or the sender.
    pub actor: Part,
    /// The receiver.
    pub partner: Option<Part>,
}

/// Instances are forgotten when there are this many: a model may make processes with ever new arguments.
const MAX_INSTANCES: usize = 2048;

/// A table of pairs takes a few bits for each two transitions: with more of them in one process type (a `select` over a wide
/// range is as many) it would take more than the states.
const MAX_TRANSITIONS: usize = 4096;

/// Bytes of a footprint with what hangs on it, about.
const FOOTPRINT: usize = 512;

/// The dependence relation of a model. Follow the processes with [`Dependence::refresh`], then ask.
pub struct Dependence<'m> {
    /// The model.
    pub model: &'m Model,
    /// What flows where.
    pub flow: Flow,
    /// Footprints by process type and transition, before an instance is known.
    pub footprints: Vec<Vec<Footprint>>,
    /// Source location of every transition, by process type.
    pub sources: Vec<Vec<u32>>,
    /// Every move counts as dependent on every other: because of `_last`, priorities, or a process type that is too large.
    everything: bool,
    /// Sends to full channels are executable and lose the message.
    lossy: bool,
    /// States count as equal that differ only in pids and in finished processes; see [`super::symmetry`].
    blind: bool,
    /// By process type: the locals that are fixed for life and matter.
    fixed: Vec<Vec<(u32, Scalar)>>,
    instances: Vec<Instance>,
    index: HashMap<(usize, usize, Vec<i32>), usize>,
    /// By pid: the instance it is now, with the fixed values it was found by.
    current: Vec<(usize, Vec<i32>)>,
    /// `matrices[a][b]`, made on demand.
    matrices: Vec<Vec<Option<Box<Matrix>>>>,
    /// Counts how often the instances were forgotten.
    generation: u64,
    /// Bytes of instances and matrices, about.
    memory: usize,
}

impl<'m> Dependence<'m> {
    /// Analyses a model.
    pub fn new(model: &'m Model) -> Dependence<'m> {
        let flow = Flow::new(model);
        let footprints = Collected::new(model, &flow).footprints;
        let too_large = footprints.iter().any(|list| list.len() > MAX_TRANSITIONS);
        let fixed = footprints.iter().enumerate().map(|(p, list)| fixed_locals(model, &flow, p, list)).collect();
        Dependence {
            model,
            footprints,
            sources: model.proctypes.iter().map(|p| sources(&p.automaton)).collect(),
            everything: model.uses.last || model.uses.priorities || too_large,
            lossy: false,
            blind: false,
            fixed,
            instances: Vec::new(),
            index: HashMap::new(),
            current: Vec::new(),
            matrices: Vec::new(),
            generation: 0,
            memory: 0,
            flow,
        }
    }

    /// With `spin -m`: a send to a full channel is executable and the message is lost.
    #[must_use]
    pub fn lossy(mut self, lossy: bool) -> Self {
        self.lossy = lossy;
        self
    }

    /// Takes states that differ only in what nobody can see of pids for equal, if the model allows it. Gives the number of
    /// births up to which that is right, if it must be watched; without `counts` such models are left alone.
    pub fn up_to_pids(&mut self, strict_channels: bool, counts: bool) -> Option<u32> {
        let flags = self.footprints.iter().flatten().map(|footprint| footprint.flags);
        let both = flags.into_iter().any(|flags| flags.has(Flags::RUN) && flags.has(Flags::DEATH));
        let bound = match super::symmetry::sight(self.model, &self.flow, strict_channels) {
            Sight::Blind => None,
            Sight::BlindUpTo(births) if counts && !both => Some(births),
            _ => return None,
        };
        self.blind = true;
        bound
    }

    /// Are states taken for equal that differ only in what nobody can see of pids?
    pub fn is_blind(&self) -> bool {
        self.blind
    }

    /// Does this move make or end a process? [`Dependence::refresh`] is needed after it and after undoing it.
    pub fn changes_processes(&self, proctype: usize, transition: usize) -> bool {
        let footprint = &self.footprints[proctype][transition];
        footprint.flags.has(Flags(Flags::RUN.0 | Flags::DEATH.0)) || !footprint.partners.is_empty()
    }

    /// Is every pair of moves dependent?
    pub fn is_total(&self) -> bool {
        self.everything
    }

    /// Takes note of the processes of a state. Cheap when they are those of the last call.
    pub fn refresh(&mut self, view: &impl StateView) {
        let count = view.process_count();
        self.current.truncate(count);
        for pid in 0..count {
            let proctype = view.proctype(pid);
            if let Some((instance, values)) = self.current.get(pid) {
                let same = self.instances[*instance].proctype == proctype
                    && self.fixed[proctype]
                        .iter()
                        .zip(values)
                        .all(|(&(offset, scalar), value)| view.load(pid, Region::Local, offset, scalar) == *value);
                if same {
                    continue;
                }
            }
            let values: Vec<i32> = self.fixed[proctype]
                .iter()
                .map(|&(offset, scalar)| view.load(pid, Region::Local, offset, scalar))
                .collect();
            let instance = self.find(view, pid, proctype, &values);
            match self.current.get_mut(pid) {
                Some(slot) => *slot = (instance, values),
                None => self.current.push((instance, values)),
            }
        }
    }

    fn find(&mut self, view: &impl StateView, pid: usize, proctype: usize, values: &[i32]) -> usize {
        let key = (pid, proctype, values.to_vec());
        if let Some(&instance) = self.index.get(&key) {
            return instance;
        }
        if self.instances.len() >= MAX_INSTANCES {
            // what is in use now must survive: those before `pid` are found again at once
            let kept: Vec<(usize, Vec<i32>)> = std::mem::take(&mut self.current);
            let used: Vec<Instance> = kept.iter().map(|(i, _)| self.instances[*i].clone()).collect();
            self.index.clear();
            self.matrices.clear();
            self.instances.clear();
            self.memory = 0;
            self.generation += 1;
            for (instance, (_, values)) in used.into_iter().zip(kept) {
                let number = self.instances.len();
                self.index.insert((self.current.len(), instance.proctype, values.clone()), number);
                self.add(instance);
                self.current.push((number, values));
            }
        }
        let mut footprints = self.footprints[proctype].clone();
        for footprint in &mut footprints {
            footprint.resolve(Validity::Stable, &mut |expr| evaluate(view, pid, expr));
            // the trace is not concerned with channels that turn out to be others
            if let Some(trace) = &self.model.trace {
                footprint.traced.retain(|traced| {
                    let scope = if traced.send { &trace.sends } else { &trace.receives };
                    !matches!(traced.id, Value::Known(id) if !scope.iter().any(|&concern| concern as i32 == id))
                });
            }
        }
        let claims = claims::of(self.model, &self.flow, proctype, |expr| evaluate(view, pid, expr));
        let instance = self.add(Instance { proctype, pid: Some(pid), footprints, claims });
        self.index.insert(key, instance);
        instance
    }

    fn add(&mut self, instance: Instance) -> usize {
        self.memory += instance.footprints.len() * FOOTPRINT;
        self.instances.push(instance);
        self.instances.len() - 1
    }

    /// The instance of every process type that stands for processes yet to be made.
    pub fn generic(&mut self, proctype: usize) -> usize {
        let key = (usize::MAX, proctype, Vec::new());
        if let Some(&instance) = self.index.get(&key) {
            return instance;
        }
        let mut footprints = self.footprints[proctype].clone();
        footprints.iter_mut().for_each(Footprint::forget);
        let instance = self.add(Instance { proctype, pid: None, footprints, claims: Vec::new() });
        self.index.insert(key, instance);
        instance
    }

    /// Bytes of what grows while a search goes on.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// The instance that a process is now.
    #[inline]
    pub fn instance_of(&self, pid: usize) -> usize {
        self.current[pid].0
    }

    /// An instance by its number.
    pub fn instance(&self, number: usize) -> &Instance {
        &self.instances[number]
    }

    /// Grows by one whenever instance numbers get a new meaning.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Are two footprints of two instances dependent, whatever the state? `claims`: what the first claims and is believed.
    pub fn relate_instances(
        &self,
        (a, first): (usize, &Footprint),
        (b, second): (usize, &Footprint),
        claims: &[ChannelClaim],
    ) -> Answer {
        if self.everything {
            return Answer::Dependent;
        }
        let (a, b) = (&self.instances[a], &self.instances[b]);
        let first = Party { proctype: a.proctype, pid: a.pid, footprint: first, claims };
        let second = Party { proctype: b.proctype, pid: b.pid, footprint: second, claims: &[] };
        relate(&first, &second, &NoState { lossy: self.lossy, blind: self.blind })
    }

    fn matrix(&mut self, a: usize, b: usize) -> &Matrix {
        if self.matrices.len() <= a {
            self.matrices.resize_with(a + 1, Vec::new);
        }
        if self.matrices[a].len() <= b {
            self.matrices[a].resize_with(b + 1, || None);
        }
        if self.matrices[a][b].is_none() {
            let (rows, columns) = (self.instances[a].footprints.len(), self.instances[b].footprints.len());
            let mut matrix = Matrix::new(rows, columns);
            for row in 0..rows {
                for column in 0..columns {
                    let (first, second) = (&self.instances[a].footprints[row], &self.instances[b].footprints[column]);
                    matrix.set(row, column, self.relate_instances((a, first), (b, second), &[]));
                }
            }
            self.memory += matrix.words.len() * size_of::<u64>() + size_of::<Matrix>();
            self.matrices[a][b] = Some(Box::new(matrix));
        }
        // just filled in
        self.matrices[a][b].get_or_insert_default()
    }

    /// The answer that holds in every state, for two processes of the present state.
    #[inline]
    pub fn statically(&mut self, a: Part, b: Part) -> Answer {
        if self.everything {
            return Answer::Dependent;
        }
        let (i, j) = (self.instance_of(a.pid as usize), self.instance_of(b.pid as usize));
        let (row, column) = (a.transition as usize, b.transition as usize);
        if let Some(Some(matrix)) = self.matrices.get(i).and_then(|list| list.get(j)) {
            return matrix.get(row, column);
        }
        self.matrix(i, j).get(row, column)
    }

    /// The answer that holds in every state, for two moves of the present state.
    #[inline]
    pub fn move_statically(&mut self, a: &Move, b: &Move) -> Answer {
        let mut answer = self.parts_statically(a.actor, b.actor);
        if let Some(p) = a.partner {
            answer = answer.max(self.parts_statically(p, b.actor));
        }
        if let Some(q) = b.partner {
            answer = answer.max(self.parts_statically(a.actor, q));
            if let Some(p) = a.partner {
                answer = answer.max(self.parts_statically(p, q));
            }
        }
        answer
    }

    #[inline]
    fn parts_statically(&mut self, a: Part, b: Part) -> Answer {
        if a.pid == b.pid { Answer::Dependent } else { self.statically(a, b) }
    }

    /// Do two halves of moves, both enabled in this state, depend on each other?
    #[inline]
    pub fn parts_dependent(&mut self, view: &impl StateView, a: Part, b: Part) -> bool {
        if a.pid == b.pid {
            return true;
        }
        match self.statically(a, b) {
            Answer::Independent => false,
            Answer::Dependent => true,
            Answer::Ask => self.ask(view, a, b),
        }
    }

    #[cold]
    fn ask(&self, view: &impl StateView, a: Part, b: Part) -> bool {
        let party = |part: Part| {
            let instance = &self.instances[self.instance_of(part.pid as usize)];
            let footprint = &instance.footprints[part.transition as usize];
            Party { proctype: instance.proctype, pid: instance.pid, footprint, claims: &[] }
        };
        relate(&party(a), &party(b), &InState { view, lossy: self.lossy }) != Answer::Independent
    }

    /// Do two moves that are both enabled in this state depend on each other there?
    #[inline]
    pub fn dependent(&mut self, view: &impl StateView, a: &Move, b: &Move) -> bool {
        if self.parts_dependent(view, a.actor, b.actor) {
            return true;
        }
        match (a.partner, b.partner) {
            (None, None) => false,
            (Some(p), None) => self.parts_dependent(view, p, b.actor),
            (None, Some(q)) => self.parts_dependent(view, a.actor, q),
            (Some(p), Some(q)) => {
                self.parts_dependent(view, p, b.actor)
                    || self.parts_dependent(view, a.actor, q)
                    || self.parts_dependent(view, p, q)
            }
        }
    }
}

/// The locals of a process type that stable expressions in its footprints are built from.
fn fixed_locals(model: &Model, flow: &Flow, p: usize, footprints: &[Footprint]) -> Vec<(u32, Scalar)> {
    let locals = &model.proctypes[p].locals;
    let mut used = vec![false; locals.len()];
    let mut note = |value: &Value| {
        if let Value::Expr(Validity::Stable, expr) = value {
            visit::walk(expr, &mut |e| {
                if let ExprKind::Load(place) = &e.kind
                    && place.region == Region::Local
                    && let Some(flag) = used.get_mut(place.variable as usize)
                {
                    *flag = true;
                }
            });
        }
    };
    for footprint in footprints {
        footprint.each_value(&mut note);
    }
    for (_, channel, _) in model.proctypes[p].exclusive.iter().filter(|(_, channel, _)| flow.is_stable(p, channel)) {
        note(&Value::Expr(Validity::Stable, Box::new(channel.clone())));
    }
    let mut fixed = Vec::new();
    for (number, local) in locals.iter().enumerate() {
        if !used[number] || flow.local_written[p].get(number) != Some(&false) {
            continue;
        }
        let mut offsets = vec![local.offset];
        for dimension in &local.dimensions {
            offsets = offsets
                .iter()
                .flat_map(|&base| (0..dimension.length).map(move |i| base + i * dimension.stride))
                .collect();
        }
        fixed.extend(offsets.into_iter().map(|offset| (offset, local.scalar)));
    }
    fixed
}
