//! The server behind the page: HTTP on the loopback address, for one user.
//!
//! Other users of the machine can reach the port, and pages of other sites can make the browser ask. So every request has to
//! bring the token of this run (in the address of the page, then in a header), and has to name this server in `Host` (a foreign name that
//! leads to this address is refused). A connection is one request. Each has a thread that reads it, so that somebody who
//! connects and says nothing keeps nobody waiting. There are few of these threads and they give up soon: a request has to be complete
//! a few seconds after the connection, however its bytes come. When all places are taken, the oldest connection that has not shown
//! the token makes room for a new one, so that only the owner can use up the places. Questions reach the session one by one, and only
//! if they are allowed.

use super::page;
use super::session::Session;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of a request's head, and of its body.
const LARGEST_HEAD: usize = 16 << 10;
const LARGEST_BODY: usize = 64 << 10;
/// Bytes behind a refused request that are read and thrown away.
const MOST_THROWN_AWAY: u64 = 1 << 20;
/// Connections at a time.
const MOST_CONNECTIONS: usize = 32;
/// How long a connection may take to say what it wants, all in all.
const PATIENCE: Duration = Duration::from_secs(5);
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
    /// How long a connection may take to say what it wants, all in all.
    patience: Duration,
    /// The user does not want to wait for the answer any longer.
    enough: Arc<AtomicBool>,
}

/// The connections that are open, oldest first.
#[derive(Default)]
struct Places {
    taken: Mutex<Vec<Taken>>,
}

struct Taken {
    connection: Arc<TcpStream>,
    /// It has shown the token.
    trusted: bool,
}

/// The place of one connection, free again when this is dropped.
struct Place {
    places: Arc<Places>,
    connection: Arc<TcpStream>,
}

/// Reads from a connection up to a point in time, however few bytes come at once.
struct Until<'a> {
    connection: &'a TcpStream,
    end: Instant,
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
        let gate = Gate { token, port: listener.local_addr()?.port(), patience: PATIENCE, enough: Arc::default() };
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
        let enough = Arc::clone(&gate.enough);
        session.heed(Arc::clone(&enough));
        std::thread::Builder::new().stack_size(STACK).spawn(move || accept(&listener, &gate, &sender))?;
        answer_all(session, model, (stop, &enough), &questions);
        Ok(())
    }
}

fn answer_all(
    session: &mut Session<'_>,
    model: &str,
    (stop, enough): (&AtomicBool, &AtomicBool),
    questions: &Receiver<Question>,
) {
    while !stop.load(Ordering::Relaxed) {
        let question = match questions.recv_timeout(TICK) {
            Ok(question) => question,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        // What was said about an earlier question is over.
        enough.store(false, Ordering::Relaxed);
        let answer = match question.what {
            What::Page => session.page(model).map(|data| page::render(&data, "'self'")),
            What::Ask(what, asked) => session.answer(&what, &asked).map(|answer| answer.to_string()),
        };
        // Who asked may be gone.
        let _ = question.reply.send(answer);
    }
}

impl Places {
    fn lock(&self) -> MutexGuard<'_, Vec<Taken>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for a new connection. If there is none, the oldest connection without the token has to go; `None` if all have shown it.
    fn take(self: &Arc<Self>, connection: TcpStream) -> Option<Place> {
        let connection = Arc::new(connection);
        let mut taken = self.lock();
        if taken.len() >= MOST_CONNECTIONS {
            let oldest = taken.iter().position(|other| !other.trusted)?;
            // Its thread reads the end, and ends.
            let _ = taken.remove(oldest).connection.shutdown(Shutdown::Both);
        }
        taken.push(Taken { connection: Arc::clone(&connection), trusted: false });
        Some(Place { places: Arc::clone(self), connection })
    }
}

impl Place {
    /// The connection has shown the token: it stays. False if it had to go before.
    fn trust(&self) -> bool {
        let mut taken = self.places.lock();
        let own = taken.iter_mut().find(|other| Arc::ptr_eq(&other.connection, &self.connection));
        own.map(|own| own.trusted = true).is_some()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().retain(|other| !Arc::ptr_eq(&other.connection, &self.connection));
    }
}

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.connection.set_read_timeout(Some(left))?;
        self.connection.read(buffer)
    }
}

fn accept(listener: &TcpListener, gate: &Arc<Gate>, questions: &Sender<Question>) {
    let places = Arc::new(Places::default());
    for connection in listener.incoming() {
        let Ok(connection) = connection else {
            // No more files, say: another try at once would fail as well.
            std::thread::sleep(TICK);
            continue;
        };
        let end = Instant::now() + gate.patience;
        let Some(place) = places.take(connection) else { continue };
        let (gate, questions) = (Arc::clone(gate), questions.clone());
        // Without a thread the place is free again.
        let _ = std::thread::Builder::new().stack_size(STACK).spawn(move || converse(&place, end, &gate, &questions));
    }
}

/// One request, which has to be there in time, and its answer.
fn converse(place: &Place, end: Instant, gate: &Gate, questions: &Sender<Question>) -> io::Result<()> {
    let mut connection = &*place.connection;
    connection.set_write_timeout(Some(gate.patience))?;
    let (status, kind, content) = respond(place, end, gate, questions);
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
    connection.flush()?;
    if status == 200 { Ok(()) } else { throw_rest_away(connection, gate.patience) }
}

