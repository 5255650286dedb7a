//! Layer 7: the files of a simulated file system, as unmodified programs see them.
//!
//! `libodonata_io.so` is preloaded into the processes of a job. It replaces the file functions of
//! the C library for paths below a mount, such as `/lus/flare`. The files are real ones in a
//! backing directory, with real descriptors; so the kernel gives them the semantics of POSIX, and
//! `dup`, `fork`, `exec`, `mmap` and `select` work. The library submits each call to the simulator
//! first, and the call returns after its simulated completion. It does not know the simulator or
//! the protocols of file systems: `workload::file_request` is the interface.
//!
//! A process without `ODONATA_MOUNTS` uses the C library's functions only.
//!
//! Calls on other files cost a comparison of the path with the mounts, or a load from the table of
//! descriptors. Nothing on that path allocates or locks: the first calls of a process happen inside
//! its first `malloc`, and signal handlers call `write`.

mod asynchronous;
mod blocks;
mod change;
mod data;
mod descriptors;
mod directories;
mod entries;
mod kernel_aio;
mod links;
mod locks;
mod mappings;
mod mount_table;
mod mounts;
mod names;
mod next;
mod open;
mod place;
mod processes;
mod raw;
mod simulator;
mod sockets;
mod status;
mod streams;
mod sys;
mod text;
mod trees;
mod watches;

/// Runs when the library is loaded, before the program.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    if !mounts::active() {
        return;
    }
    descriptors::inherit();
    place::entered_directory();
    open::mask();
    processes::keep_environment();
    streams::replace_transfers();
    // SAFETY: the function only changes this library's state.
    unsafe { libc::pthread_atfork(None, None, Some(after_fork)) };
}

extern "C" fn after_fork() {
    descriptors::forked();
    simulator::forked();
}
