//! Progress of a long search, on standard error when that is a terminal: states, transitions per second, depth, memory.
//!
//! A search calls [`Progress::update`] every few thousand states. That costs a look at the clock; a line is drawn a few
//! times a second at most, and none at all in the first moments, so that short searches stay quiet.

use super::number::{bytes, thousands};
use crate::search::monitor::Snapshot;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// No line before this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Between two lines.
const INTERVAL: Duration = Duration::from_millis(200);

/// The line of progress; nothing at all if it is not wanted.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    next: Instant,
    last: (Instant, u64),
    what: String,
}

impl Progress {
    /// `enabled`: standard error is a terminal, and neither `--quiet` nor `--no-bar` was given. `what` is told in front
    /// of the figures: the property that is checked, or nothing.
    pub(crate) fn new(enabled: bool, what: &str) -> Progress {
        let start = Instant::now();
        let bar = enabled.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Progress { bar, next: start + PATIENCE, last: (start, 0), what: what.into() }
    }

    /// Shows where the search stands, if it is time to.
    pub(crate) fn update(&mut self, snapshot: &Snapshot) {
        let Some(bar) = &self.bar else { return };
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        let arrivals = snapshot.stored + snapshot.matched;
        let (then, before) = std::mem::replace(&mut self.last, (now, arrivals));
        let rate = arrivals.saturating_sub(before) as f64 / (now - then).as_secs_f64().max(1e-9);
        bar.set_message(message(&self.what, snapshot, rate));
        bar.tick();
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

fn message(what: &str, snapshot: &Snapshot, rate: f64) -> String {
    let mut parts = vec![
        format!("{} states", thousands(snapshot.stored)),
        format!("{} transitions/s", thousands(rate as u64)),
        format!("depth {}", thousands(snapshot.depth)),
        bytes(snapshot.memory),
    ];
    if let Some(queued) = snapshot.queued {
        parts.insert(3, format!("{} queued", thousands(queued)));
    }
    let figures = parts.join(" · ");
    if what.is_empty() { figures } else { format!("{what}: {figures}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_figures() {
        let snapshot = Snapshot {
            stored: 1_234_567,
            matched: 765_433,
            depth: 545,
            memory: 64 << 20,
            queued: Some(7),
            ..Snapshot::default()
        };
        assert_eq!(
            message("p1", &snapshot, 1_500_000.4),
            "p1: 1,234,567 states · 1,500,000 transitions/s · depth 545 · 7 queued · 64.0 MiB"
        );
    }

    #[test]
    fn silent_if_not_wanted() {
        let mut progress = Progress::new(false, "");
        progress.update(&Snapshot::default());
        assert!(progress.bar.is_none());
    }
}
