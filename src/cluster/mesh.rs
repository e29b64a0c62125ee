//! Every process connected with every other: frames go out and come in, and nobody waits for a socket.
//!
//! For each of the others there are two threads. One compresses frames and sends them, in order; the other receives and unpacks them and
//! puts them into the one queue that [`Mesh::receive`] reads. So a search never blocks on a slow connection, and hears at once that a
//! process is gone. How much may be on its way is the search's own affair; nothing here is bounded but the length of a frame.
//!
//! A process that has nothing to send says once a second that it is alive, from the thread that searches. One that is silent for
//! longer is stopped or far behind: that is told, and is no error. A machine that vanishes without a word is found out by the system,
//! which probes idle connections. Bytes that stay unanswered are left to the system's own patience (a quarter of an hour on Linux): a
//! bound of our own would take a stopped process for a vanished one.

use super::wire::{self, Frame};
use socket2::{SockRef, TcpKeepalive};
use std::io::{BufReader, BufWriter, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// "I am here."
const ALIVE: u8 = 250;
/// "I have nothing more to say", with an exit code.
const BYE: u8 = 251;

/// After so long without a word a process says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// After so long without a word of it a process is called silent.
const SILENCE: Duration = Duration::from_secs(5);
/// After so long without an answer of its system a machine is gone.
const VANISHED: Duration = Duration::from_secs(30);
/// The threads of a connection do nothing that needs more.
const STACK: usize = 256 << 10;
/// Bytes that are sent and received at once.
const BUFFER: usize = 64 << 10;

/// What has come.
#[derive(Debug)]
pub enum Arrival {
    /// A frame from this process.
    Frame(usize, Frame),
    /// This process has said goodbye, with the exit code that it thinks right, and why if something went wrong.
    Bye(usize, u8, String),
    /// This process is gone; why, if more is known than that.
    Gone(usize, String),
}

/// Bytes that this process has sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Traffic {
    /// Before compression.
    pub raw: u64,
    /// On the wire.
    pub sent: u64,
}

#[derive(Debug, Default)]
struct Counted {
    raw: AtomicU64,
    sent: AtomicU64,
}

#[derive(Debug)]
struct Peer {
    out: Sender<Frame>,
    writer: Option<JoinHandle<()>>,
    stream: TcpStream,
    /// When it was sent something,
    sent: Instant,
    /// and when it was heard of.
    heard: Instant,
    /// It was told that this one is silent.
    silent: bool,
    left: bool,
}

/// The connections of one process.
#[derive(Debug)]
pub struct Mesh {
    me: usize,
    peers: Vec<Option<Peer>>,
    names: Vec<String>,
    inbox: Receiver<(usize, Result<Option<Frame>, String>)>,
    counted: Arc<Counted>,
    looked: Instant,
    /// One that was called silent has been heard since.
    is_back: bool,
    /// The exit code of process 0, once it has said goodbye.
    pub last_word: Option<u8>,
    /// How many searches were begun.
    pub searches: u32,
    /// Frames of a search that this process has not begun yet.
    pub early: Vec<(usize, Frame)>,
}

impl Mesh {
    /// Starts the threads of these connections; the one at `me` is none.
    pub fn start(me: usize, streams: Vec<Option<TcpStream>>, names: Vec<String>) -> std::io::Result<Mesh> {
        let (put, inbox) = channel();
        let counted = Arc::new(Counted::default());
        let now = Instant::now();
        let mut peers = Vec::new();
        for (number, stream) in streams.into_iter().enumerate() {
            let Some(stream) = stream else {
                peers.push(None);
                continue;
            };
            prepare(&stream)?;
            let (reads, writes) = (stream.try_clone()?, stream.try_clone()?);
            let (out, frames) = channel();
            let (put, counts) = (put.clone(), Arc::clone(&counted));
            std::thread::Builder::new().stack_size(STACK).spawn(move || receive_all(number, reads, &put))?;
            let writer =
                std::thread::Builder::new().stack_size(STACK).spawn(move || send_all(writes, &frames, &counts))?;
            peers.push(Some(Peer {
                out,
                writer: Some(writer),
                stream,
                sent: now,
                heard: now,
                silent: false,
                left: false,
            }));
        }
        Ok(Mesh {
            me,
            peers,
            names,
            inbox,
            counted,
            looked: now,
            is_back: false,
            last_word: None,
            searches: 0,
            early: Vec::new(),
        })
    }

    /// The number of this process.
    pub fn me(&self) -> usize {
        self.me
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.peers.len()
    }

    /// A process as it is named to users.
    pub fn name(&self, number: usize) -> String {
        format!("process {number} ({})", self.names.get(number).map_or("", String::as_str))
    }

    /// What was sent so far.
    pub fn traffic(&self) -> Traffic {
        Traffic { raw: self.counted.raw.load(Ordering::Relaxed), sent: self.counted.sent.load(Ordering::Relaxed) }
    }

    /// Sends a frame. To one that is gone it goes nowhere: [`Mesh::receive`] tells.
    pub fn send(&mut self, to: usize, frame: Frame) {
        if let Some(Some(peer)) = self.peers.get_mut(to) {
            peer.sent = Instant::now();
            let _ = peer.out.send(frame);
        }
    }

    /// Sends a frame to all others.
    pub fn broadcast(&mut self, frame: &Frame) {
        for to in 0..self.count() {
            self.send(to, frame.clone());
        }
    }

