//! Certificates: every model of the corpus and every example is checked with `--certificate`, and `pv certify` comes to the same verdict
//! with the reference executor. A certificate from which a state was taken is refused, and so is one of another model or one in which a
//! byte was changed. `tests/forged.rs` has files in which somebody lies on purpose.
//!
//! Models with more than 20,000 states are left out here; `PV_CERTIFY=200000 cargo test --release --test certificates` takes those with up
//! to 200,000.

mod common;
#[path = "common/judged.rs"]
mod judged;

use common::{Expectation, LARGEST, command};
use judged::{definition, run};
use libtest_mimic::{Arguments, Failed, Trial};
use pv::certificate::file::{decode, encode};
use pv::certificate::{Certificate, Checked, Ends, Error, ErrorKind, Evidence, Open, OpenAt, Section, Table};
use pv::certify::check::check;
use pv::certify::definition::Definition;
use std::path::Path;

/// What a model is checked for: its properties, errors, progress.
const LINES: [&str; 4] = ["", "--no-claims --sleep", "--non-progress", "--non-progress --fair"];
/// The other searches that keep every state. Each model has one of them here, and all with `PV_CERTIFY`.
const IN_TURN: [&str; 6] = [
    "--full",
    "--no-claims --search bfs",
    "--no-claims --search bfs --full",
    "--no-claims --store tree",
    "--no-claims --workers 2",
    "--no-claims --workers 2 --store tree --full",
];

fn most() -> u64 {
    std::env::var("PV_CERTIFY").ok().and_then(|most| most.parse().ok()).unwrap_or(LARGEST)
}

/// Checks a model and its certificate; gives what stands in the file, if there is one.
fn certify(folder: &Path, model: &Path, line: &str) -> Result<Option<Certificate>, Failed> {
    let model = model.display();
    let file = folder.join("certificate");
    let _ = std::fs::remove_file(&file);
    let (verdict, said) = run(folder, &format!("check {model} --no-trail --quiet --certificate certificate {line}"));
    if !file.exists() {
        // The model is refused, or its search has no end.
        return if matches!(verdict, 2 | 3) { Ok(None) } else { Err(format!("{line}: exit {verdict}: {said}").into()) };
    }
    let (certified, said) = run(folder, &format!("certify {model} certificate"));
    if certified != verdict {
        return Err(format!("{line}: check says {verdict}, certify {certified}: {said}").into());
    }
    Ok(Some(decode(&std::fs::read(&file)?).map_err(|damage| damage.to_string())?))
}

/// The certificate with one of its tables changed.
fn with_table(certificate: &Certificate, section: usize, change: impl FnOnce(Table) -> Table) -> Certificate {
    let mut changed = certificate.clone();
    if let Some(Section { evidence: Evidence::Holds(table), .. }) = changed.sections.get_mut(section) {
        *table = change(std::mem::take(table));
    }
    changed
}

/// Every state of a complete search is needed.
fn states_are_needed(definition: &Definition, certificate: &Certificate) -> Result<(), Failed> {
    for (number, section) in certificate.sections.iter().enumerate() {
        let Evidence::Holds(table) = &section.evidence else { continue };
        for left_out in [0, table.len() / 3, table.len() / 2, table.len() - 1] {
            let mut at = 0;
            let less = with_table(certificate, number, |table| {
                table.only(|_| {
                    at += 1;
                    at != left_out + 1
                })
            });
            let Err(refusal) = check(definition, &less) else {
                return Err(format!("state {left_out} of {} is not missed", table.len()).into());
            };
            if refusal.state.is_none() {
                return Err(format!("no state shows why: {}", refusal.what).into());
            }
        }
    }
    Ok(())
}

fn of_model(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    match common::expectation(&text) {
        Expectation::Refused => return Ok(()),
        // SPIN does not come to an end with it.
        Expectation::Partial => return Ok(()),
        Expectation::Counts(expected) if expected.stored > most() => return Ok(()),
        _ => {}
    }
    let folder = tempfile::tempdir()?;
    let turn = path.to_string_lossy().bytes().map(usize::from).sum::<usize>();
    let all = std::env::var_os("PV_CERTIFY").is_some();
    let in_turn =
        IN_TURN.iter().enumerate().filter(|(number, _)| all || number % IN_TURN.len() == turn % IN_TURN.len());
    for line in LINES.iter().chain(in_turn.map(|(_, line)| line)) {
        let Some(certificate) = certify(folder.path(), path, line)? else { continue };
        if certificate.sections.iter().all(|section| tables(section).len() < 2_000) {
            states_are_needed(&definition(&text), &certificate)?;
        }
    }
    Ok(())
}

