//! Who can move in a state, and where each move leads.
//!
//! A move is what happens between two states that count: one step, the two halves of a rendezvous, or the steps of an atomic block up
//! to its end or to the point where it is blocked. States inside of a block are passed through; every way through counts.

use super::control::{Offer, Place};
use super::definition::Definition;
use super::fault::Fault;
use super::run::{Run, Who};
use super::state::State;
use std::collections::{BTreeSet, HashMap, HashSet};

/// A path through a block that is longer, or a block with more steps in all, may take too long. From here on its states are
/// remembered, and none is followed twice.
const LONG_BLOCK: usize = 5_000;
const WIDE_BLOCK: usize = 1 << 20;

/// The statement that a process executes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The process.
    pub pid: usize,
    /// The point of the statement in the body of the process.
    pub point: Place,
}

/// A move, or an error that happened while one was tried.
#[derive(Clone, Debug)]
pub struct Move {
    /// The first step, of a rendezvous that of the sender; none for an error in a `provided` clause.
    pub step: Option<Step>,
    /// The receiver's half, if the first step is a rendezvous.
    pub partner: Option<Step>,
    /// All processes that have made a step.
    pub movers: BTreeSet<usize>,
    /// Errors on the way.
    pub faults: Vec<Fault>,
    /// The state at its end; none if it ends in an error, or in a block that goes on for ever.
    pub end: Option<State>,
}

/// All that can happen in a state.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    /// In the order in which SPIN tries them.
    pub moves: Vec<Move>,
    /// Some process can move, be it into an error. If not, the state is an end.
    pub any: bool,
    /// Processes that can make the first step of a move.
    pub able: BTreeSet<usize>,
    /// The moves are those under `timeout`: nobody could move without.
    pub timeout: bool,
    /// Some way through an atomic block was left because it came to where another one had been, so that the number of moves says nothing.
    pub endless: bool,
}

/// One step from a state, or the two halves of a rendezvous.
struct Single {
    step: Option<Step>,
    partner: Option<Step>,
    faults: Vec<Fault>,
    /// The state behind it, and who goes on alone there.
    end: Option<(State, Option<usize>)>,
    /// It counts as a move.
    moves: bool,
}

/// A state inside of a block.
#[derive(Clone)]
struct Inside {
    state: State,
    holder: usize,
    movers: BTreeSet<usize>,
    faults: Vec<Fault>,
    depth: usize,
}

/// What is left to do of a block.
enum Left {
    /// The steps from a state inside.
    Steps(Inside),
    /// A way through the block that is complete.
    Way(Move),
}

/// The moves of a state, every way through a block for itself.
pub fn moves(definition: &Definition, state: &State) -> Moves {
    found(definition, state, false)
}

/// The moves of a state, for who does not count them: ways through a block that meet go on as one. Their ends, those who have moved up to
/// there and the errors on the way are the same; a block with a million ways takes no longer than its states do.
pub fn merged_moves(definition: &Definition, state: &State) -> Moves {
    found(definition, state, true)
}

fn found(definition: &Definition, state: &State, merged: bool) -> Moves {
    let plain = attempt(definition, state, false, merged);
    if plain.any || state.processes.is_empty() {
        return plain;
    }
    let late = attempt(definition, state, true, merged);
    // What went wrong without `timeout` is not told again; what goes wrong only with it is.
    let mut moves = plain.moves;
    let told: Vec<Fault> = moves.iter().flat_map(|one| one.faults.clone()).collect();
    let is_new = |one: &Move| one.faults.iter().any(|fault| !told.contains(fault));
    moves.extend(late.moves.into_iter().filter(|one| one.end.is_some() || late.any || is_new(one)));
    Moves { moves, any: late.any, able: late.able, timeout: true, endless: late.endless }
}

/// Nobody can move without `timeout`.
pub fn stuck(definition: &Definition, state: &State) -> bool {
    singles(definition, state, None, false).iter().all(|single| !single.moves)
}

fn attempt(definition: &Definition, state: &State, timeout: bool, merged: bool) -> Moves {
    let mut found = Moves::default();
    for single in singles(definition, state, None, timeout) {
        found.any |= single.moves;
        let movers: BTreeSet<usize> = [single.step, single.partner].iter().flatten().map(|step| step.pid).collect();
        if single.moves {
            found.able.extend(movers.iter().copied());
        }
        follow(definition, single, movers, merged, &mut found);
    }
    found
}

