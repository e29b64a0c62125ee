//! Codes and lints: what `pv explain` shows as wrong is told of with its code and no other, what it shows as right is not told
//! of at all, and neither are the examples. Every lint has more models here that it must be silent about.

use pv::lint::explain::{explain, explanation, list, page};
use pv::lint::{lint, settle};
use pv::load::front;
use pv::source::SourceMap;
use pv::source::code::Code;
use pv::source::preprocess::PreprocessOptions;
use std::collections::BTreeSet;
use std::path::Path;

fn codes_of_file(map: &mut SourceMap, file: pv::source::FileId) -> Vec<(Code, String)> {
    let mut diagnostics = Vec::new();
    let read = front(map, file, None, &PreprocessOptions::default(), &mut diagnostics, &|| None);
    if let Some((unit, model)) = read {
        lint(map, &unit, &mut diagnostics);
        diagnostics.extend(model.broken.into_iter().flat_map(|formula| formula.diagnostics));
    }
    settle(map, &mut diagnostics);
    let place = |diagnostic: &pv::source::diagnostic::Diagnostic| {
        format!("{}: {}", map.place(diagnostic.primary.span), diagnostic.message)
    };
    diagnostics.iter().map(|diagnostic| (diagnostic.code.expect("a code"), place(diagnostic))).collect()
}

/// The codes that a text is told of, without those of a text that is only there to be looked at by one rule.
fn codes(text: &str) -> Vec<Code> {
    let mut map = SourceMap::new();
    let file = map.add_file("m.pml".into(), None, text.into());
    codes_of_file(&mut map, file).into_iter().map(|(code, _)| code).collect()
}

#[track_caller]
fn fires(code: Code, text: &str) {
    let found: BTreeSet<Code> = codes(text).into_iter().collect();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [code], "{text}");
}

#[track_caller]
fn silent(text: &str) {
    assert_eq!(codes(text), [], "{text}");
}

#[test]
fn every_code_is_explained_by_models_that_show_it() {
    for &code in Code::ALL {
        let shown = explanation(code);
        assert!(!shown.text.is_empty() && explain(code).starts_with(code.text()));
        assert_eq!(Code::named(code.text()), Some(code));
        assert!(list().contains(code.text()));
        if code == Code::NotUtf8 {
            let (mut map, mut diagnostics) = (SourceMap::new(), Vec::new());
            map.add_bytes("m.pml".into(), None, b"init { skip } // \xff\n".to_vec(), &mut diagnostics);
            assert_eq!(diagnostics.len(), 1);
            assert_eq!(diagnostics[0].code, Some(code));
            continue;
        }
        let wrong: BTreeSet<Code> = codes(shown.wrong).into_iter().collect();
        assert_eq!(wrong.into_iter().collect::<Vec<_>>(), [code], "the wrong model of {code}:\n{}", shown.wrong);
        assert_eq!(codes(shown.right), [], "the right model of {code}:\n{}", shown.right);
    }
}

/// `PV_BLESS=1` writes the page anew.
#[test]
fn the_page_is_what_is_explained() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/lints.md");
    if std::env::var_os("PV_BLESS").is_some() {
        std::fs::write(&path, page()).expect("a writable folder");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n"), page());
}

