//! Functions of the C library that walk directories. Inside it, they open directories without the
//! dynamic linker. `glob` accepts replacements of those functions; `nftw` is implemented here for
//! paths on a mount, over the streams of `directories`.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

use libc::stat;

use crate::directories::opendir;
use crate::entries::name;
use crate::mounts;
use crate::next::{at, real};
use crate::place::Target;
use crate::sys;

unsafe extern "C" {
    fn readdir64(stream: *mut libc::DIR) -> *mut libc::dirent64;
    fn closedir(stream: *mut libc::DIR) -> c_int;
    fn lstat(path: *const c_char, out: *mut stat) -> c_int;
    fn chdir(path: *const c_char) -> c_int;
    fn getcwd(out: *mut c_char, size: usize) -> *mut c_char;
}

/// `glob_t` of glibc.
#[repr(C)]
struct Glob {
    n: usize,
    paths: *mut *mut c_char,
    offsets: usize,
    flags: c_int,
    close: *mut c_void,
    read: *mut c_void,
    open: *mut c_void,
    lstat: *mut c_void,
    stat: *mut c_void,
}
/// `GLOB_ALTDIRFUNC` of glibc: use the functions of the structure.
const OWN_FUNCTIONS: c_int = 1 << 9;

type OnError = *const c_void;

macro_rules! globs {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            pattern: *const c_char,
            flags: c_int,
            on_error: OnError,
            out: *mut Glob,
        ) -> c_int {
            let real = real!($name(*const c_char, c_int, OnError, *mut Glob) -> c_int);
            if !mounts::active() || flags & OWN_FUNCTIONS != 0 || out.is_null() {
                return unsafe { real(pattern, flags, on_error, out) };
            }
            // SAFETY: the program's structure; functions of these names and types.
            unsafe {
                let before = ((*out).close, (*out).read, (*out).open, (*out).lstat, (*out).stat);
                let own = |name: &CStr| libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
                (*out).close = own(c"closedir");
                (*out).read = own(c"readdir64");
                (*out).open = own(c"opendir");
                (*out).lstat = own(c"lstat");
                (*out).stat = own(c"stat");
                let result = real(pattern, flags | OWN_FUNCTIONS, on_error, out);
                ((*out).close, (*out).read, (*out).open, (*out).lstat, (*out).stat) = before;
                result
            }
        }
    )*};
}
globs! { glob glob64 }

/// What `nftw` reports of a file (ftw.h).
mod kind {
    pub const FILE: i32 = 0;
    pub const DIRECTORY: i32 = 1;
    pub const UNREADABLE: i32 = 2;
    pub const NO_STATUS: i32 = 3;
    pub const LINK: i32 = 4;
    pub const DIRECTORY_AFTER: i32 = 5;
    pub const DANGLING_LINK: i32 = 6;
}
/// Its flags.
mod how {
    pub const PHYSICAL: i32 = 1;
    pub const ONE_MOUNT: i32 = 2;
    /// The working directory is that of the visited file.
    pub const CHANGE_DIRECTORY: i32 = 4;
    pub const DEPTH_FIRST: i32 = 8;
    pub const ACTIONS: i32 = 16;
}
/// Results of the program's function with `ACTIONS`.
const SKIP_SUBTREE: c_int = 2;
const SKIP_SIBLINGS: c_int = 3;

/// Position of a file's name in its path, and its depth.
#[repr(C)]
pub struct Place {
    base: c_int,
    level: c_int,
}

type Visit = unsafe extern "C" fn(*const c_char, *const stat, c_int, *mut Place) -> c_int;
type OldVisit = unsafe extern "C" fn(*const c_char, *const stat, c_int) -> c_int;

#[derive(Clone, Copy)]
enum Function {
    New(Visit),
    Old(OldVisit),
}

struct Walk {
    function: Function,
    flags: c_int,
    device: u64,
    /// Directories from the root to the present one, or all if links are followed.
    visited: Vec<(u64, u64)>,
    /// The working directory at the beginning.
    start: Option<CString>,
}

/// Why a walk goes on or ends.
enum Next {
    Continue,
    SkipSiblings,
    Stop(c_int),
}

