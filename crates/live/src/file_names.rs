//! Names and numbers of the files of a job: resolves paths below a mount, and numbers files in the
//! order of first use.
//!
//! Paths are resolved one component at a time, relative to directories, because a protocol needs
//! the number of each directory and because links may lead to other mounts or out of them.

use crate::file_blocks::FileBlocks;
use crate::file_store::{FileStore, open_directory};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::rc::Rc;
use workload::FileId;

/// The number of a mount's root.
const ROOT: FileId = 0;
/// Links in one path (path_resolution(7)).
const MAX_LINKS: u32 = 40;

/// The names of one file system.
pub(crate) struct Names {
    pub number: u8,
    root: Rc<File>,
    /// Absolute paths below which are its files: its backing directory, and its mounts.
    prefixes: Vec<Vec<u8>>,
    mount: PathBuf,
    states: Vec<FileState>,
    by_inode: BTreeMap<(u64, u64), FileId>,
    /// Names that do not exist, by directory. Numbers of files that calls in flight may create.
    missing: BTreeMap<(FileId, Vec<u8>), FileId>,
    /// Whether a directory may have a default layout.
    pub has_layouts: bool,
}

/// What is known about a file.
#[derive(Clone, Default, Debug)]
pub(crate) struct FileState {
    /// In bytes; of a directory, the number of entries, if they have been counted.
    pub size: Option<u64>,
    pub is_directory: bool,
    /// Simulated times of its last access, of its data's last change and of any last change, in
    /// nanoseconds since 1970. `None`: those of the file of the store.
    pub accessed_ns: Option<i64>,
    pub modified_ns: Option<i64>,
    pub changed_ns: Option<i64>,
    /// The file of the store does not have `modified_ns` yet.
    pub is_undated: bool,
    /// A path by which it was opened.
    pub path: Option<Box<[u8]>>,
    /// Whether the protocol has got its layout from before the run, if it has one.
    pub is_announced: bool,
}

impl FileState {
    /// Its data have changed.
    pub fn modify(&mut self, now_ns: Option<i64>) {
        (self.modified_ns, self.changed_ns) = (now_ns, now_ns);
        self.is_undated = true;
    }
    /// Its data have been read. The time changes as with the mount option `relatime` (mount(8)),
    /// without its limit of a day.
    pub fn access(&mut self, now_ns: Option<i64>) {
        if self.accessed_ns <= self.changed_ns {
            self.accessed_ns = now_ns;
        }
    }
}

/// An entry of a directory, which need not exist.
pub(crate) struct Place {
    /// Index of its file system.
    pub system: usize,
    /// `None`: `name` is an absolute path outside of the mounts.
    directory: Option<Rc<File>>,
    pub name: CString,
    pub parent: FileId,
    pub file: FileId,
    /// Its attributes, if it exists.
    pub stat: Option<libc::stat>,
    /// Directories and links on the path, with the directory of each.
    pub lookups: Vec<(FileId, FileId)>,
    /// Why the path does not lead to an entry: `name` is its last component that was looked up.
    pub error: Option<i32>,
    /// Whether `name` is the last component of the path.
    pub is_reached: bool,
}

impl Place {
    fn new(
        system: usize,
        directory: Option<Rc<File>>,
        name: CString,
        (parent, file): (FileId, FileId),
    ) -> Place {
        let (stat, lookups, error, is_reached) = (None, Vec::new(), None, true);
        Place { system, directory, name, parent, file, stat, lookups, error, is_reached }
    }
    /// The directory for calls relative to it.
    pub fn fd(&self) -> RawFd {
        self.directory.as_ref().map_or(libc::AT_FDCWD, |directory| directory.as_raw_fd())
    }
    pub fn is(&self, kind: libc::mode_t) -> bool {
        self.stat.is_some_and(|stat| stat.st_mode & libc::S_IFMT == kind)
    }
    /// Whether its path ends with a slash.
    pub fn has_slash(&self) -> bool {
        self.name.as_bytes().ends_with(b"/")
    }
    /// Whether its last name is `.` or `..`.
    pub fn is_dots(&self) -> bool {
        matches!(self.name.as_bytes(), b"." | b"..")
    }
    /// The error of a path whose last directory has not been reached.
    pub fn error_of_parent(&self) -> Option<i32> {
        self.error.filter(|_| !self.is_reached)
    }
    /// The error of a call on the existing file.
    pub fn error_as_file(&self) -> Option<i32> {
        match () {
            () if self.stat.is_none() => Some(libc::ENOENT),
            () if self.has_slash() && !self.is(libc::S_IFDIR) => Some(libc::ENOTDIR),
            () => None,
        }
    }
    /// Whether it is below a mount.
    pub fn is_inside(&self) -> bool {
        self.directory.is_some()
    }
    /// Whether another entry is in the same file system, so that files can move between them.
    pub fn is_beside(&self, other: &Place) -> bool {
        (self.system, self.is_inside()) == (other.system, other.is_inside())
    }
}

