//! Asking for a line of memory before it is needed.
//!
//! A look-up in a large table waits for memory twice: for the slot, then for the record. A search that knows several look-ups in
//! advance asks for all their lines first; the waits then overlap. A prefetch changes nothing but the time that a later access takes.

#![allow(unsafe_code)]

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
