//! Reading attributes: `stat` in all its forms, `access`, usage of file systems.

use std::ffi::{c_char, c_int, c_uint};

use libc::{stat as Status, statfs as FsUsage, statvfs as VfsUsage};
use workload::FileCallKind;
use workload::file_request::{FileReply, Usage, request_flag};

use crate::blocks;
use crate::descriptors::{Open, simulated};
use crate::links;
use crate::mounts;
use crate::next::{at, real};
use crate::place::{Target, is_wild};
use crate::simulator::{Verdict, submit_open, submit_open_into, submit_path, submit_path_into};
use crate::sys::{self, error, finish, sys};
use crate::text::Text;

/// Major number of the devices of simulated file systems, which no real device has. So a mount has
/// another device than the directories around it.
pub const MAJOR: c_uint = 0xfd0;

fn number_of(mount: usize) -> u64 {
    libc::makedev(MAJOR, mounts::all()[mount].number)
}

fn flags_of(flags: c_int) -> u32 {
    if flags & libc::AT_SYMLINK_NOFOLLOW != 0 { request_flag::NO_FOLLOW } else { 0 }
}

/// The attributes of a file of a mount, as the program sees them.
fn shown(status: &mut Status, mount: Option<usize>, target: Option<&mut Target>) {
    let Some(mount) = mount else { return };
    status.st_dev = number_of(mount);
    status.st_blocks += blocks::used(status.st_ino) as i64;
    if status.st_mode & libc::S_IFMT == libc::S_IFLNK
        && let Some(target) = target
    {
        let mut link = Text::new();
        if links::read(target, &mut link).is_ok() {
            status.st_size = link.len() as i64;
        }
    }
}

/// The attributes of a target.
fn stat_target(target: &mut Target, flags: c_int) -> Result<Status, c_int> {
    let verdict = submit_path(FileCallKind::Stat, flags_of(flags), target, |r| r);
    let mount = mount_of(target, &verdict);
    let known = known(verdict)?;
    let (dir, path) = target.at();
    // SAFETY: the target's path.
    let mut found = unsafe { sys::fstatat(dir, path, flags)? };
    shown(&mut found, mount, Some(target));
    set_known(&mut found, &known);
    Ok(found)
}

/// The attributes of an open file.
pub fn stat_open(open: &Open) -> Result<Status, c_int> {
    let known = known(submit_open(FileCallKind::Stat, 0, open, |_| {}))?;
    let mut found = sys::fstat(open.fd)?;
    shown(&mut found, Some(open.mount), None);
    set_known(&mut found, &known);
    Ok(found)
}

/// The mount whose attributes the file of a path has. The simulator states nothing about a file of
/// the host, to which a link may lead.
fn mount_of(target: &Target, verdict: &Verdict) -> Option<usize> {
    match verdict {
        Verdict::Done(reply) if reply.inode == 0 => None,
        _ => target.mount,
    }
}

/// What the simulator states about a file: 0 for what it does not.
fn known(verdict: Verdict) -> Result<FileReply, c_int> {
    match verdict {
        Verdict::Absent => Ok(FileReply::new()),
        Verdict::Done(reply) => Ok(reply),
        Verdict::Failed(errno) => Err(errno),
    }
}

/// Seconds and nanoseconds.
fn parts(ns: i64) -> (i64, i64) {
    const SECOND: i64 = 1_000_000_000;
    (ns.div_euclid(SECOND), ns.rem_euclid(SECOND))
}

fn set_known(status: &mut Status, known: &FileReply) {
    if known.value > 0 {
        status.st_blksize = known.value as _;
    }
    if known.inode > 0 {
        status.st_ino = known.inode;
    }
    if known.accessed_ns != 0 {
        (status.st_atime, status.st_atime_nsec) = parts(known.accessed_ns);
    }
    if known.modified_ns != 0 {
        (status.st_mtime, status.st_mtime_nsec) = parts(known.modified_ns);
    }
    if known.changed_ns != 0 {
        (status.st_ctime, status.st_ctime_nsec) = parts(known.changed_ns);
    }
}

