//! Persistent sets for properties of whole runs: claims, and cycles through labels (partial-order reduction).
//!
//! A claim looks at every state of a run, so more has to be kept than for assertions and deadlocks. The reduced system must have,
//! for each run of the full one, a run that looks the same up to stuttering, that is up to repeated states (Peled, CAV 1994; Clarke,
//! Grumberg and Peled, chapter 10). For that the set that is taken in a state is everything, or
//!
//! - a persistent set that is not empty ([`crate::analysis::persistent`]),
//! - none of whose moves the property can see ([`crate::analysis::visible`]), and none of whose moves begins with an error,
//! - none of whose moves is a breaker: every cycle takes a breaker somewhere, so every cycle has a state that is explored in full
//!   ([`crate::analysis::loops`]).
//!
//! The set is a function of the system's state alone. It does not hang on the claim's state or on the history of the search, which is
//! what went wrong in other tools (Siegel, "What's wrong with on-the-fly partial order reduction", CAV 2019): first there is a reduced
//! system, and then its product with the claim. Where it is dear to find the set, everything may be taken instead: more edges of
//! the full product do no harm. So the same reduction serves every order of search and every store.
//!
//! Sound for properties that cannot tell a run from one that stutters, without fairness. The argument is in docs/soundness.md.

use crate::analysis::block::moves_with;
use crate::analysis::flow::BitSet;
use crate::analysis::loops::Loops;
use crate::analysis::persistent::{Enabled, Persistent, Pids, ProcessSet};
use crate::analysis::visible::{Observer, Watch};
use crate::exec::Machine;
use crate::model::Model;
use crate::search::monitor::Patience;
use crate::search::reduce::persistent::{CLOSURE, Worth, must_end, scan, scan_process};
use crate::search::reduce::{ProcessStep, Reduction};
use crate::store::Handle;
use std::collections::HashMap;
use std::rc::Rc;

/// Groups of processes whose breakers are kept at one time.
const MOST_GROUPS: usize = 1024;

/// By process: the transitions that no set may begin a move with.
type Barred = Rc<Vec<BitSet>>;

/// The reduction of a search with a property of runs. See the module.
pub struct PathSets<'m> {
    persistent: Persistent<'m>,
    observer: Observer,
    loops: Loops<'m>,
    enabled: Enabled,
    /// What is looked at in the states on the path; `None` is everything.
    frames: Vec<Option<ProcessSet>>,
    /// By the instances of the processes.
    known: HashMap<Vec<usize>, Barred>,
    instances: Vec<usize>,
    barred: Barred,
    generation: u64,
    closure: Worth,
    patience: Option<Patience<'m>>,
}

impl<'m> PathSets<'m> {
    /// A reduction for a search of the model; `model` is what [`crate::analysis::visible::with_claim`] has made of it.
    pub fn new(model: &'m Model, watch: Watch) -> PathSets<'m> {
        let persistent = Persistent::new(model, Pids::Seen, false);
        let dependence = &persistent.pairs.dependence;
        let (observer, loops) = (Observer::new(dependence, watch), Loops::new(model, &dependence.flow));
        PathSets {
            observer,
            loops,
            persistent,
            enabled: Enabled::default(),
            frames: Vec::new(),
            known: HashMap::new(),
            instances: Vec::new(),
            barred: Barred::default(),
            generation: 0,
            closure: Worth::new(CLOSURE, false),
            patience: None,
        }
    }

    /// The same, but the set follows from the state alone, and not from how often it paid to look for one before.
    #[must_use]
    pub fn steady(self) -> PathSets<'m> {
        PathSets { closure: Worth::new(CLOSURE, true), persistent: self.persistent.steady(true), ..self }
    }

