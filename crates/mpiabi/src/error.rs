//! Error classes and codes, error handlers, and the treatment of a failed call.
//!
//! The body of an MPI function returns an `Error`: a class and a sentence. The error handler of the
//! object decides the effect. Communicators and windows end the job by default.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use workload::functions::function_name;

use crate::abi::{Comm, Errhandler, File, Kind, Registry, Session, Win, c};
use crate::export::{self, mpi_fn};

pub type Result<T = ()> = std::result::Result<T, Error>;

/// The error of one call.
#[derive(Clone, Debug)]
pub struct Error {
    /// The error class, `c::ERR_*`, or a code that the program added.
    pub code: c_int,
    /// A clause for the user: the value found and the value expected.
    pub message: String,
    /// The object whose handler is called, if it is none of the call's arguments: a wait reports
    /// errors on the request's communicator.
    pub site: Option<Site>,
}

impl Error {
    pub fn new(code: c_int, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), site: None }
    }
    /// Assigns the error to a communicator, unless it belongs to another object already.
    pub fn on(self, comm: Comm) -> Error {
        self.of(Site::comm(comm))
    }
    /// Assigns the error to an object, unless it belongs to one already.
    pub fn of(self, site: Site) -> Error {
        Error { site: self.site.or(Some(site)), ..self }
    }
}

/// `return fail!(c::ERR_COUNT, "count is {n}")`.
macro_rules! fail {
    ($code:expr, $($format:tt)+) => {
        Err($crate::error::Error::new($code, format!($($format)+)))
    };
}
pub(crate) use fail;

/// The object to which an error belongs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Site {
    pub kind: Kind,
    pub handle: c_int,
}

impl Site {
    pub fn comm(comm: Comm) -> Site {
        Site { kind: Kind::Comm, handle: comm.to_int() }
    }
    pub fn win(win: Win) -> Site {
        Site { kind: Kind::Win, handle: win.to_int() }
    }
    pub fn file(file: File) -> Site {
        Site { kind: Kind::File, handle: file.to_int() }
    }
    pub fn session(session: Session) -> Site {
        Site { kind: Kind::Session, handle: session.to_int() }
    }
    /// The error class of a null handle. `MPI_FILE_NULL` is valid here: its handler is the initial
    /// one of new files.
    fn null_code(self) -> Option<c_int> {
        let nulls = [
            (Site::comm(c::COMM_NULL), c::ERR_COMM),
            (Site::win(c::WIN_NULL), c::ERR_WIN),
            (Site::session(c::SESSION_NULL), c::ERR_SESSION),
        ];
        nulls.into_iter().find(|n| n.0 == self).map(|n| n.1)
    }
    /// Whether the object is valid. A communicator that has been freed, or never existed, has no
    /// handler of its own.
    fn is_there(self) -> bool {
        self.kind != Kind::Comm || crate::comm::find(Comm::from_int(self.handle)).is_ok()
    }
    /// Description for messages.
    fn describe(self) -> String {
        match self.kind {
            Kind::Comm => crate::comm::describe(Comm::from_int(self.handle)),
            Kind::Win => format!("window {:#x}", self.handle),
            Kind::File => format!("file {:#x}", self.handle),
            _ => format!("session {:#x}", self.handle),
        }
    }
    fn check(self) -> Result {
        match self.null_code() {
            Some(code) => fail!(code, "the handle is null"),
            None if self.kind == Kind::File && !crate::io::is_file(File::from_int(self.handle)) => {
                fail!(c::ERR_FILE, "{:#x} is not a file, or it has been closed", self.handle)
            }
            // A handler set on a stale handle would apply to a later object.
            None if Comm::from_int(self.handle).slot().is_some() && !self.is_there() => {
                let (raw, more) = (self.handle, crate::foreign::clause(Kind::Comm, self.handle));
                fail!(c::ERR_COMM, "{raw:#x} is not a communicator, or it has been freed{more}")
            }
            None => Ok(()),
        }
    }
}

/// A user's handler: `void f(MPI_Comm *, int *, ...)`. No further arguments are ever passed.
struct Handler {
    /// Number of handles that the program has not freed: one from its creation and one from each
    /// `get`.
    references: AtomicU32,
    kind: Kind,
    function: usize,
}

static HANDLERS: Registry<Handler> = Registry::new();

