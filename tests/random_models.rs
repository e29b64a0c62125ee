//! Random models that use what the language has: the searches of pv against the reference executor, in process. The full search has its
//! counts, and every search with every store and reduction has its verdict; claims are judged with and without fairness. A search
//! in turn writes a certificate, of what it has seen or of the error, and the certificate is proved. What differs is a bug of one of the two; SPIN says of which.
//!
//! There are two makers of models: the one of `tests/common/maker.rs`, and the one of `tests/fuzz_spin.py`, which python3 runs.
//! The number of models is small here; `PV_RANDOM_MODELS=10000 cargo test --release --test random_models` looks at more, from
//! `PV_RANDOM_SEED` on. With `PV_RANDOM_SPIN=1` SPIN and gcc are asked as well: the counts are those of all three.

mod common;
#[path = "common/maker.rs"]
mod maker;
#[path = "common/spin.rs"]
mod spin;

use common::{breadth_first, in_parallel, reduced, run, violated, workers, workers_with};
use maker::Maker;
use pv::certificate::{Certificate, Checked, Ends, Error, ErrorKind, Evidence, Names, Section, Subject};
use pv::certify::check::check;
use pv::certify::cycles::{Judgement, Property as Asked, judge};
use pv::certify::definition::Definition;
use pv::certify::graph::{Explored, explore};
use pv::model::Model;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Limit, Verdict};
use pv::search::plan::{
    Assertions, BreadthCache, BreadthFirst, BreadthStore, CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore,
    EndStates, LossyTable, Plan, Preserves, Property, QueuedTable, Reductions, Replacement, Search, Sets, SharedStore,
    Size, Technique, Techniques,
};
use pv::source::SourceMap;
use pv::source::preprocess::PreprocessOptions;
use pv::witness::Witness;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

/// Models with more states, and products with more, are passed over.
const MOST: usize = 3_000;

/// What became of the models: how many were so.
#[derive(Default, Debug)]
struct Seen(BTreeMap<&'static str, usize>);

impl Seen {
    fn note(&mut self, what: &'static str, is_so: bool) {
        *self.0.entry(what).or_default() += usize::from(is_so);
    }

    fn of(&self, what: &str) -> usize {
        self.0.get(what).copied().unwrap_or(0)
    }
}

struct Compared<'t> {
    seed: u64,
    text: &'t str,
    model: &'t Model,
    definition: &'t Definition,
}

/// Searches for errors that keep all states apart: their counts are those of the model.
fn exact() -> Vec<(&'static str, Search)> {
    vec![
        ("full", reduced(Techniques::None)),
        ("sleep sets", reduced(Techniques::One(Technique::SleepSets))),
        ("breadth first", breadth_first(None)),
        ("one worker", workers(1)),
        ("three workers", workers(3)),
        ("two workers and a tree", workers_with(2, SharedStore::Tree)),
        (
            "breadth first with a queue",
            Search::Breadth(BreadthFirst {
                store: BreadthStore::Queued { table: QueuedTable::Exact, work_dir: None },
                max_depth: None,
            }),
        ),
    ]
}

/// Searches that can be certified.
fn certified() -> Vec<(&'static str, Search)> {
    let tree = DepthFirst { store: DepthStore::Tree(Techniques::None), ..DepthFirst::default() };
    let mut searches = exact();
    searches.retain(|(name, _)| *name != "breadth first with a queue");
    searches.push(("depth first with a tree", Search::Depth(tree)));
    searches
}

