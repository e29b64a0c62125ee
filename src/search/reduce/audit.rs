//! An audit of the reductions while a search runs (`--check-independence`, `--check-por`).
//!
//! Independence: in every state, each pair of enabled moves that the relation calls independent is executed in both orders.
//! Both orders must be possible, lead to the same states and meet the same errors. Persistent sets: from every state, we
//! explore up to a bound what the processes outside the set can do on their own, and each of their steps must commute with
//! every move of the set. These are the definitions, so a difference is a bug in pv. An audit is slow; it is made for tests.

use crate::analysis::footprint::Flags;
use crate::analysis::persistent::ProcessSet;
use crate::analysis::{Dependence, Move, Part};
use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::search::monitor::Patience;
use crate::search::reduce::paths::PathSets;
use crate::search::reduce::persistent::PersistentSets;
use crate::search::reduce::{Attempt, Fault, ProcessStep};
use crate::search::walk::moves::{MoveRunner, Tried};
use std::collections::HashSet;

/// States outside a persistent set that are looked at for each set.
const OUTSIDE: usize = 24;

/// Tests a dependence relation, persistent sets, or both, in every state that a search enters.
pub struct Audit<'m, 'p> {
    model: &'m Model,
    runner: Option<MoveRunner<'p>>,
    dependence: Option<Dependence<'m>>,
    por: Option<Audited<'m>>,
    fault: Option<Fault>,
}

/// The sets that are tested.
pub enum Audited<'m> {
    /// Those that keep errors and deadlocks.
    Sets(Box<PersistentSets<'m>>),
    /// Those that keep what a property can see.
    Paths(Box<PathSets<'m>>),
}

impl Audited<'_> {
    fn choose(&mut self, machine: &mut Machine<'_>) -> Option<ProcessSet> {
        match self {
            Audited::Sets(sets) => sets.choose_set(machine),
            Audited::Paths(paths) => paths.choose(machine),
        }
    }

    fn breaks_claim(&mut self, machine: &Machine<'_>) -> bool {
        match self {
            Audited::Sets(sets) => sets.breaks_claim(machine),
            Audited::Paths(_) => false,
        }
    }

    /// The relation, where the sets take states for equal that differ in pids only.
    fn blind_relation(&self) -> Option<&Dependence<'_>> {
        match self {
            Audited::Sets(sets) => Some(sets.relation()).filter(|relation| relation.is_blind()),
            Audited::Paths(_) => None,
        }
    }
}

impl<'m, 'p> Audit<'m, 'p> {
    /// An audit of what is given.
    pub fn new(
        model: &'m Model,
        program: &'p Program,
        dependence: Option<Dependence<'m>>,
        por: Option<Audited<'m>>,
    ) -> Self {
        Audit { model, runner: MoveRunner::new(program), dependence, por, fault: None }
    }

    /// The same audit for a search with these budgets and signals.
    #[must_use]
    pub fn within(self, patience: Patience<'p>) -> Audit<'m, 'p> {
        Audit { runner: self.runner.map(|runner| runner.within(patience)), ..self }
    }

    /// A search has entered the machine's state: tests the relation and the set that is chosen there.
    pub fn enter(&mut self, machine: &mut Machine<'_>) {
        if self.fault.is_none() {
            let saved = machine.saved().to_vec();
            self.check_independence(&saved);
            if self.fault.is_none() {
                self.check_set(machine, &saved);
            }
        }
    }

