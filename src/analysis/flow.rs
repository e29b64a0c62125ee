//! What flows where in a model, whatever the state: which variables are ever written after their creation, which locals other
//! processes look at, and which channels a `chan` value may denote.
//!
//! The channel analysis is Andersen's (inclusion-based, flow-insensitive) on a tiny domain. An abstract channel is a global
//! channel, or the k-th own channel of a process type (of all its instances together). A variable holds a set of abstract
//! channels. One common mailbox stands for everything that is ever sent as a message field of type `chan`. A channel id that
//! comes out of arithmetic or out of a variable of another type may be any channel. Costs one fixed point over the model,
//! before the search.

use super::block::can_end;
use super::visit;
use crate::model::{Action, Expr, ExprKind, Initial, Model, Place, ReceiveArgument, Region, ScalarType};

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    /// The empty set over `0..size`.
    pub fn new(size: usize) -> BitSet {
        BitSet(vec![0; size.div_ceil(64)])
    }

    /// Adds one; false if it was there (or lies outside).
    pub fn insert(&mut self, i: usize) -> bool {
        let Some(word) = self.0.get_mut(i / 64) else { return false };
        let before = *word;
        *word |= 1 << (i % 64);
        *word != before
    }

    /// Takes one out.
    pub fn remove(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word &= !(1 << (i % 64));
        }
    }

    /// Is it there?
    pub fn contains(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// Adds all of `other`; true if anything was new.
    pub fn union(&mut self, other: &BitSet) -> bool {
        let mut grown = false;
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            grown |= *b & !*a != 0;
            *a |= b;
        }
        grown
    }

    /// Have they anything in common?
    pub fn intersects(&self, other: &BitSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Have these bits, 64 in a word, anything in common with it?
    pub fn meets(&self, words: &[u64]) -> bool {
        self.0.iter().zip(words).any(|(a, b)| a & b != 0)
    }

    /// Its bits, 64 in a word.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Nothing in it?
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Its members in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(w, &word)| (0..64).filter(move |b| word >> b & 1 == 1).map(move |b| w * 64 + b))
    }

    /// The only member, if there is one only.
    pub fn single(&self) -> Option<usize> {
        let mut members = self.iter();
        let first = members.next()?;
        members.next().is_none().then_some(first)
    }
}

/// Facts about a model that hold in every state.
#[derive(Clone, Debug)]
pub struct Flow {
    /// By number of a global variable: some transition writes it.
    pub global_written: Vec<bool>,
    /// By process type and number of a local: some transition writes it. The others hold for the life of a process.
    pub local_written: Vec<Vec<bool>>,
    /// By process type and number of a local: another process (or the claim) reads it.
    pub local_watched: Vec<Vec<bool>>,
    /// Abstract channels: first the global ones, then from `own_channels[p]` on those of process type `p`.
    pub own_channels: Vec<usize>,
    /// By abstract channel: its capacity.
    pub capacity: Vec<u32>,
    /// Own channels of processes that may be used after their owner's death. Not those that only ever are in variables
    /// that nobody writes: such a variable is a parameter, set when its process was made by one that holds the channel,
    /// so its process is younger than the owner and dies before it.
    pub escapes: BitSet,
    /// By process type: receives that only an offer brings to light, and whose look can be an error; see `super::offers`.
    pub overlooked: Vec<BitSet>,
    /// By process type and location: the abstract channels on which a process there may take an offer; see `super::offers`.
    pub hearing: Vec<Vec<BitSet>>,
    /// By global variable: the abstract channels it may hold.
    global_channels: Vec<BitSet>,
    /// By process type and local: the abstract channels it may hold.
    local_channels: Vec<Vec<BitSet>>,
}

/// The actions of the processes (not of claims and traces).
fn process_actions<'m>(model: &'m Model, f: &mut impl FnMut(usize, &'m Action)) {
    for (p, proctype) in model.proctypes.iter().enumerate() {
        visit::actions(&proctype.automaton, &mut |action| f(p, action));
    }
}

