//! Error handlers, and the treatment of a failed call.
//!
//! The error handler of the object decides the effect of an error. Communicators and windows end
//! the job by default.

mod calls;

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use workload::functions::function_name;

use super::{Error, Site, codes, write_line};
use crate::abi::{Comm, Errhandler, File, Kind, Registry, Session, Win, c};
use crate::function;

pub(crate) use calls::set;

impl Site {
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

/// Installs a panic hook: an internal error of this library ends the process at once. No panic may
/// unwind into C. The message names rank and call, and accesses no state that may be inconsistent.
pub(crate) fn report_internal_errors() {
    std::panic::set_hook(Box::new(|what| {
        let rank = std::env::var(workload::wire::ENV_RANK).unwrap_or_else(|_| "0".into());
        let name = function_name(function::current());
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
        let name = function_name(function::current());
        let class = codes::CLASSES.iter().find(|k| k.0 == error.code).map_or("an error", |k| k.1);
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
