//! A file on a simulated file system, as MPI-IO accesses it.
//!
//! The descriptor is of the backing file, because the preload library (`crates/posix`) has opened
//! it. That library also simulates what MPI-IO does by functions of the C library: opening,
//! closing, size, synchronization. Reads and writes are submitted here, and that library moves the
//! data without charging them again. For such a call may be in flight while the rank
//! computes, and change fewer bytes than it transfers (data sieving).
//!
//! The data move when the call completes. The simulator orders calls on the same bytes, so they
//! move in simulated order.

use std::ffi::{c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use workload::file_request::{self, FileReply, FileRequest, request_flag};
use workload::{FileCallKind, file_flag};

use super::disk::{Disk, failed};
use super::hints::{Driver, Hints};
use super::sieving;
use super::steps::Steps;
use super::two_phase::{Run, Store};
use crate::abi::c;
use crate::error::Error;
use crate::request::{InFlight, Outcome};
use crate::runtime::{self, FileCallInFlight, Held};

/// Most calls of one access in flight.
const IN_FLIGHT: usize = 128;
/// Longest path of a backing file, in bytes.
const PATH: usize = 4096;

/// The identity of an open file in requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Backing {
    file_system: u32,
    device: u64,
    inode: u64,
    fd: c_int,
}

/// What MPI-IO keeps of a file on a simulated file system.
pub(super) struct Mounted {
    pub backing: Backing,
    hints: Mutex<Arc<Hints>>,
}

impl Mounted {
    pub fn new(backing: Backing, hints: Hints) -> Mounted {
        Mounted { backing, hints: Mutex::new(Arc::new(hints)) }
    }
    pub fn hints(&self) -> Arc<Hints> {
        self.hints.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
    pub fn set_hints(&self, hints: Hints) {
        *self.hints.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(hints);
    }
}

impl Backing {
    /// The identity of an open file if it is below the backing directory of a mount, and calls of
    /// this process are simulated.
    pub fn of(held: &Held, disk: &Disk) -> Option<Backing> {
        let mounts = std::env::var_os(file_request::ENV_MOUNTS)?;
        if !runtime::is_simulated(held) {
            return None;
        }
        let path = real_path(disk.fd())?;
        let mut best: Option<(usize, u32)> = None;
        for (number, _, backing) in file_request::decode_mounts(mounts.as_bytes()).flatten() {
            let mut root = [0; PATH];
            let Some(n) = file_request::decode_path(backing, &mut root) else { continue };
            let is_below = path.strip_prefix(&root[..n]).is_some_and(|rest| rest.starts_with(b"/"));
            if is_below && best.is_none_or(|(longest, _)| n > longest) {
                best = Some((n, number));
            }
        }
        let (_, file_system) = best?;
        let status = status(disk.fd())?;
        Some(Backing { file_system, device: status.st_dev, inode: status.st_ino, fd: disk.fd() })
    }

