//! The end of a search: all parts become one outcome, and process 0 asks its way back to the initial state for the errors.

use super::outgoing::kind;
use super::part::{Finding, Part, Whole, chosen, earlier, packed, whole_path};
use super::{Halt, Spread};
use crate::search::explore::queued::steps_along;
use crate::search::outcome::{Limit, Violation};
use crate::store::{BfsStore, Link};

impl<S: BfsStore> Spread<'_, '_, '_, '_, '_, '_, S> {
    /// What this process has to say at the end.
    pub(super) fn part(&mut self, limit: Option<Limit>, traffic: (u64, u64)) -> Part {
        let statistics = self.store.statistics();
        let memory = (self.tables() + self.out.memory() + self.walk.memory() + self.machine.memory()) as u64;
        let found = self.ledger.violations.iter().zip(&self.places);
        let found = found.map(|(violation, &(when, number))| Finding { when, number, violation: violation.clone() });
        let own_model_error = self.model_error.zip(self.ledger.model_error().map(str::to_string));
        Part {
            stored: statistics.stored,
            offered: self.offered,
            held: statistics.held,
            forgotten: statistics.forgotten,
            vector: self.vector,
            atomic_steps: self.walk.atomic_steps,
            deepest: self.walk.deepest,
            cut: self.cut,
            reached: packed(&self.walk.reached),
            completed: packed(&self.walk.completed),
            memory: self.monitor.peak.max(memory),
            limit,
            exact: self.store.is_exact(),
            omission: statistics.omission.probability,
            coverage: statistics.omission.coverage,
            errors: self.ledger.count,
            property_errors: self.ledger.property_count(),
            model_error: earlier(own_model_error, self.inherited.model_error.clone()),
            findings: found.chain(self.inherited.findings.iter().cloned()).collect(),
            traffic,
        }
    }

    /// All parts become one outcome, which every process gets.
    pub(super) fn conclude(&mut self, limit: Option<Limit>) -> Result<Whole, Halt> {
        self.concludes = true;
        let traffic = self.sent();
        let part = self.part(limit, traffic);
        let text = serde_json::to_vec(&part).unwrap_or_default();
        if self.me() == 0 {
            self.heard[0].message = Some(text);
            self.await_messages(|_| true)?;
            let parts = self.parts()?;
            let violations = self.violations(&parts)?;
            let whole = Whole::of(parts, violations, self.settings);
            let text = serde_json::to_vec(&whole).unwrap_or_default();
            for to in self.out.others() {
                self.out.send_long(to, (kind::WHOLE, kind::END_OF_WHOLE), &text);
            }
            return Ok(whole);
        }
        self.out.send_long(0, (kind::PART, kind::END_OF_PART), &text);
        self.await_messages(|process| process == 0)?;
        let text = self.heard[0].message.take().unwrap_or_default();
        serde_json::from_slice(&text).map_err(|_| self.nonsense(0))
    }

    pub(super) fn parts(&mut self) -> Result<Vec<Part>, Halt> {
        let texts: Vec<Vec<u8>> = self.heard.iter_mut().map(|heard| heard.message.take().unwrap_or_default()).collect();
        let mut parts = Vec::new();
        for (process, text) in texts.iter().enumerate() {
            parts.push(serde_json::from_slice(text).map_err(|_| self.nonsense(process))?);
        }
        Ok(parts)
    }

    /// The errors that are reported, with whole paths.
    pub(super) fn violations(&mut self, parts: &[Part]) -> Result<Vec<Violation>, Halt> {
        let mut violations = Vec::new();
        for (process, finding) in chosen(parts, self.settings) {
            let ordinals = self.ordinals_to(process, finding.number)?;
            // A path that is too short is replayed before it is shown, and found out then.
            let before = steps_along(self.program, self.settings, &ordinals).unwrap_or_default();
            violations.push(whole_path(before, finding));
        }
        Ok(violations)
    }

    /// The arrivals on the way to a state.
    pub(super) fn ordinals_to(&mut self, mut process: usize, mut number: u64) -> Result<Vec<u32>, Halt> {
        let count = self.count() as u64;
        let mut ordinals = Vec::new();
        loop {
            let link = self.link(process, number)?;
            let (before, of) = (link.parent / count, (link.parent % count) as usize);
            if (before, of) == (number, process) {
                ordinals.reverse();
                return Ok(ordinals);
            }
            ordinals.push(link.ordinal);
            (process, number) = (of, before);
        }
    }

    pub(super) fn link(&mut self, process: usize, number: u64) -> Result<Link, Halt> {
        if process == self.me() {
            return self.links.get(number).map_err(Halt::Limit);
        }
        self.heard[process].link = None;
        self.out.send_number(process, kind::ASK, number);
        self.await_that(|heard| heard[process].link.is_none().then_some(process))?;
        Ok(Link::unpack(self.heard[process].link.take().unwrap_or_default()))
    }
}
