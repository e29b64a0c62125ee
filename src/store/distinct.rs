//! How many different states a forgetful store has seen: it cannot know, but 16 KiB are enough to estimate.
//!
//! Idea: HyperLogLog (Flajolet, Fusy, Gandouet, Meunier 2007). Each hash chooses one of m registers and offers it the
//! number of its leading zeros; with 2^14 registers the standard deviation of the estimate is 1.04 / sqrt(m) = 0.8%.
//! Below 2.5 m the empty registers are counted instead, which is nearly exact there.

/// Registers, as a power of two: 0.8% for 16 KiB.
const BITS: u32 = 14;

/// The registers.
#[derive(Clone, Debug)]
pub struct Distinct {
    registers: Vec<u8>,
}

impl Default for Distinct {
    fn default() -> Self {
        Distinct { registers: vec![0; 1 << BITS] }
    }
}

impl Distinct {
    /// From saved registers; `None` if there are not as many as there must be.
    pub fn from_registers(registers: &[u8]) -> Option<Self> {
        (registers.len() == 1 << BITS).then(|| Distinct { registers: registers.to_vec() })
    }

    /// The registers, to be saved.
    pub fn registers(&self) -> &[u8] {
        &self.registers
    }

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

    /// The estimate.
    pub fn estimate(&self) -> f64 {
        let count = self.registers.len() as f64;
        let harmonic: f64 = self.registers.iter().map(|&rank| (-f64::from(rank)).exp2()).sum();
        // The constant of the paper for m >= 128.
        let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / harmonic;
        let empty = self.registers.iter().filter(|&&rank| rank == 0).count();
        if raw <= 2.5 * count && empty > 0 { count * (count / empty as f64).ln() } else { raw }
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
        for count in [10u64, 1_000, 30_000, 50_000, 1_000_000] {
            while next < count {
                distinct.note(hash.hash(&next.to_le_bytes()));
                distinct.note(hash.hash(&(next / 2).to_le_bytes()));
                next += 1;
            }
            let estimate = distinct.estimate();
            assert!((estimate / count as f64 - 1.0).abs() < 0.024, "{count}: {estimate}");
        }
        assert!(Distinct::from_registers(&[0; 3]).is_none());
    }
}