impl Walk {
    fn visit(&self, path: &CString, status: &stat, kind: i32, level: c_int) -> c_int {
        let base = path.as_bytes().iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
        let mut place = Place { base: base as c_int, level };
        if self.flags & how::CHANGE_DIRECTORY != 0
            && let Some(start) = &self.start
        {
            enter(start, &path.as_bytes()[..base]);
        }
        // SAFETY: the program's function, called as the C library does.
        unsafe {
            match self.function {
                Function::New(visit) => visit(path.as_ptr(), status, kind, &mut place),
                Function::Old(visit) => visit(path.as_ptr(), status, old_kind(kind)),
            }
        }
    }

    fn next(&self, result: c_int) -> Next {
        match result {
            0 => Next::Continue,
            SKIP_SUBTREE if self.flags & how::ACTIONS != 0 => Next::Continue,
            SKIP_SIBLINGS if self.flags & how::ACTIONS != 0 => Next::SkipSiblings,
            other => Next::Stop(other),
        }
    }

    /// Attributes and kind of a file.
    fn classify(&self, path: &CString) -> (stat, i32) {
        // SAFETY: zeroed is a valid `stat`; a zero-terminated path.
        unsafe {
            let mut link: stat = std::mem::zeroed();
            if lstat(path.as_ptr(), &mut link) != 0 {
                return (link, kind::NO_STATUS);
            }
            let is = |status: &stat, kind| status.st_mode & libc::S_IFMT == kind;
            if !is(&link, libc::S_IFLNK) {
                let of = if is(&link, libc::S_IFDIR) { kind::DIRECTORY } else { kind::FILE };
                return (link, of);
            }
            if self.flags & how::PHYSICAL != 0 {
                return (link, kind::LINK);
            }
            let mut target: stat = std::mem::zeroed();
            if crate::status::follow(path.as_ptr(), &mut target) != 0 {
                return (link, kind::DANGLING_LINK);
            }
            let of = if is(&target, libc::S_IFDIR) { kind::DIRECTORY } else { kind::FILE };
            (target, of)
        }
    }

    fn walk(&mut self, path: &CString, level: c_int) -> Next {
        if let Some(start) = &self.start {
            enter(start, b"");
        }
        let (status, of) = self.classify(path);
        if level == 0 {
            self.device = status.st_dev;
            if of == kind::NO_STATUS {
                return Next::Stop(-1);
            }
        } else if self.flags & how::ONE_MOUNT != 0 && status.st_dev != self.device {
            return Next::Continue;
        }
        if of != kind::DIRECTORY {
            let result = self.visit(path, &status, of, level);
            return self.next(result);
        }
        let id = (status.st_dev, status.st_ino);
        if self.flags & how::PHYSICAL == 0 {
            if self.visited.contains(&id) {
                return Next::Continue;
            }
            self.visited.push(id);
        }
        self.walk_directory(path, &status, level)
    }

    fn walk_directory(&mut self, path: &CString, status: &stat, level: c_int) -> Next {
        let Some(names) = names_in(path) else {
            let result = self.visit(path, status, kind::UNREADABLE, level);
            return self.next(result);
        };
        let is_after = self.flags & how::DEPTH_FIRST != 0;
        if !is_after {
            let result = self.visit(path, status, kind::DIRECTORY, level);
            if result == SKIP_SUBTREE && self.flags & how::ACTIONS != 0 {
                return Next::Continue;
            }
            if !matches!(self.next(result), Next::Continue) {
                return self.next(result);
            }
        }
        for name in names {
            let mut inner = path.as_bytes().to_vec();
            if !inner.ends_with(b"/") {
                inner.push(b'/');
            }
            inner.extend(name);
            let Ok(inner) = CString::new(inner) else { continue };
            match self.walk(&inner, level + 1) {
                Next::Continue => {}
                Next::SkipSiblings => break,
                stop => return stop,
            }
        }
        if is_after {
            let result = self.visit(path, status, kind::DIRECTORY_AFTER, level);
            return self.next(result);
        }
        Next::Continue
    }
}

