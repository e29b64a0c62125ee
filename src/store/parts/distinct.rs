//! How many different states a store that forgets has seen: it cannot know, but 16 KiB are enough to estimate.
//!
//! Idea: HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007). Each hash chooses one of m registers and offers it the
//! number of its leading zeros; with 2^14 registers the standard deviation of the estimate is 1.04 / sqrt(m) = 0.8%. The
//! estimator is Ertl's (2017), which needs no table of corrections for small numbers.
//!
//! Cost: 16 KiB, and one byte read and written per insertion. No verdict depends on the estimate.

use serde::{Deserialize, Serialize};

/// Registers, as a power of two: 0.8% for 16 KiB.
const BITS: u32 = 14;
/// The highest rank of the remaining bits of a hash.
const TOP: usize = 64 - BITS as usize + 1;

/// The registers. See the head of this file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Distinct {
    registers: Vec<u8>,
}

impl Default for Distinct {
    fn default() -> Self {
        Distinct { registers: vec![0; 1 << BITS] }
    }
}

impl TryFrom<Vec<u8>> for Distinct {
    type Error = &'static str;

    fn try_from(registers: Vec<u8>) -> Result<Self, Self::Error> {
        if registers.len() != 1 << BITS {
            return Err("the registers of the estimate of distinct states are incomplete");
        }
        Ok(Distinct { registers })
    }
}

impl From<Distinct> for Vec<u8> {
    fn from(distinct: Distinct) -> Vec<u8> {
        distinct.registers
    }
}

impl Distinct {
    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.registers.capacity()
    }

    /// Notes a state by its hash.
    #[inline]
    pub fn note(&mut self, hash: u64) {
        let register = &mut self.registers[(hash >> (64 - BITS)) as usize];
        let rank = (hash << BITS | 1 << (BITS - 1)).leading_zeros() as u8 + 1;
        *register = rank.max(*register);
    }

    /// How many different hashes were noted, about.
    pub fn estimate(&self) -> f64 {
        let mut counts = [0u32; TOP + 1];
        for &rank in &self.registers {
            counts[usize::from(rank).min(TOP)] += 1;
        }
        let count = self.registers.len() as f64;
        let mut sum = count * tau(1.0 - f64::from(counts[TOP]) / count);
        for &registers in counts[1..TOP].iter().rev() {
            sum = 0.5 * (sum + f64::from(registers));
        }
        sum += count * sigma(f64::from(counts[0]) / count);
        count * count / sum / (2.0 * std::f64::consts::LN_2)
    }
}

/// x + 1 x^2 + 2 x^4 + 4 x^8 + …; infinite at 1.
fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut factor, mut sum) = (1.0, x);
    loop {
        x *= x;
        let before = sum;
        sum += x * factor;
        factor += factor;
        if sum == before {
            return sum;
        }
    }
}

/// (1 - x - (1 - x^(1/2))^2 / 2 - (1 - x^(1/4))^2 / 4 - …) / 3.
fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut factor, mut sum) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = sum;
        factor *= 0.5;
        sum -= (1.0 - x).powi(2) * factor;
        if sum == before {
            return sum / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::StateHash;

    #[test]
    fn estimates_within_three_deviations() {
        let hash = StateHash::new(3);
        let mut distinct = Distinct::default();
        let mut next = 0u64;
        for count in [10u64, 1_000, 30_000, 42_000, 50_000, 1_000_000] {
            while next < count {
                distinct.note(hash.hash(&next.to_le_bytes()));
                distinct.note(hash.hash(&(next / 2).to_le_bytes()));
                next += 1;
            }
            let estimate = distinct.estimate();
            assert!((estimate / count as f64 - 1.0).abs() < 0.024, "{count}: {estimate}");
        }
        assert!(Distinct::try_from(vec![0; 3]).is_err());
    }
}