fn tables(section: &Section) -> &Table {
    match &section.evidence {
        Evidence::Holds(table) | Evidence::Broken(_, table) => table,
    }
}

const MODEL: &str = "byte x; chan q = [2] of { byte, bit }; \
     active proctype P() { do :: x < 2 -> q!x,1; x++ :: else -> break od } \
     active proctype Q() { byte v; do :: q?v,_ -> assert(v < 2) :: timeout -> break od } ltl p { <> (x == 2) }";

/// A folder with a model and its certificate.
fn prepared(model: &str, line: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), model).expect("a model");
    let (code, said) = run(folder.path(), &format!("check m.pml --no-trail --certificate c {line}"));
    assert!(code < 2, "{said}");
    folder
}

fn prepared_again(folder: &tempfile::TempDir, line: &str) {
    let (code, said) = run(folder.path(), &format!("check m.pml --no-trail --certificate c {line}"));
    assert!(code < 2, "{said}");
}

fn another_model_is_refused() -> Result<(), Failed> {
    let folder = prepared(MODEL, "--no-claims");
    std::fs::write(folder.path().join("n.pml"), MODEL.replace("v < 2", "v < 3"))?;
    let (code, said) = run(folder.path(), "certify n.pml c");
    assert!(code == 2 && said.contains("a certificate of another model: of `m.pml`"), "{said}");
    // The fingerprint is not what it rests upon.
    std::fs::write(folder.path().join("n.pml"), MODEL.replace("x < 2", "x < 3"))?;
    let certificate = decode(&std::fs::read(folder.path().join("c"))?).map_err(|damage| damage.to_string())?;
    let refusal = check(&definition(&MODEL.replace("x < 2", "x < 3")), &certificate).expect_err("another model");
    assert_eq!(refusal.what, "a move leads to a state that is not in it");
    Ok(())
}

fn a_changed_byte_is_refused() -> Result<(), Failed> {
    let folder = prepared(MODEL, "");
    let whole = std::fs::read(folder.path().join("c"))?;
    for at in [0, 20, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        std::fs::write(folder.path().join("d"), &damaged)?;
        let (code, said) = run(folder.path(), "certify m.pml d");
        assert!(code == 2 && said.contains("at byte "), "{at}: {code} {said}");
    }
    for end in [0, 10, whole.len() / 2, whole.len() - 1] {
        std::fs::write(folder.path().join("d"), &whole[..end])?;
        assert_eq!(run(folder.path(), "certify m.pml d").0, 2, "cut at {end}");
    }
    for (file, says) in [("none", "cannot read"), (".", "cannot read"), ("m.pml", "does not begin")] {
        let (code, said) = run(folder.path(), &format!("certify m.pml {file}"));
        assert!(code == 2 && said.contains(says), "{file}: {said}");
    }
    Ok(())
}

/// Whatever number is changed behind the checksums, the checker has an answer; and a state that is not the model's is not believed
/// where it replaces one that is.
fn changed_numbers_are_refused() -> Result<(), Failed> {
    let folder = prepared(MODEL, "--no-claims --full");
    let certificate = decode(&std::fs::read(folder.path().join("c"))?).map_err(|damage| damage.to_string())?;
    let definition = definition(MODEL);
    let Some(Section { evidence: Evidence::Holds(table), .. }) = certificate.sections.first() else {
        return Err("no states".into());
    };
    let mut refused = 0;
    for part in 0..table.processes.len() {
        for change in [(1, 0, 0), (0, 1, 0), (0, 0, 1)] {
            let changed = with_table(&certificate, 0, |mut table| {
                table.processes = table
                    .processes
                    .iter()
                    .enumerate()
                    .map(|(number, process)| {
                        let mut process = process.clone();
                        if number == part {
                            process.place += change.0;
                            process.priority += change.1;
                            process.locals.iter_mut().for_each(|local| *local += change.2);
                        }
                        process
                    })
                    .collect();
                table
            });
            refused += usize::from(check(&definition, &changed).is_err());
        }
    }
    // P has no variables: a change of them is none.
    let without = table.processes.iter().filter(|process| process.locals.is_empty()).count();
    assert_eq!(refused, 3 * table.processes.len() - without);
    Ok(())
}