/// Searches whose verdict counts. A cache holds most of the states: what a smaller one forgets may have to be searched again for ever.
fn others(stored: u64) -> Vec<(&'static str, Plan)> {
    let sets = Sets { preserves: Preserves::Errors, check: false };
    let checked = Sets { check: true, ..sets };
    let plan = |search| Plan { search, ..Plan::default() };
    let depth = |store| Search::Depth(DepthFirst { store, ..DepthFirst::default() });
    let dead = Reductions { merging: false, ..Reductions::ALL };
    let alone = Technique::PersistentSets(sets);
    let cache = |technique| {
        depth(DepthStore::Cache {
            states: stored / 4 * 3 + 20,
            replacement: Replacement::Random,
            max_revisit_rate: 1.0,
            technique,
        })
    };
    let compact = LossyTable::Compact { bits: Some(64), size: Size::Slots(1 << 14) };
    let queued = |table| {
        Search::Breadth(BreadthFirst { store: BreadthStore::Queued { table, work_dir: None }, max_depth: None })
    };
    vec![
        ("persistent sets", plan(reduced(Techniques::One(Technique::PersistentSets(checked))))),
        ("both", plan(reduced(Techniques::Both(sets)))),
        ("persistent sets, breadth first", plan(breadth_first(Some(sets)))),
        ("dead variables", Plan { statics: dead, ..Plan::default() }),
        ("dead variables, breadth first", Plan { statics: dead, ..plan(breadth_first(None)) }),
        ("statics", Plan { statics: Reductions::ALL, ..Plan::default() }),
        ("dead variables, two workers", Plan { statics: dead, ..plan(workers(2)) }),
        ("all", Plan { statics: Reductions::ALL, ..plan(reduced(Techniques::One(alone))) }),
        ("cache", plan(cache(None))),
        ("cache and sleep sets", plan(cache(Some(Technique::SleepSets)))),
        ("cache and persistent sets", plan(cache(Some(alone)))),
        ("signatures", plan(depth(DepthStore::Lossy { table: compact, runs: None, technique: None }))),
        (
            "signatures and all",
            Plan {
                statics: Reductions::ALL,
                ..plan(depth(DepthStore::Lossy { table: compact, runs: None, technique: Some(alone) }))
            },
        ),
        ("signatures, breadth first", plan(queued(QueuedTable::Lossy { table: compact, runs: None }))),
        (
            "cache, breadth first",
            plan(queued(QueuedTable::Cache { cache: BreadthCache::of(4096), max_collision_rate: 0.9 })),
        ),
    ]
}

/// A search that looks at every state, whatever it finds.
fn all_states() -> Plan {
    Plan { all_errors: true, end_states: EndStates::Ignore, ..Plan::default() }
}

