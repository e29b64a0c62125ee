//! Runs that go on for ever: acceptance cycles, cycles without progress, formulas, with or without weak fairness.
//!
//! We make the whole graph of what the system and the claim do together, cut it into strongly connected components (Tarjan's
//! algorithm), and judge each component by the definition. A component has a run through all of it again and again, so it
//! violates a property exactly if it accepts as a whole. A run is weakly fair if every process that can move from some point on
//! without a break moves again and again: in each component a process must be unable to move in some state, or move on some edge.
//!
//! The claim moves first and looks at the state before each move of the system. Where the system cannot move, it stays where it is for
//! ever, and the claim goes on alone. A process that waits at an `accept` label then accepts. Only for cycles without progress such a
//! run does not count: where nothing moves there is no cycle.

use super::check::open::Opening;
use super::control::Marks;
use super::definition::Definition;
use super::fault::{Fault, FaultKind};
use super::formula::{Formulas, Id, Obligations};
use super::moves::{Moves, merged_moves, stuck};
use super::run::{Run, Who};
use super::state::State;
use crate::syntax::tree::Formula;
use indexmap::IndexSet;
use std::collections::{BTreeSet, HashMap};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Property<'f> {
    /// Cycles through a label that starts with `accept`, of a process or of the never claim; and the end of that claim.
    Acceptance,
    /// Cycles that pass no label that starts with `progress`.
    NonProgress,
    /// Runs that violate a formula.
    Formula(&'f Formula),
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// No run violates the property.
    Holds,
    /// A run does.
    Violated,
    /// There are more states than were asked for.
    Incomplete,
    /// In some state the formula cannot be evaluated, so nobody can say that it holds. Which parts of a formula are evaluated is up to who
    /// follows it, so another one may find an answer.
    Unclear(Fault),
}

/// Which errors count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counting {
    /// Those of the system; they are told for closed sets of states only.
    pub system: bool,
    /// Failed assertions, be it of the system or of the claim.
    pub assertions: bool,
}

impl Counting {
    /// Does this error count, if those of its place do?
    pub fn counts(self, fault: &Fault) -> bool {
        self.assertions || fault.kind != FaultKind::Assertion
    }
}

/// States to which a judgement keeps.
#[derive(Clone, Copy, Debug)]
pub enum Within<'s> {
    /// All that can be reached from the initial state.
    Reachable,
    /// These states, claim included, with what they leave open: all of them are looked at, and none may lead elsewhere.
    Closed(&'s IndexSet<State>, &'s Opening),
    /// Of what can be reached, these states of the system. A run that violates the property in a part of the graph violates it.
    Only(&'s IndexSet<State>),
}

/// Why a set of states is none that a run cannot leave, or no state of which is wrong.
#[derive(Clone, Debug)]
pub enum Hole {
    /// This state leads to one that is not in the set.
    Leaves(State, State),
    /// In this state an error happens.
    Fault(State, Fault),
    /// What follows this state hangs on a value that it leaves open.
    Asks(State),
}

/// A state of the system and of what is looked for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Node {
    state: State,
    obligations: Obligations,
}

#[derive(Clone, Debug)]
struct Edge {
    to: usize,
    movers: BTreeSet<usize>,
    /// Formulas that were put off.
    put_off: BTreeSet<Id>,
}

/// What is known of a node.
#[derive(Clone, Debug, Default)]
struct About {
    accepts: bool,
    progress: bool,
    able: BTreeSet<usize>,
    edges: Vec<Edge>,
}

struct Graph<'d> {
    definition: &'d Definition,
    formulas: Option<Formulas>,
    claim: bool,
    /// A run that can go no further counts as one that stays where it is for ever.
    stutters: bool,
    nodes: Vec<Node>,
    numbers: HashMap<Node, usize>,
    about: Vec<About>,
    /// The claim has come to its end or to an error, or a formula is violated by what was seen already.
    ended: bool,
    /// The first error in an evaluation of the formula.
    unclear: Option<Fault>,
    within: Within<'d>,
    counting: Counting,
    /// The first hole in a closed set.
    hole: Option<Hole>,
}

/// Judges a property on at most so many states. An error is one of the initial state.
pub fn judge(definition: &Definition, property: Property<'_>, fair: bool, most: usize) -> Result<Judgement, Fault> {
    let counting = Counting { system: false, assertions: true };
    judge_within(definition, property, fair, most, Within::Reachable, counting).map(|(judgement, _)| judgement)
}

