//! Defects of pv are caught. Each is switched on alone, for a model that has what the defect spoils: the certificate of the spoilt search is
//! refused, or the verdict or the counts are not those of the reference executor. The same model without the defect is certified, and agrees.
//!
//! `cargo test --release --features mutants --test mutants -- --nocapture` prints what catches which.

mod common;

use common::model_of;
use pv::certificate::{Certificate, Checked, Ends, Evidence, Section, Subject};
use pv::certify::check::check;
use pv::certify::cycles::{Judgement, Property, judge};
use pv::certify::definition::Definition;
use pv::certify::graph::explore;
use pv::mutants::{Mutant, with};
use pv::search::monitor::Monitor;
use pv::search::outcome::{Outcome, Verdict};
use pv::search::plan::{
    CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore, Plan, Preserves, Reductions, Search, Sets, Technique,
    Techniques,
};
use pv::source::SourceMap;
use pv::source::preprocess::PreprocessOptions;
use pv::witness::Witness;
use std::sync::atomic::AtomicBool;

/// How a model is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// Every state.
    Full,
    /// With sleep sets.
    Sleep,
    /// With persistent sets.
    Sets,
    /// With static reductions.
    Statics,
    /// With those of them that a certificate has words for.
    Dead,
    /// For cycles through accept labels.
    Cycles,
}

impl How {
    fn plan(self) -> Plan {
        let depth =
            |techniques| Search::Depth(DepthFirst { store: DepthStore::Exact(techniques), ..DepthFirst::default() });
        let sets = Sets { preserves: Preserves::Errors, check: false };
        let of = CycleProperty::AcceptLabels;
        match self {
            How::Full => Plan::default(),
            How::Sleep => Plan { search: depth(Techniques::One(Technique::SleepSets)), ..Plan::default() },
            How::Sets => Plan { search: depth(Techniques::One(Technique::PersistentSets(sets))), ..Plan::default() },
            How::Statics => Plan { statics: Reductions::ALL, ..Plan::default() },
            How::Dead => Plan { statics: Reductions { merging: false, ..Reductions::ALL }, ..Plan::default() },
            How::Cycles => {
                let search =
                    Search::Cycles(Cycles { of, fair: false, store: CycleStore::Exact, sets: None, max_depth: None });
                Plan { search, ..Plan::default() }
            }
        }
    }

    /// Does the search look at every state of the model, but for what nobody reads?
    fn is_certified(self) -> bool {
        matches!(self, How::Full | How::Sleep | How::Dead | How::Cycles)
    }
}

const MANY: &str = "byte a, b, c; active proctype P() { do :: a < 8 -> a++ :: break od } \
     active proctype Q() { do :: b < 8 -> b++ :: break od } active proctype R() { do :: c < 8 -> c++ :: break od }";

