//! The mounts of this process: those of `ODONATA_MOUNTS`, and those that commands of the job have
//! added since, from a file that all processes share (`workload::mount_file`).
//!
//! A mount keeps its index. One that is removed is not found by its path any more; its open files
//! remain.
//!
//! Three kinds of absolute path exist. A path of the program is virtual: `/lus/flare/a`. The real
//! path of the same file is below a backing directory. Paths outside mounts are both.

use std::cell::{Cell, UnsafeCell};
use std::cmp::Reverse;
use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};

use workload::file_request::{MAX_MOUNTS, decode_mounts, decode_path};
use workload::mount_file::{self, MountFile};

use crate::sys::{self, sys};
use crate::text::{Text, below, components};

pub const VARIABLE: &CStr = c"ODONATA_MOUNTS";
pub const FILE_VARIABLE: &CStr = c"ODONATA_MOUNT_FILE";
const PATH: usize = libc::PATH_MAX as usize;

/// One mount.
pub struct Mount {
    /// Number of the file system.
    pub number: u32,
    mount: [u8; PATH],
    mount_length: usize,
    backing: [u8; PATH],
    backing_length: usize,
    removed: AtomicBool,
}

impl Mount {
    const fn empty() -> Mount {
        Mount {
            number: 0,
            mount: [0; PATH],
            mount_length: 0,
            backing: [0; PATH],
            backing_length: 0,
            removed: AtomicBool::new(false),
        }
    }
    pub fn mount(&self) -> &[u8] {
        &self.mount[..self.mount_length]
    }
    pub fn backing(&self) -> &[u8] {
        &self.backing[..self.backing_length]
    }
    /// The store's directory that stands for `/`, if the backing directory is in such a store.
    pub fn skeleton(&self) -> Option<&[u8]> {
        self.backing().strip_suffix(self.mount()).filter(|root| !root.is_empty())
    }
}

struct Table(UnsafeCell<[Mount; MAX_MOUNTS]>);
// SAFETY: an entry is written by one thread before `COUNT` includes it, and not afterwards.
unsafe impl Sync for Table {}
static TABLE: Table = Table(UnsafeCell::new([const { Mount::empty() }; MAX_MOUNTS]));
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// By a hash of two bytes: whether a component of a mount may begin with them.
static BEGINNINGS: [AtomicBool; 1024] = [const { AtomicBool::new(false) }; 1024];

mod state {
    pub const UNKNOWN: u8 = 0;
    /// No mounts: every call goes to the C library.
    pub const NONE: u8 = 1;
    pub const READING: u8 = 2;
    pub const ACTIVE: u8 = 3;
}
static STATE: AtomicU8 = AtomicU8::new(state::UNKNOWN);
/// A mount hides an existing directory or lies in another mount: links may enter it without an
/// error, so every path is resolved here.
static HIDES: AtomicBool = AtomicBool::new(false);

/// The file with mounts that commands have added; null without one.
static FILE: AtomicPtr<MountFile> = AtomicPtr::new(null_mut());
/// Version of the file that the table has, and entries of the file in the table.
static VERSION: AtomicU32 = AtomicU32::new(0);
static ADDED: AtomicUsize = AtomicUsize::new(0);
static UPDATING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The thread is in a call of the MPI library or of the loader, whose own calls are real. In
    /// the thread's static block, without a destructor: an access allocates nothing.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this process has mounts, and the calling thread's calls are the program's.
#[inline]
pub fn active() -> bool {
    match STATE.load(Ordering::Acquire) {
        state::NONE => false,
        state::ACTIVE => {
            if is_outdated() {
                update();
            }
            !INSIDE.get()
        }
        _ => read() && !INSIDE.get(),
    }
}

fn file() -> Option<&'static MountFile> {
    // SAFETY: null, or mapped for the rest of the process.
    unsafe { FILE.load(Ordering::Acquire).as_ref() }
}

#[inline]
fn is_outdated() -> bool {
    file().is_some_and(|file| file.version() != VERSION.load(Ordering::Acquire))
}

/// Adds the file's new mounts to the table. A thread that comes at the same time uses the table as
/// it is: its call is concurrent with the mount.
#[cold]
fn update() {
    let Some(file) = file() else { return };
    if UPDATING.swap(true, Ordering::AcqRel) {
        return;
    }
    let version = file.version();
    let mut added = ADDED.load(Ordering::Relaxed);
    let first = COUNT.load(Ordering::Relaxed) - added;
    for (i, entry) in file.entries().enumerate() {
        if i == added {
            let mut text = [0; mount_file::ENTRY];
            let n = entry.read(&mut text);
            // SAFETY: one thread updates, and `COUNT` does not include the entry yet.
            if !unsafe { decode_mounts(&text[..n]).next().is_some_and(|e| put(first + i, e)) } {
                sys::report(&[b"a mount of the job is invalid, or there are more than 14"]);
                break;
            }
            added += 1;
            COUNT.store(first + added, Ordering::Release);
        }
        all()[first + i].removed.store(entry.is_removed(), Ordering::Release);
    }
    ADDED.store(added, Ordering::Relaxed);
    HIDES.store(hide_something(), Ordering::Relaxed);
    VERSION.store(version, Ordering::Release);
    UPDATING.store(false, Ordering::Release);
}