    fn request(&self, kind: FileCallKind, flags: u32, at: i64, bytes: u64) -> FileRequest {
        let flags = flags | u32::from(file_flag::OPEN);
        FileRequest {
            device: self.device,
            inode: self.inode,
            offset: at as u64,
            bytes,
            ..FileRequest::new(kind, self.file_system, flags)
        }
    }
    /// Submits a call and waits for it.
    async fn call(&self, steps: &Steps, request: &FileRequest) -> Option<Error> {
        let call = runtime::submit_file(steps.held(), bytes_of(request), 0);
        steps.complete(&[call.token]).await;
        finished(steps.held(), &call)
    }
    /// Starts one transfer, whose bytes are consecutive in the file. `transfer` moves the data at
    /// completion.
    pub fn start(
        &self,
        held: &Held,
        request: Transfer,
        transfer: impl FnOnce(Option<Error>) -> Outcome + 'static,
    ) -> InFlight {
        let Transfer { writes, at, bytes, flags } = request;
        let kind = if writes { FileCallKind::Write } else { FileCallKind::Read };
        let request = self.request(kind, flags, at, bytes);
        let call = runtime::submit_file(held, bytes_of(&request), 0);
        let tokens = vec![call.token];
        let on_complete = move |held: &Held, _: &[_]| {
            let mut reply = FileReply::new();
            runtime::file_reply(held, &call, &mut reply);
            transfer(error_of(&reply))
        };
        InFlight { tokens, on_complete: Box::new(on_complete) }
    }
    /// Size of the file, without a simulated call.
    pub fn size(&self) -> i64 {
        status(self.fd).map_or(0, |status| status.st_size)
    }
    /// Reads up to the end of the file, without a simulated call.
    pub fn load(&self, at: i64, out: &mut [u8]) -> (u64, Option<Error>) {
        move_all(out.len(), |done| {
            let rest = &mut out[done..];
            let at = at.saturating_add(done as i64);
            // SAFETY: the rest of the buffer.
            unsafe { transfer(self.fd, false, rest.as_mut_ptr(), rest.len(), at) }
        })
    }
    /// Writes without a simulated call.
    pub fn save(&self, at: i64, data: &[u8]) -> (u64, Option<Error>) {
        move_all(data.len(), |done| {
            let rest = &data[done..];
            let at = at.saturating_add(done as i64);
            // SAFETY: the rest of the data, which are only read.
            let written =
                unsafe { transfer(self.fd, true, rest.as_ptr().cast_mut(), rest.len(), at) };
            if written < 0 {
                check_space(&io::Error::last_os_error());
            }
            written
        })
    }
}

/// Moves data of a backing file by the preload library, which knows what is not in the file itself.
/// Without that library, by the kernel. -1 with `errno` if it fails.
///
/// # Safety
/// `n` bytes at `data`, which are only read if the call `writes`.
unsafe fn transfer(fd: c_int, writes: bool, data: *mut u8, n: usize, at: i64) -> libc::c_long {
    type Move = unsafe extern "C" fn(c_int, c_int, *mut u8, usize, i64) -> isize;
    static FOUND: OnceLock<Option<Move>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        // SAFETY: a zero-terminated name; only the crate `posix` defines it, with this type.
        unsafe {
            let found = libc::dlsym(libc::RTLD_DEFAULT, c"odonata_file_move".as_ptr());
            (!found.is_null()).then(|| std::mem::transmute::<*mut c_void, Move>(found))
        }
    });
    // SAFETY: the caller's data.
    unsafe {
        match found {
            None if writes => libc::syscall(libc::SYS_pwrite64, fd, data, n, at),
            None => libc::syscall(libc::SYS_pread64, fd, data, n, at),
            Some(found) => match found(fd, writes.into(), data, n, at) {
                failed if failed < 0 => {
                    *libc::__errno_location() = -failed as c_int;
                    -1
                }
                moved => moved as libc::c_long,
            },
        }
    }
}

/// Ends the process, and so the job, if the real disk has no space for data that the simulated file
/// system has taken.
fn check_space(why: &io::Error) {
    if let Some(libc::ENOSPC | libc::EDQUOT) = why.raw_os_error() {
        crate::error::write_line(&format!(
            "MPI-IO needs more space than the real disk has for simulated files ({why}): choose \
             another disk with --keep DIR or TMPDIR"
        ));
        // SAFETY: ends the process at once: its lock is held.
        unsafe { libc::_exit(1) }
    }
}

/// A transfer of consecutive bytes of a file.
pub(super) struct Transfer {
    pub writes: bool,
    pub at: i64,
    pub bytes: u64,
    /// Flags of the request.
    pub flags: u32,
}

fn bytes_of(request: &FileRequest) -> &[u8] {
    // SAFETY: plain data without padding that matters: the reader takes it as the same type.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(request).cast(), FileRequest::BYTES) }
}

/// The error of a completed call, whose token is released.
fn finished(held: &Held, call: &FileCallInFlight) -> Option<Error> {
    let mut reply = FileReply::new();
    runtime::file_reply(held, call, &mut reply);
    runtime::release_token(held, call.token);
    error_of(&reply)
}

fn error_of(reply: &FileReply) -> Option<Error> {
    (reply.errno != 0).then(|| failed(&io::Error::from_raw_os_error(reply.errno)))
}

