//! Which moves every endless run has to make: a static way to keep a reduced search from putting a move off for ever.
//!
//! A search that is reduced to persistent sets keeps what happens on endless runs only if every cycle of the reduced graph has a state
//! that is explored in full. Where that is decided on the stack of the search, the set that is taken in a state hangs on the history,
//! and with a claim that is wrong (Siegel, CAV 2019). Here it is decided from the model (Kurshan, Levin, Minea, Peled and Yenigün,
//! "Static partial order reduction", TACAS 1998): some transitions are called *breakers*, such that every cycle of the state
//! graph takes a breaker. A state is explored in full unless the set that is taken in it has no breaker among its moves. So the choice
//! in a state is a function of the state.
//!
//! On a cycle of the state graph every process comes back to its location, so its steps are a closed walk in its automaton. A set of
//! breakers with one transition of each cycle of each automaton is therefore enough. Fewer suffice, because a cycle also brings every
//! channel back to what it held: whoever receives on the cycle receives what somebody sends on the cycle, and the other way round. In
//! a ring of processes it is enough to break the cycles of one. So the breakers are chosen for the processes that are there, with the
//! channels that they hold for life:
//!
//! - all transitions are suspects at first; one that makes a process is a breaker, so that on the rest of the cycles the processes
//!   stay the same;
//! - a suspect is cleared if it lies on no cycle of suspects of its process;
//! - suspects that count a variable of their process up to a bound are cleared if nothing on the cycles of suspects sets the variable
//!   back ([`super::counters`]);
//! - a suspect that sends (receives) is cleared if no suspect receives from (sends to) that channel;
//! - if nothing more can be cleared, one suspect of the first process that has some becomes a breaker, and the search for others goes on.

use super::counters::{Counter, counters};
use super::dependence::{Dependence, StateView};
use super::flow::{BitSet, Flow};
use super::footprint::Flags;
use super::relate::evaluate;
use crate::model::{Action, Automaton, Expr, Model};
use std::rc::Rc;

/// An operation on a channel in a transition.
struct Operation<'m> {
    sends: bool,
    channel: &'m Expr,
    classes: BitSet,
    /// The same channel for the life of the process.
    stable: bool,
    /// The transition does this and nothing else.
    sure: bool,
}

/// An operation of a process.
#[derive(Clone)]
struct Owned {
    sends: bool,
    classes: BitSet,
    id: Option<i32>,
    sure: bool,
}

impl Owned {
    /// May this be the other side of `other`?
    fn answers(&self, other: &Owned) -> bool {
        let same = match (self.id, other.id) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        self.sends != other.sends && same && self.classes.intersects(&other.classes)
    }
}

/// The operations of all transitions of a model. See the module.
pub struct Loops<'m> {
    model: &'m Model,
    /// By process type and transition.
    operations: Vec<Vec<Vec<Operation<'m>>>>,
    /// By process type.
    counters: Vec<Rc<[Counter]>>,
}

impl<'m> Loops<'m> {
    /// Analyses a model.
    pub fn new(model: &'m Model, flow: &Flow) -> Loops<'m> {
        let of_type = |p: usize| {
            let automaton = &model.proctypes[p].automaton;
            let of = |t: usize| {
                let mut found = Vec::new();
                operations(flow, p, &automaton.transitions[t].action, true, &mut found);
                found
            };
            (0..automaton.transitions.len()).map(of).collect()
        };
        Loops {
            model,
            operations: (0..model.proctypes.len()).map(of_type).collect(),
            counters: model.proctypes.iter().map(|proctype| counters(&proctype.automaton).into()).collect(),
        }
    }

    /// By process of the state: the transitions that are breakers. `price`: what it costs to make this transition of this process
    /// one. The relation knows the processes of the state.
    pub fn breakers(
        &self,
        view: &impl StateView,
        dependence: &Dependence<'_>,
        price: impl Fn(usize, usize) -> u32,
    ) -> Vec<BitSet> {
        let mut suspects: Vec<Process<'_>> = (0..view.process_count()).map(|pid| self.process(view, pid)).collect();
        let mut breakers: Vec<BitSet> =
            suspects.iter().map(|process| BitSet::new(process.automaton.transitions.len())).collect();
        for (pid, process) in suspects.iter_mut().enumerate() {
            let footprints = &dependence.instance(dependence.instance_of(pid)).footprints;
            for (t, footprint) in footprints.iter().enumerate() {
                if footprint.flags.has(Flags::RUN) {
                    breakers[pid].insert(t);
                    process.suspects.remove(t);
                }
            }
        }
        loop {
            settle(&mut suspects);
            let Some(pid) = suspects.iter().position(|process| !process.suspects.is_empty()) else { return breakers };
            let process = &mut suspects[pid];
            let sources = &process.sources;
            let chosen = process.suspects.iter().min_by_key(|&t| {
                let leads_on = process.automaton.transitions[t].target > sources[t];
                (price(pid, t), leads_on, t)
            });
            if let Some(t) = chosen {
                breakers[pid].insert(t);
                process.suspects.remove(t);
                process.changed = true;
            }
        }
    }

    fn process(&self, view: &impl StateView, pid: usize) -> Process<'m> {
        let p = view.proctype(pid);
        let automaton = &self.model.proctypes[p].automaton;
        let resolve = |operation: &Operation<'_>| Owned {
            sends: operation.sends,
            classes: operation.classes.clone(),
            id: if operation.stable { evaluate(view, pid, operation.channel) } else { None },
            sure: operation.sure,
        };
        let operations = self.operations[p].iter().map(|list| list.iter().map(resolve).collect()).collect();
        let mut suspects = reachable(automaton);
        for (t, transition) in automaton.transitions.iter().enumerate() {
            if matches!(transition.action, Action::End) {
                suspects.remove(t);
            }
        }
        let (sources, counters) = (super::block::sources(automaton), self.counters[p].clone());
        Process { automaton, sources, operations, counters, suspects, changed: true }
    }
}

