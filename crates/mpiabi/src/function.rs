//! The MPI function that a thread is in.

use std::cell::Cell;

thread_local! {
    static FUNCTION: Cell<u32> = const { Cell::new(0) };
}

/// Number of the MPI function that this thread is in; 0 outside.
pub(crate) fn current() -> u32 {
    FUNCTION.get()
}

/// Sets the function; returns the previous one.
pub(crate) fn replace(function: u32) -> u32 {
    FUNCTION.replace(function)
}
