//! Every function of the interface that no source implements, exported all the same: a program
//! that merely links it loads, and a program that calls it learns which one is missing.

use std::ffi::c_int;

use workload::functions::function_name;

#[path = "../interface/reasons.rs"]
mod reasons;
use reasons::reason;

/// Ends the job: returning an error code would send the program on with results it never got.
fn unsupported(id: u32) -> c_int {
    let _ = crate::export::enter(id);
    let name = function_name(id);
    let message = format!(
        "{name} is not supported by this version of odonata: {}. `docs/reference/mpi.md` lists \
         every function",
        reason(name)
    );
    crate::error::abort_with_message(&message, crate::abi::c::ERR_UNSUPPORTED_OPERATION)
}

macro_rules! unsupported {
    ($($name:ident)*) => { $(
        const _: () = {
            // C callers pass arguments a function without parameters ignores.
            #[unsafe(export_name = concat!("PMPI_", stringify!($name)))]
            extern "C" fn missing() -> c_int {
                unsupported(crate::export::id::$name)
            }
        };
        crate::export::weak_alias!(stringify!($name));
    )* };
}

include!(concat!(env!("OUT_DIR"), "/unsupported.rs"));
