//! The commands behind the lenses, for clients that do not run them themselves: `pv check` or `pv replay` as a process of its own, with
//! a budget of time and memory, in the folder of the model. A thread waits for it and tells what came out as a message, as the answer to
//! the command, and as diagnostics at the places of the errors. A model that takes everything takes the child and not the server.

use super::position::path_of;
use lsp_server::{ErrorCode, Message, Notification, RequestId, Response};
use lsp_types as types;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

/// Seconds and memory of a check out of the editor. Who needs more runs `pv check` in a terminal.
const SECONDS: &str = "60";
const MEMORY: &str = "1G";

/// The child that runs now: one at a time, and it ends with the server.
#[derive(Clone, Default)]
pub(super) struct Running(Arc<Mutex<Option<Child>>>);

impl Running {
    /// Ends the child, if one runs.
    pub(crate) fn stop(&self) {
        if let Some(mut child) = self.0.lock().ok().and_then(|mut slot| slot.take()) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// What a command is to do.
pub(super) struct Job {
    pub id: RequestId,
    pub uri: String,
    pub property: Option<String>,
    pub replay: bool,
    /// Macros and folders for included files.
    pub options: Vec<std::ffi::OsString>,
    /// What is known about the document, to which the errors are added.
    pub known: Vec<types::Diagnostic>,
    /// `None` if the document is not open.
    pub version: Option<i32>,
    /// The versions of the open documents now.
    pub versions: Arc<Mutex<BTreeMap<String, i32>>>,
}

/// Starts a job; the answer comes from a thread.
pub(super) fn start<S>(job: Job, running: &Running, send: S) -> Result<(), String>
where
    S: Fn(Message) + Send + 'static,
{
    let path = path_of(&job.uri).ok_or("the document is not a file: save it first")?;
    let program = std::env::current_exe().map_err(|error| format!("pv is not to be found: {error}"))?;
    let file = path.file_name().ok_or("the document has no name")?;
    let folder = path.parent().filter(|folder| folder.is_dir()).ok_or("the folder of the document is not there")?;
    let mut command = Command::new(program);
    command.current_dir(folder).arg("--no-bar");
    if job.replay {
        let mut trail = file.to_os_string();
        trail.push(".trail.json");
        if !folder.join(&trail).is_file() {
            return Err("there is no counterexample: verify the model first".into());
        }
        command.arg("replay").args(&job.options).arg("--").arg(file).arg(trail);
    } else {
        command.args(["check", "--json", "--time", SECONDS, "--memory", MEMORY]);
        command.args(&job.options);
        command.args(job.property.iter().flat_map(|name| ["--property", name]));
        command.arg("--").arg(file);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut slot = running.0.lock().map_err(|_| "a check has failed")?;
    if slot.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(None))) {
        return Err("a check is running already".into());
    }
    let mut child = command.spawn().map_err(|error| format!("pv does not start: {error}"))?;
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    *slot = Some(child);
    let running = running.clone();
    std::thread::spawn(move || {
        // Both pipes are read at once, so that neither blocks the child.
        let errors = std::thread::spawn(move || text_of(errors));
        let output = text_of(output);
        let errors = errors.join().unwrap_or_default();
        let status = running.0.lock().ok().and_then(|mut slot| slot.take()).and_then(|mut child| child.wait().ok());
        tell(&job, &output, &errors, status.and_then(|status| status.code()), &send);
    });
    Ok(())
}

fn text_of(pipe: Option<impl std::io::Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Answers the command.
fn tell(job: &Job, output: &str, errors: &str, code: Option<i32>, send: &dyn Fn(Message)) {
    let Some(code) = code else {
        let code = ErrorCode::RequestCanceled as i32;
        return send(Message::Response(Response::new_err(job.id.clone(), code, "the check was stopped".into())));
    };
    if job.replay {
        let result = json!({ "code": code, "text": if code == 0 { output } else { errors } });
        return send(Message::Response(Response::new_ok(job.id.clone(), result)));
    }
    let report: Value = serde_json::from_str(output).unwrap_or(Value::Null);
    let found = report["errors"].as_array().cloned().unwrap_or_default();
    let verdict = report["verdict"].as_str();
    let (kind, message) = match verdict {
        Some(verdict @ ("verified" | "no-error-found")) => {
            let stored = report["states"]["stored"].as_u64().unwrap_or(0);
            (types::MessageType::INFO, format!("pv: {verdict} ({stored} states)"))
        }
        Some("violated") => {
            let first = found.first().and_then(|error| error["message"].as_str()).unwrap_or("an error was found");
            (types::MessageType::ERROR, format!("pv: violated: {first}"))
        }
        Some(verdict) => {
            let reason = report["reason"].as_str().unwrap_or_default();
            (types::MessageType::WARNING, format!("pv: {verdict}: {reason}"))
        }
        None => (types::MessageType::ERROR, format!("pv: {}", errors.lines().last().unwrap_or("no answer"))),
    };
    notify("window/showMessage", types::ShowMessageParams { typ: kind, message: message.clone() }, send);
    let mut diagnostics = job.known.clone();
    diagnostics.extend(found.iter().map(diagnostic));
    // Lines of a text that has changed meanwhile say nothing, and nobody takes those back of a text that was closed meanwhile.
    let same = job.versions.lock().is_ok_and(|now| now.get(&job.uri).copied() == job.version);
    if let Some(uri) = job.uri.parse().ok().filter(|_| same) {
        let version = job.version;
        notify("textDocument/publishDiagnostics", types::PublishDiagnosticsParams { uri, diagnostics, version }, send);
    }
    let result = json!({ "code": code, "verdict": verdict, "message": message, "errors": found });
    send(Message::Response(Response::new_ok(job.id.clone(), result)));
}

/// An error of a check at its line.
fn diagnostic(error: &Value) -> types::Diagnostic {
    let line = error["line"].as_u64().unwrap_or(1).saturating_sub(1) as u32;
    let at = |character| types::Position { line, character };
    let of_property = error["message"].as_str().is_some_and(|message| message.starts_with("property "));
    let kind = match error["kind"].as_str() {
        // A state that breaks a property is found as an assertion is, and is none.
        Some("assertion") if of_property => "property",
        kind => kind.unwrap_or("error"),
    };
    let depth = error["depth"].as_u64().map(|depth| format!(", at depth {depth}")).unwrap_or_default();
    types::Diagnostic {
        // A column behind the end of the line is the end of the line.
        range: types::Range { start: at(0), end: at(10_000) },
        severity: Some(types::DiagnosticSeverity::ERROR),
        code: Some(types::NumberOrString::String(kind.into())),
        source: Some("pv check".into()),
        message: format!("{}{depth}", error["message"].as_str().unwrap_or(kind)),
        ..types::Diagnostic::default()
    }
}

fn notify(method: &str, params: impl serde::Serialize, send: &dyn Fn(Message)) {
    send(Message::Notification(Notification::new(method.to_owned(), params)));
}
