//! Linear temporal logic: formulas, their text, and their translation to small Büchi automata.
//!
//! The idea: a system violates a property exactly when one of its runs satisfies the property's negation (Vardi and Wolper, LICS
//! 1986). The negation is turned into an automaton that accepts those runs, and the search looks for a run of the product. Each
//! state of the automaton can double the work of the search, so most of the code here makes it small:
//!
//! 1. [`mod@parse`] reads a formula ([`foreign`] knows how other tools would write it); atoms keep the text of their Promela expression, formulas know them as numbers.
//! 2. `rewrite` brings it into negation normal form and simplifies (Somenzi and Bloem, CAV 2000; Etessami and Holzmann, CONCUR 2000).
//! 3. `alternating` makes a generalised automaton with marks on transitions (Gastin and Oddoux, CAV 2001).
//! 4. `tgba` and `simulation` reduce it: components, marks, simulation in both directions.
//! 5. `degeneralise` makes accepting states of marks, and step 4 is done again; [`buchi`] tries a few choices and keeps the smallest.
//! 6. [`mod@print`] writes a never claim or DOT.
//!
//! When sound: every step keeps the set of accepted infinite words exactly; no step relies on stuttering. So the automaton of a
//! formula with `X` is right too, but the search may use partial-order reduction only for formulas without it
//! ([`Formula::is_stutter_invariant_syntactically`]). The tests compare automata with an evaluator of formulas on ultimately
//! periodic words that is written from the definition and shares no code with the translation.

mod alternating;
pub mod buchi;
mod degeneralise;
pub mod foreign;
pub mod formula;
pub mod guard;
mod implication;
mod lex;
pub mod parse;
pub mod print;
mod rewrite;
mod simulation;
#[cfg(test)]
mod tests;
mod tgba;

pub use buchi::{Buchi, BuchiState, TranslateError, translate};
pub use formula::Formula;
pub use guard::{Cube, Guard};
pub use parse::{ParseError, Parsed, parse, parse_inline};
