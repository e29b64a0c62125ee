//! Certificates in which somebody lies: that say that there is no error where there is one, that call open what somebody reads, that show a run
//! which is no counterexample. The checker believes none of them. `tests/random_models.rs` forges certificates of random models.

mod common;
#[path = "common/judged.rs"]
mod judged;

use judged::{definition, run};
use pv::certificate::file::decode;
use pv::certificate::{Certificate, Checked, Ends, Error, ErrorKind, Evidence, Names, Open, Section, Subject, Table};
use pv::certify::check::check;
use pv::search::plan::{CycleProperty, CycleStore, Cycles, Plan, Search};

type Wrong = Box<dyn std::error::Error>;

/// The certificate with more left open.
fn with_open(honest: &Certificate, change: impl FnOnce(&mut Open)) -> Certificate {
    let mut lie = honest.clone();
    if let Some(Section { evidence: Evidence::Holds(table), .. }) = lie.sections.first_mut() {
        change(&mut table.open);
    }
    lie
}

/// Models with an error in a place where something else may hide it, and what they are checked with.
const HIDDEN_ERRORS: &[(&str, &str)] = &[
    // A failed assertion that nobody looks for, and behind it an error in the same step.
    ("byte x, y; active proctype P() { d_step { assert(x == 1); x = 1 / y } }", "--no-assertions"),
    ("byte x, y; active proctype P() { d_step { assert(x == 1); x = 1 / y } }", ""),
    ("byte x, a[2]; active proctype P() { d_step { assert(x == 1); a[x + 2] = 1 } }", "--no-assertions"),
    ("byte x; active proctype P() { d_step { assert(x == 1); x = 1; x == 2 } }", "--no-assertions"),
    ("byte x; active proctype P() { atomic { assert(x == 1); x = 1 / x } }", "--no-assertions"),
    ("byte x, y; active proctype P() { assert(x == 1 / y) }", "--no-assertions"),
    // An error that only a timeout shows.
    ("byte x; active proctype P() { (timeout && 1 / x) }", "--no-end-states"),
    ("byte x, y; active proctype P() { if :: (1 / x == 1) :: (timeout && 1 / y) fi }", "--no-end-states"),
    // Errors of what cannot be executed.
    ("byte x; active proctype P() { end: x == 1 && 1 / (x - 1) == 1 } active proctype Q() { x = 1 }", ""),
    ("chan q = [1] of { byte, byte }; byte x; active proctype P() { q!1,1; end: q?1,eval(2 / x) }", ""),
    (
        "chan q = [0] of { byte, byte }; byte x; active proctype P() { q!1,2 / x } active proctype Q() { end: q?2,_ }",
        "--no-end-states",
    ),
    ("chan q = [1] of { byte }; chan k; active proctype P() { k!1 }", "--no-end-states"),
    ("chan k; active proctype P() { end: nempty(k) }", ""),
    ("byte x; active proctype P() provided (2 / x == 1) { x = 1 }", "--no-end-states"),
    (
        "byte x, a[2] = 1; active proctype P() priority 2 { end: a[x + 2] == 0 } active proctype Q() priority 1 { skip }",
        "",
    ),
    ("byte x; active proctype P() { set_priority(_pid, x) }", ""),
    ("byte x; proctype R(byte v) { skip } active proctype P() { run R(1 / x) }", ""),
    ("byte x; active proctype P() { printf(\"%d\", 1 / x) }", ""),
    ("byte x; active proctype P() { { (x == 1) } unless { 1 / x == 1 } }", "--no-end-states"),
    ("byte x; active proctype P() { if :: 1 / x == 1 :: else fi }", ""),
    ("byte x; active proctype P() { byte v; skip } active proctype Q() { P[1 / x]:v == 0 }", "--no-end-states"),
    ("chan q = [1] of { byte }; active proctype P() { q!1 } trace { do :: q!2 od }", ""),
    // Errors of a claim or a formula.
    ("byte x; active proctype P() { do :: x = 1 - x od } never { accept: do :: (1 / x == 1) :: x == 1 od }", ""),
    ("byte x; active proctype P() { do :: x = 1 - x od } never { do :: d_step { x == 0; x == 1 } :: x == 1 od }", ""),
    ("byte x; active proctype P() { do :: x = 1 - x od } never { do :: assert(x == 0) od }", ""),
    ("byte x; active proctype P() { do :: x = 1 - x od } ltl p { [] (5 / x != 7) }", ""),
    ("byte x; active proctype P() { do :: x = 1 - x od } ltl p { <> [] (5 / x != 7) }", ""),
];

