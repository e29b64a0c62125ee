//! Stores for depth-first search that never err. `exact` keeps every state as it is, `tree` keeps it compressed, `whole` is one of the two
//! and may go over from the first to the second. `cache` forgets states which are not on the stack.

pub mod cache;
pub mod exact;
pub mod replace;
pub mod tree;
pub mod whole;
