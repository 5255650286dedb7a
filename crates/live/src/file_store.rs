//! The store: a directory on the real disk with the contents of the simulated file systems. The
//! directory of a mount `/lus/flare` is `STORE/lus/flare`.
//!
//! A temporary store is removed at the end of the job, also by the orphan reaper if this process is
//! killed. With a directory of the user its contents stay, and are the initial contents of the next
//! run.

use std::ffi::{CString, OsStr, OsString};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use workload::file_request::encode_mounts;

use crate::file_blocks::FileBlocks;
use crate::file_facts::SystemFacts;

/// A simulated file system, and where programs see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Mount {
    /// Its number among those of the machine.
    pub file_system: u8,
    /// Absolute and without `.`, `..` and repeated slashes. The directory of the first mount of a
    /// file system holds its files.
    pub path: PathBuf,
}

/// The file systems of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileSystems {
    pub mounts: Vec<Mount>,
    /// Of the mounted file systems, in any order.
    pub facts: Vec<SystemFacts>,
    /// The user's directory; without one the store is temporary.
    pub keep: Option<PathBuf>,
    /// Start of simulated time, in nanoseconds since 1970: the times of files. Without it they have
    /// real times.
    pub epoch_ns: Option<i64>,
    /// The library that is preloaded into the ranks, and the MPI library for processes that do not
    /// use MPI.
    pub preload: OsString,
    pub mpi_library: OsString,
}

pub(crate) struct FileStore {
    /// By mount: its backing directory.
    backing: Vec<PathBuf>,
    pub mounts: Vec<Mount>,
    /// Removed at the end.
    temporary: Option<PathBuf>,
    /// Of a temporary store.
    pub blocks: Option<Rc<FileBlocks>>,
}

impl FileStore {
    /// Creates the directories of the mounts.
    pub fn new(systems: &FileSystems) -> io::Result<FileStore> {
        let mut store = FileStore {
            backing: Vec::new(),
            mounts: systems.mounts.clone(),
            temporary: None,
            blocks: None,
        };
        if systems.mounts.is_empty() {
            return Ok(store);
        }
        let root = match &systems.keep {
            Some(dir) => {
                create(dir)?;
                dir.canonicalize()?
            }
            None => {
                let dir = temporary()?;
                store.temporary = Some(dir.clone());
                // A disk without files that have no name stores every copy.
                store.blocks = FileBlocks::new(&dir).ok().map(Rc::new);
                // As the kernel prints it, also if TMPDIR is relative or a link.
                dir.canonicalize()?
            }
        };
        for mount in &systems.mounts {
            let first = systems.mounts.iter().find(|m| m.file_system == mount.file_system);
            let path = &first.unwrap_or(mount).path;
            let backing = root.join(path.strip_prefix("/").unwrap_or(path));
            create_exactly(&backing)?;
            store.backing.push(backing);
        }
        Ok(store)
    }

    /// The directory that is to be removed at the end.
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    /// By file system in order of first mount: its number and its backing directory.
    pub fn roots(&self) -> Vec<(u8, PathBuf)> {
        let mut roots: Vec<(u8, PathBuf)> = Vec::new();
        for (mount, backing) in self.mounts.iter().zip(&self.backing) {
            if roots.iter().all(|(number, _)| *number != mount.file_system) {
                roots.push((mount.file_system, backing.clone()));
            }
        }
        roots
    }

    /// The value of `file_request::ENV_MOUNTS`.
    pub fn variable(&self) -> Option<String> {
        let all = self.mounts.iter().zip(&self.backing).map(|(mount, backing)| {
            let bytes = |path: &'_ Path| path.as_os_str().as_bytes().to_vec();
            (u32::from(mount.file_system), bytes(&mount.path), bytes(backing))
        });
        let all: Vec<(u32, Vec<u8>, Vec<u8>)> = all.collect();
        let text = encode_mounts(all.iter().map(|(n, m, b)| (*n, m.as_slice(), b.as_slice())));
        (!text.is_empty()).then_some(text)
    }
}