/// All states of a model, with nothing left open.
fn every_state(text: &str, subject: &Subject) -> (Names, Table) {
    let model = common::model_of(text);
    let claim = model.claims.iter().position(|claim| claim.formula.is_none()).filter(|_| *subject == Subject::Never);
    let all = Plan { all_errors: true, ..Plan::default() };
    let plan = match claim {
        Some(number) => {
            let of = CycleProperty::Claim(number);
            let cycles = Cycles { of, fair: false, store: CycleStore::Exact, sets: None, max_depth: None };
            Plan { search: Search::Cycles(cycles), ..all }
        }
        None => all,
    };
    let (_, names, table) = common::seen_by(&model, &plan, claim);
    (names, table)
}

/// An error that the search finds is one that the checker finds: along the counterexample, and among all states of a
/// file that says that there is none.
#[test]
fn no_error_is_hidden_by_another() -> Result<(), Wrong> {
    let folder = tempfile::tempdir()?;
    for (text, line) in HIDDEN_ERRORS {
        std::fs::write(folder.path().join("m.pml"), text)?;
        let _ = std::fs::remove_file(folder.path().join("c"));
        let (code, said) = run(folder.path(), &format!("check m.pml --no-trail --quiet --certificate c {line}"));
        assert_eq!(code, 1, "{text} {line}: {said}");
        let (code, said) = run(folder.path(), "certify m.pml c");
        assert_eq!(code, 1, "{text} {line}: {said}");
        let mut forged = decode(&std::fs::read(folder.path().join("c"))?).map_err(|damage| damage.to_string())?;
        let (names, table) = every_state(text, &forged.sections[0].checked.subject);
        forged.names = names;
        forged.sections.truncate(1);
        forged.sections[0].evidence = Evidence::Holds(table);
        assert!(check(&definition(text), &forged).is_err(), "believed: {text} {line}");
    }
    // A claim's assertion that nobody looks at is no error of it.
    let text = "byte x; active proctype P() { do :: x = 1 - x od } never { do :: assert(x == 0) od }";
    std::fs::write(folder.path().join("m.pml"), text)?;
    assert_eq!(run(folder.path(), "check m.pml --no-assertions --certificate d").0, 0);
    assert_eq!(run(folder.path(), "certify m.pml d").0, 0);
    Ok(())
}

/// Models that read `v` in one place, each in a way of its own.
const READS: &[&str] = &[
    "active proctype P() { v == 0 }",
    "active proctype P() { if :: v == 1 -> x = 1 :: else fi }",
    "active proctype P() { (x == 0 && v == 0) }",
    "active proctype P() { assert(v < 2) }",
    "active proctype P() { x = a[v]; assert(x == 0) }",
    "active proctype P() { a[v] = 1 }",
    "active proctype P() { x = v; x == 0 }",
    "active proctype P() { x = 1 / (v + 1) }",
    "active proctype P() { x = (v -> 1 : 2); x > 0 }",
    "active proctype P() { v++; v == 1 }",
    "active proctype P() { d_step { v == 0; x = 1 } }",
    "active proctype P() { d_step { x = 1; v == 0 } }",
    "active proctype P() { atomic { x = 1; v == 0 } }",
    "active proctype P() { { x = 1 } unless { v == 1 } }",
    "active proctype P() { printf(\"%d\", v) }",
    "active proctype P() { select (x : 0 .. v) }",
    "active proctype P() { for (x : v .. 1) { skip } }",
    "active proctype P() { q!v; q?0 }",
    "active proctype P() { q!!v; q?_ }",
    "active proctype P() { q!0; q?eval(v) }",
    "active proctype P() { q!0; q?[eval(v)]; q?_ }",
    "active proctype P() { q!0; q??eval(v) }",
    "active proctype P() { c[v]!0; c[0]?_ }",
    "active proctype P() { end: len(c[v]) > 0 }",
    "active proctype P() { r!v } active proctype Q() { r?0 }",
    "active proctype P() { r!0 } active proctype Q() { r?eval(v) }",
    "active proctype P() provided (v == 0) { x = 1 }",
    "active proctype P() { set_priority(_pid, v + 1) }",
    "active proctype P() { set_priority(v, 2) }",
    "active proctype P() priority 2 { _priority = v + 1 }",
    "active proctype P() priority 2 { end: v == 1 } active proctype Q() { x = 1 }",
    "active proctype P() { get_priority(v) == 1 }",
    "proctype R(byte w) { w == 0 } active proctype P() { run R(v) }",
    "active proctype P() { x = 1 } active proctype Q() { end: enabled(v) }",
    "active proctype P() { x = 1 } active proctype Q() { end: pc_value(v) > 99 }",
    "active proctype P() { byte w; x = 1 } active proctype Q() { P[v]:w == 0 }",
    "active proctype P() { x = 1; L: skip } active proctype Q() { end: P[v]@L }",
    "active proctype P() { do :: x = 1 - x od } never { do :: v == 1 -> break :: else od }",
];

