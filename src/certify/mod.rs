//! The reference executor: Promela once more, written for reading.
//!
//! It gives a model its meaning from the syntax tree alone, with values in plain structures, and shares nothing with the
//! executor, the reductions and the searches that pv checks models with. So it is a second voice: a slip in the
//! code of either shows as a different number of states, error or verdict. It is no second reading of the language: where SPIN's
//! manual is silent both follow the same notes, and agreement there says little. It is as slow as it likes; a few hundred
//! thousand states are its measure.
//!
//! [`names`] says what names stand for, [`control`] where control can be, [`state`] what a state is, [`run`] what statements and
//! expressions do, [`moves`] who can move and where that leads, [`graph`] what follows for the whole model,
//! [`check`] whether a certificate proves what it says.

pub mod check;
pub mod control;
pub mod cycles;
pub mod definition;
pub mod fault;
pub mod formula;
pub mod graph;
pub mod moves;
pub mod names;
pub mod run;
pub mod state;
mod visit;

use crate::source::preprocess::{PreprocessOptions, preprocess};
use crate::source::{FileId, SourceMap};
use definition::Definition;
use names::{Read, unclear};

/// Reads a file of the map. The front end has to have accepted it: here an error is only said to be one.
pub fn read(map: &mut SourceMap, file: FileId, options: &PreprocessOptions) -> Read<Definition> {
    let mut diagnostics = Vec::new();
    let tokens = preprocess(map, file, options, &mut diagnostics);
    match crate::syntax::parse(map, tokens, &mut diagnostics) {
        Some(unit) => Definition::of(&unit),
        None => unclear("the text is no model"),
    }
}