/// A handler as attached to an object: a user's handler stays alive after `MPI_Errhandler_free`.
#[derive(Clone)]
struct Attached {
    handle: Errhandler,
    handler: Option<Arc<Handler>>,
}

static ATTACHED: Mutex<BTreeMap<Site, Attached>> = Mutex::new(BTreeMap::new());

fn attached() -> std::sync::MutexGuard<'static, BTreeMap<Site, Attached>> {
    ATTACHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the whole job with an exit code; set by the runtime when it attaches to a job.
static ABORT: OnceLock<fn(c_int) -> !> = OnceLock::new();

/// Sets how a fatal error ends the job. Until then it ends this process.
pub(crate) fn set_abort(abort: fn(c_int) -> !) {
    let _ = ABORT.set(abort);
}

/// Writes one line to the rank's stderr with one system call, because other ranks write there too.
pub(crate) fn write_line(line: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(format!("odonata: {line}\n").as_bytes());
}

/// Installs a panic hook: an internal error of this library ends the process at once. No panic may
/// unwind into C. The message names rank and call, and accesses no state that may be inconsistent.
pub(crate) fn report_internal_errors() {
    std::panic::set_hook(Box::new(|what| {
        let rank = std::env::var(workload::wire::ENV_RANK).unwrap_or_else(|_| "0".into());
        let name = function_name(export::function());
        write_line(&format!(
            "rank {rank}: {name}: internal error of odonata's MPI library: {what}"
        ));
        std::process::abort();
    }));
}

/// Prints the reason and ends the job.
pub(crate) fn abort_with_message(message: &str, code: c_int) -> ! {
    write_line(&format!("{}{message}", crate::runtime::log_prefix()));
    match ABORT.get() {
        Some(abort) => abort(code),
        None => std::process::exit(if code & 0xff == 0 { 1 } else { code & 0xff }),
    }
}

/// The handler of a new object without one. Files return their errors (MPI 5.0, 14.7).
fn default_handler(site: Option<Site>) -> Errhandler {
    match site {
        Some(Site { kind: Kind::File, .. }) => c::ERRORS_RETURN,
        _ => c::ERRORS_ARE_FATAL,
    }
}

/// The handler that applies to `site`, and the object that it belongs to. An object without a
/// handler uses that of `MPI_COMM_SELF`, or else of `MPI_COMM_WORLD`, as in MPICH. So does an error
/// of no object (`MPI_COMM_SELF` since MPI 4, `MPI_COMM_WORLD` before). Files start with the
/// handler of `MPI_FILE_NULL` (MPI 5.0, 14.7).
fn effective_handler(site: Option<Site>) -> (Option<Site>, Attached) {
    let worlds = [Site::comm(c::COMM_SELF), Site::comm(c::COMM_WORLD)];
    let others = worlds.into_iter().filter(|_| site.is_none_or(|s| s.kind != Kind::File));
    let table = attached();
    let found =
        site.into_iter().chain(others).find_map(|s| Some((Some(s), table.get(&s)?.clone())));
    found.unwrap_or_else(|| (site, inherited_handler(site)))
}

fn inherited_handler(site: Option<Site>) -> Attached {
    Attached { handle: default_handler(site), handler: None }
}

/// An object's own handler, or the default.
fn own_handler(site: Site) -> Attached {
    attached().get(&site).cloned().unwrap_or_else(|| inherited_handler(Some(site)))
}

/// Calls the error handler of the error's object. Returns what the MPI function returns.
pub(crate) fn raise(site: Option<Site>, error: Error) -> c_int {
    // An error on a null or invalid object is treated as an error of no object.
    let site = error.site.or(site).filter(|s| s.null_code().is_none() && s.is_there());
    call_handler(effective_handler(site), error.code, || {
        let name = function_name(export::function());
        let class = CLASSES.iter().find(|k| k.0 == error.code).map_or("an error", |k| k.1);
        let on = site.map_or(String::new(), |site| format!(", on {}", site.describe()));
        format!("{name} failed: {} ({class}{on})", error.message)
    })
}

/// A user's handler may change the code: it is "the error code to be returned by the MPI routine"
/// (MPI 5.0, 9.3).
fn call_handler(
    (site, found): (Option<Site>, Attached),
    code: c_int,
    message: impl Fn() -> String,
) -> c_int {
    if let Some(handler) = found.handler {
        let handle = site.map_or(c::COMM_SELF.to_int(), |s| s.handle);
        return unsafe { call_user(&handler, handle, code) };
    }
    if found.handle == c::ERRORS_RETURN {
        return code;
    }
    abort_with_message(&message(), code)
}

