//! Lints: what is right by the rules of the language and probably not what was meant. Each has a [`Code`](crate::source::code::Code), a text in
//! [`explain`], and can be silenced by a comment (`allow`).
//!
//! A lint must not fire on a good model: it is better for it to miss a fault than to cry wolf. So every rule that says
//! "never" looks at all the text, also at macros that nobody uses, inlines that nobody calls and branches of `#if` that are
//! left out: a name that stands there is left alone (`rules`).

pub mod allow;
pub mod explain;
mod rules;

pub use rules::described;

use crate::names::Names;
use crate::source::SourceMap;
use crate::source::diagnostic::Diagnostic;
use crate::syntax::tree::Unit;

/// Adds what the lints find in a unit.
pub fn lint(map: &SourceMap, unit: &Unit, diagnostics: &mut Vec<Diagnostic>) {
    rules::run(map, unit, &Names::of(unit), diagnostics);
}

/// Takes the warnings away that a comment silences, and warns of comments that name no code.
pub fn settle(map: &SourceMap, diagnostics: &mut Vec<Diagnostic>) {
    let mut allowed = allow::Allowed::of(map);
    diagnostics.append(&mut allowed.unknown);
    diagnostics.retain(|diagnostic| !allowed.silences(map, diagnostic));
}
