//! The front end up to the tree: every model of the repository is read, printed and read back to the same tree, and
//! no text whatever makes it panic.

use proptest::prelude::*;
use pv::source::SourceMap;
use pv::source::diagnostic::{Diagnostic, Severity};
use pv::source::preprocess::{PreprocessOptions, preprocess};
use pv::syntax::tree::{Item, Unit};
use pv::syntax::{parse, print, same_tree};
use std::path::{Path, PathBuf};

fn read(text: &str, path: Option<PathBuf>) -> (Option<Unit>, Vec<Diagnostic>, SourceMap) {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let file = map.add_file("model".to_owned(), path, text.to_owned());
    let tokens = preprocess(&mut map, file, &PreprocessOptions::default(), &mut diagnostics);
    let unit = parse(&mut map, tokens, &mut diagnostics);
    (unit, diagnostics, map)
}

fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

fn models() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("examples"), root.join("tests/corpus")];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a folder entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "pml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn printed_models_read_back_to_the_same_tree() {
    let mut count = 0;
    for path in models() {
        let name = path.file_name().expect("a file name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a readable model");
        let (unit, diagnostics, map) = read(&text, Some(path.clone()));
        let messages = pv::source::render::render(&map, &diagnostics, false);
        // What SPIN refuses is refused here or when names and types are looked at.
        let refused = text.contains("expect: refused") || name.starts_with("empty_");
        if refused && errors(&diagnostics) > 0 {
            continue;
        }
        assert_eq!(errors(&diagnostics), 0, "{}:\n{messages}", path.display());
        let unit = unit.expect("a tree");
        let printed = print::unit(&unit);
        let (again, diagnostics, map) = read(&printed, None);
        let messages = pv::source::render::render(&map, &diagnostics, false);
        assert_eq!(errors(&diagnostics), 0, "{} printed:\n{messages}", path.display());
        let again = again.expect("a tree");
        assert!(same_tree(&unit, &again), "{} has another tree when printed:\n{printed}", path.display());
        assert_eq!(print::unit(&again), printed, "{}", path.display());
        count += 1;
    }
    assert!(count > 100, "only {count} models found");
}

fn parses(text: &str) -> bool {
    errors(&read(text, None).1) == 0
}

/// Each pair was tried with SPIN 6.5.2.
#[test]
fn separators_are_those_of_spin() {
    let good = [
        "init { int x\nx = 1\nif\n:: x == 1 -> x = 2\n:: else -> skip\nfi\nx = 2\n}",
        "init { int x; {x=1}\n unless { skip } }",
        "init { int x; x=1;;;;x=2 }",
        "init { int x; }",
        "int x int y; init { skip }",
        "init { int x; if :: else x = 1 fi }",
        "init { int x; x = (1 --> 2 : 3); x==4 --> x=2 }",
        "typedef T { byte x; byte y;; int z; } init { skip }",
        "typedef T { byte x, y\n int z }\n init { skip }",
        "init { byte x; { skip } { skip } if :: true fi }",
        "init { byte x; atomic\n{ skip } }",
        "init { int x; x = 1 -> ; }",
        "init { int x; if :: x -> fi }",
        "int x; proctype P() { skip }; ; ; init { skip };",
        "mtype = { a b, c } mtype { d }; mtype:x = { e, f }; mtype:x y = e; init { skip }",
        "byte a[3]; init { int i; for (i in a) { skip } for (i : 1 .. 3)\n { skip } ; for (i : 1 .. 2) { skip; } }",
        "inline f(a,b) { a = b }\ninit { byte x; f(x, 2) f(x, 3)\n f(x,4); if :: f(x,2) fi }",
        "inline f(a) { if fi ::: }\nint x; init { x = 1 }",
    ];
    for text in good {
        assert!(parses(text), "refused: {text}");
    }
    let bad = [
        "chan a = [1] of {byte}, b = [1] of {byte}; init { skip }",
        "init { int x; x = 1\n + 2 }",
        "init { int x; (x==0)\n unless { skip } }",
        "init { }",
        "init { ;skip }",
        "init { int x; if :: x==0 fi x = 1 }",
        "proctype P(byte x;) { skip } init { run P() }",
        "proctype P(byte x, byte y) { skip } init { skip }",
        "typedef T { byte x int z }\n init { skip }",
        "init { int a[2\n]; skip }",
        "init { int x; if :: fi }",
    ];
    for text in bad {
        assert!(!parses(text), "accepted: {text}");
    }
}

