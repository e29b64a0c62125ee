//! Random models that use what the language has: the searches of pv against the reference executor, in process. The full search has its
//! counts, the certificate of the full search is proved, and every search with every store and reduction has its verdict; claims are judged
//! with and without fairness. What differs is a bug of one of the two; SPIN says of which.
//!
//! The number of models is small here; `PV_RANDOM_MODELS=10000 cargo test --release --test random_models` looks at more, from
//! `PV_RANDOM_SEED` on.

mod common;
#[path = "common/maker.rs"]
mod maker;

use common::{breadth_first, reduced, run, violated, workers, workers_with};
use maker::Maker;
use pv::certificate::{Certificate, Checked, Ends, Evidence, Section, Subject};
use pv::certify::check::check;
use pv::certify::cycles::{Judgement, Property as Asked, judge};
use pv::certify::definition::Definition;
use pv::certify::graph::explore;
use pv::model::Model;
use pv::search::monitor::Monitor;
use pv::search::outcome::{Limit, Verdict};
use pv::search::plan::{
    BreadthCache, BreadthFirst, BreadthStore, CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore, LossyTable,
    Plan, Preserves, Property, QueuedTable, Reductions, Replacement, Search, Sets, SharedStore, Size, Technique,
    Techniques,
};
use pv::source::SourceMap;
use pv::source::preprocess::PreprocessOptions;
use pv::witness::Witness;
use std::sync::atomic::AtomicBool;

/// Models with more states, and products with more, are passed over.
const MOST: usize = 3_000;

/// What became of the models.
#[derive(Default, Debug)]
struct Seen {
    models: usize,
    refused: usize,
    large: usize,
    violated: usize,
    certified: usize,
    properties: usize,
    broken: usize,
}

struct Compared<'t> {
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
            seen.large += 1;
            return Ok(false);
        }
        let expected = explored.violated();
        seen.violated += usize::from(expected);
        for (name, search) in exact() {
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
        for (name, plan) in others(explored.stored) {
            let outcome = run(self.model, &plan);
            if matches!(outcome.verdict, Verdict::Incomplete(Limit::CacheBelowStack { .. })) {
                // It has no answer, and says so.
                continue;
            }
            if violated(&outcome) != expected || matches!(outcome.verdict, Verdict::Incomplete(_)) {
                return Err(self.wrong(name, format!("{:?}, reference: {expected}", outcome.verdict)));
            }
        }
        if !expected {
            self.certify().map_err(|what| self.wrong("certificate", what))?;
            seen.certified += 1;
        }
        Ok(true)
    }

    fn certify(&self) -> Result<(), String> {
        let interrupt = AtomicBool::new(false);
        let mut monitor = Monitor::silent(&interrupt);
        monitor.witness = Some(Witness::new(self.model, None));
        Plan::default().execute(self.model, &mut monitor);
        let witness = monitor.witness.take().ok_or("no witness")?;
        let names = witness.names().clone();
        let checked = Checked { subject: Subject::Errors, fair: false, assertions: true, ends: Ends::Judged };
        let sections = vec![Section { checked, evidence: Evidence::Holds(witness.into_table()) }];
        let certificate = Certificate { model: "model.pml".into(), fingerprint: 0, names, sections };
        let bytes = pv::certificate::file::encode(&certificate);
        let certificate = pv::certificate::file::decode(&bytes).map_err(|damage| damage.to_string())?;
        check(self.definition, &certificate).map(|_| ()).map_err(|refusal| format!("{refusal:?}"))
    }

    /// One property, with and without fairness.
    fn property(&self, of: CycleProperty, asked: Asked<'_>, seen: &mut Seen) -> Result<(), String> {
        let property = Property::Cycles(of);
        let runs = Sets { preserves: Preserves::Runs, check: false };
        for fair in [false, true] {
            let expected = match judge(self.definition, asked, fair, MOST) {
                Ok(Judgement::Holds) => false,
                Ok(Judgement::Violated) => true,
                Ok(Judgement::Incomplete) | Err(_) => continue,
            };
            seen.properties += 1;
            seen.broken += usize::from(expected);
            let search = |sets| Search::Cycles(Cycles { of, fair, store: CycleStore::Exact, sets, max_depth: None });
            let dead = Reductions { merging: false, ..Reductions::ALL };
            let mut plans = vec![
                ("full", Plan { search: search(None), ..Plan::default() }),
                ("dead variables", Plan { search: search(None), statics: dead, ..Plan::default() }),
            ];
            if !fair && property.is_insensitive(self.model) {
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
        }
        Ok(())
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

fn compare(seed: u64, seen: &mut Seen) -> Result<(), String> {
    let text = Maker::new(seed).rich();
    seen.models += 1;
    let Ok((_, model)) = pv::load::read_text("model.pml", &text) else {
        seen.refused += 1;
        return Ok(());
    };
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml".to_string(), None, text.clone());
    let definition =
        pv::certify::read(&mut map, file, &PreprocessOptions::default()).map_err(|what| format!("{what}\n{text}"))?;
    let subject = Compared { text: &text, model: &model, definition: &definition };
    if subject.errors(seen)? {
        subject.properties(seen)?;
    }
    Ok(())
}

#[test]
fn all_searches_agree_with_the_reference() {
    let wanted = std::env::var("PV_RANDOM_MODELS").ok().and_then(|count| count.parse().ok()).unwrap_or(200);
    let first = std::env::var("PV_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1u64);
    let mut seen = Seen::default();
    let mut wrong = Vec::new();
    for seed in first..first + wanted {
        if let Err(what) = compare(seed, &mut seen) {
            wrong.push(format!("seed {seed}: {what}"));
        }
    }
    println!("{seen:?}");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen.refused * 10 < seen.models && seen.certified * 20 > seen.models, "{seen:?}");
}
