//! The store on disk visits what an exact search visits, in any memory, and its bound on omissions holds.

use super::*;
use crate::store::testing::state;
use std::collections::{HashSet, VecDeque};

/// Edges of which one leads anywhere.
fn scattered(i: u64, size: u64) -> [u64; 4] {
    [(i + 1) % size, (i * 7 + 3) % size, (i + i % 13) % size, i / 2]
}

/// Edges to near levels, a few to far ones.
fn local(i: u64, size: u64) -> [u64; 4] {
    let far = if i.is_multiple_of(50) { i / 2 } else { i };
    [(i + 1).min(size - 1), (i + 200 + i % 7).min(size - 1), i.saturating_sub(i % 300), far]
}

/// Breadth-first search; returns the states in the order in which they were expanded.
fn search(store: &mut DiskStore, size: u64, successors: fn(u64, u64) -> [u64; 4]) -> Vec<u64> {
    let mut expanded = Vec::new();
    assert!(store.insert(&state(0)).unwrap());
    let mut queue = VecDeque::from([0]);
    while !queue.is_empty() {
        for _ in 0..queue.len() {
            let Some(i) = queue.pop_front().filter(|_| store.confirm().unwrap()) else { continue };
            expanded.push(i);
            for j in successors(i, size) {
                if store.insert(&state(j)).unwrap() {
                    queue.push_back(j);
                }
            }
        }
        store.end_level().unwrap();
    }
    expanded
}

fn options(representation: Representation, window: Window, memory: usize) -> DiskOptions {
    DiskOptions { representation, window, memory, seed: 1 }
}

#[test]
fn visits_what_the_exact_search_visits() {
    let folder = WorkDir::new(None).unwrap();
    for representation in [Representation::Signatures(64), Representation::Signatures(45), Representation::States] {
        for memory in [60_000, 200_000, 10_000_000] {
            let mut store = DiskStore::new(options(representation, Window::Everything, memory), &folder).unwrap();
            let expanded = search(&mut store, 20_000, scattered);
            let different: HashSet<&u64> = expanded.iter().collect();
            assert_eq!(different.len(), 20_000, "{representation:?} {memory}");
            assert_eq!(expanded.len(), 20_000, "{representation:?} {memory}");
            let statistics = store.statistics();
            assert_eq!((statistics.stored, statistics.revisits()), (20_000, 0.0));
            assert_eq!(store.is_exact(), representation == Representation::States);
            assert!(store.memory() <= memory.max(100_000) + 50_000, "{representation:?} {memory}: {}", store.memory());
            let mut records = 0;
            store
                .contents(|signature, bytes| {
                    assert!(signature > 0 && (representation == Representation::States) != bytes.is_empty());
                    records += 1;
                    Ok(())
                })
                .unwrap();
            assert_eq!(records, 20_000);
        }
    }
}

/// 150,000 states in hundreds of levels: while M has room for all of them, D is not read, neither by a search that began there nor by one that
/// took over what another store has visited.
#[test]
fn nothing_is_read_while_everything_is_known() {
    let folder = WorkDir::new(None).unwrap();
    for (representation, most) in [(Representation::Signatures(64), 150_000), (Representation::States, 20_000)] {
        let open = |memory| DiskStore::new(options(representation, Window::Everything, memory), &folder).unwrap();
        let mut store = open(16_000_000);
        assert_eq!(search(&mut store, most, local).len() as u64, most);
        assert_eq!(store.table.bytes_read, 0, "{representation:?}");
        assert!(store.knows_all());
        let mut store = open(200_000);
        assert_eq!(search(&mut store, most, local).len() as u64, most);
        assert!(store.table.bytes_read > 0 && !store.knows_all(), "{representation:?}");
        let mut store = open(16_000_000);
        let signatures = Signatures::new(representation.lookup_bits(), 1);
        for i in 0..most {
            let kept = (representation == Representation::States).then(|| state(i));
            store.adopt(signatures.of(&state(i)), kept.as_deref()).unwrap();
        }
        assert!(store.knows_all() && !store.insert(&state(most - 1)).unwrap(), "{representation:?}");
        assert!(store.insert(&state(most)).unwrap());
        store.end_level().unwrap();
        assert!(store.confirm().unwrap() && store.table.bytes_read == 0, "{representation:?}");
        // One that was handed states over while there was no room for them, some twice.
        let mut store = open(16_000_000);
        for i in (0..most).chain(0..100) {
            let kept = (representation == Representation::States).then(|| state(i));
            store.preload(signatures.of(&state(i)), kept.as_deref()).unwrap();
        }
        assert!(!store.knows_all());
        store.recall().unwrap();
        assert!(store.knows_all() && !store.insert(&state(most - 1)).unwrap(), "{representation:?}");
    }
}

