//! Exclusive access to the rank's region among the processes of the rank, if there are mounts.
//!
//! A process that ends while it holds the region loses it to the next one.

use std::sync::atomic::{AtomicU32, Ordering};

use workload::wire::{Control, Segment};

use super::futex::{Woken, futex_wait_for, futex_wake};

/// Interval at which a waiting process checks that the holder is alive, wall clock.
const HOLDER_CHECK_NS: i64 = 50_000_000;

/// Whether several processes may access a rank's region.
pub(super) fn is_shared(segment: Segment) -> bool {
    // SAFETY: written before any rank starts.
    unsafe { (*segment.header()).mounts != 0 }
}

fn words<'a>(control: *mut Control) -> (&'a AtomicU32, &'a AtomicU32) {
    // SAFETY: the segment is mapped for the life of the process; both fields are atomic.
    unsafe { (&(*control).holder, &(*control).holder_waiters) }
}

/// Waits until no other process holds the region, and holds it as process `own`.
pub(super) fn lock(control: *mut Control, own: u32) {
    let (holder, waiters) = words(control);
    if holder.compare_exchange(0, own, Ordering::Acquire, Ordering::Relaxed).is_ok() {
        return;
    }
    waiters.fetch_add(1, Ordering::SeqCst);
    loop {
        match holder.compare_exchange(0, own, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => break,
            Err(other) => {
                let limit = libc::timespec { tv_sec: 0, tv_nsec: HOLDER_CHECK_NS };
                let is_late = futex_wait_for(holder, other, limit) == Woken::TimedOut;
                let is_free = is_late
                    && has_ended(other)
                    && holder
                        .compare_exchange(other, own, Ordering::SeqCst, Ordering::SeqCst)
                        .is_ok();
                if is_free {
                    break;
                }
            }
        }
    }
    waiters.fetch_sub(1, Ordering::SeqCst);
}

/// The process that holds the region; 0 if none does.
pub(super) fn holder(control: *mut Control) -> u32 {
    words(control).0.load(Ordering::Relaxed)
}

pub(super) fn unlock(control: *mut Control) {
    let (holder, waiters) = words(control);
    holder.store(0, Ordering::SeqCst);
    if waiters.load(Ordering::SeqCst) == 0 {
        return;
    }
    futex_wake(holder);
    // A process that repeats calls would otherwise keep the others from the region.
    let pause = libc::timespec { tv_sec: 0, tv_nsec: 50_000 };
    // SAFETY: a plain system call, because the C library's sleep may be a simulated one.
    unsafe { libc::syscall(libc::SYS_nanosleep, &pause, 0) };
}

/// Whether a process has ended, reaped or not. Its state follows the name in its `stat` (proc(5)).
fn has_ended(pid: u32) -> bool {
    match std::fs::read(format!("/proc/{pid}/stat")) {
        Ok(text) => {
            let end = text.iter().rposition(|&byte| byte == b')');
            matches!(end.and_then(|at| text.get(at + 2)), Some(b'Z' | b'X') | None)
        }
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}
