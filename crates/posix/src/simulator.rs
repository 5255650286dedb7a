//! Submits calls on simulated files to the simulator, through the MPI library of the process.
//!
//! A process that has not loaded that library loads it at its first simulated call. Without it, and
//! where it does not control the process, calls take no simulated time, and this library executes
//! all of them itself.

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use workload::FileCallKind;
use workload::file_request::{
    FileReply, FileRequest, NOT_SIMULATED, Range, SIMULATED, request_flag,
};

use crate::descriptors::{self, Open};
use crate::mounts::{self, inside};
use crate::place::Target;
use crate::sys::{self, error, sys};
use crate::text::Text;

type Call = unsafe extern "C" fn(*const FileRequest, *mut FileReply) -> c_int;
type Attach = unsafe extern "C" fn() -> c_int;

const CALL: &CStr = c"odonata_file_call";
const ATTACH: &CStr = c"odonata_file_attach";
const LIBRARY: &CStr = c"ODONATA_MPI_LIBRARY";

mod state {
    pub const UNKNOWN: u32 = 0;
    /// A thread is loading the library. A futex: others wait.
    pub const LOADING: u32 = 1;
    pub const ABSENT: u32 = 2;
    pub const PRESENT: u32 = 3;
}
static STATE: AtomicU32 = AtomicU32::new(state::UNKNOWN);
static FUNCTION: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

/// Called by an MPI library that is attached to the simulator.
#[unsafe(no_mangle)]
extern "C" fn odonata_file_register(call: Call) {
    FUNCTION.store(call as *mut c_void, Ordering::Release);
    STATE.store(state::PRESENT, Ordering::Release);
}

/// Called in the child of a fork: a load that the parent had begun has no thread here.
pub fn forked() {
    let order = Ordering::AcqRel;
    let _ = STATE.compare_exchange(state::LOADING, state::ABSENT, order, Ordering::Relaxed);
}

fn function() -> Option<Call> {
    if STATE.load(Ordering::Acquire) == state::ABSENT {
        return None;
    }
    // The child of `vfork` uses its parent's memory until it executes a program.
    if !descriptors::is_owner() {
        return None;
    }
    if STATE.load(Ordering::Acquire) < state::ABSENT {
        load();
    }
    let found = FUNCTION.load(Ordering::Acquire);
    // SAFETY: stored as this type.
    (!found.is_null()).then(|| unsafe { transmute::<*mut c_void, Call>(found) })
}

/// Whether calls may be simulated; `submit` decides.
pub fn is_present() -> bool {
    STATE.load(Ordering::Acquire) == state::PRESENT || function().is_some()
}

#[cold]
fn load() {
    let order = Ordering::AcqRel;
    if STATE.compare_exchange(state::UNKNOWN, state::LOADING, order, Ordering::Acquire).is_err() {
        while STATE.load(Ordering::Acquire) == state::LOADING {
            let op = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
            // SAFETY: a static word.
            unsafe { sys!(SYS_futex, STATE.as_ptr(), op, state::LOADING, 0usize) };
        }
        return;
    }
    let found = inside(|| unsafe { find() });
    if let Some(found) = found {
        FUNCTION.store(found, Ordering::Release);
    }
    let is_present = !FUNCTION.load(Ordering::Acquire).is_null();
    let now = if is_present { state::PRESENT } else { state::ABSENT };
    STATE.store(now, Ordering::Release);
    let op = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: a static word.
    unsafe { sys!(SYS_futex, STATE.as_ptr(), op, i32::MAX) };
}

/// The function of a library that the process has or now loads, attached to the simulator.
unsafe fn find() -> Option<*mut c_void> {
    // SAFETY: zero-terminated names, and functions of these types.
    unsafe {
        let mut library = libc::RTLD_DEFAULT;
        if libc::dlsym(library, CALL.as_ptr()).is_null() {
            let path = libc::getenv(LIBRARY.as_ptr());
            if path.is_null() {
                return None;
            }
            library = libc::dlopen(path, libc::RTLD_NOW | libc::RTLD_LOCAL);
            if library.is_null() {
                sys::report(&[
                    b"cannot load ",
                    sys::bytes(path),
                    b": files take no simulated time",
                ]);
                return None;
            }
        }
        let call = libc::dlsym(library, CALL.as_ptr());
        let attach = libc::dlsym(library, ATTACH.as_ptr());
        if call.is_null() || attach.is_null() {
            return None;
        }
        let attached = transmute::<*mut c_void, Attach>(attach)();
        (attached != NOT_SIMULATED).then_some(call)
    }
}