/// Ends a connection whose request was not read to its end. To close it with bytes unread would reset it, and the other side could
/// lose the answer.
fn throw_rest_away(connection: &TcpStream, patience: Duration) -> io::Result<()> {
    connection.shutdown(Shutdown::Write)?;
    let rest = Until { connection, end: Instant::now() + patience };
    io::copy(&mut rest.take(MOST_THROWN_AWAY), &mut io::sink()).map(|_| ())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        _ => "Error",
    }
}

fn refuse(status: u16, message: &str) -> Response {
    (status, "application/json", json!({"error": message}).to_string())
}

/// The rest of the request did not come.
fn cut_off(error: &io::Error) -> Response {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => refuse(408, "the request takes too long"),
        _ => refuse(400, "the request does not end"),
    }
}

fn respond(place: &Place, end: Instant, gate: &Gate, questions: &Sender<Question>) -> Response {
    let mut connection = Until { connection: &place.connection, end };
    let (head, rest) = match read_head(&mut connection) {
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
    if !place.trust() {
        return refuse(409, "there are too many connections");
    }
    let what = match (head.method.as_str(), path.trim_start_matches('/')) {
        ("GET", "") => What::Page,
        ("GET", _) => return refuse(404, "there is only one page"),
        ("POST", "stop") => {
            gate.enough.store(true, Ordering::Relaxed);
            return (200, "application/json", "{}".into());
        }
        ("POST", what) => match read_body(&mut connection, head.length, rest) {
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
fn read_head(connection: &mut Until<'_>) -> Result<(Head, Vec<u8>), Response> {
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
            Ok(_) => return Err(refuse(400, "the request does not end")),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(cut_off(&error)),
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

fn read_body(connection: &mut Until<'_>, length: usize, mut bytes: Vec<u8>) -> Result<Value, Response> {
    if length > LARGEST_BODY {
        return Err(refuse(413, "the request is too large"));
    }
    bytes.truncate(length);
    let read = bytes.len();
    bytes.resize(length, 0);
    connection.read_exact(&mut bytes[read..]).map_err(|error| cut_off(&error))?;
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
    use std::net::SocketAddr;

    /// A server for one test: where it is, and the questions that it lets in.
    fn serve(patience: Duration) -> (SocketAddr, Receiver<Question>) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let address = listener.local_addr().expect("an address");
        let gate = Arc::new(Gate { token: "0123abcd".into(), port: address.port(), patience, enough: Arc::default() });
        let (sender, questions) = channel();
        std::thread::spawn(move || accept(&listener, &gate, &sender));
        (address, questions)
    }

    /// Asks for the page as its owner does.
    fn ask(address: SocketAddr) -> TcpStream {
        let mut owner = TcpStream::connect(address).expect("a connection");
        let _ = owner.write_all(format!("GET /?token=0123abcd HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes());
        owner
    }

    /// All that comes, up to an error.
    fn read(mut connection: TcpStream) -> String {
        let mut bytes = Vec::new();
        let _ = connection.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn connect(address: SocketAddr, number: usize) -> Vec<TcpStream> {
        (0..number).map(|_| TcpStream::connect(address).expect("a connection")).collect()
    }

    #[test]
    fn the_silent_keep_nobody_out() {
        let (address, questions) = serve(PATIENCE);
        let silent = connect(address, MOST_CONNECTIONS + 8);
        let answers = move || questions.iter().for_each(|question| drop(question.reply.send(Ok("the page".into()))));
        std::thread::spawn(answers);
        let answer = read(ask(address));
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("the page"), "{answer:?}");
        drop(silent);
    }

    #[test]
    fn who_has_shown_the_token_stays() {
        let (address, questions) = serve(PATIENCE);
        let owner = ask(address);
        let question = questions.recv().expect("a question");
        let mut silent = connect(address, MOST_CONNECTIONS + 8);
        // The last one that has to go is gone: all are accepted.
        assert_eq!(read(silent.remove(8)), "");
        question.reply.send(Ok("the page".into())).expect("somebody who waits");
        assert!(read(owner).starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn a_head_that_drips_comes_to_its_end() {
        let (address, _questions) = serve(Duration::from_millis(30));
        let connection = TcpStream::connect(address).expect("a connection");
        let mut drips = connection.try_clone().expect("the same connection");
        // With a deadline for each byte, the head would end when it is too large.
        std::thread::spawn(move || {
            let _ = drips.write_all(b"GET /");
            while drips.write_all(&[b'a'; 64]).is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let answer = read(connection);
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer:?}");
    }

    #[test]
    fn who_says_too_much_is_told() {
        let (address, _questions) = serve(PATIENCE);
        let mut connection = TcpStream::connect(address).expect("a connection");
        connection.write_all(b"GET /").expect("somebody who reads");
        connection.write_all(&vec![b'a'; 20 * LARGEST_HEAD]).expect("somebody who reads");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("an answer, and an end that is no reset");
        assert!(answer.starts_with("HTTP/1.1 413"), "{answer:?}");
    }

    #[test]
    fn who_may_come_in() {
        let gate = Gate { token: "0123abcd".into(), port: 8080, patience: PATIENCE, enough: Arc::default() };
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
