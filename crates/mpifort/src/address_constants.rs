//! Constants that are recognized by their addresses. They lie in common blocks with the names and
//! layouts of MPICH's `mpif.h`, so programs compiled with MPICH's header use them too.
//!
//! The program also has these blocks. The loader resolves both to one address, that of the program.
//! References must therefore go through the global offset table. The blocks are declared in
//! assembly, so that the compiler cannot assume that the addresses are local.

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
    /// C's constants: their values are the addresses.
    static MPI_UNWEIGHTED: *mut c_int;
    static MPI_WEIGHTS_EMPTY: *mut c_int;
}

/// `MPI_IN_PLACE`, `MPI_STATUS_IGNORE` and `MPI_STATUSES_IGNORE` of MPICH's `mpi.h`.
const IN_PLACE: usize = usize::MAX;
const STATUS_IGNORE: usize = 1;

/// The buffer address that C expects.
pub fn buffer(address: *mut c_void) -> *mut c_void {
    let first = &raw mut mpipriv1_ as *mut c_int;
    if address == first.cast() {
        std::ptr::null_mut()
    } else if address == first.wrapping_add(1).cast() {
        IN_PLACE as *mut c_void
    } else {
        address
    }
}

pub fn status(address: *mut c_int) -> *mut c_int {
    let ignored = (&raw mut mpipriv1_ as *mut c_int).wrapping_add(2);
    if address == ignored { STATUS_IGNORE as *mut c_int } else { address }
}

pub fn statuses(address: *mut c_int) -> *mut c_int {
    let ignored = &raw mut mpipriv2_ as *mut c_int;
    if address == ignored { STATUS_IGNORE as *mut c_int } else { address }
}

pub fn weights(address: *mut c_int) -> *mut c_int {
    // SAFETY: constants of the C library, which is loaded before this one.
    if address == &raw mut mpifcmb5_ {
        unsafe { MPI_UNWEIGHTED }
    } else if address == &raw mut mpifcmb9_ {
        unsafe { MPI_WEIGHTS_EMPTY }
    } else {
        address
    }
}
