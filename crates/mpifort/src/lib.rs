//! MPI's Fortran interface: `libmpifort.so.12`, over the C functions of `libmpi.so.12`.
//!
//! In MPICH's ABI a handle is the same integer in C and Fortran, and a status the same five
//! integers. An entry point therefore only converts arguments:
//!
//! - it reads what C takes by value;
//! - it converts blank-padded characters to zero-terminated text and back;
//! - it replaces Fortran's `MPI_IN_PLACE` and similar constants by C's.
//!
//! The build script generates most of them from the table of functions; `handwritten.rs` has the
//! others.
//!
//! The same symbols serve `mpif.h`, `use mpi` and `use mpi_f08`: a handle of `mpi_f08` is a type
//! of one integer, and an omitted `ierror` is a null address.

mod address_constants;
mod callbacks;
mod descriptor;
mod handwritten;
mod text;

use std::ffi::{c_char, c_int, c_void};

use descriptor::{BufferUse, Descriptor, Section};
use text::OutputBuffer;

// An `MPI_File` is an address in C, an integer in Fortran.
unsafe extern "C" {
    fn MPI_File_f2c(file: c_int) -> usize;
    fn MPI_File_c2f(file: usize) -> c_int;
}

/// Writes the error code of a call.
///
/// # Safety
/// `ierror` is null or writable.
unsafe fn report(ierror: *mut c_int, code: c_int) {
    if !ierror.is_null() {
        unsafe { *ierror = code };
    }
}

/// Generated: C functions under their names, Fortran's in lower case with a final underscore.
#[allow(non_snake_case, clippy::too_many_arguments)]
#[allow(clippy::let_and_return, clippy::let_unit_value)] // generated, of either return type
mod entries {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/entries.rs"));
}
