//! The tool interface (`MPI_T_*`). It has a few read-only control variables that describe the
//! simulation, a few counters, and one category that holds them all. There are no events, sources
//! or enumerations.
//!
//! The calls return error codes of their own and never call an error handler. Handles are numbers
//! that are never reused, so a stale handle is detected.

mod events;

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::{Datatype, c};
use crate::error::copy_string;
use crate::export::mpi_fn;
use crate::runtime;

/// Messages that the program has sent, and their bytes.
static MESSAGES: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// Counts one message of the program.
pub(crate) fn count_message(bytes: u64) {
    MESSAGES.fetch_add(1, Ordering::Relaxed);
    BYTES.fetch_add(bytes, Ordering::Relaxed);
}

struct Variable {
    name: &'static CStr,
    description: &'static CStr,
    datatype: Datatype,
    /// Number of values of that type.
    count: c_int,
}

const CONTROLS: [Variable; 3] = [
    Variable {
        name: c"odonata_library",
        description: c"The MPI library that is simulated.",
        datatype: c::CHAR,
        count: LIBRARY_BYTES as c_int,
    },
    Variable {
        name: c"odonata_eager_max",
        description: c"Longest standard send that completes without its receiver, in bytes.",
        datatype: c::UINT64_T,
        count: 1,
    },
    Variable { name: c"odonata_tag_ub", description: c"Largest tag.", datatype: c::INT, count: 1 },
];
const LIBRARY: usize = 0;
const EAGER_MAX: usize = 1;
const LIBRARY_BYTES: usize = 256;

/// Counters, which are always running.
const COUNTERS: [Variable; 2] = [
    Variable {
        name: c"odonata_messages_sent",
        description: c"Point-to-point messages that this process has sent.",
        datatype: c::UINT64_T,
        count: 1,
    },
    Variable {
        name: c"odonata_bytes_sent",
        description: c"Bytes of those messages.",
        datatype: c::UINT64_T,
        count: 1,
    },
];

const CATEGORY: Variable = Variable {
    name: c"odonata",
    description: c"The simulated library, and what this process requested.",
    datatype: c::DATATYPE_NULL,
    count: 0,
};

struct ToolState {
    /// Calls of `MPI_T_init_thread` minus calls of `MPI_T_finalize`.
    depth: u32,
    last_handle: usize,
    /// Index of the variable.
    controls: BTreeMap<usize, usize>,
    sessions: BTreeMap<usize, ()>,
    /// Session and index of the variable.
    counters: BTreeMap<usize, (usize, usize)>,
}

static STATE: Mutex<ToolState> = Mutex::new(ToolState {
    depth: 0,
    last_handle: 0x1000,
    controls: BTreeMap::new(),
    sessions: BTreeMap::new(),
    counters: BTreeMap::new(),
});

fn lock() -> MutexGuard<'static, ToolState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ToolState {
    fn handle(&mut self) -> usize {
        self.last_handle += 1;
        self.last_handle
    }
}

/// `MPI_T_PVAR_ALL_HANDLES`; in MPICH it is a variable with this value.
#[cfg(feature = "mpich")]
const ALL_HANDLES: usize = usize::MAX;
#[cfg(not(feature = "mpich"))]
const ALL_HANDLES: usize = c::T_PVAR_ALL_HANDLES;

type ToolResult<T = ()> = Result<T, c_int>;

/// Calls `f` if the interface is initialized; returns the error code.
fn with_initialized(f: impl FnOnce(&mut ToolState) -> ToolResult) -> c_int {
    let mut state = lock();
    if state.depth == 0 {
        return c::T_ERR_NOT_INITIALIZED;
    }
    f(&mut state).err().unwrap_or(c::SUCCESS)
}

fn indexed(of: &'static [Variable], index: c_int) -> ToolResult<(usize, &'static Variable)> {
    let at = usize::try_from(index).map_err(|_| c::T_ERR_INVALID_INDEX)?;
    of.get(at).map(|variable| (at, variable)).ok_or(c::T_ERR_INVALID_INDEX)
}

/// Writes a result, unless its address is null.
///
/// # Safety
/// `out` is null or writable.
unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        unsafe { *out = value };
    }
}

