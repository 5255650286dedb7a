//! How a rank leaves the job: `MPI_Finalize`, `MPI_Abort`, or an exit without either. Also records
//! the current MPI function where the simulator can read it after the process has died.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};

use workload::wire::{self, Control, Submission};

use super::{EXIT_KILLED, Held, PHASE, RUNTIME};
use super::{
    flush, is_attached, is_finalized, is_forked, log_prefix, sample, submit, threads, turn, with,
};
use crate::abi::c;
use crate::error::{Result, fail};

/// This rank's control block; null in a process without a job.
static CONTROL: AtomicPtr<Control> = AtomicPtr::new(null_mut());
/// The exit status, once it is known; -1 until then.
static STATUS: AtomicI32 = AtomicI32::new(-1);
/// `MPI_Abort` has been reported, and the process runs its exit handlers.
static ABORTED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    /// The C library's standard output.
    static stdout: *mut libc::FILE;
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// The process has attached to the job, inside `function`.
pub(super) fn begin(control: *mut Control, function: u32) {
    CONTROL.store(control, Ordering::Relaxed);
    record_function(function);
    // SAFETY: the library is never unloaded (its build script links it with `nodelete`).
    unsafe { on_exit(note_status, null_mut()) };
}

/// A forked copy of the process is not attached.
pub(super) fn forget() {
    CONTROL.store(null_mut(), Ordering::Relaxed);
}

/// Records that the calling thread is in `function`; 0 means outside MPI.
pub fn record_function(function: u32) {
    let control = CONTROL.load(Ordering::Relaxed);
    if control.is_null() {
        return;
    }
    // SAFETY: the segment is mapped for the life of the process; both fields are atomic.
    unsafe {
        (*control).inside.store(function, Ordering::Relaxed);
        if function != 0 {
            (*control).entered.store(function, Ordering::Relaxed);
        }
    }
}

/// The rank will submit nothing more; its process continues.
pub fn finalize(held: &Held) -> Result {
    if !turn::has_no_waiters(held) {
        return fail!(c::ERR_OTHER, "other threads of this process are inside MPI");
    }
    leave(held, wire::state::FINALIZED);
    Ok(())
}

fn leave(held: &Held, state: u32) {
    sample(held);
    submit(held, Submission { kind: wire::kind::EXIT, ..Submission::default() });
    with(held, |rt| rt.control().state.store(state, Ordering::Release));
    flush(held);
    PHASE.get(held).finalized = true;
    threads::signal_event(held);
}

extern "C" fn note_status(status: c_int, _: *mut c_void) {
    STATUS.store(status, Ordering::Relaxed);
}

/// Runs after the program's exit handlers and the destructors of its objects: one of them may call
/// `MPI_Finalize`.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;

/// An exit with status 0 without `MPI_Finalize` is not a failure: the rank leaves as if it had
/// called it. If that is not possible here, the simulator detects that the process has ended.
extern "C" fn at_exit() {
    if STATUS.load(Ordering::Relaxed) != 0 || is_forked() || ABORTED.load(Ordering::Relaxed) {
        return;
    }
    let Some(held) = threads::try_lock() else { return };
    let in_job = RUNTIME.get(&held).as_ref().is_some_and(|rt| rt.singleton.is_none());
    if in_job && !is_finalized(&held) && turn::has_no_waiters(&held) && !turn::simulator_has_turn()
    {
        with(&held, |rt| {
            rt.function = 0;
            rt.charge();
        });
        leave(&held, wire::state::LEFT);
    }
}

/// Ends the job. As in MPICH, it flushes the C library's standard output and then exits, so that
/// exit handlers run. The simulator ends the other ranks.
pub fn abort(held: &Held, code: i32) -> ! {
    // `exit` flushes the other streams. Another thread may hold the lock of one of them, such as
    // standard input while it reads. Waiting for that lock here would delay the report of the
    // abort.
    // SAFETY: a stream of the C library.
    unsafe { libc::fflush(stdout) };
    let status = if code & 0xff == 0 { 1 } else { code };
    if is_forked() {
        // SAFETY: the exit handlers belong to the parent.
        unsafe { libc::_exit(status) }
    }
    let in_job = RUNTIME.get(held).as_ref().is_some_and(|rt| rt.singleton.is_none());
    if in_job && !is_finalized(held) {
        turn::acquire_turn(held);
        sample(held);
        with(held, |rt| {
            let control = rt.control();
            control.abort_code = code;
            control.state.store(wire::state::ABORTED, Ordering::Release);
        });
        turn::hand_over_finally(held);
        ABORTED.store(true, Ordering::Relaxed);
    }
    // SAFETY: this thread executes nothing else.
    unsafe { libc::exit(status) }
}

/// Ends a process that has aborted and whose exit handlers wait in MPI: the job has ended.
pub(super) fn stop_if_aborted() {
    if ABORTED.load(Ordering::Relaxed) {
        // SAFETY: flushes all streams of this process, which ends.
        unsafe {
            libc::fflush(null_mut());
            libc::_exit(EXIT_KILLED)
        }
    }
}

/// Prints the error and its place, then ends the job.
pub fn fatal(held: &Held, why: &str) -> ! {
    let function = if is_attached(held) { with(held, |rt| rt.function) } else { 0 };
    let name = workload::functions::function_name(function);
    crate::error::write_line(&format!("{}{name}: {why}", log_prefix()));
    abort(held, 1)
}
