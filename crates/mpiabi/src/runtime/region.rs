//! Exclusive access to the rank's region among the processes of the rank, if there are mounts.
//!
//! The process in MPI holds the region while a thread of it is in MPI, and while the simulator has
//! the turn on its behalf. A process that ends while it holds the region loses it to the next one.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use workload::wire::{Control, Segment};

use super::futex::{Woken, futex_wait_for, futex_wake};
use super::{Held, RUNTIME, is_forked};

/// Interval at which a waiting process checks that the holder is alive, wall clock.
const HOLDER_CHECK_NS: i64 = 50_000_000;

/// Whether the process in MPI holds its region. Changed under the lock of the library.
static IS_HELD: AtomicBool = AtomicBool::new(false);

/// Called when a thread enters MPI. Without an attachment it does nothing.
pub(super) fn hold(held: &Held) {
    if is_forked() || IS_HELD.load(Ordering::Relaxed) {
        return;
    }
    let mut runtime = RUNTIME.get(held);
    let Some(rt) = runtime.as_mut().filter(|rt| is_shared(rt.segment)) else { return };
    lock(rt.control, rt.pid);
    IS_HELD.store(true, Ordering::Relaxed);
    let (reported_ps, now_ps) = (rt.control().reported_ps, rt.control().now_ps);
    if now_ps != rt.released_ps {
        // Another process of the rank has handed over since.
        rt.released_ps = now_ps;
        (rt.local_polls, rt.failed_probe) = (0, None);
    }
    rt.at_ps = rt.at_ps.max(reported_ps);
}

/// Called when a thread leaves MPI, or lets other threads in. `is_away`: the simulator has the turn.
pub(super) fn release(held: &Held, is_away: bool) {
    if !IS_HELD.load(Ordering::Relaxed) || is_away || is_forked() {
        return;
    }
    if let Some(rt) = RUNTIME.get(held).as_mut() {
        IS_HELD.store(false, Ordering::Relaxed);
        unlock(rt.control);
    }
}

/// In a forked process: its parent holds the region.
pub(super) fn forget() {
    IS_HELD.store(false, Ordering::Relaxed);
}

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
