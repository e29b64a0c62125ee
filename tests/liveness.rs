//! Cycles: the verdicts of the corpus, the shape of every counterexample, and weak fairness against its definition.

mod common;

use common::{Expectation, LARGEST, expected_cycles, model_of, run};
use pv::exec::{Machine, Program};
use pv::model::{Model, TransitionType};
use pv::search::cycles::accepting;
use pv::search::cycles::lasso;
use pv::search::outcome::{Actor, Step, Verdict, Violation, ViolationKind};
use pv::search::plan::{CycleProperty, CycleStore, Cycles, Plan, Search};
use pv::search::reduce::Full;
use pv::search::walk::{Control, Decision, Event, Movers, Rules, Visitor, Walk};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

/// A search for the cycles of a property.
fn plan_of(of: CycleProperty, fair: bool) -> Plan {
    Plan {
        search: Search::Cycles(Cycles { of, fair, store: CycleStore::Exact, sets: None, max_depth: None }),
        ..Plan::default()
    }
}

/// The cycle closes in the state it starts from and shows what it is said to show.
fn check_lasso(model: &Model, plan: &Plan, violation: &Violation) -> Result<(), String> {
    let (_, program) = plan.property().compile(model);
    lasso::check(&program, plan.settings().rules, plan.search.is_fair(), violation, &mut |_, _| false)
}

#[test]
fn verdicts_of_the_corpus() {
    let mut failures = Vec::new();
    let mut checked = 0;
    for folder in ["tests/corpus/liveness", "examples"] {
        for path in common::models(folder) {
            let text = std::fs::read_to_string(&path).unwrap();
            let expected = expected_cycles(&text);
            // The large examples are left to the comparison with SPIN.
            let large = matches!(common::expectation(&text), Expectation::Counts(counts) if counts.stored > LARGEST);
            if expected.is_empty() || large {
                continue;
            }
            let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
            let model = match common::load(&path) {
                Ok(model) => model,
                Err(what) => {
                    failures.push(format!("{name}: {what}"));
                    continue;
                }
            };
            for line in expected {
                checked += 1;
                let claim = model.claims.iter().position(|claim| &*claim.name == line.property);
                let property = match (line.mode, claim) {
                    ("non-progress", _) => CycleProperty::Progress,
                    (_, Some(number)) => CycleProperty::Claim(number),
                    _ if !model.claims.is_empty() => CycleProperty::Claim(0),
                    _ => CycleProperty::AcceptLabels,
                };
                let plan = plan_of(property, line.fair);
                let outcome = run(&model, &plan);
                let label = format!("{name} {} {} fair={}", line.property, line.mode, line.fair);
                let complete = !matches!(outcome.verdict, Verdict::Incomplete(_));
                if !complete || (outcome.verdict == Verdict::Violated) != line.violated {
                    failures.push(format!("{label}: {}", outcome.verdict.name()));
                }
                for violation in &outcome.violations {
                    if let Err(what) = check_lasso(&model, &plan, violation) {
                        failures.push(format!("{label}: {what}"));
                    }
                }
            }
        }
    }
    assert!(checked > 50, "only {checked} lines found");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_lasso_that_is_none_is_refused() {
    let text = "byte x; active proctype P() { do :: x = 1 - x od } active proctype Q() { x == 7 } \
                active proctype R() { x = 9; false } ltl p { []<> (x == 9) }";
    let model = model_of(text);
    let plan = plan_of(CycleProperty::Claim(0), false);
    let outcome = run(&model, &plan);
    let found = outcome.violations.first().expect("P can go around without R");
    assert_eq!(check_lasso(&model, &plan, found), Ok(()));
    let open = Violation { path: found.path[..found.path.len() - 2].to_vec(), ..found.clone() };
    assert_eq!(check_lasso(&model, &plan, &open), Err("the cycle does not close".to_string()));
    let empty = Violation { cycle_start: Some(found.path.len()), ..found.clone() };
    assert_eq!(check_lasso(&model, &plan, &empty), Err("the cycle has no steps".to_string()));
    let mut torn = found.clone();
    torn.path[1] = Step { actor: Actor::Process(1), transition: 0, timeout: false };
    assert_eq!(check_lasso(&model, &plan, &torn), Err("step 2: the statement is not executable".to_string()));
    // R could always move and does not.
    let fair = plan_of(CycleProperty::Claim(0), true);
    assert_eq!(check_lasso(&model, &fair, found), Err("the cycle is not weakly fair".to_string()));
    let labelled = |labels: &str| {
        let text = format!("byte x; active proctype P() {{ do :: x = 1 - x; {labels} skip od }}");
        model_of(&text)
    };
    let plan = plan_of(CycleProperty::AcceptLabels, false);
    let both = labelled("accept: progress:");
    let outcome = run(&both, &plan);
    let found = outcome.violations.first().expect("P goes around through its label");
    assert_eq!(check_lasso(&both, &plan, found), Ok(()));
    assert_eq!(check_lasso(&labelled(""), &plan, found), Err("no state of the cycle accepts".to_string()));
    let busy = Violation { kind: ViolationKind::NonProgressCycle, ..found.clone() };
    assert_eq!(check_lasso(&both, &plan, &busy), Err("the cycle makes progress".to_string()));
}

#[test]
fn a_depth_bound_says_nothing_about_who_can_move() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/liveness/fair_block_cut.pml");
    let (_, model) = pv::load::read(&path).unwrap_or_else(|what| panic!("{what}"));
    for bound in 1..12 {
        let plan = common::bounded(plan_of(CycleProperty::Claim(0), true), Some(bound));
        let outcome = run(&model, &plan);
        assert_ne!(outcome.verdict, Verdict::Violated, "depth {bound}");
    }
}

