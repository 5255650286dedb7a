//! The effects of calls that change names, sizes and attributes: system calls on the store, when
//! the simulated call completes.

use crate::file_blocks::FileBlocks;
use crate::file_layouts;
use crate::file_names::{NameSpace, Place, errno, stat_of};
use std::ffi::{CStr, CString};
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use workload::file_flag::{CREATE, DIRECTORY, EXCLUSIVE, TRUNCATE, WRITE};
use workload::file_request::{FileRequest, attribute, request_flag};
use workload::{FileCallKind, LayoutRequest};

/// A request with the bytes of its ranges.
pub(crate) struct Request {
    pub kind: FileCallKind,
    pub header: FileRequest,
    pub path: Vec<u8>,
    pub other: Vec<u8>,
    pub value: Vec<u8>,
}

impl Request {
    /// Whether all of these flags are set.
    pub fn has(&self, flag: u32) -> bool {
        self.header.flags & flag == flag
    }
    pub fn has_flag(&self, flag: u16) -> bool {
        self.has(u32::from(flag))
    }
    /// The attribute of the store for the layout that it names, if it names one.
    fn layout_attribute(&self) -> Option<&'static CStr> {
        match self.kind {
            FileCallKind::GetLayout | FileCallKind::SetLayout => Some(file_layouts::STORED),
            _ => file_layouts::stored(&self.other),
        }
    }
    /// Whether it names an attribute of layouts.
    pub fn names_layout(&self) -> bool {
        self.layout_attribute().is_some()
    }
    /// Whether it names the attribute that every file has.
    pub fn names_file_layout(&self) -> bool {
        self.layout_attribute() == Some(file_layouts::STORED)
    }
    /// Whether it names an attribute that the simulated file system returns.
    pub fn names_description(&self) -> bool {
        [file_layouts::OBJECTS, file_layouts::USAGE].contains(&self.other.as_slice())
    }
    /// The layout that it sets, if it sets one.
    pub fn layout(&self) -> Option<LayoutRequest> {
        if self.sets_layout() { file_layouts::parse(&self.value) } else { None }
    }
    pub fn sets_layout(&self) -> bool {
        match self.kind {
            FileCallKind::SetLayout => true,
            FileCallKind::SetXattr => self.names_layout(),
            _ => false,
        }
    }
    /// Whether a link in the last component is followed.
    pub fn follows(&self) -> bool {
        use FileCallKind::*;
        match self.kind {
            Mkdir | Rmdir | Unlink | Rename | Link | Symlink => false,
            Open if self.has_flag(CREATE | EXCLUSIVE) => false,
            // What a slash follows is a directory.
            ReadLink => self.path.ends_with(b"/"),
            _ => !self.has(request_flag::NO_FOLLOW) || self.path.ends_with(b"/"),
        }
    }
}

/// Zero, or the error of the last system call.
fn check(result: i32) -> Result<(), i32> {
    if result < 0 { Err(errno()) } else { Ok(()) }
}

/// The text without zero bytes; a system call would have found its end at the first.
fn text_of(bytes: &[u8]) -> Result<CString, i32> {
    CString::new(bytes).map_err(|_| libc::EINVAL)
}

/// Runs `f` without a file mode creation mask: requests have final permissions.
fn unmasked<R>(f: impl FnOnce() -> R) -> R {
    // SAFETY: plain system calls.
    let mask = unsafe { libc::umask(0) };
    let result = f();
    // SAFETY: as above.
    unsafe { libc::umask(mask) };
    result
}