/// Writes a string to a buffer of `*length` bytes; `*length` returns the size of the whole string
/// with its terminator.
///
/// # Safety
/// Each pointer is null or as MPI requires.
unsafe fn put_string(text: &CStr, out: *mut c_char, length: *mut c_int) {
    if length.is_null() {
        return;
    }
    unsafe {
        let room = usize::try_from(*length).unwrap_or(0);
        if !out.is_null() && room > 0 {
            copy_string(text.to_bytes(), out, room);
        }
        *length = text.to_bytes_with_nul().len() as c_int;
    }
}

/// # Safety
/// `name` is a string or null, `index` writable or null.
unsafe fn find(of: &[Variable], name: *const c_char, index: *mut c_int) -> ToolResult {
    if name.is_null() || index.is_null() {
        return Err(c::T_ERR_INVALID);
    }
    let name = unsafe { CStr::from_ptr(name) };
    let at = of.iter().position(|variable| variable.name == name).ok_or(c::T_ERR_INVALID_NAME)?;
    unsafe { *index = at as c_int };
    Ok(())
}

/// Writes the numbers from 0 to `n - 1`, as many as fit.
///
/// # Safety
/// `indices` has room for `room`.
unsafe fn list(n: usize, room: c_int, indices: *mut c_int) {
    for i in 0..n.min(usize::try_from(room).unwrap_or(0)) {
        unsafe { *indices.add(i) = i as c_int };
    }
}

/// # Safety
/// `out` has room for the variable's values.
unsafe fn read_control(index: usize, out: *mut c_void) {
    let held = &runtime::lock();
    let is_there = runtime::is_attached(held);
    unsafe {
        match index {
            LIBRARY => {
                let text = if is_there { runtime::library(held) } else { String::new() };
                std::ptr::write_bytes(out.cast::<u8>(), 0, LIBRARY_BYTES);
                copy_string(text.as_bytes(), out.cast(), LIBRARY_BYTES);
            }
            EAGER_MAX => {
                let most = if is_there { runtime::eager_max(held) } else { 0 };
                out.cast::<u64>().write_unaligned(most);
            }
            _ => {
                let last = if is_there { runtime::tag_ub(held) } else { 0 };
                out.cast::<c_int>().write_unaligned(last);
            }
        }
    }
}

mpi_fn! {
    pub fn T_init_thread(required: c_int, provided: *mut c_int) -> c_int {
        lock().depth += 1;
        unsafe { put(provided, required.clamp(c::THREAD_SINGLE, c::THREAD_MULTIPLE)) };
        c::SUCCESS
    }
    pub fn T_finalize() -> c_int {
        with_initialized(|state| {
            state.depth -= 1;
            if state.depth == 0 {
                state.controls.clear();
                state.sessions.clear();
                state.counters.clear();
            }
            Ok(())
        })
    }

    pub fn T_cvar_get_num(count: *mut c_int) -> c_int {
        with_initialized(|_| {
            unsafe { put(count, CONTROLS.len() as c_int) };
            Ok(())
        })
    }
    pub fn T_cvar_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        datatype: *mut Datatype, enumtype: *mut *mut c_void, desc: *mut c_char,
        desc_len: *mut c_int, bind: *mut c_int, scope: *mut c_int,
    ) -> c_int {
        with_initialized(|_| {
            let (_, variable) = indexed(&CONTROLS, index)?;
            unsafe {
                put_string(variable.name, name, name_len);
                put_string(variable.description, desc, desc_len);
                put(verbosity, c::T_VERBOSITY_USER_BASIC);
                put(datatype, variable.datatype);
                put(enumtype, std::ptr::null_mut());
                put(bind, c::T_BIND_NO_OBJECT);
                put(scope, c::T_SCOPE_CONSTANT);
            }
            Ok(())
        })
    }
    pub fn T_cvar_get_index(name: *const c_char, index: *mut c_int) -> c_int {
        with_initialized(|_| unsafe { find(&CONTROLS, name, index) })
    }
    pub fn T_cvar_handle_alloc(
        index: c_int, _object: *mut c_void, handle: *mut usize, count: *mut c_int,
    ) -> c_int {
        with_initialized(|state| {
            let (at, variable) = indexed(&CONTROLS, index)?;
            let new = state.handle();
            state.controls.insert(new, at);
            unsafe {
                put(handle, new);
                put(count, variable.count);
            }
            Ok(())
        })
    }
    pub fn T_cvar_handle_free(handle: *mut usize) -> c_int {
        with_initialized(|state| {
            let old = unsafe { handle.as_mut() }.ok_or(c::T_ERR_INVALID)?;
            state.controls.remove(old).ok_or(c::T_ERR_INVALID_HANDLE)?;
            *old = c::T_CVAR_HANDLE_NULL;
            Ok(())
        })
    }
    pub fn T_cvar_read(handle: usize, out: *mut c_void) -> c_int {
        with_initialized(|state| {
            let index = *state.controls.get(&handle).ok_or(c::T_ERR_INVALID_HANDLE)?;
            unsafe { read_control(index, out) };
            Ok(())
        })
    }
    pub fn T_cvar_write(handle: usize, _value: *const c_void) -> c_int {
        with_initialized(|state| {
            state.controls.get(&handle).ok_or(c::T_ERR_INVALID_HANDLE)?;
            Err(c::T_ERR_CVAR_SET_NEVER)
        })
    }
}

