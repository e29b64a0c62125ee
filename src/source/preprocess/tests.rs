//! What comes out for tricky files. The expected texts agree with gcc's `cpp`, except where said.

use super::*;
use crate::source::lexer::RawKind;
use proptest::prelude::*;

/// Tokens joined by blanks, and the messages.
fn run_with(text: &str, options: &PreprocessOptions) -> (String, Vec<String>) {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let root = map.add_file("model.pml".into(), None, text.into());
    let tokens = preprocess(&mut map, root, options, &mut diagnostics);
    let words: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
    (words.join(" "), diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect())
}

fn run(text: &str) -> (String, Vec<String>) {
    run_with(text, &PreprocessOptions::default())
}

#[track_caller]
fn gives(text: &str, expected: &str) {
    let (words, messages) = run(text);
    assert_eq!(messages, Vec::<String>::new());
    assert_eq!(words, expected);
}

#[track_caller]
fn says(text: &str, message: &str) {
    let (_, messages) = run(text);
    assert!(messages.iter().any(|found| found.contains(message)), "{messages:?}");
}

#[test]
fn objects_and_functions() {
    gives("#define N 3\nint x = N; Nx N", "int x = 3 ; Nx 3");
    gives("#define E\na E b", "a b");
    gives("#define f(a, b) a+b\nf(1, (2,3)) f f (4,) f(,)", "1 + ( 2 , 3 ) f 4 + +");
    gives("#define g() x\ng() g ( )", "x x");
    gives("#define one(x) [x]\none() one( )", "[ ] [ ]");
    gives("#define A B\n#define B 1\n#undef A\nA B", "A 1");
    gives("#define lp (\n#define f(x) <x>\nf lp 1)", "f ( 1 )");
    gives("#define F(x) x\nF(\n1 +\n2)\n;", "1 + 2 ;");
    gives("\"N\" 'N'\n#define N 1\n\"N\" 'N' \"a\\\"N\"", "\"N\" 'N' \"N\" 'N' \"a\\\"N\"");
}

#[test]
fn paint_stops_recursion() {
    gives("#define x x + 1\nx", "x + 1");
    gives("#define a b\n#define b a\na b", "a b");
    gives("#define f(x) f(x + 1)\nf(f(2))", "f ( f ( 2 + 1 ) + 1 )");
    gives("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)", "2 * 9 * g");
    gives("#define foo() bar\n#define bar foo()\nfoo() bar", "foo ( ) bar");
    gives("#define NIL(xxx) xxx\n#define G_0(arg) NIL(G_1)(arg)\n#define G_1(arg) NIL(arg)\nG_0(42)", "42");
    gives("#define f(x) x f\nf(1)(2)(3)", "1 f ( 2 ) ( 3 )");
    // The example of the C standard, 6.10.3.5.
    gives(
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
         #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n\
         f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);",
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ; \
         f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;",
    );
}

#[test]
fn strings_and_pastes() {
    gives(
        "#define s(x) #x\ns( a  +\n b ) s(\"q\\n\") s('\"') s() s(@)",
        "\"a + b\" \"\\\"q\\\\n\\\"\" \"'\\\"'\" \"\" \"@\"",
    );
    gives("#define s(x) #x\n#define t(x) s(x)\n#define N 4\ns(N) t(N)", "\"N\" \"4\"");
    gives("#define c(a,b) a##b\n#define N 1\n#define xN 7\nc(x,N) c(,N) c(x,) c(,) c(+,+)", "7 1 x ++");
    gives("#define c(a) p ## a ## _q = a\n#define v 5\nc(v);", "pv_q = 5 ;");
    gives("#define hash #\n#define o a ## b\nhash o", "# ab");
}

