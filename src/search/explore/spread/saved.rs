//! A search over several processes, saved and read back.
//!
//! Idea: at a moment such a search is what its processes have, and what is on its way between them. When a level begins nothing is on its
//! way, so every process writes what it has (`--checkpoint-every`). A search that has to stop in the middle of a level is brought to a
//! standstill first: each process sends what it has gathered, and then says where it stands. Connections keep the order, so whoever has
//! heard where all others stand has everything that was ever sent to it (the idea of Chandy and Lamport, "Distributed snapshots", 1985).
//! What has come and was not looked up yet is written, too. If one of them has gone on to the next level, all have sent their keys, so
//! each of the others has what it needs to do the same, and does it. So nothing is lost and nothing is done twice, and each process goes
//! on inserting the states that it would have inserted, in the same order.
//!
//! When all parts lie on disk, process 0 completes its own (see [`crate::checkpoint::parts`]).
//!
//! *Another number of processes.* The hash gives every state a new owner, and everybody reads all parts and keeps what is its own. Ranks and
//! keys do not depend on the number of processes, so states of this level are merged by their ranks. Those of the next level that were
//! found to be new already must come into the queue in the order of their keys, together with what is still to come: they wait in
//! streams, as records do, and pass the store by. The links of one process of before are taken over by one process of now, behind each
//! other, and get new numbers ([`Renumbering`]): so does every parent, and the way back leads to the initial state as before. That needs
//! whole states: of a signature nobody knows the new owner.
//!
//! Costs the time of writing, in which nobody searches, and disk: the states, and once more those of the two levels that wait.

use super::expansion::owner;
use super::order::{Ranks, range_of};
use super::outgoing::kind;
use super::part::{Finding, Inherited, When, packed, unpacked};
use super::stream::{Batch, Head, Stream};
use super::{BATCH, Halt, NAP, Spread, Stage};
use crate::checkpoint::parts::{self, Manifest, Mark, Slot};
use crate::checkpoint::{CheckpointSchedule, Kind, Reader, StoreShape, Visited, Writer, section};
use crate::search::ledger::Findings;
use crate::search::outcome::Limit;
use crate::store::{BfsStore, Link};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What process 0 wants to be written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    id: String,
    slot: Slot,
    /// Where all have come to a standstill; otherwise when the next level begins.
    ending: bool,
}

/// Where a process stands that does not go on.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stand {
    level: u32,
    /// It has sent the keys of the level.
    keyed: bool,
    /// A checkpoint of it would be whole, and worth something.
    fit: bool,
}

/// A process has written its part, or could not.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Written {
    id: String,
    expanded: u64,
    failed: Option<String>,
}

/// What became of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    id: String,
    slot: Slot,
    kept: bool,
    /// The command that goes on from it.
    command: String,
}

/// Where the records of a stream that a checkpoint has held come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Source {
    /// Who has expanded the states that they were reached from.
    pub from: usize,
    /// They were looked up already, and are new.
    pub known: bool,
}

/// What is needed to write checkpoints.
#[derive(Debug, Default)]
pub(super) struct Saving {
    /// There is a file for them.
    pub on: bool,
    /// All processes stop.
    pub ending: bool,
    /// What is here is not whole: something failed half-way.
    pub torn: bool,
    /// What a checkpoint holds is not here yet.
    pub restoring: bool,
    order: Option<Order>,
    kept: Option<Kept>,
    /// Where the next one goes.
    slot: Slot,
    /// Of the streams behind those of the processes.
    pub sources: Vec<Source>,
    /// How many processes there were before.
    before: usize,
    /// What was spent before.
    pub seconds: f64,
    pub traffic: (u64, u64),
}

impl Saving {
    /// As a schedule wants it.
    pub(super) fn of(schedule: Option<&CheckpointSchedule>, me: usize) -> Saving {
        let target = schedule.and_then(|schedule| schedule.target.as_deref());
        let slot = match target {
            Some(target) if me == 0 => parts::free_slot(target),
            _ => Slot::A,
        };
        let restoring = schedule.is_some_and(|schedule| schedule.manifest.is_some());
        Saving { on: target.is_some(), slot, restoring, ..Saving::default() }
    }
}

