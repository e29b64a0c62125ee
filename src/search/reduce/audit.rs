//! The reductions put to the test while a search runs (`--check-independence`, `--check-por`).
//!
//! Independence: in every state, each pair of enabled moves that the relation calls independent is executed in both
//! orders; both must be possible, lead to the same states and meet the same errors. Persistent sets: from every state, what
//! the processes outside the set can do on their own is explored up to a bound, and each step of it must commute with
//! every move of the set. That is the definition; a difference is a bug in pv. Slow, for tests.

use crate::analysis::footprint::Flags;
use crate::analysis::{Dependence, Move, Part};
use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::search::monitor::Patience;
use crate::search::reduce::persistent::PersistentSets;
use crate::search::reduce::{Fault, Reduction};
use crate::search::walk::moves::{Explorer, Tried};
use crate::search::walk::{Choice, Taken, Walk};
use crate::store::Handle;
use std::collections::HashSet;

/// States outside a persistent set that are looked at for each set.
const OUTSIDE: usize = 24;

/// What is put to the test: a relation, and persistent sets.
pub struct Watch<'m, 'p> {
    model: &'m Model,
    explorer: Option<Explorer<'p>>,
    dependence: Option<Dependence<'m>>,
    por: Option<PersistentSets<'m>>,
    fault: Option<Fault>,
}

/// A reduction and what watches over it.
pub struct Checked<'m, 'p, R> {
    inner: R,
    watch: Watch<'m, 'p>,
}

impl<'m, 'p> Watch<'m, 'p> {
    /// Watches over these.
    pub fn new(
        model: &'m Model,
        program: &'p Program,
        dependence: Option<Dependence<'m>>,
        por: Option<PersistentSets<'m>>,
    ) -> Self {
        Watch { model, explorer: Explorer::new(program), dependence, por, fault: None }
    }

    /// In a search that may have to end.
    #[must_use]
    pub fn within(self, patience: Patience<'p>) -> Watch<'m, 'p> {
        Watch { explorer: self.explorer.map(|explorer| explorer.within(patience)), ..self }
    }

    /// Watches while this reduction is at work.
    pub fn over<R: Reduction>(self, inner: R) -> Checked<'m, 'p, R> {
        Checked { inner, watch: self }
    }

    fn check_independence(&mut self, saved: &[u8]) {
        let (Some(explorer), Some(dependence)) = (&mut self.explorer, &mut self.dependence) else { return };
        let moves = explorer.moves(saved);
        for (n, a) in moves.iter().enumerate() {
            for b in &moves[n + 1..] {
                explorer.machine.load(saved);
                dependence.refresh(&explorer.machine);
                let (first, second) = (as_move(&explorer.machine, a), as_move(&explorer.machine, b));
                if dependence.dependent(&explorer.machine, &first, &second) {
                    continue;
                }
                let differs = differ(explorer, a, b);
                if explorer.over {
                    return;
                }
                if let Some(what) = differs {
                    explorer.machine.load(saved);
                    self.fault = Some(bug(self.model, &explorer.machine, (a, b), what));
                    return;
                }
            }
        }
    }

    fn check_set(&mut self, machine: &mut Machine<'_>, saved: &[u8]) {
        let (Some(explorer), Some(por)) = (&mut self.explorer, &mut self.por) else { return };
        let Some(set) = por.choose_set(machine) else { return };
        let inside = |tried: &Tried| set.contains(usize::from(tried.sender.unwrap_or(tried.step).pid));
        let chosen: Vec<Tried> = explorer.moves(saved).into_iter().filter(inside).collect();
        if explorer.over {
            return;
        }
        let mut seen: HashSet<Vec<u8>> = HashSet::from([saved.to_vec()]);
        let mut open = vec![saved.to_vec()];
        while let Some(state) = open.pop() {
            explorer.machine.load(&state);
            if por.breaks_claim(&explorer.machine) {
                // the search ends there and is run again without claims
                continue;
            }
            // Up to what nobody sees of pids, births and deaths do commute; byte by byte they do not.
            let relation = por.relation();
            let skips = |machine: &Machine<'_>, tried: &Tried| {
                relation.is_blind()
                    && [Some(tried.step), tried.sender].into_iter().flatten().any(|step| {
                        let part = as_part(machine, step);
                        let proctype = machine.proctype(usize::from(part.pid)) as usize;
                        let flags = relation.footprints[proctype][part.transition as usize].flags;
                        flags.has(Flags(Flags::RUN.0 | Flags::DEATH.0))
                    })
            };
            let moves = explorer.moves(&state);
            if explorer.over {
                return;
            }
            // what is blocked stays blocked
            if let Some(woken) = moves.iter().find(|tried| inside(tried) && !chosen.iter().any(|known| known.is(tried)))
            {
                explorer.machine.load(&state);
                if !skips(&explorer.machine, woken) {
                    let what = "a blocked move of the persistent set was enabled from outside";
                    self.fault = Some(bug(self.model, &explorer.machine, (woken, woken), what));
                    return;
                }
            }
            for step in moves.iter().filter(|tried| !inside(tried)) {
                explorer.machine.load(&state);
                if skips(&explorer.machine, step) {
                    continue;
                }
                for wanted in &chosen {
                    explorer.machine.load(&state);
                    if skips(&explorer.machine, wanted) {
                        continue;
                    }
                    let what = match moves.iter().find(|tried| tried.is(wanted)) {
                        None => Some("a move of the persistent set was disabled from outside"),
                        Some(now) => differ(explorer, now, step),
                    };
                    if explorer.over {
                        return;
                    }
                    if let Some(what) = what {
                        explorer.machine.load(&state);
                        self.fault = Some(bug(self.model, &explorer.machine, (wanted, step), what));
                        return;
                    }
                }
                for end in &step.ends {
                    if seen.len() < OUTSIDE && seen.insert(end.clone()) {
                        open.push(end.clone());
                    }
                }
            }
        }
    }
}

