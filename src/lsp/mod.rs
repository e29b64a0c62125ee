//! `pv lsp`: a language server on standard input and output.
//!
//! One thread answers, in the order in which it was asked; the only other ones read, write, and wait for checks. A document is
//! analysed when nothing more waits to be read, or when somebody asks about it: a fast typist is followed without a
//! queue. An analysis is a function of the texts and of what the client has set, so nothing is kept that could be stale. A panic in an answer
//! is a bug, told as an error of that request; the server goes on.

mod analysis;
mod answers;
mod definitions;
mod position;
mod rename;
mod settings;
mod transport;
mod verify;

use analysis::Analysis;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types as types;
use position::Lines;
use serde_json::{Value, json};
use settings::Settings;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::{Arc, Mutex};

/// Runs the server; gives the exit code: 0 if the client has asked for the end as it should, else 1.
pub(crate) fn run() -> u8 {
    let Ok((connection, writer)) = transport::standard() else { return 1 };
    let code = serve(&connection);
    transport::finish(&connection, writer);
    code
}

/// An open document.
struct Document {
    text: String,
    version: i32,
    /// `None` when the text has changed.
    analysis: Option<Analysis>,
    /// What is wrong with it was published.
    told: bool,
}

struct Server<'c> {
    connection: &'c Connection,
    documents: BTreeMap<String, Document>,
    settings: Settings,
    /// For each document the files to which its diagnostics went.
    published: BTreeMap<String, BTreeSet<String>>,
    running: verify::Running,
    /// The versions of the documents, for the threads that wait for checks.
    versions: Arc<Mutex<BTreeMap<String, i32>>>,
    shut_down: bool,
    initialised: bool,
}

/// What a request can end in beside an answer: the code and the reason.
type Refusal = (ErrorCode, String);

fn serve(connection: &Connection) -> u8 {
    let mut server = Server {
        connection,
        documents: BTreeMap::new(),
        settings: Settings::default(),
        published: BTreeMap::new(),
        running: verify::Running::default(),
        versions: Arc::default(),
        shut_down: false,
        initialised: false,
    };
    let code = loop {
        let message = match connection.receiver.try_recv() {
            Ok(message) => message,
            Err(_) => {
                server.publish_all();
                match connection.receiver.recv() {
                    Ok(message) => message,
                    // The client is gone.
                    Err(_) => break u8::from(!server.shut_down),
                }
            }
        };
        match message {
            Message::Request(request) => server.request(request),
            Message::Notification(note) if note.method == "exit" => break u8::from(!server.shut_down),
            Message::Notification(note) => server.notification(note),
            Message::Response(_) => {}
        }
    };
    server.running.stop();
    code
}