/// A variable that is read cannot be called open, wherever it is read.
#[test]
fn what_is_read_is_not_left_open() -> Result<(), Wrong> {
    for read in READS {
        // `enabled` is not asked in models that have a rendezvous.
        let rendezvous = if read.contains("r!") { "chan r = [0] of { byte };" } else { "" };
        let text =
            format!("byte v, x, a[2]; chan q = [1] of {{ byte }}; chan c[2] = [1] of {{ byte }}; {rendezvous}\n{read}");
        let subject = if read.contains("never") { Subject::Never } else { Subject::Errors };
        let (names, table) = every_state(&text, &subject);
        let checked = Checked { subject, fair: false, assertions: true, ends: Ends::Ignored };
        let section = Section { checked, evidence: Evidence::Holds(table) };
        let honest = Certificate { model: "m".into(), fingerprint: 0, names, sections: vec![section] };
        let definition = definition(&text);
        check(&definition, &honest).map_err(|refusal| format!("{read}: {}", refusal.what))?;
        let number = honest.names.globals.iter().position(|name| name == "v").ok_or("no v")? as u32;
        let lie = with_open(&honest, |open| open.globals.push(number));
        assert!(check(&definition, &lie).is_err(), "believed: {read}");
    }
    // Nor can a field that a trace looks at.
    let text = "chan q = [1] of { byte }; active proctype P() { q!1; q?_ } trace { do :: q!1 od }";
    let (names, table) = every_state(text, &Subject::Errors);
    let checked = Checked { subject: Subject::Errors, fair: false, assertions: true, ends: Ends::Judged };
    let section = Section { checked, evidence: Evidence::Holds(table) };
    let honest = Certificate { model: "m".into(), fingerprint: 0, names, sections: vec![section] };
    check(&definition(text), &honest).map_err(|refusal| refusal.what)?;
    let lie = with_open(&honest, |open| open.fields.push((0, 0)));
    assert!(check(&definition(text), &lie).is_err());
    Ok(())
}