/// The errno of the last system call.
pub(crate) fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

/// All file systems of the job.
pub(crate) struct NameSpace {
    pub systems: Vec<Names>,
    pub blocks: Option<Rc<FileBlocks>>,
    /// Changes of names by calls.
    pub changes: u64,
}

impl NameSpace {
    pub fn new(store: &FileStore) -> io::Result<NameSpace> {
        let mut systems = Vec::new();
        for (number, backing) in store.roots() {
            let own = store.mounts.iter().filter(|mount| mount.file_system == number);
            let mounts: Vec<PathBuf> = own.map(|mount| mount.path.clone()).collect();
            let prefixes = mounts.iter().chain([&backing]);
            let prefixes = prefixes.map(|path| path.as_os_str().as_bytes().to_vec()).collect();
            let mut names = Names {
                number,
                root: Rc::new(open_directory(&backing)?),
                prefixes,
                mount: mounts[0].clone(),
                states: Vec::new(),
                by_inode: BTreeMap::new(),
                missing: BTreeMap::new(),
                // A store of the user may have those of an earlier run.
                has_layouts: store.temporary().is_none(),
            };
            let stat =
                stat_of(names.root.as_raw_fd(), c"").map_err(io::Error::from_raw_os_error)?;
            names.bind(ROOT, b"", &stat);
            systems.push(names);
        }
        Ok(NameSpace { systems, blocks: store.blocks.clone(), changes: 0 })
    }

    /// The roots are as old as the simulation.
    pub fn date_roots(&mut self, epoch_ns: Option<i64>) {
        for names in &mut self.systems {
            let root = names.state(ROOT);
            root.modify(epoch_ns);
            root.accessed_ns = epoch_ns;
        }
    }

    /// The index of a file system with this number.
    pub fn index(&self, number: u32) -> Option<usize> {
        self.systems.iter().position(|names| u32::from(names.number) == number)
    }