/// The same on some states only. What is given beside the judgement is the reason why a closed set is not what it is taken for.
pub fn judge_within<'d>(
    definition: &'d Definition,
    property: Property<'_>,
    fair: bool,
    most: usize,
    within: Within<'d>,
    counting: Counting,
) -> Result<(Judgement, Option<Hole>), Fault> {
    let formulas = match property {
        Property::Formula(formula) => Some(Formulas::against(formula)),
        _ => None,
    };
    let claim = matches!(property, Property::Acceptance) && definition.never.is_some();
    let state = Run::initial(definition, claim)?;
    let obligations = formulas.as_ref().map(Formulas::start).unwrap_or_default();
    let mut graph = Graph {
        definition,
        formulas,
        claim,
        stutters: !matches!(property, Property::NonProgress),
        nodes: Vec::new(),
        numbers: HashMap::new(),
        about: Vec::new(),
        ended: false,
        unclear: None,
        within,
        counting,
        hole: None,
    };
    graph.number(Node { state: graph.clear(state), obligations });
    if let Within::Closed(set, _) = within {
        for state in set {
            graph.number(Node { state: state.clone(), obligations: Obligations::new() });
        }
    }
    let mut at = 0;
    while at < graph.nodes.len() && !graph.ended && graph.hole.is_none() {
        if graph.nodes.len() > most {
            return Ok((Judgement::Incomplete, None));
        }
        let about = graph.look(at);
        graph.about.push(about);
        if matches!(within, Within::Closed(..)) && Opening::was_asked(definition) {
            graph.hole = Some(Hole::Asks(graph.nodes[at].state.clone()));
        }
        at += 1;
    }
    if graph.hole.is_some() {
        return Ok((Judgement::Incomplete, graph.hole));
    }
    let violated = graph.ended || graph.components(property).iter().any(|part| graph.violates(part, property, fair));
    let judgement = match graph.unclear {
        _ if violated => Judgement::Violated,
        Some(fault) => Judgement::Unclear(fault),
        None => Judgement::Holds,
    };
    Ok((judgement, None))
}

