//! Argument checks that differ between the MPICH family and Open MPI. Calls that violate the
//! standard but that the simulated library accepts are recorded for a note in the run's summary.

use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use workload::wire::{accepted, checks};

use crate::abi::c;
use crate::error::{Result, fail};
use crate::function;

/// A constant of `wire::checks`.
static FAMILY: AtomicU32 = AtomicU32::new(checks::MPICH);
/// `Control::accepted` of this rank; null until it is attached to a job.
static ACCEPTED: AtomicPtr<[AtomicU32; accepted::KINDS]> = AtomicPtr::new(std::ptr::null_mut());

/// Called when the rank attaches to its job. Sets whose checks the library follows, and where
/// accepted calls are recorded.
pub(crate) fn begin(family: u32, accepted: *const [AtomicU32; accepted::KINDS]) {
    FAMILY.store(family, Ordering::Relaxed);
    ACCEPTED.store(accepted.cast_mut(), Ordering::Relaxed);
}

/// Whether the simulated library belongs to the Open MPI family.
pub(crate) fn is_open_mpi() -> bool {
    FAMILY.load(Ordering::Relaxed) == checks::OPEN_MPI
}

/// Records the first call that the simulated library accepts although the standard forbids it.
/// `kind` is a constant of `wire::accepted`.
pub(crate) fn accept(kind: usize) {
    // SAFETY: null, or in the job's segment, which stays mapped.
    if let Some(all) = unsafe { ACCEPTED.load(Ordering::Relaxed).as_ref() } {
        let (none, function) = (0, function::current());
        let _ = all[kind].compare_exchange(none, function, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// Checks for aliased send and receive buffers of a collective. Callers decide when the two are
/// compared, as in MPICH's binding generator (pmodels/mpich, maint/local_python/binding_c.py):
/// empty buffers and blocks of different lengths or types are exempt. Open MPI compares none.
pub(crate) fn alias(one: *const c_void, other: *const c_void) -> Result {
    if one != other {
        return Ok(());
    }
    if is_open_mpi() {
        accept(accepted::ALIASED_BUFFERS);
        return Ok(());
    }
    if is_alias_check_off() {
        return Ok(());
    }
    fail!(
        c::ERR_BUFFER,
        "Buffers must not be aliased: it sends from the buffer in which it receives. Use \
         MPI_IN_PLACE, or set MPIR_CVAR_COLL_ALIAS_CHECK=0 (Cray MPICH: \
         MPICH_NO_BUFFER_ALIAS_CHECK=1) to accept it"
    )
}

/// The three names of MPICH's variable, and Cray MPICH's.
fn is_alias_check_off() -> bool {
    let value = |name: &str| std::env::var(name).ok().map(|v| v.trim().to_ascii_lowercase());
    let is_no = |v: &str| matches!(v, "0" | "no" | "n" | "false" | "f" | "off");
    let names =
        ["MPIR_CVAR_COLL_ALIAS_CHECK", "MPIR_PARAM_COLL_ALIAS_CHECK", "MPICH_COLL_ALIAS_CHECK"];
    names.iter().find_map(|name| value(name)).is_some_and(|v| is_no(&v))
        || value("MPICH_NO_BUFFER_ALIAS_CHECK").is_some_and(|v| !v.is_empty() && !is_no(&v))
}
