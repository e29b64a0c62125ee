//! What a reduction may leave out, decided from the model and the state: footprints, dependence, persistent sets.
//!
//! | file | what |
//! |---|---|
//! | `flow` | what holds in every state: variables that are never written, channels that a variable may hold |
//! | `block` | the shape of the automata: sources of transitions, what an atomic block holds |
//! | `footprint`, `collect`, `offers` | what each move reads, writes and tests; `collect` builds the footprints |
//! | `relate`, `dependence` | `relate` compares two footprints, `dependence` keeps the answers in bit matrices |
//! | `enabling` | why a transition may be blocked, and what could end that |
//! | `pairs`, `persistent`, `stubborn` | `persistent` closes a set over whole processes, `stubborn` over single moves, both from the rows of `pairs` |
//! | `reach` | what can be reached from a location |
//! | `visible`, `loops`, `counters` | what a property can see of a move; moves that every endless run has to make |
//! | `stutter` | whether a claim can tell a run from one that stutters |
//! | `claims` | the channel claims `xr` and `xs` |
//! | `symmetry` | whether the model can see pids |
//! | `machine` | the executor's state as the analysis sees it |

pub mod block;
pub mod claims;
pub mod collect;
pub mod counters;
pub mod dependence;
pub mod enabling;
pub mod flow;
pub mod footprint;
pub mod loops;
mod machine;
mod offers;
pub mod pairs;
pub mod persistent;
pub mod reach;
pub mod relate;
pub mod statics;
pub mod stubborn;
pub mod stutter;
pub mod symmetry;
pub mod visible;

use crate::model::visit;

pub use dependence::{Dependence, Move, Part, StateView};

#[cfg(test)]
mod tests;