/// A counter's handle in a session.
fn counter(state: &ToolState, session: usize, handle: usize) -> ToolResult<usize> {
    state.sessions.get(&session).ok_or(c::T_ERR_INVALID_SESSION)?;
    match state.counters.get(&handle) {
        Some((of, index)) if *of == session => Ok(*index),
        _ => Err(c::T_ERR_INVALID_HANDLE),
    }
}

/// An operation that counters do not support. For all handles at once it does nothing.
fn refused(session: usize, handle: usize, code: c_int) -> c_int {
    with_initialized(|state| {
        if handle == ALL_HANDLES {
            return state.sessions.get(&session).copied().ok_or(c::T_ERR_INVALID_SESSION);
        }
        counter(state, session, handle)?;
        Err(code)
    })
}

mpi_fn! {
    pub fn T_pvar_get_num(count: *mut c_int) -> c_int {
        with_initialized(|_| {
            unsafe { put(count, COUNTERS.len() as c_int) };
            Ok(())
        })
    }
    pub fn T_pvar_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, verbosity: *mut c_int,
        class: *mut c_int, datatype: *mut Datatype, enumtype: *mut *mut c_void,
        desc: *mut c_char, desc_len: *mut c_int, bind: *mut c_int, readonly: *mut c_int,
        continuous: *mut c_int, atomic: *mut c_int,
    ) -> c_int {
        with_initialized(|_| {
            let (_, variable) = indexed(&COUNTERS, index)?;
            unsafe {
                put_string(variable.name, name, name_len);
                put_string(variable.description, desc, desc_len);
                put(verbosity, c::T_VERBOSITY_USER_BASIC);
                put(class, c::T_PVAR_CLASS_COUNTER);
                put(datatype, variable.datatype);
                put(enumtype, std::ptr::null_mut());
                put(bind, c::T_BIND_NO_OBJECT);
                put(readonly, 1);
                put(continuous, 1);
                put(atomic, 0);
            }
            Ok(())
        })
    }
    pub fn T_pvar_get_index(name: *const c_char, class: c_int, index: *mut c_int) -> c_int {
        with_initialized(|_| match class {
            c::T_PVAR_CLASS_COUNTER => unsafe { find(&COUNTERS, name, index) },
            _ => Err(c::T_ERR_INVALID_NAME),
        })
    }
    pub fn T_pvar_session_create(session: *mut usize) -> c_int {
        with_initialized(|state| {
            let new = state.handle();
            state.sessions.insert(new, ());
            unsafe { put(session, new) };
            Ok(())
        })
    }
    pub fn T_pvar_session_free(session: *mut usize) -> c_int {
        with_initialized(|state| {
            let old = unsafe { session.as_mut() }.ok_or(c::T_ERR_INVALID)?;
            state.sessions.remove(old).ok_or(c::T_ERR_INVALID_SESSION)?;
            state.counters.retain(|_, of| of.0 != *old);
            *old = c::T_PVAR_SESSION_NULL;
            Ok(())
        })
    }
    pub fn T_pvar_handle_alloc(
        session: usize, index: c_int, _object: *mut c_void, handle: *mut usize,
        count: *mut c_int,
    ) -> c_int {
        with_initialized(|state| {
            state.sessions.get(&session).ok_or(c::T_ERR_INVALID_SESSION)?;
            let (at, variable) = indexed(&COUNTERS, index)?;
            let new = state.handle();
            state.counters.insert(new, (session, at));
            unsafe {
                put(handle, new);
                put(count, variable.count);
            }
            Ok(())
        })
    }
    pub fn T_pvar_handle_free(session: usize, handle: *mut usize) -> c_int {
        with_initialized(|state| {
            let old = unsafe { handle.as_mut() }.ok_or(c::T_ERR_INVALID)?;
            counter(state, session, *old)?;
            state.counters.remove(old);
            *old = c::T_PVAR_HANDLE_NULL;
            Ok(())
        })
    }
    pub fn T_pvar_start(session: usize, handle: usize) -> c_int {
        refused(session, handle, c::T_ERR_PVAR_NO_STARTSTOP)
    }
    pub fn T_pvar_stop(session: usize, handle: usize) -> c_int {
        refused(session, handle, c::T_ERR_PVAR_NO_STARTSTOP)
    }
    pub fn T_pvar_read(session: usize, handle: usize, out: *mut c_void) -> c_int {
        with_initialized(|state| {
            let values = [&MESSAGES, &BYTES];
            let value = values[counter(state, session, handle)?].load(Ordering::Relaxed);
            unsafe { out.cast::<u64>().write_unaligned(value) };
            Ok(())
        })
    }
    pub fn T_pvar_write(session: usize, handle: usize, _value: *const c_void) -> c_int {
        refused(session, handle, c::T_ERR_PVAR_NO_WRITE)
    }
    pub fn T_pvar_reset(session: usize, handle: usize) -> c_int {
        refused(session, handle, c::T_ERR_PVAR_NO_WRITE)
    }
    pub fn T_pvar_readreset(session: usize, handle: usize, _out: *mut c_void) -> c_int {
        refused(session, handle, c::T_ERR_PVAR_NO_ATOMIC)
    }
}

