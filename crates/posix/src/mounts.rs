//! The mounts of this process: read once from `ODONATA_MOUNTS`, then constant.
//!
//! Three kinds of absolute path exist. A path of the program is virtual: `/lus/flare/a`. The real
//! path of the same file is below a backing directory. Paths outside mounts are both.

use std::cell::{Cell, UnsafeCell};
use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use workload::file_request::{decode_mounts, decode_path};

use crate::sys;
use crate::text::{Text, below, components};

pub const VARIABLE: &CStr = c"ODONATA_MOUNTS";
/// A mount's index fits into an entry of the table of descriptors.
pub const MAX_MOUNTS: usize = 14;
const PATH: usize = libc::PATH_MAX as usize;

/// One mount.
pub struct Mount {
    /// Number of the file system.
    pub number: u32,
    mount: [u8; PATH],
    mount_length: usize,
    backing: [u8; PATH],
    backing_length: usize,
}

impl Mount {
    const EMPTY: Mount = Mount {
        number: 0,
        mount: [0; PATH],
        mount_length: 0,
        backing: [0; PATH],
        backing_length: 0,
    };
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
// SAFETY: written before `STATE` becomes `ACTIVE` and not afterwards.
unsafe impl Sync for Table {}
static TABLE: Table = Table(UnsafeCell::new([const { Mount::EMPTY }; MAX_MOUNTS]));
static COUNT: AtomicUsize = AtomicUsize::new(0);

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
        state::ACTIVE => !INSIDE.get(),
        _ => read() && !INSIDE.get(),
    }
}

/// Runs `work` with all calls of this thread real.
pub fn inside<R>(work: impl FnOnce() -> R) -> R {
    let before = INSIDE.replace(true);
    let result = work();
    INSIDE.set(before);
    result
}

pub fn all() -> &'static [Mount] {
    // SAFETY: constant since `ACTIVE`.
    let table: &'static [Mount; MAX_MOUNTS] = unsafe { &*TABLE.0.get() };
    &table[..COUNT.load(Ordering::Acquire)]
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
    HIDES.store(found && hide_something(), Ordering::Relaxed);
    STATE.store(if found { state::ACTIVE } else { state::NONE }, Ordering::Release);
    found
}

/// # Safety
/// Called by one thread, before the table is used.
unsafe fn parse(text: &[u8]) -> bool {
    // SAFETY: nothing else has a reference yet.
    let table = unsafe { &mut *TABLE.0.get() };
    let mut n = 0;
    for entry in decode_mounts(text) {
        let valid = entry.and_then(|(number, mount, backing)| {
            let into = table.get_mut(n)?;
            into.number = number;
            into.mount_length = decode(mount, &mut into.mount)?;
            into.backing_length = decode(backing, &mut into.backing)?;
            Some(())
        });
        if valid.is_none() {
            sys::report(&[b"ODONATA_MOUNTS is invalid or has more than 14 mounts; none is used"]);
            return false;
        }
        n += 1;
    }
    COUNT.store(n, Ordering::Release);
    n > 0
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
        all().iter().any(|other| {
            one.mount() != other.mount() && below(one.mount(), other.mount()).is_some()
        })
    };
    all().iter().any(|mount| exists(mount).is_ok() || nested(mount))
}

/// The mount of a virtual path and the rest of it: empty, or with a slash at its beginning. The
/// longest mount if there are several.
pub fn mount_of(path: &[u8]) -> Option<(usize, &[u8])> {
    longest(path, Mount::mount)
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

/// Whether an absolute path differs from all mounts and backing directories in its first letter.
pub fn begins_elsewhere(path: &[u8]) -> bool {
    let is_other = |first: u8| {
        all().iter().all(|mount| first != mount.mount()[1] && first != mount.backing()[1])
    };
    path.get(1).is_some_and(|&first| first != b'/' && first != b'.' && is_other(first))
}

/// The first mount that is strictly below a virtual path.
pub fn mount_under(path: &[u8]) -> Option<usize> {
    let is_above = |mount: &Mount| {
        let mut parts = components(mount.mount());
        components(path).all(|part| parts.next() == Some(part)) && parts.next().is_some()
    };
    all().iter().position(is_above)
}

/// Whether a component of a mount's path has this name.
pub fn is_component(name: &[u8]) -> bool {
    all().iter().any(|mount| components(mount.mount()).any(|part| part == name))
}

/// The virtual path of a real one, appended to `out`.
pub fn push_virtual(real: &[u8], out: &mut Text) {
    if let Some((mount, rest)) = backing_of(real) {
        out.push(all()[mount].mount());
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
    let root = all()[mount_under(path)?].skeleton()?;
    let path = Text::of(path);
    // SAFETY: a zero-terminated path.
    let exists = unsafe { sys::fstatat(libc::AT_FDCWD, path.as_ptr(), 0) };
    matches!(exists, Err(libc::ENOENT)).then_some(root)
}
