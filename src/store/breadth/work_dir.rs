//! The folder for the files of one search: readable by this user only, and removed with everything in it when its last
//! holder drops it. If the process is killed, the next pv that makes a folder at the same place removes it (see
//! `checkpoint::leftovers`).
//!
//! A file that somebody removes or cuts short while the search runs is noticed before the next bytes are written.

use crate::checkpoint::leftovers::{self, ATTEMPTS, LOCK};
use crate::limit::Limit;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::TempDir;

/// How the names of the folders begin.
const PREFIX: &str = "pv-";

/// The folder. See the head of this file.
#[derive(Debug)]
pub struct WorkDir {
    folder: TempDir,
    next: AtomicU64,
    // Tells other processes that the folder is in use.
    _lock: File,
}

/// Removes the folders of killed searches where this one would make its own.
pub fn sweep(parent: Option<&Path>) {
    leftovers::sweep_folders(parent.unwrap_or(&std::env::temp_dir()), PREFIX);
}

impl WorkDir {
    /// Makes a folder inside `parent`, or where the system keeps temporary files.
    pub fn new(parent: Option<&Path>) -> Result<Arc<WorkDir>, Limit> {
        let default = std::env::temp_dir();
        let parent = parent.unwrap_or(&default);
        leftovers::sweep_folders(parent, PREFIX);
        let made = Self::make(parent);
        made.map(Arc::new).map_err(|error| Limit::of_file("make a folder for temporary files in", parent, &error))
    }

    fn make(parent: &Path) -> io::Result<WorkDir> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o700));
        }
        for _ in 0..ATTEMPTS {
            let folder = builder.tempdir_in(parent)?;
            let path = folder.path().join(LOCK);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(lock) if leftovers::hold(&lock, &path)? => {
                    return Ok(WorkDir { folder, next: AtomicU64::new(0), _lock: lock });
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("it is removed by somebody each time"))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A new file, to write and to read.
    pub fn create(self: &Arc<Self>, name: &str) -> Result<WorkFile, Limit> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.path().join(format!("{name}-{number}"));
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|error| Limit::of_file("create", &path, &error))?;
        Ok(WorkFile { file, path, length: 0, _folder: Arc::clone(self) })
    }
}

/// A file of the folder that grows at its end and can be read anywhere; removed when dropped.
#[derive(Debug)]
pub struct WorkFile {
    file: File,
    path: PathBuf,
    length: u64,
    // Keeps the folder while there are files in it.
    _folder: Arc<WorkDir>,
}

impl WorkFile {
    /// How many bytes were written.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Was nothing written?
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Writes at the end. After an error the file counts as it was before.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Limit> {
        let written = self
            .intact()
            .and_then(|()| self.file.seek(SeekFrom::Start(self.length)))
            .and_then(|_| self.file.write_all(bytes));
        written.map_err(|error| Limit::of_file("write", &self.path, &error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Nobody has removed the file or cut it short. The system would go on with a file without a name, or fill the gap
    /// with zeros.
    fn intact(&self) -> io::Result<()> {
        let metadata = self.file.metadata()?;
        #[cfg(unix)]
        if std::os::unix::fs::MetadataExt::nlink(&metadata) == 0 {
            return Err(io::Error::new(io::ErrorKind::NotFound, "it was removed by somebody else"));
        }
        if metadata.len() < self.length {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it was cut short by somebody else"));
        }
        Ok(())
    }

    /// Reads exactly as many bytes as the buffer has.
    pub fn read_at(&mut self, position: u64, buffer: &mut [u8]) -> Result<(), Limit> {
        let read = self.file.seek(SeekFrom::Start(position)).and_then(|_| self.file.read_exact(buffer));
        read.map_err(|error| Limit::of_file("read", &self.path, &error))
    }
}

impl Drop for WorkFile {
    fn drop(&mut self) {
        // If that fails, the removal of the folder tries again.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_gone_at_the_end() {
        let folder = WorkDir::new(None).unwrap();
        let path = folder.path().to_path_buf();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        }
        let mut file = folder.create("x").unwrap();
        drop(folder);
        file.append(b"hello").unwrap();
        let mut buffer = [0; 3];
        file.read_at(2, &mut buffer).unwrap();
        assert_eq!(&buffer, b"llo");
        assert!(matches!(file.read_at(4, &mut buffer), Err(Limit::File(_))));
        assert!(path.exists());
        drop(file);
        assert!(!path.exists());
    }

    #[test]
    fn files_that_somebody_tampered_with_are_noticed() {
        let folder = WorkDir::new(None).unwrap();
        let mut file = folder.create("x").unwrap();
        file.append(b"hello").unwrap();
        std::fs::write(folder.path().join("x-0"), "").unwrap();
        assert!(matches!(file.append(b"hello"), Err(Limit::File(why)) if why.contains("cut short")));
        std::fs::remove_file(folder.path().join("x-0")).unwrap();
        assert!(matches!(file.append(b"hello"), Err(Limit::File(why)) if why.contains("removed by somebody")));
    }

    /// As if its process had been killed.
    #[test]
    fn abandoned_ones_go_when_the_next_is_made() {
        let parent = tempfile::tempdir().unwrap();
        let make = || Arc::into_inner(WorkDir::new(Some(parent.path())).unwrap()).unwrap();
        let names = || std::fs::read_dir(parent.path()).unwrap().count();
        let WorkDir { folder, _lock, .. } = make();
        let lost = folder.keep();
        std::fs::write(lost.join("queue-0"), "states").unwrap();
        let living = make();
        assert!(lost.exists() && names() == 2, "it is still locked");
        drop(_lock);
        let next = make();
        assert!(!lost.exists() && living.path().exists() && next.path().exists() && names() == 2);
        drop((living, next));
        assert_eq!(names(), 0);
    }

    #[test]
    fn a_missing_parent_is_an_error_with_its_name() {
        let Err(Limit::File(message)) = WorkDir::new(Some(Path::new("no/such/folder"))) else { panic!() };
        assert!(message.contains("no/such/folder"), "{message}");
    }
}
