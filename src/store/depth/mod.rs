//! Stores for depth-first search that never err: one that keeps every state, and a cache that forgets states which are not
//! on the stack.

pub mod cache;
pub mod exact;
pub mod replace;