/// Room for the ranges of a request.
const ROOM: usize = 3 * libc::PATH_MAX as usize;
/// Longest value of an extended attribute, bytes: what ext4 and Lustre without large attributes
/// have room for.
pub const MAX_VALUE: usize = 4096 - 256;

/// A request with its ranges.
#[repr(C)]
pub struct Request {
    pub header: FileRequest,
    bytes: [u8; ROOM],
}

impl Request {
    pub fn new(kind: FileCallKind, mount: usize, flags: u32) -> Request {
        let number = mounts::all()[mount].number;
        Request { header: FileRequest::new(kind, number, flags), bytes: [0; ROOM] }
    }
    /// Appends bytes; `None` if they are too many.
    fn append(&mut self, more: &[u8]) -> Option<Range> {
        let at = self.header.length as usize;
        let start = at - FileRequest::BYTES;
        self.bytes.get_mut(start..start + more.len())?.copy_from_slice(more);
        self.header.length += more.len() as u32;
        Some(Range { at: at as u32, bytes: more.len() as u32 })
    }
    pub fn with_path(mut self, path: &[u8]) -> Request {
        self.header.path = self.append(path).unwrap_or_default();
        self
    }
    pub fn with_other(mut self, other: &[u8]) -> Request {
        self.header.other = self.append(other).unwrap_or_default();
        self
    }
    /// Sets the value, of at most `MAX_VALUE` bytes.
    pub fn with_value(mut self, value: &[u8]) -> Request {
        self.header.value = self.append(value).unwrap_or_default();
        self
    }
    pub fn set(mut self, change: impl FnOnce(&mut FileRequest)) -> Request {
        change(&mut self.header);
        self
    }
}

/// How a call continues.
pub enum Verdict {
    /// No simulator controls the process.
    Absent,
    Done(FileReply),
    Failed(c_int),
}

/// Lets the clocks of a process that is not in MPI show at least this time, in picoseconds since
/// the start of the job. Returns the time that they show.
fn clock(reach_ps: u64) -> u64 {
    type Reach = extern "C" fn(u64) -> u64;
    static REACH: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
    static IS_KNOWN: AtomicU32 = AtomicU32::new(0);
    if IS_KNOWN.load(Ordering::Acquire) == 0 {
        // SAFETY: a zero-terminated name, which only the crate `clock` defines.
        let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"odonata_clock_reach".as_ptr()) };
        REACH.store(found, Ordering::Relaxed);
        IS_KNOWN.store(1, Ordering::Release);
    }
    let found = REACH.load(Ordering::Relaxed);
    // SAFETY: a function of this type.
    if found.is_null() { 0 } else { unsafe { transmute::<*mut c_void, Reach>(found)(reach_ps) } }
}

/// Submits a request and waits for its simulated completion. `errno` stays as it is.
pub fn submit(request: &FileRequest, reply: FileReply) -> Verdict {
    let Some(call) = function() else { return Verdict::Absent };
    let mut reply = reply;
    let errno = sys::errno();
    let started_ps = clock(0);
    // SAFETY: the request has its ranges behind it, and the reply is complete.
    let result = inside(|| unsafe { call(request, &mut reply) });
    if result == SIMULATED {
        clock(reply.completed_ps.max(started_ps.saturating_add(reply.elapsed_ps)));
    }
    sys::set_errno(errno);
    match (result, reply.errno) {
        (NOT_SIMULATED, _) => Verdict::Absent,
        (_, 0) => Verdict::Done(reply),
        (_, errno) => Verdict::Failed(errno),
    }
}

/// Ends the job if the real disk has no space for data that the simulated file system has taken:
/// the program must not see the error of a disk that its machine does not have. The result of the
/// system call on the open file.
pub fn check_space(open: &Open, result: sys::Result) -> sys::Result {
    if result < 0 && [error(libc::ENOSPC), error(libc::EDQUOT)].contains(&result) {
        report_full(open, -result as c_int);
    }
    result
}

