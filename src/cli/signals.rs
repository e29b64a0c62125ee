//! Ctrl-C and SIGTERM: the first asks a search to stop, leave its checkpoint and report; a later one ends the program at once.

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Exit code when Ctrl-C was meant: that of a program that SIGINT has ended.
const INTERRUPTED_TWICE: i32 = 130;

/// The thread that waits for signals does nothing else.
const SIGNAL_STACK: usize = 64 << 10;

/// A second signal sooner than this is the first one once more: `timeout` and some shells send it to the process and to
/// its group.
const SAME_SIGNAL: Duration = Duration::from_secs(1);

/// A flag that Ctrl-C and SIGTERM set; another one, a second later or more, ends the program at once.
pub(super) fn on_signals() -> Arc<AtomicBool> {
    on_signals_until(&Arc::default())
}

/// The same until `done` is set. From then on nothing is left that a search could report or would have to put away, nobody
/// looks at the flag, and the first signal ends the program.
pub(super) fn on_signals_until(done: &Arc<AtomicBool>) -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let done = Arc::clone(done);
    // Without handlers the signals do what they always do.
    if let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) {
        let set = Arc::clone(&flag);
        let watch = move || {
            let mut first: Option<Instant> = None;
            for _ in signals.forever() {
                match first {
                    _ if done.load(Ordering::Relaxed) => std::process::exit(INTERRUPTED_TWICE),
                    None => set.store(true, Ordering::Relaxed),
                    Some(first) if first.elapsed() < SAME_SIGNAL => {}
                    Some(_) => std::process::exit(INTERRUPTED_TWICE),
                }
                first.get_or_insert_with(Instant::now);
            }
        };
        if std::thread::Builder::new().stack_size(SIGNAL_STACK).spawn(watch).is_err() {
            for signal in [SIGINT, SIGTERM] {
                let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
            }
        }
    }
    // A file that grows beyond `ulimit -f` is then an error of writing like a full disk, and not the end of the process.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    flag
}