impl Graph<'_> {
    fn number(&mut self, node: Node) -> usize {
        if let Some(&number) = self.numbers.get(&node) {
            return number;
        }
        self.numbers.insert(node.clone(), self.nodes.len());
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn look(&mut self, number: usize) -> About {
        let node = self.nodes[number].clone();
        let found = merged_moves(self.definition, &node.state);
        let (accepts, progress) = self.labels(&node.state);
        let mut about = About { accepts, progress, able: found.able.clone(), edges: Vec::new() };
        for (after, obligations, put_off) in self.observe(&node) {
            // The claim has moved in `after`, the system has not.
            let found = if self.claim { merged_moves(self.definition, &after) } else { found.clone() };
            self.find_faults(&node.state, &found);
            let mut ends: Vec<(State, BTreeSet<usize>)> =
                found.moves.into_iter().filter_map(|one| Some((one.end?, one.movers))).collect();
            if !found.any && self.stutters {
                ends.push((after, BTreeSet::new()));
            }
            for (state, movers) in ends {
                let state = self.clear(state);
                if !self.goes(&node.state, &state) {
                    continue;
                }
                let to = self.number(Node { state, obligations: obligations.clone() });
                about.edges.push(Edge { to, movers, put_off: put_off.clone() });
            }
        }
        about
    }

    fn find_faults(&mut self, state: &State, found: &Moves) {
        let mut faults = found.moves.iter().flat_map(|one| &one.faults);
        if !self.counting.system {
            return;
        }
        if let (Within::Closed(..), None, Some(fault)) =
            (self.within, &self.hole, faults.find(|fault| self.counting.counts(fault)))
        {
            self.hole = Some(Hole::Fault(state.clone(), *fault));
        }
    }

    /// A state without what is left open in it.
    fn clear(&self, state: State) -> State {
        match self.within {
            Within::Closed(_, opening) => opening.clear(&state),
            _ => state,
        }
    }

    /// Is the move from one state to another one looked at?
    fn goes(&mut self, from: &State, to: &State) -> bool {
        match self.within {
            Within::Reachable => true,
            Within::Only(set) => set.contains(&State { claim: None, ..to.clone() }),
            Within::Closed(set, _) => {
                if !set.contains(to) && self.hole.is_none() {
                    self.hole = Some(Hole::Leaves(from.clone(), to.clone()));
                }
                true
            }
        }
    }

    /// The claim, or the formula, looks at a state: where it can be afterwards.
    fn observe(&mut self, node: &Node) -> Vec<(State, Obligations, BTreeSet<Id>)> {
        let timeout = (self.claim || self.formulas.is_some()) && stuck(self.definition, &node.state);
        let run = Run::from(self.definition, &node.state, timeout);
        if let Some(formulas) = &self.formulas {
            let ways = formulas.ways(&run, &node.obligations);
            self.unclear = self.unclear.or(run.told().first().copied());
            // Nothing is left to be met: the run violates the property, whatever follows.
            self.ended |= ways.iter().any(|way| way.next.is_empty());
            return ways.into_iter().map(|way| (node.state.clone(), way.next, way.put_off)).collect();
        }
        let plain = || (node.state.clone(), Obligations::new(), BTreeSet::new());
        let Some(claim) = node.state.claim.clone() else { return vec![plain()] };
        let body = &self.definition.bodies[claim.body];
        // An end label of the claim is an end of it.
        if body.marks[claim.place].end {
            self.ended = true;
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut moved = false;
        for offer in &body.offers[claim.place] {
            let point = &body.points[offer.point];
            let mut next = run.clone();
            let me = next.me(Who::Claim, claim.body, offer.point);
            // An error of the claim is a violation of it, whether or not its statement is executable.
            let executed = next.execute(me, &point.what, point.span, moved);
            self.ended |= executed.is_err() || next.told().iter().any(|fault| self.counting.counts(fault));
            if executed != Ok(true) {
                continue;
            }
            moved = true;
            if let Some(claim) = next.process_mut(Who::Claim) {
                claim.place = offer.target;
            }
            found.push((next.state, Obligations::new(), BTreeSet::new()));
        }
        found
    }

    /// Some process or the claim is at an `accept` label; some process at a `progress` label. A formula does not speak of labels.
    fn labels(&self, state: &State) -> (bool, bool) {
        let marks =
            |process: &super::state::Process| -> Marks { self.definition.bodies[process.body].marks[process.place] };
        let accepts = state.processes.iter().any(|process| marks(process).accept)
            || state.claim.as_ref().is_some_and(|claim| marks(claim).accept);
        (accepts && self.formulas.is_none(), state.processes.iter().any(|process| marks(process).progress))
    }

    /// Only these nodes and edges count for a property.
    fn counts(&self, number: usize, property: Property<'_>) -> bool {
        !matches!(property, Property::NonProgress) || !self.about[number].progress
    }

    /// A run through all of a component, again and again, violates the property.
    fn violates(&self, part: &[usize], property: Property<'_>, fair: bool) -> bool {
        let inside: BTreeSet<usize> = part.iter().copied().collect();
        let edges: Vec<&Edge> =
            part.iter().flat_map(|&node| &self.about[node].edges).filter(|edge| inside.contains(&edge.to)).collect();
        let accepts = match (&self.formulas, property) {
            (Some(formulas), _) => {
                formulas.promises().all(|promise| edges.iter().any(|edge| !edge.put_off.contains(&promise)))
            }
            (None, Property::NonProgress) => true,
            (None, _) => part.iter().any(|&node| self.about[node].accepts),
        };
        !edges.is_empty() && accepts && (!fair || self.is_fair(part, &edges))
    }

    fn is_fair(&self, part: &[usize], edges: &[&Edge]) -> bool {
        let most = part.iter().map(|&node| self.nodes[node].state.processes.len()).max().unwrap_or(0);
        (0..most).all(|pid| {
            part.iter().any(|&node| !self.about[node].able.contains(&pid))
                || edges.iter().any(|edge| edge.movers.contains(&pid))
        })
    }

    /// The strongly connected components of the nodes that count (Tarjan 1972), without recursion.
    fn components(&self, property: Property<'_>) -> Vec<Vec<usize>> {
        let mut tarjan = Tarjan::new(self.about.len());
        for root in 0..self.about.len() {
            if tarjan.order[root].is_some() || !self.counts(root, property) {
                continue;
            }
            let mut path = vec![(root, 0)];
            tarjan.enter(root);
            while let Some((node, next)) = path.pop() {
                let Some(edge) = self.about[node].edges.get(next) else {
                    tarjan.leave(node);
                    if let Some(&(parent, _)) = path.last() {
                        tarjan.low[parent] = tarjan.low[parent].min(tarjan.low[node]);
                    }
                    continue;
                };
                path.push((node, next + 1));
                if !self.counts(edge.to, property) {
                    continue;
                }
                match tarjan.order[edge.to] {
                    None => {
                        tarjan.enter(edge.to);
                        path.push((edge.to, 0));
                    }
                    Some(order) if tarjan.open[edge.to] => tarjan.low[node] = tarjan.low[node].min(order),
                    Some(_) => {}
                }
            }
        }
        tarjan.found
    }
}

struct Tarjan {
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl Tarjan {
    fn new(nodes: usize) -> Tarjan {
        Tarjan {
            order: vec![None; nodes],
            low: vec![0; nodes],
            open: vec![false; nodes],
            stack: Vec::new(),
            next: 0,
            found: Vec::new(),
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = Some(self.next);
        self.low[node] = self.next;
        self.next += 1;
        self.open[node] = true;
        self.stack.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.order[node] != Some(self.low[node]) {
            return;
        }
        let mut part = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.open[member] = false;
            part.push(member);
            if member == node {
                break;
            }
        }
        self.found.push(part);
    }
}