impl Server<'_> {
    fn send(&self, message: Message) {
        let _ = self.connection.sender.send(message);
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        let answer = match (&*request.method, self.initialised, self.shut_down) {
            (_, _, true) => Err((ErrorCode::InvalidRequest, "the server has been shut down".to_owned())),
            ("initialize", false, _) => {
                self.initialised = true;
                let (settings, wrong) = Settings::of(&request.params);
                self.settings = settings;
                self.complain(&wrong);
                Ok(Some(capabilities(&request.params)))
            }
            ("initialize", true, _) => Err((ErrorCode::InvalidRequest, "initialised already".to_owned())),
            (_, false, _) => Err((ErrorCode::ServerNotInitialized, "not initialised yet".to_owned())),
            _ => catch_unwind(AssertUnwindSafe(|| self.answer(request))).unwrap_or_else(|_| {
                Err((ErrorCode::InternalError, "this is a bug in pv, please report it".to_owned()))
            }),
        };
        match answer {
            Ok(Some(result)) => self.send(Message::Response(Response::new_ok(id, result))),
            // A thread will answer.
            Ok(None) => {}
            Err((code, reason)) => self.send(Message::Response(Response::new_err(id, code as i32, reason))),
        }
    }

    /// The answer to a request; `None` if it comes later.
    fn answer(&mut self, request: Request) -> Result<Option<Value>, Refusal> {
        let failed = |reason: String| (ErrorCode::RequestFailed, reason);
        let params = request.params;
        let result = match &*request.method {
            "shutdown" => {
                self.shut_down = true;
                self.running.stop();
                Value::Null
            }
            "textDocument/hover" => {
                let (analysis, offset) = self.place(params)?;
                json!(answers::hover(analysis, offset))
            }
            "textDocument/definition" => {
                let (analysis, offset) = self.place(params)?;
                json!(answers::definition(analysis, offset))
            }
            "textDocument/references" => {
                let declaration = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
                let (analysis, offset) = self.place(params)?;
                json!(answers::references(analysis, offset, declaration))
            }
            "textDocument/prepareRename" => {
                let (analysis, offset) = self.place(params)?;
                let span = rename::prepare(analysis, offset).map_err(failed)?;
                json!(Lines::of(analysis.text()).range(span.start, span.end))
            }
            "textDocument/rename" => {
                let new = params["newName"].as_str().unwrap_or_default().to_owned();
                let (analysis, offset) = self.place(params)?;
                let edits = rename::rename(analysis, offset, &new).map_err(failed)?;
                json!({ "changes": { analysis.uri.clone(): edits } })
            }
            "textDocument/documentSymbol" => json!(answers::symbols(self.document(&params)?)),
            "textDocument/codeLens" => json!(answers::lenses(self.document(&params)?)),
            "textDocument/formatting" => json!(answers::formatting(self.document(&params)?).map_err(failed)?),
            "workspace/executeCommand" => return self.execute(request.id, &params).map(|()| None),
            other => return Err((ErrorCode::MethodNotFound, format!("`{other}` is not known here"))),
        };
        Ok(Some(result))
    }

    /// The document that a request is about.
    fn document(&mut self, params: &Value) -> Result<&Analysis, Refusal> {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        self.analysis(&uri).ok_or((ErrorCode::InvalidParams, format!("the document `{uri}` is not open")))
    }

    /// The document and the byte that a request is about.
    fn place(&mut self, params: Value) -> Result<(&Analysis, u32), Refusal> {
        let position: types::Position = serde_json::from_value(params["position"].clone())
            .map_err(|error| (ErrorCode::InvalidParams, format!("the position: {error}")))?;
        let analysis = self.document(&params)?;
        Ok((analysis, Lines::of(analysis.text()).offset(position)))
    }

    fn analysis(&mut self, uri: &str) -> Option<&Analysis> {
        let document = self.documents.get_mut(uri)?;
        if document.analysis.is_none() {
            document.analysis = Some(Analysis::of(uri, &document.text, &self.settings));
        }
        document.analysis.as_ref()
    }

    fn notification(&mut self, note: Notification) {
        let uri = note.params["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
        match &*note.method {
            "textDocument/didOpen" => {
                let document = &note.params["textDocument"];
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                let version = document["version"].as_i64().unwrap_or(0) as i32;
                self.changed(uri, text, version);
            }
            "textDocument/didChange" => {
                let version = note.params["textDocument"]["version"].as_i64().unwrap_or(0) as i32;
                let changes = note.params["contentChanges"].as_array();
                // The whole text comes with each change.
                let last = changes.and_then(|changes| changes.last()).and_then(|change| change["text"].as_str());
                if let Some(text) = last {
                    self.changed(uri, text.to_owned(), version);
                }
            }
            // What it includes may have changed on the disk.
            "textDocument/didSave" => self.read_all_again(),
            "workspace/didChangeConfiguration" => {
                let wrong = self.settings.take(&note.params["settings"]["pv"]);
                self.complain(&wrong);
                self.read_all_again();
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                self.read_including(&uri);
                if let Ok(mut versions) = self.versions.lock() {
                    versions.remove(&uri);
                }
                let went_to = self.published.remove(&uri).unwrap_or_default();
                went_to.iter().for_each(|file| self.publish(file, Vec::new(), None));
            }
            _ => {}
        }
    }

    fn changed(&mut self, uri: String, text: String, version: i32) {
        if let Ok(mut versions) = self.versions.lock() {
            versions.insert(uri.clone(), version);
        }
        self.documents.insert(uri.clone(), Document { text, version, analysis: None, told: false });
        self.read_including(&uri);
    }

    fn read_all_again(&mut self) {
        for document in self.documents.values_mut() {
            (document.analysis, document.told) = (None, false);
        }
    }

    /// The text of a document is another one: those that include it are read again, with the texts as they are now.
    fn read_including(&mut self, uri: &str) {
        let on_disk = |uri: &str| position::path_of(uri).and_then(|path| path.canonicalize().ok());
        let texts = self.documents.iter().filter_map(|(uri, document)| Some((on_disk(uri)?, document.text.clone())));
        self.settings.unsaved = Arc::new(texts.collect::<HashMap<_, _>>());
        let Some(path) = on_disk(uri) else { return };
        for document in self.documents.values_mut() {
            if document.analysis.as_ref().is_some_and(|analysis| analysis.includes(&path)) {
                (document.analysis, document.told) = (None, false);
            }
        }
    }

    /// Settings that make no sense are told.
    fn complain(&self, wrong: &[String]) {
        for what in wrong {
            let params = types::ShowMessageParams { typ: types::MessageType::ERROR, message: format!("pv: {what}") };
            self.send(Message::Notification(Notification::new("window/showMessage".to_owned(), params)));
        }
    }

    /// Publishes what is wrong with the documents that have changed.
    fn publish_all(&mut self) {
        let untold = |(uri, document): (&String, &mut Document)| {
            (!std::mem::replace(&mut document.told, true)).then(|| uri.clone())
        };
        let changed: Vec<String> = self.documents.iter_mut().filter_map(untold).collect();
        for uri in changed {
            let found = catch_unwind(AssertUnwindSafe(|| self.analysis(&uri).map(Analysis::by_file)));
            let Ok(Some(found)) = found else { continue };
            let version = self.documents.get(&uri).map(|document| document.version);
            let before = self.published.insert(uri.clone(), found.keys().cloned().collect()).unwrap_or_default();
            for file in before.iter().filter(|file| !found.contains_key(*file)) {
                self.publish(file, Vec::new(), None);
            }
            for (file, diagnostics) in found {
                // A part that is open itself is told of there; a part alone is no model.
                if file == uri && is_part(&uri) {
                    self.publish(&file, Vec::new(), version);
                } else if file == uri || !self.documents.contains_key(&file) || is_part(&file) {
                    self.publish(&file, diagnostics, version.filter(|_| file == uri));
                }
            }
        }
    }

    fn publish(&self, uri: &str, diagnostics: Vec<types::Diagnostic>, version: Option<i32>) {
        let Ok(uri) = types::Uri::from_str(uri) else { return };
        let params = types::PublishDiagnosticsParams { uri, diagnostics, version };
        self.send(Message::Notification(Notification::new("textDocument/publishDiagnostics".to_owned(), params)));
    }

    fn execute(&mut self, id: lsp_server::RequestId, params: &Value) -> Result<(), Refusal> {
        let replay = match params["command"].as_str() {
            Some(answers::VERIFY) => false,
            Some(answers::REPLAY) => true,
            Some(other) => return Err((ErrorCode::InvalidParams, format!("there is no command `{other}`"))),
            None => return Err((ErrorCode::InvalidParams, "the request names no command".to_owned())),
        };
        let uri = params["arguments"][0].as_str().unwrap_or_default().to_owned();
        let property = params["arguments"][1].as_str().map(str::to_owned);
        let failed = |reason: &str| (ErrorCode::RequestFailed, reason.to_owned());
        let known = self.analysis(&uri).map(Analysis::by_file).and_then(|mut found| found.remove(&uri));
        let version = self.documents.get(&uri).map(|document| document.version);
        let on_disk = position::path_of(&uri).and_then(|path| std::fs::read_to_string(path).ok());
        if self.documents.get(&uri).is_some_and(|document| on_disk.as_ref() != Some(&document.text)) {
            return Err(failed("the file on the disk is another one: save the document first"));
        }
        let job = verify::Job {
            id,
            uri,
            property,
            replay,
            options: self.settings.arguments(),
            known: known.unwrap_or_default(),
            version,
            versions: self.versions.clone(),
        };
        let sender = self.connection.sender.clone();
        let send = move |message| _ = sender.send(message);
        verify::start(job, &self.running, send).map_err(|reason| failed(&reason))
    }
}

