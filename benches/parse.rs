//! Reading a large model: 1 MB of generated Promela, preprocessed and parsed. Reading should never be what a user
//! waits for; the aim is less than 150 ms.

#![allow(missing_docs, reason = "criterion_group! makes a public function")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pv::source::SourceMap;
use pv::source::preprocess::{PreprocessOptions, preprocess};
use std::fmt::Write;
use std::hint::black_box;

/// A model of about `bytes` bytes, with a bit of everything.
fn model(bytes: usize) -> String {
    let mut text = String::from(
        "#define LIMIT 10\n#define BUSY(p) (state[p] == busy && len(q) < LIMIT)\nmtype = { free, busy, done };\n\
         mtype state[8];\nbyte count;\nchan q = [4] of { mtype, byte, byte };\n\
         inline step(v, w) { v = w + 1; if :: v > LIMIT -> v = 0 :: else -> skip fi }\n",
    );
    let mut index = 0;
    while text.len() < bytes {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "proctype P{index}(byte id; chan out) {{\n    byte x, y = 2, a[4];\n    mtype m;\nagain:\n    do\n    \
             :: BUSY(id) && x + y * 3 < (id << 2) -> atomic {{ q!busy(id, x); x++ }}\n    \
             :: q?m, eval(id), y -> step(x, y); state[id] = m\n    \
             :: out?[done, _, 1] || (x == 1 -> y : 2) > 0 -> d_step {{ x = a[y % 4]; a[x & 3] = count }}\n    \
             :: else ->\n        if\n        :: x != y && !(y >= LIMIT) -> goto again\n        \
             :: timeout -> break\n        fi\n    od;\n    printf(\"done %d\\n\", x); // the end\n    \
             assert(x <= LIMIT)\n}}\n"
        );
        index += 1;
    }
    text.push_str("init { skip }\n");
    text
}

fn parse(criterion: &mut Criterion) {
    let text = model(1_000_000);
    let mut group = criterion.benchmark_group("parse");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.sample_size(10);
    group.bench_function("generated model of 1 MB", |bencher| {
        bencher.iter(|| {
            let mut map = SourceMap::new();
            let mut diagnostics = Vec::new();
            let file = map.add_file("generated.pml".to_owned(), None, text.clone());
            let tokens = preprocess(&mut map, file, &PreprocessOptions::default(), &mut diagnostics);
            let unit = pv::syntax::parse(&mut map, tokens, &mut diagnostics);
            assert!(diagnostics.is_empty(), "{:?}", diagnostics[0]);
            black_box(unit)
        });
    });
    group.finish();
}

criterion_group!(benches, parse);
criterion_main!(benches);
