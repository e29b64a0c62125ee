//! A sorted copy of the signatures on disk, for searches of many small levels.
//!
//! Idea: the check of Stern and Dill reads the whole table for every level, which is cheap where a level is a good part of the table, and
//! takes nearly all of the time where there are thousands of small levels. So the signatures that M has forgotten are kept a second time, as
//! sorted runs: a signature is a random number, so its place in a run can be computed, and one page tells whether it is there. In front of the
//! runs stands a filter in memory, which takes most of what M has had: a state that it does not know was never forgotten, and nothing is read for
//! it. A new run is joined with the ones before it that are not much longer, so there are few of them (a log-structured merge tree: O'Neil,
//! Cheng, Gawlick, O'Neil 1996; the filter: Bloom 1970, with all bits of a signature in one line of the processor's cache, Putze,
//! Sanders, Singler 2007).
//!
//! Sound: the filter errs in one direction only, and the runs hold every signature that they were given.
//!
//! Cost: on disk 8 bytes more per signature; each signature is written again at each joining, about as often as the runs double.

use crate::limit::Limit;
use crate::store::breadth::work_dir::{WorkDir, WorkFile};
use crate::store::parts::hash::scale;
use crate::store::parts::signature::mix;
use crate::store::parts::zeroed::try_zeroed;
use std::sync::Arc;

/// Signatures of a page: what is read at once.
const PAGE: u64 = 512;
/// Bytes of a signature in a run.
const WIDTH: u64 = 8;
/// Signatures that are read or written at once where runs are joined.
const JOINING: u64 = 2 * PAGE;
/// Bytes of all buffers.
const BUFFERS: usize = ((3 * JOINING + PAGE) * WIDTH) as usize;
/// Words of a line of the filter.
const LINE: usize = 8;
/// Bits that a signature sets in its line.
const BITS: u32 = 6;
/// A run is joined with the one before it if that is at most so many times as long.
const JOINED: u64 = 2;

/// Signatures in rising order, each once.
#[derive(Debug)]
struct Run {
    file: WorkFile,
    records: u64,
}

impl Run {
    /// Reads some records, from this one on.
    fn read(&mut self, from: u64, count: u64, bytes: &mut Vec<u8>) -> Result<(), Limit> {
        bytes.resize((count * WIDTH) as usize, 0);
        self.file.read_at(from * WIDTH, bytes)
    }
}

/// The records of a run, one after the other.
struct Stream<'a> {
    run: &'a mut Run,
    next: u64,
    bytes: Vec<u8>,
    at: usize,
}

impl<'a> Stream<'a> {
    fn new(run: &'a mut Run) -> Stream<'a> {
        Stream { run, next: 0, bytes: Vec::new(), at: 0 }
    }

    fn next(&mut self) -> Result<Option<u64>, Limit> {
        if self.at == self.bytes.len() {
            let count = JOINING.min(self.run.records - self.next);
            if count == 0 {
                return Ok(None);
            }
            self.run.read(self.next, count, &mut self.bytes)?;
            self.next += count;
            self.at = 0;
        }
        let record = signature_at(&self.bytes, self.at);
        self.at += WIDTH as usize;
        Ok(Some(record))
    }
}

fn signature_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()).map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// The runs and the filter. See the head of this file.
#[derive(Debug)]
pub(super) struct Index {
    folder: Arc<WorkDir>,
    /// Signatures are spread over 1 to so many.
    values: u64,
    filter: Vec<u64>,
    /// The longest first.
    runs: Vec<Run>,
    page: Vec<u8>,
    /// Bytes read from the runs, and written to them.
    pub(super) traffic: (u64, u64),
}

impl Index {
    /// An empty one, which takes so many bytes, nearly all for the filter; `None` if there is no room.
    pub(super) fn new(values: u64, bytes: usize, folder: &Arc<WorkDir>) -> Option<Index> {
        let lines = (bytes.saturating_sub(BUFFERS) / 8 / LINE).max(1);
        let filter = try_zeroed(lines * LINE)?;
        Some(Index { folder: Arc::clone(folder), values, filter, runs: Vec::new(), page: Vec::new(), traffic: (0, 0) })
    }

    /// Bytes in memory.
    pub(super) fn memory(&self) -> usize {
        self.filter.capacity() * 8 + BUFFERS
    }

    /// Bits of the filter.
    pub(super) fn bits(&self) -> u64 {
        self.filter.len() as u64 * 64
    }

    /// How many runs a look-up goes through.
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Its bits in the filter: words, all of one line, and a bit in each.
    #[inline]
    fn place(&self, signature: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let hash = mix(signature);
        let line = scale(hash, (self.filter.len() / LINE) as u64) as usize * LINE;
        // Those at the top of the hash have chosen the line.
        let hash = mix(hash);
        (0..BITS).map(move |bit| {
            let nine = (hash >> (bit * 9)) as usize % (LINE * 64);
            (line + nine / 64, 1u64 << (nine % 64))
        })
    }

    /// May it be in a run?
    #[inline]
    pub(super) fn may_hold(&self, signature: u64) -> bool {
        self.place(signature).all(|(word, bit)| self.filter[word] & bit != 0)
    }

