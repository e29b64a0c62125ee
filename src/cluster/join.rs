//! How the processes of a run come together: each connects to those with a smaller number, and listens for the others.
//!
//! All connect to process 0 first and tell it where they listen; process 0 sends the list to all; then the others connect among
//! themselves, and tell process 0. When all are connected, process 0 says so, and the run begins; if it comes to nothing, process 0 says
//! why. Connections that lead to no process of pv are dropped with a warning. A process of pv that does not go with this one
//! ends both.

use super::handshake::{self, Identity, Other, Refusal};
use super::mesh::Mesh;
use super::wire::{self, Frame};
use super::{Trouble, hosts};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// How often somebody who waits looks around.
const LOOK: Duration = Duration::from_millis(20);
/// How often a connection that was refused is tried again.
const AGAIN: Duration = Duration::from_millis(100);
/// One attempt to connect takes no longer.
const ATTEMPT: Duration = Duration::from_secs(2);
/// How often somebody who waits says so.
const WORD: Duration = Duration::from_secs(5);
/// Connections whose handshake goes on at one time; further ones wait.
const MOST_GREETED: usize = 64;

/// What a process needs to know to join.
pub struct Join<'a> {
    /// Where the processes are.
    pub hosts: Vec<String>,
    /// What this one says of itself.
    pub us: Identity,
    /// Where this one listens, if that was decided before.
    pub listener: Option<TcpListener>,
    /// How long to wait for the others.
    pub timeout: Duration,
    /// Set by a signal.
    pub interrupt: &'a AtomicBool,
    /// Says why waiting makes no sense any more.
    pub hopeless: &'a dyn Fn() -> Option<Trouble>,
    /// Tells how it goes.
    pub tell: &'a dyn Fn(&str),
    /// Warns.
    pub warn: &'a dyn Fn(&str),
}

/// A connection that was accepted, and what came of its handshake.
type Greeted = (TcpStream, SocketAddr, Result<Other, Refusal>);

struct Joining<'a> {
    join: Join<'a>,
    us: Arc<Identity>,
    listener: Option<TcpListener>,
    streams: Vec<Option<TcpStream>>,
    /// Where each listens, as far as it is known.
    addresses: Vec<SocketAddr>,
    greeted: (Sender<Greeted>, Receiver<Greeted>),
    /// Handshakes that go on.
    waiting: usize,
    /// What others have said and nobody has asked for yet.
    said: Vec<(usize, Frame)>,
    /// Process 0 decides how long to wait.
    governed: bool,
    deadline: Instant,
    start: Instant,
    told: Instant,
}

/// What is said while the processes come together.
mod kind {
    /// Where everybody listens; from process 0.
    pub(super) const ADDRESSES: u8 = 1;
    /// "I am connected with all"; to process 0.
    pub(super) const READY: u8 = 2;
    /// "All are connected"; from process 0.
    pub(super) const GO: u8 = 3;
    /// It comes to nothing, because somebody is gone, or something is wrong; from process 0.
    pub(super) const GONE: u8 = 4;
    pub(super) const WRONG: u8 = 5;
}

/// Connects this process with all others of its run.
pub fn join(join: Join<'_>) -> Result<Mesh, Trouble> {
    let mut joining = Joining::new(join)?;
    match joining.us.process {
        0 => joining.gather().inspect_err(|trouble| joining.refuse(trouble))?,
        process => joining.follow(process)?,
    }
    let Joining { us, streams, addresses, .. } = joining;
    let names = addresses.iter().map(SocketAddr::to_string).collect();
    Mesh::start(us.process as usize, streams, names)
        .map_err(|error| Trouble::Gone(format!("the connections cannot be used: {error}")))
}

