//! Charges a parallel region of OpenMP as its slowest thread.
//!
//! The MPI library charges the CPU time of the thread that calls it. A thread that waits at the end
//! of a region for slower ones uses none, because waiting threads sleep (docs/models/live.md). This
//! file therefore measures the CPU time of every thread of a region. The excess of the slowest
//! thread over the caller is added to the caller's time. GCC's runtime is measured by wrappers of
//! its functions, LLVM's and Intel's by the OMPT interface (OpenMP 5.0, chapter 4).
//!
//! Imbalance between two barriers inside one region is not seen.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::mem::{transmute, transmute_copy};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};

use libc::{clockid_t, timespec};

use crate::{mode, real};

/// The function with the statements of a region, run by each of its threads.
type Body = unsafe extern "C" fn(*mut c_void);

/// One region: in the frame of the thread that began it or, for OMPT, on the heap.
struct Region {
    body: Option<Body>,
    data: *mut c_void,
    /// The thread that began it.
    caller: *const Cell<u64>,
    start_ns: u64,
    /// Largest CPU time of another thread in it.
    longest_ns: AtomicU64,
}

thread_local! {
    /// Sum over the regions of this thread: CPU time of the slowest thread minus its own.
    static EXTRA_NS: Cell<u64> = const { Cell::new(0) };
    /// Its CPU time at the start of its part of another thread's region.
    static PART_START_NS: Cell<u64> = const { Cell::new(0) };
}

/// For the MPI library: nanoseconds to add to the calling thread's CPU time.
#[unsafe(no_mangle)]
extern "C" fn odonata_clock_extra() -> u64 {
    EXTRA_NS.get()
}

/// CPU time of this thread, with regions counted as their slowest thread.
fn used_ns() -> u64 {
    let mut t = timespec { tv_sec: 0, tv_nsec: 0 };
    let clock = libc::CLOCK_THREAD_CPUTIME_ID;
    // SAFETY: a valid timespec.
    unsafe { real!(clock_gettime(clockid_t, *mut timespec) -> c_int)(clock, &mut t) };
    t.tv_sec as u64 * 1_000_000_000 + t.tv_nsec as u64 + EXTRA_NS.get()
}

/// An address that identifies the calling thread.
fn this_thread() -> *const Cell<u64> {
    EXTRA_NS.with(|extra| extra as *const _)
}

impl Region {
    fn new(body: Option<Body>, data: *mut c_void) -> Region {
        let (caller, start_ns) = (this_thread(), used_ns());
        Region { body, data, caller, start_ns, longest_ns: AtomicU64::new(0) }
    }

    /// Another thread has finished its part, which it began at a CPU time of `start_ns`.
    fn end_part(&self, start_ns: u64) {
        self.longest_ns.fetch_max(used_ns() - start_ns, Ordering::Relaxed);
    }

    /// The thread that began the region leaves it.
    fn end(&self) {
        let own = used_ns() - self.start_ns;
        let longest = self.longest_ns.load(Ordering::Relaxed);
        EXTRA_NS.set(EXTRA_NS.get() + longest.saturating_sub(own));
    }
}

// ---------------------------------------------------------------------------------------------
// GCC's runtime.

unsafe extern "C" fn measured_body(region: *mut c_void) {
    // SAFETY: the runtime passes the `Region`, and its caller's frame outlives the region.
    let region = unsafe { &*region.cast::<Region>() };
    let Some(body) = region.body else { return };
    if region.caller == this_thread() {
        return unsafe { body(region.data) };
    }
    let start_ns = used_ns();
    unsafe { body(region.data) };
    region.end_part(start_ns);
}

/// One exported function per line: its arguments after the body, its data and the thread count.
macro_rules! regions {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => { $(
        #[allow(clippy::too_many_arguments)] // the runtime's own
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            body: Body, data: *mut c_void, threads: c_uint, $($arg: $ty),*
        ) $(-> $ret)? {
            type Real = unsafe extern "C" fn(Body, *mut c_void, c_uint, $($ty),*) $(-> $ret)?;
            static GLOBAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
            let name = concat!(stringify!($name), "\0");
            let found = unsafe { runtime_function(&GLOBAL, body, name) };
            // SAFETY: the runtime's function of that name.
            let real = unsafe { transmute_copy::<*mut c_void, Real>(&found) };
            if mode() != mode::SIMULATED || threads == 1 {
                return unsafe { real(body, data, threads, $($arg),*) };
            }
            let region = Region::new(Some(body), data);
            let at = (&raw const region).cast_mut().cast();
            let answer = unsafe { real(measured_body, at, threads, $($arg),*) };
            region.end();
            answer
        }
    )* };
}

