//! Where a path of the program leads: unchanged to the kernel, or to a path below a backing
//! directory.
//!
//! The kernel resolves what it can: paths relative to a directory of a store, and links, whose
//! absolute targets are stored as real paths. This module replaces a mount's path at the beginning
//! of a path. Where `..` or a link may cross a mount's border, it resolves the path itself, one
//! component at a time.

use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::descriptors;
use crate::mounts;
use crate::sys::{self, sys};
use crate::text::{Text, components, has_parent, is_simple, normalize};

/// Most links in a path, as the kernel.
const MAX_LINKS: u32 = 40;

/// The working directory: on the host, in the mount with this index plus 1, or not known to be one
/// of them, as the directories above a mount.
const HOST: u32 = 0;
const UNKNOWN: u32 = u32::MAX;
static DIRECTORY: AtomicU32 = AtomicU32::new(UNKNOWN);

/// Updates the working directory, after it has changed.
pub fn entered_directory() {
    let mut real = Text::new();
    let state = match fill_working_directory(&mut real) {
        Err(_) => UNKNOWN,
        Ok(()) => match mounts::backing_of(real.bytes()) {
            Some((mount, _)) => mount as u32 + 1,
            None => {
                let mut path = Text::new();
                mounts::push_virtual(real.bytes(), &mut path);
                if path.bytes() == real.bytes() { HOST } else { UNKNOWN }
            }
        },
    };
    // The child of `vfork` changes its own working directory, in its parent's memory.
    let is_owner = descriptors::is_owner();
    DIRECTORY.store(if is_owner { state } else { UNKNOWN }, Ordering::Relaxed);
}

/// Whether a path is the kernel's without further steps: the fast path of each call.
#[inline]
pub fn is_host(dir: c_int, path: *const c_char) -> bool {
    !mounts::active()
        || is_wild(path)
        || unsafe { is_name_on_host(dir, path) || is_plain(dir, sys::bytes(path)) }
}

/// Whether a path is relative to a directory of the host, and leads neither up nor to a name on the
/// path of a mount. Programs that walk trees have many such paths.
///
/// # Safety
/// `path` is zero-terminated.
unsafe fn is_name_on_host(dir: c_int, path: *const c_char) -> bool {
    let on_host = match dir {
        libc::AT_FDCWD => DIRECTORY.load(Ordering::Relaxed) == HOST,
        fd => !descriptors::may_be_simulated(fd),
    };
    // SAFETY: up to the zero.
    unsafe {
        let first = *path.cast::<u8>();
        let second = if first == 0 { 0 } else { *path.cast::<u8>().add(1) };
        on_host
            && !matches!(first, b'/' | b'.')
            && !mounts::may_begin(first, second)
            && !mounts::hides()
            && libc::strstr(path, c"..".as_ptr()).is_null()
    }
}

/// Whether no process has this address, or only ones without protection of its first pages
/// (`vm.mmap_min_addr`): the kernel returns `EFAULT` for it.
#[inline]
pub fn is_wild(path: *const c_char) -> bool {
    const FIRST: usize = 1 << 16;
    const END: usize = 1 << 56;
    !(FIRST..END).contains(&path.addr())
}

fn is_plain(dir: c_int, path: &[u8]) -> bool {
    if mounts::hides() {
        return false;
    }
    if path.first() == Some(&b'/') {
        return is_simple(path) && mounts::leads_elsewhere(path)
            || !has_parent(path)
                && mounts::mount_of(path).is_none()
                && mounts::backing_of(path).is_none()
                && mounts::mount_under(path).is_none();
    }
    let on_host = match dir {
        libc::AT_FDCWD => DIRECTORY.load(Ordering::Relaxed) == HOST,
        fd => !descriptors::may_be_simulated(fd),
    };
    on_host && !has_parent(path) && !components(path).next().is_some_and(mounts::is_component)
}

/// What a path refers to.
pub enum Found {
    /// The kernel resolves it as it is.
    Unchanged,
    /// See the target.
    Target,
    Error(c_int),
}

