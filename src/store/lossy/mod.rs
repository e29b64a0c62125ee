//! Stores that keep a few bits of a state and may take a new state for a visited one, with the probability of that.

pub mod bloom;
pub mod compact;
pub mod omission;