#[test]
fn a_window_visits_everything_and_some_twice() {
    let folder = WorkDir::new(None).unwrap();
    for window in [Window::Share(0.3), Window::Share(0.05), Window::Auto] {
        let mut store = DiskStore::new(options(Representation::Signatures(64), window, 60_000), &folder).unwrap();
        let expanded = search(&mut store, 40_000, local);
        let different: HashSet<&u64> = expanded.iter().collect();
        assert_eq!(different.len(), 40_000);
        assert!(window != Window::Share(0.05) || expanded.len() > 40_000);
        assert!(expanded.len() < 400_000, "{window:?}: {}", expanded.len());
        let statistics = store.statistics();
        assert_eq!(statistics.stored, expanded.len() as u64);
        assert!((statistics.distinct / 40_000.0 - 1.0).abs() < 0.025, "{}", statistics.distinct);
    }
}

#[test]
fn narrow_signatures_omit_as_the_bound_says() {
    let folder = WorkDir::new(None).unwrap();
    let mut store =
        DiskStore::new(options(Representation::Signatures(16), Window::Everything, 1_000_000), &folder).unwrap();
    let expanded = search(&mut store, 20_000, scattered);
    let statistics = store.statistics();
    assert!(expanded.len() < 20_000 && statistics.omission.probability > 0.5, "{} {:?}", expanded.len(), statistics);
    // Of 2^16 signatures; some states were never met.
    assert!(statistics.omission.coverage > 0.8 && statistics.omission.coverage < 0.95);
    let mut store =
        DiskStore::new(options(Representation::Signatures(48), Window::Everything, 1_000_000), &folder).unwrap();
    search(&mut store, 20_000, scattered);
    let probability = store.statistics().omission.probability;
    let checks = store.statistics().checks as f64;
    // The approximate bound of the paper, n t / (2 l), within a factor.
    let about = 20_000.0 * checks / 2.0 / 2f64.powi(48);
    assert!(probability > about / 4.0 && probability < about * 4.0, "{probability} {about}");
}

#[test]
fn preloaded_states_are_old() {
    let folder = WorkDir::new(None).unwrap();
    let mut store =
        DiskStore::new(options(Representation::Signatures(64), Window::Everything, 100_000), &folder).unwrap();
    let signatures = Signatures::new(64, 1);
    for i in 0..100 {
        store.preload(signatures.of(&state(i)), None).unwrap();
    }
    for i in 50..150 {
        assert!(store.insert(&state(i)).unwrap());
    }
    store.end_level().unwrap();
    let expected: Vec<bool> = (50..150).map(|i| i >= 100).collect();
    assert_eq!((0..100).map(|_| store.confirm().unwrap()).collect::<Vec<bool>>(), expected);
    let whole = DiskStore::new(options(Representation::States, Window::Everything, 100_000), &folder);
    assert!(whole.unwrap().preload(5, None).is_err());
}

/// A chain of small levels with steps back to near levels, and a few to far ones: `far` of a thousand.
fn chain(i: u64, size: u64, far: u64) -> [u64; 4] {
    let back = if i % 1000 < far { i / 3 } else { i.saturating_sub(60) };
    [(i + 50).min(size - 1), (i + 20 + i % 31).min(size - 1), back, i.saturating_sub(i % 40)]
}