impl Flow {
    /// Analyses a model.
    pub fn new(model: &Model) -> Flow {
        let mut own_channels = Vec::with_capacity(model.proctypes.len());
        let mut capacity: Vec<u32> = model.channels.iter().map(|c| c.capacity).collect();
        for proctype in &model.proctypes {
            own_channels.push(capacity.len());
            capacity.extend(proctype.channels.iter().map(|c| c.capacity));
        }
        let classes = capacity.len();
        let locals = |value| model.proctypes.iter().map(|p| vec![value; p.locals.len()]).collect::<Vec<_>>();
        let mut flow = Flow {
            global_written: vec![false; model.globals.len()],
            local_written: locals(false),
            local_watched: locals(false),
            own_channels,
            capacity,
            escapes: BitSet::new(classes),
            overlooked: Vec::new(),
            hearing: Vec::new(),
            global_channels: vec![BitSet::new(classes); model.globals.len()],
            local_channels: model.proctypes.iter().map(|p| vec![BitSet::new(classes); p.locals.len()]).collect(),
        };
        process_actions(model, &mut |p, action| {
            visit::writes(action, &mut |place, _| {
                let written = match place.region {
                    Region::Local => flow.local_written[p].get_mut(place.variable as usize),
                    Region::Global | Region::Hidden => flow.global_written.get_mut(place.variable as usize),
                };
                if let Some(written) = written {
                    *written = true;
                }
            });
        });
        flow.note_resets(model);
        flow.note_remote_references(model);
        flow.follow_channels(model);
        flow.overlooked = super::offers::overlooked(model, &flow);
        flow.hearing = super::offers::hearing(model, &flow);
        flow
    }

    /// A global that is set to 0 where it is dead does not hold for life, although no statement may be left that writes it. (A local does:
    /// whoever uses its value knows the process by the values of such locals.)
    fn note_resets(&mut self, model: &Model) {
        let transitions = model.proctypes.iter().flat_map(|proctype| &proctype.automaton.transitions);
        for place in transitions.flat_map(|transition| &transition.after.resets) {
            if place.region != Region::Local
                && let Some(written) = self.global_written.get_mut(place.variable as usize)
            {
                *written = true;
            }
        }
    }

    fn note_remote_references(&mut self, model: &Model) {
        let watched = &mut self.local_watched;
        let mut note = |expr: &Expr| {
            visit::walk(expr, &mut |e| {
                if let ExprKind::RemoteVariable(remote) = &e.kind
                    && let Some(flag) = watched
                        .get_mut(remote.proctype as usize)
                        .and_then(|w| w.get_mut(remote.place.variable as usize))
                {
                    *flag = true;
                }
            });
        };
        process_actions(model, &mut |_, action| visit::expressions(action, &mut note));
        for claim in &model.claims {
            visit::actions(&claim.body.automaton, &mut |action| visit::expressions(action, &mut note));
        }
        for proctype in &model.proctypes {
            proctype.provided.iter().for_each(&mut note);
        }
        if let Some(trace) = &model.trace {
            visit::actions(&trace.body.automaton, &mut |action| visit::expressions(action, &mut note));
        }
    }

    /// Number of abstract channels.
    pub fn classes(&self) -> usize {
        self.capacity.len()
    }

    /// All of them.
    pub fn all(&self) -> BitSet {
        let mut set = BitSet::new(self.classes());
        for class in 0..self.classes() {
            set.insert(class);
        }
        set
    }

    /// The abstract channels an expression may denote when code of process type `p` evaluates it.
    pub fn channels(&self, p: usize, expr: &Expr) -> BitSet {
        match &expr.kind {
            ExprKind::Load(place) if place.ty == ScalarType::Chan => match place.region {
                Region::Local => self.local_channels[p].get(place.variable as usize).cloned(),
                Region::Global | Region::Hidden => self.global_channels.get(place.variable as usize).cloned(),
            }
            .unwrap_or_else(|| self.all()),
            ExprKind::Conditional(_, a, b) => {
                let mut set = self.channels(p, a);
                set.union(&self.channels(p, b));
                set
            }
            ExprKind::Constant(id) if (1..=self.own_channels.first().copied().unwrap_or(0) as i32).contains(id) => {
                let mut set = BitSet::new(self.classes());
                set.insert(*id as usize - 1);
                set
            }
            ExprKind::Constant(0) => BitSet::new(self.classes()),
            _ => self.all(),
        }
    }

    fn add(&mut self, p: usize, place: &Place, set: &BitSet) -> bool {
        if place.ty != ScalarType::Chan {
            return false;
        }
        let held = match place.region {
            Region::Local => self.local_channels[p].get_mut(place.variable as usize),
            Region::Global | Region::Hidden => self.global_channels.get_mut(place.variable as usize),
        };
        held.is_some_and(|held| held.union(set))
    }

