//! Inquiries: versions, memory, addresses and handles as integers, statuses.

use std::ffi::{c_char, c_int, c_void};
use std::sync::{Mutex, PoisonError};

use crate::abi::{
    Aint, Comm, Datatype, Errhandler, File, Group, Info, Message, Op, Request, Session, Status,
    Win, c,
};
use crate::error::{copy_string, fail};
use crate::export::mpi_fn;

/// The simulated library's name and version, set by the runtime when it attaches to a job.
static LIBRARY: Mutex<String> = Mutex::new(String::new());

pub(crate) fn set_library(name: &str) {
    *LIBRARY.lock().unwrap_or_else(PoisonError::into_inner) = name.to_string();
}

mpi_fn! {
    pub fn Get_version(version: *mut c_int, subversion: *mut c_int) {
        unsafe { (*version, *subversion) = (c::VERSION, c::SUBVERSION) };
        Ok(())
    }
    pub fn Get_library_version(version: *mut c_char, length: *mut c_int) {
        let library = LIBRARY.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = format!("odonata {}", env!("CARGO_PKG_VERSION"));
        if !library.is_empty() {
            text = format!("{text}, simulating {library}");
        }
        let room = c::MAX_LIBRARY_VERSION_STRING as usize;
        unsafe { *length = copy_string(text.as_bytes(), version, room) };
        Ok(())
    }
    /// Succeeds only in the library with the standard ABI.
    pub fn Abi_get_version(major: *mut c_int, minor: *mut c_int) {
        let version = if cfg!(feature = "mpich") { (-1, -1) } else { (1, 0) };
        unsafe { (*major, *minor) = version };
        Ok(())
    }
    /// Sizes of the types that the ABI does not fix, as keys and decimal values.
    pub fn Abi_get_info(info: *mut Info) {
        let sizes = ["mpi_aint_size", "mpi_count_size", "mpi_offset_size"];
        let pair = |name: &str| (name.as_bytes().to_vec(), b"8".to_vec());
        unsafe { *info = crate::info::insert(sizes.map(pair).to_vec()) };
        Ok(())
    }
    /// The types of a Fortran compiler are not known.
    pub fn Abi_get_fortran_info(info: *mut Info) {
        unsafe { *info = c::INFO_NULL };
        Ok(())
    }
    pub fn Abi_set_fortran_info(_info: Info) {
        fail!(c::ERR_ABI, "there is no Fortran interface")
    }
    pub fn Abi_get_fortran_booleans(
        _size: c_int, _yes: *mut c_void, _no: *mut c_void, is_set: *mut c_int,
    ) {
        unsafe { *is_set = 0 };
        Ok(())
    }
    pub fn Abi_set_fortran_booleans(_size: c_int, _yes: *mut c_void, _no: *mut c_void) {
        fail!(c::ERR_ABI, "there is no Fortran interface")
    }
    /// Empty: the simulated machine's resources are not this host's hardware.
    pub fn Get_hw_resource_info(info: *mut Info) {
        unsafe { *info = crate::info::insert(Vec::new()) };
        Ok(())
    }
    pub fn Pcontrol(_level: c_int) {
        Ok(())
    }
    pub fn Alloc_mem(size: Aint, _info: Info, base: *mut c_void) {
        if size < 0 {
            return fail!(c::ERR_SIZE, "{size} bytes");
        }
        let memory = unsafe { libc::malloc((size as usize).max(1)) };
        if memory.is_null() {
            return fail!(c::ERR_NO_MEM, "no memory for {size} bytes");
        }
        unsafe { *base.cast::<*mut c_void>() = memory };
        Ok(())
    }
    pub fn Free_mem(base: *mut c_void) {
        unsafe { libc::free(base) };
        Ok(())
    }
    pub fn Aint_add(base: Aint, displacement: Aint) -> Aint {
        base.wrapping_add(displacement)
    }
    pub fn Aint_diff(a: Aint, b: Aint) -> Aint {
        a.wrapping_sub(b)
    }
}

mpi_fn! {
    pub fn Status_get_source(status: *const Status, source: *mut c_int) {
        unsafe { *source = (*status).MPI_SOURCE };
        Ok(())
    }
    pub fn Status_get_tag(status: *const Status, tag: *mut c_int) {
        unsafe { *tag = (*status).MPI_TAG };
        Ok(())
    }
    pub fn Status_get_error(status: *const Status, error: *mut c_int) {
        unsafe { *error = (*status).MPI_ERROR };
        Ok(())
    }
    pub fn Status_set_source(status: *mut Status, source: c_int) {
        unsafe { (*status).MPI_SOURCE = source };
        Ok(())
    }
    pub fn Status_set_tag(status: *mut Status, tag: c_int) {
        unsafe { (*status).MPI_TAG = tag };
        Ok(())
    }
    pub fn Status_set_error(status: *mut Status, error: c_int) {
        unsafe { (*status).MPI_ERROR = error };
        Ok(())
    }
    pub fn Status_set_cancelled(status: *mut Status, flag: c_int) {
        unsafe { (*status).set_cancelled(flag != 0) };
        Ok(())
    }
    pub fn Test_cancelled(status: *const Status, flag: *mut c_int) {
        unsafe { *flag = c_int::from((*status).cancelled()) };
        Ok(())
    }
}