regions! {
    fn GOMP_parallel(flags: c_uint);
    fn GOMP_parallel_reductions(flags: c_uint) -> c_uint;
    fn GOMP_parallel_sections(count: c_uint, flags: c_uint);
    fn GOMP_parallel_loop_static(a: c_long, b: c_long, c: c_long, d: c_long, flags: c_uint);
    fn GOMP_parallel_loop_dynamic(a: c_long, b: c_long, c: c_long, d: c_long, flags: c_uint);
    fn GOMP_parallel_loop_guided(a: c_long, b: c_long, c: c_long, d: c_long, flags: c_uint);
    fn GOMP_parallel_loop_runtime(a: c_long, b: c_long, c: c_long, flags: c_uint);
    fn GOMP_parallel_loop_nonmonotonic_dynamic(
        a: c_long, b: c_long, c: c_long, d: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_nonmonotonic_guided(
        a: c_long, b: c_long, c: c_long, d: c_long, flags: c_uint
    );
    fn GOMP_parallel_loop_nonmonotonic_runtime(a: c_long, b: c_long, c: c_long, flags: c_uint);
    fn GOMP_parallel_loop_maybe_nonmonotonic_runtime(
        a: c_long, b: c_long, c: c_long, flags: c_uint
    );
}

/// Cache of runtime functions by the address of the region's body. A region without a slot is
/// looked up each time.
const CACHE_SIZE: usize = 1024;
static CACHE_KEYS: [AtomicUsize; CACHE_SIZE] = [const { AtomicUsize::new(0) }; CACHE_SIZE];
static CACHE_VALUES: [AtomicPtr<c_void>; CACHE_SIZE] =
    [const { AtomicPtr::new(null_mut()) }; CACHE_SIZE];
/// Marks a slot that is being filled.
const BUSY: usize = 1;

/// The function `name` of the runtime that the region's library is linked to. A process may have
/// several runtimes: Python packages include their own, visible only to them.
unsafe fn runtime_function(
    global: &AtomicPtr<c_void>,
    body: Body,
    name: &'static str,
) -> *mut c_void {
    let text = name.as_ptr().cast::<c_char>();
    let mut found = global.load(Ordering::Relaxed);
    if found.is_null() {
        // SAFETY: a zero-terminated name.
        found = unsafe { libc::dlsym(libc::RTLD_NEXT, text) };
        global.store(found, Ordering::Relaxed);
    }
    if !found.is_null() {
        return found;
    }
    let key = body as usize;
    let slot = (key >> 4) % CACHE_SIZE;
    if CACHE_KEYS[slot].load(Ordering::Acquire) == key {
        return CACHE_VALUES[slot].load(Ordering::Relaxed);
    }
    found = unsafe { lookup_near(key, text) };
    if found.is_null() {
        // A program with such a region is linked to a runtime.
        // SAFETY: ends the process.
        unsafe { libc::abort() }
    }
    let order = Ordering::AcqRel;
    if CACHE_KEYS[slot].compare_exchange(0, BUSY, order, Ordering::Relaxed).is_ok() {
        CACHE_VALUES[slot].store(found, Ordering::Relaxed);
        CACHE_KEYS[slot].store(key, Ordering::Release);
    }
    found
}

/// The symbol `name` as seen by the library that contains `address`.
unsafe fn lookup_near(address: usize, name: *const c_char) -> *mut c_void {
    // SAFETY: plain queries of the loader.
    unsafe {
        let mut slot: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address as *const c_void, &mut slot) != 0 && !slot.dli_fname.is_null() {
            let found = in_library(slot.dli_fname, name);
            if !found.is_null() {
                return found;
            }
        }
        let mut query = (name, null_mut());
        libc::dl_iterate_phdr(Some(visit_library), (&raw mut query).cast());
        query.1
    }
}

/// The function of a loaded library or of one that it depends on.
unsafe fn in_library(path: *const c_char, name: *const c_char) -> *mut c_void {
    // SAFETY: zero-terminated texts; others keep the library loaded.
    unsafe {
        let library = libc::dlopen(path, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return null_mut();
        }
        let found = libc::dlsym(library, name);
        libc::dlclose(library);
        found
    }
}

/// Code generated at run time belongs to no library: it uses the first runtime.
unsafe extern "C" fn visit_library(
    library: *mut libc::dl_phdr_info,
    _: usize,
    query: *mut c_void,
) -> c_int {
    // SAFETY: the loader's table, and the query of `lookup_near`.
    unsafe {
        let path = (*library).dlpi_name;
        if path.is_null() {
            return 0;
        }
        let text = CStr::from_ptr(path).to_bytes();
        let file = &text[text.iter().rposition(|&b| b == b'/').map_or(0, |at| at + 1)..];
        if [&b"libgomp"[..], b"libomp", b"libiomp"].iter().any(|runtime| file.starts_with(runtime))
        {
            let query = &mut *query.cast::<(*const c_char, *mut c_void)>();
            query.1 = in_library(path, query.0);
            return c_int::from(!query.1.is_null());
        }
        0
    }
}

// ---------------------------------------------------------------------------------------------
// LLVM's and Intel's runtime.