/// Calls `f` if the index is that of the one category.
fn category(index: c_int, f: impl FnOnce()) -> c_int {
    with_initialized(|_| {
        if index != 0 {
            return Err(c::T_ERR_INVALID_INDEX);
        }
        f();
        Ok(())
    })
}

mpi_fn! {
    pub fn T_category_get_num(count: *mut c_int) -> c_int {
        with_initialized(|_| {
            unsafe { put(count, 1) };
            Ok(())
        })
    }
    /// The category never changes.
    pub fn T_category_changed(stamp: *mut c_int) -> c_int {
        with_initialized(|_| {
            unsafe { put(stamp, 0) };
            Ok(())
        })
    }
    pub fn T_category_get_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char,
        desc_len: *mut c_int, controls: *mut c_int, counters: *mut c_int,
        categories: *mut c_int,
    ) -> c_int {
        category(index, || unsafe {
            put_string(CATEGORY.name, name, name_len);
            put_string(CATEGORY.description, desc, desc_len);
            put(controls, CONTROLS.len() as c_int);
            put(counters, COUNTERS.len() as c_int);
            put(categories, 0);
        })
    }
    pub fn T_category_get_index(name: *const c_char, index: *mut c_int) -> c_int {
        with_initialized(|_| unsafe { find(&[CATEGORY], name, index) })
    }
    pub fn T_category_get_cvars(index: c_int, room: c_int, indices: *mut c_int) -> c_int {
        category(index, || unsafe { list(CONTROLS.len(), room, indices) })
    }
    pub fn T_category_get_pvars(index: c_int, room: c_int, indices: *mut c_int) -> c_int {
        category(index, || unsafe { list(COUNTERS.len(), room, indices) })
    }
    pub fn T_category_get_categories(index: c_int, _room: c_int, _indices: *mut c_int) -> c_int {
        category(index, || ())
    }
    pub fn T_category_get_events(index: c_int, _room: c_int, _indices: *mut c_int) -> c_int {
        category(index, || ())
    }
    pub fn T_category_get_num_events(index: c_int, count: *mut c_int) -> c_int {
        category(index, || unsafe { put(count, 0) })
    }
}
