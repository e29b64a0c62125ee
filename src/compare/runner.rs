//! Runs settings within budgets, and writes down what comes out.
//!
//! A run that blows up is stopped when it has made many times the transitions of the full search, or has taken too
//! long; it is kept as "gave up", with what it had reached. Very short runs, and those whose time the page quotes, are made three
//! times: the shortest time counts, since the first run pays for cold caches, and all are kept; the counts are the same each time.

use super::matrix::{Chain, Study};
use super::results::{GaveUp, Record, Results};
use crate::report::number::{duration, thousands};
use crate::search::monitor::Snapshot;
use crate::search::outcome::Outcome;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// How a setting becomes a search: the same way as in `pv check`.
pub(crate) trait Executor {
    /// Is there such a search? `Err` says why not.
    fn accepts(&self, options: &[String]) -> Result<(), String>;

    /// Runs it for as long as is `allowed`; `watch` is called every few thousand transitions and may stop it.
    fn execute(
        &self,
        options: &[String],
        allowed: Duration,
        watch: &mut dyn FnMut(&Snapshot) -> ControlFlow<()>,
    ) -> Result<Outcome, String>;

    /// The command that does the same.
    fn command(&self, options: &[String]) -> String;

    /// Somebody asked the whole comparison to stop.
    fn interrupted(&self) -> bool;
}

/// How much may be spent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Budget {
    /// On one run.
    pub per_run: Duration,
    /// On all.
    pub total: Duration,
    /// A run may make so many times the transitions of the full search.
    pub factor: f64,
}

/// Why a run was not made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Skipped {
    /// The time for all runs is used up.
    Time,
    /// Ctrl-C.
    Interrupted,
    /// There is no such search.
    Refused(String),
}

/// Collision rates kept of a run.
const SAMPLES: usize = 200;
/// Runs shorter than this are repeated.
const SHORT: f64 = 0.1;
/// Longer ones are not repeated, not even if their time is quoted.
const LONG: f64 = 20.0;
const REPEATS: usize = 3;

/// Runs settings. See the module.
pub(crate) struct Runner<'e, E> {
    executor: &'e E,
    /// What came out.
    pub results: Results,
    budget: Budget,
    /// Transitions of the full search; 0 while it is not known.
    full: u64,
    start: Instant,
    bar: Option<ProgressBar>,
    made: u64,
    spent: f64,
}

