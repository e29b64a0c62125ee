//! The tree store against the exact one: on every model of `tests/corpus` and `examples`, every search that keeps whole states counts
//! the same and says the same with either of them.

mod common;

use common::{DEEPEST, Expectation, LARGEST, run};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::exec::seam::Native;
use pv::exec::{Machine, Program};
use pv::model::{Model, TransitionType};
use pv::search::monitor::Monitor;
use pv::search::outcome::{Counts, Limit, Outcome, Verdict};
use pv::search::plan::{
    BreadthFirst, BreadthStore, CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore, Plan, Preserves, Property,
    QueuedTable, Search, Sets, Technique, Techniques,
};
use pv::search::reduce::Full;
use pv::search::walk::replay::{MarkedPath, steps_by_marks, take};
use pv::search::walk::{Decision, Rules, Visitor, Walk};
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = common::trials(check);
    for name in ["leader_ring", "raft_election", "two_phase_commit"] {
        trials.push(Trial::test(format!("{name} with little memory"), move || moves(name)));
    }
    trials.push(Trial::test("a_move_between_two_looks", between_looks));
    trials.push(Trial::test("paths_are_found_by_few_bits_of_their_states", by_marks));
    libtest_mimic::run(&arguments, trials).exit();
}

/// The store of a search by machine code is full when a state is stored whose successors were made already: what was asked of the exact store
/// about them means nothing to the tree.
fn between_looks() -> Result<(), Failed> {
    let model = common::example("leader_ring");
    let depth = Search::Depth(DepthFirst { store: DepthStore::Usual(None), ..DepthFirst::default() });
    for search in [depth, breadth(true, None), breadth(true, Some(Sets::default()))] {
        let plan = Plan { search: search.clone(), all_errors: true, native: Native::AtOnce, ..Plan::default() };
        let expected = said(&run(&model, &plan));
        let mut moved = 0;
        for step in 0..40 {
            let outcome = within(&model, &Plan { memory: Some((12 << 20) + step * 150_000), ..plan.clone() });
            if matches!(outcome.verdict, Verdict::Incomplete(Limit::Memory { .. })) {
                continue;
            }
            moved += u32::from(outcome.notes.iter().any(|note| note.contains("--store tree")));
            if said(&outcome) != expected {
                return Err(format!("{search:?} {step}: {:?}, expected {expected:?}", said(&outcome)).into());
            }
        }
        // What persistent sets leave of this model fits the smallest of these budgets.
        if moved <= 5 && search.sets().is_none() {
            return Err(format!("{search:?}: only {moved} of the searches have moved").into());
        }
    }
    Ok(())
}

/// A breadth-first search whose store is its queue.
fn breadth(moves: bool, sets: Option<Sets>) -> Search {
    let store = BreadthStore::Exact { moves, sets, check_independence: false };
    Search::Breadth(BreadthFirst { store, max_depth: None })
}

/// All successors of a state that a search would store.
#[derive(Default)]
struct Successors(Vec<Vec<u8>>);

impl Visitor for Successors {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        self.0.push(machine.saved().to_vec());
        Decision::Back
    }
}