/// The section of counters.
#[derive(Serialize, Deserialize)]
struct Counters {
    /// Transitions and bytes of hidden variables of the program: another program is another search.
    program: (usize, u32),
    /// States of the level, of all processes.
    states: u64,
    /// Those at the front of the queue are of this level, the others of the next.
    left: u64,
    offered: u64,
    vector: usize,
    cut: bool,
    reached: Vec<u8>,
    completed: Vec<u8>,
    atomic_steps: u64,
    deepest: u64,
    places: Vec<(When, u64)>,
    model_error: Option<When>,
    inherited: Inherited,
    /// Of the streams whose records were not looked up.
    sources: Vec<Source>,
    seconds: f64,
    traffic: (u64, u64),
}

/// The numbers that expanded states get when there is another number of processes.
struct Renumbering {
    before: usize,
    now: usize,
    offsets: Vec<u64>,
}

impl Renumbering {
    fn new(manifest: &Manifest, now: usize) -> Renumbering {
        let mut taken = vec![0u64; now];
        let offset = |(process, &expanded): (usize, &u64)| {
            let own = taken[process % now];
            taken[process % now] = own.saturating_add(expanded);
            own
        };
        let offsets = manifest.expanded.iter().enumerate().map(offset).collect();
        Renumbering { before: manifest.processes(), now, offsets }
    }

    /// Who has what a process had.
    fn home(&self, process: usize) -> usize {
        process % self.now
    }

    fn number(&self, process: usize, number: u64) -> u64 {
        self.offsets.get(process).copied().unwrap_or_default().saturating_add(number)
    }

    fn link(&self, link: Link) -> Link {
        let (number, process) = (link.parent / self.before as u64, (link.parent % self.before as u64) as usize);
        let parent = self.number(process, number).saturating_mul(self.now as u64);
        Link { parent: parent.saturating_add(self.home(process) as u64), ordinal: link.ordinal }
    }
}

/// A stream that is being filled from a checkpoint.
#[derive(Default)]
struct Filling {
    batch: Batch,
    stream: Stream,
    last: (u64, u64),
}

impl Filling {
    /// Would the record come behind those that are there?
    fn goes_before(&self, head: Head) -> bool {
        self.last.0 <= head.rank && self.last.1 <= head.number
    }

    /// `None`: the record does not come behind those that are there.
    fn push(&mut self, head: Head, saved: &[u8]) -> Option<()> {
        if !self.goes_before(head) {
            return None;
        }
        self.last = (head.rank, head.number);
        self.batch.push(head, saved);
        if self.batch.bytes.len() >= BATCH {
            self.stream.add(self.batch.cut());
        }
        Some(())
    }

    fn stream(mut self) -> Stream {
        let rest = self.batch.cut();
        if !rest.is_empty() {
            self.stream.add(rest);
        }
        self.stream.announced = Some(self.batch.records);
        self.stream
    }
}

/// Numbers of states are in no more ascending orders at once than there were processes in one level, over all stops in it; about.
const MOST_RUNS: u32 = 4096;

/// Streams by the part that they come from, their number there, and who has sent them.
type Fillings = BTreeMap<(usize, u32, usize), (Source, Filling)>;

/// A state that waits, in front of it what the section of the queue has there.
struct Waiting<'a> {
    rank: u64,
    ordinal: u32,
    link: Link,
    depth: u32,
    saved: &'a [u8],
}

