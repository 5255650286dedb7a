//! MPI's Fortran interface: `libmpifort.so.12`, over the C functions of `libmpi.so.12`.
//!
//! In MPICH's ABI a handle is the same integer in C and Fortran and a status the same five, so an
//! entry point does little: what C takes by value it reads, blanks at the end of characters become
//! a NUL and back, and the variables that stand for `MPI_IN_PLACE` and the like become C's. The
//! build script writes most of them from the table of functions; `by_hand.rs` has the others.
//!
//! The same symbols serve `mpif.h`, `use mpi` and `use mpi_f08`: a handle of `mpi_f08` is a type
//! of one integer, and an `ierror` that is left out is a null address.

mod by_hand;
mod callbacks;
mod descriptor;
mod places;
mod text;

use std::ffi::{c_char, c_int, c_void};

use descriptor::{Descriptor, Section, Use};
use text::Room;

// A `MPI_File` is an address in C, an integer in Fortran.
unsafe extern "C" {
    fn MPI_File_f2c(file: c_int) -> usize;
    fn MPI_File_c2f(file: usize) -> c_int;
}

/// Tells a call's result.
///
/// # Safety
/// `ierror` is null or writable.
unsafe fn report(ierror: *mut c_int, code: c_int) {
    if !ierror.is_null() {
        unsafe { *ierror = code };
    }
}

/// Names of C are theirs, names of Fortran in lower case with an underscore behind them.
#[allow(non_snake_case, clippy::too_many_arguments)]
#[allow(clippy::let_and_return, clippy::let_unit_value)] // generated, of either return type
mod entries {
    use super::*;
    include!(concat!(env!("OUT_DIR"), "/entries.rs"));
}
