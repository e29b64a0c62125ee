//! A sorted copy of the signatures on disk, for searches of many small levels.
//!
//! With whole states on disk a signature has the place of its state beside it: then a run says which records to read, and the states are compared.
//!
//! Idea: the check of Stern and Dill reads the whole table for every level, which is cheap where a level is a good part of the table, and
//! takes nearly all of the time where there are thousands of small levels. So the signatures that M has forgotten are kept a second time, as
//! sorted runs: a signature is a random number, so its place in a run can be computed, and one page tells whether it is there. In front of the
//! runs stands a filter in memory, which takes most of what M has had: a state that it does not know was never forgotten, and nothing is read for
//! it. A new run is joined with the ones before it that are not much longer, so there are few of them (a log-structured merge tree: O'Neil,
//! Cheng, Gawlick, O'Neil 1996; the filter: Bloom 1970, with all bits of a signature in one line of the processor's cache, Putze,
//! Sanders, Singler 2007).
//!
//! Sound: the filter errs in one direction only, and the runs hold every signature that they were given, with each of its places.
//!
//! Cost: on disk 8 bytes more per signature (16 with a place); each is written again at each joining, about as often as the runs double.

use crate::limit::Limit;
use crate::store::breadth::work_dir::{WorkDir, WorkFile};
use crate::store::parts::hash::scale;
use crate::store::parts::signature::mix;
use crate::store::parts::zeroed::try_zeroed;
use std::ops::Range;
use std::sync::Arc;

/// Signatures of a page: what is read at once.
const PAGE: u64 = 512;
/// Bytes of a signature in a run, and of a place.
const WIDTH: u64 = 8;
/// Signatures that are read or written at once where runs are joined.
const JOINING: u64 = 2 * PAGE;
/// Signatures in all buffers.
const BUFFERED: u64 = 3 * JOINING + PAGE;
/// Words of a line of the filter.
const LINE: usize = 8;
/// Bits that a signature sets in its line.
const BITS: u32 = 6;
/// A run is joined with the one before it if that is at most so many times as long.
const JOINED: u64 = 2;

/// A signature, and where its state begins in the table on disk; 0 if only signatures are kept.
pub(super) type Placed = (u64, u64);

/// What can be added.
pub(super) trait Entry: Copy + Ord {
    fn placed(self) -> Placed;
}

impl Entry for u64 {
    fn placed(self) -> Placed {
        (self, 0)
    }
}

impl Entry for Placed {
    fn placed(self) -> Placed {
        self
    }
}

/// Signatures in rising order, each once (or once for each of its places, which then stand behind the signatures).
#[derive(Debug)]
struct Run {
    file: WorkFile,
    records: u64,
    /// Bytes of a record.
    width: u64,
}

impl Run {
    /// Reads some records, from this one on.
    fn read(&mut self, from: u64, count: u64, bytes: &mut Vec<u8>) -> Result<(), Limit> {
        bytes.resize((count * self.width) as usize, 0);
        self.file.read_at(from * self.width, bytes)
    }

