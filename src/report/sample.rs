//! A small model and outcomes to report, made by hand: the tests of reports need no search.

use super::{Checks, Report, Run, Setting};
use crate::model::*;
use crate::search::outcome::*;
use crate::source::{FileId, SourceMap, Span};

pub(super) const TEXT: &str =
    "active proctype sender() {\n  out!msg,0;\n  out!ack,1;\n  assert(x == 1)\n}\nproctype ghost() { skip }\n";

pub(super) struct Sample {
    pub map: SourceMap,
    pub model: Model,
    pub setting: Setting,
    pub runs: Vec<Run>,
    pub arguments: Vec<String>,
}

fn span_of(text: &str) -> Span {
    let start = TEXT.find(text).unwrap_or(0) as u32;
    Span { file: FileId(0), start, end: start + text.len() as u32, ..Span::default() }
}

fn proctype(name: &str, texts: &[&str]) -> Proctype {
    let transitions = texts.iter().enumerate().map(|(index, text)| Transition {
        action: Action::Skip,
        target: index as u32 + 1,
        atomic: false,
        escape: 0,
        kind: TransitionType::Other,
        text: (*text).into(),
        span: span_of(text),
        after: After::default(),
    });
    Proctype {
        name: name.into(),
        kind: ProctypeKind::Proctype,
        deterministic: false,
        parameters: Vec::new(),
        locals: Vec::new(),
        size: PROCESS_HEADER,
        channels: Vec::new(),
        initial: Vec::new(),
        provided: None,
        priority: 1,
        exclusive: Vec::new(),
        automaton: Automaton { transitions: transitions.collect(), ..Automaton::default() },
        span: Span::default(),
    }
}

impl Sample {
    fn with(verdict: Verdict, violations: Vec<Violation>) -> Sample {
        let mut map = SourceMap::new();
        map.add_file("m.pml".into(), None, TEXT.into());
        let model = Model {
            name: "m.pml".into(),
            fingerprint: 0x0123_4567_89ab_cdef,
            mtypes: Vec::new(),
            globals: Vec::new(),
            hidden_size: 0,
            global_size: 0,
            channels: Vec::new(),
            initial: Vec::new(),
            proctypes: vec![
                proctype("sender", &["out!msg,0", "out!ack,1", "assert(x == 1)"]),
                proctype("ghost", &["skip"]),
            ],
            processes: vec![Creation { proctype: 0, priority: 1 }],
            claims: Vec::new(),
            broken: Vec::new(),
            trace: None,
            uses: Uses::default(),
        };
        let setting = Setting {
            algorithm: "dfs",
            store: "exact",
            seed: 1,
            checks: Checks { assertions: true, end_states: true, claims: true, ..Checks::default() },
            ..Setting::default()
        };
        let trails = violations.iter().map(|_| Some("m.pml.trail.json".to_string())).collect();
        let counts = Counts {
            stored: 251_409,
            matched: 11_152,
            atomic_steps: 586_655,
            depth: 545,
            peak_stored: 251_409,
            evicted: 0,
            vector_bytes: 168,
        };
        let outcome = Outcome {
            error_count: violations.len() as u64,
            violations,
            memory: 12 << 20,
            seconds: 0.5,
            ..Outcome::of(verdict, counts, vec![vec![true, false, true], vec![false]])
        };
        Sample {
            map,
            model,
            setting,
            runs: vec![Run {
                property: None,
                outcome,
                of_property: None,
                trails,
                paths: Vec::new(),
                cycles: Vec::new(),
                checkpoint: None,
            }],
            arguments: Vec::new(),
        }
    }

    pub(super) fn verified() -> Sample {
        Sample::with(Verdict::of_complete_search(0, None, true), Vec::new())
    }

    pub(super) fn no_error_found() -> Sample {
        let mut sample = Sample::with(Verdict::of_complete_search(0, None, false), Vec::new());
        sample.setting.store = "compact";
        sample.runs[0].outcome.omission_probability = Some(0.031);
        sample.runs[0].outcome.coverage = Some(0.9999);
        sample
    }

    pub(super) fn incomplete() -> Sample {
        Sample::with(Verdict::of_complete_search(0, Some(Limit::Depth(100)), true), Vec::new())
    }

    pub(super) fn violated() -> Sample {
        let violation = Violation {
            kind: ViolationKind::Assertion,
            message: "assertion violated (x == 1)".into(),
            span: span_of("assert(x == 1)"),
            depth: 12,
            path: vec![
                Step { actor: Actor::Process(0), transition: 0, timeout: false },
                Step { actor: Actor::Process(0), transition: 2, timeout: true },
            ],
            cycle_start: None,
            about: About::Assertion,
        };
        Sample::with(Verdict::of_complete_search(1, None, true), vec![violation])
    }

    pub(super) fn report(&self) -> Report<'_> {
        Report {
            map: &self.map,
            model: &self.model,
            setting: &self.setting,
            runs: &self.runs,
            compile_seconds: 0.012,
            arguments: &self.arguments,
        }
    }
}