    /// Adds signatures, whose order is lost.
    pub(super) fn add(&mut self, signatures: &mut [u64]) -> Result<(), Limit> {
        if signatures.is_empty() {
            return Ok(());
        }
        signatures.sort_unstable();
        let mut run = Writer::new(&self.folder)?;
        for &signature in &*signatures {
            for (word, bit) in self.place(signature) {
                self.filter[word] |= bit;
            }
            run.put(signature)?;
        }
        let mut run = run.finish()?;
        self.traffic.1 += run.records * WIDTH;
        while let Some(mut before) = self.runs.pop() {
            if before.records > JOINED * run.records {
                self.runs.push(before);
                break;
            }
            self.traffic.0 += (before.records + run.records) * WIDTH;
            run = join(&mut before, &mut run, &self.folder)?;
            self.traffic.1 += run.records * WIDTH;
        }
        self.runs.push(run);
        Ok(())
    }

    /// Is it in a run?
    pub(super) fn holds(&mut self, signature: u64) -> Result<bool, Limit> {
        let mut page = std::mem::take(&mut self.page);
        let mut found = Ok(false);
        for run in self.runs.iter_mut().rev() {
            found = look_up(run, signature, self.values, &mut page, &mut self.traffic.0);
            if found != Ok(false) {
                break;
            }
        }
        self.page = page;
        found
    }
}

/// Looks in the page where a random signature would be, and if that is beside it, goes on from there.
fn look_up(run: &mut Run, signature: u64, values: u64, page: &mut Vec<u8>, read: &mut u64) -> Result<bool, Limit> {
    // What is left of the run, and the signatures that can be there.
    let (mut from, mut to) = (0, run.records);
    let (mut least, mut most) = (1, values);
    while from < to {
        let share = (u128::from(signature - least) * u128::from(to - from)) / (u128::from(most - least) + 1);
        let guess = from + (share as u64).min(to - from - 1);
        let first = guess.saturating_sub(PAGE / 2).clamp(from, to);
        let last = (first + PAGE).min(to);
        run.read(first, last - first, page)?;
        *read += (last - first) * WIDTH;
        let (low, high) = (signature_at(page, 0), signature_at(page, page.len() - WIDTH as usize));
        if signature < low {
            (to, most) = (first, low);
        } else if signature > high {
            (from, least) = (last, high);
        } else {
            let (records, _) = page.as_chunks::<8>();
            return Ok(records.binary_search_by_key(&signature, |record| u64::from_le_bytes(*record)).is_ok());
        }
    }
    Ok(false)
}

/// A run that is being written.
struct Writer {
    run: Run,
    bytes: Vec<u8>,
    last: u64,
}

impl Writer {
    fn new(folder: &Arc<WorkDir>) -> Result<Writer, Limit> {
        Ok(Writer { run: Run { file: folder.create("sorted")?, records: 0 }, bytes: Vec::new(), last: 0 })
    }

    /// The next signature; the same one again is left out.
    fn put(&mut self, signature: u64) -> Result<(), Limit> {
        if signature == self.last {
            return Ok(());
        }
        self.last = signature;
        self.bytes.extend_from_slice(&signature.to_le_bytes());
        self.run.records += 1;
        if self.bytes.len() as u64 >= JOINING * WIDTH {
            self.run.file.append(&self.bytes)?;
            self.bytes.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Run, Limit> {
        self.run.file.append(&self.bytes)?;
        Ok(self.run)
    }
}

fn join(one: &mut Run, other: &mut Run, folder: &Arc<WorkDir>) -> Result<Run, Limit> {
    let mut joined = Writer::new(folder)?;
    let (mut one, mut other) = (Stream::new(one), Stream::new(other));
    let (mut a, mut b) = (one.next()?, other.next()?);
    loop {
        // Signatures are at least 1.
        match (a, b) {
            (Some(x), Some(y)) if x <= y => {
                joined.put(x)?;
                a = one.next()?;
            }
            (_, Some(y)) => {
                joined.put(y)?;
                b = other.next()?;
            }
            (Some(x), None) => {
                joined.put(x)?;
                a = one.next()?;
            }
            (None, None) => return joined.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every signature that was added is found, in few pages; hardly any other one passes the filter, and none is found.
    #[test]
    fn what_was_added_is_found_and_nothing_else() {
        let folder = WorkDir::new(None).unwrap();
        for bits in [64, 40, 17] {
            let values = u64::MAX >> (64 - bits);
            let signature = |i: u64| scale(mix(i), values) + 1;
            let mut index = Index::new(values, 40_000 + BUFFERS, &folder).unwrap();
            let mut batch = Vec::new();
            for i in 0..20_000 {
                batch.push(signature(i));
                // Some twice.
                batch.extend((i % 7 == 0).then(|| signature(i / 2)));
                if i % 700 == 0 {
                    index.add(&mut batch).unwrap();
                    batch.clear();
                }
            }
            index.add(&mut batch).unwrap();
            assert!(index.runs() <= 10, "{}", index.runs());
            let before = index.traffic.0;
            for i in 0..20_000 {
                assert!(index.may_hold(signature(i)) && index.holds(signature(i)).unwrap(), "{bits} bits, {i}");
            }
            let pages = (index.traffic.0 - before) / (PAGE * WIDTH);
            assert!(pages < 20_000 * 2 * index.runs() as u64, "{pages}");
            let added: std::collections::HashSet<u64> = (0..20_000).map(signature).collect();
            let strangers = || (20_000..40_000).map(signature).filter(|signature| !added.contains(signature));
            assert!(strangers().all(|signature| !index.holds(signature).unwrap()), "{bits} bits");
            let passed = strangers().filter(|&signature| index.may_hold(signature)).count();
            assert!(passed * 50 < strangers().count().max(50), "{bits} bits: {passed}");
            assert_eq!(index.bits(), 40_000 / 64 * 64 * 8);
            assert!(!index.holds(1).unwrap() || added.contains(&1));
            assert!(!index.holds(values).unwrap() || added.contains(&values));
        }
    }
}