/// The transitions that a process can come to. Where steps were merged, some of the user's automaton are left over.
fn reachable(automaton: &Automaton) -> BitSet {
    let mut found = BitSet::new(automaton.transitions.len());
    let mut open = vec![automaton.entry];
    while let Some(location) = open.pop() {
        let Some(at) = automaton.locations.get(location as usize) else { continue };
        for t in at.first..at.first + at.count {
            if found.insert(t as usize) {
                open.push(automaton.transitions[t as usize].target);
            }
        }
    }
    found
}

/// The operations of an action. `sure`: the action is the whole transition.
fn operations<'m>(flow: &Flow, p: usize, action: &'m Action, sure: bool, found: &mut Vec<Operation<'m>>) {
    let (sends, channel, copy) = match action {
        Action::Send { channel, .. } => (true, channel, false),
        Action::Receive { channel, copy, .. } => (false, channel, *copy),
        Action::DStep(body) => {
            body.transitions.iter().for_each(|inner| operations(flow, p, &inner.action, false, found));
            return;
        }
        _ => return,
    };
    if !copy {
        let (classes, stable) = (flow.channels(p, channel), flow.is_stable(p, channel));
        found.push(Operation { sends, channel, classes, stable, sure });
    }
}

struct Process<'m> {
    automaton: &'m Automaton,
    sources: Vec<u32>,
    operations: Vec<Vec<Owned>>,
    counters: Rc<[Counter]>,
    suspects: BitSet,
    /// Suspects were cleared since the cycles of this process were looked at.
    changed: bool,
}

/// Clears what can be cleared.
fn settle(processes: &mut [Process<'_>]) {
    loop {
        for process in processes.iter_mut().filter(|process| process.changed) {
            process.changed = false;
            clear_outside_cycles(process);
        }
        let mut cleared: Vec<(usize, usize)> = Vec::new();
        for (pid, process) in processes.iter().enumerate() {
            let counted = process.counters.iter().flat_map(|counter| counter.cleared(&process.suspects));
            cleared.extend(counted.map(|t| (pid, t)));
            for t in process.suspects.iter() {
                if let [only] = &process.operations[t][..]
                    && only.sure
                    && !is_answered(processes, only)
                {
                    cleared.push((pid, t));
                }
            }
        }
        if cleared.is_empty() {
            return;
        }
        for (pid, t) in cleared {
            processes[pid].suspects.remove(t);
            processes[pid].changed = true;
        }
    }
}

fn is_answered(processes: &[Process<'_>], operation: &Owned) -> bool {
    processes.iter().any(|process| {
        process.suspects.iter().any(|t| process.operations[t].iter().any(|other| other.answers(operation)))
    })
}

/// Clears the transitions between different components of the graph of suspects.
fn clear_outside_cycles(process: &mut Process<'_>) {
    let component = components(process);
    let automaton = process.automaton;
    let outside: Vec<usize> = process
        .suspects
        .iter()
        .filter(|&t| {
            let (from, to) = (process.sources[t] as usize, automaton.transitions[t].target as usize);
            component.get(to).is_none_or(|&to| to != component[from])
        })
        .collect();
    outside.into_iter().for_each(|t| process.suspects.remove(t));
}

/// By location: the number of its strongly connected component in the graph of suspects (Tarjan's algorithm, on a stack of its own).
fn components(process: &Process<'_>) -> Vec<usize> {
    let automaton = process.automaton;
    let count = automaton.locations.len();
    let next_of = |location: usize, from: u32| {
        let at = &automaton.locations[location];
        (at.first + from..at.first + at.count).find(|&t| process.suspects.contains(t as usize))
    };
    let (mut index, mut low) = (vec![usize::MAX; count], vec![0; count]);
    let mut component = vec![usize::MAX; count];
    let (mut stack, mut next, mut found) = (Vec::new(), 0, 0);
    for start in 0..count {
        if index[start] != usize::MAX {
            continue;
        }
        let mut path: Vec<(usize, u32)> = vec![(start, 0)];
        while let Some(&(location, from)) = path.last() {
            if index[location] == usize::MAX {
                (index[location], low[location]) = (next, next);
                next += 1;
                stack.push(location);
            }
            let first = automaton.locations[location].first;
            match next_of(location, from) {
                Some(t) => {
                    if let Some(top) = path.last_mut() {
                        top.1 = t - first + 1;
                    }
                    let target = automaton.transitions[t as usize].target as usize;
                    if target >= count {
                        continue;
                    }
                    if index[target] == usize::MAX {
                        path.push((target, 0));
                    } else if component[target] == usize::MAX {
                        low[location] = low[location].min(index[target]);
                    }
                }
                None => {
                    path.pop();
                    if low[location] == index[location] {
                        while let Some(member) = stack.pop() {
                            component[member] = found;
                            if member == location {
                                break;
                            }
                        }
                        found += 1;
                    }
                    if let Some(&(parent, _)) = path.last() {
                        low[parent] = low[parent].min(low[location]);
                    }
                }
            }
        }
    }
    component
}
