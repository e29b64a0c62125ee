//! Fuzz targets, in process and with the stable toolchain: whatever the input is, every reader of pv comes to an end without a panic.
//!
//! Inputs are those of the kept corpus (the models and texts of `tests/`, and what was found, in `tests/fuzz/TARGET`), changed at random: bytes
//! and stretches are taken out, doubled, moved over from another input, or replaced by words that mean something. The seed is fixed.
//! Each target gets 400 inputs here; `PV_FUZZ_INPUTS=125000 cargo test --release --lib fuzz_tests` gives more than a million to all of them.
//! Work is bounded by what the readers themselves count; inputs are cut at a length that keeps a slow one from looking like a hang.

use crate::certificate::file;
use crate::certify::check::check;
use crate::certify::definition::Definition;
use crate::checkpoint::Reader;
use crate::report::trail::Trail;
use crate::source::SourceMap;
use crate::source::preprocess::{PreprocessOptions, preprocess};
use crate::{compare, format, ltl, syntax};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Longest input, in bytes.
const LONGEST: usize = 4_000;

/// Words that mean something to some reader.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "proctype P() {", "}", "{", "init { ", "atomic {", "d_step {", "if :: ", "fi", "do :: ", "od", "unless {", "never {", "trace {",
    "typedef T {", "chan q = [1] of { byte };", "inline f(x) {", "f(x)", "byte x;", "bit a[3];", "unsigned u : 3;", "hidden ", "mtype = { a, b };",
    "run P();", "timeout", "else", "goto l;", "l: ", "q!1", "q??[1]", "eval(", "(", ")", "[", "]", "[] (", "<>", " U ", " R ", " X ", "->",
    "#define M(x) M(x) x\n", "#include \"a\"\n", "#if 1\n", "#endif\n", "#ifdef M\n", "#else\n", "#undef M\n", "##", "\"", "'", "/*", "*/", "//", "\\\n",
    "4294967296", "-1", "0", "99999999999999999999", "select (x : 0 .. 9)", "for (x : 0 .. 9) {", "printf(\"%d\", x)", "assert(", "@", "_pid", "\u{e4}", "\0",
    "[[runs]]\n", "cache = [1, \"5%\"]\n", "search = \"bfs\"\n", "\"steps\": [", "\"actor\": 3", "null", "1e999", ",", ":", ";", "\n",
];

struct Fuzzer {
    corpus: Vec<Vec<u8>>,
    random: SmallRng,
}

impl Fuzzer {
    fn span(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.random.random_range(0..=length);
        let longest = (length - from).min(1 << self.random.random_range(0..9));
        from..from + self.random.random_range(0..=longest)
    }

    fn input(&mut self) -> Vec<u8> {
        let chosen = self.random.random_range(0..self.corpus.len());
        let mut input = self.corpus[chosen].clone();
        if input.len() > LONGEST {
            let from = self.random.random_range(0..input.len() - LONGEST);
            input = input[from..from + LONGEST].to_vec();
        }
        for _ in 0..self.random.random_range(0..6) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        let span = self.span(input.len());
        match self.random.random_range(0..6) {
            0 => drop(input.drain(span)),
            1 => {
                let stretch = input[span.clone()].to_vec();
                for _ in 0..self.random.random_range(1..8) {
                    input.splice(span.start..span.start, stretch.iter().copied());
                }
            }
            2 => {
                let other = self.random.random_range(0..self.corpus.len());
                let from = self.span(self.corpus[other].len());
                let stretch = self.corpus[other][from].to_vec();
                input.splice(span, stretch);
            }
            3 if !input.is_empty() => {
                let at = self.random.random_range(0..input.len());
                input[at] = self.random.random();
            }
            4 if !input.is_empty() => {
                let at = self.random.random_range(0..input.len());
                input[at] ^= 1 << self.random.random_range(0..8);
            }
            _ => {
                let word = WORDS[self.random.random_range(0..WORDS.len())];
                input.splice(span.start..span.start, word.bytes());
            }
        }
    }
}