/// Returns the code that the handler leaves.
///
/// # Safety
/// The handler's address is the C function that the program registered for objects of its kind.
unsafe fn call_user(handler: &Handler, handle: c_int, code: c_int) -> c_int {
    type Function = unsafe extern "C" fn(*mut c_void, *mut c_int, ...);
    let f = unsafe { std::mem::transmute::<usize, Function>(handler.function) };
    let mut code = code;
    macro_rules! with {
        ($t:ident) => {{
            let mut object = $t::from_int(handle);
            crate::runtime::callback(|| unsafe { f((&raw mut object).cast(), &raw mut code) })
        }};
    }
    match handler.kind {
        Kind::Win => with!(Win),
        Kind::File => with!(File),
        Kind::Session => with!(Session),
        _ => with!(Comm),
    }
    code
}

/// A new object derived from another (`MPI_Comm_dup` and the like) starts with its handler.
pub(crate) fn inherit(from: Site, to: Site) {
    let mut table = attached();
    if let Some(handler) = table.get(&from).cloned() {
        table.insert(to, handler);
    }
}

/// Called when the object is freed.
pub(crate) fn forget(site: Site) {
    attached().remove(&site);
}

fn create(kind: Kind, function: *const c_void, errhandler: *mut Errhandler) -> Result {
    if function.is_null() {
        return fail!(c::ERR_ARG, "the error handler function is null");
    }
    let slot = HANDLERS.insert(Arc::new(Handler {
        kind,
        function: function as usize,
        references: AtomicU32::new(1),
    }));
    unsafe { *errhandler = Errhandler::created(slot) };
    Ok(())
}

fn foreign_clause(handle: Errhandler) -> String {
    crate::foreign::clause(Kind::Errhandler, handle.to_int())
}

pub(crate) fn set(site: Site, handle: Errhandler) -> Result {
    site.check()?;
    let handler = match handle {
        c::ERRORS_ARE_FATAL | c::ERRORS_ABORT | c::ERRORS_RETURN => None,
        _ => {
            let found = handle.slot().and_then(|s| HANDLERS.get(s));
            let Some(handler) = found else {
                let (raw, more) = (handle.to_int(), foreign_clause(handle));
                return fail!(c::ERR_ERRHANDLER, "not an error handler: {raw:#x}{more}");
            };
            if handler.kind != site.kind {
                let (of, on) = (handler.kind, site.kind);
                return fail!(c::ERR_ERRHANDLER, "an error handler for a {of:?} set on a {on:?}");
            }
            Some(handler)
        }
    };
    attached().insert(site, Attached { handle, handler });
    Ok(())
}

/// The handle of an object's handler; for a user's handler it is a new reference that the program
/// frees.
fn get(site: Site, errhandler: *mut Errhandler) -> Result {
    site.check()?;
    let found = own_handler(site);
    let handle = match found.handler {
        Some(handler) => {
            // The handle that the program has, so that the two compare equal.
            let slot = HANDLERS.slot_of(&handler);
            handler.references.fetch_add(1, Ordering::Relaxed);
            Errhandler::created(slot.unwrap_or_else(|| HANDLERS.insert(handler)))
        }
        None => found.handle,
    };
    unsafe { *errhandler = handle };
    Ok(())
}

fn call(site: Site, code: c_int) -> Result {
    site.check()?;
    call_handler((Some(site), own_handler(site)), code, || {
        format!("the program raised error {code}: {}", text(code).unwrap_or_default())
    });
    Ok(())
}

fn free(errhandler: *mut Errhandler) -> Result {
    let handle = unsafe { *errhandler };
    let predefined = matches!(handle, c::ERRORS_ARE_FATAL | c::ERRORS_ABORT | c::ERRORS_RETURN);
    if !predefined {
        let slot = handle.slot();
        let Some((slot, handler)) = slot.and_then(|s| Some((s, HANDLERS.get(s)?))) else {
            let (raw, more) = (handle.to_int(), foreign_clause(handle));
            return fail!(c::ERR_ERRHANDLER, "not an error handler: {raw:#x}{more}");
        };
        if handler.references.fetch_sub(1, Ordering::Relaxed) == 1 {
            HANDLERS.remove(slot);
        }
    }
    unsafe { *errhandler = c::ERRHANDLER_NULL };
    Ok(())
}