/// A counterexample must be one, and a property that does not hold has no other certificate.
fn lies_are_refused() -> Result<(), Failed> {
    let broken = MODEL.replace("v < 2", "v < 1");
    let folder = prepared(&broken, "--no-claims");
    let read = |name: &str| decode(&std::fs::read(folder.path().join(name)).expect("a file")).expect("a certificate");
    let trail = read("c");
    assert!(matches!(trail.sections[0].evidence, Evidence::Broken(..)));
    let (good, bad) = (definition(MODEL), definition(&broken));
    assert!(check(&bad, &trail).is_ok_and(|proved| !proved[0].holds));
    assert!(check(&good, &trail).is_err());
    // All states of the model, with the assertion unchecked; then the same file says that it was checked.
    run(folder.path(), "check m.pml --no-trail --no-claims --no-assertions --certificate d");
    let mut states = read("d");
    assert!(check(&bad, &states).is_ok_and(|proved| proved[0].holds));
    states.sections[0].checked.assertions = true;
    let refusal = check(&bad, &states).expect_err("an assertion fails");
    assert!(refusal.what == "an assertion failed" && refusal.state.is_some(), "{refusal:?}");
    std::fs::write(folder.path().join("d"), encode(&states))?;
    let (code, said) = run(folder.path(), "certify m.pml d");
    assert!(code == 2 && said.contains("an assertion failed at m.pml:1"), "{said}");
    Ok(())
}

/// For a formula the certificate has the states of the system, so the same states prove another formula, and disprove a third.
fn formulas_are_judged_by_the_checker() -> Result<(), Failed> {
    let text = format!("{MODEL} ltl q {{ [] (x < 3) }} ltl r {{ [] (x < 2) }}");
    let folder = prepared(&text, "--property p");
    let mut certificate = decode(&std::fs::read(folder.path().join("c"))?).map_err(|damage| damage.to_string())?;
    let definition = definition(&text);
    assert!(check(&definition, &certificate).is_ok());
    for (name, holds) in [("q", true), ("r", false), ("s", false)] {
        certificate.sections[0].checked.subject = pv::certificate::Subject::Formula(name.into());
        assert_eq!(check(&definition, &certificate).is_ok(), holds, "{name}");
    }
    Ok(())
}

/// Formulas are followed from left to right in every state, behind an `X` as well. Where one has no value nothing is known of it.
fn formulas_without_a_value() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let settles = "active proctype P() { x = 1; do :: x = 3 - x od }";
    let both = "active proctype P() { x = 1; y = 1; do :: x = 3 - x od }";
    let unclear = "the formula p: cannot be evaluated in every state";
    for (formula, body, code, says) in [
        ("(<> (x == 1)) || (X (5/y > 1))", settles, 0, "the formula p: no error"),
        ("(X (x == 1)) || (X (5/y > 1))", both, 0, "the formula p: no error"),
        ("(X (5/y > 1)) || (X (x == 1))", both, 1, unclear),
        ("(X (5/y > 1)) || (<> (x == 2))", settles, 1, unclear),
    ] {
        let model = format!("byte x, y; ltl p {{ {formula} }} {body}\n");
        let (found, text) = said(folder, &model, "--full")?;
        if found != code || !text.contains(says) {
            return Err(format!("{formula}: {found} {text}").into());
        }
        if code == 0 {
            // The states of a proof as a counterexample: there is none.
            let honest = decode(&std::fs::read(folder.join("c"))?).map_err(|damage| damage.to_string())?;
            let mut lie = honest.clone();
            let Evidence::Holds(table) = &honest.sections[0].evidence else { return Err("no proof".into()) };
            let error = Error { kind: ErrorKind::Property, message: String::new() };
            lie.sections[0].evidence = Evidence::Broken(error, table.clone());
            assert!(check(&definition(&model), &honest).is_ok());
            assert!(check(&definition(&model), &lie).is_err(), "{formula}");
        }
    }
    Ok(())
}

