//! Trail files: a counterexample that can be kept, read and replayed.
//!
//! A trail is JSON with one step per line, so that it can be read and compared with plain tools. Only `actor`, `transition`
//! and `timeout` of a step matter for the replay; the rest is for readers. A trail names the model by its fingerprint (a
//! hash of the preprocessed text), and the reader refuses one of another model: the numbers would mean something else.
//! Nothing in a file is trusted; a damaged one gives a message.

use super::{place, written};
use crate::model::{Action, Model, Proctype, Transition};
use crate::search::outcome::{Actor, Step};
use crate::source::SourceMap;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// Version of the format.
pub(crate) const VERSION: u32 = 1;

/// Larger files are no trails that pv wrote: 4 GiB.
const LARGEST: u64 = 1 << 32;

/// A counterexample with all that a replay needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Trail {
    /// Name of the model file.
    pub model: String,
    /// Fingerprint of the model.
    pub fingerprint: u64,
    /// The claim that was checked.
    pub property: Option<String>,
    /// Non-progress cycles were looked for.
    pub non_progress: bool,
    /// The property that was given beside the model.
    pub outside: Option<OutsideText>,
    /// What is wrong at its end.
    pub error: TrailError,
    /// For a cycle: the steps from here on repeat for ever.
    pub cycle_start: Option<usize>,
    /// The steps, from the initial state.
    pub steps: Vec<TrailStep>,
}

/// A property that was given beside the model. A replay reads it again, since it may change how the model is read: a
/// formula that asks for `_last` makes `_last` a part of the state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct OutsideText {
    /// What it is written as.
    #[serde(rename = "kind")]
    pub writing: TrailWriting,
    /// The file, as it is shown.
    pub file: String,
    /// All of it.
    pub text: String,
}

/// How a property is written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TrailWriting {
    /// As a formula.
    Formula,
    /// As a never claim.
    Claim,
}

/// What is wrong at the end of a trail.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct TrailError {
    /// As in the JSON report.
    pub kind: String,
    /// In words.
    pub message: String,
    /// The file, if there is one.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// As in the report.
    pub depth: u64,
}

/// A step, and what readers like to know about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TrailStep {
    /// The step.
    pub step: Step,
    /// Name of the process type.
    pub process: String,
    /// Line of the statement; 0 if unknown.
    pub line: u32,
    /// The statement.
    pub text: String,
}

/// The file except the steps.
#[derive(Serialize, Deserialize)]
struct Header {
    #[serde(rename = "pv-trail")]
    version: u32,
    #[serde(default)]
    pv: String,
    model: String,
    /// As hexadecimal text: many readers of JSON keep numbers as floats.
    fingerprint: String,
    #[serde(default)]
    property: Option<String>,
    #[serde(default)]
    non_progress: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outside: Option<OutsideText>,
    error: TrailError,
    #[serde(default)]
    cycle_start: Option<usize>,
}

#[derive(Deserialize)]
struct Document {
    #[serde(flatten)]
    header: Header,
    steps: Vec<StepLine>,
}

#[derive(Serialize, Deserialize)]
struct StepLine {
    actor: ActorName,
    transition: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    timeout: bool,
    #[serde(default)]
    process: String,
    #[serde(default)]
    line: u32,
    #[serde(default)]
    text: String,
}

/// A pid, or the word `claim`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ActorName {
    Process(u8),
    Word(String),
}

/// Only the version, to tell "not a trail" from "a trail of a later pv".
#[derive(Deserialize)]
struct VersionOnly {
    #[serde(rename = "pv-trail")]
    version: u64,
}

/// So much of a file is enough to see whose trail it is.
const HEAD: u64 = 64 << 10;

impl Trail {
    /// What is wrong, in the words of the source. The message itself is what other searches of the model know the error by.
    pub(crate) fn error_in_words(&self, model: &Model, map: &SourceMap) -> String {
        let transition = self.steps.last().and_then(|last| {
            let is_named = |process: &&Proctype| *process.name == *last.process;
            let process = match last.step.actor {
                Actor::Process(_) => model.proctypes.iter().find(is_named),
                Actor::Claim => model.claims.iter().map(|claim| &claim.body).find(is_named),
            };
            process?.automaton.transitions.get(last.step.transition as usize)
        });
        let message = &self.error.message;
        let Some(transition) = transition else { return message.clone() };
        let failed = |inner: &&Transition| {
            let condition = inner.text.strip_prefix("assert(").and_then(|text| text.strip_suffix(')'));
            let is_there = place(map, inner.span).map(|(_, line)| line) == self.error.line;
            is_there && condition.is_some() && condition == message.strip_prefix("assertion violated ")
        };
        let span = match &transition.action {
            Action::DStep(body) => body.transitions.iter().find(failed).map_or(transition.span, |inner| inner.span),
            _ => transition.span,
        };
        written::failure(map, span, message)
    }