    fn initial(&mut self, p: usize, first: usize, initial: &[Initial]) -> bool {
        let mut grown = false;
        for action in initial {
            match action {
                Initial::Channel(place, number) => {
                    let mut set = BitSet::new(self.classes());
                    set.insert(first + *number as usize);
                    grown |= self.add(p, place, &set);
                }
                Initial::Assign(place, value) => {
                    if place.ty == ScalarType::Chan {
                        let set = self.channels(p, value);
                        grown |= self.add(p, place, &set);
                    }
                }
            }
        }
        grown
    }

    /// Follows channels until nothing is new. What may dangle is found from what escapes, and then flows on: a message that
    /// is sent to a dangling id may end up in a channel with other fields.
    fn follow_channels(&mut self, model: &Model) {
        let mut mailbox = BitSet::new(self.classes());
        let made_up = makes_up_ids(model);
        loop {
            self.spread(model, &mut mailbox);
            self.note_escapes(&mailbox);
            if made_up {
                self.escapes = self.all();
            }
            if !self.widen_dangling(model) {
                break;
            }
        }
    }

    /// Lets the sets flow along assignments, messages and parameters.
    fn spread(&mut self, model: &Model, mailbox: &mut BitSet) {
        let is_chan: Vec<Vec<bool>> = model
            .channels
            .iter()
            .chain(model.proctypes.iter().flat_map(|p| &p.channels))
            .map(|c| c.fields.iter().map(|f| f.ty == ScalarType::Chan).collect())
            .collect();
        loop {
            let mut grown = false;
            // the globals' creation runs before any process type matters; 0 stands for none
            if !model.proctypes.is_empty() {
                grown |= self.initial(0, 0, &model.initial);
            }
            for (p, proctype) in model.proctypes.iter().enumerate() {
                grown |= self.initial(p, self.own_channels[p], &proctype.initial);
            }
            process_actions(model, &mut |p, action| {
                visit::expressions(action, &mut |expr| {
                    visit::walk(expr, &mut |e| grown |= self.follow_run(model, p, e));
                });
                match action {
                    Action::Send { channel, arguments, .. } => {
                        let to = self.channels(p, channel);
                        for (k, argument) in arguments.iter().enumerate() {
                            if to.iter().any(|class| is_chan[class].get(k) == Some(&true)) {
                                grown |= mailbox.union(&self.channels(p, argument));
                            }
                        }
                    }
                    Action::Receive { channel, arguments, .. } => {
                        let from = self.channels(p, channel);
                        for (k, argument) in arguments.iter().enumerate() {
                            let ReceiveArgument::Store(place) = argument else { continue };
                            let typed = from.iter().all(|class| is_chan[class].get(k) == Some(&true));
                            let set = if typed { mailbox.clone() } else { self.all() };
                            grown |= self.add(p, place, &set);
                        }
                    }
                    // what a `d_step` holds is visited as actions of its own
                    Action::DStep(_) => {}
                    _ => visit::writes(action, &mut |place, value| {
                        if let Some(value) = value
                            && place.ty == ScalarType::Chan
                        {
                            let set = self.channels(p, value);
                            grown |= self.add(p, place, &set);
                        }
                    }),
                }
            });
            if !grown {
                break;
            }
        }
    }

    /// When a process dies its channels go with it, and their ids are given to the channels of whoever is born next. So
    /// an id that is used after its owner's death may be that of any channel that a process owns. True if that is news.
    fn widen_dangling(&mut self, model: &Model) -> bool {
        let mut owned = BitSet::new(self.classes());
        let mut dangling = BitSet::new(self.classes());
        for (p, proctype) in model.proctypes.iter().enumerate() {
            let mortal = can_end(&proctype.automaton);
            for class in (self.own_channels[p]..).take(proctype.channels.len()) {
                owned.insert(class);
                if mortal && self.escapes.contains(class) {
                    dangling.insert(class);
                }
            }
        }
        if dangling.is_empty() {
            return false;
        }
        self.escapes.union(&owned);
        let holders = self.global_channels.iter_mut().chain(self.local_channels.iter_mut().flatten());
        holders.filter(|held| held.intersects(&dangling)).fold(false, |grown, held| held.union(&owned) | grown)
    }