fn what_cannot_be_certified_is_refused_by_name() -> Result<(), Failed> {
    let folder = prepared(MODEL, "");
    std::fs::write(folder.path().join("h.pml"), "hidden byte h; active proctype P() { h = 1 }")?;
    for (line, says) in [
        ("check h.pml --certificate d", "the hidden variable h"),
        ("check m.pml --certificate d --por", "--certificate with --por"),
        ("check m.pml --certificate d --cache 500", "--certificate with a store that forgets"),
        ("check m.pml --certificate none/d", "the certificate cannot be written to none/d"),
        ("check m.pml --certificate .", "the certificate cannot be written to ."),
    ] {
        let (code, said) = run(folder.path(), line);
        assert!(code == 2 && said.contains(says) && !folder.path().join("d").exists(), "{line}: {code} {said}");
    }
    let (code, said) = run(folder.path(), "check m.pml --no-claims --certificate d --memory 1");
    assert!(code == 3 && !folder.path().join("d").exists(), "{code} {said}");
    Ok(())
}

/// What `pv certify` says after a check with these options.
fn said(folder: &Path, model: &str, options: &str) -> Result<(i32, String), Failed> {
    std::fs::write(folder.join("m.pml"), model)?;
    let checked = command(folder, &format!("check m.pml --no-trail --quiet --certificate c {options}")).output()?;
    let output = command(folder, "certify m.pml c").output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if text.is_empty() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{options}: {text} {}", String::from_utf8_lossy(&checked.stderr)).into());
    }
    Ok((output.status.code().unwrap_or(-1), text))
}

/// Whoever reads the answer learns what was judged, and what was not.
fn the_answer_says_what_was_judged() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let same =
        |options: &str, model: &str, code: i32, text: &str| match said(folder, model, &format!("--full {options}"))? {
            found if found == (code, text.to_string()) => Ok::<(), Failed>(()),
            (found, said) => Err(format!("{options}: exit {found}\n{said}instead of exit {code}\n{text}").into()),
        };
    let fails = "byte x; active proctype P() { x = 1; assert(x == 2); x = 3; (x == 7) }\n";
    same(
        "--no-assertions --no-end-states",
        fails,
        0,
        "certified: run-time errors: no error in 4 states; not judged: assertions, end states\n",
    )?;
    same("--no-assertions", fails, 1, "certified: an invalid end state, shown by 4 states\n")?;
    same("", fails, 1, "certified: an assertion is violated, shown by 3 states\n")?;
    let queue = "chan q = [1] of { byte }; active proctype P() { q!1 }\n";
    same("", queue, 0, "certified: assertions, run-time errors and end states: no error in 3 states\n")?;
    same(
        "--strict-channels",
        queue,
        1,
        "certified: an invalid end state (channels must be empty, too), shown by 3 states\n",
    )?;
    let starved = "bit z; byte y; active proctype P() { do :: z = 1 - z od } active proctype Q() { y = 1 }\nltl p { <> (y == 1) }\n";
    let not = "not judged: assertions, run-time errors, end states";
    same(
        "--fair",
        starved,
        0,
        &format!("certified: the formula p on weakly fair runs: no error in 6 states; {not}\n"),
    )?;
    same("", starved, 1, "certified: the formula p: violated, shown by 2 states\n")?;
    // An assertion that fails is no matter of the formula, which is proved beside it.
    let beside = "byte x; active proctype P() { x = 1; assert(x == 2); x = 3 }\nltl p { [] (x < 5) }\n";
    let holds = format!("certified: the formula p: no error in 5 states; {not}\n");
    same("", beside, 1, &format!("{holds}certified: an assertion is violated, shown by 3 states\n"))?;
    // A search that was asked for one property says nothing of the others, nor does a certificate that somebody took a section out of.
    let both = "byte x; active proctype P() { x = 1; x = 3 }\nltl p { [] (x < 5) }\nltl q { [] (x < 2) }\nltl r { [] (x < 4) }\n";
    let holds = |name: &str| format!("certified: the formula {name}: no error in 4 states; {not}\n");
    let left = |names: &str| format!("not part of this certificate: {names}\n");
    let (one, others) = (holds("p"), left("the formula q and the formula r"));
    same("--property p", both, 0, &format!("{one}{others}"))?;
    let violated = "certified: the formula q: violated, shown by 4 states\n";
    same("", both, 1, &format!("{one}{violated}{}", holds("r")))?;
    let mut lie = decode(&std::fs::read(folder.join("c"))?).map_err(|damage| damage.to_string())?;
    lie.sections.remove(1);
    std::fs::write(folder.join("c"), encode(&lie))?;
    let output = command(folder, "certify m.pml c").output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if said != format!("{one}{}{}", holds("r"), left("the formula q")) {
        return Err(said.into());
    }
    Ok(())
}