#[test]
fn variadic() {
    gives("#define f(...) <__VA_ARGS__>\nf() f(1) f(1, 2)", "< > < 1 > < 1 , 2 >");
    gives(
        "#define p(f, ...) printf(f, ## __VA_ARGS__)\np(a) p(a,) p(a, b, c)",
        "printf ( a ) printf ( a , ) printf ( a , b , c )",
    );
    gives("#define p(f, r...) q(f, r) #r\np(1, 2, 3)", "q ( 1 , 2 , 3 ) \"2, 3\"");
}

#[test]
fn conditions() {
    let pick = |condition: &str| run(&format!("#if {condition}\nyes\n#else\nno\n#endif"));
    for yes in [
        "1",
        "defined __LINE__",
        "!defined(X) && !defined X",
        "2 + 3 * 4 == 14",
        "(1 ? 2 : 3) == 2",
        "-1 < 0",
        "-1 > 0u",
        "1 << 3 == 8",
        "'a' == 97",
        "'\\n' == 10",
        "0x10 == 16 && 010 == 8",
        "7 / 2 == 3 && -7 % 3 == -1",
        "1 || 1/0",
        "X == 0",
        "~0 == -1",
        "!!3 == 1",
        "5 & 4 && 1 ^ 0 | 0",
        "0 ? 1/0 : 1",
        "1000000000000 > 1",
        "0xffffffffffffffff > 0",
        "10UL == 10",
    ] {
        assert_eq!(pick(yes), ("yes".into(), vec![]), "{yes}");
    }
    for (wrong, message) in [
        ("1/0", "division by zero"),
        ("", "without a condition"),
        ("1 +", "ends too early"),
        ("(1", "expected `)`"),
        ("1 2", "expected an operator"),
        ("\"s\"", "expected a number"),
        ("12ab", "not an integer"),
        ("defined 3", "followed by a name"),
    ] {
        let (words, messages) = pick(wrong);
        assert_eq!(words, "no", "{wrong}");
        assert!(messages[0].contains(message), "{wrong}: {messages:?}");
    }
    gives("#define f(x) x\n#define D defined(N)\n#define N\n#if f(1) && D\na\n#endif", "a");
    gives("#if 0\na\n#if 1\nb\n#else\nc\n#endif\n#elif 1\nd\n#elif 1/0\ne\n#else\nf\n#endif\ng", "d g");
    gives("#ifdef X\na ' \" #foo\n#endif\n#ifndef X\nb\n#endif", "b");
    gives("#if 0 /* x\n */\na\n#endif // y\nb", "b");
}

#[test]
fn mistakes() {
    says("#if 1\na", "never closed");
    says("#endif", "`#endif` without `#if`");
    says("#else", "`#else` without `#if`");
    says("#if 1\n#else\n#else\n#endif", "`#else` behind `#else`");
    says("#define N 1\n#define N 2", "defined again");
    says("#define f(x x", "malformed");
    says("#define f(x", "not closed");
    says("#define f(x,x) x", "named twice");
    says("#define f(x) #y", "in front of a parameter");
    says("#define f ## x", "at an end");
    says("#define 3", "must be a word");
    says("#define defined", "must be a word");
    says("#define f(x) x\nf(1", "not closed");
    says("#define f(x) x\nf(1,2)", "wants 1 argument, here 2 are given");
    says("#define f(x,y) x\nf()", "wants 2 arguments, here 0 are given");
    says("#define c(a,b) a##b\nc(+,x)", "cannot make one token of `+` and `x`");
    says("#include \"nowhere.h\"", "cannot find `nowhere.h`");
    says("#include nothing", "without a file name");
    says("#error no  good", "#error no  good");
    says("#warning hm", "#warning hm");
    says("#defin X", "unknown directive `#defin`");
    says("a /* b", "never closed");
    says("#define N 4\nfor (i : 1..N)", "`N` is not expanded here");
    says(&"#endif\n".repeat(1000), "too many errors");
    gives("#define N 1\n#define N 1\n#define f( a ) a\n#define f(a) a\n#define f( a )   a\nN", "1");
    gives("#pragma once\n#line 3\n# 12 \"x.pml\"\n#\n#ident \"x\"\na", "a");
    gives("#define N 4\nfor (i : 1 .. N) (0..3)", "for ( i : 1 .. 4 ) ( 0 .. 3 )");
}