/// `ompt_data_t`: eight bytes for the tool.
type Data = *mut *mut Region;
type Lookup = unsafe extern "C" fn(*const c_char) -> *const c_void;
type SetCallback = unsafe extern "C" fn(c_int, *const c_void) -> c_int;
type StartTool = unsafe extern "C" fn(c_uint, *const c_char) -> *mut Tool;

/// `ompt_start_tool_result_t`.
#[repr(C)]
struct Tool {
    initialize: unsafe extern "C" fn(Lookup, c_int, *mut c_void) -> c_int,
    finalize: unsafe extern "C" fn(*mut c_void),
    data: u64,
}
static mut TOOL: Tool = Tool { initialize, finalize, data: 0 };

/// Numbers of events (`ompt_callbacks_t`).
mod event {
    pub const PARALLEL_BEGIN: i32 = 3;
    pub const PARALLEL_END: i32 = 4;
    pub const IMPLICIT_TASK: i32 = 7;
    pub const SYNC_REGION: i32 = 23;
}
/// `ompt_scope_begin`.
const BEGIN: c_int = 1;
/// `ompt_task_initial`.
const INITIAL: c_int = 1;
/// `ompt_sync_region_t`: the barrier at the end of a region, in OpenMP 5.1 and 5.0.
const JOIN_BARRIERS: [c_int; 2] = [9, 2];

/// Called by the runtime at its start. A tool of the user takes precedence.
#[unsafe(no_mangle)]
unsafe extern "C" fn ompt_start_tool(version: c_uint, runtime: *const c_char) -> *mut Tool {
    // SAFETY: zero-terminated names; the next tool has the same type.
    unsafe {
        let next = libc::dlsym(libc::RTLD_NEXT, c"ompt_start_tool".as_ptr());
        if !next.is_null() {
            let theirs = transmute::<*mut c_void, StartTool>(next)(version, runtime);
            if !theirs.is_null() {
                return theirs;
            }
        }
        let named = libc::getenv(c"OMP_TOOL_LIBRARIES".as_ptr());
        if mode() == mode::REAL || !named.is_null() && *named != 0 {
            return null_mut();
        }
    }
    &raw mut TOOL
}

unsafe extern "C" fn initialize(lookup: Lookup, _: c_int, _: *mut c_void) -> c_int {
    // SAFETY: the runtime's own function of that name.
    unsafe {
        let found = lookup(c"ompt_set_callback".as_ptr());
        if found.is_null() {
            return 0;
        }
        let set = transmute::<*const c_void, SetCallback>(found);
        set(event::PARALLEL_BEGIN, parallel_begin as *const c_void);
        set(event::PARALLEL_END, parallel_end as *const c_void);
        set(event::IMPLICIT_TASK, implicit_task as *const c_void);
        set(event::SYNC_REGION, sync_region as *const c_void);
    }
    1
}
unsafe extern "C" fn finalize(_: *mut c_void) {}

unsafe extern "C" fn parallel_begin(
    _task: *mut c_void,
    _frame: *const c_void,
    parallel: Data,
    _threads: c_uint,
    _flags: c_int,
    _code: *const c_void,
) {
    let region = match mode() {
        mode::SIMULATED => Box::into_raw(Box::new(Region::new(None, null_mut()))),
        _ => null_mut(),
    };
    // SAFETY: the region's word.
    unsafe { *parallel = region };
}

unsafe extern "C" fn parallel_end(
    parallel: Data,
    _task: *mut c_void,
    _flags: c_int,
    _code: *const c_void,
) {
    // SAFETY: written by `parallel_begin`; all threads have finished their parts.
    unsafe {
        if let Some(region) = region(parallel) {
            region.end();
            drop(Box::from_raw(*parallel));
            *parallel = null_mut();
        }
    }
}

/// A thread begins its part. The end event is not used: the thread may sleep before it.
unsafe extern "C" fn implicit_task(
    scope: c_int,
    parallel: Data,
    _task: *mut c_void,
    _threads: c_uint,
    _index: c_uint,
    flags: c_int,
) {
    if scope != BEGIN || flags & INITIAL != 0 {
        return;
    }
    // SAFETY: the region's word.
    if unsafe { region(parallel) }.is_some_and(|region| region.caller != this_thread()) {
        PART_START_NS.set(used_ns());
    }
}

/// A thread waits for the others at the end of a region.
unsafe extern "C" fn sync_region(
    kind: c_int,
    scope: c_int,
    parallel: Data,
    _task: *mut c_void,
    _code: *const c_void,
) {
    if scope != BEGIN || !JOIN_BARRIERS.contains(&kind) {
        return;
    }
    // SAFETY: the region's word.
    if let Some(region) = unsafe { region(parallel) }
        && region.caller != this_thread()
    {
        region.end_part(PART_START_NS.get());
    }
}

unsafe fn region<'a>(parallel: Data) -> Option<&'a Region> {
    // SAFETY: null, or the region's word, which is null or was written by `parallel_begin`.
    unsafe { if parallel.is_null() { None } else { (*parallel as *const Region).as_ref() } }
}
