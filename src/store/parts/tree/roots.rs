//! A set of roots: the pairs of numbers that stand for whole states. This table holds one entry for each state, so its
//! entries decide how many bytes a state costs.
//!
//! Idea: Cleary's compact hashing (1984), as in the compact tree of Laarman (2019). A root is mixed by a function that can be
//! turned around, and a part of the mixed number follows from the slot where the entry lies: only the rest is written there.
//! The rest is what the slot does not say, and how far the entry lies behind the slot where it belongs. Entries of four to
//! six bytes do for millions of states. Entries are kept in the order of the slots where they belong (Celis's Robin Hood
//! hashing, 1986), which keeps these distances small and lets a search for a root that is not there end early.
//!
//! The table is cut into 256 parts, by a byte of the root that need not be written either. Each part grows alone, by
//! a half, into a new block: so there is never more than a 256th of the table in memory twice, and the table stays nearly full.
//! A root has as many bits as the numbers have now. When a part meets a larger number it is made anew with more bits.
//!
//! Exact: the mixing is a bijection, so two roots are the same exactly if slot, distance and rest are the same.

use super::packed::Packed;
use crate::store::parts::arena::NoRoom;
use crate::store::parts::hash::scale;

/// Bits of a number in a root.
pub(in crate::store) const ID_BITS: u32 = 29;
/// Bits of the number of a shape in a root. A root has 63 bits in all.
const SHAPE_BITS: u32 = 5;
/// The last shape that a root can name.
pub(super) const LAST_SHAPE: u32 = (1 << SHAPE_BITS) - 1;
/// Parts of the table, as a power of two.
const PART_BITS: u32 = 8;
/// Slots of a part that was just begun.
const FIRST_SLOTS: usize = 16;
/// A part grows above 4/5, by a half.
const LOAD: (usize, usize) = (4, 5);
const GROWTH: (usize, usize) = (3, 2);
/// Without room to grow a part may fill further.
const LAST_LOAD: (usize, usize) = (31, 32);
/// Bits for the distance of an entry from its slot, at least.
const DISTANCE_BITS: u32 = 7;
/// Two odd numbers to multiply with, and what undoes it.
const FACTORS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9];
const INVERSES: [u64; 2] = [inverse(FACTORS[0]), inverse(FACTORS[1])];

/// The number that undoes a multiplication with an odd number, modulo 2^64 (Newton's iteration).
const fn inverse(factor: u64) -> u64 {
    let mut inverse = factor;
    let mut round = 0;
    while round < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse)));
        round += 1;
    }
    inverse
}

/// A state: the number of its shape, and the numbers of the two halves of its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::store) struct Root {
    pub(super) shape: u32,
    pub(super) left: u32,
    pub(super) right: u32,
}

impl Root {
    /// The root in one word.
    #[inline]
    pub(in crate::store) fn pack(self) -> u64 {
        u64::from(self.shape) << (2 * ID_BITS) | u64::from(self.left) << ID_BITS | u64::from(self.right)
    }

    /// The root that [`pack`](Self::pack) has put into a word.
    pub(in crate::store) fn unpack(word: u64) -> Root {
        let id = |shift: u32| (word >> shift) as u32 & ((1 << ID_BITS) - 1);
        Root { shape: (word >> (2 * ID_BITS)) as u32, left: id(ID_BITS), right: id(0) }
    }

    /// The part of the table where this root belongs.
    #[inline]
    fn part(self) -> usize {
        ((self.right ^ self.scatter()) & ((1 << PART_BITS) - 1)) as usize
    }

    /// A byte (and more) that depends on all but the right half: with the number of the part it gives the lowest byte of that half.
    #[inline]
    fn scatter(self) -> u32 {
        (u64::from(self.left) << SHAPE_BITS | u64::from(self.shape)).wrapping_mul(FACTORS[0]).rotate_left(13) as u32
    }
}

/// How many bits the numbers in the roots of a part have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Widths {
    shape: u32,
    id: u32,
}

impl Widths {
    /// The least widths that fit this root, too.
    fn with(self, root: Root) -> Widths {
        let bits = |number: u32| u32::BITS - number.leading_zeros();
        Widths { shape: self.shape.max(bits(root.shape)), id: self.id.max(bits(root.left | root.right)) }
    }

    /// Numbers one bit wider, if entries of a part with so many slots have room for that: then it is longer until the part has to be made
    /// anew for still larger numbers. More than one bit would keep entries a byte too wide when the part has grown.
    fn roomy(self, slots: usize) -> Widths {
        let wider = Widths { id: (self.id + 1).min(ID_BITS), ..self };
        let bytes = |widths| Part::plan(slots, widths).2;
        if bytes(wider) == bytes(self) { wider } else { self }
    }