/// Executes a call. `epoch_ns` is the simulated time of day, for `*_NOW`; without it real time
/// counts. Returns
/// whether an `Open` or `SetLayout` has created the entry.
pub(crate) fn execute(
    all: &mut NameSpace,
    system: usize,
    request: &Request,
    now_ns: Option<i64>,
) -> Result<bool, i32> {
    if let Some(error) = error_of_names(all, system, request) {
        return Err(error);
    }
    let place = all.resolve(system, &request.path, request.follows());
    if let Some(error) = place.error {
        return Err(error);
    }
    let created = match request.kind {
        FileCallKind::Open => {
            let created = open(&place, request)?;
            let is_emptied = request.has_flag(TRUNCATE) && place.is(libc::S_IFREG);
            if let (Some(blocks), Some(stat), true) =
                (blocks_of(all, &place), &place.stat, is_emptied)
            {
                blocks.empty(stat.st_ino);
            }
            created
        }
        _ if request.sets_layout() => {
            all.systems[place.system].has_layouts = true;
            set_layout(&place, request)?
        }
        kind => {
            change(all, kind, &place, request, now_ns)?;
            false
        }
    };
    let inherits = created || request.kind == FileCallKind::Mkdir;
    if inherits && all.systems[place.system].has_layouts {
        inherit_layout(&place)?;
    }
    let names = &mut all.systems[place.system];
    if created || makes_entry(request.kind) || removes_entry(request.kind) {
        names.state(place.parent).modify(now_ns);
        names.state(place.file).changed_ns = now_ns;
        all.changes += 1;
    }
    let names = &mut all.systems[place.system];
    if created || makes_entry(request.kind) {
        // A further name of a file keeps the file's number.
        if request.kind == FileCallKind::Link {
            names.linked(&place).changed_ns = now_ns;
        } else {
            let state = names.created(&place);
            (state.accessed_ns, state.modified_ns) = (now_ns, now_ns);
            state.changed_ns = now_ns;
            if let (Some(blocks), Ok(stat)) =
                (blocks_of(all, &place), stat_of(place.fd(), &place.name))
            {
                blocks.forget(stat.st_ino);
            }
            if now_ns.is_some() {
                // A failure leaves the real time.
                let _ = set_times(&place, now_ns, now_ns, false);
            }
        }
    }
    Ok(created)
}

/// The blocks that are stored once, for a place whose file may have some. A file outside of the
/// mounts has none, and may have the inode number of one that has.
fn blocks_of<'a>(all: &'a NameSpace, place: &Place) -> Option<&'a FileBlocks> {
    all.blocks.as_deref().filter(|_| place.is_inside())
}

/// The error that the kernel finds in the names of a call before it calls the file system, in its
/// order (`do_linkat`, `do_renameat2`, `open_last_lookups` in fs/namei.c).
pub(crate) fn error_of_names(all: &mut NameSpace, system: usize, request: &Request) -> Option<i32> {
    match request.kind {
        FileCallKind::Link => error_of_link(all, system, request),
        FileCallKind::Rename => error_of_rename(all, system, request),
        FileCallKind::Open if request.has_flag(CREATE) => {
            all.resolve_to_create(system, &request.path, request.follows()).error
        }
        _ => None,
    }
}

fn error_of_link(all: &mut NameSpace, system: usize, request: &Request) -> Option<i32> {
    let from = all.resolve(system, &request.other, follows_existing(request));
    if let Some(error) = from.error.or(from.error_as_file()) {
        return Some(error);
    }
    let to = all.resolve(system, &request.path, false);
    match () {
        () if to.error.is_some() => to.error,
        () if to.is_dots() || to.stat.is_some() => Some(libc::EEXIST),
        () if to.has_slash() => Some(libc::ENOENT),
        () if !from.is_beside(&to) => Some(libc::EXDEV),
        () if from.is(libc::S_IFDIR) => Some(libc::EPERM),
        () => None,
    }
}

fn error_of_rename(all: &mut NameSpace, system: usize, request: &Request) -> Option<i32> {
    let from = all.resolve(system, &request.path, false);
    let to = all.resolve(system, &request.other, false);
    let replaces = !request.has(request_flag::NO_REPLACE);
    let exchanges = request.has(request_flag::EXCHANGE);
    let is_directory = from.is(libc::S_IFDIR);
    let slash = |place: &Place| place.has_slash() && !place.is(libc::S_IFDIR);
    match () {
        () if from.error_of_parent().is_some() => from.error,
        () if to.error_of_parent().is_some() => to.error,
        () if !from.is_beside(&to) => Some(libc::EXDEV),
        () if from.is_dots() => Some(libc::EBUSY),
        () if to.is_dots() => Some(if replaces { libc::EBUSY } else { libc::EEXIST }),
        () if from.error.or(to.error).is_some() => from.error.or(to.error),
        () if from.stat.is_none() => Some(libc::ENOENT),
        () if !replaces && to.stat.is_some() => Some(libc::EEXIST),
        () if exchanges && to.stat.is_none() => Some(libc::ENOENT),
        () if exchanges && slash(&to) => Some(libc::ENOTDIR),
        () if !is_directory && from.has_slash() => Some(libc::ENOTDIR),
        () if !is_directory && !exchanges && to.has_slash() => Some(libc::ENOTDIR),
        () => None,
    }
}

fn makes_entry(kind: FileCallKind) -> bool {
    matches!(kind, FileCallKind::Mkdir | FileCallKind::Symlink | FileCallKind::Link)
}

fn removes_entry(kind: FileCallKind) -> bool {
    matches!(kind, FileCallKind::Rmdir | FileCallKind::Unlink | FileCallKind::Rename)
}

