//! How much memory this rank's process has had of its own, told to the simulator now and then.
//!
//! A look costs some 14 us, so there are few: the kernel remembers what was between them.

use workload::resident::{Peak, Resident};

use super::{Held, RUNTIME, Runtime, with};

/// The library itself comes into memory with the first calls: each of these is looked at before.
const FIRST: u64 = 8;
/// From here on looks are this many calls apart, of which the shortest take some 0.1 us.
const MOST_APART: u64 = 4096;

pub(super) struct Watch {
    peak: Peak,
    calls: u64,
    /// Bytes of windows that MPI has allocated, in the job's segment.
    windows: u64,
}

impl Watch {
    pub fn new(inherited: u64) -> Watch {
        Watch { peak: Peak::new(inherited), calls: 0, windows: 0 }
    }
}

impl Runtime {
    /// A call begins: before it has touched anything.
    pub(super) fn look_now_and_then(&mut self) {
        self.watch.calls += 1;
        let nth = self.watch.calls;
        if nth <= FIRST || nth.is_power_of_two() || nth.is_multiple_of(MOST_APART) {
            self.look();
        }
    }
    pub(super) fn look(&mut self) {
        if self.solo.is_some() {
            return;
        }
        let mut text = [0u8; 4096];
        let Some(now) = Resident::read(status(&mut text)) else { return };
        self.watch.peak.look(now, self.watch.windows);
        let (begun, peak) = self.watch.peak.told();
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
pub fn window(held: &Held, bytes: u64, is_new: bool) {
    with(held, |rt| {
        rt.look();
        let windows = &mut rt.watch.windows;
        *windows = if is_new { *windows + bytes } else { windows.saturating_sub(bytes) };
    });
}
/// Where something ends: the rank's part in MPI, the job, a window.
pub fn look(held: &Held) {
    if let Some(rt) = RUNTIME.get(held).as_mut() {
        rt.look();
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