/// Repeats a system call, which is passed the number of bytes done, until all bytes are moved, it
/// moves none, or it fails.
fn move_all(all: usize, mut call: impl FnMut(usize) -> libc::c_long) -> (u64, Option<Error>) {
    let mut done = 0;
    while done < all {
        match call(done) {
            0 => break,
            n if n > 0 => done += n as usize,
            _ => {
                let why = io::Error::last_os_error();
                if why.kind() != io::ErrorKind::Interrupted {
                    return (done as u64, Some(failed(&why)));
                }
            }
        }
    }
    (done as u64, None)
}

/// The path of an open file, by a system call that the preload library does not translate.
fn real_path(fd: c_int) -> Option<Vec<u8>> {
    let link = std::ffi::CString::new(format!("/proc/self/fd/{fd}")).ok()?;
    let mut path = vec![0_u8; PATH];
    // SAFETY: the kernel writes at most the buffer.
    let n = unsafe {
        libc::syscall(
            libc::SYS_readlinkat,
            libc::AT_FDCWD,
            link.as_ptr(),
            path.as_mut_ptr(),
            path.len(),
        )
    };
    path.truncate(usize::try_from(n).ok()?);
    Some(path)
}

fn status(fd: c_int) -> Option<libc::stat> {
    // SAFETY: a plain structure, which the kernel fills.
    let mut status: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    let answer = unsafe { libc::syscall(libc::SYS_fstat, fd, &raw mut status) };
    (answer == 0).then_some(status)
}

/// A file as one rank accesses it, with the hints of its call.
pub(super) struct MountedStore<'a> {
    steps: &'a Steps,
    backing: Backing,
    hints: &'a Hints,
    /// Whether calls are those of an aggregator.
    aggregates: bool,
}

impl<'a> MountedStore<'a> {
    pub fn new(steps: &'a Steps, backing: Backing, hints: &'a Hints) -> MountedStore<'a> {
        MountedStore { steps, backing, hints, aggregates: false }
    }
    pub fn aggregating(self) -> MountedStore<'a> {
        MountedStore { aggregates: true, ..self }
    }
    async fn transfer(&self, kind: FileCallKind, at: i64, bytes: u64) -> Option<Error> {
        let writes = kind == FileCallKind::Write;
        let flags = transfer_flags(self.hints, writes, self.aggregates);
        self.backing.call(self.steps, &self.backing.request(kind, flags, at, bytes)).await
    }
    async fn locks(&self, flags: u32, at: i64, len: u64) -> Option<Error> {
        let request = self.backing.request(FileCallKind::Lock, flags, at, len);
        self.backing.call(self.steps, &request).await
    }

    /// Transfers ranges as a list: their calls are in flight together, as DAOS's array functions
    /// do ([R] = pmodels/mpich, `ad_daos/ad_daos_io_str.c`). `transfer` is passed offset, position
    /// in the packed data, and length.
    async fn list(
        &self,
        kind: FileCallKind,
        runs: &[Run],
        mut transfer: impl FnMut(i64, usize, usize) -> (u64, Option<Error>),
    ) -> (u64, Option<Error>) {
        let flags = transfer_flags(self.hints, kind == FileCallKind::Write, self.aggregates);
        let mut done = 0;
        for some in runs.chunks(IN_FLIGHT) {
            let submit = |&(at, len): &Run| {
                let request = self.backing.request(kind, flags, at, len);
                runtime::submit_file(self.steps.held(), bytes_of(&request), 0)
            };
            let calls: Vec<_> = some.iter().map(submit).collect();
            let tokens: Vec<u32> = calls.iter().map(|call| call.token).collect();
            self.steps.complete(&tokens).await;
            let mut failed = None;
            for call in &calls {
                let error = finished(self.steps.held(), call);
                failed = failed.or(error);
            }
            if failed.is_some() {
                return (done, failed);
            }
            let base = done as usize;
            let mut position = base;
            for &(at, len) in some {
                let (moved, error) = transfer(at, position, len as usize);
                done += moved;
                position += len as usize;
                if error.is_some() || moved < len {
                    return (done, error);
                }
            }
        }
        (done, None)
    }

    /// Writes packed `data` to `runs`, as one rank by itself. `is_packed`: the program's buffer is
    /// packed too. Returns the bytes written.
    pub async fn write_alone(
        &self,
        runs: &[Run],
        data: &[u8],
        is_packed: bool,
    ) -> (u64, Option<Error>) {
        let buffer = self.hints.ind_wr_buffer_size;
        match runs {
            [(at, len)] => {
                let step = if is_packed { *len } else { buffer };
                self.write_each(&in_steps(*at, *len, step), data).await
            }
            _ if self.hints.driver == Driver::Daos => {
                let save = |at, p: usize, n| self.backing.save(at, &data[p..p + n]);
                self.list(FileCallKind::Write, runs, save).await
            }
            _ if self.hints.ds_write.decide(|| true) => {
                sieving::write(self, runs, data, buffer).await
            }
            _ => self.write_each(runs, data).await,
        }
    }
    /// Reads `runs` into `out`, packed, up to the end of the file. Returns the bytes read.
    pub async fn read_alone(
        &self,
        runs: &[Run],
        out: &mut [u8],
        is_packed: bool,
    ) -> (u64, Option<Error>) {
        let buffer = self.hints.ind_rd_buffer_size;
        match runs {
            [(at, len)] => {
                let step = if is_packed { *len } else { buffer };
                self.read_each(&in_steps(*at, *len, step), out).await
            }
            _ if self.hints.driver == Driver::Daos => {
                let load = |at, p: usize, n| self.backing.load(at, &mut out[p..p + n]);
                self.list(FileCallKind::Read, runs, load).await
            }
            _ if self.hints.ds_read.decide(|| true) => sieving::read(self, runs, out, buffer).await,
            _ => self.read_each(runs, out).await,
        }
    }
    /// Writes run by run until one fails.
    async fn write_each(&self, runs: &[Run], data: &[u8]) -> (u64, Option<Error>) {
        let mut done = 0;
        for &(at, len) in runs {
            let part = &data[done as usize..][..len as usize];
            let error = self.write(at, part, &[(at, len)]).await;
            if error.is_some() {
                return (done, error);
            }
            done += len;
        }
        (done, None)
    }
    /// Reads run by run until one is not complete.
    async fn read_each(&self, runs: &[Run], out: &mut [u8]) -> (u64, Option<Error>) {
        let mut done = 0;
        for &(at, len) in runs {
            let (got, error) = self.read(at, &mut out[done as usize..][..len as usize]).await;
            done += got;
            if error.is_some() || got < len {
                return (done, error);
            }
        }
        (done, None)
    }
}