    /// The file system of an absolute path, and the rest of the path.
    fn inside<'a>(&self, path: &'a [u8]) -> Option<(usize, &'a [u8])> {
        let mut found: Option<(usize, usize)> = None;
        for (system, names) in self.systems.iter().enumerate() {
            for prefix in &names.prefixes {
                let is_below = path.strip_prefix(prefix.as_slice());
                let is_below = is_below.is_some_and(|rest| rest.is_empty() || rest[0] == b'/');
                if is_below && found.is_none_or(|(_, longest)| prefix.len() > longest) {
                    found = Some((system, prefix.len()));
                }
            }
        }
        found.map(|(system, length)| (system, &path[length..]))
    }

    /// Resolves a path relative to the root of a file system. `follow`: also a link in the last
    /// component.
    pub fn resolve(&mut self, system: usize, path: &[u8], follow: bool) -> Place {
        self.walk(system, path, follow, false)
    }

    /// As `resolve`, for a call that may create a file: a name that ends with a slash is an error,
    /// also if it is the text of a link (`open_last_lookups` in fs/namei.c).
    pub fn resolve_to_create(&mut self, system: usize, path: &[u8], follow: bool) -> Place {
        self.walk(system, path, follow, true)
    }

    fn walk(&mut self, system: usize, path: &[u8], follow: bool, creates: bool) -> Place {
        let root = |system: usize, all: &NameSpace| (all.systems[system].root.clone(), ROOT);
        let mut walk = Walk {
            system,
            stack: vec![root(system, self)],
            rest: components(path).collect(),
            lookups: Vec::new(),
            ending: Ending::of(path),
        };
        let mut links = 0;
        let mut needs_directory = false;
        while let Some(name) = walk.rest.pop_front() {
            if name == b".." {
                if walk.stack.len() > 1 {
                    if walk.ending == Ending::Parent && walk.rest.is_empty() {
                        return walk.parent();
                    }
                    walk.stack.pop();
                    continue;
                }
                let above = self.systems[walk.system].mount.parent().map(PathBuf::from);
                let above = above.unwrap_or_default().into_os_string();
                return self.outside(walk, above.as_bytes());
            }
            let is_last = walk.rest.is_empty() && walk.ending != Ending::Dot;
            needs_directory |= is_last && walk.ending == Ending::Slash;
            let (directory, parent) = walk.top();
            let Ok(text) = CString::new(name.clone()) else {
                return self.failed(walk, &name, libc::EINVAL);
            };
            let shown = if needs_directory { [&name, &b"/"[..]].concat() } else { name.clone() };
            let shown = CString::new(shown).unwrap_or_default();
            if creates && is_last && needs_directory {
                return self.failed(walk, &name, libc::EISDIR);
            }
            let stat = match stat_of(directory.as_raw_fd(), &text) {
                Ok(stat) => stat,
                Err(libc::ENOENT) if is_last => return self.place(walk, &name, shown, None),
                Err(error) => return self.failed(walk, &name, error),
            };
            match stat.st_mode & libc::S_IFMT {
                libc::S_IFLNK if follow || !is_last => {
                    links += 1;
                    let file = self.systems[walk.system].bind(parent, &name, &stat);
                    walk.lookups.push((parent, file));
                    let target = match read_link(directory.as_raw_fd(), &text) {
                        Ok(target) if links <= MAX_LINKS => target,
                        Ok(_) => return self.failed(walk, &name, libc::ELOOP),
                        Err(error) => return self.failed(walk, &name, error),
                    };
                    if is_last {
                        walk.ending = Ending::of(&target);
                    }
                    let below = if target.starts_with(b"/") {
                        let Some((system, below)) = self.inside(&target) else {
                            return self.outside(walk, &target);
                        };
                        walk.system = system;
                        walk.stack = vec![root(system, self)];
                        below
                    } else {
                        &target[..]
                    };
                    for component in components(below).collect::<Vec<_>>().into_iter().rev() {
                        walk.rest.push_front(component);
                    }
                }
                _ if is_last => return self.place(walk, &name, shown, Some(stat)),
                libc::S_IFDIR => {
                    let file = self.systems[walk.system].bind(parent, &name, &stat);
                    walk.lookups.push((parent, file));
                    let flags =
                        libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
                    // SAFETY: a zero-terminated name; the descriptor is new and owned here.
                    let fd = unsafe { libc::openat(directory.as_raw_fd(), text.as_ptr(), flags) };
                    if fd < 0 {
                        return self.failed(walk, &name, errno());
                    }
                    // SAFETY: as above.
                    walk.stack.push((Rc::new(unsafe { File::from_raw_fd(fd) }), file));
                }
                _ => return self.failed(walk, &name, libc::ENOTDIR),
            }
        }
        // The path is a directory that the walk has entered, or the root.
        let (directory, file) = walk.top();
        let parent = walk.stack.iter().rev().nth(1).map_or(file, |above| above.1);
        let stat = stat_of(directory.as_raw_fd(), c"").ok();
        if walk.lookups.last() == Some(&(parent, file)) {
            walk.lookups.pop();
        }
        let (system, lookups) = (walk.system, walk.lookups);
        let (name, directory) = (c".".to_owned(), Some(directory));
        Place { stat, lookups, ..Place::new(system, directory, name, (parent, file)) }
    }

    /// The entry `name` of the directory that the walk has reached.
    fn place(&mut self, walk: Walk, name: &[u8], text: CString, stat: Option<libc::stat>) -> Place {
        let (directory, parent) = walk.top();
        let names = &mut self.systems[walk.system];
        let file = match &stat {
            Some(stat) => names.bind(parent, name, stat),
            None => names.missing(parent, name),
        };
        let Walk { system, lookups, .. } = walk;
        let directory = Some(directory);
        Place { stat, lookups, ..Place::new(system, directory, text, (parent, file)) }
    }

    fn failed(&mut self, walk: Walk, name: &[u8], error: i32) -> Place {
        let text = CString::new(name).unwrap_or_default();
        let is_reached = walk.rest.is_empty() && walk.ending != Ending::Dot;
        Place { error: Some(error), is_reached, ..self.place(walk, name, text, None) }
    }

    /// The rest of the walk, below a path that no mount contains.
    fn outside(&mut self, walk: Walk, path: &[u8]) -> Place {
        let mut path = path.to_vec();
        for component in &walk.rest {
            path.push(b'/');
            path.extend_from_slice(component);
        }
        let text = CString::new(path.clone()).unwrap_or_default();
        let stat = stat_of(libc::AT_FDCWD, &text).ok();
        Place { directory: None, stat, ..self.place(walk, &path, text, None) }
    }
}

