//! M grows for what waits, and forgets what is known.

use super::*;

/// A level that does not fit makes M larger, up to its budget; only then it has to be judged.
#[test]
fn grows_for_what_waits_and_forgets_what_is_known() {
    let most = 5 * FIRST_ENTRIES;
    let mut pending = Pending::Signatures(SignatureSet::new(most * ENTRY_BYTES).unwrap());
    let bytes = pending.memory();
    let mut next = 0u64;
    let mut fill = |pending: &mut Pending, until: &dyn Fn(&Pending) -> bool| {
        while !until(pending) {
            next += 1;
            if pending.insert(next, &[]) == Inserted::Full {
                assert!(!pending.must_judge());
                pending.make_room(false);
                assert_eq!(pending.insert(next, &[]), Inserted::New);
            }
        }
    };
    fill(&mut pending, &|pending| pending.waiting() == most);
    assert_eq!((pending.capacity(), pending.memory()), (most, bytes));
    assert_eq!(pending.insert(u64::MAX, &[]), Inserted::Full);
    assert!(pending.must_judge());
    for signature in 1..=most as u64 {
        assert_eq!(pending.insert(signature, &[]), Inserted::Seen);
    }
    pending.begin_check(&Signatures::new(64, 1));
    assert!(pending.found_on_disk(7, &[]) && !pending.found_on_disk(7, &[]));
    assert!(!pending.found_on_disk(most as u64 + 1, &[]));
    let mut old = Vec::new();
    let judged = pending.judge(|signature, _, is_new| {
        if !is_new {
            old.push(signature);
        }
        Ok::<(), ()>(())
    });
    assert!(judged.is_ok() && old == [7] && pending.waiting() == 0);
    // Half of them make room for new ones; the newest stay.
    fill(&mut pending, &|pending| pending.waiting() == 10);
    assert_eq!(pending.insert(most as u64, &[]), Inserted::Seen);
    assert_eq!(pending.insert(1, &[]), Inserted::New);
    // Levels of few states need no more than the first size.
    let mut small = Pending::Signatures(SignatureSet::new(most * ENTRY_BYTES).unwrap());
    for signature in 1..=3 * most as u64 {
        if small.insert(signature, &[]) == Inserted::Full {
            assert!(!small.must_judge());
            small.make_room(false);
            assert_eq!(small.insert(signature, &[]), Inserted::New);
        }
        if signature % 1000 == 0 {
            small.judge(|_, _, _| Ok::<(), ()>(())).unwrap();
        }
    }
    assert_eq!(small.capacity(), FIRST_ENTRIES);
    // While nothing was forgotten, growing saves reading.
    let mut whole = Pending::Signatures(SignatureSet::new(most * ENTRY_BYTES).unwrap());
    (1..=2 * most as u64).for_each(|signature| assert_eq!(whole.know(signature, &[]), signature <= most as u64));
    assert_eq!((whole.capacity(), whole.known(), whole.waiting()), (most, most, 0));
    assert_eq!(whole.insert(1, &[]), Inserted::Seen);
}
