//! Initialization and finalization: attaching to the job, detaching from it, aborting it; thread
//! levels.

mod state;

use std::ffi::{c_char, c_int};

use crate::abi::{Comm, c};
use crate::error::{self, Error, Result, copy_string, fail};
use crate::export::mpi_fn;
use crate::runtime::{self, Held};
use crate::{comm, session};
use state::STATE;

pub(crate) use state::thread_level;

fn abort(code: c_int) -> ! {
    runtime::abort(&runtime::lock(), code)
}

/// Attaches to the job, once, from `MPI_Init` or from the first session.
pub(crate) fn attach_to_job(held: &Held) -> Result {
    if runtime::is_attached(held) {
        return Ok(());
    }
    runtime::attach(held).map_err(|why| Error::new(c::ERR_OTHER, why))?;
    if runtime::is_simulated(held) {
        runtime::register_clocks();
        crate::file_call::register();
    }
    error::set_abort(abort);
    error::report_internal_errors();
    crate::env::set_library(&runtime::library(held));
    let (family, accepted) = runtime::checks(held);
    crate::checks::begin(family, accepted);
    comm::init(held);
    runtime::flush(held);
    STATE.get(held).main_thread = Some(std::thread::current().id());
    Ok(())
}

fn init(required: c_int) -> Result<c_int> {
    let held = &runtime::lock();
    if STATE.get(held).initialized {
        return fail!(c::ERR_OTHER, "it is called twice, or after MPI_Init_thread");
    }
    attach_to_job(held)?;
    let provided = provide(held, required);
    let mut state = STATE.get(held);
    state.initialized = true;
    state.main_thread = Some(std::thread::current().id());
    Ok(provided)
}

/// The thread level of the process. The first initialization, by `MPI_Init` or a session, decides
/// it. Later ones get the same level while any of them is in use, as in MPICH.
pub(crate) fn provide(held: &Held, required: c_int) -> c_int {
    let any_session = session::is_any_open(held);
    let mut state = STATE.get(held);
    if any_session || state.initialized && !state.finalized {
        return state.provided;
    }
    state.provided = required.clamp(c::THREAD_SINGLE, c::THREAD_MULTIPLE);
    if state.provided == c::THREAD_MULTIPLE {
        runtime::allow_threads(held);
    }
    state.provided
}

/// Detaches from the job when neither `MPI_Init` nor a session is active any more. A process that
/// has only used sessions may open another, so it stays attached until it exits.
pub(crate) fn detach_from_job(held: &Held, exiting: bool) -> Result {
    let over = {
        let state = STATE.get(held);
        state.finalized || (exiting && !state.initialized)
    };
    let may_leave = over && !session::is_any_open(held);
    if may_leave && runtime::is_attached(held) && !runtime::is_finalized(held) {
        runtime::finalize(held)?;
    }
    Ok(())
}

mpi_fn! {
    pub fn Init(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {
        init(c::THREAD_SINGLE).map(drop)
    }
    pub fn Init_thread(
        _argc: *mut c_int, _argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int,
    ) {
        unsafe { *provided = init(required)? };
        Ok(())
    }
    pub fn Initialized(flag: *mut c_int) {
        unsafe { *flag = c_int::from(STATE.get(&runtime::lock()).initialized) };
        Ok(())
    }
    pub fn Finalized(flag: *mut c_int) {
        unsafe { *flag = c_int::from(STATE.get(&runtime::lock()).finalized) };
        Ok(())
    }
    pub fn Finalize() {
        if runtime::is_forked() {
            // A forked process that exits through an exit handler: its parent is the rank.
            return Ok(());
        }
        // Attributes of MPI_COMM_SELF are deleted first, while MPI is still usable.
        crate::attr::delete_all(crate::abi::Kind::Comm, c::COMM_SELF.to_int())?;
        let held = &runtime::enter()?;
        crate::leaks::report(held);
        STATE.get(held).finalized = true;
        let left = detach_from_job(held, false);
        STATE.get(held).finalized = left.is_ok();
        left
    }
    pub fn Abort(_comm: Comm, code: c_int) {
        runtime::abort(&runtime::lock(), code)
    }
    pub fn Query_thread(provided: *mut c_int) {
        let held = &runtime::enter_any()?;
        unsafe { *provided = STATE.get(held).provided };
        Ok(())
    }
    pub fn Is_thread_main(flag: *mut c_int) {
        let held = &runtime::enter_any()?;
        let is_main = STATE.get(held).main_thread == Some(std::thread::current().id());
        unsafe { *flag = c_int::from(is_main) };
        Ok(())
    }
    /// The simulated node's name, by which benchmarks identify nodes.
    pub fn Get_processor_name(name: *mut c_char, length: *mut c_int) {
        let text = runtime::node_name(&runtime::enter()?);
        let room = c::MAX_PROCESSOR_NAME as usize;
        unsafe { *length = copy_string(text.as_bytes(), name, room) };
        Ok(())
    }
}
