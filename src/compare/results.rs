//! What came out of each run, one JSON object on a line, appended as it comes.
//!
//! The file is the memory of a comparison: a run that is in it is not made again. A line belongs to the model text, the
//! version of pv, the seed and the options, all of which are in it; lines of another model or version stay where they
//! are and are not used. A line that was cut off when the program was stopped is no JSON and is skipped.

use crate::search::outcome::{Outcome, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// What ended a run that did not end by itself.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GaveUp {
    /// It had made more than this many transitions.
    Transitions(u64),
    /// It had taken this many seconds.
    Seconds(f64),
}

/// One run.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Version of pv.
    pub pv: String,
    /// Of the model's text, macros and what is checked, in hexadecimal.
    pub fingerprint: String,
    /// The options of `pv check`, without those that every run has.
    pub options: Vec<String>,
    /// The whole command.
    pub command: String,
    /// `verified`, `no-error-found`, `violated` or `incomplete`.
    pub verdict: String,
    /// Why it is incomplete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What ended a search that has found errors and was to go on behind them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The comparison stopped it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gave_up: Option<GaveUp>,
    /// States stored.
    pub stored: u64,
    /// Arrivals at stored states.
    pub matched: u64,
    /// Both.
    pub transitions: u64,
    /// Steps inside atomic blocks.
    pub atomic_steps: u64,
    /// Longest path.
    pub depth: u64,
    /// Most states held.
    pub peak_stored: u64,
    /// States thrown out.
    pub evicted: u64,
    /// Bytes of the longest vector.
    pub vector_bytes: u64,
    /// Errors met.
    pub error_count: u64,
    /// Steps of the path to the first error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_depth: Option<u64>,
    /// Bytes of all tables.
    pub memory_bytes: u64,
    /// Seconds of search; of several runs the shortest.
    pub seconds: f64,
    /// Seconds of every run, in order.
    #[serde(default)]
    pub times: Vec<f64>,
    /// Bound on the probability of an omission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omission_probability: Option<f64>,
    /// Overwrites by insertions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collision_rate: Option<f64>,
    /// Insertions of states that a depth-first cache had thrown out, by insertions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revisit_rate: Option<f64>,
    /// Collision rate against different states visited, while it ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<(u64, f64)>,
}

impl Record {
    /// From an outcome; identity and command are the caller's.
    pub(crate) fn of(outcome: &Outcome) -> Record {
        let counts = &outcome.counts;
        Record {
            pv: env!("CARGO_PKG_VERSION").into(),
            verdict: outcome.verdict.name().into(),
            reason: match &outcome.verdict {
                Verdict::Incomplete(limit) => Some(crate::report::reason(limit)),
                _ => None,
            },
            stopped: outcome.stopped.as_ref().map(crate::report::reason),
            stored: counts.stored,
            matched: counts.matched,
            transitions: counts.transitions(),
            atomic_steps: counts.atomic_steps,
            depth: counts.depth,
            peak_stored: counts.peak_stored,
            evicted: counts.evicted,
            vector_bytes: counts.vector_bytes,
            error_count: outcome.error_count,
            error_depth: outcome.violations.first().map(|violation| violation.depth),
            memory_bytes: outcome.memory,
            seconds: outcome.seconds,
            times: vec![outcome.seconds],
            omission_probability: outcome.omission_probability,
            collision_rate: outcome.collision_rate,
            revisit_rate: outcome.revisit_rate,
            ..Record::default()
        }
    }

    /// The search looked at everything it had to look at. One that found errors and was then cut short did not.
    pub(crate) fn finished(&self) -> bool {
        self.verdict != "incomplete" && self.stopped.is_none() && self.gave_up.is_none()
    }

    /// It looked at every state exactly, and its answer is about all of them.
    pub(crate) fn settled(&self) -> bool {
        self.finished() && self.verdict != "no-error-found"
    }

    /// The longest of several runs.
    pub(crate) fn slowest(&self) -> f64 {
        self.times.iter().copied().fold(self.seconds, f64::max)
    }

