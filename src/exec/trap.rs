//! Run-time errors: what went wrong and in which statement.

/// What went wrong while a statement was evaluated or executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum TrapKind {
    /// `assert` failed.
    Assertion,
    /// Array index out of range.
    Index,
    /// Division or remainder by zero.
    Division,
    /// `len` and the like of an uninitialised channel.
    ChannelTest,
    /// Receive from an uninitialised channel.
    ChannelReceive,
    /// Send to an uninitialised channel.
    ChannelSend,
    /// Fewer values than the channel has fields.
    TooFewFields,
    /// More values than the channel has fields.
    TooManyFields,
    /// A `d_step` blocked after its first statement.
    BlockedStep,
    /// A rendezvous inside a `d_step`.
    RendezvousInStep,
    /// A `d_step` that does not come to its end.
    EndlessStep,
    /// More than 255 processes.
    TooManyProcesses,
    /// More than 255 channels.
    TooManyChannels,
    /// A remote reference to a process that is not there or of another type.
    NoSuchProcess,
    /// `q?<…>` or a poll of a rendezvous channel.
    PollRendezvous,
    /// A priority outside 1 to 255.
    Priority,
    /// `enabled` of the process itself.
    EnabledSelf,
    /// The event is not one that `trace` allows.
    Trace,
    /// `notrace` ran to its end.
    Notrace,
}

impl TrapKind {
    /// All kinds, by number.
    const ALL: [TrapKind; 19] = [
        TrapKind::Assertion,
        TrapKind::Index,
        TrapKind::Division,
        TrapKind::ChannelTest,
        TrapKind::ChannelReceive,
        TrapKind::ChannelSend,
        TrapKind::TooFewFields,
        TrapKind::TooManyFields,
        TrapKind::BlockedStep,
        TrapKind::RendezvousInStep,
        TrapKind::EndlessStep,
        TrapKind::TooManyProcesses,
        TrapKind::TooManyChannels,
        TrapKind::NoSuchProcess,
        TrapKind::PollRendezvous,
        TrapKind::Priority,
        TrapKind::EnabledSelf,
        TrapKind::Trace,
        TrapKind::Notrace,
    ];

    /// In words.
    pub fn message(self) -> &'static str {
        match self {
            TrapKind::Assertion => "assertion violated",
            TrapKind::Index => "array index out of range",
            TrapKind::Division => "division by zero",
            TrapKind::ChannelTest => "the channel is not initialised (in a test of its length)",
            TrapKind::ChannelReceive => "the channel is not initialised (in a receive)",
            TrapKind::ChannelSend => "the channel is not initialised (in a send)",
            TrapKind::TooFewFields => "fewer values than the channel has message fields",
            TrapKind::TooManyFields => "more values than the channel has message fields",
            TrapKind::BlockedStep => "a d_step blocks behind its first statement",
            TrapKind::RendezvousInStep => "a rendezvous inside a d_step",
            TrapKind::EndlessStep => "a d_step does not come to its end",
            TrapKind::TooManyProcesses => "too many processes: at most 255 can exist at once",
            TrapKind::TooManyChannels => "too many channels: at most 255 can exist at once",
            TrapKind::NoSuchProcess => "a remote reference to a process that does not exist or has another type",
            TrapKind::PollRendezvous => "a rendezvous channel cannot be polled",
            TrapKind::Priority => "a priority must be between 1 and 255",
            TrapKind::EnabledSelf => "enabled() of the process itself",
            TrapKind::Trace => "the event is not one that the trace allows",
            TrapKind::Notrace => "the notrace sequence was completed",
        }
    }
}

/// A run-time error in four bytes: the kind and the number of its site in the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trap(u32);

impl Trap {
    /// An error of this kind at this site (the number of an entry in `Program::sites`).
    #[inline]
    pub fn new(kind: TrapKind, site: u32) -> Trap {
        Trap((kind as u32) << 24 | (site & 0x00ff_ffff))
    }

    /// What went wrong.
    pub fn kind(self) -> TrapKind {
        TrapKind::ALL[(self.0 >> 24) as usize]
    }

    /// Where: the number of the site.
    pub fn site(self) -> u32 {
        self.0 & 0x00ff_ffff
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trap_keeps_kind_and_site() {
        for kind in TrapKind::ALL {
            let trap = Trap::new(kind, 0x12_3456);
            assert_eq!((trap.kind(), trap.site()), (kind, 0x12_3456));
        }
    }
}