impl Compared<'_> {
    fn wrong(&self, name: &str, what: impl std::fmt::Display) -> String {
        format!("{name}: {what}\n{}", self.text)
    }

    /// Errors and end states.
    fn errors(&self, seen: &mut Seen) -> Result<bool, String> {
        let explored = match explore(self.definition, MOST) {
            Ok(explored) => explored,
            // The initial state itself is wrong.
            Err(_) => {
                let outcome = run(self.model, &Plan::default());
                return if violated(&outcome) { Ok(false) } else { Err(self.wrong("full", "the start is no error")) };
            }
        };
        if explored.incomplete {
            seen.note("large", true);
            return Ok(false);
        }
        let expected = explored.violated();
        seen.note("violated", expected);
        if std::env::var_os("PV_RANDOM_SPIN").is_some() {
            self.ask_spin(&explored, seen)?;
        }
        for (name, search) in exact() {
            if self.hides() && name != "full" {
                continue;
            }
            let outcome = run(self.model, &Plan { search, all_errors: true, ..Plan::default() });
            let found = (violated(&outcome), outcome.counts.stored);
            if found != (expected, explored.stored) {
                return Err(self.wrong(name, format!("{found:?}, reference {:?}", (expected, explored.stored))));
            }
            if name == "full" && !explored.endless && outcome.counts.matched != explored.matched {
                let counts = (outcome.counts.matched, explored.matched);
                return Err(self.wrong(name, format!("matched {} and {}", counts.0, counts.1)));
            }
        }
        for (name, plan) in others(explored.stored).into_iter().filter(|_| !self.hides()) {
            let outcome = run(self.model, &plan);
            if matches!(outcome.verdict, Verdict::Incomplete(Limit::CacheBelowStack { .. })) {
                // It has no answer, and says so.
                continue;
            }
            if violated(&outcome) != expected || matches!(outcome.verdict, Verdict::Incomplete(_)) {
                return Err(self.wrong(name, format!("{:?}, reference: {expected}", outcome.verdict)));
            }
        }
        self.certify(expected).map_err(|what| self.wrong("certificate", what))?;
        self.forge().map_err(|what| self.wrong("forged certificate", what))?;
        seen.note("certified", !self.hides());
        Ok(true)
    }

    /// The third voice.
    fn ask_spin(&self, explored: &Explored, seen: &mut Seen) -> Result<(), String> {
        match spin::ask(self.text) {
            spin::Answer::None => {}
            spin::Answer::Verdict(why) => {
                seen.note("judged", true);
                if !explored.violated() {
                    return Err(self.wrong("SPIN", format!("gave up at an error: {why}; reference: none")));
                }
            }
            spin::Answer::Counts { stored, matched, errors } => {
                seen.note("counted", true);
                let matched_too = explored.endless || matched == explored.matched;
                if stored != explored.stored || !matched_too || (errors > 0) != explored.violated() {
                    let own = (explored.stored, explored.matched, explored.faults.len(), explored.deadlocks);
                    return Err(self.wrong("SPIN", format!("{:?}, reference {own:?}", (stored, matched, errors))));
                }
            }
        }
        Ok(())
    }

    /// What follows a state of a model with hidden variables hangs on the path to it.
    fn hides(&self) -> bool {
        self.model.hidden_size > 0
    }

    /// One search in turn is certified.
    fn certify(&self, violated: bool) -> Result<(), String> {
        if self.hides() {
            return Ok(());
        }
        let searches = certified();
        let (name, search) = &searches[self.seed as usize % searches.len()];
        let dead = Reductions { merging: false, ..Reductions::ALL };
        let statics = if (self.seed / 8).is_multiple_of(2) { Reductions::NONE } else { dead };
        let plan = Plan { search: search.clone(), statics, ..Plan::default() };
        let checked = Checked { subject: Subject::Errors, fair: false, assertions: true, ends: Ends::Judged };
        let proved = self.prove(&plan, checked);
        match proved {
            Ok(holds) if holds != violated => Ok(()),
            other => Err(format!("{name}, {statics:?}: {other:?}")),
        }
    }

    /// Certificates that somebody has changed. One that has all states proves that there is no error exactly where there is none, whatever
    /// is judged; it proves no error that is not there, and nothing if a state is missing.
    fn forge(&self) -> Result<(), String> {
        if self.hides() {
            return Ok(());
        }
        let assertions = [Assertions::Report, Assertions::Ignore][self.seed as usize % 2];
        let (ends, end_states) = [
            (Ends::Ignored, EndStates::Ignore),
            (Ends::Judged, EndStates::Judge),
            (Ends::JudgedWithChannels, EndStates::JudgeChannels),
        ][self.seed as usize / 2 % 3];
        let dead = Reductions { merging: false, ..Reductions::ALL };
        let statics = if (self.seed / 6).is_multiple_of(2) { Reductions::NONE } else { dead };
        let plan = Plan { assertions, end_states, statics, all_errors: true, ..Plan::default() };
        let (outcome, names, table) = common::seen_by(self.model, &plan, None);
        let checked =
            Checked { subject: Subject::Errors, fair: false, assertions: assertions == Assertions::Report, ends };
        let proves = |evidence| self.proved(names.clone(), Section { checked: checked.clone(), evidence }).is_ok();
        if proves(Evidence::Holds(table.clone())) == violated(&outcome) {
            return Err(format!("all states, {checked:?}: pv finds {:?}", outcome.verdict));
        }
        let missing = self.seed.wrapping_mul(0x9E37_79B9) as usize % table.len();
        let mut rows = 0..table.len();
        if proves(Evidence::Holds(table.clone().only(|_| rows.next() != Some(missing)))) {
            return Err(format!("state {missing} is not missed"));
        }
        if !violated(&outcome) && table.open.is_empty() {
            for kind in [ErrorKind::Assertion, ErrorKind::RunTime, ErrorKind::EndState] {
                let error = Error { kind, message: String::new() };
                // An assertion that fails is there to be shown, whether or not somebody was looking for it.
                let looked_for = kind != ErrorKind::Assertion || checked.assertions;
                if looked_for && proves(Evidence::Broken(error, table.clone())) {
                    return Err(format!("{kind:?} is shown where there is none"));
                }
            }
        }
        Ok(())
    }

    /// Runs a plan and gives what its certificate proves.
    fn prove(&self, plan: &Plan, checked: Checked) -> Result<bool, String> {
        let claim = plan.property().claim().filter(|_| checked.subject == Subject::Never);
        let interrupt = AtomicBool::new(false);
        let mut monitor = Monitor::silent(&interrupt);
        monitor.witness = Some(Witness::new(self.model, claim));
        let outcome = plan.execute(self.model, &mut monitor);
        let witness = monitor.witness.take().ok_or("no witness")?;
        let names = witness.names().clone();
        let evidence = match outcome.violations.first() {
            None => {
                let table = witness.into_table();
                let shared = checked.subject == Subject::Progress;
                Evidence::Holds(if shared { table.distinct() } else { table })
            }
            Some(violation) => {
                let (own, program) = plan.property().compile(self.model);
                let model = own.as_ref().unwrap_or(self.model);
                let error = Error { kind: common::error_kind(violation), message: String::new() };
                Evidence::Broken(error, common::states_along(model, &program, violation)?)
            }
        };
        self.proved(names, Section { checked, evidence })
    }

    /// Writes a certificate, reads it back, and gives what it proves.
    fn proved(&self, names: Names, section: Section) -> Result<bool, String> {
        let sections = vec![section];
        let certificate = Certificate { model: "model.pml".into(), fingerprint: 0, names, sections };
        let bytes = pv::certificate::file::encode(&certificate);
        let certificate = pv::certificate::file::decode(&bytes).map_err(|damage| damage.to_string())?;
        let proved = check(self.definition, &certificate).map_err(|refusal| format!("{refusal:?}"))?;
        Ok(proved.iter().all(|section| section.holds))
    }

    /// One property, with and without fairness.
    fn property(&self, of: CycleProperty, asked: Asked<'_>, seen: &mut Seen) -> Result<(), String> {
        let property = Property::Cycles(of);
        let runs = Sets { preserves: Preserves::Runs, check: false };
        for fair in [false, true] {
            let expected = match judge(self.definition, asked, fair, MOST) {
                Ok(Judgement::Holds) => false,
                Ok(Judgement::Violated) => true,
                Ok(Judgement::Unclear(_)) => {
                    seen.note("unclear", true);
                    continue;
                }
                Ok(Judgement::Incomplete) | Err(_) => continue,
            };
            seen.note("properties", true);
            seen.note("broken", expected);
            let search = |sets| Search::Cycles(Cycles { of, fair, store: CycleStore::Exact, sets, max_depth: None });
            let dead = Reductions { merging: false, ..Reductions::ALL };
            let mut plans = vec![("full", Plan { search: search(None), ..Plan::default() })];
            // A model with hidden variables is not reduced (`cli::plan`).
            if !self.hides() {
                plans.push(("dead variables", Plan { search: search(None), statics: dead, ..Plan::default() }));
            }
            if !self.hides() && !fair && property.is_insensitive(self.model) {
                plans.push(("sets", Plan { search: search(Some(runs)), ..Plan::default() }));
                plans.push(("all", Plan { search: search(Some(runs)), statics: Reductions::ALL, ..Plan::default() }));
            }
            for (name, plan) in plans {
                // What goes wrong in the model is another question: it is asked above.
                let plan = Plan { all_errors: true, ..plan };
                let outcome = run(self.model, &plan);
                if outcome.model_error.is_some() {
                    continue;
                }
                if (outcome.property_errors > 0) != expected || matches!(outcome.verdict, Verdict::Incomplete(_)) {
                    let name = format!("{of:?}, {name}, fair {fair}");
                    return Err(self.wrong(&name, format!("{:?}, reference: {expected}", outcome.verdict)));
                }
            }
            self.certify_cycles(of, fair, expected)
                .map_err(|what| self.wrong(&format!("{of:?}, certificate"), what))?;
        }
        Ok(())
    }

    /// A question about cycles, certified by the search without reductions or by the one with dead variables.
    fn certify_cycles(&self, of: CycleProperty, fair: bool, violated: bool) -> Result<(), String> {
        let subject = match of {
            CycleProperty::AcceptLabels => Subject::AcceptLabels,
            CycleProperty::Progress => Subject::Progress,
            CycleProperty::Claim(number) => match &self.model.claims[number] {
                claim if claim.formula.is_none() => Subject::Never,
                claim => Subject::Formula(claim.name.to_string()),
            },
        };
        let dead = Reductions { merging: false, ..Reductions::ALL };
        let statics = if self.seed.is_multiple_of(2) { Reductions::NONE } else { dead };
        let search = Search::Cycles(Cycles { of, fair, store: CycleStore::Exact, sets: None, max_depth: None });
        let plan = Plan { search, statics, assertions: Assertions::Ignore, ..Plan::default() };
        let outcome = run(self.model, &plan);
        if outcome.model_error.is_some() || self.hides() {
            return Ok(());
        }
        let checked = Checked { subject, fair, assertions: false, ends: Ends::Ignored };
        self.forge_cycles(&plan, &checked, violated)?;
        // That a formula holds is proved with the states of the system.
        let proved = if matches!(checked.subject, Subject::Formula(_)) && !violated {
            let (_, names, table) = common::seen_by(self.model, &all_states(), None);
            self.proved(names, Section { checked, evidence: Evidence::Holds(table) })
        } else {
            self.prove(&plan, checked)
        };
        match proved {
            Ok(holds) if holds != violated => Ok(()),
            other => Err(format!("fair {fair}, {statics:?}: {other:?}")),
        }
    }

    /// All states of the model, or of the product with a never claim, hide no run that violates a property, and show none where there is none.
    fn forge_cycles(&self, plan: &Plan, checked: &Checked, violated: bool) -> Result<(), String> {
        let product = plan.property().claim().filter(|_| checked.subject == Subject::Never);
        let whole = match product {
            Some(_) => Plan { all_errors: true, statics: Reductions::NONE, ..plan.clone() },
            None => all_states(),
        };
        let (_, names, table) = common::seen_by(self.model, &whole, product.filter(|_| violated));
        let evidence = if violated {
            Evidence::Holds(table)
        } else {
            Evidence::Broken(Error { kind: ErrorKind::Property, message: String::new() }, table)
        };
        match self.proved(names, Section { checked: checked.clone(), evidence }) {
            Ok(_) => Err(format!("forged, and believed: {checked:?}, violated {violated}")),
            Err(_) => Ok(()),
        }
    }

    fn properties(&self, seen: &mut Seen) -> Result<(), String> {
        for (number, claim) in self.model.claims.iter().enumerate() {
            let formula = self.definition.formulas.iter().find(|(name, _)| *name == claim.name);
            match formula {
                Some((_, formula)) => self.property(CycleProperty::Claim(number), Asked::Formula(formula), seen)?,
                None => self.property(CycleProperty::Claim(number), Asked::Acceptance, seen)?,
            }
        }
        if self.model.claims.is_empty() {
            self.property(CycleProperty::AcceptLabels, Asked::Acceptance, seen)?;
        }
        self.property(CycleProperty::Progress, Asked::NonProgress, seen)
    }
}