mpi_fn! {
    pub fn Comm_create_errhandler(function: *const c_void, errhandler: *mut Errhandler) {
        create(Kind::Comm, function, errhandler)
    }
    pub fn Win_create_errhandler(function: *const c_void, errhandler: *mut Errhandler) {
        create(Kind::Win, function, errhandler)
    }
    pub fn File_create_errhandler(function: *const c_void, errhandler: *mut Errhandler) {
        create(Kind::File, function, errhandler)
    }
    pub fn Session_create_errhandler(function: *const c_void, errhandler: *mut Errhandler) {
        create(Kind::Session, function, errhandler)
    }
    pub fn Comm_set_errhandler(comm: Comm, errhandler: Errhandler) {
        set(Site::comm(comm), errhandler)
    }
    pub fn Win_set_errhandler(win: Win, errhandler: Errhandler) {
        crate::win::check(&crate::runtime::enter()?, win)?;
        set(Site::win(win), errhandler)
    }
    pub fn File_set_errhandler(file: File, errhandler: Errhandler) {
        set(Site::file(file), errhandler)
    }
    pub fn Session_set_errhandler(session: Session, errhandler: Errhandler) {
        set(Site::session(session), errhandler)
    }
    pub fn Comm_get_errhandler(comm: Comm, errhandler: *mut Errhandler) {
        get(Site::comm(comm), errhandler)
    }
    pub fn Win_get_errhandler(win: Win, errhandler: *mut Errhandler) {
        crate::win::check(&crate::runtime::enter()?, win)?;
        get(Site::win(win), errhandler)
    }
    pub fn File_get_errhandler(file: File, errhandler: *mut Errhandler) {
        get(Site::file(file), errhandler)
    }
    pub fn Session_get_errhandler(session: Session, errhandler: *mut Errhandler) {
        get(Site::session(session), errhandler)
    }
    pub fn Comm_call_errhandler(comm: Comm, code: c_int) {
        call(Site::comm(comm), code)
    }
    pub fn Win_call_errhandler(win: Win, code: c_int) {
        crate::win::check(&crate::runtime::enter()?, win)?;
        call(Site::win(win), code)
    }
    pub fn File_call_errhandler(file: File, code: c_int) {
        call(Site::file(file), code)
    }
    pub fn Session_call_errhandler(session: Session, code: c_int) {
        call(Site::session(session), code)
    }
    pub fn Errhandler_free(errhandler: *mut Errhandler) {
        free(errhandler)
    }
    pub fn Errhandler_create(function: *const c_void, errhandler: *mut Errhandler) {
        create(Kind::Comm, function, errhandler)
    }
    pub fn Errhandler_set(comm: Comm, errhandler: Errhandler) {
        set(Site::comm(comm), errhandler)
    }
    pub fn Errhandler_get(comm: Comm, errhandler: *mut Errhandler) {
        get(Site::comm(comm), errhandler)
    }
}

