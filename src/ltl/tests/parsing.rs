//! Formula text: grouping, spellings, atoms, errors.

use crate::ltl::{Parsed, parse, parse_inline};

fn shown(parsed: &Parsed) -> String {
    let atom = |number: u32| parsed.atoms[number as usize].clone();
    parsed.formula.display(atom).to_string()
}

fn read(text: &str) -> String {
    shown(&parse(text).expect(text))
}

fn read_inline(text: &str) -> String {
    shown(&parse_inline(text).expect(text))
}

fn atoms(text: &str) -> Vec<String> {
    parse(text).expect(text).atoms
}

#[test]
fn groups_as_spin_does_on_its_command_line() {
    assert_eq!(read("a || b && c"), "(a || b) && c");
    assert_eq!(read("a -> b -> c"), "(a -> b) -> c");
    assert_eq!(read("a <-> b -> c"), "(a <-> b) -> c");
    assert_eq!(read("a U b U c"), "(a U b) U c");
    assert_eq!(read("a V b U c"), "(a V b) U c");
    assert_eq!(read("a U b -> c"), "(a U b) -> c");
    assert_eq!(read("! a U b"), "!a U b");
    assert_eq!(read("[] a U b"), "[] a U b");
    assert_eq!(read("[] <> a && b"), "[] <> a && b");
}

#[test]
fn groups_as_spin_does_in_a_model() {
    assert_eq!(read_inline("a || b && c"), "a || (b && c)");
    assert_eq!(read_inline("a -> b || c"), "a -> (b || c)");
    assert_eq!(read_inline("a -> b -> c"), "(a -> b) -> c");
    assert_eq!(read_inline("a && b U c"), "a && (b U c)");
    assert_eq!(read_inline("[] a U b"), "[] a U b");
}

#[test]
fn both_spellings() {
    let long = "always eventually a implies (b until c equivalent not d weakuntil e) && (X a release next true)";
    let short = "[] <> a -> (b U c <-> ! d W e) && (X a V X true)";
    assert_eq!(read(long), read(short));
    assert_eq!(read("a stronguntil false"), "a U false");
    assert_eq!(read("a /\\ b \\/ c"), "(a && b) || c");
}

#[test]
fn atoms_keep_their_text() {
    assert_eq!(atoms("[] (x > 3)"), ["x > 3"]);
    assert_eq!(atoms("[] (((x > 3))) && (x > 3)"), ["x > 3"]);
    assert_eq!(atoms("[] P[0]@cs -> <> len(q) > 0"), ["P[0]@cs", "len(q) > 0"]);
    assert_eq!(atoms("<> (i < N && a[i] == 1)"), ["i < N && a[i] == 1"]);
    assert_eq!(atoms("(x + 1) * 2 > 3 U main:y.z != -1"), ["(x + 1) * 2 > 3", "main:y.z != -1"]);
    assert_eq!(atoms("<> q?[ack, 1]"), ["q?[ack, 1]"]);
    assert_eq!(atoms("[] (a -> b : c)"), ["a -> b : c"]);
    assert_eq!(atoms("<> (run())"), ["run()"]);
}

#[test]
fn plain_names_are_split_and_promela_groups_them() {
    assert_eq!(read("[] (a || b && !c)"), "[] (a || (b && !c))");
    assert_eq!(read("(!(x > 3))"), "!x > 3");
    assert_eq!(atoms("(a -> b)"), ["a", "b"]);
}

#[test]
fn errors_say_where() {
    for (text, offset) in [
        ("", 0),
        ("a U", 3),
        ("a b", 2),
        ("(a U b", 0),
        ("a U b)", 5),
        ("()", 1),
        ("a && && b", 5),
        ("x[<> y]", 2),
        ("([] a) + 1", 1),
        ("é U €", 5),
        ("a )( b", 2),
    ] {
        let error = parse(text).expect_err(text);
        assert_eq!(error.offset, offset, "{text}: {error}");
    }
}

#[test]
fn deep_and_long_texts_are_refused_and_not_a_stack_overflow() {
    let many = 100_000;
    for text in [
        "(".repeat(many),
        "(".repeat(many) + "a" + &")".repeat(many),
        "!".repeat(many) + "a",
        "[]".repeat(many) + "a",
        "a U ".repeat(many) + "a",
        "(".repeat(many) + "[] a" + &")".repeat(many),
        "a[".repeat(many),
        "(a U ".repeat(many) + "a",
    ] {
        assert!(parse(&text).is_err());
        assert!(parse_inline(&text).is_err());
    }
}

#[test]
fn no_text_panics() {
    let pieces =
        ["(", ")", "[", "]", "[]", "a", "x > 3", "!", "U", "&&", "->", ":", "@", "0", "é", "q?", ",", " ", "X"];
    let mut seed = 1u64;
    for _ in 0..5_000 {
        let mut text = String::new();
        for _ in 0..8 {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            text.push_str(pieces[(seed >> 33) as usize % pieces.len()]);
        }
        if let Ok(parsed) = parse(&text) {
            // What was read can be printed and read again.
            let again = parse(&shown_in_parentheses(&parsed)).expect(&text);
            assert_eq!(again.formula.depth(), parsed.formula.depth(), "{text}");
        }
    }
}

fn shown_in_parentheses(parsed: &Parsed) -> String {
    let atom = |number: u32| format!("({})", parsed.atoms[number as usize]);
    parsed.formula.display(atom).to_string()
}
