//! Random small models with random formulas: searches that are reduced, unreduced and breadth first give one verdict, and it is that of the reference
//! checker, which shares no code with them behind the parser. Every counterexample is executed again.
//!
//! The models are made of what the reductions for claims have to get right: loops that count, loops that do not, channels with and without
//! room, private and shared variables, labels that a formula names, births, blocks. The number of models is small here;
//! `PV_RANDOM_MODELS=3000 cargo test --release --test random_claims` looks at more.

mod common;
#[path = "common/maker.rs"]
mod maker;

use common::{in_parallel, model_of, run, violated, workers, workers_reduced, workers_with};
use maker::Maker;
use pv::certify::cycles::{Judgement, Property as Asked, judge};
use pv::model::Model;
use pv::search::outcome::Verdict;
use pv::search::plan::{
    BreadthFirst, CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore, Plan, Preserves, Property, Reductions,
    Search, Sets, SharedStore, Technique, Techniques,
};
use pv::source::SourceMap;
use pv::source::preprocess::PreprocessOptions;

/// Products of model and formula with more states are passed over.
const MOST: usize = 3_000;

/// The searches that one property has, by name.
fn plans(model: &Model, number: usize) -> Vec<(&'static str, Plan)> {
    let property = Property::Cycles(CycleProperty::Claim(number));
    let runs = Sets { preserves: Preserves::Runs, check: false };
    let dead = Reductions { merging: false, ..Reductions::ALL };
    let search = |sets| {
        Search::Cycles(Cycles {
            of: CycleProperty::Claim(number),
            fair: false,
            store: CycleStore::Exact,
            sets,
            max_depth: None,
        })
    };
    let mut plans = vec![
        ("full", Plan { search: search(None), ..Plan::default() }),
        ("dead variables", Plan { search: search(None), statics: dead, ..Plan::default() }),
    ];
    if property.is_insensitive(model) {
        plans.push(("persistent sets", Plan { search: search(Some(Sets { check: true, ..runs })), ..Plan::default() }));
        plans.push(("merging", Plan { search: search(None), statics: Reductions::ALL, ..Plan::default() }));
        plans.push(("all", Plan { search: search(Some(runs)), statics: Reductions::ALL, ..Plan::default() }));
    }
    if property.is_safety(model) {
        let claim = Some(number);
        let breadth = Search::Breadth(BreadthFirst::default());
        plans.push(("breadth first", Plan { search: breadth, claim, ..Plan::default() }));
        plans.push(("two workers", Plan { search: workers(2), claim, ..Plan::default() }));
        let tree = workers_with(3, SharedStore::Tree);
        plans.push(("three workers and a tree", Plan { search: tree, claim, statics: dead, ..Plan::default() }));
        if property.is_insensitive(model) {
            let sets = workers_reduced(2, SharedStore::Exact, Some(runs));
            plans.push(("two workers and persistent sets", Plan { search: sets, claim, ..Plan::default() }));
            let store = DepthStore::Exact(Techniques::One(Technique::PersistentSets(runs)));
            let depth = Search::Depth(DepthFirst { store, ..DepthFirst::default() });
            plans
                .push(("depth first, all", Plan { search: depth, claim, statics: Reductions::ALL, ..Plan::default() }));
        }
    }
    plans
}

/// What the reference checker says; `None` where it comes to no answer.
fn reference(text: &str, number: usize) -> Option<bool> {
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml".to_string(), None, text.to_string());
    let definition = pv::certify::read(&mut map, file, &PreprocessOptions::default()).ok()?;
    let (_, formula) = definition.formulas.get(number)?;
    match judge(&definition, Asked::Formula(formula), false, MOST).ok()? {
        Judgement::Holds => Some(false),
        Judgement::Violated => Some(true),
        Judgement::Incomplete | Judgement::Unclear(_) => None,
    }
}

/// Compares one model; gives the number of properties that had an answer, and of those that are violated.
fn compare(seed: u64) -> Result<(usize, usize), String> {
    let text = Maker::new(seed).model();
    let model = model_of(&text);
    let (mut answers, mut errors) = (0, 0);
    for number in 0..model.claims.len() {
        let Some(expected) = reference(&text, number) else { continue };
        answers += 1;
        errors += usize::from(expected);
        for (name, plan) in plans(&model, number) {
            let outcome = run(&model, &plan);
            let wrong = |what: &str| format!("seed {seed}, f{number}, {name}: {what}\n{text}");
            if violated(&outcome) != expected || matches!(outcome.verdict, Verdict::Incomplete(_)) {
                return Err(wrong(&format!("{:?}, and the reference says violated: {expected}", outcome.verdict)));
            }
            let (_, program) = plan.property().compile(&model);
            for violation in &outcome.violations {
                pv::search::walk::replay::verify(&program, &violation.path).map_err(|why| wrong(&why))?;
                plan.check_lasso(&model, &program, violation).map_err(|why| wrong(&why))?;
            }
        }
    }
    Ok((answers, errors))
}

#[test]
fn all_searches_and_the_reference_give_one_verdict() {
    let wanted = std::env::var("PV_RANDOM_MODELS").ok().and_then(|count| count.parse().ok()).unwrap_or(50u64);
    let first = std::env::var("PV_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1u64);
    let compared = in_parallel(0..wanted as usize, |number| compare(first + number as u64));
    let (mut answers, mut errors) = (0, 0);
    for result in compared {
        match result {
            Ok((more, wrong)) => (answers, errors) = (answers + more, errors + wrong),
            Err(what) => panic!("{what}"),
        }
    }
    println!("{wanted} models, {answers} properties, {errors} violated");
    assert!(answers as u64 > wanted && errors as u64 > wanted / 4, "too few answers: {answers}, {errors} violated");
}