/// A path for the kernel, and its meaning.
pub struct Target {
    /// The mount; `None` for a path of the host that the program has spelled through a mount.
    pub mount: Option<usize>,
    /// The directory and path for the kernel, if they are the program's own.
    own: Option<(c_int, *const c_char)>,
    /// The real path, absolute; empty if `own` and not yet needed.
    real: Text,
    /// An open directory that the path is relative to, because the real path is too long.
    root: Option<c_int>,
}

impl Target {
    pub const fn new() -> Target {
        Target { mount: None, own: None, real: Text::new(), root: None }
    }
    /// A path of the host, as the program has it.
    pub fn of_host(dir: c_int, path: *const c_char) -> Target {
        Target { mount: None, own: Some((dir, path)), real: Text::new(), root: None }
    }
    /// Directory and path for the kernel.
    pub fn at(&self) -> (c_int, *const c_char) {
        match (self.own, self.root, self.mount) {
            (Some(own), ..) => own,
            (None, Some(root), Some(mount)) => {
                let skipped = mounts::all()[mount].backing().len() + 1;
                (root, self.real.as_ptr().wrapping_add(skipped))
            }
            _ => (libc::AT_FDCWD, self.real.as_ptr()),
        }
    }
    /// The real path; for paths of the program, relative to a directory, it is composed now.
    pub fn real(&mut self) -> &[u8] {
        if let Some((dir, path)) = self.own
            && self.real.is_empty()
        {
            // SAFETY: the program's path, for the duration of its call.
            let path = unsafe { sys::bytes(path) };
            let _ = real_directory(dir, &mut self.real);
            if !path.is_empty() {
                self.real.push(b"/");
                self.real.push(path);
            }
        }
        self.real.bytes()
    }
    /// The absolute path for functions that take no directory.
    pub fn absolute(&mut self) -> *const c_char {
        self.real();
        self.real.as_ptr()
    }
    /// Appends the path below the mount, as a request has it, and returns its mount.
    pub fn push_relative(&mut self, out: &mut Text) -> Option<usize> {
        let mount = self.mount?;
        let real = self.real();
        let rest = mounts::below_root(real)?;
        let last = rest.rsplit(|&byte| byte == b'/').find(|part| !part.is_empty());
        let mut is_first = true;
        for part in components(rest) {
            if !is_first {
                out.push(b"/");
            }
            out.push(part);
            is_first = false;
        }
        // Its meaning is an error of most calls.
        if !is_first && last == Some(b".") {
            out.push(b"/.");
        } else if !is_first && rest.ends_with(b"/") {
            out.push(b"/");
        }
        Some(mount)
    }
    fn set_real(&mut self, virtual_path: &[u8]) {
        self.own = None;
        self.real.clear();
        self.mount = mounts::push_real(virtual_path, &mut self.real);
    }
    /// Opens the mount's root if the real path is longer than the kernel accepts and the program's
    /// is not.
    fn shorten(&mut self) {
        let Some(mount) = self.mount.map(|mount| &mounts::all()[mount]) else { return };
        let length = self.real.len();
        let too_long = |length: usize| length >= libc::PATH_MAX as usize;
        if !too_long(length) || too_long(length - mount.backing().len()) {
            return;
        }
        let root = Text::of(mount.backing());
        let flags = libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC;
        // SAFETY: a zero-terminated path.
        let fd = unsafe { sys!(SYS_openat, libc::AT_FDCWD, root.as_ptr(), flags) };
        self.root = c_int::try_from(fd).ok().filter(|&fd| fd >= 0);
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if let Some(root) = self.root {
            sys::close(root);
        }
    }
}