#[test]
fn examples_are_silent() {
    let mut wrong = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")];
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the examples").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "pml") {
                looked_at += 1;
                let mut map = SourceMap::new();
                let file = map.read_model(&entry, &mut Vec::new()).expect("a readable example");
                wrong.extend(codes_of_file(&mut map, file).into_iter().map(|(code, place)| format!("{code}: {place}")));
            }
        }
    }
    assert!(looked_at > 20);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cut_off() {
    for text in [
        "byte x; init { x = 256; assert(x == 0) }",
        "bit b; init { b = 2; assert(b == 0) }",
        "unsigned u : 3; init { u = 8; assert(u == 0) }",
        "byte x = -1; init { assert(x == 255) }",
        "byte a[2] = { 1, 300 }; init { assert(a[1] == 44) }",
        "chan q = [1] of { byte }; init { q!256; q?_ }",
        "proctype P(byte n) { assert(n == 0) } init { run P(256) }",
        "typedef T { byte f }; T t; init { t.f = 999; assert(t.f > 0) }",
        "byte i; init { for (i : 0 .. 255) { skip } }",
        "byte i; init { for (i : 0 .. 255) { do :: i == 9 -> break :: else -> skip od } }",
        "byte i; init { for (i : 0 .. 255) { if :: i == 9 -> goto next :: else fi; next: skip } }",
        "#define MOST 256\nbyte x; init { x = MOST; assert(x == 0) }",
    ] {
        fires(Code::CutOff, text);
    }
    for text in [
        "byte x = 255; init { assert(x == 255) }",
        "short s = -32768; init { assert(s < 0) }",
        "int i = -1; init { assert(i < 0) }",
        "mtype = { a, b }; mtype m = a; init { assert(m == a) }",
        "bool b = true; init { assert(b) }",
        "unsigned u : 3 = 7; init { assert(u == 7) }",
        "byte i; init { for (i : 0 .. 254) { skip } }",
        "byte i; init { for (i : 0 .. 255) { if :: i == 9 -> break :: else -> skip fi } }",
        "byte i; init { for (i : 0 .. 255) { atomic { { i == 9; break } unless { false } } } }",
        "byte i; init { for (i : 0 .. 255) { do :: i == 9 -> goto out :: else -> break od }; out: skip }",
        "byte i; init { { for (i : 0 .. 255) { skip } } unless { i == 9 } }",
        "byte i; init { select (i : 0 .. 255); assert(i >= 0) }",
        "proctype P(short n) { assert(n == 256) } init { run P(256) }",
        "chan q = [1] of { short }; init { q!256; q?_ }",
    ] {
        silent(text);
    }
}

#[test]
fn assignments_as_guards() {
    // The other option compares with the same number.
    fires(Code::AssignedGuard, "byte n; init { do :: n < 5 -> n++ :: n = 5 -> break od; assert(n == 5) }");
    fires(
        Code::AssignedGuard,
        "#define N 5\nbyte n; init { do :: n != N -> n++ :: n = N -> break od; assert(n == 5) }",
    );
    silent("byte n; init { do :: n < 5 -> n++ :: n = 0 -> break od; assert(n == 0) }");
    silent("byte n; init { do :: n < 5 -> n++ :: n = 5; break od; assert(n == 5) }");
    fires(Code::AssignedGuard, "byte x; init { if :: x = 1 -> skip :: else -> x = 0 fi; assert(x < 2) }");
    fires(Code::AssignedGuard, "byte x; init { do :: x == 0 -> x++ :: x = 1 -> break od; assert(x < 2) }");
    // A step that may be taken or not: a choice at random.
    silent("byte x; init { do :: x == 0 -> x++ :: x = 1; break od; assert(x < 2) }");
    // A choice at random, a reset beside a bound, and a step of a counter are what people write.
    silent("byte x; init { if :: x = 1 :: x = 2 :: x = 3 fi; assert(x > 0) }");
    silent("byte x; init { do :: x < 3 -> x++ :: x = 0 :: break od }");
    silent("byte x, y; init { do :: y == 0 -> y = 1 :: x = 1 -> break od; assert(x == 1) }");
    silent("byte x; init { do :: x == 3 -> break :: x = x + 1 od }");
}

#[test]
fn words_and_signs() {
    fires(Code::AtMost, "byte x; init { x++; do :: x =< 3 -> x++ :: else -> break od }");
    fires(Code::MisspeltKeyword, "byte x; init { do :: x < 3 -> x++ :: esle -> break od }");
    fires(Code::MisspeltKeyword, "byte x; init { do :: x < 3 -> x++ :: else -> braek od }");
    fires(Code::UnknownName, "byte count; init { do :: coutn < 3 -> count++ :: else -> break od }");
    silent("byte els; init { els = 1; if :: els == 1 -> skip :: else -> skip fi }");
}