/// A path of which only its end is known and some bits of each state is found again, however few the bits are: where a wrong state has the bits,
/// another one is tried.
fn by_marks() -> Result<(), Failed> {
    for name in ["leader_ring", "peterson", "readers_writers"] {
        let model = common::example(name);
        let program = Program::new(&model, None);
        let rules = Rules {
            end_states: false,
            assertions: false,
            pass_assertions: false,
            strict_channels: false,
            max_depth: u64::MAX,
            claim: false,
            halts: false,
            stutter: false,
        };
        for (bits, length) in [(0, 5), (1, 8), (2, 16), (4, 40), (14, 40)] {
            for seed in 0..10usize {
                let mut machine = Machine::new(&program).map_err(|trap| format!("{trap:?}"))?;
                let mut walk = Walk::new(program.transitions.len(), rules);
                let mark = |state: &[u8]| {
                    let sum = state.iter().fold(17u32, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
                    sum.wrapping_mul(0x9E37_79B1) >> 16 & ((1 << bits) - 1)
                };
                let mut marks = Vec::new();
                for step in 0..length {
                    let mut successors = Successors::default();
                    walk.expand(&mut machine, &mut successors, &mut Full);
                    let Some(chosen) = successors.0.get((seed * 7 + step * 5) % successors.0.len().max(1)) else {
                        break;
                    };
                    machine.load(chosen);
                    marks.push(mark(machine.state()));
                }
                let end = machine.state().to_vec();
                let mut machine = Machine::new(&program).map_err(|trap| format!("{trap:?}"))?;
                let steps = steps_by_marks(&mut machine, rules, MarkedPath { marks: &marks, mark: &mark }, &end)
                    .ok_or("no path")?;
                let mut machine = Machine::new(&program).map_err(|trap| format!("{trap:?}"))?;
                for step in steps {
                    take(&mut machine, step)?;
                }
                if machine.state() != end {
                    return Err(format!("{name}, {bits} bits, {seed}: the path ends elsewhere").into());
                }
            }
        }
    }
    Ok(())
}

/// All that an outcome says, but for time and memory.
fn said(outcome: &Outcome) -> (Counts, String, u64, Vec<(String, usize)>) {
    let paths = outcome.violations.iter().map(|violation| (violation.message.clone(), violation.path.len())).collect();
    (outcome.counts, format!("{:?}", outcome.verdict), outcome.error_count, paths)
}

/// Pairs of searches that differ in their store only.
fn pairs(model: &Model) -> Vec<(String, Search, Search)> {
    let sets = Sets::default();
    let techniques = [
        Techniques::None,
        Techniques::One(Technique::SleepSets),
        Techniques::One(Technique::PersistentSets(sets)),
        Techniques::Both(sets),
    ];
    let depth = |store| Search::Depth(DepthFirst { store, ..DepthFirst::default() });
    let queued = |table| {
        let store = BreadthStore::Queued { table, work_dir: None };
        Search::Breadth(BreadthFirst { store, max_depth: None })
    };
    let mut pairs: Vec<_> = techniques
        .into_iter()
        .map(|what| (format!("{what:?}"), depth(DepthStore::Exact(what)), depth(DepthStore::Tree(what))))
        .collect();
    pairs.push(("breadth first".to_string(), queued(QueuedTable::Exact), queued(QueuedTable::Tree)));
    let runs = Sets { preserves: Preserves::Runs, check: false };
    let of_model = Property::of_model(model).into_iter().filter_map(|property| match property {
        Property::Cycles(of) => Some((of, property.is_insensitive(model))),
        Property::Safety => None,
    });
    for (of, insensitive) in of_model.chain([(CycleProperty::Progress, true)]) {
        for (fair, sets) in [(false, None), (true, None), (false, insensitive.then_some(runs))] {
            let cycles = |store| Search::Cycles(Cycles { of, fair, store, sets, max_depth: None });
            pairs.push((
                format!("{:?}", cycles(CycleStore::Tree)),
                cycles(CycleStore::Exact),
                cycles(CycleStore::Tree),
            ));
        }
    }
    pairs
}

/// Searches that go over to the tree on the way, because their budget is too small for states as they are.
fn moves(name: &str) -> Result<(), Failed> {
    let model = common::example(name);
    let depth = |store| Search::Depth(DepthFirst { store, ..DepthFirst::default() });
    let cycles =
        |store| Search::Cycles(Cycles { of: CycleProperty::Progress, fair: false, store, sets: None, max_depth: None });
    let sleep = Technique::SleepSets;
    for (exact, usual) in [
        (depth(DepthStore::Exact(Techniques::None)), depth(DepthStore::Usual(None))),
        (depth(DepthStore::Exact(Techniques::One(sleep))), depth(DepthStore::Usual(Some(sleep)))),
        (breadth(false, None), breadth(true, None)),
        (cycles(CycleStore::Exact), cycles(CycleStore::Usual)),
    ] {
        let all = Plan { all_errors: !matches!(usual, Search::Cycles(_)), ..Plan::default() };
        let expected = run(&model, &Plan { search: exact.clone(), ..all.clone() });
        let little = within(&model, &Plan { search: exact, memory: Some(LITTLE), ..all.clone() });
        let outcome = within(&model, &Plan { search: usual.clone(), memory: Some(LITTLE), ..all });
        if !matches!(little.verdict, Verdict::Incomplete(Limit::Memory { .. })) {
            return Err(format!("{usual:?}: the budget is no small one: {:?}", little.verdict).into());
        }
        if said(&outcome) != said(&expected) {
            return Err(format!("{usual:?}: {:?}, expected {:?}", said(&outcome), said(&expected)).into());
        }
        if !outcome.notes.iter().any(|note| note.contains("--store tree")) {
            return Err(format!("{usual:?}: the outcome does not tell of the move: {:?}", outcome.notes).into());
        }
    }
    Ok(())
}

/// A budget that leaves some three mebibytes for the tables.
const LITTLE: u64 = 11 << 20;

/// Runs a plan; what this program takes apart from the search does not count.
fn within(model: &Model, plan: &Plan) -> Outcome {
    let interrupt = AtomicBool::new(false);
    let mut monitor = Monitor::silent(&interrupt);
    monitor.base = Some(0);
    plan.execute(model, &mut monitor)
}

fn check(path: &Path) -> Result<(), Failed> {
    let Ok(model) = common::load(path) else { return Ok(()) };
    let bound = match common::expectation(&std::fs::read_to_string(path)?) {
        Expectation::Refused => return Ok(()),
        Expectation::Counts(expected) if expected.stored > LARGEST => return Ok(()),
        Expectation::Counts(_) => None,
        Expectation::None | Expectation::Partial => Some(DEEPEST),
    };
    for (what, exact, tree) in pairs(&model) {
        for all_errors in [true, false] {
            let run_of = |search: &Search| {
                let plan = Plan { all_errors, search: search.clone(), ..Plan::default() };
                said(&run(&model, &common::bounded(plan, bound)))
            };
            let (exact, tree) = (run_of(&exact), run_of(&tree));
            if exact != tree {
                return Err(format!("{what}: {tree:?}, expected {exact:?}").into());
            }
        }
    }
    Ok(())
}