    fn note_escapes(&mut self, mailbox: &BitSet) {
        let mut escapes = mailbox.clone();
        for held in &self.global_channels {
            escapes.union(held);
        }
        for (held, written) in self.local_channels.iter().flatten().zip(self.local_written.iter().flatten()) {
            if *written {
                escapes.union(held);
            }
        }
        self.escapes = escapes;
    }

    fn follow_run(&mut self, model: &Model, p: usize, expr: &Expr) -> bool {
        let ExprKind::Run { proctype, arguments, .. } = &expr.kind else { return false };
        let target = *proctype as usize;
        let mut grown = false;
        if let Some(proctype) = model.proctypes.get(target) {
            for (parameter, argument) in proctype.parameters.iter().zip(arguments) {
                if parameter.ty == ScalarType::Chan {
                    let set = self.channels(p, argument);
                    grown |= self.add(target, parameter, &set);
                }
            }
        }
        grown
    }

    /// Does a channel expression depend only on the process that evaluates it: on variables of that process, and on variables
    /// that nobody writes?
    pub fn is_own(&self, expr: &Expr) -> bool {
        let mut own = true;
        visit::walk(expr, &mut |e| {
            own &= match &e.kind {
                ExprKind::Load(place) => {
                    place.region == Region::Local || self.global_written.get(place.variable as usize) == Some(&false)
                }
                ExprKind::Constant(_) | ExprKind::Pid | ExprKind::Unary(..) | ExprKind::Binary(..) => true,
                ExprKind::Conditional(..) => true,
                _ => false,
            }
        });
        own
    }

    /// Is the value the same for the whole life of the process that evaluates it?
    pub fn is_stable(&self, p: usize, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Constant(_) | ExprKind::Pid => true,
            ExprKind::Load(place) => {
                let written = match place.region {
                    Region::Local => self.local_written[p].get(place.variable as usize),
                    Region::Global | Region::Hidden => self.global_written.get(place.variable as usize),
                };
                written == Some(&false) && place.indices.iter().all(|index| self.is_stable(p, &index.value))
            }
            ExprKind::Unary(_, a) => self.is_stable(p, a),
            ExprKind::Binary(_, a, b) => self.is_stable(p, a) && self.is_stable(p, b),
            ExprKind::Conditional(a, b, c) => self.is_stable(p, a) && self.is_stable(p, b) && self.is_stable(p, c),
            _ => false,
        }
    }
}

/// Is a channel ever named by a number that is not plainly a channel? A constant is plain if it is no channel (0) or the id
/// of a global one; any other number may be, or become, the id of a channel that a process owns.
fn makes_up_ids(model: &Model) -> bool {
    fn plain(expr: &Expr, globals: usize) -> bool {
        match &expr.kind {
            ExprKind::Load(place) => place.ty == ScalarType::Chan,
            ExprKind::Conditional(_, a, b) => plain(a, globals) && plain(b, globals),
            ExprKind::Constant(id) => usize::try_from(*id).is_ok_and(|id| id <= globals),
            _ => false,
        }
    }
    let plain = |expr: &Expr| plain(expr, model.channels.len());
    let inside = |expr: &Expr| {
        let mut odd = false;
        visit::walk(expr, &mut |e| match &e.kind {
            ExprKind::Channel(_, channel) | ExprKind::Poll { channel, .. } => odd |= !plain(channel),
            ExprKind::Run { proctype, arguments, .. } => {
                let parameters = model.proctypes.get(*proctype as usize).map_or(&[][..], |p| &p.parameters);
                odd |= parameters.iter().zip(arguments).any(|(p, a)| p.ty == ScalarType::Chan && !plain(a));
            }
            _ => {}
        });
        odd
    };
    let made = model.initial.iter().chain(model.proctypes.iter().flat_map(|p| &p.initial));
    let mut odd = made.into_iter().any(|initial| match initial {
        Initial::Assign(place, value) => inside(value) || (place.ty == ScalarType::Chan && !plain(value)),
        Initial::Channel(..) => false,
    });
    odd |= model.proctypes.iter().filter_map(|proctype| proctype.provided.as_ref()).any(inside);
    process_actions(model, &mut |_, action| {
        visit::expressions(action, &mut |expr| odd |= inside(expr));
        match action {
            Action::Send { channel, .. } | Action::Receive { channel, .. } => odd |= !plain(channel),
            _ => visit::writes(action, &mut |place, value| {
                odd |= place.ty == ScalarType::Chan && value.is_some_and(|value| !plain(value));
            }),
        }
    });
    odd
}
