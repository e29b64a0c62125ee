//! What every search does at its beginning and at its end, so that a search file says only what is its own.
//!
//! At the beginning [`Tally::begin`] makes the machine and the walk. While the search runs, its [`Tally`] counts states,
//! looks at budgets, and notes errors in the [`Ledger`]. At the end [`Tally::close`] makes the outcome: why the search ended,
//! what it found, what it counted. A search that has more to say (an omission probability, levels) adds it to that outcome.
//! The searches with a queue count for themselves, because a checkpoint holds their counters: see
//! [`crate::search::explore::queued::Counters`].

use crate::exec::{Machine, Program};
use crate::model::Model;
use crate::search::known::KnownError;
use crate::search::ledger::Ledger;
use crate::search::monitor::{Monitor, Snapshot};
use crate::search::outcome::{Counts, Limit, Outcome, Step};
use crate::search::reduce::Fault;
use crate::search::reduce::audit::Audit;
use crate::search::walk::{Control, Ended, Event, Rules, Walk};
use crate::witness::Witness;
use std::time::Instant;

/// What to look for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What is checked, and bounds.
    pub rules: Rules,
    /// Go on after an error.
    pub all_errors: bool,
}

/// What a search is asked to do: all that does not depend on how it searches.
pub struct Task<'m, 'n, 'i> {
    /// The model.
    pub model: &'m Model,
    /// The same, compiled.
    pub program: &'m Program,
    /// What to look for.
    pub settings: Settings,
    /// Errors that are passed over.
    pub known: &'m [KnownError],
    /// Tests the reduction in every state, if the plan asks for it.
    pub audit: Option<Audit<'m, 'm>>,
    /// Budgets, signals, progress.
    pub monitor: &'n mut Monitor<'i>,
}

/// What every search counts and keeps.
pub struct Tally<'m, 'n, 'i> {
    /// States stored.
    pub stored: u64,
    /// Arrivals at states that were there already.
    pub matched: u64,
    /// Bytes of the longest state.
    pub vector: usize,
    /// Why the search has to end.
    pub limit: Option<Limit>,
    /// The errors found.
    pub ledger: Ledger<'m>,
    /// Budgets, signals, progress.
    pub monitor: &'n mut Monitor<'i>,
    audit: Option<Audit<'m, 'm>>,
    /// Some path was cut off at the bound on the depth.
    cut: bool,
    all_errors: bool,
    start: Instant,
}

/// What the store of a search has to say at the end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StoreFigures {
    /// The store never took a new state for a visited one.
    pub exact: bool,
    /// The most states that were held at once.
    pub peak: u64,
    /// States that were thrown out.
    pub evicted: u64,
}

impl<'m, 'n, 'i> Tally<'m, 'n, 'i> {
    /// The beginning of a search: a machine in the initial state, a walk that has not begun, nothing counted. If there is no
    /// initial state, that is the outcome.
    pub fn begin(task: Task<'m, 'n, 'i>) -> Result<(Machine<'m>, Walk, Tally<'m, 'n, 'i>), Box<Outcome>> {
        let Task { model, program, settings, known, audit, monitor } = task;
        let start = Instant::now();
        let machine = Machine::new(program).map_err(|trap| Box::new(Outcome::failed_at_start(program, trap)))?;
        let tally = Tally {
            stored: 0,
            matched: 0,
            vector: 0,
            limit: None,
            ledger: Ledger::new(model, settings.all_errors).passing_over(known),
            monitor,
            audit,
            cut: false,
            all_errors: settings.all_errors,
            start,
        };
        Ok((machine, Walk::new(program.transitions.len(), settings.rules), tally))
    }

    /// The machine's state is new, and stored.
    #[inline]
    pub fn store(&mut self, machine: &Machine<'_>) {
        self.count(machine.state());
        self.witness(machine);
    }

    /// This state is new, and stored.
    #[inline]
    pub fn count(&mut self, state: &[u8]) {
        self.stored += 1;
        self.vector = self.vector.max(state.len());
    }

    /// Does somebody want to see every state that is stored?
    #[inline]
    pub fn is_witnessed(&self) -> bool {
        self.monitor.witness.is_some()
    }