/// The certificate of a search that leaves dead variables open names them, and somebody reads none of them.
fn what_is_left_open_is_named_and_not_read() -> Result<(), Failed> {
    let text = "byte g, unread; chan q = [2] of { byte, byte };\n\
                active proctype P() { byte i, j; if :: i = 3 :: i = 4 fi; unread = i; q!3,i; j = i; i = 0; if :: j == 3 -> g = 1 :: else -> g = 2 fi; j = 1; g = 3 }\n\
                active proctype Q() { byte v, w; q?v,w; g = v; w = 7; assert(g < 9) }\n";
    let folder = prepared(text, "--no-claims");
    let read = || decode(&std::fs::read(folder.path().join("c")).expect("a file")).expect("a certificate");
    let (open, definition) = (read(), definition(text));
    let (code, said) = said(folder.path(), text, "--no-claims")?;
    assert!(code == 0 && said.contains("what nobody reads is left open"), "{said}");
    let table = tables(&open.sections[0]).clone();
    assert!(
        !table.open.places.is_empty() && table.open.globals == [1] && table.open.fields == [(0, 1)],
        "{:?}",
        table.open
    );
    prepared_again(&folder, "--no-claims --full");
    let full = read();
    assert!(tables(&full.sections[0]).open.is_empty() && tables(&full.sections[0]).len() > table.len());
    // The states of the full search prove nothing where more is open than they know of, nor do the others where less is.
    assert!(check(&definition, &full).is_ok());
    let less = with_table(&open, 0, |mut table| {
        table.open = Open::default();
        table
    });
    assert!(check(&definition, &less).is_err());
    // Whatever else is called open is asked for by somebody: every variable, at every place, and every field.
    let mut lies = 0;
    let bodies = open.names.bodies.iter().zip(0..);
    for (body, number) in bodies {
        for local in 0..body.locals.len() as u32 {
            let places: Vec<_> =
                table.processes.iter().filter(|one| one.body == number).map(|one| (one.body, one.place)).collect();
            for (body, place) in places {
                lies += lie(&definition, &open, |table| {
                    let known = table.open.places.iter_mut().find(|at| (at.body, at.place) == (body, place));
                    match known {
                        Some(at) if at.locals.contains(&local) => return false,
                        Some(at) => at.locals.push(local),
                        None => table.open.places.push(OpenAt { body, place, locals: vec![local], globals: vec![] }),
                    }
                    true
                })?;
            }
        }
    }
    lies += lie(&definition, &open, |table| {
        table.open.globals.push(0);
        true
    })?;
    lies += lie(&definition, &open, |table| {
        table.open.fields.push((0, 0));
        true
    })?;
    assert!(lies > 5, "{lies}");
    Ok(())
}

/// What is left open may decide which part of an expression is evaluated: then no part of it may fail with the values that are there.
fn an_error_behind_an_open_value_is_not_hidden() -> Result<(), Failed> {
    let model = |value: &str| {
        format!("int d = 1; int z = 0; int x;\nactive proctype P() {{ d = 0; z = 1; x = (z -> {value} : 0) }}\n")
    };
    let folder = prepared(&model("5"), "--full");
    let honest = decode(&std::fs::read(folder.path().join("c"))?).map_err(|what| format!("{what:?}"))?;
    let global = |name: &str| honest.names.globals.iter().position(|known| known == name).unwrap_or(9) as u32;
    let open = [global("z"), global("x")];
    let lie = lie(&definition(&model("5/d")), &honest, |table| {
        table.open.globals.extend(open);
        true
    })?;
    assert_eq!(lie, 1);
    // That it is a timeout is no error, whoever reads it.
    let timeout = "byte x; byte y;\nactive proctype P() { do :: x = y + timeout :: y = (y+1)%3 od }\n";
    assert_eq!(said(folder.path(), timeout, "")?.0, 0);
    Ok(())
}

