//! Messages of the protocol on standard input and output: a header with a length, an empty line, a JSON object.
//!
//! A body that is no JSON is answered by an error, as JSON-RPC asks for, and reading goes on behind it: a client with a fault
//! loses one message and not its server. A header that makes no sense ends the connection, since nobody knows where the
//! next message begins.

use lsp_server::{Connection, ErrorCode, Message, Notification};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::thread::JoinHandle;

/// Bytes of the largest message; the largest model is smaller.
const LARGEST: usize = 256 << 20;

/// A message that is for the writer alone: nothing comes behind it.
const END: &str = "$/pv/end";

/// A message for the writer, too: its parameters are the answer to a body that is no message. Such an answer has the identifier
/// `null`, which a response of the library cannot have.
const NO_MESSAGE: &str = "$/pv/noMessage";

/// Writes what is left and ends the writer, while the reader may still wait for a client that says nothing more.
pub(super) fn finish(connection: &Connection, writer: JoinHandle<()>) {
    let end = Notification { method: END.to_owned(), params: Value::Null };
    if connection.sender.send(Message::Notification(end)).is_ok() {
        let _ = writer.join();
    }
}

/// Connects standard input and output; the second part waits until everything has been written.
pub(super) fn standard() -> io::Result<(Connection, JoinHandle<()>)> {
    let (server, Connection { sender, receiver }) = Connection::memory();
    let answers = server.sender.clone();
    std::thread::Builder::new().name("lsp-reader".into()).spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(body)) = read(&mut input) {
            let sent = match serde_json::from_slice::<Message>(&body) {
                Ok(message) => sender.send(message).is_ok(),
                Err(error) => answers.send(Message::Notification(no_message(&error))).is_ok(),
            };
            if !sent {
                break;
            }
        }
    })?;
    let writer = std::thread::Builder::new().name("lsp-writer".into()).spawn(move || {
        let mut output = io::stdout().lock();
        for message in receiver {
            if matches!(&message, Message::Notification(note) if note.method == END) {
                break;
            }
            // The client is gone; the reader finds that out too.
            if write(message, &mut output).and_then(|()| output.flush()).is_err() {
                break;
            }
        }
    })?;
    Ok((server, writer))
}

fn no_message(error: &serde_json::Error) -> Notification {
    let error = json!({ "code": ErrorCode::ParseError as i32, "message": format!("this is no message: {error}") });
    let params = json!({ "jsonrpc": "2.0", "id": null, "error": error });
    Notification { method: NO_MESSAGE.to_owned(), params }
}

fn write(message: Message, output: &mut impl Write) -> io::Result<()> {
    match message {
        Message::Notification(note) if note.method == NO_MESSAGE => {
            let body = note.params.to_string();
            write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())
        }
        message => message.write(output),
    }
}

/// The body of the next message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.by_ref().take(1 << 16).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let value = line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        if let Some((_, value)) = value {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.filter(|&length| length <= LARGEST).ok_or(io::ErrorKind::InvalidData)?;
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(body))
}