/// Maps the file, if the environment names one.
fn map() {
    // SAFETY: a zero-terminated name; plain system calls, and a mapping that stays.
    unsafe {
        let path = libc::getenv(FILE_VARIABLE.as_ptr());
        if path.is_null() {
            return;
        }
        let flags = libc::O_RDONLY | libc::O_CLOEXEC;
        let fd = sys!(SYS_openat, libc::AT_FDCWD, path, flags);
        if fd < 0 {
            return;
        }
        let (bytes, read) = (size_of::<MountFile>(), libc::PROT_READ);
        let at = sys!(SYS_mmap, 0, bytes, read, libc::MAP_SHARED, fd, 0);
        sys::close(fd as libc::c_int);
        if at > 0 {
            FILE.store(at as *mut MountFile, Ordering::Release);
        }
    }
}

/// Runs `work` with all calls of this thread real.
pub fn inside<R>(work: impl FnOnce() -> R) -> R {
    let before = INSIDE.replace(true);
    let result = work();
    INSIDE.set(before);
    result
}

/// All mounts, also removed ones.
pub fn all() -> &'static [Mount] {
    let n = COUNT.load(Ordering::Acquire);
    // SAFETY: the entries below `COUNT` are constant.
    unsafe { std::slice::from_raw_parts(TABLE.0.get().cast::<Mount>(), n) }
}

/// Those that paths lead to.
pub fn present() -> impl Iterator<Item = (usize, &'static Mount)> {
    all().iter().enumerate().filter(|(_, mount)| !mount.removed.load(Ordering::Acquire))
}

pub fn hides() -> bool {
    HIDES.load(Ordering::Relaxed)
}

/// Reads the variable; whether there are mounts. Another thread that comes at the same time has
/// none until the first has finished: that happens before `main` only.
#[cold]
fn read() -> bool {
    let order = Ordering::AcqRel;
    if STATE.compare_exchange(state::UNKNOWN, state::READING, order, Ordering::Acquire).is_err() {
        return STATE.load(Ordering::Acquire) == state::ACTIVE;
    }
    // SAFETY: a zero-terminated name; the value is only read here.
    let text = unsafe { libc::getenv(VARIABLE.as_ptr()) };
    let found = !text.is_null() && unsafe { parse(sys::bytes(text)) };
    if found {
        map();
        update();
    }
    HIDES.store(found && hide_something(), Ordering::Relaxed);
    STATE.store(if found { state::ACTIVE } else { state::NONE }, Ordering::Release);
    found
}

/// # Safety
/// Called by one thread, before the table is used.
unsafe fn parse(text: &[u8]) -> bool {
    let mut n = 0;
    for entry in decode_mounts(text) {
        if !unsafe { put(n, entry) } {
            sys::report(&[b"ODONATA_MOUNTS is invalid or has more than 14 mounts; none is used"]);
            return false;
        }
        n += 1;
    }
    COUNT.store(n, Ordering::Release);
    n > 0
}

/// Writes an entry of the table; whether it is valid and there is room.
///
/// # Safety
/// Called by one thread at a time, for an entry that `COUNT` does not include.
unsafe fn put(n: usize, entry: Option<(u32, &[u8], &[u8])>) -> bool {
    let Some((number, mount, backing)) = entry else { return false };
    if n >= MAX_MOUNTS {
        return false;
    }
    // SAFETY: inside the table; no other reference exists.
    let into = unsafe { &mut *TABLE.0.get().cast::<Mount>().add(n) };
    into.number = number;
    let lengths = (decode(mount, &mut into.mount), decode(backing, &mut into.backing));
    let (Some(mount), Some(backing)) = lengths else { return false };
    (into.mount_length, into.backing_length) = (mount, backing);
    for name in components(into.mount()) {
        let second = name.get(1).copied().unwrap_or(0);
        BEGINNINGS[beginning(name[0], second)].store(true, Ordering::Release);
    }
    true
}

/// An absolute path with at least one component, without odd components.
fn decode(encoded: &[u8], out: &mut [u8; PATH]) -> Option<usize> {
    let n = decode_path(encoded, &mut out[..PATH - 1])?;
    let path = out[..n].strip_suffix(b"/").unwrap_or(&out[..n]);
    let parts = path.strip_prefix(b"/")?.split(|&byte| byte == b'/');
    let is_plain = |part: &[u8]| !part.is_empty() && part != b"." && part != b"..";
    parts.into_iter().all(is_plain).then_some(path.len())
}

fn hide_something() -> bool {
    let path = |mount: &Mount| Text::of(mount.mount());
    // SAFETY: a zero-terminated path.
    let exists = |mount: &Mount| unsafe { sys::fstatat(libc::AT_FDCWD, path(mount).as_ptr(), 0) };
    let nested = |one: &Mount| {
        present().any(|(_, other)| {
            one.mount() != other.mount() && below(one.mount(), other.mount()).is_some()
        })
    };
    present().any(|(_, mount)| exists(mount).is_ok() || nested(mount))
}