/// The error classes with their texts for `MPI_Error_string`.
#[rustfmt::skip]
const CLASSES: &[(c_int, &str)] = &[
    (c::SUCCESS, "no error"),
    (c::ERR_BUFFER, "invalid buffer pointer"),
    (c::ERR_COUNT, "invalid count argument"),
    (c::ERR_TYPE, "invalid datatype argument"),
    (c::ERR_TAG, "invalid tag argument"),
    (c::ERR_COMM, "invalid communicator"),
    (c::ERR_RANK, "invalid rank"),
    (c::ERR_REQUEST, "invalid request"),
    (c::ERR_ROOT, "invalid root"),
    (c::ERR_GROUP, "invalid group"),
    (c::ERR_OP, "invalid operation"),
    (c::ERR_TOPOLOGY, "invalid communicator topology"),
    (c::ERR_DIMS, "invalid dimension argument"),
    (c::ERR_ARG, "invalid argument"),
    (c::ERR_UNKNOWN, "unknown error"),
    (c::ERR_TRUNCATE, "message truncated"),
    (c::ERR_OTHER, "known error of no other class"),
    (c::ERR_INTERN, "internal error"),
    (c::ERR_PENDING, "pending request"),
    (c::ERR_IN_STATUS, "error code is in the status"),
    (c::ERR_ACCESS, "permission denied"),
    (c::ERR_AMODE, "invalid file access mode"),
    (c::ERR_ASSERT, "invalid assertion argument"),
    (c::ERR_BAD_FILE, "invalid file name"),
    (c::ERR_BASE, "invalid base argument"),
    (c::ERR_CONVERSION, "error in a data conversion function"),
    (c::ERR_DISP, "invalid displacement argument"),
    (c::ERR_DUP_DATAREP, "data representation is already defined"),
    (c::ERR_FILE_EXISTS, "file exists"),
    (c::ERR_FILE_IN_USE, "file is in use"),
    (c::ERR_FILE, "invalid file handle"),
    (c::ERR_INFO_KEY, "invalid info key"),
    (c::ERR_INFO_NOKEY, "info key is not defined"),
    (c::ERR_INFO_VALUE, "invalid info value"),
    (c::ERR_INFO, "invalid info object"),
    (c::ERR_IO, "input/output error"),
    (c::ERR_KEYVAL, "invalid attribute key"),
    (c::ERR_LOCKTYPE, "invalid lock type"),
    (c::ERR_NAME, "service name is not published"),
    (c::ERR_NO_MEM, "out of memory"),
    (c::ERR_NOT_SAME, "collective argument is not the same on all ranks"),
    (c::ERR_NO_SPACE, "not enough space"),
    (c::ERR_NO_SUCH_FILE, "file does not exist"),
    (c::ERR_PORT, "invalid port"),
    (c::ERR_QUOTA, "quota exceeded"),
    (c::ERR_READ_ONLY, "file or file system is read-only"),
    (c::ERR_RMA_ATTACH, "memory cannot be attached"),
    (c::ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    (c::ERR_RMA_RANGE, "target memory is not part of the window"),
    (c::ERR_RMA_SHARED, "memory cannot be shared"),
    (c::ERR_RMA_SYNC, "wrong synchronization of one-sided calls"),
    (c::ERR_SERVICE, "invalid service name"),
    (c::ERR_SIZE, "invalid size argument"),
    (c::ERR_SPAWN, "error in spawning processes"),
    (c::ERR_UNSUPPORTED_DATAREP, "unsupported data representation"),
    (c::ERR_UNSUPPORTED_OPERATION, "unsupported operation"),
    (c::ERR_WIN, "invalid window"),
    (c::ERR_RMA_FLAVOR, "window has the wrong flavor"),
    (c::ERR_PROC_ABORTED, "peer process has aborted"),
    (c::ERR_VALUE_TOO_LARGE, "value is too large to store"),
    (c::ERR_SESSION, "invalid session"),
    (c::ERR_ERRHANDLER, "invalid error handler"),
    (c::ERR_ABI, "error in an ABI function"),
    (c::T_ERR_CANNOT_INIT, "tool interface cannot be initialized"),
    (c::T_ERR_NOT_ACCESSIBLE, "tool information is not accessible"),
    (c::T_ERR_NOT_INITIALIZED, "tool interface is not initialized"),
    (c::T_ERR_NOT_SUPPORTED, "tool function is not supported"),
    (c::T_ERR_MEMORY, "out of memory in the tool interface"),
    (c::T_ERR_INVALID, "invalid use of the tool interface"),
    (c::T_ERR_INVALID_INDEX, "invalid index in the tool interface"),
    (c::T_ERR_INVALID_ITEM, "invalid item in the tool interface"),
    (c::T_ERR_INVALID_SESSION, "invalid session of the tool interface"),
    (c::T_ERR_INVALID_HANDLE, "invalid handle of the tool interface"),
    (c::T_ERR_INVALID_NAME, "invalid name in the tool interface"),
    (c::T_ERR_OUT_OF_HANDLES, "no more handles in the tool interface"),
    (c::T_ERR_OUT_OF_SESSIONS, "no more sessions in the tool interface"),
    (c::T_ERR_CVAR_SET_NOT_NOW, "control variable cannot be set now"),
    (c::T_ERR_CVAR_SET_NEVER, "control variable can never be set"),
    (c::T_ERR_PVAR_NO_WRITE, "performance variable cannot be written"),
    (c::T_ERR_PVAR_NO_STARTSTOP, "performance variable cannot be started or stopped"),
    (c::T_ERR_PVAR_NO_ATOMIC, "performance variable has no atomic read and write"),
];

/// Classes and codes that the program has added, by code.
struct Added {
    class: c_int,
    is_class: bool,
    text: String,
}

static ADDED: Mutex<(c_int, BTreeMap<c_int, Added>)> =
    Mutex::new((c::ERR_LASTCODE, BTreeMap::new()));

fn added() -> std::sync::MutexGuard<'static, (c_int, BTreeMap<c_int, Added>)> {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `MPI_LASTUSEDCODE`.
pub(crate) fn last_used_code() -> c_int {
    added().0
}

fn add(class: Option<c_int>) -> c_int {
    let mut added = added();
    added.0 += 1;
    let code = added.0;
    let entry =
        Added { class: class.unwrap_or(code), is_class: class.is_none(), text: String::new() };
    added.1.insert(code, entry);
    code
}

/// Removes a class or code, if the program added it and nothing depends on it.
fn remove(code: c_int, is_class: bool) -> Result {
    let mut added = added();
    let known = added.1.get(&code).is_some_and(|a| a.is_class == is_class && a.text.is_empty());
    let used = is_class && added.1.values().any(|a| !a.is_class && a.class == code);
    if !known || used {
        return fail!(c::ERR_OTHER, "error code {code} was not added, has a string or is in use");
    }
    added.1.remove(&code);
    added.0 = added.1.keys().next_back().copied().unwrap_or(c::ERR_LASTCODE);
    Ok(())
}

fn text(code: c_int) -> Option<String> {
    if let Some(class) = CLASSES.iter().find(|k| k.0 == code) {
        return Some(class.1.to_string());
    }
    added().1.get(&code).map(|a| a.text.clone())
}

/// Copies a string into a C buffer of `room` bytes; returns its length without the terminator.
///
/// # Safety
/// `out` has room for `room` bytes, at least one.
pub(crate) unsafe fn copy_string(text: &[u8], out: *mut c_char, room: usize) -> c_int {
    let n = text.len().min(room - 1);
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), out.cast(), n);
        *out.add(n) = 0;
    }
    n as c_int
}