    /// Do these widths fit this root?
    #[inline]
    fn fit(self, root: Root) -> bool {
        root.shape >> self.shape | (root.left | root.right) >> self.id == 0
    }

    /// Bits of a root, less those that follow from the part.
    #[inline]
    fn bits(self) -> u32 {
        self.shape + 2 * self.id - PART_BITS
    }

    /// The root as a number, mixed.
    #[inline]
    fn mix(self, root: Root) -> u64 {
        let joined = u64::from(root.shape) << self.id | u64::from(root.left);
        let mut word = joined << (self.id - PART_BITS) | u64::from(root.right >> PART_BITS);
        let (bits, mask) = (self.bits(), mask(self.bits()));
        for factor in FACTORS {
            // The shift is at least half of the bits: so it is undone by doing it once more.
            word ^= word >> bits.div_ceil(2);
            word = word.wrapping_mul(factor) & mask;
        }
        word
    }

    /// The root that was mixed.
    fn unmix(self, mut word: u64, part: usize) -> Root {
        let (bits, mask) = (self.bits(), mask(self.bits()));
        for factor in INVERSES.into_iter().rev() {
            word = word.wrapping_mul(factor) & mask;
            word ^= word >> bits.div_ceil(2);
        }
        let right = (word as u32 & ((1 << (self.id - PART_BITS)) - 1)) << PART_BITS;
        let joined = word >> (self.id - PART_BITS);
        let left = joined as u32 & ((1 << self.id) - 1);
        let root = Root { shape: (joined >> self.id) as u32, left, right };
        Root { right: right | (part as u32 ^ root.scatter()) & ((1 << PART_BITS) - 1), ..root }
    }
}

#[inline]
fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// What the set knows of a root.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::store) enum Known {
    /// It was not there and now is, with the mark.
    New,
    /// It was there.
    Seen {
        /// It has the mark.
        marked: bool,
    },
}

/// One part of the table. An entry is, from its lowest bit on: the lower bits of the mixed root, its distance from the
/// slot where it belongs plus 1, and its mark. 0 is an empty slot.
#[derive(Debug)]
struct Part {
    entries: Packed,
    /// Slots where roots belong. Behind them there is room for those that are pushed out at the end.
    slots: usize,
    len: usize,
    widths: Widths,
    /// Bits of the mixed root that an entry holds.
    rest_bits: u32,
    /// The largest distance.
    farthest: u64,
    /// The mark of an entry.
    mark: u64,
}

impl Default for Part {
    fn default() -> Part {
        Part {
            entries: Packed::default(),
            slots: 0,
            len: 0,
            // Such narrow roots that every part of the arithmetic has at least one bit.
            widths: Widths { shape: 1, id: PART_BITS + 4 },
            rest_bits: 0,
            farthest: 0,
            mark: 0,
        }
    }
}

impl Part {
    /// The shape of an empty part with so many slots: its number of slots in all, and the width of an entry.
    fn plan(slots: usize, widths: Widths) -> (Part, usize, usize) {
        // All mixed roots that belong to one slot are neighbours, and not more than 2^rest_bits.
        let rest_bits = widths.bits().saturating_sub(slots.ilog2());
        let width = (rest_bits + 1 + DISTANCE_BITS).div_ceil(8) as usize;
        let distance_bits = 8 * width as u32 - 1 - rest_bits;
        let farthest = (mask(distance_bits) - 1).min(7 + slots as u64 / 8);
        let mark = 1 << (8 * width - 1);
        let part = Part { slots, widths, rest_bits, farthest, mark, ..Part::default() };
        (part, slots + farthest as usize + 1, width)
    }

    /// The slot where a mixed root belongs.
    #[inline]
    fn home(&self, word: u64) -> usize {
        scale(word << (64 - self.widths.bits()), self.slots as u64) as usize
    }

    /// The entry of a mixed root that lies in its slot, without a mark.
    #[inline]
    fn entry(&self, word: u64) -> u64 {
        word & !(u64::MAX << self.rest_bits) | 1 << self.rest_bits
    }

    /// Where a root that is there lies, and its entry; or the place where it would go.
    #[inline]
    fn find(&self, word: u64) -> Result<(usize, u64), usize> {
        let mut place = self.home(word);
        let mut wanted = self.entry(word);
        loop {
            let entry = self.entries.get(place);
            let unmarked = entry & !self.mark;
            if unmarked == wanted {
                return Ok((place, entry));
            }
            // An entry that is nearer to its slot belongs to a later one, as an empty place does.
            if unmarked >> self.rest_bits < wanted >> self.rest_bits {
                return Err(place);
            }
            place += 1;
            wanted += 1 << self.rest_bits;
        }
    }

