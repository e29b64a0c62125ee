//! What a process can still come to, by its location: which transitions, and the birth of which process types.
//!
//! An automaton of n locations has n sets of transitions, which would be n² bits, although a search asks about few of them. So
//! the set of a location is made when somebody asks for it. The other question, from which locations one of some
//! transitions can be reached, is answered by one walk backwards, without these sets.

use super::block::sources;
use super::flow::BitSet;
use super::footprint::Footprint;
use crate::model::{Automaton, Model};

/// See the module.
pub struct Reach {
    /// By transition: its location, and the location behind it.
    ends: Vec<(u32, u32)>,
    /// By location: the transitions that leave it.
    leaving: Vec<std::ops::Range<u32>>,
    /// By location: the locations from which one transition leads to it.
    before: Vec<Vec<u32>>,
    /// By location: the transitions that can be reached from it, if somebody has asked.
    known: Vec<Option<BitSet>>,
}

impl Reach {
    /// Of one process type.
    pub fn new(automaton: &Automaton) -> Reach {
        let count = automaton.locations.len();
        let targets = automaton.transitions.iter().map(|transition| transition.target);
        let ends: Vec<(u32, u32)> = sources(automaton).into_iter().zip(targets).collect();
        let mut before = vec![Vec::new(); count];
        for &(source, target) in &ends {
            if let Some(before) = before.get_mut(target as usize) {
                before.push(source);
            }
        }
        let leaving = automaton.locations.iter().map(|location| location.first..location.first + location.count);
        Reach { ends, leaving: leaving.collect(), before, known: vec![None; count] }
    }

    /// Number of locations.
    pub fn locations(&self) -> usize {
        self.before.len()
    }

    /// The transitions that can be reached from a location.
    pub fn from(&mut self, location: usize) -> Option<&BitSet> {
        if self.known.get(location)?.is_none() {
            self.known[location] = Some(self.forward(location));
        }
        self.known[location].as_ref()
    }

    fn forward(&self, start: usize) -> BitSet {
        let mut reached = BitSet::new(self.ends.len());
        let mut met = BitSet::new(self.locations());
        met.insert(start);
        let mut open = vec![start];
        while let Some(location) = open.pop() {
            for t in self.leaving[location].clone() {
                reached.insert(t as usize);
                let target = self.ends[t as usize].1 as usize;
                if target < self.locations() && met.insert(target) {
                    open.push(target);
                }
            }
        }
        reached
    }

    /// The locations from which one of these transitions (bits, 64 in a word) can be reached.
    pub fn back(&self, transitions: &[u64]) -> BitSet {
        let mut met = BitSet::new(self.locations());
        let mut open = Vec::new();
        for (w, &word) in transitions.iter().enumerate() {
            let mut bits = word;
            while bits != 0 {
                let t = w * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(&(source, _)) = self.ends.get(t)
                    && met.insert(source as usize)
                {
                    open.push(source);
                }
            }
        }
        while let Some(location) = open.pop() {
            for &source in &self.before[location as usize] {
                if met.insert(source as usize) {
                    open.push(source);
                }
            }
        }
        met
    }
}

/// For every process type and location, the process types that can still be made, by this process or by those it makes.
pub fn spawnable(model: &Model, footprints: &[Vec<Footprint>], reach: &[Reach]) -> Vec<Vec<BitSet>> {
    let count = model.proctypes.len();
    let mut spawns: Vec<Vec<BitSet>> = reach.iter().map(|reach| vec![BitSet::new(count); reach.locations()]).collect();
    for (p, reach) in reach.iter().enumerate() {
        for made in 0..count {
            let mut makers = BitSet::new(footprints[p].len());
            for (t, footprint) in footprints[p].iter().enumerate() {
                if footprint.spawns.contains(&(made as u32)) {
                    makers.insert(t);
                }
            }
            for location in reach.back(makers.words()).iter() {
                spawns[p][location].insert(made);
            }
        }
    }
    loop {
        let mut grown = false;
        let born: Vec<BitSet> = (0..count)
            .map(|p| spawns[p].get(model.proctypes[p].automaton.entry as usize).cloned().unwrap_or_default())
            .collect();
        for set in spawns.iter_mut().flatten() {
            for made in set.clone().iter() {
                grown |= set.union(&born[made]);
            }
        }
        if !grown {
            return spawns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, After, Location, Transition, TransitionType};
    use crate::source::Span;

    /// An automaton with these successors of each location.
    fn automaton(successors: &[&[u32]]) -> Automaton {
        let mut automaton = Automaton::default();
        for targets in successors {
            let (first, count) = (automaton.transitions.len() as u32, targets.len() as u32);
            automaton.locations.push(Location { first, count, ..Location::default() });
            automaton.transitions.extend(targets.iter().map(|&target| Transition {
                action: Action::Skip,
                target,
                atomic: false,
                escape: 0,
                kind: TransitionType::Other,
                text: "".into(),
                span: Span::default(),
                after: After::default(),
            }));
        }
        automaton
    }

    /// Both questions have the same answer for every location and transition.
    #[test]
    fn forwards_and_backwards_are_the_same() {
        let automaton = automaton(&[&[1], &[2, 3], &[1], &[4, 3], &[], &[5, 0]]);
        let mut reach = Reach::new(&automaton);
        let mut pairs = Vec::new();
        for t in 0..automaton.transitions.len() {
            let mut only = BitSet::new(automaton.transitions.len());
            only.insert(t);
            let back = reach.back(only.words());
            for location in 0..reach.locations() {
                let is_reached = reach.from(location).is_some_and(|reached| reached.contains(t));
                assert_eq!(back.contains(location), is_reached, "transition {t} from location {location}");
                if is_reached {
                    pairs.push((location, t));
                }
            }
        }
        let of = |location| pairs.iter().filter(|pair| pair.0 == location).map(|pair| pair.1).collect::<Vec<_>>();
        assert_eq!(of(0), [0, 1, 2, 3, 4, 5]);
        assert_eq!(of(2), [1, 2, 3, 4, 5]);
        assert_eq!(of(3), [4, 5]);
        assert_eq!(of(4), [0; 0]);
        assert_eq!(of(5), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
