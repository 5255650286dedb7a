//! Symbolic links, the working directory and resolved paths: real paths that the program sees are
//! translated to virtual ones, and back when it creates a link.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use libc::{size_t, ssize_t};
use workload::FileCallKind;

use crate::mounts;
use crate::next::{at, real};
use crate::place::{self, Target};
use crate::simulator::{Verdict, submit_path};
use crate::sys::{self, error, finish, sys};
use crate::text::{Text, components, has_parent, normalize};

/// The program's view of the link at a target; charged by the caller.
pub fn read(target: &mut Target, out: &mut Text) -> Result<(), c_int> {
    let (dir, path) = target.at();
    // SAFETY: the target's path.
    unsafe { read_at(dir, path, out) }
}

/// # Safety
/// `path` is zero-terminated.
unsafe fn read_at(dir: c_int, path: *const c_char, out: &mut Text) -> Result<(), c_int> {
    let mut link = Text::new();
    link.fill(|out, size| {
        // SAFETY: the caller's path, and room for the length.
        let n = unsafe { sys!(SYS_readlinkat, dir, path, out, size) };
        if n < 0 { Err(-n as c_int) } else { Ok(n as usize) }
    })?;
    mounts::push_virtual(link.bytes(), out);
    Ok(())
}

/// Copies a link to the program's buffer, without a zero and cut at its end.
unsafe fn copy(link: &Text, out: *mut c_char, size: size_t) -> ssize_t {
    let n = link.len().min(size);
    // SAFETY: the program's buffer has `size` bytes.
    unsafe { out.cast::<u8>().copy_from(link.bytes().as_ptr(), n) };
    n as ssize_t
}