    /// Shows the machine's state, which is new, to whoever wants to see it.
    #[inline]
    pub fn witness(&mut self, machine: &Machine<'_>) {
        if let Some(witness) = &mut self.monitor.witness {
            witness.note(machine);
        }
    }

    /// The audit, if there is one, looks at the machine's state, which is entered. The search ends if it finds a bug.
    #[inline]
    pub fn audit(&mut self, machine: &mut Machine<'_>) -> Control {
        match &mut self.audit {
            None => Control::Continue,
            Some(watch) => {
                watch.enter(machine);
                if watch.fault().is_some() { Control::Stop } else { Control::Continue }
            }
        }
    }

    /// Is the memory of the search more than its budget allows? `tables` as for [`Tally::look`].
    pub fn is_short(&self, machine: &Machine<'_>, walk: &Walk, tables: usize) -> bool {
        self.monitor.exceeded(self.taken(machine, walk, tables)).is_some()
    }

    /// Bytes that the search has taken. `tables`: those of everything but the walk, the machine and what is written down for a certificate.
    fn taken(&self, machine: &Machine<'_>, walk: &Walk, tables: usize) -> u64 {
        let witness = self.monitor.witness.as_ref().map_or(0, Witness::memory);
        (tables + walk.memory() + machine.memory() + witness) as u64
    }

    /// Looks at budgets and signals, and shows progress. `tables`: bytes of everything but the walk and the machine.
    pub fn look(&mut self, machine: &Machine<'_>, walk: &Walk, tables: usize, queued: Option<u64>) -> Control {
        let memory = self.taken(machine, walk, tables);
        let (stored, matched) = (self.stored, self.matched);
        self.look_at(&Snapshot { stored, matched, depth: walk.depth(), memory, queued, ..Snapshot::default() })
    }

    fn look_at(&mut self, snapshot: &Snapshot) -> Control {
        let limit = self.monitor.look(snapshot);
        if limit.is_none() {
            return Control::Continue;
        }
        self.limit = limit;
        Control::Stop
    }

    /// Some path was cut off at the bound on the depth.
    pub fn cut_off(&mut self) {
        self.cut = true;
    }

    /// Notes what a walk has come upon. `path` gives the steps from the initial state to where the walk is.
    pub fn event(
        &mut self,
        machine: &Machine<'_>,
        walk: &Walk,
        (event, step): (Event, Option<Step>),
        path: impl FnOnce() -> Vec<Step>,
    ) -> Control {
        if event == Event::Cut {
            self.cut_off();
            return Control::Continue;
        }
        self.ledger.note(machine, walk, event, step, path)
    }

    /// Has the audit or the reduction, whose fault is given, found something wrong with the reduction?
    pub fn is_faulty(&self, fault: Option<&Fault>) -> bool {
        self.fault(fault).is_some()
    }

    fn fault<'a>(&'a self, fault: Option<&'a Fault>) -> Option<&'a Fault> {
        self.audit.as_ref().and_then(Audit::fault).or(fault)
    }

    /// After an error: does the search go on?
    pub fn after_error(&self) -> Control {
        if self.all_errors { Control::Continue } else { Control::Stop }
    }

    /// The outcome of a search that has ended so. `tables` as for [`Tally::look`]; `fault` is that of its reduction.
    pub fn close(
        mut self,
        (machine, walk): (&Machine<'_>, &Walk),
        ended: Ended,
        tables: usize,
        fault: Option<&Fault>,
        figures: StoreFigures,
    ) -> Outcome {
        let found = self.limit.take();
        // The last look, for the figures of memory and the progress.
        let _ = self.look(machine, walk, tables, None);
        let mut limit = match ended {
            Ended::Complete => self.cut.then_some(Limit::Depth(walk.rules().max_depth)),
            Ended::Stopped => found,
        };
        if let Some(fault) = self.fault(fault) {
            limit = Some(fault.limit());
        }
        let counts = Counts {
            stored: self.stored,
            matched: self.matched,
            peak_stored: figures.peak,
            evicted: figures.evicted,
            vector_bytes: self.vector as u64,
            ..Counts::default()
        };
        Outcome {
            memory: self.monitor.peak,
            seconds: self.start.elapsed().as_secs_f64(),
            ..self.ledger.close(machine.program(), walk, limit, figures.exact, counts)
        }
    }
}
