//! What a killed pv left behind: work folders and half-written checkpoints, found and removed by the next one.
//!
//! Idea: whoever makes such a folder or file holds a lock on it for as long as he lives; the system takes the lock away
//! with the process, however it ends. So what can be locked belongs to nobody any more. A process that is just starting
//! has made its folder and not locked it yet: it may be removed under its hands, which [`hold`] notices, and its owner
//! makes another one.
//!
//! Nothing is touched that is not certainly pv's: it must have the name, be a plain folder or file (no link) and belong to
//! this user. Where files cannot be locked nothing is ever removed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// The file of a work folder that is locked.
pub const LOCK: &str = "lock";
/// How often to try anew when what was just made is taken away: it takes a pv that looks around in that very moment.
pub const ATTEMPTS: u32 = 100;
/// Letters that the system of temporary names puts behind a prefix.
const RANDOM_LETTERS: usize = 6;

/// Locks a file that was just made at this path. `false`: somebody took it for abandoned meanwhile. A file system that
/// has no locks is no obstacle.
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
        // Somebody was killed between making the folder and the lock. Removes only what is empty.
        if fs::remove_dir(path).is_ok() {
            return;
        }
        let Some(_lock) = abandoned(&path.join(LOCK)) else { return };
        // The lock goes last: what is left if this process is killed here can still be told from what is not pv's.
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

/// Calls `f` with what has such a name and belongs to this user. What cannot be read is left alone: this is housekeeping,
/// and no reason to fail.
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

/// The file, locked, if nobody holds it.
fn abandoned(path: &Path) -> Option<File> {
    let found = fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
    // Between the two calls a link may have come in its place.
    let opened = file.metadata().ok()?;
    (same(&found, &opened) && file.try_lock().is_ok()).then_some(file)
}

#[cfg(unix)]
fn same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(unix)]
fn owner(metadata: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

/// Elsewhere nobody can be told apart, so nothing is removed.
#[cfg(not(unix))]
fn owner(_: &Metadata) -> Option<u32> {
    None
}

/// This user, by what belongs to him.
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