    /// Puts in a root that is not there. `false`: some entry would lie too far from its slot, and nothing has changed.
    fn put(&mut self, word: u64, place: usize, marked: bool) -> bool {
        let last = (self.farthest + 1) << self.rest_bits;
        let step = 1 << self.rest_bits;
        let distance = (place - self.home(word)) as u64;
        let mut end = place;
        loop {
            let entry = self.entries.get(end);
            if entry == 0 {
                break;
            }
            if entry & !self.mark >= last {
                return false;
            }
            end += 1;
        }
        if distance > self.farthest || end > self.slots + self.farthest as usize {
            return false;
        }
        while end > place {
            let entry = self.entries.get(end - 1);
            self.entries.set(end, entry + step);
            end -= 1;
        }
        let entry = self.entry(word) + distance * step;
        self.entries.set(place, if marked { entry | self.mark } else { entry });
        self.len += 1;
        true
    }

    /// Calls `each` with the slot of every mixed root, that root, and its mark.
    fn words(&self, mut each: impl FnMut(u64, u64, bool) -> bool) -> bool {
        if self.slots == 0 {
            return true;
        }
        let (whole, slots) = (1u128 << self.widths.bits(), self.slots as u128);
        let (quotient, remainder) = ((whole / slots) as u64, (whole % slots) as u64);
        let rest = !(u64::MAX << self.rest_bits);
        // Homes come in ascending order. `first` is the first of the mixed roots that belong to `at`, and `over` what is left where that
        // number is rounded up: the quotient of `at` * `whole` by `slots`, without a division for each of them.
        let (mut at, mut first, mut over) = (0, 0, 0);
        for place in 0..self.slots + self.farthest as usize + 1 {
            let entry = self.entries.get(place);
            if entry == 0 {
                continue;
            }
            let home = place as u64 + 1 - ((entry & !self.mark) >> self.rest_bits);
            while at < home {
                (at, first, over) = (at + 1, first + quotient, over + remainder);
                if over >= self.slots as u64 {
                    (first, over) = (first + 1, over - self.slots as u64);
                }
            }
            let first = first + u64::from(over > 0);
            // The entry's lower bits say which of the mixed roots of its slot it is.
            let word = first + ((entry & rest).wrapping_sub(first) & rest);
            if !each(at, word, entry & self.mark != 0) {
                return false;
            }
        }
        true
    }

    /// The same roots in a part with at least so many slots and these widths.
    fn rebuilt(&self, number: usize, slots: usize, widths: Widths, room: usize) -> Result<Part, NoRoom> {
        let mut slots = slots;
        loop {
            let (mut part, count, width) = Part::plan(slots, widths);
            if Packed::size(count, width) > room {
                return Err(NoRoom);
            }
            part.entries = Packed::new(count, width)?;
            let done = match widths == self.widths {
                true => self.pour_into(&mut part),
                false => self.words(|_, word, marked| {
                    let word = widths.mix(self.widths.unmix(word, number));
                    match part.find(word) {
                        Ok(_) => true,
                        Err(place) => part.put(word, place, marked),
                    }
                }),
            };
            if done {
                return Ok(part);
            }
            slots = slots / GROWTH.1 * GROWTH.0 + FIRST_SLOTS;
        }
    }

    /// Puts all roots into an empty part with more slots and the same widths: they come in the order in which they go there, but for
    /// those that belong to the same slot now.
    fn pour_into(&self, part: &mut Part) -> bool {
        // Most slots have few roots: those wait here until the last of their slot has come.
        let mut together: Vec<(u64, bool)> = Vec::new();
        let mut home = 0;
        let mut next = 0;
        let mut pour = |together: &mut Vec<(u64, bool)>| {
            if together.len() > 1 {
                together.sort_unstable();
            }
            together.drain(..).all(|(word, marked)| part.append(word, marked, &mut next))
        };
        let done = self.words(|at, word, marked| {
            let poured = at == home || pour(&mut together);
            home = at;
            together.push((word, marked));
            poured
        });
        done && pour(&mut together)
    }