#[test]
fn statements_are_shown_as_spin_shows_them() {
    let cases = [
        ("x++", "x = (x+1)"),
        ("x = -y", "x = -(y)"),
        ("x = (x + y) * 3 - 2 / y % 4", "x = (((x+y)*3)-((2/y)%4))"),
        ("b = x == 1 && y != 2 || x < 3", "b = (((x==1)&&(y!=2))||(x<3))"),
        ("x = (b -> 1 : y + 2)", "x = ( (b) -> (1) : ((y+2)) )"),
        ("ts[1].x[2] = a[t.y]", "ts[1].x[2] = a[t.y]"),
        ("q!red(1, 2)", "q!red,1,2"),
        ("q!!red, x, y + 1", "q!!red,x,(y+1)"),
        ("q??red, eval(x), _", "q??red,eval(x),_"),
        ("q?<m, -1, y>", "q?<m,-1,y>"),
        ("q??[m, _, eval(x)] && !q?[m, x, 1]", "((q??[m,_,eval(x)]&&!(q?[m,x,1])))"),
        ("x == 1", "((x==1))"),
        ("skip", "(1)"),
        ("empty(q)", "(empty(q))"),
        ("run P(x + 1)", "(run P((x+1)))"),
        ("assert(x == 1)", "assert((x==1))"),
        ("P[1]@L", "((P[1]._p==L))"),
        ("x = P[1]:loc", "x = P[1].loc"),
        ("set_priority(0, 3)", "set_priority(0, 3)"),
    ];
    for (text, shown) in cases {
        let model = format!("proctype P() {{ skip }} init {{ {text} }}");
        let (unit, diagnostics, map) = read(&model, None);
        assert_eq!(errors(&diagnostics), 0, "{}", pv::source::render::render(&map, &diagnostics, false));
        let unit = unit.expect("a tree");
        let pv::syntax::tree::Item::Proctype(init) = &unit.items[1] else { panic!("no init") };
        let pv::syntax::tree::Step::Statement(statement) = &init.body.steps[0] else { panic!("no statement") };
        assert_eq!(pv::syntax::short::statement(statement), shown);
    }
}

#[test]
fn formulas_bind_as_in_spin() {
    let cases = [
        ("[] a && b U c -> X d || !e", "(([] a) && (b U c)) -> ((X d) || (!e))"),
        ("a -> b -> c", "(a -> b) -> c"),
        ("a U b U c", "(a U b) U c"),
        ("[] a U b", "([] a) U b"),
        ("a W b || c V d", "(a W b) || (c V d)"),
        ("a U !b U c && d U e", "((a U (!b)) U c) && (d U e)"),
        ("always a implies eventually b until c", "([] a) -> ((<> b) U c)"),
        ("a == b U c", "(a == b) U c"),
        ("a <-> b -> c", "(a <-> b) -> c"),
    ];
    for (text, meant) in cases {
        let tree = |formula: &str| read(&format!("ltl p {{ {formula} }}"), None).0.expect("a tree");
        assert!(same_tree(&tree(text), &tree(meant)), "{text} is not {meant}");
    }
}

