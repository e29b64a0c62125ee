//! How likely it is that a lossy store took a new state for a visited one, and how many states that cost.
//!
//! Let `p_k` be the probability that a new state is recognized as new when `k` states are stored. The probability that
//! at least one of `n` states was omitted is at most `1 - p_0 p_1 … p_(n-1)` (Stern and Dill 1995). Between two
//! insertions, `1 / p_k` new states come on average and one of them gets in, so of the states that were met the
//! share `n / (1/p_0 + … + 1/p_(n-1))` was visited. A state that is reached through omitted states only is never met: when
//! much is omitted, the true coverage is lower than this.
//!
//! The bounds assume hash functions that behave like random ones. Cost: a thousand evaluations for a figure of the report.

/// What a lossy store may have omitted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Omission {
    /// Bound on the probability that at least one state was omitted.
    pub probability: f64,
    /// Expected share of the states met that were visited.
    pub coverage: f64,
}

impl Omission {
    /// Nothing can have been omitted.
    pub const NONE: Omission = Omission { probability: 0.0, coverage: 1.0 };

    /// From the sums of `-ln p_k` and of `1 / p_k - 1` over `states` insertions.
    fn from_sums(states: f64, logarithms: f64, extra: f64) -> Self {
        Omission {
            probability: -(-logarithms).exp_m1(),
            coverage: if states > 0.0 { states / (states + extra) } else { 1.0 },
        }
    }

    /// Hash compaction with uniform probing: `states` stored in `slots`, `signatures` different values.
    ///
    /// At load `a` the search for a new state meets `j` stored signatures with probability `(1 - a) a^j`, and each is
    /// another one with probability `q = 1 - 1 / signatures`, so `p = (1 - a) / (1 - a q)`.
    pub fn of_compaction(states: u64, slots: u64, signatures: f64) -> Self {
        if states == 0 || slots == 0 {
            return Omission::NONE;
        }
        let (states, slots) = (states.min(slots) as f64, slots as f64);
        // With a = 1 - e^-u the integrands stay smooth up to the full table (where half a state is missing, so that the
        // logarithm stays finite).
        let end = -(-(states.min(slots - 0.5)) / slots).ln_1p();
        // 1/p - 1 at load a: a / (signatures (1 - a)).
        let odds = |u: f64| u.exp_m1() / signatures;
        let logarithms = slots * simpson(0.0, end, |u| odds(u).ln_1p() * (-u).exp());
        let extra = slots * simpson(0.0, end, |u| odds(u) * (-u).exp());
        Omission::from_sums(states, logarithms, extra)
    }

    /// `states` insertions, each after a comparison with at most `comparisons` other signatures of `signatures` values.
    pub fn of_comparisons(states: u64, comparisons: f64, signatures: f64) -> Self {
        let odds = comparisons / signatures;
        Omission::from_sums(states as f64, states as f64 * odds.ln_1p(), states as f64 * odds)
    }

    /// A Bloom filter of which the share `fill` is set by `states` states, with this many hash functions. Earlier the
    /// fill was lower: after `i` states, `1 - (1 - fill)^(i / states)`.
    pub fn of_bloom(states: u64, fill: f64, functions: u32) -> Self {
        if states == 0 || fill <= 0.0 {
            return Omission::NONE;
        }
        if fill >= 1.0 {
            return Omission { probability: 1.0, coverage: 0.0 };
        }
        let states = states as f64;
        let clear = (-fill).ln_1p();
        let wrong = |x: f64| (-(clear * x).exp_m1()).powi(functions as i32);
        let logarithms = states * simpson(0.0, 1.0, |x| -(-wrong(x)).ln_1p());
        let extra = states * simpson(0.0, 1.0, |x| wrong(x) / (1.0 - wrong(x)));
        Omission::from_sums(states, logarithms, extra)
    }
}

/// Simpson's rule. 1000 intervals: the integrands are smooth, the error is far below the model's own.
fn simpson(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    const INTERVALS: u32 = 1_000;
    let width = (to - from) / f64::from(INTERVALS);
    let inner: f64 = (1..INTERVALS).map(|i| f(from + f64::from(i) * width) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (f(from) + inner + f(to)) * width / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1e-300), "{a} against {b}");
    }

    #[test]
    fn compaction_agrees_with_the_sum() {
        for (states, slots, signatures) in [(900u64, 1_000u64, 1e6), (1_000, 1_000, 1e9), (500, 2_000, 3.0)] {
            let factor = |k: u64| {
                let load = k as f64 / slots as f64;
                (1.0 - load) / (1.0 - load * (1.0 - 1.0 / signatures))
            };
            let product: f64 = (0..states).map(factor).product();
            let met: f64 = (0..states).map(|k| 1.0 / factor(k)).sum();
            let omission = Omission::of_compaction(states, slots, signatures);
            close(omission.probability, 1.0 - product, 0.15);
            close(omission.coverage, states as f64 / met, 0.01);
        }
    }

    #[test]
    fn tiny_probabilities_do_not_vanish() {
        let omission = Omission::of_compaction(1_000_000, 2_000_000, 2f64.powi(64));
        // About the integral of a / (1 - a) up to 1/2, 0.193, times slots / signatures.
        close(omission.probability, 0.193 * 2e6 / 2f64.powi(64), 0.01);
        assert_eq!(Omission::of_compaction(0, 10, 3.0), Omission::NONE);
        assert_eq!(Omission::of_bloom(0, 0.5, 3), Omission::NONE);
        assert_eq!(Omission::of_bloom(5, 1.0, 3).coverage, 0.0);
    }

    #[test]
    fn more_memory_omits_less() {
        let mut last = 1.0;
        for slots in [1_000, 1_500, 2_000, 3_000] {
            let omission = Omission::of_compaction(1_000, slots, 2f64.powi(20));
            assert!(omission.probability < last);
            last = omission.probability;
        }
    }
}