/// A partly resolved path.
struct Walk {
    system: usize,
    /// The directories from the root of the file system, with their numbers.
    stack: Vec<(Rc<File>, FileId)>,
    rest: VecDeque<Vec<u8>>,
    lookups: Vec<(FileId, FileId)>,
    ending: Ending,
}

/// How a path ends. The kernel gives these names to the last component of a call.
#[derive(Clone, Copy, PartialEq)]
enum Ending {
    Name,
    /// A directory, or a new one.
    Slash,
    /// `.`
    Dot,
    /// `..`
    Parent,
}

impl Ending {
    fn of(path: &[u8]) -> Ending {
        let last = path.rsplit(|&byte| byte == b'/').find(|part| !part.is_empty());
        match last {
            Some(b".") => Ending::Dot,
            Some(b"..") => Ending::Parent,
            _ if path.ends_with(b"/") => Ending::Slash,
            _ => Ending::Name,
        }
    }
}

impl Walk {
    /// `..` of the directory that the walk has reached, which is not the root.
    fn parent(self) -> Place {
        let (directory, parent) = self.top();
        let file = self.stack[self.stack.len() - 2].1;
        let stat = stat_of(directory.as_raw_fd(), c"..").ok();
        let (system, lookups, name) = (self.system, self.lookups, c"..".to_owned());
        Place { stat, lookups, ..Place::new(system, Some(directory), name, (parent, file)) }
    }
    fn top(&self) -> (Rc<File>, FileId) {
        let (directory, number) = &self.stack[self.stack.len() - 1];
        (directory.clone(), *number)
    }
}

impl Names {
    pub fn state(&mut self, file: FileId) -> &mut FileState {
        &mut self.states[file as usize]
    }

    /// The path below its first mount by which a file was opened.
    pub fn path(&self, file: FileId) -> Option<String> {
        let path = self.states.get(file as usize)?.path.as_ref()?;
        let path = String::from_utf8_lossy(path);
        Some(format!("{}/{}", self.mount.display(), path.trim_start_matches('/')))
    }

    fn new_file(&mut self) -> FileId {
        self.states.push(FileState::default());
        (self.states.len() - 1) as FileId
    }

    /// The number of an existing entry.
    fn bind(&mut self, parent: FileId, name: &[u8], stat: &libc::stat) -> FileId {
        let inode = (stat.st_dev, stat.st_ino);
        let file = match self.by_inode.get(&inode) {
            Some(file) => *file,
            None => {
                let file = self.missing.remove(&(parent, name.to_vec()));
                let file = file.unwrap_or_else(|| self.new_file());
                self.by_inode.insert(inode, file);
                file
            }
        };
        let state = &mut self.states[file as usize];
        state.is_directory = stat.st_mode & libc::S_IFMT == libc::S_IFDIR;
        if !state.is_directory {
            state.size = Some(stat.st_size as u64);
        }
        file
    }

    /// The number of an entry that does not exist.
    fn missing(&mut self, parent: FileId, name: &[u8]) -> FileId {
        let key = (parent, name.to_vec());
        if let Some(file) = self.missing.get(&key) {
            return *file;
        }
        let file = self.new_file();
        self.missing.insert(key, file);
        file
    }

    /// The number of an open file.
    pub fn open_file(&mut self, device: u64, inode: u64) -> FileId {
        match self.by_inode.get(&(device, inode)) {
            Some(file) => *file,
            None => {
                let file = self.new_file();
                self.by_inode.insert((device, inode), file);
                file
            }
        }
    }

    /// An entry has been created. Its inode may be that of an earlier file that was deleted, so it
    /// gets the number that its name had before.
    pub fn created(&mut self, place: &Place) -> &mut FileState {
        if let Ok(stat) = stat_of(place.fd(), &place.name) {
            self.by_inode.remove(&(stat.st_dev, stat.st_ino));
        }
        let state = self.linked(place);
        if state.is_directory {
            state.size = Some(0);
        }
        state
    }

