//! The steps of a claim beside a run of the system.
//!
//! A search of a reduced model finds a run of the product. Its system steps are turned into a run of the user's model, which has
//! more steps (`search::statics`), and the claim has to make a step before each move of that run. The claim cannot tell the two runs
//! apart, so there are such steps; but they are others than those that the search has found. This file finds them: it follows the claim along
//! the given run in all ways at once, breadth first, which is a small search since the system has no choice.

use crate::exec::{Cursor, Fired, Machine, Program};
use crate::search::cycles::accepting;
use crate::search::cycles::lasso::{AtStep, is_atomic, is_state};
use crate::search::outcome::{Actor, Step};
use crate::search::walk::Rules;
use crate::search::walk::replay::take;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// What the claim is to come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// An accepting cycle. The run of the system repeats from this step on; from its end on if it stays there.
    Cycle(usize),
    /// The end of the claim.
    End,
    /// The last move of the run, whatever the claim does on the way.
    Follow,
}

/// A state in which the claim makes a step, and the steps of the system that follow.
struct Position {
    saved: Vec<u8>,
    steps: Range<usize>,
}

/// A position, and the claim's own part of the state.
type Node = (usize, Vec<u8>);

/// A run of the product with these steps of the system; and where its cycle starts, if it is one.
pub fn beside(
    program: &Program,
    rules: Rules,
    system: &[Step],
    goal: Goal,
) -> Result<(Vec<Step>, Option<usize>), String> {
    let run = Run::new(program, rules, system, goal)?;
    run.find().ok_or_else(|| "the claim does not follow the steps of the system".to_string())
}

struct Run<'a> {
    program: &'a Program,
    system: &'a [Step],
    positions: Vec<Position>,
    /// The position that follows the last one.
    back_to: Option<usize>,
    goal: Goal,
}

/// A step of the claim that leads from one node to another.
struct Edge {
    to: Node,
    transition: u32,
    /// The claim is at its end.
    ended: bool,
}