/// Follows a first step through the block that it may have entered, in the order in which SPIN does.
fn follow(definition: &Definition, first: Single, movers: BTreeSet<usize>, merged: bool, into: &mut Moves) {
    let (step, partner) = (first.step, first.partner);
    let way = |movers, faults, end| Move { step, partner, movers, faults, end };
    let (state, holder) = match first.end {
        Some((state, Some(holder))) => (state, holder),
        Some((state, None)) => return into.moves.push(way(movers, first.faults, Some(state))),
        None if first.moves || !first.faults.is_empty() => return into.moves.push(way(movers, first.faults, None)),
        None => return,
    };
    let start = Inside { state, holder, movers, faults: first.faults, depth: 1 };
    let mut open = vec![Left::Steps(start.clone())];
    let mut passed = HashSet::new();
    let (mut count, mut merged, before) = (0, merged, into.moves.len());
    while let Some(left) = open.pop() {
        let here = match left {
            Left::Way(complete) => {
                into.moves.push(complete);
                continue;
            }
            Left::Steps(here) => here,
        };
        count += 1;
        if count == LONG_BLOCK && !merged && comes_around(definition, &start) {
            // There is no number of ways through it, so we do not have to go them all.
            into.moves.truncate(before);
            into.endless = true;
            (open, merged) = (vec![Left::Steps(start.clone())], true);
            continue;
        }
        if (merged || here.depth > LONG_BLOCK || count > WIDE_BLOCK)
            && !passed.insert((here.state.clone(), here.state.hidden.0.clone(), here.holder, here.movers.clone()))
        {
            // From here on it was followed. What went wrong up to here has happened all the same.
            into.endless = true;
            if !here.faults.is_empty() {
                into.moves.push(way(here.movers, here.faults, None));
            }
            continue;
        }
        let mut next = go_on(definition, &here, &way);
        // The first of them is followed first.
        next.reverse();
        open.extend(next);
    }
}

/// Some way through a block comes to where it has been, so that the block can go on for ever. We go in depth, and look for a state that
/// is on the way to itself.
fn comes_around(definition: &Definition, start: &Inside) -> bool {
    let key = |here: &Inside| (here.state.clone(), here.state.hidden.0.clone(), here.holder);
    let next = |here: &Inside| {
        let way = |movers, faults, end| Move { step: None, partner: None, movers, faults, end };
        let left = go_on(definition, here, &way).into_iter();
        left.filter_map(|left| if let Left::Steps(inside) = left { Some(inside) } else { None })
    };
    // Is the state on the way?
    let mut known = HashMap::from([(key(start), true)]);
    let mut path = vec![(key(start), next(start).collect::<Vec<_>>())];
    while let Some((here, left)) = path.last_mut() {
        let Some(inside) = left.pop() else {
            known.insert(here.clone(), false);
            path.pop();
            continue;
        };
        match known.get(&key(&inside)) {
            Some(true) => return true,
            Some(false) => {}
            None => {
                known.insert(key(&inside), true);
                path.push((key(&inside), next(&inside).collect()));
            }
        }
    }
    false
}

/// All that can come next inside of a block. If nothing can, the block is broken off here.
fn go_on(
    definition: &Definition,
    here: &Inside,
    way: &dyn Fn(BTreeSet<usize>, Vec<Fault>, Option<State>) -> Move,
) -> Vec<Left> {
    let singles = singles(definition, &here.state, Some(here.holder), false);
    let blocked = singles.iter().all(|single| !single.moves);
    let mut next = Vec::new();
    for single in singles {
        let mut movers = here.movers.clone();
        movers.extend([single.step, single.partner].iter().flatten().map(|step| step.pid));
        let mut faults = here.faults.clone();
        // A block that goes around meets the same error again and again.
        faults.extend(single.faults.iter().filter(|fault| !here.faults.contains(fault)));
        match single.end {
            Some((state, Some(holder))) => {
                next.push(Left::Steps(Inside { state, holder, movers, faults, depth: here.depth + 1 }));
            }
            Some((state, None)) => next.push(Left::Way(way(movers, faults, Some(state)))),
            None if single.moves || !single.faults.is_empty() => next.push(Left::Way(way(movers, faults, None))),
            None => {}
        }
    }
    if blocked {
        next.push(Left::Way(way(here.movers.clone(), here.faults.clone(), Some(here.state.clone()))));
    }
    next
}