    /// An entry for an existing file has been created.
    pub fn linked(&mut self, place: &Place) -> &mut FileState {
        if place.is_inside() {
            self.add_entries(place.parent, 1);
        }
        let name = place.name.as_bytes();
        let name = name.strip_suffix(b"/").unwrap_or(name);
        let file = match stat_of(place.fd(), &place.name) {
            Ok(stat) => self.bind(place.parent, name, &stat),
            // It is not in the store: the state is not used.
            Err(_) => place.file,
        };
        self.state(file)
    }

    /// Entries have been added to a directory or removed.
    pub fn add_entries(&mut self, directory: FileId, change: i64) {
        let size = &mut self.states[directory as usize].size;
        *size = size.map(|entries| entries.saturating_add_signed(change));
    }

    /// The number of entries of a directory.
    pub fn entries(&mut self, directory: FileId, place: &Place) -> u64 {
        if let Some(entries) = self.states[directory as usize].size {
            return entries;
        }
        let path = format!("/proc/self/fd/{}", place.fd());
        let path = PathBuf::from(path).join(std::ffi::OsStr::from_bytes(place.name.as_bytes()));
        let entries = std::fs::read_dir(path).map_or(0, |entries| entries.count() as u64);
        self.states[directory as usize].size = Some(entries);
        entries
    }
}

fn components(path: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    path.split(|&byte| byte == b'/').filter(|c| !c.is_empty() && *c != b".").map(<[u8]>::to_vec)
}

/// Attributes of an entry without following it; an empty name is the directory itself.
pub(crate) fn stat_of(directory: RawFd, name: &std::ffi::CStr) -> Result<libc::stat, i32> {
    // SAFETY: zeroed is a valid stat; a zero-terminated name.
    unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        let flags = libc::AT_SYMLINK_NOFOLLOW | libc::AT_EMPTY_PATH;
        match libc::fstatat(directory, name.as_ptr(), &mut stat, flags) {
            0 => Ok(stat),
            _ => Err(errno()),
        }
    }
}

