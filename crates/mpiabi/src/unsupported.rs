//! Exports of all functions that are not implemented. A program that only links such a function
//! loads, and a call of it reports the name.

use std::ffi::c_int;

use workload::functions::function_name;

#[path = "../interface/reasons.rs"]
mod reasons;
use reasons::reason;

/// Ends the job: after an error code the program would continue without the results of the call.
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
            // A function without parameters ignores the arguments of C callers.
            #[unsafe(export_name = concat!("PMPI_", stringify!($name)))]
            extern "C" fn missing() -> c_int {
                unsupported(crate::export::id::$name)
            }
        };
        crate::export::weak_alias!(stringify!($name));
    )* };
}

include!(concat!(env!("OUT_DIR"), "/unsupported.rs"));