    /// What was found to be wrong: a bug in pv.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    fn check_independence(&mut self, saved: &[u8]) {
        let (Some(runner), Some(dependence)) = (&mut self.runner, &mut self.dependence) else { return };
        let moves = runner.moves(saved);
        for (n, a) in moves.iter().enumerate() {
            for b in &moves[n + 1..] {
                runner.machine.load(saved);
                dependence.refresh(&runner.machine);
                let (first, second) = (as_move(&runner.machine, a), as_move(&runner.machine, b));
                if dependence.dependent(&runner.machine, &first, &second) {
                    continue;
                }
                let differs = differ(runner, a, b);
                if runner.over {
                    return;
                }
                if let Some(what) = differs {
                    runner.machine.load(saved);
                    self.fault = Some(bug(self.model, &runner.machine, (a, b), what));
                    return;
                }
            }
        }
    }

    fn check_set(&mut self, machine: &mut Machine<'_>, saved: &[u8]) {
        let (Some(runner), Some(por)) = (&mut self.runner, &mut self.por) else { return };
        let Some(set) = por.choose(machine) else { return };
        let inside = |tried: &Tried| set.contains(usize::from(tried.attempt.sender.unwrap_or(tried.attempt.step).pid));
        let chosen: Vec<Tried> = runner.moves(saved).into_iter().filter(inside).collect();
        if runner.over {
            return;
        }
        runner.machine.load(saved);
        let barred = |runner: &MoveRunner<'_>, tried: &Tried, paths: &PathSets<'_>| {
            let Attempt { step, sender } = tried.attempt;
            std::iter::once(step).chain(sender).any(|step| paths.bars(&runner.machine, step))
        };
        if let Audited::Paths(paths) = por
            && let Some(seen) =
                chosen.iter().find(|tried| barred(runner, tried, paths) || is_seen(runner, saved, tried))
        {
            runner.machine.load(saved);
            let what = "a move of a set was not hidden from the property";
            self.fault = Some(bug(self.model, &runner.machine, (seen, seen), what));
            return;
        }
        let mut seen: HashSet<Vec<u8>> = HashSet::from([saved.to_vec()]);
        let mut open = vec![saved.to_vec()];
        while let Some(state) = open.pop() {
            runner.machine.load(&state);
            if por.breaks_claim(&runner.machine) {
                // the search ends there and is run again without claims
                continue;
            }
            // Up to what nobody sees of pids, births and deaths do commute; byte by byte they do not.
            let relation = por.blind_relation();
            let skips = |machine: &Machine<'_>, tried: &Tried| {
                relation.is_some_and(|relation| {
                    [Some(tried.attempt.step), tried.attempt.sender].into_iter().flatten().any(|step| {
                        let part = as_part(machine, step);
                        let proctype = machine.proctype(usize::from(part.pid)) as usize;
                        let flags = relation.footprints[proctype][part.transition as usize].flags;
                        flags.has(Flags(Flags::RUN.0 | Flags::DEATH.0))
                    })
                })
            };
            let moves = runner.moves(&state);
            if runner.over {
                return;
            }
            // what is blocked stays blocked
            if let Some(woken) = moves.iter().find(|tried| inside(tried) && !chosen.iter().any(|known| known.is(tried)))
            {
                runner.machine.load(&state);
                if !skips(&runner.machine, woken) {
                    let what = "a blocked move of the persistent set was enabled from outside";
                    self.fault = Some(bug(self.model, &runner.machine, (woken, woken), what));
                    return;
                }
            }
            for step in moves.iter().filter(|tried| !inside(tried)) {
                runner.machine.load(&state);
                if skips(&runner.machine, step) {
                    continue;
                }
                for wanted in &chosen {
                    runner.machine.load(&state);
                    if skips(&runner.machine, wanted) {
                        continue;
                    }
                    let what = match moves.iter().find(|tried| tried.is(wanted)) {
                        None => Some("a move of the persistent set was disabled from outside"),
                        Some(now) => differ(runner, now, step),
                    };
                    if runner.over {
                        return;
                    }
                    if let Some(what) = what {
                        runner.machine.load(&state);
                        self.fault = Some(bug(self.model, &runner.machine, (wanted, step), what));
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

/// Can the property see this move? What a claim can see is what its transitions can do, from whichever location.
fn is_seen(runner: &mut MoveRunner<'_>, saved: &[u8], tried: &Tried) -> bool {
    let mut looks = |state: &[u8]| {
        runner.machine.load(state);
        let program = runner.machine.program();
        let mark = runner.machine.mark();
        let own = program.claim.map(|(_, number)| &program.proctypes[number as usize]);
        let next = own.map_or(0..0, |claim| {
            let end = program
                .proctypes
                .iter()
                .map(|p| p.first_transition)
                .filter(|&first| first > claim.first_transition)
                .min();
            claim.first_transition..end.unwrap_or(program.transitions.len() as u32)
        });
        next.map(|number| {
            let fired = runner.machine.fire_claim(number, false);
            runner.machine.undo(mark);
            fired
        })
        .collect::<Vec<_>>()
    };
    let before = looks(saved);
    tried.ends.iter().any(|end| looks(end) != before)
}

/// Executes two moves in both orders; says how they differ.
pub fn differ(runner: &mut MoveRunner<'_>, a: &Tried, b: &Tried) -> Option<&'static str> {
    if a.meets(b) {
        return Some("they share a process");
    }
    let (Some(ab), Some(ba)) = (runner.after(a, b), runner.after(b, a)) else {
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

fn as_part(machine: &Machine<'_>, step: ProcessStep) -> Part {
    let proctype = machine.proctype(usize::from(step.pid)) as usize;
    let first = machine.program().proctypes[proctype].first_transition;
    Part { pid: step.pid, transition: step.number - first }
}

/// A move as the dependence relation names it, in the machine's state.
pub fn as_move(machine: &Machine<'_>, tried: &Tried) -> Move {
    let Attempt { step, sender } = tried.attempt;
    match sender {
        None => Move { actor: as_part(machine, step), partner: None },
        Some(sender) => Move { actor: as_part(machine, sender), partner: Some(as_part(machine, step)) },
    }
}

fn bug(model: &Model, machine: &Machine<'_>, (a, b): (&Tried, &Tried), what: &str) -> Fault {
    let name = |tried: &Tried| {
        let text = |step: ProcessStep| {
            let part = as_part(machine, step);
            let proctype = &model.proctypes[machine.proctype(usize::from(part.pid)) as usize];
            let action = &proctype.automaton.transitions[part.transition as usize].text;
            format!("{} {}: {action}", proctype.name, part.pid)
        };
        match tried.attempt.sender {
            None => text(tried.attempt.step),
            Some(sender) => format!("{} with {}", text(sender), text(tried.attempt.step)),
        }
    };
    Fault::Bug(format!("{what}, though taken for independent: {} | {}", name(a), name(b)))
}