    /// Puts in a root that belongs behind all others; `next` is the first place that is empty for good. `false`: it would lie too far
    /// from its slot.
    fn append(&mut self, word: u64, marked: bool, next: &mut usize) -> bool {
        let home = self.home(word);
        let place = home.max(*next);
        let distance = (place - home) as u64;
        if distance > self.farthest {
            return false;
        }
        let entry = self.entry(word) + (distance << self.rest_bits);
        self.entries.set(place, if marked { entry | self.mark } else { entry });
        *next = place + 1;
        self.len += 1;
        true
    }

    fn is_above(&self, load: (usize, usize)) -> bool {
        (self.len + 1) * load.1 > self.slots * load.0
    }
}

/// The set. See the head of this file.
#[derive(Debug)]
pub(in crate::store) struct Roots {
    parts: Vec<Part>,
    memory: usize,
}

impl Default for Roots {
    fn default() -> Roots {
        let parts: Vec<Part> = (0..1 << PART_BITS).map(|_| Part::default()).collect();
        Roots { memory: parts.capacity() * size_of::<Part>(), parts }
    }
}

impl Roots {
    /// Bytes in use.
    pub(in crate::store) fn memory(&self) -> usize {
        self.memory
    }

    /// Looks a root up, and inserts it with the mark if it is not there; `room` is how many more bytes may be taken.
    #[cfg(test)]
    fn insert(&mut self, root: Root, marked: bool, room: usize) -> Result<Known, NoRoom> {
        match self.insert_in_place(root, marked) {
            Some(known) => Ok(known),
            None => self.insert_growing(root, marked, room),
        }
    }

    /// Looks a root up, and inserts it with the mark if it is not there and has a place. `None`: the table must grow for it first.
    #[inline]
    pub(in crate::store) fn insert_in_place(&mut self, root: Root, marked: bool) -> Option<Known> {
        let part = &mut self.parts[root.part()];
        if part.slots == 0 || !part.widths.fit(root) {
            return None;
        }
        let word = part.widths.mix(root);
        match part.find(word) {
            Ok((_, entry)) => Some(Known::Seen { marked: entry & part.mark != 0 }),
            Err(place) => (!part.is_above(LOAD) && part.put(word, place, marked)).then_some(Known::New),
        }
    }

    /// Inserts a root that is not there into a part that has no place for it yet; `room` is how many more bytes may be taken.
    #[cold]
    pub(in crate::store) fn insert_growing(&mut self, root: Root, marked: bool, room: usize) -> Result<Known, NoRoom> {
        let number = root.part();
        let part = &self.parts[number];
        let mut widths = part.widths.with(root);
        let mut slots = (part.slots / GROWTH.1 * GROWTH.0).max(part.slots + FIRST_SLOTS);
        if widths != part.widths {
            if part.slots > 0 && !part.is_above(LOAD) {
                slots = part.slots;
            }
            widths = widths.roomy(slots);
        }
        loop {
            let part = &self.parts[number];
            match part.rebuilt(number, slots, widths, room) {
                Ok(rebuilt) => {
                    self.memory = self.memory + rebuilt.entries.memory() - part.entries.memory();
                    self.parts[number] = rebuilt;
                }
                // What does not fit with the old widths cannot go in.
                Err(NoRoom) if widths != part.widths || part.is_above(LAST_LOAD) => return Err(NoRoom),
                Err(NoRoom) => {}
            }
            let part = &mut self.parts[number];
            let word = widths.mix(root);
            match part.find(word) {
                Ok((_, entry)) => return Ok(Known::Seen { marked: entry & part.mark != 0 }),
                Err(place) if part.put(word, place, marked) => return Ok(Known::New),
                // Bad luck: some entry lies too far from its slot.
                Err(_) if part.slots < slots => return Err(NoRoom),
                Err(_) => slots = slots / GROWTH.1 * GROWTH.0 + FIRST_SLOTS,
            }
        }
    }

    /// Asks for the memory where a root would be looked up.
    #[inline]
    pub(in crate::store) fn prefetch(&self, root: Root) {
        let part = &self.parts[root.part()];
        if part.slots > 0 && part.widths.fit(root) {
            part.entries.prefetch(part.home(part.widths.mix(root)));
        }
    }

    /// Is this root there, and has it the mark?
    #[inline]
    pub(in crate::store) fn find(&self, root: Root) -> Option<bool> {
        let part = &self.parts[root.part()];
        if part.slots == 0 || !part.widths.fit(root) {
            return None;
        }
        part.find(part.widths.mix(root)).ok().map(|(_, entry)| entry & part.mark != 0)
    }

    /// Takes the mark from a root.
    #[inline]
    pub(in crate::store) fn unmark(&mut self, root: Root) {
        let part = &mut self.parts[root.part()];
        if part.slots == 0 || !part.widths.fit(root) {
            return;
        }
        if let Ok((place, entry)) = part.find(part.widths.mix(root)) {
            part.entries.set(place, entry & !part.mark);
        }
    }

