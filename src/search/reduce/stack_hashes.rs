//! Which states lie on the depth-first stack, by hash: two small tables that answer "surely not" or "perhaps".
//!
//! A user of these tables must be content with a "perhaps" that is wrong: it costs a reduction a move, and never a state.

/// States of the path by a 64-bit hash. Entries leave in the opposite order of their coming, so a slot can simply be
/// emptied: no probe path leads over it to an entry that came later.
#[derive(Debug, Default)]
pub struct StackHashes {
    slots: Vec<u64>,
    order: Vec<u64>,
}

impl StackHashes {
    fn slot(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        // 0 means empty; a hash of 0 is kept as 1
        while self.slots[at] != 0 && self.slots[at] != hash {
            at = (at + 1) & mask;
        }
        at
    }

    /// A state is entered.
    pub fn push(&mut self, hash: u64) {
        if (self.order.len() + 1) * 2 > self.slots.len() {
            let size = (self.slots.len() * 2).max(1024);
            self.slots.clear();
            self.slots.resize(size, 0);
            for index in 0..self.order.len() {
                let hash = self.order[index];
                if hash != 0 {
                    let at = self.slot(hash);
                    self.slots[at] = hash;
                }
            }
        }
        let at = self.slot(hash.max(1));
        // one that is there already belongs to an earlier state: it stays when this one leaves
        self.order.push(if self.slots[at] == 0 { hash.max(1) } else { 0 });
        self.slots[at] = hash.max(1);
    }

    /// The state entered last is left.
    pub fn pop(&mut self) {
        if let Some(hash) = self.order.pop()
            && hash != 0
        {
            let at = self.slot(hash);
            self.slots[at] = 0;
        }
    }

    /// Is a state with this hash on the stack?
    pub fn contains(&self, hash: u64) -> bool {
        !self.slots.is_empty() && self.slots[self.slot(hash.max(1))] != 0
    }

    /// Bytes.
    pub fn memory(&self) -> usize {
        (self.slots.capacity() + self.order.capacity()) * 8
    }
}

/// What a process adds to the key of a control state; keys are sums, so a move changes one in two operations.
#[inline]
pub fn control_key(pid: usize, proctype: u32, location: u32) -> u64 {
    let x = (pid as u64) << 40 ^ u64::from(proctype) << 32 ^ u64::from(location);
    let x = (x + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Counts the control states (the locations of all processes) on the stack, by key.
#[derive(Debug)]
pub struct ControlFilter {
    counts: Vec<u32>,
}

/// 64 KiB: stays in the second-level cache, and is sparse for stacks of some thousand states.
const FILTER_BITS: u32 = 14;

impl Default for ControlFilter {
    fn default() -> ControlFilter {
        ControlFilter { counts: vec![0; 1 << FILTER_BITS] }
    }
}

impl ControlFilter {
    fn at(key: u64) -> usize {
        (key >> (64 - FILTER_BITS)) as usize
    }

    /// A state is entered.
    #[inline]
    pub fn add(&mut self, key: u64) {
        self.counts[Self::at(key)] += 1;
    }

    /// A state is left.
    #[inline]
    pub fn remove(&mut self, key: u64) {
        self.counts[Self::at(key)] -= 1;
    }

    /// May a state with this key be on the stack?
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.counts[Self::at(key)] != 0
    }

    /// Bytes.
    pub fn memory(&self) -> usize {
        self.counts.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_leave_in_the_opposite_order() {
        let mut stack = StackHashes::default();
        assert!(!stack.contains(5));
        // all in one probe path, some twice
        let hashes: Vec<u64> = (0..3000u64).map(|i| (i % 700) << 32 | 7).collect();
        for &hash in &hashes {
            stack.push(hash);
        }
        for n in (0..hashes.len()).rev() {
            assert!(stack.contains(hashes[n]));
            stack.pop();
            assert_eq!(stack.contains(hashes[n]), hashes[..n].contains(&hashes[n]));
        }
    }
}
