//! Precision on demand (Melatti, Palmer, Gopalakrishnan, "Precision on demand: an improvement in probabilistic hashing",
//! 2007, Fig. 2): when a store that may err says "seen", the search looks at the chain of first successors before it believes
//! the store.
//!
//! Idea: if the state had really been visited, its first successor in the fixed order would have been inserted then. So the
//! first link of the chain that is not in the store proves that the state is new.
//!
//! Where this differs from the paper's figure, and why it is sound here:
//! - A chain that ends early (in a state without successors) proves nothing, and the state counts as visited. The paper calls
//!   such a state surely new, so it would be counted again at every visit.
//! - "First successor" is the first *storable* state that the walk comes to. The walk passes through rendezvous halves and
//!   through states inside atomic blocks, in the same order as the search itself.
//! - A visited state that lies on the stack has had its first successor inserted before the search looks at anything below
//!   it, so a revisit always comes later than that insertion. A state whose first successor is itself is in the store.
//! - The first successor may have been taken for visited by mistake when the state was expanded. Then the store answers
//!   "seen" for it now as it did then, because neither table forgets.
//! - A reduction may leave the first successor out, so sleep sets and persistent sets are refused together with this.
//!
//! Every state that the second look adds is a new one, so coverage grows. But each added state takes room in the table, and
//! now and then a run loses more by that than it has won: a state from which many others are reached is omitted only because
//! of it. Over several seeds precision on demand wins.
//!
//! Costs up to K steps and lookups for each match, unless the state was met lately. A state that was met lately needs no
//! second look, because its chain is in the store since that arrival. There are two cases. Either the chain was found in the
//! store, and the tables forget nothing. Or the state was entered; then the search itself goes along the chain, entering each
//! link or finding what follows it stored, before it comes to this state by another way (where the chain leads back to the
//! state, all of the chain lies on the stack). So a small table of states that were met lately saves many of the looks, and
//! changes no count.
//!
//! Under a bound on the depth none of this holds: a state at the bound is entered and its successors are not, so it would be
//! new at every visit. `--pod` is refused together with `--max-depth`.

use crate::exec::Machine;
use crate::model::TransitionType;
use crate::search::monitor::Patience;
use crate::search::reduce::Full;
use crate::search::walk::{Control, Decision, Ended, Rules, Visitor, Walk};
use crate::store::{Handle, LossyStore, Store};

/// Places for states met lately: 64 KiB, which stay in the second-level cache. Four times as many would save a further
/// 2 to 8 per cent of the instructions.
const PLACES: usize = 1 << 14;

/// Whether a store's "seen" is believed.
pub trait Precision<S: Store> {
    /// The store is believed: it is never asked a second time.
    const TRUSTS: bool = false;

    /// Looks again at the machine's current state, which the store called seen; a handle if it is new after all.
    fn look_again(&mut self, machine: &mut Machine<'_>, store: &mut S) -> Option<Handle>;

    /// The state that was visited last was new and is entered.
    fn entered(&mut self, store: &S);

    /// Bytes in use.
    fn memory(&self) -> usize;
}

/// Believes the store.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust;

impl<S: Store> Precision<S> for Trust {
    const TRUSTS: bool = true;

    #[inline]
    fn look_again(&mut self, _: &mut Machine<'_>, _: &mut S) -> Option<Handle> {
        None
    }

    #[inline]
    fn entered(&mut self, _: &S) {}

    fn memory(&self) -> usize {
        0
    }
}

/// Looks at the chain of first successors before it believes the store.
#[derive(Debug)]
pub struct PrecisionOnDemand<'i> {
    length: u8,
    walk: Walk,
    lately: Lately,
    patience: Patience<'i>,
    /// A look was broken off: the search ends soon.
    over: bool,
}

impl PrecisionOnDemand<'_> {
    /// Looks at chains of up to `length` states.
    pub fn new(length: u8, transitions: usize, rules: Rules, patience: Patience<'_>) -> PrecisionOnDemand<'_> {
        let (walk, lately) = (Walk::new(transitions, rules), Lately::new(PLACES));
        PrecisionOnDemand { length, walk, lately, patience, over: false }
    }
}

impl<S: LossyStore> Precision<S> for PrecisionOnDemand<'_> {
    fn look_again(&mut self, machine: &mut Machine<'_>, store: &mut S) -> Option<Handle> {
        if self.over || self.lately.meet(store.last_hash()) {
            return None;
        }
        let mark = machine.mark();
        let mut new = false;
        for _ in 0..self.length {
            let mut first = First { patience: self.patience, over: false };
            if self.walk.expand(machine, &mut first, &mut Full) == Ended::Complete {
                break;
            }
            if first.over {
                self.over = true;
                break;
            }
            if !store.contains(machine.state()) {
                new = true;
                break;
            }
        }
        machine.undo(mark);
        new.then(|| store.visit_anyway(machine.state()))
    }

    #[inline]
    fn entered(&mut self, store: &S) {
        self.lately.meet(store.last_hash());
    }

    fn memory(&self) -> usize {
        self.walk.memory() + self.lately.tags.capacity() * size_of::<u32>()
    }
}

