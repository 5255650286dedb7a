//! MPI's functions for error handlers.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::super::codes::text;
use super::{Attached, HANDLERS, Handler, attached, call_handler, own_handler};
use crate::abi::{Comm, Errhandler, File, Kind, Session, Win, c};
use crate::error::{Result, Site, fail};
use crate::export::mpi_fn;

impl Site {
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
