//! Stores that keep a few bits of a state, with the probability that they take a new state for a visited one.

pub mod bloom;
pub mod compact;
pub mod omission;
