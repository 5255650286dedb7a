//! Whether MPI is initialized, and the thread level.

use std::ffi::c_int;

use crate::abi::c;
use crate::runtime::{Guarded, Held};

pub(super) struct InitState {
    /// `MPI_Init` was called; sessions alone do not count.
    pub initialized: bool,
    pub finalized: bool,
    pub provided: c_int,
    pub main_thread: Option<std::thread::ThreadId>,
}

pub(super) static STATE: Guarded<InitState> = Guarded::new(InitState {
    initialized: false,
    finalized: false,
    provided: c::THREAD_SINGLE,
    main_thread: None,
});

/// The thread level of the process; `MPI_THREAD_SINGLE` before its first initialization.
pub(crate) fn thread_level(held: &Held) -> c_int {
    STATE.get(held).provided
}