/// As `set_known`. Times of creation are real ones: the file systems do not state them.
fn set_known_x(found: &mut libc::statx, known: &FileReply) {
    let set = |time: &mut libc::statx_timestamp, ns: i64| {
        if ns != 0 {
            let (seconds, rest) = parts(ns);
            (time.tv_sec, time.tv_nsec) = (seconds, rest as u32);
        }
    };
    if known.value > 0 {
        found.stx_blksize = known.value as u32;
    }
    if known.inode > 0 {
        found.stx_ino = known.inode;
    }
    set(&mut found.stx_atime, known.accessed_ns);
    set(&mut found.stx_mtime, known.modified_ns);
    set(&mut found.stx_ctime, known.changed_ns);
    found.stx_mask &= !libc::STATX_BTIME;
    (found.stx_btime.tv_sec, found.stx_btime.tv_nsec) = (0, 0);
}

/// # Safety
/// `out` is null or valid.
pub unsafe fn put<T>(found: Result<T, c_int>, out: *mut T) -> c_int {
    let result = match found {
        Ok(_) if out.is_null() => error(libc::EFAULT),
        Ok(found) => {
            unsafe { out.write(found) };
            0
        }
        Err(errno) => error(errno),
    };
    finish(result) as c_int
}

/// # Safety
/// The program's path and buffer.
unsafe fn stat_at(
    (dir, path, flags): (c_int, *const c_char, c_int),
    out: *mut Status,
    host: impl Fn() -> c_int,
) -> c_int {
    let follow = flags & libc::AT_SYMLINK_NOFOLLOW == 0;
    let is_empty = !is_wild(path) && unsafe { *path } == 0;
    if flags & libc::AT_EMPTY_PATH != 0
        && (path.is_null() || is_empty)
        && let Some(open) = simulated(dir)
    {
        return unsafe { put(stat_open(&open), out) };
    }
    let found = |target: &mut Target| unsafe { put(stat_target(target, flags), out) };
    unsafe { at((dir, path, follow), host, found) }
}