/// A range of the file as ranges of at most `step` bytes.
fn in_steps(at: i64, len: u64, step: u64) -> Vec<Run> {
    let step = step.max(1);
    (0..len.div_ceil(step)).map(|i| (at + (i * step) as i64, step.min(len - i * step))).collect()
}

/// Flags of a transfer's request.
pub(super) fn transfer_flags(hints: &Hints, writes: bool, aggregates: bool) -> u32 {
    let direct = if hints.is_direct(writes) { file_flag::DIRECT } else { 0 };
    let ahead = aggregates && writes && hints.lock_ahead;
    u32::from(direct | if ahead { file_flag::COLLECTIVE } else { 0 })
}

impl Store for MountedStore<'_> {
    async fn read(&self, at: i64, out: &mut [u8]) -> (u64, Option<Error>) {
        match self.transfer(FileCallKind::Read, at, out.len() as u64).await {
            Some(error) => (0, Some(error)),
            None => self.backing.load(at, out),
        }
    }
    async fn read_back(&self, at: i64, len: u64) -> Option<Error> {
        self.transfer(FileCallKind::Read, at, len).await
    }
    async fn write(&self, at: i64, data: &[u8], runs: &[Run]) -> Option<Error> {
        let error = self.transfer(FileCallKind::Write, at, data.len() as u64).await;
        error.or_else(|| {
            runs.iter().find_map(|&(offset, len)| {
                let part = &data[(offset - at) as usize..][..len as usize];
                match self.backing.save(offset, part) {
                    (done, None) if done < len => {
                        Some(Error::new(c::ERR_IO, "the file takes no more bytes"))
                    }
                    (_, error) => error,
                }
            })
        })
    }
    async fn lock(&self, at: i64, len: u64) -> Option<Error> {
        self.locks(request_flag::LOCK_EXCLUSIVE, at, len).await
    }
    async fn unlock(&self, at: i64, len: u64) -> Option<Error> {
        self.locks(request_flag::UNLOCK, at, len).await
    }
}
