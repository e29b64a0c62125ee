//! Stores for depth-first search that never err: one keeps every state, the other is a cache that forgets states which are
//! not on the stack.

pub mod cache;
pub mod exact;
pub mod replace;