/// All single steps from a state, from the highest pid down. `holder`: only this process may move, for it is inside a block.
fn singles(definition: &Definition, state: &State, holder: Option<usize>, timeout: bool) -> Vec<Single> {
    let pids: Vec<usize> = match holder {
        Some(holder) => vec![holder],
        None => (0..state.processes.len()).rev().collect(),
    };
    let mut found = Vec::new();
    for pid in pids {
        let run = Run::from(definition, state, timeout);
        each_offer(definition, &run, pid, &mut found, &mut |run, offer, faults, found| {
            let step = Step { pid, point: offer.point };
            if run.offered.is_none() {
                let holder = offer.atomic.then_some(pid);
                let end = Some((run.state, holder));
                found.push(Single { step: Some(step), partner: None, faults, end, moves: true });
                return true;
            }
            rendezvous(definition, run, step, faults, found)
        });
    }
    found
}

/// A message is offered: every other process may take it. True if somebody does; else nothing was sent.
fn rendezvous(
    definition: &Definition,
    mut run: Run<'_>,
    send: Step,
    faults: Vec<Fault>,
    found: &mut Vec<Single>,
) -> bool {
    // An error of the offer is one whether or not somebody takes it.
    if !faults.is_empty() {
        found.push(Single { step: Some(send), partner: None, faults, end: None, moves: false });
    }
    run.timeout = false;
    let mut taken = false;
    for pid in (0..run.state.processes.len()).rev().filter(|&pid| pid != send.pid) {
        each_offer(definition, &run, pid, found, &mut |run, offer, faults, found| {
            let partner = Some(Step { pid, point: offer.point });
            let holder = offer.atomic.then_some(pid);
            let end = Some((run.state, holder));
            found.push(Single { step: Some(send), partner, faults, end, moves: true });
            taken = true;
            true
        });
    }
    taken
}

type Each<'c, 'd> = &'c mut dyn FnMut(Run<'d>, &Offer, Vec<Fault>, &mut Vec<Single>) -> bool;

/// Calls `each` with every statement of a process that is executable, executed. It says whether the statement counts as done.
/// Errors of statements that are not executable go to `found`.
fn each_offer<'d>(definition: &'d Definition, run: &Run<'d>, pid: usize, found: &mut Vec<Single>, each: Each<'_, 'd>) {
    let error = |step, faults, moves| Single { step, partner: None, faults, end: None, moves };
    match run.permitted(pid) {
        Ok(true) => {}
        Ok(false) => return,
        Err(fault) => return found.push(error(None, vec![fault], false)),
    }
    let process = &run.state.processes[pid];
    let body = &definition.bodies[process.body];
    let who = Who::Process(pid);
    let (mut moved, mut escape) = (false, None);
    for offer in &body.offers[process.place] {
        // Where a statement of an escape was executable, what lies outside of that escape is not tried.
        if escape.is_some() && escape != offer.escape {
            break;
        }
        let point = &body.points[offer.point];
        let step = Some(Step { pid, point: offer.point });
        let mut next = run.clone();
        let me = next.me(who, process.body, offer.point);
        match next.execute(me, &point.what, point.span, moved) {
            Err(fault) => {
                // Something was executable here, only not soundly: nobody is to call it blocked.
                found.push(error(step, [next.told(), vec![fault]].concat(), true));
                moved = true;
            }
            Ok(false) => {
                let faults = next.told();
                if !faults.is_empty() {
                    found.push(error(step, faults, false));
                }
            }
            Ok(true) => {
                if next.state.processes.len() > pid
                    && let Some(process) = next.process_mut(who)
                {
                    process.place = offer.target;
                }
                if definition.asks_last {
                    next.state.last = pid as i32;
                }
                let faults = next.told();
                let counts = each(next, offer, faults, found);
                moved |= counts;
                escape = if counts { offer.escape } else { None };
            }
        }
    }
}