impl<'a> Waiting<'a> {
    fn parse(record: &'a [u8]) -> Option<Waiting<'a>> {
        let (rank, rest) = record.split_first_chunk::<8>()?;
        let (ordinal, rest) = rest.split_first_chunk::<4>()?;
        let (link, rest) = rest.split_first_chunk::<8>()?;
        let (depth, saved) = rest.split_first_chunk::<4>()?;
        let link = Link::unpack(u64::from_le_bytes(*link));
        let (rank, ordinal) = (u64::from_le_bytes(*rank), u32::from_le_bytes(*ordinal));
        Some(Waiting { rank, ordinal, link, depth: u32::from_le_bytes(*depth), saved })
    }
}

fn said(limit: Limit) -> String {
    match limit {
        Limit::File(why) => why,
        other => format!("{other:?}"),
    }
}

impl<S: BfsStore> Spread<'_, '_, '_, '_, '_, '_, S> {
    /// Where the records of a stream come from.
    pub(super) fn source(&self, stream: usize) -> Source {
        let usual = Source { from: stream, known: false };
        stream.checked_sub(self.count()).and_then(|extra| self.saving.sources.get(extra)).copied().unwrap_or(usual)
    }

    fn tell_all<T: Serialize>(&mut self, kind: u8, value: &T) {
        let frame = self.out.frame(kind, serde_json::to_vec(value).unwrap_or_default());
        self.out.mesh.broadcast(&frame);
    }

    /// Takes in what another process says about checkpoints. `false`: it makes no sense.
    pub(super) fn hear_of_checkpoint(&mut self, from: usize, kind: u8, payload: &[u8]) -> bool {
        fn read<T: for<'de> Deserialize<'de>>(payload: &[u8]) -> Option<T> {
            serde_json::from_slice(payload).ok()
        }
        match kind {
            kind::SAVE if from == 0 => read(payload).map(|order| self.saving.order = Some(order)),
            kind::STAND => read(payload).map(|stand| self.heard[from].stand = Some(stand)),
            kind::WRITTEN => read(payload).map(|written| self.heard[from].written = Some(written)),
            kind::KEPT if from == 0 => read(payload).map(|kept| self.note_kept(kept)),
            _ => None,
        }
        .is_some()
    }

    /// Process 0 says that a checkpoint is to be written.
    fn order(&mut self) {
        let order = Order { id: parts::new_id(), slot: self.saving.slot, ending: self.saving.ending };
        self.tell_all(kind::SAVE, &order);
        self.saving.order = Some(order);
    }

    /// Process 0 says that a checkpoint is to be written when the next level begins, if it is time.
    pub(super) fn order_if_due(&mut self) {
        if !self.saving.on || self.saving.ending || self.me() != 0 {
            return;
        }
        let due = self.monitor.checkpoints.as_mut().is_some_and(|schedule| {
            schedule.look();
            schedule.due
        });
        if due {
            self.order();
        }
    }

    /// When a level begins: writes the checkpoint that was asked for, if one was.
    pub(super) fn save_if_ordered(&mut self) -> Result<(), Halt> {
        // One that is to be written at a standstill waits until this process has heard that it has to stop.
        match self.saving.order.take_if(|order| !order.ending) {
            Some(order) => self.save(&order),
            None => Ok(()),
        }
    }

    /// The search has come to its end here. Others may have been told to stop meanwhile: they learn that they can come to the end, too.
    pub(super) fn stand_at_end(&mut self) {
        if self.saving.on {
            self.tell_all(kind::STAND, &Stand { level: self.out.level, keyed: true, fit: true });
        }
    }

    /// All processes stop, and leave a checkpoint if they can. Gives why they stop; `None` if it turns out that the search is complete.
    pub(super) fn stop_together(&mut self, limit: Limit) -> Result<Option<Limit>, Halt> {
        // With more time or memory the search can go on.
        let worth = matches!(limit, Limit::Interrupted | Limit::Time(_) | Limit::Memory { .. });
        self.saving.ending = true;
        if self.me() == 0 {
            self.order();
        }
        for to in self.out.others() {
            self.out.flush(to);
        }
        let (me, level) = (self.me(), self.out.level);
        let own = self.out.batches[me].cut();
        if !own.is_empty() {
            self.streams[me].add(own);
        }
        let stand = Stand { level, keyed: self.stage != Stage::Expanding, fit: worth && !self.saving.torn };
        self.tell_all(kind::STAND, &stand);
        self.heard[me].stand = Some(stand);
        self.wait_until(|heard| heard.stand.is_some())?;
        let stands: Vec<Stand> = self.heard.iter().filter_map(|heard| heard.stand).collect();
        if !stands.iter().all(|stand| stand.fit) {
            return Ok(Some(limit));
        }
        let keyed = |stand: &Stand| stand.keyed && stand.level == level;
        if (stands.iter().any(|stand| stand.level > level) || stands.iter().all(keyed)) && self.next_level()? {
            return Ok(None);
        }
        if let Some(order) = self.saving.order.take() {
            self.save(&order)?;
            self.wait_for_word(&order.id)?;
        }
        Ok(Some(limit))
    }