/// Finds out where a path leads. `follow`: a link in the last component is followed by the call.
///
/// # Safety
/// `path` is zero-terminated and lives as long as `out`.
#[cold]
pub unsafe fn locate(dir: c_int, path: *const c_char, follow: bool, out: &mut Target) -> Found {
    let text = unsafe { sys::bytes(path) };
    if text.len() >= libc::PATH_MAX as usize {
        // The kernel's error, also for a path that would have led to a mount.
        return Found::Unchanged;
    }
    let is_absolute = text.first() == Some(&b'/');
    if !mounts::hides() && !has_parent(text) {
        if is_absolute {
            return direct(text, out);
        }
        if let Some(mount) = mount_of_directory(dir) {
            (out.mount, out.own) = (Some(mount), Some((dir, path)));
            return Found::Target;
        }
    }
    if text.is_empty() {
        return Found::Unchanged;
    }
    let mut whole = Text::new();
    if !is_absolute {
        let mut real = Text::new();
        if real_directory(dir, &mut real).is_err() {
            return Found::Unchanged;
        }
        mounts::push_virtual(real.bytes(), &mut whole);
        whole.push(b"/");
    }
    whole.push(text);
    if !mounts::hides() && !may_touch_mount(whole.bytes()) {
        return Found::Unchanged;
    }
    let mut resolved = Text::new();
    if let Err(errno) = walk(whole.bytes(), follow, &mut resolved) {
        return Found::Error(errno);
    }
    out.set_real(resolved.bytes());
    // With hidden directories every path comes here, and most are the host's.
    if out.mount.is_none() && mount_of_directory(dir).is_none() && !may_touch_mount(whole.bytes()) {
        return Found::Unchanged;
    }
    out.shorten();
    Found::Target
}

/// An absolute path without `..`.
fn direct(text: &[u8], out: &mut Target) -> Found {
    if mounts::mount_of(text).is_some() {
        out.set_real(text);
        out.shorten();
        return Found::Target;
    }
    if let Some((mount, _)) = mounts::backing_of(text) {
        out.real.set(text);
        out.mount = Some(mount);
        return Found::Target;
    }
    if mounts::skeleton_of(text).is_some() {
        out.set_real(text);
        return Found::Target;
    }
    Found::Unchanged
}

/// Whether a path begins with a mount's path or leads to one, or to a directory above it, by its
/// names alone.
fn may_touch_mount(path: &[u8]) -> bool {
    let mut plain = Text::new();
    normalize(path, &mut plain);
    let touches = |path: &[u8]| {
        mounts::mount_of(path).is_some()
            || mounts::backing_of(path).is_some()
            || mounts::mount_under(path).is_some()
    };
    touches(path) || touches(plain.bytes())
}

/// The mount that a directory belongs to.
fn mount_of_directory(dir: c_int) -> Option<usize> {
    if dir == libc::AT_FDCWD {
        return match DIRECTORY.load(Ordering::Relaxed) {
            HOST => None,
            UNKNOWN => {
                let mut real = Text::new();
                fill_working_directory(&mut real).ok()?;
                mounts::backing_of(real.bytes()).map(|(mount, _)| mount)
            }
            known => Some(known as usize - 1),
        };
    }
    descriptors::simulated(dir).map(|open| open.mount)
}

fn real_directory(dir: c_int, out: &mut Text) -> Result<(), c_int> {
    match dir {
        libc::AT_FDCWD => fill_working_directory(out),
        // SAFETY: a text's buffer.
        fd => out.fill(|out, size| unsafe { sys::path_of(fd, out, size) }.ok_or(libc::ENOENT)),
    }
}

/// The real working directory.
pub fn fill_working_directory(out: &mut Text) -> Result<(), c_int> {
    // SAFETY: a text's buffer.
    out.fill(|out, size| unsafe { sys::working_directory(out, size) })
}

/// Whether a path that does not exist on the host leads into a mount by a link of the host.
///
/// # Safety
/// As `locate`.
#[cold]
pub unsafe fn enters_by_link(
    dir: c_int,
    path: *const c_char,
    follow: bool,
    out: &mut Target,
) -> bool {
    let text = unsafe { sys::bytes(path) };
    let mut whole = Text::new();
    if text.is_empty() || text.len() >= libc::PATH_MAX as usize || !unsafe { has_link(dir, path) } {
        return false;
    }
    if text[0] != b'/' {
        if real_directory(dir, &mut whole).is_err() {
            return false;
        }
        whole.push(b"/");
    }
    whole.push(text);
    let mut resolved = Text::new();
    if walk(whole.bytes(), follow, &mut resolved).is_err() {
        return false;
    }
    out.set_real(resolved.bytes());
    out.shorten();
    out.mount.is_some()
}