    /// Is this file a trail of the model of this name, of whatever version?
    pub(crate) fn is_of_model(path: &Path, model: &str) -> bool {
        let mut head = Vec::new();
        let read = std::fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
        let name = serde_json::to_string(model).unwrap_or_default();
        let head = String::from_utf8_lossy(&head);
        read.is_ok()
            && head.trim_start().starts_with("{\n  \"pv-trail\":")
            && head.contains(&format!("\"model\": {name},"))
    }

    /// The text of the file.
    pub(crate) fn render(&self) -> String {
        let header = Header {
            version: VERSION,
            pv: env!("CARGO_PKG_VERSION").into(),
            model: self.model.clone(),
            fingerprint: format!("{:016x}", self.fingerprint),
            property: self.property.clone(),
            non_progress: self.non_progress,
            outside: self.outside.clone(),
            error: self.error.clone(),
            cycle_start: self.cycle_start,
        };
        let mut text = serde_json::to_string_pretty(&header).unwrap_or_default();
        // The header's closing brace makes room for the steps.
        text.truncate(text.trim_end_matches(['}', '\n']).len());
        text.push_str(",\n  \"steps\": [");
        for (index, step) in self.steps.iter().enumerate() {
            let line = StepLine {
                actor: match step.step.actor {
                    Actor::Process(pid) => ActorName::Process(pid),
                    Actor::Claim => ActorName::Word("claim".into()),
                },
                transition: step.step.transition,
                timeout: step.step.timeout,
                process: step.process.clone(),
                line: step.line,
                text: step.text.clone(),
            };
            let comma = if index == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\n    {}", serde_json::to_string(&line).unwrap_or_default());
        }
        text.push_str("\n  ]\n}\n");
        text
    }

    /// Reads the text of a file; says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Trail, String> {
        let version: VersionOnly = serde_json::from_str(text).map_err(|error| {
            if error.is_data() {
                "it has no \"pv-trail\" version".to_string()
            } else {
                format!("it is not JSON: {error}")
            }
        })?;
        if version.version != u64::from(VERSION) {
            return Err(format!("its version is {}, this pv reads version {VERSION}", version.version));
        }
        let document: Document = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let header = document.header;
        let fingerprint = u64::from_str_radix(&header.fingerprint, 16)
            .map_err(|_| format!("its fingerprint `{}` is not a hexadecimal number", header.fingerprint))?;
        let steps: Vec<TrailStep> = document.steps.into_iter().enumerate().map(read_step).collect::<Result<_, _>>()?;
        if let Some(start) = header.cycle_start.filter(|&start| start >= steps.len()) {
            return Err(format!("its cycle starts at step {start}, but it has only {} steps", steps.len()));
        }
        Ok(Trail {
            model: header.model,
            fingerprint,
            property: header.property,
            non_progress: header.non_progress,
            outside: header.outside,
            error: header.error,
            cycle_start: header.cycle_start,
            steps,
        })
    }

    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Trail, String> {
        let name = path.display();
        let metadata = std::fs::metadata(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        if metadata.len() > LARGEST {
            return Err(format!("{name} is not a trail that can be read: it is larger than 4 GiB"));
        }
        let bytes = std::fs::read(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        let text =
            String::from_utf8(bytes).map_err(|_| format!("{name} is not a trail that can be read: it is not text"))?;
        Trail::parse(&text).map_err(|what| format!("{name} is not a trail that can be read: {what}"))
    }

    /// Makes sure that the trail, which was read from this file, is one of the model with this fingerprint.
    pub(crate) fn must_be_of(&self, fingerprint: u64, path: &Path) -> Result<(), String> {
        if self.fingerprint == fingerprint {
            return Ok(());
        }
        Err(format!(
            "{} is a trail of another model: of `{}` with fingerprint {:016x}, while this model has {fingerprint:016x} \
             (the text has changed since, or -D was different)",
            path.display(),
            self.model,
            self.fingerprint
        ))
    }

    /// Writes a file: beside its place first, then renamed, so that there is never half a trail.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        write_atomically(path, self.render().as_bytes())
    }
}

fn read_step((index, line): (usize, StepLine)) -> Result<TrailStep, String> {
    let actor = match line.actor {
        ActorName::Process(pid) => Actor::Process(pid),
        ActorName::Word(word) if word == "claim" => Actor::Claim,
        ActorName::Word(word) => return Err(format!("step {}: the actor `{word}` is unknown", index + 1)),
    };
    let step = Step { actor, transition: line.transition, timeout: line.timeout };
    Ok(TrailStep { step, process: line.process, line: line.line, text: line.text })
}

