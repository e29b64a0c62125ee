//! What goes over a connection: frames, each with a header of fixed size and a checksum, compressed by lz4 where that makes them shorter.
//!
//! A frame that is too long, whose checksum does not fit or that cannot be unpacked is an error in words. Lengths are looked at before
//! anything is allocated.

use std::io::{self, Read, Write};

/// Bytes of a header: kind, search, level, length as sent, length as it was, checksum.
const HEADER: usize = 21;
/// The longest payload. Senders cut what is longer, so that only a broken or wrong sender goes beyond it.
pub const LONGEST: usize = 1 << 26;
/// Shorter payloads are not compressed.
const LEAST_COMPRESSED: usize = 128;

/// One message between two processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// What it is; the search decides. Kinds from 250 on are the mesh's own.
    pub kind: u8,
    /// Which search of the run it belongs to.
    pub search: u32,
    /// Which level of that search.
    pub level: u32,
    /// The rest.
    pub payload: Vec<u8>,
}

/// Writes a frame; gives how many bytes were sent. `packed` is room to work in.
pub fn write(frame: &Frame, to: &mut impl Write, packed: &mut Vec<u8>) -> io::Result<u64> {
    let raw = &frame.payload;
    packed.clear();
    if raw.len() >= LEAST_COMPRESSED {
        packed.resize(lz4_flex::block::get_maximum_output_size(raw.len()), 0);
        let length = lz4_flex::block::compress_into(raw, packed).unwrap_or(raw.len());
        packed.truncate(length);
    }
    let body = if packed.is_empty() || packed.len() >= raw.len() { raw } else { &*packed };
    let mut header = [0; HEADER];
    header[0] = frame.kind;
    header[1..5].copy_from_slice(&frame.search.to_le_bytes());
    header[5..9].copy_from_slice(&frame.level.to_le_bytes());
    header[9..13].copy_from_slice(&(body.len() as u32).to_le_bytes());
    header[13..17].copy_from_slice(&(raw.len() as u32).to_le_bytes());
    let sum = checksum(&header[..17], body);
    header[17..].copy_from_slice(&sum.to_le_bytes());
    to.write_all(&header)?;
    to.write_all(body)?;
    Ok((HEADER + body.len()) as u64)
}

/// Reads a frame and tells how many bytes it took; `None` at the end of the connection. An error of kind `InvalidData` is about what was
/// sent, any other about the connection.
pub fn read(from: &mut impl Read) -> io::Result<Option<(Frame, u64)>> {
    let mut header = [0; HEADER];
    let mut got = 0;
    while got < HEADER {
        match from.read(&mut header[got..]) {
            Ok(0) if got == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(bytes) => got += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let number = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (sent, raw) = (number(9) as usize, number(13) as usize);
    if sent > raw || raw > LONGEST {
        return Err(invalid(format!("a frame of {sent} bytes that are to become {raw}")));
    }
    let mut body = Vec::new();
    // Grows as the bytes come: a length alone takes no memory.
    from.take(sent as u64).read_to_end(&mut body)?;
    if body.len() < sent {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    if checksum(&header[..17], &body) != number(17) {
        return Err(invalid("a frame whose checksum is wrong".into()));
    }
    if sent < raw {
        body = lz4_flex::block::decompress(&body, raw)
            .map_err(|error| invalid(format!("a frame that cannot be unpacked: {error}")))?;
        if body.len() != raw {
            return Err(invalid("a frame that is shorter than it says".into()));
        }
    }
    let frame = Frame { kind: header[0], search: number(1), level: number(5), payload: body };
    Ok(Some((frame, (HEADER + sent) as u64)))
}

fn checksum(header: &[u8], body: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(body);
    hasher.finalize()
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Appends a number: seven bits in a byte, the lowest first.
#[inline]
pub fn put(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Takes a number off the front; `None` if there is none.
#[inline]
pub fn take(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sent(frame: &Frame) -> Vec<u8> {
        let mut bytes = Vec::new();
        let count = write(frame, &mut bytes, &mut Vec::new()).unwrap();
        assert_eq!(count, bytes.len() as u64);
        bytes
    }

    #[test]
    fn a_frame_comes_as_it_was_sent() {
        for payload in
            [Vec::new(), vec![1, 2, 3], vec![7; 100_000], (0..40_000).map(|i: u32| ((i * i) >> 3) as u8).collect()]
        {
            let frame = Frame { kind: 3, search: 2, level: 70_000, payload };
            let bytes = sent(&frame);
            assert!(frame.payload.len() < 100_000 || bytes.len() < 1_000, "it is compressed");
            let (read, count) = read(&mut &bytes[..]).unwrap().unwrap();
            assert_eq!((read, count), (frame, bytes.len() as u64));
        }
        assert_eq!(read(&mut &[][..]).unwrap(), None);
    }

    #[test]
    fn a_length_beyond_the_bound_is_refused_before_anything_is_read() {
        let mut bytes = sent(&Frame::default());
        bytes[9..13].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes[13..17].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = read(&mut &bytes[..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        assert!(error.to_string().contains("4294967295"), "{error}");
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in proptest::collection::vec(any::<u64>(), 0..20)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|&number| put(&mut bytes, number));
            let mut rest = &bytes[..];
            for number in numbers {
                prop_assert_eq!(take(&mut rest), Some(number));
            }
            prop_assert_eq!(take(&mut rest), None);
        }

        #[test]
        fn a_byte_that_was_changed_is_found(at in 0usize..300, flip in 1u8..=255) {
            let frame = Frame { kind: 1, search: 1, level: 1, payload: (0..250).collect() };
            let mut bytes = sent(&frame);
            let at = at % bytes.len();
            bytes[at] ^= flip;
            prop_assert!(read(&mut &bytes[..]).is_err());
        }

        #[test]
        fn bytes_of_no_meaning_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&mut &bytes[..]);
            let _ = take(&mut &bytes[..]);
        }
    }
}