mpi_fn! {
    pub fn Comm_toint(handle: Comm) -> c_int { handle.to_int() }
    pub fn Comm_fromint(value: c_int) -> Comm { Comm::from_int(value) }
    pub fn Errhandler_toint(handle: Errhandler) -> c_int { handle.to_int() }
    pub fn Errhandler_fromint(value: c_int) -> Errhandler { Errhandler::from_int(value) }
    pub fn File_toint(handle: File) -> c_int { handle.to_int() }
    pub fn File_fromint(value: c_int) -> File { File::from_int(value) }
    pub fn Group_toint(handle: Group) -> c_int { handle.to_int() }
    pub fn Group_fromint(value: c_int) -> Group { Group::from_int(value) }
    pub fn Info_toint(handle: Info) -> c_int { handle.to_int() }
    pub fn Info_fromint(value: c_int) -> Info { Info::from_int(value) }
    pub fn Message_toint(handle: Message) -> c_int { handle.to_int() }
    pub fn Message_fromint(value: c_int) -> Message { Message::from_int(value) }
    pub fn Op_toint(handle: Op) -> c_int { handle.to_int() }
    pub fn Op_fromint(value: c_int) -> Op { Op::from_int(value) }
    pub fn Request_toint(handle: Request) -> c_int { handle.to_int() }
    pub fn Request_fromint(value: c_int) -> Request { Request::from_int(value) }
    pub fn Session_toint(handle: Session) -> c_int { handle.to_int() }
    pub fn Session_fromint(value: c_int) -> Session { Session::from_int(value) }
    pub fn Type_toint(handle: Datatype) -> c_int { handle.to_int() }
    pub fn Type_fromint(value: c_int) -> Datatype { Datatype::from_int(value) }
    pub fn Win_toint(handle: Win) -> c_int { handle.to_int() }
    pub fn Win_fromint(value: c_int) -> Win { Win::from_int(value) }
}

/// Conversions for Fortran in MPICH's interface: handles are the same integers, a status the same
/// five integers.
#[cfg(feature = "mpich")]
mod fortran {
    use super::*;
    use crate::error::Result;

    /// # Safety
    /// Both point to five ints.
    unsafe fn copy(from: *const c_void, to: *mut c_void) -> Result {
        unsafe { std::ptr::copy_nonoverlapping(from.cast::<c_int>(), to.cast::<c_int>(), 5) };
        Ok(())
    }

    mpi_fn! {
        pub fn Comm_c2f(handle: Comm) -> c_int { handle.to_int() }
        pub fn Comm_f2c(value: c_int) -> Comm { Comm::from_int(value) }
        pub fn Errhandler_c2f(handle: Errhandler) -> c_int { handle.to_int() }
        pub fn Errhandler_f2c(value: c_int) -> Errhandler { Errhandler::from_int(value) }
        pub fn File_c2f(handle: File) -> c_int { handle.to_int() }
        pub fn File_f2c(value: c_int) -> File { File::from_int(value) }
        pub fn Group_c2f(handle: Group) -> c_int { handle.to_int() }
        pub fn Group_f2c(value: c_int) -> Group { Group::from_int(value) }
        pub fn Info_c2f(handle: Info) -> c_int { handle.to_int() }
        pub fn Info_f2c(value: c_int) -> Info { Info::from_int(value) }
        pub fn Message_c2f(handle: Message) -> c_int { handle.to_int() }
        pub fn Message_f2c(value: c_int) -> Message { Message::from_int(value) }
        pub fn Op_c2f(handle: Op) -> c_int { handle.to_int() }
        pub fn Op_f2c(value: c_int) -> Op { Op::from_int(value) }
        pub fn Request_c2f(handle: Request) -> c_int { handle.to_int() }
        pub fn Request_f2c(value: c_int) -> Request { Request::from_int(value) }
        pub fn Session_c2f(handle: Session) -> c_int { handle.to_int() }
        pub fn Session_f2c(value: c_int) -> Session { Session::from_int(value) }
        pub fn Type_c2f(handle: Datatype) -> c_int { handle.to_int() }
        pub fn Type_f2c(value: c_int) -> Datatype { Datatype::from_int(value) }
        pub fn Win_c2f(handle: Win) -> c_int { handle.to_int() }
        pub fn Win_f2c(value: c_int) -> Win { Win::from_int(value) }
        pub fn Status_c2f(from: *const c_void, to: *mut c_void) {
            unsafe { copy(from, to) }
        }
        pub fn Status_f2c(from: *const c_void, to: *mut c_void) {
            unsafe { copy(from, to) }
        }
        pub fn Status_c2f08(from: *const c_void, to: *mut c_void) {
            unsafe { copy(from, to) }
        }
        pub fn Status_f082c(from: *const c_void, to: *mut c_void) {
            unsafe { copy(from, to) }
        }
        pub fn Status_f082f(from: *const c_void, to: *mut c_void) {
            unsafe { copy(from, to) }
        }
        pub fn Status_f2f08(from: *const c_void, to: *mut c_void) {
            unsafe { copy(from, to) }
        }
    }
}
