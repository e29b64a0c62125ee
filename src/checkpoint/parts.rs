//! A checkpoint of several processes: the file of process 0, and beside it one part for each of the others.
//!
//! Idea: parts are worth something only if all of them are of the same moment. Process 0 gives every checkpoint an id that no other has,
//! and every part carries it. The others write their parts first, each whole or not at all, under names that the checkpoint before does
//! not use: there are two names for each process, taken in turn ([`Slot`]). When all of them lie on disk, process 0 gives its own file its
//! name, and only then are the parts of the checkpoint before removed. So whoever dies at whatever moment: the file of process 0 and the
//! parts that it names are one checkpoint, the earlier one or the later one.
//!
//! What cannot be one, a part that is missing, damaged or of another checkpoint, is refused with its name before any search.

use super::container::Reader;
use super::section;
use crate::limit::Limit;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Which of its two names a part has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Slot {
    /// The one of the first checkpoint,
    #[default]
    A,
    /// and of the second.
    B,
}

impl Slot {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Slot {
        match self {
            Slot::A => Slot::B,
            Slot::B => Slot::A,
        }
    }

    fn letter(self) -> char {
        match self {
            Slot::A => 'a',
            Slot::B => 'b',
        }
    }
}

/// Which checkpoint a file belongs to, and which part of it the file is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// No other checkpoint has it.
    pub id: String,
    /// How many processes have written it.
    pub processes: u32,
    /// Which of them has written this part.
    pub process: u32,
    /// The level that the search was at.
    pub level: u32,
}

/// What all processes have to know of a checkpoint. It stands in the file of process 0.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// See [`Mark::id`].
    pub id: String,
    /// Under which names the parts lie.
    pub slot: Slot,
    /// The level that the search was at.
    pub level: u32,
    /// How many states each process had expanded.
    pub expanded: Vec<u64>,
}

impl Manifest {
    /// The manifest of the checkpoint in the file of process 0; `None` if it is one of a single process.
    pub fn read(reader: &mut Reader) -> Result<Option<Manifest>, Limit> {
        if !reader.has(section::MANIFEST) {
            return Ok(None);
        }
        let manifest: Manifest = reader.value(section::MANIFEST)?;
        if manifest.expanded.is_empty() {
            return Err(reader.refuse("it is of no process at all"));
        }
        Ok(Some(manifest))
    }

    /// How many processes have written the checkpoint.
    pub fn processes(&self) -> usize {
        self.expanded.len()
    }

    /// Opens the part of a process of the checkpoint whose process 0 has this file.
    pub fn open(&self, file: &Path, process: usize) -> Result<Reader, Limit> {
        let path = part(file, process, self.slot);
        if !path.exists() {
            return Err(Limit::File(format!(
                "the checkpoint {} is not used: its part {} is missing",
                file.display(),
                path.display()
            )));
        }
        let mut reader = Reader::open(&path)?;
        if !reader.has(section::MARK) {
            return Err(reader.refuse("it is of one process, and no part of a checkpoint of several"));
        }
        let mark: Mark = reader.value(section::MARK)?;
        if mark.id != self.id || mark.processes as usize != self.processes() || mark.process as usize != process {
            return Err(reader.refuse(&format!(
                "it is no part of {}: it is of another run or of another level, and the parts of one checkpoint belong together",
                file.display()
            )));
        }
        Ok(reader)
    }
}

/// The file of a part; of process 0 it is the checkpoint itself.
pub fn part(file: &Path, process: usize, slot: Slot) -> PathBuf {
    if process == 0 {
        return file.to_path_buf();
    }
    let mut name: OsString = file.as_os_str().to_os_string();
    name.push(format!(".part{process}{}", slot.letter()));
    PathBuf::from(name)
}

/// The files that a process may write to.
pub fn files(file: &Path, process: usize) -> Vec<PathBuf> {
    match process {
        0 => vec![file.to_path_buf()],
        _ => vec![part(file, process, Slot::A), part(file, process, Slot::B)],
    }
}

/// Some part of this process, where the file of process 0 lies on another machine.
pub fn some_part(file: &Path, process: usize) -> Option<PathBuf> {
    files(file, process).into_iter().find(|path| path.exists())
}

/// The names that a new checkpoint in this file takes: not those of the one that is there.
pub fn free_slot(file: &Path) -> Slot {
    let there = Reader::open(file).and_then(|mut reader| Manifest::read(&mut reader));
    there.ok().flatten().map_or(Slot::A, |manifest| manifest.slot.other())
}

/// Removes a part that belongs to no checkpoint any more. One that stays does no harm: it is written over.
pub fn remove(file: &Path, process: usize, slot: Slot) {
    if process > 0 {
        let _ = fs::remove_file(part(file, process, slot));
    }
}

/// An id for a new checkpoint.
pub fn new_id() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // A system without random numbers has a clock, and no two processes of one number at a time.
        return format!("{:?}-{}", std::time::SystemTime::now(), std::process::id());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Writer;

    fn write(file: &Path, process: u32, slot: Slot, id: &str) {
        let mut writer = Writer::create(&part(file, process as usize, slot)).unwrap();
        let mark = Mark { id: id.into(), processes: 2, process, level: 3 };
        writer.value(section::MARK, &mark).unwrap();
        if process == 0 {
            let manifest = Manifest { id: id.into(), slot, level: 3, expanded: vec![5, 6] };
            writer.value(section::MANIFEST, &manifest).unwrap();
        }
        writer.finish().unwrap();
    }

    fn why(opened: Result<Reader, Limit>) -> String {
        match opened {
            Err(Limit::File(why)) => why,
            other => panic!("{other:?}"),
        }
    }

    /// Only what belongs together is taken, and the next checkpoint does not write over the last one.
    #[test]
    fn parts_of_one_checkpoint_belong_together() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("c");
        assert_eq!(free_slot(&file), Slot::A);
        write(&file, 0, Slot::A, "one");
        let manifest = Manifest::read(&mut Reader::open(&file).unwrap()).unwrap().unwrap();
        assert_eq!((manifest.processes(), free_slot(&file)), (2, Slot::B));
        assert!(why(manifest.open(&file, 1)).contains("missing"));
        write(&file, 1, Slot::A, "another");
        assert!(why(manifest.open(&file, 1)).contains("another run"));
        write(&file, 1, Slot::A, "one");
        assert!(manifest.open(&file, 1).is_ok() && manifest.open(&file, 0).is_ok());
        std::fs::write(part(&file, 1, Slot::A), "no checkpoint").unwrap();
        assert!(why(manifest.open(&file, 1)).contains("not a checkpoint"));
        remove(&file, 1, Slot::A);
        remove(&file, 0, Slot::A);
        assert!(some_part(&file, 1).is_none() && file.exists());
        assert_ne!(new_id(), new_id());
    }
}
