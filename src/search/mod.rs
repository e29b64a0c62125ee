//! Searches: from a model and a store to an outcome. No search names a concrete store.
//!
//! | where | what it holds |
//! |---|---|
//! | `plan` | which search is to be run, as data, and how its parts are put together |
//! | `statics` | paths of a model that was reduced before the search, as paths of the user's model |
//! | `walk` | steps through a model, forward and back; every search is a visitor of the walk |
//! | `reduce` | which moves a search may leave out; every reduction is asked by the walk |
//! | `explore` | searches for assertions and end states: depth first, breadth first |
//! | `cycles` | searches for runs that go on for ever and break a property |
//! | `driver` | what every search does at its beginning and at its end |
//! | `ledger` | the errors that a search has found |
//! | `known` | counterexamples that are known already, and passed over |
//! | `monitor` | budgets, signals, progress |
//! | `outcome` | what a search answers |

pub mod cycles;
pub mod driver;
pub mod explore;
pub mod known;
pub mod ledger;
pub mod monitor;
pub mod outcome;
pub mod plan;
pub mod reduce;
pub mod statics;
pub mod walk;
