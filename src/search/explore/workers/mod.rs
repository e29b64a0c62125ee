//! Breadth-first search by several threads over one store.
//!
//! Idea (the usual one of shared-memory model checkers: one table without locks for all workers, and levels): the search goes level by level.
//! The workers take blocks of the level from a counter. Each worker has a machine, a walk and a batch of successors of its own, and inserts
//! its successors into the [store of all](crate::store::shared::states), whose new records are the next level. When nothing of the level is
//! left, the workers meet, and the last one to come begins the next level.
//!
//! Why the verdict is that of one worker: of two workers that insert the same state, exactly one is told that it is new (see
//! [`crate::store::shared::table`]), and this state is in exactly one block of the next level. A level is over when every worker has
//! expanded all states of the blocks that it took and has inserted all their successors; a meeting is a lock, so what was written before it is
//! read after it. So by induction the n-th level holds every state that is n moves away from the initial state and no nearer, once, whoever
//! expanded what. The search ends when a level is empty: then every reachable state was expanded, and every error was met.
//!
//! Why everything that is told is the same for any number of workers: what is counted for each arrival (new or seen, steps inside
//! blocks, errors) is a sum over the states of a level; depth, origin and hidden variables of a state are the least of all that reach it in its
//! level. An error ends the search at the end of its level, not before, and of all errors there the least is reported (see `found`), with a path
//! that is found by content (see `path`). Only a search that is cut short (budget, signal) tells how far it came.
//!
//! With a reduction the same holds for what it leaves of the state space, since it is asked about a state with the same answer for everybody:
//! the set that is taken follows from the state, and whether more is taken from which successors lie in the next level. A successor does if
//! it is in no level up to this one, and what those hold was settled before the level began (docs/soundness.md).
//!
//! With a store of signatures a level begins with one thing more: its states are entered among what was visited, by all workers together, and
//! they meet once more before anybody looks something up. So a state is taken for a visited one or not by what the levels before it hold, and
//! that does not hang on who was first.
//!
//! Sound and complete, but for what a store of signatures omits. Costs the shared store, and a machine for each worker. With fewer than about a thousand states in a level the workers
//! wait for each other more than they gain.

mod common;
mod found;
mod path;
mod saved;
mod team;
mod worker;

pub use saved::saved_slots;

use crate::checkpoint::CheckpointSchedule;
use crate::exec::Machine;
use crate::search::driver::{StoreFigures, Tally, Task};
use crate::search::ledger::Ledger;
use crate::search::outcome::{Limit, Outcome};
use crate::search::reduce::Reduction;
use crate::search::walk::{Control, Ended, Walk};
use crate::store::SharedStates;
use crate::store::shared::Apart;
use crate::store::shared::states::{Insertion, Origin};
use crate::store::shared::table::Glance;
use crate::witness::Witness;
use common::{Common, Counted, Desk, Gauge};
use found::Found;
use saved::{Counts, Saving};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use team::{Member, Team};
use worker::Worker;

/// How often budgets and signals are looked at.
const LOOK: Duration = Duration::from_millis(10);
/// Stack of a worker: what it needs is on the heap.
const STACK: usize = 8 << 20;
/// With fewer states in a level, more workers than one do not pay.
const PAYS_FROM: u64 = 1_000;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches what a reduction leaves of the state space, breadth first, with so many workers. `states` is empty; `reduction` makes what each
/// worker needs, and what a worker's reduction leaves out in a state must follow from the state and from the levels up to it.
pub fn search<R: Reduction>(
    task: Task<'_, '_, '_>,
    states: &SharedStates,
    workers: usize,
    reduction: impl Fn() -> R + Sync,
) -> Outcome {
    let (program, settings) = (task.program, task.settings);
    let (machine, mut walk, mut tally) = match Tally::begin(task) {
        Ok(begun) => begun,
        Err(outcome) => return *outcome,
    };
    let ledger = Ledger::new(tally.ledger.model(), settings.all_errors);
    let ledger = std::mem::replace(&mut tally.ledger, ledger);
    let common = Common {
        program,
        settings,
        judge: ledger.judge(),
        states,
        team: Team::of(workers),
        level: Apart::default(),
        next: Apart::default(),
        unremembered: Apart::default(),
        wants_room: AtomicBool::new(false),
        stops: AtomicBool::new(false),
        desk: Mutex::new(Desk {
            ledger,
            shares: Vec::new(),
            found: Found::default(),
            limit: None,
            complete: false,
            levels: 0,
            saving: Saving::of(tally.monitor.checkpoints.as_ref()),
            counted: (0..workers).map(|_| None).collect(),
            before: Counts::at_start(machine.state().len()),
        }),
        gauges: (0..workers).map(|_| Apart::default()).collect(),
        witness: tally.monitor.witness.take().map(Mutex::new),
        saving: AtomicUsize::new(0),
        budget: tally.monitor.tables(),
    };
    let mut seconds_before = 0.0;
    match tally.monitor.checkpoints.as_mut().and_then(|schedule| schedule.from.take()) {
        None => begin(&common, &machine),
        Some(mut reader) => match common.restore(&mut reader) {
            Ok(seconds) => {
                seconds_before = seconds;
                common.next_level();
            }
            Err(limit) => {
                if let (Limit::File(why), Some(schedule)) = (&limit, &mut tally.monitor.checkpoints) {
                    schedule.refused = Some(why.clone());
                }
                common.stop(Some(limit));
            }
        },
    }
    let counted = oversee(&common, &machine, &mut walk, &mut tally, &reduction);
    // The search may have had to end while the table was growing, or in the middle of a level.
    states.end_doubling();
    let mut desk = common.desk();
    let _ = common.enter_found(&mut desk);
    leave_checkpoint(&common, &mut desk, tally.monitor.checkpoints.as_mut());
    drop(desk);
    let tables = common.memory();
    let Common { desk, witness, .. } = common;
    let Desk { ledger, limit, complete, levels, before, .. } =
        desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    let unwrapped = |witness: Mutex<Witness>| witness.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.monitor.witness = witness.map(unwrapped);
    (tally.ledger, tally.limit) = (ledger, limit);
    (tally.stored, tally.matched, tally.vector) = (before.stored, before.matched, before.vector);
    before.give_to(&mut walk);
    if before.cut {
        tally.cut_off();
    }
    for one in counted {
        tally.stored += one.stored;
        tally.matched += one.matched;
        tally.vector = tally.vector.max(one.vector);
        if one.cut {
            tally.cut_off();
        }
        walk.absorb(&one.walk);
    }
    let ended = if complete { Ended::Complete } else { Ended::Stopped };
    let omission = states.omission();
    let figures = StoreFigures { exact: omission.is_none(), peak: tally.stored, evicted: 0 };
    let stored = tally.stored;
    let mut outcome = tally.close((&machine, &walk), ended, tables, None, figures);
    outcome.omission_probability = omission.map(|omission| omission.probability);
    outcome.coverage = omission.map(|omission| omission.coverage);
    outcome.seconds += seconds_before;
    if workers > 1 && stored / levels.max(1) < PAYS_FROM {
        outcome.notes.push(format!(
            "the levels of this search have {} states on average; more than one worker pays from about {PAYS_FROM} on",
            stored / levels.max(1)
        ));
    }
    outcome
}

