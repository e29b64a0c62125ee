//! Large blocks of zeros, asked for in a way that can fail: `vec![0; n]` would abort the program where the system has no room.
//!
//! Idea: a block that may be too large is first asked for without touching it and given back; the block that is used is
//! asked for anew, and the system zeroes its pages one by one when they are first written to. (`resize` would touch all of
//! them at once.) Cost: one more call to the system for each large block.

use super::hints::large_pages;

/// Blocks of up to this many bytes are asked for without a trial. A block that was given back makes glibc take all
/// smaller ones from its heap from then on (up to 32 MiB, its `DEFAULT_MMAP_THRESHOLD_MAX`), and there a stack that grows
/// is copied, so that for a moment it takes its memory twice.
const WITHOUT_TRIAL: usize = 32 << 20;

/// A table of so many words, all 0; `None` if the system has no room for it. A large one is put on large pages if the system has them.
pub(in crate::store) fn try_zeroed(words: usize) -> Option<Vec<u64>> {
    if !has_room(words.checked_mul(size_of::<u64>())?) {
        return None;
    }
    let mut table = vec![0; words];
    large_pages(&mut table);
    Some(table)
}

/// A block of so many bytes, all 0; `None` if the system has no room for it.
pub(in crate::store) fn try_zeroed_bytes(bytes: usize) -> Option<Vec<u8>> {
    has_room(bytes).then(|| vec![0; bytes])
}

/// Would the system give a block of so many bytes?
fn has_room(bytes: usize) -> bool {
    bytes <= WITHOUT_TRIAL || Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}
