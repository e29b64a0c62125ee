//! Reductions for claims: the reduced system has no cycle on which something is left out in every state, searches of safety properties agree in
//! every order and with every store, and what is reduced hangs on the state alone.

mod common;

use common::{DEEPEST, load, model_of, run, trials, violated};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::analysis::persistent::ProcessSet;
use pv::analysis::visible::{Watch, with_claim};
use pv::exec::{Machine, Program};
use pv::model::{Model, TransitionType};
use pv::search::plan::{
    BreadthCache, BreadthFirst, BreadthStore, CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore, DiskRecord,
    LossyTable, Plan, Preserves, Property, QueuedTable, Reductions, Replacement, Search, Sets, Size, Technique,
    Techniques,
};
use pv::search::reduce::Reduction;
use pv::search::reduce::paths::PathSets;
use pv::search::walk::moves::free_rules;
use pv::search::walk::{Decision, Ended, Visitor, Walk};
use pv::store::Handle;
use pv::store::breadth::disk::Window;
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

/// Models with more states than this are left out here.
const MOST: usize = 4_000;

fn main() -> ExitCode {
    let mut tests: Vec<Trial> = Vec::new();
    for trial in trials(no_cycle_is_reduced_all_around) {
        tests.push(trial.with_kind("cycles"));
    }
    for trial in trials(safety_claims_agree) {
        tests.push(trial.with_kind("safety"));
    }
    tests.push(Trial::test("loops_are_broken_where_they_must_be", loops_are_broken));
    tests.push(Trial::test("counting_loops_need_no_breaker", counting_loops));
    tests.push(Trial::test("a_claim_that_can_fail_is_not_reduced", claims_that_can_fail));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

/// A reduction that remembers where it has left something out.
struct Spy<'m> {
    sets: PathSets<'m>,
    frames: Vec<Option<ProcessSet>>,
    reduced: HashMap<Vec<u8>, bool>,
}

impl Reduction for Spy<'_> {
    fn enter(&mut self, machine: &mut Machine<'_>, _: Handle) {
        let state = machine.state().to_vec();
        let set = self.sets.choose(machine);
        self.reduced.insert(state, set.is_some());
        self.frames.push(set);
    }

    fn leave(&mut self, _: &Machine<'_>) {
        self.frames.pop();
    }

    fn admits(&mut self, _: &Machine<'_>, pid: usize) -> bool {
        self.frames.last().is_none_or(|set| set.is_none_or(|set| set.contains(pid)))
    }
}

/// The explicit graph.
#[derive(Default)]
struct Graph {
    numbers: HashMap<Vec<u8>, usize>,
    edges: Vec<Vec<usize>>,
}

impl Visitor for Graph {
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let from = walk.entered().next_back().map(|(_, handle)| handle.0 as usize);
        let known = self.numbers.len();
        if known > MOST {
            return Decision::Stop;
        }
        let number = *self.numbers.entry(machine.state().to_vec()).or_insert(known);
        if let Some(from) = from {
            self.edges[from].push(number);
        }
        if number < known {
            return Decision::Back;
        }
        self.edges.push(Vec::new());
        Decision::Enter(Handle(number as u64))
    }
}

/// The graph that is left, and which of its states are reduced; `None` if it is large.
fn reduced_graph(model: &Model, watch: Watch) -> Option<(Graph, Vec<bool>)> {
    let observed = with_claim(model, watch);
    let program = Program::new(model, None);
    let mut machine = Machine::new(&program).ok()?;
    let mut spy = Spy { sets: PathSets::new(&observed, watch), frames: Vec::new(), reduced: HashMap::new() };
    let mut graph = Graph::default();
    let mut walk = Walk::new(program.transitions.len(), free_rules());
    if walk.run(&mut machine, &mut graph, &mut spy) != Ended::Complete {
        return None;
    }
    let mut reduced = vec![false; graph.edges.len()];
    for (state, number) in &graph.numbers {
        reduced[*number] = spy.reduced.get(state) == Some(&true);
    }
    Some((graph, reduced))
}

/// Is there a cycle of reduced states? Takes away states without successors among the rest, again and again.
fn has_reduced_cycle(graph: &Graph, reduced: &[bool]) -> bool {
    let mut left: Vec<usize> =
        (0..reduced.len()).map(|n| graph.edges[n].iter().filter(|&&to| reduced[to]).count()).collect();
    let mut before = vec![Vec::new(); reduced.len()];
    for (from, edges) in graph.edges.iter().enumerate() {
        edges.iter().for_each(|&to| before[to].push(from));
    }
    let mut open: Vec<usize> = (0..reduced.len()).filter(|&n| reduced[n] && left[n] == 0).collect();
    let mut gone = 0;
    while let Some(n) = open.pop() {
        gone += 1;
        for &from in before[n].iter().filter(|&&from| reduced[from]) {
            left[from] -= 1;
            if left[from] == 0 {
                open.push(from);
            }
        }
    }
    gone < reduced.iter().filter(|&&is| is).count()
}

