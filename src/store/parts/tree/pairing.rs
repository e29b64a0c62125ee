//! Which parts of a state are put together in the tree. A tree is small if parts that change together are neighbours: then few pairs of
//! them occur, and few pairs of these pairs. Which parts do is learned from some states, before the first state is stored.
//!
//! Idea: as in the clustering of statistics, again and again those two parts become a pair of which the fewest values were seen
//! together. The number of different values is estimated with a bitmap (linear counting; Whang, Vander-Zanden, Taylor 1990). On
//! SPIN's leader election the tree has an inner node for every 14th state; a balanced tree over the parts in the order of
//! the state has one for every state.
//!
//! Any pairing is sound. Cost: some 50 milliseconds at most, for states of many parts.

/// A tree over units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Pairing {
    /// The unit with this number.
    Unit(usize),
    /// Two trees.
    Pair(Box<Pairing>, Box<Pairing>),
}

/// Bits of the bitmap, as a power of two: 16 KiB.
const BITMAP_BITS: u32 = 17;
/// More units than this are not compared with each other: neighbours are put together first.
const MOST_COLUMNS: usize = 64;
/// About how many pairs of values are looked at.
const EFFORT: usize = 1 << 24;
/// Values that are looked at for one pair, at least and at most.
const VALUES: (usize, usize) = (512, 1 << 14);

impl Pairing {
    fn pair(left: Pairing, right: Pairing) -> Pairing {
        Pairing::Pair(Box::new(left), Box::new(right))
    }

    /// A tree over trees, balanced, in their order; `None` if there are none.
    pub(super) fn balanced(mut trees: Vec<Pairing>) -> Option<Pairing> {
        while trees.len() > 1 {
            let mut pairs = Vec::with_capacity(trees.len().div_ceil(2));
            let mut trees_left = trees.into_iter();
            while let Some(left) = trees_left.next() {
                pairs.push(match trees_left.next() {
                    Some(right) => Pairing::pair(left, right),
                    None => left,
                });
            }
            trees = pairs;
        }
        trees.pop()
    }

    /// The same tree over units with other numbers: `None` for a unit that is not there.
    pub(super) fn renamed(&self, name: &impl Fn(usize) -> Option<usize>) -> Option<Pairing> {
        match self {
            Pairing::Unit(number) => name(*number).map(Pairing::Unit),
            Pairing::Pair(left, right) => match (left.renamed(name), right.renamed(name)) {
                (Some(left), Some(right)) => Some(Pairing::pair(left, right)),
                (one, None) | (None, one) => one,
            },
        }
    }

    /// This tree, and other trees beside its right half.
    pub(super) fn beside(self, others: Vec<Pairing>) -> Pairing {
        let Some(others) = Pairing::balanced(others) else { return self };
        match self {
            Pairing::Pair(left, right) => Pairing::pair(*left, Pairing::pair(*right, others)),
            unit @ Pairing::Unit(_) => Pairing::pair(unit, others),
        }
    }
}

/// One part, or several that are a tree already, and its value in every state that was looked at.
struct Column {
    tree: Pairing,
    depth: usize,
    values: Vec<u32>,
}

#[inline]
fn join(one: u32, other: u32) -> u32 {
    let word = u64::from(one) << 32 | u64::from(other);
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ word >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(27) as u32
}

/// How many bits of the bitmap the values of two columns set together: the more values, the more bits.
fn together(one: &Column, other: &Column, bitmap: &mut [u64]) -> usize {
    bitmap.fill(0);
    for (&one, &other) in one.values.iter().zip(&other.values) {
        let bit = join(one, other) >> (u32::BITS - BITMAP_BITS);
        bitmap[(bit >> 6) as usize] |= 1 << (bit & 63);
    }
    bitmap.iter().map(|word| word.count_ones() as usize).sum()
}

fn merge(one: Column, other: Column) -> Column {
    let values = one.values.iter().zip(&other.values).map(|(&one, &other)| join(one, other)).collect();
    Column { tree: Pairing::pair(one.tree, other.tree), depth: one.depth.max(other.depth) + 1, values }
}

