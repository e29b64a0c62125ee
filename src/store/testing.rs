//! States for the tests of stores: every number is another state, and their lengths differ.

/// State `i`, of 8 to 28 bytes.
pub(in crate::store) fn state(i: u64) -> Vec<u8> {
    let mut bytes = i.to_le_bytes().to_vec();
    bytes.resize(8 + (i % 21) as usize, 5);
    bytes
}

/// State `i`, of 40 bytes, most of which are the same in all states.
pub(in crate::store) fn wide_state(i: u64) -> [u8; 40] {
    let mut bytes = [3; 40];
    bytes[5..13].copy_from_slice(&i.to_le_bytes());
    bytes
}