    /// One more run of the same: its counts are the same, its time is not.
    pub(crate) fn took_also(&mut self, seconds: f64) {
        self.times.push(seconds);
        self.seconds = self.seconds.min(seconds);
    }

    /// What ended it early, in the words of `pv check`.
    fn cut(&self) -> Option<&str> {
        self.reason.as_deref().or(self.stopped.as_deref())
    }

    /// The verdict in a few words, for tables.
    pub(crate) fn status(&self) -> String {
        let verdict = self.verdict.replace('-', " ");
        let how = match self.gave_up {
            Some(GaveUp::Transitions(_)) => "gave up: too many transitions".into(),
            Some(GaveUp::Seconds(_)) => "gave up: out of time".into(),
            None if self.finished() => return verdict,
            None if self.path_does_not_fit() => "incomplete: the path does not fit".into(),
            None => {
                let short = self.cut().unwrap_or_default().split([':', ';']).next().unwrap_or_default();
                format!("incomplete: {short}")
            }
        };
        if self.verdict == "violated" { format!("violated, then {how}") } else { how }
    }

    /// A depth-first cache that is smaller than the path.
    pub(crate) fn path_does_not_fit(&self) -> bool {
        !self.finished() && self.cut().is_some_and(|reason| reason.starts_with("the path alone"))
    }

    /// A depth-first cache that gave up.
    pub(crate) fn thrashed(&self) -> bool {
        let says = |reason: &str| reason.starts_with("the cache forgets too much");
        !self.finished() && self.collision_rate.is_none() && self.cut().is_some_and(says)
    }

    /// What identifies the setting within a comparison.
    pub(crate) fn key(&self) -> String {
        self.options.join(" ")
    }
}

/// The runs of one comparison, and the file they go to.
#[derive(Debug)]
pub(crate) struct Results {
    fingerprint: String,
    file: File,
    records: Vec<Record>,
    by_key: HashMap<String, usize>,
    /// How many were there already.
    pub resumed: usize,
}

impl Results {
    /// Opens the file, reads what is of use.
    pub(crate) fn open(path: &Path, fingerprint: &str) -> io::Result<Results> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        // A line without its end was cut off; what follows must not be joined to it.
        if text.last().is_some_and(|&last| last != b'\n') {
            file.seek(SeekFrom::End(0))?;
            file.write_all(b"\n")?;
        }
        let mut results =
            Results { fingerprint: fingerprint.into(), file, records: Vec::new(), by_key: HashMap::new(), resumed: 0 };
        for line in String::from_utf8_lossy(&text).lines() {
            if let Ok(record) = serde_json::from_str::<Record>(line)
                && record.fingerprint == results.fingerprint
                && record.pv == env!("CARGO_PKG_VERSION")
            {
                results.keep(record);
            }
        }
        results.resumed = results.records.len();
        Ok(results)
    }

    fn keep(&mut self, record: Record) {
        let key = record.key();
        match self.by_key.get(&key) {
            Some(&index) => self.records[index] = record,
            None => {
                self.by_key.insert(key, self.records.len());
                self.records.push(record);
            }
        }
    }

    /// Writes a run down at once, and keeps it.
    pub(crate) fn add(&mut self, mut record: Record) -> io::Result<()> {
        record.fingerprint.clone_from(&self.fingerprint);
        let mut line = serde_json::to_string(&record)?;
        line.push('\n');
        self.file.write_all(line.as_bytes())?;
        self.file.flush()?;
        self.keep(record);
        Ok(())
    }

    /// The run with these options.
    pub(crate) fn get(&self, options: &[String]) -> Option<&Record> {
        self.by_key.get(&options.join(" ")).map(|&index| &self.records[index])
    }
}