    /// What has come, without waiting.
    pub fn poll(&mut self) -> Option<Arrival> {
        loop {
            match self.inbox.try_recv() {
                Ok(message) => {
                    if let Some(arrival) = self.arrived(message) {
                        return Some(arrival);
                    }
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return None,
            }
        }
    }

    /// What has come; waits for it, but no longer than that.
    pub fn receive(&mut self, wait: Duration) -> Option<Arrival> {
        if self.count() == 1 {
            std::thread::sleep(wait);
            return None;
        }
        match self.inbox.recv_timeout(wait) {
            Ok(message) => self.arrived(message).or_else(|| self.poll()),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // Nothing can come any more: whoever waits for something shall not do so without a pause.
                std::thread::sleep(wait);
                None
            }
        }
    }

    fn arrived(&mut self, (from, message): (usize, Result<Option<Frame>, String>)) -> Option<Arrival> {
        let peer = self.peers.get_mut(from)?.as_mut()?;
        if matches!(message, Ok(Some(_))) {
            peer.heard = Instant::now();
            self.is_back |= peer.silent;
        }
        match message {
            Ok(Some(Frame { kind: ALIVE, .. })) => None,
            Ok(Some(Frame { kind: BYE, payload, .. })) => {
                peer.left = true;
                let (code, text) = payload.split_first().map_or((0, &[][..]), |(code, text)| (*code, text));
                if from == 0 {
                    self.last_word = Some(code);
                }
                Some(Arrival::Bye(from, code, String::from_utf8_lossy(text).into_owned()))
            }
            Ok(Some(frame)) => Some(Arrival::Frame(from, frame)),
            Ok(None) | Err(_) if peer.left => None,
            Ok(None) => Some(Arrival::Gone(from, String::new())),
            Err(why) => Some(Arrival::Gone(from, why)),
        }
    }

    /// To be called now and then: says to the others that this process is alive, and tells who is silent or heard again.
    pub fn look(&mut self, waits: bool, mut tell: impl FnMut(String)) {
        let now = Instant::now();
        // That somebody is back is told at once: the search may end before the next look.
        let is_back = std::mem::take(&mut self.is_back);
        if !is_back && now.duration_since(self.looked) < HEARTBEAT / 4 {
            return;
        }
        // Who has not looked for long has not listened either.
        let stopped = now.duration_since(self.looked) > SILENCE / 2;
        self.looked = now;
        for number in 0..self.count() {
            let name = self.name(number);
            let Some(Some(peer)) = self.peers.get_mut(number) else { continue };
            if now.duration_since(peer.sent) >= HEARTBEAT {
                peer.sent = now;
                let _ = peer.out.send(Frame { kind: ALIVE, ..Frame::default() });
            }
            if stopped {
                peer.heard = now;
            }
            let is_silent = now.duration_since(peer.heard) >= SILENCE;
            if is_silent && !peer.silent && waits {
                peer.silent = true;
                tell(format!("{name} has been silent for {} s; this process waits for it", SILENCE.as_secs()));
            } else if !is_silent && peer.silent {
                peer.silent = false;
                tell(format!("{name} is heard again"));
            }
        }
    }

    /// Says goodbye to all, with an exit code, and why if something went wrong. Nothing can be sent any more.
    pub fn leave(&mut self, code: u8, why: &str) {
        let payload = [&[code], why.as_bytes()].concat();
        self.broadcast(&Frame { kind: BYE, payload, ..Frame::default() });
        for peer in self.peers.iter_mut().flatten() {
            // Nothing more can be sent: the thread ends when it has sent all.
            peer.out = channel().0;
        }
    }

    /// Waits a little until what was sent is on its way.
    pub fn settle(&mut self, patience: Duration) {
        let end = Instant::now() + patience;
        for peer in self.peers.iter_mut().flatten() {
            while peer.writer.as_ref().is_some_and(|writer| !writer.is_finished()) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = peer.stream.shutdown(Shutdown::Write);
        }
    }
}

fn prepare(stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(None)?;
    stream.set_nodelay(true)?;
    let probes = TcpKeepalive::new().with_time(VANISHED / 3).with_interval(VANISHED / 6);
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
    let probes = probes.with_retries(4);
    SockRef::from(stream).set_tcp_keepalive(&probes)
}

fn receive_all(from: usize, stream: TcpStream, put: &Sender<(usize, Result<Option<Frame>, String>)>) {
    let mut stream = BufReader::with_capacity(BUFFER, stream);
    loop {
        let message = match wire::read(&mut stream) {
            Ok(Some((frame, _))) => Ok(Some(frame)),
            Ok(None) => Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => Err(format!("it has sent {error}")),
            Err(error) => Err(error.to_string()),
        };
        let ends = !matches!(message, Ok(Some(_)));
        if put.send((from, message)).is_err() || ends {
            return;
        }
    }
}

fn send_all(stream: TcpStream, frames: &Receiver<Frame>, counted: &Counted) {
    let mut stream = BufWriter::with_capacity(BUFFER, stream);
    let mut packed = Vec::new();
    while let Ok(first) = frames.recv() {
        let mut next = Some(first);
        while let Some(frame) = next {
            let Ok(sent) = wire::write(&frame, &mut stream, &mut packed) else { return };
            counted.raw.fetch_add(frame.payload.len() as u64, Ordering::Relaxed);
            counted.sent.fetch_add(sent, Ordering::Relaxed);
            next = frames.try_recv().ok();
        }
        if stream.flush().is_err() {
            return;
        }
    }
}