impl<'a> Joining<'a> {
    fn new(mut join: Join<'a>) -> Result<Joining<'a>, Trouble> {
        let resolved: Result<Vec<SocketAddr>, String> = join.hosts.iter().map(|host| hosts::resolve(host)).collect();
        let mut addresses = resolved.map_err(Trouble::Wrong)?;
        if join.us.token.is_none()
            && let Some(host) = addresses.iter().position(|address| !address.ip().is_loopback())
        {
            return Err(Trouble::Wrong(format!(
                "{} is no address of this machine alone: over a network every process needs --token-file, the same for all",
                join.hosts[host]
            )));
        }
        let me = join.us.process as usize;
        let listener = match join.listener.take() {
            Some(listener) => listener,
            None => TcpListener::bind(addresses[me]).map_err(|error| {
                Trouble::Wrong(format!("process {me} cannot listen on {}: {error}", join.hosts[me]))
            })?,
        };
        let local = listener.local_addr().and_then(|local| listener.set_nonblocking(true).map(|()| local));
        addresses[me] = local.map_err(|error| Trouble::Wrong(format!("process {me} cannot listen: {error}")))?;
        if me > 0 && addresses[0].port() == 0 {
            return Err(Trouble::Wrong(
                "the port of process 0 has to be known to the others: it cannot be 0".to_string(),
            ));
        }
        let us = Arc::new(Identity { port: addresses[me].port(), ..join.us.clone() });
        let now = Instant::now();
        let deadline = now.checked_add(join.timeout).unwrap_or(now + Duration::from_secs(86_400));
        let streams = addresses.iter().map(|_| None).collect();
        let listener = Some(listener);
        Ok(Joining {
            join,
            us,
            listener,
            streams,
            addresses,
            greeted: channel(),
            waiting: 0,
            said: Vec::new(),
            governed: false,
            deadline,
            start: now,
            told: now,
        })
    }

    /// Process 0: waits for all, tells them where the others are, and waits until they are connected among themselves.
    fn gather(&mut self) -> Result<(), Trouble> {
        self.accept(|process| process > 0)?;
        let list: Vec<(IpAddr, u16)> = self.addresses.iter().map(|address| (address.ip(), address.port())).collect();
        let list = serde_json::to_vec(&list).unwrap_or_default();
        self.say_to_all(kind::ADDRESSES, &list)?;
        self.extend();
        for process in 1..self.streams.len() {
            self.hear_of(process, kind::READY)?;
        }
        self.say_to_all(kind::GO, &[])
    }

    /// Every other process.
    fn follow(&mut self, me: u32) -> Result<(), Trouble> {
        self.connect(0)?;
        // From here on process 0 knows how long to wait.
        self.governed = true;
        let list = self.hear_of(0, kind::ADDRESSES)?;
        self.note_addresses(&list)?;
        for smaller in 1..me {
            self.connect(smaller)?;
        }
        self.accept(|other| other > me)?;
        self.say(0, kind::READY, &[])?;
        self.hear_of(0, kind::GO).map(drop)
    }

    /// Waits as long once more.
    fn extend(&mut self) {
        self.deadline = Instant::now().checked_add(self.join.timeout).unwrap_or(self.deadline);
    }

    /// Time to look at signals and at the clock, and to say for whom this process waits.
    fn look(&mut self, missing: impl FnOnce() -> Vec<usize>) -> Result<(), Trouble> {
        if self.join.interrupt.load(Ordering::Relaxed) {
            return Err(Trouble::Interrupted);
        }
        if let Some(why) = (self.join.hopeless)() {
            return Err(why);
        }
        let now = Instant::now();
        self.notice_the_dead()?;
        let over = now >= self.deadline && !self.governed;
        if !over && now.duration_since(self.told) < WORD {
            return Ok(());
        }
        let missing: Vec<String> =
            missing().into_iter().map(|process| format!("process {process} ({})", self.join.hosts[process])).collect();
        let missing = missing.join(", ");
        if over {
            let seconds = self.join.timeout.as_secs_f64();
            return Err(Trouble::Gone(format!("{missing} did not come within {seconds} s (--connect-timeout)")));
        }
        self.told = now;
        (self.join.tell)(&format!("waiting for {missing}, {} s so far", now.duration_since(self.start).as_secs()));
        Ok(())
    }

    /// Connects to a process that listens.
    fn connect(&mut self, to: u32) -> Result<(), Trouble> {
        let number = to as usize;
        loop {
            self.look(|| vec![number])?;
            let address = self.addresses[number];
            if let Ok(mut stream) = TcpStream::connect_timeout(&address, ATTEMPT) {
                match handshake::greet(&mut stream, &self.us) {
                    Ok(other) if other.process == to => {
                        self.streams[number] = Some(stream);
                        return Ok(());
                    }
                    Ok(other) => {
                        return Err(Trouble::Wrong(format!(
                            "process {} is at {address}, where process {to} should be",
                            other.process
                        )));
                    }
                    Err(Refusal::Mismatch(what)) => return Err(Trouble::Wrong(format!("{address}: {what}"))),
                    Err(Refusal::Stranger(what)) => {
                        (self.join.warn)(&format!("{address}: {what}; trying again"));
                    }
                }
            }
            std::thread::sleep(AGAIN);
        }
    }

    /// Accepts connections until every process is there whose number is wanted.
    fn accept(&mut self, wanted: impl Fn(u32) -> bool) -> Result<(), Trouble> {
        let is_wanted = |number: &usize| wanted(*number as u32);
        loop {
            let missing: Vec<usize> =
                (0..self.streams.len()).filter(is_wanted).filter(|&n| self.streams[n].is_none()).collect();
            if missing.is_empty() {
                return Ok(());
            }
            self.look(|| missing)?;
            self.take_connections();
            if let Ok(greeted) = self.greeted.1.recv_timeout(LOOK) {
                self.waiting -= 1;
                self.admit(greeted, &wanted)?;
            }
        }
    }

    /// Begins the handshake with whoever has connected, each on a thread of its own: one who says nothing keeps nobody waiting.
    fn take_connections(&mut self) {
        let Some(listener) = &self.listener else { return };
        while self.waiting < MOST_GREETED {
            let Ok((mut stream, from)) = listener.accept() else { return };
            let (us, done) = (Arc::clone(&self.us), self.greeted.0.clone());
            let greet = move || {
                let said = stream
                    .set_nonblocking(false)
                    .map_err(Refusal::from)
                    .and_then(|()| handshake::answer(&mut stream, &us));
                let _ = done.send((stream, from, said));
            };
            if std::thread::Builder::new().stack_size(256 << 10).spawn(greet).is_ok() {
                self.waiting += 1;
            }
        }
    }

    fn admit(&mut self, (stream, from, said): Greeted, wanted: &impl Fn(u32) -> bool) -> Result<(), Trouble> {
        let other = match said {
            Ok(other) => other,
            Err(Refusal::Stranger(what)) => {
                (self.join.warn)(&format!("a connection from {from} was dropped: {what}"));
                return Ok(());
            }
            Err(Refusal::Mismatch(what)) => return Err(Trouble::Wrong(format!("{from}: {what}"))),
        };
        let number = other.process as usize;
        if !wanted(other.process) || self.streams[number].is_some() {
            return Err(Trouble::Wrong(format!("two processes say that they are number {number} (--process)")));
        }
        let listens = self.addresses[number];
        if listens.port() == 0 {
            self.addresses[number] = SocketAddr::new(listens.ip(), other.port);
        }
        self.streams[number] = Some(stream);
        Ok(())
    }

    /// One that has joined may be gone before all have. Process 0 looks at all, the others at process 0.
    fn notice_the_dead(&mut self) -> Result<(), Trouble> {
        let looked_at = if self.us.process == 0 { self.streams.len() } else { 1 };
        for number in 0..looked_at {
            if let Some(frame) = self.peek(number)? {
                self.said.push((number, frame));
            }
        }
        Ok(())
    }

    /// What a process says while all come together, if it has said something.
    fn peek(&mut self, number: usize) -> Result<Option<Frame>, Trouble> {
        let gone = |what: &str| Trouble::Gone(format!("process {number} is gone before the search has begun{what}"));
        let Some(Some(stream)) = self.streams.get_mut(number) else { return Ok(None) };
        let _ = stream.set_nonblocking(true);
        let there = stream.peek(&mut [0]);
        let _ = stream.set_nonblocking(false);
        match there {
            Ok(0) => return Err(gone("")),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) => return Err(gone(&format!(": {error}"))),
        }
        let _ = stream.set_read_timeout(Some(WORD));
        let frame = wire::read(stream).ok().flatten().ok_or_else(|| gone(""))?.0;
        let text = || String::from_utf8_lossy(&frame.payload).into_owned();
        match frame.kind {
            kind::GONE => Err(Trouble::Gone(text())),
            kind::WRONG => Err(Trouble::Wrong(text())),
            _ => Ok(Some(frame)),
        }
    }