#[cold]
fn report_full(open: &Open, errno: c_int) {
    let mut request = header_of(FileCallKind::Write, request_flag::STORE_FULL, open);
    request.mode = errno as u32;
    submit(&request, FileReply::new());
}

/// A call on a path. Its request is composed only if there is a simulator.
pub fn submit_path(
    kind: FileCallKind,
    flags: u32,
    target: &mut Target,
    change: impl FnOnce(Request) -> Request,
) -> Verdict {
    submit_path_into(kind, flags, target, change, FileReply::new())
}

pub fn submit_path_into(
    kind: FileCallKind,
    flags: u32,
    target: &mut Target,
    change: impl FnOnce(Request) -> Request,
    reply: FileReply,
) -> Verdict {
    if target.mount.is_none() || !is_present() {
        return Verdict::Absent;
    }
    let mut path = Text::new();
    let Some(mount) = target.push_relative(&mut path) else { return Verdict::Absent };
    let request = change(Request::new(kind, mount, flags).with_path(path.bytes()));
    // SAFETY: the whole request, header and ranges, is one object.
    submit(unsafe { &*(&raw const request).cast::<FileRequest>() }, reply)
}

/// A call on an open file, without ranges.
pub fn submit_open(
    kind: FileCallKind,
    flags: u32,
    open: &Open,
    change: impl FnOnce(&mut FileRequest),
) -> Verdict {
    submit_open_into(kind, flags, open, change, FileReply::new())
}

pub fn submit_open_into(
    kind: FileCallKind,
    flags: u32,
    open: &Open,
    change: impl FnOnce(&mut FileRequest),
    reply: FileReply,
) -> Verdict {
    if !is_present() {
        return Verdict::Absent;
    }
    let mut request = header_of(kind, flags, open);
    change(&mut request);
    submit(&request, reply)
}

/// A call on an extended attribute of an open file: its name, value and flags.
pub fn submit_xattr(
    kind: FileCallKind,
    open: &Open,
    (name, value, flags): (&[u8], &[u8], u32),
    reply: FileReply,
) -> Verdict {
    if !is_present() {
        return Verdict::Absent;
    }
    let mut request = Request::new(kind, open.mount, 0);
    request.header = header_of(kind, flags, open);
    let request = request.with_other(name).with_value(value);
    // SAFETY: the whole request, header and ranges, is one object.
    submit(unsafe { &*(&raw const request).cast::<FileRequest>() }, reply)
}

/// Most entries of a directory that get their numbers at once.
pub const MAX_NUMBERS: usize = ROOM / size_of::<u64>();

/// Replaces inodes of entries of an open directory by their numbers in the simulation; whether
/// there is a simulator.
pub fn submit_numbers(open: &Open, inodes: &mut [u64]) -> Result<bool, c_int> {
    if !is_present() {
        return Ok(false);
    }
    let kind = FileCallKind::ReadDirectory;
    let mut request = Request::new(kind, open.mount, 0);
    request.header = header_of(kind, request_flag::NUMBERS, open);
    let bytes = size_of_val(inodes);
    // SAFETY: initialized numbers.
    let value = unsafe { std::slice::from_raw_parts(inodes.as_ptr().cast::<u8>(), bytes) };
    let request = request.with_value(value);
    let data = inodes.as_mut_ptr().cast();
    let reply = FileReply { data, capacity: bytes as u64, ..FileReply::new() };
    // SAFETY: the whole request, header and ranges, is one object.
    let request = unsafe { &*(&raw const request).cast::<FileRequest>() };
    match submit(request, reply) {
        Verdict::Absent => Ok(false),
        Verdict::Done(_) => Ok(true),
        Verdict::Failed(errno) => Err(errno),
    }
}

/// The header of a request on an open file.
pub fn header_of(kind: FileCallKind, flags: u32, open: &Open) -> FileRequest {
    let is_directory = open.status.st_mode & libc::S_IFMT == libc::S_IFDIR;
    let directory = if is_directory { u32::from(workload::file_flag::DIRECTORY) } else { 0 };
    let flags = flags | u32::from(workload::file_flag::OPEN) | directory;
    let number = mounts::all()[open.mount].number;
    FileRequest {
        device: open.status.st_dev,
        inode: open.status.st_ino,
        ..FileRequest::new(kind, number, flags)
    }
}
