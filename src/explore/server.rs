//! The server behind the page: HTTP on the loopback address, for one user.
//!
//! Other users of the machine can reach the port, and pages of other sites can make the browser ask. So every request has to
//! bring the token of this run (in the address of the page, then in a header), and has to name this server in `Host` (a foreign name that
//! leads to this address is refused). A connection is one request. Each has a thread that reads it, so that somebody who
//! connects and says nothing keeps nobody waiting; there are few of these threads and they give up soon. Questions
//! reach the session one by one, and only if they are allowed.

use super::page;
use super::session::Session;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Bytes of a request's head, and of its body.
const LARGEST_HEAD: usize = 16 << 10;
const LARGEST_BODY: usize = 64 << 10;
/// Connections at a time.
const MOST_CONNECTIONS: usize = 32;
/// How long a connection may take to say what it wants.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often the server looks whether it should end.
const TICK: Duration = Duration::from_millis(100);
/// A connection needs little.
const STACK: usize = 256 << 10;

/// A server that listens, and the token that opens it.
pub(crate) struct Server {
    listener: TcpListener,
    gate: Arc<Gate>,
}

/// Who may come in.
struct Gate {
    token: String,
    port: u16,
}

/// A question that was let in, and where its answer goes.
struct Question {
    what: What,
    reply: Sender<Result<String, String>>,
}

enum What {
    /// The page itself.
    Page,
    /// A question of the page.
    Ask(String, Value),
}

/// An answer: status, kind of content, content.
type Response = (u16, &'static str, String);

impl Server {
    /// Listens on this port of the loopback address; 0 is any free one.
    pub(crate) fn listen(port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(|error| io::Error::other(error.to_string()))?;
        let token = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let gate = Gate { token, port: listener.local_addr()?.port() };
        Ok(Server { listener, gate: Arc::new(gate) })
    }

    /// Where the page is, token included.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.gate.port, self.gate.token)
    }

    /// Answers until `stop` is set. `model` is the name of the model.
    pub(crate) fn serve(self, session: &mut Session<'_>, model: &str, stop: &AtomicBool) -> io::Result<()> {
        let (sender, questions) = channel();
        let Server { listener, gate } = self;
        std::thread::Builder::new().stack_size(STACK).spawn(move || accept(&listener, &gate, &sender))?;
        answer_all(session, model, stop, &questions);
        Ok(())
    }
}

