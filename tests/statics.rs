//! Static reductions: every model of the corpus and of the examples, as it is and reduced, is explored in full, and the two are
//! compared state by state (`pv::search::statics::audit`); cycles and persistent sets are looked for in both.

mod common;

use common::{DEEPEST, Expectation, LARGEST, bounded, expected_cycles, model_of, run, violated};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::analysis::statics::{Observed, Reduced, Reductions, reduce};
use pv::exec::Program;
use pv::model::{Action, Model};
use pv::search::outcome::{Outcome, Verdict, ViolationKind};
use pv::search::plan::{
    CycleProperty, CycleStore, Cycles, DepthFirst, DepthStore, Plan, Preserves, Property, Search, Sets, Technique,
    Techniques,
};
use pv::search::statics::audit;
use pv::search::walk::replay;
use std::path::Path;

/// Above this the reductions are audited, but the relation behind persistent sets is not executed.
const CHECKED: u64 = 1_000;

/// Each reduction by itself, and all together.
const SETTINGS: [(&str, Reductions); 4] = [
    ("dead variables", Reductions { dead_variables: true, ..Reductions::NONE }),
    ("dead variables and unread writes", Reductions { merging: false, ..Reductions::ALL }),
    ("merging", Reductions { merging: true, ..Reductions::NONE }),
    ("all", Reductions::ALL),
];

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("each reduction removes states", each_removes_states),
        Trial::test("unread writes keep their errors", unread_writes_keep_errors),
        Trial::test("unread fields are sent as 0", unread_fields),
        Trial::test("what is looked at is not merged", what_is_looked_at_is_not_merged),
        Trial::test("a long run of silent steps", long_run),
        Trial::test("silent steps wait for their turn", silent_steps_wait),
        Trial::test("unreached statements are those of the user", reached_statements),
        Trial::test("cycles that pass silent steps", cycles_pass_silent_steps),
    ];
    trials.extend(common::trials(check));
    for path in common::models("tests/corpus/liveness") {
        let name = format!("tests/corpus/liveness/{}", path.file_stem().unwrap_or_default().to_string_lossy());
        trials.push(Trial::test(name, move || check_cycles(&path)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn expect(holds: bool, what: impl Fn() -> String) -> Result<(), Failed> {
    if holds { Ok(()) } else { Err(what().into()) }
}

fn deadlocks(outcome: &Outcome) -> bool {
    outcome.violations.iter().any(|violation| violation.kind == ViolationKind::InvalidEndState)
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
    for (name, wanted) in SETTINGS {
        audit(&model, wanted, LARGEST as usize).map_err(|reason| format!("{name}: {reason}"))?;
    }
    let bound = (!known).then_some(DEEPEST);
    let plan = bounded(Plan { all_errors: true, ..Plan::default() }, bound);
    let full = run(&model, &plan);
    if matches!(full.verdict, Verdict::Incomplete(_)) {
        // only a model on which SPIN gave up may have no end
        return expect(!known, || format!("{:?}", full.verdict));
    }
    if full.counts.stored > LARGEST {
        return Ok(());
    }
    let reduced = reduce(&model, Observed::default(), Reductions::ALL);
    let persistent = |check| Technique::PersistentSets(Sets { check, ..Sets::default() });
    for techniques in [
        Techniques::None,
        Techniques::One(Technique::SleepSets),
        Techniques::One(persistent(false)),
        Techniques::Both(Sets::default()),
    ] {
        let plan = bounded(Plan { search: common::reduced(techniques), ..plan.clone() }, bound);
        let less = run(&reduced.model, &plan);
        expect(violated(&less) == violated(&full), || format!("{techniques:?}: {}", less.verdict.name()))?;
        expect(deadlocks(&less) == deadlocks(&full), || format!("{techniques:?}: deadlocks differ"))?;
    }
    as_by_default(&model, &plan, &full, bound)?;
    if full.counts.stored <= CHECKED {
        for techniques in [Techniques::None, Techniques::One(persistent(true))] {
            let store = DepthStore::Exact(techniques);
            let check_independence = techniques == Techniques::None;
            let search = Search::Depth(DepthFirst { store, check_independence, ..DepthFirst::default() });
            let plan = bounded(Plan { search, ..plan.clone() }, bound);
            let outcome = run(&reduced.model, &plan);
            expect(!matches!(outcome.verdict, Verdict::Incomplete(_)), || format!("{:?}", outcome.verdict))?;
        }
    }
    Ok(())
}

/// What `pv check` does when nothing is said: the same verdict, paths that are executable in the user's model, and the same statements
/// executed.
fn as_by_default(model: &Model, plan: &Plan, full: &Outcome, bound: Option<u64>) -> Result<(), Failed> {
    let program = Program::new(model, None);
    let sets = common::reduced(Techniques::One(Technique::PersistentSets(Sets::default())));
    for (search, merging) in [(sets, true), (common::breadth_first(None), false)] {
        let statics = Reductions { merging, ..Reductions::ALL };
        let reduced = run(model, &bounded(Plan { statics, search, ..plan.clone() }, bound));
        expect(violated(&reduced) == violated(full), || format!("by default: {:?}", reduced.verdict))?;
        for violation in &reduced.violations {
            replay::verify(&program, &violation.path).map_err(|reason| format!("{}: {reason}", violation.message))?;
        }
        for (p, proctype) in model.proctypes.iter().enumerate() {
            for (t, transition) in proctype.automaton.transitions.iter().enumerate() {
                let is_end = matches!(transition.action, Action::End);
                expect(is_end || reduced.reached[p][t] == full.reached[p][t], || {
                    format!("{} in {}: reached {}", transition.text, proctype.name, reduced.reached[p][t])
                })?;
            }
        }
    }
    Ok(())
}

/// The reduced model for the search of a plan.
fn reduced_for(model: &Model, plan: &Plan) -> Reduced {
    let observed = Observed {
        claim: plan.property().claim(),
        accept_labels: plan.property() == Property::Cycles(CycleProperty::AcceptLabels),
        non_progress: plan.property() == Property::Cycles(CycleProperty::Progress),
        fair: plan.search.is_fair(),
    };
    reduce(model, observed, Reductions::ALL)
}

/// Each question that a model of the corpus has about cycles has the same answer for the reduced model, and a cycle is one
/// of the user's model, too.
fn check_cycles(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let expected = expected_cycles(&text);
    if expected.is_empty() {
        return Ok(());
    }
    let model = common::load(path)?;
    for line in expected {
        let claim = model.claims.iter().position(|claim| &*claim.name == line.property);
        let of = match (line.mode, claim) {
            ("non-progress", _) => CycleProperty::Progress,
            (_, Some(number)) => CycleProperty::Claim(number),
            _ if !model.claims.is_empty() => CycleProperty::Claim(0),
            _ => CycleProperty::AcceptLabels,
        };
        same_cycles(&model, &cycles(of, line.fair))?;
    }
    Ok(())
}

fn cycles(of: CycleProperty, fair: bool) -> Plan {
    Plan {
        search: Search::Cycles(Cycles { of, fair, store: CycleStore::Exact, sets: None, max_depth: None }),
        ..Plan::default()
    }
}

/// Searches for cycles with each static reduction and with persistent sets, as far as they are sound for the property: the verdict is
/// that of the full search, and every cycle stands the test of the definition in the user's model.
fn same_cycles(model: &Model, plan: &Plan) -> Result<(), Failed> {
    let property = plan.property();
    let full = run(model, plan);
    let (own, program) = property.compile(model);
    let keeps_runs = property.is_insensitive(model) && !plan.search.is_fair();
    let merging = keeps_runs;
    let dead = Reductions { merging: false, ..Reductions::ALL };
    let statics = [Reductions::NONE, dead, Reductions { merging, ..Reductions::NONE }, Reductions { merging, ..dead }];
    let sets = [None, Some(Sets { preserves: Preserves::Runs, check: true })];
    for (statics, sets) in statics.into_iter().flat_map(|statics| sets.map(|sets| (statics, sets))) {
        let Search::Cycles(cycles) = plan.search else { return Ok(()) };
        let sets = sets.filter(|_| keeps_runs);
        let reduced = Plan { statics, search: Search::Cycles(Cycles { sets, ..cycles }), ..plan.clone() };
        let less = run(model, &reduced);
        let what =
            || format!("{property:?}, {statics:?}, {sets:?}: {} after {}", less.verdict.name(), full.verdict.name());
        expect(violated(&full) == violated(&less), what)?;
        expect(less.verdict.name() == full.verdict.name(), what)?;
        for violation in &less.violations {
            reduced
                .check_lasso(own.as_ref().unwrap_or(model), &program, violation)
                .map_err(|why| format!("{}: {why}", what()))?;
        }
    }
    Ok(())
}

/// States of a model under some reductions.
fn states(model: &Model, wanted: Reductions) -> u64 {
    let plan = Plan { all_errors: true, ..Plan::default() };
    run(&reduce(model, Observed::default(), wanted).model, &plan).counts.stored
}

fn each_removes_states() -> Result<(), Failed> {
    let dead = Reductions { dead_variables: true, ..Reductions::NONE };
    let unread = Reductions { merging: false, ..Reductions::ALL };
    let merging = Reductions { merging: true, ..Reductions::NONE };
    for (text, wanted) in [
        // behind `g = x` the value of x makes no difference
        (
            "byte g; active proctype P() { byte x; if :: x = 1 :: x = 2 fi; g = x; g = 0; g == 0 } active proctype Q() { g = g }",
            dead,
        ),
        // a field that nobody looks at
        (
            "chan q = [1] of { byte }; active proctype P() { byte x; q?x; false } active proctype Q() { if :: q!1 :: q!2 fi }",
            dead,
        ),
        // a parameter that dies at once, and one that is never read
        ("proctype P(byte x) { false } init { if :: run P(1) :: run P(2) fi }", dead),
        // a counter of two processes that only they read
        ("byte n; active [2] proctype P() { do :: n++; n = n + 2 od }", unread),
        // a counter that is read for another one
        ("byte m; active proctype P() { byte n; do :: n++; m = m + n od }", unread),
        ("byte g; active [2] proctype P() { byte x; x = 1; x = 2; x = 3; g = x }", merging),
        ("byte g; active [2] proctype P() { byte x; atomic { x = 1; x = 2 }; x = 3; g = x }", merging),
    ] {
        let model = model_of(text);
        let (full, less) = (states(&model, Reductions::NONE), states(&model, wanted));
        expect(less < full, || format!("{less} of {full}: {text}"))?;
        let all = states(&model, Reductions::ALL);
        expect(all <= less, || format!("all: {all}, one: {less}: {text}"))?;
    }
    // To leave out a reset that the user has written would bring states back.
    let careful =
        model_of("byte g; active proctype P() { byte x; if :: x = 1 :: x = 2 fi; g = x; g = 0; x = 0; g == 0 }");
    let alone = Reductions { unread_writes: true, ..Reductions::NONE };
    expect(states(&careful, alone) == states(&careful, Reductions::NONE), || "unread writes alone".to_string())
}

fn unread_writes_keep_errors() -> Result<(), Failed> {
    for text in [
        "byte z; active proctype P() { byte x; x = 1 / z }",
        "byte z = 7; byte t[3]; active proctype P() { byte x; x = t[z] }",
        "byte z = 7; byte t[3]; active proctype P() { t[z] = 1 }",
        "byte z; active proctype P() { byte x; d_step { x = 1; x = 1 / z } }",
        "byte z; active proctype P() { printf(\"%d\", 1 / z) }",
    ] {
        let model = model_of(text);
        for (name, wanted) in SETTINGS {
            let found = audit(&model, wanted, 100)?;
            expect(found.is_some_and(|audit| audit.errors == 1), || format!("{name}: {text}"))?;
        }
    }
    Ok(())
}

/// Which fields of `q` are sent as 0. Two senders choose the second field, and who reads it decides.
fn unread_fields() -> Result<(), Failed> {
    let senders = "active [2] proctype S() { byte n; if :: n = 1 :: n = 2 fi; q!5,n }";
    for (declared, reader, expected) in [
        ("", "active proctype R() { byte a; q?a,_; assert(a == 5); false }", &[1][..]),
        // into a variable that nobody reads
        ("", "active proctype R() { byte a, b; q?a,b; assert(a == 5); false }", &[1]),
        ("", "active proctype R() { q?_,_; false }", &[0, 1]),
        ("byte sum;", "active proctype R() { byte b; q?_,b; sum = sum + b; false }", &[0, 1]),
        ("", "active proctype R() { byte b; q?_,b; assert(b > 0); false }", &[0]),
        ("", "active proctype R() { q?_,1; false }", &[0]),
        ("byte k = 1;", "active proctype R() { q?_,eval(k); false }", &[0]),
        ("", "active proctype R() { q??_,1; q?_,_ }", &[0]),
        ("", "active proctype R() { q?[_,2]; q?_,_ }", &[0]),
        ("byte k;", "active proctype R() { byte b; q?<_,b>; k = b; assert(k < 2) }", &[0]),
        // one that is sorted in is compared with the others
        ("", "active proctype R() { q!!3,3; q?_,_; q?_,_ }", &[]),
        // the same receive may be on another channel, and the same send
        ("chan r = [1] of { byte, byte };", "active proctype R() { chan c = q; if :: c = q :: c = r fi; c?_,2 }", &[0]),
        (
            "chan r = [1] of { byte, byte };",
            "active proctype R() { chan c; if :: c = q :: c = r fi; c!1,2; q?_,_; r?1,2 }",
            &[],
        ),
        // a message that cannot be computed is an error
        ("byte z;", "active proctype R() { q!1,(1 / z); q?_,_ }", &[0]),
        ("", "active proctype R() { d_step { q?_,_; q!1,2 }; false }", &[0, 1]),
        ("", "active proctype R() { q?_,_ } trace { q!5,1 }", &[]),
    ] {
        let model = model_of(&format!("chan q = [2] of {{ byte, byte }}; {declared} {senders} {reader}"));
        let fields = |wanted| reduce(&model, Observed::default(), wanted).unread_fields().to_vec();
        let unread: Vec<usize> =
            fields(Reductions::ALL).into_iter().filter(|&(channel, _)| channel == 0).map(|(_, field)| field).collect();
        expect(unread == expected, || format!("{unread:?}: {reader}"))?;
        expect(fields(Reductions { unread_writes: false, ..Reductions::ALL }).is_empty(), || reader.to_string())?;
        for (name, wanted) in SETTINGS {
            let found = audit(&model, wanted, 10_000).map_err(|reason| format!("{name}: {reason}: {reader}"))?;
            expect(found.is_some(), || format!("too large: {reader}"))?;
        }
    }
    let model =
        model_of(&format!("chan q = [2] of {{ byte, byte }}; {senders} active proctype R() {{ q?_,_; false }}"));
    let claimed = Observed { claim: Some(0), ..Observed::default() };
    expect(reduce(&model, claimed, Reductions::ALL).unread_fields().is_empty(), || "with a claim".to_string())?;
    let unread = Reductions { merging: false, ..Reductions::ALL };
    let (full, less) = (states(&model, Reductions::NONE), states(&model, unread));
    expect(less < full, || format!("{less} of {full}"))
}

fn what_is_looked_at_is_not_merged() -> Result<(), Failed> {
    let merged = |text: &str, observed| {
        // somebody else reads g, so that only x can be silent
        let text = format!("byte g; {text} active proctype R() {{ g == 1; g == 2 }}");
        reduce(&model_of(&text), observed, Reductions::ALL).summary().merged
    };
    let plain = "active proctype P() { byte x; g = 1; x = 2; g = x }";
    expect(merged(plain, Observed::default()) == 1, || "x = 2 is silent".to_string())?;
    let nothing = Observed::default();
    for (text, observed) in [
        (
            "active proctype P() { byte x; g = 1; x = 2; g = x } ltl p { [] (P:x < 3) }",
            Observed { claim: Some(0), ..nothing },
        ),
        ("active proctype P() { byte x; g = 1; progress: x = 2; g = x }", Observed { non_progress: true, ..nothing }),
        ("active proctype P() { byte x; g = 1; accept: x = 2; g = x }", Observed { accept_labels: true, ..nothing }),
        ("active proctype P() provided (g < 2) { byte x; g = 1; x = 2; g = x }", nothing),
        ("active proctype P() priority 3 { byte x; g = 1; x = 2; g = x }", nothing),
        ("active proctype P() { byte x; g = 1; x = 2; g = x + _last }", nothing),
        ("active proctype P() { byte x; g = 1; x = 2; g = x } active proctype Q() { enabled(0) }", nothing),
        ("active proctype P() { byte x; g = 1; x = 2; g = x } active proctype Q() { pc_value(0) > 1 }", nothing),
        ("active proctype P() { byte x; g = 1; L: x = 2; g = x } active proctype Q() { P@L }", nothing),
        ("active proctype P() { byte x; g = 1; x = 2; L: g = x } active proctype Q() { P@L }", nothing),
        ("active proctype P() { byte x; g = 1; x = 2; g = x } active proctype Q() { P:x == 2 }", nothing),
        ("active proctype P() { byte x; g = 1; x = g; g = x }", nothing),
    ] {
        expect(merged(text, observed) == 0, || format!("{observed:?}: {text}"))?;
    }
    Ok(())
}

/// More silent steps in a row than one transition takes over.
fn long_run() -> Result<(), Failed> {
    let steps = "x = x + 1; ".repeat(200);
    let model = model_of(&format!("byte g; active proctype P() {{ byte x; g = 1; {steps} g = x; assert(g == 200) }}"));
    let found = audit(&model, Reductions::ALL, 1_000)?;
    expect(found.is_some_and(|audit| audit.full > 200 && audit.reduced < 10), || format!("{found:?}"))?;
    // A silent step is copied to the step that does its work, not to each of the silent steps before it.
    let reduced = reduce(&model, Observed::default(), Reductions::ALL);
    let copies: usize = reduced.model.proctypes[0].automaton.transitions.iter().map(|t| t.after.actions.len()).sum();
    expect(copies <= 200, || format!("{copies} copies of 200 steps"))
}

/// The receiver goes on in its atomic block before the sender's silent steps can be done: the audit follows the paths by the
/// rules, and each ends in a failed assertion or in a deadlock.
fn silent_steps_wait() -> Result<(), Failed> {
    let model = model_of(
        "chan c = [0] of { byte }; byte g; \
         active proctype P() { byte x, y; c!1; x = 2; y = x + 1; g = g + y; assert(g != 7) } \
         active proctype Q() { byte z; atomic { c?z; g = g + z; g = g + 3 }; z = 0; g == 9 }",
    );
    let found = audit(&model, Reductions::ALL, 1_000)?;
    expect(found.is_some_and(|audit| audit.errors == 1 && audit.halts == 1), || format!("{found:?}"))?;
    // the silent step at the beginning of the second block waits, but not longer than until nobody else can move
    let stuck = model_of(
        "byte g; active proctype P() { byte x; g = 1; atomic { x = 1; g == 2 } } \
         active proctype Q() { timeout -> assert(g == 2) }",
    );
    let found = audit(&stuck, Reductions::ALL, 1_000)?;
    expect(found.is_some_and(|audit| audit.errors == 1), || format!("{found:?}"))?;
    expect(reduce(&model, Observed::default(), Reductions::ALL).summary().merged >= 2, || {
        "nothing is merged".to_string()
    })
}

fn reached_statements() -> Result<(), Failed> {
    let model = model_of("byte g; active proctype P() { byte x; g = 1; x = 2; x = x + 1; g = x; false; x = 5; x = 6 }");
    let reduced = reduce(&model, Observed::default(), Reductions::ALL);
    let (full, less) = (run(&model, &Plan::default()), run(&reduced.model, &Plan::default()));
    expect(full.reached != less.reached, || "nothing is merged".to_string())?;
    expect(full.reached == reduced.reached(&less.reached, &less.completed), || {
        format!("{:?}", reduced.reached(&less.reached, &less.completed))
    })
}

fn cycles_pass_silent_steps() -> Result<(), Failed> {
    for (text, merges) in [
        (
            "byte g; active proctype P() { byte x; accept: do :: g = 1 - g; x = 1; x = 2 od } active proctype R() { g == 1 }",
            true,
        ),
        (
            "byte g; active proctype P() { byte x; do :: g = 1 - g; x = 1; accept: x = 2 od } active proctype R() { g == 1 }",
            false,
        ),
        ("active proctype P() { byte x; accept: do :: x = 1 - x od }", false),
        (
            "chan c = [0] of { byte }; active proctype P() { byte x; accept: do :: c!1; x = 1; x = 2 od } \
          active proctype Q() { byte y; do :: atomic { c?y; y = 1 } od }",
            true,
        ),
        (
            "byte g; active proctype P() { byte x; do :: g = 1; atomic { x = 1; g = x + 1 } od } \
          active proctype Q() { accept: do :: g == 1 -> g = 3 od }",
            true,
        ),
    ] {
        let model = model_of(text);
        for fair in [false, true] {
            let plan = cycles(CycleProperty::AcceptLabels, fair);
            same_cycles(&model, &plan).map_err(|what| format!("{text}: {what:?}"))?;
            let merged = reduced_for(&model, &plan).summary().merged > 0;
            expect(merged == merges, || format!("merged {merged}: {text}"))?;
        }
    }
    Ok(())
}