/// A defect, a model that shows it, and the search in which it does.
#[rustfmt::skip]
const DEFECTS: &[(Mutant, How, &str)] = &[
    (Mutant::AddSubtracts, How::Full, "byte x = 3; active proctype P() { x = x + 1 }"),
    (Mutant::AndIsOr, How::Full, "byte x; active proctype P() { if :: (x == 0 && x == 1) -> x = 2 :: else fi }"),
    (Mutant::RemainderDivides, How::Full, "byte x = 7; active proctype P() { x = x % 4 }"),
    (Mutant::NarrowByte, How::Full, "byte x = 100; active proctype P() { x = x + 100 }"),
    (Mutant::ElseAlways, How::Full, "byte x; active proctype P() { if :: x == 0 -> x = 1 :: else -> x = 2 fi }"),
    (Mutant::OptionDropped, How::Full, "byte x; active proctype P() { if :: x = 1 :: x = 2 :: x = 3 fi }"),
    (Mutant::EscapeIgnored, How::Full, "byte x; active proctype P() { { x = 1; x = 2 } unless { x == 1 } }"),
    (Mutant::ReceiveOutOfOrder, How::Full,
        "chan q = [2] of { byte }; active proctype P() { q!1; q!2; if :: q?2 -> skip :: q?1 -> q?2 fi }"),
    (Mutant::PatternIgnored, How::Full, "chan q = [1] of { byte }; byte x; active proctype P() { q!1; if :: q?2 -> x = 1 :: q?1 fi }"),
    (Mutant::SortedSendAppends, How::Full, "chan q = [2] of { byte }; active proctype P() { q!!2; q!!1; q?_; q?_ }"),
    (Mutant::CopyTakes, How::Full, "chan q = [1] of { byte }; byte x; active proctype P() { q!1; q?<x>; q?x }"),
    (Mutant::FullTooEarly, How::Full, "chan q = [1] of { byte }; byte x; active proctype P() { if :: full(q) -> x = 1 :: else fi }"),
    (Mutant::UndoForgetsByte, How::Full, "byte a, b, c; active proctype P() { if :: a = 1 :: b = 1 :: c = 1 fi; a = 2; b = 2; c = 2 }"),
    (Mutant::UndoLeavesMessage, How::Full,
        "chan q = [2] of { byte }; byte x; active proctype P() { if :: q!5 -> q?_ :: x = 1 fi } active proctype R() { x = 2 }"),
    (Mutant::ParameterLost, How::Full, "byte x; proctype P(byte v) { x = v } init { run P(3) }"),
    (Mutant::TimeoutAlways, How::Full, "byte x; active proctype P() { do :: x < 2 -> x++ :: timeout -> break od }"),
    (Mutant::ProvidedIgnored, How::Full, "byte x; active proctype P() provided (x > 0) { x = 2 } active proctype Q() { x = 1 }"),
    (Mutant::LastForgotten, How::Full, "byte x; active proctype P() { x = 1 } active proctype Q() { _last == 0; x = 2 }"),
    (Mutant::AssertionsPass, How::Full, "byte x; active proctype P() { x = 1; assert(x == 2) }"),
    (Mutant::EveryEndValid, How::Full, "byte x; active proctype P() { x == 1 }"),
    (Mutant::StoreMixesUp, How::Full, MANY),
    (Mutant::MoveLeftOut, How::Full, "byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { x = 3 }"),
    (Mutant::OnStackNever, How::Sets,
        "byte x, y; active proctype Q() { y = 1; assert(y == 2) } active proctype P() { do :: x = 1 - x od }"),
    (Mutant::MemoryIndependent, How::Sets,
        "byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { x = 3; assert(x == 3) }"),
    (Mutant::SleepersStay, How::Sleep, "byte x; active proctype P() { x = 1; x = 2 } active proctype Q() { x = 3; x = 4 }"),
    (Mutant::GuardsReadNothing, How::Dead,
        "byte g; active proctype P() { byte x; x = 1; g = 1; if :: x == 1 -> assert(g == 2) :: else fi } active proctype Q() { g = 0 }"),
    (Mutant::FieldsUnread, How::Dead,
        "chan q = [1] of { byte }; active proctype P() { q!3 } active proctype Q() { byte v; q?v; assert(v != 3) }"),
    (Mutant::SharedStepsMerged, How::Statics,
        "byte x; active proctype P() { skip; x = 1; x = 2; x = 3 } active proctype Q() { assert(x != 2) }"),
    (Mutant::CyclesNeverAccept, How::Cycles, "byte x; active proctype P() { accept: do :: x = 1 - x od }"),
];

fn definition(text: &str) -> Definition {
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml".to_string(), None, text.to_string());
    pv::certify::read(&mut map, file, &PreprocessOptions::default()).expect("a model")
}

/// What a search says, and what it has seen.
fn search(text: &str, how: How) -> (Outcome, Certificate) {
    let model = model_of(text);
    let witness = Witness::new(&model, None);
    let names = witness.names().clone();
    let interrupt = AtomicBool::new(false);
    let mut monitor = Monitor::silent(&interrupt);
    monitor.witness = Some(witness);
    let outcome = how.plan().execute(&model, &mut monitor);
    let table = monitor.witness.take().expect("it was there").into_table();
    let subject = if how == How::Cycles { Subject::AcceptLabels } else { Subject::Errors };
    let checked = Checked { subject, fair: false, assertions: true, ends: Ends::Judged };
    let section = Section { checked, evidence: Evidence::Holds(table) };
    let (model, fingerprint) = (model.name, model.fingerprint);
    (outcome, Certificate { model, fingerprint, names, sections: vec![section] })
}

/// By what a search is caught, if it is.
fn caught(text: &str, how: How) -> Option<&'static str> {
    let definition = definition(text);
    let (outcome, certificate) = search(text, how);
    let found = outcome.verdict == Verdict::Violated;
    // Of a counterexample every step is executed again; here only verdicts are compared.
    if !found && how.is_certified() && check(&definition, &certificate).is_err() {
        return Some("certificate");
    }
    if how == How::Cycles {
        let judged = judge(&definition, Property::Acceptance, false, 100_000).ok()?;
        return (found != (judged == Judgement::Violated)).then_some("verdict");
    }
    let explored = explore(&definition, 100_000).ok()?;
    if found != explored.violated() {
        return Some("verdict");
    }
    let counts = how == How::Full && !found;
    (counts && (explored.stored, explored.matched) != (outcome.counts.stored, outcome.counts.matched))
        .then_some("counts")
}

#[test]
fn every_defect_is_caught() {
    let mut missed = Vec::new();
    for &(mutant, how, text) in DEFECTS {
        assert_eq!(caught(text, how), None, "{mutant:?}: pv itself is caught with {text}");
        match with(Some(mutant), || caught(text, how)) {
            Some(what) => println!("{mutant:?} is caught by its {what}"),
            None => missed.push(mutant),
        }
    }
    assert!(missed.is_empty(), "not caught: {missed:?}");
    assert!(DEFECTS.len() >= 20);
}