    fn bytes(&self) -> u64 {
        self.records * self.width
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

    fn next(&mut self) -> Result<Option<Placed>, Limit> {
        if self.at == self.bytes.len() {
            let count = JOINING.min(self.run.records - self.next);
            if count == 0 {
                return Ok(None);
            }
            self.run.read(self.next, count, &mut self.bytes)?;
            self.next += count;
            self.at = 0;
        }
        let width = self.run.width as usize;
        let record = placed(&self.bytes[self.at..self.at + width]);
        self.at += width;
        Ok(Some(record))
    }
}

/// What a record says.
#[inline]
fn placed(record: &[u8]) -> Placed {
    let word = |bytes: &[u8]| bytes.first_chunk::<8>().map_or(0, |chunk| u64::from_le_bytes(*chunk));
    (word(record), word(record.get(WIDTH as usize..).unwrap_or_default()))
}

/// Bytes of all buffers, where records have so many.
fn buffers(width: u64) -> usize {
    (BUFFERED * width) as usize
}

/// The bits of a signature in a filter: words, all of one line, and a bit in each.
#[inline]
fn bits_in(filter: &[u64], signature: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
    let hash = mix(signature);
    let line = scale(hash, (filter.len() / LINE) as u64) as usize * LINE;
    // Those at the top of the hash have chosen the line.
    let hash = mix(hash);
    (0..BITS).map(move |bit| {
        let nine = (hash >> (bit * 9)) as usize % (LINE * 64);
        (line + nine / 64, 1u64 << (nine % 64))
    })
}

#[inline]
fn add_to(filter: &mut [u64], signature: u64) {
    for (word, bit) in bits_in(filter, signature) {
        filter[word] |= bit;
    }
}

/// The runs and the filter. See the head of this file.
#[derive(Debug)]
pub(super) struct Index {
    folder: Arc<WorkDir>,
    /// Signatures are spread over 1 to so many.
    values: u64,
    /// Bytes of a record: a signature, or a signature and a place.
    width: u64,
    filter: Vec<u64>,
    /// What was told and is in no run yet,
    told: Vec<Placed>,
    /// and how many of these make a run.
    at_once: usize,
    /// The longest first.
    runs: Vec<Run>,
    page: Vec<u8>,
    /// Bytes read from the runs, and written to them.
    pub(super) traffic: (u64, u64),
}

impl Index {
    /// An empty one, with places beside the signatures or without, which takes so many bytes, nearly all for the filter; `None` if there is no
    /// room. Of what it is [told](Self::tell) so many make a run.
    pub(super) fn new(
        values: u64,
        (places, at_once): (bool, usize),
        bytes: usize,
        folder: &Arc<WorkDir>,
    ) -> Option<Index> {
        let mut index = Index {
            folder: Arc::clone(folder),
            values,
            width: WIDTH * (1 + u64::from(places)),
            filter: Vec::new(),
            told: Vec::new(),
            at_once: at_once.max(1),
            runs: Vec::new(),
            page: Vec::new(),
            traffic: (0, 0),
        };
        index.new_filter(bytes)?;
        Some(index)
    }

    /// Bytes beside the filter, of one that is told so many signatures for a run.
    pub(super) fn beside(places: bool, at_once: usize) -> usize {
        if places { buffers(2 * WIDTH) + at_once * size_of::<Placed>() } else { buffers(WIDTH) }
    }

    /// An empty filter, with which all takes so many bytes.
    fn new_filter(&mut self, bytes: usize) -> Option<()> {
        let beside = Self::beside(self.width > WIDTH, self.at_once);
        let lines = (bytes.saturating_sub(beside) / 8 / LINE).max(1);
        self.filter = Vec::new();
        self.filter = try_zeroed(lines * LINE)?;
        Some(())
    }

    /// Takes so many bytes from now on: the filter is made anew from the runs. `None` if there is no room.
    pub(super) fn resize(&mut self, bytes: usize) -> Result<Option<()>, Limit> {
        if self.new_filter(bytes).is_none() {
            return Ok(None);
        }
        let Index { filter, runs, traffic, .. } = self;
        for run in runs {
            traffic.0 += run.bytes();
            let mut stream = Stream::new(run);
            while let Some((signature, _)) = stream.next()? {
                add_to(filter, signature);
            }
        }
        Ok(Some(()))
    }

    /// Bytes in memory.
    pub(super) fn memory(&self) -> usize {
        self.filter.capacity() * 8 + buffers(self.width) + self.told.capacity() * size_of::<Placed>()
    }

    /// Bits of the filter.
    pub(super) fn bits(&self) -> u64 {
        self.filter.len() as u64 * 64
    }

    /// How many runs a look-up goes through.
    pub(super) fn runs(&self) -> usize {
        self.runs.len()
    }

    /// May it be in a run?
    #[inline]
    pub(super) fn may_hold(&self, signature: u64) -> bool {
        bits_in(&self.filter, signature).all(|(word, bit)| self.filter[word] & bit != 0)
    }

    /// Adds a signature and its place, at the latest when it is asked to [settle](Self::settle).
    pub(super) fn tell(&mut self, signature: u64, place: u64) -> Result<(), Limit> {
        if self.told.capacity() == 0 {
            self.told.reserve_exact(self.at_once);
        }
        self.told.push((signature, place));
        if self.told.len() < self.at_once { Ok(()) } else { self.settle() }
    }

