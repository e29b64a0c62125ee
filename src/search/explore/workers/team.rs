//! How the workers of a search come together: all of them meet, the last one to come decides what is done next, and all do it.
//!
//! Who comes early to a meeting looks for a moment whether it has been decided, before he goes to sleep: at the end of a level the others are most often
//! a few microseconds away, and to be woken takes longer than that. Where there are more workers than processors nobody looks, since the one who
//! is waited for may need the processor.
//!
//! A worker that panics must not leave the others waiting for it. So a team can be dissolved, by anybody at any time: whoever waits then, or
//! comes later, is told that the search is over. A [`Member`] dissolves its team when its thread unwinds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So often is looked whether a meeting has been decided: some tens of microseconds.
const LOOKS: u32 = 2_000;

/// What is done after a meeting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Go on with what you were at.
    GoOn,
    /// Help to make the table larger, and meet again.
    Grow,
    /// A new level begins.
    Level,
    /// The search is over.
    End,
}

#[derive(Debug)]
struct Gathering {
    /// How many have come, and whether all of these have finished the level.
    here: usize,
    all_done: bool,
    /// Counts the meetings.
    number: u64,
    /// What the last meeting has decided.
    next: Next,
    dissolved: bool,
    /// Workers that have not gone home.
    at_work: usize,
}

/// The workers of a search. See the head of this file.
#[derive(Debug)]
pub(super) struct Team {
    size: usize,
    /// How often somebody looks before he goes to sleep.
    looks: u32,
    /// The number of meetings, and whether the team is dissolved, to be read by those who look.
    held: AtomicU64,
    ended: AtomicBool,
    gathering: Mutex<Gathering>,
    decided: Condvar,
    gone: Condvar,
}

impl Team {
    /// A team of so many.
    pub(super) fn of(size: usize) -> Team {
        let gathering =
            Gathering { here: 0, all_done: true, number: 0, next: Next::GoOn, dissolved: false, at_work: size };
        let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Team {
            size,
            looks: if size <= processors { LOOKS } else { 0 },
            held: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            gathering: Mutex::new(gathering),
            decided: Condvar::new(),
            gone: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Gathering> {
        self.gathering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all others. The last one to come runs `decide`, while the others wait, and all get its answer. `done`: this worker has
    /// finished the level; `decide` is told whether all have.
    pub(super) fn meet(&self, done: bool, decide: impl FnOnce(bool) -> Next) -> Next {
        let mut gathering = self.lock();
        if gathering.dissolved {
            return Next::End;
        }
        gathering.here += 1;
        gathering.all_done &= done;
        if gathering.here == self.size {
            gathering.next = decide(gathering.all_done);
            (gathering.here, gathering.all_done) = (0, true);
            gathering.number += 1;
            self.held.store(gathering.number, Ordering::Release);
            self.decided.notify_all();
            return gathering.next;
        }
        let number = gathering.number;
        drop(gathering);
        self.look(number);
        // What the look has seen is read once more, under the lock.
        let gathering = self.lock();
        let waits = |gathering: &mut Gathering| gathering.number == number && !gathering.dissolved;
        let gathering = self.decided.wait_while(gathering, waits).unwrap_or_else(PoisonError::into_inner);
        if gathering.number == number { Next::End } else { gathering.next }
    }

    /// Looks for a moment whether the meeting behind so many others has been decided.
    fn look(&self, number: u64) {
        for _ in 0..self.looks {
            if self.held.load(Ordering::Acquire) != number || self.ended.load(Ordering::Relaxed) {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// Ends all meetings.
    pub(super) fn dissolve(&self) {
        self.lock().dissolved = true;
        self.ended.store(true, Ordering::Relaxed);
        self.decided.notify_all();
    }

    /// Waits until all have gone home, but not longer than this. Have they?
    pub(super) fn wait(&self, most: Duration) -> bool {
        let working = |gathering: &mut Gathering| gathering.at_work > 0;
        let waited = self.gone.wait_timeout_while(self.lock(), most, working);
        waited.unwrap_or_else(PoisonError::into_inner).0.at_work == 0
    }

    fn leave(&self) {
        let mut gathering = self.lock();
        gathering.at_work = gathering.at_work.saturating_sub(1);
        self.gone.notify_all();
    }
}

/// One worker's place in the team, as long as its thread runs.
#[derive(Debug)]
pub(super) struct Member<'t>(pub(super) &'t Team);

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.dissolve();
        }
        self.0.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_last_one_decides_for_all() {
        let (team, decisions) = (Team::of(4), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for worker in 0..4 {
                let (team, decisions) = (&team, &decisions);
                scope.spawn(move || {
                    let _member = Member(team);
                    for round in 0..200 {
                        // In every other round one of them is not done.
                        let next = team.meet(round % 2 == 0 || worker != 3, |all_done| {
                            decisions.fetch_add(1, Ordering::Relaxed);
                            if all_done { Next::Level } else { Next::GoOn }
                        });
                        assert_eq!(next, if round % 2 == 0 { Next::Level } else { Next::GoOn });
                    }
                });
            }
            assert!(team.wait(Duration::from_secs(3600)));
        });
        assert_eq!(decisions.load(Ordering::Relaxed), 200);
    }

    #[test]
    fn nobody_waits_for_one_that_has_panicked() {
        let team = Team::of(3);
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..2).map(|_| scope.spawn(|| team.meet(true, |_| Next::Level))).collect();
            let lost = scope.spawn(|| {
                let _member = Member(&team);
                panic!("on purpose");
            });
            assert!(lost.join().is_err());
            assert!(waiting.into_iter().all(|waiting| waiting.join().is_ok_and(|next| next == Next::End)));
        });
        assert!(!team.wait(Duration::ZERO));
    }

    #[test]
    fn nobody_waits_for_one_that_panics_while_it_decides() {
        let team = Team::of(2);
        std::thread::scope(|scope| {
            let meeting = || {
                let _member = Member(&team);
                team.meet(true, |_| panic!("on purpose"))
            };
            let both = [scope.spawn(meeting), scope.spawn(meeting)].map(|worker| worker.join().ok());
            assert!(both.contains(&None) && both.contains(&Some(Next::End)));
        });
    }
}
