//! A shorter lasso from one that a search has found (`--shortest`).
//!
//! A breadth-first search from the initial state finds the state of the cycle that is nearest, and the shortest way to it. A
//! second one from there finds the shortest way back that passes an accepting state: its nodes are pairs of a state and
//! whether an accepting state was passed. Before that, cycles through accepting states that lie nearer to the initial state are
//! tried, nearest first, as long as one of them can make the lasso shorter and a fixed amount of work is not used up. A fair
//! cycle is kept as it was found, since a shorter one may be unfair; only the way to it becomes shorter.
//!
//! What comes out need not be the shortest lasso of all. It is judged by [`lasso::check`] like every other cycle; nothing comes out
//! where the given lasso has fewer steps (moves are counted here, and a move may be a long block) or where a budget is used up. Costs at most the states that can be reached, twice for
//! the ways and the rest for cycles, with a copy of each.

use crate::exec::{Machine, Program};
use crate::model::TransitionType;
use crate::search::cycles::{accepting, lasso};
use crate::search::monitor::Patience;
use crate::search::outcome::{Step, Violation};
use crate::search::reduce::Full;
use crate::search::walk::replay::steps_between;
use crate::search::walk::{Control, Decision, Ended, Rules, Visitor, Walk};
use rapidhash::RapidHashMap;

/// Expansions of states for cycles nearer to the initial state.
const TRIES: usize = 200_000;

/// A lasso that is not longer for a violation that has one: no way to its cycle has fewer moves, and unless it has to be fair no
/// accepting way round from there. `None`: there is none, a budget is used up, or the cycle depends on hidden variables, which
/// are no part of a state.
pub fn shorten(
    program: &Program,
    rules: Rules,
    fair: bool,
    violation: &Violation,
    patience: Patience<'_>,
) -> Option<Violation> {
    let start = violation.cycle_start.filter(|_| program.hidden == 0)?;
    let rules = Rules { max_depth: u64::MAX, ..rules };
    let finder = Finder { program, rules, patience };
    let mut states = States::default();
    lasso::go_round(program, rules, violation, &mut exactly, |number, machine: &Machine<'_>| {
        states.entry(machine.state().into()).or_insert(number);
    })
    .ok()?;
    let round = match (start == violation.path.len(), fair) {
        // Nothing moves any more: the run stays in that state.
        (true, _) => Round::None,
        (false, true) => Round::Turned(&violation.path[start..], start),
        (false, false) => Round::Shortest,
    };
    let (mut shorter, moves) = finder.lasso(violation, &states, &round)?;
    if let Round::Shortest = round
        && let Some(nearer) = finder.nearer(moves)
    {
        let states = nearer.into_iter().map(|state| (state, 0)).collect();
        let (other, _) = finder.lasso(violation, &states, &round)?;
        if other.path.len() < shorter.path.len() {
            shorter = other;
        }
    }
    let is_longer = shorter.path.len() > violation.path.len();
    (!is_longer && lasso::check(program, rules, fair, &shorter, &mut exactly).is_ok()).then_some(shorter)
}

/// The cycle comes back to the very state that it starts from.
fn exactly(_: &[u8], _: &[u8]) -> bool {
    false
}

/// The states of a cycle, each with the number of the step that comes next.
type States = RapidHashMap<Box<[u8]>, usize>;

/// How the cycle of a new lasso is made.
enum Round<'a> {
    /// There are no steps.
    None,
    /// The same steps from another state on; the number is that of the first.
    Turned(&'a [Step], usize),
    /// A shortest one.
    Shortest,
}

struct Finder<'a> {
    program: &'a Program,
    rules: Rules,
    patience: Patience<'a>,
}

/// A state that was met, and whether the way to it passes an accepting state.
struct Node {
    state: Box<[u8]>,
    accepts: bool,
    before: usize,
    depth: usize,
}