/// States that were met lately, see the head of this file. The lower half of a state's hash gives its only place, which holds
/// the upper half. Another state at this place looks the same once in four thousand million times.
#[derive(Debug)]
struct Lately {
    tags: Vec<u32>,
}

impl Lately {
    /// With a power of two of places, or none.
    fn new(places: usize) -> Lately {
        Lately { tags: vec![0; places] }
    }

    /// Was a state with this hash met lately? It is remembered now.
    #[inline]
    fn meet(&mut self, hash: u64) -> bool {
        let number = hash as usize & self.tags.len().wrapping_sub(1);
        let Some(place) = self.tags.get_mut(number) else { return false };
        // 0 stands for an empty place.
        let tag = ((hash >> 32) as u32).max(1);
        std::mem::replace(place, tag) == tag
    }
}

/// Stops at the first state.
struct First<'i> {
    patience: Patience<'i>,
    over: bool,
}

impl Visitor for First<'_> {
    fn arrive(&mut self, _: &mut Machine<'_>, _: &Walk, _: TransitionType) -> Decision {
        Decision::Stop
    }

    fn tick(&mut self, _: &Machine<'_>, walk: &Walk, _: usize) -> Control {
        self.over = self.patience.is_over(walk.memory());
        if self.over { Control::Stop } else { Control::Continue }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Program;
    use crate::model::Model;
    use crate::search::driver::{Settings, Task};
    use crate::search::explore::dfs;
    use crate::search::monitor::Monitor;
    use crate::store::lossy::bloom::BloomStore;
    use crate::store::lossy::compact::CompactStore;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn only_what_was_met_at_its_place_last_is_known() {
        let mut lately = Lately::new(4);
        let hashes = [1 << 32 | 1, 2 << 32 | 1, 1 << 32 | 2, 0];
        assert!(hashes.iter().all(|&hash| !lately.meet(hash)));
        // The second took the place of the first.
        assert_eq!(hashes.map(|hash| lately.meet(hash)), [false, false, true, true]);
        let mut none = Lately::new(0);
        assert!(!none.meet(7) && !none.meet(7));
    }

    fn counts<S: LossyStore>(model: &Model, mut store: S, length: u8, places: usize) -> (u64, u64, u64) {
        let program = Program::new(model, None);
        let rules = Rules {
            end_states: true,
            assertions: true,
            pass_assertions: false,
            strict_channels: false,
            max_depth: u64::MAX,
            claim: false,
            halts: false,
            stutter: true,
        };
        let interrupt = AtomicBool::new(false);
        let (settings, mut monitor) = (Settings { rules, all_errors: true }, Monitor::silent(&interrupt));
        let mut precision = PrecisionOnDemand::new(length, program.transitions.len(), rules, monitor.patience());
        precision.lately = Lately::new(places);
        let outcome = {
            let task = Task { model, program: &program, settings, known: &[], audit: None, monitor: &mut monitor };
            dfs::search_precisely(task, &mut store, precision)
        };
        (outcome.counts.stored, outcome.counts.matched, outcome.error_count)
    }

    /// Over diamonds, loops, chains that lead back, atomic blocks that break, rendezvous, states without successors.
    #[test]
    fn what_is_remembered_changes_no_count() {
        let corners = "chan c = [0] of { byte }; chan d = [1] of { byte }; byte x, y;
            active proctype A() { byte i; do :: i < 3 -> i++; c!i :: i > 0 -> i-- :: atomic { d!i; x = i % 3 } od }
            active proctype B() { byte j; do :: c?j; y = j % 5 :: atomic { d?j; d?j; y = 0 } :: y == 3 -> break od }
            active proctype C() { do :: x = (x + 1) % 3 :: x == y -> skip :: x == 2 && y == 3 -> break od }";
        let sources =
            [corners, include_str!("../../../examples/go_back_n.pml"), include_str!("../../../examples/urp.pml")];
        for source in sources {
            let (_, model) = crate::load::read_text("m.pml", source).expect("a model");
            let wide = CompactStore::new(64, 1 << 17, 1, false).expect("room");
            let (states, ..) = counts(&model, wide, 1, 0);
            for (length, bits, seed) in [(1, 2, 1), (1, 3, 2), (1, 8, 3), (2, 2, 4), (2, 5, 5), (4, 2, 6)] {
                let compact = |places| {
                    let store = CompactStore::new(bits, states, seed, false).expect("room");
                    counts(&model, store, length, places)
                };
                let bloom = |places| {
                    let store = BloomStore::new(states * u64::from(bits) / 8, bits, seed, false).expect("room");
                    counts(&model, store, length, places)
                };
                let without = (compact(0), bloom(0));
                assert!(bits == 8 || without.0.0 < states && without.1.0 < states, "{without:?} of {states}");
                for places in [1, 64, PLACES] {
                    assert_eq!((compact(places), bloom(places)), without, "{length} {bits} {seed} {places}");
                }
            }
        }
    }
}