    /// Waits until process 0 has said what became of a checkpoint, however long the others write.
    fn wait_for_word(&mut self, id: &str) -> Result<(), Halt> {
        while self.saving.kept.as_ref().is_none_or(|kept| kept.id != id) {
            self.receive(Some(NAP))?;
            let monitor = &mut *self.monitor;
            self.out.mesh.look(true, |what| (monitor.warn)(&what));
        }
        Ok(())
    }

    /// Writes this process's part of a checkpoint; process 0 completes the checkpoint when all have written theirs.
    fn save(&mut self, order: &Order) -> Result<(), Halt> {
        let written = self.write_part(order);
        if self.me() != 0 {
            let failed = written.and_then(Writer::finish).err().map(said);
            let written = Written { id: order.id.clone(), expanded: self.links.len(), failed };
            self.out.send(0, kind::WRITTEN, serde_json::to_vec(&written).unwrap_or_default());
            return Ok(());
        }
        let stopped = self.gather(&order.id)?;
        let kept = match written {
            Ok(writer) => self.complete(order, writer),
            Err(limit) => Err(Some(said(limit))),
        };
        let command = self.monitor.checkpoints.as_ref().map_or(String::new(), |schedule| schedule.command.clone());
        let word = Kept { id: order.id.clone(), slot: order.slot, kept: kept.is_ok(), command };
        self.tell_all(kind::KEPT, &word);
        self.note_kept(word);
        if let (Err(Some(why)), Some(schedule)) = (kept, &mut self.monitor.checkpoints)
            && schedule.could_not_write(&why)
            && !self.saving.ending
        {
            (self.monitor.warn)(&format!("{why}; the search goes on"));
        }
        stopped.map_or(Ok(()), |limit| Err(Halt::Limit(limit)))
    }

    /// Waits until all others have written their parts, or stop and will not. Gives why the search has to end, if it has to meanwhile.
    fn gather(&mut self, id: &str) -> Result<Option<Limit>, Halt> {
        let mut stopped = None;
        let ending = self.saving.ending;
        let is_missing = |heard: &super::incoming::Heard| {
            heard.written.as_ref().is_none_or(|written| written.id != id) && (ending || heard.stand.is_none())
        };
        while self.heard.iter().skip(1).any(is_missing) {
            match self.receive(Some(NAP)) {
                Ok(()) => {}
                // First the checkpoint.
                Err(Halt::Limit(limit)) => stopped = stopped.or(Some(limit)),
                Err(halt) => return Err(halt),
            }
            let monitor = &mut *self.monitor;
            self.out.mesh.look(true, |what| (monitor.warn)(&what));
        }
        Ok(stopped)
    }

    /// All parts are written: the checkpoint gets its name. `Err`: why there is none, if that is worth telling.
    fn complete(&mut self, order: &Order, mut writer: Writer) -> Result<(), Option<String>> {
        let mut expanded = vec![self.links.len()];
        for process in 1..self.count() {
            let name = self.out.mesh.name(process);
            match &self.heard[process].written {
                Some(written) if written.id == order.id => match &written.failed {
                    Some(why) => return Err(Some(format!("{name}: {why}"))),
                    None => expanded.push(written.expanded),
                },
                // It was told to stop; another checkpoint follows.
                _ => return Err(None),
            }
        }
        let manifest = Manifest { id: order.id.clone(), slot: order.slot, level: self.out.level, expanded };
        let written = writer.value(section::MANIFEST, &manifest).and_then(|()| writer.finish());
        written.map(drop).map_err(|limit| Some(said(limit)))
    }