impl<'e, E: Executor> Runner<'e, E> {
    /// A runner; `bar`: show progress.
    pub(crate) fn new(executor: &'e E, results: Results, budget: Budget, bar: bool) -> Runner<'e, E> {
        let bar = bar.then(|| {
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(10));
            if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} {wide_msg}") {
                bar.set_style(style);
            }
            bar
        });
        Runner { executor, results, budget, full: 0, start: Instant::now(), bar, made: 0, spent: 0.0 }
    }

    /// The transitions of the full search, which bound those of all others.
    pub(crate) fn set_full(&mut self, transitions: u64) {
        self.full = transitions;
    }

    /// So many runs are to come.
    pub(crate) fn announce(&self, runs: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(runs);
        }
    }

    /// Runs made so far, those of earlier times not counted.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    fn bound(&self) -> u64 {
        // Small searches look up only every few thousand transitions; a bound below that would say nothing.
        ((self.full as f64 * self.budget.factor) as u64).max(100_000)
    }

    /// A kept result is good if the run ended by itself, or gave up with at least the means it would have now.
    fn kept(&self, options: &[String]) -> bool {
        self.results.get(options).is_some_and(|record| match record.gave_up {
            None => true,
            Some(GaveUp::Transitions(bound)) => bound >= self.bound() || self.full == 0,
            Some(GaveUp::Seconds(seconds)) => seconds >= self.budget.per_run.as_secs_f64() * 0.999,
        })
    }

    /// Makes sure that there is a result for this setting.
    pub(crate) fn run(&mut self, options: &[String]) -> io::Result<Result<Record, Skipped>> {
        if self.kept(options)
            && let Some(record) = self.results.get(options)
        {
            return Ok(Ok(record.clone()));
        }
        if let Err(reason) = self.executor.accepts(options) {
            return Ok(Err(Skipped::Refused(reason)));
        }
        if self.executor.interrupted() {
            return Ok(Err(Skipped::Interrupted));
        }
        let left = self.budget.total.saturating_sub(self.start.elapsed());
        if left.is_zero() {
            return Ok(Err(Skipped::Time));
        }
        let mut record = match self.once(options, left) {
            Ok(record) => record,
            Err(skipped) => return Ok(Err(skipped)),
        };
        while record.gave_up.is_none() && record.seconds < SHORT && record.times.len() < REPEATS {
            match self.once(options, left) {
                Ok(again) => record.took_also(again.seconds),
                Err(_) => break,
            }
        }
        self.made += 1;
        self.spent += record.times.iter().sum::<f64>();
        self.results.add(record.clone())?;
        Ok(Ok(record))
    }

    /// A time that is quoted is that of several runs: makes as many more as it needs, unless they take long or the time for all is used up.
    /// True if there was something to do.
    pub(crate) fn time_again(&mut self, options: &[String]) -> io::Result<bool> {
        let Some(mut record) = self.results.get(options).cloned() else { return Ok(false) };
        let had = record.times.len();
        while record.finished() && record.seconds < LONG && record.times.len() < REPEATS {
            let left = self.budget.total.saturating_sub(self.start.elapsed());
            if left.is_zero() || self.executor.interrupted() {
                break;
            }
            match self.once(options, left) {
                Ok(again) => record.took_also(again.seconds),
                Err(_) => break,
            }
        }
        let more = record.times.len() > had;
        if more {
            self.results.add(record)?;
        }
        Ok(more)
    }

    fn once(&self, options: &[String], left: Duration) -> Result<Record, Skipped> {
        let start = Instant::now();
        let bound = if self.full > 0 { self.bound() } else { u64::MAX };
        let (per_run, allowed) = (self.budget.per_run, self.budget.per_run.min(left));
        let mut gave_up = None;
        let mut samples = Vec::new();
        let mut every = 1;
        let mut calls = 0u64;
        let label = label(options);
        let bar = self.bar.as_ref();
        let time_left = self.time_left();
        let mut watch = |snapshot: &Snapshot| {
            calls += 1;
            if let (Some(rate), Some(distinct)) = (snapshot.collision_rate, snapshot.distinct)
                && calls.is_multiple_of(every)
            {
                samples.push((distinct as u64, rate));
                // Half of them go and the rest come half as often: the curve keeps its shape at bounded size.
                if samples.len() >= 2 * SAMPLES {
                    let mut keep = false;
                    samples.retain(|_| {
                        keep = !keep;
                        keep
                    });
                    every *= 2;
                }
            }
            if let Some(bar) = bar {
                bar.set_message(format!("{label} · {} states{time_left}", thousands(snapshot.stored)));
            }
            if snapshot.stored + snapshot.matched > bound {
                gave_up = Some(GaveUp::Transitions(bound));
            } else if start.elapsed() > allowed {
                gave_up = Some(GaveUp::Seconds(per_run.as_secs_f64()));
            }
            if gave_up.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let outcome = self.executor.execute(options, allowed, &mut watch).map_err(Skipped::Refused)?;
        // Where nothing was told for long, the search has looked at the clock by itself.
        if gave_up.is_none() && start.elapsed() > allowed {
            gave_up = Some(GaveUp::Seconds(per_run.as_secs_f64()));
        }
        if self.executor.interrupted() && gave_up.is_none() {
            return Err(Skipped::Interrupted);
        }
        let mut record = Record::of(&outcome);
        // It may have ended by itself in the last moment.
        if !record.finished() && gave_up.is_some() {
            // Cut short by the time for all, not by its own: it is not written down, so that it is made again.
            if matches!(gave_up, Some(GaveUp::Seconds(_))) && allowed < per_run {
                return Err(Skipped::Time);
            }
            record.gave_up = gave_up;
            (record.reason, record.stopped) = (None, None);
        }
        record.options = options.to_vec();
        record.command = self.executor.command(options);
        record.samples = samples;
        Ok(record)
    }

    /// What is told behind a run: how long all that is left may take.
    fn time_left(&self) -> String {
        let Some(bar) = &self.bar else { return String::new() };
        let runs = bar.length().unwrap_or(0).saturating_sub(bar.position());
        if self.made == 0 || runs == 0 {
            return String::new();
        }
        let guess = self.spent / self.made as f64 * runs as f64;
        let left = self.budget.total.saturating_sub(self.start.elapsed()).as_secs_f64();
        let seconds = guess.min(left).ceil();
        let text = if seconds < 60.0 { format!("{seconds} s") } else { duration(seconds) };
        format!(" · about {text} left")
    }

    /// Runs all of a study; says why something is missing.
    pub(crate) fn run_study(&mut self, study: &Study) -> io::Result<Option<Skipped>> {
        let mut missing = None;
        for chain in &study.chains {
            if let Some(skipped) = self.run_chain(chain)? {
                missing = Some(skipped);
            }
            if matches!(missing, Some(Skipped::Time | Skipped::Interrupted)) {
                break;
            }
        }
        Ok(missing)
    }

    fn run_chain(&mut self, chain: &Chain) -> io::Result<Option<Skipped>> {
        let mut failures = 0;
        let mut missing = None;
        for (index, point) in chain.points.iter().enumerate() {
            if failures >= chain.patience {
                self.advance((chain.points.len() - index) as u64);
                break;
            }
            if let Some(bar) = &self.bar {
                bar.set_message(format!("{}{}", label(&point.options), self.time_left()));
            }
            match self.run(&point.options)? {
                Ok(record) if record.finished() => failures = 0,
                Ok(_) => failures += 1,
                Err(skipped) => {
                    let stop = !matches!(skipped, Skipped::Refused(_));
                    missing = Some(skipped);
                    if stop {
                        return Ok(missing);
                    }
                }
            }
            self.advance(1);
        }
        Ok(missing)
    }

    fn advance(&self, runs: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(runs);
        }
    }

    /// Takes the bar away and gives the results back.
    pub(crate) fn finish(self) -> Results {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.results
    }
}