/// Asks everything about a text, at a place that hangs on `seed`.
#[cfg(test)]
pub(crate) fn try_everything(text: &str, seed: u32) {
    let analysis = Analysis::of("untitled:m.pml", text, &Settings::default());
    let lines = Lines::of(text);
    let offset = lines.offset(lines.position(seed.wrapping_mul(0x9e37_79b1) % (text.len() as u32 + 1)));
    let _ = (analysis.by_file(), answers::hover(&analysis, offset), answers::definition(&analysis, offset));
    let _ = (answers::references(&analysis, offset, true), answers::symbols(&analysis), answers::lenses(&analysis));
    let _ = (answers::formatting(&analysis), rename::rename(&analysis, offset, "renamed_name"));
}

/// A file that other files include, and that is no model by itself.
fn is_part(uri: &str) -> bool {
    [".h", ".inc"].iter().any(|end| uri.ends_with(end))
}

/// What the server can do. A client that runs the commands behind the lenses itself says so when it starts, and they are not
/// offered to it.
fn capabilities(params: &Value) -> Value {
    let own = params["initializationOptions"]["clientCommands"].as_bool().unwrap_or(false);
    let commands = if own { json!([]) } else { json!([answers::VERIFY, answers::REPLAY]) };
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "hoverProvider": true,
            "definitionProvider": true,
            "referencesProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentSymbolProvider": true,
            "documentFormattingProvider": true,
            "codeLensProvider": { "resolveProvider": false },
            "executeCommandProvider": { "commands": commands },
        },
        "serverInfo": { "name": "pv", "version": env!("CARGO_PKG_VERSION") },
    })
}
