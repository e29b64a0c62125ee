//! Cycles: the verdicts of the corpus, the shape of every counterexample, and weak fairness against its definition.

use pv::exec::{Machine, Program};
use pv::model::{Model, TransitionType};
use pv::search::lasso;
use pv::search::liveness::accepting;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Outcome, Step, Verdict, Violation};
use pv::search::plan::{Plan, Property};
use pv::search::walk::{Control, Decision, Event, Movers, Rules, Visitor, Walk};
use pv::store::Handle;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn run(model: &Model, plan: &Plan) -> Outcome {
    let interrupt = AtomicBool::new(false);
    plan.execute(model, &mut Monitor::silent(&interrupt))
}

/// One `expect-liveness` line.
struct Expected<'a> {
    property: &'a str,
    mode: &'a str,
    fair: bool,
    violated: bool,
}

fn expectations(text: &str) -> Vec<Expected<'_>> {
    text.lines()
        .filter_map(|line| line.split_once("expect-liveness: "))
        .filter_map(|(_, rest)| {
            let value = |key: &str| rest.split_whitespace().find_map(|pair| pair.strip_prefix(key));
            Some(Expected {
                property: value("property=")?,
                mode: value("mode=")?,
                fair: value("fair=")? == "1",
                violated: value("violated=")? == "1",
            })
        })
        .collect()
}

/// The cycle closes in the state it starts from and shows what it is said to show.
fn check_lasso(model: &Model, plan: &Plan, violation: &Violation) -> Result<(), String> {
    let (_, program) = plan.compile(model);
    lasso::check(&program, plan.settings().rules, plan.fair, violation)
}