/// The edges of the whole graph, by execution: from state to state with the processes that moved.
struct Graph {
    /// Somewhere the claim comes to its end.
    claim_ends: bool,
    accepts: Vec<bool>,
    edges: Vec<Vec<(usize, Movers)>>,
    can_move: Vec<Movers>,
}

struct Collector<'a> {
    numbers: &'a mut HashMap<Vec<u8>, usize>,
    waiting: &'a mut VecDeque<Vec<u8>>,
    edges: Vec<(usize, Movers)>,
    can_move: Movers,
    claim_ends: bool,
}

impl Visitor for Collector<'_> {
    const WATCHES: bool = true;

    fn can_move(&mut self, movers: Movers, _: bool) {
        self.can_move = self.can_move.union(movers);
    }

    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let next = self.numbers.len();
        let number = *self.numbers.entry(machine.state().to_vec()).or_insert_with(|| {
            self.waiting.push_back(machine.saved().to_vec());
            next
        });
        self.edges.push((number, walk.movers()));
        Decision::Back
    }

    fn event(&mut self, _: &mut Machine<'_>, _: &Walk, event: Event, _: Option<Step>) -> Control {
        self.claim_ends |= event == Event::ClaimEnd;
        Control::Continue
    }
}

fn graph(program: &Program, rules: Rules) -> Graph {
    let mut machine = Machine::new(program).unwrap_or_else(|trap| panic!("{}", program.describe(trap)));
    let mut numbers = HashMap::from([(machine.state().to_vec(), 0)]);
    let mut waiting = VecDeque::from([machine.saved().to_vec()]);
    let mut found = Graph { claim_ends: false, accepts: Vec::new(), edges: Vec::new(), can_move: Vec::new() };
    while let Some(state) = waiting.pop_front() {
        machine.load(&state);
        found.accepts.push(accepting(&machine));
        let (numbers, waiting) = (&mut numbers, &mut waiting);
        let (edges, can_move) = (Vec::new(), Movers::default());
        let mut collector = Collector { numbers, waiting, edges, can_move, claim_ends: false };
        Walk::new(program.transitions.len(), rules).expand(&mut machine, &mut collector, &mut Full);
        found.claim_ends |= collector.claim_ends;
        found.can_move.push(collector.can_move);
        found.edges.push(collector.edges);
    }
    found
}

