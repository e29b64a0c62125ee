//! Every model of the corpus under every reduction: sleep sets visit exactly the states of the full search, persistent sets
//! come to the same verdict, and the relation behind them stands the test of execution.

mod common;

use common::{
    DEEPEST, Expectation, LARGEST, breadth_first, corpus_model, model_of, reduced, run, violated, workers_reduced,
};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::search::monitor::Monitor;
use pv::search::outcome::{Outcome, Verdict, ViolationKind};
use pv::search::plan::{
    Assertions, Assumptions, DepthFirst, DepthStore, Plan, Preserves, Search, Sets, SharedStore, Technique, Techniques,
};
use pv::store::Replacement;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// A search by two workers, reduced to these sets.
fn by_workers(sets: Sets) -> Search {
    workers_reduced(2, SharedStore::Exact, Some(sets))
}

/// Persistent sets that keep every error, and those that keep deadlocks only.
const SETS: Sets = Sets { preserves: Preserves::Errors, check: false };
const DEADLOCK_SETS: Sets = Sets { preserves: Preserves::Deadlocks, check: false };

const SLEEP: Techniques = Techniques::One(Technique::SleepSets);
const PERSISTENT: Techniques = Techniques::One(Technique::PersistentSets(SETS));

/// A depth-first search with a small cache.
fn cached(states: u64, technique: Option<Technique>) -> Search {
    let store = DepthStore::Cache { states, replacement: Replacement::Random, max_revisit_rate: 1.0, technique };
    Search::Depth(DepthFirst { store, ..DepthFirst::default() })
}

/// A plan with this search, all else as usual.
fn plan_of(search: Search) -> Plan {
    Plan { search, ..Plan::default() }
}

/// Above this only the reductions run, not their checks, which execute every pair of moves.
const CHECKED: u64 = 3_000;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("recycled pids", recycled_pids),
        Trial::test("checks find what is wrong", checks_are_not_idle),
        Trial::test("a broken relation is found", broken_relation),
        Trial::test("stubborn sets see that a road is closed", closed_road),
        Trial::test("an offer inside a block concerns who hears it", who_hears_an_offer),
        Trial::test("a trace concerns its own channels only", one_traced_channel),
        Trial::test("chains of exclusive channels do not mix", chains),
        Trial::test("claims are used", claims_are_used),
        Trial::test("broken claims do no harm", broken_claims),
        Trial::test("persistent sets with sleep sets", together),
        Trial::test("persistent sets with sleep sets, and births", together_with_births),
    ];
    trials.extend(common::trials(check));
    libtest_mimic::run(&arguments, trials).exit();
}

fn expect(holds: bool, what: impl Fn() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what().into()) }
}