#[test]
fn lines() {
    gives("#define f(a) a + \\\n  1\nf(2) \\\n;", "2 + 1 ;");
    gives("#def\\\nine N 3\nN ab\\\ncd", "3 abcd");
    gives("__LINE__\n\n__LINE__ __FILE__", "1 3 \"model.pml\"");
    gives("#define L __LINE__\n#define f(x) x L\n\nf(\n0)", "0 4");
    gives("x /* a\n */ # define\n/* b */ # define N 2\nN", "x # define 2");
    gives("#define f(x) x\nf(1\n#define Q 2\n+ Q)", "1 + 2");
    gives("\u{feff}#define N 1\r\nN\r\n", "1");
}

#[test]
fn the_command_line_defines() {
    let options = PreprocessOptions {
        defines: vec![("N".into(), "3".into()), ("F(x)".into(), "x+x".into()), ("E".into(), String::new())],
        include_dirs: vec![],
    };
    assert_eq!(run_with("N F(y) E", &options), ("3 y + y".into(), vec![]));
    let (words, messages) = run_with("#define N 4\nN", &options);
    assert_eq!((words.as_str(), messages.len()), ("4", 1));
    let bad = PreprocessOptions { defines: vec![("3".into(), "4".into())], include_dirs: vec![] };
    assert_eq!(run_with("a", &bad).1, ["a macro's name must be a word"]);
}

#[test]
fn bombs_end() {
    let doubling: String = (1..60).map(|i| format!("#define x{i} x{0} x{0}\n", i - 1)).collect();
    says(&format!("{doubling}x59"), "too much text");
    let calls: String = (1..60).map(|i| format!("#define f{i}(a) f{0}(a) f{0}(a)\n", i - 1)).collect();
    says(&format!("{calls}f59(1)"), "too much text");
    let pastes: String = (1..60).map(|i| format!("#define p{i}(a) p{}(a##a)\n", i - 1)).collect();
    says(&format!("{pastes}p59(a)"), "too long");
    says(&format!("#define f(x) x\n{}1{}", "f(".repeat(1000), ")".repeat(1000)), "nested too deeply");
    says(&format!("#define f(x) x\n{}1{}", "f(".repeat(100_000), ")".repeat(100_000)), "too");
    says(&format!("#define f(x) x\n{}", "f(".repeat(100_000)), "not closed");
    says(&format!("#if {}\n#endif", "(".repeat(100_000)), "nested too deeply");
    says(&format!("#if {}1\n#endif", "!".repeat(100_000)), "nested too deeply");
    gives(&format!("{}{}", "#if 1\n".repeat(100_000), "#endif\n".repeat(100_000)), "");
    let chain: String = (1..20_000).map(|i| format!("#define c{i} c{}\n", i - 1)).collect();
    gives(&format!("{chain}c19999"), "c0");
}

#[test]
fn includes() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir(at("sub")).unwrap();
    std::fs::create_dir(at("lib")).unwrap();
    for (name, text) in [
        ("main.pml", "#include \"sub/a.h\"\n#include <l.h>\n#define H \"sub/a.h\"\n#include H\nend"),
        ("sub/a.h", "a\n#include \"b.h\"\n#include \"l.h\"\n"),
        ("sub/b.h", "#ifndef B\n#define B\nb\n#endif"),
        ("lib/l.h", "#pragma once\nl"),
        ("round.pml", "#include \"other.pml\"\n"),
        ("other.pml", "#include \"round.pml\"\n"),
        ("self.pml", "#include \"self.pml\"\n#include \"self.pml\"\n"),
        ("open.pml", "#include \"if.h\"\n#endif"),
        ("if.h", "#if 1"),
    ] {
        std::fs::write(at(name), text).unwrap();
    }
    let options = PreprocessOptions { defines: vec![], include_dirs: vec![at("lib")] };
    let read = |name: &str| {
        let mut map = SourceMap::new();
        let mut diagnostics = Vec::new();
        let root = map.read_file(&at(name), &mut diagnostics).unwrap();
        let tokens = preprocess(&mut map, root, &options, &mut diagnostics);
        let words: Vec<&str> = tokens.iter().map(|token| &*token.text).collect();
        let messages: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
        (words.join(" "), messages)
    };
    assert_eq!(read("main.pml"), ("a b l a end".into(), vec![]));
    assert_eq!(read("round.pml").1, ["files include each other without end"]);
    assert_eq!(read("self.pml").1, ["files include each other without end"]);
    assert_eq!(read("open.pml").1, ["this condition is never closed", "`#endif` without `#if`"]);
}

