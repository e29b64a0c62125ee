//! Runs that branch, claims that move along, conditions that are reached.

use super::*;
use crate::load::{compile_expression, read_text};
use crate::model::{Expr, Model};
use crate::search::plan::CycleProperty;
use crate::source::SourceMap;
use crate::source::preprocess::PreprocessOptions;

const TEXT: &str = "byte x; active proctype p() { do :: x++ :: x < 2 -> x = x + 2 :: x > 4 -> break od; done: skip }";

fn expression(text: &str) -> Result<(Model, Expr), String> {
    let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
    let file = map.add_file("m.pml".into(), None, TEXT.into());
    let watched = map.add_file("<expression>".into(), None, text.into());
    let options = PreprocessOptions::default();
    compile_expression(&mut map, file, None, watched, &options, &mut diagnostics)
        .ok_or_else(|| diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect())
}

fn with_session(test: impl Fn(&mut Session<'_>)) {
    with_session_of(TEXT, None, test);
}

fn with_session_of(text: &str, claim: Option<usize>, test: impl Fn(&mut Session<'_>)) {
    let (map, model) = read_text("m.pml", text).expect("a model");
    let property = claim.map_or(Property::Safety, |claim| Property::Cycles(CycleProperty::Claim(claim)));
    let (own, program) = property.compile(&model);
    let model = own.as_ref().unwrap_or(&model);
    let stop = AtomicBool::new(false);
    let subject = Subject { model, map: &map, program: &program, claim };
    test(&mut Session::new(subject, property, None, &expression, 1, &stop));
}

/// Who made the steps of an answer.
fn who(answer: &Value) -> Vec<&str> {
    answer["steps"].as_array().expect("steps").iter().filter_map(|step| step["parts"][0][0].as_str()).collect()
}

fn branches(answer: &Value) -> Vec<(u64, u64, u64)> {
    let number = |branch: &Value, name: &str| branch[name].as_u64().unwrap_or(99);
    let told = |branch: &Value| (number(branch, "parent"), number(branch, "at"), number(branch, "length"));
    answer["branches"].as_array().expect("a tree").iter().map(told).collect()
}

#[test]
fn runs_branch_and_come_back() {
    with_session(|session| {
        let mut ask = |what: &str, asked: Value| session.answer(what, &asked);
        for at in 0..3 {
            ask("take", json!({"branch": 0, "at": at, "choice": 0})).expect("a step");
        }
        let answer = ask("take", json!({"branch": 0, "at": 1, "choice": 1})).expect("another way");
        assert_eq!((answer["branch"].as_u64(), answer["from"].as_u64()), (Some(1), Some(1)));
        assert_eq!(branches(&answer), [(99, 0, 3), (0, 1, 2)]);
        // A branch at a step of the parent is one of the parent.
        let answer = ask("take", json!({"branch": 1, "at": 1, "choice": 0})).expect("a third way");
        assert_eq!(branches(&answer)[2], (0, 1, 2));
        let values = ask("watch", json!({"branch": 1, "expression": "x * 10"})).expect("values");
        assert_eq!(values["values"], json!(["0", "10", "10"]));
        let opened = ask("open", json!({"branch": 1})).expect("the branch");
        assert_eq!(opened["run"]["steps"].as_array().map(Vec::len), Some(2));
        // What was told is kept, and is what would be told anew; also behind a step and its undoing.
        ask("take", json!({"branch": 1, "at": 2, "choice": 0})).expect("a step");
        let kept = ask("open", json!({"branch": 1})).expect("the branch");
        ask("open", json!({"branch": 0})).expect("another one");
        assert_eq!(ask("open", json!({"branch": 1})).expect("the branch"), kept);
        ask("undo", json!({"branch": 1})).expect("undone");
        assert_eq!(ask("open", json!({"branch": 1})).expect("the branch"), opened);
        let answer = ask("undo", json!({"branch": 1})).expect("undone");
        assert_eq!((answer["branch"].as_u64(), answer["at"].as_u64()), (Some(0), Some(1)));
        assert!(ask("drop", json!({"branch": 0})).is_err());
        assert_eq!(branches(&ask("drop", json!({"branch": 2})).expect("dropped")), [(99, 0, 3)]);
        for wrong in [
            json!({"branch": 7, "at": 0, "choice": 0}),
            json!({"branch": 0, "at": 9, "choice": 0}),
            json!({"branch": 0}),
        ] {
            assert!(ask("take", wrong).is_err());
        }
    });
}

#[test]
fn runs_go_on_until_it_holds() {
    with_session(|session| {
        let mut ask = |until: &str| session.answer("run", &json!({"branch": 0, "at": 0, "until": until}));
        let found = ask("x == 3 && _last == 0").expect("a run");
        let branch = found["branch"].clone();
        assert!(ask("x == 3 ; x = 1").is_err_and(|what| what.contains("does not belong")));
        assert!(ask("nothing").is_err_and(|what| what.contains("nothing")));
        for effect in ["run p()", "x == 3 && (run p() > 0)", "0 && run p()", "set_priority(0, 2)"] {
            assert!(ask(effect).is_err_and(|what| what.contains("changes the state")), "{effect}");
        }
        assert!(ask("").is_err());
        assert!(ask("done").is_ok());
        let values = session.answer("watch", &json!({"branch": branch, "expression": "x"})).expect("values");
        let values: Vec<&str> = values["values"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert_eq!((values.first(), values.last()), (Some(&"0"), Some(&"3")));
        assert_eq!(values.iter().filter(|value| **value == "3").count(), 1);
    });
}

#[test]
fn the_claim_moves_with_a_branch() {
    // Behind x = 1 it has a choice, behind x = 2 it is stuck.
    let text = "byte x; active proctype p() { x = 1; x = 2; x = 3 }
        never n { do :: x == 0 :: x == 1 -> break :: x == 1 od; accept: do :: x == 1 od }";
    with_session_of(text, Some(0), |session| {
        let mut ask = |what: &str, asked: Value| session.answer(what, &asked).expect("an answer");
        let start = ask("open", json!({"branch": 0}));
        let moves = &start["run"]["start"]["moves"];
        assert_eq!((&moves["claim"], moves["can"].as_array().map(Vec::len)), (&json!("moves"), Some(1)));
        assert_eq!(moves["can"][0][0][0], Value::Null);
        assert_eq!(moves["cannot"][0][2], "the claim of the property moves first");
        assert_eq!(who(&ask("take", json!({"branch": 0, "at": 0, "choice": 0}))), ["claim n"]);
        // It has two steps here, so the user chooses.
        let taken = ask("take", json!({"branch": 0, "at": 1, "choice": 0}));
        assert_eq!(who(&taken), ["p(0)"]);
        assert_eq!(taken["steps"][0]["moves"]["can"].as_array().map(Vec::len), Some(2));
        let taken = ask("take", json!({"branch": 0, "at": 2, "choice": 0}));
        assert_eq!((who(&taken), &taken["steps"][0]["moves"]["claim"]), (vec!["claim n"], &Value::Null));
        let taken = ask("take", json!({"branch": 0, "at": 3, "choice": 0}));
        assert_eq!((who(&taken), &taken["steps"][0]["moves"]["claim"]), (vec!["p(0)"], &json!("out")));
        // It has missed a state, so it does not come back.
        let taken = ask("take", json!({"branch": 0, "at": 4, "choice": 0}));
        assert_eq!((who(&taken), &taken["steps"][0]["moves"]["claim"]), (vec!["p(0)"], &json!("out")));
    });
    let forced = "byte x; active proctype p() { x = 1; x = 2 } never n { do :: x < 9 od }";
    with_session_of(forced, Some(0), |session| {
        let mut ask = |what: &str, asked: Value| session.answer(what, &asked).expect("an answer");
        ask("take", json!({"branch": 0, "at": 0, "choice": 0}));
        assert_eq!(who(&ask("take", json!({"branch": 0, "at": 1, "choice": 0}))), ["p(0)", "claim n"]);
        // Both are undone together.
        assert_eq!(ask("undo", json!({"branch": 0}))["from"], 1);
        let run = ask("run", json!({"branch": 0, "at": 1, "steps": 1}));
        assert_eq!(who(&run), ["p(0)", "claim n"]);
        // With nobody left the claim goes on alone.
        let end = ask("run", json!({"branch": 0, "at": 3, "steps": 6}));
        assert_eq!(who(&end)[who(&end).len() - 2..], ["claim n", "claim n"]);
    });
}

#[test]
fn steps_of_the_claim_come_along_where_they_are_not_shown() {
    let text = "byte x; active proctype p() { x = 1; x = 2 } never n { do :: x < 9 od }";
    with_session_of(text, Some(0), |session| {
        let mut ask = |what: &str, asked: Value| session.answer(what, &asked).expect("an answer");
        // What goes behind the one step of the claim is told.
        let moves = &ask("open", json!({"branch": 0}))["run"]["start"]["moves"];
        assert_eq!((moves["can"][0][0][0].as_u64(), moves["then"][0][0][0].as_u64()), (None, Some(0)));
        let taken = ask("take", json!({"branch": 0, "at": 0, "choice": 0, "whole": true}));
        assert_eq!(who(&taken), ["claim n", "p(0)", "claim n"]);
        assert_eq!((&taken["branches"][0]["claims"], &taken["branches"][0]["own"]), (&json!(2), &json!(3)));
        // Nothing is left that would not be seen.
        assert_eq!(ask("undo", json!({"branch": 0, "whole": true}))["from"], 0);
        let run = ask("run", json!({"branch": 0, "at": 0, "steps": 1, "whole": true}));
        assert_eq!(who(&run), ["claim n", "p(0)", "claim n"]);
        let other = ask("take", json!({"branch": 0, "at": 1, "choice": 0, "whole": true}));
        assert_eq!((who(&other), &other["branches"][1]["claimsBefore"]), (vec!["p(0)", "claim n"], &json!(1)));
        // Nobody is left, and the claim alone is nothing to be seen.
        let end = ask("run", json!({"branch": 0, "at": 3, "steps": 6, "whole": true}));
        assert_eq!((&end["notice"], who(&end)[0]), (&json!("Nothing can move any more."), "p(0)"));
        assert!(who(&end).len() <= 4, "{end}");
    });
}

#[test]
fn the_nearest_state_is_found() {
    with_session(|session| {
        let ask = |session: &mut Session<'_>, until: &str| {
            session.answer("run", &json!({"branch": 0, "at": 0, "until": until}))
        };
        // Three steps lead there, and longer ways as well.
        let found = ask(session, "x == 3").expect("a run");
        assert_eq!((found["steps"].as_array().map(Vec::len), &found["notice"]), (Some(3), &Value::Null));
        let nowhere = ask(session, "x < 0").expect_err("no run");
        assert!(nowhere.starts_with("It holds in no state that can be reached from here: all "), "{nowhere}");
        session.reach = Bound { states: 3, bytes: 1 << 20 };
        let cut = ask(session, "x < 0").expect_err("no run");
        assert!(cut.starts_with("It holds in none of the 4 nearest states, which are up to 2 steps away"), "{cut}");
        let chance = (0..100).find_map(|_| ask(session, "x == 6").ok()).expect("a run");
        assert!(chance["notice"].as_str().is_some_and(|notice| notice.contains("found by chance")));
        session.reach = REACH;
        session.enough.store(true, Ordering::Relaxed);
        assert!(ask(session, "x < 0").is_err_and(|what| what.starts_with("stopped")));
    });
}
