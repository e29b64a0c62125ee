//! The expansion of a state: what is reached goes to the process that it belongs to.

use super::outgoing::Outgoing;
use super::part::When;
use super::stream::Head;
use super::{BATCH, Halt, PATIENT_TICKS, STRIDE, Spread};
use crate::exec::Machine;
use crate::model::TransitionType;
use crate::search::ledger::Ledger;
use crate::search::monitor::{Monitor, Snapshot};
use crate::search::outcome::{Limit, Step};
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Event, Visitor, Walk};
use crate::store::{BfsStore, Link, StateHash};

/// The visitor of one expansion.
struct Expansion<'a, 'm, 'i, 'c> {
    out: &'a mut Outgoing<'c>,
    owners: &'a StateHash,
    hidden: usize,
    ledger: &'a mut Ledger<'m>,
    monitor: &'a mut Monitor<'i>,
    places: &'a mut Vec<(When, u64)>,
    model_error: &'a mut Option<When>,
    cut: &'a mut bool,
    rank: u64,
    number: u64,
    ordinal: u32,
    errors: u64,
    /// Bytes of the tables.
    tables: usize,
    stored: u64,
    queued: u64,
    limit: Option<Limit>,
    /// The search has to end, but not in the middle of an expansion: a checkpoint would lose what it has not done.
    later: Option<Limit>,
    /// There are checkpoints.
    saves: bool,
    ticks: u32,
}

impl Visitor for Expansion<'_, '_, '_, '_> {
    #[inline]
    fn arrive(&mut self, machine: &mut Machine<'_>, walk: &Walk, _: TransitionType) -> Decision {
        let saved = machine.saved();
        let owner = owner(self.owners.hash(&saved[self.hidden..]), self.out.batches.len());
        let head = Head { rank: self.rank, ordinal: self.ordinal, number: self.number, depth: walk.depth() };
        self.out.batches[owner].push(head, saved);
        if self.out.batches[owner].bytes.len() >= BATCH && owner != self.out.mesh.me() {
            self.out.flush(owner);
        }
        self.ordinal += 1;
        Decision::Back
    }

    fn event(&mut self, machine: &mut Machine<'_>, walk: &Walk, event: Event, step: Option<Step>) -> Control {
        if event == Event::Cut {
            *self.cut = true;
            return Control::Continue;
        }
        let when = (self.out.level, self.rank, self.errors);
        self.errors += 1;
        let before = self.ledger.violations.len();
        let had_model_error = self.ledger.has_model_error();
        // The level is finished whatever is found, so that the first error is known.
        let _ = self.ledger.note(machine, walk, event, step, || walk.path(machine));
        if self.ledger.violations.len() > before {
            self.places.push((when, self.number));
        }
        if !had_model_error && self.ledger.has_model_error() {
            *self.model_error = Some(when);
        }
        Control::Continue
    }

    fn tick(&mut self, machine: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        let memory = (self.tables + self.out.memory() + walk.memory() + machine.memory()) as u64;
        let (stored, queued) = (self.stored, Some(self.queued));
        let limit = self.monitor.look(&Snapshot { stored, depth: walk.depth(), memory, queued, ..Snapshot::default() });
        self.ticks += 1;
        if self.saves && self.ticks <= PATIENT_TICKS {
            self.later = limit;
        } else {
            self.limit = limit;
        }
        let monitor = &mut *self.monitor;
        self.out.mesh.look(false, |what| (monitor.warn)(&what));
        if self.limit.is_some() { Control::Stop } else { Control::Continue }
    }
}

/// The process to which a state of this hash belongs.
#[inline]
pub(super) fn owner(hash: u64, processes: usize) -> usize {
    (((hash & 0xffff_ffff) * processes as u64) >> 32) as usize
}

impl<S: BfsStore> Spread<'_, '_, '_, '_, '_, '_, S> {
    /// Expands some states of this level.
    pub(super) fn expand_some(&mut self) -> Result<(), Halt> {
        let tables = self.tables();
        let stored = self.store.statistics().stored;
        for _ in 0..STRIDE {
            let Some(rank) = self.next else { return Ok(()) };
            self.left = self.left.saturating_sub(1);
            self.next = if self.left > 0 { self.ranks.next() } else { None };
            let taken = self.take_next();
            self.saving.torn |= taken.is_err();
            if taken.map_err(|limit| self.halt(limit))? {
                self.expand_one(rank, tables, stored)?;
            }
        }
        Ok(())
    }

    /// Loads the next state; is it really new?
    pub(super) fn take_next(&mut self) -> Result<bool, Limit> {
        let lost = || Limit::Internal("a state is missing in the queue".to_string());
        let record = self.queue.pop()?.ok_or_else(lost)?;
        let (link, rest) = record.split_first_chunk::<8>().ok_or_else(lost)?;
        let (depth, state) = rest.split_first_chunk::<4>().ok_or_else(lost)?;
        let link = Link::unpack(u64::from_le_bytes(*link));
        self.walk.base_depth = u64::from(u32::from_le_bytes(*depth));
        self.saved.clear();
        self.saved.extend_from_slice(state);
        if !self.store.confirm()? {
            return Ok(false);
        }
        // The first state names itself, wherever it is: after a checkpoint it may belong to another process than the one it was put to.
        let own = self.links.len() * self.count() as u64 + self.me() as u64;
        self.links.push(if self.out.level == 0 { Link { parent: own, ..link } } else { link })?;
        self.machine.load(&self.saved);
        Ok(true)
    }

    pub(super) fn expand_one(&mut self, rank: u64, tables: usize, stored: u64) -> Result<(), Halt> {
        let mut expansion = Expansion {
            out: &mut self.out,
            owners: &self.owners,
            hidden: self.program.hidden as usize,
            ledger: &mut self.ledger,
            monitor: self.monitor,
            places: &mut self.places,
            model_error: &mut self.model_error,
            cut: &mut self.cut,
            rank,
            number: self.expanded,
            ordinal: 0,
            errors: 0,
            tables,
            stored,
            queued: self.queue.len(),
            limit: None,
            later: None,
            saves: self.saving.on,
            ticks: 0,
        };
        self.walk.expand(&mut self.machine, &mut expansion, &mut Full);
        let (limit, later) = (expansion.limit.take(), expansion.later.take());
        self.saving.torn |= limit.is_some();
        self.expanded += 1;
        match limit.or(later) {
            Some(limit) => Err(self.halt(limit)),
            None => Ok(()),
        }
    }
}