/// The mount of a virtual path and the rest of it: empty, or with a slash at its beginning. The
/// longest mount if there are several.
pub fn mount_of(path: &[u8]) -> Option<(usize, &[u8])> {
    let found = present().filter_map(|(i, mount)| Some((i, below(path, mount.mount())?)));
    found.max_by_key(|&(i, _)| all()[i].mount().len())
}

/// The mount of a real path and the rest of it. The first of several with one backing directory.
pub fn backing_of(path: &[u8]) -> Option<(usize, &[u8])> {
    longest(path, Mount::backing)
}

fn longest(path: &[u8], of: impl Fn(&'static Mount) -> &'static [u8]) -> Option<(usize, &[u8])> {
    let mut found: Option<(usize, &[u8])> = None;
    for (i, mount) in all().iter().enumerate() {
        if let Some(rest) = below(path, of(mount))
            && found.is_none_or(|(longest, _)| of(mount).len() > of(&all()[longest]).len())
        {
            found = Some((i, rest));
        }
    }
    found
}

/// Whether two mounts are of one backing directory: then files can be renamed from one to the
/// other.
pub fn is_same(a: Option<usize>, b: Option<usize>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => all()[a].backing() == all()[b].backing(),
        _ => a == b,
    }
}

/// Whether a simple absolute path differs from the beginning of all mounts and backing directories,
/// and they from its beginning.
pub fn leads_elsewhere(path: &[u8]) -> bool {
    let differs = |other: &[u8]| {
        let n = path.len().min(other.len());
        // The last bytes usually decide.
        path[n - 1] != other[n - 1] || path[..n] != other[..n]
    };
    all().iter().all(|mount| differs(mount.mount()) && differs(mount.backing()))
}

/// The part of a real path below the root of its file system, which the mount with the shortest
/// backing directory has.
pub fn below_root(path: &[u8]) -> Option<&[u8]> {
    let found = all().iter().filter_map(|mount| below(path, mount.backing()));
    found.max_by_key(|rest| rest.len())
}

/// The first mount that is strictly below a virtual path.
pub fn mount_under(path: &[u8]) -> Option<usize> {
    let is_above = |mount: &Mount| {
        let mut parts = components(mount.mount());
        components(path).all(|part| parts.next() == Some(part)) && parts.next().is_some()
    };
    present().find(|(_, mount)| is_above(mount)).map(|(i, _)| i)
}

/// Whether a component of a mount's path has this name.
pub fn is_component(name: &[u8]) -> bool {
    let byte = |at: usize| name.get(at).copied().unwrap_or(0);
    may_begin(byte(0), byte(1)) && is_component_of(name)
}

/// Whether a component of a mount's path may begin with these bytes.
pub fn may_begin(first: u8, second: u8) -> bool {
    BEGINNINGS[beginning(first, second)].load(Ordering::Acquire)
}

/// The entry of `BEGINNINGS` for two bytes of a path: the second may end the component.
fn beginning(first: u8, second: u8) -> usize {
    let second = if second == b'/' { 0 } else { second };
    (usize::from(first) * 31 + usize::from(second)) % BEGINNINGS.len()
}

#[inline(never)]
fn is_component_of(name: &[u8]) -> bool {
    present().any(|(_, mount)| components(mount.mount()).any(|part| part == name))
}

/// The virtual path of a real one, appended to `out`.
pub fn push_virtual(real: &[u8], out: &mut Text) {
    let found = present().filter_map(|(_, mount)| Some((mount, below(real, mount.backing())?)));
    // The first of several with one backing directory.
    if let Some((mount, rest)) = found.min_by_key(|(mount, _)| Reverse(mount.backing().len())) {
        out.push(mount.mount());
        out.push(rest);
        return;
    }
    let skeletons = all().iter().filter_map(Mount::skeleton);
    for root in skeletons {
        if let Some(rest) = below(real, root)
            && mount_under(rest).is_some()
            && !rest.is_empty()
        {
            out.push(rest);
            return;
        }
    }
    out.push(real);
}

/// The real path of a virtual one without odd components, appended to `out`; its mount.
pub fn push_real(path: &[u8], out: &mut Text) -> Option<usize> {
    if let Some((mount, rest)) = mount_of(path) {
        out.push(all()[mount].backing());
        out.push(rest);
        return Some(mount);
    }
    if let Some(root) = skeleton_of(path) {
        out.push(root);
    }
    out.push(path);
    None
}

/// The store's root for a directory above a mount, if the computer has no such directory.
pub fn skeleton_of(path: &[u8]) -> Option<&'static [u8]> {
    mount_under(path)?;
    // All mounts of a run have one store; the backing directory of `dfuse` is that of a container.
    let root = all().iter().find_map(Mount::skeleton)?;
    let path = Text::of(path);
    // SAFETY: a zero-terminated path.
    let exists = unsafe { sys::fstatat(libc::AT_FDCWD, path.as_ptr(), 0) };
    matches!(exists, Err(libc::ENOENT)).then_some(root)
}
