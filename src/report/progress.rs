//! Progress of a long search, on standard error when that is a terminal: states, transitions per second, depth, memory, and what is known
//! about the end: the share of the budgets that is used up, and breadth first whether the levels grow or shrink.
//!
//! Nobody knows how large a state space is before it was searched. A depth-first search therefore promises nothing. Breadth first the levels
//! usually grow, then shrink; while they shrink, the rest is about that of a geometric series. The line says that this is what it rests on.
//!
//! The line is made to the width of the terminal. What does not fit is left out as a whole, the least important first: what is known about the end
//! stays longest, then the shares of the budgets, then the counts, and rates go first. An estimate is never shown without what it rests on.
//!
//! A search calls [`Progress::update`] every few thousand states. That costs a look at the clock; a line is drawn a few
//! times a second at most, and none at all in the first moments, so that short searches stay quiet.

use super::number::{bytes, thousands};
use crate::search::monitor::Snapshot;
use console::{Term, measure_text_width};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// No line before this.
const PATIENCE: Duration = Duration::from_millis(500);

/// Between two lines.
const INTERVAL: Duration = Duration::from_millis(200);

/// Columns in front of the figures: see the template of [`Progress::new`].
const LEAD: usize = 7;

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
    fn outlook(&self, stored: u64, queued: u64) -> Option<Part> {
        let factor = self.factor()?;
        let falls = self.0.windows(2).all(|pair| pair[1].1 < pair[0].1);
        if !falls || factor > 0.995 {
            let grows = self.0.windows(2).all(|pair| pair[1].1 > pair[0].1);
            return grows.then(|| Part::of("levels grow"));
        }
        let to_come = queued as f64 * factor / (1.0 - factor);
        let share = stored.saturating_sub(queued) as f64 / (stored as f64 + to_come);
        let share = share * 100.0;
        Some(Part {
            long: format!("about {share:.0}% if levels go on shrinking as they do"),
            short: format!("~{share:.0}% if levels keep shrinking"),
        })
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
        let room = usize::from(Term::stderr().size().1).saturating_sub(LEAD);
        bar.set_message(message(&self.what, snapshot, rate, (self.budgets.memory, used), outlook, room));
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

/// A part of the line, in more and in fewer words.
#[derive(Clone, PartialEq, Debug)]
struct Part {
    long: String,
    short: String,
}

impl Part {
    fn of(text: &str) -> Part {
        Part { long: text.into(), short: text.into() }
    }
}

/// Between two parts.
const BETWEEN: &str = " · ";

/// The line. `budgets`: bytes that may be used, and the share of the time that is used up. `room`: its columns.
fn message(
    what: &str,
    snapshot: &Snapshot,
    rate: f64,
    budgets: (Option<u64>, Option<f64>),
    outlook: Option<Part>,
    room: usize,
) -> String {
    let percent = |share: f64| format!("{:.0}%", (share * 100.0).min(100.0));
    let memory = bytes(snapshot.memory);
    let memory = match budgets.0 {
        None => (5, Part::of(&memory)),
        Some(budget) => {
            let share = format!("{} of --memory", percent(snapshot.memory as f64 / budget.max(1) as f64));
            (2, Part { long: format!("{memory} ({share})"), short: share })
        }
    };
    let queued = snapshot.queued.map(|queued| (4, Part::of(&format!("{} queued", thousands(queued)))));
    let time = budgets.1.map(|share| (1, Part::of(&format!("{} of --time", percent(share)))));
    // As they stand on the line, each with its rank: the smaller, the longer it stays.
    let parts: Vec<(u8, Part)> = [
        (!what.is_empty()).then(|| (6, Part::of(&format!("{what}:")))),
        Some((3, Part::of(&format!("{} states", thousands(snapshot.stored))))),
        Some((8, Part::of(&format!("{} transitions/s", thousands(rate as u64))))),
        Some((7, Part::of(&format!("depth {}", thousands(snapshot.depth))))),
        queued,
        Some(memory),
        time,
        outlook.map(|outlook| (0, outlook)),
    ]
    .into_iter()
    .flatten()
    .collect();
    fitted(&parts, room)
}

/// The parts that have room: first as many as fit in few words, in the order of their ranks, then more words for those that can have them.
fn fitted(parts: &[(u8, Part)], room: usize) -> String {
    let mut by_rank: Vec<usize> = (0..parts.len()).collect();
    by_rank.sort_by_key(|&at| parts[at].0);
    let mut shown: Vec<Option<&str>> = vec![None; parts.len()];
    for words in [|part: &Part| part.short.as_str(), |part: &Part| part.long.as_str()] as [fn(&Part) -> &str; 2] {
        for &at in &by_rank {
            let before = shown[at];
            // A part that found no room in few words finds none in many.
            if before.is_some() || words(&parts[at].1) == parts[at].1.short {
                shown[at] = Some(words(&parts[at].1));
                if measure_text_width(&joined(&shown)) > room {
                    shown[at] = before;
                }
            }
        }
    }
    joined(&shown)
}

/// The name of what is checked ends with a colon; all others are set apart.
fn joined(shown: &[Option<&str>]) -> String {
    let mut line = String::new();
    for part in shown.iter().flatten() {
        if !line.is_empty() {
            line.push_str(if line.ends_with(':') { " " } else { BETWEEN });
        }
        line.push_str(part);
    }
    line
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
            message("p1", &snapshot, 1_500_000.4, (None, None), None, 200),
            "p1: 1,234,567 states · 1,500,000 transitions/s · depth 545 · 7 queued · 64.0 MiB"
        );
        assert_eq!(
            message("", &snapshot, 5.0, (Some(256 << 20), Some(0.5)), Some(Part::of("levels grow")), 200),
            "1,234,567 states · 5 transitions/s · depth 545 · 7 queued · 64.0 MiB (25% of --memory) · 50% of --time · levels grow"
        );
    }

    #[test]
    fn parts_are_left_out_and_never_cut() {
        let snapshot = Snapshot {
            stored: 524_288,
            matched: 700_000,
            depth: 31,
            memory: 124 << 20,
            queued: Some(72_022),
            ..Snapshot::default()
        };
        let mut levels = Levels::default();
        [(1, 800), (2, 400), (3, 200), (4, 100)].into_iter().for_each(|(depth, queued)| levels.note(depth, queued));
        let line = |columns: usize, what: &str, budgets, outlook| {
            let line = message(what, &snapshot, 1_012_345.0, budgets, outlook, columns - LEAD);
            assert!(measure_text_width(&line) + LEAD <= columns, "{columns}: {line}");
            line
        };
        let falling = || levels.outlook(1_000, 100);
        let both = (Some(1 << 30), Some(0.63));
        // Breadth first, without budgets.
        assert_eq!(line(40, "", (None, None), falling()), "~82% if levels keep shrinking");
        assert_eq!(
            line(80, "", (None, None), falling()),
            "524,288 states · depth 31 · 72,022 queued · ~82% if levels keep shrinking"
        );
        assert_eq!(
            line(105, "", (None, None), falling()),
            "524,288 states · depth 31 · 72,022 queued · 124.0 MiB · ~82% if levels keep shrinking"
        );
        assert_eq!(
            line(200, "", (None, None), falling()),
            "524,288 states · 1,012,345 transitions/s · depth 31 · 72,022 queued · 124.0 MiB · about 82% if levels go on shrinking as they do"
        );
        // Budgets, and a property with a name.
        assert_eq!(line(40, "", both, None), "12% of --memory · 63% of --time");
        assert_eq!(
            line(80, "safe", both, None),
            "safe: 524,288 states · 72,022 queued · 12% of --memory · 63% of --time"
        );
        assert_eq!(
            line(105, "safe", both, falling()),
            "524,288 states · 72,022 queued · 12% of --memory · 63% of --time · ~82% if levels keep shrinking"
        );
        // At any width: only whole parts, and an estimate never without what it rests on.
        let whole = line(300, "safe", both, falling());
        let more =
            "12% of --memory · ~82% if levels keep shrinking · safe: · ".to_owned() + &whole.replace(": ", ": · ");
        for columns in 8..200 {
            for part in line(columns, "safe", both, falling()).replace(": ", ": · ").split(BETWEEN) {
                assert!(part.is_empty() || more.split(BETWEEN).any(|known| known == part), "{columns}: {part}");
            }
        }
        // Depth first nothing is promised, and on a narrow terminal the states stay.
        assert_eq!(line(24, "", (None, None), None), "524,288 states");
    }

    #[test]
    fn levels_that_shrink_tell_of_the_end() {
        let mut levels = Levels::default();
        let of = |levels: &Levels| levels.outlook(1_000, 100).map(|part| part.long);
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
