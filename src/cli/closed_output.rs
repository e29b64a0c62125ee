//! Was standard output open when the program began? What is written to one that was not is lost, and that must not pass for success.
//!
//! Before `main` the runtime puts `/dev/null` in the place of a descriptor that is closed, and that one cannot be told from a `/dev/null` that the
//! user asked for. So the look is taken earlier, by a function that the loader calls. On Linux only: other systems do not tell.

#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
mod beginning {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: AtomicBool = AtomicBool::new(false);

    extern "C" fn look() {
        // SAFETY: the call looks at a descriptor by its number; of one that is not open it says so.
        if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1 {
            CLOSED.store(true, Ordering::Relaxed);
        }
    }

    // SAFETY: the loader calls what this section points to, once, before `main`. The function needs nothing of the runtime.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    pub(in crate::cli) fn output_was_closed() -> bool {
        CLOSED.load(Ordering::Relaxed)
    }
}

#[cfg(target_os = "linux")]
pub(super) use beginning::output_was_closed;

/// Nobody knows.
#[cfg(not(target_os = "linux"))]
pub(super) fn output_was_closed() -> bool {
    false
}