fn check(path: &Path) -> Result<(), Failed> {
    let known = match common::expectation(&std::fs::read_to_string(path)?) {
        Expectation::Counts(expected) if expected.stored > LARGEST => return Ok(()),
        Expectation::Refused => return Ok(()),
        // SPIN gave up; pv may have accepted the model or not, and it may be endless
        Expectation::Partial => false,
        Expectation::Counts(_) | Expectation::None => true,
    };
    let model = match common::load(path) {
        Ok(model) => model,
        Err(what) => return if known { Err(what.into()) } else { Ok(()) },
    };
    let max_depth = (!known).then_some(DEEPEST);
    let plan = |search: Search| common::bounded(Plan { all_errors: true, ..plan_of(search) }, max_depth);
    let without_assertions = |search: Search| Plan { assertions: Assertions::Ignore, ..plan(search) };
    let full = run(&model, &plan(Search::default()));
    if full.counts.stored > LARGEST {
        return Ok(());
    }
    if let Verdict::Incomplete(limit) = &full.verdict {
        return if known { Err(format!("the full search is incomplete: {limit:?}").into()) } else { Ok(()) };
    }
    let deadlocks =
        |outcome: &Outcome| outcome.violations.iter().any(|violation| violation.kind == ViolationKind::InvalidEndState);

    let sleep = run(&model, &plan(reduced(SLEEP)));
    expect(violated(&sleep) == violated(&full), || format!("--sleep: {}", sleep.verdict.name()))?;
    expect(sleep.counts.stored == full.counts.stored, || {
        format!("--sleep: {} states of {}", sleep.counts.stored, full.counts.stored)
    })?;
    expect(sleep.counts.matched <= full.counts.matched, || format!("--sleep: {} matched", sleep.counts.matched))?;
    expect(deadlocks(&sleep) == deadlocks(&full), || "--sleep: deadlocks differ".to_string())?;

    // a cache that just holds the path makes the search forget nearly everything
    let cached = cached(full.counts.stored.div_ceil(2) + 8, Some(Technique::SleepSets));
    let cached = run(&model, &plan(cached));
    if !matches!(cached.verdict, Verdict::Incomplete(_)) {
        expect(violated(&cached) == violated(&full), || format!("--sleep --cache: {}", cached.verdict.name()))?;
        // one that has found an error may have ended for lack of room
        let all = violated(&cached) || cached.counts.stored >= full.counts.stored;
        expect(all, || "--sleep --cache: states are missing".to_string())?;
    }

    let searches: [fn(Sets) -> Search; 4] = [
        |sets| reduced(Techniques::One(Technique::PersistentSets(sets))),
        |sets| breadth_first(Some(sets)),
        by_workers,
        |sets| reduced(Techniques::Both(sets)),
    ];
    for search in searches {
        let por = plan(search(SETS));
        let outcome = run(&model, &por);
        expect(violated(&outcome) == violated(&full), || format!("{por:?}: {}", outcome.verdict.name()))?;
        expect(deadlocks(&outcome) == deadlocks(&full), || format!("{por:?}: deadlocks differ"))?;
        expect(outcome.counts.stored <= full.counts.stored, || format!("{por:?}: more states"))?;
        let only = plan(search(DEADLOCK_SETS));
        let outcome = run(&model, &only);
        expect(deadlocks(&outcome) == deadlocks(&full), || format!("{only:?}: deadlocks differ"))?;
    }

    // One error is enough: then the two together may look away from pids.
    let one = |sets| run(&model, &common::bounded(plan_of(reduced(Techniques::Both(sets))), max_depth));
    let (errors, ends) = (one(SETS), one(DEADLOCK_SETS));
    expect(violated(&errors) == violated(&full), || format!("one error of both: {}", errors.verdict.name()))?;
    expect(violated(&ends) || !deadlocks(&full), || format!("one deadlock of both: {}", ends.verdict.name()))?;

    // Persistent sets with sleep sets keep each single deadlock, if all errors are asked for.
    let ends = |techniques| {
        let outcome = run(&model, &without_assertions(reduced(techniques)));
        let only_ends = outcome.violations.iter().all(|violation| violation.kind == ViolationKind::InvalidEndState);
        only_ends.then_some(outcome.error_count)
    };
    if let Some(count) = ends(Techniques::None) {
        for sets in [SETS, DEADLOCK_SETS] {
            let found = ends(Techniques::Both(sets));
            expect(found == Some(count), || format!("{sets:?}: {found:?} deadlocks of {count}"))?;
        }
    }

    if full.counts.stored <= CHECKED {
        let independence = DepthFirst { check_independence: true, ..DepthFirst::default() };
        let sets = Technique::PersistentSets(Sets { check: true, ..SETS });
        for search in [Search::Depth(independence), reduced(Techniques::One(sets))] {
            let outcome = run(&model, &plan(search));
            expect(!matches!(outcome.verdict, Verdict::Incomplete(_)), || format!("{:?}", outcome.verdict))?;
        }
    }
    Ok(())
}

/// SPIN's own reduction finds no error here.
fn recycled_pids() -> Result<(), Failed> {
    let model = model_of("proctype g() { assert(_pid == 1) } init { run g(); run g() }");
    let techniques = [None, Some(Technique::SleepSets), Some(Technique::PersistentSets(SETS))];
    let exact = [Techniques::None, SLEEP, PERSISTENT, Techniques::Both(SETS)].map(reduced);
    let caches = techniques.map(|technique| cached(12, technique));
    let wide = [None, Some(SETS)].map(breadth_first);
    for search in exact.into_iter().chain(caches).chain(wide).chain([by_workers(SETS)]) {
        let plan = plan_of(search);
        let outcome = run(&model, &plan);
        expect(outcome.verdict == Verdict::Violated, || format!("{plan:?}"))?;
    }
    Ok(())
}

/// What the two reductions leave together, to the digit: without the sets that states keep, or the visits that follow from
/// them, fewer; without sleep sets more.
fn together() -> Result<(), Failed> {
    let philosophers = include_str!("../examples/philosophers.pml");
    let transfer = include_str!("../examples/go_back_n.pml");
    for (text, techniques, stored, matched) in [
        (philosophers, PERSISTENT, 1125, 971),
        (philosophers, Techniques::Both(SETS), 997, 986),
        (philosophers, Techniques::Both(DEADLOCK_SETS), 532, 294),
        (transfer, PERSISTENT, 6042, 1540),
        (transfer, Techniques::Both(SETS), 6042, 1648),
    ] {
        let outcome = run(&model_of(text), &plan_of(reduced(techniques)));
        let found = (outcome.counts.stored, outcome.counts.matched);
        expect(found == (stored, matched), || format!("{techniques:?}: {found:?}"))?;
    }
    Ok(())
}