fn change(
    all: &mut NameSpace,
    kind: FileCallKind,
    place: &Place,
    request: &Request,
    now_ns: Option<i64>,
) -> Result<(), i32> {
    let (directory, name) = (place.fd(), place.name.as_ptr());
    let header = &request.header;
    // SAFETY: zero-terminated names, relative to open directories.
    unsafe {
        match kind {
            FileCallKind::Mkdir => unmasked(|| check(libc::mkdirat(directory, name, header.mode))),
            FileCallKind::Rmdir | FileCallKind::Unlink => {
                let is_directory = kind == FileCallKind::Rmdir;
                let flags = if is_directory { libc::AT_REMOVEDIR } else { 0 };
                check(libc::unlinkat(directory, name, flags))?;
                all.systems[place.system].add_entries(place.parent, -1);
                Ok(())
            }
            FileCallKind::Rename => rename(all, place, request, now_ns),
            FileCallKind::Link => {
                let from = all.resolve(place.system, &request.other, follows_existing(request));
                check(libc::linkat(from.fd(), from.name.as_ptr(), directory, name, 0))
            }
            FileCallKind::Symlink => {
                let target = text_of(&request.other)?;
                check(libc::symlinkat(target.as_ptr(), directory, name))
            }
            FileCallKind::SetAttributes => set_attributes(place, request, now_ns),
            FileCallKind::Truncate => {
                let file = open_entry(place, libc::O_WRONLY | libc::O_NONBLOCK)?;
                if let (Some(blocks), Some(stat)) = (blocks_of(all, place), &place.stat) {
                    blocks.truncate(&file, stat.st_ino, header.bytes)?;
                }
                check(libc::ftruncate64(file.as_raw_fd(), header.bytes as i64))
            }
            FileCallKind::SetXattr => set_xattr(place, request),
            _ => Ok(()),
        }
    }
}

/// Whether `Link` follows a link as its existing file.
pub(crate) fn follows_existing(request: &Request) -> bool {
    !request.has(request_flag::NO_FOLLOW) || request.other.ends_with(b"/")
}

fn rename(
    all: &mut NameSpace,
    place: &Place,
    request: &Request,
    now_ns: Option<i64>,
) -> Result<(), i32> {
    let to = all.resolve(place.system, &request.other, false);
    let mut flags = 0;
    for (flag, native) in [
        (request_flag::NO_REPLACE, libc::RENAME_NOREPLACE),
        (request_flag::EXCHANGE, libc::RENAME_EXCHANGE),
    ] {
        flags |= if request.has(flag) { native } else { 0 };
    }
    // SAFETY: zero-terminated names, relative to open directories. A system call, because not every
    // C library has a function.
    let result = unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            place.fd(),
            place.name.as_ptr(),
            to.fd(),
            to.name.as_ptr(),
            flags,
        )
    };
    check(result as i32)?;
    all.systems[to.system].state(to.parent).modify(now_ns);
    if to.stat.is_some() {
        all.systems[to.system].state(to.file).changed_ns = now_ns;
    }
    if flags & libc::RENAME_EXCHANGE == 0 {
        all.systems[place.system].add_entries(place.parent, -1);
        let added = i64::from(to.stat.is_none());
        all.systems[to.system].add_entries(to.parent, added);
    }
    Ok(())
}

/// Opens an entry, which is no link.
fn open_entry(place: &Place, flags: i32) -> Result<File, i32> {
    let flags = flags | libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NOCTTY;
    // SAFETY: a zero-terminated name; the descriptor is new and owned here.
    unsafe {
        match libc::openat(place.fd(), place.name.as_ptr(), flags) {
            fd if fd < 0 => Err(errno()),
            fd => Ok(File::from_raw_fd(fd)),
        }
    }
}