/// On 64-bit Linux, `stat64` is `stat`. Programs linked to a C library older than 2.33 call the
/// functions with a version.
macro_rules! stats {
    ($($name:ident $name_l:ident $name_f:ident $name_at:ident
       $old:ident $old_l:ident $old_f:ident $old_at:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, out: *mut Status) -> c_int {
            let host = || unsafe { real!($name(*const c_char, *mut Status) -> c_int)(path, out) };
            unsafe { stat_at((libc::AT_FDCWD, path, 0), out, host) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_l(path: *const c_char, out: *mut Status) -> c_int {
            let host = || unsafe { real!($name_l(*const c_char, *mut Status) -> c_int)(path, out) };
            let how = libc::AT_SYMLINK_NOFOLLOW;
            unsafe { stat_at((libc::AT_FDCWD, path, how), out, host) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_f(fd: c_int, out: *mut Status) -> c_int {
            match simulated(fd) {
                Some(open) => unsafe { put(stat_open(&open), out) },
                None => unsafe { real!($name_f(c_int, *mut Status) -> c_int)(fd, out) },
            }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_at(
            dir: c_int,
            path: *const c_char,
            out: *mut Status,
            flags: c_int,
        ) -> c_int {
            let real = real!($name_at(c_int, *const c_char, *mut Status, c_int) -> c_int);
            unsafe { stat_at((dir, path, flags), out, || real(dir, path, out, flags)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $old(version: c_int, path: *const c_char, out: *mut Status) -> c_int {
            let real = real!($old(c_int, *const c_char, *mut Status) -> c_int);
            unsafe { stat_at((libc::AT_FDCWD, path, 0), out, || real(version, path, out)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $old_l(
            version: c_int,
            path: *const c_char,
            out: *mut Status,
        ) -> c_int {
            let real = real!($old_l(c_int, *const c_char, *mut Status) -> c_int);
            let how = libc::AT_SYMLINK_NOFOLLOW;
            unsafe { stat_at((libc::AT_FDCWD, path, how), out, || real(version, path, out)) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $old_f(version: c_int, fd: c_int, out: *mut Status) -> c_int {
            match simulated(fd) {
                Some(open) => unsafe { put(stat_open(&open), out) },
                None => unsafe {
                    real!($old_f(c_int, c_int, *mut Status) -> c_int)(version, fd, out)
                },
            }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $old_at(
            version: c_int,
            dir: c_int,
            path: *const c_char,
            out: *mut Status,
            flags: c_int,
        ) -> c_int {
            let real = real!($old_at(c_int, c_int, *const c_char, *mut Status, c_int) -> c_int);
            let host = || unsafe { real(version, dir, path, out, flags) };
            unsafe { stat_at((dir, path, flags), out, host) }
        }
    )*};
}
stats! {
    stat lstat fstat fstatat __xstat __lxstat __fxstat __fxstatat;
    stat64 lstat64 fstat64 fstatat64 __xstat64 __lxstat64 __fxstat64 __fxstatat64;
}

/// `stat`, for callers in this library.
///
/// # Safety
/// A path and a buffer.
pub unsafe fn follow(path: *const c_char, out: *mut Status) -> c_int {
    unsafe { stat(path, out) }
}

/// # Safety
/// The program's path and buffer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn statx(
    dir: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    out: *mut libc::statx,
) -> c_int {
    type Out = *mut libc::statx;
    let real = real!(statx(c_int, *const c_char, c_int, c_uint, Out) -> c_int);
    let host = || unsafe { real(dir, path, flags, mask, out) };
    let show = |mount: Option<usize>, size: Option<usize>, known: &FileReply| {
        // SAFETY: filled in by the kernel.
        let found = unsafe { &mut *out };
        if let Some(mount) = mount {
            (found.stx_dev_major, found.stx_dev_minor) = (MAJOR, mounts::all()[mount].number);
            found.stx_blocks += blocks::used(found.stx_ino);
            set_known_x(found, known);
        }
        if let Some(size) = size.filter(|_| mount.is_some()) {
            found.stx_size = size as u64;
        }
    };
    let is_empty = path.is_null() || !is_wild(path) && unsafe { *path } == 0;
    if flags & libc::AT_EMPTY_PATH != 0
        && is_empty
        && let Some(open) = simulated(dir)
    {
        let known = match known(submit_open(FileCallKind::Stat, 0, &open, |_| {})) {
            Ok(known) => known,
            Err(errno) => return finish(error(errno)) as c_int,
        };
        let result = finish(unsafe { sys!(SYS_statx, dir, c"".as_ptr(), flags, mask, out) });
        if result == 0 {
            show(Some(open.mount), None, &known);
        }
        return result as c_int;
    }
    let follow = flags & libc::AT_SYMLINK_NOFOLLOW == 0;
    let found = |target: &mut Target| {
        let submitted = submit_path(FileCallKind::Stat, flags_of(flags), target, |r| r);
        let mount = mount_of(target, &submitted);
        let known = match known(submitted) {
            Ok(known) => known,
            Err(errno) => return finish(error(errno)) as c_int,
        };
        let (dir, path) = target.at();
        let result = unsafe { sys!(SYS_statx, dir, path, flags, mask, out) };
        if result == 0 {
            let is_link = u32::from(unsafe { (*out).stx_mode }) & libc::S_IFMT == libc::S_IFLNK;
            let mut link = Text::new();
            let size = is_link && links::read(target, &mut link).is_ok();
            show(mount, size.then(|| link.len()), &known);
        }
        finish(result) as c_int
    };
    unsafe { at((dir, path, follow), host, found) }
}

/// `access` in its forms: a lookup of the attributes.
unsafe fn access_at(
    (dir, path): (c_int, *const c_char),
    mode: c_int,
    flags: c_int,
    host: impl Fn() -> c_int,
) -> c_int {
    let follow = flags & libc::AT_SYMLINK_NOFOLLOW == 0;
    let check = |target: &mut Target| {
        let verdict = submit_path(FileCallKind::Stat, flags_of(flags), target, |request| {
            request.set(|header| header.mode = mode as u32)
        });
        if let Verdict::Failed(errno) = verdict {
            return finish(error(errno)) as c_int;
        }
        let (dir, path) = target.at();
        // SAFETY: the target's path.
        let mut result = unsafe { sys!(SYS_faccessat2, dir, path, mode, flags) };
        if result == error(libc::ENOSYS) {
            result = unsafe { sys!(SYS_faccessat, dir, path, mode) };
        }
        finish(result) as c_int
    };
    unsafe { at((dir, path, follow), host, check) }
}

macro_rules! accesses {
    ($($name:ident $flags:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, mode: c_int) -> c_int {
            let real = real!($name(*const c_char, c_int) -> c_int);
            unsafe { access_at((libc::AT_FDCWD, path), mode, $flags, || real(path, mode)) }
        }
    )*};
}
accesses! { access 0; eaccess libc::AT_EACCESS; euidaccess libc::AT_EACCESS; }

#[unsafe(no_mangle)]
unsafe extern "C" fn faccessat(
    dir: c_int,
    path: *const c_char,
    mode: c_int,
    flags: c_int,
) -> c_int {
    let real = real!(faccessat(c_int, *const c_char, c_int, c_int) -> c_int);
    unsafe { access_at((dir, path), mode, flags, || real(dir, path, mode, flags)) }
}

/// A reply with room for the usage of a file system.
fn with_room(usage: &mut Usage) -> FileReply {
    FileReply {
        data: (&raw mut *usage).cast(),
        capacity: size_of::<Usage>() as u64,
        ..FileReply::new()
    }
}

fn usage_of_verdict(verdict: Verdict, usage: Usage) -> Result<Option<Usage>, c_int> {
    match verdict {
        Verdict::Failed(errno) => Err(errno),
        Verdict::Done(reply) if reply.data_bytes == size_of::<Usage>() as u64 => Ok(Some(usage)),
        _ => Ok(None),
    }
}

fn usage_of_target(target: &mut Target) -> Result<Option<Usage>, c_int> {
    let mut usage = Usage::default();
    let reply = with_room(&mut usage);
    let verdict = submit_path_into(FileCallKind::StatFs, 0, target, |request| request, reply);
    usage_of_verdict(verdict, usage)
}

fn usage_of_open(open: &Open) -> Result<Option<Usage>, c_int> {
    let mut usage = Usage::default();
    let reply = with_room(&mut usage);
    let verdict = submit_open_into(FileCallKind::StatFs, 0, open, |_| {}, reply);
    usage_of_verdict(verdict, usage)
}

/// The two structures of usage, and how the simulated one is written to them.
trait UsageRecord {
    fn set(&mut self, usage: &Usage, mount: usize);
}

impl UsageRecord for FsUsage {
    fn set(&mut self, usage: &Usage, _mount: usize) {
        self.f_type = usage.magic as _;
        self.f_bsize = usage.block_bytes as _;
        self.f_frsize = usage.block_bytes as _;
        self.f_blocks = usage.total;
        self.f_bfree = usage.free;
        self.f_bavail = usage.available;
        self.f_files = usage.files;
        self.f_ffree = usage.free_files;
        self.f_namelen = usage.name_bytes as _;
    }
}

impl UsageRecord for VfsUsage {
    fn set(&mut self, usage: &Usage, mount: usize) {
        self.f_bsize = usage.block_bytes;
        self.f_frsize = usage.block_bytes;
        self.f_blocks = usage.total;
        self.f_bfree = usage.free;
        self.f_bavail = usage.available;
        self.f_files = usage.files;
        self.f_ffree = usage.free_files;
        self.f_favail = usage.free_files;
        self.f_namemax = usage.name_bytes;
        self.f_fsid = number_of(mount);
    }
}

macro_rules! usages {
    ($($name:ident $name_f:ident $record:ident;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, out: *mut $record) -> c_int {
            let real = real!($name(*const c_char, *mut $record) -> c_int);
            let found = |target: &mut Target| {
                let usage = match usage_of_target(target) {
                    Err(errno) => return finish(error(errno)) as c_int,
                    Ok(usage) => usage,
                };
                let result = unsafe { real(target.absolute(), out) };
                if let (0, Some(usage), Some(mount)) = (result, usage, target.mount) {
                    unsafe { (*out).set(&usage, mount) };
                }
                result
            };
            let host = || unsafe { real(path, out) };
            unsafe { at((libc::AT_FDCWD, path, true), host, found) }
        }
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name_f(fd: c_int, out: *mut $record) -> c_int {
            let real = real!($name_f(c_int, *mut $record) -> c_int);
            let Some(open) = simulated(fd) else { return unsafe { real(fd, out) } };
            let usage = match usage_of_open(&open) {
                Err(errno) => return finish(error(errno)) as c_int,
                Ok(usage) => usage,
            };
            let result = unsafe { real(fd, out) };
            if let (0, Some(usage)) = (result, usage) {
                unsafe { (*out).set(&usage, open.mount) };
            }
            result
        }
    )*};
}
usages! {
    statfs fstatfs FsUsage;
    statfs64 fstatfs64 FsUsage;
    statvfs fstatvfs VfsUsage;
    statvfs64 fstatvfs64 VfsUsage;
}