fn no_cycle_is_reduced_all_around(path: &Path) -> Result<(), Failed> {
    let Ok(model) = load(path) else { return Ok(()) };
    if model.hidden_size > 0 {
        return Ok(());
    }
    let claims = (0..model.claims.len()).map(|claim| Watch { claim: Some(claim), ..Watch::default() });
    let labels = [
        Watch::default(),
        Watch { accept_labels: true, ..Watch::default() },
        Watch { progress_labels: true, ..Watch::default() },
    ];
    for watch in claims.chain(labels) {
        if let Some((graph, reduced)) = reduced_graph(&model, watch)
            && has_reduced_cycle(&graph, &reduced)
        {
            return Err(format!("{watch:?}: a cycle of {} states is reduced all around", reduced.len()).into());
        }
    }
    Ok(())
}

/// All searches that a safety claim may have.
fn searches() -> Vec<Search> {
    let runs = Technique::PersistentSets(Sets { preserves: Preserves::Runs, check: true });
    let table = |bits| LossyTable::Compact { bits: Some(bits), size: Size::Slots(1 << 16) };
    let depth = |store| Search::Depth(DepthFirst { store, ..DepthFirst::default() });
    let breadth = |store| Search::Breadth(BreadthFirst { store, max_depth: None });
    let queued = |table| breadth(BreadthStore::Queued { table, work_dir: None });
    let states = 1 << 16;
    vec![
        depth(DepthStore::Exact(Techniques::None)),
        depth(DepthStore::Exact(Techniques::One(runs))),
        depth(DepthStore::Cache { states, replacement: Replacement::Random, max_revisit_rate: 1.0, technique: None }),
        depth(DepthStore::Cache {
            states,
            replacement: Replacement::Random,
            max_revisit_rate: 1.0,
            technique: Some(runs),
        }),
        depth(DepthStore::Lossy { table: table(64), runs: None, technique: None }),
        depth(DepthStore::Lossy { table: table(64), runs: None, technique: Some(runs) }),
        breadth(BreadthStore::Exact { moves: false, sets: None, check_independence: false }),
        breadth(BreadthStore::Exact {
            moves: false,
            sets: Some(Sets { preserves: Preserves::Runs, check: true }),
            check_independence: false,
        }),
        queued(QueuedTable::Exact),
        queued(QueuedTable::Lossy { table: table(64), runs: None }),
        queued(QueuedTable::Cache { cache: BreadthCache::of(states), max_collision_rate: 0.9 }),
        queued(QueuedTable::Disk { record: DiskRecord::States, window: Window::Everything }),
    ]
}

fn safety_claims_agree(path: &Path) -> Result<(), Failed> {
    let Ok(model) = load(path) else { return Ok(()) };
    for number in 0..model.claims.len() {
        let property = Property::Cycles(CycleProperty::Claim(number));
        if !property.is_safety(&model) || model.hidden_size > 0 {
            continue;
        }
        let cycles = Cycles {
            of: CycleProperty::Claim(number),
            fair: false,
            store: CycleStore::Exact,
            sets: None,
            max_depth: Some(DEEPEST),
        };
        let full = run(&model, &Plan { search: Search::Cycles(cycles), ..Plan::default() });
        if full.counts.stored > 20_000 {
            continue;
        }
        let mut shortest = None;
        for search in searches() {
            if search.sets().is_some() && !property.is_insensitive(&model) {
                continue;
            }
            let (name, is_exact) = (format!("{search:?}"), search.sets().is_none());
            let is_breadth = matches!(search, Search::Breadth(_));
            for statics in [Reductions::NONE, Reductions { merging: false, ..Reductions::ALL }] {
                let plan = Plan { search: search.clone(), claim: Some(number), statics, ..Plan::default() };
                let outcome = run(&model, &plan);
                if violated(&outcome) != violated(&full) {
                    return Err(format!("{name}: {} after {}", outcome.verdict.name(), full.verdict.name()).into());
                }
                if !violated(&full)
                    && is_exact
                    && statics == Reductions::NONE
                    && outcome.counts.stored != full.counts.stored
                {
                    return Err(format!("{name}: {} states, not {}", outcome.counts.stored, full.counts.stored).into());
                }
                let (_, program) = property.compile(&model);
                for violation in &outcome.violations {
                    pv::search::walk::replay::verify(&program, &violation.path)?;
                }
                if is_breadth
                    && is_exact
                    && let Some(violation) = outcome.violations.first()
                {
                    let length = *shortest.get_or_insert(violation.depth);
                    if length != violation.depth {
                        return Err(format!("{name}: a path of {} steps, not {length}", violation.depth).into());
                    }
                }
            }
        }
    }
    Ok(())
}