impl Drop for FileStore {
    fn drop(&mut self) {
        if let Some(dir) = &self.temporary {
            remove(dir);
        }
    }
}

/// Creates a directory and those above it, if they do not exist.
fn create(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(dir)
}

/// As `create`, with the permissions of a mount whatever the file mode creation mask is.
fn create_exactly(dir: &Path) -> io::Result<()> {
    // SAFETY: plain system calls.
    let mask = unsafe { libc::umask(0) };
    let created = create(dir);
    // SAFETY: as above.
    unsafe { libc::umask(mask) };
    created
}

/// A new directory for temporary files.
fn temporary() -> io::Result<PathBuf> {
    let name = std::env::temp_dir().join("odonata-files-XXXXXX");
    let name = CString::new(name.as_os_str().as_bytes())?;
    let name = name.into_raw();
    // SAFETY: a zero-terminated path that `mkdtemp` changes in place; other users may not enter the
    // directory unless the files of a rank with another user id have to be reached.
    let (made, name) = unsafe { (libc::mkdtemp(name), CString::from_raw(name)) };
    if made.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: as above.
    unsafe { libc::chmod(name.as_ptr(), 0o755) };
    Ok(PathBuf::from(OsStr::from_bytes(name.as_bytes())))
}

/// Removes a directory with its contents. Directories without permissions get them.
fn remove(dir: &Path) {
    if std::fs::remove_dir_all(dir).is_ok() {
        return;
    }
    let mut todo = vec![dir.to_path_buf()];
    while let Some(dir) = todo.pop() {
        let Ok(name) = CString::new(dir.as_os_str().as_bytes()) else { continue };
        // SAFETY: a zero-terminated path.
        unsafe { libc::chmod(name.as_ptr(), 0o700) };
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        let entries = entries.flatten().filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir()));
        todo.extend(entries.map(|entry| entry.path()));
    }
    // Nothing more can be done for what is left.
    let _ = std::fs::remove_dir_all(dir);
}

/// A descriptor of a directory for calls relative to it.
pub(crate) fn open_directory(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_PATH | libc::O_DIRECTORY).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mount(file_system: u8, path: &str) -> Mount {
        Mount { file_system, path: path.into() }
    }

    #[test]
    fn a_temporary_store_has_a_directory_per_file_system_and_disappears() {
        let mounts = vec![mount(1, "/lus/flare"), mount(0, "/daos"), mount(1, "/flare")];
        let systems = FileSystems { mounts, ..FileSystems::default() };
        let store = FileStore::new(&systems).unwrap();
        let root = store.temporary().unwrap().to_path_buf();
        let roots = store.roots();
        assert_eq!(roots, [(1, root.join("lus/flare")), (0, root.join("daos"))]);
        assert!(roots.iter().all(|(_, dir)| dir.is_dir()));
        assert!(!root.join("flare").exists());
        let locked = root.join("daos/a/b");
        std::fs::create_dir_all(&locked).unwrap();
        let text = store.variable().unwrap();
        assert_eq!(text.split(':').count(), 3);
        drop(store);
        assert!(!root.exists());
    }

    #[test]
    fn a_store_of_the_user_stays() {
        let dir = temporary().unwrap();
        let keep = Some(dir.join("kept"));
        let mounts = vec![mount(0, "/scratch")];
        let systems = FileSystems { mounts, keep, ..FileSystems::default() };
        drop(FileStore::new(&systems).unwrap());
        let store = FileStore::new(&systems).unwrap();
        assert_eq!(store.temporary(), None);
        drop(store);
        assert!(dir.join("kept/scratch").is_dir());
        remove(&dir);
    }

    #[test]
    fn no_mounts_need_no_store() {
        let store = FileStore::new(&FileSystems::default()).unwrap();
        assert_eq!((store.variable(), store.temporary()), (None, None));
    }
}