/// A setting in a line.
pub(crate) fn label(options: &[String]) -> String {
    if options.is_empty() { "(no options)".into() } else { options.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::matrix::{Figure, Point};
    use crate::search::outcome::{Counts, Limit, Verdict};
    use std::cell::RefCell;

    /// A search that needs `work` transitions, where `--cache N` makes it 1000 / N times as many.
    struct Mock {
        calls: RefCell<Vec<String>>,
    }

    impl Executor for Mock {
        fn accepts(&self, options: &[String]) -> Result<(), String> {
            if options.iter().any(|word| word == "--none") { Err("there is none".into()) } else { Ok(()) }
        }

        fn execute(
            &self,
            options: &[String],
            _: Duration,
            watch: &mut dyn FnMut(&Snapshot) -> ControlFlow<()>,
        ) -> Result<Outcome, String> {
            self.calls.borrow_mut().push(options.join(" "));
            let cache: u64 = options.get(1).and_then(|word| word.parse().ok()).unwrap_or(1000);
            let work = 100_000 * 1000 / cache;
            let mut done = 0;
            let mut limit = None;
            while done < work && limit.is_none() {
                done += 4096;
                let snapshot = Snapshot { stored: done, ..Snapshot::default() };
                if watch(&snapshot).is_break() {
                    limit = Some(Limit::Interrupted);
                }
            }
            let counts = Counts { stored: done, ..Counts::default() };
            let verdict = Verdict::of_complete_search(0, limit, true);
            Ok(Outcome { seconds: 1.0, ..Outcome::of(verdict, counts, Vec::new()) })
        }

        fn command(&self, options: &[String]) -> String {
            options.join(" ")
        }

        fn interrupted(&self) -> bool {
            false
        }
    }

    const BUDGET: Budget = Budget { per_run: Duration::from_secs(60), total: Duration::from_secs(600), factor: 30.0 };

    fn chain(sizes: &[u64], patience: usize) -> Study {
        let points = sizes.iter().map(|n| Point { x: *n as f64, options: vec!["--cache".into(), n.to_string()] });
        let chain = Chain { name: "c".into(), points: points.collect(), patience };
        Study { figure: Figure::Custom, chains: vec![chain] }
    }

    #[test]
    fn a_blow_up_is_stopped_and_ends_its_chain() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r");
        let mock = Mock { calls: RefCell::default() };
        let mut runner = Runner::new(&mock, Results::open(&path, "f").expect("opens"), BUDGET, false);
        runner.set_full(100_000);
        let study = chain(&[1000, 100, 20, 10, 5], 1);
        assert_eq!(runner.run_study(&study).expect("runs"), None);
        assert_eq!(*mock.calls.borrow(), ["--cache 1000", "--cache 100", "--cache 20"]);
        let results = runner.finish();
        let last = results.get(&["--cache".into(), "20".into()]).expect("kept").clone();
        assert_eq!(last.gave_up, Some(GaveUp::Transitions(3_000_000)));
        assert!(!last.finished() && last.status().starts_with("gave up"));
        // Nothing is made again …
        let mut runner = Runner::new(&mock, Results::open(&path, "f").expect("opens"), BUDGET, false);
        runner.set_full(100_000);
        runner.run_study(&study).expect("runs");
        assert_eq!((runner.made(), mock.calls.borrow().len()), (0, 3));
        // … but what gave up is, when it may do more.
        let larger = Budget { factor: 60.0, ..BUDGET };
        let mut runner = Runner::new(&mock, Results::open(&path, "f").expect("opens"), larger, false);
        runner.set_full(100_000);
        runner.run_study(&study).expect("runs");
        let results = runner.finish();
        assert!(results.get(&["--cache".into(), "20".into()]).is_some_and(Record::finished));
        assert!(results.get(&["--cache".into(), "10".into()]).is_some_and(|record| !record.finished()));
    }

    #[test]
    fn time_that_is_used_up_and_options_that_there_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let mock = Mock { calls: RefCell::default() };
        let none = Budget { total: Duration::ZERO, ..BUDGET };
        let results = Results::open(&folder.path().join("r"), "f").expect("opens");
        let mut runner = Runner::new(&mock, results, none, false);
        assert_eq!(runner.run_study(&chain(&[1000], 1)).expect("runs"), Some(Skipped::Time));
        let refused = runner.run(&["--none".into()]).expect("runs");
        assert_eq!(refused, Err(Skipped::Refused("there is none".into())));
        let short = Budget { per_run: Duration::from_nanos(1), ..BUDGET };
        let results = Results::open(&folder.path().join("r"), "f").expect("opens");
        let mut runner = Runner::new(&mock, results, short, false);
        let record = runner.run(&["--cache".into(), "500".into()]).expect("runs").expect("is made");
        assert!(matches!(record.gave_up, Some(GaveUp::Seconds(_))), "{record:?}");
    }
}