    /// A checkpoint was completed, or given up: the parts that nobody needs any more are removed.
    fn note_kept(&mut self, word: Kept) {
        let (me, count) = (self.me(), self.count());
        if let Some(schedule) = &mut self.monitor.checkpoints
            && let Some(target) = schedule.target.clone()
        {
            if word.kept {
                schedule.wrote();
                schedule.up_to_date = self.saving.ending;
                schedule.command.clone_from(&word.command);
                self.saving.slot = word.slot.other();
                parts::remove(&target, me, word.slot.other());
                let gone = if me == 0 { count..self.saving.before } else { 0..0 };
                for process in gone {
                    parts::files(&target, process).iter().for_each(|file| drop(std::fs::remove_file(file)));
                }
            } else {
                parts::remove(&target, me, word.slot);
            }
        }
        self.saving.kept = Some(word);
    }

    fn write_part(&mut self, order: &Order) -> Result<Writer, Limit> {
        let nowhere = || Limit::Internal("there is no file for a checkpoint".to_string());
        let schedule = self.monitor.checkpoints.as_ref().ok_or_else(nowhere)?;
        let target = schedule.target.as_deref().ok_or_else(nowhere)?;
        let (me, count) = (self.me(), self.count());
        let mut writer = Writer::create(&parts::part(target, me, order.slot))?;
        writer.value(section::ORIGIN, &schedule.about)?;
        let (id, level) = (order.id.clone(), self.out.level);
        writer.value(section::MARK, &Mark { id, processes: count as u32, process: me as u32, level })?;
        writer.value(section::SPREAD, &self.counters())?;
        writer.value(section::ERRORS, &self.ledger.findings())?;
        self.links.save(&mut writer)?;
        self.write_queue(&mut writer)?;
        self.write_sent(&mut writer)?;
        self.store.save_with_shape(&mut writer)?;
        Ok(writer)
    }

    fn counters(&self) -> Counters {
        let traffic = self.sent();
        Counters {
            program: (self.program.transitions.len(), self.program.hidden),
            states: self.states,
            left: self.left,
            offered: self.offered,
            vector: self.vector,
            cut: self.cut,
            reached: packed(&self.walk.reached),
            completed: packed(&self.walk.completed),
            atomic_steps: self.walk.atomic_steps,
            deepest: self.walk.deepest,
            places: self.places.clone(),
            model_error: self.model_error,
            inherited: self.inherited.clone(),
            sources: (0..self.streams.len()).map(|stream| self.source(stream)).collect(),
            seconds: self.saving.seconds + self.start.elapsed().as_secs_f64(),
            traffic,
        }
    }

    /// The states that wait, each behind its rank in this level, or behind its key for the next one.
    fn write_queue(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        let mut ranks = self.ranks.clone();
        let mut next = self.next;
        let mut keys = self.keys.iter().flat_map(|keys| keys.each());
        let mut left = self.left;
        let without = || Limit::Internal("a state that waits has no rank".to_string());
        writer.section(section::QUEUE)?;
        self.queue.for_each(|record| {
            let (rank, ordinal) = if left > 0 {
                left -= 1;
                let rank = next.ok_or_else(without)?;
                next = ranks.next();
                (rank, 0)
            } else {
                keys.next().ok_or_else(without)?
            };
            writer.record(&[&rank.to_le_bytes(), &ordinal.to_le_bytes(), record])
        })?;
        writer.end_section()
    }