/// A cycle that counts what nobody reads closes only without it: that is no counterexample for the checker.
fn a_cycle_that_does_not_close_is_not_certified() -> Result<(), Failed> {
    let folder = prepared(MODEL, "");
    std::fs::write(folder.path().join("n.pml"), "int n; active proctype P() { accept: do :: n++ od }")?;
    let output = command(folder.path(), "check n.pml --no-trail --certificate d").output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("no certificate was written: the cycle counts"), "{said}");
    assert_eq!(output.status.code(), Some(1));
    assert!(!folder.path().join("d").exists());
    Ok(())
}

/// However the model is given, the file is about it: with `-D`, from standard input, with several properties.
fn every_way_to_give_a_model() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let folder = folder.path();
    let text = "#ifndef N\n#define N 2\n#endif\nbyte x; active proctype P() { do :: x < N -> x++ :: else -> break od }\n\
                ltl small { [] (x <= N) }\nltl ends { <> (x == N) }\nltl no { [] (x < N) }\n";
    std::fs::write(folder.join("m.pml"), text)?;
    let piped = |line: &str| -> Result<(i32, String), Failed> {
        let mut command = command(folder, line);
        let mut child = command.stdin(std::process::Stdio::piped()).spawn()?;
        std::io::Write::write_all(&mut child.stdin.take().ok_or("no input")?, text.as_bytes())?;
        let output = child.wait_with_output()?;
        let told = [output.stdout, output.stderr].concat();
        Ok((output.status.code().unwrap_or(-1), String::from_utf8_lossy(&told).into_owned()))
    };
    assert_eq!(run(folder, "check m.pml -D N=3 --no-trail --certificate c").0, 1);
    let all = decode(&std::fs::read(folder.join("c"))?).map_err(|damage| damage.to_string())?;
    assert_eq!(all.sections.len(), 3);
    let (code, told) = said(folder, text, "")?;
    assert!(code == 1 && told.lines().count() == 3, "{told}");
    run(folder, "check m.pml -D N=3 --no-trail --property small --certificate c");
    for (line, wanted) in [("-D N=3", 0), ("", 2), ("-D N=2", 2), ("-D N=4", 2)] {
        let (code, told) = run(folder, &format!("certify m.pml c {line}"));
        assert_eq!(code, wanted, "{line}: {told}");
    }
    assert_eq!(piped("check - --no-trail --property ends --certificate d")?.0, 0);
    let (code, told) = piped("certify - d")?;
    assert!(code == 0 && told.starts_with("certified: the formula ends: no error"), "{told}");
    assert_eq!(run(folder, "certify m.pml d").0, 0);
    Ok(())
}

/// Changes what the first section leaves open: 1 if the change is one, and is refused; an error if it is believed.
fn lie(
    definition: &Definition,
    honest: &Certificate,
    change: impl FnOnce(&mut Table) -> bool,
) -> Result<usize, Failed> {
    let mut changes = false;
    let lie = with_table(honest, 0, |mut table| {
        changes = change(&mut table);
        table
    });
    match check(definition, &lie) {
        _ if !changes => Ok(0),
        Err(_) => Ok(1),
        // A variable that is 0 and stays so may be called open where the next step writes it.
        Ok(_) => Err(format!("believed: {:?}", tables(&lie.sections[0]).open).into()),
    }
}