#[test]
fn odd_bytes_are_read_and_reported() {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let latin = map.add_bytes("l".into(), None, b"/* \xfc */ x".to_vec(), &mut diagnostics);
    assert_eq!(diagnostics.pop().map(|d| d.severity), Some(Severity::Warning));
    assert_eq!(preprocess(&mut map, latin, &PreprocessOptions::default(), &mut diagnostics).len(), 1);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("bytes");
    for (bytes, message) in [(&b"a\0b"[..], "not a text file"), (b"\x01\x02\x03", "not a text file")] {
        std::fs::write(&path, bytes).unwrap();
        assert!(map.read_file(&path, &mut diagnostics).unwrap_err().to_string().ends_with(message));
    }
    let missing = map.read_file(&directory.path().join("missing"), &mut diagnostics).unwrap_err().to_string();
    assert!(missing.ends_with("missing`: No such file or directory"), "{missing}");
}

#[test]
fn places_survive() {
    let mut map = SourceMap::new();
    let mut diagnostics = Vec::new();
    let text = "#define ADD(a) a + one\n#define one 1\n\nx = ADD(y);\n";
    let root = map.add_file("m".into(), None, text.into());
    let tokens = preprocess(&mut map, root, &PreprocessOptions::default(), &mut diagnostics);
    let texts: Vec<&str> = tokens.iter().map(|t| &*t.text).collect();
    assert_eq!(texts, ["x", "=", "y", "+", "1", ";"]);
    let written = |index: usize| {
        let span = tokens[index].span;
        (&text[span.start as usize..span.end as usize], map.place(span).to_string())
    };
    // The argument is where it is written, the body's tokens lead to the call.
    assert_eq!(written(2), ("y", "m:4:9".into()));
    assert_eq!(written(3), ("+", "m:4:5".into()));
    assert_eq!(written(4), ("1", "m:4:5".into()));
    let inner = map.expansion(tokens[4].span.expansion).unwrap();
    assert_eq!(&*inner.name, "one");
    let outer = map.expansion(inner.call.expansion).unwrap();
    assert_eq!((&*outer.name, &text[outer.call.start as usize..outer.call.end as usize]), ("ADD", "ADD(y)"));
    assert_eq!(tokens[3].kind, RawKind::Operator);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn never_panics_on_random_text(text in "\\PC{0,200}") {
        run(&text);
    }

    /// Words that mean something to a preprocessor, thrown together.
    #[test]
    fn never_panics_on_likely_text(parts in proptest::collection::vec(proptest::sample::select(vec![
        "#", "define", "f", "g", "x", "(", ")", ",", "\n", "\n#define f(x) ", "\n#define g ", "##", "if ", "else",
        "endif", "elif ", "undef ", "include ", "\"a\"", "'", "\"", "\\\n", "1", "0", "+", "/*", "*/", "//", "...",
        "__VA_ARGS__", "defined", " ", "<", ">", "?", ":", "__LINE__", "1..", "\n#if ", "\n#endif\n", "~", "/",
    ]), 0..120)) {
        run(&parts.concat());
    }
}
