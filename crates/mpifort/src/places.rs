//! Variables whose addresses mean something: they lie in common blocks of the names and layouts
//! that MPICH's `mpif.h` gives them, so programs compiled with that one find ours, too.
//!
//! The program has the blocks as well. The loader makes them one, and the program's comes first,
//! so these are always read through the global offset table: hence assembler, in which no compiler
//! can take for granted that the addresses are our own.

use std::ffi::{c_int, c_void};

std::arch::global_asm!(
    ".macro block name, bytes",
    ".globl \\name",
    ".type \\name, @object",
    ".comm \\name, \\bytes, 32",
    ".endm",
    "block mpipriv1_, 28", // MPI_BOTTOM, MPI_IN_PLACE, MPI_STATUS_IGNORE(5)
    "block mpipriv2_, 24", // MPI_STATUSES_IGNORE(5, 1), MPI_ERRCODES_IGNORE(1)
    "block mpiprivc_, 2",  // MPI_ARGVS_NULL(1, 1), MPI_ARGV_NULL(1), of one character each
    "block mpifcmb5_, 4",  // MPI_UNWEIGHTED
    "block mpifcmb9_, 4",  // MPI_WEIGHTS_EMPTY
    ".purgem block",
);

unsafe extern "C" {
    static mut mpipriv1_: [c_int; 7];
    static mut mpipriv2_: [c_int; 6];
    static mut mpifcmb5_: c_int;
    static mut mpifcmb9_: c_int;
    /// C's own: what they hold is the address.
    static MPI_UNWEIGHTED: *mut c_int;
    static MPI_WEIGHTS_EMPTY: *mut c_int;
}

/// `MPI_IN_PLACE`, `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE` of MPICH's `mpi.h`.
const IN_PLACE: usize = usize::MAX;
const STATUS_IGNORE: usize = 1;

/// A buffer as C has it.
pub fn buffer(place: *mut c_void) -> *mut c_void {
    let first = &raw mut mpipriv1_ as *mut c_int;
    if place == first.cast() {
        std::ptr::null_mut()
    } else if place == first.wrapping_add(1).cast() {
        IN_PLACE as *mut c_void
    } else {
        place
    }
}

pub fn status(place: *mut c_int) -> *mut c_int {
    let ignored = (&raw mut mpipriv1_ as *mut c_int).wrapping_add(2);
    if place == ignored { STATUS_IGNORE as *mut c_int } else { place }
}

pub fn statuses(place: *mut c_int) -> *mut c_int {
    let ignored = &raw mut mpipriv2_ as *mut c_int;
    if place == ignored { STATUS_IGNORE as *mut c_int } else { place }
}

pub fn weights(place: *mut c_int) -> *mut c_int {
    // SAFETY: constants of the C library, which is loaded before this one.
    if place == &raw mut mpifcmb5_ {
        unsafe { MPI_UNWEIGHTED }
    } else if place == &raw mut mpifcmb9_ {
        unsafe { MPI_WEIGHTS_EMPTY }
    } else {
        place
    }
}