/// A counterexample has to be one: one that stops before its error, that lacks its middle, whose cycle does not accept, makes
/// progress or is not fair is refused, and so is one of another kind.
#[test]
fn counterexamples_must_end_where_they_say() -> Result<(), Wrong> {
    let folder = tempfile::tempdir()?;
    let spin = "bit z; byte y; active proctype P() { do :: z = 1 - z od }";
    for (text, line) in [
        ("byte x; active proctype P() { x = 1; x = 2; x = 3; assert(x == 0) }".to_string(), ""),
        ("byte x; active proctype P() { x = 1; x = 2; x = 0; x = 1 / x }".to_string(), ""),
        ("byte x; active proctype P() { x = 1; x = 2; x = 3; x == 0 }".to_string(), ""),
        (format!("{spin} active proctype Q() {{ y = 1; y = 2; accept: do :: y = 5 - y od }}"), ""),
        (
            format!("{spin} active proctype Q() {{ y = 1; progress: y = 2; do :: y = 5 - y od }}"),
            "--non-progress --fair",
        ),
        (format!("{spin} active proctype Q() {{ y = 1; y = 2; y = 3 }} ltl p {{ [] (y != 3) }}"), ""),
        (format!("{spin} active proctype Q() {{ y = 1; y = 2; y = 3 }} ltl p {{ [] <> (y < 3) }}"), "--fair"),
        (format!("{spin} active proctype Q() {{ y = 1; y = 2 }} never {{ do :: y == 2 -> break :: else od }}"), ""),
    ] {
        std::fs::write(folder.path().join("m.pml"), &text)?;
        let _ = std::fs::remove_file(folder.path().join("c"));
        let (code, told) = run(folder.path(), &format!("check m.pml --full --no-trail --quiet --certificate c {line}"));
        assert_eq!(code, 1, "{text}: {told}");
        let honest = decode(&std::fs::read(folder.path().join("c"))?).map_err(|damage| damage.to_string())?;
        let definition = definition(&text);
        let proves = |change: &dyn Fn(&mut Section)| {
            let mut changed = honest.clone();
            changed.sections.iter_mut().for_each(change);
            check(&definition, &changed).is_ok()
        };
        assert!(proves(&|_| {}), "{text}");
        let Evidence::Broken(error, whole) = &honest.sections[0].evidence else { return Err("no error".into()) };
        let with = |kind, from: usize, to: usize| {
            let error = Error { kind, message: String::new() };
            let mut rows = 0..whole.len();
            let table = whole.clone().only(|_| rows.next().is_some_and(|row| (from..to).contains(&row)));
            move |section: &mut Section| section.evidence = Evidence::Broken(error.clone(), table.clone())
        };
        // Its last state is where the error is; without its first states nothing leads there.
        assert!(!proves(&with(error.kind, 0, 1)), "{text}: believed at its start");
        assert!(!proves(&with(error.kind, 2, whole.len())), "{text}: believed without a beginning");
        for kind in [ErrorKind::Assertion, ErrorKind::RunTime, ErrorKind::EndState, ErrorKind::Property] {
            assert!(kind == error.kind || !proves(&with(kind, 0, whole.len())), "{text}: believed to be {kind:?}");
        }
    }
    // A cycle that is there and is no violation.
    for (text, subject, fair) in [
        ("bit z; active proctype P() { do :: z = 1 - z od }", Subject::AcceptLabels, false),
        ("bit z; active proctype P() { accept: z = 1; do :: z = 1 - z od }", Subject::AcceptLabels, false),
        ("bit z; active proctype P() { do :: z = 1 - z; progress: skip od }", Subject::Progress, false),
        (
            "bit z; byte y; active proctype P() { do :: z = 1 - z od } active proctype Q() { y = 1 } ltl p { <> (y == 1) }",
            Subject::Formula("p".into()),
            true,
        ),
        (
            "bit z; byte y; active proctype P() { do :: z = 1 - z od } active proctype Q() { y = 1 } never { accept: do :: y == 0 od }",
            Subject::Never,
            true,
        ),
    ] {
        let (_, table) = every_state(text, &Subject::Errors);
        let model = common::model_of(text);
        let never = model.claims.iter().position(|claim| claim.formula.is_none());
        let names = pv::witness::Witness::new(&model, never).names().clone();
        let checked = Checked { subject, fair, assertions: false, ends: Ends::Ignored };
        let error = Error { kind: ErrorKind::Property, message: String::new() };
        let mut section = Section { checked, evidence: Evidence::Broken(error, table) };
        let certificate = |section: &Section| Certificate {
            model: "m".into(),
            fingerprint: 0,
            names: names.clone(),
            sections: vec![section.clone()],
        };
        let refusal = check(&definition(text), &certificate(&section)).expect_err(text);
        assert!(refusal.what.ends_with("no run violates the property"), "{text}: {}", refusal.what);
        // On runs that are not fair some of them are violations.
        section.checked.fair = false;
        assert_eq!(check(&definition(text), &certificate(&section)).is_ok(), fair, "{text}");
    }
    Ok(())
}