/// How many states are worth looking at if a state has so many units.
pub(super) fn worth(units: usize) -> usize {
    (EFFORT / units.min(MOST_COLUMNS).pow(2).max(1)).clamp(VALUES.0, VALUES.1)
}

/// A tree over units, of which the values (or hashes of them) in some states are given.
pub(super) fn learn(values: Vec<Vec<u32>>) -> Option<Pairing> {
    let mut columns: Vec<Column> = values
        .into_iter()
        .enumerate()
        .map(|(number, values)| Column { tree: Pairing::Unit(number), depth: 0, values })
        .collect();
    while columns.len() > MOST_COLUMNS {
        let mut fewer = Vec::with_capacity(columns.len().div_ceil(2));
        let mut left = columns.into_iter();
        while let Some(one) = left.next() {
            fewer.push(match left.next() {
                Some(other) => merge(one, other),
                None => one,
            });
        }
        columns = fewer;
    }
    let mut bitmap = vec![0u64; 1 << (BITMAP_BITS - 6)];
    // Deep trees cost time: of two pairs that are about as good the flatter one is taken.
    let mut cost = |one: &Column, other: &Column| together(one, other, &mut bitmap) * (16 + one.depth.max(other.depth));
    let mut costs: Vec<Vec<usize>> = Vec::new();
    for (number, one) in columns.iter().enumerate() {
        costs.push(columns[..number].iter().map(|other| cost(one, other)).collect());
    }
    while columns.len() > 1 {
        let all =
            costs.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, &cost)| (cost, i, j)));
        let Some((_, later, earlier)) = all.min() else { break };
        let (one, other) = (columns.remove(later), columns.remove(earlier));
        for gone in [later, earlier] {
            costs.remove(gone);
            costs.iter_mut().skip(gone).for_each(|row| {
                row.remove(gone);
            });
        }
        let merged = merge(other, one);
        costs.push(columns.iter().map(|column| cost(&merged, column)).collect());
        columns.push(merged);
    }
    columns.pop().map(|column| column.tree)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(tree: &Pairing, found: &mut Vec<usize>) {
        match tree {
            Pairing::Unit(number) => found.push(*number),
            Pairing::Pair(left, right) => {
                units(left, found);
                units(right, found);
            }
        }
    }

    /// Units 0 and 3 change together, and 1 and 2.
    #[test]
    fn what_changes_together_is_put_together() {
        let a: Vec<u32> = (0..4_000).map(|i| i % 50).collect();
        let b: Vec<u32> = (0..4_000).map(|i| i / 50).collect();
        let tree = learn(vec![a.clone(), b.clone(), b, a]).unwrap();
        let pair = |one, other| Pairing::pair(Pairing::Unit(one), Pairing::Unit(other));
        assert!(
            tree == Pairing::pair(pair(0, 3), pair(1, 2)) || tree == Pairing::pair(pair(1, 2), pair(0, 3)),
            "{tree:?}"
        );
    }

    #[test]
    fn every_unit_is_in_the_tree_once() {
        for count in [1usize, 2, 3, 40, 64, 65, 300] {
            let values = (0..count).map(|unit| (0..600).map(|i| (i * unit / 7) as u32 % 13).collect()).collect();
            let mut found = Vec::new();
            units(&learn(values).unwrap(), &mut found);
            found.sort_unstable();
            assert_eq!(found, (0..count).collect::<Vec<_>>());
        }
        assert_eq!(learn(Vec::new()), None);
    }

    #[test]
    fn trees_follow_the_units_that_are_there() {
        let tree = Pairing::balanced((0..5).map(Pairing::Unit).collect()).unwrap();
        let fewer = tree.renamed(&|number| (number != 1).then_some(number * 10)).unwrap();
        let more = fewer.beside(vec![Pairing::Unit(7), Pairing::Unit(8)]);
        let mut found = Vec::new();
        units(&more, &mut found);
        assert_eq!(found, [0, 20, 30, 40, 7, 8]);
    }
}
