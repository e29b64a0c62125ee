//! Where the parts of a state lie: the borders of its variables, channels and processes. A state is cut at these borders, because
//! the parts take few values each, and a step changes few of them.

use rapidhash::RapidHashSet;

/// What is known of all states of a program. A state begins with parts that are always there; records of processes follow. The first
/// byte of a record says of which type it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Where the records begin.
    pub first_record: usize,
    /// Borders in front of the records, in ascending order.
    pub borders: Vec<usize>,
    /// The types of records.
    pub records: Vec<Record>,
}

/// A type of records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// Bytes.
    pub size: usize,
    /// Borders inside, in ascending order.
    pub borders: Vec<usize>,
}

impl Default for Layout {
    /// Nothing is known.
    fn default() -> Layout {
        Layout { first_record: usize::MAX, borders: Vec::new(), records: Vec::new() }
    }
}

/// A part of a state is cut further if it is longer than this many bytes.
const LONGEST_UNIT: usize = 32;
/// It is then cut into pieces of this many bytes.
const PIECE: usize = 16;

/// A part of a state that is treated as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unit {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number of the record, from 1; 0 is the part in front of them.
    pub(super) record: usize,
    /// The number of the part in its record.
    pub(super) part: usize,
}

impl Layout {
    /// Writes down where the records of a state start and of which type they are. Bytes that are no record end the list.
    pub(super) fn records_of(&self, state: &[u8], found: &mut Vec<(u32, u8)>) {
        found.clear();
        let mut at = self.first_record;
        while let Some(&kind) = state.get(at) {
            let size = self.records.get(usize::from(kind)).map_or(0, |record| record.size);
            if size == 0 || size > state.len() - at {
                return;
            }
            found.push((at as u32, kind));
            at += size;
        }
    }

    /// How many shapes these states have.
    pub(in crate::store) fn shapes_of<'s>(&self, states: impl Iterator<Item = &'s [u8]>) -> usize {
        let mut shapes = RapidHashSet::default();
        let mut records = Vec::new();
        for state in states {
            self.records_of(state, &mut records);
            let shape = (state.len(), std::mem::take(&mut records));
            if shapes.contains(&shape) {
                records = shape.1;
            } else {
                shapes.insert(shape);
            }
        }
        shapes.len()
    }

    /// The parts of a state of this length with these records, in order. Together they are the whole state.
    pub(super) fn units(&self, length: usize, records: &[(u32, u8)]) -> Vec<Unit> {
        let mut units = Vec::new();
        let mut at = self.first_record.min(length);
        cut(0, at, &self.borders, 0, &mut units);
        for (number, &(start, kind)) in records.iter().enumerate() {
            let Some(record) = self.records.get(usize::from(kind)) else { break };
            let start = start as usize;
            at = (start + record.size).min(length);
            cut(start, at, &record.borders, number + 1, &mut units);
        }
        // Whatever follows is no record.
        cut(at, length, &[], records.len() + 1, &mut units);
        units
    }
}

/// Cuts a run of bytes at its borders, which count from its start, and cuts what is still too long.
fn cut(start: usize, end: usize, borders: &[usize], record: usize, units: &mut Vec<Unit>) {
    let mut from = start;
    let mut part = 0;
    let inside = borders.iter().map(|border| start + border).filter(|&border| border < end);
    for to in inside.chain([end]) {
        if to <= from {
            continue;
        }
        let piece = if to - from > LONGEST_UNIT { PIECE } else { LONGEST_UNIT };
        while from < to {
            let next = to.min(from + piece);
            units.push(Unit { start: from, end: next, record, part });
            part += 1;
            from = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_the_whole_state() {
        let record = |size, borders: &[usize]| Record { size, borders: borders.to_vec() };
        let layout =
            Layout { first_record: 50, borders: vec![0, 3, 3, 40], records: vec![record(7, &[]), record(40, &[5])] };
        let mut state = vec![0; 50];
        state.extend([0; 7]);
        state.extend([1; 40]);
        // What is left is too short for a record.
        state.extend([1; 5]);
        let mut records = Vec::new();
        layout.records_of(&state, &mut records);
        assert_eq!(records, [(50, 0), (57, 1)]);
        let units = layout.units(state.len(), &records);
        let borders: Vec<usize> = units.iter().map(|unit| unit.start).collect();
        assert_eq!(borders, [0, 3, 19, 35, 40, 50, 57, 62, 78, 94, 97]);
        assert!(units.windows(2).all(|two| two[0].end == two[1].start));
        assert_eq!(units.last().map(|unit| unit.end), Some(state.len()));
        assert!(Layout::default().units(0, &[]).is_empty());
    }
}
