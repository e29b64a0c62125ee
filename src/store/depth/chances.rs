//! What it is expected to cost to forget a state: the work below it times the chance that it is met again.
//!
//! Idea: a state that was forgotten costs nothing until it is met again; then all that lies below it is explored once more, as far as that was
//! forgotten, too. So the state to forget is the one with the least product of two numbers. The work is measured: the transitions that were
//! made between the moment in which the state came onto the stack and the one in which it left it, which counts what was explored below it this time.
//! The chance is learnt while the search runs, for classes of states that look alike: the type of the transitions that led to the state
//! (section 5 of the caching paper found it to tell), how often it was visited, and for how long nobody has met it, in powers of four. For each class
//! is counted how often one of its states was met while it was held, and for how long states of it were held: the quotient is a rate, and
//! the rates of two classes can be compared whatever the cache does, since a state that is held for a short time counts for a short time.
//! How long states of a class are held is estimated from the sample that a choice looks at.
//!
//! Old counts fade: they are halved every [`FADE`] choices, so that a search that comes to another part of the model learns anew.
//!
//! Cost: 12 KiB, and [`SCAN`] states looked at per choice. Products and quotients only: the same numbers on every machine.

use super::replace::Traits;

/// States that a choice looks at: the best of so many is among the cheapest sixteenth, about. Measured: 8 is worse, 32 no better.
pub(super) const SCAN: u32 = 16;
/// Types of transitions.
const KINDS: usize = 5;
/// Visits are told apart up to this many.
const VISITS: usize = 4;
/// Powers of four of a time of 32 bits.
const AGES: usize = 16;
const CELLS: usize = KINDS * VISITS * AGES;
/// Choices after which the rates are computed anew.
const LEARN: u32 = 1 << 10;
/// Choices after which old counts are halved.
const FADE: u32 = 1 << 17;

/// What was learnt about the chance that a state is met again. See the head of this file.
#[derive(Debug)]
pub(super) struct Chances {
    /// Time in transitions, modulo 2^32: a state that is older than that is taken for a younger one, which costs time, not soundness.
    now: u32,
    /// Time of the last choice.
    last: u32,
    choices: u32,
    /// By class: how often a state was met that is held and not on the stack.
    met: Vec<f64>,
    /// By class: states times the time for which they were held.
    held: Vec<f64>,
    /// By class: meetings by time, as computed last.
    rate: Vec<f64>,
}

impl Chances {
    /// Nothing is known: all classes are alike.
    pub(super) fn new() -> Chances {
        let zeros = || vec![0.0; CELLS];
        Chances { now: 0, last: 0, choices: 0, met: zeros(), held: zeros(), rate: vec![1.0; CELLS] }
    }

    /// Bytes in use.
    pub(super) fn memory(&self) -> usize {
        (self.met.capacity() + self.held.capacity() + self.rate.capacity()) * size_of::<f64>()
    }

    /// The time, one transition later.
    #[inline]
    pub(super) fn tick(&mut self) -> u32 {
        self.now = self.now.wrapping_add(1);
        self.now
    }

    /// The power of two of the transitions since this time.
    pub(super) fn work_since(&self, time: u32) -> u8 {
        self.now.wrapping_sub(time).saturating_add(1).ilog2() as u8
    }

    /// The state, which is held and not on the stack, is met; or it leaves the stack, if `is_meeting` is false. Its age begins anew.
    #[inline]
    pub(super) fn note(&mut self, state: &mut Traits, is_meeting: bool) {
        if is_meeting {
            let cell = self.cell(state);
            self.met[cell] += 1.0;
        }
        state.since = self.now;
    }

    fn cell(&self, state: &Traits) -> usize {
        let age = self.now.wrapping_sub(state.since).saturating_add(1).ilog2() as usize / 2;
        let visits = usize::from(state.visits).clamp(1, VISITS) - 1;
        let kind = usize::from(state.kind).clamp(1, KINDS) - 1;
        (kind * VISITS + visits) * AGES + age
    }

    /// The state whose loss is expected to cost least, of [`SCAN`] neighbours in the list from `start` on (these are as good as random
    /// ones, since removal shuffles the list). `class` of a state is the power of two of the work below it.
    pub(super) fn cheapest(&mut self, list: &[u32], traits: &[Traits], start: usize) -> Option<u32> {
        let scan = list.len().min(SCAN as usize);
        // Each state of the sample stands for so many, and so much time has gone by.
        let weight = f64::from(self.now.wrapping_sub(self.last)) * list.len() as f64 / scan as f64;
        self.last = self.now;
        let mut best = None;
        for &number in list[start..].iter().chain(&list[..start]).take(scan) {
            let state = &traits[number as usize];
            let cell = self.cell(state);
            self.held[cell] += weight;
            let cost = (1u64 << state.class) as f64 * self.rate[cell];
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, number));
            }
        }
        self.learn();
        best.map(|(_, number)| number)
    }

    fn learn(&mut self) {
        self.choices = self.choices.wrapping_add(1);
        if self.choices.is_multiple_of(LEARN) {
            // A class that little is known of has the rate of all: one meeting in the time that one takes on average.
            let usual = (self.held.iter().sum::<f64>() + 1.0) / (self.met.iter().sum::<f64>() + 1.0);
            for ((rate, met), held) in self.rate.iter_mut().zip(&self.met).zip(&self.held) {
                *rate = (met + 1.0) / (held + usual);
            }
        }
        if self.choices.is_multiple_of(FADE) {
            self.met.iter_mut().chain(&mut self.held).for_each(|count| *count *= 0.5);
        }
    }
}