    /// What has come and was not looked up. When a level begins that is nothing: what is here then was sent by somebody who has written its
    /// part already, and will be sent again by whoever goes on from it.
    fn write_sent(&mut self, writer: &mut Writer) -> Result<(), Limit> {
        writer.section(section::SENT)?;
        let streams = if self.saving.ending { &mut self.streams[..] } else { &mut [] };
        for (number, stream) in streams.iter_mut().enumerate() {
            while let Ok(Some(head)) = stream.head() {
                let Head { rank, ordinal, number: parent, depth } = head;
                let words = [rank, u64::from(ordinal), parent, depth].map(u64::to_le_bytes);
                let saved = stream.saved();
                writer.record(&[&(number as u32).to_le_bytes(), words.as_flattened(), saved])?;
                stream.advance();
            }
        }
        writer.end_section()
    }

    /// Becomes the search of a checkpoint.
    pub(super) fn restore(&mut self, mut readers: Vec<Reader>, manifest: &Manifest) -> Result<(), Limit> {
        let numbers = Renumbering::new(manifest, self.count());
        let same = numbers.before == numbers.now;
        // With the same number of processes there is this one's part alone.
        let processes: Vec<usize> = if same { vec![self.me()] } else { (0..numbers.before).collect() };
        let mut all = Vec::new();
        for reader in &mut readers {
            let counters: Counters = reader.value(section::SPREAD)?;
            if counters.program != (self.program.transitions.len(), self.program.hidden) {
                return Err(reader.refuse("it is of another model"));
            }
            all.push(counters);
        }
        (self.out.level, self.saving.before) = (manifest.level, numbers.before);
        self.states = all.first().map_or(0, |counters| counters.states);
        for ((counters, reader), &process) in all.iter_mut().zip(&mut readers).zip(&processes) {
            if numbers.home(process) == self.me() {
                let findings: Findings = reader.value(section::ERRORS)?;
                self.add_counters(counters);
                self.add_errors(counters, findings, same, |number| numbers.number(process, number));
            }
        }
        for (reader, &process) in readers.iter_mut().zip(&processes) {
            if numbers.home(process) == self.me() {
                self.load_links(reader, &numbers)?;
            }
            self.load_store(reader, same)?;
        }
        self.expanded = self.links.len();
        let mut fillings = Fillings::new();
        self.load_queue(&mut readers, &all, &numbers, &mut fillings)?;
        for (part, reader) in readers.iter_mut().enumerate() {
            self.load_sent(reader, (part, &all[part].sources), &numbers, &mut fillings)?;
        }
        for (source, filling) in fillings.into_values() {
            self.saving.sources.push(source);
            self.streams.push(filling.stream());
        }
        Ok(())
    }

    /// Takes up the errors that a process had met: as its own if it is the same process, otherwise beside its own. `number`: what its
    /// states are called now.
    fn add_errors(&mut self, counters: &mut Counters, mut findings: Findings, same: bool, number: impl Fn(u64) -> u64) {
        self.inherited.add(std::mem::take(&mut counters.inherited), &number);
        if same {
            self.places.clone_from(&counters.places);
            self.model_error = counters.model_error;
        } else {
            let (violations, text) = findings.take_errors();
            let finding = |(violation, &(when, number))| Finding { when, number, violation };
            let findings = violations.into_iter().zip(&counters.places).map(finding).collect();
            self.inherited.add(Inherited { findings, model_error: counters.model_error.zip(text) }, &number);
        }
        self.ledger.take_up(findings);
    }

    /// Adds what a process had counted.
    fn add_counters(&mut self, counters: &Counters) {
        self.offered += counters.offered;
        self.vector = self.vector.max(counters.vector);
        self.cut |= counters.cut;
        let (reached, completed) =
            (unpacked(&counters.reached, self.program), unpacked(&counters.completed, self.program));
        self.walk.reached.iter_mut().zip(reached).for_each(|(flag, reached)| *flag |= reached);
        self.walk.completed.iter_mut().zip(completed).for_each(|(flag, completed)| *flag |= completed);
        self.walk.atomic_steps += counters.atomic_steps;
        self.walk.deepest = self.walk.deepest.max(counters.deepest);
        self.saving.seconds = self.saving.seconds.max(counters.seconds);
        let (raw, sent) = counters.traffic;
        self.saving.traffic = (self.saving.traffic.0 + raw, self.saving.traffic.1 + sent);
    }