    /// In a search that may have to end. Then everything is taken, until it does.
    #[must_use]
    pub fn within(self, patience: Patience<'m>) -> PathSets<'m> {
        PathSets { patience: Some(patience), ..self }
    }

    /// The set that is taken in the machine's state; `None` is everything.
    ///
    /// First, and cheaply, a process alone is looked for. If there is none, the closures of several processes are made, as long as that
    /// has been paying on this model.
    pub fn choose(&mut self, machine: &mut Machine<'_>) -> Option<ProcessSet> {
        if self.persistent.pairs.dependence.is_total() {
            return None;
        }
        self.refresh(machine);
        machine.set_timeout(false);
        if let Some(alone) = self.choose_alone(machine) {
            return Some(alone);
        }
        if !self.closure.is_due() {
            return None;
        }
        scan(machine, &mut self.enabled);
        if self.enabled.faults || self.enabled.traps {
            return None;
        }
        let mut quiet = ProcessSet::default();
        (0..machine.process_count()).filter(|&pid| self.is_quiet(machine, pid)).for_each(|pid| quiet.insert(pid));
        let set = self.persistent.choose_quiet(machine, &self.enabled, &quiet, &must_end(self.patience));
        self.closure.tell(set.is_some());
        set
    }

    /// The process with the fewest moves among those that are a set alone; the first with one move is enough.
    fn choose_alone(&mut self, machine: &mut Machine<'_>) -> Option<ProcessSet> {
        let mut best: Option<(u32, usize)> = None;
        for pid in (0..machine.process_count()).rev() {
            if self.is_barred(machine, pid) {
                continue;
            }
            self.enabled.clear(machine.process_count());
            scan_process(machine, pid, &mut self.enabled);
            let (moves, transitions) = (self.enabled.moves[pid], self.enabled.transitions[pid]);
            let fewer = moves > 0 && best.is_none_or(|(fewest, _)| moves < fewest);
            if fewer
                && !self.enabled.faults
                && !self.enabled.traps
                && self.is_quiet(machine, pid)
                && self.persistent.stands_alone(machine, pid, transitions)
            {
                best = Some((moves, pid));
                if moves == 1 {
                    break;
                }
            }
        }
        best.map(|(_, pid)| ProcessSet::only(pid))
    }

    /// Can no move of this process be in a set, whether or not it is executable?
    fn is_barred(&self, machine: &Machine<'_>, pid: usize) -> bool {
        let place = machine.place(pid);
        let first = machine.program().proctypes[machine.proctype(pid) as usize].first_transition;
        (place.first..place.end).all(|number| self.barred[pid].contains((number - first) as usize))
    }

    /// May the moves of this process that can be executed be in a set?
    fn is_quiet(&self, machine: &Machine<'_>, pid: usize) -> bool {
        let place = machine.place(pid);
        let first = machine.program().proctypes[machine.proctype(pid) as usize].first_transition;
        let count = (place.end - place.first) as usize;
        let own = (place.first - first) as usize;
        let enabled = self.enabled.transitions[pid];
        count <= 64 && (0..count).all(|k| enabled >> k & 1 == 0 || !self.barred[pid].contains(own + k))
    }

    /// May no set hold a move that begins with this step? For the audit, in the state of the last [`PathSets::choose`].
    pub fn bars(&self, machine: &Machine<'_>, step: ProcessStep) -> bool {
        let pid = usize::from(step.pid);
        let first = machine.program().proctypes[machine.proctype(pid) as usize].first_transition;
        self.barred.get(pid).is_none_or(|barred| barred.contains((step.number - first) as usize))
    }

    /// Takes note of the processes of a state.
    fn refresh(&mut self, machine: &Machine<'_>) {
        self.persistent.refresh(machine);
        let dependence = &self.persistent.pairs.dependence;
        let count = machine.process_count();
        let same = self.generation == dependence.generation()
            && self.instances.len() == count
            && (0..count).all(|pid| dependence.instance_of(pid) == self.instances[pid]);
        if same {
            return;
        }
        if self.generation != dependence.generation() || self.known.len() >= MOST_GROUPS {
            self.generation = dependence.generation();
            self.known.clear();
        }
        self.instances = (0..count).map(|pid| dependence.instance_of(pid)).collect();
        self.barred = match self.known.get(&self.instances) {
            Some(barred) => barred.clone(),
            None => {
                let barred = Rc::new(self.bar(machine));
                self.known.insert(self.instances.clone(), barred.clone());
                barred
            }
        };
    }

    /// The moves that the property can see, and those in which a breaker is taken.
    fn bar(&mut self, machine: &Machine<'_>) -> Vec<BitSet> {
        let mut seen: Vec<BitSet> = Vec::with_capacity(self.instances.len());
        for &instance in &self.instances {
            let dependence = &mut self.persistent.pairs.dependence;
            let count = dependence.instance(instance).footprints.len();
            let mut visible = BitSet::new(count);
            for t in (0..count).filter(|&t| self.observer.sees(dependence, instance, t)).collect::<Vec<_>>() {
                visible.insert(t);
            }
            seen.push(visible);
        }
        let dependence = &self.persistent.pairs.dependence;
        // What no set holds anyway costs nothing; what others look at is seldom a set alone.
        let price = |pid: usize, t: usize| match &dependence.instance(dependence.instance_of(pid)).footprints[t] {
            _ if seen[pid].contains(t) => 0,
            footprint if !footprint.memory.is_empty() => 1,
            _ => 2,
        };
        let breakers = self.loops.breakers(machine, dependence, price);
        for (pid, barred) in seen.iter_mut().enumerate() {
            let proctype = dependence.instance(self.instances[pid]).proctype;
            let automaton = &dependence.model.proctypes[proctype].automaton;
            barred.union(&moves_with(automaton, |t| breakers[pid].contains(t)));
        }
        seen
    }
}

impl Reduction for PathSets<'_> {
    fn enter(&mut self, machine: &mut Machine<'_>, _: Handle) {
        let set = self.choose(machine);
        self.frames.push(set);
    }

    fn leave(&mut self, _: &Machine<'_>) {
        self.frames.pop();
    }

    #[inline]
    fn admits(&mut self, _: &Machine<'_>, pid: usize) -> bool {
        self.frames.last().is_none_or(|set| set.is_none_or(|set| set.contains(pid)))
    }

    fn memory(&self) -> usize {
        let groups = self.known.len() * self.instances.len() * 64;
        self.persistent.memory() + self.frames.capacity() * size_of::<Option<ProcessSet>>() + groups
    }
}