    /// Calls `each` with every root, until it answers `false`.
    pub(in crate::store) fn each(&self, mut each: impl FnMut(Root) -> bool) {
        for (number, part) in self.parts.iter().enumerate() {
            if !part.words(|_, word, _| each(part.widths.unmix(word, number))) {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn root(shape: u32, left: u32, right: u32) -> Root {
        Root { shape, left, right }
    }

    #[test]
    fn mixing_can_be_undone() {
        for id in [12, 13, 20, 29] {
            for shape in [1, 3, 5] {
                let widths = Widths { shape, id };
                for i in 0..1_000u32 {
                    let number = |salt: u32| i.wrapping_mul(salt) >> (32 - id);
                    let one = root(i % (1 << shape), number(0x9E37_79B9), number(0x85EB_CA6B));
                    assert_eq!(Root::unpack(one.pack()), one);
                    let word = widths.mix(one);
                    assert!(word <= mask(widths.bits()));
                    assert_eq!(widths.unmix(word, one.part()), one);
                }
            }
        }
    }

    #[test]
    fn roomy_widths_fit_more_and_make_no_entry_wider() {
        for id in 12..=ID_BITS {
            let widths = Widths { shape: 2, id };
            for slots in [16, 24, 1_000, 50_000] {
                let roomy = widths.roomy(slots);
                assert_eq!(Part::plan(slots, roomy).2, Part::plan(slots, widths).2);
                assert!(roomy == widths || roomy.id == id + 1);
            }
            for number in [0, 1, (1 << id) - 1, 1 << (id - 1), 1 << id] {
                for one in [root(3, number, 0), root(1, 0, number), root(4, number, number)] {
                    assert_eq!(widths.fit(one), widths.with(one) == widths, "{one:?}");
                }
            }
        }
    }

    /// As many as fit, at every size of the tables; larger and larger numbers.
    #[test]
    fn every_root_is_new_once_and_comes_back() {
        let mut roots = Roots::default();
        let at = |i: u32| root(i % 3, i / 50, i % 50 * (i / 1_000 + 1));
        for i in 0..200_000 {
            assert_eq!(roots.insert(at(i), i % 2 == 0, usize::MAX), Ok(Known::New), "{i}");
        }
        for i in 0..200_000 {
            assert_eq!(roots.insert(at(i), false, usize::MAX), Ok(Known::Seen { marked: i % 2 == 0 }), "{i}");
            roots.unmark(at(i));
            assert_eq!(roots.find(at(i)), Some(false));
        }
        assert_eq!(roots.find(root(3, 0, 0)), None);
        let mut count = 0;
        roots.each(|root| {
            assert_eq!(roots.find(root), Some(false));
            count += 1;
            true
        });
        assert_eq!(count, 200_000);
        assert!(roots.memory() / 200_000 < 9, "{}", roots.memory());
    }

    #[test]
    fn the_room_is_not_exceeded_and_what_was_there_stays() {
        let mut roots = Roots::default();
        let budget = 60_000;
        let mut i = 0;
        while let Ok(known) = roots.insert(root(0, i, i), true, budget - roots.memory()) {
            assert_eq!(known, Known::New);
            assert!(roots.memory() <= budget);
            i += 1;
        }
        assert!(i > 3_000, "{i}");
        for i in 0..i {
            assert_eq!(roots.find(root(0, i, i)), Some(true));
        }
    }

    proptest! {
        #[test]
        fn agrees_with_a_map(steps in proptest::collection::vec((0u32..3, 0u32..30, 0u32..2_000, any::<bool>()), 0..3_000)) {
            let mut roots = Roots::default();
            let mut model: HashMap<(u32, u32, u32), bool> = HashMap::new();
            for (shape, left, right, leaves) in steps {
                // Numbers of all sizes.
                let (left, right) = (left * left * left * 7, right * right * 31);
                let one = root(shape * 15, left, right);
                let answer = roots.insert(one, true, usize::MAX);
                match model.get(&(shape, left, right)) {
                    Some(&marked) => prop_assert_eq!(answer, Ok(Known::Seen { marked })),
                    None => prop_assert_eq!(answer, Ok(Known::New)),
                }
                let marked = model.entry((shape, left, right)).or_insert(true);
                if leaves {
                    roots.unmark(one);
                    *marked = false;
                }
                prop_assert_eq!(roots.find(one), Some(*marked));
            }
        }
    }
}