/// Where nobody sees pids, births and deaths cost the two reductions together no more than persistent sets alone.
fn together_with_births() -> Result<(), Failed> {
    for (text, most) in [
        ("proctype g() { byte x; x = 1; x = 2 } init { run g(); run g(); run g() }", 16),
        ("byte n; proctype g() { n++; n-- } init { run g(); run g(); (n == 0) }", 40),
        // here the births have to be counted
        ("proctype g(byte k) { if :: k > 0 -> run g(k - 1); skip :: else fi } init { run g(2); run g(2) }", 40),
    ] {
        let model = model_of(text);
        let [alone, both, full] =
            [PERSISTENT, Techniques::Both(SETS), Techniques::None].map(|what| run(&model, &plan_of(reduced(what))));
        let stored = [&alone, &both, &full].map(|outcome| outcome.counts.stored);
        expect(stored[1] <= stored[0] && stored[0] < stored[2] && stored[0] <= most, || format!("{text}: {stored:?}"))?;
        expect(both.verdict == full.verdict, || format!("{text}: {:?}", both.verdict))?;
    }
    Ok(())
}

/// The executor is the judge: two moves that do not commute are told apart from two that do.
fn checks_are_not_idle() -> Result<(), Failed> {
    use pv::search::walk::moves::MoveRunner;
    let model = model_of(
        "byte x, y; active proctype a() { x = 1 } active proctype b() { x = 2 } active proctype c() { y = 1 }",
    );
    let program = pv::exec::Program::new(&model, None);
    let mut runner = MoveRunner::new(&program).ok_or("no initial state")?;
    let saved = runner.machine.saved().to_vec();
    let moves = runner.moves(&saved);
    expect(moves.len() == 3, || format!("{} moves", moves.len()))?;
    for (n, first) in moves.iter().enumerate() {
        for second in &moves[n + 1..] {
            let swapped = pv::search::reduce::audit::differ(&mut runner, first, second);
            let both_write_x = first.attempt.step.pid < 2 && second.attempt.step.pid < 2;
            expect(swapped.is_some() == both_write_x, || format!("{first:?} {second:?}: {swapped:?}"))?;
        }
    }
    Ok(())
}

/// A relation that forgets every access to a variable is found out, depth first and breadth first, and so are persistent sets
/// that believe claims without asking in each state whether they are kept.
fn broken_relation() -> Result<(), Failed> {
    use pv::analysis::Dependence;
    use pv::exec::Program;
    use pv::search::driver::Task;
    use pv::search::reduce::Full;
    use pv::search::reduce::audit::Audit;
    use pv::store::BreadthStates;
    use pv::store::depth::exact::ExactStore;
    let model = model_of("byte x; active proctype a() { x = 1 } active proctype b() { x = 2 }");
    let program = Program::new(&model, None);
    let interrupt = AtomicBool::new(false);
    let settings = Plan::default().settings();
    for (breadth, broken) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut relation = Dependence::new(&model);
        if broken {
            relation.footprints.iter_mut().flatten().for_each(|footprint| footprint.memory.clear());
        }
        let audit = Some(Audit::new(&model, &program, Some(relation), None));
        let monitor = &mut Monitor::silent(&interrupt);
        let task = Task { model: &model, program: &program, settings, known: &[], audit, monitor };
        let outcome = if breadth {
            let mut store = BreadthStates::exact(1, usize::MAX);
            pv::search::explore::bfs::search(task, &mut store, &mut Full)
        } else {
            let mut store = ExactStore::new(1);
            pv::search::explore::dfs::search(task, &mut store, &mut Full)
        };
        let expected = if broken { "incomplete" } else { "verified" };
        expect(outcome.verdict.name() == expected, || format!("{breadth} {broken}: {:?}", outcome.verdict))?;
    }
    Ok(())
}

/// What the claims say cannot be found out from the model: believing them leaves more out.
fn claims_are_used() -> Result<(), Failed> {
    let model = corpus_model("claims_kept");
    let interrupt = AtomicBool::new(false);
    // Of one worker there is no note about small levels.
    let one = workers_reduced(1, SharedStore::Exact, Some(SETS));
    for search in [reduced(PERSISTENT), breadth_first(Some(SETS)), one] {
        let plan = plan_of(search);
        let assumed = Assumptions { channel_claims_hold: false, ..Assumptions::default() };
        let without = plan.execute_assuming(assumed, &model, &mut Monitor::silent(&interrupt));
        let with = run(&model, &plan);
        expect(with.verdict.name() == "verified" && with.notes.is_empty(), || format!("{:?}", with.notes))?;
        let (with, without) = (with.counts.stored, without.counts.stored);
        expect(with < without, || format!("{plan:?}: {with} states with claims, {without} without"))?;
    }
    Ok(())
}