/// The processes of these models, as bits: there are at most four of them.
const EVERYBODY: u8 = 0b1111;

fn bits(movers: Movers) -> u8 {
    let is_in = |pid: u8| {
        let mut one = Movers::default();
        one.add(pid);
        movers.contains(one)
    };
    (0..4).filter(|&pid| is_in(pid)).fold(0, |all, pid| all | 1 << pid)
}

/// The definition: a closed walk from an accepting state back to it, in which every process moves or is in some state
/// unable to. Without a claim, a state in which nothing can move repeats for ever and is fair to all.
fn has_cycle(graph: &Graph, fair: bool, claim: bool) -> bool {
    let unable: Vec<u8> = graph.can_move.iter().map(|&movers| EVERYBODY & !bits(movers)).collect();
    (0..graph.edges.len()).filter(|&start| graph.accepts[start]).any(|start| {
        if graph.edges[start].is_empty() {
            return !claim;
        }
        let mut stack = vec![(start, if fair { unable[start] } else { EVERYBODY })];
        let mut seen = HashSet::new();
        while let Some((at, treated)) = stack.pop() {
            for &(to, movers) in &graph.edges[at] {
                let treated = treated | bits(movers) | unable[to];
                if to == start && treated == EVERYBODY {
                    return true;
                }
                if seen.insert((to, treated)) {
                    stack.push((to, treated));
                }
            }
        }
        false
    })
}

/// A small random model: two or three processes that loop over guarded assignments to two shared variables, with
/// accept labels, a rendezvous channel and processes that may end.
fn random_model(rng: &mut SmallRng) -> String {
    let mut text = String::from("byte a, b;\nbit stop;\nchan c = [0] of { bit };\n");
    for number in 0..rng.random_range(2..=3) {
        text += &format!("active proctype P{number}() {{\n  do\n");
        for option in 0..rng.random_range(1..=3) {
            let variable = if rng.random() { "a" } else { "b" };
            let stopped = if rng.random() { "!stop && " } else { "" };
            let relation = ["==", "!="][rng.random_range(0..2)];
            let guard = format!("{stopped}{variable} {relation} {}", rng.random_range(0..3));
            let target = if rng.random() { "a" } else { "b" };
            let set = format!("{target} = ({target} + {}) % 3", rng.random_range(1..3));
            let action = match rng.random_range(0..9) {
                0 => "c!1".to_string(),
                1 => "c?_".to_string(),
                2 => "break".to_string(),
                3 => format!("atomic {{ {set}; c!1; b = 0 }}"),
                4 => format!("atomic {{ c?_; {set} }}"),
                5 => format!("atomic {{ {set}; {variable} != 1; a = 0 }}"),
                _ => set,
            };
            let label = if rng.random_range(0..3) == 0 { format!("accept_{number}_{option}: ") } else { String::new() };
            // A label in front of a jump of its own would not be a state.
            let label = if action == "break" { String::new() } else { label };
            let label = if rng.random_range(0..5) == 0 { label.replace("accept", "progress") } else { label };
            let option = format!("{guard} -> {label}{action}");
            let whole =
                label.is_empty() && action.contains('%') && !action.contains("atomic") && rng.random_range(0..4) == 0;
            text += &if whole { format!("  :: atomic {{ {option} }}\n") } else { format!("  :: {option}\n") };
        }
        text += "  od\n}\n";
    }
    // Somebody who can end the cycles of those who look, if only it is its turn.
    if rng.random() {
        text += "active proctype Stopper() { stop = 1 }\n";
    }
    let formulas = [
        "<> (stop == 1)",
        "<>[] (a != b || stop == 1)",
        "(a < 2) U (b == 1)",
        "[] (a == 1 -> <> (b == 1))",
        "[] (a + b < 4)",
    ];
    text += &format!("ltl p {{ {} }}\n", formulas[rng.random_range(0..formulas.len())]);
    text
}