impl<'a> Run<'a> {
    fn new(program: &'a Program, rules: Rules, system: &'a [Step], goal: Goal) -> Result<Run<'a>, String> {
        // The run of the system alone: a state is where the next move starts.
        let alone = Rules { claim: false, ..rules };
        let mut machine = Machine::new(program).map_err(|trap| program.describe(trap))?;
        let mut positions: Vec<Position> = Vec::new();
        let (mut before, mut start) = (None, None);
        for (number, &step) in system.iter().enumerate() {
            let opens = is_state(&machine, alone, before, step);
            if opens {
                positions.push(Position { saved: machine.saved().to_vec(), steps: number..number });
            }
            if goal == Goal::Cycle(number) {
                start = Some(positions.len().saturating_sub(1)).filter(|_| opens);
            }
            before = Some(AtStep { step, atomic: is_atomic(&machine, step) });
            take(&mut machine, step).map_err(|what| format!("step {}: {what}", number + 1))?;
            machine.forget_journal_if_idle();
            if let Some(last) = positions.last_mut() {
                last.steps.end = number + 1;
            }
        }
        let back_to = match goal {
            Goal::Cycle(first) if first < system.len() => {
                Some(start.ok_or("the cycle starts in the middle of a move")?)
            }
            // The system stays where it is, and the claim goes on alone.
            Goal::Cycle(_) | Goal::End => {
                positions.push(Position { saved: machine.saved().to_vec(), steps: system.len()..system.len() });
                matches!(goal, Goal::Cycle(_)).then_some(positions.len() - 1)
            }
            Goal::Follow => None,
        };
        Ok(Run { program, system, positions, back_to, goal })
    }

    /// Where the claim's part of a state lies.
    fn record(&self) -> Option<Range<usize>> {
        let (at, number) = self.program.claim?;
        Some(at as usize..at as usize + self.program.proctypes[number as usize].size as usize)
    }

    fn load(&self, machine: &mut Machine<'_>, node: &Node) -> Option<()> {
        let mut saved = self.positions.get(node.0)?.saved.clone();
        saved.get_mut(self.record()?)?.copy_from_slice(&node.1);
        machine.load(&saved);
        Some(())
    }

    fn next(&self, position: usize) -> Option<usize> {
        if position + 1 < self.positions.len() { Some(position + 1) } else { self.back_to }
    }

    /// What the claim can do at a node. At the last position of a run that ends the claim may move once more.
    fn edges(&self, machine: &mut Machine<'_>, node: &Node) -> Option<Vec<Edge>> {
        self.load(machine, node)?;
        let mut edges = Vec::new();
        let record = self.record()?;
        let first = self.program.proctypes[self.program.claim?.1 as usize].first_transition;
        let mut cursor = Cursor::at(0, machine.claim_place()?);
        while let Some(number) = cursor.next(self.program) {
            let mark = machine.mark();
            let done = matches!(machine.fire_claim(number, cursor.moved()), Fired::Done);
            if done {
                let ended = machine.claim_place().is_some_and(|place| place.valid_end);
                let to = (self.next(node.0).unwrap_or(self.positions.len()), machine.saved()[record.clone()].to_vec());
                edges.push(Edge { to, transition: number - first, ended });
            }
            machine.undo(mark);
            if done {
                cursor.took(&self.program.transitions[number as usize]);
            }
        }
        Some(edges)
    }

    fn find(&self) -> Option<(Vec<Step>, Option<usize>)> {
        let machine = Machine::new(self.program).ok()?;
        let start: Node = (0, machine.saved().get(self.record()?)?.to_vec());
        if self.goal == Goal::End && machine.claim_place().is_some_and(|place| place.valid_end) {
            // The claim has ended before its first step.
            return Some((Vec::new(), None));
        }
        match self.goal {
            Goal::End | Goal::Follow => {
                let nodes = self.way(&start, &mut |_, edge| match self.goal {
                    Goal::End => edge.ended,
                    _ => edge.to.0 >= self.positions.len(),
                })?;
                let mut path = self.steps(&nodes);
                if self.goal == Goal::End && self.program.formula {
                    // The state that the claim has just looked at breaks the formula.
                    while path.last().is_some_and(|step| step.actor != Actor::Claim) {
                        path.pop();
                    }
                }
                Some((path, None))
            }
            Goal::Cycle(_) => self.lasso(&start),
        }
    }

    fn lasso(&self, start: &Node) -> Option<(Vec<Step>, Option<usize>)> {
        let mut machine = Machine::new(self.program).ok()?;
        let mut passed: Vec<Node> = Vec::new();
        loop {
            // The nearest accepting node that was not tried.
            let mut accepts = |node: &Node| {
                !passed.contains(node)
                    && node.0 >= self.back_to.unwrap_or(0)
                    && self.load(&mut machine, node).is_some()
                    && accepting(&machine)
            };
            let (stem, at) = match accepts(start) {
                true => (Vec::new(), start.clone()),
                false => {
                    let stem = self.way(start, &mut |_, edge| accepts(&edge.to))?;
                    let at = stem.last()?.1.to.clone();
                    (stem, at)
                }
            };
            if let Some(round) = self.way(&at, &mut |_, edge| edge.to == at) {
                let mut path = self.steps(&stem);
                let cycle_start = path.len();
                path.extend(self.steps(&round));
                return Some((path, Some(cycle_start)));
            }
            passed.push(at);
        }
    }

    /// A shortest way of one edge or more from a node; its last edge is wanted.
    fn way(&self, from: &Node, wanted: &mut dyn FnMut(&Node, &Edge) -> bool) -> Option<Vec<(usize, Edge)>> {
        let mut machine = Machine::new(self.program).ok()?;
        let mut before: HashMap<Node, (Node, u32)> = HashMap::new();
        let mut queue = VecDeque::from([from.clone()]);
        while let Some(at) = queue.pop_front() {
            for edge in self.edges(&mut machine, &at)? {
                if wanted(&at, &edge) {
                    let mut way = vec![(at.0, edge)];
                    let mut back = at;
                    while back != *from {
                        let (previous, transition) = before.get(&back)?.clone();
                        way.push((previous.0, Edge { to: back, transition, ended: false }));
                        back = previous;
                    }
                    way.reverse();
                    return Some(way);
                }
                if edge.to.0 < self.positions.len() && edge.to != *from && !before.contains_key(&edge.to) {
                    before.insert(edge.to.clone(), (at.clone(), edge.transition));
                    queue.push_back(edge.to);
                }
            }
        }
        None
    }

    /// The steps of claim and system along a way.
    fn steps(&self, way: &[(usize, Edge)]) -> Vec<Step> {
        let mut steps = Vec::new();
        for (position, edge) in way {
            steps.push(Step { actor: Actor::Claim, transition: edge.transition, timeout: false });
            if let Some(position) = self.positions.get(*position) {
                steps.extend(&self.system[position.steps.clone()]);
            }
        }
        steps
    }
}