/// The error behind a broken claim is found, and the report says whose claim was broken.
fn broken_claims() -> Result<(), Failed> {
    let model = corpus_model("claims_broken");
    let depth = [Techniques::None, SLEEP, PERSISTENT].map(reduced);
    for search in depth.into_iter().chain([None, Some(SETS)].map(breadth_first)).chain([by_workers(SETS)]) {
        let plan = plan_of(search);
        let outcome = run(&model, &plan);
        expect(outcome.verdict == Verdict::Violated, || format!("{plan:?}: {:?}", outcome.verdict))?;
        let told = outcome.notes.iter().any(|note| note.contains("Thief (pid 1) comes to `where?_`"));
        expect(told == plan.search.sets().is_some(), || format!("{plan:?}: {:?}", outcome.notes))?;
    }
    Ok(())
}

/// The reader would get in the way of the writer if it ever passed its guard, which only the opener can open, and that is not
/// possible now. Closing over processes takes the reader with its next step, and the other user of `y`; move by move the
/// writer is enough.
fn closed_road() -> Result<(), Failed> {
    let model = model_of(
        "byte x, y, gate, key;
         active proctype writer() { x = 1 }
         active proctype reader() { y = 1; (gate == 1); assert(x == 0) }
         active proctype other() { y = 2 }
         active proctype opener() { (key == 1); gate = 1 }",
    );
    let chosen = first_set(&model)?;
    expect(chosen == Some(vec![0]), || format!("{chosen:?}"))
}

/// A process that offers inside a block does not disturb a step of another process that begins and ends where the offer is not
/// heard. It does disturb a step that comes to the receive, also if the block of that step breaks off there.
fn who_hears_an_offer() -> Result<(), Failed> {
    for (body, alone) in [
        ("m = 1; m = 2; c?m", true),
        ("if :: m == 0 -> m = 1 :: m == 1 -> m = 2 fi; c?m", true),
        ("m = 1; c?m", false),
        ("if :: m == 0 -> m = 1 :: c?m fi", false),
        ("atomic { m = 1; c?m; m = 2 }", false),
        ("m = 1; atomic { m == 1 -> c?m }", true),
    ] {
        let hearer = format!("active proctype hearer() {{ byte m; {body} }}");
        let offerer = "chan c = [0] of { byte }; active proctype offerer() { atomic { true; c!1 } }";
        let chosen = first_set(&model_of(&format!("{offerer} {hearer}")))?;
        expect(chosen == alone.then(|| vec![1]), || format!("{body}: {chosen:?}"))?;
    }
    Ok(())
}

/// The processes of the set that is chosen in the initial state; `None` if it is everything.
fn first_set(model: &pv::model::Model) -> Result<Option<Vec<usize>>, Failed> {
    use pv::search::reduce::persistent::{PersistentOptions, PersistentSets};
    let program = pv::exec::Program::new(model, None);
    let mut machine = pv::exec::Machine::new(&program).map_err(|_| "no initial state")?;
    let keep = PersistentOptions {
        names_pids: false,
        deadlocks_only: false,
        strict_channels: false,
        count_births: true,
        trust_claims: true,
        tracks_stack: true,
        steady: false,
    };
    let set = PersistentSets::new(model, keep).choose_set(&mut machine);
    Ok(set.map(|set| (0..machine.process_count()).filter(|&pid| set.contains(pid)).collect()))
}

/// The receives of the other two takers do not move the trace, and commute.
fn one_traced_channel() -> Result<(), Failed> {
    let model = corpus_model("trace_one_of_many");
    let por = run(&model, &plan_of(reduced(PERSISTENT)));
    expect(por.counts.matched == 0, || format!("{} states matched", por.counts.matched))
}

/// Chains of tasks that wake each other over small channels, each with one sender and one receiver: no two orders of their steps
/// are explored.
fn chains() -> Result<(), Failed> {
    let tasks = "
        proctype source(chan out) { byte i; do :: i < 3 -> out!1; i++ :: i == 3 -> break od }
        proctype relay(chan in, out) { byte i; do :: i < 3 -> in?_; i++; out!1 :: i == 3 -> break od }
        proctype sink(chan in) { byte i; do :: i < 3 -> in?_; i++ :: i == 3 -> break od }
        init { atomic {
            run source(q[0]); run relay(q[0], q[1]); run sink(q[1]);
            run source(q[2]); run relay(q[2], q[3]); run sink(q[3])
        } }";
    for slots in 0..3 {
        let model = model_of(&format!("chan q[4] = [{slots}] of {{ bit }}; {tasks}"));
        for techniques in [PERSISTENT, Techniques::Both(SETS)] {
            let outcome = run(&model, &plan_of(reduced(techniques)));
            let straight = outcome.verdict.name() == "verified" && outcome.counts.matched == 0;
            expect(straight, || format!("{slots} slots, {techniques:?}: {} matched", outcome.counts.matched))?;
        }
    }
    Ok(())
}