    /// Adds all that it was told.
    pub(super) fn settle(&mut self) -> Result<(), Limit> {
        let mut told = std::mem::take(&mut self.told);
        self.add(&mut told)
    }

    /// Adds signatures, whose order is lost.
    pub(super) fn add<E: Entry>(&mut self, entries: &mut [E]) -> Result<(), Limit> {
        if entries.is_empty() {
            return Ok(());
        }
        entries.sort_unstable();
        let mut run = Writer::new(self.width, &self.folder)?;
        for entry in &*entries {
            add_to(&mut self.filter, entry.placed().0);
            run.put(entry.placed())?;
        }
        let mut run = run.finish()?;
        self.traffic.1 += run.bytes();
        while let Some(mut before) = self.runs.pop() {
            if before.records > JOINED * run.records {
                self.runs.push(before);
                break;
            }
            self.traffic.0 += before.bytes() + run.bytes();
            run = join(&mut before, &mut run, &self.folder)?;
            self.traffic.1 += run.bytes();
        }
        self.runs.push(run);
        Ok(())
    }

    /// Calls `is_it` with the places of a signature until it says yes: has it?
    pub(super) fn find(
        &mut self,
        signature: u64,
        mut is_it: impl FnMut(u64) -> Result<bool, Limit>,
    ) -> Result<bool, Limit> {
        let mut page = std::mem::take(&mut self.page);
        let mut found = Ok(false);
        for run in self.runs.iter_mut().rev() {
            found = look_up(run, signature, self.values, &mut page, &mut self.traffic.0).and_then(|records| {
                let width = run.width as usize;
                let mut places = page[records].chunks_exact(width).map(|record| placed(record).1);
                places.try_fold(false, |found, place| Ok(found || is_it(place)?))
            });
            if found != Ok(false) {
                break;
            }
        }
        self.page = page;
        found
    }
}

/// Looks in the page where a random signature would be, and if that is beside it, goes on from there. Gives the bytes of the page where its
/// records are.
fn look_up(
    run: &mut Run,
    signature: u64,
    values: u64,
    page: &mut Vec<u8>,
    read: &mut u64,
) -> Result<Range<usize>, Limit> {
    let width = run.width as usize;
    // What is left of the run, and the signatures that can be there.
    let (mut from, mut to) = (0, run.records);
    let (mut least, mut most) = (1, values);
    let mut size = PAGE;
    while from < to {
        let share = (u128::from(signature - least) * u128::from(to - from)) / (u128::from(most - least) + 1);
        let guess = from + (share as u64).min(to - from - 1);
        let first = guess.saturating_sub(size / 2).clamp(from, to);
        let last = (first + size).min(to);
        run.read(first, last - first, page)?;
        *read += page.len() as u64;
        let (low, high) = (placed(page).0, placed(&page[page.len() - width..]).0);
        if signature < low {
            (to, most) = (first, low);
        } else if signature > high {
            (from, least) = (last, high);
        } else if run.width > WIDTH && (signature == low && first > from || signature == high && last < to) {
            // Other states with this signature may stand beside the page.
            size *= 2;
        } else {
            return Ok(equal_range(page, width, signature));
        }
    }
    Ok(0..0)
}

/// The bytes of the records with this signature, among records in order.
fn equal_range(page: &[u8], width: usize, signature: u64) -> Range<usize> {
    let at = |record: usize| placed(&page[record * width..]).0;
    let (mut low, mut high) = (0, page.len() / width);
    while low < high {
        let middle = (low + high) / 2;
        if at(middle) < signature {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let mut end = low;
    while end < page.len() / width && at(end) == signature {
        end += 1;
    }
    low * width..end * width
}

/// A run that is being written.
struct Writer {
    run: Run,
    bytes: Vec<u8>,
    last: Placed,
}

impl Writer {
    fn new(width: u64, folder: &Arc<WorkDir>) -> Result<Writer, Limit> {
        // Signatures are at least 1.
        Ok(Writer { run: Run { file: folder.create("sorted")?, records: 0, width }, bytes: Vec::new(), last: (0, 0) })
    }

    /// The next one; the same one again is left out.
    fn put(&mut self, entry: Placed) -> Result<(), Limit> {
        if entry == self.last {
            return Ok(());
        }
        self.last = entry;
        self.bytes.extend_from_slice(&entry.0.to_le_bytes());
        if self.run.width > WIDTH {
            self.bytes.extend_from_slice(&entry.1.to_le_bytes());
        }
        self.run.records += 1;
        if self.bytes.len() as u64 >= JOINING * self.run.width {
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
    let mut joined = Writer::new(one.width, folder)?;
    let (mut one, mut other) = (Stream::new(one), Stream::new(other));
    let (mut a, mut b) = (one.next()?, other.next()?);
    loop {
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

    fn holds(index: &mut Index, signature: u64) -> Result<bool, Limit> {
        index.find(signature, |_| Ok(true))
    }

    /// Every signature that was added is found, in few pages; hardly any other one passes the filter, and none is found.
    #[test]
    fn what_was_added_is_found_and_nothing_else() {
        let folder = WorkDir::new(None).unwrap();
        for bits in [64, 40, 17] {
            let values = u64::MAX >> (64 - bits);
            let signature = |i: u64| scale(mix(i), values) + 1;
            let mut index = Index::new(values, (false, 1), 40_000 + buffers(WIDTH), &folder).unwrap();
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
                assert!(index.may_hold(signature(i)) && holds(&mut index, signature(i)).unwrap(), "{bits} bits, {i}");
            }
            let pages = (index.traffic.0 - before) / (PAGE * WIDTH);
            assert!(pages < 20_000 * 2 * index.runs() as u64, "{pages}");
            let added: std::collections::HashSet<u64> = (0..20_000).map(signature).collect();
            let strangers = || (20_000..40_000).map(signature).filter(|signature| !added.contains(signature));
            assert!(strangers().all(|signature| !holds(&mut index, signature).unwrap()), "{bits} bits");
            let passed = strangers().filter(|&signature| index.may_hold(signature)).count();
            assert!(passed * 50 < strangers().count().max(50), "{bits} bits: {passed}");
            assert_eq!(index.bits(), 40_000 / 64 * 64 * 8);
            assert!(!holds(&mut index, 1).unwrap() || added.contains(&1));
            assert!(!holds(&mut index, values).unwrap() || added.contains(&values));
        }
    }

    /// Every place of a signature is offered, however many states have it and wherever its records lie; also after the filter was made anew.
    #[test]
    fn every_place_of_a_signature_is_offered() {
        let folder = WorkDir::new(None).unwrap();
        let signature = |i: u64| scale(mix(i), u64::MAX) + 1;
        let bytes = Index::beside(true, 500) + 20_000;
        let mut index = Index::new(u64::MAX, (true, 500), bytes, &folder).unwrap();
        // Signature i is there i % 7 times, and some of them for more than a page.
        let times = |i: u64| if i % 1000 == 3 { 3 * PAGE } else { i % 7 };
        for round in 0..3 * PAGE {
            for i in (0..10_000).filter(|&i| round < times(i)) {
                index.tell(signature(i), round * 10_000 + i).unwrap();
            }
        }
        index.settle().unwrap();
        for bytes in [bytes, 2 * bytes, bytes - 5000] {
            index.resize(bytes).unwrap().unwrap();
            assert!(index.memory() <= bytes, "{} {bytes}", index.memory());
            for i in 0..10_000 {
                let mut places = Vec::new();
                assert!(times(i) == 0 || index.may_hold(signature(i)));
                let found = index.find(signature(i), |place| {
                    places.push(place);
                    Ok(false)
                });
                assert!(!found.unwrap());
                places.sort_unstable();
                assert_eq!(places, (0..times(i)).map(|round| round * 10_000 + i).collect::<Vec<u64>>());
            }
        }
        assert!(index.find(signature(3), |place| Ok(place == 10_003)).unwrap());
        assert!(!index.find(signature(7), |_| Ok(true)).unwrap());
    }
}
