//! The container of checkpoints: named sections of bytes, each with its length and checksum. It is there whole or not at
//! all: written beside under another name (`FILE.tmp-` and six letters; one that was left by a killed pv is removed, see
//! `leftovers`), flushed to the disk, then renamed; and read only after every checksum was compared.
//!
//! | part | bytes |
//! |---|---|
//! | magic | 8 |
//! | version | 4, little-endian as all numbers |
//! | each section: name | 4 |
//! | its length | 8 |
//! | its crc32 | 4 |
//! | its bytes | length |
//! | end: the name `end.`, length 4, crc32 | 16 |
//! | number of sections | 4 |

use crate::store::breadth::work_dir::file_error;
use crate::store::leftovers;
use crate::store::limit::Limit;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The first bytes. Not text, so that no model is taken for a checkpoint.
const MAGIC: [u8; 8] = *b"pv\x00ckpt\n";
/// Of the container and of what the sections mean: raised whenever a section changes.
pub const VERSION: u32 = 2;
const END: Name = *b"end.";
/// Bytes in front of a section.
const HEADER: u64 = 16;

/// The name of a section.
pub type Name = [u8; 4];

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// How the names of files begin that are to become this checkpoint.
fn prefix_of(target: &Path) -> OsString {
    let mut prefix = target.file_name().unwrap_or_default().to_os_string();
    prefix.push(".tmp-");
    prefix
}

/// Removes what killed searches left of a checkpoint that they were writing.
pub fn sweep(target: &Path) {
    // A name that is no text is never looked for.
    if let Some(prefix) = prefix_of(target).to_str() {
        leftovers::sweep_files(folder_of(target), prefix);
    }
}

/// Can a checkpoint be written there? Asked before a search, not after hours of it.
pub fn probe(target: &Path) -> Result<(), Limit> {
    let refuse = |why: &str| Err(Limit::File(format!("cannot write the checkpoint {}: {why}", target.display())));
    match fs::symlink_metadata(target) {
        Ok(there) if there.is_dir() => return refuse("it is a folder"),
        Ok(there) if !there.is_file() => return refuse("it is there and not a file"),
        Ok(there) if there.len() > 0 && !is_checkpoint(target) => {
            return refuse("there is another file of this name, and it is not a checkpoint");
        }
        _ => {}
    }
    make(target).map(drop)
}

/// Does the file begin as one?
fn is_checkpoint(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == MAGIC
}

/// A file beside the target, readable by this user only and locked; removed if it is dropped before it was renamed.
fn make(target: &Path) -> Result<NamedTempFile, Limit> {
    let folder = folder_of(target);
    let error = |error: &io::Error| file_error("create a file in", folder, error);
    let mut builder = tempfile::Builder::new();
    let prefix = prefix_of(target);
    builder.prefix(&prefix);
    for _ in 0..leftovers::ATTEMPTS {
        let file = builder.tempfile_in(folder).map_err(|failed| error(&failed))?;
        if leftovers::hold(file.as_file(), file.path()).map_err(|failed| error(&failed))? {
            return Ok(file);
        }
    }
    Err(error(&io::Error::other("it is removed by somebody each time")))
}

/// A checkpoint that is being written.
#[derive(Debug)]
pub struct Writer {
    file: BufWriter<NamedTempFile>,
    target: PathBuf,
    sections: u32,
    /// Where the header of the open section is, its bytes so far and their checksum.
    start: u64,
    length: u64,
    checksum: crc32fast::Hasher,
    position: u64,
}

impl Writer {
    /// Begins one that will be found at `target`. What is there stays until this one is complete.
    pub fn create(target: &Path) -> Result<Self, Limit> {
        sweep(target);
        let mut writer = Writer {
            file: BufWriter::new(make(target)?),
            target: target.to_path_buf(),
            sections: 0,
            start: 0,
            length: 0,
            checksum: crc32fast::Hasher::new(),
            position: 0,
        };
        writer.raw(&MAGIC)?;
        writer.raw(&VERSION.to_le_bytes())?;
        Ok(writer)
    }

