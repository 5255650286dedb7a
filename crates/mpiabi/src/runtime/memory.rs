//! Peak memory of this rank's process, sampled and reported to the simulator.
//!
//! A sample costs some 14 us, so samples are rare: the kernel keeps the peak between them.

use workload::resident::{Peak, Resident};

use super::{Held, RUNTIME, Runtime, with};

/// The first calls load parts of the library itself: each of them is preceded by a sample.
const FIRST: u64 = 8;
/// Maximum number of calls between samples. The shortest calls take some 0.1 us.
const MAX_INTERVAL: u64 = 4096;

pub(super) struct MemorySampler {
    peak: Peak,
    calls: u64,
    /// Bytes of windows that MPI has allocated in the job's segment.
    windows: u64,
}

impl MemorySampler {
    pub fn new(inherited: u64) -> MemorySampler {
        MemorySampler { peak: Peak::new(inherited), calls: 0, windows: 0 }
    }
}

impl Runtime {
    /// Called when an MPI call begins, before it touches memory.
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
        let (at_init, peak) = self.memory_sampler.peak.first_and_peak();
        // SAFETY: the segment is mapped for the life of the process. No other process reads these
        // fields until it ends, whichever side has the turn.
        unsafe {
            (&raw mut (*self.control).memory_at_init).write(at_init);
            // Zero means that no sample was taken.
            (&raw mut (*self.control).memory_peak).write(peak.max(1));
        }
    }
}

/// Called when MPI has allocated memory of a window, or is about to free it.
pub fn record_window(held: &Held, bytes: u64, is_new: bool) {
    with(held, |rt| {
        rt.sample();
        let windows = &mut rt.memory_sampler.windows;
        *windows = if is_new { *windows + bytes } else { windows.saturating_sub(bytes) };
    });
}
/// Samples at the end of a phase: the rank's use of MPI, the job, a window.
pub fn sample(held: &Held) {
    if let Some(rt) = RUNTIME.get(held).as_mut() {
        rt.sample();
    }
}

/// Reads the process status, as much as fits. It may be called inside `malloc`, and in programs
/// that replace C library functions, so it uses system calls only.
fn status(text: &mut [u8]) -> &[u8] {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    let name = c"/proc/self/status".as_ptr();
    // SAFETY: plain system calls; the descriptor is new, private, and closed here.
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
