//! What a killed pv left behind: work folders and half-written checkpoints, found and removed by the next pv.
//!
//! Idea: the process that makes such a folder or file holds a lock on it for as long as it lives; the system takes the lock away
//! with the process, however the process ends. So a file that can be locked belongs to nobody any more. A process that is just
//! starting has made its folder and not locked it yet; another pv may remove the folder at that moment. [`hold`] notices
//! that, and the owner makes another one.
//!
//! Nothing is removed unless it is certainly pv's: it must have the name, be a plain folder or file (no link) and belong to
//! this user. Where files cannot be locked nothing is ever removed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// The name of the file in a work folder that its owner locks.
pub const LOCK: &str = "lock";
/// How often to try anew when another pv removes a file or folder that was just made: that pv must look around at that very
/// moment, so a hundred times in a row do not happen.
pub const ATTEMPTS: u32 = 100;
/// Letters that the crate `tempfile` puts behind a prefix.
const RANDOM_LETTERS: usize = 6;

/// Locks a file that was just made at this path. `false`: another pv took it for abandoned meanwhile. On a file system without
/// locks the answer is `true`.
pub fn hold(file: &File, path: &Path) -> io::Result<bool> {
    if matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock)) {
        return Ok(false);
    }
    match fs::symlink_metadata(path) {
        Ok(there) => Ok(same(&there, &file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes the abandoned work folders in `parent` whose names begin with `prefix`.
pub fn sweep_folders(parent: &Path, prefix: &str) {
    sweep(parent, prefix, |path, metadata| {
        if !metadata.is_dir() {
            return;
        }
        // An owner that was killed before it made the lock leaves an empty folder, and only an empty one is removed here.
        if fs::remove_dir(path).is_ok() {
            return;
        }
        let Some(_lock) = abandoned(&path.join(LOCK)) else { return };
        // The lock is removed last: if this process is killed here, the rest can still be told from folders of others.
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            if entry.file_name() != LOCK {
                let _ = fs::remove_file(entry.path());
            }
        }
        let _ = fs::remove_dir_all(path);
    });
}

/// Removes the abandoned files in `parent` whose names begin with `prefix`.
pub fn sweep_files(parent: &Path, prefix: &str) {
    sweep(parent, prefix, |path, metadata| {
        if metadata.is_file() && abandoned(path).is_some() {
            let _ = fs::remove_file(path);
        }
    });
}

/// Calls `f` with every file and folder that has such a name and belongs to this user. What cannot be read is left alone: this is
/// housekeeping, and no reason to fail.
fn sweep(parent: &Path, prefix: &str, f: impl Fn(&Path, &Metadata)) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let mut me = None;
    for entry in entries.flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
        let ours = |random: &str| random.len() == RANDOM_LETTERS && random.bytes().all(|b| b.is_ascii_alphanumeric());
        if !random.is_some_and(ours) {
            continue;
        }
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if me.is_none() {
            me = owner_of_new_files();
        }
        if me.is_some() && me == owner(&metadata) {
            f(&path, &metadata);
        }
    }
}

/// The file at this path, opened and locked; `None` if it is no plain file or another process holds the lock.
fn abandoned(path: &Path) -> Option<File> {
    let found = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
    // Between the two calls a link may have come in the place of the file.
    let opened = file.metadata().ok()?;
    (same(&found, &opened) && file.try_lock().is_ok()).then_some(file)
}

/// Do both describe one file?
#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// The user that a file belongs to.
#[cfg(unix)]
fn owner(metadata: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

/// On other systems users cannot be told apart, so nothing is removed.
#[cfg(not(unix))]
fn owner(_: &Metadata) -> Option<u32> {
    None
}

/// This user, found by making a file and asking whose it is.
fn owner_of_new_files() -> Option<u32> {
    owner(&tempfile::tempfile().ok()?.metadata().ok()?)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn folder(path: &Path) {
        fs::create_dir(path).unwrap();
        fs::write(path.join(LOCK), "").unwrap();
        fs::write(path.join("queue-0"), "states").unwrap();
    }

    #[test]
    fn only_what_nobody_holds_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        for name in ["pv-gone00", "pv-in0use", "pv-other", "pv-sevenlx", "xx-gone00"] {
            folder(&at(name));
        }
        fs::create_dir(at("pv-empty0")).unwrap();
        // A folder of somebody else's making: no lock in it.
        fs::create_dir(at("pv-alien0")).unwrap();
        fs::write(at("pv-alien0").join("letter"), "").unwrap();
        // Links lead anywhere.
        folder(&at("elsewhere"));
        std::os::unix::fs::symlink(at("elsewhere"), at("pv-linked")).unwrap();
        folder(&at("pv-linklk"));
        fs::remove_file(at("pv-linklk").join(LOCK)).unwrap();
        std::os::unix::fs::symlink(at("elsewhere").join(LOCK), at("pv-linklk").join(LOCK)).unwrap();
        fs::write(at("pv-afile0"), "").unwrap();
        let lock = File::open(at("pv-in0use").join(LOCK)).unwrap();
        assert!(hold(&lock, &at("pv-in0use").join(LOCK)).unwrap());

        sweep_folders(parent.path(), "pv-");
        let mut left: Vec<_> = fs::read_dir(parent.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let expected = [
            "elsewhere",
            "pv-afile0",
            "pv-alien0",
            "pv-in0use",
            "pv-linked",
            "pv-linklk",
            "pv-other",
            "pv-sevenlx",
            "xx-gone00",
        ];
        assert_eq!(left, expected);
        assert!(at("elsewhere").join("queue-0").exists());
        drop(lock);
        sweep_folders(parent.path(), "pv-");
        assert!(!at("pv-in0use").exists());
    }

    #[test]
    fn files_too() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        for name in ["c.tmp-gone00", "c.tmp-in0use", "c", "d.tmp-gone00"] {
            fs::write(at(name), "").unwrap();
        }
        let lock = File::open(at("c.tmp-in0use")).unwrap();
        lock.lock().unwrap();
        sweep_files(parent.path(), "c.tmp-");
        let left: Vec<_> = ["c.tmp-gone00", "c.tmp-in0use", "c", "d.tmp-gone00"].map(|name| at(name).exists()).into();
        assert_eq!(left, [false, true, true, true]);
    }

    /// Removed or locked by a sweep while it was being made.
    #[test]
    fn a_lock_that_was_lost_is_noticed() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join(LOCK);
        let file = File::create(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert!(!hold(&file, &path).unwrap());
        let file = File::create(&path).unwrap();
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        assert!(!hold(&file, &path).unwrap());
    }
}