#[test]
fn macros_as_names() {
    fires(Code::MacroAsName, "#define N 3\nproctype P(byte N) { assert(N > 0) } init { run P(1) }");
    fires(Code::MacroAsName, "#define count total\nbyte count; init { count = 1; assert(total == 1) }");
    fires(Code::MacroAsName, "#define i 0\nbyte a[3]; init { byte i; assert(a[i] == 0) }");
    silent("#define DECLARE(t, x) t x\nDECLARE(byte, count); init { count = 1; assert(count == 1) }");
    silent("#define FLAG bool flag\nFLAG; init { flag = true; assert(flag) }");
}

#[test]
fn message_fields() {
    fires(Code::MessageFields, "chan q = [1] of { byte, byte }; init { q!1; q?_, _ }");
    fires(Code::MessageFields, "chan q = [1] of { byte, byte }; init { q!1, 2; q?_ }");
    fires(Code::MessageFields, "chan q = [1] of { byte }; init { q!1, 2; q?_ }");
    silent("typedef M { byte a; byte b }; chan q = [1] of { M }; M m; init { m.a = 1; m.b = 2; q!m; q?m }");
    silent("mtype = { go }; chan q = [1] of { mtype, byte }; init { q!go, 1; q?go }");
    silent("mtype = { go }; chan q = [1] of { mtype, byte }; init { q!go(1); q?go(_) }");
}

#[test]
fn variables() {
    fires(Code::NeverRead, "byte x; init { x = 1 }");
    fires(Code::NeverRead, "byte x; init { x++ }");
    fires(Code::NeverRead, "byte x; init { skip }");
    fires(Code::NeverRead, "init { byte x = 2; x = 3 }");
    fires(Code::NeverWritten, "byte x; init { x == 0 }");
    for text in [
        "byte x; init { x = 1 } ltl p { <> (x == 1) }",
        "hidden byte x; init { x = 1 }",
        "byte _x; init { _x = 1 }",
        "chan q = [1] of { byte }; init { byte dummy; q!1; q?dummy }",
        "byte i; init { for (i : 1 .. 3) { skip } }",
        "byte a[2]; byte i; init { i = 1; a[i] = 1; assert(a[0] == 0) }",
        "active proctype P() { byte x; x = 1; end: false } never { do :: P[0]:x == 1 od }",
        // Somebody may ask for it by `--formula`, or switch a branch on.
        "#define p (x == 1)\nbyte x; init { x = 1 }",
        "#ifdef DEBUG\n#define SHOW printf(\"%d\", x)\n#endif\nbyte x; init { x = 1 }",
        "byte x;\ninline tell() { assert(x == 1) }\ninit { x = 1 }",
        "byte x = 3; init { x == 3 }",
    ] {
        silent(text);
    }
}

#[test]
fn channels() {
    fires(Code::NeverReceived, "chan q = [2] of { byte }; init { q!1; nempty(q) }");
    fires(Code::NeverSent, "chan q = [0] of { byte }; init { q?_ }");
    silent("chan q = [2] of { byte }; proctype P(chan c) { c?_ } init { q!1; run P(q) }");
    silent("chan q[2] = [2] of { byte }; init { q[0]!1; q[1]?_ }");
    silent("chan q = [2] of { byte }; chan r = [1] of { chan }; init { chan c; r!q; r?c; c!1; q?_ }");
    silent("chan q = [2] of { byte }; init { q!1; q?[1] -> q?_ }");
}

#[test]
fn labels() {
    fires(Code::UnusedLabel, "init { here: skip }");
    silent("byte x; init { endless: progress_1: accept: x = 1 - x; goto endless }");
    silent("active proctype P() { here: skip } ltl p { <> P@here }");
    silent("byte x; init { x = 1 } never { T0_init: do :: x == 0 od }");
}

#[test]
fn process_count() {
    fires(Code::ProcessCount, "init { skip } never { do :: _nr_pr < 3 od }");
    silent("init { _nr_pr == 1 }");
}