/// A file that says that more was judged than the checker judges is refused.
fn a_file_that_claims_too_much_is_refused() -> Result<(), Failed> {
    let text = "byte x; active proctype P() { x = 1; assert(x == 2); x = 3; (x == 7) }\nltl p { [] (x < 5) }\n";
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("m.pml"), text)?;
    run(folder.path(), "check m.pml --no-trail --quiet --property p --no-assertions --certificate c");
    let honest = decode(&std::fs::read(folder.path().join("c"))?).map_err(|damage| damage.to_string())?;
    let definition = definition(text);
    check(&definition, &honest).map_err(|refusal| refusal.what)?;
    let changed = |change: fn(&mut Checked)| {
        let mut lie = honest.clone();
        change(&mut lie.sections[0].checked);
        check(&definition, &lie).is_err()
    };
    assert!(changed(|checked| checked.assertions = true));
    assert!(changed(|checked| checked.ends = Ends::Judged));
    let mut other = honest.clone();
    if let Evidence::Holds(table) = &honest.sections[0].evidence {
        let error = Error { kind: ErrorKind::Assertion, message: String::new() };
        other.sections[0].evidence = Evidence::Broken(error, table.clone());
    }
    let refusal = check(&definition, &other).expect_err("an assertion is no matter of the formula");
    assert!(refusal.what.contains("of another kind"), "{}", refusal.what);
    Ok(())
}

/// Neither the model nor any other file that is no certificate is written over.
fn other_files_are_not_written_over() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "byte x; active proctype P() { x = 1; assert(x == 2) }\n";
    std::fs::write(folder.path().join("m.pml"), text)?;
    for line in ["--certificate m.pml", "--certificate c --trail c", "--trail m.pml"] {
        assert_eq!(run(folder.path(), &format!("check m.pml {line}")).0, 2, "{line}");
        assert_eq!(std::fs::read_to_string(folder.path().join("m.pml"))?, text, "{line}");
    }
    assert_eq!(run(folder.path(), "check m.pml --certificate c").0, 1);
    assert_eq!(run(folder.path(), "check m.pml --certificate c").0, 1);
    assert_eq!(run(folder.path(), "certify m.pml c").0, 1);
    Ok(())
}

/// What is written down for a certificate counts in the budget, whatever states are like.
#[cfg(target_os = "linux")]
fn a_certificate_counts_in_the_budget() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let text = "chan q = [200] of { int, int };\nproctype P() { int a[300]; int i;\n  do :: nfull(q) -> a[i % 300] = i; q!i,i; i++ :: nempty(q) -> q?_,_ od }\n\
                init { run P() }\n";
    std::fs::write(folder.path().join("m.pml"), text)?;
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pv"));
    command.current_dir(folder.path()).args("check m.pml --full --quiet --memory 64M --certificate c".split(' '));
    let child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn()?;
    let (code, peak) = common::peak_memory(child);
    assert_eq!(code, Some(3));
    assert!(peak > 10_000 && peak <= 64 << 10, "{peak} KiB");
    Ok(())
}

fn main() {
    let mut trials = common::trials(of_model);
    for path in common::models("tests/corpus/liveness") {
        let name = format!("liveness/{}", path.file_stem().unwrap_or_default().to_string_lossy());
        trials.push(Trial::test(name, move || of_model(&path)));
    }
    trials.extend([
        Trial::test("another_model_is_refused", another_model_is_refused),
        Trial::test("a_changed_byte_is_refused", a_changed_byte_is_refused),
        Trial::test("changed_numbers_are_refused", changed_numbers_are_refused),
        Trial::test("lies_are_refused", lies_are_refused),
        Trial::test("what_is_left_open_is_named_and_not_read", what_is_left_open_is_named_and_not_read),
        Trial::test("an_error_behind_an_open_value_is_not_hidden", an_error_behind_an_open_value_is_not_hidden),
        Trial::test("every_way_to_give_a_model", every_way_to_give_a_model),
        Trial::test("a_cycle_that_does_not_close_is_not_certified", a_cycle_that_does_not_close_is_not_certified),
        Trial::test("the_answer_says_what_was_judged", the_answer_says_what_was_judged),
        Trial::test("a_file_that_claims_too_much_is_refused", a_file_that_claims_too_much_is_refused),
        Trial::test("other_files_are_not_written_over", other_files_are_not_written_over),
        #[cfg(target_os = "linux")]
        Trial::test("a_certificate_counts_in_the_budget", a_certificate_counts_in_the_budget),
        Trial::test("formulas_are_judged_by_the_checker", formulas_are_judged_by_the_checker),
        Trial::test("formulas_without_a_value", formulas_without_a_value),
        Trial::test("what_cannot_be_certified_is_refused_by_name", what_cannot_be_certified_is_refused_by_name),
    ]);
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