#[test]
fn deep_and_long_text_is_refused_not_fatal() {
    let many = |open: &str, close: &str| format!("init {{ {}1{} }}", open.repeat(100_000), close.repeat(100_000));
    for text in [
        many("(", ")"),
        many("(", ""),
        many("{", "}"),
        many("if :: ", " fi"),
        many("-", ""),
        many("!", ""),
        many("x[", "]"),
        format!("init {{ x = 1{} }}", " + 1".repeat(100_000)),
        format!("ltl p {{ {}a }}", "[] ".repeat(100_000)),
        format!("ltl p {{ a{} }}", " U a".repeat(100_000)),
    ] {
        let (unit, mut diagnostics, map) = read(&text, None);
        // What is wrong with a formula stays with it.
        for item in unit.iter().flat_map(|unit| &unit.items) {
            if let Item::Ltl(ltl) = item {
                diagnostics.extend(ltl.faults.iter().cloned());
            }
        }
        assert!(errors(&diagnostics) > 0, "{}", &text[..60]);
        assert!(errors(&diagnostics) < 60);
        drop(map);
    }
    // As long as the limit allows.
    let (unit, diagnostics, _) = read(&format!("init {{ x = 1{} }}", " + 1".repeat(9_000)), None);
    assert_eq!(errors(&diagnostics), 0);
    let unit = unit.expect("a tree");
    let (again, ..) = read(&print::unit(&unit), None);
    assert!(same_tree(&unit, &again.expect("a tree")));
}

#[test]
fn inlines_that_double_are_stopped() {
    let mut text = String::from("inline f0() { skip }\n");
    for index in 1..40 {
        text.push_str(&format!("inline f{index}() {{ f{0}(); f{0}() }}\n", index - 1));
    }
    text.push_str("init { f39() }");
    assert!(errors(&read(&text, None).1) > 0);
}

const WORDS: &[&str] = &[
    "active",
    "proctype",
    "P",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "->",
    "::",
    ":",
    ",",
    ".",
    "..",
    "@",
    "=",
    "++",
    "!",
    "?",
    "??",
    "!!",
    "||",
    "&&",
    "==",
    "<",
    ">",
    "+",
    "-",
    "*",
    "if",
    "fi",
    "do",
    "od",
    "goto",
    "break",
    "else",
    "x",
    "y",
    "q",
    "L",
    "1",
    "2",
    "skip",
    "init",
    "never",
    "ltl",
    "[]",
    "<>",
    "U",
    "typedef",
    "T",
    "byte",
    "chan",
    "mtype",
    "of",
    "inline",
    "f",
    "run",
    "atomic",
    "d_step",
    "unless",
    "for",
    "in",
    "select",
    "printf",
    "\"s\"",
    "assert",
    "eval",
    "timeout",
    "len",
    "full",
    "c_code",
    "return",
    "xr",
    "hidden",
    "unsigned",
    "provided",
    "priority",
    "\n",
    "$",
    "'a'",
    "trace",
    "#define A x",
    "A",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn random_words_never_panic(words in prop::collection::vec(prop::sample::select(WORDS), 0..120)) {
        let text = words.join(" ");
        let (_, diagnostics, map) = read(&text, None);
        pv::source::render::render(&map, &diagnostics, false);
    }

    #[test]
    fn random_text_never_panics(text in "\\PC{0,200}") {
        let (_, diagnostics, map) = read(&text, None);
        pv::source::render::render(&map, &diagnostics, false);
    }

    #[test]
    fn mutated_models_never_panic(pick in any::<prop::sample::Index>(), edits in prop::collection::vec(
        (any::<prop::sample::Index>(), 0..3u8, prop::sample::select(WORDS)), 1..8)) {
        let models = models();
        let path = &models[pick.index(models.len())];
        let text = std::fs::read_to_string(path).expect("a readable model");
        let mut pieces: Vec<String> = text.split_inclusive([' ', '\n', ';', '(', ')', '{', '}']).map(str::to_owned).collect();
        for (place, what, word) in edits {
            if pieces.is_empty() {
                break;
            }
            let at = place.index(pieces.len());
            match what {
                0 => { pieces.remove(at); }
                1 => pieces.insert(at, format!("{word} ")),
                _ => pieces[at] = format!("{word} "),
            }
        }
        let (unit, diagnostics, map) = read(&pieces.concat(), None);
        pv::source::render::render(&map, &diagnostics, false);
        if errors(&diagnostics) == 0 {
            let unit = unit.expect("a tree without errors");
            let (again, ..) = read(&print::unit(&unit), None);
            prop_assert!(same_tree(&unit, &again.expect("a tree")));
        }
    }
}