/// Whether it has created the file.
fn open(place: &Place, request: &Request) -> Result<bool, i32> {
    let mode = request.header.mode;
    if request.has(request_flag::NODE) {
        return make_node(place, request);
    }
    if request.has_flag(CREATE) {
        let flags = libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC | libc::O_NOFOLLOW;
        // SAFETY: a zero-terminated name; the descriptor is new and owned here.
        let fd = unmasked(|| unsafe {
            libc::openat(place.fd(), place.name.as_ptr(), flags, mode & 0o7777)
        });
        if fd >= 0 {
            // SAFETY: as above.
            drop(unsafe { File::from_raw_fd(fd) });
            return Ok(true);
        }
        match errno() {
            libc::EEXIST if request.has_flag(EXCLUSIVE) => return Err(libc::EEXIST),
            libc::EEXIST => {}
            error => return Err(error),
        }
    }
    if place.is(libc::S_IFDIR) && request.has_flag(TRUNCATE) {
        return Err(libc::EISDIR);
    }
    if request.has_flag(TRUNCATE) && place.is(libc::S_IFREG) {
        let access = match (request.has(request_flag::READ), request.has_flag(WRITE)) {
            (true, true) => libc::O_RDWR,
            (_, true) => libc::O_WRONLY,
            _ => libc::O_RDONLY,
        };
        open_entry(place, access | libc::O_TRUNC)?;
    } else if place.is(libc::S_IFDIR) && request.has_flag(CREATE) && !request.has_flag(DIRECTORY) {
        return Err(libc::EISDIR);
    }
    Ok(false)
}

/// `mknod`. The program's process makes sockets itself.
fn make_node(place: &Place, request: &Request) -> Result<bool, i32> {
    let (mode, device) = (request.header.mode, request.header.bytes);
    if place.stat.is_some() {
        return Err(libc::EEXIST);
    }
    if mode & libc::S_IFMT == libc::S_IFSOCK {
        return Ok(false);
    }
    // SAFETY: a zero-terminated name.
    unmasked(|| {
        check(unsafe {
            libc::mknodat(place.fd(), place.name.as_ptr(), mode, device as libc::dev_t)
        })
    })?;
    Ok(true)
}

/// Times in nanoseconds since 1970; `None` leaves a time unchanged.
pub(crate) fn set_times(
    place: &Place,
    accessed: Option<i64>,
    modified: Option<i64>,
    follow: bool,
) -> Result<(), i32> {
    let time = |ns: Option<i64>| match ns {
        Some(ns) => libc::timespec {
            tv_sec: ns.div_euclid(1_000_000_000),
            tv_nsec: ns.rem_euclid(1_000_000_000),
        },
        None => libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT },
    };
    let times = [time(accessed), time(modified)];
    let flags = if follow { 0 } else { libc::AT_SYMLINK_NOFOLLOW };
    // SAFETY: a zero-terminated name and two times.
    check(unsafe { libc::utimensat(place.fd(), place.name.as_ptr(), times.as_ptr(), flags) })
}

fn set_attributes(place: &Place, request: &Request, now_ns: Option<i64>) -> Result<(), i32> {
    let header = &request.header;
    let sets = |what: u32| header.attributes & what != 0;
    let (directory, name) = (place.fd(), place.name.as_ptr());
    if sets(attribute::OWNER | attribute::GROUP) {
        let owner = if sets(attribute::OWNER) { header.owner } else { u32::MAX };
        let group = if sets(attribute::GROUP) { header.group } else { u32::MAX };
        // SAFETY: a zero-terminated name.
        check(unsafe { libc::fchownat(directory, name, owner, group, libc::AT_SYMLINK_NOFOLLOW) })?;
    }
    if sets(attribute::MODE) {
        if place.is(libc::S_IFLNK) {
            return Err(libc::EOPNOTSUPP);
        }
        // SAFETY: as above; the entry is no link.
        check(unsafe { libc::fchmodat(directory, name, header.mode & 0o7777, 0) })?;
    }
    let real_ns = || {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |since| since.as_nanos() as i64)
    };
    let time = |now: u32, given: u32, ns: i64| match () {
        () if sets(now) => Some(now_ns.unwrap_or_else(real_ns)),
        () if sets(given) => Some(ns),
        () => None,
    };
    let accessed = time(attribute::ACCESSED_NOW, attribute::ACCESSED, header.accessed_ns);
    let modified = time(attribute::MODIFIED_NOW, attribute::MODIFIED, header.modified_ns);
    if accessed.is_none() && modified.is_none() {
        return Ok(());
    }
    set_times(place, accessed, modified, false)
}

/// The path of an entry for calls that have no form relative to a directory.
fn path_of(place: &Place) -> Result<CString, i32> {
    let name = place.name.as_bytes();
    match place.fd() {
        libc::AT_FDCWD => Ok(place.name.clone()),
        fd => text_of(&[format!("/proc/self/fd/{fd}/").as_bytes(), name].concat()),
    }
}

fn set_xattr(place: &Place, request: &Request) -> Result<(), i32> {
    let (path, name) = (path_of(place)?, text_of(&request.other)?);
    set_attribute(&path, &name, request)
}