/// Thousands of small levels in an M that is much too small: states that M has forgotten are looked up, and D is read for few levels only.
/// The answers are the same, also for a search that goes on from a checkpoint.
#[test]
fn small_levels_do_not_read_the_whole_table() {
    let folder = WorkDir::new(None).unwrap();
    let size = 120_000;
    let near: fn(u64, u64) -> [u64; 4] = |i, size| chain(i, size, 0);
    for (of, successors) in [
        (Representation::Signatures(64), near),
        (Representation::Signatures(45), |i, size| chain(i, size, 20)),
        (Representation::States, near),
        (Representation::States, |i, size| chain(i, size, 20)),
    ] {
        let mut store = DiskStore::new(options(of, Window::Everything, 400_000), &folder).unwrap();
        let expanded = search(&mut store, size, successors);
        let different: HashSet<&u64> = expanded.iter().collect();
        assert_eq!((expanded.len() as u64, different.len() as u64), (size, size), "{of:?}");
        assert!(store.memory() <= 450_000, "{}", store.memory());
        let statistics = store.statistics();
        // Half of the table for every level, if it was read for each.
        let whole = statistics.checks * store.table.bytes() / 2;
        assert!(statistics.checks > 2000 && statistics.bytes_read < whole / 8, "{of:?}: {statistics:?}, {whole}");
    }
}

/// States whose signature is in D with another state's are told apart: the index offers the places of both.
#[test]
fn states_with_one_signature_are_told_apart() {
    let folder = WorkDir::new(None).unwrap();
    let mut store = DiskStore::new(options(Representation::States, Window::Everything, 1_000_000), &folder).unwrap();
    // D says of each of the first states that it has the signature of another one, and has that one behind it, or not.
    for i in 0..1000 {
        let signature = store.signatures.of(&state(i));
        store.preload(signature, Some(&state(10_000 + i))).unwrap();
        if i % 2 == 0 {
            store.preload(signature, Some(&state(i))).unwrap();
        }
    }
    store.begin_index().unwrap();
    assert!((0..1000).all(|i| store.insert(&state(i)).unwrap()));
    let read = store.table.bytes_read;
    // Reading D would be cheaper; it is asked as if D was much larger.
    assert!(store.ask_index(1e6).unwrap());
    assert!(store.table.bytes_read > read);
    store.judge().unwrap();
    assert!((0..1000).all(|i| store.confirm().unwrap() == (i % 2 != 0)));
}

/// An index whose filter has become too full is given up, and M has its memory back.
#[test]
fn an_index_that_is_too_small_is_given_up() {
    let folder = WorkDir::new(None).unwrap();
    let mut store =
        DiskStore::new(options(Representation::Signatures(64), Window::Everything, 200_000), &folder).unwrap();
    let most = store.pending.bytes();
    let (mut indexed, mut next) = (0, 0);
    while !store.book.outgrown {
        for _ in 0..20 {
            assert!(store.insert(&state(next)).unwrap());
            assert!(next < 2000 || !store.insert(&state(next - 20)).unwrap());
            next += 1;
        }
        store.end_level().unwrap();
        (0..20).for_each(|_| assert!(store.confirm().unwrap()));
        indexed += u64::from(store.index.is_some());
        assert!(store.memory() <= 250_000, "{}", store.memory());
    }
    assert!(indexed > 100 && store.index.is_none(), "{indexed}");
    assert!(store.pending.bytes() <= most && store.pending.bytes() + 128 > most, "{} {most}", store.pending.bytes());
    // Old ones are still told from new ones.
    assert!(store.insert(&state(5)).unwrap() && store.insert(&state(next)).unwrap());
    store.end_level().unwrap();
    assert!(!store.confirm().unwrap() && store.confirm().unwrap());
}
