//! The store of several workers, tried out: against sets, from several threads, within its budget.

use super::*;
use std::collections::BTreeMap;
use std::sync::Barrier;

fn state(i: u64) -> Vec<u8> {
    let mut bytes = i.to_le_bytes()[..if i.is_multiple_of(3) { 3 } else { 8 }].to_vec();
    bytes.resize(bytes.len() + (i % 29) as usize, 7);
    bytes
}

/// Inserts a state, and makes the table grow where that is needed; one thread at a time.
fn insert(session: &mut Session<'_>, states: &SharedStates, saved: &[u8], origin: Origin) -> Insertion {
    let hash = states.hash(&saved[states.hidden..]);
    loop {
        let crowded = match session.insert(saved, hash, origin, Glance::default()) {
            Insertion::Crowded => true,
            other if !session.is_crowded() => return other,
            other => {
                session.let_go();
                grow(states);
                return other;
            }
        };
        session.let_go();
        if crowded && !grow(states) {
            return Insertion::Full;
        }
    }
}

fn grow(states: &SharedStates) -> bool {
    // As if somebody had found no empty slot.
    states.crowded.store(true, Ordering::Relaxed);
    let grows = states.begin_doubling();
    states.help_doubling();
    states.end_doubling();
    grows.is_some()
}

/// All states of the blocks, by what they are, with how they were reached.
fn listed(states: &SharedStates, blocks: &[Block]) -> BTreeMap<Vec<u8>, Origin> {
    let mut found = BTreeMap::new();
    let (mut reader, mut saved) = (states.session(), Vec::new());
    for block in blocks {
        let mut at = block.position;
        for _ in 0..block.count {
            let (origin, _) = reader.read(at, &mut saved);
            assert!(found.insert(saved.clone(), origin).is_none(), "a state is there twice");
            at = states.after(at);
        }
    }
    found
}

#[test]
fn every_state_is_new_once_and_read_back() {
    let states = SharedStates::new(1, 1, 0, usize::MAX >> 20).unwrap();
    let mut session = states.session();
    for i in 0..20_000 {
        let origin = Origin { depth: i as u32, link: 1 };
        assert_eq!(insert(&mut session, &states, &state(i), origin), Insertion::New);
    }
    for i in 0..20_000 {
        let again = insert(&mut session, &states, &state(i), Origin { depth: 1 << 30, link: 0 });
        assert_eq!(again, Insertion::Seen { is_next: true });
    }
    let expected = (0..20_000).map(|i| (state(i), Origin { depth: i as u32, link: 1 })).collect();
    assert_eq!(listed(&states, &session.share().blocks), expected);
    for i in (0..20_000).step_by(97) {
        let link = (states.hash(&state(i)) >> 32) as u32;
        let mut saved = Vec::new();
        let mut reader = states.session();
        let found = reader.with_link(link).into_iter().any(|at| {
            reader.read(at, &mut saved);
            saved == state(i)
        });
        assert!(found, "{i}");
    }
}

/// Several threads insert sets that overlap, in rounds between which the table grows: each state is new to one of them, and the least
/// way to it is kept, whoever came first.
#[test]
fn threads_that_insert_the_same_states() {
    const THREADS: u64 = 4;
    for hidden in [0, 5] {
        let states = SharedStates::new(3, THREADS as usize, hidden, usize::MAX >> 20).unwrap();
        let barrier = Barrier::new(THREADS as usize);
        let saved = |i: u64, thread: u64| {
            let mut saved = vec![(thread + i) as u8 % 5; hidden];
            saved.extend(state(i));
            saved
        };
        let origin =
            |i: u64, thread: u64| Origin { depth: ((i ^ thread) % 3) as u32, link: (i * 7 + thread * 5) as u32 % 11 };
        let mut blocks = Vec::new();
        let mut all = BTreeMap::new();
        let mut news = 0;
        for round in 0..12u64 {
            // A third of the states was there in the round before.
            let range = round * 500..round * 500 + 750;
            let shares: Vec<(Share, usize)> = std::thread::scope(|scope| {
                let (states, barrier, range) = (&states, &barrier, &range);
                let threads: Vec<_> = (0..THREADS)
                    .map(|thread| {
                        scope.spawn(move || {
                            let mut session = states.session();
                            let mut new = 0;
                            barrier.wait();
                            for step in 0..750 {
                                let i = range.start + (step * (2 * thread + 1)) % 750;
                                let saved = saved(i, thread);
                                let hash = states.hash(&saved[hidden..]);
                                match session.insert(&saved, hash, origin(i, thread), Glance::default()) {
                                    Insertion::New => new += 1,
                                    Insertion::Seen { .. } => {}
                                    other => panic!("{other:?}"),
                                }
                            }
                            session.is_crowded();
                            session.let_go();
                            (session.share(), new)
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let level: Vec<Block> = shares.iter().flat_map(|(share, _)| share.blocks.clone()).collect();
            let new: usize = shares.iter().map(|(_, new)| new).sum();
            news += new;
            assert_eq!(new, if round == 0 { 750 } else { 500 }, "round {round}");
            let mut found = BTreeMap::new();
            for (saved, origin) in listed(&states, &level) {
                found.insert(saved[hidden..].to_vec(), (origin, saved[..hidden].to_vec()));
            }
            let fresh = if round == 0 { range.clone() } else { range.start + 250..range.end };
            for i in fresh {
                let reaching = (0..THREADS)
                    .filter(|thread| (0..750).any(|step| range.start + (step * (2 * thread + 1)) % 750 == i));
                let least = reaching.map(|thread| (origin(i, thread), saved(i, thread)[..hidden].to_vec())).min();
                assert_eq!(found.get(&state(i)), least.as_ref(), "{i}");
            }
            all.extend(found);
            blocks.extend(level);
            states.begin_level(shares.into_iter().map(|(share, _)| share));
            assert!(grow(&states));
        }
        assert_eq!((all.len(), news), (listed(&states, &blocks).len(), all.len()));
    }
}

#[test]
fn the_budget_is_kept_and_used() {
    for budget in [0, 10_000, 100_000, 1 << 20, 5 << 20] {
        let Some(states) = SharedStates::new(1, 1, 0, budget) else {
            assert!(budget < 100_000);
            continue;
        };
        let mut session = states.session();
        let mut bytes = 0;
        for i in 0.. {
            match insert(&mut session, &states, &state(i), Origin::default()) {
                Insertion::New => bytes += state(i).len(),
                Insertion::Full => break,
                other => panic!("{other:?}"),
            }
            assert!(states.memory() <= budget);
        }
        assert!(budget < 1 << 20 || bytes > budget / 8, "{bytes} of {budget}");
    }
}