/// Is there a violation, by the definition? The search has to say the same, and its lassos have to be right.
fn compare_with_definition(model: &Model, plan: &Plan, label: &str) -> bool {
    let (_, program) = plan.property().compile(model);
    let rules = plan.settings().rules;
    let graph = graph(&program, Rules { halts: false, ..rules });
    let wanted = graph.claim_ends || has_cycle(&graph, plan.search.is_fair(), rules.claim);
    let outcome = run(model, plan);
    assert_eq!(outcome.verdict == Verdict::Violated, wanted, "{label}");
    for violation in &outcome.violations {
        check_lasso(model, plan, violation).unwrap_or_else(|what| panic!("{what}: {label}"));
    }
    compare_shortened(model, plan, &outcome.violations, label);
    wanted
}

/// A lasso that was made shorter is still one, and not longer. Who is starved in a cycle agrees with the test of fairness.
fn compare_shortened(model: &Model, plan: &Plan, found: &[Violation], label: &str) {
    let shortened = run(model, &Plan { shortest: true, ..plan.clone() });
    assert_eq!(shortened.violations.len(), found.len(), "{label}");
    for (shorter, found) in shortened.violations.iter().zip(found) {
        check_lasso(model, plan, shorter).unwrap_or_else(|what| panic!("shortened: {what}: {label}"));
        assert!(shorter.path.len() <= found.path.len(), "{label}");
        let (_, program) = plan.property().compile(model);
        let rules = plan.settings().rules;
        let starved = lasso::starved(&program, rules, shorter);
        assert_eq!(starved.is_some(), shorter.cycle_start.is_some(), "{label}");
        if let Some(starved) = starved {
            let fair = lasso::check(&program, rules, true, shorter, &mut |_, _| false).is_ok();
            assert_eq!(starved.always == Movers::default(), fair, "{label}");
        }
    }
}

#[test]
fn a_lasso_is_made_shorter() {
    // The search goes to the end of the counter before it turns back; the nearest cycle state is the first one.
    let text =
        "byte n, y; active proctype P() { do :: n < 50 -> n++ :: y = 1 - y :: n > 0 -> n-- od } ltl p { <> (n > 60) }";
    let model = model_of(text);
    let plan = plan_of(CycleProperty::Claim(0), false);
    let length = |plan: &Plan| run(&model, plan).violations[0].path.len();
    let (found, shorter) = (length(&plan), length(&Plan { shortest: true, ..plan.clone() }));
    assert!(shorter < found && found > 20, "{shorter} of {found}");
}

#[test]
fn cycles_and_weak_fairness_are_as_defined() {
    let mut rng = SmallRng::seed_from_u64(20_261_116);
    let properties = [CycleProperty::AcceptLabels, CycleProperty::Claim(0), CycleProperty::Progress];
    let mut counts = [(0, 0); 3];
    for number in 0..120 {
        let text = random_model(&mut rng);
        let model = model_of(&text);
        for (property, (violated, different)) in properties.into_iter().zip(&mut counts) {
            let plan = plan_of(property, true);
            let label = format!("{property:?}, model {number}:\n{text}");
            let wanted = compare_with_definition(&model, &plan, &format!("fair {label}"));
            let unfair = compare_with_definition(&model, &plan_of(property, false), &label);
            assert!(unfair || !wanted, "a fair cycle is a cycle: {label}");
            *violated += u32::from(wanted);
            *different += u32::from(unfair != wanted);
        }
    }
    // The models have to be worth the trouble: of both kinds, and some where fairness decides.
    for (violated, different) in counts {
        assert!(violated > 20 && violated < 110 && different > 5, "violated, by fairness alone: {counts:?}");
    }
}