#[test]
fn comments_silence() {
    silent("byte x; /* pv: allow(never-read) */\ninit { x = 1 }");
    silent("// pv: allow(never-read, unused-label)\nbyte x;\ninit { x = 1 }");
    silent("byte x, /* pv: allow(never-read) */\n    y;\ninit { x = 1; y = 1; assert(y == 1) }");
    // Of another line, of another code, of an error.
    fires(Code::NeverRead, "// pv: allow(never-read)\n\nbyte x;\ninit { x = 1 }");
    fires(Code::NeverRead, "byte y = 1; // pv: allow(never-read)\nbyte x;\ninit { x = y }");
    fires(Code::NeverRead, "byte x; // pv: allow(cut-off)\ninit { x = 1 }");
    fires(Code::UnknownName, "init { x = 1 } // pv: allow(unknown-name)\n");
    fires(Code::UnknownCode, "init { skip } // pv: allow(all)\n");
    // Blanks are nobody's business.
    silent("byte x; // pv:allow(never-read)\ninit { x = 1 }");
    silent("byte x; /* pv:  allow ( never-read ) */\ninit { x = 1 }");
    // A comment that does nothing would be believed.
    fires(Code::UnknownCode, "init { skip } // pv: allow()\n");
    fires(Code::UnknownCode, "init { skip } // pv:allow( , )\n");
    fires(Code::UnknownCode, "init { skip } // pv:allow(");
    // One that speaks of pv is none.
    silent("init { skip } // pv: allowed, and see pv: it says so\n");
    fires(Code::UnknownCode, "init { skip } /* pv: allow(index-outside */\n");
    fires(Code::UnknownCode, "init { skip } // pv: allow(index-outside\n// (more)\n");
    fires(Code::UnknownCode, "init { skip } // pv: allow(");
}

#[test]
fn the_body_of_an_inline_is_told_of_once() {
    assert_eq!(codes("byte x; inline f() { x = 256 } init { f(); f(); assert(x == 0) }"), [Code::CutOff]);
}

fn pv(folder: &Path, line: &[&str]) -> (i32, String, String) {
    let output =
        assert_cmd::Command::cargo_bin("pv").expect("pv").current_dir(folder).args(line).output().expect("runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code().expect("a code"), text(output.stdout), text(output.stderr))
}

#[test]
fn warnings_are_told_by_check_and_not_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("m.pml"), "byte x;\ninit { x = 256; assert(x == 1) }\n").expect("written");
    let (code, _, told) = pv(folder.path(), &["check", "m.pml"]);
    assert_eq!(code, 1);
    assert!(told.contains("warning[cut-off]: 256 does not fit `x`, a byte (0 to 255)"), "{told}");
    for line in [
        &["replay", "m.pml", "m.pml.trail.json"][..],
        &["simulate", "m.pml"],
        &["stats", "m.pml"],
        &["graph", "m.pml"],
        &["fmt", "m.pml"],
        &["--quiet", "check", "m.pml"],
    ] {
        let (_, _, told) = pv(folder.path(), line);
        assert!(!told.contains("warning"), "{line:?}: {told}");
    }
    // What keeps the model from being read is told by every command.
    std::fs::write(folder.path().join("m.pml"), "init { x = 256 }\n").expect("written");
    let (code, _, told) = pv(folder.path(), &["stats", "m.pml"]);
    assert_eq!(code, 2);
    assert!(told.contains("error[unknown-name]: unknown variable `x`"), "{told}");
}

#[test]
fn codes_are_explained() {
    let here = Path::new(".");
    let (code, all, _) = pv(here, &["explain"]);
    assert_eq!((code, all.lines().count()), (0, Code::ALL.len()));
    let (code, text, _) = pv(here, &["explain", "cut-off"]);
    assert_eq!(code, 0);
    assert!(text.starts_with("cut-off: ") && text.contains("Wrong:") && text.contains("Right:"), "{text}");
    let (code, _, told) = pv(here, &["explain", "cut-of"]);
    assert_eq!(code, 2);
    assert!(told.contains("did you mean `cut-off`?"), "{told}");
}
