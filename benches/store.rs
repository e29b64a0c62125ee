//! Stores alone: a million vectors of about 150 bytes in, and looked up again.

#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pv::model::TransitionType;
use pv::store::{ExactStore, Store};
use std::hint::black_box;

const STATES: usize = 1_000_000;

/// Vectors as models make them: long common runs, a few bytes that differ, lengths around 150. Deterministic.
struct Vectors {
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Vectors {
    fn new(count: usize) -> Self {
        let mut vectors = Vectors { bytes: Vec::new(), starts: vec![0] };
        for i in 0..count as u64 {
            let length = 140 + (i % 5) as usize * 5;
            let start = vectors.bytes.len();
            vectors.bytes.resize(start + length, (i % 3) as u8);
            for (k, byte) in i.to_le_bytes().iter().enumerate() {
                vectors.bytes[start + 16 * k] = *byte;
            }
            vectors.starts.push(vectors.bytes.len());
        }
        vectors
    }

    fn get(&self, i: usize) -> &[u8] {
        &self.bytes[self.starts[i]..self.starts[i + 1]]
    }
}

fn exact(c: &mut Criterion) {
    let vectors = Vectors::new(STATES);
    let mut group = c.benchmark_group("exact");
    group.sample_size(10).throughput(Throughput::Elements(STATES as u64));
    group.bench_function("insert", |b| {
        b.iter_batched(
            || ExactStore::new(1),
            |mut store| {
                for i in 0..STATES {
                    black_box(store.visit(vectors.get(i), TransitionType::Other));
                }
                store
            },
            BatchSize::PerIteration,
        )
    });
    let mut store = ExactStore::new(1);
    for i in 0..STATES {
        store.visit(vectors.get(i), TransitionType::Other);
    }
    eprintln!("bytes per state: {}", store.memory() / STATES);
    group.bench_function("lookup", |b| {
        b.iter(|| {
            // An odd stride, so that neither the vectors nor the arena are walked in order.
            for i in 0..STATES {
                black_box(store.visit(vectors.get(i * 7_919 % STATES), TransitionType::Other));
            }
        })
    });
    group.finish();
}

criterion_group!(benches, exact);
criterion_main!(benches);