    /// Waits until a process says this.
    fn hear_of(&mut self, number: usize, kind: u8) -> Result<Vec<u8>, Trouble> {
        loop {
            let found = self.said.iter().position(|(from, frame)| *from == number && frame.kind == kind);
            if let Some(found) = found {
                return Ok(self.said.swap_remove(found).1.payload);
            }
            self.take_connections();
            self.look(|| vec![number])?;
            std::thread::sleep(LOOK / 10);
        }
    }

    fn say(&mut self, number: usize, kind: u8, text: &[u8]) -> Result<(), Trouble> {
        let Some(Some(stream)) = self.streams.get_mut(number) else { return Ok(()) };
        let frame = Frame { kind, payload: text.to_vec(), ..Frame::default() };
        let sent = wire::write(&frame, stream, &mut Vec::new());
        sent.map(drop)
            .map_err(|error| Trouble::Gone(format!("process {number} is gone before the search has begun: {error}")))
    }

    fn say_to_all(&mut self, kind: u8, text: &[u8]) -> Result<(), Trouble> {
        (0..self.streams.len()).try_for_each(|number| self.say(number, kind, text))
    }

    /// Tells those that are there why it comes to nothing.
    fn refuse(&mut self, trouble: &Trouble) {
        let (kind, why) = match trouble {
            Trouble::Gone(what) => (kind::GONE, what.as_str()),
            Trouble::Wrong(what) => (kind::WRONG, what.as_str()),
            Trouble::Interrupted => (kind::GONE, "process 0 was interrupted while it was waiting for the others"),
        };
        for number in 0..self.streams.len() {
            // Who is gone too need not know.
            let _ = self.say(number, kind, why.as_bytes());
        }
    }

    fn note_addresses(&mut self, list: &[u8]) -> Result<(), Trouble> {
        let list: Vec<(IpAddr, u16)> = serde_json::from_slice(list).unwrap_or_default();
        if list.len() != self.addresses.len() {
            return Err(Trouble::Wrong(
                "process 0 has sent no list of addresses, or another one than expected".to_string(),
            ));
        }
        let me = self.us.process as usize;
        for (number, (address, &(ip, port))) in self.addresses.iter_mut().zip(&list).enumerate() {
            // Where a port is in our file, our file is right: a tunnel may lead there.
            if number != me && address.port() == 0 {
                *address = SocketAddr::new(ip, port);
            }
        }
        Ok(())
    }
}
