//! Defects that the test suite puts into pv, to see whether somebody notices.
//!
//! Only a build with the feature `mutants` has them (`tests/mutants.rs`); in every other build `is` is the constant `false`, and the
//! compiler leaves the defect out. A defect is one line at the place that it spoils. A test switches one of them on for its own thread.

/// A defect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutant {
    /// `+` subtracts.
    AddSubtracts,
    /// `&&` is `||`.
    AndIsOr,
    /// `%` divides.
    RemainderDivides,
    /// A byte keeps seven bits.
    NarrowByte,
    /// `else` is always executable.
    ElseAlways,
    /// The last option of a choice is not tried where an earlier one was executable.
    OptionDropped,
    /// Escapes of `unless` interrupt nothing.
    EscapeIgnored,
    /// A receive takes the first message that fits, wherever it lies.
    ReceiveOutOfOrder,
    /// A receive does not look at constants.
    PatternIgnored,
    /// A sorted send appends.
    SortedSendAppends,
    /// A receive that only looks takes the message.
    CopyTakes,
    /// A channel counts as full with one message less.
    FullTooEarly,
    /// Undo forgets every other byte.
    UndoForgetsByte,
    /// Undo of a send leaves the message in its slot.
    UndoLeavesMessage,
    /// The first parameter of a process is 0.
    ParameterLost,
    /// `timeout` always holds.
    TimeoutAlways,
    /// `provided` is not asked.
    ProvidedIgnored,
    /// `_last` is not kept.
    LastForgotten,
    /// Assertions never fail.
    AssertionsPass,
    /// The store takes one new state in a thousand for a known one.
    StoreMixesUp,
    /// The store says of no state that it is on the stack.
    OnStackNever,
    /// The search leaves the moves of process 0 out where others can move.
    MoveLeftOut,
    /// Guards read no variables, so what they read is dead.
    GuardsReadNothing,
    /// Fields of messages are taken for unread.
    FieldsUnread,
    /// Assignments to shared variables are taken for local steps.
    SharedStepsMerged,
    /// Accesses to one variable are taken for independent.
    MemoryIndependent,
    /// Sleeping moves are never woken.
    SleepersStay,
    /// Cycles are not found to accept.
    CyclesNeverAccept,
    /// An invalid end state counts as valid.
    EveryEndValid,
}

#[cfg(feature = "mutants")]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Is this defect switched on?
#[inline(always)]
#[cfg(feature = "mutants")]
pub(crate) fn is(mutant: Mutant) -> bool {
    ACTIVE.get() == Some(mutant)
}

/// Is this defect switched on? There is none in this build.
#[inline(always)]
#[cfg(not(feature = "mutants"))]
pub(crate) fn is(_: Mutant) -> bool {
    false
}

/// Does something with a defect of pv.
#[cfg(feature = "mutants")]
pub fn with<T>(mutant: Option<Mutant>, work: impl FnOnce() -> T) -> T {
    ACTIVE.set(mutant);
    let result = work();
    ACTIVE.set(None);
    result
}
