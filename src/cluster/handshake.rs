//! Are the two ends of a connection processes of the same run? Both prove that they know the token, without sending it, and compare
//! what has to be the same: version, model, options.
//!
//! First each sends a hello: a magic word, the number of the protocol, who it is, and a number that nobody has used before. Then each
//! sends the HMAC-SHA256 of both hellos under the token (RFC 2104), with its role in front so that an answer cannot be sent back as a
//! question. Then each sends its facts, named pairs of words, and compares. Every difference is seen at both ends.
//!
//! This keeps strangers out. It encrypts nothing, and it does not protect what follows from somebody who can change what is on
//! the wire.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The first bytes of a connection.
pub const MAGIC: [u8; 8] = *b"pv-many\n";
/// Counts the changes of what is sent.
pub const PROTOCOL: u32 = 1;
/// Bytes of a hello without the magic word.
const HELLO: usize = 4 + 4 + 4 + 1 + 2 + NONCE;
const NONCE: usize = 32;
/// The longest list of facts.
const LONGEST: usize = 1 << 16;
/// A handshake that takes longer does not come to its end, even if some bytes of it come now and then.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection that is read and written until a moment, and not longer.
struct Patient<'s> {
    stream: &'s mut TcpStream,
    until: Instant,
}

impl Patient<'_> {
    fn new(stream: &mut TcpStream) -> io::Result<Patient<'_>> {
        stream.set_nodelay(true)?;
        Ok(Patient { stream, until: Instant::now() + PATIENCE })
    }

    /// The time that is left.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Patient<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// What a process says of itself.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its number.
    pub process: u32,
    /// How many there are.
    pub count: u32,
    /// The port where it listens.
    pub port: u16,
    /// The secret that all share, if there is one.
    pub token: Option<Vec<u8>>,
    /// What has to be the same, by name.
    pub facts: Vec<(String, String)>,
}

/// Why there is no connection.
#[derive(Debug)]
pub enum Refusal {
    /// It is no process of pv, or it has broken off: nothing that concerns us.
    Stranger(String),
    /// It is one, and it does not go with this one.
    Mismatch(String),
}

/// The process at the other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Other {
    /// Its number.
    pub process: u32,
    /// The port where it listens.
    pub port: u16,
}

/// Greets whoever has accepted a connection of ours.
pub fn greet(stream: &mut TcpStream, us: &Identity) -> Result<Other, Refusal> {
    let stream = &mut Patient::new(stream)?;
    let mine = hello(us)?;
    stream.write_all(&mine)?;
    let theirs = receive_hello(stream)?;
    stream.write_all(&proof(us, b'c', &mine, &theirs))?;
    let answer = receive(stream)?;
    judge(stream, us, &theirs, verify(us, b'a', &mine, &theirs, &answer))
}

/// Answers whoever has connected to us.
pub fn answer(stream: &mut TcpStream, us: &Identity) -> Result<Other, Refusal> {
    let stream = &mut Patient::new(stream)?;
    let theirs = receive_hello(stream);
    if let Err(Refusal::Stranger(what)) = theirs {
        return Err(Refusal::Stranger(what));
    }
    // One of another version gets our hello too: then both know.
    let mine = hello(us)?;
    stream.write_all(&mine)?;
    let theirs = theirs?;
    let proven = receive(stream)?;
    // Sent before the other one's is looked at, so that both ends see a wrong token.
    stream.write_all(&proof(us, b'a', &theirs, &mine))?;
    judge(stream, us, &theirs, verify(us, b'c', &theirs, &mine, &proven))
}

fn hello(us: &Identity) -> Result<Vec<u8>, Refusal> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce)
        .map_err(|error| Refusal::Mismatch(format!("the system gives no random numbers: {error}")))?;
    let mut hello = MAGIC.to_vec();
    hello.extend(PROTOCOL.to_le_bytes());
    hello.extend(us.process.to_le_bytes());
    hello.extend(us.count.to_le_bytes());
    hello.push(u8::from(us.token.is_some()));
    hello.extend(us.port.to_le_bytes());
    hello.extend(nonce);
    Ok(hello)
}

