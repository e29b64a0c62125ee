//! Layout of whole texts, and what must hold for any text: the same tokens, and nothing to do the second time.

use super::*;
use proptest::prelude::*;

#[track_caller]
fn gives(text: &str, expected: &str) {
    let formatted = format_source(text).unwrap();
    assert_eq!(formatted, expected, "\n{formatted}");
    assert_eq!(format_source(&formatted).unwrap(), formatted);
}

#[test]
fn the_long_arrow_stays() {
    gives(
        "init{if::x-->x=1::else-->if::y fi fi}",
        "\
init {
    if
        :: x --> x = 1
        :: else -->
           if
               :: y
           fi
    fi
}
",
    );
}

#[test]
fn what_if_0_takes_out_is_any_text() {
    let text = "byte x;\n#if 0\n\n  it isn't code (at\n   all {\n# ifdef X\n don't\n# endif\n#else\nbyte y;\n#endif\nbyte z;\n";
    gives(text, text);
    gives("#if 0 /* old */\n'\n#endif\nbyte   x;", "#if 0 /* old */\n'\n#endif\nbyte x;\n");
    // Of other branches nobody knows here whether they are taken.
    let other = "#ifdef NOTES\nthis isn't code\n#endif\nbyte z;\n";
    let once = format_source(other).unwrap();
    assert_eq!(format_source(&once).unwrap(), once);
    assert!(once.contains("'t code\n"), "{once}");
    assert!(format_source("byte x; isn't\n").is_err());
}

#[test]
fn one_statement_a_line() {
    gives(
        "init{byte x=1,y;x=x+1;do::x<3->x++;y=2::else->break od}",
        "\
init {
    byte x = 1, y;
    x = x + 1;
    do
        :: x < 3 -> x++;
           y = 2
        :: else -> break
    od
}
",
    );
}

#[test]
fn blocks_labels_and_choices() {
    gives(
        "active proctype P()\n{\nend: if\n:: q?x ->\n   atomic { a=1 } unless { b }; skip\n:: L: timeout -> if :: a fi fi;\n\
         {} x=1 }\n\n\n\nnever { accept: skip }",
        "\
active proctype P() {
end:
    if
        :: q?x ->
           atomic {
               a = 1
           } unless {
               b
           };
           skip
        :: L: timeout ->
           if
               :: a
           fi
    fi;
    {}
    x = 1
}

never {
accept:
    skip
}
",
    );
}

#[test]
fn spacing_of_operators() {
    gives(
        "x=-1*(a+-b);x = ! a&&~ c;q ! x , - y;q!!m ( 1 );q ? [ a ];q ?? < b,_ >;y = (c->a [1] : b);x --;s . f=P [ 2 ]@ L;\
         r = P[1]:v; z = a<-1; w = a! =b",
        "\
x = -1 * (a + -b);
x = !a && ~c;
q!x, -y;
q!!m(1);
q?[a];
q??<b, _>;
y = (c -> a[1] : b);
x--;
s.f = P[2]@L;
r = P[1]:v;
z = a < -1;
w = a! = b
",
    );
    gives("a - - b; c ! ! d; e ? ? f", "a - -b;\nc! !d;\ne? ? f\n");
    gives("ltl p{[]<>! a&&(b U !c)}", "ltl p { [] <> !a && (b U !c) }\n");
    gives("for(i:1..N){select(j : 0..3)}", "for (i : 1 .. N) {\n    select (j : 0 .. 3)\n}\n");
}

#[test]
fn declarations() {
    gives(
        "mtype={A,B,\n  C}\nmtype:f={D}; typedef T{byte a[2];bool b}\nchan q=[2]of{byte,T};unsigned u:3=1;\
         active[2]proctype P(byte a;int b)provided(a>0){skip}",
        "\
mtype = { A, B,
    C }
mtype:f = { D };
typedef T {
    byte a[2];
    bool b
}
chan q = [2] of { byte, T };
unsigned u : 3 = 1;
active [2] proctype P(byte a; int b) provided (a > 0) {
    skip
}
",
    );
}

#[test]
fn comments_stay_with_their_token() {
    gives(
        "/* head\n * lines\n */\nbyte x; // one\nbyte longer; /* two */\ninit { // three\n      /* four\n  * star */\n  x=1 /* five */;\n\
         \n\n // six\n x = /* seven */ 2 // eight\n /* nine */ }",
        "\
/* head
 * lines
 */
byte x;      // one
byte longer; /* two */
init { // three
    /* four
     * star */
    x = 1 /* five */;

    // six
    x = /* seven */ 2 // eight
    /* nine */
}
",
    );
    gives(
        "do // c\n:: a // d\n// e\n:: b /* f */ -> // g\n c\n// h\nod",
        "do // c\n    :: a // d\n    // e\n    :: b /* f */ -> // g\n       c\n    // h\nod\n"
            .replace("    // h", "       // h")
            .as_str(),
    );
}