/// A search that could go on with more time or memory leaves the beginning of its level.
fn leave_checkpoint(common: &Common<'_>, desk: &mut Desk<'_>, schedule: Option<&mut CheckpointSchedule>) {
    let (Some(mut saving), Some(schedule)) = (desk.saving.take(), schedule) else { return };
    let worth = matches!(desk.limit, Some(Limit::Interrupted | Limit::Time(_) | Limit::Memory { .. }));
    let level = common.level.read().unwrap_or_else(PoisonError::into_inner);
    if worth && !level.is_empty() && schedule.refused.is_none() {
        // What makes no checkpoint ends no search: the search has ended.
        if let Err(limit) = common.write(&mut saving, &level) {
            desk.limit = Some(limit);
        }
    }
    saving.report(schedule);
}

/// Inserts the initial state, which is the first level.
fn begin(common: &Common<'_>, machine: &Machine<'_>) {
    let mut session = common.states.session();
    let hash = common.states.hash(machine.state());
    if session.insert(machine.saved(), hash, Origin::default(), Glance::default()) != Insertion::New {
        return common.stop(Some(common.states.limit()));
    }
    session.is_crowded();
    if let Some(witness) = &common.witness {
        lock(witness).note(machine);
    }
    common.desk().shares.push(session.share());
    session.let_go();
    common.next_level();
}

/// Starts the workers, and looks at budgets and signals until they are through.
fn oversee<R: Reduction>(
    common: &Common<'_>,
    machine: &Machine<'_>,
    walk: &mut Walk,
    tally: &mut Tally<'_, '_, '_>,
    reduction: &(impl Fn() -> R + Sync),
) -> Vec<Counted> {
    look(common, machine, walk, tally);
    let used = ((machine.memory() + walk.memory()) * common.gauges.len() + common.states.memory()) as u64;
    if let Some(budget) = common.budget.filter(|&budget| used > budget) {
        // So many machines have no room, whatever the search needs.
        common.stop(Some(Limit::Memory { used, budget }));
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..common.gauges.len() {
            if common.stops.load(Ordering::Relaxed) {
                break;
            }
            let work = move || {
                let _member = Member(&common.team);
                Worker::new(common, number).run(&mut reduction())
            };
            match std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(_) => {
                    common.stop(Some(Limit::NoRoom { bytes: STACK as u64 }));
                    break;
                }
            }
        }
        let missing = common.gauges.len() - threads.len();
        (0..missing).for_each(|_| drop(Member(&common.team)));
        while !common.team.wait(LOOK) {
            look(common, machine, walk, tally);
        }
        let joined = threads.into_iter().map(|thread| match thread.join() {
            Ok(counted) => counted,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    })
}

/// Looks at budgets and signals, and shows progress.
fn look(common: &Common<'_>, machine: &Machine<'_>, walk: &mut Walk, tally: &mut Tally<'_, '_, '_>) {
    let sum = |of: fn(&Gauge) -> &AtomicU64| common.gauges.iter().map(|gauge| of(gauge).load(Ordering::Relaxed)).sum();
    let stored: u64 = sum(|gauge| &gauge.stored);
    let desk = common.desk();
    (tally.stored, tally.matched) = (desk.before.stored + stored, desk.before.matched + sum(|gauge| &gauge.matched));
    walk.base_depth = desk.levels;
    drop(desk);
    if tally.look(machine, walk, common.memory(), Some(common.waiting())) == Control::Stop {
        common.stop(tally.limit.take());
    }
}