/// The other one's hello, the magic word included.
fn receive_hello(stream: &mut Patient<'_>) -> Result<Vec<u8>, Refusal> {
    let mut magic = [0; MAGIC.len()];
    stream.read_exact(&mut magic)?;
    if magic != MAGIC {
        return Err(Refusal::Stranger("it is no process of pv".to_string()));
    }
    let mut hello = magic.to_vec();
    // Another protocol may have another hello; its number is at the same place.
    let protocol: [u8; 4] = receive(stream)?;
    hello.extend(protocol);
    if u32::from_le_bytes(protocol) != PROTOCOL {
        let theirs = u32::from_le_bytes(protocol);
        return Err(Refusal::Mismatch(format!(
            "another version of pv is at the other end: it speaks protocol {theirs}, this one {PROTOCOL}"
        )));
    }
    let rest: [u8; HELLO - 4] = receive(stream)?;
    hello.extend(rest);
    Ok(hello)
}

fn receive<const N: usize>(stream: &mut Patient<'_>) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// What somebody in this role proves, of the hellos of the one who connects and the one who accepts.
fn mac(us: &Identity, role: u8, connects: &[u8], accepts: &[u8]) -> Hmac<Sha256> {
    let key = us.token.as_deref().unwrap_or_default();
    // Keys of any length are allowed; without one the proof says nothing, and only loopback addresses are in use.
    let mut mac =
        <Hmac<Sha256> as Mac>::new_from_slice(key).unwrap_or_else(|_| <Hmac<Sha256> as Mac>::new(&Default::default()));
    mac.update(&[role]);
    mac.update(connects);
    mac.update(accepts);
    mac
}

fn proof(us: &Identity, role: u8, connects: &[u8], accepts: &[u8]) -> [u8; 32] {
    mac(us, role, connects, accepts).finalize().into_bytes().into()
}

fn verify(us: &Identity, role: u8, connects: &[u8], accepts: &[u8], proof: &[u8; 32]) -> bool {
    mac(us, role, connects, accepts).verify_slice(proof).is_ok()
}

/// Judges a hello whose proof was right or wrong, and exchanges the facts.
fn judge(stream: &mut Patient<'_>, us: &Identity, hello: &[u8], proven: bool) -> Result<Other, Refusal> {
    let field = |at: usize| u32::from_le_bytes([hello[at], hello[at + 1], hello[at + 2], hello[at + 3]]);
    let (process, count, has_token) = (field(12), field(16), hello[20] != 0);
    let port = u16::from_le_bytes([hello[21], hello[22]]);
    let mismatch = |what: String| Err(Refusal::Mismatch(what));
    match (us.token.is_some(), has_token) {
        (true, false) => return mismatch(format!("process {process} was started without a token, this one has one")),
        (false, true) => {
            return mismatch(format!("process {process} has a token, and this one was started without one"));
        }
        _ if !proven => return mismatch(format!("process {process} has another token than this one (--token-file)")),
        _ => {}
    }
    let theirs = exchange_facts(stream, us)?;
    if count != us.count {
        return mismatch(format!(
            "process {process} counts {count} processes, this one {}: --hosts and --workers have to be the same everywhere",
            us.count
        ));
    }
    if process == us.process || process >= count {
        return mismatch(format!("two processes say that they are number {process} (--process)"));
    }
    match difference(&us.facts, &theirs) {
        Some(what) => mismatch(format!("process {process} does not go with this one: {what}")),
        None => Ok(Other { process, port }),
    }
}

fn exchange_facts(stream: &mut Patient<'_>, us: &Identity) -> Result<Vec<(String, String)>, Refusal> {
    let text = serde_json::to_vec(&us.facts).map_err(io::Error::other)?;
    if text.len() > LONGEST {
        return Err(Refusal::Mismatch("the options are too long to be compared".to_string()));
    }
    stream.write_all(&(text.len() as u32).to_le_bytes())?;
    stream.write_all(&text)?;
    let length = u32::from_le_bytes(receive(stream)?) as usize;
    if length > LONGEST {
        return Err(Refusal::Stranger(format!("it sends {length} bytes of facts")));
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    serde_json::from_slice(&text).map_err(|error| Refusal::Stranger(format!("its facts cannot be read: {error}")))
}

/// The first fact that is not the same.
fn difference(ours: &[(String, String)], theirs: &[(String, String)]) -> Option<String> {
    for (name, here) in ours {
        let there = theirs.iter().find(|(other, _)| other == name).map_or("nothing", |(_, value)| value);
        if there != here {
            return Some(format!("{name}: {here} here, {there} there"));
        }
    }
    let unknown = theirs.iter().find(|(name, _)| !ours.iter().any(|(other, _)| other == name));
    unknown.map(|(name, value)| format!("{name}: nothing here, {value} there"))
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Refusal {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Refusal::Stranger("it does not answer".to_string()),
            io::ErrorKind::UnexpectedEof => Refusal::Stranger("it has broken off".to_string()),
            _ => Refusal::Stranger(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn identity(process: u32) -> Identity {
        let facts = vec![("version of pv".to_string(), "1".to_string()), ("model".to_string(), "m".to_string())];
        Identity { process, count: 2, port: 0, token: None, facts }
    }

    /// What both ends say: the one who accepts, and the one who connects.
    fn meet(accepts: Identity, connects: Identity) -> (Result<Other, Refusal>, Result<Other, Refusal>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::scope(|scope| {
            let other = scope.spawn(move || greet(&mut TcpStream::connect(address).unwrap(), &connects));
            let (mut stream, _) = listener.accept().unwrap();
            let said = answer(&mut stream, &accepts);
            (said, other.join().unwrap())
        })
    }

    fn both_refuse(accepts: Identity, connects: Identity, expected: &str) {
        let (one, other) = meet(accepts, connects);
        for said in [one, other] {
            match said {
                Err(Refusal::Mismatch(what)) => assert!(what.contains(expected), "{what}"),
                said => panic!("{said:?}"),
            }
        }
    }

    fn with_token(process: u32, token: &[u8]) -> Identity {
        Identity { token: Some(token.to_vec()), ..identity(process) }
    }

    #[test]
    fn processes_of_one_run_know_each_other() {
        let (one, other) = meet(identity(0), Identity { port: 77, ..identity(1) });
        assert_eq!((one.unwrap(), other.unwrap()), (Other { process: 1, port: 77 }, Other { process: 0, port: 0 }));
        let (one, other) = meet(with_token(0, b"the same"), with_token(1, b"the same"));
        assert!(one.is_ok() && other.is_ok());
    }

    #[test]
    fn what_differs_is_named_at_both_ends() {
        both_refuse(with_token(0, b"one"), with_token(1, b"other"), "another token");
        both_refuse(with_token(0, b"one"), identity(1), "token");
        both_refuse(identity(0), identity(0), "number 0");
        both_refuse(identity(0), Identity { count: 3, ..identity(1) }, "processes");
        let facts = vec![("version of pv".to_string(), "2".to_string()), ("model".to_string(), "m".to_string())];
        both_refuse(identity(0), Identity { facts, ..identity(1) }, "version of pv");
        let facts = vec![("version of pv".to_string(), "1".to_string())];
        both_refuse(identity(0), Identity { facts, ..identity(1) }, "model");
    }

    #[test]
    fn an_answer_cannot_be_sent_back() {
        let us = with_token(0, b"secret");
        let (one, other) = (vec![1; 59], vec![2; 59]);
        let sent = proof(&us, b'c', &one, &other);
        assert!(verify(&us, b'c', &one, &other, &sent));
        assert!(!verify(&us, b'a', &one, &other, &sent) && !verify(&us, b'c', &other, &one, &sent));
    }

    #[test]
    fn strangers_are_told_apart() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stranger = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        assert!(matches!(answer(&mut stream, &identity(0)), Err(Refusal::Stranger(_))));
    }
}