mpi_fn! {
    pub fn Error_class(code: c_int, class: *mut c_int) {
        let known = CLASSES.iter().find(|k| k.0 == code).map(|k| k.0);
        let Some(found) = known.or_else(|| added().1.get(&code).map(|a| a.class)) else {
            return fail!(c::ERR_ARG, "{code} is not an error code");
        };
        unsafe { *class = found };
        Ok(())
    }
    pub fn Error_string(code: c_int, string: *mut c_char, length: *mut c_int) {
        let Some(text) = text(code) else {
            return fail!(c::ERR_ARG, "{code} is not an error code");
        };
        unsafe { *length = copy_string(text.as_bytes(), string, c::MAX_ERROR_STRING as usize) };
        Ok(())
    }
    pub fn Add_error_class(class: *mut c_int) {
        unsafe { *class = add(None) };
        Ok(())
    }
    pub fn Add_error_code(class: c_int, code: *mut c_int) {
        let known = CLASSES.iter().any(|k| k.0 == class)
            || added().1.get(&class).is_some_and(|a| a.is_class);
        if !known {
            return fail!(c::ERR_ARG, "{class} is not an error class");
        }
        unsafe { *code = add(Some(class)) };
        Ok(())
    }
    pub fn Add_error_string(code: c_int, string: *const c_char) {
        let string = unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned();
        if string.len() >= c::MAX_ERROR_STRING as usize {
            return fail!(c::ERR_ARG, "an error string of {} bytes", string.len());
        }
        match added().1.get_mut(&code) {
            Some(entry) => entry.text = string,
            None => return fail!(c::ERR_ARG, "{code} is not a code the program added"),
        }
        Ok(())
    }
    pub fn Remove_error_class(class: c_int) {
        remove(class, true)
    }
    pub fn Remove_error_code(code: c_int) {
        remove(code, false)
    }
    pub fn Remove_error_string(code: c_int) {
        match added().1.get_mut(&code) {
            Some(entry) if !entry.text.is_empty() => entry.text.clear(),
            _ => return fail!(c::ERR_ARG, "{code} has no string the program added"),
        }
        Ok(())
    }
}