/// Executes two moves in both orders; says how they differ.
pub fn differ(explorer: &mut Explorer<'_>, a: &Tried, b: &Tried) -> Option<&'static str> {
    if a.meets(b) {
        return Some("they share a process");
    }
    let (Some(ab), Some(ba)) = (explorer.after(a, b), explorer.after(b, a)) else {
        return Some("one disables the other");
    };
    if ab.ends != ba.ends && !a.ends.is_empty() && !b.ends.is_empty() {
        return Some("the two orders lead to different states");
    }
    if (!a.ends.is_empty() && ab.traps != b.traps) || (!b.ends.is_empty() && ba.traps != a.traps) {
        return Some("the two orders meet different errors");
    }
    None
}

fn as_part(machine: &Machine<'_>, step: Taken) -> Part {
    let proctype = machine.proctype(usize::from(step.pid)) as usize;
    let first = machine.program().proctypes[proctype].first_transition;
    Part { pid: step.pid, transition: step.number - first }
}

fn as_move(machine: &Machine<'_>, tried: &Tried) -> Move {
    match tried.sender {
        None => Move { actor: as_part(machine, tried.step), partner: None },
        Some(sender) => Move { actor: as_part(machine, sender), partner: Some(as_part(machine, tried.step)) },
    }
}

fn bug(model: &Model, machine: &Machine<'_>, (a, b): (&Tried, &Tried), what: &str) -> Fault {
    let name = |tried: &Tried| {
        let text = |step: Taken| {
            let part = as_part(machine, step);
            let proctype = &model.proctypes[machine.proctype(usize::from(part.pid)) as usize];
            let action = &proctype.automaton.transitions[part.transition as usize].text;
            format!("{} {}: {action}", proctype.name, part.pid)
        };
        match tried.sender {
            None => text(tried.step),
            Some(sender) => format!("{} with {}", text(sender), text(tried.step)),
        }
    };
    Fault::Bug(format!("{what}, though taken for independent: {} | {}", name(a), name(b)))
}

impl<R: Reduction> Reduction for Checked<'_, '_, R> {
    const ACTIVE: bool = true;
    const REENTERS: bool = R::REENTERS;

    fn entered(&mut self, handle: Handle) {
        self.inner.entered(handle);
    }

    fn reenters(&mut self, machine: &mut Machine<'_>, handle: Handle) -> bool {
        self.inner.reenters(machine, handle)
    }

    fn is_reentered(&self) -> bool {
        self.inner.is_reentered()
    }

    fn enter(&mut self, machine: &mut Machine<'_>, walk: &Walk) {
        if self.watch.fault.is_none() {
            let saved = machine.saved().to_vec();
            self.watch.check_independence(&saved);
            if self.watch.fault.is_none() {
                self.watch.check_set(machine, &saved);
            }
        }
        self.inner.enter(machine, walk);
    }

    fn seen(&mut self, machine: &Machine<'_>, on_stack: Option<bool>) {
        self.inner.seen(machine, on_stack);
    }

    fn queued(&mut self, machine: &Machine<'_>) {
        self.inner.queued(machine);
    }

    fn leave(&mut self, machine: &Machine<'_>) {
        self.inner.leave(machine);
    }

    fn admits(&mut self, machine: &Machine<'_>, pid: usize) -> bool {
        self.inner.admits(machine, pid)
    }

    fn choose(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) -> Choice {
        self.inner.choose(machine, step, sender)
    }

    fn taken(&mut self, step: Taken, sender: Option<Taken>) -> bool {
        self.inner.taken(step, sender)
    }

    fn look_back(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) {
        self.inner.look_back(machine, step, sender);
    }

    fn returned(&mut self, machine: &Machine<'_>, step: Taken, sender: Option<Taken>) {
        self.inner.returned(machine, step, sender);
    }

    fn again(&mut self, machine: &mut Machine<'_>) -> bool {
        self.inner.again(machine)
    }

    fn memory(&self) -> usize {
        self.inner.memory()
    }

    fn fault(&self) -> Option<&Fault> {
        self.watch.fault.as_ref().or(self.inner.fault())
    }
}
