//! Calls that create, remove and rename entries of directories.

use std::ffi::{c_char, c_int, c_uint};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use libc::{dev_t, mode_t};
use workload::FileCallKind;
use workload::file_flag;
use workload::file_request::request_flag;

use crate::mounts;
use crate::next::{at, real};
use crate::open::{mask, open_target};
use crate::place::{Found, Target, enters_by_link, is_host, is_wild, locate};
use crate::simulator::{Verdict, submit_path};
use crate::sys::{self, error, finish, sys};
use crate::text::Text;

/// Whether a target is the root of its mount, which cannot be removed or renamed.
fn is_root(target: &mut Target) -> bool {
    let Some(mount) = target.mount else { return false };
    let mut path = Text::new();
    let below = target.push_relative(&mut path);
    mounts::is_same(below, Some(mount)) && path.is_empty()
}

/// # Safety
/// The program's path.
unsafe fn mkdir_at(
    (dir, path): (c_int, *const c_char),
    mode: mode_t,
    host: impl Fn() -> c_int,
) -> c_int {
    unsafe { at((dir, path, false), host, |target| finish(make_directory(target, mode)) as c_int) }
}

fn make_directory(target: &mut Target, mode: mode_t) -> sys::Result {
    let verdict = submit_path(FileCallKind::Mkdir, 0, target, |request| {
        request.set(|header| header.mode = libc::S_IFDIR | mode & 0o1777 & !mask())
    });
    let (dir, path) = target.at();
    match verdict {
        // SAFETY: the target's path.
        Verdict::Absent => unsafe { sys!(SYS_mkdirat, dir, path, mode) },
        Verdict::Failed(errno) => error(errno),
        Verdict::Done(_) => 0,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdir(path: *const c_char, mode: mode_t) -> c_int {
    let real = real!(mkdir(*const c_char, mode_t) -> c_int);
    unsafe { mkdir_at((libc::AT_FDCWD, path), mode, || real(path, mode)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn mkdirat(dir: c_int, path: *const c_char, mode: mode_t) -> c_int {
    let real = real!(mkdirat(c_int, *const c_char, mode_t) -> c_int);
    unsafe { mkdir_at((dir, path), mode, || real(dir, path, mode)) }
}

/// # Safety
/// The program's path.
unsafe fn mknod_at(
    (dir, path): (c_int, *const c_char),
    (mode, device): (mode_t, dev_t),
    host: impl Fn() -> c_int,
) -> c_int {
    let create = |target: &mut Target| {
        let kind = if mode & libc::S_IFMT == 0 { libc::S_IFREG } else { mode & libc::S_IFMT };
        let exclusive = u32::from(file_flag::CREATE | file_flag::EXCLUSIVE);
        let flags = exclusive | request_flag::NODE;
        let verdict = submit_path(FileCallKind::Open, flags, target, |request| {
            request.set(|header| {
                header.mode = kind | mode & 0o7777 & !mask();
                header.bytes = device;
            })
        });
        let (dir, path) = target.at();
        finish(match verdict {
            // SAFETY: the target's path.
            Verdict::Absent => unsafe { sys!(SYS_mknodat, dir, path, mode, device) },
            Verdict::Failed(errno) => error(errno),
            Verdict::Done(_) => 0,
        }) as c_int
    };
    unsafe { at((dir, path, false), host, create) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mknod(path: *const c_char, mode: mode_t, device: dev_t) -> c_int {
    let real = real!(mknod(*const c_char, mode_t, dev_t) -> c_int);
    unsafe { mknod_at((libc::AT_FDCWD, path), (mode, device), || real(path, mode, device)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn mknodat(
    dir: c_int,
    path: *const c_char,
    mode: mode_t,
    device: dev_t,
) -> c_int {
    let real = real!(mknodat(c_int, *const c_char, mode_t, dev_t) -> c_int);
    unsafe { mknod_at((dir, path), (mode, device), || real(dir, path, mode, device)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __xmknod(
    version: c_int,
    path: *const c_char,
    mode: mode_t,
    device: *mut dev_t,
) -> c_int {
    let real = real!(__xmknod(c_int, *const c_char, mode_t, *mut dev_t) -> c_int);
    let host = || unsafe { real(version, path, mode, device) };
    unsafe { mknod_at((libc::AT_FDCWD, path), (mode, *device), host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __xmknodat(
    version: c_int,
    dir: c_int,
    path: *const c_char,
    mode: mode_t,
    device: *mut dev_t,
) -> c_int {
    let real = real!(__xmknodat(c_int, c_int, *const c_char, mode_t, *mut dev_t) -> c_int);
    let host = || unsafe { real(version, dir, path, mode, device) };
    unsafe { mknod_at((dir, path), (mode, *device), host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn mkfifo(path: *const c_char, mode: mode_t) -> c_int {
    let host = || unsafe { real!(mkfifo(*const c_char, mode_t) -> c_int)(path, mode) };
    unsafe { mknod_at((libc::AT_FDCWD, path), (libc::S_IFIFO | mode & 0o7777, 0), host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn mkfifoat(dir: c_int, path: *const c_char, mode: mode_t) -> c_int {
    let real = real!(mkfifoat(c_int, *const c_char, mode_t) -> c_int);
    let host = || unsafe { real(dir, path, mode) };
    unsafe { mknod_at((dir, path), (libc::S_IFIFO | mode & 0o7777, 0), host) }
}

/// Removes an entry: `flags` of `unlinkat`.
fn remove_target(target: &mut Target, flags: c_int) -> sys::Result {
    let is_directory = flags & libc::AT_REMOVEDIR != 0;
    if is_directory && is_root(target) {
        return error(libc::EBUSY);
    }
    let kind = if is_directory { FileCallKind::Rmdir } else { FileCallKind::Unlink };
    let verdict = submit_path(kind, 0, target, |request| request);
    let (dir, path) = target.at();
    match verdict {
        // SAFETY: the target's path.
        Verdict::Absent => unsafe { sys!(SYS_unlinkat, dir, path, flags) },
        Verdict::Failed(errno) => error(errno),
        Verdict::Done(_) => 0,
    }
}

/// # Safety
/// The program's path.
unsafe fn unlink_at(
    (dir, path): (c_int, *const c_char),
    flags: c_int,
    host: impl Fn() -> c_int,
) -> c_int {
    let remove = |target: &mut Target| finish(remove_target(target, flags)) as c_int;
    unsafe { at((dir, path, false), host, remove) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn unlink(path: *const c_char) -> c_int {
    let host = || unsafe { real!(unlink(*const c_char) -> c_int)(path) };
    unsafe { unlink_at((libc::AT_FDCWD, path), 0, host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn rmdir(path: *const c_char) -> c_int {
    let host = || unsafe { real!(rmdir(*const c_char) -> c_int)(path) };
    unsafe { unlink_at((libc::AT_FDCWD, path), libc::AT_REMOVEDIR, host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn unlinkat(dir: c_int, path: *const c_char, flags: c_int) -> c_int {
    let real = real!(unlinkat(c_int, *const c_char, c_int) -> c_int);
    unsafe { unlink_at((dir, path), flags, || real(dir, path, flags)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn remove(path: *const c_char) -> c_int {
    let host = || unsafe { real!(remove(*const c_char) -> c_int)(path) };
    let remove = |target: &mut Target| {
        let mut result = remove_target(target, 0);
        if result == error(libc::EISDIR) {
            result = remove_target(target, libc::AT_REMOVEDIR);
        }
        finish(result) as c_int
    };
    unsafe { at((libc::AT_FDCWD, path, false), host, remove) }
}

type Named = (c_int, *const c_char);

/// Runs `simulated` if one of two paths leads into a mount; else `host`. Paths in different file
/// systems cannot be linked or renamed.
unsafe fn pair(
    first: (c_int, *const c_char, bool),
    second: Named,
    how: First,
    host: impl Fn() -> c_int,
    simulated: impl FnOnce(&mut Target, &mut Target) -> sys::Result,
) -> c_int {
    let is_wild = is_wild(first.1) || is_wild(second.1);
    if is_host(first.0, first.1) && is_host(second.0, second.1) {
        let result = host();
        let is_missing = result == -1 && sys::errno() == libc::ENOENT;
        if !is_missing || is_wild || !mounts::active() {
            return result;
        }
    }
    if is_wild {
        return finish(error(libc::EFAULT)) as c_int;
    }
    unsafe { pair_located(first, second, how, host, simulated) }
}

#[inline(never)]
unsafe fn pair_located(
    (first_dir, first, follow): (c_int, *const c_char, bool),
    (second_dir, second): Named,
    how: First,
    host: impl Fn() -> c_int,
    simulated: impl FnOnce(&mut Target, &mut Target) -> sys::Result,
) -> c_int {
    let (mut a, mut b) = (Target::new(), Target::new());
    let found = unsafe {
        [find(first_dir, first, follow, &mut a), find(second_dir, second, false, &mut b)]
    };
    if let Found::Error(errno) = found[0] {
        return finish(error(errno)) as c_int;
    }
    if let Found::Error(errno) = found[1] {
        // The kernel finds errors of the first path before.
        let result = first_error(&mut a, how).unwrap_or(errno);
        return finish(error(result)) as c_int;
    }
    if found.iter().all(|one| matches!(one, Found::Unchanged)) {
        return host();
    }
    if !mounts::is_same(a.mount, b.mount) {
        return finish(error(libc::EXDEV)) as c_int;
    }
    finish(simulated(&mut a, &mut b)) as c_int
}

/// What the kernel finds of the first of two paths before it looks at the second.
#[derive(Clone, Copy, PartialEq)]
enum First {
    /// The directory of the entry.
    Parent,
    /// The file.
    File,
}

fn first_error(target: &mut Target, first: First) -> Option<c_int> {
    let mut path = Text::of(target.real());
    if first == First::Parent {
        while path.bytes().ends_with(b"/") {
            path.truncate(path.len() - 1);
        }
        path.pop();
        path.push(b"/.");
    }
    // SAFETY: a zero-terminated path.
    let found = unsafe { sys::fstatat(libc::AT_FDCWD, path.as_ptr(), libc::AT_SYMLINK_NOFOLLOW) };
    found.err()
}

/// As `locate`, also by links of the host; an unchanged path becomes a target of the host.
unsafe fn find(dir: c_int, path: *const c_char, follow: bool, out: &mut Target) -> Found {
    let mut found = unsafe { locate(dir, path, follow, out) };
    if matches!(found, Found::Unchanged) {
        if unsafe { enters_by_link(dir, path, follow, out) } {
            found = Found::Target;
        } else {
            *out = Target::of_host(dir, path);
        }
    }
    found
}

/// # Safety
/// The program's paths.
pub unsafe fn rename_at(
    (from_dir, from): Named,
    (to_dir, to): Named,
    flags: c_uint,
    host: impl Fn() -> c_int,
) -> c_int {
    let rename = |from: &mut Target, to: &mut Target| {
        if is_root(from) || is_root(to) {
            return error(libc::EBUSY);
        }
        let given = |flag, is| if flags & flag != 0 { is } else { 0 };
        let meaning = given(libc::RENAME_NOREPLACE, request_flag::NO_REPLACE)
            | given(libc::RENAME_EXCHANGE, request_flag::EXCHANGE);
        let mut other = Text::new();
        to.push_relative(&mut other);
        let verdict = submit_path(FileCallKind::Rename, meaning, from, |request| {
            request.with_other(other.bytes())
        });
        let ((from_dir, from), (to_dir, to)) = (from.at(), to.at());
        match verdict {
            Verdict::Failed(errno) => error(errno),
            Verdict::Done(_) => 0,
            // SAFETY: the targets' paths.
            Verdict::Absent => unsafe { sys!(SYS_renameat2, from_dir, from, to_dir, to, flags) },
        }
    };
    unsafe { pair((from_dir, from, false), (to_dir, to), First::Parent, host, rename) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let real = real!(rename(*const c_char, *const c_char) -> c_int);
    let cwd = libc::AT_FDCWD;
    unsafe { rename_at((cwd, from), (cwd, to), 0, || real(from, to)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn renameat(
    from_dir: c_int,
    from: *const c_char,
    to_dir: c_int,
    to: *const c_char,
) -> c_int {
    let real = real!(renameat(c_int, *const c_char, c_int, *const c_char) -> c_int);
    unsafe { rename_at((from_dir, from), (to_dir, to), 0, || real(from_dir, from, to_dir, to)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn renameat2(
    from_dir: c_int,
    from: *const c_char,
    to_dir: c_int,
    to: *const c_char,
    flags: c_uint,
) -> c_int {
    let real = real!(renameat2(c_int, *const c_char, c_int, *const c_char, c_uint) -> c_int);
    let host = || unsafe { real(from_dir, from, to_dir, to, flags) };
    unsafe { rename_at((from_dir, from), (to_dir, to), flags, host) }
}

/// # Safety
/// The program's paths.
unsafe fn link_at(
    (from_dir, from): Named,
    (to_dir, to): Named,
    flags: c_int,
    host: impl Fn() -> c_int,
) -> c_int {
    let follow = flags & libc::AT_SYMLINK_FOLLOW != 0;
    let link = |from: &mut Target, to: &mut Target| {
        let meaning = if follow { 0 } else { request_flag::NO_FOLLOW };
        let mut other = Text::new();
        from.push_relative(&mut other);
        let verdict = submit_path(FileCallKind::Link, meaning, to, |request| {
            request.with_other(other.bytes())
        });
        let ((from_dir, from), (to_dir, to)) = (from.at(), to.at());
        match verdict {
            Verdict::Failed(errno) => error(errno),
            Verdict::Done(_) => 0,
            // SAFETY: the targets' paths.
            Verdict::Absent => unsafe { sys!(SYS_linkat, from_dir, from, to_dir, to, flags) },
        }
    };
    unsafe { pair((from_dir, from, follow), (to_dir, to), First::File, host, link) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn link(from: *const c_char, to: *const c_char) -> c_int {
    let real = real!(link(*const c_char, *const c_char) -> c_int);
    let cwd = libc::AT_FDCWD;
    unsafe { link_at((cwd, from), (cwd, to), 0, || real(from, to)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn linkat(
    from_dir: c_int,
    from: *const c_char,
    to_dir: c_int,
    to: *const c_char,
    flags: c_int,
) -> c_int {
    let real = real!(linkat(c_int, *const c_char, c_int, *const c_char, c_int) -> c_int);
    let host = || unsafe { real(from_dir, from, to_dir, to, flags) };
    unsafe { link_at((from_dir, from), (to_dir, to), flags, host) }
}

/// Names generated by this process.
static GENERATED: AtomicU64 = AtomicU64::new(0);
/// Attempts of a template, as in the C library.
const ATTEMPTS: u32 = 62 * 62 * 62;
const PLACEHOLDERS: usize = 6;

/// The next name of this process: a function of its rank and a counter, because the placement of a
/// file depends on its name. A name that exists is followed by another.
fn generate(out: &mut [u8]) {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    // SAFETY: a zero-terminated name; the value is read at once.
    let rank = unsafe { libc::getenv(c"ODONATA_RANK".as_ptr()) };
    let rank = if rank.is_null() { &b"0"[..] } else { unsafe { sys::bytes(rank) } };
    let seed = rank.iter().fold(7u64, |sum, &digit| sum * 31 + u64::from(digit));
    let n = GENERATED.fetch_add(1, Ordering::Relaxed);
    // SplitMix64.
    let mut value = seed.wrapping_add(n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value ^= value >> 31;
    for byte in out {
        *byte = DIGITS[(value % 62) as usize];
        value /= 62;
    }
}

/// Replaces the placeholders of a template until `create` does not fail with `EEXIST`.
unsafe fn fill_template(
    template: *mut c_char,
    suffix: c_int,
    mut create: impl FnMut(&mut Target) -> sys::Result,
) -> sys::Result {
    let length = unsafe { sys::bytes(template) }.len();
    let end = usize::try_from(suffix).ok().and_then(|suffix| length.checked_sub(suffix));
    let Some(start) = end.and_then(|end| end.checked_sub(PLACEHOLDERS)) else {
        return error(libc::EINVAL);
    };
    // SAFETY: inside the program's template.
    let holders =
        unsafe { std::slice::from_raw_parts_mut(template.cast::<u8>().add(start), PLACEHOLDERS) };
    if holders != b"XXXXXX" {
        return error(libc::EINVAL);
    }
    for _ in 0..ATTEMPTS {
        generate(holders);
        let mut target = Target::new();
        let result = match unsafe { find(libc::AT_FDCWD, template, false, &mut target) } {
            Found::Error(errno) => return error(errno),
            _ => create(&mut target),
        };
        if result != error(libc::EEXIST) {
            return result;
        }
    }
    error(libc::EEXIST)
}

/// Whether a template leads into a mount.
unsafe fn is_simulated_template(template: *const c_char) -> bool {
    let mut target = Target::new();
    !is_host(libc::AT_FDCWD, template)
        && matches!(unsafe { locate(libc::AT_FDCWD, template, false, &mut target) }, Found::Target)
}

macro_rules! temporary_files {
    ($($name:ident($($more:ident),*) $suffix:expr, $flags:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(template: *mut c_char $(, $more: c_int)*) -> c_int {
            if !unsafe { is_simulated_template(template) } {
                let real = real!($name(*mut c_char $(, temporary_files!(@ $more))*) -> c_int);
                return unsafe { real(template $(, $more)*) };
            }
            let flags = $flags & !libc::O_ACCMODE | libc::O_RDWR | libc::O_CREAT | libc::O_EXCL;
            let create = |target: &mut Target| open_target(target, flags, 0o600);
            finish(unsafe { fill_template(template, $suffix, create) }) as c_int
        }
    )*};
    (@ $more:ident) => { c_int };
}
temporary_files! {
    mkstemp() 0, 0;
    mkstemp64() 0, 0;
    mkostemp(flags) 0, flags;
    mkostemp64(flags) 0, flags;
    mkstemps(suffix) suffix, 0;
    mkstemps64(suffix) suffix, 0;
    mkostemps(suffix, flags) suffix, flags;
    mkostemps64(suffix, flags) suffix, flags;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mkdtemp(template: *mut c_char) -> *mut c_char {
    if !unsafe { is_simulated_template(template) } {
        return unsafe { real!(mkdtemp(*mut c_char) -> *mut c_char)(template) };
    }
    let create = |target: &mut Target| make_directory(target, 0o700);
    match finish(unsafe { fill_template(template, 0, create) }) {
        0 => template,
        _ => null_mut(),
    }
}

/// A name that does not exist; an empty one after an error.
#[unsafe(no_mangle)]
unsafe extern "C" fn mktemp(template: *mut c_char) -> *mut c_char {
    if !unsafe { is_simulated_template(template) } {
        return unsafe { real!(mktemp(*mut c_char) -> *mut c_char)(template) };
    }
    let check = |target: &mut Target| {
        let verdict = submit_path(FileCallKind::Stat, 0, target, |request| request);
        let (dir, path) = target.at();
        // SAFETY: the target's path.
        let found = match verdict {
            Verdict::Failed(errno) => Err(errno),
            _ => unsafe { sys::fstatat(dir, path, libc::AT_SYMLINK_NOFOLLOW) }.map(|_| ()),
        };
        match found {
            Ok(()) => error(libc::EEXIST),
            Err(libc::ENOENT) => 0,
            Err(errno) => error(errno),
        }
    };
    if finish(unsafe { fill_template(template, 0, check) }) != 0 {
        unsafe { *template = 0 };
    }
    template
}
