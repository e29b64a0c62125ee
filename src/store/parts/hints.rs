//! Hints to the processor and to the system about memory: which line will be needed soon, which block is worth large pages, which blocks are
//! not needed any more; and blocks of zeros that are asked for in a way that can fail and touches nothing of them.
//!
//! A look-up in a large table waits for memory twice: for the slot, then for the record. A search that knows several look-ups in
//! advance asks for all their lines first; the waits then overlap. Before the processor can ask for a line it must know where the page of
//! that line is; in a table of many small pages it has to look even that up in memory, and waits. Large pages are so few that
//! it knows them all.
//!
//! A hint changes nothing but the time that a later access takes.

#![allow(unsafe_code)]

use std::alloc::Layout;
use std::sync::atomic::AtomicU64;

/// Blocks below this many bytes are left on small pages: the processor knows where all of those are.
const WORTH_LARGE_PAGES: usize = 4 << 20;
/// What the system takes at once where it has large pages, on most machines.
const LARGE_PAGE: usize = 2 << 20;
/// The page size of the smallest pages that any supported system has, or a multiple of it.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;

/// Asks for the line that holds the element with this index, if there is such an element.
#[inline]
pub(in crate::store) fn prefetch<T>(slice: &[T], index: usize) {
    if let Some(element) = slice.get(index) {
        // SAFETY: a prefetch neither reads nor writes as far as the program can see; any address will do, and this one is valid.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(std::ptr::from_ref(element).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = element;
    }
}

/// Words for several threads, all 0 at first. A block that is large enough begins where a large page begins: the system then has on small pages
/// at most what is behind its last whole large page, and what is touched of it is no more than what the program counts.
#[derive(Debug)]
pub(in crate::store) struct Words {
    /// The words, and others around them that are never touched.
    block: Vec<AtomicU64>,
    start: usize,
    count: usize,
}

impl Words {
    /// So many words; `None` if the system has no room for them and a little beside. It makes their pages when they are first touched.
    pub(in crate::store) fn zeroed(count: usize) -> Option<Words> {
        let words = if count < LARGE_PAGE / size_of::<AtomicU64>() {
            Words { block: zeroed_words(count)?, start: 0, count }
        } else {
            let mut block = zeroed_words(count.checked_add(LARGE_PAGE / size_of::<AtomicU64>())?)?;
            let address = block.as_ptr() as usize;
            let start = (address.next_multiple_of(LARGE_PAGE) - address) / size_of::<AtomicU64>();
            on_large_pages(&mut block);
            Words { block, start, count }
        };
        leaves_room().then_some(words)
    }
}

impl std::ops::Deref for Words {
    type Target = [AtomicU64];

    #[inline]
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: `zeroed` has made the block so long, and nothing changes its length or these numbers.
        unsafe { self.block.get_unchecked(self.start..self.start + self.count) }
    }
}

/// Workers ask for large blocks to see whether they are there, and would take what the system has to the last byte. Nothing would be left for
/// those who cannot be refused: a list that grows, a thread, the answer. So many bytes are left to them.
const LEFT: usize = 16 << 20;

/// Is there room for the rest of the program?
fn leaves_room() -> bool {
    Vec::<u8>::new().try_reserve_exact(LEFT).is_ok()
}

fn zeroed_words(count: usize) -> Option<Vec<AtomicU64>> {
    if count == 0 {
        return Some(Vec::new());
    }
    let layout = Layout::array::<AtomicU64>(count).ok()?;
    // SAFETY: the layout is not empty.
    let words = unsafe { std::alloc::alloc_zeroed(layout) };
    // SAFETY: the block is of the global allocator, with the layout of so many words; all of them are 0, which is a word, and ours alone.
    (!words.is_null()).then(|| unsafe { Vec::from_raw_parts(words.cast(), count, count) })
}

/// Asks for large pages under a table that is large enough.
pub(in crate::store) fn large_pages<T>(table: &mut Vec<T>) {
    if table.capacity() * size_of::<T>() >= WORTH_LARGE_PAGES {
        on_large_pages(table);
    }
}

/// Asks for large pages under a block, which is one of many that lie side by side.
#[cfg(target_os = "linux")]
pub(in crate::store) fn on_large_pages<T>(block: &mut Vec<T>) {
    let start = block.as_mut_ptr() as usize;
    let end = start + block.capacity() * size_of::<T>();
    let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if first < last {
        // SAFETY: the pages lie wholly inside an allocation that is ours alone for the time of the call. This advice
        // does not change what the pages hold; if the system refuses it, nothing has happened, so the answer does not matter.
        unsafe {
            libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE);
        }
    }
}

/// Other systems choose the size of pages by themselves.
#[cfg(not(target_os = "linux"))]
pub(in crate::store) fn on_large_pages<T>(_: &mut Vec<T>) {}

/// Blocks from this size on are given back to the system when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const GIVEN_BACK: libc::c_int = 32 << 10;

/// Asks the allocator to give large blocks back to the system whenever they are freed. By itself glibc keeps them, from the first one on,
/// for later: a table that grows into one new block after the other then takes much more than it counts.
pub(in crate::store) fn give_back_large_blocks() {
    // SAFETY: the call changes where blocks come from that are asked for later, and nothing about those that are there.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, GIVEN_BACK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn words_of_any_count_are_all_zero_and_large_ones_begin_on_a_large_page() {
        for count in [0, 1, 1_000, LARGE_PAGE / 8 - 1, LARGE_PAGE / 8, LARGE_PAGE / 4 + 3] {
            let words = Words::zeroed(count).unwrap();
            assert_eq!(words.len(), count);
            assert!(words.iter().all(|word| word.swap(7, Ordering::Relaxed) == 0));
            assert!(words.iter().all(|word| word.load(Ordering::Relaxed) == 7));
            assert!(words.len() * 8 < LARGE_PAGE || (words.as_ptr() as usize).is_multiple_of(LARGE_PAGE));
        }
        assert!(Words::zeroed(usize::MAX).is_none() && Words::zeroed(usize::MAX / 16).is_none());
    }
}
