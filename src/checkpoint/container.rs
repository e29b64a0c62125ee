//! The file of a checkpoint: named sections of bytes, each with its length and its checksum.
//!
//! Idea: a checkpoint is there whole or not at all. A [`Writer`] writes beside the target, under the name `FILE.tmp-` and six
//! letters, flushes the bytes to the disk and only then gives the file its name; whatever happens before, the checkpoint of that
//! name stays the one that it was. (A file that a killed pv left half-written is removed by the next one, see `leftovers`.)
//! A [`Reader`] gives out no byte before it has compared every checksum. The checksums find damage, not malice: whoever can
//! write the file can also compute them.
//!
//! Cost: the file is written once and read twice.
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

use super::leftovers;
use crate::limit::Limit;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// The first bytes of the file. They are not text, so that no model is taken for a checkpoint.
const MAGIC: [u8; 8] = *b"pv\x00ckpt\n";
/// The version of the format: raised whenever the file or what a section holds changes.
pub const VERSION: u32 = 4;
/// The name of the last section, which holds the number of the others.
const END: Name = *b"end.";
/// Bytes in front of the content of a section: its name, its length, its checksum.
const HEADER: u64 = 16;

/// The name of a section.
pub type Name = [u8; 4];

fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// How the names of the files begin that are to become the checkpoint `target`.
fn prefix_of(target: &Path) -> OsString {
    let mut prefix = target.file_name().unwrap_or_default().to_os_string();
    prefix.push(".tmp-");
    prefix
}

/// Removes the half-written files of killed searches that were to become the checkpoint `target`.
pub fn sweep(target: &Path) {
    // Files whose name is not Unicode are not looked for.
    if let Some(prefix) = prefix_of(target).to_str() {
        leftovers::sweep_files(folder_of(target), prefix);
    }
}

/// Says why a checkpoint cannot be written to `target`, if so. Asked before a search, not after hours of it.
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

/// Does the file begin as a checkpoint does?
fn is_checkpoint(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == MAGIC
}

/// Makes a file beside the target, readable by this user only and locked. It is removed if it is dropped before it was
/// renamed.
fn make(target: &Path) -> Result<NamedTempFile, Limit> {
    let folder = folder_of(target);
    let error = |error: &io::Error| Limit::of_file("create a file in", folder, error);
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
    /// Of the open section: where its header begins,
    start: u64,
    /// how many bytes it has so far,
    length: u64,
    /// and their checksum.
    checksum: crc32fast::Hasher,
    /// Bytes of the file so far.
    position: u64,
}

impl Writer {
    /// Begins a checkpoint that will be found at `target`. The one that is there now stays until this one is complete.
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
        Limit::of_file("write the checkpoint", &self.target, error)
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<(), Limit> {
        self.file.write_all(bytes).map_err(|error| self.error(&error))?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Begins a section. The section before must have been [ended](Self::end_section).
    pub fn section(&mut self, name: Name) -> Result<(), Limit> {
        self.start = self.position;
        self.length = 0;
        self.checksum = crc32fast::Hasher::new();
        self.raw(&name)?;
        // Length and checksum are filled in by `end_section`, which knows them.
        self.raw(&[0; HEADER as usize - 4])
    }

    /// Adds bytes to the open section.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Limit> {
        self.checksum.update(bytes);
        self.length += bytes.len() as u64;
        self.raw(bytes)
    }

    /// Adds a record that is made of these parts: its length in 4 bytes, then the parts.
    pub fn record(&mut self, parts: &[&[u8]]) -> Result<(), Limit> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let length = u32::try_from(length).map_err(|_| Limit::File("a record of more than 4 GiB".to_string()))?;
        self.write(&length.to_le_bytes())?;
        parts.iter().try_for_each(|part| self.write(part))
    }

    /// Adds a whole section that is one value, as JSON: for the parts of a search that are small.
    pub fn value<T: Serialize>(&mut self, name: Name, value: &T) -> Result<(), Limit> {
        let text = serde_json::to_vec(value)
            .map_err(|error| Limit::File(format!("a part of the checkpoint cannot be written down: {error}")))?;
        self.section(name)?;
        self.write(&text)?;
        self.end_section()
    }

    /// Ends the open section: its length and checksum go into its header.
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

    /// Completes the checkpoint, which is found at the target from now on; gives its bytes.
    pub fn finish(mut self) -> Result<u64, Limit> {
        let sections = self.sections;
        self.section(END)?;
        self.write(&sections.to_le_bytes())?;
        self.end_section()?;
        let Writer { file, target, position, .. } = self;
        let error = |error: &io::Error| Limit::of_file("write the checkpoint", &target, error);
        let file = file.into_inner().map_err(|failed| error(failed.error()))?;
        file.as_file().sync_all().map_err(|failed| error(&failed))?;
        file.persist(&target).map_err(|failed| error(&failed.error))?;
        // The new name is on the disk only when the folder that holds it was flushed, too.
        #[cfg(unix)]
        File::open(folder_of(&target)).and_then(|folder| folder.sync_all()).map_err(|failed| error(&failed))?;
        Ok(position)
    }
}

/// A checkpoint that is being read; all its checksums are right.
#[derive(Debug)]
pub struct Reader {
    file: BufReader<File>,
    path: PathBuf,
    /// For each section its name, where its content begins, and its length.
    sections: Vec<(Name, u64, u64)>,
    /// Bytes of the open section that were not read yet.
    left: u64,
}

