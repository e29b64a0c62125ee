//! Progress of a long search, on standard error when that is a terminal: states, transitions per second, depth, memory, and what is known
//! about the end: the share of the budgets that is used up, and breadth first whether the levels grow or shrink.
//!
//! Nobody knows how large a state space is before it was searched. A depth-first search therefore promises nothing. Breadth first the levels
//! usually grow, then shrink; while they shrink, the rest is about that of a geometric series. The line says that this is what it rests on.
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
    start: Instant,
    budgets: Budgets,
    levels: Levels,
}

/// What a search may take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Budgets {
    /// `--memory`.
    pub memory: Option<u64>,
    /// `--time`.
    pub time: Option<Duration>,
}

/// Levels that are looked at to tell how they go on.
const LEVELS: usize = 4;

/// The last levels of a breadth-first search: their depth, and the states that waited when each began.
#[derive(Debug, Default)]
struct Levels(Vec<(u64, u64)>);

impl Levels {
    fn note(&mut self, depth: u64, queued: u64) {
        match self.0.last() {
            Some(&(last, _)) if last == depth => {}
            // Another search has begun.
            Some(&(last, _)) if last > depth => self.0 = vec![(depth, queued)],
            _ => self.0.push((depth, queued)),
        }
        if self.0.len() > LEVELS {
            self.0.remove(0);
        }
    }

    /// How the levels go on: each is so many times as large as the one before. `None` while too few were seen.
    fn factor(&self) -> Option<f64> {
        let (&(from, first), &(to, last)) = (self.0.first()?, self.0.last()?);
        if self.0.len() < LEVELS || first == 0 || last == 0 {
            return None;
        }
        Some((last as f64 / first as f64).powf(1.0 / (to - from) as f64))
    }

    /// What is told about the end.
    fn outlook(&self, stored: u64, queued: u64) -> Option<String> {
        let factor = self.factor()?;
        let falls = self.0.windows(2).all(|pair| pair[1].1 < pair[0].1);
        if !falls || factor > 0.995 {
            let grows = self.0.windows(2).all(|pair| pair[1].1 > pair[0].1);
            return grows.then(|| "levels grow".to_string());
        }
        let to_come = queued as f64 * factor / (1.0 - factor);
        let share = stored.saturating_sub(queued) as f64 / (stored as f64 + to_come);
        Some(format!("about {:.0}% if levels go on shrinking as they do", share * 100.0))
    }
}

impl Progress {
    /// `enabled`: standard error is a terminal, and neither `--quiet` nor `--no-bar` was given. `what` is told in front
    /// of the figures: the property that is checked, or nothing.
    pub(crate) fn new(enabled: bool, what: &str, budgets: Budgets) -> Progress {
        let start = Instant::now();
        let bar = enabled.then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed:>4} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Progress {
            bar,
            next: start + PATIENCE,
            last: (start, 0),
            what: what.into(),
            start,
            budgets,
            levels: Levels::default(),
        }
    }

    /// Shows where the search stands, if it is time to.
    pub(crate) fn update(&mut self, snapshot: &Snapshot) {
        let Some(bar) = &self.bar else { return };
        if let Some(queued) = snapshot.queued {
            self.levels.note(snapshot.depth, queued);
        }
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + INTERVAL;
        let arrivals = snapshot.stored + snapshot.matched;
        let (then, before) = std::mem::replace(&mut self.last, (now, arrivals));
        let rate = arrivals.saturating_sub(before) as f64 / (now - then).as_secs_f64().max(1e-9);
        let outlook = snapshot.queued.and_then(|queued| self.levels.outlook(snapshot.stored, queued));
        let used = self.budgets.time.map(|time| (now - self.start).as_secs_f64() / time.as_secs_f64().max(1e-9));
        bar.set_message(message(&self.what, snapshot, rate, (self.budgets.memory, used), outlook));
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

/// The line. `budgets`: bytes that may be used, and the share of the time that is used up.
fn message(
    what: &str,
    snapshot: &Snapshot,
    rate: f64,
    budgets: (Option<u64>, Option<f64>),
    outlook: Option<String>,
) -> String {
    let percent = |share: f64| format!("{:.0}%", (share * 100.0).min(100.0));
    let of_budget = |budget: u64| format!(" ({} of --memory)", percent(snapshot.memory as f64 / budget.max(1) as f64));
    let mut parts = vec![
        format!("{} states", thousands(snapshot.stored)),
        format!("{} transitions/s", thousands(rate as u64)),
        format!("depth {}", thousands(snapshot.depth)),
        bytes(snapshot.memory) + &budgets.0.map_or_else(String::new, of_budget),
    ];
    if let Some(queued) = snapshot.queued {
        parts.insert(3, format!("{} queued", thousands(queued)));
    }
    parts.extend(budgets.1.map(|share| format!("{} of --time", percent(share))));
    parts.extend(outlook);
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
            message("p1", &snapshot, 1_500_000.4, (None, None), None),
            "p1: 1,234,567 states · 1,500,000 transitions/s · depth 545 · 7 queued · 64.0 MiB"
        );
        assert_eq!(
            message("", &snapshot, 5.0, (Some(256 << 20), Some(0.5)), Some("levels grow".into())),
            "1,234,567 states · 5 transitions/s · depth 545 · 7 queued · 64.0 MiB (25% of --memory) · 50% of --time · levels grow"
        );
    }

    #[test]
    fn levels_that_shrink_tell_of_the_end() {
        let mut levels = Levels::default();
        let of = |levels: &Levels| levels.outlook(1_000, 100);
        for (depth, queued) in [(1, 10), (2, 20), (3, 40)] {
            levels.note(depth, queued);
            assert_eq!(of(&levels), None, "too few");
        }
        levels.note(4, 80);
        assert_eq!(of(&levels).as_deref(), Some("levels grow"));
        for (depth, queued) in [(5, 800), (6, 400), (7, 200)] {
            levels.note(depth, queued);
            // Within a level nothing is learned.
            levels.note(depth, 1);
        }
        assert_eq!(of(&levels), None, "first up, then down");
        levels.note(8, 100);
        // 900 of 1,000 known states are expanded, and 100 more are expected: each level is half of the one before.
        assert_eq!(of(&levels).as_deref(), Some("about 82% if levels go on shrinking as they do"));
        levels.note(2, 5);
        assert_eq!(of(&levels), None, "another search");
    }

    #[test]
    fn silent_if_not_wanted() {
        let mut progress = Progress::new(false, "", Budgets::default());
        progress.update(&Snapshot::default());
        assert!(progress.bar.is_none());
    }
}