#[test]
fn directives_are_kept() {
    gives(
        "  #define M(a,b)  a  + \\\n      b\n#if X\ninit {\n#else\nactive proctype P() {\n#endif\nx=M(1,2)\n}\n",
        "\
#define M(a,b)  a  + \\
      b
#if X
init {
#else
active proctype P() {
#endif
    x = M(1, 2)
}
",
    );
    // The blanks of an argument that becomes a string are part of the model.
    gives("#define S(x) #x\nprintf( S(a  b) )", "#define S(x) #x\nprintf(S(a  b))\n");
    gives("c_code{ a  =1 ;}; x=1", "c_code{ a  =1 ;};\nx = 1\n");
}

#[test]
fn statements_of_macros_need_no_semicolon() {
    gives("init {\nSEND(a)\nSEND(b)\nx = a +\nb\n}", "init {\n    SEND(a)\n    SEND(b)\n    x = a +\n        b\n}\n");
}

/// A line end behind something that can end a statement is a `;` to SPIN.
#[test]
fn line_ends_that_separate_are_kept() {
    gives(
        "init {\nx\n{ y }\natomic\n{ z }\n}",
        "init {\n    x\n    {\n        y\n    }\n    atomic {\n        z\n    }\n}\n",
    );
    gives("init\n{ for (i : 1 .. 2)\n{ skip } }", "init {\n    for (i : 1 .. 2) {\n        skip\n    }\n}\n");
}

#[test]
fn refuses_what_is_not_closed() {
    assert_eq!(format_source("a /* b").unwrap_err().range, 2..4);
    assert_eq!(format_source("a 'b").unwrap_err().range, 2..3);
    assert!(format_source("ab\\\ncd").is_err());
}

#[test]
fn odd_texts_end() {
    assert_eq!(format_source("").unwrap(), "");
    assert_eq!(format_source("\n \n").unwrap(), "");
    let deep = format!("{}{}", "{".repeat(20_000), "(".repeat(20_000));
    assert!(format_source(&deep).unwrap().len() < 20_000 * 200);
    let conditions = format!("{}{}", "{".repeat(5_000), "\n#if 1\n".repeat(5_000));
    assert!(format_source(&conditions).is_ok());
}

const PARTS: [&str; 74] = [
    "x",
    "y",
    "12",
    "\"s\"",
    "'c'",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ";",
    "->",
    "::",
    ":",
    ",",
    ".",
    "..",
    "!",
    "?",
    "!!",
    "??",
    "<",
    ">",
    "-",
    "+",
    "++",
    "--",
    "=",
    "==",
    "&&",
    "/\\",
    "\\/",
    "@",
    "[]",
    "<>",
    "~",
    "if",
    "fi",
    "do",
    "od",
    "atomic",
    "unless",
    "else",
    "ltl",
    "mtype",
    "of",
    "for",
    "proctype",
    "init",
    "byte",
    "L:",
    "c_code",
    "U",
    "/* b */",
    "/* b\n * c\n */",
    "/*d\n e*/",
    "// l\n",
    "// m \\ \n",
    "\n",
    "\n",
    "\n\n\n",
    " ",
    "\t",
    "\n#if A\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define F(x) x \\\n  y\n",
    "\n  # define G /* c\n d */ z\n",
    "\\\n",
    "F(a  b)",
    "$",
    "\r\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formatting_again_changes_nothing(parts in proptest::collection::vec(proptest::sample::select(&PARTS[..]), 0..60),
                                        blanks in any::<u64>()) {
        let text: String = parts
            .iter()
            .enumerate()
            .flat_map(|(index, part)| [*part, if blanks >> (index % 64) & 1 == 1 { " " } else { "" }])
            .collect();
        if let Ok(formatted) = format_source(&text) {
            prop_assert_eq!(first_difference(&text, &formatted), None);
            let again = format_source(&formatted);
            prop_assert_eq!(again.as_deref(), Ok(formatted.as_str()));
        }
    }

    #[test]
    fn never_panics(text in "\\PC{0,120}") {
        let _ = format_source(&text);
    }
}

/// What stands behind a `#` that is no directive would become one on a line of its own.
#[test]
fn a_hash_behind_a_brace_is_refused() {
    let text = "typedef T { byte a }#else\ninit { skip }\n";
    assert!(format_source(text).is_err());
    assert!(format_source("#ifdef A\nbyte a;\n#else\nbyte b;\n#endif\ninit { skip }\n").is_ok());
}
