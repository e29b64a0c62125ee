//! Never claims and DOT.

use crate::ltl::{parse, print, translate};

fn claim(text: &str) -> String {
    let parsed = parse(text).expect(text);
    let automaton = translate(&parsed.formula).expect(text);
    print::never_claim(&automaton, text, |atom| parsed.atoms[atom as usize].clone())
}

#[test]
fn a_claim_in_the_layout_of_spin() {
    let expected = "never  {    /* ! [] (p -> <> (x > 3)) */\nT0_init:\n\tdo\n\t:: (1) -> goto T0_init\n\t:: ((p) && !(x > 3)) -> goto accept_S1\n\
                    \tod;\naccept_S1:\n\tdo\n\t:: (!(x > 3)) -> goto accept_S1\n\tod;\n}\n";
    assert_eq!(claim("! [] (p -> <> (x > 3))"), expected);
}

#[test]
fn the_state_that_accepts_everything_ends_the_claim() {
    assert!(claim("<> p").ends_with("accept_all:\n\tskip\n}\n"));
    assert!(claim("true").contains("accept_init:\n\tdo\n\t:: (1) -> goto accept_init\n"));
    assert!(claim("false").contains("T0_init:\n\tfalse;\n"));
}

#[test]
fn a_comment_cannot_be_ended_by_the_formula() {
    let text = claim("(a */ b)");
    assert_eq!(text.lines().next().map(|line| line.matches("*/").count()), Some(1));
}

#[test]
fn dot_names_every_state_and_escapes_text() {
    let parsed = parse("<> (c == \"\\\")").expect("an atom may be any text");
    let automaton = translate(&parsed.formula).expect("small");
    let dot = print::dot(&automaton, "<> \"p\"", |atom| parsed.atoms[atom as usize].clone());
    assert!(dot.contains("s1 [shape=doublecircle"));
    assert!(dot.contains("label=\"<> \\\"p\\\"\""));
    assert!(dot.contains("label=\"((c == \\\"\\\\\\\"))\""));
}
