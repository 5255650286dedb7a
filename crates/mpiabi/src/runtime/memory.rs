//! How much memory this rank's process has had of its own, told to the simulator now and then.
//!
//! A look costs some 14 us, so there are few: the kernel remembers what was between them.

use workload::resident::{Peak, Resident};

use super::{Held, RUNTIME, Runtime, with};

/// The library itself comes into memory with the first calls: each of these is looked at before.
const FIRST: u64 = 8;
/// From here on looks are this many calls apart, of which the shortest take some 0.1 us.
const MAX_INTERVAL: u64 = 4096;

pub(super) struct MemorySampler {
    peak: Peak,
    calls: u64,
    /// Bytes of windows that MPI has allocated, in the job's segment.
    windows: u64,
}

impl MemorySampler {
    pub fn new(inherited: u64) -> MemorySampler {
        MemorySampler { peak: Peak::new(inherited), calls: 0, windows: 0 }
    }
}

impl Runtime {
    /// A call begins: before it has touched anything.
    pub(super) fn sample_periodically(&mut self) {
        self.memory_sampler.calls += 1;
        let nth = self.memory_sampler.calls;
        if nth <= FIRST || nth.is_power_of_two() || nth.is_multiple_of(MAX_INTERVAL) {
            self.sample();
        }
    }
    pub(super) fn sample(&mut self) {
        if self.singleton.is_some() {
            return;
        }
        let mut text = [0u8; 4096];
        let Some(now) = Resident::read(status(&mut text)) else { return };
        self.memory_sampler.peak.sample(now, self.memory_sampler.windows);
        let (begun, peak) = self.memory_sampler.peak.begin_and_peak();
        // SAFETY: the segment is mapped for the life of the process, and until its end nobody else
        // looks at these, whoever has the turn.
        unsafe {
            (&raw mut (*self.control).memory_begun).write(begun);
            // Nothing at all would be "it has not looked".
            (&raw mut (*self.control).memory_peak).write(peak.max(1));
        }
    }
}

/// MPI has allocated memory of a window, or is about to give it back.
pub fn record_window(held: &Held, bytes: u64, is_new: bool) {
    with(held, |rt| {
        rt.sample();
        let windows = &mut rt.memory_sampler.windows;
        *windows = if is_new { *windows + bytes } else { windows.saturating_sub(bytes) };
    });
}
/// Where something ends: the rank's part in MPI, the job, a window.
pub fn sample(held: &Held) {
    if let Some(rt) = RUNTIME.get(held).as_mut() {
        rt.sample();
    }
}

/// As much of our status as fits. It may be asked for inside `malloc`, and by a program that has
/// put something in front of the C library's functions: system calls only.
fn status(text: &mut [u8]) -> &[u8] {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    let name = c"/proc/self/status".as_ptr();
    // SAFETY: plain system calls; the descriptor is new, ours alone, and closed here.
    let n = unsafe {
        let fd = libc::syscall(libc::SYS_openat, libc::AT_FDCWD, name, flags) as i32;
        if fd < 0 {
            return &[];
        }
        let n = libc::syscall(libc::SYS_read, fd, text.as_mut_ptr(), text.len());
        libc::syscall(libc::SYS_close, fd);
        n
    };
    &text[..usize::try_from(n).unwrap_or(0)]
}