    fn load_links(&mut self, reader: &mut Reader, numbers: &Renumbering) -> Result<(), Limit> {
        for _ in 0..reader.section(section::LINKS)? / 8 {
            let link = Link::unpack(reader.u64()?);
            self.links.push(numbers.link(link))?;
        }
        Ok(())
    }

    /// What the store had visited: all of it, or the states that belong to this process now.
    fn load_store(&mut self, reader: &mut Reader, same: bool) -> Result<(), Limit> {
        let (before, now) = (StoreShape::read(reader)?, self.store.shape());
        if before != now {
            let why = before.refusal(&now);
            let usual = "a search over several processes goes on with the table that it was begun with".to_string();
            return Err(reader.refuse(&why.unwrap_or(usual)));
        }
        if same {
            return self.store.load(reader);
        }
        if before.kind != Kind::Exact {
            return Err(reader.refuse(
                "another number of processes can go on with whole states in memory only (--store exact or tree): a table on disk or of \
                 signatures stays with its process",
            ));
        }
        reader.section(section::VISITED)?;
        let mut buffer = Vec::new();
        while let Some(visited) = Visited::read(before.kind, reader, &mut buffer)? {
            if self.is_mine(visited.state) && !self.store.insert(visited.state)? {
                return Err(reader.refuse("it holds a state twice"));
            }
        }
        Ok(())
    }

    fn is_mine(&self, state: &[u8]) -> bool {
        owner(self.owners.hash(state), self.count()) == self.me()
    }

    /// The states that wait: those of this level in the order of their ranks, then those of the next.
    fn load_queue(
        &mut self,
        readers: &mut [Reader],
        counters: &[Counters],
        numbers: &Renumbering,
        fillings: &mut Fillings,
    ) -> Result<(), Limit> {
        let mut left: Vec<u64> = counters.iter().map(|counters| counters.left).collect();
        let mut records = vec![Vec::new(); readers.len()];
        for ((reader, left), record) in readers.iter_mut().zip(&left).zip(&mut records) {
            reader.section(section::QUEUE)?;
            if *left > 0 && !reader.record(record)? {
                return Err(reader.refuse("states of its queue are missing"));
            }
        }
        let (mut ranks, mut last) = (Vec::new(), None);
        let rank = |record: &[u8]| Waiting::parse(record).map_or(0, |waiting| waiting.rank);
        while let Some(part) = (0..left.len()).filter(|&part| left[part] > 0).min_by_key(|&part| rank(&records[part])) {
            let reader = &mut readers[part];
            let waiting = self.waiting(&records[part]).ok_or_else(|| reader.refuse("a state is too short"))?;
            if last.is_some_and(|last| waiting.rank <= last) {
                return Err(reader.refuse("its states are not in their order"));
            }
            last = Some(waiting.rank);
            if self.is_mine(&waiting.saved[self.program.hidden as usize..]) {
                let link = numbers.link(waiting.link).pack().to_le_bytes();
                self.queue.push(&[&link, &waiting.depth.to_le_bytes(), waiting.saved])?;
                ranks.push(waiting.rank);
            }
            left[part] -= 1;
            if left[part] > 0 && !reader.record(&mut records[part])? {
                return Err(reader.refuse("states of its queue are missing"));
            }
        }
        self.left = ranks.len() as u64;
        self.ranks = Ranks::listed(&ranks);
        self.next = self.ranks.next();
        self.keys = self.no_keys();
        for (part, reader) in readers.iter_mut().enumerate() {
            self.load_next_level(reader, part, numbers, fillings)?;
        }
        Ok(())
    }