/// States that are reduced and all states, for a property that sees nothing.
fn counts(text: &str) -> (usize, usize) {
    let model = model_of(text);
    let (graph, reduced) = reduced_graph(&model, Watch::default()).expect("a small model");
    assert!(!has_reduced_cycle(&graph, &reduced), "{text}");
    (reduced.iter().filter(|&&is| is).count(), reduced.len())
}

/// Cycles that look harmless: each must have a state that is explored in full.
fn loops_are_broken() -> Result<(), Failed> {
    for text in [
        "active [2] proctype P() { bit x; do :: x = 1 - x od }",
        "active [2] proctype P() { unsigned x : 3; do :: x++ od }",
        "active [2] proctype P() { bit x; do :: x < 1 -> x++ :: x > 0 -> x-- od }",
        "active [2] proctype P() { unsigned x : 3; do :: x < 7 -> x = x + 3 od }",
        "active [2] proctype P() { byte x, n = 3; do :: x < n -> x++; x = 0 od }",
        "active [2] proctype P() { chan q = [1] of { bit }; do :: q!1; q?_ od }",
        "chan q = [1] of { bit }; active proctype P() { do :: q!1 od } active proctype Q() { do :: q?_ od } active proctype R() { bit x; do :: x = !x od }",
        "chan q = [1] of { bit }; active proctype P() { q!1; do :: q?<_> od } active proctype R() { bit x; do :: x = !x od }",
        "chan q = [0] of { bit }; active proctype P() { do :: q!1 od } active proctype Q() { do :: q?_ od } active proctype R() { bit x; do :: x = !x od }",
        "proctype C() { skip } active proctype P() { do :: run C(); _nr_pr == 2 od } active proctype R() { bit x; do :: x = !x od }",
        "active [2] proctype P() { unsigned x : 3; do :: x != 0 -> x-- :: else -> x = 5 od }",
        "active [2] proctype P() { unsigned x : 3; do :: x < 7; if :: x++ :: skip fi; x++ od }",
        "active [2] proctype P() { unsigned x : 3; do :: x < 7; do :: x++ :: break od od }",
        "active [2] proctype P() { unsigned x : 2; do :: x <= 3 -> x++ od }",
        "chan q = [2] of { bit }; active proctype P() { do :: d_step { q!1; q!0 } :: atomic { q?_; q?_ } od } active proctype R() { bit x; do :: x = !x od }",
    ] {
        counts(text);
    }
    Ok(())
}

/// Loops that end by themselves are reduced all the way.
fn counting_loops() -> Result<(), Failed> {
    for text in [
        "active [2] proctype P() { byte x; do :: x < 9 -> x++ :: else -> break od }",
        "active [2] proctype P() { byte x = 9; do :: x > 0 -> x-- :: x == 0 -> break od }",
        "active [2] proctype P() { byte x; do :: x >= 9 -> break :: else -> x++ od }",
        "active [2] proctype P() { int x; for (x : 1 .. 9) { skip } }",
    ] {
        let (reduced, all) = counts(text);
        assert!(all < 80 && reduced > 0, "{text}: {all} states");
    }
    Ok(())
}

/// Whether a claim comes to an evaluation that is an error may hang on how often it looks at a state.
fn claims_that_can_fail() -> Result<(), Failed> {
    let insensitive = |declared: &str, claim: &str| {
        let text = format!("byte a, z[2]; {declared} active proctype P() {{ a = 1; L: a = 2 }} {claim}");
        Property::Cycles(CycleProperty::Claim(0)).is_insensitive(&model_of(&text))
    };
    let never = "never { T0: do :: a == 0 -> goto T0 :: a == 1 -> goto T1 od; T1: do :: a == 1 -> goto T1 :: 10 / (a - 1) == 3 -> goto T1 od }";
    for (declared, claim) in [
        ("", never),
        ("", "ltl p { [] (10 / a > 1) }"),
        ("", "ltl p { [] (z[a] == 0) }"),
        ("chan c;", "ltl p { [] (len(c) == 0) }"),
    ] {
        assert!(!insensitive(declared, claim), "{declared} {claim}");
    }
    for (declared, claim) in [
        ("", "ltl p { [] (a < 3) }"),
        ("", "ltl p { [] <> P@L }"),
        ("chan c = [1] of { byte };", "ltl p { [] (len(c) == 0) }"),
    ] {
        assert!(insensitive(declared, claim), "{declared} {claim}");
    }
    Ok(())
}
