//! The interface for the preload library of simulated file systems (`crates/posix`): it submits the
//! program's calls on simulated files here, whether or not the process calls MPI.

use std::ffi::c_int;

use workload::file_request::{FileReply, FileRequest, NOT_SIMULATED, SIMULATED};

use crate::runtime;

/// Submits a call on a simulated file and waits for its completion in simulated time. Returns
/// `SIMULATED` with the reply, or `NOT_SIMULATED`: before the job of this process, after
/// `MPI_Finalize`, and in a process without a simulator.
///
/// # Safety
/// `request` points to as many bytes as it states, and `reply` to a reply whose `data` has
/// `capacity` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn odonata_file_call(
    request: *const FileRequest,
    reply: *mut FileReply,
) -> c_int {
    // SAFETY: see above.
    let (request, reply) = unsafe {
        let length = ((*request).length as usize).max(FileRequest::BYTES);
        (std::slice::from_raw_parts(request.cast::<u8>(), length), &mut *reply)
    };
    if runtime::is_serving() {
        return NOT_SIMULATED;
    }
    let held = runtime::lock();
    if runtime::is_simulated(&held) {
        runtime::call_file(&held, request, reply);
        return SIMULATED;
    }
    if runtime::has_left(&held) {
        return NOT_SIMULATED;
    }
    runtime::call_as_child(&held, request, reply)
}

/// Whether calls of this process can be simulated: `SIMULATED` or `NOT_SIMULATED`.
#[unsafe(no_mangle)]
pub extern "C" fn odonata_file_attach() -> c_int {
    match runtime::can_attach(&runtime::lock()) {
        true => SIMULATED,
        false => NOT_SIMULATED,
    }
}

/// Registers `odonata_file_call` with the preload library, if it is loaded. The process has
/// attached to the job.
pub(crate) fn register() {
    type Call = unsafe extern "C" fn(*const FileRequest, *mut FileReply) -> c_int;
    // SAFETY: a NUL-terminated name; only the crate `posix` defines it.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"odonata_file_register".as_ptr());
        if !found.is_null() {
            let register: extern "C" fn(Call) = std::mem::transmute(found);
            register(odonata_file_call);
        }
    }
}
