//! The undo journal: what a step overwrote, so that backtracking restores it without a copy of the state.
//!
//! One entry per write, twelve bytes; longer runs of old bytes lie in a byte stack beside it. Undoing pops entries
//! down to a mark in reverse order.

use crate::mutants::{self, Mutant};

/// What an entry restores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Undo {
    /// The four bytes from `at` on. A narrower variable is saved with the bytes behind it: when the entry is undone, everything that
    /// came after it has been undone, so those bytes are as they were.
    Word,
    /// `old` bytes from the top of the byte stack.
    Bytes,
    /// `old` bytes become zero again.
    Zero,
    /// The youngest process is taken away again.
    Birth,
    /// A process comes back; its `old` bytes are on the byte stack.
    Death,
    /// A handshake was offered: it is withdrawn.
    Offer,
    /// A handshake was taken: it is offered again; `at` is the channel, `old` the start of its message.
    Take,
}

/// One entry of the journal. Machine code writes entries too, so the order of the fields is fixed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Entry {
    /// Place in the buffer.
    pub at: u32,
    /// Old value or length.
    pub old: u32,
    /// What it restores.
    pub undo: Undo,
}

/// A position in the journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark(pub u32);

impl Entry {
    /// Takes back what the entry is about, if it is a word or bytes that were zero: all that machine code writes. `false` if it is
    /// anything else.
    #[inline]
    pub fn restore(self, buffer: &mut [u8]) -> bool {
        let at = self.at as usize;
        match self.undo {
            Undo::Word if at % 2 == 1 && mutants::is(Mutant::UndoForgetsByte) => {}
            Undo::Word => buffer[at..at + 4].copy_from_slice(&self.old.to_le_bytes()),
            Undo::Zero if mutants::is(Mutant::UndoLeavesMessage) => {}
            Undo::Zero => buffer[at..at + self.old as usize].fill(0),
            Undo::Bytes | Undo::Birth | Undo::Death | Undo::Offer | Undo::Take => return false,
        }
        true
    }
}

/// What steps have overwritten, oldest first.
#[derive(Default, Debug)]
pub struct Journal {
    /// Entries, newest last.
    pub entries: Vec<Entry>,
    /// Old bytes of the `Bytes` and `Death` entries.
    pub bytes: Vec<u8>,
}

impl Journal {
    /// The present position.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.entries.len() as u32)
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, undo: Undo, at: u32, old: u32) {
        if self.entries.len() == self.entries.capacity() {
            // By quarters: doubling would leap over a budget.
            self.entries.reserve_exact(self.entries.len() / 4 + 1024);
        }
        self.entries.push(Entry { at, old, undo });
    }

    /// Bytes it occupies.
    pub fn memory(&self) -> usize {
        // With the quarter by which it grows next.
        self.entries.capacity() / 4 * 5 * size_of::<Entry>() + self.bytes.capacity()
    }
}