fn answer_all(session: &mut Session<'_>, model: &str, stop: &AtomicBool, questions: &Receiver<Question>) {
    while !stop.load(Ordering::Relaxed) {
        let question = match questions.recv_timeout(TICK) {
            Ok(question) => question,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let answer = match question.what {
            What::Page => session.page(model).map(|data| page::render(&data, "'self'")),
            What::Ask(what, asked) => session.answer(&what, &asked).map(|answer| answer.to_string()),
        };
        // Who asked may be gone.
        let _ = question.reply.send(answer);
    }
}

fn accept(listener: &TcpListener, gate: &Arc<Gate>, questions: &Sender<Question>) {
    let open = Arc::new(AtomicUsize::new(0));
    for connection in listener.incoming() {
        let Ok(connection) = connection else {
            // No more files, say: another try at once would fail as well.
            std::thread::sleep(TICK);
            continue;
        };
        if open.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            open.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (gate, questions, mine) = (Arc::clone(gate), questions.clone(), Arc::clone(&open));
        let work = move || {
            let _ = converse(connection, &gate, &questions);
            mine.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().stack_size(STACK).spawn(work).is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// One request and its answer.
fn converse(mut connection: TcpStream, gate: &Gate, questions: &Sender<Question>) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let (status, kind, content) = respond(&mut connection, gate, questions);
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         X-Frame-Options: DENY\r\nCross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Content-Security-Policy: {}; frame-ancestors 'none'\r\n\r\n",
        reason(status),
        content.len(),
        page::policy("'self'")
    );
    connection.write_all(head.as_bytes())?;
    connection.write_all(content.as_bytes())?;
    connection.flush()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        409 => "Conflict",
        413 => "Content Too Large",
        _ => "Error",
    }
}

fn refuse(status: u16, message: &str) -> Response {
    (status, "application/json", json!({"error": message}).to_string())
}

fn respond(connection: &mut TcpStream, gate: &Gate, questions: &Sender<Question>) -> Response {
    let (head, rest) = match read_head(connection) {
        Ok(parts) => parts,
        Err(response) => return response,
    };
    if !gate.is_host(&head.host) || head.origin.as_deref().is_some_and(|origin| !gate.is_origin(origin)) {
        return refuse(403, "this server answers to its own address only");
    }
    let (path, query) = head.target.split_once('?').unwrap_or((&head.target, ""));
    let in_address = query.split('&').find_map(|pair| pair.strip_prefix("token="));
    let token = if head.method == "GET" { in_address } else { head.token.as_deref() };
    if !token.is_some_and(|token| gate.is_token(token)) {
        return refuse(403, "the address has to bring the token that pv printed");
    }
    let what = match (head.method.as_str(), path.trim_start_matches('/')) {
        ("GET", "") => What::Page,
        ("GET", _) => return refuse(404, "there is only one page"),
        ("POST", what) => match read_body(connection, head.length, rest) {
            Ok(asked) => What::Ask(what.to_string(), asked),
            Err(response) => return response,
        },
        _ => return refuse(405, "GET and POST only"),
    };
    let is_page = matches!(what, What::Page);
    let (reply, answer) = channel();
    if questions.send(Question { what, reply }).is_err() {
        return refuse(409, "pv is about to end");
    }
    match answer.recv() {
        Ok(Ok(content)) if is_page => (200, "text/html", content),
        Ok(Ok(content)) => (200, "application/json", content),
        Ok(Err(message)) => refuse(409, &message),
        Err(_) => refuse(409, "pv is about to end"),
    }
}

/// What matters of the head of a request.
#[derive(Default)]
struct Head {
    method: String,
    target: String,
    host: String,
    origin: Option<String>,
    token: Option<String>,
    length: usize,
}

/// Reads up to the empty line; gives what was read behind it too.
fn read_head(connection: &mut TcpStream) -> Result<(Head, Vec<u8>), Response> {
    let mut bytes = Vec::new();
    let mut piece = [0; 2048];
    loop {
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        match request.parse(&bytes) {
            Ok(httparse::Status::Complete(end)) => return Ok((head_of(&request)?, bytes[end..].to_vec())),
            Ok(httparse::Status::Partial) => {}
            Err(_) => return Err(refuse(400, "this is no request")),
        }
        if bytes.len() > LARGEST_HEAD {
            return Err(refuse(413, "the request is too large"));
        }
        match connection.read(&mut piece) {
            Ok(read @ 1..) => bytes.extend_from_slice(&piece[..read]),
            _ => return Err(refuse(400, "the request does not end")),
        }
    }
}

fn head_of(request: &httparse::Request<'_, '_>) -> Result<Head, Response> {
    let mut head = Head {
        method: request.method.unwrap_or_default().into(),
        target: request.path.unwrap_or_default().into(),
        ..Head::default()
    };
    let mut hosts = 0;
    for header in request.headers.iter() {
        let value = String::from_utf8_lossy(header.value).trim().to_string();
        match header.name.to_ascii_lowercase().as_str() {
            "host" => {
                head.host = value;
                hosts += 1;
            }
            "origin" => head.origin = Some(value),
            "x-pv-token" => head.token = Some(value),
            "content-length" => head.length = value.parse().map_err(|_| refuse(400, "the length is no number"))?,
            "transfer-encoding" => return Err(refuse(400, "a body has a length here")),
            _ => {}
        }
    }
    if hosts != 1 {
        return Err(refuse(400, "a request names one host"));
    }
    Ok(head)
}

fn read_body(connection: &mut TcpStream, length: usize, mut bytes: Vec<u8>) -> Result<Value, Response> {
    if length > LARGEST_BODY {
        return Err(refuse(413, "the request is too large"));
    }
    bytes.truncate(length);
    let read = bytes.len();
    bytes.resize(length, 0);
    connection.read_exact(&mut bytes[read..]).map_err(|_| refuse(400, "the request does not end"))?;
    serde_json::from_slice(&bytes).map_err(|_| refuse(400, "the question is no JSON"))
}

impl Gate {
    fn is_host(&self, host: &str) -> bool {
        ["127.0.0.1", "localhost"].iter().any(|name| host.eq_ignore_ascii_case(&format!("{name}:{}", self.port)))
    }

    fn is_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_host(host))
    }

    /// Looks at every byte, so that the time tells nothing.
    fn is_token(&self, token: &str) -> bool {
        let (given, own) = (token.as_bytes(), self.token.as_bytes());
        given.len() == own.len() && given.iter().zip(own).fold(0, |all, (one, other)| all | (one ^ other)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_come_in() {
        let gate = Gate { token: "0123abcd".into(), port: 8080 };
        for host in ["127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080"] {
            assert!(gate.is_host(host) && gate.is_origin(&format!("http://{host}")), "{host}");
        }
        for host in ["", "127.0.0.1", "localhost:80", "evil.example:8080", "127.0.0.1:8080.evil.example", "null"] {
            assert!(
                !gate.is_host(host) && !gate.is_origin(&format!("http://{host}")) && !gate.is_origin(host),
                "{host}"
            );
        }
        assert!(gate.is_token("0123abcd"));
        for token in ["", "0123abc", "0123abce", "0123abcd0", "0123ABCD"] {
            assert!(!gate.is_token(token), "{token}");
        }
    }
}