fn compare(seed: u64, text: &str, seen: &mut Seen) -> Result<(), String> {
    seen.note("models", true);
    let Ok((_, model)) = pv::load::read_text("model.pml", text) else {
        seen.note("refused", true);
        return Ok(());
    };
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml".to_string(), None, text.to_string());
    let definition =
        pv::certify::read(&mut map, file, &PreprocessOptions::default()).map_err(|what| format!("{what}\n{text}"))?;
    let subject = Compared { seed, text, model: &model, definition: &definition };
    if subject.errors(seen)? {
        subject.properties(seen)?;
    }
    Ok(())
}

fn asked_for(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|count| count.parse().ok()).unwrap_or(otherwise)
}

/// Compares these models, and gives what became of them.
fn compare_all(count: u64, model: impl Fn(usize) -> (u64, String) + Sync) -> Seen {
    let compared = in_parallel(0..count as usize, |number| {
        let (seed, text) = model(number);
        let mut seen = Seen::default();
        let wrong = compare(seed, &text, &mut seen).err();
        if let Some(what) = &wrong {
            println!("seed {seed}: {what}");
        }
        (seen, wrong.map(|_| seed))
    });
    let mut seen = Seen::default();
    let mut wrong = Vec::new();
    for (one, differs) in compared {
        one.0.into_iter().for_each(|(what, count)| *seen.0.entry(what).or_default() += count);
        wrong.extend(differs);
    }
    println!("{seen:?}");
    assert!(wrong.is_empty(), "{} differ: {wrong:?}", wrong.len());
    seen
}

