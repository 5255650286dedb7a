//! The error of an MPI call: its class, a sentence, and the object to which it belongs.
//!
//! The body of an MPI function returns an `Error`. `handlers` decides the effect; `codes` has the
//! classes, and the codes that a program adds.

mod codes;
mod handlers;

use std::ffi::{c_char, c_int};

use crate::abi::{Comm, File, Kind, Session, Win};

pub(crate) use codes::last_used_code;
pub(crate) use handlers::{
    abort_with_message, forget, inherit, raise, report_internal_errors, set, set_abort,
};

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
}

/// Writes one line to the rank's stderr with one system call, because other ranks write there too.
pub(crate) fn write_line(line: &str) {
    use std::io::Write;
    let _ = std::io::stderr().write_all(format!("odonata: {line}\n").as_bytes());
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
