//! Several processes as one: who belongs together, how they find and trust each other, and how frames of bytes go between them.
//!
//! This room knows nothing of searches. [`hosts`] says where the processes are, [`handshake`] makes sure that a connection leads to a
//! process of the same run, [`join`] connects every process with every other, and [`mesh`] carries frames ([`wire`]) until somebody is
//! gone. The search that uses it is in `search::explore::spread`.
//!
//! Sockets of our own and no library for dataflow: see `docs/cluster.md` for the reason.

pub mod handshake;
pub mod hosts;
pub mod join;
pub mod mesh;
pub mod wire;

pub use mesh::{Arrival, Mesh, Traffic};
pub use wire::Frame;

/// Why processes do not come, or do not stay, together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The command lines, the models or the tokens do not go together, or a file or an address is wrong.
    Wrong(String),
    /// A process is gone, or has not come.
    Gone(String),
    /// Ctrl-C or SIGTERM.
    Interrupted,
}
