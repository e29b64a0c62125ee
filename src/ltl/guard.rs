//! Guards of transitions: sets of letters, written as a disjunction of cubes.
//!
//! A letter says for each atom whether it holds. A cube is a conjunction of literals and a guard is a disjunction of cubes, kept
//! in a small normal form: prime implicants by iterated consensus (Quine 1955), then a greedy irredundant choice among them.
//! Every question asked here is exact, except that a cover question which would need too many case splits is answered `false`;
//! the callers use covers only to leave transitions out, so that answer costs size and never correctness.

/// A conjunction of literals. Bit `i` of `positive` demands atom `i`, bit `i` of `negative` forbids it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// The atoms that must hold.
    pub positive: u64,
    /// The atoms that must not hold.
    pub negative: u64,
}

impl Cube {
    /// The cube without literals: every letter.
    pub const TRUE: Cube = Cube { positive: 0, negative: 0 };

    /// Whether `letter` (bit `i` set: atom `i` holds) is in the cube.
    pub fn accepts(&self, letter: u64) -> bool {
        self.positive & !letter == 0 && self.negative & letter == 0
    }

    /// The letters in both cubes, or `None` when there are none.
    pub fn and(&self, other: &Cube) -> Option<Cube> {
        let both = Cube { positive: self.positive | other.positive, negative: self.negative | other.negative };
        (both.positive & both.negative == 0).then_some(both)
    }

    /// Whether every letter of `other` is a letter of `self`.
    pub fn contains(&self, other: &Cube) -> bool {
        self.positive & !other.positive == 0 && self.negative & !other.negative == 0
    }

    fn atoms(&self) -> u64 {
        self.positive | self.negative
    }

    /// The consensus of two cubes that disagree on exactly one atom: the largest cube inside their union that crosses it.
    fn consensus(&self, other: &Cube) -> Option<Cube> {
        let clash = (self.positive & other.negative) | (self.negative & other.positive);
        (clash.count_ones() == 1).then_some(Cube {
            positive: (self.positive | other.positive) & !clash,
            negative: (self.negative | other.negative) & !clash,
        })
    }
}

/// A set of letters as a disjunction of cubes; no cube means no letter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard {
    /// A letter passes that passes one of them.
    pub cubes: Vec<Cube>,
}

impl Guard {
    /// Every letter.
    pub fn always() -> Guard {
        Guard { cubes: vec![Cube::TRUE] }
    }

    /// The guard of some cubes, in normal form.
    pub fn of(cubes: Vec<Cube>) -> Guard {
        Guard { cubes: minimise(cubes) }
    }

    /// Whether the guard lets every letter pass.
    pub fn is_true(&self) -> bool {
        self.cubes.contains(&Cube::TRUE)
    }

    /// Whether `letter` (bit `i` set: atom `i` holds) passes.
    pub fn accepts(&self, letter: u64) -> bool {
        self.cubes.iter().any(|cube| cube.accepts(letter))
    }
}

/// More case splits than this and a cover is not looked for any longer.
const SPLIT_LIMIT: u32 = 4_096;

/// More cubes than this and prime implicants are not computed: consensus can square their number at every round.
const CONSENSUS_LIMIT: usize = 64;

/// Whether the union of `cubes` has every letter of `cube`; may answer `false` wrongly when that is too hard to tell.
pub fn covers(cubes: &[Cube], cube: &Cube) -> bool {
    let mut splits = 0;
    covers_within(cubes, cube, &mut splits)
}

fn covers_within(cubes: &[Cube], cube: &Cube, splits: &mut u32) -> bool {
    if cubes.iter().any(|other| other.contains(cube)) {
        return true;
    }
    let meeting: Vec<Cube> = cubes.iter().copied().filter(|other| other.and(cube).is_some()).collect();
    // Split on an atom of the shortest cube: that one is most likely to swallow a half.
    let Some(shortest) = meeting.iter().min_by_key(|other| (other.atoms() & !cube.atoms()).count_ones()) else {
        return false;
    };
    let open = shortest.atoms() & !cube.atoms();
    let bit = open & open.wrapping_neg();
    *splits += 1;
    if bit == 0 || *splits > SPLIT_LIMIT {
        return false;
    }
    let with = Cube { positive: cube.positive | bit, negative: cube.negative };
    let without = Cube { positive: cube.positive, negative: cube.negative | bit };
    covers_within(&meeting, &with, splits) && covers_within(&meeting, &without, splits)
}

/// A small equal disjunction: prime implicants, then those that the others make superfluous dropped, longest first.
fn minimise(mut cubes: Vec<Cube>) -> Vec<Cube> {
    absorb(&mut cubes);
    while cubes.len() <= CONSENSUS_LIMIT {
        let mut fresh = Vec::new();
        for (at, left) in cubes.iter().enumerate() {
            for right in &cubes[at + 1..] {
                if let Some(cube) = left.consensus(right)
                    && !cubes.iter().any(|other| other.contains(&cube))
                {
                    fresh.push(cube);
                }
            }
        }
        if fresh.is_empty() {
            break;
        }
        cubes.extend(fresh);
        absorb(&mut cubes);
    }
    cubes.sort_by_key(|cube| (cube.atoms().count_ones(), *cube));
    let mut at = cubes.len();
    while at > 0 {
        at -= 1;
        let cube = cubes.remove(at);
        if !covers(&cubes, &cube) {
            cubes.insert(at, cube);
        }
    }
    cubes
}

/// Drops cubes that lie inside another one.
fn absorb(cubes: &mut Vec<Cube>) {
    cubes.sort_by_key(|cube| (cube.atoms().count_ones(), *cube));
    let mut kept: Vec<Cube> = Vec::with_capacity(cubes.len());
    for cube in cubes.iter() {
        if !kept.iter().any(|other| other.contains(cube)) {
            kept.push(*cube);
        }
    }
    *cubes = kept;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(positive: u64, negative: u64) -> Cube {
        Cube { positive, negative }
    }

    #[test]
    fn a_literal_and_its_opposite_make_true() {
        assert!(Guard::of(vec![cube(1, 0), cube(0, 1)]).is_true());
    }

    #[test]
    fn consensus_shortens() {
        // a && b || !a && b || a && !b  ==  a || b
        let guard = Guard::of(vec![cube(3, 0), cube(2, 1), cube(1, 2)]);
        assert_eq!(guard.cubes, vec![cube(1, 0), cube(2, 0)]);
    }

    #[test]
    fn the_normal_form_has_the_same_letters() {
        let mut seed = 7u64;
        for _ in 0..200 {
            let mut cubes = Vec::new();
            for _ in 0..5 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let positive = (seed >> 33) & 15;
                cubes.push(cube(positive, (seed >> 40) & 15 & !positive));
            }
            let guard = Guard::of(cubes.clone());
            for letter in 0..16 {
                let expected = cubes.iter().any(|one| one.accepts(letter));
                assert_eq!(guard.accepts(letter), expected);
            }
            assert!(cubes.iter().all(|one| covers(&guard.cubes, one)));
        }
    }
}
