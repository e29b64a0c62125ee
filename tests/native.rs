//! Machine code against the interpreter. Every model of the corpus and of the examples is searched with both, in several ways, and the
//! outcomes must be the same in every figure, every error and every path. And in every state of the smaller models every transition is
//! tried by both: what comes of it, the whole state behind it, and what is left when it was undone.

mod common;

use common::{LARGEST, run};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::exec::seam::{Compiled, Native};
use pv::exec::{Fired, Machine, Program};
use pv::model::Model;
use pv::search::outcome::Outcome;
use pv::search::plan::{
    BreadthFirst, CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore, Plan, Property, Reductions, Search, Sets,
    Technique, Techniques,
};
use std::collections::HashSet;
use std::path::Path;

/// States of a model in which every transition is tried by both.
const COMPARED_STATES: usize = 3_000;

fn main() {
    let arguments = Arguments::from_args();
    if !pv::native::AVAILABLE {
        println!("this build makes no machine code");
        return;
    }
    let mut trials: Vec<Trial> = common::trials(check).into_iter().collect();
    for path in common::models("tests/corpus/liveness") {
        let name = format!("tests/corpus/liveness/{}", path.file_stem().unwrap_or_default().to_string_lossy());
        trials.push(Trial::test(name, move || check(&path)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// What must not depend on who executes the transitions.
fn figures(outcome: &Outcome) -> String {
    let Outcome { verdict, counts, error_count, violations, reached, .. } = outcome;
    format!("{verdict:?} {counts:?} {error_count} {violations:?} {reached:?}")
}

fn searches(model: &Model) -> Vec<(&'static str, Plan)> {
    let full = Plan { all_errors: true, ..Plan::default() };
    let depth = |store| Search::Depth(DepthFirst { store, ..DepthFirst::default() });
    let sleep = depth(DepthStore::Exact(Techniques::One(Technique::SleepSets)));
    let sets = depth(DepthStore::Exact(Techniques::One(Technique::PersistentSets(Sets::default()))));
    let mut searches = vec![
        ("depth first", full.clone()),
        ("depth first to the first error", Plan { all_errors: false, ..full.clone() }),
        ("breadth first", Plan { search: Search::Breadth(BreadthFirst::default()), ..full.clone() }),
        (
            "depth first without looking ahead",
            Plan {
                search: Search::Depth(DepthFirst { max_depth: Some(1 << 40), ..DepthFirst::default() }),
                ..full.clone()
            },
        ),
        (
            "breadth first to the first error",
            Plan { all_errors: false, search: Search::Breadth(BreadthFirst::default()), ..full.clone() },
        ),
        ("sleep sets", Plan { search: sleep, ..full.clone() }),
        ("static reductions", Plan { statics: Reductions::ALL, ..full.clone() }),
        ("persistent sets", Plan { statics: Reductions::ALL, search: sets, all_errors: false, ..full.clone() }),
    ];
    for property in Property::of_model(model) {
        if let Property::Cycles(of @ CycleProperty::Claim(_)) = property {
            let cycles =
                Search::Cycles(Cycles { of, fair: false, store: CycleStore::Exact, sets: None, max_depth: None });
            searches.push(("claim", Plan { search: cycles, all_errors: false, ..full.clone() }));
        }
    }
    searches
}

fn check(path: &Path) -> Result<(), Failed> {
    let Ok((_, model)) = pv::load::read(path) else { return Ok(()) };
    for (name, plan) in searches(&model) {
        let interpreted = run(&model, &Plan { native: Native::Off, ..plan.clone() });
        if interpreted.counts.stored > LARGEST {
            return Ok(());
        }
        let native = run(&model, &Plan { native: Native::AtOnce, ..plan });
        if figures(&interpreted) != figures(&native) {
            let [one, other] = [&interpreted, &native].map(figures);
            return Err(format!("{name}:\ninterpreted {one}\nnative      {other}").into());
        }
    }
    step_by_step(&model)
}

/// Tries every transition of every process in each of the first states, by both.
fn step_by_step(model: &Model) -> Result<(), Failed> {
    let plain = Program::new(model, None);
    let compiled = Program { native: Compiled::by(pv::native::compile, Native::AtOnce, 0), ..plain.clone() };
    let (Ok(mut one), Ok(mut other)) = (Machine::new(&plain), Machine::new(&compiled)) else { return Ok(()) };
    let mut seen = HashSet::from([one.saved().to_vec()]);
    let mut waiting = vec![one.saved().to_vec()];
    while let Some(saved) = waiting.pop() {
        one.load(&saved);
        other.load(&saved);
        for timeout in [false, true] {
            for pid in 0..one.process_count() {
                for number in one.place(pid).first..one.place(pid).end {
                    for moved in [false, true] {
                        one.set_timeout(timeout);
                        other.set_timeout(timeout);
                        let fired = try_both((&mut one, &mut other), (pid, number, moved))?;
                        let offers = one.in_handshake();
                        for receiver in 0..if offers { one.process_count() } else { 0 } {
                            for number in one.place(receiver).first..one.place(receiver).end {
                                let (mark, mark2) = (one.mark(), other.mark());
                                try_both((&mut one, &mut other), (receiver, number, false))?;
                                one.undo(mark);
                                other.undo(mark2);
                            }
                        }
                        let done = matches!(fired, Fired::Done | Fired::DoneWith(_)) && !offers;
                        if done && seen.len() < COMPARED_STATES && seen.insert(one.saved().to_vec()) {
                            waiting.push(one.saved().to_vec());
                        }
                        one.undo(pv::exec::Mark(0));
                        other.undo(pv::exec::Mark(0));
                        if one.saved() != saved || other.saved() != saved {
                            return Err(format!("transition {number} of process {pid} is not undone").into());
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

fn try_both(
    (one, other): (&mut Machine<'_>, &mut Machine<'_>),
    (pid, number, moved): (usize, u32, bool),
) -> Result<Fired, Failed> {
    let fired = one.fire(pid, number, moved);
    let native = other.fire(pid, number, moved);
    if fired != native || one.saved() != other.saved() || one.offered() != other.offered() {
        let told = |machine: &Machine<'_>| format!("{:?} {:?}", machine.saved(), machine.offered());
        let (first, second) = (told(one), told(other));
        return Err(format!("process {pid}, transition {number}: {fired:?} {first}\n{native:?} {second}").into());
    }
    Ok(fired)
}