fn read_link(directory: RawFd, name: &std::ffi::CStr) -> Result<Vec<u8>, i32> {
    let mut target = vec![0u8; libc::PATH_MAX as usize];
    // SAFETY: the buffer has the given length.
    let n = unsafe {
        libc::readlinkat(directory, name.as_ptr(), target.as_mut_ptr().cast(), target.len())
    };
    if n < 0 {
        return Err(errno());
    }
    target.truncate(n as usize);
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_store::{FileSystems, Mount};
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn name_space() -> (FileStore, NameSpace, PathBuf) {
        let mount = |file_system, path: &str| Mount { file_system, path: path.into() };
        let mounts = vec![mount(3, "/lus/flare"), mount(5, "/daos")];
        let store = FileStore::new(&FileSystems { mounts, ..FileSystems::default() }).unwrap();
        let root = store.temporary().unwrap().to_path_buf();
        let names = NameSpace::new(&store).unwrap();
        (store, names, root)
    }

    #[test]
    fn directories_are_looked_up_and_files_keep_their_numbers() {
        let (_store, mut names, root) = name_space();
        std::fs::create_dir_all(root.join("lus/flare/a/b")).unwrap();
        let flare = names.index(3).unwrap();
        let before = names.resolve(flare, b"a/b/new", true);
        assert_eq!((before.lookups.len(), before.error), (2, None));
        assert_eq!((before.lookups[0].0, before.lookups[1].0), (ROOT, before.lookups[0].1));
        assert_eq!(before.parent, before.lookups[1].1);
        assert!(before.stat.is_none());
        std::fs::write(root.join("lus/flare/a/b/new"), b"12345").unwrap();
        names.systems[flare].created(&before);
        let after = names.resolve(flare, b"a//b/./new", true);
        assert_eq!((after.file, after.parent), (before.file, before.parent));
        assert_eq!(names.systems[flare].state(after.file).size, Some(5));
        let same =
            names.systems[flare].open_file(after.stat.unwrap().st_dev, after.stat.unwrap().st_ino);
        assert_eq!(same, after.file);
        let directory = names.resolve(flare, b"a/b", true);
        assert_eq!((directory.file, directory.lookups.len()), (after.parent, 1));
        assert_eq!(names.systems[flare].entries(directory.file, &directory), 1);
    }

    #[test]
    fn links_lead_to_other_mounts_and_out_of_them() {
        let (_store, mut names, root) = name_space();
        let (flare, daos) = (names.index(3).unwrap(), names.index(5).unwrap());
        std::fs::create_dir_all(root.join("daos/d")).unwrap();
        let link = |target: &str, name: &str| {
            symlink(target, root.join("lus/flare").join(name)).unwrap();
        };
        link("/daos/d", "to-mount");
        link(root.join("daos/d").to_str().unwrap(), "to-backing");
        link("loop", "loop");
        link("/proc/self", "out");
        link("../../x", "above");
        for name in [&b"to-mount/f"[..], b"to-backing/f"] {
            let place = names.resolve(flare, name, true);
            assert_eq!((place.system, place.name.as_c_str()), (daos, c"f"));
        }
        assert_eq!(names.resolve(flare, b"loop", true).error, Some(libc::ELOOP));
        assert!(names.resolve(flare, b"loop", false).is(libc::S_IFLNK));
        let out = names.resolve(flare, b"out/stat", true);
        assert_eq!((out.fd(), out.name.as_c_str()), (libc::AT_FDCWD, c"/proc/self/stat"));
        let above = names.resolve(flare, b"above/y", true);
        assert_eq!(above.name.as_c_str(), c"/lus/../x/y");
        assert!(Path::new("/proc/self/stat").exists() && out.stat.is_some());
    }

    /// Whose errors are the kernel's: `rmdir` of `a/.` is EINVAL, of `a/..` ENOTEMPTY.
    #[test]
    fn the_last_component_remains() {
        let (_store, mut names, root) = name_space();
        let flare = names.index(3).unwrap();
        std::fs::create_dir_all(root.join("lus/flare/top/a")).unwrap();
        let a = names.resolve(flare, b"top/a", true).file;
        let top = names.resolve(flare, b"top", true).file;
        let mut at = |path: &[u8]| {
            let place = names.resolve(flare, path, false);
            assert_eq!(place.error, None);
            (place.name.into_bytes(), place.parent, place.file)
        };
        assert_eq!(at(b"top/a/."), (b".".to_vec(), top, a));
        assert_eq!(at(b"top/a/.."), (b"..".to_vec(), a, top));
        assert_eq!(at(b"top/a/"), (b"a/".to_vec(), top, a));
        assert_eq!(at(b"top/./a"), (b"a".to_vec(), top, a));
        assert_eq!(at(b"top/new/").0, b"new/");
    }

    /// A slash after the text of a link counts as one after the name of the link.
    #[test]
    fn links_to_names_with_a_slash_lead_to_directories() {
        let (_store, mut names, root) = name_space();
        let flare = names.index(3).unwrap();
        let top = root.join("lus/flare");
        std::fs::write(top.join("file"), b"").unwrap();
        symlink("file/", top.join("link")).unwrap();
        symlink("new/", top.join("to-new")).unwrap();
        let place = names.resolve(flare, b"link", true);
        assert_eq!((place.name.as_c_str(), place.error), (c"file/", None));
        assert_eq!(place.error_as_file(), Some(libc::ENOTDIR));
        for path in [&b"link"[..], b"to-new", b"other/"] {
            let place = names.resolve_to_create(flare, path, true);
            assert_eq!(place.error, Some(libc::EISDIR), "{path:?}");
        }
        assert_eq!(names.resolve_to_create(flare, b"link", false).error, None);
        assert_eq!(names.resolve_to_create(flare, b"file", true).error, None);
    }

    #[test]
    fn the_first_missing_component_is_the_error() {
        let (_store, mut names, root) = name_space();
        let flare = names.index(3).unwrap();
        std::fs::write(root.join("lus/flare/file"), b"").unwrap();
        assert_eq!(names.resolve(flare, b"no/where", true).error, Some(libc::ENOENT));
        assert_eq!(names.resolve(flare, b"file/below", true).error, Some(libc::ENOTDIR));
        assert_eq!(names.resolve(flare, b"no/.", true).error, Some(libc::ENOENT));
        assert_eq!(names.resolve(flare, b"file/.", false).error, Some(libc::ENOTDIR));
        let long = vec![b'a'; 300];
        assert_eq!(names.resolve(flare, &long, true).error, Some(libc::ENAMETOOLONG));
        let root = names.resolve(flare, b"", true);
        assert_eq!((root.file, root.parent, root.lookups.len()), (ROOT, ROOT, 0));
    }
}