#[test]
fn verdicts_of_the_corpus() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut failures = Vec::new();
    let mut checked = 0;
    for folder in ["tests/corpus/liveness", "examples"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("the folder is there").flatten() {
            let text = std::fs::read_to_string(entry.path()).unwrap_or_default();
            let expected = expectations(&text);
            // The large examples are left to the comparison with SPIN, which runs in release.
            if expected.is_empty() || text.contains("stored=396167") || text.contains("stored=54964") {
                continue;
            }
            let name = entry.file_name().to_string_lossy().to_string();
            let (_, model) = match pv::load::read(&entry.path()) {
                Ok(loaded) => loaded,
                Err(what) => {
                    failures.push(format!("{name}: {what}"));
                    continue;
                }
            };
            for line in expected {
                checked += 1;
                let claim = model.claims.iter().position(|claim| &*claim.name == line.property);
                let property = match (line.mode, claim) {
                    ("non-progress", _) => Property::NonProgress,
                    (_, Some(number)) => Property::Claim(number),
                    _ if !model.claims.is_empty() => Property::Claim(0),
                    _ => Property::AcceptLabels,
                };
                let plan = Plan { property, fair: line.fair, ..Plan::default() };
                let outcome = run(&model, &plan);
                let label = format!("{name} {} {} fair={}", line.property, line.mode, line.fair);
                if (outcome.verdict == Verdict::Violated) != line.violated {
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

/// The edges of the whole graph, by execution: from state to state with the processes that moved.
struct Graph {
    accepts: Vec<bool>,
    edges: Vec<Vec<(usize, Movers)>>,
    can_move: Vec<Movers>,
}

struct Collector<'a> {
    numbers: &'a mut HashMap<Vec<u8>, usize>,
    waiting: &'a mut VecDeque<Vec<u8>>,
    edges: Vec<(usize, Movers)>,
    can_move: Movers,
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

    fn leave(&mut self, _: &mut Machine<'_>, _: &Walk, _: Handle) -> Control {
        Control::Continue
    }

    fn event(&mut self, _: &mut Machine<'_>, _: &Walk, _: Event, _: Option<Step>) -> Control {
        Control::Continue
    }
}

fn graph(program: &Program) -> Graph {
    let rules = Rules {
        end_states: false,
        assertions: false,
        strict_channels: false,
        max_depth: u64::MAX,
        claim: false,
        halts: false,
        stutter: false,
    };
    let mut machine = Machine::new(program).unwrap_or_else(|trap| panic!("{}", program.describe(trap)));
    let mut numbers = HashMap::from([(machine.state().to_vec(), 0)]);
    let mut waiting = VecDeque::from([machine.saved().to_vec()]);
    let mut found = Graph { accepts: Vec::new(), edges: Vec::new(), can_move: Vec::new() };
    while let Some(state) = waiting.pop_front() {
        machine.load(&state);
        found.accepts.push(accepting(&machine));
        let (numbers, waiting) = (&mut numbers, &mut waiting);
        let mut collector = Collector { numbers, waiting, edges: Vec::new(), can_move: Movers::default() };
        Walk::new(program.transitions.len(), rules).run(&mut machine, &mut collector, false);
        found.can_move.push(collector.can_move);
        found.edges.push(collector.edges);
    }
    found
}

/// The definition: a closed walk from some state through an accepting state, in which every process moves or is in
/// some state unable to. A state in which nothing can move repeats for ever and is fair to all.
fn fair_cycle(graph: &Graph) -> bool {
    (0..graph.edges.len()).any(|start| {
        if graph.edges[start].is_empty() {
            return graph.accepts[start];
        }
        let first = (start, graph.can_move[start].complement(), graph.accepts[start]);
        let mut queue = VecDeque::from([first]);
        let mut seen: HashSet<(usize, String, bool)> = HashSet::new();
        while let Some((at, fair, accepted)) = queue.pop_front() {
            for &(to, movers) in &graph.edges[at] {
                let fair = fair.union(movers).union(graph.can_move[to].complement());
                let accepted = accepted || graph.accepts[to];
                if to == start && accepted && fair.is_all() {
                    return true;
                }
                if seen.insert((to, format!("{fair:?}"), accepted)) {
                    queue.push_back((to, fair, accepted));
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
            let action = match rng.random_range(0..6) {
                0 => "c!1".to_string(),
                1 => "c?_".to_string(),
                2 => "break".to_string(),
                _ => format!("{target} = ({target} + {}) % 3", rng.random_range(1..3)),
            };
            let label = if rng.random_range(0..3) == 0 { format!("accept_{number}_{option}: ") } else { String::new() };
            // A label in front of a jump of its own would not be a state.
            let label = if action == "break" { String::new() } else { label };
            text += &format!("  :: {guard} -> {label}{action}\n");
        }
        text += "  od\n}\n";
    }
    // Somebody who can end the cycles of those who look, if only it is its turn.
    if rng.random() {
        text += "active proctype Stopper() { stop = 1 }\n";
    }
    text
}

#[test]
fn weak_fairness_is_as_defined() {
    let mut rng = SmallRng::seed_from_u64(20_261_116);
    let (mut violated, mut different) = (0, 0);
    for number in 0..150 {
        let text = random_model(&mut rng);
        let (_, model) = pv::load::read_text("random.pml", &text).unwrap_or_else(|what| panic!("{text}\n{what}"));
        let plan = Plan { property: Property::AcceptLabels, fair: true, ..Plan::default() };
        let outcome = run(&model, &plan);
        let wanted = fair_cycle(&graph(&Program::new(&model, None)));
        assert_eq!(outcome.verdict == Verdict::Violated, wanted, "model {number}:\n{text}");
        for violation in &outcome.violations {
            check_lasso(&model, &plan, violation).unwrap_or_else(|what| panic!("{what}, model {number}:\n{text}"));
        }
        let unfair = run(&model, &Plan { fair: false, ..plan }).verdict == Verdict::Violated;
        assert!(unfair || !wanted, "a fair cycle is a cycle: model {number}:\n{text}");
        violated += u32::from(wanted);
        different += u32::from(unfair != wanted);
    }
    // The models have to be worth the trouble: of both kinds, and some where fairness decides.
    assert!(violated > 20 && violated < 140 && different > 5, "{violated} violated, {different} by fairness alone");
}