fn files(folder: &str, ending: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.is_file() && path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths.iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

fn models() -> Vec<Vec<u8>> {
    [files("tests/corpus", ".pml"), files("tests/corpus/micro", ".pml"), files("tests/diagnostics", ".pml")].concat()
}

/// Gives a target its inputs, on a stack like that of the program.
fn fuzz(name: &'static str, mut corpus: Vec<Vec<u8>>, target: impl FnMut(&[u8]) + Send + 'static) {
    corpus.extend(files(&format!("tests/fuzz/{name}"), ""));
    assert!(!corpus.is_empty(), "{name} has no corpus");
    let inputs = std::env::var("PV_FUZZ_INPUTS").ok().and_then(|count| count.parse().ok()).unwrap_or(400);
    let mut target = target;
    let work = move || {
        let seed = name.bytes().fold(1, |seed: u64, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let mut fuzzer = Fuzzer { corpus, random: SmallRng::seed_from_u64(seed) };
        for number in 0..inputs {
            let input = fuzzer.input();
            if catch_unwind(AssertUnwindSafe(|| target(&input))).is_err() {
                panic!("{name}, input {number}: {:?}", String::from_utf8_lossy(&input));
            }
        }
    };
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(work).expect("a thread");
    assert!(worker.join().is_ok(), "{name}: see above");
}

fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

#[test]
fn the_preprocessor_takes_any_text() {
    fuzz("preprocessor", models(), |input| {
        let mut map = SourceMap::new();
        let file = map.add_file("m.pml".into(), None, text(input));
        preprocess(&mut map, file, &PreprocessOptions::default(), &mut Vec::new());
    });
}

/// And what comes behind the parser: names, types, automata. What is accepted by the front end is read by the reference executor.
#[test]
fn the_front_end_takes_any_text() {
    fuzz("parser", models(), |input| {
        let text = text(input);
        if crate::load::read_text("m.pml", &text).is_ok() {
            let mut map = SourceMap::new();
            let file = map.add_file("m.pml".into(), None, text);
            let _ = crate::certify::read(&mut map, file, &PreprocessOptions::default());
        }
    });
}

#[test]
fn lints_and_the_language_server_take_any_text() {
    fuzz("lsp", models(), |input| crate::lsp::try_everything(&text(input), input.len() as u32));
}

/// Formatting changes no token, and formatting again changes nothing.
#[test]
fn what_was_formatted_stays() {
    fuzz("fmt", models(), |input| {
        if let Ok(once) = format::format_source(&text(input)) {
            assert_eq!(format::format_source(&once).as_deref(), Ok(&*once), "formatting again changes it");
        }
    });
}

/// A tree that is printed is read back as the same tree.
#[test]
fn what_was_printed_is_read_back() {
    let read = |text: String| {
        let mut map = SourceMap::new();
        let mut diagnostics = Vec::new();
        let file = map.add_file("m.pml".into(), None, text);
        let tokens = preprocess(&mut map, file, &PreprocessOptions::default(), &mut diagnostics);
        syntax::parse(&mut map, tokens, &mut diagnostics).filter(|_| !crate::load::failed(&diagnostics))
    };
    fuzz("print", models(), move |input| {
        if let Some(unit) = read(text(input)) {
            let printed = syntax::print::unit(&unit);
            let again = read(printed.clone()).unwrap_or_else(|| panic!("not read back: {printed}"));
            assert!(syntax::same::same_tree(&unit, &again), "another tree: {printed}");
        }
    });
}

#[test]
fn formulas_take_any_text() {
    let corpus =
        ["[] (p -> <> q)", "!(a U (b R c)) && X d", "<>[] p || []<> q", "(a == 1) W (b > 2) <-> c", "G F p", "a V b"];
    fuzz("ltl", corpus.iter().map(|text| text.as_bytes().to_vec()).collect(), |input| {
        // Automata may grow fast with the formula; the translation has a bound of its own for what is long.
        let short = &input[..input.len().min(60)];
        if let Ok(parsed) = ltl::parse(&text(short)) {
            let _ = ltl::translate(&parsed.formula);
        }
    });
}

#[test]
fn trails_take_any_text() {
    let trail = "{\n  \"pv-trail\": 1,\n  \"pv\": \"0.1.0\",\n  \"model\": \"m.pml\",\n  \"fingerprint\": \"0123456789abcdef\",\n  \
                 \"error\": {\"kind\": \"assertion\", \"message\": \"m\", \"file\": null, \"line\": 3, \"depth\": 2},\n  \"cycle_start\": 0,\n  \
                 \"steps\": [\n    {\"actor\":3,\"transition\":17,\"line\":12},\n    {\"actor\":\"claim\",\"transition\":2,\"timeout\":true}\n  ]\n}\n";
    assert!(Trail::parse(trail).is_ok());
    fuzz("trail", vec![trail.as_bytes().to_vec()], |input| {
        let _ = Trail::parse(&text(input));
    });
}

#[test]
fn checkpoints_take_any_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("c");
    let mut writer = crate::checkpoint::Writer::create(&path).expect("a file");
    for name in [*b"numb", *b"recs"] {
        writer.section(name).expect("a section");
        (0..20u8).for_each(|byte| writer.record(&[&vec![byte; usize::from(byte)]]).expect("a record"));
        writer.end_section().expect("its end");
    }
    writer.finish().expect("it is written");
    let whole = std::fs::read(&path).expect("it is there");
    fuzz("checkpoint", vec![whole], move |input| {
        let _keeps = &folder;
        std::fs::write(&path, input).expect("written");
        let Ok(mut reader) = Reader::open(&path) else { return };
        for name in [*b"numb", *b"recs"] {
            let mut record = Vec::new();
            while reader.section(name).is_ok() && reader.record(&mut record).is_ok_and(|more| more && record.len() > 1)
            {
            }
        }
    });
}

/// Behind the checksums, and up to the reference executor.
#[test]
fn certificates_take_any_bytes() {
    const MODEL: &str = "byte x; chan q = [2] of { byte, bit }; active proctype P() { do :: x < 2 -> q!x,1; x++ :: else -> break od } \
                         active proctype Q() { byte v; chan k = [1] of { bit }; do :: q?v,_ :: timeout -> break od }";
    let mut map = SourceMap::new();
    let file = map.add_file("m.pml".into(), None, MODEL.into());
    let definition: Definition = crate::certify::read(&mut map, file, &PreprocessOptions::default()).expect("a model");
    let whole = std::sync::OnceLock::new();
    let contents = whole.get_or_init(|| file::blocks(&certificate_of(MODEL)).expect("whole")).clone();
    let certificate = file::decode(&file::wrap(&contents)).expect("a certificate");
    assert!(check(&definition, &certificate).is_ok());
    fuzz("certificate", vec![contents], move |input| {
        let _ = file::decode(input);
        if let Ok(certificate) = file::decode(&file::wrap(input)) {
            let _ = check(&definition, &certificate);
        }
    });
}

fn certificate_of(text: &str) -> Vec<u8> {
    use crate::certificate::{Certificate, Checked, Ends, Evidence, Section, Subject};
    let (_, model) = crate::load::read_text("m.pml", text).expect("a model");
    let interrupt = std::sync::atomic::AtomicBool::new(false);
    let mut monitor = crate::search::monitor::Monitor::silent(&interrupt);
    monitor.witness = Some(crate::witness::Witness::new(&model, None));
    crate::search::plan::Plan::default().execute(&model, &mut monitor);
    let witness = monitor.witness.take().expect("it was there");
    let names = witness.names().clone();
    let checked = Checked { subject: Subject::Errors, fair: false, assertions: true, ends: Ends::Judged };
    let sections = vec![Section { checked, evidence: Evidence::Holds(witness.into_table()) }];
    file::encode(&Certificate { model: model.name, fingerprint: model.fingerprint, names, sections })
}

/// Frames as they come from another process, and the records in them, for which no checksum stands any more.
#[cfg(feature = "cluster")]
#[test]
fn frames_and_records_take_any_bytes() {
    use crate::cluster::wire::{Frame, read, write};
    use crate::search::explore::spread::{read_records, some_records};
    let records = some_records();
    assert_eq!(read_records(&records), 9, "the second batch begins with a rank that was there before");
    let mut sent = Vec::new();
    let long = [records.clone(), vec![7; 3_000]].concat();
    for payload in [records.clone(), long, Vec::new()] {
        let frame = Frame { kind: 3, search: 1, level: 70_000, payload };
        write(&frame, &mut sent, &mut Vec::new()).expect("it is written");
    }
    fuzz("wire", vec![sent, records], |input| {
        let mut rest = input;
        while let Ok(Some((frame, _))) = read(&mut rest) {
            read_records(&frame.payload);
        }
        read_records(input);
    });
}

#[test]
fn matrices_take_any_text() {
    let matrix = "[[runs]]\nsearch = \"bfs\"\ncache = [\"50%\", \"25%\", 1000]\nhub = [false, true]\n";
    fuzz("matrix", vec![matrix.as_bytes().to_vec()], |input| {
        let _ = compare::matrix_file::parse(&text(input));
    });
}