/// Whether a link may be the reason that a path does not exist: most have none, which the kernel
/// finds out in one call (`openat2` of Linux 5.6).
unsafe fn has_link(dir: c_int, path: *const c_char) -> bool {
    let how = [(libc::O_PATH | libc::O_CLOEXEC) as u64, 0, libc::RESOLVE_NO_SYMLINKS];
    // SAFETY: the program's path; flags, mode and restrictions.
    let result = unsafe { sys!(SYS_openat2, dir, path, how.as_ptr(), size_of_val(&how)) };
    if result >= 0 {
        sys::close(result as c_int);
    }
    result != sys::error(libc::ENOENT)
}

/// Resolves an absolute virtual path: links, `.` and `..`. Components that do not exist remain, as
/// do a slash at the end, and `.` or `..` as last name within a mount.
pub fn walk(path: &[u8], follow: bool, out: &mut Text) -> Result<(), c_int> {
    let mut rest = Text::of(path);
    let mut links = 0;
    let mut at = 0;
    out.clear();
    loop {
        let bytes = rest.bytes();
        at += bytes[at..].iter().take_while(|&&byte| byte == b'/').count();
        if at == bytes.len() {
            break;
        }
        let end = bytes[at..].iter().position(|&byte| byte == b'/').map_or(bytes.len(), |n| at + n);
        let part = &bytes[at..end];
        let is_last = bytes[end..].iter().all(|&byte| byte == b'/');
        at = end;
        if part == b"." || part == b".." {
            check_directory(out)?;
            let stays = mounts::mount_of(out.bytes()).is_none_or(|(_, rest)| !rest.is_empty());
            if is_last && !out.is_empty() && (part == b"." || stays) {
                // The kernel refuses to remove or rename these names.
                out.push(b"/");
                out.push(part);
            } else if part == b".." {
                out.pop();
                if is_last && !out.is_empty() {
                    out.push(b"/.");
                }
            }
            continue;
        }
        let before = out.len();
        out.push(b"/");
        out.push(part);
        let is_mount = mounts::mount_of(out.bytes()).is_some_and(|(_, rest)| rest.is_empty());
        if is_mount || (is_last && !follow) {
            continue;
        }
        let mut link = Text::new();
        if !read_link(out, &mut link) {
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(libc::ELOOP);
        }
        let mut target = Text::new();
        if link.bytes().first() == Some(&b'/') {
            mounts::push_virtual(link.bytes(), &mut target);
            out.clear();
        } else {
            target.push(link.bytes());
            out.truncate(before);
        }
        target.push(&rest.bytes()[end..]);
        (rest, at) = (target, 0);
    }
    if rest.bytes().ends_with(b"/") || out.is_empty() {
        out.push(b"/");
    }
    Ok(())
}

/// Reads the link at a virtual path; whether it is one that has a path. (Links of `/proc` to pipes
/// have none.)
fn read_link(path: &Text, out: &mut Text) -> bool {
    let mut real = Text::new();
    mounts::push_real(path.bytes(), &mut real);
    // SAFETY: a zero-terminated path, and room for the length.
    let read = out.fill(|out, size| unsafe {
        let n = sys!(SYS_readlinkat, libc::AT_FDCWD, real.as_ptr(), out, size);
        usize::try_from(n).map_err(|_| ())
    });
    let of_kernel = path.bytes().starts_with(b"/proc/");
    read.is_ok() && !out.is_empty() && (!of_kernel || out.bytes()[0] == b'/')
}

/// Fails unless a virtual path is a directory.
fn check_directory(path: &Text) -> Result<(), c_int> {
    if path.is_empty() {
        return Ok(());
    }
    let mut real = Text::new();
    mounts::push_real(path.bytes(), &mut real);
    // SAFETY: a zero-terminated path.
    let status = unsafe { sys::fstatat(libc::AT_FDCWD, real.as_ptr(), 0)? };
    match status.st_mode & libc::S_IFMT {
        libc::S_IFDIR => Ok(()),
        _ => Err(libc::ENOTDIR),
    }
}