    fn waiting<'a>(&self, record: &'a [u8]) -> Option<Waiting<'a>> {
        Waiting::parse(record).filter(|waiting| waiting.saved.len() >= self.program.hidden as usize)
    }

    /// The states of the next level in a queue, behind those of this one, which were read.
    fn load_next_level(
        &mut self,
        reader: &mut Reader,
        part: usize,
        numbers: &Renumbering,
        fillings: &mut Fillings,
    ) -> Result<(), Limit> {
        let (count, same) = (self.count(), numbers.before == numbers.now);
        let (mut record, mut last) = (Vec::new(), 0);
        while reader.record(&mut record)? {
            let waiting = self.waiting(&record).ok_or_else(|| reader.refuse("a state is too short"))?;
            let Waiting { rank, ordinal, depth, saved, .. } = waiting;
            if rank < last {
                return Err(reader.refuse("its states are not in their order"));
            }
            last = rank;
            if !self.is_mine(&saved[self.program.hidden as usize..]) {
                continue;
            }
            if same {
                self.keys[range_of(rank, self.states, count)].push(rank, ordinal);
                self.queue.push(&[&waiting.link.pack().to_le_bytes(), &depth.to_le_bytes(), saved])?;
                continue;
            }
            let link = numbers.link(waiting.link);
            let (number, from) = (link.parent / count as u64, (link.parent % count as u64) as usize);
            let before = (waiting.link.parent % numbers.before as u64) as usize;
            let source = Source { from, known: true };
            let head = Head { rank, ordinal, number, depth: u64::from(depth) };
            // A process that has taken over what several had before calls the states of one by larger numbers than those of another: what
            // they have led to comes in the order of its ranks, and in that of its numbers only for each of them.
            let runs = (0..MOST_RUNS).map(|run| (part, u32::MAX - run, before));
            let fits = |key: &_| fillings.get(key).is_none_or(|(_, filling)| filling.goes_before(head));
            let run = runs.into_iter().find(fits).ok_or_else(|| reader.refuse("its states are not in their order"))?;
            let (_, filling) = fillings.entry(run).or_insert_with(|| (source, Filling::default()));
            filling.push(head, saved).ok_or_else(|| reader.refuse("its states are not in their order"))?;
        }
        Ok(())
    }

    /// What had come and was not looked up.
    fn load_sent(
        &mut self,
        reader: &mut Reader,
        (part, sources): (usize, &[Source]),
        numbers: &Renumbering,
        fillings: &mut Fillings,
    ) -> Result<(), Limit> {
        let hidden = self.program.hidden as usize;
        reader.section(section::SENT)?;
        let mut record = Vec::new();
        while reader.record(&mut record)? {
            let sent = Sent::parse(&record).filter(|sent| sent.saved.len() >= hidden);
            let sent = sent.ok_or_else(|| reader.refuse("a state is too short"))?;
            if !self.is_mine(&sent.saved[hidden..]) {
                continue;
            }
            let source = sources.get(sent.stream as usize).filter(|source| source.from < numbers.before);
            let before = source.ok_or_else(|| reader.refuse("a state comes from nowhere"))?;
            let source = Source { from: numbers.home(before.from), known: before.known };
            let (_, filling) =
                fillings.entry((part, sent.stream, before.from)).or_insert_with(|| (source, Filling::default()));
            let head = Head { number: numbers.number(before.from, sent.head.number), ..sent.head };
            filling.push(head, sent.saved).ok_or_else(|| reader.refuse("its states are not in their order"))?;
        }
        Ok(())
    }
}

/// A record that has come and was not looked up.
struct Sent<'a> {
    stream: u32,
    head: Head,
    saved: &'a [u8],
}

impl<'a> Sent<'a> {
    fn parse(record: &'a [u8]) -> Option<Sent<'a>> {
        let (stream, rest) = record.split_first_chunk::<4>()?;
        let (words, saved) = rest.split_at_checked(4 * 8)?;
        let mut words = words.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let (rank, ordinal, number, depth) = (words.next()?, words.next()?, words.next()?, words.next()?);
        let head = Head { rank, ordinal: u32::try_from(ordinal).ok()?, number, depth };
        Some(Sent { stream: u32::from_le_bytes(*stream), head, saved })
    }
}