impl Finder<'_> {
    /// The lasso with a shortest way to one of these states, and its number of moves.
    fn lasso(&self, violation: &Violation, states: &States, round: &Round<'_>) -> Option<(Violation, usize)> {
        let mut machine = Machine::new(self.program).ok()?;
        let start = machine.state().to_vec();
        let way = match states.contains_key(&*start) {
            true => Vec::new(),
            false => self.nearest(&start, |state, _| states.contains_key(state), usize::MAX, &mut { usize::MAX })?,
        };
        let mut path = steps_between(&mut machine, self.rules, way.iter().map(|state| &**state))?;
        let cycle_start = path.len();
        let mut moves = way.len();
        path.extend(match round {
            Round::None => Vec::new(),
            Round::Turned(steps, first) => {
                let turn = states.get(machine.state())?.checked_sub(*first)?;
                steps[turn..].iter().chain(&steps[..turn]).copied().collect()
            }
            Round::Shortest => {
                let here = machine.state().to_vec();
                let back = |state: &[u8], accepts: bool| accepts && *state == *here;
                let around = self.nearest(&here, back, usize::MAX, &mut { usize::MAX })?;
                moves += around.len();
                steps_between(&mut machine, self.rules, around.iter().map(|state| &**state))?
            }
        });
        let depth = path.len() as u64;
        Some((Violation { path, cycle_start: Some(cycle_start), depth, ..violation.clone() }, moves))
    }

    /// The states of a cycle that makes a lasso of fewer moves than these, if one is found.
    fn nearer(&self, moves: usize) -> Option<Vec<Box<[u8]>>> {
        let mut machine = Machine::new(self.program).ok()?;
        let mut met = Met::new(machine.state(), false);
        let (mut best, mut cycle, mut left) = (moves, None, TRIES);
        let mut next = 0;
        while left > 0 && met.nodes.get(next).is_some_and(|node| node.depth + 1 < best) {
            let (state, depth) = (met.nodes[next].state.clone(), met.nodes[next].depth);
            machine.load(&state);
            if accepting(&machine) {
                let back = |other: &[u8], _| *other == *state;
                if let Some(round) = self.nearest(&state, back, best - depth - 1, &mut left) {
                    best = depth + round.len();
                    cycle = Some(round);
                }
                machine.load(&state);
            }
            match self.expand(&mut machine, &mut met, next, false, &|_, _| false) {
                Expansion::Found | Expansion::Over => break,
                Expansion::Expanded => next += 1,
            }
        }
        cycle
    }

    /// The states on a shortest way of at least one and at most `most` moves from a state to one that is wanted, without the
    /// first. `left`: how many states may still be expanded.
    fn nearest(
        &self,
        from: &[u8],
        wanted: impl Fn(&[u8], bool) -> bool,
        most: usize,
        left: &mut usize,
    ) -> Option<Vec<Box<[u8]>>> {
        let mut machine = Machine::new(self.program).ok()?;
        machine.load(from);
        let mut met = Met::new(from, accepting(&machine));
        let mut next = 0;
        while met.nodes.get(next).is_some_and(|node| node.depth < most) {
            *left = left.checked_sub(1)?;
            machine.load(&met.nodes[next].state);
            match self.expand(&mut machine, &mut met, next, true, &wanted) {
                Expansion::Found => return Some(met.way()),
                Expansion::Over => return None,
                Expansion::Expanded => next += 1,
            }
        }
        None
    }

    /// Meets the successors of a node, which is the machine's state. `flags`: states are told apart by what was passed.
    fn expand(
        &self,
        machine: &mut Machine<'_>,
        met: &mut Met,
        at: usize,
        flags: bool,
        wanted: &dyn Fn(&[u8], bool) -> bool,
    ) -> Expansion {
        let (passed, depth) = (met.nodes[at].accepts, met.nodes[at].depth + 1);
        let mut visitor = Neighbours { met, at, depth, passed, flags, wanted, found: false, patience: self.patience };
        let mut walk = Walk::new(self.program.transitions.len(), self.rules);
        let ended = walk.expand(machine, &mut visitor, &mut Full);
        let found = visitor.found;
        machine.forget_journal();
        if found {
            Expansion::Found
        } else if ended == Ended::Stopped || self.patience.is_over(met.bytes) {
            Expansion::Over
        } else {
            Expansion::Expanded
        }
    }
}

/// What came of an expansion.
enum Expansion {
    /// The newest node is the wanted one.
    Found,
    /// A budget is used up.
    Over,
    /// All successors are met.
    Expanded,
}

/// All nodes, in the order in which they were met.
struct Met {
    nodes: Vec<Node>,
    /// For each state: met without and with an accepting state on the way.
    known: RapidHashMap<Box<[u8]>, [bool; 2]>,
    bytes: usize,
}

impl Met {
    fn new(state: &[u8], accepts: bool) -> Met {
        let mut met = Met { nodes: Vec::new(), known: RapidHashMap::default(), bytes: 0 };
        met.add(Node { state: state.into(), accepts, before: usize::MAX, depth: 0 });
        met
    }

    fn add(&mut self, node: Node) {
        let known = match self.known.get_mut(&node.state) {
            Some(known) => known,
            None => self.known.entry(node.state.clone()).or_default(),
        };
        if !std::mem::replace(&mut known[usize::from(node.accepts)], true) {
            self.bytes += 2 * node.state.len() + 112;
            self.nodes.push(node);
        }
    }

    /// The way to the newest node, without the first.
    fn way(mut self) -> Vec<Box<[u8]>> {
        let mut way = Vec::new();
        let mut at = self.nodes.len() - 1;
        while let Some(node) = self.nodes.get_mut(at).filter(|node| node.before != usize::MAX) {
            way.push(std::mem::take(&mut node.state));
            at = node.before;
        }
        way.reverse();
        way
    }
}

struct Neighbours<'a> {
    met: &'a mut Met,
    /// The node whose successors are met.
    at: usize,
    /// How far they are from the first node.
    depth: usize,
    /// An accepting state was passed on the way to the node.
    passed: bool,
    flags: bool,
    wanted: &'a dyn Fn(&[u8], bool) -> bool,
    found: bool,
    patience: Patience<'a>,
}

impl Visitor for Neighbours<'_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        let accepts = self.flags && (self.passed || accepting(machine));
        let node = Node { state: machine.state().into(), accepts, before: self.at, depth: self.depth };
        if (self.wanted)(machine.state(), accepts) {
            self.met.nodes.push(node);
            self.found = true;
            return Decision::Stop;
        }
        self.met.add(node);
        Decision::Back
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        if self.patience.is_over(self.met.bytes + walk.memory()) { Control::Stop } else { Control::Continue }
    }
}