impl Reader {
    /// Opens a checkpoint and reads all of it to see that it is whole.
    pub fn open(path: &Path) -> Result<Self, Limit> {
        let error = |error: io::Error| Limit::of_file("read the checkpoint", path, &error);
        // Opening a pipe would wait until somebody writes into it.
        if !fs::metadata(path).map_err(error)?.is_file() {
            return Err(error(io::Error::other("it is not a file")));
        }
        let file = File::open(path).map_err(error)?;
        let length = file.metadata().map_err(|error| Limit::of_file("read the checkpoint", path, &error))?.len();
        let mut reader =
            Reader { file: BufReader::new(file), path: path.to_path_buf(), sections: Vec::new(), left: u64::MAX };
        reader.verify(length)?;
        Ok(reader)
    }

    /// The reason not to use this checkpoint, in a sentence that names it.
    pub fn refuse(&self, why: &str) -> Limit {
        Limit::File(format!("the checkpoint {} is not used: {why}", self.path.display()))
    }

    /// Reads the file of `total` bytes from its beginning to its end and notes where its sections are.
    fn verify(&mut self, total: u64) -> Result<(), Limit> {
        self.verify_version(total)?;
        let mut position = MAGIC.len() as u64 + 4;
        let mut buffer = vec![0; 1 << 16];
        loop {
            if position + HEADER > total {
                return Err(self.refuse("it ends early"));
            }
            let mut name = Name::default();
            self.bytes(&mut name)?;
            let (length, checksum) = (self.u64()?, self.u32()?);
            position += HEADER;
            if length > total - position {
                return Err(self.refuse("it ends early"));
            }
            if self.checksum(length, &mut buffer)? != checksum {
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

    /// Reads the first bytes: is it a checkpoint, and of this version?
    fn verify_version(&mut self, total: u64) -> Result<(), Limit> {
        let mut magic = [0; MAGIC.len()];
        if total >= MAGIC.len() as u64 + 4 {
            self.bytes(&mut magic)?;
        }
        if magic != MAGIC {
            return Err(self.refuse("it is not a checkpoint of pv"));
        }
        match self.u32()? {
            VERSION => Ok(()),
            version => Err(self.refuse(&format!(
                "it has version {version} of the format, and this pv reads version {VERSION} only; go on with the pv that \
                 wrote it, or begin anew"
            ))),
        }
    }

    /// The checksum of the next `length` bytes, of which the last part stays in the buffer.
    fn checksum(&mut self, length: u64, buffer: &mut [u8]) -> Result<u32, Limit> {
        let mut hasher = crc32fast::Hasher::new();
        let mut left = length;
        while left > 0 {
            let part = (buffer.len() as u64).min(left) as usize;
            self.bytes(&mut buffer[..part])?;
            hasher.update(&buffer[..part]);
            left -= part as u64;
        }
        Ok(hasher.finalize())
    }

    /// Goes to a section; returns its length.
    pub fn section(&mut self, name: Name) -> Result<u64, Limit> {
        let Some(&(_, position, length)) = self.sections.iter().find(|section| section.0 == name) else {
            let name = String::from_utf8_lossy(&name).into_owned();
            return Err(self.refuse(&format!("it has no section {name:?}")));
        };
        let found = self.file.seek(SeekFrom::Start(position));
        found.map_err(|error| Limit::of_file("read the checkpoint", &self.path, &error))?;
        self.left = length;
        Ok(length)
    }

    /// The value in a section that [`Writer::value`] has written.
    pub fn value<T: DeserializeOwned>(&mut self, name: Name) -> Result<T, Limit> {
        let length = self.section(name)?;
        // The length was compared with that of the file, so the memory asked for is no more than the file has.
        let mut text = vec![0; length as usize];
        self.bytes(&mut text)?;
        let name = String::from_utf8_lossy(&name).into_owned();
        serde_json::from_slice(&text).map_err(|error| self.refuse(&format!("section {name:?} says nothing: {error}")))
    }

    /// The path that the checkpoint was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Has the checkpoint a section of this name?
    pub fn has(&self, name: Name) -> bool {
        self.sections.iter().any(|section| section.0 == name)
    }

    /// Fills the buffer with the next bytes of the open section.
    pub fn bytes(&mut self, buffer: &mut [u8]) -> Result<(), Limit> {
        if buffer.len() as u64 > self.left {
            return Err(self.refuse("a section is shorter than it must be"));
        }
        self.file.read_exact(buffer).map_err(|error| Limit::of_file("read the checkpoint", &self.path, &error))?;
        self.left -= buffer.len() as u64;
        Ok(())
    }

    /// The next 4 bytes of the open section as a number.
    pub fn u32(&mut self) -> Result<u32, Limit> {
        let mut bytes = [0; 4];
        self.bytes(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// The next 8 bytes of the open section as a number.
    pub fn u64(&mut self) -> Result<u64, Limit> {
        let mut bytes = [0; 8];
        self.bytes(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads the next record of the open section into the buffer; `false` at the end of the section.
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
            writer.record(&[&vec![i as u8; i as usize / 2], &vec![i as u8; i as usize - i as usize / 2]]).unwrap();
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
        let earlier = [&MAGIC[..], &(VERSION - 1).to_le_bytes(), &whole[MAGIC.len() + 4..]].concat();
        std::fs::write(&damaged, earlier).unwrap();
        assert!(reason(&damaged).contains(&format!("version {} of the format", VERSION - 1)));
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