/// # Safety
/// The program's path and buffer.
unsafe fn readlink_at(
    (dir, path): (c_int, *const c_char),
    (out, size): (*mut c_char, size_t),
    host: impl Fn() -> ssize_t,
) -> ssize_t {
    let read = |target: &mut Target| {
        let verdict = submit_path(FileCallKind::ReadLink, 0, target, |request| request);
        if let Verdict::Failed(errno) = verdict {
            return finish(error(errno));
        }
        let mut link = Text::new();
        match read(target, &mut link) {
            Ok(()) if size > 0 => unsafe { copy(&link, out, size) },
            Ok(()) => finish(error(libc::EINVAL)),
            Err(errno) => finish(error(errno)),
        }
    };
    let of_host = || {
        let n = host();
        if n > 0 && mounts::active() && unsafe { *out } == b'/' as c_char {
            // The names of open files and of the working directory are real paths.
            let mut link = Text::new();
            if unsafe { read_at(dir, path, &mut link) }.is_ok() {
                return unsafe { copy(&link, out, size) };
            }
        }
        n
    };
    unsafe { at((dir, path, false), of_host, read) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn readlink(path: *const c_char, out: *mut c_char, size: size_t) -> ssize_t {
    let real = real!(readlink(*const c_char, *mut c_char, size_t) -> ssize_t);
    let host = || unsafe { real(path, out, size) };
    unsafe { readlink_at((libc::AT_FDCWD, path), (out, size), host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn readlinkat(
    dir: c_int,
    path: *const c_char,
    out: *mut c_char,
    size: size_t,
) -> ssize_t {
    let real = real!(readlinkat(c_int, *const c_char, *mut c_char, size_t) -> ssize_t);
    let host = || unsafe { real(dir, path, out, size) };
    unsafe { readlink_at((dir, path), (out, size), host) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __readlink_chk(
    path: *const c_char,
    out: *mut c_char,
    size: size_t,
    room: size_t,
) -> ssize_t {
    let real = real!(__readlink_chk(*const c_char, *mut c_char, size_t, size_t) -> ssize_t);
    if size > room {
        return unsafe { real(path, out, size, room) };
    }
    unsafe { readlink(path, out, size) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __readlinkat_chk(
    dir: c_int,
    path: *const c_char,
    out: *mut c_char,
    size: size_t,
    room: size_t,
) -> ssize_t {
    type C = *const c_char;
    let real = real!(__readlinkat_chk(c_int, C, *mut c_char, size_t, size_t) -> ssize_t);
    if size > room {
        return unsafe { real(dir, path, out, size, room) };
    }
    unsafe { readlinkat(dir, path, out, size) }
}

/// The text of a link to be stored. Absolute targets in mounts become real paths. So do relative
/// ones that leave the mount: the kernel would resolve them against the store's parent.
fn stored(content: &[u8], target: &mut Target, out: &mut Text) {
    if content.first() == Some(&b'/') {
        match mounts::mount_of(content) {
            Some((mount, rest)) if target.mount.is_some() && stays_below(rest) => {
                out.push(mounts::all()[mount].backing());
                out.push(rest);
            }
            _ if target.mount.is_some() && has_parent(content) => {
                let mut plain = Text::new();
                normalize(content, &mut plain);
                match mounts::mount_of(plain.bytes()) {
                    Some(_) => _ = mounts::push_real(plain.bytes(), out),
                    None => out.push(content),
                }
            }
            _ => out.push(content),
        }
        return;
    }
    if has_parent(content) && target.mount.is_some() {
        let mut whole = Text::new();
        mounts::push_virtual(target.real(), &mut whole);
        whole.pop();
        let mut plain = Text::new();
        normalize(whole.bytes(), &mut plain);
        normalize(content, &mut plain);
        let leads_to = mounts::mount_of(plain.bytes()).map(|(mount, _)| mount);
        if !mounts::is_same(leads_to, target.mount) {
            mounts::push_real(plain.bytes(), out);
            return;
        }
    }
    out.push(content);
}

/// Whether a path never leads above its beginning, by its names.
fn stays_below(path: &[u8]) -> bool {
    let mut depth = 0;
    components(path).all(|part| {
        depth += if part == b".." { -1 } else { 1 };
        depth >= 0
    })
}

/// # Safety
/// The program's paths.
unsafe fn symlink_at(
    content: *const c_char,
    (dir, path): (c_int, *const c_char),
    host: impl Fn() -> c_int,
) -> c_int {
    if place::is_wild(content) {
        return host();
    }
    let create = |target: &mut Target| {
        let mut text = Text::new();
        // SAFETY: the program's text.
        stored(unsafe { sys::bytes(content) }, target, &mut text);
        let verdict = submit_path(FileCallKind::Symlink, 0, target, |request| {
            request.with_other(text.bytes()).set(|header| header.mode = libc::S_IFLNK | 0o777)
        });
        let (dir, path) = target.at();
        finish(match verdict {
            // SAFETY: the target's path.
            Verdict::Absent => unsafe { sys!(SYS_symlinkat, text.as_ptr(), dir, path) },
            Verdict::Failed(errno) => error(errno),
            Verdict::Done(_) => 0,
        }) as c_int
    };
    unsafe { at((dir, path, false), host, create) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn symlink(content: *const c_char, path: *const c_char) -> c_int {
    let real = real!(symlink(*const c_char, *const c_char) -> c_int);
    unsafe { symlink_at(content, (libc::AT_FDCWD, path), || real(content, path)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn symlinkat(content: *const c_char, dir: c_int, path: *const c_char) -> c_int {
    let real = real!(symlinkat(*const c_char, c_int, *const c_char) -> c_int);
    unsafe { symlink_at(content, (dir, path), || real(content, dir, path)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn chdir(path: *const c_char) -> c_int {
    let host = || unsafe { real!(chdir(*const c_char) -> c_int)(path) };
    let change = |target: &mut Target| {
        let verdict = submit_path(FileCallKind::Stat, 0, target, |request| request);
        if let Verdict::Failed(errno) = verdict {
            return finish(error(errno)) as c_int;
        }
        finish(unsafe { sys!(SYS_chdir, target.absolute()) }) as c_int
    };
    entered(unsafe { at((libc::AT_FDCWD, path, true), host, change) })
}
#[unsafe(no_mangle)]
unsafe extern "C" fn fchdir(fd: c_int) -> c_int {
    entered(unsafe { real!(fchdir(c_int) -> c_int)(fd) })
}

fn entered(result: c_int) -> c_int {
    if result == 0 && mounts::active() {
        place::entered_directory();
    }
    result
}

/// The virtual working directory.
fn working_directory(out: &mut Text) -> Result<(), c_int> {
    let mut path = Text::new();
    place::fill_working_directory(&mut path)?;
    mounts::push_virtual(path.bytes(), out);
    Ok(())
}

/// Copies a path to a buffer of the program, or to a new one if that is null. `size` 0: as long as
/// necessary.
unsafe fn give(path: &Text, out: *mut c_char, size: size_t) -> *mut c_char {
    let length = path.len() + 1;
    let size = if size == 0 { length } else { size };
    if length > size {
        sys::set_errno(libc::ERANGE);
        return null_mut();
    }
    // SAFETY: `malloc` of a positive size; the program's buffer has `size` bytes.
    unsafe {
        let out = if out.is_null() { libc::malloc(size).cast() } else { out };
        if !out.is_null() {
            out.copy_from(path.as_ptr(), length);
        }
        out
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn getcwd(out: *mut c_char, size: size_t) -> *mut c_char {
    let real = real!(getcwd(*mut c_char, size_t) -> *mut c_char);
    let mut path = Text::new();
    if !mounts::active() || working_directory(&mut path).is_err() {
        return unsafe { real(out, size) };
    }
    if size == 0 && !out.is_null() {
        sys::set_errno(libc::EINVAL);
        return null_mut();
    }
    unsafe { give(&path, out, size) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __getcwd_chk(out: *mut c_char, size: size_t, room: size_t) -> *mut c_char {
    if size > room {
        return unsafe {
            real!(__getcwd_chk(*mut c_char, size_t, size_t) -> *mut c_char)(out, size, room)
        };
    }
    unsafe { getcwd(out, size) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn get_current_dir_name() -> *mut c_char {
    let mut path = Text::new();
    if !mounts::active() || working_directory(&mut path).is_err() {
        return unsafe { real!(get_current_dir_name() -> *mut c_char)() };
    }
    unsafe { give(&path, null_mut(), 0) }
}
/// The obsolete form, for a buffer of `PATH_MAX` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn getwd(out: *mut c_char) -> *mut c_char {
    if out.is_null() {
        sys::set_errno(libc::EINVAL);
        return null_mut();
    }
    unsafe { getcwd(out, libc::PATH_MAX as size_t) }
}

/// # Safety
/// The program's path, and a buffer of `PATH_MAX` bytes or null.
unsafe fn resolve(
    path: *const c_char,
    out: *mut c_char,
    host: impl Fn() -> *mut c_char,
) -> *mut c_char {
    let find = |target: &mut Target| {
        let charged = submit_path(FileCallKind::Stat, 0, target, |request| request);
        let (dir, real) = target.at();
        let found = match charged {
            Verdict::Failed(errno) => Err(errno),
            // SAFETY: the target's path.
            _ => unsafe { sys::fstatat(dir, real, 0) },
        };
        let mut whole = Text::new();
        mounts::push_virtual(target.real(), &mut whole);
        let mut path = Text::new();
        let found = found.and_then(|_| place::walk(whole.bytes(), true, &mut path));
        if let Err(errno) = found {
            sys::set_errno(errno);
            return null_mut();
        }
        let mut plain = Text::new();
        normalize(path.bytes(), &mut plain);
        if plain.is_empty() {
            plain.push(b"/");
        }
        let size = if out.is_null() { 0 } else { libc::PATH_MAX as size_t };
        unsafe { give(&plain, out, size) }
    };
    unsafe { at((libc::AT_FDCWD, path, true), host, find) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realpath(path: *const c_char, out: *mut c_char) -> *mut c_char {
    let real = real!(realpath(*const c_char, *mut c_char) -> *mut c_char);
    unsafe { resolve(path, out, || real(path, out)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __realpath_chk(
    path: *const c_char,
    out: *mut c_char,
    room: size_t,
) -> *mut c_char {
    let real = real!(__realpath_chk(*const c_char, *mut c_char, size_t) -> *mut c_char);
    if room < libc::PATH_MAX as size_t {
        return unsafe { real(path, out, room) };
    }
    unsafe { resolve(path, out, || real(path, out, room)) }
}
#[unsafe(no_mangle)]
unsafe extern "C" fn canonicalize_file_name(path: *const c_char) -> *mut c_char {
    let host = || unsafe { real!(canonicalize_file_name(*const c_char) -> *mut c_char)(path) };
    unsafe { resolve(path, null_mut(), host) }
}