/// Changes to a directory, which may be relative to the one at the beginning.
fn enter(start: &CString, directory: &[u8]) {
    if let Ok(directory) = CString::new(directory) {
        // SAFETY: zero-terminated paths. A directory that cannot be entered was reported as such.
        unsafe {
            chdir(start.as_ptr());
            if !directory.is_empty() {
                chdir(directory.as_ptr());
            }
        }
    }
}

fn old_kind(of: i32) -> c_int {
    match of {
        kind::LINK => kind::FILE,
        kind::DIRECTORY_AFTER => kind::DIRECTORY,
        kind::DANGLING_LINK => kind::NO_STATUS,
        same => same,
    }
}

/// The names in a directory, without `.` and `..`.
fn names_in(path: &CString) -> Option<Vec<Vec<u8>>> {
    // SAFETY: a zero-terminated path, and a stream of this function.
    unsafe {
        let stream = opendir(path.as_ptr());
        if stream.is_null() {
            return None;
        }
        let mut names = Vec::new();
        loop {
            let entry = readdir64(stream);
            if entry.is_null() {
                break;
            }
            let length = usize::from((*entry).d_reclen);
            let name = name(std::slice::from_raw_parts(entry.cast::<u8>(), length));
            if name != b"." && name != b".." {
                names.push(name.to_vec());
            }
        }
        closedir(stream);
        Some(names)
    }
}

/// Runs `nftw` or `ftw` from a path on a mount.
fn walk_target(path: *const c_char, function: Function, flags: c_int) -> c_int {
    // SAFETY: the program's path.
    let path = CString::from(unsafe { CStr::from_ptr(path) });
    let start = (flags & how::CHANGE_DIRECTORY != 0).then(working_directory).flatten();
    let mut walk = Walk { function, flags, device: 0, visited: Vec::new(), start };
    let result = match walk.walk(&path, 0) {
        Next::Stop(result) => result,
        _ => 0,
    };
    if let Some(start) = &walk.start {
        enter(start, b"");
    }
    result
}

fn working_directory() -> Option<CString> {
    let mut path = vec![0u8; 2 * libc::PATH_MAX as usize];
    // SAFETY: room for a path, which is zero-terminated.
    unsafe {
        let found = getcwd(path.as_mut_ptr().cast(), path.len());
        (!found.is_null()).then(|| CString::from(CStr::from_ptr(found)))
    }
}

macro_rules! walks {
    ($($name:ident $old:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            path: *const c_char,
            visit: Visit,
            descriptors: c_int,
            flags: c_int,
        ) -> c_int {
            let real = real!($name(*const c_char, Visit, c_int, c_int) -> c_int);
            let host = || unsafe { real(path, visit, descriptors, flags) };
            let walk = |_: &mut Target| walk_target(path, Function::New(visit), flags);
            unsafe { at((libc::AT_FDCWD, path, true), host, walk) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $old(
            path: *const c_char,
            visit: OldVisit,
            descriptors: c_int,
        ) -> c_int {
            let real = real!($old(*const c_char, OldVisit, c_int) -> c_int);
            let host = || unsafe { real(path, visit, descriptors) };
            let walk = |_: &mut Target| walk_target(path, Function::Old(visit), 0);
            unsafe { at((libc::AT_FDCWD, path, true), host, walk) }
        }
    )*};
}
walks! { nftw ftw; nftw64 ftw64; }

/// The `fts` functions of the C library keep real paths: they are refused on a mount.
#[unsafe(no_mangle)]
unsafe extern "C" fn fts_open(
    paths: *const *mut c_char,
    options: c_int,
    compare: *const c_void,
) -> *mut c_void {
    let real = real!(fts_open(*const *mut c_char, c_int, *const c_void) -> *mut c_void);
    let mut i = 0;
    // SAFETY: the program's list ends with null.
    while mounts::active() && !paths.is_null() && !unsafe { *paths.add(i) }.is_null() {
        if !crate::place::is_host(libc::AT_FDCWD, unsafe { *paths.add(i) }) {
            sys::report(&[b"fts_open is not supported on a simulated file system"]);
            sys::set_errno(libc::EOPNOTSUPP);
            return std::ptr::null_mut();
        }
        i += 1;
    }
    unsafe { real(paths, options, compare) }
}
