//! A model in the browser: a run as plain data for the page ([`tell`]), the page itself ([`page`]), why a statement cannot go
//! ([`why`]), whose turn it is ([`turn`]), the tree of runs that a user makes ([`session`]), expressions that are watched
//! ([`watch`]), the way to a nearest state where one holds ([`reach`]), the server ([`server`]).
//!
//! Steps are executed and named by [`crate::report::recorder`], as in replay and simulation; what can go is said by
//! [`crate::search::walk::possible`]. Nothing here knows what a statement does. The same page shows a run that is kept in
//! a file (`pv replay --html`) and one that a server goes on with (`pv explore`). The page writes every text of the model as text,
//! and loads nothing from anywhere.

pub(crate) mod page;
pub(crate) mod reach;
pub(crate) mod server;
pub(crate) mod session;
pub(crate) mod tell;
pub(crate) mod turn;
pub(crate) mod watch;
pub(crate) mod why;
