//! Stores for depth-first search that never err. `exact` keeps every state as it is, `tree` keeps it compressed, `whole` is one of the two
//! and may go over from the first to the second (`mover`). `cache` forgets states which are not on the stack; `replace` says which
//! (`chances`: what it would cost), `revisits` when it gives up.

pub mod cache;
mod chances;
pub mod exact;
pub(in crate::store) mod mover;
pub mod replace;
mod revisits;
pub mod tree;
pub mod whole;