/// Keeps the layout of an empty file, or the default of a directory, beside it. A file that does
/// not exist is created with the layout, or a directory if the layout is one of MDTs, with the
/// permissions of a usual creation mask.
fn set_layout(place: &Place, request: &Request) -> Result<bool, i32> {
    let (Some(layout), Some(stored)) = (request.layout(), request.layout_attribute()) else {
        return Err(libc::EINVAL);
    };
    let (directory, name) = (place.fd(), place.name.as_ptr());
    let created = match place.stat {
        // The layout of a file with data is fixed.
        Some(stat) if !place.is(libc::S_IFDIR) && stat.st_size > 0 => return Err(libc::EEXIST),
        Some(_) => false,
        None if file_layouts::is_of_directory(&layout) => {
            // SAFETY: a zero-terminated name, relative to an open directory.
            unmasked(|| check(unsafe { libc::mkdirat(directory, name, 0o755) }))?;
            true
        }
        None => {
            let mode = libc::S_IFREG | 0o644;
            // SAFETY: as above.
            unmasked(|| check(unsafe { libc::mknodat(directory, name, mode, 0) }))?;
            true
        }
    };
    match set_attribute(&path_of(place)?, stored, request) {
        // A disk without extended attributes cannot keep it; the simulation has it.
        Ok(()) | Err(libc::EOPNOTSUPP) => Ok(created),
        Err(error) => Err(error),
    }
}

/// A new entry gets the default layout of its directory, unless it has one of its own.
fn inherit_layout(place: &Place) -> Result<(), i32> {
    let directory = match place.fd() {
        libc::AT_FDCWD => return Ok(()),
        fd => text_of(format!("/proc/self/fd/{fd}").as_bytes())?,
    };
    let stored = file_layouts::STORED;
    let Ok(value) = layout_at(&directory, stored, true) else { return Ok(()) };
    let (path, name) = (path_of(place)?, stored.as_ptr());
    // SAFETY: zero-terminated texts, and a value with its length.
    let result = check(unsafe {
        let (from, n) = (value.as_ptr().cast(), value.len());
        libc::lsetxattr(path.as_ptr(), name, from, n, libc::XATTR_CREATE)
    });
    match result {
        // Its own layout; or it is no regular file and cannot have one.
        Err(libc::EEXIST | libc::EPERM | libc::EOPNOTSUPP) => Ok(()),
        result => result,
    }
}

/// The layout that was set for an entry, or that it has inherited.
pub(crate) fn stored_layout(place: &Place, request: &Request) -> Result<Vec<u8>, i32> {
    match request.layout_attribute() {
        Some(stored) => layout_at(&path_of(place)?, stored, false),
        None => Err(libc::ENODATA),
    }
}

/// The layout of an entry or of its directory, in a store that was kept.
pub(crate) fn kept_layout(place: &Place, of_directory: bool) -> Option<LayoutRequest> {
    let path = match (of_directory, place.fd()) {
        (true, libc::AT_FDCWD) => return None,
        (true, fd) => text_of(format!("/proc/self/fd/{fd}").as_bytes()),
        (false, _) => path_of(place),
    };
    file_layouts::parse(&layout_at(&path.ok()?, file_layouts::STORED, of_directory).ok()?)
}

fn layout_at(path: &CStr, stored: &CStr, follow: bool) -> Result<Vec<u8>, i32> {
    let mut value = vec![0u8; 64 << 10];
    let (name, room) = (stored.as_ptr(), value.len());
    let get = if follow { libc::getxattr } else { libc::lgetxattr };
    // SAFETY: zero-terminated texts, and a buffer with its length.
    let n = unsafe { get(path.as_ptr(), name, value.as_mut_ptr().cast(), room) };
    match n {
        0.. => {
            value.truncate(n as usize);
            Ok(value)
        }
        _ if errno() == libc::EOPNOTSUPP => Err(libc::ENODATA),
        _ => Err(errno()),
    }
}

fn set_attribute(path: &CStr, name: &CStr, request: &Request) -> Result<(), i32> {
    let value = &request.value;
    let flags = match () {
        () if request.has(request_flag::XATTR_CREATE) => libc::XATTR_CREATE,
        () if request.has(request_flag::XATTR_REPLACE) => libc::XATTR_REPLACE,
        () => 0,
    };
    // SAFETY: zero-terminated texts, and a value with its length.
    check(unsafe {
        if request.has(request_flag::XATTR_REMOVE) {
            libc::lremovexattr(path.as_ptr(), name.as_ptr())
        } else {
            let value = (value.as_ptr().cast(), value.len());
            libc::lsetxattr(path.as_ptr(), name.as_ptr(), value.0, value.1, flags)
        }
    })
}
