//! How precise the dependence relation is on a model: of the pairs of enabled moves that the relation calls dependent, how many
//! commute in the states where they meet? Such a pair costs reduction and is not needed.
//!
//! `cargo bench --bench precision -- examples/mulog3.pml [STATES]`
//!
//! The states are visited breadth first and in full, at most `STATES` of them. In each of them we execute every dependent pair in
//! both orders, as `--check-independence` does with the independent ones. A pair commutes if both orders are possible, lead to the
//! same states and meet the same errors. The pairs are grouped by what makes them dependent, and by their statements. That
//! a pair commutes in a state does not mean that it may be called independent there: the relation is a rule for
//! many states, and persistent sets need it for states to come.

use pv::analysis::footprint::{Flags, Footprint};
use pv::analysis::relate::{Answer, InState, Party, relate};
use pv::analysis::{Dependence, Move, Part};
use pv::exec::{Machine, Program};
use pv::model::Model;
use pv::search::reduce::audit::{as_move, differ};
use pv::search::walk::moves::MoveRunner;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::Path;
use std::process::ExitCode;

/// States that are looked at if nothing is said.
const STATES: usize = 5_000;
/// Pairs of statements that are listed.
const LISTED: usize = 20;

/// Pairs that met, and how many of them commuted.
#[derive(Clone, Copy, Default)]
struct Tally {
    met: u64,
    commuted: u64,
}

impl Tally {
    fn note(&mut self, commutes: bool) {
        self.met += 1;
        self.commuted += u64::from(commutes);
    }
}

/// What was counted on a model.
#[derive(Default)]
struct Counts {
    states: usize,
    complete: bool,
    independent: u64,
    dependent: Tally,
    by_kind: BTreeMap<String, Tally>,
    by_statements: BTreeMap<(String, String), Tally>,
}

fn main() -> ExitCode {
    // Cargo adds options of its own for harnesses.
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let Some(path) = words.first() else {
        eprintln!("precision: name a model: cargo bench --bench precision -- MODEL [STATES]");
        return ExitCode::SUCCESS;
    };
    let states = words.get(1).and_then(|word| word.parse().ok()).unwrap_or(STATES);
    match pv::load::read(Path::new(path)) {
        Ok((_, model)) => {
            print(path, &count(&model, states));
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("{what}");
            ExitCode::from(2)
        }
    }
}

/// Visits states and tries the pairs of each.
fn count(model: &Model, limit: usize) -> Counts {
    let program = Program::new(model, None);
    let mut counts = Counts::default();
    let Some(mut runner) = MoveRunner::new(&program) else { return counts };
    let mut relation = Dependence::new(model);
    let start = runner.machine.saved().to_vec();
    let mut seen = HashSet::from([start.clone()]);
    let mut open = VecDeque::from([start]);
    while let Some(state) = open.pop_front() {
        if counts.states == limit {
            return counts;
        }
        counts.states += 1;
        count_state(model, &mut runner, &mut relation, &state, &mut counts);
        for end in runner.moves(&state).into_iter().flat_map(|tried| tried.ends) {
            if seen.insert(end.clone()) {
                open.push_back(end);
            }
        }
    }
    counts.complete = true;
    counts
}

/// Tries the pairs of moves of different processes that are enabled in a state.
fn count_state(
    model: &Model,
    runner: &mut MoveRunner<'_>,
    relation: &mut Dependence<'_>,
    state: &[u8],
    counts: &mut Counts,
) {
    let moves = runner.moves(state);
    for (n, first) in moves.iter().enumerate() {
        for second in moves[n + 1..].iter().filter(|second| !first.meets(second)) {
            runner.machine.load(state);
            relation.refresh(&runner.machine);
            let (a, b) = (as_move(&runner.machine, first), as_move(&runner.machine, second));
            if !relation.dependent(&runner.machine, &a, &b) {
                counts.independent += 1;
                continue;
            }
            let kind = kinds(relation, &runner.machine, &a, &b);
            let mut statements = [name(model, &runner.machine, &a), name(model, &runner.machine, &b)];
            statements.sort();
            let [one, other] = statements;
            let commutes = differ(runner, first, second).is_none();
            counts.dependent.note(commutes);
            counts.by_kind.entry(kind).or_default().note(commutes);
            counts.by_statements.entry((one, other)).or_default().note(commutes);
        }
    }
}