#[test]
fn all_searches_agree_with_the_reference() {
    let (first, wanted) = (asked_for("PV_RANDOM_SEED", 1), asked_for("PV_RANDOM_MODELS", 200));
    let seen = compare_all(wanted, |number| (first + number as u64, Maker::new(first + number as u64).rich()));
    let (refused, certified) = (seen.of("refused") as u64, seen.of("certified") as u64);
    assert!(refused * 10 < wanted && certified * 20 > wanted, "{seen:?}");
}

/// The same with the models that pv is compared with SPIN on.
#[test]
fn models_of_the_other_maker_agree_as_well() {
    let (first, wanted) = (asked_for("PV_RANDOM_SEED", 1), asked_for("PV_RANDOM_MODELS", 60));
    let script = common::root().join("tests/fuzz_spin.py");
    let mut command = std::process::Command::new("python3");
    command.arg(script).args(["--print", "--seed", &first.to_string(), "--count", &wanted.to_string()]);
    let output = command.output().expect("python3 makes the models of tests/fuzz_spin.py");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let texts = String::from_utf8(output.stdout).expect("models are text");
    let models: Vec<(u64, String)> = texts
        .split("/* seed ")
        .filter_map(|part| part.split_once(" */\n"))
        .map(|(seed, text)| (seed.parse().expect("a seed"), text.to_string()))
        .collect();
    assert_eq!(models.len() as u64, wanted);
    let seen = compare_all(wanted, |number| models[number].clone());
    let (refused, certified) = (seen.of("refused") as u64, seen.of("certified") as u64);
    assert!(refused * 2 < wanted && certified * 4 > wanted, "{seen:?}");
}