/// Writes a file beside its place and renames it. A link is followed; what is no file (a device, a pipe) is written to and stays what it is.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = std::fs::canonicalize(path);
    let path = target.as_deref().unwrap_or(path);
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        let mut file = std::fs::OpenOptions::new().write(true).open(path)?;
        return file.write_all(bytes).and_then(|()| file.flush());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    #[cfg(unix)]
    {
        // A temporary file is for its owner only; what is left of it should be as readable as any other output.
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Where the trail of error `number` (from 1) of a model goes: `MODEL.trail.json` in the current folder for the first,
/// `MODEL.2.trail.json` and so on for others.
pub(crate) fn default_path(model: &str, number: usize) -> PathBuf {
    let name = Path::new(model).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = match name {
        Some(name) if model != "<stdin>" && model != "-" => name,
        _ => "stdin".into(),
    };
    if number <= 1 { format!("{name}.trail.json").into() } else { format!("{name}.{number}.trail.json").into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").expect("written");
        std::os::unix::fs::symlink(&file, &link).expect("a link");
        write_atomically(&link, b"new").expect("written");
        assert_eq!(std::fs::read(&file).expect("it is there"), b"new");
        assert!(std::fs::symlink_metadata(&link).expect("it is there").is_symlink());
        write_atomically(Path::new("/dev/null"), b"gone").expect("written");
        assert!(!std::fs::metadata("/dev/null").expect("it is there").is_file());
    }

    fn sample() -> Trail {
        let step = |actor, transition, timeout, text: &str| TrailStep {
            step: Step { actor, transition, timeout },
            process: "sender".into(),
            line: 12,
            text: text.into(),
        };
        Trail {
            model: "m \"quoted\".pml".into(),
            fingerprint: 0xfedc_ba98_7654_3210,
            property: Some("p1".into()),
            non_progress: false,
            outside: None,
            error: TrailError {
                kind: "acceptance-cycle".into(),
                message: "acceptance cycle".into(),
                file: Some("m.pml".into()),
                line: Some(3),
                depth: 7,
            },
            cycle_start: Some(1),
            steps: vec![step(Actor::Process(3), 17, false, "q!\"a\\b\""), step(Actor::Claim, 2, true, "else")],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let trail = sample();
        assert_eq!(Trail::parse(&trail.render()), Ok(trail.clone()));
        let empty = Trail { steps: Vec::new(), cycle_start: None, ..trail.clone() };
        assert_eq!(Trail::parse(&empty.render()), Ok(empty));
        let text = "[] (x == \"1\")\n".to_string();
        let outside = OutsideText { writing: TrailWriting::Formula, file: "p.ltl".into(), text };
        let beside = Trail { outside: Some(outside), ..trail };
        assert_eq!(Trail::parse(&beside.render()), Ok(beside));
    }

    #[test]
    fn one_step_per_line() {
        let text = sample().render();
        assert!(text.contains("\n    {\"actor\":3,\"transition\":17,\"process\":\"sender\",\"line\":12,"), "{text}");
        assert!(text.contains("\n    {\"actor\":\"claim\",\"transition\":2,\"timeout\":true,"), "{text}");
    }

    #[test]
    fn a_damaged_trail_is_refused_and_never_panics() {
        let text = sample().render();
        for end in (0..text.len() - 2).filter(|&end| text.is_char_boundary(end)) {
            assert!(Trail::parse(&text[..end]).is_err(), "cut at {end}");
        }
        for (from, to, says) in [
            ("\"pv-trail\": 1", "\"pv-trail\": 2", "version is 2"),
            ("\"pv-trail\": 1", "\"other\": 1", "no \"pv-trail\""),
            ("fedcba98", "xyz", "hexadecimal"),
            ("\"cycle_start\": 1", "\"cycle_start\": 2", "cycle starts at step 2"),
            ("\"claim\"", "\"ghost\"", "unknown"),
            ("\"actor\":3", "\"actor\":300", "did not match"),
            ("\"transition\":17", "\"transition\":-1", "invalid value"),
        ] {
            let damaged = text.replacen(from, to, 1);
            let message = Trail::parse(&damaged).expect_err(from);
            assert!(message.contains(says), "{from} -> {to}: {message}");
        }
    }

    #[test]
    fn another_model_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("m.trail.json");
        let trail = sample();
        trail.write(&path).expect("it is written");
        assert_eq!(trail.must_be_of(trail.fingerprint, &path), Ok(()));
        let message = trail.must_be_of(1, &path).expect_err("another model");
        assert!(message.contains("another model"), "{message}");
        assert_eq!(Trail::read(&path), Ok(trail));
        assert!(Trail::read(folder.path()).is_err());
        assert!(Trail::read(&folder.path().join("none")).is_err());
    }

    #[test]
    fn trails_go_to_the_current_folder() {
        assert_eq!(default_path("a/b/dtp.pml", 1), PathBuf::from("dtp.pml.trail.json"));
        assert_eq!(default_path("dtp.pml", 3), PathBuf::from("dtp.pml.3.trail.json"));
        assert_eq!(default_path("<stdin>", 1), PathBuf::from("stdin.trail.json"));
        assert_eq!(default_path("..", 1), PathBuf::from("stdin.trail.json"));
    }
}