/// Takes everything but one part out of a footprint.
type PartOf = fn(&Footprint) -> Footprint;

/// The parts of a footprint that can make two moves dependent.
const KINDS: [(&str, PartOf); 6] = [
    ("variables", |f| Footprint { memory: f.memory.clone(), ..Footprint::default() }),
    ("channels", |f| Footprint {
        channels: f.channels.clone(),
        synchronous: f.synchronous.clone(),
        ..Footprint::default()
    }),
    ("births and deaths", |f| Footprint {
        flags: Flags(f.flags.0 & (Flags::RUN.0 | Flags::DEATH.0 | Flags::DIES.0 | Flags::COUNT.0)),
        ..Footprint::default()
    }),
    ("offers inside blocks", |f| Footprint {
        partners: f.partners.clone(),
        offers: f.offers.clone(),
        hears: f.hears.clone(),
        spawns: f.spawns.clone(),
        ..Footprint::default()
    }),
    ("locations", |f| Footprint {
        locations: f.locations.clone(),
        visits: f.visits.clone(),
        partners: f.partners.clone(),
        ..Footprint::default()
    }),
    ("the trace", |f| Footprint { traced: f.traced.clone(), ..Footprint::default() }),
];

/// What makes two moves dependent.
fn kinds(relation: &Dependence<'_>, machine: &Machine<'_>, a: &Move, b: &Move) -> String {
    let mut found: Vec<&str> = Vec::new();
    for (kind, part_of) in KINDS {
        let touches = |x: Part, y: Part| {
            let [first, second] = [x, y].map(|part| relation.instance(relation.instance_of(usize::from(part.pid))));
            let f = part_of(&first.footprints[x.transition as usize]);
            let g = part_of(&second.footprints[y.transition as usize]);
            let first = Party { proctype: first.proctype, pid: first.pid, footprint: &f, claims: &[] };
            let second = Party { proctype: second.proctype, pid: second.pid, footprint: &g, claims: &[] };
            relate(&first, &second, &InState { view: machine, lossy: false }) != Answer::Independent
        };
        if parts(a).any(|x| parts(b).any(|y| touches(x, y))) {
            found.push(kind);
        }
    }
    if found.is_empty() { "something that may depend on everything".to_string() } else { found.join(", ") }
}

fn parts(of: &Move) -> impl Iterator<Item = Part> {
    std::iter::once(of.actor).chain(of.partner)
}

/// A move by its process types and statements.
fn name(model: &Model, machine: &Machine<'_>, of: &Move) -> String {
    let text = |part: Part| {
        let proctype = &model.proctypes[machine.proctype(usize::from(part.pid)) as usize];
        format!("{}: {}", proctype.name, proctype.automaton.transitions[part.transition as usize].text)
    };
    parts(of).map(text).collect::<Vec<_>>().join(" with ")
}

fn print(path: &str, counts: &Counts) {
    let some = if counts.complete { "all" } else { "the first" };
    let Tally { met, commuted } = counts.dependent;
    println!("{path}: {some} {} states", counts.states);
    println!("{:>12} pairs of enabled moves of different processes", counts.independent + met);
    println!("{:>12} called independent", counts.independent);
    println!("{met:>12} called dependent");
    println!("{commuted:>12} of these commute where they meet ({:.1} %)", percent(counts.dependent));
    println!("\n   dependent    commute  made dependent by");
    let mut kinds: Vec<(&String, &Tally)> = counts.by_kind.iter().collect();
    kinds.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.met));
    for (kind, tally) in kinds {
        println!("{:>12} {:>8.1} %  {kind}", tally.met, percent(*tally));
    }
    println!("\n   dependent    commute  the statements that commute most often");
    let mut statements: Vec<(&(String, String), &Tally)> = counts.by_statements.iter().collect();
    statements.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.commuted));
    for ((one, other), tally) in statements.into_iter().take_while(|(_, tally)| tally.commuted > 0).take(LISTED) {
        println!("{:>12} {:>8.1} %  {one} | {other}", tally.met, percent(*tally));
    }
}

fn percent(tally: Tally) -> f64 {
    100.0 * tally.commuted as f64 / tally.met.max(1) as f64
}
