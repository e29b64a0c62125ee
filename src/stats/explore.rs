//! The explicit state graph, breadth first: every state by number in order of discovery, every transition.
//!
//! A transition leads from one storable state to another, as `pv check` counts them: an atomic block is one transition,
//! a handshake is one. Two different steps between the same two states are two transitions, as in Definition 2 of the
//! hub-states paper, which counts pairs of predecessor and label. Costs the exact store, 4 bytes for a transition and
//! about 40 for a state, the tables of the measurements included, so that `--memory` bounds the whole command.

use crate::exec::{Machine, Program, Trap};
use crate::model::TransitionType;
use crate::search::monitor::{Monitor, Snapshot};
use crate::search::outcome::Limit;
use crate::search::reduce::Full;
use crate::search::walk::moves::free_rules;
use crate::search::walk::{Control, Decision, Ended, Rules, Visitor, Walk};
use crate::store::depth::exact::ExactStore;
use crate::store::{FindStore, Handle, Store, Visit};
use std::collections::VecDeque;

/// What the measurements need beside the graph, for each state: four tables of words, and the vectors' growth.
const MEASURING: usize = 40;

/// States by number, transitions as adjacency in one array.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Graph {
    /// Breadth-first level of each state; never falls from one state to the next.
    pub levels: Vec<u32>,
    /// Where the successors of each state begin; one entry more than states that were expanded.
    pub offsets: Vec<usize>,
    /// Successors.
    pub targets: Vec<u32>,
}

impl Graph {
    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.levels.len()
    }

    /// The successors of a state; none for a state that was not expanded.
    pub(crate) fn successors(&self, state: usize) -> &[u32] {
        match (self.offsets.get(state), self.offsets.get(state + 1)) {
            (Some(&from), Some(&to)) => &self.targets[from..to],
            _ => &[],
        }
    }

    /// States whose successors are known.
    pub(crate) fn expanded(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    fn memory(&self) -> usize {
        self.levels.capacity() * 4 + self.offsets.capacity() * 8 + self.targets.capacity() * 4
    }
}

/// A graph and where its states are kept.
#[derive(Debug)]
pub(crate) struct Explored {
    /// The graph.
    pub graph: Graph,
    /// Why it is not the whole one.
    pub limit: Option<Limit>,
    /// Bytes in use at the end.
    pub memory: u64,
    store: ExactStore,
    handles: Vec<u64>,
}

impl Explored {
    /// The bytes of a state.
    pub(crate) fn state(&self, number: usize) -> Option<&[u8]> {
        self.handles.get(number).map(|&handle| self.store.get(Handle(handle)))
    }
}

struct Explorer<'s, 'i> {
    graph: Graph,
    store: ExactStore,
    /// Place of each state in the store, in order of number; ascending, since the store only appends.
    handles: Vec<u64>,
    /// Hidden variables of the states that wait.
    hidden: VecDeque<u8>,
    hidden_size: usize,
    level: u32,
    arrivals: u64,
    monitor: &'s mut Monitor<'i>,
    limit: Option<Limit>,
}

impl Explorer<'_, '_> {
    fn memory(&self) -> usize {
        self.store.memory()
            + self.graph.memory()
            + self.handles.capacity() * 8
            + self.hidden.capacity()
            + self.handles.len() * MEASURING
    }

    fn look(&mut self, machine: &Machine<'_>, walk: &Walk) -> Control {
        let snapshot = Snapshot {
            stored: self.handles.len() as u64,
            matched: self.arrivals.saturating_sub(self.handles.len() as u64),
            depth: u64::from(self.level),
            memory: (self.memory() + walk.memory() + machine.memory()) as u64,
            queued: Some((self.handles.len() - self.graph.expanded().min(self.handles.len())) as u64),
            collision_rate: None,
            distinct: None,
        };
        self.limit = self.monitor.look(&snapshot);
        if self.limit.is_some() { Control::Stop } else { Control::Continue }
    }

    /// The number of the machine's state, a new one if it was not known.
    fn number(&mut self, machine: &Machine<'_>, level: u32) -> Option<u32> {
        let state = machine.state();
        match self.store.insert(state) {
            Visit::New(handle) => {
                let number = u32::try_from(self.handles.len()).ok()?;
                self.handles.push(handle.0);
                self.graph.levels.push(level);
                self.hidden.extend(&machine.saved()[..self.hidden_size]);
                Some(number)
            }
            Visit::Seen { .. } => {
                let (handle, _) = self.store.find(state)?;
                self.handles.binary_search(&handle.0).ok().and_then(|number| u32::try_from(number).ok())
            }
            Visit::Full => {
                self.limit = Some(self.store.limit(0));
                None
            }
        }
    }
}

impl Visitor for Explorer<'_, '_> {
    fn arrive(&mut self, machine: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        self.arrivals += 1;
        match self.number(machine, self.level + 1) {
            Some(number) => {
                self.graph.targets.push(number);
                Decision::Back
            }
            None => Decision::Stop,
        }
    }

    // Errors are for `pv check`: here they are states and steps like others.
    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.look(machine, walk)
    }
}

/// Builds the graph of a program, without claims. The trap says why there is not even an initial state.
pub(crate) fn explore(program: &Program, seed: u64, monitor: &mut Monitor<'_>) -> Result<Explored, Trap> {
    let mut machine = Machine::new(program)?;
    let rules = Rules { assertions: false, ..free_rules() };
    let mut walk = Walk::new(program.transitions.len(), rules);
    let budget = monitor.memory.map_or(usize::MAX, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let mut explorer = Explorer {
        graph: Graph::default(),
        store: ExactStore::with_budget(seed, budget),
        handles: Vec::new(),
        hidden: VecDeque::new(),
        hidden_size: program.hidden as usize,
        level: 0,
        arrivals: 0,
        monitor,
        limit: None,
    };
    explorer.graph.offsets.push(0);
    explorer.number(&machine, 0);
    let mut saved = Vec::new();
    let mut next = 0;
    while next < explorer.handles.len() {
        saved.clear();
        saved.extend(explorer.hidden.drain(..explorer.hidden_size));
        saved.extend_from_slice(explorer.store.get(Handle(explorer.handles[next])));
        explorer.level = explorer.graph.levels[next];
        machine.load(&saved);
        if walk.expand(&mut machine, &mut explorer, &mut Full) == Ended::Stopped {
            // What was begun is dropped, so that every state has all of its successors or none.
            let whole = explorer.graph.offsets.last().copied().unwrap_or(0);
            explorer.graph.targets.truncate(whole);
            break;
        }
        explorer.graph.offsets.push(explorer.graph.targets.len());
        next += 1;
    }
    let memory = explorer.memory() as u64;
    let unfinished = next < explorer.handles.len();
    // More states than there are numbers for is the one way to stop without a limit.
    let limit = explorer.limit.or(unfinished.then_some(Limit::TableFull { slots: u64::from(u32::MAX) }));
    let Explorer { graph, store, handles, .. } = explorer;
    Ok(Explored { graph, limit, memory, store, handles })
}