/// Comma-separated values, with a line of heads.
pub(crate) fn csv(records: &[&Record]) -> String {
    let mut text = String::from(
        "options,verdict,gave_up,stored,matched,transitions,atomic_steps,depth,peak_stored,evicted,vector_bytes,\
         error_count,memory_bytes,seconds,omission_probability,collision_rate,command,reason,error_depth,timed_runs,\
         slowest_seconds\n",
    );
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for record in records {
        let gave_up = match record.gave_up {
            None => "",
            Some(GaveUp::Transitions(_)) => "transitions",
            Some(GaveUp::Seconds(_)) => "seconds",
        };
        let cells = [
            record.key(),
            record.verdict.clone(),
            gave_up.into(),
            record.stored.to_string(),
            record.matched.to_string(),
            record.transitions.to_string(),
            record.atomic_steps.to_string(),
            record.depth.to_string(),
            record.peak_stored.to_string(),
            record.evicted.to_string(),
            record.vector_bytes.to_string(),
            record.error_count.to_string(),
            record.memory_bytes.to_string(),
            record.seconds.to_string(),
            number(record.omission_probability),
            number(record.collision_rate),
            record.command.clone(),
            record.cut().unwrap_or_default().into(),
            record.error_depth.map(|depth| depth.to_string()).unwrap_or_default(),
            record.times.len().to_string(),
            record.slowest().to_string(),
        ];
        let quoted: Vec<String> = cells.iter().map(|cell| quote(cell)).collect();
        text.push_str(&quoted.join(","));
        text.push('\n');
    }
    text
}

/// A cell as RFC 4180 wants it.
fn quote(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(options: &str, stored: u64) -> Record {
        Record {
            pv: env!("CARGO_PKG_VERSION").into(),
            options: options.split_whitespace().map(str::to_string).collect(),
            verdict: "verified".into(),
            stored,
            ..Record::default()
        }
    }

    #[test]
    fn what_was_written_is_there_again_and_broken_lines_do_no_harm() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.jsonl");
        let mut results = Results::open(&path, "f1").expect("opens");
        results.add(record("--cache 5", 10)).expect("writes");
        results.add(record("", 11)).expect("writes");
        drop(results);
        let mut other = Results::open(&path, "f2").expect("opens");
        assert_eq!(other.resumed, 0, "another model's runs are not taken");
        other.add(record("", 99)).expect("writes");
        drop(other);
        std::fs::OpenOptions::new()
            .append(true)
            .open(&path)
            .and_then(|mut file| file.write_all(b"{\"pv\": \"0.1.0\", \"fing"))
            .expect("appends");
        let mut results = Results::open(&path, "f1").expect("opens");
        assert_eq!(results.resumed, 2);
        assert_eq!(results.get(&["--cache".into(), "5".into()]).map(|r| r.stored), Some(10));
        results.add(record("--sleep", 12)).expect("writes");
        let results = Results::open(&path, "f1").expect("opens");
        assert_eq!(results.records.iter().map(|r| r.stored).collect::<Vec<_>>(), [10, 11, 12]);
    }

    #[test]
    fn every_field_of_a_run_is_in_the_schema_and_no_other() {
        let full = Record {
            reason: Some(String::new()),
            stopped: Some(String::new()),
            gave_up: Some(GaveUp::Seconds(1.0)),
            error_depth: Some(1),
            omission_probability: Some(0.0),
            collision_rate: Some(0.0),
            revisit_rate: Some(0.0),
            samples: vec![(1, 0.0)],
            ..Record::default()
        };
        let sorted = |value: &serde_json::Value| {
            let mut names: Vec<String> = value.as_object().expect("an object").keys().cloned().collect();
            names.sort();
            names
        };
        let schema: serde_json::Value =
            serde_json::from_str(include_str!("../../docs/schema/compare.json")).expect("a schema");
        let written = serde_json::to_value(&full).expect("JSON");
        assert_eq!(sorted(&written), sorted(&schema["$defs"]["run"]["properties"]));
    }

    #[test]
    fn csv_cells_are_quoted() {
        let mut odd = record("--cache 5", 1);
        odd.command = "pv check \"a,b\"".into();
        let text = csv(&[&odd]);
        assert!(text.lines().nth(1).is_some_and(|line| line.contains("\"pv check \"\"a,b\"\"\"")), "{text}");
        assert_eq!(text.lines().next().map(|head| head.split(',').count()), Some(21));
    }
}