    fn error(&self, error: &io::Error) -> Limit {
        file_error("write the checkpoint", &self.target, error)
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<(), Limit> {
        self.file.write_all(bytes).map_err(|error| self.error(&error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Begins a section. The one before must have been [ended](Self::end_section).
    pub fn section(&mut self, name: Name) -> Result<(), Limit> {
        self.start = self.position;
        self.length = 0;
        self.checksum = crc32fast::Hasher::new();
        self.raw(&name)?;
        // Length and checksum are put in when they are known.
        self.raw(&[0; HEADER as usize - 4])
    }

    /// Adds bytes to the section.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Limit> {
        self.checksum.update(bytes);
        self.length += bytes.len() as u64;
        self.raw(bytes)
    }

    /// Adds a record: its length in 4 bytes, then its bytes.
    pub fn record(&mut self, bytes: &[u8]) -> Result<(), Limit> {
        let length = u32::try_from(bytes.len()).map_err(|_| Limit::File("a record of more than 4 GiB".to_string()))?;
        self.write(&length.to_le_bytes())?;
        self.write(bytes)
    }

    /// A section that is one value, as JSON: for the parts that are small.
    pub fn value<T: Serialize>(&mut self, name: Name, value: &T) -> Result<(), Limit> {
        let text = serde_json::to_vec(value)
            .map_err(|error| Limit::File(format!("a part of the checkpoint cannot be written down: {error}")))?;
        self.section(name)?;
        self.write(&text)?;
        self.end_section()
    }

    /// Ends the section.
    pub fn end_section(&mut self) -> Result<(), Limit> {
        let checksum = std::mem::take(&mut self.checksum).finalize();
        let (start, length) = (self.start, self.length);
        let written = self
            .file
            .seek(SeekFrom::Start(start + 4))
            .and_then(|_| self.file.write_all(&length.to_le_bytes()))
            .and_then(|()| self.file.write_all(&checksum.to_le_bytes()))
            .and_then(|()| self.file.seek(SeekFrom::End(0)));
        written.map_err(|error| self.error(&error))?;
        self.sections += 1;
        Ok(())
    }

    /// Completes it: from now on it is what is found at the target.
    pub fn finish(mut self) -> Result<u64, Limit> {
        let sections = self.sections;
        self.section(END)?;
        self.write(&sections.to_le_bytes())?;
        self.end_section()?;
        let Writer { file, target, position, .. } = self;
        let error = |error: &io::Error| file_error("write the checkpoint", &target, error);
        let file = file.into_inner().map_err(|failed| error(failed.error()))?;
        file.as_file().sync_all().map_err(|failed| error(&failed))?;
        file.persist(&target).map_err(|failed| error(&failed.error))?;
        // The name is safe only when the folder is, too.
        #[cfg(unix)]
        File::open(folder_of(&target)).and_then(|folder| folder.sync_all()).map_err(|failed| error(&failed))?;
        Ok(position)
    }
}

/// A checkpoint whose checksums are all right.
#[derive(Debug)]
pub struct Reader {
    file: BufReader<File>,
    path: PathBuf,
    /// Names, positions of the bytes, lengths.
    sections: Vec<(Name, u64, u64)>,
    /// Bytes of the open section that were not read yet.
    left: u64,
}

impl Reader {
    /// Opens a checkpoint and reads it to the end to see that it is whole.
    pub fn open(path: &Path) -> Result<Self, Limit> {
        let error = |error: io::Error| file_error("read the checkpoint", path, &error);
        // To open a pipe would wait for somebody to write into it.
        if !fs::metadata(path).map_err(error)?.is_file() {
            return Err(error(io::Error::other("it is not a file")));
        }
        let file = File::open(path).map_err(error)?;
        let length = file.metadata().map_err(|error| file_error("read the checkpoint", path, &error))?.len();
        let mut reader =
            Reader { file: BufReader::new(file), path: path.to_path_buf(), sections: Vec::new(), left: u64::MAX };
        reader.verify(length)?;
        Ok(reader)
    }

    /// What is said of a checkpoint that is not used.
    pub fn refuse(&self, why: &str) -> Limit {
        Limit::File(format!("the checkpoint {} is not used: {why}", self.path.display()))
    }

    fn verify(&mut self, total: u64) -> Result<(), Limit> {
        let mut magic = [0; MAGIC.len()];
        if total < MAGIC.len() as u64 + 4 {
            return Err(self.refuse("it is not a checkpoint of pv"));
        }
        self.bytes(&mut magic)?;
        if magic != MAGIC {
            return Err(self.refuse("it is not a checkpoint of pv"));
        }
        let version = self.u32()?;
        if version != VERSION {
            return Err(self.refuse(&format!("it has version {version}, this pv writes and reads version {VERSION}")));
        }
        let mut position = MAGIC.len() as u64 + 4;
        let mut buffer = vec![0; 1 << 16];
        loop {
            let mut name = Name::default();
            if position + HEADER > total {
                return Err(self.refuse("it ends early"));
            }
            self.bytes(&mut name)?;
            let length = self.u64()?;
            let checksum = self.u32()?;
            position += HEADER;
            if length > total - position {
                return Err(self.refuse("it ends early"));
            }
            let mut hasher = crc32fast::Hasher::new();
            let mut left = length;
            while left > 0 {
                let part = (buffer.len() as u64).min(left) as usize;
                self.bytes(&mut buffer[..part])?;
                hasher.update(&buffer[..part]);
                left -= part as u64;
            }
            if hasher.finalize() != checksum {
                let name = String::from_utf8_lossy(&name).into_owned();
                return Err(self.refuse(&format!("it is damaged (the checksum of section {name:?} is wrong)")));
            }
            if name == END {
                let announced = buffer.first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes));
                if length != 4 || announced != Some(self.sections.len() as u32) || position + length != total {
                    return Err(self.refuse("it is damaged (sections are missing, or something follows its end)"));
                }
                return Ok(());
            }
            self.sections.push((name, position, length));
            position += length;
        }
    }

    /// Goes to a section; returns its length.
    pub fn section(&mut self, name: Name) -> Result<u64, Limit> {
        let Some(&(_, position, length)) = self.sections.iter().find(|section| section.0 == name) else {
            let name = String::from_utf8_lossy(&name).into_owned();
            return Err(self.refuse(&format!("it has no section {name:?}")));
        };
        let found = self.file.seek(SeekFrom::Start(position));
        found.map_err(|error| file_error("read the checkpoint", &self.path, &error))?;
        self.left = length;
        Ok(length)
    }

    /// The value of a section that is one.
    pub fn value<T: DeserializeOwned>(&mut self, name: Name) -> Result<T, Limit> {
        let length = self.section(name)?;
        // The length was compared with the file's, so there is as much.
        let mut text = vec![0; length as usize];
        self.bytes(&mut text)?;
        let name = String::from_utf8_lossy(&name).into_owned();
        serde_json::from_slice(&text).map_err(|error| self.refuse(&format!("section {name:?} says nothing: {error}")))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Is there such a section?
    pub fn has(&self, name: Name) -> bool {
        self.sections.iter().any(|section| section.0 == name)
    }

    /// Reads bytes of the section.
    pub fn bytes(&mut self, buffer: &mut [u8]) -> Result<(), Limit> {
        if buffer.len() as u64 > self.left {
            return Err(self.refuse("a section is shorter than it must be"));
        }
        self.file.read_exact(buffer).map_err(|error| file_error("read the checkpoint", &self.path, &error))?;
        self.left -= buffer.len() as u64;
        Ok(())
    }

    /// Reads a number.
    pub fn u32(&mut self) -> Result<u32, Limit> {
        let mut bytes = [0; 4];
        self.bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads a number.
    pub fn u64(&mut self) -> Result<u64, Limit> {
        let mut bytes = [0; 8];
        self.bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a record into the buffer; false at the end of the section.
    pub fn record(&mut self, buffer: &mut Vec<u8>) -> Result<bool, Limit> {
        if self.left == 0 {
            return Ok(false);
        }
        let length = self.u32()?;
        if u64::from(length) > self.left {
            return Err(self.refuse("a section is shorter than it must be"));
        }
        buffer.clear();
        buffer.resize(length as usize, 0);
        self.bytes(buffer)?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path) {
        let mut writer = Writer::create(path).unwrap();
        writer.section(*b"numb").unwrap();
        writer.write(&7u32.to_le_bytes()).unwrap();
        writer.write(&8u64.to_le_bytes()).unwrap();
        writer.end_section().unwrap();
        writer.section(*b"none").unwrap();
        writer.end_section().unwrap();
        writer.section(*b"recs").unwrap();
        for i in 0..100u32 {
            writer.record(&vec![i as u8; i as usize]).unwrap();
        }
        writer.end_section().unwrap();
        assert_eq!(writer.finish().unwrap(), std::fs::metadata(path).unwrap().len());
    }

    fn reason(path: &Path) -> String {
        match Reader::open(path) {
            Err(Limit::File(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    /// As if the process had been killed while it wrote.
    #[test]
    fn half_written_ones_go_when_the_next_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.checkpoint");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let living = Writer::create(&path).unwrap();
        make(&path).unwrap().keep().unwrap();
        assert_eq!(names(), 2);
        write(&path);
        assert_eq!(names(), 2, "the new one, and the one that is still being written");
        make(&path).unwrap().keep().unwrap();
        sweep(&path);
        drop(living);
        assert_eq!(names(), 1);
        assert!(path.exists());
        probe(&path).unwrap();
        assert_eq!(names(), 1);
        assert!(probe(folder.path()).is_err() && probe(&folder.path().join("no/such/file")).is_err());
    }

    #[test]
    fn sections_come_back_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.checkpoint");
        write(&path);
        let mut reader = Reader::open(&path).unwrap();
        reader.section(*b"recs").unwrap();
        let mut buffer = Vec::new();
        let mut count = 0;
        while reader.record(&mut buffer).unwrap() {
            assert_eq!(buffer, vec![count as u8; count]);
            count += 1;
        }
        assert_eq!(count, 100);
        reader.section(*b"numb").unwrap();
        assert_eq!((reader.u32().unwrap(), reader.u64().unwrap()), (7, 8));
        assert!(reader.u32().is_err());
        assert_eq!(reader.section(*b"none").unwrap(), 0);
        assert!(reader.has(*b"none") && !reader.has(*b"what") && reader.section(*b"what").is_err());
        // Nothing else was left in the folder.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn damaged_ones_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.checkpoint");
        write(&path);
        let whole = std::fs::read(&path).unwrap();
        let damaged = folder.path().join("b.checkpoint");
        for end in (0..whole.len()).step_by(whole.len() / 97).chain([whole.len() - 1, 11, 12, 20]) {
            std::fs::write(&damaged, &whole[..end]).unwrap();
            reason(&damaged);
        }
        for at in (0..whole.len()).step_by(7).chain(0..100).chain(whole.len() - 20..whole.len()) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << (at % 8);
            std::fs::write(&damaged, bytes).unwrap();
            // A flipped name is found when the section is asked for.
            match Reader::open(&damaged) {
                Err(Limit::File(_)) => {}
                Ok(reader) => assert!(![*b"numb", *b"none", *b"recs"].iter().all(|&name| reader.has(name)), "{at}"),
                other => panic!("{other:?}"),
            }
        }
        std::fs::write(&damaged, [&whole[..], b"x"].concat()).unwrap();
        reason(&damaged);
        std::fs::write(&damaged, "init { skip }\n").unwrap();
        assert!(reason(&damaged).contains("not a checkpoint of pv"));
        assert!(reason(&folder.path().join("missing")).contains("missing"));
    }

    #[test]
    fn one_that_is_not_finished_leaves_nothing_and_harms_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.checkpoint");
        write(&path);
        let before = std::fs::read(&path).unwrap();
        let mut writer = Writer::create(&path).unwrap();
        writer.section(*b"numb").unwrap();
        writer.write(&[1; 100_000]).unwrap();
        drop(writer);
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(Writer::create(Path::new("no/such/folder/x")).is_err());
    }
}
